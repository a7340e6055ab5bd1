"""A model and a run as a report to read: HTML, LaTeX, PDF or Markdown.

    model.report("report.html", run)

`content` and `results` make the contents as a `document`; `naming` and `typeset` make the formulas; `html`, `tex` and
`markdown` write the file.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from easydyn.errors import EasyDynError, FileError, InputError, MissingDependencyError, ModelError
from easydyn.export.report import html, markdown, tex
from easydyn.export.report.content import Content
from easydyn.export.report.document import Document, Heading, Picture
from easydyn.export.report.results import animation_of, at_the_start, in_motion, results
from easydyn.files import path_to, write_text, written
from easydyn.inputs import a, flag
from easydyn.inputs import text as title_text
from easydyn.result.trajectory import Trajectory
from easydyn.sim.progress import waiting

KINDS = (".html", ".tex", ".pdf", ".md")
ROUNDING = 1e-13  # of the largest value of a run: what is below that at its start is zero


def report(
    model: Any, path: Any, run: Trajectory | None = None, *, title: str | None = None, kinematics: bool = True,
    equations: bool = True, figures: Any = (),
) -> Path:  # fmt: skip
    """Write a report: bodies and data, transforms, kinematics, equations, sizes, results and plots of a run.

    Parameters
    ----------
    path : str or Path
        The file to write. Its ending selects the format: ".html" is one file that needs no network, ".tex" needs a
        plain LaTeX installation, ".pdf" needs pdflatex, ".md" is Markdown. With ".tex" and ".md" the pictures are
        files in the same folder.
    run : Trajectory, optional
        A run of this model.
    title : str, optional
        The name of the model if left out.
    kinematics, equations : bool
        Whether velocities and accelerations of the bodies, and the equations of motion, are written out.
    figures : matplotlib axes or figures, optional
        Your own pictures, placed at the end: `[run.plot("q1.dot", x="q1")]`.

    Returns
    -------
    Path
        Path of the file.

    Raises
    ------
    FileError, InputError, ModelError, MissingDependencyError
        Another ending, a file that cannot be written, a run of another model, no pdflatex for ".pdf".

    Example
    -------
    >>> from tempfile import TemporaryDirectory
    >>> from easydyn import examples
    >>> with TemporaryDirectory() as folder:
    ...     examples.double_pendulum().report(f"{folder}/report.html").name
    'report.html'
    """
    place = _place(path)
    if title is not None:
        title_text(title, "the title of a report")
    kinematics, equations = flag(kinematics, "kinematics"), flag(equations, "equations")
    _check_run(model, run)
    extra = _figures(figures)
    if place.suffix == ".pdf" and shutil.which("pdflatex") is None:
        raise MissingDependencyError(
            "a report as PDF needs the program pdflatex, which is not installed: install a LaTeX (TeX Live, MiKTeX), "
            'or write "report.tex" and compile it elsewhere, or "report.html".'
        )
    document = compose(model, run, title, kinematics, equations, extra)
    if place.suffix == ".html":
        return write_text(place, html.page(document))
    if place.suffix == ".pdf":
        return _pdf(document, place)
    names = _names(document, place, ".pdf" if place.suffix == ".tex" else ".png")
    text = tex.source(document, names) if place.suffix == ".tex" else markdown.text(document, names)
    return _save(document, place, text, names)


@waiting("the report is written")
def compose(
    model: Any, run: Trajectory | None, title: str | None, kinematics: bool, equations: bool, figures: list[Any]
) -> Document:
    """The report as a document."""
    from easydyn import __version__

    values = {**model.given_values, **({} if run is None else run.parameters)}
    document = Document(title or model.name, f"Written by easydyn {__version__}. SI units, angles in radians.")
    animation = animation_of(run)
    document.blocks.extend(at_the_start(model, animation, values))
    document.blocks.extend(Content(model, values, _start(model, run, values), kinematics, equations).blocks())
    if run is not None:
        document.blocks.extend(results(run, list(in_motion(animation))))
    if figures:
        document.blocks.append(Heading("Figures"))
        document.blocks.extend(figures)
    return document


def _start(model: Any, run: Trajectory | None, values: dict[str, float | None]) -> dict[str, Any]:
    """Values at the start by name; texts where they depend on parameters that have no value."""
    m = model.mechanism
    if run is not None:
        names = [c for c in run.columns if c != "t" and not c.endswith(".ddot")]
        columns = ((name, run[name]) for name in names)
        return {name: float(x[0]) if abs(x[0]) > ROUNDING * np.abs(x).max() else 0.0 for name, x in columns}
    if any(v is None for v in values.values()):
        return {str(x): "" for x in m.unknowns}
    q, qd = model.initial()
    if model.constraints:
        q, qd = model.solver.closed(None, model.values())[0].start(q, qd, 0)
    return {s.name: float((q, qd)[s.order][s.column]) for s in m.signals.values() if s.slot in ("q", "qd")}


def _check_run(model: Any, run: Any) -> None:
    if run is None:
        return
    a(Trajectory, run, "run", "a result, such as run = model.simulate(5), or nothing")
    if tuple(run.names) != tuple(model.names):
        raise ModelError(
            f"the run has the unknowns {', '.join(run.names)}, model '{model.name}' {', '.join(model.names)}: not the "
            "same one. Give a run of this model."
        )


def _figures(figures: Any) -> list[Picture]:
    """Pictures of the user's own: figures or axes of matplotlib, panels, alone or in a list."""
    given = list(figures) if isinstance(figures, list | tuple) and not hasattr(figures, "figure") else [figures]
    found = []
    for k, each in enumerate(given, start=1):
        figure = each if hasattr(each, "savefig") else getattr(each, "figure", None)
        if not hasattr(figure, "savefig"):
            raise InputError(f"figures holds {each!r}: expected figures or axes of matplotlib, as run.plot gives them.")
        found.append(Picture(figure, f"figure{k}", f"Figure {k}."))
    return found


def _place(path: Any) -> Path:
    found = path_to(path, '"report.html"')
    if found.suffix.lower() not in KINDS:
        raise FileError(
            f"a report cannot be written as '{found.name}': expected a name that ends in {', '.join(KINDS)}."
        )
    return found.with_suffix(found.suffix.lower())


def _names(document: Document, place: Path, kind: str) -> dict[int, str]:
    """The files of the pictures of a report, by the places of their blocks."""
    stem = re.sub(r"[^A-Za-z0-9-]+", "-", place.stem).strip("-") or "report"
    return {k: f"{stem}-{b.name}{kind}" for k, b in enumerate(document.blocks) if isinstance(b, Picture)}


def _save(document: Document, place: Path, text: str, names: dict[int, str]) -> Path:
    """Write a report and its pictures; none of them takes its place before all are whole."""
    with ExitStack() as files:
        files.enter_context(written(place, text=True)).write(text)
        for k, name in names.items():
            file = files.enter_context(written(place.with_name(name)))
            document.blocks[k].figure.savefig(file, dpi=200, format=Path(name).suffix[1:])
    return place


def _pdf(document: Document, place: Path) -> Path:
    """Compile the report in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        target = folder / "report.tex"
        names = _names(document, target, ".pdf")
        _save(document, target, tex.source(document, names), names)
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "report.tex"]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=120, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise EasyDynError(f"pdflatex did not come to an end: {error}. Write a .tex, and compile it.") from None
        result = folder / "report.pdf"
        if done.returncode or not result.exists():
            said = [line for line in done.stdout.decode("utf-8", "replace").splitlines() if line.startswith("!")]
            raise EasyDynError(
                f"pdflatex failed ({said[0] if said else 'without a word'}): write a .tex instead, and compile it to "
                "see where."
            )
        with written(place) as file:
            file.write(result.read_bytes())
        return place
