"""The paper's figures from the examples: one picture each, or all with `python -m easydyn figures FOLDER`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from easydyn import Trajectory
from easydyn.examples import MODELS


def module_of(name: str) -> Any:
    """The module of a model, with its `simulate`, `draw` and PICTURES."""
    return import_module(f"easydyn.examples.{MODELS[name]}")


def pictures(name: str, folder: Path, run: Trajectory | None = None) -> Iterator[Path]:
    """Draw the figures of one model into PNG files."""
    from matplotlib import pyplot

    module = module_of(name)
    run = run or module.simulate()
    for picture, title in module.PICTURES.items():
        ax = module.draw(run, picture)
        ax.set_title(f"{run.title}, {title}")
        path = folder / f"{name}_{picture}.png"
        ax.figure.savefig(path, dpi=120)
        pyplot.close(ax.figure)
        yield path


def main(name: str) -> None:
    """Draw the figures of one model into the present folder, or that named on the command line."""
    import matplotlib

    matplotlib.use("Agg")
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    for path in pictures(name, folder):
        print(path)
