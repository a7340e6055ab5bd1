"""A constraint that is written as an equation: of coordinates, or linear in their rates."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

import sympy

from easydyn.arguments import answers
from easydyn.constraints.constraint import Constraint, Row
from easydyn.forces.effort import Assembly
from easydyn.mechanics.symbols import Coordinate, Rate
from easydyn.vec.scalars import Scalar


@answers
class Equation(Constraint):
    """A constraint by an equation: g(q, t) = 0, or A(q, t) qd + b(q, t) = 0.

    Its multiplier is a generalised force: it acts on each coordinate by the derivative of g by that coordinate.

    Parameters
    ----------
    expression : SymPy expression
        Zero when the constraint holds; checked by `model.constraint`.
    name : str
        Its name.

    Example
    -------
    >>> a, b = Coordinate("a"), Coordinate("b")
    >>> Equation(a.dot - 2*b.dot, "mesh").of_rates
    True
    """

    labels, added = ("load",), False

    def __init__(self, expression: sympy.Expr, name: str):
        self.expression, self.name = expression, name

    @property
    def of_place(self) -> tuple[bool, ...]:
        return (not any(isinstance(s, Rate) for s in self.expression.free_symbols),)

    @property
    def title(self) -> str:
        return f"constraint '{self.name}'"

    @property
    def works(self) -> bool:
        rates = {s: sympy.S.Zero for s in self.expression.free_symbols if isinstance(s, Rate)}
        at_rest = self.expression.xreplace(rates)
        return self.driven or (self.of_rates and at_rest != 0)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        named = {Coordinate(s.name.removesuffix(".dot")) for s in self.expression.free_symbols if isinstance(s, Rate)}
        if not self.of_rates:
            named = {s for s in self.expression.free_symbols if isinstance(s, Coordinate)}
        return tuple(sorted(named, key=str))

    def expressions(self) -> Iterator[Scalar]:
        yield self.expression

    def lengths(self, number: Callable[[Scalar], float], fixed: Collection[str]) -> str:
        # it has no lengths: what is wrong stands in it
        return (
            f"Look at the numbers in {self.expression} = 0 (is there a solution at all?), at what contradicts it, and "
            "at the guess: initial={...}."
        )

    def rows(self, assembly: Assembly) -> list[Row]:
        value = assembly.value(self.expression)
        return [Row("load", None, value)] if self.of_rates else [Row("load", value, assembly.calculus.rate(value))]

    def push(self, assembly: Assembly, loads: Sequence[tuple[Row, Scalar]]) -> None:
        for row, load in loads:
            slopes = assembly.rate_slopes(row.rate) if row.value is None else assembly.slopes(row.value)
            for q, slope in slopes.items():
                assembly.add_generalized(q, slope * load)

    def __repr__(self) -> str:
        return f"Constraint {self.name!r}: {self.expression} = 0"
