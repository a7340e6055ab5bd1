"""Pictures and drawings of scenes: what is seen where, what is labelled with which value, what docs/pictures holds."""

import importlib.util
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import sympy
from matplotlib import colors, image, pyplot, rc_context
from matplotlib.figure import Figure
from mistakes import explained

from easydyn import Damper, Model, Spring, examples, ground, t, tdisp, trotx, troty, trotz, visu
from easydyn.examples import jack
from easydyn.examples.figures import figure, numbered
from easydyn.result import plots
from easydyn.visu import film, picture, raster, solids
from easydyn.visu.drafting import ACCENT

ROOT = Path(__file__).resolve().parent.parent
# a rotor is a disc, its mark, its pin and its ground; a satellite and its planet are free; others have 5
LEAST_PARTS = {"speed_control": 4, "dc_motor": 4, "satellite": 3}


@pytest.fixture(autouse=True)
def small_figures():
    with rc_context({"figure.figsize": (2.4, 1.6)}):
        yield
    pyplot.close("all")


def view(towards=(0, 0, 1), up=(0, 1, 0), size=(2.0, 2.0), target=(0, 0, 0)):
    return visu.View(np.array(target, dtype=float), size, np.array(up, dtype=float), np.array(towards, dtype=float))


def canvas(width=200, height=200, **options):
    return raster.Canvas(raster.Camera(view(**options), np.zeros(3), width, height))


RED, GREEN = np.array([1.0, 0, 0]), np.array([0, 1.0, 0])


# -- pixels -----------------------------------------------------------------------------------------------------------


def test_a_sphere_covers_the_pixels_that_it_should():
    """Seen in perspective its outline is a circle of radius r/sqrt(d^2 - r^2) in the plane at distance 1."""
    r, drawn = 0.6, canvas()
    drawn.solids([(solids.sphere(r, 96), np.eye(4), RED)])
    camera = raster.Camera(view(), np.zeros(3), 200, 200)
    d = camera.distance
    radius = r / np.sqrt(d**2 - r**2) * 100 / np.tan(raster.ANGLE / 2)
    assert drawn.image[..., 3].sum() == pytest.approx(np.pi * radius**2, rel=5e-3)
    rows, columns = np.nonzero(drawn.image[..., 3] > 0.5)
    assert (rows.mean(), columns.mean()) == (pytest.approx(99.5, abs=0.3), pytest.approx(99.5, abs=0.3))
    light, dark = drawn.image[60, 90, 0], drawn.image[140, 110, 0]
    assert light > dark + 0.15, "the light comes from above and from the left"


def test_points_are_seen_where_the_pinhole_puts_them(rng):
    camera = raster.Camera(view((1, -2, 0.7), (0, 0, 1), (3.0, 1.0), (0.2, 0.1, -0.3)), np.array([1.0, 0, 0]), 300, 200)
    points = rng.uniform(-1, 1, (20, 3))
    towards = np.array([1, -2, 0.7]) / np.linalg.norm([1, -2, 0.7])
    target = np.array([1.2, 0.1, -0.3])
    eye = target + camera.distance * towards
    right = np.cross([0, 0, 1], towards)
    right /= np.linalg.norm(right)
    for p, (x, y, depth) in zip(points, camera.project(points), strict=True):
        ray = p - eye
        along = -ray @ towards
        assert depth == pytest.approx(along)
        focal = 100 / np.tan(np.pi / 14)
        assert x == pytest.approx(150 + focal * (ray @ right) / along)
        assert y == pytest.approx(100 - focal * (ray @ np.cross(towards, right)) / along)


@pytest.mark.parametrize("order", [1, -1])
def test_what_is_nearer_is_seen_whatever_is_drawn_first(order):
    drawn = canvas()
    near, far = np.eye(4), np.eye(4)
    near[2, 3], far[2, 3] = 0.4, -0.4
    for T, colour in [(near, RED), (far, GREEN)][::order]:
        drawn.solids([(solids.box(0.5, 0.5, 0.1), T, colour)])
    assert drawn.image[100, 100, 0] > 0.5 and drawn.image[100, 100, 1] < 0.2


def test_of_two_that_are_as_near_the_first_one_is_seen():
    """Drawn at once or one after the other: faces in one plane do not change their colours from picture to picture."""
    box = solids.box(0.5, 0.5, 0.1)
    red, green = ((box, np.eye(4), colour) for colour in (RED, GREEN))
    at_once, apart = canvas(), canvas()
    at_once.solids([red, green])
    apart.solids([red])
    apart.solids([green])
    assert np.array_equal(at_once.image, apart.image) and at_once.image[100, 100, 0] > 0.5 > at_once.image[100, 100, 1]


def test_solids_that_cross_are_seen_in_parts():
    drawn = canvas(towards=(0, -1, 1), up=(0, 0, 1))
    drawn.solids([(solids.box(1.6, 0.2, 0.2), np.eye(4), RED)])
    drawn.solids([(solids.box(0.2, 1.6, 0.2), np.eye(4), GREEN)])
    picture = drawn.image
    assert picture[100, 40, 0] > 0.3 > picture[100, 40, 1] and picture[150, 100, 1] > 0.3 > picture[150, 100, 0]


def test_what_can_be_seen_through_mixes_with_what_is_behind_it():
    drawn = canvas()
    behind = np.eye(4)
    behind[2, 3] = -0.5
    drawn.solids([(solids.box(0.5, 0.5, 0.1), behind, GREEN)])
    before = drawn.image[100, 100]
    drawn.solids([(solids.box(1.0, 1.0, 0.1), np.eye(4), RED)], 0.25)
    after, alone = drawn.image[100, 100], drawn.image[100, 75]
    assert alone[3] == pytest.approx(0.25) and before[3] == after[3] == 1
    assert after[:3] == pytest.approx(0.25 * alone[:3] + 0.75 * before[:3])


def test_normals_are_smooth_on_spheres_and_sharp_on_boxes():
    ball, box = solids.sphere(2.0, 48), solids.box(1, 2, 3)
    corners = ball.nodes[ball.triangles] / 2.0
    assert np.abs(raster.corner_normals(ball) - corners).max() < 0.05
    found = raster.corner_normals(box)
    assert np.abs(found).max(axis=-1) == pytest.approx(1) and (found[:, :1] == found).all()


@pytest.mark.long
def test_the_picture_is_what_the_player_shows(tmp_path, browser):
    """The same points at the same places as in a real browser."""
    scene = examples.spatial_robot().scene()
    path = examples.spatial_robot().simulate(0.1).animate(scene=scene).save(tmp_path / "x.html")
    player = "document.querySelector('.easydyn').easydyn"
    points = np.array([[0, 0, 0], [1, 0.5, 2], [-0.4, 0.3, 1.0]])
    page = browser.open(path)
    width, height = page.run(
        "(r => [r.width, r.height])(document.querySelector('.easydyn canvas').getBoundingClientRect())"
    )
    seen = page.run(f"{points.tolist()}.map((p) => {player}.project(p))")
    size = page.run(f"{player}.view().zoom")
    animated = examples.spatial_robot().simulate(0.1).animate(scene=scene).scene.view
    camera = raster.Camera(animated, np.zeros(3), round(width), round(height))
    expected = [[(x + 1) / 2 * width, (1 - y) / 2 * height] for x, y, _ in seen]
    assert size == 1 and camera.project(points)[:, :2] == pytest.approx(np.array(expected), abs=1.0)


# -- pictures of scenes -----------------------------------------------------------------------------------------------


def sledge():
    """Slides from x = -0.5 to 0.5 m in a second."""
    model = Model("sledge")
    (x,) = model.coordinates("x", initial=-0.5, rates=1)
    model.body("sledge", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0), shape=visu.Box(0.3, 0.3, 0.3, colour="blue"))
    return model


def shades(ax):
    """Strength of the colour of each column of pixels, from 0 (white) to 1, and how far the picture goes."""
    (drawn,) = ax.images
    pixels = drawn.get_array()
    blue = (pixels[..., 3] * (pixels[..., 2] - pixels[..., 0])).max(axis=0)
    return blue, pixels.shape[1]


def test_several_instants_lie_over_each_other_the_last_in_full():
    animation = sledge().simulate(1).animate()
    blue, width = shades(animation.picture(at=(0, 0.5, 1)))
    single = [shades(animation.picture(at=time))[0] for time in (0, 0.5, 1)]
    places = [int(np.mean(np.flatnonzero(one > 0.5 * one.max()))) for one in single]
    assert places == sorted(places) and places[2] - places[0] > 0.4 * width
    strengths = [blue[place] / one[place] for place, one in zip(places, single, strict=True)]
    assert strengths[0] < 0.4 < strengths[1] < 0.8 < strengths[2] == pytest.approx(1, abs=0.02)


def test_instants_beside_each_other_have_axes_of_their_own():
    animation = sledge().simulate(1).animate()
    panels = animation.picture(at=(0, 0.5, 1), beside=True)
    assert isinstance(panels, plots.Panels) and [ax.get_title() for ax in panels] == [
        "t = 0.000 s",
        "t = 0.500 s",
        "t = 1.000 s",
    ]
    places = [np.mean(np.flatnonzero(shades(ax)[0] > 0.3)) / shades(ax)[1] for ax in panels]
    assert places[0] < places[1] < places[2]
    given = pyplot.subplots(1, 2)[1]
    assert list(animation.picture(at=(0, 1), beside=True, ax=given)) == list(given)


def test_the_last_instant_is_shown_where_none_is_named():
    animation = sledge().simulate(1).animate()
    assert np.array_equal(shades(animation.picture())[0], shades(animation.picture(at=1))[0])


def test_paths_are_drawn_as_far_as_the_last_instant():
    animation = sledge().simulate(1).animate(trace="sledge")
    ax = animation.picture(at=(0.25, 0.5))
    path = next(line for line in ax.lines if len(line.get_xdata()) > 10)
    assert len(path.get_xdata()) == np.argmin(np.abs(animation.t - 0.5)) + 1


def test_a_camera_that_goes_along_keeps_the_body_in_the_middle():
    animation = sledge().simulate(30).animate(follow="sledge")
    for time in (0, 30):
        blue, width = shades(animation.picture(at=time))
        assert np.mean(np.flatnonzero(blue > 0.3)) / width == pytest.approx(0.5, abs=0.05)


def test_axes_may_be_given():
    ax = pyplot.subplots()[1]
    scene = sledge().scene()
    assert scene.picture(ax) is ax and len(ax.images) == 1
    assert scene.sketch(ax) is ax


# -- drawings ---------------------------------------------------------------------------------------------------------


def arrows(ax, colour=None):
    """Ends (2, 2) of the arrows in a drawing."""
    found = []
    for text in ax.texts:
        patch = getattr(text, "arrow_patch", None)
        if patch is not None and (colour is None or colors.same_color(patch.get_edgecolor(), colour)):
            found.append(np.array([text.xyann, text.xy]))
    return found


def lengths(ax, colour=None):
    return sorted(float(np.linalg.norm(b - a)) for a, b in arrows(ax, colour))


def arcs(ax):
    """Angles (rad) that the arcs of a plane drawing go through: about the centre of the circle on which they lie."""
    found = []
    for line in ax.lines:
        x, y = line.get_xdata(), line.get_ydata()
        if len(x) < 4 or line.get_color() != ACCENT:
            continue
        system = np.column_stack([2 * np.array(x), 2 * np.array(y), np.ones(len(x))])
        a, b, c = np.linalg.lstsq(system, np.array(x) ** 2 + np.array(y) ** 2, rcond=None)[0]
        angles = np.unwrap(np.arctan2(y - b, x - a))
        found.append((angles[-1] - angles[0]) * len(x) / (len(x) - 1))  # the last piece is the arrow
    return found


def labels(ax):
    return {text.get_text() for text in ax.texts if text.get_text()}


@pytest.mark.parametrize(("q1", "q2"), [(0.5, 0.6), (-0.7, 0.4), (0.3, -1.1), (-0.2, -0.2)])
def test_angles_and_lengths_of_the_double_pendulum(q1, q2):
    ax = examples.double_pendulum().scene(initial={"q1": q1, "q2": q2}).sketch(points=True)
    assert sorted(arcs(ax)) == pytest.approx(sorted([q1, q2]), abs=1e-6)
    named = {f"${'-' * (q < 0)}q_{{{k}}}$" for k, q in ((1, q1), (2, q2))}  # an arrow of a negative angle is that of -q
    assert {*named, "$l_{1}$", "$l_{2}$", "$g$", "O", "A"} == labels(ax)
    dimensions = [length for length in lengths(ax) if length > 1]
    assert dimensions == pytest.approx([1.1, 1.2])
    down = [b - a for a, b in arrows(ax) if abs(b - a)[0] < 1e-9 and (b - a)[1] < 0]
    assert len(down) >= 1, "gravity points down"


def test_small_angles_get_an_arrow_that_shows_the_sense():
    ax = examples.double_pendulum().scene(initial={"q1": 0, "q2": 0}).sketch()
    assert arcs(ax) == pytest.approx([np.radians(40)] * 2)


def test_the_loop_of_the_slider_crank_is_named_and_closed():
    ax = figure(9)
    q, l1, l2 = 1.0, 1.0, 2.0
    alpha = np.arcsin(l1 * np.sin(q) / l2)
    x = l1 * np.cos(q) + l2 * np.cos(alpha)
    assert sorted(map(abs, arcs(ax))) == pytest.approx(sorted([q, alpha]), abs=1e-6)
    assert {"$q$", r"$\alpha$", "$x$", "$l_{1}$", "$l_{2}$", "O", "A", "B"} <= labels(ax)
    found = lengths(ax)
    for length in (l1, l2, x):
        assert min(abs(np.array(found) - length)) < 1e-6, length


def test_motions_without_a_name_have_no_label():
    assert r"$\alpha$" not in labels(examples.slider_crank().scene().sketch())


@pytest.mark.parametrize("value", [0.4, -0.7])
def test_a_displacement_is_an_arrow_from_its_zero(value):
    model = Model("block", gravity=(0, -9.81, 0))
    (x,) = model.coordinates("x", initial=value)
    block = model.body("block", tdisp(x + 2, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Spring(ground, block, stiffness=1, free_length=2), Damper(ground, block, damping=1))
    (arrow,) = arrows(model.scene().sketch(), ACCENT)
    assert arrow[:, 0] == pytest.approx([2, 2 + value])


def test_a_displacement_seen_from_its_end_leaves_the_rest_as_it_is():
    """What is drawn after it stands where it is seen without it."""
    model = Model("press")
    q, z = model.coordinates("q z")
    plate = model.body("plate", tdisp(0, 0, z), mass=1, inertia=(1, 1, 1))
    arm = plate.T * tdisp(1, 0, 0) * trotz(q) * tdisp(0.5, 0, 0)
    model.body("arm", arm, mass=1, inertia=(1, 1, 1))
    ax = model.scene(initial={"z": 0.3}).sketch(towards=(0, 0, 1))
    assert {"$q$", "$z$"} <= labels(ax)
    (place,) = (text.get_position() for text in ax.texts if text.get_text() == "$q$")
    assert place[0] > 1  # beside the joint of the arm, which is at x = 1
    assert all(np.isfinite(line.get_xydata()).all() for line in ax.lines)


def test_joints_of_a_robot_in_space():
    ax = figure(12)
    assert {"$lift$", "$-turret$", "$slide$", "$roll$", "$grip$", "$L$", "$C$", "$g$"} == labels(ax)
    towards = np.array([1, -0.25, 0.45]) / np.linalg.norm([1, -0.25, 0.45])
    right = np.cross([0, 0, 1], towards)
    right /= np.linalg.norm(right)
    lift, arm = 1.1 * np.array([0, 0, 1]), 0.9 * np.array([np.sin(0.5), np.cos(0.5), 0])
    paper = np.stack([right, np.cross(towards, right)])
    for vector in (lift, arm):
        wanted = paper @ vector
        assert min(np.abs(b - a - wanted).max() for a, b in arrows(ax, ACCENT)) < 1e-9


def test_precession_nutation_spin_of_a_top():
    model = Model("top", gravity=(0, 0, -9.81))
    a, b, c = model.coordinates("a b c", initial=(0.6, 0.5, 0.3))
    model.body("top", trotz(a) * trotx(b) * trotz(c) * tdisp(0, 0, 0.3), mass=1, inertia=(0.01, 0.01, 0.02))
    assert {"$a$", "$b$", "$c$", "$g$"} <= labels(model.scene().sketch())


def test_frames_that_are_driven_are_labelled_by_their_formula():
    model = Model("driven", gravity=(0, 0, -9.81))
    (q,) = model.coordinates("q", initial=-0.3)
    (w,) = model.parameters(w=2)
    model.body("arm", trotz(w * t) * tdisp(1, 0, 0) * troty(q) * tdisp(0, 0, -0.4), mass=1, inertia=(0.1, 0.1, 0.02))
    assert "$-q$" in labels(model.scene().sketch()) and any(
        "w" in label and "t" in label for label in labels(model.scene().sketch())
    )


@pytest.mark.parametrize("name", plots.STYLES)
def test_drawings_are_of_one_line_in_every_style(name):
    """Styles tell curves apart by patterns; outlines are whole, and their widths are those of the style."""
    with plots.style(name):
        ax = figure(3)
        width = pyplot.rcParams["lines.linewidth"] / 1.5
    assert {patch.get_linestyle() for patch in ax.patches} <= {"solid", "-"} and len(ax.patches) > 5
    assert all(line.get_linestyle() == "-" for line in ax.lines)
    assert max(line.get_linewidth() for line in ax.lines) == pytest.approx(1.2 * width)


def test_bodies_of_which_no_joint_is_known_are_outlined():
    model = Model("raw")
    (q,) = model.coordinates("q", initial=-0.7)
    c, s = sympy.cos(q), sympy.sin(q)
    T = [[c, -s, 0, c], [s, c, 0, s], [0, 0, 1, 0], [0, 0, 0, 1]]
    model.body("arm", T, mass=1, inertia=(0.1, 0.2, 0.25))
    (body,) = model.scene().sketch().collections
    size = np.ptp(np.concatenate([path.vertices for path in body.get_paths()]), axis=0)
    assert size.min() > 0.5


def test_frames_are_drawn_with_their_number():
    ax = figure(2)
    for index in "012":
        assert any(rf"\mathbf{{x}}_{{{index}}}" in label for label in labels(ax))
    assert not any(r"\mathbf{z}" in label for label in labels(ax)), "it points at the reader"
    x1 = [b - a for a, b in arrows(ax) if np.allclose((b - a) / np.linalg.norm(b - a), [np.cos(0.5), np.sin(0.5)])]
    assert x1, "the axis x of the upper arm has turned by q1"


@pytest.mark.long
def test_the_frame_of_a_body_in_space():
    ax = figure(1)
    assert {r"$\mathbf{e}_i$", r"$\mathbf{x}_i$", r"$\mathbf{z}_{0}$"} <= labels(ax) and "$g$" not in labels(ax)
    assert not any("yaw" in label or "1" in label for label in labels(ax)), "it may be any body"


def test_chambers_of_the_jack_are_as_long_as_their_volumes_say():
    ax = figure(3)
    model = examples.hydraulic_jack()
    first, second = model.values()["V01"] / model.values()["S1"], model.values()["V02"] / model.values()["S2"]
    sizes = jack.Sizes(model.values())
    assert (sizes.first, sizes.second) == pytest.approx((0.1, 0.6)) and first == sizes.first and second == sizes.second
    assert np.pi * (sizes.piston**2 - sizes.rod**2) == pytest.approx(9 * model.values()["S2"]), "three times as wide"
    found = lengths(ax)
    assert min(abs(np.array(found) - first)) < 1e-9 and min(abs(np.array(found) - 0.05)) < 1e-9  # V01/S1 and x
    assert {"$m$", "$k$", "$x$", "$S_1$", "$S_2$", "$p_{E1}$", "$p_{E2}$", "$Q_1$", "$Q_2$"} <= labels(ax)


def test_the_scene_of_the_jack_moves_with_x():
    run = jack.hydraulic_jack().simulate(0.2, save_every=0.002)
    animation = run.animate(scene=jack.scene())
    piston = animation.frames[:, animation.scene.index("x") - 1, 0, 3]
    assert piston == pytest.approx(np.interp(animation.t, run.t, run["x"]), abs=1e-4) and np.ptp(piston) > 0.02
    assert {"tube", "cylinder", "mass", "spring"} <= {part.name for part in animation.scene.parts}


def test_pressures_of_a_model_without_bodies_are_gauges():
    """The column of a state is as high as its value beside the largest of all with its unit."""
    run = examples.hydraulic_jack().simulate(0.3, save_every=0.002)
    animation = run.animate()
    scene = animation.scene
    tops = {name: animation.frames[:, scene.index(name) - 1, 1, 3] for name in ("p1", "p2")}
    foot = next(part.ends[0].point[1] for part in scene.parts if part.name == "column")
    largest = max(run["p1"].max(), run["p2"].max())
    post = next(part for part in scene.parts if part.name == "gauge").solid.nodes[:, 1]
    for name, top in tops.items():
        height = (top - foot) / np.ptp(post)
        assert height == pytest.approx(np.interp(animation.t, run.t, run[name]) / largest, rel=0.02, abs=5e-3)


@pytest.mark.one_in(15)
@pytest.mark.parametrize("name", examples.MODELS)
def test_every_example_can_be_drawn(name):
    model = getattr(examples, name)()
    ax = model.scene().sketch(points=True, frames=True)
    assert len(ax.collections) + len(ax.patches) + len(ax.lines) > 4
    named = " ".join(labels(ax))
    for unknown in model.names if name != "speed_control" else ["angle"]:  # states of its controller move nothing
        label = sympy.latex(sympy.Symbol(unknown))  # of which tests/test_signs.py says where it is -q
        shown = unknown in named if not model.bodies else any(f"${x}{label}$" in named for x in ("", "-"))
        assert shown or unknown in map(str, model.compile("python").mechanism.states), unknown


# -- the pictures of the documentation --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def made():
    """docs/pictures.py as a module."""
    spec = importlib.util.spec_from_file_location("docs_pictures", ROOT / "docs" / "pictures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_example_has_its_picture_in_the_documents(made):
    page = (ROOT / "docs" / "sight.md").read_text(encoding="utf-8")
    names = [*examples.MODELS, *(f"{name}_shapes" for name in made.with_shapes())]
    assert "quadrotor_shapes" in names and "hydraulic_jack_shapes" in names
    for name in names:
        pixels = image.imread(ROOT / "docs" / "pictures" / f"{name}.png")
        assert pixels.shape[0] > 250 and pixels[..., :3].std() > 0.02, f"{name}.png is blank"
        assert f"pictures/{name}.png" in page, f"docs/sight.md does not show {name}.png"
    drawings = [number for number, (_, picture) in numbered().items() if picture in ("drawing", "image")]
    assert sorted(drawings) == [1, 2, 3, 9, 11, 12, 14]
    pages = page + (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
    for number in drawings:
        assert f"pictures/figure_{number:02d}.png" in pages


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", examples.MODELS)
def test_the_picture_shows_what_would_be_drawn_now(made, name):
    """Part by part, by the bodies they belong to and what they are: run docs/pictures.py again where this fails."""
    kept = json.loads((ROOT / "docs" / "pictures" / "parts.json").read_text(encoding="utf-8"))
    scene = made.automatic(name).scene
    assert made.parts_of(scene) == kept[name]
    assert sum(kept[name].values()) >= LEAST_PARTS.get(name, 5)
    bodies = {body.name for body in getattr(examples, name)().bodies}
    assert bodies <= {part.body for part in scene.parts if part.solid is not None}, "something of each body is seen"


@pytest.mark.long
def test_shapes_that_are_declared_are_drawn_or_not(made):
    kept = json.loads((ROOT / "docs" / "pictures" / "parts.json").read_text(encoding="utf-8"))
    for name in made.with_shapes():
        assert made.parts_of(made.declared(name)) == kept[f"{name}_shapes"]
    model = examples.quadrotor()
    own = {part.name for part in model.scene().parts}
    bare = {part.name for part in model.scene(shapes=False).parts}
    assert {"arm", "motor", "front rotor", "left rotor", "blade", "skid"} <= own
    assert {"body", "link", "force"} <= bare and not {"arm", "skid"} & bare
    forces = [part.solid.nodes for part in model.scene(shapes=False).parts if part.name == "force"]
    feet = sorted(tuple(np.round(nodes[np.argmin(nodes[:, 2])][:2], 2)) for nodes in forces)
    assert len(forces) == 4 and np.abs(np.array(feet)).max() < 0.22 and np.ptp(feet, axis=0).min() > 0.37


# -- mistakes ---------------------------------------------------------------------------------------------------------


test_mistake_is_explained = explained(__file__)


@pytest.mark.long
def test_film_shows_what_the_picture_shows(tmp_path):
    """A film is painted pixel by pixel; the same picture comes from matplotlib as a whole. Its frames last as said."""
    from PIL import Image

    animation = examples.double_pendulum().simulate(0.4).animate(frames_per_second=30, trace="lower arm", speed=1)
    path = animation.save(tmp_path / "film.gif")
    figure = pyplot.figure(figsize=(6, 4.5), dpi=100)
    drawn = figure.add_axes((0, 0, 1, 0.94))
    animation.picture(at=animation.t[9], ax=drawn)
    drawn.set_title(f"double pendulum, t = {animation.t[9]:.2f} s")
    figure.canvas.draw()
    whole = np.asarray(figure.canvas.buffer_rgba())[..., :3].astype(float)
    pauses = []
    with Image.open(path) as film:
        for k in range(film.n_frames):
            film.seek(k)
            pauses.append(film.info["duration"])
            if k == 9:
                apart = np.abs(np.asarray(film.convert("RGB"), dtype=float) - whole).max(axis=2)
    pyplot.close(figure)
    assert len(pauses) == 13 and abs(sum(pauses) - 1000 * 13 / 30) <= 10
    assert (whole < 200).any(axis=2).sum() > 3000 and np.mean(apart > 90) < 4e-3 and np.mean(apart) < 1.5


def test_lines_are_drawn_as_far_as_they_are_before_the_eye():
    """Those of a ground that goes on behind it are not left out: they are seen from below the eye to the horizon."""
    view = visu.View(np.zeros(3), (2.0, 2.0), np.array([0, 0, 1.0]), solids.unit([0, -2, 1]))
    drawn = raster.Canvas(raster.Camera(view, np.zeros(3), 200, 200))
    drawn.solids([(solids.grid(50.0, 1.0), np.eye(4), GREEN)])
    x, y, _ = drawn.camera.project([(0, y, 0) for y in np.linspace(-0.9, 5, 60)]).T
    assert (drawn.covered.reshape(400, -1)[y.astype(int), np.round(x).astype(int)] == 1).all()
    assert drawn.camera.project((0, -50, 0))[2] < 0


@pytest.mark.parametrize("size", [1e160, 1e300, 1e308])
def test_what_is_beyond_all_numbers_on_the_picture_takes_no_room(size):
    """Its triangles have no area that is a number there, and are not drawn."""
    x = np.linspace(-1, 1, 10)
    nodes = np.stack([*np.meshgrid(x, x * size), np.zeros((10, 10))], axis=-1).reshape(-1, 3)
    k = (10 * np.arange(9)[:, None] + np.arange(9)).ravel()
    triangles = np.concatenate([np.stack([k, k + 1, k + 11], axis=1), np.stack([k, k + 11, k + 10], axis=1)])
    drawn = canvas(1000, 1000)
    tracemalloc.start()
    with np.errstate(all="ignore"):
        drawn.surface(nodes, triangles, GREEN)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5e7


@pytest.mark.parametrize("follow", [None, "lower arm"])
def test_a_film_shows_each_instant_as_if_it_were_drawn_alone(follow):
    """Nothing is left of the picture before, in whatever order they are shown, and in a window of another size."""
    model = examples.double_pendulum()
    scene = model.scene()
    scene.add(ground, visu.Box(0.5, 0.5, 0.1))  # behind which the arms move
    scene.add("upper arm", visu.Sphere(0.3, opacity=0.5))
    animation = model.simulate(0.6, save_every=0.1).animate(scene=scene, every=0.1, trace="lower arm", follow=follow)
    figure = Figure((3, 2), dpi=100)
    made = film.Film(animation, figure)
    for k, size in ((5, (3, 2)), (0, (3, 2)), (3, (2, 4))):
        figure.set_size_inches(size)
        made.draw(k)
        alone = animation.picture(at=animation.t[k], ax=Figure(size, dpi=160).add_axes((0, 0, 1, 0.94)))
        instant = picture.instant(animation, k)
        camera = picture.camera_of(made.axes, instant, film.PIXELS_PER_INCH)
        assert np.array_equal(made.image.get_array(), picture.layer(raster.Canvas(camera), instant, None).image)
        ours, others = ([line.get_xydata() / axes.get_xlim()[1] for line in axes.lines if line.get_zorder() == 2 or
                         line.get_marker() != "None"] for axes in (made.axes, alone))  # fmt: skip
        for own, other in zip(ours, others, strict=True):  # paths and centres of mass, in parts of the width
            assert own == pytest.approx(other, abs=0.01)
        assert made.axes.lines[0].get_ydata()[0] / made.axes.get_ylim()[0] > 0.7  # the axes of the ground are below


def test_a_point_of_the_ground_leaves_no_path():
    run = examples.double_pendulum().simulate(0.2, save_every=0.1)
    ax = run.animate(every=0.1, trace=[("lower arm", (0, 0, 0)), (ground, (0.5, 0.2, 0))]).picture()
    moving, still = (np.ptp(line.get_xydata(), axis=0) for line in ax.lines[:2])
    assert moving.min() > 1 and still.max() == 0
    pyplot.close(ax.figure)
