"""The result of a run: names, expressions, energy, files, pictures."""

import json
import pickle

import numpy as np
import pytest
import sympy

from easydyn import (
    Damper,
    GeneralizedForce,
    Model,
    Spring,
    System,
    Trajectory,
    ground,
    integrate,
    t,
    tdisp,
    trotz,
    vcoord,
)
from easydyn.errors import EasyDynError, FileError, ModelError, UnknownNameError
from easydyn.examples import double_pendulum, hydraulic_jack
from easydyn.result import trajectory_files


@pytest.fixture(scope="module")
def pendulum():
    return double_pendulum()


@pytest.fixture(scope="module")
def run(pendulum):
    return pendulum.simulate(1, save_every=0.05)


def test_columns_by_name(run):
    assert run.columns == ("t", "q1", "q1.dot", "q1.ddot", "q2", "q2.dot", "q2.ddot")
    assert np.array_equal(run["q2"], run.q[:, 1]) and np.array_equal(run["q2.dot"], run.qd[:, 1])
    assert np.array_equal(run["q1.ddot"], run.qdd[:, 0]) and np.array_equal(run["t"], run.t)
    assert run.t.shape == (21,) and run.q.shape == run.qd.shape == run.qdd.shape == (21, 2)


def test_columns_by_symbol(run, pendulum):
    q1 = pendulum.symbols["q1"]
    assert np.array_equal(run[q1], run["q1"]) and np.array_equal(run[q1.dot], run["q1.dot"])


def test_states_are_rates_of_their_columns():
    run = hydraulic_jack().simulate(0.005)
    assert run.columns == ("t", "x", "x.dot", "x.ddot", "p1", "p1.dot", "p2", "p2.dot")
    assert run["p1"][0] == 10e5 and run.unit("p1") == "Pa" and run.unit("p1.dot") == "Pa/s"
    assert run.unit("x.ddot") == "m/s²"


def test_the_result_is_frozen(run):
    with pytest.raises(ValueError, match="read-only"):
        run.q[0, 0] = 1.0
    with pytest.raises(AttributeError):
        run.t = np.zeros(3)


def test_expressions_along_the_run(run, pendulum):
    q1, q2, l1 = (pendulum.symbols[name] for name in ("q1", "q2", "l1"))
    assert np.allclose(run.of(l1 * sympy.sin(q1) + q2.dot), 1.2 * np.sin(run["q1"]) + run["q2.dot"], atol=1e-14)
    lower = pendulum["lower arm"]
    assert run.of(lower.T.e).shape == run.of(lower.v).shape == (21, 3)
    assert np.allclose(run.of(lower.T.e), run.frames("lower arm")[:, :3, 3], atol=1e-14)
    assert np.allclose(run.of(lower.a)[:, 0], run.of(lower.a[0]))
    assert np.allclose(run.of(sympy.Integer(3)), 3) and run.of(t) == pytest.approx(run.t)


def test_expressions_use_the_parameters_of_the_run(pendulum):
    run = pendulum.simulate(0.1, parameters={"l1": 2.0})
    assert np.all(run.of(pendulum.symbols["l1"]) == 2.0)
    assert pendulum.values()["l1"] == 1.2


def test_velocity_is_the_derivative_of_position(run, pendulum):
    fine = pendulum.simulate(0.1, save_every=1e-3, tolerance=1e-9)
    e = fine.frames("lower arm")[:, :3, 3]
    v = fine.of(pendulum["lower arm"].v)
    assert np.allclose((e[2:] - e[:-2]) / 2e-3, v[1:-1], atol=1e-4)


def test_energy(run):
    energy = run.energy
    assert np.allclose(energy.kinetic + energy.potential, energy.total)
    assert np.ptp(energy.total) < 1e-5 * np.ptp(energy.kinetic)
    assert np.all(energy.work == 0), "gravity is in the potential: nothing else works here"
    assert energy["total"] is energy.total and set(energy.keys()) == {
        "kinetic", "potential", "total", "work", "balance",
    }  # fmt: skip


def test_statistics_and_steps(run):
    assert run.stats.steps == len(run.steps) == len(run.steps.h)
    assert np.allclose(np.cumsum(run.steps.h), run.steps.t, atol=1e-12)
    assert run.stats["residuals"] >= run.stats.newton_iterations > run.stats.steps
    assert run.steps.error.max() <= 1e-6
    assert run.status == "finished" and "1" in run.message


def test_save_and_load(run, pendulum, tmp_path):
    path = run.save(tmp_path / "a folder.npz")
    other = Trajectory.load(path)
    for name in ("t", "q", "qd", "qdd", "integrals"):
        assert np.array_equal(getattr(other, name), getattr(run, name))
    assert other.names == run.names and other.stats == run.stats and other.units == run.units
    assert np.array_equal(other.energy.total, run.energy.total)
    assert np.array_equal(other["q1.dot"], run["q1.dot"])
    with pytest.raises(ModelError, match="needs the model"):
        other.frames("lower arm")
    again = Trajectory.load(path, model=pendulum)
    assert np.array_equal(again.frames("lower arm"), run.frames("lower arm"))
    assert list(tmp_path.iterdir()) == [path], "nothing is left beside it"


def test_a_loaded_run_remembers_its_parameters(pendulum, tmp_path):
    run = pendulum.simulate(0.1, parameters={"l1": 2.5})
    again = Trajectory.load(run.save(tmp_path / "x.npz"), model=pendulum)
    assert again.parameters == run.parameters and again.parameters["l1"] == 2.5
    assert np.array_equal(again.frames("upper arm"), run.frames("upper arm"))
    assert np.array_equal(again.of(pendulum["upper arm"].v), run.of(pendulum["upper arm"].v))


def test_the_file_holds_no_pickle(run, tmp_path):
    with np.load(run.save(tmp_path / "run.npz"), allow_pickle=False) as data:
        assert json.loads(str(data["about"]))["names"] == ["q1", "q2"]


@pytest.mark.parametrize("content", [b"", b"not a run", pickle.dumps({"t": 1})], ids=["empty", "text", "pickle"])
def test_files_that_are_no_runs(content, tmp_path):
    path = tmp_path / "x.npz"
    path.write_bytes(content)
    with pytest.raises(FileError, match="x.npz"):
        Trajectory.load(path)
    np.savez(path, other=np.zeros(3))
    with pytest.raises(FileError, match="not a run"):
        Trajectory.load(path)


def test_missing_files_and_folders(run, tmp_path):
    with pytest.raises(FileError, match="there is no file"):
        Trajectory.load(tmp_path / "none.npz")
    for write in (run.save, run.to_csv):
        with pytest.raises(FileError, match="cannot write"):
            write(tmp_path / "no folder" / "x")


def test_a_run_of_another_model_is_refused(run, tmp_path):
    with pytest.raises(ModelError, match="not the same"):
        Trajectory.load(run.save(tmp_path / "x.npz"), model=hydraulic_jack())


def test_csv(run, tmp_path):
    lines = run.to_csv(tmp_path / "x.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == ",".join(run.columns) and len(lines) == 22
    assert np.allclose([float(x) for x in lines[-1].split(",")], [run[name][-1] for name in run.columns], rtol=1e-15)


def test_columns_of_the_original_system(run, pendulum, tmp_path):
    """t, then q, qd, qdd of each coordinate, then what is asked for; bit by bit what the run holds."""
    lower = pendulum["lower arm"]
    also = {"height": lower.T.e.y, "speed": lower.v, "energy": run.energy.total, "twice": np.column_stack([run.t] * 2)}
    path = run.to_csv(tmp_path / "double pendulum.res", **also)
    first, *rest = path.read_text(encoding="ascii").splitlines()
    names = "t q1 q1.dot q1.ddot q2 q2.dot q2.ddot height speed.x speed.y speed.z energy twice.1 twice.2".split()
    assert first.split() == ["#", *names] and {len(line) for line in [first, *rest]} == {25 * len(names)}
    table = np.loadtxt(path)
    assert np.array_equal(table[:, 1:7:3], run.q) and np.array_equal(table[:, 2:7:3], run.qd)
    assert np.array_equal(table[:, 3:7:3], run.qdd) and np.array_equal(table[:, 0], run.t)
    assert np.array_equal(table[:, 8:11], run.of(lower.v)) and np.array_equal(table[:, 11], run.energy.total)
    y = -1.2 * np.cos(run["q1"]) - 0.55 * np.cos(run["q1"] + run["q2"])
    np.testing.assert_allclose(table[:, 7], y, rtol=0, atol=1e-14)
    commas = run.to_csv(tmp_path / "x.csv", **also)
    assert commas.read_text(encoding="utf-8").splitlines()[0] == ",".join(names)
    assert np.array_equal(np.loadtxt(commas, delimiter=",", skiprows=1), table)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["double pendulum.res", "x.csv"]


def test_columns_of_states_and_extreme_numbers(tmp_path):
    """Of a first-order state its value and its rate: its column of q has no meaning."""
    jack = hydraulic_jack().simulate(0.001)
    first = jack.to_csv(tmp_path / "jack.res").read_text().splitlines()[0]
    assert first.split()[1:] == ["t", "x", "x.dot", "x.ddot", "p1", "p1.dot", "p2", "p2.dot"]
    numbers = np.resize([-1.7976931348623157e308, 5e-324, -2.2250738585072014e-308, 0.1, np.nan, np.inf], len(jack))
    table = np.loadtxt(jack.to_csv(tmp_path / "jack.res", odd=numbers))
    assert np.array_equal(table[:, -1], numbers, equal_nan=True) and np.array_equal(table[:, 4], jack["p1"])


def test_frames_of_pandas_have_further_columns():
    pytest.importorskip("pandas", reason="pandas is not installed")
    jack = hydraulic_jack().simulate(0.001)
    assert list(jack.to_pandas(power=jack["p1"] * jack["x.dot"]).columns)[-1] == "power"


def test_a_table_that_is_interrupted_leaves_what_was_there(run, tmp_path):
    before = run.to_csv(tmp_path / "x.res").read_bytes()

    class Interrupted(float):
        def __repr__(self):
            raise KeyboardInterrupt

    table = np.array([[0.0, 1.0], [Interrupted(2), 3.0]], dtype=object)
    for name in ("x.res", "x.csv"):
        with pytest.raises(KeyboardInterrupt):
            trajectory_files.write_table(tmp_path / name, ["a", "b"], table)
    assert [path.name for path in tmp_path.iterdir()] == ["x.res"] and (tmp_path / "x.res").read_bytes() == before


def test_pandas(run):
    pandas = pytest.importorskip("pandas")
    frame = run.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and list(frame.columns) == list(run.columns[1:])
    assert np.array_equal(frame["q1"].to_numpy(), run["q1"]) and frame.index.name == "t"


def test_pickle(run, pendulum):
    other = pickle.loads(pickle.dumps(run))
    assert np.array_equal(other.of(pendulum["lower arm"].v), run.of(pendulum["lower arm"].v))


def test_plot_of_columns(run):
    ax = run.plot("q1", "q2")
    assert ax.get_xlabel() == "t [s]" and ax.get_ylabel() == "q1, q2 [rad]"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["q1", "q2"]
    assert np.array_equal(ax.lines[1].get_ydata(), run["q2"])
    assert run.plot("q1.dot").get_ylabel() == "q1.dot [rad/s]"
    assert len(run.plot().lines) == 2, "all coordinates when none is named"


def test_plot_with_different_units_says_which(run, pendulum):
    from matplotlib import pyplot

    ax = run.plot("q1", "q1.dot", ax=pyplot.subplots()[1])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["q1 [rad]", "q1.dot [rad/s]"]


def test_plot_into_given_axes_and_of_expressions(run, pendulum):
    from matplotlib import pyplot

    given = pyplot.subplots()[1]
    assert run.plot("q1", ax=given) is given
    ax = run.plot(pendulum["lower arm"].v)
    assert len(ax.lines) == 3
    assert run.plot_energy().get_ylabel() == "energy [J]"
    assert run.plot_steps().get_yscale() == "log"


def test_plots_leave_settings_alone(run):
    import matplotlib

    before = dict(matplotlib.rcParams)
    run.plot("q1")
    assert dict(matplotlib.rcParams) == before


def test_unknown_names_say_what_there_is(run):
    with pytest.raises(UnknownNameError, match="no 'q3': it has t, q1"):
        run["q3"]
    with pytest.raises(UnknownNameError, match="upper arm, lower arm"):
        run.frames("third arm")
    with pytest.raises(UnknownNameError, match="kinetic, potential"):
        run.energy["heat"]
    with pytest.raises(EasyDynError):
        run.plot("nope")


def test_energy_of_springs_and_dampers():
    """m x'' + c x' + k x = 0: what the damper takes is the work, and the balance closes."""
    model = Model("oscillator")
    (x,) = model.coordinates("x", initial=1)
    mass = model.body("mass", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.add(Spring(mass, ground, stiffness=8, free_length=0), Damper(mass, (ground, (-3, 0, 0)), damping=0.5))
    run = model.simulate(5, save_every=0.1)
    assert run.energy.potential[0] == pytest.approx(4)
    assert run.energy.work[-1] < -2.5 and np.all(np.diff(run.energy.work) <= 1e-12)
    assert np.ptp(run.energy.balance) < 1e-4
    w = np.sqrt(4 - 0.125**2)
    exact = np.exp(-0.125 * run.t) * (np.cos(w * run.t) + 0.125 / w * np.sin(w * run.t))
    assert np.abs(run["x"] - exact).max() < 2e-5


def test_energy_of_a_driven_frame():
    """A bead on a turning rod gains energy from the drive: q = cosh(w t)/2."""
    model = Model("bead")
    (q,) = model.coordinates("q", initial=0.5)
    model.body("bead", trotz(2 * t) * tdisp(q, 0, 0), mass=3, inertia=(0, 0, 0))
    run = model.simulate(1)
    assert run["q"][-1] == pytest.approx(0.5 * np.cosh(2), rel=1e-5)
    assert run.energy.work[-1] == pytest.approx(run.energy.total[-1] - run.energy.total[0], abs=1e-4)
    assert run.energy.work[-1] > 1


def test_runs_without_a_model():
    run = integrate(lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0], t_final=1, names=["x"])
    assert run.plot("x").get_ylabel() == "x"
    for ask in (lambda: run.energy, lambda: run.of(1), lambda: run.frames("a")):
        with pytest.raises(ModelError, match="needs the model"):
            ask()
    with pytest.raises(ModelError, match="no bodies"):
        _ = hydraulic_jack().simulate(0.001).energy


def test_runs_of_hand_written_systems():
    def compute_motion(t, q, qd, qdd, bodies):
        bodies[0].T = tdisp(q[0], 0, 0)
        bodies[0].vG, bodies[0].aG = vcoord(qd[0], 0, 0), vcoord(qdd[0], 0, 0)

    system = System("stone", compute_motion, coordinates="x", gravity=(-9.81, 0, 0))
    system.body("stone", mass=2, inertia=(0, 0, 0))
    run = system.simulate(1, save_every=0.25)
    assert run["x"][-1] == pytest.approx(-9.81 / 2, abs=1e-9) and run.title == "stone"
    assert np.ptp(run.energy.balance) < 1e-9 and run.frames("stone").shape == (5, 4, 4)


def test_inputs_given_by_a_formula_have_a_column():
    model = Model("cart")
    (x,) = model.coordinates("x", initial=1)
    model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    u = model.input("u", unit="N")
    model.add(GeneralizedForce(x, u))
    model.output("doubled", 2 * u)
    run = model.simulate(1, inputs={"u": -4 * x - x.dot})
    assert {"u", "doubled"} <= set(run.columns) and run.unit("u") == "N"
    np.testing.assert_allclose(run["u"], -4 * run["x"] - run["x.dot"], rtol=0, atol=1e-14)
    np.testing.assert_allclose(run["u"], run["x.ddot"], rtol=0, atol=1e-4)
    np.testing.assert_allclose(run["doubled"], 2 * run["u"], rtol=1e-14)
    assert run.plot("u").get_ylabel() == "u [N]"
