"""Saved data of a run: the kernel loop runs in slices, so that progress is shown and Ctrl-C works.

Nothing is done here for every step. Of saved states those numbers are kept that have not been zero in all so far: most
are, where there are contacts that are far away.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.errors import BudgetError, InterruptedRunError
from easydyn.sim.budget import Budget, in_bytes
from easydyn.sim.chatter import Chatter
from easydyn.sim.motion import Motion, Statistics, Steps
from easydyn.sim.run import DIP, DONE, EVENT, FULL, SPENT, STOP
from easydyn.sim.stepper import Stepper
from easydyn.sim.witnesses import MOST

if TYPE_CHECKING:
    from easydyn.sim.request import Request

MOST_KEPT = 100_000  # steps, where it is not said which are saved: more than any plot shows
MOST_NUMBERS, LEAST_KEPT = 2e7, 2000  # and numbers in these (160 MB), but never fewer steps than that
ROOM = 2**14  # numbers for saved instants, and for steps, before they are taken over
MOST_SEAMS = 4e6  # numbers of states where something happens, 32 MB: after that they are not kept
MOST_WATCHED = 2000  # instants of the motion so far, for a live view
SLICE = 0.05  # seconds that a kernel should run before progress is shown and Ctrl-C heard


class Records:
    """What a run has saved so far."""

    def __init__(self, stepper: Stepper, request: Request, made: Callable[..., Any]):
        self.stepper, self.agenda, self.made = stepper, stepper.agenda, made
        self.began = clock.perf_counter()
        r = self.r = self.stepper.run
        self.width = 1 + 3 * r.n + r.m + r.number_of_held
        r.start, r.end, r.save_every, r.fixed_step = r.t, request.t_final, request.interval, request.step or 0.0
        r.t0, r.taken = r.t, 0.0
        self.steps_shown = request.save_every is None and request.save_at is None  # events are shown, too
        self.thinned = request.save_every is None  # to what can be seen, where there are more
        self.most = max(min(MOST_KEPT, MOST_NUMBERS / self.width), min(LEAST_KEPT, MOST_KEPT))
        most = 2 * self.most if self.thinned else np.inf
        self.budget = Budget(r, self.width, request.max_steps, request.max_memory, most)
        self.chatter = Chatter(stepper)
        r.stride, r.unsaved, instants = 1, 0, ROOM
        if request.save_at:
            r.instants, r.number_of_instants = r.array(request.save_at), len(request.save_at)
        if r.number_of_instants or r.save_every:
            instants = r.number_of_instants or (r.end - r.t) / r.save_every + 2
        r.saved_room = int(min(max(ROOM // self.width, 32), instants))
        self.step_room = ROOM // 4 if r.method.short_steps else ROOM // 30
        r.step_room = min(self.step_room, self.budget.steps)
        r.seam_room = max(ROOM // (8 * self.width), 32)
        witnesses = MOST * (2 + 2 * r.n + r.number_of_held)
        r.allocate({
            "rows": r.saved_room * self.width, "seams": r.seam_room * self.width,
            "steps_taken": self.step_room * 3, "witnesses": witnesses,
        })  # fmt: skip
        r.between_witnesses = 1
        self.first = self._witness()
        r.recording = r.pending = 1  # the initial state
        r.way = stepper.functions.way
        self.places = np.zeros(1, dtype=int)  # of the numbers kept, among those of a row: first the time
        self.rows: list[np.ndarray] = []  # which have as many of them as there were then
        self.seams: list[np.ndarray] = []
        self.steps: list[np.ndarray] = []

    def take_over(self) -> None:
        """Move what stands in the record to the lists here."""
        r = self.r
        self.rows.append(self._kept(r.rows[: r.saved_rows * self.width]))
        self.steps.append(np.array(r.steps_taken[: r.step_rows * 3]).reshape(-1, 3))
        if r.seam_rows:
            self.seams.append(self._kept(r.seams[: r.seam_rows * self.width]))
            if sum(map(len, self.seams)) * self.width > MOST_SEAMS:
                r.seam_room = 0
        r.saved_rows = r.step_rows = r.seam_rows = 0
        r.step_room = max(min(self.step_room, self.budget.steps_left()), 1)

    def _kept(self, rows: Any) -> np.ndarray:
        """States, as they stand in the record, as they are kept."""
        whole = np.asarray(rows, dtype=float).reshape(-1, self.width)
        if len(self.places) < self.width:
            some = np.bitwise_or.reduce(whole.view(np.uint64), axis=0)
            some[self.places] = 0
            self.places = np.append(self.places, np.flatnonzero(some))
        return whole.take(self.places, axis=1)

    def _together(self, chunks: Sequence[np.ndarray]) -> np.ndarray:
        """Chunks of states that are kept as one."""
        found = np.zeros((sum(map(len, chunks)), len(self.places)), order="F")  # as they are looked at later
        for chunk, end in zip(chunks, accumulate(map(len, chunks)), strict=True):
            found[end - len(chunk) : end, : chunk.shape[1]] = chunk
        return found

    def go(self, report: Callable[[float], None]) -> None:
        """On to the end, a slice at a time; slices are made to last about SLICE."""
        r, agenda, chatter = self.r, self.agenda, self.chatter
        r.budget = budget = 1000 if self.stepper.functions.native else 100
        shown = began = clock.perf_counter()
        while True:
            answer = self.stepper.call(self.stepper.kernels.go)
            now = clock.perf_counter()
            spent, began = now - began, now
            if answer in (FULL, SPENT) and not chatter.watching or now > shown + SLICE:
                shown = now
                report((r.t - r.start) / (r.end - r.start))
            if answer == STOP:
                agenda.at_stop()
            elif answer == EVENT:
                agenda.at_event(r.end)
                self.after_event()
            elif answer == DIP:
                self.stepper.look_back()
            elif answer == FULL:
                self.take_over()
                if self.thinned and r.save_every == 0 and r.saved > self.most:
                    self.keep_fewer()
                self.budget.look(agenda)
            elif answer == SPENT:
                if not chatter.watching:
                    r.budget = budget = int(min(max(budget * SLICE / max(spent, 1e-6), budget / 4, 1), budget * 8, 1e9))
            elif answer == DONE:
                report(1.0)
                return
            else:
                raise self.stepper.failure(answer)
            if agenda.stopped is not None:
                return
            if answer == FULL or chatter.watching:  # after so many steps, however fast they are
                chatter.look()
                r.budget = 1 if chatter.watching else budget

    def after_event(self) -> None:
        """The state after an event is saved: beside that before it where every step is, else in place of it."""
        r = self.r
        if not r.all_loose:
            self.agenda.happened.append(r.t)
        elif r.seam_room:  # coordinates are others there, but not the motion
            r.seam_rows, r.seaming = r.seam_rows - 1, 0
        if not self.agenda.instant.changed:
            return
        if r.save_every == 0 and r.saved_rows >= r.saved_room:
            self.take_over()
        if r.save_every == 0 or r.saved_rows:
            self.stepper.call(self.stepper.kernels.save_after)
        elif self.rows and len(self.rows[-1]) and self.rows[-1][-1, 0] >= r.t:  # taken over
            row, last = self.present_row(), self.rows[-1]
            row[0] = last[-1, 0]
            self.rows[-1:] = last[:-1], self._kept(row)

    def present_row(self) -> np.ndarray:
        """The present state as it is saved."""
        r, s = self.r, self.stepper
        held = s.held_values()
        held[: s.functions.inputs] = [s.value_of(k) for k in range(s.functions.inputs)]
        return np.concatenate([[r.t], r.q, r.qd, r.qdd, r.integral[: r.m], held])

    def result(self, status: str, message: str) -> Any:
        """What was computed so far; the last state reached is always in it."""
        r = self.r
        self.agenda.leave()
        while True:
            try:
                if r.saved_rows or r.step_rows or not self.rows or not self.steps:
                    self.take_over()
                # an interruption between two lines may have put the same twice into the lists
                _cut(self.rows, r.saved)
                _cut(self.steps, r.steps)
                last = next((float(rows[-1, 0]) for rows in reversed(self.rows) if len(rows)), -np.inf)
                asked = r.number_of_instants and status == "finished" and r.saved == r.number_of_instants
                changed = r.seaming == 1 and r.has_slope == 0  # by an event at the end
                if not asked and r.t > last + (0 if changed else 1e-9 * r.save_every):
                    self.rows.append(self._kept(self.present_row()))
                    r.saved += 1
                rows, seams, places = self._with_seams()
                steps = [np.concatenate([chunk[:, k] for chunk in self.steps]) for k in range(3)]
                break
            except MemoryError:
                if not self.thin_out():
                    raise
        own = self._motion(rows, Steps(*steps), status, message)
        return self.made(own, (self._motion(seams, own.steps, status, message), places) if len(seams) else None)

    def _with_seams(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Those of the states that were kept that are shown, the others, and the places of these among all.

        Of a run that says nothing of its instants these are those where something has happened, too.
        """
        r, saved = self.r, sum(map(len, self.rows))
        now = [self._kept(self.present_row())] if r.seaming and r.seam_room else []
        both = self._together([*self.rows, *self.seams, *now])
        rows, seams = both[:saved], both[saved:]
        if not len(seams):
            return rows, seams, np.zeros(0, dtype=int)
        t, at = np.ascontiguousarray(rows[:, 0]), np.ascontiguousarray(seams[:, 0])
        begin, end = np.searchsorted(t, at), np.searchsorted(t, at, side="right")
        first = np.searchsorted(at, t)
        beside = np.flatnonzero(np.append(at, np.nan)[first] == t)  # rows at the instant of a seam
        first = first[beside]
        late = beside[~(seams[first] == rows[beside]).all(axis=1)]  # after all that has happened there
        places = end - np.searchsorted(late, end) + np.searchsorted(late, begin)
        if not self.steps_shown or not r.save_every:
            return rows, seams, places + np.arange(len(seams))
        seen, shown = np.isin(at, self.agenda.happened), np.ones(len(rows), dtype=bool)
        shown[beside] = ~seen[first]
        order, shown = np.insert(np.arange(saved), places, np.arange(saved, len(both))), np.insert(shown, places, seen)
        return both[order[shown]], both[order[~shown]], np.flatnonzero(~shown)

    def latest(self) -> Any:
        """The motion so far, for those who watch: the present state, and at most MOST_WATCHED saved instants before."""
        r = self.r
        chunks = [*self.rows, self._kept(r.rows[: r.saved_rows * self.width])]
        now, every = self._kept(self.present_row()), 1 + sum(map(len, chunks)) // MOST_WATCHED
        rows = self._together([*(x[x[:, 0] < r.t] for x in (chunk[::every] for chunk in chunks)), now])
        return self.made(self._motion(rows, Steps(*[np.zeros(0)] * 3), "running", f"at t = {r.t:g} s"))

    def _motion(self, rows: np.ndarray, steps: Steps, status: str, message: str) -> Motion:
        """Saved rows: t, q, qd, qdd, integrals and what is held."""
        s, r = self.stepper, self.r
        seconds, shown = clock.perf_counter() - self.began, s.functions.whole
        names, first, kept, at, work = shown or (s.names, s.first_order, s.functions.held, None, r.m)
        places = [*accumulate((1, *[len(names)] * 3, work, len(kept)))]
        columns, at = rows.T, self.places if at is None else at[self.places]
        if not np.array_equal(at, np.arange(places[-1])):
            columns = np.zeros((places[-1], len(rows)))  # of which no memory is taken where nothing is written
            columns[at] = rows.T
        q, qd, qdd, integrals, held = [columns[a:b].T for a, b in pairwise(places)]
        if (known := s.functions.of_time) is not None:
            integrals = np.column_stack([integrals[:, :-1], integrals[:, -1] + known(columns[0], r.start)])
        return Motion(
            t=columns[0], q=q, qd=qd, qdd=qdd, names=tuple(names), first_order=first, steps=steps,
            stats=Statistics(r.steps, r.rejected, r.iterations, r.jacobians, r.residuals, seconds, s.method.name),
            integrals=integrals, status=status, message=message, held=held, held_names=tuple(kept),
            events=tuple(self.agenda.happenings),
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

    def keep_fewer(self) -> None:
        """Of the steps every other one, from now on, too; those at events all, unless these are most of them."""
        r, t = self.r, np.concatenate([rows[:, 0] for rows in self.rows])
        later = np.diff(t, prepend=-np.inf, append=np.inf) > 0
        every_other = np.cumsum(later[:-1]) % 2 == 1
        kept = every_other | ~later[:-1] | ~later[1:]  # of an instant there are two states
        kept = kept if kept.sum() <= 0.75 * len(t) else every_other
        ends = np.cumsum([*map(len, self.rows)])
        self.rows = [rows[kept[end - len(rows) : end]] for rows, end in zip(self.rows, ends.tolist(), strict=True)]
        r.saved, r.stride, r.unsaved = int(kept.sum()), 2 * r.stride, 0

    def thin_out(self) -> bool:
        """Where the memory is full: keep every other instant, every other step; False when nothing is left to do."""
        if sum(len(chunk) for chunk in self.rows) < 2:
            return False
        for chunks in (self.rows, self.steps):
            if max(map(len, chunks), default=0) < 2:
                chunks[:] = chunks[::2]
            for k, chunk in enumerate(chunks):
                chunks[k] = chunk[::2].copy()
        return True

    def full_memory(self, error: MemoryError) -> BudgetError:
        """What is told, and kept, when there is no memory left."""
        told = BudgetError(
            f"the memory is full at t = {self.stepper.t:.6g} s: {self.r.saved} instants of {self.width} numbers, "
            f"{in_bytes(8 * self.width * self.r.saved)}, were kept. Save fewer with a longer save_every=; "
            "error.trajectory holds the motion so far.",
            time=self.stepper.t,
        )
        told.trajectory = self.result("failed", str(told))
        return told

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


def _cut(chunks: list[np.ndarray], length: int) -> None:
    """Take from the end what is more than a length in all; there stays one chunk at least, if only an empty one."""
    more = sum(len(chunk) for chunk in chunks) - length
    while more > 0:
        cut = min(more, len(chunks[-1]))
        chunks[-1] = chunks[-1][: len(chunks[-1]) - cut]
        more -= cut
        if not len(chunks[-1]) and len(chunks) > 1:
            chunks.pop()
