"""Kicks: changes of rates when the speed of driven frames, or of constraints, changes suddenly.

A ramp begins, a motor stops at an instant: T(q, t) has a kink there. No force on the coordinates is as large as that
of the drive, so the momenta p = dT/dqd of the coordinates go on, but for impulses of constraints,

    M (qd+ - qd-) + p(q, qd-, t+) - p(q, qd-, t-) = J' P,    J qd+ = what the constraints ask for after it
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.engine.system import CompiledSystem
from easydyn.run.impacts import SMALL, Impulses
from easydyn.sim.loop import tiny

if TYPE_CHECKING:
    from easydyn.sim.stepper import Stepper

LEAST = 1e-12  # of the momenta, of the rates: what changes by less has no kink


class Kicks:
    """The impulses of kinks in time.

    Parameters
    ----------
    system : CompiledSystem
        What is run.
    impulses : Impulses
        What else restricts the rates, and the masses.
    """

    def __init__(self, system: CompiledSystem, impulses: Impulses):
        self._system, self._impulses = system, impulses
        self._n = len(system.mechanism.coordinates)

    @cached_property
    def _momenta(self) -> Any:
        d = self._system.derivation
        kinetic = d.mechanical_energies[0]
        return tuple(d.calculus.gradient(kinetic, d.qd[: self._n]))

    def _at(self, key: Any, stepper: Stepper, t: float) -> np.ndarray:
        constants = self._system.with_held(key, stepper.held_values())
        return np.array(self._system.one(key, t, stepper.q, stepper.qd, stepper.qdd, constants), dtype=float)

    def __call__(self, stepper: Stepper) -> None:
        """At a jump in time: the rates behind it."""
        n, t = self._n, stepper.t
        before, after = (self._at(self._momenta, stepper, t + side * tiny(t)) for side in (-1, 1))
        if np.abs(after - before).max(initial=0) > LEAST * np.abs([before, after]).max(initial=0):
            qd = stepper.qd
            qd[:n] -= self._impulses.moved(stepper, (after - before)[:, None])[:, 0]
            stepper.qd = qd
        if self._system.mechanism.constraints:
            self._follow(stepper, t + tiny(t))

    def _follow(self, stepper: Stepper, t: float) -> None:
        """Give constraints the rates that they ask for, by impulses of their own."""
        missing = self._at("constraint_rates", stepper, t)
        qd, n = stepper.qd, self._n
        if not np.abs(missing).max(initial=0) > LEAST * np.abs(qd[:n]).max(initial=0):
            return
        J = self._at("constraint_jacobian", stepper, t).reshape(-1, n)
        away = np.linalg.lstsq(J, missing, rcond=SMALL)[0]
        masses = self._impulses.masses(stepper)
        qd[:n] += self._impulses.moved(stepper, (masses @ away)[:, None])[:, 0] - away
        stepper.qd = qd
