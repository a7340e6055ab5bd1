"""What is outside of easydyn fails: a process is killed, the disk is full, a home is read-only, threads share a model.

Results are those of every day. (What becomes of files that are saved is tested in test_files.py.)
"""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from targets import SCHEMES, TARGETS

from easydyn import Model, Spring, ground, tdisp, trotx, trotz

ROOT = Path(__file__).resolve().parent.parent


def script(text, *words, **environment):
    """A process of its own that runs the text; what is None in the environment is not there."""
    known = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg", **environment}
    return subprocess.Popen(
        [sys.executable, "-c", text, *map(str, words)],
        env={key: value for key, value in known.items() if value is not None},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


RUNS = """
import sys
from easydyn import Model, tdisp, trotz
model = Model("pendulum", gravity=(0, -9.81, 0))
q1, q2 = model.coordinates("q1 q2", initial=(0, 1))
model.body("upper", trotz(q1) * tdisp(0, -0.5, 0), mass=1, inertia=(1, 1, 0.1))
model.body("lower", trotz(q1) * tdisp(0, -1, 0) * trotz(q2) * tdisp(0, -0.5, 0), mass=1, inertia=(1, 1, 0.1))
print("ready", flush=True)
print(model.simulate(0.5, save_every=0.1).q[-1].tobytes().hex(), flush=True)
"""


def result(process):
    said, complaint = process.communicate(timeout=120)
    assert process.returncode == 0, complaint
    return said.splitlines()[-1]


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    return result(script(RUNS, EASYDYN_CACHE="off"))


@pytest.mark.long
def test_a_process_that_is_killed_leaves_a_cache_that_is_sound(usual, tmp_path):
    """While it keeps its machine code on disk."""
    for delay in (0.1, 0.3, 0.5):
        process = script(RUNS, EASYDYN_CACHE=str(tmp_path / "cache"))
        with process:
            assert process.stdout.readline() == "ready\n", process.stderr.read()
            time.sleep(delay)
            process.kill()
    for _ in range(2):  # some is read, some is made; then all is read
        assert result(script(RUNS, EASYDYN_CACHE=str(tmp_path / "cache"))) == usual


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_a_disk_that_is_full_for_the_cache(usual, tmp_path):
    """No file may become longer than 100 bytes: every one that is begun stops in the middle."""
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n" + RUNS
    for _ in range(2):
        assert result(script(limited, EASYDYN_CACHE=str(tmp_path))) == usual
        assert not list(tmp_path.iterdir())


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder in which not even root can write")
def test_a_home_that_is_read_only(usual):
    """Nor can matplotlib write there, which says so itself where it is loaded; nothing here loads it."""
    home = {"HOME": "/proc/self", "XDG_CACHE_HOME": None, "EASYDYN_CACHE": None}
    assert result(script(RUNS, **home)) == usual


def lively():
    """New, so that nothing of it has been derived yet."""
    model = Model("two", gravity=(0, -9.81, 0))
    a, b = model.coordinates("a b", initial=(0.3, -0.4))
    k, l = model.parameters(k=30, l=0.6)
    arm = model.body("arm", trotz(a) * tdisp(0, -l, 0), mass=1.5, inertia=(0.1, 0.2, 0.3))
    tip = model.body("tip", arm.T * trotx(b) * tdisp(0, -0.5, 0), mass=0.7, inertia=(0.1, 0.1, 0.2))
    model.add(Spring(tip, (ground, (1, 0, 0)), stiffness=k, free_length=0.2))
    return model


@pytest.mark.long
def test_threads_share_a_model_that_nobody_has_used_yet():
    """All begin at once: each derives, compiles and runs with parameters of its own, by all schemes and targets."""
    jobs = [
        {"method": method, "target": target, "scheme": scheme, "parameters": {"k": 20 + 5 * n}}
        for n, (target, scheme) in enumerate((target, scheme) for target in TARGETS for scheme in SCHEMES)
        for method in ("newmark", "dop853")
    ]
    model, found, begin = lively(), {}, threading.Barrier(len(jobs))

    def work(number):
        begin.wait(60)
        found[number] = model.simulate(0.2, save_every=0.05, **jobs[number])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(jobs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    alone = lively()
    for number, job in enumerate(jobs):
        expected = alone.simulate(0.2, save_every=0.05, **job)
        assert np.array_equal(found[number].q, expected.q) and np.array_equal(found[number].qdd, expected.qdd), job
        assert found[number].stats.steps == expected.stats.steps
