"""Rigid gears: between coordinates, and between bodies whose shafts have any direction.

    p = n q + c                                  p, q relative to the housing
    a . (w_1 - w_h) = n b . (w_2 - w_h)          the same in rates, of two bodies in a housing h; a, b are its axes

The teeth exert the moment of the multiplier on the first shaft, and -n times as much on the second one. The mounting of
the housing carries the sum of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from easydyn.arguments import answers
from easydyn.constraints.constraint import Constraint, Row
from easydyn.constraints.equation import Equation
from easydyn.errors import InputError
from easydyn.forces.declared import Argument, Declared
from easydyn.forces.effort import Assembly, a_body, a_coordinate, given, react
from easydyn.forces.elastic_gear import a_ratio
from easydyn.inputs import text
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.vec import Transform, Vector, dot
from easydyn.vec.scalars import Scalar
from easydyn.vec.tensors import direction


def _axes(given: Any, what: str) -> tuple[Vector, Vector]:
    """The directions of two shafts."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InputError(f'{what} are {given!r}: expected two, axes=("x", (0, 1, 1)), in the axes of its housing.')
    a, b = (direction(x, f"one of {what}") for x in given)
    return a, b


@answers
class Gear(Equation):
    """A rigid gear between two coordinates: p = n q + c. Give it to `model.add`; p then depends on q.

    `run.multipliers(gear)` is the moment of its teeth on the first shaft (d'Alembert's principle); the second shaft
    feels -n times as much. Angles are relative to the housing. The rest of both moments acts on the housing, which need
    not be named.

    Parameters
    ----------
    one, other : Coordinate (rad)
        p and q, as returned by `model.coordinates`.
    ratio : scalar (no unit)
        n, turns of the first shaft for one turn of the second; negative if they rotate in opposite directions.
    offset : scalar (rad), optional
        c, the angle of the first shaft when the angle of the second is zero.
    name : str, optional
        Its name; the first coordinate if left out.

    Attributes
    ----------
    support : scalar (no unit)
        1 - n: the moment that the mounting exerts on the gear for a multiplier of 1.

    Raises
    ------
    InputError
        Arguments that are not two coordinates, a ratio of zero.

    Example
    -------
    >>> from easydyn import GeneralizedForce, Model, trotz
    >>> model = Model("gearbox")
    >>> p, q = model.coordinates("p q")
    >>> shafts = [model.body(f"shaft {x}", trotz(x), mass=0, inertia=(0, 0, J)) for x, J in ((p, 1), (q, 25))]
    >>> model.add(Gear(p, q, 5), GeneralizedForce(p, 4))
    >>> run = model.simulate(1, target="python")  # 4/(1 + 25/5**2) rad/s2
    >>> round(float(run["p"][-1]), 6), round(float(run["q"][-1]), 6)
    (1.0, 0.2)
    """

    added = True

    def __init__(self, one: Any, other: Any, ratio: Any = None, *, offset: Any = 0, name: Any = None):
        what = f"a {type(self).__name__}"
        self.one = a_coordinate(one, f"the first coordinate of {what}")
        self.other = a_coordinate(other, f"the second coordinate of {what}")
        if self.one == self.other:
            raise InputError(f"{what} is between {one} and itself: expected two coordinates.")
        self.ratio = a_ratio(ratio, f"the ratio of {what}")
        self.offset = given(offset, f"the offset of {what}")
        expression = sympy.sympify(self.one - self.ratio * self.other - self.offset)
        called = str(one) if name is None else text(name, f"the name of {what}", '"teeth"')
        super().__init__(expression, called)
        self.support: Any = 1 - self.ratio


@answers
class BevelGear(Gear):
    """A rigid gear between two shafts of different directions: p = n q + c, as a `Gear`, with the load on its mounting.

    Parameters
    ----------
    one, other, ratio, offset, name
        As in `Gear`: coordinates (rad), n (no unit), c (rad), a name.
    axes : two directions (no unit)
        Directions of the shafts, in the axes of the housing: "x" or three numbers each.

    Attributes
    ----------
    support : tuple of 3 scalars (no unit)
        a - n b: the moment that the mounting exerts on the gear for a multiplier of 1, in the axes of the housing. So
        `run.multipliers(gear)*gear.support` is this moment along a run (N, 3), by the balance of moments.

    Raises
    ------
    InputError
        Arguments that are not two coordinates, a ratio of zero, invalid axes.

    Example
    -------
    >>> from easydyn import Model, trotx, trotz
    >>> model = Model("right angle")
    >>> p, q = model.coordinates("p q")
    >>> shafts = [model.body(f"shaft {x}", turn(x), mass=0, inertia=(1, 1, 1)) for x, turn in ((p, trotx), (q, trotz))]
    >>> gear = BevelGear(p, q, 5, axes=("x", "z"))
    >>> model.add(gear)
    >>> gear.support
    (1, 0, -5)
    """

    def __init__(self, one: Any, other: Any, ratio: Any = None, *, axes: Any = None, offset: Any = 0, name: Any = None):
        super().__init__(one, other, ratio, offset=offset, name=name)
        a, b = _axes(axes, "the axes of a BevelGear")
        self.support = tuple(x - self.ratio * y for x, y in zip(a, b, strict=True))


@answers
class GearConstraint(Declared, Constraint):
    """A rigid gear between two bodies that rotate in a housing about any axes, with any coordinates.

    It restricts rates: a . (w_1 - w_h) = n b . (w_2 - w_h), with the angular velocities of bodies and housing. It does
    not model the bearings: the coordinates, or `model.close`, do. By d'Alembert's principle the teeth exert the moment
    of the multiplier along a on the first body, -n times as much along b on the second one, and the opposite of both on
    the housing.

    Parameters
    ----------
    first, second : Body
        The bodies of the shafts.
    housing : Body or ground
        The body in which they rotate.
    ratio : scalar (no unit)
        n, turns of the first for one turn of the second, relative to the housing; negative for opposite directions.
    axes : two directions (no unit)
        a and b in the axes of the housing: "x" or three numbers each.
    name : str, optional
        Its name; "first-second", from the names of the bodies, if left out.

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Example
    -------
    >>> from easydyn import GeneralizedForce, Model, ground, trotx, trotz
    >>> model = Model("right angle")
    >>> p, q = model.coordinates("p q")
    >>> one = model.body("one", trotx(p), mass=0, inertia=(1, 0, 0))
    >>> two = model.body("two", trotz(q), mass=0, inertia=(0, 0, 25))
    >>> model.add(GearConstraint(one, two, ground, ratio=5, axes=("x", "z")), GeneralizedForce(p, 4))
    >>> run = model.simulate(1, target="python")
    >>> round(float(run["p"][-1]), 6), round(float(run["q"][-1]), 6)
    (1.0, 0.2)
    """

    labels = ("load",)
    first, second, housing = Argument(a_body, "first body"), Argument(a_body, "second body"), Argument(a_body)
    ratio, axes = Argument(a_ratio), Argument(_axes)

    def __init__(self, first: Any, second: Any, housing: Any, *, ratio: Any = None, axes: Any = None, name: Any = None):
        self.take(locals(), "first", "second", "housing")
        bodies = self.first, self.second, self.housing
        if len({id(body) for body in bodies}) < 3:
            listed = ", ".join(f"'{body.name}'" for body in bodies)
            raise InputError(f"{self.what} is of {listed}: expected two shafts and a housing, three different bodies.")
        self.take(locals())
        between = f"{self.first.name}-{self.second.name}"
        self.name = between if name is None else text(name, f"the name of {self.what}", '"teeth"')

    @property
    def of_place(self) -> tuple[bool, ...]:
        return (False,)

    @property
    def named_frames(self) -> tuple[Any, ...]:
        """The role of each body, in words, and its frame."""
        words = ("the first body", "the second body", "the housing")
        return tuple((f"{w} of {self}", (body, Transform())) for w, body in zip(words, self.bodies, strict=True))

    def _shafts(self, assembly: Assembly) -> list[tuple[Body | Ground, Vector]]:
        """The states of both bodies, each with its axis times its share: a, and -n b; ground components."""
        R, n = assembly.state(self.housing).T.R, assembly.value(self.ratio)
        return [(self.first, R * self.axes[0]), (self.second, (R * self.axes[1]) * -n)]

    def rows(self, assembly: Assembly) -> list[Row]:
        w = assembly.state(self.housing).omega
        rate: Scalar = sum((dot(axis, assembly.state(body).omega - w) for body, axis in self._shafts(assembly)), 0)
        return [Row("load", None, rate)]

    def push(self, assembly: Assembly, loads: Sequence[tuple[Row, Scalar]]) -> None:
        for _, load in loads:
            for body, axis in self._shafts(assembly):
                react(assembly, body, self.housing, moment=axis * load)

    def __repr__(self) -> str:
        return f"GearConstraint '{self.name}'"
