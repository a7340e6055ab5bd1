"""Figures of a run: axes with names and units, returned, never shown; matplotlib is loaded here only."""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.errors import InputError
from easydyn.trajectory import Trajectory


def axes(ax: Any) -> Any:
    """The axes given, or those of a new figure."""
    if ax is not None:
        if not hasattr(ax, "plot"):
            raise InputError(
                f"ax is a {type(ax).__name__}: expected matplotlib axes, as from fig, ax = plt.subplots()."
            )
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(layout="constrained")[1]


def label(name: str, unit: str) -> str:
    """ "q1 [rad]"."""
    return f"{name} [{unit}]" if unit else name


def columns(run: Trajectory, what: tuple[Any, ...], ax: Any) -> Any:
    """Columns by name, or expressions, against time."""
    curves: list[tuple[str, str, np.ndarray]] = []
    for item in what or run.names:
        if isinstance(item, list | tuple) and any(isinstance(x, str) for x in item):
            raise InputError(f"run.plot got the list {item!r}: give the names one by one, run.plot('q1', 'q2').")
        if isinstance(item, str) or str(item) in run.columns:
            name = str(item)
            curves.append((name, run.unit(name), run[name]))
        else:
            values = run.of(item)
            parts = values.T if values.ndim == 2 else [values]
            texts = [f"{c}" for c in "xyz"] if len(parts) == 3 else [""] * len(parts)
            base = str(item) if values.ndim == 1 and len(str(item)) < 40 else ""
            curves += [(base + text, "", part) for text, part in zip(texts, parts, strict=True)]
    ax = axes(ax)
    units = {unit for _, unit, _ in curves}
    for name, unit, values in curves:
        ax.plot(run.t, values, label=name if len(units) == 1 else label(name, unit))
    if len(curves) == 1:
        ax.set_ylabel(label(curves[0][0], curves[0][1]))
    else:
        ax.legend()
        ax.set_ylabel(label(", ".join(name for name, _, _ in curves), units.pop()) if len(units) == 1 else "")
    return _finish(ax, run)


def energy(run: Trajectory, ax: Any) -> Any:
    """Kinetic, potential, total energy and work."""
    balance = run.energy
    ax = axes(ax)
    for name in ("kinetic", "potential", "total"):
        ax.plot(run.t, balance[name], label=name)
    if np.any(balance.work):
        ax.plot(run.t, balance.work, "--", label="work of other efforts")
    ax.set_ylabel("energy [J]")
    ax.legend()
    return _finish(ax, run)


def steps(run: Trajectory, ax: Any) -> Any:
    """Length of the steps."""
    ax = axes(ax)
    ax.step(run.steps.t, run.steps.h, where="pre")
    ax.set_yscale("log")
    ax.set_ylabel("time step [s]")
    return _finish(ax, run)


def _finish(ax: Any, run: Trajectory) -> Any:
    ax.set_xlabel("t [s]")
    ax.grid(True, alpha=0.3)
    if run.title:
        ax.set_title(run.title)
    return ax
