"""HeatLosses: three bodies on springs and dampers, beside each other and in series, whose heat goes to the air."""

from easydyn import Damper, Model, Spring, ground
from easydyn.forces import SpringDamperSeries


def heat_losses():
    """The model, and the published signals. The heat is what the dampers take: `run.power` of model's last elements."""
    model = Model("HeatLosses", gravity=(0, -9.80665, 0))
    bodies = [model.free_body(f"body{k}", mass=1, inertia=(0.1, 0.1, 0.1), com=(0, -0.2, 0),
                              position=(0.3 * k, -0.2, 0), angular_velocity=(0, 0, 0.034906585039887))
              for k in (1, 2, 3)]  # fmt: skip
    ends = [((ground, (0.3 * k, 0, 0)), body) for k, body in enumerate(bodies, start=1)]
    series = SpringDamperSeries(*ends[2], stiffness=30, damping=2, free_length=0.1, name="series")
    model.add(
        Spring(*ends[0], stiffness=30, free_length=0.1),
        Spring(*ends[1], stiffness=30, free_length=0.1),
        Spring(*ends[2], stiffness=30, free_length=0.2),
        series,
        Damper(*ends[0], damping=2),
        Damper(*ends[1], damping=2),
    )
    vectors = [(body.name, kind, vector) for body in bodies for kind, vector in (
        ("frame_a.r_0", body.T.e), ("v_0", body.v), ("w_a", body.T.R.inv() * body.omega))]  # fmt: skip
    signals = {f"{name}.{kind}[{i + 1}]": vector[i] for name, kind, vector in vectors for i in range(3)}
    return model, {**signals, "springDamperSeries.s_damper": series.way}


if __name__ == "__main__":
    model, signals = heat_losses()
    model.simulate(3, save_every=0.01).plot("body1_y", "body2_y", "body3_y").figure.savefig("heat_losses.png")
