"""Sections of a report about a run: its course, its end, its events, its pictures; and those of the mechanism."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from easydyn.errors import ModelError
from easydyn.export.report.document import Heading, Inline, Maths, Paragraph, Picture, Table
from easydyn.export.report.typeset import named
from easydyn.result import plots

if TYPE_CHECKING:
    from easydyn.result.trajectory import Trajectory


MOST_EVENTS = 20
NOTHING = 1e-10  # of the largest value of the same unit
_STATUS = {"interrupted": "was interrupted"}


def results(run: Trajectory, mechanism: list[Picture]) -> Iterator[Any]:
    """The sections about a run; `mechanism` are pictures of it at instants of the run."""
    yield Heading("Results")
    yield Paragraph(
        f"The run {_STATUS.get(run.status, run.status)}: {run.message.rstrip('.')}. There are {len(run)} saved "
        f"instants, from t = {run.t[0]:g} s to {run.t[-1]:g} s."
    )
    yield from _ends(run)
    if run.source is not None and run.source.mechanism.bodies:
        within = _value(_digits(float(np.ptp(run.energy.balance)), 2))
        yield Paragraph(("The energy balance, total less work, stays within ", within, " J."))
    yield from _happened(run)
    yield from mechanism
    yield from pictures(run)
    s = run.stats
    yield Heading("What the run cost", 2)
    rows: list[tuple[Inline, ...]] = [
        ("steps", str(s.steps)), ("steps tried again", str(s.rejected)),
        ("Newton iterations", str(s.newton_iterations)), ("iteration matrices", str(s.jacobians)),
        ("residuals", str(s.residuals)), ("seconds", _value(_digits(s.seconds, 3))),
        ("shortest step [s]", _value(_digits(run.steps.h.min(), 3)) if len(run.steps) else "-"),
        ("longest step [s]", _value(_digits(run.steps.h.max(), 3)) if len(run.steps) else "-"),
        ("size of the result [kB]", f"{sum(x.nbytes for x in (run.t, run.q, run.qd, run.qdd)) / 1000:.0f}"),
    ]  # fmt: skip
    yield Table(("what", "how much"), tuple(rows), (1,))


def _digits(x: float, digits: int = 6) -> float:
    return float(f"{x:.{digits}g}")


def _value(x: float) -> Maths:
    return Maths(sympy.Float(float(x), 17))


class _Scales:
    """What is nothing beside the largest value of its unit is 0: rounding errors are no results."""

    def __init__(self, run: Trajectory):
        self.run, self.used = run, False
        self._largest: dict[str, float] = {}
        for name in run.columns[1:]:
            size = float(np.abs(run[name]).max(initial=0.0))
            self._largest[self._of(name)] = max(self._largest.get(self._of(name), 0.0), size)

    def _of(self, name: str) -> str:
        return self.run.unit(name) or name

    def shown(self, name: str, x: float) -> Maths:
        """A value of a column, to six digits."""
        nothing = x != 0 and abs(x) < NOTHING * self._largest.get(self._of(name), 0.0)
        self.used |= nothing
        return _value(0.0 if nothing else _digits(x))


def _ends(run: Trajectory) -> Iterator[Any]:
    rows: list[tuple[Inline, ...]] = []
    scales = _Scales(run)
    for name in run.columns[1:]:
        values = run[name]
        shown = (values[0], values[-1], values.min(), values.max())
        rows.append((Maths(named(name)), name, run.unit(name), *(scales.shown(name, float(x)) for x in shown)))
    yield Table(
        ("symbol", "name", "unit", "at the start", "at the end", "lowest", "highest"), tuple(rows), (3, 4, 5, 6)
    )
    if scales.used:
        yield Paragraph(
            ("Values below ", _value(NOTHING), " of the largest of their unit are rounding errors, and shown as 0.")
        )


def _happened(run: Trajectory) -> Iterator[Any]:
    if not run.events:
        return
    scales = _Scales(run)
    rows: list[tuple[Inline, ...]] = []
    for e in run.events[:MOST_EVENTS]:
        words: list[Any] = [e.what] if e.what else []
        for name, value in e.after.items():
            words += [", " if words else "", f"{name} ", scales.shown(name, e.before[name]), " → ",
                      scales.shown(name, value)]  # fmt: skip
        t = 0.0 if abs(e.t) < NOTHING * np.ptp(run.t) else e.t
        rows.append((_value(_digits(t)), e.name, tuple(words) or ""))
    changes = any(line[2] for line in rows)
    heading = ("t [s]", "event", "what changed") if changes else ("t [s]", "event")
    yield Table(heading, tuple(line[: len(heading)] for line in rows), (0,))
    if len(run.events) > MOST_EVENTS:
        yield Paragraph(f"{len(run.events) - MOST_EVENTS} more events are in run.events.")


def pictures(run: Trajectory) -> Iterator[Picture]:
    """The unknowns, their rates, inputs and outputs, energies, steps."""
    from matplotlib import pyplot

    def drawn(ax: Any) -> Any:
        ax.set_title("") if not isinstance(ax, plots.Panels) else ax[0].set_title("")
        pyplot.close(ax.figure)  # it stays whole, and pyplot forgets it
        return ax.figure

    coordinates = [n for n, state in zip(run.names, run.first_order, strict=True) if not state]
    rates = [f"{n}.dot" for n in coordinates]
    with plots.style("print"):
        for kind, names, words in (("unknowns", run.names, "Unknowns against time"),
                                   ("rates", rates, "Rates of the coordinates")):  # fmt: skip
            for k in range(0, len(names), 7):
                part, number = (f", part {k // 7 + 1}", k // 7 + 1) if len(names) > 7 else ("", "")
                yield Picture(drawn(run.plot(*names[k : k + 7])), f"{kind}{number}", f"{words}{part}.")
        others = [n for n in run.held_names if n in run.columns] + list(run.outputs)
        if others:
            yield Picture(drawn(run.plot(*others)), "signals", "Inputs and outputs.")
        if run.source is not None and run.source.mechanism.bodies:
            yield Picture(drawn(run.plot_energy(balance=True)), "energy", "Energies, and the change of their balance.")
        if len(run.steps):
            yield Picture(drawn(run.plot_steps()), "steps", "Length of the steps.")


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
