"""What the figures were measured on, and the same number of threads for everybody."""
import os
import platform
import re
import resource
import time
from pathlib import Path

import numpy as np


def limit_threads(threads):
    """This process and all it starts: the first `threads` processors, and as many threads in every library."""
    processors = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, processors[:threads])
    for variable in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS', 'NUMBA_NUM_THREADS'):
        os.environ[variable] = str(threads)
    # Settings that choose a slower kernel of OpenBLAS than it would choose itself.
    for variable in ('OPENBLAS_CORETYPE', 'OPENBLAS_L2_SIZE'):
        os.environ.pop(variable, None)


def blas_name():
    """What NumPy's matrix product runs on: the BLAS library that is mapped into this process."""
    np.ones((64, 64)) @ np.ones((64, 64))
    with open('/proc/self/maps', encoding='utf-8') as maps:
        files = sorted({line.split()[-1] for line in maps if re.search(r'blas|mkl|blis', line.split()[-1].lower())})
    files = [os.path.realpath(f) for f in files]
    names = sorted({Path(f).name for f in files})
    for known in 'openblas', 'mkl', 'blis', 'atlas':
        if any(known in f.lower() for f in files):
            return f'{known} ({", ".join(n for n in names if known in n.lower()) or names[0]})'
    return f'reference BLAS ({", ".join(names)})' if names else 'built into NumPy'


def processor():
    with open('/proc/cpuinfo', encoding='utf-8') as info:
        for line in info:
            if line.startswith('model name'):
                return line.split(':', 1)[1].strip()
    return platform.processor()


def _busy_seconds():
    """Of all processors since the machine started."""
    with open('/proc/stat', encoding='utf-8') as file:
        user, nice, system, _, _, irq, soft, *_ = map(int, file.readline().split()[1:])
    return (user + nice + system + irq + soft) / os.sysconf('SC_CLK_TCK')


def _own_seconds():
    """Of this process and those it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


class Others:
    """How much of the machine other processes use while this one measures."""

    def __init__(self):
        self.start = time.monotonic(), _busy_seconds(), _own_seconds()

    def share(self):
        """In processors, since the object was made."""
        begin, busy, own = self.start
        return max(0.0, (_busy_seconds() - busy) - (_own_seconds() - own)) / max(time.monotonic() - begin, 1e-9)
