"""A family of methods: the kernels, with their data, that the common loop of all methods calls.

A kernel is called as `s.method.attempt(s, ...)`, `s` being the record of a run: looked up in the family where Python
interprets, put in its place where machine code is made. Numbers of the family are read alike, and are constants there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from easydyn.arguments import answers
from easydyn.sim.run import Run


def keep_nothing(s: Run, h: float) -> None:
    """Of a step that is accepted nothing is kept but its ends."""


def gain_of_step(s: Run, k: int, h: float) -> float:
    """What integral k has gained, by the step itself."""
    return s.integral1[k]


def no_arrays(family: Family, n: int, m: int) -> Mapping[str, int]:
    """No arrays beside those of the loop."""
    return {}


def no_coefficients() -> tuple[float, ...]:
    """None."""
    return ()


@answers
@dataclass(frozen=True)
class Family:
    """Methods that share their kernels; a new one is a file of its own, and needs no place in any other.

    Attributes
    ----------
    name : str
        What the family is called.
    attempt : kernel (s, h, latest, share) -> int
        Try a step of length h (s) from (t, q, qd, qdd): DONE, or what went wrong. Its end is then (q1, qd1, qdd1), its
        rate of error (eq. 22, over h) trial_error. Times beyond `latest` are not evaluated: a jump is there. Iterations
        end when what remains is below `share` of the tolerance; when it is zero (fixed steps) they go on to
        rounding, or to what is small beside the error of the step.
    between : kernel (s, x, h, t)
        The motion at the fraction x of the last step, at time t: q_between, qd_between, qdd_between.
    integral_between : kernel (s, k, x, h) -> float
        The value of integral k there, after the motion.
    gain : kernel (s, k, h) -> float
        What integral k of the run has gained in the step accepted, if it is not integral1 of the attempt; its rates are
        known at both ends (rate0, rate).
    keep : kernel (s, h)
        What else must be known of a step when it is accepted, before the state moves.
    order : int
        Of accuracy (no unit).
    exponent : float
        p (no unit) in the length of the next step: the error per second of a step h is as h^(1/p).
    arrays : callable (family, n, m) -> dict
        Names of arrays of the record that the kernels use beside those of the loop, with their lengths.
    coefficients : callable () -> sequence of float
        The array of that name.
    levels : int
        Lengths of steps for which iteration matrices are kept, beside that of the step itself.
    looks : int
        How many times within a step it is looked at whether an event happens.
    limited : bool
        Fixed steps that are too long for a stiff system make it grow.
    largest_growth : float
        Largest ratio of the lengths of a step and the one before it (no unit).
    explicit : bool
        It asks for accelerations, and has use for a formula of theirs.
    abreast : int
        States whose accelerations are asked for at a time.
    short_steps : bool
        Steps are so short that they draw the motion, and nothing happens twice within one.
    advises : bool
        An attempt leaves the best length of the next step in `advice` (s).
    late : bool
        Accelerations at the end of a step belong to the iteration before the last.
    outside : bool
        Whole runs are made elsewhere; the kernels serve what is evaluated around them.

    Example
    -------
    >>> from dataclasses import replace
    >>> from easydyn.sim import Method, integrate, newmark
    >>> hasty = Method("hasty", family=replace(newmark().family, name="hasty", largest_growth=5.0))
    >>> run = integrate(lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0], t_final=1, method=hasty)
    >>> run.status
    'finished'
    """

    name: str
    attempt: Callable[..., int]
    between: Callable[..., Any]
    integral_between: Callable[..., float]
    order: int
    exponent: float
    gain: Callable[..., float] = field(default_factory=lambda: gain_of_step)
    keep: Callable[..., None] = field(default_factory=lambda: keep_nothing)
    arrays: Callable[[Family, int, int], Mapping[str, int]] = field(default_factory=lambda: no_arrays)
    coefficients: Callable[[], Any] = field(default_factory=lambda: no_coefficients)
    levels: int = 0
    looks: int = 8
    limited: bool = False
    largest_growth: float = 5.0
    explicit: bool = True
    abreast: int = 1
    short_steps: bool = False
    advises: bool = False
    late: bool = False
    outside: bool = False

    def __repr__(self) -> str:
        return f"Family({self.name!r})"

    def __hash__(self) -> int:
        return hash((self.name, self.levels))
