"""Checks of exercise 30."""

from math import acos, cos, pi, sin, sqrt

import numpy as np

from easydyn import Model
from easydyn.course import stage

G, R = 9.81, 0.03
LIMITS = {"m": (0.2, 0.6), "k": (500, 900), "e": (0.006, 0.012), "p": (0.01, 0.03)}


def data(work, count=3):
    """Masses, stiffnesses, eccentricities, compressions."""
    return [tuple(work.draw(1, *pair)[0] for pair in LIMITS.values()) for _ in range(count)]


def right_jump(m, k, e, p):
    return sqrt((k * (p + 2 * e) + m * G) / (m * e))


@stage("The lift and its derivatives")
def lift(work):
    work.answers(
        "lift", [(phi, e) for phi, e in zip(work.draw(3, 0.4, 2.6), work.draw(3, 0.01, 0.3))],
        lambda phi, e: (e * (1 - cos(phi)), e * sin(phi), e * cos(phi)),
        "Differentiate e (1 - cos phi) by phi, twice.",
        [(lambda phi, e: (e * (1 - cos(phi)), -e * sin(phi), e * cos(phi)), "The derivative of the cosine is minus the "
                                                                          "sine: the lift grows at first."),
         (lambda phi, e: (e * (1 - cos(phi)), e * sin(phi), -e * cos(phi)), "The sign of the second derivative: at "
                                                                          "phi = 0 the lift begins to grow."),
         (lambda phi, e: (e * cos(phi), -e * sin(phi), -e * cos(phi)), "In the lowest position the lift is zero."),
         (lambda phi, e: (e * (1 - sin(phi)), -e * cos(phi), e * sin(phi)), "Sine and cosine are exchanged."),
         (lambda phi, e: (1 - cos(phi), sin(phi), cos(phi)), "The eccentricity is missing.")],
        take=lambda came: work.several(came, 3, "the lift and two derivatives"))  # fmt: skip


@stage("The force of the cam")
def force(work):
    inputs = [(phi, w, *x) for phi, w, x in zip(work.draw(3, 0.4, 2.6), work.draw(3, 20, 60), data(work))]

    def by(a=lambda phi, w, e: w * w * e * cos(phi), weight=1, spring=lambda phi, e, p: p + e * (1 - cos(phi)),
           sign=1):  # fmt: skip
        return lambda phi, w, m, k, e, p: m * a(phi, w, e) + weight * m * G + sign * k * spring(phi, e, p)

    work.answers(
        "force", inputs, by(),
        "m y'' is the force of the cam less the weight and the spring; y'' is the square of omega times the second "
        "derivative by the angle.",
        [(by(lambda phi, w, e: w * e * cos(phi)), "The second derivative by the time has the square of omega."),
         (by(lambda phi, w, e: w * w * e * sin(phi)), "That is the first derivative: the acceleration needs the "
                                                      "second one."),
         (by(lambda phi, w, e: -w * w * e * cos(phi)), "The sign of the acceleration: at first it goes upwards."),
         (by(weight=0), "The weight is missing."),
         (by(weight=-1), "The weight pulls the follower towards the cam: the cam has to carry it."),
         (by(sign=-1), "The spring pushes towards the cam: the cam has to push back."),
         (by(spring=lambda phi, e, p: e * (1 - cos(phi))), "In the lowest position the spring is compressed already."),
         (by(spring=lambda phi, e, p: p), "The lift compresses the spring further."),
         (by(lambda phi, w, e: 0), "That is the force of a cam that turns slowly: each derivative by the time "
                                     "brings an omega.")])


@stage("The rate of the jump")
def jump(work):
    work.answers(
        "jump", data(work), right_jump, "At the top the acceleration downwards is largest: there the force of the cam "
                                        "becomes zero first.",
        [(lambda m, k, e, p: sqrt((k * (p + e) + m * G) / (m * e)), "At the top the lift is twice the eccentricity."),
         (lambda m, k, e, p: sqrt(k * (p + 2 * e) / (m * e)), "The weight is missing."),
         (lambda m, k, e, p: sqrt(abs(k * (p + 2 * e) - m * G) / (m * e)), "The weight helps the spring."),
         (lambda m, k, e, p: sqrt((2 * k * e + m * G) / (m * e)), "The compression in the lowest position is missing."),
         (lambda m, k, e, p: (k * (p + 2 * e) + m * G) / (m * e), "That is the square of the rate."),
         (lambda m, k, e, p: right_jump(m, k, e, p) / 2 / pi, "That is in turns per second: in rad/s, please."),
         (lambda m, k, e, p: sqrt(k / m), "That is the frequency of the follower on its spring."),
         (lambda m, k, e, p: sqrt((k * p + m * G) / (m * e)), "That is for a spring whose force does not grow with the "
                                                             "lift.")])  # fmt: skip


def right_leaves(w, m, k, e, p):
    return acos(-(m * G + k * (p + e)) / (m * e * w**2 - k * e))


@stage("Where it leaves")
def leaves(work):
    inputs = [(round(part * right_jump(*x), 3), *x) for part, x in zip(work.draw(3, 1.05, 1.3), data(work))]
    work.answers(
        "leaves", inputs, right_leaves, "The force of part 2 is zero: an equation for the cosine of the angle.",
        [(lambda *x: pi - right_leaves(*x), "The sign of the cosine: it leaves in the upper half."),
         (lambda *x: right_leaves(*x) * 180 / pi, "In rad, please."),
         (lambda w, m, k, e, p: acos(-(m * G + k * (p + e)) / (m * e * w**2)), "The lift is in the force of the "
                                                                               "spring, too: it has a cosine."),
         (lambda w, m, k, e, p: acos(-(m * G + k * (p + e)) / (m * e * w**2 + k * e)), "The sign of the spring beside "
                                                                                       "the cosine."),
         (lambda w, m, k, e, p: acos(-k * (p + e) / (m * e * w**2 - k * e)), "The weight is missing."),
         (lambda w, m, k, e, p: acos(-(m * G + k * p) / (m * e * w**2 - k * e)), "The constant part of the lift is "
                                                                                 "missing: s = e - e cos phi."),
         (lambda w, m, k, e, p: pi, "At the top the force is less than zero already: it leaves before."),
         (lambda w, m, k, e, p: -(m * G + k * (p + e)) / (m * e * w**2 - k * e), "That is the cosine of the angle.")])


@stage("The smallest base")
def smallest(work):
    angles, inputs = np.linspace(0, 2 * pi, 24, endpoint=False), []
    for a, b in zip(work.draw(2, 0.006, 0.012), work.draw(2, 0.003, 0.005)):
        s = 0.004 + a * (1 - np.cos(angles)) + b * (1 - np.cos(2 * angles))
        inputs.append((s, a * np.cos(angles) + 4 * b * np.cos(2 * angles)))
    work.answers(
        "base", inputs, lambda s, ss: float(np.max(-s - ss)),
        "The radius is b + s + s'': where is that smallest, and what must the base add there?",
        [(lambda s, ss: float(np.max(-ss)), "The lift adds to the radius, too."),
         (lambda s, ss: float(np.min(-s - ss)), "That holds at one angle only: the radius is below zero elsewhere."),
         (lambda s, ss: float(np.max(s + ss)), "The sign: where s + s'' is smallest, the cam is sharpest."),
         (lambda s, ss: float(-np.min(s) - np.min(ss)), "Both are smallest at different angles: add them first."),
         (lambda s, ss: float(np.min(s + ss)), "The base has to make up for it: its sign is the other one.")])


@stage("A model")
def model(work):
    for x in data(work, 1):
        for part in work.draw(1, 1.05, 1.2):
            w = round(part * right_jump(*x), 3)
            m, k, e, p = x
            made = work.a(Model, work.call("model", w, *x), "a Model")
            coordinates = [str(q) for q in made.mechanism.coordinates]
            work.require(coordinates == ["y"], 'One coordinate: made.coordinates("y", initial=0).', came=coordinates,
                         expected="['y']")  # fmt: skip
            leaving = right_leaves(w, *x) / w
            times = [round(0.5 * leaving, 5), round(leaving + 0.002, 5)]
            work.called = f"model({w:g}, {m:g}, {k:g}, {e:g}, {p:g}).simulate({times[-1]:g}), y and y.dot"
            run = work.simulate(made, times[-1], save_at=times, method="dop853", tolerance=1e-9, target="python")
            touching = (e * (1 - cos(w * times[0])), w * e * sin(w * times[0]))
            came = np.array([run["y"], run["y.dot"]], dtype=float)[:, -2:].T
            work.compare(
                came[0], touching, "While they touch, the follower has the lift of the cam.", tolerance=1e-4,
                mistakes=[((0.0, 0.0), "The follower does not move: nothing pushes it."),
                          (fallen(times[0], 0.0, 0.0, *x), "It falls through the cam: the contact is missing."),
                          ((2 * touching[0], 2 * touching[1]), "It has twice the lift: e is the distance of the "
                                                               "centre from the axis.")])  # fmt: skip
            early = acos(-G / (e * w**2)) / w
            free = fallen(times[1] - leaving, e * (1 - cos(w * leaving)), w * e * sin(w * leaving), *x)
            work.compare(
                came[1], free, "After it has left, its weight and the spring alone act on it.", tolerance=1e-4,
                mistakes=[((e * (1 - cos(w * times[1])), w * e * sin(w * times[1])), "It does not leave the cam: a "
                           "contact pushes, and does not pull."),
                          (fallen(times[1] - early, e * (1 - cos(w * early)), w * e * sin(w * early), m, 0, e, p),
                           "The spring is missing.")])  # fmt: skip


def fallen(time, y, v, m, k, e, p):
    """y and its rate after a time without the cam, from y and v on."""
    if k == 0:
        return y + v * time - G * time**2 / 2, v - G * time
    rest, w = -p - m * G / k, sqrt(k / m)
    return (rest + (y - rest) * cos(w * time) + v / w * sin(w * time),
            -(y - rest) * w * sin(w * time) + v * cos(w * time))  # fmt: skip
