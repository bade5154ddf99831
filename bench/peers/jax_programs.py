"""The example programs in JAX, for the processor: what stands in tests/reference, as one would write it for XLA.

Each is a function from the inputs to a dictionary of results, jitted as a whole. Loops over steps are lax loops,
library functions (sort, fft, cholesky, softmax) are JAX's own. Inputs that are sizes are static.
"""
import time
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.special import erfc

jax.config.update('jax_enable_x64', True)
VERSION = jax.__version__
ABSENT = {}
# XLA contracts products and sums, which the definition of these forbids; so many of their results may differ.
INEXACT = {'mandelbrot': 1e-3}
STATIC = {'histogram': ['bins'], 'monte_carlo_pi': ['samples']}


def attention(q, k, v):
    scores = jnp.einsum('htd,hsd->hts', q, k) / np.sqrt(q.shape[2]).astype(np.float32)
    return {'o': jnp.einsum('hts,hse->hte', jax.nn.softmax(scores, axis=-1), v)}


def bicgstab(b, px, py, decay, steps):
    def operator(x):
        e = jnp.pad(x, 1)
        return ((4 + decay) * x - (1 + py) * e[:-2, 1:-1] - (1 - py) * e[2:, 1:-1]
                - (1 + px) * e[1:-1, :-2] - (1 - px) * e[1:-1, 2:])

    def step(_, state):
        x, r, p, rho = state
        v = operator(p)
        alpha = rho / jnp.vdot(b, v)
        s = r - alpha * v
        t = operator(s)
        omega = jnp.vdot(t, s) / jnp.vdot(t, t)
        x = x + alpha * p + omega * s
        r = s - omega * t
        new = jnp.vdot(b, r)
        return x, r, r + (new / rho) * (alpha / omega) * (p - omega * v), new

    x = lax.fori_loop(0, steps, step, (jnp.zeros_like(b), b, b, jnp.vdot(b, b)))[0]
    residual = b - operator(x)
    return {'x': x, 'resnorm': jnp.sqrt(jnp.vdot(residual, residual))}


def black_scholes(rate, vol, spot, strike, years):
    def normal_cdf(z):
        return erfc(z * -np.sqrt(0.5)) / 2
    spread = vol * jnp.sqrt(years)
    d1 = (jnp.log(spot / strike) + (rate + vol * vol / 2) * years) / spread
    d2 = d1 - spread
    present = strike * jnp.exp(-rate * years)
    return {'call': spot * normal_cdf(d1) - present * normal_cdf(d2),
            'put': present * normal_cdf(-d2) - spot * normal_cdf(-d1)}


def cavity_flow(u0, v0, p0, nu, lid, h, dt, steps, sweeps):
    def five_point(c):
        return c[:-2, 1:-1] + c[2:, 1:-1] + c[1:-1, :-2] + c[1:-1, 2:] - 4 * c[1:-1, 1:-1]

    def step(_, state):
        u, v, p = state
        ug = jnp.vstack([-u[:1], u, 2 * lid - u[-1:]])
        vg = jnp.hstack([-v[:, :1], v, -v[:, -1:]])
        uc2 = ((u[:, :-1] + u[:, 1:]) / 2) ** 2
        vc2 = ((v[:-1] + v[1:]) / 2) ** 2
        uv = (ug[:-1] + ug[1:]) / 2 * ((vg[:, :-1] + vg[:, 1:]) / 2)
        du = nu * five_point(ug) / h**2 - jnp.diff(uc2, axis=1) / h - jnp.diff(uv[:, 1:-1], axis=0) / h
        dv = nu * five_point(vg) / h**2 - jnp.diff(uv[1:-1], axis=1) / h - jnp.diff(vc2, axis=0) / h
        u = u.at[:, 1:-1].add(dt * du)
        v = v.at[1:-1].add(dt * dv)
        source = h * h * ((jnp.diff(u, axis=1) + jnp.diff(v, axis=0)) / h / dt)

        def sweep(_, p):
            e = jnp.pad(p, 1, mode='edge')
            return (e[1:-1, :-2] + e[1:-1, 2:] + e[:-2, 1:-1] + e[2:, 1:-1] - source) / 4
        p = lax.fori_loop(0, sweeps, sweep, p)
        return (u.at[:, 1:-1].add(-dt * jnp.diff(p, axis=1) / h), v.at[1:-1].add(-dt * jnp.diff(p, axis=0) / h), p)

    return dict(zip('uvp', lax.fori_loop(0, steps, step, (u0, v0, p0))))


def cg(b, steps):
    def laplacian(x):
        e = jnp.pad(x, 1)
        return 4 * x - e[:-2, 1:-1] - e[2:, 1:-1] - e[1:-1, :-2] - e[1:-1, 2:]

    def step(_, state):
        x, r, p, rr = state
        ap = laplacian(p)
        alpha = rr / jnp.vdot(p, ap)
        x, r = x + alpha * p, r - alpha * ap
        new = jnp.vdot(r, r)
        return x, r, r + (new / rr) * p, new

    x = lax.fori_loop(0, steps, step, (jnp.zeros_like(b), b, b, jnp.vdot(b, b)))[0]
    residual = b - laplacian(x)
    return {'x': x, 'resnorm': jnp.sqrt(jnp.vdot(residual, residual))}


def cholesky(a):
    return {'l': lax.linalg.cholesky(a, symmetrize_input=False)}


def correlation(x):
    # XLA multiplies by 1/n, so the mean of a column that does not vary is right to rounding only, and so is its 0.
    mean = x.mean(axis=0)
    z = x - mean
    c = z.T @ z
    variance = jnp.diag(c)
    s = jnp.where(variance > len(x) * (4 * jnp.finfo(x.dtype).eps * mean) ** 2, jnp.sqrt(variance), jnp.inf)
    return {'r': c / jnp.outer(s, s)}


def fft(re, im):
    out = jnp.fft.fft(lax.complex(re, im))
    return {'outRe': out.real, 'outIm': out.imag}


def game_of_life(cells, steps):
    def step(_, cells):
        rows = jnp.roll(cells, 1, axis=0) + cells + jnp.roll(cells, -1, axis=0)
        around = jnp.roll(rows, 1, axis=1) + rows + jnp.roll(rows, -1, axis=1) - cells
        return ((around == 3) | ((around == 2) & (cells == 1))).astype(cells.dtype)
    return {'after': lax.fori_loop(0, steps, step, cells)}


def heat_3d(u0, r, steps):
    def step(_, u):
        e = jnp.pad(u, 1, mode='edge')
        around = (e[:-2, 1:-1, 1:-1] + e[2:, 1:-1, 1:-1] + e[1:-1, :-2, 1:-1] + e[1:-1, 2:, 1:-1]
                  + e[1:-1, 1:-1, :-2] + e[1:-1, 1:-1, 2:])
        return u + r * (around - 6 * u)
    return {'u': lax.fori_loop(0, steps, step, u0)}


def histogram(bins, key, weight):
    where = jnp.where(key >= 0, key, bins)       # a negative index would count from the end
    return {'counts': jnp.zeros(bins, jnp.int64).at[where].add(1, mode='drop'),
            'sums': jnp.zeros(bins).at[where].add(weight, mode='drop')}


def jacobi_2d(u0, f, h, steps):
    source = h * h * f[1:-1, 1:-1]

    def sweep(_, u):
        return u.at[1:-1, 1:-1].set((u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + source) / 4)
    return {'u': lax.fori_loop(0, steps, sweep, u0)}


def kmeans(points, start, steps):
    k = len(start)

    def assign(centres):
        distances = ((points[:, None, :] - centres[None]) ** 2).sum(axis=-1)
        return jnp.argmin(distances, axis=1), distances.min(axis=1)

    def move(_, centres):
        mine = jax.nn.one_hot(assign(centres)[0], k, dtype=points.dtype)
        size = mine.sum(axis=0)[:, None]
        return jnp.where(size == 0, centres, (mine.T @ points) / jnp.maximum(size, 1))

    centres = lax.fori_loop(0, steps, move, start)
    labels, least = assign(centres)
    return {'centres': centres, 'labels': labels.astype(jnp.int64), 'inertia': least.sum()}


def levenshtein(a, b):
    n, m = len(a), len(b)
    i = jnp.arange(n + 1)
    backwards = jnp.concatenate([jnp.full(n + 1, -1, b.dtype), b[::-1], jnp.full(n + 1, -1, b.dtype)])
    letters = jnp.concatenate([jnp.full(1, -2, a.dtype), a])

    def diagonal(s, state):
        before, last = state
        # b[s-i-1] for i = 0 … n
        facing = lax.dynamic_slice(backwards, (m - s + n + 1,), (n + 1,))
        step = jnp.roll(before, 1) + (letters != facing)
        inner = jnp.minimum(step, jnp.minimum(jnp.roll(last, 1), last) + 1)
        return last, jnp.where((i == 0) | (i == s), s, inner)

    start = jnp.zeros(n + 1, jnp.int64), jnp.ones(n + 1, jnp.int64)
    return {'distance': lax.fori_loop(2, n + m + 1, diagonal, start)[1][n]}


def logistic_regression(x, y, w0, b0, rate, reg, steps):
    def descend(_, state):
        w, b = state
        e = jax.nn.sigmoid(x @ w + b) - y
        return w - rate * (x.T @ e / len(y) + reg * w), b - rate * e.mean()
    w, b = lax.fori_loop(0, steps, descend, (w0, b0))
    z = x @ w + b
    return {'w': w, 'b': b, 'loss': (jnp.logaddexp(0, z) - y * z).mean() + reg / 2 * (w @ w)}


def mandelbrot(re, im, limit):
    def escape(cx, cy):
        def inside(state):
            x, y, count = state
            return (count < limit) & (x * x + y * y <= 4)

        def step(state):
            x, y, count = state
            return (x * x - y * y) + cx, 2 * x * y + cy, count + 1
        return lax.while_loop(inside, step, (0.0, 0.0, jnp.int32(0)))[2]
    return {'counts': jax.vmap(lambda cy: jax.vmap(lambda cx: escape(cx, cy))(re))(im)}


def matmul(a, b, af, bf):
    return {'c': a @ b, 'cf': af @ bf}


def monte_carlo_pi(key0, key1, samples):
    i = jnp.arange(samples, dtype=jnp.uint64)
    low = jnp.uint64(0xFFFFFFFF)
    c0, c1, c2, c3 = i & low, i >> 32, jnp.zeros_like(i), jnp.zeros_like(i)
    k0, k1 = key0.astype(jnp.uint64), key1.astype(jnp.uint64)
    for _ in range(10):
        p, q = c0 * jnp.uint64(0xD2511F53), c2 * jnp.uint64(0xCD9E8D57)
        c0, c1, c2, c3 = (q >> 32) ^ c1 ^ k0, q & low, (p >> 32) ^ c3 ^ k1, p & low
        k0, k1 = (k0 + 0x9E3779B9) & low, (k1 + 0xBB67AE85) & low

    def unit(high, low):
        return ((high << 32 | low) >> 11).astype(jnp.float64) / 2.0 ** 53
    x, y = unit(c0, c1), unit(c2, c3)
    hits = (x * x + y * y < 1).sum()
    return {'hits': hits, 'estimate': 4 * hits / samples}


def multigrid(f, cycles):
    def residual(u, f):
        e = jnp.pad(u, 1)
        au = 4 * u - e[:-2, 1:-1] - e[2:, 1:-1] - e[1:-1, :-2] - e[1:-1, 2:]
        return f - au * (len(u) + 1) ** 2

    def smooth(u, f):
        for _ in range(2):
            u = u + 0.8 / (4 * (len(u) + 1) ** 2) * residual(u, f)
        return u

    def halve(r):
        r = (r[:-1:2] + 2 * r[1::2] + r[2::2]) / 4
        return (r[:, :-1:2] + 2 * r[:, 1::2] + r[:, 2::2]) / 4

    def double_rows(e):
        half = jnp.pad(e, ((1, 1), (0, 0))) / 2
        even = half[:-1] + half[1:]
        odd = jnp.pad(e, ((0, 1), (0, 0)))
        return jnp.stack([even, odd], axis=1).reshape(2 * len(even), e.shape[1])[:-1]

    def vcycle(u, f):
        if len(u) == 1:
            return f / 16
        u = smooth(u, f)
        coarse = halve(residual(u, f))
        e = vcycle(jnp.zeros_like(coarse), coarse)
        return smooth(u + double_rows(double_rows(e).T).T, f)

    u = lax.fori_loop(0, cycles, lambda _, u: vcycle(u, f), jnp.zeros_like(f))
    r = residual(u, f)
    return {'u': u, 'resnorm': jnp.sqrt((r * r).sum())}


def nbody(pos, vel, mass, eps, dt, steps):
    def separations(pos):
        d = pos[None] - pos[:, None]
        return d, jnp.sqrt((d * d).sum(axis=-1) + eps * eps)

    def acceleration(pos):
        d, r = separations(pos)
        return ((mass / (r * r * r))[..., None] * d).sum(axis=1)

    def step(_, state):
        pos, vel, a = state
        half = vel + dt / 2 * a
        pos = pos + dt * half
        a = acceleration(pos)
        return pos, half + dt / 2 * a, a

    pos, vel, _ = lax.fori_loop(0, steps, step, (pos, vel, acceleration(pos)))
    _, r = separations(pos)
    pairs = jnp.triu(jnp.outer(mass, mass) / r, 1).sum()
    return {'posEnd': pos, 'velEnd': vel, 'energy': (mass * (vel * vel).sum(axis=1)).sum() / 2 - pairs}


def rows_of(start, elements):
    """The row of each element of compressed sparse rows."""
    return jnp.repeat(jnp.arange(len(start) - 1), jnp.diff(start), total_repeat_length=elements)


def pagerank(start, source, outdeg, damping, steps):
    n = len(outdeg)
    target = rows_of(start, len(source))

    def step(_, rank):
        share = rank / jnp.maximum(outdeg, 1)
        lost = jnp.where(outdeg == 0, rank, 0).sum()
        arriving = jax.ops.segment_sum(share[source], target, n, indices_are_sorted=True)
        return (1 - damping) / n + damping * (arriving + lost / n)
    return {'rank': lax.fori_loop(0, steps, step, jnp.full(n, 1 / n))}


def prefix_sums(ints, xs):
    return {'isums': jnp.cumsum(ints), 'xsums': jnp.cumsum(xs)}


def shallow_water(h0, hu0, hv0, g, dx, dt, steps):
    def hll(left, right):
        def physical(h, along, across):
            speed = along / h
            return speed, jnp.sqrt(g * h), (along, along * speed + g * h * h / 2, across * speed)
        ul, cl, fl = physical(*left)
        ur, cr, fr = physical(*right)
        sl, sr = jnp.minimum(ul - cl, ur - cr), jnp.maximum(ul + cl, ur + cr)
        return [jnp.where(sl >= 0, a, jnp.where(sr <= 0, b, (sr * a - sl * b + sl * sr * (y - x)) / (sr - sl)))
                for a, b, x, y in zip(fl, fr, left, right)]

    def step(_, q):
        h, hu, hv = q
        fx = hll(q, [jnp.roll(c, -1, axis=1) for c in q])
        gh, ghv, ghu = hll((h, hv, hu), [jnp.roll(c, -1, axis=0) for c in (h, hv, hu)])
        fy = gh, ghu, ghv
        return tuple(c - dt / dx * (a - jnp.roll(a, 1, axis=1)) - dt / dx * (b - jnp.roll(b, 1, axis=0))
                     for c, a, b in zip(q, fx, fy))

    return dict(zip(('h', 'hu', 'hv'), lax.fori_loop(0, steps, step, (h0, hu0, hv0))))


def smith_waterman(a, b, match, mismatch, gap):
    n, m = len(a), len(b)
    i = jnp.arange(n + 1)
    backwards = jnp.concatenate([jnp.full(n + 1, -1, b.dtype), b[::-1], jnp.full(n + 1, -1, b.dtype)])
    letters = jnp.concatenate([jnp.full(1, -2, a.dtype), a])

    def diagonal(s, state):
        before, last, best = state
        facing = lax.dynamic_slice(backwards, (m - s + n + 1,), (n + 1,))
        step = jnp.roll(before, 1) + jnp.where(letters == facing, match, mismatch)
        skip = jnp.maximum(jnp.roll(last, 1), last) - gap
        inner = jnp.maximum(0, jnp.maximum(step, skip))
        here = jnp.where((i == 0) | (i >= s) | (i < s - m), 0, inner)
        return last, here, jnp.maximum(best, here.max())

    zeros = jnp.zeros(n + 1, jnp.int32)
    return {'best': lax.fori_loop(2, n + m + 1, diagonal, (zeros, zeros, jnp.int32(0)))[2]}


def sort_rows(a):
    return {'sorted': jnp.sort(a, axis=1, stable=True)}


def spmv(start, col, val, x):
    products = val * x[col]
    return {'y': jax.ops.segment_sum(products, rows_of(start, len(col)), len(start) - 1, indices_are_sorted=True)}


PROGRAMS = {f.__name__: f for f in (
    attention, bicgstab, black_scholes, cavity_flow, cg, cholesky, correlation, fft, game_of_life, heat_3d, histogram,
    jacobi_2d, kmeans, levenshtein, logistic_regression, mandelbrot, matmul, monte_carlo_pi, multigrid, nbody, pagerank,
    prefix_sums, shallow_water, smith_waterman, sort_rows, spmv)}


def prepare(name, given):
    """A function that runs the program until its results are there, one that fetches them, and the seconds of compiling
    (tracing, lowering and XLA)."""
    fixed = {k: given[k].item() for k in STATIC.get(name, [])}
    moving = {k: jnp.asarray(v) for k, v in given.items() if k not in fixed}
    begin = time.perf_counter()
    compiled = jax.jit(partial(PROGRAMS[name], **fixed)).lower(**moving).compile()
    compile_seconds = time.perf_counter() - begin
    last = {}

    def run():
        last.update(jax.block_until_ready(compiled(**moving)))

    return run, lambda: {k: np.asarray(v) for k, v in last.items()}, compile_seconds
