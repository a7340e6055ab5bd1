"""How long the equations are: counts that must not grow, because speed and readability follow from them."""

import numpy as np
import pytest
from robots import manutec_r3

from easydyn import Model, Transform, examples, tdisp, trotz


@pytest.fixture(scope="module")
def r3(reference):
    return manutec_r3(reference("r3_robot.json"))


def chain(n):
    """n rods in a plane, relative angles."""
    model = Model("chain", gravity=(0, -9.81, 0))
    q = model.coordinates([f"q{i}" for i in range(n)])
    l, m = model.parameters(l=0.5, m=2.0)
    T = Transform()
    for i in range(n):
        T = T * trotz(q[i])
        model.body(f"rod {i}", T * tdisp(0, -l / 2, 0), mass=m, inertia=(0, 0, m * l**2 / 12))
        T = T * tdisp(0, -l, 0)
    return model


def test_inverse_dynamics_of_the_r3(r3, reference):
    """The published count is 269 and 190; sines and cosines are not counted."""
    count = r3.operations(of="residual")
    published = reference("r3_robot.json")["operation_counts_in_the_paper"]["inverse"]
    assert count["mul"] <= 194 < published["mul_div"] and count["add"] <= 153 < published["add_sub"]
    assert count["trig"] == 10, "the first angle does not enter: gravity is along its axis"


def test_direct_dynamics_of_the_r3(r3, reference):
    """The published count is 727 and 493."""
    count = r3.operations(of="accelerations")
    published = reference("r3_robot.json")["operation_counts_in_the_paper"]["direct"]
    assert count["mul"] <= 388 < published["mul_div"] and count["add"] <= 296 < published["add_sub"]


def test_the_whole_r3_with_its_drives():
    """Six motors, current loops, controllers, gears and frictions on top of the mechanism: as docs/drives.md says."""
    robot = examples.robot_r3()
    residual, accelerations = robot.operations(of="residual"), robot.operations(of="accelerations")
    # 339, 299, 750, 567 as docs/drives.md says; another SymPy orders some sums otherwise, which costs one or two
    assert residual["mul"] <= 342 and residual["add"] <= 302
    assert accelerations["mul"] <= 755 and accelerations["add"] <= 572
    assert residual["trig"] == accelerations["trig"] == 10


def test_short_and_long_equations_of_the_r3_agree(r3, rng):
    short, long = r3.compile(), r3.compile(scheme="explicit")
    q, qd, qdd = rng.normal(size=(3, 50, 6))
    for load in ({}, {"mL": 0, "rL1": 0, "rL2": 0, "rL3": 0}):
        f = long.residual(0, q, qd, qdd, parameters=load)
        assert np.abs(short.residual(0, q, qd, qdd, parameters=load) - f).max() < 1e-12 * np.abs(f).max()
        M = long.mass_matrix(0, q, parameters=load)
        assert np.abs(short.mass_matrix(0, q, parameters=load) - M).max() < 1e-13 * np.abs(M).max()


def test_the_program_of_accelerations_gives_the_accelerations(r3, rng):
    """The counted straight-line program, L D L^T included, against a linear solve."""
    system = r3.compile()
    q, qd = rng.normal(size=(2, 6))
    evaluate, constants = system.function("accelerations", "python")
    counted = evaluate(0.0, q.tolist(), qd.tolist(), [0.0] * 6, constants)
    assert np.allclose(counted, system.accelerations(0, q, qd), rtol=1e-10)


def test_a_chain_grows_linearly():
    ten, hundred = (chain(n).operations() for n in (10, 100))
    total = [count["mul"] + count["add"] for count in (ten, hundred)]
    assert total[0] <= 259 and total[1] <= 2869
    assert total[1] <= 10.6 * 285


def test_work_on_parameters_alone_is_not_repeated():
    count = chain(1).operations()
    assert count == {"mul": 2, "add": 1, "trig": 1, "other": 0}, "J qdd + (m g l/2) sin q"
