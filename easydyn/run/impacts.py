"""Impulses of contacts (elements with gaps) and locks on the rates, all simultaneously.

    M (qd+ - qd-) = J' P,    J qd+ given

with a row of J for every contact that is closed or strikes (its gradient) and for every locked coordinate. Closed
contacts push and never pull: contacts that would pull are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import sympy

from easydyn.constraints.assembly import free_directions
from easydyn.engine.system import CompiledSystem
from easydyn.errors import DomainError, InputError, ModeError, SingularMatrixError
from easydyn.forces.gap import BESIDE, EARTH
from easydyn.sim.agenda import Event, Instant
from easydyn.sim.cone import SQUEEZED, TINY, islands, pushing, solve
from easydyn.sim.functions import Evaluation
from easydyn.sim.linear import FEW, culprits, inverse, product, singular, solver
from easydyn.sim.loop import tiny
from easydyn.sim.run import EVENT, SPENT
from easydyn.sim.strike import HARD, LEAP, LEFT, MOST_IMPACTS, SOFTNESS, STILL, TOUCH, UNIQUE

if TYPE_CHECKING:
    from easydyn.engine.program import Program
    from easydyn.run.modes import FrictionModes
    from easydyn.sim.stepper import Stepper

AHEAD = 1e-8  # s: so much later than an event that is located where a branch of a gap ends, it has ended
SLIPPED = 10.0  # of the velocities that impacts take as they accumulate: slips up to that end with them
CLOSE = 2e-14  # to the share of restitution that conserves energy
SMALL = 1e-9  # of singular values: what restricts nothing
MOVED = 1e-7  # of the forces of contacts
LEAST = 1e-12  # of the mobility of the largest mass: the compliance where nothing can move


class GapsAt(NamedTuple):
    """All gaps at one instant: arrays (k,), and the slopes of their gradients, one after the other.

    `here` is false of a branch of a gap that has ended, `touches` true of an open gap that is zero.
    """

    gap: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray
    restitution: np.ndarray
    unit: np.ndarray
    here: np.ndarray
    touches: np.ndarray
    slopes: np.ndarray

    @property
    def below(self) -> np.ndarray:
        """True (k,) of gaps so much below zero that no motion has brought them there."""
        return self.here & (self.gap < -LEAP * self.unit)


class Impulses:
    """The gaps and the locks of a run.

    Parameters
    ----------
    system : CompiledSystem
        What is run.
    live : dict
        Functions of time of inputs, by their place among what is held.
    """

    def __init__(self, system: CompiledSystem, live: Mapping[int, Any]):
        m = self._mechanism = system.mechanism
        self._system, self._live, self._n = system, live, len(m.coordinates)
        self.alone = not m.locks and not m.constraints  # nothing but gaps restricts the rates
        self.gaps = system.derivation.gaps
        held, names = ({name: k for k, name in enumerate(x)} for x in (m.held, system.names))
        self.unknowns = [names[str(gap.impulse)] for gap in self.gaps]
        self.flags = [held[str(gap.closed)] for gap in self.gaps]
        self._flag_places = np.array(self.flags, dtype=int)
        self.compliances = [held[str(gap.compliance or gap.closed)] for gap in self.gaps]
        self._locks = [(m.coordinates.index(q), held[f"{q}.locked"]) for q in m.locks]
        self.guards = system.derivation.gap_guards
        self.friction: FrictionModes | None = None  # which takes part in impulses
        known = {p: system.parameters[str(p)] for p in m.parameters}
        values = [float(sympy.sympify(x).xreplace(known)) for x in m.gravity]
        self.unit = float(np.linalg.norm(values)) / EARTH or 1.0  # the length of the model, as of `length`
        self._sizes = np.where([m.units.get(str(q)) == "rad" for q in m.coordinates], 1.0, self.unit)
        self.columns = [[names[str(q)] for q in gap.gradient] for gap in self.gaps]
        self._rows = np.repeat(np.arange(len(self.gaps)), [*map(len, self.columns)])
        self._all_columns = np.array(sum(self.columns, []), dtype=int)
        self._ones, self._everywhere = np.ones(len(self.gaps)), np.ones(len(self.gaps), dtype=bool)
        heads = [x for gap in self.gaps for x in (gap.value, gap.rate, gap.acceleration, gap.restitution)]
        self.key = tuple(system.node(x) for x in (*heads, *(x for gap in self.gaps for x in gap.gradient.values())))
        bent = any(gap.beyond is not None for gap in self.gaps)
        self._measured: Any = None, None  # what was measured last, of which values
        self._ends = tuple(system.node(gap.beyond or 0) for gap in self.gaps) if bent else ()

    def __call__(self, stepper: Stepper) -> None:
        """Stop the coordinates that are locked and the gaps that are closed, after a change of the state."""
        if given := stepper.agenda.instant.given:
            moved = np.array([any(str(q) in given for q in gap.gradient) for gap in self.gaps], dtype=bool)
            self._check(stepper, now := self.measure(stepper), moved)
            if (self.closed(stepper) & (now.rate < -LEFT * now.unit) & (now.restitution > 0)).any():
                self.after_jump(stepper)  # an action has driven them into each other: an impact as others
        if self._locks or getattr(self.friction, "one_way", False) or self.gaps and self.closed(stepper).any():
            self.strike(stepper, {})

    def at_start(self, instant: Instant) -> None:
        """Find which contacts are closed at the start: those that touch and do not separate."""
        stepper = instant.stepper
        self.check_start(stepper, self.measure(stepper))
        self.touch(instant)
        instant.changed = True

    def check_start(self, stepper: Stepper, measured: GapsAt) -> None:
        """InputError where bodies overlap at the start, or restitutions make no sense."""
        deep = np.flatnonzero(measured.here & (measured.gap < -TOUCH * measured.unit))
        for k in deep[np.argsort(measured.gap[deep])].tolist():
            raise InputError(
                f"the gap of {self.gaps[k].element} is {measured.gap[k]:.6g} m at the start: the bodies overlap. "
                f"Give initial values with a gap of zero or more{self.way_out(stepper, measured)}."
            )
        for k in np.flatnonzero(~((measured.restitution >= 0) & (measured.restitution <= 1))):
            raise InputError(
                f"the restitution of {self.gaps[k].element} is {measured.restitution[k]:.6g} at the start: "
                "expected a number from 0 (no rebound) to 1 (no loss)."
            )

    def after_jump(self, stepper: Stepper) -> None:
        """What follows from a jump in time: closed contacts that are left, or that something hits, are open again."""
        before, now = self.measure(stepper, stepper.t - tiny(stepper.t)).gap, self.measure(stepper)
        self._check(stepper, now, now.gap < np.minimum(before, 0.0) - LEAP * now.unit)
        parts = (now.gap > before + LEAP * now.unit) | (now.rate < -LEFT * now.unit) | ~now.here
        for k in np.flatnonzero(parts).tolist():
            self.open(stepper, k)
        self.touch(stepper.agenda.instant)

    def touch(self, instant: Instant) -> None:
        """Impacts of what touches, and rest, where no event of a contact has told it."""
        for k in sorted(self.collide(instant.stepper)):
            instant.note(f"{self.gaps[k].name}: impact")
        self.rest(instant)

    def _check(self, stepper: Stepper, measured: GapsAt, among: np.ndarray) -> None:
        """DomainError where something has made a gap `among` these (k,) leap below zero."""
        for k in np.flatnonzero(among & measured.below):
            raise DomainError(
                f"the gap of {self.gaps[k].element} leaps to {measured.gap[k]:.6g} m at t = {stepper.t:.6g} s: bodies "
                "would overlap, and none of them can leap out of the other. Let what moves go there within some time "
                "(a ramp in place of a step), let an action set coordinates with a gap of zero or more, and give a "
                "floor that has a step a contact of its own for the wall.",
                time=stepper.t,
            )

    def measure(self, stepper: Stepper, time: float | None = None) -> GapsAt:
        """All gaps at the present state; where something jumps in time after it, or at another `time` (s)."""
        (known, found), count, closed = self._measured, len(self.gaps), self.closed(stepper)
        values = stepper.probe(self._evaluation, len(self.key))(time)
        if (key := values.tobytes() + closed.tobytes()) == known and not self._ends:
            return found  # type: ignore[no-any-return]
        gap, rate, acceleration, restitution = values[: 4 * count].reshape(count, 4).T
        slopes, unit, here = values[4 * count :], self._ones, self._everywhere
        if self.unit != 1:
            changes = np.zeros(count)
            np.maximum.at(changes, self._rows, np.abs(slopes) * self._sizes[self._all_columns])
            unit = np.clip(changes, min(1.0, self.unit), max(1.0, self.unit))
        if self._ends:  # else no branch of a gap can have ended
            here = self.values(self._ends, stepper, time, AHEAD) >= -BESIDE * self.unit
        touches = here & (gap <= TOUCH * unit) & ~closed
        self._measured = key, (found := GapsAt(gap, rate, acceleration, restitution, unit, here, touches, slopes))
        return found  # type: ignore[no-any-return]

    def gradients(self, measured: GapsAt, some: Sequence[int]) -> np.ndarray:
        """The gradients (m, n) of some gaps that have been measured."""
        found, place = np.zeros((len(some), self._n)), np.full(len(self.gaps), -1)
        place[[*some]] = range(len(some))
        rows = place[self._rows]
        among = rows >= 0
        found[rows[among], self._all_columns[among]] = measured.slopes[among]
        return found

    def values(self, key: Any, stepper: Stepper, time: float | None = None, ahead: float = 0.0) -> np.ndarray:
        """A program at the present state, at another `time` (s), or where the motion is `ahead` (s)."""
        t = stepper.now if time is None else time
        q = stepper.q + ahead * stepper.qd if ahead else stepper.q
        return self._system.at(key, t, q, stepper.qd, stepper.qdd, stepper.held_values())

    def units(self, rows: np.ndarray) -> np.ndarray:
        """The units (k,) of gaps and slips: what they change by, by `rows` (k, n), if coordinates move by theirs."""
        changes = (np.abs(rows) * self._sizes).max(axis=1, initial=0.0)
        return np.clip(changes, min(1.0, self.unit), max(1.0, self.unit))

    def closed(self, stepper: Stepper) -> np.ndarray:
        """Which gaps (k,) are closed."""
        return np.asarray(stepper.run.held).take(self._flag_places) != 0

    def is_closed(self, stepper: Stepper, k: int) -> bool:
        return bool(stepper.run.held[self.flags[k]])

    def compliance(self, stepper: Stepper, k: int) -> float:
        """Of a closed gap (1/kg)."""
        return float(stepper.run.held[self.compliances[k]])

    def open(self, stepper: Stepper, k: int) -> None:
        stepper.set_held(self.flags[k], 0.0)
        stepper.set_held(self.compliances[k], 0.0)

    def close(self, stepper: Stepper, k: int, compliance: float) -> None:
        stepper.set_held(self.flags[k], 1.0)
        stepper.set_held(self.compliances[k], compliance)

    def force(self, stepper: Stepper, k: int) -> float:
        return float(stepper.run.qdd[self.unknowns[k]])

    def rounding(self, stepper: Stepper) -> float:
        """The force (N) that rounding moves from a closed contact to others, as they hardly give way."""
        return MOVED * sum(abs(self.force(stepper, k)) for k in np.flatnonzero(self.closed(stepper)).tolist())

    def collide(self, stepper: Stepper, measured: GapsAt | None = None) -> set[int]:
        """Make impacts of all open contacts that touch and approach, until none does; return these contacts.

        Contacts that approach at the same time strike together, as the corners of a block that falls flat. A row of
        balls passes an impact on. If the sequence goes on for longer, all that touch stop together.
        """
        struck: set[int] = set()
        if self.friction is None and stepper.run.number_of_gaps:  # the loop knows them
            answer = stepper.call(stepper.kernels.collide)
            if answer == SPENT:
                self.strike(stepper, dict.fromkeys(np.flatnonzero(self.measure(stepper).touches).tolist(), 0.0))
            if answer != EVENT:  # else all is as it was
                return set(np.flatnonzero(stepper.run.gap_struck).tolist())
        measured = self.measure(stepper) if measured is None else measured
        for _ in range(max(MOST_IMPACTS, int(measured.touches.sum()) ** 2 // 2)):
            approaching = np.flatnonzero(measured.touches & (measured.rate < -STILL * measured.unit)).tolist()
            if not approaching:
                return struck
            struck.update(approaching)
            after = -np.clip(measured.restitution, 0.0, 1.0) * measured.rate
            self._rebound(stepper, dict(zip(approaching, after[approaching].tolist(), strict=True)), measured)
            measured = self.measure(stepper)
        self.strike(stepper, dict.fromkeys(np.flatnonzero(measured.touches).tolist(), 0.0))
        return struck

    def _rebound(self, stepper: Stepper, after: Mapping[int, float], measured: GapsAt) -> None:
        """An impact after which contact k separates at after[k] (m/s), or more slowly if friction would add energy.

        Newton's restitution beside Coulomb's friction may do so where a slip reverses (T. R. Kane, D. A. Levinson,
        Dynamics, 1985, section 5.8). The restitution is then reduced to the value that conserves the energy. Without
        restitution no energy is gained. Impulses do work by the relative velocities of what they act between. Where a
        slip follows its gap, more friction than the gap pushes jams every rebound: then there is no restitution.
        """
        if self.friction is None:
            self.strike(stepper, after, measured=measured)
            return
        self._stop_locked(stepper)
        qd, held, (places, rates), above = stepper.qd, list(stepper.run.held), self._pushed(stepper), np.inf

        def gained(share: float, measured: GapsAt | None = None) -> float:
            """Work (J) of the impulses by what they meet, beyond rounding; what moves by time counts, too."""
            self._put_back(stepper, qd, held)
            self.strike(stepper, {k: share * rate for k, rate in after.items()}, measured=measured)
            work = (stepper.qd - qd)[places] * (rates + self._pushed(stepper)[1])
            return float(work.sum() - 1e-12 * np.abs(work).sum())

        with suppress(ModeError):  # what friction jams has impulses without rebound, if any
            above = gained(1.0, measured)
        if above <= 0:
            return
        share = 0.0
        if gained(0.0) < 0 and above < np.inf:
            from scipy.optimize import brentq  # takes longer to load than impacts take

            share = max(brentq(gained, 0.0, 1.0, xtol=CLOSE / 2, rtol=CLOSE / 2) - CLOSE, 0.0)
        gained(share)

    def _pushed(self, stepper: Stepper) -> tuple[list[int], np.ndarray]:
        """The places (k,) of impulses of gaps and slips among the unknowns, and the rates (k,) of these (m/s)."""
        assert self.friction is not None
        velocity, places = self.friction.measure(stepper)[0].velocity, self.friction.places
        return [*self.unknowns, *places.values()], np.append(self.measure(stepper).rate, velocity[[*places]])

    def _put_back(self, stepper: Stepper, qd: np.ndarray, held: Sequence[float]) -> None:
        """Restore the rates and the flags from before an impact that was tried."""
        stepper.qd = qd
        for k in (*self.flags, *self.compliances):
            stepper.set_held(k, held[k])

    def rest(self, instant: Instant, depth: float = 0.0, falls: Sequence[int] = ()) -> None:
        """Close the contacts whose next impact would follow at once; those that then carry a force stay closed.

        What they carry may bring others back as soon: a disc that turns in a corner, by its friction on the floor. What
        `falls` has neither speed nor acceleration yet, and comes to rest as well.
        """
        stepper, flights, standing = instant.stepper, dict[int, float](), dict[int, float]()
        stepper.renew()
        while new := {k: x for k, x in self._short_flights(stepper, depth, falls).items() if k not in flights}:
            standing |= dict.fromkeys(self._end_flights(stepper, flights := flights | new, depth), 0.0)
        for k, later in (standing | flights).items():
            if self.is_closed(stepper, k):
                end = f"; impacts accumulate at t = {instant.t + later:.9g} s" if later else ""
                instant.note(f"{self.gaps[k].name} at rest{end}")

    def _end_flights(self, stepper: Stepper, flights: dict[int, float], depth: float) -> list[int]:
        """Let contacts come to rest, and those that this lifts for as short a time; what stands and may carry now, too.

        The edges of a block that rocks lift each other, say.
        """
        closed, lifted = self.closed(stepper), flights
        while lifted:
            self.strike(stepper, dict.fromkeys(flights, 0.0), exactly=True)
            stepper.renew()
            lifted = {k: flight for k, flight in self._short_flights(stepper, depth).items() if k not in flights}
            flights |= lifted
        touching = self.measure(stepper)
        still, slow = _standing(touching, STILL), _standing(touching, LEFT)
        groups = self._together({*flights}, still | closed & (slow | self.closed(stepper)))
        candidates = sorted(sum(groups, []))
        if self.friction is not None:
            self._come_to_rest(stepper, candidates, max(flights.values()))
        for k in candidates:
            self.open(stepper, k)
        stepper.renew()
        free, least = self.measure(stepper), LEAST / max(float(self.masses(stepper).max()), TINY)
        for group in groups:
            A, _ = self.mobility(stepper, self.gradients(free, group))
            root, carry = np.sqrt(np.maximum(A.diagonal(), TINY)), [*range(len(group))]
            unique = self.friction is None and np.linalg.eigvalsh(A / np.outer(root, root))[0] > UNIQUE
            compliance = np.maximum((HARD if unique else SOFTNESS) * root**2, least)  # in the equations from now on
            if self.friction is None:  # which carries, too
                carry = np.flatnonzero(pushing(A, free.acceleration[group], softness=compliance) > 0).tolist()
            for i in carry:
                self.close(stepper, group[i], compliance[i])
        if self.friction is not None:  # which says as well which of them carry a force
            self.friction.settle(stepper, anew=True)
        stepper.renew()
        return [k for k in candidates if still[k] and not closed[k]]

    def _come_to_rest(self, stepper: Stepper, contacts: Sequence[int], longest: float) -> None:
        """Stop contacts whose impacts accumulate; slips lose no more velocity than the remaining impacts would take."""
        assert self.friction is not None
        measured, (m, W) = self.measure(stepper), self.friction.measure(stepper)
        most = SLIPPED * (longest * np.abs(measured.acceleration[contacts]).max(initial=0.0) + LEFT * self.units(W))
        rubs = (k for k in self.friction.acting(contacts) if not self.friction.pushes[k])
        slow, closing = [k for k in rubs if abs(m.velocity[k]) <= most[k]], measured.rate[contacts]
        self.take_away(stepper, (self.gradients(measured, contacts), closing), (W[slow], m.velocity[slow]))

    def _short_flights(self, stepper: Stepper, depth: float, falls: Sequence[int] = ()) -> dict[int, float]:
        """The time (s) of further impacts, of open contacts that touch and fly for less than their time of rest.

        What leaves slowly and rises by nothing but what counts as zero does not fly. Nor does what is brought back from
        a `depth` (m) below zero at each impact, and would go on for ever with the height that it gains. Those that are
        known to fall (`falls`) are among them.
        """
        flights, m = dict.fromkeys(falls, 0.0), self.measure(stepper)
        for k in np.flatnonzero(m.touches & (m.acceleration < -STILL * m.unit)).tolist():
            rate, e = float(m.rate[k]), float(m.restitution[k])
            flight = 2 * max(rate, 0.0) / -float(m.acceleration[k])
            slow = rate <= LEFT * m.unit[k]
            least = TOUCH * m.unit[k] if slow else depth / max(1 - e * e, LEFT)
            if (e < 1 or slow) and (flight < self.gaps[k].rest or rate * flight <= 4 * least):
                flights[k] = flight / (1 - e) if flight and 0 < e < 1 else 0.0
        return flights

    def part(self, stepper: Stepper, k: int) -> GapsAt:
        """Bring a gap that rounding, or the tolerance of the run, has left below zero back to zero; measures all.

        What it touches gives way: the positions change by impulses that push, as rates do in an impact.
        """
        measured, alone = self.measure(stepper), len(self.gaps) == 1
        for turn in range(3):  # once in any case: what rests beside it lies below zero as deep as it is soft
            if measured.gap[k] >= 0 and (turn > 0 or alone or self.is_closed(stepper, k)) or not measured.here[k]:
                break
            if not self.is_closed(stepper, k) and measured.below[k]:
                self._check(stepper, measured, np.arange(len(self.gaps)) == k)
            depth = -min(float(measured.gap[measured.here].min()), 0.0)  # others may be as far below, and move so far
            near = self._together({k}, measured.here & (measured.gap < LEAP * measured.unit + 2 * depth))[0]
            A, carried = self.mobility(stepper, self.gradients(measured, near))
            add(stepper, "q", carried @ pushing(A, measured.gap[near]))
            measured = self.measure(stepper)
        return measured

    def way_out(self, stepper: Stepper, measured: GapsAt) -> str:
        """Coordinates near the present ones with which no gap is below zero, in words, if they are known."""
        some = np.flatnonzero(measured.here & (measured.gap < -measured.gap.min())).tolist()
        try:
            A, carried = self.mobility(stepper, self.gradients(measured, some))
        except SingularMatrixError:
            return ""
        step = carried @ pushing(A, measured.gap[some])
        moved = np.flatnonzero(np.abs(step) > 1e-3 * np.abs(step).max(initial=0.0)).tolist()
        values = [f"{self._system.names[j]} = {stepper.q[j] + step[j]:.4g}" for j in moved]
        return f": about {', '.join(values)}, say" if values and np.isfinite(step).all() else ""

    def mobility(self, stepper: Stepper, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """J M^-1 J' and M^-1 J', with locked coordinates held and loops closed."""
        carried = self.moved(stepper, J.T)
        return product(J, carried), carried

    def moved(self, stepper: Stepper, impulses: np.ndarray) -> np.ndarray:
        """The rates (n, k) that impulses (n, k) give to the free coordinates."""
        if self.alone and self._n < FEW:
            with suppress(np.linalg.LinAlgError):  # where other coordinates have no mass
                return np.linalg.solve(self.masses(stepper), impulses)
        found, moves = np.zeros(impulses.shape), np.zeros(self._n, dtype=bool)
        moves[self._islands[impulses.any(axis=1)]] = True
        part = np.flatnonzero(moves[self._islands])
        if not len(part):
            return found
        M = self.masses(stepper)
        if self.alone:
            with suppress(np.linalg.LinAlgError, RuntimeError):  # where it is singular
                for some in self._islands_by_size:
                    some = some[moves[self._islands[some[:, 0]]]]
                    if len(some) == 1:
                        found[some[0]] = solver(M[some.T, some])(impulses[some[0]])
                    else:  # many bodies, each by itself
                        found[some] = np.linalg.inv(M[some[:, :, None], some[:, None, :]]) @ impulses[some]
                return found
        M = M[part[:, None], part]
        Z = free_directions(self._restricted(stepper)[:, part], SMALL)
        if Z.size:
            mobility = inverse(Z.T @ M @ Z)
            if mobility is None:
                raise singular(culprits(Z @ Z.T @ M @ Z @ Z.T, [self._system.names[j] for j in part]), stepper.t)
            found[part] = Z @ (mobility @ (Z.T @ impulses[part]))
        return found

    def masses(self, stepper: Stepper) -> np.ndarray:
        """M of the coordinates (n, n), with nothing locked."""
        return stepper.probe(self._masses, self._n**2)().reshape(-1, self._n)

    @cached_property
    def _islands(self) -> np.ndarray:
        """The number (n,) of what each coordinate moves with, by masses and constraints, as equations have it."""
        n, first = self._n, dict[int, int]()
        M, jacobian = (_not_zero(self._system.program(x)) for x in ("own_masses", "constraint_jacobian"))
        pairs = [(p // n, p % n) for p in M]
        pairs += [(first.setdefault(p // self._n, p % self._n), p % self._n) for p in jacobian]
        return islands(self._n, pairs)

    @cached_property
    def _islands_by_size(self) -> list[np.ndarray]:
        """The coordinates of each island, those of as many in one array (islands, size)."""
        by_size: dict[int, list[np.ndarray]] = {}
        for island in sorted({*self._islands.tolist()}):  # `np.unique` would load masked arrays
            members = np.flatnonzero(self._islands == island)
            by_size.setdefault(len(members), []).append(members)
        return [np.array(x) for x in by_size.values()]

    @cached_property
    def _touched(self) -> list[set[int]]:
        """The islands that the impulse of each contact moves, that of its friction, too."""
        found = [set(self._islands[columns].tolist()) for columns in self.columns]
        for k, column in self.friction.of_contacts() if self.friction is not None else ():
            found[k].add(int(self._islands[column]))
        return found

    @cached_property
    def _touching(self) -> list[set[int]]:
        """The contacts whose impulses move each island."""
        return [{k for k, some in enumerate(self._touched) if i in some} for i in range(self._n)]

    @cached_property
    def _evaluation(self) -> Evaluation:
        return Evaluation(*self._system.kernel(self.key, self._live))

    @cached_property
    def _masses(self) -> Evaluation:
        return Evaluation(*self._system.kernel("own_masses", self._live))

    def _restricted(self, stepper: Stepper) -> np.ndarray:
        """Rows (m, n) of what does not change by impulses: rates of constraints, and of what is locked.

        Rows that are zero except for rounding are left out.
        """
        rows = self.values("constraint_jacobian", stepper).reshape(-1, self._n)
        largest = np.abs(rows).max(axis=1, initial=0)
        counts = largest > SMALL * largest.max(initial=0)
        return np.vstack([rows[counts] / largest[counts, None], np.eye(self._n)[self._locked(stepper)]])

    def _locked(self, stepper: Stepper) -> list[int]:
        return [j for j, k in self._locks if stepper.run.held[k]]

    def strike(
        self, stepper: Stepper, after: Mapping[int, float], exactly: bool = False, measured: GapsAt | None = None
    ) -> None:  # fmt: skip
        """New rates: contact k separates at after[k] (m/s), closed contacts and locked coordinates stand still.

        Impulses only push. Where an impulse would pull, the contact separates faster, unless `exactly` is true.
        """
        if self._locks or measured is None:
            self._stop_locked(stepper)
            measured = self.measure(stepper)
        closed = self.closed(stepper)
        moved = closed & ((self.friction is not None) | (np.abs(measured.rate) > LEFT * measured.unit))
        whole = self.friction is not None and self.friction.one_way
        some = {*after, *np.flatnonzero(closed if whole else moved).tolist()}
        feel = closed | measured.touches if exactly else closed  # what only touches is not to be hit by what stops
        seen = None if self.friction is None or exactly else self.friction.measure(stepper)
        for active in [sorted(some)] if whole else self._together(some, feel):
            self._strike(stepper, measured, active, after, exactly, seen)

    def _together(self, some: set[int], among: np.ndarray) -> list[list[int]]:
        """Some contacts, and those `among` (k,) that feel their impulses, in groups that do not feel each other."""
        groups, found, feel = [], set[int](), some.union(np.flatnonzero(among).tolist())
        for k in sorted(some):
            if k in found:
                continue
            group, left = {k}, [k]
            while left:
                near = (self._touching[island] & feel for island in self._touched[left.pop()])
                new = set[int]().union(*near) - group
                group |= new
                left += new
            found |= group
            groups.append(sorted(group))
        return groups

    def _strike(
        self, stepper: Stepper, now: GapsAt, active: Sequence[int], after: Mapping[int, float], exactly: bool, seen: Any
    ) -> None:
        """The same for contacts that feel each other; `seen` are all slips, measured."""
        lacking = now.rate[active] - np.array([after.get(k, 0.0) for k in active])
        left = LEFT * now.unit[active]
        if self.friction is not None:  # what the method has left of a closed gap's rate
            lacking[(lacking > 0) & (lacking <= left) & np.array([k not in after for k in active], dtype=bool)] = 0.0
        J = self.gradients(now, active)
        places, m, friction = [self.unknowns[k] for k in active], len(active), None if exactly else self.friction
        if friction is not None:
            slips, W = seen or friction.measure(stepper)
            some = friction.acting(active)
            ways = slips.velocity[[k for k in some if friction.pushes[k]]]
            if not after and np.all(np.abs(lacking) <= left) and np.all(ways >= -LEFT):
                held = friction.sticking(stepper, some, slips)
                self.take_away(stepper, (J, lacking), (W[held], slips.velocity[held]))  # too little for an impact
                return
            J, lacking = np.vstack([J, W[some]]), np.concatenate([lacking, slips.velocity[some]])
            places += [friction.places[k] for k in some]
        if not np.any(lacking):
            return
        A, carried = self.mobility(stepper, J)
        if friction is None:
            P = pushing(A, lacking, [exactly and k in after for k in active])
        else:  # friction acts against the velocity that is left, and is at most its share of the normal impulse
            found = solve(A, lacking, friction.bounds(some, active, slips.level, m), friction.pairs(some, m))
            if found is None:
                raise friction.without_mode(stepper, [self.gaps[i].element for i in active])
            P = found.force
        if np.any((lacking + A @ P)[:m] < -np.maximum(left, SQUEEZED * np.abs(lacking).max())):
            raise self.without_room(stepper, active, A[:m, :m], lacking[:m])
        add(stepper, "qd", carried @ P)
        add(stepper, "qd", P, places)
        for k, rate in zip(active, lacking + A @ P, strict=False):
            if k not in after and rate > STILL * now.unit[k]:
                self.open(stepper, k)

    def without_room(self, stepper: Stepper, active: Sequence[int], A: np.ndarray, lacking: np.ndarray) -> ModeError:
        """The exception for gaps that no motion keeps from closing: those that press the most if they give way."""
        P = pushing(A, lacking)
        names = " and ".join(self.gaps[k].element for k, x in zip(active, P, strict=True) if x > 1e-3 * P.max())
        return ModeError(
            f"the gaps of {names} close at t = {stepper.t:.6g} s whatever moves, and bodies that do not deform have no "
            "room. What closes them (jaws that follow a function of time, say) has to stop before, or one of them to "
            "give way: a spring behind it, or a PlanePoint.",
            time=stepper.t,
        )

    def take_away(self, stepper: Stepper, *parts: tuple[np.ndarray, np.ndarray]) -> None:
        """Remove rates (k,), those of rows (k, n), with the smallest change of qd, by impulses along the rows."""
        J, lacking = (np.concatenate(x) for x in zip(*parts, strict=True))
        if np.any(lacking):
            A, carried = self.mobility(stepper, J)
            add(stepper, "qd", -carried @ np.linalg.lstsq(A, lacking, rcond=SMALL)[0])

    def give(self, stepper: Stepper, rows: np.ndarray, missing: np.ndarray) -> None:
        """Take the rates `missing` (k,) away by impulses of constraints and locks, of which these are `rows` (k, n)."""
        away = np.linalg.lstsq(rows, missing, rcond=SMALL)[0]
        add(stepper, "qd", self.moved(stepper, (self.masses(stepper) @ away)[:, None])[:, 0] - away)

    def _stop_locked(self, stepper: Stepper) -> None:
        """Stop the locked coordinates; the change of the others is the smallest one, measured by kinetic energy."""
        locked = self._locked(stepper)
        if locked and np.any(rates := stepper.qd[locked]):
            rows = self._restricted(stepper)
            self.give(stepper, rows, np.append(np.zeros(len(rows) - len(locked)), rates))
            add(stepper, "qd", -stepper.qd[locked], locked)


def add(stepper: Stepper, name: str, change: np.ndarray, places: Any = None) -> None:
    """Add a change of the state `name`, of its first unknowns or of those at some places."""
    x = getattr(stepper, name)
    x[slice(len(change)) if places is None else places] += change
    setattr(stepper, name, x)


def _standing(m: GapsAt, rate: float) -> np.ndarray:
    """The contacts (k,) that touch and move no faster: what the others carry may come to press on them."""
    return m.here & (np.abs(m.gap) <= TOUCH * m.unit) & (np.abs(m.rate) <= rate * m.unit)  # type: ignore[no-any-return]


def _not_zero(program: Program) -> list[int]:
    """The outputs of a program, by their places, that may differ from zero."""
    return [k for k, node in enumerate(program.outputs) if node.op != "const" or node.value]


class Strike:
    """The action of a contact: an impact when its gap closes, release when its force would become a pull."""

    inner = True

    def __init__(self, impulses: Impulses, k: int):
        self._impulses, self._k = impulses, k

    def __call__(self, instant: Instant) -> None:
        impulses, k, stepper = self._impulses, self._k, instant.stepper
        instant.changed = True
        depth = -float(impulses.measure(stepper).gap[k])
        measured = impulses.part(stepper, k)
        if impulses.is_closed(stepper, k):
            ended = not measured.here[k]
            A, _ = impulses.mobility(stepper, impulses.gradients(measured, [k]))
            pull = (impulses.force(stepper, k) - impulses.rounding(stepper)) * A[0, 0]
            if ended or pull <= TOUCH * measured.unit[k]:  # more: another contact that struck just now has closed it
                impulses.open(stepper, k)
                instant.note("opens")
            if not ended:
                return
            measured = impulses.measure(stepper)
        struck = impulses.collide(stepper, measured)
        if struck:
            instant.note("impact" if k in struck else "touches")
        waits = not struck and measured.touches[k] and abs(measured.rate[k]) <= STILL * measured.unit[k]
        impulses.rest(instant, depth, [k] if waits and impulses.friction is not None else [])


def contact_events(impulses: Impulses) -> list[tuple[Event, Any]]:
    """The events of the gaps, with their switching functions."""
    return [
        (Event(gap.name, None, -1, Strike(impulses, k), silent=True, floor=TOUCH * min(1.0, impulses.unit)), guard)
        for k, (gap, guard) in enumerate(zip(impulses.gaps, impulses.guards, strict=True))
    ]
