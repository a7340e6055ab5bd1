"""Transitions: how force elements change their modes during a run.

Flags describe a mode: they are constant between events, and the formulas of an element select by them. A transition
defines where the flags change, and to which values. The run lands there, and goes on with the new equations. No new
program is generated: there is one program for all modes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from easydyn.vec.scalars import Scalar


class Transition(NamedTuple):
    """A change of mode, in the scalars of an assembly, as `Effort.transitions` yields them.

    Attributes
    ----------
    name : str
        Its name in `run.events`.
    guard : scalar
        The transition happens where this expression goes through zero; in its own unit.
    direction : int
        Falling (-1), rising (1) or both (0).
    sets : dict
        New values by symbol: of flags, states, coordinates or rates, each in its own unit. All values are computed
        first, then set. Impulses then keep locked coordinates and closed contacts at rest, as after every action.

    Notes
    -----
    This is variable structure without a program for each mode; the principle is that of locked joints (docs/events.md).

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
