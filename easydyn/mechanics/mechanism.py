"""The frozen contents of a model: bodies, efforts, equations, coordinates, states, parameters.

`Model` (model.py) builds a `Mechanism`; equations.py, the engine and the simulation read it. Nothing here computes
with numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import sympy

from easydyn.arguments import MADE, Thing, answers
from easydyn.errors import InputError, ModelError
from easydyn.inputs import expect
from easydyn.mechanics.attitude import held_of
from easydyn.mechanics.driving import drives
from easydyn.mechanics.kinematics import Motion, SymbolicCalculus, motion
from easydyn.mechanics.places import Place, places
from easydyn.mechanics.shortest import Shortest
from easydyn.mechanics.signals import TIME, Signals, computed, constant_between_events, energies, unknowns
from easydyn.mechanics.symbols import Coordinate, Flag, Input, Multiplier, Parameter, State, Time, Unknown, t
from easydyn.vec import ZERO, Inertia, Shift, Transform, Vector
from easydyn.vec.scalars import Scalar, scalar, symbols_of


def _no_text(x: Any) -> None:
    """InputError for a text, which SymPy would run as a program, also inside of lists and arrays."""
    if isinstance(x, str | bytes):
        scalar(x, "a component of a vector")
    elif hasattr(x, "ravel") or isinstance(x, list | tuple):
        for component in x.ravel().tolist() if hasattr(x, "ravel") else x:
            _no_text(component)


class Column(sympy.ImmutableDenseMatrix):
    """Three components in the ground frame, `v[0]` or `v.x`: a SymPy matrix.

    >>> Column([1, 2, 3]).y
    2
    """

    def __new__(cls, *args: Any, **options: Any) -> Any:
        """A matrix as SymPy makes it, but for texts, which SymPy would run as programs."""
        for x in args:
            _no_text(x)
        return super().__new__(cls, *args, **options)

    def __mul__(self, other: Any) -> Any:
        if self.shape == getattr(other, "shape", ()) == (3, 1):
            raise self._ambiguous()
        return super().__mul__(other)

    def __pow__(self, exponent: Any) -> Any:
        if self.shape == (3, 1):
            raise self._ambiguous()
        return super().__pow__(exponent)

    def __xor__(self, other: Any) -> Any:
        raise self._ambiguous()

    def _ambiguous(self) -> InputError:
        return InputError("column * column is ambiguous: write u.dot(v) or u.cross(v); of a square, u.dot(u).")

    @property
    def x(self) -> sympy.Expr:
        """The first component, in the unit of the vector."""
        return self[0]

    @property
    def y(self) -> sympy.Expr:
        """The second component, in the unit of the vector."""
        return self[1]

    @property
    def z(self) -> sympy.Expr:
        """The third component, in the unit of the vector."""
        return self[2]


class Ground(Thing):
    """Body 0: the fixed frame in which everything is expressed. There is only one, `easydyn.ground`."""

    name = "ground"
    T = Transform()
    com = ZERO

    def __repr__(self) -> str:
        return "ground"

    def __reduce__(self) -> str:
        return "ground"


ground = Ground()


class Contributions(Mapping[Coordinate, Column]):
    """Partial contributions of a body by coordinate, `body.d[q1]`; zero for coordinates that do not move it."""

    def __init__(self, columns: dict[Coordinate, Column], what: str) -> None:
        self._columns = columns
        self._what = what

    def __getitem__(self, q: Coordinate) -> Column:
        if not isinstance(q, Coordinate):
            raise InputError(f"{self._what}[{q!r}]: expected a coordinate, one of {list(self._columns)}.")
        return self._columns.get(q, Column([0, 0, 0]))

    def __iter__(self) -> Iterator[Coordinate]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)


@dataclass(eq=False)
class Body(Thing):
    """A rigid body: a frame T(q, t) that moves, with mass and inertia.

    SymPy derives the motion of the frame at the first access (eqs. 5, 36-38), in ground components: `v omega a alpha`,
    partial contributions `d[q] theta[q]`. `vG aG dG` belong to the centre of mass, and are the same if the origin of
    the frame is there.

    Attributes
    ----------
    name : str
        Its name.
    T : Transform
        Its frame (eq. 1).
    mass : scalar (kg)
        A number or an expression of parameters.
    inertia : Inertia (kg m2)
        Inertia tensor about its centre of mass, in its axes.
    com : Vector (m)
        Centre of mass in its axes.
    shape : tuple of Shape
        The shapes that represent it in pictures.
    """

    name: str
    T: Transform
    mass: Scalar
    inertia: Inertia
    com: Vector = ZERO
    shape: tuple[Any, ...] = ()

    @cached_property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The coordinates that move the body, by name."""
        return tuple(sorted((s for s in self.T.free_symbols if isinstance(s, Coordinate)), key=str))

    @property
    def frame_at_G(self) -> Transform:
        """The frame of the body moved to its centre of mass."""
        return self.T if self.com == ZERO else self.T * Transform((Shift(self.com),))

    def _motion(self, T: Transform) -> Motion:
        q, states = self.coordinates, [x for x in T.free_symbols if isinstance(x, State)]
        rates = {s: s.dot for s in sorted(states, key=str)}
        return motion(T, q, [x.dot for x in q], t, SymbolicCalculus(q, states), rates)

    def _accelerated(self, vector: Vector) -> Column:
        """An acceleration, unless the frame follows states, whose second derivatives a frame alone does not know."""
        driving = sorted(str(x) for x in self.T.free_symbols if isinstance(x, State))
        if driving:
            raise ModelError(
                f"body '{self.name}': its acceleration needs the derivative of {driving[0]}.dot, which the equations "
                "of the model say, not its frame alone: take model.equations(), or run.of(...) of velocities."
            )
        return Column(list(vector))

    @cached_property
    def _of_frame(self) -> Motion:
        return self._motion(self.T)

    @cached_property
    def _of_G(self) -> Motion:
        return self._of_frame if self.com == ZERO else self._motion(self.frame_at_G)

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in ("name", "T", "mass", "inertia", "com", "shape", MADE)}

    @property
    def v(self) -> Column:
        """Velocity of the frame's origin (m/s), eq. (36)."""
        return Column(list(self._of_frame.v))

    @property
    def omega(self) -> Column:
        """Angular velocity (rad/s), eq. (37)."""
        return Column(list(self._of_frame.omega))

    @answers
    def omega_in(self, body: Body | Ground) -> Column:
        """Angular velocity (3,) (rad/s) in the axes of a `body`, worked out from factor to factor (eq. 37).

        In its own axes, `rotor.omega_in(rotor)`, it is shorter than `omega`, whose components are those of the ground.

        Raises
        ------
        InputError
            When `body` is not a body, a node or the ground.

        Example
        -------
        >>> from easydyn import Model, trotx, trotz
        >>> model = Model("gyroscope")
        >>> a, b = model.coordinates("a b")
        >>> rotor = model.body("rotor", trotz(a) * trotx(b), mass=0, inertia=(1, 1, 2))
        >>> rotor.omega_in(rotor).T
        Matrix([[b.dot, a.dot*sin(b), a.dot*cos(b)]])
        """
        expect(isinstance(body, Body | Ground), "the body of omega_in", body, "a body of the model, or ground")
        _, back = path(self, body)
        states = sorted((x for x in self.T.free_symbols if isinstance(x, State)), key=str)
        short = Shortest(self.coordinates, SymbolicCalculus(self.coordinates, states), {s: s.dot for s in states})
        u = short.rates(self.T, len(body.T.factors) - len(back.factors)).omega
        for factor in back.factors:
            u = factor.R.T * u
        return Column(list(u))

    @answers
    def seen_from(self, body: Body | Ground) -> Body:
        """The motion of the body relative to another `body`, in whose axes everything is, as a body without mass.

        Its `T`, `v`, `a`, `omega`, `alpha` are place, velocities and accelerations as somebody on that body sees them
        (eqs. 36-38 of the product of transforms): expressions for `run.of`, `model.output`, events and commands.

        Raises
        ------
        InputError
            When `body` is not a body, a node or the ground.

        Example
        -------
        >>> from easydyn import Model, tdisp, trotz
        >>> model = Model("carousel")
        >>> a, b = model.coordinates("a b")
        >>> floor = model.body("floor", trotz(a), mass=0, inertia=(0, 0, 2))
        >>> seat = model.body("seat", trotz(a) * tdisp(2, 0, 0) * trotz(b), mass=3, inertia=(0, 0, 1))
        >>> seen = seat.seen_from(floor)
        >>> seen.T.e, list(seen.omega)
        (Vector(x=2, y=0, z=0), [0, 0, b.dot])
        """
        expect(isinstance(body, Body | Ground), "the body of seen_from", body, "a body of the model, or ground")
        to, there = path(body, self)
        return Body(f"{self.name} seen from {body.name}", to.inv() * there, 0, Inertia(ZERO, ZERO, ZERO))

    @property
    def a(self) -> Column:
        """Acceleration of the frame's origin (m/s2), eq. (38)."""
        return self._accelerated(self._of_frame.a)

    @property
    def alpha(self) -> Column:
        """Angular acceleration (rad/s2), eq. (38)."""
        return self._accelerated(self._of_frame.alpha)

    @property
    def d(self) -> Contributions:
        """Partial contributions to the velocity of the frame's origin, by coordinate (eq. 5)."""
        return self._contributions(self._of_frame.d, "d")

    @property
    def theta(self) -> Contributions:
        """Partial contributions to the angular velocity, by coordinate (eq. 5)."""
        return self._contributions(self._of_frame.theta, "theta")

    @property
    def vG(self) -> Column:
        """Velocity of the centre of mass (m/s)."""
        return Column(list(self._of_G.v))

    @property
    def aG(self) -> Column:
        """Acceleration of the centre of mass (m/s2)."""
        return self._accelerated(self._of_G.a)

    @property
    def dG(self) -> Contributions:
        """Partial contributions to the velocity of the centre of mass, by coordinate."""
        return self._contributions(self._of_G.d, "dG")

    def _contributions(self, vectors: tuple[Vector, ...], name: str) -> Contributions:
        columns = {q: Column(list(u)) for q, u in zip(self.coordinates, vectors, strict=True)}
        return Contributions(columns, f"the partial contributions {name} of body '{self.name}'")

    def _repr_latex_(self) -> str:
        return self.T._repr_latex_()

    def __repr__(self) -> str:
        return f"Body({self.name!r}, T={self.T}, mass={self.mass})"


class MasslessPoint(Body):
    """A massless point, or frame that turns, where springs meet and their forces balance. `model.node` makes it.

    It is an end for force elements, like a body, and has no rows of eq. (6).

    Attributes
    ----------
    name : str
        Its name.
    T : Transform
        Its frame, by formulas of unknowns (m, rad).
    mass : scalar (kg)
        Zero.
    inertia : Inertia (kg m2)
        Zero.
    com : Vector (m)
        Its origin.
    shape : tuple of Shape
        Empty.

    Example
    -------

    >>> from easydyn import Model
    >>> model = Model("fork")
    >>> knot = model.node("knot", position=(0.5, 0.2, 0))
    >>> knot.T
    tdisp(knot_x, knot_y, knot_z)
    """

    @property
    def turns(self) -> bool:
        """True for a frame, which turns as the moments on it demand; a point takes forces only."""
        return not all(isinstance(factor, Shift) for factor in self.T.factors)


def no_moments(points: Sequence[MasslessPoint], assembly: Any, effort: Any) -> None:
    """Raise ModelError if an `effort` has given a moment to one of the `points` that does not turn: it would be lost.

    >>> no_moments((), None, None)
    """
    for point in points:
        if not point.turns and any(c not in (0, assembly.value(0)) for c in assembly.state(point).MG):
            raise ModelError(
                f"{effort} gives a moment to '{point.name}', which is a point and does not turn: nothing would balance "
                f'it. Give the node a frame, model.node("{point.name}", frame=T): it then turns, too. A force that '
                "ends at the node itself has no moment."
            )


def path(start: Body | Ground, end: Body | Ground) -> tuple[Transform, Transform]:
    """The frames of two bodies, `start` and `end`, without their common first factors.

    >>> path(ground, ground)
    (transform(identity), transform(identity))
    """
    a, b = start.T.factors, end.T.factors
    common = next((k for k, (f, g) in enumerate(zip(a, b, strict=False)) if f != g), min(len(a), len(b)))
    return Transform(a[common:]), Transform(b[common:])


@answers
@dataclass(frozen=True)
class Mechanism:
    """A frozen snapshot of a model, with all the data for deriving the equations.

    Attributes
    ----------
    name : str
        Name of the model.
    coordinates, states, parameters, inputs : tuples of symbols
        In the order of their declaration.
    bodies, efforts : tuples
        In the order in which they were added; the ground is not among the bodies.
    equations : tuple of SymPy expressions
        The expressions of `model.equation`, each zero.
    gravity : Vector (m/s2)
        Ground components.
    callbacks : tuple of functions
        Efforts in plain Python.
    units : dict
        Units by name, if one was given.
    given : dict
        Inputs that follow a formula, for one run.
    outputs : dict
        Expressions by name.
    locks : tuple of Coordinate
        Coordinates that can be locked.
    eventful : bool
        True if actions may change the state.
    constraints : tuple of Constraint
        Constraints beside the equations, including those that an effort carries.
    forms : tuple of Form
        Formulas of the coordinates that are left out; each depends only on coordinates before it.
    attitudes : tuple of Attitude
        Attitudes with a reference that is renewed during runs.
    points : tuple of MasslessPoint
        Points where massless elements meet.
    conditions : tuple of SymPy expressions
        Equations, each zero, that determine unknowns; points have their own.
    """

    name: str
    coordinates: tuple[Coordinate, ...] = ()
    states: tuple[State, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    bodies: tuple[Body, ...] = ()
    efforts: tuple[Any, ...] = ()
    equations: tuple[sympy.Expr, ...] = ()
    gravity: Vector = ZERO
    callbacks: tuple[Callable[..., Any], ...] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    inputs: tuple[Input, ...] = ()
    given: Mapping[Input, sympy.Expr] = field(default_factory=dict)  # inputs that follow a formula, for one run
    outputs: Mapping[str, sympy.Expr] = field(default_factory=dict)
    locks: tuple[Coordinate, ...] = ()
    eventful: bool = False  # actions may change the state
    constraints: tuple[Any, ...] = ()
    forms: tuple[Any, ...] = ()
    attitudes: tuple[Any, ...] = ()
    points: tuple[MasslessPoint, ...] = ()
    conditions: tuple[sympy.Expr, ...] = ()

    def __hash__(self) -> int:
        return hash((self.name, self.coordinates, self.states, self.parameters))

    def with_given(self, given: Mapping[Input, sympy.Expr], locks: tuple[Coordinate, ...]) -> Mechanism:
        """The same mechanism with some inputs as formulas, `given`, and with `locks` that can be locked."""
        if not given and locks == self.locks:
            return self
        inputs = tuple(u for u in self.inputs if u not in given)
        return replace(self, inputs=inputs, given=dict(given), locks=locks)

    @cached_property
    def signals(self) -> Signals:
        """What each number of a run of it means, by name."""
        kinds = {str(x): type(x).__name__.lower() for x in self.unknowns}
        return Signals((
            TIME, *unknowns(kinds, self.units, self.outputs), *constant_between_events(self.held, self.units),
            *computed(self.given, self.units), *computed(self.outputs, self.units),
            *(energies() if self.bodies else ()),
        ))  # fmt: skip

    @property
    def held(self) -> tuple[str, ...]:
        """The values that are constant between events, by name: value, slope and time of every input, locks, flags.

        An input is value + slope (t - since), so that tables need no call of Python.
        """
        names = [str(u) for u in self.inputs]
        slopes, since = [f"{name}.slope" for name in names], [f"{name}.since" for name in names]
        locked = [f"{q}.locked" for q in self.locks]
        return (*names, *slopes, *since, *locked, *map(str, self.flags), *self.references)

    @property
    def references(self) -> dict[str, float]:
        """The held angles (rad) of attitudes, with sines and cosines: by name, with values at the start."""
        return {name: value for x in self.attitudes for name, value in held_of(x.reference, x.start).items()}

    @cached_property
    def flags(self) -> tuple[Flag, ...]:
        """The flags of the force elements."""
        return tuple(flag for effort in self.efforts for flag in effort.flags)

    @cached_property
    def holders(self) -> dict[Coordinate, tuple[str, ...]]:
        """Locks, then friction that may hold a coordinate, by the names of the values that are then above a half."""
        found: dict[Coordinate, tuple[str, ...]] = {q: (f"{q}.locked",) for q in self.locks}
        for effort in self.efforts:
            for q, flag in effort.holds:
                found[q] = (*found.get(q, ()), str(flag))
        return found

    @property
    def unknowns(self) -> tuple[Coordinate | State, ...]:
        """Coordinates, then states: the order of the columns of q, qd, qdd (the values of states are in qd, eq. 29)."""
        return self.coordinates + self.states

    @cached_property
    def inertias(self) -> dict[str, Inertia]:
        """Inertias of the bodies in the equations (kg m2), without the part that is counted with their rotors."""
        found = {body.name: body.inertia for body in self.bodies}
        for effort in self.efforts:
            for part in effort.rotors:
                name = effort.bodies[0].name
                if name in found:  # not the ground
                    found[name] = Inertia(*(u - w for u, w in zip(found[name], part.within, strict=True)))
        return found

    @cached_property
    def loading(self) -> dict[Multiplier, Any]:
        """Multipliers on which laws of efforts depend, each with the first one of these efforts."""
        found: dict[Multiplier, Any] = {}
        for effort in self.efforts:
            for s in sorted((s for s in symbols_of(*effort.expressions()) if isinstance(s, Multiplier)), key=str):
                found.setdefault(s, effort)
        return found

    @cached_property
    def multipliers(self) -> int:
        """Number of states of constraints, which are the last ones."""
        return sum(isinstance(p, Multiplier) for p in self.states)

    @cached_property
    def algebraic(self) -> tuple[Unknown, ...]:
        """The states that are found from equations at every instant."""
        return tuple(p for p in self.states if isinstance(p, Unknown))

    @cached_property
    def of_points(self) -> tuple[Unknown, ...]:
        """The algebraic states that are positions of massless points."""
        return tuple(s for s in self.algebraic if any(s in point.T.free_symbols for point in self.points))

    @property
    def rows(self) -> tuple[str, ...]:
        """The equations of all constraints, by the names of their multipliers."""
        return tuple(str(p) for constraint in self.constraints for p in constraint.multipliers)

    @property
    def carried(self) -> list[int]:
        """The positions of the `rows` with multipliers among the states; the other rows are redundant."""
        names = {str(p) for p in self.states if isinstance(p, Multiplier)}
        return [k for k, name in enumerate(self.rows) if name in names]

    @cached_property
    def element_states(self) -> tuple[State, ...]:
        """The states whose equations come from force elements."""
        return tuple(p for effort in self.efforts for p in effort.states)

    def element_equations(self, given: Mapping[State, Scalar]) -> list[Scalar]:
        """The expression that is zero for each of `element_states` (in any unit), as `given` by the elements.

        Raises ModelError if one is missing.
        """
        for effort in self.efforts:
            for p in effort.states:
                if p not in given:
                    raise ModelError(
                        f"{effort} has the state {p} and does not say how it changes: call "
                        f"assembly.add_rate({p}, ...) in its apply."
                    )
        return [given[p] for p in self.element_states]

    @cached_property
    def driven(self) -> bool:
        """True when the frame of some body depends on time explicitly, or on states."""
        return any(isinstance(x, Time | State) for body in self.bodies for x in body.T.free_symbols)

    @cached_property
    def drives(self) -> dict[State, sympy.Expr]:
        """The states on which frames depend, with their rates."""
        return drives({body.name: body.T for body in self.bodies}, self.equations, self.name)

    @cached_property
    def working(self) -> tuple[Any, ...]:
        """The efforts that do work beyond their potential."""
        return tuple(e for e in self.efforts if not e.conservative)

    @cached_property
    def moved_by_inputs(self) -> bool:
        """True when the potential of a force element contains an input: its energy jumps with the input."""
        return any(isinstance(s, Input) for s in self._stored) or bool(self.algebraic and self.inputs)

    @cached_property
    def jumps_in_time(self) -> bool:
        """True when a transform, or the potential of a force element, contains time: energy may jump at some time."""
        return self.driven or t in self._stored or bool(self.algebraic) and self._of_time

    @cached_property
    def _stored(self) -> set[Any]:
        """The symbols of force elements that store energy, and of what inputs in them are given."""
        found = symbols_of(*(e for effort in self.efforts if effort.stores for e in effort.expressions()))
        return found | {s for u in found & set(self.given) for s in (u, *self.given[u].free_symbols)}

    @property
    def _of_time(self) -> bool:
        """True when time stands in what determines unknowns, or in a force element."""
        return t in symbols_of(*self.conditions, *(e for effort in self.efforts for e in effort.expressions()))

    @property
    def driven_from_outside(self) -> bool:
        """True when something other than force elements changes the energy: drives, Python efforts, sudden changes."""
        changed = self.callbacks or self.locks or self.flags or self.moved_by_inputs or self.jumps_in_time
        return bool(changed) or self.eventful or bool(self.corners) or any(c.timed for c in self.constraints)

    @cached_property
    def corners(self) -> dict[sympy.Expr, tuple[Any, sympy.Expr, Place]]:
        """The constraint, its scalar, and the place in it, of all that changes its sign where constraints bend."""
        closed = [*self.constraints, *(form.constraint for form in self.forms if form.constraint is not None)]
        found = ((c, e, place) for c in closed for e in c.expressions() for place in places(e))
        return {place.crosses: (c, e, place) for c, e, place in found if not place.timed}

    @cached_property
    def moving(self) -> tuple[int, ...]:
        """Indices of the coordinates that move some body: each has a row of d'Alembert's equations.

        So have those that move no body but stand in constraints: what acts on them is in balance. Others have equations
        of the model.
        """
        shared = {id(f): f for body in self.bodies for f in body.T.factors}  # of a chain most are those of many bodies
        moved = {q for q in Transform(tuple(shared.values())).free_symbols if isinstance(q, Coordinate)}
        written = {s for e in self.equations for s in e.free_symbols}
        moved |= {q for c in self.constraints for q in c.coordinates if not written & {q, q.dot, q.ddot}}
        for form in self.forms:
            if form.coordinate in moved:
                moved |= form.by
        return tuple(j for j, q in enumerate(self.coordinates) if q in moved)
