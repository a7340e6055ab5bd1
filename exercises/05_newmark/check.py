"""Checks of exercise 05."""

from math import cos, exp, hypot, log, log2, log10, sin

import numpy as np

from easydyn.course import Wrong, stage

CALLS = 20000  # of f in one stage: a loop that needs more has no end


def counted(text, f):
    """f, which complains when it is called too often, and is shown as it can be typed."""
    calls = [0]

    def g(*given):
        calls[0] += 1
        if len(given) != 4:
            raise Wrong("f takes four numbers: f(t, q, qd, qdd).", came=f"{len(given)}", expected="4", recognised=True)
        if calls[0] > CALLS:
            raise Wrong("Your iteration does not come to an end: after thousands of calls of f it still goes on. Is "
                        "the new value of qdd1 really used in the next turn, and is J the derivative of F by qdd1?",
                        came="no end", expected="a few turns for each step", recognised=True)
        return f(*given)

    g.__name__ = f"lambda t, q, qd, qdd: {text}"
    return g


def swings(work, count):
    """Pendulums with a brake and a motor: nothing in them is linear but qdd."""
    def made(M, c, k):
        return counted(f"{M}*qdd + {c}*qd + {k}*sin(q) - 0.5*cos(2*t + 1)",
                       lambda t, q, qd, qdd: M * qdd + c * qd + k * sin(q) - 0.5 * cos(2 * t + 1))

    return [made(*work.draw(1, 1.5, 4), *work.draw(1, 0.2, 0.9), *work.draw(1, 3, 6)) for _ in range(count)]


def pair(work, value, count=2):
    return work.array(value, (count,), f"{count} numbers")


@stage("The acceleration at the start")
def start(work):
    def parts(f, q, qd):
        """h and M of f = M qdd + h."""
        h = f(0, q, qd, 0)
        return h, f(0, q, qd, 1) - h

    def made(formula):
        return lambda f, q, qd: formula(*parts(f, q, qd))

    work.answers(
        "start", [(f, *work.draw(2)) for f in swings(work, 3)], made(lambda h, M: -h / M),
        "It must make f(0, q, qd, qdd) zero.",
        mistakes=[(made(formula), said) for formula, said in (
            (lambda h, M: h / M, "The sign: f = M qdd + h is zero, so qdd = -h/M."),
            (lambda h, M: -h, "You have not divided by M: f is not always qdd + ..., it is M qdd + h."),
            (lambda h, M: h, "That is h = f(0, q, qd, 0): divide it by M, and mind the sign."),
            (lambda h, M: -h / (M + h), "M is the difference of two values of f, at qdd = 1 and at qdd = 0."),
            (lambda h, M: h / (M + h), "M is the difference of two values of f, at qdd = 1 and at qdd = 0."),
            (lambda h, M: M, "That is M: the acceleration is -h/M."),
            (lambda h, M: -h * M, "You multiply by M: divide."),
            (lambda h, M: 0, "The acceleration at the start is not zero: it follows from f."),
        )] + [
            (lambda f, q, qd: -f(0, q, 0, 0) / parts(f, q, 0)[1], "qd is missing: f depends on it as well."),
            (lambda f, q, qd: -f(1, q, qd, 0) / parts(f, q, qd)[1], "f is to be taken at t = 0."),
        ])


@stage("Newmark's formulas")
def formulas(work):
    def made(formula):
        """By the position and the speed without acceleration, and the parts of (12) and (13)."""
        return lambda q, qd, qdd, qdd1, h: formula(
            q + h * qd, qd, h**2 / 4 * qdd, h**2 / 4 * qdd1, h / 2 * qdd, h / 2 * qdd1)

    work.answers(
        "formulas", [(*work.draw(4), *work.draw(1, 0.1, 0.5)) for _ in range(4)],
        made(lambda x, v, a, a1, b, b1: (x + a + a1, v + b + b1)), "Compare term by term with (12) and (13).",
        mistakes=[(made(formula), said) for formula, said in (
            (lambda x, v, a, a1, b, b1: (x + 2 * a, v + b + b1),
             "q1 does not use the new acceleration: that is beta = 0."),
            (lambda x, v, a, a1, b, b1: (x + 2 * a1, v + b + b1),
             "q1 does not use the old acceleration: it has the weight 1/2 - beta."),
            (lambda x, v, a, a1, b, b1: (x + a1, v + b + b1), "The old acceleration is missing in q1: 1/2 - beta."),
            (lambda x, v, a, a1, b, b1: (x + a, v + b + b1), "The new acceleration is missing in q1: beta."),
            (lambda x, v, a, a1, b, b1: (x, v + 2 * b),
             "That is Euler's method, of first order: the h² terms are missing."),
            (lambda x, v, a, a1, b, b1: (x, v + b + b1),
             "The terms with h² are missing in q1: without them the order is one."),
            (lambda x, v, a, a1, b, b1: (x + 2 * (a + a1), v + b + b1),
             "The weights in q1 are twice as large as they should be: 1/2 - beta and beta, with h²."),
            (lambda x, v, a, a1, b, b1: (x + b + b1, v + b + b1), "The weights in q1 are those of qd1: there is a "
                                                                  "half in (12), and h comes as a square."),
            (lambda x, v, a, a1, b, b1: (x + a + a1, v + 2 * (b + b1)),
             "The weights in qd1 are 1 - gamma and gamma, 1/2 each."),
            (lambda x, v, a, a1, b, b1: (x + a + a1, v + 2 * b),
             "qd1 does not use the new acceleration: without it the order is one."),
            (lambda x, v, a, a1, b, b1: (x + a + a1, v + 2 * b1),
             "qd1 does not use the old acceleration: that is gamma = 1, of first order."),
            (lambda x, v, a, a1, b, b1: (x + a + a1, v + b), "The new acceleration is missing in qd1: gamma."),
            (lambda x, v, a, a1, b, b1: (x + a + a1, v + b1), "The old acceleration is missing in qd1: 1 - gamma."),
            (lambda x, v, a, a1, b, b1: (x + 0.5 - a + a1, v + b + b1), "1/2 - beta belongs into brackets: both are "
                                                                        "multiplied by h² qdd."),
            (lambda x, v, a, a1, b, b1: (x + a + a1, v + 1 - b + b1), "1 - gamma belongs into brackets: both are "
                                                                      "multiplied by h qdd."),
            (lambda x, v, a, a1, b, b1: (v + b + b1, x + a + a1), "q1 comes first, then qd1."),
        )] + [
            (lambda q, qd, qdd, qdd1, h: (q + h * (qdd + qdd1) * h / 4, qd + h / 2 * (qdd + qdd1)),
             "h qd is missing in q1."),
            (lambda q, qd, qdd, qdd1, h: (q + h * qd + h * (qdd + qdd1) / 4, qd + h / 2 * (qdd + qdd1)),
             "In q1 the accelerations come with h²."),
            (lambda q, qd, qdd, qdd1, h: (q + h * qd + h**2 / 4 * (qdd + qdd1), qd + (qdd + qdd1) / 2),
             "In qd1 the accelerations come with h."),
            (lambda q, qd, qdd, qdd1, h: (q + h * (qd + h / 2 * (qdd + qdd1)) + h**2 / 4 * (qdd + qdd1),
                                          qd + h / 2 * (qdd + qdd1)), "In q1 stands the old speed: h qd."),
        ])


def right_step(f, t, q, qd, qdd, h):
    """Of Newmark's method for the equations of this exercise, which are linear in the acceleration."""
    q, qd = q + h * qd + h**2 / 4 * qdd, qd + h / 2 * qdd

    def left(a):
        return f(t + h, q + h**2 / 4 * a, qd + h / 2 * a, a)

    a = -left(0) / (left(1) - left(0))
    return q + h**2 / 4 * a, qd + h / 2 * a, a


@stage("One step")
def step(work):
    work.right("step", right_step)
    for f in swings(work, 3):
        t, (q, qd), h = work.draw(1, 0.5, 2)[0], work.draw(2), work.draw(1, 0.15, 0.3)[0]
        qdd = round(-f(t, q, qd, 0) / (f(t, q, qd, 1) - f(t, q, qd, 0)), 6)
        q1, qd1, qdd1 = pair(work, work.call("step", f, t, q, qd, qdd, h), 3)
        first, rest = q1, np.array([qd1, qdd1])  # if the acceleration were the first of the three
        work.require(np.abs(rest - (q + h * qd + h**2 / 4 * (qdd + first), qd + h / 2 * (qdd + first))).max() > 1e-9,
                     "The order: q1, qd1, qdd1; the acceleration is the last.", came=(q1, qd1, qdd1),
                     expected="(q1, qd1, qdd1)")
        work.compare(
            (q1, qd1), (q + h * qd + h**2 / 4 * (qdd + qdd1), qd + h / 2 * (qdd + qdd1)),
            "What you return does not fit the formulas: q1 and qd1 must belong to the qdd1 that you return.", size=1,
            wanted="`formulas(...)` with your qdd1", tolerance=1e-9,
            mistakes=[((q + h * qd + h**2 / 4 * qdd, qd + h / 2 * qdd), "q1 and qd1 are those of a zero acceleration."),
                      ((q + h * qd + h**2 / 2 * qdd, qd + h * qdd), "q1 and qd1 are those of the old acceleration: "
                                                                    "insert the new one, when it is found."),
                      ((q, qd), "These are q and qd of the beginning of the step.")])
        late = f(t + h, q1, qd1, qdd1)
        for here, said in (((t, q1, qd1), "The residual is zero at the time t of the beginning: it is to be zero at "
                                          "t + h."),
                           ((t + h, q, qd), "F is taken with the old q and qd: q1 and qd1 depend on qdd1, by the "
                                            "formulas."),
                           ((t, q, qd), "F is that of the beginning of the step: t + h, and q1 and qd1 by the "
                                        "formulas.")):
            work.require(abs(late) < 1e-8 or abs(f(*here, qdd1)) > 1e-8, said, came=f"f(t + h, ...) = {late:.3g}",
                         expected="0")
        work.require(abs(late) < 1e-8, "The residual at the end of the step is not zero: iterate until it is.",
                     came=f"f(t + h, q1, qd1, qdd1) = {late:.3g}", expected="0, to 1e-8")


@stage("Many steps: an error of second order")
def run(work):
    a, w, x = work.draw(1, 0.05, 0.15)[0], work.draw(1, 1.9, 2.1)[0], work.draw(1, 0.8, 1.5)[0]
    K, errors = round(a * a + w * w, 6), []

    def damped(t, q, qd, qdd):
        return qdd + 2 * a * qd + (a * a + w * w) * q

    for steps in (40, 80, 160):
        f = counted(f"qdd + {2 * a:.6g}*qd + {K}*q", damped)
        q, qd = pair(work, work.call("run", f, x, -a * x, 4.0, steps))
        swing = x * exp(-a * 4) * cos(4 * w), -x * exp(-a * 4) * (a * cos(4 * w) + w * sin(4 * w))
        errors.append(hypot(q - swing[0], (qd - swing[1]) / w))
    slope = log2(max(errors[1], 1e-12) / max(errors[2], 1e-12))
    work.require(errors[2] < 0.5 * x, "The result is far from the solution of f, a damped oscillation: how many steps "
                 "are made, and does each begin where the one before has ended, with its q, qd *and* qdd?",
                 came=f"an error of {errors[2]:.3g}",
                 expected="less than 0.01")
    work.require(slope > 0.75, "The error hardly falls when the steps become shorter: something is not handed on from "
                 "one step to the next. Is it q, qd *and* qdd?", came=f"order {slope:.3g}", expected="order 2")
    work.require(
        slope > 1.5, "The error halves with h: a method of first order. Something is not handed on: is the "
        "acceleration at the start that of `start`, and that of each later step the qdd1 of the one before? Is the "
        "number of steps right?", came=f"order {slope:.3g}", expected="order 2")
    work.require(abs(slope - 2) < 0.1, "Halving h should divide the error by four.",
                 came=f"errors {errors[0]:.3g}, {errors[1]:.3g}, {errors[2]:.3g} with h = 0.1, 0.05, 0.025: order "
                      f"{slope:.3g}", expected="order 2")
    f = counted("qdd + 4*q", lambda t, q, qd, qdd: qdd + 4 * q)
    q, qd = pair(work, work.call("run", f, x, 0.0, 30.0, 300))
    first, energy = 2 * x**2, (qd**2 + 4 * q**2) / 2
    work.require(abs(energy - first) < 1e-6, "Newmark's method with beta = 1/4 keeps the energy of mass and spring.",
                 came=f"from {first:.6g} J to {energy:.6g} J after 300 steps", expected="the same")
    # resonance: q = A t sin(2 t) has qdd + 4 q = 4 A cos(2 t)
    A = work.draw(1, 0.5, 1.5)[0]
    f = counted(f"qdd + 4*q - {4 * A:.6g}*cos(2*t)", lambda t, q, qd, qdd: qdd + 4 * q - 4 * A * cos(2 * t))
    q, _ = pair(work, work.call("run", f, 0.0, 0.0, 1.0, 100))
    work.compare(q, A * sin(2.0), "With a force that depends on time the result is wrong: does the time go on with the "
                 "steps?", mistakes=[(A * (1 - cos(2.0)), "The time does not go on with the steps: step k begins at "
                                                          "k h.")], tolerance=1e-3, enough=True)


@stage("The order of a method")
def order(work):
    def ratios(errors):
        return [a / b for a, b in zip(errors, errors[1:])]

    def mean(values):
        return sum(values) / len(values)

    runs = [([c * 2.0 ** (-p * k) * x for k, x in enumerate(work.draw(4, 0.9, 1.1))],)
            for p, c in zip((1, 2, 3, 4), work.draw(4, 0.01, 0.1))]
    work.answers(
        "order", runs, lambda errors: mean([log2(x) for x in ratios(errors)]),
        "p is the base-2 logarithm of error(h) / error(h/2), as the mean over all neighbours.",
        mistakes=[
            (lambda errors: mean(ratios(errors)),
             "That is how many times the error falls: the order is its logarithm to the base 2."),
            (lambda errors: -mean([log2(x) for x in ratios(errors)]),
             "The sign: divide the error with h by that with h/2, not the other way round."),
            (lambda errors: mean([log(x) for x in ratios(errors)]), "The natural logarithm: take that to the base 2."),
            (lambda errors: mean([log10(x) for x in ratios(errors)]),
             "The decimal logarithm: take that to the base 2."),
            (lambda errors: 3 * mean([log2(x) for x in ratios(errors)]),
             "The mean over the list: divide the sum by the number of quotients."),
            (lambda errors: 0.75 * mean([log2(x) for x in ratios(errors)]),
             "The mean over the list: there is one quotient less than there are errors."),
            (lambda errors: round(mean([log2(x) for x in ratios(errors)])), "Do not round it: the p that comes out."),
            (lambda errors: log2(mean(ratios(errors))), "First the logarithms, then their mean."),
            (lambda errors: log2(errors[0] / errors[1]), "That is the order of the first two errors: take the mean "
                                                         "over the list."),
            (lambda errors: log2(errors[-2] / errors[-1]), "That is the order of the last two errors: take the mean "
                                                           "over the list."),
            (lambda errors: mean([a - b for a, b in zip(errors, errors[1:])]),
             "These are differences: how many times the error falls is a quotient."),
        ])
