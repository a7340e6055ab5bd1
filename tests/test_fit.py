"""Fits: what was put in comes out, within what is said of it; what cannot be known is named; data in all forms."""

import importlib.util
import re

import numpy as np
import pytest
from together import together

from easydyn import GeneralizedForce, Model, RigidContact, examples, tdisp, trotz
from easydyn.engine.derivation import Derivation
from easydyn.errors import InputError
from easydyn.native.machine import available
from easydyn.study.doubts import _turns
from easydyn.study.problem import Measured, Problem

pytest.importorskip("scipy", reason="fits are SciPy's")

TRUE = {"c": 0.02, "k": 1.0, "l1": 1.2}
T = np.linspace(0, 10, 501)
NOISE = 0.01  # rad


def damped(initial=(2.2, 1.5), **values):
    """The double pendulum with dampers and a spring in its joints; from high up it is chaotic."""
    model = Model("double pendulum", gravity=(0, -9.81, 0))
    q1, q2 = model.coordinates("q1 q2", initial=initial)
    l1, l2, c, k = model.parameters(l1=1.2, l2=1.1, c=0.02, k=1.0)
    m1, m2 = model.parameters(m1=1.1, m2=0.9)
    model.body("upper", trotz(q1) * tdisp(0, -l1 / 2, 0), mass=m1, inertia=(1, 1, m1 * l1**2 / 12))
    lower = trotz(q1) * tdisp(0, -l1, 0) * trotz(q2) * tdisp(0, -l2 / 2, 0)
    model.body("lower", lower, mass=m2, inertia=(1, 1, m2 * l2**2 / 12))
    model.add(GeneralizedForce(q2, -k * q2 - c * q2.dot), GeneralizedForce(q1, -c * q1.dot))
    model.set_parameters(**values)
    return model


@pytest.fixture(scope="module")
def pendulum():
    return damped()


@pytest.fixture(scope="module")
def exact(pendulum):
    return pendulum.simulate(10, method="dop853", tolerance=1e-11, save_at=T)


def noisy(run, rng):
    return {"t": T, "a": run["q1"] + NOISE * rng.normal(size=501), "b": run["q2"] + NOISE * rng.normal(size=501)}


def off(rng, true, by=0.2):
    return {name: value * (1 + by * rng.choice([-1, 1])) for name, value in true.items()}


TO = {"q1": "a", "q2": "b"}


@pytest.mark.long
@pytest.mark.parametrize("seed", [2])
def test_a_chaotic_pendulum_is_found_from_20_percent_off(pendulum, exact, seed):
    """10 s, three parameters; a single run is lost; each within four standard errors (a chance of 2e-4 of failing)."""
    rng = np.random.default_rng(seed)
    data, guess = noisy(exact, rng), off(rng, TRUE)
    fit = pendulum.fit(data, guess, TO)
    assert fit.status == "converged" and "20 pieces" in fit.message and not fit.unidentified
    for name, value in TRUE.items():
        assert abs(fit[name] - value) < 4 * fit.errors[name] < 0.05 * value, name
        low, high = fit.intervals[name]
        assert low < fit[name] < high and high - low == pytest.approx(2 * 1.962 * fit.errors[name], rel=1e-3)
    for noise in fit.sigma.values():
        assert noise == pytest.approx(NOISE, rel=0.15)
    assert fit.runs < 250, "143 runs of pieces are usual"
    lost = pendulum.fit(data, guess, TO, shooting="single")
    assert max(lost.sigma.values()) > 0.2, "of one run from there"


@pytest.mark.long
def test_intervals_hold_what_they_promise():
    """Of 60 fits with noise of their own, about 95 in 100 intervals hold the value; the errors are the scatter."""
    model = damped((0.8, 0.4))
    true = model.simulate(10, method="dop853", tolerance=1e-11, save_at=T)
    inside, found, said = [], [], []
    for seed in range(60):
        fit = model.fit(noisy(true, np.random.default_rng(seed)), TRUE, TO)
        inside += [low < TRUE[name] < high for name, (low, high) in fit.intervals.items()]
        found.append(list(fit.parameters.values()))
        said.append(list(fit.errors.values()))
    assert 0.88 < np.mean(inside) < 0.995
    np.testing.assert_allclose(np.std(found, axis=0), np.mean(said, axis=0), rtol=0.3)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_a_chaotic_pendulum_is_found_from_anywhere_near(pendulum, exact, seed):
    rng = np.random.default_rng(seed)
    fit = pendulum.fit(noisy(exact, rng), off(rng, TRUE), TO)
    for name, value in TRUE.items():
        assert abs(fit[name] - value) < 4 * fit.errors[name] < 0.05 * value, name


@pytest.mark.long
def test_least_squares_of_a_linear_model_are_those_of_algebra():
    """x = x0 + v0 t + a t^2/2: estimates and covariance beside the normal equations."""
    model = Model("thrown")
    (x,) = model.coordinates("x", initial=0.1)
    (a,) = model.parameters(a=-1.0)
    model.equation(x.ddot - a)
    t = np.linspace(0, 2, 40)
    y = 1 + 2 * t - 4.9 * t**2 + 0.05 * np.random.default_rng(1).normal(size=40)
    fit = model.fit({"time": t, "x": y}, {"x": 0.0, "x.dot": 1.0, "a": -1.0}, sigma=0.05)
    A = np.column_stack([np.ones(40), t, t**2 / 2]) / 0.05
    expected = np.linalg.solve(A.T @ A, A.T @ (y / 0.05))
    np.testing.assert_allclose([fit["x"], fit["x.dot"], fit["a"]], expected, rtol=1e-12)
    np.testing.assert_allclose(fit.covariance, np.linalg.inv(A.T @ A), rtol=1e-12)
    assert fit.intervals["a"][1] - fit["a"] == pytest.approx(1.959964 * fit.errors["a"]), "sigma is known: normal"
    again = model.simulate(2, save_at=t, **fit.options, tolerance=1e-10, method="dop853")
    np.testing.assert_allclose(again["x"], y - fit.residuals["x"], rtol=1e-12, atol=1e-12)


def test_curve_fit_of_scipy_says_the_same(rng):
    """A damped oscillator with gaps in its data, by SciPy's curve_fit on the closed form."""
    from scipy.optimize import curve_fit

    model = Model("oscillator")
    (x,) = model.coordinates("x", initial=1)
    k, c = model.parameters(k=30, c=0.3)
    model.equation(x.ddot + c * x.dot + k * x)
    t = np.linspace(0, 4, 120)

    def closed(t, k, c):
        w = np.sqrt(k - c**2 / 4)
        return np.exp(-c * t / 2) * (np.cos(w * t) + c / (2 * w) * np.sin(w * t))

    y = closed(t, 40.0, 0.5) + 0.02 * rng.normal(size=120)
    values, covariance = curve_fit(closed, t, y, (35, 0.4))
    gappy = np.insert(y, [10, 50], np.nan)
    times = np.insert(t, [10, 50], [(t[9] + t[10]) / 2, (t[49] + t[50]) / 2])
    fit = model.fit({"t": times, "x": gappy}, {"k": 30, "c": 0.3}, tolerance=1e-10)
    np.testing.assert_allclose(list(fit.parameters.values()), values, rtol=2e-5)
    np.testing.assert_allclose(fit.covariance, covariance, rtol=2e-3)
    assert np.isnan(fit.residuals["x"]).sum() == 2


@pytest.mark.long
def test_what_cannot_be_known_is_named(pendulum, exact, rng):
    """Of masses and forces only ratios show in a motion; a parameter that nothing depends on is told by its name."""
    both = pendulum.fit(noisy(exact, rng), {"m1": 1.1, "m2": 0.9, "c": 0.02, "k": 1.0}, TO, shooting="single")
    assert both.unidentified == ("m1", "m2", "c", "k") and both.intervals["m1"] == (-np.inf, np.inf)
    assert "m1, m2, c and k cannot be identified together" in both.message
    assert "m1 by +1 %, m2 by +1 %, c by +1 %, k by +1 %" in both.message
    model = Model("idle")
    (x,) = model.coordinates("x", initial=1)
    k, idle = model.parameters(k=4, idle=3)
    model.equation(x.ddot + k * x + 0 * idle)
    y = np.cos(2.1 * T) + NOISE * rng.normal(size=501)
    fit = model.fit({"t": T, "x": y}, {"k": 4, "idle": 3})
    assert fit.unidentified == ("idle",) and "idle cannot be identified: the data do not depend on it" in fit.message
    assert fit.message.startswith("converged (one run, ") and fit["idle"] == 3
    assert fit["k"] == pytest.approx(2.1**2, rel=1e-3) and fit.errors["k"] < 0.01 and "not known" in repr(fit)


@pytest.mark.long
def test_bounds_hold_and_are_told(rng):
    model = Model("oscillator")
    (x,) = model.coordinates("x", initial=1)
    (k,) = model.parameters(k=3.0)
    model.equation(x.ddot + k * x)
    data = {"t": T[:200], "x": np.cos(2 * T[:200])}
    fit = model.fit(data, {"k": (2, 3.5)})
    assert fit["k"] == pytest.approx(3.5, rel=1e-12) and "k lies at its bound 3.5" in fit.message
    assert np.isnan(fit.intervals["k"]).all() and "at its bound" in repr(fit)
    assert model.fit(data, {"k": 3.0}, bounds={"k": (None, 5)})["k"] == pytest.approx(4, rel=1e-9)


@pytest.mark.long
def test_inputs_states_outputs_and_expressions_are_fitted(rng):
    """A cart that is pulled by a number and by a state that dies away, seen by an output and by an expression."""
    model = Model("cart")
    x = model.coordinate("x", initial=0)
    p = model.state("p", initial=1.0)
    u = model.input("u")
    (c,) = model.parameters(c=0.5)
    model.equation(x.ddot - u + c * x.dot - p)
    model.equation(p.dot + 0.7 * p)
    model.output("twice", 2 * x)
    true = model.simulate(3, inputs={"u": 1.5}, initial={"p": 2.0}, method="dop853", save_every=0.05, tolerance=1e-10)
    data = {"t": true.t, "seen": true["twice"], "square": true.of(x.dot**2)}
    fit = model.fit(data, {"u": 1.0, "p": 1.0, "c": 0.3}, to={"twice": "seen", x.dot**2: "square"})
    assert [fit["u"], fit["p"], fit["c"]] == pytest.approx([1.5, 2.0, 0.5], rel=1e-5)


def test_a_model_with_python_in_it_is_fitted_by_differences():
    model = Model("block")
    (x,) = model.coordinates("x", initial=1)
    (k,) = model.parameters(k=3.0)
    block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -k * x))
    model.event(x, direction=-1, action=lambda instant: None, name="through")
    assert block.name == "block"
    fit = model.fit({"t": T[:100], "x": np.cos(2 * T[:100])}, {"k": 3.5}, method="newmark", tolerance=1e-7)
    assert fit["k"] == pytest.approx(4, rel=1e-3) and "differences between whole runs" in fit.message


def test_data_in_all_forms(tmp_path):
    """A run, a dict, a structured array, pandas by column and by index, files with commas, semicolons, blanks."""
    model = Model("oscillator")
    (x,) = model.coordinates("x", initial=1)
    (k,) = model.parameters(k=3.0)
    model.equation(x.ddot + k * x)
    run = model.simulate(2, parameters={"k": 4}, method="dop853", save_every=0.05, tolerance=1e-10)
    rows = list(zip(run.t.tolist(), run["x"].tolist(), strict=True))
    german = tmp_path / "german.csv"
    text = "Time;x;note\n" + "".join(f"{t};{y};gut\n".replace(".", ",") for t, y in rows)
    german.write_text(text.replace(text.splitlines()[3], f"{rows[2][0]};;gut".replace(".", ",")), encoding="utf-8")
    forms = [
        run, {"t": run.t, "x": run["x"].tolist()}, np.array(rows, dtype=[("time", float), ("x", float)]),
        run.to_csv(tmp_path / "run.csv"), run.to_csv(tmp_path / "run.res"), str(german),
    ]  # fmt: skip
    if importlib.util.find_spec("pandas"):
        forms += [run.to_pandas(), run.to_pandas().reset_index()]
    for data in forms:
        fit = model.fit(data, {"k": (1, 9)}, to={"x": "x"})
        assert fit["k"] == pytest.approx(4, rel=1e-6), data
    other = {"seconds": run.t, "position": run["x"]}
    assert model.fit(other, {"k": 3}, {"x": "position"}, time="seconds")["k"] == pytest.approx(4, rel=1e-6)


def test_a_fit_shows_itself(pendulum, exact, rng):
    fit = pendulum.fit(noisy(exact, rng), {"c": (0, 1)}, TO, fixed={"k": 1.0})
    assert "95 % interval" in repr(fit) and "Fit of 'double pendulum' to 1002 values of a, b: converged" in repr(fit)
    panels = fit.plot()
    assert len(panels) == 2 and panels[0].get_ylabel() == "q1 [rad]" and panels[1].get_xlabel() == "t [s]"
    assert np.array_equal(panels[0].lines[0].get_xdata(), T)
    ax = fit.plot_residuals()
    assert len(ax.lines) == 2 and np.std(ax.lines[0].get_ydata()) == pytest.approx(1, rel=0.2)
    assert len(fit.run) > 100 and fit.run.parameters["c"] == fit["c"]


@pytest.mark.long
def test_an_example_of_the_house_is_fitted(rng):
    """The hydraulic jack: pressures in Pa and a position in m weigh alike, each by its own noise."""
    jack = examples.hydraulic_jack()
    run = jack.simulate(0.02, method="lobatto", save_every=1e-4)
    data = {"t": run.t, "x": run["x"] + 1e-5 * rng.normal(size=len(run)),
            "p1": run["p1"] + 1e4 * rng.normal(size=len(run))}  # fmt: skip
    name = next(iter(run.parameters))
    fit = jack.fit(data, {name: run.parameters[name] * 1.1}, method="lobatto")
    assert fit[name] == pytest.approx(run.parameters[name], abs=4 * fit.errors[name])
    assert fit.sigma["x"] == pytest.approx(1e-5, rel=0.3) and fit.sigma["p1"] == pytest.approx(1e4, rel=0.3)


# -- measured data as they come ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def swing():
    """A pendulum, and a run of 3 s with a length of 1.1 m and a damping of 0.06 N m s."""
    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=1.0)
    length, c = model.parameters(length=1.0, c=0.1)
    model.body("bob", trotz(q) * tdisp(0, -length, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, -c * q.dot))
    return model, model.simulate(3, parameters={"length": 1.1, "c": 0.06}, save_every=0.02, method="dop853")


def test_times_of_tables_are_said(swing):
    """By an index that is called t, as durations, as dates; T beside t is a column; an index that counts is no time."""
    pandas = pytest.importorskip("pandas")
    model, run = swing
    table = pandas.DataFrame({"q": run["q"]})
    since = pandas.Timestamp("2024-02-29 23:59:59.5")
    durations = pandas.to_timedelta(run.t, unit="s")
    forms = [
        table.set_index(pandas.Index(run.t, name="t")), table.set_index(durations), table.set_index(since + durations),
        table.set_index((since + durations).tz_localize("Europe/Vienna")),
        {"t": durations.to_numpy().astype("timedelta64[ms]"), "q": run["q"]},
        {"t": [since.to_pydatetime() + x for x in durations.to_pytimedelta()], "q": run["q"]},
        {"T": 20 + run.t[::-1], "t": run.t, "q": run["q"]},
        pandas.DataFrame({"t": run.t, "q": pandas.array(run["q"], dtype="Float64"), "note": "good"}),
        {"t": run.t, "q": np.ma.masked_array(np.where(run.t == 1, 99, run["q"]), run.t == 1)},
    ]  # fmt: skip
    for data in forms:
        assert abs(model.fit(data, {"length": 1.0, "c": 0.1}, {"q": "q"})["length"] - 1.1) < 1e-6
    for counted in (table, table.set_index(pandas.Index(range(5, len(table) + 5)))):
        with pytest.raises(InputError, match="The index of the table counts its rows, and is no time"):
            model.fit(counted, {"length": 1.0}, {"q": "q"})
    twice = pandas.DataFrame(np.column_stack([run.t, run["q"], 0 * run.t]), columns=["t", "q", "q"])
    with pytest.raises(InputError, match="two columns called 'q'"):
        model.fit(twice, {"length": 1.0})


def test_tabs_and_decimal_commas(swing, tmp_path):
    model, run = swing
    rows = zip(run.t.tolist(), run["q"].tolist(), strict=True)
    path = tmp_path / "data.txt"
    path.write_text("t\tq\n" + "".join(f"{a:.6f}\t{b:.8f}\n" for a, b in rows).replace(".", ","), encoding="utf-8")
    assert abs(model.fit(path, {"length": 1.0, "c": 0.1})["length"] - 1.1) < 1e-6


@pytest.mark.long
def test_a_run_with_impacts_is_data():
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=1)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    e, = model.parameters(e=0.7)
    model.add(RigidContact(y, restitution=e, name="floor"))
    for method in ("newmark", "dop853"):
        data = model.simulate(0.8, parameters={"e": 0.8}, method=method)
        assert abs(model.fit(data, {"e": 0.75}, {"y": "y"})["e"] - 0.8) < 1e-6


def following(rng, n, r, size):
    """Noise of the first order."""
    fresh = size * np.sqrt(1 - r * r) * rng.normal(size=n)
    fresh[0] /= np.sqrt(1 - r * r)
    for k in range(1, n):
        fresh[k] += r * fresh[k - 1]
    return fresh


def test_intervals_are_wider_where_residuals_follow_each_other(swing):
    model, run = swing
    noise = following(np.random.default_rng(3), len(run), 0.8, 0.02)
    data = {"t": run.t, "q": run["q"] + noise}
    fit = model.fit(data, {"length": 1.0, "c": 0.1})
    plain = model.fit(data, {"length": 1.0, "c": 0.1}, independent=True)
    # the covariance of ordinary least squares, by matrices
    options = {"parameters": fit.parameters, "save_at": run.t, "method": "dop853", "tolerance": 1e-9}
    J = model.sensitivity(3, ["length", "c"], **options).gradient("q")
    r = fit.correlation["q"]
    R = r ** abs(np.subtract.outer(np.arange(len(run)), np.arange(len(run))))
    A = np.linalg.inv(J.T @ J)
    covariance = fit.sigma["q"] ** 2 * A @ J.T @ R @ J @ A
    np.testing.assert_allclose(fit.covariance, covariance, rtol=1e-5)
    assert abs(r - 0.8) < 0.15 and "follow each other" in fit.message and fit.status == "converged"
    assert fit.errors["length"] > 1.5 * plain.errors["length"] and "follow" not in plain.message


@pytest.mark.long
@pytest.mark.parametrize("r", [0.0, 0.8])
def test_intervals_hold_the_value_whatever_the_noise(swing, r):
    model, run = swing
    inside = []
    for seed in range(100):
        noise = following(np.random.default_rng(seed), len(run), r, 0.02)
        fit = model.fit({"t": run.t, "q": run["q"] + noise}, {"length": 1.0, "c": 0.1, "q": 1.0}, {"q": "q"})
        true = {"length": 1.1, "c": 0.06, "q": 1.0}
        inside.append([low < true[name] < high for name, (low, high) in fit.intervals.items()])
    assert all(0.89 <= share <= 0.99 for share in np.mean(inside, axis=0))


@pytest.mark.filterwarnings("ignore::easydyn.errors.LongRunWarning")  # of values that are tried
@pytest.mark.parametrize("fault", ["late", pytest.param("degrees", marks=pytest.mark.long)])
def test_a_stream_that_is_late_or_in_degrees_is_named(swing, rng, fault):
    model, run = swing
    t = run.t[10:]
    stream = run.at(t - 0.13)["q.dot"] if fault == "late" else np.degrees(run["q.dot"][10:])
    told = "were the column 0.1[23].* s earlier" if fault == "late" else "were the column 57.* times as small"
    data = {"t": t, "angle": run["q"][10:] + 0.01 * rng.normal(size=len(t)), "gyro": stream}
    fit = model.fit(data, {"length": 1.0, "c": 0.1}, {"q": "angle", "q.dot": "gyro"}, t_start=0)
    assert fit.status == "doubtful" and re.search(f"does not follow gyro.*{told}", fit.message)
    assert abs(fit["length"] - 1.1) < 4 * fit.errors["length"]


@pytest.mark.parametrize("size", [0.06, 0.2, 0.4])
def test_large_noise_is_no_loss(swing, rng, size):
    model, run = swing
    fit = model.fit({"t": run.t, "q": run["q"] + size * rng.normal(size=len(run))}, {"length": 1.0, "c": 0.1})
    assert fit.status == "converged" and fit.runs < 12
    assert abs(fit["length"] - 1.1) < 4 * fit.errors["length"]


@pytest.mark.long
def test_max_runs_is_kept(pendulum, exact, rng):
    """Also by pieces, and by differences; what was found so far is there."""
    data = noisy(exact, rng)
    for most, options in ((3, {}), (30, {}), (12, {"shooting": 20}), (9, {"exact": False, "shooting": "single"})):
        fit = pendulum.fit(data, off(rng, TRUE), TO, max_runs=most, **options)
        assert fit.runs <= most and fit.status == "not converged" and "max_runs allows no more" in fit.message
        assert set(fit.parameters) == set(TRUE)


def pushed():
    model = Model("pushed")
    (a,) = model.parameters(a=1.0)
    model.equation(model.coordinate("x").ddot - a)
    return model


def test_noise_beyond_what_sigma_tells_is_said():
    """Of 0.01 m, now more, now less."""
    time = np.linspace(0, 2, 41)
    data = {"t": time, "x": 0.75 * time**2 + 0.01 * (-1.0) ** np.arange(41)}
    for sigma, told in ((1e-3, "the residuals are 10 times what sigma tells"), (1e-2, "")):
        fit = pushed().fit(data, {"a": 1.0}, sigma=sigma)
        assert told in fit.message and ("sigma" in fit.message) == bool(told)


def test_a_difference_takes_two_runs():
    time = np.linspace(0, 2, 41)
    fit = pushed().fit({"t": time, "x": 0.75 * time**2}, {"a": 1.0}, exact=False, max_runs=3)
    assert fit.runs == 3 and fit["a"] == 1.0  # there, and on both sides of it


@together("most, found", [(1, 1.0), (4, 1.25)])
def test_what_pieces_have_found_is_there_when_no_run_is_left(most, found):
    """Half of the way to 1.5 in three passes, and none of it in one: neither leaves a run of the whole."""
    time = np.linspace(0, 2, 41)
    data = {"t": time, "x": 0.75 * time**2}
    fit = pushed().fit(data, {"a": 1.0}, shooting=2, max_runs=most, target="python")
    assert fit["a"] == pytest.approx(found, abs=0.01) and fit.status == "not converged"


def test_pieces_of_time_find_what_one_run_does(monkeypatch):
    """A body on a spring from rest: x = cos(2 t); also where the first attempts of all pieces end too soon."""
    model = Model("spring")
    (k,) = model.parameters(k=3.0)
    x = model.coordinate("x", initial=1)
    model.equation(x.ddot + k * x)
    time = np.linspace(0, 6, 61)
    for quick in (25, 1):
        monkeypatch.setattr("easydyn.study.search.QUICK", quick)
        fit = model.fit({"t": time, "x": np.cos(2 * time)}, {"k": 3.0}, shooting=3)
        assert "3 pieces" in fit.message and fit["k"] == pytest.approx(4, abs=1e-5)
        assert quick == 1 or fit.runs < (15 if available() else 45), "10 or, one by one, 33: the damping falls"


def test_turns_are_counted_about_the_mean():
    """Five half periods about 7, with noise: its own passes of the mean count for nothing."""
    x = np.linspace(0.3, 0.3 + 5 * np.pi, 1000)
    assert _turns(7 + np.sin(x) + 0.01 * np.random.default_rng(1).normal(size=1000)) == 5


def test_data_without_noise_weigh_by_their_spread_in_any_unit():
    """Residuals of zero leave 1e-12 of the spread; of others, each column has its own mean square.

    The spread of a constant is its size: that of ten numbers 0.1 about their mean is rounding, 1e-17.
    """
    assert Measured("c", "c", np.full(10, 0.1), np.ones(10)).spread == 0.1
    values = np.array([1.0, 3.0, 5.0])
    problem = object.__new__(Problem)
    for unit in (1.0, 1e6, 1e-6):
        problem.columns = [Measured(name, name, unit * values, np.full(3, 7.0 * unit)) for name in "ab"]
        problem.weigh(np.array([0.0, 0.0, 0.0, 1.0, -2.0, 1.0]), 2)
        first, second = (column.sigma / unit for column in problem.columns)
        np.testing.assert_allclose(first, 1e-12 * np.std(values), rtol=1e-12)
        np.testing.assert_allclose(second, 7 * np.sqrt(6 / 2), rtol=1e-12)
    problem.robust = True  # half of normal noise is within 0.67449 of its standard deviation
    problem.columns = [Measured("a", "a", values, np.full(3, 7.0))]
    change = problem.weigh(np.array([-30.0, 1.0, 2.0]), 1)
    np.testing.assert_allclose(problem.columns[0].sigma, 7 * 2 / 0.6744897502 * np.sqrt(3 / 2), rtol=1e-5)
    assert change == pytest.approx(np.log(2 / 0.6744897502 * np.sqrt(3 / 2)), rel=1e-5)
    assert problem.cost(np.sqrt([0.0, 3.0, 8.0])) == pytest.approx(6, rel=1e-15)  # 2 sqrt(1 + r^2) - 2 are 0, 2, 4


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::easydyn.errors.LongRunWarning")  # a guess whose pendulum is very short
def test_what_was_found_is_told_when_all_runs_are_spent():
    """Data of another sign and scale, and initial values from the data: no exception of the search gets out."""
    model = Model("filmed", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0.6)
    length, c = model.parameters(length=0.5, c=0.02)
    bob = model.body("bob", trotz(q) * tdisp(0, -length, 0), mass=0.2, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, -c * q.dot))
    run = model.simulate(4, parameters={"length": 0.62, "c": 0.01}, save_every=1 / 30)
    noise = np.random.default_rng(0).normal(size=(2, len(run.t))) * 1e-3
    data = {"t": run.t, "x": 1.04 * run.of(bob.T.e[0]) + noise[0], "y": -(1.04 * run.of(bob.T.e[1]) + noise[1])}
    to = {bob.T.e[0]: "x", bob.T.e[1]: "y"}
    fit = model.fit(data, ["length", "c", "q", "q.dot"], to=to, start="measured")
    assert fit.status == "not converged" and fit.runs <= 301 and "the model does not follow x" in fit.message


def test_equations_with_derivatives_are_derived_once_for_a_model(monkeypatch):
    """Other data, another value of what is fixed, a sensitivity by the same names: nothing is derived anew."""
    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=1)
    length, c, mass = model.parameters(length=1.0, c=0.1, mass=1.0)
    model.body("bob", trotz(q) * tdisp(0, -length, 0), mass=mass, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, -c * q.dot))
    made, derive = [], Derivation.__init__
    monkeypatch.setattr(Derivation, "__init__", lambda *args, **options: made.append(1) or derive(*args, **options))
    for value, counted in ((1.0, 2), (1.5, 2)):
        asked = {"length": 1.1, "c": 0.06, "mass": value}
        seen = model.simulate(3, parameters=asked, save_every=0.05, method="dop853", tolerance=1e-10)
        fit = model.fit({"t": seen.t, "q": seen["q"]}, {"length": (0.5, 2), "c": 0.1}, fixed={"mass": value})
        assert abs(fit["length"] - 1.1) < 1e-6 and abs(fit["c"] - 0.06) < 1e-6 and len(made) == counted
    by = {x: model.sensitivity(1, x, tolerance=1e-9) for x in ("length", "mass")}
    assert len(made) == 4
    whole = model.sensitivity(1, ["length", "c"], tolerance=1e-9)  # at the guess of the fits
    np.testing.assert_allclose(whole["q", "length"][-1], by["length"]["q", "length"][-1], rtol=1e-5)
    assert len(made) == 4


def test_a_fit_tells_its_progress():
    """The share of the runs that it may make, once for each pass; nothing of each run."""
    model, told = Model("decay"), []
    (q,) = model.coordinates("q", rates=1)
    (c,) = model.parameters(c=0.5)
    model.body("sledge", tdisp(q, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, -c * q.dot))
    seen = model.simulate(1, parameters={"c": 0.8}, save_every=0.1, method="dop853")
    fit = model.fit({"t": seen.t, "q": seen["q"]}, {"c": 0.5}, max_runs=50, progress=told.append)
    assert abs(fit["c"] - 0.8) < 1e-6 and len(told) > 2 and told == [(k + 1) / 50 for k in range(len(told))]
