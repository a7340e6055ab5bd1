"""Many starts of a mechanism that are assembled together, each as it would be alone.

Arrays have a leading axis for the starts. What `Constraints` decides for one is decided for each of them here. A start
that needs more than the plain way is assembled alone: by other guesses, with columns that are hardly independent.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import numpy as np

from easydyn.constraints.assembly import CLOSED, GOOD, MOST_STEPS, RANK, REACH, ROUNDING, Constraints
from easydyn.errors import EasyDynError


class Stack(Constraints):
    """The constraints at configurations (..., n); it finds starts (N, n) at which they hold.

    Parameters
    ----------
    at : Constraints
        The same for one configuration.
    like : Closing
        How a run was assembled with which the starts share rows and columns.
    count : int
        Number of starts.
    values : dict of str to array (N,), optional
        Parameters that differ, in their own units.
    """

    def __init__(self, at: Constraints, like: Any, count: int, values: Mapping[str, np.ndarray] = MappingProxyType({})):
        super().__init__(at.system, at.t, at.states)
        self.given, self.some = values, np.arange(count)  # those that are looked at
        # `fine`: those that go the plain way so far
        self.like, self.rank, self.fine = like, at.n - like.redundancy.degrees_of_freedom, np.ones(count, dtype=bool)

    def numbers(self, key: Any, q: np.ndarray, qd: np.ndarray | None = None) -> np.ndarray:
        x = np.zeros((3, *q.shape[:-1], self.system.n))
        x[0, ..., : self.n], x[1, ..., : self.n] = q, 0.0 if qd is None else qd
        own = {name: y[self.some] for name, y in self.given.items()}
        return self.system.at_values(key, own, self.t, tuple(x))  # type: ignore[no-any-return]

    def check_limits(self, q: np.ndarray) -> None:
        self.fine &= (self.numbers(tuple(node for _, node in self._limits), q) > 0).all(axis=1)

    def _ready(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A (N, m, n) with rows of one size, their sizes (N, m), and the last singular value that counts."""
        J, size = self._jacobian(q), self.size(q)
        self.fine &= np.isfinite(J).all(axis=(1, 2))
        J = np.where(self.fine[:, None, None], J * np.where(self.angles, 1.0, size)[:, None], 0.0)
        rows = self._sizes(J, size)[:, :, None]
        values = np.linalg.svd(J / rows, compute_uv=False)
        self.fine &= (values > RANK * np.maximum(values[:, :1], 1.0)).sum(axis=1) == self.rank
        return J / rows, rows[:, :, 0], values[:, self.rank - 1]

    def _chosen(self, J: np.ndarray, first: np.ndarray, then: Any = 0) -> np.ndarray:
        """True (N, n) for columns that the others determine; `first` (n,), and `then` (N, n), are taken last."""
        late = np.broadcast_to(2 * first + then, (len(J), self.n))
        order = self.n - 1 - np.argsort(late[:, ::-1], axis=1, kind="stable")
        left, every, chosen, long = J, np.arange(len(J)), np.zeros(late.shape, dtype=bool), np.linalg.norm(J, axis=1)
        least = np.maximum(GOOD * long, ROUNDING * long.max(axis=1, keepdims=True))
        for c in order.T:
            own = left[every, :, c]
            norm = np.linalg.norm(own, axis=1)
            chosen[every, c] = (norm > least[every, c]) & (chosen.sum(axis=1) < self.rank)
            own = own * (chosen[every, c] / np.where(norm > 0, norm, 1.0))[:, None]
            left = left - own[:, :, None] * (own[:, None] @ left)
        self.fine &= chosen.sum(axis=1) == self.rank
        return chosen

    def _moved(self, q: np.ndarray, free: np.ndarray) -> np.ndarray:
        """What Newton's iteration reaches from q by moving the `free` coordinates (N, n); NaN where it fails."""
        found, live, size, place = np.full(q.shape, np.nan), np.arange(len(q)), self.size(q), self.of_place
        g, columns, halves = self.values(q)[:, place], np.where(self.angles, 1.0, size), 0.5 ** np.arange(7)
        error, size, columns = np.abs(g).max(axis=1, initial=0), size[:, 0], columns * free
        before, slow = np.full(len(q), np.inf), np.zeros(len(q))
        for _ in range(MOST_STEPS):
            J = self._jacobian(q)[:, place] * columns[:, None]
            fine, slow = np.isfinite(J).all(axis=(1, 2)) & (error < np.inf), np.where(error > 0.9 * before, slow + 1, 0)
            done = fine & (error <= CLOSED * size) & ((error >= 0.5 * before) | (error <= 1e-15 * size))
            found[live[done]] = q[done]
            on = fine & ~done & (slow <= 12)
            live, q, g, J, before, slow, size, columns = (x[on] for x in (live, q, g, J, error, slow, size, columns))
            self.some = live
            if not len(live):
                break
            step = -(np.linalg.pinv(J, rcond=1e-9) @ g[:, :, None])[:, :, 0]
            step *= columns / np.maximum(1.0, np.abs(step).max(axis=1, keepdims=True) / REACH)
            tried = q + halves[:, None, None] * step
            left = self.values(tried)[..., place]
            errors = np.abs(left).max(axis=2)
            good = (errors < before) | (before <= CLOSED * size)
            k = np.where(good.any(axis=0), good.argmax(axis=0), len(halves) - 1), np.arange(len(q))
            q, g, error = tried[k], left[k], errors[k]
        self.some = np.arange(len(found))
        return found

    def assembled(self, q: np.ndarray, qd: np.ndarray, given: Collection[str]) -> tuple[np.ndarray, np.ndarray]:
        """Compatible q and qd (N, n) nearest to these; initial values that are `given` are kept."""
        freedoms, known, names = self.n - self.rank, self.like.redundancy.known, np.array(self.names)
        hold, kept = (np.isin([f"{x}{end}" for x in names], [*given]) for end in ("", ".dot"))
        self.fine &= max(hold.sum(), kept.sum()) <= freedoms
        self.check_limits(q)
        placed = self._moved(q, self._chosen(self._ready(q)[0], hold))
        self.fine &= np.isfinite(placed).all(axis=1)
        placed = np.where(self.fine[:, None], placed, q)
        self.check_limits(placed)
        J, rows, last = self._ready(placed)
        columns, missing = np.where(self.angles, 1.0, self.size(placed)), self.rates(placed, qd) / rows
        free = self._chosen(J, kept, qd != 0)[:, None]
        speeds = qd - columns * (np.linalg.pinv(J * free, rcond=1e-10) @ missing[:, :, None])[:, :, 0]
        left, most = (np.abs(x).max(axis=1, initial=0) for x in (self.rates(placed, speeds) / rows, missing))
        other = np.isin(names, self.like.closed.independent) == self._chosen(J, hold)
        other |= hold & (np.abs(placed - q) > 1e-9 * columns)
        other |= kept & (qd != 0) & (np.abs(speeds - qd) > 1e-6 * np.maximum(np.abs(qd), columns))
        fixed = np.reshape([x.fixed for x in self.system.program("constraint_jacobian").outputs], J.shape[1:])
        same = (J.any(axis=2) == known).all(axis=1) & (known.sum() == self.rank) & known[~fixed.all(axis=1)].all()
        self.fine &= same & (last > 1e-3) & (left <= 1e-9 * np.maximum(1.0, most)) & ~other.any(axis=1)
        return placed, speeds


def starts(
    model: Any, initial: Mapping[str, Any], closing: Any, system: Any, t: float, values: Mapping[str, np.ndarray],
    varied: Collection[str],
) -> np.ndarray:  # fmt: skip
    """q, qd and branches (N, ...) of runs of a model at `t` (s) that begin elsewhere than the one with this `closing`.

    `values` (N,) are initial values and parameters that differ, by name: those that are `varied`, and what follows from
    these. NaN is a run whose independent coordinates, equations or closed forms are others, or that may come to a dead
    point.
    """
    parameters, (count,), solver = closing.whole.parameters, next(iter(values.values())).shape, model.solver
    own = {name: x for name, x in values.items() if name in parameters}
    at, known = Stack(closing.constraints, closing, count, own), solver.known_forms(closing.closed.independent)
    q, qd = (np.tile(x[: at.n], (count, 1)) for x in model.initial(initial, parameters))
    for j, name in enumerate(at.names):
        q[:, j], qd[:, j] = values.get(name, q[:, j]), values.get(f"{name}.dot", qd[:, j])
    found, plain = np.zeros((count, 2 * at.n + len(closing.forms.branches))), np.zeros(count, dtype=bool)
    if known is not None and known.forms.forms == closing.forms.forms:
        as_declared = solver.has_declared_lengths(parameters) and own.keys().isdisjoint(closing.constraints.lengths)
        with np.errstate(all="ignore"):  # of starts that are assembled alone
            q, qd = at.assembled(q, qd, {*map(str, initial), *varied})
            plain, signs = known.signs(at, q, at.size(q)[:, None], as_declared)
        plain &= at.fine
        found = np.concatenate([q, qd, signs[:, [form.branch is not None for form in known.forms.forms]]], axis=1)
    for k in np.flatnonzero(~plain):
        found[k] = _alone(model, initial, closing, t, {x: float(values[x][k]) for x in varied})
    if closing.safe:  # else each step looks at it
        branches = dict(zip(closing.forms.branches, found[:, 2 * at.n :].T, strict=True))
        found[~solver.are_safe(system, own | branches, count)] = np.nan
    return found


def _alone(model: Any, initial: Any, closing: Any, t: float, other: Mapping[str, float]) -> Any:
    """q, qd and branches of one of these runs, of which `other` initial values and parameters differ."""
    own, solver = {name: other.get(name, x) for name, x in closing.whole.parameters.items()}, model.solver
    with suppress(EasyDynError):  # which is told of the run that is made alone
        closed, redundancy = solver.closed({**initial, **{x: other[x] for x in other if x not in own}}, own, t)
        forms = solver.forms(closed, own, t)
        both = (closed, redundancy, forms), (closing.closed, closing.redundancy, closing.forms)
        one, other_one = ((c.independent, c.beside is None, r.kept, r.known.tolist(), f.forms) for c, r, f in both)
        if one == other_one and not {*closed.moved} & {*other}:
            return [*closed.q, *closed.qd, *forms.branches.values()]
    return np.nan
