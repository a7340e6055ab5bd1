"""Engine1a: a crank of four parts, a rod, a piston, a flywheel; no gas, and no friction: the speed swings."""

from easydyn import Model, Rotor, ground, tdisp, trotx, visu


def engine1a():
    """The model, and the published signals."""
    model = Model("Engine1a", gravity=(0, -9.80665, 0))
    phi = model.coordinate("phi", rate=10)
    s, turn = model.coordinates("s turn", initial=(0.05, 0))
    bars = {"crank1": visu.Cylinder.along((0.1, 0, 0), 0.025), "crank2": visu.Box.along((0, 0.1, 0), 0.02, 0.05),
            "crank3": visu.Cylinder.along((0.1, 0, 0), 0.015), "crank4": visu.Box.along((0, -0.1, 0), 0.02, 0.05)}
    places = (0, 0, 0), (0.1, 0, 0), (0.1, 0.1, 0), (0.2, 0.1, 0)
    for (name, bar), place in zip(bars.items(), places, strict=True):
        crank = model.body(name, trotx(phi) * tdisp(*place), density=7700, shape=bar)
    top = tdisp(0.15, 0.45 - s, 0)
    model.body("piston", top, density=7700, shape=visu.Cylinder.along((0, -0.1, 0), 0.05))
    bar = visu.Box.along((0, -0.2, 0), 0.02, 0.06, across="x")
    rod = model.body("connectingRod", top * tdisp(0, -0.1, 0) * trotx(turn), density=7700, shape=bar)
    model.close((rod, (0, -0.2, 0)), (crank, (-0.05, 0, 0)), joint="revolute", axis="x", name="b2")
    model.add(Rotor(ground, axis="x", inertia=1, coordinate=phi, name="inertia"))
    return model, {"inertia.phi": phi, "inertia.w": phi.dot, "cylinder.s": s, "cylinder.v": s.dot}


if __name__ == "__main__":
    model, signals = engine1a()
    model.simulate(5, save_every=0.01).plot("phi.dot").figure.savefig("engine1a.png")
