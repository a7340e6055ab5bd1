"""A picture that follows a run during the computation: in a notebook, in a matplotlib window, or in a file.

    model.simulate(600, progress=visu.LiveView("q1", trace="arm"))

There is no server and no thread: the run itself pauses from time to time, and draws its current state.
"""

from __future__ import annotations

import functools
import sys
import time as clock
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import LiveViewWarning, calls_to_user
from easydyn.files import path_to, written
from easydyn.inputs import positive
from easydyn.result import plots
from easydyn.result.trajectory import Trajectory
from easydyn.sim.progress import Bar

SHARE = 0.2  # of the time of a run may go into pictures
PIXELS_PER_INCH = 100
WIDTH, MECHANISM, CURVES = 6.0, 4.0, 1.7  # inches; the last one for each panel
TITLE, AXIS, MARGIN = 0.35, 0.45, 0.9  # inches above, below, and on the left of panels


@answers
class LiveView:
    """A picture of a run during the computation: `model.simulate(600, progress=visu.LiveView())`.

    In a notebook the picture is below the cell, and each new picture replaces it. A script shows it in a matplotlib
    window, if the computer has windows. If it has none, give a `path`; without it only a progress bar appears. Pictures
    take at most a fifth of the time of a run, and do not change its result.

    Parameters
    ----------
    *what : str or expression, optional
        Columns of the run and expressions of the model's symbols, drawn below the mechanism over the time so far.
    every : float, optional
        Minimum real time (s) between two pictures; 0.5 if left out.
    path : str or Path, optional
        A .png file to which each picture is written.
    scene, trace, follow, arrows, colour : optional
        As in `run.animate`.

    Attributes
    ----------
    pictures : int
        The number of pictures that have been drawn.

    Raises
    ------
    InputError, FileError
        `every` is not above zero; `path` is a file of another kind.

    Example
    -------
    >>> from easydyn import examples, visu
    >>> view = visu.LiveView("q1", path="pendulum.png")
    >>> run = examples.double_pendulum().simulate(5, progress=view)
    >>> view.pictures > 0
    True
    """

    def __init__(
        self, *what: Any, every: Any = 0.5, path: Any = None, scene: Any = None, trace: Any = (), follow: Any = None,
        arrows: Any = (), colour: Any = None,
    ):  # fmt: skip
        self.what, self.every = what, positive(every, "every")
        self.path = None if path is None else path_to(path, "pendulum.png", endings=(".png",))
        self.scene, self.options = scene, {"trace": trace, "follow": follow, "arrows": arrows, "colour": colour}
        self.pictures = 0

    def __repr__(self) -> str:
        return f"LiveView({', '.join(map(str, self.what))})"

    @contextmanager
    def follow(self, latest: Callable[[], Trajectory]) -> Iterator[Callable[[float], None]]:
        """Follow one run: yields a function that the run calls with the completed fraction.

        Parameters
        ----------
        latest : callable
            A function that makes a Trajectory of the motion so far.

        Returns
        -------
        context manager
            Within the context, a function of the completed fraction (no unit); its last picture stays.
        """
        watching = _Watching(self, latest)
        try:
            yield watching.report
        finally:
            watching.close()


class _Watching:
    """The pictures of one run."""

    def __init__(self, view: LiveView, latest: Callable[[], Trajectory]):
        self.view, self.latest = view, latest
        self.scene, self.panels = view.scene, 0
        self.figure: Any = None
        self.began = clock.perf_counter()
        self.next, self.drawn = self.began, -1.0
        self.show = _place(view)

    def report(self, fraction: float) -> None:
        """Draw, if it is time to."""
        now = clock.perf_counter()
        if isinstance(self.show, Bar):
            self.show.show(fraction)
        if not callable(self.show) or fraction == self.drawn or (now < self.next and fraction < 1):
            return
        first = self.drawn < 0
        try:
            self.show(self.picture(self.latest(), fraction, now))
        except Exception as error:  # a window that was closed, a full disk, a frame that does not exist
            if first:  # a name that is not there: nothing is lost yet
                raise
            text = f"the live view has ended: {error} The run goes on without it."
            warnings.warn(text, LiveViewWarning, stacklevel=calls_to_user())
            self.show = None
            return
        self.view.pictures += 1
        done = clock.perf_counter()
        self.drawn, self.next = fraction, done + max(self.view.every, (done - now) * (1 / SHARE - 1))

    def picture(self, run: Trajectory, fraction: float, now: float) -> Any:
        """The figure of the motion so far."""
        from easydyn.visu.animation import shown_at
        from easydyn.visu.automatic import scene_of
        from easydyn.visu.motion import states_at

        t = np.unique(run.t)
        if self.figure is None:
            self.panels = plots.units(run, self.view.what) if self.view.what else 0
            self.figure = self.new_figure(seen=run.source is not None)
        for axis in self.figure.axes:
            axis.clear()
        drawn = list(self.figure.axes)
        if self.panels:
            own = drawn[-self.panels :]
            run.plot(*self.view.what, ax=own if self.panels > 1 else own[0])
            own[0].set_title("")
            length = (t[-1] - t[0]) / fraction if fraction > 0 else 0.0
            if length > 0:
                own[0].set_xlim(t[0], t[0] + length)
        if run.source is not None:
            if self.scene is None:
                self.scene = scene_of(run.title or "run", run.source.system, t, *states_at(run, t))
            shown = shown_at(run, t, self.scene, plots=(), **self.view.options)
            self.scene.view = shown.scene.view  # it only grows
            shown.picture(ax=drawn[0])
        left = (now - self.began) * (1 - fraction) / fraction if fraction > 0 else 0.0
        text = f"{run.title or 'run'}: t = {t[-1]:.4g} s, {100 * fraction:.0f} %, {left:.0f} s left"
        drawn[0].set_title(plots.shown_as(text))
        return self.figure

    def new_figure(self, seen: bool) -> Any:
        """A figure with axes for the mechanism, and below it for each unit of what is drawn over the time."""
        from matplotlib.figure import Figure

        heights = [MECHANISM] * seen + [CURVES] * self.panels
        figure = self.show.figure if isinstance(self.show, _Window) else Figure()
        figure.set_size_inches(WIDTH, sum(heights) + TITLE + AXIS * bool(self.panels))
        whole, top, below = figure.get_figheight(), sum(heights) + AXIS * bool(self.panels), None
        for k, height in enumerate(heights):
            top -= height
            if seen and k == 0:
                figure.add_axes((0, top / whole, 1, height / whole))
            else:
                box = (MARGIN / WIDTH, (top + 0.1) / whole, 1 - 1.2 * MARGIN / WIDTH, (height - 0.2) / whole)
                below = figure.add_axes(box, sharex=below)
                below.tick_params(labelbottom=k == len(heights) - 1)
        return figure

    def close(self) -> None:
        """The last picture stays."""
        if isinstance(self.show, Bar):
            self.show.close()


def _place(view: LiveView) -> Any:
    """What shows a figure: a file, the notebook, a window; a bar where there is none of them."""
    if view.path is not None:
        return functools.partial(_write, view.path)
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if hasattr(shell, "kernel"):
        return _Cell()
    window = _Window()
    return window if window.exists else Bar(0.0)


def _write(path: Any, figure: Any) -> None:
    with written(path) as file:
        file.write(plots.png(figure, dpi=PIXELS_PER_INCH))


class _Cell:
    """The output of a cell, in which one picture takes the place of the last one."""

    def __init__(self) -> None:
        self.handle: Any = None

    def __call__(self, figure: Any) -> None:
        from IPython.display import Image, display

        image = Image(plots.png(figure, dpi=PIXELS_PER_INCH))
        if self.handle is None:
            self.handle = display(image, display_id=True)
        else:
            self.handle.update(image)


class _Window:
    """A window of matplotlib."""

    def __init__(self) -> None:
        from matplotlib import pyplot

        self.figure = pyplot.figure()
        self.exists = getattr(self.figure.canvas, "required_interactive_framework", None) is not None
        if self.exists:
            self.figure.show()
        else:
            pyplot.close(self.figure)

    def __call__(self, figure: Any) -> None:
        figure.canvas.draw()
        figure.canvas.flush_events()
