"""Contact of a sphere on a body with a plane."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from easydyn.forces import effort
from easydyn.forces.contact import PlaneContact
from easydyn.forces.declared import Argument
from easydyn.forces.effort import Assembly, Demand, a_size
from easydyn.vec import Vector


class PlaneSphere(PlaneContact):
    """Contact of a sphere with a plane that is fixed to the ground or to another body.

    It acts like `PlanePoint`, at the deepest point of the sphere. With power=1.5 and the stiffness (4/3) E* sqrt(r) it
    is Hertz's law of contact, with the effective modulus E* and the radius r.

    Parameters
    ----------
    end : Body or (Body, (x, y, z))
        The body and the centre of the sphere (m) in body axes, the origin if left out.
    plane : Body or (Body, (x, y, z))
        The body of the plane, `ground` or another one, and a point (m) of the plane in its axes.
    radius : scalar (m)
        Radius of the sphere.
    normal, stiffness, power, damping, damping_power
        As in `PlanePoint`.
    friction, static_friction, slip_speed, static_speed, sticking, name
        As in `PlanePoint`.

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp
    >>> model = Model("ball", gravity=(0, 0, -9.81))
    >>> z, = model.coordinates("z", initial=0.09)
    >>> ball = model.body("ball", tdisp(0, 0, z), mass=2, inertia=(0, 0, 0))
    >>> model.add(PlaneSphere(ball, ground, radius=0.1, normal=(0, 0, 1), stiffness=5000))
    >>> model.compile().accelerations(0, [0.09], [0])
    array([15.19])
    """

    radius = Argument(a_size)

    def __init__(
        self, end: Any, plane: Any, *, radius: Any = None, normal: Any = None, stiffness: Any = None, power: Any = 1,
        damping: Any = 0, damping_power: Any = None, friction: Any = None, static_friction: Any = None,
        slip_speed: Any = None, static_speed: Any = None, sticking: Any = None, name: Any = None,
    ):  # fmt: skip
        self.take(locals())

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        yield from super().demands(assembly)
        yield Demand(
            f"the depth (m) to which the sphere of {self} is in the plane", -self._contact(assembly)[2], None,
            assembly.value(self.radius), "Beyond its radius the centre is behind the plane: look at the initial "
            "values, at the point of the plane and at the sign of the normal.",
        )  # fmt: skip

    def place(self, assembly: Assembly, normal: Vector) -> Vector:
        return effort.place(assembly, *self.end)[0] - normal * assembly.value(self.radius)
