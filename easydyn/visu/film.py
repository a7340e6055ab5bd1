"""Pictures and films by matplotlib: a FuncAnimation of the scene, .gif by Pillow, .mp4 by ffmpeg where it is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.errors import FileError, InputError, MissingDependencyError
from easydyn.inputs import finite
from easydyn.visu import raster
from easydyn.visu.looks import along
from easydyn.visu.page import frames_and_tips
from easydyn.visu.scene import Scene

if TYPE_CHECKING:
    from easydyn.visu.animation import Animation

MOST_PER_SECOND = 25.0  # pictures of a film
MOST_PICTURES = 250  # of a film that is saved
PER_POINT = 100 / 72  # pixels of a film
FINE = 2  # pixels of the drawing for one of the picture, to smooth edges
LINE = 1.3  # width of lines (points)
_INK = "#1a1a1a"


def draw(given: Any, t: Any = None, ax: Any = None) -> Any:
    """The mechanism on axes of matplotlib: a scene as it is, an animation at an instant.

    Parameters
    ----------
    given : Scene or Animation
        From `model.scene()` or `run.animate()`.
    t : float, optional
        Instant of the animation (s), between its first and its last; the first if left out.
    ax : matplotlib axes, optional
        Where to draw, as they are large now; those of a new figure if left out.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    InputError
        Something else than a scene or an animation, an instant outside.

    Example
    -------
    >>> from easydyn import examples, visu
    >>> ax = visu.draw(examples.double_pendulum().scene())
    >>> ax.figure.savefig("pendulum.png")
    """
    from matplotlib import pyplot

    if isinstance(given, Scene):
        if t is not None:
            raise InputError(f"t={t!r} for a scene, which does not move: draw run.animate() at an instant.")
        q, qd = given.initial
        frames, tips = frames_and_tips(given, np.zeros(1), q[None], qd[None])
        times = np.zeros(1)
    elif hasattr(given, "scene") and hasattr(given, "frames") and hasattr(given, "tips"):
        frames, tips, times = given.frames, given.tips, given.t
    else:
        raise InputError(f"{given!r} cannot be drawn: expected model.scene() or run.animate().")
    at = 0
    if t is not None:
        instant, step = finite(t, "t"), float(times[1] - times[0]) if len(times) > 1 else 0.0
        if not times[0] - step / 2 <= instant <= times[-1] + step / 2:
            raise InputError(f"t={t!r}: the animation goes from {times[0]:g} s to {times[-1]:g} s.")
        at = int(np.abs(times - instant).argmin())
    if ax is None:
        ax = pyplot.figure(figsize=(6, 4.5)).add_axes((0, 0, 1, 1))
    scene = given if isinstance(given, Scene) else given.scene
    Drawing(scene, frames, tips, ax).update(at)
    return ax


class Drawing:
    """A scene on axes: an image of its solids, and what is drawn over it: texts, paths, centres of mass."""

    def __init__(self, scene: Scene, frames: np.ndarray, tips: np.ndarray, axes: Any, pixels: float = 0.0):
        from matplotlib import markers
        from matplotlib import path as paths

        self.scene, self.frames, self.tips, self.axes = scene, frames, tips, axes
        self.places = {frame.name: k for k, frame in enumerate(scene.frames)}
        figure = axes.figure
        box = axes.get_position()
        points = np.array([box.width, box.height]) * figure.get_size_inches() * 72
        self.scale = FINE * (pixels or min(3.0, max(1.4, 720 / points[0])))  # pixels of the image a point
        self.size = [max(8, round(x * self.scale / FINE) * FINE) for x in points]
        axes.set_xlim(0, self.size[0])
        axes.set_ylim(self.size[1], 0)
        axes.set_axis_off()
        extent = (0, self.size[0], self.size[1], 0)
        self.image = axes.imshow(np.ones((2, 2, 3)), extent=extent, interpolation="antialiased", aspect="auto")
        quarters = paths.Path.make_compound_path(paths.Path.wedge(0, 90), paths.Path.wedge(180, 270))
        self.centres = [
            axes.plot([], [], "o", color="white", markeredgecolor=_INK, markersize=4.6, markeredgewidth=0.8)[0],
            axes.plot([], [], marker=markers.MarkerStyle(quarters), color=_INK, markersize=3.8, ls="", mew=0)[0],
        ]
        from matplotlib import patheffects

        halo = [patheffects.withStroke(linewidth=2.5, foreground="white")]
        self.texts = {
            k: axes.text(0, 0, part.text, ha="center", va="center", color=_INK, path_effects=halo, clip_on=True)
            for k, part in enumerate(scene.parts)
            if part.kind == "text"
        }
        self.paths = {
            k: axes.plot([], [], color=p.colour, lw=1.5)[0] for k, p in enumerate(scene.parts) if p.kind == "path"
        }

    def update(self, k: int) -> list[Any]:
        """Show frame k."""
        where = np.concatenate([np.eye(4)[None], self.frames[k]])
        follow = self.places[self.scene.view.follow] if self.scene.view.follow else 0
        gone = self.frames[k, follow - 1, :3, 3] - self.frames[0, follow - 1, :3, 3] if follow else np.zeros(3)
        camera = raster.Camera(self.scene.view, self.size[0], self.size[1], gone)
        faces, tip, centres = [], 0, []
        for number, part in enumerate(self.scene.parts):
            T = where[self.places[part.body]]
            if part.kind == "between":
                ends = []
                for end in part.ends:
                    M = where[self.places[end.frame]]
                    p = M[:3, :3] @ end.point + M[:3, 3]
                    if end.vector is not None:
                        p = p + end.scale * where[self.places[end.axes]][:3, :3] @ self.tips[k, tip]
                        tip += 1
                    ends.append(p)
                line = ends[1] - ends[0]
                length = float(np.linalg.norm(line))
                T = along(line if length else np.array([0.0, 0.0, 1.0]))
                T = T @ np.diag([1, 1, max(length, 1e-12), 1])
                T[:3, 3] = ends[0]
            if part.solid is not None:
                nodes = part.solid.nodes @ T[:3, :3].T + T[:3, 3]
                rgb = _rgb(part.colour)
                if len(part.solid.triangles):
                    faces.append(raster.shaded(nodes[part.solid.triangles], rgb, part.opacity, camera.light))
                else:
                    faces.append(raster.ribbons(nodes[part.solid.edges], rgb, camera, LINE * self.scale))
            elif part.kind == "path":
                M = self.frames[: k + 1, self.places[part.body] - 1]
                self.paths[number].set_data(*camera.see(M[:, :3, :3] @ part.point + M[:, :3, 3])[0].T)
            elif part.kind in ("text", "centre"):
                place = camera.see(T[:3, :3] @ part.point + T[:3, 3])[0][0]
                if part.kind == "text":
                    self.texts[number].set_position(place)
                else:
                    centres.append(place)
        if faces:
            every = raster.Faces(*(np.concatenate(x) for x in zip(*faces, strict=True)))
            fine = raster.painted(every, camera)
            h, w = fine.shape[0] // FINE, fine.shape[1] // FINE
            self.image.set_data(fine.reshape(h, FINE, w, FINE, 3).mean(axis=(1, 3)))
        for line in self.centres:
            line.set_data(*np.reshape(centres, (-1, 2)).T)
        return [self.image, *self.centres]


def _rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))


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
    drawing = Drawing(animation.scene, animation.frames, animation.tips, axes, PER_POINT)
    title = axes.set_title(animation.scene.title)

    def update(k: int) -> list[Any]:
        title.set_text(f"{animation.scene.title}, t = {t[k]:.{animation.data['digits']}f} s")
        return drawing.update(k)

    shown = range(0, len(t), stride)
    return figure, FuncAnimation(figure, update, frames=shown, interval=1000 * step * stride, blit=False)


def save(animation: Animation, path: Path) -> Path:
    """Write a .gif or an .mp4; documented at `Animation.save`."""
    from matplotlib import animation as writers
    from matplotlib import pyplot

    kind = "pillow" if path.suffix.lower() == ".gif" else "ffmpeg"
    if not writers.writers.is_available(kind):
        raise MissingDependencyError(
            "an .mp4 needs the program ffmpeg, which is not on the path here: install it, or save a .gif or an .html."
            if kind == "ffmpeg"
            else "a .gif needs the package pillow: pip install pillow."
        )
    figure, made = _film(animation, MOST_PICTURES)
    try:
        made.save(path, writer=kind, dpi=72 * PER_POINT)
    except OSError as error:
        raise FileError(f"cannot write '{path}': {error.strerror or error}. Choose another folder.") from None
    finally:
        pyplot.close(figure)
    return path
