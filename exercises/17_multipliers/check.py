"""Checks of exercise 17."""

from math import cos, exp, sin, sqrt

import numpy as np

from easydyn.course import stage

M1, M2, L, G = 2.0, 0.7, 0.9, 9.81
REDUCED = M1 * M2 / (M1 + M2)


def relative(q, qd):
    q, qd = np.array(q), np.array(qd)
    return q[2:] - q[:2], qd[2:] - qd[:2]


def states(work, count, closed=False):
    """States of the beads; `closed`: on the rod, and staying there."""
    found = []
    for _ in range(count):
        x, y, angle = *work.draw(2, -1, 1), *work.draw(1, -3, 3)
        u, v, turn, along, size = *work.draw(2, -1, 1), *work.draw(1, 1.5, 4), *work.draw(1, 0.3, 1.2), *work.draw(1,
            1.1, 1.5)
        size, along = (1, 0) if closed else (size, along)
        d = size * L * np.array([cos(angle), sin(angle)])
        rate = turn * np.array([-d[1], d[0]]) + along * d
        found.append(((x, y, x + d[0], y + d[1]), (u, v, u + rate[0], v + rate[1])))
    return found


@stage("The equation of the rod")
def loop(work):
    def by(g=lambda d, v: d @ d - L**2, J=lambda d, v: 2 * d, gamma=lambda d, v: 2 * v @ v, both=-1):
        def made(q, qd):
            d, v = relative(q, qd)
            return np.concatenate([[g(d, v)], both * J(d, v), J(d, v), [gamma(d, v)]])

        return made

    def taken(came):
        g, J, gamma = work.several(came, 3, "g, J, gamma")
        J = work.array(J, (4,), "four numbers, the derivatives with respect to x1, y1, x2, y2")
        return np.concatenate([[work.number(work.array(g, ()))], J, [work.number(work.array(gamma, ()))]])

    def turned(q, qd):
        d, v = relative(q, qd)
        return np.concatenate([[d @ d - L**2], -2 * d, 2 * d, [4 * d @ v]])

    def whole(q, qd):
        both = by()(q, qd)
        return both[0], both[1:5], both[5]

    work.right("loop", whole)
    work.answers(
        "loop", states(work, 3), by(), "g = d . d - L², its derivatives with respect to x1, y1, x2, y2, and what g'' "
                                       "has "
                                       "beside the accelerations.",
        [(by(J=lambda d, v: d), "The derivative of a square has a factor 2: J."),
         (by(both=1), "d = r2 - r1: with respect to x1 and y1 the sign is another one."),
         (by(J=lambda d, v: -2 * d), "The sign of J: d is the second place less the first."),
         (by(gamma=lambda d, v: 0), "gamma is not zero: J changes while the beads move."),
         (by(gamma=lambda d, v: v @ v), "The factor 2 of gamma is missing."),
         (by(gamma=lambda d, v: -2 * v @ v), "The sign of gamma: it stands on the left side, beside J qdd."),
         (by(gamma=lambda d, v: 2 * d @ v), "That is g', the rate of the gap: gamma is what its derivative has beside "
                                            "the accelerations."),
         (by(gamma=lambda d, v: 2 * d @ d), "gamma has the rates in it, not the places."),
         (by(g=lambda d, v: sqrt(d @ d) - L), "That is the distance less L: g is d . d - L²."),
         (by(g=lambda d, v: d @ d), "L² is missing in g."),
         (by(g=lambda d, v: L**2 - d @ d), "The sign of g: d . d - L²."),
         (by(g=lambda d, v: d @ d - L), "L is to be squared in g."),
         (turned, "gamma has two rates in each term: that is twice g'."),
         (by(J=lambda d, v: 2 * v), "J has the places in it: the derivatives of g with respect to the coordinates.")],
        take=taken)  # fmt: skip


def system(work, n, m):
    A = np.array(work.draw(n * n)).reshape(n, n)
    M = np.round(A @ A.T + np.diag(work.draw(n, 1, 3)), 3)
    return M, np.array(work.draw(n, -3, 3)), np.array(work.draw(m * n)).reshape(m, n), np.array(work.draw(m, 1, 3))


@stage("Accelerations and multipliers")
def solve(work):
    def solved(M, h, J, gamma, force=1, right=1, rest=1, weight=True):
        n, m = len(M), len(J)
        A = np.block([[M if weight else np.eye(n), -force * J.T], [J, np.zeros((m, m))]])
        return np.linalg.solve(A, -np.concatenate([right * h, rest * gamma]))

    def by(**how):
        return lambda *given: solved(*given, **how)

    def unbound(M, h, J, gamma):
        return np.concatenate([-np.linalg.solve(M, h), 0 * gamma])

    def whole(M, h, J, gamma):
        M, h, J, gamma = map(np.array, (M, h, J, gamma))
        both = solved(M, h, J, gamma)
        return both[: len(M)], both[len(M) :]

    work.right("solve", whole)
    sizes = {"n": 0, "m": 0}

    def taken(came):
        parts = work.several(came, 2, "qdd, lambda")
        n, m = sizes["n"], sizes["m"]
        return np.concatenate([np.atleast_1d(work.array(parts[0], (n,), f"{n} accelerations")),
                               np.atleast_1d(work.array(parts[1], (m,), f"{m} multipliers"))])  # fmt: skip

    inputs = [system(work, 4, 2), system(work, 4, 2)]
    for chosen in (inputs, [system(work, 3, 1), system(work, 5, 3)]):
        for given in [chosen] if chosen is inputs else [[one] for one in chosen]:
            sizes["n"], sizes["m"] = len(given[0][0]), len(given[0][2])
            work.answers(
                "solve", given, solved, "Two equations, with qdd and lambda together as the unknowns of one linear "
                                        "system.",
                [(by(force=-1), "The sign of lambda: M qdd + h = J^T lambda has it on the right."),
                 (by(rest=0), "gamma is missing: J qdd is -gamma, not zero."),
                 (by(rest=-1), "The sign of gamma: J qdd + gamma = 0."),
                 (by(right=-1), "The sign of h: M qdd = -h + J^T lambda."),
                 (by(right=0), "h is missing."),
                 (by(right=-1, rest=-1), "The signs of h and gamma: both go to the right side, with a minus."),
                 (by(weight=False), "The mass matrix is missing."),
                 (by(force=-1, right=-1), "The signs of h and of lambda: M qdd + h = J^T lambda."),
                 (by(force=-1, rest=-1), "The signs of gamma and of lambda: M qdd + h = J^T lambda, J qdd + gamma = "
                                         "0."),
                 (unbound, "That is the open mechanism, without the loop."),
                 (lambda *x: np.roll(solved(*x), len(x[2])), "The accelerations first, the multipliers then.")],
                take=taken)  # fmt: skip


@stage("The force in the rod")
def pull(work):
    def by(formula):
        return lambda q, qd: formula(*relative(q, qd))

    def force(d, v):
        return REDUCED * (v @ v) / L

    work.answers(
        "pull", states(work, 3, closed=True), by(force),
        "J^T lambda are the forces of the rod on the beads, four numbers: take the length of those on one bead.",
        [(by(lambda d, v: -force(d, v)), "The sign: for lambda < 0 the force on the second bead, 2 d lambda, points "
                                         "towards the first one: the rod pulls."),
         (by(lambda d, v: -force(d, v) / (2 * L)), "That is the multiplier: the force on a bead is its part of J^T "
                                                   "lambda."),
         (by(lambda d, v: force(d, v) / (2 * L)), "That is the multiplier, but for its sign: the force on a bead is "
                                                  "its "
                                                  "part of J^T lambda."),
         (by(lambda d, v: force(d, v) / L), "The length of 2 d lambda is 2 L lambda."),
         (by(lambda d, v: -force(d, v) / 2), "The part of J for one bead is 2 d: a 2 is missing, and the sign."),
         (by(lambda d, v: M2 * (v @ v) / L), "That would be the force if the first bead stood still."),
         (by(lambda d, v: M1 * (v @ v) / L), "That would be the force if the second bead stood still."),
         (by(lambda d, v: force(d, v) * sqrt(2)), "That is the norm of all four numbers: take those of one bead."),
         (by(lambda d, v: 0), "The rod is not without a force: the beads turn about each other."),
         (by(lambda d, v: force(d, v) + REDUCED * G * d[1] / L), "The weight of the second bead is missing in h."),
         (by(lambda d, v: M2 * (v @ v) / L - M2 * G * d[1] / L), "That is a pendulum on a bead that stands still."),
         (by(lambda d, v: force(d, v) - (REDUCED * G * d[1] / L)), "Of the two weights in h the first is missing, or "
                                                                   "the "
                                                                   "second is too large."),
         (by(lambda d, v: force(d, v) * sqrt(2) / (2 * L)), "Take J^T lambda, and of it the part of one bead.")])


@stage("How a gap goes on")
def opening(work):
    inputs = [(*pair, alpha, t) for pair, alpha, t in zip(
        [(1.2, 0.7), (0.8, -1.3), (-0.6, 0.9), (1.1, 0.4)], [*work.draw(3, 0.5, 2), 0.0], work.draw(4, 0.4,
            1.3))]  # fmt: skip
    inputs = [(a + da, b + db, alpha, t) for (a, b, alpha, t), da, db in zip(inputs, work.draw(4, 0, 0.2),
                                                                            work.draw(4, 0, 0.2))]  # fmt: skip

    def right(g0, gd0, alpha, t):
        return (g0 + (gd0 + alpha * g0) * t) * exp(-alpha * t)

    work.answers(
        "opening", inputs, right, "Solve the differential equation: its characteristic equation has a double root.",
        [(lambda g0, gd0, alpha, t: g0 + gd0 * t, "That is without Baumgarte's terms: alpha is missing."),
         (lambda g0, gd0, alpha, t: (g0 + gd0 * t) * exp(-alpha * t), "At the time 0 its rate is not gd0: the "
                                                                     "exponential has a rate, too."),
         (lambda g0, gd0, alpha, t: g0 * exp(-alpha * t), "The rate at the start is missing, and the second solution, "
                                                          "with t."),
         (lambda g0, gd0, alpha, t: g0 * (1 + alpha * t) * exp(-alpha * t), "The rate at the start, gd0, is missing."),
         (lambda g0, gd0, alpha, t: right(g0, gd0, -alpha, t), "The sign of alpha: the gap has to fall."),
         (lambda g0, gd0, alpha, t: g0 * cos(alpha * t) + (gd0 * sin(alpha * t) / alpha if alpha else gd0 * t),
          "That swings: the term 2 alpha g' damps it."),
         (lambda g0, gd0, alpha, t: g0, "The gap changes with time."),
         (lambda g0, gd0, alpha, t: (g0 + (gd0 + alpha * g0) * t) * exp(-2 * alpha * t), "The root is -alpha, not "
                                                                                       "-2 alpha."),
         (lambda g0, gd0, alpha, t: g0 * exp(-alpha * t) + gd0 * t, "Both solutions fall with exp(-alpha t).")],
        tolerance=1e-6)  # fmt: skip


@stage("Closing the loop")
def closed(work):
    inputs = [(q,) for q, _ in states(work, 3)]

    def moved(q, first, second, times=50, J=None):
        """Steps with shares of the correction that belong to the beads."""
        q = np.array(q)
        for _ in range(times):
            d = q[2:] - q[:2]
            step = d * (d @ d - L**2) / (2 * d @ d * (first + second))
            q = q + np.concatenate([first * step, -second * step])
        return q

    work.answers(
        "closed", inputs, lambda q: moved(q, 1 / M1, 1 / M2),
        "Do g and J change from step to step, and are the masses in both places?",
        [(lambda q: moved(q, 1 / M1, 1 / M2, 1), "One step closes it to first order only: repeat it, with g and J "
                                                 "anew."),
         (lambda q: moved(q, 1, 1, 1), "One step closes it to first order only; and the masses are missing."),
         (lambda q: moved(q, 1, 1), "Both beads have moved by the same: the masses are missing."),
         (lambda q: moved(q, M1, M2), "The heavy bead has moved more: M and its inverse are exchanged."),
         (lambda q: moved(q, 0, 1), "Only the second bead has moved."),
         (lambda q: moved(q, 1, 0), "Only the first bead has moved."),
         (lambda q: moved(q, 1 / M1, 1 / M2, 2), "After two steps the loop is not closed to 1e-10: go on."),
         (lambda q: np.array(q), "Nothing has moved.")], tolerance=1e-9)  # fmt: skip


@stage("Rates that keep it closed")
def rates_closed(work):
    def by(first, second, sign=1.0, whole=False, power=1):
        def made(q, qd):
            d, v = relative(q, qd)
            step = d * (d @ v) / (d @ d) ** power / (first + second)
            change = np.concatenate([first * step, -second * step])
            return change if whole else np.array(qd) + sign * change

        return made

    a, b = 1 / M1, 1 / M2
    work.answers(
        "rates_closed", states(work, 3), by(a, b),
        "J qd must be zero after it, and the momentum of both beads together what it was.",
        [(by(1, 1), "Both beads have changed by the same: the masses are missing, and the momentum is not kept."),
         (by(M1, M2), "The heavy bead has changed more: M and its inverse are exchanged."),
         (by(0, 1), "Only the second bead has changed: the momentum is not kept."),
         (by(1, 0), "Only the first bead has changed: the momentum is not kept."),
         (by(a, b, -1), "The sign of the change: J qd has become twice as large."),
         (by(a, b, whole=True), "That is the change alone: add it to the rates."),
         (by(a, b, 2), "Now the beads go the other way along the rod: the change is twice too large."),
         (by(a, b, 0.5), "The factors 2 of J: J qd is halved only."),
         (lambda q, qd: np.array(qd), "Nothing has changed."),
         (lambda q, qd: np.array(qd) * 0, "The beads stand still: only what opens the loop is to be taken away."),
         ])  # fmt: skip
