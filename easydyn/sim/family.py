"""A family of methods: the kernels, with their data, that the common loop of all methods calls.

A kernel is called as `s.method.attempt(s, ...)`, where `s` is the record of a run. Python looks the kernel up in the
family; the compiler of machine code inserts it at the place of the call. The numbers of a family are read in the same
way, and are constants in machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from easydyn.arguments import answers
from easydyn.sim.run import Run


def keep_nothing(s: Run, h: float) -> None:
    """Keep nothing of an accepted step but its ends."""


def gain_of_step(s: Run, k: int, h: float) -> float:
    """The gain of integral k in the step, as the attempt computed it."""
    return s.integral1[k]


def nothing_missed(s: Run, k: int, h: float) -> float:
    """No error of integrals is known."""
    return 0.0


def no_arrays(family: Family, n: int, m: int) -> Mapping[str, int]:
    """No arrays beside those of the loop."""
    return {}


def no_coefficients() -> tuple[float, ...]:
    """None."""
    return ()


@answers
@dataclass(frozen=True)
class Family:
    """Methods of integration that share their kernels. A new family is one file, and no other file has to change.

    Attributes
    ----------
    name : str
        What the family is called.
    attempt : kernel (s, h, latest, share) -> int
        Tries a step of length h (s) from (t, q, qd, qdd), and returns DONE or the kind of failure. The end of the step
        is then in (q1, qd1, qdd1), and its rate of error (eq. 22, divided by h) in trial_error. Nothing is evaluated at
        times after `latest`, because a jump may be there. Iterations end when the remaining correction is below the
        share `share` of the tolerance; if `share` is zero (fixed steps), they go on to rounding, or until the
        correction is small in comparison with the error of the step. An attempt that finds the length of its step
        itself stores it in `own_step`: at most h, and h exactly if `share` is zero.
    between : kernel (s, x, h, t) -> int
        The motion at the fraction x of the last step, at time t: q_between, qd_between, qdd_between. Returns DONE, or
        the kind of failure where the equations have no accelerations there.
    integral_between : kernel (s, k, x, h) -> float
        The value of integral k at the same instant, after the motion is known there.
    gain : kernel (s, k, h) -> float
        The gain of integral k of the run in the accepted step, if it differs from integral1 of the attempt. The rates
        of the integral at both ends are in rate0 and rate.
    missed : kernel (s, k, h) -> float
        How large the error of that gain may be, where the accepted step shows it.
    keep : kernel (s, h)
        Stores what else is needed of a step. It is called when the step is accepted, before the state changes.
    order : int
        The order of accuracy (no unit).
    exponent : float
        The exponent p (no unit) in the rule for the next step: the error per second of a step h grows as h^(1/p).
    arrays : callable (family, n, m) -> dict
        Names and lengths of the arrays in the record that these kernels need in addition to those of the loop.
    coefficients : callable () -> sequence of float
        The numbers of the array `coefficients` in the record.
    levels : int
        Number of partial steps, each with an iteration matrix of its own, in addition to that of the whole step.
    limited : bool
        True if the motion of a stiff system grows without limit when fixed steps are too long.
    largest_growth : float
        Largest ratio of the lengths of a step and the one before it (no unit).
    explicit : bool
        True if the method evaluates accelerations, so that a formula for them makes it faster.
    abreast : int
        Number of states whose accelerations are evaluated at a time.
    short_steps : bool
        True if steps are short: lines between their ends show the motion, and no event happens twice in a step.
    advises : bool
        True if an attempt writes the best length of the next step into `advice` (s).
    late : bool
        True if the accelerations at the end of a step belong to the last iteration but one.
    own_steps : bool
        True if an attempt finds the length of its step itself, so that its error is within the tolerance.
    outer : callable, optional
        `outer(stepper)` returns an object that makes steps outside of the kernels, such as the solver of another
        program. Kernels call it by `s.outer()`, which it puts into the record (sim/scipy_methods.py).

    Example
    -------
    >>> from dataclasses import replace
    >>> from easydyn import integrate
    >>> from easydyn.sim import Method, newmark
    >>> hasty = Method("hasty", family=replace(newmark().family, name="hasty", largest_growth=5.0))
    >>> run = integrate(lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0], t_final=1, method=hasty)
    >>> run.status
    'finished'
    """

    name: str
    attempt: Callable[..., int]
    between: Callable[..., int]
    integral_between: Callable[..., float]
    order: int
    exponent: float
    gain: Callable[..., float] = field(default_factory=lambda: gain_of_step)
    missed: Callable[..., float] = field(default_factory=lambda: nothing_missed)
    keep: Callable[..., None] = field(default_factory=lambda: keep_nothing)
    arrays: Callable[[Family, int, int], Mapping[str, int]] = field(default_factory=lambda: no_arrays)
    coefficients: Callable[[], Any] = field(default_factory=lambda: no_coefficients)
    levels: int = 0
    limited: bool = False
    largest_growth: float = 5.0
    explicit: bool = True
    abreast: int = 1
    short_steps: bool = False
    advises: bool = False
    late: bool = False
    own_steps: bool = False
    outer: Callable[..., Any] | None = None

    def __repr__(self) -> str:
        return f"Family({self.name!r})"

    def __hash__(self) -> int:
        return hash((self.name, self.levels))
