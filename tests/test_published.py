"""The published mechanisms of tests/mechanisms/published beside published trajectories, or another way; their length.

Trajectories: tests/data/published.json, half of the mechanisms, made with DASSL at 1e-6; asked is 1e-3 of the largest
value of each signal. The others are checked by closed forms, by conserved quantities, or by a twin.
"""

import ast
import functools
import importlib
import inspect
from types import SimpleNamespace

import numpy as np
import pytest
from mechanisms.published import PUBLISHED

DOP853 = {"method": "dop853", "tolerance": 1e-10}

# What is farther than 1e-3 from the published samples, and why: the samples are what is off.
WIDER = {
    "Elementary.PointGravityWithPointMasses": 1.6e-3,  # bodies 3 and 4 lose 6e-4 of their energy between 1.2 and 1.6 s
    "Elementary.RollingWheel": 1.3e-3,  # angles 0.14 rad before gimbal lock at 2.8 s
}
QUICK = ("Elementary.PendulumWithSpringDamper", "Elementary.UserDefinedGravityField", "Elementary.SpringMassSystem")


@functools.cache
def built(name):
    return PUBLISHED[name].build()


def samples(reference, name):
    """Names of signals, times (n,), values (n, signals)."""
    found = reference("published.json").get(name)
    if found is None:
        return None
    table = np.array(found["samples"], dtype=float)
    return SimpleNamespace(names=found["signals"], t=table[:, 0], values=table[:, 1:])


def values(run, signals, names=None):
    """Signals along a run, (N, signals)."""
    return np.stack([np.broadcast_to(run.of(signals[name]), run.t.shape) for name in names or signals], axis=1)


def error(found, expected, least=1e-9):
    """The largest difference, of the largest value of each signal; of what is zero by itself."""
    size = np.abs(expected).max(axis=0)
    return (np.abs(found - expected).max(axis=0) / np.where(size < least, 1, size)).max()


def motion(name, t_final=None, instants=41, **options):
    """A run, its model and its signals."""
    model, signals = built(name)
    end = t_final or PUBLISHED[name].t_final
    return model.simulate(end, save_at=np.linspace(0, end, instants), **options), model, signals


# -- all of them ------------------------------------------------------------------------------------------------------


def statements(function):
    """How many statements a function has, its docstring not counted."""
    tree = ast.parse(inspect.getsource(function)).body[0]
    return sum(isinstance(node, ast.stmt) for node in ast.walk(tree)) - 2  # less `def` and the docstring


def length(case):
    """Statements of what builds a mechanism, and of the functions of its file that it calls."""
    file = importlib.import_module(case.build.__module__)
    own = [f for f in vars(file).values() if inspect.isfunction(f) and f.__module__ == file.__name__]
    assert case.build in own
    return sum(map(statements, own))


@pytest.mark.parametrize("name", PUBLISHED)
def test_no_longer_than_the_original(name):
    assert length(PUBLISHED[name]) <= PUBLISHED[name].original


TRICKS = {"GeneralizedForce", "Effort", "solve", "multipliers", "tanh"}


@pytest.mark.parametrize("name", PUBLISHED)
def test_no_tricks(name):
    """No element of its own, no smoothed friction, nothing solved by hand."""
    file = importlib.import_module(PUBLISHED[name].build.__module__)
    names = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(ast.parse(inspect.getsource(file)))}
    assert not names & TRICKS


COMPARED = [pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in PUBLISHED]


@pytest.mark.parametrize("method", [{}, {"method": "dop853"}], ids=["newmark", "dop853"])
@pytest.mark.parametrize("name", COMPARED)
def test_published_trajectories(name, method, reference):
    expected = samples(reference, name)
    if expected is None:
        pytest.skip("no samples are published for it here: see the tests below")
    model, signals = built(name)
    run = model.simulate(expected.t[-1], save_at=expected.t, **method)
    assert set(expected.names) <= set(signals)
    assert error(values(run, signals, expected.names), expected.values) < WIDER.get(name, 1e-3)


@pytest.mark.long
@pytest.mark.parametrize("name", PUBLISHED)
def test_energy_balance(name):
    """What energy changes is work: to 1e-4 of what is exchanged with the default method, 1e-7 with dop853."""
    if name.startswith("RobotR3"):
        pytest.skip("in test_drives.py")
    for options, limit in (({}, 1e-4), (DOP853, 1e-7)):
        energy = motion(name, min(PUBLISHED[name].t_final, 3), **options)[0].energy
        exchanged = max(np.ptp(energy.kinetic), np.ptp(energy.potential), np.ptp(energy.work), 1e-3)
        assert np.ptp(energy.balance) < limit * exchanged, (options, np.ptp(energy.balance) / exchanged)


# -- what the samples are worth ---------------------------------------------------------------------------------------


def test_published_points_lose_energy(reference):
    """Bodies 3 and 4 of PointGravityWithPointMasses: nothing takes energy from them, and the samples lose 9e-4 J."""
    expected = samples(reference, "Elementary.PointGravityWithPointMasses").values
    r3, v3, r4, v4 = (expected[:, k : k + 3] for k in (12, 15, 18, 21))
    kinetic = ((v3**2).sum(axis=1) + (v4**2).sum(axis=1)) / 2
    potential = 5 * ((r3 - r4) ** 2).sum(axis=1) - sum(1 / np.linalg.norm(r, axis=1) for r in (r3, r4))
    total = kinetic + potential
    assert np.ptp(total) > 8e-4
    assert total[-1] < total[1] - 8e-4


# -- the others, another way ------------------------------------------------------------------------------------------


def test_pendulum():
    """phi'' = (-m g l cos phi - d phi')/(J + m l^2), by SciPy."""
    from scipy.integrate import solve_ivp

    run, _, signals = motion("Elementary.Pendulum", **DOP853)
    other = solve_ivp(lambda t, y: (y[1], (-9.80665 * 0.5 * np.cos(y[0]) - 0.1 * y[1]) / 0.251), (0, 5), (0, 0),
                      t_eval=run.t, method="DOP853", rtol=1e-11, atol=1e-12)  # fmt: skip
    assert error(values(run, signals), other.y.T) < 1e-7


def test_free_body_moves_as_newton_and_euler_have_it():
    """Springs without free length are linear; about its centre of mass the inertia of the body is that of a sphere."""
    from scipy.integrate import solve_ivp
    from scipy.spatial.transform import Rotation

    run, _, signals = motion("Elementary.FreeBody", 3, **DOP853)

    def rates(t, y):
        R = Rotation.from_quat(y[3:7]).as_matrix()
        centre, w, lever = y[:3], y[10:13], R @ (0.2, 0, 0)
        one, two = -20 * (centre - lever), 20 * (np.array([0.8, 0, 0]) - centre - lever)
        force = one + two + (0, -9.80665, 0)
        moment = np.cross(-lever, one) + np.cross(lever, two)
        e, s = y[3:6], y[6]
        return [*y[7:10], *(s * w + np.cross(w, e)) / 2, -(w @ e) / 2, *force, *moment]

    start = Rotation.from_euler("XYZ", [10, 10, 10], degrees=True)
    first = [*(np.array([0.2, -0.5, 0.1]) + start.apply((0.2, 0, 0))), *start.as_quat(), *np.zeros(6)]
    y = solve_ivp(rates, (0, 3), first, t_eval=run.t, method="DOP853", rtol=1e-11, atol=1e-12).y.T
    turned = Rotation.from_quat(y[:, 3:7])
    place = y[:, :3] - turned.apply((0.2, 0, 0))
    found = values(run, signals)
    assert error(found[:, :3], place) < 1e-7
    assert np.abs(found[:, 6:] - turned.inv().apply(y[:, 10:13])).max() < 1e-7


def test_init_spring_constant():
    """c (0.2 - 0.1) l = m g l/2, and the pendulum stays where it is."""
    run, _, signals = motion("Elementary.InitSpringConstant")
    assert abs(run.of(signals["spring.c"])[0] - 49.03325) < 1e-9
    assert np.abs(run["phi"]).max() < 1e-12


def kepler(r, v, mu, t):
    """Place on an ellipse in the plane z = 0 at times t, by Kepler's equation."""
    energy, h = v @ v / 2 - mu / np.linalg.norm(r), np.cross(r, v)
    a = -mu / (2 * energy)
    e = np.cross(v, h) / mu - r / np.linalg.norm(r)
    size = np.linalg.norm(e)
    p = e / size
    q = np.cross(h, p) / np.linalg.norm(h)
    first = np.arctan2(r @ q / np.sqrt(1 - size**2), r @ p + a * size)
    mean = first - size * np.sin(first) + np.sqrt(mu / a**3) * t
    E = mean.copy()
    for _ in range(200):
        E -= (E - size * np.sin(E) - mean) / (1 - size * np.cos(E))
    return a * ((np.cos(E) - size)[:, None] * p + (np.sqrt(1 - size**2) * np.sin(E))[:, None] * q)


@pytest.mark.parametrize(("options", "limit"), [({}, 5e-3), (DOP853, 1e-6)])
def test_point_gravity_is_keplers(options, limit):
    """Both orbits beside Kepler's equation: to 5e-3 with the default method, for both pass near the centre."""
    run, _, signals = motion("Elementary.PointGravity", **options)
    starts = {"body1": ((0, 0.6, 0), (1, 0, 0)), "body2": ((0.6, 0.6, 0), (0.6, 0, 0))}
    for name, (r, v) in starts.items():
        found = values(run, signals, [f"{name}.r_0[{i}]" for i in (1, 2, 3)])
        assert error(found, kepler(np.array(r, float), np.array(v, float), 1, run.t)) < limit


def test_six_points_keep_what_a_central_field_keeps():
    """Energy and angular momentum about the centre, and their mutual distances; computed from the signals."""
    run, _, signals = motion("Elementary.PointGravityWithPointMasses2", **DOP853)
    table = values(run, signals).reshape(len(run.t), 6, 2, 3)
    r, v = table[:, :, 0], table[:, :, 1]
    energy = ((v**2).sum(axis=2) / 2 - 5 / np.linalg.norm(r, axis=2)).sum(axis=1)
    spin = np.cross(r, v).sum(axis=1)
    assert np.ptp(energy) < 1e-7 * np.abs(energy).max()
    assert np.ptp(spin, axis=0).max() < 1e-7 * np.abs(spin).max()
    assert np.ptp(np.linalg.norm(r[:, 0] - r[:, 2], axis=1)) < 1e-9
    assert np.abs(r[0] - [(3, 0, 0), (1, 0, 0), (2, 1, 0), (2, -1, 0), (2, 0, 1), (2, 0, -1)]).max() < 1e-12


def test_spring_damper_system():
    """The slide in closed form; the other body in its plane, by Newton and Euler, with SciPy."""
    from scipy.integrate import solve_ivp

    run, _, signals = motion("Elementary.SpringDamperSystem", **DOP853)
    w = np.sqrt(30)
    rest = 0.1 + 9.80665 / 30
    np.testing.assert_allclose(run.of(signals["p2.s"]), rest + (0.1 - rest) * np.cos(w * run.t), atol=1e-7)

    def rates(t, y):  # of the frame: x, y, angle
        lever = 0.2 * np.array([np.sin(y[2]), -np.cos(y[2])])
        line = np.array([0.3, 0]) - y[:2]
        length = np.hypot(*line)
        pull = (30 * (length - 0.1) - 2 * (line @ y[3:5]) / length) * line / length
        turn = (-lever[0] * pull[1] + lever[1] * pull[0]) / 0.1
        centre = pull + (0, -9.80665)
        return [*y[3:], *(centre - turn * np.array([-lever[1], lever[0]]) + y[5] ** 2 * lever), turn]

    y = solve_ivp(rates, (0, 10), (0.3, -0.2, 0, 0, 0, 0.03490658503988659), t_eval=run.t, method="DOP853", rtol=1e-11,
                  atol=1e-12).y  # fmt: skip
    found = values(run, signals, ["body1.r_0[1]", "body1.r_0[2]", "body1.v_0[2]", "body1.w_a[3]"])
    assert error(found, y[[0, 1, 4, 5]].T) < 1e-6


def test_spring_with_mass():
    """Half a kilogram in the middle: 1.125 kg move, 1.25 kg weigh; the body hangs straight down."""
    run, _, signals = motion("Elementary.SpringWithMass", **DOP853)
    w, rest = np.sqrt(40 / 1.125), 0.2 + 1.25 * 9.80665 / 40
    expected = -(rest + (0.3 - rest) * np.cos(w * run.t))
    np.testing.assert_allclose(run.of(signals["body.r_0[2]"]), expected, atol=1e-8)
    assert np.abs(values(run, signals, ["body.r_0[1]", "body.r_0[3]"])).max() < 1e-9


def test_three_springs_balance_in_their_point():
    """The sum of their forces on the point, from the signals; and the body obeys the third."""
    run, _, signals = motion("Elementary.ThreeSprings", **DOP853)
    point = values(run, signals, [f"spring1.r_rel_0[{i}]" for i in (1, 2, 3)]) + (0.3, 0, 0)
    body = values(run, signals, [f"body1.r_0[{i}]" for i in (1, 2, 3)])

    def pull(end, c):
        line = end - point
        return c * line * (1 - 0.1 / np.linalg.norm(line, axis=1))[:, None]

    assert np.abs(pull((0.3, 0, 0), 20) + pull((0, 0, 0.3), 20) + pull(body, 40)).max() < 1e-9


def test_heat_of_the_dampers():
    """What the three dampers take is what is lost; the Maxwell element's part from its state."""
    run, model, signals = motion("Elementary.HeatLosses", instants=301, **DOP853)
    dampers = [element for element in model.compile().mechanism.efforts if "Damper" in type(element).__name__]
    assert len(dampers) == 3
    lost = sum(run.work(element) + run.potential(element) - run.potential(element)[0] for element in dampers)
    assert lost[-1] < -1
    np.testing.assert_allclose(run.energy.total - run.energy.total[0], lost, atol=1e-7)
