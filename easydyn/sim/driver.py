"""A whole run: the checked request, a stepper, records of the run, and a result in every case."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import AccuracyWarning, IntegrationError, calls_to_user
from easydyn.inputs import listed, state_vector, times
from easydyn.result.outcome import Statistics, Steps
from easydyn.result.trajectory import Trajectory
from easydyn.sim.agenda import Event
from easydyn.sim.functions import Functions, Residual, of_python, rates_of_python
from easydyn.sim.progress import progress_bar
from easydyn.sim.records import Records
from easydyn.sim.request import Request
from easydyn.sim.stepper import Stepper, default_names, mask_of

Rates = Callable[[float, np.ndarray, np.ndarray, np.ndarray], Any]


@answers
def integrate(
    residual: Residual,
    *,
    q: Any,
    qd: Any,
    t_final: float,
    t_start: float = 0.0,
    method: Any = "newmark",
    tolerance: float = 1e-6,
    step: float | None = None,
    max_step: float | None = None,
    min_step: float | None = None,
    save_every: float | None = None,
    first_order: Any = (),
    scale: Any = None,
    jumps: Sequence[float] = (),
    names: Sequence[str] | None = None,
    rates: Rates | None = None,
    events: Sequence[Event] = (),
    progress: Any = None,
    max_steps: int | None = None,
    max_memory: float | None = None,
    save_at: Sequence[float] | None = None,
) -> Trajectory:
    """Integrate f(t, q, qd, qdd) = 0 from `t_start` to `t_final`.

    Parameters
    ----------
    residual : callable
        f(t, q, qd, qdd) -> (n,), of plain numbers (eq. 9).
    q, qd : arrays (n,)
        State at the start; the accelerations are found from the equations.
    t_final, t_start : float
        End and start of the run (s).
    method : str or Method
        "newmark" (beta 1/4, gamma 1/2), "hht", "generalized_alpha", or `newmark(beta, gamma)`, `hht(alpha)`,
        `generalized_alpha(spectral_radius)`; of high order: "dop853", "lobatto", "newmark_extrapolated" or
        `newmark_extrapolated(order)`; of SciPy: "scipy:RK23", "scipy:RK45",
        "scipy:DOP853", "scipy:Radau", "scipy:BDF", "scipy:LSODA".
    tolerance : float
        Bound on the rate of error of eq. (22), in the unit of the coordinates per s; for SciPy's methods, the
        tolerances rtol and atol.
    step : float, optional
        Length of fixed steps (s), instead of step control; the last step before a jump or the end may be shorter.
    max_step, min_step : float, optional
        Longest step (s; a hundredth of the run if left out), and the step (s) below which the run is given up.
    save_every : float or "step", optional
        Interval of the saved instants (s), which are interpolated and do not change the steps. If left out, every step
        is saved; of more than 100,000 steps, only as many as a plot can show (`run.message` says so). "step" saves all.
    first_order : sequence of int or bool, optional
        Unknowns that are first-order states: they stand in qd, their derivative in qdd (eq. 29).
    scale : float or sequence of float, optional
        Typical sizes of first-order states, in their own units, one for all or one for each. Errors are relative to
        the largest value that a state has had, or to its scale if this is larger. Without this argument, the size of
        a state that starts at zero is 1.
    jumps : sequence of float
        Times (s) at which the residual jumps: the run lands on them, and restarts there.
    names : sequence of str, optional
        Names of the unknowns.
    rates : callable, optional
        g(t, q, qd, qdd) -> (m,) to be integrated along the run, step by step; the result is `run.integrals`.
    events : sequence of Event, optional
        Conditions that the run locates, with their actions; `run.events` lists what happened.
    progress : bool or callable, optional
        True for a progress bar, or a function of the completed fraction, or a `visu.LiveView`. By default, long runs
        show a bar in interactive use.
    max_steps : int, optional
        The number of steps after which the run is given up; ten million if left out. After a tenth of them, a warning
        comes if the rest will not suffice.
    max_memory : float, optional
        The same limit for the memory (bytes, no unit) of saved instants, steps and events; 1e9 if left out.
    save_at : sequence of float, optional
        The instants to be saved (s), in rising order, instead of an interval; no others are saved.

    Returns
    -------
    Trajectory

    Raises
    ------
    InputError
        A value that makes no sense, with its name.
    IntegrationError
        ConvergenceError, SingularMatrixError, NotFiniteError, StepSizeError, ChatterError, BudgetError, FunctionError,
        InterruptedRunError: with the time, the coordinate, the remedy, and `error.trajectory`, the result so far.

    Example
    -------
    >>> run = integrate(lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0], t_final=np.pi)
    >>> float(abs(run.q[-1, 0] + 1)) < 1e-5
    True
    """
    request = Request(
        t_final, t_start, method, tolerance, step, max_step, min_step, save_every, progress, max_steps, max_memory,
        save_at,
    )
    functions = of_python(residual, len(state_vector(q, "q")))
    return drive(
        functions, request, rates=rates, q=q, qd=qd, first_order=first_order, scale=scale, jumps=jumps, names=names,
        events=events,
    )  # fmt: skip


def drive(
    functions: Functions,
    request: Request,
    *,
    rates: Rates | None = None,
    about: Mapping[str, Any] | None = None,
    judge: Callable[[Trajectory, Records], Trajectory] | None = None,
    shown: Callable[[Trajectory], Trajectory] | None = None,
    **start: Any,
) -> Trajectory:
    """Make the run that a request asks for; `start` holds the other arguments of the Stepper.

    Parameters
    ----------
    about : dict, optional
        More attributes of the Trajectory: title, units, parameters, and what can compute frames, energies and
        expressions along the run.
    judge : callable, optional
        A function that checks the result, and returns it or another one.
    shown : callable, optional
        A function that converts the motion so far for a live view: all unknowns of a model, if some follow from others.
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
        error.trajectory = _start_only(t_start, start, str(error), about or {})
        raise
    run = Records(stepper, request, about or {})
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
        if np.any(found.first_order & np.isfinite(np.array(stepper.run.scale))):
            found = _beyond_tolerance(found, request.tolerance)
    return found


def _beyond_tolerance(run: Trajectory, tolerance: float) -> Trajectory:
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


def _start_only(t: float, start: Mapping[str, Any], message: str, about: Any) -> Trajectory:
    """The result of a run that could not begin: the initial state, with unknown accelerations."""
    states = np.array([start["q"]], dtype=float), np.array([start["qd"]], dtype=float)
    n = states[0].shape[1]
    empty = np.zeros(0)
    return Trajectory(
        t=np.array([t]), q=states[0], qd=states[1], qdd=np.full((1, n), np.nan),
        names=tuple(start.get("names") or default_names(n)), first_order=mask_of(start.get("first_order", ()), n),
        steps=Steps(empty, empty, empty), stats=Statistics(), integrals=np.zeros((1, 0)), status="failed",
        message=message, **about,
    )  # fmt: skip
