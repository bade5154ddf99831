"""Builds the C++ programs of bench/ with g++: the baselines, the limits, the data operations.

A program is built again when its source or one of the headers beside it is newer. CXX names another compiler; it must
know OpenMP.
"""
import os
import shutil
import subprocess

from .programs import ROOT

FLAGS = ['-std=c++20', '-O3', '-march=native', '-mprefer-vector-width=512', '-ffp-contract=off', '-fno-math-errno',
         '-fopenmp', '-Wall', '-Wextra', '-Werror', '-Wno-restrict', '-Wno-psabi',
         '-Wno-maybe-uninitialized']  # the first and last are mistaken in GCC 12 (its string and AVX-512 headers)
LIBRARIES = ['-lmvec', '-ltbb']


class NotThere(Exception):
    """No compiler, or no such program."""


class BuildFailed(Exception):
    pass


def source_of(name, folder='baselines'):
    return ROOT / 'bench' / folder / f'{name}.cpp'


def build(name, folder='baselines'):
    """The program's path, up to date."""
    source = source_of(name, folder)
    if not source.exists():
        raise NotThere(f'C++: no {source.relative_to(ROOT)}')
    program = ROOT / 'build' / 'bench' / folder / name
    parts = [source, *(ROOT / 'bench' / 'baselines').glob('*.hpp')]
    if program.exists() and all(part.stat().st_mtime < program.stat().st_mtime for part in parts):
        return program
    compiler = os.environ.get('CXX', 'g++')
    if shutil.which(compiler) is None:
        raise NotThere(f'C++: no {compiler} here')
    program.parent.mkdir(parents=True, exist_ok=True)
    fresh = program.with_suffix(f'.{os.getpid()}')  # another run may build the same program
    command = [compiler, *FLAGS, '-I', str(ROOT / 'bench' / 'baselines'), str(source), '-o', str(fresh), *LIBRARIES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildFailed(f'{source.name} does not compile:\n{done.stderr[:4000]}')
    fresh.replace(program)
    return program
