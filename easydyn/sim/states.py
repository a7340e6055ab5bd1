"""States copied, put back, interpolated (kernels)."""

from __future__ import annotations

from easydyn.native.record import INTERPRETED, Array
from easydyn.sim.run import Run


def squared(x: float) -> float:
    """x to the power of two; infinite beyond all numbers, where Python's own power is an exception."""
    return x * x


def copy(source: Array, target: Array, n: int) -> None:
    for i in range(n):
        target[i] = source[i]


def fill(target: Array, n: int, value: float) -> None:
    for i in range(n):
        target[i] = value


def point_at(s: Run, q: Array, qd: Array, qdd: Array) -> None:
    """Make a state the point at which functions are evaluated."""
    for i in range(s.n):
        s.q_at[i], s.qd_at[i], s.qdd_at[i] = q[i], qd[i], qdd[i]


def read(s: Run, place: float) -> float:
    """What stands at a `place`, counted from q (of lists, in Python, a number of `scattered`)."""
    if INTERPRETED:
        array, k = s.scattered[int(place)]
        return array[k]  # type: ignore[no-any-return]
    return s.q[int(place)]


def write(s: Run, place: float, value: float) -> None:
    """Put a value there."""
    if INTERPRETED:
        array, k = s.scattered[int(place)]
        array[k] = value
        return
    s.q[int(place)] = value


def back_to_kept(s: Run) -> None:
    """The state reached, after a step that was tried."""
    s.t = s.kept_t
    for i in range(s.n):
        s.q[i], s.qd[i], s.qdd[i], s.slope[i] = s.kept_q[i], s.kept_qd[i], s.kept_qdd[i], s.kept_slope[i]
    copy(s.kept_rate, s.rate, s.m)
    s.moving = 0


def cubic(x: float, h: float, y0: float, d0: float, y1: float, d1: float) -> float:
    """Cubic through (y0, d0) and (y1, d1) at the fraction x of an interval h (Hermite)."""
    u = 1 - x
    return u * u * ((1 + 2 * x) * y0 + x * h * d0) + x * x * ((1 + 2 * u) * y1 - u * h * d1)
