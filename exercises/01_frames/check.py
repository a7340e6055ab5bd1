"""Checks of exercise 01."""

import math

import numpy as np

from easydyn import tdisp, trotz
from easydyn.course import stage

L1, L2 = 1.2, 1.1


def T_elbow(q1):
    return trotz(q1) * tdisp(0, -L1, 0)


def T_hand(q1, q2):
    return T_elbow(q1) * trotz(q2) * tdisp(0, -L2, 0)


@stage("The frame of the elbow")
def elbow(work):
    work.answers(
        "elbow", work.inputs(4, 1), T_elbow, "At q1 = 0 the elbow is at (0, -1.2, 0); draw where it is at q1 = 0.3.",
        mistakes=[
            (lambda q1: tdisp(0, -L1, 0) * trotz(q1),
             "The order of the product: you have gone down first and turned then, so that the elbow stays below the "
             "origin. Products are read from left to right, from the ground outwards."),
            (lambda q1: trotz(q1) * tdisp(0, L1, 0),
             "The sign of the displacement: your arm points upwards at q1 = 0."),
            (lambda q1: trotz(-q1) * tdisp(0, -L1, 0),
             "The sign of the angle: a positive q1 turns counterclockwise, and moves the elbow to the right."),
            (lambda q1: trotz(q1) * tdisp(0, -L1 / 2, 0), "That is the middle of the arm, not its lower end."),
            (lambda q1: trotz(q1) * tdisp(0, -L2, 0), "The upper arm has the length L1; L2 is that of the forearm."),
            (lambda q1: trotz(q1) * tdisp(0, -L1 - L2, 0), "That is the end of a straight arm: the elbow is L1 away."),
            (lambda q1: trotz(q1) * tdisp(L1, 0, 0),
             "Your arm lies along x at q1 = 0: it should hang down, along -y."),
            (lambda q1: trotz(q1), "The frame is turned, but has not gone along the arm: a displacement is missing."),
            (lambda q1: tdisp(0, -L1, 0), "The turn by q1 is missing."),
            (lambda q1: tdisp(L1 * math.sin(q1), -L1 * math.cos(q1), 0),
             "The position is right, but your frame is not turned: the turn has to be a factor of the product."),
        ])  # fmt: skip


@stage("The frame of the hand")
def hand(work):
    work.answers(
        "hand", work.inputs(4, 2), T_hand, "From the elbow on: turn by q2, then go along the forearm.",
        mistakes=[
            (lambda q1, q2: T_elbow(q1) * tdisp(0, -L2, 0) * trotz(q2),
             "The order of the last two factors: the turn at the elbow comes before the way along the forearm."),
            (lambda q1, q2: T_elbow(q1) * trotz(q2 - q1) * tdisp(0, -L2, 0),
             "You take q2 for the angle to the vertical: it is the angle between the arms."),
            (lambda q1, q2: T_elbow(q1) * trotz(q1 + q2) * tdisp(0, -L2, 0),
             "The elbow's frame has turned by q1 already: from it on, turn by q2 only."),
            (lambda q1, q2: T_elbow(q1) * trotz(-q2) * tdisp(0, -L2, 0),
             "The sign of q2: it is positive about z, as q1 is."),
            (lambda q1, q2: trotz(q2) * tdisp(0, -L2, 0) * T_elbow(q1),
             "The order of the product: the upper arm comes first, then the forearm."),
            (lambda q1, q2: trotz(q1 + q2) * tdisp(0, -L1 - L2, 0),
             "Both arms are turned by q1 + q2 here: the upper arm only turns by q1."),
            (lambda q1, q2: T_elbow(q1) * trotz(q2) * tdisp(0, -L1, 0),
             "The forearm has the length L2; L1 is that of the upper arm."),
            (lambda q1, q2: T_elbow(q1) * trotz(q2) * tdisp(0, -L2 / 2, 0),
             "That is the middle of the forearm, not the hand."),
            (lambda q1, q2: T_elbow(q1) * trotz(q2), "That is the elbow: the way along the forearm is missing."),
            (lambda q1, q2: T_elbow(q1) * tdisp(0, -L2, 0), "The turn by q2 is missing."),
        ])  # fmt: skip


def R_and_e(q1, q2):
    T = np.array(T_hand(q1, q2).matrix, dtype=float)
    return T[:3, :3], T[:3, 3]


def from_hand(formula):
    """A function of what the student's is given, by the rotation, the place of the hand, and the point."""
    return lambda q1, q2, point: formula(*R_and_e(q1, q2), np.array(point))


@stage("What the hand sees")
def seen_from_hand(work):
    points = [(*angles, tuple(work.draw(3, -2, 2))) for angles in work.inputs(3, 2)]
    work.answers(
        "seen_from_hand", points, from_hand(lambda R, e, p: R.T @ (p - e)),
        "Put what you have found back: hand(q1, q2) * result must be the point.",
        mistakes=[
            (from_hand(lambda R, e, p: R @ p + e),
             "That is T * point, the way from the hand to the ground: here it is the other way round."),
            (from_hand(lambda R, e, p: p - e),
             "That is the vector from the hand to the point, but in the axes of the ground: turn it back, too."),
            (from_hand(lambda R, e, p: R.T @ p),
             "That is the direction only: the origin of the hand's frame is not that of the ground."),
            (from_hand(lambda R, e, p: R.T @ p - e),
             "First take away the position of the hand, then turn back: not in the other order."),
            (from_hand(lambda R, e, p: R @ (p - e)),
             "You have turned once more instead of back: the inverse of a rotation is its transpose."),
            (from_hand(lambda R, e, p: R.T @ (p + e)), "The position of the hand is to be taken away, not added."),
            (lambda q1, q2, p: T_elbow(q1).inv() * p, "That is what the elbow sees: the hand's frame is asked for."),
        ])  # fmt: skip


@stage("The angle of a frame")
def angle(work):
    angles = [*work.draw(1, 0.2, 1.2), *work.draw(1, -1.2, -0.2), *work.draw(1, 1.9, 2.9), *work.draw(1, -2.9, -1.9)]
    frames = {q: tdisp(*work.draw(2), 0) * trotz(q) for q in angles}
    said_at = {id(T): q for q, T in frames.items()}
    work.answers(
        "angle", [(T,) for T in frames.values()], lambda T: said_at[id(T)], "R has cos(q), sin(q) in its first column.",
        mistakes=[(lambda T, f=f: f(said_at[id(T)]), said) for f, said in (
            (lambda q: math.acos(math.cos(q)), "acos cannot tell q from -q: use math.atan2 with the sine and the "
                                               "cosine."),
            (lambda q: math.asin(math.sin(q)), "asin cannot tell q from pi - q: use math.atan2 with the sine and the "
                                               "cosine."),
            (lambda q: math.atan(math.tan(q)), "atan loses the quadrant: use math.atan2(sine, cosine), which has two "
                                               "arguments."),
            (lambda q: -q, "The sign is wrong: sin(q) is the element in the second row, first column, T.R[1, 0]."),
            (lambda q: math.atan2(math.cos(q), math.sin(q)), "The arguments of atan2 are exchanged: the sine (y) "
                                                             "comes first."),
            (math.sin, "That is the sine of the angle: the angle itself is asked for."),
            (math.cos, "That is the cosine of the angle: the angle itself is asked for."),
            (lambda q: q % (2 * math.pi), "That is between 0 and 2 pi: it is to be between -pi and pi."),
        )])  # fmt: skip
