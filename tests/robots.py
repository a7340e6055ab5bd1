"""Robots of the literature, from their numbers in tests/data."""

from easydyn import Model, Transform, tdisp, trotx, trotz


def manutec_r3(data, **options):
    """The Manutec r3, six turns, with a load of symbolic mass and place; `data` is r3_robot.json."""
    model = Model("r3", gravity=(0, 0, -data["gravity"]["g"]))
    q = model.coordinates([f"q{i + 1}" for i in range(6)], **options)
    mL, *rL = model.parameters(mL=15.0, rL1=0.1, rL2=0.2, rL3=0.3)
    T = Transform()
    for i, link in enumerate(data["links"]):
        T = T * {"x": trotx, "z": trotz}[link["axis"]](q[i])
        inertia = [link["I"].get(key, 0) for key in ("I11", "I22", "I33", "I12", "I23", "I31")]
        model.body(f"link {i + 1}", T, mass=link["m"], inertia=inertia, com=link["r_CM"])
        if "load" in link:
            model.body("load", T * tdisp(*rL), mass=mL, inertia=(0, 0, 0))
        else:
            T = T * tdisp(*link["bar_to_next"])
    return model
