"""Solution of exercise 15."""

import numpy as np


def rates(I, w, M):
    I = np.array(I)
    return (M - np.cross(w, I * w)) / I


def momentum(I, w, R):
    return R @ (np.array(I) * w)


def growth(I, W):
    A, B, C = I
    return W * np.sqrt((C - B) * (B - A) / (A * C))


def wobble(A, C, n):
    return (C - A) / A * n


def precession(A, C, n, mgl, lean):
    a, b = A * np.cos(lean), C * n
    root = np.sqrt(b**2 - 4 * a * mgl)
    return (b - root) / (2 * a), (b + root) / (2 * a)
