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
from easydyn.visu.solids import Solid, seen_along, unit

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
        return seen_along(self.view.up, self.view.towards)

    @property
    def light(self) -> np.ndarray:
        """Unit vector to the light, which is above the eye and slightly to its left."""
        return unit(np.array([-0.25, 0.45, 1.0]) @ self.axes)

    @property
    def nearest(self) -> float:
        """The distance (m) below which nothing is drawn."""
        return 0.02 * self.distance

    def weighted(self, points: np.ndarray) -> np.ndarray:
        """Pixels from the left and from the top, both times the distance (m) along the line of sight, and this one."""
        local = (np.asarray(points, dtype=float) - self.view.target - self.shift) @ self.axes.T
        depth, scale = self.distance - local[..., 2:], self.height / 2 / np.tan(ANGLE / 2)
        middle = np.array([self.width, self.height]) / 2
        return np.concatenate([middle * depth + local[..., :2] * (scale, -scale), depth], axis=-1)

    def project(self, points: np.ndarray) -> np.ndarray:
        """Pixels from the left and from the top, and distance (m) along the line of sight, (..., 3) of (..., 3)."""
        found = self.weighted(points)
        found[..., :2] /= np.maximum(found[..., 2:], 1e-9 * self.distance)
        return found


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
    """A picture on which solids and surfaces are drawn, over what is `below`; `image` is the result."""

    def __init__(self, camera: Camera, below: Canvas | None = None):
        self.camera = Camera(camera.view, camera.shift, camera.width * FINER, camera.height * FINER)
        shape = self.camera.height, self.camera.width
        self.colour = np.zeros((*shape, 3), dtype=np.float32)
        self.covered = np.zeros(shape, dtype=np.float32)  # by how much
        self.near = np.zeros(shape)  # 1 / depth (1/m)
        if below is not None:
            some, *given = below.drawn
            for own, those in zip(self._pixels, given, strict=True):
                own[some] = those

    @property
    def _pixels(self) -> tuple[np.ndarray, ...]:
        return self.colour.reshape(-1, 3), self.covered.ravel(), self.near.ravel()

    @property
    def drawn(self) -> tuple[np.ndarray, ...]:
        """The pixels on which something is drawn, and what is there."""
        some = np.flatnonzero(self.covered > 0)
        return some, *(own[some] for own in self._pixels)

    @property
    def image(self) -> np.ndarray:
        """Red, green, blue and opacity from 0 to 1, (height, width, 4); opacity is 0 where nothing is drawn."""
        height, width = self.camera.height // FINER, self.camera.width // FINER
        fine, colour, covered, _ = self.drawn
        row, column = np.divmod(fine, self.camera.width)
        coarse = row // FINER * width + column // FINER
        weighted = colour * covered[:, None]
        first = coarse.min(initial=height * width)
        sums = np.array([np.bincount(coarse - first, x) for x in (*weighted.T, covered)])
        some = np.flatnonzero(sums[3] > 0)
        whole = np.zeros((height * width, 4), dtype=np.float32)
        whole[first + some] = np.minimum([*sums[:3, some] / sums[3, some], sums[3, some] / FINER**2], 1).T
        return whole.reshape(height, width, 4)

    def solid(self, solid: Solid, T: np.ndarray, colour: np.ndarray, opacity: float = 1.0) -> None:
        """Draw a solid whose frame is at T (4, 4): its surfaces, or its edges if it has no surfaces."""
        nodes = solid.nodes @ T[:3, :3].T + T[:3, 3]
        if not len(solid.triangles):
            self._lines(nodes[solid.edges], colour)
            return
        normals = corner_normals(solid) @ np.linalg.pinv(T[:3, :3])  # of what is stretched, too, to nothing or not
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
        towards_light = (normals @ self.camera.light)[..., None]
        bright = 0.42 + 0.5 * np.maximum(towards_light, 0) + 0.14 * np.maximum(-towards_light, 0)
        shown = bright * colour + 0.18 * np.maximum(towards_light, 0) ** 24
        seen = self.camera.project(corners)
        (ax, ay), (bx, by), (cx, cy) = (seen[:, k, :2].T for k in range(3))
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        facing = (area < 0 if one_sided else area != 0) & np.isfinite(area)  # y runs downwards
        chosen = np.flatnonzero(facing & (seen[..., 2] > self.camera.nearest).all(axis=1))
        pixels = np.cumsum(np.minimum(np.abs(area[chosen]) / 2, self.near.size))
        groups = np.arange(len(chosen)) if opacity < 1 else (pixels // ROOM).astype(int)
        for k in np.split(chosen, np.flatnonzero(np.diff(groups)) + 1):
            self._rows(seen[k], shown[k], opacity, area[k])

    def _rows(self, seen: np.ndarray, shown: np.ndarray, opacity: float, area: np.ndarray) -> None:
        """Triangles by the rows of pixels that they cover: along a row, the shares of the corners are linear in x."""
        x, y = seen[..., 0], seen[..., 1]
        rows = np.clip(np.array([y.min(axis=1), y.max(axis=1)]) + 0.5, 0, self.camera.height).astype(int)
        k, row = _expanded(*rows)
        slope = np.stack([y[:, 1] - y[:, 2], y[:, 2] - y[:, 0]], axis=1) / area[:, None]
        across = np.stack([x[:, 2] - x[:, 1], x[:, 0] - x[:, 2]], axis=1) / area[:, None]
        start = across[k] * (row + 0.5 - y[k, 2])[:, None] - slope[k] * x[k, 2:]  # at x = 0
        slope = np.column_stack([slope, -slope.sum(axis=1)])[k]
        start = np.column_stack([start, 1 - start.sum(axis=1)])
        with np.errstate(all="ignore"):
            zero = (-1e-9 - start) / slope  # where a share vanishes
        left = np.where(slope > 0, zero, -np.inf).max(axis=1)
        right = np.where(slope < 0, zero, np.inf).min(axis=1)
        right[((slope == 0) & (start < -1e-9)).any(axis=1)] = -1.0
        ends = np.clip([np.ceil(left - 0.5), np.floor(right + 0.5)], 0, self.camera.width).astype(int)
        line, column = _expanded(*ends)
        near_start, near_slope = ((share / seen[k, :, 2]).sum(axis=1) for share in (start, slope))
        place, near = row[line] * self.camera.width + column, near_start[line] + near_slope[line] * (column + 0.5)
        whole, covered, nearest = self._pixels
        seen_now = near > nearest[place]
        if opacity == 1:
            np.maximum.at(nearest, place, near)
            seen_now &= near == nearest[place]
        line, column, place = line[seen_now], column[seen_now], place[seen_now]
        shares = start[line] + slope[line] * (column + 0.5)[:, None]
        drawn = np.minimum(np.einsum("nc,ncj->nj", shares, shown[k[line]]), 1)
        total = opacity + covered[place] * (1 - opacity)
        share = (opacity / np.maximum(total, 1e-12))[:, None]
        whole[place] = share * drawn + (1 - share) * whole[place] if opacity < 1 else drawn
        covered[place] = total

    def _lines(self, lines: np.ndarray, colour: np.ndarray) -> None:
        """Lines of one pixel of the picture, (m, 2, 3), as far as they are before the eye and in the picture."""
        ends = self.camera.weighted(lines)
        size = np.array([self.camera.width, self.camera.height])
        inside = np.concatenate([ends[..., :2], size * ends[..., 2:] - ends[..., :2],
                                 ends[..., 2:] - self.camera.nearest], axis=-1)  # fmt: skip
        change = inside[:, 1] - inside[:, 0]
        with np.errstate(all="ignore"):
            zero = -inside[:, 0] / change
        low = np.where(change > 0, zero, 0).max(axis=1, initial=0)
        high = np.where(change < 0, zero, 1).min(axis=1, initial=1)
        some = (low < high) & ((change != 0) | (inside[:, 0] >= 0)).all(axis=1)
        ends, low, high = ends[some], low[some, None], high[some, None]
        a, b = (ends[:, 0] + s * (ends[:, 1] - ends[:, 0]) for s in (low, high))
        (first, last), depths = (x[:, :2] / x[:, 2:] for x in (a, b)), (a[:, 2], b[:, 2])
        counts = (np.abs(last - first).max(axis=1, initial=0) + 2).astype(int)
        line, step = _expanded(np.zeros_like(counts), counts)
        s = (step / (counts - 1)[line])[:, None]
        near = (1 - s[:, 0]) / depths[0][line] + s[:, 0] / depths[1][line]
        places = np.floor((1 - s) * first[line] + s * last[line]).clip(0).astype(int)
        level = np.abs(last - first) @ (1, -1) > 0
        whole, covered, nearest = self._pixels
        for k in range(FINER):
            x, y = (places + k * np.stack([~level, level], axis=1)[line]).T
            good = (x < self.camera.width) & (y < self.camera.height)
            place, own = (y * self.camera.width + x)[good], near[good]
            nearer = own > nearest[place]
            place = place[nearer]
            np.maximum.at(nearest, place, own[nearer])
            whole[place], covered[place] = colour, 1.0


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
