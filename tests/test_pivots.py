"""Which mass matrices are refused: the pivots of the elimination against the residual, M in numbers, closed forms.

`system.accelerations` compares each pivot with the diagonal entry that it is left of, and looks closer only where one
is small. `by_residuals` looks closer at every state: both have to give the same accelerations and the same errors.
"""

import numpy as np
import pytest
from chance import first
from sympy import cos, sin
from targets import TARGETS
from test_articulated import KINDS, TENSOR, difference, planar, random_mechanism, spatial, with_efforts

from easydyn import GeneralizedForce, Model, rotation_sequence, tdisp, trot, trotx, troty, trotz
from easydyn.engine.derivation import Derivation
from easydyn.engine.program import Program
from easydyn.engine.scheme import SCHEMES
from easydyn.engine.system import CompiledSystem, Programs
from easydyn.engine.targets import numpy_functions
from easydyn.engine.variations import Variations, Varied
from easydyn.errors import SingularMatrixError


def by_residuals(system, t, q, qd):
    """Accelerations of states that are all judged by their residuals."""
    time, x = system._arguments(t, q, qd)
    if not system.computable("accelerations"):  # a pivot is zero at every state
        return system._solved_accelerations(time, *x[:2])
    qdd, good = system._judged_accelerations(time, *x)
    return qdd if good else system._solved_accelerations(time, *x[:2])


def answer(function, *state):
    """Accelerations, or what is said of a singular mass matrix."""
    try:
        return function(*state)
    except SingularMatrixError as error:
        return str(error), error.time, error.coordinate


def programs_run(system, *state, monkeypatch):
    """The programs that accelerations take."""
    run, many = [], CompiledSystem._many

    def counted(self, key, *rest):
        run.append(key)
        return many(self, key, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(CompiledSystem, "_many", counted)
        answer(system.accelerations, *state)
    return run


def systems(model, explicit=True):
    """On every target; of the textbook's scheme in Python."""
    yield from map(model.compile, TARGETS)
    if explicit:
        yield model.compile("python", "explicit")


def states(rng, n, count=5):
    return rng.uniform(-1, 1, (2, count, n))


def agree(model, q, qd, bad=(), explicit=True):
    """Singular at the states `bad`, by pivots as by residuals, one by one and together; the culprits there."""
    times = np.linspace(0.1, 0.9, len(q))
    found = []
    for system in systems(model, explicit):
        assert system.explicit_accelerations
        for k in range(len(q)):
            one = float(times[k]), q[k].copy(), qd[k].copy()
            ours, theirs = answer(system.accelerations, *one), answer(by_residuals, system, *one)
            assert isinstance(ours, tuple) == (k in bad), (system, k, ours)
            if isinstance(ours, tuple):
                assert ours == theirs and ours[1] == times[k]
                found.append(ours[2])
            else:
                np.testing.assert_array_equal(ours, theirs)
        ours, theirs = answer(system.accelerations, times, q, qd), answer(by_residuals, system, times, q, qd)
        if len(bad):
            assert ours == theirs and ours[1] == times[min(bad)]
        else:
            np.testing.assert_array_equal(ours, theirs)
    return found


def chain(masses, inertias, turn=trotz, coordinate=lambda q, i: q[i]):
    """Rods of a metre by their masses and inertias, a torque on each."""
    model = Model("chain", gravity=(0.3, -9.81, 0.2))
    q, T = model.coordinates([f"q{i}" for i in range(len(masses))]), tdisp(0, 0, 0)
    for i, (m, J) in enumerate(zip(masses, inertias, strict=True)):
        T = T * turn(coordinate(q, i))
        model.body(f"rod {i}", T * tdisp(0, -0.5, 0), mass=m, inertia=(J, J, J))
        T = T * tdisp(0, -1, 0)
    model.add(*(GeneralizedForce(x, 0.3 - 0.1 * x.dot**2) for x in q))
    return model


# -- singular everywhere -------------------------------------------------------------------------------------------


@pytest.mark.one_in(4)
@pytest.mark.parametrize("n", [1, 3, 9], ids=["alone", "by elimination", "by articulated bodies"])
@pytest.mark.parametrize("coordinate", [lambda q, i: q[i], lambda q, i: q[i] - q[i - 1] if i else q[i]])
def test_tip_without_mass(n, coordinate, rng):
    model = chain([2] * (n - 1) + [0], [0.3] * (n - 1) + [0], coordinate=coordinate)
    assert set(agree(model, *states(rng, n), bad=range(5), explicit=n < 9)) == {f"q{n - 1}"}


def test_two_turns_about_one_axis(rng):
    """Rods that hang from each other in one place: only the sum of the turns is determined."""
    model = Model("shaft", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c")
    model.body("disc", trotx(a), mass=1, inertia=TENSOR)
    model.body("shaft", trotx(a) * trotz(b), mass=0, inertia=(0, 0, 0))
    model.body("rod", trotx(a) * trotz(b) * tdisp(0, 0, 0.2) * trotz(c), mass=1, inertia=TENSOR, com=(0.3, 0, 0))
    model.add(GeneralizedForce(b, 1 - b.dot))
    assert set(agree(model, *states(rng, 3), bad=range(5))) == {"b"}


def test_more_slides_than_directions(rng):
    """Three slides of one point in a plane, an angle apart: the second pivot is small, the third is noise."""
    for angle in (1, 0.1, 1e-2, 1e-3, 3e-4, 1e-4, 1e-5):
        model = Model("slides", gravity=(0, -9.81, 0))
        q = model.coordinates("x y z")
        point = [sum(f(k * angle + 0.3) * x for k, x in enumerate(q)) for f in (np.cos, np.sin)]
        model.body("point", tdisp(*point, 0), mass=1, inertia=TENSOR)
        model.add(GeneralizedForce(q[0], 1), GeneralizedForce(q[2], 0.4))
        agree(model, *states(rng, 3), bad=range(5))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto"])
def test_a_pivot_that_is_zero_at_every_state(target, method):
    """A coordinate without mass under a constant force: the formula divides by zero, and M says which it is."""
    model = Model("slide")
    x, y = model.coordinates("x y")
    model.body("point", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.body("nothing", tdisp(0, y, 0), mass=0, inertia=(0, 0, 0))
    model.add(GeneralizedForce(y, 2), GeneralizedForce(x, 1))
    system = model.compile(target=target)
    with pytest.raises(SingularMatrixError, match="y"):
        system.accelerations(0, [0.1, 0.2], [0, 0])
    with pytest.raises(SingularMatrixError, match="y"):
        system.accelerations(0, np.zeros((3, 2)), np.zeros((3, 2)))
    with pytest.raises(SingularMatrixError, match="y"):
        model.simulate(1, method=method, target=target)


# -- singular at some states ---------------------------------------------------------------------------------------


def gimbal():
    model = Model("gimbal")
    a, b, c = model.coordinates("a b c")
    model.body("rotor", rotation_sequence("xyz", a, b, c), mass=1, inertia=TENSOR)
    model.add(GeneralizedForce(a, 1), GeneralizedForce(c, 0.5))
    return model


def polar():
    """A point by its distance and its angle, on an arm."""
    model = Model("polar", gravity=(0, -9.81, 0))
    a, r, p = model.coordinates("a r p")
    arm = trotz(a)
    model.body("arm", arm, mass=1, inertia=TENSOR)
    model.body("point", arm * tdisp(1 + r * cos(p), r * sin(p), 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(p, 0.1))
    return model


def two_slides():
    model = Model("slides", gravity=(0, -9.81, 0))
    x, y, a = model.coordinates("x y a")
    model.body("point", tdisp(x + y * cos(a), y * sin(a), 0), mass=1, inertia=(1, 1, 1))
    model.body("rotor", trotz(a), mass=0, inertia=(0, 0, 1))
    model.add(GeneralizedForce(x, 1), GeneralizedForce(y, 0.3))
    return model


@pytest.mark.parametrize(
    ("make", "place", "value", "culprit"),
    [(gimbal, 1, np.pi / 2, "a"), (polar, 1, 0.0, "p"), (two_slides, 2, 0.0, "x")],
    ids=["gimbal", "polar coordinates", "slides"],
)
def test_the_state_that_is_singular_is_named(make, place, value, culprit, rng):
    q, qd = states(rng, 3, 7)
    agree(make(), q, qd)
    q[[4, 6], place] = value
    assert set(agree(make(), q, qd, bad=(4, 6))) == {culprit}


@pytest.mark.parametrize(
    ("make", "place", "value"), [(gimbal, 1, np.pi / 2), (polar, 1, 0.0), (two_slides, 2, 0.0)],
    ids=["gimbal", "polar coordinates", "slides"],
)  # fmt: skip
def test_near_a_singular_state(make, place, value, rng):
    """From where nothing is to be seen of it to where M is singular in 16 digits."""
    model = make()
    q, qd = states(rng, 3, 30)
    q[:, place] = value + np.logspace(0, -10, 30)
    for system in systems(model):
        for one in zip(q.copy(), qd.copy(), strict=True):
            ours, theirs = answer(system.accelerations, 0.0, *one), answer(by_residuals, system, 0.0, *one)
            assert ours == theirs if isinstance(ours, tuple) else np.array_equal(ours, theirs)


def screw(mass):
    """At the end of nine rods a disc that slides by a and turns by b - a: a and b together move its mass alone."""
    model = Model("screw", gravity=(0.3, -9.81, 0.2))
    *q, a, b = model.coordinates([f"q{i}" for i in range(9)] + ["a", "b"])
    T = tdisp(0, 0, 0)
    for i, x in enumerate(q):
        T = T * (trotx, troty)[i % 2](x) * tdisp(0.1, 0.4, 0.2)
        model.body(f"rod {i}", T, mass=1, inertia=TENSOR)
    model.body("disc", T * tdisp(0, 0, a) * trotz(b - a), mass=mass, inertia=(0.2, 0.2, 0.4))
    model.add(GeneralizedForce(a, 1 - a.dot), GeneralizedForce(b, 0.3 - b.dot))
    return model


@pytest.mark.one_in(8)
@pytest.mark.parametrize("mass", [1, 1e-6, 1e-9, 1e-12, 1e-15, 1e-17])
def test_coordinates_that_move_little_together(mass, rng):
    """M has m + J, -J and J for a and b: with m small beside J it is nearly singular, with pivots m and J."""
    model, refused = screw(mass), []
    assert Derivation(model.mechanism).articulated
    for system in systems(model, explicit=False):
        for state in np.moveaxis(states(rng, system.n), 0, 1):
            ours, theirs = answer(system.accelerations, 0.0, *state), answer(by_residuals, system, 0.0, *state)
            refused.append(isinstance(ours, tuple))
            if refused[-1] or system.target != "native":
                assert np.array_equal(ours, theirs)
            else:  # two programs of machine code need not round alike, and M's condition is 0.4/mass
                np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-14 * (1 + 0.4 / mass) * np.abs(theirs).max())
    assert any(refused) == (mass < 1e-16)


# -- not singular --------------------------------------------------------------------------------------------------


def carriage(mass):
    """A pendulum of a kilogram on a carriage: where it hangs, nothing but the carriage moves with x."""
    model = Model("carriage", gravity=(0, -9.81, 0))
    x, a = model.coordinates("x a")
    model.body("carriage", tdisp(x, 0, 0), mass=mass, inertia=(0, 0, 0))
    model.body("bob", tdisp(x, 0, 0) * trotz(a) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, 0.2))
    return model


@pytest.mark.long
def test_light_bodies_are_not_refused(rng, monkeypatch):
    """A light tip, also of 1e-13 kg, a light body in the middle, one without mass there: by the first program alone."""
    cases = [
        chain([1, 1, 1e-6], [0.1, 0.1, 1e-7]), chain([1, 1, 1e-13], [0.1, 0.1, 1e-14]),
        chain([1] * 8 + [1e-6], [0.1] * 8 + [1e-7]), chain([1] * 8 + [1e-13], [0.1] * 8 + [1e-14], trotx),
        chain([1, 1e-6, 1], [0.1, 1e-7, 0.1], trotx), chain([1, 0, 1], [0.1, 0, 0.1]), carriage(1e-6),
    ]  # fmt: skip
    for model in cases:
        q, qd = states(rng, len(model.names), 20)
        agree(model, q, qd, explicit=False)
        for system in systems(model):
            assert programs_run(system, 0.0, q, qd, monkeypatch=monkeypatch) == ["checked_accelerations"]


@pytest.mark.parametrize("mass", [1e-6, 1e-9, 1e-13])
def test_light_carriage(mass):
    """At rest below it the pendulum leaves x'' = F/m to the carriage; where it is light that takes a closer look."""
    for system in systems(carriage(mass)):
        found = system.accelerations(0.0, np.zeros(2), np.zeros(2))
        np.testing.assert_allclose(found, [0.2 / mass, -0.2 / mass], rtol=1e-3 if mass < 1e-12 else 1e-6)


def test_units_do_not_matter(rng, monkeypatch):
    """Turns in microradians beside slides in kilometres."""
    model = Model("units", gravity=(0, -9.81, 0))
    x, a, b = model.coordinates("x a b")
    base = tdisp(1000 * x, 0, 0) * trotz(1e-6 * a)
    model.body("base", base, mass=1, inertia=TENSOR)
    model.body("arm", base * tdisp(0, 1, 0) * trotx(1e-6 * b + 1e-6 * a), mass=2, inertia=TENSOR, com=(0, 0.4, 0))
    q, qd = states(rng, 3) * [1e-3, 1e6, 1e6]
    for system in systems(model):
        assert programs_run(system, 0.0, q, qd, monkeypatch=monkeypatch) == ["checked_accelerations"]
        M, h = system.mass_matrix(0, q), system.residual(0, q, qd, np.zeros(3))
        size = np.array([1e3, 1e-6, 1e-6])
        expected = np.linalg.solve(M / np.outer(size, size), (-h / size)[..., None])[..., 0] / size
        np.testing.assert_allclose(system.accelerations(0, q, qd), expected, rtol=1e-8)


CHAINS = {
    "fifty rods": lambda: planar(50),
    "fifty absolute angles": lambda: planar(50, absolute=True),
    "two hundred rods": lambda: planar(200),
    "arm": lambda: spatial(6),
    "long arm": lambda: spatial(20),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name.startswith("two hundred") else ()) for name in CHAINS]
)
def test_long_chains_take_one_program(name, rng, monkeypatch):
    model = CHAINS[name]()
    system = model.compile("numpy")
    q, qd = states(rng, system.n)
    assert programs_run(system, 0.0, q, qd, monkeypatch=monkeypatch) == ["checked_accelerations"]
    np.testing.assert_array_equal(system.accelerations(0, q, qd), by_residuals(system, 0, q, qd))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", first(8, range(20)))
def test_random_mechanisms(seed, rng, monkeypatch):
    model = random_mechanism(seed)
    q, qd = states(rng, len(model.names))
    for system in [model.compile("numpy"), *[model.compile("numpy", "explicit")] * (seed % 3 == 0)]:
        assert programs_run(system, 0.3, q, qd, monkeypatch=monkeypatch) == ["checked_accelerations"]
        np.testing.assert_array_equal(system.accelerations(0.3, q, qd), by_residuals(system, 0.3, q, qd))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", first(15, range(40)))
def test_random_mechanisms_near_singularity(seed):
    """Axes that nearly coincide, bodies with little mass and with none."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    model = Model(f"mechanism {seed}", gravity=(1, -9, 2))
    q = model.coordinates([f"q{i}" for i in range(n)])
    T, axis, apart = tdisp(0, 0, 0), np.array([0.0, 0, 1]), 10.0 ** -rng.uniform(0, 9)
    for i in range(n):
        axis = axis + apart * rng.normal(size=3)
        u = tuple((axis / np.linalg.norm(axis)).tolist())
        amount = q[i] - q[i - 1] if i and rng.random() < 0.3 else q[i]
        T = T * (trot(u, amount) if rng.random() < 0.5 else tdisp(*(x * amount for x in u)))
        T = T * tdisp(*rng.uniform(-1, 1, 3).tolist()) if rng.random() < 0.5 else T
        mass, size = (float(rng.choice([0, 10.0 ** -rng.uniform(0, 16), 1], p=[0.1, 0.2, 0.7])) for _ in range(2))
        if i < n - 1 or rng.random() < 0.8:
            model.body(f"body {i}", T, mass=mass, inertia=(size, size, size))
        else:
            model.body(f"body {i}", T, mass=1, inertia=TENSOR)
    model.add(*(GeneralizedForce(x, float(rng.normal()) - 0.1 * x.dot) for x in q))
    for scheme in SCHEMES:
        system = model.compile("python", scheme)
        for state in rng.uniform(-2, 2, (6, 2, n)):
            ours, theirs = answer(system.accelerations, 0.0, *state), answer(by_residuals, system, 0.0, *state)
            assert isinstance(ours, tuple) == isinstance(theirs, tuple), (ours, theirs)
            if isinstance(ours, tuple):
                assert ours == theirs
            else:
                assert difference(ours, theirs) < 1e-8


def test_infinite_accelerations_are_not_taken_for_a_solution(rng):
    """A tip without mass, with a moment that is small beside those on the rods: in the residual it is not much."""
    model = chain([1000, 0], [300, 0])
    q, qd = states(rng, 2)
    for system in systems(model):
        with pytest.raises(SingularMatrixError, match="acceleration of q1"):
            system.accelerations(0.0, q, qd)


# -- states without numbers, states at rest -------------------------------------------------------------------------


@pytest.mark.one_in(2)
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
@pytest.mark.parametrize("slot", [0, 1], ids=["place", "rate"])
def test_states_without_numbers(slot, value, rng):
    """Among others, and alone: what M and the residual give, in numbers."""
    for model in (chain([1, 2, 1], [0.1, 0.2, 0.3]), planar(9), two_slides()):
        for target in TARGETS:
            system = model.compile(target)
            x = states(rng, system.n)
            x[slot, 3, -1] = value
            with np.errstate(all="ignore"):
                for state in (x, x[:, 3].copy()):
                    ours = answer(system.accelerations, 0.0, *state)
                    theirs = answer(by_residuals, system, 0.0, *state)
                    assert ours == theirs if isinstance(ours, tuple) else np.allclose(ours, theirs, 1e-12, 0, True)


def test_where_nothing_acts():
    """Nothing moves and nothing pulls: no acceleration, and a singular mass matrix is one nevertheless."""
    for mass in (1, 0):
        model = Model("still")
        a, b = model.coordinates("a b")
        model.body("first", troty(a), mass=1, inertia=TENSOR)
        model.body("second", troty(a) * trotx(b), mass=mass, inertia=(mass, mass, mass))
        for system in systems(model):
            found = answer(system.accelerations, 0.0, np.zeros((3, 2)), np.zeros((3, 2)))
            if mass:
                assert np.array_equal(found, np.zeros((3, 2)))
            else:
                assert found[1:] == (0.0, "b")


def test_one_state_of_many_is_looked_at(rng, monkeypatch):
    """Near gimbal lock the residual decides: only that of the states where it is needed."""
    system = gimbal().compile("numpy")
    q, qd = states(rng, 3, 50)
    expected = by_residuals(system, 0.0, q, qd)
    np.testing.assert_array_equal(system.accelerations(0.0, q, qd), expected)
    q[[7, 9], 1] = np.pi / 2 - 1e-5
    sizes, many = [], CompiledSystem._many

    def counted(self, key, time, x, shape):
        sizes.append((key, x[0].shape[0]))
        return many(self, key, time, x, shape)

    monkeypatch.setattr(CompiledSystem, "_many", counted)
    found = system.accelerations(0.0, q, qd)
    assert sizes == [("checked_accelerations", 50), ("accelerations", 2), ("residual", 2), ("residual", 2)]
    np.testing.assert_array_equal(np.delete(found, [7, 9], axis=0), np.delete(expected, [7, 9], axis=0))
    np.testing.assert_array_equal(found, by_residuals(system, 0.0, q, qd))


# -- the pivots themselves -----------------------------------------------------------------------------------------


def pivots(model, q, scheme="recursive"):
    """(pivots, sizes), each (states, n), and the way that the accelerations take."""
    plan, system = Derivation(model.mechanism, scheme), model.compile("numpy", scheme)
    found = [x for pivot in plan.pivots for x in pivot]
    prologue, evaluate = numpy_functions(Program("pivots", found, {}))
    columns = evaluate(np.full(len(q), 0.3), q, 0 * q, 0 * q, prologue(system._p, system.held))
    rows = np.array([np.broadcast_to(x, len(q)) for x in columns]).reshape(system.n, 2, len(q))
    return rows[:, 0].T, rows[:, 1].T, "elimination" if plan.accelerations is plan._eliminated[0] else "bodies"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", KINDS)
def test_no_pivot_is_larger_than_its_entry(name, rng):
    """The product of the pivots is the determinant of M, wherever each coordinate moves a joint of its own."""
    model = with_efforts(KINDS[name][0](), 3)
    q = rng.uniform(-0.6, 0.6, (20, len(model.names)))
    M = model.compile("numpy").mass_matrix(0.3, q)
    for scheme in SCHEMES:
        D, size, way = pivots(model, q, scheme)
        assert np.all(D > 0) and np.all(D <= size * (1 + 1e-12))
        if way == "elimination" or name in ("planar", "branches", "without mass", "absolute angles"):
            np.testing.assert_allclose(np.prod(D, axis=1), np.linalg.det(M), rtol=1e-9)
        if way == "elimination":
            np.testing.assert_allclose(np.sort(size), np.sort(np.einsum("nii->ni", M)), rtol=1e-9, atol=1e-12)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("n", [9, 30])
def test_bounds_of_the_diagonal_of_chains(n, rng):
    """No less than M_cc, and no more than a few times what it is where the chain is stretched."""
    for model in (planar(n), spatial(n)):
        q = np.concatenate([rng.uniform(-2, 2, (20, n)), np.zeros((1, n))])
        _, size, way = pivots(model, q)
        diagonal = np.einsum("nii->ni", model.compile("numpy").mass_matrix(0.3, q))
        assert way == "bodies"
        size = size[:, ::-1]  # the tip is eliminated first
        assert np.all(size >= diagonal * (1 - 1e-12))
        if model.name == "chain":
            assert np.all(size <= 4 * diagonal[-1])


def test_bounds_do_not_cost_anything_at_every_evaluation():
    """Those of chains depend on parameters alone: n comparisons and as many multiplications are all there is."""
    for model in (planar(20), spatial(20)):
        plan, n = Derivation(model.mechanism), len(model.names)
        assert all(pivot.size.fixed for pivot in plan.pivots)
        bare, tested = (
            Program("accelerations", x).operations for x in (plan.accelerations, plan.checked_accelerations)
        )
        assert [tested[key] - bare[key] for key in ("mul", "add", "trig")] == [0, 0, 0]
        assert tested["other"] - bare["other"] <= 2 * n + 1


def test_a_run_with_its_derivatives(rng):
    """The mass matrix of the derivatives is that of the motion."""
    model = two_slides()
    directions = [Varied("x", "", 0, 1.0), Varied("a", "", 2, 1.0)]
    for target in TARGETS:
        base = model.compile(target)
        system = CompiledSystem(Programs(Variations(Derivation(model.mechanism), directions)), {}, target)
        q, qd = states(rng, 9)
        ours, theirs = answer(system.accelerations, 0.0, q, qd), answer(by_residuals, system, 0.0, q, qd)
        np.testing.assert_array_equal(ours, theirs)
        assert difference(ours[:, :3], base.accelerations(0.0, q[:, :3].copy(), qd[:, :3].copy())) < 1e-13
        q[3, 2] = 0.0
        ours, theirs = answer(system.accelerations, 0.0, q, qd), answer(by_residuals, system, 0.0, q, qd)
        assert ours == theirs and isinstance(ours, tuple)
