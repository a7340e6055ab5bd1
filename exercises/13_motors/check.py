"""Checks of exercise 13."""

from math import cos, sin

import numpy as np

from easydyn import inertia_tensor
from easydyn.course import stage
from easydyn.motor import Motor, inertia_dyad

M, L, W, G = 2.0, 0.6, 7.0, 9.81
J = M * L**2 / 3
DYAD = inertia_dyad(M, (0, 0, -L / 2), inertia_tensor(J, J, 0))


def six(work, came):
    return np.array(work.a(Motor, came, "a Motor").motion_vector, dtype=float)


def vectors(work, count):
    return [np.array(work.draw(3, -2, 2)) for _ in range(count)]


@stage("The moment about another point")
def moment(work):
    for _ in range(3):
        g, h, r = vectors(work, 3)
        work.compare(
            work.vector(work.call("moment", tuple(g), tuple(h), tuple(r))), h + np.cross(g, r),
            "It is the field of velocities of a rigid body: h and something that g does at r.",
            mistakes=[(h - np.cross(g, r), "The order of the vector product: it is g x r, as omega x r."),
                      (h, "That is the moment about the origin: r is missing."),
                      (np.cross(g, r), "The moment about the origin is missing: h is what remains at r = 0.")])


@stage("A point of the screw's axis")
def axis(work):
    for _ in range(3):
        g, h = vectors(work, 2)
        r = work.vector(work.call("point_of_axis", tuple(g), tuple(h)))
        there = h + np.cross(g, r)
        across = np.cross(g, there) / np.linalg.norm(g)
        size = max(1.0, np.linalg.norm(h))
        mistakes = [(np.cross(h, g) / (g @ g), "The sign: with this point the part across g becomes twice as large."),
                    (np.cross(g, h), "Divide it by g . g: its unit is that of a length then."),
                    (np.cross(g, h) / np.linalg.norm(g), "Divide it by g . g, not by the length of g.")]
        for wrong, sentence in mistakes:
            work.require(np.abs(r - wrong).max() > 1e-9 * size, sentence, came=r, expected="a point of the axis")
        work.require(np.abs(across).max() < 1e-9 * size,
                     "At this point the moment is not along g: it has a part across.",
                     came=f"moment {np.round(there, 4)} with g = {g}", expected="a moment along g")


@stage("The momentum of a body")
def momentum(work):
    for _ in range(3):
        m = work.draw(1, 1, 3)[0]
        c, w, v = vectors(work, 3)
        Ix, Iy, Iz = (float(x) for x in work.draw(3, 3, 6))
        I = np.diag([Ix, Iy, Iz])
        came = six(work, work.call("momentum", float(m), tuple(c), inertia_tensor(Ix, Iy, Iz), tuple(w), tuple(v)))
        p, l = m * (v + np.cross(w, c)), I @ w + m * np.cross(c, v)
        work.compare(
            came, np.r_[p, l],
            "m times the velocity of the centre of mass; and I w with what the motion of the origin adds.",
            mistakes=[(np.r_[m * v, l], "The momentum is that of the centre of mass, which moves otherwise than the "
                                        "origin."),
                      (np.r_[m * (v + np.cross(c, w)), l], "The order of the vector product in the momentum: w x c."),
                      (np.r_[p, I @ w], "The angular momentum about the origin: what m v at c has about it is "
                                        "missing."),
                      (np.r_[p, I @ w - m * np.cross(c, v)], "The sign of what m v at c adds: a moment is c x (m v)."),
                      (np.r_[p, I @ w + np.cross(c, p)], "I is about the origin: what w does at c is in I w already, "
                                                         "so that only m v is left."),
                      (np.r_[l, p], "The halves are exchanged: first the momentum, then the angular momentum.")])


def states(work):
    for _ in range(3):
        yield work.draw(3, -2, 2)


def velocity_of(q, qd):
    return np.array([qd, W * sin(q), W * cos(q), 0, 0, 0])


@stage("The velocity of the rod")
def velocity(work):
    for q, qd, _ in states(work):
        work.compare(
            six(work, work.call("velocity", q, qd)), velocity_of(q, qd),
            "Two rotations about lines through the hinge: column and rod. The moment is zero.",
            mistakes=[(np.array([qd, 0, W, 0, 0, 0]), "The vertical is no axis of the rod: turn it into its axes."),
                      (np.array([qd, -W * sin(q), W * cos(q), 0, 0, 0]), "The vertical is turned the wrong way: the "
                       "rod has turned by q, so what stands still turns back, as seen from it."),
                      (np.array([qd, 0, 0, 0, 0, 0]), "The rotation of the column is missing."),
                      (np.array([0, W * sin(q), W * cos(q), 0, 0, 0]), "The rotation about the hinge is missing."),
                      (np.r_[np.zeros(3), velocity_of(q, qd)[:3]], "The halves are exchanged: the resultant of a "
                                                                   "velocity is the rotation.")])


def rate_of(q, qd, qdd):
    return np.array([qdd, W * qd * cos(q), -W * qd * sin(q), 0, 0, 0])


@stage("Its rate")
def rate(work):
    for q, qd, qdd in states(work):
        right = rate_of(q, qd, qdd)
        work.compare(
            six(work, work.call("rate", q, qd, qdd)), right, "The derivatives of the components in part 4.",
            mistakes=[(np.array([qdd, 0, 0, 0, 0, 0]), "W is constant, its components in the axes of the rod are not."),
                      (right * [1, -1, -1, 1, 1, 1], "The sign of the product: the column's motor times the hinge's."),
                      (np.array([qdd, W * cos(q), -W * sin(q), 0, 0, 0]), "The chain rule: sin q has the rate "
                                                                          "qd cos q."),
                      (right - [qdd, 0, 0, 0, 0, 0], "The acceleration about the hinge is missing.")])


@stage("The equation of motion")
def equation(work):
    for q, qd, qdd in states(work):
        centrifugal, weight = -J * W**2 * sin(q) * cos(q), M * G * L / 2 * sin(q)
        work.compare(
            work.number(work.call("residual", q, qd, qdd)), J * qdd + centrifugal + weight,
            "p' + v x p less the weight, and of that the part along the hinge.",
            mistakes=[(J * qdd + weight, "v x p is missing: the rod turns with the column, and is thrown out."),
                      (J * qdd - centrifugal + weight, "The order of the outer product: v x p."),
                      (J * qdd + centrifugal - weight, "The sign of the weight: it is taken off, and points "
                                                       "downwards."),
                      (J * qdd + centrifugal, "The weight is missing, or it is along an axis of the rod: downwards "
                                              "is the vertical of part 4, turned round."),
                      (J * qdd + centrifugal + 2 * weight, "The weight acts at half the length.")])
