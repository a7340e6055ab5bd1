"""What does JAX bring, on one core of a processor? Many runs of the double pendulum over 5 s, and a gradient of one.

Runs: `system.motion` with fixed steps under jax.jit, an axis of starts, beside `model.study`, sixteen lanes of machine
code on one thread, each run with its own step control, and beside a loop over a stepper. Each takes the coarsest step
(a fifth apart) or tolerance (thirds of a decade) with which no angle at the end of some of the runs is off by more
than 1e-6. Gradient: of the last angle by the four parameters, backwards through the run by jax.grad, beside
`model.sensitivity`. All is warm; the time that XLA needs to compile is told. easydyn's own machine code is on the left:
above 1 it is faster than what goes through JAX.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from time import perf_counter
from typing import Any

import common
import models
import numpy as np
from common import Row
from studies import BOUND, SAMPLE, SECONDS, Ensemble, Warm, by_stepper, chosen, starts

NAME = "accelerators"
QUESTION = "Runs of the double pendulum over 5 s, errors of the final angles of 1e-6 at most, and a gradient; one core"
STEPS = tuple(SECONDS / count for count in (100, 120, 144, 173, 207, 250, 300))
PARAMETERS = ("l1", "l2", "m1", "m2")


def by_jax(jax: Any, step: float) -> Ensemble:
    """An ensemble of runs with fixed steps."""
    system = models.easydyn_model(models.double_pendulum()).compile(target="jax")
    motion = jax.jit(system.motion(SECONDS, step=step))
    return lambda q: np.asarray(motion({}, {"q1": q[:, 0], "q2": q[:, 1]})["q"])[:, -1]


def coarsest(jax: Any, reference: np.ndarray) -> tuple[float, Ensemble, float]:
    """The longest step that is accurate enough; with it, and its error."""
    for step in STEPS:
        ensemble = by_jax(jax, step)
        error = float(np.abs(ensemble(starts(SAMPLE)) - reference).max())
        if error <= BOUND:
            return step, ensemble, error
    raise common.NotPossible("no step is accurate enough")


def compiled_in(jax: Any, step: float, count: int) -> float:
    """How long XLA compiles for so many runs (s)."""
    began = perf_counter()
    by_jax(jax, step)(starts(count))
    return perf_counter() - began


def gradient(jax: Any, step: float, rounds: int) -> Row:
    """Of the last angle by four parameters."""
    from easydyn import examples

    model = examples.double_pendulum()
    motion = model.compile(target="jax").motion(SECONDS, step=step)
    slope = jax.jit(jax.grad(lambda x: motion(dict(zip(PARAMETERS, x)))["q"][-1, 1]))  # noqa: B905
    at = np.array([model.values()[name] for name in PARAMETERS])

    def tangents() -> np.ndarray:
        options = {"method": "dop853", "tolerance": 1e-9, "save_at": [0.0, SECONDS]}
        return model.sensitivity(SECONDS, list(PARAMETERS), **options).q[-1, 1]

    exact = model.sensitivity(SECONDS, list(PARAMETERS), method="dop853", tolerance=1e-13, save_at=[0.0, SECONDS])
    errors = [float(np.abs(np.asarray(x) - exact.q[-1, 1]).max()) for x in (tangents(), slope(at))]
    timing = common.interleave({"mine": tangents, "theirs": lambda: np.asarray(slope(at))}, rounds=rounds)
    return common.compared(
        timing["mine"], timing["theirs"], case="double pendulum", kind="planar", quantity="gradient by 4 parameters",
        peer="JAX, jax.grad", error=errors[0], peer_error=errors[1], more={"step": step},
    )  # fmt: skip


def main() -> None:
    options = common.arguments(__doc__)
    try:
        jax = common.peer("jax", "JAX")
    except common.NotInstalled as why:
        missing = Row("double pendulum", "planar", "one run", peer="JAX", status=f"not installed: {why}")
        common.finish(NAME, QUESTION, [missing], save=False)
        return
    jax.config.update("jax_enable_x64", True)
    count, rounds = (512, 2) if options.quick else (8192, 5)
    rows: list[Row] = []
    with ThreadPoolExecutor(1) as one:
        reference = by_stepper("lobatto", 1e-12)(starts(SAMPLE))
        tolerance, mine, error = chosen(lambda x: Warm(x, one), reference)
        step, theirs, their_error = coarsest(jax, reference)
        q, few = starts(count), starts(256)
        tasks = {"mine": lambda: mine(q), "theirs": lambda: theirs(q)}
        if not options.quick:
            _, loop, loop_error = chosen(partial(by_stepper, "dop853"), reference)
            tasks["loop"] = lambda: loop(few)
        timing = common.interleave(tasks, rounds=rounds)
    more = {"tolerance": tolerance, "step": step, "XLA compiles (s)": compiled_in(jax, step, count)}
    about: dict[str, Any] = {"case": "double pendulum", "kind": "planar", "quantity": "one run"}
    ours, peer = timing["mine"] / len(q), timing["theirs"] / len(q)
    errors = {"error": error, "peer_error": their_error}
    rows.append(common.compared(ours, peer, peer="JAX, jax.jit", more=more, **errors, **about))
    if not options.quick:
        loops = timing["loop"] / len(few)
        rows.append(common.compared(ours, loops, peer="loop over a stepper, dop853", error=error, peer_error=loop_error,
                                    **about))  # fmt: skip
    rows.append(gradient(jax, step, rounds))
    common.finish(NAME, QUESTION, rows, save=options.save)


if __name__ == "__main__":
    main()
