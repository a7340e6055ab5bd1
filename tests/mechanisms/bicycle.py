"""Whipple's bicycle: two wheels that roll without slip, a frame with its rider, a fork; the published benchmark.

J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab: Linearized dynamics equations for the balance and steer of a
bicycle, Proc. R. Soc. A 463 (2007) 1955-1982. x forward, y to the right, z downwards, as there.
"""

from math import pi

from easydyn import Model, Rolling, ground, tdisp, trotx, troty, trotz

BENCHMARK = {
    "w": 1.02, "c": 0.08, "lam": pi / 10, "g": 9.81,
    "rR": 0.3, "mR": 2.0, "IRxx": 0.0603, "IRyy": 0.12,
    "xB": 0.3, "zB": -0.9, "mB": 85.0, "IBxx": 9.2, "IByy": 11.0, "IBzz": 2.8, "IBxz": 2.4,
    "xH": 0.9, "zH": -0.7, "mH": 4.0, "IHxx": 0.05892, "IHyy": 0.06, "IHzz": 0.00708, "IHxz": -0.00756,
    "rF": 0.35, "mF": 3.0, "IFxx": 0.1405, "IFyy": 0.28,
}  # fmt: skip


def bicycle(speed=4.6, **changes):
    """The model, and its wheels on the ground; `speed` (m/s) is a parameter; `changes` of the benchmark."""
    p = BENCHMARK | changes
    w, c, rR, rF = p["w"], p["c"], p["rR"], p["rF"]
    model = Model("bicycle", gravity=(0, 0, p["g"]))
    (v,) = model.parameters(v=speed)
    lean, steer, rear = model.coordinates("lean steer rear", rates=(0, 0, -v / rR))
    pitch, front, yaw, x, y, z = model.coordinates("pitch front yaw x y z", initial=(0, 0, 0, 0, 0, -rR))
    frame = tdisp(x, y, z) * trotz(yaw) * trotx(lean) * troty(pitch)  # at the centre of the rear wheel
    head = frame * tdisp(w + c, 0, rR) * troty(p["lam"]) * trotz(steer) * troty(-p["lam"])  # on the axis, at the ground
    rear_wheel = model.body("rear wheel", frame * troty(rear), mass=p["mR"], inertia=(p["IRxx"], p["IRyy"], p["IRxx"]))
    front_wheel = model.body("front wheel", head * tdisp(-c, 0, -rF) * troty(front), mass=p["mF"],
                             inertia=(p["IFxx"], p["IFyy"], p["IFxx"]))  # fmt: skip
    model.body("rider and frame", frame * tdisp(p["xB"], 0, p["zB"] + rR), mass=p["mB"],
               inertia=(p["IBxx"], p["IByy"], p["IBzz"], 0, 0, p["IBxz"]))  # fmt: skip
    model.body("fork", head * tdisp(p["xH"] - w - c, 0, p["zH"]), mass=p["mH"],
               inertia=(p["IHxx"], p["IHyy"], p["IHzz"], 0, 0, p["IHxz"]))  # fmt: skip
    upwards = {"normal": (0, 0, -1)}
    model.add(Rolling(rear_wheel, ground, radius=rR, **upwards), Rolling(front_wheel, ground, radius=rF, **upwards))
    return model, model.constraints


if __name__ == "__main__":
    model, wheels = bicycle()
    print(model.mobility())
    print(model.linearize())
