"""Solution of exercise 17."""

import numpy as np

M1, M2, L, G = 2.0, 0.7, 0.9, 9.81  # kg, kg, m, m/s2
MASSES = np.diag([M1, M1, M2, M2])


def loop(q, qd):
    q, qd = np.array(q), np.array(qd)
    d, v = q[2:] - q[:2], qd[2:] - qd[:2]
    return d @ d - L**2, np.concatenate([-2 * d, 2 * d]), 2 * v @ v


def solve(M, h, J, gamma):
    n, m = len(M), len(J)
    A = np.block([[M, -np.transpose(J)], [np.array(J), np.zeros((m, m))]])
    x = np.linalg.solve(A, -np.concatenate([h, gamma]))
    return x[:n], x[n:]


def pull(q, qd):
    _, J, gamma = loop(q, qd)
    weights = np.array([0, M1 * G, 0, M2 * G])
    _, multiplier = solve(MASSES, weights, [J], [gamma])
    return -2 * L * multiplier[0]


def opening(g0, gd0, alpha, t):
    return (g0 + (gd0 + alpha * g0) * t) * np.exp(-alpha * t)


def closed(q):
    q = np.array(q)
    for _ in range(20):
        g, J, _ = loop(q, np.zeros(4))
        W = np.linalg.solve(MASSES, J)
        q = q - W * g / (J @ W)
    return q


def rates_closed(q, qd):
    _, J, _ = loop(q, qd)
    W = np.linalg.solve(MASSES, J)
    return np.array(qd) - W * (J @ qd) / (J @ W)
