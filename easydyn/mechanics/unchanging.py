"""Assignments that would be lost: `spring.stiffness = 5` once the spring is made, `model.initial = {...}`.

Equations and machine code are made from what was given, so that a later assignment changes nothing. It is refused, and
told where the value belongs.
"""

from __future__ import annotations

from inspect import signature
from typing import Any, TypeVar

from easydyn.arguments import unknown
from easydyn.errors import ReadOnlyError

T = TypeVar("T", bound=type)
MADE = "_made"
IN_EQUATIONS = (
    "equations are made from it. For a value that changes between runs give a parameter in its place, "
    "k, = model.parameters(k=10), and simulate(5, parameters={'k': 20}); or make another model."
)


class Unchanging:
    """Base of what keeps its attributes once it is made; those that begin with an underscore are its own affair.

    A class that a user derives keeps the right to change. `_INSTEAD` says why, and what to do, where no equations are
    made from it.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        self._keep(name)
        if isinstance(getattr(type(self), name, None), property):
            raise ReadOnlyError(
                f"{type(self).__name__}: {name} is a property of its class: expected @property, def {name}(self), or "
                f"self._{name}."
            )
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        self._keep(name)
        super().__delattr__(name)

    def _keep(self, name: str) -> None:
        if MADE in self.__dict__ and not name.startswith("_"):
            raise refused(self, name)

    def _settle(self) -> None:  # called by Answering, the metaclass, when the object is made
        if type(self).__module__.startswith("easydyn."):
            self.__dict__[MADE] = True


def unchanging(cls: T) -> T:
    """Decorator of a frozen dataclass: it says in words what Python calls a FrozenInstanceError."""

    def no_change(self: Any, name: str, *value: Any) -> None:
        raise refused(self, name)

    cls.__setattr__ = cls.__delattr__ = no_change  # type: ignore[method-assign,assignment]
    return cls


def refused(thing: object, name: str) -> Exception:
    """What is said of an assignment to a thing that stays as it is."""
    if not hasattr(thing, name):
        return unknown(thing, name)
    label = getattr(thing, "name", "")
    owner = f"{type(thing).__name__} '{label}'" if isinstance(label, str) and label else type(thing).__name__
    instead = getattr(thing, "_INSTEAD", IN_EQUATIONS)
    return ReadOnlyError(f"{owner}: {name} stays as it was made: expected no assignment, because {instead}")


def no_loss(model: Any, name: str) -> None:
    """ReadOnlyError when `model.name = ...` would hide a method, or do nothing of what its author hopes for."""
    cls = type(model)
    there = getattr(cls, name, None)
    who = f"model '{model.__dict__.get('name', '')}'"
    if callable(there):
        raise ReadOnlyError(f"{who}: {name} is a method: call it, model.{name}(...), expected no assignment.")
    if isinstance(there, property) and there.fset is None:
        raise ReadOnlyError(
            f"{who}: {name} follows from what was declared, expected no assignment: declare with model.body(...), "
            "model.coordinates(...), model.add(...)."
        )
    if there is None and name in model.__dict__.get("_symbols", ()):
        raise ReadOnlyError(
            f"{who}: an assignment does not change '{name}': expected its value where it is declared, or in a run: "
            f"simulate(5, parameters={{'{name}': ...}}), or initial={{'{name}': ...}} for a coordinate."
        )
    if there is None and hasattr(cls, "simulate") and name in ("rates", *signature(cls.simulate).parameters):
        raise ReadOnlyError(
            f"{who} has no attribute {name}: expected an argument, as in simulate(5, {name}=...); initial values and "
            "parameters may also be given where they are declared."
        )
