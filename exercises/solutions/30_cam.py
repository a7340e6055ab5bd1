"""Solution of exercise 30."""

from math import acos, cos, pi, sin, sqrt

import numpy as np

from easydyn import Contact, Force, Model, shapes, t, tdisp, trotz

G = 9.81  # m/s2
R = 0.03  # m, of the disc


def lift(phi, e):
    return e * (1 - cos(phi)), e * sin(phi), e * cos(phi)


def force(phi, w, m, k, e, p):
    s, _, ss = lift(phi, e)
    return m * w**2 * ss + m * G + k * (p + s)


def jump(m, k, e, p):
    return sqrt((k * (p + 2 * e) + m * G) / (m * e))


def leaves(w, m, k, e, p):
    return acos(-(m * G + k * (p + e)) / (m * e * w**2 - k * e))


def base(lifts, bends):
    return max(-(lifts + bends))


def model(w, m, k, e, p):
    made = Model("cam", gravity=(0, -G, 0))
    (y,) = made.coordinates("y", initial=0)
    cam = made.body("cam", trotz(w * t - pi / 2), mass=0, inertia=(0, 0, 0))
    follower = made.body("follower", tdisp(0, y, 0), mass=m, inertia=(0, 0, 0))
    made.add(Force(follower, (0, -k * (p + y), 0)))
    face = ((follower, tdisp(0, R - e, 0)), shapes.HalfPlane((0, -1)))
    angles = np.linspace(0, 2 * pi, 36, endpoint=False)
    table = np.column_stack([angles, e * np.cos(angles)])
    edge = shapes.Curve.lift(table, R, follower=float("inf"))
    made.add(Contact((cam, edge), face, restitution=0, name="nose"))
    return made
