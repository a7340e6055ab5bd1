"""Fits of recordings: several of one run, with their clocks, of several runs; outliers; what is wrong is named."""

import re
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from scipy import optimize, signal

from easydyn import GeneralizedForce, Model, RigidContact, Spring, ground, tdisp, trotz
from easydyn.study.data import streams_of
from easydyn.study.doubts import FACTORS
from easydyn.study.identify import correlation_of
from easydyn.study.problem import Problem, measured
from easydyn.study.unknowns import unknowns_of

TRUE = {"length": 1.1, "c": 0.06}
GUESS = {"length": 1.0, "c": 0.1}
EVERY = np.arange(500) / 100
TRIED = pytest.mark.filterwarnings("ignore::easydyn.errors.LongRunWarning")  # of values that are tried


class Swing:
    """A pendulum with damping, and what a film and a phone see of it."""

    def __init__(self):
        self.model = Model("pendulum", gravity=(0, -9.81, 0))
        (self.q,) = self.model.coordinates("q", initial=1.0)
        length, c = self.model.parameters(length=1.0, c=0.1)
        (self.bias,) = self.model.parameters(bias=0.0)
        self.sc, self.ox, self.oy = self.model.parameters(sc=420, ox=310, oy=110)
        self.bob = self.model.body("bob", trotz(self.q) * tdisp(0, -length, 0), mass=1, inertia=(0, 0, 0))
        self.model.add(GeneralizedForce(self.q, -c * self.q.dot))
        self.run = self.simulated(5.2)

    def simulated(self, t, **options):
        settings = {"parameters": TRUE, "save_every": 0.02, "method": "dop853", "tolerance": 1e-10} | options
        return self.model.simulate(t, **settings)

    def film(self, rng, rate=30.0, read_as=30.0, noise=0.01, run=None):
        n = np.arange(int(4.9 * rate))
        return {"t": n / read_as, "angle": (run or self.run).at(n / rate)["q"] + noise * rng.normal(size=len(n))}

    def phone(self, rng, late=0.0, bias=0.0, run=None):
        t = np.arange(int(4.7 * 100)) / 100
        gyro = (run or self.run).at(t)["q.dot"] + bias + 0.02 * rng.normal(size=len(t))
        return {"t": t + late, "gyro": gyro}


@pytest.fixture(scope="module")
def swing():
    return Swing()


def close(fit, true, errors=3.0):
    return all(abs(fit[name] - value) < errors * fit.errors[name] for name, value in true.items())


# -- clocks -----------------------------------------------------------------------------------------------------------


def late(swing, rng, **options):
    data = {"film": swing.film(rng), "phone": swing.phone(rng, 0.13, 0.05)}
    before = {"t": np.arange(13) / 100, "gyro": np.full(13, 0.2)}  # in the hand
    data["phone"] = {name: np.append(before[name], values) for name, values in data["phone"].items()}
    to = {swing.q: "angle", swing.q.dot + swing.bias: "gyro"}
    return swing.model.fit(data, GUESS | {"bias": 0.0}, to, **options)


def test_a_phone_that_is_late_is_found_and_told(swing):
    fit = late(swing, np.random.default_rng(0), clocks={"phone": 0.0})
    assert close(fit, TRUE | {"bias": 0.05, "phone.clock": 0.13}) and fit.errors["phone.clock"] < 5e-4
    assert fit.status == "converged" and not np.isfinite(fit.columns[1].values[:13]).any(), "before the run begins"
    np.testing.assert_allclose(fit.columns[1].t, np.arange(483) / 100 - fit["phone.clock"], atol=1e-12)
    fit = late(swing, np.random.default_rng(0))
    assert fit.status == "doubtful" and fit.runs < 60
    assert re.search(r'phone would fit, were the column 0.1[23]\d* s earlier: clocks={"phone": 0.0} finds', fit.message)


@pytest.mark.parametrize("damping, last", [(1.0, 3.0), (5.0, 3.0), (5.0, 10.0)])
def test_values_that_are_all_equal_say_nothing_of_time(damping, last):
    """The model comes to rest: later it would fit zeros, in which there is no time."""
    model = Model("slider")
    (x,), (k,) = model.coordinates("x", initial=1.0), model.parameters(k=1.0)
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -damping * x.dot - k * x))
    said = model.fit({"t": np.linspace(0, last, 61), "x": np.zeros(61)}, {"k": (0.5, 2.0)}).message
    assert "clock" not in said and "would" not in said


def slow_film(swing, rng, **options):
    data = {"film": swing.film(rng, 29.97), "phone": swing.phone(rng)}
    return swing.model.fit(data, GUESS, {"q": "angle", "q.dot": "gyro"}, **options)


def test_a_film_of_another_rate_is_found_and_told(swing):
    fit = slow_film(swing, np.random.default_rng(0), rates={"film": 1.0})
    assert close(fit, TRUE | {"film.rate": 30 / 29.97}) and fit.errors["film.rate"] < 3e-4
    assert "would" not in fit.message
    said = slow_film(swing, np.random.default_rng(0)).message
    assert re.search(r"film would fit, were its time 1.00\d* times as long \(frame rate: .* 29.97 .* of 30\)", said)


def test_slopes_by_clocks_and_rates_are_those_of_differences(swing):
    """Of a coordinate, an expression, and an acceleration, whose rate is that of a spline."""
    x, q = swing.bob.T.e[0], swing.q
    t = EVERY[:300] + 0.02
    streams = streams_of({"phone": {"t": t, "a": 0 * t, "b": 0 * t, "c": 0 * t, "d": 0 * t}}, None)[0]
    columns = measured([("q", "a"), (x + q.dot, "b"), (q.ddot + 0 * x, "c"), ("q.dot", "d")], streams, 1.0, [], None)
    wanted = {"length": 1.0, "phone.clock": -0.1, "phone.rate": 1.02}
    times = {"phone.clock": 0.0, "phone.rate": 1.0}
    unknowns = unknowns_of(swing.model, wanted, None, None, None, "a fit", times=times)
    choices = {"locked": None, "exact": None, "target": "auto", "scheme": "recursive"}
    problem = Problem(swing.model, [0.0], columns, unknowns, {"method": "dop853", "tolerance": 1e-12}, choices)
    _, J = problem.residuals(unknowns.guess)
    for k, size in enumerate((1e-5, 1e-5, 1e-5)):
        step = size * (np.arange(3) == k)
        more, less = (problem.residuals(unknowns.guess + sign * step)[0] for sign in (1, -1))
        error = np.abs(J[:, k] - (more - less) / (2 * size)).reshape(4, -1).max(axis=1)
        assert (error < [1e-7, 1e-7, 1e-3, 1e-7]).all(), (k, error)


@pytest.mark.long
def test_clocks_by_runs_by_columns_and_by_formulas(swing):
    """A clock for each of two runs; of one column of a table; with outliers; an expression of accelerations."""
    rng = np.random.default_rng(5)
    other = swing.simulated(5.2, initial={"q": 0.6})
    data = [{"film": swing.film(rng, run=run), "phone": swing.phone(rng, by, run=run)}
            for run, by in ((swing.run, 0.2), (other, -0.07))]  # fmt: skip
    data[1]["phone"]["gyro"][[50, 90, 300]] += [2, -1.5, 1]
    fit = swing.model.fit(data, GUESS | {"q": 0.9}, {"q": "angle", "q.dot": "gyro"}, clocks={"phone": 0.0},
                          each=("phone.clock", "q"), loss="soft_l1")  # fmt: skip
    assert close(fit, TRUE | {"q[0]": 1.0, "q[1]": 0.6, "phone.clock[0]": 0.2, "phone.clock[1]": -0.07}, 4)
    assert fit.sigma["gyro[1]"] == pytest.approx(0.02, rel=0.15) and len(fit.trajectories) == 2
    table = {"t": EVERY, "angle": swing.run.at(EVERY)["q"], "gyro": swing.run.at(np.maximum(EVERY - 0.1, 0))["q.dot"]}
    table = {name: values[10:] for name, values in table.items()}
    for what in ("q.dot", swing.q.dot + swing.bias):
        fit = swing.model.fit(table, GUESS, {"q": "angle", what: "gyro"}, clocks={"gyro": (-1, 1)}, t_start=0)
        assert abs(fit["gyro.clock"] - 0.1) < 1e-6


# -- several runs -----------------------------------------------------------------------------------------------------


def oscillator():
    model = Model("oscillator")
    (x,), (k,) = model.coordinates("x", initial=1), model.parameters(k=30)
    model.equation(x.ddot + k * x)
    return model


def test_two_runs_have_one_stiffness_and_each_its_own_start():
    t = np.linspace(0, 1, 20)
    data = [{"t": t[:n], "x": a * np.cos(6 * t[:n])} for a, n in ((0.5, 20), (-0.2, 15))]
    fit = oscillator().fit(data, {"k": 30, "x": 0.4}, each="x", target="python")
    assert fit.parameters == pytest.approx({"k": 36, "x[0]": 0.5, "x[1]": -0.2}, rel=1e-6)
    assert [run.t[-1] for run in fit.trajectories] == [t[19], t[14]]


def test_a_clock_that_leads_all_data_away_does_not_end_a_fit():
    data = {"film": {"t": 7 + np.arange(9), "x": np.cos(np.arange(9))}}
    fit = oscillator().fit(data, {"x": 0.4}, clocks={"film": 99.0}, max_runs=1, target="python", t_start=7)
    assert fit["film.clock"] == 99 and 0 < fit.run.t[-1] - 7 < 1.1e-6


@pytest.mark.long
def test_several_runs_are_one_least_squares():
    """Two runs of a driven oscillator, beside SciPy's curve_fit on the closed form, values and covariance."""
    model = Model("oscillator")
    (x,) = model.coordinates("x", initial=1)
    k, one = model.parameters(k=30, one=1)
    u = model.input("u", 0)
    model.equation(x.ddot + k * x - u)
    t, rng = np.linspace(0, 2, 60), np.random.default_rng(3)

    def closed(_, k, x0, x1, v0, v1):
        w = np.sqrt(k)
        return np.concatenate([
            (a - u / k) * np.cos(w * t) + v / w * np.sin(w * t) + u / k for a, v, u in ((x0, v0, 5), (x1, v1, -3))
        ])  # fmt: skip

    y = closed(None, 40, 0.5, -0.2, 1, 2) + 0.02 * rng.normal(size=120)
    values, covariance = optimize.curve_fit(
        closed, t, y, (35, 1, 1, 0, 0), sigma=np.full(120, 0.02), absolute_sigma=True
    )
    for inputs in ([{"u": 5}, {"u": ([0, 9], [-3, -3])}], [{"u": 5 * one}, {"u": -3 * one}]):
        fit = model.fit([{"t": t, "x": y[:60]}, {"t": t, "x": y[60:]}], {"k": 35}, sigma=0.02, each=("x", "x.dot"),
                        inputs=inputs, tolerance=1e-11)  # fmt: skip
        found = [fit[name] for name in ("k", "x[0]", "x[1]", "x.dot[0]", "x.dot[1]")]
        np.testing.assert_allclose(found, values, rtol=1e-5)
        order = [list(fit.parameters).index(name) for name in ("k", "x[0]", "x[1]", "x.dot[0]", "x.dot[1]")]
        np.testing.assert_allclose(fit.covariance[np.ix_(order, order)], covariance, rtol=1e-4, atol=1e-9)
    assert set(fit.residuals) == {"x[0]", "x[1]"} and fit.run is fit.trajectories[0]
    again = model.simulate(2, save_at=t, **fit.options, method="dop853", tolerance=1e-11)
    np.testing.assert_allclose(y[:60] - again["x"], fit.residuals["x[0]"], atol=1e-8)


@pytest.mark.long
def test_starts_that_were_measured(swing):
    """By an angle; by pixels, of which a short fit makes angles; in two runs, of which each has its own."""
    rng = np.random.default_rng(1)
    runs = [swing.simulated(3, initial={"q": a, "q.dot": b}) for a, b in ((0.7, 1.0), (-0.4, -2))]
    data = [{"t": run.t, "angle": run["q"] + 0.01 * rng.normal(size=len(run))} for run in runs]
    alone = swing.model.fit(data[:1], GUESS, {"q": "angle"}, start="measured", max_runs=3)
    assert alone.runs <= 3 and set(alone.parameters) == {"q[0]", "q.dot[0]", *GUESS}
    fit = swing.model.fit(data, GUESS, {"q": "angle"}, start="measured")
    assert close(fit, TRUE | {"q[0]": 0.7, "q[1]": -0.4, "q.dot[0]": 1.0, "q.dot[1]": -2.0}, 4)
    assert abs(fit.guess["q[1]"] + 0.4) < 0.05
    one = swing.model.fit(data[1], GUESS, {"q": "angle"}, start="measured", initial={"q.dot": -2.0})
    assert close(one, TRUE | {"q": -0.4}, 4) and "q.dot" not in one.parameters
    x, y = runs[0].of(swing.bob.T.e[:2]).T
    seen = {"t": runs[0].t, "u": 300 + 400 * x, "v": 100 - 400 * y}
    to = {swing.ox + swing.sc * swing.bob.T.e[0]: "u", swing.oy - swing.sc * swing.bob.T.e[1]: "v"}
    fit = swing.model.fit(seen, [*GUESS, "sc", "ox", "oy"], to, start="measured")
    assert [fit["sc"], fit["ox"], fit["q"], fit["q.dot"]] == pytest.approx([400, 300, 0.7, 1.0], abs=1e-3)


@pytest.mark.long
def test_several_runs_are_divided_into_pieces(swing):
    """A guess that is far off: pieces of both runs."""
    rng = np.random.default_rng(2)
    data = [swing.film(rng, run=run) for run in (swing.run, swing.simulated(5.2, initial={"q": 0.4}))]
    fit = swing.model.fit(data, {"length": 0.35, "c": 0.5, "q": 0.8}, {"q": "angle"}, each="q", shooting="multiple")
    assert "54 pieces" in fit.message and close(fit, TRUE | {"q[0]": 1.0, "q[1]": 0.4}, 4)


# -- noise ------------------------------------------------------------------------------------------------------------


def outliers(rng, y, share=0.03, size=1.5):
    there = rng.random(len(y)) < share
    return y + there * rng.uniform(-size, size, size=len(y))


def scatter(swing, seeds, share, **options):
    errors = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        y = swing.run["q"] + 0.01 * rng.normal(size=len(swing.run))
        fit = swing.model.fit({"t": swing.run.t, "q": outliers(rng, y, share)}, GUESS | {"q": 0.9}, **options)
        errors.append([fit[name] - value for name, value in (TRUE | {"q": 1.0}).items()])
    return np.sqrt(np.mean(np.square(errors), axis=0))


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(60), marks=pytest.mark.nightly)])
def test_outliers_hardly_matter(swing, seeds):
    """3 % of them, to 1.5 rad, beside noise of 0.01 rad: at most 1.3 times the errors without any."""
    assert (scatter(swing, seeds, 0.03, loss="soft_l1") < 1.3 * scatter(swing, seeds, 0.0)).all()
    assert (scatter(swing, range(2), 0.03) > 3 * scatter(swing, range(2), 0.0)).any(), "of squares"


def test_correlation_is_found_beside_what_was_fitted(rng):
    """Of noise with a known correlation, less a polynomial that was fitted and hides some of it: the mean of many."""
    for m, correlation, missing in ((0, 0.5, 0.02), (3, 0.3, 0.03), (3, 0.7, 0.05)):
        noise = rng.normal(size=(1500, 100))
        for k in range(1, 100):
            noise[:, k] += correlation * noise[:, k - 1]
        r = noise[:, 40:]
        if m:
            fitted = np.linalg.qr(np.polynomial.legendre.legvander(np.linspace(-1, 1, 60), m - 1))[0]
            r = r - (r @ fitted) @ fitted.T
        assert np.mean([correlation_of(row, m) for row in r]) == pytest.approx(correlation, abs=missing)
    assert correlation_of(np.array([1.0, 1.0, 1.0, 1.0]), 9) == pytest.approx(7 / 8)  # it never hides all
    assert correlation_of(np.array([1.0, -1.0, 1.0, -1.0]), 9) == -0.75  # and noise that alternates is no correlation
    assert correlation_of(np.zeros(9)) == correlation_of(np.ones(3)) == 0


def test_noise_and_correlation_are_seen_through_outliers(swing):
    rng = np.random.default_rng(4)
    noise = signal.lfilter([1], [1, -0.8], 0.006 * rng.normal(size=len(swing.run)))
    data = {"t": swing.run.t, "q": outliers(rng, swing.run["q"] + noise)}
    fit = swing.model.fit(data, GUESS, loss="soft_l1")
    plain = swing.model.fit(data, GUESS, loss="soft_l1", independent=True)
    assert fit.sigma["q"] == pytest.approx(0.01, rel=0.25) and 0.6 < fit.correlation["q"] < 0.9
    assert fit.errors["length"] > 2 * plain.errors["length"] and close(fit, TRUE)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["clock", "robust", "each"])
def test_intervals_hold_the_value(swing, kind):
    """Of 100 fits with noise of their own; white and of the first order they are in test_fit.py."""
    other = swing.simulated(5.2, initial={"q": 0.5})
    true = TRUE | {"clock": {"bias": 0.05, "phone.clock": 0.13}, "robust": {}, "each": {"q[0]": 1.0, "q[1]": 0.5}}[kind]
    inside = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        if kind == "clock":
            fit = late(swing, rng, clocks={"phone": 0.0})
        elif kind == "robust":
            y = outliers(rng, swing.run["q"] + 0.01 * rng.normal(size=len(swing.run)))
            fit = swing.model.fit({"t": swing.run.t, "q": y}, GUESS, loss="soft_l1")
        else:
            data = [swing.film(rng, run=run) for run in (swing.run, other)]
            fit = swing.model.fit(data, GUESS | {"q": 0.8}, {"q": "angle"}, each="q")
        inside.append([fit.intervals[name][0] < value < fit.intervals[name][1] for name, value in true.items()])
    share = np.mean(inside, axis=0)
    assert ((share >= 0.90) & (share <= 0.99)).all(), share


def test_noise_of_20_percent_takes_few_runs(swing):
    t = np.linspace(0, 5, 300)
    w = swing.run.at(t)["q.dot"]
    data = {"t": t, "gyro": w + 0.2 * np.std(w) * np.random.default_rng(0).normal(size=300)}
    fit = swing.model.fit(data, GUESS, {"q.dot": "gyro"})
    assert fit.runs <= 30 and fit.status == "converged"


# -- what is wrong with data ------------------------------------------------------------------------------------------


def wrong(swing, kind, rng):
    """Data with something wrong in them, and a fit that should say it."""
    n = len(swing.run)
    y, x, h = (swing.run.of(e) + 0.01 * rng.normal(size=n) for e in (swing.q, *swing.bob.T.e[:2]))
    factors = {"cm": (100, 100), "y down": (1, -1), "mirrored": (-1, 1), "mm": (1000, 1000)}
    if kind in factors:
        data = {"t": swing.run.t, "x": factors[kind][0] * x, "y": factors[kind][1] * h}
        return swing.model.fit(data, GUESS, {swing.bob.T.e[0]: "x", swing.bob.T.e[1]: "y"})
    scale = {"slow motion": 8, "quick motion": 1 / 8, "ms": 1000}.get(kind, 1)
    data = {"t": scale * swing.run.t, "angle": np.degrees(y) if kind == "degrees" else y}
    known = {} if kind == "degrees" else {"length": 1.1}
    wanted = {name: value for name, value in GUESS.items() if name not in known}
    return swing.model.fit(data, wanted, {"q": "angle"}, fixed=known)


SAID = {
    "degrees": r"angle would fit, were the column 57.3 times as small \(degrees for radians",
    "cm": r"x and y would fit, were the column 100 times as small \(cm for m",
    "y down": r"y would fit, were the column of the other sign \(y down",
    "mirrored": r"x would fit, were the column of the other sign \(y down, or mirrored",
    "mm": r"x and y would fit, were the column 1e\+03 times as small \(mm for m",
    "slow motion": r"were their times 0.125 times as long \(frame rate: a film of 240 .* read as one of 30",
    "quick motion": r"were their times 8 times as long \(frame rate: a film of 30 .* read as one of 240",
    "ms": r"were their times 0.001 times as long \(ms for s",
}


@TRIED
@pytest.mark.long
def test_degrees_are_named_where_the_start_is_measured(swing):
    """The guess of the angle is 57 times as large, too."""
    run = swing.simulated(3, initial={"q": -0.8})
    fit = swing.model.fit([{"t": run.t, "a": np.degrees(run["q"])}], GUESS, {"q": "a"}, start="measured")
    assert re.search(SAID["degrees"].replace("angle", r"a\[0\]"), fit.message)


@TRIED
@pytest.mark.parametrize("kind", ["degrees", "y down"] + [
    pytest.param(kind, marks=pytest.mark.long) for kind in ("cm", "mirrored", "slow motion")])  # fmt: skip
def test_what_is_wrong_with_data_is_named(swing, kind, seed=3):
    fit = wrong(swing, kind, np.random.default_rng(seed))
    assert fit.status == "doubtful" and re.search(SAID[kind], fit.message), fit.message
    assert fit.runs < 60


@TRIED
@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["degrees", "cm", "y down", "mirrored", "quick motion"])
def test_what_is_wrong_with_data_is_named_each_time(swing, kind):
    for seed in range(20):
        test_what_is_wrong_with_data_is_named(swing, kind, seed)


def test_names_of_units_are_right():
    named = {name: factor for factor, name in FACTORS}
    assert named["degrees for radians"] == pytest.approx(np.degrees(1)) and named["cm for m"] == 100
    assert named["rpm for rad/s"] * 2 * np.pi == pytest.approx(60) and named["g for m/s²"] * 9.80665 == pytest.approx(1)


def test_angles_go_on_where_they_were_wrapped(swing):
    run = swing.simulated(3, initial={"q": 0.0, "q.dot": 9.0})
    data = {"t": run.t, "q": np.where(np.arange(len(run)) == 40, np.nan, (run["q"] + np.pi) % (2 * np.pi) - np.pi)}
    fit = swing.model.fit(data, GUESS, initial={"q": 0.0, "q.dot": 9.0})
    assert abs(fit["length"] - 1.1) < 1e-6 and "q jumps 3 times by a turn, and was made to go on" in fit.message
    whole = {"t": run.t[::20], "q": run["q"][::20]}  # more than a turn: nothing is wrapped
    assert "jumps" not in swing.model.fit(whole, GUESS, initial={"q": 0.0, "q.dot": 9.0}).message
    kept = swing.model.fit(data, GUESS, initial={"q": 0.0, "q.dot": 9.0}, wrapped=False, max_runs=3)
    assert "jumps" not in kept.message and kept.sigma["q"] > 0.5


def test_columns_of_several_recordings(swing):
    """Both measure the angle: each by its own name; columns called as those of the model need no `to`."""
    rng = np.random.default_rng(2)
    film, other = ({"t": d["t"], "q": d["angle"]} for d in (swing.film(rng), swing.film(rng, 20.0, 20.0)))
    fit = swing.model.fit({"film": film, "encoder": other}, GUESS)
    assert list(fit.residuals) == ["film.q", "encoder.q"] and close(fit, TRUE)
    alone = swing.model.fit({"film": film, "encoder": other}, GUESS, {"q": "film.q"}, sigma={"film.q": 0.01})
    assert list(alone.residuals) == ["film.q"]


# -- other models -----------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_bouncing_ball_seen_by_a_late_camera():
    """Runs are differenced; the impacts stay where they were."""
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=1)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    (e,) = model.parameters(e=0.7)
    model.add(RigidContact(y, restitution=e, name="floor"))
    run = model.simulate(1.2, parameters={"e": 0.8}, method="dop853", save_every=0.02)
    later = np.append(np.diff(run.t) > 0, True)
    film = {"t": run.t[later][2:] + 0.05, "height": run["y"][later][2:]}
    fit = model.fit({"film": film}, {"e": 0.75}, {"y": "height"}, clocks={"film": 0.04}, t_start=0)
    assert [fit["e"], fit["film.clock"]] == pytest.approx([0.8, 0.05], abs=1e-4)


@pytest.mark.long
@pytest.mark.parametrize("form", ["reduced", "multipliers"])
def test_a_four_bar_seen_by_two_late_sensors_in_two_runs(form):
    model = Model("four-bar", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(1.2, -0.9, 1.0))
    A = model.body("A", trotz(a) * tdisp(0.3, 0, 0), mass=1, inertia=(0, 0, 0.01))
    B = model.body("B", trotz(a) * tdisp(0.3, 0, 0) * trotz(b) * tdisp(0.4, 0, 0), mass=1, inertia=(0, 0, 0.02))
    C = model.body("C", tdisp(0.5, 0, 0) * trotz(c) * tdisp(0.4, 0, 0), mass=1, inertia=(0, 0, 0.02))
    model.close(B, C, joint="revolute")
    (k,) = model.parameters(k=30)
    model.add(Spring(A, (ground, (0.6, 0.6, 0)), stiffness=k, free_length=0.3))
    options = {"constraints": form}
    t = np.arange(15) / 50
    runs = [model.simulate(0.35, parameters={"k": 40}, initial={"a": a0}, method="dop853", save_every=0.01, **options)
            for a0 in (1.2, 1.0)]  # fmt: skip
    data = [{"film": {"t": t, "c": run.at(t)["c"]}, "gyro": {"t": t + 0.03, "w": run.at(t)["a.dot"]}} for run in runs]
    fit = model.fit(data, {"k": 33, "a": 1.1}, {"c": "c", "a.dot": "w"}, clocks={"gyro": 0.0}, each="a", **options)
    assert [fit["k"], fit["gyro.clock"], fit["a[0]"], fit["a[1]"]] == pytest.approx([40, 0.03, 1.2, 1.0], rel=2e-3)


def _in_a_process(data):
    swing = Swing()
    return dict(swing.model.fit(data, GUESS, {"q": "angle", "q.dot": "gyro"}, clocks={"phone": 0.0}).parameters)


@pytest.mark.long
def test_fits_in_other_processes_say_the_same(swing):
    rng = np.random.default_rng(0)
    data = {"film": swing.film(rng), "phone": swing.phone(rng, 0.13)}
    with ProcessPoolExecutor(2) as pool:
        first, second = pool.map(_in_a_process, [data, data])
    assert first == second
    here = swing.model.fit(data, GUESS, {"q": "angle", "q.dot": "gyro"}, clocks={"phone": 0.0})
    assert first == pytest.approx(here.parameters, rel=1e-7)


def test_a_fit_is_compared_with_its_data(swing):
    fit = late(swing, np.random.default_rng(0), clocks={"phone": 0.0})
    panels = fit.compare()
    assert len(panels) == 5 and panels[1].get_ylabel() == "residual\nby noise" and panels[3].get_xlabel() == "t [s]"
    np.testing.assert_allclose(panels[1].lines[1].get_ydata(), fit.residuals["angle"] / fit.sigma["angle"])
    cells = panels[4].tables[0].get_celld()
    shown = {cells[row, 0].get_text().get_text(): cells[row, 1].get_text().get_text() for row in range(1, 5)}
    assert re.fullmatch(r"0\.1\d\d\d\d? ± 0\.0003 s", shown["phone.clock"])
    assert re.fullmatch(r"1\.\d{4} ± .*", shown["length"])
    again = fit.compare(ax=list(panels))
    assert again[0] is panels[0]
