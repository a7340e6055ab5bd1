"""Solution of exercise 01."""

import math

from easydyn import tdisp, trotz

L1, L2 = 1.2, 1.1  # m


def elbow(q1):
    return trotz(q1) * tdisp(0, -L1, 0)


def hand(q1, q2):
    return elbow(q1) * trotz(q2) * tdisp(0, -L2, 0)


def seen_from_hand(q1, q2, point):
    return hand(q1, q2).inv() * point


def angle(T):
    return math.atan2(T.R[1, 0], T.R[0, 0])
