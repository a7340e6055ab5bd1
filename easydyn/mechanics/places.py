"""Where formulas bend or jump: conditions of a Piecewise, Abs, Max, sign, floor, and the branches between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import Any, Literal, NamedTuple

import sympy

from easydyn.mechanics.symbols import Parameter, t


class Place(NamedTuple):
    """A `part` of a formula that bends or jumps, by its `kind`, where `zero` changes its sign.

    A part of kind "round" jumps where it is a whole number.
    """

    part: sympy.Basic
    zero: sympy.Expr
    kind: Literal["jump", "bend", "round"]

    @property
    def crosses(self) -> sympy.Expr:
        """What changes its sign there, of any kind."""
        return sympy.sin(sympy.pi * self.zero) if self.kind == "round" else self.zero

    @property
    def timed(self) -> bool:
        """True if it is known beforehand: it depends on time and parameters alone."""
        return all(s == t or isinstance(s, Parameter) for s in self.zero.free_symbols)


def places(e: Any) -> Iterator[Place]:
    """The places of an expression, which may be a number."""
    for part in sympy.preorder_traversal(e) if isinstance(e, sympy.Basic) else ():
        yield from _of_part(part)


def _of_part(part: sympy.Basic) -> Iterator[Place]:
    if isinstance(part, sympy.core.relational.Relational):
        yield Place(part, part.lhs - part.rhs, "jump")
    elif isinstance(part, sympy.Heaviside | sympy.sign):
        yield Place(part, part.args[0], "jump")
    elif isinstance(part, sympy.Abs):
        yield Place(part, part.args[0], "bend")
    elif isinstance(part, sympy.Max | sympy.Min):
        yield from (Place(part, a - b, "bend") for a, b in combinations(part.args, 2))
    elif isinstance(part, sympy.floor | sympy.ceiling):
        yield Place(part, part.args[0], "round")
    elif isinstance(part, sympy.Mod):
        yield Place(part, part.args[0] / part.args[1], "round")


def branches(e: sympy.Expr) -> list[sympy.Expr]:
    """The formulas, smooth in space, of which an expression is one at a time; itself if it is smooth.

    What bends or jumps in time alone stays as it is, and so does what rounds.

    >>> from easydyn import Model
    >>> x, y = Model("V").coordinates("x y")
    >>> branches(y - sympy.Abs(x))
    [-x + y, x + y]
    """
    for part in sympy.preorder_traversal(e):
        other = _alternatives(part)
        if other and any(not place.timed for place in _own(part)):
            found = (x for choice in other for x in branches(e.xreplace({part: choice})))
            return list(dict.fromkeys(found))
    return [e]


def _own(part: sympy.Basic) -> Iterable[Place]:
    """The places of a part itself, not of the formulas in it."""
    if isinstance(part, sympy.Piecewise):
        return (place for _, condition in part.args for place in places(condition))
    return _of_part(part)


def _alternatives(part: sympy.Basic) -> tuple[Any, ...]:
    """What a part can be."""
    if isinstance(part, sympy.Piecewise):
        return tuple(formula for formula, _ in part.args)
    found: tuple[tuple[Any, Callable[[Any], tuple[Any, ...]]], ...] = (
        (sympy.Max | sympy.Min, lambda x: x), (sympy.Abs, lambda x: (x[0], -x[0])),
        (sympy.sign, lambda x: (sympy.S.One, sympy.S.NegativeOne)),
        (sympy.Heaviside, lambda x: (sympy.S.Zero, sympy.S.One)),
    )  # fmt: skip
    return next((choices(part.args) for kind, choices in found if isinstance(part, kind)), ())
