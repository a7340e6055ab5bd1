"""Many runs of one system in machine code, a block at a time (lanes.py): what is prepared for it, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.native import machine
from easydyn.native.abreast import LANES
from easydyn.native.record import Memory
from easydyn.sim.kernels import side_by_side
from easydyn.sim.lane_step import attempt_text
from easydyn.sim.lanes import LAST, ROWS, STEP, Lanes
from easydyn.sim.loop import SAFETY, at_jump, tiny
from easydyn.sim.run import DONE

MOST_UNKNOWNS = 32  # a step of more is too much text to be compiled for one study
SEAMS = 64  # states beside what happens on the way; a run of more is made alone


@dataclass(frozen=True, eq=False)
class Ends:
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
    seams : array (N, several, 1 + 3 n)
        Times and states just before and after what happens on the way; NaN where there are fewer.
    work : array (N,)
        What was done (J) from outside, where it is added up, else zero.
    """

    why: np.ndarray
    t: np.ndarray
    steps: np.ndarray
    state: np.ndarray
    saved: np.ndarray
    seams: np.ndarray
    work: np.ndarray

    def of(self, some: np.ndarray) -> Ends:
        """The same of some runs (k,), by their numbers (no unit)."""
        return Ends(**{name: x[some] for name, x in vars(self).items()})

    def in_order(self, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times (N, K) (s) and states (N, K, 3, n) beside what happens, saved at `t` (N, instants) and at the end.

        Then the places (N, K) of these: of the seams, of what is saved, of the end.
        """
        count, _, _, n = self.saved.shape
        t = np.hstack([self.seams[:, :, 0], t])  # what is saved at the instant of an action is the state after it
        order = np.argsort(t, axis=1, kind="stable")  # what is NaN comes last
        order = np.pad(order, ((0, 0), (0, 1)), constant_values=order.shape[1])  # but for the end
        beside = self.seams[:, :, 1:].reshape(count, -1, 3, n)
        states = np.concatenate([beside, self.saved, self.state[:, None]], axis=1)
        t = np.take_along_axis(np.hstack([t, self.t[:, None]]), order, axis=1)
        return t, np.take_along_axis(states, order[:, :, None, None], axis=1), np.argsort(order, axis=1)


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
    jumps : sequence of float (s)
        When something jumps in all runs.
    actions : optional
        A function for what events set, as machine code, and of each value (event, place in q and qd).
    """

    def __init__(
        self, make_stepper: Callable[[], Any], stops: Any, accelerations: str, t_start: float, t_final: float,
        instants: Any = (), jumps: Sequence[float] = (), actions: tuple[Any, Sequence[tuple[int, int]]] = (None, ()),
    ):  # fmt: skip
        self.make_stepper, self.stops = make_stepper, [float(x) for x in stops]
        self.t_start, self.t_final, self.instants = t_start, t_final, np.array(instants, dtype=float)
        first = make_stepper()
        self.n = len(first.names)
        self.actions, self.sets = actions[0], np.array(actions[1], dtype=float).reshape(-1, 2)
        inside = [x for x in jumps if t_start < x < t_final]
        beside = np.array([tiny(x) if at_jump(first.run, x) else 0.0 for x in (t_start, *inside, t_final)])
        self.ends = np.array([*inside, t_final])
        self.at_start, self.lands = np.array([t_start, *inside]) + beside[:-1], self.ends - beside[1:]
        text = accelerations + "\n" + attempt_text(first.first_order.tolist(), first.run.tolerance, SAFETY)
        self._library = machine.library(lambda: text, (text,), level=1)
        self._march = side_by_side(first.run)
        self._idle = [first]  # steppers that nobody uses at present

    def runs(self, q: np.ndarray, qd: np.ndarray, constants: dict[str, np.ndarray], seams: bool = False) -> Ends:
        """Runs from some starts (N, n), whose functions have these constants (N, m) by name; with `seams` if asked."""
        count, n, several = len(q), self.n, Memory.of(Lanes)()
        stepper = self._idle.pop() if self._idle else self.make_stepper()
        s = stepper.run
        s.end = self.t_final
        K, events = len(self.instants), s.number_of_events
        of_lanes = "own t length h rejected steps landings is_fresh saved part acted seam_rows".split()
        several.allocate(
            dict.fromkeys(of_lanes, LANES)
            | dict.fromkeys(("q", "qd", "qdd", "weight"), LANES * n)
            | {"constants": LANES * constants["accelerations"].shape[1], "result": LANES * (STEP * n + 2)}
            | {"stages": LANES * 2 * ROWS * n}
            | dict.fromkeys(("side", "g_end", "g_change", "g_largest", "fired"), LANES * events)
            | {"set_to": len(self.sets), "constants_of_actions": constants.get("actions", self.sets).shape[1]}
        )  # fmt: skip
        several.n, several.count, several.begun, several.end = n, count, 0, self.t_final
        several.attempt, several.accelerations = (self._library.routine(x) for x in ("attempt", "evaluate"))
        several.starts = np.hstack([q, qd]).ravel()
        several.at_start, several.ends, several.lands = self.at_start, self.ends, self.lands
        several.stops, several.number_of_sets = np.array(self.stops or [0.0]), len(self.sets)
        several.set_by, several.set_at = np.ascontiguousarray(self.sets.T)
        several.actions = self.actions or several.accelerations
        for name, place, number in (
            ("accelerations", "constants_of", "number_of_constants"), ("events", "events_of", "number_for_events"),
            ("residual", "residual_of", "number_for_residual"), ("actions", "actions_of", "number_for_actions"),
        ):  # fmt: skip
            given = constants.get(name, np.zeros((count, 0)))
            setattr(several, place, np.ascontiguousarray(given, dtype=float).ravel())
            setattr(several, number, given.shape[1])
        found = np.full((count, 3 + STEP * n), np.nan)
        kept = np.full((count, K, STEP, n), np.nan)
        several.seam_room = SEAMS * seams * (len(self.ends) > 1 or len(self.sets) > 0)
        beside = np.full((count, several.seam_room, 1 + STEP * n), np.nan)
        several.found, several.kept, several.seams = found.ravel(), kept.ravel(), beside.ravel()
        several.instants, several.number_of_instants = self.instants, K
        answer = self._march(several, s)
        assert answer == DONE
        self._idle.append(stepper)
        state = found[:, 3:].reshape(count, STEP, n)
        return Ends(found[:, 0], found[:, 1], found[:, 2], state, kept, beside, np.zeros(count))


assert LAST < ROWS
