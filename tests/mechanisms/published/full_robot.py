"""FullRobot: the r3 robot whole: six axes with motors, controllers, gears and friction; an example of easydyn."""

from easydyn import examples

AXIS = {"controller.PI.x": "integral", "motor.C.v": "capacitor", "motor.La.i": "current",
        "gear.bearingFriction.mode": "friction.slides"}  # fmt: skip
ELASTIC = {"gear.spring.phi_rel": "twist", "gear.spring.w_rel": "twist_rate"}


def full_robot():
    """The model, and the published signals, by the names of columns."""
    signals = {"mechanics.b2.body.w_a[1]": "upper_arm_turning"}
    for k in range(1, 7):
        own = {**AXIS, **ELASTIC} if k < 4 else AXIS
        signals |= {f"axis{k}.{theirs}": f"axis{k}_{ours}" for theirs, ours in own.items()}
        signals |= {f"mechanics.r{k}.phi": f"joint{k}", f"mechanics.r{k}.w": f"joint{k}.dot"}
    return examples.robot_r3(), signals


if __name__ == "__main__":
    model, signals = full_robot()
    model.simulate(1.856, save_every=0.005).plot("joint1", "joint2", "joint3").figure.savefig("full_robot.png")
