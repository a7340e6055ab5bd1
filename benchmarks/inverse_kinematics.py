"""How many random poses does `inverse_kinematics` reach from the home position, and what does one take?

python benchmarks/inverse_kinematics.py        1000 poses of a seven-axis arm, of one with six axes, of a planar one

CPU time of the process; the first pose, for which the program is compiled, does not count.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import test_inverse_kinematics as arms

from easydyn import Model, tdisp, trotz


def main() -> None:
    """Measure and print."""
    for name in ("seven", "six", "planar"):
        model, T, links = Model(name), tdisp(0, 0, 0), arms.links_of(name)
        for k, q in enumerate(model.coordinates([f"q{k + 1}" for k in range(len(links))])):
            T = T * links[k][2] * trotz(q) * links[k][3]
            hand = model.body(f"link {k + 1}", T, mass=1, inertia=(1, 1, 1))
        rng = np.random.default_rng(5)
        poses = [arms.placed(name, rng.uniform(-np.pi, np.pi, len(links))) for _ in range(1000)]
        model.inverse_kinematics({hand: poses[0]})
        begun, reached = time.process_time(), 0
        for pose in poses:
            found = model.inverse_kinematics({hand: pose})
            reached += bool((found.missed < 1e-9).all())
        print(f"{name:>6}: {reached / 10:.1f} % to 1e-9 m and rad, {time.process_time() - begun:.2f} ms each")


if __name__ == "__main__":
    main()
