"""Optimisation: the best values of parameters, inputs and initial values of a model.

    minimise  f(x)        subject to        low <= c(x) <= high        and bounds of x

The derivatives are those of measures.py. SciPy's SLSQP finds the minimum (D. Kraft, A software package for sequential
quadratic programming, 1988). A largest value has a kink where two peaks are equally high, and optima often lie there.
So the largest value is a further unknown s, and every peak is kept below it: minimise s, y(t_k) <= s.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import minimize, nnls

from easydyn.arguments import answers, no_unknown_options
from easydyn.errors import InputError, InterruptedRunError
from easydyn.inputs import a_model, expect, finite, flag, name_in, shown, whole
from easydyn.result import plots
from easydyn.result.trajectory import Trajectory
from easydyn.study.evaluation import Evaluation, Limit, Problem
from easydyn.study.keep import Kept
from easydyn.study.measures import measure_of
from easydyn.study.unknowns import bounds_of, unknowns_of

ACCURACY = 1e-13  # of the objective, beside what it is at the guess
ROUNDS = 4  # of SLSQP, each from where the last one has stopped
FEASIBLE = 1e-7  # of the size of a constraint
OPTIMAL = 1e-4  # of the gradient of the objective: what the constraints may leave of it
ROUNDING = 1e-14  # in the unit of the objective
NEAR, AT_BOUND = 1e-7, 1e-8  # of their sizes: what binds
SHARP = 1e-3  # of both: the search ends at once
FLAT = 0.01  # by how much the objective changes, as a share, where an unknown is doubled: less is flat
EDGE = 1e-12  # of an unknown: nearer to its bound it is there, but for the rounding of its scale
BETTER = 1e-9  # of the objective: less is no progress


class _Enough(Exception):
    """As many values were tried as are allowed, or they cannot be better."""


@answers
@dataclass(frozen=True, eq=False)
class Optimum:
    """Result of an optimisation, made by `Model.optimise`: the optimum, the constraints and the history of the search.

    Attributes
    ----------
    parameters : dict
        The values found, in their own units, by name: `opt["c"]`.
    value : float
        The objective at these values, in its own unit.
    constraints : dict
        The constrained quantities at these values, by name, in their own units.
    prices : dict
        The change of the objective for each unit by which a limit is raised, for constraints and for bounds of unknowns
        (unit of the objective per unit of the constraint or the unknown); zero for limits that are not active.
    status, message : str
        The status is "converged", "not converged" or "interrupted"; the message says in sentences how the search went.
    optimality : float
        The fraction (no unit) of the gradient of the objective that constraints and bounds do not balance.
    runs : int
        The number of tried sets of values.
    run, first : Trajectory or None
        The run with these values, and the run with the guess; None if the optimisation uses no run.
    history : dict
        The tried values in order, as arrays (runs,) in their own units: the unknowns by name, "objective", and
        "violation" (by how much constraints were violated, relative to their size).
    guess : dict
        The values at which the search began, in the units of `parameters`.
    limits : dict
        The limits (low, high) of the constrained quantities, in their own units.
    options : dict
        The arguments of a run with these values: `model.simulate(5, **opt.options)`.
    objective, what : str, expression
        The first says what was minimised or maximised; the second is the quantity of the run behind it, if there is
        one.
    unit : str
        The unit of the objective, where it is known.
    title : str
        The name of the model.

    Example
    -------
    >>> from easydyn import Last, Model
    >>> model = Model("thrown")
    >>> x, y = model.coordinates("x y", initial=(0, 0))
    >>> model.equation(x.ddot)
    >>> model.equation(y.ddot + 9.81)
    >>> opt = model.optimise(Last("y"), {"y.dot": 1.0}, t_final=1, constraints={Last("y"): (2, None)})
    >>> round(opt["y.dot"], 3), opt.status
    (6.905, 'converged')
    """

    parameters: dict[str, float]
    value: float
    constraints: dict[str, float]
    prices: dict[str, float]
    status: str
    message: str
    optimality: float
    runs: int
    run: Trajectory | None = field(repr=False)
    first: Trajectory | None = field(repr=False)
    history: dict[str, np.ndarray] = field(repr=False)
    guess: dict[str, float] = field(repr=False)
    options: dict[str, Any] = field(repr=False)
    limits: dict[str, tuple[float, float]] = field(repr=False)
    what: Any = field(repr=False)
    objective: str = ""
    unit: str = ""
    title: str = ""

    def __getitem__(self, name: Any) -> float:
        """The value found of a parameter, an input or an initial value, by name."""
        return self.parameters[name_in(name, self.parameters, "{!r} was not optimised: there are {}.")]

    def __repr__(self) -> str:
        lines = [f"Optimum of '{self.title}': {self.message}"]
        width = max(9, len(self.objective), *map(len, [*self.parameters, *self.constraints]))
        lines.append(f"{'':{width}}{'value':>14}{'guess':>14}{'price':>14}")
        start = {"objective": self.history["objective"][0]}
        lines.append(f"{self.objective:{width}}{self.value:14.6g}{start['objective']:14.6g}  {self.unit}".rstrip())
        for name, value in self.parameters.items():
            price = f"{self.prices[name]:14.4g}  at its bound" if name in self.prices else ""
            lines.append(f"{name:{width}}{value:14.6g}{self.guess[name]:14.6g}{price}")
        for name, value in self.constraints.items():
            low, high = self.limits[name]
            limit = f"= {low:g}" if low == high else f"{low:g} to {high:g}" if np.isfinite(low + high) else (
                f"at most {high:g}" if np.isfinite(high) else f"at least {low:g}"
            )  # fmt: skip
            lines.append(f"{name:{width}}{value:14.6g}{'':14}{self.prices[name]:14.4g}  {limit}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the history of the search, and below it the quantity of the objective over time, for guess and optimum.

        Hollow dots violate a constraint. Returns matplotlib axes, `ax` (one for the search alone, or two) or those of a
        new figure.
        """
        over_time = self.run is not None and self.what is not None
        if ax is not None and not isinstance(ax, Sequence | np.ndarray):
            over_time = False  # one axes is for the search
        drawn = plots.panels(ax, 1 + over_time, sharex=False)
        y, fine = self.history["objective"], self.history["violation"] <= FEASIBLE
        axis = drawn[0]
        alone = next(iter(self.parameters)) if len(self.parameters) == 1 else ""
        x = self.history[alone] if alone else np.arange(1, len(y) + 1)
        axis.plot(x, y, "-", color="0.8", lw=1, zorder=1)
        if not fine.all():
            axis.plot(x[~fine], y[~fine], "o", mfc="white", mec="0.5", ms=5, label="breaks a constraint", zorder=2)
        axis.plot(x[fine], y[fine], "o", color="C0", ms=5, label="tried", zorder=3)
        end = self.parameters[alone] if alone else x[_nearest(self)]
        axis.plot([end], [self.value], "*", color="C1", ms=14, label="found", zorder=4)
        if not alone:
            axis.xaxis.get_major_locator().set_params(integer=True)
        across = plots.shown_as(alone) or "values tried, one after the other"
        axis.set(xlabel=across, ylabel=plots.label(self.objective, self.unit), title=plots.shown_as(self.title))
        axis.legend()
        if over_time:
            below, name = drawn[1], str(self.what)
            for run, colour, said in ((self.first, "0.55", "guess"), (self.run, "C1", "found")):
                if run is not None:
                    (curve,) = plots.curves(run, [self.what])
                    below.plot(run.t, curve.values, color=colour, lw=1.5, label=said)
            below.set(xlabel="t [s]", ylabel=plots.label(name, curve.unit))
            below.legend()
        return drawn[0] if len(drawn) == 1 else plots.Panels(drawn)


def _nearest(opt: Optimum) -> int:
    rows = np.column_stack([opt.history[name] for name in opt.parameters])
    size = np.ptp(rows, axis=0)
    away = np.abs(rows - list(opt.parameters.values())) / np.where(size > 0, size, 1.0)
    return int(np.argmin(away.max(axis=1)))


def optimise(
    model: Any, objective: Any, parameters: Any, t_final: float | None = None, *,
    constraints: Mapping[Any, Any] | None = None, bounds: Mapping[str, Any] | None = None, maximise: bool = False,
    t_start: float = 0.0, max_runs: int = 300, fixed: Mapping[str, Any] | None = None,
    initial: Mapping[str, Any] | None = None, inputs: Mapping[str, Any] | None = None, locked: Any = None,
    exact: bool | None = None, target: str = "auto", scheme: str = "recursive", **options: Any,
) -> Optimum:  # fmt: skip
    """Find the values of parameters, inputs and initial values that minimise an objective, within constraints.

    Parameters
    ----------
    objective : measure, dict or function
        The quantity to be minimised: `Last(what)`, `Max(what)`, `Min(what)`, `At(what, t)`, `Integral(what)` of a
        run; `AtRest(what)` of the equilibrium, `Linearized(function)` of small motions about it; a weighted sum of
        these, {Max("q1"): 1, Integral(u**2): 0.1}; or a function of the run that returns a number. `what` is a
        column ("q1", "q1.dot", "t", an output) or an expression, in its own unit.
    parameters : dict
        The values that may be changed, each in its own unit, as in `fit`: a guess, {"c": 0.1}, or bounds around the
        model's own value, {"k": (5, 20)}. Parameters, inputs that are numbers, initial values ("q1", "q1.dot",
        states).
    t_final : float, optional
        End of the runs (s), unless an event stops them earlier; left out if no measure needs a run.
    constraints : dict, optional
        The constraints on measures, each in its own unit: {Max(travel): (None, 0.1)} at most, (0.1, None) at least,
        {Last("x"): 3} equal. The measures are those of the objective. An expression alone, such as `m1 + m2`,
        stands for its value at the end.
    bounds : dict, optional
        Bounds beside a guess, in its unit: {"c": (0, None)}.
    maximise : bool
        True to maximise the objective.
    t_start : float
        Start of the runs (s).
    max_runs : int
        Largest number of runs.
    fixed : dict, optional
        Values of other parameters.
    initial, inputs, locked, exact, target, scheme : optional
        As in `sensitivity`.
    **options
        Those of `simulate`: method ("dop853" if left out), tolerance (1e-9), max_step.

    Returns
    -------
    Optimum
        `opt["c"]`, `opt.value`, `opt.constraints`, `opt.prices` (what a limit costs), `opt.run`, `opt.plot()`,
        `opt.message`.

    Raises
    ------
    InputError, UnknownNameError
        An invalid measure; names that do not exist; bounds that do not contain the guess.
    InterruptedRunError
        After Ctrl-C, with the best result so far in `error.result`.

    Example
    -------
    >>> from easydyn import Integral, Model
    >>> model = Model("door")
    >>> x, = model.coordinates("x", initial=1)
    >>> c, = model.parameters(c=1.0)
    >>> model.equation(x.ddot + c*x.dot + 4*x)
    >>> opt = model.optimise(Integral(x**2), {"c": (0.1, 20)}, t_final=20)    # by hand: sqrt(4)
    >>> round(opt["c"], 4), opt.status
    (2.0, 'converged')
    """
    no_unknown_options(options, optimise, a_model(model, "model").simulate)
    unknowns = unknowns_of(model, parameters, bounds, initial, inputs, "an optimisation", fixed)
    sign = -1.0 if flag(maximise, "maximise") else 1.0
    terms = _terms(objective, model)
    limits = _limits(constraints, model)
    for name in ("save_every", "save_at"):
        if name in options:
            raise InputError(f"an optimisation got {name}: its runs save what the measures need.")
    measures = [one for _, one in terms] + [limit.one for limit in limits]
    span = _span(t_final, t_start, measures)
    settings = {"method": "dop853", "tolerance": 1e-9} | options
    choices = {"locked": locked, "exact": exact, "target": target, "scheme": scheme}
    weighed = [(sign * weight, one) for weight, one in terms]
    problem = Problem(model, unknowns, weighed, limits, span, settings, choices)
    most = whole(max_runs, "max_runs")
    problem.evaluated(unknowns.guess)  # what is wrong with the guess is told as it is
    solver = _Solver(problem, most)
    try:
        with suppress(_Enough):
            solver.run()
    except KeyboardInterrupt:
        error = InterruptedRunError(
            f"the optimisation was interrupted after {len(problem.history)} values; error.result has the best of them."
        )
        error.result = _result(solver, terms, sign, "interrupted")  # type: ignore[attr-defined]
        raise error from None
    return _result(solver, terms, sign, "converged" if solver.settled else "not converged")


# -- what is asked ----------------------------------------------------------------------------------------------------


def _terms(objective: Any, model: Any) -> list[tuple[float, Kept]]:
    """What is minimised: measures with their weights."""
    if isinstance(objective, Mapping):
        if not objective:
            raise InputError('the objective is empty: expected measures with weights, such as {Max("q1"): 1.0}.')
        return [
            (finite(weight, f"the weight of {measure}"), measure_of(measure, model, "the objective"))
            for measure, weight in objective.items()
        ]
    return [(1.0, measure_of(objective, model, "the objective"))]


def _limits(constraints: Any, model: Any) -> list[Limit]:
    if constraints is None:
        return []
    expect(
        isinstance(constraints, Mapping), "constraints", constraints,
        'a dict of limits, {Max("q1"): (None, 0.1)}, or values, {Last("q1"): 0.5}',
    )  # fmt: skip
    found: list[Limit] = []
    for key, value in constraints.items():
        one = measure_of(key, model, "what is constrained")
        if isinstance(value, tuple | list):
            low, high = bounds_of(value, one.name)
        else:
            low = high = finite(value, f"the value of {one.name}")
        same = sum(limit.one.name == one.name for limit in found)
        found.append(Limit(f"{one.name} ({same + 1})" if same else one.name, one, low, high))
    return found


def _span(t_final: Any, t_start: Any, measures: list[Kept]) -> tuple[float, float] | None:
    """Start and end (s) of the runs; None where none is needed."""
    runs = [one for one in measures if one.moving]
    if not runs:
        if t_final is not None:
            raise InputError(
                f"t_final is {shown(t_final)}, and nothing that is asked for needs a run: leave it out, or ask for "
                "Last(...), Max(...)."
            )
        return None
    if t_final is None:
        raise InputError(f"{runs[0].name} is of a run: say when the runs end, t_final=5.")
    begin, end = finite(t_start, "t_start"), finite(t_final, "t_final")
    if not begin < end:
        raise InputError(f"t_final is {end:g} s: expected a time after the start of the runs, {begin:g} s.")
    for one in runs:
        one.settle_times(begin, end, one.name)
    return begin, end


# -- the search -------------------------------------------------------------------------------------------------------


class _Solver:
    """SLSQP in unknowns divided by their sizes, with the largest values as unknowns of their own."""

    def __init__(self, problem: Problem, most: int):
        self.problem, self.most, self.u = problem, most, problem.unknowns
        begin = problem.evaluated(self.u.guess)
        self.scale = max(abs(begin.objective), float(np.abs(begin.gradient * self.u.size).max())) or 1.0
        self.scale = 1.0 if self.scale < ROUNDING else self.scale
        self.slack = np.array([values[0] for _, values, _ in begin.hulls])
        self.settled = False
        self.final: Evaluation | None = None

    @property
    def best(self) -> Evaluation:
        """The best that keeps the constraints; where nothing does, what breaks them least."""
        if self.final is not None:
            return self.final
        history = self.problem.history
        least = min(max(one.violation, FEASIBLE) for one in history)
        return min((one for one in history if one.violation <= least), key=lambda one: one.objective)

    def run(self) -> None:
        """Search until nothing gets better."""
        x, before = self.u.guess, np.inf
        for _ in range(ROUNDS):
            z = np.concatenate([x / self.u.size, self._slack_at(x)])
            free = [(None, None)] * len(self.slack)
            bounds = [*zip(self.u.low / self.u.size, self.u.high / self.u.size, strict=True), *free]
            rules = [self._rule(kind) for kind in ("eq", "ineq") if len(self._rules(z, kind)[0])]
            with np.errstate(all="ignore"):
                found = minimize(
                    lambda z: self._objective(z)[0], z, jac=lambda z: self._objective(z)[1], bounds=bounds,
                    constraints=rules, method="SLSQP", options={"ftol": ACCURACY, "maxiter": self.most},
                )  # fmt: skip
            best = self.best
            self.settled = best.violation <= FEASIBLE and (bool(found.success) or self.optimality(best) < OPTIMAL)
            better = before - best.objective > BETTER * self.scale
            if (self.settled and self.optimality(best) < OPTIMAL) or (np.isfinite(before) and not better):
                return
            x, before = best.x, best.objective if best.violation <= FEASIBLE else np.inf

    def _rule(self, kind: str) -> dict[str, Any]:
        return {"type": kind, "fun": lambda z: self._rules(z, kind)[0], "jac": lambda z: self._rules(z, kind)[1]}

    def _slack_at(self, x: np.ndarray) -> np.ndarray:
        return np.array([values[0] for _, values, _ in self._evaluated(x).hulls]) / self.scale

    def _evaluated(self, x: np.ndarray) -> Evaluation:
        low, high, near = self.u.low, self.u.high, EDGE * self.u.size
        x = np.where(x < low + near, low, np.where(x > high - near, high, x))
        if self.problem.known(x):
            return self.problem.evaluated(x)
        if len(self.problem.history) >= self.most:
            raise _Enough
        one = self.problem.evaluated(x)
        if one.violation <= FEASIBLE * SHARP and self.optimality(one) < OPTIMAL * SHARP and (
            one.objective <= self.best.objective + BETTER * self.scale
        ):
            self.settled, self.final = True, one
            raise _Enough
        return one

    def _objective(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        m = len(self.u.names)
        one = self._evaluated(z[:m] * self.u.size)
        weights, (value, slope) = np.array([weight for weight, _, _ in one.hulls]), one.smooth
        return value / self.scale + float(weights @ z[m:]), np.append(slope * self.u.size / self.scale, weights)

    def _rules(self, z: np.ndarray, kind: str) -> tuple[np.ndarray, np.ndarray]:
        """Constraints that are to be zero ("eq"), or not below ("ineq"), with their derivatives, by their sizes."""
        m, u = len(self.u.names), self.u
        one = self._evaluated(z[:m] * u.size)
        rows, none = [row for row in one.rows if row.limit.equal == (kind == "eq")], np.zeros(len(self.slack))
        values, slopes = [row.value for row in rows], [np.append(row.slope * u.size, none) for row in rows]
        if kind == "ineq":
            for k, (weight, candidates, by) in enumerate(one.hulls):
                side, unit = np.sign(weight), np.eye(len(self.slack))[k]
                values += (side * (z[m + k] - candidates / self.scale)).tolist()
                slopes += [np.append(-side * g * u.size / self.scale, side * unit) for g in by]
        return np.array(values), np.array(slopes).reshape(len(values), len(z))

    def multipliers(self, one: Evaluation) -> tuple[np.ndarray, float]:
        """Multipliers of equalities, inequalities, lower and upper bounds; what they leave of the gradient, as a share.

        Those of Karush, Kuhn and Tucker, not negative of what is no equality: by least squares.
        """
        m = len(self.u.names)
        z = np.concatenate([one.x / self.u.size, [v[0] / self.scale for _, v, _ in one.hulls]])
        _, g = self._objective(z)
        equal, above = self._rules(z, "eq")[1], self._rules(z, "ineq")
        active = above[0] < NEAR
        low = np.eye(m, len(z)) * ((one.x - self.u.low) <= AT_BOUND * self.u.size)[:, None]
        high = -np.eye(m, len(z)) * ((self.u.high - one.x) <= AT_BOUND * self.u.size)[:, None]
        A = np.vstack([equal, -equal, above[1] * active[:, None], low, high])
        try:
            found, left = nnls(A.T, g)
        except RuntimeError:  # it came to no end: nothing is known of them
            found, left = np.zeros(len(A)), float(np.linalg.norm(g))
        k = len(equal)
        both = np.concatenate([found[:k] - found[k : 2 * k], found[2 * k :]])
        first = float(np.linalg.norm(self.problem.history[0].gradient * self.u.size)) / self.scale
        return both, float(left) / max(float(np.linalg.norm(g)), first, FLAT)

    def optimality(self, one: Evaluation) -> float:
        """What constraints and bounds leave of the gradient, as a share."""
        return self.multipliers(one)[1]


def _result(solver: _Solver, terms: list[tuple[float, Kept]], sign: float, how: str) -> Optimum:
    problem, u, best = solver.problem, solver.u, solver.best
    multipliers, left = solver.multipliers(best)
    prices = problem.prices(multipliers, solver.scale, sign)
    options = {kind: values for kind, values in u.options(best.x).items() if values}
    settled = options | {"method": problem.settings["method"], "tolerance": problem.settings["tolerance"]}
    history = problem.history
    named = {name: np.array([one.x[k] for one in history]) for k, name in enumerate(u.names)}
    named |= {
        "objective": sign * np.array([one.objective for one in history]),
        "violation": np.array([one.violation for one in history]),
    }
    run = first = None
    if problem.span is not None:
        run, first = problem.plain(best.x), problem.plain(u.guess)
    only = terms[0][1] if len(terms) == 1 and terms[0][1].how not in ("rest", "linear", "run") else None
    what = None if only is None else only.what
    wanted = "largest" if sign < 0 else "smallest"
    return Optimum(
        dict(zip(u.names, best.x.tolist(), strict=True)), sign * best.objective, dict(best.measured), prices, how,
        _message(solver, best, how, left, wanted), left, len(history), run, first, named,
        dict(zip(u.names, u.guess.tolist(), strict=True)), settled if problem.span is not None else options,
        {limit.name: (limit.low, limit.high) for limit in problem.limits}, what, _as_a_sum(terms),
        "" if only is None else only.unit(problem.model), problem.model.name,
    )  # fmt: skip


def _as_a_sum(terms: list[tuple[float, Kept]]) -> str:
    if len(terms) == 1 and terms[0][0] == 1.0:
        return terms[0][1].name
    return " + ".join(f"{weight:g}*{one.name}" for weight, one in terms).replace("+ -", "- ")


def _message(solver: _Solver, best: Evaluation, how: str, left: float, wanted: str) -> str:
    problem, u = solver.problem, solver.u
    said = [f"{how} ({len(problem.history)} values tried)"]
    if best.violation > FEASIBLE:
        broken = problem.broken(best)
        said.append(
            f"no values were found that keep all constraints: {broken} is the furthest off. Loosen it, add parameters, "
            "or begin elsewhere"
        )
    elif how == "not converged" and len(problem.history) >= solver.most:
        said.append("max_runs allows no more")
    elif left >= OPTIMAL:
        said.append(
            f"{left:.1g} of the objective's gradient is left: a kink, or the accuracy of runs, may hold the search; "
            "begin elsewhere, or give a smaller tolerance"
        )
    said += u.told_at_bounds(best.x)
    if not np.any(best.gradient):
        said.append(f"the objective does not depend on {', '.join(u.names)} there: {wanted} is not known")
    if problem.failures:
        said.append(f"{problem.failures} of the values had no run to the end, and were stepped back from")
    if problem.note:
        said.append(problem.note)
    return ". ".join(said) + "."

