"""Solution of exercise 04."""

from math import cos, pi, sin, sqrt

from easydyn import cross, dot, vcoord

m, l, c, g = 1.7, 0.8, 0.3, 9.81  # kg, m, N m s, m/s2
I = m * l**2 / 12


def contributions(q):
    d = vcoord(l / 2 * cos(q), l / 2 * sin(q), 0)
    theta = vcoord(0, 0, 1)
    return d, theta


def acceleration(q, qd, qdd):
    r = vcoord(l / 2 * sin(q), -l / 2 * cos(q), 0)
    omega, alpha = vcoord(0, 0, qd), vcoord(0, 0, qdd)
    return cross(alpha, r) + cross(omega, cross(omega, r))


def residual(q, qd, qdd):
    d, theta = contributions(q)
    R, M = vcoord(0, -m * g, 0), vcoord(0, 0, -c * qd)
    return dot(d, m * acceleration(q, qd, qdd) - R) + dot(theta, I * vcoord(0, 0, qdd) - M)


def mass(q):
    d, theta = contributions(q)
    return m * dot(d, d) + I * dot(theta, theta)


def rest(q, qd):
    return residual(q, qd, 0)


period = 2 * pi * sqrt(m * l**2 / 3 / (m * g * l / 2))
