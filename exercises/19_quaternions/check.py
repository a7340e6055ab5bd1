"""Checks of exercise 19."""

import math

import numpy as np

from easydyn.course import stage


def made(axis, angle):
    n = np.array(axis) / np.linalg.norm(axis)
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * n)])


def times(a, b):
    a, b = np.array(a), np.array(b)
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def over(a):
    return np.array(a) * [1, -1, -1, -1]


def around(u):
    return [0, *u]


def unit(work):
    return tuple(float(x) for x in made(work.draw(3, 0.3, 1), *work.draw(1, 0.8, 2.5)))


def three(work):
    return tuple(work.draw(3, -2, 2))


@stage("The quaternion of a turn")
def quaternion(work):
    work.answers(
        "quaternion", [(three(work), angle) for angle in work.draw(3, 0.5, 2.5)], made,
        "The cosine of half the angle, then the unit vector times the sine of half the angle.",
        mistakes=[
            (lambda axis, angle: made(axis, 2 * angle), "Half the angle stands in a quaternion."),
            (lambda axis, angle: [math.cos(angle / 2), *(math.sin(angle / 2) * np.array(axis))],
             "Divide the axis by its length: a quaternion of a turn has the norm 1."),
            (lambda axis, angle: made(axis, angle)[[1, 2, 3, 0]], "The scalar stands last here: it is to be the "
             "first."),
            (lambda axis, angle: over(made(axis, angle)), "That turns the other way."),
            (lambda axis, angle: made(axis, math.pi - angle), "Sine and cosine are exchanged."),
            (lambda axis, angle: [angle, *(np.array(axis) / np.linalg.norm(axis))],
             "That is axis and angle: sine and cosine are missing."),
            (lambda axis, angle: [math.cos(angle / 2), *(np.array(axis) / np.linalg.norm(axis))],
             "The sine is missing in the vector part."),
        ])  # fmt: skip


@stage("The product")
def product(work):
    def vector(formula):
        """A product with another vector part."""
        return lambda a, b: [times(a, b)[0], *formula(np.array(a), np.array(b))]

    work.answers(
        "product", [(unit(work), unit(work)) for _ in range(3)], times, "The scalar, and a vector of three terms.",
        mistakes=[
            (lambda a, b: times(b, a), "The order: a b is not b a, and the vector product has a first."),
            (lambda a, b: np.array(a) * np.array(b), "That multiplies number by number."),
            (lambda a, b: [a[0] * b[0] + np.dot(a[1:], b[1:]), *times(a, b)[1:]],
             "The sign of the scalar product: i i = -1."),
            (lambda a, b: [a[0] * b[0], *times(a, b)[1:]], "The scalar product is missing in the scalar part."),
            (vector(lambda a, b: a[0] * b[1:] + b[0] * a[1:]), "The vector product is missing."),
            (vector(lambda a, b: a[0] * a[1:] + b[0] * b[1:] + np.cross(a[1:], b[1:])),
             "Each scalar goes with the vector of the other."),
            (vector(lambda a, b: np.cross(a[1:], b[1:])), "The scalars times the vectors are missing."),
            (lambda a, b: times(a, over(b)), "The sign of the second: the opposite turn is taken."),
        ])  # fmt: skip


@stage("A vector turned")
def turned(work):
    def by(formula):
        return lambda e, u: formula(np.array(e), around(u))[1:]

    work.answers(
        "turned", [(unit(work), three(work)) for _ in range(3)], by(lambda e, u: times(times(e, u), over(e))),
        "Two products: e first, its opposite last. The length of u stays.",
        mistakes=[
            (by(lambda e, u: times(times(over(e), u), e)), "That turns back: e stands first, its opposite last."),
            (by(lambda e, u: times(e, u)), "Half of it: the opposite of e is missing on the right."),
            (by(lambda e, u: times(times(e, u), e)), "On the right the opposite of e is needed."),
            (by(lambda e, u: times(u, e)), "u stands between e and its opposite."),
            (by(lambda e, u: times(times(e, u), -over(e))), "The opposite turn changes the sign of the vector, "
             "not of the "
                                                            "scalar."),
        ])  # fmt: skip


@stage("The rate")
def rate(work):
    work.answers(
        "rate", [(unit(work), three(work)) for _ in range(3)], lambda e, w: times(e, around(w)) / 2,
        "Half a product of quaternions: e, and (0, w).",
        mistakes=[
            (lambda e, w: times(around(w), e) / 2, "That is for components in the ground: with those of the "
             "body w stands "
                                                   "on the right."),
            (lambda e, w: times(e, around(w)), "The factor 1/2 is missing."),
            (lambda e, w: times(over(e), around(w)) / 2, "e itself is needed, not its opposite."),
            (lambda e, w: [0, *times(e, around(w))[1:] / 2], "The scalar changes, too."),
            (lambda e, w: [0, *np.array(w) / 2], "e is missing: that holds at the attitude zero only."),
            (lambda e, w: times(e, [1, *w]) / 2, "The scalar beside w is 0."),
        ])  # fmt: skip


@stage("The angle between two attitudes")
def angle_between(work):
    inputs = [(unit(work), unit(work)) for _ in range(2)]
    a, b = unit(work), unit(work)
    inputs += [(a, tuple(-x for x in b)), (b, unit(work))]

    def by(formula):
        return lambda a, b: formula(float(np.dot(a, b)))

    work.answers(
        "angle_between", inputs, by(lambda c: 2 * math.acos(min(abs(c), 1))),
        "The scalar of the turn from a to b is the cosine of half the angle.",
        mistakes=[
            (by(lambda c: math.acos(abs(c))), "That is half the angle."),
            (by(lambda c: 2 * math.acos(c)), "The long way round: a quaternion and its opposite are one "
             "attitude, so take "
                                             "the absolute value."),
            (by(lambda c: math.acos(c)), "That is the angle between two vectors of four numbers: think of the "
             "half, and "
                                         "of the opposite."),
            (by(abs), "That is a cosine: the angle itself is asked for."),
            (by(lambda c: 2 * math.asin(abs(c))), "The cosine of half the angle, not its sine."),
            (lambda a, b: 2 * math.acos(min(1, abs(times(a, b)[0]))), "That is the turn a b: from a to b it is "
             "a turned "
                                                                      "back, then b."),
            (lambda a, b: abs(2 * math.acos(a[0]) - 2 * math.acos(min(1, abs(b[0])))),
             "The axes differ: angles cannot be subtracted."),
        ])  # fmt: skip


@stage("The attitude of what tumbles")
def attitude(work):
    def run(gyro=1, turn=lambda e, w: times(e, around(w)) / 2, less=0, norm=True):
        def end(e, w, I, h, steps):
            I = np.array(I)

            def slope(state):
                w = state[4:]
                return np.concatenate([turn(state[:4], w), -gyro * np.cross(w, I * w) / I])

            state = np.concatenate([e, w])
            for _ in range(steps - less):
                k1 = slope(state)
                k2 = slope(state + h / 2 * k1)
                k3 = slope(state + h / 2 * k2)
                state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(state + h * k3))
            return state[:4] / (np.linalg.norm(state[:4]) if norm else 1)

        return end

    inputs = [(unit(work), three(work), (1.0, 1.7, 2.3), 0.02, 30 + 10 * k) for k in range(3)]
    work.answers(
        "attitude", inputs, run(), "Seven numbers in a row, and their rates: those of e by part 4, those of w "
         "by Euler.",
        tolerance=1e-5,  # another method of integration is as good
        mistakes=[
            (run(gyro=0), "The angular velocity stays here: it changes by Euler's equations."),
            (run(gyro=-1), "The sign of omega x I omega in Euler's equations."),
            (run(less=1), "One step is missing."),
            (run(less=-1), "One step too many."),
            (run(turn=lambda e, w: times(e, around(w))), "The factor 1/2 is missing in the rate of e."),
            (run(turn=lambda e, w: times(around(w), e) / 2), "w is in the axes of the body: it stands on the "
             "right of e."),
            (lambda e, w, I, h, steps: e, "That is the attitude at the start."),
        ])  # fmt: skip
