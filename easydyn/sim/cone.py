"""Forces within bounds, with Coulomb's friction: rigid bodies, and those that give way a little.

    a = A f + b,    lower <= f <= upper,    a > 0 only where f is lower, a < 0 only where f is upper

Friction that is a share of a pressing force is within the bounds that this force gives it; two components of friction
in a plane are on a disc, against their acceleration. Bodies that give way have A + diag(d), with softnesses d.

Forces that only push, without friction, follow from a guess of those that do (`pushing`). Elsewhere (`solve`, `softly`)
Newton's method is quick, and exact, where it comes to an end (`newton`). It begins again nearer to the forces where it
does not: on cones alone the problem is that of the least value of a convex function, which is always found (`least`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from easydyn.sim.linear import solver

SOFT = (1e-8, 0.0), (1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 0.0)  # of mobilities; the first ones are enough most often
FIRM = 1e-3  # of mobilities: with so much left beside the others, forces share nothing
STIFF = 1e-8  # of mobilities: what gives way no more than that is as good as rigid, and too stiff for cones
SETTLED, NEAR = 1e-12, 1e-9  # of the largest force: the end of Newton's method, and where it is near enough
NEWTON_STEPS, MORE, LEAST_SHARE = 15, 3, 1e-3  # times these where sides are found; the least part of a step
ATTEMPTS, ROUNDS = 3, 5  # of Newton's method; of the parting of what slides
CONVEX_STEPS, FLAT_ENOUGH = 100, 1e-10  # of the largest force
LENGTHS, FLAT = 30, 0.1  # that are tried of a step; of the slope at its beginning
RANK = 1e-11  # a step may be so much longer than what it makes up for
CLOSE = 1e-6  # of the largest force: nearer than that a side may change, however far away that is along what is stiff
CLEAR = 1e-6  # of a force: nearer to a bound it may be there, and no mode is taken without the problem
DEPENDENT = 1e-9  # of mobilities: what nothing is left of when others are held
DEPENDS = 1e-5  # of a motion: a larger part of it is that of another
TINY = 1e-300
CHANGES = 15  # of a guess of what pushes
SQUEEZED = 1e-6  # of the velocities: gaps that go on closing by more cannot be kept open


class Bounds(NamedTuple):
    """The largest and the smallest value of each of k forces.

    Attributes
    ----------
    lower, upper : arrays (k,)
        lower <= 0 <= upper; upper may be infinite.
    share : array (k,)
        Each bound is moved outwards by share times the pressing force.
    normal : array (k,) of int
        The index of the pressing force; its own index if there is none (its share is then zero).
    """

    lower: np.ndarray
    upper: np.ndarray
    share: np.ndarray
    normal: np.ndarray


class Solution(NamedTuple):
    """Forces, and their sides.

    Attributes
    ----------
    force : array (k,)
        f.
    side : array (k,) of int
        0 if a is zero, -1 at the lower bound, 1 at the upper one; both are -1 for a sliding pair.
    direction : array (k,)
        For a sliding pair, the components of the direction of its sliding (no unit).
    """

    force: np.ndarray
    side: np.ndarray
    direction: np.ndarray


def pushing(
    A: np.ndarray, b: np.ndarray, either: Sequence[bool] = (), guess: np.ndarray | None = None,
    softness: np.ndarray | None = None,
) -> np.ndarray:  # fmt: skip
    """The forces x >= 0 for which A x + b >= 0, and zero where x > 0; where there are none, those that squeeze.

    Where `either` is true, x may have any sign and A x + b is zero. A load that could be carried in many ways is
    shared: of all x the shortest. Of bodies that give way by softnesses (k,) it is found from a `guess` (k,).
    """
    k = len(b)
    A = A if softness is None else A + np.diag(softness)
    if k == 1 and A[0, 0] > 0:
        return -b / A[0] if either and either[0] else np.maximum(-b / A[0], 0.0)
    both = np.array(either or [False] * k, dtype=bool)
    pushes = both | (b < 0 if guess is None else guess > 0)
    if softness is not None:
        x = guessed(A, b, pushes, both)
        return by_least_squares(A, b) if x is None else x
    stiff = STIFF * np.abs(A).max(initial=TINY)
    x = guessed(A + stiff * np.eye(k), b, pushes, both)
    if x is not None:
        pushes, x = both | (x > 0), np.zeros(k)
        x[pushes] = np.linalg.lstsq(A[pushes][:, pushes], -b[pushes], rcond=1e-12)[0]
        if np.all(x[~both] >= 0) and np.all((A @ x + b)[~pushes] >= -SQUEEZED * np.abs(b).max(initial=0.0)):
            return x
    bounds = Bounds(np.where(both, -np.inf, 0.0), np.full(k, np.inf), np.zeros(k), np.arange(k))
    found = solve(A, b, bounds)
    return (softly(A, b, np.full(k, stiff), bounds, (), np.zeros(k))[0] if found is None else found).force


def guessed(A: np.ndarray, b: np.ndarray, pushes: np.ndarray, both: np.ndarray) -> np.ndarray | None:
    """The same of a positive definite A, from a guess of what `pushes` (m,); None where a few changes are not enough.

    Where `both` (m,) is true, forces have any sign.
    """
    few = 1e-12 * np.abs(b).max(initial=0.0)
    for _ in range(CHANGES):
        x = np.zeros(len(b))
        x[pushes] = solver(A[pushes][:, pushes])(-b[pushes])
        wrong = np.where(pushes, x < 0, A @ x + b < -few) & ~both
        if not wrong.any():
            return x
        pushes = pushes ^ wrong
    return None


def by_least_squares(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The forces x (m,) >= 0 with A x + b >= 0, and zero where x > 0, of a positive definite A: for many that interact.

    They have the least x' A x / 2 + b' x, and so are a problem of least squares of a factor of A.

    C. L. Lawson, R. J. Hanson, Solving Least Squares Problems, Prentice-Hall, 1974, chapter 23.
    """
    from scipy.linalg import cholesky, solve_triangular
    from scipy.optimize import nnls

    factor = cholesky(A)
    return nnls(factor, -solve_triangular(factor, b, trans=1))[0]  # type: ignore[no-any-return]


def solve(
    A: np.ndarray, b: np.ndarray, bounds: Bounds, pairs: Sequence[tuple[int, int]] = (), guess: Any = None
) -> Solution | None:  # fmt: skip
    """Forces of rigid bodies: those that could carry a load in many ways share it, as those that give way would.

    Parameters
    ----------
    A, b : arrays (k, k), (k,)
        a = A f + b, in any units.
    bounds : Bounds
        Bounds of the forces; those of a pair are given as if each component were alone.
    pairs : sequence of (int, int)
        The indices of the two components of each pair: friction in a plane, within a cone (Coulomb's law). A pair that
        cannot be held slides along its acceleration.
    guess : array (k,), optional
        Forces from which the search begins.

    Returns
    -------
    Solution, or None
        The solution; None if there is none, or if it was not found.

    Notes
    -----
    Rigid bodies are the limit of those that give way less and less.

    Example
    -------
    >>> bounds = Bounds(np.zeros(3), np.array([np.inf, 0, 0]), np.array([0, 0.5, 0.5]), np.zeros(3, dtype=int))
    >>> found = solve(np.eye(3), np.array([-10.0, 6.0, 8.0]), bounds, [(1, 2)])
    >>> found.force, found.direction
    (array([10., -3., -4.]), array([0. , 0.6, 0.8]))
    """
    k, rubs = len(b), bool(pairs) or bounds.share.any()
    start, own = np.zeros(k) if guess is None else np.asarray(guess, dtype=float), np.maximum(A.diagonal(), TINY)
    if k < 2 and (A > 0).all():
        return _alone(A, b, bounds)
    if k == 2 and rubs and (one := _one_contact(A, b, bounds)) is not None:
        return one
    if not A.all():  # forces that do not move each other are found apart
        number = islands(k, [*np.argwhere(A).tolist(), *enumerate(bounds.normal.tolist()), *pairs])
        if number.any():
            return _of_islands(number, A, b, bounds, pairs, start)
    for turn in SOFT:
        f, found = start, None
        for soft in turn:
            at, ended = softly(A, b, soft * (own if rubs else np.full(k, own.max())), bounds, pairs, f)
            f = at.force
            if ended and soft <= STIFF:
                found = at
                if not rubs:
                    clear = (CLEAR, forces(A, b, bounds, at.side)) if soft else (SETTLED, f)
                    shortest, exact = _shortest(A, b, bounds, at.side, *clear)
                    if exact:
                        return shortest
                    f = shortest.force
        if found is not None:
            return found
    return None


def islands(n: int, pairs: Iterable[Sequence[int]]) -> np.ndarray:
    """The number (n,) of the island of each of n things, of which these pairs belong together; the first is in 0."""
    number = list(range(n))
    for i, j in pairs:
        a, b = sorted((number[i], number[j]))
        if a != b:
            number = [a if x == b else x for x in number]
    return np.array(number)


def _of_islands(
    number: np.ndarray, A: np.ndarray, b: np.ndarray, bounds: Bounds, pairs: Sequence[tuple[int, int]], guess: Any
) -> Solution | None:  # fmt: skip
    """The solutions of several islands, put together."""
    (force, direction), (side, place) = np.zeros((2, len(b))), np.zeros((2, len(b)), dtype=int)
    for group in (np.flatnonzero(number == x) for x in sorted(set(number.tolist()))):
        place[group] = np.arange(len(group))
        own = Bounds(bounds.lower[group], bounds.upper[group], bounds.share[group], place[bounds.normal[group]])
        both = [(int(place[i]), int(place[j])) for i, j in pairs if i in group]
        found = solve(A[np.ix_(group, group)], b[group], own, both, guess[group])
        if found is None:
            return None
        force[group], side[group], direction[group] = found
    return Solution(force, side, direction)


def forces(A: np.ndarray, b: np.ndarray, bounds: Bounds, side: np.ndarray) -> np.ndarray:
    """The forces (k,) for the given sides; if there are many solutions, the one of least norm.

    Parameters
    ----------
    A, b : arrays (k, k), (k,)
        a = A f + b, in any units.
    bounds : Bounds
        Of the forces.
    side : array (k,)
        Of each (no unit).

    Example
    -------
    >>> none = np.zeros(2)
    >>> bounds = Bounds(np.array([-1.0, 0.0]), np.array([1.0, np.inf]), none, np.arange(2))
    >>> forces(np.eye(2), np.array([3.0, -2.0]), bounds, np.array([-1, 0]))
    array([-1.,  2.])
    """
    at, rows, right, scale = np.flatnonzero(side), A.copy(), -b, np.abs(A.diagonal()).max(initial=1e-300)
    rows[at] = 0.0
    rows[at, at] = scale
    rows[at, bounds.normal[at]] -= scale * bounds.share[at] * side[at]
    right[at] = scale * np.where(side > 0, bounds.upper, bounds.lower)[at]
    return np.linalg.lstsq(rows, right, rcond=1e-12)[0] if len(b) else np.zeros(0)


def _shortest(
    A: np.ndarray, b: np.ndarray, bounds: Bounds, side: np.ndarray, clear: float, f: np.ndarray
) -> tuple[Solution, bool]:  # fmt: skip
    """The shortest forces near f, and whether they are exact; what is no clearer of a bound is taken to be there."""
    unit = 1 / np.sqrt(np.maximum(A.diagonal(), TINY))
    edge = clear * np.linalg.norm(f / unit) * unit
    beyond = np.where(f > bounds.upper - edge, 1, np.where(f < bounds.lower + edge, -1, 0))
    side = np.where(side == 0, beyond, side)
    f = np.where(side == 0, forces(A, b, bounds, side), np.where(side > 0, bounds.upper, bounds.lower))
    off = f - np.clip(f - unit * unit * (A @ f + b), bounds.lower, bounds.upper)
    exact = np.linalg.norm(off / unit) <= SETTLED * np.linalg.norm(f / unit)
    return Solution(f, side, np.zeros(len(f))), bool(exact)


def _alone(A: np.ndarray, b: np.ndarray, bounds: Bounds) -> Solution:
    """The solution of a single force, or of none."""
    free = -b / A.diagonal()
    side = (free > bounds.upper).astype(int) - (free < bounds.lower)
    return Solution(np.clip(free, bounds.lower, bounds.upper), side, np.zeros(len(b)))


def _one_contact(A: np.ndarray, b: np.ndarray, bounds: Bounds) -> Solution | None:
    """The solution of a contact and of its friction along a line; None where it is near others, or there is more."""
    i, mu = int(bounds.share.argmax()), float(bounds.share.max())
    j, of, along, towards = 1 - i, A.tolist(), float(b[i]), min(float(b[1 - i]), 0.0)
    own, cross, back, presses = of[i][i], of[i][j], of[j][i], of[j][j]
    left, most = own * presses - cross * back, bounds.upper.tolist()
    usual = bounds.normal[i] == j and most[i] == 0 and most[j] == np.inf and not bounds.lower.any()
    if not usual or min(left, own * (presses - mu * abs(back))) <= FIRM * own * abs(presses):
        return None
    holds, low = (towards * cross - along * presses) / left, mu * towards / (presses - mu * back)
    high = -mu * towards / (presses + mu * back)
    rubs = min(max(holds, low), high)
    found = np.array([[rubs, -(towards + back * rubs) / presses], [(holds > high) - (holds < low), -int(b[j] > 0)]])
    return Solution(found[0, [i, j]], found[1, [i, j]].astype(int), np.zeros(2))


def softly(
    A: np.ndarray, b: np.ndarray, softness: np.ndarray, bounds: Bounds, pairs: Sequence[tuple[int, int]], f: np.ndarray
) -> tuple[Solution, bool]:  # fmt: skip
    """The same of bodies that give way by softnesses (k,), from forces nearby; and whether it has come to an end.

    By `newton`; where that does not come to an end, from forces that a few rounds over cones have brought nearer: the
    rate of parting is moved by that of sliding, until it is that of Coulomb's law. Those of many rounds are near.

    G. De Saxce, Z.-Q. Feng, The bipotential method, Mathematical and Computer Modelling 28 (1998) 225-245.
    """
    stiff, cones, own = A + np.diag(softness), None, A.diagonal()
    if len(b) < 2 and (stiff > 0).all():
        return _alone(stiff, b, bounds), True
    for _ in range(ATTEMPTS):
        found, ended = newton(stiff, b, bounds, pairs, f)
        if ended or softness.max() <= STIFF * own.max() or np.abs(A - A.T).max() > NEAR * own.max():
            return found, ended
        cones = cones or Cones(bounds, pairs)
        d, rubs = cones.alike(softness), cones.normals < cones.size
        for _ in range(ROUNDS):
            v, moved = np.append(stiff @ f + b, 0.0), b.copy()
            moved[cones.normals[rubs]] += cones.share[rubs] * np.hypot(*v[cones.ways[rubs]].T)
            f = least(A, moved, d, cones, f)
    return found._replace(force=f), False


def newton(
    A: np.ndarray, b: np.ndarray, bounds: Bounds, pairs: Sequence[tuple[int, int]], f: np.ndarray
) -> tuple[Solution, bool]:  # fmt: skip
    """Newton's method on f = what f - r a is projected to, from forces nearby; and whether it has come to an end.

    P. Alart, A. Curnier, A mixed formulation for frictional contact problems prone to Newton like solution methods,
    Computer Methods in Applied Mechanics and Engineering 92 (1991) 353-375.
    """
    r = 1 / np.where(A.diagonal() > 0, A.diagonal(), 1.0)
    unit = np.sqrt(r)  # of each force: what accelerates by as much
    whole = not pairs and not bounds.share.any()  # steps: sides are found, and these once
    off, slopes, side, towards = _projected(A, b, bounds, pairs, r, f)
    for _ in range((MORE if whole else 1) * NEWTON_STEPS):
        size, share = math.hypot(*(off / unit)), 1.0
        if size <= SETTLED * math.hypot(*(f / unit)):
            break
        step = _step(slopes * unit / unit[:, None], -off / unit) * unit
        while True:
            off, slopes, side, towards = _projected(A, b, bounds, pairs, r, f + share * step)
            away = math.hypot(*(off / unit))
            if whole or share < LEAST_SHARE or away < (1 - share / 10) * size or away < CLOSE * math.hypot(*(f / unit)):
                break
            share /= 2
        f = f + share * step
    f = np.where(side == 0, f, f - off)  # at its bound, but for nothing
    return Solution(f, side, towards), math.hypot(*(off / unit)) <= NEAR * math.hypot(*(f / unit))


def _step(slopes: np.ndarray, off: np.ndarray) -> np.ndarray:
    """The solution, or the shortest of many."""
    with suppress(np.linalg.LinAlgError, RuntimeError):
        step, size = solver(slopes, False)(off), np.abs(off).max()
        if np.abs(slopes @ step - off).max() <= NEAR * size and np.abs(step).max() <= size / RANK:
            return step
    return np.linalg.lstsq(slopes, off, rcond=1e-13)[0]


def _projected(
    A: np.ndarray, b: np.ndarray, bounds: Bounds, pairs: Sequence[tuple[int, int]], r: np.ndarray, f: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """How far f (k,) is from the projection of f - r a, the slopes of that (k, k), sides, and directions of sliding."""
    eye, partner = np.eye(len(b)), dict(pairs)
    pressed = np.maximum(f[bounds.normal], 0.0)
    limit, grows = bounds.share * pressed, (bounds.share * (pressed > 0))[:, None] * eye[bounds.normal]
    y, dy = f - r * (A @ f + b), eye - r[:, None] * A
    low, high = bounds.lower - limit, bounds.upper + limit
    side = (y > high).astype(int) - (y < low)
    off = f - np.minimum(np.maximum(y, low), high)
    slopes = eye - np.where(side[:, None] != 0, side[:, None] * grows, dy)
    direction = np.zeros(len(b))
    for i, j in partner.items():
        both, scale = [i, j], min(r[i], r[j])
        y2, dy2 = f[both] - scale * (A[both] @ f + b[both]), eye[both] - scale * A[both]
        size = math.hypot(*y2)
        if size <= limit[i]:
            side[both], off[both], slopes[both] = 0, f[both] - y2, eye[both] - dy2
            continue
        u = y2 / size
        side[both], direction[both], off[both] = -1, -u, f[both] - limit[i] * u
        slopes[both] = eye[both] - np.outer(u, grows[i]) - limit[i] / size * (np.eye(2) - np.outer(u, u)) @ dy2
    return off, slopes, side, direction


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
        self.together, self.wide = np.column_stack([self.normals, self.ways]), np.pad(self.ways, ((0, 0), (0, 1)))
        self.wide[:, 2] = k
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
        rows = [np.column_stack([one, np.full((len(one), 2), self.size)]), self.together[ray], self.wide[turns]]
        rays = np.column_stack([np.ones(len(ray)), mu[ray, None] * u[ray]]) / np.sqrt(1 + mu[ray, None] ** 2)
        turned = np.column_stack([-u[turns, 1], u[turns, 0], np.zeros(len(turns))])
        turned *= np.sqrt(most[turns] / across[turns])[:, None]
        return f[:-1], np.concatenate(rows), np.concatenate([np.eye(1, 3).repeat(len(one), axis=0), rays, turned])


def least(A: np.ndarray, b: np.ndarray, d: np.ndarray, cones: Cones, f: np.ndarray) -> np.ndarray:
    """The forces f = P(-(A f + b) / d), from those nearby, of softnesses d (k,) that are alike in each cone.

    They have the least value of the convex function f A f / 2 + f b + sum of d f^2 / 2, f on cones, so that Newton's
    method with a line search finds them from everywhere: A. M. Castro, F. N. Permenter, X. Han, An unconstrained convex
    formulation of compliant contact, IEEE Transactions on Robotics 39 (2023) 1301-1320.
    """
    k, Af = len(b), A @ f
    wide, wide_d = np.pad(A, (0, 1)), np.append(d, 1.0)  # the last row and column stand for nothing
    p, rows, values = cones.project(-(Af + b) / d)
    for _ in range(CONVEX_STEPS):
        off = p - f
        if np.abs(off).max(initial=0.0) <= FLAT_ENOUGH * np.abs(p).max(initial=0.0):
            break
        values = values / np.sqrt(wide_d[rows])
        AL = sum(wide[:, rows[:, c]] * values[:, c] for c in range(3))
        S = sum(values[:, c, None] * AL[rows[:, c]] for c in range(3)) + np.eye(len(rows))
        z = solver(S)(AL[:k].T @ off) if len(rows) else np.zeros(0)
        step = off - np.bincount(rows.ravel(), (values * z[:, None]).ravel(), k + 1)[:k]
        A_step, share = A @ step, 1.0
        low = high = 0.0, float(A_step @ (f - p))  # a length and the slope of the function there
        flat = FLAT * abs(low[1])
        for _ in range(LENGTHS):
            p, rows, values = cones.project(-(Af + share * A_step + b) / d)
            slope = float(A_step @ (f + share * step - p))
            if abs(slope) <= flat or share == 1 and slope < 0 or low[1] >= 0:
                break
            low, high = ((share, slope), high) if slope < 0 else (low, (share, slope))
            share = low[0] + min(max(low[1] / (low[1] - high[1]), 0.1), 0.9) * (high[0] - low[0])
        f, Af = f + share * step, Af + share * A_step
    return p


def independent(A: np.ndarray, own: np.ndarray, preference: np.ndarray) -> list[int]:
    """Independent rows of a mobility matrix (k, k), by pivots, first those of most `preference` (k,).

    `own` (k,) are the mobilities with nothing held.
    """
    A, found = A.copy(), list[int]()
    for _ in range(len(A)):
        left = np.divide(A.diagonal(), own, out=np.zeros(len(A)), where=own > 0)
        k = int(np.argmax(np.where(left > DEPENDENT, left * preference + 1e-300, 0.0)))
        if left[k] <= DEPENDENT:
            break
        found.append(k)
        A -= np.outer(A[:, k], A[k]) / A[k, k]
    return sorted(found)


def together(A: np.ndarray, own: np.ndarray, preference: np.ndarray) -> tuple[list[int], list[int]]:
    """Rows of a mobility matrix that depend on others, and those among them that move, with these others."""
    holding = independent(A, own, preference)
    rest = [i for i in range(len(A)) if i not in holding]
    moved = [i for i in rest if A[i, i] > DEPENDENT * own[i]]
    if not moved:
        return rest, []
    theirs = np.linalg.lstsq(A[np.ix_(holding, holding)], A[np.ix_(holding, moved)], rcond=DEPENDENT)[0]
    return rest, sorted([*moved, *(i for i, c in zip(holding, np.abs(theirs).max(axis=1)) if c > DEPENDS)])
