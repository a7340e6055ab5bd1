"""Checks of exercise 04."""

from math import cos, pi, sin, sqrt

import numpy as np

from easydyn.course import stage

m, l, c, g = 1.7, 0.8, 0.3, 9.81
I = m * l**2 / 12


def along(q):
    """The direction in which G moves."""
    return np.array([cos(q), sin(q), 0])


def outwards(q):
    return np.array([sin(q), -cos(q), 0])


@stage("Partial contributions")
def contributions(work):
    def part(k):
        return lambda came: work.several(came, 2, "d, theta")[k]

    work.right("contributions", lambda q: (along(q) * l / 2, np.array([0, 0, 1])))
    work.answers(
        "contributions", work.inputs(4, 1), lambda q: along(q) * l / 2, "d is the derivative of the position of G by "
        "q.", take=part(0),
        mistakes=[
            (lambda q: along(q) * l, "That is for the end of the rod: its centre of mass is at l/2."),
            (lambda q: outwards(q) * l / 2, "That is the position of G: differentiate it by q."),
            (lambda q: -along(q) * l / 2, "The sign: when q grows from zero, the rod moves to the right."),
            (lambda q: [-sin(q) * l / 2, cos(q) * l / 2, 0],
             "That would be right for an angle measured from the x axis: at q = 0 the rod hangs along -y."),
            (lambda q: along(q), "The arm is missing: G is l/2 away from the bearing."),
            (lambda q: [l / 2, 0, 0], "G goes round: d has another direction at each q."),
            (lambda q: [0, 0, 1], "theta comes second: d, then theta."),
            (lambda q: along(q) * l / 2 * q, "It is the derivative by q, not times q."),
        ])
    work.answers(
        "contributions", work.inputs(4, 1), lambda q: (0, 0, 1), "theta is what stands before q' in the rotation "
        "velocity.", take=part(1), wanted="a vector, the same for each q",
        mistakes=[
            (lambda q: (0, 0, l / 2), "An angular velocity has nothing to do with the length of the rod."),
            (lambda q: (0, 0, l), "An angular velocity has nothing to do with the length of the rod."),
            (lambda q: (0, 0, -1), "The sign: q is positive about z."),
            (lambda q: (0, 0, q), "theta is a derivative by q', not the angle."),
            (lambda q: (1, 0, 0), "The rod turns about z, the third component."),
            (lambda q: (0, 1, 0), "The rod turns about z, the third component."),
            (lambda q: (0, 0, 0), "The rod turns as well: theta is not zero."),
            (lambda q: along(q), "The angular velocity is along z, across the plane; this is a direction in it."),
        ])


@stage("Acceleration of the centre of mass")
def acceleration(work):
    def made(formula):
        return lambda q, qd, qdd: formula(along(q) * l / 2, -outwards(q) * l / 2, qd, qdd)

    work.answers(
        "acceleration", work.inputs(4, 3), made(lambda tangent, inwards, qd, qdd: tangent * qdd + inwards * qd**2),
        "One part along the circle, with q'', one towards the bearing, with q'².",
        mistakes=[(made(formula), said) for formula, said in (
            (lambda tangent, inwards, qd, qdd: tangent * qdd, "The part towards the bearing, with q'², is missing."),
            (lambda tangent, inwards, qd, qdd: inwards * qd**2, "The part along the circle, with q'', is missing."),
            (lambda tangent, inwards, qd, qdd: tangent * qdd - inwards * qd**2,
             "The part with q'² points towards the bearing, not away from it."),
            (lambda tangent, inwards, qd, qdd: -tangent * qdd + inwards * qd**2,
             "The sign of the part with q'': the order of the product is alpha x r."),
            (lambda tangent, inwards, qd, qdd: tangent * qdd + inwards * qd,
             "q' has to be squared in the part towards the bearing."),
            (lambda tangent, inwards, qd, qdd: 2 * (tangent * qdd + inwards * qd**2),
             "That is the end of the rod: its centre of mass is at l/2."),
            (lambda tangent, inwards, qd, qdd: tangent * qdd + inwards * qd**2 * l / 2,
             "In the part towards the bearing the length comes once: q'² l/2."),
            (lambda tangent, inwards, qd, qdd: tangent * qdd + inwards * qd * qdd,
             "The part towards the bearing is omega x (omega x r): alpha does not occur in it."),
            (lambda tangent, inwards, qd, qdd: tangent * qd, "That is the velocity of G: differentiate it."),
            (lambda tangent, inwards, qd, qdd: tangent * qdd + 2 * inwards * qd**2,
             "Twice the part towards the bearing: that would be Coriolis, but nothing slides here."),
        )])


def terms(q, qd, qdd):
    """Of f: m a, I alpha, weight, brake."""
    return m * l**2 / 4 * qdd, I * qdd, m * g * l / 2 * sin(q), c * qd


@stage("The residual")
def residual(work):
    def made(formula):
        return lambda q, qd, qdd: formula(*terms(q, qd, qdd))

    work.answers(
        "residual", work.inputs(4, 3), made(lambda mass, spin, weight, brake: mass + spin + weight + brake),
        "Write the terms one below the other, and look at each sign.",
        mistakes=[(made(formula), said) for formula, said in (
            (lambda mass, spin, weight, brake: mass + weight + brake,
             "The inertia of the rod against turning, I alpha, is missing: this is a point mass at l/2."),
            (lambda mass, spin, weight, brake: spin + weight + brake, "The inertia of the mass, d . m a, is missing."),
            (lambda mass, spin, weight, brake: mass / m + spin + weight + brake,
             "The mass is missing before the acceleration: m a."),
            (lambda mass, spin, weight, brake: mass + spin / m + weight + brake,
             "The mass is missing in the moment of inertia, m l²/12."),
            (lambda mass, spin, weight, brake: mass + spin / I + weight + brake,
             "The moment of inertia is missing before alpha: I alpha."),
            (lambda mass, spin, weight, brake: mass + 4 * spin + weight + brake,
             "The moment of inertia is taken about the bearing (m l²/3): eq. (6) needs that about G, as the "
             "acceleration of G is counted already."),
            (lambda mass, spin, weight, brake: mass + 6 * spin + weight + brake,
             "A half is for a disc: a rod has m l²/12 about its centre of mass."),
            (lambda mass, spin, weight, brake: mass - spin + weight + brake, "The sign of I alpha: I alpha - M."),
            (lambda mass, spin, weight, brake: mass + spin - weight + brake,
             "The sign of the weight: R is subtracted, and it points downwards."),
            (lambda mass, spin, weight, brake: mass + spin + brake, "The weight is missing."),
            (lambda mass, spin, weight, brake: mass + spin + weight / m + brake,
             "The mass is missing in the weight: m g."),
            (lambda mass, spin, weight, brake: mass + spin + weight - brake,
             "The sign of the brake: its moment is -c q', and M is subtracted."),
            (lambda mass, spin, weight, brake: mass + spin + weight, "The moment of the brake is missing."),
            (lambda mass, spin, weight, brake: mass + spin - weight - brake,
             "The signs of weight and brake: R and M are subtracted."),
            (lambda mass, spin, weight, brake: -mass - spin - weight - brake,
             "Every sign is turned: f = d . (m a - R) + theta . (I alpha - M)."),
            (lambda mass, spin, weight, brake: mass + spin + 2 * weight + brake,
             "The weight acts at the centre of mass, at l/2, not at the end."),
            (lambda mass, spin, weight, brake: mass + weight, "theta . (I alpha - M) is missing: d is one half only."),
            (lambda mass, spin, weight, brake: spin + brake, "d . (m a - R) is missing: theta is one half only."),
        )] + [
            (lambda q, qd, qdd: sum(terms(q, qd, qdd)) + m * g * l / 2 * (cos(q) - sin(q)),
             "The arm of the weight is l/2 sin(q): it vanishes when the rod hangs."),
            (lambda q, qd, qdd: sum(terms(q, qd, qdd)) + m * g * l / 2 * (q - sin(q)),
             "For any angle: sin(q), not q."),
            (lambda q, qd, qdd: sum(terms(q, qd, qdd)) + m * g - m * g * l / 2 * sin(q),
             "The weight is a vector, of which d takes its part: d . R."),
        ])


@stage("M and h")
def mass(work):
    M, weight = m * l**2 / 4 + I, m * g * l / 2
    work.answers(
        "mass", work.inputs(3, 1), lambda q: M, "M is what stands before q'' in the residual.",
        wanted="a moment of inertia",
        mistakes=[(lambda q, value=value: value, said) for value, said in (
            (m * l**2 / 4, "The moment of inertia is missing in M: theta . I theta."),
            (I, "The mass is missing in M: m d . d."),
            (m, "M is no mass here, but a moment of inertia: in kg m²."),
            (m + I, "m is to be multiplied by d . d: M is in kg m²."),
            (m * l / 2 + I, "d comes twice: m d . d."),
            (m * l**2, "That is a point mass at the end of the rod."),
            (m * l**2 + I, "d is for the centre of mass, at l/2."),
            (m * l**2 / 4 + m * l**2 / 3,
             "The moment of inertia is that about G: what the mass does about the bearing is in m d . d."),
            (m * l**2 / 2, "A half is for a disc: a rod has m l²/12 about its centre of mass."),
            (m * l**2 / 4 + m * l**2 / 2, "A half is for a disc: a rod has m l²/12 about its centre of mass."),
            (l**2 / 4 + I, "The mass is missing before d . d."),
            (m * l**2 / 4 + 1, "The moment of inertia is missing before theta . theta."),
            (-M, "The sign: f = M q'' + h, and M is positive."),
        )])
    work.answers(
        "rest", work.inputs(4, 2), lambda q, qd: weight * sin(q) + c * qd, "h is the residual at q'' = 0.",
        mistakes=[
            (lambda q, qd: -weight * sin(q) - c * qd,
             "The sign: f = M q'' + h, h stands on the same side as M q''."),
            (lambda q, qd: weight * sin(q), "The brake is missing in h."),
            (lambda q, qd: c * qd, "The weight is missing in h."),
            (lambda q, qd: weight * sin(q) - c * qd, "The sign of the brake: in h it is +c q'."),
            (lambda q, qd: -weight * sin(q) + c * qd, "The sign of the weight in h."),
            (lambda q, qd: weight * q + c * qd, "For any angle: sin(q), not q."),
            (lambda q, qd: weight * sin(q) + c * qd + M, "That is the residual at q'' = 1: h is that at q'' = 0."),
            (lambda q, qd: -(weight * sin(q) + c * qd) / M, "That is the acceleration -h/M: h alone is asked for."),
            (lambda q, qd: weight * cos(q) + c * qd,
             "The arm of the weight is l/2 sin(q): it vanishes when the rod hangs."),
            (lambda q, qd: 2 * weight * sin(q) + c * qd, "The weight acts at the centre of mass, at l/2."),
        ])


@stage("Period of small swings")
def period(work):
    J, K = m * l**2 / 3, m * g * l / 2
    work.compare(
        work.number(work.value("period")), 2 * pi * sqrt(J / K), "Linearise M q'' + h = 0 without the brake.",
        mistakes=[
            (2 * pi * sqrt(l / g), "That is a point mass on a thread of length l."),
            (2 * pi * sqrt(l / 2 / g), "That is a point mass at l/2: the moment of inertia of the rod about G is "
                                       "missing."),
            (2 * pi * sqrt(J / (m * g * l)), "The weight acts at the centre of mass, at l/2."),
            (2 * pi * sqrt(J / (m * g)), "K is what stands before q, in N m: the arm of the weight is missing."),
            (sqrt(K / J), "That is the angular frequency in rad/s."),
            (sqrt(K / J) / (2 * pi), "That is the frequency in Hz: the period is its inverse."),
            (sqrt(J / K), "The factor 2 pi is missing."),
            (2 * pi * sqrt(K / J), "M and K are exchanged under the root."),
            (2 * pi * J / K, "The root is missing."),
            (pi * sqrt(J / K), "That is a half: a swing goes to and fro, and M is about the bearing."),
            (J, "That is M: the period follows from M and K."),
        ], tolerance=1e-3, wanted="the time of one swing to and fro, of a uniform rod",
    )
