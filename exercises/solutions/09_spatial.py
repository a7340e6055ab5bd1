"""Solution of exercise 09."""

import numpy as np

from easydyn import cross, dot, tdisp, troty, trotz, vcoord

HEIGHT, REACH = 0.5, 0.6  # m
MASS = 3.0  # kg
INERTIA = np.diag([0.05, 0.4, 0.43])  # kg m2, in the axes of the arm
LOAD, PLACE = 1.2, np.array([0.3, 0.1, -0.2])  # kg, m


def frame(q):
    return trotz(q[0]) * tdisp(0, 0, HEIGHT) * troty(q[1]) * tdisp(REACH, 0, 0)


def omega(q, qd):
    return vcoord(0, 0, qd[0]) + qd[1] * trotz(q[0]).R.uy()


def inertia_in_ground(q):
    R = np.array(frame(q).matrix)[:3, :3]
    return R @ INERTIA @ R.T


def kinetic_energy(q, qd):
    w = omega(q, qd)
    v = cross(w, frame(q).R * vcoord(REACH, 0, 0))
    return MASS * dot(v, v) / 2 + np.array(w) @ inertia_in_ground(q) @ np.array(w) / 2


def with_load():
    return INERTIA + LOAD * (PLACE @ PLACE * np.eye(3) - np.outer(PLACE, PLACE))
