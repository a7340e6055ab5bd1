"""The search for the values of a fit: one run from a guess, or from the first data; several pieces where it is lost.

`scipy.optimize.least_squares` finds the minimum from each of these, with weights that follow from the residuals.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from easydyn.errors import InputError
from easydyn.study.doubts import FOLLOWS, POOR, parts, suspected
from easydyn.study.identify import correlation_of
from easydyn.study.problem import NORMAL, Measured, Problem, Spent
from easydyn.study.shooting import Shooting, seen_at

LARGE = 0.95  # residuals beside the spread of a column: a run was lost, whatever they look like
POOR_SIGMA = 3.0  # residuals beside the noise that was given
QUICK = 25  # evaluations of the first attempt
MOST = 10_000  # evaluations, whatever is allowed
SETTLED = 0.02  # change of the weights
FIRST = 8, 41  # instants that show how a motion begins


@dataclass
class Solved:
    """Values of the unknowns, their cost, and how they were found."""

    x: np.ndarray
    cost: float
    converged: bool
    how: str
    suspicion: str = ""


def solved(problem: Problem, weigh: bool, shooting: Any, pieces: int | None, seen: bool) -> Solved:
    """The best that was found, by one run, and by several pieces where one is lost; with `seen` from the first data."""
    said = problem.unknowns
    _look(problem, seen)
    guess = problem.unknowns.guess
    found = there = shot = None
    alone = shooting in ("auto", "single")
    problem.most -= 0 if alone else 1  # left for the values that are found
    try:
        if alone:
            found = least(problem, guess, weigh, problem.most if shooting == "single" else QUICK, "one run")
        lost = found is None or not found.converged or poor(problem, found.x, weigh)
        if found is not None and lost:
            suspicion = suspected(problem, said, lambda: _quick_fit(problem, weigh, seen))
            if suspicion:
                return replace(found, converged=True, suspicion=suspicion)
        if found is not None and (not lost or shooting == "single" or not problem.exact):
            done = found.converged or shooting == "single"
            return found if done else least(problem, found.x, weigh, problem.most, "one run")
        if not problem.exact:
            raise InputError(
                f"the motion of model '{problem.model.name}' cannot be differentiated exactly, or exact=False was "
                'given: expected shooting="single".'
            )
        shot = Shooting(problem, pieces)
        kept: list[Measured] = list(problem.columns)
        reset(problem, weigh)
        for x in shot.rounds():
            reset(problem, weigh)
            there = least(problem, x, weigh, QUICK, f"{len(shot.ranges)} pieces")
            if there.converged and not poor(problem, there.x, weigh):
                break
        assert there is not None
        if not there.converged:
            there = least(problem, there.x, weigh, problem.most, there.how)
        if found is None or there.cost <= found.cost:
            return there
        problem.columns[:] = kept
        return least(problem, found.x, weigh, problem.most, "one run")
    except Spent:
        if found is None and there is None:  # all of them went into the pieces
            problem.most += 1
            return Solved(guess if shot is None else shot.x, np.inf, False, "one run")
        return min((one for one in (found, there) if one is not None), key=lambda one: one.cost)


def _look(problem: Problem, seen: bool) -> None:
    """Take the guess of initial values from the first data."""
    if seen:
        problem.unknowns = replace(problem.unknowns, guess=_start_of(problem))
        problem.cut(problem.unknowns.guess)


def _quick_fit(problem: Problem, weigh: bool, seen: bool) -> np.ndarray | None:
    """What a quick fit from the guess finds; None where it is lost."""
    reset(problem, weigh)
    _look(problem, seen)
    there = least(problem, problem.unknowns.guess, weigh, QUICK, "one run")
    return None if not there.converged or poor(problem, there.x, weigh) else there.x


def _start_of(problem: Problem) -> np.ndarray:
    """The guess, with initial values that the first data show: those measured by parabolas, others by a short fit."""
    u = problem.unknowns
    x, rows = u.guess.copy(), np.array([kind == "initial" for kind in u.kinds])
    windows = [int(np.clip(len(problem.instants(x, run)) // 20, *FIRST)) for run in range(len(problem.begins))]
    unseen = False
    for run, begin in enumerate(problem.begins):
        for name, k in u.of(run, "initial").items():
            seen = seen_at(problem, name, run, begin, windows[run])
            x[k], unseen = x[k] if seen is None else np.clip(seen, u.low[k], u.high[k]), unseen or seen is None
    if not unseen or problem.most < 2 * QUICK * problem.cost_of_a_pass:
        return x

    def at(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        whole = x.copy()
        whole[rows] = values
        r, J = problem.residuals(whole)
        return _held(r, J[:, rows], u.size[rows])

    with problem.aside() as columns:
        last = [problem.instants(x, run)[: windows[run]][-1] for run in range(len(problem.begins))]
        first = [np.where(problem.times(c, x) <= last[c.run], c.values, np.nan) for c in columns]
        problem.measure([replace(one, values=values) for one, values in zip(columns, first, strict=True)])
        with suppress(Spent):
            x[rows] = least_squares(
                lambda z: at(z)[0], np.clip(x, u.low + 1e-9 * u.size, u.high - 1e-9 * u.size)[rows],
                lambda z: at(z)[1], (u.low[rows], u.high[rows]), x_scale=u.size[rows], max_nfev=QUICK,
            ).x  # fmt: skip
    return x


def reset(problem: Problem, weigh: bool) -> None:
    """Weights by the spread of the columns again, where nothing was said of the noise."""
    if weigh:
        problem.columns[:] = [replace(one, sigma=np.full(len(one.values), one.spread)) for one in problem.columns]


def least(problem: Problem, x: np.ndarray, weigh: bool, most: float, how: str) -> Solved:
    """SciPy's least squares from x; the weights follow from the residuals where nothing was said of the noise."""
    u = problem.unknowns
    before, success = problem.runs, False

    def at(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _held(*problem.residuals(x), u.size)

    for _ in range(6):
        inside = np.clip(x, u.low + 1e-9 * u.size, u.high - 1e-9 * u.size)
        problem.best, left = None, most - (problem.runs - before)
        try:
            found = least_squares(
                lambda x: at(x)[0], inside, lambda x: at(x)[1], (u.low, u.high), x_scale=u.size, xtol=1e-9, ftol=1e-9,
                gtol=1e-12, loss="soft_l1" if problem.robust else "linear", max_nfev=int(min(max(left, 1), MOST)),
            )  # fmt: skip
            x, success = found.x, bool(found.success)
        except Spent:
            if problem.best is None:
                raise
            success = False
        x = x if problem.best is None else problem.back()  # none: no run came to its end
        if not success:
            break
        moved = problem.runs + 2 * problem.cost_of_a_pass <= problem.most and problem.cut(x)
        alone = len(problem.columns) == 1 and not problem.robust
        if (not weigh or alone or problem.weigh(problem.residuals(x)[0], len(x)) < SETTLED) and not moved:
            break
    spread = np.concatenate([one.sigma[one.there] / one.spread for one in problem.columns])
    return Solved(x, float(np.sum((problem.residuals(x)[0] * spread) ** 2)), success, how)


def _held(r: np.ndarray, J: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Residuals and their derivatives, with a row of zeros for each unknown, which holds it where it changes nothing.

    Of a J without full rank SciPy's steps are as long as its region: a search that shrinks them hardly ends.
    """
    return np.append(r, np.zeros(len(size))), np.vstack([J, np.diag(np.where(J.any(axis=0), 0.0, 1 / size))])


def poor(problem: Problem, x: np.ndarray, weigh: bool) -> bool:
    """Whether residuals are so large, and so unlike noise, that the run may have been lost on its way."""
    for one, own in zip(problem.columns, parts(problem, problem.residuals(x)[0]), strict=True):
        size = (lambda r: NORMAL * np.median(np.abs(r))) if problem.robust else (lambda r: np.sqrt(np.mean(r**2)))
        rms = float(size(own * one.sigma[one.there])) / one.spread
        large = rms > POOR if weigh else size(own) > POOR_SIGMA
        if large and (rms > LARGE or correlation_of(own) > FOLLOWS):
            return True
    return False
