"""The numbers of collocation at nine Lobatto points: E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential
Equations I (1993), section II.7, and G. Wanner, II (1996), section IV.5 (Lobatto IIIA).

The points are the ends of the step and the extrema of the Legendre polynomial P_8 between them. All is worked out from
Legendre's polynomials, whose values stay small: no system of equations is solved.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.polynomial import legendre

POINTS = 8  # beside the start of the step
NODES = POINTS + 1


def polynomials(x: np.ndarray) -> np.ndarray:
    """P_0 ... P_10 at fractions x (N,) of the step: (N, 11)."""
    return legendre.legvander(2 * x - 1, NODES + 1)


def integrals(P: np.ndarray) -> np.ndarray:
    """Of rows of P_0, P_1, ... their integrals from 0 to x; two columns fewer, the first is x.

    (2k + 1) P_k is the derivative of P_(k+1) - P_(k-1), and x is twice as fast in P as in the step.
    """
    k = np.arange(1, P.shape[1] - 1)
    first = (P[:, :1] + P[:, 1:2]) / 2  # of P_0 = 1
    return np.hstack([first, (P[:, 2:] - P[:, :-2]) / (2 * (2 * k + 1))])


@functools.cache
def coefficients() -> np.ndarray:
    """All of them in one array, in the order that collocation.py knows.

    c (8), the nodes without the start; A (9, 8) and B (9, 8): what the value at a node (row) adds to the integral up to
    a point (column), and to the integral of that; M (9, 9): what it adds to the coefficient of P_k (column).
    """
    extrema = legendre.legroots(legendre.legder([0.0] * POINTS + [1.0])).real
    slope, curvature = (legendre.legder([0.0] * POINTS + [1.0], m) for m in (1, 2))
    for _ in range(3):  # Newton's iteration, to the last digit
        extrema = extrema - legendre.legval(extrema, slope) / legendre.legval(extrema, curvature)
    inner = np.sort((extrema - extrema[::-1]) / 2)
    x = np.concatenate([[0.0], (1 + inner) / 2, [1.0]])
    P = polynomials(x)
    weights = 1 / (POINTS * NODES * P[:, POINTS] ** 2)  # of Lobatto's quadrature; their sum is 1
    norms = 1 / (2 * np.arange(NODES) + 1.0)
    norms[POINTS] = 1 / POINTS  # the quadrature of P_8^2, whose degree is beyond it
    M = weights[:, None] * P[:, :NODES] / norms  # discrete orthogonality
    once = integrals(P)
    twice = integrals_of_integrals(once)
    A, B = M @ once[1:, :NODES].T, M @ twice[1:].T
    return np.concatenate([x[1:], A.ravel(), B.ravel(), M.ravel()])


def integrals_of_integrals(once: np.ndarray) -> np.ndarray:
    """Of rows I_0 = x, I_1, ..., I_9 their integrals from 0 to x, up to that of I_8."""
    k = np.arange(1, NODES)
    return np.hstack([once[:, :1] ** 2 / 2, (once[:, 2:] - once[:, :-2]) / (2 * (2 * k + 1))])
