"""A run of a model with constraints: its initial state, and its multipliers apart from its coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from types import SimpleNamespace
from typing import Any

import numpy as np

from easydyn import errors
from easydyn.constraints.assembly import MARGIN, Closed, Constraints, Redundancy
from easydyn.constraints.forms import Form
from easydyn.constraints.search import Forms
from easydyn.engine.system import CompiledSystem
from easydyn.errors import AssemblyError, ChangePointError, DeadPointError, IntegrationError, StepSizeError
from easydyn.result.instants import cubic, rows_of
from easydyn.result.trajectory import Trajectory
from easydyn.run.jumps import before_jumps
from easydyn.sim.agenda import Event
from easydyn.sim.failures import not_closed

REGULAR = 1e-6  # of singular values, rows of one size: less is a change point
LOST = (AssemblyError, errors.ChatterError, errors.ConvergenceError, errors.NotFiniteError,
        errors.SingularMatrixError, StepSizeError)  # fmt: skip
EVERY_ROW = "every row"  # a way of solving loops, of runs that begin again
Solved = Callable[[Any, np.ndarray], np.ndarray]  # dependent coordinates at some (L,) of K instants, and states there
FOLLOWED = 0.5  # rad, m: the coordinates between two looks at angles that follow
PARTS, CLOSER = 16, 6  # into how many parts two steps are divided to find where a determinant is least, and how often
GONE = 1e-6  # of the largest of it there: it was zero
WAY = 0.1  # rad, m: the independent ones between two states that are kept, if it matters which way they go


@dataclass(frozen=True, eq=False)
class Closing:
    """How a run was assembled: by multipliers for all loops.

    Attributes
    ----------
    closed : Closed
        Its initial state.
    redundancy : Redundancy
        The independent equations, and the loads that are determined.
    constraints : Constraints
        The constraints in numbers.
    whole : CompiledSystem
        The system with all coordinates, the constraints that were declared, and their multipliers.
    left : tuple of Form
        Closed forms with dead points that the run passes: each is an event.
    note : str
        The message of a run in which locks leave no motion.
    """

    closed: Closed
    redundancy: Redundancy
    constraints: Constraints
    whole: Any = field(default=None, kw_only=True)
    left: tuple[Form, ...] = field(default=(), kw_only=True)
    note: str = field(default="", kw_only=True)

    def with_every_row(self) -> Closing:
        """The same with multipliers of all rows, of which those that share a load yield a little.

        No choice of them is independent everywhere.
        """
        found = self.redundancy
        kept = tuple(k if found.known[k] else ~k for k in sorted({*found.kept, *found.dependent}))
        return replace(self, redundancy=replace(found, kept=kept))

    def begin(self, system: CompiledSystem, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The initial state of the integrated system, whose last unknowns are multipliers."""
        return self.closed.start(q, qd, system.mechanism.multipliers)

    def guards(self, system: CompiledSystem) -> list[tuple[Event, Any]]:
        """Events of the loops: dead points that are passed, and ends of closed forms."""
        d = system.derivation
        slopes = [form.gradient(form.on(d, d.symbols[form.coordinate])) for form in self.left]
        return [(Event(f"dead point of {form.constraint.title}: {form.coordinate}"), slope)
                for form, slope in zip(self.left, slopes, strict=True)]  # fmt: skip

    def explained(self, error: IntegrationError) -> IntegrationError:
        """A ChangePointError if the run has ended at a change point; otherwise the error itself."""
        run: Any = getattr(error, "trajectory", None)
        moved = run is not None and len(run) and np.isfinite(run.q[-1]).all()
        if not moved or not isinstance(error, LOST) or isinstance(error, DeadPointError | ChangePointError):
            return error
        change = self._change(run.t[-1], run.q[-1], run.qd[-1], error.time)
        if change is None:
            return error
        change.trajectory = run  # type: ignore[attr-defined]
        return change

    def _change(self, t: float, q: np.ndarray, qd: np.ndarray, time: Any) -> ChangePointError | None:
        """A ChangePointError of this time if the constraints lose an equation in a state; None where they do not."""
        n, free = len(self.closed.q), self.redundancy.degrees_of_freedom
        lost = self.constraints.lost(q[:n], qd[:n], self.closed.regular, n - free)
        where = ", ".join(f"{name} = {x:.6g}" for name, x in zip(self.constraints.names, q, strict=False))
        return None if not lost else ChangePointError(
            f"the mechanism comes to a change point at t = {t:g} s ({where}): {' and '.join(lost)} can go on "
            "in two ways there, and rigid links do not say in which. Take lengths that differ a little (by 1e-6 of "
            "them), start elsewhere, or stop the run before with an event.",
            time=time,
        )  # fmt: skip

    def depends(
        self, system: CompiledSystem, t: np.ndarray, q: np.ndarray, qd: np.ndarray, held: list[float]
    ) -> ChangePointError | None:  # fmt: skip
        """A ChangePointError if constraints depend on each other between three states (3, n) at times t (3,).

        The determinant is looked at along cubics through them, ever nearer to where it is least.
        """
        start, end, largest, none = t[0], t[2], 0.0, np.zeros((PARTS + 1, system.n))
        for _ in range(CLOSER):
            times = np.linspace(start, end, PARTS + 1)
            k = np.searchsorted(t[1:2], times)
            length = np.maximum(t[k + 1] - t[k], 1e-300)[:, None]  # nothing after what happens at once
            places = cubic((times - t[k])[:, None] / length, length, (q[k], q[k + 1]), (qd[k], qd[k + 1]))[0]
            values = system.along("projection", times, (places, none, none), np.tile(held, (len(times), 1)))[:, -2]
            here, largest = int(np.argmin(values[1:-1])) + 1, max(largest, values.max())
            start, end = times[here - 1], times[here + 1]
        if not values[here] <= GONE * largest:
            return None
        return self._change(times[here], places[here], qd[k[here]], float(times[here]))

    def check_way(self, system: CompiledSystem, t: float, q: np.ndarray, qd: np.ndarray) -> None:
        """Raise ChangePointError if a run would begin at a change point, and its branch is not determined."""
        closed = self.closed
        alone = len(closed.independent) <= self.redundancy.degrees_of_freedom
        if alone if closed.beside is None else self._one_way(system, t, q, qd):
            return
        names = self.constraints.names
        where = ", ".join(f"{name} = {x:.6g}" for name, x in zip(names, closed.q, strict=True))
        rates = ", ".join(f"{name}.dot = {x:.6g}" for name, x in zip(names, closed.qd, strict=True) if x)
        titles = [c.title for c in self.constraints.mechanism.constraints]
        raise ChangePointError(
            f"model '{system.mechanism.name}' starts at a change point ({where}): {' and '.join(titles)} can go on in "
            f"two ways there, and {f'its rates are those of neither ({rates})' if rates else 'it is at rest'}. Start "
            "beside it, with initial=, or give all rates so that they fit one way.",
            time=t,
        )

    def _one_way(self, system: CompiledSystem, t: float, q: np.ndarray, qd: np.ndarray) -> bool:
        """True when the equations that are integrated are regular at the start."""
        m = system.mechanism
        flat = system.at("constraint_jacobian", t, q, qd, np.zeros(system.n))
        J = np.reshape(flat, (len(m.rows), -1))[m.carried]
        values = np.linalg.svd(J / np.abs(J).max(axis=1, initial=1e-300, keepdims=True), compute_uv=False)
        return bool(values[-1] > REGULAR * values[0])

    def shown(self, run: Trajectory, system: CompiledSystem) -> Trajectory:
        """A run with its multipliers beside its unknowns, not among them; with those of constraints as declared."""
        n = len(run.names) - system.mechanism.multipliers
        loads: dict[str, Any] = {}
        if system is self.whole:
            loads = {"multiplier_names": run.names[n:], "multiplier_values": run.qdd[:, n:]}
        return replace(run, q=run.q[:, :n], qd=run.qd[:, :n], qdd=run.qdd[:, :n], names=run.names[:n],
                       first_order=run.first_order[:n], **loads)  # fmt: skip

    def held(self, names: Sequence[str]) -> Closing:
        """The same with locked coordinates, and with a note if the loops then hold all the others."""
        at, q = self.constraints, self.closed.q
        others = [name for name in at.names if name not in names]
        if not names or not others or set(others) - {at.names[j] for j in at.dependent(q, names)}:
            return self
        last = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} locked, and the loops hold all others"
        return replace(self, note=f"nothing can move: {last}")


class Ended:
    """What tells that a closed form has come to its dead point."""

    calm = True  # what is left under its root is as smooth as the motion

    def __call__(self, stepper: Any) -> DeadPointError:
        return DeadPointError(f"a closed form ends at t = {stepper.t:g} s", time=stepper.t)


@dataclass(frozen=True, eq=False)
class ReducedClosing(Closing):
    """How a run was assembled whose loops are solved: its unknowns are the independent coordinates.

    Attributes
    ----------
    forms : Forms
        The closed forms of the dependent coordinates.
    safe : bool
        True when no position of the independent coordinates is near a dead point.
    """

    forms: Forms
    safe: bool

    def begin(self, system: CompiledSystem, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n, zeros = len(self.closed.q), np.zeros(system.mechanism.multipliers)
        own = self.columns(system)
        q, qd = (np.concatenate([x[own], y[n:], zeros]) for x, y in ((self.closed.q, q), (self.closed.qd, qd)))
        return q, qd

    def columns(self, system: CompiledSystem) -> list[int]:
        """The columns of the integrated coordinates among all coordinates."""
        return [self.whole.mechanism.coordinates.index(c) for c in system.mechanism.coordinates]

    def _one_way(self, system: CompiledSystem, t: float, q: np.ndarray, qd: np.ndarray) -> bool:
        margins = system.at("margins", t, q, qd, np.zeros(system.n)) if system.derivation.margins else ()
        return all(x > MARGIN for x in margins)

    def guards(self, system: CompiledSystem) -> list[tuple[Event, Any]]:
        if self.safe:
            return super().guards(system)
        least = reduce(partial(system.derivation.graph.call, "min"), system.derivation.margins)
        return [*super().guards(system), (Event("dead point", None, -1, silent=True, ends=Ended()), least - MARGIN)]

    def way(self, system: CompiledSystem) -> float:
        """Motion (rad, m) from one kept state of a run to the next; 0 if none are needed, below 0 for all steps.

        Of one independent coordinate any way is that of the motion. The ways of several may pass a place where the
        loop cannot be closed on either side, and time goes on by itself.
        """
        timed = {"t", "u"} & system.program("solved").slots
        return -1.0 if timed else WAY * (len(system.mechanism.coordinates) > 1)

    def shown(self, run: Trajectory, system: CompiledSystem) -> Trajectory:
        rows = np.column_stack([before_jumps(system, run), *run.held.T])

        def solved(at: Any, x: np.ndarray) -> np.ndarray:
            t, *held = (np.interp(at, np.arange(len(rows)), y) for y in rows.T)
            return system.along("solved", t, tuple(x[0]), np.transpose(held))[None]

        q, qd, qdd = self.whole_states(system, np.stack([run.q, run.qd, run.qdd])[None], solved, self.closed.q[None])[0]
        if run.status not in ("failed", "running", "interrupted") and (lost := ~np.isfinite(q).all(axis=1)).any():
            here = SimpleNamespace(t=run.t[lost][0], q=run.q[lost][0], qd=run.qd[lost][0])
            error = not_closed(here, run.names, run.first_order)
            error.trajectory = rows_of(replace(run, status="failed", message=str(error)), np.arange(lost.argmax()))
            raise error
        k, every = len(system.mechanism.coordinates), self.whole.mechanism.coordinates
        own = slice(k, len(run.names) - system.mechanism.multipliers)  # states
        names = (*map(str, every), *run.names[own])
        first = np.concatenate([np.zeros(len(every), dtype=bool), run.first_order[own]])
        return replace(run, q=q, qd=qd, qdd=qdd, names=names, first_order=first)

    def whole_states(self, system: CompiledSystem, x: np.ndarray, solved: Solved, begin: np.ndarray) -> np.ndarray:
        """States (N, 3, K, n) of N runs, with all coordinates in place of the integrated ones.

        They `begin` with all coordinates (N, n). `solved` gives the dependent coordinates, rates and accelerations in
        states (N, 3, L, n) at some (L,) of the K instants: the numbers of these, with fractions between.
        """
        mechanism, places = system.mechanism, {str(c): j for j, c in enumerate(self.whole.mechanism.coordinates)}
        n, own, followers = len(places), self.columns(system), [places[str(f.coordinate)] for f in mechanism.forms]
        k, dependent = len(own), solved(np.arange(x.shape[2]), x).reshape(len(x), x.shape[2], -1, 3)
        found = np.zeros((*x.shape[:3], n + x.shape[3] - k - mechanism.multipliers))
        found[..., own] = x[..., :k]
        found[..., followers] = dependent.transpose(0, 3, 1, 2)
        found[..., n:] = x[..., k : k + found.shape[3] - n]
        turning = [j for j in followers if self.whole.mechanism.units.get(self.whole.names[j]) == "rad"]
        if turning and x.size:
            way = np.concatenate([begin[:, None, :n], found[:, 0, :, :n]], axis=1)
            turns = self._turns(way[..., own], way[..., followers], x.shape[3], solved)
            found[:, 0][..., turning] += 2 * np.pi * turns[..., [followers.index(j) for j in turning]]
        return found

    def _turns(self, q: np.ndarray, way: np.ndarray, n: int, solved: Solved) -> np.ndarray:
        """Whole turns to be added to dependent angles (N, K, F), so that they are continuous from the start.

        They are those of a `way` (N, 1 + K, F) from the start, with independent coordinates q (N, 1 + K, k) of n
        unknowns. Between two instants they are followed along the straight line of these. What has no value on it is
        left out.
        """
        ahead = np.diff(way, axis=1)
        turns = np.round(ahead / (2 * np.pi))
        moved = np.abs(np.concatenate([np.diff(q, axis=1), ahead - 2 * np.pi * turns], axis=2)).max(axis=(0, 2))
        moved[~np.isfinite(moved)] = 2 * FOLLOWED
        steps = np.ceil(moved / FOLLOWED).astype(int).clip(1)
        if steps.max() > 1:
            begin, at = np.cumsum(steps) - steps, np.repeat(np.arange(len(steps)), steps)  # of an instant the first
            share = (np.arange(len(at)) - begin[at]) / steps[at]
            between = np.flatnonzero(share)
            at, share, states = at[between], share[between, None], np.zeros((len(q), 3, len(between), n))
            states[:, 0, :, : q.shape[2]] = (1 - share) * q[:, at] + share * q[:, at + 1]
            way = np.repeat(way, np.append(steps, 1), axis=1)
            way[:, between] = solved(at - 1 + share[:, 0], states)[..., ::3]
            if not (known := np.isfinite(way)).all():
                last = np.maximum.accumulate(np.where(known, np.arange(way.shape[1])[:, None], 0), axis=1)
                way = np.take_along_axis(way, last, axis=1)
            turns = np.add.reduceat(np.round(np.diff(way, axis=1) / (2 * np.pi)), begin, axis=1)
        return -np.cumsum(turns, axis=1)


def reduced(
    model: Any, closing: Closing, whole: CompiledSystem, target: str, scheme: str, given: Any, t: float
) -> tuple[Closing, CompiledSystem]:
    """The same run with loops solved, and its system; unchanged if no loop has a closed form."""
    found = model.solver.forms(closing.closed, whole.parameters, t)
    moving = len(whole.mechanism.unknowns) - whole.mechanism.multipliers - len(found.forms)
    if not found.forms or not moving:  # nothing is solved, or nothing moves
        return closing, whole
    found = replace(found, watched=found.watched or bool(closing.redundancy.dependent))
    system = model.solver.reduced_system(whole.parameters, found, target, scheme, given, closing.closed, t)
    safe = model.solver.is_safe(system, found.branches)
    return ReducedClosing(**{**vars(closing), "whole": whole}, forms=found, safe=safe), system


def closing_of(model: Any, initial: Any, values: Mapping[str, float], t: float) -> Closing:
    """How a run of a model with constraints begins at t (s)."""
    closed, redundancy = model.solver.closed(initial, values, t)
    _, qd = model.initial(initial, values)
    return Closing(closed, redundancy, model.solver.constraints_at(values, t, qd))
