"""ActuatedDrive: a torque along x turns a rotor, and a body of the same inertia on a hinge."""

from math import pi

from sympy import sin

from easydyn import Actuator, Model, Rotor, ground, t, trotx


def actuated_drive():
    """The model, and its signals: both turn alike."""
    model = Model("ActuatedDrive")
    q, phi = model.coordinates("q phi")
    model.body("body", trotx(phi), mass=1, inertia=(2, 1, 1))
    model.add(Rotor(ground, axis="x", inertia=2, coordinate=q, name="rotor1D"))
    model.add(Actuator(q, command=sin(2 * pi * t)), Actuator(phi, command=sin(2 * pi * t)))
    return model, {"rotor1D.phi": q, "rotor1D.w": q.dot, "revolute.phi": phi, "revolute.w": phi.dot}


if __name__ == "__main__":
    model, signals = actuated_drive()
    model.simulate(5, save_every=0.01).plot(*signals.values()).figure.savefig("actuated_drive.png")
