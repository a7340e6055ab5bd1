"""Sobol's indices: how much of the scatter of a result each uncertain quantity causes.

    S_i = V[E(y | x_i)] / V(y)        T_i = E[V(y | all but x_i)] / V(y)

The first-order index is the effect of x_i alone; the total index includes its effect together with others. Both are
means over pairs of rows A, B of a design, and rows A_i, which equal A except that x_i comes from B (A. Saltelli and
others, Comput. Phys. Commun. 181, 2010):

    S_i V = mean of y_B (y_Ai - y_A)        T_i V = mean of (y_A - y_Ai)^2 / 2

The intervals come from the bootstrap: the indices are computed again for rows drawn at random many times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.files import package
from easydyn.inputs import name_in
from easydyn.result import plots

AT_ONCE = 4_000_000  # weights of the bootstrap that are in memory
CONSTANT = 1e-24  # of the square of what is kept: a variance that is rounding

Bounds = dict[str, dict[str, Any]]


@answers
@dataclass(frozen=True, eq=False)
class SobolIndices:
    """Sobol's indices of all quantities that a study keeps, made by `study.sobol()`: the causes of scatter.

    Attributes
    ----------
    first, total : dict of dict
        The fraction (no unit) of the variance of a kept quantity that a name causes alone, and together with others:
        `["largest"]["l1"]`. It is an array (times,) for a quantity that is kept at several times.
    first_intervals, total_intervals : dict of dict
        Bootstrap intervals (low, high) in which the indices lie with the probability that was asked for.
    names : tuple of str
        What was drawn.
    kept : tuple of str
        What was kept.
    result : StudyResult
        All runs: for each row of the design, the number of names plus two.
    samples : int
        The number of rows of the design.
    used : dict
        For each kept quantity, the number of rows without a failed run.
    confidence : float
        The probability of the intervals (no unit).

    Example
    -------
    >>> from easydyn import Last, Model, Uniform
    >>> model = Model("thrown")
    >>> a, b = model.parameters(a=1, b=1)
    >>> x, = model.coordinates("x", initial=3*a + 4*b)
    >>> model.equation(x.ddot)
    >>> study = model.study(1, over={"a": Uniform(0, 1), "b": Uniform(0, 1)}, samples=64, keep={"end": Last("x")})
    >>> s = study.sobol()
    >>> round(s.first["end"]["a"], 1), round(s.total["end"]["b"], 1)          # about 9/25, 16/25
    (0.4, 0.6)
    """

    first: dict[str, dict[str, Any]]
    total: dict[str, dict[str, Any]]
    first_intervals: Bounds
    total_intervals: Bounds
    names: tuple[str, ...]
    kept: tuple[str, ...]
    result: Any
    samples: int
    used: dict[str, int]
    confidence: float

    def __repr__(self) -> str:
        title = self.result.study.model.name
        lines = [f"SobolIndices of '{title}': {len(self.result)} runs, {100 * self.confidence:g} % intervals"]
        width = max(map(len, self.names)) + 2
        for kept in self.kept:
            lost = self.samples - self.used[kept]
            more = f" ({lost} of {self.samples} rows have runs that failed)" if lost else ""
            series = next((k for k in self.result.study.kept if k.name == kept and k.how == "series"), None)
            at = "" if series is None else f" at {series.times[-1]:g} s"
            lines.append(f"{kept}{at}{more}")
            for name in self.names:
                parts = []
                for index, ends in ((self.first, self.first_intervals), (self.total, self.total_intervals)):
                    value, (low, high) = index[kept][name], ends[kept][name]
                    value, low, high = (float(np.ravel(x)[-1]) for x in (value, low, high))
                    parts.append(f"{value:7.3f} ({low:.3f} to {high:.3f})")
                lines.append(f"  {name:<{width}}first {parts[0]:<28}total {parts[1]}")
        return "\n".join(lines)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: a row for each kept quantity, time and name, with both indices and their intervals.

        Raises MissingDependencyError if pandas is not installed.
        """
        pandas = package("pandas", "to_pandas", '"easydyn[pandas]"')
        rows = []
        for kept in self.result.study.kept:
            for k, t in enumerate(kept.times if kept.how == "series" else [np.nan]):
                for name in self.names:
                    both = [
                        float(np.ravel(x)[k])
                        for index, ends in ((self.first, self.first_intervals), (self.total, self.total_intervals))
                        for x in (index[kept.name][name], *ends[kept.name][name])
                    ]
                    rows.append((kept.name, t, name, *both))
        columns = ["kept", "time", "name"]
        columns += [f"{index}{end}" for index in ("first", "total") for end in ("", " low", " high")]
        return pandas.DataFrame(rows, columns=columns)

    def plot(self, *kept: str, ax: Any = None) -> Any:
        """Draw both indices of each name as bars with their intervals, or over time if several times are kept.

        `kept` are names of kept quantities, all if left out. Returns matplotlib axes, `ax` (one for each) or those of a
        new figure. Raises InputError or UnknownNameError for a name that is not valid, or was not kept.
        """
        chosen = kept or self.kept
        for name in chosen:
            name_in(name, self.kept, "this study has not kept {!r}: it has {}.")
        drawn = plots.panels(ax, len(chosen), sharex=False)
        for axis, name in zip(drawn, chosen, strict=True):
            of = next(k for k in self.result.study.kept if k.name == name)
            (self._over_time if of.how == "series" else self._bars)(axis, of)
            axis.set_title(plots.shown_as(name))
            axis.legend()
        return drawn[0] if len(drawn) == 1 else plots.Panels(drawn)

    def _bars(self, axis: Any, of: Any) -> None:
        places = np.arange(len(self.names))
        both = (self.first, self.first_intervals, "alone (first order)"), (
            self.total, self.total_intervals, "with others (total)"
        )  # fmt: skip
        for k, (index, ends, label) in enumerate(both):
            value = np.array([float(index[of.name][name]) for name in self.names])
            low, high = np.array([ends[of.name][name] for name in self.names], dtype=float).T
            reach = None if np.isnan(value).all() else np.clip([value - low, high - value], 0, None)
            axis.bar(places + 0.4 * (k - 0.5), value, 0.38, yerr=reach, capsize=3, color=f"C{k}", label=label)
        axis.set_xticks(places, [plots.shown_as(name) for name in self.names])
        axis.axhline(0, color="0.4", lw=0.8)
        axis.set_ylabel("share of the variance")

    def _over_time(self, axis: Any, of: Any) -> None:
        for k, name in enumerate(self.names):
            low, high = self.total_intervals[of.name][name]
            axis.plot(of.times, self.first[of.name][name], "--", color=f"C{k}", lw=1)
            axis.plot(of.times, self.total[of.name][name], "-", color=f"C{k}", label=plots.shown_as(name))
            axis.fill_between(of.times, low, high, color=f"C{k}", alpha=0.15, lw=0)
        axis.set(xlabel="t [s]", ylabel="share of the variance\n(dashed: alone)")


def indices_of(result: Any, names: tuple[str, ...], samples: int, confidence: float, resamples: int) -> SobolIndices:
    """The indices of a study whose runs form a design of pairs."""
    parts: list[dict[str, dict[str, Any]]] = [{}, {}, {}, {}]
    used = {}
    rng = np.random.default_rng(result.study.seed)
    for kept in result.study.kept:
        y = result[kept.name].reshape(len(names) + 2, samples, -1)  # rows A, B, A_1, ...
        used[kept.name] = int(np.isfinite(y).all(axis=(0, 2)).sum())
        columns = [_column(y[:, :, k], confidence, resamples, rng) for k in range(y.shape[2])]
        series = kept.how == "series"
        for part, place in zip(parts, range(4), strict=True):
            part[kept.name] = {}
            for j, name in enumerate(names):
                of_times = np.array([column[place][..., j] for column in columns])  # (times,) or (times, 2)
                value = of_times.T if series else of_times[0]
                if place % 2:
                    part[kept.name][name] = tuple(value) if series else tuple(value.tolist())
                else:
                    part[kept.name][name] = value if series else float(value)
    return SobolIndices(
        parts[0], parts[2], parts[1], parts[3], names, tuple(k.name for k in result.study.kept), result, samples, used,
        confidence,
    )  # fmt: skip


def _column(y: np.ndarray, confidence: float, resamples: int, rng: Any) -> tuple[np.ndarray, ...]:
    """First order (m,), its interval (2, m), total (m,), its interval, of results (m + 2, N)."""
    y = y[:, np.isfinite(y).all(axis=0)]
    m, n = len(y) - 2, y.shape[1]
    none = np.full(m, np.nan), np.full((2, m), np.nan)
    if n < 2:
        return (*none, *none)
    size = float(np.abs(y).max())
    y = y - y[:2].mean()
    a, b, mixed = y[0], y[1], y[2:]
    square = float((a**2 + b**2).mean() / 2)
    if square <= CONSTANT * size**2:
        return (*none, *none)
    products = np.column_stack([(b * (mixed - a)).T, ((a - mixed) ** 2).T / 2, (a + b) / 2, (a**2 + b**2) / 2])

    def shares(means: np.ndarray) -> np.ndarray:
        return means[:, : 2 * m] / (means[:, -1] - means[:, -2] ** 2)[:, None]  # by the variance

    own = shares(products.mean(axis=0)[None])[0]
    found, per = [], max(1, AT_ONCE // n)
    for begin in range(0, resamples, per):
        rows = min(per, resamples - begin)
        places = rng.integers(0, n, (rows, n)) + n * np.arange(rows)[:, None]
        counts = np.bincount(places.ravel(), minlength=rows * n).reshape(rows, n)
        found.append(shares(counts.astype(float) @ products / n))
    ends = np.quantile(np.concatenate(found), [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return own[:m], ends[:, :m], own[m:], ends[:, m:]
