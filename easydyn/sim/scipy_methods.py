"""SciPy's solvers as a family of methods: a step is one step of the solver, on y = (q, qd) with y' = (qd, qdd).

The kernels here only ask: the solver itself is an object of Python, the `Solver` of a run, which they call as
`s.outer()`. What a step leaves (its end, what integrals gain in it) stands in the record then, as after any attempt.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import numpy as np

from easydyn.errors import EasyDynError, IntegrationError, StepSizeError
from easydyn.native.record import copy_into
from easydyn.sim import loop
from easydyn.sim.family import Family
from easydyn.sim.iteration import ROUNDOFF
from easydyn.sim.run import DONE, NOT_FINITE, OUTSIDE, Run

STEP, EXACT, BETWEEN, INTEGRALS = 0, 1, 2, 3  # what is asked for
PATIENCE = 5_000  # hopelessly short steps in a row; one in which something was refused counts ten times
MULTISTEP = ("BDF", "LSODA")
MISSING = 10.0  # times the tolerance: h times what an interpolation may miss of the equations
ELSEWHERE = 0.7  # of a step: there they are looked at, too
GAUSS = np.polynomial.legendre.leggauss(4)  # as exact as the best of the interpolations, that of DOP853
ALL_THAT_COUNTS = 1e8  # of scales: of multipliers they are infinite, which implicit methods of SciPy would step by


def ask(s: Run, what: int, h: float, time: float) -> int:
    """Ask the solver for something, with a length (s) and a time (s)."""
    s.asked = what
    s.own_step = h
    s.moment = time
    s.answer = OUTSIDE
    s.outer()
    return s.answer


def one_step(s: Run, h: float, latest: float, share: float) -> int:
    """A step of the solver's length, at most h; of h exactly, in as many steps as it takes, where `share` is zero."""
    return ask(s, STEP if share > 0 else EXACT, h, latest)


def between(s: Run, x: float, h: float, t: float) -> int:
    """The motion at time t (s) within the last step."""
    return ask(s, BETWEEN, h, t)


def integral_between(s: Run, k: int, x: float, h: float) -> float:
    """Integral k at the fraction x of the last step."""
    if k == 0:
        ask(s, INTEGRALS, h, s.t0 + x * h)
    return s.integral0[k] + s.stage_rate[k]


class Solver:
    """The solver of one run; it goes on as long as the run is where it has left it.

    y is not projected: the solver goes on from where it is itself. The column of q of a first-order state is constant.
    """

    def __init__(self, stepper: Any):
        import scipy.integrate

        self.name = stepper.method.name.partition(":")[2]
        self.make = getattr(scipy.integrate, self.name)
        self.stepper, self.r = stepper, stepper.run
        r: Any = self.r
        self.n, self.places = r.n, (r.q_at, r.qd_at)
        self.moving = ~stepper.first_order if r.has_states else None
        self.solver: Any = None
        self.pieces: list[tuple[float, Any]] = []  # of the last step, each with its end
        self.start = r.t, np.zeros(0)  # of that step
        self.fit: bool | None = None  # its interpolation fulfils the equations; not yet known
        self.earliest, self.latest = -np.inf, np.inf  # from just after a jump to just before the next
        self.creeping = 0
        self.refused: IntegrationError | None = None  # what was wrong at a point that was tried for the present step
        self.error: BaseException | None = None  # of a call by machine code, which knows no exceptions
        if stepper.functions.native:
            called = ctypes.CFUNCTYPE(None)(self._caught)
            r.outer = SimpleNamespace(address=ctypes.cast(called, ctypes.c_void_p).value, keep=called)
        else:
            r.outer = self.act

    def _caught(self) -> None:
        try:
            if self.error is None:
                self.act()
        except BaseException as error:
            self.error = error

    def tell(self, answer: int) -> None:
        """Raise what was caught while machine code ran."""
        lost = KeyboardInterrupt() if answer == OUTSIDE else None  # it came before anything could be caught
        refused, self.error = self.error or lost, None
        if refused is not None:
            raise refused

    @np.errstate(all="ignore")  # what is not finite is told of as an exception
    def act(self) -> None:
        """Do what the kernels ask for."""
        r = self.r
        if r.asked == BETWEEN:
            self.put_between(r.moment)
        elif r.asked == INTEGRALS:
            copy_into(r.stage_rate, self.integrals(r.t0, r.moment))
        else:
            self.step(r.t + r.own_step, exact=r.asked == EXACT)
        r.answer = DONE

    # -- the equations ------------------------------------------------------------------------------------------------

    def evaluate(self, t: float, y: np.ndarray) -> int:
        """Accelerations qdd_at, and the rates of integrals rate0."""
        r, n = self.r, self.n
        r.time[0] = min(max(float(t), self.earliest), self.latest)
        copy_into(self.places[0], y[:n])
        copy_into(self.places[1], y[n:])
        return self.stepper.kernels.derivatives(r)

    def slope(self, y: np.ndarray) -> np.ndarray:
        """y', where the equations have just been evaluated."""
        return np.concatenate((y[self.n :] if self.moving is None else y[self.n :] * self.moving, self.r.qdd_at))

    def trial_slope(self, t: float, y: np.ndarray) -> np.ndarray:
        """y' at a point that a method tries: the motion may never come there."""
        answer = self.evaluate(t, y)
        if answer == DONE:
            return self.slope(y)
        self.end_where_it_is()
        self.refused = self.stepper.failure(answer)
        if answer != NOT_FINITE or self.name == "LSODA":  # the others try a shorter step where they find NaN
            raise self.refused
        return np.full(2 * self.n, np.nan)

    def of_motion(self, t: float, y: np.ndarray) -> np.ndarray:
        """y' at a point of the motion."""
        answer = self.evaluate(t, y)
        if answer != DONE:
            raise self.stepper.failure(answer)
        return self.slope(y)

    def end_where_it_is(self) -> None:
        """Nothing is known of the end of the step that failed: what explains a failure looks there, too."""
        r = self.r
        for end, reached in ((r.q1, r.q), (r.qd1, r.qd), (r.qdd1, r.qdd)):
            copy_into(end, reached)

    # -- a step -------------------------------------------------------------------------------------------------------

    def new(self, start: tuple[float, np.ndarray], bound: float, **options: Any) -> Any:
        """A solver that begins at (t, y)."""
        r = self.r
        scale = np.minimum(np.array(r.scale), ALL_THAT_COUNTS)
        atol = r.tolerance * np.concatenate([np.ones(r.n), np.where(scale > 0, scale, 1.0)])
        rtol = max(r.tolerance, 2.3e-14)
        return self.make(self.trial_slope, *start, bound, rtol=rtol, atol=atol, max_step=r.max_step, **options)

    def goes_on(self, bound: float) -> bool:
        """True if the solver can go on to a time (s)."""
        r, solver, near = self.r, self.solver, loop.tiny(bound)
        if solver is None or not r.has_slope or abs(r.t - solver.t) > near:
            return False
        return self.name != "LSODA" or abs(bound - solver.t_bound) <= near  # which keeps its bound to itself

    def step(self, bound: float, exact: bool) -> None:
        """One step towards a time (s), or as many as it takes to be there."""
        r = self.r
        self.latest = r.moment
        solver, pieces = self.solver, list[tuple[float, Any]]()
        if exact and self.knows(bound):  # an event within the last step, which a new beginning would miss
            self._end(bound, y := self.at(bound), self.of_motion(bound, y))
            return
        begun = exact or not self.goes_on(bound)
        if begun:
            self.earliest = r.t + loop.tiny(r.t) if loop.at_jump(r, r.t) else -np.inf
            start = r.t, np.concatenate([r.q, r.qd])
            solver = self.new(start, bound, **({"first_step": bound - r.t} if exact else {}))
        start, solver.status, self.begun = (r.t, solver.y), "running", begun and self.name in MULTISTEP
        if self.name != "LSODA":
            solver.t_bound = bound
        self._forward(solver, bound)
        while exact:
            pieces.append((solver.t, solver.dense_output()))
            if solver.status != "running":
                break
            self._forward(solver, bound)
        self.solver, self.pieces, self.start = solver, pieces, start
        self.fit = True if self.name in MULTISTEP else None
        self._end(solver.t, solver.y, solver.f if hasattr(solver, "f") else self.of_motion(solver.t, solver.y))
        if solver.status == "running":
            r.own_step = float(solver.t) - r.t

    def _end(self, t: float, y: np.ndarray, slope: np.ndarray) -> None:
        """End a step at t (s), with y and y'."""
        r, n = self.r, self.n
        for end, reached in ((r.q1, y[:n]), (r.qd1, y[n:]), (r.qdd1, slope[n:])):
            copy_into(end, reached)
        r.trial_error = np.nan
        if r.m:
            copy_into(r.integral1, self.integrals(r.t, t))

    def knows(self, t: float) -> bool:
        """True where t (s) is within the last step of a multistep method, and the run has gone back to its start."""
        r, (begin, y) = self.r, self.start
        there = self.name in MULTISTEP and begin == r.t < t < (begin if self.solver is None else self.solver.t)
        return there and np.array_equal([*r.q, *r.qd], y) and np.array_equal(self.of_motion(r.t, y)[self.n :], r.qdd)

    def _forward(self, solver: Any, bound: float) -> None:
        """One step of the solver's."""
        before = solver.t
        try:
            message = solver.step()
        except EasyDynError:
            raise  # of the equations
        except ValueError as error:  # of the linear algebra of SciPy, where numbers are not finite
            message = str(error)
        short = solver.t - before < loop.HOPELESS * (bound - before)
        self.creeping = self.creeping + (10 if self.refused else 1) if short else 0
        if solver.t > before and self.creeping <= PATIENCE:
            self.refused = None
            return
        if self.refused is not None:
            raise self.refused
        stepper, r = self.stepper, self.r
        worst = stepper.names[int(np.argmax(np.abs(r.qdd)))]
        gave_up = StepSizeError(
            f"SciPy's {self.name} gave up at t = {r.t:.6g} s: {(message or 'its steps became too short').rstrip('.')}. "
            "The motion may run away, or a force jump with the state (the largest acceleration is that of "
            f"{worst}): look at the motion so far (error.trajectory).",
            time=r.t,
            coordinate=worst,
        )
        self.end_where_it_is()
        raise stepper.functions.better(stepper, gave_up)

    # -- within a step ------------------------------------------------------------------------------------------------

    def first(self) -> Any:
        """The motion in the first step of a multistep method, whose own interpolation takes a hop for a fall."""
        from scipy.interpolate import BPoly

        t, n = [self.start[0], self.solver.t], self.n
        y = [(y, self.of_motion(t, y)) for t, y in zip(t, (self.start[1], self.solver.y), strict=True)]
        place = BPoly.from_derivatives(t, [(x[:n], slope[:n], slope[n:]) for x, slope in y])
        speed = BPoly.from_derivatives(t, [(x[n:], slope[n:]) for x, slope in y])
        return lambda x: np.concatenate([place(x), speed(x)])

    def at(self, t: float) -> np.ndarray:
        """y within the last step by the interpolation of the solver."""
        if not self.pieces:
            self.pieces.append((self.solver.t, self.first() if self.begun else self.solver.dense_output()))
        return next((piece for end, piece in self.pieces[:-1] if t <= end), self.pieces[-1][1])(t)

    def put_between(self, t: float) -> None:
        """The motion within the last step: by its interpolation where that fulfils the equations.

        Else by a run of its own from where the step began: what decays fast is multiplied by the polynomials of
        explicit methods, and Radau interpolates its long steps by cubics. Multistep methods interpolate by what makes
        their steps.
        """
        r, y, begin = self.r, self.at(t), self.start[0]
        if self.fit is None:
            middle = begin + ELSEWHERE * (r.t - begin)
            self.fit = self.fulfilled(middle, self.at(middle))
        self.fit = self.fit and self.fulfilled(t, y)
        if not self.fit and t > begin:
            with suppress(IntegrationError):  # else the interpolation has to do
                solver = self.new(self.start, t, first_step=t - begin)
                while solver.status == "running":
                    self._forward(solver, t)
                y = solver.y
            self.of_motion(t, y)
        copy_into(r.q_between, y[: self.n])
        copy_into(r.qd_between, y[self.n :])
        copy_into(r.qdd_between, r.qdd_at)

    def fulfilled(self, t: float, y: np.ndarray) -> bool:
        """True when the interpolation misses so little of the equations at t that its error is within the tolerance.

        The accelerations there are evaluated.
        """
        begin, end = self.start[0], self.r.t
        h, wanted = end - begin, self.of_motion(t, y)
        moment = 1e-3 * min(h, t - begin, end - t)
        if self.name in MULTISTEP or not moment > 1e-9 * h:
            return True  # an end of the step
        missing = h * (wanted - (self.at(t + moment) - self.at(t - moment)) / (2 * moment))
        rtol, atol = self.solver.rtol, self.solver.atol
        size = atol + rtol * np.abs(y) + ROUNDOFF * h / moment * np.abs(y)
        return bool(np.sqrt(np.mean((missing / size) ** 2)) <= MISSING)

    def integrals(self, begin: float, end: float) -> np.ndarray:
        """What integrals gain along the motion: by Gauss's rule, so that no method looks at their errors."""
        gain = np.zeros(self.r.m)
        for x, weight in zip(*GAUSS, strict=True):
            t = begin + (end - begin) * (1 + x) / 2
            self.of_motion(t, self.at(t))
            gain += (end - begin) / 2 * weight * np.array(self.r.rate0)
        return gain


def _arrays(family: Family, n: int, m: int) -> Mapping[str, int]:
    return {"stage_rate": m}


SCIPY = Family(
    "SciPy", attempt=one_step, between=between, integral_between=integral_between, order=8, exponent=1 / 7,
    arrays=_arrays, own_steps=True, outer=Solver,
)  # fmt: skip
