"""Many runs of one system, one after the other in the loop of a single record: what happens there needs no Python.

The record is put back to what it was, gets the state and the constants of the next run, and goes on to its end. A run
that stops for Python ends as ALONE, as in lanes.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from easydyn.native.record import copy_into
from easydyn.sim.ensemble import Ends
from easydyn.sim.lanes import ALONE, FINISHED, MOST_STEPS, STEP, STOPPED
from easydyn.sim.loop import at_jump
from easydyn.sim.run import DONE, EVENT, FULL, SPENT

MANY = 2000  # changes of one run in the loop: more may have no end
SEAMS = 512  # states beside them that are kept
STEPS = 4096  # that a record has room for
AT_ONCE = 1_000_000  # evaluations, before Ctrl-C is heard


class Queue:
    """The runs of a system of which nothing needs Python: without events, or with modes of friction or impacts alone.

    Parameters
    ----------
    make_stepper : callable
        A Stepper of the system for one of the runs, without clocks.
    stops, noted : sequence of bool
        Which events end a run, and which are only noted.
    t_final : float (s)
        End of all runs.
    instants : sequence of float (s)
        When states are kept on the way.
    """

    def __init__(
        self, make_stepper: Callable[[], Any], stops: Sequence[bool], noted: Sequence[bool], t_final: float,
        instants: Any,
    ):  # fmt: skip
        self._make_stepper, self._stops, self._noted = make_stepper, np.array(stops, bool), np.array(noted, bool)
        self._end, self._instants = t_final, np.array(instants, dtype=float)
        first = make_stepper()
        self.n = len(first.names)
        self._idle = [self._ready(first)]  # steppers that nobody uses at present

    def _ready(self, stepper: Any) -> tuple[Any, Any]:
        """A stepper with room for what is kept, and what its record is before a run."""
        r = stepper.run
        width, room = 1 + STEP * r.n + r.m + r.number_of_held, len(self._instants)
        r.start, r.end, r.save_every, r.t0 = r.t, self._end, (self._end - r.t) / 500, r.t
        r.instants, r.number_of_instants = r.array([*self._instants, inf]), room + 1
        r.saved_room, r.seam_room, r.step_room, r.recording = room + 1, SEAMS, STEPS, 1
        r.allocate({"rows": (room + 1) * width, "seams": r.seam_room * width, "steps_taken": 3 * STEPS})
        r.next_witness, r.budget, r.pending = 2**60, AT_ONCE, 1
        return stepper, r.content()

    def runs(self, q: np.ndarray, qd: np.ndarray, constants: Mapping[str, np.ndarray], seams: bool = False) -> Ends:
        """Runs from some starts (N, n), whose functions have these constants (N, m) by name; with `seams` if asked."""
        stepper, fresh = self._idle.pop() if self._idle else self._ready(self._make_stepper())
        r, count, n = stepper.run, len(q), self.n

        def nothing(*shape: int) -> np.ndarray:
            return np.full((count, *shape), np.nan)

        ends = Ends(
            np.full(count, ALONE), nothing(), np.zeros(count), nothing(STEP, n),
            nothing(len(self._instants), STEP, n), nothing(SEAMS * seams, 1 + STEP * n), np.zeros(count),
        )  # fmt: skip
        width = 1 + STEP * n + r.m + r.number_of_held
        for k in np.flatnonzero(np.isfinite(q).all(axis=1) & np.isfinite(qd).all(axis=1)).tolist():
            r.return_to(fresh)
            copy_into(r.q, q[k])
            copy_into(r.qd, qd[k])
            for name, values in constants.items():
                copy_into(getattr(r, f"{name}_constants"), values[k])
            ends.why[k] = self._one(stepper, seams)
            ends.t[k], ends.steps[k], ends.work[k] = r.t, r.steps, np.sum(r.integral)
            ends.state[k] = r.q, r.qd, r.qdd
            saved = r.rows[: r.saved_rows * width].reshape(-1, width)
            ends.saved[k, : len(saved)] = saved[:, 1 : 1 + STEP * n].reshape(-1, STEP, n)
            if seams and ends.why[k] != ALONE:
                beside = r.seams[: r.seam_rows * width].reshape(-1, width)
                ends.seams[k, : len(beside)] = beside[:, : 1 + STEP * n]
        ends.t[ends.why == FINISHED] = self._end
        self._idle.append((stepper, fresh))
        rows = np.isfinite(ends.seams[:, :, 0]).any(axis=0)
        return replace(ends, seams=ends.seams[:, rows])

    def _one(self, stepper: Any, seams: bool) -> float:
        """Why the run ended that begins with the present state."""
        r, kernels, changes = stepper.run, stepper.kernels, 0
        moment = r.max_step if r.max_step < inf else 1.0
        if kernels.restart(r) != DONE or r.number_of_slips and kernels.change_modes(r, -1.0) != DONE:
            return ALONE
        if r.number_of_events and kernels.arm_anew(r, moment) != DONE:
            return ALONE
        while changes <= MANY and r.steps <= MOST_STEPS:  # of more a single run knows whether they have an end
            answer = kernels.go(r)
            changes += r.struck_rows
            r.struck_rows = 0
            if answer == DONE:
                return ALONE if at_jump(r, r.t) else FINISHED
            if answer == EVENT:
                fired = np.flatnonzero(r.fired)
                if self._stops[fired].any():
                    return STOPPED + float(fired[self._stops[fired]][0])
                if not self._noted[fired].all() or kernels.arm_anew(r, moment) != DONE:
                    return ALONE
                changes += 1
            elif answer == FULL and not (seams and r.seam_rows + 2 >= r.seam_room):
                r.step_rows, r.seam_rows = 0, r.seam_rows * seams
            elif answer != SPENT:
                return ALONE
        return ALONE
