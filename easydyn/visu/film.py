"""Matplotlib films of the pictures of picture.py: a FuncAnimation, .gif by Pillow, .mp4 by ffmpeg if installed."""

from __future__ import annotations

from pathlib import Path
from subprocess import CalledProcessError
from typing import TYPE_CHECKING, Any

from easydyn.errors import MissingDependencyError
from easydyn.files import cannot_write, ffmpeg, replacing
from easydyn.result.plots import shown_as
from easydyn.visu import picture

if TYPE_CHECKING:
    from easydyn.visu.animation import Animation

MOST_PER_SECOND = 25.0  # pictures of a film
MOST_PICTURES = 250  # of a film that is saved
PIXELS_PER_INCH = 100


def film(animation: Animation) -> Any:
    """A matplotlib FuncAnimation at the speed of the animation."""
    return _film(animation)[1]


def _film(animation: Animation, most: int | None = None) -> tuple[Any, Any]:
    from matplotlib import pyplot
    from matplotlib.animation import FuncAnimation

    t, speed = animation.t, animation.data["speed"]
    step = float(t[1] - t[0]) / speed if len(t) > 1 else 1.0
    stride = max(1, round(1 / (step * MOST_PER_SECOND)))
    if most is not None:
        stride = max(stride, -(-len(t) // most))
    figure = pyplot.figure(figsize=(6, 4.5))
    axes = figure.add_axes((0, 0, 1, 0.94))

    def update(k: int) -> list[Any]:
        axes.clear()
        picture.moving(animation, t[k], False, axes, PIXELS_PER_INCH)
        title = axes.set_title(f"{shown_as(animation.scene.title)}, t = {t[k]:.{animation.data['digits']}f} s")
        return [*axes.get_children(), title]

    shown = range(0, len(t), stride)
    return figure, FuncAnimation(figure, update, frames=shown, interval=1000 * step * stride, blit=False)


def save(animation: Animation, path: Path) -> Path:
    """Write a .gif or an .mp4; documented at `Animation.save`."""
    from matplotlib import animation as writers
    from matplotlib import pyplot, rc_context, rcParams

    kind = "pillow" if path.suffix.lower() == ".gif" else "ffmpeg"
    said = rcParams["animation.ffmpeg_path"]  # of the user, or the name of the program
    with rc_context({"animation.ffmpeg_path": said if said != "ffmpeg" else ffmpeg() or said}):
        if not writers.writers.is_available(kind):
            raise MissingDependencyError(
                'an .mp4 needs the program ffmpeg, which is not there: pip install "easydyn[lab]", or save a .gif or '
                "an .html."
                if kind == "ffmpeg"
                else "a .gif needs the package pillow: pip install pillow."
            )
        figure, made = _film(animation, MOST_PICTURES)
        try:
            with replacing(path) as place:
                made.save(place, writer=kind, dpi=PIXELS_PER_INCH)
        except CalledProcessError as error:
            raise cannot_write(path, f"ffmpeg failed, status {error.returncode}") from None
        finally:
            pyplot.close(figure)
    return path
