"""The problem of an optimisation: objective and constraints with their derivatives, at any values of the unknowns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from operator import not_
from typing import Any, NamedTuple

import numpy as np

from easydyn.analysis.sensitivity import Tangents
from easydyn.errors import InputError, IntegrationError, InterruptedRunError, ModelError
from easydyn.run.schedule import inputs_of
from easydyn.study.keep import Kept, leaps
from easydyn.study.measures import PEAKS, STEP, Motion, at_rest, differences, nodes, of_plain_run
from easydyn.study.unknowns import Unknowns

MOST_STEPS = 100_000  # of a run: values with which it is stiff are stepped back from
INSTANTS = 500  # of runs that are differenced
RUN_STEP = 3e-4  # of differences between them, beside the size of an unknown
LOST = 1e6  # times the size of the objective, where there is no run: such values are stepped back from

Candidates = tuple[np.ndarray, np.ndarray]  # values (K,), the one that counts first, and derivatives (K, m)


@dataclass(frozen=True)
class Limit:
    """A constraint: its name, its quantity, and its limits in their own unit; equal limits make an equation."""

    name: str
    one: Kept
    low: float
    high: float

    @property
    def equal(self) -> bool:
        """True for an equation."""
        return self.low == self.high


class Row(NamedTuple):
    """An end of a limit as a number, by the size of its measure: zero for an equation, of others not below zero."""

    value: float
    slope: np.ndarray
    limit: Limit
    end: float  # 1 for the lower end, -1 for the upper
    size: float

    @property
    def broken(self) -> float:
        """By how much it is not kept."""
        return abs(self.value) if self.limit.equal else -self.value


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Values (m,) that were tried, and their results.

    The objective is the sum of a `smooth` part and `hulls`, each a weight and its candidates, of which the largest, or
    the smallest, counts. Both sums are a value and its derivatives.
    """

    x: np.ndarray
    objective: float
    gradient: np.ndarray
    smooth: tuple[float, np.ndarray]
    hulls: list[tuple[float, np.ndarray, np.ndarray]]
    rows: list[Row]
    measured: dict[str, float]

    @cached_property
    def violation(self) -> float:
        """By how much the limits are not kept, at most."""
        return max((0.0, *(row.broken for row in self.rows)))


class Problem:
    """Objective and constraints of a model, with all values that have been tried."""

    def __init__(
        self, model: Any, unknowns: Unknowns, terms: list[tuple[float, Kept]], limits: list[Limit],
        span: tuple[float, float] | None, settings: Mapping[str, Any], choices: dict[str, Any],
    ):  # fmt: skip
        self.model, self.unknowns, self.terms, self.limits, self.span = model, unknowns, terms, limits, span
        self.settings = {"max_steps": MOST_STEPS, **settings}
        self.choices = choices
        self.measures = [*(one for _, one in terms), *(limit.one for limit in limits)]
        self.history: list[Evaluation] = []
        self.failures, self.note = 0, ""
        self._counts: list[int] = []  # candidates of measures at rest
        self._known: dict[bytes, Evaluation] = {}
        self._tangents: Tangents | None = None
        self.sizes: list[float] = []
        if span is not None:
            self._choose()

    def _choose(self) -> None:
        """Exact derivatives of runs, or differences between them."""
        exact, given = self.choices["exact"], self.unknowns.options(self.unknowns.guess)["inputs"]
        tangents = Tangents(self.model, list(self.unknowns.names), inputs=given, endless=True, **self.choices)
        inputs = inputs_of(self.model, given)
        rough = [one.name for one in self.measures if one.moving and not one.exact]
        rough += [f"{one.name} jumps" for one in self.measures if one.exact and leaps(one, self.model, inputs)]
        if tangents.exact and not rough:
            self._tangents = tangents
        elif exact and rough:
            raise ModelError(
                f"{rough[0]} has no exact derivatives: leave `exact` out, and whole runs are differenced, or ask for "
                "measures of expressions."
            )
        else:
            why = tangents.why or (rough[0] if rough else "")
            self.note = "derivatives are differences between whole runs" + (f" ({why})" if why else "")

    def _side(self, one: Kept) -> int:
        """1 for the largest of candidates, -1 for the smallest, 0 for a single number."""
        if one.how == "linear":
            return 1
        return {"max": 1, "min": -1}.get(one.how, 0) if self._tangents is not None else 0

    # -- values and derivatives ------------------------------------------------------------------------------------

    def known(self, x: np.ndarray) -> bool:
        """True where these values have been tried."""
        return np.asarray(x, dtype=float).tobytes() in self._known

    def evaluated(self, x: np.ndarray) -> Evaluation:
        """Results for these values (m,), in their own units; the objective is very large if no run is possible."""
        x = np.array(x, dtype=float)
        key = x.tobytes()
        if key in self._known:
            return self._known[key]
        try:
            found, self._last = self._assembled(x, last := self._candidates(x)), last
        except InterruptedRunError:
            raise
        except (IntegrationError, ModelError):
            if not self.history:
                raise
            self.failures += 1
            found = self._lost(x)
        else:
            self.history.append(found)
        self._known[key] = found
        return found

    def _candidates(self, x: np.ndarray) -> list[Candidates]:
        found: dict[int, Candidates] = {}
        moving = [k for k, one in enumerate(self.measures) if one.moving]
        resting = [k for k, one in enumerate(self.measures) if not one.moving]
        if moving:
            pairs = self._exact(x, moving) if self._tangents is not None else self._differenced(x, moving)
            found |= dict(zip(moving, pairs, strict=True))
        if resting:
            found |= dict(zip(resting, self._at_rest(x, resting), strict=True))
        return [found[k] for k in range(len(self.measures))]

    def _exact(self, x: np.ndarray, moving: list[int]) -> list[Candidates]:
        assert self.span is not None and self._tangents is not None
        begin, end = self.span
        given = self.unknowns.options(x)
        event = None
        if self.model.events:
            plain = self.model.simulate(
                end, t_start=begin, save_at=[end], progress=False, **self._fixed, **given, **self.settings
            )
            if plain.t[-1] < end:
                end = float(plain.t[-1])
                event = {e.name: e for e in self.model.events}[plain.events[-1].name]
        t, w = nodes(begin, end)
        extra = sorted({s for k in moving for s in self.measures[k].times if begin < s < end} - set(t.tolist()))
        order = np.argsort(np.concatenate([t, extra]), kind="stable")
        t, w = np.concatenate([t, extra])[order], np.concatenate([w, np.zeros(len(extra))])[order]
        s = self._tangents.run(end, t_start=begin, save_at=t.tolist(), **given, **self.settings)
        motion = Motion(s, w, np.zeros(len(x)))
        if event is not None:
            motion.moves = -motion.along(event.expression)[1][-1] / motion.rate(event.expression)
        return [motion.of(self.measures[k], PEAKS, -1.0 if self.measures[k].how == "min" else 1.0) for k in moving]

    @property
    def _fixed(self) -> dict[str, Any]:
        """What every plain run is given."""
        return {name: x for name, x in self.choices.items() if name != "exact"}

    def plain(self, x: np.ndarray) -> Any:
        """A run with these values, without derivatives, at evenly spaced instants and those that are asked for."""
        assert self.span is not None
        times = {*np.linspace(*self.span, INSTANTS + 1).tolist(), *(t for one in self.measures for t in one.times)}
        return self.model.simulate(
            self.span[1], t_start=self.span[0], save_at=sorted(times), progress=False, **self._fixed,
            **self.unknowns.options(x), **self.settings,
        )  # fmt: skip

    def _differenced(self, x: np.ndarray, moving: list[int]) -> list[Candidates]:
        def values(x: np.ndarray) -> np.ndarray:
            run = self.plain(x)
            return np.array([of_plain_run(self.measures[k], run) for k in moving])

        u = self.unknowns
        own, by = values(x), differences(values, x, RUN_STEP * u.size, u.low, u.high, short=True)
        return [(own[k : k + 1], by[k : k + 1]) for k in range(len(moving))]

    def _at_rest(self, x: np.ndarray, resting: list[int]) -> list[Candidates]:
        listed = [self.measures[k] for k in resting]

        def parts(x: np.ndarray) -> list[np.ndarray]:
            found = at_rest(self.model, listed, self.unknowns.options(x), self.choices)
            counts = [len(part) for part in found]
            self._counts = self._counts or counts
            if counts != self._counts:
                raise InputError(
                    f"what is asked for at rest is {counts} numbers, and was {self._counts} before: expected functions "
                    "of Linearized that return as many at all values."
                )
            return found

        own = parts(x)
        u = self.unknowns
        by = differences(lambda x: np.concatenate(parts(x)), x, STEP * u.size, u.low, u.high, short=False)
        found, at = [], 0
        for part in own:
            order = np.argsort(-part, kind="stable")
            found.append((part[order], by[at : at + len(part)][order]))
            at += len(part)
        return found

    # -- objective and constraints ---------------------------------------------------------------------------------

    def _assembled(self, x: np.ndarray, candidates: list[Candidates]) -> Evaluation:
        own = candidates[len(self.terms) :]
        if not self.sizes:
            self.sizes = [_size(limit, *pair, self.unknowns.size) for limit, pair in zip(self.limits, own, strict=True)]
        terms = [(weight, *pair) for (weight, _), pair in zip(self.terms, candidates, strict=False)]
        is_hull = [self._side(one) * weight > 0 for weight, one in self.terms]

        def summed(some: Iterable[tuple[float, np.ndarray, np.ndarray]]) -> tuple[float, np.ndarray]:
            value, slope = 0.0, np.zeros(len(x))
            for weight, values, by in some:
                value, slope = value + weight * float(values[0]), slope + weight * by[0]
            return value, slope

        rows: list[Row] = []
        for limit, size, (values, by) in zip(self.limits, self.sizes, own, strict=True):
            for end, bound in ((1.0, limit.low), (-1.0, limit.high))[: 2 - limit.equal]:
                if np.isfinite(bound):
                    count = len(values) if self._side(limit.one) * end < 0 and not limit.equal else 1
                    rows += [Row(end * (y - bound) / size, end * g / size, limit, end, size)
                             for y, g in zip(values[:count].tolist(), by, strict=False)]  # fmt: skip
        return Evaluation(
            x, *summed(terms), summed(compress(terms, map(not_, is_hull))), [*compress(terms, is_hull)], rows,
            {limit.name: float(values[0]) for limit, (values, _) in zip(self.limits, own, strict=True)},
        )  # fmt: skip

    def _lost(self, x: np.ndarray) -> Evaluation:
        """What nobody wants, with no slope: an objective far above the first, and limits that are broken."""
        size, terms = LOST * abs(self.history[0].objective) or LOST, zip(self.terms, self._last, strict=False)
        found = [(values + size / (weight or 1.0), 0 * by) for (weight, _), (values, by) in terms]
        for limit, size, (values, by) in zip(self.limits, self.sizes, self._last[len(self.terms) :], strict=True):
            far = limit.high + LOST * size if np.isfinite(limit.high) else limit.low - LOST * size
            found.append((np.full(len(values), far), 0 * by))
        return self._assembled(x, found)

    def broken(self, one: Evaluation) -> str:
        """The constraint that is the furthest from its limits, in words."""
        row = max(one.rows, key=lambda row: row.broken)
        wanted = row.limit.low if row.end > 0 else row.limit.high
        return f"{row.limit.name} = {one.measured[row.limit.name]:.6g}, where {wanted:g} is wanted,"

    def prices(self, multipliers: np.ndarray, scale: float, sign: float) -> dict[str, float]:
        """The prices of limits and bounds: the derivative of the optimum by each of them."""
        one, u, m, factor = self.history[-1], self.unknowns, len(self.unknowns.names), sign * scale
        found = dict.fromkeys((limit.name for limit in self.limits), 0.0)
        rows = sorted(one.rows, key=lambda row: not row.limit.equal)  # as the solver has them
        for row, value in zip(rows, multipliers.tolist(), strict=False):
            found[row.limit.name] += factor * row.end * value / row.size
        for name, a, b, size in zip(u.names, multipliers[-2 * m : -m], multipliers[-m:], u.size, strict=True):
            if a or b:
                found[name] = factor * float(a - b) / float(size)
        return found


def _size(limit: Limit, values: np.ndarray, by: np.ndarray, size: np.ndarray) -> float:
    """How large a constraint is: by its limits, what it is at the guess, or by how it changes."""
    ends = [abs(x) for x in (limit.low, limit.high) if np.isfinite(x)]
    return max(*ends, abs(float(values[0]))) or float(np.abs(by[0] * size).max()) or 1.0
