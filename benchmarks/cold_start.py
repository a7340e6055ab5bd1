"""How long does a fresh Python take from nothing to the motion of the double pendulum?

A process that runs the first listing of README.md without its picture, against one that only imports SymPy and NumPy,
which easydyn does too; in turns, with all caches warm (byte code, machine code).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import common
import numpy as np
import references
from models import double_pendulum

NAME = "cold_start"
QUESTION = "A fresh process that builds and simulates the double pendulum, against importing SymPy and NumPy"
LISTING = """
from easydyn import Model, trotz, tdisp

pendulum = Model("double pendulum", gravity=(0, -9.81, 0))
q1, q2 = pendulum.coordinates("q1 q2", initial=(0, 1))
l1, l2 = pendulum.parameters(l1=1.2, l2=1.1)

upper = pendulum.body("upper arm", trotz(q1) * tdisp(0, -l1/2, 0), mass=1.1, inertia=(1, 1, 1.1*l1**2/12))
lower = pendulum.body("lower arm", trotz(q1) * tdisp(0, -l1, 0) * trotz(q2) * tdisp(0, -l2/2, 0),
                      mass=0.9, inertia=(1, 1, 0.9*l2**2/12))

run = pendulum.simulate(5, save_every=0.01, max_step=0.005)
print(*run.q[-1])
"""


def main() -> None:
    """Measure, print, save."""
    options = common.arguments(__doc__)
    import easydyn

    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "pendulum.py"
        listing = LISTING.replace("max_step=0.005", f'max_step=0.005, target="{options.target}"')
        script.write_text(listing if options.target != "auto" else LISTING, encoding="utf-8")
        environment = {**os.environ, "EASYDYN_CACHE": str(Path(folder) / "cache")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        places = [str(Path(easydyn.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        environment["PYTHONPATH"] = os.pathsep.join(place for place in places if place)

        def process(*words: str) -> Callable[[], str]:
            command = [sys.executable, *words]
            return lambda: (
                subprocess.run(command, check=True, capture_output=True, text=True, env=environment, cwd=folder).stdout
            )

        tasks = {
            "easydyn": process(str(script)),
            "imports": process("-c", "import sympy, numpy"),
            "nothing": process("-c", "pass"),
            "import easydyn": process("-c", "import easydyn"),
        }
        found = [float(word) for word in tasks["easydyn"]().split()]
        error = float(np.abs(found - references.reference(double_pendulum())).max())
        assert error <= 1e-4, f"the listing ends at {found}"
        timings = common.interleave(tasks, rounds=3 if options.quick else 15, least=0.0)
    from easydyn.examples import double_pendulum as model

    target = model().compile(target=options.target).target
    row = common.compared(
        timings["easydyn"], timings["imports"], case="double pendulum", kind="planar", quantity="fresh process",
        peer='python -c "import sympy, numpy"', error=error, ours=f"easydyn {target}",
        more={
            "python alone": common.seconds_text(timings["nothing"].median),
            "import easydyn": common.seconds_text(timings["import easydyn"].median),
            "times the imports": 1 / common.ratio(timings["imports"], timings["easydyn"])[0],
        },
    )  # fmt: skip
    common.finish(NAME, QUESTION, [row], save=options.save)


if __name__ == "__main__":
    main()
