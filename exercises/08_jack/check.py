"""Checks of exercise 08."""

import math

import numpy as np

from easydyn import Model
from easydyn.course import stage

m, k, K, rho, S1, S2, V01, V02 = 10, 1e5, 2e8, 860, 1e-3, 5e-4, 1e-4, 3e-4
Cd, Se, pE1, pE2 = 0.611, 1e-5, 100e5, 10e5


def q_of(difference):
    return math.copysign(Cd * Se * math.sqrt(2 * abs(difference) / rho), difference)


@stage("The flow through an orifice")
def flow(work):
    for difference in (9e6, 2e5, -3e6, -5e4):
        came = work.number(work.call("flow", Se, difference))
        right = q_of(difference)
        work.compare(
            came, right, "Cd Se times the root of 2 |difference| / rho, with the sign of the difference.",
            mistakes=[(-right, "The sign: oil that flows from the supply to the chamber counts positive."
                       if difference > 0 else "The oil flows both ways: with the sign of the difference."),
                      (right / math.sqrt(2), "The factor 2 under the root is missing (the original program had "
                                             "forgotten it, too)."),
                      (right * math.sqrt(2), "There is a factor 2 too much."),
                      (right / Cd, "The factor Cd is missing."), (0, "Nothing flows?")])


def model_of(work):
    model = work.a(Model, work.call("model"), "a Model")
    work.require(model.names == ("x", "p1", "p2"), "One coordinate, x, and two states, p1 and p2, are asked for.",
                 came=model.names, expected="('x', 'p1', 'p2')")
    work.require([str(p) for p in model.mechanism.states] == ["p1", "p2"], "p1 and p2 are first-order states: "
                 "made.states(...), not made.coordinates(...).", came=[str(q) for q in model.mechanism.coordinates],
                 expected="the coordinate x alone")
    rows = model.mechanism.equations
    work.require(len(rows) >= 1, "There are no equations yet: made.equation(...), one for each unknown.",
                 came=len(rows), expected="3")
    return model


def rows_at(work, model):
    """The rows at random states: values by name, and numbers of the rows."""
    for _ in range(3):
        x, v, a, p1, p2, d1, d2 = work.draw(7)
        values = {"x": 0.1 * x, "x.dot": v, "x.ddot": 50 * a, "p1": 5e6 * (1.2 + p1), "p2": 2e6 * (1.2 + p2),
                  "p1.dot": 1e8 * d1, "p2.dot": 1e8 * d2} | model.values()
        yield values, lambda j, values=values: float(np.ravel(work.at(model.mechanism.equations[j], values))[0])


@stage("The balance of forces on the mass")
def mass(work):
    model = model_of(work)
    for p, row in rows_at(work, model):
        work.called = "first equation of model()"
        inertia, spring, one, two = m * p["x.ddot"], k * p["x"], p["p1"] * S1, p["p2"] * S2
        work.compare(
            row(0), inertia + spring - one + two, "Inertia, spring and two pressures: four terms.", size=1e4,
            mistakes=[(inertia + spring + one - two, "The signs of both pressures: p1 pushes the mass along x, so "
                                                     "that its "
                                                     "force stands with a minus beside the inertia."),
                      (inertia + spring - one - two, "The sign of p2: it pushes the mass back."),
                      (inertia + spring + one + two, "The sign of p1: it pushes the mass along x."),
                      (inertia - spring - one + two, "The sign of the spring: it pulls the mass back."),
                      (inertia - one + two, "The spring is missing."),
                      (inertia + spring - one, "The pressure p2 is missing."),
                      (-(inertia + spring - one + two), "All signs are turned: write the inertia with a plus.")])
    work.called = "model().initial()"
    at_start = model.initial()
    work.compare(at_start[1][1:], (10e5, 10e5), "Both pressures begin at 10 bar, 10e5 Pa.",
                 mistakes=[((10, 10), "10 bar are 10e5 Pa: SI units everywhere."), ((0, 0), "initial=(...) is "
                                                                                            "missing.")])


@stage("The two chambers")
def chambers(work):
    model = model_of(work)
    count = len(model.mechanism.equations)
    work.require(count == 3, "Three equations are asked for: the mass, chamber 1, chamber 2.", came=count, expected="3")
    for p, row in rows_at(work, model):
        work.called = "second equation of model()"
        moved, squeezed, into = S1 * p["x.dot"], (V01 + S1 * p["x"]) / K * p["p1.dot"], q_of(pE1 - p["p1"])
        work.compare(
            row(1), moved + squeezed - into, "V1' + V1/K p1' - Q1, with V1 = V01 + S1 x.", size=1e-4,
            mistakes=[(moved + squeezed + into, "The sign of the flow: what comes in is what the chamber grows by, "
                                                "so that "
                                                "Q1 is subtracted (or the difference is pE1 - p1, not p1 - pE1)."),
                      (squeezed - into, "The growth of the volume, S1 x', is missing."),
                      (moved + V01 / K * p["p1.dot"] - into, "The volume changes with x: V1 = V01 + S1 x."),
                      (moved - into, "The compression of the oil, V1/K p1', is missing."),
                      (moved + squeezed - q_of(pE2 - p["p1"]), "That is the supply of chamber 2: pE1 belongs to "
                                                               "chamber 1.")])
        work.called = "third equation of model()"
        moved, squeezed, into = -S2 * p["x.dot"], (V02 - S2 * p["x"]) / K * p["p2.dot"], q_of(pE2 - p["p2"])
        other = (V02 + S2 * p["x"]) / K * p["p2.dot"]
        first = (V01 - S2 * p["x"]) / K * p["p2.dot"]
        work.compare(
            row(2), moved + squeezed - into, "V2' + V2/K p2' - Q2, with V2 = V02 - S2 x.", size=1e-4,
            mistakes=[(-moved + squeezed - into, "The sign of S2 x': chamber 2 becomes smaller when x grows."),
                      (-moved + other - into, "Chamber 2 becomes smaller when x grows: V2 = V02 - S2 x, in both "
                                              "places."),
                      (moved + other - into, "The sign in the volume: V2 = V02 - S2 x."),
                      (moved + first - into, "The volume of chamber 2 at x = 0 is V02 (table I of the paper calls "
                                             "it V01 by mistake)."),
                      (moved + squeezed + into, "The sign of the flow: Q2 is subtracted, and goes from pE2 to p2.")])


@stage("Where the mass comes to rest")
def at_rest(work):
    came = work.number(work.value("x_rest"))
    right = (pE1 * S1 - pE2 * S2) / k
    work.compare(
        came, right, "At rest nothing flows: each chamber has the pressure of its supply.", tolerance=1e-4,
        wanted="the x at which the forces balance",
        mistakes=[(pE1 * S1 / k, "The pressure of chamber 2 pushes back: it is missing."),
                  ((pE1 * S1 + pE2 * S2) / k, "The sign of p2: it pushes the mass back."),
                  (right / 1e5, "Pressures are in Pa: 1 bar is 1e5 Pa."),
                  ((10e5 * S1 - 10e5 * S2) / k, "That is the rest at the pressures of the start: p1 rises to pE1."),
                  (right * k, "That is the force of the spring in N: divide it by k."),
                  (100 * right, "That is in cm: SI units everywhere."), (1000 * right, "That is in mm: SI units "
                                                                                       "everywhere.")])
    run = work.simulate(model_of(work), 0.6, save_every=0.1, max_step=0.002, tolerance=1e-4)
    work.called = "model().simulate(0.6), at its end"
    work.compare(run["x"][-1], right, "The run of your model ends elsewhere.", tolerance=2e-3, wanted="x_rest")
