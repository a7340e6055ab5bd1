"""A whole run: the checked request, a stepper, records of the run, and a result in every case."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from easydyn.errors import AccuracyWarning, IntegrationError, calls_to_user
from easydyn.inputs import listed, state_vector, times
from easydyn.sim.functions import Functions, rates_of_python
from easydyn.sim.motion import Motion, Statistics, Steps
from easydyn.sim.progress import progress_bar
from easydyn.sim.records import Records
from easydyn.sim.request import Request
from easydyn.sim.stepper import Stepper, default_names, mask_of

Rates = Callable[[float, np.ndarray, np.ndarray, np.ndarray], Any]


def drive(
    functions: Functions,
    request: Request,
    *,
    rates: Rates | None = None,
    made: Callable[..., Any],
    judge: Callable[[Any, Records], Any] | None = None,
    shown: Callable[[Any], Any] | None = None,
    **start: Any,
) -> Any:
    """Make the run that a request asks for; `start` holds the other arguments of the Stepper.

    Parameters
    ----------
    made : callable
        A function that makes the result, of a Motion and of its seams: None, or another Motion of the instants just
        before and just after what happened, for what is read between, and their places among all.
    judge : callable, optional
        A function that checks the result, and returns it or another one.
    shown : callable, optional
        A function that converts the result so far for a live view: all unknowns of a model, if some follow from others.
    """
    t_start, t_final = request.t_start, request.t_final
    start["jumps"] = [x for x in times(start.get("jumps", ())) if t_start <= x <= t_final]
    if rates is not None:
        at, speed = state_vector(start["q"], "q"), state_vector(start["qd"], "qd")
        evaluation, m = rates_of_python(rates, t_start, at, speed, 0 * at)
        functions = replace(functions.also(rates=evaluation), m=m)
    start["events"] = listed(start.get("events", ()), "events", "Events")
    try:
        stepper = Stepper(
            functions, t=t_start, method=request.method, tolerance=request.tolerance, max_step=request.longest_step,
            min_step=request.min_step, **start,
        )  # fmt: skip
    except IntegrationError as error:  # no accelerations at the start
        error.trajectory = made(_start_only(t_start, start, str(error)))
        raise
    run = Records(stepper, request, made)
    run.budget.allow({"step": request.step, "max_step": request.max_step}, start.get("clocks", ()))
    with progress_bar(request.progress, lambda: run.latest() if shown is None else shown(run.latest())) as report:
        try:
            run.go(report)
        except KeyboardInterrupt:
            raise run.interrupted() from None
        except MemoryError as error:
            raise run.full_memory(error) from error
        except BaseException as error:  # of a user's function too: what was computed is kept
            error.trajectory = run.result("failed", str(error))  # type: ignore[attr-defined]
            raise
    stopped = stepper.agenda.stopped
    reached = f"reached t = {t_final:g} s"
    if run.r.stride > 1:
        reached += f"; of {run.r.steps} steps one in {run.r.stride} is kept, save_every='step' keeps all"
    found = run.result("finished", reached) if stopped is None else run.result("stopped", stopped)
    found = found if judge is None else judge(found, run)
    per_second = not request.method.family.own_steps and request.step is None
    if per_second and request.tolerance * (found.t[-1] - t_start) > 1:
        if np.any(stepper.first_order & np.isfinite(np.array(stepper.run.scale))):
            found = _beyond_tolerance(found, request.tolerance)
    return found


def _beyond_tolerance(run: Any, tolerance: float) -> Any:
    """A run with states of its own so long that the rates of error allowed add up to more than the states are.

    Energies tell of errors of bodies; of such states nothing tells, and where a small error grows (reactants below
    zero, in Robertson's problem) it is soon all that there is.
    """
    span = run.t[-1] - run.t[0]
    what = (
        f"the tolerance of {tolerance:g} is an error per second, and allows states errors of {tolerance * span:.2g} "
        f"times their size in {span:g} s. Give a tolerance below {0.01 / span:.0e}, write the model in another time "
        "(such as the logarithm of t), or take a method whose tolerance is one of each step, such as 'scipy:Radau'."
    )
    warnings.warn(f"the states of this run are doubtful: {what}", AccuracyWarning, stacklevel=calls_to_user())
    return replace(run, status="doubtful", message=f"{run.message}, but {what}")


def _start_only(t: float, start: Mapping[str, Any], message: str) -> Motion:
    """The result of a run that could not begin: the initial state, with unknown accelerations."""
    states = np.array([start["q"]], dtype=float), np.array([start["qd"]], dtype=float)
    n = states[0].shape[1]
    empty = np.zeros(0)
    return Motion(
        t=np.array([t]), q=states[0], qd=states[1], qdd=np.full((1, n), np.nan),
        names=tuple(start.get("names") or default_names(n)), first_order=mask_of(start.get("first_order", ()), n),
        steps=Steps(empty, empty, empty), stats=Statistics(), integrals=np.zeros((1, 0)), status="failed",
        message=message,
    )  # fmt: skip
