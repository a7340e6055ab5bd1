"""Checks of exercise 11."""

from math import cos, pi, sin, sqrt

import numpy as np

from easydyn import Model
from easydyn.course import stage

m, l, g, k, q0, c = 2.0, 1.0, 9.81, 20.0, 1.0, 0.6
W = m * g * l / 2


def rest_of():
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if -k * (middle - q0) - W * sin(middle) > 0 else (low, middle)
    return low


REST = rest_of()
J = m * l**2 / 3
STIFFNESS = k + W * cos(REST)


@stage("The moments at rest")
def moment(work):
    for q in work.draw(4, -2, 2):
        spring, weight = -k * (q - q0), -W * sin(q)
        work.compare(
            work.number(work.call("moment", q)), spring + weight, "Spring and weight: two terms.",
            mistakes=[(spring - weight, "The sign of the weight: it turns the rod back towards q = 0."),
                      (weight - spring, "The sign of the spring: it turns the rod towards q0, so that its moment is "
                                        "positive for q below q0."),
                      (-spring - weight, "Both signs are turned: these are the moments that one would need to hold "
                                         "the rod."),
                      (spring + 2 * weight, "The weight acts in the middle of the rod, at l/2."),
                      (-k * q + weight, "The spring is at rest at q0, not at zero."),
                      (spring, "The weight is missing."), (weight, "The spring is missing."),
                      (spring - W * q, "Not linearised yet: sin(q), not q."),
                      (spring - W * cos(q), "The arm of the weight is l/2 sin(q): it vanishes when the rod hangs.")])


@stage("The angle of rest")
def rest(work):
    came = work.number(work.value("rest"))
    left = -k * (came - q0) - W * sin(came)
    work.compare(
        came, REST, f"There the moments do not vanish: {left:.3g} N m are left.", tolerance=2e-6, size=1,
        wanted="the angle at which moment(rest) is zero",
        mistakes=[(np.degrees(REST), "That is in degrees: radians everywhere."),
                  (k * q0 / (k + W), "That takes sin(q) for q, which is right for small angles only."),
                  (q0, "That is where the spring is at rest: the weight pulls the rod down from there.")])


@stage("The linearised equation")
def linearised(work):
    work.compare(work.number(work.value("M")), J, "M is the moment of inertia about the bearing.",
                 wanted="what stands before dq''",
                 mistakes=[(m, "M is no mass here: q is an angle. It is the moment of inertia about the bearing, in "
                               "kg m²."),
                           (m * l**2 / 12, "That is about the centre of mass: the rod turns about its end."),
                           (m * l**2, "That is a point mass at the end of the rod.")])
    work.compare(work.number(work.value("C")), c, "C is what stands before dq': the brake.",
                 wanted="what stands before dq'",
                 mistakes=[(-c, "The sign: on the side of the inertia the brake stands with a plus."),
                           (0, "There is a brake.")])
    work.compare(
        work.number(work.value("K")), STIFFNESS, "K is minus the slope of the moment at rest.", tolerance=1e-5,
        wanted="what stands before dq",
        mistakes=[(k + W, "That is linearised about q = 0: the cosine is to be taken at the angle of rest."),
                  (k, "The weight contributes, too: the slope of its moment at rest."),
                  (-STIFFNESS, "The sign: K is minus the slope of the moment."),
                  (k - W * cos(REST), "The sign of the weight's part: below the horizontal the weight pulls the rod "
                                      "back."),
                  (k + W * sin(REST), "The derivative of the sine is the cosine."),
                  (k + 2 * W * cos(REST), "The weight acts in the middle of the rod, at l/2.")])


@stage("The same with easydyn")
def model(work):
    made = work.a(Model, work.call("model"), "a Model")
    work.require(made.names == ("q",), "One coordinate is asked for, q.", came=made.names, expected="('q',)")
    found = work.result("model().equilibrium(initial={'q': 0.5})", lambda: made.equilibrium(initial={"q": 0.5}))
    work.require(found.status == "found", f"easydyn finds no rest of your model: {found.message}", came=found.status,
                 expected="found")
    work.compare(
        found["q"], REST, "Your model rests at another angle than the rod.", tolerance=1e-6,
        wanted="your rest, of part 2",
        mistakes=[(q0, "In your model the weight does not act: is there gravity?"),
                  (0, "In your model the spring does not act: is it added, with its free angle?")])
    lin = made.linearize(at=found)
    work.called = "model().linearize(at=rest)"
    came = [float(np.ravel(x)[0]) for x in (lin.M, lin.C, lin.K)]
    work.compare(
        came, (J, c, STIFFNESS), "M, C, K of your model are not those of the rod.", tolerance=1e-6,
        wanted="your M, C, K, of part 3",
        mistakes=[((m * l**2 / 4, c, STIFFNESS), "The moment of inertia of the rod is missing: inertia=(0, 0, m "
                                                 "l²/12)."),
                  ((m * l**2 / 4 + J, c, STIFFNESS), "inertia= is about the centre of mass, m l²/12: the way to the "
                                                     "bearing is "
                   "in the transform."),
                  ((J, 0, STIFFNESS), "The brake is missing: TorsionDamper."),
                  ((J, -c, STIFFNESS), "The sign of the brake: its damping is a positive number.")])


@stage("Frequency and damping ratio")
def frequency(work):
    w = sqrt(STIFFNESS / J)
    work.compare(work.number(work.value("frequency")), w / (2 * pi), "The root of K/M, over 2 pi.", tolerance=1e-4,
                 wanted="a frequency in Hz",
                 mistakes=[(w, "That is in rad/s: divide it by 2 pi."), (2 * pi / w, "That is the period."),
                           (w / (2 * pi) * sqrt(1 - c**2 / (4 * STIFFNESS * J)), "That is the frequency with damping."),
                           (w**2, "The root is missing, and 2 pi.")])
    ratio = c / (2 * sqrt(STIFFNESS * J))
    work.compare(work.number(work.value("ratio")), ratio, "C over twice the root of K M.", tolerance=1e-4,
                 wanted="a ratio without unit",
                 mistakes=[(2 * ratio, "The factor 2 is missing below."), (ratio * w, "That is the decay rate in 1/s."),
                           (100 * ratio, "That is in per cent."), (c / (2 * STIFFNESS * J), "The root is missing.")])


@stage("Upright")
def critical(work):
    work.compare(
        work.number(work.value("critical")), W, "About q = pi the weight contributes a negative stiffness.",
        tolerance=1e-6, wanted="the stiffness for which K is zero about q = pi",
        mistakes=[(-W, "The sign: at q = pi the weight's part of K is negative, and the spring has to outweigh it."),
                  (2 * W, "The weight acts in the middle of the rod, at l/2."),
                  (W / pi, "No moments are to be balanced: q0 = pi is the upright rest. The slopes of the moments "
                           "count.")])
