"""Detects a run that does not advance because a law jumps back and forth at every step.

If a force is the sign of a velocity (dry friction), there is no solution where the body sticks: for any value of the
force, the next step is on the other side. Step control then takes millions of steps, so short that the zigzag is below
the tolerance. Three signs distinguish this from a motion that is only fast:

- steps are so short that very many more would follow,
- rates or accelerations go up and down, step by step, while rates move by less than the tolerance lets see,
- and between two states that are as good as equal, the accelerations from the equations still differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.errors import ChatterError, EasyDynError
from easydyn.sim.failures import not_closed

OFTEN = 500  # steps after which one looks
HOPELESS = 1e5  # steps more to the end, at the present pace
OWN_STEPS = 1e4  # the same of methods that are not told of it so soon, and take more time for each
REJECTED = 0.05  # share of steps that are tried again
FEW, MANY = 40, 400  # steps that are looked at one by one
TURNS = 0.06  # share of them at which a rate or an acceleration turns round
LARGE = 0.2  # of the range of either: a change that counts
VISIBLE = 1000  # times the tolerance: changes of rates from step to step that belong to the motion
HALVINGS = 40  # of the distance of two states


class Chatter:
    """Watches one run from outside: `look` after some steps, of whatever method.

    While it is `watching`, it must be called after every single step.
    """

    def __init__(self, stepper: Any):
        self.stepper, self.watching = stepper, False
        family = stepper.method.family
        self._hopeless = OWN_STEPS if family.own_steps else HOPELESS
        self._restless = not family.advises and not family.own_steps  # it tries such steps again
        self._last_states: list[tuple[float, np.ndarray, np.ndarray, np.ndarray]] = []
        self._counts = self._now()

    def _now(self) -> tuple[float, int, int]:
        r = self.stepper.run
        return r.t, r.steps, r.rejected + self.stepper.agenda.landings  # where it lands on each switching

    def look(self) -> None:
        """Check the run after one or many steps; ChatterError if the run does not advance."""
        if self.watching:
            self._watch()
            return
        r = self.stepper.run
        (t, steps, rejected), now = self._counts, self._now()
        if now[1] - steps < OFTEN and now[1] >= steps:
            return
        self._counts = now
        if r.fixed_step == 0 and self._hopelessly(now[1] - steps, now[0] - t):
            self.watching = not self._restless or now[2] - rejected > REJECTED * (now[1] - steps)

    def _hopelessly(self, steps: int, time: float) -> bool:
        r = self.stepper.run
        return (r.end - r.t) * steps > self._hopeless * time

    def _watch(self) -> None:
        s = self.stepper
        if self._last_states and s.t <= self._last_states[-1][0]:
            return  # an event where the step began
        self._last_states.append((s.t, s.q, s.qd, s.qdd))
        if len(self._last_states) not in (FEW, MANY):
            return
        t, q, qd, qdd = (np.array(column) for column in zip(*self._last_states, strict=True))
        share, turning = self._turns(qd, qdd)
        if share >= TURNS and len(t) < MANY:
            return
        self.watching, self._counts = False, self._now()
        self._last_states.clear()
        if share >= TURNS and self._hopelessly(len(t), t[-1] - t[0]):
            found = self._jump(float(np.median(np.diff(t))), q, qd, qdd, turning)
            if found is not None and not self.stepper.functions.smooth():
                raise self._error(t, *found)
            if found is not None and "projection" in self.stepper.functions.evaluated:  # rounding near a singularity
                raise not_closed(self.stepper.run, self.stepper.names, self.stepper.first_order)

    def _turns(self, qd: np.ndarray, qdd: np.ndarray) -> tuple[float, int]:
        """The largest share of steps at which a rate or an acceleration turns round, and of which unknown."""
        seen = VISIBLE * self.stepper.run.tolerance * np.array(self.stepper.run.weight)
        invisible = np.median(np.abs(np.diff(qd, axis=0)), axis=0) < seen
        turns = np.where(invisible, np.maximum(_turns(qd), _turns(qdd)), 0)
        return float(turns.max() / len(qd)), int(np.argmax(turns))

    def _jump(self, h: float, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray, j: int) -> Any:
        """Two states as good as equal, with accelerations of unknown j that differ; None where there are none.

        They are sought around the last states, as far as a few steps of length h would go.
        """
        s, moving = self.stepper, ~self.stepper.first_order
        states = []
        for k in range(len(q) - FEW // 2, len(q)):
            for ahead in (0.0, h, 4 * h, -4 * h):
                states.append(np.concatenate([q[k] + ahead * qd[k] * moving, qd[k] + ahead * qdd[k]]))
        try:
            twin = s.twin()

            def slope(x: np.ndarray) -> float:
                twin.q, twin.qd = np.split(x, 2)
                twin.restart()
                return float(twin.run.qdd[j])

            slopes = [slope(x) for x in states]
            low, high = states[int(np.argmin(slopes))], states[int(np.argmax(slopes))]
            ends = least, most = min(slopes), max(slopes)
            for _ in range(HALVINGS):
                middle = (low + high) / 2
                between = slope(middle)
                if between - least > most - between:
                    high, most = middle, between
                else:
                    low, least = middle, between
        except EasyDynError:  # it cannot be told; the run says what is wrong itself
            return None
        r = s.run
        if (most - least) * (r.end - r.t) <= r.tolerance * r.weight[j]:  # it could not be felt to the end of the run
            return None
        # there may be a value of its own at the very jump, as that of sign(0)
        return (j, low, high, *ends) if most - least > (ends[1] - ends[0]) / 4 > 0 else None

    def _error(self, t: Any, j: int, low: Any, high: Any, least: float, most: float) -> ChatterError:
        s = self.stepper
        name = f"the rate of {s.names[j]}" if s.first_order[j] else f"the acceleration of {s.names[j]}"
        culprits = []
        if s.functions.switching is not None:
            sides = [dict(s.functions.switching(s, *np.split(x, 2))) for x in (low, high)]
            culprits = [law for law, value in sides[0].items() if np.sign(value) != np.sign(sides[1][law])]
        what = f" ({'; '.join(culprits)})" if culprits else ""
        return ChatterError(
            f"a law jumps back and forth at every step at t = {t[-1]:.6g} s{what}: {name} jumps between {least:.6g} "
            f"and {most:.6g} at states that are as good as equal, {len(t)} steps have taken {t[-1] - t[0]:.2g} s, and "
            f"the run would not get to {s.run.end:g} s. Where the law holds something still, as dry friction does, use "
            "JointFriction, or another law that is continuous: tanh(v/v0) with a small speed v0 in place of sign(v).",
            time=float(t[-1]),
            coordinate=s.names[j],
        )


def _turns(x: np.ndarray) -> np.ndarray:
    """How often each column of x (N, n) changes its direction, by large steps."""
    change = np.diff(x, axis=0)
    large = np.abs(change) > LARGE * np.maximum(np.ptp(x, axis=0), 1e-300)
    return np.array([np.count_nonzero(np.diff(np.sign(c[big]))) for c, big in zip(change.T, large.T, strict=True)])
