"""Checks of exercise 03."""

import numpy as np

from easydyn.course import stage

NAMES = ("s", "q", "l", "w", "t")


def points(work, count=3):
    return [dict(zip(NAMES, work.draw(5, 0.3, 1.7))) for _ in range(count)]


def turntable(p):
    """The axes of the turntable: its columns are the groove, the direction across, the vertical."""
    sine, cosine = np.sin(p["w"] * p["t"]), np.cos(p["w"] * p["t"])
    return np.array([[cosine, -sine, 0], [sine, cosine, 0], [0, 0, 1]])


def e(p):
    """The centre of mass of the rod."""
    return turntable(p) @ [p["s"], p["l"] * np.sin(p["q"]), -p["l"] * np.cos(p["q"])]


def groove(p):
    return turntable(p) @ [1, 0, 0]


def by_q(p):
    """The derivative of the position by q, by hand."""
    return turntable(p) @ [0, p["l"] * np.cos(p["q"]), p["l"] * np.sin(p["q"])]


def up(p):
    return np.array([0, 0, p["w"]])


def by_time(p):
    return np.cross(up(p), e(p))


DRIVEN = (
    "You have the velocity for a rate of 1, in which the turntable still turns. A partial contribution is a "
    "derivative: without what remains when the rate is zero."
)
LOCAL = "These are components in the axes of the turntable: turn them into ground axes."
BACK = "The sign of the sine: from the axes of the turntable to those of the ground one turns by w t, not by -w t."


@stage("d_s, what the rate of s contributes to the velocity")
def d_s(work):
    work.answers(
        "d_s", points(work), groove, "It is the derivative of the position by s.", wanted="a vector of length 1",
        mistakes=[
            (lambda p: groove(p) + by_time(p), DRIVEN),
            (lambda p: [1, 0, 0], LOCAL),
            (lambda p: turntable(p).T @ [1, 0, 0], BACK),
            (lambda p: -groove(p), "The sign: s grows outwards."),
            (lambda p: p["s"] * groove(p), "That depends on s; how far the rod goes when s grows by 1 mm does not."),
            (lambda p: e(p), "That is the position of the rod: differentiate it by s."),
            (lambda p: turntable(p) @ [0, 1, 0], "That is the direction across the groove."),
            (lambda p: [np.cos(p["w"]), np.sin(p["w"]), 0], "The angle of the turntable is w t, not w."),
            (lambda p: [np.cos(p["t"]), np.sin(p["t"]), 0], "The angle of the turntable is w t, not t."),
            (lambda p: [np.cos(p["q"]), np.sin(p["q"]), 0],
             "The angle of the turntable is w t; q is that of the rod about the groove."),
            (lambda p: [0, 0, 0], "When the carriage slides, the rod goes with it."),
        ])


@stage("d_q, what the rate of q contributes to the velocity")
def d_q(work):
    work.answers(
        "d_q", points(work), by_q, "It is the derivative of the position by q.", wanted="a vector of length l",
        mistakes=[
            (lambda p: by_q(p) + by_time(p), DRIVEN),
            (lambda p: turntable(p).T @ by_q(p), LOCAL),
            (lambda p: turntable(p).T @ turntable(p).T @ by_q(p), BACK),
            (lambda p: -by_q(p), "The sign: a positive q turns about the groove, which points outwards (right-hand "
                                 "rule)."),
            (lambda p: by_q(p) / p["l"],
             "The length l is missing: the centre of mass is at that distance from the carriage."),
            (lambda p: e(p) - p["s"] * groove(p),
             "That is the vector from the carriage to the centre of mass: differentiate it by q."),
            (lambda p: e(p), "That is the position of the rod: differentiate it by q."),
            (lambda p: by_q(p) + groove(p), "s does not change when only q grows: the part of d_s does not belong "
                                            "here."),
            (lambda p: by_q(p) * [1, 1, -1], "The sign of the z component: the rod rises when it is turned."),
            (lambda p: by_q(p) * p["q"], "It is the derivative by q, not times q."),
        ])


@stage("theta, what the rates contribute to the angular velocity")
def theta(work):
    work.answers(
        "theta_s", points(work), lambda p: [0, 0, 0], "What turns when the carriage slides, and all else stands still?",
        wanted="a vector", size=1,
        mistakes=[
            (up, DRIVEN),
            (groove, "That is a direction of sliding: theta_s is a part of the angular velocity, and nothing turns."),
            (lambda p: [1, 0, 0],
             "That is a direction of sliding: theta_s is a part of the angular velocity, and nothing turns."),
            (lambda p: [0, 0, 1], "The turntable turns by itself, whether the carriage slides or not."),
        ])
    work.answers(
        "theta_q", points(work), groove, "q turns the rod about the groove.", wanted="a vector of length 1",
        mistakes=[
            (lambda p: groove(p) + up(p), DRIVEN),
            (lambda p: [1, 0, 0], LOCAL),
            (lambda p: turntable(p).T @ [1, 0, 0], BACK),
            (lambda p: -groove(p), "The sign: q is positive about the x axis of the turntable."),
            (lambda p: [0, 0, 1], "q does not turn about the vertical, but about the groove."),
            (lambda p: p["l"] * groove(p), "An angular velocity knows no length: theta_q is a unit vector."),
            (by_q, "That is d_q, of a velocity: theta_q is the axis about which q turns."),
            (lambda p: turntable(p) @ [0, 1, 0], "That is the direction across the groove: q turns about the groove."),
            (lambda p: p["q"] * groove(p), "It is what stands before the rate of q, not the angle."),
            (lambda p: [0, 0, 0], "The rod turns when q grows."),
        ])


@stage("What remains when s and q stand still")
def remains(work):
    work.answers(
        "v_t", points(work), by_time, "With s and q at rest, the arrangement turns rigidly about z.",
        mistakes=[
            (lambda p: [0, 0, 0], "Even when s and q stand still, the turntable moves the rod."),
            (lambda p: -by_time(p), "The sign: it is omega_t x e, not e x omega_t."),
            (lambda p: np.cross(up(p), p["s"] * groove(p)),
             "That is the velocity of the carriage; the rod hangs beside it, by l sin(q)."),
            (lambda p: turntable(p).T @ by_time(p), LOCAL),
            (lambda p: by_time(p) / p["w"], "That is for a rate of 1 rad/s: w is missing."),
            (lambda p: e(p), "That is the position of the rod: differentiate it by the time in it."),
            (lambda p: by_time(p) + groove(p) + by_q(p),
             "d_s and d_q do not belong here: s and q stand still."),
            (lambda p: by_time(p) * p["t"], "The derivative of w t by t is w, without t."),
            (lambda p: np.cross(up(p), e(p) - p["s"] * groove(p)),
             "The vector to the centre of mass begins on the axis of the turntable, not at the carriage."),
            (lambda p: p["w"] * p["s"] * groove(p), "A velocity by turning is across the arm, not along it."),
        ])
    work.answers(
        "omega_t", points(work), up, "It is the angular velocity of the turntable.", wanted="a vector",
        mistakes=[
            (lambda p: [0, 0, 0], "Even when s and q stand still, the turntable turns."),
            (lambda p: up(p) * p["t"], "w t is the angle of the turntable, not its angular velocity."),
            (lambda p: -up(p), "The sign: the turntable turns by +w t about z."),
            (lambda p: p["w"] * groove(p), "The turntable turns about the vertical, not about the groove."),
            (lambda p: up(p) + groove(p), "theta_q does not belong here: q stands still."),
            (lambda p: up(p) / p["w"], "That is a rate of 1 rad/s: w is missing."),
            (lambda p: p["w"] * np.array([0, np.sin(p["q"]), np.cos(p["q"])]),
             "These are components in the axes of the rod: ground components are asked for."),
        ])
