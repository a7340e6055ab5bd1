"""Make the .ipynb notebooks from their sources, which are the NN_name.py files beside this one.

    python notebooks/build.py                  all of them, without outputs
    python notebooks/build.py 00 03            some
    python notebooks/build.py --execute        with outputs: what a lecturer hands out

The sources are in Jupytext's percent format. The .ipynb files are not kept under version control.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent


def sources(names: list[str]) -> list[Path]:
    """The sources whose file names begin with one of `names`, or all; SystemExit where there is none."""
    found = sorted(p for p in FOLDER.glob("[0-9][0-9]_*.py") if not names or p.name.startswith(tuple(names)))
    if not found:
        sys.exit(f"no notebook {', '.join(names)} in {FOLDER}: expected numbers such as 00 or 03.")
    return found


def build(source: Path, folder: Path, *, execute: bool = False) -> Path:
    """Write one notebook into a folder, executed there if wanted; returns its path."""
    try:
        import jupytext
    except ImportError:
        sys.exit('making notebooks needs jupytext: python -m pip install ".[notebook]" in the clone.')
    notebook: Any = jupytext.read(source)
    if execute:
        from nbclient import NotebookClient

        os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"  # pictures go into the notebook
        NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}}).execute()
    path = folder / f"{source.stem}.ipynb"
    jupytext.write(notebook, path)
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
