"""Unknowns at the start of a run, and at jumps: equations determine the values of their columns there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from easydyn.engine.system import CompiledSystem
from easydyn.errors import AssemblyError, BudgetError

if TYPE_CHECKING:
    from easydyn.sim.stepper import Stepper

ROUNDS = 60
CLOSE = 1e-13  # beside the largest of them


def determined(
    system: CompiledSystem, t: float, q: np.ndarray, qd: np.ndarray, held: Sequence[float] | None = None
) -> np.ndarray:
    """qd with the unknowns in their columns, looked for from those that are there; AssemblyError for none."""
    m = system.mechanism
    columns = [m.unknowns.index(s) for s in m.algebraic]
    qd, last, steps = qd.copy(), np.inf, tuple(system.derivation.unknowns.unguarded)
    for _ in range(ROUNDS):
        new = system.at(steps, t, q, qd, 0 * q, held, "python")
        if not np.isfinite(new).all():
            break
        step = np.abs(new - qd[columns]).max()
        qd[columns] = new
        if step <= CLOSE * max(1e-3, np.abs(new).max()) or (step < 1e-9 and step >= last):
            return qd
        last = step
    raise AssemblyError(_said(system, t, q, qd, held, columns))


def nearest(system: CompiledSystem, t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """The same qd, or that with not-a-number in the columns of unknowns where there are none."""
    if not system.mechanism.algebraic or not np.isfinite(q).all():
        return qd
    try:
        return determined(system, t, q, qd)
    except AssemblyError:
        return np.where([s in system.mechanism.algebraic for s in system.mechanism.unknowns], np.nan, qd)


def _said(
    system: CompiledSystem, t: float, q: np.ndarray, qd: np.ndarray, held: Sequence[float] | None,
    columns: Sequence[int],
) -> str:  # fmt: skip
    """Why there is no solution: which unknown the equations leave open, or that none was found."""
    m = system.mechanism
    names = [str(s) for s in m.algebraic]
    checks = system.at(tuple(system.derivation.unknowns.checks), t, q, qd, 0 * q, held, "python")
    n = len(names)
    values, slopes = checks[:n], checks[n:].reshape(n, n)
    where = f"model '{m.name}', t = {t:.6g} s"
    if np.isfinite(slopes).all():
        _, sizes, directions = np.linalg.svd(slopes)
        if sizes[-1] <= 1e-12 * max(sizes[0], np.finfo(float).tiny):
            open_ones = [name for name, x in zip(names, directions[-1], strict=True) if abs(x) > 0.3]
            points = [p.name for p in m.points if any(str(s) in open_ones for s in p.T.free_symbols)]
            of = f" (of node '{points[0]}')" if points else ""
            return (
                f"{where}: the equations do not determine {' and '.join(open_ones)}{of}: nothing there changes with "
                "it. A point that no spring holds in some direction, or only slack ones, may be anywhere: hold it, or "
                "give it a position that goes only where it is held, (x, y, 0) in a plane."
            )
    largest = "" if not np.isfinite(values).all() else f" (what ought to be zero is {np.abs(values).max():.3g})"
    at = ", ".join(f"{name} = {qd[c]:.6g}" for name, c in zip(names, columns, strict=True))
    return (
        f"{where}: no values of {', '.join(names)} were found that fulfil their equations; the search ended at "
        f"{at}{largest}. Look whether there is a solution, and say about where it is: initial= of model.unknown, "
        "position= of model.node."
    )


def of_unknowns(system: CompiledSystem, error: Exception) -> str:
    """What may have ended a run of a model with unknowns, for its message."""
    if not system.mechanism.algebraic or isinstance(error, BudgetError):
        return ""
    return (
        f" The unknowns {', '.join(map(str, system.mechanism.algebraic))} follow from equations at every instant: "
        "beyond this one they may have no solution, or one that is not near, as where a spring snaps through; a point "
        "with a mass goes on."
    )


def follow(system: CompiledSystem, stepper: Stepper) -> None:
    """Unknowns follow a state that something has changed, before the run goes on."""
    stepper.qd = determined(system, stepper.t, stepper.q, stepper.qd, stepper.held_values())
