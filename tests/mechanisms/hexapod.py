"""A hexapod: a platform that moves in all ways, on six struts with a universal joint, a slide and a ball each."""

import json
from pathlib import Path

from easydyn import Damper, Model, Spring, tdisp, trotx, troty, trotz

DATA = json.loads((Path(__file__).parent.parent / "data" / "mechanisms.json").read_text())["hexapod"]
POSE = (0.02, -0.03, 1.1, 0.05, -0.04, 0.06)


def hexapod(strut=2.0, closed=True):
    """The model, and its six balls; the halves of each strut have the mass `strut`, or there are springs alone."""
    model = Model("hexapod", gravity=(0, 0, -9.81))
    x, y, z, a, b, c = model.coordinates("x y z a b c", initial=POSE)
    body, law = DATA["platform_mass_inertia"], DATA["struts"]
    platform = model.body(
        "platform", tdisp(x, y, z) * trotz(c) * troty(b) * trotx(a), mass=body["m"], inertia=body["I"]
    )
    balls = []
    inertia = tuple(strut * i for i in (0.03, 0.03, 0.001))
    for i, (foot, point) in enumerate(zip(DATA["base"], DATA["platform"], strict=True)):
        ends = (model.ground, foot), (platform, point)
        if closed:
            u, w, s = model.coordinates([f"u{i}", f"w{i}", f"s{i}"], initial=(0, 0, 1.2))
            half = {"mass": strut, "inertia": inertia}
            lower = model.body(f"lower {i}", tdisp(*foot) * trotx(u) * troty(w), com=(0, 0, 0.3), **half)
            upper = model.body(f"upper {i}", lower.T * tdisp(0, 0, s), com=(0, 0, -0.3), **half)
            balls.append(model.close(upper, ends[1], joint="spherical", name=f"ball {i}"))
        model.add(Spring(*ends, stiffness=law["stiffness"], free_length=law["free_length"]))
        model.add(Damper(*ends, damping=law["damping"]))
    return model, tuple(balls)


if __name__ == "__main__":
    model, closures = hexapod()
    print(model.mobility())
    run = model.simulate(0.1)
    print(run, *(f"{c}: {run.reaction(c).force[0]}" for c in closures[:3]), sep="\n")
