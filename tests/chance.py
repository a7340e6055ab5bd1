"""Which of many cases a test takes: seeds that change every week; a few at once, and all where there is time.

A test that fails has its seed in its name; EASYDYN_SEED=<seed> in the environment repeats it on any day.
"""

import datetime
import os
import zlib

import pytest


def weekly(count, fixed=(), day=None):
    """The fixed seeds, and so many of this week's; or the one that EASYDYN_SEED names, alone."""
    if "EASYDYN_SEED" in os.environ:
        return [int(os.environ["EASYDYN_SEED"])]
    year, week, _ = (day or datetime.date.today()).isocalendar()
    return [*fixed, *((100 * year + week) * 1000 + k for k in range(count))]


def first(count, cases):
    """So many of the cases in every run of the tests; the others are marked `long`, for .ci/run."""
    cases = list(cases)
    return [*cases[:count], *(pytest.param(case, marks=pytest.mark.long) for case in cases[count:])]


def one_in(count, names):
    """One in so many of these names, at least one: the same at every run and in every test that has these variants, and
    not every k-th, so that all kinds of a product of parameters come."""
    ordered = sorted(names, key=lambda name: zlib.crc32(name.encode()))
    return set(ordered[: -(-len(ordered) // count)])
