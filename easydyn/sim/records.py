"""What a run saves on its way: the loop of kernels in slices, so that progress is shown and Ctrl-C is heard.

Nothing is done here for every step.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from easydyn.errors import InterruptedRunError
from easydyn.outcome import Statistics, Steps
from easydyn.sim.run import DONE, EVENT, FULL, NEWMARK, SPENT, STOP
from easydyn.sim.stepper import Stepper
from easydyn.sim.witnesses import MOST
from easydyn.trajectory import Trajectory

ROOM = 2**14  # numbers for saved instants, and for steps, before they are taken over
SLICE = 0.05  # seconds that a kernel should run before progress is shown and Ctrl-C heard


class Records:
    """What a run has saved so far."""

    def __init__(self, stepper: Stepper, end: float, save_every: float, fixed: float, about: Mapping[str, Any]):
        self.stepper, self.agenda, self.about = stepper, stepper.agenda, about
        self.began = clock.perf_counter()
        r = self.r = self.stepper.run
        self.width = 1 + 3 * r.n + r.m + r.number_of_held
        r.start, r.end, r.save_every, r.fixed_step = r.t, end, save_every, fixed
        r.t0, r.taken = r.t, 0.0
        instants = (end - r.t) / save_every + 2 if save_every else ROOM
        r.saved_room = int(min(max(ROOM // self.width, 4), instants))
        r.step_room = ROOM // 3 if r.family == NEWMARK else ROOM // 30
        witnesses = MOST * (2 + 2 * r.n + r.number_of_held)
        r.allocate({"rows": r.saved_room * self.width, "steps_taken": r.step_room * 3, "witnesses": witnesses})
        r.between_witnesses = 1
        self.first = self._witness()
        r.recording = r.pending = 1  # the initial state
        self.rows: list[np.ndarray] = []
        self.steps: list[np.ndarray] = []

    def take_over(self) -> None:
        """Move what stands in the record to the lists here."""
        r = self.r
        self.rows.append(np.array(r.rows[: r.saved_rows * self.width]).reshape(-1, self.width))
        self.steps.append(np.array(r.steps_taken[: r.step_rows * 3]).reshape(-1, 3))
        r.saved_rows = r.step_rows = 0

    def go(self, report: Callable[[float], None]) -> None:
        """On to the end, a slice at a time; slices are made to last about SLICE."""
        r, agenda = self.r, self.agenda
        r.budget = 1000 if self.stepper.functions.native else 100
        shown = began = clock.perf_counter()
        while True:
            answer = self.stepper.call(self.stepper.kernels.go)
            now = clock.perf_counter()
            spent, began = now - began, now
            if answer in (FULL, SPENT) or now > shown + SLICE:
                shown = now
                report((r.t - r.start) / (r.end - r.start))
            if answer == STOP:
                agenda.at_stop()
            elif answer == EVENT:
                agenda.at_event(r.end)
                self.after_event()
            elif answer == FULL:
                self.take_over()
            elif answer == SPENT:
                r.budget = int(min(max(r.budget * SLICE / max(spent, 1e-6), r.budget / 4, 1), r.budget * 8, 1e9))
            elif answer == DONE:
                report(1.0)
                return
            else:
                raise self.stepper.failure(answer)
            if agenda.stopped is not None:
                return

    def after_event(self) -> None:
        """When every step is saved, the state after an event is, too: both stand at the same time."""
        r = self.r
        if r.save_every == 0 and self.agenda.instant.changed:
            self.take_over()
            self.rows.append(self.present_row()[None, :])
            r.saved += 1

    def present_row(self) -> np.ndarray:
        """The present state as it is saved."""
        r = self.r
        s = self.stepper
        held = [s.value_of(k) for k in range(r.number_of_held)]
        return np.concatenate([[r.t], s.q, s.qd, s.qdd, np.array(r.integral), np.array(held)])

    def result(self, status: str, message: str) -> Trajectory:
        """What was computed so far; the last state reached is always in it."""
        s, r, n = self.stepper, self.r, self.r.n
        self.take_over()
        # an interruption between two lines may have put the same twice into the lists
        rows, steps = np.concatenate(self.rows)[: r.saved], np.concatenate(self.steps)[: r.steps]
        if len(rows) == 0 or r.t > rows[-1, 0] + 1e-9 * r.save_every:
            rows = np.vstack([rows, self.present_row()])
        return Trajectory(
            t=rows[:, 0].copy(), q=rows[:, 1 : n + 1].copy(), qd=rows[:, n + 1 : 2 * n + 1].copy(),
            qdd=rows[:, 2 * n + 1 : 3 * n + 1].copy(), names=tuple(s.names), first_order=s.first_order,
            steps=Steps(*(np.ascontiguousarray(column) for column in steps.T)),
            stats=Statistics(
                steps=r.steps, rejected=r.rejected, newton_iterations=r.iterations, jacobians=r.jacobians,
                residuals=r.residuals, seconds=clock.perf_counter() - self.began,
            ),
            integrals=rows[:, 3 * n + 1 : 3 * n + 1 + r.m].copy(), status=status, message=message,
            held=rows[:, 3 * n + 1 + r.m :].copy(), held_names=tuple(s.functions.held),
            events=tuple(self.agenda.happenings), **self.about,
        )  # fmt: skip

    def _witness(self) -> list[float]:
        """The present state as a witness: t, q, qd, sum of the integrals, what is held."""
        r = self.r
        return [r.t, *_numbers(r.q), *_numbers(r.qd), sum(_numbers(r.integral)), *_numbers(r.held)]

    def some(self, between: int) -> list[list[float]]:
        """The first and the present state as witnesses, and about so many between them."""
        r, width = self.r, len(self.first)
        every = r.witnessed // between + 1 if between else 0
        chosen = range(every - 1, r.witnessed, every) if between else ()
        return [self.first, *(_numbers(r.witnesses[k * width : (k + 1) * width]) for k in chosen), self._witness()]

    def witnesses(self) -> np.ndarray:
        """States along the run, the first and the last among them: (N, 2 + 2 n + number_of_held)."""
        return np.array(self.some(MOST))

    def interrupted(self) -> InterruptedRunError:
        error = InterruptedRunError(
            f"the run was interrupted at t = {self.stepper.t:g} s; error.trajectory holds the motion so far.",
            time=self.stepper.t,
        )
        error.trajectory = self.result("interrupted", str(error))
        return error


def _numbers(array: Any) -> list[float]:
    """An array of a record as a list of floats."""
    return array.tolist() if isinstance(array, np.ndarray) else list(array)
