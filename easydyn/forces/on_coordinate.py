"""Elements on one coordinate: a generalised force, springs, dampers and stops, as formulas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy

from easydyn.errors import InputError
from easydyn.forces.declared import Argument, Element
from easydyn.forces.effort import EXCHANGED, Assembly, Demand, a_coordinate, given, positive
from easydyn.forces.law import Law, X
from easydyn.mechanics.symbols import Parameter
from easydyn.vec.scalars import Scalar, alone, is_number, is_zero, scalar, symbols_of


class OnCoordinate(Element):
    """Base class of elements on one coordinate; if it joins two bodies, they act on both.

    Attributes
    ----------
    coordinate : Coordinate
    force : SymPy expression
        Generalised force (N, or N m for an angle), positive if it tends to increase the coordinate.
    energy : SymPy expression
        Potential (J), 0 if there is none.
    """

    force: Scalar = 0
    energy: Scalar = 0

    coordinate = Argument(a_coordinate)

    def expressions(self) -> Iterator[Scalar]:
        yield self.force

    def apply(self, assembly: Assembly) -> None:
        assembly.add_generalized(self.coordinate, assembly.value(self.force))

    def potential(self, assembly: Assembly) -> Scalar:
        return assembly.value(self.energy)

    def _depends_on_place_alone(self) -> bool:
        return all(s == self.coordinate or isinstance(s, Parameter) for s in symbols_of(self.force))


class GeneralizedForce(OnCoordinate):
    """Generalised force Q of a coordinate (N, or N m for an angle): the equation reads f - Q = 0.

    Its power is Q dq/dt (principle of virtual power). If the coordinate joins two bodies, the force acts on both: the
    coordinate implies action and reaction.

    Parameters
    ----------
    coordinate : Coordinate
        As returned by `model.coordinates`.
    force : scalar (N, or N m)
        SymPy expression of t, coordinates, rates, states, parameters.

    Raises
    ------
    InputError
        An argument that is not a coordinate, a force that is not a scalar.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> model = Model("damped rotor")
    >>> q, = model.coordinates("q")
    >>> rotor = model.body("rotor", trotz(q), mass=0, inertia=(0, 0, 2))
    >>> model.add(GeneralizedForce(q, -4*q.dot))
    >>> model.compile().accelerations(0, [0], [1])
    array([-2.])
    """

    def __init__(self, coordinate: Any, force: Any):
        self.take(locals())
        self.force = alone(scalar(force, f"the generalised force on {coordinate}"))


class _ByLaw(OnCoordinate):
    """The common part: a law may be given, the function of an `argument`."""

    argument: Scalar
    law = Argument(Law, missing=None)

    def switches(self, assembly: Assembly) -> Iterator[tuple[str, Scalar]]:
        if self.law is not None:
            yield from self.law.switches(assembly, assembly.value(self.argument))


class TorsionSpring(_ByLaw):
    """Spring on a coordinate: generalised force -k (q - q0), Hooke's law; or minus any function of q - q0.

    Parameters
    ----------
    coordinate : Coordinate
        As returned by `model.coordinates`: an angle (rad), or a displacement (m).
    stiffness : scalar (N m/rad, or N/m)
        k, a number or an expression of parameters.
    free_angle : scalar (rad, or m)
        q0, the coordinate at which the force is zero.
    law : function, instead of the stiffness
        Restoring moment (N m) as a function of a = q - q0 (rad): `lambda a: 3*sympy.sin(2*a)`. It is called once, with
        a symbol, and may use parameters, time and states. The integral of the law is the potential if SymPy finds it
        and the law has no symbols but parameters; otherwise the energy balance counts the effect of the spring as work.

    Raises
    ------
    InputError
        Neither or both of stiffness and law, a law that does not return a formula.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> model = Model("balance wheel")
    >>> q, = model.coordinates("q")
    >>> wheel = model.body("wheel", trotz(q), mass=0, inertia=(0, 0, 2))
    >>> model.add(TorsionSpring(q, stiffness=8, free_angle=0.5))
    >>> model.compile().accelerations(0, [0], [0])
    array([2.])
    """

    stiffness = Argument(positive, unless="law")
    free_angle = Argument(given)

    def __init__(self, coordinate: Any, *, stiffness: Any = None, free_angle: Any = None, law: Any = None):
        self.take(locals())
        self.deflection = self.argument = self.coordinate - self.free_angle
        if self.law is None:
            self.force, self.energy = -self.stiffness * self.deflection, self.stiffness * self.deflection**2 / 2
        else:
            self.force = -self.law.formula.xreplace({X: self.deflection})
            integral = self.law.integral
            self.energy = 0 if integral is None else integral.xreplace({X: self.deflection})

    @property
    def conservative(self) -> bool:
        return self._depends_on_place_alone() and (self.law is None or self.law.integral is not None)


class TorsionDamper(_ByLaw):
    """Damper on a coordinate: generalised force -c dq/dt, the law of viscous friction; or any function of dq/dt.

    Parameters
    ----------
    coordinate : Coordinate
        As returned by `model.coordinates`: an angle (rad), or a displacement (m).
    damping : scalar (N m s/rad, or N s/m)
        c, a number or an expression of parameters.
    law : function, instead of the damping
        Braking moment (N m) as a function of w = dq/dt (rad/s): `lambda w: 0.2*w + 0.05*w*abs(w)`. It is called once,
        with a symbol.

    Raises
    ------
    InputError
        Neither or both of damping and law, a law that does not return a formula.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> model = Model("damped rotor")
    >>> q, = model.coordinates("q")
    >>> rotor = model.body("rotor", trotz(q), mass=0, inertia=(0, 0, 2))
    >>> model.add(TorsionDamper(q, damping=4))
    >>> model.compile().accelerations(0, [0], [1])
    array([-2.])
    """

    damping = Argument(positive, unless="law")

    def __init__(self, coordinate: Any, *, damping: Any = None, law: Any = None):
        self.take(locals())
        self.argument = rate = self.coordinate.dot
        self.force = -self.damping * rate if self.law is None else -self.law.formula.xreplace({X: rate})


class EndStop(OnCoordinate):
    """Elastic stops of a coordinate: no force between the limits, beyond them a spring and a damper that only push.

    A stop that is compressed by p > 0 pushes back with max(0, k p + c dp/dt), the law of Kelvin and Voigt without its
    pull. It stores k p^2 / 2, and returns all of this energy when c = 0. With damping the force begins with a jump, and
    ends before the stop has its original shape again.

    Parameters
    ----------
    coordinate : Coordinate
        As returned by `model.coordinates`: an angle (rad), or a displacement (m).
    lower, upper : scalars (rad, or m)
        Limits, numbers or expressions of parameters; one may be left out.
    stiffness : scalar (N m/rad, or N/m)
        k.
    damping : scalar (N m s/rad, or N s/m)
        c; 0 for a stop without loss.

    Raises
    ------
    InputError
        No limit, or a lower limit that is not below the upper one.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> model = Model("carriage")
    >>> x, = model.coordinates("x")
    >>> carriage = model.body("carriage", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(EndStop(x, lower=-1, upper=1, stiffness=1000, damping=10))
    >>> model.compile().accelerations(0, [[0.9], [1.1]], [[3], [2]])
    array([[  0.],
           [-60.]])
    """

    lower, upper = Argument(given, "lower limit", missing=None), Argument(given, "upper limit", missing=None)
    stiffness, damping = Argument(positive), Argument(positive)

    def __init__(
        self, coordinate: Any, *, lower: Any = None, upper: Any = None, stiffness: Any = None, damping: Any = None
    ):
        if lower is None and upper is None:
            raise InputError(f"an EndStop on {coordinate} has no limit: give lower=, upper= or both.")
        self.take(locals())
        if self.lower is not None and self.upper is not None and is_number(self.lower) and is_number(self.upper):
            if not float(self.lower) < float(self.upper):
                raise InputError(
                    f"an EndStop on {coordinate} has the lower limit {self.lower} and the upper limit {self.upper}: "
                    "expected lower < upper."
                )
        k, c, rate, parts = self.stiffness, self.damping, self.coordinate.dot, []
        for _, pressed, sign in self._sides():
            push = k * pressed + sign * c * rate
            parts.append((-sign * sympy.Max(0, push), pressed > 0))
            self.energy = self.energy + k * sympy.Max(0, pressed) ** 2 / 2
        self.force = sympy.Piecewise(*parts, (0, True))

    def _sides(self) -> list[tuple[str, Any, int]]:
        """The name of each limit, by how much it is passed, and the sign of the coordinate in that."""
        sides = ("lower limit", self.lower, -1), ("upper limit", self.upper, 1)
        return [(name, sign * (self.coordinate - at), sign) for name, at, sign in sides if at is not None]

    @property
    def conservative(self) -> bool:
        return is_zero(self.damping) and self._depends_on_place_alone()

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        if self.lower is not None and self.upper is not None:
            value = assembly.value
            yield Demand(f"the upper limit of {self}", value(self.upper), value(self.lower), None, EXCHANGED)

    def switches(self, assembly: Assembly) -> Iterator[tuple[str, Scalar]]:
        for name, pressed, _ in self._sides():
            yield name, assembly.value(pressed)
