"""PlanarFourbar: four bars of steel in a plane, one of them fixed; the first hinge has a damper."""

from easydyn import Model, TorsionDamper, tdisp, trotz, visu


def planar_fourbar():
    """The model, and the published signals."""
    model = Model("PlanarFourbar", gravity=(0, -9.80665, 0))
    phi1, phi2, phi3 = model.coordinates("phi1 phi2 phi3")
    ends = (0.4, 0, 0), (0.1, 1.1, 0), (-0.15, 1, 0), (0.65, 0.1, 0)
    bars = [visu.Box.along(end, 0.05) for end in ends]
    body1 = model.body("body1", trotz(phi1), density=7700, shape=bars[0])
    body2 = model.body("body2", body1.T * tdisp(*ends[0]) * trotz(phi2), density=7700, shape=bars[1])
    body3 = model.body("body3", tdisp(0, 0, 0), density=7700, shape=bars[2])
    body4 = model.body("body4", body3.T * tdisp(*ends[2]) * trotz(phi3), density=7700, shape=bars[3])
    model.close((body4, ends[3]), (body2, ends[1]), joint="revolute", name="revolute4")
    model.add(TorsionDamper(phi1, damping=0.1))
    angles = {"revolute1": phi1, "revolute2": phi2, "revolute3": phi3}
    return model, {f"{name}.{what}": x for name, q in angles.items() for what, x in (("phi", q), ("w", q.dot))}


if __name__ == "__main__":
    model, signals = planar_fourbar()
    model.simulate(5, save_every=0.01).plot("phi1", "phi2", "phi3").figure.savefig("planar_fourbar.png")
