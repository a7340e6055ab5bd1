"""The paper's figures from the examples: one picture each, or all with `python -m easydyn figures FOLDER`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from easydyn import Trajectory
from easydyn.examples import MODELS


def axes(ax: Any, ylabel: str, xlabel: str = "t [s]") -> Any:
    """The axes given, or those of a new figure, with labels and a grid."""
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(layout="constrained")[1]
    ax.set_xlabel(xlabel)
    ax.set_ylabel(ylabel)
    ax.grid(True, alpha=0.3)
    return ax


def second_axis(ax: Any, ylabel: str, times: Any, values: Any, label: str, legend: str = "best") -> None:
    """A curve of another unit on an axis of its own at the right, in the legend of the first."""
    right = ax.twinx()
    right.plot(times, values, "--", color="C3", label=label)
    right.set_ylabel(ylabel, color="C3")
    right.tick_params(axis="y", colors="C3")
    lines = [*ax.lines, *right.lines]
    ax.legend(lines, [line.get_label() for line in lines], loc=legend)


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
