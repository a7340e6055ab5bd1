"""The flyball governor (IFToMM A05): a shaft, two rods with balls, a slider with a spring and a damper to each rod."""

from math import pi

from easydyn import Damper, Model, Spring, tdisp, troty, trotz


def flyball():
    """The model, and what holds the slider: no closure, a spring and a damper on each side."""
    model = Model("flyball governor", gravity=(0, 0, -9.81))
    turn, left, right = model.coordinates("turn left right", initial=(0, pi / 3, pi / 3), rates=(2 * pi, 0, 0))
    (s,) = model.coordinates("s", initial=0.5)
    shaft = trotz(turn)
    square, long = 0.01**2 / 6, (1 + 0.01**2) / 12
    model.body("shaft", shaft * tdisp(0, 0, 0.5), mass=0.3, inertia=(0.3 * long, 0.3 * long, 0.3 * square))
    slider = model.body("slider", shaft * tdisp(0, 0, s), mass=3, inertia=(0.005, 0.005, 0.005))
    efforts = []
    for name, q, side in (("left", left, -1), ("right", right, 1)):
        hinge = shaft * tdisp(0.05 * side, 0, 1) * troty(-side * q)
        rod = model.body(f"{name} rod", hinge * tdisp(0, 0, -0.5), mass=0.3,
                         inertia=(0.3 * long, 0.3 * long, 0.3 * square))  # fmt: skip
        model.body(f"{name} ball", hinge * tdisp(0, 0, -1), mass=5, inertia=(0, 0, 0))
        ends = (slider, (0.05 * side, 0, 0)), rod
        efforts += [Spring(*ends, stiffness=8e5, free_length=0.5), Damper(*ends, damping=4e4)]
    model.add(*efforts)
    return model, ()


if __name__ == "__main__":
    model, _ = flyball()
    run = model.simulate(2)
    print(run, run["s"])
