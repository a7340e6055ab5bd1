"""Checks of exercise 25."""

from functools import cache
from math import acos, atan, atan2, cos, degrees, pi, sin

import numpy as np

from easydyn import Model, tdisp, trotz
from easydyn.course import stage

L1, L2, L3, m1, m2, m3, g = 0.5, 0.4, 0.15, 4.0, 3.0, 1.5, 9.81
KP, KD = np.array([100.0, 40.0, 6.0]), np.array([20.0, 6.0, 0.6])


def wrapped(angles):
    """The same attitudes, between -pi and pi."""
    return (np.array(angles, dtype=float) + pi) % (2 * pi) - pi


@cache
def reference():
    """The same arm of easydyn's: its mass matrix, its weight, its Jacobian."""
    model, T = Model("arm", gravity=(0, -g, 0)), tdisp(0, 0, 0)
    for k, (L, m) in enumerate(((L1, m1), (L2, m2), (L3, m3)), start=1):
        (q,) = model.coordinates(f"q{k}")
        middle = T * trotz(q) * tdisp(L / 2, 0, 0)
        model.body(f"rod {k}", middle, mass=m, inertia=(0, 0, m * L**2 / 12))
        T = middle * tdisp(L / 2, 0, 0)
    return model.compile(target="python"), T


def chain(q1, q2, q3):
    return trotz(q1) * tdisp(L1, 0, 0) * trotz(q2) * tdisp(L2, 0, 0) * trotz(q3) * tdisp(L3, 0, 0)


def pose_at(q):
    T = chain(*q)
    return np.array([float(T.matrix[0, 3]), float(T.matrix[1, 3]), sum(q)])


@stage("The frame of the hand")
def hand(work):
    work.answers(
        "hand", work.inputs(3, 3, -1.4, 1.4), chain,
        "For each rod a rotation, then a displacement along it; the next rod begins where that ends.",
        [(lambda a, b, c: tdisp(L1, 0, 0) * trotz(a) * tdisp(L2, 0, 0) * trotz(b) * tdisp(L3, 0, 0) * trotz(c),
          "The order of the products: each rod rotates first, then the way goes along it."),
         (lambda a, b, c: chain(a, b, c) * tdisp(-L3, 0, 0), "That is the wrist: the hand is at the end of the third "
                                                             "rod."),
         (lambda a, b, c: chain(a, b, c) * tdisp(-L3 / 2, 0, 0), "That is the middle of the third rod."),
         (lambda a, b, c: chain(a, b, c) * trotz(-a - b - c), "The frame of the hand rotates with the third rod: its x "
                                                              "axis is along it."),
         (lambda a, b, c: chain(a, b - a, c - b), "The angles are relative to the rod before: no angle is taken off."),
         (lambda a, b, c: chain(a, a + b, a + b + c),
          "Each factor is in the axes of those before it: the angles before are not added once more."),
         (lambda a, b, c: chain(a, b, 0), "The third rod rotates by q3."),
         (lambda a, b, c: chain(-a, -b, -c), "The angles are counted from x to y: yours have the other sense."),
         (lambda a, b, c: chain(a, b, c).inv(), "That is the ground as the hand sees it: the inverse.")])


def two(x, y, elbow, one=L1, other=L2, side=-1.0, outer=1.0, toward=atan2):
    q2 = elbow * acos(outer * (x**2 + y**2 - one**2 - other**2) / (2 * one * other))
    return toward(y, x) + side * atan2(other * sin(q2), one + other * cos(q2)), q2


def flat(y, x):
    """The direction to (x, y) by a student who takes atan."""
    return atan(y / x)


def wrists(work):
    """Points that two links reach, the first of them on the left; and both elbows."""
    for (low, high), elbow in zip(((1.9, 2.4), (-1.2, -0.3), (0.3, 1.2), (2, 2.5)), (1, -1, 1, -1), strict=True):
        (r,), (a,) = work.draw(1, 0.42, 0.54), work.draw(1, low, high)
        yield round(r * cos(a), 3), round(r * sin(a), 3), elbow


def angles(work, count, names):
    return lambda came: wrapped(work.array(np.array(work.several(came, count, names)), (count,)))


@stage("The angles of two links")
def two_links(work):
    def by(change=lambda q1, q2: (q1, q2), **options):
        return lambda x, y, elbow: wrapped(change(*two(x, y, elbow, **options)))

    work.answers(
        "two_links", list(wrists(work)), by(),
        "The law of cosines in the triangle of shoulder, elbow and end gives q2; q1 is the direction to the end less "
        "the angle between it and the first rod.",
        [(lambda x, y, elbow: wrapped(two(x, y, -elbow)), "That is the other elbow: `elbow` is the sign of q2."),
         (lambda x, y, elbow: wrapped(two(x, y, 1)),
          "That is always the elbow with a positive q2: `elbow` has no effect."),
         (lambda x, y, elbow: wrapped(two(x, y, -1)), "That is always the elbow with a negative q2: `elbow` has no "
                                                      "effect."),
         (by(outer=-1.0), "That is the angle between the rods in the triangle: q2 is counted from the stretched arm."),
         (by(lambda a, b: (a, pi - b)),
          "In q2 stands the angle of the triangle: q2 is counted from the stretched arm."),
         (by(side=1.0),
          "The sign of the angle between the first rod and the direction to the end: with a positive q2 the "
          "first rod lies below it."),
         (by(side=0.0), "q1 is the angle of the first rod, not the direction to the end."),
         (by(lambda a, b: (a, a + b)), "The second angle is to the ground: q2 is relative to the first rod."),
         (by(toward=flat), "atan cannot tell left from right: atan2(y, x) does."),
         (by(toward=lambda y, x: atan2(x, y)), "atan2 takes y first, then x."),
         (by(one=L2, other=L1), "The two lengths are exchanged: the first rod has L1."),
         (by(lambda a, b: (b, a)), "q1 first, then q2."),
         (lambda x, y, elbow: wrapped([degrees(q) for q in two(x, y, elbow)]), "That is in degrees: radians "
                                                                               "everywhere.")],
        take=angles(work, 2, "q1, q2"))


def three(x, y, phi, elbow, back=L3, swapped=False, last=lambda phi, a, b: phi - a - b):
    across = (sin(phi), cos(phi)) if swapped else (cos(phi), sin(phi))
    a, b = two(x - back * across[0], y - back * across[1], elbow)
    return a, b, last(phi, a, b)


@stage("The angles of three links")
def three_links(work):
    inputs = []
    for (x, y, elbow), phi in zip(wrists(work), work.draw(4, 0.3, 1.3), strict=True):
        phi = phi if elbow == 1 else -phi
        inputs.append((round(x + L3 * cos(phi), 3), round(y + L3 * sin(phi), 3), phi, elbow))

    def by(**options):
        return lambda *given: wrapped(three(*given, **options))

    work.answers(
        "three_links", inputs, by(), "The wrist is L3 behind the hand, along phi: two links reach it; the third angle "
                                     "completes phi.",
        [(by(back=0.0), "The first two rods bring the wrist to its place, not the hand: it is L3 behind the hand."),
         (by(back=-L3), "The sign: the wrist is behind the hand, not before it."),
         (by(back=L3 / 2), "The whole length of the third rod lies between wrist and hand."),
         (by(swapped=True), "Sine and cosine are exchanged in the way from the wrist to the hand."),
         (by(last=lambda phi, a, b: phi), "q3 is relative to the second rod: phi is to the ground."),
         (by(last=lambda phi, a, b: phi - b), "phi is the sum of all three angles: q1 is missing."),
         (by(last=lambda phi, a, b: phi - a), "phi is the sum of all three angles: q2 is missing."),
         (by(last=lambda phi, a, b: phi + a + b), "The sign of q1 + q2: all three angles together are phi."),
         (by(last=lambda phi, a, b: phi - a + b), "The sign of q2: all three angles together are phi."),
         (by(last=lambda phi, a, b: a + b - phi), "The sign of q3: all three angles together are phi."),
         (lambda x, y, phi, elbow: by()(x, y, phi, -elbow), "That is the other elbow: `elbow` is the sign of q2."),
         (lambda x, y, phi, elbow: by()(x, y, phi, 1), "`elbow` has no effect: pass it on.")],
        take=angles(work, 3, "q1, q2, q3"))


def levers(q):
    """Of each rod: along x, y from its joint to its end; of each joint: along x, y to the hand."""
    rods = np.array([L1, L2, L3]) * np.array([np.cos(np.cumsum(q)), np.sin(np.cumsum(q))])
    return *rods, *np.cumsum(rods[:, ::-1], axis=1)[:, ::-1]


def own(q1, q2, q3):
    """The Jacobian of easydyn's: velocity along x, y, and angular velocity about z."""
    system, hand = reference()
    return system.frame_jacobian(hand, 0, [q1, q2, q3])[[0, 1, 5]]


@stage("The Jacobian")
def jacobian(work):
    one = np.ones(3)

    def by(rows):
        return lambda *q: np.array(rows(*levers(q)))

    work.answers(
        "jacobian", work.inputs(3, 3, -1.4, 1.4), own,
        "Column k is the motion of the hand if joint k alone turns: across the line from that joint to the hand.",
        [(lambda *q: own(*q).T, "Rows and columns are exchanged: a row for each of x, y and phi."),
         (by(lambda lx, ly, x, y: (-ly, lx, one)), "If a joint turns, all rods beyond it move: each column has one rod "
                                                   "only."),
         (by(lambda lx, ly, x, y: (-np.cumsum(ly), np.cumsum(lx), one)),
          "What turns is beyond the joint, up to the hand: these are ways from the shoulder to the rods' ends."),
         (by(lambda lx, ly, x, y: (y, x, one)), "The sign of the first row: the derivative of a cosine."),
         (by(lambda lx, ly, x, y: (y, -x, one)), "The signs of the first two rows: angles are counted from x to y."),
         (by(lambda lx, ly, x, y: (x, y, one)),
          "These are the ways from the joints to the hand: a rotation moves the hand across them."),
         (by(lambda lx, ly, x, y: (-y, x, (0, 0, 1))), "phi is the sum of the angles: each joint turns the hand."),
         (by(lambda lx, ly, x, y: (-y, x, np.zeros(3))), "The third row is missing: each joint turns the hand."),
         (by(lambda lx, ly, x, y: (x, -y, one)), "The first two rows are exchanged: x first, then y."),
         (lambda *q: own(*q)[:, ::-1], "The columns have the order of the joints, from the shoulder."),
         (lambda a, b, c: own(a, b - a, c - b), "The second and third rod have the angles q1 + q2 and q1 + q2 + q3."),
         (lambda *q: np.linalg.inv(own(*q)), "That is the inverse: rates of the angles from those of the pose.")])


@stage("A damped step")
def step(work):
    inputs = []
    for k, q in enumerate(work.inputs(4, 3, -1.2, 1.2)):
        q = list(q)
        if k == 0:  # the attitudes are more than half a turn apart, unless a turn is taken off
            q = [round(abs(x) + 0.3, 3) for x in q]
        q[1] = q[1] if k < 3 else 0.0  # singular
        pose = [round(x + d, 3) for x, d in zip(pose_at(q), work.draw(3, -0.3, 0.3), strict=True)]
        if k == 0:
            pose[2] = round(pose[2] - 2 * pi + 0.4, 3)
        inputs.append((q, pose, round(work.draw(1, 0.1, 0.5)[0], 3)))

    def error(q, pose):
        e = np.array(pose) - pose_at(q)
        return np.append(e[:2], wrapped(e[2]))

    def by(formula, error=error):
        return lambda q, pose, damping: formula(own(*q), error(q, pose), damping)

    def least(J, e, d):
        return np.linalg.solve(J.T @ J + d**2 * np.eye(3), J.T @ e)

    def other(change):
        return by(least, lambda q, pose: change(error(q, pose)))

    work.answers(
        "step", inputs, by(least),
        "The derivative by the change is zero: (J^T J + damping^2) times the change is J^T e.",
        [(by(lambda J, e, d: np.linalg.solve(J, e)), "That is a Newton step without damping: it fails where J is "
                                                     "singular."),
         (by(lambda J, e, d: np.linalg.lstsq(J, e, rcond=None)[0]), "That is a step of least squares without damping."),
         (by(lambda J, e, d: np.linalg.solve(J.T @ J + d * np.eye(3), J.T @ e)), "The damping comes squared."),
         (by(lambda J, e, d: least(J, e, d) * d),
          "The factor before the change: the damping stands in the matrix alone."),
         (by(lambda J, e, d: J.T @ e), "That is the direction downhill: the system with J^T J + damping^2 is not "
                                       "solved."),
         (by(lambda J, e, d: np.linalg.solve(J + d * np.eye(3), e)), "The damping belongs to J^T J, not to J."),
         (by(lambda J, e, d: np.linalg.solve(J + d**2 * np.eye(3), e)), "The damping belongs to J^T J, not to J."),
         (by(lambda J, e, d: np.linalg.solve(J.T @ J + d**2 * np.eye(3), e)), "J^T is missing on the right side."),
         (by(lambda J, e, d: np.linalg.solve(J.T @ J + d**2 * np.eye(3), J @ e)),
          "On the right side stands J^T, not J."),
         (by(lambda J, e, d: np.linalg.solve(J @ J.T + d**2 * np.eye(3), J.T @ e)),
          "J^T J, not J J^T: the unknowns are changes of angles."),
         (by(lambda J, e, d: np.linalg.solve(J.T @ J + d**2, J.T @ e)),
          "The damping belongs to the diagonal: times the identity matrix."),
         (by(least, lambda q, pose: np.array(pose) - pose_at(q)),
          "The third number of e is more than half a turn: take off a whole turn."),
         (by(least, lambda q, pose: -error(q, pose)), "The sign of e: what is wanted less what is."),
         (other(lambda e: e * (1, 1, 0)), "The error of phi is missing in e."),
         (other(lambda e: e * (1, 1, -1)), "The sign of the third number of e: what is wanted less what is."),
         (by(lambda J, e, d: e), "That is the error of the pose: the change of the angles is asked for."),
         (lambda q, pose, damping: np.array(q) + by(least)(q, pose, damping),
          "These are the new angles: their change is asked for.")],
        take=lambda came: work.array(came, (3,), "three changes of angles"))


def weight(q, middle=0.5, whole=True):
    """The torques that hold the arm at rest."""
    x, _, _, _ = levers(q)
    about = [0.0, 0.0, 0.0]
    for k, m in enumerate((m1, m2, m3)):
        for joint in range(k + 1) if whole else (k,):
            about[joint] += m * g * (sum(x[joint:k]) + middle * x[k])
    return np.array(about)


@stage("Gravity compensation, and the way to the pose")
def torques(work):
    inputs = [(work.draw(3, -1.4, 1.4), work.draw(3, -1, 1), work.draw(3, -1.4, 1.4)) for _ in range(3)]

    def by(G=weight, at=lambda q, wanted: q, P=KP, D=KD):
        return lambda q, v, wanted: G(at(q, wanted)) + P * (np.array(wanted) - q) - D * np.array(v)

    work.answers(
        "torques", inputs, by(),
        "The torques that hold the arm at the angles q, KP times the errors, less KD times the rates.",
        [(by(lambda q: 0.0), "Nothing bears the weights: gravity compensation is missing."),
         (by(lambda q: -weight(q)), "The sign of the weights: that is what they do; the motors hold against them."),
         (by(at=lambda q, wanted: wanted), "That bears the weights at the pose that is wanted: the arm is at q."),
         (by(lambda q: weight(q, 1.0)), "The weights act at the middles of the rods, not at their ends."),
         (by(lambda q: weight(q, 0.0)), "The weights act at the middles of the rods, not at their joints."),
         (by(lambda q: weight(q, whole=False)), "A joint bears all rods beyond it, not its own rod only."),
         (by(lambda q: weight(q)[::-1]), "The order of the weights: the shoulder bears most."),
         (by(lambda q: weight((q[0], q[1] - q[0], q[2] - q[1]))),
          "The second and third rod have the angles q1 + q2 and q1 + q2 + q3 above the x axis."),
         (by(lambda q: weight((q[0] - pi / 2, *q[1:]))), "The angles are from the horizontal, not from hanging."),
         (by(lambda q: weight(q) / g), "g is missing: masses have weights m g."),
         (by(D=-KD), "The sign of KD: it brakes."),
         (by(P=-KP), "The sign of the error: what is wanted less what is."),
         (by(D=0.0), "Nothing damps: KD times the rates is missing."),
         (by(P=0.0), "Nothing brings the arm to the angles that are wanted: KP is missing."),
         (by(P=KD, D=KP), "KP and KD are exchanged."),
         (lambda q, v, wanted: weight(q), "That holds the arm at rest: what brings it to the pose is missing.")],
        take=lambda came: work.array(came, (3,), "three torques"))
    system, h = reference()[0], 0.04
    (x, y, elbow), (phi,) = next(wrists(work)), work.draw(1, 0.3, 1.3)
    pose = x + L3 * cos(phi), y + L3 * sin(phi), phi
    wanted = wrapped(three(*pose, elbow))
    q, v = wanted + work.draw(3, -0.8, 0.8), np.zeros(3)
    for _ in range(100):  # linearly implicit: the third rod is light, and its damper stiff
        torque = work.array(work.call("torques", list(q), list(v), list(wanted)), (3,), "three torques")
        force = torque - system.residual(0, q, v, np.zeros(3)) - h * KP * v
        v = v + h * np.linalg.solve(system.mass_matrix(0, q) + np.diag(h * KD + h**2 * KP), force)
        q = q + h * v
    missed = np.linalg.norm(pose_at(q)[:2] - pose[:2])
    work.called = "the arm after 4 s, driven by torques()"
    work.require(missed < 0.01,
    "It does not arrive.", came=f"{missed:.3g} m beside the pose", expected="less than 0.01 m")
