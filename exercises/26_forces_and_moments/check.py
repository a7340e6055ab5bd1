"""Checks of exercise 26."""

from math import cos, sin

import numpy as np

from easydyn.course import stage

m1, m2, l, g = 4.0, 2.0, 1.2, 9.81


def turning(P, F, Q, first=1.0, second=1.0):
    """The moment about Q, with signs that may be wrong."""
    return first * (P[0] - Q[0]) * F[1] - second * (P[1] - Q[1]) * F[0]


def pairs(work, count):
    return [tuple(work.draw(2, 0.2, 2)) for _ in range(count)]


@stage("The moment of a force")
def moment(work):
    inputs = [tuple(pairs(work, 3)) for _ in range(3)]
    work.answers(
        "moment", inputs, turning, "The arm goes from Q to P; the moment is x Y - y X of arm and force.",
        [(lambda P, F, Q: turning(P, F, (0, 0)), "That is the moment about the origin: the arm begins at Q."),
         (lambda P, F, Q: turning(Q, F, P), "The arm goes from Q to P: yours goes from P to Q."),
         (lambda P, F, Q: turning(P, F, Q, second=-1), "The second product of the cross product has a minus."),
         (lambda P, F, Q: turning(P, F, Q, second=0), "The component of the force along x turns, too."),
         (lambda P, F, Q: turning(P, F, Q, first=0), "The component of the force along y turns, too."),
         (lambda P, F, Q: (P[0] - Q[0]) * F[0] + (P[1] - Q[1]) * F[1], "That is the dot product: the part of the "
                                                                       "force across the arm turns."),
         (lambda P, F, Q: (P[0] - Q[0]) * F[0] - (P[1] - Q[1]) * F[1], "Each component of the force turns with the "
                                                                       "other component of the arm."),
         (lambda P, F, Q: turning(P, F, (-Q[0], -Q[1])), "The arm is P less Q, not P plus Q."),
         (lambda P, F, Q: float(np.hypot(P[0] - Q[0], P[1] - Q[1]) * np.hypot(*F)), "That holds where the force is "
                                                                                    "at right angles to the arm.")])


def all_of(points, forces, Q, turns=turning):
    X, Y = np.sum(forces, axis=0)
    return np.array([X, Y, sum(turns(P, F, Q) for P, F in zip(points, forces))])


def middle(points, forces, Q):
    """With the resultant at the mean of the points."""
    X, Y = np.sum(forces, axis=0)
    return np.array([X, Y, turning(np.mean(points, axis=0), (X, Y), Q)])


@stage("The resultant")
def resultant(work):
    inputs = [(pairs(work, 3), pairs(work, 3), pairs(work, 1)[0]) for _ in range(3)]

    def last(change):
        return lambda points, forces, Q: np.append(all_of(points, forces, Q)[:2], change(points, forces, Q))

    work.answers(
        "resultant", inputs, all_of, "Add the forces, and add their moments about Q.",
        [(lambda points, forces, Q: all_of(points, forces, (0, 0)), "The moment is about the origin: Q is asked for."),
         (middle, "The resultant does not act at the mean of the points: add the moments one by one."),
         (last(lambda points, forces, Q: sum(turning(P, F, (0, 0)) for P, F in zip(points, forces))
               + turning(Q, np.sum(forces, axis=0), (0, 0))), "To go from the origin to Q, take off Q x R."),
         (last(lambda points, forces, Q: 0.0), "The moments are missing: each force has one about Q."),
         (last(lambda points, forces, Q: turning(points[0], np.sum(forces, axis=0), Q)),
          "The forces act at different points: each has its own arm."),
         (last(lambda points, forces, Q: turning(points[0], forces[0], Q)), "That is the moment of the first force: "
                                                                            "add those of all."),
         (lambda points, forces, Q: all_of(points, forces, Q)[[2, 0, 1]], "The resultant first, then the moment."),
         (lambda points, forces, Q: all_of(points, forces, Q) / len(forces), "A resultant is the sum, not the mean."),
         (lambda points, forces, Q: all_of(points[-1:], forces[-1:], Q), "Only the last force has been counted: add "
                                                                         "them all.")],
        take=lambda came: work.array(np.array(work.several(came, 3, "X, Y, M")), (3,)))


@stage("The line of action")
def line(work):
    inputs = [(X, Y, M) for (X, Y), (M, _) in ((pairs(work, 1)[0], pairs(work, 1)[0]) for _ in range(3))]

    def by(x, y, of=lambda X, Y: X**2 + Y**2):
        return lambda X, Y, M: np.array([x(X, Y) * M, y(X, Y) * M]) / of(X, Y)

    right = by(lambda X, Y: Y, lambda X, Y: -X)
    work.answers(
        "line", inputs, right, "Two conditions: the resultant there has the moment M, and the way there is across it.",
        [(by(lambda X, Y: -Y, lambda X, Y: X),
         "The resultant has the moment -M there: the point is on the other side."),
         (by(lambda X, Y: X, lambda X, Y: Y), "That is along the resultant: there it has no moment at all."),
         (by(lambda X, Y: Y, lambda X, Y: X),
          "The way to the point is at right angles to the resultant: yours is not."),
         (by(lambda X, Y: Y, lambda X, Y: -X, lambda X, Y: np.hypot(X, Y)), "Divide by the square of the resultant: "
          "one length makes the direction, the other one the distance."),
         (by(lambda X, Y: Y, lambda X, Y: -X, lambda X, Y: 1.0), "Divide by the square of the resultant."),
         (by(lambda X, Y: 1 / Y, lambda X, Y: 0.0, lambda X, Y: 1.0), "That is where the line meets the x axis: the "
                                                                      "nearest point is asked for."),
         (by(lambda X, Y: 0.0, lambda X, Y: -1 / X, lambda X, Y: 1.0), "That is where the line meets the y axis: the "
                                                                       "nearest point is asked for."),
         (by(lambda X, Y: 1 / Y, lambda X, Y: -1 / X, lambda X, Y: 1.0), "These are the intercepts of two axes: one "
                                                                         "point is asked for.")],
        take=lambda came: work.array(np.array(work.several(came, 2, "x, y")), (2,)))


def between(q, v, xa, qa, arm=0.5, turns=1.0, centripetal=1.0, weight=1.0, cart=1.0):
    """The force on the rod, with factors that may be wrong."""
    ax = cart * xa + arm * l * (turns * qa * cos(q) - centripetal * v**2 * sin(q))
    ay = arm * l * (turns * qa * sin(q) + centripetal * v**2 * cos(q))
    return m2 * np.array([ax, ay + weight * g])


def motions(work):
    """q, v, xa, qa; with both signs of q."""
    return [(q, *work.draw(1, 0.5, 2), *work.draw(2, -3, 3))
            for q in (*work.draw(2, 0.2, 1.2), *work.draw(1, -1.2, -0.2))]


@stage("The force in the pin")
def pin(work):
    def by(**options):
        return lambda *given: between(*given, **options)

    work.answers(
        "pin", motions(work), by(),
         "m2 times the acceleration of the rod's centre of mass is the force of the pin plus "
                                    "the weight.",
        [(lambda *given: -between(*given), "That is the force of the rod on the trolley: the opposite is asked for."),
         (by(weight=-1.0), "The weight points down: the pin has to carry it, with a plus."),
         (by(weight=0.0), "The weight is missing in the free body of the rod."),
         (by(arm=1.0), "The centre of mass is at half the length of the rod."),
         (by(arm=0.0), "The centre of mass moves relative to the pin: its acceleration has l/2 in it."),
         (by(centripetal=0.0), "The rod turns: the terms with v² are missing."),
         (by(centripetal=-1.0), "The terms with v² point from the centre of mass to the pin."),
         (by(turns=0.0), "The terms with qa are missing."),
         (by(turns=-1.0), "The sign of the terms with qa: differentiate the position of the centre of mass."),
         (by(cart=0.0), "The pin accelerates with the trolley: xa is missing."),
         (lambda *given: between(*given) / m2, "That is an acceleration: times the mass of the rod."),
         (lambda *given: between(*given) * m1 / m2, "The free body is the rod: its mass is m2."),
         (lambda *given: between(*given) * (m1 + m2) / m2, "The free body is the rod alone: its mass is m2."),
         (lambda q, v, xa, qa: between(q, v**0.5, xa, qa), "The rate v counts with its square.")],
        take=lambda came: work.array(np.array(work.several(came, 2, "X, Y")), (2,)))
    work.right("pin", lambda *given: tuple(map(float, between(*given))))


@stage("The force of the rail")
def rail(work):
    def by(change):
        return lambda *given: change(*between(*given))

    work.answers(
        "rail", motions(work), by(lambda X, Y: m1 * g + Y), "The rail carries the trolley's weight, and what the rod "
                                                            "pulls downwards.",
        [(by(lambda X, Y: m1 * g - Y),
         "Action and reaction: the rod pulls the trolley down where the trolley pulls the "
                                       "rod up."),
         (by(lambda X, Y: Y), "The weight of the trolley is missing."),
         (by(lambda X, Y: m1 * g), "The rod is missing: it pulls on the trolley."),
         (by(lambda X, Y: (m1 + m2) * g), "That is at rest: the rod accelerates, so that it pulls with another force "
                                          "than its weight."),
         (by(lambda X, Y: (m1 + m2) * g + Y), "The weight of the rod is in the force of the pin already."),
         (by(lambda X, Y: Y - m1 * g), "The weight of the trolley points down: the rail carries it, with a plus."),
         (by(lambda X, Y: m1 * g + X), "The rail is along x: its force balances what is along y."),
         (by(lambda X, Y: m1 + Y), "A mass is no force: its weight is m1 g."),
         (by(lambda X, Y: m1 * g + float(np.hypot(X, Y))), "Only the component of the pin's force along y counts.")])


@stage("The generalised forces")
def generalised(work):
    inputs = [(q, *work.draw(1, 3, 20)) for q in (*work.draw(2, 0.3, 1.3), *work.draw(1, -1.3, -0.3))]

    def by(Qx=lambda q, u: u, Qq=lambda q, u: -m2 * g * l / 2 * sin(q)):
        return lambda q, u: np.array([Qx(q, u), Qq(q, u)])

    work.answers(
        "generalised", inputs, by(), "The power of push and weights is Qx times the rate of x plus Qq times that of q.",
        [(by(Qq=lambda q, u: m2 * g * l / 2 * sin(q)), "The weight turns the rod back to hanging: the sign of Qq."),
         (by(Qq=lambda q, u: -m2 * g * l / 2 * cos(q)), "q is counted from hanging: there the weight has no moment."),
         (by(Qq=lambda q, u: -m2 * g * l * sin(q)), "The weight acts at the middle of the rod, l/2."),
         (by(Qq=lambda q, u: -m2 * g * sin(q)), "That is a force: the generalised force of an angle is a moment."),
         (by(Qq=lambda q, u: -m2 * l / 2 * sin(q)), "g is missing: masses have weights m g."),
         (by(Qq=lambda q, u: u * l / 2 * cos(q) - m2 * g * l / 2 * sin(q)),
          "The push does not move if q alone changes: "
                                                                            "it is no part of Qq."),
         (by(Qq=lambda q, u: -(m1 + m2) * g * l / 2 * sin(q)), "The trolley does not rise when the rod turns: its "
                                                               "weight has no power."),
         (by(Qx=lambda q, u: 0.0), "The push has power when x changes."),
         (by(Qx=lambda q, u: u - (m1 + m2) * g), "Weights are across x: they have no power in it."),
         (by(Qx=lambda q, u: u - m2 * g * sin(q)), "The weight is across x: it has no power when x alone changes."),
         (by(Qx=lambda q, u: u / (m1 + m2)), "That is an acceleration: a generalised force is asked for."),
         (by(Qq=lambda q, u: 0.0), "The weight of the rod has power when q changes."),
         (by(Qq=lambda q, u: m2 * g * l / 2 * (1 - cos(q))), "That is the potential energy: differentiate it by q."),
         (by(Qq=lambda q, u: -m2 * g * l / 2 * q), "That holds for small angles: take sin q.")],
        take=lambda came: work.array(np.array(work.several(came, 2, "Qx, Qq")), (2,)))
