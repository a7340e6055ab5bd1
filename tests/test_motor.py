"""Motor calculus: its laws, of numbers, SymPy expressions and nodes of the engine, and the equations of one body."""

from math import isclose

import numpy as np
import pytest
import sympy
from mistakes import explained

import easydyn
from easydyn import inertia_tensor, tdisp, trotx, troty, trotz, vcoord
from easydyn.engine.graph import Graph
from easydyn.engine.program import Program
from easydyn.engine.targets import functions_on
from easydyn.motor import Dyad, Motor, inertia_dyad
from easydyn.vec import axial, vector

R = (trotz(0.7) * trotx(-0.4) * troty(1.1)).R
r = vcoord(0.3, -1.2, 0.8)


def motors(count=3):
    """Motors of drawn numbers."""
    drawn = np.random.default_rng(1).normal(size=(count, 6)).tolist()
    return [Motor(x[:3], x[3:]) for x in drawn]


def six(a):
    return np.array([*a.g, *a.h], dtype=float)


def matrix(T):
    """Its 6x6 numbers."""
    return np.block([[T.T11.matrix, T.T12.matrix], [T.T21.matrix, T.T22.matrix]])


def a_dyad():
    drawn = np.random.default_rng(2).normal(size=(4, 3, 3)).tolist()
    return Dyad(*drawn)


def body():
    com = (0.1, -0.2, 0.3)
    return inertia_dyad(2.5, com, inertia_tensor(0.4, 0.5, 0.6, 0.01, 0.02, -0.03).moved(2.5, com))


@pytest.mark.parametrize("seen", [lambda a: a.moved(r), lambda a: a.turned(R), lambda a: a.turned(R).moved(r)])
def test_products_do_not_depend_on_point_and_axes(seen):
    a, b, _ = motors()
    T = a_dyad()
    assert seen(a).dot(seen(b)) == pytest.approx(a.dot(b), abs=1e-13)
    assert six(seen(a).cross(seen(b))) == pytest.approx(six(seen(a.cross(b))), abs=1e-13)
    assert six(seen(T) @ seen(a)) == pytest.approx(six(seen(T @ a)), abs=1e-13)
    assert matrix(seen(T @ T)) == pytest.approx(matrix(seen(T) @ seen(T)), abs=1e-12)


def test_a_motor_over_a_number():
    a = easydyn.motor.Motor((1, 2, 3), (4, 5, 6))
    assert a / 2 == a * 0.5 and (a / 3).g == vcoord(1 / 3, 2 / 3, 1)


def test_a_motor_is_moved_there_and_back():
    a, _, _ = motors()
    T = a_dyad()
    assert six(a.moved(r).moved(-r)) == pytest.approx(six(a), abs=1e-14)
    assert matrix(T.moved(r).moved(-r)) == pytest.approx(matrix(T), abs=1e-13)
    assert six(a.moved(r)) != pytest.approx(six(a), abs=0.1)


def test_motors_are_a_lie_algebra():
    a, b, c = (Motor(sympy.symbols(f"g{n}:3"), sympy.symbols(f"h{n}:3")) for n in "abc")
    jacobi = a.cross(b.cross(c)) + b.cross(c.cross(a)) + c.cross(a.cross(b))
    assert all(sympy.expand(x) == 0 for x in (*jacobi.g, *jacobi.h))
    both = a.cross(b) + b.cross(a)
    assert all(sympy.expand(x) == 0 for x in (*both.g, *both.h))
    assert sympy.expand(a.cross(b).dot(c) - a.dot(b.cross(c))) == 0
    assert sympy.expand(a.dot(a.cross(b))) == 0


def test_linear_in_all():
    a, b, c = motors()
    T = a_dyad()
    assert six(T @ (a * 2 + b)) == pytest.approx(six(2 * (T @ a) + T @ b), abs=1e-13)
    assert six((T * 3 - T) @ a) == pytest.approx(six(2.0 * T @ a), abs=1e-13)
    assert six((T @ T) @ a) == pytest.approx(six(T @ (T @ a)), abs=1e-13)
    assert six(sum([a, b, c]) - c) == pytest.approx(six(np.float64(1) * a + b), abs=1e-14)
    assert Dyad.unit() @ a == a
    assert six(a.operator @ b) == pytest.approx(six(a.cross(b)), abs=1e-14)
    assert sympy.Symbol("x") * a == a * sympy.Symbol("x")


def test_nodes_of_the_engine_give_the_same_terms():
    """One formula, any scalar: a program of all operations, evaluated at numbers, and the operations on these numbers.

    With numbers as nodes all of them fold to numbers, and nothing is left to be evaluated.
    """

    def formula(a, b):
        M = body()
        seen = M.moved(r).turned(R)
        f = M @ a + a.cross(M @ b) - 2 * b.turned(R).moved(r) + (-a) * a.dot(b)
        f = f + (M.rate(a) @ b + (M + seen * 3 - M @ seen) @ a + a.operator @ b)
        return [*f.g, *f.h, f.dot(b), Motor.revolute(a.g).dot(b) + Motor.prismatic(a.h).dot(b)]

    g = Graph()
    q = [g.input("q", j) for j in range(12)]
    outputs = formula(Motor(q[:3], q[3:6]), Motor(q[6:9], q[9:]))
    assert all(x.graph is g and not x.fixed for x in outputs)
    prologue, evaluate = functions_on(Program("motors", outputs), "python")
    for a, b in (motors()[:2], motors()[1:]):
        numbers = [float(x) for c in (a, b) for x in (*c.g, *c.h)]
        expected = formula(a, b)
        found = evaluate(0.0, numbers, [0.0], [0.0], prologue([]))
        assert found == pytest.approx(expected, rel=1e-13, abs=1e-13) and len(set(np.round(found, 9))) == 8
        constants = [Motor(*(tuple(map(g.constant, half)) for half in (c.g, c.h))) for c in (a, b)]
        assert [x.value for x in formula(*constants)] == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_a_screw_has_an_axis_where_the_moment_is_along_the_resultant():
    """The line r_n of section 2: the velocity of a screw is along its axis there."""
    a, _, _ = motors()
    point = a.g.cross(a.h) / a.g.dot(a.g)
    assert six(a.moved(point))[3:] == pytest.approx(np.array(a.g) * (a.g.dot(a.h) / a.g.dot(a.g)), abs=1e-14)


def test_energy_and_momentum_of_a_body():
    """Eq. (4) beside the sums over points: four points with the same mass, first moments and inertia."""
    masses = (0.5, 1.0, 0.7, 0.3)
    points = [vcoord(*x) for x in ((1, 0, 0), (0, 1, 0.5), (-0.3, 0.2, 1), (0.4, -1, 0.1))]
    m = sum(masses)
    com = sum((x * w for w, x in zip(masses, points, strict=True)), vcoord(0, 0, 0)) / m
    about_origin = sum(inertia_tensor(0, 0, 0).moved(w, x) for w, x in zip(masses, points, strict=True))
    M = inertia_dyad(m, com, about_origin)
    v, _, _ = motors()
    velocities = [v.moved(x).h for x in points]  # eq. (1)
    p = M @ v
    momentum = sum((u * w for w, u in zip(masses, velocities, strict=True)), vcoord(0, 0, 0))
    spin = sum((x.cross(u) * w for w, x, u in zip(masses, points, velocities, strict=True)), vcoord(0, 0, 0))
    assert six(p) == pytest.approx([*momentum, *spin], abs=1e-13)
    of_points = sum(w * u.dot(u) / 2 for w, u in zip(masses, velocities, strict=True))
    assert v.dot(p) / 2 == pytest.approx(of_points, rel=1e-12)
    about_r = sum(inertia_tensor(0, 0, 0).moved(w, x - r) for w, x in zip(masses, points, strict=True))
    moved = inertia_dyad(m, com - r, about_r)
    assert matrix(M.moved(r)) == pytest.approx(matrix(moved), abs=1e-13)


@pytest.mark.long
def test_newton_and_euler_are_one_equation():
    """p' + v x p = f, eq. (5), in body axes, beside the laws about the centre of mass, for any motion of a body."""
    t = sympy.Symbol("t")
    T = trotz(t**2) * tdisp(sympy.sin(t), 1 + t, t**3) * trotx(2 * t) * troty(-t)
    mass, com, about_com = 2.5, vcoord(0.1, -0.2, 0.3), inertia_tensor(0.4, 0.5, 0.6, 0.01, 0.02, -0.03)
    rate = lambda x: sympy.diff(x, t)  # noqa: E731
    number = lambda u: u.map(lambda x: float(sympy.sympify(x).subs(t, 0.37)))  # noqa: E731
    back, omega = T.R.T, axial(T.R.T * T.R.map(rate))
    v = Motor(omega, back * T.e.map(rate))
    p = inertia_dyad(mass, com, about_com.moved(mass, com)) @ v
    f = p.map(rate) + v.cross(p)
    aG, w, alpha = number(back * (T * tdisp(*com)).e.map(rate).map(rate)), number(omega), number(omega.map(rate))
    expected = Motor(aG * mass, about_com * alpha + w.cross(about_com * w)).moved(-com)
    assert six(Motor(number(f.g), number(f.h))) == pytest.approx(six(expected), rel=1e-11)
    power = float(f.dot(v).subs(t, 0.37))  # P = (f, v), section 2.2, is the rate of T = (v, p)/2
    T = v.dot(inertia_dyad(mass, com, about_com.moved(mass, com)) @ v) / 2
    assert power == pytest.approx(float(rate(T).subs(t, 0.37)), rel=1e-11) and abs(power) > 1


def test_a_joint_does_work_along_its_own_motor():
    """Eq. (6) and P = (f, v_r): of any force motor the moment about the axis, or the force along it, counts alone."""
    f, _, _ = motors()
    axis = r / r.norm()
    assert (Motor.revolute(axis) * 3.0).dot(f) == pytest.approx(3 * f.h.dot(axis), rel=1e-14)
    assert (Motor.prismatic(axis) * 3.0).dot(f) == pytest.approx(3 * f.g.dot(axis), rel=1e-14)
    about_z, there = Motor.revolute((0, 0, 1)), vcoord(0.5, 0.2, 0)  # a point beyond a hinge moves across the arm
    assert six(about_z.moved(there)) == pytest.approx([0, 0, 1, -0.2, 0.5, 0], rel=1e-12)
    other = Motor.revolute((0, 0, 1)).moved(-there)  # two parallel hinges against each other: a displacement
    assert six(about_z - other) == pytest.approx(six(Motor.prismatic((-0.2, 0.5, 0))), rel=1e-12)


def test_rate_of_a_dyad_in_a_moving_frame():
    """Beside the difference of the dyad as two frames see it, a little before and a little later."""
    v, _, _ = motors()
    M = body()

    def seen(time):
        w = v.g * time
        angle = w.norm() if time > 0 else -w.norm()
        turn = easydyn.trot(v.g, angle).R
        return M.turned(turn).moved(-(v.h * time))

    step = 1e-4
    difference = (matrix(seen(step)) - matrix(seen(-step))) / (2 * step)
    assert matrix(M.rate(v)) == pytest.approx(difference, abs=1e-6)


def test_numbers_of_many_states_at_once():
    many = np.linspace(0, 1, 4)
    a = Motor((many, 0 * many, 2 * many), (1, many, 0))
    one = Motor((many[2], 0, 2 * many[2]), (1, many[2], 0))
    assert a.dot(a)[2] == one.dot(one)


def test_the_room_is_loaded_when_it_is_asked_for():
    assert easydyn.motor.Motor is Motor


def test_axis_and_pitch_are_those_of_the_screw(rng):
    """About its axis a motor has its moment along the axis; a wrench and a twist of known line and pitch come back."""
    for _ in range(10):
        point, g, pitch = rng.normal(size=3), vector(rng.normal(size=3)), rng.normal()
        a = Motor(g, g * pitch).moved(-point)
        r, e = a.axis()
        assert np.allclose(a.moved(r).h, a.pitch * a.g, atol=1e-13) and isclose(a.pitch, pitch, abs_tol=1e-13)
        assert np.allclose(e, g / g.norm(), atol=1e-14) and np.allclose(np.cross(point - np.array(r), e), 0, atol=1e-13)
        assert abs(np.dot(r, e)) < 1e-13


test_mistake_is_explained = explained(__file__)
