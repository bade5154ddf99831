"""Who is timed: dvmc, NumPy's oracle, and the peers JAX, numba and C++, each warm and with inputs in memory.

A side is started once for a program and a size (that is its warm-up; its results are checked then) and asked for
`runs` times in every round. `Missing` says why a side has nothing to time.
"""
import json
import os
import select
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from . import baselines
from .programs import ROOT, data_folder, inputs_of, load, wrong_results

RUNS = 3  # in a round; their median counts
PATIENCE = 600  # seconds for one answer


class Missing(Exception):
    """This side has no such program here, or is not installed; the text is for the table's notes."""


class Failed(Exception):
    """The side stopped with an error."""


class Side:
    """`wrong`: outputs that differ from the oracle's; `first`: seconds of the first run, compiling included."""

    def __init__(self, name, size, folder):
        self.name, self.size, self.folder = name, size, folder
        self.results = Path(tempfile.mkdtemp(prefix='dvm-bench-'))
        self.wrong, self.first, self.facts = [], None, {}

    def check(self):
        self.wrong = wrong_results(self.name, self.folder, self.results, self.facts.get('inexact', 0))

    def close(self):
        shutil.rmtree(self.results, ignore_errors=True)


def run_dvmc(options, program, words, *more):
    """One process of dvmc; what it says of its times."""
    command = [str(options.dvmc), 'run', str(program), *words, '--time=json', '--workers', str(options.threads), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failed(f'dvmc ended with status {done.returncode}\n{done.stderr}')
    return json.loads(done.stderr.strip().splitlines()[-1])


def input_words(folder):
    return [f'{f.stem[3:]}={f}' for f in sorted(folder.glob('in_*.npy'))]


class Dvmc(Side):
    """One process a round, which makes its runs in turn and keeps its pool of freed arrays between them."""
    more = ()

    def __init__(self, name, size, folder, options):
        super().__init__(name, size, folder)
        self.options = options
        cold = [self._run('--no-cache', '-o', f'{self.results}/')['compile_seconds'] for _ in range(RUNS)]
        self.check()
        cached = [self._cached_seconds() for _ in range(RUNS + 1)]  # the first may fill the cache
        self.facts = {'compile_seconds': statistics.median(cold), 'cached_seconds': statistics.median(cached[1:])}

    def _cached_seconds(self):
        """The whole process from source to results of the smallest inputs, the package being in the cache."""
        words = input_words(data_folder(self.name, 'S'))
        begin = time.perf_counter()
        run_dvmc(self.options, ROOT / 'examples' / f'{self.name}.dvm', words)
        return time.perf_counter() - begin

    def _run(self, *more):
        program = ROOT / 'examples' / f'{self.name}.dvm'
        return run_dvmc(self.options, program, input_words(self.folder), *self.more, *more)

    def measure(self):
        return statistics.median(self._run('--repeat', str(RUNS))['run_seconds'])


class WithoutPasses(Dvmc):
    """Every graph pass that may be left out is."""
    more = ('--bisect', '0')


class NumPy(Side):
    """The oracle itself, in this process."""

    def __init__(self, name, size, folder, options):
        super().__init__(name, size, folder)
        self.oracle, self.given = load(name), inputs_of(folder)
        self.first = self._seconds()

    def _seconds(self):
        begin = time.perf_counter()
        self.oracle.expected(**self.given)
        return time.perf_counter() - begin

    def measure(self):
        """One run: the oracle is not what anybody would want to wait for three times."""
        return self._seconds()


class Server(Side):
    """A process that warms up, says {"first": s}, and answers each line N with {"seconds": [N numbers]}."""

    def start(self, command, environment=None):
        # What it writes to standard error goes to a file: nobody reads a pipe meanwhile.
        self.log = open(self.results / 'log', 'w+', encoding='utf-8')
        self.process = subprocess.Popen([*command, str(self.folder), str(self.results)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.log, text=True,
                                        env={**os.environ, **(environment or {})})
        try:
            self.facts = self._answer()
            if 'missing' in self.facts:
                raise Missing(self.facts['missing'])
            self.first = self.facts.pop('first')
            self.check()
        except BaseException:
            self.close()
            raise

    def _answer(self):
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        line = self.process.stdout.readline() if ready else ''
        if not line:
            self.log.seek(0)
            said = self.log.read().strip().splitlines()
            raise Failed('\n'.join(said[-8:]) if ready else f'no answer within {PATIENCE} s')
        return json.loads(line)

    def measure(self):
        try:
            self.process.stdin.write(f'{RUNS}\n')
            self.process.stdin.flush()
        except BrokenPipeError as problem:
            raise Failed('ended early') from problem
        return statistics.median(self._answer()['seconds'])

    def close(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.log):
            try:
                stream.close()
            except BrokenPipeError:
                pass
        super().close()


class Cpp(Server):
    def __init__(self, name, size, folder, options):
        super().__init__(name, size, folder)
        try:
            program = baselines.build(name)
        except baselines.NotThere as problem:
            raise Missing(str(problem)) from problem
        except baselines.BuildFailed as problem:
            raise Failed(str(problem)) from problem
        self.start([str(program)])


class PythonPeer(Server):
    peer = None

    def __init__(self, name, size, folder, options):
        super().__init__(name, size, folder)
        python = options.peers_folder / 'bin' / 'python'
        if not python.exists():
            raise Missing(f'{self.peer}: no {python}; bench/setup-peers makes it')
        self.start([str(python), '-B', str(ROOT / 'bench' / 'peers' / 'serve.py'), self.peer, name])


class Jax(PythonPeer):
    peer = 'jax'


class Numba(PythonPeer):
    peer = 'numba'


SIDES = {'dvmc': Dvmc, 'no-passes': WithoutPasses, 'numpy': NumPy, 'jax': Jax, 'numba': Numba, 'cpp': Cpp}
TITLES = {'dvmc': 'dvmc', 'no-passes': 'without passes', 'numpy': 'NumPy', 'jax': 'JAX', 'numba': 'numba', 'cpp': 'C++'}


def measure(name, size, folder, names, rounds, options):
    """{side: {'seconds': [a median a round], 'wrong': […], 'first': s, …} or {'missing' or 'failed': why}}."""
    found, alive = {}, {}
    try:
        for side in names:
            try:
                alive[side] = SIDES[side](name, size, folder, options)
                found[side] = {'seconds': [], 'wrong': alive[side].wrong, 'first': alive[side].first,
                               **alive[side].facts}
            except Missing as why:
                found[side] = {'missing': str(why)}
            except Failed as why:
                found[side] = {'failed': str(why)}
        for _ in range(rounds):
            for side in list(alive):
                try:
                    found[side]['seconds'].append(alive[side].measure())
                except Failed as why:
                    alive.pop(side).close()
                    found[side] = {'failed': str(why)}
    finally:
        for side in alive.values():
            side.close()
    return found
