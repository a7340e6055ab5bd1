"""A run for other programs: what xarray, MATLAB's format and Parquet give back, and how good it is between instants."""

import numpy as np
import pytest

from easydyn import Model, examples
from easydyn.result.tables import identifiers


@pytest.fixture(scope="module")
def jack():
    return examples.hydraulic_jack().simulate(0.002, save_every=1e-4)


def test_xarray(jack, tmp_path):
    """Columns with their units over time; parameters and the state of the run; files of NetCDF and back."""
    xarray = pytest.importorskip("xarray")
    data = jack.to_xarray(power=jack["p1"] * jack["x.dot"], column=np.ones((len(jack), 2)))
    assert list(data.data_vars) == [*jack.columns[1:], "power", "column.1", "column.2"]
    for name in jack.columns[1:]:
        assert np.array_equal(data[name], jack[name]) and data[name].units == jack.unit(name), name
    assert data.t.units == "s" and np.array_equal(data.t, jack.t) and "units" not in data.power.attrs
    assert data["x.dot"].long_name == "rate of x" and data["p1"].long_name == "p1"
    assert data.attrs["title"] == jack.title and data.attrs["status"] == "finished"
    assert {name: float(data[name]) for name in jack.parameters} == jack.parameters
    again = xarray.load_dataset(data.to_netcdf(tmp_path / "run.nc", engine="scipy") or tmp_path / "run.nc")
    assert again.equals(data) and again["p1"].units == "Pa" and again.t.units == "s"


def test_runs_are_joined_along_a_parameter():
    xarray = pytest.importorskip("xarray")
    model = examples.double_pendulum()
    runs = [model.simulate(0.2, parameters={"l1": x}, save_every=0.1).to_xarray() for x in (1.0, 1.2)]
    both = xarray.concat(runs, "l1")
    assert both["q2"].shape == (2, 3) and both.sel(l1=1.2)["q2"].equals(runs[1]["q2"])


def test_matlab(jack, tmp_path):
    io = pytest.importorskip("scipy.io")
    read = io.loadmat(jack.to_mat(tmp_path / "jack.mat", force=jack["p1"] * 2), simplify_cells=True)
    for name, given in identifiers([*jack.columns, "force"]).items():
        assert np.array_equal(read[given], jack["p1"] * 2 if name == "force" else jack[name]), name
    assert np.array_equal(read["qdd"], jack.qdd) and read["parameters"] == jack.parameters
    assert list(read["names"]) == list(jack.names) and read["units"]["p1_dot"] == "Pa/s" and read["title"] == jack.title
    assert io.whosmat(tmp_path / "jack.mat")[0] == ("t", (len(jack), 1), "double")


def test_names_that_matlab_can_have(tmp_path):
    names = ["q1", "q1.dot", "q1_dot", "end", "lambda", "größe", "2x", "_a", "a" * 70, "a" * 71]
    given = identifiers(names)
    assert list(given.values())[:8] == ["q1", "q1_dot", "q1_dot_2", "x_end", "x_lambda", "gr__e", "x_2x", "x_a"]
    assert len(set(given.values())) == len(names) and all(len(x) <= 63 for x in given.values())
    odd = Model("odd")
    for name in ("θ", "end"):
        (x,) = odd.coordinates(name, initial=1)
        odd.equation(x.ddot + x)
    io = pytest.importorskip("scipy.io")
    assert {"x_end", "end_ddot", "x_", "t"} <= set(io.loadmat(odd.simulate(0.1).to_mat(tmp_path / "odd.mat")))


def test_parquet(jack, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    read = pandas.read_parquet(jack.to_parquet(tmp_path / "jack.parquet", force=jack["p1"] * 2))
    assert read.equals(jack.to_pandas(force=jack["p1"] * 2)) and read.index.name == "t"
    assert read.attrs["units"]["p1"] == "Pa" and read.attrs["parameters"] == jack.parameters


# orders of (q, qd) at instants between the steps: of the method itself, and of polynomials through what was saved
ORDERS = {
    "newmark": ((0.1, 0.05), (2, 2), (2, 2)), "hht": ((0.1, 0.05), (2, 2), (2, 2)),
    "generalized_alpha": ((0.1, 0.05), (2, 2), (2, 2)), "newmark_extrapolated": ((0.4, 0.2), (6, 5), (6, 5)),
    "dop853": ((0.4, 0.2), (7, 7), (6, 5)), "lobatto": ((1, 0.5), (10, 9), (5, 4)),
}  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize("method", ORDERS)
def test_between_steps_a_run_is_of_the_order_of_its_method(method):
    """save_at by the polynomial of each step, run.at by degree five through saved steps: beside SciPy, step halved."""
    solve = pytest.importorskip("scipy.integrate").solve_ivp
    model = Model("hard spring")
    (x,) = model.coordinates("x", initial=1)
    model.equation(x.ddot + x + 0.3 * x**3)
    times = np.sort(np.random.default_rng(1).uniform(0, 4, 60))
    exact = solve(lambda _, y: [y[1], -y[0] - 0.3 * y[0] ** 3], (0, 4), [1, 0], "DOP853", times, rtol=1e-13, atol=1e-14)
    steps, of_method, of_polynomials = ORDERS[method]
    errors = []
    for step in steps:
        direct = model.simulate(4, method=method, step=step, save_at=times)
        later = model.simulate(4, method=method, step=step, save_every="step").at(times)
        errors.append([[np.abs(found - y).max() for found, y in zip((run.q[:, 0], run.qd[:, 0]), exact.y, strict=True)]
                       for run in (direct, later)])  # fmt: skip
    orders = np.log2(np.divide(*errors))
    assert np.all(orders > np.array([of_method, of_polynomials]) - 0.6), orders
