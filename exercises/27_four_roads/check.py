"""Checks of exercise 27."""

from math import cos, sin

import numpy as np

from easydyn.course import stage

M, m, r, b, g = 5.0, 2.0, 0.15, 0.5, 9.81
C, S = cos(b), sin(b)


def matrix(coupling=C, spin=0.5, disc=1.0):
    """The mass matrix of x and s, with factors that may be wrong."""
    return np.array([[M + disc * m, m * coupling], [m * coupling, m * (1 + spin)]])


def pair(work, names):
    return lambda came: work.array(np.array(work.several(came, 2, names)), (2,))


@stage("The kinetic energy")
def kinetic(work):
    def by(**options):
        A = matrix(**options)
        return lambda v, w: float(np.array([v, w]) @ A @ (v, w)) / 2

    work.answers(
        "kinetic", work.inputs(3, 2, 0.2, 2), by(), "Wedge, centre of the disc, rotation of the disc: three parts.",
        [(by(spin=0.0), "The disc turns, too: the energy of its rotation is missing."),
         (by(spin=1.0), "That is the moment of inertia of a ring: a disc has m r²/2."),
         (by(coupling=0.0), "The centre of the disc moves with the wedge and along the slope: add the vectors, then "
                            "square."),
         (by(coupling=S), "Along x the slope gives w cos b: sine and cosine are exchanged."),
         (by(coupling=1.0), "The slope is not along x: the two velocities are at the angle b."),
         (by(coupling=-C), "The slope goes down along positive x: w cos b is added to v."),
         (by(disc=0.0, coupling=0.0), "The disc moves with the wedge, too."),
         (lambda v, w: 2 * by()(v, w), "The energy has a half."),
         (lambda v, w: M * v**2 / 2, "That is the wedge alone."),
         (lambda v, w: by()(v, w) - M * v**2 / 2, "That is the disc alone: the wedge moves, too.")])


@stage("d'Alembert's principle")
def dalembert(work):
    def by(push=(1.0, 0.0), weight=(0.0, 1.0), g=g, **options):
        A = matrix(**options)
        pull = m * g * S
        return lambda xa, sa, F: A @ (xa, sa) - np.array(push) * F - np.array(weight) * pull

    inputs = [(*work.draw(2, -3, 3), *work.draw(1, 2, 20)) for _ in range(3)]
    work.answers(
        "dalembert", inputs, by(),
         "Project mass times acceleration less force of both bodies on the contributions, and "
                                   "add.",
        [(by(spin=0.0), "The disc turns with s: its moment of inertia is missing, with the contribution 1/r."),
         (by(spin=1.0), "That is the moment of inertia of a ring: a disc has m r²/2."),
         (by(weight=(0.0, -1.0)), "The weight pulls the disc down the slope, along s: inertia less force."),
         (by(push=(-1.0, 0.0)), "Inertia less force: the push counts with a minus."),
         (by(push=(0.0, 0.0)), "The push is missing: it has power when x changes."),
         (by(weight=(0.0, 0.0)), "The weight of the disc is missing: it has power when s changes."),
         (by(weight=(0.0, C / S)), "Down the slope the weight has the component sin b."),
         (by(coupling=0.0), "The disc's acceleration is the sum of that of the wedge and that along the slope."),
         (by(coupling=S), "Along x the slope gives sa cos b: sine and cosine are exchanged."),
         (by(disc=0.0), "When x changes, the disc moves, too: its mass belongs to the first equation."),
         (by(push=(1.0, C)), "When s alone changes, the wedge stands: the push has no power there."),
         (by(g=1.0), "g is missing: a mass has the weight m g."),
         (lambda *given: by()(*given)[::-1], "The equation of x first, then that of s.")],
        take=pair(work, "for x, for s"))


@stage("The momenta")
def momenta(work):
    def by(change=lambda p: p, **options):
        A = matrix(**options)
        return lambda v, w: change(A @ (v, w))

    work.answers(
        "momenta", work.inputs(3, 2, 0.2, 2), by(), "The derivatives of the kinetic energy by the two rates.",
        [(by(spin=0.0), "The rotation of the disc depends on the rate of s: it is part of its momentum."),
         (by(spin=1.0), "That is the moment of inertia of a ring: a disc has m r²/2."),
         (by(coupling=0.0), "The product of both rates in the energy gives a part of both momenta."),
         (by(coupling=S), "Sine and cosine are exchanged: along x the slope gives w cos b."),
         (by(lambda p: p / 2), "The derivative of v²/2 is v: the half goes."),
         (by(lambda p: 2 * p), "The derivative of v²/2 is v, not 2 v."),
         (by(disc=0.0), "The disc moves with the wedge: its mass is part of the first momentum."),
         (lambda v, w: np.array([M * v, 1.5 * m * w]), "Each momentum has both rates in it."),
         (lambda v, w: np.array([M * v, m * w]), "These are masses times rates: differentiate the energy."),
         (by(lambda p: p[::-1]), "The momentum of x first, then that of s.")],
        take=pair(work, "px, ps"))


@stage("The force of the wedge on the disc")
def cut(work):
    def by(first=S, second=C, weight=1.0, along=1.0, turned=1.0, swap=False):
        def found(xa, sa):
            down = (C, S) if not swap else (S, C)
            return m * np.array([first * xa + weight * g * down[0], second * xa + along * sa - turned * g * down[1]])

        return found

    work.answers(
        "cut", work.inputs(3, 2, -3, 3), by(),
        "Mass times acceleration less weight, along the normal and along the slope.",
        [(lambda xa, sa: -by()(xa, sa), "That is the force of the disc on the wedge: the opposite is asked for."),
         (by(weight=-1.0, turned=-1.0), "The weight points down: the wedge has to carry it."),
         (by(weight=0.0, turned=0.0), "The weight is missing in the free body of the disc."),
         (by(first=0.0, second=0.0), "The disc accelerates with the wedge, too: xa is missing."),
         (by(first=0.0), "The wedge accelerates the disc along the normal: xa sin b is missing."),
         (by(second=0.0), "The wedge accelerates the disc along the slope: xa cos b is missing."),
         (by(first=C, second=S), "The components of xa: sin b along the normal, cos b along the slope."),
         (by(swap=True), "The components of the weight: cos b along the normal, sin b along the slope."),
         (by(turned=-1.0), "The weight has the component m g sin b down the slope: the wedge holds against it."),
         (by(along=0.5), "Newton's law has the acceleration sa: that of the rotation is another equation."),
         (by(along=1.5), "Newton's law has the mass m: the moment of inertia is in another equation."),
         (by(along=0.0), "The disc accelerates along the slope: sa is missing."),
         (lambda xa, sa: by()(xa, sa)[::-1], "The normal component first, then that along the slope."),
         (lambda xa, sa: by()(xa, sa) / m, "These are accelerations: times the mass of the disc.")],
        take=pair(work, "N, H"))


@stage("The partial velocities")
def partials(work):
    def by(*numbers):
        return lambda: np.array(numbers).reshape(2, 2)

    work.answers(
        "partials", [()], by(S * S, S * C, C, -S), "Write the velocity of the centre in u1 and u2: what stands beside "
                                                   "each is its partial velocity.",
        [(by(1.0, 0.0, C, -S), "w is u2 less u1 cos b: u1 stands there a second time."),
         (by(1.0, 0.0, 0.0, 1.0), "The second speed is along the slope, not along y."),
         (by(S * S, S * C, C, S), "The slope goes down: its y component is negative."),
         (by(1 + C * C, -S * C, C, -S), "w is u2 less u1 cos b: with a minus."),
         (by(S * S, -S * C, C, -S), "Along y the part of u1 is cos b times sin b, with a plus: two minus signs."),
         (by(C, -S, S * S, S * C), "The partial velocity of u1 first."),
         (by(S * S, C, S * C, -S), "A pair for each speed: rows and columns are exchanged."),
         (by(S, C, C, -S), "The first one is along the normal, but its length is not 1."),
         (by(C * C, S * C, S, -C), "Sine and cosine are exchanged: the slope is at the angle b from the floor.")],
        take=lambda came: work.array(
            np.array([work.several(x, 2, "x, y") for x in work.several(came, 2, "first, second")]), (2, 2)),
        wanted="two pairs, for u1 and for u2")
    work.right("partials", by(S * S, S * C, C, -S))


@stage("Hamilton's function")
def hamilton(work):
    def by(half=0.5, sign=-1.0, down=S, **options):
        A = np.linalg.inv(matrix(**options))
        return lambda px, ps, s: float(half * np.array([px, ps]) @ A @ (px, ps)) + sign * m * g * s * down

    def rates(px, ps, s):
        return float(np.array([px, ps]) @ matrix() @ (px, ps)) / 2 - m * g * s * S

    def alone(px, ps, s):
        return px**2 / (2 * (M + m)) + ps**2 / (3 * m) - m * g * s * S

    inputs = [(*work.draw(2, 1, 6), *work.draw(1, 0.2, 1.5)) for _ in range(3)]
    work.answers(
        "hamilton", inputs, by(), "Half of p times the inverse of the mass matrix times p, plus the potential.",
        [(by(sign=1.0), "The disc goes down when s grows: the potential falls."),
         (by(sign=0.0), "The potential is missing."),
         (by(down=C), "The height that the disc loses is s sin b."),
         (by(down=1.0), "s is along the slope: the height that the disc loses is s sin b."),
         (by(half=1.0), "Half of p times the rates is the kinetic energy."),
         (by(half=-0.5), "H is T plus V: the kinetic energy counts with a plus."),
         (rates, "These are momenta, not rates: the matrix has to be inverted."),
         (alone, "The two momenta are coupled: invert the matrix, not its diagonal."),
         (by(spin=0.0), "The rotation of the disc is missing in the matrix."),
         (by(coupling=S), "The matrix couples the two rates by m cos b, not by sin b.")])
