"""MovingActuatedDrive: a torque turns a rotor in a base that swings about y, and a body on a hinge in such a base."""

from math import pi

from sympy import sin

from easydyn import Actuator, Model, Rotor, t, tdisp, trotx, troty


def moving_actuated_drive():
    """The model, and its signals: both turn alike; `run.reaction` tells what their bearings carry."""
    model = Model("MovingActuatedDrive")
    q, phi = model.coordinates("q phi")
    swing = troty(2 * sin(2 * pi * t))
    base = model.body("base", swing, mass=1, inertia=(2, 1, 1))  # of which the rotor is a part
    model.body("body", tdisp(0, 0, 1) * swing * trotx(phi), mass=1, inertia=(2, 1, 1))
    model.add(Rotor(base, axis="x", inertia=2, coordinate=q, name="rotor1D"))
    model.add(Actuator(q, command=sin(2 * pi * t)), Actuator(phi, command=sin(2 * pi * t)))
    return model, {"rotor1D.phi": q, "rotor1D.w": q.dot, "revolute.phi": phi, "revolute.w": phi.dot}


if __name__ == "__main__":
    model, signals = moving_actuated_drive()
    model.simulate(5, save_every=0.01).plot(*signals.values()).figure.savefig("moving_actuated_drive.png")
