"""Checks of exercise 12."""

import numpy as np

from easydyn import Model
from easydyn.course import Wrong, stage
from easydyn.errors import IntegrationError

L, R, k, J, b, H = 0.01, 1.0, 0.1, 2e-3, 1e-3, 0.01
GAIN = k / (R * b + k**2)


def reference():
    """The motor itself: what is asked of a run is asked of this one, which no student has made."""
    made = Model("motor")
    i, w = made.states("i w")
    U = made.input("U")
    made.equation(L * i.dot + R * i + k * w - U)
    made.equation(J * w.dot + b * w - k * i)
    made.output("speed", w)
    return made


def motor_of(work):
    model = work.a(Model, work.call("motor"), "a Model")
    mechanism = model.mechanism
    states = [str(x) for x in mechanism.states]
    work.require(states == ["i", "w"] and not mechanism.coordinates, "The motor has the two states i and w: "
                 'made.states("i w").', came=model.names, expected="('i', 'w')")
    inputs = [str(u) for u in mechanism.inputs]
    work.require(inputs == ["U"], 'The voltage is the input U: made.input("U").', came=inputs, expected="['U']")
    work.require(len(mechanism.equations) == 2, "Two equations are asked for: voltages, torques.",
                 came=len(mechanism.equations), expected="2")
    work.require("speed" in mechanism.outputs, 'The output is missing: made.output("speed", w).',
                 came=list(mechanism.outputs), expected="['speed']")
    return model


@stage("The motor")
def motor(work):
    model = motor_of(work)
    for _ in range(3):
        i, w, di, dw, U = work.draw(5, -2, 2)
        values = model.values() | {"i": i, "w": w, "i.dot": di, "w.dot": dw, "U": U}
        work.called = "first equation of motor()"
        work.compare(
            np.ravel(work.at(model.mechanism.equations[0], values))[0], L * di + R * i + k * w - U,
            "L i', R i and k w on one side, U on the other: four terms.",
            mistakes=[(L * di + R * i - k * w - U, "The sign of the induced voltage: it acts against U, so that a "
                                                   "motor that "
                       "turns faster takes less current."),
                      (L * di + R * i - U, "The induced voltage k w is missing."),
                      (L * di + R * i + k * w + U, "The sign of U: it drives the current."),
                      (-L * di - R * i - k * w + U, "All signs are turned: write L i' with a plus.")])
        work.called = "second equation of motor()"
        work.compare(
            np.ravel(work.at(model.mechanism.equations[1], values))[0], J * dw + b * w - k * i,
            "J w' and b w on one side, k i on the other: three terms.",
            mistakes=[(J * dw - b * w - k * i, "The sign of the friction: it brakes."),
                      (J * dw - k * i, "The friction b w is missing."),
                      (J * dw + b * w + k * i, "The sign of the torque: it drives the rotor."),
                      (-J * dw - b * w + k * i, "All signs are turned: write J w' with a plus.")])


@stage("The steady speed")
def steady(work):
    for U in work.draw(3, 5, 20):
        work.compare(
            work.number(work.call("steady_speed", U)), GAIN * U, "With i' = w' = 0 there are two equations for i "
                                                                 "and w.",
            mistakes=[(U / k, "That is the speed without friction: with it a current flows, and R i is missing from "
                              "the voltage."),
                      (k * U / (R * b), "The induced voltage is missing: it leaves little for the current."),
                      (k * U / (R * b - k**2), "The sign of the induced voltage.")])


@stage("With a proportional controller")
def proportional(work):
    for P in work.draw(3, 0.05, 0.5):
        came = work.number(work.call("proportional_speed", P))
        right = 100 * GAIN * P / (1 + GAIN * P)
        work.compare(
            came, right, "The speed is G U, and U depends on the speed: solve for it.",
            mistakes=[(100, "A proportional controller does not reach it: at 100 rad/s its voltage would be zero."),
                      (100 * GAIN * P, "You have taken U = 100 P: as the motor speeds up, the voltage falls."),
                      (100 - right, "That is the error that remains, not the speed."),
                      (100 * P / (1 + P), "The gain of the motor, its speed for 1 V, is missing.")])


@stage("A PI controller")
def controller(work):
    (wanted,), (P,), (I,) = work.draw(1, 35, 45), work.draw(1, 0.2, 0.4), work.draw(1, 1.5, 2.5)
    law = work.call("PI", P, I, wanted)
    work.require(callable(law), "PI returns a function law(t, outputs).", came=law, expected="a function")
    total, wrong_total = 0.0, 0.0
    for j, speed in enumerate([0.0, *work.draw(1, 8, 12), *work.draw(1, 48, 55), *work.draw(1, 25, 32)]):
        came = work.result(f"law({j * H:g}, {{'speed': {speed:g}}}), call {j + 1} of PI({P}, {I}, {wanted:g})", law,
                           j * H,
                           {"speed": speed})
        work.require(isinstance(came, dict) and set(came) == {"U"}, "law returns a dict with the input: {'U': "
                                                                    "command}.",
                     came=came, expected="{'U': ...}")
        e = wanted - speed
        before, total, wrong_total = total, total + e * H, wrong_total + e
        work.compare(
            work.number(came["U"]), P * e + I * total, "P e + I S, with S the sum of e h over all samples up to "
                                                       "this one.",
            mistakes=[(-P * e - I * total, "The sign of the error: it is the wanted speed less the measured one."),
                      (P * e, "The integral is missing, or it does not grow: does the sum survive from call to call?"),
                      (P * e + I * wrong_total, "The period h is missing in the sum: S is the sum of e h."),
                      (P * e + I * before, "The present sample is not in the sum yet: add e h first, then take the "
                                           "command."),
                      (P * e + I * e * H, "The sum does not survive from one call to the next."),
                      (P * e + total, "The gain I is missing.")])
    first = work.call("PI", P, I, wanted)
    again = work.result("PI(...) made anew, its first call", first, 0.0, {"speed": 0.0})
    work.compare(work.number(again["U"]), P * wanted + I * wanted * H,
                 "A new controller begins with the sum of an old one: the sum belongs inside PI, not at the top.")


@stage("Gains for a quick, calm start")
def gains(work):
    P, I = work.number(work.value("P")), work.number(work.value("I"))
    motor_of(work)
    work.call("PI", P, I, 100.0)
    model, asked, total = reference(), [], 0.0

    def law(t, outputs):  # that of the stage before
        nonlocal total
        e = 100.0 - outputs["speed"]
        total += e * H
        asked.append(P * e + I * total)
        return {"U": asked[-1]}

    model.controller(H, law)
    try:
        run = model.simulate(2, save_every=0.01, max_step=0.01, tolerance=1e-3, target="python")
    except IntegrationError as error:
        raise Wrong(f"The motor does not run with these gains: {error}", called=f"PI({P:g}, {I:g}, 100)") from None
    work.called = f"motor() with PI({P:g}, {I:g}, 100), 2 s"
    speed = run["speed"]
    work.require(max(asked) <= 24.0, "It asks for more voltage than there is.", came=f"{max(asked):.3g} V",
                 expected="24 V")
    work.require(speed.max() <= 110, "The speed goes too far beyond: less I, or more P.", came=f"{speed.max():.4g} "
                                                                                               f"rad/s",
                 expected="at most 110 rad/s")
    late = speed[run.t >= 0.5]
    work.require(abs(late - 100).max() <= 2, "It is not calm after 0.5 s: too slow, or still swinging. Plot "
                                             "run['speed'].",
                 came=f"between {late.min():.4g} and {late.max():.4g} rad/s", expected="between 98 and 102 rad/s")
