"""Matrices of small finite element models, for tests: beams in space, solids of tetrahedra. No easydyn in them."""

import itertools

import numpy as np


def beam(points, *, E, G, A, Iy, Iz, J, rho, rotary=True):
    """M, K and a unit of geometric stiffness, (6 n, 6 n), of Bernoulli's beam along x through the points of an axis.

    The last is a function of the tension along the beam.
    """
    x = np.asarray(points, dtype=float)
    n = len(x)
    M, K = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n))
    for e in range(n - 1):
        L = x[e + 1] - x[e]
        k, m = np.zeros((12, 12)), np.zeros((12, 12))
        for i, stiffness, inertia in ((0, E * A, rho * A), (3, G * J, rho * (Iy + Iz))):
            at = [i, i + 6]
            k[np.ix_(at, at)] += stiffness / L * np.array([[1, -1], [-1, 1]])
            m[np.ix_(at, at)] += inertia * L / 6 * np.array([[2, 1], [1, 2]])
        for at, sign, second in (([1, 5, 7, 11], 1, Iz), ([2, 4, 8, 10], -1, Iy)):
            s = np.diag([1, sign, 1, sign])
            bending, consistent, slopes = _hermite(L)
            k[np.ix_(at, at)] += E * second * s @ bending @ s
            m[np.ix_(at, at)] += rho * s @ (A * consistent + rotary * second * slopes) @ s
        at = slice(6 * e, 6 * e + 12)
        M[at, at] += m
        K[at, at] += k

    def geometric(tension):
        S = np.zeros((6 * n, 6 * n))
        points, weights = np.polynomial.legendre.leggauss(6)
        for e in range(n - 1):
            L = x[e + 1] - x[e]
            for at, sign in (([1, 5, 7, 11], 1), ([2, 4, 8, 10], -1)):
                for s, w in zip((points + 1) / 2, weights / 2, strict=True):
                    slope = np.array([6 * s * s - 6 * s, sign * L * (3 * s * s - 4 * s + 1), 6 * s - 6 * s * s,
                                      sign * L * (3 * s * s - 2 * s)]) / L  # fmt: skip
                    where = np.array(at) + 6 * e
                    S[np.ix_(where, where)] += tension(x[e] + s * L) * w * L * np.outer(slope, slope)
        return S

    return M, K, geometric


def _hermite(L):
    """Integrals of products of Hermite's cubics: of their second derivatives, of themselves, of their slopes."""
    bending = np.array([[12, 6 * L, -12, 6 * L], [6 * L, 4 * L**2, -6 * L, 2 * L**2],
                        [-12, -6 * L, 12, -6 * L], [6 * L, 2 * L**2, -6 * L, 4 * L**2]]) / L**3  # fmt: skip
    mass = np.array([[156, 22 * L, 54, -13 * L], [22 * L, 4 * L**2, 13 * L, -3 * L**2],
                     [54, 13 * L, 156, -22 * L], [-13 * L, -3 * L**2, -22 * L, 4 * L**2]]) * L / 420  # fmt: skip
    slopes = np.array([[36, 3 * L, -36, 3 * L], [3 * L, 4 * L**2, -3 * L, -(L**2)],
                       [-36, -3 * L, 36, -3 * L], [3 * L, -(L**2), -3 * L, 4 * L**2]]) / (30 * L)  # fmt: skip
    return bending, mass, slopes


def block(counts, size, *, E, nu, rho, lumped=False):
    """Nodes, M and K of a box of linear tetrahedra, six to each of `counts` cells."""
    axes = [np.linspace(0, s, c + 1) for s, c in zip(size, counts, strict=True)]
    nodes = np.array(list(itertools.product(*axes)))
    number = np.arange(len(nodes)).reshape([c + 1 for c in counts])
    lame, mu = E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))
    D = np.zeros((6, 6))
    D[:3, :3] = lame
    D[range(6), range(6)] += [2 * mu] * 3 + [mu] * 3
    n = len(nodes)
    M0, K = np.zeros((n, n)), np.zeros((3 * n, 3 * n))
    for cell in itertools.product(*map(range, counts)):
        for path in itertools.permutations(np.eye(3, dtype=int)):
            corners = np.cumsum([np.array(cell), *path], axis=0)
            tet = np.array([number[tuple(c)] for c in corners])
            P = np.column_stack([np.ones(4), nodes[tet]])
            volume, gradients = abs(np.linalg.det(P)) / 6, np.linalg.inv(P)[1:]
            B = np.zeros((6, 12))
            for a, (gx, gy, gz) in enumerate(gradients.T):
                B[:, 3 * a : 3 * a + 3] = [[gx, 0, 0], [0, gy, 0], [0, 0, gz], [gy, gx, 0], [0, gz, gy], [gz, 0, gx]]
            freedoms = (3 * tet[:, None] + np.arange(3)).ravel()
            K[np.ix_(freedoms, freedoms)] += volume * B.T @ D @ B
            own = np.eye(4) / 4 if lumped else (np.ones((4, 4)) + np.eye(4)) / 20
            M0[np.ix_(tet, tet)] += rho * volume * own
    return nodes, np.kron(M0, np.eye(3)), K
