"""A four-bar whose rocker is as long as its slide is open, with a spring in it: two degrees of freedom."""

from easydyn import Model, Spring, tdisp, trotz


def four_bar_with_slide():
    """The model, and its pin between coupler and slide."""
    model = Model("four-bar with slide", gravity=(0, -9.81, 0))
    a, s, b, c = model.coordinates("a s b c", initial=(1.2, 0.5, -1.2, 1.7), rates=(2, 0, 0, 0))
    crank = model.body("crank", trotz(a), mass=1, inertia=(0, 0, 0.0075), com=(0.15, 0, 0))
    coupler = model.body("coupler", crank.T * tdisp(0.3, 0, 0) * trotz(b), mass=2, inertia=(0, 0, 0.1), com=(0.4, 0, 0))
    rocker = model.body("rocker", tdisp(0.9, 0, 0) * trotz(c), mass=1.5, inertia=(0, 0, 0.04), com=(0.2, 0, 0))
    slide = model.body("slide", rocker.T * tdisp(s, 0, 0), mass=0.5, inertia=(0, 0, 0.002))
    model.add(Spring(rocker, slide, stiffness=400, free_length=0.55))
    return model, (model.close((coupler, (0.8, 0, 0)), slide, joint="revolute", name="pin"),)


if __name__ == "__main__":
    model, closures = four_bar_with_slide()
    print(model.mobility())
    run = model.simulate(1)
    print(run, *(f"{c}: {run.reaction(c).force[0]}" for c in closures[:3]), sep="\n")
