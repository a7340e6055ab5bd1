"""Checks of exercise 21."""

from math import cos, sin

import numpy as np

from easydyn import Model
from easydyn.course import stage

m1, m2, L1, L2, g = 3.0, 2.0, 0.8, 0.5, 9.81
KP, KD, n, J = 30.0, 11.0, 60, 2.5e-4


def holding(q1, q2, between=None, first=m1 / 2, second=0.5):
    end = q1 + q2 if between is None else between
    lower = second * m2 * g * L2 * cos(end)
    return np.array([(first + m2) * g * L1 * cos(q1) + lower, lower])


def matrix(q2, about=1 / 3, carried=1.0, coupled=1.0):
    c, b = coupled * m2 * L1 * L2 / 2 * cos(q2), about * m2 * L2**2
    return np.array([[about * m1 * L1**2 + carried * m2 * L1**2 + b + 2 * c, b + c], [b + c, b]])


def needed(q1, q2, v1, v2, a1, a2, sign=1.0, coriolis=2.0, weight=1.0):
    s = sign * m2 * L1 * L2 / 2 * sin(q2)
    h = np.array([-s * (coriolis * v1 * v2 + v2**2), s * v1**2])
    return matrix(q2) @ (a1, a2) + h + weight * holding(q1, q2)


def pair(work):
    return lambda came: work.several(came, 2, "tau1, tau2")


@stage("The torques that hold the arm")
def gravity(work):
    def without(q1, q2):
        return np.array([(m1 / 2 + m2) * g * L1 * cos(q1), m2 * g * L2 / 2 * cos(q1 + q2)])

    work.answers(
        "gravity", work.inputs(3, 2, -1.4, 1.4), holding,
        "tau1 bears the weights of both rods about the shoulder, tau2 that of the second about the elbow.",
        [(lambda q1, q2: -holding(q1, q2), "The sign: that is what the weights do; the motors hold against them."),
         (without, "The shoulder bears the second rod up to its middle: what its half length adds is missing."),
         (lambda q1, q2: holding(q1, q2, q2), "q2 is the angle to the first rod: to the horizontal it is q1 + q2."),
         (lambda q1, q2: holding(q1, q2, q1 - q2), "The second rod has the angle q1 + q2 to the horizontal."),
         (lambda q1, q2: holding(q1, q2, None, m1), "The first rod's weight acts at its middle, L1/2."),
         (lambda q1, q2: holding(q1, q2, None, m1 / 2, 1), "The second rod's weight acts at its middle, L2/2."),
         (lambda q1, q2: holding(q1, q2, None, m1, 1), "The weights act at the rods' middles, not at their ends."),
         (lambda q1, q2: holding(q1, q2, None, m1 / 2 - m2), "The shoulder bears the second rod, too, beyond L1."),
         (lambda q1, q2: holding(q1, q2, None, m1 / 2 - m2 / 2), "The second rod hangs from the end of the first one, "
                                                                 "L1, not from its middle."),
         (lambda q1, q2: holding(q1, q2) / g, "g is missing: masses have weights m g."),
         (lambda q1, q2: holding(q1, q2)[::-1], "The shoulder first, the elbow then."),
         (lambda q1, q2: holding(q1 - np.pi / 2, q2), "The angles are from the horizontal, not from hanging.")],
        take=pair(work))


@stage("The mass matrix")
def mass(work):
    def changed(row, column, value):
        def made(q2):
            M = matrix(q2)
            M[row, column] = value(M)
            return M

        return made

    work.answers(
        "mass_matrix", work.inputs(3, 1, -2, 2), matrix,
        "The kinetic energy is half of v . M v: take it from the velocities of the middles and the rates of the rods.",
        [(lambda q2: matrix(q2, 1 / 12), "The moments of inertia are about the middles, and what the middles move is "
                                         "missing: m L²/3 about an end."),
         (lambda q2: matrix(q2, 1 / 4), "The rods are points at their middles: each has m L²/12 about it as well."),
         (lambda q2: matrix(q2, 1), "The rods are points at their ends: a rod has m L²/3 about its end."),
         (lambda q2: matrix(q2, 1 / 3, 0), "The elbow moves: the second rod adds m2 L1² to M11."),
         (lambda q2: matrix(q2, 1 / 3, 1, 0), "What couples the rods, with cos q2, is missing."),
         (lambda q2: matrix(q2, 1 / 3, 1, -1), "The sign of what couples the rods: at q2 = 0 the arm is stretched, and "
                                               "M11 is largest."),
         (lambda q2: matrix(q2, 1 / 3, 1, 2), "What couples the rods has the distance of the middle, L2/2."),
         (lambda q2: np.diag(np.diag(matrix(q2))), "M is not diagonal: each acceleration needs a torque at both "
                                                   "joints."),
         (changed(1, 0, lambda M: 0), "M is symmetric: M21 is M12."),
         (changed(0, 0, lambda M: M[0, 0] - M[0, 1]), "In M11 the coupling comes twice, and the second rod turns with "
                                                      "the first."),
         (changed(0, 0, lambda M: M[0, 0] - M[1, 1]), "q2 is the angle between the rods: the second one turns with q1 "
                                                      "as well, and belongs to M11."),
         (changed(1, 1, lambda M: M[1, 1] / 4), "M22 is about the elbow: m2 L2²/3.")])


@stage("The torques of a motion")
def motion(work):
    points = work.inputs(4, 6, -1.5, 1.5)

    def no_h(q1, q2, v1, v2, a1, a2):
        return matrix(q2) @ (a1, a2) + holding(q1, q2)

    def no_second(q1, q2, v1, v2, a1, a2):
        return needed(q1, q2, v1, v2, a1, a2) - (0, m2 * L1 * L2 / 2 * sin(q2) * v1**2)

    def only_coriolis(q1, q2, v1, v2, a1, a2):
        return needed(q1, q2, v1, v2, a1, a2) + (m2 * L1 * L2 / 2 * sin(q2) * v2**2, 0)

    work.answers(
        "torques", points, needed, "M a, then what velocities need (centrifugal and Coriolis), then the weight.",
        [(no_h, "What the velocities need is missing: centrifugal and Coriolis terms."),
         (lambda *x: needed(*x, weight=0), "The weight is missing."),
         (lambda *x: needed(*x, weight=-1), "The sign of the weight: the motors hold against it."),
         (lambda *x: needed(*x, sign=-1), "The sign of centrifugal and Coriolis terms."),
         (lambda *x: needed(*x, coriolis=1), "The Coriolis term v1 v2 comes twice."),
         (lambda *x: needed(*x, coriolis=0), "The Coriolis term, with v1 v2, is missing."),
         (only_coriolis, "The centrifugal term with v2² is missing in tau1."),
         (no_second, "The centrifugal term with v1² is missing in tau2: the elbow feels that the first rod turns."),
         (lambda q1, q2, v1, v2, a1, a2: needed(q1, q2, v1, v2, 0, 0), "What the accelerations need, M a, is missing."),
         (lambda q1, q2, v1, v2, a1, a2: needed(q1, q2, v1, v2, 0, 0) + np.diag(matrix(q2)) * (a1, a2),
          "Both accelerations need torques at both joints: M12 is missing.")],
        take=pair(work))


@stage("The arm as a model")
def arm(work):
    model = work.a(Model, work.call("arm"), "a Model")
    names = [str(x) for x in model.mechanism.coordinates]
    work.require(names == ["q1", "q2"], 'The coordinates are q1 and q2: made.coordinates("q1 q2").', came=names,
                 expected="['q1', 'q2']")
    for x in work.inputs(3, 6, -1.5, 1.5):
        work.called = f"inverse_dynamics of arm(), q, v, a = {x}"
        rows = [[list(x[k : k + 2])] for k in (0, 2, 4)]
        came = np.ravel(work.array(model.inverse_dynamics([0.0], *rows, target="python"), (1, 2)))
        q1, q2, v1, v2, a1, a2 = x
        light = needed(*x) - np.array([m1 * L1**2 * a1 / 12 + m2 * L2**2 * (a1 + a2) / 12, m2 * L2**2 * (a1 + a2) / 12])
        heavy = needed(*x) + np.array([m1 * L1**2 * a1 / 4 + m2 * L2**2 * (a1 + a2) / 4, m2 * L2**2 * (a1 + a2) / 4])
        work.compare(
            came, needed(*x), "Two bodies with their frames at the middles of the rods, their masses, their inertia "
                              "about z, and gravity.",
            mistakes=[(needed(*x, weight=0), "Gravity is missing in the model."),
                      (needed(*x, weight=-1), "Gravity points upwards in the model."),
                      (light, "The moments of inertia about the middles are missing: m L²/12."),
                      (heavy, "inertia= is about the centre of mass: m L²/12, not m L²/3.")])


@stage("A computed torque")
def command(work):
    def wanted(q1, q2, v1, v2, w1, w2):
        return KP * (w1 - q1) - KD * v1, KP * (w2 - q2) - KD * v2

    def by(law):
        return lambda *x: needed(*x[:4], *law(*x))

    work.answers(
        "command", work.inputs(4, 6, -1.2, 1.2), by(wanted),
        "Work out the accelerations that are wanted, then the torques that they need.",
        [(lambda *x: np.array(wanted(*x)), "These are accelerations: put them into `torques`."),
         (lambda *x: np.array(wanted(*x)) + holding(*x[:2]), "That is a controller with the weight taken off: the mass "
                                                             "matrix is missing."),
         (lambda *x: matrix(x[1]) @ wanted(*x), "The weight and what velocities need are missing: take `torques`."),
         (lambda *x: by(wanted)(*x) - holding(*x[:2]), "The weight is missing."),
         (lambda *x: matrix(x[1]) @ wanted(*x) + holding(*x[:2]), "What the velocities need is missing."),
         (by(lambda *x: (KP * (x[4] - x[0]) + KD * x[2], KP * (x[5] - x[1]) + KD * x[3])),
          "The sign of KD: it brakes."),
         (by(lambda *x: (KP * (x[0] - x[4]) - KD * x[2], KP * (x[1] - x[5]) - KD * x[3])),
          "The sign of the error: what is wanted less what is."),
         (by(lambda *x: (KP * (x[4] - x[0]), KP * (x[5] - x[1]))), "Nothing damps: KD v is missing."),
         (by(lambda *x: (KP * x[4] - KD * x[2], KP * x[5] - KD * x[3])), "The error is what is wanted less what is: "
                                                                        "q is missing."),
         (by(lambda *x: (KD * (x[4] - x[0]) - KP * x[2], KD * (x[5] - x[1]) - KP * x[3])), "KP and KD are exchanged.")],
        take=pair(work))


@stage("Behind a gear")
def motor_torque(work):
    work.answers(
        "motor_torque", [(tau, a) for tau, a in zip(work.draw(3, -40, 40), work.draw(3, -9, 9))],
        lambda tau, a: tau / n + J * n * a,
        "The gear divides the torque by n; the rotor has n times the acceleration, and takes J n a for itself.",
        [(lambda tau, a: tau / n, "The rotor is missing: it turns n times as fast."),
         (lambda tau, a: n * tau + J * n * a, "The motor is the fast side: its torque is n times smaller."),
         (lambda tau, a: tau / n + J * a, "The rotor has n times the acceleration of the joint."),
         (lambda tau, a: tau / n + J * n**2 * a, "n² J is what the joint feels of the rotor: here the motor is asked."),
         (lambda tau, a: tau + J * n * a, "The gear is missing in what the joint needs: tau/n."),
         (lambda tau, a: tau / n - J * n * a, "The sign of the rotor: what accelerates needs torque."),
         (lambda tau, a: tau + J * n**2 * a, "That is the torque at the joint: the motor needs n times less.")])
