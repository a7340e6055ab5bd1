"""Multiple shooting: a fit that also works when runs soon forget their initial state, as in chaos.

The time is cut into pieces. Each piece begins at its own state s_k, near the measured values there. These states and
the unknowns x are improved together, until the pieces fit the data and each other (H. G. Bock, Recent advances in
parameter identification techniques for ordinary differential equations, 1983): least squares of

    (y(t_i; x, s_k) - y_i) / sigma_i        and        (the end of piece k - s_{k+1}) / the spread of the states

The result is a guess from which a fit with a single run can start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from easydyn.errors import IntegrationError, ModelError
from easydyn.study.problem import Problem

LEAST_PIECES, MOST_PIECES, LEAST_INSTANTS = 20, 40, 4
MOST_SHOTS = 40
STIFFNESS = (1.0, 30.0, 1000.0)  # of the gaps, one after the other
CLOSE = 1e-4  # the rest is for a single run


class _Piece(NamedTuple):
    r: np.ndarray  # residuals
    by_x: np.ndarray  # by the unknowns of the fit
    by_s: np.ndarray  # by the state at the beginning
    end: np.ndarray  # state
    A: np.ndarray  # its derivatives by the state at the beginning
    B: np.ndarray  # and by the unknowns


class Shooting:
    """A fit over several pieces of time."""

    def __init__(self, problem: Problem, pieces: int | None):
        self.problem, self.x = problem, problem.unknowns.guess  # the best so far
        self.states = tuple(problem.model.initial_values)
        names = problem.unknowns.names
        self.names = (*names, *(x for x in self.states if x not in names))
        times = problem.instants
        count = _pieces(problem) if pieces is None else pieces
        count = max(1, min(count, len(times) // LEAST_INSTANTS))
        ends = np.unique(np.linspace(0, len(times) - 1, count + 1).round().astype(int))
        self.ranges = [(a + 1 if k else 0, b + 1) for k, (a, b) in enumerate(zip(ends, ends[1:], strict=False))]
        self.begins = [problem.t_start, *(float(times[a - 1]) for a, _ in self.ranges[1:])]
        self.spread = np.ones(len(self.states))

    def rounds(self) -> Iterator[np.ndarray]:
        """Successive values of the unknowns, from which a single run can go on; each round weights the gaps more."""
        u = self.problem.unknowns
        starts = self._first_states(u.guess)
        begin = np.concatenate([u.guess, *starts])
        z, size = begin, np.concatenate([u.size, *[self.spread] * len(starts)])
        free = np.full(len(z) - len(u.guess), np.inf)
        low, high = np.concatenate([u.low, -free]), np.concatenate([u.high, free])
        for stiffness in STIFFNESS:
            z = self._improved(z, size, low, high, stiffness)
            yield z[: len(u.guess)]

    def _improved(self, z: np.ndarray, size: np.ndarray, low: np.ndarray, high: np.ndarray, stiffness: float) -> Any:
        """Levenberg and Marquardt: small matrices, nothing that a library would spread over cores."""
        found, damping = self._assembled(z, stiffness), 1e-3
        if found is None:
            x = z[: len(self.problem.unknowns.names)]
            raise ModelError(
                f"model '{self.problem.model.name}' comes to no end with {self.problem.told(x)}: begin the fit with "
                "other values."
            )
        r, J = found
        for _ in range(MOST_SHOTS):
            A, g = (J.T @ J) * np.outer(size, size), J.T @ r * size
            step = np.linalg.solve(A + np.diag(damping * A.diagonal() + 1e-12 * A.diagonal().max()), -g)
            tried = np.clip(z + step * size, low, high)
            found = self._assembled(tried, stiffness)
            before, after = float(r @ r), float("inf") if found is None else float(found[0] @ found[0])
            if not after < before:
                damping *= 8
                if damping > 1e8:
                    break
                continue
            z, (r, J), damping = tried, found, damping / 8
            self.x = z[: len(self.problem.unknowns.names)]
            if before - after < CLOSE * before and damping < 1e-3:
                break
        return z

    def _assembled(self, z: np.ndarray, stiffness: float) -> Any:
        """Residuals and gaps, and their derivatives by the unknowns and all states; None where a piece has no end."""
        m, n, weight = len(self.problem.unknowns.names), len(self.states), stiffness * self._weight
        starts = list(z[m:].reshape(-1, n))
        pieces = self._shot(z[:m], starts)
        if pieces is None:
            return None
        counts = [len(p.r) for p in pieces]
        J, r = np.zeros((sum(counts) + n * len(starts), len(z))), np.concatenate([p.r for p in pieces])
        gaps, row = [], 0
        for k, (piece, count) in enumerate(zip(pieces, counts, strict=True)):
            own = slice(m + n * (k - 1), m + n * k)
            J[row : row + count, :m] = piece.by_x
            if k:
                J[row : row + count, own] = piece.by_s
            row += count
            if k < len(starts):
                at = slice(sum(counts) + n * k, sum(counts) + n * (k + 1))
                per = (weight / self.spread)[:, None]
                gaps.append((piece.end - starts[k]) * per[:, 0])
                J[at, :m] = piece.B * per
                if k:
                    J[at, own] = piece.A * per
                J[at, m + n * k : m + n * (k + 1)] = -np.diag(per[:, 0])
        return np.concatenate([r, *gaps]), J

    @property
    def _weight(self) -> float:
        """What a gap as large as the motion counts for beside a residual as large as it."""
        columns = self.problem.columns
        size = np.mean([np.mean((one.spread / one.sigma[one.there]) ** 2) for one in columns])
        return float(np.sqrt(size * len(self.problem.instants) / len(self.ranges)))

    def _shot(self, x: np.ndarray, starts: list[np.ndarray]) -> list[_Piece] | None:
        """All pieces from their states; None where one of them comes to no end."""
        found = []
        self.problem.spend()
        try:
            for k in range(len(self.ranges)):
                found.append(self._piece(k, x, starts[k - 1] if k else None))
        except (IntegrationError, ModelError):
            return None
        return found

    def _piece(self, k: int, x: np.ndarray, start: np.ndarray | None) -> _Piece:
        problem, names = self.problem, self.problem.unknowns.names
        first, last = self.ranges[k]
        rows, at = problem.saved[first:last], problem.instants[first:last]
        initial = None if start is None else dict(zip(self.states, start.tolist(), strict=True))
        s = problem.sensitivity(self.names, x, self.begins[k], at, initial)
        own = [name for name in names if start is None or name not in self.states]
        r, by_x, by_s = [], [], []
        for one in problem.columns:
            values, by = problem.along(s, one)
            there, sigma = one.there[rows], one.sigma[rows]
            r.append(((values - one.values[rows]) / sigma)[there])
            by = (by / sigma[:, None])[there]
            by_x.append(self._of(by, names, own))
            by_s.append(self._of(by, self.states, self.states))
        end = np.array([s.run[name][-1] for name in self.states])
        ends = np.array([s.gradient(name)[-1] for name in self.states])
        return _Piece(
            np.concatenate(r), np.concatenate(by_x), np.concatenate(by_s), end,
            self._of(ends, self.states, self.states), self._of(ends, names, own),
        )  # fmt: skip

    def _of(self, derivatives: np.ndarray, names: Any, own: Any) -> np.ndarray:
        """The columns of some names; zero of those that play no part in this piece."""
        found = derivatives[:, [self.names.index(name) for name in names]].copy()
        found[:, [k for k, name in enumerate(names) if name not in own]] = 0
        return found

    # -- where the pieces begin at first ---------------------------------------------------------------------------

    def _first_states(self, x: np.ndarray) -> list[np.ndarray]:
        """States at the beginnings but the first: measured, or by their measured coordinate, or reached by a run."""
        self.problem.spend()
        found: list[np.ndarray] = []
        before: np.ndarray | None = None
        for k in range(len(self.ranges) - 1):
            seen = [self._seen(name, self.begins[k + 1]) for name in self.states]
            reached = np.array([np.nan if value is None else value for value in seen])
            if None in seen:
                unseen = np.isnan(reached)
                reached[unseen] = self._reached(k, x, before)[unseen]
            found.append(reached)
            before = reached
        if found:
            self.spread = np.maximum(np.std([*found, found[0]], axis=0), 1e-3 * (1 + np.abs(found).max(axis=0)))
        return found

    def _reached(self, k: int, x: np.ndarray, before: np.ndarray | None) -> np.ndarray:
        """Where a piece ends; where it began, if it comes to no end."""
        try:
            return self._piece(k, x, before).end
        except (IntegrationError, ModelError):
            if before is None:
                raise
            return before

    def _seen(self, name: str, t: float) -> float | None:
        """What the data say of a coordinate or its rate, by a parabola through the values nearby; None without data."""
        base, _, rate = name.partition(".")
        for asked, degree in ((name, 0), (base, 1)) if rate else ((name, 0),):
            for one in self.problem.columns:
                if str(one.what) == asked and (
                    asked == name or base not in map(str, self.problem.model.mechanism.states)
                ):
                    times, values = self.problem.t[one.there], one.values[one.there]
                    near = np.argsort(np.abs(times - t))[: min(len(times), self._window)]
                    if len(near) < 4:
                        return None
                    scale = float(np.abs(times[near] - t).max()) or 1.0
                    parts = np.polynomial.polynomial.polyfit(
                        (times[near] - t) / scale, values[near], min(3, len(near) - 1)
                    )
                    return float(parts[degree] / scale**degree)
        return None

    @property
    def _window(self) -> int:
        """How many values stand about an instant within which the motion is nearly a parabola."""
        return int(np.clip(len(self.problem.instants) / (4 * len(self.ranges)), 5, 41))


def _pieces(problem: Problem) -> int:
    """About as many as the quickest column turns round, twenty at least where there are enough instants."""
    most = 0
    for one in problem.columns:
        values = one.values[one.there]
        wide = max(1, len(values) // 100)
        smooth = np.convolve(values, np.ones(wide) / wide, "valid")[::wide]
        most = max(most, int(np.sum(np.diff(np.sign(np.diff(smooth))) != 0)))
    return int(np.clip(most, LEAST_PIECES, MOST_PIECES))
