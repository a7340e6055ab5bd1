"""Checks of exercise 01."""

import math

import numpy as np

from easydyn import tdisp, trotz
from easydyn.course import stage

L1, L2 = 1.2, 1.1


def matrix(T):
    return np.array(T.matrix, dtype=float)


def T_elbow(q1):
    return trotz(q1) * tdisp(0, -L1, 0)


def T_hand(q1, q2):
    return T_elbow(q1) * trotz(q2) * tdisp(0, -L2, 0)


@stage("The frame of the elbow")
def elbow(work):
    for q1 in work.draw(4, -2, 2):
        came = work.transform(work.call("elbow", q1))
        work.compare(
            matrix(came), matrix(T_elbow(q1)), "At q1 = 0 the elbow is at (0, -1.2, 0); draw where it is at q1 = 0.3.",
            mistakes=[
                (matrix(tdisp(0, -L1, 0) * trotz(q1)),
                 "The order of the product: you have gone down first and turned then, so that the elbow stays below "
                 "the origin. "
                 "Products are read from left to right, from the ground outwards."),
                (matrix(trotz(q1) * tdisp(0, L1, 0)), "The sign of the displacement: your arm points upwards at q1 "
                                                      "= 0."),
                (matrix(trotz(-q1) * tdisp(0, -L1, 0)),
                 "The sign of the angle: a positive q1 turns counterclockwise, and moves the elbow to the right."),
                (matrix(trotz(q1) * tdisp(0, -L1 / 2, 0)), "That is the middle of the arm, not its lower end."),
                (matrix(trotz(q1) * tdisp(L1, 0, 0)), "Your arm lies along x at q1 = 0: it should hang down, along "
                                                      "-y."),
                (matrix(trotz(math.radians(q1)) * tdisp(0, -L1, 0)),
                 "You have converted q1 from degrees: it is in radians already, as all angles in easydyn."),
                (matrix(tdisp(L1 * math.sin(q1), -L1 * math.cos(q1), 0)),
                 "The position is right, but your frame is not turned: the turn has to be a factor of the product."),
            ],
        )


@stage("The frame of the hand")
def hand(work):
    for q1, q2 in zip(work.draw(4, -2, 2), work.draw(4, -2, 2)):
        came = work.transform(work.call("hand", q1, q2))
        work.compare(
            matrix(came), matrix(T_hand(q1, q2)), "From the elbow on: turn by q2, then go along the forearm.",
            mistakes=[
                (matrix(T_elbow(q1) * tdisp(0, -L2, 0) * trotz(q2)),
                 "The order of the last two factors: the turn at the elbow comes before the way along the forearm."),
                (matrix(T_elbow(q1) * trotz(q2 - q1) * tdisp(0, -L2, 0)),
                 "You take q2 for the angle to the vertical: it is the angle between the arms."),
                (matrix(T_elbow(q1) * trotz(-q2) * tdisp(0, -L2, 0)), "The sign of q2: it is positive about z, as "
                                                                      "q1 is."),
                (matrix(trotz(q2) * tdisp(0, -L2, 0) * T_elbow(q1)),
                 "The order of the product: the upper arm comes first, then the forearm."),
                (matrix(trotz(q1 + q2) * tdisp(0, -L1 - L2, 0)),
                 "Both arms are turned by q1 + q2 here: the upper arm only turns by q1."),
            ],
        )


@stage("What the hand sees")
def seen_from_hand(work):
    for q1, q2, x, y, z in zip(*(work.draw(3, -2, 2) for _ in range(5))):
        T, p = matrix(T_hand(q1, q2)), np.array([x, y, z])
        R, e = T[:3, :3], T[:3, 3]
        came = work.vector(work.call("seen_from_hand", q1, q2, (x, y, z)))
        work.compare(
            came, R.T @ (p - e), "Put what you have found back: hand(q1, q2) * result must be the point.",
            mistakes=[
                (R @ p + e, "That is T * point, the way from the hand to the ground: here it is the other way round."),
                (p - e, "That is the vector from the hand to the point, but in the axes of the ground: turn it "
                        "back, too."),
                (R.T @ p, "That is the direction only: the origin of the hand's frame is not that of the ground."),
                (R.T @ p - e, "First take away the position of the hand, then turn back: not in the other order."),
                (R @ (p - e), "You have turned once more instead of back: the inverse of a rotation is its transpose."),
            ],
        )


@stage("The angle of a frame")
def angle(work):
    for q in (0.3, -0.4, 2.5, -2.8):
        T = tdisp(0.5, -1, 0) * trotz(q)
        came = work.number(work.result(f"angle(tdisp(0.5, -1, 0) * trotz({q}))", work.value("angle"), T))
        work.compare(
            came, q, "R has cos(q), sin(q) in its first column.",
            mistakes=[
                (math.degrees(q), "That is in degrees: radians everywhere."),
                (math.acos(math.cos(q)), "acos cannot tell q from -q: use math.atan2 with the sine and the cosine."),
                (math.asin(math.sin(q)), "asin cannot tell q from pi - q: use math.atan2 with the sine and the "
                                         "cosine."),
                (math.atan(math.tan(q)), "atan loses the quadrant: use math.atan2(sine, cosine), which has two "
                                         "arguments."),
                (-q, "The sign is wrong: sin(q) is the element in the second row, first column, T.R[1, 0]."),
                (math.pi / 2 - q, "The arguments of atan2 are exchanged: the sine (y) comes first."),
                (math.atan2(math.cos(q), math.sin(q)), "The arguments of atan2 are exchanged: the sine (y) comes "
                                                       "first."),
            ],
        )
