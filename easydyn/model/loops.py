"""Loops and constraints of a model: closing them, counting them, putting them together.

    pin = model.close((coupler, (l2/2, 0, 0)), (rocker, (l3/2, 0, 0)), joint="revolute")
    model.constraint(a - 2*b, name="gears")
    print(model.mobility())
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.arguments import answers
from easydyn.constraints import Closure, Equation
from easydyn.constraints.assembly import Closed, Constraints, Redundancy
from easydyn.constraints.carrying import carried
from easydyn.constraints.search import Forms, forms_at, parallels_at
from easydyn.engine.derivation import Derivation
from easydyn.engine.system import CompiledSystem, Programs
from easydyn.inputs import by_name, finite, listed
from easydyn.model import constraining, declarations

if TYPE_CHECKING:
    from easydyn.constraints.mobility import Mobility
    from easydyn.mechanics.mechanism import Mechanism


@answers
class Loops:
    """The part of a Model that knows loops and constraints."""

    _constraints: dict[str, Any]
    _compiled: dict[Any, Programs]

    if TYPE_CHECKING:
        name: str

        @property
        def events(self) -> tuple[Any, ...]: ...

        @property
        def mechanism(self) -> Mechanism: ...

        def together(self) -> Any: ...
        def values(self, parameters: Any = None) -> dict[str, float]: ...
        def initial(self, overriding: Any, parameters: Any) -> tuple[np.ndarray, np.ndarray]: ...

    # -- declaring --------------------------------------------------------------------------------------------------

    def close(
        self, first: Any, second: Any, *, joint: Any = None, axis: Any = None, length: Any = None,
        name: str | None = None,
    ) -> Closure:  # fmt: skip
        """Close a loop: a joint that holds two frames together, whose force is found with the motion.

        Parameters
        ----------
        first, second : Body, ground, (body, (x, y, z)) or (body, Transform)
            The frames: that of a body, moved to a point (m) of it, or by a constant transform.
        joint : str or tuple of str
            "revolute", "prismatic", "cylindrical", "spherical", "universal" (the cross turns about x of the first frame
            and y of the second), "planar", "weld", "distance" (a massless rod), or what coincides of "x", "y", "z",
            "rx", "ry", "rz", seen from the first frame.
        axis : str or 3 scalars, optional
            Of the joint, in the axes of both frames: z if left out.
        length : scalar (m)
            Of the rod, with "distance".
        name : str, optional
            What it is called; "first-second" if left out.

        Returns
        -------
        Closure
            For `run.reaction(closure)` and `run.multipliers(closure)`.

        Raises
        ------
        InputError, ModelError, UnknownNameError
            What is no frame, no joint, no axis; two frames of one body.

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
        with self.together():
            self._constraints[closure.name] = closure
        return closure

    def constraint(self, expression: Any, *, name: str | None = None, holonomic: Any = None) -> Equation:
        """Add a constraint, `expression = 0`: of coordinates, or linear in their rates.

        Parameters
        ----------
        expression : SymPy expression or Eq
            Of coordinates, parameters and time (in its own unit), or of these and, linearly, of rates.
        name : str, optional
            What it is called; the expression if left out.
        holonomic : SymPy expression, optional
            Of a constraint of rates that can be integrated: its integral, which then holds instead.

        Returns
        -------
        Equation
            For `run.multipliers(constraint)`.

        Raises
        ------
        InputError, ModelError
            What is no expression, has no coordinate, accelerations, or products of rates.

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

    def dependent(self, coordinate: Any, expression: Any) -> Equation:
        """Say that a `coordinate` is given by others: coordinate = `expression` (its unit), as of gears and racks.

        It keeps its name, its column and its plot. The expression has other coordinates, parameters and time; raises
        InputError, ModelError or UnknownNameError otherwise. Returns the constraint (an Equation).
        """
        found = constraining.dependent(coordinate, expression, self)
        with self.together():
            self._constraints[found.name] = found
        return found

    # -- asking -----------------------------------------------------------------------------------------------------

    def constraints_at(self, values: Mapping[str, float], t: float = 0.0) -> Constraints:
        """The constraints in numbers, at a time `t` (s), for `values` of all parameters in their own units."""
        if "open" not in self._compiled:
            self._compiled["open"] = Programs(Derivation(declarations.complete(self.mechanism), "recursive"))
        key = "constraints", tuple(values.values())
        if key not in self._compiled:
            system = CompiledSystem(self._compiled["open"], values, "python")
            self._compiled[key] = Constraints(system)  # type: ignore[assignment]
        found: Any = self._compiled[key]
        return found if found.t == t else Constraints(found.system, t)

    def closed(
        self, initial: Any, values: Mapping[str, float], t: float = 0.0, hold: Sequence[str] = ()
    ) -> tuple[Closed, Redundancy]:
        """The state nearest to the `initial` one in which all constraints hold at `t` (s), and which are redundant.

        `values` are those of all parameters, in their own units; coordinates in `hold` keep their values.
        """
        at = self.constraints_at(values, t)
        q, qd = self.initial(initial, values)
        named = [name for name in at.names if initial and name in {str(key) for key in initial}]
        prefer = named if len(named) < at.n else ()
        found = at.assemble(q[: at.n], qd[: at.n], hold, prefer)
        return found, at.redundancy(found.q)

    def reasons_for_multipliers(self) -> list[str]:
        """Why the loops of this model are not solved for independent coordinates in a run, in words; empty if they are.

        What changes the state at events, and what holds coordinates, is done on all of them.
        """
        m = self.mechanism
        found = [f"{effort} changes its mode at events" for effort in m.efforts if effort.flags]
        found += [f"event '{e.name}' changes the state" for e in self.events if e.action not in (None, "stop")]
        found += [f"{c.title} depends on time" for c in m.constraints if c.driven]
        return found + [f"{q} can be locked" for q in m.locks]

    def forms(self, closed: Closed, values: Mapping[str, float], t: float) -> Forms:
        """The closed forms of dependent coordinates at a state that is assembled at `t` (s), for parameter `values`."""
        key = "forms", closed.independent, tuple(values.values()), tuple(np.round(closed.q, 6)), t
        if key not in self._compiled:
            found = forms_at(self.constraints_at(values, t), closed.q, closed.independent)
            self._compiled[key] = found if self._usable(found) else Forms((), (), {})  # type: ignore[assignment]
        return self._compiled[key]  # type: ignore[return-value]

    def _usable(self, found: Forms) -> bool:
        """False where an angle stands in a law as it is, not in sines: a closed form gives it but for whole turns."""
        m = self.mechanism
        angles = {f.coordinate for f in found.forms if m.units.get(str(f.coordinate)) == "rad"}
        written = [*m.equations, *m.outputs.values(), *(x for e in m.efforts for x in e.expressions())]
        written += [e.expression for e in self.events]
        used = {s for x in written for s in getattr(x, "free_symbols", ())}
        return not angles & (used | {q for e in m.efforts for q in e.coordinates})

    def reduced_system(
        self, values: Mapping[str, float], found: Forms, target: str, scheme: str, given: Any, closed: Closed, t: float
    ) -> CompiledSystem:
        """The system of the independent coordinates, for parameter `values`, at a state `closed` at `t` (s)."""
        from easydyn.constraints.reducing import reduced

        def programs(kept: tuple[int, ...]) -> Programs:
            key = "reduced", scheme, tuple(given.formulas.items()), found.forms, found.carried, kept
            if key not in self._compiled:
                mechanism = reduced(declarations.complete(self.mechanism), found).with_given(given.formulas, ())
                self._compiled[key] = Programs(Derivation(self.carried(mechanism, kept), scheme))
            return self._compiled[key]

        parameters, kept = {**values, **found.branches}, tuple[int, ...]()
        if found.carried:
            open_system = CompiledSystem(programs(()), parameters, "python", given.numbers)
            names = [str(c) for c in self.mechanism.coordinates]
            q = closed.q[[names.index(str(c)) for c in open_system.mechanism.coordinates]]
            kept = Constraints(open_system, t).redundancy(q).kept
        key = "reduced system", programs(kept), tuple(parameters.values()), target, tuple(given.numbers.items())
        if key not in self._compiled:
            self._compiled[key] = CompiledSystem(programs(kept), parameters, target, given.numbers)  # type: ignore
        return self._compiled[key]  # type: ignore[return-value]

    def regular_system(
        self, values: Mapping[str, float], target: str, scheme: str, given: Any, locks: Any, closed: Closed, t: float
    ) -> CompiledSystem | None:
        """The system with multipliers in which parallelograms stay parallel, where they lie flat, too.

        At a state `closed` at `t` (s), for parameter `values`; None where there are no parallelograms.
        """
        key = "parallels", closed.independent, tuple(values.values()), tuple(np.round(closed.q, 6)), t
        if key not in self._compiled:
            found = parallels_at(self.constraints_at(values, t), closed.q, closed.independent)
            mechanism = declarations.complete(self.mechanism)
            kept = tuple[int, ...]()
            if found:
                mechanism = replace(mechanism, constraints=(*found, *mechanism.constraints))
                open_system = CompiledSystem(Programs(Derivation(mechanism, "recursive")), values, "python")
                kept = Constraints(open_system, t).redundancy(closed.q).kept
            self._compiled[key] = (mechanism, kept) if found else None  # type: ignore[assignment]
        known: Any = self._compiled[key]
        if known is None:
            return None
        mechanism, kept = known
        programs_key = "regular", scheme, tuple(given.formulas.items()), locks, key
        if programs_key not in self._compiled:
            whole = self.carried(mechanism, kept).with_given(given.formulas, locks)
            self._compiled[programs_key] = Programs(Derivation(whole, scheme))
        system_key = "regular system", programs_key, target, tuple(given.numbers.items())
        if system_key not in self._compiled:
            system = CompiledSystem(self._compiled[programs_key], values, target, given.numbers)
            self._compiled[system_key] = system  # type: ignore[assignment]
        return self._compiled[system_key]  # type: ignore[return-value]

    def is_safe(self, system: CompiledSystem, closed: Closed) -> bool:
        """True when no position of the independent coordinates is near a dead point of a closed form: looked at."""
        if not system.derivation.margins:
            return True
        if "safe" not in system.prepared:
            m, n = system.mechanism, len(system.mechanism.coordinates)
            names = [str(c) for c in self.mechanism.coordinates]
            q = closed.q[[names.index(str(c)) for c in m.coordinates]]
            angles = np.array([m.units.get(str(c)) == "rad" for c in m.coordinates], dtype=bool)
            count = 400 if n > 1 else 2000
            generator, whole = np.random.default_rng(3), np.zeros((count, system.n))
            spread = generator.uniform(-1, 1, (count, n)) if n > 1 else np.linspace(-1, 1, count)[:, None]
            whole[:, :n] = q + spread * np.where(angles, np.pi, 2 * (1 + np.abs(q)))
            margins = system.along("margins", np.zeros(count), (whole, 0 * whole, 0 * whole), np.zeros((0, 0)))
            system.prepared["safe"] = bool((margins > 0.02).all())
        return bool(system.prepared["safe"])

    def carried(self, mechanism: Mechanism, kept: Sequence[int]) -> Mechanism:
        """The `mechanism` with elements that carry the rows `kept` of its constraints."""
        return carried(mechanism, kept)

    def mobility(self, at: Mapping[str, Any] | None = None) -> Mobility:
        """Count coordinates, equations, degrees of freedom, and say which equations are redundant, and why.

        Parameters
        ----------
        at : dict, optional
            Where it is counted, as `initial` of a run (m, rad): the model's initial state, assembled, if left out.

        Returns
        -------
        Mobility
            `.degrees_of_freedom`, `.redundant`, `.sentences`; it prints its sentences.

        Raises
        ------
        AssemblyError
            When the loops cannot be closed.
        """
        from easydyn.constraints.mobility import mobility_of

        values = self.values()
        closed, redundancy = self.closed(by_name(at, "at", '{"a": 0.3}'), values)
        return mobility_of(self.constraints_at(values), closed, redundancy)

    def assemble(
        self, initial: Mapping[str, Any] | None = None, *, hold: Any = (), parameters: Mapping[str, Any] | None = None,
        t: float = 0.0,
    ) -> dict[str, float]:  # fmt: skip
        """The nearest configuration in which all loops are closed, with rates: {"a": 0.3, ..., "a.dot": 0, ...}.

        Parameters
        ----------
        initial : dict, optional
            The guess where it differs from the model's initial values (m, rad).
        hold : list of str
            Coordinates that keep their values; those that are independent if left out.
        parameters : dict, optional
            Values that differ from the model's own.
        t : float
            Time (s).

        Returns
        -------
        dict
            As `simulate(initial=...)` takes it.

        Raises
        ------
        AssemblyError
            When there is none: which loop, by how much, which lengths.
        InputError, UnknownNameError
            Unknown names.
        """
        time = finite(t, "t")
        held = constraining.names(listed(hold, "hold", "names of coordinates"), "hold", self)
        found, _ = self.closed(by_name(initial, "initial", '{"a": 0.3}'), self.values(parameters), time, held)
        names = self.constraints_at(self.values(parameters)).names
        places = dict(zip(names, found.q.tolist(), strict=True))
        return places | {f"{name}.dot": x for name, x in zip(names, found.qd.tolist(), strict=True)}

    def assemblies(
        self, *, hold: Any = (), parameters: Mapping[str, Any] | None = None, t: float = 0.0, starts: int = 200
    ) -> list[dict[str, float]]:
        """All ways to assemble the loops with some coordinates held, by rising distance from the initial guess.

        Parameters
        ----------
        hold : list of str
            Coordinates that keep their initial values; those that are independent if left out.
        parameters : dict, optional
            Values that differ from the model's own.
        t : float
            Time (s).
        starts : int
            How many guesses, spread at random with a fixed seed, they are looked for from.

        Returns
        -------
        list of dict
            Configurations by name (m, rad), angles between -pi and pi beside the guess.
        """
        from easydyn.constraints.assemblies import all_of
        from easydyn.inputs import whole

        values, time = self.values(parameters), finite(t, "t")
        held = constraining.names(listed(hold, "hold", "names of coordinates"), "hold", self)
        at = self.constraints_at(values, time)
        q, _ = self.initial(None, values)
        found = all_of(at, q[: at.n], held, whole(starts, "starts", 100_000))
        return [dict(zip(at.names, x.tolist(), strict=True)) for x in found]
