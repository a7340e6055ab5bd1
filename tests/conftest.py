"""What the tests share: random numbers that are the same every time, and reference data.

Reference data lives in tests/data, one file a problem, as JSON or as CSV with a header line. A file says where its
numbers come from: JSON under the key "source", CSV in a first line that begins with #. Pictures of the player are PNG,
and test_player_pictures.py says how they were made.
"""

import json
import os
import signal
import sys
from math import inf
from pathlib import Path

import numpy as np
import pytest
from chance import OF_LONG, one_in

DATA = Path(__file__).parent / "data"

pytest.register_assert_rewrite("mistakes")  # so that it says, as a test file does, what the two sides were

# Machine code that the tests make stays in the checkout.
os.environ.setdefault("EASYDYN_CACHE", str(Path(__file__).parent.parent / ".pytest_cache" / "easydyn"))

# A shell starts what it leaves in the background deaf to Ctrl-C; the tests of interruptions press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# EASYDYN_HIDE="llvmlite numba" runs the tests as if these packages were not installed.
for _package in os.environ.get("EASYDYN_HIDE", "").split():
    sys.modules[_package] = None


@pytest.hookimpl(tryfirst=True)  # before `-m "not long"` is looked at
def pytest_collection_modifyitems(config, items):
    """What is left out where there is no machine code, and which variants are `long` or `nightly`, as `one_in` asks:
    of long tests, one in so many stays long."""
    from easydyn.native.machine import available

    if not available():
        _leave_out_native(config, items)
    alike = {}
    for item in items:
        if asked := item.get_closest_marker("one_in"):
            long = item.get_closest_marker("long") is not None
            alike.setdefault((item.nodeid.partition("[")[0], *asked.args, long), []).append(item)
    for (_, count, is_long), variants in alike.items():
        names = {item.callspec.id for item in variants}
        kept = one_in(count, names)
        long = set() if is_long else one_in(OF_LONG, names - kept)
        for item in variants:
            if (name := item.callspec.id) not in kept:
                item.own_markers = [mark for mark in item.own_markers if mark.name != "long"]
                item.add_marker(pytest.mark.long if name in long else pytest.mark.nightly)
    if (share := int(os.environ.get("EASYDYN_SHARE", "1"))) > 1:
        _leave_out_most(config, items, share)


def _leave_out_most(config, items, share):
    """EASYDYN_SHARE=4 takes one test in four of each file, the same every time."""
    files = {}
    for item in items:
        if not {"long", "nightly", "browser"} & {mark.name for mark in item.iter_markers()}:
            files.setdefault(item.path, set()).add(item.nodeid)
    kept = set().union(*(one_in(share, names) for names in files.values()))
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in kept])
    items[:] = [item for item in items if item.nodeid in kept]


def _leave_out_native(config, items):
    """What asks for machine code by a parameter: the other targets are tested."""
    def asks(item):
        given = getattr(getattr(item, "callspec", None), "params", {}).values()
        return any(isinstance(x, str) and x == "native" for x in given)

    native = [item for item in items if asks(item)]
    for item in native:
        items.remove(item)
    config.hook.pytest_deselected(items=native)


@pytest.fixture(autouse=True)
def no_run_is_made_again(request, monkeypatch):
    """A doubtful run of closed forms is not made again by multipliers, which would hide what is wrong with it."""
    if "easydyn" in sys.modules and not request.node.get_closest_marker("made_again"):
        from easydyn.run import simulation

        monkeypatch.setattr(simulation, "AGAIN", False)


@pytest.fixture(autouse=True)
def short_tests_leave_kernels_as_they_are_first_compiled(request, monkeypatch):
    """Those of long runs are compiled again and well, for seconds: in `long` tests, and where the test is of that."""
    if "easydyn" in sys.modules and not request.node.get_closest_marker("long"):
        from easydyn.sim import kernels

        monkeypatch.setattr(kernels, "WORK", inf)
        monkeypatch.setattr(kernels, "RUNS", inf)


@pytest.fixture
def rng():
    """A generator of random numbers, started alike for every test: what fails once fails again."""
    return np.random.default_rng(20260101)


@pytest.fixture(scope="session")
def reference():
    """`reference("name.json")` is what that file of tests/data holds; `reference("name.csv")` a dict of columns."""

    def read(name):
        path = DATA / name
        if not path.exists():
            there = sorted(str(file.relative_to(DATA)) for file in DATA.rglob("*.*"))
            pytest.fail(f"no reference data {name!r} in tests/data; there are: {', '.join(there) or 'none'}")
        if path.suffix == ".json":
            return json.loads(path.read_text(encoding="utf-8"))
        if path.suffix == ".csv":
            lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
            columns = np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]]).T
            return dict(zip([title.strip() for title in lines[0].split(",")], columns, strict=True))
        pytest.fail(f"reference data is .json or .csv, and {name!r} is neither")

    return read


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """Models in good order, on which the mistakes of a file are made; a file that needs others has its own `bench`."""
    from mistakes import Bench

    return Bench(tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="module")
def motion(bench):
    """Where the model of the bench goes when nothing was done to it."""
    from mistakes import moved

    return bench and moved(bench.model)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A real browser, for the tests of a file; they are left out where there is none."""
    from browser import Browser, program

    if program() is None:
        pytest.skip("no Chromium is installed: nothing is tested in a browser")
    with Browser(tmp_path_factory.mktemp("browser")) as started:
        yield started
