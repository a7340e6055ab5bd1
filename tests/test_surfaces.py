"""Surfaces that change their form, scales of colours: beside their own formulas, in files, in a browser."""

import math

import numpy as np
import pytest
from browser import Browser, program
from mistakes import explained
from sympy import cos, pi, sin

from easydyn import Model, ground, t, tdisp, trotz, visu
from easydyn.visu import motion, page, picture, volumes

SPEED, HEIGHT = 2.0, 0.25


def wave(x, y):
    return (1 + sin(3 * x - SPEED * t) * cos(2 * y)) * HEIGHT


def carried():
    """A slide with a pipe on it and a membrane that stretches with the slide; a wave on the ground."""
    model = Model("waves")
    s, q = model.coordinates("s q", initial=(0.2, 0.3), rates=(1, 0.5))
    k = model.parameter("k", 2.0)
    membrane = visu.Surface(lambda u, v: (u, v, k * s * u * v), (0, 1, 4), (0, 1, 3))
    heated = visu.Pipe(0.1, 1.5, value=lambda x: sin(pi * x / 1.5) * cos(pi * t) + 1, label="T", unit="K")
    model.body("slide", tdisp(s, 0, 1) * trotz(q), mass=1, inertia=(1, 1, 1), shape=[membrane, heated])
    return model, visu.Surface(lambda x, y: (x, y, wave(x, y)), (-1, 1, 6), (-1, 1, 5), value=wave, label="z", unit="m")


@pytest.fixture(scope="module")
def shown():
    model, water = carried()
    run = model.simulate(2, save_every=0.01)
    scene = model.scene()
    scene.add(ground, water)
    return run, run.animate(scene=scene, every=0.05)


def nets(animation):
    found = motion.surfaces(animation.scene, animation.frames, animation.tips)
    return [(animation.scene.parts[k], *found[k]) for k in sorted(found)]


def test_nodes_are_where_the_formula_says(shown):
    """Of the ground by the formula in plain NumPy; of a body by its frame and its coordinate."""
    run, animation = shown
    (membrane, points, none), (_, pipe, temperature), (_, water, height) = nets(animation)
    times = animation.t[:, None]
    u, v = np.meshgrid(np.linspace(-1, 1, 7), np.linspace(-1, 1, 6), indexing="ij")
    z = (1 + np.sin(3 * u.ravel() - SPEED * times) * np.cos(2 * v.ravel())) * HEIGHT
    assert water[..., 2] == pytest.approx(z, abs=1e-9) and height == pytest.approx(z, abs=1e-9)
    assert none is None and membrane.body == "slide"
    s, q = (np.interp(animation.t, run.t, run[name]) for name in ("s", "q"))
    corner = points.reshape(len(s), 5, 4, 3)[:, -1, -1]  # u = v = 1
    expected = np.stack([s + np.cos(q) - np.sin(q), np.sin(q) + np.cos(q), 1 + 2 * s], axis=1)
    assert corner == pytest.approx(expected, abs=1e-6)
    along = (pipe[..., 2] - 1 + 0.75) / 1.5
    assert temperature == pytest.approx(np.sin(np.pi * along) * np.cos(np.pi * times) + 1, abs=1e-6)
    assert np.hypot(pipe[..., 0] - s[:, None], pipe[..., 1]) == pytest.approx(0.1, abs=1e-6)


def test_a_scale_goes_from_the_least_to_the_largest_that_is_shown(shown):
    _, animation = shown
    limits = {part.name: part.net.scale and part.net.scale.limits for part, _, _ in nets(animation)}
    values = nets(animation)[2][2]
    assert limits["surface"] == pytest.approx((values.min(), values.max()))
    assert limits["pipe"] == pytest.approx((0, 2), abs=0.01)
    data = [part["legend"] for part in animation.data["parts"] if "legend" in part]
    assert [(own["label"], own["unit"]) for own in data] == [("T", "K"), ("z", "m")]


def test_scales_of_one_name_share_their_ends_unless_they_are_given():
    model, _ = carried()
    scene = model.scene()
    for low, high in ((0, 1), (5, 7)):
        scene.add(ground, visu.Pipe(0.1, 1, value=[low, high], label="p"))
    scene.add(ground, visu.Pipe(0.1, 1, value=[0, 1], label="p", limits=(-1, 1)))
    scales = [part["legend"]["limits"] for part in page.still(scene).data["parts"] if "legend" in part]
    assert scales[-3:] == [[0, 7], [0, 7], [-1, 1]]


def test_states_of_cells_are_joined_by_straight_lines():
    pipe = visu.Pipe(0.1, 2, value=[300, 340, 310], steps=4)
    nodes, values = pipe.net.nodes(np.zeros((1, 0)))
    at = {round(z, 6): T for z, T in zip(nodes[0, :, 2], values[0], strict=True)}
    assert at == pytest.approx({-1: 300, -0.5: 320, 0: 340, 0.5: 325, 1: 310})


def test_measured_ground_stays_as_it_is():
    x, y = np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 2, 3), indexing="ij")
    ground_level = visu.Surface(np.stack([x, y, x * y], axis=-1), value=x * y, at=tdisp(0, 0, 1))
    nodes, values = ground_level.net.nodes(np.zeros((1, 0)))
    assert nodes[0, :, 2] == pytest.approx((1 + x * y).ravel()) and values[0] == pytest.approx((x * y).ravel())
    assert ground_level.net.signals == ()


def test_triangles_cover_the_net_once():
    net = visu.Surface(lambda u, v: (u, v, 0), (0, 2, 5), (0, 3, 4)).net
    nodes = net.nodes(np.zeros((1, 0)))[0][0]
    a, b, c = (nodes[net.triangles[:, k]] for k in range(3))
    areas = np.cross(b - a, c - a)[:, 2] / 2
    assert (areas > 0).all() and areas.sum() == pytest.approx(6)


def test_colours_are_those_of_the_map_at_its_ends_and_grey_where_there_is_no_number():
    import matplotlib

    scale = visu.Pipe(0.1, 1, value=[0, 1]).net.scale
    found = scale.colour(np.array([2.0, 4.0, 9.0, math.nan]), (2, 4))
    ends = [matplotlib.colormaps["viridis"](x)[:3] for x in (0.0, 1.0)]
    assert found[0] == pytest.approx(ends[0], abs=3e-3) and found[1] == pytest.approx(ends[1], abs=3e-3)
    assert (found[2] == found[1]).all() and (found[3] == 0.6).all()


def test_the_picture_shows_the_surface_from_both_sides():
    model = Model("sheet")
    x = model.coordinate("x")
    model.body("ball", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0), shape=visu.Sphere(0.01))
    seen = []
    for towards in ((0, 0.01, 1), (0, 0.01, -1)):
        scene = model.scene()
        scene.add(ground, visu.Surface(lambda u, v: (u, v, 0), (-1, 1, 2), (-1, 1, 2), colour="blue"))
        scene.look(towards=towards, size=3)
        frames, tips = page.at_rest(scene)
        pixels = picture.pixels(scene, frames[0], tips[0], 60, 60)
        seen.append((pixels.astype(int).sum(axis=2) < 600).mean())
    assert seen[0] == pytest.approx(seen[1], abs=0.02) and seen[0] > 0.3


def test_a_drawing_moves_the_nodes_of_a_surface(shown):
    _, animation = shown
    drawing = volumes.of_animation(animation)
    water = nets(animation)[2][1]
    assert any(np.allclose(drawing.frames[:, k : k + 42], water) for k in range(drawing.frames.shape[1] - 41))


def test_a_scene_is_wide_enough_for_what_is_added():
    model, _ = carried()
    scene = model.scene()
    before = scene.view.size
    scene.add(ground, visu.Surface(lambda u, v: (u, v, 0), (-9, 9), (-9, 9)))
    assert min(scene.view.size) > 2 * max(before)


FLAT = lambda u, v: (u, v, 0)  # noqa: E731


test_mistake_is_explained = explained(__file__)


@pytest.mark.browser
@pytest.mark.skipif(program() is None, reason="no Chromium is installed")
@pytest.mark.parametrize("renderer", ["webgl", "canvas"])
def test_the_player_draws_what_python_draws(shown, tmp_path, renderer):
    _, animation = shown
    whole = visu.Page(animation.scene, animation.data | ({"renderer": "canvas"} if renderer == "canvas" else {}))
    path = whole.save(tmp_path / "page.html")
    with Browser(tmp_path) as browser:
        opened = browser.open(path)
        player = "document.querySelector('.easydyn').easydyn"
        opened.run(f"{player}.pause(), {player}.go(20)")
        opened.settle()
        found = np.array(opened.run(f"{player}.surfaces()[2]")).reshape(-1, 3)
        assert found == pytest.approx(nets(animation)[2][1][20], abs=1e-5)
        before = opened.still()
        opened.run(f"{player}.go(35)")
        assert np.abs(opened.still() - before).max() > 0.2
        assert not opened.console
