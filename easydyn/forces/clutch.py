"""A clutch, friction between two coordinates; and a one-way clutch, which lets one of them only run ahead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from easydyn.errors import InputError
from easydyn.forces.coulomb import Coulomb
from easydyn.forces.declared import Argument, Element
from easydyn.forces.effort import Assembly, a_coordinate, a_name
from easydyn.forces.slip import Slip, SlipModes, modes_of, transmit
from easydyn.mechanics.symbols import Flag, State
from easydyn.vec.scalars import Scalar


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
