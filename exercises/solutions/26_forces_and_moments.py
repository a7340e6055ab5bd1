"""Solution of exercise 26."""

from math import cos, sin

from easydyn import Force, Model, tdisp, trotz

m1, m2, l, g = 4.0, 2.0, 1.2, 9.81  # kg, kg, m, m/s2


def moment(P, F, Q):
    x, y = P[0] - Q[0], P[1] - Q[1]
    return x * F[1] - y * F[0]


def resultant(points, forces, Q):
    X = sum(F[0] for F in forces)
    Y = sum(F[1] for F in forces)
    M = sum(moment(P, F, Q) for P, F in zip(points, forces))
    return X, Y, M


def line(X, Y, M):
    square = X**2 + Y**2
    return Y * M / square, -X * M / square


def pin(q, v, xa, qa):
    ax = xa + l / 2 * (qa * cos(q) - v**2 * sin(q))
    ay = l / 2 * (qa * sin(q) + v**2 * cos(q))
    return m2 * ax, m2 * (ay + g)


def rail(q, v, xa, qa):
    X, Y = pin(q, v, xa, qa)
    return m1 * g + Y


def generalised(q, u):
    Qx = u
    Qq = -m2 * g * l / 2 * sin(q)
    return Qx, Qq


def model(u=10):
    """Given: the trolley with the rod."""
    made = Model("trolley with a rod", gravity=(0, -g, 0))
    x, q = made.coordinates("x q")
    trolley = made.body("trolley", tdisp(x, 0, 0), mass=m1, inertia=(0, 0, 1))
    T = tdisp(x, 0, 0) * trotz(q) * tdisp(0, -l / 2, 0)
    made.body("rod", T, mass=m2, inertia=(0, 0, m2 * l**2 / 12))
    made.add(Force(trolley, (u, 0, 0)))
    return made
