"""How a run goes on with other coordinates: after actions in closed loops, and of attitudes near a singular one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy

from easydyn.constraints.assembly import Constraints
from easydyn.errors import ModelError
from easydyn.mechanics.attitude import FARTHEST, Attitude, best
from easydyn.sim.agenda import Event, Instant
from easydyn.sim.functions import Evaluation

if TYPE_CHECKING:
    from easydyn.engine.graph import Node
    from easydyn.engine.system import CompiledSystem
    from easydyn.sim.stepper import Stepper


class Reassembly:
    """What an action sets in a mechanism with closed loops is kept: the other coordinates and rates follow.

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


def better(system: CompiledSystem, attitude: Attitude) -> list[Node]:
    """A held angle with which b stays small, its sine and its cosine; three angles and rates of the same motion."""
    graph, call, node = system.derivation.graph, system.derivation.graph.call, system.node
    turned = attitude.T.R
    R = [[node(x) for x in axis] for axis in (turned.ux(), turned.uy(), turned.uz())]
    (_, b, c), (da, db, dc) = attitude.coordinates, [node(q.dot) for q in attitude.coordinates]
    sb, cb, sc, cc = (node(x) for x in (sympy.sin(b), sympy.cos(b), sympy.sin(c), sympy.cos(c)))
    x, y, z = cc * cb * da + sc * db, cc * db - sc * cb * da, sb * da + dc
    g = best(graph, R, x, y)
    sg, cg = g.sin(), g.cos()
    (xx, _, _), (yx, _, _), (zx, zy, zz) = ((cg * v[0] + sg * v[1], cg * v[1] - sg * v[0], v[2]) for v in R)
    b, c = call("atan2", zx, (zy**2 + zz**2).sqrt()), call("atan2", -yx, xx)
    da = (c.cos() * x - c.sin() * y) / b.cos()
    return [g, sg, cg, call("atan2", -zy, zz), b, c, da, c.sin() * x + c.cos() * y, z - b.sin() * da]


class Renewal:
    """The action by which an attitude whose three angles come near a singular one goes on with another held angle.

    It changes coordinates, no motion: attitude, angular velocity and energy are what they were. It need not happen at a
    certain instant, so that it waits for the end of a step, costs none, and the order of a method is what it was. What
    it sets is a program (`better`), so that a loop in machine code does it without Python.
    """

    calm = True  # its switching function is as smooth as the motion

    def __init__(self, system: CompiledSystem, attitude: Attitude):
        self.name = f"renewal of {attitude.name}"
        self._columns = [system.names.index(str(q)) for q in attitude.coordinates]
        self._held = system.mechanism.held.index(str(attitude.reference))
        b = system.node(attitude.coordinates[1])
        self.event = Event(self.name, None, 1, self, silent=True, loose=True), b * b - FARTHEST**2
        self.key = tuple(better(system, attitude))
        self._evaluation = Evaluation(*system.kernel(self.key))
        self.sets = [("held", self._held + k) for k in range(3)]
        self.sets += [(slot, j) for slot in ("q", "qd") for j in self._columns]

    def at_start(self, instant: Instant) -> None:
        """Renew, if the three angles are too near the singular attitude, however that came about."""
        if abs(instant.stepper.run.q[self._columns[1]]) > FARTHEST:
            self(instant)

    def __call__(self, instant: Instant) -> None:
        stepper = instant.stepper
        for (slot, k), value in zip(self.sets, stepper.probe(self._evaluation, len(self.sets))().tolist(), strict=True):
            if slot == "held":
                stepper.set_held(k, value)
            else:
                getattr(stepper.run, slot)[k] = value
        instant.changed = True


def renewals_of(system: CompiledSystem) -> list[Renewal]:
    """Those of all attitudes of a system; kept there for the next run."""
    return system.prepared.of(("renewals", FARTHEST), lambda: [Renewal(system, x) for x in system.mechanism.attitudes])
