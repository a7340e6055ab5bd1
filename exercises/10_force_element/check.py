"""Checks of exercise 10."""

import inspect

import numpy as np

from easydyn import Effort, Model, tdisp
from easydyn.course import Wrong, stage

K, L0, C, M1, M2 = 50.0, 0.7, 3.0, 2.0, 5.0


def two_bodies():
    """Two point masses in space."""
    model = Model("two bodies")
    q = model.coordinates("x1 y1 z1 x2 y2 z2", initial=(0, 0, 0, 1, 0.3, -0.2), rates=(0, 0.5, 0, 0, 0, 1))
    one = model.body("one", tdisp(*q[:3]), mass=M1, inertia=(0, 0, 0))
    two = model.body("two", tdisp(*q[3:]), mass=M2, inertia=(0, 0, 0))
    return model, one, two


def strut_of(work, one, two, k=K, c=C):
    made = work.value("Strut")
    work.require(inspect.isclass(made) and issubclass(made, Effort), "Strut is to be a class derived from Effort.",
                 came=made,
                 expected="class Strut(Effort)")
    strut = work.result("Strut(one, two, k, L0, c)", made, one, two, k, L0, c)
    return strut


class Probe(Effort):
    """Asks a strut for its length and rate while equations are assembled, and lets them act as a force to be read."""

    def __init__(self, strut, found):
        self.strut, self.found = strut, found

    @property
    def bodies(self):
        return self.strut.bodies

    def expressions(self):
        yield from ()

    def apply(self, assembly):
        self.found.append((assembly, self.strut.length_and_rate(assembly)))


def states(work):
    for _ in range(3):
        yield work.draw(6, -1, 1), work.draw(6, -2, 2)


def geometry(q, qd):
    r, v = np.subtract(q[3:], q[:3]), np.subtract(qd[3:], qd[:3])
    L = float(np.linalg.norm(r))
    return r / L, L, float(r @ v / L), v


def value_of(work, value, q, qd):
    names = [f"{c}{k}" for k in (1, 2) for c in "xyz"]
    return work.at(value, dict(zip(names, q)) | {f"{n}.dot": x for n, x in zip(names, qd)})


@stage("Direction, length and rate of length")
def length(work):
    model, one, two = two_bodies()
    strut, found = strut_of(work, one, two), []
    model.add(Probe(strut, found))

    def call():
        _ = model.equations().residual  # asks every element
        return found[-1][1]

    came = work.result("Strut.length_and_rate(assembly)", call)
    work.require(isinstance(came, tuple) and len(came) == 3, "Three things are asked for: return u, L, Ld.", came=came,
                 expected="(u, L, Ld)")
    for q, qd in states(work):
        u, L, Ld, v = geometry(q, qd)
        work.called = "u of Strut.length_and_rate"
        work.compare(work.vector(value_of(work, came[0], q, qd)), u, "u goes from body 1 to body 2, and has length 1.",
                     mistakes=[(-u, "The direction: u goes from body 1 to body 2."),
                               (u * L, "Your u is not a unit vector: divide it by its length.")])
        work.called = "L of Strut.length_and_rate"
        work.compare(work.number(value_of(work, came[1], q, qd)), L, "L is the length of the vector from origin to "
                                                                     "origin.",
                     mistakes=[(L**2, "That is the square of the length: .norm() has the root in it.")])
        work.called = "Ld of Strut.length_and_rate"
        work.compare(work.number(value_of(work, came[2], q, qd)), Ld, "Ld is the derivative of L by time.",
                     mistakes=[(np.linalg.norm(v), "That is the length of the relative velocity: two bodies that go "
                                                   "round each "
                                "other would have one, and keep their distance. Take the part along u."),
                               (-Ld, "The sign: Ld is positive when the strut becomes longer."),
                               (Ld * L, "Ld is the part of the relative velocity along the *unit* vector.")])


def forces(work, c=C):
    """Functions of (q, qd): the forces on both bodies, by the accelerations at rest."""
    model, one, two = two_bodies()
    strut = strut_of(work, one, two, c=c)
    work.called = "Strut.apply, in a model of two bodies"

    def system():
        model.add(strut)
        return model.compile(target="python")

    found = work.result("Strut.apply(assembly)", system)
    return lambda q, qd: np.split(-found.residual(0, q, qd, np.zeros(6)), 2)


def still_a_hole(work):
    """An apply with `...` in it does nothing: said kindly."""
    F = forces(work)
    if not any(np.any(part) for q, qd in states(work) for part in F(q, qd)):
        raise Wrong("`apply` does nothing yet: put your answer where the `...` stands.", unfinished=True)
    return F


@stage("The tension on body 1")
def tension(work):
    F = still_a_hole(work)
    for q, qd in states(work):
        u, L, Ld, _ = geometry(q, qd)
        spring, damper = K * (L - L0) * u, C * Ld * u
        work.called = f"force on body 1 at q = ({', '.join(map(str, q))}), qd = ({', '.join(map(str, qd))})"
        work.compare(
            F(q, qd)[0], spring + damper, "Its size is k (L - L0) + c Ld, its direction u.",
            mistakes=[(-spring - damper, "The sign: a strut that is too long pulls body 1 towards body 2."),
                      (spring - damper, "The sign of the damper: a strut that becomes longer pulls as well."),
                      (spring, "The damper is missing."),
                      (damper, "The spring is missing."),
                      (K * L * u + damper, "The free length is missing: the spring is at rest at L0, not at zero."),
                      (np.zeros(3), "No force acts on body 1: one.apply(force, one.T.e).")])


@stage("The reaction on body 2: momentum stays")
def reaction(work):
    F = forces(work)
    for q, qd in states(work):
        one, two = F(q, qd)
        work.called = f"force on body 2 at q = ({', '.join(map(str, q))}), qd = ({', '.join(map(str, qd))})"
        work.compare(
            two, -one, "Newton's third law: the forces on the two bodies are opposite.",
            mistakes=[(np.zeros(3), "The reaction is missing: no force acts on body 2, and momentum comes from "
                                    "nowhere."),
                      (one, "The reaction has the same sign as the force on body 1: it has to be opposite.")])


@stage("The energy that is stored: the balance closes")
def potential(work):
    model, one, two = two_bodies()
    strut = strut_of(work, one, two)

    class Asking(Probe):
        def apply(self, assembly):
            self.found.append((assembly, self.strut.potential(assembly)))

    found = []
    model.add(Asking(strut, found))

    def call():
        _ = model.equations().residual  # asks every element
        return found[-1][1]

    came = work.result("Strut.potential(assembly)", call)
    for q, qd in states(work):
        _, L, Ld, _ = geometry(q, qd)
        work.called = "Strut.potential"
        right = K * (L - L0) ** 2 / 2
        work.compare(work.number(value_of(work, came, q, qd)), right, "k (L - L0)²/2.",
                     mistakes=[(2 * right, "The factor 1/2 is missing."), (-right, "The sign: a stretched spring "
                                                                                   "has energy."),
                               (K * L**2 / 2, "The free length is missing: nothing is stored at L0."),
                               (K * (L - L0), "That is the tension: the energy is its integral."),
                               (right + C * Ld**2 / 2, "A damper stores nothing: what it takes is work.")])
    model, one, two = two_bodies()
    strut = strut_of(work, one, two)
    model.add(strut)
    run = work.simulate(model, 1, save_every=0.1, target="python", max_step=0.02, tolerance=1e-4)
    work.called = "model.simulate(1) with your strut"
    drift = float(np.ptp(run.energy.balance))
    work.require(drift < 0.05, "The balance of energy does not close.", came=f"{drift:.3g} J", expected="below 0.05 J")
    taken = float(-(run.work(strut) + run.potential(strut) - run.potential(strut)[0])[-1])
    work.require(taken > 0, "The damper of a strut takes energy; yours gives some.", came=f"it has taken {taken:.3g} J",
                 expected="more than nothing")
