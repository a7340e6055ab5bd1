"""Checks of exercise 15."""

import math

import numpy as np

from easydyn import trotx, trotz
from easydyn.course import stage


def moments(work):
    """Ascending, and such as a body can have."""
    A, more, less = (*work.draw(1, 1, 2), *work.draw(1, 0.3, 0.8), *work.draw(1, 0.2, 0.7))
    return round(A, 3), round(A + more, 3), round(A + more + less, 3)


def motions(work):
    return [(moments(work), tuple(work.draw(3, -2, 2)), tuple(work.draw(3, -2, 2))) for _ in range(3)]


def body(formula):
    return lambda I, w, other: formula(*map(np.array, (I, w, other)))


@stage("The rates")
def rates(work):
    work.answers(
        "rates", motions(work), body(lambda I, w, M: (M - np.cross(w, I * w)) / I),
        "Write L' out, take the vector product with omega, and solve for the rates.",
        mistakes=[
            (body(lambda I, w, M: (M + np.cross(w, I * w)) / I),
             "The sign of omega x L': it is on the side of the rates, or the product has the other order."),
            (body(lambda I, w, M: M / I), "omega x L' is missing: the axes turn with the body."),
            (body(lambda I, w, M: -np.cross(w, I * w) / I), "The moment M is missing."),
            (body(lambda I, w, M: M - np.cross(w, I * w)), "These are the rates of L': divide by the moments of "
             "inertia."),
            (body(lambda I, w, M: (-M - np.cross(w, I * w)) / I), "The sign of the moment M."),
            (body(lambda I, w, M: M / I - np.cross(w, I * w)), "omega x L' is to be divided by the moments of "
             "inertia, "
                                                               "too."),
            (body(lambda I, w, M: M - np.cross(w, I * w) / I), "M is to be divided by the moments of inertia, too."),
            (body(lambda I, w, M: (M - np.cross(w, I * w)) * I), "Divide by the moments of inertia: you multiply."),
        ])  # fmt: skip


@stage("The angular momentum")
def momentum(work):
    inputs = []
    for I, w, _ in motions(work):
        T = trotz(work.draw(1, 0.5, 2)[0]) * trotx(work.draw(1, 0.5, 2)[0])
        inputs.append((I, w, np.array(T.R, dtype=float)))
    work.answers(
        "momentum", inputs, body(lambda I, w, R: R @ (I * w)), "The components in the body first, then turned.",
        mistakes=[
            (body(lambda I, w, R: R.T @ (I * w)), "You have turned the other way: R leads from the body to the "
             "ground."),
            (body(lambda I, w, R: I * w), "These are components in the axes of the body: turn them to the ground."),
            (body(lambda I, w, R: I * (R @ w)), "First I omega in the axes of the body, in which I is diagonal; then "
                                                "turn."),
            (body(lambda I, w, R: R @ w), "That is the angular velocity: the moments of inertia are missing."),
            (body(lambda I, w, R: R @ (w / I)), "Multiply by the moments of inertia: you divide."),
            (body(lambda I, w, R: R @ (I * (R.T @ w))), "omega is in the axes of the body already."),
        ])  # fmt: skip


@stage("The growth of a disturbance")
def growth(work):
    def rate(square):
        return lambda I, W: W * math.sqrt(square(*I))

    work.answers(
        "growth", [(moments(work), W) for W in work.draw(3, 2, 6)], rate(lambda A, B, C: (C - B) * (B - A) / (A * C)),
        "Two equations of first order for omega_1 and omega_3: differentiate one and put the other in.",
        mistakes=[
            (lambda I, W: W**2 * (I[2] - I[1]) * (I[1] - I[0]) / (I[0] * I[2]), "That is the square: the root "
             "is missing."),
            (lambda I, W: rate(lambda A, B, C: (C - B) * (B - A) / (A * C))(I, 1), "It grows with W: put it in."),
            (lambda I, W: W * (I[2] - I[1]) * (I[1] - I[0]) / (I[0] * I[2]), "The root is missing in the factor "
             "of W."),
            (rate(lambda A, B, C: (C - B) * (B - A) / (A * B)), "The moments to divide by are those of the "
             "first and the "
                                                                "third axis."),
            (rate(lambda A, B, C: (C - B) * (B - A) / (B * C)), "The moments to divide by are those of the first and "
                                                                "third axis: here it is the second."),
            (rate(lambda A, B, C: (C - B) * (B - A) / B**2), "The second moment stands in the differences only: "
             "divide by "
                                                             "the two others."),
            (rate(lambda A, B, C: (C - B) * (B - A)), "The unit is not 1/s: divide by two moments of inertia."),
            (rate(lambda A, B, C: (C - A) * (C - B) / (A * B)), "That is how fast it swings about the third axis."),
            (rate(lambda A, B, C: (C - A) * (B - A) / (B * C)), "That is how fast it swings about the first axis."),
        ])  # fmt: skip


@stage("The wobble, seen from the body")
def wobble(work):
    inputs = [(*work.draw(1, 1, 2), *work.draw(1, 2.2, 3.2), *work.draw(1, 2, 6)) for _ in range(2)]
    inputs.append((*work.draw(1, 2, 3), *work.draw(1, 1, 1.8), *work.draw(1, 2, 6)))
    work.answers(
        "wobble", inputs, lambda A, C, n: (C - A) / A * n, "Write Euler's equations with A = B: what is the rate of "
                                                           "omega_1, as a multiple of omega_2?",
        mistakes=[
            (lambda A, C, n: C / A * n, "The part of the vector product with A is missing: C - A."),
            (lambda A, C, n: (C - A) / C * n, "Divide by A: the equations are those of the axes across."),
            (lambda A, C, n: (A - C) / A * n, "The sign: for C > A and n > 0 it goes from the first axis towards the "
                                              "second."),
            (lambda A, C, n: abs(C - A) / A * abs(n), "The sense matters: the sign is lost."),
            (lambda A, C, n: (C - A) * n, "The unit is not rad/s: divide by a moment of inertia."),
            (lambda A, C, n: (C - A) / A, "It grows with n: put it in."),
            (lambda A, C, n: (C + A) / A * n, "The difference of the moments, not their sum."),
        ])  # fmt: skip


@stage("Steady precession")
def precession(work):
    inputs = []
    for _ in range(3):
        limits = ((1, 2), (1.05, 2), (6, 9), (2, 4), (0.3, 1.2))
        inputs.append(tuple(work.draw(1, *pair)[0] for pair in limits))

    def roots(coefficients, order=(0, 1)):
        def both(*given):
            a, b, c = coefficients(*given)
            root = math.sqrt(b * b - 4 * a * c)
            pair = ((b - root) / (2 * a), (b + root) / (2 * a))
            return [pair[k] for k in order]

        return both

    def right(A, C, n, mgl, lean):
        return A * math.cos(lean), C * n, mgl

    work.answers(
        "precession", inputs, roots(right), "Put your rates into the equation: it must vanish.",
        mistakes=[
            (roots(right, (1, 0)), "The slow one is to be the first."),
            (roots(lambda A, C, n, mgl, lean: (A, C * n, mgl)), "The cosine of the lean is missing."),
            (roots(lambda A, C, n, mgl, lean: (A * math.sin(lean), C * n, mgl)), "The cosine of the lean, not "
             "its sine: "
             "lean is the angle from the vertical."),
            (roots(lambda A, C, n, mgl, lean: (A * math.cos(lean), C * n, -mgl)), "The sign of m g l under the "
             "root."),
            (roots(lambda A, C, n, mgl, lean: (A * math.cos(lean), -C * n, mgl)), "The sign of C n: both rates "
             "have the "
                                                                               "sense of n."),
            (lambda A, C, n, mgl, lean: [mgl / (C * n), C * n / (A * math.cos(lean))],
             "These are approximations for a fast top: solve the whole equation."),
            (lambda *given: 2 * right(*given)[0] * np.array(roots(right)(*given)),
             "The roots are not divided by twice the first coefficient."),
            (lambda *given: 2 * np.array(roots(right)(*given)), "The 2 of the denominator is missing."),
            (roots(lambda A, C, n, mgl, lean: (A * math.cos(lean), n, mgl)), "C is missing: the spin counts with its "
                                                                           "moment of inertia."),
            (roots(lambda A, C, n, mgl, lean: (A * math.cos(lean), C * n, mgl * math.sin(lean))),
             "The sine of the lean has gone from all three terms: m g l stands alone."),
        ])  # fmt: skip
