"""What a run has made as a Trajectory, and runs of equations that are given by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from easydyn.arguments import MADE, answers
from easydyn.inputs import state_vector
from easydyn.result.trajectory import Trajectory
from easydyn.sim.agenda import Event
from easydyn.sim.driver import Rates, drive
from easydyn.sim.functions import Residual, of_python
from easydyn.sim.motion import Motion
from easydyn.sim.request import Request


def trajectory(motion: Motion, seams: tuple[Motion, np.ndarray] | None = None, **about: Any) -> Trajectory:
    """The Trajectory of what a run has made, with its seams and their places; `about` holds more attributes."""
    others = None if seams is None else (trajectory(seams[0], **about), seams[1])
    made = object.__new__(Trajectory)  # and filled at once: a constructor's assignments are looked at one by one
    blank = {"units": {}, "parameters": {}, "multiplier_values": np.zeros((0, 0)), MADE: True}
    made.__setstate__({**blank, **vars(motion), **about, "seams": others})
    return made


def noted(run: Trajectory, *texts: str) -> Trajectory:
    """The run with more in its message, where there is something to be said."""
    notes = [text for text in texts if text]
    return replace(run, message="; ".join([run.message, *notes])) if notes else run


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
        functions, request, made=trajectory, rates=rates, q=q, qd=qd, first_order=first_order, scale=scale,
        jumps=jumps, names=names, events=events,
    )  # fmt: skip
