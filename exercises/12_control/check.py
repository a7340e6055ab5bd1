"""Checks of exercise 12."""

import numpy as np

from easydyn import Model
from easydyn.course import stage

L, R, k, J, b, H = 0.008, 1.2, 0.1, 2e-3, 1.5e-3, 0.01
GAIN = k / (R * b + k**2)


def motor_of(work):
    model = work.a(Model, work.call("motor"), "a Model")
    mechanism = model.mechanism
    states = [str(x) for x in mechanism.states]
    work.require(states == ["i", "w"] and not mechanism.coordinates, "The motor has the two states i and w: "
                 'made.states("i w").', came=model.names, expected="('i', 'w')")
    inputs = [str(u) for u in mechanism.inputs]
    work.require(inputs == ["U"], 'The voltage is the input U: made.input("U").', came=inputs, expected="['U']")
    work.require(len(mechanism.equations) == 2, "Two equations are asked for: voltages, torques.",
                 came=len(mechanism.equations), expected="2")
    work.require("speed" in mechanism.outputs, 'The output is missing: made.output("speed", w).',
                 came=list(mechanism.outputs), expected="['speed']")
    return model, mechanism


def voltages(p, inductance=1, resistance=1, induced=1, supply=-1):
    return inductance * L * p["i.dot"] + resistance * R * p["i"] + induced * k * p["w"] + supply * p["U"]


def torques(p, inertia=1, friction=1, torque=-1):
    return inertia * J * p["w.dot"] + friction * b * p["w"] + torque * k * p["i"]


ORDER = "The order of the equations: first the balance of voltages, then that of torques."


@stage("The motor")
def motor(work):
    model, mechanism = motor_of(work)
    rows, outputs = mechanism.equations, mechanism.outputs
    values = [model.values() | dict(zip(("i", "w", "i.dot", "w.dot", "U"), work.draw(5, -2, 2))) for _ in range(3)]

    def of(formula, **options):
        return lambda p: formula(p, **options)

    work.answers(
        "first equation of motor()", values, voltages, "L i', R i and k w on one side, U on the other: four terms.",
        ask=lambda: rows[0], size=1e-2,
        mistakes=[(of(voltages, **options), said) for options, said in (
            ({"induced": -1}, "The sign of the induced voltage: it acts against U, so that a motor that turns faster "
                              "takes less current."),
            ({"induced": 0}, "The induced voltage k w is missing."),
            ({"resistance": 0}, "The resistance is missing: R i."),
            ({"resistance": 1 / R}, "R i is a voltage: R is missing."),
            ({"resistance": -1}, "The sign of R i: the resistance takes a part of U, as the inductance does."),
            ({"inductance": 0}, "The inductance is missing: L i'."),
            ({"inductance": 1 / L}, "L i' is a voltage: L is missing."),
            ({"supply": 0}, "The voltage U is missing: it drives the current."),
            ({"supply": 1}, "The sign of U: it drives the current."),
            ({"resistance": -1, "induced": -1}, "On the side of L i' stand R i and k w with a plus."),
            ({"resistance": -1, "induced": -1, "supply": 1},
             "All that stands on the other side of L i' changes its sign: L i' = U - R i - k w."),
            ({"inductance": -1, "resistance": -1, "induced": -1, "supply": 1},
             "All signs are turned: write L i' with a plus."),
        )] + [
            (of(torques), ORDER), (of(torques, inertia=-1, friction=-1, torque=1), ORDER),
            (lambda p: voltages(p, inductance=0) + L * p["i"], "The inductance takes L i': i.dot, the derivative."),
            (lambda p: voltages(p, resistance=0) + R * p["i.dot"], "The resistance takes R i, not R i'."),
        ])
    work.answers(
        "second equation of motor()", values, torques, "J w' and b w on one side, k i on the other: three terms.",
        ask=lambda: rows[1], size=1e-2,
        mistakes=[(of(torques, **options), said) for options, said in (
            ({"friction": -1}, "The sign of the friction: it brakes."),
            ({"friction": 0}, "The friction b w is missing."),
            ({"torque": 1}, "The sign of the torque: it drives the rotor."),
            ({"torque": 0}, "The torque k i is missing: it drives the rotor."),
            ({"torque": -1 / k}, "The torque is k i: k is missing."),
            ({"inertia": 0}, "The inertia is missing: J w'."),
            ({"inertia": 1 / J}, "J w' is a torque: J is missing."),
            ({"friction": -1, "torque": 1}, "All that stands on the other side of J w' changes its sign: J w' = k i - "
                                            "b w."),
            ({"inertia": -1, "friction": -1, "torque": 1}, "All signs are turned: write J w' with a plus."),
        )] + [
            (of(voltages), ORDER),
            (lambda p: torques(p, torque=0) - k * p["U"], "The current gives the torque, k i, not the voltage."),
            (lambda p: torques(p, friction=0) + b * p["w.dot"], "The friction is b w, not b w'."),
        ])
    work.answers("output speed of motor()", values, lambda p: p["w"], 'The output is w: made.output("speed", w).',
                 ask=lambda: outputs["speed"],
                 mistakes=[(lambda p: p["i"], "That is the current: the speed is w."),
                           (lambda p: p["w.dot"], "That is the acceleration: the speed is w itself.")])
    work.called = "motor().initial()"
    work.compare(np.ravel(model.initial()[1]), (0, 0), "The motor begins at rest, without current.", enough=True)


@stage("The steady speed")
def steady(work):
    def made(formula):
        return lambda U: formula() * U

    work.answers(
        "steady_speed", work.inputs(3, 1, 5, 20), made(lambda: GAIN),
        "With i' = w' = 0 there are two equations for i and w.",
        mistakes=[(made(formula), said) for formula, said in (
            (lambda: 1 / k, "That is the speed without friction: with it a current flows, and R i is missing from the "
                            "voltage."),
            (lambda: k / (R * b), "The induced voltage is missing: it leaves little for the current."),
            (lambda: k / (R * b - k**2), "The sign of the induced voltage."),
            (lambda: k / (b + k**2), "The resistance is missing: it stands before the current in the first equation."),
            (lambda: k / (R + k**2), "The friction is missing: it stands before the speed in the second equation."),
            (lambda: k / (R * b + k), "k comes twice below: once from the induced voltage, once from the torque."),
            (lambda: 1 / (R * b + k**2), "k is missing above: the current gives the torque k i."),
            (lambda: 1 / (R * b / k), "The induced voltage is missing: it leaves little for the current."),
            (lambda: 1 / R, "That is the current when the motor stands."),
            (lambda: b / (R * b + k**2), "That is the current: the speed is k/b times as large."),
            (lambda: k / (R * b) + k**2, "Brackets around all that stands below."),
            (lambda: k / R / b + 1 / k, "With i' = w' = 0 there are two equations, which hold together."),
            (lambda: 0, "Nothing changes any more: the acceleration is zero, not the speed."),
        )])


@stage("With a proportional controller")
def proportional(work):
    def made(formula):
        return lambda P: formula(P, GAIN * P)

    work.answers(
        "proportional_speed", work.inputs(3, 1, 0.05, 0.5), made(lambda P, g: 100 * g / (1 + g)),
        "The speed is G U, and U depends on the speed: solve for it.",
        mistakes=[(made(formula), said) for formula, said in (
            (lambda P, g: 100, "A proportional controller does not reach it: at 100 rad/s its voltage would be zero."),
            (lambda P, g: 100 * g, "You have taken U = 100 P: as the motor speeds up, the voltage falls."),
            (lambda P, g: 100 / (1 + g), "That is the error that remains, not the speed."),
            (lambda P, g: 100 * P / (1 + P), "The gain of the motor, its speed for 1 V, is missing."),
            (lambda P, g: g / (1 + g), "The wanted speed is missing: 100 rad/s."),
            (lambda P, g: 100 * g / (1 - g), "The sign of the speed in U = P (100 - w)."),
            (lambda P, g: 100 * g - 1, "Solve for w: it stands on both sides."),
            (lambda P, g: 100 * g / 1 + g, "Brackets around all that stands below."),
            (lambda P, g: 100 * P / (1 + g), "That is the voltage: the speed is G times as large."),
            (lambda P, g: 100 * P * k / (R * b + k**2 + P), "P comes with k below: it stands before the speed, as the "
                                                            "induced voltage does."),
            (lambda P, g: 100 * GAIN / (1 + GAIN), "P is missing."),
        )])


def commands(P, I, wanted, speeds):
    """What a PI controller asks for, one after the other."""
    e = wanted - np.array(speeds)
    return P * e + I * H * np.cumsum(e)


def asked(work, law, speeds, shown):
    """What the student's law asks for when it measures these speeds."""
    found = []
    for j, speed in enumerate(speeds):
        came = work.result(shown.format(j * H, speed), law, j * H, {"speed": speed})
        work.require(isinstance(came, dict) and set(came) == {"U"}, "law returns a dict with the input: {'U': "
                     "command}.", came=came, expected="{'U': ...}")
        found.append(work.number(came["U"]))
    return found


def right_PI(P, I, wanted, h=H):
    """The controller that is asked for."""
    total = [0.0]

    def law(t, outputs):
        e = wanted - outputs["speed"]
        total.append(total[-1] + e * h)
        return {"U": P * e + I * total[-1]}

    return law


@stage("A PI controller")
def controller(work):
    work.right("PI", right_PI)

    def law_of(P, I, wanted):
        law = work.call("PI", P, I, wanted)
        work.require(getattr(law, "kept_", {}).get("callable"), "PI returns a function law(t, outputs).", came=law,
                     expected="a function")
        return law

    def ask(P, I, wanted, speeds):
        shown = f"law({{:g}}, {{{{'speed': {{:g}}}}}}) of PI({P}, {I}, {wanted})"
        return asked(work, law_of(P, I, wanted), speeds, shown)

    def made(formula):
        """By the errors."""
        return lambda P, I, wanted, speeds: formula(P, I, wanted - np.array(speeds))

    def before(e):
        """Sums without the last one."""
        return np.cumsum(e) - e

    def carried(P, I, wanted, speeds):
        """With the sum of all controllers before."""
        earlier = given[: given.index((P, I, wanted, speeds))]
        return commands(P, I, wanted, speeds) + I * H * sum(w - x for _, _, w, row in earlier for x in row)

    anew = "A new controller begins with the sum of an old one: the sum belongs inside PI, not at the top."
    wanted = work.draw(3, 30, 90)
    given = [(*work.draw(1, 0.1, 0.4), *work.draw(1, 1, 3), w, [0.0, *work.draw(3, 0, 90)]) for w in wanted]
    work.answers(
        "law of PI({}, {}, {}) after the speeds {}, one every 0.01 s", given, commands,
        "P e + I S, with S the sum of e h over all samples up to this one.", ask=ask,
        mistakes=[(made(formula), said) for formula, said in (
            (lambda P, I, e: -P * e - I * H * np.cumsum(e),
             "The sign of the error: it is the wanted speed less the measured one."),
            (lambda P, I, e: P * e, "The integral is missing: I S."),
            (lambda P, I, e: I * H * np.cumsum(e), "The proportional part is missing: P e."),
            (lambda P, I, e: P * e + I * np.cumsum(e), "The period h is missing in the sum: S is the sum of e h."),
            (lambda P, I, e: P * e + I * H * before(e),
             "The present sample is not in the sum yet: add e h first, then take the command."),
            (lambda P, I, e: P * e + I * before(e),
             "The period h is missing in the sum, and the present sample is not in it yet."),
            (lambda P, I, e: P * e + I * H * e,
             "The sum does not survive from one call to the next: it begins at zero in each."),
            (lambda P, I, e: P * e + I * e, "S is a sum over all samples, of e h: yours has the present error alone."),
            (lambda P, I, e: P * e + H * np.cumsum(e), "The gain I is missing."),
            (lambda P, I, e: e + I * H * np.cumsum(e), "The gain P is missing."),
            (lambda P, I, e: P * (e + I * H * np.cumsum(e)),
             "P belongs to the error alone: P e + I S, not P (e + I S)."),
            (lambda P, I, e: P * e + I * H * (np.cumsum(e) - e / 2 - e[0] / 2),
             "That is the trapezoidal rule: S is the plain sum of e h."),
            (lambda P, I, e: P * e + I * H * (np.cumsum(e) - e / 2), "That is the trapezoidal rule: S is the plain sum "
                                                                      "of e h."),
            (lambda P, I, e: P * e - I * H * np.cumsum(e), "The sign of the integral: it has that of the error."),
            (lambda P, I, e: P * e + I * H * e * np.arange(len(e)), "e t is no sum: add e h at each call."),
            (lambda P, I, e: P * e + I * H * np.cumsum(np.abs(e)), "The error counts with its sign."),
            (lambda P, I, e: I * e + P * H * np.cumsum(e), "P and I are exchanged."),
        )] + [
            (lambda P, I, wanted, speeds: commands(P, I, 100, speeds),
             "You take 100 rad/s: the wanted speed is given to PI."),
            (carried, anew),
        ])
    P, I, wanted, speeds = given[0]
    first, second = law_of(P, I, wanted), law_of(P, I, wanted)
    shown = f"two controllers PI({P}, {I}, {wanted}), asked in turn: law({{:g}}, {{{{'speed': {{:g}}}}}})"
    asked(work, first, speeds[:2], shown)
    came = asked(work, second, speeds[:1], shown)
    right = commands(P, I, wanted, speeds[:1])
    work.compare(came, right, anew, mistakes=[(right + I * H * np.sum(wanted - np.array(speeds[:2])), anew)])


@stage("Gains for a quick, calm start")
def gains(work):
    P, I = work.number(work.value("P")), work.number(work.value("I"))
    law = right_PI(P, I, 100.0) if "PI" in work.wrong else work.call("PI", P, I, 100.0)
    A, B = np.array([[-R / L, -k / L], [k / J, -b / J]]), np.array([1 / L, 0])
    rates, shapes = np.linalg.eig(A)
    over = (shapes * np.exp(rates * H) @ np.linalg.inv(shapes)).real  # from one sample to the next
    driven = np.linalg.solve(A, (over - np.eye(2)) @ B)
    x, total, speeds, most = np.zeros(2), 0.0, [0.0], 0.0
    shown = f"law({{:g}}, {{{{'speed': {{:g}}}}}}) of PI({P:g}, {I:g}, 100)"
    for _ in range(200):
        (U,) = asked(work, law, speeds[-1:], shown)
        total += (100 - x[1]) * H
        work.compare(U, P * (100 - x[1]) + I * total, "Your controller works otherwise here than in part 4.", size=1.0)
        most = max(most, U)
        x = over @ x + driven * U
        speeds.append(float(x[1]))
        if abs(x[1]) > 1e4 or most > 24:
            break
    work.called = f"motor() with PI({P:g}, {I:g}, 100), 2 s"
    work.require(most <= 24.0, "It asks for more voltage than there is.", came=f"{most:.3g} V", expected="24 V")
    work.require(max(speeds) <= 110, "The speed goes too far beyond: less I, or more P.",
                 came=f"{max(speeds):.4g} rad/s", expected="at most 110 rad/s")
    late = np.array(speeds[50:] or speeds[-1:])
    work.require(abs(late - 100).max() <= 2, "It is not calm after 0.5 s: too slow, or still swinging. Plot "
                 "run['speed'].", came=f"between {late.min():.4g} and {late.max():.4g} rad/s",
                 expected="between 98 and 102 rad/s")
