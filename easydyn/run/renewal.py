"""Renewals: attitudes whose three angles come near a singular attitude go on with another held angle.

A renewal changes coordinates, no motion: attitude, angular velocity and energy are what they were. It need not happen
at a certain instant, so that it waits for the end of a step, costs none, and the order of a method is what it was.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.mechanics.attitude import FARTHEST, Attitude, held_of, renewed
from easydyn.sim.agenda import Event, Instant

if TYPE_CHECKING:
    from easydyn.engine.system import CompiledSystem


class Renewal:
    """The action by which one attitude of a system gets another reference."""

    calm = True  # its switching function is as smooth as the motion

    def __init__(self, system: CompiledSystem, attitude: Attitude):
        self.name = f"renewal of {attitude.name}"
        self._columns = [system.names.index(str(q)) for q in attitude.coordinates]
        self._held = system.mechanism.held.index(str(attitude.reference))
        b = system.node(attitude.coordinates[1])
        self.event = Event(self.name, None, 1, self, silent=True, loose=True), b * b - FARTHEST**2

    def due(self, instant: Instant) -> bool:
        """True where the three angles are too near the singular attitude, however that came about."""
        return bool(abs(instant.stepper.run.q[self._columns[1]]) > FARTHEST)

    def __call__(self, instant: Instant) -> None:
        stepper = instant.stepper
        q, qd, places = stepper.run.q, stepper.run.qd, self._columns
        at, speed = (np.array([x[j] for j in places]) for x in (q, qd))
        g, angles, rates = renewed(stepper.value_of(self._held), at, speed)
        for j, angle, rate in zip(places, angles.tolist(), rates.tolist(), strict=True):
            q[j], qd[j] = angle, rate
        for k, value in enumerate(held_of(self.name, g).values(), start=self._held):
            stepper.set_held(k, value)
        instant.changed = True


class FirstRenewal:
    """A clock that renews at the start, where a run begins near a singular attitude."""

    name, moves = "renewals", False

    def __init__(self, renewals: list[Any]):
        self._renewals = renewals

    def begin(self, t: float) -> None:
        """Due at once."""
        self.next = t

    def act(self, instant: Instant, t: float) -> None:
        """Renew what needs it."""
        self.next = inf
        for renewal in self._renewals:
            if renewal.due(instant):
                renewal(instant)


def renewals_of(system: CompiledSystem) -> list[Renewal]:
    """Those of all attitudes of a system; kept there for the next run."""
    key = "renewals", FARTHEST
    if key not in system.prepared:
        system.prepared[key] = [Renewal(system, x) for x in system.mechanism.attitudes]
    found: list[Renewal] = system.prepared[key]
    return found
