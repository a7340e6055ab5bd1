"""Make the .ipynb notebooks from their sources, which are the NN_name.py files beside this one.

    python notebooks/build.py                  all of them, without outputs
    python notebooks/build.py 00 03            some
    python notebooks/build.py --execute        with outputs: what a lecturer hands out

The sources are in Jupytext's percent format. The .ipynb files beside them, for those who click, are made by this script
and hold no outputs; a test compares them with the sources. A cell that draws says in words what is seen,
`# %% alt="..."`: the alternative text of its picture. What the tests have executed stays in build/notebooks, with a
fingerprint of all that it was made of: the documentation takes it from there and executes only what has changed since.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
EXECUTED = FOLDER.parent / "build" / "notebooks"


def sources(names: list[str]) -> list[Path]:
    """The sources whose file names begin with one of `names`, or all; SystemExit where there is none."""
    found = sorted(p for p in FOLDER.glob("[0-9][0-9]_*.py") if not names or p.name.startswith(tuple(names)))
    if not found:
        sys.exit(f"no notebook {', '.join(names)} in {FOLDER}: expected numbers such as 00 or 03.")
    return found


def fingerprint(source: Path) -> str:
    """Of the source and of the package: what was executed with the same one need not be executed again."""
    package = FOLDER.parent / "easydyn"
    files = sorted(p for p in package.rglob("*") if p.suffix in (".py", ".js", ".css", ".html"))
    digest = hashlib.sha256(sys.version.encode())
    for file in (source, *files):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def notebook_of(source: Path) -> Any:
    """The notebook of a source, without outputs; the same each time: cells are numbered, and no version is noted."""
    import jupytext

    notebook = jupytext.read(source)
    for k, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{k}"
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"], "language_info": {"name": "python"}}
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def text_of(notebook: Any) -> str:
    """What stands in an .ipynb file."""
    import nbformat

    return str(nbformat.writes(notebook, version=4)).rstrip("\n") + "\n"


def executed(source: Path, folder: Path) -> Any:
    """The notebook with what its cells show, run from top to bottom through a kernel in this folder."""
    from nbclient import NotebookClient

    notebook = notebook_of(source)
    # Pictures go into the notebook, whatever stands in the environment.
    environment = dict(os.environ, MPLBACKEND="module://matplotlib_inline.backend_inline")
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute(env=environment)
    for cell in notebook.cells:
        if "alt" in cell.metadata:
            cell.metadata["mystnb"] = {"image": {"alt": cell.metadata["alt"]}}  # where MyST-NB looks for it
    notebook.metadata["easydyn"] = {"fingerprint": fingerprint(source)}
    return notebook


def keep(notebook: Any, source: Path) -> Path:
    """Write an executed notebook where the documentation looks for it."""
    import nbformat

    EXECUTED.mkdir(parents=True, exist_ok=True)
    path = EXECUTED / f"{source.stem}.ipynb"
    nbformat.write(notebook, path)
    return path


def kept(source: Path) -> Path | None:
    """The executed notebook that was kept, if nothing that it depends on has changed since."""
    import nbformat

    path = EXECUTED / f"{source.stem}.ipynb"
    if not path.exists():
        return None
    notebook = nbformat.read(path, as_version=4)
    return path if notebook.metadata.get("easydyn", {}).get("fingerprint") == fingerprint(source) else None


def fresh(source: Path) -> Path:
    """The executed notebook in build/notebooks: as it is there, or executed now."""
    found = kept(source)
    if found is not None:
        return found
    with tempfile.TemporaryDirectory() as folder:
        return keep(executed(source, Path(folder)), source)


def build(source: Path, folder: Path, *, execute: bool = False) -> Path:
    """Write one notebook into a folder, executed there if wanted; returns its path."""
    if find_spec("jupytext") is None:
        sys.exit('making notebooks needs jupytext: python -m pip install ".[notebook]" in the clone.')
    notebook = executed(source, folder) if execute else notebook_of(source)
    path = folder / f"{source.stem}.ipynb"
    path.write_text(text_of(notebook), encoding="utf-8", newline="\n")
    return path


def main() -> None:
    """Build what the command line asks for."""
    parser = argparse.ArgumentParser(description="Make the .ipynb notebooks from their sources.")
    parser.add_argument("names", nargs="*", metavar="NN", help="numbers of notebooks; all if left out")
    parser.add_argument("--execute", action="store_true", help="run them, and keep what they show")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where to write; beside the sources if left out")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for source in sources(arguments.names):
        print(build(source, arguments.folder, execute=arguments.execute))


if __name__ == "__main__":
    main()
