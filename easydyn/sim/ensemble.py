"""Many runs of one system in machine code, a block at a time (lanes.py): what is prepared for it, and what it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.native import machine
from easydyn.native.abreast import LANES
from easydyn.native.record import Memory
from easydyn.sim.kernels import side_by_side
from easydyn.sim.lane_step import attempt_text
from easydyn.sim.lanes import LAST, ROWS, STEP, Lanes
from easydyn.sim.loop import SAFETY
from easydyn.sim.run import DONE

MOST_UNKNOWNS = 32  # a step of more is too much text to be compiled for one study


@dataclass(frozen=True, eq=False)
class Found:
    """How the runs of a block ended, and what was kept of them.

    Attributes
    ----------
    why : array (N,)
        lanes.ALONE, FINISHED, or STOPPED and the number of the event.
    t, steps : arrays (N,)
        Where they ended (s), and the number of steps.
    state : array (N, 3, n)
        q, qd, qdd there.
    saved : array (N, instants, 3, n)
        The same at the instants asked for; NaN behind the end of a run.
    """

    why: np.ndarray
    t: np.ndarray
    steps: np.ndarray
    state: np.ndarray
    saved: np.ndarray


class Ensemble:
    """The runs of a system whose accelerations are a formula, by DOP853.

    Parameters
    ----------
    make_stepper : callable
        A Stepper of the system for one of the runs: tolerance, longest step, events.
    stops : sequence of bool
        Which events end a run.
    accelerations : str
        The formula as LLVM's text: `evaluate` for sixteen runs, each with constants of its own.
    t_start, t_final : float (s)
        Begin and end of all runs.
    instants : sequence of float (s)
        When states are kept on the way.
    """

    def __init__(
        self, make_stepper: Callable[[], Any], stops: Any, accelerations: str, t_start: float, t_final: float,
        instants: Any = (),
    ):  # fmt: skip
        self.make_stepper, self.stops = make_stepper, [float(x) for x in stops]
        self.t_start, self.t_final, self.instants = t_start, t_final, np.array(instants, dtype=float)
        first = make_stepper()
        self.n = len(first.names)
        text = accelerations + "\n" + attempt_text(self.n, first.run.tolerance, SAFETY)
        self._library = machine.library(lambda: text, (text,), level=1)
        self._march = side_by_side(first.run)
        self._idle = [first]  # steppers that nobody uses at present

    def runs(self, q: np.ndarray, qd: np.ndarray, constants: dict[str, np.ndarray]) -> Found:
        """Runs from some starts (N, n), whose functions have these constants (N, m) by name."""
        count, n, several = len(q), self.n, Memory.of(Lanes)()
        stepper = self._idle.pop() if self._idle else self.make_stepper()
        s = stepper.run
        s.end = self.t_final
        K, events = len(self.instants), s.number_of_events
        of_lanes = "own", "t", "length", "h", "rejected", "steps", "landings", "is_fresh", "saved"
        several.allocate(
            dict.fromkeys(of_lanes, LANES)
            | dict.fromkeys(("q", "qd", "qdd"), LANES * n)
            | {"constants": LANES * constants["accelerations"].shape[1], "result": LANES * (STEP * n + 2)}
            | {"stages": LANES * 2 * ROWS * n}
            | dict.fromkeys(("side", "g_end", "g_change", "g_largest"), LANES * events)
        )  # fmt: skip
        several.n, several.count, several.begun, several.end = n, count, 0, self.t_final
        several.attempt, several.accelerations = (self._library.routine(x) for x in ("attempt", "evaluate"))
        several.starts = np.hstack([q, qd]).ravel()
        several.at_start, several.stops = np.array([self.t_start]), np.array(self.stops or [0.0])
        for name, place, number in (
            ("accelerations", "constants_of", "number_of_constants"), ("events", "events_of", "number_for_events"),
            ("residual", "residual_of", "number_for_residual"),
        ):  # fmt: skip
            given = constants.get(name, np.zeros((count, 0)))
            setattr(several, place, np.ascontiguousarray(given, dtype=float).ravel())
            setattr(several, number, given.shape[1])
        found = np.full((count, 3 + STEP * n), np.nan)
        kept = np.full((count, K, STEP, n), np.nan)
        several.found, several.kept = found.ravel(), kept.ravel()
        several.instants, several.number_of_instants = self.instants, K
        answer = self._march(several, s)
        assert answer == DONE
        self._idle.append(stepper)
        state = found[:, 3:].reshape(count, STEP, n)
        return Found(found[:, 0], found[:, 1], found[:, 2], state, kept)


assert LAST < ROWS
