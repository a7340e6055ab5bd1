"""Which of many cases a test takes: seeds that are kept in seeds.toml, or new ones where somebody explores.

No run of the tests depends on luck: they take the seeds of seeds.toml, and no others. `python start.py explore` takes
new ones, and prints those that fail; a seed that failed joins the kept ones in the commit that cures it. A test that
fails has its seed in its name.
"""

import os
import tomllib
import zlib
from pathlib import Path

import pytest

OF_LONG = 8  # one in so many of what is left out at every change is `long`, the others are `nightly`
KEPT = Path(__file__).parent / "seeds.toml"


def seeds(kind):
    """The seeds of a kind of random case, for `parametrize`: those of seeds.toml, some of them `long` or `nightly`.

    EASYDYN_EXPLORE="1000 20" takes 20 new ones from 1000 on in their place.
    """
    marks = [pytest.mark.chance(kind)]
    if "EASYDYN_EXPLORE" in os.environ:
        begin, count = map(int, os.environ["EASYDYN_EXPLORE"].split())
        return [pytest.param(seed, marks=marks) for seed in range(begin, begin + count)]
    kept = tomllib.loads(KEPT.read_text(encoding="utf-8"))[kind]
    long = kept.get("long", {"first": 0, "count": 0})
    later = range(long["first"], long["first"] + long["count"])
    return [
        *(pytest.param(seed, marks=marks) for seed in [*kept["seeds"], *kept.get("cured", [])]),
        *(pytest.param(seed, marks=[*marks, pytest.mark.long]) for seed in kept.get("cured_long", [])),
        *(pytest.param(seed, marks=[*marks, pytest.mark.nightly if k % OF_LONG else pytest.mark.long])
          for k, seed in enumerate(x for x in later if x not in [*kept["seeds"], *kept.get("cured_long", [])])),
    ]


def first(count, cases):
    """So many of the cases in every run of the tests; the others are marked `long`, for .ci/run."""
    cases = list(cases)
    return [*cases[:count], *(pytest.param(case, marks=pytest.mark.long) for case in cases[count:])]


def one_in(count, names):
    """One in so many of these names, at least one: the same at every run and in every test that has these variants, and
    not every k-th, so that all kinds of a product of parameters come."""
    ordered = sorted(names, key=lambda name: zlib.crc32(name.encode()))
    return set(ordered[: -(-len(ordered) // count)])
