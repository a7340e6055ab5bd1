"""Contacts of shapes, curves and ropes for the table of crossings, as capabilities.py has the others."""

import numpy as np
import sympy
from capabilities import AD, XD, YD, A, Capability, G, K, X, Y, lagrange, moves

from easydyn import (
    Around,
    Contact,
    GeneralizedForce,
    Model,
    Pulley,
    RollingOn,
    Rope,
    Sliding,
    Spring,
    Winch,
    ground,
    shapes,
    tdisp,
    trotz,
)

R = 0.1  # m: discs


def held_by_spring(title, k, at, **options):
    """A body in the plane of mass 2, without rotation, on a spring to a point of the ground."""
    model = Model(title, gravity=(0, -G, 0))
    k, = model.parameters(k=k)
    x, y = model.coordinates("x y", **options)
    body = model.body("body", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(Spring(body, (ground, (*at, 0)), stiffness=k, free_length=1))
    return model, body


def shown_place(t, x, k):
    return {"x": x[0], "y": x[1], "x.dot": x[2], "y.dot": x[3]}


def spring_of(at):
    return K * (sympy.sqrt((X - at[0]) ** 2 + (Y - at[1]) ** 2) - 1) ** 2 / 2


def plane_motion(at):
    return lagrange([X, Y], XD**2 + YD**2, 2 * G * Y + spring_of(at))


def weighs(x, xd):
    return np.array([2 * xd[2], 2 * (xd[3] + G), 0])


IN_PLANE = {"shown": shown_place, "free": ("x", "y"), "push": lambda t, x, xd, k: weighs(x, xd)}

# -- a disc that strikes the corner of a table, and its top ------------------------------------------------------------


def table(k):
    model, body = held_by_spring("disc and table", k, (0, 2), initial=(0.35, 0.7), rates=(-0.4, 0))
    top = shapes.Polygon([(-2, -1), (0.3, -1), (0.3, 0), (-2, 0)])
    model.add(Contact((body, shapes.Disc(R)), (ground, top), restitution=0.8, name="edge"))
    return model


def off_table(t, x, k, mode=0):
    nearest = np.array([min(x[0], 0.3), 0.0])
    return np.hypot(*(x[:2] - nearest)) - R


def thrown(x, k, mode):
    n = x[:2] - [min(x[0], 0.3), 0.0]
    n = n / np.hypot(*n)
    return np.concatenate([x[:2], x[2:] - 1.8 * (n @ x[2:]) * n]), 0


FALLS = plane_motion((0, 2))
EDGE = Capability(
    table, k=3.0, start=(0.35, 0.7, -0.4, 0.0), rates=FALLS[0], energy=FALLS[1], mass=FALLS[2],
    guards=((off_table, thrown),), rest=lambda k: {"x": 0.0, "y": R}, **IN_PLANE,
)  # fmt: skip

# -- a disc that slides and then rolls ---------------------------------------------------------------------------------

MU, INERTIA = 0.2, 0.012


def thrown_disc(k):
    model = Model("disc with friction", gravity=(0, -G, 0))
    k, = model.parameters(k=k)
    x, y, a = model.coordinates("x y a", initial=(0.5, R, 0), rates=(3, 0, 0))
    body = model.body("body", tdisp(x, y, 0) * trotz(a), mass=2, inertia=(0, 0, INERTIA))
    model.add(Spring(body, (ground, (-4, R, 0)), stiffness=k, free_length=4))
    floor = (ground, shapes.HalfPlane((0, 1)))
    model.add(Contact((body, shapes.Disc(R)), floor, restitution=0, friction=MU, name="floor"))
    return model


ROLLING_MASS = 2 + INERTIA / R**2


def slip(x):
    return x[2] + R * x[3]


def slides_or_rolls(t, x, k, mode):
    """x, a and their rates. Modes: slides forward, rolls, slides backward."""
    f = (-MU * 2 * G, k * x[0] * (1 - 2 / ROLLING_MASS), MU * 2 * G)[mode]
    acceleration = (f - k * x[0]) / 2
    return np.array([x[2], x[3], acceleration, R * f / INERTIA if mode != 1 else -acceleration / R])


def rolls_now(x, k, mode):
    x = np.array([x[0], x[1], x[2], -x[2] / R])
    enough = k * abs(x[0]) * (1 - 2 / ROLLING_MASS) <= MU * 2 * G
    return x, 1 if enough and mode != 1 else 2 if x[0] > 0 else 0


def until(t, x, k, mode):
    if mode == 1:
        return MU * 2 * G - k * abs(x[0]) * (1 - 2 / ROLLING_MASS)
    return slip(x) if mode == 0 else -slip(x)


DRY = Capability(
    thrown_disc, k=10.0, start=(0.5, 0.0, 3.0, 0.0), rates=slides_or_rolls, guards=((until, rolls_now),),
    energy=lambda t, x, k: x[2] ** 2 + INERTIA * x[3] ** 2 / 2 + k * x[0] ** 2 / 2 + 2 * G * R,
    shown=lambda t, x, k: {"x": x[0], "y": R, "a": x[1], "x.dot": x[2], "y.dot": 0.0, "a.dot": x[3]},
    free=("x", "y", "a"), push=lambda t, x, xd, k: np.array([2 * xd[2], 2 * G, 0]),
    needed=lambda t, q, qd, qdd, k: _lifted(q, k) + np.array([2, 2, INERTIA]) * qdd, rest=lambda k: {"x": 0.0, "y": R},
)  # fmt: skip


def _lifted(q, k):
    """What spring and weight take of a disc above its floor."""
    d = q[:2] - [-4, R]
    length = np.hypot(*d)
    return np.array([*(k * (length - 4) * d / length), 0]) + [0, 2 * G, 0]


# -- a soft contact, with damping and friction -------------------------------------------------------------------------

STIFF, DAMPING, SLOW = 4e3, 40.0, 0.05


def soft(k):
    model, body = held_by_spring("soft disc", k, (0, 2), initial=(0.2, 0.4), rates=(1, 0))
    floor = (ground, shapes.HalfPlane((0, 1)))
    law = {"stiffness": STIFF, "damping": DAMPING, "damping_power": 1, "friction": 0.3, "slip_speed": SLOW}
    model.add(Contact((body, shapes.Disc(R)), floor, **law, name="floor"))
    return model


def pressed(t, x, k, mode):
    dx = FALLS[0](t, x, k)
    if (p := R - x[1]) > 0:
        force = max(0.0, p * (STIFF - DAMPING * x[3]))
        u = x[2] / SLOW
        dx = dx + np.array([0, 0, -0.3 * force * u / np.sqrt(1 + u * u), force]) / 2
    return dx


def soft_energy(t, x, k):
    return FALLS[1](t, x, k) + STIFF * max(0.0, R - x[1]) ** 2 / 2


def soft_rest(k):
    y = float(sympy.nsolve(2 * G - STIFF * (R - Y) - k * (1 - Y), Y, R))
    return {"x": 0.0, "y": y}


SOFT = Capability(
    soft, k=3.0, start=(0.2, 0.4, 1.0, 0.0), rates=pressed, energy=soft_energy, mass=FALLS[2],
    guards=((lambda t, x, k, mode: (x[1] - R) * (1, -1)[mode], lambda x, k, mode: (x, 1 - mode)),),
    rest=soft_rest, **IN_PLANE,
)  # fmt: skip

# -- on a curve: by a contact, by a constraint, rolling ----------------------------------------------------------------

_P = sympy.Matrix([A, A**2 / 2])
_N = sympy.Matrix([-A, 1]) / sympy.sqrt(1 + A**2)
_CENTRE = list(_P + R * _N)
_PLACE = sympy.lambdify((A, AD), [*_CENTRE, *(moves(e) for e in _CENTRE)])
HOLLOW = (ground, shapes.Curve(U := sympy.Symbol("u"), U**2 / 2, (U, -3, 3)))
DOWN = lagrange(
    [A], sum(moves(e) ** 2 for e in _CENTRE),
    2 * G * _CENTRE[1] + spring_of((0, 2)).xreplace(dict(zip((X, Y), _CENTRE))),
)  # fmt: skip
U0 = 0.6
START = tuple(map(float, _PLACE(U0, 0.8)))


def shown_on_curve(t, x, k):
    x, y, xd, yd = _PLACE(*x)
    return {"x": x, "y": y, "x.dot": xd, "y.dot": yd}


def _of_place(t, x, xd):
    h = 1e-4
    ahead = [np.array(_PLACE(x[0] + j * h * x[1], x[1] + j * h * xd[1])[2:]) for j in (-2, -1, 1, 2)]
    a = (ahead[0] - 8 * ahead[1] + 8 * ahead[2] - ahead[3]) / 12 / h
    return np.array([2 * a[0], 2 * (a[1] + G), 0])


ON_CURVE = {
    "k": 3.0, "start": (U0, 0.8), "rates": DOWN[0], "energy": DOWN[1], "shown": shown_on_curve,
    "push": lambda t, x, xd, k: _of_place(t, x, xd), "rest": lambda k: {"x": 0.0, "y": R},
}  # fmt: skip


def on_curve(verb, **law):
    def made(k):
        model, body = held_by_spring("disc in a hollow", k, (0, 2), initial=START[:2], rates=START[2:])
        model.add(verb((body, shapes.Disc(R)), HOLLOW, **law, name="hollow"))
        return model

    return made


CURVE = Capability(on_curve(Contact, restitution=0), **ON_CURVE, free=("x", "y"))


def along_x(equations):
    """The force along x for a motion of x: what has the power of that along the curve."""
    slopes = sympy.lambdify(A, [sympy.diff(_CENTRE[0], A, n) for n in (1, 2)])

    def needed(t, q, qd, qdd, k):
        u = float(sympy.nsolve(_CENTRE[0] - q[0], A, q[0]))
        first, second = slopes(u)
        ud = qd[0] / first
        own = equations[0](t, [u, ud], k)[1]
        return (np.asarray(equations[2](t, [u, ud], k)) @ [(qdd[0] - second * ud**2) / first - own]) / first

    return needed


GROOVE = Capability(on_curve(Sliding), **ON_CURVE, needed=along_x(DOWN))

_SPEED = sympy.sqrt(1 + A**2) - R / (1 + A**2)  # of the centre, along the curve
_ALONG = A * sympy.sqrt(1 + A**2) / 2 + sympy.asinh(A) / 2 - R * sympy.atan(A)
WHEEL = lagrange(
    [A], (2 + INERTIA / R**2) * (_SPEED * AD) ** 2 / 2,
    2 * G * _CENTRE[1] + spring_of((0, 2)).xreplace(dict(zip((X, Y), _CENTRE))),
)  # fmt: skip
_TURN = sympy.lambdify((A, AD), [-_ALONG / R, -_SPEED * AD / R])


def wheel(k):
    model = Model("wheel in a hollow", gravity=(0, -G, 0))
    k, = model.parameters(k=k)
    turn, spin = map(float, _TURN(U0, 0.8))
    x, y, a = model.coordinates("x y a", initial=(*START[:2], turn), rates=(*START[2:], spin))
    body = model.body("body", tdisp(x, y, 0) * trotz(a), mass=2, inertia=(0, 0, INERTIA))
    model.add(Spring(body, (ground, (0, 2, 0)), stiffness=k, free_length=1))
    model.add(RollingOn((body, shapes.Disc(R)), HOLLOW, name="hollow"))
    return model


def shown_wheel(t, x, k):
    a, ad = _TURN(*x)
    return shown_on_curve(t, x, k) | {"a": a, "a.dot": ad}


WHEELS = Capability(wheel, **(ON_CURVE | {
    "rates": WHEEL[0], "energy": WHEEL[1], "shown": shown_wheel}), needed=along_x(WHEEL))  # fmt: skip

# -- ropes: slack and taut, round a drum, elastic, turning a pulley, on a winch, round a peg ---------------------------

L = 0.7


def string(k):
    model, body = held_by_spring("string", k, (0, -2), initial=(0.5, -0.3), rates=(1, 0.5))
    model.add(Rope(ground, body, length=L, name="string"))
    return model


SWINGS = plane_motion((0, -2))


def pulled(t, x, k, mode):
    """Modes: slack, taut."""
    dx = SWINGS[0](t, x, k)
    if mode:
        dx[2:] -= _tension(x, dx) * x[:2] / 2
    return dx


def _tension(x, dx):
    """Of a taut string, over its length."""
    return 2 * (x[:2] @ dx[2:] + x[2:] @ x[2:]) / (x[:2] @ x[:2])


def string_changes(t, x, k, mode):
    return _tension(x, SWINGS[0](t, x, k)) if mode else L - np.hypot(*x[:2])


def tightens(x, k, mode):
    if mode:
        return x, 0
    e = x[:2] / L
    return np.concatenate([x[:2], x[2:] - (e @ x[2:]) * e]), 1


STRING = Capability(
    string, k=6.0, start=(0.5, -0.3, 1.0, 0.5), rates=pulled, energy=SWINGS[1], mass=SWINGS[2],
    guards=((string_changes, tightens),), rest=lambda k: {"x": 0.0, "y": -L}, **IN_PLANE,
)  # fmt: skip


def drum(k):
    model = Model("drum", gravity=(0, -G, 0))
    k, = model.parameters(k=k)
    x, y = model.coordinates("x y", initial=(-1, -1), rates=(0.8, -0.8))
    light = model.body("light", tdisp(-0.1, x, 0), mass=2, inertia=(0, 0, 0))
    body = model.body("body", tdisp(0.1, y, 0), mass=3, inertia=(0, 0, 0))
    model.add(Rope(light, Pulley(ground, 0.1, side="right", friction=0.2), body, name="rope"))
    model.add(GeneralizedForce(y, -k * (y + 1)))
    return model


RATIO = np.exp(0.2 * np.pi)


def rubbed(t, x, k, mode):
    """The depth of the body and its rate. Modes: it sinks, sticks, rises."""
    if mode == 1:
        return np.zeros(2)
    f = RATIO if mode == 0 else 1 / RATIO  # T of the body is that of the light one over f
    return np.array([x[1], (3 * G - k * x[0] - 2 * G / f**-1) / (3 + 2 / f**-1)])


def sticks(x, k, mode):
    left = 3 * G - k * x[0]
    mode = 1 if 2 * G / RATIO <= left <= 2 * G * RATIO else 0 if left > 2 * G * RATIO else 2
    return np.array([x[0], 0.0]), mode


DRUM = Capability(
    drum, k=120.0, start=(0.0, 0.8), rates=rubbed,
    guards=((lambda t, x, k, mode: (x[1], 1.0, -x[1])[mode] + (1e-30 if x[1] == 0 else 0), sticks),),
    energy=lambda t, x, k: 2.5 * x[1] ** 2 + G * (2 * (x[0] - 1) - 3 * (x[0] + 1)),
    shown=lambda t, x, k: {"x": x[0] - 1, "x.dot": x[1], "y": -1 - x[0], "y.dot": -x[1]},
    free=("x", "y"), push=lambda t, x, xd, k: np.array([0.0, 3 * (G - xd[1]), 0]),
)  # fmt: skip


def bungee(k):
    model = Model("bungee", gravity=(0, -G, 0))
    k, = model.parameters(k=k)
    y, = model.coordinates("y", initial=-0.2, rates=1)
    body = model.body("body", tdisp(0.1, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(Rope((ground, (-0.1, -1, 0)), Pulley(ground, 0.1, side="right"), body, length=1.5 + 0.1 * np.pi,
                   stiffness=k, damping=5, name="rope"))  # fmt: skip
    return model


FREE_LENGTH = 1.5 + 0.1 * np.pi


def stretched(t, x, k, mode):
    pull = max(0.0, k * (-x[0] - 0.5) - 5 * x[1]) / FREE_LENGTH if x[0] < -0.5 else 0.0
    return np.array([x[1], pull / 2 - G])


BUNGEE = Capability(
    bungee, k=400.0, start=(-0.2, 1.0), rates=stretched,
    guards=((lambda t, x, k, mode: (x[0] + 0.5) * (1, -1)[mode], lambda x, k, mode: (x, 1 - mode)),),
    energy=lambda t, x, k: x[1] ** 2 + 2 * G * x[0] + k * max(0.0, -x[0] - 0.5) ** 2 / 2 / FREE_LENGTH,
    shown=lambda t, x, k: {"y": x[0], "y.dot": x[1]}, free=("y",), mass=lambda t, x, k: np.array([[2.0]]),
    push=lambda t, x, xd, k: np.array([0, 2 * (xd[1] + G), 0]),
    rest=lambda k: {"y": -0.5 - 2 * G * FREE_LENGTH / k},
)  # fmt: skip


def turned(k):
    model = Model("pulley with inertia", gravity=(0, -G, 0))
    k, = model.parameters(k=k)
    x, y, q = model.coordinates("x y q", initial=(-1, -1, 0))
    wheel = model.body("wheel", trotz(q), mass=1, inertia=(0, 0, 0.02))
    light = model.body("light", tdisp(-0.1, x, 0), mass=2, inertia=(0, 0, 0))
    body = model.body("body", tdisp(0.1, y, 0), mass=3, inertia=(0, 0, 0))
    model.add(Rope(light, Pulley(wheel, 0.1, side="right", angle=q), body, name="rope"))
    model.add(GeneralizedForce(y, -k * (y + 1)))
    return model


TURNED = Capability(
    turned, k=40.0, start=(0.0, 0.0), rates=lambda t, x, k, mode=0: np.array([x[1], (G - k * x[0]) / 7]),
    energy=lambda t, x, k: 3.5 * x[1] ** 2 + G * (2 * (x[0] - 1) - 3 * (x[0] + 1)),
    shown=lambda t, x, k: {"x": x[0] - 1, "y": -1 - x[0], "q": -10 * x[0], "q.dot": -10 * x[1]},
    free=("x", "y", "q"), push=lambda t, x, xd, k: np.array([0.0, k * x[0], 0]),  # the rope comes from the wheel
)  # fmt: skip


def winch(k):
    model = Model("winch", gravity=(0, -G, 0))
    k, = model.parameters(k=k)
    q, y = model.coordinates("q y", initial=(0, -1))
    spool = model.body("spool", trotz(q), mass=1, inertia=(0, 0, 0.05))
    body = model.body("body", tdisp(0.1, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(Rope(Winch(spool, 0.1, angle=q, side="right", wrap=3), body, name="cable"))
    model.add(GeneralizedForce(q, -k * q))
    return model


WINCH = Capability(
    winch, k=3.0, start=(0.0, 0.0), rates=lambda t, x, k, mode=0: np.array([x[1], (-0.2 * G - k * x[0]) / 0.07]),
    energy=lambda t, x, k: 0.035 * x[1] ** 2 + 2 * G * (-1 + 0.1 * x[0]),
    shown=lambda t, x, k: {"q": x[0], "q.dot": x[1], "y": -1 + 0.1 * x[0], "y.dot": 0.1 * x[1]},
    free=("q", "y"), push=lambda t, x, xd, k: np.zeros(3),  # the rope comes from the spool
)  # fmt: skip

# a peg to the left of the string, on which it lies while it swings to the left
PEG, WHOLE = 0.4, 0.9
CLEAR = float(np.sqrt(PEG**2 - R**2))  # from the first end to the peg
LEAVES = float(np.arcsin(R / PEG))  # the angle of the strand there
_DOWN = sympy.Matrix([sympy.sin(A), -sympy.cos(A)])
_ON_PEG = sympy.Matrix([R * sympy.cos(A), R * sympy.sin(A) - PEG]) + (WHOLE - CLEAR - R * (LEAVES - A)) * _DOWN


def strand(place):
    """Equations and energy by the angle of the last strand, and the place of its end."""
    x, y = place
    found = lagrange([A], moves(x) ** 2 + moves(y) ** 2, 2 * G * y + spring_of((0, -2)).xreplace({X: x, Y: y}))
    return *found[:2], sympy.lambdify((A, AD), [x, y, moves(x), moves(y)])


LIES, HANGS = strand(_ON_PEG), strand(WHOLE * _DOWN)


def strand_of(x):
    return HANGS if x[0] > LEAVES else LIES


def takes_over(x, k, mode):
    """The end goes on with the speed it has: about the peg in place of the first end, or back."""
    share = WHOLE / (WHOLE - CLEAR)
    return np.array([LEAVES, x[1] * (share if mode == 0 else 1 / share)]), 1 - mode


def round_peg(k):
    model, body = held_by_spring("string and peg", k, (0, -2), initial=HANGS[2](0.9, 0)[:2])
    model.add(Rope(ground, Around((ground, (0, -PEG, 0)), R, side="right"), body, length=WHOLE, name="string"))
    return model


def end_of_strand(t, x, k):
    return dict(zip(("x", "y", "x.dot", "y.dot"), strand_of(x)[2](*x), strict=True))


AROUND = Capability(
    round_peg, k=6.0, start=(0.9, 0.0), rates=lambda t, x, k, mode=0: (HANGS, LIES)[mode][0](t, x, k),
    energy=lambda t, x, k: strand_of(x)[1](t, x, k), shown=end_of_strand,
    guards=((lambda t, x, k, mode: (x[0] - LEAVES) * (1, -1)[mode], takes_over),),
    free=("x", "y"), push=lambda t, x, xd, k: WHOLE * np.array([
        np.cos(x[0]) * xd[1] - np.sin(x[0]) * x[1] ** 2, np.sin(x[0]) * xd[1] + np.cos(x[0]) * x[1] ** 2, 0,
    ]) * 2 + [0, 2 * G, 0],
)  # fmt: skip

SHAPES = {
    "contact of shapes": EDGE, "contact of shapes, friction": DRY, "soft contact of shapes": SOFT,
    "contact on a curve": CURVE, "sliding on a curve": GROOVE, "rolling on a curve": WHEELS, "rope": STRING,
    "rope with friction": DRUM, "elastic rope": BUNGEE, "pulley that turns": TURNED, "winch": WINCH,
    "rope round a peg": AROUND,
}  # fmt: skip
