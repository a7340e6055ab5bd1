"""The player: its arithmetic in Node, and itself in a real browser, by mouse, touch and keyboard."""

import base64
import json
import math
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import sympy
from chance import first

import easydyn
from easydyn import Model, examples, t, tdisp, tquat, trot, trotx, trotz, visu
from easydyn.visu import motion, page
from easydyn.visu.explore import as_data

PLAYER = Path(easydyn.__file__).parent / "visu" / "player.js"
EXAMPLES = ("double_pendulum", "slider_crank", "spatial_robot")


def test_the_player_can_be_read():
    """Small, of our own, and without a way out: it loads nothing, stores nothing, makes no programs of texts."""
    for name, most in (("drawing.js", 500), ("player.js", 950)):
        lines = PLAYER.with_name(name).read_text(encoding="utf-8").splitlines()
        assert len(lines) < most and max(map(len, lines)) <= 130
    text = page.player()
    for word in ("http", "fetch(", "XMLHttpRequest", "import(", "eval(", "Function(", "innerHTML", "localStorage"):
        assert word not in text, word


# -- arithmetic, in Node ----------------------------------------------------------------------------------------------


def node(expression, **given):
    """The value of an expression of JavaScript; `p` are the player's pure functions, `given` is there by name."""
    words = f"""
        const p = require({json.dumps(str(PLAYER))}).parts;
        const {{{", ".join(given)}}} = JSON.parse(require("fs").readFileSync(0, "utf8"));
        const plain = (x) => ArrayBuffer.isView(x) ? Array.from(x) : x;
        console.log(JSON.stringify({expression}, (_, x) => plain(x)));
    """
    if shutil.which("node") is None:
        pytest.skip("node is not installed: the player's arithmetic is not tested by itself")
    done = subprocess.run(["node", "-e", words], input=json.dumps(given), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def matrix(columns):
    return np.array(columns).reshape(-1, 4, 4).swapaxes(-1, -2).squeeze()


def test_poses_become_matrices():
    e = np.array([0.5, -0.1, 0.7, 0.3])
    T = tdisp(1, -2, 3) * tquat(*(e / np.linalg.norm(e)))
    found = matrix(node("p.matrixOfPose(e, [1, -2, 3])", e=(1000 * e).tolist()))
    assert found == pytest.approx(np.asarray(T), abs=1e-6)
    rows = np.asarray(T)[:3].ravel().tolist()
    assert matrix(node("p.matrixOfRows([7, ...rows], 1)", rows=rows)) == pytest.approx(np.asarray(T), abs=1e-6)


def test_products_and_points():
    A, B = np.random.default_rng(3).normal(size=(2, 4, 4))
    A[3] = B[3] = 0, 0, 0, 1
    given = {"a": A.T.ravel().tolist(), "b": B.T.ravel().tolist()}
    assert matrix(node("p.product(a, b)", **given)) == pytest.approx(A @ B, abs=1e-5)
    assert node("p.moved(a, [1, 2, 3])", **given) == pytest.approx((A @ [1, 2, 3, 1])[:3], abs=1e-6)
    normals = np.array(node("p.normalMatrix(a)", **given)).reshape(3, 3).T
    assert normals == pytest.approx(np.linalg.det(A[:3, :3]) * np.linalg.inv(A[:3, :3]).T, abs=1e-5)


@pytest.mark.parametrize("ends", [((1, 2, 3), (4, 6, 3)), ((0, 0, 0), (0, 0, -2)), ((0, 0, 0), (3, 0, 0))])
def test_a_spring_goes_from_end_to_end(ends):
    T = matrix(node("p.between(...ends)", ends=ends))
    p, q = map(np.array, ends)
    assert (T @ [0, 0, 0, 1])[:3] == pytest.approx(p) and (T @ [0, 0, 1, 1])[:3] == pytest.approx(q)
    across = T[:3, :2]
    assert across.T @ across == pytest.approx(np.eye(2), abs=1e-6) and np.linalg.det(T) == pytest.approx(
        np.linalg.norm(q - p)
    )


def test_the_camera_sees_what_is_in_front_of_it():
    seen = node("[[0, 0, 0], [1, 0, 0], [0, 1, 0]].map((x) => p.moved(p.lookAt([0, 0, 5], [0, 0, 0], [0, 1, 0]), x))")
    assert np.array(seen) == pytest.approx(np.array([[0, 0, -5], [1, 0, -5], [0, 1, -5]]))
    P = matrix(node("p.perspective(Math.PI / 2, 2, 1, 9)"))
    for z, depth in ((-1, -1), (-9, 1)):
        clip = P @ [0, -z, z, 1]
        assert clip[:3] / clip[3] == pytest.approx([0, 1, depth])


def test_base64_and_colours():
    numbers = np.array([1.5, -2.25, 3e7], dtype="<f4")
    assert node("p.decoded(text, Float32Array)", text=page.text_of(numbers, "<f4")) == numbers.tolist()
    assert node("p.rgb('#ff8000')") == pytest.approx([1, 128 / 255, 0])


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3.2, 7.9), (1e-9, 2e-9), (-1e6, 5e6), (2.0, 2.5)])
def test_ticks_are_round_and_inside(low, high):
    found = np.array(node("p.ticks(low, high, 5)", low=low, high=high))
    step = np.diff(found)
    assert 2 <= len(found) <= 12 and found.min() >= low - 1e-9 * step[0] and found.max() <= high + 1e-9 * step[0]
    assert step == pytest.approx(step[0]) and round(step[0] / 10 ** math.floor(math.log10(step[0]) + 1e-9)) in (1, 2, 5)


def test_numbers_are_shown_short():
    assert node("[0, 1.23456, -0.00001234, 123456, 1e9, NaN].map((x) => p.shown(x))") == [
        "0", "1.235", "-1.23e-5", "1.23e5", "1.00e9", "–",
    ]  # fmt: skip


def test_normals_are_smooth_on_spheres_and_sharp_on_boxes():
    sphere, box = visu.Sphere(0.5).solid, visu.Box(1, 1, 1).solid
    for solid, smooth in ((sphere, True), (box, False)):
        found = node(
            "p.corners(Float32Array.from(nodes), triangles, [2, 1, 3])",
            nodes=solid.nodes.ravel().tolist(),
            triangles=solid.triangles.ravel().tolist(),
        )
        normals = np.array(found["normals"]).reshape(-1, 3)
        points = np.array(found["points"]).reshape(-1, 3)
        assert np.linalg.norm(normals, axis=1) == pytest.approx(1)
        if smooth:
            expected = points / np.array([2, 1, 3])  # of the ellipsoid x^2/4 + y^2 + z^2/9
            expected /= np.linalg.norm(expected, axis=1)[:, None]
            assert np.sum(normals * expected, axis=1).min() > 0.95
        else:
            assert np.abs(normals).max(axis=1) == pytest.approx(1)


def everything():
    """A model whose frames use every operation that a program may have."""
    x, y = sympy.symbols("x y")
    model = Model("operations")
    q, p = model.coordinates("q p", initial=(0.4, -0.3))
    (k,) = model.parameters(k=0.7)
    w = sympy.tanh(q) / 2
    terms = [
        sympy.sin(q), sympy.cos(p), sympy.tan(q), sympy.asin(w), sympy.acos(w), sympy.atan(q), sympy.sinh(q),
        sympy.cosh(p), sympy.tanh(p), sympy.asinh(q), sympy.acosh(2 + q**2), sympy.atanh(w), sympy.exp(q),
        sympy.log(2 + q**2), sympy.Abs(p), sympy.floor(5 * q), sympy.ceiling(5 * p), sympy.sign(p),
        sympy.sqrt(1 + q**2), sympy.atan2(p, q), sympy.Max(p, q), sympy.Min(p, k), sympy.Mod(p, 1), (2 + q) ** k,
        q / (2 + p), -q, t * q,
        sympy.Piecewise((1, q < p), (2, sympy.And(q > 0, p < 0)), (3, sympy.Or(q < 0, p >= 1)), (4, True)),
    ]  # fmt: skip
    for i, term in enumerate(terms):
        model.body(f"b{i}", tdisp(term, k * term, 0) * trotz(term) * trot((1, 2, 2), q), mass=1, inertia=(1, 1, 1))
    return model


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "model", [everything(), examples.spatial_robot(), examples.slider_crank()], ids=lambda m: m.name
)
def test_programs_give_the_same_numbers_in_the_browser(model):
    scene = model.scene()
    scene.add(model.bodies[0], visu.Arrow(model.bodies[0].T.e, scale=1))
    written = motion.program(scene)
    system = model.compile("python")
    rng = np.random.default_rng(8)
    for _ in range(4):
        q, time = rng.uniform(-0.9, 0.9, system.n), float(rng.uniform(-2, 2))
        found = node(
            "p.compiled(program)({t: time, q: q, qd: q})", program=as_data(written, system), q=q.tolist(), time=time
        )
        expected = motion.evaluated(system, written.outputs, np.array([time]), q[None], q[None])[0]
        assert np.isfinite(expected).all() and found == pytest.approx(expected, rel=1e-12, abs=1e-12)
        frames = np.array(found[: 12 * len(model.bodies)]).reshape(-1, 3, 4)
        assert frames == pytest.approx(system.frames(time, q)[:, :3], rel=1e-10, abs=1e-12)


@pytest.mark.long
def test_every_operation_of_programs_is_there():
    known = set(node("Object.keys(p.OPERATIONS)"))
    used = {
        op for op, *_ in as_data(motion.program(everything().scene()), everything().compile("python"))["operations"]
    }
    assert used <= known and len(used) > 30


@pytest.mark.parametrize("spatial", [False, True])
def test_a_page_of_a_thousand_frames_is_small(spatial):
    """Ten bodies, planar rods or spatial ones with paths and all curves."""
    model = Model("chain", gravity=(0, -9.81, 0))
    qs = model.coordinates([f"q{i}" for i in range(10)], initial=[0.3] * 10)
    T = tdisp(0, 0, 0)
    for i, q in enumerate(qs):
        T = T * (trotx if spatial and i % 2 else trotz)(q)
        model.body(f"b{i}", T * tdisp(0, -0.5, 0), mass=1, inertia=(1 / 12, 0.001 * spatial, 1 / 12))
        T = T * tdisp(0, -1, 0)
    more = {"trace": [f"b{i}" for i in range(10)], "plots": [f"q{i}" for i in range(10)]} if spatial else {}
    animation = model.simulate(1).animate(frames_per_second=999, **more)
    drawn = [len(group["curves"]) for group in animation.data["plots"]]
    assert len(animation.t) == 1000 and drawn == ([6, 4] if spatial else [6])
    assert len(animation.html.encode()) - len(page.player().encode()) < 500_000
    assert len(page.player().encode()) < 72_000


def test_names_do_no_harm():
    """A name that would end the script, or begin one, is shown as it is."""
    model = Model('</script><script>alert("x")</script> & <b>', gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q")
    model.body("<img src=x onerror=alert(1)>", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))

    class Elements(HTMLParser):
        def handle_starttag(self, tag, attributes):
            found.append((tag, dict(attributes)))

    for html in (model.explore().html, model.scene()._repr_html_()):
        found = []
        Elements().feed(html)
        if found[0][0] == "div":  # a frame over what is seen where it may not be
            assert [tag for tag, _ in found] == ["div", "p", "img", "iframe"]
            (_, attributes), found = found[-1], []
            Elements().feed(attributes["srcdoc"])
        tags = [tag for tag, _ in found]
        assert tags == [
            "html",
            "head",
            "meta",
            "meta",
            "meta",
            "title",
            "style",
            "body",
            "div",
            "noscript",
            "script",
            "script",
        ]


# -- in a browser -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def animations():
    from easydyn.examples.figures import module_of

    return {name: module_of(name).simulate().animate() for name in EXAMPLES}


P = "document.querySelector('.easydyn').easydyn"


def different(a, b):
    """Share of the pixels that differ."""
    return float((np.abs(a.astype(int) - b).max(axis=-1) > 24).mean())


def near(picture, colour, tolerance=60):
    """Places (row, column) of pixels whose hue is about that of a colour: light and shade change its strength."""
    rgb = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], dtype=float)
    pixels = picture.astype(float)
    strength = pixels.max(axis=-1, keepdims=True) / rgb.max()
    return np.argwhere((np.abs(pixels - strength * rgb).max(axis=-1) < tolerance) & (strength[..., 0] > 0.3))


def opened(browser, tmp_path, html, **size):
    path = tmp_path / "player page.html"
    path.write_text(html, encoding="utf-8")
    shown = browser.open(path, **size)
    shown.settle()
    return shown


def pull(shown, selector, share):
    """Drag the thumb of a slider to a share of its way; it is as wide as its track is high."""
    x, y, w, h = shown.box(selector)
    low, high, value = (float(shown.run(f"document.querySelector({selector!r}).{k}")) for k in ("min", "max", "value"))
    start, end = (x + h / 2 + s * (w - h) for s in ((value - low) / (high - low), share))
    shown.drag((start, y + h / 2), (end, y + h / 2))


@pytest.mark.parametrize("name", first(1, EXAMPLES))
def test_an_example_is_played_scrubbed_stepped_and_turned(name, browser, animations, tmp_path):
    animation = animations[name]
    shown = opened(browser, tmp_path, animation.html)
    count, first = len(animation.t), shown.picture()[4:400, 4:540]
    assert shown.run(f"{P}.renderer()") == "WebGL" and shown.run(f"{P}.time()") == 0
    shown.key("End")
    stage = shown.picture()[4:400, 4:540]
    for body in range(1, len(animation.scene.frames)):
        frame = animation.scene.frames[body]
        if frame.is_body:  # it is there, in its colour, where its centre of mass should be seen
            x, y, _ = shown.run(f"{P}.project([12, 13, 14].map((k) => {P}.where({body})[k]))")
            box = shown.box(".easydyn-stage")
            place = np.array([box[1] + (1 - y) / 2 * box[3], box[0] + (x + 1) / 2 * box[2]])
            inside = (place > 0) & (place < [400, 540])
            there = near(stage, animation.scene.colour_of(frame.name))
            assert inside.all() and len(there) and np.linalg.norm(there - place, axis=1).min() < 40
    assert different(stage, first) > 0.002
    shown.key("Home")

    shown.click("[aria-label=Play]")
    shown.until(f"{P}.time() > 0.15")
    shown.click("[aria-label=Pause]")
    stopped = shown.run(f"{P}.state.at")
    shown.settle()
    assert shown.run(f"{P}.state.at") == stopped and not shown.run(f"{P}.state.playing")
    assert different(shown.picture()[4:400, 4:540], first) > 0.001

    x, y, w, h = shown.box(".easydyn-scrub")
    shown.drag((x + 8, y + h / 2), (x + w / 2, y + h / 2))  # the thumb of the slider, to the middle of it
    assert abs(shown.run(f"{P}.state.at") - count // 2) <= 0.03 * count
    while away := shown.run(f"{P}.state.at") - count // 2:
        shown.key("ArrowLeft" if away > 0 else "ArrowRight")
    assert shown.run(f"{P}.state.at") == count // 2
    assert shown.run(f"{P}.time()") == pytest.approx(animation.t[count // 2])
    for body, matrices in enumerate(animation.frames[count // 2], 1):
        found = matrix(list(shown.run(f"Array.from({P}.where({body}))")))
        assert found == pytest.approx(matrices, abs=2e-4)
    shown.click(".easydyn-stage")
    shown.key("Escape")  # whatever body was there
    shown.key("ArrowRight")
    shown.key("ArrowRight", shift=True)
    assert shown.run(f"{P}.state.at") == count // 2 + 11
    shown.key("ArrowLeft")
    assert shown.run(f"{P}.state.at") == count // 2 + 10
    shown.key("End")
    assert shown.run(f"{P}.state.at") == count - 1
    shown.key("Home")
    assert shown.run(f"{P}.state.at") == 0
    assert different(shown.picture()[4:400, 4:540], first) < 1e-3

    shown.drag((200, 200), (320, 240))
    assert different(shown.picture()[4:400, 4:540], first) > 0.01
    shown.key("0")
    assert different(shown.picture()[4:400, 4:540], first) < 1e-3
    assert shown.console == []


@pytest.mark.long
def test_zoom_pan_and_touch(browser, animations, tmp_path):
    shown = opened(browser, tmp_path, animations["double_pendulum"].html)
    home = shown.run(f"{P}.view()")
    shown.run("document.activeElement.blur()")
    shown.mouse("mouseWheel", 200, 200, deltaX=0, deltaY=-300)
    shown.settle()
    assert shown.run(f"{P}.view()") == home  # the page scrolls until the player has been clicked
    shown.drag((200, 200), (200, 200))
    shown.mouse("mouseWheel", 200, 200, deltaX=0, deltaY=-300)
    shown.settle()
    assert shown.run(f"{P}.view().zoom") < 0.8
    shown.key("0")
    shown.drag((200, 200), (260, 200), button="right")
    moved = shown.run(f"{P}.view()")
    assert moved["pan"][0] < -0.1 and moved["azimuth"] == home["azimuth"]
    shown.key("0")
    before = np.array(shown.run(f"{P}.project([0, 0, 0])")[:2])
    shown.drag((200, 200), (260, 170), modifiers=8)
    after = np.array(shown.run(f"{P}.project([0, 0, 0])")[:2])
    size = shown.run("(s => [s.clientWidth, s.clientHeight])(document.querySelector('.easydyn-stage'))")
    assert (after - before) * size / 2 == pytest.approx([60, 30], abs=3)  # the picture goes with the pointer
    shown.key("0")

    shown.send("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    shown.touch([(200, 200), (240, 200)])
    assert shown.run(f"{P}.view().azimuth") == pytest.approx(home["azimuth"] - 40 * 0.008)
    shown.touch([(180, 200), (140, 200)], [(220, 200), (260, 200)])
    assert shown.run(f"{P}.view().zoom") == pytest.approx(1 / 3)
    assert shown.console == []


@pytest.mark.long
def test_every_control_is_reached_by_keyboard_and_has_a_name(browser, animations, tmp_path):
    shown = opened(browser, tmp_path, animations["spatial_robot"].html)
    controls = shown.run("document.querySelectorAll('button, select, input').length")
    assert shown.run("document.activeElement.classList.contains('easydyn')")
    reached = ["the player itself"]
    for _ in range(controls):
        shown.key("Tab")
        reached.append(shown.run("document.activeElement.getAttribute('aria-label')"))
    assert len(set(reached)) == controls + 1 and all(reached)
    labels = shown.run("[...document.querySelectorAll('[role=img]')].map((c) => c.getAttribute('aria-label'))")
    assert "base, arm, hand" in labels[0] and all("Plot against time in" in label for label in labels[1:])
    assert "lift from" in labels[1] and len(labels) == 3
    shown.run("document.querySelector('.easydyn').focus()")
    shown.key("]")
    assert shown.run(f"{P}.state.speed") == 2 and shown.run(f"{P}.controls.speed.value") == "2"
    shown.key("[")
    shown.key("[")
    assert shown.run(f"{P}.state.speed") == 0.5 and "speed 0.5" in shown.run(
        "document.querySelector('[aria-live]').textContent"
    )
    start = shown.picture()
    for key in "cn":
        shown.key(key)
        assert different(shown.picture(), start) > 1e-4, key
    for key in "adws+-4682":
        before = shown.run(f"JSON.stringify({P}.view())")
        shown.key(key)
        assert shown.run(f"JSON.stringify({P}.view())") != before, key
    shown.key("?")
    assert shown.run("!document.querySelector('.easydyn-help').hidden")
    shown.key("f")
    assert shown.run(f"{P}.state.follow") == 1
    shown.key("l")
    shown.key("End")
    shown.run(f"{P}.go({P}.state.at - 3)")
    shown.run(f"{P}.play()")
    shown.until(f"!{P}.state.playing")
    assert shown.run(f"[{P}.state.playing, {P}.state.at]") == [False, len(animations["spatial_robot"].t) - 1]
    assert shown.console == []


def test_plots_have_the_same_cursor(browser, animations, tmp_path):
    shown = opened(browser, tmp_path, animations["double_pendulum"].html)
    x, y, w, h = shown.box(".easydyn-plot")
    middle = (x + 52 + (w - 62) * 0.5, y + h / 2)
    before = shown.picture()
    shown.drag(middle, middle)
    assert shown.run(f"{P}.time()") == pytest.approx(2.5, abs=0.03)
    after = shown.picture()
    changed = np.argwhere(np.abs(after.astype(int) - before).max(axis=-1)[: int(y + h), int(x) :] > 24)[:, 1]
    assert changed.min() < 60 < w / 2 < changed.max()
    q1, q2 = (
        animations["double_pendulum"].run.of(q) for q in animations["double_pendulum"].run.source.mechanism.coordinates
    )
    text = shown.run("document.querySelector('[aria-live]').textContent")
    told = [float(word.split(" = ")[1].split()[0]) for word in text.split(", ")]
    time = animations["double_pendulum"].run.t
    assert told[1:3] == pytest.approx([np.interp(told[0], time, q) for q in (q1, q2)], abs=2e-2)
    assert shown.console == []


@pytest.mark.long
def test_traces_arrows_and_springs(browser, tmp_path):
    model = Model("spring pendulum", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(0.5, -1))
    bob = model.body("bob", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(easydyn.Spring(bob, easydyn.ground, stiffness=30, free_length=0.8))
    run = model.simulate(2)
    scene = model.scene()
    scene.add(bob, visu.Arrow(bob.v, scale=0.2, colour="vermilion"), visu.Text("here", at=tdisp(0, 0.1, 0)))
    animation = run.animate(scene=scene, trace=bob, plots=())
    shown = opened(browser, tmp_path, animation.html)
    assert shown.run("document.querySelectorAll('.easydyn-plot').length") == 0
    shown.run(f"{P}.go({len(animation.t) - 1})")
    shown.settle()
    picture = shown.picture()
    assert len(near(picture[:, 100:], visu.COLOURS["vermilion"], 40)) > 20
    shown.key("t")
    assert different(shown.picture(), picture) > 1e-3
    assert shown.console == []


@pytest.mark.long
def test_without_webgl_the_picture_is_much_the_same(browser, animations, tmp_path):
    animation = animations["spatial_robot"]
    with_webgl = opened(browser, tmp_path, animation.html).picture()
    plain = visu.Page(animation.scene, animation.data | {"renderer": "canvas"})
    shown = opened(browser, tmp_path, plain.html)
    assert shown.run(f"{P}.renderer()") == "canvas"
    assert different(shown.picture(), with_webgl) < 0.03
    for name in ("base", "hand"):
        a, b = (len(near(p[4:400, 4:540], animation.scene.colour_of(name))) for p in (shown.picture(), with_webgl))
        assert a == pytest.approx(b, rel=0.35) and a > 50
    assert shown.console == []


@pytest.mark.long
def test_when_webgl_is_taken_away_the_picture_stays(browser, animations, tmp_path):
    shown = opened(browser, tmp_path, animations["double_pendulum"].html)
    before = shown.picture()
    lose = "getContext('webgl').getExtension('WEBGL_lose_context').loseContext()"
    shown.run(f"document.querySelector('.easydyn-picture').{lose}")
    shown.until(f"{P}.renderer() === 'canvas'")
    shown.settle()
    assert different(shown.picture(), before) < 0.03
    shown.key("End")
    assert different(shown.picture(), before) > 0.005 and shown.console == []


@pytest.mark.long
def test_two_players_in_one_notebook_do_not_disturb_each_other(browser, animations, tmp_path):
    """An exported notebook holds what `_repr_html_` gave, one after the other."""
    cells = "".join(
        f"<div class=output>{animations[n]._repr_html_()}</div>" for n in ("double_pendulum", "slider_crank")
    )
    shown = opened(browser, tmp_path, f"<!DOCTYPE html><meta charset=utf-8><body>{cells}", height=1000)
    frames = browser.frames(shown, 2)
    before = shown.still()
    assert different(before[:420], before[484:904]) > 0.005 and before[:420].std() > 5
    shown.drag((250, 200), (330, 220))  # in the first
    shown.key("End")
    frames["double pendulum"].until(f"{P}.time() === 5")
    after = shown.still()
    assert different(after[:480], before[:480]) > 0.003 and different(after[490:], before[490:]) == 0
    assert shown.run("Object.keys(window).filter((name) => /easydyn/i.test(name)).length") == 0
    assert all(each.console == [] for each in (shown, *frames.values()))


def test_two_players_in_one_document(browser, animations, tmp_path):
    data = [json.dumps(animations[name].data) for name in ("double_pendulum", "slider_crank")]
    both = "".join(f"easydynPlayer(document.getElementById('p{k}'), {d});" for k, d in enumerate(data))
    style = (PLAYER.parent / "player.css").read_text(encoding="utf-8")
    roots = "<div style='height: 480px'><div id=p0></div></div><div style='height: 480px'><div id=p1></div></div>"
    script = f"<script>(() => {{{page.player()}{both}}})()</script>"
    html = f"<!DOCTYPE html><meta charset=utf-8><style>{style}</style>{roots}{script}"
    shown = opened(browser, tmp_path, html, height=1000)
    shown.run("p0.easydyn.play()")
    shown.until("p0.easydyn.time() > 0.1")
    assert shown.run("p1.easydyn.time()") == 0
    shown.run("p1.focus()")
    shown.key("End")
    assert shown.run("p1.easydyn.time()") == pytest.approx(6) and shown.run("p0.easydyn.state.playing")
    assert shown.console == []


def test_sliders_move_the_assembly_without_python(browser, tmp_path):
    model = examples.slider_crank()
    model["rod"]
    shown = opened(browser, tmp_path, model.explore(limits={"q": (-3, 3)}).html)
    before = shown.picture()
    pull(shown, "input", 1 / 6)
    assert different(shown.picture(), before) > 0.005
    value = float(shown.run("document.querySelector('input').value"))  # a slider has a thousand places
    frames = model.compile("python").frames(0, np.array([value]))
    for k in range(3):
        assert matrix(shown.run(f"Array.from({P}.where({k + 1}))")) == pytest.approx(frames[k], abs=1e-5)
    assert value == pytest.approx(-2, abs=0.1) and f"q = {value:.3g}" in shown.run(
        "document.querySelector('output').textContent"
    )
    assert shown.console == []


def test_zero_is_zero_on_sliders(browser, tmp_path):
    """The places of a slider are rounded: the one in the middle from -pi to pi is 4e-16."""
    model = Model("pendulum")
    (q,) = model.coordinates("q", unit="rad")
    model.body("rod", trotz(q) * tdisp(1, 0, 0), mass=1, inertia=(0, 0, 0))
    shown = opened(browser, tmp_path, model.explore().html)
    texts = "(i => [i.value, document.querySelector('output').textContent, i.getAttribute('aria-valuetext')])"
    for share, expected in ((0.5, "q = 0 rad"), (0.9, None), (0.5, "q = 0 rad")):
        pull(shown, "input", share)
        value, *told = shown.run(f"{texts}(document.querySelector('input'))")
        assert told[0] == f"q = {told[1]}" and (expected is None or (abs(float(value)) < 0.05 and "e-" not in told[0]))
    shown.run("document.querySelector('input').focus()")
    while abs(value := float(shown.run("document.querySelector('input').value"))) > 1e-6:
        shown.key("ArrowLeft" if value > 0 else "ArrowRight")
    assert shown.run(f"{texts}(document.querySelector('input'))")[1:] == ["q = 0 rad", "0 rad"]
    assert shown.console == []


def test_an_assembly_that_is_lost_is_told(browser, tmp_path):
    model = Model("loop")
    (x,) = model.coordinates("x", initial=0.5)
    model.body("rod", trotz(sympy.asin(x)) * tdisp(1, 0, 0), mass=1, inertia=(0, 0, 1 / 3))
    shown = opened(browser, tmp_path, model.explore(limits={"x": (-2, 2)}).html)
    pull(shown, "input", 7 / 8)
    before = shown.run(f"Array.from({P}.where(1))")
    pull(shown, "input", 15 / 16)
    said = shown.run("document.querySelector('[aria-live]').textContent")
    assert np.isfinite(before).all() and "cannot be assembled" in said
    assert shown.run(f"Array.from({P}.where(1))") == before and shown.console == []


@pytest.mark.long
def test_all_shapes_are_drawn(browser, tmp_path):
    model = Model("shapes")
    (q,) = model.coordinates("q")
    shapes = [
        visu.Box(0.3, 0.2, 0.1), visu.Sphere(0.15), visu.Cylinder(0.1, 0.3), visu.Cone(0.15, 0.3),
        visu.Frustum(0.2, 0.1, 0.3), visu.Tube(0.2, 0.12, 0.2), visu.Torus(0.2, 0.06), visu.Gear(0.2, 18, 0.08),
        visu.Tyre(0.25, 0.12), visu.Frame(0.3), visu.Text("text"), visu.Mesh(visu.Box(0.2, 0.2, 0.2).solid),
    ]  # fmt: skip
    for k, shape in enumerate(shapes):
        place = tdisp(k % 4, k // 4, 0) * trotz(q)
        model.body(f"body {k}", place, mass=0, inertia=(0, 0, 0), shape=shape)
    shown = opened(browser, tmp_path, visu.page.still(model.scene()).html)
    picture = shown.picture()
    box = shown.box(".easydyn-stage")
    for k in range(len(shapes)):
        x, y, _ = shown.run(f"{P}.project([{k % 4}, {k // 4}, 0])")
        column, row = int(box[0] + (x + 1) / 2 * box[2]), int(box[1] + (1 - y) / 2 * box[3])
        assert picture[row - 25 : row + 25, column - 25 : column + 25].astype(float).std() > 10, shapes[k]
    assert shown.console == []


@pytest.mark.one_in(24)
@pytest.mark.parametrize("name", examples.MODELS)
def test_numbers_of_a_body_are_those_of_the_run_in_examples(name):
    """Speed of the centre of mass, and of turning, within 1e-3 of the run's at each instant that was saved."""
    run = getattr(examples, name)().simulate(0.1, save_every=0.01)
    data = run.animate(every=0.01, plots=()).data["motion"]
    bodies = run.source.mechanism.bodies
    if not bodies:
        return
    stored = np.frombuffer(base64.b64decode(data["rates"]), "<u2").reshape(data["count"], len(bodies), 2) / 65535
    assert data["count"] == len(run.t) == 11
    for k, body in enumerate(bodies):
        omega, arm = run.of(body.omega), run.of((body.T * tdisp(*body.com)).e) - run.of(body.T.e)
        speed = np.linalg.norm(run.of(body.v) + np.cross(omega, arm), axis=1)
        for shown, own in zip((stored[:, k] * data["tops"][k]).T, (speed, np.linalg.norm(omega, axis=1)), strict=True):
            assert np.abs(shown - own).max() <= 1e-3 * own.max() + 1e-9, body.name


def test_numbers_of_a_body_are_those_of_the_run():
    """Of the run itself, not of differences of pictures: fast bodies, centres of mass elsewhere, driven bodies."""
    model = Model("three", gravity=(0, -9.81, 0))
    q, x = model.coordinates("q x", initial=(0.4, 1), rates=(9, 0))
    rod = model.body("rod", trotz(q), mass=2, inertia=(0.1, 0.2, 0.3), com=(0.3, -0.4, 0.1))
    driven = model.body("driven", tdisp(x, 0, 0) * trotx(5 * t), mass=1, inertia=(1, 1, 1))
    run = model.simulate(1, save_every=0.05, method="dop853", tolerance=1e-9)
    data = run.animate(frames_per_second=20).data["motion"]
    stored = np.frombuffer(base64.b64decode(data["rates"]), "<u2").reshape(data["count"], 2, 2) / 65535
    for k, body in enumerate((rod, driven)):
        omega = run.of(body.omega)
        arm = np.einsum("nij,j->ni", run.frames(body.name)[:, :3, :3], np.array([float(c) for c in body.com]))
        speed = np.linalg.norm(run.of(body.v) + np.cross(omega, arm), axis=1)
        found = stored[:, k] * data["tops"][k]
        np.testing.assert_allclose(found[:, 0], speed, atol=2e-5 * max(speed.max(), 1e-9))
        np.testing.assert_allclose(found[:, 1], np.linalg.norm(omega, axis=1), atol=2e-5 * np.abs(omega).max())
