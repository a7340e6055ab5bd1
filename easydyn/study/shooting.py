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


class _Range(NamedTuple):
    run: int
    begin: float  # s
    until: float
    start: int | None  # which of the states it begins with; None at the beginning of a run


class Shooting:
    """A fit over several pieces of time, of each run."""

    def __init__(self, problem: Problem, pieces: int | None):
        self.problem, self.x = problem, problem.unknowns.guess  # the best so far
        self.states = tuple(problem.model.initial_values)
        self.names = (*problem.names, *(x for x in self.states if x not in problem.names))
        self.ranges: list[_Range] = []
        self.starts = 0
        for run, begin in enumerate(problem.begins):
            times = problem.instants(self.x, run)
            count = _pieces(problem, run) if pieces is None else pieces
            count = max(1, min(count, len(times) // LEAST_INSTANTS))
            ends = times[np.unique(np.linspace(0, len(times) - 1, count + 1).round().astype(int))].tolist()
            ends = ends[1:] or ends
            begins = [begin, *ends[:-1]]
            for k, (a, b) in enumerate(zip(begins, ends, strict=True)):
                self.ranges.append(_Range(run, a, b if b < ends[-1] else np.inf, self.starts + k - 1 if k else None))
            self.starts += len(begins) - 1
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
                f"model '{self.problem.model.name}' comes to no end with {self.problem.as_text(x)}: begin the fit with "
                "other values."
            )
        r, J = found
        for _ in range(MOST_SHOTS):
            A, g = (J.T @ J) * np.outer(size, size), J.T @ r * size
            step = np.linalg.solve(A + np.diag(damping * A.diagonal() + 1e-12 * (A.diagonal().max() or 1.0)), -g)
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
        gaps: list[np.ndarray] = []
        row = 0
        for piece, count, part in zip(pieces, counts, self.ranges, strict=True):
            own = None if part.start is None else slice(m + n * part.start, m + n * (part.start + 1))
            J[row : row + count, :m] = piece.by_x
            if own:
                J[row : row + count, own] = piece.by_s
            row += count
            if np.isfinite(part.until):
                k = len(gaps)
                at = slice(sum(counts) + n * k, sum(counts) + n * (k + 1))
                per = (weight / self.spread)[:, None]
                gaps.append((piece.end - starts[k]) * per[:, 0])
                J[at, :m] = piece.B * per
                if own:
                    J[at, own] = piece.A * per
                J[at, m + n * k : m + n * (k + 1)] = -np.diag(per[:, 0])
        return np.concatenate([r, *gaps]), J

    @property
    def _weight(self) -> float:
        """What a gap as large as the motion counts for beside a residual as large as it."""
        columns = self.problem.columns
        size = np.mean([np.mean((one.spread / one.sigma[one.there]) ** 2) for one in columns])
        return float(np.sqrt(size * self._instants / len(self.ranges)))

    def _shot(self, x: np.ndarray, starts: list[np.ndarray]) -> list[_Piece] | None:
        """All pieces from their states; None where one of them comes to no end."""
        self.problem.spend()
        try:
            return [self._piece(p, x, None if p.start is None else starts[p.start]) for p in self.ranges]
        except (IntegrationError, ModelError):
            return None

    def _piece(self, part: _Range, x: np.ndarray, start: np.ndarray | None) -> _Piece:
        problem, n, m = self.problem, len(self.states), len(x)
        initial = None if start is None else dict(zip(self.states, start.tolist(), strict=True))
        until = None if np.isinf(part.until) else part.until
        s, followed = problem.followed(self.names, x, part.run, part.begin, until, initial, start is not None)
        begun = [] if start is None else list(problem.unknowns.of(part.run, "initial").values())
        r, by_x, by_s = [np.zeros(0)], [np.zeros((0, m))], [np.zeros((0, n))]
        states = [self.names.index(name) for name in self.states]
        for one in followed:
            sigma = problem.columns[one.column].sigma[one.rows]
            y, J = problem.compared(s, one, x)
            r.append(y / sigma)
            by_x.append(J / sigma[:, None])
            by_x[-1][:, begun] = 0  # it begins with a state of its own
            by_s.append(one.by[:, states] / sigma[:, None])
        end = np.array([s.run[name][-1] for name in self.states])
        ends, B = np.array([s.gradient(name)[-1] for name in self.states]), np.zeros((n, m))
        for base, k in problem.unknowns.of(part.run, "parameters", "inputs", "initial").items():
            B[:, k] = ends[:, self.names.index(base)]
        B[:, begun] = 0
        return _Piece(np.concatenate(r), np.concatenate(by_x), np.concatenate(by_s), end, ends[:, states], B)

    @property
    def _instants(self) -> int:
        return sum(len(self.problem.instants(self.x, run)) for run in range(len(self.problem.begins)))

    # -- where the pieces begin at first ---------------------------------------------------------------------------

    def _first_states(self, x: np.ndarray) -> list[np.ndarray]:
        """States at the beginnings but the first: measured, or by their measured coordinate, or reached by a run."""
        self.problem.spend()
        window = int(np.clip(self._instants / (4 * len(self.ranges)), 5, 41))  # within which they are nearly a parabola
        found: list[np.ndarray] = []
        before: np.ndarray | None = None
        for part in self.ranges:
            if np.isinf(part.until):
                before = None
                continue
            seen = [seen_at(self.problem, name, part.run, part.until, window) for name in self.states]
            reached = np.array([np.nan if value is None else value for value in seen])
            if None in seen:
                unseen = np.isnan(reached)
                reached[unseen] = self._reached(part, x, before)[unseen]
            found.append(reached)
            before = reached
        if found:
            self.spread = np.maximum(np.std([*found, found[0]], axis=0), 1e-3 * (1 + np.abs(found).max(axis=0)))
        return found

    def _reached(self, part: _Range, x: np.ndarray, before: np.ndarray | None) -> np.ndarray:
        """Where a piece ends; where it began, if it comes to no end."""
        try:
            return self._piece(part, x, before).end
        except (IntegrationError, ModelError):
            if before is None:
                raise
            return before


def seen_at(problem: Problem, name: str, run: int, t: float, window: int) -> float | None:
    """What the data say of a coordinate or its rate, by a parabola through the values nearby; None without data."""
    base, _, rate = name.partition(".")
    for asked, degree in ((name, 0), (base, 1)) if rate else ((name, 0),):
        for one in problem.columns:
            if (
                one.run == run and str(one.what) == asked
                and (asked == name or base not in map(str, problem.model.mechanism.states))
            ):  # fmt: skip
                times, values = problem.times(one, problem.unknowns.guess)[one.there], one.values[one.there]
                near = np.argsort(np.abs(times - t))[: min(len(times), window)]
                if len(near) < 4:
                    return None
                scale = float(np.abs(times[near] - t).max()) or 1.0
                parts = np.polynomial.polynomial.polyfit((times[near] - t) / scale, values[near], min(3, len(near) - 1))
                return float(parts[degree] / scale**degree)
    return None


def _pieces(problem: Problem, run: int) -> int:
    """About as many as the quickest column turns round, twenty at least where there are enough instants."""
    most = 0
    for one in problem.columns:
        if one.run != run:
            continue
        values = one.values[one.there]
        wide = max(1, len(values) // 100)
        smooth = np.convolve(values, np.ones(wide) / wide, "valid")[::wide]
        most = max(most, int(np.sum(np.diff(np.sign(np.diff(smooth))) != 0)))
    return int(np.clip(most, LEAST_PIECES, MOST_PIECES))
