"""A whole run: what is asked, checked; a stepper, and records of its way; the result, whatever happens."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import AccuracyWarning, InputError, IntegrationError, calls_to_user
from easydyn.inputs import finite, function, listed, positive, state_vector, times
from easydyn.outcome import Statistics, Steps
from easydyn.sim.agenda import Clock, Event
from easydyn.sim.functions import Functions, Residual, of_python, rates_of_python
from easydyn.sim.methods import dop853, method_of
from easydyn.sim.progress import progress_bar
from easydyn.sim.records import Records
from easydyn.sim.scipy_methods import check_scipy, scipy_run
from easydyn.sim.stepper import Stepper, default_names, mask_of
from easydyn.trajectory import Trajectory

Rates = Callable[[float, np.ndarray, np.ndarray, np.ndarray], Any]


@answers
def integrate(
    residual: Residual | Functions,
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
    clocks: Sequence[Clock] = (),
    held: Sequence[float] = (),
    before_restart: Any = None,
    progress: Any = None,
    max_steps: int | None = None,
    max_memory: float | None = None,
    about: Mapping[str, Any] | None = None,
    judge: Any = None,
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
        `newmark_extrapolated(order)`; of SciPy, where it is installed: "RK23", "RK45", "DOP853", "Radau", "BDF",
        "LSODA".
    tolerance : float
        Bound on the rate of error of eq. (22), in the unit of the coordinates per s; of SciPy's methods the tolerances
        rtol and atol.
    step : float, optional
        Length of fixed steps (s), instead of step control; the last one before a jump or the end is what remains.
    max_step, min_step : float, optional
        Longest step (s; a hundredth of the run if left out) and the one below which the run is given up.
    save_every : float, optional
        Interval of the saved instants (s), which are interpolated and do not change the steps; every step if left out.
    first_order : sequence of int or bool, optional
        Unknowns that are first-order states: they stand in qd, their derivative in qdd (eq. 29).
    scale : float or sequence of float, optional
        Typical sizes of first-order states, one for all or one for each: errors count beside the largest value that a
        state has had, and beside its scale while that is larger. Without it a state that starts at zero is measured
        by 1.
    jumps : sequence of float
        Times (s) at which the residual jumps: the run lands on them, and restarts there.
    names : sequence of str, optional
        Names of the unknowns.
    rates : callable, optional
        g(t, q, qd, qdd) -> (m,) to be integrated along the run, step by step; the result is `run.integrals`.
    events : sequence of Event, optional
        Conditions that are located, with what is done then; `run.events` lists what happened.
    clocks, held, before_restart, judge : optional
        As in `Stepper`, and what judges the result; `Model.simulate` gives them.
    progress : bool or callable, optional
        True for a progress bar, or a function of the fraction done; by default a bar in interactive use, for long
        runs.
    max_steps : int, optional
        Steps after which the run is given up; ten million if left out. A tenth of it says whether the rest will do.
    max_memory : float, optional
        The same for the memory (bytes, no unit) that saved instants, steps and events take; 1e9 if left out.
    about : dict, optional
        More attributes of the Trajectory: title, units, parameters, and what can compute frames, energies and
        expressions along the run; `Model.simulate` gives them.

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
    start, end = finite(t_start, "t_start"), finite(t_final, "t_final")
    if not end > start:
        raise InputError(f"t_final is {end:g} s: expected a time after the start, {start:g} s.")
    save_every = None if save_every is None else positive(save_every, "save_every")
    jumps = [x for x in times(jumps) if start <= x <= end]
    fixed = 0.0 if step is None else positive(step, "step")
    shortest = 0.0 if min_step is None else positive(min_step, "min_step")
    chosen = method_of(method)
    family = chosen.family
    if family.outside:
        check_scipy(chosen.name)
        for option, value in (("step", fixed), ("min_step", shortest)):
            if value:
                raise InputError(
                    f"{option} is {value:g} s: method={chosen.name!r} chooses its steps itself; leave `{option}` out."
                )
    longest = (end - start) / (100 if family.short_steps else 10) if max_step is None else max_step
    if save_every is None and not family.short_steps:  # they are too long to draw
        save_every = (end - start) / 500
    functions = residual if isinstance(residual, Functions) else of_python(residual, len(state_vector(q, "q")))
    if rates is not None:
        evaluation, m = rates_of_python(rates, start, at := state_vector(q, "q"), state_vector(qd, "qd"), 0 * at)
        functions = replace(functions.also(rates=evaluation), m=m)
    events = listed(events, "events", "Events")
    if judge is not None:
        function(judge, "judge", "run, records")
    if family.outside and any(e.ends is None for e in events):
        raise InputError(
            f"method={chosen.name!r}: events are located by easydyn's own methods only; for stiff systems use "
            '"newmark" or "newmark_extrapolated", for smooth ones "dop853" or "lobatto".'
        )
    own = dop853() if family.outside else chosen  # a record with what explicit methods need
    try:
        stepper = Stepper(
            functions, q=q, qd=qd, t=start, method=own, tolerance=tolerance, max_step=longest, min_step=min_step,
            first_order=first_order, scale=scale, jumps=jumps, names=names, held=held, events=events,
            clocks=clocks, before_restart=before_restart,
        )  # fmt: skip
    except IntegrationError as error:  # no accelerations at the start
        error.trajectory = _start_only(start, q, qd, names, first_order, str(error), about or {})
        raise
    run = Records(stepper, end, save_every or 0.0, fixed, about or {}, max_steps, max_memory)
    run.budget.allow({"step": step, "max_step": max_step}, clocks)
    with progress_bar(progress) as report:
        try:
            if family.outside:
                scipy_run(run, chosen.name, report)
            else:
                run.go(report)
        except KeyboardInterrupt:
            raise run.interrupted() from None
        except MemoryError as error:
            raise run.full_memory(error) from error
        except BaseException as error:  # of a user's function too: what was computed is kept
            error.trajectory = run.result("failed", str(error))  # type: ignore[attr-defined]
            raise
    stopped = stepper.agenda.stopped
    found = run.result("finished", f"reached t = {end:g} s") if stopped is None else run.result("stopped", stopped)
    found = found if judge is None else judge(found, run)
    if not family.outside and not fixed and np.any(found.first_order) and tolerance * (found.t[-1] - start) > 1:
        found = _beyond_tolerance(found, tolerance)
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
        "(such as the logarithm of t), or take a method whose tolerance is one of each step, such as 'Radau'."
    )
    warnings.warn(f"the states of this run are doubtful: {what}", AccuracyWarning, stacklevel=calls_to_user())
    return replace(run, status="doubtful", message=f"{run.message}, but {what}")


def _start_only(t: float, q: Any, qd: Any, names: Any, first_order: Any, message: str, about: Any) -> Trajectory:
    """The result of a run that could not begin: the initial state, with unknown accelerations."""
    states = np.array([q], dtype=float), np.array([qd], dtype=float)
    n = states[0].shape[1]
    empty = np.zeros(0)
    return Trajectory(
        t=np.array([t]), q=states[0], qd=states[1], qdd=np.full((1, n), np.nan),
        names=tuple(names or default_names(n)), first_order=mask_of(first_order, n),
        steps=Steps(empty, empty, empty), stats=Statistics(), integrals=np.zeros((1, 0)), status="failed",
        message=message, **about,
    )  # fmt: skip
