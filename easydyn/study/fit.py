"""Fitting a model to measured data: nonlinear least squares on exact derivatives.

    minimise  sum_i ((y(t_i; x) - y_i) / sigma_i)^2        over parameters, inputs and initial values x

The derivatives come from the tangent equations, and scipy.optimize.least_squares finds the minimum. If a single run
cannot follow the data (chaos, many periods), multiple shooting comes first (shooting.py). Confidence intervals follow
from the derivatives at the minimum (identify.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit

from easydyn.arguments import answers, asked, no_unknown_options
from easydyn.errors import InputError, UnknownNameError
from easydyn.inputs import a_model, among, by_name, expect, finite, flag, listed, name_in, whole
from easydyn.mechanics.signals import ENERGIES, SLOTS
from easydyn.result.trajectory import Trajectory
from easydyn.sim.progress import progress_bar
from easydyn.study.data import columns_of, streams_of
from easydyn.study.doubts import clocks_suspected, not_followed, parts
from easydyn.study.identify import WHITE, correlated, correlation_of, identified, influence
from easydyn.study.problem import SHORT, Measured, Problem, measured
from easydyn.study.search import Solved, solved
from easydyn.study.unknowns import Unknowns, joined, named_values, unknowns_of

OWN = {"clock": 0.0, "rate": 1.0}  # of times, where nothing is said


@answers
@dataclass(frozen=True, eq=False)
class Fit:
    """A model that was fitted to measured data, made by `Model.fit`: nonlinear least squares.

    Attributes
    ----------
    parameters : dict
        The values found, in their own units, by name: `fit["k"]`.
    intervals : dict
        Confidence intervals (low, high), in the units of the parameters: each parameter lies in its interval with the
        probability `confidence`. An interval is infinite if the data do not determine the parameter, NaN if the
        parameter lies at a bound.
    errors : dict
        Standard errors, in their own units.
    covariance : array (m, m)
        Covariance of the estimates, in products of their units.
    run : Trajectory
        The run with these values, the first of several.
    residuals : dict
        Measured minus computed values (N,) for each column of the data, in its unit; NaN in gaps.
    sigma : dict
        The noise (root mean square) of each column, in its unit: the given value, or that of the residuals.
    unidentified : tuple of str
        The names that the data do not determine; the message says why.
    status, message : str
        The status is "converged", "not converged", or "doubtful" where a column is not followed; the message says in
        sentences how the fit went.
    runs : int
        The number of runs that were made; all pieces of a divided run are one.
    t : array (N,)
        Times (s) of the first column of the data, as they were written down.
    confidence : float
        The probability of the intervals (no unit).
    guess : dict
        The values at which the search began, in the units of `parameters`.
    columns : tuple
        The measured quantities, each a `Measured` with its times in that of its run.
    correlation : dict
        The correlation (no unit) of the residuals of each column from one instant to the next: near zero for noise.
    title : str
        The name of the model.
    trajectories : tuple of Trajectory
        The runs with these values, one for each that was measured.
    options : dict
        The arguments of a run with these values: `model.simulate(5, **fit.options)`; of the first run.

    Example
    -------
    >>> from easydyn import GeneralizedForce, Model
    >>> model = Model("oscillator")
    >>> x, = model.coordinates("x", initial=1)
    >>> k, c = model.parameters(k=30, c=0.3)
    >>> model.equation(x.ddot + c*x.dot + k*x)
    >>> data = model.simulate(3, parameters={"k": 40, "c": 0.5}, save_every=0.05, tolerance=1e-9)
    >>> fit = model.fit(data, {"k": (10, 100), "c": 0.3}, to={"x": "x"})
    >>> round(fit["k"], 3), round(fit["c"], 3), fit.status
    (40.0, 0.5, 'converged')
    """

    parameters: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    errors: dict[str, float]
    covariance: np.ndarray
    run: Trajectory
    residuals: dict[str, np.ndarray]
    sigma: dict[str, float]
    unidentified: tuple[str, ...]
    status: str
    message: str
    runs: int
    confidence: float
    options: dict[str, Any]
    t: np.ndarray = field(repr=False)
    guess: dict[str, float] = field(repr=False)
    columns: tuple[Measured, ...] = field(repr=False)
    correlation: dict[str, float] = field(default_factory=dict)
    title: str = ""
    trajectories: tuple[Trajectory, ...] = field(default=(), repr=False)

    def __getitem__(self, name: Any) -> float:
        """The value found of a parameter, an input or an initial value, by name."""
        return self.parameters[name_in(name, self.parameters, "{!r} was not fitted: there are {}.")]

    def __repr__(self) -> str:
        count = sum(int(one.there.sum()) for one in self.columns)
        lines = [f"Fit of '{self.title}' to {count} values of {', '.join(map(str, self.sigma))}: {self.message}"]
        width = max(9, *(len(name) for name in self.parameters))
        percent = f"{100 * self.confidence:g} % interval"
        lines.append(f"{'':{width}}{'value':>14}{percent:>30}{'guess':>14}")
        for name, value in self.parameters.items():
            low, high = self.intervals[name]
            known = f"{low:.6g} to {high:.6g}" if np.isfinite(low) else "not known"
            between = "at its bound" if np.isnan(low) else known
            lines.append(f"{name:{width}}{value:14.6g}{between:>30}{self.guess[name]:14.6g}")
        lines += [f"noise of {column}: {value:.3g}" for column, value in self.sigma.items()]
        return "\n".join(lines)

    plot = asked("easydyn.study.comparing:columns_drawn")
    plot_residuals = asked("easydyn.study.comparing:residuals_drawn")
    compare = asked("easydyn.study.comparing:compared")

    def overlay(self, film: Any, camera: Any, *, points: Any = None, trace: Any = 0.5, frame: Any = None) -> Any:
        """The fitted run over a `film`, as a `camera` sees it; documented at `Trajectory.overlay`."""
        return self.run.overlay(film, camera, points=points, trace=trace, frame=frame)


def fit(
    model: Any, data: Any, parameters: Any, to: Mapping[Any, str] | None = None, *,
    bounds: Mapping[str, Any] | None = None, sigma: Any = None, shooting: Any = "auto", time: str | None = None,
    t_start: float | None = None, wrapped: bool = True, clocks: Any = None, rates: Any = None, each: Any = (),
    inputs: Any = None, initial: Any = None, fixed: Any = None, start: str = "guess", loss: str = "linear",
    confidence: float = 0.95, independent: bool = False, max_runs: int = 300, exact: bool | None = None, **options: Any,
) -> Fit:  # fmt: skip
    """Fit parameters, inputs and initial values to measured data: nonlinear least squares on exact derivatives.

    Parameters
    ----------
    data : DataFrame, dict of arrays (N,), Recording, Trajectory, structured array, path; dict or list of these
        Measured columns in their own units, one of them called t or time (s), or an index of that name; a file has
        columns of text (.csv) below a line of names. Missing measurements are NaN or empty. A dict of such tables
        holds several recordings of one run, {"film": ..., "phone": ...}; a list holds several runs.
    parameters : dict
        The values to be found, each in its own unit: a guess, {"c": 0.1}, or bounds around the model's own value,
        {"k": (5, 20)}. Parameters, inputs that are numbers, initial values ("q1", "q1.dot", states).
    to : dict, optional
        The column that holds the measurement of each quantity of the model: {"q1": "angle", tip.e[1]: "height"}.
        Columns of the same name if left out. A column that two recordings have is called "film.angle".
    bounds : dict, optional
        Bounds beside a guess, in its unit: {"c": (0, None)}.
    sigma : float or dict, optional
        Standard deviation of the noise in the unit of the columns: for each column a number or an array (N,).
        Estimated from the residuals of each column if left out.
    shooting : {"auto", "single", "multiple"} or int
        "single" fits one run from the start to the end. "multiple", or a number of pieces, divides the run, and
        converges where one run does not. "auto" divides the run if one run does not come near the data.
    time, t_start, wrapped, clocks, rates : optional
        Of measurements: time (the column of times), t_start (s; the first time if left out), wrapped (False: angles
        that jump by a turn stay), clocks ({"phone": 0.0}: recordings, or columns, that may be late, with a guess in
        s or bounds; found as "phone.clock"), rates ({"film": 1.0}: how many times as long their times are in truth;
        found as "film.rate").
    each : sequence of str, optional
        Of several runs: what each has for itself, ("q1", "q1.dot"), found as "q1[0]", "q1[1]".
    inputs, initial, fixed : dict, optional
        Values of inputs, initial values, and values of other parameters; of several runs lists of dicts, one for each.
    start, loss : str
        start="measured": all initial values are found, with guesses from the first data. loss="soft_l1": the sum of
        2 sqrt(1 + r^2) - 2 in place of r^2, so that outliers count less.
    confidence : float
        The probability of the intervals (no unit).
    independent : bool
        True: noise is independent, whatever residuals say.
    max_runs : int
        The search ends after so many runs; a pass over all pieces of a run is one.
    exact : bool, optional
        As of `sensitivity`.
    **options
        Those of `simulate`: progress (the share of max_runs that is spent), locked, target, scheme, method ("dop853"
        if left out), tolerance (1e-8), max_step.

    Returns
    -------
    Fit
        `fit["c"]`, `fit.intervals["c"]`, `fit.run`, `fit.plot()`, `fit.message`, which names what the data do not
        determine.

    Raises
    ------
    InputError, UnknownNameError
        Times that do not increase; columns, recordings or parameters that do not exist; bounds that do not contain
        the guess; more unknowns than data; lists that are not as long as there are runs.

    Example
    -------
    >>> import numpy as np
    >>> from easydyn import Model, errors, tdisp, trotz
    >>> model = Model("pendulum", gravity=(0, -9.81, 0))
    >>> q, = model.coordinates("q", initial=0.5)
    >>> length, = model.parameters(length=0.8)
    >>> bob = model.body("bob", trotz(q) * tdisp(0, -length, 0), mass=1, inertia=(0, 0, 0))
    >>> seen = model.simulate(2, parameters={"length": 1.0}, method="dop853", save_every=0.1)
    >>> fit = model.fit({"t": seen.t, "angle": seen["q"]}, {"length": 0.8}, to={"q": "angle"})
    >>> round(fit["length"], 4)
    1.0
    """
    no_unknown_options(options, fit, a_model(model, "model").simulate)
    streams, several = streams_of(data, time), isinstance(data, list | tuple)
    known = [name for name in model.signals.names(slots=(*SLOTS, "")) if name not in ENERGIES]
    angles = [x for x in known if model.signals[x].unit == "rad"] if flag(wrapped, "wrapped") else []
    columns, told = [], f"to has {{!r}}, which model '{model.name}' has not: expected one of {{}}, or an expression."
    for run, one in enumerate(streams):
        pairs = columns_of(to, one, known)
        for what, _ in pairs:
            if isinstance(what, str):
                name_in(what, known, told)
        columns += measured(pairs, one, sigma, angles, run if several else None)
    expect(among(start, ("guess", "measured")), "start", start, '"guess" or "measured"')
    expect(among(loss, ("linear", "soft_l1")), "loss", loss, '"linear" or "soft_l1"')
    kinds = {"initial": initial, "inputs": inputs, "fixed": fixed}
    lists = [_for_each(value, name, len(streams)) for name, value in kinds.items()]
    given = [dict(zip(kinds, row, strict=True)) for row in zip(*lists, strict=True)]
    unknowns = _unknowns(model, parameters, bounds, given, columns, (clocks, rates), each, several, start)
    if (count := sum(int(one.there.sum()) for one in columns)) < len(unknowns.names):
        raise InputError(
            f"the data hold {count} values, and {len(unknowns.names)} are to be found ({', '.join(unknowns.names)}): "
            "expected at least as many, and better many more."
        )
    begins = _begins(columns, unknowns, t_start, len(streams))
    pieces = None if among(shooting, ("auto", "single", "multiple")) else whole(shooting, "shooting", 10_000)
    share = finite(confidence, "confidence")
    expect(0 < share < 1, "confidence", share, "a probability between 0 and 1, such as 0.95")
    for name in ("save_every", "save_at", "t_final"):
        if name in options:
            raise InputError(f"a fit got {name}: its runs end with the data, and save the instants of these.")
    progress, settings = options.pop("progress", None), {"method": "dop853", "tolerance": 1e-8} | options
    rest = {"locked": None, "target": "auto", "scheme": "recursive"}
    choices = {"exact": exact} | {name: settings.pop(name, value) for name, value in rest.items()}
    problem = Problem(model, begins, columns, unknowns, settings, choices, loss == "soft_l1")
    problem.most = whole(max_runs, "max_runs")
    with progress_bar(progress) as problem.report:
        found = solved(problem, sigma is None, shooting, pieces, start == "measured")
    return _result(problem, found, sigma is None, share, flag(independent, "independent"))


def _for_each(value: Any, name: str, runs: int) -> list[Any]:
    """What is given for all runs, or in a list for each of them."""
    if not isinstance(value, list):
        return [value] * runs
    if len(value) != runs:
        raise InputError(f"{name} is a list of {len(value)}, and the data are of {runs} runs: expected one for each.")
    return value


def _unknowns(
    model: Any, parameters: Any, bounds: Any, given: list[dict[str, Any]], columns: list[Measured],
    times: tuple[Any, Any], each: Any, several: bool, start: str,
) -> Unknowns:  # fmt: skip
    """All that is looked for: of the model, of clocks, and of each run alone."""
    wanted, names = named_values(parameters), 'names, such as "q1" and "q1.dot"'
    own = [str(x) for x in ([each] if isinstance(each, str) else listed(each, "each", names))]
    for kind, values in zip(OWN, times, strict=True):
        for name, value in by_name(values, f"{kind}s", '{"phone": 0.0}').items():
            if not any(name in one.clocks for one in columns):
                there = ", ".join(dict.fromkeys(x for one in columns for x in one.clocks))
                raise UnknownNameError(f"{kind}s has {name!r}, which measures nothing: expected one of {there}.")
            wanted[f"{name}.{kind}"] = value
    if start == "measured":
        fixed = by_name(given[0]["initial"], "initial", '{"q1": 0.3}')
        free = [name for name in model.initial_values if name not in fixed]
        if model.mechanism.constraints or model.mechanism.algebraic or model.starts:
            free = [name for name in free if name in wanted or name in own]
            if not free:
                raise InputError(
                    f"start is 'measured', and the coordinates of model '{model.name}' depend on each other: expected "
                    'the independent ones, with their rates, among the parameters, such as "q1" and "q1.dot".'
                )
        wanted, own = dict.fromkeys(free) | wanted, own + free * several
    wanted = dict.fromkeys(own) | wanted
    if own and not several:
        raise InputError(f"each={own!r}: the data are of one run; expected a list of recordings.")
    possible = {f"{name}.{kind}": value for one in columns for name in one.clocks for kind, value in OWN.items()}
    return joined([unknowns_of(model, wanted, bounds, what="a fit", times=possible, **one) for one in given], own)


def _begins(columns: list[Measured], unknowns: Unknowns, t_start: Any, runs: int) -> list[float]:
    """When (s) each run begins: with the data whose clock is right, if there are such."""
    found = []
    for run in range(runs):
        clocks = [base.rpartition(".")[0] for base in unknowns.of(run, "clock")]
        own = [one for one in columns if one.run == run]
        sure = [one for one in own if not any(name in clocks for name in one.clocks)]
        first = min(float(one.t[0]) for one in sure or own)
        begin = first if t_start is None else finite(t_start, "t_start")
        if begin > first:
            raise InputError(f"t_start is {begin:g} s: the data begin at {first:g} s, expected a start not after that.")
        found.append(begin)
    return found


def _result(problem: Problem, solved: Solved, weigh: bool, confidence: float, independent: bool) -> Fit:
    u, x = problem.unknowns, solved.x
    problem.most = max(problem.most, problem.runs + problem.cost_of_a_pass)  # whatever was left
    r, J = problem.residuals(x)
    each = parts(problem, r)
    felt = [influence(own) for own in each] if problem.robust else each
    free = max(len(r) - len(x), 1)
    at_bounds = u.at_bounds(x)
    covariance, unseen, sentences = identified(J, u.size, u.names, at_bounds, 1e-6 if problem.exact else 1e-3)
    names = [one.column for one in problem.columns]
    correlation = {name: correlation_of(own, len(x)) for name, own in zip(names, felt, strict=True)}
    found = [] if independent else list(correlation.values())
    noise = correlated(covariance, J, felt, found, weigh, problem.robust)
    with np.errstate(invalid="ignore"):
        errors = np.sqrt(np.diag(noise.covariance))
    half = 0.5 + confidence / 2
    factor = float(stdtrit(noise.free, half) if weigh else ndtri(half))
    options, runs = _runs(problem, x)
    residuals, sigmas, columns = {}, {}, []
    for one, own, scale in zip(problem.columns, each, noise.scales, strict=True):
        values = np.full(len(one.values), np.nan)
        values[one.there] = -own * one.sigma[one.there]
        residuals[one.column] = values
        sigmas[one.column] = float(np.sqrt(np.mean((one.sigma * (1 if problem.robust else scale)) ** 2)))
        columns.append(replace(one, t=problem.times(one, x)))
    chi = None if weigh else float(np.sqrt(sum(own @ own for own in felt) / free))
    doubts = [not_followed(one, own) for one, own in zip(columns, each, strict=True)] + [solved.suspicion]
    doubts = list(filter(None, doubts))
    follow = [name for name, r in correlation.items() if noise.widened > 1.05 and r > WHITE]
    status = "not converged" if not solved.converged else "doubtful" if doubts else "converged"
    doubts += [] if doubts or not solved.converged else clocks_suspected(problem, x, r, J)
    says = _message(problem, solved, status, doubts, sentences, chi)
    if follow:
        told = " and ".join(f"{name} ({correlation[name]:.2f} from one instant to the next)" for name in follow)
        says += f" The residuals of {told} follow each other: intervals are {noise.widened:.2g} times as wide for it."
    ends = np.column_stack([x - factor * errors, x + factor * errors]).tolist()
    return Fit(
        dict(zip(u.names, x.tolist(), strict=True)),
        {name: (low, high) for name, (low, high) in zip(u.names, ends, strict=True)},
        dict(zip(u.names, errors.tolist(), strict=True)), noise.covariance, runs[0], residuals, sigmas, unseen,
        status, says, problem.runs, confidence, options, problem.columns[0].t,
        dict(zip(u.names, u.guess.tolist(), strict=True)), tuple(columns), correlation, problem.model.name, runs,
    )  # fmt: skip


def _runs(problem: Problem, x: np.ndarray) -> tuple[dict[str, Any], tuple[Trajectory, ...]]:
    """The runs with the values that were found, to the end of their data; the arguments of the first of them."""
    made: list[Trajectory] = []
    first: dict[str, Any] = {}
    fixed = {name: x for name, x in problem.choices.items() if name != "exact"}
    for run, begin in enumerate(problem.begins):
        options = {kind: values for kind, values in problem.unknowns.options(x, run).items() if values}
        first = first or options
        end = max(begin + SHORT, *(float(problem.times(one, x)[-1]) for one in problem.columns if one.run == run))
        made.append(problem.model.simulate(end, t_start=begin, **fixed, **(problem.options | options)))
    return first, tuple(made)


def _message(
    problem: Problem, solved: Solved, how: str, doubts: list[str], sentences: list[str], chi: float | None
) -> str:
    runs = f" ({solved.how}, {problem.runs} in all)"
    said = [*doubts, *sentences]
    said.insert(0, f"{how}: max_runs allows no more{runs}" if how == "not converged" else how + runs)
    said += [f"{told}: its interval is not known" for told in problem.unknowns.told_at_bounds(solved.x)]
    if chi is not None and chi > 2:
        said.append(
            f"the residuals are {chi:.2g} times what sigma tells: the model, or sigma, is not what was measured"
        )
    said += [one.note for one in problem.columns if one.note]
    if problem.note:
        said.append(f"derivatives are {problem.note}")
    return ". ".join(said) + "."
