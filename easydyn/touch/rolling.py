"""Shapes that never part: `Sliding` without friction, as of a pin in a groove, and `RollingOn`, without slip.

Both are constraints with the geometry of a contact (pairs.py): its gap stays zero. The rates of what touches are

    g.dot = n . (v1 - v2) = 0,        t . (v1 - v2) = 0        the second one of what rolls

at the place of contact, and the multipliers are the forces along n and t on the first body.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from easydyn.arguments import answers
from easydyn.constraints.constraint import Constraint, Limit, Row
from easydyn.errors import InputError
from easydyn.forces.effort import Assembly, constant, react, two_bodies
from easydyn.forces.frames import slip
from easydyn.touch.closest import look
from easydyn.touch.contact import Ended, axis_of, curves_of, end_of, in_plane
from easydyn.touch.pairs import pairs_of
from easydyn.touch.shape import Touch
from easydyn.vec import cross, dot
from easydyn.vec.scalars import Scalar


@answers
class Sliding(Ended, Constraint):
    """Two shapes of the plane that never part, and slide on each other without friction: a pin in a groove.

    It is one constraint on coordinates. A `Point` on a `HalfPlane` is a pin in a straight slot, on a `Curve` one in a
    curved groove.

    Parameters
    ----------
    first, second : (Body, Shape) or ((Body, Transform), Shape)
        Shapes (`easydyn.shapes`) that touch in one contact, each on a body or on `ground`. `run.reaction` is the load
        on the first one.
    name : str, optional
        Its name; "pin-plate", from the names of the bodies, if left out.

    Raises
    ------
    InputError
        When a value is not possible, or for shapes that touch at several places.

    Notes
    -----
    The gap of the shapes is zero, and its multiplier is the force along the normal (docs/contact.md).

    Example
    -------
    >>> import sympy
    >>> from easydyn import Model, Sliding, ground, shapes, tdisp
    >>> u, model = sympy.Symbol("u"), Model("bead", gravity=(0, -9.81, 0))
    >>> x, y = model.coordinates("x y", initial=(1, 0.5))
    >>> bead = model.body("bead", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    >>> model.add(Sliding((bead, shapes.Point()), (ground, shapes.Curve(u, u**2 / 2, (u, -2, 2)))))
    >>> run = model.simulate(1)
    >>> bool(abs(run["y"] - run["x"]**2 / 2).max() < 1e-6)
    True
    """

    joined = True
    labels: tuple[str, ...] = ("normal",)

    def __init__(self, first: Any, second: Any, *, name: Any = None):
        kind = type(self).__name__
        self.first, self.second = end_of(first, f"the first end of a {kind}"), end_of(second, "the second end")
        two_bodies(self.first.body, self.second.body, f"a {kind}")
        self.name = "-".join(body.name for body in self.bodies) if name is None else name
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError(f'the name of a {kind} is {name!r}: expected a text, such as name="pin".')
        pairs = pairs_of(self.first.shape, self.second.shape, str(self))
        self.axis = axis_of(self.first, self.second)
        in_plane(self)
        one, other = (type(end.shape).__name__ for end in (self.first, self.second))
        if len(pairs) > 1 or self.axis is None or "friction" in self.labels and "Point" in (one, other):
            raise InputError(
                f"{self} is between a {one} and a {other}: expected shapes of a plane that touch at one place, such as "
                "a Disc on a Curve or a HalfPlane, or of a Sliding a Point."
            )
        self._pair = pairs[0]
        for curve, on_it in curves_of(self):
            look(curve, on_it, str(self))

    @property
    def of_place(self) -> tuple[bool, ...]:
        return tuple(label == "normal" for label in self.labels)

    def _touch(self, assembly: Assembly) -> Touch:
        return self._pair(assembly, self.first.placed(assembly), self.second.placed(assembly))

    def rows(self, assembly: Assembly) -> list[Row]:
        touch = self._touch(assembly)
        v = slip(assembly, self, touch.point)
        t = cross(touch.normal, self.axis)
        grows = not constant(x for end in (self.first, self.second) for x in end.shape.scalars())
        rate = assembly.calculus.rate(touch.gap) if grows else dot(touch.normal, v)
        rows = [Row("normal", touch.gap, rate, touch.normal), Row("friction", None, dot(t, v), t)]
        return rows[: len(self.labels)]

    def push(self, assembly: Assembly, loads: Sequence[tuple[Row, Scalar]]) -> None:
        point = self._touch(assembly).point
        for row, load in loads:
            react(assembly, *self.bodies, row.force * load, point)

    def limits(self, assembly: Assembly) -> list[Limit]:
        left = self._touch(assembly).beyond
        if left is None:
            return []
        reason = "the curve ends there"
        return [Limit(left, f"{self} is at an end of its curve", reason, "Give the curve a longer range.")]

    def __repr__(self) -> str:
        return f"{type(self).__name__} '{self.name}'"


@answers
class RollingOn(Sliding):
    """A disc that rolls on a shape of the plane without slip and never leaves it: a wheel on a curved track.

    It has the constraint of `Sliding`, and one on rates. `Rolling` is that of a disc on a plane, in space.

    Parameters
    ----------
    first, second, name
        As in `Sliding`: (body, shape) twice, one of them a `Disc` (m) or a closed `Curve`, and a name.

    Raises
    ------
    InputError
        When a value is not possible, or for shapes that touch at several places.

    Notes
    -----
    The gap of the shapes is zero, and t . (v1 - v2) = 0 for their matter where they touch.

    Example
    -------
    >>> from easydyn import Model, RollingOn, ground, shapes, tdisp, trotz
    >>> model = Model("hoop in a hollow", gravity=(0, -9.81, 0))
    >>> x, y, a = model.coordinates("x y a", initial=(0, -0.9, 0), rates=(1, 0, 0))
    >>> hoop = model.body("hoop", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 0.01))
    >>> model.add(RollingOn((hoop, shapes.Disc(0.1)), (ground, shapes.Hole(1))))
    >>> round(model.assemble()["a.dot"], 9)
    -10.0
    """

    labels = ("normal", "friction")
