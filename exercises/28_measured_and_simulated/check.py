"""Checks of exercise 28."""

from functools import cache
from math import isnan, nan, pi, sqrt

import numpy as np

from easydyn import GeneralizedForce, Model, lab, tdisp, trotz
from easydyn.course import stage

m, g = 0.2, 9.81


@stage("From pixels to metres")
def metres(work):
    inputs = [(*work.draw(2, 100, 900), *work.draw(1, 200, 700), tuple(work.draw(2, 200, 500))) for _ in range(3)]

    def by(x=1.0, y=-1.0, shifted=True, power=-1):
        def found(u, v, scale, origin):
            a, b = origin if shifted else (0, 0)
            return np.array([x * (u - a), y * (v - b)]) * float(scale) ** power

        return found

    work.answers(
        "metres", inputs, by(), "Subtract the origin, divide by the scale, and turn v round.",
        [(by(y=1.0), "In a picture v goes down: y has the other sign."),
         (by(x=-1.0, y=1.0), "Signs: u grows to the right as x does, v grows downwards."),
         (by(shifted=False), "The origin is missing: x and y begin there."),
         (by(y=1.0, shifted=False), "The origin is missing, and v goes down."),
         (by(power=1), "px divided by px/m are m."),
         (by(power=0), "These are pixels: divide by the scale."),
         (lambda u, v, scale, origin: np.array([u / scale - origin[0], origin[1] - v / scale]),
          "The origin is in px: subtract it before you divide."),
         (lambda u, v, scale, origin: by()(u, v, scale, origin)[::-1], "x first, then y."),
         (lambda u, v, scale, origin: np.array([u - origin[1], origin[0] - v]) / scale, "The origin "
          "is a pair (u, v): its two numbers are exchanged.")],
        take=lambda came: work.array(np.array(work.several(came, 2, "x, y")), (2,)))


@stage("Residuals without gaps")
def residuals(work):
    inputs = []
    for gaps in ((1, 4), (0, 3), (2, 5)):
        measured = work.draw(6, 0.5, 2)
        for k in gaps:
            measured[k] = nan
        inputs.append((measured, work.draw(6, 0.5, 2)))

    def by(change=lambda a, b: a - b):
        return lambda *given: np.array([change(a, b) for a, b in zip(*given) if not isnan(a)])

    def together(measured, simulated):
        """The gaps left out of one list alone."""
        kept = [a for a in measured if not isnan(a)]
        return np.array([a - b for a, b in zip(kept, simulated)])

    for given in inputs:
        came = work.call("residuals", *given)
        listed = isinstance(came, list | tuple | np.ndarray)
        work.require(not listed or not any(isinstance(x, float) and isnan(x) for x in came),
                     "There are gaps left: leave out what is nan. (nan is not equal to nan: isnan tells.)",
                     came=came, expected=by()(*given))  # fmt: skip
        work.require(not listed or len(came) < len(given[0]), "A gap is no residual of zero, and no measured zero: "
                     "leave it out.", came=came, expected=by()(*given))  # fmt: skip
    work.answers(
        "residuals", inputs, by(), "Measured less simulated, where there is a measured value.",
        [(by(lambda a, b: b - a), "Measured less simulated: yours have the other sign."),
         (together, "The gaps are out of one list alone: after them each value meets the wrong one."),
         (by(lambda a, b: abs(a - b)), "Residuals have a sign."),
         (by(lambda a, b: (a - b) ** 2), "These are squares: the residuals themselves are asked for."),
         (by(lambda a, b: (a - b) / a), "Residuals are differences, in the unit of what was measured."),
         (by(lambda a, b: a), "These are the measured values: subtract the simulated ones.")])


def series(work, count=3, length=8):
    return [work.draw(length, -1, 1.3) for _ in range(count)]


@stage("The noise")
def noise(work):
    inputs = [(r, unknowns) for r, unknowns in zip(series(work), (2, 3, 5))]

    def by(count=lambda n, M: n - M, root=True, mean=False):
        def found(r, unknowns):
            r = np.array(r) - (np.mean(r) if mean else 0)
            variance = float(r @ r) / count(len(r), unknowns)
            return sqrt(variance) if root else variance

        return found

    work.answers(
        "noise", inputs, by(), "The root of the sum of squares, divided by how many values are left over.",
        [(by(lambda n, M: n), "The fit has used up some of the values: divide by N less the unknowns."),
         (by(lambda n, M: n - 1), "N - 1 is for one unknown: here there are as many as `unknowns` says."),
         (by(lambda n, M: 1), "The variance is a mean: divide by N less the unknowns."),
         (by(lambda n, M: n + M), "Divide by N less the unknowns."),
         (by(lambda n, M: n - M - 1), "The mean is known to be zero: it is no further unknown."),
         (by(root=False), "That is the variance: the standard deviation is its root."),
         (by(root=False, count=lambda n, M: n), "That is the mean square: the root is missing, and the unknowns."),
         (by(mean=True), "The mean of the noise is zero: do not subtract that of the residuals."),
         (by(lambda n, M: n - 1, mean=True), "That is the scatter about the mean: the mean is zero, and the fit has "
                                             "several unknowns."),
         (lambda r, unknowns: float(np.mean(np.abs(r))), "That is the mean of the sizes: squares are asked for.")])


@stage("How much residuals follow each other")
def correlation(work):
    def by(below=lambda r: r @ r, lag=1, above=None):
        def found(r):
            r = np.array(r)
            top = float(r[lag:] @ r[:-lag]) if above is None else float(above(r))
            return top / float(below(r))

        return found

    work.answers(
        "correlation", [(r,) for r in series(work)], by(), "Each residual times the next one, over all squares.",
        [(by(lag=2), "That is from one instant to the next but one."),
         (by(below=lambda r: r[1:] @ r[1:]), "The sum below is over all residuals, the first one, too."),
         (by(below=lambda r: r[:-1] @ r[:-1]), "The sum below is over all residuals, the last one, too."),
         (by(below=lambda r: 1.0), "Divide by the sum of the squares."),
         (by(below=lambda r: len(r) - 1), "That is a mean of products: divide by the sum of the squares."),
         (by(below=lambda r: np.sqrt(r @ r)), "The sum of the squares, without a root."),
         (by(above=lambda r: r @ np.roll(r, 1)), "The last residual has no next one: the first does not follow it."),
         (by(above=lambda r: (r[1:] - r.mean()) @ (r[:-1] - r.mean()), below=lambda r: (r - r.mean()) @ (r - r.mean())),
          "The mean of the noise is zero: do not subtract that of the residuals."),
         (lambda r: float(np.corrcoef(r[1:], r[:-1])[0, 1]), "numpy's corrcoef takes two means and two sizes: write "
                                                             "the sums of the statement.")])


@stage("The scale of a film")
def scale(work):
    inputs = [(*work.draw(1, 150, 450), *work.draw(1, 0.9, 2.2)) for _ in range(3)]

    def by(length=lambda T: g * (T / (2 * pi)) ** 2):
        return lambda radius, period: radius / length(period)

    work.answers(
        "scale", inputs, by(), "The period tells the length in m; the radius is the same length in px.",
        [(lambda radius, period: by()(1.0, period) ** -1 / radius, "That is in m/px: how many pixels has a metre?"),
         (lambda radius, period: 1 / by()(1.0, period), "That is the length in m: divide the radius by it."),
         (by(lambda T: g * (T / (2 * pi))), "The period is 2 pi times the root of l/g: square it."),
         (by(lambda T: g * T**2), "A whole period has the angle 2 pi."),
         (by(lambda T: g * (T / pi) ** 2), "That is half a period: a period goes there and back."),
         (by(lambda T: (T / (2 * pi)) ** 2 / g), "l/g is the square, so g multiplies it."),
         (by(lambda T: (T / (2 * pi)) ** 2), "g is missing."),
         (by(lambda T: g * (2 * pi / T) ** 2), "That is g times the square of the angular frequency: g divided by it "
                                               "is the length."),
         (by(lambda T: 1.5 * g * (T / (2 * pi)) ** 2), "That is a rod: here all mass is at the end of the string."),
         (lambda radius, period: radius, "That is in px: the period tells how long it is in m.")])


def made():
    model = Model("pendulum", gravity=(0, -g, 0))
    (q,) = model.coordinates("q", initial=0.6)
    length, c = model.parameters(length=0.5, c=0.01)
    bob = model.body("bob", trotz(q) * tdisp(0, -length, 0), mass=m, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, -c * q.dot))
    return model, bob


@cache
def found(t, x, y, scaled=True):
    """Length and scale by a fit."""
    model, bob = made()
    camera = lab.Camera(model, scale=1.0, origin=(0, 0), y_up=True, fixed=["origin", "angle"])
    data = {"t": np.array(t), "bob x": np.array(x), "bob y": np.array(y)}
    unknowns = ["length", "c", "q", "q.dot", *(camera.unknowns if scaled else ())]
    fit = model.fit(data, unknowns, to=camera.sees(bob.T.e, "bob"))
    return fit["length"], fit["camera_scale"] if scaled else 1.0


@stage("The length and the factor")
def fitted(work):
    model, bob = made()
    (l, c), (q, qd), (factor,) = work.draw(2, 0.53, 0.58), work.draw(2, 0.4, 0.7), work.draw(1, 1.04, 1.12)
    start = {"q": q, "q.dot": qd}
    run = model.simulate(2, parameters={"length": l, "c": c / 40}, initial=start, save_every=0.05, method="dop853")
    place = factor * run.of(list(bob.T.e))[:, :2]
    place[12:18] = nan
    columns = tuple(tuple(round(float(value), 6) for value in column) for column in (run.t, *place.T))

    def by(change=lambda l, s: (l, s), **options):
        return lambda *given: np.array(change(*found(*map(tuple, given), **options)))

    work.answers(
        "fitted", [columns], lambda *given: np.array([l, factor]),
        "Fit length, c, q, q.dot and camera_scale to both columns; the period tells the length.",
        [(by(change=lambda l, s: (s, l)), "The length first, then the factor."),
         (by(change=lambda l, s: (l * s, s)), "That is the length in the picture: the fit's own is in m."),
         (by(change=lambda l, s: (l, 1 / s)), "That is how long the stick was: x and y are too large by the inverse."),
         (by(change=lambda l, s: (l, s - 1)), "A factor: 1 if nothing is wrong."),
         (by(change=lambda l, s: (0.5, 1.0)), "These are the guesses: take what the fit has found, fit[\"length\"]."),
         (by(scaled=False), "That is the fit without a scale: the camera is part of the model.")],
        tolerance=2e-3, take=lambda came: work.array(np.array(work.several(came, 2, "length, factor")), (2,)),
        wanted="the length (m) and the factor")  # fmt: skip
