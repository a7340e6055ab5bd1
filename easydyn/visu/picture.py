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
from easydyn.visu.surfaces import Scale, limits_of

PIXELS_PER_INCH = 160
FAINTEST = 0.22  # of the first of several instants


class Instant:
    """Positions at one instant: the matrices `where` (4, 4) of frames by name, and `matrices` of parts in order.

    Of surfaces, nodes (1, n, 3) and values (1, n) are listed by the indices of the parts.
    """

    def __init__(self, scene: Scene, frames: np.ndarray, tips: np.ndarray):
        self.scene = scene
        self.where = {name: T[0] for name, T in motion.located(scene, frames[None]).items()}
        self.matrices = [T[0] for T in motion.placed(scene, frames[None], tips[None])]
        self.surfaces = motion.surfaces(scene, frames[None], tips[None])


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
    return _drawn([Instant(scene, frames, tips)], np.zeros(3), ax, [])


def moving(
    animation: Any, at: Any, beside: Any, ax: Any, fineness: int = PIXELS_PER_INCH, signs: bool = True,
    kept: dict[tuple[int, int], Canvas] | None = None,
) -> Any:  # fmt: skip
    """Instants of an animation; documented at `Animation.picture`. What is fixed is `kept` for the next one."""
    t, beside = animation.t, flag(beside, "beside")
    times = np.atleast_1d(real_array(t[-1:] if at is None else at, "at"))
    if not times.size or times.ndim > 1 or times.min() < t[0] - 1e-9 or times.max() > t[-1] + 1e-9:
        raise InputError(f"at={at!r}: expected instants (s) from {t[0]:g} to {t[-1]:g}, those of the animation.")
    chosen = [int(np.argmin(np.abs(t - time))) for time in times]
    tips = animation.tips
    instants = [Instant(animation.scene, animation.frames[k], tips[k]) for k in chosen]
    follow = animation.scene.view.follow
    shifts = [np.zeros(3)] * len(chosen)
    if follow is not None:
        place = animation.frames[:, animation.scene.index(follow) - 1, :3, 3]
        shifts = [place[k] - place[0] for k in chosen]

    def paths(k: int) -> list[tuple[Part, np.ndarray]]:
        where = motion.located(animation.scene, animation.frames[: k + 1])
        lines = ((part, where[part.body]) for part in animation.scene.parts if part.kind == "path")
        return [(part, T[:, :3, :3] @ part.point + T[:, :3, 3]) for part, T in lines]

    if not beside:
        return _drawn(instants, shifts[-1], _axes(animation.scene, ax), paths(max(chosen)), signs, fineness, kept)
    if ax is not None:
        given = [axes(each) for each in np.ravel(np.asarray(ax, dtype=object))]
        if len(given) != len(chosen):
            raise InputError(f"ax holds {len(given)} axes: expected {len(chosen)}, one for each instant.")
    else:
        given = _row(animation.scene, len(chosen))
    for axis, instant, shift, k in zip(given, instants, shifts, chosen, strict=True):
        _drawn([instant], shift, axis, paths(k), signs=axis is given[0])
        axis.set_title(f"t = {t[k]:.{animation.data['digits']}f} s")
    return Panels(given)


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


def _drawn(
    instants: list[Instant], shift: np.ndarray, ax: Any, paths: list[Any], signs: bool = True,
    fineness: int = PIXELS_PER_INCH, kept: dict[tuple[int, int], Canvas] | None = None,
) -> Any:  # fmt: skip
    """Draw instants over each other into axes, the last one in full; returns the axes."""
    scene = instants[-1].scene
    figure = ax.figure
    figure.draw_without_rendering() if figure.get_layout_engine() is not None else None
    box = ax.get_window_extent()
    width, height = (max(60, int(side / figure.dpi * fineness)) for side in (box.width, box.height))
    camera = Camera(scene.view, shift, width, height)
    if kept is not None and all(part.opacity == 1 for part in scene.parts if _fixed(part)) and not shift.any():
        below = kept[width, height] = kept.get((width, height)) or _layer(camera, instants[0], True)
        image = _layer(camera, instants[0], False, below).image
    elif len(instants) == 1:
        image = _layer(camera, instants[0], None).image
    else:
        image = _layer(camera, instants[-1], True).image
        for instant, strength in zip(instants, np.linspace(FAINTEST, 1, len(instants)), strict=True):
            image = over(_layer(camera, instant, False).image, image, float(strength))
    ax.set_axis_off()
    ax.imshow(image, extent=(0, width, height, 0), aspect="equal", interpolation="antialiased", zorder=1)
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    last = instants[-1]
    for part, points in paths:
        alpha = 0.4 if part.ghost else 1.0
        x, y, _ = camera.project(points).T
        ax.plot(x, y, color=part.colour, linewidth=1.2, linestyle="-", zorder=2, alpha=alpha)
    for part, T in zip(scene.parts, last.matrices, strict=True):
        x, y, _ = camera.project(T[:3, :3] @ part.point + T[:3, 3])
        if part.kind == "text":
            ax.text(x, y, shown_as(part.text), ha="center", va="center", zorder=4, **_halo())
        elif part.kind == "centre":
            _centre(ax, x, y)
    if signs:
        _triad(ax, camera)
        _scales(ax, width, height, last)
    return ax


def _scales(ax: Any, width: int, height: int, instant: Instant) -> None:
    """The scales of colours at the right edge, with what their ends stand for."""
    found: dict[Scale, tuple[float, float]] = {}
    for k, (_, values) in instant.surfaces.items():
        net = instant.scene.parts[k].net
        if net is not None and net.scale is not None and values is not None:
            found[net.scale] = limits_of(net.scale, values)
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


def _fixed(part: Part) -> bool:
    return part.body == "ground" and part.kind == "solid"


def _layer(camera: Camera, instant: Instant, ground: bool | None, below: Canvas | None = None) -> Canvas:
    """The picture of what is fixed to the ground (True), of what is not (False), or of both (None)."""
    canvas = Canvas(camera, below)
    pairs = [
        (part, T) for part, T in zip(instant.scene.parts, instant.matrices, strict=True)
        if (part.solid is not None or part.net is not None) and (ground is None or ground == _fixed(part))
    ]  # fmt: skip
    for part, T in sorted(pairs, key=lambda pair: -pair[0].opacity):  # what can be seen through comes last
        own = colours.rgb(part.colour) / 255
        if part.solid is not None:
            canvas.solid(part.solid, T, own, part.opacity)
        elif part.net is not None:
            nodes, values = instant.surfaces[instant.scene.parts.index(part)]
            scale = part.net.scale
            if scale is not None and values is not None:
                own = scale.colour(values[0], limits_of(scale, values))
            canvas.surface(nodes[0], part.net.triangles, own, part.opacity)
    return canvas


def pixels(scene: Scene, frames: np.ndarray, tips: np.ndarray, width: int, height: int) -> np.ndarray:
    """The scene with its frames at (k, 4, 4), without symbols and texts: bytes (height, width, 3)."""
    image = _layer(Camera(scene.view, np.zeros(3), width, height), Instant(scene, frames, tips), None).image
    colour, opacity = image[..., :3], image[..., 3:] if image.shape[-1] == 4 else 1.0
    return np.asarray(255 * (colour * opacity + 1 - opacity) + 0.5, dtype=np.uint8)


def _halo() -> dict[str, Any]:
    from matplotlib import patheffects

    return {"path_effects": [patheffects.withStroke(linewidth=2.5, foreground="white")]}


def _centre(ax: Any, x: float, y: float) -> None:
    """The sign of a centre of mass: a disc in four quarters."""
    from matplotlib.markers import MarkerStyle
    from matplotlib.path import Path

    quarters = [Path.wedge(0, 90), Path.wedge(180, 270)]
    ax.plot([x], [y], "o", color="white", markeredgecolor=colours.GREYS["black"], markeredgewidth=0.7, markersize=6,
            zorder=3, linestyle="none")  # fmt: skip
    ax.plot([x], [y], marker=MarkerStyle(Path.make_compound_path(*quarters)), color=colours.GREYS["black"],
            markeredgewidth=0, markersize=6, zorder=3, linestyle="none")  # fmt: skip


def _triad(ax: Any, camera: Camera) -> None:
    """The axes of the ground in the lower left corner."""
    length = 0.06 * min(camera.height, camera.width) + 10
    corner = np.array([1.6 * length, camera.height - 1.4 * length])
    for name, axis, colour in zip("xyz", np.eye(3), colours.AXES, strict=True):
        right, up, _ = camera.axes @ axis
        tip = corner + length * np.array([right, -up])
        ax.plot(*zip(corner, tip, strict=True), color=colour, linewidth=1.5, linestyle="-", zorder=3)
        ax.text(*(corner + 1.4 * (tip - corner)), name, ha="center", va="center", fontsize=8, zorder=4, **_halo())
