"""Checks of exercise 07."""

import math

import numpy as np

from easydyn import Model
from easydyn.course import stage

L1, L2, G = 1.0, 2.0, 9.81
PERIOD = 5.32929  # s, of the run from q = 1 at rest


@stage("The angle of the rod")
def alpha(work):
    for q in work.draw(4, -3, 3):
        came = work.number(work.call("alpha", q))
        right = math.asin(L1 * math.sin(q) / L2)
        work.compare(
            came, right, "It must make l1 sin(q) = l2 sin(alpha).",
            mistakes=[(-right, "The sign: alpha is positive when the crank's end is above the x axis."),
                      (math.degrees(right), "That is in degrees: radians everywhere."),
                      (L1 * math.sin(q) / L2, "That is the sine of alpha: alpha itself is its asin."),
                      (math.acos(L1 * math.cos(q) / L2), "You have projected on x: the heights above the x axis are "
                                                         "equal."),
                      (math.acos(L1 * math.sin(q) / L2), "That is the angle to the vertical: asin, not acos."),
                      (math.atan(L1 * math.sin(q) / L2), "The rod is the hypotenuse: asin, not atan.")])


@stage("The position of the slider")
def slider(work):
    for q in work.draw(4, -3, 3):
        came = work.number(work.call("slider", q))
        root = math.sqrt(L2**2 - (L1 * math.sin(q)) ** 2)
        work.compare(
            came, L1 * math.cos(q) + root, "The distance from the crank's end to the slider must be l2 at every q.",
            mistakes=[(L1 * math.cos(q) - root, "That is the other way to close the loop: the slider is on the right."),
                      (L1 * math.cos(q) + L2, "The rod is not parallel to x: take its projection, with cos(alpha)."),
                      (L1 * math.cos(q) + L1 * math.sin(q) / 1.0, "That is the height of the crank's end, not its "
                                                                  "way to the "
                                                                  "slider: cos(alpha), not sin(alpha)."),
                      (root, "The way from the origin to the foot of the crank's end, l1 cos(q), is missing.")])


def model_of(work):
    model = work.a(Model, work.call("model"), "a Model")
    work.require(model.names == ("q",), "One coordinate is asked for, q: a closed loop needs no more.",
                 came=model.names,
                 expected="('q',)")
    work.require(len(model.bodies) == 3, "Three bodies are asked for: crank, rod, slider.", came=len(model.bodies),
                 expected="3")
    return model


@stage("The model: a loop that stays closed, masses, gravity")
def model(work):
    made = model_of(work)
    system = made.compile(target="python")
    for q in work.draw(4, -3, 3):
        work.called = f"frames of model() at q = {q}"
        crank, rod, block = system.frames(0, [q])
        x = L1 * math.cos(q) + math.sqrt(L2**2 - (L1 * math.sin(q)) ** 2)
        pin = np.array([L1 * math.cos(q), L1 * math.sin(q), 0, 1])
        work.compare(crank @ [L1 / 2, 0, 0, 1], pin, "The end of the crank is not where it should be: its frame "
                                                     "stands in its "
                     "middle, with the x axis along the crank.",
                     mistakes=[(pin + [L1 / 2 * math.cos(q), L1 / 2 * math.sin(q), 0, 0], "Your frame stands at the "
                                                                                          "end of "
                                "the crank: go half of its length only.")])
        work.compare(block[:3, 3], (x, 0, 0), "The slider is at (slider(q), 0, 0).")
        a = math.asin(L1 * math.sin(q) / L2)
        wrong = np.array([x - L2 * math.cos(a), -L2 * math.sin(a), 0, 1])
        work.compare(rod @ [L2 / 2, 0, 0, 1], (x, 0, 0, 1), "The loop does not close at the slider: half the length "
                                                            "of the rod "
                     "beyond its centre, along its x axis, should be the slider.",
                     mistakes=[((x - L2 * math.cos(a), pin[1], 0, 1), "The x axis of the rod points from the slider "
                                                                      "to the "
                                "crank: it should point to the slider.")])
        work.compare(rod @ [-L2 / 2, 0, 0, 1], pin, "The loop does not close: half the length of the rod before its "
                                                    "centre, "
                     "along its x axis, should be the end of the crank.",
                     mistakes=[(wrong, "The sign of the angle: with the crank's end above, the rod is turned by "
                                       "-alpha.")])
        work.called = f"mass matrix of model() at q = {q}"
        slope = math.cos(q) * L1 / (L2 * math.cos(a))  # d alpha / d q
        dx = -L1 * math.sin(q) - L2 * math.sin(a) * slope
        middle = np.array([dx + L2 / 2 * math.sin(a) * slope, L2 / 2 * math.cos(a) * slope])
        parts = [L1**2 / 4 + 0.0833, 2 * middle @ middle, 0.6667 * slope**2, 5 * dx**2]
        work.compare(
            system.mass_matrix(0, [q])[0, 0], sum(parts), "The masses are 1, 2, 5 kg, the moments of inertia about "
                                                          "z 0.0833, "
            "0.6667 and 2 kg m².", size=10, tolerance=1e-6,
            mistakes=[(sum(parts) - parts[2] - 0.0833, "The moments of inertia are missing: the third of inertia=."),
                      (sum(parts) - parts[2], "The moment of inertia of the rod is missing: the third of inertia="),
                      (sum(parts) - parts[3], "The mass of the slider is missing.")])
        work.called = f"residual of model() at rest, q = {q}"
        weight = G * (L1 / 2 * math.cos(q) + 2 * middle[1])
        work.compare(system.residual(0, [q], [0], [0])[0], weight, "Gravity is (0, -9.81, 0), and acts on crank and "
                                                                   "rod.",
                     mistakes=[(0, "There is no gravity: Model(name, gravity=(0, -9.81, 0))."),
                               (-weight, "Gravity points upwards: its vector is (0, -9.81, 0).")])
    work.called = "model().initial()"
    work.compare(made.initial()[0], (1,), "The initial value of q is 1 rad.")


@stage("The period of the oscillation")
def period(work):
    run = work.simulate(model_of(work), 6, save_every=0.01)
    came = work.number(work.result("period(run)", work.value("period"), run))
    for value, said in (
        (PERIOD / 2, "That is half a period: the time from one end to the other. It is over when the mechanism is "
                     "back."),
        (1 / PERIOD, "That is the frequency in Hz: the period is its inverse."),
        (2 * PERIOD, "That is twice the period."),
        (6, "That is the length of the run."),
    ):
        work.require(abs(came - value) > 0.02 * value, said, came=came, expected="the time after which all is as "
                                                                                 "before")
    work.require(abs(came - PERIOD) > 0.012 or abs(came - PERIOD) < 5e-4,
                 "That is nearly right: interpolate between the two saved instants.", came=came, expected="to 0.5 ms")
    work.compare(came, PERIOD, "The zeros of the speed are half a period apart.", tolerance=1e-4)
