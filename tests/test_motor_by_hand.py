"""Kinematics by hand in motors: the velocity motor and the momentum motor of a System, and what check_motion says."""

import numpy as np
import pytest
from mistakes import explained

from easydyn import Force, Model, System, check_motion, cross, t, tdisp, trotx, trotz, vcoord
from easydyn.motor import Motor, inertia_dyad

MASS, TENSOR = 2.0, (0.1, 0.2, 0.3, 0.01, -0.02, 0.03)


def nothing(body, q, qd):
    """The motion is right as it is."""


def arm(spoil=nothing, **options):
    """Two hinges, z and then x, on a column that is driven, by motors of joints (eq. 6); G is 0.5 m out."""

    def compute_motion(time, q, qd, qdd, bodies):
        b = bodies["arm"]
        b.T = trotz(0.3 * time) * tdisp(0, 0, 0.1 * time) * trotz(q[0]) * trotx(q[1]) * tdisp(0, 0.5, 0)
        back, there = trotx(q[1]).R.T, vcoord(0, 0.5, 0)
        about_z, about_x = (Motor.revolute(axis).moved(there) for axis in (back * vcoord(0, 0, 1), (1, 0, 0)))
        column = about_z * (qd[0] + 0.3) + Motor.prismatic(back * vcoord(0, 0, 1)) * 0.1
        own = about_x * qd[1]
        b.velocity = column + own
        b.velocity_rate = about_z * qdd[0] + about_x * qdd[1] + column.cross(own)  # eq. (3)
        spoil(b, q, qd)

    system = System("arm", compute_motion, coordinates="a b", gravity=(0.5, 0, -9.81), initial=(0.1, 0.2), **options)
    system.body("arm", mass=MASS, inertia=TENSOR)
    return system


def model():
    made = Model("arm", gravity=(0.5, 0, -9.81))
    a, b = made.coordinates("a b", initial=(0.1, 0.2))
    T = trotz(0.3 * t) * tdisp(0, 0, 0.1 * t) * trotz(a) * trotx(b) * tdisp(0, 0.5, 0)
    made.body("arm", T, mass=MASS, inertia=TENSOR)
    return made


def with_momentum(factor=1.0):
    def written(b, q, qd):
        b.momentum = inertia_dyad(b.mass, (0, 0, 0), b.inertia) @ b.velocity * factor

    return written


def push(time, bodies):
    bodies["arm"].apply(vcoord(1, 2, 3), bodies["arm"].T * vcoord(0.1, 0, 0))


@pytest.mark.parametrize("spoil", [nothing, with_momentum()])
def test_equations_are_those_of_the_model(spoil, rng):
    ours, theirs = arm(spoil), model().compile("python", "explicit")
    for time, q, qd, qdd in zip(rng.uniform(0, 2, 4), *rng.uniform(-2, 2, (3, 4, 2)), strict=True):
        for name, state in (("residual", (q, qd, qdd)), ("mass_matrix", (q,)), ("accelerations", (q, qd))):
            expected = getattr(theirs, name)(time, *state)
            np.testing.assert_allclose(getattr(ours, name)(time, *state), expected, rtol=0, atol=1e-11)
        np.testing.assert_allclose(ours.energies(time, q, qd, qdd), theirs.energies(time, q, qd, qdd), atol=1e-11)
    assert check_motion(ours) == []


def test_runs_are_those_of_the_model():
    options = {"step": 0.01, "tolerance": 1e-9}
    ours, theirs = arm().simulate(0.05, **options), model().simulate(0.05, target="python", **options)
    np.testing.assert_allclose(ours.q, theirs.q, rtol=0, atol=1e-9)
    assert np.ptp(ours.energy.balance) < 1e-4 * np.ptp(ours.energy.kinetic)


def test_efforts_are_put_on_as_before():
    theirs = model()
    theirs.add(Force(theirs.bodies[0], (1, 2, 3), at=(0.1, 0, 0)))
    state = 0.2, [0.1, 0.3], [0.4, -0.2], [0.1, 0.2]
    expected = theirs.compile("python").residual(*state)
    np.testing.assert_allclose(arm(efforts=push).residual(*state), expected, rtol=0, atol=1e-12)
    assert abs(arm().residual(*state) - expected).max() > 0.1


def test_a_momentum_that_is_wrong_is_in_the_equations_and_is_told():
    wrong = arm(with_momentum(1.1))
    state = 0.2, [0.1, 0.3], [0.4, -0.2], [0.1, 0.2]
    assert abs(wrong.residual(*state) - arm().residual(*state)).max() > 1e-3
    findings = check_motion(wrong)
    assert len(findings) == 6
    assert any("momentum.g (momentum, body axes) is" in x and "the inertia gives" in x for x in findings)
    assert any("momentum.h (angular momentum, body axes)" in x for x in findings)


def wrong_rate(b, q, qd):
    b.velocity_rate = b.velocity_rate - Motor((0, 0, 0), (0, 0.3 * qd[1], 0))


def in_ground_axes(b, q, qd):
    b.velocity = b.velocity.turned(b.T.R)


@pytest.mark.parametrize(("spoil", "part", "count"), [
    (wrong_rate, "component y of velocity_rate.h (rate of velocity.h)", 1),
    (in_ground_axes, "component x of velocity.g (angular velocity, body axes)", 2),
])  # fmt: skip
def test_what_is_wrong_is_named(spoil, part, count):
    findings = check_motion(arm(spoil))
    assert len(findings) >= count and any(part in finding for finding in findings), findings
    assert all("the derivative of T gives" in finding for finding in findings)


def test_bodies_by_motors_stand_beside_bodies_by_vectors():
    """One of each: what was written of one body at an earlier state is not taken for the next."""

    def compute_motion(time, q, qd, qdd, bodies):
        first, second = bodies
        first.T = trotz(q[0]) * tdisp(0, -1, 0)
        joint = Motor.revolute((0, 0, 1)).moved((0, -1, 0))
        first.velocity, first.velocity_rate = joint * qd[0], joint * qdd[0]
        second.T = first.T
        second.omega, second.omegad = vcoord(0, 0, qd[0]), vcoord(0, 0, qdd[0])
        second.vG = cross(second.omega, second.T.e)
        second.aG = cross(second.omegad, second.T.e) + cross(second.omega, second.vG)

    system = System("two", compute_motion, coordinates="q", gravity=(0, -9.81, 0))
    system.body("first", mass=1, inertia=(0, 0, 0.1))
    system.body("second", mass=1, inertia=(0, 0, 0.1))
    assert check_motion(system) == []
    both = system.loaded(0, [0.3], [2.0], [1.0])
    np.testing.assert_allclose(both[0].force_balance(), both[1].force_balance(), rtol=0, atol=1e-13)
    np.testing.assert_allclose(both[0].moment_balance(), both[1].moment_balance(), rtol=0, atol=1e-13)


def test_motors_are_spatial_vectors_in_another_order():
    """Featherstone's: power is a plain scalar product there, spatial inertia a matrix, and products are two."""
    v, f = Motor((1, 2, 3), (4, 5, 6)), Motor((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    assert v.motion_vector == (1, 2, 3, 4, 5, 6) and f.force_vector == (0.4, 0.5, 0.6, 0.1, 0.2, 0.3)
    assert Motor.of_motion_vector(v.motion_vector) == v and Motor.of_force_vector(f.force_vector) == f
    assert np.dot(v.motion_vector, f.force_vector) == pytest.approx(v.dot(f))
    mass, c, J = 2.0, np.array([0.1, -0.2, 0.3]), np.diag([0.4, 0.5, 0.6])

    def skew(u):
        return np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])

    about_origin = J + mass * skew(c) @ skew(c).T
    spatial = np.block([[about_origin, mass * skew(c)], [-mass * skew(c), mass * np.eye(3)]])
    body = inertia_dyad(mass, c.tolist(), about_origin.tolist())
    np.testing.assert_allclose(np.array(body.spatial_matrix), spatial, rtol=0, atol=1e-15)
    np.testing.assert_allclose((body @ v).force_vector, spatial @ v.motion_vector, rtol=0, atol=1e-14)
    w, u = skew(v.g), skew(v.h)
    motions = np.block([[w, np.zeros((3, 3))], [u, w]])
    m = Motor.of_motion_vector((0.3, 0.1, -0.2, 0.7, 0.8, -0.9))
    np.testing.assert_allclose(v.cross(m).motion_vector, motions @ m.motion_vector, rtol=0, atol=1e-14)
    np.testing.assert_allclose(v.cross(f).force_vector, -motions.T @ f.force_vector, rtol=0, atol=1e-14)


def of(**written):
    """A System whose body has what is written, and is asked for its residual."""

    def compute_motion(time, q, qd, qdd, bodies):
        for name, value in written.items():
            setattr(bodies[0], name, value)

    system = System("slider", compute_motion, coordinates="x")
    system.body("block", mass=1, inertia=(0, 0, 0))
    return system.residual(0, [0], [0], [0])


AT_REST = Motor((0, 0, 0), (0, 0, 0))


test_mistake_is_explained = explained(__file__)
