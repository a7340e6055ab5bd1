"""Solution of exercise 22."""

import numpy as np


def shapes(s, L):
    return [1 - 3 * s**2 + 2 * s**3, L * s * (1 - s) ** 2, s**2 * (3 - 2 * s), -L * s**2 * (1 - s)]


def mass(rho, A, L):
    rows = [[156, 22 * L, 54, -13 * L], [22 * L, 4 * L**2, 13 * L, -3 * L**2]]
    rows += [[54, 13 * L, 156, -22 * L], [-13 * L, -3 * L**2, -22 * L, 4 * L**2]]
    return rho * A * L / 420 * np.array(rows)


def stiffness(E, I, L):
    rows = [[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2]]
    rows += [[-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]]
    return E * I / L**3 * np.array(rows)


def frequency(E, I, rho, A, L):
    K, M = stiffness(E, I, L)[2:, 2:], mass(rho, A, L)[2:, 2:]
    squares = np.linalg.eigvals(np.linalg.solve(M, K)).real
    return np.sqrt(min(squares))


def axial(P, L):
    rows = [[36, 3 * L, -36, 3 * L], [3 * L, 4 * L**2, -3 * L, -(L**2)]]
    rows += [[-36, -3 * L, 36, -3 * L], [3 * L, -(L**2), -3 * L, 4 * L**2]]
    return P / (30 * L) * np.array(rows)


def buckling(E, I, L):
    K, G = stiffness(E, I, L)[2:, 2:], axial(1, L)[2:, 2:]
    loads = np.linalg.eigvals(np.linalg.solve(G, K)).real
    return min(loads)


def rolled(M, E, I, L):
    angle = M * L / (E * I)
    return L * np.sin(angle) / angle, L * (1 - np.cos(angle)) / angle, angle


def rotating(w0, c, speed):
    flapping = np.sqrt(w0**2 + c * speed**2)
    return flapping, np.sqrt(flapping**2 - speed**2)
