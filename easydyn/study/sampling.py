"""Places of the runs of a study in the unit cube of the drawn quantities: random, in strata, or even.

    "random"             each run for itself (distributions.py): as many as one likes, more of them later
    "latin hypercube"    one run in each of N strata of each name (M. D. McKay and others, Technometrics 21, 1979)
    "sobol"              Sobol's sequence, scrambled by Owen: evenly in all names at once; powers of two

The error of a mean over N runs goes with 1/sqrt(N) for random places, and with about 1/N for even ones. SciPy's `qmc`
makes the last two; they follow from the seed, the number of runs and the number of names alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.errors import InputError
from easydyn.inputs import among, expect

CHANCE, STRATA, EVEN, PAIRS = "random", "latin hypercube", "sobol", "pairs"
WAYS = (CHANCE, STRATA, EVEN)
MOST_SHARES = 100_000_000  # numbers that are kept


def sampled(sampling: Any, samples: int, names: int) -> str:
    """The name of a known method for these numbers of runs and names; InputError for any other."""
    expect(among(sampling, WAYS), "sampling", sampling, f"one of {', '.join(map(repr, WAYS))}")
    if sampling != CHANCE and not names:
        raise InputError(
            f"sampling is {sampling!r}, and nothing in over is drawn: give distributions, or leave it out."
        )
    if sampling != CHANCE and samples * names > MOST_SHARES:
        raise InputError(f"sampling {sampling!r} keeps {samples * names:g} numbers: expected at most {MOST_SHARES:g}.")
    if sampling == EVEN:
        check_power(samples, "samples")
    return str(sampling)


def check_power(samples: int, what: str) -> None:
    """Raise InputError for a number of runs with which Sobol's sequence is not even."""
    if samples & (samples - 1):
        near = 2 ** round(np.log2(samples))
        raise InputError(
            f"{what} is {samples}: expected a power of two, such as {near}, with which Sobol's sequence is even."
        )


def shares_of(way: str, seed: int, samples: int, names: int) -> np.ndarray:
    """Place of each run (samples, names), between 0 and 1, without the ends."""
    from scipy.stats import qmc

    if way == STRATA:
        found = _made(qmc.LatinHypercube, names, seed).random(samples)
    elif way == EVEN:
        found = _made(qmc.Sobol, names, seed).random_base2(samples.bit_length() - 1)
    else:
        base = samples // (names + 2)
        both = _made(qmc.Sobol, 2 * names, seed).random_base2(base.bit_length() - 1)
        a, b = both[:, :names], both[:, names:]
        mixed = [np.where(np.arange(names) == j, b, a) for j in range(names)]
        found = np.concatenate([a, b, *mixed])
    return np.clip(found, 2.0**-54, 1 - 2.0**-53)


def _made(kind: Any, names: int, seed: int) -> Any:
    try:
        return kind(names, rng=np.random.default_rng(seed))
    except TypeError:  # SciPy before 1.15
        return kind(names, seed=np.random.default_rng(seed))
