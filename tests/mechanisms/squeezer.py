"""The seven-body squeezer of Andrews, in the frames of the IVP test set: seven angles, three pins at one point."""

import json
from pathlib import Path

from easydyn import GeneralizedForce, Model, Spring, ground, tdisp, trotz

DATA = json.loads((Path(__file__).parent.parent / "data" / "mechanisms.json").read_text())["squeezer"]
NAMES = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "eps")


def squeezer():
    """The model, and its three pins."""
    p = DATA["params"]
    model = Model("squeezer")
    beta, Theta, gamma, Phi, delta, Omega, eps = model.coordinates(list(NAMES), initial=DATA["start"])
    first = trotz(beta)
    A = tdisp(p["xa"], p["ya"], 0)
    fifth, seventh = A * trotz(delta), A * trotz(eps)
    places = [
        (first, (p["ra"], 0)),
        (first * tdisp(p["rr"], 0, 0) * trotz(Theta), (-p["da"], 0)),
        (tdisp(p["xb"], p["yb"], 0) * trotz(gamma), (p["sb"], -p["sa"])),
        (fifth * tdisp(p["zt"], 0, 0) * trotz(Phi), (0, -(p["e"] - p["ea"]))),
        (fifth, (p["tb"], -p["ta"])),
        (seventh * tdisp(0, -p["u"], 0) * trotz(Omega), (p["zf"] - p["fa"], 0)),
        (seventh, (-p["ub"], -p["ua"])),
    ]
    K1, K2, K3, K4, K5, K6, K7 = (
        model.body(f"K{i + 1}", T, mass=m, inertia=(0, 0, I), com=(*com, 0))
        for i, ((T, com), m, I) in enumerate(zip(places, p["m"], p["I"], strict=True))
    )
    model.add(GeneralizedForce(beta, p["mom"]))
    ends = (K3, (p["sd"], -p["sc"], 0)), (ground, (p["xc"], p["yc"], 0))
    model.add(Spring(*ends, stiffness=p["c0"], free_length=p["l0"]))
    joint = (K2, (-p["d"], 0, 0))
    ends = ((K3, (0, -p["ss"], 0)), (K4, (0, -p["e"], 0)), (K6, (p["zf"], 0, 0)))
    return model, tuple(model.close(joint, end, joint="revolute") for end in ends)


if __name__ == "__main__":
    model, pins = squeezer()
    print(model.mobility())
    print(model.simulate(0.03))
