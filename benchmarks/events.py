"""What an event costs: impacts of balls, renewals of an attitude, changes of friction; CPU time, the least of several.

    python benchmarks/events.py

Each row is a run that is compiled already, beside a run that ends before the first event: their difference, by the
number of events, is the time of one of them with its share of the steps. One thread; the default tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

from easydyn import JointFriction, Model, RigidContact, tdisp, trotz

ROUNDS = 9


def least(run: Callable[[], Any]) -> tuple[float, Any]:
    """The least CPU time (s) of a call, after a first one, and what the last call has given."""
    found, result = [], run()
    for _ in range(ROUNDS):
        begin = process_time()
        result = run()
        found.append(process_time() - begin)
    return min(found), result


def balls(n: int) -> Model:
    """Balls that fall beside each other from different heights."""
    model = Model("balls", gravity=(0, -9.81, 0))
    heights = [1 + 0.37 * (7 * k % n) / n for k in range(n)]
    for k, y in enumerate(model.coordinates(" ".join(f"y{k}" for k in range(n)), initial=heights)):
        model.body(f"ball {k}", tdisp(k, y, 0), mass=1, inertia=(0, 0, 0))
        model.add(RigidContact(y, restitution=0.9, name=f"c{k}"))
    return model


def stone() -> Model:
    """A body that turns over and over about its middle axis."""
    model = Model("stone")
    model.free_body("stone", mass=1, inertia=(1, 2, 3), angular_velocity=(0.01, 5, 0.01), axes="body")
    return model


def links(n: int) -> Model:
    """Links that fall, with friction in their joints."""
    model, T = Model("chain", gravity=(0, -9.81, 0)), trotz(0)
    names = " ".join(f"q{k}" for k in range(n))
    for k, q in enumerate(model.coordinates(names, initial=[1.0] + [0.1] * (n - 1))):
        T = T * trotz(q) * tdisp(0, -0.25, 0)
        model.body(f"link {k}", T, mass=1, inertia=(0, 0, 0.03))
        model.add(JointFriction(q, (n - k) / n))
        T = T * tdisp(0, -0.25, 0)
    return model


def main() -> None:
    rows: list[tuple[str, Model, float, dict[str, Any]]] = [
        *((f"{n} balls", balls(n), 1.5, {}) for n in (10, 30, 60, 100)),
        *((f"tumbling, {x}", stone(), 30.0, {"method": x}) for x in ("newmark", "dop853", "lobatto")),
        *((f"friction, {n} links", links(n), 2.0, {}) for n in (5, 10, 30)),
    ]
    print(f"{'':22} {'run':>9} {'at once':>9} {'events':>7} {'each':>9}")
    for name, model, end, options in rows:
        short, _ = least(lambda model=model, options=options: model.simulate(1e-3, **options))  # type: ignore[misc]
        whole, run = least(lambda model=model, end=end, options=options: model.simulate(end, **options))  # type: ignore[misc]
        turned = [k for k, x in enumerate(run.held_names) if x.endswith(".reference")]
        events = int((np.diff(run.held[:, turned], axis=0) != 0).sum()) if turned else len(run.events)
        each = 1e3 * (whole - short) / max(events, 1)
        print(f"{name:22} {1e3 * whole:6.2f} ms {1e3 * short:6.2f} ms {events:7d} {each:6.3f} ms")


if __name__ == "__main__":
    main()
