"""Ways to forces within bounds (`easydyn/sim/cone.py`), each by itself, and one of pivots to compare with."""

import numpy as np

from easydyn.sim import cone


def sides(A, b, bounds):
    """Sides of all forces, or None."""
    found = cone.solve(A, b, bounds)
    return None if found is None else found.side


def by_newton(A, b, bounds, pairs):
    """Newton's method alone, of bodies that are less and less soft."""
    f = np.zeros(len(b))
    for softness in (1e-2, 1e-4, 1e-6, 1e-8, 0.0):
        found, ended = cone.newton(A + softness * np.diag(A.diagonal()), b, bounds, pairs, f)
        f = found.force
    return found if ended else None


def by_cones(A, b, bounds, pairs):
    """Cones alone, of bodies that are hardly soft, until nothing is left but what a last step takes away."""
    d, kept = 1e-6 * A.diagonal(), cone.newton
    cone.newton = lambda *problem: (cone.Solution(problem[-1], None, None), False)
    try:
        f = np.zeros(len(b))
        for _ in range(8):
            f = cone.softly(A, b, d, bounds, pairs, f)[0].force
    finally:
        cone.newton = kept
    return cone.newton(A, b, bounds, pairs, f)[0]


def soft(A, b, both, softness):
    """The forces that push, of a positive definite A, by pivots one by one: the first one that is wrong changes.

    K. G. Murty, Note on a Bard-type scheme for solving the complementarity problem, Opsearch 11 (1974) 123-130.
    """
    pushes, few = both | (b < 0), 1e-12 * np.abs(b).max()
    while True:
        x = np.zeros(len(b))
        x[pushes] = np.linalg.solve(A[np.ix_(pushes, pushes)], -b[pushes])
        wrong = np.flatnonzero(np.where(pushes, x < 0, A @ x + b < -few))
        if not len(wrong):
            return x
        pushes[wrong[0]] ^= True


def guessed(A, b, pushes):
    """From forces that push, and some that do not."""
    softness = A.diagonal().min() / 10 * np.ones(len(b))
    return cone.pushing(A - np.diag(softness), b, guess=np.where(pushes, 1.0, 0.0), softness=softness)
