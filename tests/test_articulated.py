"""Articulated bodies against M qdd = -h solved in numbers, the textbook, and Pinocchio; and that they grow as n alone.

Oracles: the mass matrix and h of the recursive scheme (composite bodies, Newton-Euler), the accelerations of the
explicit scheme (eqs. 5-8, no tree), the residual at the accelerations found.
"""

import time

import numpy as np
import pytest
import sympy
from chance import first
from sympy import asin, cos, sin
from test_pinocchio import ours, pinocchio_model, random_tree

from easydyn import (
    Damper,
    Force,
    GeneralizedForce,
    Model,
    Moment,
    Spring,
    examples,
    ground,
    rotation_sequence,
    t,
    tdisp,
    tquat,
    transform,
    trot,
    trotx,
    troty,
    trotz,
)
from easydyn.engine import derivation
from easydyn.engine.derivation import Derivation
from easydyn.engine.elimination import solve
from easydyn.engine.graph import Graph
from easydyn.engine.program import Program
from easydyn.engine.targets import python_functions

TOLERANCE = 1e-10
GRAVITY = (0.4, -9.7, 1.1)
TENSOR = (0.3, 0.4, 0.35, 0.03, -0.02, 0.05)


def difference(x, y):
    return np.abs(np.subtract(x, y)).max() / np.abs(y).max()


def program(system, key):
    """f(time, q, qd) of a straight-line program of the system, in plain Python."""
    evaluate, constants = system.function(key, "python")
    return lambda time, q, qd: np.array(
        evaluate(time, q.tolist(), qd.tolist(), [0.0] * system.n, constants), dtype=float
    )


def check(model, rng, *, textbook=True, width=0, states=3, low=-1.5, high=1.5):
    """Articulated bodies apply to the model, and give the accelerations of every other derivation."""
    plan = Derivation(model.mechanism)
    assert plan.articulated and plan.unrolled_is_sensible
    assert plan._articulated_bodies.width == width, "as many coordinates stay open as have to, and no more"
    system = model.compile()
    found = program(system, "by_articulated_bodies")
    others = [program(system, "by_elimination")] if system.n <= 12 else []
    for _ in range(states):
        q, qd = rng.uniform(low, high, system.n), rng.uniform(-2, 2, system.n)
        time, zero = float(rng.uniform(0, 2)), np.zeros(system.n)
        x = found(time, q, qd)
        h = system.residual(time, q, qd, zero)
        assert difference(x, np.linalg.solve(system.mass_matrix(time, q), -h)) < TOLERANCE
        assert np.abs(system.residual(time, q, qd, x)).max() < TOLERANCE * np.abs(h).max()
        for other in others:
            assert difference(x, other(time, q, qd)) < TOLERANCE
        if textbook:
            assert difference(x, model.compile(scheme="explicit").accelerations(time, q, qd)) < TOLERANCE


def planar(n, absolute=False):
    """A chain of rods in a plane; absolute angles are differences at the joints."""
    model = Model("chain", gravity=(0, -9.81, 0))
    q = model.coordinates([f"q{i}" for i in range(n)])
    l, m = model.parameters(l=0.5, m=2.0)
    T = tdisp(0, 0, 0)
    for i in range(n):
        T = T * trotz(q[i] - q[i - 1] if absolute and i else q[i])
        model.body(f"rod {i}", T * tdisp(0, -l / 2, 0), mass=m, inertia=(0, 0, m * l**2 / 12))
        T = T * tdisp(0, -l, 0)
    return model


def spatial(n):
    """A chain with axes along x, y, z and slanted in turn, full tensors, centres of mass anywhere."""
    model = Model("spatial", gravity=GRAVITY)
    T = tdisp(0, 0, 0)
    for i, q in enumerate(model.coordinates([f"q{i}" for i in range(n)])):
        T = T * (trotx(q), troty(q), trotz(q), trot((1, 2, -1), q))[i % 4]
        model.body(f"body {i}", T, mass=1 + i % 3, inertia=TENSOR, com=(0.1, -0.2, 0.15))
        T = T * tdisp(0.3, -0.7, 0.4)
    return model


# -- mechanisms of every kind ---------------------------------------------------------------------------------------


def branches():
    """A trunk with three arms, one of them forked; a second tree on the ground."""
    model = Model("branches", gravity=GRAVITY)
    q = model.coordinates([f"q{i}" for i in range(9)])
    trunk = tdisp(0, 0.2, 0) * troty(q[0])
    model.body("trunk", trunk, mass=3, inertia=TENSOR, com=(0, 0.5, 0.1))
    for k, place in enumerate(((1, 0, 0), (0, 1, 0.5), (0, -0.3, 1))):
        arm = trunk * tdisp(*place) * (trotx, trotz, troty)[k](q[1 + k])
        model.body(f"arm {k}", arm, mass=1, inertia=TENSOR, com=(0.2, 0.1, -0.1))
    for k in range(2):
        finger = arm * trotx(0.3) * tdisp(0, k, 0.4) * trotz(q[4 + k])
        model.body(f"finger {k}", finger, mass=0.4, inertia=TENSOR, com=(0, 0.1, 0))
    other = tdisp(3, 0, 0) * trotx(q[6])
    model.body("other", other, mass=2, inertia=TENSOR, com=(0, 0, 0.3))
    for k in range(2):
        model.body(f"slide {k}", other * tdisp(0, q[7 + k], k), mass=1, inertia=TENSOR)
    return model


def slides():
    """Prismatic joints: along an axis, slanted, of three components, and a polar one after a turn."""
    model = Model("slides", gravity=GRAVITY)
    a, x, y, z, r, p, s = model.coordinates("a x y z r p s")
    first = trotz(a) * tdisp(0.3, 0, 0.1) * tdisp(x, y, z)
    model.body("first", first, mass=2, inertia=TENSOR, com=(0.1, 0.2, 0.3))
    second = first * trotx(0.4) * tdisp(0.6 * s, 0.8 * s, 0.1) * troty(s**2 / 4)
    model.body("second", second, mass=1, inertia=TENSOR, com=(0.1, 0, 0))
    polar = first * tdisp((2 + r) * cos(p), (2 + r) * sin(p), 0)
    model.body("polar", polar, mass=1.5, inertia=TENSOR)
    return model


def blocks():
    """Matrices in which no joint can be seen: of one and of two coordinates, with and without displacement."""
    model = Model("blocks", gravity=GRAVITY)
    a, b, c, d, f = model.coordinates("a b c d f")
    (l,) = model.parameters(l=0.8)
    raw = sympy.Matrix([
        [cos(a), 0, sin(a), l * cos(a)], [0, 1, 0, a / 3], [-sin(a), 0, cos(a), -l * sin(a)], [0, 0, 0, 1],
    ])  # fmt: skip
    model.body("first", raw, mass=1.5, inertia=TENSOR, com=(0.1, 0, 0.2))
    both = transform((trotx(b) * troty(c)).R._sympy_(), (b * c, b, sin(c)))
    fixed = transform([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (0.1, 0.2, 0.3))
    second = raw * (fixed * both)
    model.body("second", second, mass=2, inertia=TENSOR, com=(0, 0.3, 0.1))
    third = second * tquat(cos(d / 2), 0.6 * sin(d / 2), 0, 0.8 * sin(d / 2)) * trotx(f) * tdisp(0, 0, 0.4)
    model.body("third", third, mass=1, inertia=TENSOR)
    return model


def driven():
    """Joints that time moves, alone and together with coordinates."""
    model = Model("driven", gravity=GRAVITY)
    a, x, b = model.coordinates("a x b")
    (w,) = model.parameters(w=2.0)
    first = tdisp(0.1 * t**2, 0, sin(t)) * trotz(a + 0.5 * sin(w * t)) * tdisp(1 + x, 0.1 * t, 0)
    model.body("first", first, mass=2, inertia=TENSOR, com=(0, 0.1, 0))
    model.body("turned by time", first * troty(t), mass=1, inertia=TENSOR, com=(0, 0, 0.2))
    second = first * trot((1, -1, 2), 0.7 * t) * trotx(b) * tdisp(0, 0, -0.5)
    model.body("second", second, mass=1, inertia=TENSOR)
    return model


def without_mass():
    """A universal joint and a spherical one with nothing between the turns, a rotor of no mass, a point of no size."""
    model = Model("without mass", gravity=GRAVITY)
    a, b, c, d, f, g = model.coordinates("a b c d f g")
    model.body("cross", trotx(a), mass=0, inertia=(0, 0, 0))
    universal = trotx(a) * troty(b) * tdisp(0, 0, -1)
    model.body("link", universal, mass=1, inertia=(0, 0, 0), com=(0, 0.1, 0))
    spherical = universal * rotation_sequence("zyx", c, d, f)
    model.body("ball", spherical * tdisp(0, 0.3, 0), mass=2, inertia=TENSOR)
    model.body("rotor", spherical * tdisp(1, 0, 0) * trot((0, 3, 4), g), mass=0, inertia=(0.5, 0.5, 0.5))
    return model


def free_bodies():
    """Two that fly: one by three displacements and three turns, one in the axes of the first."""
    model = Model("free bodies", gravity=GRAVITY)
    x, y, z, a, b, c = model.coordinates("x y z a b c")
    u, v, w, f, g, h = model.coordinates("u v w f g h")
    first = tdisp(x, y, z) * rotation_sequence("zyx", a, b, c)
    model.body("first", first, mass=3, inertia=TENSOR, com=(0.02, 0.03, -0.05))
    second = first * rotation_sequence("xyz", f, g, h) * tdisp(u, 0, 0) * tdisp(0, v, w)
    model.body("second", second, mass=1, inertia=TENSOR, com=(0.1, 0, 0.05))
    return model


def gears():
    """One coordinate turns a wheel, a rotor beside it and a rotor two joints further out, in a housing that tilts."""
    model = Model("gears", gravity=GRAVITY)
    h, q, s, r = model.coordinates("h q s r")
    (ratio,) = model.parameters(ratio=-3.5)
    housing = trotx(h)
    model.body("housing", housing, mass=3, inertia=TENSOR, com=(0, 0.1, 0.2))
    wheel = housing * tdisp(0, 0, 0.3) * troty(q)
    model.body("wheel", wheel, mass=1.2, inertia=(0.02, 0.05, 0.02))
    model.body("rotor", housing * troty(ratio * q), mass=0, inertia=(0.001, 0.003, 0.002))
    arm = wheel * tdisp(0.3, 0, 0) * trotz(s)
    model.body("arm", arm, mass=1, inertia=TENSOR, com=(0.1, 0.2, 0))
    far = arm * tdisp(0.4, 0.1, 0) * trotx(r + ratio * q)
    model.body("far", far, mass=1, inertia=TENSOR, com=(0, 0.1, 0.3))
    return model


def everywhere():
    """A coordinate that moves every joint of a chain, beside the chain's own."""
    model = Model("everywhere", gravity=GRAVITY)
    q = model.coordinates([f"q{i}" for i in range(6)])
    (common,) = model.coordinates("common")
    T = tdisp(0, 0, common)
    for i in range(6):
        T = T * (trotx, trotz)[i % 2](q[i] + common**2 / (2 + i)) * tdisp(0.1, -0.6, 0.2 + common / 10)
        model.body(f"body {i}", T, mass=1, inertia=TENSOR)
    return model


def slider_crank():
    """A closed loop, solved by asin, on a base that turns; a free pendulum on the slider."""
    model = Model("slider-crank", gravity=GRAVITY)
    b, q, p = model.coordinates("b q p")
    l1, l2 = model.parameters(l1=1.0, l2=2.2)
    base = trotx(b)
    alpha = asin(l1 * sin(q) / l2)
    x = l1 * cos(q) + l2 * cos(alpha)
    model.body("base", base, mass=4, inertia=TENSOR)
    model.body("crank", base * trotz(q) * tdisp(l1 / 2, 0, 0), mass=1, inertia=(0.01, 0.08, 0.0833))
    model.body("rod", base * tdisp(x, 0, 0) * trotz(-alpha) * tdisp(-l2 / 2, 0, 0), mass=2, inertia=TENSOR)
    model.body("slider", base * tdisp(x, 0, 0), mass=5, inertia=TENSOR)
    model.body("pendulum", base * tdisp(x, 0, 0) * trotz(p), mass=1, inertia=TENSOR, com=(0, -0.4, 0))
    return model


def with_efforts(model, seed):
    """All kinds of efforts, between bodies that are near and that are not, in all axes."""
    rng = np.random.default_rng(seed)
    bodies, coordinates = model.bodies, model.mechanism.coordinates

    def one():
        return bodies[int(rng.integers(len(bodies)))]

    def three():
        return tuple(rng.uniform(-0.5, 0.5, 3))

    def pair():
        """A body and another one, or none, to react on."""
        body, other = one(), one()
        return body, None if other is body else other

    for _ in range(3):
        q, other = (coordinates[int(rng.integers(len(coordinates)))] for _ in range(2))
        force = (3 * sin(t) - q.dot, 2 * q * other.dot, 4)
        (acted, reacting), (turned, holding) = pair(), pair()
        model.add(
            Force(acted, force, at=three(), frame=one(), reaction=reacting),
            Force(one(), force, at=three(), frame=one()),
            Force(one(), force, at=three()),
            Moment(turned, (1, q.dot, sin(q)), frame=one(), reaction=holding),
            Moment(one(), (0, 2, q)),
            Spring((one(), three()), (ground, (3, 4, 5)), stiffness=5, free_length=0.5),
            Damper((ground, (-3, 4, 2)), (one(), three()), damping=2),
            GeneralizedForce(q, -3 * q + cos(t) * other.dot),
        )
        first, second = rng.choice(len(bodies), 2, replace=False) if len(bodies) > 1 else (None, None)
        if first is not None:
            ends = (bodies[int(first)], (0.9, 0.8, 0.1)), (bodies[int(second)], (-0.7, 0.1, 0.6))
            model.add(Spring(*ends, stiffness=7, free_length=0.2), Damper(*ends, damping=1.5))
    return model


# name: the model, and how many coordinates stay open at most beside the one that is eliminated
KINDS = {
    "planar": (lambda: planar(4), 0),
    "absolute angles": (lambda: planar(4, absolute=True), 0),
    "spatial": (lambda: spatial(5), 0),
    "branches": (branches, 0),
    "slides": (slides, 1),
    "blocks": (blocks, 0),
    "driven": (driven, 0),
    "without mass": (without_mass, 0),
    "free bodies": (free_bodies, 0),
    "gears": (gears, 1),
    "everywhere": (everywhere, 1),
    "slider-crank": (slider_crank, 1),
}


@pytest.mark.parametrize("absolute", [False, True], ids=["relative", "absolute"])
@pytest.mark.parametrize("n", [1, 2, 3, 10, pytest.param(50, marks=pytest.mark.long)])
def test_planar_chains(n, absolute, rng):
    check(planar(n, absolute), rng, textbook=n <= 10)


@pytest.mark.parametrize("n", [1, 2, 3, *(pytest.param(n, marks=pytest.mark.long) for n in (8, 20, 50))])
def test_spatial_chains(n, rng):
    check(spatial(n), rng, textbook=n <= 8)


@pytest.mark.parametrize("name", KINDS)
def test_locked_coordinates_are_those_that_stay(name, rng):
    """Beside M and h with the rows of what is locked left out; where coordinates are eliminated with others, M is."""
    system = KINDS[name][0]().compile(target="python")
    system = system.with_locks(tuple(q for q in system.mechanism.coordinates if rng.random() < 0.7))
    m, applies = system.mechanism, name not in ("absolute angles", "everywhere")
    assert Derivation(m).articulated == applies or not m.locks
    key = "by_articulated_bodies" if applies else "accelerations"
    for _ in range(3):
        state, none = (rng.uniform(-1.5, 1.5), *rng.uniform(-1.5, 1.5, (2, system.n))), np.zeros(system.n)
        locked = rng.integers(0, 2, len(m.locks))
        free = [k for k in range(system.n) if not any(x and m.coordinates[k] == q for x, q in zip(locked, m.locks))]
        M, h = system.at("free_mass_matrix", *state, none).reshape(system.n, -1), system.at("bias", *state, none)
        found, wanted = system.at(key, *state, none, [*locked.astype(float)]), np.zeros(system.n)
        wanted[free] = np.linalg.solve(M[np.ix_(free, free)], -h[free])
        assert difference(found, wanted) < TOLERANCE and not found[np.flatnonzero(wanted == 0)].any()


@pytest.mark.one_in(15)
@pytest.mark.parametrize("efforts", [False, True], ids=["bare", "with efforts"])
@pytest.mark.parametrize("name", KINDS)
def test_mechanisms_of_every_kind(name, efforts, rng):
    make, width = KINDS[name]
    model = make()
    check(with_efforts(model, 3) if efforts else model, rng, width=width)


def random_mechanism(seed):
    """A random tree of turns, slides, blocks, driven and coupled joints; bodies without mass, but not at the tips."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 8))
    model = Model(f"mechanism {seed}", gravity=GRAVITY)
    q = model.coordinates([f"q{i}" for i in range(n)])
    m, l = model.parameters(m=1.3, l=0.4)
    frames, light = [tdisp(0, 0, 0)], False
    for i in range(n):
        frame = frames[-1] if light else frames[int(rng.integers(len(frames)))]
        angle = q[i] * float(rng.choice([1, 1, 2, -0.5]))
        coupled = int(rng.integers(4))
        if coupled == 0 and i:
            angle = angle + float(rng.choice([1, -1, 0.3])) * q[int(rng.integers(i))]
        if coupled == 1:
            angle = angle + sin(t) / 3
        joints = [
            trotx(angle), troty(angle), trotz(angle), trot((1, -2, 0.5), angle),
            tdisp(0, angle, 0), tdisp(0.6 * angle, l, 0.8 * angle),
            transform((trotx(q[i]) * troty(2 * q[i])).R._sympy_(), (q[i], 0, q[i] ** 2)),
        ]  # fmt: skip
        before = [tdisp(*rng.uniform(-1, 1, 3)), tdisp(0, l, 0), trot((0, 1, 1), 0.4) * tdisp(1, 0, l)][i % 3]
        frames.append(frame * before * joints[int(rng.integers(7))])
        light = i < n - 1 and rng.random() < 0.2
        mass = 0 if light else m * float(rng.uniform(1, 3))
        com = tuple(rng.uniform(-0.3, 0.3, 3))
        model.body(f"body {i}", frames[-1] * tdisp(0, 0, 0.2), mass=mass, inertia=TENSOR, com=com)
    return with_efforts(model, seed) if seed % 2 else model


@pytest.mark.one_in(12)
@pytest.mark.parametrize("seed", first(10, range(30)))
def test_random_mechanisms(seed, rng):
    model = random_mechanism(seed)
    plan = Derivation(model.mechanism)
    assert plan._articulated_bodies.regular
    check(model, rng, width=plan._articulated_bodies.width, states=2)


# -- what grows, and how -------------------------------------------------------------------------------------------


def crank_row(n):
    """Closed loops side by side."""
    model = Model("cranks", gravity=(0, -9.81, 0))
    for i, q in enumerate(model.coordinates([f"q{i}" for i in range(n)])):
        alpha = asin(sin(q) / 3)
        x = cos(q) + 3 * cos(alpha)
        model.body(f"crank {i}", tdisp(0, 0, i) * trotz(q), mass=1, inertia=(0, 0, 0.1), com=(0.5, 0, 0))
        model.body(f"rod {i}", tdisp(x, 0, i) * trotz(-alpha) * tdisp(-1.5, 0, 0), mass=2, inertia=(0, 0, 1))
    return model


def sprung(n):
    """A chain with springs and dampers from rod to rod, and forces written in the axes of the rods."""
    model = planar(n)
    for one, next_one in zip(model.bodies, model.bodies[1:], strict=False):
        ends = (one, (0.1, 0, 0)), (next_one, (0.1, 0, 0))
        model.add(Spring(*ends, stiffness=9, free_length=0.3), Damper(*ends, damping=1))
        model.add(Force(next_one, (0, 1, 0), frame=next_one, reaction=one))
    return model


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "make", [planar, lambda n: planar(n, True), spatial, crank_row, sprung],
    ids=["planar", "absolute angles", "spatial", "closed loops", "springs"],
)  # fmt: skip
def test_operations_grow_linearly(make):
    """Exactly: as many more from 24 to 40 bodies as from 8 to 24, so that the last bodies cost what the first did."""

    def total(n):
        count = Program("accelerations", Derivation(make(n).mechanism).by_articulated_bodies).operations
        return np.array([count["mul"], count["add"], count["trig"]])

    few, some, many = total(8), total(24), total(40)
    assert np.all(many - some == some - few), (few, some, many)


@pytest.mark.long
def test_hundred_rods_are_short_and_quick():
    start = time.process_time()
    count = planar(100).operations(of="accelerations")
    assert count["mul"] <= 3549 and count["add"] <= 2652
    assert time.process_time() - start < 20  # seconds on any machine
    absolute = planar(100, absolute=True).operations(of="accelerations")
    assert absolute["mul"] <= 3549 and absolute["add"] <= 2851


@pytest.mark.long
def test_two_hundred_links_in_space_are_quick():
    start = time.process_time()
    count = spatial(200).operations(of="accelerations")
    assert count["mul"] + count["add"] < 80_000
    assert time.process_time() - start < 30  # seconds on any machine; minutes if the work grew with the cube


@pytest.mark.long
def test_hundred_rods_balance_their_own_residual(rng):
    """M of a hundred rods is nearly singular (condition 1e7): the residual is the better judge."""
    system = planar(100).compile()
    q, qd = rng.uniform(-1, 1, (2, 100))
    x = program(system, "accelerations")(0.0, q, qd)
    h = system.residual(0, q, qd, np.zeros(100))
    assert np.abs(system.residual(0, q, qd, x)).max() < 1e-11 * np.abs(h).max()


@pytest.mark.parametrize("n", [6, 20])
def test_random_trees_agree_with_the_articulated_bodies_of_pinocchio(n, rng):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) has no wheels for Windows")
    for chain in (False, True):
        tree = random_tree(rng, n, chain=chain)
        found = program(ours(tree).compile(), "by_articulated_bodies")
        model, data, order = pinocchio_model(pin, tree)
        for _ in range(5):
            q, qd = rng.uniform(-3, 3, (2, n))
            theirs = np.empty((2, n))
            theirs[:, order] = q, qd
            expected = pin.aba(model, data, *theirs, np.zeros(n))[order]
            assert difference(found(0.0, q, qd), expected) < TOLERANCE


# -- which way is taken --------------------------------------------------------------------------------------------


def rods_from_the_ground(n):
    """A chain whose frames stand at sums of sines: every coordinate moves every later rod."""
    model = Model("rods", gravity=(0, -9.81, 0))
    x = y = 0
    for i, q in enumerate(model.coordinates([f"q{i}" for i in range(n)])):
        model.body(f"rod {i}", tdisp(x + sin(q) / 2, y - cos(q) / 2, 0) * trotz(q), mass=1, inertia=(0, 0, 0.1))
        x, y = x + sin(q), y - cos(q)
    return model


def test_of_few_unknowns_the_shorter_program_is_taken():
    for model, way in ((spatial(4), "by_elimination"), (planar(6), "by_articulated_bodies")):
        plan = Derivation(model.mechanism)
        assert plan.accelerations is getattr(plan, way)


def test_wide_mechanisms_are_left_to_the_mass_matrix(rng):
    for n in (7, 10, 12, 13):
        plan = Derivation(rods_from_the_ground(n).mechanism)
        assert plan._articulated_bodies.width == n - 1
        assert plan.articulated == (n <= 7)
        assert plan.unrolled_is_sensible == (n <= 12)
    system = rods_from_the_ground(9).compile()
    q, qd = rng.uniform(-1, 1, (2, 9))
    x = program(system, "accelerations")(0.0, q, qd)
    assert difference(x, system.accelerations(0, q, qd)) < TOLERANCE
    check(rods_from_the_ground(7), rng, width=6)


@pytest.mark.long
def test_a_hundred_coordinates_that_move_everything_are_recognised_at_once():
    start = time.process_time()
    plan = Derivation(rods_from_the_ground(60).mechanism)
    assert not plan.articulated and not plan.unrolled_is_sensible
    assert time.process_time() - start < 30  # seconds on any machine; minutes if the work grew with the cube


def test_two_coordinates_that_do_the_same_are_left_to_the_mass_matrix(rng):
    """With a third joint the same three coordinates are independent again."""
    for third, regular in ((False, False), (True, True)):
        model = Model("three", gravity=GRAVITY)
        a, b, c = model.coordinates("a b c")
        arm = trotz(a + b) * tdisp(1, 0, 0) * trotx(c - b)
        model.body("arm", arm, mass=1, inertia=TENSOR)
        if third:
            model.body("hand", arm * tdisp(0, 1, 0) * troty(2 * b), mass=1, inertia=TENSOR)
            check(model, rng, width=1)
        assert Derivation(model.mechanism).articulated == regular
    pair = Model("pair", gravity=GRAVITY)
    a, b, c = pair.coordinates("a b c")
    pair.body("left", trotz(a + c), mass=1, inertia=TENSOR)
    pair.body("right", tdisp(1, 0, 0) * trotz(b - c), mass=1, inertia=TENSOR)
    assert not Derivation(pair.mechanism).articulated


@pytest.mark.parametrize("carried", [False, True])
def test_what_two_branches_share_stays_open_in_both(carried):
    """And beyond, where both are carried by a joint that comes before."""
    model = Model("pair", gravity=GRAVITY)
    a, b, c, *d = model.coordinates("a b c d" if carried else "a b c")
    base = trotx(d[0]) * tdisp(0.2, 0.5, -0.1) if carried else tdisp(0, 0, 0)
    model.body("left", base * trotz(a) * trotx(c), mass=1, inertia=TENSOR)
    model.body("right", base * tdisp(1, 0, 0) * trotz(b) * troty(c), mass=1, inertia=TENSOR)
    check(model, np.random.default_rng(3), width=1)


def test_what_a_joint_turns_by_costs_no_more_than_a_coordinate():
    """Unit axes: a multiple of a coordinate, or a difference of two, is put right once, at the end."""

    def total(factor):
        model = Model("scaled", gravity=GRAVITY)
        T = tdisp(0, 0, 0)
        for i, q in enumerate(model.coordinates("a b c d")):
            T = T * (troty(factor * q) if i % 2 else tdisp(0, 0, factor * q)) * tdisp(0.2, -0.3, 0.4)
            model.body(f"body {i}", T, mass=1, inertia=TENSOR, com=(0.1, 0.2, 0.3))
        count = Program("accelerations", Derivation(model.mechanism).by_articulated_bodies).operations
        return count["mul"]

    assert total(2) <= total(1) + 4 * 3  # angle or displacement, its rate, the division


def test_accelerations_in_efforts_and_equations(rng):
    """Rotors geared to joints; an acceleration of one coordinate in the force on another; a motor with a current."""
    rotors = spatial(4)
    q = rotors.mechanism.coordinates
    rotors.add(*(GeneralizedForce(x, -0.3 * x.ddot - x.dot) for x in q), GeneralizedForce(q[0], -0.2 * q[1].ddot))
    on_body = spatial(3)
    q = on_body.mechanism.coordinates
    on_body.add(Force(on_body.bodies[1], (-0.1 * q[1].ddot, 0, 0), frame=on_body.bodies[1]))
    motor = spatial(2)
    q = motor.mechanism.coordinates
    i, j = motor.states("i j", initial=(0, 0))
    motor.equation(0.5 * j.dot + 2 * i - 3 * q[0].dot - 0.1 * q[0].ddot)
    motor.equation(0.3 * i.dot + j * i + sin(t))
    motor.add(GeneralizedForce(q[0], 2 * i))
    for model in (rotors, on_body, motor):
        plan = Derivation(model.mechanism)
        assert plan.articulated == plan.unrolled_is_sensible == (model is not motor)  # equations go by the mass matrix
        for scheme in ("recursive", "explicit"):
            system = model.compile(scheme=scheme)
            time, q, qd = 0.3, *rng.uniform(-1, 1, (2, system.n))
            x = program(system, "accelerations")(time, q, qd)
            assert difference(x, system.accelerations(time, q, qd)) < TOLERANCE
            h = system.residual(time, q, qd, np.zeros(system.n))
            assert np.abs(system.residual(time, q, qd, x)).max() < TOLERANCE * np.abs(h).max()


def test_what_no_program_knows_of_is_solved_in_numbers():
    called = planar(3)
    assert Derivation(called.mechanism).unrolled_is_sensible

    @called.efforts
    def brake(time, bodies):
        bodies["rod 0"].MG += -0.1 * bodies["rod 0"].omega

    assert not Derivation(called.mechanism).unrolled_is_sensible


@pytest.mark.parametrize("symmetric", [True, False])
def test_elimination_on_the_graph(symmetric, rng):
    """Sparse systems, with zeros on the diagonal where M is not symmetric."""
    n = 7
    for _ in range(5):
        A = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.4)
        A = A @ A.T + np.eye(n) if symmetric else (A + np.diag(rng.uniform(1, 2, n)))[rng.permutation(n)]
        graph = Graph()

        def entry(i, j, A=A, graph=graph):
            i, j = sorted((i, j)) if symmetric else (i, j)
            return graph.input("q", n * i + j) if A[i, j] else graph.zero

        M = [[entry(i, j) for j in range(n)] for i in range(n)]
        f = [graph.input("qd", i) for i in range(n)]
        prologue, evaluate = python_functions(Program("solve", solve(M, f), {}))
        b = rng.normal(size=n)
        x = evaluate(0.0, A.ravel().tolist(), b.tolist(), [], prologue([]))
        np.testing.assert_allclose(A @ x, b, rtol=0, atol=1e-9)


# -- efforts are the same whoever looks ----------------------------------------------------------------------------


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", ["spatial", "branches", "blocks", "driven", "slider-crank"])
def test_efforts_do_not_depend_on_who_looks(name, rng, monkeypatch):
    """Springs, dampers, forces and moments, worked out from any body of the mechanism."""
    expected = with_efforts(KINDS[name][0](), 5).compile(scheme="explicit")
    q, qd, qdd = rng.uniform(-1, 1, (3, expected.n))
    f = expected.residual(0.4, q, qd, qdd)
    for _ in range(3):
        model = with_efforts(KINDS[name][0](), 5)
        monkeypatch.setattr(derivation, "observer_of", lambda _, bodies=model.bodies: bodies[rng.integers(len(bodies))])
        assert difference(model.compile().residual(0.4, q, qd, qdd), f) < 1e-12


def test_forces_written_in_the_axes_of_bodies_are_not_turned():
    """The actuators of the robot act along its joints: as generalised forces, at the price of a few operations."""
    count = examples.spatial_robot().operations()
    assert count["mul"] <= 76 and count["add"] <= 62
    count = examples.spatial_robot().operations(of="accelerations")
    assert count["mul"] <= 124 and count["add"] <= 89
    bare, pushed = spatial(3), spatial(3)
    pushed.add(Force(pushed.bodies[-1], (0, 2, 1), frame=pushed.bodies[-1]))
    more = {key: pushed.operations()[key] - number for key, number in bare.operations().items()}
    assert more["mul"] == 0 and more["add"] <= 3 and more["trig"] == 0
