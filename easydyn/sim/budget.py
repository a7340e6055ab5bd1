"""Limits of a run: its steps, and the memory for its results; warnings come before a limit is reached."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from math import inf
from typing import TYPE_CHECKING, Any

from easydyn.errors import BudgetError, InputError, LongRunWarning, calls_to_user
from easydyn.inputs import positive, whole

if TYPE_CHECKING:
    from easydyn.sim.agenda import Agenda

MOST_STEPS = 10_000_000  # of a run, where `max_steps` is left out
MOST_MEMORY = 1e9  # bytes kept, where `max_memory` is left out; putting a result together takes as much again
HAPPENING = 600  # bytes of one entry of the list of what happened
EARLY = 0.1  # of a budget: when that much is spent, it is told whether the rest will do


def counted(n: float) -> str:
    """A number of steps or of instants, in few digits."""
    return f"{n:.0f}" if n < 1e5 else f"{n:.1e}"


def in_bytes(n: float) -> str:
    """An amount of memory, in few digits."""
    return f"{n / 1e9:.3g} GB" if n >= 1e9 else f"{n / 1e6:.3g} MB"


class Budget:
    """The steps and the memory of one run, from `start` to `end`; `width` numbers are kept of every instant."""

    def __init__(self, run: Any, width: int, max_steps: Any = None, max_memory: Any = None, most: float = inf):
        self.run, self.width, self.most = run, width, most  # instants that are kept at most
        self.steps = MOST_STEPS if max_steps is None else whole(max_steps, "max_steps")
        self.memory = MOST_MEMORY if max_memory is None else positive(max_memory, "max_memory")
        self._warned, self._last = False, (run.t, 0.0)

    def allow(self, lengths: Mapping[str, float | None], clocks: Iterable[Any]) -> None:
        """InputError for what takes more than there is: `lengths` of steps (s), periods of `clocks`, saved instants."""
        r = self.run
        span = r.end - r.t
        for name, length in lengths.items():
            if length and span / length > self.steps:
                raise InputError(
                    f"{name} is {length:g} s: {counted(span / length)} steps would be made, expected at most "
                    f"max_steps = {counted(self.steps)}. Take a longer one, or allow more with max_steps=."
                )
        for clock in clocks:
            period = getattr(clock, "period", 0.0)
            if period and span / period > self.steps:
                raise InputError(
                    f"'{clock.name}' has a period of {period:g} s: {counted(span / period)} samples would be taken, "
                    f"expected at most max_steps = {counted(self.steps)}. Take a longer period, or allow more with "
                    "max_steps=."
                )
        steps = span / r.fixed_step if r.fixed_step else 0
        rows = r.number_of_instants or (span / r.save_every if r.save_every else min(steps, self.most))
        kept = 8 * (self.width * rows + 3 * steps)
        if kept > self.memory:
            what = f"save_every is {r.save_every:g} s" if r.save_every else f"step is {r.fixed_step:g} s"
            raise InputError(
                f"{what}: {counted(rows)} instants of {self.width} numbers would be kept, {in_bytes(kept)}, expected "
                f"at most max_memory = {in_bytes(self.memory)}. Save fewer with a longer save_every=, or allow more "
                "with max_memory= (bytes)."
            )

    def steps_left(self) -> int:
        """The number of steps that may still be made."""
        return self.steps - int(self.run.steps)

    def look(self, agenda: Agenda) -> None:
        """Check the budget after some steps: LongRunWarning if it will not suffice, BudgetError if it is spent."""
        r = self.run
        kept = 8 * (self.width * r.saved + 3 * r.steps) + HAPPENING * len(agenda.happenings)
        spent = r.steps / self.steps, kept / self.memory
        if max(spent) < EARLY:
            self._last = r.t, max(spent)
            return
        pace = f"{counted(r.steps)} steps, {counted(r.saved)} saved instants, {in_bytes(kept)}"
        if max(spent) >= 1:
            raise agenda.stepper.functions.better(agenda.stepper, self._spent(spent[0] >= 1, pace, agenda))
        (t, before), self._last = self._last, (r.t, max(spent))
        if not self._warned and (max(spent) - before) * (r.end - r.t) > (1 - max(spent)) * (r.t - t):
            self._warned = True
            warnings.warn(
                f"at t = {r.t:.6g} s of {r.end:g} s the run has taken {pace}: at this pace it will stop at "
                f"max_steps = {counted(self.steps)} or max_memory = {in_bytes(self.memory)}. Interrupt it and look at "
                "the motion so far, save fewer instants with save_every=, or allow more.",
                LongRunWarning,
                stacklevel=calls_to_user(),
            )

    def _spent(self, all_steps: bool, pace: str, agenda: Agenda) -> BudgetError:
        """The exception where all steps have been made, or else all memory is taken."""
        r = self.run
        if all_steps:
            return BudgetError(
                f"the run has made max_steps = {counted(self.steps)} steps at t = {r.t:.6g} s of {r.end:g} s (the last "
                f"one {r.taken:.3g} s long). Look at the motion so far (error.trajectory) for what is so fast; take a "
                "larger tolerance or a method for stiff systems, or allow more with max_steps=.",
                time=r.t,
            )
        return BudgetError(
            f"the run keeps max_memory = {in_bytes(self.memory)} at t = {r.t:.6g} s of {r.end:g} s ({pace}; "
            f"{len(agenda.happenings)} events). Save fewer instants with save_every=, or allow more with max_memory= "
            "(bytes).",
            time=r.t,
        )
