"""Checks of exercise 24."""

from math import sqrt

import numpy as np

from easydyn import GeneralizedForce, Model, tdisp, trotz
from easydyn.course import stage

m, l, g = 1.5, 0.8, 9.81


def lists(work, count, length, low, high):
    """So many lists of random numbers."""
    return [work.draw(length, low, high) for _ in range(count)]


@stage("One run in each stratum")
def strata(work):
    inputs = [
        (u, [int(k) for k in np.argsort(work.draw(len(u), 0, 1))])
        for u in lists(work, 3, 5, 0.1, 0.9)
    ]

    def each(place):
        return lambda u, order: [place(x, k, i, len(u)) for i, (x, k) in enumerate(zip(u, order))]

    work.answers(
        "strata", inputs, each(lambda x, k, i, n: (k + x) / n),
        "Stratum k goes from k/N to (k + 1)/N, and u says where within it.",
        [(each(lambda x, k, i, n: k + x), "There are N strata between 0 and 1: each has the width 1/N."),
         (each(lambda x, k, i, n: (k + 0.5) / n), "That is the middle of each stratum: u says where within it."),
         (each(lambda x, k, i, n: k / n), "That is where each stratum begins: u says where within it."),
         (each(lambda x, k, i, n: k / n + x), "u runs from 0 to 1 within a stratum, which is 1/N wide."),
         (each(lambda x, k, i, n: (k + 1 + x) / n), "The strata are counted from 0."),
         (each(lambda x, k, i, n: (k - 1 + x) / n), "The strata are counted from 0."),
         (each(lambda x, k, i, n: (k + x) / (n - 1)), "There are N strata, not N - 1: the last one ends at 1."),
         (each(lambda x, k, i, n: (k + 1 - x) / n), "u is counted from where the stratum begins."),
         (each(lambda x, k, i, n: (i + x) / n), "Run i lies in stratum order[i], not in stratum i."),
         (lambda u, order: [(i + u[k]) / len(u) for i, k in enumerate(order)],
          "order says in which stratum a run lies, not which number it takes."),
         (lambda u, order: sorted((k + x) / len(u) for x, k in zip(u, order)), "The runs keep their order: do not "
                                                                            "sort them."),
         (lambda u, order: u, "That is chance alone: no stratum is used.")])


def made():
    model = Model("pendulum", gravity=(0, -g, 0))
    (q,) = model.coordinates("q")
    (c,) = model.parameters(c=0.1)
    model.body("point", trotz(q) * tdisp(0, -l, 0), mass=m, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, -c * q.dot))
    return model


@stage("A map of largest angles")
def swings(work):
    model, known = made(), {}

    def run(c, v, start="q.dot"):
        if (c, v, start) not in known:
            times = np.linspace(0, 3, 3001)
            known[c, v, start] = model.simulate(3, parameters={"c": c}, initial={start: v}, save_at=times,
                                                method="dop853", tolerance=1e-8)  # fmt: skip
        return known[c, v, start]

    def all_of(number, start="q.dot", c=lambda c: c):
        return lambda cs, vs: np.array([[number(run(c(damper), v, start)) for v in vs] for damper in cs])

    inputs = [(work.draw(2, 0.2, 0.8), work.draw(3, 1, 4)), (work.draw(2, 0.2, 0.8), work.draw(3, -4, -1))]
    work.answers(
        "swings", inputs, all_of(lambda r: r["q"].max()),
        "A study over c and q.dot, of which the largest q is kept; a row for each damper.",
        [(all_of(lambda r: r["q"].min()), "That is the smallest angle: Max keeps the largest."),
         (all_of(lambda r: r["q"][-1]), "That is the angle at the end, after 3 s: the largest one comes before."),
         (all_of(lambda r: r["q.dot"].max()), "That is the largest rate: the angle is asked for."),
         (all_of(lambda r: abs(r["q"]).max()), "That is the largest swing to either side: q has a sign, and the "
                                              "largest q is asked for."),
         (all_of(lambda r: r["q"].max(), "q"), "The rates are those at the start: over has \"q.dot\", not \"q\"."),
         (all_of(lambda r: r["q"].max(), c=lambda c: 0.1), "The damper is the same in all runs: c has to be in over."),
         (all_of(lambda r: r["q"].max(), c=lambda c: 0.0), "Nothing brakes: c has to be in over."),
         (all_of(lambda r: r["q"].max() - r["q"].min()), "That is how far it swings from one side to the other: the "
                                                        "largest q is asked for."),
         (lambda cs, vs: all_of(lambda r: r["q"].max())(cs, vs).T.reshape(len(cs), len(vs)),
          "The first name of over changes slowest: the shape is (dampers, rates); the order of the names matters.")],
        tolerance=2e-3)


def fits(work):
    """Residuals and derivatives of random fits."""
    return [(work.draw(6, -1, 1), [work.draw(3, -2, 2) for _ in range(6)]) for _ in range(3)]


def arrays(function):
    return lambda r, J: function(np.array(r), np.array(J))


@stage("A step of Gauss and Newton")
def step(work):
    def right(r, J):
        return -np.linalg.solve(J.T @ J, J.T @ r)

    work.answers(
        "step", fits(work), arrays(right), "The square of |r + J dx| has no slope there: J^T (r + J dx) = 0.",
        [(arrays(lambda r, J: -J.T @ r), "That is the direction downhill: how far to go is missing, by J^T J."),
         (arrays(lambda r, J: J.T @ r), "That is the gradient: the system with J^T J is not solved."),
         (arrays(lambda r, J: right(r, J) / 2), "The factor 2 of the gradient is on both sides, and goes."),
         (arrays(lambda r, J: -(J.T @ r) / np.diag(J.T @ J)), "Each unknown for itself is not enough: J^T J is not "
                                                             "diagonal."),
         (arrays(lambda r, J: (J.T @ J) @ right(right_side(r, J), np.eye(J.shape[1]))), "J^T J is on the other side: "
                                                                                      "solve with it."),
         (arrays(lambda r, J: -np.linalg.solve(J[: J.shape[1]], r[: J.shape[1]])), "These are the first M residuals "
                                                                                 "alone: all N count.")],
        )


def right_side(r, J):
    return J.T @ r


@stage("Standard errors")
def errors(work):
    def by(count=lambda N, M: N - M, root=True, full=True, noise=True):
        def made(r, J):
            A = J.T @ J
            inner = np.diag(np.linalg.inv(A)) if full else 1 / np.diag(A)
            variance = r @ r / count(*J.shape) if noise else 1.0
            return np.sqrt(variance * inner) if root else variance * inner

        return arrays(made)

    work.answers(
        "errors", fits(work), by(), "The roots of the diagonal of s² (J^T J)^-1, with s² = r.r/(N - M).",
        [(by(lambda N, M: N), "The fit has used up M of the N residuals: divide by N - M."),
         (by(lambda N, M: N - 1), "N - 1 is for one unknown: here there are M, divide by N - M."),
         (by(lambda N, M: 1), "The variance of the noise is a mean: divide by N - M."),
         (by(lambda N, M: N + M), "Divide by N - M: what is left after the fit."),
         (by(root=False), "These are variances: an error is the root."),
         (by(full=False), "The unknowns can stand in for each other: take the diagonal of the inverse of J^T J, not "
                          "the inverse of its diagonal."),
         (by(noise=False), "The noise is missing: its variance follows from the residuals."),
         (by(noise=False, root=False), "The noise and the root are missing."),
         (arrays(lambda r, J: np.sqrt(np.diag(J.T @ J) * (r @ r) / (len(r) - J.shape[1]))), "J^T J has to be inverted: "
          "the more the residuals depend on an unknown the better it is known."),
         (arrays(lambda r, J: (r @ r) / (len(r) - J.shape[1]) * np.sqrt(np.diag(np.linalg.inv(J.T @ J)))), "The root "
          "is to be taken of the noise's variance, too.")],
        )


@stage("What makes a sum scatter")
def shares(work):
    inputs = [(work.draw(3, 0.4, 3), work.draw(3, 0.3, 2)) for _ in range(3)]
    inputs = [([x * sign for x, sign in zip(a, (1, -1, 1))], w) for a, w in inputs]

    def of(part):
        def found(a, w):
            parts = [part(x, y) for x, y in zip(a, w)]
            return [one / sum(parts) for one in parts]

        return found

    work.answers(
        "shares", inputs, of(lambda a, w: (a * w) ** 2),
        "The variance of a x is a² times that of x, which grows with w²; the variances of the parts add up.",
        [(of(lambda a, w: abs(a * w)), "These are shares of what the parts may reach: variances are squares."),
         (of(lambda a, w: a * w), "Variances are squares, and never negative."),
         (of(lambda a, w: a**2), "How far each x scatters is missing: the widths."),
         (of(lambda a, w: w**2), "How much each x counts is missing: the a."),
         (of(lambda a, w: a**2 * w), "The variance of x grows with the square of w."),
         (of(lambda a, w: abs(a) * w**2), "The variance of a x has a²."),
         (lambda a, w: [(x * y) ** 2 for x, y in zip(a, w)], "Shares add up to 1: divide by the sum of the variances."),
         (lambda a, w: [(x * y) ** 2 / 12 for x, y in zip(a, w)], "These are variances: divide by their sum."),
         (lambda a, w: [sqrt(x) for x in of(lambda a, w: (a * w) ** 2)(a, w)], "Shares of the variance are asked for, "
                                                                             "not their roots."),
         (of(lambda a, w: (a / w) ** 2), "The wider the range, the more it scatters: w belongs above.")])


@stage("Sobol's indices")
def indices(work):
    inputs = [tuple(lists(work, 3, 6, -1, 3)) for _ in range(3)]

    def by(first=lambda a, b, x: np.mean(b * (x - a)), total=lambda a, b, x: np.mean((a - x) ** 2) / 2,
           variance=lambda a, b: np.var(np.concatenate([a, b])), turned=False):  # fmt: skip
        def made(a, b, x):
            a, b, x = map(np.array, (a, b, x))
            found = first(a, b, x) / variance(a, b), total(a, b, x) / variance(a, b)
            return np.array(found[::-1] if turned else found)

        return made

    work.answers(
        "indices", inputs, by(), "Both formulas, S and then T; V is the variance of yA and yB together.",
        [(by(turned=True), "S first, then T."),
         (by(variance=lambda a, b: 1.0), "The indices are shares of the variance: V is missing."),
         (by(variance=lambda a, b: np.var(a)), "V is the variance of yA and yB together, not that of yA."),
         (by(variance=lambda a, b: np.var(b)), "V is the variance of yA and yB together, not that of yB."),
         (by(variance=lambda a, b: np.var(np.concatenate([a, b]), ddof=1)), "V is the mean square of all 2N numbers: "
                                                                          "divide by 2N, not by 2N - 1."),
         (by(variance=lambda a, b: np.std(np.concatenate([a, b]))), "V is the variance, not its root."),
         (by(variance=lambda a, b: np.mean(np.concatenate([a, b]) ** 2)), "The variance is about the mean: take it off "
                                                                        "first."),
         (by(variance=lambda a, b: (np.var(a) + np.var(b)) / 2), "V is about the mean of all 2N numbers, not of each "
                                                                "half about its own."),
         (by(total=lambda a, b, x: np.mean((a - x) ** 2)), "The half of T is missing: both of the two scatter."),
         (by(first=lambda a, b, x: np.mean(a * (x - a))), "S has yB before the bracket: what draws have in common."),
         (by(first=lambda a, b, x: np.mean(b * (a - x))), "The sign of S: yM less yA."),
         (by(first=lambda a, b, x: np.mean(b * (x - b))), "In the bracket of S stands yM - yA."),
         (by(total=lambda a, b, x: np.mean((b - x) ** 2) / 2), "T compares yA and yM, which differ in that one name."),
         (by(total=lambda a, b, x: np.mean(a * (a - x))), "T is the mean of the squares (yA - yM)², halved."),
         (by(first=lambda a, b, x: np.sum(b * (x - a)), total=lambda a, b, x: np.sum((a - x) ** 2) / 2),
          "These are sums: the formulas have means, 1/N.")],
        take=lambda came: work.several(came, 2, "S, T"))
