"""What an action sets in a mechanism with closed loops is kept: the other coordinates and rates follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from easydyn.constraints.assembly import Constraints

if TYPE_CHECKING:
    from easydyn.sim.stepper import Stepper


class Reassembly:
    """What is done with a state that an action has changed, before the run goes on.

    Parameters
    ----------
    constraints : Constraints
        In numbers, of all coordinates.
    then : callable, optional
        What else is done, with the Stepper: impulses.
    """

    def __init__(self, constraints: Constraints, then: Callable[[Any], None] | None):
        self._constraints, self._then = constraints, then

    def __call__(self, stepper: Stepper) -> None:
        given = stepper.agenda.instant.given
        if given:
            system, n = self._constraints.system, self._constraints.n
            at = Constraints(system, stepper.t, stepper.qd[n : system.n])
            held = [name for name in at.names if name in given]
            rates = [name for name in at.names if f"{name}.dot" in given]
            q, qd = stepper.q, stepper.qd
            if held:
                q[: at.n] = at.place(q[: at.n], held)
                stepper.q = q
            if held or rates:
                qd[: at.n] = at.speeds(q[: at.n], qd[: at.n], rates)
                stepper.qd = qd
            given.clear()
        if self._then is not None:
            self._then(stepper)
