"""The base class of force elements: an `Effort` adds its forces to the bodies of an `Assembly`.

The same `apply` serves SymPy expressions and the engine's graph. `assembly.value` turns what the user wrote into the
scalars of the assembly (SymPy expressions or graph nodes). `assembly.state(body)` is the BodyState (mbs.py) on which
forces accumulate.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import sympy

from easydyn.arguments import Given, Thing
from easydyn.errors import InputError, ModelError
from easydyn.inputs import a, expect, finite
from easydyn.mechanics.kinematics import Calculus
from easydyn.mechanics.mbs import BodyState
from easydyn.mechanics.mechanism import Body, Ground, MasslessPoint, ground
from easydyn.mechanics.symbols import Acceleration, Coordinate, Flag, Input, Parameter, State, StateRate, Time
from easydyn.vec import ZERO, Rotation, Vector, singles, vector
from easydyn.vec.scalars import Scalar, alone, is_number, scalar, symbols_of

if TYPE_CHECKING:
    from easydyn.forces.gap import Gap
    from easydyn.forces.slip import Slip


class Transition(NamedTuple):
    """A change of mode, in the scalars of an assembly, as `Effort.transitions` yields them.

    Attributes
    ----------
    name : str
        Its name in `run.events`.
    guard : scalar
        The transition happens where this expression goes through zero; in its own unit.
    direction : int
        Falling (-1), rising (1) or both (0).
    sets : dict
        New values by symbol: of flags, states, coordinates or rates, each in its own unit. All values are computed
        first, then set. Impulses then keep locked coordinates and closed contacts at rest, as after every action.

    Notes
    -----
    This is variable structure without a program for each mode; the principle is that of locked joints (docs/events.md).

    Example
    -------
    >>> from easydyn import Effort, Model, tdisp
    >>> from easydyn.mechanics.symbols import Flag
    >>> class Hook(Effort):
    ...     def __init__(self, q, force):
    ...         self.q, self.force, self.caught = q, force, Flag("hook.caught")
    ...     coordinates = property(lambda self: (self.q,))
    ...     flags = property(lambda self: (self.caught,))
    ...     def expressions(self):
    ...         return iter((self.force,))
    ...     def apply(self, assembly):
    ...         assembly.add_generalized(self.q, assembly.value(self.caught * self.force))
    ...     def transitions(self, assembly):
    ...         yield Transition("caught", assembly.value(self.q - 1), 1, {self.caught: 1})
    >>> model = Model("cart")
    >>> x, = model.coordinates("x", rates=2)
    >>> cart = model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    >>> model.add(Hook(x, -4))
    >>> run = model.simulate(1)  # 1 m to the hook in 0.5 s, then it is braked to a stand
    >>> round(float(run["x.dot"][-1]), 6), run["hook.caught"][-1]
    (0.0, np.float64(1.0))
    """

    name: str
    guard: Scalar
    direction: int
    sets: Mapping[Any, Scalar]


class Placeholder(sympy.Symbol):
    """A symbol of an element's own formulas, which `assembly.value` replaces by a scalar; no model contains one.

    >>> isinstance(Placeholder("stretch"), sympy.Symbol)
    True
    """

    __slots__ = ()


class Assembly(Protocol):
    """The bodies while equations are assembled, in some kind of scalar; efforts add to their R and MG of eq. (6).

    >>> from easydyn import Effort, Model, tdisp, vcoord
    >>> class Thrust(Effort):
    ...     def __init__(self, body, force):
    ...         self.body, self.force = body, force
    ...     def expressions(self):
    ...         return iter((self.force,))
    ...     def apply(self, assembly):
    ...         state = assembly.state(self.body)
    ...         state.apply(vcoord(assembly.value(self.force), 0, 0), state.G)
    >>> model = Model("rocket")
    >>> x, = model.coordinates("x")
    >>> model.add(Thrust(model.body("rocket", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0)), 6))
    >>> model.compile().accelerations(0, [0], [0])
    array([3.])

    Attributes
    ----------
    calculus : Calculus
        Differentiation of these scalars: `calculus.rate(x)` in time, `calculus.gradient(x, [...])` with respect to
        values of coordinates. An element takes its derivatives from here, not from SymPy.
    """

    calculus: Calculus

    @property
    def gravity(self) -> Vector:
        """Acceleration of gravity (m/s2), in the axes in which frames are given."""

    def value(self, expression: Scalar, given: Mapping[sympy.Symbol, Scalar] | None = None) -> Scalar:
        """The assembly's scalar for the `expression` that the user wrote, in its own unit.

        `given` has the scalars of placeholders, each in its own unit.
        """

    def state(self, body: Body | Ground) -> BodyState:
        """The state of a `body`; efforts add to its resultants R and MG."""

    def slopes(self, expression: Scalar) -> dict[Coordinate, Scalar]:
        """Derivatives of an `expression` by the coordinates that change it, each in its unit per m or rad.

        They are those of the equations: where closed forms solve loops, the independent ones. So a load on the
        expression is the generalised force `slope*load` of each.
        """

    def rate_slopes(self, velocity: Scalar) -> dict[Coordinate, Scalar]:
        """Derivatives of a `velocity` by the rates of the coordinates that change it, each in its unit per m or rad."""

    def add_generalized(self, q: Coordinate, force: Scalar) -> None:
        """Add a generalised `force` (N, or N m for an angle) to the equation of coordinate `q`."""

    def add_equation(self, state: State, expression: Scalar) -> None:
        """Add the equation of a `state` of the element: `expression` = 0, in any unit, from which state.dot follows."""

    def add_rate(self, state: State, rate: Scalar) -> None:
        """Set the `rate` of a `state` of the element (its unit per s): the equation is state.dot - rate = 0."""


EXCHANGED = "The lower limit comes first; look at the parameters in both."


class Demand(NamedTuple):
    """A condition that an element needs at the start of a run to make sense: `least` <= `value` <= `most`.

    Attributes
    ----------
    what : str
        Description of the value, in words, with its unit.
    value : scalar
        In the scalars of an assembly, in its own unit.
    least, most : scalar or None
        Its bounds, in its unit.
    remedy : str
        What to do if the condition does not hold: a sentence.
    always : str
        Why a run ends where the least value is reached, such as "they overlap"; none if only its start matters.
    """

    what: str
    value: Scalar
    least: Scalar = None
    most: Scalar = None
    remedy: str = "Look at the parameters in it."
    always: str = ""


def _kinds(kind: Any, words: str, many: bool = True) -> Given:
    return Given(words, lambda x: isinstance(x, kind), many)


_ANY = Given("them", lambda x: True, True)
_ENERGY = Given("an energy (J), in the scalars of the assembly", lambda x: not (x is None or isinstance(x, str)))
_NUMBERS = Number | sympy.Basic | np.ndarray


class Effort(Thing):
    """Base class of force elements: validate in `__init__`, add to the bodies in `apply` (R and MG of eq. 6).

    An element that stores energy gives its `potential`. The energy balance of a run counts the potential, and counts
    only the rest of what the element does as work. If there is no rest, the element is `conservative`. docs/forces.md
    shows how to write an element.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> class Brake(Effort):
    ...     def __init__(self, q, torque):
    ...         self.q, self.torque = q, torque
    ...     @property
    ...     def coordinates(self):
    ...         return (self.q,)
    ...     def expressions(self):
    ...         return iter((self.torque,))
    ...     def apply(self, assembly):
    ...         assembly.add_generalized(self.q, -assembly.value(self.torque))
    >>> model = Model("rotor")
    >>> q, = model.coordinates("q")
    >>> rotor = model.body("rotor", trotz(q), mass=0, inertia=(0, 0, 2))
    >>> model.add(Brake(q, 4 * q.dot))
    >>> model.compile().accelerations(0, [0], [1])
    array([-2.])
    """

    _GIVES = {
        "bodies": _kinds(Body | Ground, "a tuple of bodies of the model, (self.body,)"),
        "coordinates": _kinds(Coordinate, "a tuple of coordinates of the model, (self.q,)"),
        "states": _kinds(State, "a tuple of states, (self.p,)"),
        "flags": _kinds(Flag, "a tuple of flags, (self.on,)"),
        "expressions": _kinds(_NUMBERS, "the scalars that the user gave, yield self.k, or return iter(()) for none"),
        "apply": Given(
            "no return value: assembly.state(self.body).apply(force, point) adds a force", lambda x: x is None
        ),
        "potential": _ENERGY, "kinetic": _ENERGY,
        "switches": _kinds(tuple, "pairs of a name and a function, yield 'on', x"),
        "start": _kinds(Mapping, "a dictionary of flags and values, {self.on: 1}", False),
        "observer": _kinds(Body | Ground, "a body, or ground", False),
        **dict.fromkeys(
            ("masses", "rotors", "transitions", "gaps", "slips", "holds", "doubts", "demands", "measured"), _ANY
        ),
    }  # fmt: skip

    # True where `apply` uses accelerations (q.ddot), or gives equations that do not say at once what the rates of its
    # own states are: those are then solved together with the accelerations of the bodies
    implicit = False

    # True where it is known that all this is linear in accelerations
    linear = False

    # True where it has inertia of its own: `apply` then uses accelerations, of which it is a linear function
    inertial = False

    named_frames: Any = ()  # what messages call each frame that was given for it, and the frame
    named_sizes: Any = ()  # what messages call each value that must be above zero, and the value

    @property
    def conservative(self) -> bool:
        """True when the potential accounts for all the work of the element."""
        return False

    @property
    def stores(self) -> bool:
        """True when the element has a potential."""
        return type(self).potential is not Effort.potential

    @property
    def bodies(self) -> tuple[Body | Ground, ...]:
        """The bodies it acts on or refers to."""
        return ()

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The coordinates whose equations it enters directly."""
        return ()

    @property
    def states(self) -> tuple[State, ...]:
        """First-order states of its own, unknowns of the model that start at zero; `apply` gives the rate of each."""
        return ()

    @property
    def masses(self) -> tuple[Any, ...]:
        """Its own point masses (kg), which become bodies of the model to which it is added."""
        return ()

    @property
    def rotors(self) -> tuple[Any, ...]:
        """Parts that rotate in the first of its `bodies`, whose inertia (kg m2) includes theirs; they become bodies."""
        return ()

    @property
    def flags(self) -> tuple[Flag, ...]:
        """Its flags, on (1) or off (0): symbols of the model for use in formulas, zero unless `start` says otherwise.

        They change only at events: by the `transitions` of the element, or when an action sets them.
        """
        return ()

    @property
    def measured(self) -> Mapping[str, tuple[Callable[[Assembly], Scalar], str]]:
        """What runs know by name, as outputs of the model: functions of an assembly, and units."""
        return {}

    def start(self, assembly: Assembly) -> Mapping[Flag, Scalar]:
        """Values of its flags at the start of a run, if not zero (no unit), in the `assembly`'s scalars."""
        return {}

    @property
    def observer(self) -> Body | Ground:
        """The body from which it is best computed: the ground, unless positions relative to another body suffice."""
        return ground

    @abstractmethod
    def expressions(self) -> Iterator[Scalar]:
        """The scalars that the user gave, in their own units; their symbols are checked, jumps in time are found."""

    @abstractmethod
    def apply(self, assembly: Assembly) -> None:
        """Add forces and moments to the bodies of the `assembly`, and set the rates of the element's states."""

    def potential(self, assembly: Assembly) -> Scalar:
        """Potential energy (J), in the scalars of the `assembly`; zero unless the element stores energy."""
        return 0

    def kinetic(self, assembly: Assembly) -> Scalar:
        """Kinetic energy (J) of an `inertial` element in the scalars of the `assembly`, in addition to the bodies."""
        return 0

    def switches(self, assembly: Assembly) -> Iterator[tuple[str, Scalar]]:
        """(name, switching function) of each point where the law changes, in its own unit; a run lands on its zeros.

        The functions are in the scalars of the `assembly`.
        """
        return iter(())

    def transitions(self, assembly: Assembly) -> Iterator[Transition]:
        """The changes of its flags: where, and to which values, in the scalars of the `assembly`."""
        return iter(())

    def gaps(self, assembly: Assembly) -> Iterator[Gap]:
        """Distances that must not become negative; when one closes there is an impact, and then a contact force.

        `gap_of` makes them, in the scalars of the `assembly`; `apply` adds the contact force of each by `press`.
        """
        return iter(())

    def slips(self, assembly: Assembly) -> Iterator[Slip]:
        """The velocities that it may hold at zero, by friction that sticks or slides, in the `assembly`'s scalars."""
        return iter(())

    @property
    def holds(self) -> tuple[tuple[Coordinate, Flag], ...]:
        """Coordinates whose equations it replaces by q.ddot = 0, each with the flag that is then 1."""
        return ()

    def doubts(self, source: Any, t: Any, q: Any, qd: Any) -> Iterator[str]:
        """Doubts about the element at given states, for `check()`: sentences.

        `source` is the source of a run, `t` are instants (s), `q` and `qd` are arrays (N, n), in their own units.
        """
        return iter(())

    def _wasted_steps(self, source: Any, duration: float, steps: int) -> Iterator[str]:
        """What a run of a `duration` (s) spent its `steps` on without need, for `run.check()`: sentences.

        `source` is what stands behind the run.
        """
        return iter(())

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        """The conditions at the start of every run, in the scalars of the `assembly`."""
        return iter(())


def a_body(value: Any, what: str) -> Body | Ground:
    """Return `value` if it is a body or the ground; otherwise raise InputError, naming `what`."""
    if isinstance(value, Body | Ground):
        return value
    raise InputError(f"{what} is {value!r}: expected a body, as returned by model.body(...), or ground.{_nodes(value)}")


def _nodes(value: Any) -> str:
    """What is added to a message where a beam, or another body of several nodes, stands in the place of a body."""
    return " Its nodes are bodies: .nodes[2], or .tip of a beam." if hasattr(value, "nodes") else ""


def two_bodies(one: Body | Ground, other: Body | Ground, what: str) -> None:
    """Raise InputError, naming `what`, if an element is between a body and itself, where it has no effect."""
    if one is other:
        raise InputError(f"{what} is between '{one.name}' and itself: expected two bodies, or a body and ground.")


def an_end(value: Any, what: str) -> tuple[Body | Ground, Vector]:
    """Return (body, point) of an end, which is given as a body (its origin) or as a pair (body, (x, y, z))."""
    if isinstance(value, Body | Ground):
        return value, ZERO
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        return a_body(value[0], f"the body of {what}"), a_point(value[1], f"the point of {what}")
    raise InputError(
        f"{what} is {value!r}: expected a body, or a pair (body, (x, y, z)) with the point in body axes.{_nodes(value)}"
    )


def a_point(value: Any, what: str) -> Vector:
    """Return a point whose velocity is known; otherwise raise InputError, naming `what`."""
    point = singles(value, what)
    for s in symbols_of(*point):
        if isinstance(s, Acceleration | StateRate):
            raise InputError(f"{what} depends on {s}: a place cannot depend on accelerations.")
        if isinstance(s, Input):
            raise InputError(
                f"{what} depends on the input {s}: a place cannot depend on inputs, whose rates are not known. Move it "
                "by a function of time, or let a law of the force depend on the input."
            )
    return point


def a_name(value: Any, where: str, more: str = "") -> str:
    """Return a name that symbols may have, for what is told as `where`; otherwise raise InputError."""
    expect(
        isinstance(value, str) and value.isidentifier(), f"the name of {where}", value,
        f"letters, digits and underscores, not beginning with a digit{more}",
    )  # fmt: skip
    return value


def a_coordinate(value: Any, what: str) -> Coordinate:
    """Return `value` if it is a coordinate; otherwise raise InputError, naming `what`."""
    return a(Coordinate, value, what, "one returned by model.coordinates")  # type: ignore[no-any-return]


def positive(value: Any, what: str) -> Scalar:
    """Return a scalar that is not a negative number; otherwise raise InputError, naming `what`."""
    value = given(value, what)
    expect(not (is_number(value) and float(value) < 0), what, value, "a number >= 0")
    return value


def above_zero(value: Any, what: str, more: str = ".") -> Scalar:
    """Return a scalar that is not a number below or equal to zero; else raise InputError, naming `what`."""
    value = given(value, what)
    if is_number(value) and float(value) <= 0:
        raise InputError(f"{what} is {value}: expected a number above zero{more}")
    return value


def steady(value: Scalar, what: str, kinds: Any = (Parameter, Time), more: str = " and time.") -> Scalar:
    """Return a scalar that depends on nothing but parameters and time; otherwise raise InputError, naming `what`."""
    for s in sorted(symbols_of(value), key=str):
        if not isinstance(s, kinds):
            raise InputError(f"{what} depends on {s}: it may depend on parameters{more}")
    return value


def a_size(value: Any, what: str, least: Callable[[Any, str], Scalar] = above_zero) -> Scalar:
    """Return a size (m) that no motion changes, after the check of its `least` value; else raise InputError."""
    return steady(least(value, what), what)


def given(value: Any, what: str) -> Scalar:
    """Return a scalar that was given; raise InputError, naming `what`, if it was not."""
    if value is None:
        raise InputError(f"{what} was not given: there is no default for a physical value.")
    value = alone(scalar(value, what))
    if is_number(value):
        finite(value, what)
    return value


def constant(expressions: Iterable[Scalar]) -> bool:
    """True when the expressions hold no symbols but parameters."""
    return all(isinstance(s, Parameter) for s in symbols_of(*expressions))


def rotation_of(assembly: Assembly, frame: Body | Ground) -> Rotation:
    """Rotation tensor from the axes of a body to those of the ground, in the scalars of the assembly."""
    if isinstance(frame, MasslessPoint) and not frame.turns:
        raise ModelError(
            f"the node '{frame.name}' is a point and has no axes, which frame= needs: expected a body, the ground, or "
            f'a node that turns, model.node("{frame.name}", frame=T).'
        )
    return assembly.state(frame).T.R


def react(
    assembly: Assembly, body: Body | Ground, other: Body | Ground | None, force: Vector | None = None,
    place: Any = None, moment: Vector | None = None,
) -> None:  # fmt: skip
    """Add a `force` at a `place`, and a `moment`, to a `body` of the `assembly`; to the `other`, if any, the opposite.

    All of them in ground components, in the scalars of the assembly.
    """
    for acted, opposite in ((body, False), (other, True)):
        if acted is not None:
            state = assembly.state(acted)
            if force is not None:
                state.apply(-force if opposite else force, place)
            if moment is not None:
                state.MG = state.MG - moment if opposite else state.MG + moment


def place(assembly: Assembly, body: Body | Ground, point: Any) -> tuple[Vector, Vector]:
    """Position and velocity of a point that may move in a body: v = v_i + omega_i x R_i r + R_i dr/dt (by eq. 1).

    Parameters
    ----------
    assembly : Assembly
        The bodies and their scalars.
    body : Body or Ground
        The body in whose axes the point is given.
    point : Vector, or 3 scalars
        Its components r (m), numbers or expressions, with shape (3,).

    Returns
    -------
    tuple of Vector
        Position (m) and velocity (m/s), ground components.

    Example
    -------
    >>> from easydyn import Effort, Model, tdisp, vcoord
    >>> class Viscous(Effort):
    ...     def __init__(self, body, c):
    ...         self.body, self.c = body, c
    ...     def expressions(self):
    ...         return iter((self.c,))
    ...     def apply(self, assembly):
    ...         point, velocity = place(assembly, self.body, (0, 0, 0))
    ...         assembly.state(self.body).apply(velocity * -assembly.value(self.c), point)
    >>> model = Model("sledge")
    >>> x, = model.coordinates("x")
    >>> model.add(Viscous(model.body("sledge", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0)), 6))
    >>> model.compile().accelerations(0, [0], [1])
    array([-3.])
    """
    state = assembly.state(body)
    r = vector(point, "the point of place()").map(assembly.value)
    position = state.T.e + state.T.R * r
    return position, state.velocity_at(position) + state.T.R * r.map(assembly.calculus.rate)
