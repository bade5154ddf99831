"""The example programs: their inputs on disk, and whether a side's results are those of the oracle."""
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'reference'))
from check import compare, result_file  # noqa: E402  (tests/reference is on the path only now)
from make import load, programs  # noqa: E402,F401


def data_folder(name, size):
    """Inputs and expected results on disk, made once."""
    folder = ROOT / 'build' / 'data' / f'{name}-{size}'
    if not (folder / 'complete').exists():
        subprocess.run([sys.executable, '-B', str(ROOT / 'tests/reference/make.py'), name, size, str(folder)],
                       check=True, stdout=subprocess.DEVNULL)
        (folder / 'complete').touch()
    return folder


def inputs_of(folder):
    return {f.stem[3:]: np.load(f)[()] for f in sorted(folder.glob('in_*.npy'))}


def wrong_results(name, folder, results, inexact=0):
    """The outputs of program `name` in `results` that are not within the oracle's tolerance; a share `inexact` of the
    elements of an exact output may differ."""
    wrong = []
    tolerances = load(name).TOL
    for index, (output, tolerance) in enumerate(tolerances.items()):
        want = np.load(folder / f'out_{output}.npy')
        try:
            got = np.load(result_file(results, output, index, len(tolerances)))
        except (OSError, ValueError, EOFError):
            wrong.append(output)
            continue
        same_form = got.dtype == want.dtype and got.shape == want.shape
        if same_form and inexact and tolerance is None and np.mean(got != want) <= inexact:
            continue
        if not same_form or not compare(got, want, tolerance)[0]:
            wrong.append(output)
    return wrong
