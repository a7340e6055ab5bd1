"""What users wait for once: CPU time of what no other script measures.

    python benchmarks/waits.py

A *warm first run* is the first of a process whose machine code, and bytecode, an earlier process has kept; the model is
declared before. Each is the least of three processes. Films are written by worker processes, whose time is counted too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from easydyn import Model, examples, tdisp, trotz

HERE = Path(__file__).resolve().parent
PROCESSES, CALLS, RUNS = 3, 50, 2000


def spent() -> float:
    """The CPU time (s) of this process, and of those that it has started and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def hexapod() -> Model:
    """A platform on six struts of two parts."""
    sys.path.append(str(HERE.parent / "tests"))
    from mechanisms.hexapod import hexapod

    return hexapod()[0]


def four_bar() -> Model:
    """A crank, a coupler, a rocker."""
    model = Model("four-bar", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(1.0, 0.5, 1.5))
    pin, tensor = trotz(a) * tdisp(0.5, 0, 0), (0, 0, 0.1)
    model.body("crank", trotz(a) * tdisp(0.25, 0, 0), mass=1, inertia=tensor)
    coupler = model.body("coupler", pin * trotz(b) * tdisp(0.5, 0, 0), mass=1, inertia=tensor)
    rocker = model.body("rocker", tdisp(1.2, 0, 0) * trotz(c) * tdisp(0.45, 0, 0), mass=1, inertia=tensor)
    model.close((coupler, (0.5, 0, 0)), (rocker, (0.45, 0, 0)), joint="revolute")
    return model


MODELS: dict[str, Callable[[], Model]] = {"hexapod": hexapod, "robot_r3": examples.robot_r3, "four_bar": four_bar}


def first(name: str, what: str) -> float:
    """The CPU time (s) of the first call of a method, `what`, in this process."""
    model, arguments = MODELS[name](), (0.1,) if what == "simulate" else ()
    begin = spent()
    getattr(model, what)(*arguments)
    return spent() - begin


def warm(name: str, what: str, cache: str) -> float:
    """The least CPU time (s) of a first call in processes whose machine code is in a folder."""
    command = [sys.executable, __file__, name, what]
    environment = os.environ | {"EASYDYN_CACHE": cache, "PYTHONPYCACHEPREFIX": cache, "PYTHONDONTWRITEBYTECODE": ""}
    found = [float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
             for _ in range(1 + PROCESSES)]  # fmt: skip
    return min(found[1:])


def least(call: Callable[[int], Any], calls: int = CALLS) -> float:
    """The least CPU time (s) of a call with the numbers 0, 1, 2, ..."""
    found = []
    for k in range(calls):
        begin = process_time()
        call(k)
        found.append(process_time() - begin)
    return min(found)


def film() -> float:
    """The CPU time (s) of a GIF of 5 s, of two rods."""
    run = examples.double_pendulum().simulate(5, save_every=0.02)
    with tempfile.TemporaryDirectory() as folder:
        begin = spent()
        run.animate().save(Path(folder) / "film.gif")
        return spent() - begin


def main() -> None:
    with tempfile.TemporaryDirectory() as cache:
        for name, what in (("hexapod", "simulate"), ("robot_r3", "simulate"), ("robot_r3", "equilibrium")):
            print(f"{f'{name}.{what}, warm first call':44} {1e3 * warm(name, what, cache):9.1f} ms", flush=True)
    model = four_bar()
    model.assemble()
    angles = np.linspace(0.8, 1.2, CALLS)
    each = least(lambda k: model.assemble(initial={"a": float(angles[k])}))
    print(f"{'a four-bar assembled at another angle':44} {1e3 * each:9.2f} ms")
    study = model.study(1e-3, over={"a": np.linspace(0.8, 1.2, RUNS).tolist()}, keep={"b": "b"})
    study.batch.ready()
    each = least(lambda k: study.run(), 5) / RUNS
    print(f"{'the same in a study, with its run of 1 ms':44} {1e3 * each:9.2f} ms")
    print(f"{'a GIF of 5 s':44} {film():9.2f} s")


if __name__ == "__main__":
    if sys.argv[1:]:
        print(first(*sys.argv[1:3]))
    else:
        main()
