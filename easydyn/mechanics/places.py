"""Where formulas bend or jump: conditions of a Piecewise, Abs, Max, sign, floor, and the branches between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any, Literal, NamedTuple

import sympy

from easydyn.mechanics.symbols import Parameter, partial_derivative, t

NEAR, FAR = 1e-9, 1e-6  # on both sides of a place
LEAP = 1e-6  # of a value or a slope: a difference that is more than that of smooth pieces


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


def leaps_at(place: Place, e: sympy.Expr, known: Mapping[Any, Any], slopes: bool = False) -> bool | None:
    """True where an expression, or one of its `slopes`, leaps at a place; None where nobody can tell.

    This is seen in numbers, along a symbol of which `zero` is a linear function with the values that are `known`.
    """
    e, zero = (sympy.sympify(x).xreplace(dict(known)) for x in (e, place.zero))
    zero -= 1 if place.kind == "round" else 0
    symbols = sorted(e.free_symbols | zero.free_symbols, key=str)
    numbers = {s: sympy.Float(0.31 + 0.07 * k) for k, s in enumerate(symbols)}
    for x in sorted(zero.free_symbols, key=lambda s: (s != t, str(s))):
        others = {s: value for s, value in numbers.items() if s != x}
        along = zero.xreplace(others)
        slope = partial_derivative(along, x)
        if slope.is_number and slope != 0:
            root = float(-along.xreplace({x: sympy.S.Zero}) / slope)
            formulas = (e, *(partial_derivative(e, s) for s in symbols if slopes))
            return any(_leap(f.xreplace(others), x, root) for f in formulas)
    return None


def _leap(f: sympy.Expr, x: sympy.Symbol, root: float) -> bool:
    def at(place: float) -> complex:
        return complex(f.xreplace({x: sympy.Float(place, 17)}).doit())

    near, far = (abs(at(root + d) - at(root - d)) for d in (NEAR, FAR))
    return near > LEAP and near > far / 2


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
