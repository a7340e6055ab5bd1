"""Solution of exercise 35."""

from math import asin, cos, sqrt

from easydyn import Contact, Model, shapes, tdisp, trotz

G = 9.81  # m/s2


def inertia(m, h):
    return m * h**2 / 3


def angle(h, d):
    return asin(d / h)


def arrives(w, h, d):
    return sqrt(w**2 + 3 * G / h * (1 - cos(angle(h, d))))


def after(w, e):
    return (1 - e) / 2 * w, (1 + e) / 2 * w


def lost(m, h, w, e):
    one, other = after(w, e)
    return inertia(m, h) / 2 * (w**2 - one**2 - other**2)


def model(m, h, d, w):
    made = Model("dominoes", gravity=(0, -G, 0))
    a, b = made.coordinates("a b", rates=(w, 0))
    own = {"mass": m, "inertia": (0, 0, m * h**2 / 12), "com": (0, h / 2, 0)}
    first = made.body("first", trotz(-a), **own)
    second = made.body("second", tdisp(d, 0, 0) * trotz(-b), **own)
    tip = ((first, tdisp(0, h, 0)), shapes.Point())
    made.add(Contact(tip, (second, shapes.HalfPlane((-1, 0))), restitution=0, name="hit"))
    return made
