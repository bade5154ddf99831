"""Matrix products of many sizes in Float and Double, alone and with bias and relu, beside NumPy on OpenBLAS."""
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from .programs import ROOT
from .sides import RUNS, Failed, input_words, run_dvmc

TITLE = 'Matrix products n × k × m'
SIZES = '512,1024,2048,4096,513,777,1000x777x1301,2047,3000x200x3000'
# Largest difference in units of the largest result: sums of k terms in any order.
TOLERANCE = {'float': 1e-4, 'double': 1e-12}


def parse(size):
    parts = [int(p) for p in size.split('x')]
    return parts * 3 if len(parts) == 1 else parts


def product(a, b, bias, out):
    np.matmul(a, b, out=out)
    if bias is not None:
        out += bias
        np.maximum(out, 0, out=out)


def seconds_of(work, runs):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def measure(args, size, kind, layer, folder):
    n, k, m = parse(size)
    rng = np.random.default_rng(0)
    given = {'a': rng.normal(size=(n, k)), 'b': rng.normal(size=(k, m))}
    if layer:
        given['bias'] = rng.normal(size=m)
    given = {name: x.astype('f4' if kind == 'float' else 'f8') for name, x in given.items()}
    for name, x in given.items():
        np.save(folder / f'in_{name}.npy', x)
    entry, program = kind + ('Layer' if layer else ''), ROOT / 'bench' / 'kernels' / 'matmul.dvm'
    words, result = input_words(folder), folder / 'result.npy'
    out = np.empty((n, m), given['a'].dtype)
    runs = RUNS if n * k * m < 2**33 else 1
    run_dvmc(args, program, words, '--entry', entry, '-o', str(result))
    product(given['a'], given['b'], given.get('bias'), out)
    right = np.abs(np.load(result) - out).max() <= TOLERANCE[kind] * np.abs(out).max()
    ours, theirs = [], []
    for _ in range(args.rounds):
        ours.append(statistics.median(
            run_dvmc(args, program, words, '--entry', entry, '--repeat', str(runs + 1))['run_seconds'][1:]))
        theirs.append(seconds_of(lambda: product(given['a'], given['b'], given.get('bias'), out), runs))
    return {'size': [n, k, m], 'type': kind, 'layer': layer, 'dvmc': ours, 'openblas': theirs, 'right': bool(right)}


def row(found):
    ours, theirs = statistics.median(found['dvmc']), statistics.median(found['openblas'])
    flops = 2 * np.prod([float(x) for x in found['size']])
    what = found['type'].capitalize() + (', bias, relu' if found['layer'] else '')
    spreads = [max(found[side]) / min(found[side]) for side in ('dvmc', 'openblas')]
    return (f"| {' × '.join(map(str, found['size']))} | {what} | {1e3 * ours:.2f} ({spreads[0]:.2f}) "
            f"| {1e3 * theirs:.2f} ({spreads[1]:.2f}) | {flops / ours / 1e9:.0f} | {flops / theirs / 1e9:.0f} "
            f"| {theirs / ours:.2f} | {'yes' if found['right'] else 'NO'} |")


def run(args):
    measured = []
    said = ['| size | type | dvmc ms | OpenBLAS ms | dvmc GFLOP/s | OpenBLAS | OpenBLAS / dvmc | right |',
            '| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |']
    for size in (args.sizes or SIZES).split(','):
        for kind in 'float', 'double':
            for layer in False, True:
                with tempfile.TemporaryDirectory(prefix='dvm-bench-') as folder:
                    try:
                        found = measure(args, size, kind, layer, Path(folder))
                    except Failed as why:
                        print(f'{size} {kind}: {why}', file=sys.stderr)
                        said.append(f'| {size} | {kind} | failed | – | – | – | – | NO |')
                        args.failed = True
                        continue
                args.failed |= not found['right']
                measured.append(found)
                said.append(row(found))
                print(said[-1], file=sys.stderr, flush=True)
    return measured, said
