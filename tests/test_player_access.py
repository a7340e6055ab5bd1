"""The player for everybody: by keyboard alone, in words, in colours that stay apart, without needless motion, by touch.

Colour-blindness is simulated by the matrices of Machado, Oliveira and Fernandes (2009) for people who lack one kind of
cone, in linear RGB; distances are those of CIE L*a*b* (1976), where about 2 can just be seen. Contrast is that of WCAG
2.2: (L1 + 0.05)/(L2 + 0.05) of the relative luminances, at least 4.5 for text.
"""

import itertools
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import easydyn
from easydyn import examples, visu

pytestmark = pytest.mark.browser

PLAYER = Path(easydyn.__file__).parent / "visu" / "player.js"
P = "document.querySelector('.easydyn').easydyn"
BLIND = {
    "nobody": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
RGB_TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                       [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip


# -- colours ----------------------------------------------------------------------------------------------------------


def linear(colour):
    """Linear RGB of "#rrggbb"."""
    c = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a, b):
    low, high = sorted(float(RGB_TO_XYZ[1] @ linear(c)) for c in (a, b))
    return (high + 0.05) / (low + 0.05)


def lab(rgb):
    x = RGB_TO_XYZ @ np.clip(rgb, 0, 1) / RGB_TO_XYZ.sum(axis=1)
    f = np.where(x > 216 / 24389, np.cbrt(x), (24389 / 27 * x + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def least_distance(colours):
    """The least distance of two of them for anybody, and for whom."""
    found = []
    for who, matrix in BLIND.items():
        seen = [lab(np.array(matrix) @ linear(c)) for c in colours]
        found += [(float(np.linalg.norm(a - b)), who) for a, b in itertools.combinations(seen, 2)]
    return min(found)


def test_the_measures_are_those_of_the_books():
    assert contrast("#000000", "#ffffff") == pytest.approx(21) and contrast("#777777", "#ffffff") == pytest.approx(
        4.48, abs=0.01
    )
    assert lab(linear("#ff0000")) == pytest.approx([53.24, 80.09, 67.20], abs=0.02)
    assert least_distance(["#d00000", "#6b6b00"])[1] in ("protanopia", "deuteranopia")
    assert least_distance(["#2ca02c", "#d62728", "#8c564b"])[0] < 12  # a usual green, red and brown would not do


def test_bodies_stay_apart_for_the_colour_blind():
    assert least_distance(visu.colours.PALETTE.values())[0] > 15
    assert least_distance(visu.colours.AXES)[0] > 15


def test_curves_stay_apart_for_the_colour_blind():
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    words = f"console.log(JSON.stringify(require({json.dumps(str(PLAYER))}).parts.COLOURS))"
    done = subprocess.run(["node", "-e", words], capture_output=True, text=True, timeout=60)
    curves = json.loads(done.stdout)
    assert all(len(curves[name]) == len(set(curves[name])) == 7 for name in ("light", "dark"))
    assert min(least_distance(curves[name]) for name in ("light", "dark"))[0] > 15


# -- in a browser -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder, model = tmp_path_factory.mktemp("pages"), examples.spatial_robot()
    run = model.simulate(1, save_every=0.01)
    return {
        "animation": run.animate(trace="hand").save(folder / "animation.html"),
        "explore": model.explore().save(folder / "explore.html"),
    }


ACTIVE = "document.activeElement"
CONTROLS = "[...document.querySelectorAll('button, select, input')]"


@pytest.mark.parametrize("kind", ["animation", "explore"])
def test_keys_reach_every_control_and_show_where_they_are(kind, browser, pages):
    """Tab goes through all controls in their order, each with a ring, a role and a name; Shift and Tab go back."""
    shown = browser.open(pages[kind])
    shown.settle()
    tree = shown.send("Accessibility.getFullAXTree")["nodes"]
    named = [(node["role"]["value"], node["name"]["value"]) for node in tree if "name" in node and not node["ignored"]]
    count = shown.run(f"{CONTROLS}.length")
    assert count == (16 if kind == "animation" else 10)
    reached = []
    for k in range(count):
        before = shown.still()
        shown.key("Tab")
        assert shown.run(f"{CONTROLS}.indexOf({ACTIVE})") == k
        style = "(s => [s.outlineStyle, parseFloat(s.outlineWidth)])(getComputedStyle(document.activeElement))"
        assert shown.run(f"{ACTIVE}.matches(':focus-visible')") and shown.run(style) == ["solid", 3]
        left, top, width, height = shown.run(
            f"(b => [b.left, b.top, b.width, b.height])({ACTIVE}.getBoundingClientRect())"
        )
        rows, columns = slice(int(top), int(top + height)), slice(int(left), int(left + width))
        changed = np.abs(shown.still()[rows, columns].astype(int) - before[rows, columns]).max(axis=-1) > 60
        assert changed.mean() > 0.05  # it is seen
        tag, name = shown.run(f"[{ACTIVE}.tagName, {ACTIVE}.getAttribute('aria-label')]")
        role = {"BUTTON": "button", "SELECT": "combobox", "INPUT": "slider"}[tag]
        assert (role, name) in named, (role, name)
        reached.append(name)
    assert len(set(reached)) == count
    shown.key("Tab", shift=True)
    assert shown.run(f"{CONTROLS}.indexOf({ACTIVE})") == count - 2
    shown.key("Tab")
    shown.key("Tab")
    assert shown.run(f"{CONTROLS}.indexOf({ACTIVE})") == -1  # it is no trap
    assert shown.console == []
    shown.close()


ACTS = {  # what each button changes, with Enter and with Space
    "First frame": f"{P}.state.at",
    "One frame back": f"{P}.state.at",
    "Play": f"{P}.state.playing",
    "One frame on": f"{P}.state.at",
    "Last frame": f"{P}.state.at",
    "Again and again": f"{P}.state.loop",
    "Centres of mass": f"{P}.state.centres",
    "Names of bodies": f"{P}.state.names",
    "Paths of points": f"{P}.state.paths",
    "Stroboscope": f"{P}.state.flashes",
    "Record a film": f"{P}.state.recording",
    "Full screen": "document.fullscreenElement === null",
    "View as at the start": f"JSON.stringify({P}.view())",
    "Keys": "document.querySelector('.easydyn-help').hidden",
}


def test_every_control_does_its_work_by_keys(browser, pages):
    shown = browser.open(pages["animation"])
    labels = shown.run("[...document.querySelectorAll('button')].map((b) => b.getAttribute('aria-label'))")
    assert sorted(labels) == sorted(ACTS)
    for label, changes in ACTS.items():
        for key in ("Enter", " "):
            shown.run(f"{P}.pause(); {P}.go(50); {P}.turn(0.3, 0.1)")
            shown.run(f"document.querySelector('button[aria-label=\"{label}\"]').focus()")
            before = shown.run(changes)
            shown.key(key)
            shown.until(f"{changes} !== {json.dumps(before)}")
            if label == "Play":
                assert shown.run(f"[{ACTIVE}.getAttribute('aria-label'), {ACTIVE}.title]") == ["Pause", "Pause"]
    shown.run(f"{P}.pause(); {P}.go(50); {P}.controls.scrub.focus()")
    for key, place in (("ArrowRight", 51), ("ArrowLeft", 50), ("End", 150), ("Home", 0)):
        shown.key(key)
        assert shown.run(f"{P}.state.at") == place
        assert float(shown.run(f"{ACTIVE}.getAttribute('aria-valuetext')").split()[0]) == pytest.approx(
            place / 150, abs=1e-3
        )
    shown.run(f"{P}.controls.speed.focus()")
    shown.key("ArrowDown")
    assert shown.run(f"{P}.state.speed") == 2
    shown.close()
    shown = browser.open(pages["explore"])
    shown.run("document.querySelector('input[aria-label=\"turret in rad\"]').focus()")
    before = shown.run(f"Array.from({P}.where(1))")
    shown.key("PageUp")
    assert shown.run(f"Array.from({P}.where(1))") != before
    assert shown.run("document.querySelector('[aria-live]').textContent").startswith("turret = ")
    assert shown.console == []
    shown.close()


def test_the_picture_is_told_in_words(browser, pages):
    """The model, its bodies and the time; when it stops, what is there is said, while it plays nothing."""
    shown = browser.open(pages["animation"])
    words = "document.querySelector('.easydyn-overlay').getAttribute('aria-label')"
    said = "document.querySelector('.easydyn-status').textContent"
    live = "document.querySelector('.easydyn-status').getAttribute('aria-live')"
    assert shown.run(words) == "Picture in space of spatial robot at t = 0 s: base, arm, hand."
    shown.key("End")
    assert " at t = 1 s: " in shown.run(words) and shown.run(said).startswith("t = 1 s, lift = ")
    shown.key("Home")
    shown.key(" ")
    assert "playing from t = " in shown.run(words)
    shown.until(f"{P}.time() > 0.2")
    assert shown.run(live) == "off"  # who listens is not flooded
    shown.until(f"{said}.startsWith('t = 0.')")  # who looks sees the numbers go along
    shown.key(" ")
    assert shown.run(live) == "polite"
    at = shown.run(f"{P}.time()")
    assert shown.run(said).startswith(f"t = {at:.4g} s, ") and f"at t = {at:.4g} s" in shown.run(words)
    unnamed = "document.querySelectorAll('canvas:not([aria-label]):not([aria-hidden=true])').length"
    assert shown.run(unnamed) == 0 and shown.run("document.documentElement.lang") == "en"
    shown.close()


TEXTS = """(() => {
  const found = [], plain = (c) => c.match(/[0-9.]+/g).map(Number);
  document.querySelector(".easydyn-help").hidden = false;
  for (const each of document.querySelectorAll(".easydyn *")) {
    const own = [...each.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own && each.tagName !== "SELECT") continue;
    let under = each, back;
    do {
      back = plain(getComputedStyle(under).backgroundColor);
      under = under.parentElement;
    } while (under && back[3] === 0);
    found.push([each.tagName, each.textContent.slice(0, 20), plain(getComputedStyle(each).color), back]);
  }
  return found;
})()"""


@pytest.mark.parametrize("kind", ["animation", "explore"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_contrast(scheme, kind, browser, pages):
    shown = browser.open(pages[kind], media={"prefers-color-scheme": scheme})
    shown.settle()

    def written(c):
        return "#" + "".join(f"{round(x):02x}" for x in c[:3])

    texts = shown.run(TEXTS)
    assert len(texts) >= 40
    for tag, text, colour, back in texts:
        assert contrast(written(colour), written(back)) >= 4.5, (tag, text, colour, back)
    theme = shown.run(f"{P}.theme")  # of what is written upon canvases
    assert theme["dark"] == (scheme == "dark")
    for name in ("ink", "soft"):
        assert contrast(theme[name], theme["paper"]) >= 4.5
    corner = shown.still()[5, 100]
    assert written(corner) == theme["paper"]
    ring, edge = (
        shown.run(f"getComputedStyle(document.querySelector('.easydyn')).getPropertyValue('--{x}')")
        for x in ("ring", "edge")
    )
    assert contrast(ring, theme["paper"]) >= 3 and contrast(edge, theme["paper"]) >= 3
    assert shown.console == []
    shown.close()


def test_a_page_turns_dark_while_it_is_shown(browser, pages):
    shown = browser.open(pages["animation"])
    before = shown.still()
    shown.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    shown.until(f"{P}.theme.dark")
    after = shown.still()
    assert (before.mean(axis=-1) > 200).mean() > 0.8 and (after.mean(axis=-1) < 80).mean() > 0.8
    shown.close()


def test_who_wants_little_motion_gets_little(browser, pages):
    """Nothing moves by itself, and what is started ends: again and again has to be asked for."""
    for wish, again in (("no-preference", True), ("reduce", False)):
        shown = browser.open(pages["animation"], media={"prefers-reduced-motion": wish})
        shown.settle()
        assert shown.run(f"[{P}.state.loop, {P}.state.playing, {P}.time()]") == [again, False, 0]
        assert shown.run(f"{P}.controls.loop.getAttribute('aria-pressed')") == str(again).lower()
        shown.run(f"{P}.go(145)")
        shown.key(" ")
        shown.until(f"{P}.state.at < 100" if again else f"!{P}.state.playing")
        assert shown.run(f"{P}.state.playing") == again
        shown.close()
    style = (PLAYER.parent / "player.css").read_text(encoding="utf-8")
    assert "transition" not in style and "animation" not in style and "scroll-behavior" not in style


def test_fingers_do_what_the_mouse_does(browser, pages):
    shown = browser.open(pages["animation"], width=420, height=800)
    shown.send("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    shown.settle()
    sizes = shown.run("[...document.querySelectorAll('button, select')].map((b) => [b.offsetWidth, b.offsetHeight])")
    assert min(map(min, sizes)) >= 24
    left, top, width, height = shown.box("[aria-label=Play]")
    shown.touch([(left + width / 2, top + height / 2)])
    shown.until(f"{P}.time() > 0.1")
    shown.touch([(left + width / 2, top + height / 2)])
    assert not shown.run(f"{P}.state.playing")
    left, top, width, height = shown.box(".easydyn-scrub")
    line = [(left + s * width, top + height / 2) for s in (0.2, 0.4, 0.6, 0.8)]
    shown.touch(line)
    assert 110 < shown.run(f"{P}.state.at") < 130
    left, top, width, height = shown.box(".easydyn-stage")
    middle = np.array([left + width / 2, top + height / 2])
    home = shown.run(f"{P}.view()")
    shown.touch([middle + [10 * k, 0] for k in range(5)])
    assert shown.run(f"{P}.view().azimuth") == pytest.approx(home["azimuth"] - 40 * 0.008)
    shown.touch([middle - [30 + 10 * k, 0] for k in range(4)], [middle + [30 + 10 * k, 0] for k in range(4)])
    assert shown.run(f"{P}.view().zoom") == pytest.approx(0.5, rel=0.02)
    assert shown.console == []
    shown.close()
