"""One small model for each capability, and its motion by other means: for the table of crossings.

The motion comes from equations by hand, or from Lagrange's function in SymPy, in coordinates of their own. SciPy
integrates them, and stops where something happens: a guard falls through zero, or an instant has come.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy
from scipy.integrate import solve_ivp

from easydyn import (
    GeneralizedForce,
    JointFriction,
    KnifeEdge,
    Model,
    RigidContact,
    Rolling,
    Spring,
    TorsionSpring,
    ground,
    t,
    tdisp,
    trotz,
)
from easydyn.constraints import Gear
from easydyn.flexible import Material, Section

G = 9.81
END = 1.2  # s
LATER = 0.2  # s: where a run begins that does not begin at zero


@dataclass(frozen=True)
class Capability:
    """A model, and its motion by other means.

    Attributes
    ----------
    model : function (k) -> Model
        k is the value of a parameter of that name.
    k : float
        Its value.
    start : tuple of float
        Where the motion begins: x, the coordinates by hand and then their rates.
    rates : function (t, x, k, mode) -> dx/dt
        The equations by hand.
    shown : function (t, x, k) -> dict
        Values of names of the model.
    energy : function (t, x, k) -> float, or None
        Kinetic and potential energy (J).
    jumps : dict {time: function (x, k) -> x}
        What happens at instants.
    guards : list of (function (t, x, k), function (x, k, mode) -> (x, mode))
        What happens where a function falls through zero.
    free : tuple of str
        Coordinates of the model that are those by hand, in their order.
    mass : function (t, x, k) -> array
        M of those, where they are all there are.
    push : function (t, x, xd, k) -> array (3,)
        The force of the ground on the body `held` (N), components that are nan are not known.
    needed : function (t, q, qd, qdd, k) -> array
        Forces for a motion of those, where they are not M (qdd - qdd by hand).
    rest : function (k) -> dict
        Where it is in equilibrium; None where it nowhere is.
    options : dict
        Of `simulate`.
    """

    model: Callable[[float], Model]
    k: float
    start: tuple[float, ...]
    rates: Callable[..., Any]
    shown: Callable[..., dict[str, float]]
    energy: Callable[..., float] | None = None
    jumps: dict[float, Any] = field(default_factory=dict)
    guards: tuple[Any, ...] = ()
    free: tuple[str, ...] = ()
    mass: Callable[..., Any] | None = None
    push: Callable[..., Any] | None = None
    held: str = "body"
    needed: Callable[..., Any] | None = None
    rest: Callable[..., Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    rough: float = 1.0  # what is smaller than this is small, in the values that are compared

    def exact(self, times, begin=0.0, k=None, modes=None):
        """x at times from `begin` on; the list `modes` takes the mode at each."""
        k = self.k if k is None else k
        times, found, now, x, mode = np.asarray(times, dtype=float), [], begin, np.array(self.start, dtype=float), 0
        instants = sorted(jump for jump in self.jumps if jump > begin)
        while len(found) < len(times):
            end = instants[0] if instants else times[-1] + 1e-9
            guards = [_falling(guard) for guard, _ in self.guards]
            done = solve_ivp(
                self.rates, (now, end), x, method="DOP853", rtol=1e-12, atol=1e-13, dense_output=True, events=guards,
                max_step=0.05, args=(k, mode),
            )  # fmt: skip
            last = done.t[-1]
            while len(found) < len(times) and times[len(found)] < last:
                found.append(done.sol(times[len(found)]))
            if modes is not None:
                modes += [mode] * (len(found) - len(modes))
            now, x = last, done.y[:, -1].copy()
            if done.status == 1:
                which = next(i for i, at in enumerate(done.t_events) if len(at))
                x, mode = self.guards[which][1](x, k, mode)
            elif instants:
                x = self.jumps[instants.pop(0)](x, k)
            elif len(found) < len(times):
                found.append(done.y[:, -1])
                if modes is not None:
                    modes.append(mode)
        return np.array(found)

    def values(self, times, begin=0.0, k=None):
        """{name: array} along the exact motion."""
        k = self.k if k is None else k
        rows = [self.shown(time, x, k) for time, x in zip(times, self.exact(times, begin, k), strict=True)]
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _falling(guard):
    def falls(time, x, k, mode):
        return guard(time, x, k, mode)

    falls.terminal, falls.direction = True, -1
    return falls


def lagrange(q, kinetic, potential, forces=()):
    """(t, x, k) -> dx/dt from energies in SymPy: coordinates q, symbols whose rates are `rate(q)`."""
    @functools.cache
    def numbers():
        """Functions of M and the rest, and of the energy: made by the first test that asks."""
        qd, k, time = [rate(s) for s in q], sympy.Symbol("k"), sympy.Symbol("time")
        momentum = [sympy.diff(kinetic, v) for v in qd]
        M = sympy.Matrix([[sympy.diff(p, v) for v in qd] for p in momentum])
        rest = [
            f + sympy.diff(kinetic - potential, s) - sympy.diff(p, time)
            - sum(sympy.diff(p, a) * b for a, b in zip(q, qd))
            for s, p, f in zip(q, momentum, list(forces) or [0] * len(q))
        ]  # fmt: skip
        arguments = (time, *q, *qd, k)
        return (
            sympy.lambdify(arguments, [M, sympy.Matrix(rest)]),
            sympy.lambdify(arguments, kinetic + potential),
        )

    def rates(t, x, k, mode=0):
        M, h = numbers()[0](t, *x, k)
        n = len(q)
        return np.concatenate([x[n:], np.linalg.solve(M, h)[:, 0]])

    return rates, lambda t, x, k: float(numbers()[1](t, *x, k)), lambda t, x, k: numbers()[0](t, *x, k)[0]


def rate(q):
    return sympy.Symbol(f"{q}d")


A, B, X, Y, TIME, K = sympy.symbols("a b x y time k")
AD, BD, XD, YD = map(rate, (A, B, X, Y))


def swinging(model, support=0, **options):
    """A pendulum of 1 m, its body at the end, on a torsion spring of stiffness k."""
    k, = model.parameters(k=options.pop("k"))
    a, = model.coordinates("a", initial=0.3, rates=0.5)
    body = model.body("body", tdisp(support, 0, 0) * trotz(a) * tdisp(0, -1, 0), mass=1, inertia=(0.1, 0.1, 0.1))
    model.add(TorsionSpring(a, stiffness=k, free_angle=0))
    return a, body


SWINGS = lagrange([A], (1.1 * AD**2) / 2, -G * sympy.cos(A) + K * A**2 / 2)


def bob_push(t, x, xd, k):
    a, ad, add = x[0], x[1], xd[1]
    at = np.array([np.cos(a) * add - np.sin(a) * ad**2, np.sin(a) * add + np.cos(a) * ad**2, 0])
    return at + np.array([0, G, 0])


def pendulum_of(change):
    def made(k):
        model = Model("pendulum", gravity=(0, -G, 0))
        change(model, k)
        return model

    return made


# -- kinks, jumps -----------------------------------------------------------------------------------------------------

KICK = 1 / 3


def kinked(model, k):
    swinging(model, sympy.Max(0, t - KICK) * 0.5, k=k)


def kicked(x, k):
    return np.array([x[0], x[1] - 0.5 * np.cos(x[0]) / 1.1])


def kink_energy(t, x, k):
    v = 0.5 if t > KICK else 0.0
    a, ad = x
    return ((v + np.cos(a) * ad) ** 2 + (np.sin(a) * ad) ** 2 + 0.1 * ad**2) / 2 - G * np.cos(a) + k * a**2 / 2


def shown_angle(t, x, k):
    return {"a": x[0], "a.dot": x[1]}


ROUND = {"free": ("a",), "mass": SWINGS[2], "push": bob_push, "start": (0.3, 0.5), "shown": shown_angle, "k": 4.0}
RESTS = {"rest": lambda k: {"a": 0.0}}
KINK = Capability(pendulum_of(kinked), rates=SWINGS[0], energy=kink_energy, jumps={KICK: kicked}, **ROUND, **RESTS)


def switched(model, k):
    a, _ = swinging(model, k=k)
    model.add(GeneralizedForce(a, sympy.Piecewise((0, t < KICK), (3, True))))


def plus(torque):
    def rates(t, x, k, mode=0):
        return SWINGS[0](t, x, k) + np.array([0, torque(t, x) / 1.1])

    return rates


JUMP = Capability(
    pendulum_of(switched), rates=plus(lambda t, x: 3.0 if t > KICK else 0.0), energy=SWINGS[1],
    jumps={KICK: lambda x, k: x}, **ROUND, **RESTS,
)  # fmt: skip


# -- lock -------------------------------------------------------------------------------------------------------------


def locked(k):
    model = Model("two links", gravity=(0, -G, 0))
    k, = model.parameters(k=k)
    a, b = model.coordinates("a b", initial=(0.3, 0.5), rates=(0.5, 0))
    model.body("body", trotz(a) * tdisp(0, -0.5, 0), mass=1, inertia=(0.1, 0.1, 0.1))
    model.body("lower", trotz(a) * tdisp(0, -1, 0) * trotz(b) * tdisp(0, -0.5, 0), mass=1, inertia=(0.1, 0.1, 0.1))
    model.add(TorsionSpring(a, stiffness=k, free_angle=0))
    model.lock(b)
    return model


FAR = 1.25 + sympy.cos(0.5)  # squared distance of the second centre from the pivot
LOCKED = lagrange(
    [A], (0.25 + 0.1 + FAR + 0.1) * AD**2 / 2,
    -G * (1.5 * sympy.cos(A) + 0.5 * sympy.cos(A + 0.5)) + K * A**2 / 2,
)  # fmt: skip


def links_push(t, x, xd, k):
    a, ad, add = x[0], x[1], xd[1]
    force = np.array([0, 2 * G, 0])
    for length, angle in ((1.5, a), (0.5, a + 0.5)):  # the sum of both centres
        force[:2] += length * (add * np.array([np.cos(angle), np.sin(angle)])
                               + ad**2 * np.array([-np.sin(angle), np.cos(angle)]))  # fmt: skip
    return force


LOCK = Capability(
    locked, k=4.0, start=(0.3, 0.5), rates=LOCKED[0], energy=LOCKED[1],
    shown=lambda t, x, k: {"a": x[0], "a.dot": x[1], "b": 0.5, "b.dot": 0.0}, push=links_push, free=("a",),
    mass=LOCKED[2],
    rest=lambda k: {"a": float(sympy.nsolve(
        G * (1.5 * sympy.sin(A) + 0.5 * sympy.sin(A + 0.5)) + k * A, A, -0.1)), "b": 0.5},
)  # fmt: skip


# -- contact, friction ------------------------------------------------------------------------------------------------


def bouncing(k):
    model = Model("ball", gravity=(0, -G, 0))
    k, = model.parameters(k=k)
    y, = model.coordinates("y", initial=0.8)
    body = model.body("body", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(Spring(body, (ground, (0, 3, 0)), stiffness=k, free_length=1))
    model.add(RigidContact(y, restitution=0.8, name="floor"))
    return model


BOUNCES = lagrange([Y], YD**2, 2 * G * Y + K * (2 - Y) ** 2 / 2)
CONTACT = Capability(
    bouncing, k=3.0, start=(0.8, 0.0), rates=BOUNCES[0], energy=BOUNCES[1],
    shown=lambda t, x, k: {"y": x[0], "y.dot": x[1]},
    guards=((lambda t, x, k, mode: x[0], lambda x, k, mode: (np.array([0.0, -0.8 * x[1]]), 0)),),
    free=("y",), mass=BOUNCES[2], push=lambda t, x, xd, k: np.array([0, 2 * (xd[1] + G), 0]),
    rest=lambda k: {"y": 0.0},
)  # fmt: skip


def rubbing(k):
    model = Model("block", gravity=(0, -G, 0))
    k, = model.parameters(k=k)
    x, = model.coordinates("x", initial=1)
    body = model.body("body", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Spring(body, (ground, (-4, 0, 0)), stiffness=k, free_length=4), JointFriction(x, level=11))
    return model


def rubbed(t, x, k, mode):
    """Modes: backward, forward, at rest."""
    return np.array([x[1], -k * x[0] + (11, -11, 0)[mode]]) if mode < 2 else np.zeros(2)


def stops(x, k, mode):
    x = np.array([x[0], 0.0])
    return x, (2 if abs(k * x[0]) <= 11 else int(x[0] < 0))


FRICTION = Capability(
    rubbing, k=40.0, start=(1.0, 0.0), rates=rubbed, energy=lambda t, x, k: (x[1] ** 2 + k * x[0] ** 2) / 2,
    shown=lambda t, x, k: {"x": x[0], "x.dot": x[1]},
    guards=((lambda t, x, k, mode: (-x[1], x[1], 1.0)[mode] + (1e-30 if x[1] == 0 else 0), stops),),
    free=("x",), mass=lambda t, x, k: np.array([[1.0]]), push=lambda t, x, xd, k: np.array([np.nan, G, 0]),
    rest=lambda k: {"x": 0.0},
)  # fmt: skip


# -- loops, constraints -----------------------------------------------------------------------------------------------


def engine(k):
    model = Model("slider-crank", gravity=(0, -G, 0))
    k, = model.parameters(k=k)
    a, b, x = model.coordinates("a b x", initial=(0.7, -0.9, 1), rates=(3, 0, 0))
    model.body("body", trotz(a) * tdisp(0.15, 0, 0), mass=1, inertia=(0.01, 0.01, 0.01))
    rod = model.body("rod", trotz(a) * tdisp(0.3, 0, 0) * trotz(b) * tdisp(0.4, 0, 0), mass=0.5, inertia=(0.02,) * 3)
    slider = model.body("slider", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.close((rod, (0.4, 0, 0)), slider, joint="revolute", name="pin")
    model.add(Spring(slider, (ground, (3, 0, 0)), stiffness=k, free_length=1))
    return model


INCLINED = -sympy.asin(0.3 * sympy.sin(A) / 0.8)
PISTON = 0.3 * sympy.cos(A) + 0.8 * sympy.cos(INCLINED)


def moves(e, by=A):
    return sympy.diff(e, by) * rate(by)


def plane_body(m, inertia, x, y, angle):
    return (m * (moves(x) ** 2 + moves(y) ** 2) + inertia * moves(angle) ** 2) / 2


ROD = 0.3 * sympy.cos(A) + 0.4 * sympy.cos(INCLINED), 0.3 * sympy.sin(A) + 0.4 * sympy.sin(INCLINED)
CRANKS = lagrange(
    [A],
    plane_body(1, 0.01, 0.15 * sympy.cos(A), 0.15 * sympy.sin(A), A) + plane_body(0.5, 0.02, *ROD, INCLINED)
    + moves(PISTON) ** 2,
    G * (0.15 * sympy.sin(A) + 0.5 * ROD[1]) + K * (2 - PISTON) ** 2 / 2,
)  # fmt: skip
_SLIDE = sympy.lambdify((A, AD), [INCLINED - A, moves(INCLINED) - AD, PISTON, moves(PISTON)])


def shown_engine(t, x, k):
    b, bd, s, sd = _SLIDE(*x)
    return {"a": x[0], "a.dot": x[1], "b": b, "b.dot": bd, "x": s, "x.dot": sd}


def engine_rest(k):
    """The slider is pushed outwards, the crank hangs below: of the two ways the one that is stable."""
    slope = sympy.diff(G * (0.15 * sympy.sin(A) + 0.5 * ROD[1]) + k * (2 - PISTON) ** 2 / 2, A)
    return {"a": float(sympy.nsolve(slope, A, -0.5))}


_CENTRES = sympy.lambdify((A, AD, sympy.Symbol("add")), sympy.diff(
    _SUM := 0.15 * sympy.cos(A) + 0.5 * ROD[0] + 2 * PISTON, A, 2) * AD**2 + sympy.diff(_SUM, A) * sympy.Symbol("add"))

LOOP = Capability(
    engine, k=6.0, mass=CRANKS[2],
    push=lambda t, x, xd, k: np.array([_CENTRES(x[0], x[1], xd[1]) - k * (2 - _SLIDE(*x)[2]), np.nan, 0]),
    start=(0.7, 3.0), rates=CRANKS[0], energy=CRANKS[1], shown=shown_engine, free=("a",), rest=engine_rest,
)  # fmt: skip
CARRIED = Capability(**(LOOP.__dict__ | {"options": {"constraints": "multipliers"}}))


def sleigh(k):
    model = Model("sleigh", gravity=(0, 0, -G))
    k, = model.parameters(k=k)
    x, angle, y = model.coordinates("x angle y", rates=(1, 2, -0.6))  # the blade does not slide
    body = model.body("body", tdisp(x, y, 0) * trotz(angle), mass=2, inertia=(0.5, 0.5, k))
    model.add(KnifeEdge((body, (0.3, 0, 0)), ground, name="blade"))
    return model


def slides(t, x, k, mode=0):
    """x, y of the centre, the angle; the speed of the blade, the angular velocity. The blade is 0.3 m ahead."""
    _, _, angle, v, w = x
    e, n = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    centre = v * e - 0.3 * w * n
    return np.array([*centre, w, -0.3 * w**2, 2 * 0.3 * v * w / (k + 2 * 0.09)])


def shown_sleigh(t, x, k):
    d = slides(t, x, k)
    return {"x": x[0], "y": x[1], "angle": x[2], "x.dot": d[0], "y.dot": d[1], "angle.dot": d[2]}


def sleigh_push(t, x, xd, k):
    """In space: the weight, and what the blade exerts."""
    later = [np.array(slides(t, x + s * xd, k)[:2]) for s in (1e-6, -1e-6)]
    return np.array([*(2 * (later[0] - later[1]) / 2e-6), 2 * G])


def sleigh_needs(t, q, qd, qdd, k):
    """Forces on x and on the angle; the blade pushes with `load` across."""
    def across(time):
        angle = 0.3 + 0.4 * time + 0.3 * time**2
        return (np.sin(angle) * (0.2 + 0.6 * time) - 0.3 * (0.4 + 0.6 * time)) / np.cos(angle)

    load = 2 * (across(t + 1e-5) - across(t - 1e-5)) / 2e-5 / np.cos(q[1])
    return np.array([2 * qdd[0] + load * np.sin(q[1]), k * qdd[1] - 0.3 * load])


RATES = Capability(
    sleigh, needed=sleigh_needs, free=("x", "angle"), k=0.4, start=(0.0, 0.0, 0.0, 1.0, 2.0), rates=slides,
    shown=shown_sleigh, push=sleigh_push,
    energy=lambda t, x, k: x[3] ** 2 + (0.09 * 2 + k) * x[4] ** 2 / 2, rest=lambda k: {"x": 0.0},
)  # fmt: skip


def led(k):
    model = Model("cam", gravity=(0, -G, 0))
    k, = model.parameters(k=k)
    a, x = model.coordinates("a x", initial=(0.3, 0.129), rates=(1.5, 0.69))
    model.body("body", trotz(a) * tdisp(0.2, 0, 0), mass=1, inertia=(0.1, 0.1, 0.1))
    follower = model.body("follower", tdisp(0, x, 0), mass=3, inertia=(0, 0, 0))
    model.dependent(x, 0.4 * a + 0.1 * a**2)
    model.add(Spring(follower, (ground, (0, 4, 0)), stiffness=k, free_length=1))
    return model


CAM = 0.4 * A + 0.1 * A**2
LED = lagrange(
    [A], 0.14 * AD**2 / 2 + 1.5 * moves(CAM) ** 2,
    G * (0.2 * sympy.sin(A) + 3 * CAM) + K * (3 - CAM) ** 2 / 2,
)  # fmt: skip
DEPENDENT = Capability(
    led, k=20.0, mass=LED[2],
    push=lambda t, x, xd, k: 0.2 * bob_push(t, x[:2] + [np.pi / 2, 0], xd, k) + [0, 0.8 * G, 0],
    start=(0.3, 1.5), rates=LED[0], energy=LED[1], free=("a",),
    shown=lambda t, x, k: {
        "a": x[0], "a.dot": x[1], "x": 0.4 * x[0] + 0.1 * x[0] ** 2, "x.dot": (0.4 + 0.2 * x[0]) * x[1]},
    rest=lambda k: {"a": float(sympy.nsolve(
        sympy.diff(G * (0.2 * sympy.sin(A) + 3 * CAM) + k * (3 - CAM) ** 2 / 2, A), A, 1.0))},
)  # fmt: skip


def geared(k):
    model = Model("gear", gravity=(0, 0, -G))
    k, = model.parameters(k=k)
    p, q = model.coordinates("p q", initial=(0.5, 0.1), rates=(1, 0.2))
    model.body("body", trotz(p), mass=1, inertia=(1, 1, 1))
    model.body("large", tdisp(3, 0, 0) * trotz(q), mass=1, inertia=(1, 1, 25))
    model.add(TorsionSpring(q, stiffness=k, free_angle=0), GeneralizedForce(p, 4), Gear(p, q, 5))
    return model


def gear_rates(t, x, k, mode=0):
    return np.array([x[1], (4 - k * x[0] / 25) / 2])


GEAR = Capability(
    geared, k=50.0, start=(0.5, 1.0), rates=gear_rates, energy=lambda t, x, k: x[1] ** 2 + k * (x[0] / 5) ** 2 / 2,
    shown=lambda t, x, k: {"p": x[0], "q": x[0] / 5, "p.dot": x[1], "q.dot": x[1] / 5}, free=("p",),
    push=lambda t, x, xd, k: np.array([0, 0, G]), mass=lambda t, x, k: np.array([[2.0]]),
    rest=lambda k: {"p": 100 / k, "q": 20 / k},
)  # fmt: skip


def rolls(k):
    slope = 0.2
    model = Model("wheel", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    k, = model.parameters(k=k)
    turn, x, z = model.coordinates("turn x z", initial=(0, 0, 0.5), rates=(1, 0.5, 0))
    body = model.body("body", tdisp(x, 0, z) * _about_y(turn), mass=2, inertia=(0.2, 0.25, 0.2))
    model.add(Rolling(body, ground, radius=0.5, name="rim"))
    model.add(Spring(body, (ground, (-3, 0, 0.5)), stiffness=k, free_length=3))
    return model


def _about_y(turn):
    from easydyn import troty

    return troty(turn)


ROLLING = Capability(
    rolls, k=15.0, start=(0.0, 0.5),
    rates=lambda t, x, k, mode=0: np.array([x[1], (2 * G * np.sin(0.2) - k * x[0]) / 3]),
    energy=lambda t, x, k: 1.5 * x[1] ** 2 - 2 * G * np.sin(0.2) * x[0] + k * x[0] ** 2 / 2 + G * np.cos(0.2),
    shown=lambda t, x, k: {"x": x[0], "x.dot": x[1], "turn": 2 * x[0], "turn.dot": 2 * x[1], "z": 0.5, "z.dot": 0.0},
    push=lambda t, x, xd, k: np.array([2 * xd[1] - 2 * G * np.sin(0.2), 0, 2 * G * np.cos(0.2)]),
    free=("x",), mass=lambda t, x, k: np.array([[3.0]]),
    rest=lambda k: {"x": 2 * G * np.sin(0.2) / k},
)  # fmt: skip


# -- free bodies, nodes, beams ----------------------------------------------------------------------------------------


ATTITUDE = (("r00", 0, 0), ("r12", 1, 2), ("r20", 2, 0), ("r22", 2, 2))  # elements of the rotation matrix


def flying(k):
    model = Model("stone", gravity=(0, 0, -G))
    k, = model.parameters(k=k)
    body = model.free_body("body", mass=1, inertia=(1, 2, k), position=(0, 0, 1), velocity=(1, 0, 3),
                           angular_velocity=(0.1, 3, 0.2))  # fmt: skip
    for name, i, j in ATTITUDE:
        model.output(name, body.T.R[i, j])
    return model


def turned(a, b):
    """The product of quaternions, scalar first."""
    return np.array([a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))])


def flies(t, x, k, mode=0):
    """Position, quaternion, velocity, angular velocity in axes of the body: Euler's equations."""
    e, v, w, inertia = x[3:7], x[7:10], x[10:], np.array([1, 2, k])
    return np.array([*v, *turned(e, np.array([0, *w])) / 2, 0, 0, -G, *(-np.cross(w, inertia * w) / inertia)])


def shown_stone(t, x, k):
    a, (u, v, w) = x[3], x[4:7]
    R = np.array([
        [a * a + u * u - v * v - w * w, 2 * (u * v - a * w), 2 * (u * w + a * v)],
        [2 * (u * v + a * w), a * a - u * u + v * v - w * w, 2 * (v * w - a * u)],
        [2 * (u * w - a * v), 2 * (v * w + a * u), a * a - u * u - v * v + w * w],
    ])  # fmt: skip
    return {"body_x": x[0], "body_z": x[2], "body_z.dot": x[9]} | {name: R[i, j] for name, i, j in ATTITUDE}


FREE = Capability(
    flying, k=3.0, start=(0, 0, 1, 1, 0, 0, 0, 1, 0, 3, 0.1, 3, 0.2), rates=flies, shown=shown_stone,
    energy=lambda t, x, k: (x[7:10] @ x[7:10] + x[10:] @ (np.array([1, 2, k]) * x[10:])) / 2 + G * x[2],
    push=lambda t, x, xd, k: np.zeros(3), free=("body_x", "body_y", "body_z"),
    needed=lambda t, q, qd, qdd, k: qdd + [0, 0, G],
)  # fmt: skip


def joined(k):
    model = Model("springs in a row")
    k, = model.parameters(k=k)
    x, = model.coordinates("x", initial=2.5)
    u, = model.unknowns("u", initial=1)
    body = model.body("body", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    knot = model.node("knot", position=(u, 0, 0))
    model.add(Spring(ground, knot, stiffness=k, free_length=1), Spring(knot, body, stiffness=100, free_length=1))
    return model


def in_a_row(k):
    return k * 100 / (k + 100)


NODE = Capability(
    joined, k=60.0, start=(2.5, 0.0), rates=lambda t, x, k, mode=0: np.array([x[1], -in_a_row(k) * (x[0] - 2) / 2]),
    energy=lambda t, x, k: x[1] ** 2 + in_a_row(k) * (x[0] - 2) ** 2 / 2,
    shown=lambda t, x, k: {"x": x[0], "x.dot": x[1], "u": 1 + in_a_row(k) / k * (x[0] - 2)}, free=("x",),
    mass=lambda t, x, k: np.array([[2.0]]),
    push=lambda t, x, xd, k: np.zeros(3),  # the spring comes from the node
    rest=lambda k: {"x": 2.0, "u": 1.0},
)  # fmt: skip

TIP = 1e-4  # m/s, in a beam that bends so little that it is linear


def bends(k):
    model = Model("cantilever")
    k, = model.parameters(k=k)
    model.beam("beam", root=tdisp(0, 0, 0), length=1, section=Section(area=1e-4, inertia=1e-8), elements=1,
               material=Material(E=k, density=3000))  # fmt: skip
    return model


def hermite(k):
    """M and K of the deflection y and the slope q of the tip: cubic, half of the rotary inertia at the tip.

    M is the consistent matrix with the correction of docs/flexible.md, w'w'/240 - 2 g'g'/105 - u'g'/30, where
    w = -q, u = q/2, g = y - q/2.
    """
    w, u, g = np.array([0, -1]), np.array([0, 0.5]), np.array([1, -0.5])
    M = np.array([[156, -22], [-22, 4]]) / 420
    M = M + np.outer(w, w) / 240 - np.outer(g, g) * 2 / 105 - (np.outer(u, g) + np.outer(g, u)) / 60
    return 0.3 * M + np.diag([0, 3000 * 1e-8 / 2]), k * 1e-8 * np.array([[12, -6], [-6, 4]])


def bending_rates(t, x, k, mode=0):
    M, K = hermite(k)
    return np.concatenate([x[2:], np.linalg.solve(M, -K @ x[:2])])


def bending_energy(t, x, k):
    M, K = hermite(k)
    return (x[2:] @ M @ x[2:] + x[:2] @ K @ x[:2]) / 2


START = {"beam_y1.dot": TIP}
BEAM = Capability(
    bends, k=2e7, start=(0.0, 0.0, TIP, 0.0), rates=bending_rates, energy=bending_energy,
    shown=lambda t, x, k: {"beam_y1": x[0], "beam_q1": x[1], "beam_y1.dot": x[2], "beam_q1.dot": x[3]},
    free=("beam_y1", "beam_q1"), rest=lambda k: {"beam_x1": 1.0, "beam_y1": 0.0, "beam_q1": 0.0},
    options={"initial": START}, rough=1e-2, mass=lambda t, x, k: hermite(k)[0], held="beam 0",
    push=lambda t, x, xd, k: np.array([np.nan, 0.3 * (xd[2] / 2 - xd[3] / 12), 0]),
)  # fmt: skip


# -- states, inputs, controllers, events, drives -----------------------------------------------------------------------


def pressed(k):
    model = Model("piston", gravity=(0, 0, -G))
    k, = model.parameters(k=k)
    x, = model.coordinates("x", initial=0.2)
    p, = model.states("p", initial=3)
    body = model.body("body", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.add(Spring(body, (ground, (-5, 0, 0)), stiffness=k, free_length=5), GeneralizedForce(x, 2 * p))
    model.equation(p.dot + 5 * (p - 1) + x.dot)
    return model


STATE = Capability(
    pressed, k=30.0, start=(0.2, 0.0, 3.0),
    rates=lambda t, x, k, mode=0: np.array([x[1], (2 * x[2] - k * x[0]) / 2, -5 * (x[2] - 1) - x[1]]),
    energy=lambda t, x, k: x[1] ** 2 + k * x[0] ** 2 / 2, shown=lambda t, x, k: {"x": x[0], "x.dot": x[1], "p": x[2]},
    free=("x",), mass=lambda t, x, k: np.array([[2.0]]),
    push=lambda t, x, xd, k: np.array([np.nan, 0, 2 * G]), rest=lambda k: {"x": 2 / k, "p": 1.0},
)  # fmt: skip


def fed(model, k):
    a, _ = swinging(model, k=k)
    u = model.input("u", 0)
    model.add(GeneralizedForce(a, u))


FED = {"rates": plus(lambda t, x: 2 * np.sin(3 * t)), "energy": SWINGS[1], **ROUND, **RESTS}
FORMULA = Capability(pendulum_of(fed), options={"inputs": {"u": 2 * sympy.sin(3 * t)}}, **FED)
FUNCTION = Capability(pendulum_of(fed), options={"inputs": {"u": lambda time: 2 * float(np.sin(3 * time))}}, **FED)
PERIOD = 0.1


def sampled(model, k):
    fed(model, k)
    model.controller(PERIOD, lambda time, outputs: {"u": -2 * outputs["a.dot"] - 3 * outputs["a"]})


def samples(begin=0.0):
    return {round(begin + PERIOD * i, 12): lambda x, k: np.array([x[0], x[1], -2 * x[1] - 3 * x[0]]) for i in range(20)}


SAMPLED = Capability(
    pendulum_of(sampled), k=4.0, mass=lambda t, x, k: SWINGS[2](t, x[:2], k),
    start=(0.3, 0.5, -1.9), shown=shown_angle, free=("a",), push=bob_push,
    energy=lambda t, x, k: SWINGS[1](t, x[:2], k), jumps=samples(),
    rates=lambda t, x, k, mode=0: np.array([*(SWINGS[0](t, x[:2], k) + np.array([0, x[2] / 1.1])), 0]), **RESTS,
)  # fmt: skip


def acting(model, k):
    a, u = fed(model, k), model.symbols["u"]
    a = model.symbols["a"]
    model.event(t - 0.5, action={u: -2}, name="switch")
    model.event(a + 0.2, direction=-1, action={a.dot: -0.5 * a.dot}, name="turns back")


EVENT = Capability(
    pendulum_of(acting), k=4.0, mass=lambda t, x, k: SWINGS[2](t, x[:2], k),
    start=(0.3, 0.5, 0.0), shown=shown_angle, free=("a",), push=bob_push,
    energy=lambda t, x, k: SWINGS[1](t, x[:2], k),
    jumps={0.5: lambda x, k: np.array([x[0], x[1], -2.0])},
    guards=((lambda t, x, k, mode: x[0] + 0.2, lambda x, k, mode: (np.array([x[0], -0.5 * x[1], x[2]]), 0)),),
    rates=lambda t, x, k, mode=0: np.array([*(SWINGS[0](t, x[:2], k) + np.array([0, x[2] / 1.1])), 0]), **RESTS,
)  # fmt: skip


def turning(k):
    model = Model("bead on a rod that turns", gravity=(0, 0, -G))
    k, = model.parameters(k=k)
    x, = model.coordinates("x", initial=0.4, rates=0.1)
    body = model.body("body", trotz(2 * t + t**2 / 2) * tdisp(x, 0, 0), mass=2, inertia=(0.1, 0.1, 0.1))
    model.add(Spring(body, ground, stiffness=k, free_length=0.3))
    return model


def bead_push(t, x, xd, k):
    """The force of the rod and of the spring: what gives its acceleration, and bears its weight."""
    w, r = 2 + t, np.array([np.cos(2 * t + t**2 / 2), np.sin(2 * t + t**2 / 2), 0])
    n = np.array([-r[1], r[0], 0])
    return 2 * ((x[0] + 2 * x[1] * w) * n + (xd[1] - x[0] * w**2) * r) + np.array([0, 0, 2 * G])


TURN = 2 + TIME
DRIVE = Capability(
    turning, k=30.0, start=(0.4, 0.1), shown=lambda t, x, k: {"x": x[0], "x.dot": x[1]}, free=("x",), push=bead_push,
    **dict(zip(("rates", "energy", "mass"), lagrange(
        [X], XD**2 + (X * TURN) ** 2 + 0.05 * TURN**2, K * (X - sympy.Rational(3, 10)) ** 2 / 2))),
    rest=lambda k: {"x": k * 0.3 / (k - 2 * 4)},
)  # fmt: skip


CAPABILITIES = {
    "kink in time": KINK, "jump in time": JUMP, "lock": LOCK, "contact": CONTACT, "dry friction": FRICTION,
    "closed loop, reduced": LOOP, "closed loop, multipliers": CARRIED, "rate constraint": RATES, "dependent": DEPENDENT,
    "gear": GEAR, "rolling": ROLLING, "free body": FREE, "node": NODE, "beam": BEAM, "first-order state": STATE,
    "input by formula": FORMULA, "input by function": FUNCTION, "sampled controller": SAMPLED,
    "event with an action": EVENT, "drive": DRIVE,
}  # fmt: skip
