"""Transitions: how force elements change their modes during a run.

A mode is told by flags: values that stand still between events, and on which the formulas of an element select. A
transition says where they change, and to what; the run lands there, and goes on with the new equations. No program is
made anew, and there is one program however many modes there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from easydyn.vec.scalars import Scalar


class Transition(NamedTuple):
    """A change of mode, in the scalars at work, as `Effort.transitions` yields them.

    Attributes
    ----------
    name : str
        What it is called in `run.events`.
    guard : scalar
        It happens where this goes through zero; in its own unit.
    direction : int
        Falling (-1), rising (1) or both (0).
    sets : dict
        New values by symbol: of flags, states, coordinates or rates, each in its own unit. All are worked out first,
        then set. Locked coordinates and closed contacts then stand still by impulses, as after every action.

    Notes
    -----
    Variable structure without a program for each mode: the principle is that of locked joints (docs/events.md).

    Example
    -------
    >>> from easydyn import Effort, Model, tdisp
    >>> from easydyn.mechanics.symbols import Flag
    >>> class Hook(Effort):
    ...     def __init__(self, q, force):
    ...         self.q, self.force, self.caught = q, force, Flag("hook.caught")
    ...     coordinates = property(lambda self: (self.q,))
    ...     flags = property(lambda self: (self.caught,))
    ...     def expressions(self):
    ...         return iter((self.force,))
    ...     def apply(self, assembly):
    ...         assembly.add_generalized(self.q, assembly.value(self.caught * self.force))
    ...     def transitions(self, assembly):
    ...         yield Transition("caught", assembly.value(self.q - 1), 1, {self.caught: 1})
    >>> model = Model("cart")
    >>> x, = model.coordinates("x", rates=2)
    >>> cart = model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    >>> model.add(Hook(x, -4))
    >>> run = model.simulate(1)  # 1 m to the hook in 0.5 s, then it is braked to a stand
    >>> round(float(run["x.dot"][-1]), 6), run["hook.caught"][-1]
    (0.0, np.float64(1.0))
    """

    name: str
    guard: Scalar
    direction: int
    sets: Mapping[Any, Scalar]
