"""Modes of friction: sticking and sliding of all contacts, by one complementarity problem on the accelerations.

    a = A f + b,    f within its bounds,    a = 0 where f is inside of them

Here a are the accelerations of the slips whose velocity is zero, and of the closed gaps; f are their forces; b is a
without these forces; A = W M^-1 W' gives the accelerations for unit forces. The bounds of friction that is proportional
to a contact force grow with that force. If such a contact already slides, its force causes a friction force, and A is
not symmetric. The modes then stay until the guard of one of them falls through zero.

If friction is greater at rest than in sliding, the law is not monotonic. A slip that cannot hold with the static level
then has the level of sliding, and the problem is solved again: the other slips have more to carry, and this one may be
taken along, or slide the other way. There are at most as many rounds as slips.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.engine.system import CompiledSystem
from easydyn.errors import ModeError, SingularMatrixError
from easydyn.forces.gap import STABILISATION
from easydyn.forces.slip import START, STOP
from easydyn.native.record import copy_into
from easydyn.run.impacts import Impulses, add
from easydyn.run.shares import shares
from easydyn.sim.agenda import IN_LOOP
from easydyn.sim.cone import CLEAR, DEPENDENT, TINY, Bounds, solve, together
from easydyn.sim.functions import Evaluation, Slips
from easydyn.sim.motion import Happening
from easydyn.sim.rub import BACKWARD, BEYOND, FORWARD, NEAR, NUMBERS, SLOW, STICKS
from easydyn.sim.run import DONE
from easydyn.sim.strike import SOFTNESS, TOUCH

if TYPE_CHECKING:
    from easydyn.sim.agenda import Instant
    from easydyn.sim.stepper import Stepper

ROUGHLY = 1e-6  # the same beside closed contacts: rounding moves loads so much among contacts that hardly give way
TOGETHER = 1e-7  # the same, of those that share a load
ROUNDING = 1e-12  # of coordinates, rates, forces
ROUNDS = 40  # of corrections


class Measured:
    """Slips at an instant, or one of them, `measured[k]`; arrays (k,), or numbers.

    Velocity, its rate, largest friction in sliding and at rest, normal force, force.
    """

    def __init__(self, values: np.ndarray):
        self.values = values
        self.velocity, self.rate, self.level, self.static, self.pressed, self.force = values

    def __getitem__(self, k: int) -> Measured:
        return Measured(self.values[:, k])


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
        self.slips, self.guards = system.derivation.slips, system.derivation.slip_guards
        impulses.friction = self
        held = {name: k for k, name in enumerate(m.held)}
        self._flags = [[held[str(flag)] for flag in slip.modes] for slip in self.slips]
        self._directions = np.array(self._flags)[:, :2].T  # of sliding, and what sticks
        gaps, count = [gap.impulse for gap in impulses.gaps], np.arange(len(self.slips))
        self._contact = np.array([-1 if slip.normal is None else gaps.index(slip.normal) for slip in self.slips])
        self._of = [np.flatnonzero(self._contact == k).tolist() for k in range(len(gaps))]  # the slips of each contact
        self._partner = count + [-1 if s.second else int(s.across is not None) for s in self.slips]
        self._paired = self._partner != count  # else it is its own partner
        self.pushes = np.array([slip.one_way for slip in self.slips])
        self.one_way = bool(self.pushes.any())  # these take impulses without a contact
        columns = {q: j for j, q in enumerate(m.coordinates)}
        places = [(k, columns[q]) for k, slip in enumerate(self.slips) for q in slip.gradient]
        self._places = tuple(np.array(places, dtype=int).reshape(-1, 2).T)
        holders = {name for names in m.holders.values() for name in names}
        self._replaced = np.array(
            [columns[next(iter(s.gradient))] if str(s.modes.sticks) in holders else -1 for s in self.slips]
        )  # the coordinate whose equation is replaced while a slip is held; -1: its force is an unknown
        self.places = {k: system.names.index(s.name) for k, s in enumerate(self.slips) if s.name in system.names}
        numbers = [[s.velocity, s.rate, s.level, s.static, s.pressed(system.derivation), s.force] for s in self.slips]
        slopes = [x for slip in self.slips for x in slip.gradient.values()]
        key = tuple(system.node(x) for x in (*(x for column in zip(*numbers, strict=True) for x in column), *slopes))
        self._numbers = len(key)
        self._evaluation = Evaluation(*system.kernel(key, live), key)
        replaced = {j for j in self._replaced.tolist() if j >= 0}
        self._by_loads = bool(m.loading)
        self._distinct = impulses.alone and len(replaced) == len(self.slips)  # each holds a coordinate of its own
        self._alone = self._distinct and not (self._by_loads or impulses.gaps or self.one_way or m.algebraic)
        self._settled: Any = None, ()  # what is held, the state
        self._landing: Any = None, None  # the last event, and the modes before it
        self._units = np.ones(len(self.slips))  # of the slips, at the state that was measured last

    def __call__(self, stepper: Stepper) -> None:
        """Stop locked coordinates and closed gaps, and find the modes of friction, after a change of the state."""
        self.impulses(stepper)
        self.settle(stepper)

    def at_start(self, instant: Instant) -> None:
        """At the start modes are found as after any change of the state; what stands in for `settle` is asked later."""
        instant.changed = True
        if OWN != (FrictionModes.settle, FrictionModes._quickly):
            instant.stepper.run.rubs = 0

    def for_loop(self, first: int, heard: bool) -> tuple[Evaluation, Slips] | None:
        """What the loop has to know, of which events from number `first` on; None where each motion may end a slip.

        Other events that are `heard` have to be looked at after each of these.
        """
        if not self._alone or self._paired.any():
            return None
        modes = [(slides, sticks) for slides, sticks, *_ in self._flags]
        alone = self.impulses.unit == 1 and not heard
        return self._evaluation, Slips(self._replaced.tolist(), modes, self._numbers, first, alone)

    # -- what is so -------------------------------------------------------------------------------------------------

    def measure(self, stepper: Stepper) -> tuple[Measured, np.ndarray]:
        """All slips at the present state, with the accelerations that were found last, and W (slips, n)."""
        values, W = stepper.probe(self._evaluation, self._numbers)(), np.zeros((len(self.slips), self._n))
        W[self._places] = values[NUMBERS * len(W) :]
        if self.impulses.unit != 1:
            self._units = self.impulses.units(W)
        return Measured(values[: NUMBERS * len(W)].reshape(NUMBERS, -1)), W

    def _active(self, stepper: Stepper) -> np.ndarray:
        """False (k,) of the friction of contacts that are open."""
        alone = self._contact < 0
        return alone if alone.all() else alone | self.impulses.closed(stepper)[self._contact]

    def _modes(self, stepper: Stepper) -> np.ndarray:
        """The directions of sliding (k,), and what sticks (k,)."""
        return np.asarray(stepper.run.held).take(self._directions)

    def set_mode(
        self, stepper: Stepper, k: int, slides: float, sticks: float, carries: float = 0.0, shares: float = 0.0
    ) -> None:  # fmt: skip
        """Let slip k slide, or stick: alone (1), or with a constant force that it `carries` (-1), whatever moves."""
        for place, value in zip(self._flags[k], (slides, sticks, carries, shares), strict=True):
            stepper.set_held(place, float(value))

    def _consistent(self, stepper: Stepper, m: Measured) -> bool:
        """True when the present modes agree with the motion: then there is nothing to decide."""
        (slides, sticks), slow = self._modes(stepper), SLOW * self._units
        loads = np.where(self.pushes, m.force >= -TOUCH, self._sizes(m.force) <= m.static * m.pressed * (1 + BEYOND))
        ahead = slides * m.velocity
        ahead = ahead + np.where(self._paired, ahead[self._partner], 0.0)
        stays = (sticks > 0) | (np.abs(m.rate) <= slow)  # what held it besides may have let go
        agree = np.where(sticks != 0, (np.abs(m.velocity) <= slow) & stays & loads, ahead > slow)
        return bool(np.all(np.where(self._active(stepper), agree, (slides == 0) & (sticks == 0))))

    def _sizes(self, x: np.ndarray) -> np.ndarray:
        """Sizes (k,) of velocities or forces, with both components where there are two."""
        return np.hypot(x, np.where(self._paired, x[self._partner], 0.0))  # type: ignore[no-any-return]

    def _aims(self, velocity: np.ndarray) -> np.ndarray:
        """The directions (k,) of these velocities."""
        speed = self._sizes(velocity)
        return np.divide(velocity, speed, out=np.zeros(len(speed)), where=speed > 0)

    # -- what is decided ----------------------------------------------------------------------------------------------

    def settle(self, stepper: Stepper, fired: int | None = None, anew: bool = False) -> None:
        """Set the modes of all slips for the present state; `fired` is the slip whose mode has just ended.

        Modes that agree with the motion stay as they are. With `anew`, they are found again, with those of the closed
        contacts.
        """
        if fired is None and not anew:
            (held, state), (known, last) = self._state(stepper), self._settled
            near = (abs(x - y) <= ROUNDING * (1 + abs(x)) for x, y in zip(state, last, strict=True))
            if held == known and (state == last or all(near)):  # nothing but rounding has changed
                return
        before, landing, found = self._modes(stepper), stepper.agenda.landings, False
        if landing != self._landing[0]:
            self._landing = landing, before
        elif fired is not None and (before != self._landing[1])[:, fired].any():  # it has ended with another one
            return
        try:
            if fired is None:
                for k in np.flatnonzero(~self._active(stepper) & before.any(axis=0)).tolist():
                    self.set_mode(stepper, k, 0.0, 0.0)  # nothing determines the friction of what has opened
                self._restart(stepper)
            elif self.impulses.gaps:  # what the method has left of rates of closed gaps is not to change modes anew
                self.impulses(stepper)
            if fired is not None or anew or not self._consistent(stepper, self.measure(stepper)[0]):
                found = self._quickly(stepper, -1 if fired is None else fired)
                if not found:
                    self._decide(stepper, *self.measure(stepper), fired)
        except SingularMatrixError:
            self._hold_all(stepper)
        self._tell(stepper, before)
        self._settled = self._state(stepper)
        if found:
            stepper.settled()

    def _restart(self, stepper: Stepper) -> None:
        """Begin again; where locks hold both sides of what sticks, nothing determines its force: it carries none."""
        try:
            stepper.restart()
        except SingularMatrixError:
            for k in np.flatnonzero((self._modes(stepper)[1] > 0) & (self._replaced < 0)).tolist():
                self.set_mode(stepper, k, 0.0, -1.0)
            stepper.restart()

    def _hold_all(self, stepper: Stepper) -> None:
        """Where masses are singular unless slips are held: hold all that rest, and release those that cannot hold."""
        m, active = self.measure(stepper)[0], self._active(stepper)
        moves = active & (self._sizes(m.velocity) > SLOW * self._units)
        for k, aim in enumerate(np.where(moves, self._aims(m.velocity), 0.0)):
            self.set_mode(stepper, k, aim, float(active[k] and not moves[k]))
        beyond = [0]
        while beyond:
            stepper.restart()
            m = self.measure(stepper)[0]
            load = self._sizes(m.force)
            beyond = np.flatnonzero((self._modes(stepper)[1] != 0) & (load > m.static * m.pressed)).tolist()
            for k in beyond:
                self.set_mode(stepper, k, -m.force[k] / load[k], 0.0)

    def _quickly(self, stepper: Stepper, fired: int) -> bool:
        """True where the loop has found new modes in the usual way (sim/rub.py), of all where `fired` is below zero."""
        run = stepper.run
        if self.impulses.unit != 1 and run.number_of_slips:
            copy_into(run.slip_slow, SLOW * self._units)
        return bool(run.number_of_slips and stepper.call(stepper.kernels.change_modes, fired) == DONE)

    def _state(self, stepper: Stepper) -> Any:
        return [stepper.t, *np.array(stepper.run.held).tolist()], stepper.q.tolist() + stepper.qd.tolist()

    def _tell(self, stepper: Stepper, before: np.ndarray) -> None:
        """List what has changed."""
        for slip, last, mode in zip(self.slips, before.T.tolist(), self._modes(stepper).T.tolist(), strict=True):
            if last != mode and (was := _word(*last)) and (word := _word(*mode)) not in ("", was):
                stepper.agenda.happenings.append(Happening(stepper.t, slip.name, word))

    def _decide(self, stepper: Stepper, m: Measured, W: np.ndarray, fired: int | None) -> None:
        count, active, speed = np.arange(len(self.slips)), self._active(stepper), self._sizes(m.velocity)
        slides, sticks = self._modes(stepper)
        # what has stopped, unless its velocity has leapt: those that share a load creep, as much as the load changes;
        # what turns against its force in a plane is at rest: so slow a slip has another direction than its force
        ended = (count == fired) | self._paired & (self._partner == fired)
        slow = np.where(self._paired, np.where(ended, START, 2 * STOP), np.where(ended | (sticks != 0), STOP, SLOW))
        undecided = active & (speed <= slow * self._units)
        aims = np.where(active, self._aims(m.velocity), 0.0)
        if fired is not None and active[fired] and not self._paired[fired] and slides[fired]:
            aims[fired] = -slides[fired]  # its velocity leaps here, as where a belt begins
        for k in np.flatnonzero(~undecided & ((aims != slides) | (sticks != 0))).tolist():
            self.set_mode(stepper, k, aims[k], 0.0)
        open_ = np.flatnonzero(undecided).tolist()
        closed = np.flatnonzero(self.impulses.closed(stepper)).tolist()
        if not open_ and not np.any(active & (self._contact >= 0)):
            return
        problem = _Problem(self, stepper, m, W, open_, closed)
        # of those: which slide, and in which direction; at first what one way has come to a load of zero
        sliding = {fired: 1.0} if fired is not None and self.pushes[fired] and sticks[fired] else {}
        found = problem.solved(sliding, fired)
        while new := {k for k in found if m.level[k] < m.static[k]} - problem.broken:
            problem.broken |= new
            found = problem.solved(sliding, fired)
        active = self._active(stepper)
        # 0: it has opened
        for k, direction in (sliding := sliding | found | {k: 0.0 for k in open_ if not active[k]}).items():
            self.set_mode(stepper, k, direction, 0.0)
        self._stop(stepper, open_, problem)
        self._hold(stepper, [k for k in open_ if k not in sliding], problem)
        if self._by_loads:
            if fired in open_ and problem.was_held[fired]:
                self.set_mode(stepper, fired, -np.sign(m.force[fired]), 0.0)
            self._agree(stepper, open_)

    def _agree(self, stepper: Stepper, undecided: Sequence[int]) -> None:
        """Change one mode after the other until friction that grows with loads agrees with the loads that it brings."""
        for _ in range(4 * len(undecided)):
            stepper.restart()
            m, (slides, sticks) = self.measure(stepper)[0], self._modes(stepper)
            beyond = (sticks != 0) & (np.abs(m.force) > m.static * m.pressed * (1 + BEYOND))
            back = (slides != 0) & (slides * m.rate < -ROUNDING * (1 + np.abs(m.rate)))
            k = next((k for k in undecided if beyond[k] or back[k]), None)
            if k is None:
                return
            self.set_mode(stepper, k, -np.sign(m.force[k]) if beyond[k] else 0.0, 0.0 if beyond[k] else 1.0)
        raise self.without_mode(stepper, [self.slips[k].element for k in undecided])

    def _stop(self, stepper: Stepper, slow: list[int], problem: _Problem) -> None:
        """Set to zero the remaining velocities of slips that stick or begin to slide; closed gaps stay closed."""
        velocity = problem.measured.velocity
        if not velocity[slow].any():
            return
        columns = self._replaced[slow]
        if np.any(columns < 0):  # else they are rates of coordinates
            A, own = problem.among(slow)
            slow = [k for k, moves in zip(slow, A.diagonal() > DEPENDENT * own, strict=True) if moves]
            closed = problem.J[self.impulses.closed(stepper)[[*problem.closed]]]  # gradients
            self.impulses.take_away(stepper, (problem.W[slow], velocity[slow]), (closed, np.zeros(len(closed))))
        columns = columns[columns >= 0]
        add(stepper, "qd", -stepper.qd[columns], columns)

    def _hold(self, stepper: Stepper, held: list[int], problem: _Problem) -> None:
        """Let slips stick: alone, or together with others if fewer would do, with which they share the load."""
        for k in held:
            self.set_mode(stepper, k, 0.0, 1.0)
        if self._distinct or not held:
            return
        A, own = problem.among(held)
        rest, group = together(A, own, problem.preference(held))
        for i in rest:
            self.set_mode(stepper, held[i], 0.0, -1.0)
        if not group:
            return
        some = [held[i] for i in group]
        f, weight = problem.shared(some, A[np.ix_(group, group)])
        stiff, carries = weight / (SOFTNESS * max((weight * A.diagonal()[group]).max(), TINY)), f
        for _ in range(ROUNDS):  # rows that depend on others all but exactly ask for a correction
            for k, i, carried, share in zip(some, group, carries, stiff, strict=True):
                if self._replaced[k] < 0 or i in rest:  # the other ones hold coordinates
                    self.set_mode(stepper, k, 0.0, -1.0, carried, share * (self._replaced[k] < 0))
            stepper.restart()
            off = f - self.measure(stepper)[0].force[some]
            if np.abs(off).max() <= ROUNDING * problem.preference(some).max():  # of what they could carry
                break
            carries = carries + off

    # -- impulses -----------------------------------------------------------------------------------------------------

    def acting(self, active: Sequence[int], joints: bool = False) -> list[int]:
        """The slips that take impulses: friction of the `active` contacts, one-way elements, or all `joints`."""
        others = np.flatnonzero(self._contact < 0 if joints else self.pushes).tolist()
        return sorted({*others, *(k for contact in active for k in self._of[contact])})

    def sticking(self, stepper: Stepper, some: Sequence[int], m: Measured) -> list[int]:
        """Of some slips those that are held at present, and have not leapt."""
        held = self._modes(stepper)[1] != 0
        return [k for k in some if held[k] and abs(m.velocity[k]) <= STOP * self._units[k]]

    def bounds(
        self, some: Sequence[int], active: Sequence[int], most: np.ndarray, first: int = 0, h: float = 1.0
    ) -> Bounds:  # fmt: skip
        """Bounds for some slips, of which the first is number `first`, and for the `active` contacts before or after.

        Friction of a contact is at most `most` times what presses it, others are at most `most` times h, in an interval
        h (s).
        """
        total, contacts = len(some) + len(active), 0 if first else len(some)
        lower, upper, share, normal = np.zeros(total), np.full(total, np.inf), np.zeros(total), np.arange(total)
        for i, k in enumerate(some, first):
            if self._contact[k] >= 0:
                upper[i], share[i], normal[i] = 0.0, most[k], contacts + active.index(self._contact[k])
            elif not self.pushes[k]:
                lower[i], upper[i] = -h * most[k], h * most[k]
        return Bounds(lower, upper, share, normal)

    def pairs(self, some: Sequence[int], first: int = 0) -> list[tuple[int, int]]:
        """The components of the same slip, among some of which the first is number `first`."""
        return [(i, i + 1) for i, k in enumerate(some, first) if self._partner[k] == k + 1]

    def of_contacts(self) -> Iterator[tuple[int, int]]:
        """The contacts that rub, each with a column of a slip."""
        slips, columns = self._places
        contacts = self._contact[slips]
        return zip(contacts[contacts >= 0].tolist(), columns[contacts >= 0].tolist(), strict=True)

    def without_mode(self, stepper: Stepper, among: Iterable[str]) -> ModeError:
        """The exception for forces, `among` these elements, that no mode makes consistent."""
        return ModeError(
            f"no mode of friction is consistent at t = {stepper.t:g} s ({', '.join(among)}): whether they stick, slide "
            "or part, forces and accelerations do not go together. Rigid bodies with much friction may have no motion "
            "(Painleve's paradox): lower the friction, or take a soft contact, PlanePoint, or contacts='stepping'.",
            time=stepper.t,
        )


OWN = FrictionModes.settle, FrictionModes._quickly  # for which the loop stands in


class _Problem:
    """The complementarity problem of an instant: the undecided slips, and the closed contacts."""

    def __init__(
        self, modes: FrictionModes, stepper: Stepper, measured: Measured, W: np.ndarray,
        undecided: Sequence[int], closed: Sequence[int],
    ):  # fmt: skip
        self._modes, self._stepper, self.measured, self.W = modes, stepper, measured, W
        self._undecided, self.closed = undecided, closed
        self.broken: set[int] = set()  # of the undecided: those that cannot hold, and have the level of sliding
        sticks = modes._modes(stepper)[1]
        self.was_held, sharing = sticks != 0, sticks < 0
        self._sharing = sharing | self.was_held & (modes._replaced >= 0) if sharing.any() else sharing
        impulses = modes.impulses
        self._held, self._rounding = {i: impulses.compliance(stepper, i) for i in closed}, impulses.rounding(stepper)
        self.J = impulses.gradients(impulses.measure(stepper), closed)
        self._X = np.zeros((W.shape[1], len(W) + len(closed)))  # M^-1 of loads, with locks and loops holding
        some = range(self._X.shape[1]) if closed else undecided
        self._X[:, some] = impulses.moved(stepper, np.vstack([W, self.J])[some].T)

    def among(self, some: Sequence[int], pressing: Sequence[int] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The mobility (k, k) of some slips, and their mobilities (k,) without loops, locks and gaps, as a measure.

        Of the closed gaps those by number that are `pressing` hold a part of the motion; all that are closed by now.
        """
        A = self.W[some] @ self._X[:, some]
        if pressing is None:
            pressing = np.flatnonzero(self._modes.impulses.closed(self._stepper)[[*self.closed]]).tolist()
        own = self._own(some, A)
        if pressing:
            X = self._X[:, [len(self.W) + i for i in pressing]]
            felt = self.W[some] @ X
            A = A - felt @ np.linalg.lstsq(self.J[pressing] @ X, felt.T, rcond=DEPENDENT)[0]
        return A, own

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
        found = solve(A, b, bounds, [(at[k], at[k + 1]) for k in at if modes._partner[k] == k + 1 and k + 1 in at])
        if found is None:
            raise modes.without_mode(self._stepper, [among[i] for i in index])
        result[index], directions[index] = found.side, found.direction
        f = found.force
        most = np.where(np.isinf(bounds.upper), 2 * np.abs(f).sum(), bounds.upper)
        most += np.maximum(bounds.share * f[bounds.normal], 0.0)
        self.loads = {k: (float(f[i]), float(most[i])) for k, i in at.items()}
        if found.side.any() and not modes._distinct:
            at_rest = self._at_rest(A, b, f, found.side, at)
            for i, k in enumerate(rest):
                both = {k, int(modes._partner[k])}  # components
                if at_rest.keys() >= both and (self._sharing[k] or broken not in both):
                    result[i], directions[i] = at_rest[k]
        free = np.maximum(np.abs(A @ f + b), np.abs(b)) <= ROUNDING * np.abs(b).max(initial=0.0)  # neither in any case
        for i, contact in enumerate(self.closed, len(rest)):
            if result[i] == 0 or fired is None and free[place[i]]:  # it may press next, as on an arm that turns
                modes.impulses.close(self._stepper, contact, self._held[contact])
        each = zip(rest, result, directions, strict=False)
        return {k: float(direction if modes._paired[k] else -side) for k, side, direction in each if side}

    def _free(self, rest: Sequence[int], sliding: Mapping[int, float]) -> Measured:
        """The accelerations without the forces of undecided slips and of closed contacts."""
        modes, stepper = self._modes, self._stepper
        for k, direction in sliding.items():
            modes.set_mode(stepper, k, direction, 0.0)
        for k in rest:
            modes.set_mode(stepper, k, 0.0, -1.0)
        for i in self.closed:
            modes.impulses.open(stepper, i)
        stepper.restart()
        return modes.measure(stepper)[0]

    def _mobility(self, rest: Sequence[int], free: Measured) -> tuple[np.ndarray, np.ndarray]:
        """A and b of slips, then of contacts, as the equations have them (forces/gap.py)."""
        modes, count, slips = self._modes, len(rest), len(self.W)
        b = free.rate[rest]
        if not self.closed:
            return self.W[rest] @ self._X[:, rest], b
        columns = self._X[:, [*rest, *range(slips, slips + len(self.closed))]]
        gaps, a, slides = modes.impulses.measure(self._stepper), STABILISATION, modes._modes(self._stepper)[0]
        kept = gaps.acceleration + 2 * a * gaps.rate + a * a * gaps.gap
        for i, contact in enumerate(self.closed):
            for k in modes._of[contact]:
                if k not in rest:  # it slides, and so brings friction along
                    columns[:, count + i] -= slides[k] * free.level[k] * self._X[:, k]
        A = np.vstack([self.W[rest], self.J]) @ columns
        A[count:, count:] += np.diag([self._held[i] for i in self.closed])
        return A, np.concatenate([b, kept[[*self.closed]]])

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
        least = 10 * SOFTNESS if self.closed else DEPENDENT  # what contacts give way
        still = np.abs(A @ f + b) <= least * np.maximum(np.abs(A) @ np.abs(f), np.abs(b))
        held = [k for k, i in at.items() if still[i]]
        if not any(side[at[k]] for k in held):
            return {}
        A, own = self.among(held, [i for i in range(len(self.closed)) if side[len(at) + i] == 0])
        index = np.array([at[k] for k in held])
        group = together(A, own, self.preference(held))[1]
        some = [held[i] for i in group]
        if not some:
            return {}
        most = np.array([self.loads[k][1] for k in some])
        spare = 1 - TOGETHER if self.was_held[some].any() else 1 + BEYOND  # what has come to rest would slide on beyond
        if np.all(self._sizes(some, self.shared(some, A[np.ix_(group, group)])[0]) <= spare * most):
            return dict.fromkeys(some, (0, 0.0))
        found = f[index[group]]
        each = zip(some, found, self._sizes(some, found), (1 - CLEAR) * most, strict=True)
        return {k: (int(np.sign(x)), float(-x / size)) for k, x, size, bound in each if size > bound}

    def preference(self, some: Sequence[int]) -> np.ndarray:
        """Which slips had better hold: those that can carry the most, as they take what the load changes by."""
        return np.array([self.loads.get(k, (0.0, 0.0))[1] for k in some])

    def shared(self, some: Sequence[int], A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The forces of some slips, with the mobility A, which do what the `loads` do, and weights of their shares."""
        modes, (f, most) = self._modes, np.array([self.loads.get(k, (0.0, 0.0)) for k in some]).T
        partner = np.array([some.index(p) if (p := modes._partner[k]) in some else i for i, k in enumerate(some)])
        return shares(A, f, most, partner, modes.pushes[some])

    def _sizes(self, some: Sequence[int], f: np.ndarray) -> np.ndarray:
        """Sizes of forces, with both components where there are two."""
        every = np.zeros(len(self.W))
        every[some] = f
        return self._modes._sizes(every)[some]

    def _bounds(self, rest: Sequence[int], free: Measured, fired: int | None) -> tuple[Bounds, list[str]]:
        """The bounds of the forces of slips, then of contacts, and what they belong to."""
        modes, m = self._modes, self.measured
        load = modes._sizes(m.force) / np.maximum(m.pressed, TINY)
        most = free.static.copy()
        if fired is not None and self._sharing[fired]:
            most[self._sharing & (load > most * (1 - TOGETHER))] *= 1 - TOGETHER
        elif fired is not None and self.was_held[fired]:  # it lands where the method's motion says that it breaks away
            if 0 < most[fired] - load[fired] < NEAR * most[fired]:
                most[fired] = load[fired]
            # here rounding moves the load that it has come to, to contacts that hardly give way
            most[fired] = max(most[fired] - self._rounding / max(m.pressed[fired], TINY), 0.0)
            most[fired] *= 1 - (ROUGHLY if self.closed else BEYOND)
        most[[*self.broken]] = free.level[[*self.broken]]
        names = [modes.slips[k].element for k in rest] + [modes.impulses.gaps[i].element for i in self.closed]
        return modes.bounds(rest, self.closed, most), names


def _word(slides: float, sticks: float) -> str:
    return IN_LOOP[STICKS if sticks else FORWARD if slides > 0 else BACKWARD] if sticks or slides else ""
