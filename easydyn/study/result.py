"""The results of a study: columns by name, tables, plots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.files import package
from easydyn.inputs import expect, finite, name_in
from easydyn.result.plots import Panels, axes, grid, label, panels, shown_as

DOUBTFUL = "doubtful"  # begins the message of a run with that status
GROUPS = 20  # of runs, whose means are drawn


@dataclass(frozen=True, eq=False)
class Block:
    """A finished part of a study: the `table` of kept values (N, columns), and `messages` of failed runs."""

    table: np.ndarray
    messages: dict[int, str]


@answers
@dataclass(frozen=True, eq=False)
class StudyResult:
    """The runs of a study: `result["largest"]` is a column (N,), or (N, times) if several times are kept.

    Attributes
    ----------
    study : Study
        The study that was run.
    table : array (N, columns)
        The kept values; NaN for a run that failed.
    messages : dict of int to str
        A sentence on what went wrong in a run, by its index; only for runs that failed, are doubtful, or were made
        again in another way.

    Example
    -------
    >>> from easydyn import examples, Max
    >>> study = examples.double_pendulum().study(1, over={"q1": [0, 1, 2]}, keep={"largest": Max("q1.dot")})
    >>> result = study.run()
    >>> result["q1"], result["largest"].round(1)
    (array([0., 1., 2.]), array([1.2, 0. , 2.1]))
    """

    study: Any
    table: np.ndarray
    messages: Mapping[int, str]

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if len(self.failed) else ""
        failed += f", {len(self.doubtful)} doubtful" if len(self.doubtful) else ""
        return f"StudyResult({self.study.model.name}: {len(self)} runs{failed}; {', '.join(self.names)})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns: what differs between runs, then what was kept."""
        return (*self.study.names, *(kept.name for kept in self.study.kept))

    @property
    def failed(self) -> np.ndarray:
        """The indices (K,) of the runs that failed."""
        lost = np.isnan(self.table[:, self.study.at_the_end]).all(axis=1)
        return np.array([k for k in sorted(self.messages) if lost[k]], dtype=int)

    @property
    def doubtful(self) -> np.ndarray:
        """The indices (K,) of the runs that are doubtful: `messages` says why."""
        return np.array([k for k, text in sorted(self.messages.items()) if text.startswith(DOUBTFUL)], dtype=int)

    @property
    def times(self) -> tuple[float, ...]:
        """The times (s) of quantities that are kept at several times."""
        return tuple(self.study.request.save_at or ())

    def __getitem__(self, name: str) -> np.ndarray:
        """A column (N,), or (N, times), in its own unit, by name."""
        name = name_in(name, self.names, "this study has no {!r}: it has {}.")
        if name in self.study.names:
            return self.study.values(np.arange(len(self)))[name]  # type: ignore[no-any-return]
        kept, columns = next((kept, columns) for kept, columns in self.study.places if kept.name == name)
        return self.table[:, columns if kept.how == "series" else columns.start]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: a row for each run, with a column `message`, and one column for each of several times.

        Raises MissingDependencyError if pandas is not installed.
        """
        pandas = package("pandas", "to_pandas", '"easydyn[pandas]"')
        columns: dict[str, Any] = dict(self.study.values(np.arange(len(self))))
        for kept in self.study.kept:
            values = self[kept.name]
            if kept.how == "series":
                columns |= {f"{kept.name} at {t:g} s": values[:, k] for k, t in enumerate(kept.times)}
            else:
                columns[kept.name] = values
        columns["message"] = [self.messages.get(run, "") for run in range(len(self))]
        return pandas.DataFrame(columns, index=pandas.RangeIndex(len(self), name="run"))

    def to_xarray(self) -> Any:
        """An xarray.Dataset: grids are axes, drawn values lie along `sample`, times along `time` (s).

        Raises MissingDependencyError if xarray is not installed.
        """
        xarray = package("xarray", "to_xarray", '"easydyn[tables]"')
        study = self.study
        variables: dict[str, Any] = {}
        coordinates: dict[str, Any] = {}
        dims: list[str] = []
        shape: list[int] = []
        for axis in study.axes:
            if axis.distribution is None:
                dim = " and ".join(axis.names)
                dims.append(dim)
                shape.append(len(axis.values))
                coordinates |= {name: ((dim,), axis.values[:, k]) for k, name in enumerate(axis.names)}
        if study.samples or not dims:
            dims.append("sample")
            shape.append(study.samples or 1)
        values = study.values(np.arange(len(self)))
        for axis in study.axes:
            if axis.distribution is not None:
                coordinates[axis.names[0]] = (tuple(dims), values[axis.names[0]].reshape(shape))
        for kept in study.kept:
            found, more = self[kept.name], ("time",) if kept.how == "series" else ()
            if kept.how == "series":
                coordinates["time"] = ("time",), np.array(kept.times), {"units": "s"}
            variables[kept.name] = ((*dims, *more), found.reshape(*shape, *found.shape[1:]), self._units(kept))
        text = np.array([self.messages.get(run, "") for run in range(len(self))], dtype=object)
        variables["message"] = (tuple(dims), text.reshape(shape))
        return xarray.Dataset(variables, coordinates, {"title": study.model.name})

    def _units(self, kept: Any) -> dict[str, str]:
        unit = kept.unit(self.study.model)
        return {"units": unit} if unit else {}

    def _label(self, name: str) -> str:
        kept = {kept.name: kept for kept in self.study.kept}
        return label(name, kept[name].unit(self.study.model) if name in kept else self.study.model.signals.unit(name))

    def _number(self, name: Any) -> np.ndarray:
        """A column (N,) of one number of each run; InputError for one of several times."""
        column = self[name]
        if column.ndim > 1:
            raise InputError(
                f"{name!r} is kept at several times: expected one number of each run; keep At(what, t) of one time."
            )
        return column

    def plot_scatter(self, name: str, ax: Any = None) -> Any:
        """Draw the kept quantity `name` over each varied name: a dot for each run, and the means of groups.

        If the line of means is level, the varied name has no effect by itself. Returns matplotlib axes, `ax` (one for
        each name) or those of a new figure. Raises InputError for a column of several times.
        """
        y = self._number(name)
        names = self._differing(name)
        across = min(3, len(names))
        size = 3.2 * across, 3.0 * -(-len(names) // across)
        drawn = grid(len(names), across, size) if ax is None else panels(ax, len(names))
        for axis, x in zip(drawn, names, strict=True):
            values = self[x]
            axis.plot(values, y, ".", ms=2 if len(self) > 1000 else 4, color="0.6", zorder=1)
            order = np.argsort(values, kind="stable")
            parts = [part[np.isfinite(y[part])] for part in np.array_split(order, min(GROUPS, max(1, len(y) // 5)))]
            parts = [part for part in parts if len(part)]
            axis.plot([values[p].mean() for p in parts], [y[p].mean() for p in parts], "o-", ms=4, color="C1", zorder=2)
            axis.set(xlabel=self._label(x), ylabel=self._label(name))
        return drawn[0] if len(drawn) == 1 else Panels(drawn)

    def plot_tornado(self, name: str, share: float = 0.1, ax: Any = None) -> Any:
        """Draw how the mean of the kept quantity `name` changes with each varied name, the longest bar on top.

        A bar goes from the mean of the runs with the lowest values of that name to the mean of the runs with the
        highest; each group is a `share` (no unit) of all runs. Returns matplotlib axes, `ax` or those of a new figure.
        Raises InputError for a column of several times, and for an impossible share.
        """
        y, part = self._number(name), finite(share, "share")
        expect(0 < part <= 0.5, "share", part, "a part of the runs above 0, and at most 0.5")
        count, rows = max(1, round(part * len(y))), list[tuple[str, float, float]]()
        for x in self._differing(name):
            order = np.argsort(self[x], kind="stable")
            ends = [_mean(y[chosen]) for chosen in (order[:count], order[-count:])]
            rows.append((x, ends[0], ends[1]))
        axis = axes(ax)
        middle = _mean(y)
        rows.sort(key=lambda row: max(abs(end - middle) for end in row[1:]))
        for k, (_, low, high) in enumerate(rows):
            for end, colour, aside in zip((low, high), ("C0", "C1"), (0.17, -0.17), strict=True):
                axis.barh(k + aside, end - middle, 0.34, left=middle, color=colour)
        axis.axvline(middle, color="0.3", lw=0.8)
        axis.set_yticks(range(len(rows)), [shown_as(row[0]) for row in rows])
        axis.set_xlabel(f"mean of {self._label(name)}")
        axis.legend(handles=axis.patches[:2], labels=["lowest values", "highest values"])
        return axis

    def _differing(self, name: Any) -> tuple[str, ...]:
        names = tuple(x for x in self.study.names if x != name)
        if not names:
            raise InputError(f"nothing differs between the runs but {name!r}: there is nothing to draw it over.")
        return names

    def plot(self, x: str, y: str, colour: str | None = None, ax: Any = None) -> Any:
        """Plot one column over another: a line over a grid, else a point for each run; `colour` is a third column.

        Two columns that are grids, and a colour, make a map. `x`, `y` and `colour` are names; `ax` an axes of
        matplotlib, which is returned. Raises InputError for a column of several times.
        """
        names = [x, y] if colour is None else [x, y, colour]
        columns = [self._number(name) for name in names]
        ax = axes(ax)
        grids = [axis.names for axis in self.study.axes if axis.distribution is None]
        on_grids = len(grids) == len(self.study.axes)
        if colour is None and on_grids and grids == [(x,)]:
            ax.plot(*columns, marker="." if len(self) < 100 else "")
        elif colour is None:
            ax.plot(*columns, linestyle="", marker=".", markersize=2 if len(self) > 1000 else 4)
        elif on_grids and sorted(grids) == sorted([(x,), (y,)]):
            shape = [len(axis.values) for axis in self.study.axes]
            found = [column.reshape(shape) for column in columns]
            ax.figure.colorbar(ax.pcolormesh(*found, shading="nearest"), ax=ax, label=self._label(names[2]))
        else:
            drawn = ax.scatter(columns[0], columns[1], c=columns[2], s=4)
            ax.figure.colorbar(drawn, ax=ax, label=self._label(names[2]))
        ax.set(xlabel=self._label(x), ylabel=self._label(y))
        return ax


def _mean(y: np.ndarray) -> float:
    """Of what is a number."""
    y = y[np.isfinite(y)]
    return float(y.mean()) if len(y) else np.nan
