"""Linear complementarity: forces within bounds, of which none acts more than it is needed.

    a = A f + b,    lower <= f <= upper,    a > 0 only where f is lower, a < 0 only where f is upper

With x = f - lower, y = upper - f and a = a+ - s this is the standard problem w = M z + q >= 0, z >= 0, w z = 0. It is
solved by C. E. Lemke's method (Bimatrix equilibrium points and mathematical programming, Management Science 11 (1965)
681-689), with ratios compared lexicographically, so that no basis comes twice: it ends, either at a solution or at a
ray. Where A is positive semidefinite and the bounds are numbers, a ray means that there is no solution (R. W. Cottle,
J.-S. Pang, R. E. Stone, The linear complementarity problem, 1992, theorem 4.4.11).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from easydyn.sim.linear import solver
from easydyn.sim.strike import SOFTNESS

PIVOT = 1e-11  # of the largest entry: what is smaller is no pivot
SWEEPS, SETTLED, MOVES = 4000, 1e-12, 1e-6  # of relaxation; of the largest force, acceleration
SHARED = 1e-7  # of a force: what changes by less after many sweeps only moves among those that share a load
SOFT = 1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 0.0  # of mobilities: what gives way shares its load; one after the other
NEWTON_STEPS, LEAST_SHARE, NEAR = 60, 1e-3, 1e-9  # the least part of a step; of the largest force: near enough
CLEAR = 1e-6  # of a force: nearer to a bound a guess is not taken
CHANGES = 15  # of a guess
DEPENDENT = 1e-9  # of mobilities: what nothing is left of when others are held
DEPENDS = 1e-5  # of a motion: a larger part of it is that of another
MOST_PIVOTS = 100  # for each unknown
REFINEMENTS = 3  # of forces, where the shortest ones would pull, or press on others; as many again, ever less soft
TRIES, BLOCKS = 100, 4  # of sets of forces, for each of them; and while no fewer are wrong
MOST_NEWTON, SHORT, INSIDE = 60, 0.999, 1e-14  # steps from inside, parts of them; forces times rates that are zero
TINY = 1e-300
SQUEEZED = 1e-6  # of the velocities: gaps that go on closing by more cannot be kept open


def lemke(M: np.ndarray, q: np.ndarray) -> np.ndarray | None:
    """Which of w (n,) and z (n,) are basic in a solution of w = M z + q >= 0, z >= 0, w z = 0: True for z.

    Parameters
    ----------
    M, q : arrays (n, n), (n,)
        In any unit.

    Returns
    -------
    array (n,) of bool, or None
        None where the method ends at a ray.

    Notes
    -----
    C. E. Lemke's method.

    Example
    -------
    >>> lemke(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-4.0, 1.0]))
    array([ True, False])
    """
    n = len(q)
    if not n or q.min() >= 0:
        return np.zeros(n, dtype=bool)
    T = np.hstack([np.eye(n), -M, -np.ones((n, 1)), q[:, None]])  # the first n columns: the inverse of the basis
    basis = np.arange(n)

    def pivot(row: int, column: int) -> int:
        T[row] /= T[row, column]
        factors = T[:, column].copy()
        factors[row] = 0.0
        np.subtract(T, factors[:, None] * T[row], out=T)
        left, basis[row] = int(basis[row]), column
        return left

    last = int(np.lexsort(T[:, [-1, *range(n)]].T[::-1])[0])  # the row of what is added to all, until it leaves
    left = pivot(last, 2 * n)
    for _ in range(MOST_PIVOTS * (n + 1)):
        entering = left + n if left < n else left - n
        column = T[:, entering]
        rows = (column > (small := PIVOT * np.abs(T[:, : 2 * n]).max())).nonzero()[0]
        if not len(rows):
            return None
        least = (ratios := T[rows, -1] / column[rows]).min()
        if column[last] > small and T[last, -1] / column[last] <= least + 1e-14 * np.abs(T[:, -1]).max():
            row = last
        else:
            rows = rows[ratios == least]
            row = int(rows[np.lexsort((T[rows, :n] / column[rows, None]).T[::-1])[0]] if len(rows) > 1 else rows[0])
        left = pivot(row, entering)
        if left == 2 * n:
            return (basis[:, None] == np.arange(n, 2 * n)).any(axis=0)
    return None


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


def sides(A: np.ndarray, b: np.ndarray, bounds: Bounds) -> np.ndarray | None:
    """Sides of all forces: 0 if a is zero, -1 at the lower bound, 1 at the upper bound; None if there is no solution.

    Parameters
    ----------
    A, b : arrays (k, k), (k,)
        a = A f + b, in any units.
    bounds : Bounds
        Of the forces.

    Returns
    -------
    array (k,) of int, or None

    Notes
    -----
    By `lemke`, in units in which each force accelerates by one.

    Example
    -------
    >>> none = np.zeros(2)
    >>> bounds = Bounds(np.array([-1.0, 0.0]), np.array([1.0, np.inf]), none, np.arange(2))
    >>> sides(np.eye(2), np.array([3.0, -2.0]), bounds)
    array([-1,  0])
    """
    k = len(b)
    size = np.exp2(-np.round(np.log2(np.maximum(A.diagonal(), 1e-300)) / 2))  # a force that accelerates by about one
    A, b = A * (size[:, None] * size), b * size
    lower, upper = bounds.lower / size, bounds.upper / size
    P = np.zeros((k, k))
    P[np.arange(k), bounds.normal] += bounds.share * size[bounds.normal] / size
    unit = max(np.abs(b).max(initial=0), np.abs(lower).max(initial=0), np.abs(upper[upper < np.inf]).max(initial=0))
    if not unit:
        return np.zeros(k, dtype=int)
    b, lower, upper = b / unit, lower / unit, upper / unit
    bounded, E = (upper < np.inf).nonzero()[0], np.eye(k)
    M = np.zeros((k + len(bounded),) * 2)  # f = lower + x - P f_n, and P f_n = P x, as what presses has no share itself
    M[:k, :k], M[:k, k:], M[k:, :k] = A @ (E - P), E[:, bounded], (2 * P - E)[bounded]
    z = lemke(M, np.concatenate([b + A @ lower, (upper - lower)[bounded]]))
    if z is None:
        return None
    found = np.where(z[:k], 0, -1)
    found[bounded[z[k:]]] = 1
    return found


def _from_guess(
    A: np.ndarray, b: np.ndarray, bounds: Bounds, side: np.ndarray
) -> tuple[np.ndarray, np.ndarray] | None:  # fmt: skip
    """Sides and forces in which nothing is near to where it would be another, a few changes from a guess."""
    if bounds.share.any():
        return None
    if len(b) == 1:
        return _alone(A, b, bounds)
    for _ in range(CHANGES):
        inside = np.flatnonzero(side == 0)
        f = np.where(side > 0, bounds.upper, np.where(side < 0, bounds.lower, 0.0))
        try:
            f[inside] = np.linalg.solve(A[np.ix_(inside, inside)], -(b + A @ f)[inside])
        except np.linalg.LinAlgError:
            return None
        beyond = ((f > bounds.upper).astype(int) - (f < bounds.lower)) * (side == 0)
        pulled = side * (A @ f + b) > 0
        if not beyond.any() and not pulled.any():
            room = np.minimum(bounds.upper - f, f - bounds.lower)[inside]
            return (side, f) if np.all(room > CLEAR * np.abs(f[inside])) else None
        side = np.where(pulled, 0, side + beyond)
    return None


def _alone(A: np.ndarray, b: np.ndarray, bounds: Bounds) -> tuple[np.ndarray, np.ndarray] | None:
    """Side and force of a single one."""
    most, least, needed = float(bounds.upper[0]), float(bounds.lower[0]), -float(b[0]) / float(A[0, 0])
    if least * (1 - CLEAR) < needed < most * (1 - CLEAR):
        return np.array([0]), np.array([needed])
    if needed > most:
        return np.array([1]), np.array([most])
    return (np.array([-1]), np.array([least])) if needed < least else None


def forces(A: np.ndarray, b: np.ndarray, bounds: Bounds, side: np.ndarray) -> np.ndarray:
    """The forces (k,) for the given sides; if there are many solutions, the one of least norm.

    Parameters
    ----------
    A, b : arrays (k, k), (k,)
        a = A f + b, in any units.
    bounds : Bounds
        Of the forces.
    side : array (k,)
        As found by `sides` (no unit).

    Example
    -------
    >>> none = np.zeros(2)
    >>> bounds = Bounds(np.array([-1.0, 0.0]), np.array([1.0, np.inf]), none, np.arange(2))
    >>> forces(np.eye(2), np.array([3.0, -2.0]), bounds, np.array([-1, 0]))
    array([-1.,  2.])
    """
    k, at_bound = len(b), side != 0
    rows, right = A.copy(), -b
    scale = np.abs(A.diagonal()).max(initial=1e-300)
    for i in np.flatnonzero(at_bound):
        rows[i] = 0.0
        rows[i, i] = scale
        if bounds.normal[i] != i:
            rows[i, bounds.normal[i]] = -scale * bounds.share[i] * side[i]
        right[i] = scale * (bounds.upper[i] if side[i] > 0 else bounds.lower[i])
    return np.linalg.lstsq(rows, right, rcond=1e-12)[0] if k else np.zeros(0)


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


def solution(
    A: np.ndarray, b: np.ndarray, bounds: Bounds, pairs: Sequence[tuple[int, int]] = (),
    guess: np.ndarray | None = None,
) -> Solution | None:  # fmt: skip
    """Forces with pairs: a pair has two components of friction in a plane, within a cone (Coulomb's law).

    A pair that cannot be held slides along its acceleration.

    Parameters
    ----------
    A, b : arrays (k, k), (k,)
        a = A f + b, in any units.
    bounds : Bounds
        Bounds of the forces; those of a pair are given as if each component were alone.
    pairs : sequence of (int, int)
        The indices of the two components of each pair.
    guess : array (k,), optional
        Sides (no unit); a clear solution that is reached from there by few changes is accepted.

    Returns
    -------
    Solution, or None
        The solution; None if there is none, or if it was not found.

    Notes
    -----
    Coulomb's law. Without pairs by `sides`; else by Newton's method on projections, or by relaxation.

    Example
    -------
    >>> bounds = Bounds(np.zeros(3), np.array([np.inf, 0, 0]), np.array([0, 0.5, 0.5]), np.zeros(3, dtype=int))
    >>> found = solution(np.eye(3), np.array([-10.0, 6.0, 8.0]), bounds, [(1, 2)])
    >>> found.force, found.direction
    (array([10., -3., -4.]), array([0. , 0.6, 0.8]))
    """
    k = len(b)
    if not A.all():  # forces that do not move each other are found apart
        number = islands(k, [*np.argwhere(A).tolist(), *enumerate(bounds.normal.tolist()), *pairs])
        if number.any():
            return _of_islands(number, A, b, bounds, pairs, guess)
    near = None if guess is None or pairs else _from_guess(A, b, bounds, guess)
    if near is not None:
        return Solution(near[1], near[0], np.zeros(k))
    if not pairs and (side := sides(A, b, bounds)) is not None:
        return Solution(forces(A, b, bounds, side), side, np.zeros(k))
    if not bounds.share.any():
        return None
    found = newton(A, b, bounds, pairs)
    return _relaxed(A, b, bounds, pairs) if found is None else found


def islands(n: int, pairs: Iterable[Sequence[int]]) -> np.ndarray:
    """The number (n,) of the island of each of n things, of which these pairs belong together; the first is in 0."""
    number = list(range(n))
    for i, j in pairs:
        a, b = sorted((number[i], number[j]))
        if a != b:
            number = [a if x == b else x for x in number]
    return np.array(number)


def _of_islands(
    number: np.ndarray, A: np.ndarray, b: np.ndarray, bounds: Bounds, pairs: Sequence[tuple[int, int]],
    guess: np.ndarray | None,
) -> Solution | None:  # fmt: skip
    """The solutions of several islands, put together."""
    (force, direction), (side, place) = np.zeros((2, len(b))), np.zeros((2, len(b)), dtype=int)
    for group in (np.flatnonzero(number == x) for x in sorted(set(number.tolist()))):
        place[group] = np.arange(len(group))
        own = Bounds(bounds.lower[group], bounds.upper[group], bounds.share[group], place[bounds.normal[group]])
        both = [(int(place[i]), int(place[j])) for i, j in pairs if i in group]
        found = solution(A[np.ix_(group, group)], b[group], own, both, None if guess is None else guess[group])
        if found is None:
            return None
        force[group], side[group], direction[group] = found
    return Solution(force, side, direction)


def newton(
    A: np.ndarray, b: np.ndarray, bounds: Bounds, pairs: Sequence[tuple[int, int]], near: np.ndarray | None = None
) -> Solution | None:  # fmt: skip
    """The same by Newton's method on f = what f - r a is projected to: from forces that are `near`.

    Without these, of bodies that are less and less soft.

    P. Alart, A. Curnier, A mixed formulation for frictional contact problems prone to Newton like solution methods,
    Computer Methods in Applied Mechanics and Engineering 92 (1991) 353-375.
    """
    k, own = len(b), np.maximum(A.diagonal(), 1e-300)
    f, r, found = np.zeros(k) if near is None else near, 1 / own, None
    for softness in SOFT if near is None else (0.0,):
        soft = A + softness * np.diag(own)
        off, slopes, side, towards = _projected(soft, b, bounds, pairs, r, f)
        for _ in range(NEWTON_STEPS if near is None else CHANGES):
            size = float(np.linalg.norm(off))
            if size <= SETTLED * max(float(np.abs(f).max(initial=0)), 1e-300):
                break
            step, share = None, 1.0
            with suppress(np.linalg.LinAlgError, RuntimeError):  # all that gives way has one solution
                step = None if near is None else solver(slopes, False)(-off)
            if step is None:  # else the shortest of many
                step = np.linalg.lstsq(slopes, -off, rcond=1e-13)[0]
            while True:
                off, slopes, side, towards = _projected(soft, b, bounds, pairs, r, f + share * step)
                if share < LEAST_SHARE or np.linalg.norm(off) < (1 - share / 10) * size:
                    break
                share /= 2
            f = f + share * step
        if softness <= SOFT[-3] and np.linalg.norm(off) <= NEAR * np.abs(f).max(initial=0):
            found = Solution(f, side, towards)
    return found


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
    off = f - np.where(side > 0, high, np.where(side < 0, low, y))
    slopes = eye - np.where(side[:, None] != 0, side[:, None] * grows, dy)
    direction = np.zeros(len(b))
    for i, j in partner.items():
        both, scale = [i, j], min(r[i], r[j])
        y2, dy2 = f[both] - scale * (A[both] @ f + b[both]), eye[both] - scale * A[both]
        size = float(np.hypot(*y2))
        if size <= limit[i]:
            side[both], off[both], slopes[both] = 0, f[both] - y2, eye[both] - dy2
            continue
        u = y2 / size
        side[both], direction[both], off[both] = -1, -u, f[both] - limit[i] * u
        slopes[both] = eye[both] - np.outer(u, grows[i]) - limit[i] / size * (np.eye(2) - np.outer(u, u)) @ dy2
    return off, slopes, side, direction


def _relaxed(A: np.ndarray, b: np.ndarray, bounds: Bounds, pairs: Sequence[tuple[int, int]]) -> Solution | None:
    """The same by relaxation, one force after the other, each projected on what it may be: for many that share a load.

    J. J. Moreau, M. Jean, The contact dynamics method, 1996; that it ends at a solution is looked at, not proven.
    """
    first, second = {i for i, _ in pairs}, {j for _, j in pairs}
    partner = dict(pairs)
    f, size = np.zeros(len(b)), np.maximum(A.diagonal(), 1e-300)
    order = sorted(range(len(b)), key=lambda i: bounds.normal[i] != i)  # what presses first
    for sweep in range(SWEEPS):
        largest = 0.0
        for i in order:
            if i in second:
                continue
            limit = bounds.share[i] * f[bounds.normal[i]]
            if i in first:
                both = [i, partner[i]]
                new = f[both] - (A[both] @ f + b[both]) / size[both].max()
                new *= min(1.0, limit / max(float(np.hypot(*new)), 1e-300))
                largest = max(largest, float(np.abs(new - f[both]).max()))
                f[both] = new
            else:
                value = f[i] - (A[i] @ f + b[i]) / size[i]
                value = min(max(value, bounds.lower[i] - limit), bounds.upper[i] + limit)
                largest = max(largest, abs(value - f[i]))
                f[i] = value
        if largest <= (SETTLED if sweep < SWEEPS / 8 else SHARED) * np.abs(f).max():
            return _read_off(A, b, bounds, pairs, f)
    return None


def _read_off(
    A: np.ndarray, b: np.ndarray, bounds: Bounds, pairs: Sequence[tuple[int, int]], f: np.ndarray
) -> Solution:  # fmt: skip
    """The sides of forces that have been found: at a bound is what moves there."""
    a, limit = A @ f + b, bounds.share * f[bounds.normal]
    still = np.abs(a) <= MOVES * (np.abs(b).max() + 1e-300)
    side = np.where(still, 0, np.where(f <= bounds.lower - limit + MOVES * np.abs(f).max(), -1, 1))
    side = np.where((bounds.normal == np.arange(len(b))) & np.isinf(bounds.upper), np.where(f > 0, 0, -1), side)
    direction = np.zeros(len(b))
    for i, j in pairs:
        slides = not (still[i] and still[j])
        side[[i, j]] = -1 if slides else 0
        if slides:
            direction[[i, j]] = a[[i, j]] / np.hypot(a[i], a[j])
    return Solution(f, side, direction)


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


def pushing(A: np.ndarray, b: np.ndarray, either: Sequence[bool] = ()) -> np.ndarray:
    """The forces x >= 0 for which A x + b >= 0, and zero where x > 0 (a linear complementarity problem).

    A (m, m) is positive semidefinite; where `either` is true, x may have any sign and A x + b is zero. A load that
    could be carried in many ways is shared: of all x the shortest.
    """
    both = np.array(either or [False] * len(b))
    if len(b) == 1 and A[0, 0] > 0:
        return -b / A[0] if both[0] else np.maximum(-b / A[0], 0.0)  # type: ignore[no-any-return]
    x = soft(A, b, both)
    pushes = both | (x > 0)
    shortest = np.zeros(len(b))
    shortest[pushes] = np.linalg.lstsq(A[np.ix_(pushes, pushes)], -b[pushes], rcond=1e-12)[0]
    if np.all(shortest[~both] >= 0) and np.all((A @ shortest + b)[~pushes] >= -SQUEEZED * np.abs(b).max()):
        return shortest
    softness = SOFTNESS
    for k in range(2 * REFINEMENTS):
        if k >= REFINEMENTS:  # what is nearly a load that could be carried in many ways, as of an arch
            if np.all((A @ x + b)[~both] >= -SQUEEZED * np.abs(b).max()):
                break
            softness /= 10
        x = soft(A, b, both, x, softness)
    return x


def soft(A: np.ndarray, b: np.ndarray, both: np.ndarray, near: Any = 0.0, softness: float = SOFTNESS) -> np.ndarray:
    """The same with a softness beside A, of what x is more than a guess that is `near`; repeated, it converges.

    All that push and should not, or do not and should, change at once as long as they become fewer, then one by one:
    J. J. Judice, F. M. Pires, Computers and Operations Research 21 (1994) 587-596.
    """
    softness *= max(np.abs(A).max(initial=0.0), TINY)
    A, b = A + softness * np.eye(len(b)), b - softness * near
    few, pushes, fewest, left = 1e-12 * np.abs(b).max(), both | (b < 0), len(b) + 1, BLOCKS
    for _ in range(TRIES * len(b)):
        x = np.zeros(len(b))
        x[pushes] = np.linalg.solve(A[pushes][:, pushes], -b[pushes])
        wrong = ~both & np.where(pushes, x < 0, A @ x + b < -few)
        count = int(wrong.sum())
        if not count:
            break
        left, fewest = (BLOCKS, count) if count < fewest else (left - 1, fewest)
        pushes ^= wrong if left > 0 else np.arange(len(b)) == np.flatnonzero(wrong)[-1]
    return x


def guessed(A: np.ndarray, b: np.ndarray, pushes: np.ndarray) -> np.ndarray:
    """The same of a positive definite A, from a guess of what `pushes` (m,): near to it a few changes are enough."""
    few = 1e-12 * np.abs(b).max(initial=0.0)
    for _ in range(CHANGES):
        x = np.zeros(len(b))
        x[pushes] = solver(A[pushes][:, pushes])(-b[pushes])
        wrong = np.where(pushes, x < 0, A @ x + b < -few)
        if not wrong.any():
            return x
        pushes = pushes ^ wrong
    return inside(A, b)


def inside(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The forces x (m,) >= 0 with A x + b >= 0, and zero where x > 0, of a positive definite A: for many that interact.

    By predictor and corrector from the inside of what is allowed: S. Mehrotra, On the implementation of a primal-dual
    interior point method, SIAM Journal on Optimization 2 (1992) 575-601. Then exactly, where that changes nothing.
    """
    m, unit = len(b), 1 / np.sqrt(A.diagonal())
    size = np.abs(b * unit).max() or 1.0
    A, b = A * np.outer(unit, unit), b * unit / size
    x, w = np.ones(m), np.ones(m)
    for _ in range(MOST_NEWTON):
        off, mean = A @ x + b - w, float(x @ w) / m
        if mean < INSIDE and np.abs(off).max() < np.sqrt(INSIDE):
            break
        solve = solver(A + np.diag(w / x))
        target = np.zeros(m)
        for last in (False, True):
            dx = solve(target / x - w - off)
            dw = (target - w * dx) / x - w
            both, change = np.concatenate([x, w]), np.concatenate([dx, dw])
            share = float(min(1.0, (-both[change < 0] / change[change < 0]).min(initial=1.0)))
            if not last:
                left = float((x + share * dx) @ (w + share * dw)) / m
                target = left**3 / mean**2 - dx * dw
        x, w = x + SHORT * share * dx, w + SHORT * share * dw
    pushes, exact = x > w, np.zeros(m)
    exact[pushes] = solver(A[pushes][:, pushes])(-b[pushes])
    right = exact.min() >= 0 and np.all((A @ exact + b)[~pushes] >= -np.sqrt(INSIDE))
    return (exact if right else x) * unit * size  # type: ignore[no-any-return]
