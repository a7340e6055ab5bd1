"""Solution of exercise 14."""

import numpy as np


def box(m, a, b, c):
    return m / 12 * np.diag([b**2 + c**2, c**2 + a**2, a**2 + b**2])


def moved(I, m, r):
    r = np.array(r)
    return I + m * (r @ r * np.eye(3) - np.outer(r, r))


def centre(parts):
    total = sum(m for m, _, _ in parts)
    return sum(m * np.array(place) for m, _, place in parts) / total


def composite(parts):
    c = centre(parts)
    return sum(moved(box(m, *edges), m, np.array(place) - c) for m, edges, place in parts)


def principal(I):
    moments, axes = np.linalg.eigh(I)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    return moments, axes


def bearings(I, W):
    return W**2 * np.array([-I[1, 2], I[0, 2], 0])
