"""Drive trains: rotors in moving housings, motors, gears that give way, paths from point to point, the r3 robot.

References: Newton and Euler by hand for housing and rotor, the rotor as a body of its own, kinematics of constant
acceleration, closed forms of oscillators and circuits; of the robot the published trajectory (data/robot_r3.json).
"""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from mistakes import explained
from scipy.integrate import quad
from scipy.linalg import expm
from targets import FASTEST, SCHEMES, TARGETS
from together import together

from easydyn import (
    GeneralizedForce,
    JointFriction,
    Model,
    Rotor,
    TorsionSpring,
    examples,
    ground,
    point_to_point,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)
from easydyn.constraints import BevelGear, Gear, GearConstraint
from easydyn.forces import ElasticGear, ElectricMotor
from easydyn.linkages import four_bar

AXIS = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])
ACROSS = np.cross(AXIS, [1, 0, 0]) / np.linalg.norm(np.cross(AXIS, [1, 0, 0]))
TURN = np.column_stack([ACROSS, np.cross(AXIS, ACROSS), AXIS])  # z to the axis
INERTIA = np.array([[0.9, 0.1, 0.02], [0.1, 0.8, -0.05], [0.02, -0.05, 0.7]])
AT = (0.1, 0.02, 0.03)
J = 0.07
START = {"a": 0.2, "b": 0.4, "c": -0.3, "f": 0.1}
RATES = {"a": 1.2, "b": -0.7, "c": 0.5, "f": 20.0}


def carried(rotor, *, geared, axis=AXIS):
    """Three joints that carry a housing, and in it a rotor: the element, or a body of its own."""
    model = Model("carried", gravity=(0, 0, -9.81))
    a, b, c, f = model.coordinates("a b c f", initial=tuple(START.values()), rates=tuple(RATES.values()))
    (ratio,) = model.parameters(ratio=3)
    frame = trotz(a) * trotx(b) * tdisp(0.3, 0, 0) * troty(c)
    angle = ratio * c + f if geared else f
    if rotor == "element":
        housing = model.body("housing", frame, mass=2, inertia=INERTIA, com=AT)
        model.add(Rotor(housing, axis=tuple(2 * axis), inertia=J, coordinate=angle, position=AT, name="rotor"))
    else:
        own = TURN @ np.diag([0.04, 0.04, J]) @ TURN.T
        model.body("housing", frame, mass=1.5, inertia=INERTIA - own, com=AT)
        place = np.eye(4)
        place[:3, :3], place[:3, 3] = TURN, AT
        model.body("rotor", frame * place * trotz(angle), mass=0.5, inertia=(0.04, 0.04, J))
    model.add(GeneralizedForce(f, 0.3 - 0.01 * f.dot), GeneralizedForce(b, -2 * b))
    return model


@pytest.fixture(scope="module")
def pair():
    return {(kind, geared): carried(kind, geared=geared) for kind in ("element", "body") for geared in (False, True)}


@pytest.mark.parametrize("geared", [False, True], ids=["own coordinate", "with a ratio"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_as_a_body_of_its_own(scheme, geared, pair):
    """Accelerations, masses, forces and energies of a rotor in a housing that three joints carry."""
    q, qd, qdd = list(START.values()), list(RATES.values()), [0.3, -2, 1.1, 40]
    one, other = (pair[kind, geared].compile("numpy", scheme) for kind in ("element", "body"))
    assert one.accelerations(0, q, qd) == pytest.approx(other.accelerations(0, q, qd), rel=1e-10)
    assert one.energies(0, q, qd, qdd) == pytest.approx(other.energies(0, q, qd, qdd), rel=1e-10)
    assert one.residual(0, q, qd, qdd) == pytest.approx(other.residual(0, q, qd, qdd), rel=1e-10)
    assert one.mass_matrix(0, q) == pytest.approx(other.mass_matrix(0, q), rel=1e-10, abs=1e-12)


def test_motion_energy_and_reactions_as_those_of_a_body(pair):
    options = {"method": "dop853", "tolerance": 1e-10, "target": FASTEST}
    runs = [pair[kind, True].simulate(0.5, **options) for kind in ("element", "body")]
    for name in START:
        assert runs[0][name] == pytest.approx(runs[1][name], abs=1e-9)
    assert np.ptp(runs[0].energy.balance) < 1e-8
    assert runs[0].energy.kinetic == pytest.approx(runs[1].energy.kinetic, abs=1e-9)
    torques = [run.reaction("housing", "ground").moment for run in runs]  # of both bodies together, at the base
    assert torques[0] == pytest.approx(torques[1], abs=1e-7)


@together("axis", [(0, 0, 1), (0, -1, 0), AXIS], ids=["z", "-y", "any"])
@together("scheme", SCHEMES)
def test_newton_and_euler_by_hand(scheme, axis):
    """Housing on two joints: M = I w.dot + w x I w + J f.ddot n + w x J f.dot n on it, J (f.ddot + w.dot . n) on f."""
    model = Model("two joints")
    a, b, f = model.coordinates("a b f")
    housing = model.body("housing", trotz(a) * trotx(b), mass=0, inertia=INERTIA)
    model.add(Rotor(housing, axis=axis, inertia=J, coordinate=f))
    rng = np.random.default_rng(1)
    for _ in range(3):
        q, (ad, bd, fd), (add, bdd, fdd) = rng.normal(size=3), rng.normal(size=3) * 5, rng.normal(size=3) * 9
        c, s = np.cos(q[1]), np.sin(q[1])
        by_a = np.array([0, s, c])  # the first axis, in the axes of the housing
        w = np.array([bd, ad * s, ad * c])
        alpha = np.array([bdd, add * s + ad * bd * c, add * c - ad * bd * s])
        n = np.array(axis, dtype=float)
        M = INERTIA @ alpha + np.cross(w, INERTIA @ w) + J * fdd * n + np.cross(w, J * fd * n)
        expected = [by_a @ M, M[0], J * (fdd + alpha @ n)]
        found = model.compile("numpy", scheme).residual(0, q, [ad, bd, fd], [add, bdd, fdd])
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_what_the_bearing_of_a_gyroscope_bears():
    """A wheel that spins at 30 rad/s about a horizontal axis, which turns at 2 rad/s: J 30 * 2 across both."""
    model = Model("turntable")
    a, f = model.coordinates("a f", rates=(2, 30))
    table = model.body("table", trotz(a) * trotx(np.pi / 2), mass=0, inertia=(1, 1, 1))
    model.add(Rotor(table, axis="z", inertia=J, coordinate=f))
    run = model.simulate(0.5, save_every=0.1, target="numpy")
    moment = run.reaction("table rotor", "table").moment
    assert np.linalg.norm(moment, axis=1) == pytest.approx(J * 30 * 2, rel=1e-9)
    assert np.abs(moment @ [0, 0, 1]) == pytest.approx(0, abs=1e-9)  # about a horizontal line


def test_a_rotor_on_the_ground_is_an_inertia():
    """Of a joint behind a gear of 100: J 100^2."""
    model = Model("driven", gravity=(0, 0, 0))
    q, s = model.coordinates("q s", rates=(0.5, 0))
    (J1,) = model.parameters(J1=1e-3)
    arm = model.body("arm", trotz(q), mass=1, inertia=(0, 0, 2))
    model.body("second", trotz(q) * tdisp(1, 0, 0) * trotz(s), mass=1, inertia=(0, 0, 2))
    model.add(Rotor(ground, axis=(1, 0, 0), inertia=J1, coordinate=-100 * q, position=(0, 0, -0.2)))
    model.add(GeneralizedForce(q, 3))
    assert arm.coordinates == (q,)
    for scheme in SCHEMES:
        assert model.compile("numpy", scheme).mass_matrix(0, [0, 0])[0, 0] == pytest.approx(2 + 2 + 1 + 10, rel=1e-12)
    assert not model.check()
    run = model.simulate(1, target="numpy", save_every=0.1)
    assert run.energy.kinetic[0] == pytest.approx(15 * 0.25 / 2) and np.ptp(run.energy.balance) < 1e-5
    assert "ground rotor" in {frame.name for frame in model.scene().frames}


def test_a_housing_without_the_inertia_of_its_rotor_is_found():
    for inertia, found in ((0.1, 1), (0.3, 0)):
        model = Model("light")
        a, f = model.coordinates("a f")
        housing = model.body("housing", trotz(a), mass=1, inertia=(inertia, inertia, inertia))
        model.add(Rotor(housing, axis="z", inertia=0.2, coordinate=f), GeneralizedForce(f, 1))
        said = [x for x in model.check() if "as if its rotors stood still" in x]
        assert len(said) == found and all("body 'housing'" in x and "-0.1 kg m2" in x for x in said)


@pytest.mark.parametrize("target", TARGETS)
def test_locked_linear_pickled_and_on_every_target(target):
    """A rotor that is locked is part of its housing; small motions of a gyroscopic pendulum; a copy of the model."""
    model = Model("gyroscope", gravity=(0, 0, 0))
    a, b, f = model.coordinates("a b f", rates=(0, 0, 50))
    housing = model.body("housing", trotx(a) * troty(b), mass=0, inertia=(1, 1, 1))
    model.add(Rotor(housing, axis="z", inertia=0.2, coordinate=f))
    model.add(TorsionSpring(a, stiffness=9, free_angle=0), TorsionSpring(b, stiffness=9, free_angle=0))
    copy = pickle.loads(pickle.dumps(model))
    run = copy.simulate(0.2, target=target, locked=["f"], initial={"a.dot": 0.1, "f.dot": 0}, tolerance=1e-9)
    assert run["a"][-1] == pytest.approx(0.1 / 3 * np.sin(3 * 0.2), abs=2e-9) and not np.any(run["f"])
    poles = np.abs(np.imag(model.linearize().poles()))
    g = 0.2 * 50  # forward whirl: w^2 - g w - k = 0
    assert poles.max() == pytest.approx(g / 2 + np.sqrt(g * g / 4 + 9), rel=1e-13)


@pytest.mark.long
def test_path_by_quadrature():
    """Speeds and accelerations are derivatives of each other, within their bounds; one of these is always reached."""
    start, end, v, a = (0, -1, 2), (2, 1, 1.5), (1, 3, 1), (4, 2, 9)
    plan = point_to_point(start, end, v, a)
    at = np.linspace(0, plan.end, 101)
    for axis in range(3):
        speed, change = plan.velocity(at)[axis], plan.acceleration(at)[axis]
        assert np.abs(speed).max() <= v[axis] * (1 + 1e-12) and np.abs(change).max() <= a[axis] * (1 + 1e-12)
        assert float(plan.velocity(at[7])[axis]) == pytest.approx(speed[7], abs=1e-14)
        place = quad(lambda x, axis=axis: float(plan.velocity(x)[axis]), 0, plan.end, limit=200)[0]
        assert place == pytest.approx(end[axis] - start[axis], abs=1e-8)
        assert [float(plan.position(x)[axis]) for x in (-1, 0, plan.end, 99)] == pytest.approx(
            [start[axis]] * 2 + [end[axis]] * 2, abs=1e-12
        )
    # the first axis is the slowest in speed (2 s), the second in acceleration: 2 s + (1/2)/(1/1)
    assert plan.end == pytest.approx(2 + 0.5)


def test_paths_that_are_short_stay_or_go_backward():
    triangle = point_to_point(1, 0, speeds=10, accelerations=4)
    assert triangle.end == pytest.approx(2 * np.sqrt(1 / 4))  # half of the way with 4 m/s2
    assert [float(triangle.velocity(x)[0]) for x in (0.25, 0.5, 0.75)] == pytest.approx([-1, -2, -1])
    still = point_to_point((3, 4), (3, 4), 1, 1)
    assert still.end == 0 and not any((*still.velocity(t), *still.acceleration(0.2)))
    assert tuple(map(float, still.position(t))) == (3, 4)
    assert point_to_point((0, 0), (1, 0), (1, 1), (1, 1)).velocity(0.5)[1] == 0


def test_the_robot_s_path_ends_when_it_is_published_to():
    degrees = np.radians([-60, 20, 90, 0, -110, 0]), np.radians([60, -70, -35, 45, 110, 45])
    plan = point_to_point(*degrees, (3, 1.5, 5, 3.1, 3.1, 4.1), (15, 15, 15, 60, 60, 60))
    assert plan.end == pytest.approx(1.3560450019, abs=1e-10)
    assert point_to_point(0, np.radians(120), 3, 10).end == pytest.approx(0.9981317, abs=1e-7)


def test_a_coordinate_that_follows_a_path():
    """Forces of a path by inverse dynamics; a run that is driven by it lands on its corners."""
    plan = point_to_point(0, 1, speeds=1, accelerations=2)
    model = Model("axis")
    (q,) = model.coordinates("q")
    model.body("arm", trotz(q), mass=0, inertia=(0, 0, 3))
    model.add(GeneralizedForce(q, 3 * plan.acceleration(t)[0]))
    run = model.simulate(2, target="numpy", tolerance=1e-9)
    assert run["q"][-1] == pytest.approx(1, abs=1e-9) and run["q.dot"][-1] == pytest.approx(0, abs=1e-9)
    assert np.abs(run.t[:, None] - [0.5, 1, 1.5]).min(axis=0).max() < 1e-12


# -- motors and gears -------------------------------------------------------------------------------------------------


def shaft(*motors, J=2e-4, **initial):
    """A rotor on a coordinate, and what drives it."""
    model = Model("shaft")
    (q,) = model.coordinates("q", **initial)
    model.add(Rotor(ground, axis="z", inertia=J, coordinate=q), *(motor(q) for motor in motors))
    return model, q


def test_motor_runs_up_in_closed_form():
    """Both poles at -2/s: 50 (1 - (1 + 2 t) exp(-2 t)) rad/s; without inductance it is a first order."""
    model, _ = shaft(lambda q: ElectricMotor(q, resistance=2, inductance=0.5, constant=0.02, voltage=1))
    run = model.simulate(2, target="numpy", method="dop853", tolerance=1e-10, save_every=0.1)
    assert run["q.dot"] == pytest.approx(50 * (1 - (1 + 2 * run.t) * np.exp(-2 * run.t)), abs=1e-8)
    assert run.names == ("q", "q_motor_current")
    model, _ = shaft(lambda q: ElectricMotor(q, resistance=2, constant=0.02, voltage=1))
    run = model.simulate(2, target="numpy", method="dop853", tolerance=1e-10, save_every=0.1)
    assert run["q.dot"] == pytest.approx(50 * (1 - np.exp(-run.t)), abs=1e-8) and run.names == ("q",)


def test_a_current_loop_without_inductance_in_closed_form():
    """P alone: i = (P i0 - k w)/(R + P), so the rotor runs up to P i0/k; with I, two linear equations."""
    R, k, P, I, J, i0 = 2.0, 0.5, 3.0, 4.0, 0.1, 1.5
    options = {"resistance": R, "constant": k, "proportional": P, "current": i0, "name": "m"}
    run_up = {"target": "numpy", "method": "dop853", "tolerance": 1e-11, "save_every": 0.1}
    model, _ = shaft(lambda q: ElectricMotor(q, **options), J=J)
    run = model.simulate(3, **run_up)
    assert run["q.dot"] == pytest.approx(P * i0 / k * -np.expm1(-k * k * run.t / (J * (R + P))), abs=1e-9)
    model, _ = shaft(lambda q: ElectricMotor(q, integral=I, **options), J=J)
    run = model.simulate(3, **run_up)
    # x = (w, s): J w' = k i, s' = I (i0 - i), i = (P i0 + s - k w)/(R + P)
    A = np.array([[-k * k / J, k / J], [I * k, -I]]) / (R + P)
    b = np.array([k * P * i0 / J, I * i0 * R]) / (R + P)
    whole = np.vstack([np.column_stack([A, b]), np.zeros(3)])
    x = np.array([expm(whole * time)[:2, 2] for time in run.t]).T
    assert run["q.dot"] == pytest.approx(x[0], abs=1e-9) and run["m_loop"] == pytest.approx(x[1], abs=1e-9)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_motor_behind_a_ratio_acts_on_all_its_coordinates(scheme):
    """On p by 3 k i and on q by -2 k i; the current loop of a shaft that is held has the poles that are asked for."""
    w, D = 800.0, 0.6
    model = Model("two shafts")
    p, q = model.coordinates("p q")
    for angle, J1 in ((p, 1), (q, 1)):
        model.body(f"shaft {angle}", trotz(angle), mass=0, inertia=(0, 0, J1))
    loop = {"current": 2, "inductance": 250 / (2 * D * w), "integral": 125 * w / D}
    motor = ElectricMotor(3 * p - 2 * q, resistance=250, constant=0.5, name="m", **loop)
    model.add(motor)
    system = model.compile("numpy", scheme)
    assert system.accelerations(0, [0] * 4, [0, 0, 4, 0])[:2] == pytest.approx([3 * 0.5 * 4, -2 * 0.5 * 4])
    held = model.simulate(0.02, locked=["p", "q"], target="numpy", method="dop853", tolerance=1e-9, save_every=1e-3)
    s = np.sqrt(1 - D * D)
    step = 1 - np.exp(-D * w * held.t) * (np.cos(w * s * held.t) + D / s * np.sin(w * s * held.t))
    assert held["m_current"] == pytest.approx(2 * step, abs=1e-6)
    assert held.of(motor.moment) == pytest.approx(held["m_current"] * 0.5)


def two_inertias(friction=None, **options):
    model = Model("gear")
    p, q = model.coordinates("p q")
    model.add(Rotor(ground, axis="z", inertia=0.02, coordinate=p))
    model.body("load", trotz(q), mass=0, inertia=(0, 0, 3))
    gear = ElasticGear(p, q, ratio=-10, stiffness=8, friction=friction, **options)
    model.add(gear)
    return model, gear, p, q


@pytest.mark.parametrize("scheme", SCHEMES)
def test_elastic_gear_swings_in_closed_form(scheme):
    """w^2 = c (1/J1 + n^2/J2), damped by k (1/J1 + n^2/J2)/2; n J1 p.dot + J2 q.dot is what it was."""
    model, gear, _, _ = two_inertias(damping=0.05)
    run = model.simulate(
        1, initial={"p": 0.1}, target="numpy", scheme=scheme, method="dop853", tolerance=1e-10, save_every=0.02
    )
    mobility = 1 / 0.02 + 100 / 3
    d = 0.05 * mobility / 2
    w = np.sqrt(8 * mobility - d * d)
    expected = 0.1 * np.exp(-d * run.t) * (np.cos(w * run.t) + d / w * np.sin(w * run.t))
    assert run.of(gear.twist) == pytest.approx(expected, abs=5e-11)
    assert np.ptp(-10 * 0.02 * run["p.dot"] + 3 * run["q.dot"]) < 1e-14
    assert np.ptp(run.energy.balance) < 5e-11


def test_backlash_is_crossed_freely():
    """From flank to flank at the relative speed at which the teeth part; half a swing on each flank; energy is kept."""
    model, gear, _, _ = two_inertias(backlash=0.05)
    options = {"initial": {"p": 0, "p.dot": 0.4}, "target": FASTEST, "method": "dop853", "tolerance": 1e-9}
    run = model.simulate(1, save_every=1e-3, **options)
    mobility = 1 / 0.02 + 100 / 3
    period = 2 * (0.05 / 0.4) + 2 * np.pi / np.sqrt(8 * mobility)
    twist = run.of(gear.twist)
    stored = 8 * np.maximum(np.abs(twist) - 0.025, 0) ** 2 / 2
    assert run.energy.potential - run.energy.potential[0] == pytest.approx(stored, abs=1e-12)
    expected = 0.025 + 0.4 / np.sqrt(8 * mobility)
    assert twist.max() == pytest.approx(expected, rel=1e-3) and twist.min() == pytest.approx(-expected, rel=1e-3)
    after = model.simulate(period, **options)
    assert after.of(gear.twist)[-1] == pytest.approx(0, abs=3e-10)
    assert np.ptp(run.energy.balance) < 3e-10


def test_teeth_do_not_pull():
    """With much damping the flank lets go where the moment comes to zero, before the twist is gone."""
    model, gear, _, _ = two_inertias(backlash=0.05, damping=0.5)
    run = model.simulate(0.3, initial={"p": 0.1}, target="numpy", save_every=1e-3)
    moment, twist = run.of(gear.moment), run.of(gear.twist)
    assert moment.max() > 0.3 and np.all(moment * twist >= -1e-12)
    assert np.ptp(run.energy.balance) < 3e-6


def test_friction_of_a_gear_is_that_of_a_joint():
    """Sticks and slides as a JointFriction beside a gear without; a table of the speed is the law it stands for."""
    table = ((0, 0.3), (2, 0.5), (5, 0.5))
    events = []
    for own in (True, False):
        model, gear, p, q = two_inertias(damping=0.1, **({"friction": table, "static_friction": 0.6} if own else {}))
        if not own:
            model.add(JointFriction(p, table, static_level=0.6))
        model.add(GeneralizedForce(q, -400 * q))
        run = model.simulate(1.5, initial={"q": 0.06, "p": -0.6}, method="dop853", tolerance=1e-8)
        events.append([(x.what, x.t) for x in run.events])
    assert len(events[0]) > 3 and [x[0] for x in events[0]] == [x[0] for x in events[1]]
    assert [x[1] for x in events[0]] == pytest.approx([x[1] for x in events[1]], abs=1e-12)
    model, gear, p, q = two_inertias(friction=table)
    force = model.compile("numpy").accelerations(0, [0, 0], [1, -0.1])[0] * 0.02
    assert force == pytest.approx(-0.4, rel=1e-13)  # half-way between the first points
    assert model.compile("numpy").accelerations(0, [0, 0], [9, -0.9])[0] * 0.02 == pytest.approx(-0.5, rel=1e-13)


def right_angle(kind, *, ratio=-5):
    """A housing that turns on two joints, in it two shafts across each other, with a bevel gear between them."""
    model = Model("right angle")
    h, k, p, q = model.coordinates("h k p q", rates=(0.4, -0.3, 0, 0))
    frame = trotz(h) * troty(k)
    housing = model.body("housing", frame, mass=0, inertia=(3, 4, 5))
    one = model.body("one", frame * tdisp(0.1, 0, 0) * trotx(p), mass=1, inertia=(0.1, 0.2, 0.2))
    two = model.body("two", frame * tdisp(0, 0, 0.2) * trotz(q), mass=2, inertia=(0.5, 0.5, 0.9))
    gears = {
        "coordinates": lambda: BevelGear(p, q, ratio, axes=("x", "z")),
        "bodies": lambda: GearConstraint(one, two, housing, ratio=ratio, axes=("x", (0, 0, 3))),
    }
    gear = gears[kind]()
    model.add(gear, GeneralizedForce(p, 2))
    return model, gear


@pytest.mark.parametrize(("shaft", "form"), [("crank", "multipliers"), ("rocker", "reduced")])
def test_gears_of_loops(shaft, form):
    """A flywheel behind a gear, on a coordinate of a four-bar that leads or follows, is n**2 of its inertia there."""
    runs = []
    for geared in (True, False):
        model = Model("mill", gravity=(0, -9.81, 0))
        q = four_bar(model, ground=2, crank=0.6, coupler=2, rocker=1.5, rate=3).coordinates[shaft]
        p = model.coordinate("p") if geared else q
        inertia = 0.2 if geared else 0.2 * 2.5**2
        model.body("flywheel", tdisp(0, 0, 1) * trotz(p), mass=0, inertia=(0, 0, inertia))
        if geared:
            model.add(Gear(p, q, -2.5))
        run = model.simulate(0.5, constraints=form, target="numpy", method="dop853", tolerance=1e-9, save_every=0.1)
        assert np.ptp(run.energy.balance) < 1e-8
        runs.append((run.of(q), run.energy.kinetic))
    np.testing.assert_allclose(runs[0], runs[1], rtol=0, atol=2e-8)  # of runs with a tolerance of 1e-9


def test_gears_between_coordinates_and_between_bodies_are_the_same():
    """In a housing that turns freely: motion, moments of the teeth, energy, by both forms of constraints."""
    found = []
    for kind in ("coordinates", "bodies"):
        for form in ("reduced", "multipliers"):
            model, gear = right_angle(kind)
            assert model.mobility().degrees_of_freedom == 3
            run = model.simulate(
                0.5, constraints=form, target="numpy", method="dop853", tolerance=1e-9, save_every=0.1
            )
            assert np.ptp(run.energy.balance) < 1e-13
            found.append(np.column_stack([run.q[:, :4], run.multipliers(gear)]))
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=0, atol=1e-13)
    np.testing.assert_allclose(found[0][:, 2], -5 * found[0][:, 3], rtol=0, atol=1e-13)


@pytest.mark.parametrize("kind", ["coordinates", "bodies"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_teeth_and_mounting_bear_by_hand(kind, scheme):
    """Housing held: p.ddot = u/(J1 + J2/n^2), the teeth J1 p.ddot - u, about z the mounting -n times that."""
    model, gear = right_angle(kind)
    held = {"h.dot": 0, "k.dot": 0}
    run = model.simulate(0.2, initial=held, locked=["h", "k"], target="numpy", scheme=scheme, save_every=0.1)
    faster = 2 / (0.1 + 0.9 / 25)
    assert run["p.dot"] == pytest.approx(faster * run.t, rel=1e-13)
    moment = run.multipliers(gear)[:, 0]
    assert moment == pytest.approx(0.1 * faster - 2, rel=1e-13)
    about_z = run.reaction("housing", "ground").moment[:, 2]
    assert about_z == pytest.approx(0.9 * faster / -5, rel=1e-13)
    if kind == "coordinates":
        assert gear.support == (1, 0, 5) and about_z == pytest.approx(5 * moment, rel=1e-13)


def test_gear_with_an_offset_and_a_parameter():
    model = Model("offset")
    p, q = model.coordinates("p q", initial=(0, 0.2))
    (n,) = model.parameters(n=4)
    for angle, J1 in ((p, 1), (q, 16)):
        model.body(f"shaft {angle}", trotz(angle), mass=0, inertia=(0, 0, J1))
    gear = Gear(p, q, n, offset=0.3, name="teeth")
    model.add(gear, GeneralizedForce(p, 6))
    run = pickle.loads(pickle.dumps(model)).simulate(1, target="numpy", save_every=0.5)
    assert run["p"] == pytest.approx(4 * run["q"] + 0.3, abs=1e-13) and gear.support == 1 - n
    assert run["p.dot"][-1] == pytest.approx(3, rel=1e-13)  # 6/(1 + 16/4**2)
    assert model.simulate(1, target="numpy", parameters={"n": 2})["p.dot"][-1] == pytest.approx(1.2, rel=1e-13)


# -- the r3 robot -----------------------------------------------------------------------------------------------------

STICK_AND_SLIP = (0.0006523, 0.9979176, 1.0934545, 1.0989228, 1.1278501, 1.3536239)  # s, as published


def test_one_axis_sticks_and_slides_when_it_is_published_to():
    run = examples.one_axis().simulate(1.4981317, method="dop853")
    assert [x.t for x in run.events] == pytest.approx(STICK_AND_SLIP, abs=1e-4)
    whats = ["slides forward", "slides backward", "sticks", "slides backward", "sticks", "slides forward"]
    assert [x.what for x in run.events] == whats
    assert run["load"][-1] == pytest.approx(np.radians(120), abs=5e-4)  # the bearing holds it there


PUBLISHED = {
    "controller.PI.x": "axis{}_integral", "motor.C.v": "axis{}_capacitor", "motor.La.i": "axis{}_current",
    "gear.spring.phi_rel": "axis{}_twist", "gear.spring.w_rel": "axis{}_twist_rate",
    "gear.bearingFriction.mode": "axis{}_friction.slides",
}  # fmt: skip


@pytest.fixture(scope="module")
def published():
    """Instants, and the trajectory by what our columns are called."""
    data = json.loads((Path(__file__).parent / "data" / "robot_r3.json").read_text(encoding="utf-8"))
    samples = np.array(data["samples"])
    found = {"mechanics.b2.body.w_a[1]": "upper_arm_turning"}
    for k in range(1, 7):
        found |= {f"axis{k}.{theirs}": ours.format(k) for theirs, ours in PUBLISHED.items()}
        found |= {f"mechanics.r{k}.phi": f"joint{k}", f"mechanics.r{k}.w": f"joint{k}.dot"}
    return samples[:, 0], {found[name]: samples[:, j] for j, name in enumerate(data["signals"]) if name != "time"}


@pytest.mark.parametrize("method", ["newmark", pytest.param("dop853", marks=pytest.mark.long)])
def test_the_whole_robot_moves_as_published(method, published):
    """All 42 signals, the modes of friction too, within 1e-4 of the largest value."""
    times, signals = published
    assert len(signals) == 42
    model = examples.robot_r3()
    run = model.simulate(1.856045, save_at=np.minimum(times, 1.856045), method=method)
    for name, expected in signals.items():
        assert run[name] == pytest.approx(expected, abs=1e-4 * np.abs(expected).max()), name
    starts = {f"axis{k}_friction": 0 for k in range(1, 7)}
    for event in run.events:
        starts[event.name] += 1
    assert all(starts.values()) and len(run.events) > 30


def test_the_robot_begins_at_rest(published):
    """Nothing accelerates; the currents hold the load against gravity, without help by friction."""
    model = examples.robot_r3()
    run = model.simulate(1e-4, target="python")
    _, signals = published
    for k in (2, 3, 4, 5):
        assert run[f"axis{k}_current"][0] == pytest.approx(signals[f"axis{k}_current"][0], rel=1e-6)
    assert "by model.start" in run.message


@pytest.mark.long
def test_the_robot_follows_set_points_from_outside():
    """The published path as formulas of inputs is the same run; without a word the robot holds any load where it is."""
    from easydyn.examples.r3 import ACCELERATIONS, END, SPEEDS, START

    plan = point_to_point(np.radians(START), np.radians(END), SPEEDS, ACCELERATIONS)
    inputs = {f"axis{k + 1}_position": x for k, x in enumerate(plan.position(t))}
    inputs |= {f"axis{k + 1}_speed": x for k, x in enumerate(plan.velocity(t))}
    model = examples.robot_r3(planned=False)
    ours, theirs = model.simulate(0.1, inputs=inputs), examples.robot_r3().simulate(0.1)
    assert np.abs(ours["joint2"][-1] - theirs["joint2"][-1]) < 1e-7 and np.ptp(theirs["joint2"]) > 0.005
    held = model.simulate(0.05, parameters={"load": 3})
    assert max(np.ptp(held[f"joint{k}"]) for k in range(1, 7)) < 1e-6


def rotor(w, *, housing=None, **options):
    given = {"axis": (0, 0, 1), "inertia": 1, "coordinate": w.q1} | options
    return Rotor(w.upper if housing is None else housing, **given)


def electric(w, **options):
    return ElectricMotor(w.q1, **{"resistance": 1, "constant": 1, "voltage": 1} | options)


def gear(w, **options):
    return ElasticGear(w.q1, w.q2, **{"ratio": 2, "stiffness": 5} | options)


test_mistake_is_explained = explained(__file__)


def test_nothing_is_wrong_with_a_flat_housing():
    """Beside its rotor it has no inertia about the other axes, and less about its own."""
    model = Model("drive")
    a, b = model.coordinates("a b")
    housing = model.body("housing", trotz(a), mass=1, inertia=(0, 0, 1e-2))
    model.add(Rotor(housing, axis=(0, 0, 1), inertia=1e-3, coordinate=b, name="rotor"))
    assert model.check() == []
