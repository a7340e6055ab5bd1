"""Checks of exercise 03."""

import numpy as np

from easydyn import tdisp, trotx, trotz
from easydyn.course import stage

NAMES = ("s", "q", "l", "w", "t")


def points(work, count=3):
    for _ in range(count):
        yield dict(zip(NAMES, work.draw(5, 0.3, 1.7)))


def e(p, **other):
    p = p | other
    T = trotz(p["w"] * p["t"]) * tdisp(p["s"], 0, 0) * trotx(p["q"]) * tdisp(0, 0, -p["l"])
    return np.array(T.e, dtype=float)


def slope(p, name, h=1e-5):
    return (e(p, **{name: p[name] + h}) - e(p, **{name: p[name] - h})) / (2 * h)


def turntable(p):
    return np.array([trotz(p["w"] * p["t"]).R[i, j] for i in range(3) for j in range(3)], dtype=float).reshape(3, 3)


def vector(work, name, p):
    return work.vector(work.at(work.value(name), p))


DRIVEN = (
    "You have the velocity for a rate of 1, in which the turntable still turns. A partial contribution is a "
    "derivative: "
    "without what remains when the rate is zero."
)
LOCAL = "These are components in the axes of the turntable: turn them into ground axes."


@stage("d_s, what the rate of s contributes to the velocity")
def d_s(work):
    for p in points(work):
        right = slope(p, "s")
        work.compare(
            vector(work, "d_s", p), right, "It is the derivative of the position by s.", tolerance=1e-7, size=1,
            mistakes=[(right + slope(p, "t"), DRIVEN), ([1, 0, 0], LOCAL), (-right, "The sign: s grows outwards."),
                      (p["s"] * right, "That depends on s; how far the rod goes when s grows by 1 mm does not.")],
        )


@stage("d_q, what the rate of q contributes to the velocity")
def d_q(work):
    for p in points(work):
        right = slope(p, "q")
        work.compare(
            vector(work, "d_q", p), right, "It is the derivative of the position by q.", tolerance=1e-7, size=1,
            mistakes=[
                (right + slope(p, "t"), DRIVEN),
                (turntable(p).T @ right, LOCAL),
                (-right, "The sign: a positive q turns about the groove, which points outwards (right-hand rule)."),
                (right / p["l"], "The length l is missing: the centre of mass is at that distance from the carriage."),
            ],
        )


@stage("theta, what the rates contribute to the rotation velocity")
def theta(work):
    for p in points(work):
        radial = turntable(p)[:, 0]
        up = np.array([0, 0, p["w"]])
        work.compare(
            vector(work, "theta_s", p), (0, 0, 0), "What turns when the carriage slides, and all else stands still?",
            mistakes=[
                (up, DRIVEN),
                (radial, "That is a direction of sliding: theta_s is a part of the rotation velocity, and nothing "
                         "turns."),
            ],
        )
        work.compare(
            vector(work, "theta_q", p), radial, "q turns the rod about the groove.",
            mistakes=[
                (radial + up, DRIVEN),
                ([1, 0, 0], LOCAL),
                (-radial, "The sign: q is positive about the x axis of the turntable."),
                ([0, 0, 1], "q does not turn about the vertical, but about the groove."),
                (p["l"] * radial, "A rotation velocity knows no length: theta_q is a unit vector."),
            ],
        )


@stage("What remains when s and q stand still")
def remains(work):
    for p in points(work):
        position, up = e(p), np.array([0, 0, p["w"]])
        right = slope(p, "t")
        groove = turntable(p) @ [p["s"], 0, 0]
        work.compare(
            vector(work, "v_t", p), right, "With s and q at rest, the arrangement turns rigidly about z.",
            tolerance=1e-7, size=1,
            mistakes=[
                ([0, 0, 0], "Even when s and q stand still, the turntable moves the rod."),
                (-right, "The sign: it is omega_t x e, not e x omega_t."),
                (np.cross(up, groove), "That is the velocity of the carriage; the rod hangs beside it, by l sin(q)."),
                (turntable(p).T @ right, LOCAL),
                (np.cross(up / p["w"], position), "That is for a rate of 1 rad/s: w is missing."),
            ],
        )
        work.compare(
            vector(work, "omega_t", p), up, "It is the rotation velocity of the turntable.",
            mistakes=[([0, 0, 0], "Even when s and q stand still, the turntable turns."),
                      (up * p["t"], "w t is the angle of the turntable, not its rotation velocity.")],
        )
