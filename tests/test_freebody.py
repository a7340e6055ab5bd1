"""Free-body diagrams: Newton, Euler, action and reaction hold for the arrows of `scene.sketch(forces=...)`."""

import numpy as np
import pytest
from matplotlib import pyplot
from mistakes import explained

from easydyn import (
    Contact,
    Force,
    Model,
    Moment,
    PlanePoint,
    RigidContact,
    Spring,
    TorsionSpring,
    examples,
    ground,
    shapes,
    tdisp,
    troty,
    trotz,
)
from easydyn.flexible import Material, Section
from easydyn.visu import scene_of  # noqa: F401  in mistakes.txt
from easydyn.visu.loads import freed

DOWN = (0, -9.81, 0)


def four_bar():
    model = Model("four-bar", gravity=DOWN)
    a, b, c = model.coordinates("a b c", initial=(0.9, -0.6, -0.9))
    crank = model.body("crank", trotz(a) * tdisp(0.25, 0, 0), mass=1, inertia=(0, 0, 0.02))
    T = trotz(a) * tdisp(0.5, 0, 0) * trotz(b) * tdisp(0.5, 0, 0)
    coupler = model.body("coupler", T, mass=2, inertia=(0, 0, 0.2))
    T = tdisp(1.2, 0, 0) * trotz(c + 2.5) * tdisp(0.4, 0, 0)
    rocker = model.body("rocker", T, mass=1.5, inertia=(0, 0, 0.08))
    model.close((coupler, (0.5, 0, 0)), (rocker, (0.4, 0, 0)), joint="revolute", name="pin")
    model.add(Moment(crank, (0, 0, 5), reaction=ground), Spring(crank, rocker, stiffness=40, free_length=0.3))
    return model


def sledge():
    """A cart on a guide, a rod that hangs on it by a pin with a spring, a block that rests beside it."""
    model = Model("cart", gravity=DOWN)
    x, q, u, v = model.coordinates("x q u v", initial=(0, 0.6, 2, 0.1 - 9.81 * 3 / 2e4), rates=(1, 2, 0.3, 0))
    model.body("cart", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 1))
    T = tdisp(x, 0, 0) * trotz(q) * tdisp(0, -0.4, 0)
    rod = model.body("rod", T, mass=1, inertia=(0, 0, 0.05))
    block = model.body("block", tdisp(u, v, 0), mass=3, inertia=(0, 0, 1))
    model.add(TorsionSpring(q, stiffness=20, free_angle=0), Spring(rod, block, stiffness=5, free_length=1))
    model.add(Force(rod, (3, 1, 0), at=(0, -0.4, 0)))
    model.add(PlanePoint((block, (0, -0.1, 0)), (ground, (0, 0, 0)), normal=(0, 1, 0), stiffness=2e4, damping=10))
    return model


def robot():
    return examples.spatial_robot()


def total(loads):
    """Force, and moment about the origin."""
    return sum(x.f for x in loads), sum(x.m + np.cross(x.p, x.f) for x in loads)


CASES = [
    pytest.param(four_bar, "crank coupler rocker", marks=pytest.mark.long),
    (sledge, "cart rod block"),
    pytest.param(robot, "base arm hand", marks=pytest.mark.long),
]


@pytest.mark.parametrize("make, names", CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_newton_and_euler_hold_for_what_is_drawn(make, names):
    """Of each body, of two and of all: by accelerations that SymPy differentiates."""
    model = make()
    scene, run = model.scene(), model.simulate(1e-6, step=1e-6, save_at=[0.0])
    bodies = {body.name: body for body in model.mechanism.bodies}
    spatial = make is robot
    needed = {}
    for name in names.split():
        ma = float(np.ravel(run.of([bodies[name].mass]))[0]) * run.of(list(bodies[name].a))[0]
        needed[name] = ma
    for chosen in ([x] for x in names.split()), [names.split()[:2]], [names.split()]:
        for own in chosen:
            loads = freed(scene, own).loads
            force, moment = total(loads)
            wanted = sum(needed[x] for x in own)
            size = max(np.linalg.norm(x.f) for x in loads)
            assert np.abs(force - wanted).max() < 1e-7 * size
            if not spatial:
                G = {x: run.of(list(bodies[x].T.e))[0] for x in own}
                spin = {x: float(np.ravel(run.of([bodies[x].inertia[2, 2] * bodies[x].alpha[2]]))[0]) for x in own}
                about = sum(np.cross(G[x], needed[x])[2] + spin[x] for x in own)
                assert abs(moment[2] - about) < 1e-7 * size


@pytest.mark.long
def test_action_and_reaction():
    scene = four_bar().scene()
    one, other = freed(scene, "crank").loads, freed(scene, "coupler").loads
    (pull,), (back,) = ([x for x in loads if x.name == name] for loads, name in ((one, "coupler"), (other, "crank")))
    assert np.allclose(pull.f, -back.f, atol=1e-9) and np.allclose(pull.p, back.p, atol=1e-12)
    assert {x.name for x in freed(scene, ["crank", "coupler"]).loads} == {"weight", "moment", "spring", "ground", "pin"}
    assert {x.name for x in freed(scene, True).loads} == {"weight", "moment", "ground"}


@pytest.mark.long
def test_forces_stand_where_they_act():
    scene = sledge().scene()
    loads = {x.name: x for x in freed(scene, "block").loads}
    assert np.allclose(loads["plane point"].p, (2, 0, 0), atol=2e-3) and abs(loads["plane point"].f[1] - 29.43) < 1e-6
    assert np.allclose(loads["spring"].p, loads["weight"].p) and set(loads) == {"plane point", "spring", "weight"}
    (pin,) = [x for x in freed(scene, "rod").loads if x.name == "cart"]
    assert np.allclose(pin.p, 0, atol=1e-12) and abs(pin.m[2] + 20 * 0.6) < 1e-9, "the spring acts through the pin"

    model = Model("point on a circle", gravity=DOWN)
    (q,) = model.coordinates("q", initial=0.5, rates=2)
    point = model.body("point", tdisp(0, 0, 0) * trotz(q) * tdisp(0, -0.8, 0) * trotz(-q), mass=2, inertia=(0, 0, 0))
    (rope,) = [x for x in freed(model.scene(), point).loads if x.name == "ground"]
    assert abs(np.linalg.norm(rope.f) - 2 * (9.81 * np.cos(0.5) + 0.8 * 4)) < 1e-6

    tables = Model("box on a table", gravity=DOWN)
    x, y, a = tables.coordinates("x y a", initial=(0.1, 0.1, 0))
    box = tables.body("box", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 0.01), com=(0.05, 0, 0))
    half = (ground, shapes.HalfPlane((0, 1, 0)))
    tables.add(Contact((box, shapes.Polygon.box(0.4, 0.2)), half, restitution=0, friction=0.1))
    loads = {x.name: x for x in freed(tables.scene(), box).loads}
    assert np.allclose(loads["contact"].p, (0.15, 0, 0), atol=1e-6) and abs(loads["contact"].f[1] - 9.81) < 1e-6


def test_arrows_are_drawn_to_scale_at_these_points():
    """Of a pendulum seen head-on: heads, tails, labels; what is cut away is not drawn."""
    model = sledge()
    ax = model.scene().sketch(forces="rod")
    labels = [text.get_text() for text in ax.texts if text.get_text()]
    assert {"weight 9.81 N", "cart 12 N m"} <= set(labels) and not any("$" in text for text in labels)
    drawn = {tuple(np.round(x.xy - np.array(x.xyann), 6)): np.array(x.xyann) for x in ax.texts if hasattr(x, "xyann")}
    loads = {x.name: x for x in freed(model.scene(), "rod").loads}
    scale = np.linalg.norm(min(drawn, key=lambda v: abs(v[0]) + v[1])) / 9.81  # of the weight, which points down
    for name in ("weight", "cart", "force"):
        tail = drawn[min(drawn, key=lambda v: np.linalg.norm(v - scale * loads[name].f[:2]))]
        assert min(np.linalg.norm(v - scale * loads[name].f[:2]) for v in map(np.array, drawn)) < 1e-5
        assert np.allclose(tail, loads[name].p[:2], atol=1e-9)
    pyplot.close("all")


# -- mistakes ---------------------------------------------------------------------------------------------------------


def welded():
    model = Model("welded", gravity=DOWN)
    (q,) = model.coordinates("q")
    model.body("rod", trotz(q) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0.1))
    model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0.1))
    return model


def touching():
    model = Model("rod on a floor", gravity=DOWN)
    (q,) = model.coordinates("q", initial=0.4)
    model.body("rod", trotz(q) * tdisp(1, 0, 0), mass=1, inertia=(0, 0, 0.1))
    model.add(RigidContact(q + 0.2, restitution=0, name="floor"))
    return model


def bending():
    model = Model("beam", gravity=DOWN)
    section, steel = Section.rectangle(0.02, 0.01), Material(E=2e11, density=7800)
    model.beam("blade", length=0.5, section=section, material=steel, elements=1)
    return model


def in_python():
    model = welded()
    model.efforts(lambda t, bodies: None)
    return model


def turntable():
    model = Model("turntable", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q")
    model.body("table", troty(q), mass=1, inertia=(0, 1, 0))
    return model


def at_zero(bench):
    return np.zeros(1), np.zeros((1, bench.system.n))


test_mistake_is_explained = explained(__file__)
