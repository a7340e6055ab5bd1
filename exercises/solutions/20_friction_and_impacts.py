"""Solution of exercise 20."""

from math import copysign, cos, sin, sqrt

from easydyn import Model, tdisp

M = 1.3  # kg
MU0, MU = 0.55, 0.4  # at rest, in motion
G = 9.81  # m/s2


def friction(v, push, a):
    normal = M * G * cos(a)
    driving = M * G * sin(a) + push
    if v != 0:
        return -copysign(MU * normal, v)
    if abs(driving) <= MU0 * normal:
        return -driving
    return -copysign(MU * normal, driving)


def turning(v, a):
    braking = G * (sin(a) + MU * cos(a))
    return v**2 / (2 * braking), v / braking


def height(h, e, n):
    return h * e ** (2 * n)


def rest_time(h, e):
    fall = sqrt(2 * h / G)
    return fall + 2 * fall * e / (1 - e)


def ball(e):
    made = Model("ball", gravity=(0, -G, 0))
    (y,) = made.coordinates("y", initial=2)
    made.body("ball", tdisp(0, y, 0), mass=0.5, inertia=(0, 0, 0))
    made.event(y, direction=-1, action={y.dot: -e * y.dot})
    return made


def lost(m, h, e, n):
    return m * G * (h - height(h, e, n))
