"""Reactions across a cut: Newton and Euler written again, body by body, must find the same."""

import dataclasses
import math
from functools import cached_property

import numpy as np
import pytest
import sympy
from mistakes import Bench, explained
from sympy import cos, sin
from test_pinocchio import ours, pinocchio_model, random_tree

from easydyn import (
    Bushing,
    Cut,
    Damper,
    Force,
    GeneralizedForce,
    Model,
    Moment,
    PlanePoint,
    Spring,
    System,
    Trajectory,
    Transform,
    cross,
    examples,
    ground,
    t,
    tdisp,
    trot,
    trotx,
    troty,
    trotz,
    vcoord,
)

CLOSE = {"rtol": 1e-9, "atol": 1e-9}
EVERYWHERE = [("python", "recursive"), ("numpy", "explicit"), ("native", "recursive"), ("native", "explicit"),
              ("numpy", "motor")]  # fmt: skip


def sliding(**options):
    """A block on a line, with a spring to the ground and a motor that pushes it off the ground."""
    model = Model("block", gravity=(0, -10, 0))
    (x,) = model.coordinates("x", initial=1.5)
    block = model.body("block", tdisp(x, 0, 0), mass=2, inertia=(1, 1, 1))
    model.add(Spring(block, (ground, (0, 3, 0)), stiffness=5, free_length=0.5))
    model.add(Force(block, (4, 0, 0), at=(0, 0.1, 0), reaction=ground))
    return model, model.simulate(0.2, **options)


# -- a spatial arm ----------------------------------------------------------------------------------------------------


def spatial_arm():
    """Turret, slide, shoulder and wrist; full inertia tensors, centres of mass beside the frames, motors in between."""
    model = Model("arm", gravity=(0.5, -1.0, -9.5))
    q = model.coordinates("q1 q2 q3 q4", initial=(0.3, -0.2, -1.2, 0.7), rates=(0.5, -0.4, 0.3, -1))
    (l,) = model.parameters(l=0.8)
    places = [
        tdisp(0, 0, 0.4) * trotz(q[0]),
        trotx(0.3) * tdisp(0.1, q[1], 0.2),
        tdisp(l, 0, 0.1) * troty(q[2]),
        tdisp(0, -0.3, l) * trot((1, 2, -2), q[3]),
    ]
    frames, T = [], tdisp(0, 0, 0)
    for place in places:
        T = T * place
        frames.append(T)
    data = [
        (4.0, (0.3, 0.4, 0.5, 0.02, -0.05, 0.03), (0.01, -0.02, 0.2)),
        (3.0, (0.2, 0.1, 0.2, -0.01, 0.02, 0.01), (0.1, 0.05, -0.1)),
        (2.0, (0.1, 0.2, 0.15, 0.0, 0.03, -0.02), (-0.05, 0.2, 0.1)),
        (1.0, (0.05, 0.04, 0.06, 0.01, 0.0, 0.005), (0.0, 0.1, 0.15)),
    ]
    bodies = [
        model.body(f"link {i + 1}", T, mass=m, inertia=inertia, com=com)
        for i, (T, (m, inertia, com)) in enumerate(zip(frames, data, strict=True))
    ]
    model.add(
        Moment(bodies[0], (0, 0, 5 * sin(3 * t)), reaction=ground),
        Force(bodies[1], (0, 20 - 30 * q[1].dot, 0), frame=bodies[1], at=(0.1, 0, 0.2), reaction=bodies[0]),
        Moment(bodies[2], (0, 8 * cos(t) - q[2].dot, 0), frame=bodies[1], reaction=bodies[1]),
        Force(bodies[3], (1, -2, 3), at=(0.1, 0.2, 0.3)),
        Damper((bodies[3], (0, 0.2, 0)), (bodies[2], (1, 0, 0)), damping=3),
    )
    return model, data


def tensor(Ixx, Iyy, Izz, Ixy, Iyz, Ixz):
    return np.array([[Ixx, Ixy, Ixz], [Ixy, Iyy, Iyz], [Ixz, Iyz, Izz]])


def newton_euler(data, l, q, qd, qdd):
    """Joint forces and moments of the arm at one instant, about the joints' origins, in ground axes.

    Outwards velocities and accelerations, inwards what is needed; gravity and the force on the last link are applied,
    all else passes through the joints.
    """

    def turn(axis, angle):
        u = np.array(axis) / np.linalg.norm(axis)
        U = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
        return np.eye(3) + math.sin(angle) * U + (1 - math.cos(angle)) * U @ U

    X, Y, Z, U = np.eye(3)[0], np.eye(3)[1], np.eye(3)[2], np.array([1, 2, -2]) / 3
    joints = [
        (np.eye(3), [0, 0, 0.4], "turn", Z),
        (turn(X, 0.3), turn(X, 0.3) @ [0.1, 0, 0.2], "slide", Y),
        (np.eye(3), [l, 0, 0.1], "turn", Y),
        (np.eye(3), [0, -0.3, l], "turn", U),
    ]
    R, p = np.eye(3), np.zeros(3)
    w, dw, a = np.zeros(3), np.zeros(3), np.zeros(3)
    motion = []
    for (C, r, kind, axis), x, xd, xdd in zip(joints, q, qd, qdd, strict=True):
        arm = R @ np.array(r)
        a = a + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
        p, R = p + arm, R @ C
        s = R @ axis
        if kind == "turn":
            dw = dw + s * xdd + np.cross(w, s) * xd
            w = w + s * xd
            R = R @ turn(axis, x)
        else:
            arm = s * x
            a = a + np.cross(dw, arm) + np.cross(w, np.cross(w, arm)) + 2 * np.cross(w, s) * xd + s * xdd
            p = p + arm
        motion.append((R, p, w, dw, a))
    g = np.array([0.5, -1.0, -9.5])
    force, moment, before, found = np.zeros(3), np.zeros(3), p, []
    for i in (3, 2, 1, 0):
        R, p, w, dw, a = motion[i]
        m, inertia, com = data[i]
        c = R @ np.array(com)
        J = R @ tensor(*inertia) @ R.T
        F = m * (a + np.cross(dw, c) + np.cross(w, np.cross(w, c)) - g)
        M = J @ dw + np.cross(w, J @ w) + np.cross(c, F)
        if i == 3:
            pushed = np.array([1.0, -2.0, 3.0])
            F, M = F - pushed, M - np.cross(R @ [0.1, 0.2, 0.3], pushed)
        force, moment, before = force + F, moment + np.cross(before - p, force) + M, p
        found.insert(0, (force, moment, R))
    return found


@pytest.fixture(scope="module")
def arm():
    model, data = spatial_arm()
    return model.simulate(0.4, save_every=0.02), data


@pytest.mark.one_in(2)
@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_spatial_arm_agrees_with_newton_and_euler(arm, number):
    run, data = arm
    support = f"link {number - 1}" if number > 1 else "ground"
    force, moment = run.reaction(f"link {number}", support)
    own = run.reaction(f"link {number}", support, frame=f"link {number}")
    assert force.shape == moment.shape == (len(run), 3)
    for k in range(len(run)):
        F, M, R = newton_euler(data, 0.8, run.q[k], run.qd[k], run.qdd[k])[number - 1]
        np.testing.assert_allclose(force[k], F, **CLOSE)
        np.testing.assert_allclose(moment[k], M, **CLOSE)
        np.testing.assert_allclose(own.force[k], R.T @ F, **CLOSE)
        np.testing.assert_allclose(own.moment[k], R.T @ M, **CLOSE)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("target", "scheme"), EVERYWHERE)
def test_reactions_are_the_same_on_every_target_and_scheme(arm, target, scheme):
    run, _ = arm
    model, _ = spatial_arm()
    other = dataclasses.replace(run, source=model.simulate(0.01, target=target, scheme=scheme).source)
    for efforts in (True, False):
        one = run.reaction("link 3", "link 2", at=(0.1, 0, 0), efforts=efforts)
        two = other.reaction("link 3", "link 2", at=(0.1, 0, 0), efforts=efforts)
        np.testing.assert_allclose(two, one, rtol=1e-11, atol=1e-11)


def test_a_bearing_bears_nothing_along_its_own_freedom(arm):
    """d'Alembert's equations are these: what is left there is what the iteration leaves in the accelerations."""
    run, _ = arm
    axes = {2: ("force", 1), 3: ("moment", 1)}
    for number, (which, axis) in axes.items():
        bearing = run.reaction(f"link {number}", f"link {number - 1}", frame=f"link {number}", efforts=False)
        total = run.reaction(f"link {number}", f"link {number - 1}", frame=f"link {number}")
        assert np.abs(getattr(bearing, which)[:, axis]).max() < 2e-3 < 1 < np.abs(getattr(total, which)[:, axis]).max()
    slide, turn = run["q2.dot"], run["q3.dot"]
    total = run.reaction("link 2", "link 1", frame="link 2")
    np.testing.assert_allclose(total.force[:, 1], 20 - 30 * slide, atol=2e-3)
    damped = run.reaction("link 3", "link 2", frame="link 2")
    np.testing.assert_allclose(damped.moment[:, 1], 8 * np.cos(run.t) - turn, atol=2e-3)


def test_cuts_of_an_open_chain_give_the_same(arm):
    """All cuts at once, six components each, with the efforts and without."""
    run, _ = arm
    cuts = [
        Cut(f"link {i}", f"link {i - 1}" if i > 1 else "ground", "Fx Fy Fz Mx My Mz", at=(0.1, 0.2, 0.3)) for i in
        (1, 2, 3, 4)
    ]  # fmt: skip
    for efforts in (True, False):
        for cut, found in zip(cuts, run.reactions(*cuts, efforts=efforts), strict=True):
            one = run.reaction(cut.body, cut.reference, at=cut.at, efforts=efforts)
            np.testing.assert_allclose(found, one, rtol=1e-8, atol=1e-8)


def test_a_saved_run_tells_its_reactions_too(arm, tmp_path):
    run, _ = arm
    again = Trajectory.load(run.save(tmp_path / "arm.npz"), model=spatial_arm()[0])
    np.testing.assert_allclose(again.reaction("link 2", "link 1"), run.reaction("link 2", "link 1"), rtol=1e-12)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_random_trees_agree_with_pinocchio(n, rng):
    """data.f of its recursive Newton-Euler: force and moment through each joint, in the joint's axes."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) has no wheels for Windows")
    tree = random_tree(rng, n)
    run = ours(tree).simulate(0.02, save_every=0.01, initial={f"q{i}": x for i, x in enumerate(rng.uniform(-2, 2, n))})
    model, data, order = pinocchio_model(pin, tree)
    found = {
        i: run.reaction(f"body {i}", f"body {parent}" if parent >= 0 else ground, frame=f"body {i}")
        for i, (parent, *_) in enumerate(tree)
    }
    for k in range(len(run)):
        theirs = [np.empty(n) for _ in range(3)]
        for to, x in zip(theirs, (run.q[k], run.qd[k], run.qdd[k]), strict=True):
            to[order] = x
        pin.rnea(model, data, *theirs)
        for i, (force, moment) in found.items():
            f = data.f[model.getJointId(f"q{i}")]
            np.testing.assert_allclose(force[k], f.linear, **CLOSE)
            np.testing.assert_allclose(moment[k], f.angular, **CLOSE)


# -- the slider-crank -------------------------------------------------------------------------------------------------

PINS = (
    Cut("crank", "ground", "Fx Fy Mz", at=(-0.5, 0, 0)),  # Mz: what the iteration leaves of the equation of motion
    Cut("rod", "crank", "Fx Fy", at=(-1, 0, 0)),
    Cut("slider", "rod", "Fx Fy"),
    Cut("slider", ground, "Fy Mz"),
)


def slider_crank_by_hand(q, qd, qdd, torque):
    """Newton and Euler for crank, rod and slider (table II), from the accelerations derived by hand.

    Forces on the crank from the ground, on the rod from the crank, on the slider from the rod and from the guide; and
    the moment that the crank still needs beside `torque`.
    """
    m1, m2, m3, I1, I2, l1, l2, g = 1, 2, 5, 0.0833, 0.6667, 1, 2, 9.81
    s, c = math.sin(q), math.cos(q)
    sa, ca = l1 * s / l2, math.sqrt(1 - (l1 * s / l2) ** 2)
    ad = l1 * c * qd / (l2 * ca)  # l2 sin(alpha) = l1 sin(q)
    add = (l1 * (c * qdd - s * qd**2) / l2 + sa * ad**2) / ca
    pin = np.array([l1 * (-s * qdd - c * qd**2), l1 * (c * qdd - s * qd**2)])
    along = np.array([pin[0] - l2 * (sa * add + ca * ad**2), 0.0])  # x = l1 cos(q) + l2 cos(alpha)
    a1, a2 = pin / 2, (pin + along) / 2
    up = np.array([0, g])
    rod = np.array([l2 * ca, -l2 * sa])  # from the crank pin to the slider; the rod turns by -alpha
    slider_x = m3 * along[0]  # force of the rod on the slider, along the guide
    # about the crank pin: moment of the slider's reaction and of the rod's weight and inertia
    inertia = m2 * (a2 + up)
    moment = I2 * -add + (rod[0] / 2 * inertia[1] - rod[1] / 2 * inertia[0])
    on_rod_x = -slider_x
    on_rod_y = (moment + rod[1] * on_rod_x) / rod[0]
    crank_pin = inertia - np.array([on_rod_x, on_rod_y])
    base = m1 * (a1 + up) + crank_pin
    arm = np.array([l1 * c, l1 * s]) / 2
    needed = I1 * qdd + (-arm[0] * -base[1] - arm[1] * base[0]) - (arm[0] * -crank_pin[1] - arm[1] * -crank_pin[0])
    return base, crank_pin, np.array([slider_x, -on_rod_y]), m3 * g + on_rod_y, needed - torque


@pytest.mark.parametrize("motor", [False, True])
def test_the_slider_crank_agrees_with_newton_and_euler(motor):
    """Both in one call, over more than a stroke; the motor stops at 2 s, on which the run lands."""
    run = examples.slider_crank(motor).simulate(3, method="newmark", max_step=0.01)
    base, pin, end, guide = run.reactions(*PINS)
    assert (2.0 in run.t) == motor
    for k in {*range(0, len(run), 5), *np.flatnonzero(np.abs(run.t - 2) < 0.02)}:
        torque = 10.0 if motor and run.t[k] <= 2 else 0.0  # the accelerations at 2 s are those before
        expected = slider_crank_by_hand(run.q[k, 0], run.qd[k, 0], run.qdd[k, 0], torque)
        for found, value in zip((base, pin, end), expected, strict=False):
            np.testing.assert_allclose(found.force[k, :2], value, **CLOSE)
        np.testing.assert_allclose(guide.force[k], (0, expected[3], 0), **CLOSE)
        np.testing.assert_allclose(base.moment[k], (0, 0, expected[4]), **CLOSE)
    assert np.abs(base.moment).max() < 1e-3 * np.abs(base.force).max()
    np.testing.assert_allclose(guide.moment, 0, atol=1e-9)


def test_the_slider_crank_without_a_moment_on_its_crank():
    """The cuts of the real mechanism: 8 unknowns in 9 equations, which the motion makes agree."""
    run = examples.slider_crank().simulate(1)
    hinge = Cut("crank", "ground", "Fx Fy", at=(-0.5, 0, 0))
    for found, exact in zip(run.reactions(hinge, *PINS[1:]), run.reactions(*PINS), strict=True):
        np.testing.assert_allclose(found.force, exact.force, rtol=1e-4, atol=1e-4)


@pytest.mark.long
def test_multipliers_of_the_slider_crank():
    """Bodies free in the plane, held together by constraints: their multipliers are the reactions (no q, no qdd)."""
    run = examples.slider_crank().simulate(1.5, tolerance=1e-8)
    crank, rod, slider = (run.frames(name) for name in ("crank", "rod", "slider"))
    M = np.diag([1, 1, 0.0833, 2, 2, 0.6667, 5, 5, 2.0])
    weight = np.array([0, -9.81, 0, 0, -2 * 9.81, 0, 0, -5 * 9.81, 0])
    base, pin, end, guide = run.reactions(*PINS)
    velocity = run.of([f for name in ("crank", "rod", "slider") for f in _rates(run, name)])
    for k in range(0, len(run), 50):
        w1, w2 = velocity[k, 2], velocity[k, 5]
        a, b, c = crank[k, :2, :2] @ [0.5, 0], rod[k, :2, :2] @ [1, 0], slider[k, :2, 3] - rod[k, :2, 3]
        cross_z = lambda u: np.array([-u[1], u[0]])  # noqa: E731
        J = np.zeros((8, 9))
        J[:2, :2], J[:2, 2] = np.eye(2), cross_z(-a)  # the end of the crank at the ground
        J[2:4, 3:5], J[2:4, 5] = np.eye(2), cross_z(-b)  # the end of the rod at that of the crank
        J[2:4, :2], J[2:4, 2] = -np.eye(2), -cross_z(a)
        J[4:6, 6:8], J[4:6, 3:5], J[4:6, 5] = np.eye(2), -np.eye(2), -cross_z(c)
        J[6, 7] = J[7, 8] = 1
        # what the constraints ask of the accelerations: -w^2 r of each arm
        gamma = np.concatenate([-(w1**2) * a, -(w2**2) * b - w1**2 * a, -(w2**2) * c, [0, 0]])
        right = np.concatenate([weight, gamma])
        solved = np.linalg.solve(np.block([[M, -J.T], [J, np.zeros((8, 8))]]), right)[9:]
        ours = np.concatenate([base.force[k, :2], pin.force[k, :2], end.force[k, :2], [guide.force[k, 1], 0]])
        np.testing.assert_allclose(ours, solved, atol=1e-7 * np.abs(solved).max())


def _rates(run, name):
    body = next(b for b in run.source.mechanism.bodies if b.name == name)
    return body.v[0], body.v[1], body.omega[2]


# -- what a cut is ----------------------------------------------------------------------------------------------------


def test_a_driven_frame_pushes_sideways():
    """A ball in a tube that turns at a given rate: 2 m w r' and the weight come from the tube, nothing along it."""
    model = Model("tube", gravity=(0, 0, -9.81))
    (r,) = model.coordinates("r", initial=0.5, rates=-0.2)
    w = 3.0
    model.body("tube", trotz(w * t), mass=1, inertia=(0, 0, 2))
    model.body("ball", trotz(w * t) * tdisp(r, 0, 0), mass=2, inertia=(0, 0, 0))
    run = model.simulate(0.5, save_every=0.05, tolerance=1e-9)
    force, moment = run.reaction("ball", "tube", frame="tube")
    np.testing.assert_allclose(force[:, 0], 0, atol=1e-5)
    np.testing.assert_allclose(force[:, 1], 2 * 2 * w * run["r.dot"], **CLOSE)
    np.testing.assert_allclose(force[:, 2], 2 * 9.81, **CLOSE)
    np.testing.assert_allclose(moment, 0, atol=1e-12)
    drive = run.reaction("tube", "ground")  # the motor that keeps the rate: r times the force on the ball
    np.testing.assert_allclose(drive.moment[:, 2], run["r"] * 2 * 2 * w * run["r.dot"], **CLOSE)
    np.testing.assert_allclose(drive.force[:, 2], 3 * 9.81, **CLOSE)


def test_what_acts_beside_the_bearing():
    """The spring and the motor act between the block and the ground: they pass through the cut, not the bearing."""
    model, run = sliding()
    x = run["x"]
    length = np.hypot(x, 3)
    tension = 5 * (length - 0.5)
    spring = np.column_stack([-tension * x / length, tension * 3 / length, 0 * x])
    weight, inertia = np.array([0, 20.0, 0]), np.column_stack([2 * run["x.ddot"], 0 * x, 0 * x])
    total, bearing = run.reaction("block", ground), run.reaction(model["block"], "ground", efforts=False)
    np.testing.assert_allclose(total.force, inertia + weight, **CLOSE)
    np.testing.assert_allclose(bearing.force, inertia + weight - spring - [4, 0, 0], **CLOSE)
    np.testing.assert_allclose(total.moment, 0, atol=1e-9)
    np.testing.assert_allclose(bearing.moment[:, 2], 4 * 0.1, **CLOSE)  # of the motor, which pushes beside the origin
    one, two = (run.reactions(Cut("block", ground, "Fy Fz Mx My Mz"), efforts=which)[0] for which in (True, False))
    np.testing.assert_allclose(one.force, total.force, atol=1e-5)
    np.testing.assert_allclose(two.force, bearing.force, atol=1e-5)
    np.testing.assert_allclose(two.moment, bearing.moment, **CLOSE)


def test_an_effort_from_outside_is_not_of_the_cut():
    """A force without reaction, and a spring to the ground while the cut is elsewhere, are loads of what is carried."""
    model = Model("two blocks")
    x, y = model.coordinates("x y", initial=(0, 1))
    cart = model.body("cart", tdisp(x, 0, 0), mass=3, inertia=(0, 0, 0))
    rider = model.body("rider", tdisp(x, 0, 0) * tdisp(y, 0.2, 0), mass=2, inertia=(0, 0, 0))
    model.add(Force(rider, (0, -7, 0)), Spring(rider, (ground, (0, 5, 0)), stiffness=10, free_length=0))
    run = model.simulate(0.1)
    for efforts in (True, False):
        force, _ = run.reaction(rider, cart, efforts=efforts)
        np.testing.assert_allclose(force[:, 0], 0, atol=1e-6)
        np.testing.assert_allclose(force[:, 1], 7 - 10 * (5 - 0.2), **CLOSE)


def test_action_and_reaction():
    run = examples.spatial_robot().simulate(0.2)
    for body, reference in (("arm", "base"), ("hand", "arm"), ("base", "ground")):
        there, back = run.reaction(body, reference), run.reaction(reference, body)
        T = run.frames(body) if body != "ground" else np.eye(4)
        U = run.frames(reference) if reference != "ground" else np.broadcast_to(np.eye(4), T.shape)
        np.testing.assert_allclose(back.force, -there.force, **CLOSE)
        moved = there.moment + np.cross(T[:, :3, 3] - U[:, :3, 3], there.force)
        np.testing.assert_allclose(back.moment, -moved, rtol=1e-9, atol=1e-8)


def test_motors_of_the_spatial_robot_across_their_jumps():
    """What drives the slide is all that passes along it, just before the jumps too, where a run lands."""
    run = examples.spatial_robot().simulate(2)
    assert {0.5, 1.5} <= set(run.t)
    force, _ = run.reaction("arm", "base", frame="arm")
    late = np.where(run.t <= 1.5, -2, -1019)
    np.testing.assert_allclose(force[:, 1], np.where(run.t <= 0.5, 36 * run.t + 986, late), atol=1e-4)
    _, moment = run.reaction("hand", "arm", at=(0, -0.05, 0), frame="arm")
    late = np.where(run.t <= 1.5, 49.05, 34.6)
    np.testing.assert_allclose(moment[:, 0], np.where(run.t <= 0.5, 63.5, late), atol=1e-4)


def test_a_jump_at_the_start_is_behind():
    model = Model("pushed")
    (x,) = model.coordinates("x")
    block = model.body("block", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.add(Force(block, (sympy.Piecewise((0, t <= 0), (6, True)), 0, 0)))
    run = model.simulate(0.1)
    np.testing.assert_allclose(run.reaction(block, ground).force, 0, atol=1e-9)


@pytest.mark.parametrize("absolute", [False, True])
def test_angles_from_the_ground_or_from_the_body_before(absolute):
    """However the products are written, the bodies beyond a cut are the same."""
    model = Model("three rods", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(0.3, -0.5, 0.9))
    two, three = (b - a, c - b) if absolute else (b, c)
    hinge = tdisp(0, -1, 0)
    first = trotz(a)
    second = first * hinge * trotz(two)
    third = second * hinge * trotz(three)
    for name, T in (("third", third), ("first", first), ("second", second)):  # in any order
        model.body(name, T * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0.1))
    run = model.simulate(0.1)
    aG = {name: run.of(list(model[name].a)) for name in ("first", "second", "third")}
    hung = {"first": ("first", "second", "third"), "second": ("second", "third"), "third": ("third",)}
    for (name, carried), before in zip(hung.items(), ("ground", "first", "second"), strict=True):
        expected = sum(aG[x] + [0, 9.81, 0] for x in carried)
        np.testing.assert_allclose(run.reaction(name, before).force, expected, **CLOSE)


@pytest.mark.parametrize("unit", [1e-10, 1e10])
def test_bodies_beyond_a_cut_are_found_in_any_unit_of_length(unit):
    model = Model("two rods", gravity=(0, -9.81 * unit, 0))
    a, b = model.coordinates("a b", initial=(0.3, -0.5))
    hinge = trotz(a) * tdisp(0, -unit, 0) * trotz(b - a)
    for name, T in (("second", hinge), ("first", trotz(a))):
        model.body(name, T * tdisp(0, -unit / 2, 0), mass=1, inertia=(0, 0, 0.1 * unit**2))
    run = model.simulate(0.01)
    force = run.of(list(model["second"].a)) + [0, 9.81 * unit, 0]
    np.testing.assert_allclose(run.reaction("second", "first").force, force, rtol=0, atol=1e-7 * unit)


def test_the_point_of_reduction():
    """M(P) = M(O) + (O - P) x F, for a point of numbers, of parameters, of coordinates."""
    model, run = sliding()
    force, moment = run.reaction("block", "ground")
    for at in ((0.3, -0.2, 0.5), (-model.symbols["x"], 0, 0)):
        there = run.reaction("block", "ground", at=at)
        arm = np.column_stack([run.of(sympy.sympify(x)) for x in at])
        np.testing.assert_allclose(there.force, force)
        np.testing.assert_allclose(there.moment, moment - np.cross(arm, force), **CLOSE)


def test_efforts_in_plain_python_are_loads():
    model = Model("pushed", gravity=(0, -10, 0))
    (x,) = model.coordinates("x")
    model.body("block", tdisp(x, 0.5, 0), mass=2, inertia=(0, 0, 0))

    @model.efforts
    def push(t, bodies):
        bodies["block"].R += vcoord(0, 3 * t, 1)
        bodies["block"].MG += vcoord(0, 0, 7)

    with pytest.warns(match="plain Python"):
        run = model.simulate(0.1)
    force, moment = run.reaction("block", "ground")
    np.testing.assert_allclose(force, np.column_stack([0 * run.t, 20 - 3 * run.t, 0 * run.t - 1]), atol=1e-9)
    np.testing.assert_allclose(moment, np.broadcast_to([0, 0, -7], force.shape), atol=1e-9)


def test_a_body_held_by_elements_alone_has_no_bearing():
    """A bushing and a contact with the ground bear all there is; without them nothing is left."""
    model = Model("mount", gravity=(0, -9.81, 0))
    x, y, q = model.coordinates("x y q", initial=(0.1, -0.05, 0.2))
    block = model.body("block", tdisp(x, y, 0) * trotz(q), mass=2, inertia=(0.1, 0.1, 0.1))
    stiff = {"stiffness": (300, 400, 500), "rotational_stiffness": (3, 4, 5)}
    model.add(Bushing(block, ground, **stiff, damping=(1, 2, 3), rotational_damping=(0.1, 0.1, 0.1)))
    model.add(PlanePoint((block, (0.1, -0.1, 0)), (ground, (0, -0.2, 0)), normal=(0, 1, 0), stiffness=1e4, damping=10))
    run = model.simulate(0.2)
    total, bearing = (run.reaction(block, ground, efforts=which) for which in (True, False))
    np.testing.assert_allclose(total.force, 2 * run.of(list(block.aG)) + [0, 2 * 9.81, 0], **CLOSE)
    np.testing.assert_allclose(bearing.force, 0, atol=1e-6)
    np.testing.assert_allclose(bearing.moment, 0, atol=1e-6)


@pytest.mark.long
def test_inputs_and_locks_along_a_run():
    """An input that follows a table pushes off the ground; a lock that opens on the way is held by the reaction."""
    model = Model("pushed", gravity=(0, -9.81, 0))
    x, q = model.coordinates("x q", initial=(0, 0.4))
    u = model.input("u")
    cart = model.body("cart", tdisp(x, 0, 0), mass=3, inertia=(0, 0, 0))
    rod = model.body("rod", tdisp(x, 0, 0) * trotz(q) * tdisp(0, -1, 0), mass=2, inertia=(0, 0, 0.2))
    model.add(Force(cart, (u, 0, 0), reaction=ground))
    model.event(t - 0.3, action=lambda instant: instant.unlock("q"))
    run = model.simulate(0.6, inputs={"u": ([0, 0.2, 0.6], [0, 7, -3])}, locked=["q"])
    total, bearing = (run.reaction(cart, ground, efforts=which) for which in (True, False))
    push = np.interp(run.t, [0, 0.2, 0.6], [0, 7, -3])
    np.testing.assert_allclose(total.force[:, 0], push, atol=1e-4)
    np.testing.assert_allclose(bearing.force[:, 0], 0, atol=1e-4)
    _, moment = run.reaction(rod, cart, at=(0, 1, 0))
    holding = run.locking_force(q)
    assert np.abs(holding[run.t < 0.3]).min() > 1 and not holding[run.t > 0.3001].any()
    np.testing.assert_allclose(moment[:, 2], holding, atol=1e-4)


def test_kinematics_by_hand_tells_its_reactions():
    """The pendulum of System and the same as a Model."""

    def motion(t, q, qd, qdd, bodies):
        b = bodies[0]
        b.T = trotz(q[0]) * tdisp(0, -1.0, 0)
        b.omega, b.omegad = vcoord(0, 0, qd[0]), vcoord(0, 0, qdd[0])
        b.vG = cross(b.omega, b.T.e)
        b.aG = cross(b.omegad, b.T.e) + cross(b.omega, b.vG)

    def push(t, bodies):
        bodies[0].R += vcoord(2, 0, 0)

    written = System("pendulum", motion, coordinates="q", gravity=(0, -9.81, 0), initial=1.0, efforts=push)
    written.body("bob", mass=2, inertia=(0, 0, 0.3))
    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=1)
    bob = model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=2, inertia=(0, 0, 0.3))
    model.add(Force(bob, (2, 0, 0)))
    one, two = (m.simulate(0.5, step=0.01) for m in (written, model))
    np.testing.assert_allclose(one.reaction("bob", "ground"), two.reaction("bob", "ground"), rtol=1e-6, atol=1e-6)
    cut = Cut("bob", "ground", "Fx Fy", at=(0, 1, 0))
    np.testing.assert_allclose(one.reactions(cut), two.reactions(cut), rtol=1e-6, atol=1e-6)


def test_bodies_beyond_the_cut_by_name():
    """What is fixed to the ground carries what it is said to carry."""
    model = Model("post", gravity=(0, -10, 0))
    (q,) = model.coordinates("q", initial=0.5)
    post = model.body("post", tdisp(0, 1, 0), mass=5, inertia=(0, 0, 0))
    bob = model.body("bob", tdisp(0, 2, 0) * trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    run = model.simulate(0.2)
    alone = run.reaction(post, ground, carrying=[post])
    both = run.reaction(post, ground, carrying=["post", bob])
    np.testing.assert_allclose(alone.force, np.broadcast_to([0, 50, 0], alone.force.shape))
    hinge = run.reaction(bob, post, carrying=[bob])
    np.testing.assert_allclose(both.force, hinge.force + [0, 50, 0], **CLOSE)
    np.testing.assert_allclose(run.reaction(bob, ground).force, hinge.force, **CLOSE)


# -- several cuts -----------------------------------------------------------------------------------------------------


def test_a_shaft_on_two_bearings():
    """A disc beside its axis, 0.3 m from one bearing and 0.7 m from the other: levers share weight and unbalance."""
    model = Model("shaft", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", rates=20)
    shaft = model.body("shaft", trotz(q), mass=4, inertia=(0.1, 0.1, 0.2), com=(0.01, 0, 0))
    run = model.simulate(0.5, save_every=0.02, tolerance=1e-8)
    near, far = run.reactions(
        Cut(shaft, "ground", "Fx Fy Fz", at=(0, 0, -0.3)), Cut(shaft, ground, "Fx Fy", at=(0, 0, 0.7))
    )
    load = 4 * (run.of(list(shaft.aG)) + [0, 9.81, 0])
    np.testing.assert_allclose(near.force, load * [0.7, 0.7, 1], atol=1e-5)
    np.testing.assert_allclose(far.force, load * [0.3, 0.3, 0], atol=1e-5)
    assert not near.moment.any() and not far.moment.any()


@pytest.mark.parametrize("angle", [0.4, -2.1])
def test_an_inclined_guide(angle):
    """A block on a slope: normal force m g cos, in the axes of the slope; a rail not through G gives a moment."""
    model = Model("slope", gravity=(0, -9.81, 0))
    (x,) = model.coordinates("x")
    slope = model.body("slope", trotz(angle), mass=0, inertia=(0, 0, 0))
    block = model.body("block", trotz(angle) * tdisp(x, 0.1, 0), mass=3, inertia=(0, 0, 0.02))
    run = model.simulate(0.3, save_every=0.1)
    (guide,) = run.reactions(Cut(block, slope, "Fy Fz Mx My Mz", at=(0.2, -0.1, 0), frame=slope))
    normal = 3 * 9.81 * math.cos(angle)
    np.testing.assert_allclose(guide.force, np.broadcast_to([0, normal, 0], guide.force.shape), atol=1e-6)
    np.testing.assert_allclose(guide.moment, np.broadcast_to([0, 0, -0.2 * normal], guide.force.shape), atol=1e-6)


def test_reference_bodies_need_not_be_balanced():
    """Rod and slider alone: the crank is a support, its own bearing is not asked for."""
    run = examples.slider_crank().simulate(0.5)
    np.testing.assert_allclose(run.reactions(*PINS[1:]), run.reactions(*PINS)[1:], **CLOSE)


# -- what may go wrong ------------------------------------------------------------------------------------------------


class Runs(Bench):
    """Runs in good order."""

    @cached_property
    def crank(self):
        return examples.slider_crank().simulate(0.05)


def turntable():
    model = Model("turntable")
    a, z, w = model.coordinates("a z w", initial=(0.1, 0.2, 0.3))
    model.body("table", trotz(a), mass=1, inertia=(1, 1, 1))
    model.body("lift", trotz(a) * tdisp(0, 0, z), mass=1, inertia=(1, 1, 1))
    model.body("post", trotz(a) * tdisp(1, 0, w), mass=1, inertia=(1, 1, 1))
    return model.simulate(0.01)


def cross_slide():
    """A mass on two bars at right angles, each of which slides on the ground: a loop in two coordinates."""
    model = Model("cross slide")
    x, y = model.coordinates("x y")
    model.body("upright", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.body("level", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.body("mass", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    return model.simulate(0.01)


def pushed(effort):
    model = Model("hinge")
    (q,) = model.coordinates("q", initial=0.3)
    rod = model.body("rod", trotz(q) * tdisp(1, 0, 0), mass=1, inertia=(0, 0, 1))
    model.add(effort(q, rod))
    return model.simulate(0.05)


def welded():
    model = Model("box")
    (x,) = model.coordinates("x")
    model.body("box", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.body("lid", tdisp(x, 0.1, 0), mass=1, inertia=(0, 0, 0))
    return model.simulate(0.01)


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    return Runs(tmp_path_factory.mktemp("runs"))


test_mistake_is_explained = explained(__file__)


def test_an_effort_between_two_other_bodies_is_no_obstacle():
    """A moment with reaction can be told from its bearing, where a generalised force could not."""
    run = pushed(lambda q, rod: Moment(rod, (0, 0, 3), reaction=ground))
    total, bearing = (run.reaction("rod", "ground", at=(-1, 0, 0), efforts=which) for which in (True, False))
    np.testing.assert_allclose(total.moment[:, 2], 3, atol=1e-5)
    np.testing.assert_allclose(bearing.moment[:, 2], 0, atol=1e-5)
    same = pushed(lambda q, rod: GeneralizedForce(q, 3)).reaction("rod", "ground", at=(-1, 0, 0))
    np.testing.assert_allclose(same.moment[:, 2], 3, atol=1e-5)


def test_a_pivot_does_not_carry_what_the_other_joint_of_its_loop_carries():
    """A chain of three links that is pinned to the ground at both ends: each pin by the balance of all bodies."""
    model = Model("four-bar", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(1.2, -0.9, -0.9), rates=(2, 0, 0))
    T, arms = Transform(), []
    for name, q, length in (("crank", a, 0.3), ("rod", b, 0.8), ("rocker", c, 0.6)):
        inertia = (0, 0, 0.1 * length**2)
        arms.append((model.body(name, T * trotz(q) * tdisp(length / 2, 0, 0), mass=1, inertia=inertia), length / 2))
        T = T * trotz(q) * tdisp(length, 0, 0)
    pin = model.close((arms[-1][0], (0.3, 0, 0)), (ground, (0.9, 0, 0)), joint="revolute")
    run = model.simulate(0.5, method="dop853", tolerance=1e-10)
    places = [*zip(arms, (ground, arms[0][0], arms[1][0]), strict=True), ((arms[2][0], -0.3), ground)]
    cuts = run.reactions(*(Cut(body, beside, "Fx Fy", at=(-half, 0, 0)) for (body, half), beside in places))
    size = np.abs(cuts[0].force).max()
    for ((body, half), beside), cut in zip(places[:3], cuts, strict=False):
        one = run.reaction(body, beside, at=(-half, 0, 0))
        np.testing.assert_allclose(one.force, cut.force, atol=1e-9 * size)
        np.testing.assert_allclose(one.moment, 0, atol=1e-9 * size)
    back = run.reaction(ground, arms[0][0])
    np.testing.assert_allclose(back.force, -cuts[0].force, atol=1e-9 * size)
    np.testing.assert_allclose(run.reaction(pin).force[:, :2], -cuts[3].force[:, :2], atol=1e-9 * size)
