"""Make the course as a web site that needs no installation: JupyterLite, with Python itself in the reader's browser.

    python notebooks/lite.py FOLDER                     the site
    python -m http.server --directory FOLDER            look at it: http://localhost:8000
    python notebooks/lite.py FOLDER --pyodide PLACE     with Pyodide (Python for browsers) in the site as well

All notebooks, all exercises as notebooks, and the documents are in it, and easydyn as a wheel, made from this folder.
FOLDER may be copied to any server of plain files. Without --pyodide the reader's browser fetches Pyodide, with NumPy,
SciPy, SymPy and Matplotlib, from the public server of that project; with it the site is complete (docs/browser.md).
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from build import build, sources

ROOT = Path(__file__).resolve().parent.parent
NEEDED = ("jupyterlite_core", "jupyterlite_pyodide_kernel", "jupyter_server", "jupytext")
# What the kernel loads and Pyodide does not have; otherwise every reader's browser would ask PyPI for it.
BESIDE = ("comm",)

INSTALL = "# easydyn, into this page; the first time it takes half a minute\n%pip install -q easydyn"
CHECK = 'import easydyn\n\neasydyn.exercise("{number}", globals())  # hints=2 shows two hints'
HOW = (
    "Replace every `...` below and run each cell (Shift+Enter), then the last one, as often as you like: it checks "
    "your work. What you write is kept in this browser."
)
CONFIGURATION = {"jupyter-lite-schema-version": 0, "jupyter-config-data": {"appName": "easydyn"}}
FOR_SERVERS = "jupyterlab-jupytext"  # an extension that comes with jupytext, and has nothing to do here
SETTINGS = {"@jupyterlab/docmanager-extension:plugin": {"defaultViewers": {"markdown": "Markdown Preview"}}}


def markdown(text: str) -> dict[str, Any]:
    """A cell of text."""
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def code(text: str) -> dict[str, Any]:
    """A cell of Python."""
    return {"cell_type": "code", "metadata": {}, "source": text, "outputs": [], "execution_count": None}


def write(path: Path, cells: list[dict[str, Any]]) -> Path:
    """Write a notebook of these cells, for the kernel that JupyterLite has."""
    kernel = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}
    numbered = [{**cell, "id": f"cell-{k}"} for k, cell in enumerate(cells)]
    notebook = {"cells": numbered, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook, indent=1) + "\n", encoding="utf-8")
    return path


def linked(text: str, page: str, there: set[str]) -> str:
    """Text of a page whose links lead to what is there: notebooks for their sources, and plain words for the rest."""

    def one(link: re.Match[str]) -> str:
        label, target = link[1], link[2]
        if "://" in target or target.startswith(("#", "mailto:", "attachment:")):
            return link[0]
        target, _, anchor = target.partition("#")
        target = re.sub(r"(exercises/\d\d_\w+)/README\.md$", r"\1.ipynb", target)
        target = re.sub(r"(\d\d_\w+)\.py$", r"\1.ipynb", target)
        if os.path.normpath(os.path.join(os.path.dirname(page), target)).replace(os.sep, "/") not in there:
            return label
        return f"[{label}]({target}{'#' * bool(anchor)}{anchor})"

    return re.sub(r"\[([^][\n]*(?:\n[^][\n]+)?)\]\(([^()\s]+)\)", one, text)


def mend_links(folder: Path) -> None:
    """In all pages and all notebooks of a folder."""
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
    for path in [*folder.rglob("*.md"), *folder.rglob("*.ipynb")]:
        page, text = path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8")
        if path.suffix == ".md":
            path.write_text(linked(text, page, there), encoding="utf-8")
            continue
        cells = json.loads(text)["cells"]
        for cell in cells:
            if cell["cell_type"] == "markdown":
                cell["source"] = linked(cell["source"], page, there)
        write(path, cells)


def lesson(source: Path, folder: Path) -> Path:
    """A notebook of the course; its first cell of Python is preceded by one that installs easydyn."""
    path = build(source, folder)
    cells: list[dict[str, Any]] = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "code" and not any(one["cell_type"] == "code" for one in cells):
            cells.append(code(INSTALL))
        cells.append(code(text) if cell["cell_type"] == "code" else markdown(text))
    return write(path, cells)


def exercise(source: Path, folder: Path) -> Path:
    """An exercise as a notebook: the statement, a cell for each part of the script, and one that checks them."""
    statement = (source / "README.md").read_text(encoding="utf-8")
    statement = re.sub(r"\n\nWork in `exercise\.py`.*?(?=\n\n|\Z)", "", statement, flags=re.DOTALL).rstrip()
    first, sketch = markdown(statement.replace("](sketch.png)", "](attachment:sketch.png)")), source / "sketch.png"
    if sketch.is_file():  # in the cell itself: JupyterLab asks the server for a file first, and finds none there
        first["attachments"] = {"sketch.png": {"image/png": base64.b64encode(sketch.read_bytes()).decode("ascii")}}
    number = source.name[:2]
    script = (source / "exercise.py").read_text(encoding="utf-8").split("\nif __name__")[0]
    script = re.sub(r'\A""".*?"""\s*', "", script, flags=re.DOTALL)
    parts = [part.strip() for part in re.split(r"^(?=# \d+\. )", script, flags=re.MULTILINE)]
    cells = [first, markdown(HOW), code(INSTALL)]
    cells += [code(part) for part in parts if part] + [code(CHECK.format(number=number))]
    return write(folder / f"{source.name}.ipynb", cells)


def start_page(lessons: list[Path], exercises: list[Path]) -> str:
    """The first page: where to begin, and everything there is."""
    first = {path: json.loads(path.read_text(encoding="utf-8"))["cells"][0] for path in lessons + exercises}
    heading = {path: cell["source"].splitlines()[0].lstrip("# ") for path, cell in first.items()}
    rows = [
        "# easydyn: dynamics of multibody systems",
        "Nothing has to be installed: Python runs in this page. Open a notebook with a click, run its cells from top "
        "to bottom with Shift+Enter. The first cell of each loads easydyn. What you change is kept in this browser, "
        "and nowhere else: *File*, *Download* takes it away.",
        "Equations are evaluated by Python here, not by machine code: runs take longer than on your own machine.",
        "## Notebooks",
        "\n".join(f"- [{heading[path]}](notebooks/{path.name})" for path in lessons),
        "## Exercises",
        "\n".join(f"- [{heading[path]}](exercises/{path.name})" for path in exercises),
        "## Documents",
        "- [Conventions](docs/conventions.md): frames, order of products, inertia, units, signs\n"
        "- [All documents](docs/README.md)",
    ]
    return "\n\n".join(rows) + "\n"


def contents(folder: Path) -> Path:
    """Fill a folder with what a reader finds: START.md, notebooks, exercises, docs."""
    for name in ("notebooks", "exercises"):
        (folder / name).mkdir(parents=True)
    lessons = [lesson(source, folder / "notebooks") for source in sources([])]
    scripts = sorted(path.parent for path in (ROOT / "exercises").glob("[0-9][0-9]_*/exercise.py"))
    tasks = [exercise(source, folder / "exercises") for source in scripts]
    for page in [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("pictures/*.png")]:
        target = folder / page.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page, target)
    (folder / "START.md").write_text(start_page(lessons, tasks), encoding="utf-8")
    mend_links(folder)
    return folder


def wheels(folder: Path) -> list[Path]:
    """Wheels for the site: easydyn as it is in this folder, and what stands in BESIDE."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    subprocess.run([*pip, "--wheel-dir", str(folder), str(ROOT), *BESIDE], check=True)
    return sorted(folder.glob("*.whl"))


def site(target: Path, pyodide: str | None = None) -> Path:
    """Build the site into a folder, which is new or empty or was made by this before."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        sys.exit(f'this needs {", ".join(missing)}: python -m pip install ".[lite]" in the clone.')
    if target.exists() and any(target.iterdir()) and not (target / "jupyter-lite.json").exists():
        sys.exit(f"'{target}' has other things in it: choose a new folder.")
    if pyodide is not None and "://" not in pyodide:
        if not Path(pyodide).exists():
            sys.exit(f"there is no '{pyodide}': expected a folder or an archive of Pyodide, or its address.")
        if Path(pyodide).is_dir() and not (Path(pyodide) / "pyodide-lock.json").is_file():
            sys.exit(f"'{pyodide}' is no Pyodide: there is no pyodide-lock.json in it.")
    if target.exists():
        shutil.rmtree(target)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        contents(work / "files")
        (work / "overrides.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
        (work / "jupyter-lite.json").write_text(json.dumps(CONFIGURATION), encoding="utf-8")
        options = [f"--lite-dir={work}", f"--contents={work / 'files'}", f"--output-dir={target.resolve()}"]
        options += [f"--piplite-wheels={wheel}" for wheel in wheels(work)]
        options += ["--apps=lab", "--apps=notebooks", "--no-sourcemaps", "--no-libarchive", "--log-level=WARN"]
        if pyodide is not None and Path(pyodide).is_dir():
            shutil.copytree(pyodide, work / "static" / "pyodide")
        elif pyodide is not None:
            options.append(f"--pyodide={pyodide}")
        command = [sys.executable, "-m", "jupyterlite_core", "build", *options]
        done = subprocess.run(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(f"{done.stdout}\nJupyterLite could not build the site; its own words stand above.")
    settings = json.loads((target / "jupyter-lite.json").read_text(encoding="utf-8"))
    data = settings["jupyter-config-data"]
    data["federated_extensions"] = [one for one in data["federated_extensions"] if one["name"] != FOR_SERVERS]
    (target / "jupyter-lite.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    shutil.rmtree(target / "extensions" / FOR_SERVERS, ignore_errors=True)
    return target


def main() -> None:
    """Build what the command line asks for."""
    about, _, _ = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("folder", type=Path, help="where to write the site")
    default = os.environ.get("JUPYTERLITE_PYODIDE_URL")
    parser.add_argument("--pyodide", metavar="PLACE", default=default, help="a folder, an archive or its address")
    given = parser.parse_args()
    made = site(given.folder, given.pyodide)
    size = sum(path.stat().st_size for path in made.rglob("*") if path.is_file()) / 2**20
    print(f"wrote {made} ({size:.0f} MB). To look at it:  python -m http.server --directory {made}")
    print("then open http://localhost:8000/lab/index.html?path=START.md")


if __name__ == "__main__":
    main()
