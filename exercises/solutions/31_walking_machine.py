"""Solution of exercise 31."""

from math import atan2, cos, hypot, pi, sin, sqrt

import numpy as np

from easydyn import GeneralizedForce, Model, PlanePoint, ground, tdisp, trotz

a, b, c, d, e, f = 0.38, 0.415, 0.393, 0.401, 0.558, 0.394  # m
g, h, i, j, k, l, M = 0.367, 0.657, 0.49, 0.5, 0.619, 0.078, 0.15
TRUNK, CRANK, SPEED, GAIN = 10.0, 1.0, -3.0, 60.0  # kg, kg, rad/s, N m s/rad
FLOOR = {"stiffness": 2e4, "damping": 400, "friction": 0.8, "slip_speed": 0.02}


def meet(A, B, p, q, side):
    x, y = B[0] - A[0], B[1] - A[1]
    square = x**2 + y**2
    along = (p**2 - q**2 + square) / (2 * square)
    across = side * sqrt(p**2 / square - along**2)
    return A[0] + along * x - across * y, A[1] + along * y + across * x


def leg(theta, m=M):
    P, B = (m * cos(theta), m * sin(theta)), (-a, -l)
    C, D = meet(P, B, j, b, -1), meet(P, B, k, c, 1)
    E = meet(C, B, e, d, -1)
    F = meet(E, D, f, g, -1)
    return P, C, D, E, F, meet(F, D, h, i, -1)


def stride(m):
    feet = np.array([leg(2 * pi * n / 720, m)[5] for n in range(720)])
    other = np.roll(feet, -360, axis=0)
    stands = feet[:, 1] < other[:, 1]
    on = feet[stands, 0]
    return 2 * (max(on) - min(on)), max(feet[:, 1]) - min(feet[:, 1])


def crank_torque(theta, m, force):
    small = 1e-5
    after, before = np.array(leg(theta + small, m)[5]), np.array(leg(theta - small, m)[5])
    return -np.dot(force, after - before) / (2 * small)


def bodies(model, trunk, n):
    """Bodies of leg n (1 or 2) on the trunk's frame: upper triangle, lower link, lower triangle; E and G in them."""
    P, C, D, E, F, G = leg((n - 1) * pi)
    B = (-a, -l)

    def angle(U, V):
        return atan2(V[1] - U[1], V[0] - U[0])

    def seen(U, V, W):  # place of W from U, with the x axis towards V
        turn, x, y = angle(U, V), W[0] - U[0], W[1] - U[1]
        return x * cos(turn) + y * sin(turn), y * cos(turn) - x * sin(turn), 0

    u, v, w = model.coordinates(f"u{n} v{n} w{n}", initial=(angle(B, C), angle(B, D), angle(D, F)))
    hinge = trunk * tdisp(-a, -l, 0)  # u, v, w: angles of BC, BD, DF from the x axis
    solid = {"mass": 0.3, "inertia": (0, 0, 0.01)}
    top = model.body(f"top {n}", hinge * trotz(u), com=(0.1, 0.1, 0), **solid)
    link = model.body(f"link {n}", hinge * trotz(v), com=(c / 2, 0, 0), **solid)
    foot = model.body(f"foot {n}", hinge * trotz(v) * tdisp(c, 0, 0) * trotz(w - v), com=(0.1, 0.2, 0), **solid)
    return top, link, foot, seen(B, C, E), seen(D, F, G)


def walker():
    made = Model("walker", gravity=(0, -9.81, 0))
    x, y, q = made.coordinates("x y q", initial=(0, 0.92, 0), rates=(0, 0, SPEED))
    trunk = tdisp(x, y, 0)
    made.body("trunk", trunk, mass=TRUNK, inertia=(0, 0, 0))
    crank = made.body("crank", trunk * trotz(q), mass=CRANK, inertia=(0, 0, 0.05))
    for n, side in ((1, 1), (2, -1)):
        top, link, foot, E, G = bodies(made, trunk, n)
        pin = (crank, (side * M, 0, 0))
        made.close(pin, (top, (b, 0, 0)), joint="distance", length=j)
        made.close(pin, (link, (c, 0, 0)), joint="distance", length=k)
        made.close((top, E), (foot, (g, 0, 0)), joint="distance", length=f)
        made.add(PlanePoint((foot, G), ground, normal=(0, 1, 0), **FLOOR))
    made.add(GeneralizedForce(q, GAIN * (SPEED - q.dot)))
    return made


def energy_per_metre(t, torque, rate, x):
    power = np.array(torque) * np.array(rate)
    energy = np.sum((power[1:] + power[:-1]) / 2 * np.diff(t))
    return energy / (x[-1] - x[0])

