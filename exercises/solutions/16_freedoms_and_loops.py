"""Solution of exercise 16."""

from math import acos, atan2, cos, hypot, sin

import numpy as np

R0, R1, R2, R3 = 1.1, 0.35, 0.9, 0.7  # m


def count(bodies, taken, each):
    return each * bodies - sum(taken)


def gap(a, b, c):
    x = R1 * cos(a) + R2 * cos(a + b) - R0 - R3 * cos(c)
    y = R1 * sin(a) + R2 * sin(a + b) - R3 * sin(c)
    return x, y


def jacobian(a, b, c):
    coupler = np.array([-R2 * sin(a + b), R2 * cos(a + b)])
    crank = np.array([-R1 * sin(a), R1 * cos(a)])
    end = np.array([-R3 * sin(c), R3 * cos(c)])
    return np.column_stack([crank + coupler, coupler, -end])


def freedoms(J):
    return np.shape(J)[1] - np.linalg.matrix_rank(J)


def rocker(a, way):
    px, py = R1 * cos(a), R1 * sin(a)
    u = R0 - px
    delta = atan2(-py, u)
    K = R2**2 - R3**2 - u**2 - py**2
    return delta + way * acos(K / (2 * R3 * hypot(u, py)))


def turns(r0, r1, r2, r3):
    near, far = abs(r0 - r1), r0 + r1
    return abs(r2 - r3) <= near and far <= r2 + r3
