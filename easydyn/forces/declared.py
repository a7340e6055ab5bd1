"""What elements declare, and what follows from it: the arguments that they take, and the parts that they consist of.

    class Spring(Line):
        stiffness = Argument(positive, unless="law")
        law = Argument(Law, missing=None)

An element consists of its arguments and of its parts: ends, a law of friction, another element. Its bodies, states,
flags, conditions ... are theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from numbers import Number
from typing import TYPE_CHECKING, Any

import sympy

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.forces.effort import Assembly, Demand, Effort, a_coordinate
from easydyn.mechanics.mechanism import Body, Ground, ground
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec.scalars import Scalar


class Argument:
    """An argument, declared in the class of those who take it: `check(value, what)` returns what is kept of a value.

    Messages call it "the {words} of a Spring", by its name if there are none. Where it is not given, what is kept is
    `missing`, if that is said. It is not needed, and refused, where another argument stands in its place: `unless`.
    """

    def __init__(self, check: Callable[[Any, str], Any], words: str = "", *, missing: Any = ..., unless: str = ""):
        self.check, self.words, self.missing, self.unless = check, words, missing, unless

    def __set_name__(self, owner: type, name: str) -> None:
        self.name, self.words = name, self.words or name

    if TYPE_CHECKING:  # an object has in its place what was given

        def __get__(self, thing: Any, kind: type) -> Any: ...

    def of(self, thing: Declared, values: Mapping[str, Any]) -> Any:
        """What is kept of the `values` by name that are given for a thing."""
        value = values[self.name]
        if self.unless and values[self.unless] is not None:
            if value is not None:
                raise InputError(f"{thing.what} was given a {self.name} and a {self.unless}: expected one of the two.")
            return None
        if value is None and self.missing is not ...:
            return self.missing
        return self.check(value, f"the {self.words} of {thing.what}")


class Size(Argument):
    """An argument above zero, also where parameters give it: their values are looked at with the masses of bodies."""


def _together(name: str) -> Any:
    def of_parts(self: Declared) -> tuple[Any, ...]:
        """Those of its parts."""
        return self._of_parts(name)

    return cached_property(of_parts)


@answers
class Declared:
    """Base of what declares its arguments: an element, or a part that several elements have."""

    _arguments: Mapping[str, Argument] = {}
    _joined: Sequence[str] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._arguments = {**cls._arguments, **{n: x for n, x in vars(cls).items() if isinstance(x, Argument)}}
        cls._joined = [name for name, argument in cls._arguments.items() if argument.check is a_coordinate]

    @cached_property
    def what(self) -> str:
        """What messages call it."""
        name = type(self).__name__
        return f"an {name}" if name[0] in "AEI" else f"a {name}"

    def take(self, values: Mapping[str, Any], *names: str) -> None:
        """Keep what is given for its arguments, or for these `names` of them: `values` by name; others may be there."""
        kept, arguments = vars(self), self._arguments
        for name in names or arguments:
            if name not in kept:
                kept[name] = arguments[name].of(self, values)

    def _own(self, kind: Any) -> Iterator[Any]:
        """What is kept of its arguments but coordinates: bodies, or scalars, also those in vectors and transforms."""
        names = (name for name in self._arguments if name not in self._joined)
        return (x for name in names for x in _flat(getattr(self, name)) if isinstance(x, kind))

    def _own_coordinates(self) -> list[Coordinate]:
        return [q for q in (getattr(self, name) for name in self._joined) if q is not None]

    @cached_property
    def named_sizes(self) -> tuple[tuple[str, Scalar], ...]:
        """What messages call each `Size`, and its value in its own unit; also of parts."""
        sizes = (x for x in self._arguments.values() if isinstance(x, Size))
        own = ((f"the {x.words} of {self.what}", getattr(self, x.name)) for x in sizes)
        return (*own, *self._of_parts("named_sizes"))

    @cached_property
    def _components(self) -> list[Declared]:
        every = (x for value in vars(self).values() for x in (value if isinstance(value, list | tuple) else (value,)))
        return [x for x in every if isinstance(x, Declared)]

    def _of_parts(self, name: str) -> tuple[Any, ...]:
        return tuple(x for part in self._components for x in getattr(part, name))

    @cached_property
    def bodies(self) -> tuple[Body | Ground, ...]:  # type: ignore[override]
        """The bodies among its arguments, and those of its parts."""
        return (*self._own(Body | Ground), *self._of_parts("bodies"))

    @cached_property
    def coordinates(self) -> tuple[Coordinate, ...]:  # type: ignore[override]
        """The coordinates that are arguments, and those of its parts."""
        return (*self._own_coordinates(), *self._of_parts("coordinates"))

    @cached_property
    def observer(self) -> Body | Ground:
        """That of its first part; the ground without any."""
        return next((part.observer for part in self._components), ground)

    states, flags, holds = map(_together, ("states", "flags", "holds"))

    @cached_property
    def _scalars(self) -> tuple[Scalar, ...]:
        return tuple(self._own(Number | sympy.Basic))

    def expressions(self) -> Iterator[Scalar]:
        """The scalars that were given for its arguments, in their own units, and those of its parts."""
        yield from self._scalars
        for part in self._components:
            yield from part.expressions()

    def slips(self, assembly: Assembly) -> Iterator[Any]:
        """The slips of its parts, in the scalars of the `assembly`."""
        for part in self._components:
            yield from part.slips(assembly)

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        """The conditions of its parts, in the scalars of the `assembly`."""
        for part in self._components:
            yield from part.demands(assembly)


class Element(Declared, Effort):
    """Base class of elements that declare their arguments."""

    def __repr__(self) -> str:
        places = [str(q) for q in self._own_coordinates()] or [f"'{body.name}'" for body in self.bodies]
        return f"{type(self).__name__} {f'between {places[0]} and {places[1]}' if places[1:] else f'on {places[0]}'}"


def _flat(value: Any) -> Iterator[Any]:
    """What is in lists, in vectors, in what has `scalars`; of anything else itself."""
    if isinstance(value, list | tuple):
        return (y for x in value for y in _flat(x))
    return value.scalars() if hasattr(type(value), "scalars") else iter((value,))  # a transform, a section of a beam
