"""Loops and constraints of a model: closing, counting and assembling them.

    pin = model.close((coupler, (l2/2, 0, 0)), (rocker, (l3/2, 0, 0)), joint="revolute")
    model.constraint(a - 2*b, name="gears")
    print(model.mobility())
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from easydyn.arguments import answers
from easydyn.constraints import Closure, Equation
from easydyn.inputs import by_name, coordinates_of, finite, whole
from easydyn.model import constraining
from easydyn.model.declarations import other_than
from easydyn.model.solving import Solver

if TYPE_CHECKING:
    from easydyn.constraints.closures import Closures
    from easydyn.constraints.mobility import Mobility


@answers
class Loops:
    """The part of a Model that handles loops and constraints."""

    # -- declaring --------------------------------------------------------------------------------------------------

    def close(
        self: Any, first: Any, second: Any, *, joint: Any = None, axis: Any = None, length: Any = None,
        name: str | None = None, mass: Any = None,
    ) -> Closure:  # fmt: skip
        """Close a loop by a joint that holds two frames together; its force is computed with the motion.

        Parameters
        ----------
        first, second : Body, ground, (body, (x, y, z)) or (body, Transform)
            The two frames: the frame of a body, moved to one of its points (m), or by a constant transform.
        joint : str or tuple of str
            "revolute", "prismatic", "cylindrical", "spherical", "universal" (the cross turns about x of the first frame
            and y of the second), "planar", "weld", "distance" (a massless rod), or a tuple of the directions that
            coincide: "x", "y", "z", "rx", "ry", "rz", seen from the first frame.
        axis : str or 3 scalars (no unit), optional
            Axis of the joint, in the axes of both frames: z if left out.
        length : scalar (m)
            Length of the rod, with "distance".
        mass : scalar (kg), optional
            Mass of the rod, with "distance": a slender rod of the same section all along, exactly, as point masses of a
            sixth at its ends and of two thirds in its middle, which are bodies of the model.
        name : str, optional
            Its name; "first-second" if left out.

        Returns
        -------
        Closure
            For `run.reaction(closure)` and `run.multipliers(closure)`.

        Raises
        ------
        InputError, ModelError, UnknownNameError
            An invalid frame, joint or axis; two frames of one body.

        Notes
        -----
        The equations are those of `easydyn.constraints.joints`.

        Example
        -------
        >>> from easydyn import Model, ground, tdisp, trotz
        >>> four = Model("four-bar", gravity=(0, -9.81, 0))
        >>> a, b, c = four.coordinates("a b c", initial=(1.2, -0.9, 1.5))
        >>> crank = four.body("crank", trotz(a) * tdisp(0.15, 0, 0), mass=1, inertia=(0, 0, 0.01))
        >>> coupler = four.body("coupler", trotz(a) * tdisp(0.3, 0, 0) * trotz(b) * tdisp(0.4, 0, 0), mass=2,
        ...                     inertia=(0, 0, 0.1))
        >>> rocker = four.body("rocker", tdisp(0.9, 0, 0) * trotz(c) * tdisp(0.3, 0, 0), mass=1.5, inertia=(0, 0, 0.05))
        >>> pin = four.close((coupler, (0.4, 0, 0)), (rocker, (0.3, 0, 0)), joint="revolute")
        >>> four.mobility().degrees_of_freedom
        1
        """
        closure = constraining.closure(first, second, joint, axis, length, name, self)
        rods = constraining.rod(closure, mass, self) if mass is not None else ()
        with self.together():
            self._constraints[closure.name] = closure
            for called, T, part, inertia in rods:
                self.body(other_than(called, self._bodies), T, mass=part, inertia=inertia)
        return closure

    def constraint(self: Any, expression: Any, *, name: str | None = None, holonomic: Any = None) -> Equation:
        """Add a constraint, `expression = 0`: of coordinates, or linear in their rates.

        Parameters
        ----------
        expression : SymPy expression or Eq
            A function of coordinates, parameters and time (in its own unit); it may also contain rates, linearly.
        name : str, optional
            Its name; the expression if left out.
        holonomic : SymPy expression, optional
            The integral of a constraint on rates, if it can be integrated; the integral is then imposed instead.

        Returns
        -------
        Equation
            For `run.multipliers(constraint)`.

        Raises
        ------
        InputError, ModelError
            Something that is not an expression, or has no coordinate, accelerations, or products of rates.

        Example
        -------
        >>> from easydyn import Model, trotz
        >>> gears = Model("gears")
        >>> a, b = gears.coordinates("a b")
        >>> wheels = [gears.body(f"wheel {q}", trotz(q), mass=1, inertia=(0, 0, 2)) for q in (a, b)]
        >>> gears.constraint(a + 3*b, name="mesh")
        Constraint 'mesh': a + 3*b = 0
        """
        found = constraining.equation(expression, name, holonomic, self)
        with self.together():
            self._constraints[found.name] = found
        return found

    def dependent(self: Any, coordinate: Any, expression: Any) -> Equation:
        """Make a `coordinate` depend on others: coordinate = `expression` (its unit), as with gears and racks.

        The coordinate keeps its name, its column and its plot. The expression may contain other coordinates, parameters
        and time; anything else raises InputError, ModelError or UnknownNameError. Returns the constraint (an Equation).
        """
        found = constraining.dependent(coordinate, expression, self)
        with self.together():
            self._constraints[found.name] = found
        return found

    # -- asking -----------------------------------------------------------------------------------------------------

    @property
    def solver(self: Any) -> Any:
        """The object that assembles the loops, and solves them for independent coordinates."""
        return Solver(self)

    def mobility(self: Any, at: Mapping[str, Any] | None = None) -> Mobility:
        """Count coordinates, equations and degrees of freedom, and list redundant equations with the reasons.

        Parameters
        ----------
        at : dict, optional
            Where it is counted, as `initial` of a run (m, rad): the model's initial state, assembled, if left out.

        Returns
        -------
        Mobility
            With `.degrees_of_freedom`, `.redundant`, `.sentences`; printing it shows the sentences.

        Raises
        ------
        AssemblyError
            When the loops cannot be closed.
        """
        from easydyn.constraints.mobility import mobility_of

        values = self.values()
        closed, redundancy = self.solver.closed(by_name(at, "at", '{"a": 0.3}'), values)
        return mobility_of(self.solver.constraints_at(values), closed, redundancy)

    def closures(self: Any, at: Mapping[str, Any] | None = None) -> Closures:
        """Show how each loop is solved: by closed forms, in which order, or by Newton's iteration.

        Parameters
        ----------
        at : dict, optional
            The configuration, as `initial` of a run (m, rad): the model's initial state, assembled, if left out. The
            coordinates named here are taken as known, if they can be independent.

        Returns
        -------
        Closures
            With `.nonlinear`, the number of remaining nonlinear equations, `.loops` and `.order`; printing it shows a
            table.

        Raises
        ------
        AssemblyError
            When the loops cannot be closed.

        Notes
        -----
        An equation with one unknown x is A cos x + B sin x + C = 0, a x^2 + 2 b x + c = 0 or linear. Once x is solved,
        it is known in the equations of the other loops (`easydyn.constraints.forms`).

        Example
        -------
        >>> from easydyn import Model, tdisp, trotz
        >>> rods = Model("two rods")
        >>> a, b = rods.coordinates("a b", initial=(1.0, 1.5))
        >>> ends = [(rods.body(f"rod {q}", tdisp(x, 0, 0) * trotz(q), mass=1, inertia=(0, 0, 1)), (0.5, 0, 0))
        ...         for q, x in ((a, 0), (b, 0.8))]
        >>> rod = rods.close(*ends, joint="distance", length=0.7)
        >>> rods.closures()
        loop         coordinates that follow        nonlinear equations
        rod a-rod b  b as an angle (two solutions)  0
        Known: a. Nonlinear equations left: 0.
        """
        from easydyn.constraints.closures import closures_of

        values = self.values()
        closed, _ = self.solver.closed(by_name(at, "at", '{"a": 0.3}'), values)
        left = self.solver.left_to_multipliers(closed, values, 0.0)
        reasons = [*self.solver.reasons_for_multipliers(), *left]
        found = self.solver.forms(closed, values, 0.0)
        return closures_of(self.solver.constraints_at(values), closed, found, reasons)

    def assemble(
        self: Any, initial: Mapping[str, Any] | None = None, *, hold: Any = (),
        parameters: Mapping[str, Any] | None = None, t: float = 0.0,
    ) -> dict[str, float]:  # fmt: skip
        """Find the nearest configuration in which all loops are closed, with rates: {"a": 0.3, ..., "a.dot": 0, ...}.

        Parameters
        ----------
        initial : dict, optional
            The guess where it differs from the model's initial values (m, rad).
        hold : list of str
            Coordinates that keep their values; the independent coordinates if left out.
        parameters : dict, optional
            Values that differ from the model's own.
        t : float
            Time (s).

        Returns
        -------
        dict
            Coordinates (m, rad) and rates by name, as `simulate(initial=...)` takes them.

        Raises
        ------
        AssemblyError
            When there is none: which loop, by how much, which lengths.
        InputError, UnknownNameError
            Unknown names.
        """
        time = finite(t, "t")
        held = coordinates_of(hold, "hold", self._coordinates)
        found, _ = self.solver.closed(by_name(initial, "initial", '{"a": 0.3}'), self.values(parameters), time, held)
        names = self.solver.constraints_at(self.values(parameters)).names
        places = dict(zip(names, found.q.tolist(), strict=True))
        return places | {f"{name}.dot": x for name, x in zip(names, found.qd.tolist(), strict=True)}

    def assemblies(
        self: Any, *, hold: Any = (), parameters: Mapping[str, Any] | None = None, t: float = 0.0, starts: int = 200
    ) -> list[dict[str, float]]:
        """Find all ways to assemble the loops with some coordinates held, the nearest to the initial guess first.

        Parameters
        ----------
        hold : list of str
            Coordinates that keep their initial values; the independent coordinates if left out.
        parameters : dict, optional
            Values that differ from the model's own.
        t : float
            Time (s).
        starts : int
            Number of guesses from which the search begins; they are random, with a fixed seed.

        Returns
        -------
        list of dict
            Configurations by name (m, rad), with angles that differ from the guess by at most pi.

        Raises
        ------
        AssemblyError
            When there is none: which loop, by how much, which lengths.
        """
        from easydyn.constraints.assemblies import all_of

        values, time = self.values(parameters), finite(t, "t")
        held = coordinates_of(hold, "hold", self._coordinates)
        at = self.solver.constraints_at(values, time)
        q, _ = self.initial(None, values)
        found = all_of(at, q[: at.n], held, whole(starts, "starts", 100_000))
        return [dict(zip(at.names, x.tolist(), strict=True)) for x in found]
