"""Haug's spatial slider-crank: a crank about x, a rod with a ball on its pin, a universal joint at the slider."""

import json
from pathlib import Path

from easydyn import Model, tdisp, trotx, troty

DATA = json.loads((Path(__file__).parent.parent / "data" / "mechanisms.json").read_text())["spatial_slider_crank"]


def spatial_slider_crank():
    """The model, and the ball."""
    p = DATA["params"]
    crank, rod, length = p["crank"], p["conrod"], p["conrod"]["length"]
    model = Model("spatial slider-crank", gravity=(0, 0, -9.81))
    (angle,) = model.coordinates("angle", initial=p["theta0"], rates=p["omega0"])
    x, u, w = model.coordinates("x u w", initial=(0.2, -0.46, 0.84))
    place, inertia = tdisp(*crank["centre"]) * trotx(angle), (crank["Jxx"], 0, 0)
    turning = model.body("crank", place, mass=crank["m"], inertia=inertia)
    slider = model.body("slider", tdisp(x, 0, 0), mass=p["slider"]["m"], inertia=(0, 0, 0))
    along = slider.T * trotx(u) * troty(w)
    bar = model.body("rod", along, mass=rod["m"], inertia=rod["I_body"], com=(-length / 2, 0, 0))
    pin, end = (turning, (0, 0, crank["length"])), (bar, (-length, 0, 0))
    return model, (model.close(pin, end, joint="spherical", name="ball"),)


if __name__ == "__main__":
    model, closures = spatial_slider_crank()
    print(model.mobility())
    run = model.simulate(1)
    print(run, *(f"{c}: {run.reaction(c).force[0]}" for c in closures[:3]), sep="\n")
