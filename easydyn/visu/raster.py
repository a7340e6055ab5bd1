"""Pictures of a scene without a browser: the camera of the player, and triangles with a depth for every pixel."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from easydyn.visu.scene import View

ANGLE = np.pi / 7  # of view, as in the player
_PIECE = 72  # pixels: how high or wide a piece of a slanting line is at most


class Camera:
    """The camera of the player: a point in ground components to a place on the picture.

    Parameters
    ----------
    view : View
    width, height : int
        Of the picture (pixels).
    gone : array (3,)
        How far the body that it goes along with has moved (m).
    """

    def __init__(self, view: View, width: int, height: int, gone: np.ndarray):
        self.width, self.height = width, height
        self.towards = view.towards / np.linalg.norm(view.towards)
        self.right = np.cross(view.up, self.towards)
        self.right /= np.linalg.norm(self.right)
        self.up = np.cross(self.towards, self.right)
        self.scale = height / 2 / np.tan(ANGLE / 2)  # pixels of what is as wide as it is far away
        size = max(view.size[1], view.size[0] * height / width)
        self.distance = size / 2 / np.tan(ANGLE / 2) + min(view.size) / 4
        self.eye = view.target + gone + self.distance * self.towards
        self.near = self.distance / 50

    def see(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places (N, 2) in pixels, from the upper left, and distances (N,) along the line of sight (m)."""
        line = np.asarray(points, dtype=float).reshape(-1, 3) - self.eye
        depth = -line @ self.towards
        safe = np.maximum(depth, self.near)
        x = self.width / 2 + self.scale * (line @ self.right) / safe
        y = self.height / 2 - self.scale * (line @ self.up) / safe
        return np.stack([x, y], axis=-1), depth

    @property
    def light(self) -> np.ndarray:
        """The direction the light comes from."""
        found = self.towards + 0.45 * self.up - 0.25 * self.right
        return found / np.linalg.norm(found)


class Faces(NamedTuple):
    """Triangles in ground components: corners (T, 3, 3), colours (T, 3) from 0 to 1, opacities (T,)."""

    corners: np.ndarray
    colours: np.ndarray
    opacities: np.ndarray


def shaded(corners: np.ndarray, rgb: tuple[float, ...], opacity: float, light: np.ndarray) -> Faces:
    """Triangles of one colour in the light."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    lit = normals @ light
    bright = 0.42 + 0.5 * np.maximum(lit, 0) + 0.14 * np.maximum(-lit, 0)
    colours = np.clip(np.outer(bright, rgb), 0, 1)
    return Faces(corners, colours, np.full(len(corners), opacity))


def ribbons(ends: np.ndarray, rgb: tuple[float, ...], camera: Camera, wide: float) -> Faces:
    """Lines (N, 2, 3) as triangles of a width (pixels) on the picture; what is behind the eye is cut off."""
    depth = -(ends - camera.eye) @ camera.towards
    ends, depth = ends[(depth > camera.near).any(axis=1)].copy(), depth[(depth > camera.near).any(axis=1)]
    for k in (0, 1):
        behind = depth[:, k] < camera.near
        share = (camera.near - depth[behind, k]) / (depth[behind, 1 - k] - depth[behind, k])
        ends[behind, k] += share[:, None] * (ends[behind, 1 - k] - ends[behind, k])
    places = camera.see(ends)[0].reshape(-1, 2, 2)
    line = places[:, 1] - places[:, 0]
    pieces = np.clip(np.ceil(np.abs(line).min(axis=1) / _PIECE), 1, 200).astype(int)  # slanting ones fill large boxes
    place = np.concatenate([np.arange(n) / n for n in pieces]) if len(pieces) else np.zeros(0)
    first, way = (np.repeat(x, pieces, axis=0) for x in (ends[:, 0], ends[:, 1] - ends[:, 0]))
    p, q = first + place[:, None] * way, first + (place + 1 / np.repeat(pieces, pieces))[:, None] * way
    across = line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-9) * wide / 2
    sideways = np.repeat(across[:, 1, None] * camera.right + across[:, 0, None] * camera.up, pieces, axis=0)
    u, v = (sideways * (camera.see(x)[1] / camera.scale)[:, None] for x in (p, q))
    corners = np.concatenate([np.stack([p - u, p + u, q + v], axis=1), np.stack([p - u, q + v, q - v], axis=1)])
    return Faces(corners, np.tile(rgb, (len(corners), 1)), np.ones(len(corners)))


def painted(faces: Faces, camera: Camera) -> np.ndarray:
    """The picture (height, width, 3) from 0 to 1, on white: at every pixel what is nearest there."""
    places, depth = camera.see(faces.corners)
    places, depth = places.reshape(-1, 3, 2), depth.reshape(-1, 3)
    picture = np.ones((camera.height, camera.width, 3))
    nearest = np.zeros((camera.height, camera.width))  # 1/distance, which is linear on the picture
    low = np.floor(places.min(axis=1)).astype(int)
    high = np.ceil(places.max(axis=1)).astype(int) + 1
    low, high = np.maximum(low, 0), np.minimum(high, [camera.width, camera.height])
    seen = (depth > camera.near).all(axis=1) & (low < high).all(axis=1)
    order = np.flatnonzero(seen)
    order = order[np.argsort(-faces.opacities[order], kind="stable")]  # what can be looked through comes last
    for k in order:
        (a, b, c), inverse = places[k], 1 / depth[k]
        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        if abs(area) < 1e-9:
            continue
        (left, top), (right, bottom) = low[k], high[k]
        x, y = np.arange(left, right) + 0.5 - a[0], np.arange(top, bottom)[:, None] + 0.5 - a[1]
        s = (x * (c[1] - a[1]) - y * (c[0] - a[0])) / area
        t = (y * (b[0] - a[0]) - x * (b[1] - a[1])) / area
        near = inverse[0] + s * (inverse[1] - inverse[0]) + t * (inverse[2] - inverse[0])
        here = nearest[top:bottom, left:right]
        shown = (s >= -1e-9) & (t >= -1e-9) & (s + t <= 1 + 1e-9) & (near > here)
        opacity = faces.opacities[k]
        part = picture[top:bottom, left:right]
        if opacity < 1:
            part[shown] = (1 - opacity) * part[shown] + opacity * faces.colours[k]
        else:
            part[shown] = faces.colours[k]
            here[shown] = near[shown]
    return picture
