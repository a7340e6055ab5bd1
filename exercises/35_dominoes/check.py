"""Checks of exercise 35."""

from math import acos, asin, cos, sqrt

import numpy as np

from easydyn import Model
from easydyn.course import stage

G = 9.81


def sizes(work, count=3):
    """Heights, and smaller distances."""
    return list(zip(work.draw(count, 0.04, 0.08), work.draw(count, 0.015, 0.03)))


@stage("The moment of inertia")
def inertia(work):
    work.answers(
        "inertia", list(zip(work.draw(3, 0.5, 3), work.draw(3, 0.5, 2))), lambda m, h: m * h**2 / 3,
        "Integrate the square of the distance from the lower end along the height.",
        [(lambda m, h: m * h**2 / 12, "That is about the centre: the lower end is h/2 away."),
         (lambda m, h: m * h**2 / 4, "That is of a mass at the centre: the extent of the domino adds to it."),
         (lambda m, h: m * h**2, "That is of a mass at the upper end."),
         (lambda m, h: m * h**2 / 6, "Parallel axes: the mass times the square of h/2, and that about the centre."),
         (lambda m, h: h**2 / 3, "The mass is missing."),
         (lambda m, h: m * h / 3, "The square of the height.")])  # fmt: skip


@stage("Where they touch")
def angle(work):
    work.answers(
        "angle", sizes(work), lambda h, d: asin(d / h),
        "The upper end is h sin a ahead of the lower one: it touches where that is d.",
        [(lambda h, d: acos(d / h), "That is the angle above the ground: a is counted from upright."),
         (lambda h, d: d / h, "That is the sine of the angle."),
         (lambda h, d: asin(d / h) * 180 / 3.141592653589793, "In rad, please."),
         (lambda h, d: np.arctan(d / h), "The domino is the long side of this triangle, not the one beside it."),
         (lambda h, d: asin(d / 2 / h), "The upper end goes d ahead, not half of it."),
         (lambda h, d: asin(min(2 * d / h, 1.0)), "The upper end touches, at the distance h, not the centre.")])


@stage("How fast it arrives")
def arrives(work):
    def by(share=3.0, drop=lambda h, d: 1 - sqrt(1 - (d / h) ** 2), w2=1.0):
        return lambda w, h, d: sqrt(w2 * w**2 + share * G / h * drop(h, d))

    work.answers(
        "arrives", [(w, h, d) for w, (h, d) in zip(work.draw(3, 2, 6), sizes(work))], by(),
        "Energy: its centre sinks by h/2 (1 - cos a), and J/2 times the square of the rate grows by m g times that.",
        [(by(1.5), "The half of J w²/2 stands on both sides: divide by J/2."),
         (by(6), "The centre is at h/2: it sinks by half of what the upper end does."),
         (by(12), "J is about the lower end, m h²/3."),
         (by(1), "That is for a mass at the upper end, with half of its way; J is m h²/3."),
         (by(2), "That is for a mass at the upper end: J is m h²/3."),
         (by(w2=0), "It starts with the rate w."),
         (lambda w, h, d: by()(w, h, d) ** 2, "That is the square of the rate."),
         (lambda w, h, d: w, "Falling makes it faster."),
         (by(drop=lambda h, d: d / h), "The height goes with the cosine: 1 - cos a."),
         (by(drop=lambda h, d: sqrt(1 - (d / h) ** 2)), "It sinks by the difference: 1 - cos a.")])  # fmt: skip


@stage("The impact")
def after(work):
    work.answers(
        "after", list(zip(work.draw(3, 3, 9), work.draw(3, 0.1, 0.6))), lambda w, e: ((1 - e) / 2 * w, (1 + e) / 2 * w),
        "One impulse acts on both, at the same height: what the first loses of J w the second gets. And e is the ratio "
        "of the differences of their rates.",
        [(lambda w, e: (w / 2, w / 2), "That is without rebound: e is missing."),
         (lambda w, e: ((1 + e) / 2 * w, (1 - e) / 2 * w), "The first would go through the second."),
         (lambda w, e: (0.0, w), "That is for e = 1."),
         (lambda w, e: (0.0, e * w), "The moment of momentum is kept: what the first loses the second gets."),
         (lambda w, e: (-e * w, 0.0), "The second is not fixed: it turns."),
         (lambda w, e: ((1 - e) * w, (1 + e) * w), "Both share it: a half is missing."),
         (lambda w, e: (w, e * w), "The first hands something on: it becomes slower.")],
        take=lambda came: work.several(came, 2, "both rates"))  # fmt: skip


@stage("What the impact takes")
def lost(work):
    limits = ((0.5, 3), (0.5, 2), (3, 9), (0.1, 0.6))

    def by(share):
        return lambda m, h, w, e: m * h**2 / 6 * w**2 * share(e)

    work.answers(
        "lost", [tuple(work.draw(1, *pair)[0] for pair in limits) for _ in range(3)], by(lambda e: (1 - e**2) / 2),
        "The energy of motion before, less that of both after.",
        [(by(lambda e: 1 - e**2), "That is for a body that strikes a wall: here the second takes over a part."),
         (by(lambda e: (1 + e**2) / 2), "That is what is left."),
         (by(lambda e: -(1 - e**2) / 2), "A positive number is asked for."),
         (by(lambda e: 1 - (1 - e) ** 2 / 4), "The second moves on, too."),
         (by(lambda e: 1 - (1 + e) ** 2 / 4), "The first goes on, too."),
         (by(lambda e: 0.5), "That is without rebound."),
         (by(lambda e: 1 - e), "Energies go with the squares of the rates.")])  # fmt: skip


@stage("Two dominoes")
def model(work):
    for (h, d), m, w in zip(sizes(work, 2), work.draw(2, 0.01, 0.05), work.draw(2, 2, 5)):
        made = work.a(Model, work.call("model", m, h, d, w), "a Model")
        names = sorted(str(q) for q in made.mechanism.coordinates)
        work.require(names == ["a", "b"], 'Two coordinates: made.coordinates("a b", rates=(w, 0)).', came=names,
                     expected="['a', 'b']")  # fmt: skip
        x, weights = np.polynomial.legendre.leggauss(20)
        end = asin(d / h)
        angles = end * (1 + x) / 2
        hits = float(end / 2 * np.sum(weights / np.sqrt(w**2 + 3 * G / h * (1 - np.cos(angles)))))
        time = round(hits + 2e-5, 6)
        work.called = f"model({m:g}, {h:g}, {d:g}, {w:g}).simulate({time:g}), a.dot and b.dot"
        run = work.simulate(made, time, save_at=[time], method="dop853", tolerance=1e-10, target="python")
        came = np.array([run["a.dot"][-1], run["b.dot"][-1]], dtype=float)
        rate = sqrt(w**2 + 3 * G / h * (1 - cos(end)))
        work.compare(
            came, (rate / 2, rate / 2), "Right after the impact both have half of the rate with which the first came.",
            tolerance=2e-3,
            mistakes=[((rate, 0.0), "The first goes through the second: the contact is missing, or elsewhere."),
                      ((0.0, rate), "The second takes all: that is a rebound with e = 1."),
                      ((w, 0.0), "It has not become faster: is there gravity along -y?"),
                      ((0.0, 0.0), "Nothing moves: rates=(w, 0).")])  # fmt: skip
