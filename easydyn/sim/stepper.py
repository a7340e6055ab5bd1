"""Steps of controlled length: the rate of error (eqs. 21, 22) is kept below the tolerance.

`Stepper` holds the state of a run. `step(h)` makes one step of the length that is asked, `advance(h)` as many as
the tolerance needs to arrive at t + h exactly; `integrate` drives it through a whole run.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np

from easydyn.errors import (
    ConvergenceError,
    InputError,
    IntegrationError,
    NotFiniteError,
    StepSizeError,
)
from easydyn.inputs import finite, function, names_of, positive, real_array, state_vector, times
from easydyn.linear import culprits, singular
from easydyn.sim.methods import method_of
from easydyn.sim.newmark_step import Step, newmark_step
from easydyn.sim.newton import Array, Newton, Residual, initial_accelerations

# Newton stops when the correction of the velocities is below this share of the tolerance, and below h (s) times the
# tolerance: what remains adds up over the steps, and there are more of them when the tolerance is small.
NEWTON_SHARE = 1e-3
SAFETY = 0.85
PATIENCE, HOPELESS = 100_000, 1e-8
_FLOAT = np.dtype(float)
SMALLEST, LARGEST = 0.1, 1.5  # change of the step length from one to the next


class Stepper:
    """A second-order system on its way: state, step control, one step at a time.

    Parameters
    ----------
    residual : callable
        f(t, q, qd, qdd) -> (n,), zero on a motion of the system (eq. 9).
    q, qd : arrays (n,)
        State at `t`; the accelerations are found from the equations.
    t : float
        Time (s).
    method : str or Method
    tolerance : float
        Bound on the rate of error (eq. 22), per second in the unit of the coordinates; for first-order states
        relative to the largest value that each has had.
    max_step : float, optional
        Longest step (s).
    first_order : sequence of int or of bool, optional
        Unknowns that are first-order states: they stand in qd, their derivative in qdd (eq. 29).
    jumps : sequence of float
        Times (s) at which the residual jumps.
    names : sequence of str, optional
        Names of the unknowns, for messages.

    Attributes
    ----------
    t, q, qd, qdd : float, arrays (n,)
        The state reached.
    error : float
        Rate of error of the last step (eq. 22 over h).

    Example
    -------
    >>> stepper = Stepper(lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0])
    >>> stepper.advance(np.pi)
    >>> float(abs(stepper.q[0] + 1)) < 1e-5
    True
    """

    def __init__(
        self,
        residual: Residual,
        *,
        q: Any,
        qd: Any,
        t: float = 0.0,
        method: Any = "newmark",
        tolerance: float = 1e-6,
        max_step: float | None = None,
        min_step: float | None = None,
        first_order: Any = (),
        jumps: Sequence[float] = (),
        names: Sequence[str] | None = None,
    ):
        function(residual, "the residual", "t, q, qd, qdd")
        self.method = method_of(method)
        self.tolerance = positive(tolerance, "tolerance")
        self.max_step = np.inf if max_step is None else positive(max_step, "max_step")
        self.q = state_vector(q, "q")
        self.qd = state_vector(qd, "qd")
        n = len(self.q)
        if len(self.qd) != n:
            raise InputError(f"q has {n} values and qd {len(self.qd)}: expected as many rates as coordinates.")
        self.names = default_names(n) if names is None else names_of(names)
        if len(self.names) != n:
            raise InputError(f"names has {len(self.names)} entries: expected {n}, one for each coordinate.")
        self.first_order = mask_of(first_order, n)
        self.t = finite(t, "t")
        self.min_step = None if min_step is None else positive(min_step, "min_step")
        self.jumps = times(jumps)
        self.newton = Newton()
        self.steps = self.rejected = self.residuals = 0
        self.error = 0.0
        self.h: float | None = None  # length that the next step should have
        self._residual = residual
        self._weight = np.ones(n)
        self._slope: Array | None = None  # slope of the accelerations over the last step: predicts the next
        self.qdd = np.zeros(n)
        self.restart()

    # -- the residual ---------------------------------------------------------------------------------------------

    def _f(self, t: float, q: Array, qd: Array, qdd: Array) -> Array:
        self.residuals += 1
        f = self._residual(t, q, qd, qdd)
        if type(f) is not np.ndarray or f.dtype is not _FLOAT or f.shape != q.shape:
            f = self._checked(f)
        return f

    def _checked(self, f: Any) -> Array:
        """The array (n,) of what a residual returned in another form, at the start or on the way."""
        n = len(self.q)
        values = real_array(f, "what the residual returned", f"an array of {n} real numbers")
        if values.shape != (n,):
            raise InputError(f"the residual returned shape {values.shape}: expected ({n},), one value per coordinate.")
        return values

    def _instant(self, side: int) -> float:
        """The present time, or just after (side = 1) or before (-1) it when the residual jumps here."""
        return self.t + side * _tiny(self.t) if self.at_jump(self.t) else self.t

    def at_jump(self, t: float) -> bool:
        """True when the residual jumps at time t."""
        i = bisect_left(self.jumps, t - _tiny(t))
        return i < len(self.jumps) and self.jumps[i] <= t + _tiny(t)

    @np.errstate(all="ignore")  # what is not finite comes back as NotFiniteError
    def restart(self) -> None:
        """Find the accelerations from the equations at the present state, after a jump or a change from outside.

        Raises
        ------
        SingularMatrixError, NotFiniteError
        """
        qdd, wrong = initial_accelerations(self._f, self._instant(1), self.q, self.qd, self.qdd)
        if wrong is not None:
            raise self._failure(Step(self.q, self.qd, qdd, "nan" if np.ndim(wrong) == 1 else "mass", wrong), 0.0)
        self.qdd = qdd
        self.newton.inverse = None
        self._slope = None
        self._creeping = 0
        self._weigh(0.0)

    def _weigh(self, h: float) -> None:
        """Scale of each unknown: 1 for coordinates (eq. 22), for first-order states the largest value so far.

        A state that starts at zero has no scale of its own yet: it is measured by 1 until it is larger.
        """
        if not self.first_order.any():
            return
        now = np.abs(self.qd)
        if self.steps == 0:
            self._weight = np.where(self.first_order & (now > 0), now, 1.0)
        else:
            largest = np.maximum(self._weight, np.maximum(now, h * np.abs(self.qdd)))
            self._weight = np.where(self.first_order, largest, 1.0)

    # -- one step -------------------------------------------------------------------------------------------------

    @np.errstate(all="ignore")
    def _attempt(self, h: float, latest: float, share: float) -> Step:
        guess = self.qdd if self._slope is None else self.qdd + h * self._slope
        bound = share * self.tolerance
        return newmark_step(
            self._f, self.t, self.q, self.qd, self.qdd, h, self.method, guess, self.newton, bound, self._weight,
            self.first_order, latest,
        )  # fmt: skip

    @np.errstate(all="ignore")
    def _rate_of_error(self, step: Step, h: float) -> float:
        """Error of the positions per second: C h ||change of qdd|| / sqrt(n), eq. (22) over h."""
        change = (step.qdd - self.qdd) / self._weight
        return self.method.error_constant * h * float(change @ change) ** 0.5 / len(change) ** 0.5

    def _accept(self, step: Step, h: float, end: float, error: float) -> None:
        self._slope = (step.qdd - self.qdd) / h
        self.t, self.q, self.qd, self.qdd, self.error = end, step.q, step.qd, step.qdd, error
        self.steps += 1
        self._weigh(h)

    def step(self, h: float) -> float:
        """One step of length h (s), whatever its error; returns the rate of error (eq. 22 over h).

        Raises
        ------
        ConvergenceError, SingularMatrixError, NotFiniteError
            The state is then what it was before the step.
        """
        h = positive(h, "the step h")
        self.fixed_step(h, self.t + h)
        if self.at_jump(self.t):
            self.restart()
        return self.error

    def fixed_step(self, h: float, end: float) -> None:
        """One step of length h to the time `end`, without looking at the error; a jump at `end` is not yet passed."""
        # no error is controlled here, so Newton goes on to rounding
        step = self._attempt(h, end - _tiny(end) if self.at_jump(end) else np.inf, 0.0)
        if step.failure:
            raise self._failure(step, h)
        self._accept(step, h, end, self._rate_of_error(step, h))

    def controlled_step(self, target: float) -> float:
        """One step towards `target` (s) with an error below the tolerance; returns its length.

        The length is tried again shorter until the tolerance is met, and given up below `shortest`.
        """
        if self.h is None:
            self.h = self._first_length(target - self.t)
        at_jump = self.at_jump(target)
        latest = target - _tiny(target) if at_jump else np.inf
        remaining, tried = target - self.t, self.rejected
        self._creeping = self._creeping + 1 if self.h < HOPELESS * remaining else 0
        too_short = self._creeping > PATIENCE if self.min_step is None else self.h < self.min_step
        if too_short and self._slope is not None:
            raise self._failure(Step(self.q, self.qd, self.qdd + self.h * self._slope), self.h)
        while True:
            remaining = target - self.t
            wanted = min(self.h, self.max_step)
            h = remaining if remaining <= wanted * 1.001 else min(wanted, max(remaining / 2, wanted / 2))
            step = self._attempt(h, latest, min(NEWTON_SHARE, h))
            if step.failure:
                self.rejected += 1
                self.h = h / 4
            else:
                error = self._rate_of_error(step, h)
                factor = SAFETY * (self.tolerance / max(error, 1e-300)) ** 0.5
                if error <= self.tolerance:
                    end = target if h == remaining else self.t + h
                    self._accept(step, h, end, error)
                    self._creeping += 10 * (self.rejected - tried) if self._creeping else 0
                    self.h = max(wanted if h < wanted else 0.0, h * min(LARGEST, max(SMALLEST, factor)))
                    return h
                self.rejected += 1
                self.h = h * max(SMALLEST, min(factor, 0.9))
            if self.h < self.shortest:
                raise self._failure(step, h)

    def _first_length(self, span: float) -> float:
        """A first guess: a thousandth of the run, less where accelerations are large; the error test corrects it."""
        size = float(np.max(np.abs(self.qdd) / self._weight, initial=0.0))
        return min(self.max_step, span * 1e-3, 100 * self.tolerance**0.5 / size if size else np.inf)

    def advance(self, h: float) -> None:
        """Go on by h (s) in steps of controlled length, and arrive there exactly."""
        end = self.t + positive(h, "the interval h")
        for target in [x for x in self.jumps if self.t + _tiny(self.t) < x < end - _tiny(end)] + [end]:
            while self.t < target:
                self.controlled_step(target)
            if self.at_jump(target):
                self.restart()

    @property
    def shortest(self) -> float:
        """The step (s) below which a run is given up: `min_step`, or what rounding of the time allows.

        It is given up as well after PATIENCE steps in a row so short that a hundred million more would be needed; a
        step tried again counts ten times (a force that chatters).
        """
        return self.min_step if self.min_step is not None else 4 * _tiny(self.t)

    # -- what went wrong ------------------------------------------------------------------------------------------

    def _failure(self, step: Step, h: float) -> IntegrationError:
        where = f"at t = {self.t:.6g} s"
        state = ", ".join(f"{n} = {x:.6g}" for n, x in zip(self.names[:6], self._shown()[:6], strict=True))
        state += ", ..." if len(self.names) > 6 else ""
        if step.failure == "nan":
            row = int(np.argmin(np.isfinite(step.detail)))
            name = self.names[row]
            return NotFiniteError(
                f"the residual of {name} is {step.detail[row]} {where} ({state}). A square root, arcsine or logarithm "
                "may be out of its domain, a length zero, or the motion may run away: look at the motion so far "
                "(error.trajectory) and at the values of parameters.",
                time=self.t,
                coordinate=name,
            )
        if step.failure in ("singular", "mass"):
            kind = "iteration matrix" if step.failure == "singular" else "mass matrix"
            return singular(culprits(step.detail, self.names), self.t, kind, f" ({state})")
        if step.failure == "convergence":
            worst = self.names[int(np.argmax(np.abs(step.detail) / self._weight))]
            return ConvergenceError(
                f"Newton's iteration does not converge {where}, not even with a step of {h:.3g} s ({state}); the worst "
                f"is {worst}. A force may jump with the state (friction, contact): make it smooth, or check its sign "
                "(a spring that pushes away grows without bound).",
                time=self.t,
                coordinate=worst,
            )
        change = np.abs(step.qdd - self.qdd) / self._weight
        worst = self.names[int(np.argmax(change))]
        return StepSizeError(
            f"the tolerance {self.tolerance:g} asks for steps below {h:.3g} s {where} ({state}); the acceleration of "
            f"{worst} changes too fast. If a force jumps in time, give the time in jumps=[...]; otherwise use a larger "
            "tolerance, or look for a motion that runs away.",
            time=self.t,
            coordinate=worst,
        )

    def _shown(self) -> Array:
        return np.where(self.first_order, self.qd, self.q)


def _tiny(t: float) -> float:
    """A time so short that nothing happens in it, but long enough for a condition on t to change."""
    return 8 * float(np.spacing(abs(t))) + 1e-15 * min(1.0, abs(t)) + 1e-300


def default_names(n: int) -> list[str]:
    """Names of unknowns that have none."""
    return [f"q[{j}]" for j in range(n)]


def mask_of(first_order: Any, n: int) -> Array:
    """Truth values (n,) of indices, or of truth values, of first-order states; InputError otherwise."""
    given = np.asarray(first_order)
    mask = np.zeros(n, dtype=bool)
    if given.dtype == bool and given.shape == (n,):
        return given.copy()
    if given.size and (given.dtype.kind not in "iu" or given.min() < -n or given.max() >= n):
        raise InputError(f"first_order is {first_order!r}: expected indices below {n}, or {n} truth values.")
    mask[given.astype(int)] = True
    return mask
