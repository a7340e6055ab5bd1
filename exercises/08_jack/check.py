"""Checks of exercise 08."""

import math
from itertools import permutations

import numpy as np
import sympy

from easydyn import Model
from easydyn.course import stage

m, k, K, rho, S1, S2, V01, V02 = 10, 1e5, 2e8, 860, 1e-3, 6e-4, 1e-4, 3e-4
Cd, Se1, Se2, pE1, pE2, START = 0.611, 1e-5, 1.5e-5, 100e5, 12e5, 10e5


def q_of(Se, difference):
    return math.copysign(Cd * Se * math.sqrt(2 * abs(difference) / rho), difference)


@stage("The flow through an orifice")
def flow(work):
    work.right("flow", lambda Se, p: Cd * Se * sympy.sign(p) * sympy.sqrt(2 * sympy.Abs(p) / rho))
    sections = [round(x * 1e-5, 8) for x in work.draw(4, 0.5, 2)]
    differences = [round(sign * x * 1e6) for sign, x in zip((1, -1, 1, -1), work.draw(4, 0.1, 9))]
    work.answers(
        "flow", list(zip(sections, map(float, differences))), q_of,
        "Cd Se times the root of 2 |difference| / rho, with the sign of the difference.",
        mistakes=[
            (lambda Se, p: abs(q_of(Se, p)),
             "The oil flows both ways: with the sign of the difference."),
            (lambda Se, p: -q_of(Se, p),
             "The sign: oil that flows from the supply to the chamber counts positive."),
            (lambda Se, p: q_of(Se, p) / math.sqrt(2),
             "The factor 2 under the root is missing (the original program had forgotten it, too)."),
            (lambda Se, p: q_of(Se, p) * math.sqrt(2), "The 2 stands under the root."),
            (lambda Se, p: q_of(Se, p) / Cd, "The factor Cd is missing."),
            (lambda Se, p: q_of(Se, p) / Se, "The section Se is missing."),
            (lambda Se, p: q_of(Se, p) / Se * Se1, "Take the section that is given to the function, Se, not Se1."),
            (lambda Se, p: q_of(Se, p) * math.sqrt(rho), "The density is missing: divide by rho, under the root."),
            (lambda Se, p: q_of(Se, p) * rho, "Divide by rho, under the root."),
            (lambda Se, p: q_of(Se, p) / math.sqrt(rho), "rho is divided by under the root, not outside."),
            (lambda Se, p: Cd * Se * 2 * p / rho, "The root is missing."),
            (lambda Se, p: abs(q_of(Se, p)) * p, "The root is multiplied by the sign of the difference, not by the "
                                            "difference."),
            (lambda Se, p: 0, "Nothing flows?"),
        ])


def model_of(work):
    model = work.a(Model, work.call("model"), "a Model")
    work.require(model.names == ("x", "p1", "p2"), "One coordinate, x, and two states, p1 and p2, are asked for.",
                 came=model.names, expected="('x', 'p1', 'p2')")
    mechanism = model.mechanism
    work.require([str(p) for p in mechanism.states] == ["p1", "p2"], "p1 and p2 are first-order states: "
                 "made.states(...), not made.coordinates(...).", came=[str(q) for q in mechanism.coordinates],
                 expected="the coordinate x alone")
    rows = mechanism.equations
    work.require(len(rows) >= 1, "There are no equations yet: made.equation(...), one for each unknown.",
                 came=len(rows), expected="3")
    return model, rows


def values_of(work, model):
    """Random states, by name."""
    made = []
    for _ in range(3):
        x, v, a, p1, p2, d1, d2 = work.draw(7)
        made.append({"x": 0.1 * x, "x.dot": v, "x.ddot": 50 * a, "p1": 5e6 * (1.2 + p1), "p2": 2e6 * (1.2 + p2),
                     "p1.dot": 1e8 * d1, "p2.dot": 1e8 * d2} | model.values())
    return made


def forces(p):
    return m * p["x.ddot"], k * p["x"], p["p1"] * S1, p["p2"] * S2


def balance(p):
    inertia, spring, one, two = forces(p)
    return inertia + spring - one + two


def chamber(number, p, moved=1, squeezed=1, into=-1, V=None, S=None, supply=None, Se=None):
    """The row of a chamber, by the factors of its terms, or with other values."""
    S = (S1, -S2)[number - 1] if S is None else S
    V = (V01, V02)[number - 1] if V is None else V
    supply = (pE1, pE2)[number - 1] if supply is None else supply
    Se = (Se1, Se2)[number - 1] if Se is None else Se
    pressure, rate = p[f"p{number}"], p[f"p{number}.dot"]
    return moved * S * p["x.dot"] + squeezed * (V + S * p["x"]) / K * rate + into * q_of(Se, supply - pressure)


ORDER = "The order of the equations: first the mass, then chamber 1, then chamber 2."


@stage("The balance of forces on the mass")
def mass(work):
    model, rows = model_of(work)

    def made(formula):
        return lambda p: formula(*forces(p))

    work.answers(
        "first equation of model()", values_of(work, model), balance,
        "Inertia, spring and two pressures: four terms.", size=1e4, ask=lambda: rows[0],
        mistakes=[(made(formula), said) for formula, said in (
            (lambda inertia, spring, one, two: inertia + spring + one - two,
             "The signs of both pressures: p1 pushes the mass along x, so that its force stands with a minus beside "
             "the inertia."),
            (lambda inertia, spring, one, two: inertia + spring - one - two,
             "The sign of p2: it pushes the mass back."),
            (lambda inertia, spring, one, two: inertia + spring + one + two,
             "The sign of p1: it pushes the mass along x."),
            (lambda inertia, spring, one, two: inertia - spring - one + two,
             "The sign of the spring: it pulls the mass back."),
            (lambda inertia, spring, one, two: inertia - one + two, "The spring is missing."),
            (lambda inertia, spring, one, two: inertia + spring - one, "The pressure p2 is missing."),
            (lambda inertia, spring, one, two: inertia + spring + two, "The pressure p1 is missing."),
            (lambda inertia, spring, one, two: spring - one + two, "The inertia is missing."),
            (lambda inertia, spring, one, two: inertia / m + spring - one + two, "The mass is missing: m x''."),
            (lambda inertia, spring, one, two: -inertia - spring + one - two,
             "All signs are turned: write the inertia with a plus."),
            (lambda inertia, spring, one, two: inertia - spring + one - two,
             "The inertia stands on the other side: all that is on the side of the forces changes its sign."),
            (lambda inertia, spring, one, two: inertia + spring - one / S1 + two / S2,
             "A pressure times its section is a force: S1 and S2 are missing."),
        )] + [
            (lambda p: m * p["x.ddot"] + k * p["x"] - p["p1"] * S2 + p["p2"] * S1, "The sections are exchanged."),
            (lambda p: m * p["x.ddot"] + k * p["x"] - (p["p1"] - p["p2"]) * S1, "p2 acts on the section S2."),
            (lambda p: m * p["x.dot"] + k * p["x"] - p["p1"] * S1 + p["p2"] * S2, "The inertia is m x'', x.ddot."),
            (lambda p: chamber(1, p), ORDER), (lambda p: chamber(2, p), ORDER),
        ])
    work.called = "model().initial()"
    at_start = model.initial()
    pressures = work.array(at_start[1][1:], (2,), "two pressures")
    work.require(np.any(pressures), "initial=(...) is missing: both pressures begin at 10 bar.", came=pressures,
                 expected="initial=(...) of the states")
    work.compare(pressures, (START, START), "Both pressures begin at 10 bar, 10e5 Pa.", wanted="initial=(...) of "
                 "the states",
                 mistakes=[((10, 10), "10 bar are 10e5 Pa: SI units everywhere."),
                           ((pE1, pE2), "These are the pressures of the supplies: both chambers begin at 10 bar.")])
    work.compare(at_start[0][0], 0, "x begins at zero.")


@stage("The two chambers")
def chambers(work):
    model, rows = model_of(work)
    count = len(rows)
    work.require(count == 3, "Three equations are asked for: the mass, chamber 1, chamber 2.", came=count, expected="3")
    states = values_of(work, model)
    orders = [(1, 2), *(pair for pair in permutations(range(3), 2) if 0 in pair)]  # told in part 2
    work.either(*(lambda pair=pair: chambers_of(work, states, *(rows[n] for n in pair)) for pair in orders))


def chambers_of(work, states, first, second):
    def with_(number, **options):
        return lambda p: chamber(number, p, **options)

    work.answers(
        "second equation of model()", states, with_(1), "V1' + V1/K p1' - Q1, with V1 = V01 + S1 x.", size=1e-4,
        ask=lambda: first,
        mistakes=[(with_(1, **options), said) for options, said in (
            ({"into": 1}, "The sign of the flow: what comes in is what the chamber grows by, so that Q1 is subtracted "
                          "(or the difference is pE1 - p1, not p1 - pE1)."),
            ({"moved": 0}, "The growth of the volume, S1 x', is missing."),
            ({"moved": -1}, "The sign of S1 x': chamber 1 grows with x."),
            ({"squeezed": 0}, "The compression of the oil, V1/K p1', is missing."),
            ({"squeezed": -1}, "The sign of V1/K p1': oil that is compressed needs more."),
            ({"squeezed": K}, "The bulk modulus is missing: V1/K p1'."),
            ({"into": 0}, "The flow is missing."),
            ({"supply": pE2}, "That is the supply of chamber 2: pE1 belongs to chamber 1."),
            ({"supply": 0}, "The flow is driven by a difference: pE1 - p1."),
            ({"V": V02}, "V02 is of chamber 2: V1 = V01 + S1 x."),
            ({"S": S2}, "S2 is of chamber 2."),
            ({"Se": Se2}, "Se2 is the orifice of chamber 2."),
            ({"moved": -1, "squeezed": -1, "into": 1}, "All signs are turned: write the growth of the volume with a "
                                                       "plus."),
        )] + [
            (lambda p: chamber(1, p) - S1 * p["x"] / K * p["p1.dot"], "The volume changes with x: V1 = V01 + S1 x."),
            (lambda p: chamber(1, p) - V01 / K * p["p1.dot"], "V01 is missing in the volume: V1 = V01 + S1 x."),
            (with_(2), ORDER), (balance, ORDER),
            (lambda p: chamber(1, p, into=0) - q_of(Se1, pE1 - p["p2"]), "p1 is the pressure in chamber 1, not p2."),
        ])
    work.answers(
        "third equation of model()", states, with_(2), "V2' + V2/K p2' - Q2, with V2 = V02 - S2 x.", size=1e-4,
        ask=lambda: second,
        mistakes=[(with_(2, **options), said) for options, said in (
            ({"moved": -1}, "The sign of S2 x': chamber 2 becomes smaller when x grows."),
            ({"S": S2}, "Chamber 2 becomes smaller when x grows: V2 = V02 - S2 x, in both places."),
            ({"V": V01}, "The volume of chamber 2 at x = 0 is V02 (table I of the paper calls it V01 by mistake)."),
            ({"into": 1}, "The sign of the flow: Q2 is subtracted, and goes from pE2 to p2."),
            ({"into": 0}, "The flow is missing."),
            ({"moved": 0}, "The change of the volume, -S2 x', is missing."),
            ({"squeezed": 0}, "The compression of the oil, V2/K p2', is missing."),
            ({"squeezed": -1}, "The sign of V2/K p2': oil that is compressed needs more."),
            ({"supply": pE1}, "That is the supply of chamber 1: pE2 belongs to chamber 2."),
            ({"S": -S1}, "S1 is of chamber 1."),
            ({"Se": Se1}, "Se1 is the orifice of chamber 1."),
            ({"moved": -1, "squeezed": -1, "into": 1}, "All signs are turned: the flow into the chamber has a minus, "
                                                       "as in chamber 1."),
        )] + [
            (lambda p: chamber(2, p) + 2 * S2 * p["x"] / K * p["p2.dot"], "The sign in the volume: V2 = V02 - S2 x."),
            (lambda p: chamber(2, p) + S2 * p["x"] / K * p["p2.dot"], "The volume changes with x: V2 = V02 - S2 x."),
            (with_(1), ORDER), (balance, ORDER),
        ])


@stage("Where the mass comes to rest")
def at_rest(work):
    right = (pE1 * S1 - pE2 * S2) / k
    work.compare(
        work.number(work.value("x_rest")), right, "At rest nothing flows: each chamber has the pressure of its supply.",
        tolerance=1e-4, wanted="the x at which the forces balance",
        mistakes=[(pE1 * S1 / k, "The pressure of chamber 2 pushes back: it is missing."),
                  ((pE1 * S1 + pE2 * S2) / k, "The sign of p2: it pushes the mass back."),
                  (right / 1e5, "Pressures are in Pa: 1 bar is 1e5 Pa."),
                  (START * (S1 - S2) / k, "That is the rest at the pressures of the start: nothing flows when each "
                                          "chamber has the pressure of its supply."),
                  ((pE1 * S1 - START * S2) / k, "p2 does not stay at the pressure of the start: it goes to that of its "
                                                "supply."),
                  ((pE1 - pE2) * S1 / k, "p2 acts on the section S2."),
                  ((pE1 - pE2) * S2 / k, "p1 acts on the section S1."),
                  ((pE1 * S2 - pE2 * S1) / k, "The sections are exchanged."),
                  (right * k, "That is the force of the spring in N: divide it by k."),
                  (-right, "The sign: p1 pushes the mass along x."),
                  (right * k / m / 9.81, "Divide the force by the stiffness of the spring, not by a weight."),
                  (100 * right, "That is in cm: SI units everywhere."),
                  (1000 * right, "That is in mm: SI units everywhere.")])
