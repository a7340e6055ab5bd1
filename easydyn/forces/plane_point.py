"""Contact of a point of a body with a plane."""

from __future__ import annotations

from typing import Any

from easydyn.forces import effort
from easydyn.forces.contact import PlaneContact
from easydyn.forces.effort import Assembly
from easydyn.vec import Vector


class PlanePoint(PlaneContact):
    """Contact of a point of a body with a plane that is fixed to the ground or to another body.

    The normal force is Fn = max(0, k p^a + c p^b p.dot) for a depth p > 0, friction is at most mu Fn (docs/contact.md).

    Parameters
    ----------
    end : Body or (Body, (x, y, z))
        The body and its point (m) in body axes, the origin if left out.
    plane : Body or (Body, (x, y, z))
        The body of the plane, `ground` or another one, and a point (m) of the plane in its axes.
    normal : 3 scalars (no unit)
        Direction out of the plane, to the side where the point is free, in the axes of the plane's body; any length.
    stiffness : scalar (N/m^power)
        k.
    power : scalar (no unit)
        a >= 1.
    damping : scalar (N s/m^(damping_power + 1))
        c, none if left out.
    damping_power : scalar (no unit)
        b >= 1, equal to a if left out.
    friction : scalar (no unit), optional
        Coefficient of friction mu in sliding; no friction if left out.
    static_friction : scalar (no unit), optional
        Coefficient at rest; equal to the coefficient in sliding if left out.
    slip_speed : scalar (m/s)
        Velocity of slip v0 that spreads the change of sign of friction; needed with friction.
    static_speed : scalar (m/s)
        Velocity of slip at which friction is half-way between both coefficients; needed with static_friction.
    sticking : scalar (m), optional
        Displacement z0 at which the contact begins to slide; up to z0 it sticks, elastically. If left out, friction
        needs some slip, and a body that should rest creeps.
    name : str, optional
        Name of the contact, and of its states `name_stick_1`, `name_stick_2` (in a planar model `name_stick`); needed
        with sticking.

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp
    >>> model = Model("ball", gravity=(0, -9.81, 0))
    >>> x, y = model.coordinates("x y", initial=(0, -0.01))
    >>> ball = model.body("ball", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(PlanePoint(ball, ground, normal=(0, 1, 0), stiffness=5000, friction=0.5, slip_speed=1e-3))
    >>> model.compile().accelerations(0, [0, -0.01], [1, 0]).round(3)
    array([-12.5 ,  15.19])
    """

    def __init__(
        self, end: Any, plane: Any, *, normal: Any = None, stiffness: Any = None, power: Any = 1, damping: Any = 0,
        damping_power: Any = None, friction: Any = None, static_friction: Any = None, slip_speed: Any = None,
        static_speed: Any = None, sticking: Any = None, name: Any = None,
    ):  # fmt: skip
        self.take(locals())

    def place(self, assembly: Assembly, normal: Vector) -> Vector:
        return effort.place(assembly, *self.end)[0]
