"""What each program has to do at least, for the bound that the tables compare with.

WORK[program](s, out) gives, for the sizes `s` of the oracle and a loader `out` of expected results,
  bytes   what must move between the cores and the cache or memory that holds the data: inputs once, results once, and
          what a step of an iteration hands to the next once per step (sweeping several steps in one walk can do better)
  data    how many bytes are alive together: decides which level's bandwidth counts
  ops     vector operations by kind, as bench/limits measures them: fma (a product and a sum that may be rounded
          together, sums of products only), flop (an addition or multiplication), div, sqrt, exp, …; what different
          units do (divisions and roots; integers; all else) counts as done at the same time
Operations on scalars, indices and addresses are not counted, so the bound can be lower than what is possible.
"""
import math

F64, F32, I64, I32 = 8, 4, 8, 4


def attention(s, out):
    h, t, keys, d, e = (s[k] for k in 'htsde')
    size = F32 * h * (t * d + keys * d + keys * e + t * e)
    return size, size, {'fma_f32': h * t * keys * (d + e), 'exp_f32': h * t * keys}


def bicgstab(s, out):
    """A step in three walks, as three scalars come from sums over everything: 15 arrays pass."""
    points = s['n'] * s['m']
    return (s['steps'] * 15 * F64 * points, 6 * F64 * points,
            {'flop_f64': s['steps'] * 30 * points, 'fma_f64': s['steps'] * 4 * points})


def black_scholes(s, out):
    n = s['n']
    return 5 * F64 * n, 5 * F64 * n, {'log_f64': n, 'exp_f64': n, 'erfc_f64': 4 * n, 'sqrt_f64': n, 'div_f64': 2 * n,
                                      'flop_f64': 22 * n}


def cavity_flow(s, out):
    points = s['n'] * s['m']
    return (s['steps'] * (3 * s['sweeps'] + 8) * F64 * points, 5 * F64 * points,
            {'flop_f64': s['steps'] * (6 * s['sweeps'] + 60) * points})


def cg(s, out):
    points = s['n'] * s['m']
    return (s['steps'] * 8 * F64 * points, 4 * F64 * points,
            {'flop_f64': s['steps'] * 11 * points, 'fma_f64': s['steps'] * 2 * points})


def cholesky(s, out):
    n = s['n']
    return 1.5 * F64 * n * n, 2 * F64 * n * n, {'fma_f64': n ** 3 / 6}


def correlation(s, out):
    """One half of the symmetric product."""
    n, d = s['n'], s['d']
    return 2 * F64 * n * d, F64 * n * d, {'fma_f64': n * d * (d + 1) / 2, 'flop_f64': 2 * n * d}


def fft(s, out):
    """Two walks, each with half of the stages on pieces that fit a cache."""
    n = s['n']
    return 4 * 2 * F64 * n, 6 * F64 * n, {'flop_f64': 4 * n * math.log2(n)}


def game_of_life(s, out):
    cells = s['n'] * s['m']
    return s['steps'] * 2 * cells, 2 * cells, {'int_8': s['steps'] * 8 * cells}


def heat_3d(s, out):
    points = s['n'] * s['m'] * s['p']
    return s['steps'] * 2 * F64 * points, 2 * F64 * points, {'flop_f64': s['steps'] * 8 * points}


def histogram(s, out):
    return (I32 + F64) * s['n'], (I32 + F64) * s['n'], {}


def jacobi_2d(s, out):
    points = s['n'] * s['m']
    return s['steps'] * 3 * F64 * points, 3 * F64 * points, {'flop_f64': s['steps'] * 6 * points}


def kmeans(s, out):
    n, d, k, walks = s['n'], s['d'], s['k'], s['steps'] + 1
    return walks * F64 * n * d, F64 * n * d, {'flop_f64': walks * n * k * d, 'fma_f64': walks * n * k * d}


def levenshtein(s, out):
    return 2 * I32 * (s['n'] + s['m']), 4 * I32 * s['n'], {'int_32': 5 * s['n'] * s['m']}


def logistic_regression(s, out):
    n, d, walks = s['n'], s['d'], s['steps'] + 1
    return (walks * F64 * n * (d + 1), F64 * n * (d + 1),
            {'fma_f64': 2 * walks * n * d, 'exp_f64': walks * n, 'div_f64': walks * n})


def mandelbrot(s, out):
    return I32 * s['m'] * s['n'], I32 * s['m'] * s['n'], {'flop_f64': 9 * int(out('counts').sum(dtype='int64'))}


def matmul(s, out):
    n, k, m = s['n'], s['k'], s['m']
    size = (F64 + F32) * (n * k + k * m + n * m)
    return size, size, {'fma_f64': n * k * m, 'fma_f32': n * k * m}


def monte_carlo_pi(s, out):
    n = s['samples']
    return 0, 0, {'mul_u32': 20 * n, 'int_64': 50 * n, 'flop_f64': 7 * n}


def multigrid(s, out):
    points = s['n'] ** 2 * 4 / 3
    return s['cycles'] * 6.5 * F64 * points, 3 * F64 * points, {'flop_f64': s['cycles'] * 45 * points}


def nbody(s, out):
    n, pairs = s['n'], (s['steps'] + 1.5) * s['n'] ** 2
    return 14 * F64 * n * s['steps'], 14 * F64 * n, {'sqrt_f64': pairs, 'div_f64': pairs, 'flop_f64': 11 * pairs,
                                                        'fma_f64': 3 * pairs}


def pagerank(s, out):
    n, e = s['n'], s['e']
    return (s['steps'] * (I32 * e + (I64 + 2 * F64 + I32) * n), I32 * e + (I64 + 3 * F64 + I32) * n,
            {'flop_f64': s['steps'] * e})


def prefix_sums(s, out):
    return 32 * s['n'], 32 * s['n'], {}


def shallow_water(s, out):
    points = s['n'] * s['m']
    return (s['steps'] * 6 * F64 * points, 6 * F64 * points,
            {'flop_f64': s['steps'] * 90 * points, 'div_f64': s['steps'] * 4 * points,
             'sqrt_f64': s['steps'] * points})


def smith_waterman(s, out):
    return I32 * (s['n'] + s['m']), 4 * I32 * s['n'], {'int_32': 7 * s['n'] * s['m']}


def sort_rows(s, out):
    return 2 * F64 * s['n'] * s['m'], 2 * F64 * s['n'] * s['m'], {}


def spmv(s, out):
    size = (I32 + F64) * s['e'] + (I64 + F64) * s['n'] + F64 * s['m']
    return size, size, {'flop_f64': 2 * s['e']}


WORK = {f.__name__: f for f in (
    attention, bicgstab, black_scholes, cavity_flow, cg, cholesky, correlation, fft, game_of_life, heat_3d, histogram,
    jacobi_2d, kmeans, levenshtein, logistic_regression, mandelbrot, matmul, monte_carlo_pi, multigrid, nbody, pagerank,
    prefix_sums, shallow_water, smith_waterman, sort_rows, spmv)}
# The groups of issue-sized bars: where the bound of bandwidth and operations should be reached.
NEAR_THE_BOUND = ('black_scholes', 'mandelbrot', 'monte_carlo_pi', 'game_of_life', 'heat_3d', 'jacobi_2d', 'shallow_water',
                  'cavity_flow', 'multigrid', 'cg', 'bicgstab', 'histogram', 'nbody', 'prefix_sums', 'spmv')
