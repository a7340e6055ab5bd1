"""Rotors that turn in a moving housing: of motors, of gears, of gyroscopes; and the electric motor that drives one.

A rotor of axial inertia J turns about the axis n of its housing by the angle phi, relative to it. The mass and the
inertia of the housing include those of the rotor, as if it were fixed in the housing. Only the momentum relative to the
housing is added,

    T = J phi.dot (omega . n) + J phi.dot^2/2

omega is the angular velocity of the housing. So the drive of the rotor must provide J (phi.ddot + omega.dot . n), and
the housing feels -J phi.ddot n - omega x J phi.dot n. This is Euler's equation for the relative angular momentum J
phi.dot n.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import sympy

from easydyn.errors import InputError
from easydyn.forces.declared import Argument, Element, Size
from easydyn.forces.effort import Assembly, a_body, a_name, above_zero, given, positive, steady
from easydyn.inputs import text
from easydyn.mechanics.symbols import Acceleration, Coordinate, Parameter, State, StateRate
from easydyn.vec import ZERO, Block, Rotation, Shift, Transform, Vector, trot, vector
from easydyn.vec.scalars import Scalar, is_zero
from easydyn.vec.tensors import AXES, Inertia, direction


class Turning(NamedTuple):
    """A part of an element that rotates in a body, and becomes a body of the model.

    >>> from easydyn import Model, Rotor, ground
    >>> model = Model("motor")
    >>> q, = model.coordinates("q")
    >>> Rotor(ground, axis=(0, 0, 1), inertia=0.2, coordinate=q).rotors[0].name
    'ground rotor'

    Attributes
    ----------
    name : str
        Its name, unless that name is taken.
    T : Transform
        Its frame.
    inertia : Inertia (kg m2)
        In its own axes: J n n'. The body that carries it includes the same inertia.
    within : Inertia (kg m2)
        The same inertia in the axes of the housing.
    shape : shapes
        What it is drawn with.
    """

    name: str
    T: Transform
    inertia: Inertia
    within: Inertia
    shape: Any


def an_angle(value: Any, what: str) -> sympy.Expr:
    """Return an expression that is linear in coordinates, such as a joint angle times a ratio; else InputError."""
    found = sympy.sympify(given(value, what))
    moving = [s for s in found.free_symbols if isinstance(s, Coordinate)]
    other = [s for s in found.free_symbols if not isinstance(s, Coordinate | Parameter)]
    if not moving or other or any(isinstance(d, Coordinate) for q in moving for d in found.diff(q).free_symbols):
        raise InputError(
            f"{what} is {value!r}: expected a coordinate, or an expression linear in coordinates, such as 100*q"
            f"{f', without {other[0]}' if other else ''}."
        )
    return found


def _an_inertia(value: Any, what: str) -> Scalar:
    return steady(above_zero(value, what, " (kg m2), or no Rotor."), what, Parameter, ".")


def _a_place(value: Any, what: str) -> Vector:
    return vector(value, what).map(lambda c: steady(given(c, what), what, Parameter, "."))


class OnAngle(Element):
    """The common part of what acts on an `angle`, an expression linear in coordinates."""

    angle = Argument(an_angle, "coordinate")

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(sorted((s for s in self.angle.free_symbols if isinstance(s, Coordinate)), key=str))


class Rotor(OnAngle):
    """A rotor in a housing, which may move: its inertia acts on its coordinate, its reactions act on the housing.

    The mass and the inertia of the housing must include those of the rotor. J, about the axis, is the inertia of the
    motion of the rotor relative to the housing. The equations are those of Newton and Euler for both bodies. With the
    angular velocity w of the housing, the moment -J q.ddot n - w x J q.dot n acts on the housing, and the coordinate
    needs the moment J (q.ddot + w.dot . n) (Euler's law of angular momentum). The rotor is a body of the model, without
    mass.

    Parameters
    ----------
    housing : Body or ground
        The body in which it rotates; its inertia includes that of the rotor, as if it were fixed.
    axis : 3 numbers, or "x", "y", "z"
        Its axis n in the axes of the housing (no unit).
    inertia : scalar (kg m2)
        J about this axis: a number or an expression of parameters.
    coordinate : Coordinate, or an expression (rad)
        Its angle relative to the housing: its own coordinate, or an expression that is linear in coordinates, such as
        the angle of a joint times a gear ratio.
    position : 3 numbers (m), optional
        Position in pictures, in the axes of the housing.
    name : str, optional
        Name of its body, `model["arm rotor"]`; if left out the name of the housing with " rotor".
    shape : Shape or list of them, optional
        The shape from `easydyn.visu` that represents it in pictures.

    Raises
    ------
    InputError
        A value that is missing or not possible: an axis of no length, no inertia, an angle that is not linear.

    Example
    -------
    >>> from easydyn import GeneralizedForce, Model, trotx, trotz
    >>> model = Model("gyroscope")
    >>> a, q = model.coordinates("a q", rates=(2, 30))
    >>> frame = model.body("frame", trotx(a), mass=1, inertia=(0.5, 0.5, 0.5))
    >>> model.add(Rotor(frame, axis=(1, 0, 0), inertia=0.1, coordinate=q), GeneralizedForce(q, 2))
    >>> model.compile().accelerations(0, [0, 0], [2, 30])  # what turns one way turns the other the other way
    array([-5., 25.])
    """

    housing, axis = Argument(a_body), Argument(direction)
    inertia = Size(_an_inertia)
    position = Argument(_a_place)

    def __init__(
        self, housing: Any, *, axis: Any = None, inertia: Any = None, coordinate: Any = None,
        position: Any = (0, 0, 0), name: Any = None, shape: Any = None,
    ):  # fmt: skip
        if axis is None:
            raise InputError('a Rotor has no axis: give axis=(0, 0, 1), or "z", in the axes of its housing.')
        self.take({**locals(), "angle": coordinate})
        self.name = f"{self.housing.name} rotor" if name is None else text(name, "the name of a Rotor", '"fan"')
        self.shape = shape

    conservative = True  # all that it does is in its kinetic energy

    @property
    def rotors(self) -> tuple[Turning, ...]:
        turn, n = _turn(self.axis, self.angle)
        place = () if self.position == ZERO else (Shift(self.position),)
        T = self.housing.T * Transform((*place, *turn.factors))
        return (Turning(self.name, T, _about(n, self.inertia), _about(self.axis, self.inertia), self.shape),)

    def apply(self, assembly: Assembly) -> None:
        pass  # its body and that of its housing have all there is

    def __repr__(self) -> str:
        return f"Rotor in '{self.housing.name}'"


def _about(n: Vector, J: Scalar) -> Inertia:
    """J n n'."""
    return Inertia(*(n * (J * c) for c in n))


def _turn(axis: Vector, angle: Scalar) -> tuple[Transform, Vector]:
    """The turn of a rotor, and its axis in its own axes: a coordinate axis, whose turn leaves J n n' as it is."""
    if axis in AXES.values() or -axis in AXES.values():
        return trot(axis, angle), axis
    n = np.array([float(c) for c in axis])
    u = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    u /= np.linalg.norm(u)
    columns = (Vector(*map(float, column)) for column in (u, np.cross(n, u), n))
    return Transform((Block(Rotation(*columns), ZERO),)) * trot(AXES["z"], angle), AXES["z"]


class ElectricMotor(OnAngle):
    """A direct-current motor that drives a coordinate: armature with resistance, inductance and back-EMF.

    With the current i and the speed w of the rotor, L di/dt = u - R i - k w (Kirchhoff's law of voltages), and the
    moment is k i. The voltage u is given, or comes from a current loop: u = P (i_ref - i) + s, s.dot = I (i_ref - i).
    Add a `Rotor` for the inertia of the rotor. The module `easydyn.motor` is about other motors, those of motor
    calculus (screw theory).

    Parameters
    ----------
    coordinate : Coordinate, or an expression (rad)
        The angle of the rotor in the housing: linear in coordinates, for example the angle of a joint times a gear
        ratio.
    resistance : scalar (ohm)
        R, above zero.
    constant : scalar (N m/A, or V s/rad)
        k, the constant of both the moment and the back-EMF.
    inductance : scalar (H), optional
        L; without it the current follows without delay.
    voltage : scalar (V), optional
        u: a number, an input, any formula.
    current : scalar (A), optional
        i_ref, instead of a voltage: the set-point of the current loop.
    proportional, integral : scalars (V/A, V/(A s)), optional
        P and I of the loop.
    name : str, optional
        Prefix of its states: `NAME_current` is i (A), `NAME_loop` is s (V); the coordinate with "_motor" if left out.

    Raises
    ------
    InputError
        A value that is missing or not possible; both voltage and current, or neither.

    Example
    -------
    >>> from math import exp
    >>> from easydyn import Model, trotz
    >>> model = Model("DC motor")
    >>> q, = model.coordinates("q")
    >>> rotor = model.body("rotor", trotz(q), mass=0, inertia=(0, 0, 2e-4))
    >>> model.add(ElectricMotor(q, resistance=2, inductance=0.5, constant=0.02, voltage=1, name="motor"))
    >>> run = model.simulate(3, target="python")
    >>> round(float(run["q.dot"][-1]), 4), round(50 * (1 - 7 * exp(-6)), 4)
    (49.1324, 49.1324)
    """

    resistance = Size(partial(above_zero, more=" (ohm)."))
    constant, inductance = Argument(positive), Size(positive)  # without an inductance it is the number 0
    proportional, integral = Argument(given), Argument(given)

    def __init__(
        self, coordinate: Any, *, resistance: Any = None, constant: Any = None, inductance: Any = 0,
        voltage: Any = None, current: Any = None, proportional: Any = 0, integral: Any = 0, name: Any = None,
    ):  # fmt: skip
        what = "an ElectricMotor"
        self.take({**locals(), "angle": coordinate})
        R, L = self.resistance, self.inductance
        if (voltage is None) == (current is None):
            raise InputError(
                f"{what} has {'neither' if voltage is None else 'both'} voltage= and current=: expected one, the "
                "voltage of its armature, or the set point of its current loop."
            )
        loop = self.proportional, self.integral
        idle = [is_zero(x) for x in loop]
        if (current is None) != all(idle):
            raise InputError(
                f"{what} has " + ("a current loop without gains: give proportional= (V/A), integral= (V/(A s))."
                if voltage is None else "gains of a current loop and a voltage: give current=, its set point.")
            )  # fmt: skip
        named = "_".join(map(str, self.coordinates))
        self.name = f"{named}_motor" if name is None else a_name(name, what)
        self.rate = sum((self.angle.diff(q) * q.dot for q in self.coordinates), sympy.S.Zero)
        set_point = given(voltage if current is None else current, f"the {'voltage' if current is None else 'current'}")
        for s in getattr(set_point, "free_symbols", ()):
            if isinstance(s, Acceleration | StateRate):
                raise InputError(
                    f"what {what} is given depends on {s}, which follows from its moment: expected a formula of "
                    "coordinates, rates, states, inputs and time."
                )
        self._of_current: State | None = None if is_zero(L) else State(f"{self.name}_current")
        self._of_loop = None if idle[1] else State(f"{self.name}_loop")
        i, s = self._of_current, self._of_loop or 0
        if current is None:
            self.voltage = sympy.sympify(set_point)
            self.current = i or (self.voltage - self.constant * self.rate) / R
        else:
            P = loop[0]
            self.current = i or (P * set_point + s - self.constant * self.rate) / (R + P)
            self.voltage = P * (set_point - self.current) + s
        driving = self.voltage - R * self.current - self.constant * self.rate
        self._rates = [] if self._of_current is None else [(self._of_current, driving / L)]
        self._rates += [] if self._of_loop is None else [(self._of_loop, loop[1] * (set_point - self.current))]
        self.moment = self.constant * self.current

    @property
    def states(self) -> tuple[State, ...]:
        return tuple(state for state, _ in self._rates)

    def expressions(self) -> Iterator[Scalar]:
        own = dict.fromkeys(self.states, sympy.S.Zero)  # unknown to the model until it has the element
        yield from (sympy.sympify(e).xreplace(own) for e in (self.moment, *(rate for _, rate in self._rates)))

    def apply(self, assembly: Assembly) -> None:
        moment = assembly.value(self.moment)
        for q in self.coordinates:
            assembly.add_generalized(q, assembly.value(self.angle.diff(q)) * moment)
        for state, rate in self._rates:
            assembly.add_rate(state, assembly.value(rate))

    def __repr__(self) -> str:
        return f"ElectricMotor '{self.name}'"
