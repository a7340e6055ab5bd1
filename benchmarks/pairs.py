"""Many shapes that may touch: discs that fall in a box, and pairs that are far from each other; CPU time.

    python benchmarks/pairs.py [discs ...]

A row has the first run, with all that is compiled and is not in the cache yet, and the least of further runs. Boxes
upon each other rest from the start; the goal is 20 ms. Rows of time stepping are 1.5 s in intervals of 1 ms. The last
rows have the cost of pairs that never come near, for one kind of run each: beside a run of six bodies one with ten
walls far away, in turns.
"""

from __future__ import annotations

import sys
from time import process_time
from typing import Any

import numpy as np
import sympy

from easydyn import Contact, Model, Spring, ground, shapes, t, tdisp, trotz

RADIUS, WIDTH, ROUNDS, TURNS = 0.05, 0.6, 3, 15
FALL = 0.3  # s: in which 50 discs have begun to fall upon each other


def discs(count: int, restitution: float, walls: int = 0, floor: Any = 0, springs: float = 0, **options: Any) -> Model:
    """Discs above the floor of a box, and so many walls that they never reach; `options` of `Contact`.

    The `floor` may move; springs of a stiffness (N/m) hold each disc to the next.
    """
    model, chance, ends = Model("discs", gravity=(0, -9.81, 0)), np.random.default_rng(1), []
    for k in range(count):
        row, column = divmod(k, 4)
        dx, dy = 0.2 * RADIUS * chance.uniform(-1, 1, 2)
        start = (1.3 + 2.6 * column) * RADIUS - WIDTH / 2 + dx, (2 + 2.6 * row) * RADIUS + dy, 0
        x, y, a = model.coordinates(f"x{k} y{k} a{k}", initial=start)
        inertia = 0, 0, RADIUS**2 / 2
        body = model.body(f"disc {k}", tdisp(x, y, 0) * trotz(a), mass=1, inertia=inertia)
        ends.append((body, shapes.Disc(RADIUS)))
    planes = [(-floor, (0, 1)), (WIDTH / 2, (1, 0)), (WIDTH / 2, (-1, 0)), *((100 + k, (1, 0)) for k in range(walls))]
    faces = [((ground, tdisp(*(-away * c for c in n), 0)), shapes.HalfPlane(n)) for away, n in planes]
    chain = [Spring(a, b, stiffness=springs, free_length=2.6 * RADIUS) for (a, _), (b, _) in zip(ends, ends[1:])]
    contacts = Contact.between([*ends, *faces], restitution=restitution, **options)
    model.add(*contacts, *(chain if springs else ()))
    return model


def spheres(walls: int) -> Model:
    """Six spheres above a floor, and so many walls that they never reach."""
    model, chance, ends = Model("spheres", gravity=(0, 0, -9.81)), np.random.default_rng(1), []
    for k in range(6):
        x, y, z = model.coordinates(f"x{k} y{k} z{k}", initial=(0.13 * k, *chance.uniform((-0.01, 0.1), (0.01, 0.3))))
        body = model.body(f"sphere {k}", tdisp(x, y, z), mass=1, inertia=(0, 0, 0))
        ends.append((body, shapes.Sphere(RADIUS)))
    planes = [(0, (0, 0, 1)), *((100 + k, (1, 0, 0)) for k in range(walls))]
    faces = [((ground, tdisp(*(-away * c for c in n))), shapes.Plane(n)) for away, n in planes]
    model.add(*Contact.between([*ends, *faces], restitution=0.5))
    return model


def stack(count: int, beside: float) -> Model:
    """Boxes upon each other, each so far (m) beside the one below."""
    model, below = Model("stack", gravity=(0, -9.81, 0)), (ground, shapes.HalfPlane((0, 1)))
    for k in range(count):
        x, y, a = model.coordinates(f"x{k} y{k} a{k}", initial=(beside * k, 0.1 + 0.2 * k, 0))
        body = model.body(f"box {k}", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 0.01))
        box = body, shapes.Polygon.box(0.4, 0.2)
        model.add(Contact(box, below, restitution=0, friction=0.5))
        below = box
    return model


SHAKEN = 0.02 * sympy.sin(10 * t)
FAR: dict[str, tuple[Any, float, dict[str, Any]]] = {
    "1.5 s": (lambda walls: discs(6, 0.5, walls), 1.5, {}),
    "5 s": (lambda walls: discs(6, 0.5, walls), 5, {}),
    "20 s": (lambda walls: discs(6, 0.5, walls), 20, {}),
    "springs, 5 s": (lambda walls: discs(6, 0.5, walls, springs=20), 5, {}),
    "rough": (lambda walls: discs(6, 0.5, walls, friction=0.3), 1.5, {}),
    "floor driven": (lambda walls: discs(6, 0.5, walls, SHAKEN), 1.5, {}),
    "spheres": (spheres, 1.5, {}),
    "dop853": (lambda walls: discs(6, 0.5, walls), 1.5, {"method": "dop853"}),
    "lobatto": (lambda walls: discs(6, 0.5, walls), 1.5, {"method": "lobatto"}),
    "steps saved": (lambda walls: discs(6, 0.5, walls), 1.5, {"save_every": "step"}),
}


def far(make: Any, end: float, options: Any) -> float:
    """The CPU time with ten walls that are far to that without: the least of runs in turns."""
    models, least = [make(0), make(10)], [np.inf, np.inf]
    for turn in range(1 + TURNS):
        for k, model in enumerate(models):
            begin = process_time()
            model.simulate(end, **options)
            least[k] = min(least[k], process_time() - begin) if turn else np.inf
    return least[1] / least[0]


def timed(model: Model, end: float = 1.5, **options: Any) -> tuple[float, float, Any]:
    """The CPU times (s) of a first run and of a later one, and the run; `options` of `simulate`."""
    found = []
    for _ in range(1 + ROUNDS):
        begin = process_time()
        run = model.simulate(end, **options)
        found.append(process_time() - begin)
    return found[0], min(found[1:]), run


def main() -> None:
    print(f"{'':22} {'first':>8} {'later':>8} {'events':>7}")
    for count in [int(x) for x in sys.argv[1:]] or [6]:
        for e in (0.0, 0.5):
            first, later, run = timed(discs(count, e))
            print(f"{f'{count} discs, e = {e}':22} {first:6.2f} s {later:6.3f} s {len(run.events):7d}")
    first, later, run = timed(discs(50, 0.5), FALL)
    print(f"{f'50 discs, {FALL} s':22} {first:6.2f} s {later:6.3f} s {len(run.events):7d}")
    first, later, run = timed(stack(5, 0.013), 0.1)
    print(f"{'5 boxes at rest, 0.1 s':22} {first:6.2f} s {later:6.3f} s {len(run.events):7d}")
    for count, friction in ((6, None), (50, None), (12, 0.3)):
        model = discs(count, 0.5, friction=friction)
        first, later, run = timed(model, contacts="stepping", step=1e-3, save_every=0.01)
        what = f"{count} discs, stepping" + (", rough" if friction else "")
        print(f"{what:22} {first:6.2f} s {later:6.3f} s {run.status:>8}")
    for what, case in FAR.items():
        print(f"60 pairs that are far, {what}: {far(*case):.2f} times the CPU time", flush=True)


if __name__ == "__main__":
    main()
