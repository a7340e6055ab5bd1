"""Checks of exercise 16."""

from math import acos, atan2, cos, hypot, sin

import numpy as np

from easydyn.course import stage

R0, R1, R2, R3 = 1.1, 0.35, 0.9, 0.7


def ends(a, b, c, second=None):
    """Places of the ends of coupler and rocker; `second` is the angle of the coupler against x."""
    second = a + b if second is None else second
    crank, coupler = R1 * np.array([cos(a), sin(a)]), R2 * np.array([cos(second), sin(second)])
    return crank, coupler, np.array([R0, 0]), R3 * np.array([cos(c), sin(c)])


@stage("Degrees of freedom by counting")
def count(work):
    def integers(low, high, count=1):
        return [int(x) for x in work.rng.integers(low, high, count)]

    inputs = [(*integers(3, 7), integers(1, 3, 5), 3), (*integers(4, 9), integers(3, 6, 7), 6),
              (*integers(5, 8), integers(1, 3, 4), 3)]  # fmt: skip
    work.answers(
        "count", inputs, lambda bodies, taken, each: each * bodies - sum(taken),
        "All moving bodies are free at first; each joint takes away what the list says.",
        [(lambda bodies, taken, each: each * (bodies - 1) - sum(taken), "The ground is none of `bodies`: nothing is to "
                                                                        "be taken off for it."),
         (lambda bodies, taken, each: each * bodies - sum(each - x for x in taken), "`taken` says what a joint takes "
                                                                                    "away, not what it leaves."),
         (lambda bodies, taken, each: each * bodies - len(taken), "That is the number of joints: add up what they take "
                                                                  "away."),
         (lambda bodies, taken, each: each * bodies - 2 * len(taken), "Not every joint is a hinge of the plane: add up "
                                                                      "the list."),
         (lambda bodies, taken, each: 3 * bodies - sum(taken), "In space a body has six freedoms: `each` says so."),
         (lambda bodies, taken, each: 6 * bodies - sum(taken), "In the plane a body has three freedoms: `each` says "
                                                               "so."),
         (lambda bodies, taken, each: each * bodies, "What the joints take away is missing."),
         (lambda bodies, taken, each: each * bodies + sum(taken), "Joints take freedoms away."),
         (lambda bodies, taken, each: bodies - sum(taken), "Each body has several freedoms: `each`.")])



@stage("The loop as two equations")
def gap(work):
    def by(formula, **angle):
        return lambda a, b, c: formula(*ends(a, b, c, **{k: f(a, b, c) for k, f in angle.items()}))

    work.answers(
        "gap", work.inputs(4, 3), by(lambda p, s, d, e: p + s - d - e),
        "From O along crank and coupler, less the way from O over D along the rocker.",
        [(by(lambda p, s, d, e: p + s - d - e, second=lambda a, b, c: b), "b is the angle against the crank: against "
                                                                         "the x axis the coupler has a + b."),
         (by(lambda p, s, d, e: p + s - d - e, second=lambda a, b, c: b - a), "Against the x axis the coupler has a + "
                                                                             "b: the crank carries it along."),
         (by(lambda p, s, d, e: p + s - d - e, second=lambda a, b, c: a - b), "b is positive from x towards y, as a: "
                                                                             "against the x axis it is a + b."),
         (by(lambda p, s, d, e: p + s - e), "The hinge of the rocker is not in the origin: D is at (r0, 0)."),
         (by(lambda p, s, d, e: p + s + d - e), "The sign of r0: D is on the right."),
         (by(lambda p, s, d, e: p + s - d + e), "The sign of the rocker: from D it leads to its end."),
         (by(lambda p, s, d, e: s - d - e), "The crank is missing: the coupler begins at its end."),
         (by(lambda p, s, d, e: p - d - e), "The coupler is missing."),
         (by(lambda p, s, d, e: p + s - d), "The rocker is missing: that is the way from D to the end of the coupler."),
         (by(lambda p, s, d, e: p + s), "That is the end of the coupler alone."),
         (by(lambda p, s, d, e: (p + s - e)[::-1] - d), "Sine and cosine are exchanged: at the angle 0 a rod lies "
                                                        "along x."),
         (by(lambda p, s, d, e: (p + s - d - e)[::-1]), "x first, y then."),
         (by(lambda p, s, d, e: p + s - d[::-1] - e), "D is at (r0, 0): on the x axis.")],
        take=lambda came: work.several(came, 2, "x, y"))  # fmt: skip


@stage("The Jacobian")
def jacobian(work):
    def columns(a, b, c):
        p, s, _, e = ends(a, b, c)
        return [np.array([-v[1], v[0]]) for v in (p + s, s, -e)]

    def by(change):
        return lambda a, b, c: np.column_stack(change(*columns(a, b, c)))

    work.answers(
        "jacobian", work.inputs(3, 3), by(lambda x, y, z: (x, y, z)),
        "A column for each angle: what the gap does when this angle alone changes.",
        [(by(lambda x, y, z: (x - y, y, z)), "When a changes, the coupler turns as well: its angle is a + b."),
         (by(lambda x, y, z: (x, x, z)), "When b changes, the crank stands still."),
         (by(lambda x, y, z: (x, y, -z)), "The sign of the last column: the rocker is subtracted in the gap."),
         (by(lambda x, y, z: (x, y, 0 * z)), "The gap depends on c, too."),
         (by(lambda x, y, z: (y, x, z)), "The order of the columns is a, b, c."),
         (by(lambda x, y, z: (x, z, y)), "The order of the columns is a, b, c."),
         (by(lambda x, y, z: [v * (-1, 1) for v in (x, y, z)]), "The derivative of the cosine is minus the sine."),
         (by(lambda x, y, z: [v * (1, -1) for v in (x, y, z)]), "The derivative of the sine is the cosine: its sign "
                                                                "stays."),
         (by(lambda x, y, z: [v[::-1] * (1, -1) for v in (x, y, z)]), "That is not differentiated: sine and cosine "
                                                                      "are still those of the gap."),
         (by(lambda x, y, z: [v[::-1] for v in (x, y, z)]), "The first row is that of x, the second that of y.")])


@stage("What a Jacobian leaves")
def freedoms(work):
    inputs = []
    for rows, unknowns, rank in ((4, 6, 3), (3, 7, 3), (5, 4, 2), (2, 5, 1)):
        J = np.array(work.draw(rows * rank)).reshape(rows, rank) @ np.array(work.draw(rank * unknowns)).reshape(rank,
            -1)
        inputs.append((J,))

    def rank(J):
        return np.linalg.matrix_rank(J)

    work.answers(
        "freedoms", inputs, lambda J: J.shape[1] - rank(J),
        "Coordinates less independent equations.",
        [(lambda J: J.shape[1] - J.shape[0], "That counts all equations: some follow from others here. Only "
                                             "independent ones take a freedom away."),
         (lambda J: rank(J), "That is what the equations take away: what do they leave?"),
         (lambda J: J.shape[0] - rank(J), "Those are the equations that follow from others. Take the coordinates: the "
                                          "columns."),
         (lambda J: max(J.shape[1] - J.shape[0], 0), "That counts all equations: some follow from others here."),
         (lambda J: J.shape[0], "That is the number of equations."),
         (lambda J: J.shape[1], "That is the number of coordinates, before there are equations."),
         (lambda J: min(J.shape) - rank(J), "Take the coordinates, the columns: also where there are fewer rows.")],
        tolerance=1e-9)  # fmt: skip


@stage("The angle of the rocker")
def rocker(work):
    def closed(a, way, side=1, power=1, low=1, mirrored=1):
        px, py = R1 * cos(a), R1 * sin(a)
        u = R0 - px
        h, K = 2 * R3 * hypot(u, py), R2**2 - R3**2 - power * (u**2 + py**2)
        return atan2(-mirrored * py, side * u) * low + way * acos(max(-1, min(1, K / h)))

    def heading(c):
        return np.array([cos(c), sin(c)])

    def by(formula):
        return lambda a, way: heading(formula(a, way))

    def missing(a, way):
        return closed(a, way, low=0)

    def coupler(a, way):
        px, py = R1 * cos(a), R1 * sin(a)
        c = closed(a, way)
        return atan2(R3 * sin(c) - py, R0 + R3 * cos(c) - px)

    inputs = [(a, way) for a, way in zip(work.draw(6, -3, 3), (1, -1) * 3)]
    work.answers(
        "rocker", inputs, by(closed), "With this angle the loop does not close: put it, and the angle of the coupler, "
                                      "into your gap.",
        [(by(lambda a, way: closed(a, -way)), "That is the other way to close the loop: for way = 1 the angle is "
                                              "greater than delta."),
         (by(lambda a, way: closed(a, 1)), "The answer does not depend on way: there are two."),
         (by(lambda a, way: closed(a, -1)), "The answer does not depend on way: there are two."),
         (by(missing), "That is the angle to the line from P to D: add the line's own, delta."),
         (by(lambda a, way: closed(a, 0)), "That is delta, the angle of the line from P to D: the rocker is turned "
                                           "against it."),
         (by(lambda a, way: closed(a, way, mirrored=-1)), "The sign of delta: the line from P to D is (u, -py)."),
         (by(lambda a, way: closed(a, way, side=-1)), "That is the direction from D to P in x: the line leads from P "
                                                      "to "
                                                      "D."),
         (by(lambda a, way: closed(a, way) + np.pi), "That is the opposite direction: the rocker leads from D to its "
                                                     "end."),
         (by(lambda a, way: closed(a, way, power=-1)), "The sign of u² + py²: they come over to the right side."),
         (by(lambda a, way: closed(a, way, power=0)), "u² + py² are missing on the right side."),
         (by(coupler), "That is the angle of the coupler."),
         (by(lambda a, way: np.degrees(closed(a, way))), "That is in degrees: radians everywhere."),
         (by(lambda a, way: -closed(a, way)), "Only the sign is wrong: yours is the opposite.")],
        take=lambda came: heading(work.number(came)),
            wanted="cosine and sine of an angle that closes the loop")  # fmt: skip


@stage("Does the crank turn fully?")
def turns(work):
    def right(r0, r1, r2, r3):
        return float(abs(r2 - r3) <= abs(r0 - r1) and r0 + r1 <= r2 + r3)

    def grashof(*r):
        return float(2 * (min(r) + max(r)) <= sum(r))

    mistakes = [
        (grashof, "Grashof's rule alone says that *some* rod turns fully: it may be another one."),
        (lambda r0, r1, r2, r3: float(grashof(r0, r1, r2, r3) and r1 == min(r0, r1, r2, r3)),
         "The crank turns fully, too, where the distance r0 is the shortest length."),
        (lambda r0, r1, r2, r3: float(r0 + r1 <= r2 + r3), "It must close where P is nearest, as well."),
        (lambda r0, r1, r2, r3: float(abs(r2 - r3) <= abs(r0 - r1)), "It must close where P is farthest, as well."),
        (lambda r0, r1, r2, r3: float(r2 - r3 <= abs(r0 - r1) and r0 + r1 <= r2 + r3),
         "The rocker may be longer than the coupler: take |r2 - r3|."),
        (lambda r0, r1, r2, r3: float(r1 == min(r0, r1, r2, r3)), "That the crank is the shortest is not enough."),
        (lambda r0, r1, r2, r3: 1 - right(r0, r1, r2, r3), "True and False are exchanged."),
        (lambda r0, r1, r2, r3: 1.0, "It does not always turn fully."),
        (lambda r0, r1, r2, r3: 0.0, "It turns fully in some cases."),
        (lambda r0, r1, r2, r3: float(abs(r0 - r1) <= abs(r2 - r3) and r0 + r1 <= r2 + r3),
         "The sides are exchanged: no side of a triangle is shorter than the difference of the two others."),
    ]  # fmt: skip
    inputs = [(1.2, 0.4, 1.0, 0.9)]  # lengths that tell all of these apart from what is right, and from each other
    functions = [right, *(function for function, _ in mistakes)]
    while len({tuple(f(*x) for x in inputs) for f in functions}) < len(functions) or len(inputs) < 12:
        more = tuple(work.draw(4, 0.2, 1.4))
        sums = abs(abs(more[2] - more[3]) - abs(more[0] - more[1])), abs(more[0] + more[1] - more[2] - more[3])
        if min(sums) > 0.02:
            inputs.append(more)
    first = next(x for x in inputs if right(*x) == 1)
    inputs.remove(first)

    def told(came):
        work.require(isinstance(came, bool | np.bool_) or came in (0, 1), "Return True or False.", came=came,
                     expected="True or False")
        return float(came)

    work.answers("turns", [first, *inputs], right,
                 "Draw the triangle of P, D and the end of the rocker, where P is nearest to D and where it is "
                 "farthest.",
                 mistakes, take=told, wanted="the other of True and False")
