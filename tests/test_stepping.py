"""Contacts and friction by time stepping: beside closed forms, and beside the same models with located events."""

import math

import numpy as np
import pytest
import sympy
from mistakes import explained
from solvers import guessed, soft

from easydyn import (
    Clutch,
    Contact,
    Force,
    GeneralizedForce,
    JointFriction,
    Last,
    Model,
    OneWay,
    RigidContact,
    Rope,
    ground,
    shapes,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)
from easydyn.errors import InputError, ModeError
from easydyn.run.stepping import Stepping
from easydyn.sim import cone
from easydyn.sim.cone import Bounds, by_least_squares

FLOOR = ground, shapes.HalfPlane((0, 1))


def ball(e=0.5, height=1.0, **options):
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=height)
    body = model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 1))
    model.add(Contact((body, shapes.Disc(0.1)), FLOOR, restitution=e, name="floor", **options))
    return model


def test_a_ball_bounces_and_rests_on_the_force_of_its_weight():
    """Impacts at sqrt(2 (h - r) / g), then each e times as far; the error is of the order of the interval."""
    model, g, fall = ball(), 9.81, np.sqrt(2 * 0.9 / 9.81)
    v, since = 0.5 * g * fall, 1.0 - fall
    since, v = (since - 2 * v / g, v / 2) if since > 2 * v / g else (since, v)
    y = 0.1 + v * since - g * since**2 / 2
    for h, near in ((4e-3, 8e-3), (1e-3, 2e-3), (4e-4, 8e-4)):
        run = model.simulate(2, contacts="stepping", step=h)
        assert run.status == "finished" and f"in intervals of {h:g} s" in run.message
        assert run.at(1.0)["y"] == pytest.approx(y, abs=near)
        assert run["floor.dot"][-1] == pytest.approx(2 * g, rel=1e-9)
        assert run["y"][-1] == pytest.approx(0.1, abs=1e-2 * h) and not run.events


def test_a_sliding_sphere_comes_to_roll_at_five_sevenths():
    model = Model("sphere", gravity=(0, 0, -9.81))
    x, y, z, a, b, c = model.coordinates("x y z a b c", initial=(0, 0, 0.1, 0, 0, 0), rates=(2, 1, 0, 0, 0, 0))
    T = tdisp(x, y, z) * trotx(a) * troty(b) * trotz(c)
    body = model.body("sphere", T, mass=1, inertia=(0.004, 0.004, 0.004))
    model.add(Contact((body, shapes.Sphere(0.1)), (ground, shapes.Plane((0, 0, 1))), restitution=0, friction=0.2))
    run = model.simulate(1, contacts="stepping", step=5e-3)
    # contacts give way by 1e-4 of their mobility in each interval
    assert run["x.dot"][-1] == pytest.approx(10 / 7, abs=1e-6) and run["y.dot"][-1] == pytest.approx(5 / 7, abs=1e-6)
    assert run.status == "finished"


def rough_oscillator():
    model = Model("oscillator", gravity=(9.81, 0, 0))
    (x,) = model.coordinates("x", initial=1.0)
    model.body("mass", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(JointFriction(x, 2.0), RigidContact(2.5 - x, restitution=0.3, name="stop"))
    return model, ("x", "x.dot")


def pendulum():
    """Two links beside a rough wall."""
    model = Model("pendulum", gravity=(0, -9.81, 0))
    a, b = model.coordinates("a b", initial=(0.5, 0.2))
    upper = trotz(a) * tdisp(0, -1, 0)
    model.body("upper", upper, mass=1, inertia=(0, 0, 0.1))
    lower = model.body("lower", trotz(a) * tdisp(0, -2, 0) * trotz(b) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0.05))
    wall = (ground, tdisp(0.2, 0, 0)), shapes.HalfPlane((1, 0))
    model.add(Contact((lower, shapes.Disc(0.1)), wall, restitution=0.3, friction=0.2))
    return model, ("a", "b")


def on_a_shaker(floor):
    model = Model("shaker", gravity=(0, -9.81, 0))
    x, y, a = model.coordinates("x y a", initial=(0, 0.1, 0))
    body = model.body("box", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 0.01))
    table = model.body("table", floor, mass=1, inertia=(0, 0, 1))
    model.add(Contact((body, shapes.Disc(0.1)), (table, shapes.HalfPlane((0, 1))), restitution=0.4, friction=0.3))
    return model, ("x", "y", "a")


def on_a_rope():
    model = Model("rope", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(0.6, 0))
    model.add(Rope(ground, model.body("bob", tdisp(x, y, 0), mass=1, inertia=(0, 0, 1)), length=1.0, name="rope"))
    return model, ("x", "y")


def clutches():
    model = Model("shafts")
    p, q, r = model.coordinates("p q r", rates=(2, 0, 1))
    for x in (p, q, r):
        model.body(f"shaft {x}", trotz(x), mass=0, inertia=(0, 0, 1))
    model.add(Clutch(p, q, level=3), OneWay(q, r))
    return model, ("p", "q", "r", "p.dot")




BESIDE = {
    "friction and a stop": rough_oscillator, "a rough wall": pendulum, "a rope": on_a_rope, "clutches": clutches,
    "a table that shakes": lambda: on_a_shaker(tdisp(0.02 * sympy.sin(20 * t), 0, 0)),
    "a table that throws": lambda: on_a_shaker(tdisp(0, 0.01 * (1 - sympy.cos(40 * t)), 0)),
}  # fmt: skip


@pytest.mark.parametrize("name", BESIDE)
def test_beside_events_the_error_falls_with_the_interval(name):
    model, names = BESIDE[name]()
    right = model.simulate(0.6, method="dop853", tolerance=1e-9)
    for h in (4e-3, 5e-4):
        run = model.simulate(0.6, contacts="stepping", step=h)
        assert run.status == "finished"
        size = max(np.abs(right[x]).max() for x in names)
        assert max(abs(run[x][-1] - right[x][-1]) for x in names) <= 3 * h * size, (name, h)


@pytest.mark.parametrize("kind", ["joint", "line", "plane", "box"])
def test_what_sticks_holds_up_to_its_static_level(kind):
    """A block on a belt of 0.5 m/s, and a spring of 4 N/m: it breaks away at 1 N, and slides under 0.6 N."""
    vx = {"joint": 0, "plane": 0.4}.get(kind, 0.5)
    model = Model("belt", gravity=(0, 0 if kind == "joint" else -10, 0))
    x, y, a = model.coordinates("x y a", rates=(vx, 0, 0), initial=(0, 0.1, 0))
    z = model.coordinate("z", rate=0.3) if kind == "plane" else sympy.Integer(0)
    way = x + (t / 2 if kind == "joint" else 0)
    body = model.body("block", tdisp(way, y, z) * trotz(a), mass=1, inertia=(0, 0, 0.01))
    model.add(Force(body, (-4 * way, 0, -4 * z)))
    dry = {"restitution": 0, "friction": 0.06, "static_friction": 0.1, "name": "dry"}
    if kind == "joint":
        model.add(JointFriction(x, 0.6, static_level=1))
    elif kind == "box":  # its corners bear different loads, and break away together
        belt = model.body("belt", tdisp(t / 2, 0, 0), mass=0, inertia=(0, 0, 0)), shapes.HalfPlane((0, 1))
        model.add(Contact((body, shapes.Polygon.box(0.5, 0.2)), belt, **dry))
    else:
        slip = x.dot - vx if kind == "line" else (x.dot - vx, z.dot - 0.3)
        model.add(RigidContact(y - 0.1, slip=slip, **dry))
    h = 2e-3
    run = model.simulate(1.5, contacts="stepping", step=h, save_at=[0.45, 1.5])
    gone = np.hypot(run.of(way), run.of(z))
    assert gone == pytest.approx([0.225, 0.15 + 0.1 * math.cos(2) + 0.25 * math.sin(2)], abs=h)


def discs(count, **options):
    """Discs that fall in a box."""
    model, r, ends = Model("discs", gravity=(0, -9.81, 0)), 0.05, []
    for k in range(count):
        row, column = divmod(k, 3)
        start = (1.3 + 2.6 * column) * r - 0.2 + 0.003 * (k % 2), (2 + 2.6 * row) * r, 0
        x, y, a = model.coordinates(f"x{k} y{k} a{k}", initial=start)
        body = model.body(f"disc {k}", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, r**2 / 2))
        ends.append((body, shapes.Disc(r)))
    walls = [((ground, tdisp(-0.2 * n[0], 0, 0)), shapes.HalfPlane(n)) for n in ((0, 1), (1, 0), (-1, 0))]
    model.add(*Contact.between([*ends, *walls], **options))
    return model


@pytest.mark.parametrize("options", [{"restitution": 0.5}, {"restitution": 0.2, "friction": 0.3}], ids=str)
def test_a_heap_comes_to_rest_without_overlap_and_never_gains_energy(options):
    count = 7
    between = np.arange(1, 601) * 2e-3  # within intervals an impact takes energy, and gives a part of it back
    run = discs(count, **options).simulate(1.2, contacts="stepping", step=2e-3, save_at=between)
    assert run.status == "finished"
    where = np.array([[run[f"{x}{k}"][-1] for x in "xy"] for k in range(count)])
    apart = np.linalg.norm(where[:, None] - where, axis=2) + np.eye(count)
    assert apart.min() > 0.1 - 1e-5 and where[:, 1].min() > 0.05 - 1e-5 and np.abs(where[:, 0]).max() < 0.15 + 1e-5
    energy = np.sum([run.energy.kinetic, run.energy.potential], axis=0)
    assert np.diff(energy).max() < 3e-3 * np.ptp(energy)  # what overlaps is moved apart, and some of it is lifted
    if "friction" not in options:
        assert np.abs(run.qd[-1, : 3 * count]).max() < 1e-3
        floor = sum(run[f"touch_{k + 1}_{count + 1}.dot"][-1] for k in range(count))
        assert floor == pytest.approx(count * 9.81, rel=1e-3)


def test_the_intervals_begin_at_the_start_and_the_method_has_its_own_steps():
    model = ball(e=0)
    for method in ("newmark", "dop853", "lobatto", "scipy:Radau"):
        run = model.simulate(1.5, t_start=0.5, method=method, contacts="stepping", step=1e-2)
        assert run["y"][-1] == pytest.approx(0.1, abs=1e-4) and run["floor.dot"][-1] == pytest.approx(19.62, rel=1e-6)


def giving():
    """Contacts whose forces are pushed up by hand."""
    near = Stepping._near
    Stepping._near = lambda self, m: (near(self, m)[0], near(self, m)[1] * 1.5)
    try:
        return ball(e=1.0).simulate(5, contacts="stepping")
    finally:
        Stepping._near = near


def locked():
    model = ball()
    model.lock("y", locked=False)
    return model.simulate(1, contacts="stepping")


test_mistake_is_explained = explained(__file__)


def test_forces_from_the_inside_are_those_of_pivots():
    """Of random contacts, also of those that hardly move each other; in any units."""
    chance = np.random.default_rng(5)
    for m in (1, 2, 7, 60):
        J = chance.normal(size=(m, m + 3)) * (chance.random((m, m + 3)) < 0.3)
        A, b = J @ J.T + 1e-4 * np.eye(m), chance.normal(size=m)
        right = soft(A, b, np.zeros(m, dtype=bool), softness=0.0)
        unit = 10.0 ** chance.uniform(-6, 6, m)  # of each contact
        alike = by_least_squares(A * np.outer(unit, unit), b * unit) * unit
        for found in (by_least_squares(A, b), guessed(A, b, chance.random(m) < 0.5), alike):
            assert np.abs(found - right).max() <= 1e-6 * np.abs(right).max(initial=1e-9)


def test_forces_on_cones_obey_coulombs_law(monkeypatch):
    """By cones alone: what gives way by d f pushes or parts, sticks within its cone or slides against mu N.

    Three contacts in space, two joints with friction of at most 0.2, one plane of friction of at most 0.3, a clutch
    that only pushes.
    """
    monkeypatch.setattr(cone, "newton", lambda *problem: (cone.Solution(problem[-1], None, None), False))
    monkeypatch.setattr(cone, "ROUNDS", 40)
    k, mu = 14, 0.4
    share, normal = np.zeros(k), np.arange(k)
    share[:9], normal[:9] = mu * (np.arange(9) % 3 > 0), np.repeat([0, 3, 6], 3)
    most = np.array([*np.where(share[:9] > 0, 0, np.inf), 0.2, 0.2, 0.3, 0.3, np.inf])
    bounds = Bounds(np.array([*[0] * 9, -0.2, -0.2, -0.3, -0.3, 0]), most, share, normal)
    kinds = set()
    for seed in range(24):
        random = np.random.default_rng(seed)
        B = random.normal(size=(k, k + 2))
        A, b, d = B @ B.T / k, random.normal(size=k), np.full(k, 1e-3)
        b[:9:3] -= 1
        f = cone.softly(A, b, d, bounds, [(1, 2), (4, 5), (7, 8), (11, 12)], np.zeros(k))[0].force
        v = A @ f + b + d * f
        (N, *ways), (part, *slip) = f[:9].reshape(3, 3).T, v[:9].reshape(3, 3).T
        slips, radius = np.hypot(*slip), np.hypot(*ways)
        assert N.min() >= 0 and part.min() >= -1e-8 and np.abs(N * part).max() < 1e-8
        assert (radius <= mu * N + 1e-10).all()
        np.testing.assert_allclose(np.array(ways) * slips, -mu * N * np.array(slip), atol=1e-7)
        for i in (9, 10):
            assert abs(f[i]) <= 0.2 and abs(v[i] * f[i] + 0.2 * abs(v[i])) < 1e-9
        assert np.hypot(*f[11:13]) <= 0.3 + 1e-12
        np.testing.assert_allclose(f[11:13] * np.hypot(*v[11:13]), -0.3 * v[11:13], atol=1e-9)
        assert f[13] >= 0 and v[13] >= -1e-9 and abs(f[13] * v[13]) < 1e-9
        kinds |= {(bool(n > 0), bool(s > 1e-6)) for n, s in zip(N, slips, strict=True)}
    assert kinds == {(True, True), (True, False), (False, True)}


def test_a_heap_with_friction_comes_to_rest_on_its_weight():
    """Six discs between walls: the floor and friction at the walls carry them; friction stays within its bound."""
    model, chance, ends, g = Model("heap", gravity=(0, -9.81, 0)), np.random.default_rng(3), [], 9.81
    for k in range(6):
        row, column = divmod(k, 2)
        start = 0.13 * column - 0.065 + 0.005 * chance.uniform(-1, 1), 0.06 + 0.12 * row, 0
        x, y, a = model.coordinates(f"x{k} y{k} a{k}", initial=start)
        body = model.body(f"disc {k}", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 0.00125))
        ends.append((body, shapes.Disc(0.05)))
    walls = [((ground, tdisp(side * 0.14, 0, 0)), shapes.HalfPlane((-side, 0))) for side in (-1, 1)]
    model.add(*Contact.between([*ends, FLOOR, *walls], restitution=0.2, friction=0.3, name="c"))
    run = model.simulate(2, contacts="stepping", step=4e-3, save_every=0.02)
    assert max(abs(run[f"{q}{k}.dot"][-1]) for q in "xya" for k in range(6)) < 1e-2
    pressed = {n: run[f"c_{n}.dot"][-1] for n in (f"{k}_{face}" for k in range(1, 7) for face in (7, 8, 9))}
    rubs = {n: run[f"c_{n}_friction.dot"][-1] for n in pressed}
    floor = sum(N for n, N in pressed.items() if n.endswith("_7"))
    walls = sum(F * (-1 if n.endswith("_8") else 1) for n, F in rubs.items() if not n.endswith("_7"))
    assert floor + walls == pytest.approx(6 * g, rel=1e-3)
    assert all(abs(rubs[n]) <= 0.3 * N + 1e-9 for n, N in pressed.items())


def test_a_stepper_and_a_study_find_contacts_by_stepping_as_a_run_does():
    model = ball()
    run = model.simulate(1, contacts="stepping", step=2e-3, method="dop853")
    stepper = model.stepper(contacts="stepping", step=2e-3, method="dop853")
    stepper.advance(1.0)
    assert stepper.q[0] == pytest.approx(run["y"][-1], abs=1e-9)
    options = {"contacts": "stepping", "step": 2e-3, "method": "dop853"}
    study = model.study(1, over={"y": [1.0, 0.8]}, keep={"end": Last("y"), "force": Last("floor.dot")}, **options)
    found = study.run()
    other = model.simulate(1, initial={"y": 0.8}, **options)
    assert "one by one" in study.how
    np.testing.assert_allclose(found["end"], [run["y"][-1], other["y"][-1]], atol=1e-12)
    np.testing.assert_allclose(found["force"], [run["floor.dot"][-1], other["floor.dot"][-1]], atol=1e-9)
    assert study.key != model.study(1, over={"y": [1.0, 0.8]}, method="dop853").key


@pytest.mark.parametrize("unit, gap, rate, pull", [(1, 1e-10, 0, 0), (1e6, 1e-10, 0, 0), (1, 1.2e-3, -0.1, 8)])
def test_what_is_struck_does_not_go_through_the_wall_behind_it(unit, gap, rate, pull):
    """It stands there but for rounding, or comes near slowly; in micrometres as well. It gives way by 1e-4 of a way."""
    model, start = Model("row", gravity=(0, -9.81 * unit, 0)), (1 + gap) * unit
    a, b = model.coordinates("a b", initial=(start, start), rates=(rate * unit, -3.0 * unit))
    for q in (a, b):
        model.body(f"block {q}", tdisp(q, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(a, -pull * unit), RigidContact(a - unit, restitution=0, name="wall"),
              RigidContact(b - a, restitution=0, name="pair"))  # fmt: skip
    run = model.simulate(1e-2, contacts="stepping", step=1e-2)
    assert abs(run["a"][-1] / unit - 1) < 2e-4, "not 7e-3"


@pytest.mark.parametrize("friction", [None, 0.3])
def test_a_driven_body_slides_on_the_floor_and_is_refused_within(friction):
    """No coordinate moves its gap: beside it a ball falls as ever, and where it closes the gap it is named."""
    for sinking in (0, 0.01):
        model = ball(friction=friction)
        driven = model.body("driven", tdisp(0.5 * t, 0.1 - sinking * t, 0), mass=1, inertia=(0, 0, 1))
        model.add(Contact((driven, shapes.Disc(0.1)), FLOOR, restitution=0, friction=friction, name="slider"))
        if sinking:
            with pytest.raises(ModeError, match="the gaps of Contact 'slider' close at t = .* whatever moves"):
                model.simulate(1, contacts="stepping", step=2e-3)
        else:
            run = model.simulate(1, contacts="stepping", step=2e-3)
            alone = ball().simulate(1, contacts="stepping", step=2e-3)
            assert run["y"][-1] == pytest.approx(alone["y"][-1], abs=1e-12)


def test_what_time_stepping_refuses():
    with pytest.raises(InputError, match="the gap of Contact 'floor' is -0.05 m at the start: the bodies overlap"):
        ball(height=0.05).simulate(1, contacts="stepping")
    free = Model("free")
    free.body("body", tdisp(free.coordinates("x")[0], 0, 0), mass=1, inertia=(0, 0, 0))
    assert free.simulate(1, contacts="stepping").message == "reached t = 1 s"




def test_a_second_run_of_rough_bodies_is_the_first_one_again():
    """It began with the blocks of a matrix that the run before had ended with."""
    model, ends = Model("heap", gravity=(0, -9.81, 0)), [(ground, shapes.HalfPlane((0, 1)))]
    for k in range(6):
        x, y, a = model.coordinates(f"x{k} y{k} a{k}", initial=(0.13 * (k % 3) + 0.01 * k, 0.06 + 0.12 * (k // 3), 0))
        body = model.body(f"disc {k}", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 1e-3))
        ends.append((body, shapes.Disc(0.05)))
    model.add(*Contact.between(ends, restitution=0.5, friction=0.3))
    first, again = (model.simulate(0.25, contacts="stepping", step=1e-3) for _ in range(2))
    assert again.stats.steps == first.stats.steps and np.array_equal(again.q[-1], first.q[-1])
