"""Elements whose forces depend on accelerations, or have equations of their own: the tree stays what it is.

References: the residual by the other scheme, M from it, differences of positions along a motion.
"""

import numpy as np
import pytest
import sympy
from mechanisms.n_four_bar import n_four_bar
from mistakes import explained

from easydyn import (
    Effort,
    Force,
    GeneralizedForce,
    Model,
    RigidContact,
    Spring,
    ground,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)
from easydyn.engine.derivation import Derivation
from easydyn.engine.elimination import width
from easydyn.forces import gap_of
from easydyn.mechanics.symbols import Flag, State


def chain(n, point=(1.0, -5.0), radius=0.2):
    """Links in a plane, and a distance of the tip to a point that must not become negative."""
    model = Model("chain", gravity=(0, -9.81, 0))
    q = model.coordinates(" ".join(f"q{i}" for i in range(n)), initial=[0.1] * n)
    T = tdisp(0, 0, 0)
    for i in range(n):
        model.body(f"link {i}", T * trotz(q[i]) * tdisp(0.05, 0, 0), mass=1, inertia=(0, 0, 0.01))
        T = T * trotz(q[i]) * tdisp(0.1, 0, 0)
    x, y, _ = T.e
    gap = sympy.sqrt((x - point[0]) ** 2 + (y - point[1]) ** 2) - radius
    model.add(RigidContact(gap, restitution=0.5, name="tip"))
    return model


def spatial():
    """An arm on a driven platform, with a contact whose gap moves, rotors on two of its joints, a force by inertia."""
    model = Model("arm", gravity=(0.3, -9.81, 0.2))
    a, b, c = model.coordinates("a b c", initial=(0.2, -0.4, 0.3))
    J, r = model.parameters(J=0.05, r=0.1)
    base = tdisp(0.1 * sympy.sin(2 * t), 0, 0) * troty(a)
    first = model.body("first", base * tdisp(0, 0.3, 0), mass=2, inertia=(0.1, 0.2, 0.3), com=(0.02, 0, 0.01))
    beyond = base * tdisp(0, 0.6, 0) * trotx(b) * tdisp(c, 0, 0.2)
    second = model.body("second", beyond, mass=1, inertia=(0.2, 0.1, 0.1))
    model.add(
        RigidContact(second.T.e[1] + 2 + 0.1 * sympy.cos(3 * t) - r, restitution=0.3, name="floor"),
        GeneralizedForce(a, -J * a.ddot),
        GeneralizedForce(b, -J * (b.ddot + 2 * a.ddot)),
        Force(first, (0, -0.2 * c.ddot, 0), frame=first),
        Spring((second, (0, 0.1, 0)), (ground, (1, 1, 1)), stiffness=30, free_length=0.4),
    )
    return model


def with_flag(system, value):
    """The system with its contact closed (a compliance), or open (0)."""
    system.held = [value if name.endswith(".closed") else x for name, x in zip(system.mechanism.held, system.held)]
    return system


@pytest.mark.parametrize("make", [lambda: chain(3), lambda: chain(12), spatial])
@pytest.mark.parametrize("compliance", [0.0, 1e-3])
def test_accelerations_fulfil_the_equations_of_the_other_scheme(make, compliance, rng):
    model = make()
    assert Derivation(model.mechanism).articulated
    short = with_flag(model.compile(target="python"), compliance)
    textbook = with_flag(model.compile(target="python", scheme="explicit"), compliance)
    n = short.n
    for _ in range(3):
        q, qd, qdd = rng.uniform(-1, 1, (3, n))
        x = short.accelerations(0.3, q, qd)
        size = np.abs(textbook.residual(0.3, q, qd, np.zeros(n))).max()
        assert np.abs(textbook.residual(0.3, q, qd, x)).max() < 1e-10 * max(size, np.abs(x).max())
        M = textbook.mass_matrix(0.3, q)  # of the contact's row it depends on the flag, not on the state of motion
        np.testing.assert_allclose(short.mass_matrix(0.3, q), M, rtol=0, atol=1e-11 * np.abs(M).max())
        difference = textbook.residual(0.3, q, qd, qdd) - textbook.residual(0.3, q, qd, np.zeros(n))
        np.testing.assert_allclose(M @ qdd, difference, rtol=0, atol=1e-10 * size)


def test_a_gap_and_its_derivatives_along_a_motion():
    """Rate, acceleration and gradient beside differences of the gap itself."""
    model = spatial()
    system = model.compile(target="python")
    (gap,) = system.derivation.gaps
    nodes = tuple(system.node(x) for x in (gap.value, gap.rate, gap.acceleration, *gap.gradient.values()))
    value = next(e for e in model.mechanism.efforts if isinstance(e, RigidContact)).gap

    def q(time):
        return np.array([0.3 * time, np.sin(time), 0.2 + time**2, 0.0])

    def measured(time, state):
        return float(system.evaluate((value,), time, state, np.zeros(4), np.zeros(4))[0])

    time, h = 0.7, 1e-3
    qd, qdd = np.array([0.3, np.cos(time), 2 * time, 0.0]), np.array([0.0, -np.sin(time), 2.0, 0.0])
    found = system.evaluate(nodes, time, q(time), qd, qdd)
    along = [measured(time + k * h, q(time + k * h)) for k in (-2, -1, 0, 1, 2)]
    rate = (along[0] - 8 * along[1] + 8 * along[3] - along[4]) / (12 * h)
    acceleration = (-along[0] + 16 * along[1] - 30 * along[2] + 16 * along[3] - along[4]) / (12 * h * h)
    np.testing.assert_allclose(found[:3], [along[2], rate, acceleration], rtol=1e-8, atol=1e-8)
    for j, (coordinate, slope) in enumerate(zip(gap.gradient, found[3:], strict=True)):
        step = np.zeros(4)
        step[model.mechanism.coordinates.index(coordinate)] = h
        ahead, behind = (measured(time, q(time) + s * step) for s in (1, -1))
        assert slope == pytest.approx((ahead - behind) / (2 * h), abs=1e-6), j


@pytest.mark.long
def test_a_contact_leaves_the_size_of_equations_linear():
    """The residual and the accelerations of a chain whose tip touches: what a link adds does not grow."""
    for key in ("residual", "accelerations"):
        short, middle, long = (chain(n).compile(target="python").program(key).operations["mul"] for n in (10, 20, 40))
        assert (long - middle) / 20 <= 1.05 * (middle - short) / 10, key


def test_a_rotor_on_a_joint_without_mass():
    """M of the bodies alone is singular there: the rotor's inertia is added to the joint before it is eliminated."""
    model = Model("rotor", gravity=(0, -9.81, 0))
    a, b = model.coordinates("a b")
    J, ratio = model.parameters(J=0.3, ratio=4)
    model.body("arm", trotz(a) * tdisp(0.5, 0, 0), mass=1, inertia=(0, 0, 0.1))
    model.body("gear", trotz(a) * tdisp(1, 0, 0) * trotz(ratio * b), mass=0, inertia=(0, 0, 0))
    model.add(GeneralizedForce(b, 2 - J * b.ddot))
    for scheme in ("recursive", "explicit", "motor"):
        for target in ("python", "numpy"):
            found = model.compile(target=target, scheme=scheme).accelerations(0, [0, 0.4], [0, 1])
            np.testing.assert_allclose(found, [-9.81 * 0.5 / 0.35, 2 / 0.3], rtol=1e-13)
    run = model.simulate(1, method="dop853", tolerance=1e-10)
    assert run["b"][-1] == pytest.approx(0.5 * 2 / 0.3, rel=1e-9)


class Stop(Effort):
    """A gap of a user's own: what keeps a slide from going beyond a place."""

    implicit = True

    def __init__(self, q, end):
        self.q, self.end = q, end
        self.impulse, self.closed = State("stop"), Flag("stop.closed")

    @property
    def coordinates(self):
        return (self.q,)

    @property
    def states(self):
        return (self.impulse,)

    @property
    def flags(self):
        return (self.closed,)

    def expressions(self):
        return iter((self.end,))

    def gaps(self, assembly):
        yield gap_of(
            assembly, assembly.value(self.end - self.q), name="stop", element="the stop of the slide",
            restitution=0, rest=1e-6, impulse=self.impulse, closed=self.closed,
        )  # fmt: skip

    def apply(self, assembly):
        for gap in self.gaps(assembly):
            gap.press(assembly)


def slide():
    model = Model("slide")
    (x,) = model.coordinates("x")
    (end,) = model.parameters(end=0.5)
    model.body("slide", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, 4), Stop(x, end))
    return model


test_mistake_is_explained = explained(__file__)


@pytest.mark.parametrize("method", ["newmark", "dop853"])
def test_an_element_of_a_users_own_has_a_gap(method):
    """A slide under a constant force hits its stop without rebound and stays there, whatever the class is called."""
    model = slide()
    run = model.simulate(2, method=method, tolerance=1e-8)
    assert run["x"][-1] == pytest.approx(0.5, abs=1e-8)
    assert run["stop.dot"][-1] == pytest.approx(4, rel=1e-3)
    assert any(e.name == "stop" and e.t == pytest.approx(0.7071067811865476, abs=1e-7) for e in run.events)


# -- many loops side by side: what has nothing to do with each other is not multiplied with each other


def test_loops_side_by_side_take_operations_that_grow_as_their_number():
    few, some, many = (sum(n_four_bar(n)[0].operations("accelerations").values()) for n in (6, 9, 12))
    assert many - some == some - few > 0


def test_accelerations_of_loops_side_by_side_are_those_of_the_whole_system_of_equations():
    model, _ = n_four_bar(7)  # 14 multipliers, each of which moves two of the eight branches
    system = model.compile(target="python")
    assert system.derivation.articulated
    generator = np.random.default_rng(5)
    for _ in range(3):
        q, qd = generator.uniform(-1, 1, (2, system.n))
        qdd = system.accelerations(0, q, qd)
        M = system.mass_matrix(0, q)
        there = np.linalg.solve(M, -system.residual(0, q, qd, np.zeros(system.n)))
        assert np.abs(qdd - there).max() < 1e-9 * np.abs(there).max()
        assert np.abs(system.residual(0, q, qd, qdd)).max() < 1e-9 * np.abs(there).max()


def test_width_is_that_of_an_elimination_in_a_good_order():
    assert width({0: []}) == 0
    assert width({k: [k, k + 1] if k < 9 else [] for k in range(10)}) == 1  # a chain
    assert width({k: [k, (k + 1) % 10] for k in range(10)}) == 2  # a ring
    assert width({k: [0] for k in range(10)}) == 1  # a star, its middle last
    assert width({k: range(10) for k in range(10)}) == 9
