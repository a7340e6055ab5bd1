"""The common part of all linkages: the result of a function, rods, and the point where two bars meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, nan
from typing import Any

import sympy

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.forces.effort import above_zero
from easydyn.inputs import a_model, by_name, finite, text
from easydyn.mechanics.mechanism import Body
from easydyn.mechanics.symbols import Coordinate, Parameter
from easydyn.model.declarations import constant
from easydyn.vec import Transform, as_transform

Point = tuple[Any, Any]  # of a plane (m)


@answers
@dataclass(frozen=True, eq=False)
class Linkage:
    """The parts that a function of `easydyn.linkages` has added to a model.

    Attributes
    ----------
    title : str
        The kind of linkage, in words.
    bodies : dict
        Bodies by their role: "crank", "rod", ...
    coordinates : dict
        Coordinates by their role (rad, m).
    closures : tuple of Closure
        The closures, for `run.reaction`.
    forms : dict
        The closed form: each dependent coordinate (rad, m) as an expression of the others.
    mobility : str
        The count of its degrees of freedom, in a sentence.

    Example
    -------
    >>> from easydyn import Model
    >>> from easydyn.linkages import crank_slider
    >>> linkage = crank_slider(Model("engine"), crank=0.1, rod=0.3)
    >>> sorted(linkage.bodies), linkage.forms[linkage.coordinates["slide"]]
    (['crank', 'rod', 'slider'], sqrt(0.09 - 0.01*sin(crank)**2) + 0.1*cos(crank))
    """

    title: str
    bodies: Mapping[str, Body]
    coordinates: Mapping[str, Coordinate]
    closures: tuple[Any, ...]
    forms: Mapping[Coordinate, sympy.Expr]
    mobility: str

    def closed_form(self, values: Mapping[str, Any], parameters: Mapping[str, Any] | None = None) -> dict[str, float]:
        """Compute the dependent coordinates from given ones.

        Parameters
        ----------
        values : dict
            Values of the independent coordinates, by name (rad, m): {"crank": 0.3}.
        parameters : dict, optional
            Values of the parameters in the lengths, in their own units.

        Returns
        -------
        dict
            Values of the dependent coordinates, by name (rad, m); nan where the linkage cannot be assembled.

        Raises
        ------
        InputError
            A missing coordinate, or a value that is not a number.

        Example
        -------
        >>> from easydyn import Model
        >>> from easydyn.linkages import crank_slider
        >>> linkage = crank_slider(Model("engine"), crank=0.1, rod=0.3)
        >>> round(linkage.closed_form({"crank": 0})["slide"], 12)
        0.4
        """
        known: dict[Any, float] = {}
        given = by_name(values, "values", '{"crank": 0.3}')
        for q in self.coordinates.values():
            if q not in self.forms:
                if str(q) not in given:
                    raise InputError(f"values has no {q}: expected a number for each of {', '.join(self.independent)}.")
                known[q] = finite(given[str(q)], f"the value of {q}")
        for name, value in by_name(parameters, "parameters", '{"l": 0.3}').items():
            known[Parameter(name)] = finite(value, f"parameter {name}")
        for form in self.forms.values():
            for p in sorted(form.free_symbols - known.keys(), key=str):
                raise InputError(f"parameters has no {p}, on which lengths depend: expected its value, {{'{p}': 0.3}}.")
        return {str(q): number(form, known) for q, form in self.forms.items()}

    @property
    def independent(self) -> list[str]:
        """Names of the independent coordinates."""
        return [str(q) for q in self.coordinates.values() if q not in self.forms]

    def __repr__(self) -> str:
        return f"Linkage({self.title}: {', '.join(body.name for body in self.bodies.values())})"


def number(expression: sympy.Expr, values: Mapping[Any, float]) -> float:
    """The value of an expression; nan if it has no real value."""
    symbols = sorted(expression.free_symbols, key=str)
    try:
        evaluate = sympy.lambdify(symbols, expression, modules="math", dummify=True, cse=True)
        value = evaluate(*(values[s] for s in symbols))
    except (ValueError, ZeroDivisionError, OverflowError):
        return nan
    return float(value) if isfinite(value) else nan


def meet(first: Point, second: Point, p: Any, q: Any, side: int) -> Point:
    """The point where a bar of length p (m) about the `first` point meets a bar of length q about the `second` one.

    There are two such points. `side` = 1 selects the one on the left of the line from the first point to the second,
    otherwise the one on the right.
    """
    dx, dy = second[0] - first[0], second[1] - first[1]
    square = dx**2 + dy**2
    along = (p**2 - q**2 + square) / (2 * square)
    across = side * sympy.sqrt(p**2 / square - along**2)
    return first[0] + along * dx - across * dy, first[1] + along * dy + across * dx


def heading(tail: Point, tip: Point) -> Any:
    """The angle (rad) of the line from one point to another, from x."""
    return sympy.atan2(tip[1] - tail[1], tip[0] - tail[0])


class Maker:
    """Tools to make a linkage: names, points, masses, and its coordinates with their initial values.

    Parameters
    ----------
    model : Model
        The model to which it is added.
    what : str
        The name of the function, for messages.
    name : str
        Prefix of the names of bodies and coordinates; no prefix if empty.
    at : Transform, optional
        The frame in whose xy plane it lies.
    """

    def __init__(self, model: Any, what: str, name: Any, at: Any):
        self.model, self.what = a_model(model, f"the model of {what}"), what
        self.name = name if isinstance(name, str) and not name else text(name, f"the name of {what}", '"left"')
        if self.name and not self.name.isidentifier():
            raise InputError(f"the name of {what} is {self.name!r}: expected letters, digits and underscores.")
        self.at = Transform() if at is None else as_transform(at, f"the frame at of {what}")
        self.values = {Parameter(k): v for k, v in self.model.values().items()}

    def number(self, value: Any, what: str) -> sympy.Expr:
        """A position or an angle: a number or an expression of parameters."""
        return sympy.sympify(constant(value, f"{what} of {self.what}", self.model))

    def length(self, value: Any, what: str) -> sympy.Expr:
        """A length (m), a positive number or an expression of parameters."""
        return above_zero(self.number(value, what), f"{what} of {self.what}", ", a length (m).")  # type: ignore[no-any-return]

    def point(self, value: Any, what: str) -> Point:
        """The two coordinates (m) of a point in the plane."""
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise InputError(f"{what} of {self.what} is {value!r}: expected two numbers (m), such as (0.5, 0.3).")
        return self.number(value[0], what), self.number(value[1], what)

    def side(self, value: Any) -> int:
        """1 or -1: selects one of two ways to assemble the linkage."""
        if type(value) is not int or value not in (1, -1):
            raise InputError(f"side of {self.what} is {value!r}: expected 1 or -1, which of two ways to assemble it.")
        return int(value)

    def symbol(self, role: str) -> str:
        return f"{self.name}_{role}" if self.name else role

    def coordinates(
        self, free: Mapping[str, Any], rates: Mapping[str, Any], forms: Mapping[str, Any], known: Any = None
    ) -> tuple[dict[str, Coordinate], dict[Coordinate, sympy.Expr]]:
        """Declare coordinates, with initial values of dependent ones from their `forms` (functions); and the formulas.

        `known` has the initial values of coordinates that the model has already. Raises InputError if the linkage
        cannot be assembled at the start.
        """
        symbols = {role: Coordinate(self.symbol(role)) for role in (*free, *forms)}
        found: dict[Coordinate, sympy.Expr] = {symbols[role]: form for role, form in forms.items()}
        values = {role: finite(value, f"{role} of {self.what} at the start") for role, value in free.items()}
        start = {symbols[role]: value for role, value in values.items()}
        start |= {q: finite(value, f"{q} at the start") for q, value in (known or {}).items()}
        numbers = {role: number(form, start | self.values) for role, form in forms.items()}
        lost = [role for role, value in numbers.items() if not isfinite(value)]
        if lost:
            where = ", ".join(f"{q} = {value:g}" for q, value in start.items())
            raise InputError(
                f"{self.what} cannot be assembled at {where}: {symbols[lost[0]]} has no real value there, its bars are "
                "too short or too long to meet. Change lengths, or start elsewhere."
            )
        for role, value in {**values, **numbers}.items():
            self.model.coordinates([self.symbol(role)], initial=value, rates=rates.get(role, 0.0))
        return symbols, found

    def rod(self, role: str, T: Any, length: Any, density: Any, start: Any = 0) -> Body:
        """A slender rod from `start` to `start` + `length` (m) on the x axis of a frame."""
        mass = self.number(density, "density") * length
        inertia = mass * length**2 / 12
        return self.body(role, T, mass=mass, inertia=(0, inertia, inertia), com=(start + length / 2, 0, 0))

    def body(self, role: str, T: Any, **data: Any) -> Body:
        name = f"{self.name} {role}" if self.name else role
        found: Body = self.model.body(name, T, **data)
        return found

    def pin(self, first: Any, second: Any, role: str = "pin", **data: Any) -> Any:
        """Add a pin about z of the plane, or another joint."""
        return self.model.close(
            first, second, **({"joint": "revolute"} | data), name=f"{self.name} {role}" if self.name else role
        )


def in_a_plane(links: int, joints: int) -> str:
    """Gruebler's count from the links, including the ground, and joints of one degree of freedom."""
    freedom = 3 * (links - 1) - 2 * joints
    return (
        f"{links} links, {joints} joints of one freedom in a plane: 3 ({links} - 1) - 2 x {joints} = {freedom} "
        f"degree{'s' if freedom != 1 else ''} of freedom."
    )
