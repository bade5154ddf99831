"""Programs on lists of points, pages, letters and samples in numba; numba_programs.py says how."""
import math

import numpy as np
from numba import get_num_threads, njit, prange

loops = njit(parallel=True)


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
