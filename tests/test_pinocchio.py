"""Peers: Pinocchio's recursive Newton-Euler, composite body and articulated body algorithms; MuJoCo's chain."""

import numpy as np
import pytest

from easydyn import Model, tdisp, transform, trotx, troty, trotz

TOLERANCE = 1e-10
GRAVITY = (0.7, -1.3, -9.5)


def rotation(rng):
    """A random rotation matrix."""
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def inertia(rng, mass):
    """A full inertia tensor that a body of points could have."""
    points = rng.uniform(-0.4, 0.4, (6, 3))
    return mass / 6 * (np.sum(points**2) * np.eye(3) - points.T @ points)


def random_tree(rng, n, *, chain=False):
    """A list of (parent, kind, axis, R, p, mass, com, inertia): parent -1 is the ground."""
    tree = []
    for i in range(n):
        parent = i - 1 if chain else int(rng.integers(-1, i))
        mass = float(rng.uniform(0.5, 4))
        tree.append((
            parent, "RP"[int(rng.random() < 0.3)], int(rng.integers(3)), rotation(rng), rng.uniform(-1, 1, 3), mass,
            rng.uniform(-0.3, 0.3, 3), inertia(rng, mass),
        ))  # fmt: skip
    return tree


def ours(tree):
    model = Model("tree", gravity=GRAVITY)
    q = model.coordinates([f"q{i}" for i in range(len(tree))])
    frames = []
    for i, (parent, kind, axis, R, p, mass, com, tensor) in enumerate(tree):
        base = frames[parent] if parent >= 0 else tdisp(0, 0, 0)
        turn = (trotx, troty, trotz)[axis](q[i])
        slide = tdisp(*(q[i] if k == axis else 0 for k in range(3)))
        frames.append(base * transform(R, p) * (turn if kind == "R" else slide))
        model.body(f"body {i}", frames[-1], mass=mass, inertia=tensor, com=com)
    return model


def pinocchio_model(pin, tree):
    model = pin.Model()
    model.gravity.linear = np.array(GRAVITY)
    joints = {
        "R": (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ),
        "P": (pin.JointModelPX, pin.JointModelPY, pin.JointModelPZ),
    }
    ids = {-1: 0}

    def add_children(of):
        """Depth first: Pinocchio wants the joints of a branch to follow each other."""
        for i, (parent, kind, axis, R, p, mass, com, tensor) in enumerate(tree):
            if parent == of:
                ids[i] = model.addJoint(ids[parent], joints[kind][axis](), pin.SE3(R, p), f"q{i}")
                model.appendBodyToJoint(ids[i], pin.Inertia(mass, com, tensor), pin.SE3.Identity())
                add_children(i)

    add_children(-1)
    order = [model.joints[ids[i]].idx_q for i in range(len(tree))]
    return model, model.createData(), np.array(order)


def difference(x, y):
    return np.abs(x - y).max() / np.abs(x).max()


@pytest.mark.one_in(10)
@pytest.mark.parametrize("scheme", ["recursive", "explicit", "motor"])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 8])
def test_random_trees_agree_with_pinocchio(n, scheme, rng):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) has no wheels for Windows")
    tree = random_tree(rng, n)
    system = ours(tree).compile(scheme=scheme)
    model, data, order = pinocchio_model(pin, tree)
    for _ in range(5):
        q, qd, qdd = rng.uniform(-3, 3, (3, n))
        theirs = [np.empty(n) for _ in range(3)]
        for to, x in zip(theirs, (q, qd, qdd), strict=True):
            to[order] = x
        tau = pin.rnea(model, data, *theirs)[order]
        M = pin.crba(model, data, theirs[0])
        M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)]
        a = pin.aba(model, data, theirs[0], theirs[1], np.zeros(n))[order]
        assert difference(tau, system.residual(0, q, qd, qdd)) < TOLERANCE
        assert difference(M, system.mass_matrix(0, q)) < TOLERANCE
        assert difference(a, system.accelerations(0, q, qd)) < TOLERANCE


def test_frames_agree_with_pinocchio(rng):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) has no wheels for Windows")
    tree = random_tree(rng, 6)
    model, data, order = pinocchio_model(pin, tree)
    q = rng.uniform(-3, 3, 6)
    theirs = np.empty(6)
    theirs[order] = q
    pin.forwardKinematics(model, data, theirs)
    for i, T in enumerate(ours(tree).compile().frames(0, q)):
        assert np.abs(T - data.oMi[model.getJointId(f"q{i}")].homogeneous).max() < 1e-13


def mujoco_xml(tree):
    """The chain as an MJCF text."""

    def numbers(x):
        return " ".join(f"{v:.17g}" for v in x)

    def quaternion(R):
        w = np.sqrt(max(0, 1 + np.trace(R))) / 2
        if w > 0.1:
            return w, *((R[(k + 2) % 3, (k + 1) % 3] - R[(k + 1) % 3, (k + 2) % 3]) / (4 * w) for k in range(3))
        values, vectors = np.linalg.eigh(R + R.T)  # the axis of a turn of nearly pi
        axis = vectors[:, -1]
        angle = np.arctan2(
            axis @ [(R[(k + 2) % 3, (k + 1) % 3] - R[(k + 1) % 3, (k + 2) % 3]) for k in range(3)], np.trace(R) - 1
        )
        return np.cos(angle / 2), *(np.sin(angle / 2) * axis)

    inner = ""
    for i, (_, kind, axis, R, p, mass, com, I) in reversed(list(enumerate(tree))):
        direction = numbers(np.eye(3)[axis])
        full = numbers([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])
        inner = (
            f'<body pos="{numbers(p)}" quat="{numbers(quaternion(R))}">'
            f'<joint name="q{i}" type="{"hinge" if kind == "R" else "slide"}" axis="{direction}"/>'
            f'<inertial pos="{numbers(com)}" mass="{mass:.17g}" fullinertia="{full}"/>{inner}</body>'
        )
    return (
        f'<mujoco><compiler angle="radian" boundmass="0" boundinertia="0"/><option gravity="{numbers(GRAVITY)}"/>'
        f"<worldbody>{inner}</worldbody></mujoco>"
    )


def test_random_spatial_chain_agrees_with_mujoco(rng):
    mujoco = pytest.importorskip("mujoco", reason="MuJoCo is an optional peer")
    tree = random_tree(rng, 5, chain=True)
    model = mujoco.MjModel.from_xml_string(mujoco_xml(tree))
    data = mujoco.MjData(model)
    system = ours(tree).compile()
    for _ in range(5):
        data.qpos, data.qvel = rng.uniform(-3, 3, 5), rng.uniform(-2, 2, 5)
        mujoco.mj_forward(model, data)
        M = np.zeros((5, 5))
        for j, e in enumerate(np.eye(5)):
            mujoco.mj_mulM(model, data, M[j], e)
        assert difference(M, system.mass_matrix(0, data.qpos)) < TOLERANCE
        assert difference(data.qfrc_bias, system.residual(0, data.qpos, data.qvel, np.zeros(5))) < TOLERANCE
