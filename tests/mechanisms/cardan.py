"""Shafts with universal joints: one joint; two, between parallel shafts; two such lines side by side."""

from math import cos, sin

from easydyn import Model, tdisp, trotx, trotz


def _shafts(model, names, frames):
    return [model.body(name, T, mass=1, inertia=(0.01, 0.01, 0.002)) for name, T in zip(names, frames, strict=True)]


def cardan(bend=0.6):
    """The model, and its joint: shaft a along z, shaft b turned by `bend` about x."""
    model = Model("Cardan joint")
    a, b = model.coordinates("a b", initial=(0.3, 0.2), rates=(10, 0))
    one, other = _shafts(model, ("driving", "driven"), (trotz(a), trotx(bend) * trotz(b)))
    return model, (model.close(one, other, joint="universal", name="cross"),)


def _line(model, first, name, b, c, bend, length=0.5):
    """A bent shaft that `first` drives, and a parallel one that it drives."""
    between, last = _shafts(model, (f"{name} shaft", f"{name} end"), (
        trotx(bend) * trotz(b), tdisp(0, -length * sin(bend), length * cos(bend)) * trotz(c)))  # fmt: skip
    return last, (
        model.close(first, between, joint="universal", name=f"{name} first cross"),
        model.close(last, (between, (0, 0, length)), joint="universal", name=f"{name} second cross"),
    )


def double_cardan(bend=0.6):
    """The model, and its two joints: shafts a and c are parallel."""
    model = Model("two Cardan joints")
    a, b, c = model.coordinates("a b c", initial=(0.3, 0.2, 0.3), rates=(10, 0, 0))
    (first,) = _shafts(model, ("driving",), (trotz(a),))
    return model, _line(model, first, "bent", b, c, bend)[1]


def side_by_side():
    """The model, and its closures: two bent lines from one shaft, whose ends are one, welded together as well."""
    model = Model("two lines of Cardan joints")
    a, b, c, d, e = model.coordinates("a b c d e", initial=(0.3, 0.2, 0.3, 0.2, 0.3), rates=(10, 0, 0, 0, 0))
    (first,) = _shafts(model, ("driving",), (trotz(a),))
    one, crosses = _line(model, first, "upper", b, c, 0.6)
    other, more = _line(model, first, "lower", d, e, -0.4)
    return model, (*crosses, *more, model.close(one, other, joint=("rz",), name="gears"))


if __name__ == "__main__":
    model, closures = cardan()
    print(model.mobility())
    run = model.simulate(1)
    print(run, *(f"{c}: {run.reaction(c).force[0]}" for c in closures[:3]), sep="\n")
