"""Checks of exercise 18."""

from math import cos, sin, tan

import numpy as np

from easydyn.course import stage

G = 9.81


@stage("The velocity at the contact")
def contact(work):
    def by(formula):
        return lambda v, w, r: formula(np.array(v), np.array(w), r)

    inputs = [(tuple(work.draw(3, -2, 2)), tuple(work.draw(3, -2, 2)), r) for r in work.draw(3, 0.3, 0.9)]
    work.answers(
        "contact_velocity", inputs, by(lambda v, w, r: v + np.cross(w, (0, 0, -r))),
        "GC leads downwards, by the radius.",
        mistakes=[
            (by(lambda v, w, r: v + np.cross(w, (0, 0, r))),
             "From G to C it goes down: that is the velocity at the top, or the order of the vector product."),
            (by(lambda v, w, r: v), "That is the velocity of G: what the rotation adds is missing."),
            (by(lambda v, w, r: np.cross(w, (0, 0, -r))), "That is what the rotation adds: the velocity of G is "
             "missing."),
            (by(lambda v, w, r: v + np.cross(w, (0, 0, -1))), "The radius is missing."),
            (by(lambda v, w, r: v - r * w), "A vector product is needed: omega x GC is across omega."),
            (by(lambda v, w, r: v + np.cross(w, (0, -r, 0))), "Upwards is z here, not y."),
        ])  # fmt: skip


@stage("A wheel that rolls")
def rates(work):
    work.answers(
        "rolling_rates", work.inputs(3, 3, 0.2, 1.3), lambda psi, phid, r: [r * phid * cos(psi), r * phid * sin(psi)],
        "The speed is r phi', and its direction the heading.",
        mistakes=[
            (lambda psi, phid, r: [r * phid * sin(psi), r * phid * cos(psi)], "Sine and cosine are exchanged: "
             "at psi = 0 "
                                                                              "it goes along x."),
            (lambda psi, phid, r: [phid * cos(psi), phid * sin(psi)], "The radius is missing: that is no "
             "velocity yet."),
            (lambda psi, phid, r: [r * phid, 0], "The heading is missing: that holds at psi = 0."),
            (lambda psi, phid, r: [r * cos(psi), r * sin(psi)], "The rate of the wheel is missing."),
            (lambda psi, phid, r: [-r * phid * sin(psi), r * phid * cos(psi)], "That is across the heading: the "
             "wheel "
                                                                               "would slip sideways."),
            (lambda psi, phid, r: [phid / r * cos(psi), phid / r * sin(psi)], "A larger wheel is faster: times "
             "r, not "
                                                                              "divided by it."),
        ])  # fmt: skip


@stage("Two equations of rates")
def constraints(work):
    for _ in range(3):
        psi, r = *work.draw(1, 0.3, 1.2), *work.draw(1, 0.3, 0.9)
        A = work.array(work.call("constraints", psi, r), (2, 4), "a matrix of 2 x 4 numbers")
        free = np.array([[r * cos(psi), r * sin(psi), 0, 1], [0, 0, 1, 0]])
        if np.linalg.matrix_rank(A) == 2 and np.abs(A @ free.T).max() < 1e-9 * np.abs(A).max():
            continue  # also in another order, or multiplied
        right = np.array([[1, 0, 0, -r * cos(psi)], [0, 1, 0, -r * sin(psi)]])
        work.compare(
            A, right, "With your rows, the rates of part 2 do not give zero; or one row follows from the other.",
            mistakes=[(right * [1, 1, 1, -1], "The sign of the last column: all is on one side of the equation."),
                      (right[:, [0, 1, 3, 2]], "The columns: psi comes before phi."),
                      (right * [0, 0, 0, 1], "The first two columns are missing: the rates of x and y."),
                      (right[::-1] * [0, 0, 0, 1] + right * [1, 1, 1, 0], "Sine and cosine are exchanged."),
                      (right / [1, 1, 1, r], "The radius is missing."),
                      (right * [1, 1, 1, 0], "Without the last column the wheel could not go anywhere."),
                      ])  # fmt: skip


@stage("Down a slope")
def slope(work):
    def by(share, force=None, pull=sin):
        """Acceleration with a share of the inertia of turning, and a force."""

        def pair(beta, m, r, J):
            a = G * pull(beta) / (1 + share * J / (m * r * r))
            return [a, J * a / r**2 if force is None else force(beta, m, r, J, a)]

        return pair

    limits = ((0.2, 0.7), (2, 5), (0.3, 0.8), (0.4, 1.5))
    inputs = [tuple(work.draw(1, *pair)[0] for pair in limits) for _ in range(3)]
    work.answers(
        "slope", inputs, by(1), "Newton along the slope, Euler about the axis, and s'' = r phi''.",
        mistakes=[
            (by(0), "That is the acceleration of what slides without friction: turning has inertia, too."),
            (by(0, lambda beta, m, r, J, a: 0), "That slides without friction: it does not roll."),
            (by(1, pull=cos), "Along the slope the weight has its sine."),
            (by(1, lambda beta, m, r, J, a: J * a / r), "The force has the arm r, and the angular acceleration "
             "is a / r: r "
                                                        "comes twice."),
            (by(1, lambda beta, m, r, J, a: -J * a / r**2), "The sign of the force: the ground pulls upwards, "
             "so that the "
                                                            "wheel turns."),
            (by(1, lambda beta, m, r, J, a: m * G * sin(beta)), "That is the weight along the slope; the wheel "
             "would not "
                                                                "speed up."),
            (by(1, lambda beta, m, r, J, a: m * a), "That is the whole force, of weight and ground: take the "
             "ground's."),
            (by(1, lambda beta, m, r, J, a: m * G * cos(beta)), "That is the force across the slope."),
            (by(1, pull=tan), "Along the slope the weight has its sine, not the tangent."),
            (by(0.5), "J is about the axis of the wheel: a half is in it already."),
        ])  # fmt: skip


@stage("A wheel set")
def wheel_set(work):
    def by(speed, turn):
        return lambda left, right, r, b: [speed(left, right, r), turn(left, right, r, b)]

    def mean(left, right, r):
        return r * (left + right) / 2

    def rate(left, right, r, b):
        return r * (right - left) / b

    work.answers(
        "wheel_set", work.inputs(3, 4, 0.4, 2), by(mean, rate), "Each wheel's centre has the speed of its "
         "rolling; the "
                                                                "axle is a straight line.",
        mistakes=[
            (by(mean, lambda *x: -rate(*x)), "The sign of the turn: a faster right wheel turns it to the left, "
             "positive "
                                             "about z."),
            (by(mean, lambda *x: 2 * rate(*x)), "The wheels are b apart: divide by b, not by its half."),
            (by(mean, lambda *x: rate(*x) / 2), "The wheels are b apart: divide by b, not by twice b."),
            (by(lambda *x: 2 * mean(*x), rate), "The middle has the mean of both speeds."),
            (by(lambda *x: mean(*x) / x[2], lambda *x: rate(*x) / x[2]), "The radius is missing."),
            (by(lambda left, right, r: r * left, rate), "That is the speed of the left wheel."),
            (by(lambda left, right, r: r * right, rate), "That is the speed of the right wheel."),
            (by(mean, lambda *x: rate(*x) * x[3]), "The rate of the heading has the unit rad/s: divide by b."),
            (by(mean, lambda left, right, r, b: r * (left + right) / b), "The difference of the wheels turns it."),
        ])  # fmt: skip


@stage("Where it goes")
def place(work):
    def by(formula):
        return lambda left, right, r, b, t: formula(r * (left + right) / 2, r * (right - left) / b, t)

    inputs = []
    for _ in range(3):
        limits = ((0.5, 1.5), (2, 3), (0.3, 0.6), (0.8, 1.2), (0.6, 1.4))
        inputs.append(tuple(work.draw(1, *pair)[0] for pair in limits))
    work.answers(
        "place", inputs, by(lambda v, w, t: np.array([v / w * sin(w * t), v / w * (1 - cos(w * t)), w * t])),
        "A circle: integrate v cos(psi) and v sin(psi), with psi = w t.",
        mistakes=[
            (by(lambda v, w, t: np.array([v * t, 0, w * t])), "That is straight on: the heading changes on the way."),
            (by(lambda v, w, t: np.array([v * t * cos(w * t), v * t * sin(w * t), w * t])),
             "It has not had its last heading all the time: integrate."),
            (by(lambda v, w, t: np.array([v * sin(w * t), v * (1 - cos(w * t)), w * t])),
             "The radius of the circle is v / w."),
            (by(lambda v, w, t: np.array([v / w * sin(w * t), -v / w * cos(w * t), w * t])),
             "It starts at the origin: the constant of the integral of the sine is missing."),
            (by(lambda v, w, t: np.array([v / w * (1 - cos(w * t)), v / w * sin(w * t), w * t])),
             "At first it goes along x: x and y are exchanged."),
            (by(lambda v, w, t: np.array([v / w * sin(w * t), v / w * (1 - cos(w * t)), w])),
             "The third is the heading itself: its rate times t."),
            (by(lambda v, w, t: np.array([w / v * sin(w * t), w / v * (1 - cos(w * t)), w * t])),
             "The radius of the circle is upside down."),
        ])  # fmt: skip
