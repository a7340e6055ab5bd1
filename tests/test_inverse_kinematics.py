"""Jacobians of frames, and coordinates with which frames stand where they should.

Beside differences, Pinocchio, chains of matrices multiplied here, and the closed form of a six-axis arm.
"""

import runpy
from itertools import product
from math import pi
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from mistakes import explained
from together import together

from easydyn import GeneralizedForce, Model, examples, t, tdisp, trotx, troty, trotz
from easydyn.analysis.inverse_kinematics import Search, _rotation_vector
from easydyn.errors import InputError

SEVEN = [  # roll, pitch, yaw (right angles), and position (m) of each joint in the frame before
    ((0, 0, 0), (0, 0, 0.1575)), ((1, 0, 2), (0, 0, 0.2025)), ((1, 0, 2), (0, 0.2045, 0)), ((1, 0, 0), (0, 0, 0.2155)),
    ((-1, 2, 0), (0, 0.1845, 0)), ((1, 0, 0), (0, 0, 0.2155)), ((-1, 2, 0), (0, 0.081, 0)),
]  # fmt: skip
SIX = [(0.67183, 0, 1), (0, 0.4318, 0), (0.15005, 0.0203, -1), (0.4318, 0, 1), (0, 0, -1), (0, 0, 0)]  # d, a, alpha
THREE = (1, 0.8, 0.5)


def turn(axis, angle):
    i, j = ((1, 2), (2, 0), (0, 1))[axis]
    T = np.eye(4)
    T[[i, j], [i, j]], T[i, j], T[j, i] = np.cos(angle), -np.sin(angle), np.sin(angle)
    return T


def shift(*e):
    T = np.eye(4)
    T[:3, 3] = e
    return T


def links_of(name):
    """Of each joint the constant matrix before its turn about z, and behind it; in numbers and as transforms."""
    right = pi / 2
    if name == "seven":
        return [
            (shift(*e) @ turn(2, right * c) @ turn(1, right * b) @ turn(0, right * a), np.eye(4),
             tdisp(*e) * trotz(right * c) * troty(right * b) * trotx(right * a), tdisp(0, 0, 0))
            for (a, b, c), e in SEVEN
        ]  # fmt: skip
    if name == "six":
        return [(np.eye(4), shift(a, 0, d) @ turn(0, right * x), tdisp(0, 0, 0), tdisp(a, 0, d) * trotx(right * x))
                for d, a, x in SIX]  # fmt: skip
    return [(np.eye(4), shift(a, 0, 0), tdisp(0, 0, 0), tdisp(a, 0, 0)) for a in THREE]


@pytest.fixture(scope="module")
def arms():
    found = {}
    for name in ("seven", "six", "planar"):
        model, T = Model(name), tdisp(0, 0, 0)
        links = links_of(name)
        for k, q in enumerate(model.coordinates([f"q{k + 1}" for k in range(len(links))])):
            T = T * links[k][2] * trotz(q) * links[k][3]
            hand = model.body(f"link {k + 1}", T, mass=1, inertia=(1, 1, 1))
        found[name] = model, hand
    return found


def placed(name, q):
    T = np.eye(4)
    for (before, behind, *_), angle in zip(links_of(name), q, strict=True):
        T = T @ before @ turn(2, angle) @ behind
    return T


# -- Jacobians ---------------------------------------------------------------------------------------------------------


def by_differences(of, q, h=1e-5):
    """J of v and omega by differences of the matrices."""
    R, columns = of(q)[:3, :3], []
    for j in range(len(q)):
        step = h * np.eye(len(q))[j]
        slope = (8 * (of(q + step) - of(q - step)) - (of(q + 2 * step) - of(q - 2 * step))) / (12 * h)
        W = slope[:3, :3] @ R.T
        columns.append([*slope[:3, 3], W[2, 1], W[0, 2], W[1, 0]])
    return np.array(columns).T


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ("seven", "six", "planar"))
def test_jacobians_are_differences_of_frames(name, arms, rng):
    model, hand = arms[name]
    n = len(links_of(name))
    Q, point = rng.uniform(-3, 3, (4, n)), (0.1, -0.2, 0.3)
    system = model.compile()
    ground, own = (system.frame_jacobian(hand, 0, Q, at=point, axes=axes) for axes in (None, hand))
    for q, J, K in zip(Q, ground, own, strict=True):
        assert J == pytest.approx(by_differences(lambda x: placed(name, x) @ shift(*point), q), abs=1e-10)
        R = placed(name, q)[:3, :3]
        assert np.abs(np.concatenate([R @ K[:3], R @ K[3:]]) - J).max() < 1e-14
    if name != "planar":  # long formulas
        return
    for axes, expected in ((None, ground), (hand, own), (tdisp(1, 2, 3) * trotx(0.3), None)):
        shown = system.evaluate(list(model.jacobian(hand, point, axes=axes)), 0, Q, Q, Q).reshape(4, 6, n)
        expected = system.frame_jacobian(hand, 0, Q, at=point, axes=axes) if expected is None else expected
        assert np.abs(shown - expected).max() < 1e-13


def test_jacobians_of_an_arm_are_those_of_pinocchio(arms, rng):
    pin = pytest.importorskip("pinocchio")
    other = pin.Model()
    for k, (before, *_) in enumerate(links_of("seven")):
        other.addJoint(k, pin.JointModelRZ(), pin.SE3(before), f"q{k}")
    model, hand = arms["seven"]
    data, system = other.createData(), model.compile()
    for q in rng.uniform(-3, 3, (5, 7)):
        J = pin.computeJointJacobians(other, data, q)
        J = pin.getJointJacobian(other, data, 7, pin.LOCAL_WORLD_ALIGNED)
        assert np.abs(system.frame_jacobian(hand, 0, q) - J).max() < 1e-14
        J = pin.getJointJacobian(other, data, 7, pin.LOCAL)
        assert np.abs(system.frame_jacobian(hand, 0, q, axes=hand) - J).max() < 1e-14


def test_velocities_follow_from_jacobians_of_driven_frames_with_states():
    model = Model("turntable with a state")
    q, r = model.coordinates("q r")
    (p,) = model.states("p")
    from easydyn import t

    arm = model.body("arm", trotz(2 * t + p) * tdisp(r, 0, 0) * troty(q), mass=1, inertia=(1, 1, 1))
    model.equation(p.dot + p)
    J = model.compile().frame_jacobian(arm, 0.3, [0.4, 0.5, 0], [0, 0, 0.7])
    turned = 2 * 0.3 + 0.7
    assert J[:, 0] == pytest.approx([0, 0, 0, -np.sin(turned), np.cos(turned), 0], abs=1e-15)
    assert J[:, 1] == pytest.approx([np.cos(turned), np.sin(turned), 0, 0, 0, 0], abs=1e-15)


# -- one pose ----------------------------------------------------------------------------------------------------------


def six_axis_solutions(T):
    """All eight ways of the six-axis arm to reach a pose: shoulder, elbow, wrist."""
    (d1, _, _), (_, a2, _), (d3, a3, _), (d4, _, _) = SIX[:4]
    x, y, z = T[:3, 3] - (0, 0, d1)
    around = np.arcsin(d3 / np.hypot(x, y))
    for q1, elbow, wrist in product((around, pi - around), (1, -1), (1, -1)):
        q1 = q1 + np.arctan2(y, x)
        X = x * np.cos(q1) + y * np.sin(q1)
        K = (X**2 + z**2 - a2**2 - a3**2 - d4**2) / (2 * a2)
        q3 = -np.arctan2(d4, a3) + elbow * np.arccos(np.clip(K / np.hypot(a3, d4), -1, 1))
        u, v = a2 + a3 * np.cos(q3) - d4 * np.sin(q3), a3 * np.sin(q3) + d4 * np.cos(q3)
        q2 = np.arctan2(z, X) - np.arctan2(v, u)
        R = (np.linalg.inv(placed("six", (q1, q2, q3, 0, 0, 0)) ) @ T)[:3, :3]  # = Rz(q4) Ry(-q5) Rz(q6)
        b = wrist * np.arctan2(np.hypot(R[0, 2], R[1, 2]), R[2, 2])
        q4, q6 = np.arctan2(wrist * R[1, 2], wrist * R[0, 2]), np.arctan2(wrist * R[2, 1], -wrist * R[2, 0])
        yield np.array([q1, q2, q3, q4, -b, q6])


def reached(arms, name, count, seed=3):
    """How many of random poses are reached from the home position, and the least distance from a closed form."""
    model, hand = arms[name]
    Q = np.random.default_rng(seed).uniform(-pi, pi, (count, len(links_of(name))))
    good = []
    for q in Q:
        T = placed(name, q)
        found = model.inverse_kinematics({hand: T})
        lack = placed(name, found.q) - T
        good.append(found.reached and np.abs(lack).max() < 1e-9)
        if name == "six" and found.reached:
            ways = np.array(list(six_axis_solutions(T))) - found.q
            away = np.abs(ways - 2 * pi * np.round(ways / (2 * pi))).max(axis=1).min()
            weakest = np.linalg.svd(model.compile().frame_jacobian(hand, 0, found.q))[1][-1]
            assert away * weakest < 1e-9, q  # two ways meet where it is zero
    return sum(good)


@pytest.mark.parametrize("name", ("seven", "six", "planar"))
def test_random_poses_are_reached_from_home(name, arms):
    assert reached(arms, name, 60) == 60


@pytest.mark.long
@pytest.mark.parametrize("name", ("seven", "six", "planar"))
def test_a_thousand_poses_are_reached_from_home(name, arms):
    assert reached(arms, name, 1000, seed=4) >= 995


def test_the_result_is_where_a_run_begins(arms):
    model, hand = arms["seven"]
    target = placed("seven", np.linspace(0.2, 0.8, 7))
    found = model.inverse_kinematics({"link 7": target}, hold=["q1"], initial={"q1": 0.4})
    assert found.reached and found["q1"] == 0.4 and set(found) == {f"q{k}" for k in range(1, 8)}
    run = model.simulate(0.01, initial=found)
    assert run.frames(hand)[0] == pytest.approx(target, abs=1e-12)
    assert "reached" in repr(found) and "q7" in repr(found)


def test_limits_hold_and_are_named(arms):
    model, _ = arms["planar"]
    tip = {"link 3": (0.4, 1.9, 0.0)}
    free = model.inverse_kinematics(tip)
    limits = {"q1": (-1, 1), "q2": (-0.3, 2)}
    bounded = model.inverse_kinematics(tip, limits=limits)
    assert free.reached and bounded.reached and all(a <= bounded[x] <= b for x, (a, b) in limits.items())
    tight = model.inverse_kinematics(tip, limits={"q1": (-0.1, 0.1), "q2": (-0.1, 0.1)})
    # the best with two joints at their limits is the third turned towards the target
    elbow = np.array([np.cos(0.1) + 0.8 * np.cos(0.2), np.sin(0.1) + 0.8 * np.sin(0.2)])
    away = np.hypot(*(np.array((0.4, 1.9)) - elbow))
    assert not tight.reached and tight.missed[0] == pytest.approx(away - 0.5, abs=1e-9)
    assert "q1 is at its limit 0.1; q2 is at its limit 0.1" in tight.message


@together("low, high", [(-np.inf, np.inf), (0.0, np.inf), (-1e3, np.inf), (-np.inf, 0.0), (-np.inf, -2.0)])
def test_limits_may_be_infinite(arms, low, high):
    """The elbow bends either way; beyond half a turn in the last case, and back by whole turns for the other joints."""
    model, _ = arms["planar"]
    found = model.inverse_kinematics({"link 3": (0.4, 1.9, 0.0)}, limits={"q2": (low, high)})
    assert found.reached and low <= found["q2"] <= high
    assert max(abs(found["q1"]), abs(found["q3"])) < np.pi + 1e-9 and abs(found["q2"]) < 2 * np.pi
    assert low > -np.inf or high < np.inf or dict(found) == dict(model.inverse_kinematics({"link 3": (0.4, 1.9, 0.0)}))


@together("pair", [(np.inf, np.inf), (-np.inf, -np.inf), (np.nan, 1.0), (np.inf, -np.inf)])
def test_limits_between_which_there_is_nothing_are_refused(arms, pair):
    with pytest.raises(InputError, match="limits has 'q2'.*: expected a pair"):
        arms["planar"][0].inverse_kinematics({"link 3": (0.4, 1.9, 0.0)}, limits={"q2": pair})


def test_all_joints_at_their_limits_are_all_that_is_named():
    """Of an arm of 2 mm, too: both turn as far as they may, and no direction is lost there."""
    arm, T = Model("arm"), tdisp(0, 0, 0)
    for q, length in zip(arm.coordinates("a b"), (1e-3, 8e-4), strict=True):
        T = T * trotz(q) * tdisp(length, 0, 0)
        arm.body(f"link {q}", T, mass=1, inertia=(0, 0, 1))
    held = arm.inverse_kinematics({"link b": (0, 1e-3, 0)}, limits={"a": (-0.1, 0.1), "b": (-0.2, 0.2)})
    assert [held["a"], held["b"]] == [0.1, 0.2] and held.message.count("limit") == 2 and "cannot" not in held.message


def test_rotation_vectors_are_those_of_scipy(rng):
    """Small angles, angles near half a turn, and half a turn, whose two ways are one."""
    from scipy.spatial.transform import Rotation  # a benchmark imports this file, and needs none

    for angle in (0, 1e-13, 1e-7, 0.3, 2, np.pi - 1e-5, np.pi - 1e-9, np.pi):
        for axis in (*np.eye(3), *-np.eye(3), *rng.normal(size=(5, 3))):
            R = Rotation.from_rotvec(angle * axis / np.linalg.norm(axis)).as_matrix()
            found, exact = _rotation_vector(R), Rotation.from_matrix(R).as_rotvec()
            near = min((1, -1) if angle > 3.14159265 else (1,), key=lambda s: np.linalg.norm(found - s * exact))
            np.testing.assert_allclose(found, near * exact, rtol=0, atol=1e-8 if angle > 3.141 else 1e-14)


def test_starts_are_everywhere():
    """A cam of many humps: only the highest reaches the target, half a turn away."""
    model = Model("cam")
    q = model.coordinate("q", initial=2.5)
    model.body("cam", tdisp(sympy.cos(q) + 0.8 * sympy.cos(15 * q), 0, 0), mass=1, inertia=(0, 0, 1))
    assert model.inverse_kinematics({"cam": (1.784, 0, 0)}).reached
    at = SimpleNamespace(angles=np.array([True, False]))
    for low, high in ((-np.inf, np.inf), (-np.inf, 23.0), (18.0, np.inf)):
        search = SimpleNamespace(limits=np.array([[low] * 2, [high] * 2]), at=at, size=3.0, n=2)
        x = np.array([*Search._starts(search, np.array([20.0, 20.0]), 0, 400)])[2:]
        width, middle = np.array([2 * np.pi, 6.0]), 20.0
        begin = np.maximum(low, np.minimum(middle + width / 2, high) - width)
        assert (begin <= x.min(axis=0)).all() and (x.max(axis=0) <= begin + width).all()
        assert (np.ptp(x, axis=0) > 0.97 * width).all()


def test_out_of_reach_the_direction_is_named(arms):
    model, _ = arms["planar"]
    far = model.inverse_kinematics({"link 3": (3, 4, 0)})
    assert far.missed[0] == pytest.approx(5 - sum(THREE), abs=1e-9)
    assert "link 3 cannot move along (0.6, 0.8, 0) there" in far.message
    above = model.inverse_kinematics({"link 3": (1, 1, 0.25)})
    assert above.missed[0] == pytest.approx(0.25, abs=1e-9) and "cannot move along (0, 0, 1)" in above.message
    turned = model.inverse_kinematics({"link 3": shift(1, 1, 0) @ turn(0, 0.3)})
    assert turned.missed[1] == pytest.approx(0.3, abs=1e-6) and "cannot turn about (1, 0, 0)" in turned.message


def test_weights_share_what_cannot_be_reached(arms):
    model, _ = arms["planar"]
    ends = {"link 1": (1.5, 0, 0), "link 2": (0, 2.5, 0)}
    first, second = (
        model.inverse_kinematics(ends, weights={"link 1": w, "link 2": 1 / w}, initial={"q1": 0.5, "q2": 0.5})
        for w in (30, 1 / 30)
    )
    assert abs(first["q1"]) < 0.01 and second["q1"] == pytest.approx(pi / 2, abs=0.01)


# -- paths, several frames, loops --------------------------------------------------------------------------------------


def test_a_path_goes_on_and_tells_of_jumps(arms):
    model, hand = arms["seven"]
    s = np.linspace(0, 1, 40)
    Q = 0.5 + np.outer(np.sin(s), np.linspace(0.2, 0.8, 7))
    path = np.array([placed("seven", q) for q in Q])
    found = model.inverse_kinematics({hand: path}, initial={f"q{k}": 0.5 for k in range(1, 8)})
    assert found.reached and found.q.shape == (40, 7) and found.jumps == () and found.missed.shape == (40, 2)
    assert np.abs(np.diff(found.q, axis=0)).max() < 0.1 and found["q3"].shape == (40,)
    planar, _ = arms["planar"]
    line = np.column_stack([np.linspace(-1.2, 1.2, 30), 0 * s[:30], 0 * s[:30]])  # through the first joint
    end = np.array([shift(*e) @ turn(2, 0 if e[0] < 0.9 else 3.0) for e in line])
    folded = planar.inverse_kinematics({"link 3": end}, initial={"q1": 2.0, "q2": 1.0}, limits={"q2": (0.2, 3)})
    assert ("jumps at" in folded.message) == bool(folded.jumps)


def test_loops_stay_closed(arms):
    model = Model("four-bar")
    a, b, c = model.coordinates("a b c", initial=(1.0, -0.4, 1.2))
    crank = model.body("crank", trotz(a) * tdisp(0.3, 0, 0), mass=1, inertia=(0, 0, 1))
    coupler = model.body("coupler", crank.T * trotz(b), mass=1, inertia=(0, 0, 1))
    rocker = model.body("rocker", tdisp(1, 0, 0) * trotz(c), mass=1, inertia=(0, 0, 1))
    model.close((coupler, (0.9, 0, 0)), (rocker, (0.6, 0, 0)), joint="revolute")
    for angle in (2.2, -1.1, 0.3):
        way = model.assemble({"a": angle}, hold=["a"])
        turned = angle + way["b"]
        point = (
            0.3 * np.cos(angle) + 0.5 * np.cos(turned) - 0.2 * np.sin(turned),
            0.3 * np.sin(angle) + 0.5 * np.sin(turned) + 0.2 * np.cos(turned), 0,
        )  # fmt: skip
        found = model.inverse_kinematics({coupler.T * tdisp(0.5, 0.2, 0): point})
        assert found.reached and found.missed[0] < 1e-12
        assert np.abs(model.solver.constraints_at(model.values()).values(found.q)).max() < 1e-12
        model.simulate(0.01, initial=found)
    far, size = np.array([5.0, 0, 0]), 20.0  # how far a loop is open is lacking, too, and a share of the size
    search = SimpleNamespace(looped=True, size=size, _open=lambda _: far, weights=1, _units=np.ones(3), _scales=1)
    search._at = lambda *_: [(None, [0.1, 0.0, 0.0], [], np.zeros((6, 3)))]
    assert Search._lacking(search, far, 0)[2] == 5.0 / size
    missed = model.inverse_kinematics({coupler.T * tdisp(0.5, 0.2, 0): (2, 2, 0)})
    assert not missed.reached
    assert np.abs(model.solver.constraints_at(model.values()).values(missed.q)).max() < 1e-10


def test_the_struts_of_a_hexapod_follow_from_its_platform():
    from mechanisms.hexapod import DATA, hexapod

    model, _ = hexapod()
    pose = shift(0.05, 0.02, 1.15) @ turn(2, 0.1) @ turn(1, -0.08) @ turn(0, 0.06)
    found = model.inverse_kinematics({"platform": pose})
    assert found.reached
    for i, (foot, point) in enumerate(zip(DATA["base"], DATA["platform"], strict=True)):
        length = np.linalg.norm((pose @ [*point, 1])[:3] - foot)
        assert abs(found[f"s{i}"]) == pytest.approx(length, abs=1e-10)


def test_two_frames_at_once_and_a_turn_of_half(arms):
    pendulum = examples.double_pendulum()
    at = pendulum.compile().frames(0, [3.0, 1.2])[:, :3, 3]
    found = pendulum.inverse_kinematics({"upper arm": at[0], "lower arm": at[1]})
    assert found.reached and [*found.values()] == pytest.approx([3.0, 1.2], abs=1e-9)
    alone = Model("wheel")
    (q,) = alone.coordinates("q")
    alone.body("wheel", trotz(q), mass=1, inertia=(0, 0, 1))
    half = alone.inverse_kinematics({"wheel": trotz(pi)})
    assert half.reached and abs(half["q"]) == pytest.approx(pi, abs=1e-12)


# -- a floating arm, and the exercise ----------------------------------------------------------------------------------


FLOATING = ((2, 0.3), (1, 0.6), (1, 0.5))  # the axis of each joint, and the length of the link behind it


def floating_arm(**spin):
    """Three links on a base that nothing holds, with motors that push and brake."""
    model = Model("space robot", gravity=(0, 0, 0))
    base = model.free_body("base", mass=40, inertia=(3, 4, 5), com=(0.05, 0, 0), **spin)
    T = base.T * tdisp(0.3, 0, 0.4)
    for k, (axis, length) in enumerate(FLOATING, start=1):
        q = model.coordinate(f"q{k}", initial=0.3 * k)
        T = T * (trotx, troty, trotz)[axis](q) * tdisp(0, 0, length)
        model.body(f"link {k}", T, mass=6 - k, inertia=(0.1, 0.12, 0.02), com=(0.02, 0, -length / 2))
        model.add(GeneralizedForce(q, 2 * sympy.sin(k * t + 1) - 0.2 * q.dot))
    return model


def flight(model):
    return model.simulate(10, method="dop853", tolerance=1e-12, save_every=0.1, target="python")


def momentum(run, bodies):
    """Linear and angular, about the origin, (N, 6), and the velocities of the last link: from link to link."""
    base, total = bodies[0], 0
    v, w, place = run.of(base.v), run.of(base.omega), run.frames(base)[:, :3, 3]
    for k, body in enumerate(bodies):
        T, m = run.frames(body), float(body.mass)
        R, com, inertia = T[:, :3, :3], np.array(body.com, dtype=float), np.array(body.inertia.matrix, dtype=float)
        if k:
            axis, length = FLOATING[k - 1]
            joint = T[:, :3, 3] - R @ (0, 0, length)
            v, w = v + np.cross(w, joint - place), w + R[:, :, axis] * run[f"q{k}.dot"][:, None]
            v, place = v + np.cross(w, T[:, :3, 3] - joint), T[:, :3, 3]
        p = m * (v + np.cross(w, R @ com))
        spin = np.einsum("nij,jk,nlk,nl->ni", R, inertia, R, w)
        total = total + np.concatenate([p, np.cross(place + R @ com, p) + spin], axis=1)
    return total, np.concatenate([v, w], axis=1)


def test_a_floating_arm_keeps_its_momentum():
    """While it tumbles over ten seconds, through attitudes at which the reference of its angles is renewed."""
    model = floating_arm(velocity=(0.2, 0, 0.1), angular_velocity=(0.5, 0.4, -0.6))
    run = flight(model)
    P, _ = momentum(run, model.bodies)
    assert len(np.unique(run.held)) > 1 and np.abs(P[0]).min() > 0.5 and np.ptp(run["q2"]) > 1
    assert np.abs(P - P[0]).max() < 1e-10


def test_the_hand_of_a_floating_arm_moves_by_its_generalised_jacobian():
    """From rest momentum stays zero: the base moves back by M_bb^-1 M_ba, and the hand by J_a - J_b M_bb^-1 M_ba."""
    model = floating_arm()
    run, system, hand = flight(model), model.compile("python"), model["link 3"]
    M, J = system.mass_matrix(0, run.q), system.frame_jacobian(hand, 0, run.q)
    generalised = J[:, :, 6:] - J[:, :, :6] @ np.linalg.solve(M[:, :6, :6], M[:, :6, 6:])
    P, moved = momentum(run, model.bodies)
    alone = (J[:, :, 6:] @ run.qd[:, 6:, None])[..., 0]
    assert np.abs(P).max() < 1e-10 and np.abs(moved - alone).max() > 0.1
    assert np.abs((generalised @ run.qd[:, 6:, None])[..., 0] - moved).max() < 1e-8


def test_the_solution_of_the_exercise_is_what_the_program_finds(rng):
    """Closed form, Jacobian and damped steps of a planar arm beside `inverse_kinematics` and `frame_jacobian`."""
    path = Path(__file__).parent.parent / "exercises" / "solutions" / "25_inverse_kinematics.py"
    by_hand = runpy.run_path(str(path))
    model = Model("arm")
    a, b, c = model.coordinates("a b c")
    hand = by_hand["hand"](a, b, c)
    model.body("hand", hand, mass=1, inertia=(0, 0, 1))
    system = model.compile("python")
    for q in rng.uniform(-1.2, 1.2, (10, 3)):
        T = np.array(by_hand["hand"](*q).matrix, dtype=float)
        pose = T[0, 3], T[1, 3], sum(q)
        np.testing.assert_allclose(by_hand["jacobian"](*q), system.frame_jacobian(hand, 0, q)[[0, 1, 5]], atol=1e-14)
        solutions = [by_hand["three_links"](*pose, elbow) for elbow in (1, -1)]
        assert solutions[0 if q[1] > 0 else 1] == pytest.approx(q, abs=1e-12)
        for known in solutions:
            near = np.array(known) + rng.uniform(-0.1, 0.1, 3)
            found = model.inverse_kinematics({"hand": T}, initial=dict(zip("abc", near)))
            for _ in range(12):
                near = near + by_hand["step"](near, pose, 1e-3)
            assert near == pytest.approx(np.array(known), abs=1e-7) and found.q == pytest.approx(near, abs=1e-7)


# -- mistakes ----------------------------------------------------------------------------------------------------------

POINT = (0.3, -1, 0)


def asked(w, targets=None, **options):
    return w.model.inverse_kinematics({w.lower: POINT} if targets is None else targets, **options)


test_mistake_is_explained = explained(__file__)
