"""Animations as glTF 2.0, .glb or .gltf: one file that 3-D programs, slides and web pages show.

Every frame of the scene is a moving node; every part is a mesh on it, in its colour in the player. A part that is
stretched between two ends is a node that is moved, turned and scaled along its z axis. The path of a point is a fixed
line. Centres of mass and texts are left out. The topmost node turns the scene so that its "up" is y, as in glTF; inside
it the axes are those of the ground, in m.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import easydyn
from easydyn.files import written
from easydyn.visu import motion, solids
from easydyn.visu.colours import COLOURS, rgb
from easydyn.visu.solids import Solid

FLOAT, WHOLE = 5126, 5125  # types of components: 32 bits each
VERTICES, INDICES = 34962, 34963  # what a piece of the buffer is for
LINES, LINE_STRIP, TRIANGLES = 1, 3, 4
SHORTEST = 1e-9  # of the sizes that a scale may have: a scale of zero has no inverse


def save(animation: Any, path: Path) -> Path:
    """Write a .glb, or a .gltf with its numbers inside; documented at `Animation.save`."""
    asset = _Asset(animation)
    with written(path) as file:
        if path.suffix.lower() == ".gltf":
            uri = "data:application/octet-stream;base64," + base64.b64encode(asset.buffer).decode("ascii")
            file.write(json.dumps(asset.content(uri), indent=1, allow_nan=False).encode("ascii"))
        else:
            text = json.dumps(asset.content(), separators=(",", ":"), allow_nan=False).encode("ascii")
            text += b" " * (-len(text) % 4)
            chunks = [(b"JSON", text)] + [(b"BIN\0", bytes(asset.buffer))] * bool(asset.buffer)
            whole = b"".join(len(data).to_bytes(4, "little") + kind + data for kind, data in chunks)
            file.write(b"glTF" + (2).to_bytes(4, "little") + (12 + len(whole)).to_bytes(4, "little") + whole)
    return path


class _Asset:
    """The lists of a glTF file, and the bytes that they refer to."""

    def __init__(self, animation: Any):
        self.buffer = bytearray()
        self.lists: dict[str, list[dict[str, Any]]] = {
            name: [] for name in ("nodes", "meshes", "materials", "accessors", "bufferViews")
        }
        self.title = animation.scene.title
        self.size = animation.scene.size
        self.channels: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []
        self._known: dict[Any, int] = {}
        self.times = animation.t - animation.t[0]
        self._build(animation)

    def content(self, uri: str | None = None) -> dict[str, Any]:
        found: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": f"easydyn {easydyn.__version__}"},
            "scene": 0,
            "scenes": [{"name": self.title, "nodes": [0]}],
        }
        found |= {name: entries for name, entries in self.lists.items() if entries}
        if self.channels:
            found["animations"] = [{"name": "run", "channels": self.channels, "samplers": self.samplers}]
        if self.buffer:
            found["buffers"] = [{"byteLength": len(self.buffer)} | ({"uri": uri} if uri else {})]
        return found

    # -- what is there ------------------------------------------------------------------------------------------------

    def _build(self, animation: Any) -> None:
        scene, frames = animation.scene, animation.frames
        upright = solids.shortest(scene.view.up, (0.0, 1.0, 0.0))
        nodes = self.lists["nodes"]
        nodes.append({"name": self.title, "children": [1]})
        if np.abs(upright - np.eye(3)).max() > 1e-12:
            nodes[0]["rotation"] = _xyzw(motion.quaternions(upright[None]))[0].tolist()
        nodes.append({"name": "ground", "children": []})
        places = {"ground": 1}
        for k, frame in enumerate(scene.frames[1:]):
            places[frame.name] = self._child(1, {"name": frame.name})
            self._move(places[frame.name], frames[:, k])
        for part, T in zip(scene.parts, motion.placed(scene, frames, animation.tips), strict=True):
            if part.kind == "path" and len(self.times) > 1:
                points = T[:, :3, :3] @ part.point + T[:, :3, 3]
                mesh = self._mesh(part.name, points, None, LINE_STRIP, part.colour, part.opacity)
                self._child(1, {"name": part.name, "mesh": mesh})
            elif part.net is not None and part.net.rigid:  # in rigid pieces, one on each node
                for name, piece in part.net.rigid:
                    found = self._solid(f"{part.name}, {name}", piece, part.colour, part.opacity)
                    if found is not None:
                        self._child(places[name], {"name": part.name, "mesh": found})
            elif part.solid is not None:
                found = self._solid(part.name, part.solid, part.colour, part.opacity)
                if found is None:
                    continue
                between = part.kind == "between"
                own = self._child(1 if between else places[part.body], {"name": part.name, "mesh": found})
                if between:
                    self._move(own, T)
        for node in nodes:
            if not node.get("children", True):
                del node["children"]

    def _child(self, parent: int, node: dict[str, Any]) -> int:
        self.lists["nodes"].append(node)
        number = len(self.lists["nodes"]) - 1
        self.lists["nodes"][parent].setdefault("children", []).append(number)
        return number

    def _solid(self, name: str, solid: Solid, colour: str, opacity: float) -> int | None:
        if len(solid.triangles):
            return self._mesh(name, solid.nodes, solid.triangles, TRIANGLES, colour, opacity)
        if len(solid.edges):
            return self._mesh(name, solid.nodes, solid.edges, LINES, colour, opacity)
        return None

    def _mesh(self, name: str, nodes: Any, index: Any, mode: int, colour: str, opacity: float) -> int:
        """A mesh by its nodes; without normals, so that every surface is flat, and programs work them out."""
        primitive: dict[str, Any] = {"attributes": {"POSITION": self._accessor(nodes, VERTICES)}, "mode": mode}
        if index is not None:
            primitive["indices"] = self._accessor(index, INDICES)
        primitive["material"] = self._material(colour, opacity)
        key = ("mesh", name, json.dumps(primitive, sort_keys=True))
        return self._once(key, "meshes", {"name": name, "primitives": [primitive]})

    def _material(self, colour: str, opacity: float) -> int:
        name = next((name for name, value in COLOURS.items() if value == colour), colour)
        parts = (rgb(colour) / 255).tolist()
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]  # sRGB: IEC 61966-2-1
        found: dict[str, Any] = {
            "name": name if opacity == 1 else f"{name}, {opacity:g}",
            "pbrMetallicRoughness": {
                "baseColorFactor": [*(round(x, 6) for x in linear), opacity],
                "metallicFactor": 0.0,
                "roughnessFactor": 0.7,
            },
            "doubleSided": True,
        }
        if opacity < 1:
            found["alphaMode"] = "BLEND"
        return self._once(("material", colour, opacity), "materials", found)

    # -- how it moves -------------------------------------------------------------------------------------------------

    def _move(self, node: int, T: np.ndarray) -> None:
        """Place a node by matrices (N, 4, 4) whose columns may have lengths: what changes is animated."""
        scale = np.linalg.norm(T[:, :3, :3], axis=1)
        R = T[:, :3, :3] / np.where(scale > 0, scale, 1.0)[:, None, :]
        if not scale.all():  # a column that vanished: the others say which it was
            for j in range(3):
                cross = np.cross(R[:, :, (j + 1) % 3], R[:, :, (j + 2) % 3])
                R[:, :, j] = np.where(scale[:, j, None] > 0, R[:, :, j], cross)
        parts = {"translation": T[:, :3, 3], "rotation": _xyzw(motion.quaternions(R))}
        if np.abs(scale - 1).max() > 1e-9:
            parts["scale"] = np.maximum(scale, SHORTEST * self.size)
        for name, values in parts.items():
            single = values.astype("<f4")
            if len(single) > 1 and np.ptp(single, axis=0).any():
                self._channel(node, name, values)
            else:
                self.lists["nodes"][node][name] = single[0].tolist()

    def _channel(self, node: int, name: str, values: np.ndarray) -> None:
        sampler = {"input": self._accessor(self.times, None), "interpolation": "LINEAR"}
        sampler["output"] = self._accessor(values, None)
        self.samplers.append(sampler)
        self.channels.append({"sampler": len(self.samplers) - 1, "target": {"node": node, "path": name}})

    # -- numbers ------------------------------------------------------------------------------------------------------

    def _once(self, key: Any, which: str, entry: dict[str, Any]) -> int:
        """The place of an entry in a list, which is made when it is not there."""
        if key not in self._known:
            self._known[key] = len(self.lists[which])
            self.lists[which].append(entry)
        return self._known[key]

    def _accessor(self, values: Any, target: int | None) -> int:
        """The place of an array among the accessors; equal arrays are one."""
        array = np.asarray(values)
        single = array.astype("<u4").reshape(-1) if target == INDICES else array.astype("<f4")
        data = single.tobytes()
        key = ("accessor", target, single.shape, data)
        if key in self._known:
            return self._known[key]
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(data)}
        if target is not None:
            view["target"] = target
        self.buffer += data  # four bytes each: whatever follows is aligned
        kinds: Sequence[str] = ("SCALAR", "VEC2", "VEC3", "VEC4")
        accessor: dict[str, Any] = {
            "bufferView": self._once(("view", len(self.buffer)), "bufferViews", view),
            "componentType": WHOLE if target == INDICES else FLOAT,
            "count": len(single),
            "type": kinds[0 if single.ndim == 1 else single.shape[1] - 1],
        }
        if target != INDICES:
            rows = single.reshape(len(single), -1)
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        return self._once(key, "accessors", accessor)


def _xyzw(quaternions: np.ndarray) -> np.ndarray:
    """Scalar last, as glTF has it."""
    return np.roll(quaternions, -1, axis=-1)
