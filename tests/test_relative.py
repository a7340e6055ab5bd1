"""What one body sees of another, and the length and speed of elements, as formulas: beside frames of the ground."""

import numpy as np
import pytest
import sympy
from mistakes import explained

from easydyn import Actuator, Damper, Model, Spring, ground, t, tdisp, trotx, troty, trotz
from easydyn.forces import SpringDamperSeries


@pytest.fixture(scope="module")
def arm():
    """Two bodies in space, the first on a cart that is driven: model, bodies, run."""
    model = Model("arm")
    a, b, c = model.coordinates("a b c", initial=(0.3, 0.5, -0.2), rates=(1, -2, 0.5))
    root = tdisp(0.2 * sympy.sin(3 * t), 0, 0) * trotz(a)
    A = model.body("A", root * tdisp(0.3, 0, 0.1), mass=1, inertia=(0.1, 0.2, 0.3))
    B = model.body("B", root * tdisp(1, 0, 0) * troty(b) * tdisp(0, 0.4, c) * trotx(0.3), mass=2, inertia=(1, 2, 2))
    elements = (
        Spring((A, (0, 0.1, 0)), (B, (1, c / 2, 0)), stiffness=3, free_length=0.2),
        Damper((ground, (3, 0, 0)), B, damping=0.3),
        SpringDamperSeries(B, (ground, (0, -4, 1)), stiffness=2, damping=1, free_length=1, name="mount"),
    )
    model.add(*elements)
    run = model.simulate(0.3, method="dop853", tolerance=1e-10, save_every=0.01, target="python")
    return model, A, B, elements, run


def test_a_body_seen_from_another_is_that_of_their_frames(arm):
    _, A, B, _, run = arm
    seen = B.seen_from(A)
    at = {name: run.of(getattr(seen, name)) for name in ("v", "a", "omega", "alpha")}
    R, frames = run.frames(A)[:, :3, :3], np.linalg.inv(run.frames(A)) @ run.frames(B)
    np.testing.assert_allclose(run.of(seen.T.e), frames[:, :3, 3], atol=1e-13)

    def back(u):
        return np.einsum("nji,nj->ni", R, u)

    def of(name):
        return run.of(getattr(A, name)), run.of(getattr(B, name))

    (w, w_B), (e, e_B), (v_A, v_B), (a_A, a_B), (turn, turn_B) = map(of, ("omega", "alpha", "v", "a", "alpha"))
    r = run.frames(B)[:, :3, 3] - run.frames(A)[:, :3, 3]
    v = v_B - v_A - np.cross(w, r)  # the classical formulas, with transport and Coriolis
    a = a_B - a_A - np.cross(e, r) - np.cross(w, np.cross(w, r)) - 2 * np.cross(w, v)
    np.testing.assert_allclose(at["v"], back(v), atol=1e-12)
    np.testing.assert_allclose(at["a"], back(a), atol=1e-11)
    np.testing.assert_allclose(at["omega"], back(w_B - w), atol=1e-13)
    np.testing.assert_allclose(at["alpha"], back(turn_B - turn - np.cross(w, w_B - w)), atol=1e-12)
    e = np.stack([run.of(x) * np.ones(len(run.t)) for x in seen.T.R.quaternion()], 1)
    np.testing.assert_allclose(e[:, 0], [abs(np.sqrt(1 + np.trace(T[:3, :3]))) / 2 for T in frames], atol=1e-13)
    assert B.seen_from(ground).T == B.T and list(A.seen_from(A).v) == [0, 0, 0]


def test_length_and_speed_of_elements_are_formulas(arm):
    _, A, B, elements, run = arm
    c = run["c"]
    held = np.stack([1 + 0 * c, c / 2, 0 * c, 1 + 0 * c], 1)
    points = [(run.frames(A) @ (0, 0.1, 0, 1), np.einsum("nij,nj->ni", run.frames(B), held)),
              ((3, 0, 0, 1), run.frames(B)[:, :, 3]), (run.frames(B)[:, :, 3], (0, -4, 1, 1))]
    for element, (p, r) in zip(elements, points, strict=True):
        length, speed = run.of(element.length), run.of(element.speed)
        np.testing.assert_allclose(length, np.linalg.norm(r - np.array(p), axis=1), rtol=1e-13)
        slope = (8 * (length[3:-1] - length[1:-3]) - length[4:] + length[:-4]) / (12 * 0.01)
        np.testing.assert_allclose(speed[2:-2], slope, atol=2e-5)


def test_an_actuator_takes_a_law_of_its_length_and_speed():
    """It is then a spring and a damper; and a law of another element's length is one as well."""
    found = []
    for kind in ("elements", "law", "others"):
        model = Model(kind)
        q = model.coordinate("q", initial=0.4)
        bar = model.body("bar", trotz(q), mass=0, inertia=(0, 0, 2))
        ends = (ground, (1, 0.5, 0)), (bar, (1, 0, 0))
        spring, damper = Spring(*ends, stiffness=20, free_length=0.3), Damper(*ends, damping=4)
        law = {"law": lambda L, v: 20 * (0.3 - L) - 4 * v, "others": 20 * (0.3 - spring.length) - 4 * damper.speed}
        model.add(*([spring, damper] if kind == "elements" else [Actuator(*ends, command=law[kind])]))
        found.append(model.compile("python").accelerations(0, [[0.4], [0.7]], [[2], [-1]])[:, 0])
    np.testing.assert_allclose(found[1:], found[:1] * 2, atol=1e-12)
    x = model.coordinate("x")
    assert Actuator(x, command=lambda x, v: -3 * x - v).command == -3 * x - x.dot


test_mistake_is_explained = explained(__file__)
