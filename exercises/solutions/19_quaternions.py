"""Solution of exercise 19."""

import numpy as np


def step(slope, state, h):
    """One step of the classical method of Runge and Kutta; slope(state) returns the rates of the state, an array."""
    k1 = slope(state)
    k2 = slope(state + h / 2 * k1)
    k3 = slope(state + h / 2 * k2)
    k4 = slope(state + h * k3)
    return state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def quaternion(axis, angle):
    n = np.array(axis) / np.linalg.norm(axis)
    return np.array([np.cos(angle / 2), *(np.sin(angle / 2) * n)])


def product(a, b):
    a, b = np.array(a), np.array(b)
    scalar = a[0] * b[0] - a[1:] @ b[1:]
    return np.array([scalar, *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def turned(e, u):
    back = np.array(e) * [1, -1, -1, -1]
    return product(product(e, [0, *u]), back)[1:]


def rate(e, w):
    return product(e, [0, *w]) / 2


def angle_between(a, b):
    return 2 * np.arccos(min(abs(np.dot(a, b)), 1))


def attitude(e, w, I, h, steps):
    I = np.array(I)

    def slope(state):
        e, w = state[:4], state[4:]
        return np.concatenate([rate(e, w), -np.cross(w, I * w) / I])

    state = np.concatenate([e, w])
    for _ in range(steps):
        state = step(slope, state, h)
    return state[:4] / np.linalg.norm(state[:4])
