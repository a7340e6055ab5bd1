"""A direct-current motor of a drive train: armature, back-EMF (electromotive force), and an optional current loop.

    L i.dot = u - R i - k phi.dot,        moment k i

phi is the angle of the rotor in the housing. The voltage u is given, or it comes from a current loop,

    u = P (i_ref - i) + s,        s.dot = I (i_ref - i)
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import sympy

from easydyn.errors import InputError
from easydyn.forces.declared import Argument
from easydyn.forces.effort import Assembly, a_name, above_zero, given, positive
from easydyn.forces.rotor import OnAngle
from easydyn.mechanics.symbols import Acceleration, State, StateRate
from easydyn.vec.scalars import Scalar, is_zero


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

    resistance = Argument(partial(above_zero, more=" (ohm)."))
    constant, inductance = Argument(positive), Argument(positive)
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
