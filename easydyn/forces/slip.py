"""Slips: relative velocities that dry friction, or a one-way clutch, may hold at zero (set-valued laws of force).

A slip has a velocity v = W(q, t) qd + v_t and a force f along +v:

    v > 0:  f = -level        v < 0:  f = level        v = 0:  -static <= f <= static, as large as v.dot = 0 needs

Four values, constant between events, describe the mode. `slides` is the direction of slip (1, -1). `sticks` is 1 if
this slip itself is held at zero, and -1 if several are held of which fewer would do. These share the load,

    f = carries - shares (v.dot + a v)

with the forces `carries` (N) at the last event, and changes of them in proportion to `shares` (kg), which are large. If
the slip is the rate of a coordinate, the equation of that coordinate is replaced, as in a lock. Otherwise f is an
unknown, the rate of a state (gap.py). All four values are zero outside of runs: friction then acts against the
velocity. run/modes.py decides which modes are consistent.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

import sympy

from easydyn.forces.effort import Assembly, Placeholder
from easydyn.forces.gap import STABILISATION, length
from easydyn.mechanics.symbols import Coordinate, Flag, HoldingForce, State
from easydyn.vec.scalars import Scalar, sqrt

V, BOUND, LOAD, SLIDING, AHEAD = (Placeholder(x, real=True) for x in ("v", "bound", "load", "sliding", "ahead"))
# the flags of a mode, in formulas that are made once for all slips: SymPy compares symbols for long
SLIDES, STICKS, CARRIES, SHARES, ASIDE = sympy.symbols("slides sticks carries shares aside", cls=Placeholder, real=True)
# lengths per s: below STOP a slip in a plane has come to rest, up to some START it keeps a part of its first direction
STOP, START = 1e-6, 1e-4
TINY = 1e-300  # N: beside it a level is not zero


def beginning(x: Any, y: Any, unit: Any) -> Any:
    """By how much (m/s) the direction in which sliding began adds to the velocity (x, y); `unit` as of `length`."""
    return START * unit / (1 + (x * x + y * y) / (START * unit) ** 2) ** 2


class SlipModes(NamedTuple):
    """The four values that describe the mode of a slip: see above.

    Attributes
    ----------
    slides, sticks, carries, shares : Flag
        Symbols of the model.
    """

    slides: Flag
    sticks: Flag
    carries: Flag
    shares: Flag

    @property
    def direction(self) -> Any:
        """The direction in which it slides: that of the flag, else that of the velocity V."""
        return _direction().xreplace({SLIDES: self.slides})

    def towards(self, assembly: Assembly, velocity: Scalar) -> Scalar:
        """The same at a velocity (m/s), in the scalars of an `assembly`."""
        return assembly.value(_direction(), {SLIDES: assembly.value(self.slides), V: velocity})

    def force(self, held: Any, sliding: Any) -> Any:
        """The force while it is held alone, or slides; that which it carries if several are held."""
        alone, shared = sympy.Gt(self.sticks, 0.5, evaluate=False), sympy.Lt(self.sticks, -0.5, evaluate=False)
        return sympy.Piecewise((held, alone), (self.carries, shared), (sliding, True), evaluate=False)


@functools.cache
def _direction() -> Any:
    sliding = sympy.Or(SLIDES > 0.5, SLIDES < -0.5)
    return sympy.Piecewise((SLIDES, sliding), (1, V > 0), (-1, V < 0), (0, True))


@functools.cache
def _determined() -> Any:
    """What is zero: while it is held alone; if several are held, which share a load; while it slides."""
    carried = LOAD - CARRIES + SHARES * AHEAD
    return sympy.Piecewise((V, STICKS > 0.5), (carried, STICKS < -0.5), (LOAD - SLIDING, True))


def modes_of(name: str) -> SlipModes:
    """The flags of the slip called `name`."""
    return SlipModes(*(Flag(f"{name}.{what}") for what in SlipModes._fields))


class Across(NamedTuple):
    """The other component of a slip in a plane: its velocity (m/s), its force (N), the flag of its direction."""

    velocity: Scalar
    force: Scalar
    slides: Flag


class Slip(NamedTuple):
    """A velocity that may be held at zero, in the scalars of an assembly, and the force that holds it.

    Attributes
    ----------
    name, element : str
        Name of its events; name of the element, for messages.
    velocity, rate : scalar
        v (m/s or rad/s), and its derivative in time.
    gradient : dict
        W: the derivative of v by the rate of each coordinate of the equations that changes it (no unit, or m).
    level, static : scalar
        Largest force (N, or N m) while it slides, and while it is held.
    modes : SlipModes
        Its mode.
    force : scalar
        f (N, or N m).
    one_way : bool
        True if v is never negative: f >= 0, without friction.
    normal : State or None
        The impulse of the contact that presses; `level` and `static` are then coefficients of the contact force.
    across : Across or None
        For one of two components of a slip in a plane, the velocity and the force of the other; both stick, or neither.
        `slides` is then a component of the direction in which sliding began.
    second : bool
        True for the second of these components; the first one determines its mode.

    Notes
    -----
    Coulomb's law as a set-valued law of force.

    Example
    -------
    >>> from easydyn import JointFriction, Model, tdisp
    >>> model = Model("block")
    >>> x, = model.coordinates("x")
    >>> block = model.body("block", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    >>> (slip,) = JointFriction(x, 6).slips(model.equations())
    >>> slip.velocity, slip.level, slip.gradient
    (x.dot, 6, {x: 1})
    """

    name: str
    element: str
    velocity: Scalar
    rate: Scalar
    gradient: Mapping[Coordinate, Scalar]
    level: Scalar
    static: Scalar
    modes: SlipModes
    force: Scalar
    one_way: bool = False
    normal: State | None = None
    across: Across | None = None
    second: bool = False

    def pressed(self, assembly: Assembly) -> Scalar:
        """The pressing contact force (N), in the scalars of an `assembly`; 1 if the levels are forces themselves."""
        return 1 if self.normal is None else assembly.value(self.normal.dot)

    def guard(self, assembly: Assembly) -> Scalar:
        """The quantity that falls through zero when the mode ends, in the scalars of an `assembly`.

        While it slides, this is the velocity in the direction of slip (m/s), in a plane with a part of `beginning`, so
        that the direction of force never comes near to zero; while it is held, the remaining share of its largest
        force.
        """
        given = {V: self.velocity, LOAD: self.force, BOUND: self.static * self.pressed(assembly)}
        given |= {place: assembly.value(x) for place, x in zip((SLIDES, STICKS), self.modes, strict=False)}
        if self.across is not None:
            given[V], given[AHEAD] = (x / length(assembly) for x in (self.velocity, self.across.velocity))
            given |= {ASIDE: assembly.value(self.across.slides), LOAD: sqrt(self.force**2 + self.across.force**2)}
        return assembly.value(_guard(self.one_way, self.across is not None, self.second), given)


@functools.cache
def _guard(one_way: bool, plane: bool, second: bool) -> Any:
    if one_way:
        return sympy.Piecewise((LOAD, sympy.Or(STICKS > 0.5, STICKS < -0.5)), (V, True))
    if second:  # where it comes to rest
        return sympy.Piecewise((sympy.sqrt(V**2 + AHEAD**2) - STOP, SLIDES**2 + ASIDE**2 > 0.5), (-STOP, True))
    load = LOAD if plane else sympy.Abs(LOAD)
    ahead = V * SLIDES + (AHEAD * ASIDE + beginning(V, AHEAD, 1) / 2 if plane else 0)
    left = (BOUND - load) / sympy.Max(BOUND, load, TINY, evaluate=False)
    return sympy.Piecewise((left, sympy.Or(STICKS > 0.5, STICKS < -0.5)), (ahead, True))


def transmit(assembly: Assembly, slip: Slip, impulse: State, sliding: Scalar, *, stabilisation: float = 0.0) -> None:
    """Apply the unknown force of a slip to the coordinates of an `assembly`, and add the equation that determines it.

    Parameters
    ----------
    assembly : Assembly
        The assembly in whose scalars the slip is given.
    slip : Slip
        The slip, whose velocity is held while it sticks: v.dot + a v = 0.
    impulse : State
        The state whose rate is the force (N s, or N m s).
    sliding : scalar (N, or N m)
        The force while it slides.
    stabilisation : float (1/s)
        a, the rate at which the rounding error of v decays.

    Notes
    -----
    Coulomb's law as a set-valued law of force.

    Example
    -------
    >>> from easydyn import Clutch, Model, trotz
    >>> model = Model("shafts")
    >>> p, q = model.coordinates("p q", rates=(2, 0))
    >>> shafts = [model.body(f"shaft {x}", trotz(x), mass=0, inertia=(0, 0, 1)) for x in (p, q)]
    >>> model.add(Clutch(p, q, level=3))  # which calls it
    >>> model.compile().accelerations(0, [0, 0, 0], [2, 0, 0])[:2]
    array([-3.,  3.])
    """
    force = assembly.value(impulse.dot)
    for q, slope in slip.gradient.items():
        assembly.add_generalized(q, slope * force)
    determine(assembly, slip, impulse, sliding, stabilisation)


def determine(
    assembly: Assembly, slip: Slip, impulse: State, sliding: Scalar, stabilisation: float = STABILISATION
) -> None:
    """The part of `transmit` that adds the equation of the force: of a slip (m/s), with the force `sliding` (N)."""
    force = assembly.value(impulse.dot)
    kept = slip.rate + stabilisation * slip.velocity if stabilisation else slip.rate
    given = {V: kept, LOAD: force, SLIDING: sliding, AHEAD: slip.rate + STABILISATION * slip.velocity}
    given |= {x: assembly.value(flag) for x, flag in zip((STICKS, CARRIES, SHARES), slip.modes[1:], strict=True)}
    assembly.add_equation(impulse, assembly.value(_determined(), given))


def holding(q: Coordinate, modes: SlipModes, sliding: Any) -> Any:
    """The force of a slip that is the rate of a coordinate, as a formula; `sliding` is the force while it slides."""
    return modes.force(HoldingForce(q), sliding)
