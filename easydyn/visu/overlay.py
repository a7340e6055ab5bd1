"""The motion of a run over the frames of a film: a page with the film, or pictures and films in which it is drawn.

The mechanism is drawn by the outlines of its bodies, by its joints, springs and points, and by the paths of points, in
the pixels in which a camera sees them. A page shows the film as it is, and draws on a canvas above it; in .gif, .mp4
and .png files Pillow draws, and ffmpeg decodes and codes (footage.py).
"""

from __future__ import annotations

import base64
import mimetypes
import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import FileError, InputError, ModelError
from easydyn.files import path_to, replacing, write_text
from easydyn.inputs import a, by_name, finite, flag, whole
from easydyn.lab.footage import Footage, footage, pictures, write
from easydyn.lab.sensors import Camera, projected
from easydyn.mechanics.mechanism import Body
from easydyn.result.trajectory import Trajectory
from easydyn.sim.progress import progress_bar
from easydyn.vec import Shift, Transform, vector
from easydyn.visu import colours, motion
from easydyn.visu.automatic import scene_of
from easydyn.visu.motion import frames_and_tips
from easydyn.visu.page import Page, rounded, text_of
from easydyn.visu.scene import Frame, Part

PER_SECOND, MOST = 120, 3000  # instants of a page
HIDDEN = ("gravity", "mark")  # parts that say nothing over a film
POINT = colours.PALETTE["vermilion"]
FLAT = 1e-6  # of the size of the mechanism: what is nearer to the plane lies in it
ENDINGS = (".html", ".htm", ".gif", ".mp4", ".png")


@answers
class Overlay(Page):
    """The motion of a run over a film: a notebook shows it, `save` writes a page, a film or a picture.

    Parameters
    ----------
    run : Trajectory
        A run of the model that the camera sees.
    film : str or Path
        The film.
    camera : Camera
        The camera, `lab.Camera`; its parameters have the values of the run.
    points : dict, optional
        Points that are marked, {"mass A": bob}: bodies, or 3 scalars (m) in the ground's axes. The centres of mass if
        left out.
    trace : float (s)
        For how long the path of each point is drawn; 0 for none.
    frame : int, optional
        The number of the frame, from 0, that was shown when the time of the run was 0. As the recording of the camera
        says, or the first one, if left out.

    Raises
    ------
    FileError, InputError, ModelError
        There is no such film; a motion that is not in the plane z = 0; a run without its model.

    Example
    -------
    >>> from pathlib import Path
    >>> from easydyn import Model, lab, tdisp, trotz
    >>> model = Model("pendulum", gravity=(0, -9.81, 0))
    >>> q, = model.coordinates("q", initial=0.5)
    >>> bob = model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    >>> camera = lab.Camera(model, scale=400, origin=(320, 40))
    >>> Path("swing.mp4").touch()                                   # in place of a film
    >>> model.simulate(2).overlay("swing.mp4", camera).save("swing.html").name
    'swing.html'
    """

    _programs = ("overlay.js",)

    def __init__(
        self, run: Trajectory, film: Any, camera: Any, *, points: Any = None, trace: Any = 0.5, frame: Any = None
    ):
        self.run, self.camera = a(Trajectory, run, "run", "a Trajectory"), a(Camera, camera, "camera", "a lab.Camera")
        if run.source is None or not hasattr(run.source, "system"):
            raise ModelError("an overlay needs the model of the run: load it with Trajectory.load(path, model=model).")
        self.film = path_to(film, '"swing.mp4"')
        if not self.film.is_file():
            raise FileError(f"there is no film '{film}'.")
        self.tail, self.frame = finite(trace, "trace"), None if frame is None else whole(frame, "frame", least=0)
        t = np.linspace(run.t[0], run.t[-1], int(np.clip(PER_SECOND * (run.t[-1] - run.t[0]), 2, MOST)))
        q, qd = motion.states_at(run, t)
        scene = scene_of(run.title or "run", run.source.system, t, q, qd)
        scene.initial = q[0], qd[0]
        if points is not None:
            scene.parts = [part for part in scene.parts if part.kind != "centre"]
        for name, point in by_name(points, "points", '{"mass A": bob}').items():
            place = point.T.e if isinstance(point, Body) else vector(point, f"the point {name!r}")
            scene.frames.append(Frame(f"point {name}", Transform((Shift(place),)), is_body=False))
            scene.parts.append(Part(name, f"point {name}", "centre", "", text=name))
        super().__init__(scene, {})
        self.parts = list(self._parts())
        self.data |= {
            "title": scene.title, "name": self.film.name, "parts": self.parts, "trace": self.tail,
            "camera": rounded(camera.matrix(run.parameters), 12), "up": camera.y_up, "size": camera.size,
            "motion": {"count": len(t), "start": t[0], "end": t[-1], "frames": len(scene.frames),
                       "poses": text_of(self._poses(t), "<f4")},
        }  # fmt: skip

    def _parts(self) -> Iterator[dict[str, Any]]:
        """What is drawn: points (n, 2) in m, all in the axes of one frame, or each in one of its own."""
        places = {frame.name: k for k, frame in enumerate(self.scene.frames)}
        for part in self.scene.parts:
            own = {"kind": part.kind, "frames": [places[part.body]], "colour": part.colour}
            if part.kind == "between":
                ends = [rounded(end.point[:2]) for end in part.ends]
                yield own | {"frames": [places[end.frame] for end in part.ends], "points": ends}
            elif part.kind == "centre":
                yield own | {"points": [rounded(part.point[:2])], "colour": POINT}
            elif part.solid is not None and part.solid.surfaces and part.body != "ground" and part.name not in HIDDEN:
                yield own | {"points": outline(part.solid.nodes[:, :2])}

    def _poses(self, t: np.ndarray) -> np.ndarray:
        """The first two rows of R and e in the plane, (N, frames, 6), of all frames, at instants within the run."""
        frames, _ = frames_and_tips(self.scene, t, *motion.states_at(self.run, t))
        frames = np.concatenate([np.broadcast_to(np.eye(4), (len(t), 1, 4, 4)), frames], axis=1)
        off = np.abs(frames[..., [2, 2, 2, 0, 1], [0, 1, 3, 2, 2]]).max(axis=(0, 2))
        worst = max({k for part in self.parts for k in part["frames"]}, key=lambda k: off[k])
        if not off[worst] < FLAT * (1 + self.scene.size):
            raise InputError(
                f"'{self.scene.frames[worst].name}' of '{self.scene.title}' does not move in the plane z = 0, it "
                f"begins at z = {frames[0, worst, 2, 3]:g} m or is turned: a camera sees motions in that plane only."
            )
        return frames[..., :2, [0, 1, 3]].reshape(len(t), -1, 6)

    @property
    def html(self) -> str:
        """The whole page, with the film inside."""
        kind = mimetypes.guess_type(self.film.name)[0] or "video/mp4"
        return self._page(f"data:{kind};base64,{base64.b64encode(self.film.read_bytes()).decode('ascii')}")

    def _page(self, source: str) -> str:
        start = self.camera.start if self.frame is None else -float(self.footage.t[0]) if self.frame else 0.0
        self.data |= {"film": source, "offset": start}
        return super().html

    def save(self, path: Any, *, at: Any = None, embed: bool = False, progress: Any = None) -> Path:
        """Write the overlay: .html (the film beside it), .mp4, .gif, or .png (one frame).

        An .html needs nothing. The others need ffmpeg, and show what of the film lies within the run.

        Parameters
        ----------
        path : str or Path
            A name that ends in .html, .mp4, .gif or .png.
        at : float (s), optional
            The time of the run that a .png shows; its end if left out.
        embed : bool
            True: put the film into the page, which is then one file. Otherwise the page knows the way from its folder
            to the film.
        progress : bool or function, optional
            As of `model.simulate`: a bar if it takes longer, if left out.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        FileError, InputError, MissingDependencyError
            Another ending, a film that cannot be read, or that shows nothing of the run; no ffmpeg.
        """
        place = path_to(path, endings=ENDINGS)
        if place.suffix.lower() in ENDINGS[:2]:
            return write_text(place, self.html if flag(embed, "embed") else self._page(self._way_from(place)))
        shown = self._within()
        if place.suffix.lower() == ".png":
            t = self.run.t[-1] if at is None else finite(at, "at")
            shown = [min(shown, key=lambda k: abs(self.footage.t[k] - t))]
        with replacing(place) as partial, progress_bar(progress) as report:
            images = self._drawn(shown, report)
            if place.suffix.lower() == ".png":
                next(images).save(partial)
            else:
                write(partial, place, images, self.footage.t[shown])
        return place

    def _way_from(self, page: Path) -> str:
        """The address of the film for a page, quoted: relative, or absolute where there is no way, on another disk."""
        try:
            return quote(Path(os.path.relpath(self.film, page.parent)).as_posix())
        except ValueError:
            return self.film.absolute().as_uri()

    @cached_property
    def footage(self) -> Footage:
        """At which times of the run (s) the frames of the film are shown, and their size; FileError, InputError."""
        found = footage(self.film)
        if self.frame is None:
            return found._replace(t=found.t - self.camera.start)
        if self.frame >= len(found.t):
            raise InputError(f"frame is {self.frame}: expected a frame of '{self.film}', 0 to {len(found.t) - 1}.")
        return found._replace(t=found.t - found.t[self.frame])

    def _within(self) -> list[int]:
        """The numbers of the frames within the run."""
        t, (start, end) = self.footage.t, self.run.t[[0, -1]].tolist()
        found = np.flatnonzero((t >= start - 1e-6) & (t <= end + 1e-6))
        if not len(found):
            raise InputError(
                f"'{self.film}' shows {t[0]:.3g} to {t[-1]:.3g} s, and the run is from {start:g} to {end:g} s: "
                "expected some time in both. Say frame=, the frame that was shown at the time 0 of the run."
            )
        return found.tolist()

    def _places(self, t: np.ndarray) -> list[np.ndarray]:
        """The pixels (N, n, 2) of the film in which the points of each part are at instants within the run."""
        size, seen = self.footage, self.camera.size or self.footage[1:]
        up = np.array([[1.0, 0, 0], [0, -1, seen[1]], [0, 0, 1]]) if self.camera.y_up else np.eye(3)
        H = np.diag([size.width / seen[0], size.height / seen[1], 1.0]) @ up @ self.camera.matrix(self.run.parameters)
        poses, found = self._poses(t), []
        for part in self.parts:
            pose = poses[:, part["frames"]].reshape(len(t), -1, 2, 3)
            points = (pose[..., :2] @ np.array(part["points"])[..., None])[..., 0] + pose[..., 2]
            found.append(np.floor(projected(H, points)).clip(-1e6, 1e6))  # pixel 0 is from 0 to 1
        return found

    def _drawn(self, shown: list[int], report: Any) -> Iterator[Any]:
        """The frames of these numbers with the mechanism drawn in them."""
        t = np.clip(self.footage.t[shown], self.run.t[0], self.run.t[-1])
        before = np.arange(max(self.run.t[0], t[0] - self.tail), t[-1], 1 / PER_SECOND)
        places, paths = self._places(t), self._places(before if len(before) else t)
        for k, image in enumerate(pictures(self.film, self.footage, shown)):
            first, last = np.searchsorted(before, [t[k] - self.tail, t[k]])
            for part, points, path in zip(self.parts, places, paths, strict=True):
                _draw(image, part, points[k], np.append(path[first:last, 0], points[k, :1], axis=0))
            report((k + 1) / len(shown))
            yield image


def _draw(image: Any, part: dict[str, Any], points: np.ndarray, path: np.ndarray) -> None:
    """Draw a part into a picture of Pillow, its lines on white, so that they are seen on any ground."""
    from PIL import ImageDraw

    pen, colour = ImageDraw.Draw(image, "RGBA"), tuple(colours.rgb(part["colour"]).tolist())
    wide, line = max(2, round(image.height / 360)), path if part["kind"] == "centre" else points
    if part["kind"] == "solid":
        pen.polygon(line.ravel().tolist(), fill=(*colour, 50))
        line = np.append(line, line[:1], axis=0)
    for shade, width in (((255, 255, 255, 170), wide + 2), ((*colour, 255), wide)):
        pen.line(line.ravel().tolist(), fill=shade, width=width, joint="curve")
    for shade, r in (((255, 255, 255), 3 * wide + 1), (colour, 3 * wide - 1)) if part["kind"] == "centre" else ():
        pen.ellipse([*(points[0] - r), *(points[0] + r)], fill=shade)


def outline(points: np.ndarray) -> list[list[float]]:
    """The corners of the convex hull of points (N, 2), around it; the ends of what is a line."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        corners = ConvexHull(points).vertices
    except QhullError:
        along = points @ np.ptp(points, axis=0)
        corners = [int(along.argmin()), int(along.argmax())]
    return [rounded(point) for point in points[corners]]
