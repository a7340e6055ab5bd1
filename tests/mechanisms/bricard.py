"""Bricard's mechanism (IFToMM A04): five rods and six hinges, whose axes let it move though counting says it cannot."""

from easydyn import Model, ground, tdisp, trotx, troty, trotz


def bricard():
    """The model, and its last hinge."""
    model = Model("Bricard", gravity=(0, -9.81, 0))
    q = model.coordinates([f"q{i}" for i in range(5)])
    along = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
    rods = (((1, 0, 0), "x"), ((0, -1, 0), "y"), ((0, 0, 1), "z"), ((-1, 0, 0), "x"), ((0, 1, 0), "y"))
    # the joints are at (0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)
    T, thin, thick = tdisp(0, 0, 0), 0.1**2 / 6, (1 + 0.1**2) / 12
    for i, (turn, (way, axis)) in enumerate(zip((troty, trotz, trotx, troty, trotz), rods, strict=True)):
        T = T * turn(q[i])
        body = model.body(
            f"rod {i + 1}", T, mass=1, inertia=tuple(thin if x == axis else thick for x in along),
            com=tuple(x / 2 for x in way),
        )  # fmt: skip
        T = T * tdisp(*way)
    return model, (model.close((ground, (0, 0, 1)), (body, (0, 1, 0)), joint="revolute", axis="x", name="last hinge"),)


if __name__ == "__main__":
    model, closures = bricard()
    print(model.mobility())
    run = model.simulate(1)
    print(run, *(f"{c}: {run.reaction(c).force[0]}" for c in closures[:3]), sep="\n")
