"""Contacts and dry friction by time stepping: one problem for all of them in each interval, in place of events.

At the start of an interval of h seconds, with the rates u of gaps and of slips there, and their accelerations a without
the forces of contacts and of friction, the impulses P are found with which

    u' = u + h a + J M^-1 J' P,    u' >= -e u for gaps,    P >= 0,    one of both zero,

and friction acts against the slip that is left, within its bounds: those at rest where the last interval held it, and
it does not break away now. The forces P / h are constant until the next interval; the method of the run integrates what
moves under them. Nothing is located: an impact is a force of one interval, and bodies overlap by what they move in half
of one. J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988; M. Jean, The non-smooth
contact dynamics method, 1999.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.errors import StepSizeError
from easydyn.run.impacts import GapsAt, Impulses, add
from easydyn.run.modes import FrictionModes
from easydyn.sim.agenda import Instant
from easydyn.sim.cone import TINY, pushing, softly
from easydyn.sim.strike import TOUCH

SLOW = 2.0  # free accelerations in an interval: what approaches more slowly cannot be an impact
SOFT = 1e-4  # of its mobility: what a contact gives way, so that no row of bodies between walls asks for endless forces
CREEP = 2 * SOFT  # of what each force alone moves: slips that others hold, which give way, are no faster
APART, JAMMED = 0.2, 0.1  # of an overlap, that goes in an interval; of a mobility: what gives way where others are near
GAINED, LIFT = 0.05, 1e-6  # of the energy turned over: more comes from too long intervals; lengths, of rounding


class Stepping:
    """A clock that finds the forces of all contacts and of all friction, once in each interval.

    Parameters
    ----------
    impulses : Impulses
        The gaps of the run.
    modes : FrictionModes or None
        Its slips.
    step : float (s)
        The interval.
    """

    name, moves = "time stepping", True

    def __init__(self, impulses: Impulses, modes: FrictionModes | None, step: float):
        self._impulses, self._modes, self.period = impulses, modes, step
        self._moves = np.array([bool(columns) for columns in impulses.columns], dtype=bool)  # not only driven bodies

    def begin(self, t: float) -> None:
        self._origin, self._count, self.next = t, 0, t
        self._pushed = np.zeros(len(self._impulses.gaps))
        self._rubbed = np.zeros(0 if self._modes is None else len(self._modes.slips))
        self._held = np.ones(len(self._rubbed), dtype=bool)  # in the last interval; what moves at the start breaks away
        self._gained = self._turned = 0.0

    def act(self, instant: Instant, t: float) -> None:
        impulses, stepper, h = self._impulses, instant.stepper, self.period
        if self._count == 0:
            self._before = impulses.measure(stepper)
            impulses.check_start(stepper, self._before)
        levels = None if self._modes is None else self._modes.measure(stepper)[0]  # with the loads of the last interval
        self._release(stepper)
        stepper.restart()
        gaps = impulses.measure(stepper)
        self._check_energy(stepper, gaps)
        gaps = self._part(stepper, gaps)
        active, wanted = self._near(gaps)
        J, b = impulses.gradients(gaps, active), (gaps.rate + h * gaps.acceleration)[active] - wanted
        found = self._push(stepper, J, b, active, levels)
        self._pushed, self._before = np.zeros(len(gaps.gap)), gaps
        self._pushed[active] = found
        for k in np.flatnonzero(self._pushed).tolist():
            impulses.close(stepper, k, -self._pushed[k] / h)
        for k in np.flatnonzero((self._pushed == 0) & impulses.closed(stepper)).tolist():
            impulses.open(stepper, k)
        self._count += 1
        self.next = self._origin + self._count * h
        instant.changed = True

    def _release(self, stepper: Any) -> None:
        """Take all forces of contacts and of friction away."""
        for k in np.flatnonzero(self._pushed).tolist():
            self._impulses.close(stepper, k, -TINY)
        if self._modes is not None:
            for k in np.flatnonzero(self._rubbed if self._count else self._rubbed == 0).tolist():
                self._modes.set_mode(stepper, k, 0.0, -1.0)

    def _part(self, stepper: Any, m: GapsAt) -> GapsAt:
        """Move what overlaps apart, by a share of the overlap; what is jammed gives way a little. Measures again."""
        deep = np.flatnonzero(m.here & (m.gap < -TOUCH * m.unit)).tolist()
        if driven := [k for k in deep if not self._moves[k]]:
            raise self._impulses.without_room(stepper, driven, np.eye(len(driven)), m.gap[driven])
        if not deep:
            return m
        A, carried = self._impulses.mobility(stepper, self._impulses.gradients(m, deep))
        add(stepper, "q", carried @ pushing(A, APART * m.gap[deep], softness=JAMMED * A.diagonal()))
        return self._impulses.measure(stepper)

    def _near(self, m: GapsAt) -> tuple[list[int], np.ndarray]:
        """The contacts that may touch in the interval, and the rates (k,) that they must come to, or exceed.

        An impact is due where the free motion of half an interval closes a gap. What else may come to touch may come as
        near as zero. The rates -e u are those of a motion, with equal e, so that there is one that has them all.
        """
        h = self.period
        free = h**2 * np.abs(m.acceleration[m.here]).max(initial=0.0)
        half = m.gap + h / 2 * m.rate + h**2 / 8 * m.acceleration
        slow = (m.rate >= -SLOW * free / h) & (m.gap + h * np.minimum(m.rate, 0.0) - free <= TOUCH * m.unit)
        active = m.here & self._moves & ((half <= 0) | slow)
        back = -np.clip(m.restitution, 0.0, 1.0) * m.rate
        wanted = np.where(half <= 0, back, np.minimum(back, -np.maximum(m.gap, 0.0) / h))
        return np.flatnonzero(active).tolist(), wanted[active]

    def _push(self, stepper: Any, J: np.ndarray, b: np.ndarray, active: list[int], levels: Any) -> np.ndarray:
        """The impulses (k,) of the active contacts; those of friction are given to the slips."""
        modes, m, h = self._modes, len(active), self.period
        if modes is None:
            A, _ = self._impulses.mobility(stepper, J)
            return pushing(A, b, guess=self._pushed[active], softness=SOFT * A.diagonal())
        some = modes.acting(active, joints=True)
        measured, W = modes.measure(stepper)
        if not m and not some:
            return np.zeros(0)
        A, _ = self._impulses.mobility(stepper, np.vstack([J, W[some]]))
        softness = SOFT * A.diagonal()
        b = np.append(b, (measured.velocity + h * measured.rate)[some])
        pairs, force = modes.pairs(some, m), np.append(self._pushed[active], self._rubbed[some])
        held = self._held & (greater := levels.static != levels.level)
        while True:
            bounds = modes.bounds(some, active, np.where(held, levels.static, levels.level), m, h)
            force = softly(A, b, softness, bounds, pairs, force)[0].force
            if not greater.any():
                break
            speed = np.abs(A @ force + b)
            for pair in pairs:
                speed[[*pair]] = np.linalg.norm(speed[[*pair]])
            self._held[:] = False
            self._held[some] = (speed <= CREEP * np.abs(A * force).max(axis=1))[m:]
            if np.all(held[some] <= self._held[some]):
                break
            held &= self._held  # what breaks away loads the others more
        self._rubbed[:] = 0.0
        self._rubbed[some] = force[m:]
        for k, impulse in zip(some, force[m:].tolist(), strict=True):
            modes.set_mode(stepper, k, 0.0, -1.0, impulse / h)
        return np.maximum(force[:m], 0.0)  # type: ignore[no-any-return]

    def _check_energy(self, stepper: Any, m: GapsAt) -> None:
        """StepSizeError where contacts have given more energy than errors of steps do."""
        given = self._pushed / self.period * (m.gap - self._before.gap)
        self._gained += float(given.sum())
        self._turned += float(self._pushed @ np.abs(m.rate - self._before.rate)) / 2
        if self._gained > GAINED * self._turned + LIFT * float(self._pushed @ m.unit) / self.period:
            M = self._impulses.masses(stepper)
            qd = stepper.qd[: len(M)]
            self._turned = max(self._turned, float(qd @ M @ qd) / 2)
            if self._gained > GAINED * self._turned:
                worst = self._impulses.gaps[int(np.argmax(given))].name
                raise StepSizeError(
                    f"the contacts have given {self._gained:.3g} J by t = {stepper.t:.6g} s, most of all {worst}: the "
                    f"intervals of {self.period:g} s are too long for what moves between them. Take a shorter step=.",
                    time=stepper.t,
                    coordinate=worst,
                )
