"""Laws of physics that hold whatever the model: each test is named after one."""

import numpy as np
import pytest
import sympy
from sympy import cos, sin
from targets import SCHEMES, TARGETS

from easydyn import (
    Damper,
    Force,
    GeneralizedForce,
    JointFriction,
    KnifeEdge,
    Model,
    Moment,
    RollingWheel,
    RollingWheelSet,
    Spring,
    ground,
    rotation_sequence,
    t,
    tdisp,
    transform,
    trot,
    trotx,
    troty,
    trotz,
)
from easydyn.constraints import GearConstraint
from easydyn.errors import SlowRunWarning

GRAVITY = np.array([0.6, -9.3, -2.4])


def rotation(rng):
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


def inertia(rng, mass=1.0):
    """The tensor of a cloud of points."""
    p = rng.uniform(-0.4, 0.4, (6, 3))
    return mass / 6 * (np.sum(p**2) * np.eye(3) - p.T @ p)


def tree(seed, n=4, *, drive=0, before=None, gravity=GRAVITY, scale=1.0, efforts=True):
    """A random spatial tree of turning and sliding joints; `before` stands in front of every frame.

    With drive the joints move as functions of time as well; `efforts` adds a spring to a neighbour.
    """
    rng = np.random.default_rng(seed)
    model = Model(f"tree {seed}", gravity=tuple(gravity))
    q = model.coordinates([f"q{i}" for i in range(n)])
    frames = [tdisp(0, 0, 0) if before is None else before]
    for i in range(n):
        parent = frames[int(rng.integers(max(0, i - 1), i + 1))]
        axis, kind = rng.normal(size=3), rng.integers(4)
        moved = q[i] + drive * sin((1 + i) * t)
        joint = [trot(axis, moved), trotz(moved), trotx(moved), tdisp(0.3, moved, 0)][kind]
        frames.append(parent * transform(rotation(rng), rng.uniform(-1, 1, 3)) * joint * tdisp(*(0.1 * drive * t,) * 3))
        mass = rng.uniform(0.5, 3)
        com = rng.uniform(-0.3, 0.3, 3)
        model.body(f"b{i}", frames[-1], mass=scale * mass, inertia=scale * inertia(rng, mass), com=com)
    if efforts:
        ends = (model.bodies[0], (0.1, 0.2, 0.3)), (model.bodies[-1], (-0.2, 0, 0.1))
        model.add(Spring(*ends, stiffness=15 * scale, free_length=0.4))
    return model


def state(rng, n):
    return rng.uniform(-3, 3, n), rng.uniform(-2, 2, n), rng.uniform(-4, 4, n)


def slope(function, h=1e-2):
    """Derivative at 0 by central differences of eighth order."""
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    return sum(w / h * (function(k * h) - function(-k * h)) for k, w in enumerate(weights, 1))


def close(x, y, tolerance=1e-11):
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    return x.shape == y.shape and np.abs(x - y).max() <= tolerance * max(1.0, np.abs(y).max())


# -- mass matrix ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("seed", range(4))
def test_mass_matrix_is_symmetric_positive_definite(seed, scheme, rng):
    system = tree(seed).compile(scheme=scheme)
    for _ in range(5):
        M = system.mass_matrix(0, rng.uniform(-3, 3, 4))
        assert close(M, M.T, 1e-14) and np.linalg.eigvalsh(M)[0] > 0


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("drive", [0, 0.4])
def test_mass_matrix_is_the_derivative_of_the_residual(drive, scheme, rng):
    system = tree(1, drive=drive).compile(scheme=scheme)
    q, qd, qdd = state(rng, 4)
    f = system.residual(0.3, q, qd, qdd)
    for j, e in enumerate(np.eye(4)):
        assert close(system.residual(0.3, q, qd, qdd + e) - f, system.mass_matrix(0.3, q)[:, j])


@pytest.mark.parametrize("seed", range(4))
def test_mass_matrix_rate_less_twice_coriolis_does_no_work(seed, rng):
    """qd . (Mdot - 2 C) qd = 0: the power of inertia forces is the rate of kinetic energy."""
    system = tree(seed, gravity=(0, 0, 0), efforts=False).compile()
    for _ in range(3):
        q, qd, _ = state(rng, 4)
        Mdot = slope(lambda s, q=q, qd=qd: system.mass_matrix(0, q + s * qd))
        C_qd = system.residual(0, q, qd, np.zeros(4))
        assert abs(qd @ Mdot @ qd - 2 * qd @ C_qd) < 1e-9 * abs(qd @ C_qd)


def test_mass_matrix_rate_less_twice_coriolis_is_skew(rng):
    """With C from the residual (half its second derivative by the rates, Christoffel's symbols): Mdot - 2 C is skew."""
    system = tree(2, gravity=(0, 0, 0), efforts=False).compile()
    q, qd, zero = rng.uniform(-3, 3, 4), rng.uniform(-2, 2, 4), np.zeros(4)

    def quadratic(v):
        return system.residual(0, q, v, zero)

    C = np.array([(quadratic(qd + e) - quadratic(qd) - quadratic(e)) / 2 for e in np.eye(4)]).T
    assert close(C @ qd, quadratic(qd))
    # C_jk of the residual is sum over l of G_jkl qd_l with G symmetric in k, l: Christoffel's symbols of the first kind
    Mdot = slope(lambda s: system.mass_matrix(0, q + s * qd))
    assert close(Mdot - 2 * C, -(Mdot - 2 * C).T, 1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_kinetic_energy_is_half_the_square_of_the_rates(seed, rng):
    system = tree(seed).compile()
    q, qd, qdd = state(rng, 4)
    assert system.energies(0, q, qd, qdd)[0] == pytest.approx(qd @ system.mass_matrix(0, q) @ qd / 2, rel=1e-13)


# -- power and energy -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_power_flow_of_inverse_dynamics_is_the_rate_of_energy(seed, rng):
    """d(T + V)/dt = f . qd for any motion, f being the forces that it would need."""
    system = tree(seed).compile()
    q, qd, qdd = state(rng, 4)

    def energy(s):
        kinetic, potential, _ = system.energies(0, q + s * qd + s * s / 2 * qdd, qd + s * qdd, qdd)
        return kinetic + potential

    assert slope(energy, 2e-3) == pytest.approx(qd @ system.residual(0, q, qd, qdd), rel=1e-8)


def with_everything(drive=0.3):
    """Driven joints, a damper, a joint friction, a moment in time, a force at a point with a reaction."""
    model = tree(3, drive=drive)
    q = model.mechanism.coordinates
    first, *_, last = model.bodies
    model.add(Damper((first, (0, 0.1, 0)), (ground, (3, 1, 0)), damping=0.7))
    model.add(GeneralizedForce(q[1], -0.4 * q[1].dot - q[1] + cos(t)))
    model.add(Moment(last, (sin(2 * t), 0.3, q[0]), frame=first))
    model.add(Force(last, (0.5, -q[2].dot, cos(t)), at=(0.1, 0.2, 0.3), frame=last, reaction=first))
    return model


@pytest.mark.one_in(3)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("drive", [0, 0.3])
def test_power_balance_of_a_motion(drive, scheme, rng):
    """d(T + V)/dt is the power of all else: efforts in time, dampers, drives."""
    system = with_everything(drive).compile(scheme=scheme)
    for _ in range(3):
        q, qd, _ = state(rng, 4)
        time = rng.uniform(-1, 1)
        qdd = system.accelerations(time, q, qd)

        def energy(s, q=q, qd=qd, qdd=qdd, time=time):
            kinetic, potential, _ = system.energies(time + s, q + s * qd + s * s / 2 * qdd, qd + s * qdd, qdd)
            return kinetic + potential

        power = system.energies(time, q, qd, qdd)[2]
        assert abs(power) > 0.1 and slope(energy, 2e-3) == pytest.approx(power, rel=1e-7)


def balance_closes(run, tolerance):
    energy = run.energy
    drift = np.ptp(energy.balance)
    return drift < tolerance * max(np.ptp(energy.total), np.ptp(energy.work)) and np.ptp(energy.work) > 0.1


def test_energy_balance_closes_for_a_driven_frame():
    model = Model("slot", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0.4)
    body = model.body("slider", trotz(2 * t) * tdisp(q, 0, 0), mass=2, inertia=(0, 0, 0.1))
    model.add(Spring(body, ground, stiffness=60, free_length=0.3))
    assert balance_closes(model.simulate(1, save_every=0.01, tolerance=1e-7), 1e-5)


def test_energy_balance_closes_for_dampers_and_forces_in_time():
    model = Model("oscillator", gravity=(0, -9.81, 0))
    a, b = model.coordinates("a b", initial=(1, 0.5))
    first = model.body("first", trotz(a) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0.1))
    second = model.body(
        "second", trotz(a) * tdisp(0, -2, 0) * trotz(b) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0.1)
    )
    model.add(Damper(second, (ground, (3, 0, 0)), damping=0.6), GeneralizedForce(b, -0.3 * b.dot))
    model.add(Force(first, (4 * sin(3 * t), 0, 0), at=(0, 0.2, 0)), Moment(second, (0, 0, cos(t)), reaction=first))
    assert balance_closes(model.simulate(1, save_every=0.01, tolerance=1e-7), 1e-5)


@pytest.mark.long
def test_energy_balance_closes_for_python_callbacks_in_a_driven_frame():
    model = Model("callback", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0.4)
    (x,) = model.coordinates("x", initial=0.4)
    frame = tdisp(0.2 * sin(3 * t), 0, 0) * trotz(q) * tdisp(x, 0, 0)
    model.body("arm", frame, mass=2, inertia=(0, 0, 0.1), com=(0.1, 0.05, 0))

    @model.efforts
    def thrust(time, bodies):
        b = bodies["arm"]
        b.R += 3 * np.cos(time) * b.T.R.uy() - 0.5 * b.vG - 40 * b.T.e
        b.MG += (0, 0, 0.4 - 0.2 * b.omega[2])

    with pytest.warns(SlowRunWarning):
        run = model.simulate(0.5, save_every=0.01, tolerance=1e-6)
    assert balance_closes(run, 1e-4)


@pytest.mark.filterwarnings("ignore::easydyn.errors.SlowRunWarning")
@pytest.mark.parametrize("held", ["lock", "friction"])
@pytest.mark.parametrize("method", ["newmark", "dop853"])
def test_what_is_held_against_an_effort_in_python(held, method):
    """A block of 2 kg is pushed by 3 t N, and held up to 2 N; from then on it is free, or slides against 2 N."""
    model = Model("block")
    x, y = model.coordinates("x y")
    model.body("block", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    friction = JointFriction(x, 2)
    if held == "friction":
        model.add(friction)
        force = friction.force
    else:
        force = model.locking_force(x)
        model.lock(x, until=abs(force) > 2)

    @model.efforts
    def push(time, bodies):
        bodies["block"].R += (3 * time, 1, 0)

    run, least = model.simulate(1.5, method=method, tolerance=1e-8), 2 / 3
    tau = 1.5 - least
    x_end = (1.5**3 - least**3) / 4 - 0.75 * least**2 * tau - (tau**2 / 2 if held == "friction" else 0)
    assert abs(run.events[-1].t - least) < 1e-9 and (run["x"][run.t < least] == 0).all()
    assert abs(run["x"][-1] - x_end) < 1e-6 and abs(run["y"][-1] - 1.5**2 / 4) < 1e-6
    before = run.t < least
    np.testing.assert_allclose(run.of(force)[before], -3 * run.t[before], atol=1e-9)
    assert balance_closes(run, 1e-5)


@pytest.mark.filterwarnings("ignore::easydyn.errors.SlowRunWarning")
@pytest.mark.parametrize("target", TARGETS)
def test_an_effort_in_python_acts_on_its_own_coordinate(target):
    """The first coordinate moves no body: z.ddot = q, and the body is at q = cos(2 t) by a force of -8 q N."""
    model = Model("behind")
    z, q = model.coordinates("z q", initial=(0, 1))
    model.equation(z.ddot - q)
    model.body("body", tdisp(q, 0, 0), mass=2, inertia=(0, 0, 0))

    @model.efforts
    def pull(time, bodies):
        bodies["body"].R += -8 * bodies["body"].T.e

    end = model.simulate(1, method="dop853", tolerance=1e-9, target=target)
    assert abs(end["q"][-1] - np.cos(2)) < 1e-8 and abs(end["z"][-1] - (1 - np.cos(2)) / 4) < 1e-8
    K = model.compile(target).jacobian("q", 0, [0, 1], [0, 0], [0, 0])
    np.testing.assert_allclose(K, [[0, 8], [0, -1]], atol=1e-8)


def test_callback_equals_the_symbolic_force(rng):
    def model():
        m = tree(2, drive=0.3)
        return m, m.mechanism.coordinates, m.bodies[-1]

    symbolic, _, last = model()
    symbolic.add(Force(last, (0, 3 * cos(t), 1), frame=last, at=tuple(last.com)), Moment(last, (0, 0.4, -0.2)))
    plain, _, _ = model()

    @plain.efforts
    def thrust(time, bodies):
        b = bodies[-1]
        b.R += b.T.R * (0, 3 * np.cos(time), 1)
        b.MG += (0, 0.4, -0.2)

    q, qd, qdd = state(rng, 4)
    assert close(plain.compile().residual(0.7, q, qd, qdd), symbolic.compile().residual(0.7, q, qd, qdd))


# -- kinematics -----------------------------------------------------------------------------------------------------


def test_rotations_stay_rotations(rng):
    T = with_everything().compile().frames(rng.uniform(-2, 2, 20), rng.uniform(-9, 9, (20, 4)))
    R = T[..., :3, :3]
    assert close(R @ np.swapaxes(R, -1, -2), np.broadcast_to(np.eye(3), R.shape), 1e-14)
    assert close(np.linalg.det(R), np.ones(R.shape[:-2]), 1e-14)
    assert np.array_equal(T[..., 3, :], np.broadcast_to([0, 0, 0, 1.0], (20, 4, 4)))


def vee(W):
    return np.array([W[2, 1], W[0, 2], W[1, 0]])


@pytest.mark.long
def test_partial_contributions_are_derivatives_of_the_frame(rng):
    """body.d[q], body.theta[q] against numeric derivatives of T.e and T.R; zero for what does not move the body."""
    model = tree(0, drive=0.3)
    system, coordinates = model.compile(), model.mechanism.coordinates
    q, qd, qdd = state(rng, 4)
    asked = [c for b in model.bodies for x in coordinates for c in (*b.d[x], *b.theta[x], *b.dG[x])]
    found = system.evaluate(asked, 0.4, q, qd, qdd).reshape(4, 4, 3, 3)
    R = system.frames(0.4, q)[:, :3, :3]
    for j, step in enumerate(np.eye(4)):
        dT = slope(lambda s, step=step: system.frames(0.4, q + s * step))
        for i, body in enumerate(model.bodies):
            d, theta, dG = found[i, j]
            assert close(d, dT[i, :3, 3], 1e-10)
            assert close(theta, vee(dT[i, :3, :3] @ R[i].T), 1e-10)
            assert close(dG, (dT[i] @ [*body.com, 1])[:3], 1e-10)
    moves = np.abs(found).max(axis=(2, 3)) > 1e-3
    assert moves.any(axis=0).all() and not moves.all()


@pytest.mark.long
def test_velocities_and_accelerations_are_time_derivatives_of_the_frame(rng):
    model = tree(0, drive=0.3)
    system = model.compile()
    q, qd, qdd = state(rng, 4)

    def along(s):
        return 0.4 + s, q + s * qd + s * s / 2 * qdd, qd + s * qdd

    for i, body in enumerate(model.bodies):
        v, omega, a, alpha = np.split(system.evaluate([*body.v, *body.omega, *body.a, *body.alpha], 0.4, q, qd, qdd), 4)
        dT = slope(lambda s, i=i: system.frames(*along(s)[:2])[i], 5e-3)
        assert close(v, dT[:3, 3], 1e-9)
        assert close(omega, vee(dT[:3, :3] @ system.frames(0.4, q)[i, :3, :3].T), 1e-9)
        rates = slope(lambda s, body=body: system.evaluate([*body.v, *body.omega], *along(s), qdd), 5e-3)
        assert close(a, rates[:3], 1e-9) and close(alpha, rates[3:], 1e-9)


def test_coriolis_acceleration_counts_twice():
    """trotz(w t) tdisp(q, 0, 0): a = (qdd - w^2 q) x + 2 w qd y in turning axes (errata 1)."""
    model = Model("Coriolis")
    (q,) = model.coordinates("q")
    (w,) = model.parameters(w=3.0)
    body = model.body("slider", trotz(w * t) * tdisp(q, 0, 0), mass=2, inertia=(0, 0, 0))
    R = sympy.Matrix(body.T.R.matrix)
    inside = (R.T * sympy.Matrix(body.a)).applyfunc(sympy.simplify)
    assert inside == sympy.Matrix([q.ddot - w**2 * q, 2 * w * q.dot, 0])
    assert sympy.Matrix(body.omega) == sympy.Matrix([0, 0, w]) and sympy.Matrix(body.alpha) == sympy.zeros(3, 1)
    assert list(sympy.simplify(sympy.Matrix(body.d[q]))) == [cos(w * t), sin(w * t), 0]
    assert model.compile().accelerations(0.4, [0.5], [7.0]) == pytest.approx([9 * 0.5], rel=1e-14)


# -- momentum -------------------------------------------------------------------------------------------------------


def isolated_pair():
    """Two free bodies in space, nothing outside: what acts on one has its reaction on the other."""
    model = Model("pair")
    names = "x y z a b c".split()
    bodies = []
    for k in (1, 2):
        x, y, z, a, b, c = model.coordinates([f"{name}{k}" for name in names])
        rng = np.random.default_rng(k)
        bodies.append(
            model.body(
                f"body {k}", tdisp(x, y, z) * rotation_sequence("zyx", a, b, c), mass=1.0 + k,
                inertia=inertia(rng), com=tuple(rng.uniform(-0.2, 0.2, 3)),
            )
        )  # fmt: skip
    return model, *bodies


PAIRS = {
    "spring": lambda p, r: [Spring((p, (0.1, 0.2, 0)), (r, (0, 0, 0.3)), stiffness=30, free_length=0.5)],
    "damper": lambda p, r: [Damper((p, (0.1, 0.2, 0)), (r, (0, 0, 0.3)), damping=3)],
    "force aside": lambda p, r: [Force(p, (3, sin(t), -2), at=(0.4, 0.1, 0.3), frame=r, reaction=r)],
    "force on velocity": lambda p, r: [Force(p, (p.vG[1], r.vG[0] * t, 1), at=(0, 0.5, 0), reaction=r)],
    "moment": lambda p, r: [Moment(p, (0.3, p.omega[2], cos(t)), frame=p, reaction=r)],
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", PAIRS)
def test_momentum_and_angular_momentum_of_an_isolated_pair_are_conserved(name, rng):
    model, first, second = isolated_pair()
    model.add(*PAIRS[name](first, second))
    system = model.compile()
    expressions = [e for b in (first, second) for e in (*b.aG, *b.omega, *b.alpha)]
    for _ in range(3):
        q, qd = rng.uniform(-1.2, 1.2, (2, 12))
        qdd = system.accelerations(0.6, q, qd)
        motion = system.evaluate(expressions, 0.6, q, qd, qdd).reshape(2, 3, 3)
        frames = system.frames(0.6, q)
        P, L, largest = np.zeros(3), np.zeros(3), 0.0
        for body, T, (aG, omega, alpha) in zip((first, second), frames, motion, strict=True):
            R, G = T[:3, :3], (T @ [*body.com, 1])[:3]
            I = R @ np.asarray(body.inertia) @ R.T
            P += body.mass * aG
            L += np.cross(G, body.mass * aG) + I @ alpha + np.cross(omega, I @ omega)
            largest = max(largest, np.abs(aG).max(), np.abs(alpha).max())
        assert largest > 0.1  # something acts
        assert np.abs(P).max() < 1e-11 * largest and np.abs(L).max() < 1e-11 * largest


def test_momentum_of_an_isolated_pair_is_conserved_along_a_run():
    model, first, second = isolated_pair()
    model.add(*PAIRS["spring"](first, second), *PAIRS["damper"](first, second))
    start = {"x1": 1.0, "y1": 0.5, "x1.dot": -1.0, "a1.dot": 2.0, "b2.dot": 1.0, "z2.dot": 0.5}
    run = model.simulate(0.5, save_every=0.1, tolerance=1e-6, initial=start)
    P = sum(b.mass * np.column_stack([run.of(c) for c in b.vG]) for b in (first, second))
    assert np.ptp(run["x1.dot"]) > 0.1 and np.abs(P - P[0]).max() < 1e-5


def test_free_body_falls_with_gravity_whatever_its_mass(rng):
    for mass in (0.1, 7.0):
        model = Model("free fall", gravity=tuple(GRAVITY))
        x, y, z, a, b, c = model.coordinates("x y z a b c")
        frame = tdisp(x, y, z) * rotation_sequence("zxz", a, b, c)
        body = model.body("stone", frame, mass=mass, inertia=inertia(rng, mass), com=(0.1, -0.2, 0.3))
        system = model.compile()
        q, qd, _ = rng.uniform(0.3, 1.4, (3, 6))
        aG = system.evaluate(list(body.aG), 0, q, qd, system.accelerations(0, q, qd))
        assert close(aG, GRAVITY, 1e-12)


# -- invariance -----------------------------------------------------------------------------------------------------


@pytest.mark.one_in(3)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_motion_does_not_depend_on_how_the_ground_is_turned(scheme, rng):
    Q, p = rotation(rng), rng.uniform(-2, 2, 3)
    here = tree(1, drive=0.2).compile(scheme=scheme)
    there = tree(1, drive=0.2, before=transform(Q, p), gravity=Q @ GRAVITY).compile(scheme=scheme)
    wrong = tree(1, drive=0.2, before=transform(Q, p)).compile(scheme=scheme)
    q, qd, qdd = state(rng, 4)
    assert close(there.accelerations(0.5, q, qd), here.accelerations(0.5, q, qd))
    assert close(there.residual(0.5, q, qd, qdd), here.residual(0.5, q, qd, qdd))
    assert not close(wrong.accelerations(0.5, q, qd), here.accelerations(0.5, q, qd), 1e-3)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_motion_in_a_uniformly_translating_frame_is_the_same(scheme, rng):
    here, moving = (tree(1, before=b).compile(scheme=scheme) for b in (None, tdisp(3 * t, -2 * t, 5 - t)))
    q, qd, qdd = state(rng, 4)
    assert close(moving.accelerations(0.8, q, qd), here.accelerations(0.8, q, qd))
    assert close(moving.residual(0.8, q, qd, qdd), here.residual(0.8, q, qd, qdd))


def test_accelerated_frame_is_a_change_of_gravity(rng):
    a = np.array([1.0, -2.0, 0.5])
    lift = tree(1, before=tdisp(*(c * t**2 / 2 for c in a))).compile()
    heavy = tree(1, gravity=GRAVITY - a).compile()
    q, qd, qdd = state(rng, 4)
    assert close(lift.residual(0.8, q, qd, qdd), heavy.residual(0.8, q, qd, qdd))


def test_pendulum_in_a_uniformly_translating_frame_swings_alike():
    def pendulum(before):
        model = Model("pendulum", gravity=(0, -9.81, 0))
        (q,) = model.coordinates("q", initial=1)
        model.body("bob", before * trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0.1))
        return model.simulate(2, save_every=0.1, tolerance=1e-8)

    assert close(pendulum(tdisp(4 * t, -3 * t, 0))["q"], pendulum(tdisp(0, 0, 0))["q"], 1e-7)


def test_rotating_coordinates_equal_inertial_coordinates(rng):
    """The same particle on a spring, once in a frame that turns with w(t) = 0.7 + 0.6 t, once at rest."""
    turning, fixed = Model("turning", gravity=(0, -9.81, 0)), Model("fixed", gravity=(0, -9.81, 0))
    x, y = turning.coordinates("x y")
    angle = 0.7 * t + 0.3 * t**2
    a = turning.body("a", trotz(angle) * tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    X, Y = fixed.coordinates("X Y")
    b = fixed.body("b", tdisp(X, Y, 0), mass=2, inertia=(0, 0, 0))
    turning.add(Spring(a, (ground, (1, 2, 0)), stiffness=30, free_length=0.4))
    fixed.add(Spring(b, (ground, (1, 2, 0)), stiffness=30, free_length=0.4))
    time, J = 0.9, np.array([[0, -1], [1, 0]])
    R = np.array(trotz(0.7 * time + 0.3 * time**2).R.matrix)[:2, :2]
    w, wd = 0.7 + 0.6 * time, 0.6
    for _ in range(3):
        r, v = rng.uniform(-2, 2, (2, 2))
        acceleration = turning.compile().accelerations(time, r, v)
        inertial = acceleration + 2 * w * J @ v + wd * J @ r - w * w * r
        assert close(fixed.compile().accelerations(time, R @ r, R @ (v + w * J @ r)), R @ inertial, 1e-12)


def test_relative_and_absolute_angles_give_the_same_motion(rng):
    def chain(absolute):
        model = Model("chain", gravity=(0, -9.81, 0))
        a, b, c = model.coordinates("a b c", initial=(1, 1.5, 0.8) if absolute else (1, 0.5, -0.7))
        frame, angle = tdisp(0, 0, 0), 0
        for i, x in enumerate((a, b, c)):
            frame = frame * trotz(x - angle if absolute else x)
            angle = x
            model.body(f"rod {i}", frame * tdisp(0, -0.5, 0), mass=1 + i, inertia=(0, 0, 0.1))
            frame = frame * tdisp(0, -1, 0)
        return model

    to_absolute = np.tril(np.ones((3, 3)))
    relative, absolute = chain(False).compile(), chain(True).compile()
    for _ in range(3):
        q, qd, qdd = state(rng, 3)
        expected = to_absolute @ relative.accelerations(0, q, qd)
        assert close(absolute.accelerations(0, to_absolute @ q, to_absolute @ qd), expected)
        f = absolute.residual(0, *(to_absolute @ x for x in (q, qd, qdd)))
        assert close(to_absolute.T @ f, relative.residual(0, q, qd, qdd))
    runs = [chain(kind).simulate(0.5, save_every=0.1, tolerance=1e-7) for kind in (False, True)]
    assert close(runs[1].q, runs[0].q @ to_absolute.T, 1e-6)


def test_time_reversed_motion_is_a_motion(rng):
    """Without friction: the accelerations are those of the reversed rates; of a driven model, of its reversed drive."""
    q, qd, _ = state(rng, 4)
    system = tree(2).compile()
    assert close(system.accelerations(0, q, -qd), system.accelerations(0, q, qd))

    def driven(direction):
        model = Model("drive", gravity=(0, -9.81, 0))
        a, b = model.coordinates("a b")
        time = direction * t
        model.body("arm", trotx(time**2 + time) * trotz(a) * tdisp(b, sin(time), 0.2), mass=1, inertia=(0.1, 0.2, 0.3))
        return model.compile()

    forward = driven(1).accelerations(0.6, q[:2], qd[:2])
    assert close(driven(-1).accelerations(-0.6, q[:2], -qd[:2]), forward)
    assert not close(driven(1).accelerations(-0.6, q[:2], -qd[:2]), forward, 1e-3)


def test_run_goes_back_to_where_it_came_from():
    model = Model("double pendulum", gravity=(0, -9.81, 0))
    a, b = model.coordinates("a b", initial=(0.5, 0.3))
    model.body("upper", trotz(a) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    model.body(
        "lower", trotz(a) * tdisp(0, -1, 0) * troty(0.5) * trotx(b) * tdisp(0, -1, 0), mass=1, inertia=(0.1,) * 3
    )
    there = model.simulate(1, tolerance=1e-9)
    turned = {"a": there["a"][-1], "b": there["b"][-1], "a.dot": -there["a.dot"][-1], "b.dot": -there["b.dot"][-1]}
    back = model.simulate(1, tolerance=1e-9, initial=turned)
    assert np.abs(there.q[-1] - there.q[0]).max() > 0.1
    assert np.abs(back.q[-1] - there.q[0]).max() < 1e-6 and np.abs(back.qd[-1] + there.qd[0]).max() < 1e-5


def test_scaling_all_masses_and_stiffnesses_changes_nothing(rng):
    q, qd, qdd = state(rng, 4)
    one, many = tree(3, drive=0.2).compile(), tree(3, drive=0.2, scale=250.0).compile()
    assert close(many.accelerations(0.2, q, qd), one.accelerations(0.2, q, qd))
    assert close(many.residual(0.2, q, qd, qdd), 250 * one.residual(0.2, q, qd, qdd))


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("drive", [0, 0.3])
def test_residual_is_zero_at_the_accelerations(drive, scheme, rng):
    system = with_everything(drive).compile(scheme=scheme)
    for _ in range(3):
        q, qd, _ = state(rng, 4)
        qdd = system.accelerations(0.7, q, qd)
        size = np.abs(system.residual(0.7, q, qd, np.zeros(4))).max()
        assert np.abs(system.residual(0.7, q, qd, qdd)).max() < 1e-12 * size


# -- few and many bodies --------------------------------------------------------------------------------------------


def chain(n):
    """Rods of 1 m, one below the other, in relative angles about z and x in turn."""
    model = Model(f"chain of {n}", gravity=(0, -9.81, 0))
    frame = tdisp(0, 0, 0)
    for i, q in enumerate(model.coordinates([f"q{i}" for i in range(n)])):
        frame = frame * (trotx if i % 2 else trotz)(q)
        model.body(f"rod {i}", frame * tdisp(0, -0.5, 0), mass=1, inertia=(1 / 12, 0.001, 1 / 12))
        frame = frame * tdisp(0, -1, 0)
    return model


def test_one_rod_is_the_physical_pendulum(rng):
    system = chain(1).compile()
    for q in rng.uniform(-3, 3, (5, 1)):
        assert system.mass_matrix(0, q) == pytest.approx(1 / 3)
        assert system.accelerations(0, q, [2.0]) == pytest.approx(-1.5 * 9.81 * np.sin(q), rel=1e-13)


@pytest.mark.parametrize("n", [pytest.param(40, marks=pytest.mark.long), pytest.param(100, marks=pytest.mark.nightly)])
def test_chain_of_many_rods(n, rng):
    system = chain(n).compile()
    q, qd, qdd = rng.uniform(-1, 1, (3, n))
    f, M = system.residual(0, q, qd, qdd), system.mass_matrix(0, q)
    assert np.all(np.isfinite(f)) and close(M, M.T, 1e-12) and np.linalg.eigvalsh(M)[0] > 0
    assert close(f - system.residual(0, q, qd, np.zeros(n)), M @ qdd, 1e-11)
    assert system.energies(0, q, qd, qdd)[0] == pytest.approx(qd @ M @ qd / 2, rel=1e-12)
    # hanging straight down and swinging stiffly about the top: the first row is that of one rod of n metres
    still = np.zeros(n)
    assert system.mass_matrix(0, still)[0, 0] == pytest.approx(n * n**2 / 3, rel=0.1 / n)
    assert np.abs(system.residual(0, still, still, still)).max() < 1e-12


def test_body_without_mass_adds_only_its_inertia_of_rotation(rng):
    def model(flywheel):
        m = tree(0)
        q = m.mechanism.coordinates
        if flywheel:
            frame = m.bodies[0].T * trot((1, 1, 0), 5 * q[1])
            m.body("flywheel", frame, mass=0, inertia=(0.02, 0.03, 0.04, 0.001, 0.002, 0.003))
        return m

    q, qd, _ = state(rng, 4)
    heavy = model(True)
    wheel, system = heavy["flywheel"], heavy.compile()
    theta = np.array([system.evaluate(list(wheel.theta[x]), 0, q, qd, qd) for x in heavy.mechanism.coordinates])
    R = system.frames(0, q)[-1, :3, :3]
    expected = theta @ R @ np.asarray(wheel.inertia) @ R.T @ theta.T
    assert np.abs(expected).max() > 0.1
    assert close(system.mass_matrix(0, q) - model(False).compile().mass_matrix(0, q), expected, 1e-12)


def test_rotor_without_mass_turns_with_the_moment_over_its_inertia():
    model = Model("rotor", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q")
    rotor = model.body("rotor", tdisp(1, 2, 3) * trot((0, 3, 4), q), mass=0, inertia=(0.5, 0.5, 0.5))
    model.add(Moment(rotor, (0, 3, 4)))
    assert model.compile().accelerations(0, [0.7], [2.0]) == pytest.approx([10.0], rel=1e-14)


ASKEW = (tdisp(0.1, 0.2, 0.3) * trot((1, 2, 3), 0.7), tdisp(-0.3, 0.1, 0.2) * trot((2, -1, 1), 0.4))
HELD = {
    "weld": lambda model, a, b, _: model.close(a, b, joint="weld"),
    "universal": lambda model, a, b, _: model.close(a, b, joint="universal"),
    "distance": lambda model, a, b, _: model.close(a, b, joint="distance", length=0.7),
    "wheel": lambda model, a, b, _: RollingWheel(a, b, radius=0.5),
    "wheel set": lambda model, a, b, c: RollingWheelSet(a, b, c, radius=0.5),
    "runner": lambda model, a, b, _: KnifeEdge(a, b),
    "gear": lambda model, a, b, c: GearConstraint(a[0], b[0], c[0], ratio=2.5, axes=((1, 2, 3), (0, 1, 1))),
}


@pytest.mark.parametrize("kind", HELD)
def test_loads_of_a_constraint_do_no_work_along_what_it_allows(kind, rng):
    """Of free bodies, held to each other, wherever they are: A qdd + ... = 0 and M qdd + ... = A' lambda."""
    model = Model("held")
    bodies = []
    for name in "abc":
        x, y, z, *turns = model.coordinates([f"{q}_{name}" for q in "xyzuvw"])
        turned = trotz(turns[0]) * troty(turns[1]) * trotx(turns[2])
        bodies.append(model.body(name, tdisp(x, y, z) * turned, mass=2, inertia=(0.1, 0.2, 0.15)))
    held = HELD[kind](model, *zip(bodies, (*ASKEW, ASKEW[0]), strict=True))
    if held not in model.constraints:
        model.add(held)
    system = model.system(model.values(), "python", "recursive", kept=tuple(range(len(held.labels))))
    matrix = system.mass_matrix(0, rng.uniform(-1, 1, system.n))
    A, loads = matrix[18:, :18], -matrix[:18, 18:]
    assert np.abs(A).max(axis=1).min() > 0.1 and not matrix[18:, 18:].any()
    np.testing.assert_allclose(loads, A.T, atol=1e-14)
