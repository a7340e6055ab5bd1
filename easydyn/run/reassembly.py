"""What an action sets in a mechanism with closed loops is kept: the other coordinates and rates follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from easydyn.constraints.assembly import Constraints
from easydyn.errors import ModelError

if TYPE_CHECKING:
    from easydyn.sim.stepper import Stepper


class Reassembly:
    """What is done with a state that an action has changed, before the run goes on.

    Parameters
    ----------
    constraints : Constraints
        In numbers, of all coordinates.
    """

    def __init__(self, constraints: Constraints):
        self._constraints = constraints
        self._locked: list[str] = []  # when it was looked at last

    def _at(self, stepper: Stepper) -> Constraints:
        system, n = self._constraints.system, self._constraints.n
        return Constraints(system, stepper.t, stepper.qd[n : system.n])

    def _check_locks(self, stepper: Stepper) -> None:
        """ModelError where locks hold what others, and the loops, hold already: nothing tells which carries what."""
        names, held = self._constraints.names, stepper.functions.held
        locked = [x for x in names if f"{x}.locked" in held and stepper.run.held[held.index(f"{x}.locked")]]
        if locked == self._locked:
            return
        self._locked = locked
        enough = self._at(stepper).independent_of(stepper.q[: len(names)], locked)
        if len(enough) < len(locked):
            idle, with_them = [x for x in locked if x not in enough], f" with {' and '.join(enough)}" if enough else ""
            raise ModelError(
                f"locks hold {' and '.join(locked)} at t = {stepper.t:g} s, and the loops hold {' and '.join(idle)} "
                f"already{with_them}: nothing tells which of them carries the "
                f"load. Lock {' and '.join(enough) or 'none of them'} alone."
            )

    def __call__(self, stepper: Stepper) -> None:
        self._check_locks(stepper)
        if given := stepper.agenda.instant.given:
            at = self._at(stepper)
            held = [name for name in at.names if name in given]
            rates = [name for name in at.names if f"{name}.dot" in given]
            q, qd = stepper.q, stepper.qd
            if held:
                q[: at.n] = at.place(q[: at.n], held)
                stepper.q = q
            if held or rates:
                qd[: at.n] = at.speeds(q[: at.n], qd[: at.n], rates)
                stepper.qd = qd
