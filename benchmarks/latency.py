"""Single calls from Python, of a double pendulum: CPU time of one, the least of several rounds.

    python benchmarks/latency.py
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

from easydyn import Model, tdisp, trotz

ROUNDS, CALLS = 15, 3000


def least(call: Callable[[], Any], calls: int = CALLS) -> float:
    """The least CPU time of a call (us)."""
    found = []
    for _ in range(ROUNDS):
        begin = process_time()
        for _ in range(calls):
            call()
        found.append((process_time() - begin) / calls)
    return 1e6 * min(found)


def main() -> None:
    model = Model("double pendulum", gravity=(0, -9.81, 0))
    q1, q2 = model.coordinates("q1 q2", initial=[1.0, 0.5])
    tip = trotz(q1) * tdisp(0, -1, 0)
    model.body("first", tip, mass=1, inertia=(0, 0, 0.1))
    model.body("second", tip * trotz(q2) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0.1))
    system, stepper = model.compile(), model.stepper()
    q, qd, qdd = np.array([1.0, 0.5]), np.array([0.1, 0.2]), np.zeros(2)
    bound = system.bound()
    rows: dict[str, tuple[Callable[[], Any], int]] = {
        "stepper.step(h)": (lambda: stepper.step(1e-4), CALLS),
        "system.bound()(t, q, qd)": (lambda: bound(0.0, q, qd), CALLS),
        "system.accelerations": (lambda: system.accelerations(0.0, q, qd), CALLS),
        "system.residual": (lambda: system.residual(0.0, q, qd, qdd), CALLS),
        "model.simulate(1e-3)": (lambda: model.simulate(1e-3), 50),
    }
    for name, (call, calls) in rows.items():
        call()
        print(f"{name:26} {least(call, calls):8.2f} us")


if __name__ == "__main__":
    main()
