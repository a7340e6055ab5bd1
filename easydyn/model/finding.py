"""Unknowns of a model without an equation of motion: massless points, and other values found at every instant.

    knot = model.node("knot", position=(0.5, 0.2, 0))
    s = model.unknown("s", initial=0.1)
    model.equation(k*s + c*s**3 - F)
"""

from __future__ import annotations

from typing import Any

import sympy

from easydyn.arguments import answers
from easydyn.engine.sympy_bridge import check_convertible
from easydyn.errors import InputError, ModelError
from easydyn.inputs import expect, listed, name_in, text
from easydyn.mechanics.known import check_symbols
from easydyn.mechanics.mechanism import MasslessPoint
from easydyn.mechanics.symbols import Acceleration, Parameter, StateRate, Unknown
from easydyn.model import declarations
from easydyn.run.starting import Wanted
from easydyn.vec import ZERO, Block, Inertia, Shift, Transform, Vector, as_transform, rotation_sequence, singles
from easydyn.vec.scalars import symbols_of


@answers
class Finding:
    """The part of a Model that declares unknowns and massless points."""

    def unknown(self: Any, name: Any, *, initial: Any = 0, unit: Any = None) -> Unknown:
        """Declare one unknown, which is found from equations at every instant of a run; return it, not in a tuple.

        Parameters
        ----------
        name : str
            One name.
        initial : scalar
            An estimate of its value at the start (its own unit), from which the search begins. A number or an
            expression of parameters; zero if left out. If the equations are linear in the unknown, the estimate does
            not matter.
        unit : str, optional
            Shown on plots.

        Returns
        -------
        Unknown
            A symbol. A `model.equation(...)` that contains it, but not its rate, determines it.

        Raises
        ------
        InputError, ModelError
            An invalid name, several names, a name that is taken.

        Example
        -------
        >>> from easydyn import GeneralizedForce, Model, tdisp
        >>> model = Model("hardening pad")
        >>> x, = model.coordinates("x", initial=0.5)
        >>> block = model.body("block", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
        >>> F = model.unknown("F", unit="N")
        >>> model.equation(F + F**3 - 10*x)  # how far it is pressed in by a force
        >>> model.add(GeneralizedForce(x, -F))
        >>> run = model.simulate(1)
        >>> bool(abs(run["F"] + run["F"]**3 - 10*run["x"]).max() < 1e-12)
        True
        """
        declarations.single(name, "unknown", self)
        return self.unknowns([name], initial=initial, unit=unit)[0]

    def unknowns(self: Any, names: Any, *, initial: Any = 0, unit: Any = None) -> tuple[Unknown, ...]:
        """Declare unknowns, which equations (`model.equation`) without their rates determine; always returns a tuple.

        Parameters
        ----------
        names : str or list of str
            Separated by spaces or commas.
        initial : scalar or one scalar for each
            Estimates of their values at the start (their own units); zero if left out.
        unit : str, optional
            Shown on plots.

        Returns
        -------
        tuple of Unknown
            Symbols.

        Raises
        ------
        InputError, ModelError
            An invalid name, a name that is taken, a number of values that differs from the number of names.
        """
        return self._first_order(Unknown, "unknowns", names, initial, unit)  # type: ignore[no-any-return]

    def start(self: Any, *expressions: Any, free: Any = None) -> None:
        """State expressions that are zero at the start of runs; the free values are found before the run begins.

        Such a condition can be, for example: the tip is at a given position, the accelerations are zero (equilibrium),
        or a force has a given value. `run.message` of a run or a stepper reports the values with which it began.

        Parameters
        ----------
        expressions : scalars
            Expressions of coordinates, rates, accelerations, states, inputs and parameters, each zero at the start, in
            its own unit.
        free : sequence of symbols or names, optional
            The coordinates, rates, states (their initial values) and parameters that may change, as many as there are
            expressions. If left out, all initial values that a run does not name are free, and they change as little as
            possible.

        Raises
        ------
        InputError, UnknownNameError, ModelError
            Something that is not an expression; a symbol that is not of this model, or cannot be free; a wrong number
            of free symbols.

        Example
        -------
        >>> from easydyn import Model, tdisp, trotz
        >>> model = Model("crane", gravity=(0, -9.81, 0))
        >>> q, = model.coordinates("q", initial=0.2)
        >>> k, = model.parameters(k=50)
        >>> arm = model.body("arm", trotz(q) * tdisp(1, 0, 0), mass=2, inertia=(0, 0, 0.1))
        >>> from easydyn import TorsionSpring
        >>> model.add(TorsionSpring(q, stiffness=k, free_angle=0.6))
        >>> model.start(arm.T.e.y - 0.3, q.ddot, free=[q, k])  # it rests at this height: how stiff is the spring?
        >>> run = model.simulate(0.1)
        >>> round(run.parameters["k"], 3), bool(abs(run["q"] - run["q"][0]).max() < 1e-9)
        (63.379, True)
        """
        if not expressions:
            raise InputError("model.start() got nothing: expected expressions that are zero at the start of runs.")
        zero = [_asked(self, e) for e in expressions]
        names = None if free is None else _changeable(self, free)
        if names is not None and (len(names) != len(zero) or len(set(names)) != len(names)):
            raise ModelError(
                f"model.start() of model '{self.name}' has {len(zero)} expressions and {len(names)} free symbols "
                f"({', '.join(names) or 'none'}): expected as many of one as of the other, each once."
            )
        taken = {name for wanted in self._starts for name in wanted.free or ()} & set(names or ())
        if taken:
            raise ModelError(
                f"model.start() of model '{self.name}': {sorted(taken)[0]} is free for another start already: expected "
                "each once."
            )
        with self.together():
            self._starts.append(Wanted(zero, names))

    @property
    def starts(self: Any) -> tuple[Wanted, ...]:
        """The conditions given to `start`, in the order of the calls."""
        return tuple(self._starts)

    def node(self: Any, name: str, *, position: Any = None, frame: Any = None) -> MasslessPoint:
        """Add a massless point, an end for springs; at every instant it is where the forces on it balance.

        With `frame` in place of `position` it turns, too, and the moments on it balance.

        Parameters
        ----------
        name : str
            Its name.
        position : 3 scalars (m), optional
            Ground components. Numbers are an estimate of the position at the start; the point may then move anywhere,
            and its unknowns are NAME_x, NAME_y, NAME_z. Expressions of `model.unknowns` and parameters restrict the
            motion: (x, y, 0) to a plane, (s, s**2, 0) to a rail.
        frame : Transform or 4x4 matrix (m, rad), optional
            A frame that turns, an end for bushings and moments. In numbers, an estimate: the unknowns are then
            NAME_x, NAME_y, NAME_z, and the cardan angles NAME_rx, NAME_ry, NAME_rz from there. With `model.unknowns` it
            moves as they do, `tdisp(s, 0, 0) * trotz(a)`.

        Returns
        -------
        MasslessPoint
            For `Spring`, `SpringDamperSeries`, `Force`, `Bushing`, ...; with `T`, `v` and `omega` in SymPy.

        Raises
        ------
        InputError, ModelError
            A name that is taken, an invalid position or frame, both, or neither.

        Example
        -------
        >>> from easydyn import Model, Spring, ground, tdisp
        >>> model = Model("two springs, one behind the other")
        >>> x, = model.coordinates("x", initial=2.5)
        >>> block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        >>> s = model.unknown("s", initial=1)
        >>> knot = model.node("knot", position=(s, 0, 0))
        >>> model.add(Spring(ground, knot, stiffness=30, free_length=1))
        >>> model.add(Spring(knot, block, stiffness=60, free_length=1))
        >>> run = model.simulate(1)
        >>> bool(abs(20*(run["x"] - 2) - 30*(run["s"] - 1)).max() < 1e-12)  # 1/(1/30 + 1/60)
        True
        """
        text(name, "the name of a node", '"knot"')
        where = f"node '{name}'"
        if name == "ground" or name in {b.name for b in (*self.bodies, *self._points.values())}:
            raise ModelError(f"model '{self.name}' has a body or a node '{name}' already: every one has its own name.")
        if (position is None) == (frame is None):
            raise InputError(
                f"{where} got {'neither position nor frame' if frame is None else 'both position and frame'}: expected "
                "one, position=(x, y, z) of a point, or frame=T of what turns, too."
            )
        what = f"the {'position' if frame is None else 'frame'} of {where}"
        T = as_transform(frame, what) if position is None else Transform((Shift(singles(position, what)),))
        for c in T.scalars():
            check_symbols(c, what, self, (Unknown, Parameter), "unknowns and parameters")
        with self.together():
            if not any(isinstance(s, Unknown) for s in T.free_symbols):
                e = self.unknowns([f"{name}_{axis}" for axis in "xyz"], initial=list(T.e), unit="m")
                T = Transform((Shift(Vector(*e)), *([] if frame is None else [Block(T.R, ZERO)])))
                if frame is not None:
                    T *= rotation_sequence("xyz", *self.unknowns([f"{name}_r{axis}" for axis in "xyz"], unit="rad"))
            point = self._points[name] = MasslessPoint(name, T, 0, Inertia(ZERO, ZERO, ZERO))
        return point


def _asked(model: Any, expression: Any) -> sympy.Expr:
    """An expression that is zero at the start."""
    what = f"what model '{model.name}' starts with"
    message = "SymPy expressions that are zero there, such as arm.T.e.x - 0.7, or sympy.Eq(left, right)"
    expect(isinstance(expression, sympy.Basic), what, expression, message)
    found = declarations.zero(expression, what)
    check_symbols(found, what, model)
    check_convertible(found, what)
    return found


def _changeable(model: Any, free: Any) -> list[str]:
    """Names of what may be changed at the start."""
    known = [name for name in model.initial_values if not isinstance(model._symbols[name], Unknown)]
    known += map(str, model._parameters)
    message = f"free has {{!r}}: expected coordinates, rates, states or parameters of model '{model.name}', of {{}}."
    return [name_in(x, known, message) for x in listed(free, "free", "symbols of initial values and parameters")]


def is_condition(e: Any) -> bool:
    """True for an equation that determines unknowns: it contains one, but no rate of a state and no acceleration."""
    symbols = symbols_of(e)
    return any(isinstance(s, Unknown) for s in symbols) and not any(
        isinstance(s, StateRate | Acceleration) for s in symbols
    )
