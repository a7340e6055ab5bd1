"""What the user writes: coordinates, parameters, bodies, efforts, equations; checked before anything changes.

A `Description` only collects. `Model` (model.py) adds what follows from it: equations, numbers, a motion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

from easydyn import declarations
from easydyn.engine.system import check_values
from easydyn.errors import InputError, ModelError, UnknownNameError
from easydyn.forces.effort import Effort
from easydyn.mechanism import Body, Mechanism, ground
from easydyn.scalars import Scalar
from easydyn.symbols import Coordinate, Parameter, State, t
from easydyn.vec import Factor, Vector, vector


class Description:
    """A mechanical system as it was described: names, symbols, bodies, efforts, equations."""

    ground = ground

    def __init__(self, name: str, *, gravity: Any = None):
        if not isinstance(name, str) or not name.strip():
            raise InputError(f'the name of a model is {name!r}: expected a text, such as Model("double pendulum").')
        self.name = name
        self._coordinates: dict[Coordinate, Scalar] = {}
        self._rates: dict[Coordinate, Scalar] = {}
        self._states: dict[State, Scalar] = {}
        self._parameters: dict[Parameter, float | None] = {}
        self._bodies: dict[str, Body] = {}
        self._efforts: list[Effort] = []
        self._equations: list[sympy.Expr] = []
        self._callbacks: list[Callable[..., Any]] = []
        self._units: dict[str, str] = {}
        self._symbols: dict[str, sympy.Symbol] = {"t": t}
        self._checked: set[Factor] = set()
        self._warned = False
        self.gravity = (0, 0, 0) if gravity is None else gravity
        self.gravity_given = gravity is not None  # (0, 0, 0) may be meant; nothing at all may be forgotten

    # -- declarations ---------------------------------------------------------------------------------------------

    @property
    def gravity(self) -> Vector:
        """Acceleration of gravity (m/s2), ground components."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Any) -> None:
        g = vector(value, "gravity")
        for c in g:
            declarations.constant(c, "gravity", self)
        self._gravity = g
        self.gravity_given = True
        self._changed()

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
        """
        found = declarations.names(names, "coordinates", self)
        symbols = tuple(Coordinate(name) for name in found)
        values = declarations.values(initial, found, "initial", self)
        speeds = declarations.values(rates, found, "rates", self)
        if unit is not None:
            self._units.update(declarations.units(unit, found))
        self._coordinates.update(zip(symbols, values, strict=True))
        self._rates.update(zip(symbols, speeds, strict=True))
        self._symbols.update({str(s): s for q in symbols for s in (q, q.dot, q.ddot)})
        self._changed()
        return symbols

    def states(self, names: Any, *, initial: Any = 0, unit: Any = None) -> tuple[State, ...]:
        """Declare first-order states; `p.dot` is the unknown of the equation that each of them needs (eq. 29).

        Parameters
        ----------
        names : str or list of str
        initial : scalar or one scalar for each
            Values at the start: numbers or expressions of parameters; zero if left out.
        unit : str, optional
            Shown on plots, e.g. "Pa".
        """
        found = declarations.names(names, "states", self)
        symbols = tuple(State(name) for name in found)
        values = declarations.values(initial, found, "initial", self)
        if unit is not None:
            self._units.update(declarations.units(unit, found))
        self._states.update(zip(symbols, values, strict=True))
        self._symbols.update({str(s): s for p in symbols for s in (p, p.dot)})
        self._changed()
        return symbols

    def parameters(self, names: Any = None, /, **values: Any) -> tuple[Parameter, ...]:
        """Declare parameters: `l1, l2 = model.parameters(l1=1.2, l2=1.1)`, or names alone, to get values later.

        Values can be overridden at any time by `parameters={"l1": 1.3}` in `compile` and `simulate`, and changed for
        good by `model.set_parameters(l1=1.3)`; nothing is derived again.
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
        symbols = tuple(Parameter(name) for name in given)
        self._parameters.update(zip(symbols, given.values(), strict=True))
        self._symbols.update({str(p): p for p in symbols})
        self._changed()
        return symbols

    def set_parameters(self, **values: Any) -> None:
        """Change values of parameters for good; nothing is derived again."""
        for name, value in check_values(values, self.mechanism).items():
            self._parameters[Parameter(name)] = value

    def body(self, name: str, T: Any, *, mass: Any = None, inertia: Any = None, com: Any = (0, 0, 0)) -> Body:
        """Add a rigid body.

        Parameters
        ----------
        name : str
        T : Transform or 4x4 matrix
            Its frame as a function of coordinates, time and parameters (eq. 1).
        mass : scalar (kg)
            A number or an expression of parameters; 0 for a body that only turns.
        inertia : 3 or 6 scalars or 3x3 (kg m2)
            (Ixx, Iyy, Izz), (Ixx, Iyy, Izz, Ixy, Iyz, Ixz) or the tensor, about the centre of mass, in body axes;
            elements of the tensor (Ixy is the matrix entry).
        com : 3 scalars (m), optional
            Centre of mass in body axes; the frame's origin if left out.

        Returns
        -------
        Body
            With `v omega a alpha d theta` in SymPy.

        Raises
        ------
        ModelError, TransformError, InputError
            Undeclared symbols, a matrix that is not a rigid transform, a negative mass or principal moment, ...
        """
        body = declarations.body(name, T, mass, inertia, com, self)
        self._bodies[body.name] = body
        self._checked.update(body.T.factors)
        self._changed()
        return body

    def add(self, *efforts: Any) -> None:
        """Add force elements: `Force, Moment, GeneralizedForce, Spring, Damper`, or your own `Effort`."""
        if not efforts:
            raise InputError("model.add() got nothing: expected Force, Moment, GeneralizedForce, Spring, Damper, ...")
        for effort in efforts:
            declarations.effort(effort, self)
        states = [p for effort in efforts for p in effort.states]
        declarations.names([str(p) for p in states], "states", self, optional=True)
        self._efforts += efforts
        self._states.update(dict.fromkeys(states, 0))
        self._symbols.update({str(s): s for p in states for s in (p, p.dot)})
        self._changed()

    def equation(self, expression: Any) -> None:
        """Add an equation, `expression = 0`, of coordinates, states and their derivatives, time and parameters."""
        self._equations.append(declarations.equation(expression, self))
        self._changed()

    def efforts(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator: a Python function `f(t, bodies)` that adds to `bodies["arm"].R` (N) and `.MG` (N m).

        It is called with numbers at every residual: `bodies["arm"].T`, `.vG`, `.omega` are there to be used. R and MG
        are the resultants at the centre of mass, ground components.
        """
        self._callbacks.append(declarations.callback(function, self))
        self._changed()
        return function

    # -- what was written -----------------------------------------------------------------------------------------

    def _changed(self) -> None:
        """Called after every declaration: what has been derived so far no longer holds."""

    @property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies, in the order in which they were added."""
        return tuple(self._bodies.values())

    def __getitem__(self, name: str) -> Body:
        """The body of that name."""
        if name not in self._bodies:
            raise UnknownNameError(f"model '{self.name}' has no body {name!r}: its bodies are {list(self._bodies)}.")
        return self._bodies[name]

    @property
    def symbols(self) -> dict[str, sympy.Symbol]:
        """All symbols by name: coordinates, their rates and accelerations, states and their rates, parameters, t."""
        return dict(self._symbols)

    @property
    def mechanism(self) -> Mechanism:
        """A frozen snapshot of the model."""
        return Mechanism(
            self.name,
            tuple(self._coordinates),
            tuple(self._states),
            tuple(self._parameters),
            self.bodies,
            tuple(self._efforts),
            tuple(self._equations),
            self.gravity,
            tuple(self._callbacks),
            declarations.units_of(self.bodies) | self._units,
        )

    def __repr__(self) -> str:
        parts = [f"{len(self._coordinates)} coordinates", f"{len(self._bodies)} bodies"]
        if self._states:
            parts.append(f"{len(self._states)} states")
        if self._efforts or self._callbacks:
            parts.append(f"{len(self._efforts) + len(self._callbacks)} efforts")
        if self._equations:
            parts.append(f"{len(self._equations)} equations")
        return f"Model({self.name!r}: {', '.join(parts)})"
