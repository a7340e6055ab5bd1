"""Solving the loops of a model: assembly, closed forms, or a regular system with multipliers; results are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import sympy

from easydyn.constraints.assembly import Closed, Constraints, Redundancy
from easydyn.constraints.carrying import formulas_of, reduced
from easydyn.constraints.closures import AS_IT_IS
from easydyn.constraints.search import ClosedFormsAt, Forms, forms_at, parallels_at
from easydyn.engine.kept import Kept
from easydyn.engine.system import CompiledSystem
from easydyn.errors import AssemblyError
from easydyn.mechanics.independent import Reduction
from easydyn.mechanics.mechanism import Mechanism
from easydyn.mechanics.symbols import Coordinate, Rate, t
from easydyn.model import declarations
from easydyn.vec import Transform
from easydyn.vec.scalars import symbols_of

CLEAR = 0.005  # of margins: beyond that no dead point is near
MOST = 32  # results for values of parameters and states that are kept


class Solver:
    """The object that assembles the loops of a model, and solves them.

    Derived equations are kept with the model; of numerical results the last few are kept. The independent rows and the
    closed forms are found at the declared initial state of the model, and checked again at any other state. So earlier
    runs have no influence on the result.
    """

    def __init__(self, model: Any):
        self.model = model
        self._derived: Kept = model._compiled
        self._recent: Kept = model._recent

    def constraints_at(
        self, values: Mapping[str, float], t: float = 0.0, qd: np.ndarray | None = None, target: str = "python"
    ) -> Constraints:
        """The constraints in numbers, at a time `t` (s), for `values` of all parameters in their own units.

        States that drive frames are taken from `qd` (n,), or from the start of the model if it is left out.
        """
        programs = self.model._programs("recursive")
        key = "constraints", tuple(values.values()), str(target)
        found = self._recent.of(key, lambda: Constraints(CompiledSystem(programs, values, target)))
        if found.mechanism.drives:
            qd = self.model.initial(None, values)[1] if qd is None else qd
            return Constraints(found.system, t, qd[found.n : found.system.n])
        return found if found.t == t else Constraints(found.system, t)

    def closed(
        self, initial: Any, values: Mapping[str, float], t: float = 0.0, hold: Sequence[str] = ()
    ) -> tuple[Closed, Redundancy]:
        """The state nearest to `initial` in which all constraints hold at `t` (s), and the redundant ones.

        `values` are those of all parameters, in their own units; coordinates in `hold` keep their values.
        """
        q, qd = self.model.initial(initial, values)
        at = self.constraints_at(values, t, qd)
        given = {str(key) for key in initial} if initial else set[str]()
        named = tuple(name for name in at.names if name in given)
        rates = tuple(name for name in at.names if f"{name}.dot" in given)
        state = q[: at.n].tobytes(), qd[: at.n].tobytes(), at.states.tobytes(), self._lengths(values), t
        return self._recent.of(
            ("closed", *state, tuple(hold), named, rates),
            lambda: self._closed(at, q[: at.n], qd[: at.n], hold, named, rates),
        )

    def _closed(
        self, at: Constraints, q: np.ndarray, qd: np.ndarray, hold: Sequence[str], named: tuple[str, ...],
        rates: tuple[str, ...],
    ) -> tuple[Closed, Redundancy]:
        freedoms = at.n - len(at.dependent_near(q, named)) if named or rates else 0
        prefer = named if len(named) <= freedoms else ()  # else they are guesses of how it is assembled
        kept = rates if len(rates) <= freedoms else ()
        found, declared = at.assemble(q, qd, hold, prefer, kept), self._declared()
        if any(name in found.moved for name in prefer):  # held, or it cannot be: which loop, which lengths
            found = at.assemble(q, qd, prefer, prefer, kept)
        lost = [name for name in (f"{x}.dot" for x in kept) if name in found.moved]
        if lost:
            told = ", ".join(f"{name} = {found.moved[name][0]:.6g} ({found.moved[name][1]:.6g} fits)" for name in lost)
            raise AssemblyError(
                f"model '{self.model.name}' cannot start with {told}: its loops forbid this rate there. Give one that "
                "fits, or start elsewhere.",
                time=at.t,
            )
        again = declared and self.has_declared_lengths(at.system.parameters) and at.confirmed(declared[2], found.q)
        redundancy = again or at.redundancy(found.q)
        return at.led_on(found, redundancy.degrees_of_freedom), redundancy

    def _lengths(self, values: Mapping[str, float]) -> tuple[float, ...]:
        """The `values` of those parameters that decide how loops close."""
        names = self._derived.of("lengths", lambda: self.constraints_at(values).lengths)
        return tuple(values[name] for name in names)

    def has_declared_lengths(self, values: Mapping[str, float]) -> bool:
        """True if loops close with `values` of parameters as in the model as declared."""
        declared = self._declared()
        return declared is not None and self._lengths(values) == self._lengths(declared[0])

    def _declared(self) -> tuple[dict[str, float], Closed, Redundancy] | None:
        """Parameters, state, and redundant equations as the model was declared; None where it cannot be assembled."""
        return self._derived.of("declared", self._as_declared)

    def _as_declared(self) -> tuple[dict[str, float], Closed, Redundancy] | None:
        if any(value is None for value in self.model._parameters.values()):
            return None
        values = self.model.values()
        at = self.constraints_at(values)
        try:
            q, qd = self.model.initial(None, values)
            closed = at.assemble(q[: at.n], qd[: at.n])
            redundancy = at.redundancy(closed.q)
            return values, at.led_on(closed, redundancy.degrees_of_freedom), redundancy
        except AssemblyError:  # told when it is run like that
            return None

    def reasons_for_multipliers(self) -> list[str]:
        """The reasons, in words, why a run does not solve the loops for independent coordinates; empty if it does.

        Events that change the state, and locks, work on all coordinates.
        """
        m = self.model.mechanism
        found = [f"event '{e.name}' changes the state" for e in self.model.events if e.action not in (None, "stop")]
        found += self._derived.of("driven", lambda: [f"{c.title} depends on time" for c in m.constraints if c.driven])
        found += [f"the reference of {x.name} is renewed" for x in m.attitudes]
        return found + [f"{q} can be locked" for q in m.locks]

    def forms(self, closed: Closed, values: Mapping[str, float], t: float) -> Forms:
        """The closed forms of dependent coordinates at a state assembled at `t` (s), for parameter `values`."""
        return Forms((), (), {}) if self.left_to_multipliers(closed, values, t) else self._kept_forms(closed, values, t)

    def left_to_multipliers(self, closed: Closed, values: Mapping[str, float], t: float) -> list[str]:
        """Why closed forms at a state `closed` at `t` (s), for parameter `values`, are not used; else empty."""
        m = self.model.mechanism
        follow = {q for q in m.coordinates if str(q) not in closed.independent}
        changing = ((e, q) for e in m.efforts if e.flags for q in sorted(_acted(e) & follow, key=str))
        told = [f"frames follow state {s}" for s in m.drives]
        told = told or [f"{effort} depends on the load {s}" for s, effort in m.loading.items()][:1]
        told = told or [f"{e} changes its mode at events, and {q} follows from others" for e, q in changing][:1]
        return told or ([] if self._usable(self._kept_forms(closed, values, t)) else [AS_IT_IS])

    def _kept_forms(self, closed: Closed, values: Mapping[str, float], t: float) -> Forms:
        key = "forms", closed.independent, self._lengths(values), closed.regular.tobytes(), t
        return self._recent.of(key, lambda: self._forms(closed, values, t))

    def _forms(self, closed: Closed, values: Mapping[str, float], t: float) -> Forms:
        at, known = self.constraints_at(values, t), self.known_forms(closed.independent)
        found = known and known.at(at, closed.regular, self.has_declared_lengths(values))
        return found or forms_at(at, closed.regular, closed.independent)

    def known_forms(self, independent: tuple[str, ...]) -> ClosedFormsAt | None:
        """The closed forms at the state of the model as declared; None where it cannot be assembled."""
        if (declared := self._declared()) is None:
            return None
        own, q, key = declared[0], declared[1].regular, ("forms", independent)
        return self._derived.of(key, lambda: ClosedFormsAt(self.constraints_at(own), q, independent))

    def _usable(self, found: Forms) -> bool:
        """False where an angle counts that a closed form gives but for whole turns: it stands elsewhere than in sines.

        So it does in all that a whole turn changes: a law, a gear, a rope on a drum, a ratio that is no whole number.
        """
        angles = frozenset(f.coordinate for f in found.forms if f.wraps)

        def usable() -> bool:
            counted = {q for e in self.model.mechanism.efforts for q in e.coordinates}
            return not angles & counted and all(
                x.xreplace({s: s + 2 * sympy.pi}) == x for x in self._written() for s in angles & x.free_symbols
            )

        return self._derived.of(("usable", angles), usable)

    def _written(self) -> Iterator[sympy.Basic]:
        """All expressions of the model that a whole turn may change; of a rotation, sine and cosine of its angle."""
        m = self.model.mechanism
        for factor in (f for body in m.bodies for f in body.T.factors):
            angle = getattr(factor, "angle", None)
            scalars = Transform((factor,)).scalars() if angle is None else (sympy.sin(angle), sympy.cos(angle))
            yield from (x for x in scalars if isinstance(x, sympy.Basic) and not isinstance(angle, Coordinate))
        written = [*m.equations, *m.outputs.values(), *(x for e in m.efforts for x in e.expressions())]
        written += [*(e.expression for e in self.model.events), *(x for c in m.constraints for x in c.expressions())]
        yield from (x for x in written if isinstance(x, sympy.Basic))

    def reduced_system(
        self, values: Mapping[str, float], found: Forms, target: str, scheme: str, given: Any, closed: Closed, t: float
    ) -> Any:
        """The system of the independent coordinates, for parameter `values`, at a state `closed` at `t` (s)."""
        def mechanism() -> Mechanism:
            return reduced(declarations.complete(self.model.mechanism), found)

        said = "reduced", found.forms, found.carried, found.watched
        every = self.model.mechanism.coordinates
        own = [every.index(c) for c in mechanism().coordinates] if found.carried else []
        at = t, closed.regular[own], own
        return self._with_rows(said, mechanism, {**values, **found.branches}, target, scheme, given, (), at)

    def _with_rows(
        self, said: Any, mechanism: Callable[[], Mechanism], values: Mapping[str, float], target: str, scheme: str,
        given: Any, locks: Any, at: tuple[float, np.ndarray, Any],
    ) -> CompiledSystem:  # fmt: skip
        """The system of a mechanism, known by what is `said`, with multipliers of the rows that count.

        They do so `at` a time (s), a place (k,), and these columns of all coordinates.
        """
        def programs(kept: tuple[int, ...]) -> Any:
            return self.model._programs(scheme, given.formulas, locks, kept, said, mechanism)

        def rows() -> tuple[int, ...]:
            at = Constraints(CompiledSystem(programs(()), values, "python", given.numbers), t)
            declared, known = self._declared(), None
            if declared is not None and not key[1] and self.has_declared_lengths(values):
                there, branches = declared[1].regular[own], key[0][len(self.model.mechanism.parameters) :]
                known = self._derived.of(("rows", said, t, branches), lambda: at.redundancy_if_closed(there))
            return ((known and at.confirmed(known, q)) or at.redundancy(q)).kept

        (t, q, own), key = at, (tuple(values.values()), tuple(given.numbers.items()))
        found = programs(self._recent.of(("rows", said, t, q.tobytes(), *key), rows) if len(q) else ())
        return self._recent.of((found, target, *key), lambda: CompiledSystem(found, values, target, given.numbers))

    def regular_system(
        self, values: Mapping[str, float], target: str, scheme: str, given: Any, locks: Any, closed: Closed, t: float
    ) -> Any:
        """The system with multipliers in which parallelograms stay parallel, even where they lie flat.

        At a state `closed` at `t` (s), for parameter `values`; None where there are no parallelograms.
        """
        def parallels() -> Any:
            return parallels_at(self.constraints_at(values, t), closed.regular, closed.independent)

        key = "parallels", closed.independent, self._lengths(values), closed.regular.tobytes(), t
        found = () if self.model.mechanism.drives else self._recent.of(key, parallels)
        if not found:
            return None

        def mechanism() -> Mechanism:
            own = declarations.complete(self.model.mechanism)
            return replace(own, constraints=(*found, *own.constraints))

        said = "regular", tuple((c.name, c.expression) for c in found)
        return self._with_rows(said, mechanism, values, target, scheme, given, locks, (t, closed.regular, slice(None)))

    def read(self, closed: Closed, values: Mapping[str, float]) -> Reduction:
        """What follows from what at a `closed` state, in symbols, for parameter `values`."""
        m, states = self.model.mechanism, self.model.initial(None, values)[1]
        at: dict[Any, float] = {p: values[str(p)] for p in m.parameters} | {t: 0.0}
        at |= dict(zip(m.coordinates, closed.regular.tolist(), strict=True))
        at |= dict(zip((q.dot for q in m.coordinates), closed.qd.tolist(), strict=True))
        at |= dict(zip(m.states, states[len(m.coordinates) :].tolist(), strict=True))
        return Reduction(frozenset(closed.independent), at, lambda: formulas_of(m, self.forms(closed, values, 0.0)))

    def is_safe(self, system: CompiledSystem, branches: Mapping[str, float]) -> bool:
        """True when no position of the independent coordinates is near a dead point of a closed form.

        The forms are those of these `branches`. It is proved where angles decide alone; else the run watches.
        """
        each = {name: np.array([x]) for name, x in branches.items()}
        key = "safe", *branches.values()
        return system.prepared.of(key, lambda: bool(self.are_safe(system, each, 1)[0]))  # type: ignore[no-any-return]

    def are_safe(self, system: CompiledSystem, values: Mapping[str, np.ndarray], count: int) -> np.ndarray:
        """The same (N,) for branches, and other parameters, of which N `values` (N,) are given."""
        from easydyn.engine.intervals import Bounds

        m, found = system.mechanism, np.ones(count, dtype=bool)
        p = np.array([values.get(str(x), system.parameters[str(x)]) * found for x in m.parameters])
        angles = {j for j, c in enumerate(m.coordinates) if m.units.get(str(c)) == "rad"}
        for x in system.derivation.margins:
            bounds = self._derived.of((Bounds, x), partial(Bounds, system.program((x,)), angles))
            found &= bounds.exceed(p.reshape(-1, count).T, CLEAR)
        return found


def _acted(effort: Any) -> set[Any]:
    """The coordinates in what an effort is given, with those of rates."""
    symbols = symbols_of(*effort.expressions())
    rates = {Coordinate(str(s).removesuffix(".dot")) for s in symbols if isinstance(s, Rate)}
    return {*effort.coordinates, *rates, *(s for s in symbols if isinstance(s, Coordinate))}
