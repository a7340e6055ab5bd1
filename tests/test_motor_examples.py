"""The three examples of the paper on motor calculus: beside other equations, closed forms, and by all schemes."""

import numpy as np
import pytest

from easydyn import examples
from easydyn.examples import rack, trolley, trolleys
from easydyn.examples.figures import module_of

TIGHT = {"method": "dop853", "tolerance": 1e-11}


def chain(s, angles, rates, rods, trolley_mass, friction, second=None, g=9.81):
    """Accelerations of a trolley and of rods below it, by angles from hanging; `second` (mass, friction) at the end.

    `rods` are (length, centre of mass, mass, inertia). Each place is linear in sines and cosines of absolute angles, so
    its Jacobian and what is left of its acceleration are written down at once.
    """
    n = len(angles)
    size = n + 1 + (second is not None)
    M, f = np.zeros((size, size)), np.zeros(size)
    M[0, 0] = trolley_mass
    J, left = np.zeros((2, size)), np.zeros(2)
    J[0, 0] = 1
    for k, (l, a, m, inertia) in enumerate(rods):
        sine, cosine = np.sin(angles[k]), np.cos(angles[k])
        along, across = np.array([sine, -cosine]), np.array([cosine, sine])
        G, leftover = J.copy(), left - a * along * rates[1 + k] ** 2
        G[:, 1 + k] += a * across
        M += m * G.T @ G
        M[1 + k, 1 + k] += inertia
        f += G.T @ (m * (np.array([0, -g]) - leftover))
        J[:, 1 + k] += l * across
        left = left - l * along * rates[1 + k] ** 2
    f[0] -= friction[0] * rates[0]
    for k in range(n):
        relative = rates[1 + k] - (rates[k] if k else 0)
        f[1 + k] -= friction[1 + k] * relative
        if k:
            f[k] += friction[1 + k] * relative
    if second is None:
        return np.linalg.solve(M, f)
    M[-1, -1] = second[0]
    f[-1] -= second[1] * rates[-1]
    J[0, -1] = -1  # the end of the chain less the second trolley
    whole = np.block([[M, J.T], [J, np.zeros((2, 2))]])
    return np.linalg.solve(whole, np.concatenate([f, -left]))[:size]


def absolute(values):
    return np.cumsum(values)


def test_trolley_beside_equations_in_absolute_angles(reference):
    """The parameters are those of the reference; accelerations along a run."""
    given = reference("motor_calculus.json")["cases"]["trolley_double_pendulum"]
    p = given["params"]
    model = examples.trolley_pendulum()
    assert model.values() == {k: p[k] for k in ("M0", "M1", "M2", "J1", "J2", "l1", "a1", "a2")} | {
        f"d{k}": d for k, d in enumerate(p["d"])
    }
    assert model.initial()[0] == pytest.approx(given["ic"])
    rods = [(p["l1"], p["a1"], p["M1"], p["J1"]), (0, p["a2"], p["M2"], p["J2"])]
    run = model.simulate(2, save_every=0.25, target="python", scheme="motor", **TIGHT)
    for q, qd, qdd in zip(run.q, run.qd, run.qdd, strict=True):
        rates = [qd[0], *absolute(qd[1:])]
        expected = chain(q[0], absolute(q[1:]), rates, rods, p["M0"], p["d"])
        np.testing.assert_allclose([qdd[0], *absolute(qdd[1:])], expected, rtol=0, atol=1e-11 * np.abs(expected).max())
        here = model.compile("python", "motor").accelerations(0, q, qd)
        bound = 1e-12 * np.abs(expected).max()
        np.testing.assert_allclose([here[0], *absolute(here[1:])], expected, rtol=0, atol=bound)


@pytest.mark.long
def test_fourfold_pendulum_beside_equations_in_absolute_angles(reference):
    given = reference("motor_calculus.json")["cases"]["fourfold_pendulum"]
    p = given["params"]
    assert trolleys.LENGTHS == tuple(p["L"]) and trolleys.MASSES == tuple(p["masses"])
    assert trolleys.FRICTION == tuple(p["damping"]) and trolleys.START == tuple(given["ic_deg"])
    assert trolleys.ends()[1] == pytest.approx(p["track2_height"], abs=1e-14)
    model = examples.fourfold_pendulum()
    rods = [(l, l / 2, m, m * l**2 / 12) for l, m in zip(p["L"], p["masses"][1:5], strict=True)]
    for form in ("reduced", "multipliers"):
        run = model.simulate(1, save_every=0.1, scheme="motor", target="python", constraints=form, **TIGHT)
        for k in range(len(run)):
            q, qd, qdd = (
                np.array([run[name + of][k] for name in ("s1", "phi1", "phi2", "phi3", "phi4", "s2")])
                for of in ("", ".dot", ".ddot")
            )
            rates = [qd[0], *absolute(qd[1:5]), qd[5]]
            second = p["masses"][5], p["damping"][5]
            expected = chain(q[0], absolute(q[1:5]), rates, rods, p["masses"][0], p["damping"][:5], second)
            found = [qdd[0], *absolute(qdd[1:5]), qdd[5]]
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10 * np.abs(expected).max())
        assert np.ptp(run.energy.balance) < 1e-9


def test_the_wheel_turns_back_where_its_momenta_and_its_energy_say():
    """For a spin of 50 rad/s; at 10 rad/s the axle passes the lowest point and is level again on the other side."""
    fast = examples.spinning_wheel().simulate(1, save_every=1e-3, **TIGHT)
    assert fast["axle"].max() == pytest.approx(rack.deepest(50), abs=2e-6) and fast["axle"].min() > -1e-9
    slow = examples.spinning_wheel(10).simulate(3, save_every=1e-3, **TIGHT)
    assert rack.deepest(10) == np.pi and slow["axle"].max() == pytest.approx(np.pi, abs=2e-5)
    for run, spin in ((fast, 50), (slow, 10)):
        a, b, ad = run["rack"], run["axle"], run["rack.dot"]
        momentum = rack.C * (run["wheel.dot"] - ad * np.sin(b))
        np.testing.assert_allclose(momentum, rack.C * spin, rtol=1e-9)
        about_z = (rack.RACK + rack.ACROSS * np.cos(b) ** 2) * ad - momentum * np.sin(b)
        np.testing.assert_allclose(about_z, 0, atol=1e-9)
        assert np.ptp(a) > 2


def test_the_faster_the_wheel_the_nearer_it_is_to_the_fast_top():
    """Precession and nutation over two periods: what the cycloid leaves out is of the order of its depth squared."""
    apart = []
    for spin in (200, 400):
        top = rack.fast_top(spin)
        run = examples.spinning_wheel(spin).simulate(4 * np.pi / top.nutation, save_every=5e-4, **TIGHT)
        turned, down = top.angles(run.t)
        assert run["rack"][-1] / run.t[-1] == pytest.approx(top.precession, rel=1e-3)
        apart.append((abs(run["axle"] - down).max() / top.depth, abs(run["rack"] - turned).max() / turned[-1]))
    for one, other in zip(*apart, strict=True):
        assert one < 3e-3 and one / other == pytest.approx(16, rel=0.1)


@pytest.mark.long
@pytest.mark.parametrize(("name", "of"), [
    ("trolley_pendulum", ()), ("fourfold_pendulum", ()), ("spinning_wheel", (50,)), ("spinning_wheel", (10,)),
])  # fmt: skip
def test_all_schemes_make_the_same_motion(name, of):
    """Below 6e-12 m and 1e-11 rad over 10 s, and so is the error of the method (reached 4e-14 and 4e-12)."""
    model = getattr(examples, name)(*of)
    runs = trolley.by_schemes(model)
    finer = model.simulate(10, save_every=0.02, method="dop853", tolerance=1e-13)
    for other in (runs["explicit"], runs["motor"], finer):
        for column in model.names:
            bound = 6e-12 if column.startswith("s") else 1e-11
            assert abs(other[column] - runs["recursive"][column]).max() < bound, column
    assert not np.array_equal(runs["motor"].q, runs["recursive"].q)


def test_pictures_of_differences(monkeypatch):
    """Over a short time: one curve for each group of coordinates, all of rounding."""
    short = {"target": "python", "save_every": 0.02}
    monkeypatch.setattr(
        trolley, "by_schemes", lambda model, schemes: {s: model.simulate(0.1, scheme=s, **short) for s in schemes}
    )
    for name, count in (("trolley_pendulum", 3), ("fourfold_pendulum", 2), ("spinning_wheel", 1)):
        ax = module_of(name).draw(None, "difference")
        assert [len(line.get_ydata()) for line in ax.lines] == [6] * count
        assert max(max(line.get_ydata()) for line in ax.lines) < 1e-12
