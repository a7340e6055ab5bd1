"""How do work, time and memory grow with the number of bodies?

Planar and spatial chains up to 200 bodies, each size in a process of its own with EASYDYN_CACHE=off: operations of one
residual, time to derive them, time to compile them, time of one residual in a batch, time of one step of Newmark's
method, and the peak memory of the whole process, from imports to the end of the simulation. Of chains of 400 and 800
links, CPU time: to derive and evaluate one residual, of the first run, of one step.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from time import perf_counter, process_time
from typing import Any

import common
import models

NAME = "growth"
QUESTION = "Growth with the number of bodies: operations, times, peak memory"
SIZES = (2, 5, 10, 20, 50, 100, 200)
LONG = (400, 800)  # links of chains of which CPU time is told
QUANTITY, CPU = "the whole way", "CPU time"
MEMORY = 500.0  # MB for deriving, compiling and simulating the largest
TIMES = ("derive", "compile", "residual", "step")


def peak_memory() -> float:
    """The most memory (MB) that this process has had; NaN where the system does not say."""
    try:
        import resource
    except ImportError:
        return math.nan
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def measure(kind: str, n: int, target: str) -> dict[str, Any]:
    """The figures of one size; in a process that has done nothing else."""

    import numpy as np

    import easydyn  # noqa: F401

    arm = (models.planar_chain if kind == "planar" else models.spatial_chain)(n)
    began = perf_counter()
    model = arm.model()
    counts = model.operations()
    derived = perf_counter()
    system = model.compile(target=target)
    q, qd, qdd = models.random_states(arm, 1000)
    one = system.residual(0, q[0], qd[0], qdd[0])
    compiled = perf_counter()
    many = system.residual(0, q, qd, qdd)
    assert np.abs(many[0] - one).max() <= 1e-9 * np.abs(one).max()
    batch = common.interleave({"batch": lambda: system.residual(0, q, qd, qdd)}, rounds=5)["batch"]

    end = 1.0 if n <= 50 else 0.1  # long enough for what is done once in a run not to matter

    def run() -> Any:
        return model.simulate(end, save_every=end, target=target)

    started = perf_counter()
    steps = run().stats.steps
    first = perf_counter() - started
    seconds = []
    while len(seconds) < 3:
        started = perf_counter()
        run()
        seconds.append(perf_counter() - started)
    return {
        "target": system.target,
        "operations": counts["mul"] + counts["add"],
        "derive": derived - began,
        "compile": compiled - derived,
        "residual": batch.median / len(q),
        "first run": first,
        "step": statistics.median(seconds) / steps,
        "memory (MB)": peak_memory(),
    }


def processor(n: int) -> dict[str, float]:
    """CPU time (s) of a planar chain: to derive and evaluate one residual, of the first run, and of a step."""
    models.planar_chain(2).model().simulate(0.01)  # what is loaded once is not counted
    model = models.planar_chain(n).model()
    found = []

    def spent(what: Callable[[], Any]) -> Any:
        began = process_time()
        result = what()
        found.append(process_time() - began)
        return result

    spent(lambda: model.compile().residual(0, *[[0.1] * n] * 3))
    steps = [spent(lambda end=end: model.simulate(end, save_every=end)).stats.steps for end in (0.1, 0.1, 0.2)]
    return {"derive": found[0], "first run": found[1], "step": (found[3] - found[2]) / (steps[2] - steps[1])}


def in_a_process(kind: str, n: int, target: str) -> dict[str, Any]:
    """The same, in a new process."""
    words = [sys.executable, __file__, "--target", target, "--kind", kind, "--bodies", str(n)]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "EASYDYN_CACHE": "off"})
    if done.returncode:
        raise RuntimeError(f"{kind} chain of {n}: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def size_row(kind: str, n: int, target: str, repetitions: int) -> common.Row:
    """Medians over some processes; the greatest of the memories."""
    found = [in_a_process(kind, n, target) for _ in range(repetitions)]
    more = {key: statistics.median(f[key] for f in found) for key in (*TIMES, "first run")}
    return common.Row(
        f"{kind} chain of {n}", kind, QUANTITY, ours=f"easydyn {found[0]['target']}", seconds=more["residual"],
        more={"operations": found[0]["operations"], **more, "memory (MB)": max(f["memory (MB)"] for f in found)},
    )  # fmt: skip


def exponents(small: common.Row, large: common.Row, factor: float) -> dict[str, float]:
    """p for which each quantity grows as n to the power p."""
    return {
        key: math.log(large.more[key] / small.more[key]) / math.log(factor)
        for key in ("operations", *TIMES, "memory (MB)")
    }


def table(rows: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """The figures of some sizes in columns, for the screen and for table.py."""
    head = ["chain", "operations", "derive", "compile", "one residual", "one step", "peak memory"]
    lines = []
    for row in rows:
        more = row["more"]
        if row["quantity"] == QUANTITY:
            times = [common.seconds_text(more[key]) for key in TIMES]
            lines.append([row["case"], str(more["operations"]), *times, f"{more['memory (MB)']:.0f} MB"])
        elif row["quantity"] == CPU:
            lines.append([row["case"], "CPU time", *(common.seconds_text(more.get(key)) for key in TIMES), ""])
        else:
            powers = [f"n^{more[key]:.1f}" for key in ("operations", *TIMES, "memory (MB)")]
            lines.append([row["case"], *powers])
    return [head, *lines]


def main() -> None:
    """Measure, print, save."""
    options = common.arguments(__doc__, kind={}, bodies={"type": int})
    if options.kind:
        whole = options.kind != "processor"
        print(json.dumps(measure(options.kind, options.bodies, options.target) if whole else processor(options.bodies)))
        return
    sizes, repetitions = ((2, 4), 1) if options.quick else (SIZES, 3)
    rows = []
    for kind in ("planar",) if options.quick else ("planar", "spatial"):
        of_kind = [size_row(kind, n, options.target, repetitions) for n in sizes]
        rows += of_kind
        small, large = of_kind[-2:]
        powers = exponents(small, large, sizes[-1] / sizes[-2])
        rows.append(
            common.Row(
                f"{kind} chain, {sizes[-2]} to {sizes[-1]}",
                kind,
                "power of n",
                status="exponents",
                more=powers,
                ours=large.ours,
            )  # fmt: skip
        )
        if large.more["memory (MB)"] > MEMORY:
            print(f"{large.case}: {large.more['memory (MB)']:.0f} MB, more than {MEMORY:.0f}", file=sys.stderr)
    for n in () if options.quick else LONG:
        found = in_a_process("processor", n, options.target)
        rows.append(common.Row(f"planar chain of {n}", "planar", CPU, ours="easydyn", more=found))
    common.finish(NAME, QUESTION, rows, save=options.save)
    print(f"\n{common.text_table(table([asdict(row) for row in rows]))}")


if __name__ == "__main__":
    main()
