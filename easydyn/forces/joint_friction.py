"""Dry friction in a joint; a brake and a clutch, of which the level can be controlled; and a one-way clutch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy

from easydyn.errors import InputError
from easydyn.forces.coulomb import DIRECTION, Coulomb
from easydyn.forces.declared import Argument, Element
from easydyn.forces.effort import Assembly, a_coordinate, a_name
from easydyn.forces.friction import DryFriction, state_names
from easydyn.forces.slip import SLIDING, Slip, SlipModes, V, holding, modes_of, transmit
from easydyn.mechanics.symbols import Coordinate, Flag, State
from easydyn.vec.scalars import Scalar


class JointFriction(Element):
    """Dry friction of a coordinate (Coulomb's law): a force against its rate, of at most `level` (N, or N m).

    The law is exact: when the coordinate comes to rest, friction holds it as long as `static_level` is sufficient, and
    the run lands where it begins to slide again. With a `slip_speed` the law is smooth, a function of the rate.

    Parameters
    ----------
    coordinate : Coordinate
        As returned by `model.coordinates`.
    level : scalar (N or N m) or callable
        Friction in sliding: a number or an expression, for example of a load; a function `level(speed)` that returns a
        formula; or a table ((speed, level), ...) with straight lines between its points.
    static_level : scalar (N or N m), optional
        Largest friction at rest; equal to the friction in sliding if left out.
    slip_speed : scalar (m/s or rad/s), optional
        Velocity v0 that spreads the change of sign of friction: -level u/sqrt(1 + u^2), u = q.dot/v0.
    static_speed : scalar (m/s or rad/s)
        Velocity at which friction is half-way between both levels; only for the smooth law, and needed there with
        static_level.
    sticking : scalar (m or rad), optional
        For the smooth law: displacement at which the joint begins to slide; up to this displacement it sticks,
        elastically (docs/contact.md). If left out, the smooth law needs some motion, and a joint that should rest
        creeps.
    name : str, optional
        Name of its state `name_stick`, or of its flags `name.sticks`, `name.slides`; if left out the coordinate, or the
        coordinate with "_friction".

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> model = Model("block")
    >>> x, = model.coordinates("x", rates=3)
    >>> block = model.body("block", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(JointFriction(x, 6))
    >>> run = model.simulate(5)  # it stops after 1 s
    >>> run.events[0].what, round(run.events[0].t, 9), round(float(run["x"][-1]), 9)
    ('sticks', 1.0, 1.5)
    """

    _called = "friction"
    coordinate = Argument(a_coordinate)

    def __init__(
        self, coordinate: Any, level: Any = None, *, static_level: Any = None, slip_speed: Any = None,
        static_speed: Any = None, sticking: Any = None, name: Any = None,
    ):  # fmt: skip
        self.take(locals())
        self.law: DryFriction | None = None
        self.coulomb: Coulomb | None = None
        if slip_speed is None and static_speed is None and sticking is None:
            level, static_level = (
                x.xreplace({sympy.sign(self.coordinate.dot): DIRECTION}) if isinstance(x, sympy.Expr) else x
                for x in (level, static_level)
            )
            called = f"{self.coordinate}_{self._called}" if name is None else a_name(name, str(self))
            self.coulomb = Coulomb(str(self), level, static_level, called)
            self.name = called
            return
        states = () if sticking is None else state_names(str(coordinate) if name is None else name, str(self), 1)
        self.law = DryFriction(str(self), level, static_level, slip_speed, static_speed, sticking, states)

    @property
    def holds(self) -> tuple[tuple[Coordinate, Flag], ...]:
        return ((self.coordinate, self.coulomb.modes.sticks),) if self.coulomb is not None else ()

    @property
    def force(self) -> Any:
        """The friction force (N, or N m) of exact friction, a symbolic expression; None for the smooth law."""
        if self.coulomb is None:
            return None
        direction = self.coulomb.modes.direction.xreplace({V: self.coordinate.dot})
        level = self.coulomb.formula(direction * self.coordinate.dot).xreplace({DIRECTION: direction})
        return holding(self.coordinate, self.coulomb.modes, -direction * level)

    def _sliding(self, assembly: Assembly) -> tuple[Scalar, Scalar]:
        """The force while it slides, and its level there."""
        assert self.coulomb is not None
        v, modes = assembly.value(self.coordinate.dot), self.coulomb.modes
        direction = modes.towards(assembly, v)
        level, _ = self.coulomb.levels(assembly, direction * v, direction)
        return -direction * level, level

    def apply(self, assembly: Assembly) -> None:
        if self.law is not None:
            (friction,) = self.law.friction(assembly, [assembly.value(self.coordinate.dot)])
            assembly.add_generalized(self.coordinate, -friction)
            return
        assert self.coulomb is not None
        sliding, modes = self._sliding(assembly)[0], self.coulomb.modes
        assembly.add_generalized(self.coordinate, assembly.value(modes.force(0, SLIDING), {SLIDING: sliding}))

    def slips(self, assembly: Assembly) -> Iterator[Slip]:
        if self.coulomb is None:
            return
        modes, q = self.coulomb.modes, self.coordinate
        (sliding, level), v = self._sliding(assembly), assembly.value(q.dot)
        force = assembly.value(holding(q, modes, SLIDING), {SLIDING: sliding})
        _, static = self.coulomb.levels(assembly, 0, 0, force)
        yield Slip(
            self.name, repr(self), v, assembly.calculus.rate(v), assembly.rate_slopes(v), level, static, modes, force
        )


class Brake(JointFriction):
    """Exact dry friction of a coordinate (Coulomb's law), controlled by an input, a controller or a formula.

    Parameters
    ----------
    coordinate : Coordinate
        As returned by `model.coordinates`.
    level : scalar (N or N m) or callable
        Friction in sliding, for example an input; the brake is open at a negative level. Or a function `level(speed)`
        that returns a formula.
    static_level : scalar (N or N m), optional
        Largest friction at rest; equal to the friction in sliding if left out.
    name : str, optional
        Name of its flags `name.sticks`, `name.slides`; the coordinate with "_brake" if left out.

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> model = Model("rotor")
    >>> q, = model.coordinates("q", rates=4)
    >>> u = model.input("u", 0)
    >>> rotor = model.body("rotor", trotz(q), mass=0, inertia=(0, 0, 2))
    >>> model.add(Brake(q, level=u))
    >>> run = model.simulate(5, inputs={"u": ([0, 1, 1, 5], [0, 0, 8, 8])})  # from 1 s on it brakes by 4 rad/s2
    >>> run.events[0].what, round(run.events[0].t, 9), float(run["q.dot"][-1])
    ('sticks', 2.0, 0.0)
    """

    _called = "brake"

    def __init__(self, coordinate: Any, level: Any = None, *, static_level: Any = None, name: Any = None):
        super().__init__(coordinate, level, static_level=static_level, name=name)


class BetweenCoordinates(Element):
    """Base class of elements that act on the difference of the rates of two coordinates, p.dot - q.dot.

    Attributes
    ----------
    one, other : Coordinate
    impulse : State
        The impulse transmitted so far, on `one` (N s, or N m s).
    """

    implicit = True
    _called = ""
    modes: SlipModes
    one, other = Argument(a_coordinate, "first coordinate"), Argument(a_coordinate, "second coordinate")

    def __init__(self, one: Any, other: Any, name: Any):
        self.take(locals())
        if self.one == self.other:
            raise InputError(f"{self.what} is between {one} and itself: expected two coordinates.")
        self.name = f"{one}_{other}_{self._called}" if name is None else a_name(name, str(self))
        self.impulse = State(self.name)

    @property
    def states(self) -> tuple[State, ...]:
        return (self.impulse,)

    @property
    def flags(self) -> tuple[Flag, ...]:
        return tuple(self.modes)

    @property
    def force(self) -> Any:
        """The force, or moment, on the first coordinate (N, or N m), a symbol; the second feels the opposite."""
        return self.impulse.dot


class Clutch(BetweenCoordinates):
    """Exact dry friction between two coordinates (Coulomb's law): it slips, or it carries both along together.

    Parameters
    ----------
    one, other : Coordinate
        p and q, as returned by `model.coordinates`: angles of two shafts, both measured from the same side.
    level : scalar (N or N m) or callable
        Friction while it slips, for example an input; the clutch is open at a negative level. Or a function
        `level(speed)` that returns a formula.
    static_level : scalar (N or N m), optional
        Largest load while it is engaged; equal to the friction in slipping if left out.
    name : str, optional
        Name of its unknown: `run["name"]` is the impulse so far on p, `run["name.dot"]` the moment, `name.sticks` is 1
        while it is engaged. If left out "p_q_clutch", from the names of the coordinates.

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> model = Model("two shafts")
    >>> p, q = model.coordinates("p q", rates=(6, 0))
    >>> shafts = [model.body(f"shaft {x}", trotz(x), mass=0, inertia=(0, 0, 1)) for x in (p, q)]
    >>> model.add(Clutch(p, q, level=1))
    >>> run = model.simulate(5)  # angular momentum is kept
    >>> run.events[0].what, round(run.events[0].t, 9), run["q.dot"][-1].round(9)
    ('sticks', 3.0, np.float64(3.0))
    """

    _called = "clutch"

    def __init__(self, one: Any, other: Any, level: Any = None, *, static_level: Any = None, name: Any = None):
        super().__init__(one, other, name)
        self.coulomb = Coulomb(str(self), level, static_level, self.name)
        self.modes = self.coulomb.modes

    def _slip(self, assembly: Assembly) -> tuple[Slip, Scalar]:
        v = assembly.value(self.one.dot) - assembly.value(self.other.dot)
        direction = self.modes.towards(assembly, v)
        level, static = self.coulomb.levels(assembly, direction * v)
        slip = Slip(
            self.name, repr(self), v, assembly.calculus.rate(v), assembly.rate_slopes(v), level, static,
            self.modes, assembly.value(self.force),
        )  # fmt: skip
        return slip, -direction * level

    def slips(self, assembly: Assembly) -> Iterator[Slip]:
        yield self._slip(assembly)[0]

    def apply(self, assembly: Assembly) -> None:
        slip, sliding = self._slip(assembly)
        transmit(assembly, slip, self.impulse, sliding)


class OneWay(BetweenCoordinates):
    """A one-way clutch: the second coordinate is never slower than the first; it runs ahead freely, or is driven.

    If the first coordinate catches up suddenly, after an impact, an impulse drives the second one.

    Parameters
    ----------
    one, other : Coordinate
        p and q, as returned by `model.coordinates`: q.dot >= p.dot.
    name : str, optional
        Name of its unknown: `run["name.dot"]` is the force, or moment, that drives q (N, or N m), `name.sticks` is 1
        while it does. If left out "p_q_one_way", from the names of the coordinates.

    Raises
    ------
    InputError
        Arguments that are not two coordinates.

    Example
    -------
    >>> from easydyn import GeneralizedForce, Model, trotz
    >>> model = Model("freewheel")
    >>> p, q = model.coordinates("p q", rates=(0, 2))
    >>> shafts = [model.body(f"shaft {x}", trotz(x), mass=0, inertia=(0, 0, 1)) for x in (p, q)]
    >>> model.add(GeneralizedForce(p, 1), OneWay(p, q))
    >>> run = model.simulate(4)  # p comes up to q after 2 s, then the moment moves both
    >>> run.events[0].what, round(run.events[0].t, 9), run["q.dot"][-1].round(9)
    ('sticks', 2.0, np.float64(3.0))
    """

    _called = "one_way"

    def __init__(self, one: Any, other: Any, *, name: Any = None):
        super().__init__(one, other, name)
        self.modes = modes_of(self.name)

    def slips(self, assembly: Assembly) -> Iterator[Slip]:
        v = assembly.value(self.other.dot) - assembly.value(self.one.dot)
        gradient = assembly.rate_slopes(v)
        rate, force = assembly.calculus.rate(v), assembly.value(self.force)
        yield Slip(self.name, repr(self), v, rate, gradient, 0, 0, self.modes, force, one_way=True)

    def apply(self, assembly: Assembly) -> None:
        for slip in self.slips(assembly):
            transmit(assembly, slip, self.impulse, 0)
