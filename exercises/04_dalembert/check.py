"""Checks of exercise 04."""

from math import cos, pi, sin, sqrt

import numpy as np

from easydyn import GeneralizedForce, Model, tdisp, trotz
from easydyn.course import stage

m, l, c, g = 1.5, 0.9, 0.2, 9.81
I = m * l**2 / 12


def reference():
    """The same rod by easydyn."""
    model = Model("rod", gravity=(0, -g, 0))
    (q,) = model.coordinates("q")
    model.body("rod", trotz(q) * tdisp(0, -l / 2, 0), mass=m, inertia=(0, 0, I))
    model.add(GeneralizedForce(q, -c * q.dot))
    return model.compile(target="python")


def states(work):
    for _ in range(4):
        yield work.draw(3, -2, 2)


@stage("Partial contributions")
def contributions(work):
    for q, _, _ in states(work):
        came = work.call("contributions", q)
        work.require(isinstance(came, tuple) and len(came) == 2, "Two vectors are asked for: return d, theta.",
                     came=came, expected="(d, theta)")
        right = np.array([cos(q), sin(q), 0]) * l / 2
        work.compare(
            work.vector(came[0]), right, "d is the derivative of the position of G by q.",
            mistakes=[
                (2 * right, "That is for the end of the rod: its centre of mass is at l/2."),
                (np.array([sin(q), -cos(q), 0]) * l / 2, "That is the position of G: differentiate it by q."),
                (-right, "The sign: when q grows from zero, the rod moves to the right."),
                ([-sin(q) * l / 2, cos(q) * l / 2, 0],
                 "That would be right for an angle measured from the x axis: at q = 0 the rod hangs along -y."),
            ],
        )
        work.compare(
            work.vector(came[1]), (0, 0, 1), "theta is what stands before q' in the rotation velocity.",
            mistakes=[((0, 0, l / 2), "A rotation velocity has nothing to do with the length of the rod."),
                      ((0, 0, -1), "The sign: q is positive about z."), ((0, 0, q), "theta is a derivative by q', "
                                                                                    "not the angle.")],
        )


@stage("Acceleration of the centre of mass")
def acceleration(work):
    for q, qd, qdd in states(work):
        tangent, inwards = np.array([cos(q), sin(q), 0]) * l / 2, np.array([-sin(q), cos(q), 0]) * l / 2
        work.compare(
            work.vector(work.call("acceleration", q, qd, qdd)), tangent * qdd + inwards * qd**2,
            "One part along the circle, with q'', one towards the bearing, with q'².",
            mistakes=[
                (tangent * qdd, "The part towards the bearing, with q'², is missing."),
                (tangent * qdd - inwards * qd**2, "The part with q'² points towards the bearing, not away from it."),
                (tangent * qdd + inwards * qd, "q' has to be squared in the part towards the bearing."),
                (2 * (tangent * qdd + inwards * qd**2), "That is the end of the rod: its centre of mass is at l/2."),
            ],
        )


@stage("The residual")
def residual(work):
    system = reference()
    for q, qd, qdd in states(work):
        right = float(system.residual(0, [q], [qd], [qdd])[0])
        weight, brake, spin = m * g * l / 2 * sin(q), c * qd, I * qdd
        work.compare(
            work.number(work.call("residual", q, qd, qdd)), right, "Write the terms one below the other, and look "
                                                                   "at each sign.",
            mistakes=[
                (right - spin, "The inertia of the rod against turning, I alpha, is missing: this is a point mass "
                               "at l/2."),
                (right + spin * 3, "The moment of inertia is taken about the bearing (m l²/3): eq. (6) needs that "
                                   "about G, as the "
                                   "acceleration of G is counted already."),
                (right - 2 * weight, "The sign of the weight: R is subtracted, and it points downwards."),
                (right - weight, "The weight is missing."),
                (right - 2 * brake, "The sign of the brake: its moment is -c q', and M is subtracted."),
                (right - brake, "The moment of the brake is missing."),
                (-right, "Every sign is turned: f = d . (m a - R) + theta . (I alpha - M)."),
                (right + weight, "The weight acts at the centre of mass, at l/2, not at the end."),
            ],
        )


@stage("M and h")
def mass(work):
    system = reference()
    for q, qd, _ in states(work):
        M = float(system.mass_matrix(0, [q])[0, 0])
        work.compare(
            work.number(work.call("mass", q)), M, "M is what stands before q'' in the residual.",
            mistakes=[
                (m * l**2 / 4, "The moment of inertia is missing in M: theta . I theta."),
                (I, "The mass is missing in M: m d . d."),
                (m, "M is no mass here, but a moment of inertia: in kg m²."),
                (m * l**2, "That is a point mass at the end of the rod."),
            ],
        )
        h = float(system.residual(0, [q], [qd], [0])[0])
        work.compare(
            work.number(work.call("rest", q, qd)), h, "h is the residual at q'' = 0.",
            mistakes=[(-h, "The sign: f = M q'' + h, h stands on the same side as M q''."),
                      (h - c * qd, "The brake is missing in h."), (c * qd, "The weight is missing in h.")],
        )


@stage("Period of small swings")
def period(work):
    J, K = m * l**2 / 3, m * g * l / 2
    right = 2 * pi * sqrt(J / K)
    work.compare(
        work.number(work.value("period")), right, "2 pi times the root of M/K, with K = m g l/2.",
        mistakes=[
            (2 * pi * sqrt(l / g), "That is a point mass on a thread of length l."),
            (2 * pi * sqrt(l / 2 / g), "That is a point mass at l/2: the moment of inertia of the rod about G is "
                                       "missing."),
            (sqrt(K / J), "That is the angular frequency in rad/s."),
            (sqrt(K / J) / (2 * pi), "That is the frequency in Hz: the period is its inverse."),
            (sqrt(J / K), "The factor 2 pi is missing."),
            (2 * pi * sqrt(K / J), "M and K are exchanged under the root."),
            (right / 2, "That is half a period: from one side to the other."),
        ], tolerance=1e-3, wanted="the time of one swing to and fro, of a uniform rod",
    )
