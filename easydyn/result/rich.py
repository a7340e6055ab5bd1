"""Notebook views of models, runs, systems and linearisations: a picture, and one or two tables."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from easydyn.errors import EasyDynError

MOST_ROWS = 12  # of a table; the rest is counted
MOST_CURVES = 6
NOISE = 1e-12  # of the largest value
_CELL = 'style="text-align: left; padding: 0 1.2em 0 0"'


def whole(title: str, *parts: str) -> str:
    """One piece of HTML: a title, and those parts that are not empty."""
    inside = "".join(part for part in parts if part)
    return f"<div><strong>{html.escape(title)}</strong>{inside}</div>"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table of texts and numbers, shortened if it is long; empty if it has no rows."""
    listed = [[_shown(x) for x in row] for row in rows]
    if not listed:
        return ""
    more = len(listed) - MOST_ROWS
    top = "".join(f"<th {_CELL}>{html.escape(x)}</th>" for x in head)
    body = "".join(f"<tr>{''.join(f'<td {_CELL}>{x}</td>' for x in row)}</tr>" for row in listed[:MOST_ROWS])
    rest = f"<p>and {more} more</p>" if more > 0 else ""
    return f'<div style="overflow-x: auto"><table><tr>{top}</tr>{body}</table></div>{rest}'


def _shown(x: Any) -> str:
    if isinstance(x, float | np.floating):
        return f"{x + 0.0:.6g}"
    return html.escape(str(x))


def picture(figure: Any, words: str) -> str:
    """A matplotlib figure embedded in the page; the figure is closed."""
    from matplotlib import pyplot

    from easydyn.result.plots import png

    data = base64.b64encode(png(figure, dpi=80, bbox_inches="tight")).decode("ascii")
    pyplot.close(figure)
    words = html.escape(words, quote=True)
    return f'<p><img alt="{words}" style="max-width: 100%" src="data:image/png;base64,{data}"></p>'


def of_run(run: Any) -> str:
    """A plot of the first unknowns; status, instants, steps; the least and the largest value of each column."""
    drawn = ""
    if len(run) > 1 and np.isfinite(run.q[:, ~run.first_order]).all():
        axes = run.plot(*run.names[:MOST_CURVES])
        drawn = picture(axes.figure, f"Plot of {', '.join(run.names[:MOST_CURVES])} against time")
    stats = run.stats
    facts = [
        ("status", f"{run.status}: {run.message}"),
        ("instants", f"{len(run)} from t = {run.t[0]:.6g} to {run.t[-1]:.6g} s"),
        ("steps", f"{stats.steps}, {stats.rejected} tried again, in {stats.seconds:.3g} s"),
    ]
    facts += [("events", f"{len(run.events)}, the first is {run.events[0]}")] if run.events else []
    rows = [(name, run.unit(name), *_extent(run[name])) for name in run.names if np.isfinite(run[name]).any()]
    extents = table(("", "unit", "least", "largest", "last"), rows)
    return whole(run.title or "run", drawn, table(("", ""), facts), extents)


def _extent(x: np.ndarray) -> list[float]:
    """The least, the largest and the last value; what is noise beside the others is 0."""
    found = [float(np.nanmin(x)), float(np.nanmax(x)), float(x[-1])]
    size = float(np.nanmax(np.abs(x)))
    return [0.0 if abs(value) < NOISE * size else value for value in found]


def of_model(model: Any) -> str:
    """A sketch, where the model is complete, and its coordinates and bodies."""
    drawn = ""
    try:
        if model.bodies:
            axes = model.scene().sketch()
            axes.figure.set_size_inches(5, 3.6)
            drawn = picture(axes.figure, f"Sketch of {model.name}")
    except EasyDynError as error:
        drawn = f"<p>{html.escape(str(error))}</p>"
    units, start = model.mechanism.units, model.initial_values
    unknowns = [(name, units.get(name, ""), start[name], start.get(f"{name}.dot", "")) for name in model.names]
    bodies = [(b.name, b.mass, ", ".join(map(str, b.coordinates))) for b in model.bodies]
    values = [(name, "not given" if x is None else x) for name, x in model.given_values.items()]
    efforts = [(str(effort),) for effort in model.mechanism.efforts]
    return whole(
        model.name, drawn, table(("unknown", "unit", "at the start", "its rate"), unknowns),
        table(("body", "mass [kg]", "moves with"), bodies), table(("parameter", "value"), values),
        table(("effort",), efforts),
    )  # fmt: skip


def of_system(system: Any) -> str:
    """How the equations are evaluated, and with which numbers."""
    m = system.mechanism
    facts = [
        ("unknowns", ", ".join(system.names)), ("bodies", ", ".join(b.name for b in m.bodies) or "none"),
        ("target", system.target),
        ("operations", ", ".join(f"{count} {kind}" for kind, count in system.program("residual").operations.items())),
    ]
    values = sorted(system.parameters.items())
    return whole(f"system of {m.name}", table(("", ""), facts), table(("parameter", "value"), values))


def of_linearization(lin: Any) -> str:
    """Modes, poles, and the matrices where they are small."""
    modes = [(k, mode.frequency, mode.damping, _shape(mode)) for k, mode in enumerate(lin.modes())]
    poles = [(float(p.real), float(p.imag)) for p in lin.poles()]
    matrices = "".join(
        f"<p>{name}</p>{table(lin.names, getattr(lin, name).tolist())}" for name in "MCK" if len(lin.names) <= 4
    )
    title = f"{lin.state.system.mechanism.name}, linearised at t = {lin.t:.6g} s"
    return whole(
        title, table(("mode", "frequency [Hz]", "damping", "shape"), modes),
        table(("pole, real [rad/s]", "imaginary [rad/s]"), poles), matrices,
        f"<p>{html.escape(lin.note)}</p>" if lin.note else "",
    )  # fmt: skip


def _shape(mode: Any) -> str:
    """What moves in a mode, the largest first."""
    largest = sorted(zip(mode.names, np.abs(mode.shape), strict=True), key=lambda entry: -entry[1])[:3]
    return ", ".join(f"{name} {size:.2g}" for name, size in largest if size > 1e-3)
