"""A whole run: steps, jumps, saved instants, progress, and what happened (the driver of the steppers)."""

from __future__ import annotations

import time as clock
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from easydyn.errors import InputError, IntegrationError, InterruptedRunError
from easydyn.inputs import finite, positive, real_array, times
from easydyn.sim.newton import Array, Residual
from easydyn.sim.progress import progress_bar
from easydyn.sim.stepper import Stepper, default_names, mask_of
from easydyn.trajectory import Statistics, Steps, Trajectory

MOST_INSTANTS = 1e7  # saved in one run: more would fill the memory
Rates = Callable[[float, Array, Array, Array], Array]


def integrate(
    residual: Residual,
    *,
    q: Any,
    qd: Any,
    t_final: float,
    t_start: float = 0.0,
    method: Any = "newmark",
    tolerance: float = 1e-6,
    step: float | None = None,
    max_step: float | None = None,
    min_step: float | None = None,
    save_every: float | None = None,
    first_order: Any = (),
    jumps: Sequence[float] = (),
    names: Sequence[str] | None = None,
    rates: Rates | None = None,
    progress: Any = None,
    source: Any = None,
) -> Trajectory:
    """Integrate f(t, q, qd, qdd) = 0 from `t_start` to `t_final`.

    Parameters
    ----------
    residual : callable
        f(t, q, qd, qdd) -> (n,), of plain numbers (eq. 9).
    q, qd : arrays (n,)
        State at the start; the accelerations are found from the equations.
    t_final, t_start : float
        End and start of the run (s).
    method : str or Method
        "newmark" (beta 1/4, gamma 1/2), "hht", "generalized_alpha", or `newmark(beta, gamma)`, `hht(alpha)`,
        `generalized_alpha(spectral_radius)`.
    tolerance : float
        Bound on the rate of error of eq. (22).
    step : float, optional
        Length of fixed steps (s), instead of step control; the last one before a jump or the end is what remains.
    max_step, min_step : float, optional
        Longest step (s; a hundredth of the run if left out) and the one below which the run is given up.
    save_every : float, optional
        Interval of the saved instants (s), which are interpolated and do not change the steps; every step if left out.
    first_order : sequence of int or bool, optional
        Unknowns that are first-order states: they stand in qd, their derivative in qdd (eq. 29).
    jumps : sequence of float
        Times (s) at which the residual jumps: the run lands on them, and restarts there.
    names : sequence of str, optional
        Names of the unknowns.
    rates : callable, optional
        g(t, q, qd, qdd) -> (m,) to be integrated along the run, step by step; the result is `run.integrals`.
    progress : bool or callable, optional
        True for a progress bar, or a function of the fraction done; by default a bar in interactive use, for long
        runs.
    source : optional
        What can compute frames, energies and expressions along the run; `Model.simulate` gives it.

    Returns
    -------
    Trajectory

    Raises
    ------
    InputError
        A value that makes no sense, with its name.
    IntegrationError
        ConvergenceError, SingularMatrixError, NotFiniteError, StepSizeError, InterruptedRunError: with the time, the
        coordinate, the remedy, and `error.trajectory`, the result so far.

    Example
    -------
    >>> run = integrate(lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0], t_final=np.pi)
    >>> float(abs(run.q[-1, 0] + 1)) < 1e-5
    True
    """
    start, end = finite(t_start, "t_start"), finite(t_final, "t_final")
    if not end > start:
        raise InputError(f"t_final is {end:g} s: expected a time after the start, {start:g} s.")
    if save_every is not None:
        save_every = positive(save_every, "save_every")
        if (end - start) / save_every > MOST_INSTANTS:
            raise InputError(
                f"save_every is {save_every:g} s: {(end - start) / save_every:.0e} instants would be saved, expected "
                f"at most {MOST_INSTANTS:.0e}."
            )
    if rates is not None and not callable(rates):
        raise InputError(f"rates is {rates!r}: expected a function g(t, q, qd, qdd) -> (m,).")
    jumps = [x for x in times(jumps) if start <= x <= end]
    fixed = None if step is None else positive(step, "step")
    longest = (end - start) / 100 if max_step is None else max_step
    try:
        stepper = Stepper(
            residual, q=q, qd=qd, t=start, method=method, tolerance=tolerance, max_step=longest, min_step=min_step,
            first_order=first_order, jumps=jumps, names=names,
        )  # fmt: skip
    except IntegrationError as error:  # no accelerations at the start
        error.trajectory = _start_only(start, q, qd, names, first_order, str(error), source)
        raise
    run = _Run(stepper, end, save_every, rates, source)
    with progress_bar(progress) as report:
        try:
            run.go(fixed, report)
        except IntegrationError as error:
            error.trajectory = run.result("failed", str(error))
            raise
        except KeyboardInterrupt:
            raise run.interrupted() from None
    return run.result("finished", f"reached t = {end:g} s")


def _start_only(t: float, q: Any, qd: Any, names: Any, first_order: Any, message: str, source: Any) -> Trajectory:
    """The result of a run that could not begin: the initial state, with unknown accelerations."""
    states = np.array([q], dtype=float), np.array([qd], dtype=float)
    n = states[0].shape[1]
    empty = np.zeros(0)
    return Trajectory(
        t=np.array([t]), q=states[0], qd=states[1], qdd=np.full((1, n), np.nan),
        names=tuple(names or default_names(n)), first_order=mask_of(first_order, n),
        steps=Steps(empty, empty, empty), stats=Statistics(), integrals=np.zeros((1, 0)), status="failed",
        message=message, source=source,
    )  # fmt: skip


class _Run:
    """Records of a run on its way."""

    def __init__(self, stepper: Stepper, end: float, save_every: float | None, rates: Rates | None, source: Any):
        self.stepper, self.end, self.save_every, self.source = stepper, end, save_every, source
        self.start = stepper.t
        self.began = clock.perf_counter()
        self.rates = rates
        self.rate = self._rates_now()
        self.integral = np.zeros_like(self.rate)
        self.saved: list[tuple[Any, ...]] = [(stepper.t, stepper.q, stepper.qd, stepper.qdd, self.integral)]
        self.steps: list[tuple[float, float, float]] = []

    def _rates_now(self, side: int = 1) -> Array:
        s = self.stepper
        if self.rates is None:
            return np.zeros(0)
        found = real_array(self.rates(s._instant(side), s.q, s.qd, s.qdd), "what rates returned")
        if found.ndim != 1:
            raise InputError(f"rates returned shape {found.shape}: expected (m,).")
        return found

    def go(self, fixed: float | None, report: Callable[[float], None]) -> None:
        """Step from jump to jump to the end."""
        s = self.stepper
        for target in [x for x in s.jumps if self.start < x < self.end] + [self.end]:
            origin, k = s.t, 0
            while s.t < target:
                before = (s.t, s.q, s.qd, s.qdd, self.integral, self.rate)
                if fixed is None:
                    h = s.controlled_step(target)
                else:
                    k += 1
                    whole = abs(target - origin - k * fixed) <= 1e-9 * fixed  # no rounding of the time adds up
                    end = target if whole else min(origin + k * fixed, target)
                    h = fixed if whole or end < target else target - s.t
                    s.fixed_step(h, end)
                self._record(before, h)
                report((s.t - self.start) / (self.end - self.start))
            if target < self.end and s.at_jump(target):
                s.restart()
                self.rate = self._rates_now()

    def _record(self, before: tuple[Any, ...], h: float) -> None:
        s = self.stepper
        self.steps.append((s.t, h, s.error))
        t0, q0, qd0, qdd0, integral, rate = before
        if self.rates is not None:
            self.rate = self._rates_now(-1)
            self.integral = integral + h / 2 * (rate + self.rate)
        if self.save_every is None:
            self.saved.append((s.t, s.q, s.qd, s.qdd, self.integral))
            return
        while (t := self.start + len(self.saved) * self.save_every) <= s.t + 1e-9 * self.save_every:
            if t >= s.t - 1e-9 * self.save_every:
                self.saved.append((t, s.q, s.qd, s.qdd, self.integral))
                continue
            x = (t - t0) / h
            self.saved.append((
                t,
                _hermite(x, h, q0, qd0, s.q, s.qd),
                _hermite(x, h, qd0, qdd0, s.qd, s.qdd),
                (1 - x) * qdd0 + x * s.qdd,
                _hermite(x, h, integral, rate, self.integral, self.rate),
            ))  # fmt: skip

    def result(self, status: str, message: str) -> Trajectory:
        """What was computed so far; the last state reached is always in it."""
        s = self.stepper
        saved = list(self.saved)
        if s.t > saved[-1][0] + 1e-9 * (self.save_every or 0.0):
            saved.append((s.t, s.q, s.qd, s.qdd, self.integral))
        t, q, qd, qdd, integrals = (np.array(column, dtype=float) for column in zip(*saved, strict=True))
        steps = np.array(self.steps).reshape(-1, 3)
        return Trajectory(
            t=t, q=q, qd=qd, qdd=qdd, names=tuple(s.names), first_order=s.first_order,
            steps=Steps(steps[:, 0], steps[:, 1], steps[:, 2]),
            stats=Statistics(
                steps=s.steps, rejected=s.rejected, newton_iterations=s.newton.iterations,
                jacobians=s.newton.jacobians, residuals=s.residuals, seconds=clock.perf_counter() - self.began,
            ),
            integrals=integrals, status=status, message=message, source=self.source,
        )  # fmt: skip

    def interrupted(self) -> InterruptedRunError:
        error = InterruptedRunError(
            f"the run was interrupted at t = {self.stepper.t:g} s; error.trajectory holds the motion so far.",
            time=self.stepper.t,
        )
        error.trajectory = self.result("interrupted", str(error))
        return error


def _hermite(x: float, h: float, y0: Array, d0: Array, y1: Array, d1: Array) -> Array:
    """Cubic through (y0, d0) and (y1, d1) at the fraction x of an interval h."""
    u = 1 - x
    return u * u * ((1 + 2 * x) * y0 + x * h * d0) + x * x * ((1 + 2 * u) * y1 - u * h * d1)
