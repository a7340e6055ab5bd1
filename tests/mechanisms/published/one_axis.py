"""OneAxis: one axis of the r3 robot with its motor, controllers, gear and friction; it is an example of easydyn."""

from easydyn import examples


def one_axis():
    """The model, and its signals, by the names of columns."""
    states = {"axis.controller.PI.x": "axis_integral", "axis.motor.C.v": "axis_capacitor",
              "axis.motor.La.i": "axis_current", "axis.gear.spring.phi_rel": "axis_twist",
              "axis.gear.spring.w_rel": "axis_twist_rate", "axis.gear.bearingFriction.mode": "axis_friction.slides"}
    return examples.one_axis(), {**states, "load.phi": "load", "load.w": "load.dot"}


if __name__ == "__main__":
    model, signals = one_axis()
    model.simulate(1.4981317, save_every=0.002).plot("load", "reference").figure.savefig("one_axis.png")
