"""Checks of exercise 29."""

import numpy as np

from easydyn.course import stage

D, H, m, g = 0.9, 1.5, 250.0, 9.81
X, Y, Z = np.eye(3)
cross = np.cross


def turned(a):
    """The axes of the turntable, as columns."""
    return np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])


def along(q):
    """The unit vector along the ladder."""
    return turned(q[0]) @ (0, np.cos(q[1]), np.sin(q[1]))


def omega_of(q, qd):
    return qd[0] * Z + qd[1] * turned(q[0]) @ X


def alpha_of(q, qd, qdd):
    return omega_of(q, qdd) + cross(qd[0] * Z, qd[1] * turned(q[0]) @ X)


def terms(q, qd, qdd):
    """The five of the acceleration."""
    e, u, w = turned(q[0]) @ (0, D, H), along(q), omega_of(q, qd)
    foot = qdd[0] * cross(Z, e) + qd[0] ** 2 * cross(Z, cross(Z, e))
    s = q[2] * u
    return np.array([foot, cross(alpha_of(q, qd, qdd), s), cross(w, cross(w, s)), 2 * cross(w, qd[2] * u), qdd[2] * u])


def parts(q, qd):
    """Carried and relative velocity."""
    foot = qd[0] * cross(Z, turned(q[0]) @ (0, D, H))
    return np.array([foot + cross(omega_of(q, qd), q[2] * along(q)), qd[2] * along(q)])


def states(work, size):
    """q, qd, qdd, or the first of them; angles and rates of both signs."""
    made = []
    for sign in (1, -1, 1):
        q = (*work.draw(1, *sorted((0.3 * sign, 1.3 * sign))), *work.draw(1, 0.3, 1.2), *work.draw(1, 4, 12))
        rates = [tuple(sign * x * way for x, way in zip(work.draw(3, 0.2, 0.7), (1, -sign, 1))) for _ in range(2)]
        made.append((q, *rates)[:size])
    return made


ONE, TWO = np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]]), np.array([[1, 0, 0], [0, 0.8, -0.6], [0, 0.6, 0.8]])


@stage("The rate in turning axes")
def rate(work):
    def by(formula):
        return lambda *given: formula(*map(np.array, given))

    inputs = [(R, *(np.array(work.draw(3, -2, 2)) for _ in range(3))) for R in (ONE @ TWO, TWO @ ONE, TWO.T @ ONE)]
    work.answers(
        "rate", inputs, by(lambda R, w, p, s: cross(w, R @ p) + R @ s),
        "omega crossed with the vector, and what the observer sees; all of it in ground components.",
        [(by(lambda R, w, p, s: cross(R @ p, w) + R @ s), "The order of the cross product: omega comes first."),
         (by(lambda R, w, p, s: cross(w, p) + R @ s), "rho is in the turning axes, omega in those of the ground: turn "
                                                      "rho before you cross them."),
         (by(lambda R, w, p, s: cross(w, R @ p) + s), "What the observer sees is in the turning axes: it has to be "
                                                      "turned to the ground."),
         (by(lambda R, w, p, s: cross(w, p) + s), "rho and its rates are in the turning axes: turn "
                                                  "both to the ground."),
         (by(lambda R, w, p, s: R @ (cross(w, p) + s)), "omega is in ground components already: do not turn it."),
         (by(lambda R, w, p, s: cross(w, R.T @ p) + R.T @ s), "R leads from the turning axes to the ground, its "
                                                              "transpose the other way."),
         (by(lambda R, w, p, s: cross(w, R @ p)), "The observer sees a rate, too: that of rho is missing."),
         (by(lambda R, w, p, s: R @ s), "The axes turn: omega crossed with the vector is missing."),
         (by(lambda R, w, p, s: s), "That is what the observer sees: the axes turn, and are not those of the ground."),
         (by(lambda R, w, p, s: 2 * cross(w, R @ p) + R @ s), "A 2 is in accelerations: this is a first rate."),
         (by(lambda R, w, p, s: cross(w, R @ p) - R @ s), "The two parts are added."),
         (by(lambda R, w, p, s: cross(w, R @ s) + R @ p), "rho and its rates are exchanged."),
         (by(lambda R, w, p, s: w * (R @ p) + R @ s), "A cross product: a * between arrays multiplies component by "
                                                      "component.")])  # fmt: skip


@stage("The angular velocity")
def omega(work):
    def x(q):
        return turned(q[0]) @ X

    work.answers(
        "omega", states(work, 2), omega_of, "The rate of a along z, that of b along the x axis of the turntable.",
        [(lambda q, qd: qd[0] * Z + qd[1] * X, "The x axis of the turntable is not that of the ground: it has turned "
                                               "with a."),
         (lambda q, qd: qd[0] * Z + qd[1] * turned(-q[0]) @ X, "You have turned the x axis the other way."),
         (lambda q, qd: qd[0] * Z + qd[1] * turned(q[0]) @ Y, "That is the y axis of the turntable: the ladder turns "
                                                              "about its x axis."),
         (lambda q, qd: qd[0] * Z - qd[1] * x(q), "The sign of b's rate: positive about the x axis."),
         (lambda q, qd: -qd[0] * Z + qd[1] * x(q), "The sign of a's rate: positive about z."),
         (lambda q, qd: qd[0] * Z, "The ladder is raised, too: the rate of b is missing."),
         (lambda q, qd: qd[1] * x(q), "The turntable carries the ladder: the rate of a is missing."),
         (lambda q, qd: cross(Z, along(q)) * qd[0] + qd[1] * x(q), "The rate of a is along z, the axis of the turn."),
         (lambda q, qd: np.array([qd[1], qd[0] * np.sin(q[1]), qd[0] * np.cos(q[1])]), "These are components in the "
          "axes of the ladder: ground components are asked for."),
         (lambda q, qd: qd[0] * turned(q[0]) @ (0, -np.sin(q[1]), np.cos(q[1])) + qd[1] * x(q),
          "The z axis of the ladder is tilted by b: the turntable turns about that of the ground."),
         ])  # fmt: skip


@stage("The angular acceleration")
def alpha(work):
    def by(cross_term=1.0, first=1.0, second=1.0):
        def found(q, qd, qdd):
            x = turned(q[0]) @ X
            return first * qdd[0] * Z + second * qdd[1] * x + cross_term * qd[0] * qd[1] * cross(Z, x)

        return found

    work.answers(
        "alpha", states(work, 3), alpha_of, "Differentiate both parts of omega: rates change, and one axis turns.",
        [(by(cross_term=0.0), "The x axis of the turntable turns: there is a third term, even with constant rates."),
         (by(cross_term=-1.0), "The sign of the third term: the turntable's rate is crossed with that of b, in this "
                               "order."),
         (by(cross_term=2.0), "Each axis is differentiated once: no 2 here."),
         (by(first=0.0, second=0.0), "That is the third term alone: the rates themselves change, too."),
         (by(first=0.0), "The second derivative of a is missing."),
         (by(second=0.0), "The second derivative of b is missing."),
         (lambda q, qd, qdd: qdd[0] * Z + qdd[1] * X, "The x axis of the turntable is not that of the ground, and it "
                                                      "turns."),
         (lambda q, qd, qdd: omega_of(q, qdd) + qd[1] * cross(Z, turned(q[0]) @ X), "The derivative of cos a is -sin a "
          "times the rate of a."),
         (lambda q, qd, qdd: omega_of(q, qdd) + qd[0] * cross(Z, turned(q[0]) @ X), "The axis that turns belongs to "
          "the rate of b: both rates are factors of the third term."),
         (lambda q, qd, qdd: omega_of(q, qd), "That is the angular velocity."),
         (lambda q, qd, qdd: turned(-q[0]) @ alpha_of(q, qd, qdd), "These are components in the axes of the turntable: "
          "ground components are asked for."),
         ])  # fmt: skip


def judged(work, name, given, right, cases):
    """Each vector that the student's function returns, with a sentence and mistakes of its own."""
    titles = [title for title, *_ in cases]
    work.right(name, right)

    def one(k):
        def asked(*given):
            came = work.several(work.call(name, *given), len(titles), ", ".join(titles))[k]
            work.called += f"[{k}]"
            return came

        return asked

    for k, (title, sentence, mistakes) in enumerate(cases):
        others = [
            (lambda *given, j=j: right(*given)[j], f'The order: as number {k + 1} "{title}" is asked for; that is '
             f'"{other}".')  # fmt: skip
            for j, other in enumerate(titles) if j != k
        ]  # fmt: skip
        nothing = lambda *given: np.zeros(3)  # noqa: E731
        work.answers(f"{name}()[{k}]", given, lambda *given, k=k: right(*given)[k], sentence, ask=one(k), mistakes=[
            *mistakes, *others,
            (nothing, f'"{title}" is not zero here.'),
        ])  # fmt: skip


@stage("The velocity, in two parts")
def velocity(work):
    def foot(q, qd):
        return qd[0] * cross(Z, turned(q[0]) @ (0, D, H))

    def turn(q, qd):
        return cross(omega_of(q, qd), q[2] * along(q))

    judged(work, "velocity", states(work, 2), parts, [
        ("carried", "The velocity of the foot, and omega crossed with the vector from the foot to the basket.", [
            (turn, "The foot of the ladder moves with the turntable: its velocity is missing."),
            (foot, "That is the velocity of the foot: the ladder turns, too."),
            (lambda q, qd: foot(q, qd) - turn(q, qd), "The order of the cross product: omega comes first."),
            (lambda q, qd: turn(q, qd) - foot(q, qd), "The sign of the velocity of the foot: z is crossed with its "
             "place."),
            (lambda q, qd: turn(q, qd) + cross(omega_of(q, qd), turned(q[0]) @ (0, D, H)),
             "The foot turns with the turntable alone: it does not rise when b changes."),
            (lambda q, qd: foot(q, qd) + qd[0] * cross(Z, q[2] * along(q)),
             "A point of the ladder is raised with it: omega has two parts."),
            (lambda q, qd: parts(q, qd).sum(0), "That is the sum: the carried velocity is that of a point which does "
             "not move along the ladder."),
            (lambda q, qd: foot(q, qd) + cross(omega_of(q, qd), along(q)), "A unit vector has no length: the basket is "
             "at the distance c."),
            (lambda q, qd: foot(q, qd) + cross(omega_of(q, qd), turned(q[0]) @ (0, q[2], 0)),
             "The ladder is raised: its direction depends on b."),
        ]),
        ("relative", "The rate of c, along the ladder.", [
            (lambda q, qd: qd[2] * Y, "These are components in the axes of the ladder: ground components are asked "
             "for."),
            (lambda q, qd: qd[2] * q[2] * along(q), "The rate of c times a *unit* vector along the ladder."),
            (lambda q, qd: qd[2] * turned(q[0]) @ Y, "The ladder is raised: its direction depends on b."),
            (lambda q, qd: along(q), "The unit vector alone: times the rate of c."),
            (lambda q, qd: parts(q, qd).sum(0), "That is the sum: the relative velocity is what somebody on the ladder "
             "sees."),
        ]),
    ])  # fmt: skip


@stage("The acceleration, in five terms")
def acceleration(work):
    def s(q):
        return q[2] * along(q)

    def foot(q):
        return turned(q[0]) @ (0, D, H)

    def around(w, r):
        return cross(w, cross(w, r))

    def total(q, qd, qdd):
        return terms(q, qd, qdd).sum(0)

    judged(work, "acceleration", states(work, 3), terms, [
        ("foot", "The foot moves on a circle about z, with the rate of a: two parts.", [
            (lambda q, qd, qdd: qdd[0] * cross(Z, foot(q)), "The foot moves on a circle: the part towards the axis is "
             "missing."),
            (lambda q, qd, qdd: qd[0] ** 2 * around(Z, foot(q)), "The turntable slews faster or slower: the part along "
             "the circle is missing."),
            (lambda q, qd, qdd: qdd[0] * cross(Z, foot(q)) - qd[0] ** 2 * around(Z, foot(q)),
             "The part with the square of the rate points towards the axis."),
            (lambda q, qd, qdd: qdd[0] * cross(Z, foot(q)) + qd[0] * around(Z, foot(q)), "The rate of a counts with "
             "its square."),
            (lambda q, qd, qdd: cross(alpha_of(q, qd, qdd), foot(q)) + around(omega_of(q, qd), foot(q)),
             "The foot turns with the turntable alone, not with the ladder."),
            (total, "That is the sum: five vectors are asked for."),
        ]),
        ("Euler", "alpha crossed with the vector from the foot to the basket.", [
            (lambda q, qd, qdd: cross(omega_of(q, qdd), s(q)), "alpha has a third term, as the x axis of the turntable "
             "turns."),
            (lambda q, qd, qdd: cross(alpha_of(q, qd, qdd), foot(q) + s(q)), "The vector from the foot to the basket: "
             "the foot has its own term."),
            (lambda q, qd, qdd: cross(alpha_of(q, qd, qdd), along(q)), "A unit vector has no length: the basket is at "
             "the distance c."),
            (lambda q, qd, qdd: cross(omega_of(q, qd), s(q)), "That is a velocity: alpha is crossed with the vector, "
             "not omega."),
            (lambda q, qd, qdd: qdd[0] * cross(Z, s(q)), "alpha is that of the ladder, not that of the turntable."),
        ]),
        ("centripetal", "omega crossed with the cross product of omega and the vector from the foot.", [
            (lambda q, qd, qdd: -(omega_of(q, qd) @ omega_of(q, qd)) * s(q), "The square of omega times the distance "
             "holds if omega is across the ladder: here it is not. Write two cross products."),
            (lambda q, qd, qdd: around(omega_of(q, qd), foot(q) + s(q)), "The vector from the foot to the basket: the "
             "foot has its own term, and turns with the turntable alone."),
            (lambda q, qd, qdd: qd[0] ** 2 * around(Z, s(q)), "omega is that of the ladder: it has two parts."),
            (lambda q, qd, qdd: qd[0] ** 2 * around(Z, s(q)) + qd[1] ** 2 * around(turned(q[0]) @ X, s(q)),
             "Add the two angular velocities before you cross: the products of both rates are missing."),
            (lambda q, qd, qdd: cross(omega_of(q, qd), s(q)), "omega is crossed twice: that is a velocity."),
            (lambda q, qd, qdd: around(omega_of(q, qd), along(q)), "A unit vector has no length: the basket is at the "
             "distance c."),
            (lambda q, qd, qdd: -around(omega_of(q, qd), s(q)), "Its sign: the centripetal term points towards the "
             "axis. The centrifugal force of an observer points the other way."),
        ]),
        ("Coriolis", "Twice omega crossed with the relative velocity.", [
            (lambda q, qd, qdd: terms(q, qd, qdd)[3] / 2, "One half comes from the relative velocity, whose axes turn, "
             "the other from the carried one: where is the 2?"),
            (lambda q, qd, qdd: 2 * qd[0] * cross(Z, qd[2] * along(q)), "omega is that of the ladder: it is raised, "
             "too."),
            (lambda q, qd, qdd: -terms(q, qd, qdd)[3], "The order of the cross product: omega comes first."),
            (lambda q, qd, qdd: 2 * cross(omega_of(q, qd), qd[2] * s(q)), "The relative velocity has a *unit* vector "
             "in it."),
            (lambda q, qd, qdd: 2 * cross(omega_of(q, qd), parts(q, qd).sum(0)), "The *relative* velocity, not that in "
             "space."),
            (lambda q, qd, qdd: 2 * cross(omega_of(q, qd), parts(q, qd)[0]), "The *relative* velocity, not the carried "
             "one."),
            (lambda q, qd, qdd: 2 * cross(omega_of(q, qd), along(q)), "The rate of c is missing."),
        ]),
        ("relative", "The second derivative of c, along the ladder.", [
            (lambda q, qd, qdd: qdd[2] * Y, "These are components in the axes of the ladder: ground components are "
             "asked for."),
            (lambda q, qd, qdd: qdd[2] * s(q), "The second derivative of c times a *unit* vector along the ladder."),
            (lambda q, qd, qdd: qd[2] * along(q), "That is the relative velocity."),
            (lambda q, qd, qdd: qdd[2] * turned(q[0]) @ Y, "The ladder is raised: its direction depends on b."),
            (total, "That is the sum: the relative acceleration is what somebody on the ladder sees."),
        ]),
    ])  # fmt: skip


@stage("The force along the ladder")
def push(work):
    def by(weight=1.0, mass=m, factors=(1, 1, 1, 1, 1), fall=lambda b: np.sin(b)):
        def found(q, qd, qdd):
            return float(mass * (np.array(factors) @ terms(q, qd, qdd) @ along(q) + weight * g * fall(q[1])))

        return found

    work.answers(
        "push", states(work, 3), by(), "Mass times acceleration less weight, and of that the component along the "
                                       "ladder.",
        [(by(weight=0.0), "The weight is missing: the ladder also carries the basket."),
         (by(weight=-1.0), "The weight points down: it pulls the basket back along the ladder, and the force of the "
                           "ladder holds against it."),
         (by(fall=np.cos), "Along the ladder the weight has the component m g sin b."),
         (by(fall=lambda b: 1.0), "The weight is not along the ladder: take its component."),
         (by(mass=1.0), "That is an acceleration: times the mass of the basket."),
         (by(factors=(0, 0, 0, 0, 1)), "The relative acceleration alone does not count: in Newton's law it is that in "
                                       "space."),
         (by(factors=(0, 0, 0, 0, 0)), "That holds at rest: the basket accelerates."),
         (by(factors=(1, 1, 0, 1, 1)), "The centripetal term has a component along the ladder."),
         (by(factors=(0, 1, 1, 1, 1)), "The foot accelerates, and the basket with it."),
         (by(factors=(1, 1, -1, 1, 1)), "The centripetal term counts as it is: a centrifugal force is on the other "
                                        "side of the equation."),
         (by(factors=(-1, -1, -1, -1, 1)), "The basket's acceleration in space is the sum of all five terms."),
         (by(factors=(1, 1, 1, 1, 0)), "The relative acceleration is missing."),
         (lambda q, qd, qdd: float(np.linalg.norm(m * (terms(q, qd, qdd).sum(0) + g * Z))),
          "That is the size of the whole force: its component along the ladder is asked for."),
         (lambda q, qd, qdd: float(m * (terms(q, qd, qdd).sum(0)[2] + g)), "That is the vertical component: the one "
                                                                           "along the ladder is asked for."),
         (lambda q, qd, qdd: float(q[2] * m * (terms(q, qd, qdd).sum(0) + g * Z) @ along(q)),
          "Multiply by a *unit* vector along the ladder.")])  # fmt: skip
