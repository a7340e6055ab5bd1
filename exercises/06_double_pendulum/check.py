"""Checks of exercise 06."""

import numpy as np

from easydyn import Model, tdisp, trotz
from easydyn.course import stage

l1, l2, m1, m2, g = 1.2, 1.1, 1.1, 0.9, 9.81
UPPER, LOWER = m1 * l1**2 / 12, m2 * l2**2 / 12


def centres(q):
    """x, y of both centres of mass, and their derivatives by q."""
    s1, c1, s12, c12 = np.sin(q[0]), np.cos(q[0]), np.sin(q[0] + q[1]), np.cos(q[0] + q[1])
    p1, p2 = np.array([s1, -c1]) * l1 / 2, np.array([l1 * s1 + l2 / 2 * s12, -l1 * c1 - l2 / 2 * c12])
    J1 = np.array([[c1, 0], [s1, 0]]) * l1 / 2
    J2 = np.array([[l1 * c1 + l2 / 2 * c12, l2 / 2 * c12], [l1 * s1 + l2 / 2 * s12, l2 / 2 * s12]])
    return p1, p2, J1, J2


def mass_matrix(q, I1=UPPER, I2=LOWER, m1=m1, m2=m2):
    _, _, J1, J2 = centres(q)
    return m1 * J1.T @ J1 + m2 * J2.T @ J2 + I1 * np.diag([1, 0]) + I2 * np.ones((2, 2))


def weight(q, axis=1, m1=m1, m2=m2):
    _, _, J1, J2 = centres(q)
    return g * (m1 * J1[axis] + m2 * J2[axis])


def speeds(q, qd):
    """What is quadratic in the rates, of M q'' + ... + weight."""
    a = m2 * l1 * l2 / 2 * np.sin(q[1])
    return np.array([-a * (2 * qd[0] * qd[1] + qd[1] ** 2), a * qd[0] ** 2])


class Own:
    """The same of the student's model, by its frames and masses, with the moments of inertia that are asked for."""

    def __init__(self, model, system):
        self.masses = [float(body.mass) for body in model.bodies]
        self.frames, self.mass = lambda q: system.frames(0, list(q)), lambda q: np.array(system.mass_matrix(0, list(q)))

    def jacobians(self, q, step=1e-5):
        """Of x, y and of the angle, for each body: derivatives by q1, q2."""
        columns = []
        for e in np.eye(2) * step:
            before, after = (self.frames(np.array(q) + sign * e) for sign in (-1, 1))
            columns.append([[*((a - b)[:2, 3] / 2 / step), (np.arctan2(*a[1::-1, 0]) - np.arctan2(*b[1::-1, 0])) / 2
                             / step] for a, b in zip(*(map(matrix_of, x) for x in (after, before)))])
        return np.moveaxis(np.array(columns), 0, 2)

    def mass_matrix(self, q):
        return sum(m * J[:2].T @ J[:2] + I * np.outer(J[2], J[2])
                   for m, I, J in zip((m1, m2), (UPPER, LOWER), self.jacobians(q)))

    def weight(self, q):
        return g * sum(m * J[1] for m, J in zip(self.masses, self.jacobians(q)))

    def speeds(self, q, qd, step=1e-4):
        """Christoffel's terms of the student's mass matrix."""
        qd = np.array(qd)
        D = np.array([(self.mass(np.array(q) + e) - self.mass(np.array(q) - e)) / 2 / step for e in np.eye(2) * step])
        return np.einsum("kij,k,j->i", D, qd, qd) - np.einsum("ijk,j,k->i", D, qd, qd) / 2


def matrix_of(T):
    return np.array(getattr(T, "matrix", T), dtype=float)


def model_of(work):
    model = work.a(Model, work.call("model"), "a Model")
    work.require(model.names == ("q1", "q2"), "The coordinates are to be called q1 and q2.", came=model.names,
                 expected="('q1', 'q2')")
    work.require(len(model.bodies) == 2, "Two bodies are asked for, the upper rod first.", came=len(model.bodies),
                 expected="2")
    return model


def states(work, size=2, count=4):
    return [tuple(work.draw(2, -2, 2) for _ in range(size)) for _ in range(count)]


@stage("The frames of the two rods")
def frames(work):
    model = model_of(work)
    work.called = "model().initial()"
    work.compare(model.initial()[0], (0, 1), "The initial values are q1 = 0, q2 = 1 rad.", wanted="initial=(...)",
                 mistakes=[((0, 0), "The initial values are missing: q1 = 0, q2 = 1 rad."),
                           ((1, 0), "q1 comes first: it is zero at the start."),
                           ((0, np.degrees(1)), "Initial values are in rad: q2 begins at 1 rad.")])
    system = model.compile(target="python")

    def upper(q):
        return trotz(q[0]) * tdisp(0, -l1 / 2, 0)

    def elbow(q):
        return trotz(q[0]) * tdisp(0, -l1, 0)

    half = tdisp(0, -l2 / 2, 0)
    work.answers(
        "the frame of the upper rod, model() at q = {}", states(work, 1), upper,
        "The frame of the upper rod stands in its middle.", ask=lambda q: system.frames(0, q)[0],
        mistakes=[
            (elbow, "That is the end of the upper rod: its frame stands in the middle, at the centre of mass."),
            (lambda q: tdisp(0, -l1 / 2, 0) * trotz(q[0]),
             "The order of the product: the upper rod turns about its pivot, so the turn comes first."),
            (lambda q: trotz(q[0]) * tdisp(0, l1 / 2, 0), "The sign: your upper rod stands upwards at q1 = 0."),
            (lambda q: trotz(q[0]) * tdisp(l1 / 2, 0, 0), "Your upper rod lies along x at q1 = 0: it should hang "
                                                          "down, along -y."),
            (lambda q: trotz(q[0]), "That is the pivot: the frame stands in the middle of the rod."),
            (lambda q: trotz(-q[0]) * tdisp(0, -l1 / 2, 0), "The sign of q1: it is positive about z."),
            (lambda q: elbow(q) * trotz(q[1]) * half, "That is the lower rod: the upper rod is to be the first body."),
            (lambda q: tdisp(*upper(q).e), "The position is right, but your frame is not turned: the turn has to be a "
                                           "factor of the product."),
        ])
    work.answers(
        "the frame of the lower rod, model() at q = {}", states(work, 1), lambda q: elbow(q) * trotz(q[1]) * half,
        "The lower rod: turn, down the whole upper rod, turn, down half of the lower one.",
        ask=lambda q: system.frames(0, q)[1],
        mistakes=[
            (lambda q: upper(q) * trotz(q[1]) * half,
             "The lower rod hangs from the middle of the upper one: go down the whole length first."),
            (lambda q: tdisp(*elbow(q).e) * trotz(q[1]) * half,
             "Your q2 is the angle to the vertical: it is that between the rods."),
            (lambda q: elbow(q) * trotz(q[1]) * tdisp(0, -l2, 0),
             "That is the end of the lower rod: its frame stands in the middle."),
            (lambda q: elbow(q) * half * trotz(q[1]),
             "The order of the last two factors: the turn at the elbow comes first."),
            (lambda q: elbow(q) * trotz(q[1]), "That is the elbow: the frame stands in the middle of the lower rod."),
            (lambda q: elbow(q) * trotz(-q[1]) * half, "The sign of q2: it is positive about z, as q1 is."),
            (lambda q: elbow(q) * trotz(q[1]) * tdisp(0, l2 / 2, 0), "The sign: your lower rod stands upwards."),
            (lambda q: elbow(q) * trotz(q[0] + q[1]) * half,
             "The elbow's frame has turned by q1 already: from it on, turn by q2 only."),
            (lambda q: trotz(q[1]) * half, "The lower rod hangs at the end of the upper one, not at the pivot."),
            (lambda q: elbow(q) * trotz(q[1]) * tdisp(0, -l1 / 2, 0), "The lower rod has the length l2."),
            (lambda q: elbow(q) * half, "The turn by q2 is missing."),
            (lambda q: trotz(q[0] + q[1]) * tdisp(0, -l1 - l2 / 2, 0),
             "Both rods are turned by q1 + q2 here: the upper one only turns by q1."),
        ])


@stage("The masses and moments of inertia")
def inertia(work):
    model = model_of(work)
    system = model.compile(target="python")
    work.either(lambda: inertia_of(work, system), lambda: work.answers(
        "mass matrix of model() at q = {}", states(work, 1), Own(model, system).mass_matrix, "by its own frames",
        ask=lambda q: system.mass_matrix(0, q)))


def inertia_of(work, system):
    work.answers(
        "mass matrix of model() at q = {}", states(work, 1), mass_matrix,
        "A rod has m l²/12 about its centre of mass, across its length.", ask=lambda q: system.mass_matrix(0, q),
        mistakes=[(lambda q, options=options: mass_matrix(q, **options), said) for options, said in (
            ({"I1": 4 * UPPER, "I2": 4 * LOWER}, "m l²/3 is the moment of inertia about the end of a rod: inertia= is "
                                                 "about its centre of mass."),
            ({"I1": 6 * UPPER, "I2": 6 * LOWER}, "A half is for a disc: a rod has m l²/12 about its centre of mass."),
            ({"I1": 0, "I2": 0}, "The moments of inertia are missing: you have two point masses."),
            ({"I2": 0}, "The moment of inertia of the lower rod is missing."),
            ({"I1": 0}, "The moment of inertia of the upper rod is missing."),
            ({"I1": 1, "I2": 1}, "The third number of inertia= is that about z; the rods turn about z."),
            ({"I1": l1**2 / 12, "I2": l2**2 / 12}, "The masses are missing in the moments of inertia."),
            ({"I1": m1 * l1 / 12, "I2": m2 * l2 / 12}, "The lengths come as squares in the moments of inertia."),
            ({"I1": LOWER, "I2": UPPER}, "The moments of inertia are exchanged: the upper rod has m1 and l1."),
            ({"I2": UPPER}, "The moment of inertia of the lower rod is that of the upper one."),
            ({"I1": LOWER}, "The moment of inertia of the upper rod is that of the lower one."),
            ({"I1": 4 * UPPER}, "The moment of inertia of the upper rod is about its centre of mass, too: m l²/12."),
            ({"m1": m2, "m2": m1}, "The masses are exchanged: the upper rod has m1."),
            ({"m2": m1}, "The mass of the lower rod is m2."),
            ({"m1": m2, "m2": m1, "I1": m2 * l1**2 / 12, "I2": m1 * l2**2 / 12},
             "The masses are exchanged: the upper rod has m1."),
        )])


@stage("Gravity")
def gravity(work):
    model = model_of(work)
    system = model.compile(target="python")
    work.either(lambda: gravity_of(work, system), lambda: own_gravity(work, system, Own(model, system)))


def own_gravity(work, system, own):
    work.answers(
        "residual(0, q, qd, qdd) of model() at {}, {}, {}", states(work, 3, 2),
        lambda q, qd, qdd: own.mass(q) @ qdd + own.speeds(q, qd) + own.weight(q), "by its own frames and masses",
        ask=lambda q, qd, qdd: system.residual(0, q, qd, qdd), size=10)


def gravity_of(work, system):
    work.answers(
        "residual of model() at rest, q = {}", states(work, 1), weight,
        "With the accelerations zero, the residual at rest is the weight.",
        ask=lambda q: system.residual(0, q, [0.0, 0.0], [0.0, 0.0]), size=10,
        mistakes=[
            (lambda q: (0, 0), "There is no gravity: Model(name, gravity=(...))."),
            (lambda q: -weight(q), "Gravity points upwards: its vector has the direction in which things fall."),
            (lambda q: weight(q, 0), "Gravity points along -x: upwards is y here."),
            (lambda q: -weight(q, 0), "Gravity points along x: upwards is y here."),
            (lambda q: weight(q) / g, "Gravity is 9.81 m/s²: yours is 1."),
            (lambda q: weight(q) * 10 / g, "Gravity is 9.81 m/s², not 10."),
            (lambda q: weight(q) * m1, "Gravity is an acceleration, in m/s²: the masses are in the bodies."),
            (lambda q: 2 * weight(q), "The weight acts twice: gravity= makes it of the masses by itself."),
        ])
    work.answers(
        "residual(0, q, qd, qdd) of model() at {}, {}, {}", states(work, 3, 2),
        lambda q, qd, qdd: mass_matrix(q) @ qdd + speeds(q, qd) + weight(q),
        "Something else acts on the rods beside gravity: nothing else does.",
        ask=lambda q, qd, qdd: system.residual(0, q, qd, qdd), enough=True)


@stage("The energy, by your own formula")
def energy(work):
    def made(formula):
        """By the parts of the energy: of the centres of mass, of turning, of height."""
        def function(q, qd):
            p1, p2, J1, J2 = centres(q)
            v1, v2 = J1 @ qd, J2 @ qd
            return formula((m1 * v1 @ v1 + m2 * v2 @ v2) / 2, (UPPER * qd[0] ** 2 + LOWER * (qd[0] + qd[1]) ** 2) / 2,
                           g * (m1 * p1[1] + m2 * p2[1]))
        return function

    def other(formula):
        """What is right, and what a formula adds."""
        right = made(lambda moving, turning, height: moving + turning + height)
        return lambda q, qd: right(q, qd) + formula(q, qd)

    work.answers(
        "energy", states(work), made(lambda moving, turning, height: moving + turning + height),
        "Test the parts alone: with qd = (0, 0) the potential, at q = (0, 0) and (pi/2, 0) the kinetic energy.",
        mistakes=[(made(formula), said) for formula, said in (
            (lambda moving, turning, height: moving + turning - height,
             "The sign of the potential: it grows with height. (T - V is Lagrange's function.)"),
            (lambda moving, turning, height: moving + turning, "The potential energy is missing."),
            (lambda moving, turning, height: height, "The kinetic energy is missing."),
            (lambda moving, turning, height: moving + height,
             "The kinetic energy of turning, I w²/2 of each rod, is missing."),
            (lambda moving, turning, height: turning + height,
             "The kinetic energy of the centres of mass, m v²/2 of each rod, is missing."),
            (lambda moving, turning, height: moving + 4 * turning + height,
             "m l²/3 is about the end of a rod: what the centre of mass does is in m v²/2 already."),
            (lambda moving, turning, height: 2 * (moving + turning) + height,
             "The factor 1/2 of the kinetic energy is missing."),
            (lambda moving, turning, height: moving + 2 * turning + height,
             "The factor 1/2 is missing in the energy of turning."),
            (lambda moving, turning, height: 2 * moving + turning + height,
             "The factor 1/2 is missing in m v²/2."),
            (lambda moving, turning, height: moving + turning + height / g, "The potential is m g y: g is missing."),
            (lambda moving, turning, height: moving + turning + height + g * (m1 * l1 / 2 + m2 * (l1 + l2 / 2)),
             "The zero of the potential is at the height of the pivot, not at the rods that hang."),
        )] + [(other(formula), said) for formula, said in (
            (lambda q, qd: LOWER * (qd[1] ** 2 - (qd[0] + qd[1]) ** 2) / 2,
             "The lower rod turns at q1' + q2': q2 is the angle between the rods."),
            (lambda q, qd: m2 * g * l2 / 2 * (np.cos(q[0] + q[1]) - np.cos(q[1])),
             "The height of the lower rod: its angle to the vertical is q1 + q2."),
            (lambda q, qd: m2 * g * l1 / 2 * np.cos(q[0]),
             "The height of the lower rod: it hangs at the end of the upper one, a whole l1 below the pivot."),
            (lambda q, qd: -m2 * g * l2 / 2 * np.cos(q[0] + q[1]),
             "The height of the lower rod: its centre of mass is in its middle."),
            (lambda q, qd: -m1 * g * l1 / 2 * np.cos(q[0]),
             "The height of the upper rod: its centre of mass is in its middle."),
            (lambda q, qd: m2 * l1 * l2 / 2 * qd[0] * (qd[0] + qd[1]) * (np.cos(q[0] + q[1]) - np.cos(q[1])),
             "The angle between the two velocities of the lower rod is q2, not q1 + q2."),
            (lambda q, qd: -m2 * l1 * l2 / 2 * qd[0] * (qd[0] + qd[1]) * np.cos(q[1]),
             "Velocities are added as vectors: the square of their sum has a mixed term, with cos(q2)."),
        )])


@stage("A tolerance for five seconds")
def tolerance(work):
    value = work.number(work.value("tolerance"))
    work.require(0 < value < 1, "A tolerance is a small number above zero.", came=value, expected="such as 1e-6")
    rods = Model("two rods", gravity=(0, -g, 0))  # those of the model that has passed
    q1, q2 = rods.coordinates("q1 q2", initial=(0, 1))
    elbow = trotz(q1) * tdisp(0, -l1, 0)
    rods.body("upper", trotz(q1) * tdisp(0, -l1 / 2, 0), mass=m1, inertia=(1, 1, UPPER))
    rods.body("lower", elbow * trotz(q2) * tdisp(0, -l2 / 2, 0), mass=m2, inertia=(1, 1, LOWER))
    run = rods.simulate(5, tolerance=max(value, 5e-8))  # more takes long, and too many steps
    work.called = f"model().simulate(5, tolerance={value:g})"
    drift = float(np.ptp(run.energy.total))
    work.require(drift < 2e-6, "The energy varies too much: make the tolerance smaller.", came=f"{drift:.2g} J, in "
                 f"{run.stats.steps} steps", expected="below 2e-6 J")
    more = "more than " if value < 5e-8 else ""
    work.require(run.stats.steps <= 40000, "That is more accurate than was asked for, and costs too many steps: make "
                 "the tolerance larger.", came=f"{more}{run.stats.steps} steps", expected="at most 40000 steps")
