"""Pictures of solids as arrays of colours: a camera and a depth buffer in NumPy, without a display or browser.

The camera is that of the player: it sees `ANGLE` from the lower to the upper edge, at a distance at which the view's
size fills the picture. A triangle covers the pixels whose centres lie inside it; of all triangles that cover a pixel,
the nearest is seen. Pixels are drawn `FINER` times finer than asked for and averaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from easydyn.visu.scene import View
from easydyn.visu.solids import Solid, unit

ANGLE = np.pi / 7
FINER = 2
ROOM = 400_000  # pixels of triangles that are drawn at once
CREASE = np.cos(np.radians(40))  # sharper edges are seen as edges


@dataclass(frozen=True, eq=False)
class Camera:
    """The projection of points (m) to a picture of width by height pixels.

    Attributes
    ----------
    view : View
    shift : array (3,)
        The displacement (m) of the body that the camera follows.
    width, height : int
    """

    view: View
    shift: np.ndarray
    width: int
    height: int

    @cached_property
    def distance(self) -> float:
        """From the target to the eye (m)."""
        width, height = self.view.size
        size = max(height, width * self.height / self.width)
        return float(size / 2 / np.tan(ANGLE / 2) + min(width, height) / 4)

    @cached_property
    def axes(self) -> np.ndarray:
        """Rows: to the right, upwards, towards the eye."""
        towards = unit(self.view.towards)
        right = unit(np.cross(self.view.up, towards))
        return np.array([right, np.cross(towards, right), towards])

    @property
    def light(self) -> np.ndarray:
        """Unit vector to the light, which is above the eye and slightly to its left."""
        return unit(np.array([-0.25, 0.45, 1.0]) @ self.axes)

    def project(self, points: np.ndarray) -> np.ndarray:
        """Pixels from the left and from the top, and distance (m) along the line of sight, (..., 3) of (..., 3)."""
        local = (np.asarray(points, dtype=float) - self.view.target - self.shift) @ self.axes.T
        depth = self.distance - local[..., 2]
        scale = self.height / 2 / np.tan(ANGLE / 2) / np.maximum(depth, 1e-9 * self.distance)
        x = self.width / 2 + local[..., 0] * scale
        return np.stack([x, self.height / 2 - local[..., 1] * scale, depth], axis=-1)


@lru_cache(maxsize=256)  # the same solids come again with every picture of a film
def corner_normals(solid: Solid) -> np.ndarray:
    """Unit normals at the corners of the triangles, (k, 3, 3): smooth where no edge is sharp."""
    corners = solid.nodes[solid.triangles]
    weighted = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(weighted, axis=1, keepdims=True)
    flat = weighted / np.where(sizes > 0, sizes, 1)
    around: list[list[tuple[int, int]]] = [[] for _ in range(len(solid.nodes))]
    for k, triangle in enumerate(solid.triangles.tolist()):
        for corner, node in enumerate(triangle):
            around[node].append((k, corner))
    smooth = np.repeat(flat[:, None], 3, axis=1)
    for places in around:
        if len(places) > 1:
            own = [k for k, _ in places]
            sums = (flat[own] @ flat[own].T > CREASE) @ weighted[own]
            lengths = np.linalg.norm(sums, axis=1, keepdims=True)
            for (k, corner), normal in zip(places, sums / np.where(lengths > 0, lengths, 1), strict=True):
                smooth[k, corner] = normal
    return smooth


class Canvas:
    """A picture on which solids and surfaces are drawn; `image` is the result."""

    def __init__(self, camera: Camera):
        self.camera = Camera(camera.view, camera.shift, camera.width * FINER, camera.height * FINER)
        shape = self.camera.height, self.camera.width
        self.colour = np.zeros((*shape, 3), dtype=np.float32)
        self.covered = np.zeros(shape, dtype=np.float32)  # by how much
        self.near = np.zeros(shape)  # 1 / depth (1/m)

    @property
    def image(self) -> np.ndarray:
        """Red, green, blue and opacity from 0 to 1, (height, width, 4); opacity is 0 where nothing is drawn."""
        height, width = self.camera.height // FINER, self.camera.width // FINER
        fine = np.flatnonzero(self.covered)
        row, column = np.divmod(fine, self.camera.width)
        coarse = row // FINER * width + column // FINER
        covered = self.covered.ravel()[fine]
        weighted = self.colour.reshape(-1, 3)[fine] * covered[:, None]
        sums = [np.bincount(coarse, x, height * width) for x in (*weighted.T, covered)]
        some = np.flatnonzero(sums[3])
        whole = np.zeros((height * width, 4), dtype=np.float32)
        for k in range(3):
            whole[some, k] = np.minimum(sums[k][some] / sums[3][some], 1)
        whole[:, 3] = sums[3] / FINER**2
        return whole.reshape(height, width, 4)

    def solid(self, solid: Solid, T: np.ndarray, colour: np.ndarray, opacity: float = 1.0) -> None:
        """Draw a solid whose frame is at T (4, 4): its surfaces, or its edges if it has no surfaces."""
        nodes = solid.nodes @ T[:3, :3].T + T[:3, 3]
        if not len(solid.triangles):
            self._lines(nodes[solid.edges], colour)
            return
        normals = corner_normals(solid) @ np.linalg.inv(T[:3, :3])  # of what is stretched, too
        normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-300)
        self._triangles(nodes[solid.triangles], normals, colour, opacity, one_sided=True)

    def surface(
        self, nodes: np.ndarray, triangles: np.ndarray, colours: np.ndarray, opacity: float = 1.0
    ) -> None:  # fmt: skip
        """Draw a surface, seen from both sides: nodes (n, 3) in ground axes, their colours (n, 3) or one (3,)."""
        triangles = triangles[np.isfinite(nodes[triangles]).all(axis=(1, 2))]
        corners = nodes[triangles]
        weighted = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals = np.zeros_like(nodes)
        for corner in range(3):
            np.add.at(normals, triangles[:, corner], weighted)
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        normals[normals @ self.camera.light < 0] *= -1
        own = colours[triangles] if colours.ndim == 2 else colours
        self._triangles(corners, normals[triangles], own, opacity, one_sided=False)

    def _triangles(
        self, corners: np.ndarray, normals: np.ndarray, colour: np.ndarray, opacity: float, one_sided: bool
    ) -> None:  # fmt: skip
        """Draw triangles, (k, 3, 3) as their normals: all at once, as far as there is room, or one by one if clear."""
        towards_light = normals @ self.camera.light
        bright = 0.42 + 0.5 * np.maximum(towards_light, 0) + 0.14 * np.maximum(-towards_light, 0)
        light = np.stack([bright, 0.18 * np.maximum(towards_light, 0) ** 24], axis=-1)
        seen = self.camera.project(corners)
        (ax, ay), (bx, by), (cx, cy) = (seen[:, k, :2].T for k in range(3))
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        facing = area < 0 if one_sided else area != 0  # y runs downwards
        chosen = np.flatnonzero(facing & (seen[..., 2] > 0.02 * self.camera.distance).all(axis=1))
        pixels = np.cumsum(np.minimum(np.abs(area[chosen]) / 2, self.near.size))
        groups = np.arange(len(chosen)) if opacity < 1 else (pixels // ROOM).astype(int)
        colour = np.broadcast_to(colour, corners.shape)
        for k in np.split(chosen, np.flatnonzero(np.diff(groups)) + 1):
            self._rows(seen[k], light[k], colour[k], opacity, area[k])

    def _rows(self, seen: np.ndarray, light: np.ndarray, colour: np.ndarray, opacity: float, area: np.ndarray) -> None:
        """Triangles by the rows of pixels that they cover: along a row, the shares of the corners are linear in x."""
        x, y = seen[..., 0], seen[..., 1]
        rows = np.clip(np.array([y.min(axis=1), y.max(axis=1)]) + 0.5, 0, self.camera.height).astype(int)
        k, row = _expanded(*rows)
        slope = np.stack([y[:, 1] - y[:, 2], y[:, 2] - y[:, 0]], axis=1) / area[:, None]
        across = np.stack([x[:, 2] - x[:, 1], x[:, 0] - x[:, 2]], axis=1) / area[:, None]
        start = across[k] * (row + 0.5 - y[k, 2])[:, None] - slope[k] * x[k, 2:]  # at x = 0
        slope = np.column_stack([slope, -slope.sum(axis=1)])
        start = np.column_stack([start, 1 - start.sum(axis=1)])
        with np.errstate(all="ignore"):
            zero = (-1e-9 - start) / slope[k]  # where a share vanishes
        left = np.where(slope[k] > 0, zero, -np.inf).max(axis=1)
        right = np.where(slope[k] < 0, zero, np.inf).min(axis=1)
        right[((slope[k] == 0) & (start < -1e-9)).any(axis=1)] = -1.0
        ends = np.clip([np.ceil(left - 0.5), np.floor(right + 0.5)], 0, self.camera.width).astype(int)
        line, column = _expanded(*ends)
        k, place = k[line], row[line] * self.camera.width + column
        shares = start[line] + slope[k] * (column + 0.5)[:, None]
        near, nearest = (shares / seen[k, :, 2]).sum(axis=1), self.near.ravel()
        seen_now = near > nearest[place]
        if opacity == 1:
            np.maximum.at(nearest, place, near)
            seen_now &= near == nearest[place]
        k, place, shares = k[seen_now], place[seen_now], shares[seen_now, None]
        shade, shine = np.moveaxis((shares @ light[k])[:, 0], 1, 0)[..., None]
        drawn = np.minimum(shade * (shares @ colour[k])[:, 0] + shine, 1)
        whole, covered = self.colour.reshape(-1, 3), self.covered.ravel()
        total = opacity + covered[place] * (1 - opacity)
        share = (opacity / np.maximum(total, 1e-12))[:, None]
        whole[place] = share * drawn + (1 - share) * whole[place] if opacity < 1 else drawn
        covered[place] = total

    def _lines(self, lines: np.ndarray, colour: np.ndarray) -> None:
        """Lines of one pixel of the picture, (m, 2, 3)."""
        for start, end in lines:
            a, b = self.camera.project(np.array([start, end]))
            if min(a[2], b[2]) < 0.02 * self.camera.distance:
                continue
            count = int(min(max(abs(b[0] - a[0]), abs(b[1] - a[1])) + 2, 8 * self.camera.width))
            s = np.linspace(0, 1, count)[:, None]
            inverse = (1 - s) / a[2] + s / b[2]
            places = np.floor((1 - s) * a[:2] + s * b[:2]).astype(int)
            across = (0, 1) if abs(b[0] - a[0]) > abs(b[1] - a[1]) else (1, 0)
            for k in range(FINER):
                x, y = (places + k * np.array(across)).T
                good = (x >= 0) & (x < self.camera.width) & (y >= 0) & (y < self.camera.height)
                x, y, near = x[good], y[good], inverse[good, 0]
                nearer = near > self.near[y, x]
                x, y = x[nearer], y[nearer]
                self.colour[y, x], self.covered[y, x], self.near[y, x] = colour, 1.0, near[nearer]


def _expanded(begin: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The whole numbers of several ranges, one after the other: which range, and the number."""
    counts = np.maximum(end - begin, 0)
    which = np.repeat(np.arange(len(counts)), counts)
    return which, np.arange(len(which)) + np.repeat(begin - np.cumsum(counts) + counts, counts)


def over(top: np.ndarray, below: np.ndarray, opacity: float) -> np.ndarray:
    """One picture (height, width, 4) over another one."""
    a = top[..., 3:] * opacity
    total = a + below[..., 3:] * (1 - a)
    colour = top[..., :3] * a + below[..., :3] * below[..., 3:] * (1 - a)
    return np.concatenate([colour / np.where(total > 0, total, 1), total], axis=-1)
