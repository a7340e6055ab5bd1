"""The events at which modes of friction end (run/modes.py decides)."""

from __future__ import annotations

from typing import Any

from easydyn.run.modes import SLOW, FrictionModes
from easydyn.sim.agenda import Event, Instant


class Change:
    """The action of a slip whose mode has ended."""

    lists_itself = inner = True
    calm = True  # its switching function is as smooth as the motion

    def __init__(self, modes: FrictionModes, k: int):
        self._modes, self._k = modes, k

    def __call__(self, instant: Instant) -> None:
        instant.changed = True
        self._modes.settle(instant.stepper, self._k)


def friction_events(modes: FrictionModes) -> list[tuple[Event, Any]]:
    """The events of the slips, with their switching functions; in a plane a speed, which begins below its limit."""
    slow = SLOW * min(1.0, modes.impulses.unit)
    return [
        (Event(slip.name, None, -1, Change(modes, k), silent=True, floor=0.0 if slip.second else slow), guard)
        for k, (slip, guard) in enumerate(zip(modes.slips, modes.guards, strict=True))
    ]
