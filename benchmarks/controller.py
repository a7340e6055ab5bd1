"""What does a sampled controller cost?

A PID controller of 1 kHz on a direct-current motor for 10 s, with `model.controller`, beside the same loop written by
hand with a Stepper, and beside SciPy from sample to sample. All end at the same speed.
"""

from __future__ import annotations

import common

NAME = "controller"
QUESTION = "Direct-current motor with a PID controller of 1 kHz"
PERIOD = 1e-3
L, R, K, J = 0.5, 2.0, 0.02, 2e-4


def law():  # type: ignore[no-untyped-def]
    """The controller, with a memory of its own."""
    from easydyn import PID

    return PID("w", "U", proportional=0.24, integral=0.17, derivative=0.03, setpoint=50)


def motor():  # type: ignore[no-untyped-def]
    """Current and speed: first-order states, one input."""
    from easydyn import Model

    model = Model("direct-current motor")
    i, w = model.states("i w")
    U = model.input("U")
    model.equation(L * i.dot + R * i + K * w - U)
    model.equation(J * w.dot - K * i)
    return model


def by_hand(seconds: float) -> float:
    """The loop as one would write it with a Stepper."""
    stepper, control = motor().stepper(), law()
    for k in range(round(seconds / PERIOD)):
        stepper["U"] = control(k * PERIOD, stepper)["U"]
        stepper.advance(PERIOD)
    return float(stepper["w"])


def by_scipy(seconds: float) -> float:
    """The loop with solve_ivp."""
    from scipy.integrate import solve_ivp

    control, state = law(), [0.0, 0.0]
    for k in range(round(seconds / PERIOD)):
        voltage = control(k * PERIOD, {"w": state[1]})["U"]
        found = solve_ivp(
            lambda t, y, u=voltage: [(u - R * y[0] - K * y[1]) / L, K * y[0] / J],
            (0, PERIOD), state, rtol=1e-8, atol=1e-10,
        )  # fmt: skip
        state = found.y[:, -1]
    return float(state[1])


def main() -> None:
    """Measure, print, save."""
    options = common.arguments(__doc__)
    seconds = 0.2 if options.quick else 10.0
    model = motor()
    model.controller(PERIOD, law())

    def ours() -> float:
        return float(model.simulate(seconds, save_every=seconds / 10, target=options.target)["w"][-1])

    peers = {"a Stepper in a loop by hand": by_hand}
    rows = []
    if not options.quick:
        try:
            common.peer("scipy", "SciPy")
            peers["SciPy, solve_ivp in a loop"] = by_scipy
        except common.NotInstalled:
            print("SciPy is not installed")
    for name, peer in peers.items():
        difference = common.same(ours(), peer(seconds), 1e-6, name)
        timings = common.interleave({"ours": ours, "peer": lambda peer=peer: peer(seconds)}, rounds=3)
        rows.append(
            common.compared(
                timings["ours"], timings["peer"], case="motor and PID", kind="planar",
                quantity=f"{seconds:g} s at 1 kHz", peer=name, ours="easydyn", error=difference,
            )
        )  # fmt: skip
    common.finish(NAME, QUESTION, rows, save=options.save)


if __name__ == "__main__":
    main()
