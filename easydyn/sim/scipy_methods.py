"""The methods of scipy.integrate, by their names there, on the accelerations."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from easydyn.errors import IntegrationError, StepSizeError
from easydyn.native.record import copy_into
from easydyn.sim import loop
from easydyn.sim.chatter import Chatter
from easydyn.sim.iteration import ROUNDOFF
from easydyn.sim.locate import DECAY, LOOKS, REACH
from easydyn.sim.projection import CLOSED, MOST_CORRECTIONS
from easydyn.sim.records import Records
from easydyn.sim.run import DONE, NOT_FINITE
from easydyn.sim.witnesses import bear_witness

PATIENCE = 5_000  # hopelessly short steps in a row; one in which something was refused counts ten times
MULTISTEP = ("BDF", "LSODA")
MISSING = 10.0  # times the tolerance: h times what an interpolation may miss of the equations
ELSEWHERE = 0.7  # of a step: there they are looked at, too
GAUSS = np.polynomial.legendre.leggauss(4)  # as exact as the best of the interpolations, that of DOP853
ALL_THAT_COUNTS = 1e8  # of scales: of multipliers they are infinite, which implicit methods of SciPy would step by

_Point = tuple[float, np.ndarray]  # t, y
_Instant = tuple[float, np.ndarray, np.ndarray]  # t, y, integrals
_Interpolation = Callable[[float], np.ndarray]


class _System:
    """y = (q, qd), y' = (qd, qdd); the column of q of a first-order state has no meaning: 0."""

    def __init__(self, records: Records, name: str):
        self.stepper, self.r = records.stepper, records.r
        self.n, self.moving = self.r.n, ~self.stepper.first_order
        self.earliest, self.latest = -np.inf, np.inf  # from just after a jump to just before the next
        self.tries = name != "LSODA"  # the others try a shorter step where they find NaN
        self.refused: IntegrationError | None = None  # what was wrong at a point that was tried for the present step
        self.evaluating = False

    def between_jumps(self, begin: float, end: float) -> None:
        """From now on the equations are asked neither at a jump at the beginning nor at one at the end."""
        self.earliest = begin + loop.tiny(begin) if loop.at_jump(self.r, begin) else -np.inf
        self.latest = end - loop.tiny(end) if loop.at_jump(self.r, end) else np.inf

    def __call__(self, t: float, y: np.ndarray) -> np.ndarray:
        """y' at a point that a method tries: the motion may never come there."""
        self.evaluating = True
        answer = self.evaluate(t, y)
        self.evaluating = False
        if answer == DONE:
            return np.concatenate([y[self.n :] * self.moving, self.r.qdd_at])
        self.end_where_it_is()
        self.refused = self.stepper.failure(answer)
        if answer != NOT_FINITE or not self.tries:
            raise self.refused
        return np.full(2 * self.n, np.nan)

    def evaluate(self, t: float, y: np.ndarray) -> int:
        """Accelerations qdd_at, and the rates of integrals."""
        r, n = self.r, self.n
        r.time[0] = min(max(float(t), self.earliest), self.latest)
        copy_into(r.q_at, y[:n])
        copy_into(r.qd_at, y[n:])
        r.residuals += 0 if r.has_accelerations else 1
        return self.stepper.kernels.derivatives(r)

    def closed(self, t: float, y: np.ndarray) -> np.ndarray:
        """The nearest state in which constraints hold."""
        r, n = self.r, self.n
        if not r.has_projection:
            return y
        kept = r.t, np.array(r.q), np.array(r.qd)
        correction = self.stepper.probe(self.stepper.functions.evaluated["projection"], 2 * n)
        r.t, y = t, y.copy()
        for _ in range(MOST_CORRECTIONS):
            copy_into(r.q, y[:n])
            copy_into(r.qd, y[n:])
            change = np.array(correction(t))
            y[:n] += change[:n]
            if not np.abs(change[:n]).max() > CLOSED * (1 + np.abs(y[:n]).max()):
                break
        y[n:] += change[n:]
        r.t = kept[0]
        copy_into(r.q, kept[1])
        copy_into(r.qd, kept[2])
        return y

    def end_where_it_is(self) -> None:
        """Nothing is known of the end of the step that failed: what explains a failure looks there, too."""
        r = self.r
        for end, reached in ((r.q1, r.q), (r.qd1, r.qd), (r.qdd1, r.qdd)):
            copy_into(end, reached)

    def at(self, t: float, y: np.ndarray) -> np.ndarray:
        """Accelerations at a point of the motion."""
        answer = self.evaluate(t, y)
        if answer:
            raise self.stepper.failure(answer)
        return np.array(self.r.qdd_at)

    def of_motion(self, t: float, y: np.ndarray) -> np.ndarray:
        """y' at a point of the motion."""
        return np.concatenate([y[self.n :] * self.moving, self.at(t, y)])

    def integrals(self, begin: float, end: float, between: _Interpolation) -> np.ndarray:
        """What integrals gain along the motion: by Gauss's rule, so that no method looks at their errors."""
        gain = np.zeros(self.r.m)
        for x, weight in zip(*GAUSS, strict=True) if self.r.m and end > begin else ():
            t = begin + (end - begin) * (1 + x) / 2
            self.at(t, between(t))
            gain += (end - begin) / 2 * weight * np.array(self.r.rate)
        return gain

    def set_state(self, t: float, y: np.ndarray, integral: np.ndarray) -> None:
        r, n = self.r, self.n
        y = self.closed(t, y)
        values = {"q": y[:n], "qd": y[n:], "qdd": self.at(t, y), "integral": integral}
        r.t = t
        for name, value in values.items():
            copy_into(getattr(r, name), value)


class _Within:
    """The motion within a step of SciPy's: by its interpolation where that fulfils the equations.

    Else by a run of its own from where the step began: what decays fast is multiplied by the polynomials of explicit
    methods, and Radau interpolates its long steps by cubics. Multistep methods interpolate by what makes their steps.
    """

    def __init__(self, solver: Any, system: _System, start: _Point, between: _Interpolation, new: Any):
        self.system, self.between, self.new = system, between, new
        self.t0, self.y0 = start
        self.h = solver.t - self.t0
        self.tolerances = new.keywords["rtol"], new.keywords["atol"]
        self.fit: bool | None = None  # not yet known

    def __call__(self, t: float) -> np.ndarray:
        if self.fit is None:
            self.fit = self.fulfilled(self.t0 + ELSEWHERE * self.h)
        if self.fit and self.fulfilled(t):
            return self.between(t)
        self.fit = False
        solver = self.new(self.t0, self.y0, t, first_step=t - self.t0)
        while solver.status == "running":
            if _step(solver, self.system)[0] is None:
                return self.between(t)
        return np.array(solver.y)

    def fulfilled(self, t: float) -> bool:
        """True when the interpolation misses so little of the equations at t that its error is within the tolerance."""
        y, moment = self.between(t), 1e-3 * min(self.h, t - self.t0, self.t0 + self.h - t)
        if not moment > 1e-9 * self.h:
            return True  # an end of the step
        slope = (self.between(t + moment) - self.between(t - moment)) / (2 * moment)
        missing = self.h * (self.system.of_motion(t, y) - slope)
        rtol, atol = self.tolerances
        size = atol + rtol * np.abs(y) + ROUNDOFF * self.h / moment * np.abs(y)
        return bool(np.sqrt(np.mean((missing / size) ** 2)) <= MISSING)


@np.errstate(all="ignore")  # what is not finite is told of as an exception
def scipy_run(records: Records, name: str, report: Callable[[float], None]) -> None:
    """From jump to jump, and from stop to stop, to the end; saved instants come from the method's own interpolation."""
    import scipy.integrate

    r, system, agenda = records.r, _System(records, name), records.agenda
    chatter = Chatter(records.stepper, of_scipy=True)
    scale = np.minimum(np.array(r.scale), ALL_THAT_COUNTS)
    atol = r.tolerance * np.concatenate([np.ones(r.n), np.where(scale > 0, scale, 1.0)])
    while r.t < r.end and agenda.stopped is None:
        i = loop.jump_after(r, r.t + loop.tiny(r.t))
        target = min(r.jumps[i] if i < r.number_of_jumps else np.inf, r.next_stop, r.end)
        system.between_jumps(r.t, target)
        y = np.concatenate([r.q, r.qd])
        new = functools.partial(
            getattr(scipy.integrate, name), system, rtol=max(r.tolerance, 2.3e-14), atol=atol, max_step=r.max_step
        )
        solver = new(r.t, y, target)
        if not records.rows and (not r.number_of_instants or r.instants[0] <= r.t):
            _save(records, _rows(records, system, [(r.t, y, np.array(r.integral))]))
        creeping = 0
        while solver.status == "running":
            start = r.t, solver.y
            between, message = _step(solver, system)
            short = solver.t - r.t < loop.HOPELESS * (target - r.t)
            creeping = creeping + (10 if system.refused else 1) if short else 0
            if between is None or creeping > PATIENCE:
                if system.refused is not None:
                    raise system.refused
                worst = records.stepper.names[int(np.argmax(np.abs(r.qdd)))]
                gave_up = StepSizeError(
                    f"SciPy's {name} gave up at t = {r.t:.6g} s: {message or 'its steps became too short'}. The motion "
                    f"may run away, or a force jump with the state (the largest acceleration is that of {worst}): look "
                    "at the motion so far (error.trajectory).",
                    time=r.t,
                    coordinate=worst,
                )
                system.end_where_it_is()
                raise records.stepper.functions.better(records.stepper, gave_up)
            within = between if name in MULTISTEP else _Within(solver, system, start, between, new)
            looked = agenda.events and not r.all_loose
            begin, error = r.t, _on_the_way(records, solver, between) if looked else None
            last, end = begin, solver.t if error is None else error.time
            integral, passed = np.array(r.integral), list[_Instant]()
            while (t := _saved_next(r, end, len(passed))) <= end + 1e-9 * r.save_every:
                integral, last = integral + system.integrals(last, min(t, end), between), min(t, end)
                passed.append((t, within(t) if t < solver.t else solver.y, integral))
            integral = integral + system.integrals(last, end, between)
            rows = _rows(records, system, passed)
            system.set_state(end, between(end) if end < solver.t else solver.y, integral)
            _save(records, rows)
            r.steps += 1
            r.taken = end - begin
            if r.steps >= r.next_witness:
                bear_witness(r)
            records.steps.append(np.array([[end, end - begin, np.nan]]))
            if error is not None:
                raise error
            report((r.t - r.start) / (r.end - r.start))
            system.refused = None
            records.budget.look(agenda)
            chatter.look()
            if agenda.events and _renewed(records):
                break  # and on from there with other coordinates
        stops, jumps = r.next_stop <= r.t < r.end, loop.at_jump(r, r.t)
        before = records.present_row() if stops or jumps else None
        if jumps:
            records.stepper.restart()
        if stops:
            agenda.at_stop()
        if before is not None:
            after = records.present_row()
            after[0] += 3 * loop.tiny(r.t)
            records.seams.append(np.array([before, after]))


def _saved_next(r: Any, end: float, passed: int) -> float:
    """The next instant to be saved, when so many of this step are; every step: its end."""
    if r.save_every == 0:
        return end if not passed else np.inf
    return loop.saved_next(r, r.saved + passed)


def _on_the_way(records: Records, solver: Any, between: Callable[[float], np.ndarray]) -> IntegrationError | None:
    """Of the last step what the run cannot pass, where it is; None where there is nothing."""
    stepper, r, agenda = records.stepper, records.r, records.agenda
    begin, h, m, n = r.t, solver.t - r.t, r.number_of_events, r.n
    r.usual = max(h, DECAY * r.usual)
    values = stepper.probe(stepper.functions.evaluated["events"], m + r.number_of_edges)
    reach, kept = REACH * r.usual / LOOKS, [np.array(x) for x in (r.q, r.qd)]

    def look(t: float) -> np.ndarray:
        r.t, y = t, between(t)
        copy_into(r.q, y[:n])
        copy_into(r.qd, y[n:])
        g = np.array(values(t))
        g[m - r.number_of_edges : m] += reach * g[m:]
        return g[:m]

    def crossed(before: np.ndarray, now: np.ndarray, e: int) -> bool:
        if agenda.events[e].direction:
            return not now[e] >= 0
        return bool(before[e] * now[e] < 0)

    r.taken = h
    last, seen = begin, look(begin)
    found: IntegrationError | None = None
    for t in begin + h * np.arange(1, LOOKS + 1) / LOOKS:
        now = look(t)
        for e in range(m):
            if not agenda.events[e].loose and crossed(seen, now, e):
                low, high = last, t
                while low < (middle := (low + high) / 2) < high:
                    low, high = (low, middle) if crossed(seen, look(middle), e) else (middle, high)
                look(low)
                found = agenda.events[e].ends(stepper)  # type: ignore[misc]
                if found is not None:
                    break
        if found is not None:
            break
        last, seen = t, now
    r.t = begin
    copy_into(r.q, kept[0])
    copy_into(r.qd, kept[1])
    return found


def _renewed(records: Records) -> bool:
    """After a step: what need not be located happens, if it is due; True if so."""
    stepper, r, agenda = records.stepper, records.r, records.agenda
    if not any(event.loose for event in agenda.events) or r.t >= r.end:
        return False
    g = stepper.probe(stepper.functions.evaluated["events"], r.number_of_events + r.number_of_edges)()
    due = [event.loose and event.direction * value > 0 for event, value in zip(agenda.events, g, strict=False)]
    if any(due):
        copy_into(r.fired, np.array(due, dtype=float))
        agenda.at_event(r.end)
    return any(due)


def _step(solver: Any, system: _System) -> tuple[Any, str | None]:
    """One step of SciPy's: the interpolation in it, or None, and what SciPy says."""
    try:
        message = solver.step()
        return (solver.dense_output() if solver.status != "failed" else None), message and message.rstrip(".")
    except ValueError as error:  # of the linear algebra of SciPy, where numbers are not finite
        if system.evaluating:
            raise  # of the equations
        return None, str(error)


def _rows(records: Records, system: _System, instants: list[_Instant]) -> list[np.ndarray]:
    def held(t: float) -> list[float]:
        return [records.stepper.value_of(k, t) for k in range(records.r.number_of_held)]

    there = [(t, system.closed(t, y), integral) for t, y, integral in instants]
    return [np.concatenate([[t], y, system.at(t, y), integral, held(t)]) for t, y, integral in there]


def _save(records: Records, rows: list[np.ndarray]) -> None:
    if rows:
        records.rows.append(np.array(rows))
        records.r.saved += len(rows)
