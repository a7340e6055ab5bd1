"""Solution of exercise 05."""

from math import log2

BETA, GAMMA = 1 / 4, 1 / 2


def start(f, q, qd):
    h = f(0, q, qd, 0)
    M = f(0, q, qd, 1) - h
    return -h / M


def formulas(q, qd, qdd, qdd1, h):
    q1 = q + h * qd + (0.5 - BETA) * h**2 * qdd + BETA * h**2 * qdd1
    qd1 = qd + (1 - GAMMA) * h * qdd + GAMMA * h * qdd1
    return q1, qd1


def step(f, t, q, qd, qdd, h):
    def F(a):
        return f(t + h, *formulas(q, qd, qdd, a, h), a)

    qdd1, epsilon = qdd, 1e-6
    for _ in range(20):
        left = F(qdd1)
        if abs(left) < 1e-10:
            break
        qdd1 -= left * epsilon / (F(qdd1 + epsilon) - left)
    return (*formulas(q, qd, qdd, qdd1, h), qdd1)


def run(f, q, qd, t_final, steps):
    h, qdd = t_final / steps, start(f, q, qd)
    for k in range(steps):
        q, qd, qdd = step(f, k * h, q, qd, qdd, h)
    return q, qd


def order(errors):
    return sum(log2(a / b) for a, b in zip(errors, errors[1:])) / (len(errors) - 1)
