"""Checks of exercise 09."""

import numpy as np

from easydyn.course import stage

HEIGHT, REACH, MASS, LOAD = 0.5, 0.6, 3.0, 1.2
I = np.diag([0.05, 0.4, 0.43])
PLACE = np.array([0.3, 0.1, -0.2])
X, Y, Z = np.eye(3)


def turn(axis, angle):
    """A rotation about x, y or z (0, 1, 2)."""
    R, (j, k) = np.eye(3), [(1, 2), (2, 0), (0, 1)][axis]
    R[j, j] = R[k, k] = np.cos(angle)
    R[k, j] = np.sin(angle)
    R[j, k] = -R[k, j]
    return R


def T(R=None, e=(0, 0, 0)):
    """A transform as a matrix."""
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = np.eye(3) if R is None else R, e
    return made


def R_of(q):
    return turn(2, q[0]) @ turn(1, q[1])


def omega_of(q, qd):
    """The rate of the turret along the vertical, that of the arm along y of the turret."""
    return qd[0] * Z + qd[1] * turn(2, q[0]) @ Y


def states(work, size=2):
    return [tuple(work.draw(2, -2, 2) for _ in range(size)) for _ in range(4)]


@stage("The frame of the arm")
def frame(work):
    def made(formula):
        """By the turret, the height, the arm's turn and its reach."""
        return lambda q: formula(T(turn(2, q[0])), T(e=HEIGHT * Z), T(turn(1, q[1])), T(e=REACH * X))

    work.answers(
        "frame", states(work, 1), made(lambda turret, up, arm, out: turret @ up @ arm @ out),
        "Turn, up, turn, out: four factors.", take=lambda came: work.transform(came).matrix,
        mistakes=[(made(formula), said) for formula, said in (
            (lambda turret, up, arm, out: turret @ up @ out @ arm,
             "The order of the last two factors: the arm turns about the shoulder, so its turn comes before the way "
             "out."),
            (lambda turret, up, arm, out: arm @ up @ turret @ out,
             "The order of the turns: the turret stands on the ground, and carries the arm."),
            (lambda turret, up, arm, out: up @ arm @ turret @ out,
             "The order of the turns: the turret stands on the ground, and carries the arm."),
            (lambda turret, up, arm, out: out @ arm @ up @ turret,
             "The order of the product: it is read from left to right, from the ground outwards."),
            (lambda turret, up, arm, out: turret @ up @ arm.T @ out,
             "The sign of b: positive about y (the arm sinks)."),
            (lambda turret, up, arm, out: turret.T @ up @ arm @ out, "The sign of a: positive about the vertical."),
            (lambda turret, up, arm, out: turret @ arm @ out, "The height of the shoulder is missing."),
            (lambda turret, up, arm, out: turret @ arm @ up @ out,
             "The height belongs before the turn of the arm: the shoulder stands straight above the ground."),
            (lambda turret, up, arm, out: turret @ up @ arm,
             "That is the shoulder: the frame is at the centre of mass."),
            (lambda turret, up, arm, out: up @ arm @ out, "The turn of the turret is missing."),
            (lambda turret, up, arm, out: turret @ up @ out, "The turn of the arm is missing."),
            (lambda turret, up, arm, out: T(e=(turret @ up @ arm @ out)[:3, 3]),
             "The position is right, but your frame is not turned."),
        )] + [
            (lambda q: T(turn(2, q[0])) @ T(turn(0, q[1]), HEIGHT * Z) @ T(e=REACH * X),
             "The arm turns about y of the turret, not about x."),
            (lambda q: T(turn(2, q[0])) @ T(turn(1, q[1]), HEIGHT * Y) @ T(e=REACH * X), "Upwards is z here."),
            (lambda q: T(turn(2, q[0])) @ T(turn(1, q[1]), HEIGHT * Z) @ T(e=REACH * Z), "The arm goes along its own "
                                                                                        "x axis."),
            (lambda q: T(turn(1, q[0])) @ T(turn(2, q[1]), HEIGHT * Z) @ T(e=REACH * X), "The axes are exchanged: the "
             "turret turns about z, the arm about y."),
        ])


@stage("Its angular velocity")
def omega(work):
    work.answers(
        "omega", states(work), omega_of, "omega~ = R' R^T: the vectors of the two turns, in ground axes.",
        mistakes=[
            (lambda q, qd: qd[0] * Z + qd[1] * Y,
             "The y axis of the turret is not that of the ground: it has turned with a."),
            (lambda q, qd: qd[0] * Y + qd[1] * Z,
             "The turret turns about z, the arm about y; and the y axis of the turret has turned with a."),
            (lambda q, qd: R_of(q).T @ omega_of(q, qd),
             "These are components in the axes of the arm: ground components are asked for."),
            (lambda q, qd: turn(1, q[1]) @ (qd[0] * Z) + qd[1] * turn(2, q[0]) @ Y,
             "The turret turns about the ground's z: its rate is not turned."),
            (lambda q, qd: R_of(q) @ (qd[0] * Z + qd[1] * Y),
             "You have turned the rate of the turret as well: it is along the ground's z."),
            (lambda q, qd: R_of(q) @ omega_of(q, qd),
             "You have turned into ground axes what was in ground axes already."),
            (lambda q, qd: qd[0] * Z, "The rate of the arm relative to the turret is missing."),
            (lambda q, qd: qd[1] * turn(2, q[0]) @ Y, "The rate of the turret is missing."),
            (lambda q, qd: omega_of(q, qd) - 2 * qd[0] * Z, "The sign of the turret's rate."),
            (lambda q, qd: qd[0] * Z - qd[1] * turn(2, q[0]) @ Y,
             "The sign of the arm's rate: positive about the y axis of the turret."),
            (lambda q, qd: qd[0] * Z + qd[1] * turn(2, q[0]).T @ Y,
             "You have turned the y axis the other way: it turns with a, as the turret does."),
            (lambda q, qd: qd[0] * Z + qd[1] * turn(2, q[0]) @ X, "That is the x axis of the turret: the arm turns "
                                                                  "about its y axis."),
            (lambda q, qd: qd[0] * Z + qd[1] * turn(2, q[1]) @ Y, "The y axis of the turret has turned by a, q[0]."),
        ])


@stage("Its inertia tensor in ground axes")
def tensor(work):
    def made(formula):
        return lambda q: formula(R_of(q))

    work.answers(
        "inertia_in_ground", states(work, 1), made(lambda R: R @ I @ R.T),
        "It has to be symmetric, and to have the same principal moments as I.",
        mistakes=[(made(formula), said) for formula, said in (
            (lambda R: R.T @ I @ R, "R and its transpose are exchanged: first to the axes of the arm (on the right), "
                                    "then back."),
            (lambda R: I, "That is I in the axes of the arm: the arm has turned."),
            (lambda R: R @ I, "A tensor is turned from both sides: the transpose of R is missing on the right."),
            (lambda R: I @ R.T, "A tensor is turned from both sides: R is missing on the left."),
            (lambda R: R.T @ I, "A tensor is turned from both sides."),
            (lambda R: I @ R, "A tensor is turned from both sides."),
            (lambda R: R @ I @ R, "One of the two has to be the transpose of R."),
            (lambda R: R * I * R.T, "Products of arrays are written with @: * takes them element by element."),
            (lambda R: R * I, "Products of arrays are written with @: * takes them element by element."),
            (lambda R: np.diag(np.diag(R @ I @ R.T)), "The products of inertia are missing: in ground axes they are "
                                                      "not zero."),
        )] + [
            (lambda q: turn(2, q[0]) @ I @ turn(2, q[0]).T, "Only the turn of the turret: the arm has turned by b, "
                                                            "too."),
            (lambda q: turn(1, q[1]) @ I @ turn(1, q[1]).T, "Only the turn of the arm: the turret has turned by a, "
                                                            "too."),
            (lambda q: R_of(q) @ I @ R_of(q).T + MASS * REACH**2 * (np.eye(3) - np.outer(R_of(q) @ X, R_of(q) @ X)),
             "The tensor is asked for about the centre of mass: nothing has to be added for the way to the shoulder."),
        ])


@stage("Its kinetic energy")
def energy(work):
    def made(formula):
        """By the energies of the centre of mass and of turning."""
        def function(q, qd):
            w, R = omega_of(q, qd), R_of(q)
            v = np.cross(w, R @ (REACH * X))
            return formula(MASS * v @ v / 2, w @ R @ I @ R.T @ w / 2)
        return function

    def turning(formula):
        """With another energy of turning, by omega and R."""
        right = made(lambda moving, turning: moving)
        return lambda q, qd: right(q, qd) + formula(omega_of(q, qd), R_of(q)) / 2

    def moving(formula):
        """With another velocity of the centre of mass, by omega, R and q."""
        right = made(lambda moving, turning: turning)

        def function(q, qd):
            v = formula(omega_of(q, qd), R_of(q), np.array(q))
            return MASS * v @ v / 2 + right(q, qd)
        return function

    work.answers(
        "kinetic_energy", states(work), made(lambda moving, turning: moving + turning),
        "m v²/2 and omega . I omega/2, of the arm.",
        mistakes=[
            (turning(lambda w, R: w @ I @ w),
             "I in the axes of the arm with omega in those of the ground: both must have the same axes (the original "
             "program had this mistake, and in the plane nobody noticed)."),
            (turning(lambda w, R: w @ R.T @ I @ R @ w), "The tensor is turned the other way: R I R^T."),
            (made(lambda moving, turning: moving), "The energy of turning, omega . I omega/2, is missing."),
            (made(lambda moving, turning: turning),
             "The energy of the motion of the centre of mass, m v²/2, is missing."),
            (made(lambda moving, turning: 2 * (moving + turning)), "The factor 1/2 is missing."),
            (made(lambda moving, turning: moving + 2 * turning),
             "The factor 1/2 is missing in the energy of turning."),
            (made(lambda moving, turning: 2 * moving + turning),
             "m v²/2 is there twice: is the factor 1/2 missing, or is I about the shoulder, where what the mass does "
             "is in it already?"),
            (made(lambda moving, turning: moving / MASS + turning), "The mass is missing in m v²/2."),
            (moving(lambda w, R, q: np.cross(w, R @ (REACH * X) + HEIGHT * Z)),
             "The arm of the velocity begins at the shoulder, which does not move, not on the ground."),
            (moving(lambda w, R, q: np.cross(w, REACH * X)),
             "The way from the shoulder to the centre of mass in ground axes: it has turned with the arm."),
            (turning(lambda w, R: (w @ w) * np.trace(I)), "Not the sum of the moments: omega . I omega."),
        ])


@stage("A load on the arm")
def load(work):
    r, E = PLACE, np.eye(3)
    added = LOAD * (r @ r * E - np.outer(r, r))
    off = 1 - E
    together = MASS * LOAD / (MASS + LOAD) * (r @ r * E - np.outer(r, r))
    work.compare(
        work.array(work.call("with_load"), (3, 3), "a 3 x 3 matrix"), I + added, "m (r . r E - r r^T) is added to I.",
        wanted="the tensor of the arm, and that of the point mass",
        mistakes=[(I + added * (1 - 2 * off),
                   "The sign of the products of inertia: the element xy of the tensor is minus the integral of x y "
                   "dm. (Some programs want it with a plus; easydyn wants the elements of the tensor.)"),
                  (I + added * (1 - off),
                   "The products of inertia are missing: the load is on no principal axis of the arm."),
                  (added, "That is the load alone: add the arm."),
                  (I, "That is the arm alone: add the load."),
                  (I - added, "The load is added, not taken off."),
                  (I + added / LOAD, "The mass of the load is missing."),
                  (I + MASS / LOAD * added, "The mass is that of the load, not that of the arm."),
                  (I + LOAD * np.outer(r, r),
                   "m r r^T is not the inertia of a point mass: its element xx would be m x², and should be m (y² + "
                   "z²)."),
                  (I - LOAD * np.outer(r, r), "r . r E is missing: m (r . r E - r r^T)."),
                  (I + LOAD * r @ r * E,
                   "A point mass has no inertia about an axis through itself: r . r E - r r^T."),
                  (I + LOAD * (r @ r - np.outer(r, r)),
                   "The unit tensor is missing: r . r is added to every element here."),
                  (I + LOAD * (np.diag(r**2) - np.outer(r, r)),
                   "r . r is a number: a product of arrays is written with @, r * r is taken element by element."),
                  (I + LOAD * np.diag(r**2), "About x counts the distance from the x axis: m (y² + z²)."),
                  (I + together, "You have moved to the common centre of mass: the tensor is asked for about that of "
                                 "the arm.")])
