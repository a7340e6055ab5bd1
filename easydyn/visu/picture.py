"""A scene as a picture in matplotlib axes: solids by raster.py, symbols and texts by matplotlib.

model.scene().picture()                                   # in the initial state
run.animate().picture(at=(0, 0.5, 1))                     # several instants over each other, the last one in full
run.animate().picture(at=(0, 0.5, 1), beside=True)        # or beside each other
"""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.errors import InputError
from easydyn.inputs import flag, real_array
from easydyn.result.plots import Panels, axes, grid, shown_as
from easydyn.visu import colours, motion
from easydyn.visu.raster import Camera, Canvas, over
from easydyn.visu.scene import Part, Scene
from easydyn.visu.surfaces import limits_of

PIXELS_PER_INCH = 160
FAINTEST = 0.22  # of the first of several instants


class Instant:
    """Positions at the last instant of frames (N, k, 4, 4) with vectors `tips` (m, 3) of arrows.

    They are the matrices `where` (4, 4) of frames by name, and `matrices` of parts in order. Of surfaces, nodes
    (1, n, 3) and values (1, n) are listed by the indices of the parts. Parts that are no solids have `paths` until
    then, or are `points`. The camera is displaced by `shift` (m).
    """

    def __init__(self, scene: Scene, frames: np.ndarray, tips: np.ndarray):
        def places(part: Part, count: int) -> tuple[Part, np.ndarray]:
            T = where[part.body][-count:]
            return part, T[:, :3, :3] @ part.point + T[:, :3, 3]

        self.scene, self.count, where = scene, len(frames), motion.located(scene, frames)
        self.where = {name: T[-1] for name, T in where.items()}
        self.matrices = [T[0] for T in motion.placed(scene, frames[-1:], tips[None])]
        self.surfaces = motion.surfaces(scene, frames[-1:], tips[None])
        self.paths = [places(part, self.count) for part in scene.parts if part.kind == "path"]
        self.points = [places(part, 1) for part in scene.parts if part.kind in ("text", "centre")]
        followed = where[scene.view.follow or "ground"][:, :3, 3]
        self.shift = followed[-1] - followed[0]


def still(scene: Scene, ax: Any = None) -> Any:
    """Draw a picture of the scene in its initial state, as the player shows it; returns matplotlib axes.

    Parameters
    ----------
    ax : matplotlib axes, optional
        Those of a new figure if left out.

    Returns
    -------
    matplotlib axes

    Example
    -------
    >>> from easydyn import examples
    >>> examples.slider_crank().scene().picture().figure.savefig("crank.png")
    """
    frames, tips = motion.at_rest(scene)
    return placed(scene, frames[0], tips[0], _axes(scene, ax))


def placed(scene: Scene, frames: np.ndarray, tips: np.ndarray, ax: Any) -> Any:
    """The scene with its frames at (k, 4, 4), and the vectors of its arrows (m, 3), in axes."""
    return _drawn([Instant(scene, frames[None], tips)], ax)


def moving(animation: Any, at: Any, beside: Any, ax: Any) -> Any:
    """Instants of an animation; documented at `Animation.picture`."""
    t, beside = animation.t, flag(beside, "beside")
    times = np.atleast_1d(real_array(t[-1:] if at is None else at, "at"))
    if not times.size or times.ndim > 1 or times.min() < t[0] - 1e-9 or times.max() > t[-1] + 1e-9:
        raise InputError(f"at={at!r}: expected instants (s) from {t[0]:g} to {t[-1]:g}, those of the animation.")
    chosen = [int(np.argmin(np.abs(t - time))) for time in times]
    instants = [instant(animation, k) for k in chosen]
    if not beside:
        return _drawn(instants, _axes(animation.scene, ax))
    if ax is not None:
        given = [axes(each) for each in np.ravel(np.asarray(ax, dtype=object))]
        if len(given) != len(chosen):
            raise InputError(f"ax holds {len(given)} axes: expected {len(chosen)}, one for each instant.")
    else:
        given = _row(animation.scene, len(chosen))
    for axis, each, k in zip(given, instants, chosen, strict=True):
        _drawn([each], axis, signed=axis is given[0])
        axis.set_title(f"t = {t[k]:.{animation.data['digits']}f} s")
    return Panels(given)


def instant(animation: Any, k: int) -> Instant:
    """Picture k of an animation."""
    return Instant(animation.scene, animation.frames[: k + 1], animation.tips[k])


def _axes(scene: Scene, ax: Any) -> Any:
    if ax is not None:
        return axes(ax)
    from matplotlib import pyplot

    figure = pyplot.figure()
    drawn = figure.add_axes((0.0, 0.0, 1.0, 0.92))
    drawn.set_title(shown_as(scene.title))
    return drawn


def _row(scene: Scene, count: int) -> list[Any]:
    """Axes beside each other, in rows of at most four, as wide as the scene is."""
    import matplotlib

    columns = min(count, 4)
    rows = -(-count // columns)
    width = matplotlib.rcParams["figure.figsize"][0] * (0.6 + 0.4 * columns)
    share = float(np.clip(scene.view.size[1] / scene.view.size[0], 0.5, 1.4))
    return grid(count, columns, (width, rows * (share * width / columns + 0.35)))


def camera_of(ax: Any, instant: Instant, fineness: int = PIXELS_PER_INCH) -> Camera:
    """A camera for pictures that fill axes, with pixels of a `fineness` (1/inch)."""
    figure = ax.figure
    figure.draw_without_rendering() if figure.get_layout_engine() is not None else None
    box = ax.get_window_extent()
    width, height = (max(60, int(side / figure.dpi * fineness)) for side in (box.width, box.height))
    return Camera(instant.scene.view, instant.shift, width, height)


def _drawn(instants: list[Instant], ax: Any, signed: bool = True) -> Any:
    """Draw instants over each other into axes, the last one in full; returns the axes."""
    last, camera = instants[-1], camera_of(ax, instants[-1])
    image = layer(Canvas(camera), last, None if len(instants) == 1 else True).image
    if len(instants) > 1:
        for each, strength in zip(instants, np.linspace(FAINTEST, 1, len(instants)), strict=True):
            image = over(layer(Canvas(camera), each, False).image, image, float(strength))
    fill(ax, image)
    for part, points in [*max(instants, key=lambda each: each.count).paths, *last.points]:
        mark(ax, part, *camera.project(points).T)
    if signed:
        signs(ax, camera, last)
    return ax


def fill(ax: Any, image: np.ndarray) -> Any:
    """Fill axes with an image, whose pixels are then their units; returns what is drawn in them."""
    height, width, _ = image.shape
    ax.set_axis_off()
    drawn = ax.imshow(image, extent=(0, width, height, 0), aspect="equal", interpolation="antialiased", zorder=1)
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    return drawn


def mark(ax: Any, part: Part, x: np.ndarray, y: np.ndarray, _: np.ndarray) -> list[Any]:
    """Draw a path, a text or a centre of mass into axes, at pixels x and y (n,); returns what is drawn."""
    if part.kind == "centre":
        return _centre(ax, x, y)
    if part.kind == "text":
        return [ax.text(x[0], y[0], shown_as(part.text), ha="center", va="center", zorder=4, **_halo())]
    alpha = 0.4 if part.ghost else 1.0
    return list(ax.plot(x, y, color=part.colour, linewidth=1.2, linestyle="-", zorder=2, alpha=alpha))


def signs(ax: Any, camera: Camera, instant: Instant) -> None:
    """The axes of the ground in the lower left corner; scales of colours at the right edge, and what their ends are."""
    width, height = camera.width, camera.height
    length = 0.06 * min(height, width) + 10
    corner = np.array([1.6 * length, height - 1.4 * length])
    for name, axis, colour in zip("xyz", np.eye(3), colours.AXES, strict=True):
        right, up, _ = camera.axes @ axis
        tip = corner + length * np.array([right, -up])
        ax.plot(*zip(corner, tip, strict=True), color=colour, linewidth=1.5, linestyle="-", zorder=3)
        ax.text(*(corner + 1.4 * (tip - corner)), name, ha="center", va="center", fontsize=8, zorder=4, **_halo())
    shown = ((instant.scene.parts[k].net, values) for k, (_, values) in instant.surfaces.items())
    found = {net.scale: limits_of(net.scale, x) for net, x in shown if net and net.scale and x is not None}
    thick, long = 0.022 * width, 0.4 * height
    for k, (scale, (low, high)) in enumerate(found.items()):
        x, y = width * (0.95 - 0.13 * k), 0.5 * height
        stops = np.array([colours.rgb(c) / 255 for c in reversed(scale.colours)])[:, None]
        box = (x - thick, x, y + long / 2, y - long / 2)
        ax.imshow(stops, extent=box, aspect="equal", interpolation="bilinear", zorder=3)
        for value, place in ((low, y + long / 2), (high, y - long / 2)):
            ax.text(x - 1.4 * thick, place, f"{value:.4g}", ha="right", va="center", fontsize=8, zorder=4, **_halo())
        title = f"{shown_as(scale.label)} [{scale.unit}]" if scale.unit else shown_as(scale.label)
        ax.text(x, y - long / 2 - 0.035 * height, title, ha="right", va="bottom", fontsize=8, zorder=4, **_halo())
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)


def fixed(part: Part) -> bool:
    """True for what never moves."""
    return part.body == "ground" and part.kind == "solid"


def layer(canvas: Canvas, instant: Instant, ground: bool | None) -> Canvas:
    """Draw what is fixed to the ground (True), what is not (False), or both (None) on a canvas; returns it."""
    parts = instant.scene.parts
    some = [k for k, part in enumerate(parts)
            if (part.solid or part.net is not None) and (ground is None or ground == fixed(part))]  # fmt: skip
    for opacity in sorted({parts[k].opacity for k in some}, reverse=True):  # what can be seen through comes last
        group = [(k, parts[k], colours.rgb(parts[k].colour) / 255) for k in some if parts[k].opacity == opacity]
        canvas.solids([(part.solid, instant.matrices[k], own) for k, part, own in group if part.solid], opacity)
        for k, part, own in group:
            if part.net is not None:
                nodes, values = instant.surfaces[k]
                scale = part.net.scale
                if scale is not None and values is not None:
                    own = scale.colour(values[0], limits_of(scale, values))
                canvas.surface(nodes[0], part.net.triangles, own, opacity)
    return canvas


def pixels(scene: Scene, frames: np.ndarray, tips: np.ndarray, width: int, height: int) -> np.ndarray:
    """The scene with its frames at (k, 4, 4), without symbols and texts: bytes (height, width, 3)."""
    canvas = Canvas(Camera(scene.view, np.zeros(3), width, height))
    image = layer(canvas, Instant(scene, frames[None], tips), None).image
    colour, opacity = image[..., :3], image[..., 3:] if image.shape[-1] == 4 else 1.0
    return np.asarray(255 * (colour * opacity + 1 - opacity) + 0.5, dtype=np.uint8)


def _halo() -> dict[str, Any]:
    from matplotlib import patheffects

    return {"path_effects": [patheffects.withStroke(linewidth=2.5, foreground="white")]}


def _centre(ax: Any, x: np.ndarray, y: np.ndarray) -> list[Any]:
    """The sign of a centre of mass: a disc in four quarters."""
    from matplotlib.markers import MarkerStyle
    from matplotlib.path import Path

    quarters = Path.make_compound_path(Path.wedge(0, 90), Path.wedge(180, 270))
    black, common = colours.GREYS["black"], {"markersize": 6, "zorder": 3, "linestyle": "none"}
    return [*ax.plot(x, y, "o", color="white", markeredgecolor=black, markeredgewidth=0.7, **common),
            *ax.plot(x, y, marker=MarkerStyle(quarters), color=black, markeredgewidth=0, **common)]  # fmt: skip
