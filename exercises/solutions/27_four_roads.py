"""Solution of exercise 27."""

from math import cos, sin

import numpy as np

from easydyn import Force, Model, tdisp, trotz

M, m, r, b, g = 5.0, 2.0, 0.15, 0.5, 9.81  # kg, kg, m, rad, m/s2


def kinetic(v, w):
    wedge = M * v**2 / 2
    moved = m * (v**2 + w**2 + 2 * v * w * cos(b)) / 2
    turned = m * r**2 / 2 * (w / r) ** 2 / 2
    return wedge + moved + turned


def dalembert(xa, sa, F):
    ax, ay = xa + sa * cos(b), -sa * sin(b)
    for_x = M * xa - F + m * ax
    for_s = cos(b) * m * ax - sin(b) * (m * ay + m * g) + m * r / 2 * sa / r
    return for_x, for_s


def momenta(v, w):
    px = (M + m) * v + m * cos(b) * w
    ps = m * cos(b) * v + 1.5 * m * w
    return px, ps


def cut(xa, sa):
    N = m * (xa * sin(b) + g * cos(b))
    H = m * (xa * cos(b) + sa - g * sin(b))
    return N, H


def partials():
    first = sin(b) ** 2, sin(b) * cos(b)
    second = cos(b), -sin(b)
    return first, second


def hamilton(px, ps, s):
    A = np.array([[M + m, m * cos(b)], [m * cos(b), 1.5 * m]])
    p = np.array([px, ps])
    V = -m * g * s * sin(b)
    return p @ np.linalg.solve(A, p) / 2 + V


def model(F=0):
    """Given: the wedge and the disc."""
    made = Model("disc on a wedge", gravity=(0, -g, 0))
    x, s = made.coordinates("x s")
    wedge = made.body("wedge", tdisp(x, 0, 0), mass=M, inertia=(0, 0, 1))
    T = tdisp(x, 0, 0) * trotz(-b) * tdisp(s, r, 0) * trotz(-s / r)
    made.body("disc", T, mass=m, inertia=(0, 0, m * r**2 / 2))
    made.add(Force(wedge, (F, 0, 0)))
    return made
