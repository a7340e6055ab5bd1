"""Weighted residuals of a model against measured data, with exact derivatives, at any values of the unknowns.

r = (y(t_i; x) - y_i) / sigma        J = dr/dx, by the tangent equations (analysis/sensitivity.py)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from easydyn.analysis.sensitivity import Sensitivity, Tangents
from easydyn.errors import InputError, IntegrationError, ModelError, NotFiniteError, UnknownNameError
from easydyn.inputs import positive, real_array
from easydyn.lab.recording import Recording
from easydyn.study.unknowns import Unknowns

MOST_STEPS = 100_000  # of a run: values with which it is stiff are stepped back from
LOST = 1e6  # of a residual where the run came to no end: such values are stepped back from

NOISELESS = 1e100  # a share of the spread that no measurement has as its noise: squares of residuals stay finite




class Spent(Exception):
    """As many runs were made as are allowed."""


@dataclass(frozen=True, eq=False)
class Measured:
    """A quantity of the model (a column, or an expression) and its measured values (N,), in its unit, NaN in gaps."""

    what: Any
    column: str
    values: np.ndarray
    sigma: np.ndarray  # (N,), of the noise

    @property
    def there(self) -> np.ndarray:
        """Where (N,) it was measured."""
        return np.isfinite(self.values)

    @property
    def spread(self) -> float:
        """The spread of the measured values about their mean, in their unit."""
        return float(np.std(self.values[self.there])) or 1.0


def measured(pairs: Sequence[tuple[Any, str]], data: Recording, sigma: Any) -> list[Measured]:
    """The measured columns, each with its noise; the spread stands for a noise that is not given."""
    named = sigma if isinstance(sigma, Mapping) else {column: sigma for _, column in pairs}
    for name in named:
        if name not in [column for _, column in pairs]:
            raise UnknownNameError(
                f"sigma has {name!r}, which is not fitted: the columns are {', '.join(column for _, column in pairs)}."
            )
    found = []
    for what, column in pairs:
        one = Measured(what, column, data[column], np.ones(len(data.t)))
        if not one.there.any():
            raise InputError(f"column {column!r} of the data holds no number: nothing was measured.")
        noise = named.get(column)
        if noise is None:
            noise = one.spread
        array = real_array(noise, f"sigma of {column}")
        if not array.ndim:
            array = np.full(one.values.shape, positive(noise, f"sigma of {column}"))
        least = one.spread / NOISELESS
        if array.shape != one.values.shape or not np.all(array[one.there] > least):
            raise InputError(
                f"sigma of {column} has shape {array.shape}: expected a number above zero, or one for each of the "
                f"{len(data.t)} instants."
            )
        found.append(replace(one, sigma=array))
    return found


class Problem:
    """Residuals of a model against data, with all runs that have been made."""

    def __init__(self, model: Any, t: np.ndarray, t_start: float, columns: list[Measured], unknowns: Unknowns,
                 options: dict[str, Any], choices: dict[str, Any]):  # fmt: skip
        self.model, self.t, self.t_start, self.columns, self.unknowns = model, t, t_start, columns, unknowns
        self.options = {"max_steps": MOST_STEPS} | options  # of each run
        self.choices = choices  # of what is derived once
        self.runs, self.most = 0, np.inf  # runs that were made, and that may be made
        self._last: tuple[bytes, Any] | None = None
        self.best: tuple[float, np.ndarray, Any] | None = None  # of a search: sum of squares, values, what was found
        self._tangents: dict[tuple[str, ...], Tangents] = {}
        self.note = ""

    def tangents(self, names: tuple[str, ...]) -> Tangents:
        """The equations of derivatives by these names."""
        if names not in self._tangents:
            given = self.unknowns.options(self.unknowns.guess)["inputs"]
            self._tangents[names] = Tangents(self.model, list(names), inputs=given, **self.choices)
        return self._tangents[names]

    @property
    def exact(self) -> bool:
        """True if the derivatives come from the tangent equations."""
        return self.tangents(self.unknowns.names).exact

    def sensitivity(
        self,
        names: tuple[str, ...],
        x: np.ndarray,
        begin: float,
        at: np.ndarray,
        initial: Mapping[str, float] | None = None,
    ) -> Sensitivity:
        """A run with its derivatives from a time to the last of the instants, which are saved."""
        given = self.unknowns.options(x)
        if initial is not None:
            given["initial"] = dict(initial)
        found = self.tangents(names).run(float(at[-1]), t_start=begin, save_at=at.tolist(), **given, **self.options)
        if len(found.t) != len(at):
            raise ModelError(
                f"the run of model '{self.model.name}' with {self.told(x)} stops at t = {found.t[-1]:g} s, and the "
                f"data go on to {at[-1]:g} s: give the data up to there, or leave out what stops it."
            )
        self.note = found.note
        return found

    def told(self, x: np.ndarray) -> str:
        """The values as text, for messages."""
        return ", ".join(f"{name} = {value:.6g}" for name, value in zip(self.unknowns.names, x, strict=True))

    def along(self, s: Sensitivity, one: Measured) -> tuple[np.ndarray, np.ndarray]:
        """A quantity (N,) along a run, and its derivatives (N, m) by all that it is differentiated by."""
        text = str(one.what)
        named = isinstance(one.what, str) or text in s.columns
        return s.run[text] if named else s.run.of(one.what), s.gradient(text if named else one.what)

    def spend(self) -> None:
        """Count a run over all instants, in one or in pieces, with those beside it that are differenced."""
        runs = 1 if self.exact else 1 + 2 * len(self.unknowns.names)
        if self.runs and self.runs + runs > self.most:
            raise Spent
        self.runs += runs

    def back(self) -> np.ndarray:
        """The best values of the search, which are then known without a run."""
        assert self.best is not None
        self._last = self.best[1].tobytes(), self.best[2]
        return self.best[1]

    def residuals(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """r and J at these values, one row for each measured number; r is very large if no run is possible."""
        x = np.array(x, dtype=float)
        key = x.tobytes()
        if self._last is None or self._last[0] != key:
            self.spend()
            self._last = key, self._evaluated(x)
        found = self._last[1]  # type: ignore[index]
        if found is None:
            rows = sum(int(one.there.sum()) for one in self.columns)
            return np.full(rows, LOST), np.zeros((rows, len(self.unknowns.names)))
        sigma = np.concatenate([one.sigma[one.there] for one in self.columns])
        r, J = found[0] / sigma, found[1] / sigma[:, None]
        if self.best is None or not float(r @ r) >= self.best[0]:
            self.best = float(r @ r), x, found
        return r, J

    def _evaluated(self, x: np.ndarray) -> Any:
        """Computed less measured values, and derivatives of these, in the units of the columns; None without a run."""
        names = self.unknowns.names
        try:
            try:
                s = self.sensitivity(names, x, self.t_start, self.instants)
            except NotFiniteError:
                if self._last is not None or self.choices["exact"] is not None or not self.exact:
                    raise
                self.choices["exact"] = (
                    False  # a slope is infinite at the start: of the root of a pressure that is zero
                )
                self._tangents.clear()
                s = self.sensitivity(names, x, self.t_start, self.instants)
        except (IntegrationError, ModelError):
            if self._last is None:
                raise
            return None
        r, J = [], []
        for one in self.columns:
            values, by = self.along(s, one)
            rows = one.there[self.saved]
            r.append((values - one.values[self.saved])[rows])
            J.append(by[rows])
        return np.concatenate(r), np.concatenate(J)

    @property
    def saved(self) -> np.ndarray:
        """Rows of the data with at least one measured value that is fitted."""
        return np.flatnonzero(np.any([one.there for one in self.columns], axis=0))

    @property
    def instants(self) -> np.ndarray:
        """Their times (s)."""
        return self.t[self.saved]

    def weigh(self, r: np.ndarray, free: int) -> float:
        """Set the noise of each column from its residuals; returns the largest relative change."""
        change, at = 0.0, 0
        for k, one in enumerate(self.columns):
            count = int(one.there.sum())
            own, at = r[at : at + count], at + count
            share = max(count - free / len(self.columns), 1.0)
            factor = float(np.sqrt(np.sum(own**2) / share))
            factor = max(factor, 1e-12 * one.spread / float(one.sigma.max()))  # data without noise
            change = max(change, abs(np.log(factor)))
            self.columns[k] = replace(one, sigma=one.sigma * factor)
        return change
