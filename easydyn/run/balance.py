"""Check of the energy balance of a run: total energy minus work must stay constant, except for small errors.

The check uses a few states along the run (sim/witnesses.py). Errors are relative to the energy turnover of the motion:
the largest of the kinetic energy, of the change of the potential and of the work.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from easydyn.errors import EnergyWarning, calls_to_user
from easydyn.sim.request import Request

SHARE = 0.005  # of the energy turned over: more is told
ROUNDING = 1e-9  # of the energy there is
FAST = 0.25  # of the energy turned over: a vibration of that energy of half a radian, or more, in a step
WITHIN = 1e-3  # of a step: a time so short that rotations are small
EXACT = 1e-9  # as a tolerance of a method of high order: what is wrong then is not its error
ACCURACY = "is an error per second"  # of states, of which another warning tells
BROKEN = "the energy balance is wrong"
NOISE = 1e-5  # m or rad, and per s: the energy of motions as small as that is none


@dataclass(frozen=True)
class Imbalance:
    """Change of total energy minus work (J), energy turnover (J), and the time when most of the change happened."""

    change: float
    turned_over: float
    begin: float
    end: float

    def __str__(self) -> str:
        part = abs(self.change) / self.turned_over if self.turned_over > 0 else np.inf
        share = f"{100 * part:.2g} % of" if part < 10 else "beside"
        way = "gained" if self.change > 0 else "lost"
        return (
            f"{BROKEN}: {abs(self.change):.3g} J were {way} that no force gave or took, {share} the "
            f"{self.turned_over:.3g} J that the motion turns over, most of it between t = {self.begin:.6g} and "
            f"{self.end:.6g} s."
        )


def imbalance(t: np.ndarray, kinetic: np.ndarray, potential: np.ndarray, work: np.ndarray) -> Imbalance | None:
    """The Imbalance of energies (N,) in J at instants (N,) in s; None if all is well."""
    with np.errstate(all="ignore"):
        balance = kinetic + potential - work
        change = balance - balance[0]
        turned_over = float(max(kinetic.max(), np.ptp(potential), np.ptp(work)))
        there = float(np.abs(kinetic).max() + np.abs(potential).max() + np.abs(work).max())
        worst = int(np.argmax(np.abs(change)))
        allowed = max(SHARE * turned_over, ROUNDING * there) + 1e-12
        if abs(change[worst]) <= allowed or not np.isfinite(change).all():
            return None
        k = int(np.argmax(np.abs(np.diff(change))))
    return Imbalance(float(change[worst]), turned_over, float(t[k]), float(t[k + 1]))


def judged(
    run: Any, records: Any, energies: Callable[[list[float]], Any], request: Request, solved: bool = False
) -> Any:
    """The run, said to be doubtful where its energy is wrong: `energies` are those of a witness (T, V), in J.

    Most often a few states say that all is well: where steps are controlled by a method of high order its first and
    its last. `solved` is true if closed forms kept loops closed.
    """
    n, r = records.r.n, records.r
    few = records.some(8 if r.method.short_steps or r.fixed_step > 0 else 0)
    found = [(*energies(x), x[1 + 2 * n]) for x in few]
    T0, V0, _ = found[0]
    most = max(max(T, abs(V - V0), abs(W)) for T, V, W in found)
    if all(abs(T + V - W - T0 - V0) <= SHARE * most for T, V, W in found):
        return run
    rows = records.witnesses()
    along = np.array([energies(row) for row in rows.tolist()])
    wrong = imbalance(rows[:, 0], along[:, 0], along[:, 1], rows[:, 1 + 2 * n])
    if wrong is None or abs(wrong.change) <= _noise(few[-1], energies, ~records.stepper.first_order):
        return run
    start = _of_start(run, records, energies, request, wrong)
    return replace(run, status="doubtful", message=f"{run.message}, but {wrong} {remedy(request, solved)}{start}")


def warned(run: Any, whose: str) -> Any:
    """The run; where it is doubtful, with a warning that says `whose` run it is."""
    if run.status == "doubtful" and ACCURACY not in run.message:
        text = f"{whose}: the energy of this run is doubtful: {run.message}"
        warnings.warn(text, EnergyWarning, stacklevel=calls_to_user())
    return run


def remedy(request: Request, solved: bool = False) -> str:
    """Advice: why the energy of a run may be wrong, and what to do; `solved` as in `judged`."""
    method, step, tolerance = request.method, request.step, request.tolerance
    smaller = f"a tolerance below {tolerance:g}" if step is None else f"a step below {step:g} s"
    if method.alpha_f != 0 or method.alpha_m != 0 or method.drift != 0:
        return (
            f"method='{method.name}' damps fast vibrations on purpose: where they matter take 'newmark' or 'dop853', "
            f"or {smaller}."
        )
    if step is not None:
        return f"A fixed step of {step:g} s is long beside this motion: give {smaller}, or a tolerance in its place."
    other = ", or a method of high order ('dop853')," if method.family.short_steps else ""
    advice = [] if tolerance <= EXACT and not other else [f"Give {smaller}{other} or max_step=."]
    if solved:
        advice.append('Compare constraints="multipliers", which keeps all coordinates and needs no closed form.')
    head = "Where that does not help, forces" if advice else "The method is exact enough: forces"
    advice.append(f"{head} are not those of their potential, or something jumps or bends: see model.check().")
    return " ".join(advice)


def _of_start(
    run: Any, records: Any, energies: Callable[[list[float]], Any], request: Request, wrong: Imbalance
) -> str:
    """A sentence where rates at the start deform something stiff, more than a step can follow.

    Going on with these rates for one step would store much of the energy that the motion turns over, qd' K qd h^2/2:
    by differences of V over a far shorter time, which large rotations do not disturb.
    """
    if request.step is None:
        return ""
    n, short, first = records.r.n, WITHIN * request.step, list(records.first)
    moved = np.where(records.stepper.first_order, 0.0, short * np.array(first[1 + n : 1 + 2 * n]))

    def potential(change: np.ndarray) -> float:
        return float(energies([first[0], *(first[1 : 1 + n] + change), *first[1 + n :]])[1])

    stored = (potential(moved) + potential(-moved) - 2 * potential(0 * moved)) / 2 / WITHIN**2
    if not stored > FAST * wrong.turned_over:
        return ""
    parts = [potential(moved + one) - potential(moved - one) for one in np.diag(moved)]
    return (
        f" The rates at the start, most of all {run.names[int(np.argmax(parts))]}.dot, deform something stiff, whose "
        "vibration no step of this length can follow: give initial rates of a motion without deformation (each node of "
        "a beam has its own, beside its root), or no step."
    )


def _noise(row: list[float], energies: Callable[[list[float]], Any], moving: np.ndarray) -> float:
    """The energy (J) of motions as small as the errors of a run may be."""
    n = len(moving)

    def beside(slot: int, size: float, j: int) -> Any:
        other = row.copy()
        other[1 + slot * n + j] += size
        return np.array(energies(other))

    here, noise = np.array(energies(row)), 0.0
    for j in np.flatnonzero(moving).tolist():
        up, down = beside(1, NOISE, j), beside(1, -NOISE, j)
        noise += abs(up[0] + down[0] - 2 * here[0]) / 2
        noise += max(abs(beside(0, size, j)[1] - here[1]) for size in (NOISE, -NOISE))
    return float(noise)
