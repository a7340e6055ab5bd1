"""A rattleback: half an ellipsoid whose axes of inertia lie askew; spun one way it rattles, and turns back."""

import json
from math import radians
from pathlib import Path

from sympy import sqrt

from easydyn import Model, Vector, cross, tdisp, trotx, troty, trotz

DATA = json.loads((Path(__file__).parent.parent / "data" / "mechanisms.json").read_text())["rattleback"]["params"]


def rattleback(spin=5.0):
    """The model, and its constraints: it touches the plane, and does not slip there."""
    model = Model("rattleback", gravity=(0, 0, -DATA["g"]))
    tilt = radians(0.5)
    z, x, y = model.coordinates("z x y", initial=(0.01, 0, 0))
    yaw, a, b = model.coordinates("yaw a b", initial=(0, tilt, tilt), rates=(spin, 0, 0))
    I = DATA["I"]
    tensor = (I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2])
    frame = tdisp(x, y, z) * trotz(yaw) * trotx(a) * troty(b)
    body = model.body("stone", frame, mass=DATA["M"], inertia=tensor)
    up = [axis[2] for axis in frame.R]  # the vertical in the axes of the stone
    axes = [DATA[name] ** 2 for name in "abc"]
    length = sqrt(sum(s * u**2 for s, u in zip(axes, up, strict=True)))
    point = frame.R * Vector(*(-s * u / length for s, u in zip(axes, up, strict=True)))
    arm = point + frame.R * Vector(0, 0, DATA["centre_above_mass_centre"])
    slip = body.v + cross(body.omega, arm)
    touch = model.constraint(z + arm[2], name="touch")
    return model, (touch, model.constraint(slip[0], name="x"), model.constraint(slip[1], name="y"))




if __name__ == "__main__":
    model, rows = rattleback()
    print(model.mobility())
    print(model.simulate(2)["yaw.dot"])
