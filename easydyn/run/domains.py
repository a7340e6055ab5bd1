"""Domains of the formulas of a model, such as those of roots, arcsines, logarithms and quotients; and their jumps.

An `Edge` has a function `inside` that is positive where its formula has a value, and falls to zero at the edge. A
`Switch` has one that changes its sign where a formula may jump: floor, sign, the conditions of a Piecewise.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from easydyn.mechanics.mechanism import Mechanism
from easydyn.mechanics.places import places
from easydyn.mechanics.symbols import Parameter
from easydyn.vec import Transform

_BETWEEN = (sympy.asin, sympy.acos, sympy.atanh)
_POLES: dict[Any, Any] = {sympy.tan: sympy.cos, sympy.sec: sympy.cos, sympy.cot: sympy.sin, sympy.csc: sympy.sin}


@dataclass(frozen=True)
class Edge:
    """A formula with an edge: its owner, its text, a function that is positive inside, and the condition in words.

    `strict` is true if the formula has no value on the edge itself.
    """

    owner: str
    formula: sympy.Expr
    inside: sympy.Expr
    needs: str
    strict: bool

    def __str__(self) -> str:
        return f"{self.formula} of {self.owner} needs {self.needs}"


@dataclass(frozen=True)
class Switch:
    """A formula that may jump where `crosses` changes its sign."""

    owner: str
    formula: sympy.Expr
    crosses: sympy.Expr


def written(mechanism: Mechanism, named: bool = True) -> Iterator[tuple[str, Any]]:
    """(owner, scalar) of all scalars in the equations of a mechanism, those of transforms first.

    If owners need not be `named`, SymPy prints no equations, which takes long.
    """
    yield from transforms(mechanism)
    for effort in mechanism.efforts:
        for x in effort.expressions():
            yield str(effort), x
    for x in mechanism.equations:
        yield f"the equation {x} = 0" if named else "", x
    for u, x in mechanism.given.items():
        yield f"input {u}", x
    for x in mechanism.gravity:
        yield "gravity", x


def transforms(mechanism: Mechanism) -> Iterator[tuple[str, Any]]:
    """(owner, scalar) of the transforms; factors that bodies share are those of the first one."""
    done = set[int]()
    for body in mechanism.bodies:
        new = [f for f in body.T.factors if id(f) not in done]
        done.update(map(id, new))
        for x in Transform(new).scalars():
            yield f"the transform of body '{body.name}'", x


def edges(written: Iterable[tuple[str, Any]]) -> list[Edge]:
    """The edges of formulas that change in time, each once, without those that no value can reach."""
    found: dict[tuple[sympy.Expr, sympy.Expr], Edge] = {}
    for owner, x in written:
        if isinstance(x, sympy.Basic):
            for formula, inside, needs, strict in _edges(x, sympy.true):
                if _moves(inside) and not inside.is_positive:
                    found.setdefault((formula, inside), Edge(owner, formula, inside, needs, strict))
    # SymPy makes roots of cos(asin(x)): arcs come first, as they were written
    return sorted(found.values(), key=lambda edge: not isinstance(edge.formula, _BETWEEN))


def switches(written: Iterable[tuple[str, Any]]) -> list[Switch]:
    """The switches of formulas that change in time, each once, without jumps that depend on time alone."""
    found: dict[tuple[str, sympy.Expr], Switch] = {}
    for owner, x in written:
        for place in places(x):
            if not place.timed:
                found.setdefault((owner, place.crosses), Switch(owner, x, place.crosses))
    return list(found.values())


@functools.lru_cache(maxsize=64)
def of_transforms(mechanism: Mechanism) -> tuple[list[Edge], list[Switch]]:
    """The edges and the switches of the transforms, whatever the values of parameters."""
    return edges(transforms(mechanism)), switches(transforms(mechanism))


def _moves(e: sympy.Expr) -> bool:
    return any(not isinstance(s, Parameter) for s in e.free_symbols)


def _edges(e: sympy.Basic, guard: Any) -> Iterator[tuple[Any, Any, str, bool]]:
    """(formula, inside, needs, strict) of an expression, where `guard` holds."""
    if isinstance(e, sympy.Piecewise):
        for value, condition in e.args:
            yield from _edges(condition, guard)
            yield from _edges(value, sympy.And(guard, condition))
            guard = sympy.And(guard, sympy.Not(condition))
        return
    for part in e.args:
        yield from _edges(part, guard)
    for inside, needs, strict in _of_function(e):
        yield e, inside if guard == True else sympy.Piecewise((inside, guard), (1, True)), needs, strict  # noqa: E712


def _of_function(e: sympy.Basic) -> Iterator[tuple[Any, str, bool]]:
    """(inside, needs, strict) of a function, whatever its argument."""
    if not e.args:
        return
    x: Any = e.args[0]
    if isinstance(e, _BETWEEN):
        yield 1 - x**2, f"{x} between -1 and 1", isinstance(e, sympy.atanh)
    elif isinstance(e, sympy.acosh):
        yield x - 1, f"{x} of 1 or more", False
    elif isinstance(e, sympy.log):
        yield x, f"{x} above zero", True
    elif type(e) in _POLES:
        yield _POLES[type(e)](x) ** 2, f"{x} away from its poles", True
    elif isinstance(e, sympy.coth | sympy.csch):
        yield x**2, f"{x} other than zero", True
    elif isinstance(e, sympy.Pow) and x != sympy.E:
        exponent = e.args[1]
        if not exponent.is_integer:
            strict = bool(exponent.is_negative)
            yield x, f"{x} above zero" if strict else f"{x} not below zero", strict
        elif exponent.is_negative or not exponent.is_number:
            yield x**2, f"{x} other than zero", True


# -- how far an expression can go -----------------------------------------------------------------------------------

_ANYWHERE = (-math.inf, math.inf)


def bounds(e: Any, values: Mapping[str, float]) -> tuple[float, float]:
    """The least and the largest value of an expression, for any motion and these `values` of parameters by name."""
    if e.is_Number or e.is_NumberSymbol:
        return float(e), float(e)
    if isinstance(e, Parameter) and str(e) in values:  # no reference, which changes during a run
        return values[str(e)], values[str(e)]
    parts = [bounds(x, values) for x in e.args]
    if e.is_Add:
        return sum(low for low, _ in parts), sum(high for _, high in parts)
    if e.is_Mul:
        return _product(parts)
    if e.is_Pow and e.args[1].is_Integer:
        return _power(parts[0], int(e.args[1]))
    if e.is_Pow and e.args[1].is_positive and e.args[1].is_Number and parts[0][0] >= 0:
        exponent = float(e.args[1])
        return parts[0][0] ** exponent, parts[0][1] ** exponent
    if isinstance(e, sympy.sin | sympy.cos):
        low, high = parts[0]
        if low == high:
            value = math.sin(low) if isinstance(e, sympy.sin) else math.cos(low)
            return value, value
        return -1.0, 1.0
    return _ANYWHERE


def _product(parts: list[tuple[float, float]]) -> tuple[float, float]:
    low = high = 1.0
    for a, b in parts:
        ends = [x * y if x and y else 0.0 for x in (low, high) for y in (a, b)]
        low, high = min(ends), max(ends)
    return low, high


def _power(base: tuple[float, float], n: int) -> tuple[float, float]:
    low, high = base
    if n < 0:
        if low <= 0 <= high:
            return _ANYWHERE
        low, high, n = 1 / high, 1 / low, -n
    ends = sorted((low**n, high**n))
    return (0.0 if n % 2 == 0 and low < 0 < high else ends[0]), ends[1]
