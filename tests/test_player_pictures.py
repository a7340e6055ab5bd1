"""Pictures of the player in a real browser, compared with pictures that have been looked at.

Three examples, each at the start, after two fifths of its run and turned by the mouse. A picture is compared as a grid
of 81 x 60 mean colours with the one in tests/data/player: every cell has to lie within the colours that the other has
in this cell or beside it. So letters, smoothing of edges, resolution and the renderer may be others; a part that is
missing, mirrored, of another colour or elsewhere may not, and tests spoil the player in these ways to show it.

After a change of the picture that is meant: `python tests/test_player_pictures.py`, and look at them.
"""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from browser import Browser
from matplotlib import image

from easydyn import visu

pytestmark = pytest.mark.browser

EXAMPLES = ("double_pendulum", "slider_crank", "spatial_robot")
VIEWS = ("start", "later", "turned")
FOLDER = Path(__file__).parent / "data" / "player"
ROWS, COLUMNS = 60, 81
STAGE = 5.11, 5.40  # width and height of the picture (hundreds of pixels)
TOLERANCE = 26  # of 255, beyond what is around
P = "document.querySelector('.easydyn').easydyn"


def animation_of(name):
    from easydyn.examples.figures import module_of

    return module_of(name).simulate().animate()


@pytest.fixture(scope="module")
def animations():
    return {name: animation_of(name) for name in EXAMPLES}


def later_of(last):
    """The picture in which crank and rod of the slider-crank, too, stand apart from each other."""
    return 2 * last // 5


def cells(shown):
    """The picture of the mechanism as mean colours of a grid (ROWS, COLUMNS, 3), whatever its size is."""
    return averaged(shown.still(shown.box(".easydyn-stage")).astype(float))


def averaged(picture):
    """Mean colours of the cells of a picture of any size."""
    rows, columns = (np.round(np.linspace(0, n, k + 1)).astype(int) for n, k in zip(picture.shape, (ROWS, COLUMNS)))
    sums = np.add.reduceat(np.add.reduceat(picture, rows[:-1], axis=0), columns[:-1], axis=1)
    return sums / (np.diff(rows)[:, None, None] * np.diff(columns)[None, :, None])


def around(grid, extreme):
    """The least or the greatest value of each cell and its eight neighbours."""
    wide = np.pad(grid, ((1, 1), (1, 1), (0, 0)), mode="edge")
    return extreme([wide[i : i + ROWS, j : j + COLUMNS] for i in range(3) for j in range(3)], axis=0)


def blurred(grid):
    """A grid of which a line of one cell and the same line across two cells look alike: browsers round otherwise."""
    for axis in (0, 1):
        wide = np.pad(grid, [(1, 1) if k == axis else (0, 0) for k in range(3)], mode="edge")
        before, here, after = (np.take(wide, np.arange(grid.shape[axis]) + k, axis=axis) for k in range(3))
        grid = (before + 2 * here + after) / 4
    return grid


def strange(a, b):
    """How many cells of one grid have a colour that the other one has not there."""
    wrong = np.zeros((ROWS, COLUMNS), dtype=bool)
    for one, other in ((blurred(a), blurred(b)), (blurred(b), blurred(a))):
        low, high = around(other, np.min) - TOLERANCE, around(other, np.max) + TOLERANCE
        wrong |= ((one < low) | (one > high)).any(axis=-1)
    return int(wrong.sum())


def reference(name):
    """The three grids of an example."""
    grids = np.round(255 * image.imread(FOLDER / f"{name}.png")[..., :3])
    return dict(zip(VIEWS, np.split(grids, 3, axis=1), strict=True))


def opened(browser, folder, html, **settings):
    path = folder / "player page.html"
    path.write_text(html, encoding="utf-8")
    shown = browser.open(path, **settings)
    width, height = 900, 600
    for _ in range(5):  # letters of another size leave more or less room
        _, _, w, h = shown.box(".easydyn-stage")
        if max(abs(w - 100 * STAGE[0]), abs(h - 100 * STAGE[1])) < 1:
            return shown
        width, height = width + 1.6 * (100 * STAGE[0] - w), height + 100 * STAGE[1] - h
        shown.resize(round(width), round(height), settings.get("ratio", 1))
    raise AssertionError(f"the picture is {w} x {h} pixels")


def views(shown):
    """The three pictures, by keys and mouse."""
    found = {"start": cells(shown)}
    shown.key("End")
    last = shown.run(f"{P}.state.at")
    x, y, width, height = shown.box(".easydyn-scrub")
    shown.drag((x + 8, y + height / 2), (x + 0.4 * width, y + height / 2))  # about there: keys make it exact
    while at := shown.run(f"{P}.state.at") - later_of(last):
        shown.key("ArrowLeft" if at > 0 else "ArrowRight")
    found["later"] = cells(shown)
    x, y, width, height = shown.box(".easydyn-stage")
    shown.drag((x + width / 2, y + height / 2), (x + width / 2 - 90, y + height / 2 + 40))
    found["turned"] = cells(shown)
    return found


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_looks_as_it_should(name, browser, animations, tmp_path):
    shown = opened(browser, tmp_path, animations[name].html)
    expected = reference(name)
    for view, found in views(shown).items():
        assert strange(found, expected[view]) == 0, view
    assert shown.console == []


# -- what may be otherwise, and what may not ---------------------------------------------------------------------------


def later(animation, html=None):
    """The page as it opens at a later instant."""
    html = html or animation.html
    assert html.count("at: 0, playing") == 1
    return html.replace("at: 0, playing", f"at: {later_of(len(animation.t) - 1)}, playing")


def first_picture(browser, folder, html, **settings):
    shown = opened(browser, folder, html, **settings)
    found = cells(shown)
    shown.close()
    return found


@pytest.mark.parametrize("name", EXAMPLES)
def test_another_machine_passes(name, browser, animations, tmp_path):
    """Edges that are not smoothed, other letters, twice as many pixels: the same mechanism.

    Without WebGL triangles are sorted by depth, so that what is inside of something else may show in a few cells.
    """
    animation, expected = animations[name], reference(name)["later"]
    plain = later(animation, visu.Page(animation.scene, animation.data | {"renderer": "canvas"}).html)
    letters = later(animation).replace("system-ui, sans-serif", "DejaVu Serif, serif").replace("13px/1.4", "18px/1.6")
    assert letters != later(animation)
    edges = later(animation).replace("antialias: true", "antialias: false")
    assert edges != later(animation)
    others = {
        "edges": (edges, {}),
        "canvas": (plain, {}),
        "letters": (letters, {}),
        "pixels": (later(animation), {"ratio": 2}),
    }
    found = {
        what: strange(first_picture(browser, tmp_path, html, **settings), expected)
        for what, (html, settings) in others.items()
    }
    assert found.pop("canvas") <= 8 and max(found.values()) == 0, found


@pytest.mark.parametrize("name", EXAMPLES)
def test_python_draws_the_same_picture(name, animations):
    """The films of matplotlib have a camera and a depth of their own, in NumPy: the browser agrees with them.

    They have no axes in the corner, and faces that are not smoothed: a few cells may differ.
    """
    from matplotlib import pyplot

    animation = animations[name]
    figure = pyplot.figure(figsize=STAGE)
    animation.picture(animation.t[later_of(len(animation.t) - 1)], ax=figure.add_axes((0, 0, 1, 1)))
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=100)
    drawn = averaged(255 * image.imread(io.BytesIO(data.getvalue()), format="png")[..., :3].astype(float))
    expected = reference(name)["later"]
    for grid in (drawn, expected):
        grid[-14:, :14] = 255
    found, others = strange(drawn, expected), strange(drawn, reference(name)["start"])
    assert found <= 12 and others > 2 * found + 10, (found, others)


def spoiled(animation):
    """Pages in which something is wrong, by name: parts of every example, and the whole picture of one."""
    data = json.dumps(animation.data)
    bodies = [k for k, frame in enumerate(animation.data["frames"]) if frame["body"]]

    def page(change):
        given = json.loads(data)
        for part in given["parts"]:
            change(part)
        given["parts"] = [part for part in given["parts"] if part]
        return later(animation, visu.Page(animation.scene, given).html)

    def without(frame):
        return page(lambda part: part.clear() if part["frame"] == frame and part["kind"] == "solid" else None)

    def elsewhere(part):
        if part["frame"] == bodies[-1] and "offset" in part:
            part["offset"][0] += 0.15 * animation.scene.size

    def larger(part):
        if part["frame"] == bodies[-1] and "scale" in part:
            part["scale"] = [2 * x for x in part["scale"]]

    colours = [animation.scene.colour_of(animation.data["frames"][k]["name"]) for k in (bodies[0], bodies[-1])]

    def exchanged(part):
        if part["colour"] in colours:
            part["colour"] = colours[1 - colours.index(part["colour"])]

    def pale(part):
        part["colour"] = "#8c8c8c" if part["colour"] in colours else part["colour"]

    def written(old, new):
        assert later(animation).count(old) == 1, old
        return later(animation).replace(old, new)

    found = {f"without {animation.data['frames'][k]['name']}": without(k) for k in (0, *bodies)}
    found |= {"a body elsewhere": page(elsewhere), "a body too large": page(larger)}
    found |= {"colours exchanged": page(exchanged), "without colours": page(pale)}
    if animation.scene.title != "spatial robot":
        return found
    found |= {"another instant": animation.html}
    found |= {"black": written("gl.clearColor(...rgb(camera.paper), 1)", "gl.clearColor(0, 0, 0, 1)")}
    found |= {"nothing drawn": written("gl.drawArrays(handle.mode", "if (0) gl.drawArrays(handle.mode")}
    found |= {"without light": written("own * bright", "own * 0.2")}
    found |= {"mirrored": written("Float32Array.of(f / aspect", "Float32Array.of(-f / aspect")}
    found |= {"upside down": written("0, 0, 0, 0, f, 0, 0, 0, 0, (far", "0, 0, 0, 0, -f, 0, 0, 0, 0, (far")}
    found |= {"turned": written("azimuth: Math.atan2", "azimuth: 0.2 + Math.atan2")}
    return found


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_wrong_fails(name, browser, animations, tmp_path):
    expected = reference(name)["later"]
    found = {
        what: strange(first_picture(browser, tmp_path, html), expected)
        for what, html in spoiled(animations[name]).items()
    }
    assert min(found.values()) >= 2, found
    others = [reference(name)[view] for view in ("start", "turned")]
    assert min(strange(expected, other) for other in others) > 10  # the three pictures are not the same


if __name__ == "__main__":
    import tempfile

    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, Browser(Path(name)) as started:
        for example in EXAMPLES:
            grids = views(opened(started, Path(name), animation_of(example).html))
            picture = np.concatenate([grids[view] for view in VIEWS], axis=1)
            image.imsave(FOLDER / f"{example}.png", np.round(picture).astype(np.uint8))
