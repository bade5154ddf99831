"""Store the small inputs and expected results that the tests read without Python.

/usr/bin/python3 store.py        for every oracle in tests/reference, at size S: data/<name>/in_*.npy, out_*.npy,
                                 and tolerances.txt: one line an output, in the oracle's order.
"""
import sys
sys.dont_write_bytecode = True
from pathlib import Path
import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'reference'))
from make import load, programs

HEADER = """\
# program output relative norm: |got - want| <= relative |want| + norm max|want|; `exact`: same values, NaN and zero signs.
# Written by store.py from the TOL tables of tests/reference.
"""


def main():
    lines = []
    for name in programs():
        program = load(name)
        given = program.inputs('S', 0)
        results = program.expected(**given)
        folder = HERE / 'data' / name
        folder.mkdir(parents=True, exist_ok=True)
        for prefix, values in ('in', given), ('out', results):
            for key, value in values.items():
                np.save(folder / f'{prefix}_{key}.npy', np.asarray(value, order='C'))
        for output, tol in program.TOL.items():
            lines.append(f'{name} {output} ' + ('exact' if tol is None else f'{tol[0]:g} {tol[1]:g}') + '\n')
    (HERE / 'tolerances.txt').write_text(HEADER + ''.join(lines))


if __name__ == '__main__':
    main()
