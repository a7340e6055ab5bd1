"""Checks of exercise 23."""

import numpy as np

from easydyn.course import stage


def stiffness(E, I, L, power=3, turn=4.0, far=2.0, mixed=1.0, end=1.0):
    a, b, c = 6 * L * mixed, turn * L**2, far * L**2
    return E * I / L**power * np.array([[12, a, -12, a], [a, b, -a, c], [-12, -a, 12, -a * end], [a, c, -a * end, b]])


def positive(work, size):
    A = np.array(work.draw(size * size, -1, 1)).reshape(size, size)
    return np.round(A @ A.T + np.diag(work.draw(size, 1, 4)), 3)


@stage("A beam element")
def element(work):
    inputs = list(zip(work.draw(3, 60, 210), work.draw(3, 0.5, 3), work.draw(3, 0.6, 1.8)))
    work.answers(
        "element", inputs, stiffness, "Each column holds the forces and moments for one freedom of 1, all others 0.",
        [(lambda E, I, L: stiffness(E, I, L, 2), "The factor is E I/L³, with L and L² in the rows of the angles."),
         (lambda E, I, L: stiffness(E, I, L, 3, 2, 4), "4 L² belongs to the end that turns, 2 L² to the other one."),
         (lambda E, I, L: stiffness(E, I, L, 3, 4, -2), "The sign of 2 L²: both ends need moments of one sign."),
         (lambda E, I, L: stiffness(E, I, L, 3, 4, 2, -1), "The sign of 6 L: forces that push up at the left turn the "
                                                           "element the other way."),
         (lambda E, I, L: stiffness(E, I, L, 3, 4, 2, 1, -1), "The sign of 6 L at the second end: it is that of a "
                                                              "mirror."),
         (lambda E, I, L: stiffness(1, I, L), "The modulus is missing."),
         (lambda E, I, L: stiffness(E, 1, L), "The second moment of area is missing."),
         (lambda E, I, L: stiffness(E, I, L) * L**3, "The length is missing in the factor: E I/L³."),
         (lambda E, I, L: np.diag(np.diag(stiffness(E, I, L))), "What one end feels of the other is missing.")])


@stage("A cantilever of one element")
def tip(work):
    inputs = list(zip(work.draw(3, 1, 9), work.draw(3, 60, 210), work.draw(3, 0.5, 3), work.draw(3, 0.6, 1.8)))

    def bent(w, p, power=3):
        return lambda P, E, I, L: (P * L**power / (w * E * I), P * L ** (power - 1) / (p * E * I))

    work.answers(
        "tip", inputs, bent(3, 2), "The first end is held: two equations are left, for w2 and p2.",
        [(bent(12, 2), "With p2 = 0 it would be a beam that is guided at its end: the end turns as well."),
         (bent(48, 16), "That is a beam on two supports: this one is clamped at one end."),
         (bent(8, 6), "That is for a load along the whole beam: here it acts at the end."),
         (bent(2, 3), "The 2 and the 3 are exchanged."),
         (bent(3, 2, 2), "A length is missing: L³ and L²."),
         (lambda P, E, I, L: (P * L**3 / (3 * E * I), P * L**3 / (3 * E * I) / L), "The angle is not w2/L: the beam is "
                                                                                  "bent."),
         (lambda P, E, I, L: bent(3, 2)(P, E, I, L)[::-1], "The deflection first, the angle then."),
         (lambda P, E, I, L: (P * L**3 / (3 * E * I), -P * L**2 / (2 * E * I)), "The sign of the angle.")],
        take=lambda came: work.several(came, 2, "deflection, angle"))


@stage("Frequencies of a pair of matrices")
def frequencies(work):
    def roots(M, K, power=0.5):
        return np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real) ** power

    work.answers(
        "frequencies", [(positive(work, 4), positive(work, 4)) for _ in range(2)], roots,
        "Each is the root of an eigenvalue of M^-1 K, the lowest first.",
        [(lambda M, K: roots(M, K, 1), "Those are the squares: take the roots."),
         (lambda M, K: roots(M, K) / (2 * np.pi), "That is in Hz: rad/s are asked for."),
         (lambda M, K: roots(M, K)[::-1], "The lowest first."),
         (lambda M, K: roots(K, M), "M and K are exchanged."),
         (lambda M, K: roots(np.eye(4), K), "The mass matrix is missing."),
         (lambda M, K: np.sort(np.sqrt(np.diag(K) / np.diag(M))), "The freedoms are coupled: the diagonals are not "
                                                                  "enough.")])


@stage("Static condensation")
def condensed(work):
    def parts(K, keep):
        others = [k for k in range(5) if k not in keep]
        return K[np.ix_(keep, keep)], K[np.ix_(keep, others)], K[np.ix_(others, others)]

    def schur(K, keep, sign=-1):
        held, mixed, free = parts(K, keep)
        return held + sign * mixed @ np.linalg.solve(free, mixed.T)

    work.answers(
        "condensed", [(positive(work, 5), [0, 3]), (positive(work, 5), [1, 4])], schur,
        "The others follow without a load: express them by those that are kept, and put them in.",
        [(lambda K, keep: parts(K, keep)[0], "That holds all others fast: they are free to follow."),
         (lambda K, keep: schur(K, keep, 1), "The sign: what follows makes the part softer."),
         (lambda K, keep: np.linalg.inv(K)[np.ix_(keep, keep)], "That is the flexibility: its inverse is a stiffness."),
         (lambda K, keep: np.linalg.inv(schur(K, keep)), "That is the flexibility: its inverse is a stiffness."),
         (lambda K, keep: parts(K, keep)[0] - parts(K, keep)[1] @ parts(K, keep)[1].T, "The stiffness of those that "
                                                                                      "follow is missing.")])
