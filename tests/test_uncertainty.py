"""Designs that are drawn evenly, and Sobol's indices: closed forms, SciPy by hand, the same whoever makes the runs."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sympy as sp
from mistakes import explained

from easydyn import Last, Max, Model, Normal, Uniform, examples, tdisp
from easydyn.study import sobol
from easydyn.study.sobol import _column

stats = pytest.importorskip("scipy.stats", reason="designs are SciPy's")
if not hasattr(stats, "qmc"):
    pytest.skip("designs are those of SciPy 1.7", allow_module_level=True)
A, B = 7.0, 0.1  # of Ishigami's function
EVEN = Uniform(-np.pi, np.pi)


def at_rest(formula, **values):
    """A point that stays where a formula of the parameters puts it."""
    model = Model("at rest")
    symbols = model.parameters(**values)
    (y,) = model.coordinates("y", initial=formula(*symbols))
    model.body("point", tdisp(y, 0, 0), mass=1, inertia=(0, 0, 0))
    return model


def ishigami():
    return at_rest(lambda x, y, z: sp.sin(x) + A * sp.sin(y) ** 2 + B * z**4 * sp.sin(x), x=0, y2=0, z=0)


def exact():
    """First orders and totals in closed form (T. Ishigami and T. Homma, 1990)."""
    both = B**2 * np.pi**8 * (1 / 18 - 1 / 50)
    alone = np.array([(1 + B * np.pi**4 / 5) ** 2 / 2, A**2 / 8, 0])
    whole = alone.sum() + both
    return alone / whole, (alone + [both, 0, both]) / whole


def test_ishigamis_indices():
    """In closed form, within the intervals; the same by SciPy's estimators of these very runs."""
    model, (first, total) = ishigami(), exact()
    study = model.study(0.1, over={"x": EVEN, "y2": EVEN, "z": EVEN}, samples=1024, keep={"f": Last("y")}, seed=3)
    s = study.sobol(confidence=0.99)
    assert (len(s.result), s.samples, s.used) == (5 * 1024, 1024, {"f": 1024})
    for j, name in enumerate(s.names):
        for index, ends, right in ((s.first, s.first_intervals, first), (s.total, s.total_intervals, total)):
            low, high = ends["f"][name]
            assert low <= right[j] <= high and high - low < 0.3, name
            assert index["f"][name] == pytest.approx(right[j], abs=0.03)
    y = s.result["f"].reshape(5, 1, 1024)
    if hasattr(stats, "sobol_indices"):
        by_scipy = stats.sobol_indices(func={"f_A": y[0], "f_B": y[1], "f_AB": y[2:].reshape(3, 1, 1024)}, n=1024)
        np.testing.assert_allclose([s.first["f"][name] for name in s.names], by_scipy.first_order.ravel(), rtol=1e-10)
        np.testing.assert_allclose([s.total["f"][name] for name in s.names], by_scipy.total_order.ravel(), rtol=1e-10)


def test_indices_of_a_sum():
    """y = 3 a + 2 b - c: shares of the variances, alone as together; of what never differs NaN; over time arrays."""
    model = at_rest(lambda a, b, c: 3 * a + 2 * b - c, a=0, b=0, c=0)
    over = {"a": Uniform(0, 1), "b": Normal(1, 0.5), "c": Uniform(2, 4)}
    study = model.study(1, over=over, samples=512, keep={"then": "y", "still": Last("y.dot")}, save_at=[0.5, 1])
    s = study.sobol()
    variances = np.array([9 / 12, 4 * 0.25, 4 / 12])
    for name, share in zip(over, variances / variances.sum(), strict=True):
        assert s.first["then"][name].shape == (2,)
        np.testing.assert_allclose(s.first["then"][name], share, atol=0.02)
        np.testing.assert_allclose(s.total["then"][name], share, atol=0.02)
        low, high = s.total_intervals["then"][name]
        assert np.all(low < share) and np.all(share < high)
    assert all(np.isnan(x) for x in s.total["still"].values())
    bars, lines = s.plot("still", "then")
    assert len(bars.patches) == 6 and lines.get_xlabel() == "t [s]" and "at 1 s" in repr(s)
    table = pytest.importorskip("pandas") and s.to_pandas()
    assert len(table) == 9 and list(table.columns)[:4] == ["kept", "time", "name", "first"]


def test_designs_fill_what_they_are_drawn_from():
    """Each stratum once; each half, quarter, ... evenly; the same for a seed, whatever the block and the executor."""
    model = examples.double_pendulum()
    over = {"q1": Uniform(0, 1), "q2": Uniform(0, 1), "l1": [1.0, 1.2]}
    for sampling in ("latin hypercube", "sobol"):
        options = {"over": over, "samples": 64, "sampling": sampling, "keep": {"v": Max("q1.dot")}}
        study = model.study(0.2, seed=5, **options)
        found = study.values(np.arange(128))
        for name in ("q1", "q2"):
            drawn = found[name].reshape(2, 64)
            np.testing.assert_array_equal(drawn[0], drawn[1])
            np.testing.assert_array_equal(np.sort((drawn[0] * 64).astype(int)), np.arange(64))
        whole = study.run()
        blocks = model.study(0.2, seed=5, block=7, **options)
        with ThreadPoolExecutor(2) as threads:
            np.testing.assert_array_equal(blocks.run(threads).table, whole.table)
        assert study.key == blocks.key != model.study(0.2, seed=6, **options).key
    corners = (found["q1"][:64] > 0.5) + 2 * (found["q2"][:64] > 0.5)
    assert np.bincount(corners).tolist() == [16] * 4, "Sobol's: each quarter alike"
    point = at_rest(lambda a, b: sp.exp(a) + b**2, a=0, b=0)
    options = {"over": {"a": Uniform(0, 1), "b": Uniform(0, 1)}, "samples": 256, "keep": {"y": Last("y")}}
    ways = "random", "latin hypercube", "sobol"
    means = [point.study(0.1, sampling=way, **options).run()["y"].mean() for way in ways]
    wrong = np.abs(np.array(means) - (np.e - 1) - 1 / 3)
    assert wrong[0] > 0.01 and wrong[1] < 1e-3 and wrong[2] < 1e-3, "of a sum both are nearly exact"


def test_indices_know_no_unit_and_no_offset(monkeypatch, rng):
    """A kilometre is a thousand metres; what differs by rounding alone has no indices. Memory is no matter."""
    y = rng.normal(size=(5, 64))
    known = _column(y, 0.95, 20, np.random.default_rng(1))
    assert all(np.isfinite(x).all() for x in known)
    for factor, offset in ((1e9, 0), (-1e-9, 0), (1, 100)):
        again = _column(factor * y + offset, 0.95, 20, np.random.default_rng(1))
        for found, expected in zip(again, known, strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    for size in (1e-9, 1.0, 1e9):
        constant = _column(size * (1 + 2e-16 * y), 0.95, 20, np.random.default_rng(1))
        assert all(np.isnan(x).all() for x in constant)
    monkeypatch.setattr(sobol, "AT_ONCE", 3 * 64)  # of 20: seven times
    for found, expected in zip(_column(y, 0.95, 20, np.random.default_rng(1)), known, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_indices_on_disk_and_of_failed_runs(tmp_path):
    """They go on where they were; rows with a run that failed are left out, and that is said."""
    model = examples.double_pendulum()
    study = model.study(0.1, over={"q1": Uniform(0, 1), "l1": Uniform(-0.02, 1)}, samples=32, keep={"v": Max("q1.dot")})
    s = study.sobol(folder=tmp_path / "runs")
    again = study.sobol(folder=tmp_path / "runs")
    assert s.total == again.total and len(list((tmp_path / "runs").glob("*.npz"))) >= 1
    lost = np.isnan(s.result["v"].reshape(4, 32)).any(axis=0).sum()
    assert s.used["v"] == 32 - lost


def test_pictures_of_what_scatters():
    model = at_rest(lambda a, b: 3 * a - b, a=0, b=0)
    over = {"a": Uniform(0, 1), "b": Uniform(0, 1)}
    result = model.study(0.1, over=over, samples=200, sampling="latin hypercube", keep={"y": Last("y")}).run()
    tornado = result.plot_tornado("y", share=0.5)
    assert [text.get_text() for text in tornado.get_yticklabels()] == ["b", "a"]
    lengths = [patch.get_width() for patch in tornado.patches]
    np.testing.assert_allclose(lengths, [0.25, -0.25, -0.75, 0.75], atol=0.15)
    panels = result.plot_scatter("y")
    assert [axis.get_xlabel() for axis in panels] == ["a", "b"]
    x, y = panels[0].lines[1].get_data()
    assert np.polyfit(x, y, 1)[0] == pytest.approx(3, abs=0.15)


def uncertain(b, over=None, **options):
    return b.model.study(0.1, over=over or {"q1": Uniform(0, 1)}, **{"samples": 4, **options})


test_mistake_is_explained = explained(__file__)
