"""What is shown beside a run and behind it: energies, expressions, a second run; picking, stroboscope, films."""

import base64
import io

import numpy as np
import pytest
from browser import Browser, program
from matplotlib import image
from mistakes import explained

from easydyn import Model, examples, tdisp
from easydyn.visu.page import STILL

P = "document.querySelector('.easydyn').easydyn"
in_browser = [pytest.mark.browser, pytest.mark.skipif(program() is None, reason="no Chromium is installed")]


@pytest.fixture(scope="module")
def runs():
    model = examples.double_pendulum()
    return model, *(model.simulate(2, save_every=0.02, initial={"q1": q}) for q in (0.0, 0.45))


@pytest.fixture(scope="module")
def animation(runs):
    model, run, other = runs
    tip = model["lower arm"]
    plots = ["q1", "energy", ("height", tip.T.e[1]), tip.v[0]]
    return run.animate(trace=[("lower arm", (0, -0.55, 0))], plots=plots, ghost=other, every=0.02)


def curves(animation):
    return {c["name"]: numbers(c["numbers"]) for group in animation.data["plots"] for c in group["curves"]}


def numbers(text):
    return np.frombuffer(base64.b64decode(text), "<f4")


def test_energies_and_expressions_beside_the_picture(runs, animation):
    model, run, _ = runs
    found, tip = curves(animation), model["lower arm"]
    assert [group["unit"] for group in animation.data["plots"]] == ["rad", "J", ""]
    energy = run.energy
    for name, expected in (
        ("kinetic energy", energy.kinetic), ("total energy", energy.kinetic + energy.potential),
        ("height", run.of([tip.T.e[1]]).ravel()), ("l2*q2.dot*cos(q1 + q2)/…", run.of([tip.v[0]]).ravel()),
    ):  # fmt: skip
        assert found[name] == pytest.approx(expected, abs=1e-5), name
    alone = run.animate(plots="potential energy")
    assert curves(alone)["potential energy"] == pytest.approx(np.interp(alone.t, run.t, energy.potential), abs=1e-5)


def test_the_other_run_is_where_it_would_be_alone(runs, animation):
    _, _, other = runs
    alone, bodies = other.animate(every=0.02), 2
    ghosts = [k - 1 for k, frame in enumerate(animation.scene.frames) if frame.name.endswith("(ghost)")]
    assert animation.frames[:, ghosts[:bodies]] == pytest.approx(alone.frames[:, :bodies], abs=1e-12)
    assert curves(animation)["q1 (ghost)"] == pytest.approx(np.interp(alone.t, other.t, other["q1"]), abs=1e-6)
    parts = animation.data["parts"]
    pale = [part for part in parts if part.get("ghost")]
    assert pale and all(part["opacity"] <= 0.3 for part in pale)
    assert len(pale) < len(parts) / 2  # neither the ground nor signs are drawn twice


def test_a_shorter_run_stays_at_its_end(runs):
    model, run, _ = runs
    short = model.simulate(0.5, initial={"q1": 0.45})
    animation = run.animate(ghost=short, every=0.1)
    ghost = next(k for k, f in enumerate(animation.scene.frames) if f.name == "upper arm (ghost)") - 1
    assert np.array_equal(animation.frames[-1, ghost], animation.frames[6, ghost])
    assert not np.array_equal(animation.frames[3, ghost], animation.frames[4, ghost])


def test_a_notebook_that_is_not_trusted_shows_a_still_picture(animation):
    """Which lies under the frame that moves, and is seen where that is left out."""
    text = animation._repr_html_()
    assert STILL in text and text.index("<img ") < text.index("<iframe ")
    data = text.split("data:image/png;base64,")[1].split('"')[0]
    picture = image.imread(io.BytesIO(base64.b64decode(data)), format="png")
    assert picture.shape[:2] == (420, 420) and picture[..., :3].std() > 0.05 and len(data) < 40_000


def other_bodies(w):
    cart = Model("cart")
    x = cart.coordinate("x", rate=1)
    cart.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    return w.run.animate(ghost=cart.simulate(0.05))


test_mistake_is_explained = explained(__file__)


# -- in a browser -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shown(animation, tmp_path_factory):
    folder = tmp_path_factory.mktemp("showing")
    path = animation.save(folder / "page.html")
    with Browser(folder) as browser:
        page = browser.open(path)
        page.settle()
        yield page
        assert page.console == []


def at_body(shown, k):
    x, y, _ = shown.run(f"{P}.project([12, 13, 14].map((j) => {P}.where({k})[j]))")
    left, top, width, height = shown.box(".easydyn-stage")
    return left + (x + 1) / 2 * width, top + (1 - y) / 2 * height


def different(a, b):
    return float((np.abs(a.astype(int) - b).max(axis=-1) > 24).mean())


class TestInABrowser:
    pytestmark = in_browser

    def test_a_click_on_a_body_shows_its_numbers(self, shown, runs):
        model, run, _ = runs
        shown.run(f"{P}.go(50)")  # at 1 s
        shown.settle()
        place = at_body(shown, 2)
        shown.drag(place, place)
        told = shown.run("document.querySelector('.easydyn-about').textContent")
        assert "lower arm" in told and "rad/s" in told
        velocity = [np.interp(1.0, run.t, run.of([model["lower arm"].v[k]]).ravel()) for k in (0, 1)]
        assert float(told.split("speed")[1].split(" m/s")[0]) == pytest.approx(np.hypot(*velocity), rel=2e-2)
        shown.drag((5, 5), (5, 5))  # where there is none
        assert shown.run("document.querySelector('.easydyn-about').hidden")
        shown.key("b")
        assert shown.run(f"{P}.state.picked") == 1
        shown.key("Escape")
        assert shown.run(f"{P}.state.picked") == 0

    def test_what_is_toggled_is_seen(self, shown):
        shown.run(f"{P}.go(80)")
        shown.settle()
        plain = shown.still()
        for key in "mg":
            shown.key(key)
            assert different(shown.still(), plain) > 2e-3, key
            shown.key(key)
            assert different(shown.still(), plain) < 1e-4, key

    def test_views_along_axes(self, shown):
        for key, axis in zip("xyz", np.eye(3), strict=True):
            shown.key(key)
            a, b = (np.array(shown.run(f"{P}.project([{', '.join(map(str, s * axis))}])")) for s in (0.0, 0.3))
            assert np.linalg.norm((b - a)[:2]) < 0.05 + 0.05 * abs(b[0])  # it comes straight at the eye
        shown.key("0")

    def test_a_film_is_recorded(self, shown):
        shown.run(f"{P}.controls.speed.value = '5'; {P}.controls.speed.dispatchEvent(new Event('change'))")
        shown.key("r")
        assert shown.run(f"{P}.state.recording")
        shown.until(f"{P}.state.recorded > 1000 && !{P}.state.recording")
        assert ".webm" in shown.run("document.querySelector('.easydyn-status').textContent")
