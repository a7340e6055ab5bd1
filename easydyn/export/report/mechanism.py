"""Pictures of the mechanism in a report: at the start, and at instants of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from easydyn.errors import ModelError
from easydyn.export.report.document import Picture

if TYPE_CHECKING:
    from easydyn.result.trajectory import Trajectory

INSTANTS = 4  # of a run


def at_the_start(model: Any, animation: Any, values: Mapping[str, float | None]) -> Iterator[Picture]:
    """The mechanism at the start of the run, or of the model; empty if there is nothing to draw."""
    from matplotlib import pyplot

    if animation is None and any(value is None for value in values.values()):
        return
    try:
        scene: Any = model.scene() if animation is None else None
    except ModelError:
        return
    figure = pyplot.figure(figsize=(5, 3.2))
    axes = figure.add_axes((0, 0, 1, 1))
    scene.picture(axes) if animation is None else animation.picture(animation.t[0], ax=axes)
    pyplot.close(figure)
    bodies = ", ".join(b.name for b in model.bodies[:8]) + (", ..." if len(model.bodies) > 8 else "")
    caption = f" Bodies: {bodies}." if bodies else " A diagram of its coordinates."
    yield Picture(figure, "mechanism", f"The mechanism at the start.{caption}")


def in_motion(animation: Any) -> Iterator[Picture]:
    """The mechanism at some instants of the run, beside each other."""
    from matplotlib import pyplot

    if animation is None or len(animation.t) < INSTANTS:
        return
    figure = pyplot.figure(figsize=(7.2, 2.1))
    for k, t in enumerate(animation.t):
        axes = figure.add_axes((k / INSTANTS, 0, 0.96 / INSTANTS, 0.88))
        axes.set_title(f"t = {t:.3g} s", fontsize=9)
        animation.picture(t, ax=axes)
    pyplot.close(figure)
    yield Picture(figure, "motion", "The mechanism in motion.", wide=True)


def animation_of(run: Trajectory | None) -> Any:
    """The animation of the run at its instants; None if there is no run, or nothing to show."""
    if run is None:
        return None
    duration = float(run.t[-1] - run.t[0])
    try:
        return run.animate(plots=(), every=duration / (INSTANTS - 1) if duration > 0 else None)
    except ModelError:  # neither bodies nor coordinates, or kinematics by hand, or it cannot be assembled
        return None
