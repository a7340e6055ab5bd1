"""Checks of exercise 34."""

from math import exp, pi

import numpy as np

from easydyn import Model
from easydyn.course import stage

G = 9.81


@stage("The velocity of the load")
def speeds(work):
    work.answers(
        "speeds", [(n, v) for n, v in zip((2, 3, 5), work.draw(3, -2, 2))], lambda n, v: -v / n,
        "The rope keeps its length: what the free end gains, n strands lose together.",
        [(lambda n, v: v / n, "The sign: when the free end sinks, the load rises."),
         (lambda n, v: -v, "That is the velocity for one strand."),
         (lambda n, v: -n * v, "The load is slower than the free end: divide by n."),
         (lambda n, v: -v / (n + 1), "n strands carry the load: the free end is not one of them."),
         (lambda n, v: -v / n**2, "The length of the rope is linear in both heights.")])  # fmt: skip


@stage("A hoist that moves by itself")
def falls(work):
    def by(pull=lambda M, n: M / n, inertia=lambda M, n: M / n**2, tension=None):
        def both(M, m, n):
            a = (m - pull(M, n)) * G / (m + inertia(M, n))
            return a, m * (G - a) if tension is None else tension(M, m, n, a)

        return both

    work.answers(
        "falls", [(M, m, n) for M, m, n in zip(work.draw(3, 3, 9), work.draw(3, 3, 6), (2, 3, 4))], by(),
        "Newton for both bodies, with n tensions on the load, and its acceleration by that of the free end.",
        [(by(inertia=lambda M, n: M / n), "n comes twice in the inertia: by the force, and by the acceleration."),
         (by(inertia=lambda M, n: M), "The load is slower than the free end, and n strands move it."),
         (by(pull=lambda M, n: M), "n strands carry the load: the free end feels one n-th of its weight."),
         (by(tension=lambda M, m, n, a: m * G), "That is the tension at rest: m is accelerated."),
         (by(tension=lambda M, m, n, a: m * (G + a)), "The acceleration is downwards: the tension is less than the "
                                                      "weight."),
         (by(tension=lambda M, m, n, a: M * G / n), "That is the tension at rest: the load is accelerated."),
         (by(tension=lambda M, m, n, a: n * m * (G - a)), "That is what all n strands carry."),
         (lambda M, m, n: (-by()(M, m, n)[0], by()(M, m, n)[1]), "The acceleration is asked for downwards.")],
        take=lambda came: work.several(came, 2, "the acceleration, the tension"))  # fmt: skip


@stage("A pulley with inertia")
def turned(work):
    def by(share=lambda J, r: J / r**2, other=None):
        def three(m1, m2, J, r):
            a = (m2 - m1) * G / (m1 + m2 + share(J, r))
            found = a, m1 * (G + a), m2 * (G - a)
            return found if other is None else other(*found)

        return three

    limits = ((1, 3), (3.5, 6), (0.02, 0.08), (0.1, 0.2))
    work.answers(
        "turned", [tuple(work.draw(1, *pair)[0] for pair in limits) for _ in range(3)], by(),
        "Three equations: Newton for both masses, and Euler for the pulley, on which both tensions act.",
        [(by(lambda J, r: 0), "The pulley has inertia, too."),
         (by(lambda J, r: J), "J is no mass: the angular acceleration is a / r, and the arm is r."),
         (by(lambda J, r: J / r), "r comes twice: by the arm, and by the angular acceleration."),
         (by(other=lambda a, one, two: (a, one, one)), "The tensions differ: their difference turns the pulley."),
         (by(other=lambda a, one, two: (a, two, one)), "The tensions are exchanged: first that at m1."),
         (by(other=lambda a, one, two: (-a, one, two)), "The acceleration of m2 is asked for downwards.")],
        take=lambda came: work.several(came, 3, "the acceleration, two tensions"))  # fmt: skip


@stage("A drum that holds")
def holds(work):
    limits = ((1, 4), (0.1, 0.3), (0.5, 2.5))
    work.answers(
        "holds", [tuple(work.draw(1, *pair)[0] for pair in limits) for _ in range(3)],
        lambda m1, mu, turns: m1 * exp(2 * pi * mu * turns),
        "Euler and Eytelwein: the ratio of the tensions is at most e to the power of mu times the angle.",
        [(lambda m1, mu, turns: m1 * exp(mu * turns), "The angle is in rad: a turn has 2 pi of them."),
         (lambda m1, mu, turns: m1 * exp(pi * mu * turns), "A full turn has 2 pi."),
         (lambda m1, mu, turns: m1 * exp(-2 * pi * mu * turns), "That is the smallest mass that m1 does not lift."),
         (lambda m1, mu, turns: m1 * (1 + 2 * pi * mu * turns), "The tension grows with itself: an exponential."),
         (lambda m1, mu, turns: m1 * G * exp(2 * pi * mu * turns), "That is the tension: a mass is asked for."),
         (lambda m1, mu, turns: exp(2 * pi * mu * turns), "That is the ratio.")])  # fmt: skip


@stage("A rope that slips")
def slips(work):
    def by(f):
        return lambda m1, m2, mu: (m2 - m1 * f(mu)) * G / (m2 + m1 * f(mu))

    limits = ((0.5, 1), (4, 6), (0.1, 0.3))
    work.answers(
        "slips", [tuple(work.draw(1, *pair)[0] for pair in limits) for _ in range(3)], by(lambda mu: exp(mu * pi)),
        "Newton for both masses; the tension at m2 is the larger one.",
        [(by(lambda mu: 1), "That is without friction."),
         (by(lambda mu: exp(-mu * pi)), "m2 sinks: friction holds it back, and the tension at m2 is the larger one."),
         (by(lambda mu: exp(mu * 2 * pi)), "The rope lies on the drum by half a turn."),
         (lambda m1, m2, mu: (m2 - m1 * exp(mu * pi)) * G / (m2 + m1), "The ratio is one of tensions, not of weights: "
                                                                       "m1 is accelerated."),
         (lambda *x: -by(lambda mu: exp(mu * pi))(*x), "The acceleration of m2 is asked for downwards.")])  # fmt: skip


@stage("A model of a hoist")
def model(work):
    for M, m in zip(work.draw(2, 3, 7), work.draw(2, 4, 6)):
        made = work.a(Model, work.call("model", M, m), "a Model")
        names = sorted(str(q) for q in made.mechanism.coordinates)
        work.require(names == ["y", "z"], 'Two coordinates: made.coordinates("y z", initial=(-1, -0.5)).', came=names,
                     expected="['y', 'z']")  # fmt: skip
        work.called = f"model({M:g}, {m:g}).simulate(0.2), y and z"
        run = work.simulate(made, 0.2, save_at=[0.2], method="dop853", tolerance=1e-9, target="python")
        way = (m - M / 2) * G / (m + M / 4) * 0.2**2 / 2
        one = (m - M) * G / (m + M) * 0.2**2 / 2
        fall = G * 0.2**2 / 2
        came = np.array([run["y"][-1], run["z"][-1]], dtype=float)
        work.compare(
            came, (-1 + way / 2, -0.5 - way), "The load hangs on two strands, and rises by half of what m sinks.",
            tolerance=1e-5,
            mistakes=[((-1 - fall, -0.5 - fall), "Both fall freely: the rope is missing, or slack."),
                      ((-1 + one, -0.5 - one), "The load hangs on one strand: the rope begins at the ground, and runs "
                                               "round a pulley on the load."),
                      ((-1.0, -0.5), "Nothing moves: is there gravity along -y?"),
                      ((-1 - way / 2, -0.5 + way), "Gravity points upwards.")])  # fmt: skip
