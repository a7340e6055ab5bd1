"""Drawings of the complex plane, of frequency responses and of mode shapes; all return axes, and show nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from easydyn.analysis.modes import Mode, mode_of
from easydyn.errors import InputError
from easydyn.inputs import among, expect, real_array
from easydyn.result.plots import Panels, axes, dressed, grid, label, panels, shown_as

RATIOS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)  # damping ratios of which lines are drawn
APART = np.radians(9)  # on the paper, at least, between two such lines
MOST_MODES = 6  # drawn at once
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")  # of units


def complex_plane(ax: Any) -> Any:
    """Axes for poles, the imaginary axis drawn."""
    ax = axes(ax)
    origin(ax)
    return dressed(ax, "", xlabel="real part [1/s]", ylabel="imaginary part [rad/s]")


def origin(ax: Any) -> None:
    """The two axes of a plane."""
    for line in (ax.axvline, ax.axhline):
        line(0, color="0.4", linewidth=0.8, linestyle="-", zorder=1, label="_axis")


def finished(ax: Any, poles: np.ndarray, title: str) -> Any:
    """A picture of poles with its limits, its lines of damping ratios and its title."""
    framed(ax, poles)
    ratio_lines(ax)
    ax.set_title(shown_as(title))
    return ax


def framed(ax: Any, poles: np.ndarray) -> None:
    """Limits that hold the poles and the imaginary axis."""
    size = float(np.abs(poles).max(initial=0)) or 1.0
    low, high = float(poles.real.min(initial=0)), float(poles.real.max(initial=0))
    width = max(high - low, 0.12 * size)
    reach = max(float(np.abs(poles.imag).max(initial=0)), 0.25 * size)
    ax.set_xlim(low - 0.15 * width, high + 0.15 * width)
    ax.set_ylim(-1.15 * reach, 1.15 * reach)


def ratio_lines(ax: Any) -> None:
    """Lines of constant damping ratio from the origin into the stable half, as far as there is room for them."""
    low, high = ax.get_xlim()[0], ax.get_ylim()[1]
    if low >= 0:
        return
    drawn: list[float] = []
    for ratio in RATIOS:
        slope = np.sqrt(1 - ratio**2) / ratio
        x = max(low, -high / slope)
        y = -x * slope
        angle = float(np.arctan2(y / high, -x / -low))  # on the paper
        if any(abs(angle - other) < APART for other in drawn) or angle > np.pi / 2 - APART / 2:
            continue
        drawn.append(angle)
        for side in (-1, 1):
            ax.plot(
                [0, x], [0, side * y], color="0.6", linewidth=0.7, linestyle=(0, (4, 3)), zorder=0.9, label="_ratio"
            )
        ax.annotate(
            f"{ratio:g}", (x, y), (3, -3), textcoords="offset points", ha="left", va="top", fontsize="x-small",
            color="0.4", annotation_clip=False,
        )  # fmt: skip


def plot_poles(self: Any, ax: Any = None) -> Any:
    """Draw the poles in the complex plane, with lines of constant damping ratio; returns matplotlib axes.

    Poles with a real part above zero are drawn in another colour.

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
    >>> crank = examples.slider_crank()
    >>> ax = crank.linearize(at=crank.equilibrium()).plot_poles()
    """
    ax, found = complex_plane(ax), self.poles()
    size = np.abs(found).max(initial=0)
    unstable = found.real > 1e-7 * size
    for chosen, colour, name in ((~unstable, "#0072B2", "stable"), (unstable, "#D55E00", "unstable")):
        if chosen.any():
            ax.plot(
                found[chosen].real, found[chosen].imag, label=name, color=colour, linestyle="none", marker="x",
                markersize=7, markeredgewidth=1.8, zorder=3,
            )  # fmt: skip
    if unstable.any():
        ax.legend()
    at_zero = int((found == 0).sum())
    if at_zero > 1:
        ax.annotate(f"{at_zero} poles", (0, 0), (6, 6), textcoords="offset points", fontsize="small")
    return finished(ax, found, _title(self))


def locus(self: Any, ax: Any = None) -> Any:
    """Draw the poles in the complex plane, a line each, from a circle at the first value to a cross at the last.

    Lines of constant damping ratio are drawn beside them. Returns matplotlib axes, `ax` or new ones.
    """
    ax = complex_plane(ax)
    for pole in self.poles.T:
        (line,) = ax.plot(pole.real, pole.imag, linestyle="-")
        kind = {"color": line.get_color(), "linestyle": "none", "zorder": 3}
        ax.plot(pole.real[:1], pole.imag[:1], marker="o", fillstyle="none", label="_first", **kind)
        ax.plot(pole.real[-1:], pole.imag[-1:], marker="x", label="_last", **kind)
    title = f"{self.title}: {self.parameter} from {self.values[0]:g} to {self.values[-1]:g}"
    return finished(ax, self.poles, title)


def plot_response(
    self: Any, omega: Any = None, *, input: Any = None, output: Any = None, kind: str = "bode", ax: Any = None
) -> Any:
    """Draw a frequency response: magnitude and phase over the frequency (Bode), or in the complex plane (Nyquist).

    Parameters
    ----------
    omega : array (N,), optional
        Angular frequencies (rad/s). If left out, the range goes a decade beyond the poles, with closer values near
        resonances.
    input, output : str
        As in `frequency_response`.
    kind : {"bode", "nyquist"}
        Magnitude and phase over the frequency, or one curve in the complex plane.
    ax : matplotlib axes, optional
        Where to draw; two axes for "bode". A new figure if left out.

    Returns
    -------
    `easydyn.result.plots.Panels` of two axes for "bode", axes for "nyquist"
        Lines are interrupted at resonances without damping, where the response is infinite.

    Raises
    ------
    InputError, UnknownNameError
        Another kind; frequencies that are not above zero; names that do not exist.

    Example
    -------
    >>> from easydyn import examples
    >>> lin = examples.oscillator().linearize(parameters={"c": 1})
    >>> magnitude, phase = lin.plot_response(input="q", output="q")
    >>> phase.get_ylabel()
    'phase [°]'
    """
    expect(among(kind, ("bode", "nyquist")), "the kind of a response", kind, '"bode" or "nyquist"')
    given = frequencies_for(self.poles()) if omega is None else np.ravel(real_array(omega, "omega"))
    if len(given) < 2 or (kind == "bode" and given.min() <= 0):
        raise InputError(
            "omega of a response: expected at least two frequencies (rad/s)"
            + (", all above zero, for their axis is logarithmic." if kind == "bode" else ".")
        )
    response = self.frequency_response(given, input=input, output=output)
    names = (str(input or (self.inputs or ("",))[0]), str(output or (self.outputs or ("",))[0]))
    return (bode if kind == "bode" else nyquist)(given, response, names, _title(self), ax)


def bode(omega: np.ndarray, response: np.ndarray, names: tuple[str, str], title: str, ax: Any) -> Any:
    """Magnitude and phase over the frequency, in two panels."""
    upper, lower = panels(ax, 2)
    finite = np.isfinite(response)
    size = np.where(finite, np.abs(np.where(finite, response, 1)), np.nan)
    upper.loglog(omega, size)
    phase = np.full(len(omega), np.nan)
    if finite.any():
        phase[finite] = np.degrees(np.unwrap(np.angle(response[finite])))
        phase -= 360 * np.round((phase[finite][0] - _start(phase[finite][0])) / 360)
    lower.semilogx(omega, phase)
    low, high = np.nanmin(phase, initial=0), np.nanmax(phase, initial=0)
    if high - low > 40:
        step = 45 if high - low <= 270 else 90 * max(1, round((high - low) / 720))
        lower.set_yticks(np.arange(np.floor(low / step), np.ceil(high / step) + 1) * step)
    upper.set(ylabel=f"|{names[1]} / {names[0]}|", title=shown_as(title))
    lower.set(xlabel="frequency [rad/s]", ylabel="phase [°]")
    for each in (upper, lower):
        each.grid(True, which="both", alpha=0.3)
    return Panels((upper, lower))


def _start(phase: float) -> float:
    """The same angle (degrees) from -180 to 180."""
    return float((phase + 180) % 360 - 180) if abs(phase) != 180 else phase


def nyquist(omega: np.ndarray, response: np.ndarray, names: tuple[str, str], title: str, ax: Any) -> Any:
    """The response in the complex plane, with an arrow along rising frequencies."""
    ax = axes(ax)
    known = response[np.isfinite(response)]
    origin(ax)
    (line,) = ax.plot(known.real, known.imag, linestyle="-")
    ax.plot(known.real[:1], known.imag[:1], "o", color=line.get_color(), label="_first")
    along = np.concatenate([[0], np.cumsum(np.abs(np.diff(known)))])
    for share in (0.2, 0.75):
        k = int(np.clip(np.searchsorted(along, share * along[-1]), 1, len(known) - 1)) if len(known) > 1 else 0
        if k and along[k] > along[k - 1]:
            ends = [(z.real, z.imag) for z in (known[k - 1], known[k])]
            ax.annotate("", ends[1], ends[0], arrowprops={"arrowstyle": "-|>", "color": line.get_color()})
    ax.set_aspect("equal", adjustable="datalim")
    return dressed(ax, title, xlabel=f"real part of {names[1]} / {names[0]}", ylabel="imaginary part")


def frequencies_for(found: np.ndarray) -> np.ndarray:
    """Frequencies (rad/s) at which a response is drawn: a decade beyond the poles, closer where they resonate."""
    sizes = np.abs(found[found != 0])
    low, high = (float(sizes.min()), float(sizes.max())) if len(sizes) else (1.0, 1.0)
    grid = [np.geomspace(low / 10, high * 10, 400)]
    for pole in found[found.imag > 0]:
        width = max(abs(float(pole.real)), 1e-3 * abs(pole))
        spread = np.sinh(np.linspace(-4, 4, 80)) * width / 2
        grid.append(abs(pole) + spread)
    whole = np.unique(np.concatenate(grid))
    return np.asarray(whole[(whole >= low / 10) & (whole <= high * 10)])


def shape(mode: Mode, number: int, units: Sequence[str], ax: Any) -> Any:
    """Bars of a real shape, arrows in the complex plane of one whose phases differ."""
    ax = axes(ax)
    colour = {unit: COLOURS[k % len(COLOURS)] for k, unit in enumerate(dict.fromkeys(units))}
    title = f"mode {number}: {mode.frequency:.4g} Hz, damping {mode.damping:.3g}"
    if mode.kind in ("free", "decay", "growth"):
        title = f"mode {number}: {mode.kind}" + (f", pole {mode.pole.real:.4g} 1/s" if mode.pole else "")
    real = bool(np.abs(np.imag(mode.shape)).max() < 1e-9)
    if real:
        places = np.arange(len(mode.names))
        ax.bar(places, np.real(mode.shape), color=[colour[u] for u in units], width=0.6)
        ax.set_xticks(places, [label(n, u) for n, u in zip(mode.names, units, strict=True)])
        if sum(map(len, mode.names)) > 40:
            ax.tick_params(axis="x", rotation=60)
        ax.axhline(0, color="0.2", linewidth=0.8, linestyle="-")
        ax.set_ylim(-1.1 if np.real(mode.shape).min() < 0 else 0, 1.1)
        ax.set(ylabel="amplitude", title=shown_as(title))
        ax.grid(True, axis="y", alpha=0.3)
        return ax
    circle = np.exp(1j * np.linspace(0, 2 * np.pi, 121))
    ax.plot(circle.real, circle.imag, color="0.7", linewidth=0.7, linestyle="-", label="_unit")
    order = sorted(range(len(mode.names)), key=lambda j: abs(mode.shape[j]))
    for k, j in enumerate(j for j in order if abs(mode.shape[j]) > 1e-3):
        z, unit = mode.shape[j], units[j]
        ax.annotate("", (z.real, z.imag), (0, 0), arrowprops={
            "arrowstyle": "-|>", "color": colour[unit], "linewidth": 1.4, "shrinkA": 0, "shrinkB": 0,
        })  # fmt: skip
        side = 1j * z / abs(z) * (-1) ** k  # beside the tip: arrows may lie on each other
        ax.annotate(
            label(mode.names[j], unit), (z.real, z.imag), (6 * side.real, 6 * side.imag), textcoords="offset points",
            ha="left" if side.real > 0.5 else "right" if side.real < -0.5 else "center",
            va="bottom" if side.imag > 0.5 else "top" if side.imag < -0.5 else "center", color=colour[unit],
        )  # fmt: skip
    ax.set(xlim=(-1.5, 1.5), ylim=(-1.3, 1.3), aspect="equal")
    return dressed(ax, title, xlabel="real part", ylabel="imaginary part")


def plot_mode(self: Any, mode: Any = 0, ax: Any = None) -> Any:
    """Draw the shape of a mode: a bar for each unknown, or arrows if they do not move in phase; returns axes.

    Parameters
    ----------
    mode : Mode or int
        One of `modes()`, or its number.
    ax : matplotlib axes, optional
        Those of a new figure if left out.

    Returns
    -------
    matplotlib axes

    Example
    -------
    >>> from easydyn import examples
    >>> pendulum = examples.double_pendulum()
    >>> ax = pendulum.linearize(at=pendulum.equilibrium()).plot_mode(1)
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['q1 [rad]', 'q2 [rad]']
    """
    modes = self.modes()
    found = mode_of(modes, mode)
    number = next((k for k, each in enumerate(modes) if each is found), len(modes))
    return shape(found, number, _units(self), ax)


def plot_modes(self: Any, ax: Any = None) -> Any:
    """Draw the shapes of the first six modes, each as `plot_mode` does; returns `easydyn.result.plots.Panels`.

    Parameters
    ----------
    ax : sequence of matplotlib axes, optional
        As many axes as modes; those of a new figure if left out.

    Returns
    -------
    `easydyn.result.plots.Panels`
    """
    chosen = self.modes()[:MOST_MODES]
    given = panels(ax, len(chosen)) if ax is not None else _grid(len(chosen))
    for k, (mode, each) in enumerate(zip(chosen, given, strict=True)):
        shape(mode, k, _units(self), each)
    return Panels(given) if len(given) > 1 else given[0]


def _title(linear: Any) -> str:
    return str(linear.state.system.mechanism.name)


def _units(linear: Any) -> list[str]:
    return [str(linear.state.system.mechanism.units.get(name, "")) for name in linear.names]


def _grid(count: int) -> list[Any]:
    import matplotlib

    columns = 1 if count == 1 else 2 if count < 5 else 3
    rows = -(-count // columns)
    width, height = matplotlib.rcParams["figure.figsize"]
    return grid(count, columns, (width * (0.5 + 0.45 * columns), height * (0.25 + 0.65 * rows)))


def parts(self: Any, ax: Any = None) -> Any:
    """Draw real parts of the poles (lines) and imaginary ones (dashed) over the values, such as a speed.

    The background is tinted where all poles, except those at zero, are stable. Returns matplotlib axes, `ax` or
    new.
    """
    ax, values, found, stable = axes(ax), self.values, self.poles, ~self.unstable
    rounding = 1e-9 * float(np.abs(found).max(initial=0))
    ax.axhline(0, color="0.4", linewidth=0.8, linestyle="-", zorder=1, label="_axis")
    for pole in found.T:
        if (np.abs(pole) > rounding).any():
            (line,) = ax.plot(values, pole.real, linestyle="-", label="_real")
            if (pole.imag > rounding).any():
                above = np.where(pole.imag > rounding, pole.imag, np.nan)
                ax.plot(values, above, color=line.get_color(), linestyle="--", label="_imaginary")
    for style, name in (("-", "real part"), ("--", "imaginary part")):
        ax.plot([], [], color="0.3", linestyle=style, label=name)
    ax.fill_between(values, 0, 1, where=stable, transform=ax.get_xaxis_transform(), color="#009E73", alpha=0.12,
                    linewidth=0, label="stable" if stable.any() else "_stable")  # fmt: skip
    ax.legend()
    ax.set_xlim(float(values.min()), float(values.max()))
    return dressed(ax, self.title, xlabel=label(self.parameter, self.unit), ylabel="poles [rad/s]")


def campbell(self: Any, ax: Any = None) -> Any:
    """Draw the frequencies of oscillation (Hz) over the values: a Campbell diagram, if the value is a rotor speed.

    If the value is a rate in rad/s, a dashed line shows one oscillation per turn, the frequency at which unbalance
    excites. Returns matplotlib axes, `ax` or new ones.
    """
    ax, values, found = axes(ax), self.values, self.poles
    rounding = 1e-9 * float(np.abs(found).max(initial=0))
    for pole in found.T:
        if (pole.imag > rounding).any():
            ax.plot(values, np.where(pole.imag > 0, pole.imag, np.nan) / (2 * np.pi), linestyle="-")
    if self.parameter.endswith(".dot") and self.unit == "rad/s":  # one per turn
        ax.plot(values, np.abs(values) / (2 * np.pi), color="0.4", linestyle="--", linewidth=1, label="once a turn")
        ax.legend()
    ax.set_ylim(bottom=0)
    return dressed(ax, self.title, xlabel=label(self.parameter, self.unit), ylabel="frequency [Hz]")
