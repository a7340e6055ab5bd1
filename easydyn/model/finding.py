"""Unknowns of a model that no equation of motion has: points without mass, and whatever else is found at every instant.

    knot = model.node("knot", position=(0.5, 0.2, 0))
    s = model.unknown("s", initial=0.1)
    model.equation(k*s + c*s**3 - F)
"""

from __future__ import annotations

from typing import Any

from easydyn.arguments import answers
from easydyn.errors import ModelError
from easydyn.inputs import text
from easydyn.mechanics.known import check_symbols
from easydyn.mechanics.mechanism import MasslessPoint
from easydyn.mechanics.symbols import Acceleration, Declared, Parameter, StateRate, Unknown
from easydyn.model import declarations
from easydyn.vec import Inertia, Shift, Transform, Vector, vector
from easydyn.vec.scalars import alone


@answers
class Finding:
    """The part of a Model that knows unknowns and points without mass."""

    def unknown(self: Any, name: Any, *, initial: Any = 0, unit: Any = None) -> Unknown:
        """Declare one unknown, and return it, not in a tuple: found from equations at every instant of a run.

        Parameters
        ----------
        name : str
            One name.
        initial : scalar
            About what it is at the start (its own unit): from there it is looked for. A number or an expression of
            parameters; zero if left out. Of equations that are linear in it this does not matter.
        unit : str, optional
            Shown on plots.

        Returns
        -------
        Unknown
            A symbol. `model.equation(...)` with it, and without its rate, determines it.

        Raises
        ------
        InputError, ModelError
            What is no name, several names, a name that is taken.

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
        """Declare unknowns, which `model.equation(...)` without their rates determine; always returns a tuple.

        Parameters
        ----------
        names : str or list of str
            Separated by spaces or commas.
        initial : scalar or one scalar for each
            About what they are at the start (their own units); zero if left out.
        unit : str, optional
            Shown on plots.

        Returns
        -------
        tuple of Unknown
            Symbols.

        Raises
        ------
        InputError, ModelError
            What is no name, a name that is taken, another number of values than of names.
        """
        found = declarations.names(names, "unknowns", self)
        symbols = Declared(Unknown(name) for name in found)
        values = declarations.values(initial, found, "initial", self)
        with self.together():
            if unit is not None:
                self._units.update(declarations.units(unit, found))
            self._states.update(zip(symbols, values, strict=True))
            self._symbols.update({str(s): s for p in symbols for s in (p, p.dot)})
        return symbols

    def node(self: Any, name: str, *, position: Any) -> MasslessPoint:
        """Add a point without mass, an end for springs: it is where the forces at it balance, at every instant.

        Parameters
        ----------
        name : str
            What it is called.
        position : 3 scalars (m)
            Ground components. Numbers say about where it is at the start, and it may go anywhere: its unknowns are
            NAME_x, NAME_y, NAME_z. Expressions of `model.unknowns` and parameters let it go as far as these say:
            (x, y, 0) in a plane, (s, s**2, 0) on a rail.

        Returns
        -------
        MasslessPoint
            For `Spring`, `SpringDamperSeries`, `Force`, ...; with `T` and `v` in SymPy.

        Raises
        ------
        InputError, ModelError
            A name that is taken, what is no place.

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
        place = vector(position, f"the position of {where}").map(alone)
        for c in place:
            check_symbols(c, f"the position of {where}", self, (Unknown, Parameter), "unknowns and parameters")
        with self.together():
            if not any(isinstance(s, Unknown) for c in place for s in getattr(c, "free_symbols", ())):
                names = [f"{name}_{axis}" for axis in "xyz"]
                place = Vector(*self.unknowns(names, initial=list(place), unit="m"))
            nothing = Inertia(*3 * [Vector(0, 0, 0)])
            point = MasslessPoint(name, Transform((Shift(place),)), 0, nothing)
            self._points[name] = point
        return point


def is_condition(e: Any) -> bool:
    """True for an equation that determines unknowns: it has one, and no rate of a state, no acceleration."""
    symbols: set[Any] = getattr(e, "free_symbols", set())
    return any(isinstance(s, Unknown) for s in symbols) and not any(
        isinstance(s, StateRate | Acceleration) for s in symbols
    )
