"""Equations as functions of JAX: the numbers of other targets, runs with fixed steps, and their derivatives.

JAX itself knows nothing of mechanics: its derivatives go through the steps of a run, those of `sensitivity` come from
tangent equations that are integrated beside it.
"""

import pickle
import sys

import numpy as np
import pytest

from easydyn import Force, Model, examples, tdisp
from easydyn.errors import MissingDependencyError

TIMES = [0, 0.5, 1, 1.5, 2]
PURE = ["double_pendulum", "slider_crank", "spring_pendulum", "free_body", "dc_motor", "speed_control"]


@pytest.fixture
def jax():
    """JAX, with 64 bits within the test alone."""
    jax = pytest.importorskip("jax")
    with jax.enable_x64(True):
        yield jax


def states(system, rng, count=4):
    return rng.uniform(0, 1, count), *rng.uniform(-0.5, 0.5, (3, count, system.n))


def compare(model, rng):
    """All numbers beside those of NumPy, one state and many; the setting of JAX is left as it was."""
    jax = pytest.importorskip("jax")
    before = jax.config.jax_enable_x64
    plain, system = model.compile("numpy"), model.compile("jax")
    time, q, qd, qdd = states(plain, rng)
    for name, given in (
        ("residual", (time, q, qd, qdd)), ("mass_matrix", (time, q, qd)), ("frames", (time, q, qd)),
        ("accelerations", (time, q, qd)),
    ):  # fmt: skip
        expected, found = getattr(plain, name)(*given), getattr(system, name)(*given)
        assert type(found) is np.ndarray and found.dtype == float
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * max(1e-300, np.abs(expected).max(initial=0)))
    assert jax.config.jax_enable_x64 == before


def test_numbers_are_those_of_other_targets(rng):
    compare(examples.slider_crank(), rng)


@pytest.mark.one_in(4)
@pytest.mark.long
@pytest.mark.parametrize("name", [x for x in examples.MODELS if x != "slider_crank"])
def test_numbers_of_all_examples(name, rng):
    compare(getattr(examples, name)(), rng)


def test_a_system_is_one_like_all_others():
    """Runs, energies, derivatives, copies, pickles, parameters."""
    pytest.importorskip("jax")
    model = examples.oscillator()
    system, plain = model.compile("jax"), model.compile("numpy")
    assert "jax" in repr(system) and system.target == "jax"
    state = 0.1, [0.2], [0.3], [0.4]
    for found in (system, system.copy(), pickle.loads(pickle.dumps(system))):
        np.testing.assert_allclose(found.residual(*state), plain.residual(*state), rtol=1e-14)
        assert found.motion
    np.testing.assert_allclose(system.energies(*state), plain.energies(*state), rtol=1e-14)
    np.testing.assert_allclose(system.jacobian("q", *state), plain.jacobian("q", *state), rtol=1e-14)
    run, other = (model.simulate(0.2, step=0.02, target=target) for target in ("jax", "python"))
    np.testing.assert_allclose(run.q, other.q, rtol=1e-12)


@pytest.mark.long
def test_a_run_and_its_gradient(jax):
    """dop853 with fixed steps, beside a run with step control; its derivatives, beside those of tangent equations."""
    model = examples.double_pendulum()
    options = {"parameters": {"l1": 1.3}, "initial": {"q2": 0.5}, "method": "dop853", "tolerance": 1e-13,
               "save_at": TIMES}  # fmt: skip
    motion = model.compile("jax").motion(2, step=0.02, save_every=0.5)

    def ends(x):
        run = motion({"l1": x[0]}, {"q2": x[1]})
        return run["q"], run

    at = np.array([1.3, 0.5])
    J, run = jax.jit(jax.jacfwd(ends, has_aux=True))(at)
    exact = model.sensitivity(2, ["l1", "q2"], **options)
    np.testing.assert_allclose(run["q"], exact.run.q, rtol=0, atol=1e-10)
    np.testing.assert_allclose(run["qdd"], exact.run.qdd, rtol=0, atol=1e-9)
    np.testing.assert_allclose(J, exact.q, rtol=0, atol=1e-9)
    assert run["q"].dtype == float and run["t"].tolist() == TIMES


def test_many_runs_at_once(jax, rng):
    """An axis of values, in blocks, beside the closed form."""
    motion = examples.oscillator().compile("jax").motion(1, step=0.05, save_every=0.5)
    m, q = rng.uniform(1, 2, 300), rng.uniform(-1, 1, 300)
    whole = jax.jit(motion)({"m": m}, {"q": q})["q"]
    assert whole.shape == (300, 3, 1)
    omega = 2 * np.pi / np.sqrt(m)
    expected = q[:, None] * np.cos(omega[:, None] * [0, 0.5, 1])
    np.testing.assert_allclose(whole[:, :, 0], expected, rtol=0, atol=1e-8)


def test_a_stiff_step_is_that_of_the_trapezium(jax):
    """x.ddot + c x.dot + k x = 0: one step of Newmark's method, solved by hand."""
    model, h = Model("stiff"), 0.1
    x = model.coordinate("x", initial=1)
    c, k = model.parameters(c=1.0, k=1.0)
    model.equation(x.ddot + c * x.dot + k * x)
    motion = jax.jit(model.compile("jax").motion(h, step=h, method="newmark"))
    for c, k in ((1e6, 1.0), (1.0, 1e8)):
        after = -(c * h / 2 * -k + k * (1 - h**2 / 4 * k)) / (1 + c * h / 2 + k * h**2 / 4)
        assert motion({"c": c, "k": k})["q"][-1, 0] == pytest.approx(1 + h**2 / 4 * (after - k), rel=1e-9)


@pytest.mark.long
def test_an_axis_of_values_is_what_vmap_makes(jax, rng):
    """By both methods; a grid of two axes; gradients of many runs at once; inputs."""
    model = examples.double_pendulum()
    system = model.compile("jax")
    lengths = rng.uniform(1, 2, 300)
    for method in ("dop853", "newmark"):
        motion = system.motion(0.2, step=0.05, method=method)
        whole = jax.jit(motion)({"l1": lengths})
        each = jax.jit(jax.vmap(motion))({"l1": lengths})
        for name in ("q", "qd", "qdd"):
            assert whole[name].shape == each[name].shape == (300, 2, 2)
            np.testing.assert_allclose(whole[name], each[name], rtol=0, atol=1e-11)
        grid = jax.jit(motion)({"l1": lengths[:3, None]}, {"q2": lengths[:2]})["q"]
        assert grid.shape == (3, 2, 2, 2)
        one = jax.jit(motion)({"l1": lengths[2]}, {"q2": lengths[1]})["q"]
        np.testing.assert_allclose(grid[2, 1], one, rtol=0, atol=1e-12)
        end = lambda x: motion({"l1": x})["q"][..., -1, 0].sum()  # noqa: E731, B023
        slopes = jax.jit(jax.grad(end))(lengths)  # backwards
        np.testing.assert_allclose(slopes[7], jax.jit(jax.jacfwd(end))(lengths[7]), rtol=0, atol=1e-12)


@pytest.mark.long
def test_an_ensemble_of_a_hundred_thousand_runs(jax, rng):
    """In some seconds: their energy stays, and some of them are compared with runs one by one."""
    model = examples.double_pendulum()
    system = model.compile("jax")
    q = rng.uniform(-0.5, 0.5, (2, 100_000))
    found = jax.jit(system.motion(5, step=0.05))({}, {"q1": q[0], "q2": q[1]})
    assert found["q"].shape == (100_000, 2, 2)
    energy = system.energies(0.0, *(np.asarray(found[x]) for x in ("q", "qd", "qdd")))[..., :2].sum(axis=-1)
    assert np.abs(energy[:, 1] - energy[:, 0]).max() < 1e-5
    for k in (0, 54_321, 99_999):
        run = model.simulate(5, initial={"q1": q[0, k], "q2": q[1, k]}, method="dop853", tolerance=1e-11)
        np.testing.assert_allclose(found["q"][k, 1], run.q[-1], rtol=0, atol=1e-5)


@pytest.mark.long
@pytest.mark.parametrize("name", PURE)
def test_runs_of_examples(jax, name):
    """Newmark's method is that of `simulate` with the same fixed steps, DOP853 that with step control."""
    model = getattr(examples, name)()
    system = model.compile("jax")
    found = jax.jit(system.motion(0.05, step=0.001, method="newmark"))()
    same = model.simulate(0.05, step=0.001, method="newmark", save_at=[0, 0.05])
    n = len(model.mechanism.coordinates)
    for name in ("q", "qd"):  # of states the column of q has no meaning
        columns = slice(n) if name == "q" else slice(None)
        expected = getattr(same, name)[:, columns]
        np.testing.assert_allclose(found[name][:, columns], expected, rtol=1e-8, atol=1e-9 * np.abs(expected).max())
    found = jax.jit(system.motion(0.05, step=0.00025))()
    run = model.simulate(0.05, method="dop853", tolerance=1e-12, save_at=[0, 0.05])
    for name in ("q", "qd"):
        columns = slice(n) if name == "q" else slice(None)
        expected = getattr(run, name)[:, columns]
        np.testing.assert_allclose(found[name][:, columns], expected, rtol=1e-7, atol=1e-9 * np.abs(expected).max())


@pytest.mark.long
def test_orders(jax):
    """Halving the step divides the error of DOP853 by 2**8, that of Newmark's method by 4."""
    model = examples.double_pendulum()
    system = model.compile("jax")
    exact = model.simulate(2, method="dop853", tolerance=1e-14).q[-1]
    for method, steps, order in (("dop853", (0.05, 0.025), 8), ("newmark", (0.01, 0.005), 2)):
        errors = [
            np.abs(jax.jit(system.motion(2, step=h, method=method))()["q"][-1] - exact).max() for h in steps
        ]
        assert errors[1] > 1e-13 and order - 0.7 < np.log2(errors[0] / errors[1]) < order + 1.5


@pytest.mark.long
def test_what_does_not_converge_is_no_number(jax):
    """Newmark's method in steps that have no solution."""
    model = Model("no way")
    (x,) = model.coordinates("x", initial=1)
    model.body("ball", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Force(model["ball"], (-1e6 * x.dot**2 - 1e6, 0, 0)))
    found = jax.jit(model.compile("jax").motion(1, step=1, method="newmark"))()
    assert np.isnan(found["q"][-1]).all() and not np.isnan(found["q"][0]).any()


@pytest.mark.long
def test_quantities_as_functions(jax):
    """Frames, M, any expression, of tracers; derivatives of them are those of `jacobian`."""
    model = examples.slider_crank()
    system, (q,) = model.compile("jax"), model.mechanism.coordinates
    at = (0.0, np.array([0.3]), np.array([1.0]), np.array([2.0]))
    residual = system.pure("residual")
    stiffness = jax.jit(jax.jacfwd(residual, argnums=1))(*at)
    np.testing.assert_allclose(stiffness, system.jacobian("q", *at), rtol=1e-12)
    np.testing.assert_allclose(jax.jit(system.pure("mass_matrix"))(*at), system.mass_matrix(0, [0.3]), rtol=1e-14)
    np.testing.assert_allclose(jax.jit(system.pure("frames"))(*at), system.frames(0, [0.3]), rtol=0, atol=1e-15)
    qdd = jax.jit(system.pure("accelerations"))(*at[:3])
    np.testing.assert_allclose(qdd, system.accelerations(0, [0.3], [1.0]), rtol=1e-12)
    found = jax.jit(system.pure([q**2, q.dot * q]))(*at)
    np.testing.assert_allclose(found, [0.09, 0.3], rtol=1e-14)


def test_without_jax(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(MissingDependencyError, match=r'^target="jax" needs jax: pip install "easydyn\[jax\]"\.$'):
        examples.oscillator().compile(target="jax")
    with pytest.raises(MissingDependencyError):
        examples.oscillator().simulate(0.1, target="jax")
