"""sort, filter, prefix sums and histogram on random, sorted, constant and NaN-laden data, beside NumPy and C++."""
import statistics
import sys
import time

import numpy as np

from . import baselines
from .programs import ROOT
from .sides import Failed, Missing, Server, Side, input_words, run_dvmc, RUNS

TITLE = 'Data operations'
SIZES = '1000000,10000000'
BINS = 1000


def reals(kind, n, rng):
    xs = rng.normal(size=n)
    if kind == 'sorted':
        xs.sort()
    elif kind == 'reversed':
        xs = np.sort(xs)[::-1].copy()
    elif kind == 'constant':
        xs[:] = 1.5
    elif kind == 'NaN-laden':
        xs[rng.random(n) < 0.3] = np.nan
    return xs


def keys(kind, n, rng):
    key = rng.integers(-20, BINS + 20, n, np.int32)
    if kind == 'sorted':
        key.sort()
    elif kind == 'constant':
        key[:] = BINS // 2
    return key


def bins_of(keys, k):
    inside = keys[(keys >= 0) & (keys < k)]
    return np.bincount(inside, minlength=k)


# Entry of bench/kernels/data_ops.dvm: what it is called, its data, NumPy's way, relative tolerance (None: the same).
OPERATIONS = {
    'sorted': ('sort', ('random', 'sorted', 'reversed', 'constant', 'NaN-laden'), lambda xs: np.sort(xs), None),
    'positive': ('filter', ('random', 'sorted', 'constant', 'NaN-laden'), lambda xs: xs[xs > 0], None),
    'sums': ('prefix sums', ('random', 'sorted', 'constant', 'NaN-laden'), lambda xs: np.cumsum(xs), 1e-10),
    'bins': ('histogram', ('random', 'sorted', 'constant'), bins_of, None),
}


def data_folder(entry, kind, n):
    folder = ROOT / 'build' / 'data' / f'data-ops-{entry}-{kind}-{n}'
    if not (folder / 'complete').exists():
        folder.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(0)
        if entry == 'bins':
            np.save(folder / 'in_k.npy', np.int64(BINS))
            np.save(folder / 'in_keys.npy', keys(kind, n, rng))
        else:
            np.save(folder / 'in_xs.npy', reals(kind, n, rng))
        (folder / 'complete').touch()
    return folder


class Operation(Side):
    """A side of one operation; results are compared with NumPy's."""

    def __init__(self, entry, folder, options):
        super().__init__(entry, None, folder)
        self.options = options
        self.given = {f.stem[3:]: np.load(f)[()] for f in sorted(folder.glob('in_*.npy'))}
        self.begin()

    def check(self):
        want, tolerance = OPERATIONS[self.name][2](**self.given), OPERATIONS[self.name][3]
        got = np.load(self.results / 'result.npy')
        if got.shape != want.shape or got.dtype != want.dtype:
            same = False
        elif tolerance is None:
            same = np.array_equal(got, want, equal_nan=want.dtype.kind == 'f')
        else:
            special = ~np.isfinite(want)
            size = np.abs(want[~special]).max(initial=0)
            same = (np.array_equal(got[special], want[special], equal_nan=True)
                    and bool((np.abs(got - want)[~special] <= tolerance * size).all()))
        self.wrong = [] if same else ['result']


class Dvmc(Operation):
    def begin(self):
        self._run('-o', str(self.results / 'result.npy'))
        self.check()

    def _run(self, *more):
        program = ROOT / 'bench' / 'kernels' / 'data_ops.dvm'
        return run_dvmc(self.options, program, input_words(self.folder), '--entry', self.name, *more)

    def measure(self):
        return statistics.median(self._run('--repeat', str(RUNS))['run_seconds'])


class NumPy(Operation):
    def begin(self):
        self.measure()

    def measure(self):
        times = []
        for _ in range(RUNS):
            begin = time.perf_counter()
            OPERATIONS[self.name][2](**self.given)
            times.append(time.perf_counter() - begin)
        return statistics.median(times)


class Cpp(Operation, Server):
    def begin(self):
        try:
            program = baselines.build('data_ops', 'data_ops')
        except baselines.NotThere as why:
            raise Missing(str(why)) from why
        self.start([str(program), self.name])


def measure(args, entry, kind, n):
    folder, found, alive = data_folder(entry, kind, n), {'entry': entry, 'kind': kind, 'n': n}, {}
    for name, side in ('dvmc', Dvmc), ('numpy', NumPy), ('cpp', Cpp):
        try:
            alive[name] = side(entry, folder, args)
            found[name] = {'seconds': [], 'wrong': alive[name].wrong}
        except (Missing, Failed) as why:
            found[name] = {'failed': str(why)}
            print(f'{entry} {kind} {n}: {name}: {why}', file=sys.stderr)
    for _ in range(args.rounds):
        for name, side in alive.items():
            found[name]['seconds'].append(side.measure())
    for side in alive.values():
        side.close()
    return found


def row(found):
    times = {s: statistics.median(found[s]['seconds']) if found[s].get('seconds') else None
             for s in ('dvmc', 'numpy', 'cpp')}

    def time_of(side):
        return (f"{1e3 * times[side]:.2f} ({max(found[side]['seconds']) / min(found[side]['seconds']):.2f})"
                if times[side] else 'failed')

    def ratio(side):
        return f"{times[side] / times['dvmc']:.2f}" if times[side] and times['dvmc'] else '–'
    wrong = [s for s in times if found[s].get('wrong')]
    title, n = OPERATIONS[found['entry']][0], round(np.log10(found['n']))
    return (f"| {title} | {found['kind']} | 10^{n} | {time_of('dvmc')} | {time_of('numpy')} | {time_of('cpp')} "
            f"| {ratio('numpy')} | {ratio('cpp')} | {'NO: ' + ', '.join(wrong) if wrong else 'yes'} |")


def run(args):
    measured = []
    said = ['| operation | data | n | dvmc ms | NumPy ms | C++ ms | NumPy / dvmc | C++ / dvmc | right |',
            '| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |']
    for entry, (_, kinds, _, _) in OPERATIONS.items():
        for kind in kinds:
            for n in map(int, (args.sizes or SIZES).split(',')):
                measured.append(measure(args, entry, kind, n))
                said.append(row(measured[-1]))
                args.failed |= '| NO' in said[-1] or 'failed' in measured[-1]['dvmc']
                print(said[-1], file=sys.stderr, flush=True)
    return measured, said
