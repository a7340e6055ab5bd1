"""Elements of textbook drawings: outlines, hatching, dimensions, arcs with arrows, springs, dampers.

A `Drafter` draws points of space, seen from far away along one direction, into axes; lengths are in m. Line widths and
letter sizes are those of the current style (`easydyn.result.plots.style`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy

from easydyn.result.plots import shown_as
from easydyn.visu.colours import GREYS, PALETTE
from easydyn.visu.solids import Solid, seen_along, unit

INK, ACCENT, FILL = GREYS["black"], PALETTE["blue"], "#eceff1"
SHADE = "#b4bcc2"  # of faces without lines between them
THIN, LINE, THICK = 0.7, 1.2, 1.8  # widths of lines, points
ASIDE = np.exp(1j * np.array([0, 0.8, -0.8, 1.6, -1.6]))  # directions in which a label avoids another
SHARP = np.cos(np.radians(30))


def formula(expression: Any) -> str:
    """An expression as mathematical text: "$l_1$"."""
    if isinstance(expression, str):
        expression = sympy.Symbol(expression)
    return f"${sympy.latex(expression)}$"


class Drafter:
    """Draws the view along `towards` into axes; sizes of symbols are fractions of `s` (m).

    Attributes
    ----------
    right, up, towards : arrays (3,)
        Directions on the paper, and from the paper to the eye.
    """

    def __init__(self, ax: Any, up: np.ndarray, towards: np.ndarray, s: float):
        import matplotlib

        self.ax, self.s = ax, s
        self.wide = matplotlib.rcParams["lines.linewidth"] / 1.5  # of the style, beside matplotlib's own
        self.heads = 12 * matplotlib.rcParams["font.size"] / 10
        self.right, self.up, self.towards = seen_along(up, towards)

    def flat(self, points: Any) -> np.ndarray:
        """Positions on the paper (..., 2) of points (..., 3)."""
        return np.asarray(points, dtype=float) @ np.stack([self.right, self.up], axis=1)

    # -- lines ------------------------------------------------------------------------------------------------------

    def line(self, points: Any, colour: str = INK, width: float = LINE, dashes: Any = "-", order: float = 3) -> None:
        """A line through points (n, 3)."""
        x, y = self.flat(points).T
        self.ax.plot(x, y, color=colour, linewidth=width * self.wide, linestyle=dashes, zorder=order,
                     solid_capstyle="round")  # fmt: skip

    def arrow(self, start: Any, end: Any, colour: str = INK, width: float = LINE, both: bool = False) -> None:
        """An arrow from one point to another, or with a head at each end."""
        a, b = self.flat([start, end])
        self.line([start, end], colour, width, order=4)  # data that axes take into account
        style = "<|-|>" if both else "-|>"
        self.ax.annotate("", b, a, zorder=5, arrowprops={
            "arrowstyle": f"{style},head_width=0.18,head_length=0.45", "color": colour, "linewidth": width * self.wide,
            "shrinkA": 0, "shrinkB": 0, "mutation_scale": self.heads,
        })  # fmt: skip

    def text(self, point: Any, text: str, colour: str = INK, shift: Any = (0, 0), **options: Any) -> Any:
        """A text at a point, moved on the paper by fractions of s."""
        from matplotlib import patheffects

        x, y = self.flat(point) + self.s * np.asarray(shift, dtype=float)
        halo = [patheffects.withStroke(linewidth=2.5, foreground="white")]
        options = {"ha": "center", "va": "center", "zorder": 8, "path_effects": halo} | options
        return self.ax.text(x, y, shown_as(text), color=colour, **options)

    def polygon(self, points: Any, fill: str = FILL, width: float = LINE, order: float = 2) -> None:
        """A closed outline, filled."""
        x, y = self.flat(points).T
        self.ax.fill(x, y, facecolor=fill, edgecolor=INK, linewidth=width * self.wide, linestyle="-", zorder=order,
                     joinstyle="round")  # fmt: skip

    def faces(self, nodes: np.ndarray, triangles: np.ndarray, order: float = 2) -> None:
        """Triangles between nodes (n, 3), the farthest first, without lines between them."""
        from matplotlib.collections import PolyCollection

        flat, depth = self.flat(nodes), (nodes @ self.towards)[triangles].mean(axis=1)
        pieces = flat[triangles[np.argsort(depth)]]
        self.ax.add_collection(PolyCollection(pieces, facecolors=SHADE, edgecolors=SHADE, linewidths=0.4, zorder=order))
        self.ax.update_datalim(flat)

    # -- bodies -----------------------------------------------------------------------------------------------------

    def solid(self, solid: Solid, T: np.ndarray, fill: str = FILL, order: float = 2, width: float = LINE) -> None:
        """Surfaces that face the reader, their outlines and their sharp edges."""
        from matplotlib.collections import PolyCollection

        nodes = solid.nodes @ T[:3, :3].T + T[:3, 3]
        if not solid.surfaces:
            for edge in solid.edges:
                self.line(nodes[edge], GREYS["light"], THIN, order=order)
            return
        flat = self.flat(nodes)
        corners = (nodes[[s[0], s[1], s[-1]]] for s in solid.surfaces)
        normals = [np.cross(b - a, c - a) for a, b, c in corners]
        normals = [n / max(float(np.linalg.norm(n)), 1e-300) for n in normals]
        facing = [float(n @ self.towards) > 1e-6 for n in normals]
        sides: dict[tuple[int, int], list[int]] = {}
        for k, surface in enumerate(solid.surfaces):
            for a, b in zip(surface, (*surface[1:], surface[0]), strict=True):
                sides.setdefault((min(a, b), max(a, b)), []).append(k)
        seen: dict[int, list[Any]] = {}  # by face, so that what is in front of a line hides it
        for (a, b), of in sides.items():
            front = [k for k in of if facing[k]]
            sharp = len(of) == 2 and float(normals[of[0]] @ normals[of[1]]) < SHARP
            if front and (len(front) < len(of) or sharp or len(of) == 1):
                for k in front:
                    seen.setdefault(k, []).append(flat[[a, b]])
        depth = nodes @ self.towards
        shown = sorted((k for k, f in enumerate(facing) if f), key=lambda k: depth[list(solid.surfaces[k])].mean())
        size = float(np.ptp(nodes, axis=0).max())
        bulges = all(
            float(((nodes - nodes[s[0]]) @ n).max()) < 1e-6 * size for s, n in zip(solid.surfaces, normals, strict=True)
        )
        faces = [[flat[list(solid.surfaces[k])], *seen.get(k, [])] for k in shown]
        drawn = [(piece, INK if j else fill) for face in faces for j, piece in enumerate(face)]
        if bulges:  # no line is hidden, and the faces come first
            drawn.sort(key=lambda one: one[1] == INK)
        pieces, inks = [piece for piece, _ in drawn], [ink for _, ink in drawn]
        widths = [0.4 if ink == fill else width * self.wide for ink in inks]
        self.ax.add_collection(
            PolyCollection(pieces, facecolors=fill, edgecolors=inks, linewidths=widths, zorder=order, capstyle="round"),
            autolim=False,
        )
        self.ax.update_datalim(flat)

    def circle(self, centre: Any, radius: float, fill: str = "white", order: float = 5, width: float = LINE) -> None:
        """A circle on the paper."""
        a = np.linspace(0, 2 * np.pi, 49)[:, None]
        self.polygon(np.asarray(centre) + radius * (np.cos(a) * self.right + np.sin(a) * self.up), fill, width, order)

    def centre(self, point: Any, order: float = 6) -> None:
        """The symbol of a centre of mass."""
        r, p = 0.022 * self.s, np.asarray(point, dtype=float)
        self.circle(p, r, "white", order, THIN)
        for start in (0, np.pi):
            a = np.linspace(start, start + np.pi / 2, 13)[:, None]
            wedge = p + r * (np.cos(a) * self.right + np.sin(a) * self.up)
            self.polygon(np.concatenate([[p], wedge]), INK, 0, order + 0.1)

    # -- ground, springs ----------------------------------------------------------------------------------------------

    def hatched(self, start: Any, end: Any, away: Any, width: float = LINE, order: float = 1.5) -> None:
        """A line that belongs to the ground: strokes on the side of the vector `away` (3,)."""
        a, b = (np.asarray(p, dtype=float) for p in (start, end))
        along, out = unit(b - a), unit(away)
        self.line([a, b], INK, width, order=order)
        depth = 0.04 * self.s
        count = max(3, round(float(np.linalg.norm(b - a)) / (0.045 * self.s)))
        for k in range(1, count + 1):
            p = a + (b - a) * k / count
            self.line([p, p - depth * along + depth * out], INK, THIN, order=order)

    def support(self, point: Any, away: Any) -> None:
        """A pin that is fixed to the ground: a triangle, and hatching on the side of `away`."""
        p, out = np.asarray(point, dtype=float), unit(away)
        across, h = np.cross(self.towards, out), 0.11 * self.s
        foot = p + h * out
        self.polygon([p, foot + 0.65 * h * across, foot - 0.65 * h * across], "white", LINE, 1.6)
        self.hatched(foot + h * across, foot - h * across, out)

    def spring(self, start: Any, end: Any, turns: int = 7, aside: float = 0.0) -> None:
        """A zigzag between two points, or `aside` (m) of them."""
        a, b, across = self._beside(start, end, aside)
        share = [0.0, 0.12, *(0.12 + 0.76 * (k + 0.5) / (2 * turns) for k in range(2 * turns)), 0.88, 1.0]
        out = [0.0, 0.0, *((-1) ** k for k in range(2 * turns)), 0.0, 0.0]
        wide = (0.028 if aside else 0.04) * self.s * across
        self.line(a + np.outer(share, b - a) + np.outer(out, wide), order=2.5)

    def damper(self, start: Any, end: Any, aside: float = 0.0) -> None:
        """A pot and a piston between two points, or `aside` (m) of them."""
        a, b, across = self._beside(start, end, aside)
        w, line = (0.026 if aside else 0.035) * self.s * across, b - a
        self.line([a, a + 0.35 * line], order=2.5)
        pot = a + 0.35 * line
        self.line([pot + 0.3 * line + w, pot + w, pot - w, pot + 0.3 * line - w], order=2.5)
        self.line([a + 0.55 * line + 0.75 * w, a + 0.55 * line - 0.75 * w], width=THICK, order=2.5)
        self.line([a + 0.55 * line, b], order=2.5)

    def _beside(self, start: Any, end: Any, aside: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Two ends moved `aside` (m), joined to where they were by short lines, and the direction across."""
        a, b = (np.asarray(p, dtype=float) for p in (start, end))
        across = np.cross(self.towards, b - a)
        size = float(np.linalg.norm(across))
        across = across / size if size > 1e-12 else self.right
        for p in (a, b) if aside else ():
            self.line([p, p + across * aside], order=2.5)
        return a + across * aside, b + across * aside, across

    # -- what is said of it --------------------------------------------------------------------------------------------

    def dimension(self, start: Any, end: Any, text: str, away: Any, gap: float, colour: str = INK,
                  both: bool = True) -> None:  # fmt: skip
        """A length between two points, its line a `gap` (m) aside in the direction `away`."""
        a, b = (np.asarray(p, dtype=float) for p in (start, end))
        out = np.asarray(away, dtype=float)
        out = out / max(float(np.linalg.norm(out)), 1e-300)
        over = 0.025 * self.s * np.sign(gap)
        for p in (a, b):
            if abs(gap) > 0.03 * self.s:
                self.line([p + 0.3 * gap * out, p + (gap + over) * out], colour, THIN, order=3.5)
        self.arrow(a + gap * out, b + gap * out, colour, 0.9, both=both)
        self.label((a + b) / 2 + gap * out, out * np.sign(gap), text, colour)

    def label(self, point: Any, out: Any, text: str, colour: str = INK, gap: float = 0.035) -> None:
        """A text beside a point, on the side of the vector `out` (3,), at a distance of `gap` times s."""
        side = complex(*self.flat(out))
        ways = [(far, a * side / max(abs(side), 1e-300)) for far in (gap, gap + 0.05, gap + 0.1) for a in ASIDE]
        texts = [complex(*(t.get_position() - self.flat(point))) / self.s for t in self.ax.texts if t.get_text()]
        gap, side = next((w for w in ways if all(abs(w[0] * w[1] - p) > 0.09 for p in texts)), ways[0])
        across = "left" if side.real > 0.4 else "right" if side.real < -0.4 else "center"
        upright = "bottom" if side.imag > 0.7 else "top" if side.imag < -0.7 else "center"
        self.text(point, text, colour, shift=(gap * side.real, gap * side.imag), ha=across, va=upright)

    def arc(
        self, centre: Any, first: Any, axis: Any, angle: float, text: str, radius: float, colour: str = ACCENT
    ) -> None:
        """An angle (rad) about an axis, from the direction `first`: an arc that ends in an arrow."""
        c, e1, z = (np.asarray(x, dtype=float) for x in (centre, first, axis))
        z = unit(z)
        e1 = unit(e1 - (e1 @ z) * z)
        e2 = np.cross(z, e1)
        angles = np.linspace(0, angle, max(5, int(abs(np.degrees(angle)) / 3)))
        points = c + radius * (np.cos(angles)[:, None] * e1 + np.sin(angles)[:, None] * e2)
        self.line(points[:-1], colour, 1.0, order=4)
        self.arrow(points[-2], points[-1], colour, 1.0)
        middle = points[len(points) // 2] - c
        self.label(points[len(points) // 2], middle, text, colour)

    def frame(self, T: np.ndarray, name: str, length: float, flat: bool, bold: bool = True) -> None:
        """Axes x, y (and z) of a frame at T (4, 4), with an index; an axis seen from its end is left out."""
        for axis, letter in enumerate("xyz"):
            direction = T[:3, axis]
            if flat and abs(direction @ self.towards) > 0.9:
                continue
            tip = T[:3, 3] + length * direction
            self.arrow(T[:3, 3], tip, INK, 0.9)
            out = direction - (direction @ self.towards) * self.towards
            text = rf"$\mathbf{{{letter}}}_{{{name}}}$" if bold else f"${letter}_{{{name}}}$"
            self.label(tip, out, text, gap=0.02)
