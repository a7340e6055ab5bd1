"""Error messages: the exception for the answer of a kernel, with the coordinate and the remedy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from easydyn.errors import (
    AssemblyError,
    ConvergenceError,
    IntegrationError,
    NotFiniteError,
    SingularMatrixError,
    StepSizeError,
)
from easydyn.sim import loop
from easydyn.sim.iteration import ROUNDOFF
from easydyn.sim.linear import culprits, singular
from easydyn.sim.run import DIVERGING, NO_CONVERGENCE, NOT_CLOSED, NOT_FINITE, SINGULAR, SINGULAR_MASS, UNSTABLE

TOO_LARGE = 1.0  # rounding of a residual in which all inertia is lost


def state_of(run: Any, names: Sequence[str], first_order: np.ndarray) -> str:
    """The state that a run has reached, in words: the first six unknowns."""
    shown = np.where(first_order, run.qd, run.q)
    state = ", ".join(f"{name} = {x:.6g}" for name, x in zip(names[:6], shown[:6], strict=True))
    return state + (", ..." if len(names) > 6 else "")


def whole(run: Any, n: int) -> np.ndarray:
    """The matrix of a run (n, n), also where its entries alone are kept."""
    if not run.sparse:
        return np.reshape(run.matrix, (n, n))
    matrix = np.zeros((n, n))
    columns = np.repeat(np.arange(n), np.diff(np.array(run.column_start)).astype(int))
    matrix[np.array(run.entry_row[: run.entries]).astype(int), columns] = run.matrix[: run.entries]
    return matrix


def not_closed(run: Any, names: Sequence[str], first_order: np.ndarray) -> AssemblyError:
    """What is said where loops do not stay closed."""
    return AssemblyError(
        f"the loops cannot be kept closed at t = {run.t:.6g} s ({state_of(run, names, first_order)}): beyond this "
        "configuration lengths do not reach, or two ways to go on meet in it (a change point). Look at the motion so "
        "far (error.trajectory) and at the lengths.",
        time=run.t,
    )


def explained(run: Any, names: Sequence[str], first_order: np.ndarray, answer: int) -> IntegrationError:
    """The exception for what a kernel answered, from the record of a run and the names of its unknowns."""
    n = len(names)
    where, h = f"at t = {run.t:.6g} s", run.taken
    state = state_of(run, names, first_order)
    if answer == NOT_FINITE:
        row = int(np.argmin(np.isfinite(run.f)))
        name = names[row]
        return NotFiniteError(
            f"the residual of {name} is {run.f[row]} {where} ({state}). A square root, arcsine or logarithm "
            "may be out of its domain, a length zero, or the motion may run away: look at the motion so far "
            "(error.trajectory) and at the values of parameters.",
            time=run.t,
            coordinate=name,
        )
    if answer in (SINGULAR, SINGULAR_MASS):
        kind = "iteration matrix" if answer == SINGULAR else "mass matrix"
        matrix = whole(run, n)
        row = int(np.argmax(np.abs(run.f)))
        if not abs(run.f[row]) * ROUNDOFF < TOO_LARGE:
            return SingularMatrixError(
                f"a number is too large {where} ({state}): the residual of {names[row]} is {run.f[row]:.3g}, and "
                f"inertia is lost in its rounding, so that the {kind} seems singular. Look at the units and the sizes "
                f"of what acts on {names[row]}: a stiffness, a force, a mass.",
                time=run.t,
                coordinate=names[row],
            )
        return singular(culprits(matrix, names), run.t, kind, f" ({state})")
    if answer == NO_CONVERGENCE:
        worst = names[int(np.argmax(np.abs(run.delta) / np.array(run.weight)))]
        return ConvergenceError(
            f"Newton's iteration does not converge {where}, not even with a step of {h:.3g} s ({state}); the worst "
            f"is {worst}. A force may jump with the state (friction, contact): make it smooth, or check its sign "
            "(a spring that pushes away grows without bound).",
            time=run.t,
            coordinate=worst,
        )
    if answer == NOT_CLOSED:
        return not_closed(run, names, first_order)
    if answer in (DIVERGING, UNSTABLE):
        worst = names[int(np.argmax(np.abs(np.array(run.qd1) - np.array(run.qd)) / np.array(run.weight)))]
    if answer == DIVERGING:
        return ConvergenceError(
            f"Picard's iteration (method 'lobatto') does not converge {where} with a step of {h:.3g} s ({state}); the "
            f"worst is {worst}. Fast vibrations or strong damping ask for shorter steps than that: leave their length "
            'to the tolerance, or use method="newmark" or "newmark_extrapolated", whose steps may be of any length.',
            time=run.t,
            coordinate=worst,
        )
    if answer == UNSTABLE:
        return StepSizeError(
            f"steps of {h:.3g} s are too long {where} ({state}): their errors are as large as the motion, and grow "
            f"from step to step; the worst is {worst}. Fast vibrations or strong damping ask for shorter ones: leave "
            'their length to the tolerance, or use method="newmark", whose steps may be of any length.',
            time=run.t,
            coordinate=worst,
        )
    change = np.abs(np.array(run.qdd1) - np.array(run.qdd)) / np.array(run.weight)
    worst = names[int(np.argmax(change))]
    kind = "rate" if first_order[int(np.argmax(change))] else "acceleration"
    if run.min_step == 0 and run.creeping > loop.PATIENCE and run.h >= loop.shortest(run):
        return StepSizeError(
            f"the tolerance {run.tolerance:g} asks for steps below {h:.3g} s {where} ({state}), the {kind} of "
            f"{worst} most of all: more than {1 / loop.HOPELESS:.0e} of them would be needed to t = {run.end:.6g} s, "
            f"and the run gives up after {loop.PATIENCE} in a row (a step tried again counts ten times). If the "
            'motion is as expected, take a larger tolerance, a method of higher order ("dop853") or an earlier end; '
            "else look for a motion that runs away, and give the times at which a force jumps in jumps=[...].",
            time=run.t,
            coordinate=worst,
        )
    least = f"min_step={run.min_step:g} s" if run.min_step > 0 else "the rounding of time"
    return StepSizeError(
        f"the tolerance {run.tolerance:g} asks for steps below {h:.3g} s {where} ({state}); the {kind} of "
        f"{worst} changes too fast, and {least} allows no shorter ones. If a force jumps in time, give the time in "
        "jumps=[...]; otherwise use a larger tolerance, or look for a motion that runs away.",
        time=run.t,
        coordinate=worst,
    )
