"""Parts of the result of a run: statistics, steps, events, energies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from easydyn.arguments import Attributes, answers
from easydyn.errors import UnknownNameError


@answers
class _Record:
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
class Statistics(_Record):
    """The cost of a run: accepted steps, rejected steps, iterations, iteration matrices, residuals, seconds."""

    steps: int = 0
    rejected: int = 0
    newton_iterations: int = 0
    jacobians: int = 0
    residuals: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Steps(_Record):
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
        changed = "".join(f", {name} {self.before[name]:.6g} -> {value:.6g}" for name, value in self.after.items())
        return f"t = {self.t:.9g} s: {self.name}{': ' + self.what if self.what else ''}{changed}"

    @classmethod
    def of(cls, entry: Any) -> Happening:
        """The Happening of an `entry`, a dictionary made by `dataclasses.asdict`; the entry is checked."""
        before, after = ({str(k): float(v) for k, v in entry[side].items()} for side in ("before", "after"))
        return cls(float(entry["t"]), str(entry["name"]), str(entry["what"]), before, after)


@dataclass(frozen=True, eq=False)
class Energy(_Record):
    """Energies along a run (J), arrays (N,).

    `potential` is the energy of gravity and springs, `total` the sum of `kinetic` and `potential`. `work` is the work
    that all other efforts (forces, dampers, drives) have done on the system since the start. `balance` is total - work;
    it is constant except for the error of integration.
    """

    kinetic: np.ndarray
    potential: np.ndarray
    total: np.ndarray
    work: np.ndarray
    balance: np.ndarray

    def __repr__(self) -> str:
        ends = ", ".join(f"{name} {self[name][0]:.6g} to {self[name][-1]:.6g}" for name in self)
        return f"Energy({ends}; balance within {np.ptp(self.balance):.3g} J)"
