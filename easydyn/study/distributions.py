"""Distributions of a study and their random numbers, which depend on the seed, the name and the run alone.

The random number of a run follows from the seed, the name of the drawn quantity and the index of the run alone. It is
the number of SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014) at the
index of the run, so all blocks, executors and processes draw the same numbers. A value of another distribution is the
inverse of its cumulative distribution at such a number.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.inputs import expect, finite, positive, real_array

_GAMMA = 0x9E3779B97F4A7C15


@answers
@dataclass(frozen=True)
class Uniform:
    """Uniform distribution: all values from `low` to `high` (in the unit of what is drawn) are equally likely.

    Parameters
    ----------
    low, high : float
        The ends, in the unit of what is drawn.

    Raises
    ------
    InputError
        An end is not a number; the range is empty.

    Example
    -------
    >>> Uniform(-1, 1).at(np.array([0.0, 0.25]))
    array([-1. , -0.5])
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        for end in ("low", "high"):
            object.__setattr__(self, end, finite(getattr(self, end), f"{end} of Uniform"))
        if not self.low < self.high:
            raise InputError(f"Uniform({self.low:g}, {self.high:g}) is empty: expected low below high.")

    def at(self, u: np.ndarray) -> np.ndarray:
        """Values (N,), in the unit of what is drawn, below which lie the shares `u` (N,) of all."""
        return self.low + (self.high - self.low) * _shares(u, "Uniform")


@answers
@dataclass(frozen=True)
class Normal:
    """Normal (Gaussian) distribution, by its `mean` and its standard `deviation` (in the unit of what is drawn).

    Parameters
    ----------
    mean, deviation : float
        Mean and standard deviation in the unit of what is drawn; the deviation must be above zero.

    Raises
    ------
    InputError
        A value is not a number; the deviation is not above zero.

    Example
    -------
    >>> Normal(10, 2).at(np.array([0.5]))
    array([10.])
    """

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", finite(self.mean, "mean of Normal"))
        object.__setattr__(self, "deviation", positive(self.deviation, "deviation of Normal"))

    def at(self, u: np.ndarray) -> np.ndarray:
        """Values (N,), in the unit of what is drawn, below which lie the shares `u` (N,) of all."""
        inverse = NormalDist(self.mean, self.deviation).inv_cdf
        return np.array([inverse(x) for x in np.clip(_shares(u, "Normal"), 2**-54, 1 - 2**-53).ravel().tolist()])


def _shares(u: Any, of: str) -> np.ndarray:
    """Shares from 0 to 1; InputError for what is none."""
    found = real_array(u, f"the shares of {of}")
    expect(((found >= 0) & (found <= 1)).all(), f"the shares of {of}", u, "numbers from 0 to 1", "are")
    return found


def is_distribution(value: Any) -> bool:
    """True for Uniform, Normal, and what SciPy calls a frozen distribution (it has `ppf`)."""
    return isinstance(value, Uniform | Normal) or callable(getattr(value, "ppf", None))


def values_at(distribution: Any, u: np.ndarray) -> np.ndarray:
    """Quantiles (N,) of a distribution, in its own unit: the fractions `u` (N,) of all values lie below them."""
    values = distribution.at(u) if isinstance(distribution, Uniform | Normal) else distribution.ppf(u)
    return np.asarray(values, dtype=float)


def uniform_numbers(seed: int, name: str, runs: np.ndarray) -> np.ndarray:
    """Numbers (N,) of the `runs` (N,) for a `seed` and a name: between 0 and 1 (no unit), without the ends."""
    digest = hashlib.sha256(f"{seed}:{name}".encode()).digest()
    z = splitmix(np.uint64(int.from_bytes(digest[:8], "little")), runs)
    return ((z >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53


def splitmix(state: Any, places: np.ndarray) -> np.ndarray:
    """The 64-bit integers that SplitMix64 gives after a `state` (no unit) at these places (N,)."""
    with np.errstate(over="ignore"):
        z = state + (np.asarray(places).astype(np.uint64) + np.uint64(1)) * np.uint64(_GAMMA)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))  # type: ignore[no-any-return]
