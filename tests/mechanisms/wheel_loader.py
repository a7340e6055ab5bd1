"""The linkage of a wheel loader: an arm with its cylinder, a rocker with another, a link that tips the bucket."""

from easydyn import Damper, Model, Spring, tdisp, trotz


def wheel_loader():
    """The model, and the pins of three chained loops: lift cylinder, tilt cylinder, link."""
    model = Model("wheel loader", gravity=(0, -9.81, 0))
    arm, rocker, bucket, link = model.coordinates("arm rocker bucket link", initial=(-0.24, 0.67, 0.2, -0.6))
    tube1, rod1, tube2, rod2 = model.coordinates("tube1 rod1 tube2 rod2", initial=(0.3, 1.1, 0.1, 1.0))
    boom = model.body("boom", tdisp(0, 2, 0) * trotz(arm), mass=900, inertia=(0, 0, 500), com=(1.2, 0.1, 0))
    lever = model.body("rocker", boom.T * tdisp(1.5, 0.4, 0) * trotz(rocker), mass=150, inertia=(0, 0, 20))
    tip = boom.T * tdisp(2.6, 0, 0) * trotz(bucket)
    scoop = model.body("bucket", tip, mass=1200, inertia=(0, 0, 400), com=(0.5, 0.1, 0))
    bar = model.body("link", lever.T * tdisp(0, -0.7, 0) * trotz(link), mass=60, inertia=(0, 0, 8), com=(0.4, 0, 0))
    closures = [model.close((bar, (1.0, 0, 0)), (scoop, (0, 0.35, 0)), joint="revolute", name="link pin")]
    cylinders = (("lift", tube1, rod1, (0.3, 1.2), (boom, (1.3, -0.2, 0)), 4e6),
                 ("tilt", tube2, rod2, (0.2, 2.5), (lever, (0, 0.6, 0)), 3e6))  # fmt: skip
    for name, angle, stroke, foot, end, stiffness in cylinders:
        tube = model.body(f"{name} tube", tdisp(*foot, 0) * trotz(angle), mass=60, inertia=(0, 0, 6), com=(0.4, 0, 0))
        rod = model.body(f"{name} rod", tube.T * tdisp(stroke, 0, 0), mass=40, inertia=(0, 0, 4), com=(-0.4, 0, 0))
        closures.append(model.close(rod, end, joint="revolute", name=f"{name} pin"))
        model.add(Spring((model.ground, (*foot, 0)), rod, stiffness=stiffness, free_length=1.1))
        model.add(Damper((model.ground, (*foot, 0)), rod, damping=stiffness / 100))
    return model, tuple(closures)


if __name__ == "__main__":
    model, closures = wheel_loader()
    print(model.mobility())
    run = model.simulate(0.2)
    print(run, *(f"{c}: {run.reaction(c).force[0]}" for c in closures[:3]), sep="\n")
