"""Checks of exercise 09."""

import numpy as np

from easydyn import tdisp, trotx, troty, trotz
from easydyn.course import stage

HEIGHT, REACH, MASS, LOAD = 0.5, 0.6, 3.0, 1.5
I = np.diag([0.02, 0.4, 0.42])
PLACE = np.array([0.3, 0.1, 0.0])


def matrix(T):
    return np.array(T.matrix, dtype=float)


def place(q):
    return trotz(q[0]) * tdisp(0, 0, HEIGHT) * troty(q[1]) * tdisp(REACH, 0, 0)


def states(work):
    for _ in range(3):
        yield work.draw(2, -2, 2), work.draw(2, -2, 2)


def rotation(q):
    return matrix(place(q))[:3, :3]


def omega_of(q, qd):
    """From the derivative of R, a difference: omega~ = R' R^T."""
    h = 1e-6
    slope = (rotation(np.add(q, np.multiply(h, qd))) - rotation(np.subtract(q, np.multiply(h, qd)))) / (2 * h)
    skew = slope @ rotation(q).T
    return np.array([skew[2, 1], skew[0, 2], skew[1, 0]])


@stage("The frame of the arm")
def frame(work):
    for q, _ in states(work):
        base = trotz(q[0]) * tdisp(0, 0, HEIGHT)
        work.compare(
            matrix(work.transform(work.call("frame", q))), matrix(place(q)), "Turn, up, turn, out: four factors.",
            mistakes=[(matrix(base * tdisp(REACH, 0, 0) * troty(q[1])), "The order of the last two factors: the arm "
                                                                        "turns "
                       "about the shoulder, so its turn comes before the way out."),
                      (matrix(troty(q[1]) * tdisp(0, 0, HEIGHT) * trotz(q[0]) * tdisp(REACH, 0, 0)), "The order of the "
                       "turns: the turret stands on the ground, and carries the arm."),
                      (matrix(base * trotx(q[1]) * tdisp(REACH, 0, 0)), "The arm turns about y of the turret, not "
                                                                        "about x."),
                      (matrix(base * troty(-q[1]) * tdisp(REACH, 0, 0)), "The sign of b: positive about y (the arm "
                                                                         "sinks)."),
                      (matrix(trotz(q[0]) * troty(q[1]) * tdisp(REACH, 0, 0)), "The height of the shoulder is "
                                                                               "missing."),
                      (matrix(base * troty(q[1])), "That is the shoulder: the frame is at the centre of mass.")])


@stage("Its rotation velocity")
def omega(work):
    for q, qd in states(work):
        right = omega_of(q, qd)
        R = rotation(q)
        work.compare(
            work.vector(work.call("omega", q, qd)), right, "omega~ = R' R^T: the vectors of the two turns, in "
                                                           "ground axes.",
            size=1, mistakes=[
                ((0, qd[1], qd[0]), "The y axis of the turret is not that of the ground: it has turned with a."),
                (R.T @ right, "These are components in the axes of the arm: ground components are asked for."),
                (R @ [0, qd[1], qd[0]], "You have turned the rate of the turret as well: it is along the ground's z."),
                (R @ right, "You have turned into ground axes what was in ground axes already."),
                ((0, 0, qd[0]), "The rate of the arm relative to the turret is missing."),
                (right - 2 * np.array([0, 0, qd[0]]), "The sign of the turret's rate."),
                (right * [-1, -1, 1], "The sign of the arm's rate: positive about the y axis of the turret.")])


@stage("Its inertia tensor in ground axes")
def tensor(work):
    for q, _ in states(work):
        R = rotation(q)
        work.compare(
            work.array(work.call("inertia_in_ground", q), (3, 3), "a 3 x 3 matrix"), R @ I @ R.T,
            "It has to be symmetric, and to have the same principal moments as I.",
            mistakes=[(R.T @ I @ R, "R and its transpose are exchanged: first to the axes of the arm (on the "
                                    "right), then back."),
                      (I, "That is I in the axes of the arm: the arm has turned."),
                      (R @ I, "A tensor is turned from both sides: the transpose of R is missing on the right."),
                      (R @ I @ R, "One of the two has to be the transpose of R.")])


@stage("Its kinetic energy")
def energy(work):
    for q, qd in states(work):
        w, R = omega_of(q, qd), rotation(q)
        v = np.cross(w, R @ [REACH, 0, 0])
        moving, turning = MASS * v @ v / 2, w @ R @ I @ R.T @ w / 2
        work.compare(
            work.number(work.call("kinetic_energy", q, qd)), moving + turning, "m v²/2 and omega . I omega/2, of "
                                                                               "the arm.",
            mistakes=[(moving + w @ I @ w / 2, "I in the axes of the arm with omega in those of the ground: both "
                                               "must have the "
                       "same axes (the original program had this mistake, and in the plane nobody noticed)."),
                      (moving, "The energy of turning, omega . I omega/2, is missing."),
                      (turning, "The energy of the motion of the centre of mass, m v²/2, is missing."),
                      (2 * (moving + turning), "The factor 1/2 is missing."),
                      (moving + 2 * turning, "The factor 1/2 is missing in the energy of turning.")], tolerance=1e-5)


@stage("A load on the arm")
def load(work):
    r, E = PLACE, np.eye(3)
    added = LOAD * (r @ r * E - np.outer(r, r))
    off = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    together = MASS * LOAD / (MASS + LOAD) * (r @ r * E - np.outer(r, r))
    work.compare(
        work.array(work.call("with_load"), (3, 3), "a 3 x 3 matrix"), I + added, "m (r . r E - r r^T) is added to I.",
        wanted="the tensor of the arm, and that of the point mass",
        mistakes=[(I + added * (1 - 2 * off), "The sign of the products of inertia: the element xy of the tensor is "
                                              "minus the "
                   "integral of x y dm. (Some programs want it with a plus; easydyn wants the elements of the "
                   "tensor.)"),
                  (I + added * (1 - off), "The products of inertia are missing: the load is on no principal axis of "
                                          "the arm."),
                  (added, "That is the load alone: add the arm."),
                  (I + LOAD * np.outer(r, r), "m r r^T is not the inertia of a point mass: its element xx would be "
                                              "m x², and "
                   "should be m (y² + z²)."),
                  (I + LOAD * r @ r * E, "A point mass has no inertia about an axis through itself: r . r E - r r^T."),
                  (I + together, "You have moved to the common centre of mass: the tensor is asked for about that "
                                 "of the arm.")])
