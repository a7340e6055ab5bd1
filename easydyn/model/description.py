"""What the user writes: coordinates, parameters, bodies, efforts, equations; checked before anything changes.

A `Description` only collects the data. `Model` (model.py) derives the equations from it, evaluates and simulates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from typing import TYPE_CHECKING, Any
from weakref import ref

import sympy

from easydyn.arguments import answers
from easydyn.constraints.constraint import Constraint
from easydyn.engine.system import check_values
from easydyn.errors import InputError, ModelError, ReadOnlyError
from easydyn.forces.effort import Effort
from easydyn.forces.fields import GravityField, Weight, a_field
from easydyn.forces.unknowns import Unknowns
from easydyn.inputs import among, finite, flag, name_in, text
from easydyn.mechanics.attitude import Attitude
from easydyn.mechanics.mechanism import Body, MasslessPoint, Mechanism, ground
from easydyn.mechanics.signals import Signals
from easydyn.mechanics.symbols import (
    Coordinate,
    Declared,
    HoldingForce,
    Input,
    LockingForce,
    Measure,
    Parameter,
    State,
    Unknown,
    t,
)
from easydyn.model import constraining, declarations, finding
from easydyn.model.together import together
from easydyn.run import declared
from easydyn.run.declared import Controller, DeclaredEvent
from easydyn.run.starting import Wanted
from easydyn.vec import ZERO, Factor, singles
from easydyn.vec.scalars import Scalar, is_number

if TYPE_CHECKING:
    from easydyn.model.urdf import Joint


@answers
class Description:
    """A mechanical system as it was described: names, symbols, bodies, efforts, equations."""

    ground = ground

    def __init__(self, name: str, *, gravity: Any = None):
        self.name = text(name, "the name of a model", 'Model("double pendulum")')
        self._coordinates: dict[Coordinate, Scalar] = {}
        self._rates: dict[Coordinate, Scalar] = {}
        self._states: dict[State, Scalar] = {}
        self._scales: dict[State, Scalar] = {}
        self._parameters: dict[Parameter, float | None] = {}
        self._bodies: dict[str, Body] = {}
        self._efforts: list[Effort] = []
        self._equations: list[sympy.Expr] = []
        self._callbacks: list[Callable[..., Any]] = []
        self._inputs: dict[Input, float] = {}
        self._outputs: dict[str, sympy.Expr] = {}
        self._locks: dict[Coordinate, bool] = {}
        self._events: dict[str, DeclaredEvent] = {}
        self._controllers: list[Controller] = []
        self._constraints: dict[str, Any] = {}
        self._attitudes: list[Attitude] = []
        self._units: dict[str, str] = {}
        self._points: dict[str, MasslessPoint] = {}
        self._starts: list[Wanted] = []
        self._joints: dict[str, Joint] = {}
        self._notes: list[str] = []
        self._symbols: dict[str, sympy.Symbol] = {"t": t}
        self._checked: dict[int, Factor] = {}  # the very factors of the bodies, by their id
        self._warned = False
        self.gravity = (0, 0, 0) if gravity is None else gravity
        self.gravity_given = gravity is not None  # (0, 0, 0) may be meant; nothing at all may be forgotten

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            self._keep(name)
        super().__setattr__(name, value)

    def _keep(self, name: str) -> None:
        """Raise ReadOnlyError when `model.name = ...` would hide a method, or do nothing of what its author hopes."""
        cls, who = type(self), f"model '{vars(self).get('name', '')}'"
        there = getattr(cls, name, None)
        if callable(there):
            raise ReadOnlyError(f"{who}: {name} is a method: call it, model.{name}(...), expected no assignment.")
        if isinstance(there, property) and there.fset is None:
            raise ReadOnlyError(
                f"{who}: {name} follows from what was declared, expected no assignment: declare with model.body(...), "
                "model.coordinates(...), model.add(...)."
            )
        if there is None and name in vars(self).get("_symbols", ()):
            raise ReadOnlyError(
                f"{who}: an assignment does not change '{name}': expected its value where it is declared, or in a run: "
                f"simulate(5, parameters={{'{name}': ...}}), or initial={{'{name}': ...}} for a coordinate."
            )
        if there is None and hasattr(cls, "simulate") and name in ("rates", *signature(cls.simulate).parameters):
            raise ReadOnlyError(
                f"{who} has no attribute {name}: expected an argument, as in simulate(5, {name}=...); initial values "
                "and parameters may also be given where they are declared."
            )

    # -- declarations ---------------------------------------------------------------------------------------------

    @property
    def gravity(self) -> Any:
        """Acceleration of gravity (m/s2), ground components; or the field, if it depends on position."""
        return self._gravity if self._field is None else self._field

    @gravity.setter
    def gravity(self, value: Any) -> None:
        field = a_field(value)
        if isinstance(field, GravityField):
            declarations.field(field, self)
            g = ZERO
        else:
            g, field = singles(field, "gravity"), None
            for c in g:
                declarations.of_gravity(c, self)
        with self.together():
            self._gravity, self._field = g, field
            self.gravity_given = True

    def coordinates(self, names: Any, *, initial: Any = 0, rates: Any = 0, unit: Any = None) -> tuple[Coordinate, ...]:
        """Declare generalised coordinates; always returns a tuple: `x, = model.coordinates("x")`.

        Parameters
        ----------
        names : str or list of str
            Separated by spaces or commas.
        initial, rates : scalar or one scalar for each
            Values at the start (m or rad, and per s): numbers or expressions of parameters; zero if left out.
        unit : str, optional
            Shown on plots; found from the transforms (rad or m) if left out.

        Returns
        -------
        tuple of Coordinate
            Symbols with `.dot` and `.ddot`.

        Raises
        ------
        InputError, ModelError
            An invalid name, a name that is taken, a number of values that differs from the number of names.
        """
        found = declarations.names(names, "coordinates", self)
        symbols = Declared(Coordinate(name) for name in found)
        values = declarations.values(initial, found, "initial", self)
        speeds = declarations.values(rates, found, "rates", self)
        with self.together():
            self._units.update(declarations.units(unit, found))
            self._coordinates.update(zip(symbols, values, strict=True))
            self._rates.update(zip(symbols, speeds, strict=True))
            self._symbols.update({str(s): s for q in symbols for s in (q, q.dot, q.ddot)})
        return symbols

    def coordinate(self, name: Any, *, initial: Any = 0, rate: Any = 0, unit: Any = None) -> Coordinate:
        """Declare one generalised coordinate, and return it, not in a tuple: `x = model.coordinate("x")`.

        Parameters
        ----------
        name : str
            One name.
        initial, rate : scalar
            Values at the start (m or rad, and per s): numbers or expressions of parameters; zero if left out.
        unit : str, optional
            Shown on plots; found from the transforms (rad or m) if left out.

        Returns
        -------
        Coordinate
            A symbol with `.dot` and `.ddot`.

        Raises
        ------
        InputError, ModelError
            An invalid name, several names, a name that is taken.
        """
        declarations.single(name, "coordinate", self)
        return self.coordinates([name], initial=initial, rates=rate, unit=unit)[0]

    def state(self, name: Any, *, initial: Any = 0, unit: Any = None, scale: Any = None) -> State:
        """Declare one first-order state, and return it, not in a tuple: `p = model.state("p")`.

        Parameters
        ----------
        name : str
            One name.
        initial, unit, scale : scalar, str, scalar, optional
            As in `states`.

        Returns
        -------
        State
            A symbol with `.dot`.
        """
        declarations.single(name, "state", self)
        return self.states([name], initial=initial, unit=unit, scale=scale)[0]

    def parameter(self, name: Any, value: Any) -> Parameter:
        """Declare one parameter, and return it, not in a tuple: `l = model.parameter("l", 1.2)`.

        Parameters
        ----------
        name : str
            One name.
        value : float or None
            In its own unit; None to be given later.

        Returns
        -------
        Parameter
            A symbol.
        """
        declarations.single(name, "parameter", self)
        return self.parameters(**{name: value})[0]

    def states(self, names: Any, *, initial: Any = 0, unit: Any = None, scale: Any = None) -> tuple[State, ...]:
        """Declare first-order states; `p.dot` is the unknown of the equation that each of them needs (eq. 29).

        Parameters
        ----------
        names : str or list of str
            Separated by spaces or commas.
        initial : scalar or one scalar for each
            Values at the start, in their own unit: numbers or expressions of parameters; zero if left out.
        unit : str, optional
            Shown on plots, e.g. "Pa".
        scale : scalar or one scalar for each, optional
            Typical size in its own unit, such as 1e5 for a pressure in Pa that starts at zero. Errors are measured
            relative to the larger one of two values: the largest value that the state has had so far, and its scale.
            Without a scale, a state that starts at zero is measured by 1.

        Returns
        -------
        tuple of State
            Symbols with `.dot`.
        """
        return self._first_order(State, "states", names, initial, unit, scale)

    def _first_order(self, kind: Any, what: str, names: Any, initial: Any, unit: Any, scale: Any = None) -> Any:
        found = declarations.names(names, what, self)
        symbols = Declared(kind(name) for name in found)
        values = declarations.values(initial, found, "initial", self)
        scales = [] if scale is None else declarations.sizes(scale, found, self)
        with self.together():
            self._units.update(declarations.units(unit, found))
            self._scales.update(zip(symbols, scales, strict=False))
            self._states.update(zip(symbols, values, strict=True))
            self._symbols.update({str(s): s for p in symbols for s in (p, p.dot)})
        return symbols

    def parameters(self, names: Any = None, /, **values: Any) -> tuple[Parameter, ...]:
        """Declare parameters: `l1, l2 = model.parameters(l1=1.2, l2=1.1)`, or `names` alone, to get values later.

        The `values` (floats, each in its own unit) can be overridden by `parameters={"l1": 1.3}` in `compile` and
        `simulate`, and changed permanently by `model.set_parameters(l1=1.3)`; the equations are not derived again.
        Raises InputError for an empty call or a value that is not a number, ModelError for a name that is taken.
        """
        given: dict[str, float | None] = {}
        if names is not None:
            given.update(dict.fromkeys(declarations.names(names, "parameters", self)))
        declarations.names(list(values), "parameters", self, optional=True)
        for name, value in values.items():
            if name in given:
                raise ModelError(f"model.parameters() got '{name}' twice: every name is declared once.")
            given[name] = declarations.parameter(value, name)
        if not given:
            raise InputError("model.parameters() got nothing: expected names with values, such as l1=1.2.")
        symbols = Declared(Parameter(name) for name in given)
        with self.together():
            self._parameters.update(zip(symbols, given.values(), strict=True))
            self._symbols.update({str(p): p for p in symbols})
        return symbols

    def set_parameters(self, **values: Any) -> None:
        """Change `values` of parameters, in their own units, permanently; the equations are not derived again.

        Raises UnknownNameError for a name that is not declared, InputError for a value that is not a number.
        """
        checked = self._checked_values(values)
        self._parameters.update({Parameter(name): value for name, value in checked.items()})

    def body(
        self, name: str, T: Any, *, mass: Any = None, inertia: Any = None, com: Any = None, shape: Any = None,
        density: Any = None,
    ) -> Body:  # fmt: skip
        """Add a rigid body.

        Parameters
        ----------
        name : str
            Its name: `model["arm"]`.
        T : Transform or 4x4 matrix
            Its frame as a function of coordinates, time and parameters (eq. 1).
        mass : scalar (kg)
            A number or an expression of parameters; 0 for a body that only turns.
        inertia : 3 or 6 scalars or 3x3 (kg m2)
            (Ixx, Iyy, Izz), (Ixx, Iyy, Izz, Ixy, Iyz, Ixz) or the tensor, about the centre of mass, in body axes;
            elements of the tensor (Ixy is the matrix entry).
        com : 3 scalars (m), optional
            Centre of mass in body axes; the frame's origin if left out.
        shape : Shape or list of them, optional
            The shape from `easydyn.visu` that represents the body in pictures; if left out, its links and a solid with
            its inertia are drawn.
        density : scalar (kg/m3), instead of mass, inertia and com
            Density of a homogeneous body, for example 7700 for steel: mass, inertia and com then follow from the solids
            of its shape.

        Returns
        -------
        Body
            With `v omega a alpha d theta` in SymPy.

        Raises
        ------
        ModelError, TransformError, InputError
            Undeclared symbols, a matrix that is not a rigid transform, a negative mass or principal moment, ...
        """
        body = declarations.body(name, T, mass, inertia, com, shape, self, density)
        with self.together():
            self._bodies[body.name] = body
            vars(body)["model"] = ref(self)  # sensors ask for it
            self._checked.update((id(factor), factor) for factor in body.T.factors)
            self._constraints.update({norm.name: norm for norm in constraining.norms(body, self)})
        return body

    def add(self, *efforts: Any) -> None:
        """Add elements, `efforts`: `Force, Moment, Spring, Damper, ..., Rolling`, or your own `Effort`.

        Raises InputError, UnknownNameError or ModelError for anything that is not an element, or does not belong to
        this model.
        """
        if not efforts:
            raise InputError("model.add() got nothing: expected Force, Moment, GeneralizedForce, Spring, Damper, ...")
        efforts = tuple(getattr(effort, "taut", None) or effort for effort in efforts)
        holding = [x for x in efforts if isinstance(x, Constraint) and x.added]
        efforts = tuple(x for x in efforts if not (isinstance(x, Constraint) and x.added))
        for k, constraint in enumerate(holding):
            constraining.added(constraint, holding[:k], self)
        for k, effort in enumerate(efforts):
            declarations.effort(effort, self)
            declarations.added_once(effort, (*self._efforts, *efforts[:k]), self)
        states = [p for effort in efforts for p in effort.states]
        declarations.names([str(p) for p in states], "states", self, optional=True)
        declarations.holding(efforts, self)
        with self.together():
            for name, T, mass, inertia in (point for effort in efforts for point in effort.masses):
                self.body(declarations.other_than(name, self._bodies), T, mass=mass, inertia=inertia)
            for name, T, inertia, _, shape in (part for effort in efforts for part in effort.rotors):
                self.body(declarations.other_than(name, self._bodies), T, mass=0, inertia=inertia, shape=shape)
            self._constraints.update({constraint.name: constraint for constraint in holding})
            self._efforts += efforts
            self._states.update(dict.fromkeys(states, 0))
            self._symbols.update({str(s): s for p in states for s in (p, p.dot)})
            self._symbols.update({str(flag): flag for effort in efforts for flag in effort.flags})
            for name, (_, unit) in (pair for effort in efforts for pair in effort.measured.items()):
                self._outputs[name], self._units[name] = Measure(name), unit
                self._symbols[name] = Measure(name)
            forces = [HoldingForce(q) for effort in efforts for q, _ in effort.holds]
            self._symbols.update({str(force): force for force in forces})

    def equation(self, expression: Any) -> None:
        """Add an equation, `expression = 0` (in its own unit), of coordinates, states, derivatives, time, parameters.

        An equation that contains an unknown, but no rates of states and no accelerations, determines the unknown.
        Raises InputError or ModelError if it is not an expression, or has symbols that the model does not know.
        """
        with self.together():
            self._equations.append(declarations.equation(expression, self))

    def efforts(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator: a Python `function`, f(t, bodies), that adds to `bodies["arm"].R` (N) and `.MG` (N m).

        The function is called with numbers at every evaluation of the residual, and can use `bodies["arm"].T`, `.vG`,
        `.omega`. R and MG are the resultants at the centre of mass, ground components.
        """
        with self.together():
            self._callbacks.append(declarations.callback(function, self))
        return function

    # -- what comes from outside, what is measured, what happens ----------------------------------------------------

    def input(self, name: str, value: Any = 0, *, unit: str | None = None) -> Input:
        """Declare an input u: a symbol for efforts, equations, outputs and events, given from outside during a run.

        Parameters
        ----------
        name : str
            Its name.
        value : float
            Its value where a run does not specify it, in its own unit: zero if left out. `simulate(inputs={"u": ...})`
            takes a number, a table (times, values), a function of time, or a formula of the model's symbols.
            Controllers also set it.
        unit : str, optional
            Shown on plots.

        Returns
        -------
        Input
            A symbol.

        Example
        -------
        >>> from easydyn import GeneralizedForce, Model, tdisp
        >>> model = Model("cart")
        >>> x, = model.coordinates("x")
        >>> cart = model.body("cart", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
        >>> u = model.input("u", unit="N")
        >>> model.add(GeneralizedForce(x, u))
        >>> run = model.simulate(1, inputs={"u": -3*x.dot - 8*x}, initial={"x": 1})
        >>> bool(abs(run["x"][-1]) < 1)
        True
        """
        (checked,) = declarations.names([name], "inputs", self)
        start = finite(value, f"the value of input {name}")
        symbol = Input(checked)
        with self.together():
            self._units.update(declarations.units(unit, [checked]))
            self._inputs[symbol] = start
            self._symbols[checked] = symbol
        return symbol

    def output(self, name: str, expression: Any, *, unit: str | None = None) -> sympy.Expr:
        """Name a measured quantity, an expression of the model's symbols; runs (`run["speed"]`) and controllers see it.

        Parameters
        ----------
        name : str
            Its name.
        expression : scalar
            In its own unit.
        unit : str, optional
            Shown on plots.

        Returns
        -------
        SymPy expression
            The same one, in the same unit.

        Raises
        ------
        InputError, ModelError
            A name that is taken, a condition, a symbol of another model.
        """
        (checked,) = declarations.names([name], "outputs", self)
        measured = declared.measured(expression, f"output '{checked}'", self)
        with self.together():
            self._units.update(declarations.units(unit, [checked]))
            self._outputs[checked] = measured
        return measured

    def controller(self, period: Any, law: Callable[..., Any], *, start: Any = 0.0, name: str | None = None) -> Any:
        """Add a sampled controller: every `period` seconds `law(t, outputs)` returns the inputs that hold from then on.

        Parameters
        ----------
        period : float (s)
            The run lands on every sample: start, start + period, ...
        law : callable
            `law(t, outputs) -> {"u": value}`. `outputs` holds the model's outputs, such as `outputs["speed"]`, and
            every coordinate, rate, state and input by name. A value returned for an input holds until the next sample;
            None changes nothing. If the law has a method `begin()`, it is called when a run begins.
        start : float (s)
            Time of the first sample; it is never before the start of a run.
        name : str, optional
            The name in messages; the name of the function if left out.

        Returns
        -------
        law
        """
        self._controllers.append(declared.controller(period, law, start, name, self))
        return law

    def event(
        self, expression: Any, *, direction: int = 0, action: Any = None, name: str | None = None, silent: bool = False
    ) -> None:
        """Add an event: the run lands where `expression` crosses zero, carries out `action`, and goes on.

        Parameters
        ----------
        expression : scalar
            In its own unit, of coordinates, rates, accelerations, states, inputs, time and parameters.
        direction : {-1, 0, 1}
            Falling, both, rising.
        action : optional
            "stop" ends the run; a dict {symbol: expression} gives new values, `{y.dot: -0.8*y.dot}`, all at once; a
            function gets an `Instant`: `instant["y.dot"] = 0`, `instant.lock("y")`, `instant.stop()`. Without an action
            the run only records the time.
        name : str, optional
            Its name in `run.events`; the expression if left out.
        silent : bool
            If True, the run lands there but does not list the event in `run.events`.
        """
        event = declared.event(expression, direction, action, name, silent, self)
        with self.together():
            self._events[event.name] = event

    def lock(self, coordinate: Any, *, locked: bool = True, until: Any = None) -> None:
        """Lock a `coordinate`: from the start of runs, or, with `locked=False`, when an action locks it.

        The lock breaks when the inequality `until`, in its own units, becomes true, such as `abs(force) > 50` for
        `force = model.locking_force(q)`. `run.locking_force(q)` is the generalised force that holds the coordinate.
        `simulate(locked=[...])` locks coordinates for one run. Raises UnknownNameError or ModelError for a coordinate
        that cannot be locked, InputError if `until` is not an inequality.
        """
        found = declared.lockable(coordinate, self)
        held = flag(locked, "locked")
        breaks = None if until is None else declared.breaking(found, until, self)
        with self.together():
            self._locks[found] = held
            if breaks is not None:
                self._events[breaks.name] = breaks

    def locking_force(self, coordinate: Any) -> LockingForce:
        """Symbol of the generalised force that holds a `coordinate` while it is locked (N, N m), zero while it is free.

        Events, outputs and expressions that are evaluated along a run can use it. For example, a lock that breaks is an
        event on this force, with an action that unlocks. Raises UnknownNameError or ModelError for a coordinate that
        cannot be locked.
        """
        force = LockingForce(declared.lockable(coordinate, self))
        with self.together():
            self._symbols[str(force)] = force
        return force

    # -- what was written -----------------------------------------------------------------------------------------

    @contextmanager
    def together(self) -> Iterator[None]:
        """Group declarations in a `with` block: all of them are made, or, if one fails, none."""
        with together(self):
            yield
            self._states = dict(sorted(self._states.items(), key=lambda item: isinstance(item[0], Unknown)))  # last
        self._changed()

    def _changed(self) -> None:
        """Called after every declaration: what has been derived so far no longer holds."""

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies, in the order in which they were added."""
        return tuple(self._bodies.values())

    def __getitem__(self, name: str) -> Body:
        """The body of that name, or the point without mass."""
        if among(name, self._points):
            return self._points[name]
        message = f"model '{self.name}' has no body {{!r}}: its bodies are {{}}."
        return self._bodies[name_in(name, self._bodies, message)]

    @property
    def given_values(self) -> dict[str, float | None]:
        """Values of the parameters by name, in their own units; None for those without a value so far."""
        return {str(p): value for p, value in self._parameters.items()}

    @property
    def events(self) -> tuple[DeclaredEvent, ...]:
        """The events, in the order in which they were added."""
        return tuple(self._events.values())

    @property
    def controllers(self) -> tuple[Controller, ...]:
        """The controllers, in the order in which they were added."""
        return tuple(self._controllers)

    @property
    def constraints(self) -> tuple[Any, ...]:
        """The constraints that `close`, `constraint` and `dependent` have added, in the order of the calls."""
        return tuple(self._constraints.values())

    @property
    def joints(self) -> dict[str, Joint]:
        """The joints of a robot that was read from a file, by name; empty for another model."""
        return dict(self._joints)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, or put right, when the model was read from a file: sentences, which `check` tells, too."""
        return tuple(self._notes)

    @property
    def symbols(self) -> dict[str, sympy.Symbol]:
        """All symbols by name: coordinates, their rates and accelerations, states and their rates, parameters, t."""
        return dict(self._symbols)

    @property
    def signals(self) -> Signals:
        """What each number of a run means, by name: `print(model.signals)` is a table with kinds and units."""
        return self.mechanism.signals

    @property
    def happenings(self) -> list[str]:
        """What can change a run apart from its equations: controllers, events and locks, in words."""
        found = [f"controller '{controller.name}'" for controller in self._controllers]
        found += [f"event '{name}'" for name in self._events]
        found += [str(effort) for effort in self._efforts if effort.flags]
        return found + [f"a lock of {q}" for q in self._locks]

    def written(self) -> Iterator[Scalar]:
        """Every scalar that the user gave, in its own unit: in transforms, masses, efforts, equations, events, ..."""
        yield from (*self._gravity, *self._equations, *self._outputs.values())
        yield from () if self._field is None else self._field.expressions()
        for body in self.bodies:
            yield from (*body.T.scalars(), body.mass, *body.com, *(x for column in body.inertia for x in column))
        for effort in self._efforts:
            yield from effort.expressions()
        for constraint in self._constraints.values():
            yield from constraint.expressions()
        for point in self._points.values():
            yield from point.T.e
        for wanted in self._starts:
            yield from wanted.expressions
        for event in self._events.values():
            yield event.expression
            yield from event.action.values() if isinstance(event.action, dict) else ()
        for start in (self._coordinates, self._rates, self._states):
            yield from start.values()

    @property
    def initial_values(self) -> dict[str, Scalar]:
        """Declared initial values of coordinates (m, rad; "q1"), rates ("q1.dot") and states."""
        values = {q.name: value for q, value in self._coordinates.items()}
        values |= {f"{q.name}.dot": value for q, value in self._rates.items()}
        return values | {p.name: value for p, value in self._states.items()}

    def _checked_values(self, values: Mapping[str, Any]) -> dict[str, float]:
        """Values of parameters as floats, if they are that and the model has these parameters."""
        return check_values(values, self.name, self._parameters, self._coordinates, self._states)

    def _weights(self) -> list[Effort]:
        """What a field of gravity does to each body that has a mass."""
        heavy = [body for body in self.bodies if not (is_number(body.mass) and float(body.mass) == 0)]
        return [] if self._field is None else [Weight(body, self._field) for body in heavy]

    def _determined(self) -> list[Effort]:
        """What says that unknowns are found at every instant."""
        unknowns = [s for s in self._states if isinstance(s, Unknown)]
        conditions, points = filter(finding.is_condition, self._equations), tuple(self._points.values())
        return [Unknowns(unknowns, tuple(conditions), points, self._efforts)] if unknowns else []

    @property
    def mechanism(self) -> Mechanism:
        """A frozen snapshot of the model."""
        return Mechanism(
            self.name, tuple(self._coordinates), tuple(self._states), tuple(self._parameters), self.bodies,
            (*self._efforts, *self._weights(), *self._determined()),
            tuple(e for e in self._equations if not finding.is_condition(e)),
            self._gravity, tuple(self._callbacks), declarations.units_of(self.bodies) | self._units,
            tuple(self._inputs), {}, {str(s): s for s in self._states if isinstance(s, Unknown)} | self._outputs,
            tuple(self._locks), bool(self._events), tuple(self._constraints.values()), attitudes=tuple(self._attitudes),
            points=tuple(self._points.values()), conditions=tuple(filter(finding.is_condition, self._equations)),
        )  # fmt: skip

    def __repr__(self) -> str:
        parts = [f"{len(self._coordinates)} coordinates", f"{len(self._bodies)} bodies"]
        others = {"states": self._states, "efforts": (*self._efforts, *self._callbacks)}
        others |= {"equations": self._equations, "constraints": self._constraints}
        parts += [f"{len(x)} {what}" for what, x in others.items() if x]
        return f"Model({self.name!r}: {', '.join(parts)})"
