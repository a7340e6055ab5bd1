"""The numbers of collocation at nine Lobatto points: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential
Equations I (1993), section II.7, and G. Wanner, II (1996), section IV.5 (Lobatto IIIA).

The points are the ends of the step and the extrema of the Legendre polynomial P_8 between them. All is worked out from
Legendre's polynomials, whose values stay small: no system of equations is solved.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.polynomial.legendre import legvander

POINTS = 8  # beside the start of the step
NODES = POINTS + 1


def integrals(P: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Integrals from 0 to x of functions P_k in columns of which (2k + 1) P_k is half the derivative of P_k+1 - P_k-1.

    Legendre polynomials are such, and their integrals too; `first` is the integral of the first column. One column less
    comes out.
    """
    return np.column_stack([first, (P[:, 2:] - P[:, :-2]) / (2 * (2 * np.arange(1, P.shape[1] - 1) + 1))])


@functools.cache
def coefficients() -> np.ndarray:
    """All of them in one array, in the order that collocation.py knows.

    c (8), the nodes without the start; A (9, 8) and B (9, 8): what the value at a node (row) adds to the integral up to
    a point (column), and to the integral of that; M (9, 9): what it adds to the coefficient of P_k (column).
    """
    x = (1 - np.cos(np.pi * np.arange(NODES) / POINTS)) / 2  # to begin with
    for _ in range(10):  # Newton's iteration for z P_8 = P_7, which holds at the ends and where P_8' is zero
        P = legvander(2 * x - 1, NODES + 1)  # of P_0 ... P_10 at fractions x of the step
        x = x - ((2 * x - 1) * P[:, POINTS] - P[:, POINTS - 1]) / (2 * NODES * P[:, POINTS])
    x = (x + 1 - x[::-1]) / 2
    P = legvander(2 * x - 1, NODES + 1)
    weights = 1 / (POINTS * NODES * P[:, POINTS] ** 2)  # of Lobatto's quadrature; their sum is 1
    norms = 1 / (2 * np.arange(NODES) + 1.0)
    norms[POINTS] = 1 / POINTS  # the quadrature of P_8^2, whose degree is beyond it
    M = weights[:, None] * P[:, :NODES] / norms  # discrete orthogonality
    once = integrals(P, x)
    twice = integrals(once, x**2 / 2)
    A, B = M @ once[1:, :NODES].T, M @ twice[1:].T
    return np.concatenate([x[1:], A.ravel(), B.ravel(), M.ravel()])


def both_ways() -> np.ndarray:
    """The same, and M transposed behind it."""
    return np.append(coefficients(), coefficients()[-NODES * NODES :].reshape(NODES, NODES).T)
