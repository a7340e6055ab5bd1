"""Forces of bodies that give way a little: each in a convex set, such as the cone of friction.

    v = A f + b,        f = P(-v / d)

P projects what belongs together on its set: a force that pushes, one between bounds, two components of friction on a
disc, a contact with friction on its cone. The d are softnesses. These f have the least value of the convex function

    f A f / 2 + sum of d |P(-v / d)|^2 / 2

so that Newton's method with a line search finds them from everywhere: A. M. Castro, F. N. Permenter, X. Han, An
unconstrained convex formulation of compliant contact, IEEE Transactions on Robotics 39 (2023) 1301-1320.

On the cone alone, what slides at s would part at mu s. The rate of parting is moved by it until it is that of Coulomb's
law: G. De Saxce, Z.-Q. Feng, The bipotential method, Mathematical and Computer Modelling 28 (1998) 225-245.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from easydyn.sim.complementarity import TINY, Bounds, newton
from easydyn.sim.linear import solver

MOST_NEWTON, SETTLED = 100, 1e-10  # steps; of the largest force
TRIES, FLAT = 30, 0.1  # of lengths of a step; of the slope at its beginning
ATTEMPTS, ROUNDS = 3, 5  # of Newton's method; of the parting of what slides


class Cones:
    """The sets of k forces.

    Parameters
    ----------
    bounds : Bounds
        Of the forces: those with a share of a pressing force are on the cone of this one.
    pairs : sequence of (int, int)
        The two components of friction in a plane.
    """

    def __init__(self, bounds: Bounds, pairs: Sequence[tuple[int, int]]):
        k = len(bounds.lower)
        second, partner = {j for _, j in pairs}, dict(pairs)
        rubs = [i for i in range(k) if bounds.normal[i] != i and i not in second]
        discs = [i for i in partner if bounds.normal[i] == i]
        self.size = k
        self.ways = np.array([[i, partner.get(i, k)] for i in (*rubs, *discs)], dtype=int).reshape(-1, 2)
        self.normals = np.array([*(bounds.normal[i] for i in rubs), *[k] * len(discs)], dtype=int)
        self.together = np.column_stack([self.normals, self.ways])
        self.share = np.array([*(bounds.share[i] for i in rubs), *[1.0] * len(discs)])
        self.radius = np.array([*[0.0] * len(rubs), *(bounds.upper[i] for i in discs)])
        apart = np.ones(k + 1, dtype=bool)
        apart[self.together], apart[k] = False, False
        self.alone = np.flatnonzero(apart)
        self.lower, self.upper = bounds.lower[self.alone], bounds.upper[self.alone]

    def alike(self, softness: np.ndarray) -> np.ndarray:
        """Softnesses (k,) of which those of each cone are the same: the largest."""
        found = np.append(softness, 0.0)
        found[self.together] = found[self.together].max(axis=1, initial=0.0)[:, None]
        return found[:-1]

    def project(self, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The nearest forces to a (k,), and the slopes L L' of this: rows and values (m, 3) of the columns of L."""
        f, a = np.zeros(self.size + 1), np.append(a, 0.0)
        f[self.alone] = np.clip(a[self.alone], self.lower, self.upper)
        n, t = a[self.normals], a[self.ways]
        cone, mu, across = self.normals < self.size, self.share, np.hypot(*t.T)
        most = np.where(cone, mu * np.maximum(n, 0.0), self.radius)
        sticks = (across <= most) & (~cone | (n > 0))
        slides = ~sticks & (~cone | (n > -mu * across)) & (across > 0)
        u = t / np.maximum(across, TINY)[:, None]
        pressed = np.where(cone, np.where(slides, (n + mu * across) / (1 + mu**2), np.where(sticks, n, 0.0)), 0.0)
        most = np.where(cone, mu * pressed, self.radius)
        f[self.ways] = np.where(sticks[:, None], t, np.where(slides, most, 0.0)[:, None] * u)
        f[self.normals] = pressed
        inside = self.alone[(a[self.alone] > self.lower) & (a[self.alone] < self.upper)]
        held = self.together[sticks].ravel()
        one, moves = np.concatenate([inside, held[held < self.size]]), np.flatnonzero(slides)
        ray = moves[cone[moves]]
        turns = moves[(self.ways[moves, 1] < self.size) & (most[moves] > 0)]
        rows = [
            np.column_stack([one, np.full((len(one), 2), self.size)]),
            self.together[ray],
            np.column_stack([self.ways, np.full(len(mu), self.size)])[turns],
        ]
        root, turned = np.sqrt(1 + mu[ray] ** 2), np.sqrt(most[turns] / across[turns])
        values = [
            np.eye(1, 3).repeat(len(one), axis=0),
            np.column_stack([np.ones(len(ray)), mu[ray, None] * u[ray]]) / root[:, None],
            np.column_stack([-u[turns, 1], u[turns, 0], np.zeros(len(turns))]) * turned[:, None],
        ]
        return f[:-1], np.concatenate(rows), np.concatenate(values)


def least(A: np.ndarray, b: np.ndarray, d: np.ndarray, cones: Cones, f: np.ndarray) -> np.ndarray:
    """The forces (k,), from those nearby, of softnesses d (k,) that are alike in each cone."""
    k, Af = len(b), A @ f
    wide, wide_d = np.pad(A, (0, 1)), np.append(d, 1.0)  # the last row and column stand for nothing
    p, rows, values = cones.project(-(Af + b) / d)
    for _ in range(MOST_NEWTON):
        off = p - f
        if np.abs(off).max(initial=0.0) <= SETTLED * np.abs(p).max(initial=0.0):
            break
        values = values / np.sqrt(wide_d[rows])
        AL = sum(wide[:, rows[:, c]] * values[:, c] for c in range(3))
        S = sum(values[:, c, None] * AL[rows[:, c]] for c in range(3)) + np.eye(len(rows))
        z = solver(S)(AL[:k].T @ off) if len(rows) else np.zeros(0)
        step = off - np.bincount(rows.ravel(), (values * z[:, None]).ravel(), k + 1)[:k]
        A_step, share = A @ step, 1.0
        low = high = 0.0, float(A_step @ (f - p))  # a length and the slope of the function there
        flat = FLAT * abs(low[1])
        for _ in range(TRIES):
            p, rows, values = cones.project(-(Af + share * A_step + b) / d)
            slope = float(A_step @ (f + share * step - p))
            if abs(slope) <= flat or share == 1 and slope < 0:
                break
            low, high = ((share, slope), high) if slope < 0 else (low, (share, slope))
            share = low[0] + min(max(low[1] / (low[1] - high[1]), 0.1), 0.9) * (high[0] - low[0])
        f, Af = f + share * step, Af + share * A_step
    return p


def coulomb(
    A: np.ndarray, b: np.ndarray, softness: np.ndarray, bounds: Bounds, pairs: Sequence[tuple[int, int]], f: np.ndarray
) -> np.ndarray:  # fmt: skip
    """The forces (k,) with Coulomb's friction, from those nearby, of softnesses (k,).

    By `newton` from these; where that does not come to an end, from forces that a few rounds over cones have brought
    nearer. Those of many rounds are near enough.
    """
    stiff, cones = A + np.diag(softness), None
    for _ in range(ATTEMPTS):
        found = newton(stiff, b, bounds, pairs, f)
        if found is not None:
            return found.force
        cones = cones or Cones(bounds, pairs)
        d, rubs = cones.alike(softness), cones.normals < cones.size
        for _ in range(ROUNDS):
            v, moved = np.append(stiff @ f + b, 0.0), b.copy()
            moved[cones.normals[rubs]] += cones.share[rubs] * np.hypot(*v[cones.ways[rubs]].T)
            f = least(A, moved, d, cones, f)
    return f
