"""Quantities of a run of a model after its end: frames, energies, forces, expressions (see source.py)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy

from easydyn.constraints.constraint import Carried
from easydyn.engine.balances import actions, balances
from easydyn.engine.sympy_bridge import check_convertible
from easydyn.engine.system import CompiledSystem
from easydyn.errors import InputError, ModelError, UnknownNameError
from easydyn.mechanics.symbols import HoldingForce, LockingForce, Measure, t
from easydyn.result.trajectory import Trajectory, as_expressions
from easydyn.run.jumps import before_jumps
from easydyn.vec.scalars import symbolic

CORRECTIONS = 4  # of interpolated places, each of which squares the error


class SourceOfModel:
    """The Source of a Trajectory of a model: expressions, frames and energies, with the run's parameters."""

    def __init__(self, system: CompiledSystem, closing: Any = None):
        self.system, self.closing = system, closing
        self.mechanism = system.mechanism
        self.names = system.names
        self._multipliers_of: tuple[tuple[np.ndarray, np.ndarray], np.ndarray] | None = None  # of these t and q
        self.frames = system.frames

    def _along(
        self, run: Trajectory, key: Any, system: CompiledSystem | None = None, *, loads: bool = True
    ) -> np.ndarray:
        """A program along a run, with what was held then: by name, for a file may come from a run with other inputs.

        Without `loads` the multipliers of constraints are zero: for programs that do not depend on them.
        """
        system = system or self.system
        held = run.held
        if run.held_names != tuple(system.mechanism.held) and len(held) == len(run):
            columns = {name: held[:, k] for k, name in enumerate(run.held_names)}
            given = [columns.get(name, np.full(len(run), x)) for name, x in zip(system.mechanism.held, system.held)]
            held = np.column_stack(given) if given else np.zeros((0, 0))
        return system.along(key, run.t, self.states(run, loads=loads), held)

    def states(self, run: Trajectory, *, loads: bool = True) -> tuple[np.ndarray, ...]:
        """q, qd, qdd of a run with the multipliers of constraints, which are rates of states (eq. 29)."""
        m, (q, qd, qdd) = self.mechanism, map(self.system.whole, (run.q, run.qd, run.qdd))
        if m.multipliers and loads and run.multiplier_names:
            known = dict(zip(run.multiplier_names, run.multiplier_values.T, strict=True))
            found = [known.get(str(p), np.zeros(len(run))) for p in m.states[-m.multipliers :]]
            qdd[:, -m.multipliers :] = np.column_stack(found)
        elif m.multipliers and loads:
            qdd[:, -m.multipliers :] = self._multipliers(run)
        return q, qd, qdd

    def _multipliers(self, run: Trajectory) -> np.ndarray:
        """The multipliers (N, m) of a run whose loops were solved: J' lambda = M qdd + h."""
        known = self._multipliers_of
        if known is None or known[0][0] is not run.t or known[0][1] is not run.q:
            x = self.states(run, loads=False)
            t, held, moving = self.instants(run), run.held, list(self.mechanism.moving)
            lacking = self.system.along("residual", t, x, held)[:, : len(moving)]
            J = self.system.along("constraint_jacobian", t, x, held).reshape(len(run), len(self.mechanism.rows), -1)
            J = J[:, self.mechanism.carried][:, :, moving]
            solved = np.einsum("nji,nj->ni", np.linalg.pinv(J, rcond=1e-12), lacking)
            self._multipliers_of = known = (run.t, run.q), solved
        return known[1]

    def closed(self, run: Trajectory, rows: np.ndarray) -> Trajectory:
        """The same with some of its instants moved to where loops are closed."""
        n, m, whole = len(run.names), self.mechanism.multipliers, self.system.whole
        if not m:
            return run
        q, qd = run.q.copy(), run.qd.copy()
        times, held = run.t[rows], run.held[rows] if len(run.held) else run.held
        for _ in range(CORRECTIONS):
            change = self.system.along("projection", times, [*map(whole, (q[rows], qd[rows], run.qdd[rows]))], held)
            q[rows] += change[:, :n]
            qd[rows] += change[:, n + m : 2 * n + m]
        return replace(run, q=q, qd=qd)

    def energies_along(self, run: Trajectory) -> np.ndarray:
        """Kinetic and potential energy (J) along a run, (N, 2): of places and rates, so no multiplier is solved for."""
        return self._along(replace(run, t=self.instants(run)), "energies", loads=False)[:, :2]

    def locking_force(self, run: Trajectory, coordinate: Any) -> np.ndarray:
        """The generalised force (N,) that holds a coordinate while it is locked, zero while it is free."""
        locks = [name.removesuffix(".locked") for name in run.held_names if name.endswith(".locked")]
        if str(coordinate) not in locks:
            raise UnknownNameError(
                f"{str(coordinate)!r} cannot be locked in this run: {', '.join(locks) or 'no coordinate'} can. Lock it "
                f'with simulate(locked=["{coordinate}"]).'
            )
        system = self.system
        if [str(q) for q in self.mechanism.locks] != locks:  # the run comes from a file
            system = system.with_locks(tuple(q for q in self.mechanism.coordinates if str(q) in locks))
        order = [str(q) for q in system.mechanism.locks]
        return self._along(run, "locking_forces", system)[:, order.index(str(coordinate))]

    def balances(self, run: Trajectory) -> np.ndarray:
        """F, M, G, vG, omega of each body along a run, (N, bodies, 5, 3): see engine/balances.py."""
        return balances(self.system, self.instants(run), self.states(run), run.held)

    def actions(self, run: Trajectory) -> list[tuple[Any, str, np.ndarray]]:
        """(effort, body, force and moment about the ground's origin (N, 2, 3)) of each effort on each body."""
        return actions(self.system, self.instants(run), self.states(run), run.held)

    def motions(self, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """G, vG, omega of each body at some states, (N, bodies, 3, 3)."""
        return balances(self.system, t, [*map(self.system.whole, (q, qd, 0 * q))], np.zeros((0, 0)))[:, :, 2:]

    def drives(self, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
        """vG, omega (N, bodies, 2, 3) by a unit rate of each state that frames follow, and by time (""), if any do."""
        names = [str(s) for s in self.mechanism.drives]
        if not names:
            return {}
        found = self.system.along("drive_motion", t, [*map(self.system.whole, (q, qd, 0 * q))], np.zeros((0, 0)))
        found = found.reshape(len(t), len(self.mechanism.bodies), len(names) + 1, 2, 3)
        return {name: found[:, :, k] for k, name in enumerate([*names, ""])}

    def loads(self, run: Trajectory, constraint: Any, *, minimum_norm: bool) -> tuple[np.ndarray, np.ndarray]:
        """Multipliers (N, rows) of a constraint, and the force and moment (N, 6) that they are; nan where unknown.

        A load is unknown if several equations share it in a way that the motion does not determine. With `minimum_norm`
        it is the load with the smallest sum of squares that has the same effect (forces and moments in SI units).
        """
        constraints = self.mechanism.constraints
        constraint = next((c for c in constraints if isinstance(constraint, str) and c.name == constraint), constraint)
        if not any(constraint is c for c in constraints):
            raise UnknownNameError(
                f"{constraint!r} is not a constraint of model '{self.mechanism.name}': expected what model.close or "
                f"model.constraint returned, of: {', '.join(c.name for c in constraints) or 'none'}."
            )
        known = self.closing.redundancy.known
        values = np.zeros((len(run), len(self.mechanism.rows)))
        values[:, self.mechanism.carried] = self.states(run)[2][:, len(run.names) :]
        if minimum_norm and not known.all():
            A = self._along(run, "constraint_jacobian").reshape(*values.shape, -1)
            values = np.array([np.linalg.pinv(a.T, rcond=1e-9) @ (a.T @ x) for a, x in zip(A, values, strict=True)])
        first = sum(len(c.labels) for c in constraints[: [c is constraint for c in constraints].index(True)])
        own = slice(first, first + len(constraint.labels))
        values, determined = values[:, own], known[own] | minimum_norm
        shown = np.where(determined, values, np.nan)
        if not constraint.joined:
            return shown, np.zeros((len(run), 0))
        units = self._along(run, self.system.closure_nodes(constraint)).reshape(len(run), len(determined), 6)
        wrench = np.einsum("nk,nkc->nc", np.where(determined, values, 0.0), units)
        return shown, np.where((np.abs(units[:, ~determined]) > 1e-9).any(axis=1), np.nan, wrench)

    def instants(self, run: Trajectory) -> np.ndarray:
        """The times of a run (N,), just before the jumps on which it landed: its accelerations are those before."""
        return before_jumps(self.system, run)

    def __getstate__(self) -> dict[str, Any]:
        return {"system": self.system, "closing": self.closing}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def along(self, run: Trajectory, expression: Any) -> np.ndarray:
        """An expression (N,), or several (N, m), along a run."""
        listed, several = as_expressions(expression)
        checked = [symbolic(e) for e in listed]
        for e in checked:
            if not isinstance(e, sympy.Expr | sympy.logic.boolalg.Boolean) or isinstance(e, sympy.MatrixExpr):
                raise InputError(
                    f"run.of got {expression!r}: expected a SymPy expression of the model's symbols, such as q1 + q2, "
                    "body.v or body.T.e; frames come from run.frames."
                )
            self._check_symbols(e)
        values = self._along(run, tuple(checked))
        lost = np.argwhere(np.isnan(values) & np.isfinite(np.hstack([run.q, run.qd, run.qdd])).all(axis=1)[:, None])
        if len(lost):
            k, i = lost[0]
            raise ModelError(
                f"run.of: {checked[i]} is not a number at t = {run.t[k]:.6g} s, and at {len(lost)} of {len(run)} "
                "instants in all: a root, a logarithm or an arcsine is out of its domain there, or 0/0. Say what holds "
                "there: sympy.Piecewise((value, condition), (other, True))."
            )
        return values if several else values[:, 0]

    def element(self, run: Trajectory, effort: Any) -> np.ndarray:
        """Power (W) and potential (J) of a force element along a run, (N, 2)."""
        self._check_effort(effort)
        return self._along(run, tuple(self.system.derivation.element(effort)))

    def supplied(self, run: Trajectory, effort: Any) -> np.ndarray:
        """Work (J) of a force element beyond its potential since the start of a run, (N,)."""
        self._check_effort(effort)
        working = self.mechanism.working
        if not any(effort is e for e in working):
            return np.zeros(len(run))
        if run.integrals.shape != (len(run), self.system.sources_of_work):
            raise ModelError(
                f"run.work: this run has not kept the work of {effort}: it comes from another model, or stopped before "
                "its first step. Simulate again."
            )
        return run.integrals[:, [effort is e for e in working].index(True)]

    def _check_effort(self, effort: Any) -> None:
        known = [e for e in self.mechanism.efforts if not isinstance(e, Carried)]
        if not any(effort is e for e in known):
            own = " A run that was pickled has its own: pickle both together." * (repr(effort) in map(repr, known))
            raise UnknownNameError(
                f"{effort!r} is not a force element of model '{self.mechanism.name}': expected one that was given to "
                f"model.add, of: {', '.join(map(str, known)) or 'none'}.{own}"
            )

    def _check_symbols(self, e: Any) -> None:
        m = self.mechanism
        known = [t, *m.coordinates, *m.states, *m.parameters, *m.inputs, *m.given]
        known += [x.dot for x in (*m.coordinates, *m.states)] + [q.ddot for q in m.coordinates]
        known += [*m.flags, *map(LockingForce, m.coordinates), *map(HoldingForce, m.holders)]
        known += [*(x.reference for x in m.attitudes), *(Measure(x) for e in m.efforts for x in e.measured)]
        foreign = sorted(e.free_symbols - set(known), key=str)
        if foreign:
            kind = type(foreign[0]).__name__
            raise ModelError(
                f"run.of: {foreign[0]} ({kind}) is not a symbol of model '{m.name}': use those "
                f"that the model returned, of {', '.join(str(s) for s in known if '.' not in str(s))}, with .dot and "
                ".ddot."
            )
        check_convertible(e, "run.of")
