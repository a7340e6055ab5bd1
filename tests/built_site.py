"""The finished documentation site, looked at in a browser that has no network.

    python start.py docs
    .venv/bin/python -m pytest tests/built_site.py

Not among the tests that always run, because they need what the first command makes; `.ci/run` does both.
"""

import json
import re
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, program

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "build" / "site"
NO_NETWORK = "--host-resolver-rules=MAP * ~NOTFOUND"
LOADED = "performance.getEntriesByType('resource').map(entry => entry.name).filter(name => !name.startsWith('file:'))"

sys.path.insert(0, str(ROOT / "docs" / "site"))
looked_at = pytest.mark.skipif(program() is None, reason="there is no Chromium")


@pytest.fixture(scope="module")
def site():
    assert (SITE / "index.html").exists(), "there is no site: python start.py docs"
    return SITE


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("browser"), NO_NETWORK) as browser:
        yield browser


@pytest.fixture
def opened(site, browser):
    """`opened("index.html", width)`: a page, whose console is empty and which has loaded nothing from elsewhere."""
    pages = []

    def open_page(path, width=1280, height=900):
        file, _, query = path.partition("?")
        target = site / file
        page = browser.open(Address(target.resolve(), query), width, height)
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        assert page.console == [] and page.run(LOADED) == []


class Address:
    """A file with a query behind it."""

    def __init__(self, path, query):
        self.path, self.query = path, query

    def resolve(self):
        return self

    def as_uri(self):
        return self.path.as_uri() + (f"?{self.query}" if self.query else "")


def text_of(path):
    return path.read_text(encoding="utf-8")


def test_nothing_is_wrong_with_its_pages(site):
    import links

    assert links.findings(site) == []


def test_it_is_whole(site):
    """Every page, every notebook with what its cells show, every exercise, every public name with its own anchor."""
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or (site / "docs" / f"{page.stem}.html").exists(), page.name
    notebooks = sorted((site / "notebooks").glob("[0-9]*.html"))
    assert [page.stem for page in notebooks] == sorted(f.stem for f in (ROOT / "notebooks").glob("[0-9]*.py"))
    for page in notebooks:
        text = text_of(page)
        assert "<math" in text and "<iframe" in text and "_images/" in text and "Traceback" not in text, page.name
    statements = sorted(folder.name for folder in (ROOT / "exercises").glob("[0-9]*"))
    assert [page.parent.name for page in sorted((site / "exercises").glob("*/README.html"))] == statements
    reference = "".join(text_of(page) for page in (site / "api").glob("*.html"))
    import api

    for page in api.PAGES:
        for _, names in page.sections:
            for name, _ in api.entries(names):
                assert f'id="{api.full_name(name)}"' in reference, name
    for part in ("Parameters", "Raises", "Attributes", ">>> "):
        assert part.replace(">", "&gt;") in reference
    assert 'id="easydyn.Trajectory.reaction"' in reference and "python -m easydyn exercise" in reference


def test_names_in_the_text_lead_to_the_reference(site):
    text = text_of(site / "docs" / "forces.html")
    for name in ("Spring", "Bushing", "Drag"):
        assert re.search(rf'href="\.\./api/efforts\.html#easydyn\.{name}"', text), name
    assert 'href="../_modules/easydyn/examples/ball.html"' in text_of(site / "docs" / "gallery.html")


def test_every_published_mechanism_moves_in_the_gallery(site):
    text = text_of(site / "docs" / "gallery.html")
    films = sorted((site / "_static" / "mechanisms").glob("*.gif"))
    assert len(films) == 42
    assert all(f'src="../_static/mechanisms/{film.name}"' in text for film in films)
    assert max(film.stat().st_size for film in films) < 75_000


@looked_at
def test_the_first_page(opened):
    page = opened("index.html")
    assert page.run("document.querySelectorAll('.card a').length") >= 12
    assert plays(page, "iframe.film")


@looked_at
@pytest.mark.parametrize(
    "path",
    ["index.html", "docs/from_easydyn.html", "docs/gallery.html", "api/model.html", "notebooks/08_spatial_robot.html"],
)
def test_narrow_screens_need_not_scroll_sideways(opened, path):
    page = opened(path, 400, 800)
    assert page.run("document.scrollingElement.scrollWidth") <= 400


SIZES = """JSON.stringify([...document.querySelectorAll('math')].map(formula => {
    const box = formula.getBoundingClientRect();
    return [formula.querySelector('mfrac, mtable') != null, box.width, box.height];
}))"""


@looked_at
def test_formulas_are_shown_without_a_network(opened):
    """As MathML, drawn by the browser: fractions are higher than letters, numbers of equations stand at the right."""
    page = opened("notebooks/03_dalembert.html")
    sizes = json.loads(page.run(SIZES))
    assert len(sizes) > 30 and all(width > 3 and height > 5 for _, width, height in sizes)
    assert np.median([h for tall, _, h in sizes if tall]) > 1.4 * np.median([h for tall, _, h in sizes if not tall])
    assert page.run("document.querySelectorAll('.formula .number').length") >= 4
    assert "$" not in page.run("document.querySelector('article').innerText")


@looked_at
def test_players_play_in_notebooks(opened):
    assert plays(opened("notebooks/00_ten_minutes.html"), "article iframe")


def plays(page, frame):
    """Whether something is drawn in a frame, in colours, and is drawn elsewhere after Space was pressed there."""
    page.run(f"document.querySelector('{frame}').scrollIntoView({{block: 'center', behavior: 'instant'}})")
    box = json.loads(page.run(f"JSON.stringify(document.querySelector('{frame}').getBoundingClientRect())"))
    left, top, right, bottom = (round(box[side]) for side in ("left", "top", "right", "bottom"))
    corner = {"x": left + 8, "y": max(top, 0) + 8, "button": "left", "clickCount": 1}  # keys go to this frame then
    end = time.monotonic() + 60
    while time.monotonic() < end:
        time.sleep(1)
        before = page.picture()[max(top, 0) : bottom, left:right].astype(int)
        page.mouse("mousePressed", **corner, buttons=1)
        page.mouse("mouseReleased", **corner)
        page.key(" ")
        time.sleep(1)
        after = page.picture()[max(top, 0) : bottom, left:right].astype(int)
        coloured, moved = np.ptp(before, axis=-1) > 60, abs(after - before).max(axis=-1) > 60
        if coloured.sum() > 100 and moved[: len(moved) // 2].sum() > 50:  # not the button alone
            return True
    return False


FOUND = "[...document.querySelectorAll('#search-results ul.search > li > a')].map(a => a.getAttribute('href'))"
EVERYDAY = {  # what is typed, and where one of the first three hits leads (or there)
    "save video": "how_to", "gear": "Gear", "cam": "30_cam|27_shapes|contact", "spring": "Spring",
    "friction": "friction", "quaternion": "quaternion", "robot": "robots", "Euler angles": "attitude",
    "eigenfrequency": "how_to", "PID": "PID", "chaos": "chaos", "inertia tensor": "how_to", "Lagrange": "four_roads",
    "degrees of freedom": "freedoms",
    "slider-crank": "slider_crank", "error singular mass matrix": "errors", "units": "conventions",
    "export MATLAB": "export", "sensor": "how_to", "parameter sweep": "how_to",
}  # fmt: skip


@looked_at
@pytest.mark.parametrize("words", ["newmark", *EVERYDAY])
def test_searching_finds(words, opened):
    page = opened(f"search.html?q={words.replace(' ', '+')}")
    page.until("document.querySelectorAll('#search-results ul.search > li > a').length > 0")
    time.sleep(0.5)  # the others come one after the other
    there = EVERYDAY.get(words, "ewmark").split("|")
    assert any(place in link for link in page.run(FOUND)[:3] for place in there)


PAPER = r"""(() => {
    let element = here, colour;
    do { colour = getComputedStyle(element).backgroundColor; element = element.parentElement; }
    while (element && / 0\)$/.test(colour));
    return colour;
})()"""


@looked_at
def test_dark_pages_can_be_read(opened):
    """Letters stand out by 4.5 to 1 and more, as the guidelines for accessible pages ask."""
    page = opened("docs/theory.html")
    for theme in ("light", "dark"):
        page.run(f"document.body.dataset.theme = '{theme}'")
        page.settle()
        for what in ("article p", "article p a", "article td", ".sidebar-tree a", "article code"):
            page.run(f"window.here = document.querySelector('{what}')")
            letters, paper = page.run("getComputedStyle(here).color"), page.run(PAPER)
            assert contrast(letters, paper) > 4.5, (theme, what, letters, paper)


def contrast(one, other):
    """Of two colours, rgb(r, g, b)."""

    def luminance(colour):
        parts = np.array([float(x) for x in re.findall(r"[\d.]+", colour)[:3]]) / 255
        return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722)

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


MATHML = [
    (r"\dot q_j", "<msub><mover accent=\"true\"><mi>q</mi><mo stretchy=\"false\">˙</mo></mover><mi>j</mi></msub>"),
    (r"\ddot{q}_{1}", "<msub><mover accent=\"true\"><mi>q</mi><mo stretchy=\"false\">¨</mo></mover><mn>1</mn></msub>"),
    (r"\boldsymbol\omega", "<mi>𝛚</mi>"),
    (r"\tfrac12", "<mn>1</mn><mn>2</mn></mfrac>"),
    (r"\sum_{i=1}^n x", "<munderover>"),
    (r"a < b", "<mo>&lt;</mo>"),
    (r"x \sin y", '<mi>x</mi><mspace width="0.1667em" /><mi>sin</mi>'),
    (r"\dot{q} \cos^{2}{\left(q \right)}", '</mover><mspace width="0.1667em" /><msup><mi>cos</mi>'),
    (r"-\sin y", "<mo>−</mo><mi>sin</mi>"),
]  # fmt: skip


@pytest.mark.parametrize("latex, part", MATHML)
def test_formulas_become_mathml(latex, part):
    import mathml

    assert part in mathml.mathml(latex, block=False)


def test_a_formula_that_is_none_is_an_error():
    import mathml
    from docutils.utils.math import MathError

    with pytest.raises(MathError, match="Unknown LaTeX command"):
        mathml.mathml(r"\nonsense{x}", block=True)
