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
from easydyn.visu.raster import Camera, Canvas

MOST_PER_SECOND = 25.0  # pictures of a film
MOST_PICTURES = 250  # of a film that is saved
PIXELS_PER_INCH = 100
STEPS, SAMPLES = 64, 8  # of a colour, and pictures from which the colours of a .gif are chosen


class Film:
    """A figure that shows one picture of an animation after the other."""

    def __init__(self, animation: Any, figure: Any, most: int = 100_000):
        t = animation.t
        self.animation, self.figure = animation, figure
        step = float(t[1] - t[0]) / animation.data["speed"] if len(t) > 1 else 1.0
        stride = max(1, round(1 / (step * MOST_PER_SECOND)), -(-len(t) // most))
        self.shown, self.pause = range(0, len(t), stride), step * stride
        self.axes = figure.add_axes((0, 0, 1, 0.94))
        self.canvas: Any = None
        self._move(0)

    def _begin(self, instant: picture.Instant, camera: Camera) -> None:
        """Draw what is the same in all pictures of this size, and what moves for the first time."""
        scene, axes, still = instant.scene, self.axes, instant.scene.view.follow is None
        self.canvas, self.ground = Canvas(camera), None  # which solids are drawn anew: all of them
        if still and all(part.opacity == 1 for part in scene.parts if picture.fixed(part)):
            picture.layer(self.canvas, instant, True)
            self.ground = False
        self.canvas.fix()
        axes.clear()
        self.image, self.title = picture.fill(axes, self.canvas.still), axes.set_title("")
        picture.signs(axes, camera, instant)
        marks = [(part, picture.mark(axes, part, *camera.project(points).T))
                 for part, points in (*instant.paths, *instant.points)]  # fmt: skip
        self.moved = [[] if still and part.body == "ground" else drawn for part, drawn in marks]
        moved = sum(self.moved, [])
        self.above = [*sorted(moved, key=lambda artist: float(artist.get_zorder())), self.title]
        self.fixed = [x for x in (*axes.images, *axes.lines, *axes.texts) if x not in [self.image, *moved]]

    def _move(self, k: int) -> None:
        """Draw the solids of picture k on the canvas, and take lines and texts to their places."""
        instant = picture.instant(self.animation, k)
        camera = picture.camera_of(self.axes, instant, PIXELS_PER_INCH)
        if self.canvas is None or self.canvas.still.shape[:2] != (camera.height, camera.width):
            self._begin(instant, camera)
        self.canvas.clear(camera)
        picture.layer(self.canvas, instant, self.ground)
        for group, (part, points) in zip(self.moved, (*instant.paths, *instant.points), strict=True):
            x, y, _ = camera.project(points).T
            for artist in group:
                artist.set_position((x[0], y[0])) if part.kind == "text" else artist.set_data(x, y)
        time = f"{self.animation.t[k]:.{self.animation.data['digits']}f}"
        self.title.set_text(f"{shown_as(self.animation.scene.title)}, t = {time} s")

    def draw(self, k: int) -> list[Any]:
        """Draw picture k; returns what is drawn for it, from below to above."""
        self._move(k)
        self.image.set_data(self.canvas.image)
        return [self.image, *self.above]

    def painted(self, shown: Sequence[int]) -> Iterator[np.ndarray]:
        """Some pictures as bytes (height, width, 4), each in the place of the last one; with a bar where it takes long.

        The image of solids has one pixel for one of the figure, from its lower left corner.
        """
        renderer = self.figure.canvas.get_renderer()
        whole = np.asarray(renderer.buffer_rgba())
        renderer.clear()
        for artist in self.fixed:
            artist.draw(renderer)
        there, still = np.nonzero(whole[..., 3]), self.canvas.still
        signs = whole[there] / np.float32(255)
        whole[:] = 255
        seen, some = whole[len(whole) - len(still) :], np.nonzero(still[..., 3] > 0)
        _lay(seen, still[some], some)
        below = whole.copy()
        with progress_bar(None) as report:
            for done, k in enumerate(shown):
                self._move(k)
                whole[:] = below
                row, column, colours = self.canvas.changed
                seen[row, column] = 255
                _lay(seen, colours, (row, column))
                for artist in self.above:
                    artist.draw(renderer)
                _lay(whole, signs, there)
                report(done / len(shown))
                yield whole


def _lay(below: np.ndarray, top: np.ndarray, some: tuple[np.ndarray, ...]) -> None:
    """Lay some pixels, their colours and opacity (n, 4) from 0 to 1, over bytes."""
    colours = below[..., :3]
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
