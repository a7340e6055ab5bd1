"""Schemes x targets x methods to the last digits: what is chosen must not be seen in the numbers.

Twenty mechanisms made up at random: joints of several coordinates, coordinates that couple joints, driven frames,
springs, dampers, forces and moments in the axes of bodies, switches in time and in the state, first-order states.
"""

import functools

import numpy as np
import pytest
from chance import first
from sympy import Piecewise, cos, sin
from targets import FASTEST, SCHEMES, TARGETS, needs_llvmlite
from test_pinocchio import ours, pinocchio_model, random_tree

from easydyn import (
    Damper,
    Force,
    GeneralizedForce,
    Model,
    Moment,
    Spring,
    examples,
    generalized_alpha,
    ground,
    hht,
    newmark,
    t,
    tdisp,
    tquat,
    transform,
    trot,
    trotx,
    troty,
    trotz,
)
from easydyn.sim import dop853, lobatto, newmark_extrapolated

AXES = (trotx, troty, trotz)


# -- mechanisms -----------------------------------------------------------------------------------------------------


def rotation(rng):
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def inertia(rng, mass):
    """That of six points, and a little more."""
    points = rng.uniform(-0.5, 0.5, (6, 3))
    points -= points.mean(axis=0)
    return mass / 6 * (np.sum(points**2) * np.eye(3) - points.T @ points) + 0.02 * np.eye(3)


def direction(rng):
    u = rng.normal(size=3)
    return u / np.linalg.norm(u)


def joint(rng, a, earlier):
    """A joint moved by a new coordinate, and perhaps by an earlier one."""
    size = float(rng.uniform(0.2, 0.6))
    b = earlier[rng.integers(len(earlier))] if earlier else 0
    u = direction(rng)
    kinds = [
        lambda: AXES[rng.integers(3)](a),
        lambda: tdisp(*(a * x for x in u)),
        lambda: trot(u, a + size * sin(b)),
        lambda: tquat(cos(a / 2), *(x * sin(a / 2) for x in u)),
        lambda: AXES[rng.integers(3)](a) * tdisp(size * a, 0, size * cos(a)),
        lambda: AXES[rng.integers(3)](a - size * b) * tdisp(0, size * b, 0),
    ]
    return kinds[rng.integers(len(kinds))]()


@functools.cache
def mechanism(seed, power=2):
    """With a force that sets in where the last coordinate is 0.4, with that power of what is beyond."""
    rng = np.random.default_rng(seed)
    model = Model(f"mechanism {seed}", gravity=rng.uniform(-6, 6, 3))
    n = (2, 3, 2, 3, 4)[seed % 5]
    q = model.coordinates(
        [f"q{i}" for i in range(n)],
        initial=rng.uniform(-0.5, 0.5, n).tolist(),
        rates=rng.uniform(-0.5, 0.5, n).tolist(),
    )
    mass, length, stiffness = model.parameters(mass=1.3, length=0.4, stiffness=9)
    driven = tdisp(0.1 * sin(2 * t), 0, 0.2) * trotz(0.3 * sin(t))
    frames, bodies, used = [driven if seed % 2 else tdisp(0, 0, 0)], [], 0
    while used < n:
        T = frames[rng.integers(len(frames))] * transform(rotation(rng), rng.uniform(-0.6, 0.6, 3))
        for _ in range(min(int(rng.integers(1, 3)), n - used)):
            T = T * joint(rng, q[used], q[:used])
            T = T * tdisp(length, 0, 0) if rng.random() < 0.5 else T
            used += 1
        frames.append(T)
        size = float(rng.uniform(0.5, 3))
        body = model.body(
            f"body {len(bodies)}", T * transform(rotation(rng), rng.uniform(-0.3, 0.3, 3)),
            mass=size if bodies else mass, inertia=inertia(rng, size), com=rng.uniform(-0.2, 0.2, 3),
        )  # fmt: skip
        bodies.append(body)
    last, other = bodies[-1], bodies[rng.integers(len(bodies))]

    def point(low=-0.3, high=0.3):
        return tuple(rng.uniform(low, high, 3))

    model.add(
        Spring((last, point()), (ground, point(2, 3)), stiffness=stiffness, free_length=length),
        Damper((other, point()), (ground, point(-3, -2)), damping=0.8),
        Force(last, (Piecewise((2, t < 0.37), (sin(3 * t), True)), q[0].dot, -1), at=point(), frame=other),
        GeneralizedForce(q[-1], -0.5 * q[-1].dot - Piecewise((3 * (q[-1] - 0.4) ** power, q[-1] > 0.4), (0, True))),
    )
    if len(bodies) > 1:
        model.add(Moment(bodies[0], (0, cos(t), -0.3 * q[-1].dot), frame=last, reaction=bodies[1]))
    if seed % 3 == 0:
        (p,) = model.states("p", initial=0.3)
        model.equation(0.2 * p.dot + p - sin(q[0]) * cos(t))
        model.add(GeneralizedForce(q[0], 0.7 * p))
    return model


def test_the_mechanisms_are_of_many_kinds():
    models = [mechanism(seed) for seed in range(20)]
    assert {len(m.mechanism.coordinates) for m in models} == {2, 3, 4}
    assert sum(m.mechanism.driven for m in models) == 10 and sum(bool(m.mechanism.states) for m in models) == 7
    assert {len(m.bodies) for m in models} == {1, 2, 3}
    assert max(len(b.coordinates) for m in models for b in m.bodies) == 4


# -- numbers --------------------------------------------------------------------------------------------------------

QUANTITIES = {"residual": 3, "mass_matrix": 1, "frames": 1, "energies": 3, "accelerations": 2}


def difference(found, expected):
    """The largest one, of any state, beside the largest number of that state."""
    axes = tuple(range(1, expected.ndim))
    return (np.abs(found - expected).max(axis=axes) / np.abs(expected).max(axis=axes)).max()


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", first(8, range(20)))
def test_numbers_of_all_schemes_on_all_targets(seed):
    """Reached 4e-15, and 3e-14 for accelerations (condition numbers up to 75 times rounding in any order).

    States one by one where the seed is even, five at once where it is odd.
    """
    model, rng, states = mechanism(seed), np.random.default_rng(1000 + seed), 5
    systems = {(scheme, target): model.compile(target, scheme) for scheme in SCHEMES for target in TARGETS}
    if seed % 4 > 1:
        systems.pop(("explicit", "native"), None)  # its programs are long
    if seed % 4 != 1:
        systems.pop(("motor", "native"), None)
    times, state = rng.uniform(-1, 2, states), rng.uniform(-1, 1, (3, states, len(model.names)))
    for name, count in QUANTITIES.items():
        found = {}
        for chosen, system in systems.items():
            function = getattr(system, name)
            if seed % 2:
                found[chosen] = function(times, *state[:count])
            else:
                one_by_one = [function(float(times[k]), *state[:count, k].copy()) for k in range(states)]
                found[chosen] = np.array(one_by_one)
        expected = found.pop(("explicit", "python"))
        bound = 3e-13 if name == "accelerations" else 2e-14
        for chosen, values in found.items():
            assert values.shape == expected.shape
            assert difference(values, expected) < bound, (name, *chosen)


@pytest.mark.parametrize("seed", [0, 7])
def test_parameters_and_batches_are_seen_by_all_alike(seed, rng):
    """What one parameter does, on every target; one state at a time and many at once are the same numbers."""
    model, n = mechanism(seed), len(mechanism(seed).names)
    q, qd = rng.uniform(-1, 1, (2, 9, n))
    changed = {"mass": 2.1, "length": 0.7, "stiffness": 3.0}
    expected = model.compile("python", parameters=changed).accelerations(0.3, q, qd)
    usual = model.compile("python").accelerations(0.3, q, qd)
    assert difference(usual, expected) > 0.05
    for target in TARGETS:
        system = model.compile(target)
        assert difference(system.accelerations(0.3, q, qd), usual) < 5e-14
        assert difference(system.accelerations(0.3, q, qd, parameters=changed), expected) < 5e-14
        assert difference(model.compile(target, parameters=changed).accelerations(0.3, q, qd), expected) < 5e-14
        singly = np.array([system.accelerations(0.3, a.copy(), b.copy()) for a, b in zip(q, qd, strict=True)])
        assert difference(singly, usual) < 5e-14


@pytest.mark.long
@pytest.mark.parametrize("n", [13])
def test_chains_with_more_coordinates_than_are_unrolled(n, rng):
    model = ours(random_tree(rng, n, chain=True))
    q, qd = rng.uniform(-1, 1, (2, 4, n))
    systems = {target: model.compile(target) for target in TARGETS}
    expected = systems["python"].accelerations(0.0, q, qd)
    scale = 1e-15 * np.linalg.cond(systems["python"].mass_matrix(0.0, q)).max()
    for target, system in systems.items():
        assert difference(system.accelerations(0.0, q, qd), expected) < max(scale, 1e-13), target
        assert difference(system.residual(0.0, q, qd, expected) + 1, np.ones_like(q)) < 1e-9, target


@needs_llvmlite
@pytest.mark.parametrize("n", [3, 6, 9])
def test_machine_code_agrees_with_pinocchio(n, rng):
    """Inverse dynamics, mass matrix and direct dynamics; reached 1e-13. One state, and many at once."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) has no wheels for Windows")
    tree = random_tree(rng, n)
    system = ours(tree).compile(target="native")
    model, data, order = pinocchio_model(pin, tree)
    states = rng.uniform(-3, 3, (3, 6, n))
    many = system.residual(0.0, *states), system.mass_matrix(0.0, states[0]), system.accelerations(0.0, *states[:2])
    for k in range(6):
        theirs = np.empty((3, n))
        theirs[:, order] = states[:, k]
        tau = pin.rnea(model, data, *theirs)[order]
        M = pin.crba(model, data, theirs[0])
        M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)]
        a = pin.aba(model, data, theirs[0], theirs[1], np.zeros(n))[order]
        q, qd, qdd = states[:, k].copy()
        one = system.residual(0.0, q, qd, qdd), system.mass_matrix(0.0, q), system.accelerations(0.0, q, qd)
        for ours_, at_once, peer in zip(one, many, (tau, M, a), strict=True):
            assert np.abs(ours_ - peer).max() < 1e-10 * np.abs(peer).max()
            assert np.abs(at_once[k] - peer).max() < 1e-10 * np.abs(peer).max()


def test_what_was_asked_before_does_not_matter():
    """Two slides of one point, in directions an angle apart."""
    from easydyn.errors import SingularMatrixError

    def answer(system, angle):
        try:
            return system.accelerations(0.0, np.array([0.1, 0.2, angle]), np.array([0.1, 0.2, 0.3])).tolist()
        except SingularMatrixError:
            return "singular"

    model = Model("slides")
    x, y, a = model.coordinates("x y a")
    model.body("point", tdisp(x + y * cos(a), y * sin(a), 0), mass=1, inertia=(1, 1, 1))
    model.body("rotor", trotz(a), mass=0, inertia=(0, 0, 1))
    model.add(GeneralizedForce(x, 1), GeneralizedForce(y, 0.3))
    first, later = model.compile(), model.compile()
    answer(later, 1.0)
    for angle in (1e-3, 1e-6, 1e-8, 1e-9, 0.0):
        assert answer(model.compile(), angle) == answer(later, angle)
    assert answer(first, 0.0) == "singular"


# -- motions --------------------------------------------------------------------------------------------------------

END, EVERY = 1.0, 0.0173  # most saved instants lie between steps
# method, tolerance; error of q and qd at the end, at all saved instants, of qdd there
METHODS = {
    "newmark": (newmark(), 1e-8, 4e-7, 4e-6, 1e-4),
    "hht": (hht(), 1e-8, 4e-7, 4e-6, 1e-4),
    "generalized_alpha": (generalized_alpha(), 1e-8, 4e-7, 4e-6, 1e-4),
    "order 4": (newmark_extrapolated(4), 1e-7, 3e-9, 3e-8, 3e-7),
    "order 6": (newmark_extrapolated(6), 1e-10, 5e-12, 1e-10, 5e-9),  # long steps, reached 1.7e-9
    "order 8": (newmark_extrapolated(8), 1e-10, 1e-11, None, None),
    "order 10": (newmark_extrapolated(10), 1e-10, 1e-10, None, None),
    "order 12": (newmark_extrapolated(12), 1e-10, 1e-9, None, None),
    "dop853": (dop853(), 1e-11, 1e-11, 1e-10, 1e-9),
    "lobatto": (lobatto(), 1e-11, 1e-11, 1e-10, 1e-9),
    "scipy:DOP853": ("scipy:DOP853", 1e-10, 1e-8, 1e-8, 1e-7),
    "scipy:Radau": ("scipy:Radau", 1e-9, 1e-9, 1e-8, 1e-7),
}
HIGHEST = ("order 8", "order 10", "order 12")
SMOOTH = functools.partial(mechanism, power=9)  # a weaker switch: methods of high order think that forces are smooth


@functools.cache
def exact(seed):
    """By plain Python in short steps: 1e-12 or better."""
    return SMOOTH(seed).simulate(
        END, method="dop853", tolerance=1e-12, max_step=0.05, save_every=EVERY, target="python", scheme="explicit"
    )


def moving(run):
    """The columns of q that have a meaning: not those of first-order states."""
    return run.q[:, ~run.first_order]


def errors(run, reference):
    """Of q and qd at the end, and anywhere; of qdd anywhere."""
    both = np.hstack([moving(run) - moving(reference), run.qd - reference.qd])
    return np.abs(both[-1]).max(), np.abs(both).max(), np.abs(run.qdd - reference.qdd).max()


def run_of(name, seed):
    method, tolerance, *bounds = METHODS[name]
    if FASTEST != "native" and name in ("newmark", "hht", "generalized_alpha", "order 4"):
        tolerance, bounds = 100 * tolerance, [100 * x for x in bounds]  # in a time that one waits for
    if isinstance(method, str):
        pytest.importorskip("scipy")
    run = SMOOTH(seed).simulate(END, method=method, tolerance=tolerance, save_every=EVERY, target=FASTEST)
    return run, tolerance, bounds


# Seed 4 has no first-order states; there these do what those before and after them in the list do. Interpreted, all of
# them take long, and have been compared with compiled ones.
BETWEEN = ("hht", "generalized_alpha", "order 8", "order 10", "scipy:DOP853") if FASTEST == "native" else METHODS
EACH = [(name, 9) for name in METHODS] + [(name, 4) for name in METHODS if name not in BETWEEN]
MORE = [pytest.param(name, 4, marks=pytest.mark.long) for name in BETWEEN]


@pytest.mark.long
@pytest.mark.one_in(20)
@pytest.mark.parametrize(("name", "seed"), [*EACH, *MORE])
def test_the_same_motion_by_all_methods(name, seed):
    run, _, bounds = run_of(name, seed)
    reference = exact(seed)
    assert np.array_equal(run.t, reference.t) and 0.37 in run.steps.t
    for found, bound in zip(errors(run, reference), bounds, strict=True):
        assert bound is None or found < bound, errors(run, reference)


@pytest.mark.long
@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", HIGHEST)
def test_between_the_steps_of_very_high_order(name):
    run, tolerance, _ = run_of(name, 9)
    assert errors(run, exact(9))[1] < 100 * tolerance


@pytest.mark.long
@pytest.mark.one_in(3)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_scheme_is_not_seen_in_a_motion(scheme):
    """Reached 3e-13: the same method, the same steps, other equations."""
    expected = SMOOTH(9).simulate(0.5, method="dop853", tolerance=1e-8, save_every=0.1, target="python")
    for target in TARGETS if scheme != "motor" else TARGETS[:2]:  # machine code is made of the same programs
        run = SMOOTH(9).simulate(0.5, method="dop853", tolerance=1e-8, save_every=0.1, target=target, scheme=scheme)
        assert np.abs(moving(run) - moving(expected)).max() < 1e-11 and np.abs(run.qd - expected.qd).max() < 1e-11
        assert np.abs(run.integrals - expected.integrals).max() < 1e-10
        assert np.abs(run.energy.total - expected.energy.total).max() < 1e-10


# -- what a run costs -----------------------------------------------------------------------------------------------

COSTS = {
    "newmark": newmark(), "hht": hht(), "generalized_alpha": generalized_alpha(), "order 4": newmark_extrapolated(4),
    "order 6": newmark_extrapolated(6), "order 8": newmark_extrapolated(8), "dop853": dop853(),
    "lobatto": lobatto(), "scipy:Radau": "scipy:Radau",
    "scipy:DOP853": "scipy:DOP853", "scipy:LSODA": "scipy:LSODA",
}  # fmt: skip


@pytest.mark.one_in(15)
@needs_llvmlite
@pytest.mark.parametrize(
    "model, name",
    [
        *(("double pendulum", name) for name in COSTS),
        *(("mechanism", name) for name in ("newmark", "order 6", "dop853", "lobatto", "scipy:Radau")),
        *(("jack", name) for name in ("hht", "order 8", "dop853", "lobatto", "scipy:LSODA")),
    ],
)
def test_compiled_and_interpreted_runs_take_the_same_steps(model, name):
    """The same kernels: rounding may tip the balance of a Newton iteration, and of nothing else."""
    pytest.importorskip("scipy") if isinstance(COSTS[name], str) else None
    made = {
        "double pendulum": examples.double_pendulum,
        "mechanism": lambda: mechanism(9),
        "jack": examples.hydraulic_jack,
    }
    length = {"double pendulum": 0.5, "mechanism": 0.4, "jack": 0.02}[model]
    subject = made[model]()
    native, plain = (
        subject.simulate(length, method=COSTS[name], tolerance=1e-5, target=target) for target in ("native", "python")
    )
    one, other = native.stats, plain.stats
    assert abs(one.steps - other.steps) <= 0.005 * other.steps
    assert abs(one.rejected - other.rejected) <= max(1, 0.02 * other.rejected)
    assert abs(one.residuals - other.residuals) <= 0.02 * other.residuals
    assert abs(one.jacobians - other.jacobians) <= 0.05 * other.jacobians
    assert abs(one.newton_iterations - other.newton_iterations) <= 0.02 * other.newton_iterations
    assert one.steps > 5 and one.residuals > 50
    if one.steps == other.steps:
        size = np.abs(plain.qd).max(axis=0)
        assert (np.abs(native.qd[-1] - plain.qd[-1]) / size).max() < 1e-7


@pytest.mark.long
@needs_llvmlite
def test_fixed_steps_are_the_same_numbers_compiled_and_interpreted():
    """Reached 1e-14: nothing is decided on the way."""
    for method in (newmark(), hht(-0.2), generalized_alpha(0.5), newmark_extrapolated(8), dop853(), lobatto()):
        native, plain = (
            mechanism(9).simulate(0.4, method=method, step=0.012, save_every=0.05, tolerance=1e-10, target=target)
            for target in ("native", "python")
        )
        assert native.stats.steps == plain.stats.steps == 34  # of 0.37 s 30 whole ones and 0.01 s, then 3
        assert 0.37 in native.steps.t
        assert np.abs(moving(native) - moving(plain)).max() < 1e-12
        assert np.abs(native.qd - plain.qd).max() < 1e-12
