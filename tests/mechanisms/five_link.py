"""A wheel on five rods: one way to move is left, up and down, with the steer and camber that the rods ask for."""

import json
from pathlib import Path

from easydyn import Model, Spring, ground, tdisp, trotx, troty, trotz

DATA = json.loads((Path(__file__).parent.parent / "data" / "mechanisms.json").read_text())["five_link_suspension"]


def five_link():
    """The model, and its five rods, massless; the carrier's frame is parallel to the ground where it was designed."""
    model = Model("five-link suspension", gravity=(0, 0, -9.81))
    z, x, y, a, b, c = model.coordinates("z x y a b c")
    centre = DATA["wheel_centre"]
    frame = tdisp(*centre) * tdisp(x, y, z) * trotz(c) * trotx(a) * troty(b)
    carrier = model.body("carrier", frame, mass=30, inertia=(0.8, 1.2, 0.8))
    model.add(Spring((carrier, (0, -0.1, 0)), (ground, (0, 0.5, 0.6)), stiffness=30000, free_length=0.55))
    rods = []
    for i, (inner, outer) in enumerate(zip(DATA["A"], DATA["B"], strict=True)):
        point = tuple(p - q for p, q in zip(outer, centre, strict=True))
        rods.append(model.close((ground, inner), (carrier, point), joint="distance", length=DATA["link_lengths"][i],
                                name=f"rod {i + 1}"))  # fmt: skip
    return model, tuple(rods)


if __name__ == "__main__":
    model, rods = five_link()
    print(model.mobility())
    run = model.simulate(0.5)
    print(run, *(run.multipliers(rod)[0] for rod in rods), sep="\n")
