"""What comes from outside, by public names alone: a target, a language of export, a scheme, a closed form, a figure.

Elements from outside are in test_transitions.py and test_implicit.py, a family of methods in test_new_family.py.
"""

import pickle
from unittest import mock

import mpmath
import numpy as np
import pytest
from matplotlib import pyplot
from mechanisms.four_bar import four_bar
from python_language import PYTHON
from sympy import acos, atan2, cos, sin, sqrt

from easydyn import Model, Trajectory, examples, integrate
from easydyn.engine.program import PYTHON as NOTATION
from easydyn.engine.scheme import Scheme
from easydyn.engine.targets import Target, source
from easydyn.errors import InputError
from easydyn.mechanics.kinematics import rotation_vector
from easydyn.mechanics.mbs import kinetic_energy
from easydyn.result import plots
from easydyn.vec import dot

# -- a target: thirty digits ----------------------------------------------------------------------------------------

FUNCTIONS = "sqrt sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log floor ceil sign inf"


def thirty_digits(program):
    """Programs in the arithmetic of mpmath."""
    mp = mpmath.mp.clone()
    mp.dps = 30
    space = {name: getattr(mp, name) for name in FUNCTIONS.split()} | {"pow": mp.power}
    exec(source(program, NOTATION, "{}[{}]"), space)

    def exact(values):
        return [mp.mpf(float(x)) if not isinstance(x, mpmath.mpf) else x for x in values]

    def prologue(p, u=()):
        return list(space["prologue"](exact(p), exact(u)))

    def evaluate(t, q, qd, qdd, constants):
        return space["evaluate"](mp.mpf(float(t)), exact(q), exact(qd), exact(qdd), constants)

    return prologue, evaluate


EXACT = Target("thirty digits", thirty_digits)


@pytest.mark.parametrize("scheme", ["recursive", "explicit", "motor"])
def test_a_target_evaluates(scheme):
    """Residual, M, accelerations, frames at one state and at many, beside the target that is there."""
    model = examples.slider_crank()
    ours, theirs = (model.compile(target, scheme) for target in (EXACT, "python"))
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.normal(size=(3, 4, ours.n)) * 0.3
    t = np.linspace(0, 1, 4)
    for name, state in (("residual", (q, qd, qdd)), ("frames", (q,)), ("accelerations", (q, qd))):
        many = getattr(ours, name)(t, *state)
        np.testing.assert_allclose(many, getattr(theirs, name)(t, *state), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(getattr(ours, name)(t[1], *(x[1] for x in state)), many[1], rtol=1e-12, atol=1e-12)
    assert "thirty digits" in repr(ours)


@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto"])
def test_a_target_runs(method):
    model = examples.double_pendulum()
    runs = [model.simulate(0.1, method=method, target=target, save_every=0.02) for target in (EXACT, "python")]
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-9)
    np.testing.assert_allclose(runs[0].energy.total, runs[1].energy.total, atol=1e-9)
    lin = [model.linearize(target=target) for target in (EXACT, "python")] if method == "newmark" else []
    for a, b in zip(lin[:1], lin[1:], strict=True):
        np.testing.assert_allclose(a.K, b.K, rtol=1e-6, atol=1e-6)


def test_what_is_no_target_is_refused():
    with pytest.raises(InputError, match=r"target='fortran': expected one of auto, .*python, jax, or a Target"):
        examples.double_pendulum().compile("fortran")


# -- a language ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["double_pendulum", "slider_crank", "hydraulic_jack"])
def test_a_language_exports(name, tmp_path):
    """What the file says is what the system says, at random states, also with another parameter."""
    model = getattr(examples, name)()
    path = model.export(PYTHON, tmp_path)
    assert path.suffix == ".py"
    space = {}
    exec(path.read_text(encoding="utf-8"), space)
    rng = np.random.default_rng(5)
    for change in (1.0, 1.01):
        given = {x: value * change for x, value in space["parameters"].items()}
        system = model.compile("python", parameters=given)
        more = (space["prepare"](given),) if "constants" in path.read_text().split("def residual")[1][:60] else ()
        for _ in range(3):
            t, (q, qd, qdd) = 0.1, rng.normal(size=(3, system.n)) * 0.1
            found = space["residual"](t, q.tolist(), qd.tolist(), qdd.tolist(), *more)
            np.testing.assert_allclose(found, system.residual(t, q, qd, qdd), rtol=1e-10, atol=1e-9)


def test_what_is_no_language_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"'basic': expected one of .*\"jax\", or a Language\. .* model.to_fmu"):
        examples.double_pendulum().export("basic", tmp_path)


# -- a scheme: Lagrange's equations ----------------------------------------------------------------------------------


class Lagrange(Scheme):
    """d/dt dT/dqd - dT/dq, from the kinetic energy alone, less the work of what acts on the bodies."""

    name = "Lagrange"

    def move(self, derivation, body, G):
        rate, tidy = derivation.calculus.rate, derivation.calculus.tidy
        body.vG, body.omega = G.e.map(rate), rotation_vector(body.T, rate, tidy).map(derivation.graph.node)
        body.aG, body.omegad = body.vG.map(rate), body.omega.map(rate)

    def residual(self, derivation):
        d = derivation
        kinetic = d.graph.node(kinetic_energy(d.loaded))
        rows = []
        for j in d.mechanism.moving:
            momentum = d.calculus.diff(kinetic, d.qd[j])
            row = d.calculus.rate(momentum) - d.calculus.diff(kinetic, d.q[j])
            for b in d.loaded:
                row -= dot(b.R, b.vG.map(lambda x, j=j: d.calculus.diff(x, d.qd[j])))
                row -= dot(b.MG, b.omega.map(lambda x, j=j: d.calculus.diff(x, d.qd[j])))
            rows.append(row)
        return rows


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["double_pendulum", "slider_crank", "quarter_car", "hydraulic_jack", "spatial_robot"])
@pytest.mark.parametrize("target", ["auto", "numpy", "python"])
def test_a_scheme_derives(name, target):
    """Residual, M, accelerations at random states, beside the scheme that is there."""
    model = getattr(examples, name)()
    ours, theirs = (model.compile(target, scheme) for scheme in (Lagrange(), "recursive"))
    rng = np.random.default_rng(4)
    q, qd, qdd = rng.normal(size=(3, 4, ours.n)) * 0.3
    t = np.linspace(0, 1, 4)
    for what, state in (("residual", (q, qd, qdd)), ("mass_matrix", (q,)), ("accelerations", (q, qd))):
        found, expected = (getattr(system, what)(t, *state) for system in (ours, theirs))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert "(Lagrange, " in repr(ours)


@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto"])
def test_a_scheme_runs(method, tmp_path):
    """Runs, linearised models, loops, exports, copies of a system, and the number of operations."""
    model = examples.double_pendulum()
    runs = [model.simulate(0.2, method=method, scheme=scheme, save_every=0.02) for scheme in (Lagrange(), "explicit")]
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-9)
    if method == "newmark":
        one, other = (model.linearize(scheme=scheme) for scheme in (Lagrange(), "recursive"))
        np.testing.assert_allclose(one.K, other.K, atol=1e-9)
        assert model.operations(scheme=Lagrange())["mul"] > model.operations()["mul"]
        model.export("c", tmp_path / "lagrange.c", scheme=Lagrange())
        copied = pickle.loads(pickle.dumps(model.compile("python", Lagrange())))
        state = np.array([0.1, 0.2])
        np.testing.assert_array_equal(copied.residual(0, state, state, state),
                                      model.compile("python", Lagrange()).residual(0, state, state, state))
        assert model.compile(scheme=Lagrange()).accelerations(0, state, state) is not None
        loop = four_bar()[0]
        ends = [loop.simulate(0.2, scheme=scheme, constraints=form, method="dop853", tolerance=1e-10).q[-1]
                for scheme in (Lagrange(), "recursive") for form in ("reduced", "multipliers")]
        np.testing.assert_allclose(ends, [ends[-1]] * 4, atol=1e-9)


def test_what_is_no_scheme_is_refused():
    with pytest.raises(InputError, match=r"scheme='kane': expected one of recursive, explicit, motor, or a Scheme"):
        examples.double_pendulum().compile(scheme="kane")


# -- a closed form: a four-bar by the formulas of its textbook --------------------------------------------------------


def by_formulas(branch):
    """The four-bar whose coupler and rocker follow from the crank by formulas of one's own; nothing is closed."""
    with mock.patch.object(Model, "close", lambda *_, **__: None):
        model = four_bar(branch)[0]
    a, b, c = model.mechanism.coordinates
    x, z = 1 - 4 * cos(a), 4 * sin(a)  # from the end of the crank to the rocker's pivot
    way = {"plus": 1, "minus": -1}[branch] * acos((16 - 25 - x**2 - z**2) / (10 * sqrt(x**2 + z**2)))
    rocker = atan2(-z, x) + way
    model.dependent(c, rocker)
    model.dependent(b, atan2(-z + 5 * sin(rocker), x + 5 * cos(rocker)) - a)
    return model


@pytest.mark.one_in(4)
@pytest.mark.parametrize("branch", ["plus", "minus"])
@pytest.mark.parametrize("target", ["auto", "numpy"])
@pytest.mark.parametrize("form", ["reduced", "multipliers"])
def test_a_closed_form_of_ones_own(branch, target, form):
    """It moves as the loop that is closed by the program."""
    ours, theirs = by_formulas(branch), four_bar(branch)[0]
    options = {"method": "dop853", "tolerance": 1e-10, "save_every": 0.05}
    one = ours.simulate(1, target=target, constraints=form, **options)
    other = theirs.simulate(1, **options)
    np.testing.assert_allclose(np.exp(1j * one.q), np.exp(1j * other.q), atol=1e-7)
    np.testing.assert_allclose(one.qdd, other.qdd, atol=1e-5)
    assert np.ptp(one.energy.balance) < 1e-7 * one.energy.kinetic.max()
    assert ours.mobility().degrees_of_freedom == 1 and ours.closures().nonlinear == 0


def test_a_closed_form_of_ones_own_is_linearised_and_exported(tmp_path):
    ours, theirs = by_formulas("plus"), four_bar("plus")[0]
    found, expected = (model.linearize(model.equilibrium()).poles() for model in (ours, theirs))
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(expected), rtol=1e-6, atol=1e-6)
    text = ours.export("c", tmp_path / "four_bar.c").read_text()
    assert "atan2" in text


# -- a figure: the phase portrait -------------------------------------------------------------------------------------


def portrait(run, *names, ax=None):
    """Rates over positions, the events marked."""
    ax = plots.axes(ax)
    for name in names:
        curve = ax.plot(run[name], run[f"{name}.dot"], label=plots.label(name, ""))[0]
        if run.events:
            marks = run.at([event.t for event in run.events])
            ax.plot(marks[name], marks[f"{name}.dot"], "o", color=curve.get_color())
    ax.set_xlabel(plots.label(", ".join(names), run.unit(names[0])))
    ax.set_ylabel(plots.label("rate", run.unit(f"{names[0]}.dot")))
    return ax


def test_a_figure_of_ones_own(tmp_path):
    """Of a run, of one from a file, of a loop, of a residual without a model; in a style, in axes that are given."""
    pendulum = examples.double_pendulum()
    first = pendulum.mechanism.coordinates[0]
    pendulum.event(first, name="upright")
    run = pendulum.simulate(1)
    assert run.events
    run.save(tmp_path / "run.npz")
    alone = integrate(lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0], t_final=1, names=["x"])
    for each, names in ((run, ["q1", "q2"]), (Trajectory.load(tmp_path / "run.npz"), ["q1"]), (alone, ["x"]),
                        (four_bar()[0].simulate(0.2), ["a", "b"])):  # fmt: skip
        with plots.style("print"):
            ax = portrait(each, *names)
        assert len(ax.lines) == len(names) * (2 if each.events else 1) and ax.get_xlabel().startswith(", ".join(names))
        assert portrait(each, *names, ax=ax) is ax
        pyplot.close(ax.figure)
    assert "rad/s" in portrait(run, "q1").get_ylabel()
    pyplot.close("all")
    with pytest.raises(InputError, match=r"ax is a int: expected matplotlib axes"):
        portrait(run, "q1", ax=3)
