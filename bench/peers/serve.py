"""One program of a Python peer, served to bench/run: serve.py PEER NAME INPUT_FOLDER RESULT_FOLDER.

Loads the inputs, compiles, runs once, writes NAME.npy for every result, prints {"first": seconds,
"compile_seconds": …}; then for each number N on standard input runs N times and prints {"seconds": […]}. A program that the peer does not
have is said as {"missing": why}.
"""
import importlib
import json
import os
import sys
import time
from pathlib import Path

import numpy as np


def main():
    peer, name, inputs, results = sys.argv[1:]
    answers = os.fdopen(os.dup(1), 'w')     # the peer itself may print
    os.dup2(2, 1)

    def say(**answer):
        print(json.dumps(answer), file=answers, flush=True)

    try:
        module = importlib.import_module(f'{peer}_programs')
    except ImportError as problem:
        return say(missing=f'{peer}: {problem}')
    if name not in module.PROGRAMS:
        return say(missing=f'{peer}: {module.ABSENT.get(name, "no version of this program")}')
    given = {f.stem[3:]: np.load(f)[()] for f in sorted(Path(inputs).glob('in_*.npy'))}
    run, fetch, compile_seconds = module.prepare(name, given)

    def seconds():
        begin = time.perf_counter()
        run()
        return time.perf_counter() - begin

    first = seconds()
    for output, value in fetch().items():
        np.save(Path(results) / f'{output}.npy', value)
    say(first=first, compile_seconds=compile_seconds, version=module.VERSION, inexact=module.INEXACT.get(name, 0))
    for line in sys.stdin:
        say(seconds=[seconds() for _ in range(int(line))])


if __name__ == '__main__':
    main()
