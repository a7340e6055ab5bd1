"""A scene as a separate page: the player, and the data that it shows.

The page needs only a browser. It holds the motion as a quaternion and a position for each instant and frame, in
integers of 16 bits (angles to 3e-5 rad, positions to 1/65534 of the range of the frame).
"""

from __future__ import annotations

import base64
import html
import io
import itertools
import json
import math
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

import easydyn
from easydyn.arguments import answers
from easydyn.engine.program import Program
from easydyn.files import path_to, write_text
from easydyn.visu import motion
from easydyn.visu.motion import at_rest
from easydyn.visu.scene import Part, Scene
from easydyn.visu.solids import Solid
from easydyn.visu.surfaces import Net

WHOLE = 32767
STILL = (
    "This is a still picture: the notebook is not trusted, so that nothing may move in it. Trust it (in JupyterLab: "
    "Ctrl+Shift+C, Trust Notebook), and open it again."
)


@answers
class Page:
    """A page that a notebook displays, and that is saved as one file.

    Parameters
    ----------
    scene : Scene
        What is shown.
    data : dict
        The data of the player.
    height : int
        Height of its frame in a notebook (px).

    Example
    -------
    >>> from easydyn import examples
    >>> page = examples.slider_crank().explore()
    >>> page.save("crank.html").name
    'crank.html'
    """

    _programs: tuple[str, ...] = ("drawing.js", "player.js")

    def __init__(self, scene: Scene, data: dict[str, Any], height: int = 480):
        self.scene, self.data, self.height = scene, data, height

    @property
    def html(self) -> str:
        """The whole page."""
        data = json.dumps(self.data, separators=(",", ":"), allow_nan=False)
        for sign in "<>&\u2028\u2029":  # no text of the user's ends the script that holds it
            data = data.replace(sign, f"\\u{ord(sign):04x}")
        page = _file("page.html").replace("{{style}}", _file("player.css"))
        page = page.replace("{{player}}", player(*self._programs))
        page = page.replace("{{version}}", easydyn.__version__).replace("{{title}}", html.escape(self.scene.title))
        return page.replace("{{data}}", data)

    def save(self, path: Any) -> Path:
        """Write the page to an .html file at `path`; returns its path.

        Raises
        ------
        FileError
            The ending is another one, or the file cannot be written.
        """
        return write_text(path_to(path, endings=(".html", ".htm")), self.html)

    def _repr_html_(self) -> str:
        title = html.escape(self.scene.title, quote=True)
        return (  # a notebook that is not trusted leaves the frame out, and shows what lies under it
            f'<div style="position: relative; height: {self.height}px; overflow: hidden"><p>{STILL}</p>'
            f'<img alt="{title}" src="data:image/png;base64,{self._still()}">'
            f'<iframe title="{title}" srcdoc="{html.escape(self.html, quote=True)}" '
            'sandbox="allow-scripts allow-downloads" allowfullscreen '
            'style="position: absolute; left: 0; top: 0; width: 100%; height: 100%; border: 0"></iframe></div>'
        )

    def _instant(self) -> tuple[np.ndarray, np.ndarray]:
        """Frames and tips of the picture that stands for the page."""
        frames, tips = at_rest(self.scene)
        return frames[0], tips[0]

    def _still(self) -> str:
        """A small picture of the scene as PNG in base64."""
        from PIL import Image

        from easydyn.visu import picture

        image = picture.pixels(self.scene, *self._instant(), width=420, height=self.height - 60)
        data = io.BytesIO()
        Image.fromarray(image).quantize(64).save(data, format="png", optimize=True)
        return base64.b64encode(data.getvalue()).decode("ascii")

    def __repr__(self) -> str:
        return f'{type(self).__name__} of {self.scene!r}: save it with .save("scene.html")'


def player(*names: str) -> str:
    """The program of a player, of these files."""
    return "".join(map(_file, names or Page._programs))


@cache
def _file(name: str) -> str:
    return (files("easydyn.visu") / name).read_text(encoding="utf-8")


# -- what the player is given ---------------------------------------------------------------------------------------


def text_of(numbers: Any, kind: str) -> str:
    """Base64 of an array in little-endian numbers of a kind such as "<f4"."""
    return base64.b64encode(np.ascontiguousarray(numbers, dtype=kind).tobytes()).decode("ascii")


class _Meshes:
    """Meshes by their shape alone, so that all boxes are one, each with its own scale and offset."""

    def __init__(self) -> None:
        self.listed: list[dict[str, Any]] = []
        self._known: dict[tuple[str, str, str], int] = {}

    def give(self, solid: Solid) -> dict[str, Any]:
        low, high = solid.nodes.min(axis=0), solid.nodes.max(axis=0)
        scale = np.maximum(high - low, 1e-6 * max(float((high - low).max()), 1e-12))
        offset = (low + high) / 2
        nodes = text_of(np.round((solid.nodes - offset) / scale * 2 * WHOLE), "<i2")
        wide = len(solid.nodes) > 65535
        whole = "<u4" if wide else "<u2"
        triangles = solid.triangles
        edges = solid.edges if not len(triangles) else np.zeros((0, 2))
        key = (nodes, text_of(triangles, whole), text_of(edges, whole))
        if key not in self._known:
            self._known[key] = len(self.listed)
            self.listed.append(dict(zip(("nodes", "triangles", "edges"), key, strict=True)) | {"wide": wide})
        return {"mesh": self._known[key], "scale": rounded(scale), "offset": rounded(offset)}


def rounded(numbers: Any, digits: int = 6) -> list[float]:
    """Numbers with the digits that a picture needs; nine digits for numbers to which others are relative."""
    return [float(f"{x:.{digits}g}") for x in np.asarray(numbers, dtype=float).ravel()]


def data_of(scene: Scene, frames: np.ndarray, tips: np.ndarray) -> dict[str, Any]:
    """Constant data: frames, meshes, parts with their scales, view, and the positions of frames in the first picture.

    `frames` (N, k, 4, 4) and `tips` (N, m, 3) are those of all pictures.
    """
    motion.set_scales(scene, frames, tips)
    meshes = _Meshes()
    places = {frame.name: k for k, frame in enumerate(scene.frames)}
    numbers = itertools.count()

    def part(given: Part) -> dict[str, Any]:
        found: dict[str, Any] = {"name": given.name, "frame": places[given.body], "kind": given.kind}
        found |= {"colour": given.colour, "opacity": given.opacity}
        if given.solid is not None:
            found |= meshes.give(given.solid)
        if given.kind == "between":
            found["ends"] = [{"frame": places[e.frame], "point": rounded(e.point)} for e in given.ends]
            for end, own in zip(given.ends, found["ends"], strict=True):
                if end.vector is not None:
                    own |= {"tip": next(numbers), "axes": places[end.axes], "scale": end.scale}
        elif given.net is not None:
            found |= surface_of(given.net) | {"tips": [next(numbers) for _ in given.ends]}
            if given.net.frames:
                found["between"] = [[places[name] for name in pair] for pair in given.net.frames]
                found["pieces"] = text_of(given.net.pieces, "<u2")
        elif given.kind != "solid":
            found["point"] = rounded(given.point)
        more = {"text": given.text, "ghost": given.ghost, "layer": given.layer, "full": given.full}
        return found | {name: value for name, value in more.items() if value}

    view = scene.view
    parts = [part(p) for p in scene.parts]
    return {
        "title": scene.title,
        "frames": [{"name": f.name, "body": k > 0 and f.is_body and not f.inner} for k, f in enumerate(scene.frames)],
        "meshes": meshes.listed,
        "parts": parts,
        "plots": [],
        "view": {name: rounded(getattr(view, name)) for name in ("target", "size", "up", "towards")}
        | {
            "follow": places[view.follow] if view.follow else 0,
            "start": [[0.0, 0.0, 0.0], *map(rounded, frames[0, :, :3, 3])],
        },
    }


def as_data(program: Program, system: Any = None) -> dict[str, Any]:
    """A program as data: constants, inputs, operations on values by number, outputs; parameters are numbers in it.

    Values are numbered in this order: constants, inputs, operations. An operation is its name and its arguments. A
    program that knows neither parameters nor held values needs no `system`.
    """
    known: dict[str, Any] = {}
    if system is not None:
        known = {"p": [system.parameters[str(x)] for x in system.mechanism.parameters], "u": system.held}
    kinds: tuple[list[Any], list[Any], list[Any]] = [], [], []
    for node in program.nodes:
        fixed = node.op == "const" or (node.op == "input" and node.value[0] in known)
        kinds[0 if fixed else 1 if node.op == "input" else 2].append(node)
    place = {node.index: k for k, node in enumerate(itertools.chain(*kinds))}
    values = (node.value if node.op == "const" else known[node.value[0]][node.value[1]] for node in kinds[0])
    return {
        "constants": [float(value) for value in values],
        "inputs": [[*node.value[:2]] for node in kinds[1]],
        "operations": [[node.op, *(place[a.index] for a in node.args)] for node in kinds[2]],
        "outputs": [place[node.index] for node in program.outputs],
    }


def motion_of(frames: np.ndarray, start: float, step: float, tips: np.ndarray) -> dict[str, Any]:
    """The motion of frames (N, k, 4, 4) and of the vectors of arrows (N, m, 3)."""
    e = motion.quaternions(frames[..., :3, :3])
    x = frames[..., :3, 3]
    low, high = x.min(axis=0), x.max(axis=0)
    span = np.maximum(high - low, 1e-12)
    poses = np.concatenate([e * WHOLE, (x - low) / span * 2 * WHOLE - WHOLE], axis=-1)
    return {
        "count": len(frames),
        "start": start,
        "step": step,
        "low": [rounded(p, 9) for p in low],
        "span": [rounded(p, 9) for p in span],
        "poses": text_of(np.round(poses), "<i2"),
        "arrows": tips.shape[1],
        "tips": text_of(tips, "<f4"),
    }


def surface_of(net: Net) -> dict[str, Any]:
    """A surface as data: its net, its program, and the scale of its colours."""
    found: dict[str, Any] = {
        "places": text_of(net.places, "<f4"),
        "width": net.places.shape[1],
        "triangles": text_of(net.triangles, "<u2"),
        "program": as_data(net.program),
    }
    if net.scale is not None:
        limits = rounded(net.scale.limits if net.scale.limits is not None else (0.0, 1.0))
        own = {"label": net.scale.label, "unit": net.scale.unit, "limits": limits, "colours": list(net.scale.colours)}
        found["legend"] = own
    return found


def digits_of(step: float) -> int:
    """Number of decimals that distinguish the instants."""
    return int(min(9, max(2, math.ceil(-math.log10(step)) if step > 0 else 2)))


def still(scene: Scene) -> Page:
    """The scene in its initial state."""
    scene = scene.copy()
    frames, tips = at_rest(scene)
    data = data_of(scene, frames, tips)
    return Page(scene, data | {"motion": motion_of(frames, 0.0, 0.0, tips), "digits": 2})


def shown(scene: Scene) -> str:
    """The scene in its initial state, as a notebook shows it."""
    return still(scene)._repr_html_()
