"""Solution of exercise 06."""

from math import cos, sin

from easydyn import Model, tdisp, trotz

l1, l2 = 1.2, 1.1  # m
m1, m2 = 1.1, 0.9  # kg
g = 9.81  # m/s2


def model():
    made = Model("double pendulum", gravity=(0, -g, 0))
    q1, q2 = made.coordinates("q1 q2", initial=(0, 1))
    upper = trotz(q1) * tdisp(0, -l1 / 2, 0)
    lower = trotz(q1) * tdisp(0, -l1, 0) * trotz(q2) * tdisp(0, -l2 / 2, 0)
    made.body("upper rod", upper, mass=m1, inertia=(1, 1, m1 * l1**2 / 12))
    made.body("lower rod", lower, mass=m2, inertia=(1, 1, m2 * l2**2 / 12))
    return made


def energy(q, qd):
    w1, w2 = qd[0], qd[0] + qd[1]
    y1 = -l1 / 2 * cos(q[0])
    y2 = 2 * y1 - l2 / 2 * cos(q[0] + q[1])
    vx = l1 * w1 * cos(q[0]) + l2 / 2 * w2 * cos(q[0] + q[1])
    vy = l1 * w1 * sin(q[0]) + l2 / 2 * w2 * sin(q[0] + q[1])
    kinetic = m1 * (l1 / 2 * w1) ** 2 / 2 + m2 * (vx**2 + vy**2) / 2
    turning = (m1 * l1**2 * w1**2 + m2 * l2**2 * w2**2) / 24
    return kinetic + turning + g * (m1 * y1 + m2 * y2)


tolerance = 2e-7
