"""Exercise 31, project: a walking machine.

Replace every `...`; README.md says what is asked.
"""

from math import atan2, cos, hypot, pi, sin, sqrt

import numpy as np

from easydyn import GeneralizedForce, Model, PlanePoint, ground, tdisp, trotz

a, b, c, d, e, f = 0.38, 0.415, 0.393, 0.401, 0.558, 0.394  # m
g, h, i, j, k, l, M = 0.367, 0.657, 0.49, 0.5, 0.619, 0.078, 0.15
TRUNK, CRANK, SPEED, GAIN = 10.0, 1.0, -3.0, 60.0  # kg, kg, rad/s, N m s/rad
FLOOR = {"stiffness": 2e4, "damping": 400, "friction": 0.8, "slip_speed": 0.02}


# 1. Where two bars meet
def meet(A, B, p, q, side):
    return ...


# 2. All points of a leg: P, C, D, E, F, G
def leg(theta, m=M):
    return ...


# 3. How far in one turn, and how high the foot is lifted
def stride(m):
    return ...


# 4. The torque that holds the crank
def crank_torque(theta, m, force):
    return ...


def bodies(model, trunk, n):
    """Bodies of leg n (1 or 2) on the trunk's frame.

    Upper triangle, lower link, lower triangle; the places of E and G in them.
    """
    P, C, D, E, F, G = leg((n - 1) * pi)
    B = (-a, -l)

    def angle(U, V):
        return atan2(V[1] - U[1], V[0] - U[0])

    def seen(U, V, W):  # place of W from U, with the x axis towards V
        turn, x, y = angle(U, V), W[0] - U[0], W[1] - U[1]
        return x * cos(turn) + y * sin(turn), y * cos(turn) - x * sin(turn), 0

    start = angle(B, C), angle(B, D), angle(D, F)
    u, v, w = model.coordinates(f"u{n} v{n} w{n}", initial=start)
    hinge = trunk * tdisp(-a, -l, 0)
    # u, v, w: angles of BC, BD, DF from the x axis
    solid = {"mass": 0.3, "inertia": (0, 0, 0.01)}
    top = model.body(f"top {n}", hinge * trotz(u), com=(0.1, 0.1, 0), **solid)
    link = model.body(f"link {n}", hinge * trotz(v), com=(c / 2, 0, 0), **solid)
    T = hinge * trotz(v) * tdisp(c, 0, 0) * trotz(w - v)
    foot = model.body(f"foot {n}", T, com=(0.1, 0.2, 0), **solid)
    return top, link, foot, seen(B, C, E), seen(D, F, G)


# 5. The machine
def walker():
    return ...


# 6. The energy (J/m) of arrays of a run
def energy_per_metre(t, torque, rate, x):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("31", globals())
