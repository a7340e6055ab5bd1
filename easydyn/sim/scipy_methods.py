"""The methods of scipy.integrate, by their names there, on the accelerations (an optional extra)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from easydyn.errors import MissingDependencyError, StepSizeError
from easydyn.native.record import copy_into
from easydyn.sim import loop
from easydyn.sim.records import Records

PATIENCE = 5_000  # hopelessly short steps in a row


def check_scipy(name: str) -> None:
    """MissingDependencyError when SciPy is not installed."""
    try:
        import scipy.integrate  # noqa: F401
    except ImportError:
        raise MissingDependencyError(
            f"method={name!r} needs the package scipy, which is not installed: pip install scipy, or use "
            'method="dop853" or "newmark_extrapolated".'
        ) from None


class _System:
    """y = (q, qd, integrals), y' = (qd, qdd, rates); the column of q of a first-order state has no meaning: 0."""

    def __init__(self, records: Records):
        self.stepper, self.r = records.stepper, records.r
        self.n, self.moving = self.r.n, ~self.stepper.first_order
        self.latest = np.inf

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        r, n = self.r, self.n
        r.time[0] = min(float(t), self.latest)
        copy_into(r.q_at, y[:n])
        copy_into(r.qd_at, y[n : 2 * n])
        r.residuals += 0 if r.has_accelerations else 1
        answer = self.stepper.kernels.derivatives(r)
        if answer:
            raise self.stepper.failure(answer)
        return np.concatenate([y[n : 2 * n] * self.moving, r.qdd_at, r.rate])

    def state(self) -> np.ndarray:
        r = self.r
        return np.concatenate([r.q, r.qd, r.integral])

    def set_state(self, t: float, y: np.ndarray) -> None:
        r, n = self.r, self.n
        slope = self(t, y)
        r.t = t
        for name, values in (("q", y[:n]), ("qd", y[n : 2 * n]), ("qdd", slope[n : 2 * n]), ("integral", y[2 * n :])):
            copy_into(getattr(r, name), values)


def scipy_run(records: Records, name: str, report: Callable[[float], None]) -> None:
    """From jump to jump, and from stop to stop, to the end; saved instants come from the method's own interpolation."""
    import scipy.integrate

    r, system, agenda = records.r, _System(records), records.agenda
    while r.t < r.end and agenda.stopped is None:
        i = loop.jump_after(r, r.t + loop.tiny(r.t))
        target = min(r.jumps[i] if i < r.number_of_jumps else np.inf, r.next_stop, r.end)
        system.latest = target - loop.tiny(target) if loop.at_jump(r, target) else np.inf
        solver = getattr(scipy.integrate, name)(
            system, r.t, system.state(), target, rtol=max(r.tolerance, 2.3e-14), atol=r.tolerance, max_step=r.max_step
        )
        if not records.rows:
            _save(records, system, r.t, solver.y)
        creeping = 0
        while solver.status == "running":
            with np.errstate(all="ignore"):
                message = solver.step()
            between, begin = solver.dense_output() if solver.status != "failed" else None, solver.t_old
            creeping = creeping + 1 if solver.t - r.t < loop.HOPELESS * (target - r.t) else 0
            if solver.status == "failed" or creeping > PATIENCE:
                worst = records.stepper.names[int(np.argmax(np.abs(r.qdd)))]
                raise StepSizeError(
                    f"SciPy's {name} gave up at t = {r.t:.6g} s: {message or 'its steps became too short.'} The motion "
                    f"may run away, or a force jump with the state (the largest acceleration is that of {worst}): look "
                    "at the motion so far (error.trajectory).",
                    time=r.t,
                    coordinate=worst,
                )
            assert between is not None
            while (t := r.start + r.saved * r.save_every) <= solver.t + 1e-9 * r.save_every:
                _save(records, system, t, between(t) if t < solver.t else solver.y)
            system.set_state(solver.t, solver.y)
            r.steps += 1
            records.steps.append(np.array([[solver.t, solver.t - begin, np.nan]]))
            report((r.t - r.start) / (r.end - r.start))
        if loop.at_jump(r, r.t):
            records.stepper.restart()
        if r.next_stop <= r.t < r.end:
            agenda.at_stop()


def _save(records: Records, system: Any, t: float, y: np.ndarray) -> None:
    n = system.n
    slope = system(t, y)
    held = [records.stepper.value_of(k, t) for k in range(records.r.number_of_held)]
    records.rows.append(np.concatenate([[t], y[: 2 * n], slope[n : 2 * n], y[2 * n :], held])[None, :])
    records.r.saved += 1
