"""Checks of exercise 11."""

from math import cos, degrees, pi, sin, sqrt

import numpy as np

from easydyn import Model
from easydyn.course import stage

m, l, g, k, q0, c = 2.4, 0.9, 9.81, 20.0, 1.1, 0.6
W = m * g * l / 2
J = m * l**2 / 3


def moment_of(q, spring=1.0, weight=1.0):
    return -spring * k * (q - q0) - weight * W * sin(q)


def rest_of(moment):
    """Where a moment vanishes, between 0 and pi/2; NaN where it does not."""
    low, high = 0.0, pi / 2
    if moment(low) * moment(high) > 0:
        return float("nan")
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if moment(middle) * moment(low) > 0 else (low, middle)
    return low


REST = rest_of(moment_of)
STIFFNESS = k + W * cos(REST)


@stage("The moments at rest")
def moment(work):
    def made(formula):
        return lambda q: formula(q, -k * (q - q0), -W * sin(q))

    work.answers(
        "moment", work.inputs(4, 1), made(lambda q, spring, weight: spring + weight), "Spring and weight: two terms.",
        mistakes=[(made(formula), said) for formula, said in (
            (lambda q, spring, weight: spring - weight,
             "The sign of the weight: it turns the rod back towards q = 0."),
            (lambda q, spring, weight: weight - spring,
             "The sign of the spring: it turns the rod towards q0, so that its moment is positive for q below q0."),
            (lambda q, spring, weight: -spring - weight,
             "Both signs are turned: these are the moments that one would need to hold the rod."),
            (lambda q, spring, weight: spring + 2 * weight, "The weight acts in the middle of the rod, at l/2."),
            (lambda q, spring, weight: -k * q + weight, "The spring is at rest at q0, not at zero."),
            (lambda q, spring, weight: -k * (q + q0) + weight, "The spring is at rest at q0: q - q0."),
            (lambda q, spring, weight: spring, "The weight is missing."),
            (lambda q, spring, weight: weight, "The spring is missing."),
            (lambda q, spring, weight: spring - W * q, "Not linearised yet: sin(q), not q."),
            (lambda q, spring, weight: spring - W * cos(q),
             "The arm of the weight is l/2 sin(q): it vanishes when the rod hangs."),
            (lambda q, spring, weight: spring + weight / g, "A weight is m g: g is missing."),
            (lambda q, spring, weight: spring + weight / m, "A weight is m g: m is missing."),
            (lambda q, spring, weight: spring + 2 * weight / l, "A weight has a moment by its arm: l/2 is missing."),
            (lambda q, spring, weight: spring / k + weight, "The stiffness is missing: k (q - q0)."),
            (lambda q, spring, weight: k * (q - q0) ** 2 / 2 + weight, "That is an energy of the spring: its moment is "
                                                                       "linear in q - q0."),
            (lambda q, spring, weight: spring - W * sin(degrees(q)), "The sine takes radians: q is in rad already."),
            (lambda q, spring, weight: spring + W * (1 - cos(q)), "That is the potential of the weight: its moment has "
                                                                  "the sine."),
        )])


@stage("The angle of rest")
def rest(work):
    work.either(lambda: rest_by(work, moment_of), lambda: own_rest(work))


def own_rest(work):
    """Where the student's own moments vanish."""
    left = work.number(work.call("moment", work.number(work.value("rest"))))
    work.compare(left, 0, "There your moments do not vanish.", size=1e-5 * k)


def rest_by(work, moment_of):
    came = work.number(work.value("rest"))
    left = moment_of(came)
    work.compare(
        came, REST, f"There the moments do not vanish: {left:.3g} N m are left.", tolerance=2e-6, size=1,
        wanted="the angle at which moment(rest) is zero",
        mistakes=[(degrees(REST), "That is in degrees: radians everywhere."),
                  (k * q0 / (k + W), "That takes sin(q) for q, which is right for small angles only."),
                  (q0, "That is where the spring is at rest: the weight pulls the rod down from there."),
                  (0, "There the weight has no moment, but the spring has."),
                  (q0 - W * sin(q0) / k, "That is one step: go on until the moments vanish."),
                  (q0 + moment_of(q0) / (k + W * cos(q0)), "That is one step of Newton's method: go on until the "
                                                           "moments vanish."),
                  (rest_of(lambda q: moment_of(q, weight=2)), "The weight acts in the middle of the rod, at l/2: is "
                                                              "that your moment(q)?"),
                  (rest_of(lambda q: -k * (q - q0) - W * cos(q)), "The arm of the weight has the sine: is that your "
                                                                  "moment(q)?"),
                  (-REST, "The sign: the spring turns the rod to positive angles.")])


@stage("The linearised equation")
def linearised(work):
    work.compare(work.number(work.value("M")), J, "M is the moment of inertia about the bearing.",
                 wanted="what stands before dq''",
                 mistakes=[(m, "M is no mass here: q is an angle. It is the moment of inertia about the bearing, in "
                               "kg m²."),
                           (m * l**2 / 12, "That is about the centre of mass: the rod turns about its end."),
                           (m * l**2 / 4, "That is a point mass in the middle of the rod."),
                           (m * l**2 / 12 + m * l / 2, "In Steiner's theorem the distance comes as a square."),
                           (m * l**2 / 3 + m * l**2 / 4, "m l²/3 is about the bearing already."),
                           (m * l**2 / 2, "A half is for a disc."), (m * l / 3, "The length comes as a square."),
                           (l**2 / 3, "The mass is missing: m l²/3."),
                           (m * l**2, "That is a point mass at the end of the rod.")])
    work.compare(work.number(work.value("C")), c, "C is what stands before dq': the brake.",
                 wanted="what stands before dq'",
                 mistakes=[(-c, "The sign: on the side of the inertia the brake stands with a plus."),
                           (c * REST, "C stands before dq', whatever the angle is."),
                           (c / J, "That is C/M: M is not divided by here."),
                           (0, "There is a brake.")])
    work.either(lambda: stiffness(work), lambda: work.compare(
        work.number(work.value("K")), k + W * cos(work.number(work.value("rest"))), "by its own angle", tolerance=1e-5))


def stiffness(work):
    work.compare(
        work.number(work.value("K")), STIFFNESS, "K is minus the slope of the moment at rest.", tolerance=1e-5,
        wanted="what stands before dq",
        mistakes=[(k + W, "That is linearised about q = 0: the cosine is to be taken at the angle of rest."),
                  (k + W * cos(q0), "The cosine is to be taken at the angle of rest, not at q0."),
                  (k, "The weight contributes, too: the slope of its moment at rest."),
                  (W * cos(REST), "The spring contributes, too: k."),
                  (-STIFFNESS, "The sign: K is minus the slope of the moment."),
                  (-k + W * cos(REST), "The sign of the spring's part."),
                  (k - W * cos(REST), "The sign of the weight's part: below the horizontal the weight pulls the rod "
                                      "back."),
                  (k + W * sin(REST), "The derivative of the sine is the cosine."),
                  (k - W * sin(REST), "The derivative of the sine is the cosine."),
                  (k + W * cos(degrees(REST)), "The cosine takes radians."),
                  (k * q0 + W * cos(REST), "The derivative of k (q - q0) is k."),
                  (STIFFNESS / J, "That is K/M: M is not divided by here."),
                  (k + 2 * W * cos(REST), "The weight acts in the middle of the rod, at l/2.")])


@stage("The same with easydyn")
def model(work):
    made = work.a(Model, work.call("model"), "a Model")
    work.require(made.names == ("q",), "One coordinate is asked for, q.", came=made.names, expected="('q',)")
    work.require(len(made.bodies) == 1, "One body is asked for, the rod.", came=len(made.bodies), expected="1")
    system = made.compile(target="python")

    def equation(inertia=J, damping=c, moment=moment_of):
        return lambda q, qd, qdd: inertia * qdd + damping * qd - moment(q)

    work.answers(
        "the residual of model(), at q = {}, qd = {}, qdd = {}", work.inputs(4, 3), equation(),
        "It is M q'' + c q' - moment(q), of the rod: look at inertia, brake, spring and gravity one by one.",
        ask=lambda q, qd, qdd: system.residual(0, [q], [qd], [qdd]),
        mistakes=[(equation(**options), said) for options, said in (
            ({"inertia": m * l**2 / 4}, "The moment of inertia of the rod is missing: inertia=(0, 0, m l²/12)."),
            ({"inertia": m * l**2 / 4 + J},
             "inertia= is about the centre of mass, m l²/12: the way to the bearing is in the transform."),
            ({"inertia": m * l**2 + m * l**2 / 12, "moment": lambda q: moment_of(q, weight=2)},
             "The frame stands at the end of the rod: it belongs in its middle, the centre of mass."),
            ({"inertia": m * l**2 / 12, "moment": lambda q: moment_of(q, weight=0)},
             "The frame stands in the bearing: it belongs in the middle of the rod, the centre of mass."),
            ({"damping": 0}, "The brake is missing: TorsionDamper."),
            ({"damping": -c}, "The sign of the brake: its damping is a positive number."),
            ({"moment": lambda q: moment_of(q, weight=0)}, "The weight does not act: is there gravity?"),
            ({"moment": lambda q: moment_of(q, weight=-1)}, "The weight pulls upwards: gravity=(0, -g, 0), and the rod "
                                                            "hangs along -y."),
            ({"moment": lambda q: moment_of(q, spring=0)}, "The spring does not act: is it added?"),
            ({"moment": lambda q: -k * q - W * sin(q)}, "The spring is at rest at zero: give its free angle."),
            ({"moment": lambda q: -k * (q + q0) - W * sin(q)}, "The sign of the free angle."),
            ({"moment": lambda q: moment_of(q, spring=-1)}, "The sign of the stiffness: a positive number."),
            ({"moment": lambda q: -k * (q - q0) - W * cos(q)}, "At q = 0 the rod hangs along -y: yours lies along x."),
            ({"moment": lambda q: -k * (q - degrees(q0)) - W * sin(q)}, "The free angle is in rad."),
            ({"damping": 0, "moment": lambda q: moment_of(q, spring=0)},
             "Neither spring nor brake acts: made.add(...) is to be given both."),
            ({"damping": k, "moment": lambda q: -c * (q - q0) - W * sin(q)}, "Stiffness and damping are exchanged."),
        )])


@stage("Frequency and damping ratio")
def frequency(work):
    work.either(lambda: oscillation(work), lambda: own_oscillation(work))


def own_oscillation(work):
    """By the student's own M, C, K."""
    M, C, K, *came = (work.number(work.value(name)) for name in ("M", "C", "K", "frequency", "ratio"))
    if M and K:
        work.compare(came, [sqrt(abs(K / M)) / (2 * pi), C / (2 * sqrt(abs(K * M)))], tolerance=1e-4, size=[1, 1e-2])
        return
    work.require(False, "There is no frequency.")


def oscillation(work):
    w = sqrt(STIFFNESS / J)
    work.compare(work.number(work.value("frequency")), w / (2 * pi), "The root of K/M, over 2 pi.", tolerance=1e-4,
                 wanted="a frequency in Hz",
                 mistakes=[(w, "That is in rad/s: divide it by 2 pi."), (2 * pi / w, "That is the period."),
                           (w / (2 * pi) * sqrt(1 - c**2 / (4 * STIFFNESS * J)), "That is the frequency with damping."),
                           (w**2, "The root is missing, and 2 pi."), (w**2 / (2 * pi), "The root is missing."),
                           (1 / w, "K and M are exchanged: the root of K/M."),
                           (1 / (2 * pi * w), "K and M are exchanged: the root of K/M."),
                           (2 * pi * w, "Divide by 2 pi: a turn is 2 pi rad."),
                           (w / pi, "Divide by 2 pi, not by pi."),
                           (sqrt(k / J) / (2 * pi), "K is not the stiffness of the spring alone."),
                           (sqrt((k + W) / J) / (2 * pi), "K is that about the angle of rest, of part 3.")])
    ratio = c / (2 * sqrt(STIFFNESS * J))
    work.compare(work.number(work.value("ratio")), ratio, "C over twice the root of K M.", tolerance=1e-4,
                 wanted="a ratio without unit",
                 mistakes=[(2 * ratio, "The factor 2 is missing below."), (ratio * w, "That is the decay rate in 1/s."),
                           (c / J, "That is twice the decay rate, in 1/s."),
                           (100 * ratio, "That is in per cent."), (c / (2 * STIFFNESS * J), "The root is missing."),
                           (c / 2 * sqrt(STIFFNESS * J), "Divide by the root, too: brackets around what stands below."),
                           (ratio / (2 * pi), "The frequency in the formula is that in rad/s."),
                           (c / (2 * sqrt(STIFFNESS / J)), "Below stands the root of the product K M."),
                           (1 / ratio, "That is the inverse: C stands above."),
                           (2 * sqrt(STIFFNESS * J), "That is the critical damping: the ratio is C over it."),
                           (2 * pi * ratio / sqrt(1 - ratio**2), "That is the logarithmic decrement."),
                           (c, "That is C itself: a ratio has no unit.")])


@stage("Upright")
def critical(work):
    work.compare(
        work.number(work.value("critical")), W, "About q = pi the weight contributes a negative stiffness.",
        tolerance=1e-6, wanted="the stiffness for which K is zero about q = pi",
        mistakes=[(-W, "The sign: at q = pi the weight's part of K is negative, and the spring has to outweigh it."),
                  (2 * W, "The weight acts in the middle of the rod, at l/2."),
                  (m * g, "In N m: the arm of the weight is missing."),
                  (k, "That is the stiffness that the spring has: at which one would K be zero?"),
                  (0, "Without a spring the rod falls over."),
                  (W * cos(REST), "The rest is at q = pi here: the cosine is -1."),
                  (np.pi * W, "The slope of the moment counts, not the angle."),
                  (W / pi, "No moments are to be balanced: q0 = pi is the upright rest. The slopes of the moments "
                           "count.")])
