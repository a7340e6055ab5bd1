"""Loops of a model, solved: assembled, in closed form, or regular for multipliers; what was found is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from easydyn.constraints.assembly import Closed, Constraints, Redundancy
from easydyn.constraints.carrying import carried
from easydyn.constraints.reducing import reduced
from easydyn.constraints.search import Forms, forms_at, parallels_at
from easydyn.engine.derivation import Derivation
from easydyn.engine.system import CompiledSystem, Programs
from easydyn.mechanics.mechanism import Mechanism
from easydyn.model import declarations


class Solver:
    """What assembles the loops of a model, and solves them."""

    def __init__(self, model: Any):
        self.model = model
        self._known: dict[Any, Any] = model._compiled

    def constraints_at(self, values: Mapping[str, float], t: float = 0.0) -> Constraints:
        """The constraints in numbers, at a time `t` (s), for `values` of all parameters in their own units."""
        if "open" not in self._known:
            self._known["open"] = Programs(Derivation(declarations.complete(self.model.mechanism), "recursive"))
        key = "constraints", tuple(values.values())
        if key not in self._known:
            system = CompiledSystem(self._known["open"], values, "python")
            self._known[key] = Constraints(system)
        found: Constraints = self._known[key]
        return found if found.t == t else Constraints(found.system, t)

    def closed(
        self, initial: Any, values: Mapping[str, float], t: float = 0.0, hold: Sequence[str] = ()
    ) -> tuple[Closed, Redundancy]:
        """The state nearest to the `initial` one in which all constraints hold at `t` (s), and which are redundant.

        `values` are those of all parameters, in their own units; coordinates in `hold` keep their values.
        """
        at = self.constraints_at(values, t)
        q, qd = self.model.initial(initial, values)
        named = [name for name in at.names if initial and name in {str(key) for key in initial}]
        freedoms = at.n - len(at.dependent(q[: at.n]))
        prefer = named if len(named) <= freedoms else ()  # else they are guesses of how it is assembled
        found = at.assemble(q[: at.n], qd[: at.n], hold, prefer)
        return found, at.redundancy(found.q)

    def reasons_for_multipliers(self) -> list[str]:
        """Why the loops of this model are not solved for independent coordinates in a run, in words; empty if they are.

        What changes the state at events, and what holds coordinates, is done on all of them.
        """
        m = self.model.mechanism
        found = [f"{effort} changes its mode at events" for effort in m.efforts if effort.flags]
        found += [f"event '{e.name}' changes the state" for e in self.model.events if e.action not in (None, "stop")]
        found += [f"{c.title} depends on time" for c in m.constraints if c.driven]
        return found + [f"{q} can be locked" for q in m.locks]

    def forms(self, closed: Closed, values: Mapping[str, float], t: float) -> Forms:
        """The closed forms of dependent coordinates at a state that is assembled at `t` (s), for parameter `values`."""
        key = "forms", closed.independent, tuple(values.values()), tuple(np.round(closed.q, 6)), t
        if key not in self._known:
            found = forms_at(self.constraints_at(values, t), closed.q, closed.independent)
            self._known[key] = found if self._usable(found) else Forms((), (), {})
        return self._known[key]

    def _usable(self, found: Forms) -> bool:
        """False where an angle stands in a law as it is, not in sines: a closed form gives it but for whole turns."""
        m = self.model.mechanism
        angles = {f.coordinate for f in found.forms if m.units.get(str(f.coordinate)) == "rad"}
        written = [*m.equations, *m.outputs.values(), *(x for e in m.efforts for x in e.expressions())]
        written += [e.expression for e in self.model.events]
        used = {s for x in written for s in getattr(x, "free_symbols", ())}
        return not angles & (used | {q for e in m.efforts for q in e.coordinates})

    def reduced_system(
        self, values: Mapping[str, float], found: Forms, target: str, scheme: str, given: Any, closed: Closed, t: float
    ) -> Any:
        """The system of the independent coordinates, for parameter `values`, at a state `closed` at `t` (s)."""
        def programs(kept: tuple[int, ...]) -> Programs:
            key = "reduced", scheme, tuple(given.formulas.items()), found.forms, found.carried, kept
            if key not in self._known:
                mechanism = reduced(declarations.complete(self.model.mechanism), found).with_given(given.formulas, ())
                self._known[key] = Programs(Derivation(self.carried(mechanism, kept), scheme))
            return self._known[key]

        parameters, kept = {**values, **found.branches}, tuple[int, ...]()
        if found.carried:
            open_system = CompiledSystem(programs(()), parameters, "python", given.numbers)
            names = [str(c) for c in self.model.mechanism.coordinates]
            q = closed.q[[names.index(str(c)) for c in open_system.mechanism.coordinates]]
            kept = Constraints(open_system, t).redundancy(q).kept
        key = "reduced system", programs(kept), tuple(parameters.values()), target, tuple(given.numbers.items())
        if key not in self._known:
            self._known[key] = CompiledSystem(programs(kept), parameters, target, given.numbers)
        return self._known[key]

    def regular_system(
        self, values: Mapping[str, float], target: str, scheme: str, given: Any, locks: Any, closed: Closed, t: float
    ) -> Any:
        """The system with multipliers in which parallelograms stay parallel, where they lie flat, too.

        At a state `closed` at `t` (s), for parameter `values`; None where there are no parallelograms.
        """
        key = "parallels", closed.independent, tuple(values.values()), tuple(np.round(closed.q, 6)), t
        if key not in self._known:
            found = parallels_at(self.constraints_at(values, t), closed.q, closed.independent)
            mechanism = declarations.complete(self.model.mechanism)
            kept = tuple[int, ...]()
            if found:
                mechanism = replace(mechanism, constraints=(*found, *mechanism.constraints))
                open_system = CompiledSystem(Programs(Derivation(mechanism, "recursive")), values, "python")
                kept = Constraints(open_system, t).redundancy(closed.q).kept
            self._known[key] = (mechanism, kept) if found else None
        known: Any = self._known[key]
        if known is None:
            return None
        mechanism, kept = known
        programs_key = "regular", scheme, tuple(given.formulas.items()), locks, key
        if programs_key not in self._known:
            whole = self.carried(mechanism, kept).with_given(given.formulas, locks)
            self._known[programs_key] = Programs(Derivation(whole, scheme))
        system_key = "regular system", programs_key, target, tuple(given.numbers.items())
        if system_key not in self._known:
            system = CompiledSystem(self._known[programs_key], values, target, given.numbers)
            self._known[system_key] = system
        return self._known[system_key]

    def is_safe(self, system: Any, closed: Closed) -> bool:
        """True when no position of the independent coordinates is near a dead point of a closed form: looked at."""
        if not system.derivation.margins:
            return True
        if "safe" not in system.prepared:
            m, n = system.mechanism, len(system.mechanism.coordinates)
            names = [str(c) for c in self.model.mechanism.coordinates]
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

