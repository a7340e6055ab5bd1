"""A disc that rolls on a plane: its centre is as high as its lean says, its point of contact does not slip."""

from sympy import cos

from easydyn import Model, Rolling, cross, ground, tdisp, trotx, troty, trotz


def rolling_disc(lean=0.0, turn=0.0, spin=3.0, radius=0.5, element=False):
    """The model, and its two constraints, or its element; thin, 2 kg; `turn` about z, `spin` about its axis."""
    model = Model("rolling disc", gravity=(0, 0, -9.81))
    yaw, lying, angle = model.coordinates("yaw lean spin", initial=(0, lean, 0), rates=(turn, 0, spin))
    x, y = model.coordinates("x y")  # declared last: their rates follow
    inertia = tuple(2 * radius**2 / 4 * i for i in (1, 2, 1))
    heading = trotz(yaw) * trotx(lying)
    disc = model.body("disc", tdisp(x, y, radius * cos(lying)) * heading * troty(angle), mass=2, inertia=inertia)
    if element:
        model.add(Rolling(disc, ground, radius=radius))
        return model, model.constraints
    down = heading.R * (0, 0, -radius)
    slip = disc.v + cross(disc.omega, down)
    return model, tuple(model.constraint(component, name=name) for component, name in zip(slip[:2], "xy", strict=True))


if __name__ == "__main__":
    model, rows = rolling_disc(0.1)
    print(model.mobility())
    print(model.simulate(1))
