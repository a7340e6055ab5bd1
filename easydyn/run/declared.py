"""Inputs, outputs, controllers, events and locks of a model: checks of their declarations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanAtom, BooleanFunction

from easydyn.engine.sympy_bridge import check_convertible
from easydyn.errors import InputError, ModelError, UnknownNameError
from easydyn.inputs import finite, function, positive, text
from easydyn.mechanics.known import check_symbols
from easydyn.mechanics.symbols import MEASURED, Coordinate, Flag, Input, Rate, State
from easydyn.sim.agenda import Event, Instant
from easydyn.vec.scalars import one_expression

BROKEN = 1e-12  # in the unit of its condition: by so much a lock is beyond what breaks it


def measured(expression: Any, what: str, model: Any) -> sympy.Expr:
    """Check the expression of an output or an event: one expression of the model's symbols."""
    if isinstance(expression, bool | Relational | BooleanFunction | BooleanAtom | sympy.MatrixBase):
        raise InputError(
            f"{what} is {expression}: expected one scalar expression of the model's symbols, whose sign changes; write "
            "q1 - 0.3 instead of q1 > 0.3."
        )
    e = one_expression(expression, what)
    check_symbols(e, what, model, MEASURED)
    check_convertible(e, what)
    return e


@dataclass(frozen=True)
class DeclaredEvent(Event):
    """An event of a model: it happens where its `expression` is zero, and its action may be a dict of formulas.

    Attributes
    ----------
    name : str
        Its name in `run.events`.
    function, ends : None
        A model gives neither.
    direction : int
        -1, 1 or 0: falling, rising, both.
    action : "stop", dict, function or None
        What is done.
    silent, loose : bool
        True: `run.events` does not list it; it is not located. Those of models are never loose.
    floor : float
        For a quantity that must not be below -floor, in its own unit: the event then happens also at the start.
    expression : SymPy expression
        The event happens when this is zero; in its own unit.
    """

    expression: Any = None

    def __post_init__(self) -> None:
        """What it is made of was checked when it was declared."""


def event(expression: Any, direction: Any, action: Any, name: Any, silent: Any, model: Any) -> DeclaredEvent:
    """The event that `model.event` adds, when all is well."""
    name = str(expression) if name is None else text(name, "the name of an event", '"contact"')
    e = measured(expression, f"the expression of event '{name}'", model)
    if not e.free_symbols - set(model._parameters):
        raise ModelError(f"the expression of event '{name}' is {e}: it does not change during a run.")
    if name in model._events:
        raise ModelError(f"model '{model.name}' has an event '{name}' already: give one of them another name=.")
    if isinstance(action, Mapping):
        for target, value in action.items():
            settable = isinstance(target, Coordinate | Rate | State | Input | Flag)
            if not settable or model._symbols.get(str(target)) != target:
                raise InputError(
                    f"the action of event '{name}' sets {target!r}: expected a coordinate, a rate, a state, an input "
                    f"or a flag of model '{model.name}'."
                )
            measured(value, f"the value that event '{name}' gives to {target}", model)
        action = {target: sympy.sympify(value) for target, value in action.items()}
    Event(name, None, direction, None if isinstance(action, dict) else action, silent)  # which looks at them
    return DeclaredEvent(name, None, direction, action, silent, expression=e)


@dataclass(frozen=True)
class Breaking:
    """The action of a lock that breaks."""

    coordinate: Coordinate

    def __call__(self, instant: Instant) -> None:
        instant.unlock(self.coordinate)


def breaking(q: Coordinate, until: Any, model: Any) -> DeclaredEvent:
    """The event at which a lock of `q` breaks: where a condition, `until`, comes true."""
    if not isinstance(until, sympy.Gt | sympy.Ge | sympy.Lt | sympy.Le):
        raise InputError(
            f"until={until!r} was given to the lock of {q}: expected one inequality that comes true where the lock "
            "breaks, such as abs(force) > 50 with force = model.locking_force(q)."
        )
    left = measured(until.lts - until.gts, f"the condition until which {q} is locked", model)
    expression = sympy.Piecewise((left, Flag(f"{q}.locked") > 0.5), (1, True))  # which may stay true when it is free
    return DeclaredEvent(f"lock of {q} breaks", None, -1, Breaking(q), floor=BROKEN, expression=expression)


@dataclass(frozen=True)
class Controller:
    """A sampled controller of a model: its `name`, the `period` and the `start` (s) of its samples, and its `law`."""

    name: str
    period: float
    law: Callable[..., Any]
    start: float


def controller(period: Any, law: Any, start: Any, name: Any, model: Any) -> Controller:
    """The controller that `model.controller` adds, when all is well."""
    if name is None:
        name = getattr(law, "__name__", type(law).__name__)
    text(name, "the name of a controller", '"speed"')
    where = f"controller '{name}' of model '{model.name}'"
    every = positive(period, f"the period of {where}")
    return Controller(name, every, function(law, where, "t, outputs"), finite(start, f"the start of {where}"))


def lockable(coordinate: Any, model: Any) -> Coordinate:
    """The coordinate that is to be locked, given by its symbol or its name; it must move some body."""
    found = model._symbols.get(str(coordinate))
    if not isinstance(found, Coordinate):
        raise UnknownNameError(
            f"{coordinate!r} was to be locked: expected one of the coordinates of model '{model.name}', "
            f"{', '.join(map(str, model._coordinates)) or 'none'}."
        )
    if not any(found in b.coordinates for b in model.bodies):
        raise ModelError(
            f"coordinate {found} of model '{model.name}' cannot be locked: it moves no body (yet). Declare the bodies "
            "first; where you write its equation yourself, write there that it stands still."
        )
    turned = [x.name for x in model.mechanism.attitudes if found in x.coordinates]
    if turned:
        raise ModelError(
            f"coordinate {found} of model '{model.name}' cannot be locked: it is one of three angles that are renewed "
            f"during runs, and {turned[0]} has no axis of its own about which it could stand still. Hold it by a "
            'constraint, model.close(..., joint="weld") or "revolute", or turn it by trotx, troty, trotz.'
        )
    return found
