"""The example programs in numba: loops as one would write them, on all threads (parallel=True), fastmath off.

Each program is a function that gets the inputs and gives a function to be timed, which writes into arrays made before,
and one for the results. Programs whose work is a library's (BLAS, LAPACK, FFT) are absent: numba would call the library
that NumPy calls.
"""
import numba
import numba_grids as grids
import numba_lists as lists

VERSION = numba.__version__
ABSENT = {name: why for names, why in (
    (('matmul', 'correlation', 'attention', 'cholesky'), 'its products would be calls of the BLAS that NumPy calls'),
    (('fft',), 'no transform of its own'),
    (('sort_rows',), 'its sort is not stable, and zeros of both signs are equal'),
    (('multigrid',), 'no parallel loops inside a recursion'),
) for name in names}
INEXACT = {}
PROGRAMS = {f.__name__: f for f in (
    grids.bicgstab, lists.black_scholes, grids.cavity_flow, grids.cg, grids.game_of_life, grids.heat_3d,
    lists.histogram, grids.jacobi_2d, lists.kmeans, lists.levenshtein, lists.logistic_regression, lists.mandelbrot,
    lists.monte_carlo_pi, lists.nbody, lists.pagerank, lists.prefix_sums, grids.shallow_water, lists.smith_waterman,
    lists.spmv)}


def prepare(name, given):
    """A function that runs the program (and compiles it when it runs first), and one that gives its results."""
    return *PROGRAMS[name](**given), None
