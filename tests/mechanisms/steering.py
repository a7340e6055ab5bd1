"""A rack moves two tie rods, which turn the wheels about inclined kingpins; the tie rods are massless rods."""

from easydyn import Model, Spring, ground, tdisp, trotx, troty, trotz


def steering():
    """The model, and its two tie rods."""
    model = Model("steering", gravity=(0, 0, -9.81))
    y, l, r = model.coordinates("y l r", initial=(0.03, 0, 0), rates=(0.2, 0, 0))
    rack = model.body("rack", tdisp(-0.18, y, 0), mass=3, inertia=(0, 0, 0))
    model.add(Spring(rack, (ground, (-0.18, -1, 0)), stiffness=2000, free_length=1))
    rods = []
    for name, q, side in (("left", l, 1), ("right", r, -1)):
        knuckle = model.body(
            name, tdisp(0, 0.75 * side, 0) * trotx(0.2 * side) * troty(-0.1) * trotz(q), mass=20,
            inertia=(0.6, 1, 0.6), com=(0.02, 0.1 * side, 0),
        )  # fmt: skip
        end, arm = (rack, (0, 0.35 * side, 0.02)), (knuckle, (-0.15, -0.1 * side, 0))
        rods.append(model.close(end, arm, joint="distance", length=0.31, name=f"{name} tie rod"))
    return model, tuple(rods)


if __name__ == "__main__":
    model, rods = steering()
    print(model.mobility())
    run = model.simulate(1)
    print(run, *(run.multipliers(rod)[0] for rod in rods), sep="\n")
