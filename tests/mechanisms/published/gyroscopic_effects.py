"""GyroscopicEffects: a tilted rotor at the end of a bar on a ball, once as a body, once as a rotor in a body."""

from math import pi

from easydyn import Model, Rotor, tdisp, trotx, troty, visu


def gyroscopic_effects():
    """The model, and the published signals: both pendulums move alike.

    The bar is 0.25 m long and 0.05 m thick, the rotor 0.2 m long and 0.1 m thick with its middle at the end of the bar;
    all of steel. (The thickness of the bar and the place of the rotor are what the published samples say.)
    """
    model = Model("GyroscopicEffects", gravity=(0, -9.80665, 0))
    phi, angle = model.coordinates("phi angle", rates=(10, 10))
    bar, drum = visu.Cylinder.along((0.25, 0, 0), 0.025), visu.Cylinder(0.05, 0.2, at=troty(pi / 2))
    one, other = (model.spherical(name) for name in ("spherical1", "spherical2"))
    tilted = tdisp(0.25, 0, 0) * troty(pi / 4)
    model.body("bodyCylinder1", one, density=7700, shape=bar)
    rotor = model.body("bodyCylinder2", one * tilted * trotx(phi), density=7700, shape=drum)
    body = model.body("bodyCylinder3", other, density=7700, shape=bar)
    housing = model.body("bodyCylinder4", other * tilted, density=7700, shape=drum)
    model.add(Rotor(housing, axis="x", inertia=rotor.inertia[0, 0], coordinate=angle, name="rotor1D"))
    turning = {f"{x.name}.body.w_a[{i + 1}]": (x.T.R.inv() * x.omega)[i] for x in (rotor, body) for i in range(3)}
    return model, {**turning, "revolute.phi": phi, "revolute.w": phi.dot, "rotor1D.phi": angle, "rotor1D.w": angle.dot}


if __name__ == "__main__":
    model, signals = gyroscopic_effects()
    model.simulate(5, save_every=0.01).plot("phi.dot", "angle.dot").figure.savefig("gyroscopic_effects.png")
