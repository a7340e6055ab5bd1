"""How far is a run of easydyn from the same algorithm written by hand in C?

The double pendulum of the paper for 5 s, Newmark's method at the default tolerance, nothing saved on the way. newmark.c
takes the same decisions with a residual in closed form; the two must take the same number of steps (2 %) and arrive at
the same state (1e-8). It is compiled with -O2, and again with all that the compiler can do for this processor. The
ratio is the time of C over that of easydyn: 1 is as fast as C by hand.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import common
import numpy as np

NAME = "c_loop"
QUESTION = "Double pendulum, 5 s: Newmark's method against the same algorithm by hand in C"
SECONDS = 5.0
TOLERANCE = 1e-6
COMPILED = (("-O2",), ("-O3", "-march=native"))
STATISTICS = ("steps", "rejected", "newton_iterations", "jacobians", "residuals")


def by_hand(seconds: float, options: Sequence[str]) -> Callable[[], tuple[list[float], dict[str, int]]]:
    """A function that runs newmark.c: final q, qd, qdd, statistics."""
    library = common.shared_library("newmark.c", options, ("-lm",))
    run = library.newmark
    number = ctypes.c_double
    run.argtypes = [
        ctypes.POINTER(number), number, number, number, ctypes.POINTER(number), ctypes.POINTER(ctypes.c_long)
    ]  # fmt: skip
    rods = (number * 5)(1.2, 1.1, 1.1, 0.9, 9.81)

    def go() -> tuple[list[float], dict[str, int]]:
        state = (number * 6)(0.0, 1.0)
        counts = (ctypes.c_long * 5)()
        good = run(rods, seconds, TOLERANCE, seconds / 100, state, counts)
        assert good, "the run in C was given up"
        return list(state), dict(zip(STATISTICS, counts, strict=True))

    return go


def main() -> None:
    """Compare the results, then the times; print, save."""
    options = common.arguments(__doc__)
    seconds = 0.3 if options.quick else SECONDS
    from easydyn.examples import double_pendulum

    model = double_pendulum()
    about = {
        "case": "double pendulum",
        "kind": "planar",
        "quantity": f"run of {seconds:g} s, Newmark at {TOLERANCE:g}",
        "ours": f"easydyn {model.compile(target=options.target).target}",
    }

    def ours() -> Any:
        return model.simulate(seconds, save_every=seconds, tolerance=TOLERANCE, target=options.target)

    run = ours()
    found = np.concatenate([run.q[-1], run.qd[-1], run.qdd[-1]])
    mine = {key: getattr(run.stats, key) for key in STATISTICS}
    print(f"easydyn: {mine}")
    tasks, rows, differences = {"easydyn": ours}, [], {}
    for words in COMPILED:
        label = f"the same in C, gcc {' '.join(words)}"
        try:
            theirs = by_hand(seconds, words)
        except common.NotInstalled as error:
            rows.append(common.Row(**about, peer=label, status=f"not installed: {error}"))
            continue
        state, counts = theirs()
        differences[label] = float(np.abs(found - state).max())
        print(f"C:       {counts}; final states differ by {differences[label]:.1e}")
        assert abs(mine["steps"] - counts["steps"]) <= 0.02 * counts["steps"], "they do not take the same steps"
        assert np.abs(found - state)[:4].max() <= 1e-8, f"the final states differ: {found} and {state}"
        tasks[label] = theirs
    timings = common.interleave(tasks, rounds=3 if options.quick else 15, least=0.02 if options.quick else 0.05)
    for label, difference in differences.items():
        more = {"steps": mine["steps"], "times the time of C": 1 / common.ratio(timings[label], timings["easydyn"])[0]}
        rows.append(
            common.compared(timings["easydyn"], timings[label], **about, peer=label, error=difference, more=more)
        )
    common.finish(NAME, QUESTION, rows, save=options.save)


if __name__ == "__main__":
    main()
