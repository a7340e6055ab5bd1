"""Figures of a run, with names and units on the axes; functions return axes and show nothing.

Inside `with style("print")`, figures are drawn for paper.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.inputs import among, expect, flag, name_in
from easydyn.result.attitudes import shown
from easydyn.result.spectra import spectrum_of
from easydyn.result.trajectory import Trajectory

__all__ = ["Panels", "style"]  # the rest is called by Trajectory

# Okabe and Ito's colours, which the colour-blind tell apart, without the yellow, which paper does not show
_COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
_DASHES = (
    "-",
    (0, (6, 2)),
    (0, (1.2, 1.6)),
    (0, (7, 2, 1.5, 2)),
    (0, (3, 1.5)),
    (0, (6, 2, 1.5, 2, 1.5, 2)),
    (0, (1, 3)),
)
_GREYS = ("0.0", "0.45", "0.0", "0.45", "0.25", "0.6", "0.25")
_PAPER = {
    "figure.figsize": (5.0, 3.2), "figure.dpi": 150, "savefig.dpi": 300, "font.size": 9, "axes.labelsize": 9,
    "axes.titlesize": 9, "legend.fontsize": 8, "xtick.labelsize": 8, "ytick.labelsize": 8, "lines.linewidth": 1.2,
    "axes.linewidth": 0.7, "grid.linewidth": 0.5, "axes.spines.top": False, "axes.spines.right": False,
    "legend.framealpha": 0.85, "legend.edgecolor": "none",
}  # fmt: skip
_SLIDES = {
    "figure.figsize": (10.0, 5.6), "font.size": 17, "lines.linewidth": 3.0, "axes.linewidth": 1.2,
    "axes.spines.top": False, "axes.spines.right": False, "legend.framealpha": 0.85, "legend.edgecolor": "none",
}  # fmt: skip
MOST = 6  # curves in a panel
STYLES: dict[str, tuple[dict[str, Any], Sequence[str]]] = {
    "print": (_PAPER, _COLOURS),
    "grey": (_PAPER, _GREYS),
    "slides": (_SLIDES, _COLOURS),
}


@answers
@contextmanager
def style(name: str) -> Iterator[None]:
    """Draw in a style: `with style("print"): ax = run.plot("q1", "q2")`; earlier settings return afterwards.

    Parameters
    ----------
    name : {"print", "grey", "slides"}
        "print" is small, for a column of text; colour-blind readers can distinguish its colours, and its line patterns
        stay distinct in grey. "grey" is the same in black and grey. "slides" is large, readable from the last row.

    Raises
    ------
    InputError
        Another name.

    Example
    -------
    >>> import matplotlib
    >>> from easydyn import plots
    >>> with plots.style("print"):
    ...     matplotlib.rcParams["savefig.dpi"]
    300.0
    """
    expect(among(name, STYLES), "the style", name, f"one of {', '.join(STYLES)}")
    import matplotlib
    from cycler import cycler

    settings, colours = STYLES[name]
    count = len(colours)  # then the same colours again with other patterns
    patterns = [_DASHES[(k + k // count * 3) % count] for k in range(2 * count)]
    every: Any = {**settings, "axes.prop_cycle": cycler(color=[*colours, *colours]) + cycler(linestyle=patterns)}
    with matplotlib.rc_context(every):
        yield


@answers
class Panels(tuple[Any, ...]):
    """Several axes of one figure, from top to bottom: a tuple with a `.figure`, as single axes have.

    >>> from easydyn import examples
    >>> len(examples.hydraulic_jack().simulate(0.001).plot())  # positions and pressures
    2
    """

    __slots__ = ()

    @property
    def figure(self) -> Any:
        """The matplotlib figure."""
        return self[0].figure

    def set_title(self, *text: Any, **options: Any) -> Any:
        """Put the title `text` above the highest panel; `options` are those of `set_title` of matplotlib's axes."""
        return self[0].set_title(*text, **options)


class Curve(NamedTuple):
    """Data of one line: its name, unit and values (N,), and whether it is constant between jumps."""

    name: str
    unit: str
    values: np.ndarray
    stepped: bool = False


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


def panels(ax: Any, count: int, sharex: bool = True) -> list[Any]:
    """The wanted number of axes below each other: those given (one may serve for all), or new ones."""
    if isinstance(ax, Sequence | np.ndarray) and not isinstance(ax, str):
        found = list(np.ravel(np.asarray(ax, dtype=object)))
        if len(found) != count:
            raise InputError(
                f"ax holds {len(found)} axes: expected {count}, one for each unit, or single axes for everything."
            )
        return [axes(each) for each in found]
    if ax is not None or count == 1:
        return [axes(ax)] * count
    import matplotlib
    from matplotlib import pyplot

    width, height = matplotlib.rcParams["figure.figsize"]
    size = (width, height * (0.4 + 0.45 * count))
    return list(pyplot.subplots(count, sharex=sharex, layout="constrained", figsize=size)[1])


def grid(count: int, columns: int, size: tuple[float, float]) -> list[Any]:
    """A number of axes in rows of a number of columns, in a new figure of this size (inches)."""
    from matplotlib import pyplot

    rows = -(-count // columns)
    drawn = pyplot.subplots(rows, columns, squeeze=False, layout="constrained", figsize=size)[1].ravel()
    for spare in drawn[count:]:
        spare.set_axis_off()
    return list(drawn[:count])


def png(figure: Any, **options: Any) -> bytes:
    """A figure as a PNG file; `options` are those of `savefig`."""
    data = io.BytesIO()
    figure.savefig(data, format="png", **options)
    return data.getvalue()


def shown_as(text: str) -> str:
    """A text for matplotlib, with dollar signs escaped where matplotlib cannot read a formula between them."""
    if "$" not in text:
        return text
    from matplotlib.mathtext import MathTextParser

    try:
        MathTextParser("path").parse(text)
    except ValueError:
        return text.replace("$", r"\$")
    return text


def label(name: str, unit: str) -> str:
    """ "q1 [rad]"."""
    return shown_as(f"{name} [{unit}]" if unit else name)


def dressed(ax: Any, title: str, **words: Any) -> Any:
    """Return axes with thin lines behind, a title, and what matplotlib's `set` is told."""
    ax.grid(True, alpha=0.3)
    ax.set(title=shown_as(title), **words)
    return ax


def plot(run: Trajectory, *what: Any, x: Any = None, ax: Any = None, events: Any = False) -> Any:
    """Plot columns by name ("q1", "q1.dot") or expressions; all unknowns that move when none is named.

    Unknowns that stay zero, but for rounding, are left out unless they are named.

    Parameters
    ----------
    *what : str or SymPy expressions
        Names of columns, or expressions. Inputs and locks are drawn constant between events.
    x : str or SymPy expression, optional
        The quantity on the horizontal axis; time if left out. `run.plot("q1.dot", x="q1")` is a phase portrait,
        with a dot where it begins.
    ax : matplotlib axes, or a sequence of axes, optional
        Where to draw: everything into one, or one for each unit. A new figure if left out.
    events : bool or list of str
        Mark what happened during the run (`run.events`): all events, or those with the given names.

    Returns
    -------
    matplotlib axes, or `easydyn.result.plots.Panels`
        Single axes if everything drawn has one unit; otherwise one panel for each unit: a tuple of axes that share
        x, with a `.figure`. More than six curves of one unit have several panels. The method does not show the
        figure.

    Raises
    ------
    InputError, UnknownNameError
        A list of names, other numbers of axes, or events that did not happen.

    Example
    -------
    >>> from easydyn import examples
    >>> run = examples.hydraulic_jack().simulate(0.001)
    >>> panels = run.plot("x", "p1", "p2")
    >>> [ax.get_ylabel() for ax in panels]
    ['x [m]', 'p1, p2 [Pa]']
    """
    import matplotlib

    lines = curves(run, what)
    marks = _marks(run, events)
    across = Curve("t", "s", run.t)
    if x is not None:
        found = curves(run, (x,))
        if len(found) != 1:
            raise InputError(f"x={x} has {len(found)} components: expected one, such as body.v[0].")
        across = found[0]
    if marks and across.name != "t":
        raise InputError("events are marked on the axis of time: leave out x, or events.")

    def draw(axis: Any, curve: Curve, text: str) -> None:
        as_steps = curve.stepped and across.name == "t"
        (line,) = axis.plot(across.values, curve.values, label=text, drawstyle="steps-post" if as_steps else "default")
        if across.name != "t":
            axis.plot(across.values[:1], curve.values[:1], "o", color=line.get_color(), label="_start")

    drawn = _drawn(lines, ax, draw)
    width = 0.75 * matplotlib.rcParams["lines.linewidth"]
    for axis in dict.fromkeys(drawn):
        for k, (name, times) in enumerate(marks.items()):
            for i, time in enumerate(times):
                text = name if i == 0 and axis is drawn[0] else "_event"  # one entry in the legend, of the first panel
                dashes = _DASHES[(k + 2) % len(_DASHES)]
                axis.axvline(time, color="0.35", lw=width, ls=dashes, zorder=1, label=shown_as(text))
    if marks:
        drawn[0].legend()
    return _finish(drawn, run, label(across.name, across.unit))


def plot_energy(run: Trajectory, ax: Any = None, *, balance: bool = False) -> Any:
    """Plot kinetic, potential and total energy, and the work of other efforts, into `ax` or a new figure.

    With `balance`, a second panel shows the change of total - work since the start, which is the error of the
    integration. Returns the axes, or the two panels.
    """
    balance = flag(balance, "balance")
    found = run.energy
    drawn = panels(ax, 2 if balance else 1)
    for name in ("kinetic", "potential", "total"):
        drawn[0].plot(run.t, found[name], label=name)
    if np.any(found.work):
        drawn[0].plot(run.t, found.work, "--", label="work of other efforts")
    drawn[0].set_ylabel("energy [J]")
    drawn[0].legend()
    if balance:
        drawn[1].plot(run.t, found.balance - found.balance[0], label="change of total - work")
        drawn[1].set_ylabel("change of balance [J]")
    return _finish(drawn, run, "t [s]")


def plot_steps(run: Trajectory, ax: Any = None) -> Any:
    """Plot the length of the steps against time (the paper's figure 7), into `ax` or a new figure; returns it."""
    ax = axes(ax)
    ax.step(run.steps.t, run.steps.h, where="pre")
    ax.set_yscale("log")
    ax.set_ylabel("time step [s]")
    return _finish([ax], run, "t [s]")


def plot_spectrum(
    run: Trajectory, *what: Any, ax: Any = None, window: str = "hann", begin: float | None = None,
    logarithmic: bool = False,
) -> Any:  # fmt: skip
    """Plot the `spectrum` of columns or expressions, `what`; of all unknowns when none is named.

    `window` and `begin` (s) are as in `spectrum`, `ax` as in `plot`; `logarithmic` amplitudes show small peaks.
    Returns axes as `plot` does.
    """
    logarithmic = flag(logarithmic, "logarithmic")
    lines = curves(run, what)
    found = {id(c): spectrum_of(run.t, c.values, window, begin) for c in lines}

    first = 1 if logarithmic else 0  # the mean value is not in it: zero has no logarithm

    def draw(axis: Any, curve: Curve, text: str) -> None:
        axis.plot(found[id(curve)].frequency[first:], found[id(curve)].amplitude[first:], label=text)

    drawn = _drawn(lines, ax, draw, "amplitude of ")
    for axis in drawn:
        if logarithmic:
            axis.set_yscale("log")
        else:
            axis.set_ylim(bottom=0)
    return _finish(drawn, run, "frequency [Hz]")


def curves(run: Trajectory, what: Sequence[Any]) -> list[Curve]:
    """The curves of columns by name, or expressions, one for each component; of all unknowns that move for nothing."""
    found: list[Curve] = []
    for item in what or shown(run):
        if isinstance(item, list | tuple) and any(isinstance(x, str) for x in item):
            raise InputError(f"run.plot got the list {item!r}: give the names one by one, run.plot('q1', 'q2').")
        if isinstance(item, str) or str(item) in run.columns:
            name = str(item)
            found.append(Curve(name, run.unit(name), run[name], _stepped(run, name)))
        else:
            values = run.of(item)
            parts = values.T if values.ndim == 2 else [values]
            texts = [f"{c}" for c in "xyz"] if len(parts) == 3 else [""] * len(parts)
            base = str(item) if values.ndim == 1 and len(str(item)) < 40 else ""
            found += [Curve(base + text, "", part) for text, part in zip(texts, parts, strict=True)]
    return found


def units(run: Trajectory, what: tuple[Any, ...]) -> int:
    """How many panels some columns or expressions need: one for each unit, more for many curves."""
    return len(_grouped(curves(run, what)))


def _grouped(curves: list[Curve]) -> list[list[Curve]]:
    """Those of one unit together, at most MOST in a panel."""
    units = dict.fromkeys(c.unit for c in curves)
    alike = [[c for c in curves if c.unit == unit] for unit in units]
    return [own[k : k + MOST] for own in alike for k in range(0, len(own), MOST)]


def _stepped(run: Trajectory, name: str) -> bool:
    """True of inputs and locks, unless they follow a function of time or the straight lines of a table."""
    if name not in run.held_names or name in run.followed:
        return False
    slope = f"{name}.slope"
    return slope not in run.held_names or not np.any(run.held[:, run.held_names.index(slope)])


def _drawn(curves: list[Curve], ax: Any, draw: Any, before: str = "") -> list[Any]:
    """Draw the curves, those of one unit in one panel; names of curves and labels of panels."""
    groups = _grouped(curves)
    drawn = panels(ax, len(groups))
    if len(set(drawn)) < len(groups):  # all in the axes that were given
        groups, drawn = [curves], drawn[:1]
    for own, axis in zip(groups, drawn, strict=True):
        mixed = len({c.unit for c in own}) > 1
        for c in own:
            draw(axis, c, label(c.name, c.unit) if mixed else c.name)
        axis.set_ylabel("" if mixed else _label(axis, before, own, own[0].unit))
        if len(own) > 1 and (mixed or any(c.name for c in own)):  # of long formulas nothing is listed
            axis.legend(ncols=2 if len(own) > MOST else 1)
    return drawn


def _label(axis: Any, before: str, curves: list[Curve], unit: str) -> str:
    """The names of the curves with their unit; the unit alone where they are longer than the panel is high."""
    whole = label(before + ", ".join(c.name for c in curves), unit)
    points = 72 * axis.get_position().height * axis.figure.get_size_inches()[1]
    if len(curves) > 1 and 0.55 * axis.yaxis.label.get_size() * len(whole) > points:
        return label(before.removesuffix(" of "), unit).strip()
    return whole


def _marks(run: Trajectory, events: Any) -> dict[str, list[float]]:
    """Times of what happened and is to be marked, by name."""
    good = isinstance(events, bool | str | list | tuple)
    expect(good, "events", events, "True, False or names of events, such as ['landed']")
    known = list(dict.fromkeys(event.name for event in run.events))
    names = [events] if isinstance(events, str) else (known if events else []) if isinstance(events, bool) else events
    for name in names:
        name_in(name, known, "nothing called {!r} happened in this run: what happened: {}.")
    return {name: [e.t for e in run.events if e.name == name] for name in names}


def _finish(drawn: list[Any], run: Trajectory, across: str) -> Any:
    found = list(dict.fromkeys(drawn))
    for axis in found:
        axis.grid(True, alpha=0.3)
    found[-1].set_xlabel(across)
    if run.title:
        found[0].set_title(shown_as(run.title))
    return Panels(found) if len(found) > 1 else found[0]
