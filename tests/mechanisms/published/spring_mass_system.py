"""SpringMassSystem: two masses on slides, one on a spring along its joint, one on a spring between two points."""

from easydyn import Model, Spring, TorsionSpring, ground, tdisp


def spring_mass_system():
    """The model, and the published signals: both masses do the same."""
    model = Model("SpringMassSystem", gravity=(0, -9.80665, 0))
    s1, s2 = model.coordinates("s1 s2", initial=(0.1, 0.1))
    model.body("body1", tdisp(0.3, -s1, 0), mass=1, inertia=(0.001, 0.001, 0.001))
    body = model.body("body2", tdisp(0.6, -s2, 0), mass=1, inertia=(0.001, 0.001, 0.001))
    along = TorsionSpring(s1, stiffness=30, free_angle=0.1)  # on a coordinate, here a length
    model.add(along, Spring((ground, (0.6, 0, 0)), body, stiffness=30, free_length=0.1))
    return model, {"p1.s": s1, "p1.v": s1.dot, "p2.s": s2, "p2.v": s2.dot}


if __name__ == "__main__":
    model, signals = spring_mass_system()
    model.simulate(5, save_every=0.01).plot(*signals.values()).figure.savefig("spring_mass_system.png")
