"""Checks of exercise 02."""

import math

import numpy as np

from easydyn import System, tdisp, trotz
from easydyn.course import stage

L, M_CART, M_ROD, G = 0.8, 2.0, 1.0, 9.81


def matrix(T):
    return np.array(T.matrix, dtype=float)


def place(q):
    return trotz(q[1]) * tdisp(0, -L / 2, 0)


def r(q):
    return np.array([math.sin(q[1]), -math.cos(q[1]), 0]) * L / 2


def residual(q, qd, qdd):
    """Lagrange's equations of a cart and a uniform rod."""
    s, c, a = math.sin(q[1]), math.cos(q[1]), L / 2
    return ((M_CART + M_ROD) * qdd[0] + M_ROD * a * (c * qdd[1] - s * qd[1] ** 2),
            M_ROD * a * c * qdd[0] + M_ROD * L**2 / 3 * qdd[1] + M_ROD * G * a * s)


def energy(q, qd):
    a, c = L / 2, math.cos(q[1])
    kinetic = (M_CART + M_ROD) * qd[0] ** 2 / 2 + M_ROD * a * c * qd[0] * qd[1] + M_ROD * L**2 / 6 * qd[1] ** 2
    return kinetic - M_ROD * G * a * c


def states(work):
    for _ in range(3):
        yield work.draw(2, -2, 2), work.draw(2, -3, 3), work.draw(2, -5, 5)


@stage("The frame of the rod, and its arm")
def frame(work):
    for q, _, _ in states(work):
        came = work.transform(work.call("frame", q))
        cart = tdisp(q[0], 0, 0)
        work.compare(
            matrix(came), matrix(cart * place(q)), "The way goes along x with the cart, turns, and goes down along "
                                                   "the rod.",
            mistakes=[
                (matrix(cart * trotz(q[1]) * tdisp(0, -L, 0)),
                 "That is the end of the rod: its frame stands in the middle, at the centre of mass."),
                (matrix(trotz(q[1]) * cart * tdisp(0, -L / 2, 0)),
                 "The order of the product: your cart runs along an axis that is turned with the rod."),
                (matrix(cart * tdisp(0, -L / 2, 0) * trotz(q[1])),
                 "The order of the product: the rod turns about its pivot, so the turn comes before the way down."),
                (matrix(place(q)), "The rod does not move with the cart: the position x is missing."),
            ],
        )
        came = work.vector(work.call("arm", q))
        work.compare(
            came, r(q), "The arm goes from the pivot to the middle of the rod.",
            mistakes=[
                (r(q) + [q[0], 0, 0], "That is the position of G; the arm begins at the pivot, not at the origin of "
                                      "the ground."),
                (-r(q), "The arm goes from the pivot to G, not back."),
                ([0, -L / 2, 0], "These are components in the axes of the rod: ground components are asked for."),
                (2 * r(q), "That is the whole rod: G is in its middle."),
            ],
        )


@stage("Rotation velocity and acceleration")
def rotation(work):
    for _, qd, qdd in states(work):
        for name, rate, word in (("omega", qd, "velocity"), ("omegad", qdd, "acceleration")):
            work.compare(
                work.vector(work.call(name, rate)), (0, 0, rate[1]), f"The rod turns about z; its rotation {word} "
                                                                     f"is a vector.",
                mistakes=[
                    ((0, 0, rate[0]), "That is the rate of x. Python counts from zero: phi is the second "
                                      "coordinate, [1]."),
                    ((0, 0, -rate[1]), "The sign: phi is positive about z."),
                    ((rate[1], 0, 0), "The axis: the rod turns about z, the third component."),
                    ((0, 0, rate[0] + rate[1]), "The cart does not turn: its velocity is not a part of omega."),
                ],
            )


@stage("Velocity of the centre of mass")
def velocity(work):
    for q, qd, _ in states(work):
        cart, omega = np.array([qd[0], 0, 0]), np.array([0, 0, qd[1]])
        turn, h = np.cross(omega, r(q)), 1e-5
        at = [np.array(q) + sign * h * np.array(qd) for sign in (1, -1)]
        after, before = (matrix(tdisp(x[0], 0, 0) * place(x))[:3, 3] for x in at)
        slope = (after - before) / (2 * h)
        work.compare(
            work.vector(work.call("velocity", q, qd)), slope, "It must be the derivative of the position T.e.",
            mistakes=[
                (turn, "The velocity of the cart is missing: the pivot moves."),
                (cart - turn, "The sign of the vector product: it is omega x r, with r from the pivot to G."),
                (cart + 2 * turn, "Your arm is twice as long as it should be: G is in the middle of the rod."),
                (cart, "That is the velocity of the pivot only: the turn of the rod is missing."),
            ], tolerance=1e-6, size=1.0,
        )


@stage("Acceleration of the centre of mass")
def acceleration(work):
    for q, qd, qdd in states(work):
        cart, w, wd = np.array([qdd[0], 0, 0]), np.array([0, 0, qd[1]]), np.array([0, 0, qdd[1]])
        tangential, normal = np.cross(wd, r(q)), np.cross(w, np.cross(w, r(q)))
        work.compare(
            work.vector(work.call("acceleration", q, qd, qdd)), cart + tangential + normal,
            "It must be the second derivative of the position; test it with qdd = 0, then with qd = 0.",
            mistakes=[
                (cart + tangential, "The centripetal term omega x (omega x r) is missing: even at constant speed G "
                                    "goes round."),
                (cart + tangential - normal, "The sign of the centripetal term: it points from G to the pivot."),
                (cart + tangential + np.cross(w, np.cross(wd, r(q))),
                 "The last term is omega x (omega x r): omega twice, its derivative does not occur in it."),
                (cart + normal, "The tangential term omegad x r is missing."),
                (tangential + normal, "The acceleration of the cart is missing."),
                (cart + tangential + 2 * normal, "Twice the centripetal term: that would be Coriolis, but nothing "
                                                 "slides here."),
            ],
        )


@stage("Together: the equations, and half a second of swinging")
def together(work):
    system = work.a(System, work.call("system"), "the System of the exercise")
    for q, qd, qdd in states(work):
        work.called = f"system().residual(0, {q}, {qd}, {qdd})"
        came = work.array(system.residual(0.0, q, qd, qdd), (2,), "two numbers, one for each coordinate")
        work.compare(came, residual(q, qd, qdd), "The equations of your system are not those of cart and rod: take "
                     "`compute_motion` and `system` from exercise.py again.")
    run = work.simulate(system, 0.5, step=0.01)
    work.called = "system().simulate(0.5, step=0.01)"
    q, qd = (work.array(x, (51, 2), "51 rows of two numbers") for x in (run.q, run.qd))
    energies = [energy(*x) for x in zip(q, qd)]
    drift = float(np.ptp(energies))
    work.require(drift < 0.01, "The energy of your system is not constant.", came=f"{drift:.2g} J",
                 expected="below 10 mJ")
