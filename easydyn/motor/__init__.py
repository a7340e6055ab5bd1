"""Motor calculus of von Mises (1924): one algebra for velocities, momenta and forces of rigid bodies.

A motor is a pair of vectors, the resultant g and the moment h about the origin of its axes. It is a field, since the
moment about another point r is h + g x r. A body has three motors: its velocity (omega; v), its momentum (p; l) and its
load, force and moment (f; d). Components are any scalar: floats, arrays, SymPy expressions, nodes of the engine's
graph.

Equation numbers are those of T. Zaiczek, O. Enge-Rosenblatt, Performance Analysis of von Mises' Motor Calculus within
Modelica, 2009; section 2.1 has the equations without a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.inputs import a, expect, is_listed
from easydyn.vec import IDENTITY, ZERO, Tensor, Vector, cross, dot, vector
from easydyn.vec.scalars import Scalar, is_number, scalar, sqrt

__all__ = ["Dyad", "Motor", "inertia_dyad"]


@answers
@dataclass(frozen=True)
class Motor:
    """A pair of vectors at a point, in some axes (eq. (1)): `a + b`, `a * scalar`, `a.dot(b)`, `a.cross(b)`.

    Parameters
    ----------
    g : Vector
        The resultant (3,), in its own unit: angular velocity (rad/s), momentum (kg m/s), force (N).
    h : Vector
        The moment (3,) about the origin, in its own unit: velocity (m/s), angular momentum (kg m2/s), moment (N m).

    Raises
    ------
    InputError
        An argument without three components.

    Example
    -------
    >>> velocity = Motor((0, 0, 2), (1, 0, 0))
    >>> velocity.moved((0, 0.5, 0)).h
    Vector(x=0.0, y=0, z=0.0)
    """

    g: Vector
    h: Vector

    def __post_init__(self) -> None:
        object.__setattr__(self, "g", vector(self.g, "the resultant of a motor"))
        object.__setattr__(self, "h", vector(self.h, "the moment of a motor"))

    def __add__(self, other: Any) -> Motor:  # section 2.1, addition
        other = _motor(other, "the motor added")
        return Motor(self.g + other.g, self.h + other.h)

    def __radd__(self, other: Any) -> Motor:  # section 2.1, addition
        return self if isinstance(other, int) and other == 0 else self + other  # 0 + a: so that sum() works

    def __sub__(self, other: Any) -> Motor:  # section 2.1: a + (-1) b
        return self + -_motor(other, "the motor subtracted")

    def __neg__(self) -> Motor:  # section 2.1: multiplication with -1
        return Motor(-self.g, -self.h)

    def __mul__(self, factor: Any) -> Motor:  # section 2.1, multiplication with a scalar
        factor = scalar(factor, "the factor of a motor")
        return Motor(self.g * factor, self.h * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Motor:  # section 2.1, multiplication with 1/divisor
        divisor = scalar(divisor, "the divisor of a motor")
        if is_number(divisor) and not np.all(divisor):
            raise InputError("a motor is divided by 0: expected another number.")
        return Motor(*(part.map(lambda c: c / divisor) for part in (self.g, self.h)))

    def dot(self, other: Motor) -> Scalar:
        """Inner product (g1, h2) + (g2, h1) with the motor `other`, in their units' product (section 2.1).

        It is the same about every point and in all axes. (force, velocity) is the power (W), half of (velocity,
        momentum) is the kinetic energy (J). Raises InputError if `other` is not a motor.
        """
        other = _motor(other, "the second motor of dot")
        return dot(self.g, other.h) + dot(other.g, self.h)

    def cross(self, other: Motor) -> Motor:
        """Outer product, the motor (g1 x g2; g1 x h2 + h1 x g2), with the motor `other` (section 2.1).

        With the velocity of a frame it is the contribution of the moving frame to a rate, eq. (3), (5): p' + v x p = f.
        Raises InputError if `other` is not a motor.
        """
        other = _motor(other, "the second motor of cross")
        return Motor(cross(self.g, other.g), cross(self.g, other.h) + cross(self.h, other.g))

    def moved(self, r: Any) -> Motor:
        """The same motor, its moment taken about the point `r` (m, 3 components) instead: (g; h + g x r), eq. (1).

        Raises InputError for anything without three components.
        """
        return Motor(self.g, self.h + cross(self.g, vector(r, "the point that a motor is moved to")))

    def turned(self, R: Any) -> Motor:
        """The same motor in other axes (section 3.1); `R` (3x3) turns components in the old axes into new ones.

        Raises InputError for anything that is not a 3x3 matrix.
        """
        R = Tensor.of(R, "the rotation of a motor")
        return Motor(R * self.g, R * self.h)

    def axis(self) -> tuple[Vector, Vector]:
        """The line of the motor: its point nearest to the origin (m, 3 components), the unit vector g/|g| along it.

        About the points r = g x h / g.g of this line the moment is parallel to g (section 2.1): the axis of the screw,
        for a velocity the line that it turns about, for a load that of the wrench. Raises InputError where g is zero.
        """
        gg = self._square("axis")
        return cross(self.g, self.h) / gg, self.g / sqrt(gg)

    @property
    def pitch(self) -> Scalar:
        """Moment along the axis for a resultant of one, g.h / g.g (m/rad for a velocity, m for a load)."""
        return dot(self.g, self.h) / self._square("pitch")

    def _square(self, what: str) -> Scalar:
        gg = dot(self.g, self.g)
        if is_number(gg) and not np.all(gg):
            raise InputError(
                f"the resultant of a motor is zero, so it has no {what}: it is a pure moment, or a translation along h."
            )
        return gg

    @classmethod
    def revolute(cls, axis: Any) -> Motor:
        """The motor (e; 0) of a revolute joint whose unit vector is `axis` (3 components), eq. (6).

        Multiplied by the rate of its angle (rad/s) it is the velocity after the joint relative to the frame before it.
        Its inner product with the load there is the moment about the axis. Raises InputError if `axis` does not have
        three components.
        """
        return cls(vector(axis, "the axis of a revolute joint"), ZERO)

    @classmethod
    def prismatic(cls, axis: Any) -> Motor:
        """The motor (0; e) of a prismatic joint whose unit vector is `axis` (3 components), eq. (6).

        Multiplied by the rate of its displacement (m/s) it is the velocity after the joint relative to the frame before
        it. Its inner product with the load there is the force along the axis. Raises InputError if `axis` does not have
        three components.
        """
        return cls(ZERO, vector(axis, "the axis of a prismatic joint"))

    @classmethod
    def of_motion_vector(cls, components: Any) -> Motor:
        """The motor of a spatial motion vector, `components` (6,) in the order (g; h), such as (omega; v).

        Raises InputError for anything without six components. See `motion_vector`.
        """
        six = _six(components, "a motion vector")
        return cls(Vector(*six[:3]), Vector(*six[3:]))

    @classmethod
    def of_force_vector(cls, components: Any) -> Motor:
        """The motor of a spatial force vector, `components` (6,) in the order (h; g), such as (moment; force).

        Raises InputError for anything without six components. See `force_vector`.
        """
        six = _six(components, "a force vector")
        return cls(Vector(*six[3:]), Vector(*six[:3]))

    @property
    def motion_vector(self) -> tuple[Scalar, ...]:
        """Its components (6,) in the order (g; h): for a velocity (omega; v), a spatial velocity or a twist.

        The order is that of R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 2.2.
        """
        return (*self.g, *self.h)

    @property
    def force_vector(self) -> tuple[Scalar, ...]:
        """Its components (6,) in the order (h; g): for a load (moment; force), a spatial force or a wrench.

        The order is that of R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 2.3, where forces and
        motions belong to different vector spaces; as motors both belong to one space.
        """
        return (*self.h, *self.g)

    @property
    def operator(self) -> Dyad:
        """The dyad of the outer product with this motor, in its own unit: a.operator @ b = a x b.

        From eq. (2) and the outer product of section 2.1.
        """
        w = _skew(self.g)
        return Dyad(_NOTHING, w, w, _skew(self.h))

    def map(self, function: Callable[[Scalar], Scalar]) -> Motor:
        """The motor of `function(component)`, for example for derivatives, component by component (section 2.1.1)."""
        return Motor(self.g.map(function), self.h.map(function))


@answers
@dataclass(frozen=True)
class Dyad:
    """A linear map of motors to motors, as four tensors (eq. (2)); `T @ a` is a motor, `T @ S` a dyad.

    The halves of the motor to which it is applied are swapped: (T11 h + T12 g; T21 h + T22 g).

    Parameters
    ----------
    T11, T12, T21, T22 : Tensor
        Its blocks (3x3), each in its own unit.

    Raises
    ------
    InputError
        A block that is not a 3x3 matrix.

    Example
    -------
    >>> Dyad.unit() @ Motor((1, 2, 3), (4, 5, 6)) == Motor((1, 2, 3), (4, 5, 6))
    True
    """

    T11: Tensor
    T12: Tensor
    T21: Tensor
    T22: Tensor

    def __post_init__(self) -> None:
        for name in ("T11", "T12", "T21", "T22"):
            object.__setattr__(self, name, Tensor.of(getattr(self, name), f"block {name} of a dyad"))

    @classmethod
    def unit(cls) -> Dyad:
        """The dyad (no unit, 3x3 blocks) that maps every motor to itself, eq. (2)."""
        return cls(_NOTHING, _UNIT, _UNIT, _NOTHING)

    def __add__(self, other: Any) -> Dyad:  # linear maps are added, section 2.1 with eq. (2)
        return self._with(other, "the dyad added", 1)

    def __sub__(self, other: Any) -> Dyad:  # the same
        return self._with(other, "the dyad subtracted", -1)

    def _with(self, other: Any, what: str, sign: int) -> Dyad:
        return Dyad(*(x + y * sign for x, y in zip(self.blocks, a(Dyad, other, what, "a Dyad").blocks, strict=True)))

    def __mul__(self, factor: Any) -> Dyad:  # linear maps are multiplied with a scalar, section 2.1 with eq. (2)
        factor = scalar(factor, "the factor of a dyad")
        return Dyad(*(block * factor for block in self.blocks))

    __rmul__ = __mul__

    def __matmul__(self, other: Any) -> Any:  # eq. (2)
        A = self
        if isinstance(other, Dyad):
            return Dyad(
                A.T11 * other.T21 + A.T12 * other.T11, A.T11 * other.T22 + A.T12 * other.T12,
                A.T21 * other.T21 + A.T22 * other.T11, A.T21 * other.T22 + A.T22 * other.T12,
            )  # fmt: skip
        a = _motor(other, "what a dyad is applied to")
        return Motor(A.T11 * a.h + A.T12 * a.g, A.T21 * a.h + A.T22 * a.g)

    @property
    def spatial_matrix(self) -> tuple[tuple[Scalar, ...], ...]:
        """Its components (6x6), by rows, from motion vectors to force vectors: for an inertia dyad the spatial inertia.

        The blocks ((T22, T21), (T12, T11)), as eq. (2) has the halves; Featherstone 2008, section 2.13.
        """
        upper, lower = (self.T22, self.T21), (self.T12, self.T11)
        return tuple(tuple(A[i, j] for A in row for j in range(3)) for row in (upper, lower) for i in range(3))

    @property
    def blocks(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """The four blocks (3x3) T11, T12, T21, T22, each in its own unit."""
        return self.T11, self.T12, self.T21, self.T22

    def moved(self, r: Any) -> Dyad:
        """The same dyad, for motors about the point `r` (m, 3 components): from eq. (1).

        Raises InputError for anything without three components.
        """
        R = _skew(vector(r, "the point that a dyad is moved to"))
        to, back = Dyad(_NOTHING, _UNIT, _UNIT, R * -1), Dyad(_NOTHING, _UNIT, _UNIT, R)
        moved: Dyad = to @ (self @ back)
        return moved

    def turned(self, R: Any) -> Dyad:
        """The same dyad in other axes (section 3.1); `R` (3x3) turns components in the old axes into new ones.

        Raises InputError for anything that is not a 3x3 matrix.
        """
        R = Tensor.of(R, "the rotation of a dyad")
        return Dyad(*(R * block * R.T for block in self.blocks))

    def rate(self, velocity: Motor) -> Dyad:
        """Rate (its unit/s) of a dyad that is constant in a frame of this `velocity` (rad/s; m/s), from eq. (3).

        It is v x T - T v x. Raises InputError if `velocity` is not a motor.
        """
        carried = _motor(velocity, "the velocity of a frame").operator
        return carried @ self - self @ carried


@answers
def inertia_dyad(mass: Scalar, com: Any, inertia: Any) -> Dyad:
    """The dyad that maps the velocity motor of a body to its momentum motor, eq. (4).

    Parameters
    ----------
    mass : scalar (kg)
        Mass of the body.
    com : Vector (m)
        Its centre of mass (3,), as seen from the origin.
    inertia : Tensor (kg m2)
        Its inertia tensor (3x3) about the origin: `I.moved(mass, com)` for an I about the centre of mass.

    Returns
    -------
    Dyad
        Four blocks (3x3): mass, first moments twice, inertia.

    Raises
    ------
    InputError
        A mass that is not a scalar, a centre of mass that is not a vector, an inertia that is not a 3x3 matrix.

    Example
    -------
    >>> body = inertia_dyad(2, (0.5, 0, 0), [[0, 0, 0], [0, 0.5, 0], [0, 0, 0.5]])
    >>> (body @ Motor((0, 0, 1), (0, 0, 0))).g
    Vector(x=0, y=1.0, z=0.0)
    """
    m = scalar(mass, "the mass of an inertia dyad")
    first = _skew(vector(com, "the centre of mass of an inertia dyad") * m)
    return Dyad(_UNIT * m, first * -1, first, Tensor.of(inertia, "the inertia of an inertia dyad"))


def _motor(value: Any, what: str) -> Any:
    return a(Motor, value, what, "a Motor(g, h)")


def _six(components: Any, what: str) -> tuple[Any, ...]:
    found = tuple(components) if is_listed(components) else ()
    expect(len(found) == 6, what, components, "six components")
    return found


def _skew(u: Vector) -> Tensor:
    """The tensor of the vector product with u."""
    return Tensor(Vector(0, u.z, -u.y), Vector(-u.z, 0, u.x), Vector(u.y, -u.x, 0))


_UNIT = Tensor(*IDENTITY)
_NOTHING = Tensor(ZERO, ZERO, ZERO)
_kind: Any
for _kind in (Motor, Dyad):  # number * motor comes back to __rmul__ here, also for NumPy's and SymPy's numbers
    _kind.__array_ufunc__ = None
    _kind._op_priority = 1000.0
