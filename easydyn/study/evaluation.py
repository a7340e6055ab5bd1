"""The problem of an optimisation: objective and constraints with their derivatives, at any values of the unknowns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.analysis.sensitivity import Tangents
from easydyn.errors import InputError, IntegrationError, InterruptedRunError, ModelError
from easydyn.run.schedule import inputs_of
from easydyn.study.keep import Kept, leaps
from easydyn.study.measures import (
    PEAKS,
    STEP,
    Motion,
    at_rest,
    differences,
    nodes,
    of_plain_run,
)
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


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Values (m,) that were tried, and their results.

    The objective is the sum of a `smooth` part and weighted `hulls`; each hull is the largest, or smallest, of its
    candidates. Rows of constraints are divided by their sizes.
    """

    x: np.ndarray
    objective: float
    gradient: np.ndarray
    smooth: float
    smooth_gradient: np.ndarray
    hulls: list[Candidates]
    equal: list[tuple[float, np.ndarray]]
    above: list[tuple[float, np.ndarray]]
    owners: list[tuple[int, float]]  # of each row of `above`: its limit, and 1 for the lower end, -1 for the upper
    measured: dict[str, float]
    violation: float


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
        exact, given = self.choices.get("exact"), self.unknowns.options(self.unknowns.guess)["inputs"]
        options = {name: self.choices[name] for name in ("target", "scheme", "locked")}
        tangents = Tangents(self.model, list(self.unknowns.names), inputs=given, exact=exact, endless=True, **options)
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

    @property
    def hull_weights(self) -> list[float]:
        """Weights of the terms of the objective that are the largest, or smallest, of candidates."""
        return [weight for weight, one in self.terms if self._is_hull(weight, one)]

    def _is_hull(self, weight: float, one: Kept) -> bool:
        return self._side(one) * weight > 0

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
            found = self._assembled(x, self._candidates(x))
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
        return {name: self.choices[name] for name in ("target", "scheme", "locked") if self.choices[name] is not None}

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
        m, k = len(x), len(self.terms)
        smooth, smooth_gradient, hulls = 0.0, np.zeros(m), []
        objective, gradient = 0.0, np.zeros(m)
        for (weight, one), (values, by) in zip(self.terms, candidates[:k], strict=True):
            objective, gradient = objective + weight * float(values[0]), gradient + weight * by[0]
            if self._is_hull(weight, one):
                hulls.append((values, by))
            else:
                smooth, smooth_gradient = smooth + weight * float(values[0]), smooth_gradient + weight * by[0]
        own = candidates[k:]
        if not self.sizes:
            self.sizes = [_size(limit, *pair, self.unknowns.size) for limit, pair in zip(self.limits, own, strict=True)]
        equal, above, owners = [], [], []
        for number, (limit, size, (values, by)) in enumerate(zip(self.limits, self.sizes, own, strict=True)):
            side = self._side(limit.one)
            if limit.equal:
                equal.append((float(values[0] - limit.low) / size, by[0] / size))
                continue
            for end, bound in ((1.0, limit.low), (-1.0, limit.high)):
                if np.isfinite(bound):
                    rows = len(values) if side * end < 0 else 1
                    above += [(float(end * (values[j] - bound)) / size, end * by[j] / size) for j in range(rows)]
                    owners += [(number, end)] * rows
        broken = [abs(value) for value, _ in equal] + [-value for value, _ in above]
        measured = {limit.name: float(values[0]) for limit, (values, _) in zip(self.limits, own, strict=True)}
        return Evaluation(
            x, objective, gradient, smooth, smooth_gradient, hulls, equal, above, owners, measured,
            max(0.0, *broken) if broken else 0.0,
        )  # fmt: skip

    def _lost(self, x: np.ndarray) -> Evaluation:
        """As the last, with an objective that nobody wants, and no slope."""
        last = self.history[-1]
        size = LOST * max(abs(one.objective) for one in self.history[:1]) or LOST
        zero = np.zeros_like(last.gradient)
        weights = self.hull_weights
        hulls = [
            (values + np.sign(weight) * size / abs(weight), 0 * by)
            for weight, (values, by) in zip(weights, last.hulls, strict=True)
        ]
        return Evaluation(
            x, last.objective + size, zero, last.smooth + size, zero, hulls, [(LOST, 0 * g) for _, g in last.equal],
            [(-LOST, 0 * g) for _, g in last.above], last.owners, last.measured, np.inf,
        )  # fmt: skip

    def broken(self, one: Evaluation) -> str:
        """The constraint that is the furthest from its limits, in words."""
        worst = max(
            zip(self.limits, self.sizes, strict=True),
            key=lambda pair: max(pair[0].low - one.measured[pair[0].name], one.measured[pair[0].name] - pair[0].high)
            / pair[1],
        )[0]  # fmt: skip
        value = one.measured[worst.name]
        wanted = worst.low if worst.equal or value < worst.low else worst.high
        return f"{worst.name} = {value:.6g}, where {wanted:g} is wanted,"

    def prices(self, multipliers: np.ndarray, scale: float, sign: float) -> dict[str, float]:
        """The prices of limits and bounds: the derivative of the optimum by each of them."""
        one, u = self.history[-1], self.unknowns
        found = dict.fromkeys((limit.name for limit in self.limits), 0.0)
        equations = [(number, limit) for number, limit in enumerate(self.limits) if limit.equal]
        factor = sign * scale
        for (number, limit), value in zip(equations, multipliers, strict=False):
            found[limit.name] = factor * float(value) / self.sizes[number]
        rest = multipliers[len(equations) :]
        for (number, end), value in zip(one.owners, rest, strict=False):
            found[self.limits[number].name] += factor * end * float(value) / self.sizes[number]
        m = len(u.names)
        low, high = rest[-2 * m : -m], rest[-m:]
        for name, a, b, size in zip(u.names, low, high, u.size, strict=True):
            if a or b:
                found[name] = factor * float(a - b) / float(size)
        return found


def _size(limit: Limit, values: np.ndarray, by: np.ndarray, size: np.ndarray) -> float:
    """How large a constraint is: by its limits, what it is at the guess, or by how it changes."""
    ends = [abs(x) for x in (limit.low, limit.high) if np.isfinite(x)]
    return max(*ends, abs(float(values[0]))) or float(np.abs(by[0] * size).max()) or 1.0
