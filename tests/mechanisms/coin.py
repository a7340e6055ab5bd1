"""A disc that rolls on a plane in any orientation: all six coordinates, one element."""

from easydyn import Model, Rolling, ground, tdisp, trotx, troty, trotz


def coin(lean=0.3, turn=-2.0, spin=5.0, radius=0.5):
    """The model, and its element; thin, 2 kg; `turn` about the vertical, `spin` about its own axis (rad/s)."""
    model = Model("coin", gravity=(0, 0, -9.81))
    lying, yaw, angle = model.coordinates("lean yaw spin", initial=(lean, 0, 0), rates=(0, turn, spin))
    x, y, z = model.coordinates("x y z", initial=(0, 0, radius))
    frame = tdisp(x, y, z) * trotz(yaw) * trotx(lying) * troty(angle)
    disc = model.body("disc", frame, mass=2, inertia=tuple(2 * radius**2 / 4 * i for i in (1, 2, 1)))
    rim = Rolling(disc, ground, radius=radius, name="rim")
    model.add(rim)
    return model, (rim,)


if __name__ == "__main__":
    model, rows = coin()
    print(model.mobility())
    print(model.simulate(1))
