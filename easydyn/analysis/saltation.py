"""Jumps of the sensitivities of a motion at instants where a force jumps.

At a switch g(t, q, qd, p) = 0 the accelerations change from a- to a+. A motion that reaches the switch earlier by dtau
has the acceleration a+ for a time dtau longer. With s = dq/dp:

    sd+ = sd- + (a+ - a-) (g_q s + g_qd sd + g_p) / g'        g' = dg/dt along the motion before

and the same for the values of first-order states. (The saltation matrix of M. A. Aizerman and F. R. Gantmacher, 1958.)
If the force is continuous and only its slope jumps, the sensitivities do not jump.

Several switches may come at one instant, as where two wheels land together. A motion with another p reaches them one
after the other, and each has its own part of a+ - a-, which is found between the two. Where their order matters, there
is no derivative.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from easydyn.engine.graph import Node
from easydyn.engine.variations import Varied
from easydyn.errors import ModelError
from easydyn.run.starting import accelerations_at

_MOMENT = 1e-8  # s: before and after
TOGETHER = 3e-8  # s: of switches at one instant
_APART = 2e-7  # s: between two of them, where a motion with another parameter is looked at
_ROUNDING = 1e-7  # of the accelerations: no jump


class _Place(NamedTuple):
    """Where a motion comes to the first switch of an instant: with its derivatives, and accelerations on both sides.

    `shifts` of each switch say how much earlier the motion reaches it, by each direction; `made` is the jump so far.
    """

    t: float
    q: np.ndarray
    qd: np.ndarray
    before: np.ndarray
    after: np.ndarray
    held: list[float]
    shifts: list[np.ndarray]
    made: np.ndarray


class Jumps:
    """The jumps of the derivatives at each switch of a run of a system (`varied`) that extends another (`base`)."""

    _place: _Place

    def __init__(self, base: Any, varied: Any, directions: Sequence[Varied]):
        self._base, self._varied, self._directions, self._last = base, varied, directions, -np.inf

    def in_time(self, switch: Node, stepper: Any) -> None:
        """The effect of a time at which `switch` is zero, where what is varied determines it."""
        held, rest = stepper.held_values(), np.zeros((3, self._varied.n))
        moments = stepper.run.t + _MOMENT * np.array([-2, -1, 1, 2])
        values = [self._varied.at((switch,), x, *rest, held)[0] for x in moments]
        if abs(values[3] - values[0]) > 1.5 * abs(values[2] - values[1]) or values[1] == values[2]:
            self(switch, stepper.agenda.instant)  # else a remainder in it leaps: it changes its sign, and is not zero

    def __call__(self, switch: Node, instant: Any) -> None:
        """The action of the event where `switch` is zero."""
        r, t, n = instant.stepper.run, instant.t, self._base.n
        if t - self._last > TOGETHER:
            self._last, self._place = t, self._place_of(instant)
        place = self._place
        state = [np.array(x) for x in (r.q, r.qd, r.qdd)]
        q, qd = state[0][:n].copy(), state[1][:n].copy()
        state[0][n:], state[1][n:] = place.q[n:], place.qd[n:]
        key = self._varied.derivation.crossing(switch)
        rates = []
        for a in (place.before, place.after):
            state[2][:n] = a
            rate, *slopes = self._varied.at(key, t, *state, place.held).tolist()
            rates.append(rate)
        jump = place.after - place.before
        if np.abs(jump).max() > _ROUNDING * (np.abs(place.before).max() + np.abs(place.after).max()):
            if not rates[0] * rates[1] > 0:
                raise ModelError(
                    f"at t = {t:.6g} s a force jumps, and the motion does not go on across the jump but turns back or "
                    "stays there (dry friction that sticks, say): it has no derivatives from then on. Round the force "
                    "off, or difference whole runs with exact=False."
                )
            place.shifts.append(np.array(slopes) / rates[0])
            for k in range(len(self._directions)):
                whole = self._jump(k)
                for j in range(n):
                    r.qd[(k + 1) * n + j] += whole[j] - place.made[k, j]
                place.made[k] = whole
            instant.changed = True
        self._cross(switch, instant, q, qd, place.after, place.held, rates[1])

    def _place_of(self, instant: Any) -> _Place:
        r, t, n = instant.stepper.run, instant.t, self._base.n
        held, q, qd = instant.stepper.held_values(), np.array(r.q), np.array(r.qd)
        before = self._beside(-_MOMENT, t, q[:n], qd[:n], np.array(r.qdd0)[:n], held)
        after = self._beside(_MOMENT, t, q[:n], qd[:n], before, held)
        return _Place(t, q, qd, before, after, held, [], np.zeros((len(self._directions), n)))

    def _jump(self, k: int) -> np.ndarray:
        """The jump of the derivatives of rates by direction k, for all switches that this instant has had so far."""
        place = self._place
        shifts = np.sort([x[k] for x in place.shifts])
        new = np.diff(shifts) > 1e-6 * np.abs(shifts).max()  # others are the same switch, written in another way
        shifts = shifts[np.append(True, new)]
        ways = []
        for order, side in ((shifts[::-1], 1), (shifts, -1)):  # a larger value reaches the largest shift first
            between = [self._between(k, *pair, side) for pair in pairwise(order)]
            ways.append(order @ np.diff([place.before, *between, place.after], axis=0))
        if np.abs(ways[0] - ways[1]).max() > 1e-4 * np.abs(ways).max():
            raise ModelError(
                f"at t = {place.t:.6g} s forces jump in two places at once, and the motion after it depends on which "
                f"of them comes first: it has no derivative by {self._directions[k].name} from then on. Choose a value "
                "with which they come one after the other."
            )
        return ways[0]

    def _between(self, k: int, early: float, late: float, side: int) -> np.ndarray:
        """Accelerations between two switches, of a motion whose direction k is a little larger, or smaller."""
        step = side * _APART / abs(late - early)
        near, far = (self._varied_accelerations(k, x, -x * (early + late) / 2) for x in (step, 2 * step))
        return 2 * near - far

    def _varied_accelerations(self, k: int, step: float, d: float) -> np.ndarray:
        """Of a motion that is varied by a step in direction k, a moment d after this place."""
        place, n, direction = self._place, self._base.n, self._directions[k]
        q, qd = (x[:n] + step * x[(k + 1) * n : (k + 2) * n] for x in (place.q, place.qd))
        system, held = self._base, list(place.held)
        if direction.kind == "parameters":
            system = system.copy()
            system.set_parameters({direction.name: system.parameters[direction.name] + step * direction.scale})
        elif direction.kind == "inputs":
            held[direction.number] += step * direction.scale
        return self._accelerations(place.t + d, q + d * place.qd[:n], qd + d * place.before, held, system)

    def _cross(
        self, switch: Node, instant: Any, q: np.ndarray, qd: np.ndarray, a: np.ndarray, held: Any, rate: float
    ) -> None:
        """Carry a motion that has landed a rounding before the switch over it, lest it land there again."""
        r, t, n = instant.stepper.run, instant.t, len(q)
        for x in [0.0, *(10.0 ** np.arange(-16, -9) * max(1.0, abs(t)))]:
            state = [np.array(v) for v in (r.q, r.qd, r.qdd)]
            state[0][:n], state[1][:n] = q + x * qd, qd + x * a
            if self._varied.at((switch,), t, *state, held)[0] * rate > 0:
                break
        if x:
            for j in range(n):
                r.q[j], r.qd[j] = state[0][j], state[1][j]
            instant.changed = True

    def _beside(self, d: float, t: float, q: np.ndarray, qd: np.ndarray, a: np.ndarray, held: Any) -> np.ndarray:
        """Accelerations a moment d before or after, carried back to the moment itself by a straight line."""
        near, far = (self._accelerations(t + x, q + x * qd, qd + x * a, held, self._base) for x in (d, 2 * d))
        return 2 * near - far

    def _accelerations(self, t: float, q: np.ndarray, qd: np.ndarray, held: Any, system: Any) -> np.ndarray:
        if system.explicit_accelerations:
            return system.at("accelerations", t, q, qd, 0 * q, held)  # type: ignore[no-any-return]
        return accelerations_at(system, t, q, qd, held)
