"""Checks of exercise 22."""

import numpy as np

from easydyn.course import stage

POINTS, WEIGHTS = (np.polynomial.legendre.leggauss(6)[k] / 2 for k in (0, 1))
POINTS = POINTS + 0.5


def line(s, L, order=0):
    """The shapes of the line, or their derivatives by x."""
    cubics = [[1, 0, -3, 2], [0, L, -2 * L, L], [0, 0, 3, -2], [0, 0, -L, L]]
    found = [np.polynomial.polynomial.polyder(c, order) if order else c for c in cubics]
    return np.array([np.polynomial.polynomial.polyval(s, c) for c in found]) / L**order


def integral(L, order):
    """Of products of two shapes, or of their derivatives, over the element: by Gauss's rule, which is exact."""
    N = line(POINTS, L, order)
    return L * (N * WEIGHTS) @ N.T


def lowest(K, M):
    return float(np.linalg.eigvals(np.linalg.solve(M, K)).real.min())


def drawn(work, *limits):
    return list(zip(*(work.draw(3, low, high) for low, high in limits)))


@stage("The shapes of the line")
def shapes(work):
    def changed(factors):
        return lambda s, L: line(s, L) * factors

    work.answers(
        "shapes",
        drawn(work, (0.15, 0.45), (1.3, 2.4)),
        line,
        "Each is a cubic: 1 in its own freedom at an end, 0 in the other three.",
        [
            (changed([1, 1, 1, -1]), "The sign of the last one: a positive slope at the end comes from below."),
            (lambda s, L: line(s, 1), "The slopes are derivatives by x, and s = x/L: a factor L in two of them."),
            (
                lambda s, L: line(s, L)[[0, 2, 1, 3]],
                "The order: deflection and slope of the first end, then of the second.",
            ),
            (lambda s, L: line(1 - s, L), "s = 0 is the first end: yours are those of the other one."),
            (lambda s, L: line(s, L)[[2, 3, 0, 1]], "The two ends are exchanged."),
            (lambda s, L: np.array([1 - s, 0, s, 0]), "That is a straight line: slopes at the ends are freedoms, too."),
            (lambda s, L: line(s, L, 1), "Those are the derivatives by x."),
            (lambda s, L: line(s, 1 / L), "The slopes: times L, not divided by it."),
        ],
        take=lambda came: work.array(came, (4,), "four numbers"),
    )


@stage("The mass matrix")
def mass(work):
    def right(rho, A, L):
        return rho * A * integral(L, 0)

    def lumped(rho, A, L):
        return rho * A * L / 2 * np.diag([1, 0, 1, 0])

    signs = np.outer([1, 1, 1, -1], [1, 1, 1, -1])
    work.answers(
        "mass",
        drawn(work, (2, 9), (0.3, 0.9), (1.3, 2.4)),
        right,
        "The integrals of all products of two shapes; a beam that moves across as a whole has its whole mass.",
        [
            (lumped, "Half of the mass at each end: that is a lumped mass, not the integral of the shapes."),
            (lambda rho, A, L: right(rho, 1, L), "The area is missing."),
            (lambda rho, A, L: right(1, A, L), "The density is missing."),
            (lambda rho, A, L: right(rho, A, L) / L, "The integral is over x, from 0 to L: a factor L is missing."),
            (
                lambda rho, A, L: rho * A * L * integral(1, 0),
                "The slopes have a factor L: it is in their rows and columns.",
            ),
            (
                lambda rho, A, L: right(rho, A, L) * signs,
                "The sign of the last shape: that of the slope at the second end.",
            ),
            (
                lambda rho, A, L: np.diag(np.diag(right(rho, A, L))),
                "The integrals of products of two different shapes are missing.",
            ),
            (
                lambda rho, A, L: rho * A * integral(L, 1),
                "Those are the slopes: the mass moves with the shapes themselves.",
            ),
            (lambda rho, A, L: right(rho, A, L) / 2, "The half is that of the energy: M itself has none."),
        ],
    )


@stage("The lowest frequency of a cantilever")
def frequency(work):
    def square(E, I, rho, A, L, rows=slice(2, 4), M=None):
        mass = rho * A * integral(L, 0) if M is None else M
        return lowest((E * I * integral(L, 2))[rows, rows], mass[rows, rows])

    def highest(E, I, rho, A, L):
        K, M = E * I * integral(L, 2), rho * A * integral(L, 0)
        return float(np.linalg.eigvals(np.linalg.solve(M[2:, 2:], K[2:, 2:])).real.max()) ** 0.5

    ranges = ((60, 210), (0.5, 3), (2, 9), (0.3, 0.9), (1.3, 2.4))
    work.answers(
        "frequency",
        drawn(work, *ranges),
        lambda *x: square(*x) ** 0.5,
        "K a = w² M a for the two freedoms of the free end; the lowest w.",
        [
            (square, "That is the square of it."),
            (lambda *x: square(*x) ** 0.5 / (2 * np.pi), "That is in Hz: rad/s are asked for."),
            (highest, "That is the higher one of the two."),
            (lambda E, I, rho, A, L: (3 * E * I / L**3 / (rho * A * L)) ** 0.5, "Not all of its mass is at its end."),
            (
                lambda E, I, rho, A, L: (3 * E * I / L**3 / (rho * A * L / 2)) ** 0.5,
                "Half of its mass at its end: that is a lumped mass; take both freedoms, and M of part 2.",
            ),
            (
                lambda E, I, rho, A, L: (12 * E * I / L**3 / (rho * A * L * 13 / 35)) ** 0.5,
                "The slope of the free end is a freedom as well.",
            ),
            (
                lambda E, I, rho, A, L: 1.8751040687119611**2 * (E * I / (rho * A * L**4)) ** 0.5,
                "That is the exact one of the beam: here it has one element, which is a little too stiff.",
            ),
            (lambda E, I, rho, A, L: np.pi**2 * (E * I / (rho * A * L**4)) ** 0.5, "That is a beam on two supports."),
        ],
    )


@stage("Tension and pressure")
def axial(work):
    def right(P, L):
        return P * integral(L, 1)

    signs = np.outer([1, 1, 1, -1], [1, 1, 1, -1])
    work.answers(
        "axial",
        drawn(work, (2, 9), (1.3, 2.4)),
        right,
        "The integrals of all products of two slopes: what turns as a whole feels the tension, what is moved does not.",
        [
            (lambda P, L: -right(P, L), "The sign: tension makes it stiffer."),
            (lambda P, L: P * integral(L, 0), "The slopes are needed, the derivatives of the shapes by x."),
            (lambda P, L: P * integral(L, 2), "Those are second derivatives: that is bending."),
            (lambda P, L: right(P, L) * L**2, "A derivative by x is one by s, divided by L: twice."),
            (
                lambda P, L: right(P, L) * L,
                "A derivative by x is one by s, divided by L, in both factors; and dx = L ds.",
            ),
            (lambda P, L: integral(L, 1), "The force is missing."),
            (
                lambda P, L: P / L * np.outer([1, 0, -1, 0], [1, 0, -1, 0]),
                "That is a string, straight between its ends: the line is a cubic.",
            ),
            (lambda P, L: right(P, L) / 2, "The half is that of the energy: the matrix has none."),
            (lambda P, L: right(P, L) * signs, "The sign of the last shape: that of the slope at the second end."),
        ],
    )

    def load(E, I, L, rows=slice(2, 4)):
        return lowest((E * I * integral(L, 2))[rows, rows], integral(L, 1)[rows, rows])

    def second(E, I, L):
        K, G = E * I * integral(L, 2), integral(L, 1)
        return float(np.linalg.eigvals(np.linalg.solve(G[2:, 2:], K[2:, 2:])).real.max())

    work.answers(
        "buckling",
        drawn(work, (60, 210), (0.5, 3), (1.3, 2.4)),
        load,
        "K - P G is singular for the two freedoms of the free end; the lowest P.",
        [
            (lambda E, I, L: -load(E, I, L), "The pressure is asked for, a positive number."),
            (second, "That is the higher one of the two: it has buckled before."),
            (
                lambda E, I, L: np.pi**2 * E * I / (4 * L**2),
                "That is Euler's load, the exact one: one element is a little too stiff.",
            ),
            (lambda E, I, L: np.pi**2 * E * I / L**2, "That is a beam on two supports, and the exact load."),
            (
                lambda E, I, L: 10 * E * I / L**2,
                "With the slope of the free end held it is guided: that end is free to turn.",
            ),
            (lambda E, I, L: load(E, I, L) ** 0.5, "No root: P is the eigenvalue itself."),
            (lambda E, I, L: 12 * E * I / L**2, "That is a beam on two supports: here the first end is clamped."),
            (lambda E, I, L: load(1, I, L), "The modulus is missing."),
        ],
    )


@stage("Rolled up")
def rolled(work):
    def by(formula):
        return lambda M, E, I, L: formula(M * L / (E * I), L)

    def arc(a, L):
        return L * np.sin(a) / a, L * (1 - np.cos(a)) / a, a

    ranges = ((70, 120), (30, 50), (0.5, 1.2), (0.8, 1.6))
    work.answers(
        "rolled",
        drawn(work, *ranges),
        by(arc),
        "The curvature M/(E I) is the same everywhere: an arc of a circle.",
        [
            (by(lambda a, L: (L, a * L / 2, a)), "That is for small angles: the tip comes nearer as it bends."),
            (
                by(lambda a, L: (L * np.cos(a), L * np.sin(a), a)),
                "That is a straight bar that has turned: the beam is bent.",
            ),
            (
                by(lambda a, L: (L * np.sin(a), L * (1 - np.cos(a)), a)),
                "The radius of the arc is L over its angle, not L.",
            ),
            (
                by(lambda a, L: (L * (1 - np.cos(a)) / a, L * np.sin(a) / a, a)),
                "At first it goes along x: x and y are exchanged.",
            ),
            (
                by(lambda a, L: (L * np.sin(a) / a, -L * np.cos(a) / a, a)),
                "It starts at the origin: the constant is missing.",
            ),
            (
                by(lambda a, L: (L * np.sin(a) / a, L * (1 - np.cos(a)) / a, a / L)),
                "The third is the curvature: times the length it is the angle.",
            ),
            (by(lambda a, L: arc(a / 2, L)), "The moment is the same everywhere: no half."),
            (by(lambda a, L: arc(1 / a, L)), "The angle is upside down: the curvature is M/(E I)."),
            (
                by(lambda a, L: (L * np.sin(a / 2) / (a / 2), 0, a)),
                "That is the length of the chord: x and y are asked for.",
            ),
        ],
        take=lambda came: work.several(came, 3, "x, y, angle"),
    )


@stage("A blade that turns")
def rotating(work):
    def by(flap, lag):
        return lambda w0, c, n: (flap(w0, c, n), lag(w0, c, n))

    def flap(w0, c, n):
        return (w0**2 + c * n**2) ** 0.5

    def lag(w0, c, n):
        return (w0**2 + (c - 1) * n**2) ** 0.5

    work.answers(
        "rotating",
        drawn(work, (3, 6), (1.1, 1.4), (2, 5)),
        by(flap, lag),
        "Squares are added: what the centrifugal forces hold stiffly, and what they push further out.",
        [
            (by(lambda w0, c, n: w0 + c**0.5 * n, lag), "The squares are added, not the frequencies."),
            (
                by(lambda w0, c, n: w0 + c * n, lambda w0, c, n: w0 + (c - 1) * n),
                "The squares are added, not the frequencies.",
            ),
            (by(lag, flap), "Flapping first: it is the higher one."),
            (by(flap, flap), "In the plane the speed squared is taken away again."),
            (by(lambda w0, c, n: flap(w0, c, n) ** 2, lambda w0, c, n: lag(w0, c, n) ** 2), "Those are the squares."),
            (
                by(flap, lambda w0, c, n: (w0**2 + (c + 1) * n**2) ** 0.5),
                "The sign: a displaced part is pushed further out, which takes stiffness away.",
            ),
            (by(flap, lambda w0, c, n: flap(w0, c, n) - n), "The squares are subtracted, not the frequencies."),
            (
                by(lambda w0, c, n: (w0**2 + c * n) ** 0.5, lambda w0, c, n: (w0**2 + (c - 1) * n) ** 0.5),
                "The speed has to be squared.",
            ),
        ],
        take=lambda came: work.several(came, 2, "flapping, lagging"),
    )
