"""SpringDamperSystem: a body in space on a spring and a damper, and another one on a slide."""

from easydyn import Damper, Model, Spring, ground, tdisp


def spring_damper_system():
    """The model, and the published signals."""
    model = Model("SpringDamperSystem", gravity=(0, -9.80665, 0))
    one = model.free_body("body1", mass=1, inertia=(0.1, 0.1, 0.1), com=(0, -0.2, 0), position=(0.3, -0.2, 0),
                          angular_velocity=(0, 0, 0.03490658503988659))  # fmt: skip
    s = model.coordinate("s", initial=0.1)
    two = model.body("body2", tdisp(0.9, -s, 0), mass=1, inertia=(0.001, 0.001, 0.001))
    model.add(
        Spring((ground, (0.3, 0, 0)), one, stiffness=30, free_length=0.1),
        Damper((ground, (0.3, 0, 0)), one, damping=2),
        Spring((ground, (0.9, 0, 0)), two, stiffness=30, free_length=0.1),
    )
    vectors = {"r_0": one.T.e, "v_0": one.v, "w_a": one.T.R.inv() * one.omega}
    free = {f"body1.{name}[{i + 1}]": vector[i] for name, vector in vectors.items() for i in range(3)}
    return model, {**free, "p2.s": s, "p2.v": s.dot}


if __name__ == "__main__":
    model, signals = spring_damper_system()
    model.simulate(10, save_every=0.01).plot("body1_y", "s").figure.savefig("spring_damper_system.png")
