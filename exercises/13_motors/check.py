"""Checks of exercise 13."""

from math import cos, sin

import numpy as np

from easydyn import inertia_tensor
from easydyn.course import stage
from easydyn.motor import Motor

M, L, W, G = 1.8, 0.6, 7.0, 9.81
J = M * L**2 / 3


def six(work):
    """Takes the six components of a motor."""
    return lambda came: np.array(work.a(Motor, came, "a Motor").motion_vector, dtype=float)


def vectors(work, count):
    return tuple(tuple(work.draw(3, -2, 2)) for _ in range(count))


@stage("The moment about another point")
def moment(work):
    def made(formula):
        return lambda g, h, r: formula(*map(np.array, (g, h, r)))

    work.answers(
        "moment", [vectors(work, 3) for _ in range(3)], made(lambda g, h, r: h + np.cross(g, r)),
        "It is the field of velocities of a rigid body: h and something that g does at r.",
        mistakes=[(made(formula), said) for formula, said in (
            (lambda g, h, r: h + np.cross(r, g), "The order of the vector product: it is g x r, as omega x r."),
            (lambda g, h, r: h, "That is the moment about the origin: r is missing."),
            (lambda g, h, r: np.cross(g, r), "The moment about the origin is missing: h is what remains at r = 0."),
            (lambda g, h, r: np.cross(r, g), "The moment about the origin is missing, and the order is g x r."),
            (lambda g, h, r: h + g * r, "g x r is a vector product, not one element by element."),
            (lambda g, h, r: h + g @ r, "g x r is a vector product: a scalar product is a number."),
            (lambda g, h, r: g + np.cross(h, r), "g and h are exchanged: the resultant g is crossed with r."),
            (lambda g, h, r: h + np.cross(h, r), "The resultant g is crossed with r, not the moment h."),
            (lambda g, h, r: np.cross(g, h + r), "h is added after the product: h + g x r."),
            (lambda g, h, r: h - g, "The moment depends on the point: r is missing."),
        )])


@stage("A point of the screw's axis")
def axis(work):
    def across(g, r):
        """The foot on the axis of the perpendicular from the origin, if r is on the axis."""
        g, r = np.array(g), np.array(r)
        return r - g * (g @ r) / (g @ g)

    def made(formula):
        return lambda g, h: across(g, formula(np.array(g), np.array(h)))

    def ask(g, h):
        r = work.vector(work.call("point_of_axis", g, h))
        work.called += ", less its part along g"
        return across(g, r)

    work.answers(
        "point_of_axis({}, {})", [vectors(work, 2) for _ in range(3)],
        made(lambda g, h: np.cross(g, h) / (g @ g)), "At this point the moment is not along g: it has a part across.",
        ask=ask, wanted="that of a point of the axis",
        mistakes=[(made(formula), said) for formula, said in (
            (lambda g, h: np.cross(h, g) / (g @ g),
             "The sign: with this point the part across g becomes twice as large."),
            (lambda g, h: np.cross(g, h), "Divide it by g . g: its unit is that of a length then."),
            (lambda g, h: np.cross(h, g), "Divide it by g . g, and mind the sign: g x h."),
            (lambda g, h: np.cross(g, h) / np.linalg.norm(g), "Divide it by g . g, not by the length of g."),
            (lambda g, h: np.cross(g, h) / (h @ h), "Divide it by g . g: the axis is along g."),
            (lambda g, h: np.cross(g, h) / (g @ h), "Divide it by g . g: g . h is the pitch, but for a factor."),
            (lambda g, h: h / (g @ g), "A point where the moment is along g is across both g and h: a vector "
                                       "product."),
            (lambda g, h: h, "That is the moment about the origin: a place is asked for."),
            (lambda g, h: 0 * g, "That is a point of the axis only if the moment about the origin is along g."),
        )])


@stage("The momentum of a body")
def momentum(work):
    def made(formula):
        """By the momentum of the centre of mass, I w, and c x m v."""
        def function(m, c, I, w, v):
            tensor = np.array([[I[i, j] for j in range(3)] for i in range(3)], dtype=float)
            c, w, v = map(np.array, (c, w, v))
            return np.concatenate(formula(m, c, w, v, tensor @ w))
        return function

    bodies = []
    for _ in range(3):
        (m,), (c, w, v) = work.draw(1, 1.5, 3), vectors(work, 3)
        bodies.append((m, c, inertia_tensor(*work.draw(3, 3, 6)), w, v))
    work.answers(
        "momentum", bodies,
        made(lambda m, c, w, v, Iw: (m * (v + np.cross(w, c)), Iw + m * np.cross(c, v))),
        "m times the velocity of the centre of mass; and I w with what the motion of the origin adds.",
        take=six(work),
        mistakes=[(made(formula), said) for formula, said in (
            (lambda m, c, w, v, Iw: (m * v, Iw + m * np.cross(c, v)),
             "The momentum is that of the centre of mass, which moves otherwise than the origin."),
            (lambda m, c, w, v, Iw: (m * v, Iw),
             "That would be right with the centre of mass in the origin: c is missing."),
            (lambda m, c, w, v, Iw: (m * (v + np.cross(c, w)), Iw + m * np.cross(c, v)),
             "The order of the vector product in the momentum: w x c."),
            (lambda m, c, w, v, Iw: (m * (v + np.cross(w, c)), Iw),
             "The angular momentum about the origin: what m v at c has about it is missing."),
            (lambda m, c, w, v, Iw: (m * (v + np.cross(w, c)), Iw - m * np.cross(c, v)),
             "The sign of what m v at c adds: a moment is c x (m v)."),
            (lambda m, c, w, v, Iw: (m * (v + np.cross(w, c)), Iw + np.cross(c, m * (v + np.cross(w, c)))),
             "I is about the origin: what w does at c is in I w already, so that only m v is left."),
            (lambda m, c, w, v, Iw: (m * (v + np.cross(w, c)), Iw + np.cross(c, v)),
             "The mass is missing in c x (m v)."),
            (lambda m, c, w, v, Iw: (v + np.cross(w, c), Iw + m * np.cross(c, v)), "The mass is missing in the "
                                                                                   "momentum."),
            (lambda m, c, w, v, Iw: (m * v + np.cross(w, c), Iw + m * np.cross(c, v)),
             "The mass multiplies the whole velocity of the centre of mass: brackets."),
            (lambda m, c, w, v, Iw: (m * (v + np.cross(w, c)), m * np.cross(c, v)), "I w is missing in the angular "
                                                                                    "momentum."),
            (lambda m, c, w, v, Iw: (Iw + m * np.cross(c, v), m * (v + np.cross(w, c))),
             "The halves are exchanged: first the momentum, then the angular momentum."),
            (lambda m, c, w, v, Iw: (m * np.cross(w, c), Iw + m * np.cross(c, v)), "m v is missing in the momentum."),
        )])


def inputs(work, size):
    return work.inputs(4, size)


def motor(*turn):
    return np.array([*turn, 0, 0, 0])


@stage("The velocity of the rod")
def velocity(work):
    work.answers(
        "velocity", inputs(work, 2), lambda q, qd: motor(qd, W * sin(q), W * cos(q)),
        "Two rotations about lines through the hinge: column and rod. The moment is zero.", take=six(work),
        mistakes=[
            (lambda q, qd: motor(qd, 0, W), "The vertical is no axis of the rod: turn it into its axes."),
            (lambda q, qd: motor(qd, -W * sin(q), W * cos(q)),
             "The vertical is turned the wrong way: the rod has turned by q, so what stands still turns back, as seen "
             "from it."),
            (lambda q, qd: motor(qd, W * cos(q), W * sin(q)),
             "Sine and cosine: at q = 0 the vertical is z of the rod."),
            (lambda q, qd: motor(qd, 0, 0), "The rotation of the column is missing."),
            (lambda q, qd: motor(0, W * sin(q), W * cos(q)), "The rotation about the hinge is missing."),
            (lambda q, qd: motor(-qd, W * sin(q), W * cos(q)), "The sign of qd: q is positive about the hinge, x."),
            (lambda q, qd: motor(q, W * sin(q), W * cos(q)), "The rate of the angle, qd, not the angle."),
            (lambda q, qd: motor(qd, sin(q), cos(q)), "The rate of the column, W, is missing."),
            (lambda q, qd: motor(0, qd + W * sin(q), W * cos(q)), "The hinge is along x."),
            (lambda q, qd: np.array([0, 0, 0, qd, W * sin(q), W * cos(q)]),
             "The halves are exchanged: the resultant of a velocity is the rotation."),
            (lambda q, qd: np.array([qd, W * sin(q), W * cos(q), -W * sin(q) * L / 2, qd * L / 2, 0]),
             "The origin is the hinge, which is at rest: that is the velocity of the centre of mass."),
        ])


@stage("Its rate")
def rate(work):
    work.answers(
        "rate", inputs(work, 3), lambda q, qd, qdd: motor(qdd, W * qd * cos(q), -W * qd * sin(q)),
        "The derivatives of the components in part 4.", take=six(work),
        mistakes=[
            (lambda q, qd, qdd: motor(qdd, 0, 0), "W is constant, its components in the axes of the rod are not."),
            (lambda q, qd, qdd: motor(qdd, -W * qd * cos(q), W * qd * sin(q)),
             "The sign of the product: the column's motor times the hinge's."),
            (lambda q, qd, qdd: motor(qdd, W * cos(q), -W * sin(q)),
             "The chain rule: sin q has the rate qd cos q."),
            (lambda q, qd, qdd: motor(0, W * qd * cos(q), -W * qd * sin(q)),
             "The acceleration about the hinge is missing."),
            (lambda q, qd, qdd: motor(qdd, W * qd * cos(q), W * qd * sin(q)),
             "The sign: the derivative of the cosine is minus the sine."),
            (lambda q, qd, qdd: motor(qdd, qd * cos(q), -qd * sin(q)), "The rate of the column, W, is missing."),
            (lambda q, qd, qdd: motor(qd, W * qd * cos(q), -W * qd * sin(q)), "The rate of qd is qdd."),
            (lambda q, qd, qdd: motor(qdd, W * sin(q), W * cos(q)), "The components of the column's rotation are to be "
                                                                    "differentiated, too."),
            (lambda q, qd, qdd: motor(qdd, W * qd * sin(q), -W * qd * cos(q)),
             "The derivative of the sine is the cosine."),
            (lambda q, qd, qdd: motor(qdd, 2 * W * qd * cos(q), -2 * W * qd * sin(q)),
             "Once, not twice: the rates of components, not an acceleration."),
        ])


@stage("The equation of motion")
def equation(work):
    def made(formula):
        return lambda q, qd, qdd: formula(
            q, qd, J * qdd, -J * W**2 * sin(q) * cos(q), M * G * L / 2 * sin(q))

    work.answers(
        "residual", inputs(work, 3), made(lambda q, qd, inertia, thrown, weight: inertia + thrown + weight),
        "p' + v x p less the weight, and of that the part along the hinge.",
        mistakes=[(made(formula), said) for formula, said in (
            (lambda q, qd, inertia, thrown, weight: inertia + weight,
             "v x p is missing: the rod turns with the column, and is thrown out."),
            (lambda q, qd, inertia, thrown, weight: inertia - thrown + weight,
             "The order of the outer product: v x p."),
            (lambda q, qd, inertia, thrown, weight: inertia + thrown - weight,
             "The sign of the weight: it is taken off, and points downwards."),
            (lambda q, qd, inertia, thrown, weight: inertia + thrown,
             "The weight is missing, or it is along an axis of the rod: downwards is the vertical of part 4, turned "
             "round."),
            (lambda q, qd, inertia, thrown, weight: inertia + thrown + 2 * weight,
             "The weight acts at half the length."),
            (lambda q, qd, inertia, thrown, weight: inertia + thrown + weight / M,
             "The mass is missing in the weight."),
            (lambda q, qd, inertia, thrown, weight: inertia + thrown + weight / G,
             "g is missing in the weight: the rod falls with 9.81 m/s²."),
            (lambda q, qd, inertia, thrown, weight: thrown + weight, "p' is missing: the dyad applied to the rates."),
            (lambda q, qd, inertia, thrown, weight: -inertia - thrown - weight,
             "All signs are turned: what the motion needs, less what acts."),
            (lambda q, qd, inertia, thrown, weight: inertia / J + thrown + weight,
             "p' is the rate of the momentum: the dyad is missing before the rates."),
            (lambda q, qd, inertia, thrown, weight: inertia / 4 + thrown / 4 + weight,
             "J is about the hinge, as the dyad is: m l²/3."),
            (lambda q, qd, inertia, thrown, weight: inertia + thrown + M * G * L / 2 * cos(q),
             "The weight has no moment about the hinge when the rod hangs."),
        )])
