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
from scipy.optimize import least_squares
from scipy.special import ndtri, stdtrit

from easydyn.arguments import answers
from easydyn.errors import InputError, UnknownNameError
from easydyn.inputs import a_model, among, finite, flag, whole
from easydyn.mechanics.signals import ENERGIES, SLOTS
from easydyn.result import plots
from easydyn.result.trajectory import Trajectory
from easydyn.study.data import columns_of, data_of
from easydyn.study.identify import WHITE, correlated, correlation_of, identified
from easydyn.study.problem import Measured, Problem, Spent, measured
from easydyn.study.shooting import Shooting
from easydyn.study.unknowns import unknowns_of

POOR, LARGE = 0.1, 0.95  # residuals beside the spread of a column: a run may have been lost, if they are no noise; is
FOLLOWS = 0.5  # correlation of residuals with the next: more is no noise
POOR_SIGMA = 3.0  # residuals beside the noise that was given
QUICK = 25  # evaluations of the first attempt
EXPLAINED, ROUNDS = 0.3, 8  # of the squares of residuals, what a delay may leave; rounds in which it is found
MOST = 10_000  # evaluations, whatever is allowed
SETTLED = 0.02  # change of the weights


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
        The run with these values.
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
        Times (s) of the data.
    confidence : float
        The probability of the intervals (no unit).
    guess : dict
        The values at which the search began, in the units of `parameters`.
    columns : tuple
        The measured quantities, each a `Measured`.
    correlation : dict
        The correlation (no unit) of the residuals of each column from one instant to the next: near zero for noise.
    title : str
        The name of the model.
    options : dict
        The arguments of a run with these values: `model.simulate(5, **fit.options)`.

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

    def __getitem__(self, name: Any) -> float:
        """The value found of a parameter, an input or an initial value, by name."""
        if str(name) not in self.parameters:
            raise UnknownNameError(f"{str(name)!r} was not fitted: there are {', '.join(self.parameters)}.")
        return self.parameters[str(name)]

    def __repr__(self) -> str:
        count = sum(int(one.there.sum()) for one in self.columns)
        lines = [
            f"Fit of '{self.title}' to {count} values of {', '.join(map(str, self.sigma))}: {self.message}"
        ]
        width = max(9, *(len(name) for name in self.parameters))
        percent = f"{100 * self.confidence:g} % interval"
        lines.append(f"{'':{width}}{'value':>14}{percent:>30}{'guess':>14}")
        for name, value in self.parameters.items():
            low, high = self.intervals[name]
            between = (
                "at its bound" if np.isnan(low) else f"{low:.6g} to {high:.6g}" if np.isfinite(low) else "not known"
            )
            lines.append(f"{name:{width}}{value:14.6g}{between:>30}{self.guess[name]:14.6g}")
        lines += [f"noise of {column}: {value:.3g}" for column, value in self.sigma.items()]
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the measured values as dots and the fitted run as lines, with a panel for each column.

        Returns matplotlib axes, `ax` (one for each column) or those of a new figure.
        """
        drawn = plots.panels(ax, len(self.columns))
        for axis, one in zip(drawn, self.columns, strict=True):
            name = str(one.what)
            axis.plot(self.t, one.values, ".", color="0.55", ms=4, label=f"{one.column}, measured", zorder=1)
            values = self.run[name] if name in self.run.columns else self.run.of(one.what)
            axis.plot(self.run.t, values, color="C0", lw=1.5, label="fit", zorder=2)
            axis.set_ylabel(plots.label(name, self.run.unit(name) if name in self.run.columns else ""))
            axis.legend()
        drawn[-1].set_xlabel("t [s]")
        drawn[0].set_title(plots.shown_as(self.title))
        return drawn[0] if len(drawn) == 1 else plots.Panels(drawn)

    def plot_residuals(self, ax: Any = None) -> Any:
        """Draw measured minus computed values over time, in units of the noise: a good fit is a band without a pattern.

        Returns matplotlib axes, `ax` or those of a new figure.
        """
        axis = plots.axes(ax)
        axis.axhspan(-2, 2, color="0.9", zorder=0)
        for column, values in self.residuals.items():
            axis.plot(self.t, values / self.sigma[column], ".", ms=4, label=column)
        axis.set_xlabel("t [s]")
        axis.set_ylabel("measured less computed, by the noise")
        axis.legend()
        return axis

    def overlay(self, film: Any, camera: Any, **options: Any) -> Any:
        """The fitted run over a `film`, as a `camera` sees it; `options` as documented at `Trajectory.overlay`."""
        return self.run.overlay(film, camera, **options)


@answers
def fit(
    model: Any,
    data: Any,
    parameters: Any,
    to: Mapping[Any, str] | None = None,
    *,
    bounds: Mapping[str, Any] | None = None,
    sigma: Any = None,
    time: str | None = None,
    t_start: float | None = None,
    shooting: Any = "auto",
    confidence: float = 0.95,
    max_runs: int = 300,
    fixed: Mapping[str, Any] | None = None,
    initial: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    locked: Any = None,
    exact: bool | None = None,
    target: str = "auto",
    scheme: str = "recursive",
    independent: bool = False,
    **options: Any,
) -> Fit:
    """Fit a model to measured data; documented at `Model.fit`."""
    a_model(model, "model")
    held = data_of(data, time)
    unknowns = unknowns_of(model, parameters, bounds, initial, inputs, "a fit", fixed)
    known = [name for name in model.signals.names(slots=(*SLOTS, "")) if name not in ENERGIES]
    pairs = columns_of(to, held, known)
    columns = measured(pairs, held, sigma)
    _check(model, pairs, known, columns, unknowns.names)
    begin = held.t[0] if t_start is None else finite(t_start, "t_start")
    if begin > held.t[0]:
        raise InputError(f"t_start is {begin:g} s: the data begin at {held.t[0]:g} s, expected a start not after that.")
    pieces = None if among(shooting, ("auto", "single", "multiple")) else whole(shooting, "shooting", 10_000)
    share = finite(confidence, "confidence")
    if not 0 < share < 1:
        raise InputError(f"confidence is {share:g}: expected a probability between 0 and 1, such as 0.95.")
    for name in ("save_every", "save_at", "t_final"):
        if name in options:
            raise InputError(f"a fit got {name}: its runs end with the data, and save the instants of these.")
    settings = {"method": "dop853", "tolerance": 1e-8} | options
    choices = {"locked": locked, "exact": exact, "target": target, "scheme": scheme}
    problem = Problem(model, held.t, float(begin), columns, unknowns, settings, choices)
    problem.most = whole(max_runs, "max_runs")
    solved = _solved(problem, sigma is None, shooting, pieces)
    return _result(problem, solved, sigma is None, share, flag(independent, "independent"))


def _check(model: Any, pairs: Any, known: list[str], columns: list[Measured], names: tuple[str, ...]) -> None:
    for what, _ in pairs:
        if isinstance(what, str) and what not in known:
            raise UnknownNameError(
                f"to has {what!r}, which model '{model.name}' has not: expected one of {', '.join(known)}, or an "
                "expression of its symbols."
            )
    count = sum(int(one.there.sum()) for one in columns)
    if count < len(names):
        raise InputError(
            f"the data hold {count} values, and {len(names)} are to be found ({', '.join(names)}): expected at least "
            "as many, and better many more."
        )


@dataclass
class _Solved:
    x: np.ndarray
    cost: float
    converged: bool
    how: str


def _solved(problem: Problem, weigh: bool, shooting: Any, pieces: int | None) -> _Solved:
    """The best that was found, by one run, and by several pieces where one is lost."""
    guess = problem.unknowns.guess
    found = there = shot = None
    alone = shooting in ("auto", "single")
    problem.most -= 0 if alone else 1  # left for the values that are found
    try:
        if alone:
            found = _least(problem, guess, weigh, problem.most if shooting == "single" else QUICK, "one run")
        lost = found is None or not found.converged or _poor(problem, found.x, weigh)
        if found is not None and (not lost or shooting == "single" or not problem.exact):
            done = found.converged or shooting == "single"
            return found if done else _least(problem, found.x, weigh, problem.most, "one run")
        if not problem.exact:
            raise InputError(
                f"the motion of model '{problem.model.name}' cannot be differentiated exactly, or exact=False was "
                'given: expected shooting="single".'
            )
        shot = Shooting(problem, pieces)
        kept: list[Measured] = list(problem.columns)
        _reset(problem, weigh)
        for x in shot.rounds():
            _reset(problem, weigh)
            there = _least(problem, x, weigh, QUICK, f"{len(shot.ranges)} pieces")
            if there.converged and not _poor(problem, there.x, weigh):
                break
        assert there is not None
        if not there.converged:
            there = _least(problem, there.x, weigh, problem.most, there.how)
        if found is None or there.cost <= found.cost:
            return there
        problem.columns[:] = kept
        return _least(problem, found.x, weigh, problem.most, "one run")
    except Spent:
        if found is None and there is None:  # all of them went into the pieces
            problem.most += 1
            return _Solved(guess if shot is None else shot.x, np.inf, False, "one run")
        return min((one for one in (found, there) if one is not None), key=lambda one: one.cost)


def _reset(problem: Problem, weigh: bool) -> None:
    """Weights by the spread of the columns again, where nothing was said of the noise."""
    if weigh:
        problem.columns[:] = [replace(one, sigma=np.full(len(one.values), one.spread)) for one in problem.columns]


def _least(problem: Problem, x: np.ndarray, weigh: bool, most: float, how: str) -> _Solved:
    """SciPy's least squares from x; the weights follow from the residuals where nothing was said of the noise."""
    u = problem.unknowns
    before = problem.runs
    success = False
    for _ in range(6):
        inside = np.clip(x, u.low + 1e-9 * u.size, u.high - 1e-9 * u.size)
        problem.best = None
        left = most - (problem.runs - before)
        try:
            found = least_squares(
                lambda x: problem.residuals(x)[0], inside, lambda x: problem.residuals(x)[1], (u.low, u.high),
                x_scale=u.size, max_nfev=int(min(max(left, 1), MOST)), xtol=1e-9, ftol=1e-9, gtol=1e-12,
            )  # fmt: skip
            x, success = found.x, bool(found.success)
        except Spent:
            if problem.best is None:
                raise
            success = False
        x = x if problem.best is None else problem.back()  # none: no run came to its end
        if not weigh or len(problem.columns) == 1 or not success:
            break
        if problem.weigh(problem.residuals(x)[0], len(x)) < SETTLED:
            break
    own = problem.residuals(x)[0]
    spread = np.concatenate([one.sigma[one.there] / one.spread for one in problem.columns])
    return _Solved(x, float(np.sum((own * spread) ** 2)), success, how)


def _parts(problem: Problem, r: np.ndarray) -> list[np.ndarray]:
    """The residuals of each column."""
    return np.split(r, np.cumsum([int(one.there.sum()) for one in problem.columns])[:-1])


def _poor(problem: Problem, x: np.ndarray, weigh: bool) -> bool:
    """Whether residuals are so large, and so unlike noise, that the run may have been lost on its way."""
    for one, own in zip(problem.columns, _parts(problem, problem.residuals(x)[0]), strict=True):
        rms = float(np.sqrt(np.mean((own * one.sigma[one.there]) ** 2))) / one.spread
        large = rms > POOR if weigh else float(np.sqrt(np.mean(own**2))) > POOR_SIGMA
        if large and (rms > LARGE or correlation_of(own) > FOLLOWS):
            return True
    return False


def _result(problem: Problem, solved: _Solved, weigh: bool, confidence: float, independent: bool) -> Fit:
    u, x = problem.unknowns, solved.x
    r, J = problem.residuals(x)
    parts = _parts(problem, r)
    free = max(len(r) - len(x), 1)
    at_bounds = u.at_bounds(x)
    known = identified(J, u.size, u.names, at_bounds, 1e-6 if problem.exact else 1e-3)
    names = [one.column for one in problem.columns]
    correlation = {name: correlation_of(own, len(x)) for name, own in zip(names, parts, strict=True)}
    noise = correlated(known.covariance, J, parts, list(correlation.values()) if not independent else [], weigh)
    covariance = noise.covariance
    with np.errstate(invalid="ignore"):
        errors = np.sqrt(np.diag(covariance))
    half = 0.5 + confidence / 2
    factor = float(stdtrit(noise.free, half) if weigh else ndtri(half))
    options = {kind: values for kind, values in u.options(x).items() if values}
    whole_options = options | {"method": problem.options["method"], "tolerance": problem.options["tolerance"]}
    locked = {} if problem.choices["locked"] is None else {"locked": problem.choices["locked"]}
    run = problem.model.simulate(
        float(problem.t[-1]), t_start=problem.t_start, target=problem.choices["target"],
        scheme=problem.choices["scheme"], **locked, **(problem.options | whole_options),
    )  # fmt: skip
    residuals, sigmas = {}, {}
    for one, own, scale in zip(problem.columns, parts, noise.scales, strict=True):
        values = np.full(len(problem.t), np.nan)
        values[one.there] = -own * one.sigma[one.there]
        residuals[one.column] = values
        sigmas[one.column] = float(np.sqrt(np.mean((one.sigma * scale) ** 2)))
    chi = None if weigh else float(np.sqrt(np.sum(r**2) / free))
    doubts = [text for one, own in zip(problem.columns, parts, strict=True) for text in _doubts(one, own, problem.t)]
    follow = [name for name, r in correlation.items() if noise.widened > 1.05 and r > WHITE]
    status = "not converged" if not solved.converged else "doubtful" if doubts else "converged"
    says = _message(problem, solved, status, doubts, known.sentences, at_bounds, chi)
    if follow:
        told = " and ".join(f"{name} ({correlation[name]:.2f} from one instant to the next)" for name in follow)
        says += f" The residuals of {told} follow each other: intervals are {noise.widened:.2g} times as wide for it."
    ends = np.column_stack([x - factor * errors, x + factor * errors]).tolist()
    return Fit(
        dict(zip(u.names, x.tolist(), strict=True)),
        {name: (low, high) for name, (low, high) in zip(u.names, ends, strict=True)},
        dict(zip(u.names, errors.tolist(), strict=True)), covariance, run, residuals, sigmas, known.unseen,
        status, says, problem.runs, confidence, options, problem.t, dict(zip(u.names, u.guess.tolist(), strict=True)),
        tuple(problem.columns), correlation, problem.model.name,
    )  # fmt: skip


def _doubts(one: Measured, own: np.ndarray, t: np.ndarray) -> list[str]:
    """That a run does not follow a column, if so, and whether a delay or a factor would explain it."""
    t, values, left = t[one.there], one.values[one.there], -own * one.sigma[one.there]
    share = float(np.sqrt(np.mean(left**2))) / one.spread
    if not (share > POOR and correlation_of(own) > FOLLOWS):
        return []
    said = f"the model does not follow {one.column}: {100 * share:.0f} % of its spread is left, and not as noise"
    seen = values - left
    slope, delay, factor = np.gradient(seen, t), 0.0, float(seen @ values) / max(float(seen @ seen), 1e-300)
    for _ in range(ROUNDS):
        moved, rate = (np.interp(t - delay, t, x) for x in (seen, slope))
        delay -= float(rate @ (values - moved)) / max(float(rate @ rate), 1e-300)
    moved = np.interp(t - delay, t, seen)
    if np.sum((values - moved) ** 2) < EXPLAINED * np.sum(left**2):
        said += f"; it would, were the column {abs(delay):.3g} s {'earlier' if delay > 0 else 'later'}"
    elif np.sum((values - factor * seen) ** 2) < EXPLAINED * np.sum(left**2):
        said += f"; it would, were the column {factor:.3g} times as small: look at its unit and its sign"
    return [said]


def _message(
    problem: Problem, solved: _Solved, how: str, doubts: list[str], sentences: list[str], at_bounds: np.ndarray,
    chi: float | None,
) -> str:  # fmt: skip
    u = problem.unknowns
    runs = f" ({solved.how}, {problem.runs} in all)"
    said = [*doubts, *sentences]
    said.insert(0, f"{how}: max_runs allows no more{runs}" if how == "not converged" else how + runs)
    said += [
        f"{name} lies at its bound {value:g}: its interval is not known" for name, value, at in
        zip(u.names, solved.x, at_bounds, strict=True) if at
    ]  # fmt: skip
    if chi is not None and chi > 2:
        said.append(
            f"the residuals are {chi:.2g} times what sigma tells: the model, or sigma, is not what was measured"
        )
    if problem.note:
        said.append(f"derivatives are {problem.note}")
    return ". ".join(said) + "."
