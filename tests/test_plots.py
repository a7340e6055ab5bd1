"""Figures of a run: what is drawn, in which panel, with which unit; spectra against SciPy and against closed forms."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import colors, pyplot
from matplotlib.figure import Figure  # noqa: F401  in mistakes.txt
from mistakes import explained
from together import together

import easydyn
from easydyn import GeneralizedForce, Model, integrate, tdisp, trotz
from easydyn.errors import UnknownNameError
from easydyn.examples import MODELS, double_pendulum, hydraulic_jack
from easydyn.examples.figures import figure, numbered
from easydyn.result import plots
from easydyn.result.spectra import spectrum_of


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def run():
    return double_pendulum().simulate(1, save_every=0.01)


def ball():
    """Falls, bounces, and is blown at by a controller: a model with an input, outputs and events."""
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=1)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    u = model.input("u", unit="N")
    model.add(GeneralizedForce(y, u))
    model.event(y, direction=-1, action={y.dot: -0.8 * y.dot}, name="landed")
    model.event(y.dot, direction=-1, name="highest point")
    return model


@pytest.fixture(scope="module")
def bounces():
    model = ball()
    model.controller(0.1, lambda t, outputs: {"u": 1.0 if outputs["y.dot"] > 0 else -1.0})
    return model.simulate(1.5, save_every=0.01)


def texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


# -- panels ---------------------------------------------------------------------------------------------------------


def test_one_unit_gives_axes_and_several_give_panels(run):
    assert not isinstance(run.plot("q1", "q2"), tuple)
    panels = run.plot("q1", "q1.dot", "q2")
    assert isinstance(panels, plots.Panels) and len(panels) == 2
    assert [ax.get_ylabel() for ax in panels] == ["q1, q2 [rad]", "q1.dot [rad/s]"]
    assert [ax.get_xlabel() for ax in panels] == ["", "t [s]"]
    assert panels[0].get_title() == "double pendulum" and not panels[1].get_title()
    assert np.array_equal(panels[1].lines[0].get_ydata(), run["q1.dot"]) and texts(panels[0]) == ["q1", "q2"]
    assert panels.figure is panels[0].figure is panels[1].figure
    panels[0].set_xlim(0.2, 0.4)
    assert panels[1].get_xlim() == (0.2, 0.4), "the axis of time is shared"


def test_the_same_line_saves_a_figure_of_one_panel_or_of_several(run, tmp_path):
    for names in (["q1"], ["q1", "q1.dot"]):
        path = tmp_path / f"{len(names)}.png"
        run.plot(*names).figure.savefig(path)
        assert path.stat().st_size > 5000


def test_panels_may_be_given(run):
    given = pyplot.subplots(2)[1]
    drawn = run.plot("q1", "q1.dot", ax=given)
    assert list(drawn) == list(given) and given[1].get_ylabel() == "q1.dot [rad/s]"
    single = pyplot.subplots()[1]
    assert run.plot("q1", "q1.dot", ax=single) is single and texts(single) == ["q1 [rad]", "q1.dot [rad/s]"]
    assert len(single.lines) == 2


def test_all_unknowns_of_the_jack_stand_in_two_panels():
    panels = hydraulic_jack().simulate(0.002).plot()
    assert [ax.get_ylabel() for ax in panels] == ["x [m]", "p1, p2 [Pa]"]


def test_long_lists_of_names_leave_the_unit_on_the_axis():
    names = [f"a_long_name_{k}" for k in range(5)]
    still = integrate(lambda t, q, qd, qdd: qdd, q=np.zeros(5), qd=np.ones(5), t_final=1, names=names)
    ax = still.plot()
    assert ax.get_ylabel() == "" and texts(ax) == names


def test_a_panel_has_six_curves_at_most():
    names = [f"x{k}" for k in range(13)]
    many = integrate(lambda t, q, qd, qdd: qdd, q=np.zeros(13), qd=np.ones(13), t_final=1, names=names)
    assert [len(ax.lines) for ax in many.plot()] == [6, 6, 1]
    single = pyplot.subplots()[1]
    assert many.plot(ax=single) is single and len(single.lines) == 13


def test_what_stays_zero_but_for_rounding_is_left_out():
    """Of run.plot() and of the player; it is drawn when it is named, or when nothing else moves."""
    model = Model("flight", gravity=(0, -9.81, 0))
    x, y, yaw = model.coordinates("x y yaw", initial=(5e-17, 1, 5e-17))
    model.body("dart", tdisp(x, y, 0) * trotz(yaw), mass=1, inertia=(1, 1, 1))
    run = model.simulate(0.1)
    assert run.plot().get_ylabel() == "y [m]"
    (group,) = run.animate().data["plots"]
    assert [curve["name"] for curve in group["curves"]] == ["y"]
    assert run.plot("yaw").get_ylabel() == "yaw [rad]"
    still = Model("still")
    (q,) = still.coordinates("q")
    still.body("block", tdisp(q, 0, 0), mass=1, inertia=(0, 0, 0))
    assert still.simulate(0.1).plot().get_ylabel() == "q [m]"


def test_a_free_body_shows_its_attitude():
    """By a quaternion, in the player, too: the angles of a renewed reference leap."""
    model = Model("stone")
    model.free_body("stone", mass=1, inertia=(1, 2, 3), angular_velocity=(0, 3, 0.01))
    run = model.simulate(4)
    names = [f"stone.e{k}" for k in range(4)]
    assert np.ptp(run["stone.reference"]) > 0 and texts(run.plot()) == names
    (group,) = run.animate().data["plots"]
    assert [curve["name"] for curve in group["curves"]] == names
    assert all(np.abs(np.diff(run[name])).max() < 0.2 for name in names)


# -- phase portraits, events, inputs, energies ------------------------------------------------------------------------


def test_phase_portrait(run):
    ax = run.plot("q1.dot", x="q1")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("q1 [rad]", "q1.dot [rad/s]")
    assert np.array_equal(ax.lines[0].get_xdata(), run["q1"])
    assert np.array_equal(ax.lines[0].get_ydata(), run["q1.dot"])
    assert ax.lines[1].get_marker() == "o" and ax.lines[1].get_xdata() == run["q1"][0], "where it begins"
    q2 = run.source.mechanism.coordinates[1]
    assert np.allclose(run.plot("q1", x=2 * q2).lines[0].get_xdata(), 2 * run["q2"])


def test_events_are_marked_when_they_are_asked_for(bounces):
    landed = [event.t for event in bounces.events if event.name == "landed"]
    assert len(landed) == 2
    assert len(bounces.plot("y").lines) == 1
    ax = bounces.plot("y", events=["landed"])
    assert [line.get_xdata()[0] for line in ax.lines[1:]] == landed and texts(ax) == ["y", "landed"]
    panels = bounces.plot("y", "y.dot", events=True)
    assert texts(panels[0]) == ["y", "landed", "highest point"]
    assert len(panels[1].lines) == 1 + len(bounces.events), "in every panel"
    assert len(bounces.plot("y", events="highest point").lines) < 1 + len(bounces.events)


def test_inputs_are_drawn_as_steps(bounces):
    line = bounces.plot("u").lines[0]
    assert line.get_drawstyle() == "steps-post" and set(line.get_ydata()) == {-1.0, 1.0}
    assert bounces.plot("y").lines[0].get_drawstyle() == "default"


@pytest.mark.parametrize("given", [np.cos, ([0, 0.2], [0, 3])], ids=["function", "table"])
def test_inputs_that_change_all_the_time_are_no_steps(given, tmp_path):
    run = ball().simulate(0.2, save_every=0.05, inputs={"u": given})
    assert run.plot("u").lines[0].get_drawstyle() == "default"
    again = easydyn.Trajectory.load(run.save(tmp_path / "run.npz"))
    assert again.followed == run.followed and again.plot("u").lines[0].get_drawstyle() == "default"


def test_energies_with_their_balance(run):
    panels = run.plot_energy(balance=True)
    assert [ax.get_ylabel() for ax in panels] == ["energy [J]", "change of balance [J]"]
    assert texts(panels[0]) == ["kinetic", "potential", "total"]
    assert np.array_equal(panels[1].lines[0].get_ydata(), run.energy.balance - run.energy.balance[0])
    assert not isinstance(run.plot_energy(), tuple)


# -- spectra ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", ["hann", "flattop", "rectangular"])
def test_a_sine_has_a_peak_of_its_amplitude(window):
    t = np.arange(200) * 0.01  # whole periods of 7 Hz and of 12.5 Hz
    found = spectrum_of(t, 5 + 3 * np.sin(2 * np.pi * 7 * t + 0.4) + 0.5 * np.cos(2 * np.pi * 12.5 * t), window)
    assert found.peak == (pytest.approx(7), pytest.approx(3, rel=1e-7)) and not found.resampled
    assert found.amplitude[found.frequency == 12.5] == pytest.approx(0.5, rel=1e-6)
    assert found.frequency[-1] == 50


def test_flattop_gives_the_amplitude_between_two_lines():
    t = np.arange(400) * 0.01
    worst = {w: min(spectrum_of(t, np.sin(2 * np.pi * f * t), w).peak[1] for f in np.linspace(20, 20.25, 11))
             for w in ("hann", "flattop", "rectangular")}  # fmt: skip
    assert worst["flattop"] > 0.998 > 0.87 > worst["hann"] > 0.84 > 0.66 > worst["rectangular"] > 0.62


@pytest.mark.parametrize(("count", "window", "scipys"), [(300, "hann", "hann"), (301, "flattop", "flattop"),
                                                         (300, "rectangular", "boxcar")])  # fmt: skip
def test_spectrum_against_scipy(count, window, scipys):
    signal = pytest.importorskip("scipy.signal")
    values = np.random.default_rng(3).normal(size=count) + 4
    found = spectrum_of(np.arange(count) / 50, values, window)
    frequency, power = signal.periodogram(values, 50, window=scipys, detrend="constant", scaling="spectrum")
    assert np.allclose(found.frequency, frequency)
    expected = np.sqrt(2 * power)
    if count % 2 == 0:
        expected[-1] = np.sqrt(power[-1])  # one line, not a pair
    assert np.allclose(found.amplitude[2:], expected[2:], atol=1e-12)  # SciPy's window lets some of the mean through


def test_uneven_instants_are_resampled():
    t = np.sort(np.random.default_rng(1).uniform(0, 10, 4000))
    found = spectrum_of(t, np.sin(2 * np.pi * 3 * t), "flattop")
    assert found.resampled and found.peak == (pytest.approx(3, abs=0.06), pytest.approx(1, abs=2e-3))
    twice = np.sort(np.concatenate([t, t[100:200]]))  # two values at one instant, as at an event
    assert spectrum_of(twice, np.sin(2 * np.pi * 3 * twice)).amplitude.max() == pytest.approx(1, abs=0.15)


def test_spectrum_of_a_run_shows_its_natural_frequency():
    model = Model("oscillator")
    (x,) = model.coordinates("x", initial=0.02, unit="m")
    model.equation(x.ddot + (2 * np.pi * 4) ** 2 * x)
    run = model.simulate(5, save_every=0.01, tolerance=1e-7)
    spectrum = run.spectrum("x", window="flattop")
    assert spectrum.peak == (pytest.approx(4, abs=0.1), pytest.approx(0.02, rel=2e-3))
    assert run.spectrum(2 * x, window="flattop").peak[1] == pytest.approx(2 * spectrum.peak[1])
    assert run.spectrum("x", begin=3).frequency[1] == pytest.approx(1 / 2.01)
    panels = run.plot_spectrum("x", "x.dot")
    assert [ax.get_ylabel() for ax in panels] == ["amplitude of x [m]", "amplitude of x.dot [m/s]"]
    assert panels[1].get_xlabel() == "frequency [Hz]" and panels[1].lines[0].get_xdata()[-1] == pytest.approx(
        50, abs=0.2
    )
    assert run.plot_spectrum(logarithmic=True).get_yscale() == "log"


# -- styles -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", plots.STYLES)
def test_lines_of_a_style_differ_in_colour_and_in_pattern(run, name):
    before = dict(pyplot.rcParams)
    with plots.style(name):
        ax = pyplot.subplots()[1]
        lines = [ax.plot([0, k])[0] for k in range(7)]
    assert dict(pyplot.rcParams) == before
    assert len({str(line.get_linestyle()) + str(line._dash_pattern) for line in lines}) == 7, "in grey too"
    luminance = [np.dot(colors.to_rgb(line.get_color()), (0.2126, 0.7152, 0.0722)) for line in lines]
    assert max(luminance) < 0.7, "dark enough for white paper"


def test_a_style_ends_when_an_error_comes(run):
    before = dict(pyplot.rcParams)
    with pytest.raises(UnknownNameError), plots.style("print"):
        run.plot("nope")
    assert dict(pyplot.rcParams) == before


# -- figures of the paper ---------------------------------------------------------------------------------------------


def test_every_figure_is_one_call():
    assert sorted(numbered()) == list(range(1, 15))
    assert {name for name, _ in numbered().values()} <= set(MODELS)


@together(("number", "seconds"), [(4, 0.01), (5, 0.01), (6, 0.01), (7, 0.01)])
def test_figures_of_the_jack(number, seconds):
    ax = figure(number, hydraulic_jack().simulate(seconds, save_every=0.001))
    assert f"figure {number}:" in ax.get_title()
    assert ax.get_ylabel() == {4: "x [m]", 5: "pressures [bar]", 6: "x.dot [m/s]", 7: "time step [s]"}[number]


def test_figures_of_the_mechanisms():
    """What the paper says of them: the crank comes back to where it began; the robot moves in two units."""
    assert figure(8).get_ylabel() == "angles [rad]"
    crank = figure(10).lines[0].get_ydata()
    after = crank[len(crank) // 2 :].max()
    assert crank[0] == 1 and after == pytest.approx(1, abs=1e-3)
    assert [ax.get_ylabel() for ax in figure(13)] == ["lift, slide [m]", "turret, roll, grip [rad]"]


# -- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bench(run, bounces):
    return SimpleNamespace(model=double_pendulum(), run=run, bounces=bounces)


test_mistake_is_explained = explained(__file__)
