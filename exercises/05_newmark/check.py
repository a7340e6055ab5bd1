"""Checks of exercise 05."""

from math import cos, exp, sin

import numpy as np

from easydyn.course import Wrong, stage

CALLS = 20000  # of f in one stage: a loop that needs more has no end


def counted(f):
    """f, which complains when it is called too often."""
    calls = [0]

    def g(t, q, qd, qdd):
        calls[0] += 1
        if calls[0] > CALLS:
            raise Wrong("Your iteration does not come to an end: after thousands of calls of f it still goes on. Is "
                        "the "
                        "new value of qdd1 really used in the next turn, and is J the derivative of F by qdd1?",
                        came="no end", expected="a few turns for each step")
        return f(t, q, qd, qdd)

    return g


def swing(t, q, qd, qdd):
    """A pendulum with a brake and a motor: nothing in it is linear but qdd."""
    return 2 * qdd + 0.3 * qd + 5 * np.sin(q) - 0.5 * np.cos(2 * t)


def spring(t, q, qd, qdd):
    return qdd + 4 * q


def pair(work, value, count=2):
    return work.array(value, (count,), f"{count} numbers")


@stage("The acceleration at the start")
def start(work):
    for q, qd in zip(work.draw(3), work.draw(3)):
        f = counted(swing)
        came = work.number(work.result(f"start(f, {q}, {qd})", work.value("start"), f, q, qd))
        right = -swing(0, q, qd, 0) / 2
        work.compare(
            came, right, "It must make f(0, q, qd, qdd) zero.",
            mistakes=[(-right, "The sign: f = M qdd + h is zero, so qdd = -h/M."),
                      (2 * right, "You have not divided by M: f is not always qdd + ..., here it is 2 qdd + ..."),
                      (-2 * right, "That is h = f(0, q, qd, 0): divide it by M, and mind the sign."),
                      (0, "The acceleration at the start is not zero: it follows from f.")])


@stage("Newmark's formulas")
def formulas(work):
    for _ in range(3):
        q, qd, qdd, qdd1 = work.draw(4)
        h = work.draw(1, 0.1, 0.5)[0]
        came = pair(work, work.call("formulas", q, qd, qdd, qdd1, h))
        q1 = q + h * qd + h**2 / 4 * (qdd + qdd1)
        qd1 = qd + h / 2 * (qdd + qdd1)
        work.compare(
            came, (q1, qd1), "Compare term by term with (12) and (13).",
            mistakes=[((q + h * qd + h**2 / 2 * qdd, qd1), "q1 does not use the new acceleration: that is beta = 0."),
                      ((q + h * qd, qd + h * qdd), "That is Euler's method, of first order: the h² terms are missing."),
                      ((q + h * qd, qd1), "The terms with h² are missing in q1: without them the order is one."),
                      ((q + h * qd + h**2 / 2 * (qdd + qdd1), qd1), "The weights in q1 are twice as large as they "
                                                                    "should "
                                                                    "be: 1/2 - beta and beta, with h²."),
                      ((q1, qd + h * (qdd + qdd1)), "The weights in qd1 are 1 - gamma and gamma, 1/2 each."),
                      ((q1, qd + h * qdd), "qd1 does not use the new acceleration: without it the order is one."),
                      ((q1, qd + h * qdd1), "qd1 does not use the old acceleration: that is gamma = 1, of first "
                                            "order."),
                      ((qd1, q1), "q1 comes first, then qd1.")])


@stage("One step")
def step(work):
    f = counted(swing)
    for t, q, qd in zip(work.draw(3, 0, 2), work.draw(3), work.draw(3)):
        qdd, h = -swing(t, q, qd, 0) / 2, 0.2
        call = f"step(f, {t}, {q}, {qd}, {qdd:.6g}, {h})"
        q1, qd1, qdd1 = pair(work, work.result(call, work.value("step"), f, t, q, qd, qdd, h), 3)
        work.compare(
            (q1, qd1), (q + h * qd + h**2 / 4 * (qdd + qdd1), qd + h / 2 * (qdd + qdd1)),
            "What you return does not fit the formulas: q1 and qd1 must belong to the qdd1 that you return.", size=1,
            mistakes=[((q + h * qd + h**2 / 4 * qdd, qd + h / 2 * qdd), "q1 and qd1 are those of a zero acceleration."),
                      ((q, qd), "These are q and qd of the beginning of the step.")], tolerance=1e-9)
        late, early = swing(t + h, q1, qd1, qdd1), swing(t, q1, qd1, qdd1)
        work.require(abs(late) < 1e-8 or abs(early) > 1e-8,
                     "The residual is zero at the time t of the beginning: it is to be zero at t + h.",
                     came=f"f(t + h, ...) = {late:.3g}", expected="0")
        work.require(abs(late) < 1e-8, "The residual at the end of the step is not zero: iterate until it is.",
                     came=f"f(t + h, q1, qd1, qdd1) = {late:.3g}", expected="0, to 1e-8")


def exact(t):
    """x'' + 0.2 x' + 4.01 x = 0, from x = 1, x' = -0.1."""
    return exp(-0.1 * t) * cos(2 * t)


def damped(t, q, qd, qdd):
    return qdd + 0.2 * qd + 4.01 * q


@stage("Many steps: an error of second order")
def run(work):
    errors = []
    for steps in (40, 80, 160):
        call = f"run(f, 1, -0.1, 4, {steps})"
        q, qd = pair(work, work.result(call, work.value("run"), counted(damped), 1.0, -0.1, 4.0, steps))
        errors.append(abs(q - exact(4)))
    work.require(errors[0] < 0.5, "The result is far from the solution of f, a damped oscillation: how many steps are "
                                  "made, and does each begin where the one before has ended?",
                 came=f"an error of {errors[0]:.3g}", expected="about 0.03")
    slope = float(np.log2(errors[0] / errors[2]) / 2)
    work.require(
        slope > 0.5, "The error does not fall when the steps become shorter: something is not handed on from one "
                     "step to "
        "the next. Is it q, qd *and* qdd?", came=f"order {slope:.3g}", expected="order 2")
    work.require(
        abs(slope - 1) > 0.25, "The error halves with h: a method of first order. Something is not handed on: is the "
        "acceleration at the start that of `start`, and that of each later step the qdd1 of the one before? Is the "
        "number "
        "of steps right?", came=f"order {slope:.3g}", expected="order 2")
    work.require(abs(slope - 2) < 0.1, "Halving h should divide the error by four.",
                 came=f"errors {errors[0]:.3g}, {errors[1]:.3g}, {errors[2]:.3g} with h = 0.1, 0.05, 0.025: order "
                      f"{slope:.3g}", expected="order 2")
    call = "run(f, 1, 0, 50, 500), f = qdd + 4 q"
    q, qd = pair(work, work.result(call, work.value("run"), counted(spring), 1.0, 0.0, 50.0, 500))
    energy = (qd**2 + 4 * q**2) / 2
    work.require(abs(energy - 2) < 1e-6, "Newmark's method with beta = 1/4 keeps the energy of a spring and a mass.",
                 came=f"from 2 J to {energy:.6g} J after 500 steps", expected="2 J")
    motor = float(np.sin(2.0) * 2)  # qdd = 4 cos(2 t) - 4 q, resonance: q = t sin(2 t)
    q, _ = pair(work, work.result("run(f, 0, 0, 1, 200), f = qdd + 4 q - 4 cos(2 t)", work.value("run"),
                                  counted(lambda t, q, qd, qdd: qdd + 4 * q - 4 * cos(2 * t)), 0.0, 0.0, 1.0, 200))
    work.compare(q, sin(2.0), "With a force that depends on time the result is wrong: does the time go on with the "
                              "steps?",
                 mistakes=[(motor, "Twice the response.")], tolerance=1e-3)


@stage("The order of a method")
def order(work):
    for p in (1, 2, 4):
        errors = [0.03 * 2.0 ** (-p * k) * (1 + 0.1 * (-1) ** k) for k in range(4)]
        ratios = [a / b for a, b in zip(errors, errors[1:])]
        right = float(np.log2(errors[0] / errors[-1]) / 3)
        work.compare(
            work.number(work.call("order", errors)), right, "p is the base-2 logarithm of error(h) / error(h/2).",
            mistakes=[(np.mean(ratios), "That is how many times the error falls: the order is its logarithm to the "
                                        "base 2."),
                      (-right, "The sign: divide the error with h by that with h/2, not the other way round."),
                      (np.mean(np.log(ratios)), "The natural logarithm: take that to the base 2."),
                      (np.mean(np.log10(ratios)), "The decimal logarithm: take that to the base 2."),
                      (3 * right, "The mean over the list: there is one quotient less than there are errors.")])
