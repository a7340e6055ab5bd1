"""The motion that a run has made: arrays and facts, from which nothing is computed here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from easydyn.arguments import Attributes, answers
from easydyn.errors import UnknownNameError

ROUNDING = 1e-12  # smaller changes at an event are not shown


@answers
class Named:
    """A small frozen record, by attribute and by key."""

    def __getitem__(self, key: str) -> Any:
        if key not in self.keys():
            raise UnknownNameError(f"no {key!r} here: expected one of {', '.join(self)}.")
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dataclass_fields__)  # type: ignore[attr-defined]

    def keys(self) -> list[str]:
        """Names of the entries."""
        return list(self)


@dataclass(frozen=True)
class Statistics(Named):
    """The cost of a run: accepted steps, rejected steps, iterations, iteration matrices, residuals, seconds; method."""

    steps: int = 0
    rejected: int = 0
    newton_iterations: int = 0
    jacobians: int = 0
    residuals: int = 0
    seconds: float = 0.0
    method: str = ""


@dataclass(frozen=True, eq=False)
class Steps(Named):
    """The accepted steps: time at the end (s), length h (s), rate of error (the error of eq. 22 divided by h)."""

    t: np.ndarray
    h: np.ndarray
    error: np.ndarray

    def __len__(self) -> int:
        return len(self.t)


@dataclass(frozen=True)
class Happening(Attributes):
    """Something that happened during a run.

    Attributes
    ----------
    t : float
        When (s).
    name : str
        The name of the event, or of what happened otherwise.
    what : str
        A sentence with more detail, or empty.
    before, after : dict
        The values that changed, by name, just before and just after.

    Example
    -------
    >>> Happening(0.5, "bounce", before={"y.dot": -4.9}, after={"y.dot": 2.45})
    t = 0.5 s: bounce, y.dot -4.9 -> 2.45
    """

    t: float
    name: str
    what: str = ""
    before: dict[str, float] = field(default_factory=dict)
    after: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        pairs = ((name, self.before[name], value) for name, value in self.after.items())
        changed = "".join(f", {name} {x:.6g} -> {y:.6g}" for name, x, y in pairs if abs(x - y) > ROUNDING)
        return f"t = {self.t:.9g} s: {self.name}{': ' + self.what if self.what else ''}{changed}"

    @classmethod
    def of(cls, entry: Any) -> Happening:
        """The Happening of an `entry`, a dictionary made by `dataclasses.asdict`; the entry is checked."""
        before, after = ({str(k): float(v) for k, v in entry[side].items()} for side in ("before", "after"))
        return cls(float(entry["t"]), str(entry["name"]), str(entry["what"]), before, after)


@dataclass(eq=False)
class Motion:
    """What a run has made so far: N instants of n unknowns, as a Trajectory has them, which documents the fields."""

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    names: tuple[str, ...]
    steps: Steps
    stats: Statistics
    first_order: np.ndarray
    status: str = "finished"
    message: str = ""
    integrals: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    held: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    held_names: tuple[str, ...] = ()
    events: tuple[Happening, ...] = ()
