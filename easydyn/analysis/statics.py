"""Solve F(x) = 0 for an equilibrium, a stable one if there is one near: relaxation, then Newton's method.

A body in the air above a spring that only pushes has no stiffness, so Newton's method has no direction. The relaxation
lets the body fall, with inertia but without momentum. Each step is a step of Euler's implicit method, from rest,

    F(x + dx, dx / h) + D dx / H = 0        H = h^2 for coordinates, h for first-order states

where the second argument is the rate of the coordinates, and D is dF/d(acceleration), the mass matrix. h grows as long
as the steps succeed, so the method changes from a slow descent to Newton's method. -D^-1 F points in the direction in
which the system would accelerate, and h stays so short that no unstable direction is reversed. So the motion leaves
unstable equilibria and ends in stable ones. A system that has not come to rest after PATIENCE steps (such as a long
chain that falls far in short steps) keeps its momentum from then on; the momentum is removed whenever the motion goes
uphill.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.analysis.spectrum import regular

STEPS = 2000  # of the relaxation: few are the rule, stiff contacts of long chains may take hundreds
FAR = 1e8  # beside the scale of an unknown: it runs away
PATIENCE = 100  # steps without momentum, and those in which a search has to get on
REST = 1e-9  # accelerations (m/s2, rad/s2) that are none
NO_STIFFNESS = 1e-11  # singular value beside the largest, rows and columns scaled
KICK, KICKS = 1e-3, 5  # off an unstable equilibrium: how far, and how often


@dataclass(frozen=True)
class Problem:
    """F(x, rates) and its derivatives: J by x, C by the rates, D by accelerations (of states by their rates).

    `order` is 2 for coordinates, 1 for states; `reach` is the longest step of each unknown.
    """

    forces: Callable[[np.ndarray, np.ndarray], np.ndarray]
    derivative: Callable[[str, np.ndarray, np.ndarray], np.ndarray]  # "J", "C", "D"
    order: np.ndarray
    reach: np.ndarray

    def residual(self, x: np.ndarray) -> np.ndarray:
        """F at rest."""
        return self.forces(x, np.zeros(len(x)))

    def inertia(self, x: np.ndarray) -> np.ndarray:
        """D at rest."""
        return self.derivative("D", x, np.zeros(len(x)))

    def jacobian(self, x: np.ndarray, rates: np.ndarray | None = None) -> np.ndarray:
        """J, with differences where it is not finite (the root of a pressure difference that has become zero)."""
        v = np.zeros(len(x)) if rates is None else rates
        J = self.derivative("J", x, v)
        for j in np.flatnonzero(~np.all(np.isfinite(J), axis=0)):
            e = np.zeros(len(x))
            e[j] = 1e-7 * max(1.0, abs(x[j]))
            J[:, j] = (self.forces(x + e, v) - self.forces(x - e, v)) / (2 * e[j])
        return J


@dataclass(frozen=True)
class Rest:
    """The end of the search: x, whether F is zero there, the last step, and the number of steps."""

    x: np.ndarray
    found: bool
    last: np.ndarray
    steps: int
    runaway: bool = False


def scale_of(x: np.ndarray) -> np.ndarray:
    """The size with which a change of each unknown is compared."""
    return np.maximum(1.0, np.abs(x))


def _scaled(J: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """J with rows and columns scaled, and both scales."""
    columns = scale_of(x)
    rows = np.abs(J * columns).max(axis=1, initial=0)
    rows = np.where(rows > 0, rows, 1.0)
    return J * columns / rows[:, None], rows, columns


def newton_step(J: np.ndarray, f: np.ndarray, x: np.ndarray, D: np.ndarray) -> np.ndarray:
    """dx with J dx = -f in the directions that have stiffness; in the others D keeps it at rest."""
    scaled, rows, columns = _scaled(J, x)
    U, values, V = np.linalg.svd(scaled)
    stiff = values > NO_STIFFNESS * max(values.max(initial=0), 1e-300)
    step = -columns * (V[stiff].T @ ((U[:, stiff].T @ (f / rows)) / values[stiff]))
    free = V[~stiff].T * columns[:, None]
    weight = free.T @ D @ free
    if len(weight) and regular(weight) and np.abs(D - D.T).max() <= 1e-12 * np.abs(D).max():
        step -= free @ np.linalg.solve(weight, free.T @ D @ step)
    return step


def free_directions(J: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Directions (n, k) in which no force arises: the null space of the stiffness matrix."""
    scaled, _, columns = _scaled(J, x)
    _, values, V = np.linalg.svd(scaled)
    free = values <= NO_STIFFNESS * max(values.max(initial=0), 1e-300)
    return V[free].T * columns[:, None]


def negligible(problem: Problem, x: np.ndarray, f: np.ndarray, J: np.ndarray) -> bool:
    """True when F is zero to rounding, or too small to move anything noticeably."""
    scale = scale_of(x)
    D = np.abs(problem.inertia(x)) @ np.where(problem.order == 2, 1.0, scale)
    return bool(np.all(np.abs(f) <= REST * D + 1e-13 * (np.abs(J) @ scale)))


def polish(problem: Problem, x: np.ndarray, reach: Any = np.inf) -> np.ndarray | None:
    """Newton's method to full accuracy, if it converges quickly and goes no farther than `reach`; else None."""
    start, before = x, np.inf
    for iteration in range(30):
        f, J = problem.residual(x), problem.jacobian(x)
        if not (np.all(np.isfinite(f)) and np.all(np.isfinite(J))):
            return None
        step = newton_step(J, f, x, problem.inertia(x))
        size = float(np.max(np.abs(step) / scale_of(x), initial=0))
        if size <= 1e-16 or (size < 1e-9 and size > 0.5 * before):
            return x if negligible(problem, x, f, J) else None
        if size > before * (0.25 if iteration == 1 else 0.7):
            return None
        x, before = x + step, size
        if np.any(np.abs(x - start) > reach):
            return None
    return None


def unstable(problem: Problem, x: np.ndarray, J: np.ndarray) -> tuple[float, np.ndarray | None]:
    """The growth (1/s^2, 1/s) of the relaxation in the most unstable direction at x, and this direction; or 0, None."""
    D = problem.inertia(x)
    if not len(x) or not regular(D) or not np.all(np.isfinite(J)):
        return 0.0, None
    values, vectors = np.linalg.eig(np.linalg.solve(D, J))
    worst = int(np.argmin(values.real))
    if values[worst].real >= -1e-10 * np.abs(values).max():
        return 0.0, None
    return float(-values[worst].real), np.real(vectors[:, worst])


def relax(problem: Problem, x: np.ndarray, report: Callable[[float], None]) -> Rest:
    """The equilibrium that is reached from x; `found` is False where there is none. Told what share is done."""
    start, there = x.copy(), x + np.inf
    last: np.ndarray = np.zeros(len(x))
    f, J = problem.residual(x), problem.jacobian(x)
    if negligible(problem, x, f, J) and np.all(np.abs(newton_step(J, f, x, problem.inertia(x))) <= 1e-9 * scale_of(x)):
        return Rest(_better(polish(problem, x), x), True, last, 0)
    h, kicks, moved = _first_step(problem, x, f), 0, True
    v: np.ndarray = np.zeros(len(x))  # rates of the coordinates
    for count in range(1, STEPS + 1):
        report(count / STEPS)
        if count % PATIENCE == 0:
            if np.all(np.abs(x - there) <= 1e-6 * scale_of(x)):  # to and fro across a force that jumps
                break
            there = x
        if moved:
            speed, direction = unstable(problem, x, J)
            if direction is None:
                end = polish(problem, x, problem.reach)
                if end is not None and not unstable(problem, end, problem.jacobian(end))[0]:
                    return Rest(end, True, last, count)
            elif negligible(problem, x, f, J):
                if kicks == KICKS:
                    return Rest(_better(polish(problem, x), x), True, last, count)
                kicks += 1
                x = x + KICK * kicks * direction / np.max(np.abs(direction) / scale_of(x))
        if speed:
            h = min(h, np.sqrt(0.5 / speed), *([0.5 / speed] if np.any(problem.order == 1) else []))
        step, iterations = _implicit_step(problem, x, v, h)
        too_far = 0.0 if step is None else float(np.max(np.abs(step) / problem.reach))
        moved = step is not None and too_far <= 1
        if step is None or not moved:
            h *= 0.25 if step is None else max(0.25, 0.8 / np.sqrt(too_far))
            v = np.zeros(len(x)) if h < 1e-6 else v
            if h < 1e-12:
                break
            continue
        x, last = x + step, step
        f, J = problem.residual(x), problem.jacobian(x)
        v = np.where(problem.order == 2, step / h, 0.0)
        if count < PATIENCE or f @ v > 0:  # uphill the momentum is taken away
            v = np.zeros(len(x))
        h *= 4 if iterations <= 4 else 2
        if np.any(np.abs(x - start) > np.minimum(FAR * scale_of(start), 200 * problem.reach)):
            return Rest(x, False, last, count, runaway=True)
    for guess in (x, start):
        end = _least_squares(problem, guess)
        if end is not None:
            return Rest(end, True, last, count)
    return Rest(x, False, last, count, runaway=bool(np.any(np.abs(x - start) > 2 * np.pi * problem.reach)))


def _better(polished: np.ndarray | None, x: np.ndarray) -> np.ndarray:
    return x if polished is None else polished


def _first_step(problem: Problem, x: np.ndarray, f: np.ndarray) -> float:
    """A step that moves coordinates by some centimetres or degrees, states by a tenth."""
    D = problem.inertia(x)
    if not regular(D):
        return 0.1
    rates = np.abs(np.linalg.solve(D, f)) + 1e-300
    room = np.where(problem.order == 2, 0.05, 0.1 * scale_of(x))
    return float(min(np.min(np.where(problem.order == 2, np.sqrt(room / rates), room / rates)), 1.0))


def _implicit_step(problem: Problem, x: np.ndarray, v: np.ndarray, h: float) -> tuple[np.ndarray | None, int]:
    """dx of Euler's step, by Newton's method: contacts close and open on the way, so it may go astray."""
    inertia = problem.inertia(x) / np.where(problem.order == 2, h * h, h)
    scale, step, sizes = scale_of(x), h * v, [np.inf]
    for iteration in range(1, 13):
        g = problem.forces(x + step, step / h) + inertia @ (step - h * v)
        J = problem.jacobian(x + step, step / h) + problem.derivative("C", x + step, step / h) / h + inertia
        if not (np.all(np.isfinite(g)) and np.all(np.isfinite(J)) and regular(J)):
            return None, iteration
        change = -np.linalg.solve(J, g)
        step = step + change
        size = float(np.max(np.abs(change) / scale))
        if size <= 1e-6 * np.max(np.abs(step) / scale) or size <= 1e-15:
            return step, iteration
        if iteration > 4 and size > 0.9 * max(sizes[-3:]):
            break
        sizes.append(size)
    return None, iteration


def _least_squares(problem: Problem, x: np.ndarray) -> np.ndarray | None:
    """Levenberg's and Marquardt's method: an equilibrium of any kind, or None."""
    from scipy.optimize import least_squares

    try:
        found = least_squares(problem.residual, x, problem.jacobian, method="lm", x_scale=scale_of(x))
    except ValueError:  # not finite
        return None
    return polish(problem, found.x)
