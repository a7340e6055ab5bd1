"""Jumps of the sensitivities of a motion at instants where a force jumps.

At a switch g(t, q, qd, p) = 0 the accelerations change from a- to a+. A motion that reaches the switch earlier by dtau
has the acceleration a+ for a time dtau longer. With s = dq/dp:

    sd+ = sd- + (a+ - a-) (g_q s + g_qd sd + g_p) / g'        g' = dg/dt along the motion before

and the same for the values of first-order states. (The saltation matrix of M. A. Aizerman and F. R. Gantmacher, 1958.)
If the force is continuous and only its slope jumps, the sensitivities do not jump.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.engine.graph import Node
from easydyn.errors import ModelError
from easydyn.run.starting import accelerations_at

_MOMENT = 1e-8  # s: before and after
_ROUNDING = 1e-7  # of the accelerations: no jump


class Jumps:
    """The jumps of the derivatives at each switch of a run of a system (`varied`) that extends another (`base`)."""

    def __init__(self, base: Any, varied: Any):
        self._base, self._varied, self._last = base, varied, -np.inf

    def in_time(self, switch: Node, stepper: Any) -> None:
        """The effect of a time at which `switch` is zero, where what is varied determines it."""
        self(switch, stepper.agenda.instant)

    def __call__(self, switch: Node, instant: Any) -> None:
        """The action of the event where `switch` is zero."""
        stepper, n = instant.stepper, self._base.n
        r, t = stepper.run, instant.t
        if t - self._last <= 1e-12 * max(1.0, abs(t)):
            return  # several conditions that are one
        self._last = t
        inputs = len(self._base.mechanism.inputs)
        held = [stepper.value_of(k) for k in range(len(self._base.mechanism.held))]
        held[inputs : 3 * inputs] = [0.0] * (2 * inputs)  # values at present: no slopes
        state = [np.array(x) for x in (r.q, r.qd, r.qdd)]
        q, qd = state[0][:n].copy(), state[1][:n].copy()
        before = self._beside(-_MOMENT, t, q, qd, np.array(r.qdd0)[:n], held)
        after = self._beside(_MOMENT, t, q, qd, before, held)
        key = self._varied.derivation.crossing(switch)
        rates = []
        for a in (before, after):
            state[2][:n] = a
            rate, *directions = self._varied.at(key, t, *state, held).tolist()
            rates.append(rate)
        jump = after - before
        if np.abs(jump).max() > _ROUNDING * (np.abs(before).max() + np.abs(after).max()):
            if not rates[0] * rates[1] > 0:
                raise ModelError(
                    f"at t = {t:.6g} s a force jumps, and the motion does not go on across the jump but turns back or "
                    "stays there (dry friction that sticks, say): it has no derivatives from then on. Round the force "
                    "off, or difference whole runs with exact=False."
                )
            for k, direction in enumerate(directions, start=1):
                for j in range(n):
                    r.qd[k * n + j] += jump[j] * direction / rates[0]
            instant.changed = True
        self._cross(switch, instant, q, qd, after, held, rates[1])

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
        near, far = (self._accelerations(t + x, q + x * qd, qd + x * a, held) for x in (d, 2 * d))
        return 2 * near - far

    def _accelerations(self, t: float, q: np.ndarray, qd: np.ndarray, held: Any) -> np.ndarray:
        if self._base.explicit_accelerations:
            return self._base.at("accelerations", t, q, qd, 0 * q, held)  # type: ignore[no-any-return]
        return accelerations_at(self._base, t, q, qd, held)
