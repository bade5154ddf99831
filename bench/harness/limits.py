"""The machine's limits, measured by bench/limits in the same run, and the bound they give a program."""
import json
import os
import subprocess

import numpy as np

from . import baselines
from .programs import load
from .work import WORK


def measure():
    """Rates by name, or None where no compiler is there."""
    try:
        program = baselines.build('limits', 'limits')
    except baselines.NotThere:
        return None
    return json.loads(subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout)


def better(first, second):
    """The higher rates of two measurements, of before and after a run: others may have used the machine."""
    return first and second and {kind: max(first[kind], second[kind]) for kind in first}


def cache_bytes(level):
    """What all cores in use have of a cache level together (one of the third level)."""
    folder = f'/sys/devices/system/cpu/cpu0/cache/index{level}/size'
    try:
        with open(folder, encoding='utf-8') as file:
            size = int(file.read().strip().rstrip('K')) << 10
    except OSError:
        size = {0: 32 << 10, 2: 1 << 20, 3: 32 << 20}[level]
    return size if level == 3 else size * len(os.sched_getaffinity(0))


def place_of(data):
    """The nearest level that holds so many bytes, with a fifth left for everything else."""
    for name, level in ('l1', 0), ('l2', 2), ('l3', 3):
        if data <= 0.8 * cache_bytes(level):
            return name
    return 'memory'


def bound(name, size, folder, rates):
    """{'seconds', 'by', 'place', 'bytes', 'ops'}: the least time for program `name`, and what sets it."""
    moved, data, ops = WORK[name](load(name).SIZES[size], lambda output: np.load(folder / f'out_{output}.npy'))
    place = place_of(data)
    transport = moved / rates[f'bytes_{place}']
    # Units that can work at the same time: divisions and roots, integers, and all else, functions included.
    units = {}
    for kind, count in ops.items():
        unit = kind.split('_')[0]
        unit = {'sqrt': 'div', 'mul': 'int'}.get(unit, unit) if unit in ('div', 'sqrt', 'int', 'mul') else 'float'
        units[unit] = units.get(unit, 0) + count / rates[kind]
    arithmetic = max(units.values(), default=0)
    by = f'bandwidth ({place})' if transport >= arithmetic else 'operations'
    return {'seconds': max(transport, arithmetic), 'by': by, 'place': place, 'bytes': moved, 'ops': ops}


def lines(rates):
    """The limits as Markdown."""
    places = [('first-level caches', 'l1'), ('second-level caches', 'l2'), ('third-level cache', 'l3'),
              ('memory', 'memory')]
    said = ['| limit | measured |', '| --- | ---: |']
    said += [f'| triad, {title} | {rates[f"bytes_{key}"] / 1e9:.0f} GB/s |' for title, key in places]
    said += [f'| {kind.replace("_", " ")} | {rate / 1e9:.2f} G/s |' for kind, rate in rates.items()
             if not kind.startswith('bytes')]
    return said
