"""An Oldham coupling: a disc slides in grooves of two parallel shafts, at right angles; both turn alike."""

from easydyn import Model, tdisp, trotz


def oldham(offset=0.02):
    """The model, and the groove in the second shaft."""
    model = Model("Oldham coupling")
    a, s, c = model.coordinates("a s c", initial=(0.3, 0.01, 0.2), rates=(20, 0, 0))
    shaft = {"mass": 3, "inertia": (0, 0, 0.002)}
    first = model.body("first shaft", trotz(a), **shaft)
    disc = model.body("disc", first.T * tdisp(s, 0, 0), mass=1, inertia=(0, 0, 0.001))
    second = model.body("second shaft", tdisp(offset, 0, 0) * trotz(c), **shaft)
    return model, (model.close(second, disc, joint="prismatic", axis="y", name="groove"),)


if __name__ == "__main__":
    model, closures = oldham()
    print(model.mobility())
    run = model.simulate(1)
    print(run, *(f"{c}: {run.reaction(c).force[0]}" for c in closures[:3]), sep="\n")
