"""The paper's figures from the examples: `figure(8)` is one of them, `python -m easydyn figures FOLDER` draws all.

Figures 1, 2, 3, 9 and 12 are drawings, 11 and 14 pictures of mechanisms in motion, the others curves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from easydyn import Trajectory
from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.examples import MODELS
from easydyn.files import written
from easydyn.inputs import a
from easydyn.result import plots

__all__ = ["figure"]


def axes(ax: Any, ylabel: str, xlabel: str = "t [s]", **more: Any) -> Any:
    """The axes given, or those of a new figure, with labels and a grid; `more` is for Matplotlib."""
    ax = plots.axes(ax)
    ax.set(xlabel=xlabel, ylabel=ylabel, **more)
    ax.grid(True, alpha=0.3)
    return ax


def second_axis(ax: Any, ylabel: str, times: Any, values: Any, label: str, legend: str = "best") -> None:
    """Draw a curve with another unit on a second axis at the right; it is listed in the legend of the first."""
    right = ax.twinx()
    right.plot(times, values, "--", color="C3", label=label)
    right.set_ylabel(ylabel, color="C3")
    right.tick_params(axis="y", colors="C3")
    lines = [*ax.lines, *right.lines]
    ax.legend(lines, [line.get_label() for line in lines], loc=legend)


def module_of(name: str) -> Any:
    """The module of a model, with its `simulate`, and PICTURES: PLOTS of columns of a run, others by its `draw`."""
    return import_module(f"easydyn.examples.{MODELS[name]}")


def drawn(name: str, picture: str, run: Trajectory, ax: Any = None) -> Any:
    """One of the PICTURES of a model; returns the axes."""
    module = module_of(name)
    columns = getattr(module, "PLOTS", {}).get(picture)
    return module.draw(run, picture, ax) if columns is None else run.plot(*columns, ax=ax)


def numbered() -> dict[int, tuple[str, str]]:
    """The figures of the paper, 1 to 14: number to model and picture."""
    titles = ((name, picture, title) for name in MODELS for picture, title in module_of(name).PICTURES.items())
    found = ((re.match(r"figure (\d+):", title), name, picture) for name, picture, title in titles)
    return {int(number[1]): (name, picture) for number, name, picture in found if number}


@answers
def figure(number: int, run: Trajectory | None = None, ax: Any = None) -> Any:
    """Draw a figure of the paper, 1 to 14; returns axes as `run.plot` does.

    Parameters
    ----------
    number : int
        4 to 8, 10 or 13, as in the paper.
    run : Trajectory, optional
        A run of the model of that figure; the run of the paper if left out.
    ax : matplotlib axes, optional
        Where to draw; a new figure if left out.

    Returns
    -------
    matplotlib axes
        With a title; the figure is not shown here.

    Raises
    ------
    InputError
        A figure without results, or one that the paper does not have.

    Example
    -------
    >>> figure(8).get_ylabel()
    'angles [rad]'
    """
    known = numbered()
    if isinstance(number, bool) or not isinstance(number, int) or number not in known:
        raise InputError(f"figure({number!r}): the figures of the paper are {', '.join(map(str, sorted(known)))}.")
    if run is not None:
        a(Trajectory, run, "run", "a Trajectory")
    name, picture = known[number]
    module = module_of(name)
    ax = drawn(name, picture, run or module.simulate(), ax)
    ax.set_title(f"{name.replace('_', ' ')}, {module.PICTURES[picture]}")
    return ax


def pictures(name: str, folder: Path, run: Trajectory | None = None) -> Iterator[Path]:
    """Draw the figures of one model into PNG files."""
    module = module_of(name)
    run = run or module.simulate()
    for picture, title in module.PICTURES.items():
        ax = drawn(name, picture, run)
        ax.set_title(f"{run.title}, {title}")
        yield _saved(ax.figure, folder / f"{name}_{picture}.png")


def of_the_paper(folder: Path) -> Iterator[Path]:
    """Draw all figures of the paper into PNG files, with one run of each model."""
    runs: dict[str, Trajectory] = {}
    for number, (name, _) in sorted(numbered().items()):
        if name not in runs:
            runs[name] = module_of(name).simulate()
        ax = figure(number, runs[name])
        yield _saved(ax.figure, folder / f"figure_{number:02d}.png")


def _saved(figure: Any, path: Path) -> Path:
    """Save a figure, whole or not at all, and let pyplot forget it."""
    from matplotlib import pyplot

    try:
        with written(path) as file:
            figure.savefig(file, dpi=120, format="png")
    finally:
        pyplot.close(figure)
    return path


def scene_of(name: str) -> Any:
    """The scene that the module of a model without bodies makes; None if the model's own scene is sufficient."""
    module = module_of(name)
    return module.scene() if hasattr(module, "scene") else None
