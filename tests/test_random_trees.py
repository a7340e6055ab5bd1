"""Open trees made up at random, against d'Alembert's principle by differences of frames.

A tree is numbers: joints that turn, slide, screw, or are driven, bodies, springs, dampers, forces, moments. Once
easydyn makes a model of it. Once its frames are products of matrices in NumPy, and everything else comes from these
alone: partial velocities and velocities by complex steps, accelerations by differences of velocities.

A test that fails has its seed in its name.
"""

import functools
import itertools

import numpy as np
import pytest
import sympy
from chance import OF_LONG, one_in, seeds
from targets import SCHEMES, TARGETS
from together import together

from easydyn import (
    Damper,
    Force,
    GeneralizedForce,
    Model,
    Moment,
    Spring,
    ground,
    t,
    tdisp,
    transform,
    trot,
)  # fmt: skip

TINY = 1e-30  # of a complex step, which takes no difference and loses no digit
GROUND = -1
IDENTITY = np.eye(3)


# -- a tree in numbers ----------------------------------------------------------------------------------------------


def rotation(rng):
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


class Tree:
    """What is drawn by chance; frame i follows frame parent[i], or the ground."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.seed, self.n = seed, int(rng.integers(2, 7))
        self.gravity = rng.uniform(-7, 7, 3)
        joints = [*range(self.n), *[None] * int(rng.integers(0, 3))]  # the coordinate of a joint; driven without one
        joints = [joints[k] for k in rng.permutation(len(joints))]
        self.parent, self.joint, self.kind, self.axis, self.before, self.start = [], joints, [], [], [], []
        self.mass, self.inertia, self.com = [], [], []
        for i, coordinate in enumerate(joints):
            self.parent.append(int(rng.integers(max(-1, i - 3), i)))
            self.kind.append("driven" if coordinate is None else str(rng.choice(["turn", "turn", "slide", "screw"])))
            u = rng.normal(size=3)
            self.axis.append(u / np.linalg.norm(u))
            self.before.append(rotation(rng))
            self.start.append(rng.uniform(-0.6, 0.6, 3))
            self.mass.append(float(rng.uniform(0.5, 3)))
            points = rng.uniform(-0.4, 0.4, (5, 3))
            self.inertia.append(self.mass[-1] * (np.sum(points**2) * np.eye(3) - points.T @ points))
            self.com.append(rng.uniform(-0.3, 0.3, 3))
        bodies = len(joints)

        def two():
            one, other = rng.permutation(bodies + 1)[:2] - 1
            return (int(one), rng.uniform(-1, 1, 3)), (int(other), rng.uniform(-1, 1, 3))

        self.springs = [(*two(), float(rng.uniform(5, 50)), float(rng.uniform(0.1, 1))) for _ in range(2)]
        self.dampers = [(*two(), float(rng.uniform(0.5, 3))) for _ in range(2)]
        self.force = (int(rng.integers(bodies)), rng.uniform(-0.5, 0.5, 3), int(rng.integers(-1, bodies)))
        self.moment = tuple(int(k) for k in (rng.integers(bodies), *rng.integers(-1, bodies, 2)))
        self.states = rng.uniform(-1, 1, (2, 4, self.n))
        self.times, self.accelerations = rng.uniform(0, 2, 4), rng.uniform(-3, 3, (4, self.n))


@functools.cache
def tree_and_model(seed):
    tree = Tree(seed)
    model = Model(f"tree {seed}", gravity=tree.gravity)
    q = model.coordinates([f"q{k}" for k in range(tree.n)])
    frames, bodies = {GROUND: tdisp(0, 0, 0)}, {GROUND: ground}
    for i, coordinate in enumerate(tree.joint):
        x, u = sympy.sin(2 * t) / 2 if coordinate is None else q[coordinate], tree.axis[i]
        joint = {
            "turn": lambda: trot(u, x), "slide": lambda: tdisp(*(u * x)),  # noqa: B023
            "screw": lambda: trot(u, x) * tdisp(*(u * x / 5)), "driven": lambda: trot(u, x) * tdisp(sympy.cos(t), x, 0),  # noqa: B023
        }[tree.kind[i]]()  # fmt: skip
        frames[i] = frames[tree.parent[i]] * transform(tree.before[i], tree.start[i]) * joint
        bodies[i] = model.body(
            f"body {i}", frames[i], mass=tree.mass[i], inertia=tree.inertia[i], com=tuple(tree.com[i])
        )

    def end(place):
        return bodies[place[0]], tuple(place[1])

    for one, other, stiffness, length in tree.springs:
        model.add(Spring(end(one), end(other), stiffness=stiffness, free_length=length))
    for one, other, damping in tree.dampers:
        model.add(Damper(end(one), end(other), damping=damping))
    body, place, frame = tree.force
    model.add(Force(bodies[body], (sympy.sin(3 * t), q[0].dot, -1), at=tuple(place), frame=bodies[frame]))
    body, frame, reaction = tree.moment
    other = {} if reaction in (GROUND, body) else {"reaction": bodies[reaction]}
    model.add(Moment(bodies[body], (q[-1], 1, -0.3 * q[-1].dot), frame=bodies[frame], **other))
    model.add(GeneralizedForce(q[-1], -0.5 * q[-1].dot - 2 * q[-1] ** 3))
    return tree, model


# -- the formula ----------------------------------------------------------------------------------------------------


def cross(u):
    return np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])


def vector(matrix):
    """Of the skew-symmetric part."""
    return np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]]) / 2


def place(R=IDENTITY, p=(0, 0, 0)):
    T = np.eye(4, dtype=complex)
    T[:3, :3], T[:3, 3] = R, p
    return T


def frames(tree, time, q):
    """T of all bodies, (bodies, 4, 4), and of the ground as the last one; time and q may be complex."""
    found = []
    for i, coordinate in enumerate(tree.joint):
        u, x = tree.axis[i], np.sin(2 * time) / 2 if coordinate is None else q[coordinate]
        turned = IDENTITY + np.sin(x) * cross(u) + (1 - np.cos(x)) * cross(u) @ cross(u)  # Rodrigues
        joint = {
            "turn": lambda: place(turned), "slide": lambda: place(p=u * x),  # noqa: B023
            "screw": lambda: place(turned, u * x / 5), "driven": lambda: place(turned, turned @ [np.cos(time), x, 0]),  # noqa: B023
        }[tree.kind[i]]()  # fmt: skip
        before = place() if tree.parent[i] == GROUND else found[tree.parent[i]]
        found.append(before @ place(tree.before[i], tree.start[i]) @ joint)
    return np.array([*found, place()])


def formula(tree, time, q, qd, qdd):
    """Residual, mass matrix and kinetic energy, from nothing but `frames`."""

    def rate(s):
        """That of the frames, at s after `time` along the parabola through this state."""
        z = s + 1j * TINY
        return frames(tree, time + z, q + z * qd + z**2 / 2 * qdd).imag / TINY

    h = 2e-3
    T, first = frames(tree, time, q).real, rate(0.0)
    second = (8 * (rate(h) - rate(-h)) - (rate(2 * h) - rate(-2 * h))) / (12 * h)
    partial = [frames(tree, time, q + 1j * TINY * e).imag / TINY for e in np.eye(tree.n)]
    turned = np.array([[vector(P[i, :3, :3] @ T[i, :3, :3].T) for P in partial] for i in range(len(T))])
    f, M, kinetic = np.zeros(tree.n), np.zeros((tree.n, tree.n)), 0.0

    def moved(i, point):
        """Of a point of a body: its place, its velocity, its partial velocities (n, 3), its acceleration."""
        r = np.append(point, 1)
        return (T[i] @ r)[:3], (first[i] @ r)[:3], np.array([(P[i] @ r)[:3] for P in partial]), (second[i] @ r)[:3]

    for i, mass in enumerate(tree.mass):
        R, (_, v, d, a) = T[i, :3, :3], moved(i, tree.com[i])
        omega, alpha = vector(first[i, :3, :3] @ R.T), vector(second[i, :3, :3] @ R.T)
        inertia = R @ tree.inertia[i] @ R.T
        f += d @ (mass * (a - tree.gravity)) + turned[i] @ (inertia @ alpha + np.cross(omega, inertia @ omega))
        M += mass * d @ d.T + turned[i] @ inertia @ turned[i].T
        kinetic += (mass * v @ v + omega @ inertia @ omega) / 2

    for one, other, *law in tree.springs + tree.dampers:
        (x, v, d, _), (y, w, e, _) = moved(*one), moved(*other)
        length = np.linalg.norm(x - y)
        u = (x - y) / length
        tension = law[0] * (length - law[1]) if len(law) == 2 else law[0] * u @ (v - w)
        f += (d - e) @ (tension * u)
    body, point, frame = tree.force
    f -= moved(body, point)[2] @ (T[frame, :3, :3] @ [np.sin(3 * time), qd[0], -1])
    body, frame, reaction = tree.moment
    MG = T[frame, :3, :3] @ [q[-1], 1, -0.3 * qd[-1]]
    f -= turned[body] @ MG - (0 if reaction in (GROUND, body) else turned[reaction] @ MG)
    f[-1] -= -0.5 * qd[-1] - 2 * q[-1] ** 3
    return f, M, kinetic


# -- the two must agree ---------------------------------------------------------------------------------------------


def agree(seed, all_as_machine_code=False):
    """The textbook is compiled for two seconds, motors for one; the recursion takes less."""
    every = itertools.product(SCHEMES, TARGETS)
    ways = [way for way in every if all_as_machine_code or way[1] != "native" or way[0] == "recursive"]
    tree, model = tree_and_model(seed)
    rows = list(zip(tree.times, *tree.states, tree.accelerations, strict=True))
    expected = [formula(tree, *row) for row in rows]
    T = np.array([frames(tree, time, q)[:-1].real for time, q, _, _ in rows])
    for scheme, target in ways:
        system = model.compile(target, scheme)
        told = f"seed {seed}, {scheme}, {target}"
        many = tree.times, *tree.states, tree.accelerations
        np.testing.assert_allclose(system.frames(*many[:2]), T, rtol=0, atol=1e-12, err_msg=told)
        energies, masses, residuals = system.energies(*many), system.mass_matrix(*many[:2]), system.residual(*many)
        accelerations = system.accelerations(*many[:3])
        for k, (f, M, kinetic) in enumerate(expected):
            size = np.abs(M).max() * 10 + np.abs(f).max()  # differences of velocities have some 1e-11 of that
            np.testing.assert_allclose(masses[k], M, rtol=0, atol=1e-12 * size, err_msg=told)
            np.testing.assert_allclose(energies[k, 0], kinetic, rtol=1e-11, err_msg=told)
            np.testing.assert_allclose(residuals[k], f, rtol=0, atol=1e-8 * size, err_msg=told)
            missing = f + M @ (accelerations[k] - tree.accelerations[k])  # linear in qdd
            size += np.abs(M).max() * np.abs(accelerations[k]).max()
            np.testing.assert_allclose(missing, 0, atol=1e-8 * size, err_msg=told)


@pytest.mark.parametrize("seed", seeds("random_trees"))
def test_all_ways_agree_with_the_formula(seed):
    """Schemes and targets."""
    agree(seed, all_as_machine_code=seed < 10 or seed % 4 == 0)


def test_the_trees_are_of_many_kinds():
    trees = [Tree(seed) for seed in range(30)]
    assert {tree.n for tree in trees} == {2, 3, 4, 5, 6}
    assert {kind for tree in trees for kind in tree.kind} == {"turn", "slide", "screw", "driven"}
    assert any(len(set(tree.parent)) < len(tree.parent) for tree in trees), "one that branches"


@together("what", ["mass", "gravity", "axis", "springs", "dampers"])
def test_the_formula_tells_a_wrong_tree(what):
    """It is no test that cannot fail."""
    seed = 1
    tree, _ = tree_and_model(seed)
    row = tree.times[0], *tree.states[:, 0], tree.accelerations[0]
    right, _, _ = formula(tree, *row)
    wrong = Tree(seed)
    values = getattr(wrong, what)
    if what in ("springs", "dampers"):
        values[:] = [(one, other, value * 1.001, *more) for one, other, value, *more in values]
    else:
        values[0] = values[0] * 1.001
    assert np.abs(formula(wrong, *row)[0] - right).max() > 1e-6


def marks(parameter):
    return {mark.name for mark in parameter.marks}


def test_seeds_are_the_kept_ones_or_new_ones(monkeypatch):
    monkeypatch.delenv("EASYDYN_EXPLORE", raising=False)
    kept = seeds("units")
    assert [x.values[0] for x in kept if not {"long", "nightly"} & marks(x)] == [1, 2, 30, 5038, 1795853627004]
    assert len(kept) > 20 and all("chance" in marks(x) for x in kept)
    monkeypatch.setenv("EASYDYN_EXPLORE", "700 3")
    assert [x.values[0] for x in seeds("random_trees")] == [700, 701, 702]


def test_one_variant_in_so_many():
    """At least one, all kinds of a product, always the same; what is chosen is not `long`."""
    names = [f"test[{method}-{scheme}]" for method in range(4) for scheme in range(6)]
    chosen = one_in(4, names)
    assert len(chosen) == 6 and chosen == one_in(4, reversed(names)) < set(names)
    assert len({name.split("-")[0] for name in chosen}) > 1 and len({name.split("-")[1] for name in chosen}) > 1
    assert one_in(4, ["alone"]) == {"alone"} and one_in(1, names) == set(names)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("k", range(7))
def test_a_variant_that_is_left_is_long_or_nightly(k, request):
    names = set(map(str, range(7)))
    at_once = one_in(3, names)
    expected = None if str(k) in at_once else "long" if str(k) in one_in(OF_LONG, names - at_once) else "nightly"
    assert [x for x in ("long", "nightly") if request.node.get_closest_marker(x)] == [expected] * (expected is not None)
