"""The example programs in numba: loops as one would write them, on all threads (parallel=True), fastmath off.

Each program is a function that gets the inputs and gives a function to be timed, which writes into arrays made before,
and the results. Programs whose work is a library's (BLAS, LAPACK, FFT) are absent: numba would call the same library as NumPy.
"""
import math

import numba
import numpy as np
from numba import get_num_threads, njit, prange

VERSION = numba.__version__
ABSENT = {name: why for names, why in (
    (('matmul', 'correlation', 'attention', 'cholesky'), 'its products would be calls of the BLAS that NumPy calls'),
    (('fft',), 'no transform of its own'),
    (('sort_rows',), 'its sort is not stable, and zeros of both signs are equal'),
    (('multigrid',), 'no parallel loops inside a recursion'),
) for name in names}
loops = njit(parallel=True)


@loops
def apply_operator(x, out, centre, north, south, west, east):
    """out = centre x - north x[i-1] - south x[i+1] - west x[j-1] - east x[j+1], zeros outside."""
    n, m = x.shape
    for i in prange(n):
        for j in range(m):
            value = centre * x[i, j]
            if i > 0:
                value -= north * x[i - 1, j]
            if i < n - 1:
                value -= south * x[i + 1, j]
            if j > 0:
                value -= west * x[i, j - 1]
            if j < m - 1:
                value -= east * x[i, j + 1]
            out[i, j] = value


@loops
def inner(a, b):
    total = 0.0
    for i in prange(a.shape[0]):
        part = 0.0
        for j in range(a.shape[1]):
            part += a[i, j] * b[i, j]
        total += part
    return total


@loops
def axpy(s, a, b, out):
    """out = s a + b"""
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = s * a[i, j] + b[i, j]


@loops
def fill(to, value):
    for i in prange(to.shape[0]):
        to[i] = value


@njit
def bicgstab_steps(b, px, py, decay, steps, x, r, p, v, s, t):
    fill(x, 0.0)
    axpy(0.0, b, b, r)
    axpy(0.0, b, b, p)
    rho = inner(b, b)
    for _ in range(steps):
        apply_operator(p, v, 4 + decay, 1 + py, 1 - py, 1 + px, 1 - px)
        alpha = rho / inner(b, v)
        axpy(-alpha, v, r, s)
        apply_operator(s, t, 4 + decay, 1 + py, 1 - py, 1 + px, 1 - px)
        omega = inner(t, s) / inner(t, t)
        axpy(alpha, p, x, x)
        axpy(omega, s, x, x)
        axpy(-omega, t, s, r)
        new = inner(b, r)
        axpy(-omega, v, p, p)
        axpy(new / rho * (alpha / omega), p, r, p)
        rho = new
    apply_operator(x, v, 4 + decay, 1 + py, 1 - py, 1 + px, 1 - px)
    axpy(-1.0, v, b, r)
    return math.sqrt(inner(r, r))


def bicgstab(b, px, py, decay, steps):
    x, work, found = np.empty_like(b), [np.empty_like(b) for _ in range(5)], {}
    def run():
        found['resnorm'] = np.float64(bicgstab_steps(b, px, py, decay, steps, x, *work))
    return run, lambda: {'x': x, **found}


@njit
def cg_steps(b, steps, x, r, p, ap):
    fill(x, 0.0)
    axpy(0.0, b, b, r)
    axpy(0.0, b, b, p)
    rr = inner(r, r)
    for _ in range(steps):
        apply_operator(p, ap, 4.0, 1.0, 1.0, 1.0, 1.0)
        alpha = rr / inner(p, ap)
        axpy(alpha, p, x, x)
        axpy(-alpha, ap, r, r)
        new = inner(r, r)
        axpy(new / rr, p, r, p)
        rr = new
    apply_operator(x, ap, 4.0, 1.0, 1.0, 1.0, 1.0)
    axpy(-1.0, ap, b, r)
    return math.sqrt(inner(r, r))


def cg(b, steps):
    x, work, found = np.empty_like(b), [np.empty_like(b) for _ in range(3)], {}
    def run():
        found['resnorm'] = np.float64(cg_steps(b, steps, x, *work))
    return run, lambda: {'x': x, **found}


@njit
def normal_cdf(z):
    return math.erfc(z * -math.sqrt(0.5)) / 2


@loops
def prices(rate, vol, spot, strike, years, call, put):
    for i in prange(spot.size):
        spread = vol * math.sqrt(years[i])
        d1 = (math.log(spot[i] / strike[i]) + (rate + vol * vol / 2) * years[i]) / spread
        d2 = d1 - spread
        present = strike[i] * math.exp(-rate * years[i])
        call[i] = spot[i] * normal_cdf(d1) - present * normal_cdf(d2)
        put[i] = present * normal_cdf(-d2) - spot[i] * normal_cdf(-d1)


def black_scholes(rate, vol, spot, strike, years):
    call, put = np.empty_like(spot), np.empty_like(spot)
    return lambda: prices(rate, vol, spot, strike, years, call, put), lambda: {'call': call, 'put': put}


@loops
def cavity_stars(u, v, us, vs, nu, lid, h, dt):
    n, m = v.shape[0] - 1, v.shape[1]
    for i in prange(n):
        for j in range(1, m):
            below = u[i - 1, j] if i > 0 else -u[0, j]
            above = u[i + 1, j] if i < n - 1 else 2 * lid - u[n - 1, j]
            friction = nu * (below + above + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j]) / h**2
            squares = ((u[i, j] + u[i, j + 1]) / 2) ** 2 - ((u[i, j - 1] + u[i, j]) / 2) ** 2
            upper = (u[i, j] + above) / 2 * ((v[i + 1, j - 1] + v[i + 1, j]) / 2)
            lower = (below + u[i, j]) / 2 * ((v[i, j - 1] + v[i, j]) / 2)
            us[i, j] = u[i, j] + dt * (friction - squares / h - (upper - lower) / h)
        us[i, 0], us[i, m] = u[i, 0], u[i, m]
    for i in prange(1, n):
        for j in range(m):
            left = v[i, j - 1] if j > 0 else -v[i, 0]
            right = v[i, j + 1] if j < m - 1 else -v[i, m - 1]
            friction = nu * (v[i - 1, j] + v[i + 1, j] + left + right - 4 * v[i, j]) / h**2
            squares = ((v[i, j] + v[i + 1, j]) / 2) ** 2 - ((v[i - 1, j] + v[i, j]) / 2) ** 2
            east = (u[i - 1, j + 1] + u[i, j + 1]) / 2 * ((v[i, j] + right) / 2)
            west = (u[i - 1, j] + u[i, j]) / 2 * ((left + v[i, j]) / 2)
            vs[i, j] = v[i, j] + dt * (friction - (east - west) / h - squares / h)
    for j in prange(m):
        vs[0, j], vs[n, j] = v[0, j], v[n, j]


@loops
def cavity_source(us, vs, h, dt, d):
    for i in prange(d.shape[0]):
        for j in range(d.shape[1]):
            d[i, j] = h * h * ((us[i, j + 1] - us[i, j] + vs[i + 1, j] - vs[i, j]) / h / dt)


@loops
def cavity_sweep(p, d, out):
    n, m = p.shape
    for i in prange(n):
        up, down = max(i - 1, 0), min(i + 1, n - 1)
        for j in range(1, m - 1):
            out[i, j] = (p[i, j - 1] + p[i, j + 1] + p[up, j] + p[down, j] - d[i, j]) / 4
        out[i, 0] = (p[i, 0] + p[i, min(1, m - 1)] + p[up, 0] + p[down, 0] - d[i, 0]) / 4
        out[i, m - 1] = (p[i, max(m - 2, 0)] + p[i, m - 1] + p[up, m - 1] + p[down, m - 1] - d[i, m - 1]) / 4


@loops
def cavity_project(us, vs, p, h, dt, u, v):
    n, m = p.shape
    for i in prange(n):
        for j in range(1, m):
            u[i, j] = us[i, j] - dt * (p[i, j] - p[i, j - 1]) / h
        if i > 0:
            for j in range(m):
                v[i, j] = vs[i, j] - dt * (p[i, j] - p[i - 1, j]) / h


@njit
def cavity_steps(u, v, p, q, us, vs, d, nu, lid, h, dt, steps, sweeps):
    for _ in range(steps):
        cavity_stars(u, v, us, vs, nu, lid, h, dt)
        cavity_source(us, vs, h, dt, d)
        for _ in range(sweeps):
            cavity_sweep(p, d, q)
            p, q = q, p
        cavity_project(us, vs, p, h, dt, u, v)
    return p


def cavity_flow(u0, v0, p0, nu, lid, h, dt, steps, sweeps):
    u, v, p, q, d = (np.empty_like(a) for a in (u0, v0, p0, p0, p0))
    us, vs, last = np.empty_like(u0), np.empty_like(v0), {}
    def run():
        u[:], v[:], p[:] = u0, v0, p0
        last['p'] = cavity_steps(u, v, p, q, us, vs, d, nu, lid, h, dt, steps, sweeps)
    return run, lambda: {'u': u, 'v': v, **last}


@loops
def life_step(cells, out):
    n, m = cells.shape
    for i in prange(n):
        up, down = cells[i - 1], cells[(i + 1) % n]
        here = cells[i]
        for j in range(1, m - 1):
            around = (up[j - 1] + up[j] + up[j + 1] + here[j - 1] + here[j + 1]
                      + down[j - 1] + down[j] + down[j + 1])
            out[i, j] = np.uint8((around == 3) | ((around == 2) & (here[j] == 1)))
        for j in (0, m - 1):
            k = (j + 1) % m
            around = up[j - 1] + up[j] + up[k] + here[j - 1] + here[k] + down[j - 1] + down[j] + down[k]
            out[i, j] = np.uint8((around == 3) | ((around == 2) & (here[j] == 1)))


@njit
def life_steps(cells, a, b, steps):
    a[:] = cells
    for _ in range(steps):
        life_step(a, b)
        a, b = b, a
    return a


def game_of_life(cells, steps):
    a, b, last = np.empty_like(cells), np.empty_like(cells), {}
    def run():
        last['after'] = life_steps(cells, a, b, steps)
    return run, lambda: last


@loops
def heat_step(u, r, out):
    n, m, p = u.shape
    for i in prange(n):
        for j in range(m):
            up, down, here = u[max(i - 1, 0), j], u[min(i + 1, n - 1), j], u[i, j]
            north, south, to = u[i, max(j - 1, 0)], u[i, min(j + 1, m - 1)], out[i, j]
            for k in range(1, p - 1):
                around = up[k] + down[k] + north[k] + south[k] + here[k - 1] + here[k + 1]
                to[k] = here[k] + r * (around - 6 * here[k])
            for k in (0, p - 1):
                around = up[k] + down[k] + north[k] + south[k] + here[max(k - 1, 0)] + here[min(k + 1, p - 1)]
                to[k] = here[k] + r * (around - 6 * here[k])


@njit
def heat_steps(u0, r, steps, a, b):
    a[:] = u0
    for _ in range(steps):
        heat_step(a, r, b)
        a, b = b, a
    return a


def heat_3d(u0, r, steps):
    a, b, last = np.empty_like(u0), np.empty_like(u0), {}
    def run():
        last['u'] = heat_steps(u0, r, steps, a, b)
    return run, lambda: last


@loops
def bin_all(bins, key, weight, counts, sums):
    parts = counts.shape[0]
    for part in prange(parts):
        counts[part] = 0
        sums[part] = 0
        for i in range(key.size * part // parts, key.size * (part + 1) // parts):
            k = key[i]
            if 0 <= k < bins:
                counts[part, k] += 1
                sums[part, k] += weight[i]
    for b in prange(bins):
        for part in range(1, parts):
            counts[0, b] += counts[part, b]
            sums[0, b] += sums[part, b]


def histogram(bins, key, weight):
    counts = np.empty((get_num_threads(), bins), np.int64)
    sums = np.empty((get_num_threads(), bins))
    return lambda: bin_all(bins, key, weight, counts, sums), lambda: {'counts': counts[0], 'sums': sums[0]}


@loops
def jacobi_sweep(u, f, h, out):
    n, m = u.shape
    for i in prange(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] + h * h * f[i, j]) / 4


@njit
def jacobi_sweeps(u0, f, h, steps, a, b):
    a[:] = u0
    b[:] = u0
    for _ in range(steps):
        jacobi_sweep(a, f, h, b)
        a, b = b, a
    return a


def jacobi_2d(u0, f, h, steps):
    a, b, last = np.empty_like(u0), np.empty_like(u0), {}
    def run():
        last['u'] = jacobi_sweeps(u0, f, h, steps, a, b)
    return run, lambda: last


@njit
def nearest(point, centres):
    best, label = np.inf, 0
    for c in range(centres.shape[0]):
        distance = 0.0
        for q in range(point.size):
            distance += (point[q] - centres[c, q]) ** 2
        if distance < best:
            best, label = distance, c
    return label, best


@loops
def kmeans_move(points, centres, sums, sizes):
    n, parts = len(points), len(sums)
    for part in prange(parts):
        sums[part] = 0
        sizes[part] = 0
        for i in range(n * part // parts, n * (part + 1) // parts):
            label, _ = nearest(points[i], centres)
            sizes[part, label] += 1
            for q in range(points.shape[1]):
                sums[part, label, q] += points[i, q]
    for c in range(len(centres)):
        size = sizes[:, c].sum()
        if size > 0:
            for q in range(points.shape[1]):
                centres[c, q] = sums[:, c, q].sum() / size


@loops
def kmeans_assign(points, centres, labels):
    inertia = 0.0
    for i in prange(len(points)):
        labels[i], least = nearest(points[i], centres)
        inertia += least
    return inertia


def kmeans(points, start, steps):
    centres, labels, found = np.empty_like(start), np.empty(len(points), np.int64), {}
    sums = np.empty((get_num_threads(), *start.shape))
    sizes = np.empty((get_num_threads(), len(start)), np.int64)
    def run():
        centres[:] = start
        for _ in range(steps):
            kmeans_move(points, centres, sums, sizes)
        found['inertia'] = np.float64(kmeans_assign(points, centres, labels))
    return run, lambda: {'centres': centres, 'labels': labels, **found}


@njit
def edit_distance(a, b, row):
    """Row by row, on one thread: a parallel loop for each diagonal would take longer."""
    for j in range(b.size + 1):
        row[j] = j
    for i in range(a.size):
        diagonal, row[0] = row[0], i + 1
        for j in range(b.size):
            here = min(diagonal + (a[i] != b[j]), min(row[j], row[j + 1]) + 1)
            diagonal, row[j + 1] = row[j + 1], here
    return row[b.size]


def levenshtein(a, b):
    row, found = np.empty(b.size + 1, np.int64), {}
    def run():
        found['distance'] = np.int64(edit_distance(a, b, row))
    return run, lambda: found


@njit
def local_alignment(a, b, match, mismatch, gap, row):
    best = np.int32(0)
    row[:] = 0
    for i in range(a.size):
        diagonal = np.int32(0)
        for j in range(b.size):
            step = diagonal + (match if a[i] == b[j] else mismatch)
            here = np.int32(max(0, max(step, max(row[j], row[j + 1]) - gap)))
            diagonal, row[j + 1] = row[j + 1], here
            best = max(best, here)
    return best


def smith_waterman(a, b, match, mismatch, gap):
    row, found = np.empty(b.size + 1, np.int32), {}
    def run():
        found['best'] = np.int32(local_alignment(a, b, match, mismatch, gap, row))
    return run, lambda: found


@loops
def descend(x, y, w, b, rate, reg, slopes, errors):
    n, d = x.shape
    parts = len(slopes)
    for part in prange(parts):
        slopes[part] = 0
        errors[part] = 0
        for i in range(n * part // parts, n * (part + 1) // parts):
            z = b
            for q in range(d):
                z += x[i, q] * w[q]
            e = 1 / (1 + math.exp(-z)) - y[i]
            errors[part] += e
            for q in range(d):
                slopes[part, q] += e * x[i, q]
    for q in range(d):
        w[q] -= rate * (slopes[:, q].sum() / n + reg * w[q])
    return b - rate * errors.sum() / n


@loops
def mean_loss(x, y, w, b):
    total = 0.0
    for i in prange(len(x)):
        z = b
        for q in range(x.shape[1]):
            z += x[i, q] * w[q]
        total += max(z, 0.0) + math.log1p(math.exp(-abs(z))) - y[i] * z
    return total / len(x)


def logistic_regression(x, y, w0, b0, rate, reg, steps):
    w, found = np.empty_like(w0), {}
    slopes, errors = np.empty((get_num_threads(), w0.size)), np.empty(get_num_threads())
    def run():
        w[:], b = w0, b0
        for _ in range(steps):
            b = descend(x, y, w, b, rate, reg, slopes, errors)
        found['b'], found['loss'] = np.float64(b), np.float64(mean_loss(x, y, w, b) + reg / 2 * (w @ w))
    return run, lambda: {'w': w, **found}


@loops
def escape(re, im, limit, counts):
    for i in prange(im.size):
        for j in range(re.size):
            x = y = 0.0
            k = 0
            while k < limit and x * x + y * y <= 4:
                x, y = (x * x - y * y) + re[j], 2 * x * y + im[i]
                k += 1
            counts[i, j] = k


def mandelbrot(re, im, limit):
    counts = np.empty((im.size, re.size), np.int32)
    return lambda: escape(re, im, limit, counts), lambda: {'counts': counts}


@loops
def hits_of(key0, key1, samples):
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    hits = 0
    for i in prange(samples):
        c0, c1, c2, c3 = np.uint64(i) & low, np.uint64(i) >> half, np.uint64(0), np.uint64(0)
        k0, k1 = np.uint64(key0), np.uint64(key1)
        for _ in range(10):
            p, q = c0 * np.uint64(0xD2511F53), c2 * np.uint64(0xCD9E8D57)
            c0, c1, c2, c3 = (q >> half) ^ c1 ^ k0, q & low, (p >> half) ^ c3 ^ k1, p & low
            k0, k1 = (k0 + np.uint64(0x9E3779B9)) & low, (k1 + np.uint64(0xBB67AE85)) & low
        x = np.float64((c0 << half | c1) >> np.uint64(11)) / 2.0**53
        y = np.float64((c2 << half | c3) >> np.uint64(11)) / 2.0**53
        hits += x * x + y * y < 1
    return hits


def monte_carlo_pi(key0, key1, samples):
    found = {}
    def run():
        hits = hits_of(key0, key1, samples)
        found.update(hits=np.int64(hits), estimate=np.float64(4 * hits / samples))
    return run, lambda: found


@loops
def accelerate(pos, mass, eps, a):
    n = len(mass)
    for i in prange(n):
        ax = ay = az = 0.0
        for j in range(n):
            dx, dy, dz = pos[0, j] - pos[0, i], pos[1, j] - pos[1, i], pos[2, j] - pos[2, i]
            r = math.sqrt(dx * dx + dy * dy + dz * dz + eps * eps)
            weight = mass[j] / (r * r * r)
            ax += weight * dx
            ay += weight * dy
            az += weight * dz
        a[0, i], a[1, i], a[2, i] = ax, ay, az


@loops
def potential_of(pos, mass, eps):
    total = 0.0
    for i in prange(len(mass)):
        part = 0.0
        for j in range(i + 1, len(mass)):
            dx, dy, dz = pos[0, j] - pos[0, i], pos[1, j] - pos[1, i], pos[2, j] - pos[2, i]
            part += mass[j] / math.sqrt(dx * dx + dy * dy + dz * dz + eps * eps)
        total += mass[i] * part
    return total


def nbody(pos, vel, mass, eps, dt, steps):
    found = {}
    def run():
        x, v, a = pos.T.copy(), vel.T.copy(), np.empty((3, len(mass)))
        accelerate(x, mass, eps, a)
        for _ in range(steps):
            v += dt / 2 * a
            x += dt * v
            accelerate(x, mass, eps, a)
            v += dt / 2 * a
        kinetic = (mass * (v * v).sum(axis=0)).sum() / 2
        found.update(posEnd=np.ascontiguousarray(x.T), velEnd=np.ascontiguousarray(v.T),
                     energy=np.float64(kinetic - potential_of(x, mass, eps)))
    return run, lambda: found


@loops
def share_out(rank, outdeg, share):
    lost = 0.0
    for u in prange(rank.size):
        share[u] = rank[u] / max(outdeg[u], 1)
        if outdeg[u] == 0:
            lost += rank[u]
    return lost


@loops
def collect(start, source, share, damping, lost, rank):
    n = rank.size
    for v in prange(n):
        total = 0.0
        for q in range(start[v], start[v + 1]):
            total += share[source[q]]
        rank[v] = (1 - damping) / n + damping * (total + lost / n)


def pagerank(start, source, outdeg, damping, steps):
    rank, share = np.empty(outdeg.size), np.empty(outdeg.size)
    def run():
        rank[:] = 1 / outdeg.size
        for _ in range(steps):
            collect(start, source, share, damping, share_out(rank, outdeg, share), rank)
    return run, lambda: {'rank': rank}


@loops
def running_sums(x, out, sums):
    parts = sums.size
    for part in prange(parts):
        total = x[:0].sum()
        for i in range(x.size * part // parts, x.size * (part + 1) // parts):
            total += x[i]
        sums[part] = total
    for part in prange(parts):
        total = sums[:part].sum()
        for i in range(x.size * part // parts, x.size * (part + 1) // parts):
            total += x[i]
            out[i] = total


def prefix_sums(ints, xs):
    isums, xsums = np.empty_like(ints), np.empty_like(xs)
    int_parts, x_parts = np.empty(get_num_threads(), np.int64), np.empty(get_num_threads())
    def run():
        running_sums(ints, isums, int_parts)
        running_sums(xs, xsums, x_parts)
    return run, lambda: {'isums': isums, 'xsums': xsums}


@njit
def hll(hl, pl, ql, hr, pr, qr, g):
    """Flux along the second part of the state (depth, along, across) between two cells."""
    ul, ur, cl, cr = pl / hl, pr / hr, math.sqrt(g * hl), math.sqrt(g * hr)
    sl, sr = min(ul - cl, ur - cr), max(ul + cl, ur + cr)
    fl, fr = pl * ul + g * hl * hl / 2, pr * ur + g * hr * hr / 2
    if sl >= 0:
        return pl, fl, ql * ul
    if sr <= 0:
        return pr, fr, qr * ur
    scale, both = 1 / (sr - sl), sl * sr
    return (scale * (sr * pl - sl * pr + both * (hr - hl)), scale * (sr * fl - sl * fr + both * (pr - pl)),
            scale * (sr * ql * ul - sl * qr * ur + both * (qr - ql)))


@loops
def water_fluxes(q, g, fx, fy):
    _, n, m = q.shape
    for i in prange(n):
        below = (i + 1) % n
        for j in range(m):
            right = (j + 1) % m
            fx[0, i, j], fx[1, i, j], fx[2, i, j] = hll(q[0, i, j], q[1, i, j], q[2, i, j],
                                                        q[0, i, right], q[1, i, right], q[2, i, right], g)
            fy[0, i, j], fy[2, i, j], fy[1, i, j] = hll(q[0, i, j], q[2, i, j], q[1, i, j],
                                                        q[0, below, j], q[2, below, j], q[1, below, j], g)


@loops
def water_update(q, fx, fy, ratio):
    parts, n, m = q.shape
    for i in prange(n):
        for part in range(parts):
            for j in range(m):
                q[part, i, j] -= ratio * (fx[part, i, j] - fx[part, i, j - 1] + fy[part, i, j] - fy[part, i - 1, j])


def shallow_water(h0, hu0, hv0, g, dx, dt, steps):
    q, fx, fy = (np.empty((3, *h0.shape)) for _ in range(3))
    def run():
        q[0], q[1], q[2] = h0, hu0, hv0
        for _ in range(steps):
            water_fluxes(q, g, fx, fy)
            water_update(q, fx, fy, dt / dx)
    return run, lambda: {'h': q[0], 'hu': q[1], 'hv': q[2]}


@loops
def sparse_product(start, col, val, x, y):
    for i in prange(y.size):
        total = 0.0
        for q in range(start[i], start[i + 1]):
            total += val[q] * x[col[q]]
        y[i] = total


def spmv(start, col, val, x):
    y = np.empty(start.size - 1)
    return lambda: sparse_product(start, col, val, x, y), lambda: {'y': y}


PROGRAMS = {f.__name__: f for f in (
    bicgstab, black_scholes, cavity_flow, cg, game_of_life, heat_3d, histogram, jacobi_2d, kmeans, levenshtein,
    logistic_regression, mandelbrot, monte_carlo_pi, nbody, pagerank, prefix_sums, shallow_water, smith_waterman, spmv)}


def prepare(name, given):
    """A function that runs the program (and compiles it when it runs first), and one that gives its results."""
    return *PROGRAMS[name](**given), None
