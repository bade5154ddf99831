"""What the figures were measured on, and the same number of threads for everybody."""
import os
import platform
import re
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
