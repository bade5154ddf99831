"""Programs on grids in numba; numba_programs.py says how."""
import math

import numpy as np
from numba import njit, prange

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
