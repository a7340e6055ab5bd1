"""A scissor lift: in each stage two bars cross in their middles; the lowest right end slides on the ground."""

from math import pi

from easydyn import Model, ground, tdisp, trotz


def scissor_lift(stages=1, angle=0.5, length=1.0, mass=2.0, load=10.0):
    """The model, its closures: of the slide on the ground, then of the right hinges between stages."""
    model = Model("scissor lift", gravity=(0, -9.81, 0))
    rising = model.coordinates([f"a{i}" for i in range(stages)], initial=angle)
    falling = model.coordinates([f"b{i}" for i in range(stages)], initial=pi - angle)
    rod = {"mass": mass, "inertia": (0, 0, mass * length**2 / 12)}
    half, closures, foot, last = length / 2, [], tdisp(0, 0, 0), None
    for i, (a, b) in enumerate(zip(rising, falling, strict=True)):
        middle = foot * trotz(a) * tdisp(half, 0, 0)
        one = model.body(f"rising {i}", middle, **rod)
        other = model.body(f"falling {i}", middle * trotz(b - a), **rod)
        foot = other.T * tdisp(half, 0, 0) * trotz(-b)
        on, joint = (ground, ("y",)) if last is None else ((last, (half, 0, 0)), "revolute")
        closures.append(model.close((other, (-half, 0, 0)) if last else on, on if last else (other, (-half, 0, 0)),
                                    joint=joint, name=f"right {i}"))  # fmt: skip
        last = one
    model.body("load", foot, mass=load, inertia=(0, 0, 0))
    return model, tuple(closures)


if __name__ == "__main__":
    model, closures = scissor_lift()
    print(model.mobility())
    run = model.simulate(0.3)
    print(run, *(f"{c}: {run.reaction(c).force[0]}" for c in closures[:3]), sep="\n")
