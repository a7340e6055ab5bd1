"""Films of the pictures of picture.py: a FuncAnimation of matplotlib, .gif by Pillow, .mp4 by ffmpeg if installed.

For a film that is saved, what moves is painted on white without axes: the solids as they are, then lines and texts. The
colours of a .gif are chosen once for all of its pictures, and looked up in a table of STEPS**3 colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from easydyn.files import replacing
from easydyn.lab.footage import write
from easydyn.result.plots import shown_as
from easydyn.sim.progress import progress_bar
from easydyn.visu import picture

MOST_PER_SECOND = 25.0  # pictures of a film
MOST_PICTURES = 250  # of a film that is saved
PIXELS_PER_INCH = 100
STEPS, SAMPLES = 64, 8  # of a colour, and pictures from which the colours of a .gif are chosen


class Film:
    """A figure that shows one picture of an animation after the other."""

    def __init__(self, animation: Any, figure: Any, most: int | None = None):
        t = animation.t
        self.animation, self.figure = animation, figure
        step = float(t[1] - t[0]) / animation.data["speed"] if len(t) > 1 else 1.0
        stride = max(1, round(1 / (step * MOST_PER_SECOND)))
        if most is not None:
            stride = max(stride, -(-len(t) // most))
        self.shown, self.pause = range(0, len(t), stride), step * stride
        self.axes = figure.add_axes((0, 0, 1, 0.94))
        self.title = self.axes.set_title("")
        self.fixed: list[Any] = []
        self.kept: dict[Any, Any] = {}  # what is drawn once
        counts = [len(group) for group in self._draw(0, signs=False)]
        self.fixed = [x for n, group in zip(counts, self._draw(0, signs=True), strict=True) for x in group[n:]]

    def _draw(self, k: int, signs: bool) -> list[list[Any]]:
        axes, animation = self.axes, self.animation
        for artist in [*axes.images, *axes.lines, *axes.texts]:
            if artist not in self.fixed:
                artist.remove()
        picture.moving(animation, animation.t[k], False, axes, PIXELS_PER_INCH, signs, self.kept)
        return [list(axes.images), list(axes.lines), list(axes.texts)]

    def draw(self, k: int) -> list[Any]:
        """Draw picture k; returns what is drawn for it, from below to above."""
        found = [x for group in self._draw(k, signs=False) for x in group if x not in self.fixed]
        time = f"{self.animation.t[k]:.{self.animation.data['digits']}f}"
        self.title.set_text(f"{shown_as(self.animation.scene.title)}, t = {time} s")
        return [*sorted(found, key=lambda artist: float(artist.get_zorder())), self.title]

    def painted(self, shown: Sequence[int]) -> Iterator[np.ndarray]:
        """Some pictures as bytes (height, width, 4), each in the place of the last one; with a bar where it takes long.

        The first image in the axes fills them; it is one pixel of it for one of the figure.
        """
        renderer = self.figure.canvas.get_renderer()
        whole = np.asarray(renderer.buffer_rgba())
        renderer.clear()
        for artist in self.fixed:
            artist.draw(renderer)
        signs, there = whole / np.float32(255), np.nonzero(whole[..., 3])
        with progress_bar(None) as report:
            for done, k in enumerate(shown):
                solids, *others = self.draw(k)
                whole[:] = 255
                image = np.asarray(solids.get_array())
                _lay(whole[len(whole) - len(image) :, : image.shape[1]], image, np.nonzero(image[..., 3] > 0))
                for artist in others:
                    artist.draw(renderer)
                _lay(whole, signs, there)
                report(done / len(shown))
                yield whole


def _lay(below: np.ndarray, image: np.ndarray, some: tuple[np.ndarray, ...]) -> None:
    """Lay some pixels of an image, colours and opacity from 0 to 1, over bytes."""
    colours, top = below[..., :3], image[some]
    colours[some] = 255 * top[:, :3] * top[:, 3:] + colours[some] * (1 - top[:, 3:]) + 0.5


def film(animation: Any) -> Any:
    """A matplotlib FuncAnimation at the speed of the animation."""
    from matplotlib import pyplot
    from matplotlib.animation import FuncAnimation

    made = Film(animation, pyplot.figure(figsize=(6, 4.5)))
    return FuncAnimation(made.figure, made.draw, frames=made.shown, interval=1000 * made.pause, blit=False)


def save(animation: Any, path: Path) -> Path:
    """Write a .gif or an .mp4; documented at `Animation.save`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    figure = Figure((6, 4.5), dpi=PIXELS_PER_INCH, facecolor="white")
    FigureCanvasAgg(figure)
    with replacing(path) as place:
        made = Film(animation, figure, MOST_PICTURES)
        if path.suffix.lower() == ".gif":
            _gif(made, place)
        else:
            pictures = (Image.fromarray(whole[..., :3]) for whole in made.painted(made.shown))
            write(place, path, pictures, made.pause * np.arange(len(made.shown)))
    return path


def _gif(made: Film, place: Path) -> None:
    from PIL import Image

    some = made.shown[:: -(-len(made.shown) // SAMPLES)]
    found = np.zeros(STEPS**3, dtype=bool)
    for sample in made.painted(some):
        found[_code(sample)] = True
    few, whole = (Image.fromarray(_colours(code)[None]) for code in (np.flatnonzero(found), np.arange(STEPS**3)))
    palette = few.quantize(256, Image.Quantize.MAXCOVERAGE)
    table = np.asarray(whole.quantize(palette=palette, dither=Image.Dither.NONE))[0]
    chosen = np.array(palette.getpalette(), dtype=int).reshape(-1, 3)
    chosen[table[-1]] = 255  # white stays white

    def pictures() -> Iterator[Any]:
        for whole in made.painted(made.shown):
            image = Image.fromarray(table[_code(whole)], "P")
            image.putpalette(chosen.ravel().tolist())
            yield image

    first, *others = pictures()
    hundredths = np.round(100 * made.pause * np.arange(len(made.shown) + 1))  # the unit of the format
    pauses = (10 * np.maximum(np.diff(hundredths), 2)).astype(int).tolist()  # viewers do not show shorter ones
    first.save(place, format="GIF", save_all=True, append_images=others, duration=pauses, loop=0)


def _code(whole: np.ndarray) -> np.ndarray:
    """The numbers of colours in a table of STEPS**3."""
    red, green, blue = (whole.view("<u4")[..., 0] >> 8 * k + 2 & STEPS - 1 for k in range(3))  # four bytes a pixel
    return (red * STEPS + green) * STEPS + blue


def _colours(code: np.ndarray) -> np.ndarray:
    """The colours (N, 3) of numbers in the table."""
    steps = np.stack(np.unravel_index(code, (STEPS,) * 3), axis=-1)
    return np.asarray(steps * 255 // (STEPS - 1), dtype=np.uint8)
