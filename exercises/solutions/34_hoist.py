"""Solution of exercise 34."""

from math import exp, pi

from easydyn import Model, Pulley, Rope, ground, tdisp

G = 9.81  # m/s2


def speeds(n, v):
    return -v / n


def falls(M, m, n):
    a = (m - M / n) * G / (m + M / n**2)
    return a, m * (G - a)


def turned(m1, m2, J, r):
    a = (m2 - m1) * G / (m1 + m2 + J / r**2)
    return a, m1 * (G + a), m2 * (G - a)


def holds(m1, mu, turns):
    return m1 * exp(mu * 2 * pi * turns)


def slips(m1, m2, mu):
    f = exp(mu * pi)
    return (m2 - m1 * f) * G / (m2 + m1 * f)


def model(M, m):
    made = Model("hoist", gravity=(0, -G, 0))
    y, z = made.coordinates("y z", initial=(-1, -0.5))
    load = made.body("load", tdisp(0.1, y, 0), mass=M, inertia=(0, 0, 0))
    end = made.body("end", tdisp(0.4, z, 0), mass=m, inertia=(0, 0, 0))
    below = Pulley(load, 0.1, side="left")
    above = Pulley((ground, (0.3, 0, 0)), 0.1, side="right")
    made.add(Rope(ground, below, above, end, name="rope"))
    return made
