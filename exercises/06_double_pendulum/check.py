"""Checks of exercise 06."""

import numpy as np

from easydyn import Model, tdisp, trotz
from easydyn.course import stage

l1, l2, m1, m2, g = 1.2, 1.1, 1.1, 0.9, 9.81


def centres(q):
    """x, y of both centres of mass, and their derivatives by q."""
    s1, c1, s12, c12 = np.sin(q[0]), np.cos(q[0]), np.sin(q[0] + q[1]), np.cos(q[0] + q[1])
    p1, p2 = np.array([s1, -c1]) * l1 / 2, np.array([l1 * s1 + l2 / 2 * s12, -l1 * c1 - l2 / 2 * c12])
    J1 = np.array([[c1, 0], [s1, 0]]) * l1 / 2
    J2 = np.array([[l1 * c1 + l2 / 2 * c12, l2 / 2 * c12], [l1 * s1 + l2 / 2 * s12, l2 / 2 * s12]])
    return p1, p2, J1, J2


def mass_matrix(q, I1=m1 * l1**2 / 12, I2=m2 * l2**2 / 12, J=None):
    _, _, J1, J2 = centres(q) if J is None else J
    return m1 * J1.T @ J1 + m2 * J2.T @ J2 + I1 * np.diag([1, 0]) + I2 * np.ones((2, 2))


def reference():
    """The double pendulum itself: what is asked of a run is asked of this one, which no student has made."""
    made = Model("double pendulum", gravity=(0, -g, 0))
    q1, q2 = made.coordinates("q1 q2", initial=(0, 1))
    elbow = trotz(q1) * tdisp(0, -l1, 0)
    made.body("upper rod", trotz(q1) * tdisp(0, -l1 / 2, 0), mass=m1, inertia=(1, 1, m1 * l1**2 / 12))
    made.body("lower rod", elbow * trotz(q2) * tdisp(0, -l2 / 2, 0), mass=m2, inertia=(1, 1, m2 * l2**2 / 12))
    return made


def model_of(work):
    model = work.a(Model, work.call("model"), "a Model")
    work.require(model.names == ("q1", "q2"), "The coordinates are to be called q1 and q2.", came=model.names,
                 expected="('q1', 'q2')")
    work.require(len(model.bodies) == 2, "Two bodies are asked for, the upper rod first.", came=len(model.bodies),
                 expected="2")
    return model


def total_energy(q, qd):
    p1, p2, _, _ = centres(q)
    return float(np.array(qd) @ mass_matrix(q) @ qd / 2 + g * (m1 * p1[1] + m2 * p2[1]))


def states(work):
    for _ in range(3):
        yield work.draw(2, -2, 2), work.draw(2, -2, 2)


def matrix(T):
    return np.array(T.matrix, dtype=float)


@stage("The frames of the two rods")
def frames(work):
    model = model_of(work)
    work.called = "model().initial()"
    work.compare(model.initial()[0], (0, 1), "The initial values are q1 = 0, q2 = 1 rad.")
    system = model.compile(target="python")
    for q, _ in states(work):
        work.called = f"frames of model() at q = ({q[0]}, {q[1]})"
        upper, lower = system.frames(0, q)
        T1 = trotz(q[0]) * tdisp(0, -l1 / 2, 0)
        work.compare(
            upper, matrix(T1), "The frame of the upper rod stands in its middle.",
            mistakes=[(matrix(trotz(q[0]) * tdisp(0, -l1, 0)), "That is the end of the upper rod: its frame stands "
                                                               "in the "
                                                               "middle, at the centre of mass."),
                      (matrix(tdisp(0, -l1 / 2, 0) * trotz(q[0])), "The order of the product: the upper rod turns "
                                                                   "about "
                                                                   "its pivot, so the turn comes first."),
                      (matrix(trotz(q[0]) * tdisp(0, l1 / 2, 0)), "The sign: your upper rod stands upwards at q1 = "
                                                                  "0.")])
        elbow = trotz(q[0]) * tdisp(0, -l1, 0)
        T2 = elbow * trotz(q[1]) * tdisp(0, -l2 / 2, 0)
        work.compare(
            lower, matrix(T2), "The lower rod: turn, down the whole upper rod, turn, down half of the lower one.",
            mistakes=[(matrix(T1 * trotz(q[1]) * tdisp(0, -l2 / 2, 0)), "The lower rod hangs from the middle of the "
                                                                        "upper "
                                                                        "one: go down the whole length first."),
                      (matrix(tdisp(*elbow.e) * trotz(q[1]) * tdisp(0, -l2 / 2, 0)),
                       "Your q2 is the angle to the vertical: it is that between the rods."),
                      (matrix(elbow * trotz(q[1]) * tdisp(0, -l2, 0)), "That is the end of the lower rod: its frame "
                                                                       "stands in the middle."),
                      (matrix(elbow * tdisp(0, -l2 / 2, 0) * trotz(q[1])), "The order of the last two factors: the "
                                                                           "turn "
                                                                           "at the elbow comes first.")])


@stage("The masses and moments of inertia")
def inertia(work):
    system = model_of(work).compile(target="python")
    for q, _ in states(work):
        work.called = f"mass matrix of model() at q = ({q[0]}, {q[1]})"
        M = system.mass_matrix(0, q)
        work.compare(
            M, mass_matrix(q), "A rod has m l²/12 about its centre of mass, across its length.",
            mistakes=[(mass_matrix(q, m1 * l1**2 / 3, m2 * l2**2 / 3), "m l²/3 is the moment of inertia about the "
                                                                       "end of a "
                                                                       "rod: inertia= is about its centre of mass."),
                      (mass_matrix(q, 0, 0), "The moments of inertia are missing: you have two point masses."),
                      (mass_matrix(q, m1 * l1**2 / 12, 0), "The moment of inertia of the lower rod is missing."),
                      (mass_matrix(q, 1, 1), "The third number of inertia= is that about z; the rods turn about z."),
                      (mass_matrix(q, l1**2 / 12, l2**2 / 12), "The masses are missing in the moments of inertia.")])


@stage("Gravity")
def gravity(work):
    model = model_of(work)
    system = model.compile(target="python")
    for q, _ in states(work):
        work.called = f"residual of model() at rest, q = ({q[0]}, {q[1]})"
        _, _, J1, J2 = centres(q)
        right = g * (m1 * J1[1] + m2 * J2[1])
        work.compare(
            system.residual(0, q, [0, 0], [0, 0]), right, "With the accelerations zero, the residual at rest is the "
                                                          "weight.",
            mistakes=[((0, 0), "There is no gravity: Model(name, gravity=(...))."),
                      (-right, "Gravity points upwards: its vector has the direction in which things fall, (0, -g, "
                               "0)."),
                      (g * (m1 * J1[0] + m2 * J2[0]), "Gravity points along -x: upwards is y here."),
                      (-g * (m1 * J1[0] + m2 * J2[0]), "Gravity points along x: downwards is -y here.")])
    work.called = "model()"
    work.require(not model.mechanism.efforts, "There are efforts beside gravity: nothing else acts on the rods.")
    right = reference().compile(target="python")
    for (q, qd), qdd in zip(states(work), (work.draw(2), work.draw(2), work.draw(2))):
        work.called = f"residual of model() at q = {tuple(q)}, q' = {tuple(qd)}, q'' = {tuple(qdd)}"
        work.compare(system.residual(0, q, qd, qdd), right.residual(0, q, qd, qdd),
                     "In motion the residual is another one than that of two rods which nothing but gravity acts upon.")


@stage("The energy, by your own formula")
def energy(work):
    for q, qd in states(work):
        p1, p2, J1, J2 = centres(q)
        kinetic = float(np.array(qd) @ mass_matrix(q) @ qd / 2)
        turning = (m1 * l1**2 * qd[0] ** 2 + m2 * l2**2 * (qd[0] + qd[1]) ** 2) / 24
        relative = (m1 * l1**2 * qd[0] ** 2 + m2 * l2**2 * qd[1] ** 2) / 24
        potential = float(g * (m1 * p1[1] + m2 * p2[1]))
        work.compare(
            work.number(work.call("energy", q, qd)), kinetic + potential,
            "Test the parts alone: with qd = (0, 0) the potential, at q = (0, 0) and (pi/2, 0) the kinetic energy.",
            mistakes=[(kinetic - potential, "The sign of the potential: it grows with height. (T - V is Lagrange's "
                                            "function.)"),
                      (kinetic, "The potential energy is missing."),
                      (potential, "The kinetic energy is missing."),
                      (kinetic - turning + potential, "The kinetic energy of turning, I w²/2 of each rod, is missing."),
                      (kinetic - turning + relative + potential,
                       "The lower rod turns at q1' + q2': q2 is the angle between the rods."),
                      (2 * kinetic + potential, "The factor 1/2 of the kinetic energy is missing.")])
    model = model_of(work)
    run = work.simulate(model, 1, save_every=0.05)
    values = [work.number(work.call("energy", tuple(q), tuple(qd))) for q, qd in zip(run.q, run.qd)]
    work.require(np.ptp(values) < 1e-3, "Along a run of your model your energy is not constant.",
                 came=f"it varies by {np.ptp(values):.3g} J", expected="below 1 mJ")


@stage("A tolerance for five seconds")
def tolerance(work):
    value = work.number(work.value("tolerance"))
    work.require(0 < value < 1, "A tolerance is a small number above zero.", came=value, expected="such as 1e-6")
    model_of(work)
    run = reference().simulate(5, tolerance=max(value, 5e-8))  # more takes long, and too many steps
    work.called = f"model().simulate(5, tolerance={value:g})"
    totals = [total_energy(q, qd) for q, qd in zip(run.q, run.qd)]
    drift, steps = float(np.ptp(totals)), run.stats.steps
    work.require(drift < 2e-6, "The energy varies too much: make the tolerance smaller.",
                 came=f"{drift:.2g} J, in {steps} steps", expected="below 2e-6 J")
    more = "more than " if value < 5e-8 else ""
    work.require(steps <= 40000, "That is more accurate than was asked for, and costs too many steps: make the "
                 "tolerance larger.", came=f"{more}{steps} steps", expected="at most 40000 steps")
