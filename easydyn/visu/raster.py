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

    def seen(self, points: np.ndarray) -> np.ndarray:
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
        self.depth = np.full(shape, np.inf)

    @property
    def image(self) -> np.ndarray:
        """Red, green, blue and opacity from 0 to 1, (height, width, 4); opacity is 0 where nothing is drawn."""
        whole = np.zeros((self.camera.height // FINER, self.camera.width // FINER, 4))
        rows, columns = (np.flatnonzero(self.covered.any(axis=k)) // FINER for k in (1, 0))
        if not len(rows):
            return whole
        top, left = rows[0], columns[0]
        mean = whole[top : rows[-1] + 1, left : columns[-1] + 1]  # where something is drawn
        height, width = (FINER * n for n in mean.shape[:2])
        for i in range(FINER):
            for j in range(FINER):
                place = (slice(FINER * top + i, FINER * top + height, FINER),
                         slice(FINER * left + j, FINER * left + width, FINER))  # fmt: skip
                covered = self.covered[place][..., None]
                mean[..., :3] += self.colour[place] * covered
                mean[..., 3:] += covered
        mean[..., :3] /= np.where(mean[..., 3:] > 0, mean[..., 3:], 1)
        mean[..., 3] /= FINER**2
        return np.clip(whole, 0, 1)

    def solid(self, solid: Solid, T: np.ndarray, colour: np.ndarray, opacity: float = 1.0) -> None:
        """Draw a solid whose frame is at T (4, 4): its surfaces, or its edges if it has no surfaces."""
        nodes = solid.nodes @ T[:3, :3].T + T[:3, 3]
        if not len(solid.triangles):
            self._lines(nodes[solid.edges], colour)
            return
        normals = corner_normals(solid) @ np.linalg.inv(T[:3, :3])  # of what is stretched, too
        normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-300)
        towards_light = normals @ self.camera.light
        bright = 0.42 + 0.5 * np.maximum(towards_light, 0) + 0.14 * np.maximum(-towards_light, 0)
        gloss = 0.18 * np.maximum(towards_light, 0) ** 24
        seen = self.camera.seen(nodes)[solid.triangles]
        a, b, c = (seen[:, k, :2] for k in range(3))
        area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
        facing = (area < 0) & (seen[..., 2] > 0.02 * self.camera.distance).all(axis=1)  # y runs downwards
        for k in np.flatnonzero(facing):
            self._triangle(seen[k], bright[k], gloss[k], colour, opacity, float(area[k]))

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
        towards_light = np.abs(normals @ self.camera.light)[triangles]
        bright, gloss = 0.42 + 0.5 * towards_light, 0.18 * towards_light**24
        seen = self.camera.seen(nodes)[triangles]
        a, b, c = (seen[:, k, :2] for k in range(3))
        area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
        good = (area != 0) & (seen[..., 2] > 0.02 * self.camera.distance).all(axis=1)
        own = colours[triangles] if colours.ndim == 2 else None
        for k in np.flatnonzero(good):
            colour = colours if own is None else own[k]
            self._triangle(seen[k], bright[k], gloss[k], colour, opacity, float(area[k]))

    def _triangle(
        self, seen: np.ndarray, bright: np.ndarray, gloss: np.ndarray, colour: np.ndarray, opacity: float, area: float
    ) -> None:
        """One triangle, of one colour (3,) or of one at each corner (3, 3)."""
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = seen.tolist()
        x0, x1 = max(0, int(min(ax, bx, cx) + 0.5)), min(self.camera.width, int(max(ax, bx, cx) + 0.5))
        y0, y1 = max(0, int(min(ay, by, cy) + 0.5)), min(self.camera.height, int(max(ay, by, cy) + 0.5))
        if x0 >= x1 or y0 >= y1:
            return
        x, y = np.arange(x0, x1) + 0.5, (np.arange(y0, y1) + 0.5)[:, None]
        u = ((by - cy) * (x - cx) + (cx - bx) * (y - cy)) / area  # shares of the corners
        v = ((cy - ay) * (x - cx) + (ax - cx) * (y - cy)) / area
        w = 1 - u - v
        inside = (u >= -1e-9) & (v >= -1e-9) & (w >= -1e-9)
        depth = 1 / (u / az + v / bz + w / cz)
        old = self.depth[y0:y1, x0:x1]
        nearer = inside & (depth < old)
        if not nearer.any():
            return
        u, v, w = u[nearer], v[nearer], w[nearer]
        shade = u * bright[0] + v * bright[1] + w * bright[2]
        shine = u * gloss[0] + v * gloss[1] + w * gloss[2]
        tint = colour if colour.ndim == 1 else np.stack([u, v, w], axis=1) @ colour
        drawn = np.minimum(shade[:, None] * tint + shine[:, None], 1)
        place = self.colour[y0:y1, x0:x1]
        covered = self.covered[y0:y1, x0:x1]
        if opacity < 1:
            before = covered[nearer]
            total = opacity + before * (1 - opacity)
            share = (opacity / np.maximum(total, 1e-12))[:, None]
            place[nearer] = share * drawn + (1 - share) * place[nearer]
            covered[nearer] = total
        else:
            place[nearer], covered[nearer] = drawn, 1.0
            old[nearer] = depth[nearer]

    def _lines(self, lines: np.ndarray, colour: np.ndarray) -> None:
        """Lines of one pixel of the picture, (m, 2, 3)."""
        for start, end in lines:
            a, b = self.camera.seen(np.array([start, end]))
            near = 0.02 * self.camera.distance
            if min(a[2], b[2]) < near:
                continue
            count = int(min(max(abs(b[0] - a[0]), abs(b[1] - a[1])) + 2, 8 * self.camera.width))
            s = np.linspace(0, 1, count)[:, None]
            inverse = (1 - s) / a[2] + s / b[2]
            places = np.floor((1 - s) * a[:2] + s * b[:2]).astype(int)
            across = (0, 1) if abs(b[0] - a[0]) > abs(b[1] - a[1]) else (1, 0)
            for k in range(FINER):
                x, y = (places + k * np.array(across)).T
                good = (x >= 0) & (x < self.camera.width) & (y >= 0) & (y < self.camera.height)
                x, y, depth = x[good], y[good], 1 / inverse[good, 0]
                nearer = depth < self.depth[y, x]
                x, y = x[nearer], y[nearer]
                self.colour[y, x], self.covered[y, x], self.depth[y, x] = colour, 1.0, depth[nearer]


def over(top: np.ndarray, below: np.ndarray, opacity: float) -> np.ndarray:
    """One picture (height, width, 4) over another one."""
    a = top[..., 3:] * opacity
    total = a + below[..., 3:] * (1 - a)
    colour = top[..., :3] * a + below[..., :3] * below[..., 3:] * (1 - a)
    return np.concatenate([colour / np.where(total > 0, total, 1), total], axis=-1)
