"""Pictures of a fit: what was measured beside the fitted run, the residuals, the values with their errors."""

from __future__ import annotations

from math import floor, isfinite, log10
from typing import Any

import numpy as np

from easydyn.result import plots
from easydyn.study.problem import Measured

PANEL, LEFT, ROW = 2.2, 0.9, 0.24  # inches: of values, of residuals, of a row of the table


def _column(fit: Any, one: Measured, axis: Any) -> None:
    """Measured values as dots, the fitted run as a line."""
    name, run = str(one.what), fit.trajectories[one.run]
    (curve,) = plots.curves(run, [one.what])
    axis.plot(one.t, one.values, ".", color="0.4", ms=4, label=f"{one.column}, measured", zorder=2)
    axis.plot(run.t, curve.values, color="C0", lw=1.5, label="fit", zorder=1)
    axis.set_ylabel(plots.label(name, curve.unit) if name in run.columns else plots.shown_as(one.column))
    axis.legend()


def columns_drawn(self: Any, ax: Any = None) -> Any:
    """Draw the measured values as dots and the fitted run as lines, with a panel for each column.

    Returns matplotlib axes, `ax` (one for each column) or those of a new figure.
    """
    drawn = plots.panels(ax, len(self.columns))
    for axis, one in zip(drawn, self.columns, strict=True):
        _column(self, one, axis)
    drawn[-1].set_xlabel("t [s]")
    drawn[0].set_title(plots.shown_as(self.title))
    return drawn[0] if len(drawn) == 1 else plots.Panels(drawn)


def _residuals(fit: Any, one: Measured, axis: Any, **look: Any) -> None:
    axis.plot(one.t, fit.residuals[one.column] / fit.sigma[one.column], ".", ms=4, label=one.column, **look)


def residuals_drawn(self: Any, ax: Any = None) -> Any:
    """Draw measured minus computed values over time, in units of the noise: a good fit is a band without a pattern.

    Returns matplotlib axes, `ax` or those of a new figure.
    """
    axis = plots.axes(ax)
    axis.axhspan(-2, 2, color="0.9", zorder=0)
    for one in self.columns:
        _residuals(self, one, axis)
    axis.set(xlabel="t [s]", ylabel="measured less computed, by the noise")
    axis.legend()
    return axis


def compared(self: Any, ax: Any = None) -> Any:
    """Draw measured dots on the fitted run, its residuals below it, and below all the values with their errors.

    Each column has two panels: dots and a line, and measured minus computed values, by the noise, with a band of
    +-2 that holds 95 % of white noise. The last panel is a table: value and standard error, interval, guess.
    Returns matplotlib axes, `ax` (two for each column, and one) or those of a new figure.
    """
    count, rows = len(self.columns), len(self.parameters) + 1
    if ax is None:
        from matplotlib import pyplot

        heights = [PANEL, LEFT] * count + [ROW * rows]
        drawn = pyplot.subplots(
            len(heights), layout="constrained", figsize=(7.0, sum(heights) + 0.6), height_ratios=heights
        )[1].tolist()  # fmt: skip
    else:
        drawn = plots.panels(ax if isinstance(ax, list | tuple | np.ndarray) else [ax], 2 * count + 1)
    for one, above, below in zip(self.columns, drawn[0:-1:2], drawn[1::2], strict=True):
        _column(self, one, above)
        above.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, frameon=False, borderaxespad=0.2)
        above.set_title(plots.shown_as(self.title) if one is self.columns[0] else "", loc="left")
        below.axhspan(-2, 2, color="0.9", zorder=0)
        below.axhline(0, color="0.6", lw=0.8, zorder=1)
        _residuals(self, one, below, color="0.35")
        below.set_xlim(above.get_xlim())
        high = max(3.0, float(np.nanmax(np.abs(below.lines[-1].get_ydata()))) * 1.1)
        below.set(ylim=(-high, high), yticks=(-2, 0, 2), ylabel="residual\nby noise")
        above.tick_params(labelbottom=False)
    drawn[-2].set_xlabel("t [s]")
    drawn[-1].set_axis_off()
    cells = [[*_rounded(value, self, name), f"{self.guess[name]:.4g}"] for name, value in self.parameters.items()]
    heading = ["", "value ± standard error", f"{100 * self.confidence:g} % interval", "guess"]
    table = drawn[-1].table([[name, *own] for name, own in zip(self.parameters, cells, strict=True)], colLabels=heading,
                            loc="center", cellLoc="center", edges="horizontal", bbox=(0, 0, 1, 1))  # fmt: skip
    table.auto_set_font_size(False)
    table.set_fontsize(9)
    return plots.Panels(drawn)


def _rounded(value: float, fit: Any, name: str) -> tuple[str, str]:
    """A value with its error, and its interval, as far as the error lets them be known: 14.2 ± 0.3 cm."""
    error, (low, high), base = fit.errors[name], fit.intervals[name], name.partition("[")[0]
    unit = " s" if base.endswith(".clock") else f" {fit.run.unit(base)}".rstrip() if base in fit.run.columns else ""
    if not isfinite(error) or not error > 0:
        known = "at its bound" if np.isnan(error) else "not known" if error else f"{value:.4g}"
        return f"{value:.4g}{unit}", known
    digits = 1 - floor(log10(error)) - (error / 10 ** floor(log10(error)) >= 2)
    if abs(digits) > 6:
        return f"{value:.4g} ± {error:.1g}{unit}", f"{low:.6g} to {high:.6g}"
    low, value, high, error = (round(x, digits) + 0.0 for x in (low, value, high, error))
    places = max(digits, 0)
    return f"{value:.{places}f} ± {error:.{places}f}{unit}", f"{low:.{places}f} to {high:.{places}f}"
