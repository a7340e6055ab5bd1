"""A model and a run as a report to read: HTML, LaTeX, PDF or Markdown.

    model.report("report.html", run)

`content` and `results` say what is in it, as a `document`; `naming` and `typeset` make its formulas; `html`, `tex` and
`markdown` write it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from easydyn.errors import EasyDynError, FileError, InputError, MissingDependencyError, ModelError
from easydyn.export.report import html, markdown, tex
from easydyn.export.report.content import Content
from easydyn.export.report.document import Document, Heading, Picture
from easydyn.export.report.mechanism import animation_of, at_the_start, in_motion
from easydyn.export.report.results import results
from easydyn.trajectory import Trajectory
from easydyn.trajectory_files import written

if TYPE_CHECKING:
    from easydyn.model import Model

KINDS = (".html", ".tex", ".pdf", ".md")


def report(
    model: Model,
    path: Any,
    run: Any = None,
    *,
    title: Any = None,
    kinematics: bool = True,
    equations: bool = True,
    figures: Any = (),
) -> Path:
    """Write a report; documented at `Model.report`."""
    place = _place(path)
    if title is not None and (not isinstance(title, str) or not title.strip()):
        raise InputError(f"the title of a report is {title!r}: expected a text.")
    _check_run(model, run)
    extra = _figures(figures)
    if place.suffix == ".pdf" and shutil.which("pdflatex") is None:
        raise MissingDependencyError(
            "a report as PDF needs the program pdflatex, which is not installed: install a LaTeX (TeX Live, MiKTeX), "
            'or write "report.tex" and compile it elsewhere, or "report.html".'
        )
    document = compose(model, run, title, kinematics, equations, extra)
    if place.suffix == ".html":
        return _write(place, html.page(document).encode("utf-8"))
    if place.suffix == ".pdf":
        return _pdf(document, place)
    kind = ".pdf" if place.suffix == ".tex" else ".png"
    names = _save_pictures(document, place, kind)
    text = tex.source(document, names) if place.suffix == ".tex" else markdown.text(document, names)
    return _write(place, text.encode("utf-8"))


def compose(
    model: Model, run: Trajectory | None, title: str | None, kinematics: bool, equations: bool, figures: list[Any]
) -> Document:
    """The report as a document."""
    from easydyn import __version__

    values = dict(model.given_values)
    if run is not None:
        values |= run.parameters
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


def _start(model: Model, run: Trajectory | None, values: dict[str, float | None]) -> dict[str, Any]:
    """Values at the start by name; texts where they depend on parameters that have no value."""
    m = model.mechanism
    if run is not None:
        names = [c for c in run.columns if c != "t" and not c.endswith(".ddot")]
        return {name: float(run[name][0]) for name in names}
    if any(v is None for v in values.values()):
        return {str(x): "" for x in m.unknowns}
    q, qd = model.initial()
    found: dict[str, Any] = {str(x): float(q[j]) for j, x in enumerate(m.coordinates)}
    found |= {f"{x}.dot": float(qd[j]) for j, x in enumerate(m.coordinates)}
    return found | {str(x): float(qd[j]) for j, x in enumerate(m.states, start=len(m.coordinates))}


def _check_run(model: Model, run: Any) -> None:
    if run is None:
        return
    if not isinstance(run, Trajectory):
        raise InputError(f"run is {run!r}: expected a result, such as run = model.simulate(5), or nothing.")
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
    try:
        text = os.fspath(path)
        if not isinstance(text, str) or not text.strip() or "\0" in text:
            raise TypeError
    except TypeError:
        raise FileError(f'the path is {path!r}: expected the name of a file, such as "report.html".') from None
    found = Path(text)
    if found.suffix.lower() not in KINDS:
        raise FileError(
            f"a report cannot be written as '{found.name}': expected a name that ends in {', '.join(KINDS)}."
        )
    return found.with_suffix(found.suffix.lower())


def _save_pictures(document: Document, place: Path, kind: str) -> dict[int, str]:
    """Save the pictures beside the report; their names by the place of their block."""
    stem = re.sub(r"[^A-Za-z0-9-]+", "-", place.stem).strip("-") or "report"
    names = {k: f"{stem}-{b.name}{kind}" for k, b in enumerate(document.blocks) if isinstance(b, Picture)}
    for k, name in names.items():
        try:
            document.blocks[k].figure.savefig(place.with_name(name), dpi=200)
        except OSError as error:
            raise FileError(
                f"cannot write '{place.with_name(name)}': {error.strerror}. Choose another folder."
            ) from None
    return names


def _write(place: Path, content: bytes) -> Path:
    with written(place) as file:
        file.write(content)
    return place


def _pdf(document: Document, place: Path) -> Path:
    """Compile the report in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        target = folder / "report.tex"
        target.write_text(tex.source(document, _save_pictures(document, target, ".pdf")), encoding="utf-8")
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
        return _write(place, result.read_bytes())
