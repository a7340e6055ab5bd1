"""LineForceWithTwoMasses: a cylinder of two heavy halves holds a bar, once of bodies, once as a force with masses."""

from math import atan2, hypot

from easydyn import Damper, Model, ground, tdisp, trotz, visu


def line_force_with_two_masses():
    """The model, and the published signals: both bars move alike.

    The first cylinder is a tree of its own, on the ground; a joint at its end closes the loop.
    """
    model = Model("LineForceWithTwoMasses", gravity=(0, -9.80665, 0))
    phi1, phi2 = model.coordinates("phi1 phi2")
    bar = visu.Box.along((0.7, 0, 0), 0.035)
    first = model.body("bodyBox1", tdisp(0, 0.3, 0) * trotz(phi1), density=7700, shape=bar)
    second = model.body("bodyBox2", tdisp(0, 0.3, 0.3) * trotz(phi2), density=7700, shape=bar)
    turn, s = model.coordinates("turn s", initial=(atan2(1.2, 0.7), hypot(0.7, 1.2)))
    cylinder = tdisp(0, -0.9, 0) * trotz(turn)
    model.body("body1", cylinder * tdisp(0.2, 0, 0), mass=1, inertia=(0, 0, 0))
    rod = model.body("body2", cylinder * tdisp(s - 0.2, 0, 0), mass=1, inertia=(0, 0, 0))
    model.close((first, (0.7, 0, 0)), (rod, (0.2, 0, 0)), joint="spherical", name="end")
    model.add(
        Damper((ground, (0, -0.9, 0)), (first, (0.7, 0, 0)), damping=3),
        Damper((ground, (0, -0.9, 0.3)), (second, (0.7, 0, 0)), damping=3, mass=(1, 1), distances=(0.2, 0.2)),
    )
    return model, {"revolute1.phi": phi1, "revolute1.w": phi1.dot, "revolute2.phi": phi2, "revolute2.w": phi2.dot}


if __name__ == "__main__":
    model, signals = line_force_with_two_masses()
    model.simulate(3, save_every=0.01).plot(*signals.values()).figure.savefig("line_force_with_two_masses.png")
