"""Films by matplotlib: a FuncAnimation of the scene, .gif by Pillow, .mp4 by ffmpeg where it is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.errors import FileError, MissingDependencyError
from easydyn.visu.looks import along

if TYPE_CHECKING:
    from easydyn.visu.animation import Animation

MOST_PER_SECOND = 25.0  # pictures of a film
MOST_PICTURES = 250  # of a film that is saved


class _Drawing:
    """A scene on three-dimensional axes: faces sorted by their distance, lines, texts."""

    def __init__(self, animation: Animation, axes: Any):
        from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

        self.animation, self.axes = animation, axes
        scene = self.scene = animation.scene
        self.places = {frame.name: k for k, frame in enumerate(scene.frames)}
        self.tips = animation.tips
        self.turn = self._turn()
        self.faces = Poly3DCollection([np.zeros((3, 3))], shade=False)
        self.lines = Line3DCollection([np.zeros((2, 3))], linewidths=0.8)
        axes.add_collection3d(self.faces)
        axes.add_collection3d(self.lines)
        view = scene.view
        self.centre = self.turn @ view.target
        half = max(view.size) / 2
        for k, name in enumerate("xyz"):
            getattr(axes, f"set_{name}lim")(self.centre[k] - half, self.centre[k] + half)
        axes.set_box_aspect((1, 1, 1), zoom=1.5)
        axes.set_axis_off()
        eye = self.turn @ view.towards
        axes.view_init(elev=np.degrees(np.arcsin(eye[2])), azim=np.degrees(np.arctan2(eye[1], eye[0])))
        self.eye = eye
        self.title = axes.set_title(scene.title)
        self.texts = {
            k: axes.text(0, 0, 0, part.text, ha="center") for k, part in enumerate(scene.parts) if part.kind == "text"
        }
        self.paths = {
            k: axes.plot([], [], [], color=p.colour)[0] for k, p in enumerate(scene.parts) if p.kind == "path"
        }

    def _turn(self) -> np.ndarray:
        """The rotation that makes the scene's "up" matplotlib's z."""
        up = self.scene.view.up
        return along(up)[:3, :3].T

    def frames(self, k: int) -> np.ndarray:
        return np.concatenate([np.eye(4)[None], self.animation.frames[k]])

    def update(self, k: int) -> list[Any]:
        """Show frame k."""
        where, tip = self.frames(k), 0
        faces, colours, lines, line_colours = [], [], [], []
        light = self.eye + np.array([0.3, -0.2, 0.5])
        light /= np.linalg.norm(light)
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
                nodes = (part.solid.nodes @ T[:3, :3].T + T[:3, 3]) @ self.turn.T
                for surface in part.solid.surfaces:
                    corners = nodes[list(surface)]
                    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
                    size = np.linalg.norm(normal)
                    if normal @ self.eye <= 0 or not size:
                        continue
                    bright = 0.45 + 0.55 * max(normal @ light / size, 0.0)
                    faces.append(corners)
                    colours.append((*(np.array(_rgb(part.colour)) * bright), part.opacity))
                if not part.solid.surfaces:
                    lines += list(nodes[part.solid.edges])
                    line_colours += [part.colour] * len(part.solid.edges)
            elif part.kind == "text":
                self.texts[number].set_position_3d(self.turn @ (T[:3, :3] @ part.point + T[:3, 3]))
            elif part.kind == "path":
                M = self.animation.frames[: k + 1, self.places[part.body] - 1]
                self.paths[number].set_data_3d(*(self.turn @ (M[:, :3, :3] @ part.point + M[:, :3, 3]).T))
        self.faces.set_verts(faces)
        self.faces.set_facecolor(colours)
        self.faces.set_edgecolor(colours)
        self.lines.set_segments(lines)
        self.lines.set_color(line_colours or ["#8c8c8c"])
        self.title.set_text(f"{self.scene.title}, t = {self.animation.t[k]:.2f} s")
        return [self.faces, self.lines]


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
    axes = figure.add_axes((0, 0, 1, 0.94), projection="3d")
    drawing = _Drawing(animation, axes)
    shown = range(0, len(t), stride)
    return figure, FuncAnimation(figure, drawing.update, frames=shown, interval=1000 * step * stride, blit=False)


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
        made.save(path, writer=kind, dpi=100)
    except OSError as error:
        raise FileError(f"cannot write '{path}': {error.strerror or error}. Choose another folder.") from None
    finally:
        pyplot.close(figure)
    return path
