"""Checks of exercise 07."""

import math

import numpy as np
import sympy

from easydyn import Model, tdisp, trotz
from easydyn.course import stage

L1, L2, G = 0.9, 2.1, 9.81
CRANK, ROD, SLIDER = 0.0675, 0.735, 2.0  # kg m2
M1, M2, M3 = 1, 2, 5  # kg


def sine(q):
    """Of alpha."""
    return L1 * math.sin(q) / L2


def place(q):
    """Of the slider."""
    return L1 * math.cos(q) + math.sqrt(L2**2 - (L1 * math.sin(q)) ** 2)


@stage("The angle of the rod")
def alpha(work):
    work.right("alpha", lambda q: sympy.asin(L1 * sympy.sin(q) / L2))
    work.answers(
        "alpha", work.inputs(4, 1, -3, 3), lambda q: math.asin(sine(q)), "It must make l1 sin(q) = l2 sin(alpha).",
        mistakes=[
            (lambda q: -math.asin(sine(q)), "The sign: alpha is positive when the crank's end is above the x axis."),
            (sine, "That is the sine of alpha: alpha itself is its asin."),
            (lambda q: math.acos(L1 * math.cos(q) / L2),
             "You have projected on x: the heights above the x axis are equal."),
            (lambda q: math.asin(L1 * math.cos(q) / L2), "The height of the crank's end is l1 sin(q), with the sine."),
            (lambda q: math.acos(sine(q)), "That is the angle to the vertical: asin, not acos."),
            (lambda q: math.atan(sine(q)), "The rod is the hypotenuse: asin, not atan."),
            (lambda q: math.asin(math.sin(q) / L2), "l1 is missing: the height of the crank's end is l1 sin(q)."),
            (lambda q: math.asin(math.sin(q) * L1), "l2 is missing: the height is divided by the length of the rod."),
            (lambda q: math.atan2(L1 * math.sin(q), L1 * math.cos(q) + L2),
             "That is the angle of the triangle if the rod were along x."),
            (lambda q: math.asin(L2 * math.sin(q) / L1), "The lengths are exchanged: the crank has l1."),
            (lambda q: math.pi - math.asin(sine(q)), "alpha is the angle at the slider with the x axis, an acute one."),
        ])


@stage("The position of the slider")
def slider(work):
    work.right("slider", lambda q: L1 * sympy.cos(q) + sympy.sqrt(L2**2 - (L1 * sympy.sin(q)) ** 2))

    def made(formula):
        """By the projections of the crank, of the rod, and the height."""
        return lambda q: formula(L1 * math.cos(q), place(q) - L1 * math.cos(q), L1 * math.sin(q))

    work.answers(
        "slider", work.inputs(4, 1, -3, 3), made(lambda crank, rod, height: crank + rod),
        "The distance from the crank's end to the slider must be l2 at every q.",
        mistakes=[(made(formula), said) for formula, said in (
            (lambda crank, rod, height: crank - rod, "That is the other way to close the loop: the slider is on the "
                                                     "right."),
            (lambda crank, rod, height: crank + L2, "The rod is not parallel to x: take its projection, with "
                                                    "cos(alpha)."),
            (lambda crank, rod, height: L1 + L2, "That is the longest reach, at q = 0."),
            (lambda crank, rod, height: crank + height,
             "That is the height of the crank's end, not its way to the slider: cos(alpha), not sin(alpha)."),
            (lambda crank, rod, height: rod,
             "The way from the origin to the foot of the crank's end, l1 cos(q), is missing."),
            (lambda crank, rod, height: crank, "That is the foot of the crank's end: the rod is missing."),
            (lambda crank, rod, height: L1 + rod, "The crank is not parallel to x: take its projection, with cos(q)."),
            (lambda crank, rod, height: height + rod, "The projection of the crank on x has the cosine."),
            (lambda crank, rod, height: crank + rod / L2, "l2 is missing: the projection of the rod is l2 cos(alpha)."),
            (lambda crank, rod, height: crank / L1 + rod, "l1 is missing: the projection of the crank is l1 cos(q)."),
            (lambda crank, rod, height: crank + L2**2 - height**2, "The root is missing: Pythagoras gives the square."),
            (lambda crank, rod, height: crank + math.sqrt(L2**2 + height**2),
             "The rod is the hypotenuse: its square less that of the height."),
            (lambda crank, rod, height: rod - crank, "The sign of l1 cos(q): at q = 0 the crank points to the slider."),
        )])


def model_of(work):
    model = work.a(Model, work.call("model"), "a Model")
    work.require(model.names == ("q",), "One coordinate is asked for, q: a closed loop needs no more.",
                 came=model.names, expected="('q',)")
    work.require(len(model.bodies) == 3, "Three bodies are asked for: crank, rod, slider.", came=len(model.bodies),
                 expected="3")
    return model


def ends(T, length):
    """Both ends of a body, by its frame in the middle."""
    T = np.array(getattr(T, "matrix", T), dtype=float)
    return np.array([(T @ [x * length / 2, 0, 0, 1])[:2] for x in (-1, 1)])


def inertias(q):
    """What contributes to M: both motions of crank and rod, the slider; and their derivatives by q as a whole."""
    a = math.asin(sine(q))
    slope = L1 * math.cos(q) / (L2 * math.cos(a))  # d alpha / d q
    dx = -L1 * math.sin(q) - L2 * math.sin(a) * slope
    middle = np.array([dx + L2 / 2 * math.sin(a) * slope, L1 / 2 * math.cos(q)])
    return np.array([M1 * L1**2 / 4, CRANK, M2 * middle @ middle, ROD * slope**2, M3 * dx**2])


def slope(q, h=1e-4):
    """Of the mass matrix over q."""
    return (sum(inertias(q + h)) - sum(inertias(q - h))) / (2 * h)


def weight(q):
    return G * (M1 + M2) * L1 / 2 * math.cos(q)


@stage("The model: a loop that stays closed, masses, gravity")
def model(work):
    made = model_of(work)
    system = made.compile(target="python")
    angles = work.inputs(4, 1, -3, 3)

    def rod(formula):
        """By the slider, the angle and the crank's end."""
        return lambda q: ends(formula(tdisp(place(q), 0, 0), math.asin(sine(q)),
                                      tdisp(L1 * math.cos(q), L1 * math.sin(q), 0)), L2)

    half = tdisp(L2 / 2, 0, 0)
    work.answers(
        "both ends of the crank, from its frame, model() at q = {}", angles,
        lambda q: ends(trotz(q) * tdisp(L1 / 2, 0, 0), L1),
        "The frame of the crank stands in its middle, with the x axis along it, from the origin to the rod.",
        ask=lambda q: ends(system.frames(0, [q])[0], L1),
        mistakes=[
            (lambda q: ends(trotz(q) * tdisp(L1, 0, 0), L1),
             "Your frame stands at the end of the crank: go half of its length only."),
            (lambda q: ends(trotz(q), L1), "Your frame stands in the origin: go half of the length of the crank."),
            (lambda q: ends(tdisp(L1 / 2, 0, 0) * trotz(q), L1),
             "The order of the product: the crank turns about the origin, so the turn comes first."),
            (lambda q: ends(trotz(-q) * tdisp(L1 / 2, 0, 0), L1), "The sign of q: it is positive about z."),
            (lambda q: ends(trotz(q) * tdisp(0, -L1 / 2, 0), L1),
             "At q = 0 the crank points along x: it goes along the x axis of its frame."),
            (lambda q: ends(tdisp(L1 / 2 * math.cos(q), L1 / 2 * math.sin(q), 0), L1),
             "The position is right, but your frame is not turned: the turn has to be a factor of the product."),
        ])
    work.answers(
        "the frame of the slider, model() at q = {}", angles, lambda q: tdisp(place(q), 0, 0),
        "The slider is at (slider(q), 0, 0), and does not turn.", ask=lambda q: system.frames(0, [q])[2],
        mistakes=[
            (lambda q: tdisp(place(q), 0, 0) * trotz(math.asin(sine(q))), "The slider does not turn with the rod."),
            (lambda q: tdisp(place(q), 0, 0) * trotz(-math.asin(sine(q))), "The slider does not turn with the rod."),
            (lambda q: trotz(q) * tdisp(place(q), 0, 0), "The slider stays on the x axis: nothing turns it."),
        ])
    work.answers(
        "both ends of the rod, from its frame, model() at q = {}", angles,
        rod(lambda block, a, pin: block * trotz(-a) * half.inv()),
        "The loop does not close: half the length of the rod before its centre, along its x axis, should be the end "
        "of the crank, and as far beyond it the slider.", ask=lambda q: ends(system.frames(0, [q])[1], L2),
        mistakes=[(rod(formula), said) for formula, said in (
            (lambda block, a, pin: block * trotz(a) * half.inv(),
             "The sign of the angle: with the crank's end above, the rod is turned by -alpha."),
            (lambda block, a, pin: pin * trotz(a) * half,
             "The sign of the angle: with the crank's end above, the rod is turned by -alpha."),
            (lambda block, a, pin: block * trotz(-a) * half,
             "The rod goes on beyond the slider: it lies before it, on the side of the crank."),
            (lambda block, a, pin: block * trotz(-a), "Your frame stands at the slider: go back half of the rod."),
            (lambda block, a, pin: pin * trotz(-a), "Your frame stands at the end of the crank: go on half of the "
                                                    "rod."),
            (lambda block, a, pin: block * trotz(math.pi - a) * half,
             "The x axis of the rod points from the slider to the crank: it should point to the slider."),
            (lambda block, a, pin: block * half.inv() * trotz(-a),
             "The order of the product: turn at the slider, then go back along the rod."),
            (lambda block, a, pin: block * half.inv(), "The rod is not turned: by -alpha."),
        )] + [
            (lambda q: ends(trotz(q) * tdisp(L1, 0, 0) * trotz(-math.asin(sine(q))) * half, L2),
             "The end of the crank has turned by q already: from it on, turn back by q as well."),
        ])
    work.answers(
        "mass matrix of model() at q = {}", angles, lambda q: sum(inertias(q)),
        "The masses are 1, 2, 5 kg, the moments of inertia about z 0.0675, 0.735 and 2 kg m².",
        ask=lambda q: system.mass_matrix(0, [q]), size=10, wanted="that of the three bodies", enough=True,
        mistakes=[(lambda q, weights=weights: inertias(q) @ weights, said) for weights, said in (
            ((1, 0, 1, 0, 1), "The moments of inertia are missing: the third of inertia=."),
            ((1, 1, 1, 0, 1), "The moment of inertia of the rod is missing: the third of inertia="),
            ((1, 0, 1, 1, 1), "The moment of inertia of the crank is missing: the third of inertia="),
            ((1, 1, 1, 1, 0), "The mass of the slider is missing."),
            ((1, 1, M3 / M2, 1, M2 / M3), "The masses of rod and slider are exchanged."),
            ((M2, 1, 1 / M2, 1, 1), "The masses of crank and rod are exchanged."),
            ((1, ROD / CRANK, 1, CRANK / ROD, 1), "The moments of inertia of crank and rod are exchanged."),
            ((1, 4, 1, 1, 1), "The moment of inertia of the crank is about its centre of mass: take 0.0675."),
        )] + [(lambda q: sum(inertias(q)) - CRANK + 1 + (1 / ROD - 1) * inertias(q)[3],
               "The third number of inertia= is that about z.")])

    def sideways(q, h=1e-5):
        return G * sum(m * (f(q + h) - f(q - h)) / (2 * h) for m, f in (
            (M1, lambda q: L1 / 2 * math.cos(q)), (M2, lambda q: (place(q) + L1 * math.cos(q)) / 2), (M3, place)))

    work.answers(
        "residual of model() at rest, q = {}", angles, weight, "Gravity is (0, -9.81, 0), and acts on crank and rod.",
        ask=lambda q: system.residual(0, [q], [0.0], [0.0]), size=10, wanted="what the weights contribute",
        mistakes=[(lambda q: 0, "There is no gravity: Model(name, gravity=(0, -9.81, 0))."),
                  (lambda q: -weight(q), "Gravity points upwards: its vector is (0, -9.81, 0)."),
                  (sideways, "Gravity points along -x: upwards is y here."),
                  (lambda q: -sideways(q), "Gravity points along x: upwards is y here."),
                  (lambda q: weight(q) / G, "Gravity is 9.81 m/s²: yours is 1.")])

    def motion(q, qd, qdd):
        return sum(inertias(q)) * qdd + slope(q) * qd**2 / 2 + weight(q)

    work.answers(
        "residual(0, [{}], [{}], [{}]) of model()", work.inputs(2, 3), motion,
        "Something else acts beside gravity: nothing else does.", tolerance=1e-5, size=10, enough=True,
        ask=lambda q, qd, qdd: system.residual(0, [q], [qd], [qdd]))
    work.called = "model().initial()"
    work.compare(made.initial()[0], (1,), "The initial value of q is 1 rad.", wanted="initial=... of the coordinate",
                 mistakes=[((0,), "The initial value is missing: q begins at 1 rad."),
                           ((math.degrees(1),), "Initial values are in rad: q begins at 1 rad.")])


def period_from(q):
    """The period of the oscillation from q at rest, by its energy: about -pi/2, where the weights are lowest."""
    far = q + math.pi / 2
    s = (np.arange(400) + 0.5) * math.pi / 400 - math.pi / 2
    turned = far * np.sin(s)  # from the lowest place, between -far and far
    M = np.array([sum(inertias(u - math.pi / 2)) for u in turned])
    fall = G * (M1 + M2) * L1 / 2 * (np.cos(turned) - math.cos(far))
    return float(2 * np.sum(far * np.cos(s) / np.sqrt(2 * fall / M)) * math.pi / 400)


def oscillation(q, length, h=0.01):
    """The motion from q at rest, by steps of Runge and Kutta: times, and rows of q, its rate, its acceleration."""
    def acceleration(q, qd):
        return -(slope(q) * qd**2 / 2 + weight(q)) / sum(inertias(q))

    times, rows, x = h * np.arange(round(length / h) + 1), [], np.array([q, 0.0])
    for _ in times:
        rows.append((*x, acceleration(*x)))
        found = []
        for part in (0, h / 2, h / 2, h):
            y = x + part * (found[-1] if found else x)
            found.append(np.array([y[1], acceleration(*y)]))
        x = x + h / 6 * (found[0] + 2 * found[1] + 2 * found[2] + found[3])
    return times, np.array(rows).T


@stage("The period of the oscillation")
def period(work):
    for q in work.draw(20, 0.2, 1.1):
        right = period_from(q)
        if 0.2 < 100 * right % 1 < 0.8:  # else one who does not interpolate could be right by chance
            break
    length = round(1.12 * right, 1)
    times, rows = oscillation(q, length)  # not a run of the student's model, which is only what he says of it
    run = work.ask("run_of", times, *rows)
    came = work.number(work.result(
        f"period(model().simulate({length:g}, initial={{'q': {q}}}, save_every=0.01))", work.value("period"), run))
    wanted = "the time after which all is as before"
    for value, said in (
        (right / 2, "That is half a period: the time from one end to the other. It is over when the mechanism is "
                    "back."),
        (1 / right, "That is the frequency in Hz: the period is its inverse."),
        (2 * right, "That is twice the period."),
        (length, "That is the length of the run."),
        (right / 4, "That is a quarter of a period."),
        (2 * math.pi / right, "That is the angular frequency in rad/s."),
        (100 * right, "That is a number of instants: take the times, run.t."),
        (50 * right, "That is a number of instants: take the times, run.t."),
    ):
        work.require(abs(came - value) > 0.01 * value, said, came=came, expected=wanted)
    work.require(abs(came - right) > 0.012 or abs(came - right) < 5e-4,
                 "That is nearly right: interpolate between the two saved instants.", came=came, expected="to 0.5 ms")
    work.compare(came, right, "The zeros of the speed are half a period apart.", tolerance=1e-4, wanted=wanted)
