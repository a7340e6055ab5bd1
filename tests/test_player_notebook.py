"""Two players in a notebook that has been run and exported to HTML, opened in a real browser without a network.

The page that nbconvert writes asks a server for RequireJS and MathJax; there is none, and the browser says so in its
console. Nothing else may be said there, and in the frames of the players nothing at all.
"""

import json
import re

import numpy as np
import pytest

pytestmark = pytest.mark.browser

CELLS = (
    "from easydyn import examples",
    "examples.double_pendulum().simulate(3, save_every=0.01).animate()",
    "examples.slider_crank(motor=True).simulate(2, save_every=0.01).animate()",
)
P = "document.querySelector('.easydyn').easydyn"


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The page of the notebook, run and exported with nbconvert's own template."""
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    pytest.importorskip("nbclient", reason="nbclient is not installed")
    nbconvert = pytest.importorskip("nbconvert", reason="nbconvert is not installed")
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    path = tmp_path_factory.mktemp("notebook") / "two players.html"
    path.write_text(nbconvert.HTMLExporter().from_notebook_node(book)[0], encoding="utf-8")
    return path


def template():
    """What nbconvert writes of a notebook without anything in it."""
    import nbformat
    from nbconvert import HTMLExporter

    return HTMLExporter().from_notebook_node(nbformat.v4.new_notebook())[0]


def state(frame):
    return frame.run(f"[{P}.time(), {P}.state.playing, JSON.stringify({P}.view())]")


def test_two_players_in_an_exported_notebook(exported, browser):
    shown = browser.open(exported, width=1000, height=1200)
    frames = browser.frames(shown, 2)
    assert sorted(frames) == ["double pendulum", "slider-crank"]
    pendulum, crank = frames["double pendulum"], frames["slider-crank"]

    def place(title, selector, across=0.5, down=0.5):
        """A point of a player, in pixels of the whole page."""
        left, top, *_ = shown.box(f"iframe[title={json.dumps(title)}]")
        x, y, w, h = frames[title].box(selector)
        return left + x + across * w, top + y + down * h

    def click(title, selector):
        shown.drag(place(title, selector), place(title, selector))

    before = shown.still()
    assert state(pendulum)[:2] == state(crank)[:2] == [0, False]
    click("double pendulum", "[aria-label=Play]")
    pendulum.until(f"{P}.time() > 0.4")
    assert state(crank) == [0, False, state(crank)[2]]  # the other one stays
    click("double pendulum", "[aria-label=Pause]")
    after = shown.still()
    edge = round(shown.box("iframe[title=slider-crank]")[1])
    assert np.array_equal(after[edge:], before[edge:]) and not np.array_equal(after[:edge], before[:edge])

    stopped, view = state(pendulum), state(crank)[2]
    shown.drag(place("slider-crank", ".easydyn-stage"), place("slider-crank", ".easydyn-stage", 0.7, 0.6))
    shown.key("End")  # goes to the one that was touched last
    crank.until(f"{P}.time() > 1.99")
    assert state(crank)[2] != view and state(pendulum) == stopped

    assert pendulum.console == [] and crank.console == []
    foreign = [json.loads(text).get("entry", {}) for text in shown.console]
    asked = {address.split("/")[2] for address in re.findall(r'<script src="(https://[^"]+)"', template())}
    assert asked and all(e["source"] == "network" and e["url"].split("/")[2] in asked for e in foreign), foreign
