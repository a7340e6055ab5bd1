"""Modes of friction: sticking and sliding of all contacts, by one complementarity problem on the accelerations.

    a = A f + b,    f within its bounds,    a = 0 where f is inside of them

Here a are the accelerations of the slips whose velocity is zero, and of the closed gaps; f are their forces; b is a
without these forces; A = W M^-1 W' gives the accelerations for unit forces. The bounds of friction that is proportional
to a contact force grow with that force. If such a contact already slides, its force causes a friction force, and A is
not symmetric. The modes then stay until the guard of one of them falls through zero.

If friction is greater at rest than in sliding, the law is not monotonic. A slip that cannot hold with the static level
slides with the level of sliding. The problem is then solved again, because the other slips have more to carry. There
are at most as many rounds as slips.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from easydyn.engine.system import CompiledSystem
from easydyn.errors import ModeError, SingularMatrixError
from easydyn.forces.gap import STABILISATION
from easydyn.forces.slip import START, STOP
from easydyn.run.impacts import SOFTNESS, TOUCH, Impulses
from easydyn.run.shares import shares
from easydyn.sim.complementarity import CLEAR, DEPENDENT, Bounds, solution, together
from easydyn.sim.functions import Evaluation
from easydyn.sim.motion import Happening

if TYPE_CHECKING:
    from easydyn.sim.stepper import Stepper

SLOW = 1e-9  # units of a slip per s: smaller velocities of slip count as zero
BEYOND = 1e-9  # of the largest friction: by that much a joint is overcome that has been found to break away
NEAR = 1e-5  # of the largest friction: what is so near has been overcome when an event says so
ROUGHLY = 1e-6  # the same where a contact presses: rounding moves loads so much among contacts that hardly give way
TOGETHER = 1e-7  # the same, of those that share a load
ROUNDING = 1e-12  # of coordinates and rates
TINY = 1e-300  # N
PREFERRED = 1e9  # times: what holds a coordinate holds before what has an unknown force
NUMBERS = 6  # of each slip that are looked at, beside W


class Measured(NamedTuple):
    """One slip at an instant: velocity, its rate, largest friction in sliding and at rest, normal force, force."""

    velocity: float
    rate: float
    level: float
    static: float
    pressed: float
    force: float


class Impacting(NamedTuple):
    """Slips that take part in an impact.

    Attributes
    ----------
    gradients : array (k, n)
        W.
    velocities : array (k,)
        m/s, rad/s.
    shares : array (k,)
        Shares of the normal impulses: coefficients of friction.
    contacts : array (k,) of int
        The place of the contact among the active ones; -1 for a one-way element.
    pairs : list of (int, int)
        Components of one slip.
    unknowns : list of int
        The places of their impulses among the unknowns.
    sticks : array (m,) of int
        The indices of those that are held at present.
    """

    gradients: np.ndarray
    velocities: np.ndarray
    shares: np.ndarray
    contacts: np.ndarray
    pairs: list[tuple[int, int]]
    unknowns: list[int]
    sticks: np.ndarray

    def rows(self, some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradients and velocities of some of them (indices)."""
        return self.gradients[some], self.velocities[some]


class FrictionModes:
    """The slips of a run (one at least), beside the impulses of its contacts and locks.

    Parameters
    ----------
    system : CompiledSystem
        What is run.
    impulses : Impulses
        Of its contacts and locks; they ask for the rows of friction.
    live : dict
        Functions of time of inputs, by their place among what is held.
    """

    def __init__(self, system: CompiledSystem, impulses: Impulses, live: Mapping[int, Any]):
        m = system.mechanism
        self.impulses, self._n = impulses, len(m.coordinates)
        self.slips, self.guards = system.slips, system.slip_guards
        impulses.friction = self
        held = {name: k for k, name in enumerate(m.held)}
        self._flags = [[held[str(flag)] for flag in slip.modes] for slip in self.slips]
        gaps = [gap.impulse for gap in impulses.gaps]
        self._contact = [gaps.index(slip.normal) if slip.normal is not None else None for slip in self.slips]
        self._partner = [
            k - 1 if s.second else k + 1 if s.across is not None else None for k, s in enumerate(self.slips)
        ]
        columns = {q: j for j, q in enumerate(m.coordinates)}
        self._places = [(k, columns[q]) for k, slip in enumerate(self.slips) for q in slip.gradient]
        holders = {name for names in m.holders.values() for name in names}
        self._replaced = [
            columns[next(iter(slip.gradient))] if str(slip.modes.sticks) in holders else None for slip in self.slips
        ]
        self._unknown = {k: system.names.index(s.name) for k, s in enumerate(self.slips) if s.name in system.names}
        d = system.derivation
        numbers = [x for s in self.slips for x in (s.velocity, s.rate, s.level, s.static, s.pressed(d), s.force)]
        slopes = [x for slip in self.slips for x in slip.gradient.values()]
        key = tuple(system.node(x) for x in (*numbers, *slopes))
        self._numbers = len(key)
        self._evaluation = Evaluation(*system.kernel(key, live))
        replaced = {j for j in self._replaced if j is not None}
        self._by_loads = bool(m.loading)
        self._distinct = impulses.alone and len(replaced) == len(self.slips)  # each holds a coordinate of its own
        others = self._by_loads or impulses.gaps or any(slip.one_way for slip in self.slips)
        self._alone = self._distinct and not others
        self._held: list[float] = []  # what is held, while modes are decided
        self._settled: Any = None, None
        self._units = np.ones(len(self.slips))  # of the slips, at the state that was measured last

    def __call__(self, stepper: Stepper) -> None:
        """Stop locked coordinates and closed gaps, and find the modes of friction, after a change of the state."""
        self.impulses(stepper)
        self.settle(stepper)

    # -- what is so -------------------------------------------------------------------------------------------------

    def measure(self, stepper: Stepper) -> tuple[list[Measured], np.ndarray]:
        """All slips at the present state, with the accelerations that were found last, and W (slips, n)."""
        values, count = self._values(stepper), len(self.slips)
        W = np.zeros((count, self._n))
        for place, value in zip(self._places, values[NUMBERS * count :], strict=True):
            W[place] = value
        if self.impulses.unit != 1:
            self._units = self.impulses.units(W)
        return [Measured(*values[NUMBERS * k : NUMBERS * (k + 1)]) for k in range(count)], W

    def _values(self, stepper: Stepper) -> list[float]:
        """The numbers of all slips, then the elements of W that are not zero."""
        return stepper.probe(self._evaluation, self._numbers)().tolist()  # type: ignore[no-any-return]

    def _active(self, stepper: Stepper, k: int) -> bool:
        """False of the friction of a contact that is open."""
        contact = self._contact[k]
        return contact is None or self.impulses.is_closed(stepper, contact)

    def _mode(self, k: int) -> tuple[float, float]:
        slides, sticks, *_ = self._flags[k]
        return self._held[slides], self._held[sticks]

    def _set(
        self, stepper: Stepper, k: int, slides: float, sticks: float, carries: float = 0.0, shares: float = 0.0
    ) -> None:  # fmt: skip
        held = self._held
        for place, value in zip(self._flags[k], (slides, sticks, carries, shares), strict=True):
            if held[place] != value:
                held[place] = value
                stepper.set_held(place, value)

    def _consistent(self, stepper: Stepper, measured: Sequence[Measured]) -> bool:
        """True when the present modes agree with the motion: then there is nothing to decide."""
        for k, (m, slip) in enumerate(zip(measured, self.slips, strict=True)):
            slides, sticks = self._mode(k)
            if not self._active(stepper, k):
                if slides or sticks:
                    return False
            elif sticks:
                most = m.static * m.pressed * (1 + BEYOND)
                load = self._size(measured, k, "force")
                if abs(m.velocity) > SLOW * self._units[k] or (m.force < -TOUCH if slip.one_way else load > most):
                    return False
            elif self._ahead(measured, k) <= SLOW * self._units[k]:
                return False
        return True

    def _size(self, measured: Sequence[Measured], k: int, what: str) -> float:
        """Of a velocity or a force its size, with both components where there are two."""
        partner = self._partner[k]
        own: float = getattr(measured[k], what)
        return abs(own) if partner is None else float(np.hypot(own, getattr(measured[partner], what)))

    def _ahead(self, measured: Sequence[Measured], k: int) -> float:
        """The velocity in the direction of sliding that the mode gives."""
        return sum((self._mode(i)[0] * measured[i].velocity for i in self._both(k)), 0.0)

    def _both(self, k: int) -> list[int]:
        """The components of a slip."""
        partner = self._partner[k]
        return [k] if partner is None else [k, partner]

    def _aim(self, stepper: Stepper, measured: Sequence[Measured], k: int) -> None:
        """Let it slide in the direction of its velocity."""
        speed = self._size(measured, k, "velocity")
        self._set(stepper, k, measured[k].velocity / speed if speed else 0.0, 0.0)

    # -- what is decided ----------------------------------------------------------------------------------------------

    def settle(self, stepper: Stepper, fired: int | None = None, anew: bool = False) -> None:
        """Set the modes of all slips for the present state; `fired` is the slip whose mode has just ended.

        Modes that agree with the motion stay as they are. With `anew`, they are found again, with those of the closed
        contacts.
        """
        if fired is None and not anew and self._is_settled(stepper):
            return
        if fired is not None and self._alone and self._quickly(stepper, fired):
            return
        self._held = list(stepper.run.held)
        before = [self._mode(k) for k in range(len(self.slips))]
        try:
            if fired is None:
                stepper.restart()
            measured, W = self.measure(stepper)
            if fired is not None or anew or not self._consistent(stepper, measured):
                self._decide(stepper, measured, W, fired)
        except SingularMatrixError:
            self._hold_all(stepper)
        self._tell(stepper, before)
        self._settled = self._state(stepper)

    def _hold_all(self, stepper: Stepper) -> None:
        """Where masses are singular unless slips are held: hold all that rest, and release those that cannot hold."""
        measured, count = self.measure(stepper)[0], range(len(self.slips))
        for k in count:
            if not self._active(stepper, k):
                self._set(stepper, k, 0.0, 0.0)
            elif self._size(measured, k, "velocity") > SLOW * self._units[k]:
                self._aim(stepper, measured, k)
            else:
                self._set(stepper, k, 0.0, 1.0)
        beyond = [0]
        while beyond:
            stepper.restart()
            measured = self.measure(stepper)[0]
            load = [self._size(measured, k, "force") for k in count]
            beyond = [k for k in count if self._mode(k)[1] and load[k] > measured[k].static * measured[k].pressed]
            for k in beyond:
                self._set(stepper, k, -measured[k].force / load[k], 0.0)

    def _quickly(self, stepper: Stepper, fired: int) -> bool:
        """Try the usual case: `fired` begins to slide, sticks, or turns back, and no other slip changes; False if not.

        If friction at rest equals friction in sliding, and each slip holds a coordinate of its own, there is only one
        solution. Modes that clearly agree with the motion are then right.
        """
        r, column, force = stepper.run, self._replaced[fired], NUMBERS * fired + 5
        self._held = list(r.held)
        before, rate = [self._mode(k) for k in range(len(self.slips))], r.qd[column]
        sticks = before[fired][1]
        r.qd[column] = 0.0
        if not sticks:
            self._set(stepper, fired, 0.0, 1.0)
            stepper.restart()
        found = not sticks and self._agree_clearly(stepper, fired)
        if not found:
            self._set(stepper, fired, -float(np.sign(self._values(stepper)[force])), 0.0)
            stepper.restart()
            found = self._agree_clearly(stepper, fired)
        if found:
            self._tell(stepper, before)
            self._settled = self._state(stepper)
        else:
            self._set(stepper, fired, *before[fired])
            r.qd[column] = rate
            stepper.restart()
        return found

    def _agree_clearly(self, stepper: Stepper, fired: int) -> bool:
        """True when the modes agree with the motion by a margin, apart from the one that has just changed."""
        values, held = self._values(stepper), self._held
        for k, (slides, sticks, *_) in enumerate(self._flags):
            velocity, rate, level, static, _, force = values[NUMBERS * k : NUMBERS * (k + 1)]
            slow = SLOW * self._units[k]
            if static > level:
                return False
            if held[sticks]:
                if abs(velocity) > slow or abs(force) >= static * (1 - CLEAR):
                    return False
            elif held[slides] * rate <= -level * BEYOND if k == fired else held[slides] * velocity <= slow:
                return False
        return True

    def _state(self, stepper: Stepper) -> Any:
        r = stepper.run
        return (r.t, *r.held), np.array((*r.q, *r.qd))

    def _is_settled(self, stepper: Stepper) -> bool:
        """True where nothing but rounding has changed since modes were decided."""
        (held, state), (known, before) = self._state(stepper), self._settled
        return held == known and bool(np.all(np.abs(state - before) <= ROUNDING * (1 + np.abs(state))))

    def _tell(self, stepper: Stepper, before: Sequence[tuple[float, float]]) -> None:
        """List what has changed."""
        for k, (slip, old) in enumerate(zip(self.slips, before, strict=True)):
            now = self._mode(k)
            if now != old and any(old) and any(now) and _word(now) != _word(old):
                stepper.agenda.happenings.append(Happening(stepper.t, slip.name, _word(now)))

    def _decide(self, stepper: Stepper, measured: Sequence[Measured], W: np.ndarray, fired: int | None) -> None:
        count = range(len(self.slips))
        active = [k for k in count if self._active(stepper, k)]
        speed = [self._size(measured, k, "velocity") for k in count]
        open_ = [k for k in active if speed[k] <= SLOW * self._units[k] or self._has_stopped(k, speed[k], fired)]
        for k in count:
            if k not in active:
                self._set(stepper, k, 0.0, 0.0)
            elif k == fired and k not in open_ and self._partner[k] is None and self._mode(k)[0]:
                self._set(stepper, k, -self._mode(k)[0], 0.0)  # its velocity leaps here, as where a belt begins
            elif k not in open_:
                self._aim(stepper, measured, k)
        closed = np.flatnonzero(self.impulses.closed(stepper)).tolist()
        if not open_ and all(self._contact[k] is None for k in active):
            return
        problem = _Problem(self, stepper, measured, W, open_, closed)
        sliding: dict[int, float] = {}  # of those: which slide, and in which direction
        if fired is not None and self.slips[fired].one_way and self._mode(fired)[1]:
            sliding[fired] = 1.0  # its load has come to zero
        while True:
            found = problem.solved(sliding, fired)
            sliding |= found
            if all(measured[k].level >= measured[k].static for k in found) or len(sliding) == len(open_):
                break
        for k, direction in sliding.items():
            self._set(stepper, k, direction if self._active(stepper, k) else 0.0, 0.0)
        held = [k for k in open_ if k not in sliding]
        self._stop(stepper, open_, problem)
        self._hold(stepper, held, problem)
        if self._by_loads:
            if fired is not None and fired in open_ and problem.was_held[fired]:
                self._set(stepper, fired, -float(np.sign(problem.measured[fired].force)), 0.0)
            self._agree(stepper, open_)

    def _agree(self, stepper: Stepper, undecided: Sequence[int]) -> None:
        """Change one mode after the other until friction that grows with loads agrees with the loads that it brings."""
        for _ in range(4 * len(undecided)):
            stepper.restart()
            measured = self.measure(stepper)[0]
            for k in undecided:
                m, (slides, sticks) = measured[k], self._mode(k)
                if sticks and abs(m.force) > m.static * m.pressed * (1 + BEYOND):
                    self._set(stepper, k, -float(np.sign(m.force)), 0.0)
                    break
                if slides and slides * m.rate < -ROUNDING * (1 + abs(m.rate)):
                    self._set(stepper, k, 0.0, 1.0)
                    break
            else:
                return
        raise self.without_mode(stepper, [self.slips[k].element for k in undecided])

    def _stop(self, stepper: Stepper, slow: list[int], problem: _Problem) -> None:
        """Set to zero the remaining velocities of slips that stick or begin to slide; closed gaps stay closed."""
        if not any(problem.measured[k].velocity for k in slow):
            return
        columns = [j for k in slow if (j := self._replaced[k]) is not None]
        if len(columns) < len(slow):  # else they are rates of coordinates
            A, own = problem.among(slow)
            slow = [k for k, moves in zip(slow, A.diagonal() > DEPENDENT * own, strict=True) if moves]
            lacking, closed = np.array([problem.measured[k].velocity for k in slow]), problem.closed()
            self.impulses.take_away(stepper, (problem.W[slow], lacking), (closed, np.zeros(len(closed))))
        qd = stepper.qd
        qd[columns] = 0.0
        stepper.qd = qd

    def _has_stopped(self, k: int, speed: float, fired: int | None) -> bool:
        """True for a slip that is held, or whose mode has ended, unless its velocity has leapt; in a plane, if slow.

        Slips that share a load creep, as much as the load changes.
        """
        if self._partner[k] is not None:
            # what turns against its force is at rest: so slow a slip has another direction than its force
            return speed <= (START if fired in self._both(k) else 2 * STOP) * self._units[k]
        return speed <= STOP * self._units[k] and (fired == k or bool(self._mode(k)[1]))

    def _hold(self, stepper: Stepper, held: list[int], problem: _Problem) -> None:
        """Let slips stick: alone, or together with others if fewer would do, with which they share the load."""
        for k in held:
            self._set(stepper, k, 0.0, 1.0)
        if self._distinct or not held:
            return
        A, own = problem.among(held)
        rest, group = together(A, own, problem.preference(held))
        for i in rest:
            self._set(stepper, held[i], 0.0, -1.0)
        if not group:
            return
        some = [held[i] for i in group]
        f, weight = problem.shared(some, A[np.ix_(group, group)])
        stiff = weight / (SOFTNESS * max((weight * A.diagonal()[group]).max(), TINY))
        carries = f
        for _ in range(2):  # rows that depend on others all but exactly ask for a correction
            for k, i, carried, share in zip(some, group, carries, stiff, strict=True):
                if self._replaced[k] is None:
                    self._set(stepper, k, 0.0, -1.0, float(carried), float(share))
                elif i in rest:
                    self._set(stepper, k, 0.0, -1.0, float(carried))  # the other ones hold coordinates
            stepper.restart()
            carries = carries + f - np.array([m.force for m in self.measure(stepper)[0]])[some]

    # -- impulses -----------------------------------------------------------------------------------------------------

    def rows(self, stepper: Stepper, active: Sequence[int]) -> Impacting:
        """The slips that take part in an impact of the `active` contacts: their friction, and one-way elements."""
        measured, W = self.measure(stepper)
        part = [k for k, s in enumerate(self.slips) if s.one_way or self._contact[k] in active]
        place = {contact: i for i, contact in enumerate(active)}
        contacts = [-1 if contact is None else place[contact] for contact in (self._contact[k] for k in part)]
        shares = [0.0 if self.slips[k].one_way else measured[k].level for k in part]
        velocities = np.array([measured[k].velocity for k in part])
        pairs = [(i, i + 1) for i, k in enumerate(part) if self._partner[k] == k + 1]
        unknowns = [self._unknown[k] for k in part]
        held = np.array([stepper.run.held[self._flags[k][1]] != 0 for k in part], dtype=bool)
        sticks = np.flatnonzero(held & (np.abs(velocities) <= STOP * self._units[part]))  # of others it has leapt
        return Impacting(W[part], velocities, np.array(shares), np.array(contacts, dtype=int), pairs, unknowns, sticks)

    def of_contacts(self) -> Iterator[tuple[int, list[int]]]:
        """The contacts that rub, each with the columns of a slip."""
        places = groupby(self._places, lambda place: place[0])
        return ((c, [j for _, j in some]) for k, some in places if (c := self._contact[k]) is not None)

    @property
    def one_way(self) -> bool:
        """True if there is a one-way element, which takes an impulse without a contact."""
        return any(slip.one_way for slip in self.slips)

    def without_mode(self, stepper: Stepper, among: Iterable[str]) -> ModeError:
        """The exception for forces, `among` these elements, that no mode makes consistent."""
        return ModeError(
            f"no mode of friction is consistent at t = {stepper.t:g} s ({', '.join(among)}): whether they stick, slide "
            "or part, forces and accelerations do not go together. Rigid bodies with much friction may have no motion "
            "(Painleve's paradox): lower the friction, or take a soft contact, PlanePoint.",
            time=stepper.t,
        )


class _Problem:
    """The complementarity problem of an instant: the undecided slips, and the closed contacts."""

    def __init__(
        self, modes: FrictionModes, stepper: Stepper, measured: Sequence[Measured], W: np.ndarray,
        undecided: Sequence[int], closed: Sequence[int],
    ):  # fmt: skip
        self._modes, self._stepper, self.measured, self.W = modes, stepper, measured, W
        self._undecided, self._closed = undecided, closed
        self.was_held = [bool(modes._mode(k)[1]) for k in range(len(W))]
        sharing = [k for k in range(len(W)) if modes._mode(k)[1] < 0]
        beside = [k for k, was in enumerate(self.was_held) if was and modes._replaced[k] is not None]
        self._sharing = {*sharing, *beside} if sharing else set()
        impulses = modes.impulses
        self._held = {i: impulses.compliance(stepper, i) for i in closed}
        self._J = impulses.gradients(impulses.measure(stepper), closed)
        self._X = impulses.moved(stepper, np.vstack([W, self._J]).T)  # M^-1 of loads, with locks and loops holding

    def closed(self) -> np.ndarray:
        """The gradients (k, n) of gaps that are closed."""
        return self._J[self._modes.impulses.closed(self._stepper)[[*self._closed]]]

    def among(self, some: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """The mobility (k, k) of some slips, and their mobilities (k,) without loops and locks, as a measure."""
        A = self.W[some] @ self._X[:, some]
        return A, self._own(some, A)

    def _own(self, some: Sequence[int], A: np.ndarray) -> np.ndarray:
        impulses = self._modes.impulses
        if impulses.alone:
            return A.diagonal()[: len(some)]
        unheld = np.linalg.lstsq(impulses.masses(self._stepper), self.W[some].T, rcond=None)[0]
        return np.einsum("kn,nk->k", self.W[some], unheld)

    def solved(self, sliding: Mapping[int, float], fired: int | None) -> dict[int, float]:
        """The undecided slips that begin to slide, and their directions."""
        modes = self._modes
        rest = [k for k in self._undecided if k not in sliding]
        free = self._free(rest, sliding)
        A, b = self._mobility(rest, free)
        bounds, among = self._bounds(rest, free, fired)
        result, directions = np.zeros(len(b), dtype=int), np.zeros(len(b))
        moves = self._moves(rest, A, b, bounds, result)
        index = np.flatnonzero(moves)
        place = np.cumsum(moves) - 1
        if len(index) < len(b):
            A, b = A[np.ix_(index, index)], b[index]
            bounds = Bounds(bounds.lower[index], bounds.upper[index], bounds.share[index], place[bounds.normal[index]])
        at = {k: int(place[i]) for i, k in enumerate(rest) if moves[i]}
        broken = fired if fired is not None and self.was_held[fired] else None
        guess = None if self._closed else np.zeros(len(index), dtype=int)
        if guess is not None and broken in at:
            guess[at[broken]] = int(np.sign(self.measured[broken].force))
        pairs = [(at[k], at[k + 1]) for k in at if modes._partner[k] == k + 1 and k + 1 in at]
        found = solution(A, b, bounds, pairs, guess)
        if found is None:
            raise modes.without_mode(self._stepper, [among[i] for i in index])
        result[index], directions[index] = found.side, found.direction
        f = found.force
        most = np.minimum(bounds.upper, 2 * np.abs(f).sum()) + np.maximum(bounds.share * f[bounds.normal], 0.0)
        self.loads = {k: (float(f[i]), float(most[i])) for k, i in at.items()}
        if found.side.any():
            at_rest = self._at_rest(A, b, f, found.side, at)
            for i, k in enumerate(rest):
                both = modes._both(k)
                if at_rest.keys() >= {*both} and (k in self._sharing or broken not in both):
                    result[i], directions[i] = at_rest[k]
        for contact, side in zip(self._closed, result[len(rest) :], strict=True):
            if side == 0:
                modes.impulses.close(self._stepper, contact, self._held[contact])
        return {
            k: float(-side) if modes._partner[k] is None else float(direction)
            for k, side, direction in zip(rest, result, directions, strict=False)
            if side
        }

    def _free(self, rest: Sequence[int], sliding: Mapping[int, float]) -> list[Measured]:
        """The accelerations without the forces of undecided slips and of closed contacts."""
        modes, stepper = self._modes, self._stepper
        for k, direction in sliding.items():
            modes._set(stepper, k, direction, 0.0)
        for k in rest:
            modes._set(stepper, k, 0.0, -1.0)
        for i in self._closed:
            modes.impulses.open(stepper, i)
        stepper.restart()
        return modes.measure(stepper)[0]

    def _mobility(self, rest: Sequence[int], free: Sequence[Measured]) -> tuple[np.ndarray, np.ndarray]:
        """A and b of slips, then of contacts, as the equations have them (forces/gap.py)."""
        modes, count, slips = self._modes, len(rest), len(self.W)
        b = [free[k].rate for k in rest]
        if not self._closed:
            return self.W[rest] @ self._X[:, rest], np.array(b)
        columns = self._X[:, [*rest, *range(slips, slips + len(self._closed))]]
        gaps, a = modes.impulses.measure(self._stepper), STABILISATION
        for i, contact in enumerate(self._closed):
            for k in range(slips):
                if modes._contact[k] == contact and k not in rest:  # it slides, and so brings friction along
                    columns[:, count + i] -= modes._mode(k)[0] * free[k].level * self._X[:, k]
            b.append(gaps.acceleration[contact] + 2 * a * gaps.rate[contact] + a * a * gaps.gap[contact])
        A = np.vstack([self.W[rest], self._J]) @ columns
        for i, contact in enumerate(self._closed):
            A[count + i, count + i] += self._held[contact]
        return A, np.array(b)

    def _moves(
        self, rest: Sequence[int], A: np.ndarray, b: np.ndarray, bounds: Bounds, result: np.ndarray
    ) -> np.ndarray:  # fmt: skip
        """The slips that their own forces move; the others are carried along, and their directions of sliding are set.

        An example is a rocker at its turning point, which its crank carries through.
        """
        moves = np.ones(len(b), dtype=bool)
        if not rest:
            return moves
        count, diagonal = len(rest), A.diagonal()
        own = self._own(rest, A)
        moves[:count] = diagonal[:count] > DEPENDENT * own
        if not moves.all():
            size = np.abs(self._stepper.qdd[: self.W.shape[1]]).max(initial=0.0)
            carried = np.abs(b[:count]) > DEPENDENT * (size + np.minimum(bounds.upper, 1e300)[:count] * own)
            result[:count] = np.where(carried & ~moves[:count], -np.sign(b[:count]), 0)
        return moves

    def _at_rest(
        self, A: np.ndarray, b: np.ndarray, f: np.ndarray, side: np.ndarray, at: Mapping[int, int]
    ) -> dict[int, tuple[int, float]]:  # fmt: skip
        """Sides and directions of slips that do not move although some of them are at their bounds: others hold them.

        They rest if all of them can share the load; if they hardly can, they break away together.
        """
        still = np.abs(A @ f + b) <= DEPENDENT * np.maximum(np.abs(A) @ np.abs(f), np.abs(b))
        held = [k for k, i in at.items() if still[i]]
        if not any(side[at[k]] for k in held):
            return {}
        index = np.array([at[k] for k in held])
        A = A[np.ix_(index, index)]
        group = together(A, self._own(held, A), self.preference(held))[1]
        some = [held[i] for i in group]
        if not some:
            return {}
        most = np.array([self.loads[k][1] for k in some])
        sizes = self._sizes(some, self.shared(some, A[np.ix_(group, group)])[0])
        if np.all(sizes <= (1 - TOGETHER) * most):
            return dict.fromkeys(some, (0, 0.0))
        found = f[index[group]]
        sizes = self._sizes(some, found)
        return {
            k: (int(np.sign(x)), float(-x / size))
            for k, x, size, bound in zip(some, found, sizes, most, strict=True)
            if size > (1 - CLEAR) * bound
        }

    def preference(self, some: Sequence[int]) -> np.ndarray:
        """Which slips had better hold: those that hold coordinates, then those that can carry the most."""
        most = np.array([self.loads.get(k, (0.0, 0.0))[1] for k in some])
        return most * np.where([self._modes._replaced[k] is not None for k in some], PREFERRED, 1.0)

    def shared(self, some: Sequence[int], A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The forces of some slips, with the mobility A, which do what the `loads` do, and weights of their shares."""
        modes, (f, most) = self._modes, np.array([self.loads.get(k, (0.0, 0.0)) for k in some]).T
        partner = np.array([some.index(p) if (p := modes._partner[k]) in some else i for i, k in enumerate(some)])
        return shares(A, f, most, partner, np.array([modes.slips[k].one_way for k in some]))

    def _sizes(self, some: Sequence[int], f: np.ndarray) -> np.ndarray:
        """Sizes of forces, with both components where there are two."""
        force: dict[int | None, float] = dict(zip(some, f, strict=True))
        return np.array([np.hypot(force[k], force.get(self._modes._partner[k], 0.0)) for k in some])

    def _bounds(self, rest: Sequence[int], free: Sequence[Measured], fired: int | None) -> tuple[Bounds, list[str]]:
        """The bounds of the forces of slips, then of contacts, and what they belong to."""
        modes, count, total = self._modes, len(rest), len(rest) + len(self._closed)
        lower, upper, share = np.zeros(total), np.full(total, np.inf), np.zeros(total)
        normal = np.arange(total)
        for i, k in enumerate(rest):
            most, contact = free[k].static, modes._contact[k]
            load = modes._size(self.measured, k, "force") / max(self.measured[k].pressed, TINY)
            if fired in self._sharing and k in self._sharing:
                if load > most * (1 - TOGETHER):
                    most *= 1 - TOGETHER
            elif k == fired:  # it lands where the motion of the method says that it breaks away
                most = load if self.was_held[k] and 0 < most - load < NEAR * most else most
                most *= 1 - (BEYOND if contact is None else ROUGHLY)
            if contact is not None:
                upper[i], share[i], normal[i] = 0.0, most, count + self._closed.index(contact)
            elif not modes.slips[k].one_way:
                lower[i], upper[i] = -most, most
        names = [modes.slips[k].element for k in rest] + [modes.impulses.gaps[i].element for i in self._closed]
        return Bounds(lower, upper, share, normal), names


def _word(mode: tuple[float, float]) -> str:
    slides, sticks = mode
    return "sticks" if sticks else "slides forward" if slides > 0 else "slides backward"
