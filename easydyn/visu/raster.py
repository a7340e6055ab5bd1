"""Pictures of solids as arrays of colours: a camera and a depth buffer in NumPy, without a display or browser.

The camera is that of the player: it sees `ANGLE` from the lower to the upper edge, at a distance at which the view's
size fills the picture. A triangle covers the pixels whose centres lie inside it; of all triangles that cover a pixel,
the nearest is seen. Pixels are drawn `FINER` times finer than asked for and averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    """A picture on which solids and surfaces are drawn; `image` is the result.

    For the pictures of a film it is cleared of all that was drawn after `fix`.
    """

    def __init__(self, camera: Camera):
        shape = camera.height, FINER, camera.width, FINER
        self.still = np.zeros((camera.height, camera.width, 4), dtype=np.float32)  # the image of what is fixed
        self.colour = np.zeros((*shape, 3), dtype=np.float32)
        self.covered = np.zeros((*shape, 1), dtype=np.float32)  # by how much
        self.near = np.zeros((*shape, 1))  # 1 / depth (1/m)
        self.drawn = np.zeros((camera.height, camera.width), dtype=bool)  # where something was drawn after `fix`
        self.pixels: tuple[np.ndarray, ...] = self.colour, self.covered, self.near
        self.fixed: tuple[np.ndarray, ...] = ()
        self.clear(camera)

    @property
    def _places(self) -> tuple[np.ndarray, ...]:
        return np.divmod(np.flatnonzero(self.drawn), self.drawn.shape[1])

    def fix(self) -> None:
        """Let what is drawn stay when the canvas is cleared."""
        self.still, self.drawn = self.image, np.zeros_like(self.drawn)
        self.fixed = tuple(own.copy() for own in self.pixels)

    def clear(self, camera: Camera) -> None:
        """Leave what is fixed, and see through a camera of the same size what is drawn from now on."""
        self.camera = Camera(camera.view, camera.shift, camera.width * FINER, camera.height * FINER)
        row, column = self._places
        for own, fixed in zip(self.pixels, self.fixed, strict=False):
            own[row, :, column] = fixed[row, :, column]
        self.drawn[:] = False

    @property
    def changed(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows and columns (n,) of the image where something is not as it was fixed, and what is there (n, 4)."""
        row, column = self._places
        covered = self.covered[row, :, column]
        opacity = covered.sum(axis=(1, 2))
        mean = (covered * self.colour[row, :, column]).sum(axis=(1, 2)) / np.maximum(opacity, 1e-12)
        return row, column, np.minimum(np.column_stack([mean, opacity / FINER**2]), 1)

    @property
    def image(self) -> np.ndarray:
        """Red, green, blue and opacity from 0 to 1, (height, width, 4); opacity is 0 where nothing is drawn."""
        whole = self.still.copy()
        row, column, colours = self.changed
        whole[row, column] = colours
        return whole

    def solids(self, given: Sequence[tuple[Solid, np.ndarray, np.ndarray]], opacity: float = 1.0) -> None:
        """Draw solids whose frames are at T (4, 4), in colours (3,): surfaces, or edges where there are no surfaces."""
        if opacity == 1:
            given = given[::-1]  # of two that are as near, the first one is seen
        inverses = np.linalg.pinv(np.reshape([T[:3, :3] for _, T, _ in given], (-1, 3, 3)))  # what is flat has one, too
        found = [(np.zeros((0, 3, 3)),) * 3]
        for (solid, T, colour), inverse in zip(given, inverses, strict=True):
            nodes = solid.nodes @ T[:3, :3].T + T[:3, 3]
            if len(solid.triangles):
                corners = nodes[solid.triangles]
                found.append((corners, corner_normals(solid) @ inverse, np.broadcast_to(colour, corners.shape)))
            else:
                self._lines(nodes[solid.edges], colour)
        corners, normals, colours = map(np.concatenate, zip(*found, strict=True))
        normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-300)
        self._triangles(corners, normals, colours, opacity, one_sided=True)

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
        x, y, depth = np.moveaxis(seen, 0, -1).swapaxes(0, 1)
        rows = np.clip(np.array([y.min(axis=0), y.max(axis=0)]) + 0.5, 0, self.camera.height).astype(int)
        k, row = _expanded(*rows)
        slope = np.stack([y[1] - y[2], y[2] - y[0]]) / area
        across = np.stack([x[2] - x[1], x[0] - x[2]]) / area
        start = across[:, k] * (row + 0.5 - y[2, k]) - slope[:, k] * x[2, k]  # at x = 0
        slope = np.vstack([slope, -slope.sum(axis=0)])[:, k]
        start = np.vstack([start, 1 - start.sum(axis=0)])
        with np.errstate(all="ignore"):
            zero = (-1e-9 - start) / slope  # where a share vanishes
        left = np.where(slope > 0, zero, -np.inf).max(axis=0)
        right = np.where(slope < 0, zero, np.inf).min(axis=0)
        right[((slope == 0) & (start < -1e-9)).any(axis=0)] = -1.0
        ends = np.clip([np.ceil(left - 0.5), np.floor(right + 0.5)], 0, self.camera.width).astype(int)
        line, column = _expanded(*ends)
        near_start, near_slope = ((share / depth[:, k]).sum(axis=0) for share in (start, slope))
        place, near = row[line] * self.camera.width + column, near_start[line] + near_slope[line] * (column + 0.5)
        whole, covered, nearest = self.colour.reshape(-1, 3), self.covered.ravel(), self.near.ravel()
        seen_now = near > nearest[place]
        if opacity == 1:
            np.maximum.at(nearest, place, near)
            seen_now &= near == nearest[place]
        line, column, place = line[seen_now], column[seen_now], place[seen_now]
        shares = start[:, line] + slope[:, line] * (column + 0.5)
        drawn = np.minimum(np.einsum("cn,ncj->nj", shares, shown[k[line]]), 1)
        total = opacity + covered[place] * (1 - opacity)
        share = (opacity / np.maximum(total, 1e-12))[:, None]
        whole[place] = share * drawn + (1 - share) * whole[place] if opacity < 1 else drawn
        covered[place] = total
        self.drawn[row[line] // FINER, column // FINER] = True

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
        whole, covered, nearest = self.colour.reshape(-1, 3), self.covered.ravel(), self.near.ravel()
        for k in range(FINER):
            x, y = (places + k * np.stack([~level, level], axis=1)[line]).T
            good = (x < self.camera.width) & (y < self.camera.height)
            place, own = (y * self.camera.width + x)[good], near[good]
            nearer = own > nearest[place]
            place = place[nearer]
            np.maximum.at(nearest, place, own[nearer])
            whole[place], covered[place] = colour, 1.0
            self.drawn[y[good] // FINER, x[good] // FINER] = True


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
