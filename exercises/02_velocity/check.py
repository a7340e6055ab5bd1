"""Checks of exercise 02."""

import math

import numpy as np

from easydyn import System, tdisp, trotz
from easydyn.course import stage

L, M_CART, M_ROD, G = 0.8, 2.0, 1.0, 9.81


def r(q):
    return np.array([math.sin(q[1]), -math.cos(q[1]), 0]) * L / 2


def residual(q, qd, qdd):
    """Lagrange's equations of a cart and a uniform rod."""
    s, c, a = math.sin(q[1]), math.cos(q[1]), L / 2
    return ((M_CART + M_ROD) * qdd[0] + M_ROD * a * (c * qdd[1] - s * qd[1] ** 2),
            M_ROD * a * c * qdd[0] + M_ROD * L**2 / 3 * qdd[1] + M_ROD * G * a * s)


def states(work, parts, count=4):
    """The first parts of (q, qd, qdd), for some calls."""
    return [tuple(work.draw(2, -size, size) for size in (2, 3, 5)[:parts]) for _ in range(count)]


def with_q(formula):
    """A function of q, by the frame of the cart, x and phi."""
    return lambda q: formula(tdisp(q[0], 0, 0), *q)


DOWN = tdisp(0, -L / 2, 0)


@stage("The frame of the rod, and its arm")
def frame(work):
    work.right("arm", r)
    work.answers(
        "frame", states(work, 1), with_q(lambda cart, x, phi: cart * trotz(phi) * DOWN),
        "The way goes along x with the cart, turns, and goes down along the rod.",
        mistakes=[(with_q(formula), said) for formula, said in (
            (lambda cart, x, phi: cart * trotz(phi) * tdisp(0, -L, 0),
             "That is the end of the rod: its frame stands in the middle, at the centre of mass."),
            (lambda cart, x, phi: trotz(phi) * cart * DOWN,
             "The order of the product: your cart runs along an axis that is turned with the rod."),
            (lambda cart, x, phi: cart * DOWN * trotz(phi),
             "The order of the product: the rod turns about its pivot, so the turn comes before the way down."),
            (lambda cart, x, phi: DOWN * trotz(phi) * cart,
             "The order of the product: it is read from left to right, from the ground outwards."),
            (lambda cart, x, phi: trotz(phi) * DOWN, "The rod does not move with the cart: the position x is missing."),
            (lambda cart, x, phi: tdisp(-x, 0, 0) * trotz(phi) * DOWN, "The sign of x: the cart is at +x."),
            (lambda cart, x, phi: cart * trotz(-phi) * DOWN, "The sign of the angle: phi is positive about z."),
            (lambda cart, x, phi: cart * trotz(phi) * tdisp(0, L / 2, 0),
             "The sign of the way down: your rod stands upwards at phi = 0."),
            (lambda cart, x, phi: cart * trotz(phi) * tdisp(L / 2, 0, 0),
             "Your rod lies along x at phi = 0: it should hang down, along -y."),
            (lambda cart, x, phi: cart * trotz(phi), "That is the pivot: the way down to the middle is missing."),
            (lambda cart, x, phi: cart * DOWN, "The turn by phi is missing."),
            (lambda cart, x, phi: cart * tdisp(*(trotz(phi) * DOWN).e),
             "The position is right, but your frame is not turned: the turn has to be a factor of the product."),
        )])
    work.answers(
        "arm", states(work, 1), r, "The arm goes from the pivot to the middle of the rod.",
        mistakes=[
            (lambda q: r(q) + [q[0], 0, 0],
             "That is the position of G; the arm begins at the pivot, not at the origin of the ground."),
            (lambda q: -r(q), "The arm goes from the pivot to G, not back."),
            (lambda q: [0, -L / 2, 0],
             "These are components in the axes of the rod: ground components are asked for."),
            (lambda q: 2 * r(q), "That is the whole rod: G is in its middle."),
            (lambda q: np.array([math.cos(q[1]), math.sin(q[1]), 0]) * L / 2,
             "That would be right for an angle measured from the x axis: at phi = 0 the rod hangs along -y."),
            (lambda q: np.array([-math.sin(q[1]), -math.cos(q[1]), 0]) * L / 2,
             "The sign of phi: when it grows from zero, the rod goes to the right."),
            (lambda q: np.array([math.sin(q[1]), -math.cos(q[1]), 0]),
             "That is a unit vector: G is L/2 away from the pivot."),
        ])


@stage("Angular velocity and acceleration")
def rotation(work):
    def about_z(rate):
        return 0, 0, rate[1]

    work.right("omegad", about_z)
    for name, part, word in (("omega", 1, "velocity"), ("omegad", 2, "acceleration")):
        rates = [(state[part],) for state in states(work, 3)]
        work.answers(
            name, rates, about_z, f"The rod turns about z; its rotation {word} is a vector.",
            wanted="a vector (x, y, z)",
            mistakes=[
                (lambda rate: (0, 0, rate[0]),
                 "That is the rate of x. Python counts from zero: phi is the second coordinate, [1]."),
                (lambda rate: (0, 0, -rate[1]), "The sign: phi is positive about z."),
                (lambda rate: (rate[1], 0, 0), "The axis: the rod turns about z, the third component."),
                (lambda rate: (0, rate[1], 0), "The axis: the rod turns about z, the third component."),
                (lambda rate: (0, 0, rate[0] + rate[1]),
                 "The cart does not turn: its motion is no part of a rotation."),
                (lambda rate: (rate[0], 0, rate[1]),
                 "The cart does not turn: its motion is no part of a rotation."),
                (lambda rate: (0, 0, rate[1] * L / 2), "That is a speed: a rotation knows no length."),
                (lambda rate: (0, 0, 0), "The rod turns: at the rate of phi."),
            ])


def parts(q, rate):
    """What the cart and the turn contribute, at first order."""
    return np.array([rate[0], 0, 0]), np.cross([0, 0, rate[1]], r(q))


@stage("Velocity of the centre of mass")
def velocity(work):
    def made(formula):
        return lambda q, qd: formula(*parts(q, qd))

    work.answers(
        "velocity", states(work, 2), made(lambda cart, turn: cart + turn),
        "It must be the derivative of the position T.e; test it with qd = (1, 0), then with qd = (0, 1).",
        mistakes=[
            (made(lambda cart, turn: turn), "The velocity of the cart is missing: the pivot moves."),
            (made(lambda cart, turn: cart - turn),
             "The sign of the vector product: it is omega x r, with r from the pivot to G."),
            (made(lambda cart, turn: cart + 2 * turn),
             "Your arm is twice as long as it should be: G is in the middle of the rod."),
            (made(lambda cart, turn: cart),
             "That is the velocity of the pivot only: the turn of the rod is missing."),
            (made(lambda cart, turn: turn - cart), "The sign of the cart's velocity."),
            (lambda q, qd: parts(q, qd)[0] + np.cross([0, 0, qd[1]], r(q) + [q[0], 0, 0]),
             "r is the vector from the pivot to G, not from the origin: the velocity of the pivot is counted already."),
            (lambda q, qd: parts(q, qd)[0] + np.cross([0, 0, qd[1]], [0, -L / 2, 0]),
             "Your arm has components in the axes of the rod: everything in ground components."),
            (made(lambda cart, turn: cart + turn / (L / 2)), "The length of the arm is missing: G is L/2 away."),
        ])


@stage("Acceleration of the centre of mass")
def acceleration(work):
    def made(formula):
        """By what the cart, the angular acceleration and the angular velocity contribute."""
        def function(q, qd, qdd):
            w = np.array([0, 0, qd[1]])
            return formula(*parts(q, qdd), np.cross(w, np.cross(w, r(q))))
        return function

    work.answers(
        "acceleration", states(work, 3), made(lambda cart, tangential, normal: cart + tangential + normal),
        "It must be the second derivative of the position; test it with qdd = 0, then with qd = 0.",
        mistakes=[
            (made(lambda cart, tangential, normal: cart + tangential),
             "The centripetal term omega x (omega x r) is missing: even at constant speed G goes round."),
            (made(lambda cart, tangential, normal: cart + tangential - normal),
             "The sign of the centripetal term: it points from G to the pivot."),
            (lambda q, qd, qdd: sum(parts(q, qdd)) + np.cross([0, 0, qd[1]], np.cross([0, 0, qdd[1]], r(q))),
             "The last term is omega x (omega x r): omega twice, its derivative does not occur in it."),
            (lambda q, qd, qdd: sum(parts(q, qdd)) + np.cross([0, 0, qdd[1]], np.cross([0, 0, qdd[1]], r(q))),
             "The last term is omega x (omega x r): omega twice, its derivative does not occur in it."),
            (made(lambda cart, tangential, normal: cart + normal), "The tangential term omegad x r is missing."),
            (made(lambda cart, tangential, normal: cart - tangential + normal),
             "The sign of the tangential term: it is omegad x r."),
            (made(lambda cart, tangential, normal: tangential + normal), "The acceleration of the cart is missing."),
            (made(lambda cart, tangential, normal: cart + tangential + 2 * normal),
             "Twice the centripetal term: that would be Coriolis, but nothing slides here."),
            (lambda q, qd, qdd: sum(parts(q, qdd)) + np.cross([0, 0, qd[1]], r(q)),
             "In the last term omega comes twice: omega x (omega x r)."),
            (lambda q, qd, qdd: sum(parts(q, qdd)) + np.cross([0, 0, qd[1]], sum(parts(q, qd))),
             "In the last term stands the velocity relative to the pivot, omega x r, not that of G: the pivot's own "
             "velocity does not turn with the rod."),
            (lambda q, qd, qdd: sum(parts(q, qdd)) + np.cross(np.cross([0, 0, qd[1]], [0, 0, qd[1]]), r(q)),
             "The centripetal term omega x (omega x r) is missing: even at constant speed G goes round."),
        ])


@stage("Together: the equations", together=True)
def together(work):
    system = work.a(System, work.call("system"), "the System of the exercise")
    for q, qd, qdd in states(work, 3):
        work.called = f"system().residual(0, {q}, {qd}, {qdd})"
        came = work.array(system.residual(0.0, q, qd, qdd), (2,), "two numbers, one for each coordinate")
        work.compare(came, residual(q, qd, qdd), "The equations of your system are not those of cart and rod: take "
                     "`compute_motion` and `system` from exercise.py again.")
