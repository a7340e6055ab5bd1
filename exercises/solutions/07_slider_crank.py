"""Solution of exercise 07."""

import numpy as np
from sympy import asin, cos, sin

from easydyn import Model, tdisp, trotz

L1, L2 = 0.9, 2.1  # m


def alpha(q):
    return asin(L1 * sin(q) / L2)


def slider(q):
    return L1 * cos(q) + L2 * cos(alpha(q))


def model():
    made = Model("slider-crank", gravity=(0, -9.81, 0))
    (q,) = made.coordinates("q", initial=1)
    rod = tdisp(slider(q), 0, 0) * trotz(-alpha(q)) * tdisp(-L2 / 2, 0, 0)
    made.body("crank", trotz(q) * tdisp(L1 / 2, 0, 0), mass=1, inertia=(0, 0, 0.0675))
    made.body("rod", rod, mass=2, inertia=(0, 0, 0.735))
    made.body("slider", tdisp(slider(q), 0, 0), mass=5, inertia=(0, 0, 2))
    return made


def period(run):
    t, v = run.t, run["q.dot"]
    zeros = []
    for k in range(1, len(t) - 1):
        if v[k] * v[k + 1] < 0:
            zeros.append(t[k] + (t[k + 1] - t[k]) * v[k] / (v[k] - v[k + 1]))
    return zeros[1]
