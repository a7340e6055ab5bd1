"""Configurations in which all constraints hold: finding, counting and judging them in numbers.

The coordinates that keep their values are the independent ones, u. The others, v, follow from Newton's iteration on
g(u, v) = 0. If there are more v than needed, the corrections are as small as possible. Rates follow from A qd + b = 0
in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from easydyn.engine.graph import reachable
from easydyn.engine.kept import Kept
from easydyn.errors import AssemblyError, ModelError
from easydyn.mechanics.physical import check_physical

CLOSED = 1e-12  # of the size of the mechanism: what rounding leaves of g
ROUNDING = 1e-12  # of the longest column: what is shorter is zero
RANK = 1e-8  # of the largest singular value, rows and columns scaled
GOOD = 0.1  # of a column: what must be left of it when the columns chosen before are taken away
SINGULAR = 1e-4  # of the least singular value where a run begins: where it ends, two ways to go on meet
ASIDE, LED = 1e-6, 1e-3  # rad, or of the size: a little on the way, and how far on that is looked for
AHEAD = 0.02  # rad, or of the size: by which a mechanism goes on from a change point, to be looked at
TURNED = 0.2  # of that: how far it may come from where its rates lead
TURNING = 1e-9  # of rows: by which a whole turn may change them, and does nothing
REACH = 0.5  # rad, or of the size: the longest step of an angle, of a length
MOST_STEPS = 100
MARGIN = 1e-3  # under a root, beside what it is at most: nearer to a dead point closed forms are left
LATELY = 32  # results at configurations that are kept
STARTS = 60  # guesses from which a configuration is looked for, when the one that was given leads nowhere


@dataclass(frozen=True)
class Redundancy:
    """The independent rows, and the components of the load that are determined.

    Attributes
    ----------
    kept : tuple of int
        Independent rows, as many as the rank.
    known : array of bool (m,)
        True for rows whose multiplier is determined by the motion.
    degrees_of_freedom : int
        Degrees of freedom of the rates: number of coordinates minus rank.
    dependent : tuple of int
        Rows that restrict something, although the independent ones say the same.
    """

    kept: tuple[int, ...]
    known: np.ndarray
    degrees_of_freedom: int
    dependent: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Closed:
    """A configuration in which all constraints hold.

    Attributes
    ----------
    q, qd : arrays (n,)
        Coordinates (m, rad) and their rates.
    independent : tuple of str
        The coordinates whose rates determine all rates.
    moved : dict
        By name, (before, after) of the given values that were changed.
    beside : array (n,) or None
        Only at a change point, where the mechanism can continue in two ways: a configuration on the way given by the
        rates.
    """

    q: np.ndarray
    qd: np.ndarray
    independent: tuple[str, ...]
    moved: dict[str, tuple[float, float]] = field(default_factory=dict)
    beside: np.ndarray | None = None

    @property
    def regular(self) -> np.ndarray:
        """The configuration at which the loops are examined."""
        return self.q if self.beside is None else self.beside

    def start(self, q: np.ndarray, qd: np.ndarray, multipliers: int) -> tuple[np.ndarray, np.ndarray]:
        """Initial state of a system with a given number of multipliers, from q and qd of one without them."""
        zeros, n = np.zeros(multipliers), len(self.q)
        return np.concatenate([self.q, q[n:], zeros]), np.concatenate([self.qd, qd[n:], zeros])

    def __str__(self) -> str:
        moves = ", ".join(f"{name} from {a:.6g} to {b:.6g}" for name, (a, b) in self.moved.items())
        return f"assembled by moving {moves}" if moves else ""


class Constraints:
    """The constraints of a system in numbers; the system has no elements that carry them.

    Parameters
    ----------
    system : CompiledSystem
        The system of a mechanism with constraints; its unknowns are coordinates, then states.
    t : float
        Time (s) at which they are evaluated.
    states : array, optional
        Values of the states, in their own units, if these drive frames; zeros if left out.
    """

    def __init__(self, system: Any, t: float = 0.0, states: np.ndarray | None = None):
        self.system, self.t = system, float(t)
        self.mechanism = system.mechanism
        self.names = [str(q) for q in self.mechanism.coordinates]
        self.n, self._zero = len(self.names), np.zeros(system.n)
        self.states = np.zeros(system.n - self.n) if states is None else states
        self.rest = np.concatenate([np.zeros(self.n), self.states])
        self._lately = Kept(LATELY)
        self.rows = [(c, label) for c in self.mechanism.constraints for label in c.labels]
        self.angles = np.array([self.mechanism.units.get(name) == "rad" for name in self.names], dtype=bool)
        limits = (limit for c in self.mechanism.constraints for limit in c.limits(system.derivation))
        self._limits = [(limit, system.node(limit.value)) for limit in limits]

    def _once(self, make: Callable[..., Any], q: np.ndarray, *named: Sequence[Any]) -> Any:
        """What is found at a configuration q (n,), with some names; kept for the last few."""
        return self._lately.of((make.__name__, q.tobytes(), *map(tuple, named)), lambda: make(q, *named))

    # -- what they are at a state ---------------------------------------------------------------------------------

    def numbers(self, key: Any, q: np.ndarray, qd: np.ndarray | None = None) -> np.ndarray:
        """A program, or a tuple of nodes, at a configuration q (n,), with rates qd (n,); at rest if left out."""
        rates = self.rest if qd is None else np.concatenate([qd, self.states])
        q = np.concatenate([q, self._zero[self.n :]]) if len(self.states) else q
        return self.system.at(key, self.t, q, rates, self._zero)  # type: ignore[no-any-return]

    def values(self, q: np.ndarray) -> np.ndarray:
        """g (m,); zero for rows that restrict rates only."""
        return self.numbers("constraint_values", q)

    def rates(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """g.dot, or A qd + b (m,)."""
        return self.numbers("constraint_rates", q, qd)

    def _jacobian(self, q: np.ndarray) -> np.ndarray:
        return self.numbers("constraint_jacobian", q).reshape(*q.shape[:-1], -1, self.n)

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """A (m, n): derivatives of the rates of rows by the rates of coordinates."""
        J = self._jacobian(q)
        if not np.isfinite(J).all():
            self.check_limits(q)
            raise AssemblyError(
                f"{self.rows[int(np.argmin(np.isfinite(J).all(axis=1)))][0].title} has no finite equations at "
                f"{', '.join(map(str, self.names))} = "
                f"{', '.join(f'{x:.6g}' for x in q)}: a length is too small or too large, or a root is out of its "
                "domain. Look at the values of parameters and at the guess.",
                time=self.t,
            )
        return J

    @cached_property
    def lengths(self) -> list[str]:
        """The parameters on which configurations that close, and their rates, depend."""
        d, keys = self.system.derivation, ("constraint_values", "constraint_rates", "constraint_jacobian", "frames")
        outputs = [x for key in keys for x in self.system.program(key).outputs]
        known = {x.value for x in reachable([*(x for _, x in self._limits), *d.margins, *outputs]) if x.op == "input"}
        return [str(p) for j, p in enumerate(self.mechanism.parameters) if ("p", j) in known]

    @cached_property
    def of_place(self) -> np.ndarray:
        """True (m,) for rows that restrict positions, not only rates."""
        return np.array([x for c in self.mechanism.constraints for x in c.of_place], dtype=bool)

    @cached_property
    def undriven(self) -> Constraints:
        """The same without constraints that depend on time; coordinates that follow from time are then free."""
        every, system = self.mechanism.constraints, self.system
        kept = tuple(c for c in every if not c.timed)
        return self if len(kept) == len(every) else Constraints(system.with_constraints(kept), self.t, self.states)

    def size(self, q: np.ndarray) -> Any:
        """A characteristic length (m) of the mechanism, to which errors are compared; (..., 1) of configurations."""
        return self._once(self._size, q)

    def _size(self, q: np.ndarray) -> Any:
        places = self.numbers("frames", q).reshape(*q.shape[:-1], -1, 16)[..., 3:12:4]
        most = np.abs(places).max(axis=(-2, -1), initial=0)
        most = np.where((most > 0) & (most < np.inf), most, 1.0)
        return most[..., None] if most.ndim else float(most)

    def scaled(self, J: np.ndarray, size: float) -> np.ndarray:
        """A with columns in lengths of the mechanism, and rows of one size."""
        J = J * np.where(self.angles, 1.0, size)
        return J / self._sizes(J, size)[:, None]

    @staticmethod
    def _sizes(J: np.ndarray, size: Any) -> np.ndarray:
        """The largest entry (..., m) of each row; 1 of those that are what rounding leaves of equations that hold."""
        rows = np.abs(J).max(axis=-1, initial=0)
        least = 1e-13 * np.maximum(rows.max(axis=-1, initial=0, keepdims=True), np.minimum(size, 1.0))
        return np.where(rows > least, rows, 1.0)

    def apart(self, x: Any, y: np.ndarray, size: float) -> np.ndarray:
        """By how much (n,) two configurations differ: rad, or beside the `size`; whole turns do not count."""
        return np.where(self.angles, np.abs(np.remainder(x - y + np.pi, 2 * np.pi) - np.pi), np.abs(x - y) / size)

    # -- which coordinates are independent --------------------------------------------------------------------------

    def dependent(self, q: np.ndarray, kept_first: Sequence[str] = (), then: Sequence[str] = ()) -> list[int]:
        """Columns that the others determine, as many as the rank; preferably those declared last.

        Columns in `kept_first` are taken last, and those in `then` just before them.
        """
        order = sorted(range(self.n), key=lambda j: (self.names[j] in kept_first, self.names[j] in then, -j))
        return list(self._once(self._dependent, q, order))

    def _dependent(self, q: np.ndarray, order: Sequence[int]) -> list[int]:
        J, rank = self._once(self._ranked, q)
        return sorted(_independent_rows(J.T, rank, order, ROUNDING * np.linalg.norm(J, axis=0).max(initial=1e-300)))

    def _ranked(self, q: np.ndarray) -> tuple[np.ndarray, int]:
        J = self.scaled(self.jacobian(q), self.size(q))
        return J, _rank(J)

    def independent_of(self, q: np.ndarray, some: Sequence[str]) -> list[str]:
        """Select the coordinates that may be held as well, each together with the ones before it."""
        (J, rank), free, found = self._once(self._ranked, q), list(range(self.n)), list[str]()
        for name in some:
            rest = [j for j in free if self.names[j] != name]
            if _rank(J[:, rest]) == rank:
                free = rest
                found.append(name)
        return found

    def followers(self, q: np.ndarray, dependent: Sequence[int]) -> list[int]:
        """The `dependent` columns of which only rates are determined, not positions, such as x and y of a wheel."""
        J = self.scaled(self.jacobian(q)[self.of_place], self.size(q))[:, dependent]
        left, chosen = J.copy(), list[int]()
        for _ in range(_rank(J)):
            chosen.append(int(np.argmax(np.linalg.norm(left, axis=0))))
            way = left[:, chosen[-1]] / np.linalg.norm(left[:, chosen[-1]])
            left = left - np.outer(way, way @ left)
            left[:, chosen] = 0.0
        return [j for k, j in enumerate(dependent) if k not in chosen]

    # -- assembling -------------------------------------------------------------------------------------------------

    def newton(self, q: np.ndarray, free: np.ndarray, size: float) -> np.ndarray | None:
        """The configuration that Newton's iteration reaches from q by moving the free coordinates; None if it fails."""
        q, before, slow, place, free = q.copy(), np.inf, 0, np.flatnonzero(self.of_place), np.flatnonzero(free)
        g, block, columns = self.values(q)[place], (place[:, None], free), np.where(self.angles, 1.0, size)[free]
        error = float(np.abs(g).max(initial=0))
        for _ in range(MOST_STEPS):
            J = self._jacobian(q)[block]
            fine, slow = math.isfinite(error + J.sum()), slow + 1 if error > 0.9 * before else 0
            if fine and error <= CLOSED * size and (error == 0 or error >= 0.5 * before or error <= 1e-15 * size):
                return q
            if not fine or slow > 12:  # and not closed: it would have been enough
                return None
            before, start = error, q
            step = -_least(J * columns, g)
            step *= columns / max(1.0, float(np.abs(step).max(initial=0)) / REACH)
            for k in range(7):
                q = start.copy()
                q[free] += 0.5**k * step
                g = self.values(q)[place]
                error = float(np.abs(g).max())
                if error < before or before <= CLOSED * size:
                    break
        return q if error <= CLOSED * size else None

    def _reached(self, q: np.ndarray, moving: Sequence[int]) -> np.ndarray | None:
        return self.newton(q, np.bincount(moving, minlength=self.n) > 0, self.size(q))

    def _damped(self, q: np.ndarray) -> np.ndarray | None:
        """A configuration near q that closes, whatever moves, by damped steps (Levenberg, Marquardt); None if it fails.

        They converge where equations depend on each other, too.
        """
        q, size = q.copy(), self.size(q)
        columns = np.where(self.angles, 1.0, size)
        for _ in range(MOST_STEPS):
            g, J = self.values(q)[self.of_place], self._jacobian(q)[self.of_place] * columns
            if not (np.isfinite(g).all() and np.isfinite(J).all()):
                return None
            if np.abs(g).max(initial=0) <= CLOSED * size:
                return q
            damped = np.concatenate([J, np.diag(np.full(self.n, np.linalg.norm(g)))])
            q -= columns * np.linalg.lstsq(damped, np.concatenate([g, 0 * q]), rcond=None)[0]
        return None

    def dependent_near(self, q: np.ndarray, kept_first: Sequence[str] = ()) -> list[int]:
        """Columns that the others determine, as many as where all loops are closed.

        Equations that say nothing new may be independent of the others where loops are open.
        """
        dependent = self.dependent(q, kept_first)
        reached = self._once(self._reached, q, dependent)
        if reached is not None and self._once(self._ranked, reached)[1] == len(dependent):
            return dependent
        near = self._once(self._damped, q) if np.count_nonzero(self.of_place) > 1 else None
        return dependent if near is None else min(dependent, self.dependent(near, kept_first), key=len)

    def place(self, q: np.ndarray, hold: Sequence[str]) -> np.ndarray:
        """The nearest configuration that closes, with some coordinates held; AssemblyError when there is none."""
        size = self.size(q)
        free = np.array([name not in hold for name in self.names], dtype=bool)
        uniform = np.random.default_rng(1).uniform
        for way in ([j for j in self.dependent_near(q, hold) if free[j]], np.flatnonzero(free).tolist()):
            if (found := self._once(self._reached, q, way)) is not None:
                return np.array(found)
        columns = np.where(self.angles, 1.0, size)
        guesses = (q + uniform(-1, 1, self.n) * (0.2 + 3.0 * k / STARTS) * columns * free for k in range(STARTS))
        found_all = [*islice((x for y in guesses if (x := self.newton(y, free, size)) is not None), 5)]
        if not found_all:
            held = ", ".join(f"{name} = {q[self.names.index(name)]:.6g}" for name in hold) or "nothing"
            raise AssemblyError(
                f"model '{self.mechanism.name}' cannot be assembled with {held} held: {self._open(q, free)}",
                time=self.t,
            )
        return min((self.unturned(x, q) for x in found_all), key=lambda x: float(np.linalg.norm((x - q) / columns)))

    def unturned(self, x: np.ndarray, q: np.ndarray) -> np.ndarray:
        """A closed configuration (n,) without the whole turns of its angles from q that change no equation.

        Those of what a gear drives do.
        """
        turns = np.where(self.angles, 2 * np.pi * np.round((x - q) / (2 * np.pi)), 0.0)
        for some in (turns, *np.diag(turns)):
            if some.any() and np.abs(self.values(x - some) - self.values(x)).max(initial=0) <= TURNING:
                return self.unturned(x - some, q)
        return x

    def _open(self, q: np.ndarray, free: np.ndarray) -> str:
        """Which loop does not close, by how much, and which lengths."""
        best, error = q, np.inf if free.any() else 0.0
        for x in (q.copy(), q + 0.3 * free, q - 0.3 * free):
            for _ in range(200 if free.any() else 0):  # downhill, with damping
                g, J = self.values(x)[self.of_place], self._jacobian(x)[self.of_place][:, free]
                if not (np.isfinite(g).all() and np.isfinite(J).all()):
                    break
                if np.abs(g).max(initial=0) < error:
                    best, error = x.copy(), float(np.abs(g).max(initial=0))
                N = J.T @ J
                x[free] -= np.linalg.solve(N + 1e-3 * (np.trace(N) / len(N) + 1e-30) * np.eye(len(N)), J.T @ g)
        best = best - np.where(self.angles & free, 2 * np.pi * np.round((best - q) / (2 * np.pi)), 0.0)
        g = np.abs(np.where(self.of_place, self.values(best), 0.0))
        worst, label = self.rows[int(np.argmax(g))]
        still = dict.fromkeys(c.title for (c, _), x in zip(self.rows, g, strict=True) if x > 1e-3 * g.max())
        unit = " m" if label.startswith("F") or label == "distance" else ""
        where = ", ".join(f"{name} = {x:.4g}" for name, x in zip(self.names, best, strict=True))
        said = (
            f"{worst.title} stays open by {g.max():.3g}{unit} ({label}) where it comes nearest, at {where}. "
            + (f"What stays open together, one against the other: {', '.join(still)}. " if len(still) > 1 else "")
        )  # fmt: skip
        fixed = {name for name, moves in zip(self.names, free, strict=True) if not moves}
        return said + (
            worst.lengths(lambda x: float(self.numbers((self.system.node(x),), q)[0]), fixed)
            or "Look at the lengths, at the axes of the joints, and at the guess: initial={...}."
        )

    def speeds(self, q: np.ndarray, qd: np.ndarray, hold: Sequence[str]) -> np.ndarray:
        """Compatible rates; rates of held coordinates are kept, then rates that are not zero, as far as possible."""
        missing = self.rates(q, qd)
        if not missing.any():  # most often: at rest
            return qd.copy()
        A, size = self.jacobian(q), self.size(q)
        columns = np.where(self.angles, 1.0, size)
        rows = 1 / self._sizes(A * columns, size)
        dependent = self.dependent(q, hold, [name for name, x in zip(self.names, qd, strict=True) if x])
        for free in (dependent, [j for j in range(self.n) if self.names[j] not in hold], list(range(self.n))):
            step, *_ = np.linalg.lstsq((A[:, free] * columns[free]) * rows[:, None], -missing * rows, rcond=1e-10)
            found = qd.copy()
            found[free] += columns[free] * step
            left = np.abs(self.rates(q, found) * rows).max(initial=0)
            if left <= 1e-9 * max(1.0, float(np.abs(missing * rows).max(initial=0))):
                break
        else:
            raise AssemblyError(
                f"no rates of model '{self.mechanism.name}' fit its constraints at t = {self.t:g} s: "
                f"{self.rows[int(np.argmax(np.abs(self.rates(q, found) * rows)))][0].title} asks for what the others "
                "forbid. Look for two constraints that drive the same coordinate differently.",
                time=self.t,
            )
        return found

    def assemble(
        self, q: np.ndarray, qd: np.ndarray, hold: Sequence[str] = (), prefer: Sequence[str] = (),
        rates: Sequence[str] = (),
    ) -> Closed:  # fmt: skip
        """The nearest compatible configuration and rates (n,); the independent values are kept exactly.

        Coordinates in `hold` are independent, those in `prefer` if possible; for those in `rates` the rates are.
        """
        self.check_constants()
        self.check_limits(q)
        placed = self.place(q, hold) if hold else self._once(self._placed, q, prefer).copy()
        self.check_limits(placed)
        speeds = self.speeds(placed, qd, list(hold or rates))
        dependent = self.dependent(placed, list(hold or prefer))
        independent = tuple(name for j, name in enumerate(self.names) if j not in dependent)
        columns = np.where(self.angles, 1.0, self.size(placed)).tolist()
        moved = {
            name: (a, b) for name, a, b, one in zip(self.names, q.tolist(), placed.tolist(), columns, strict=True)
            if abs(a - b) > 1e-9 * one
        }  # fmt: skip
        for name, a, b, one in zip(self.names, qd.tolist(), speeds.tolist(), columns, strict=True):
            if a != 0 and abs(a - b) > 1e-6 * max(abs(a), one):  # zero: nobody has said anything
                moved[f"{name}.dot"] = a, b
        return Closed(placed, speeds, independent, moved)

    def led_on(self, closed: Closed, freedoms: int) -> Closed:
        """The same; at a change point (more independent coordinates than `freedoms`) with the way its rates take.

        It is unchanged if the rates lead to neither way, or are zero.
        """
        if len(closed.independent) <= freedoms or not closed.qd.any():
            return closed
        size = self.size(closed.q)
        columns = np.where(self.angles, 1.0, size)
        ahead = closed.qd / columns
        fastest = float(np.abs(ahead).max())
        step = AHEAD * columns * ahead / fastest
        near = self.newton(closed.q + step, np.ones(self.n, dtype=bool), size)
        if near is None or not np.abs((near - closed.q - step) / columns).max() < TURNED * AHEAD:
            return closed
        dependent = self.dependent(near, closed.independent)
        if self.n - len(dependent) > freedoms:
            return closed
        independent = tuple(name for j, name in enumerate(self.names) if j not in dependent)
        return replace(closed, independent=independent, beside=near)

    def _placed(self, q: np.ndarray, prefer: Sequence[str]) -> np.ndarray:
        if np.abs(self.values(q)).max(initial=0) <= 1e-14 * self.size(q):
            return q.copy()
        found = self._once(self._reached, q, self.dependent_near(q, prefer))
        if found is None and prefer:
            found = self._reached(q, [j for j, name in enumerate(self.names) if name not in prefer])
        return self.place(q, ()) if found is None else found

    def check_limits(self, q: np.ndarray) -> None:
        """AssemblyError if a constraint makes no sense at a configuration (n,), such as a wheel that lies flat."""
        nodes = tuple(node for _, node in self._limits)
        for (limit, _), value in zip(self._limits, self.numbers(nodes, q) if nodes else (), strict=True):
            if value <= 0:
                raise AssemblyError(
                    f"{limit.what} at {', '.join(f'{name} = {x:.6g}' for name, x in zip(self.names, q, strict=True))}: "
                    f"{limit.reason}, so that its equations have no value. {limit.advice}",
                    time=self.t,
                )

    def check_constants(self) -> None:
        """Raise ModelError for a row that is a nonzero number: no motion can change it."""
        outputs = self.system.program("constraint_values").outputs
        values = self.system.at("constraint_values", self.t, *[self._zero] * 3) if any(x.fixed for x in outputs) else ()
        for (constraint, label), node, value in zip(self.rows, outputs, values, strict=False):
            if node.fixed and abs(value) > 1e-9:
                check_physical(self.mechanism, self.system.parameters)  # a radius below zero, say
                raise ModelError(
                    f"{constraint.title} can never close: its equation {label} is {value:.6g}, whatever the "
                    "coordinates are. No coordinate moves the two frames together in this direction: look at the "
                    "places and axes of both frames."
                )

    # -- counting ---------------------------------------------------------------------------------------------------

    def samples(self, q: np.ndarray, count: int = 4) -> list[np.ndarray]:
        """Closed configurations: the given one, and neighbours along the motions that it allows."""
        found, size, generator = [q], self.size(q), np.random.default_rng(2)
        columns = np.where(self.angles, 1.0, size)
        free = free_directions(self.scaled(self.jacobian(q)[self.of_place], size), RANK)
        for _ in range(count if free.shape[1] else 0):
            step = free @ generator.uniform(-1, 1, free.shape[1])
            step *= 0.1 / max(float(np.abs(step).max(initial=0)), 1e-300)
            near = self.newton(q + columns * step, np.ones(self.n, dtype=bool), size)
            if near is not None and np.all(np.abs((near - q) / columns) < 0.5):
                # near dead points of closed forms digits are lost
                found += [near] if (self.numbers("margins", near) > MARGIN).all() else []
        return found

    def redundancy(self, q: np.ndarray) -> Redundancy:
        """The independent rows at a closed configuration, and near it."""
        J, rank = self._once(self._ranked, q)
        fixed = [x.fixed for x in self.system.program("constraint_jacobian").outputs]
        known = J.any(axis=1) | ~np.reshape(fixed, J.shape).all(axis=1)  # False: there is nothing, at any place
        if rank == np.count_nonzero(known) and _smallest(J, rank) > 1e-3:  # all others count, at any place
            return Redundancy(tuple(np.flatnonzero(known).tolist()), known, self.n - rank)
        scaled = [self._once(self._ranked, x)[0] for x in self.samples(q)]
        found = [np.linalg.svd(J, full_matrices=False)[:2] for J in scaled]  # U and the singular values
        ranks = [_counting(values) for _, values in found]
        rank = max(ranks)
        regular = [k for k, r in enumerate(ranks) if r == rank]
        kept: tuple[int, ...] = ()
        for best in sorted(regular, key=lambda k: -_last(found[k][1], rank)):
            kept = tuple(_independent_rows(scaled[best], rank, range(len(self.rows)), 1e-7))
            if all(_rank(scaled[k][list(kept)]) == rank for k in regular):
                break
        known = np.all([_independent(*found[k]) for k in regular], axis=0)
        there = np.flatnonzero(np.abs(scaled).max(axis=(0, 2), initial=0) > RANK).tolist()
        dependent = tuple(k for k in there if k not in kept)
        return Redundancy(tuple(sorted(kept)), known, self.n - rank, dependent)

    def redundancy_if_closed(self, q: np.ndarray) -> Redundancy | None:
        """The same; None where the constraints do not hold at q (n,)."""
        left = np.abs(self.values(q)[self.of_place]).max(initial=0)
        return self.redundancy(q) if left <= CLOSED * self.size(q) else None

    def confirmed(self, found: Redundancy, q: np.ndarray) -> Redundancy | None:
        """The redundancy found elsewhere, if it also holds at a configuration q (n,); None if other rows are needed."""
        (J, here), rank = self._once(self._ranked, q), self.n - found.degrees_of_freedom
        says = J.any(axis=1)
        if here == rank == np.count_nonzero(says) and says[list(found.kept)].all():  # all others count
            return replace(found, known=found.known & says)
        U, values, _ = np.linalg.svd(J, full_matrices=False)
        if _count(values, RANK) != rank or _smallest(J[list(found.kept)], rank) < 1e-3 * _last(values, rank):
            return None
        known = found.known & _independent(U, values)
        return Redundancy(found.kept, known, found.degrees_of_freedom, found.dependent)

    def lost(self, q: np.ndarray, qd: np.ndarray, start: np.ndarray, rank: int) -> list[str]:
        """The constraints that lose an equation at a singular configuration, compared with a regular one.

        Of all rows `rank` are independent there, whichever they are; of those that were chosen fewer may be. A run ends
        a little before, and its rates lead on. Drives have no share: they are lost where they come to their reach.
        """
        size, still = self.size(start), [k for k, (c, _) in enumerate(self.rows) if not c.driven]
        rank -= len(self.rows) - len(still)
        columns = np.where(self.angles, 1.0, size)
        sizes = self._sizes(self.jacobian(start) * columns, size)[:, None]

        def last(x: np.ndarray) -> tuple[float, np.ndarray]:
            J = (self._jacobian(x) * columns / sizes)[still]
            if not np.isfinite(J).all():
                return np.inf, np.zeros(len(J))
            U, values, _ = np.linalg.svd(J, full_matrices=False)
            return _last(values, rank), U[:, rank - 1]

        if rank <= 0:
            return []
        here, fastest = last(q), float(np.abs(qd / columns).max(initial=0))
        step = ASIDE * qd / max(fastest, 1e-300)
        slope = here[0] - last(q + step)[0]
        if slope * LED > here[0] * ASIDE:
            here = min(here, last(q + step * here[0] / slope), key=lambda x: x[0])
        if here[0] > SINGULAR * last(start)[0]:
            return []
        return list(dict.fromkeys(self.rows[k][0].title for k, x in zip(still, here[1], strict=True) if abs(x) > 0.1))


def _least(J: np.ndarray, g: np.ndarray) -> np.ndarray:
    """The shortest x with the least |J x - g|; singular values below 1e-9 of the first are zero."""
    says = J.any(axis=1)
    J, g = J[says], g[says]
    if len(J) == J.shape[1]:
        with suppress(np.linalg.LinAlgError):  # it is singular
            inverse = np.linalg.inv(J)
            if np.vdot(J, J) * np.vdot(inverse, inverse) < 1e12:
                return inverse @ g  # type: ignore[no-any-return]
    return np.linalg.lstsq(J, g, rcond=1e-9)[0]


def _count(values: np.ndarray, small: float) -> int:
    """Of singular values, falling, those that are not `small` beside the first."""
    return int((values > small * max(values.max(initial=0), 1e-300)).sum())


def _independent(U: np.ndarray, values: np.ndarray) -> np.ndarray:
    """True of rows that no dependence between rows has a share in: the others could be left out."""
    return np.asarray(1 - (U[:, : _count(values, RANK)] ** 2).sum(axis=1) < 1e-12)


def free_directions(J: np.ndarray, small: float) -> np.ndarray:
    """Columns (n, freedoms) along which no row of J (m, n) changes: singular values below `small` of the first."""
    if not len(J):
        return np.eye(J.shape[1])
    _, values, V = np.linalg.svd(J, full_matrices=len(J) < J.shape[1])
    return np.asarray(V[_count(values, small) :].T)


def _rank(J: np.ndarray) -> int:
    """Of a matrix with rows of one size."""
    return _counting(np.linalg.svd(J[J.any(axis=1)], compute_uv=False)) if J.size else 0


def _counting(values: np.ndarray) -> int:
    """Number of singular values that are not small beside the largest; a row that counts has an element of 1."""
    return int((values > RANK * max(values.max(initial=0), 1.0)).sum())


def _smallest(J: np.ndarray, rank: int) -> float:
    """The last singular value that counts."""
    return _last(np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0), rank)


def _last(values: np.ndarray, rank: int) -> float:
    return float(values[rank - 1]) if 0 < rank <= len(values) else 0.0


def _independent_rows(J: np.ndarray, rank: int, order: Sequence[int], rounding: float) -> list[int]:
    """The first `rank` rows in this order each of which is long enough without what it shares with those before it."""
    chosen = list(order[:rank])
    if rank > 4:  # few at a time are faster one by one
        left = np.abs(np.diagonal(np.linalg.qr(J[chosen].T, "r")))
        if (left > np.maximum(GOOD * np.linalg.norm(J[chosen], axis=1), rounding)).all():
            return chosen
    for least in (GOOD, 1e-3, 1e-7) if rank else ():
        basis, chosen = np.zeros((rank, J.shape[1])), []
        for k in order:
            row, found = J[k], basis[: len(chosen)]
            left = row - (row @ found.T) @ found
            left = left - (left @ found.T) @ found
            norm = math.sqrt(left @ left)
            if norm > max(least * math.sqrt(row @ row), rounding):
                basis[len(chosen)] = left / norm
                chosen.append(k)
                if len(chosen) == rank:
                    return chosen
    return chosen
