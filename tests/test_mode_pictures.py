"""Plots of poles, responses and modes by the data that is drawn, and modes in motion by their frames."""

import base64

import numpy as np
import pytest
import scipy.signal
from matplotlib import animation as films
from matplotlib import pyplot, rc_context
from mistakes import explained

from easydyn import (
    Damper,
    GeneralizedForce,
    Model,
    Spring,
    examples,
    ground,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
    visu,
)
from easydyn.analysis import poleplots
from easydyn.result import plots


@pytest.fixture(autouse=True)
def small_figures():
    with rc_context({"figure.figsize": (2.4, 1.6)}):
        yield
    pyplot.close("all")


def masses(c=2.0):
    """Two masses in a row, on springs, one of them damped: poles, response and modes are those of 2x2 matrices."""
    model = Model("two masses")
    x1, x2 = model.coordinates("x1 x2")
    (k, damping) = model.parameters(k=1000, c=c)
    u = model.input("u", unit="N")
    one = model.body("one", tdisp(x1, 0, 0), mass=1, inertia=(0, 0, 0))
    two = model.body("two", tdisp(1 + x2, 0, 0), mass=2, inertia=(0, 0, 0))
    wall = (ground, (-1, 0, 0))
    model.add(Spring(wall, one, stiffness=k, free_length=1), Damper(wall, one, damping=damping))
    model.add(Spring(one, two, stiffness=k, free_length=1), GeneralizedForce(x1, u))
    return model


M, K = np.diag([1.0, 2.0]), np.array([[2000.0, -1000], [-1000, 1000]])


def rotor():
    model = Model("rotor")
    a, b, spin = model.coordinates("a b spin")
    model.body("disk", trotx(a) * troty(b) * trotz(spin), mass=0, inertia=(0.4, 0.4, 0.7))
    model.add(GeneralizedForce(a, -1000 * a), GeneralizedForce(b, -1000 * b))
    return model


def markers(ax, kind):
    found = [line for line in ax.lines if line.get_marker() == kind]
    return np.concatenate([np.array(line.get_xdata()) + 1j * np.array(line.get_ydata()) for line in found])


def ratio_lines(ax):
    """Damping ratios of the dashed lines through the origin."""
    lines = [line for line in ax.lines if line.get_label() == "_ratio"]
    ends = np.array([line.get_xdata()[1] + 1j * line.get_ydata()[1] for line in lines])
    assert all(line.get_xdata()[0] == line.get_ydata()[0] == 0 for line in lines)
    return np.unique(np.round(-ends.real / np.abs(ends), 9))


# -- the complex plane ------------------------------------------------------------------------------------------------


def test_poles_are_crosses_where_they_are():
    ax = masses().linearize().plot_poles()
    C = np.diag([2.0, 0])
    whole = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    expected = np.linalg.eigvals(whole)
    assert np.sort_complex(markers(ax, "x")) == pytest.approx(np.sort_complex(expected))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("real part [1/s]", "imaginary part [rad/s]")
    ratios = ratio_lines(ax)
    assert set(ratios) <= set(poleplots.RATIOS) and len(ratios) >= 2
    assert {text.get_text() for text in ax.texts} == {f"{ratio:g}" for ratio in ratios}
    low, high = ax.get_xlim()
    assert low < expected.real.min() and high > 0 and ax.get_ylim()[1] > expected.imag.max()
    assert ax.get_legend() is None


def test_unstable_poles_have_another_colour():
    model = examples.inverted_pendulum(period=None)
    ax = model.linearize(at={"angle": 0}).plot_poles()
    stable, unstable = (line for line in ax.lines if line.get_marker() == "x")
    assert unstable.get_xdata()[0] > 0 >= max(stable.get_xdata()) and stable.get_color() != unstable.get_color()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["stable", "unstable"]
    assert any(text.get_text() == "2 poles" for text in ax.texts), (
        "the cart is free: two poles at zero lie on each other"
    )


def test_a_locus_runs_from_circles_to_crosses():
    model = masses()
    values = np.linspace(0, 60, 31)
    locus = model.root_locus("c", values)
    ax = locus.plot()
    curves = [line for line in ax.lines if len(line.get_xdata()) == len(values)]
    drawn = np.array([np.array(line.get_xdata()) + 1j * np.array(line.get_ydata()) for line in curves]).T
    assert np.array_equal(drawn, locus.poles)
    assert np.array_equal(markers(ax, "o"), locus.poles[0]) and np.array_equal(markers(ax, "x"), locus.poles[-1])
    assert set(ratio_lines(ax)) <= set(poleplots.RATIOS) and "c from 0 to 60" in ax.get_title()
    given = pyplot.subplots()[1]
    assert locus.plot(given) is given


def test_frequencies_of_a_rotor_are_a_diagram_of_campbell():
    """Forward and backward whirl of a disc on its bearings: A w^2 - C spin w - k = 0."""
    speeds = np.linspace(0, 200, 21)
    locus = rotor().root_locus("spin.dot", speeds)
    ax = locus.plot_frequencies()
    A, C, k = 0.4, 0.7, 1000
    root = np.sqrt((C * speeds) ** 2 + 4 * A * k)
    whirl = np.array([(root - C * speeds) / 2 / A, (root + C * speeds) / 2 / A]) / (2 * np.pi)
    once = next(line for line in ax.lines if line.get_label() == "once a turn")
    assert np.array(once.get_ydata()) == pytest.approx(speeds / (2 * np.pi))
    drawn = np.sort([line.get_ydata() for line in ax.lines if line is not once], axis=0)
    np.testing.assert_allclose(drawn, whirl, rtol=1e-9)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("spin.dot [rad/s]", "frequency [Hz]")
    plain = masses().root_locus("k", [500.0, 1000.0]).plot_frequencies()
    assert plain.get_legend() is None and len(plain.lines) == 2 and plain.get_xlabel() == "k"


# -- responses --------------------------------------------------------------------------------------------------------


def test_bode_of_two_masses_against_scipy():
    lin = masses().linearize()
    whole = np.polysub(np.polymul([1, 2, 2000], [2, 0, 1000]), [1e6])  # det(M s^2 + C s + K)
    omega = np.geomspace(1, 300, 400)
    upper, lower = panels = lin.plot_response(omega, input="u", output="x1")
    assert isinstance(panels, plots.Panels)
    _, decibels, phase = scipy.signal.bode(([2, 0, 1000], whole), omega)
    assert np.array_equal(upper.lines[0].get_xdata(), omega)
    np.testing.assert_allclose(20 * np.log10(upper.lines[0].get_ydata()), decibels, atol=1e-8)
    drawn = np.array(lower.lines[0].get_ydata())
    np.testing.assert_allclose(np.exp(1j * np.radians(drawn)), np.exp(1j * np.radians(phase)), atol=1e-8)
    assert np.abs(np.diff(drawn)).max() < 181 and -185 < drawn.min() < drawn.max() < 5, "without jumps of a turn"
    assert (upper.get_xscale(), upper.get_yscale(), lower.get_xscale(), lower.get_yscale()) == ("log",) * 3 + (
        "linear",
    )
    assert (upper.get_ylabel(), lower.get_ylabel()) == ("|x1 / u|", "phase [°]")
    assert lower.get_xlabel() == "frequency [rad/s]" and all(tick % 45 == 0 for tick in lower.get_yticks())


def test_frequencies_are_chosen_about_the_poles():
    lin = masses(c=0.2).linearize()
    sizes = np.abs(lin.poles())
    upper, _ = lin.plot_response(input="u", output="x1")
    omega, size = (np.array(x) for x in upper.lines[0].get_data())
    assert omega[0] == pytest.approx(sizes.min() / 10) and omega[-1] == pytest.approx(sizes.max() * 10)
    finest = np.linspace(0.99 * sizes.min(), 1.01 * sizes.min(), 4001)
    peak = np.abs(lin.frequency_response(finest, input="u", output="x1")).max()
    assert size.max() == pytest.approx(peak, rel=0.02), "a sharp resonance is not missed"


def test_a_response_of_one_coordinate_in_closed_form():
    omega = np.array([0.5, 2 * np.pi, 20.0])
    lin = examples.oscillator().linearize(parameters={"c": 1.5})
    upper, lower = lin.plot_response(omega, input="q", output="q.dot")
    expected = 1j * omega / (4 * np.pi**2 - omega**2 + 1.5j * omega)
    assert np.array(upper.lines[0].get_ydata()) == pytest.approx(np.abs(expected))
    assert np.array(lower.lines[0].get_ydata()) == pytest.approx(np.degrees(np.angle(expected)), abs=1e-6)


def test_lines_are_broken_where_the_response_is_infinite():
    model = Model("block")
    (x,) = model.coordinates("x")
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -4 * x))
    upper, lower = model.linearize().plot_response([1.0, 2.0, 3.0], input="x", output="x")
    assert (
        np.isnan(upper.lines[0].get_ydata()).tolist()
        == np.isnan(lower.lines[0].get_ydata()).tolist()
        == [False, True, False]
    )


def test_nyquist_draws_the_response_itself():
    lin = masses().linearize()
    omega = np.geomspace(1, 300, 200)
    ax = lin.plot_response(omega, input="u", output="x2", kind="nyquist")
    response = lin.frequency_response(omega, input="u", output="x2")
    (curve,) = (line for line in ax.lines if len(line.get_xdata()) == 200)
    assert np.array_equal(np.array(curve.get_xdata()) + 1j * np.array(curve.get_ydata()), response)
    assert ax.get_aspect() == 1 and ax.get_xlabel() == "real part of x2 / u"


# -- shapes -----------------------------------------------------------------------------------------------------------


def test_shapes_in_phase_are_bars():
    lin = masses(c=0).linearize()
    _, vectors = scipy.linalg.eigh(K, M)
    for k in range(2):
        ax = lin.plot_mode(k)
        heights = np.array([bar.get_height() for bar in ax.patches])
        exact = vectors[:, k] / vectors[np.argmax(np.abs(vectors[:, k])), k]
        assert heights == pytest.approx(exact) and np.abs(heights).max() == pytest.approx(1)
        assert [text.get_text() for text in ax.get_xticklabels()] == ["x1 [m]", "x2 [m]"]
        assert ax.get_title().startswith(f"mode {k}: {lin.modes()[k].frequency:.4g} Hz")


def test_shapes_with_phases_are_arrows_in_the_complex_plane():
    lin = masses(c=40).linearize()
    mode = lin.modes()[0]
    ax = lin.plot_mode(mode)
    tips = {text.get_text(): text.xy for text in ax.texts}
    assert set(tips) == {"", "x1 [m]", "x2 [m]"} and not ax.patches
    for name in ("x1", "x2"):
        assert tips[f"{name} [m]"] == pytest.approx((mode[name].real, mode[name].imag))
    assert ax.get_title().startswith("mode 0: "), "the number of a Mode is found"


def test_units_that_differ_have_colours_that_differ():
    ax = examples.inverted_pendulum(period=None).linearize(at={"angle": np.pi}).plot_mode(-1)
    x, angle = (bar.get_facecolor() for bar in ax.patches)
    assert x != angle and [text.get_text() for text in ax.get_xticklabels()] == ["x [m]", "angle [rad]"]


def test_all_modes_have_panels():
    panels = masses().linearize().plot_modes()
    assert isinstance(panels, plots.Panels) and [ax.get_title()[:7] for ax in panels] == ["mode 0:", "mode 1:"]
    one = examples.slider_crank()
    assert not isinstance(one.linearize(at=one.equilibrium()).plot_modes(), tuple), "one mode: axes"


# -- in motion --------------------------------------------------------------------------------------------------------


def test_frames_are_those_of_the_mode():
    model = examples.double_pendulum()
    lin = model.linearize(at=model.equilibrium())
    animation = lin.animate(1, amplitude=0.2)
    count = len(animation.t) - 1
    expected = lin.mode_frames(1, amplitude=0.2, phases=count)
    np.testing.assert_allclose(animation.frames[:-1, :2], expected, atol=1e-12)
    assert animation.frames[-1] == pytest.approx(animation.frames[0], abs=1e-12), "a period closes"
    assert animation.t[-1] == pytest.approx(1 / lin.modes()[1].damped_frequency)
    assert animation.scene.title == f"double pendulum, mode 1, {lin.modes()[1].frequency:.4g} Hz"


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_displacements_are_seen_whatever_the_size_of_the_mechanism(size):
    """Pure translations of small and large mechanisms: an eighth of the size of the scene."""
    model = Model("block")
    (x,) = model.coordinates("x")
    block = model.body("block", tdisp(size + x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Spring(ground, block, stiffness=10, free_length=size))
    animation = model.linearize().animate()
    place = animation.frames[:, 0, 0, 3] - size
    assert place.max() == pytest.approx(size / 8, rel=1e-6) and place.min() == pytest.approx(-size / 8, rel=1e-6)


def test_turns_stay_small():
    """A disc about its own centre, a rod about a pin, in a plane and in space: none turns by more than 0.4 rad."""
    for T, inertia in ((trotz, (0, 0, 1)), (trotx, (1, 0.5, 0.7))):
        model = Model("disc")
        (q,) = model.coordinates("q")
        model.body("disc", T(q), mass=2, inertia=inertia)
        model.add(GeneralizedForce(q, -5 * q))
        animation = model.linearize().animate()
        trace = np.trace(animation.frames[:, 0, :3, :3], axis1=1, axis2=2)
        largest = np.arccos(np.clip((trace - 1) / 2, -1, 1)).max()
        assert 0.2 < largest < 0.4 + 1e-9


def test_small_wheels_of_large_mechanisms_do_not_spin():
    """Their rims hardly move, whatever the angle: it is the angle that counts."""
    model = Model("wheel far from a post")
    (q,) = model.coordinates("q")
    model.body("wheel", tdisp(5, 0, 0) * trotz(q), mass=1, inertia=(0, 0, 1e-4))
    model.body("post", tdisp(-5, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, -q))
    frames = model.linearize().animate().frames[:, 0]
    assert np.abs(np.arctan2(frames[:, 1, 0], frames[:, 0, 0])).max() == pytest.approx(0.4, rel=1e-6)


def test_a_mode_dies_away_when_that_is_wanted():
    model = examples.oscillator()
    lin = model.linearize(parameters={"c": 1.0})
    mode = lin.modes()[0]
    animation = lin.animate(0, decay=True)
    place = animation.frames[:, 0, 0, 3]
    rest = lin.q[0]
    np.testing.assert_allclose(place, rest + (place[0] - rest) * np.real(np.exp(mode.pole * animation.t)), atol=1e-9)
    assert animation.t[-1] == pytest.approx(4 / mode.damped_frequency)
    steady = lin.animate(0).frames[:, 0, 0, 3]
    assert steady[-1] == pytest.approx(steady[0])


def test_motions_without_oscillation_go_to_and_fro_or_run_out():
    lin = examples.inverted_pendulum(period=None).linearize(at={"angle": 0})
    kinds = [mode.kind for mode in lin.modes()]
    for kind in ("growth", "decay"):
        k = kinds.index(kind)
        rod = [frame.name for frame in lin.animate(k).scene.frames].index("rod") - 1
        swing = lin.animate(k).frames[:, rod, 1, 0]
        assert swing.max() == pytest.approx(-swing.min()) and swing.max() > 0.05
        run = lin.animate(k, decay=True)
        angle = np.arcsin(run.frames[:, rod, 1, 0])
        rate = np.polyfit(run.t, np.log(np.abs(angle)), 1)[0]
        assert rate == pytest.approx(lin.modes()[k].pole.real, rel=1e-6)
        assert np.abs(angle).max() == pytest.approx(np.abs(np.arcsin(swing)).max(), rel=1e-3)
    free = kinds.index("free")
    assert np.ptp(lin.animate(free).frames[:, 0, 0, 3]) > 0.05


def test_driven_frames_stay_where_they_are():
    model = Model("on a turntable", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q")
    model.body("bob", troty(2 * t) * tdisp(1, 0, 0) * trotx(q) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0))
    lin = model.linearize(t=0.3)
    animation = lin.animate()
    through = animation.frames[(len(animation.t) - 1) // 4, 0]  # after a quarter of the period: the state itself
    assert through == pytest.approx(model.compile().frames(0.3, lin.q)[0], abs=1e-9)
    normal = np.cross([0, 1, 0], [np.cos(0.6), 0, -np.sin(0.6)])  # of the plane in which it swings at 0.3 s
    arm = animation.frames[:, 0, :3, 3] - [np.cos(0.6), 0, -np.sin(0.6)]
    assert arm @ [np.cos(0.6), 0, -np.sin(0.6)] == pytest.approx(0, abs=1e-12) and np.ptp(arm @ normal) > 0.1


def test_locked_coordinates_do_not_move():
    model = examples.double_pendulum()
    lin = model.linearize({"q1": 0.3, "q2": 0.0}, locked=["q1"])
    frames = lin.animate().frames
    assert np.ptp(frames[:, 0], axis=0).max() == 0 and np.ptp(frames[:, 1], axis=0).max() > 0.1


def test_a_model_without_bodies_moves_as_its_diagram():
    model = Model("equations")
    x, y = model.coordinates("x y", unit="m")
    model.equation(x.ddot + 4 * x - y)
    model.equation(y.ddot + 9 * y - x)
    animation = model.linearize().animate(1)
    assert [frame.name for frame in animation.scene.frames[1:]] == ["x", "y"]
    assert np.ptp(animation.frames[:, 1, 0, 3]) > np.ptp(animation.frames[:, 0, 0, 3]) > 0


def test_curves_are_played_beside_the_picture():
    model = examples.double_pendulum()
    lin = model.linearize(at=model.equilibrium())
    animation = lin.animate(0, amplitude=0.1)
    (group,) = animation.data["plots"]
    found = {c["name"]: np.frombuffer(base64.b64decode(c["numbers"]), "<f4") for c in group["curves"]}
    mode = lin.modes()[0]
    phase = np.linspace(0, 2 * np.pi, len(animation.t))
    for name in ("q1", "q2"):
        rest = lin.q[lin.names.index(name)]
        assert found[name] == pytest.approx(rest + 0.1 * np.real(mode[name] * np.exp(1j * phase)), abs=1e-6)
    assert lin.animate(0, plots="q2").data["plots"][0]["curves"][0]["name"] == "q2"
    assert lin.animate(0, plots=()).data["plots"] == []
    period = animation.t[-1]
    assert 1 < period / animation.data["speed"] < 4, "a period takes about two seconds on the screen"


def test_a_mode_is_saved_as_a_run_is(tmp_path):
    lin = masses().linearize()
    animation = lin.animate(1, trace="two")
    assert isinstance(animation, visu.Animation)
    page = animation.save(tmp_path / "mode.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>") and "two masses, mode 1" in page and "easydynPlayer(" in page
    film = lin.animate(0, backend="matplotlib")
    assert isinstance(film, films.FuncAnimation)
    film._draw_was_started = True  # it is not shown
    assert len(animation.picture(at=(0, animation.t[-1] / 4)).images) == 1


def test_a_scene_may_be_given():
    model = masses()
    scene = model.scene()
    scene.add("one", visu.Arrow((1, 0, 0), scale=0.2))
    before = len(scene.parts)
    animation = model.linearize().animate(0, scene=scene, follow="two")
    assert len(animation.scene.parts) == before == len(scene.parts) and animation.tips.shape == (len(animation.t), 1, 3)
    assert (animation.tips == [1, 0, 0]).all() and animation.scene.view.follow == "two" and scene.title == "two masses"


# -- mistakes ---------------------------------------------------------------------------------------------------------


def filtered():
    """A mass without a spring, and a filter that does not act on it."""
    model = Model("filter")
    (x,) = model.coordinates("x")
    (p,) = model.states("p")
    model.body("mass", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -4 * x))
    model.equation(p.dot + 2 * p)
    lin = model.linearize()
    return lin, next(mode for mode in lin.modes() if mode.kind == "decay")


def loop():
    crank = examples.slider_crank().linearize({"q": 0.5}, parameters={"l2": 0.9})
    return crank.animate(0, amplitude=1.5)


test_mistake_is_explained = explained(__file__)
