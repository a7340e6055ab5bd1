"""How fast is easydyn where nothing can be compiled?

The double pendulum of the paper with target="python", microseconds a step of Newmark's method, beside the target that
"auto" takes here. Both must take the same steps and arrive at the same state.
"""

from __future__ import annotations

import common
import numpy as np

NAME = "interpreted"
QUESTION = "Double pendulum: one step of Newmark's method without machine code"


def main() -> None:
    """Measure, print, save."""
    options = common.arguments(__doc__)
    seconds = 0.2 if options.quick else 1.0
    from easydyn.examples import double_pendulum

    model = double_pendulum()
    taken = model.compile(target=options.target).target
    tasks = {
        target: lambda target=target: model.simulate(seconds, save_every=seconds, target=target)
        for target in ("python", options.target)
    }
    runs = {target: task() for target, task in tasks.items()}
    steps = runs["python"].stats.steps
    assert abs(runs[options.target].stats.steps - steps) <= 0.02 * steps
    difference = float(np.abs(runs["python"].q[-1] - runs[options.target].q[-1]).max())
    assert difference <= 1e-8, f"the two targets end {difference:.1e} rad apart"
    timings = common.interleave(tasks, rounds=3 if options.quick else 9)
    row = common.compared(
        timings["python"] / steps, timings[options.target] / steps, case="double pendulum", kind="planar",
        quantity="one step, Newmark at 1e-06", peer=f"easydyn {taken}", ours="easydyn python", error=difference,
        more={"steps": steps, "residuals": runs["python"].stats.residuals},
    )  # fmt: skip
    common.finish(NAME, QUESTION, [row], save=options.save)


if __name__ == "__main__":
    main()
