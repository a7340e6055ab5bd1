"""A tyre on flat ground: its contact point, slips and load, and the forces in its contact patch.

The tread is a torus: a circle of radius r (the section) carried round the axle at the radius R - r. Its lowest point
lies below the ground by p > 0. The normal n of the ground, the axle a, the forward direction u = a x n and the
direction to the left w = n x u are unit vectors. v_C is the velocity of the wheel's centre C, v_E that of the wheel's
material point E, p/3 above the lowest point:

    sin(gamma) = a . n                                                camber
    p = (R - r) cos(gamma) + r - (height of C above the ground),      p.dot = -n . v_E
    Fz = max(0, K p + D sqrt(K p/Fnom) p.dot)                         load: damping grows with it, it never pulls
    V = u . v_C,   V_r = V - u . v_E                                  speeds of travel and of rolling
    S_s = -u . v_E/v,   S_a = -w . v_E/v,   v = max(|V|, |V_r|, v_0)  slips
    L = sqrt(8 R p)                                                   length of the patch

For an upright wheel V_r = omega (R - p/3), so that R - p/3 is the effective rolling radius. The forces of the patch
act at the ground, p above the lowest point. v_0 keeps slips finite at rest, where the tyre acts as a damper.

In the patch the tread is a brush: bristles that bend as they go through the patch, under a pressure with a parabolic
distribution along it. They adhere in the front part, and slide in the rear part. Sliding begins where slip S_s, S_a and
camber together need more force than friction allows: with the elastic forces e = (C_s S_s, C_a S_a) and the camber
thrust c = (0, -C_g sin gamma), a parabola like the pressure,

    |e/S + 3 c| = 3 mu Fz          S, from 0 to 1: the share of the patch that slides          l = 1 - S adheres

    Fx = C_s S_s l^2 + mu_x Fz s                    s = 1 - 3 l^2 + 2 l^3,   (mu_x, mu_y) = mu (S_s, S_a)/S_sa
    Fy = C_a S_a l^2 + (mu_y Fz - c) s + c          mu = mu_s - (mu_s - mu_d) S_sa,   S_sa = sqrt(S_s^2 + S_a^2)
    Mz = -L l^2 (C_a S_a (2 l/3 - 1/2) + 3/2 (mu_y Fz - c) S^2)

mu_y Fz - c is the friction that remains for slip besides camber. |F| <= mu Fz and |Mz| <= 3/16 mu Fz L follow as long
as |c| <= mu Fz. At the smallest loads, where |c| is larger, the code enforces these limits.

Source: G. Gim and P. E. Nikravesh, An analytical model of pneumatic tyres for vehicle dynamic simulations, Int. J.
Vehicle Design 11 (1990) and 12 (1991), three parts; also known as the tyre model of the University of Arizona.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from easydyn.errors import InputError
from easydyn.forces.contact import opening, unit_normal
from easydyn.forces.declared import Argument, Element, Size
from easydyn.forces.effort import Assembly, Demand, a_size, above_zero, an_end, place, positive, react
from easydyn.forces.frames import frame_of, slip
from easydyn.forces.friction import not_above
from easydyn.inputs import expect
from easydyn.mechanics.mechanism import ground
from easydyn.vec import Vector, cross, dot
from easydyn.vec.scalars import Scalar, largest, power, smallest, sqrt

_FLAT = 1e-18  # square of the smallest cosine of the camber: a wheel that lies down has no forward
STEEPEST = 0.99  # cosine of the angle between axle and normal at the start: a wheel that all but lies on its side
_DEPTH = 1e-12  # m: below this depth its root is a straight line, with a finite derivative where the tyre leaves


class _Touch(NamedTuple):
    """Where a tyre is: centre, three axes, sine of the camber, depth (m; negative in the air), lowest point."""

    centre: Vector
    normal: Vector
    forward: Vector
    left: Vector
    camber: Scalar
    depth: Scalar
    lowest: Vector


def _exponents(value: Any, what: str) -> tuple[Scalar, Scalar, Scalar]:
    given = tuple(value) if isinstance(value, list | tuple) else (value, value, value)
    expect(len(given) == 3, what, value, "a number, or three: of slip, side slip and camber")
    slip, side_slip, camber = (positive(n, what) for n in given)
    return slip, side_slip, camber


class Tyre(Element):
    """Tyre on flat ground, by the model of Gim and Nikravesh (University of Arizona).

    The tyre is a brush with adhesion and sliding, combined slip and camber, and an aligning moment. Radially it is
    elastic and damped. The radial elastic energy K p^2/2 is stored; everything else counts as work. docs/tyre.md has
    the equations.

    Parameters
    ----------
    wheel : Body or (Body, (x, y, z))
        The wheel and its centre (m) in body axes, the origin if left out.
    road : ground or (ground, (x, y, z))
        The ground and a point of it (m), the origin if left out.
    axle : 3 scalars (no unit)
        Direction of the axle in the axes of the wheel. It points to the left: a positive rotation about it rolls the
        wheel forward.
    normal : 3 scalars (no unit)
        Upward direction, out of the ground.
    outer_radius, torus_radius : scalar (m)
        R of the tread, and r of its cross section: 0 for a disc, never above R.
    stiffness : scalar (N/m)
        K, radial stiffness.
    damping : scalar (N s/m)
        D, radial damping at the nominal load; none if left out.
    nominal_load : scalar (N)
        Load to which `damping` and the stiffnesses below belong.
    slip_stiffness, side_slip_stiffness, camber_stiffness : scalar (N)
        C_s per unit of slip, C_a per radian of side slip, C_g per radian of camber.
    exponent : scalar or 3 scalars (no unit)
        n of C(Fz) = C (Fz/nominal_load)^n, one for all or one each.
    static_friction, dynamic_friction : scalar (no unit)
        Coefficients without slip and at slip 1.
    low_speed : scalar (m/s)
        v_0, the lowest speed by which slip velocities are divided.
    name : str, optional
        Name of the tyre, in messages and events.

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp, troty
    >>> model = Model("wheel", gravity=(0, 0, -9.81))
    >>> x, z, spin = model.coordinates("x z spin", initial=(0, 0.295, 0), rates=(9, 0, 30))
    >>> wheel = model.body("wheel", tdisp(x, 0, z) * troty(spin), mass=100, inertia=(0, 2, 0))
    >>> model.add(Tyre(wheel, ground, axle=(0, 1, 0), normal=(0, 0, 1), outer_radius=0.3, torus_radius=0.05,
    ...                stiffness=2e5, nominal_load=1000, slip_stiffness=2e4, side_slip_stiffness=2e4,
    ...                camber_stiffness=2e3, exponent=0.8, static_friction=1, dynamic_friction=0.8, low_speed=0.1))
    >>> model.compile().accelerations(0, [0, 0.295, 0], [9, 0, 30]).round(6)  # 30 rad/s * (0.3 - 0.005/3) m < 9 m/s
    array([-1.070422,  0.19    , 15.788728])
    """

    wheel, road, axle, normal = Argument(an_end), Argument(an_end), Argument(unit_normal), Argument(unit_normal)
    outer_radius, torus_radius = Size(a_size), Argument(partial(a_size, least=positive))
    stiffness, damping, nominal_load = Size(above_zero), Argument(positive), Size(above_zero)
    slip_stiffness, side_slip_stiffness, camber_stiffness = Argument(positive), Argument(positive), Argument(positive)
    exponent = Argument(_exponents)
    static_friction, dynamic_friction, low_speed = Size(above_zero), Size(above_zero), Size(above_zero)

    def __init__(
        self, wheel: Any, road: Any, *, axle: Any = None, normal: Any = None, outer_radius: Any = None,
        torus_radius: Any = None, stiffness: Any = None, damping: Any = 0, nominal_load: Any = None,
        slip_stiffness: Any = None, side_slip_stiffness: Any = None, camber_stiffness: Any = None,
        exponent: Any = None, static_friction: Any = None, dynamic_friction: Any = None, low_speed: Any = None,
        name: Any = None,
    ):  # fmt: skip
        self.name = name
        self.take(locals(), "wheel", "road")
        self.what = str(self)
        if self.road[0] is not ground:
            raise InputError(f"the road of {self} is '{self.road[0].name}': expected ground, or (ground, (x, y, z)).")
        if self.wheel[0] is ground:
            raise InputError("the wheel of a Tyre is the ground: expected a body, as returned by model.body(...).")
        if axle is None or normal is None:
            raise InputError(f"{self} has no {'axle: give axle' if axle is None else 'normal: give normal'}=(x, y, z).")
        self.take(locals())
        for small, large in (("torus_radius", "outer_radius"), ("dynamic_friction", "static_friction")):
            not_above(getattr(self, small), getattr(self, large), f"the {small} of {self}", f"its {large}")
        stiffnesses = self.slip_stiffness, self.side_slip_stiffness, self.camber_stiffness
        self.law = Law(self.nominal_load, stiffnesses, self.exponent, self.static_friction, self.dynamic_friction)

    @property
    def named_frames(self) -> tuple[tuple[str, Any], ...]:
        """The wheel and the road, in words, and their frames."""
        return tuple((f"an end of {self}", frame_of(end, "")) for end in (self.wheel, self.road))

    def _touch(self, assembly: Assembly) -> _Touch:
        value = assembly.value
        state = assembly.state(self.wheel[0])
        centre, _ = place(assembly, *self.wheel)
        n = self.normal.map(value)
        axle = state.T.R * self.axle.map(value)
        across = cross(axle, n)
        camber = dot(axle, n)
        cosine = sqrt(dot(across, across) + _FLAT)
        forward = across / cosine
        R, r = value(self.outer_radius), value(self.torus_radius)
        height = dot(n, centre - self.road[1].map(value))
        spoke = (axle * camber - n) / cosine  # unit vector from the centre down the plane of the wheel
        lowest = centre + spoke * (R - r) - n * r
        return _Touch(centre, n, forward, cross(n, forward), camber, (R - r) * cosine + r - height, lowest)

    def apply(self, assembly: Assembly) -> None:
        value = assembly.value
        touch = self._touch(assembly)
        n, u, w = touch.normal, touch.forward, touch.left
        p = largest(0, touch.depth)
        root = p / sqrt(p + _DEPTH)
        velocity = slip(assembly, self, touch.lowest + n * (p / 3))
        K, Fnom = value(self.stiffness), value(self.law.nominal_load)
        rate = opening(assembly, self, -touch.depth, n, velocity)
        load = largest(0, K * p - value(self.damping) * sqrt(K / Fnom) * root * rate)
        travel = dot(u, slip(assembly, self, touch.centre))
        slide = dot(u, velocity)
        speed = largest(largest(abs(travel), abs(travel - slide)), value(self.low_speed))
        slips = -slide / speed, -dot(w, velocity) / speed
        law = Law(Fnom, *(tuple(map(value, x)) if isinstance(x, tuple) else value(x) for x in self.law[1:]))
        Fx, Fy, Mz = patch(law, load, slips, touch.camber, sqrt(8 * value(self.outer_radius)) * root)
        react(assembly, self.wheel[0], ground, u * Fx + w * Fy + n * load, touch.lowest + n * p, n * Mz)

    def potential(self, assembly: Assembly) -> Scalar:
        p = largest(0, self._touch(assembly).depth)
        return assembly.value(self.stiffness) * p * p / 2

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        value, touch = assembly.value, self._touch(assembly)
        yield Demand(f"the static_friction of {self}", value(self.static_friction), value(self.dynamic_friction))
        yield Demand(f"the outer_radius (m) of {self}", value(self.outer_radius), value(self.torus_radius))
        yield Demand(
            f"the cosine of the angle between the axle and the normal of {self}", abs(touch.camber), None, STEEPEST,
            "A wheel that lies on its side does not roll: look at the axle (in the axes of the wheel), at the normal "
            "and at the initial values.",
        )  # fmt: skip
        yield Demand(
            f"the depth (m) to which {self} is in the road", touch.depth, None, value(self.outer_radius),
            "Look at the initial values, at the point of the road and at the sign of the normal.",
        )  # fmt: skip

    def switches(self, assembly: Assembly) -> Iterator[tuple[str, Scalar]]:
        yield f"contact of the {str(self).replace('Tyre', 'tyre', 1)}", -self._touch(assembly).depth

    def __repr__(self) -> str:
        return f"Tyre{f' {self.name!r}' * (self.name is not None)} of '{self.wheel[0].name}'"


# Each of these keeps a root or a quotient regular where all of its terms vanish, far below anything that matters.
_SHARE = 1e-6  # of the nominal load: below it, forces are in proportion to the load
_ROOT = 1e-9


class Law(NamedTuple):
    """The constants of a tyre: stiffnesses C (N, N/rad) at the nominal load (N), their exponents, friction.

    C(Fz) = C (Fz/nominal_load)^exponent, in the order slip, side slip, camber.
    """

    nominal_load: Scalar
    stiffnesses: tuple[Scalar, Scalar, Scalar]
    exponents: tuple[Scalar, Scalar, Scalar]
    static_friction: Scalar
    dynamic_friction: Scalar


class Patch(NamedTuple):
    """The load of the ground on the tyre: forces Fx (forward), Fy (to the left), moment Mz (upwards) in N and N m."""

    Fx: Scalar
    Fy: Scalar
    Mz: Scalar


def patch(law: Law, load: Scalar, slips: tuple[Scalar, Scalar], camber: Scalar, length: Scalar) -> Patch:
    """Forces and moment of the patch.

    Parameters
    ----------
    law : Law
    load : scalar (N)
        Fz >= 0.
    slips : 2 scalars
        S_s and S_a, without unit: the velocity with which the tread slides backwards and to the right, divided by the
        speed of travel or of rolling, whichever is larger. A positive slip causes a positive force.
    camber : scalar
        sin(gamma), positive when the top of the wheel leans to the right; the thrust c then points to the right.
    length : scalar (m)
        L, the length of the patch.
    """
    Ss, Sa = slips
    N = largest(load, law.nominal_load * _SHARE)
    Cs, Ca, Cg = (C * power(N / law.nominal_load, n) for C, n in zip(law.stiffnesses, law.exponents, strict=True))
    x, y, c = Cs * Ss / N, Ca * Sa / N, -Cg * camber / N  # all forces in shares of the load from here
    Ssa = sqrt(Ss * Ss + Sa * Sa + _ROOT**2)
    mu = law.static_friction - (law.static_friction - law.dynamic_friction) * smallest(1, Ssa)
    e2 = x * x + y * y
    # friction goes with the slip; where camber alone is too much for it, with what is left of that too
    bend = sqrt(e2 + _ROOT**2) / Ssa
    ahead, aside = bend * Ss, bend * Sa + 3 * (largest(0, c - mu) - largest(0, -c - mu))
    size = sqrt(ahead * ahead + aside * aside + _ROOT**2)
    mu_x, mu_y = mu * ahead / size, mu * aside / size
    # |e/S + 3c| = 3 mu solved for S: S = e^2/(3 (root - c y))
    root = sqrt(largest(0, mu * mu * e2 - c * c * x * x) + _ROOT**2)
    S = smallest(1, e2 / (3 * largest(root - c * y, _ROOT)))
    adhering = (1 - S) * (1 - S)
    sliding = S * S * (3 - 2 * S)  # = 1 - 3 l^2 + 2 l^3
    Fx = x * adhering + mu_x * sliding
    Fy = y * adhering + (mu_y - c) * sliding + c
    within = load / largest(1, sqrt(Fx * Fx + Fy * Fy + _ROOT**2) / mu)
    Mz = adhering * (y * (2 * (1 - S) / 3 - 0.5) + 1.5 * (mu_y - c) * S * S)
    largest_Mz = 0.1875 * mu  # friction to the left in front, to the right behind
    Mz = smallest(largest_Mz, largest(-largest_Mz, Mz))
    return Patch(Fx * within, Fy * within, -Mz * length * load)
