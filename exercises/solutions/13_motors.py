"""Solution of exercise 13."""

from math import cos, sin

from easydyn import cross, inertia_tensor, vcoord
from easydyn.motor import Motor, inertia_dyad

M, L = 1.8, 0.6  # kg, m
W = 7.0  # rad/s, of the column
G = 9.81  # m/s2
J = M * L**2 / 3  # kg m2, of the rod about the hinge
DYAD = inertia_dyad(M, vcoord(0, 0, -L / 2), inertia_tensor(J, J, 0))  # DYAD @ velocity is the momentum of the rod

HINGE = Motor.revolute((1, 0, 0))


def vertical(q):
    return vcoord(0, sin(q), cos(q))


def moment(g, h, r):
    return vcoord(*h) + cross(g, r)


def point_of_axis(g, h):
    g = vcoord(*g)
    return cross(g, h) / g.dot(g)


def momentum(m, c, I, w, v):
    return Motor(moment(w, v, c) * m, I * vcoord(*w) + cross(c, v) * m)


def velocity(q, qd):
    return Motor.revolute(vertical(q)) * W + HINGE * qd


def rate(q, qd, qdd):
    column = Motor.revolute(vertical(q)) * W
    return HINGE * qdd + column.cross(HINGE * qd)


def residual(q, qd, qdd):
    v = velocity(q, qd)
    p = DYAD @ v
    weight = DYAD @ Motor((0, 0, 0), vertical(q) * -G)
    needed = DYAD @ rate(q, qd, qdd) + v.cross(p) - weight
    return needed.dot(HINGE)
