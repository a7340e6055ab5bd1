"""Solution of exercise 29."""

import numpy as np

from easydyn import Model, tdisp, trotx, trotz

D, H, m, g = 0.9, 1.5, 250.0, 9.81  # m, m, kg, m/s2


def rate(R, omega, rho, seen):
    r = R @ rho
    return np.cross(omega, r) + R @ seen


def axes(q):
    """x of the turntable, the vertical, along the ladder; the place of the foot."""
    a, b, c = q
    x, z = np.array([np.cos(a), np.sin(a), 0]), np.array([0, 0, 1])
    y = np.cross(z, x)
    return x, z, np.cos(b) * y + np.sin(b) * z, D * y + H * z


def omega(q, qd):
    x, z, u, e = axes(q)
    return qd[0] * z + qd[1] * x


def alpha(q, qd, qdd):
    x, z, u, e = axes(q)
    turned = np.cross(qd[0] * z, qd[1] * x)
    return qdd[0] * z + qdd[1] * x + turned


def velocity(q, qd):
    x, z, u, e = axes(q)
    foot = np.cross(qd[0] * z, e)
    carried = foot + np.cross(omega(q, qd), q[2] * u)
    relative = qd[2] * u
    return carried, relative


def acceleration(q, qd, qdd):
    x, z, u, e = axes(q)
    s, w = q[2] * u, omega(q, qd)
    foot = np.cross(qdd[0] * z, e) + np.cross(qd[0] * z, np.cross(qd[0] * z, e))
    euler = np.cross(alpha(q, qd, qdd), s)
    centripetal = np.cross(w, np.cross(w, s))
    coriolis = 2 * np.cross(w, qd[2] * u)
    relative = qdd[2] * u
    return foot, euler, centripetal, coriolis, relative


def push(q, qd, qdd):
    x, z, u, e = axes(q)
    force = m * (sum(acceleration(q, qd, qdd)) + g * z)
    return force @ u


def model():
    """Given: the turntable, the ladder and the basket."""
    made = Model("a ladder on a turntable", gravity=(0, 0, -g))
    a, b, c = made.coordinates("a b c")
    table, ladder = trotz(a), trotz(a) * tdisp(0, D, H) * trotx(b)
    made.body("table", table, mass=900, inertia=(400, 400, 700))
    T = ladder * tdisp(0, 3, 0)
    made.body("ladder", T, mass=600, inertia=(1800, 30, 1800))
    made.body("basket", ladder * tdisp(0, c, 0), mass=m, inertia=(0, 0, 0))
    return made
