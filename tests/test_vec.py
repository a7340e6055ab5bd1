"""Vectors, rotations, inertia tensors, transforms: against closed forms, SciPy, and each kind of scalar in turn."""

import copy
import itertools
import pickle

import numpy as np
import pytest
import sympy
from sympy import Matrix, Symbol, cos, sin
from together import together

from easydyn import (
    Model,
    Transform,
    Vector,
    cross,
    dot,
    inertia_tensor,
    rotation_sequence,
    tdisp,
    tquat,
    transform,
    trot,
    trotx,
    troty,
    trotz,
    vcoord,
)
from easydyn.errors import InputError, TransformError
from easydyn.vec import along, scalars
from easydyn.vec.tensors import Tensor, direction

ORDERS = ["".join(o) for o in itertools.product("xyz", repeat=3) if o[0] != o[1] and o[1] != o[2]]
q, l = sympy.symbols("q l", real=True)


def close(x, y, tolerance=1e-14):
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    return x.shape == y.shape and np.abs(x - y).max() <= tolerance * max(1, np.abs(y).max())


def scipy_rotation():
    return pytest.importorskip("scipy.spatial.transform").Rotation


# -- rotations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make, name", [(trotx, "x"), (troty, "y"), (trotz, "z")])
def test_principal_rotations_agree_with_scipy(make, name, rng):
    for angle in rng.uniform(-7, 7, 5):
        assert close(make(angle).R, scipy_rotation().from_euler(name, angle).as_matrix())


def test_rotation_about_a_general_axis_agrees_with_scipy_and_with_rodrigues(rng):
    for _ in range(10):
        axis, angle = rng.normal(size=3), rng.uniform(-4, 4)
        u = axis / np.linalg.norm(axis)
        R = np.asarray(trot(axis, angle).R)
        assert close(R, scipy_rotation().from_rotvec(u * angle).as_matrix(), 1e-14)
        K = np.cross(u, np.eye(3)).T  # K v = u x v
        assert close(R, np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K, 1e-14)
        assert close(trot(-3 * axis, -angle).R, R)
        assert close(np.asarray(trot(axis, angle).R) @ u, u)


@pytest.mark.parametrize("k, make", list(enumerate((trotx, troty, trotz))))
def test_rotation_about_an_axis_of_the_frame_is_the_principal_one(k, make):
    assert trot(5 * np.eye(3)[k], 0.3) == make(0.3)
    assert close(trot(-np.eye(3)[k], 0.3).R, make(-0.3).R)
    assert trot([int(i == k) for i in range(3)], q).R == make(q).R


def test_axis_without_direction_is_refused():
    with pytest.raises(InputError, match="axis of trot.*non-zero"):
        trot((0, 0, 0), 0.1)
    with pytest.raises(InputError, match="axis of trot.*finite"):
        trot((np.nan, 0, 0), 0.1)


def test_quaternion_is_that_of_scipy_scalar_first(rng):
    for p in rng.normal(size=(5, 4)):
        p /= np.linalg.norm(p)
        assert close(tquat(*p).R, scipy_rotation().from_quat([*p[1:], p[0]]).as_matrix(), 1e-14)
        axis, angle = rng.normal(size=3), rng.uniform(-4, 4)
        e = np.sin(angle / 2) * axis / np.linalg.norm(axis)
        assert close(tquat(np.cos(angle / 2), *e).R, trot(axis, angle).R, 1e-14)


def test_quaternion_that_is_not_of_unit_length_is_refused():
    with pytest.raises(TransformError, match="squares sum up to.*norm"):
        tquat(1, 1, 0, 0)


@together("order", ORDERS)
def test_rotation_sequence_agrees_with_scipy_and_goes_back(order, rng):
    repeated = order[0] == order[2]
    for _ in range(10):
        a, c = rng.uniform(-3.1, 3.1, 2)
        b = rng.uniform(0.1, 3) if repeated else rng.uniform(-1.5, 1.5)
        T = rotation_sequence(order, a, b, c)
        assert close(T.R, scipy_rotation().from_euler(order.upper(), [a, b, c]).as_matrix())
        assert close(T.R.angles(order), (a, b, c), 1e-12)


@together("order", ORDERS)
@together("offset", [0.0, 1e-13, 3e-12, 1e-9, 1e-6, -1e-13, -3e-12, -1e-9])
def test_angles_of_a_singular_sequence_give_the_same_rotation(order, offset, rng):
    """At gimbal lock and near it the angles are not unique or badly determined: the rotation is neither."""
    for middle in (0.0, np.pi) if order[0] == order[2] else (np.pi / 2, -np.pi / 2):
        a, c = rng.uniform(-3, 3, 2)
        Q = trot((1, 2, 3), 0.7).R
        R = Q.T * (Q * rotation_sequence(order, a, middle + offset, c).R)  # with errors of rounding in each element
        found = R.angles(order)
        assert close(rotation_sequence(order, *found).R, R, 5e-12)
        if offset == 0:
            assert found[2] == 0


@together("order", ORDERS)
def test_angles_of_many_rotations_at_once_are_those_of_each(order, rng):
    a, b, c = rng.uniform(-1.4, 1.4, (3, 6))
    b = np.abs(b) if order[0] == order[2] else b
    b[0] = 0 if order[0] == order[2] else np.pi / 2  # one of them singular
    many = rotation_sequence(order, a, b, c).R.angles(order)
    for i in range(6):
        each = rotation_sequence(order, float(a[i]), float(b[i]), float(c[i])).R.angles(order)
        assert close([x[i] if np.ndim(x) else x for x in many], each, 1e-12)


def test_angles_of_a_symbolic_rotation(rng):
    a, b, c = sympy.symbols("a b c", real=True)
    values = {a: 0.4, b: -0.7, c: 1.2}
    found = rotation_sequence("zyx", a, b, c).R.angles("zyx")
    assert close([x.subs(values).evalf() for x in found], list(values.values()), 1e-12)


def test_rotations_go_to_quaternions_vectors_and_angles_and_back(rng):
    """10,000 rotations: at random, by next to nothing, by nearly half a turn, by half a turn."""
    n = 10_000
    axis = rng.normal(size=(n, 3))
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    small = 10 ** rng.uniform(-16, -1, n)
    half = np.where(small < 1e-8, 0, np.pi)
    angle = np.choose(np.arange(n) % 4, [rng.uniform(0, np.pi, n), small, np.pi - small, half])
    R = tquat(np.cos(angle / 2), *(np.sin(angle / 2) * axis.T)).R
    e, v = np.array(R.quaternion()), np.array(R.rotation_vector())
    given = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis.T)])
    assert (e[0] >= 0).all() and np.minimum(np.abs(e - given), np.abs(e + given)).max() < 1e-15
    assert np.abs(tquat(*e).R.matrix - R.matrix).max() < 4e-15
    assert np.abs(np.abs(v) - np.abs(axis.T * angle)).max() < 4e-15 and np.linalg.norm(v, axis=0).max() <= np.pi + 1e-15
    turned = scipy_rotation().from_rotvec(v.T).as_matrix()
    assert np.abs(turned - R.matrix).max() < 1e-14
    for order in ("zyx", "zxz"):
        assert np.abs(rotation_sequence(order, *R.angles(order)).R.matrix - R.matrix).max() < 1e-14
    for i in range(8):  # one at a time, and of a relative frame
        A, one = trot(axis[-i], 0.3), trot(axis[i], float(angle[i]))
        assert close(one.R.quaternion(), e[:, i], 1e-15) and close(one.R.rotation_vector(), v[:, i], 2e-15)
        assert close(np.array((A.inv() * (A * one)).R.quaternion()), e[:, i], 1e-15)


def test_quaternions_and_rotation_vectors_of_symbols():
    q, p = sympy.symbols("q p", real=True)
    e = sympy.symbols("e0:4", real=True)
    A, B = trotz(q) * trotx(p), trotz(q) * tdisp(1, 2, 3) * trotx(3 * p)
    assert (A.inv() * B).R.quaternion() == (sympy.cos(p), sympy.sin(p), 0, 0)
    assert (A.inv() * B).R.rotation_vector() == (2 * p, 0, 0)
    assert tquat(*e).R.quaternion() == e and tquat(*e).inv().R.quaternion() == (e[0], -e[1], -e[2], -e[3])
    found = (trot((1, 2, 2), q) * transform(trotx(0.4).R.matrix) * troty(p)).R
    values = {q: 2.9, p: -0.7}
    numbers = trot((1, 2, 2), 2.9) * trotx(0.4) * troty(-0.7)
    assert close([x.subs(values) for x in found.quaternion()], np.array(numbers.R.quaternion()), 1e-14)
    for ask in (found.rotation_vector, tquat(*e).R.rotation_vector):
        with pytest.raises(InputError, match="one formula only of turns about one axis"):
            ask()
    with pytest.raises(InputError, match="a quaternion of a matrix of symbols is no single formula"):
        (A.R * B.R).quaternion()
    model = Model("carried")
    unit = [model.coordinate(f"e{i}", initial=float(i == 0)) for i in range(4)]
    model.body("b", tquat(*unit).inv(), mass=1, inertia=(1, 2, 3))
    assert [str(c.name) for c in model.mechanism.constraints] == ["norm of e0, e1, e2, e3"]


@together("order", ["xx", "xyw", "xxy", "zyy", 5])
def test_rotation_order_that_is_none_is_refused(order):
    with pytest.raises(InputError, match="rotation order"):
        rotation_sequence(order, 0, 0, 0)


# -- transforms -----------------------------------------------------------------------------------------------------


def random_transform(rng):
    return (
        trotx(rng.uniform(-3, 3)) * tdisp(*rng.uniform(-1, 1, 3)) * trot(rng.normal(size=3), rng.uniform(-3, 3))
        * transform(scipy_rotation().random(random_state=int(rng.integers(1000))).as_matrix(), rng.uniform(-1, 1, 3))
        * troty(rng.uniform(-3, 3)) * trotz(rng.uniform(-3, 3)) * tdisp(*rng.uniform(-1, 1, 3))
    )  # fmt: skip


def test_product_is_the_product_of_matrices(rng):
    A, B = random_transform(rng), random_transform(rng)
    factors = [Transform((f,)).matrix for f in A.factors]
    assert close(A.matrix, np.linalg.multi_dot(factors))
    assert close((A * B).matrix, A.matrix @ B.matrix)
    assert (A * B) == (A @ B)
    assert close((A * B * A).matrix, (A * (B * A)).matrix)
    assert close(A.matrix[:3, :3], A.R) and close(A.matrix[:3, 3], A.e)
    assert close(np.asarray(A), A.matrix)


def test_rotations_about_one_axis_add_their_angles():
    assert (trotz(q) * tdisp(0, -1, 0) * trotz(l)).R == trotz(q + l).R
    assert close((trotx(0.2) * trotz(0.3) * tdisp(1, 2, 3) * trotz(0.4)).R, (trotx(0.2) * trotz(0.7)).R)


def test_inverse(rng):
    for _ in range(5):
        T = random_transform(rng)
        assert close((T.inv() * T).matrix, np.eye(4)) and close((T * T.inv()).matrix, np.eye(4))
        assert close(T.inv().matrix, np.linalg.inv(T.matrix), 1e-13)
        assert T.inv().inv() == T or close(T.inv().inv().matrix, T.matrix)
        assert close(T.R.inv(), np.asarray(T.R).T)


def test_points_and_directions(rng):
    T, p = random_transform(rng), rng.uniform(-2, 2, 3)
    expected = T.matrix @ [*p, 1]
    for point in (p, tuple(p), list(p), vcoord(*p), Matrix(p), sympy.ImmutableMatrix(p)):
        assert isinstance(T * point, Vector)
        assert close(T * point, expected[:3])
        assert close(T @ point, expected[:3])
        assert close(T.R * point, np.asarray(T.R) @ p) and T.R @ point == T.R * point
    assert close(T.inv() * (T * p), p)
    for k, unit in enumerate((T.R.ux(), T.R.uy(), T.R.uz())):
        assert close(unit, np.asarray(T.R)[:, k])


def test_raw_matrices_stand_for_transforms_inside_products(rng):
    A, B = random_transform(rng), random_transform(rng)
    expected = A.matrix @ B.matrix
    for raw in (B.matrix, B.matrix.tolist(), Matrix(B.matrix), sympy.ImmutableMatrix(B.matrix)):
        for product in (A * raw, A @ raw):
            assert isinstance(product, Transform) and close(product.matrix, expected)
    for raw in (A.matrix, A.matrix.tolist(), Matrix(A.matrix), sympy.ImmutableMatrix(A.matrix)):
        assert isinstance(raw * B, Transform) and close((raw * B).matrix, expected)
    for raw in (A.matrix, Matrix(A.matrix)):
        assert isinstance(raw @ B, Transform) and close((raw @ B).matrix, expected)
    symbolic = trotz(q).matrix * tdisp(l, 0, 0)
    assert symbolic.matrix == (trotz(q) * tdisp(l, 0, 0)).matrix


def test_what_is_no_rigid_transform_is_refused():
    with pytest.raises(TransformError, match="not a rigid transform"):
        transform(np.diag([1, 1, 1.01]))
    with pytest.raises(TransformError, match="left-handed"):
        transform(np.diag([1, 1, -1]))
    with pytest.raises(TransformError, match="not a rigid transform"):  # but where q is one
        transform([[cos(q), -q * sin(q), 0], [sin(q), q * cos(q), 0], [0, 0, 1]])
    with pytest.raises(TransformError, match="transposed"):
        trotz(0.1) * np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [1, 2, 3, 1]])
    with pytest.raises(InputError, match="shape"):
        trotz(0.1) * np.eye(3)
    with pytest.raises(InputError, match="string"):
        trotz("q")


# -- one formula, any scalar ----------------------------------------------------------------------------------------


def scalar_kinds(build):
    """The same thing of floats, of SymPy expressions, and of arrays with leading axes, all at six states."""
    x = np.random.default_rng(5).uniform(-1.4, 1.4, (2, 3, 3))
    symbols = sympy.symbols("a b c", real=True)
    symbolic = sympy.lambdify(symbols, Matrix(build(*symbols)), modules="numpy")
    arrays = build(x[..., 0], x[..., 1], x[..., 2])
    for index in np.ndindex(2, 3):
        state = x[index]
        yield build(*map(float, state)), symbolic(*state), arrays[index]


BUILDS = {
    "product": lambda a, b, c: (trotx(a) * tdisp(b, c, 1) * troty(b) * trotz(c) * tdisp(0, a, 0)).matrix,
    "general axis": lambda a, b, c: (trot((1, -2, 3), a) * tdisp(b, 0, c)).matrix,
    "inverse": lambda a, b, c: (trotx(a) * tdisp(b, c, 1) * troty(b)).inv().matrix,
    "sequence": lambda a, b, c: rotation_sequence("zxz", a, b, c).matrix,
    "rotation": lambda a, b, c: (trotz(a) * trotx(b) * trotz(c)).R.matrix,
    "inertia": lambda a, b, c: inertia_tensor(1, 2, 3, a, b, c).moved(2, (a, b, c)).rotated(trotx(a).R).matrix,
}


@together("name", BUILDS)
def test_floats_symbols_and_arrays_agree(name):
    for number, symbolic, array in scalar_kinds(BUILDS[name]):
        assert close(number, symbolic) and close(array, number)


VECTORS = {
    "point": lambda a, b, c: (trotz(a) * tdisp(b, 0, 0)) * vcoord(a, b, c),
    "direction": lambda a, b, c: trotz(a).R * vcoord(a, b, c),
    "cross": lambda a, b, c: cross((a, b, c), (1, a, b)),
    "linear": lambda a, b, c: 2 * vcoord(a, b, c) - vcoord(1, 2, 3) * a + vcoord(b, b, b) / 2,
    "norm": lambda a, b, c: vcoord(a, b, c) / vcoord(a, b, c).norm(),
    "column": lambda a, b, c: (trotx(a) * troty(b)).R.uy(),
}


@together("name", VECTORS)
def test_vectors_of_floats_symbols_and_arrays_agree(name):
    for number, symbolic, array in scalar_kinds(lambda *x: VECTORS[name](*x).matrix):
        assert close(number, np.ravel(symbolic)) and close(array, number)


def test_a_quaternion_of_symbols_is_that_of_its_unit_quaternion(rng):
    """Off the unit sphere too, where small steps of a solution lead."""
    symbols, p = sympy.symbols("e0:4", real=True), rng.normal(size=4)
    turned = sympy.lambdify(symbols, Matrix(tquat(*symbols).matrix), modules="numpy")
    a, b, c, d = p / np.linalg.norm(p)
    assert close(turned(*p), tquat(a, b, c, d).matrix)
    assert close(turned(*p)[:3, :3], scipy_rotation().from_quat([b, c, d, a]).as_matrix())
    assert tquat(*symbols[:3], symbols[0]).R.X.y == 2 * (symbols[1] * symbols[2] + symbols[0] ** 2)  # as it is written


def test_quaternions_of_arrays(rng):
    p = rng.normal(size=(4, 7))
    p /= np.linalg.norm(p, axis=0)
    many = tquat(*p).matrix
    assert many.shape == (7, 4, 4)
    for i in range(7):
        assert close(many[i], tquat(*p[:, i]).matrix)


FUNCTIONS = {
    "largest": (scalars.largest, np.maximum),
    "smallest": (scalars.smallest, np.minimum),
    "atan2": (scalars.atan2, np.arctan2),
    "power": (lambda x, y: scalars.power(x * x, 1 + y * y), lambda x, y: (x * x) ** (1 + y * y)),
    "root": (lambda x, y: scalars.sqrt(x * x + y * y), np.hypot),
    "waves": (lambda x, y: scalars.sin(x) * scalars.cos(y), lambda x, y: np.sin(x) * np.cos(y)),
}


@together("name", FUNCTIONS)
def test_functions_of_floats_symbols_and_arrays_agree_with_those_of_numpy(name):
    ours, expected = FUNCTIONS[name]
    for a, b in ((-1.2, 0.4), (0.4, -1.2), (0.7, 0.7), (2, 3)):
        assert close(ours(a, b), expected(a, b)) and close(ours(sympy.Float(a), sympy.Float(b)), expected(a, b))
        symbolic = ours(q, l).subs({q: a, l: b})
        assert close(symbolic, expected(a, b)) and close(ours(q, b).subs(q, a), expected(a, b))
    many = np.random.default_rng(3).normal(size=(2, 4, 3))
    assert close(ours(*many), expected(*many)) and close(ours(*many[:, 0]), expected(*many[:, 0]))
    assert close(ours(many[0], 0.3), expected(many[0], 0.3)) and close(ours(-0.3, many[0]), expected(-0.3, many[0]))


# -- vectors --------------------------------------------------------------------------------------------------------


def test_vector_algebra_is_that_of_numpy(rng):
    a, b = rng.normal(size=(2, 3))
    u, v = vcoord(*a), vcoord(*b)
    assert close(u + v, a + b) and close(u - v, a - b) and close(-u, -a)
    assert close(2 * u, 2 * a) and close(u * 2, 2 * a) and close(u / 4, a / 4)
    assert dot(u, v) == pytest.approx(a @ b, rel=1e-12) and u.dot(v) == dot(u, v)
    assert close(cross(u, v), np.cross(a, b)) and u.cross(v) == cross(u, v)
    assert u.norm() == pytest.approx(np.linalg.norm(a), rel=1e-12)
    assert (u.x, u.y, u.z) == tuple(u) == (u[0], u[1], u[2])


def test_map_takes_each_component_to_its_own_place():
    assert tuple(Vector(1, 2, 3).map(lambda c: 10 * c)) == (10, 20, 30)


def test_directions_are_unit_vectors_and_those_of_the_axes_stay_exact():
    assert close(direction((0, -3, 4), "it"), (0, -0.6, 0.8))
    assert close(direction((2, 2, 1), "it"), (2 / 3, 2 / 3, 1 / 3))
    for name, n in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1))):
        for given, expected in ((name, n), (n, n), (tuple(-1.0 * c for c in n), tuple(-c for c in n))):
            assert repr(direction(given, "it")) == repr(Vector(*expected))  # integers: no factor 1.0 in formulas


def test_sum_of_vectors():
    assert sum([vcoord(1, 2, 3), vcoord(10, 20, 30), vcoord(q, 0, 0)]) == vcoord(11 + q, 22, 33)
    assert sum([vcoord(1, 2, 3)], vcoord(1, 1, 1)) == vcoord(2, 3, 4)


@together(
    "number",
    [np.float64(2), np.float32(2), np.int64(2), np.array(2.0), 2, 2.0, sympy.Integer(2), sympy.Float(2)],
    ids=repr,
)
def test_numbers_of_numpy_and_sympy_multiply_from_both_sides(number):
    u, R = vcoord(1, 2, 3), trotz(0.3).R
    for product in (number * u, u * number):
        assert isinstance(product, Vector) and close(product, (2, 4, 6))
    assert close(u / number, (0.5, 1, 1.5))
    for product in (number * R, R * number):
        assert close(product.matrix, 2 * np.asarray(R))
    inertia = inertia_tensor(1, 2, 3, 0.1, 0.2, 0.3)
    assert close((number * inertia).matrix, 2 * np.asarray(inertia))


def test_symbols_multiply_from_both_sides():
    u, R = vcoord(1, 2, l), trotz(l).R
    assert q * u == u * q == vcoord(q, 2 * q, l * q)
    assert (q + 1) * u == u * (q + 1)
    assert u / q == vcoord(1 / q, 2 / q, l / q)
    for product in (q * R, R * q):
        assert sympy.simplify(Matrix(product.matrix) - q * Matrix(R.matrix)) == sympy.zeros(3, 3)


@together("kind", [Matrix, sympy.ImmutableMatrix, np.array, list, tuple])
def test_anything_of_three_components_adds_from_both_sides(kind):
    u, other = vcoord(1, 2, 3), kind([10, 20, 30])
    assert isinstance(u + other, Vector) and u + other == vcoord(11, 22, 33)
    assert u - other == vcoord(-9, -18, -27)
    if kind not in (list, tuple):  # a list or a tuple on the left keeps to Python's own meaning of +
        assert isinstance(other + u, Vector) and other + u == vcoord(11, 22, 33)
        assert other - u == vcoord(9, 18, 27)


def test_matrix_times_vector_is_a_vector():
    for kind in (Matrix, sympy.ImmutableMatrix):
        product = kind([[0, -1, 0], [1, 0, 0], [0, 0, q]]) * vcoord(1, 2, 3)
        assert isinstance(product, Vector) and product == vcoord(-2, 1, 3 * q)


def test_ambiguous_products_are_refused():
    u, v = vcoord(1, 2, 3), vcoord(4, 5, 6)
    with pytest.raises(InputError, match="dot.*cross"):
        u * v
    with pytest.raises(InputError, match="cross"):
        u ^ v
    with pytest.raises(InputError, match="expected three"):
        u + (1, 2)
    with pytest.raises(InputError, match="expected"):
        u + 1


def test_vectors_and_transforms_do_not_change():
    u, T = vcoord(1, 2, 3), trotz(0.1)
    for thing, name in ((u, "x"), (T.R, "X"), (T.factors[0], "angle"), (inertia_tensor(1, 2, 3), "X")):
        with pytest.raises(AttributeError):
            setattr(thing, name, 0)
    with pytest.raises(TypeError):
        u[0] = 5
    before = T.matrix.copy()
    T.matrix[0, 0] = 7
    A = np.asarray(T)
    A[:] = 0
    T * tdisp(1, 2, 3)
    assert close(T.matrix, before)


def test_equality_and_hash():
    assert vcoord(1, 2, 3) == vcoord(1.0, 2.0, 3.0) == (1, 2, 3)
    assert vcoord(q, 2, 3) == Matrix([q, 2, 3]) and vcoord(q, 2, 3) != vcoord(l, 2, 3)
    assert len({vcoord(q, 0, 0), vcoord(q, 0, 0), vcoord(l, 0, 0)}) == 2
    T = trotz(q) * tdisp(l, 0, 0)
    assert T == trotz(q) * tdisp(l, 0, 0) and hash(T) == hash(trotz(q) * tdisp(l, 0, 0))
    assert trotz(q) != trotx(q) and T != trotz(q) and trotz(q) != 5
    assert trotz(q).R == trotz(q).R != trotz(l).R


@together(
    "thing",
    [
        vcoord(1.0, 2, q), trotz(q).R, inertia_tensor(1, 2, q), trotz(q) * tdisp(l, 0, 0) * trot((1, 2, 3), 0.4),
        tquat(0, 0, 0, 1) * transform([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (q, 0, 0)),
    ],
    ids=lambda thing: type(thing).__name__,
)  # fmt: skip
def test_pickle_gives_an_equal_thing_of_the_same_type(thing):
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        copy = pickle.loads(pickle.dumps(thing, protocol))
        assert type(copy) is type(thing) and copy == thing and str(copy) == str(thing)


def test_latex():
    assert vcoord(q, 0, l)._repr_latex_() == f"$\\displaystyle {sympy.latex(Matrix([q, 0, l]))}$"
    T = trotz(q) * tdisp(l, 0, 0)
    expected = Matrix([[cos(q), -sin(q), 0, l * cos(q)], [sin(q), cos(q), 0, l * sin(q)], [0, 0, 1, 0], [0, 0, 0, 1]])
    assert T._repr_latex_() == f"$\\displaystyle {sympy.latex(expected)}$"
    assert T.R._repr_latex_() == f"$\\displaystyle {sympy.latex(expected[:3, :3])}$"
    assert "2.5" in inertia_tensor(2.5, 1, 1)._repr_latex_()
    assert Matrix(T) == expected and Matrix(vcoord(q, 0, l)) == Matrix([q, 0, l])


def test_transform_prints_the_product_that_was_written():
    T = trotz(Symbol("q")) * tdisp(0, -1, 0) * trot((1, 1, 0), 0.5)
    written = str(T)
    assert written.startswith("trotz(q) * tdisp(0, -1, 0) * trot((0.7071")
    assert close(eval(written, {"trotz": trotz, "tdisp": tdisp, "trot": trot, "q": 0.3}).matrix,
                 (trotz(0.3) * tdisp(0, -1, 0) * trot((1, 1, 0), 0.5)).matrix)  # fmt: skip


# -- inertia --------------------------------------------------------------------------------------------------------


def cloud(rng, n=8):
    """Points with masses: (masses, positions about their centre), and their tensor about any point."""
    m, p = rng.uniform(0.5, 2, n), rng.normal(size=(n, 3))
    p -= m @ p / m.sum()

    def about(o):
        r = p - o
        return sum(mi * (ri @ ri * np.eye(3) - np.outer(ri, ri)) for mi, ri in zip(m, r, strict=True))

    return m, p, about


def tensor(I):
    return inertia_tensor(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[1, 2], I[0, 2])


def test_elements_of_the_tensor_stand_where_they_are_named():
    expected = np.array([[1, 4, 6], [4, 2, 5], [6, 5, 3]])
    assert close(inertia_tensor(1, 2, 3, 4, 5, 6).matrix, expected)  # Ixy, Iyz, Ixz


def test_moved_inertia_is_that_of_the_points_about_the_other_point(rng):
    m, _, about = cloud(rng)
    for o in rng.normal(size=(4, 3)):
        assert close(tensor(about(np.zeros(3))).moved(m.sum(), o).matrix, about(o), 1e-13)


def test_moved_rod_is_the_closed_form():
    m, L = sympy.symbols("m L", positive=True)
    end = inertia_tensor(0, m * L**2 / 12, m * L**2 / 12).moved(m, (L / 2, 0, 0))
    assert sympy.simplify(Matrix(end.matrix) - sympy.diag(0, m * L**2 / 3, m * L**2 / 3)) == sympy.zeros(3, 3)


def test_rotated_inertia_is_that_of_the_rotated_points(rng):
    m, p, about = cloud(rng)
    R = rotation_sequence("zxy", 0.4, -1.1, 2.2).R
    turned = p @ np.asarray(R).T
    expected = sum(mi * (ri @ ri * np.eye(3) - np.outer(ri, ri)) for mi, ri in zip(m, turned, strict=True))
    found = tensor(about(np.zeros(3))).rotated(R)
    assert close(found.matrix, expected, 1e-13)
    assert close(np.linalg.eigvalsh(found.matrix), np.linalg.eigvalsh(about(np.zeros(3))), 1e-13)


def test_inertia_of_a_composite_body_is_a_sum(rng):
    """Two halves of a cloud, each moved to the common centre, give the whole: sums and sum() keep an inertia."""
    m, p, about = cloud(rng)
    parts = []
    for half in (slice(0, 4), slice(4, 8)):
        mi, pi = m[half], p[half]
        G = mi @ pi / mi.sum()
        r = pi - G
        own = sum(a * (b @ b * np.eye(3) - np.outer(b, b)) for a, b in zip(mi, r, strict=True))
        parts.append(tensor(own).moved(mi.sum(), G))
    for whole in (parts[0] + parts[1], sum(parts)):
        assert close(whole.matrix, about(np.zeros(3)), 1e-13)
        assert close(whole.moved(m.sum(), (1, 2, 3)).matrix, about(np.array([1, 2, 3])), 1e-13)
        assert close(whole.rotated(trotx(0.3).R).matrix, parts[0].rotated(trotx(0.3).R).matrix
                     + parts[1].rotated(trotx(0.3).R).matrix, 1e-13)  # fmt: skip


def test_sums_and_products_with_arrays_are_those_of_arrays(rng):
    A, B, u = rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=3)
    T, v = Tensor.of(A, "A"), vcoord(*u)
    for found, wanted in (
        (T + B, A + B), (B + T, B + A), (T * Tensor.of(B, "B"), A @ B), (2 * T, 2 * A), (T * 3, 3 * A),
        (T * v, A @ u), (T.T * v, A.T @ u), (v + B[0], u + B[0]), (B[0] + v, B[0] + u), (v - B[0], u - B[0]),
        (B[0] - v, B[0] - u), (B @ v, B @ u), (-v, -u), (v / 4, u / 4), (5 * v, 5 * u),
    ):  # fmt: skip
        assert close(found, wanted)


def test_long_products_share_their_left_sides():
    """Thousands of factors: their place, copies of the product, and a product that is longer by one."""
    T = whole = tdisp(0, 0, 0)
    turns = trotz(0)
    for k in range(1500):
        T = T * trotz(0.01 * k) * (tdisp(1, 0, 0) if k % 2 else tdisp(0, 1, 0) * trotz(-0.003))
        whole = Transform(T.factors)
        turns = turns * trotz(0.01 * k) if k % 2 else turns * trotz(0.01 * k - 0.003)
    assert T.factors == whole.factors
    assert T.e == whole.e and T.R == whole.R and close(T.R.matrix, turns.R.matrix, 1e-10)
    for copied in (copy.deepcopy(T), pickle.loads(pickle.dumps(T))):
        assert copied == T and (copied * tdisp(0, 0, 1)).e == (T * tdisp(0, 0, 1)).e


def test_what_left_sides_give_is_found_once():
    """Of products that begin alike; about one axis angles add up across the sides, too."""
    seen, kept = [], {}

    def length(found, right):
        seen.append(right)
        return found + len(right.factors)

    arm = trotz(0.1) * tdisp(1, 0, 0)
    one, other = arm * trotz(0.2), arm * trotx(0.3) * trotx(0.4)
    assert [along(T, kept, 0, length) for T in (one, other)] == [3, 4]
    assert [str(x) for x in seen[:3]] == ["trotz(0.1)", "tdisp(1, 0, 0)", "trotz(0.2)"] and len(seen) == 5
    a, b = sympy.symbols("a b")
    assert (trotz(a) * trotz(b)).R == trotz(a + b).R and (tdisp(1, 0, 0) * trotz(a) * trotz(b)).R == trotz(a + b).R
