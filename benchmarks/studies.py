"""How many runs a second, one core: the double pendulum over 5 s from different starts, the state at the end kept?

`model.study` beside a loop over `stepper.reset(q=...)`, `stepper.advance(5)`, and beside heyoka: its ensembles, one run
after the other and eight abreast, and its batches in a loop. All have the same bodies and the same starts, within 1 rad
of hanging down. Each takes the loosest tolerance, thirds of a decade apart, with which no angle at the end of some of
the runs is off by more than 1e-6; the reference is heyoka's at 1e-15. All is warm. Besides: what two threads and two
processes gain, a plain `pool.map` of tasks of one's own, the memory of the whole, and what a run takes of models with
events, jumps in time, states, contacts, friction and loops, beside `model.simulate` by the same method.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from time import perf_counter
from typing import Any

import common
import models
import numpy as np
import peers
from common import Row
from runs import tolerances

NAME = "studies"
QUESTION = "Runs of the double pendulum over 5 s, errors of the final angles of 1e-6 at most: time of one run, one core"
SECONDS, BOUND = 5.0, 1e-6
SAMPLE = 64  # runs by which a tolerance is chosen
SEED = 20

Ensemble = Callable[[np.ndarray], np.ndarray]  # angles at the start (N, 2) to those at the end (N, 2)


def starts(count: int) -> np.ndarray:
    """Angles (N, 2) at the start; there is no velocity."""
    return np.random.default_rng(SEED).uniform(-1, 1, (count, 2))


class Warm:
    """A study that has been prepared, sent over other starts."""

    def __init__(self, tolerance: float, executor: Executor | None):
        self.tolerance, self.executor = tolerance, executor
        self.model = models.easydyn_model(models.double_pendulum())

    def __call__(self, q: np.ndarray) -> np.ndarray:
        study = self.model.study(
            SECONDS, over={("q1", "q2"): q}, tolerance=self.tolerance, max_step=SECONDS, block=max(256, len(q) // 64)
        )
        result = study.run(self.executor)
        return np.stack([result["q1 end"], result["q2 end"]], axis=1)


def by_stepper(method: str, tolerance: float) -> Ensemble:
    """The loop that a study replaces."""
    stepper = models.easydyn_model(models.double_pendulum()).stepper(method=method, tolerance=tolerance)

    def run(q: np.ndarray) -> np.ndarray:
        found = np.empty(q.shape)
        for k, start in enumerate(q):
            stepper.reset(q=start)
            stepper.advance(SECONDS)
            found[k] = stepper.q
        return found

    return run


def by_heyoka(tolerance: float) -> Ensemble:
    """heyoka's ensemble, one thread, a run after the other."""
    hy = common.peer("heyoka")
    hy.set_nthreads(1)
    taylor = hy.taylor_adaptive(peers.heyoka_equations(models.double_pendulum()), np.zeros(4), tol=tolerance)

    def run(q: np.ndarray) -> np.ndarray:
        def start(one: Any, i: int) -> Any:
            one.state[:2] = q[i]
            return one

        found = hy.ensemble_propagate_until(taylor, SECONDS, len(q), start, algorithm="thread", max_workers=1)
        return np.array([one[0].state[:2] for one in found])

    return run


def by_heyoka_abreast(tolerance: float) -> Ensemble:
    """The same, eight runs abreast; where one ends it waits for the others."""
    hy = common.peer("heyoka")
    hy.set_nthreads(1)
    equations = peers.heyoka_equations(models.double_pendulum())
    taylor = hy.taylor_adaptive_batch(equations, np.zeros((4, 8)), tol=tolerance)

    def run(q: np.ndarray) -> np.ndarray:
        groups = q.reshape(-1, 8, 2)

        def start(one: Any, i: int) -> Any:
            one.state[:2] = groups[i].T
            return one

        found = hy.ensemble_propagate_until_batch(
            taylor, SECONDS, len(groups), start, algorithm="thread", max_workers=1
        )
        return np.concatenate([one[0].state[:2].T for one in found])

    return run


def by_heyoka_in_a_loop(tolerance: float) -> Ensemble:
    """Eight runs abreast, one integrator used again and again: without the copies that its ensembles make."""
    hy = common.peer("heyoka")
    equations = peers.heyoka_equations(models.double_pendulum())
    taylor = hy.taylor_adaptive_batch(equations, np.zeros((4, 8)), tol=tolerance)

    def run(q: np.ndarray) -> np.ndarray:
        found = np.empty(q.shape)
        for k in range(0, len(q), 8):
            taylor.set_time(0.0)
            taylor.state[:2] = q[k : k + 8].T
            taylor.state[2:] = 0.0
            taylor.propagate_until(SECONDS)
            found[k : k + 8] = taylor.state[:2].T
        return found

    return run


def chosen(make: Callable[[float], Ensemble], reference: np.ndarray) -> tuple[float, Ensemble, float]:
    """The loosest tolerance that is accurate enough, as is the next one; with it, and its error."""
    before = None
    for tolerance in tolerances(1e-3, 1e-12):
        ensemble = make(tolerance)
        error = float(np.abs(ensemble(starts(SAMPLE)) - reference).max())
        if error > BOUND:
            before = None
        elif before is not None:
            return before
        else:
            before = tolerance, ensemble, error
    raise common.NotPossible("no tolerance is accurate enough")


def memory() -> float:
    """The most that this process has had (bytes); NaN on Windows."""
    try:
        import resource
    except ImportError:
        return float("nan")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    options = common.arguments(__doc__, runs={"type": int, "default": 0, "help": "runs of the study that is timed"})
    count = options.runs or (512 if options.quick else 8192)
    rows: list[Row] = []
    with ThreadPoolExecutor(1) as one:
        peers_of = {
            "loop over a stepper, dop853": partial(by_stepper, "dop853"),
            "loop over a stepper, lobatto": partial(by_stepper, "lobatto"),
        }
        if options.quick:
            tight = by_stepper("lobatto", 1e-12)
        else:
            peers_of |= {
                "heyoka, ensemble": by_heyoka,
                "heyoka, ensemble of eight abreast": by_heyoka_abreast,
                "heyoka, eight abreast in a loop": by_heyoka_in_a_loop,
            }
            tight = by_heyoka(1e-15)
        reference = tight(starts(SAMPLE))
        tolerance, mine, error = chosen(lambda x: Warm(x, one), reference)
        q = starts(count)
        for name, make in peers_of.items():
            try:
                theirs_at, theirs, theirs_error = chosen(make, reference)
            except (common.NotInstalled, common.NotPossible) as why:
                rows.append(Row("double pendulum", "planar", "one run", peer=name, status=f"not possible: {why}"))
                continue
            few = q[:512]
            tasks = {"mine": lambda: mine(q), "theirs": lambda: theirs(few)}  # noqa: B023
            timing = common.interleave(tasks, rounds=2 if options.quick else 7)
            ours, peer = timing["mine"] / len(q), timing["theirs"] / len(few)
            more = {"runs a second": 1 / ours.median, "peer's runs a second": 1 / peer.median,
                    "tolerance": tolerance, "peer's tolerance": theirs_at}  # fmt: skip
            rows.append(common.compared(
                ours, peer, case="double pendulum", kind="planar", quantity="one run", peer=name, error=error,
                peer_error=theirs_error, more=more,
            ))  # fmt: skip
        rows += [] if options.quick else by_two(16 * count, one)
        rows += by_pool(20 if options.quick else 1000, 1 if options.quick else 5)
        rows += of_kinds(8 if options.quick else 64)
    rows.append(of_a_million(5_000 if options.quick else 1_000_000, one))
    common.finish(NAME, QUESTION, rows, save=options.save)


def by_two(count: int, one: Executor) -> list[Row]:
    """Two threads, two processes, beside one thread of this process; where there are two cores."""
    if (os.cpu_count() or 1) < 2:
        return []
    found, study = [], large(count)
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        for name, both in (("two threads", threads), ("two processes", processes)):
            np.testing.assert_array_equal(study.run(both).table, study.run(one).table)
            tasks = {"both": lambda: study.run(both), "alone": lambda: study.run(one)}  # noqa: B023
            timing = common.interleave(tasks, rounds=5)
            found.append(common.compared(
                timing["both"] / count, timing["alone"] / count, case="double pendulum", kind="planar",
                quantity=f"one run, {name}", peer="one thread",
            ))  # fmt: skip
    return found


def final_angle(model: Any, q1: float) -> float:
    """A task as a user writes it: one run of a second."""
    return float(model.simulate(1, initial={"q1": q1})["q2"][-1])


def by_pool(count: int, rounds: int) -> list[Row]:
    """`pool.map(partial(final_angle, model), values)` on two processes, each task by itself, beside a loop."""
    if (os.cpu_count() or 1) < 2:
        return []
    model, found = models.easydyn_model(models.double_pendulum()), []
    values = np.linspace(-1, 1, count).tolist()
    for way in ("fork", "spawn"):
        if way not in get_all_start_methods():
            continue
        with ProcessPoolExecutor(2, mp_context=get_context(way)) as pool:
            tasks = {
                "pool": lambda: list(pool.map(partial(final_angle, model), values)),  # noqa: B023
                "loop": lambda: [final_angle(model, q1) for q1 in values],
            }
            assert tasks["pool"]() == tasks["loop"]()
            timing = common.interleave(tasks, rounds=rounds)
        found.append(common.compared(
            timing["pool"] / count, timing["loop"] / count, case="double pendulum", kind="planar",
            quantity=f"one task of a pool of two ({way})", peer="a loop over the same function",
        ))  # fmt: skip
    return found


def pushed(force: Any) -> tuple[Any, Any]:
    """A pendulum with a moment on its pin, and its angle."""
    from easydyn import GeneralizedForce, Model, tdisp, trotz

    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=1)
    model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0.1))
    model.add(GeneralizedForce(q, force))
    return model, q


def four_bar() -> Any:
    """A crank, a coupler and a rocker, closed by a hinge."""
    from easydyn import Model, tdisp, trotz

    model = Model("four-bar", gravity=(0, -9.81, 0))
    (rod,) = model.parameters(rod=1.0)
    a, b, c = model.coordinates("crank b c", initial=(1.2, -0.4, 1.4), rates=(2, 0, 0))
    model.body("crank", trotz(a) * tdisp(0.15, 0, 0), mass=1, inertia=(0, 0, 0.01))
    coupler = model.body("coupler", trotz(a) * tdisp(0.3, 0, 0) * trotz(b - a) * tdisp(rod / 2, 0, 0), mass=2,
                         inertia=(0, 0, 0.05))  # fmt: skip
    rocker = model.body("rocker", tdisp(1, 0, 0) * trotz(c) * tdisp(0.4, 0, 0), mass=1, inertia=(0, 0, 0.02))
    model.close((coupler, (rod / 2, 0, 0)), (rocker, (0.4, 0, 0)), joint="revolute")
    return model


def kinds() -> dict[str, tuple[Any, str]]:
    """Models with what a study of smooth motions has not, and what is varied."""
    import sympy

    from easydyn import JointFriction, examples, t

    beaten, q = pushed(0)
    beaten.event(q, action={q.dot: 0.9 * q.dot}, name="beat")
    jumping, _ = pushed(sympy.Piecewise((1, t < 0.5), (0, t < 1), (-1, True)))
    rubbed, q = pushed(0)
    rubbed.add(JointFriction(q, level=0.5))
    return {
        "an event that sets a rate": (beaten, "q"), "jumps in time": (jumping, "q"),
        "a state of its own": (examples.dc_motor(), "i"), "friction that sticks": (rubbed, "q"),
        "a contact": (examples.bouncing_ball(), "height"), "a loop": (four_bar(), "crank.dot"),
        "a loop of other lengths": (four_bar(), "rod"),
    }  # fmt: skip


def of_kinds(count: int) -> list[Row]:
    """A run over 2 s of each kind, beside `model.simulate`."""
    found = []
    for kind, (model, name) in kinds().items():
        start = {**model.values(), **model.initial_values}[name]
        kind_of_value = "parameters" if name in model.values() else "initial"
        study = model.study(2, over={name: start + np.linspace(0.01, 0.2, count)})
        method = "dop853" if study.how == "side by side" else "newmark"

        given = {kind_of_value: {name: start + 0.1}}

        def alone(model: Any = model, given: Any = given, method: str = method) -> None:
            model.simulate(2, **given, method=method, save_at=[2])

        timing = common.interleave({"study": study.run, "alone": alone}, rounds=3)
        found.append(common.compared(
            timing["study"] / count, timing["alone"], case=kind, kind="planar", quantity="one run of a study",
            peer="model.simulate", more={"how": study.how},
        ))  # fmt: skip
    return found


def large(count: int) -> Any:
    """A study of so many runs, at a tolerance of 1e-6."""
    from easydyn import Uniform

    model = models.easydyn_model(models.double_pendulum())
    return model.study(SECONDS, over={"q1": Uniform(-1, 1), "q2": Uniform(-1, 1)}, samples=count)


def of_a_million(count: int, one: Executor) -> Row:
    """The whole study at a tolerance of 1e-6, with its files: time of a run, memory, bytes on disk."""
    before, study = memory(), large(count)
    with tempfile.TemporaryDirectory() as folder:
        began = perf_counter()
        result = study.run(one, folder=Path(folder) / "runs")
        seconds = perf_counter() - began
        disk = sum(path.stat().st_size for path in (Path(folder) / "runs").iterdir())
    assert not result.messages
    more = {"runs": count, "seconds": seconds, "memory (MB)": memory() / 1e6, "before it (MB)": before / 1e6,
            "bytes a run on disk": disk / count}  # fmt: skip
    return Row("double pendulum", "planar", "one run of a large study", seconds=seconds / count, more=more)


if __name__ == "__main__":
    main()
