"""The report of every example, in every format: it compiles, nothing leaves the page, no number is noise.

A report is composed once and written four times. The pictures of the double pendulum are real ones, those of the others
are stood in for, as drawing them takes the longest; what LaTeX says is read, and a browser measures the HTML.
"""

import io
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import sympy
from matplotlib import figure as figures
from matplotlib import image, pyplot
from test_report import PDFLATEX, Tags

from easydyn import examples
from easydyn.examples.figures import module_of
from easydyn.export import report
from easydyn.export.report.document import Formulas, Heading, Picture, Table
from easydyn.export.report.results import animation_of, at_the_start
from easydyn.visu import picture

compose = report.compose


@pytest.fixture(scope="module")
def stand_ins():
    """A small picture as .png and as .pdf."""
    drawn, found = pyplot.figure(figsize=(3, 2)), {}
    for kind in ("png", "pdf"):
        data = io.BytesIO()
        drawn.savefig(data, format=kind)
        found[kind] = data.getvalue()
    pyplot.close(drawn)
    return found


@pytest.fixture(scope="module")
def written(tmp_path_factory, stand_ins):
    """`written(name)` is the folder, the document, and what LaTeX said; each example is reported once."""
    known = {}

    def write(name):
        if name in known:
            return known[name]
        folder, said, composed = tmp_path_factory.mktemp(name), [], []
        run = module_of(name).simulate()
        model = getattr(examples, name)()

        def save(self, target, **options):
            kind = options.get("format") or Path(target).suffix[1:]
            target.write(stand_ins[kind]) if hasattr(target, "write") else Path(target).write_bytes(stand_ins[kind])

        def once(*given):
            composed.extend([] if composed else [compose(*given)])
            return composed[0]

        def heard(*words, **options):
            done = subprocess_run(*words, **options)
            said.append(done)
            return done

        def first(animation, at, beside, ax):  # the mechanism at the start is drawn, those in motion are not
            instants.append(at)
            return moving(animation, at, beside, ax) if len(instants) == 1 else ax

        instants = []
        subprocess_run, moving = subprocess.run, picture.moving
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(report, "compose", once)
            patch.setattr(report.subprocess, "run", heard)
            if name != "double_pendulum":
                patch.setattr(figures.Figure, "savefig", save)
                patch.setattr(picture, "moving", first)
            for kind in ("html", "md", "tex") + (("pdf",) if shutil.which("pdflatex") else ()):
                path = model.report(folder / f"report.{kind}", run)
                assert path.stat().st_size > 3000
        assert len(composed) == 1 and not pyplot.get_fignums()
        known[name] = folder, composed[0], said
        return known[name]

    return write


LONG = ("falling_chain", "quadrotor", "robot_r3", "seven_axis_arm")
EVERY = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name in LONG else ()) for name in examples.MODELS]
)


@pytest.mark.one_in(20)
@EVERY
def test_every_example_is_reported_with_pictures_of_it(name, written):
    folder, document, _ = written(name)
    pictures = [block for block in document.blocks if isinstance(block, Picture)]
    names = [picture.name for picture in pictures]
    assert names[:2] == ["mechanism", "motion"] and "steps" in names and any(x.startswith("rates") for x in names)
    headings = [block.text for block in document.blocks if isinstance(block, Heading)]
    for heading in ("Bodies", "Equations of motion", "Sizes", "Results", "What the run cost"):
        assert heading in headings

    told = {str(x) for x in getattr(examples, name)().symbols}
    for formula in (x for block in document.blocks if isinstance(block, Formulas) for x in block.formulas):
        parts = [part for line in formula.lines for part in getattr(line, "parts", [line])]
        if str(formula.left).startswith("T_"):  # its names are those of the model, or stand above
            assert {str(s) for x in parts for s in getattr(x, "free_symbols", ())} <= told
        told.add(str(formula.left))

    page = (folder / "report.html").read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(page)
    assert not tags.open and len(tags.sources) == len(pictures) and "The mechanism at the start." in page
    text = (folder / "report.md").read_text(encoding="utf-8")
    for kind, linked in (
        (".png", re.findall(r"!\[.*?\]\((.*?)\)", text)),
        (".pdf", re.findall(r"\\includegraphics\[.*?\]\{(.*?)\}", (folder / "report.tex").read_text(encoding="utf-8"))),
    ):
        assert [f"report-{x}{kind}" for x in names] == linked and all((folder / x).stat().st_size > 500 for x in linked)
    assert text.count("$$") % 2 == 0 and text.count(r"\begin{aligned}") == text.count(r"\end{aligned}")


@pytest.mark.one_in(20)
@EVERY
def test_no_number_is_noise(name, written):
    """In tables rounding errors are zero, and powers of ten are written as such."""
    folder, document, _ = written(name)
    numbers = 0
    for block in document.blocks:
        if isinstance(block, Table):
            for line in block.rows:
                if line[0] == "shortest step [s]":  # to an event just after the start: as short as it was
                    continue
                for cell in line:
                    for part in cell if isinstance(cell, tuple) else (cell,):
                        if isinstance(part, str):
                            assert not re.search(r"\de[-+]\d", part), line
                        else:
                            found = list(floats(part.tree))
                            numbers += len(found)
                            assert all(x == 0 or abs(x) >= 1e-10 for x in found), line
    assert numbers > 10
    plain = re.sub(r"base64,[^\"]*", "", (folder / "report.html").read_text(encoding="utf-8"))
    assert not re.search(r"\d\.\d*e-?\d", plain) and "nan" not in re.sub(r"<.*?>", " ", plain).split()


def floats(tree):
    """The numbers in a formula."""
    parts = tree if isinstance(tree, tuple) else [tree]
    for part in parts:
        if isinstance(part, tuple):
            yield from floats(part)
        elif not isinstance(part, str):
            yield from map(float, sympy.sympify(part).atoms(sympy.Number))


@pytest.mark.long
@pytest.mark.one_in(5)
@PDFLATEX
@EVERY
def test_latex_has_nothing_to_complain_of(name, written):
    folder, _, said = written(name)
    (done,) = said
    log = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, log[-2000:]
    wide = [float(x) for x in re.findall(r"Overfull \\hbox \(([0-9.]+)pt too wide\)", log)]
    tall = [float(x) for x in re.findall(r"Overfull \\vbox \(([0-9.]+)pt too high\)", log)]
    assert max(wide, default=0) < 2 and max(tall, default=0) < 2
    assert "Missing character" not in log and "Undefined" not in log and "LaTeX Warning" not in log
    pages = int(re.search(r"Output written on report.pdf \((\d+) pages?", log)[1])
    # of 27 unknowns and 13 bodies; of matrices of 7 rows; of nine coordinates with six constraints; of twelve bars
    most = {"robot_r3": 25, "seven_axis_arm": 20, "benchmark_bicycle": 25, "walking_legs": 17}
    assert 3 <= pages <= most.get(name, 15)
    assert (folder / "report.pdf").read_bytes().startswith(b"%PDF")


MEASURES = """(() => {
  const wide = document.documentElement.clientWidth, formulas = [...document.querySelectorAll("math")];
  const boxes = formulas.map((m) => m.getBoundingClientRect());
  return {
    page: document.documentElement.scrollWidth - wide,
    empty: boxes.filter((b) => b.width < 2 || b.height < 4).length,
    outside: boxes.filter((b) => b.right > wide || b.left < 0).length,
    scrolled: [...document.querySelectorAll(".eqs, .short")].filter((e) => e.scrollWidth > e.clientWidth + 1).length,
    formulas: formulas.length,
    pictures: [...document.images].filter((i) => i.naturalWidth > 50 && i.alt).length,
    native: getComputedStyle(formulas[0]).display,
  };
})()"""


@pytest.mark.one_in(20)
@EVERY
def test_a_browser_shows_the_whole_report(name, written, browser):
    folder, document, _ = written(name)
    shown = browser.open(folder / "report.html", width=1100, height=800)
    found = shown.run(MEASURES)
    pictures = sum(isinstance(block, Picture) for block in document.blocks)
    assert found.pop("formulas") > 20 and found.pop("pictures") == pictures and "math" in found.pop("native")
    assert not any(found.values()), found
    assert shown.console == []
    shown.close()


# -- the pictures ----------------------------------------------------------------------------------------------------


def pixels(figure, dpi=60):
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=dpi)
    return 255 * image.imread(io.BytesIO(data.getvalue()), format="png")[..., :3]


def of_colour(picture, colour):
    """Share of the pixels that have about the hue of a colour, in light and shade."""
    rgb = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)], dtype=float)
    strength = picture.max(axis=-1, keepdims=True) / rgb.max()
    return float(((np.abs(picture - strength * rgb).max(axis=-1) < 40) & (strength[..., 0] > 0.3)).mean())


@pytest.mark.long
def test_the_mechanism_is_in_its_picture():
    model = examples.slider_crank(motor=True)
    run = model.simulate(1, save_every=0.01)
    animation = animation_of(run)
    (shown_first,) = at_the_start(model, animation, {})
    shown = pixels(shown_first.figure)
    for body in ("crank", "rod", "slider"):
        assert of_colour(shown, animation.scene.colour_of(body)) > 0.001, body
    assert shown_first.caption == "The mechanism at the start. Bodies: crank, rod, slider."
    (shown_first,) = at_the_start(model, None, {})
    assert of_colour(pixels(shown_first.figure), animation.scene.colour_of("rod")) > 0.001
    assert list(at_the_start(model, None, {"m": None})) == []  # it cannot be said where it is
