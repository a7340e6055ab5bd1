"""Six bars in the ways of Watt and Stephenson: a four-bar, and a dyad from its rocker or from its coupler."""

from easydyn import Model, tdisp, trotz


def _four_bar(name):
    model = Model(name, gravity=(0, -9.81, 0))
    a, b, c, d, e = model.coordinates("a b c d e", initial=(1.2, -0.9, 1.7, -1.2, 1.5), rates=(4, 0, 0, 0, 0))
    crank = model.body("crank", trotz(a), mass=1, inertia=(0, 0, 0.0075), com=(0.15, 0, 0))
    pivot = crank.T * tdisp(0.3, 0, 0)
    coupler = model.body("coupler", pivot * trotz(b), mass=2, inertia=(0, 0, 0.1), com=(0.4, 0.1, 0))
    rocker = model.body("rocker", tdisp(0.9, 0, 0) * trotz(c), mass=1.5, inertia=(0, 0, 0.05), com=(0.3, 0.05, 0))
    pin = model.close((coupler, (0.8, 0, 0)), (rocker, (0.6, 0, 0)), joint="revolute", name="first pin")
    return model, d, e, coupler, rocker, pin


def _dyad(model, d, e, link, point, length, foot):
    rod = model.body("rod", link.T * tdisp(*point) * trotz(d), mass=1, inertia=(0, 0, 0.04), com=(length / 2, 0, 0))
    lever = model.body("lever", tdisp(*foot) * trotz(e), mass=1, inertia=(0, 0, 0.03), com=(0.3, 0, 0))
    return model.close((rod, (length, 0, 0)), (lever, (0.6, 0, 0)), joint="revolute", name="second pin")


def watt():
    """The model, and its two pins: the dyad hangs on the rocker, whose three joints are a triangle."""
    model, d, e, _, rocker, pin = _four_bar("Watt")
    return model, (pin, _dyad(model, d, e, rocker, (0.5, -0.3, 0), 0.9, (1.9, 0, 0)))


def stephenson():
    """The model, and its two pins: the dyad hangs on the coupler."""
    model, d, e, coupler, _, pin = _four_bar("Stephenson")
    return model, (pin, _dyad(model, d, e, coupler, (0.5, 0.3, 0), 1.1, (1.6, 0.2, 0)))


if __name__ == "__main__":
    model, closures = watt()
    print(model.mobility())
    run = model.simulate(1)
    print(run, *(f"{c}: {run.reaction(c).force[0]}" for c in closures[:3]), sep="\n")
