"""Checks of exercise 10."""

from functools import partial

import numpy as np

from easydyn import Effort
from easydyn.course import Wrong, holes, stage

NAMES = [f"{c}{k}" for k in (1, 2) for c in "xyzab"]
PLACES = [0, 1, 2, 5, 6, 7]  # of x1 y1 z1 x2 y2 z2 among them


def strut_of(work):
    made = work.value("Strut")
    work.require(getattr(made, "kept_", {}).get("class") and made.is_a(Effort),
                 "Strut is to be a class derived from Effort.", came=made, expected="class Strut(Effort)")
    return made


def constants(work):
    """k, L0, c."""
    return [*work.draw(1, 30, 70), *work.draw(1, 0.4, 0.9), *work.draw(1, 2, 5)]


def states(work, count=3):
    """Coordinates and rates; the bodies are turned, and do not turn."""
    made = []
    for _ in range(count):
        q, qd = work.draw(10), [0.0] * 10
        for place, rate in zip(PLACES, work.draw(6, -2, 2)):
            qd[place] = rate
        made.append((q, qd))
    return made


def geometry(q, qd):
    place, rate = (np.array(x)[PLACES] for x in (q, qd))
    r, v = place[3:] - place[:3], rate[3:] - rate[:3]
    L = float(np.linalg.norm(r))
    return r / L, L, float(r @ v / L), v


def own_geometry(work):
    """The same by the student's `length_and_rate`: what is wrong there has been said."""
    u, L, Ld = work.several(work.ask("length_and_rate", strut_of(work), 50.0, 0.6, 3.0), 3, "u, L, Ld")

    def found(q, qd):
        at = [work.at(x, symbols(q, qd)) for x in (u, L, Ld)]
        return work.vector(at[0]), work.number(at[1]), work.number(at[2]), geometry(q, qd)[3]

    return found


def symbols(q, qd):
    return dict(zip(NAMES, q)) | {f"{n}.dot": x for n, x in zip(NAMES, qd)}


def shown(q, qd):
    return f"origins at {np.round(np.array(q)[PLACES], 3).tolist()}, velocities {np.array(qd)[PLACES].tolist()}"


def numbers(work, expression, name, q, qd):
    work.called = f"{name} of Strut.length_and_rate"
    return work.at(expression, symbols(q, qd))


@stage("Direction, length and rate of length")
def length(work):
    strut = strut_of(work)
    work.called = "Strut.length_and_rate(assembly)"
    came = work.ask("length_and_rate", strut, *constants(work))
    if holes(came):
        raise Wrong("`Strut.length_and_rate` is still to be written: put your answer where the `...` stands.",
                    unfinished=True)
    u_came, L_came, Ld_came = work.several(came, 3, "u, L, Ld")
    for q, qd in states(work):
        u, L, Ld, v = geometry(q, qd)
        rates = np.array(qd)[PLACES]
        each = {"u": u_came, "L": L_came, "Ld": Ld_came}
        u_at, L_at, Ld_at = (numbers(work, x, name, q, qd) for name, x in each.items())
        called = "{} of Strut.length_and_rate, " + shown(q, qd)
        work.called = called.format("u")
        work.compare(work.vector(u_at), u, "u goes from body 1 to body 2, and has length 1.",
                     mistakes=[(-u, "The direction: u goes from body 1 to body 2."),
                               (u * L, "Your u is not a unit vector: divide it by its length."),
                               (u / L, "You have divided by the length twice, or by its square: u has length 1.")])
        work.called = called.format("L")
        work.compare(work.number(L_at), L, "L is the length of the vector from origin to origin.",
                     mistakes=[(L**2, "That is the square of the length: .norm() has the root in it.")])
        work.called = called.format("Ld")
        work.compare(work.number(Ld_at), Ld, "Ld is the derivative of L by time.",
                     mistakes=[(np.linalg.norm(v), "That is the length of the relative velocity: two bodies that go "
                                                   "round each other would have one, and keep their distance. Take the "
                                                   "part along u."),
                               (u @ rates[3:], "The velocity of body 1 is missing: the strut has two ends."),
                               (-u @ rates[:3], "The velocity of body 2 is missing: the strut has two ends."),
                               (u @ (rates[:3] + rates[3:]), "The difference of the velocities counts, not their sum."),
                               (-Ld, "The sign: Ld is positive when the strut becomes longer."),
                               (Ld * L, "Ld is the part of the relative velocity along the *unit* vector."),
                               (Ld / L, "Ld is divided by L once too often: u is the unit vector already.")])


def forces(work, values, at, parameters=False):
    work.called = "Strut.apply, in a model of two bodies"
    came = work.array(work.ask("forces", strut_of(work), *values, at, parameters), (len(at), 2, 5))
    if not np.any(came):
        said = str(work.ask("returned", strut_of(work), *values))
        if said not in ("None", "Ellipsis"):
            raise Wrong("`apply` returns a force, but nobody takes it: let it act on the body, by the method `apply` "
                        "of its state.", called=work.called, came=said, expected="forces that act", recognised=True)
        raise Wrong("`apply` does nothing yet: put your answer where the `...` stands.", unfinished=True)
    return came


@stage("The tension on body 1")
def tension(work):
    work.either(lambda: pulled(work, geometry), lambda: pulled(work, own_geometry(work)))


def pulled(work, geometry):
    values, at = constants(work), states(work)
    k, L0, c = values
    F = forces(work, values, at)
    for one, two, (q, qd) in zip(F[:, 0], F[:, 1], at):
        u, L, Ld, _ = geometry(q, qd)
        spring, damper = k * (L - L0) * u, c * Ld * u
        work.called = f"force on body 1, k = {k}, L0 = {L0}, c = {c}, {shown(q, qd)}"
        work.compare(
            one[:3], spring + damper, "Its size is k (L - L0) + c Ld, its direction u, with the k, L0 and c of this "
                                      "strut.",
            mistakes=[(-spring - damper, "The sign: a strut that is too long pulls body 1 towards body 2."),
                      (spring - damper, "The sign of the damper: a strut that becomes longer pulls as well."),
                      (damper - spring, "The sign of the stretch: it is L - L0."),
                      (spring, "The damper is missing."),
                      (damper, "The spring is missing."),
                      (k * L * u + damper, "The free length is missing: the spring is at rest at L0, not at zero."),
                      ((k * (L - L0) + c * Ld) * L * u, "The force is L times too large: its direction is the *unit* "
                                                        "vector u."),
                      (2 * (spring + damper), "It acts twice on body 1: the second force belongs to body 2."),
                      (np.zeros(3), "No force acts on body 1: `one` is the state on which it has to act."
                       if np.any(two) else "No force acts on body 1.")])
        work.called = f"moment on body 1, {shown(q, qd)}"
        work.compare(one[3:], (0, 0), "The force acts at another place than the origin of body 1, one.T.e, so that it "
                                      "turns the body.", size=k, enough=True)


@stage("The reaction on body 2: momentum stays")
def reaction(work):
    values, at = constants(work), states(work)
    F = forces(work, values, at)
    k, L0, c = values

    def opposite(one, two):
        work.compare(
            two, -one, "Newton's third law: the forces on the two bodies are opposite.",
            mistakes=[(np.zeros(3), "The reaction is missing: no force acts on body 2, and momentum comes from "
                                    "nowhere."),
                      (one, "The reaction has the same sign as the force on body 1: it has to be opposite.")])

    for (one, two), (q, qd) in zip(F, at):
        work.called = f"force on body 2, {shown(q, qd)}"
        u, L, Ld, _ = geometry(q, qd)
        pull = (k * (L - L0) + c * Ld) * u  # what acts on body 1, if part 2 is right
        work.either(partial(opposite, one[:3], two[:3]), partial(opposite, pull, two[:3]))
        work.called = f"moment on body 2, {shown(q, qd)}"
        work.compare(two[3:], (0, 0), "The force acts at another place than the origin of body 2, two.T.e, so that it "
                                      "turns the body.", size=values[0], enough=True)
    came = forces(work, values, at, parameters=True)
    work.called = "Strut with parameters of a model, in place of numbers, for k, L0 and c"
    work.compare(came, F, "The force is another one when k, L0 and c are parameters of a "
                                                 "model: take them from assembly.value(...), as the script does.",
                 enough=True)


@stage("The energy that is stored: the balance closes")
def potential(work):
    work.either(lambda: stored(work, geometry), lambda: stored(work, own_geometry(work)))


def stored(work, geometry):
    """By the lengths; with the tension of parts 2 and 3, as they are asked for, the balance closes."""
    values, at = constants(work), states(work)
    k, L0, c = values
    work.called = "Strut.potential(assembly)"
    came = work.ask("potential", strut_of(work), *values)
    if came is Ellipsis:
        raise Wrong("`Strut.potential` is still to be written: put your answer where the `...` stands.",
                    unfinished=True)
    work.require(came is not None, "Your function returns nothing: does it end with `return ...` and your result?",
                 came=came, expected="an energy")
    for q, qd in at:
        _, L, Ld, _ = geometry(q, qd)
        work.called = "Strut.potential"
        right = k * (L - L0) ** 2 / 2
        energy = work.number(work.at(came, symbols(q, qd)))
        work.called = f"Strut.potential(assembly), k = {k}, L0 = {L0}, c = {c}, {shown(q, qd)}"
        work.compare(energy, right, "Its derivative by L is the tension of the spring, and it is zero at L0.",
                     wanted="the integral of the tension of the spring",
                     mistakes=[(2 * right, "The factor 1/2 is missing."),
                               (-right, "The sign: a stretched spring has energy."),
                               (k * L**2 / 2, "The free length is missing: nothing is stored at L0."),
                               (k * (L - L0), "That is the tension: the energy is its integral."),
                               (right + c * Ld**2 / 2, "A damper stores nothing: what it takes is work."),
                               (right + c * Ld * (L - L0), "A damper stores nothing: what it takes is work."),
                               ((L - L0) ** 2 / 2, "The stiffness is missing."),
                               (k * (L**2 - L0**2) / 2, "The square of the stretch is (L - L0)², not L² - L0².")])
