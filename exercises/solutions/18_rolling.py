"""Solution of exercise 18."""

import numpy as np

G = 9.81  # m/s2


def contact_velocity(v, w, r):
    return np.array(v) + np.cross(w, (0, 0, -r))


def rolling_rates(psi, phid, r):
    return r * phid * np.cos(psi), r * phid * np.sin(psi)


def constraints(psi, r):
    return np.array([[1, 0, 0, -r * np.cos(psi)], [0, 1, 0, -r * np.sin(psi)]])


def slope(beta, m, r, J):
    a = G * np.sin(beta) / (1 + J / (m * r**2))
    return a, J * a / r**2


def wheel_set(left, right, r, b):
    return r * (left + right) / 2, r * (right - left) / b


def place(left, right, r, b, t):
    v, w = wheel_set(left, right, r, b)
    return v / w * np.sin(w * t), v / w * (1 - np.cos(w * t)), w * t
