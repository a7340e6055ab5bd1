"""Weighted residuals of a model against data, with exact derivatives, at any values of the unknowns.

    r = (y(T; x) - y_i) / sigma         J = dr/dx, by the tangent equations (analysis/sensitivity.py)
    T = a + rate (t_i - a) - clock      dy/dclock = -dy/dt,   dy/drate = dy/dt (t_i - a)

t_i are the times that were written down, a is the first of them; T is the time of the run. The data may be of several
runs, each of several recordings with clocks of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import sympy

from easydyn.analysis.sensitivity import Sensitivity, Tangents
from easydyn.engine.kept import Kept
from easydyn.errors import InputError, IntegrationError, ModelError, NotFiniteError
from easydyn.inputs import expect, name_in, positive, real_array
from easydyn.mechanics.kinematics import SymbolicCalculus
from easydyn.mechanics.symbols import Acceleration, StateRate
from easydyn.study.data import Streams
from easydyn.study.measures import along
from easydyn.study.unknowns import Unknowns

MOST_STEPS = 100_000  # of a run: values with which it is stiff are stepped back from
LOST = 1e6  # of a residual where the run came to no end: such values are stepped back from
NOISELESS = 1e100  # a share of the spread that no measurement has as its noise: squares of residuals stay finite
NORMAL = 1.4826  # standard deviation of normal noise, by its median from zero
SHORT = 1e-6  # s, of a piece without data
BEYOND = 0.1  # of a turn, by which noise leads out of one turn


class Spent(Exception):
    """As many runs were made as are allowed."""


@dataclass(frozen=True, eq=False)
class Measured:
    """A quantity of the model (a column, or an expression) and its measured values (N,), in its unit, NaN in gaps.

    `t` (N,) are the times at which it was measured, in s; `clocks` what may say them: its recording, and its column.
    `run` is the number of the run.
    """

    what: Any
    column: str
    values: np.ndarray
    sigma: np.ndarray  # (N,), of the noise
    t: np.ndarray = field(default_factory=lambda: np.zeros(0))
    clocks: tuple[str, ...] = ()
    run: int = 0
    note: str = ""

    @property
    def there(self) -> np.ndarray:
        """Where (N,) it was measured."""
        return np.isfinite(self.values)

    @property
    def spread(self) -> float:
        """The spread of the measured values about their mean, in their unit; of a constant one its size."""
        return float(np.std((v := self.values[self.there]) - v[:1])) or float(np.abs(v).max(initial=0.0)) or 1.0


def measured(
    pairs: Sequence[tuple[Any, str]], data: Streams, sigma: Any, angles: Sequence[str], run: int | None
) -> list[Measured]:
    """The measured columns, each with its noise; the spread stands for a noise that is not given.

    Quantities called as one of `angles` (rad) go on where their values jump from one end of a turn to the other.
    """
    named = sigma if isinstance(sigma, Mapping) else {column: sigma for _, column in pairs}
    for name in named:
        name_in(name, [own for _, own in pairs], "sigma has {!r}, which is not fitted: the columns are {}.")
    found = []
    for what, column in pairs:
        values, t, clocks = data.column(column)
        full = column if run is None else f"{column}[{run}]"
        one = Measured(what, full, values, np.ones(len(t)), t, clocks, run or 0)
        if not one.there.any():
            raise InputError(f"column {column!r} of the data holds no number: nothing was measured.")
        if str(what) in angles:
            one = _unwrapped(one)
        noise = named.get(column)
        if noise is None:
            noise = one.spread
        array = real_array(noise, f"sigma of {column}")
        if not array.ndim:
            array = np.full(one.values.shape, positive(noise, f"sigma of {column}"))
        least = one.spread / NOISELESS
        expect(
            array.shape == one.values.shape and np.all(array[one.there] > least), f"sigma of {column}", array.shape,
            f"a number above zero, or one for each of the {len(t)} instants", "has shape",
        )  # fmt: skip
        found.append(replace(one, sigma=array))
    return found


def _unwrapped(one: Measured) -> Measured:
    """An angle that stays within one turn, and jumps from one end of it to the other, goes on instead."""
    values = one.values[one.there]
    jumps = int(np.sum(np.abs(np.diff(values)) > np.pi))
    if not jumps or np.ptp(values) > 2 * np.pi * (1 + BEYOND):
        return one
    whole = one.values.copy()
    whole[one.there] = np.unwrap(values)
    said = f"{one.column} jumps {jumps} times by a turn, and was made to go on (wrapped=False takes it as it is)"
    return replace(one, values=whole, note=said)


class Followed(NamedTuple):
    """A run, or a piece of one, beside a column of the data: its number, the rows, their times (s), and the run there.

    `place` is where these times stand in the run, `early` (s) by how much they are before its begin.
    """

    column: int
    rows: np.ndarray
    t: np.ndarray
    place: np.ndarray
    early: np.ndarray
    y: np.ndarray
    by: np.ndarray  # derivatives of y by the names of the run


class Problem:
    """Residuals of a model against data, with all runs that have been made. `begins` are the starts of the runs (s)."""

    robust = False
    columns: list[Measured]  # with their noise, without what was measured before a run begins
    whole: list[Measured]

    def __init__(self, model: Any, begins: Sequence[float], columns: list[Measured], unknowns: Unknowns,
                 options: dict[str, Any], choices: dict[str, Any], robust: bool = False):  # fmt: skip
        self.model, self.begins, self.unknowns, self.robust = model, tuple(begins), unknowns, robust
        self.options = {"max_steps": MOST_STEPS} | options  # of each run
        self.choices = choices  # of what is derived once
        self.runs, self.most = 0, np.inf  # runs that were made, and that may be made
        self.report: Any = float  # is told their share
        self.first = True  # a run that does not come to its end is an error
        self._tangents = Kept()
        self._rates: dict[str, Any] = {}
        self.note = ""
        self.measure(columns)

    def forget(self) -> None:
        """The columns are others now: what was found is no longer known."""
        self._last: tuple[bytes, Any] | None = None
        self.best: tuple[float, np.ndarray, Any] | None = None  # of a search: sum of squares, values, what was found

    @contextmanager
    def aside(self) -> Iterator[list[Measured]]:
        """Other data or unknowns for a while; the data as they were are given."""
        kept = self.columns[:], self.whole[:], self.unknowns, self.best, self._last
        try:
            yield kept[1]
        finally:
            self.columns, self.whole, self.unknowns, self.best, self._last = kept

    def measure(self, columns: list[Measured]) -> None:
        """Take other data."""
        self.columns, self.whole = list(columns), list(columns)
        self.forget()
        self.cut(self.unknowns.guess)

    def tangents(self, names: tuple[str, ...], run: int = 0) -> Tangents:
        """The equations of derivatives by these names; inputs that are formulas are in the equations of their run."""
        given = self.unknowns.options(self.unknowns.guess, run)["inputs"]
        key = names, *((name, value) for name, value in given.items() if hasattr(value, "free_symbols"))
        return self._tangents.of(key, lambda: Tangents(self.model, list(names), inputs=given, **self.choices))

    @property
    def names(self) -> tuple[str, ...]:
        """By which runs are differentiated, as the model calls them: the same in all runs."""
        found = tuple(self.unknowns.of(0, "parameters", "inputs", "initial"))
        return found or tuple(self.model.initial_values)[:1]  # only clocks are looked for

    @property
    def exact(self) -> bool:
        """True if the derivatives come from the tangent equations."""
        return all(self.tangents(self.names, run).exact for run in range(len(self.begins)))

    def as_text(self, x: np.ndarray) -> str:
        """The values as text, for messages."""
        return ", ".join(f"{name} = {value:.6g}" for name, value in zip(self.unknowns.names, x, strict=True))

    # -- times -------------------------------------------------------------------------------------------------------

    def clock(self, one: Measured) -> dict[str, int]:
        """Where the unknowns "clock" and "rate" of the times of a column stand, if they are looked for."""
        found = self.unknowns.of(one.run, "clock", "rate")
        return {base.rpartition(".")[2]: k for base, k in found.items() if base.rpartition(".")[0] in one.clocks}

    def times(self, one: Measured, x: np.ndarray) -> np.ndarray:
        """When (N,) the values of a column were measured, in times of the run (s)."""
        own = self.clock(one)
        if not own:
            return one.t
        rate, late = (float(x[own[kind]]) if kind in own else rest for kind, rest in (("rate", 1.0), ("clock", 0.0)))
        return one.t[0] + rate * (one.t - one.t[0]) - late

    def instants(self, x: np.ndarray, run: int) -> np.ndarray:
        """All instants (s) of a run at which something was measured."""
        found = np.concatenate([self.times(c, x)[c.there] for c in self.columns if c.run == run])
        return np.unique(np.maximum(found, self.begins[run]))

    def cut(self, x: np.ndarray) -> bool:
        """Leave out what was measured before its run begins, as its clock says now; True if that is something else."""
        changed = False
        for k, (one, whole) in enumerate(zip(self.columns, self.whole, strict=True)):
            if self.clock(one):
                values = np.where(self.times(one, x) < self.begins[one.run], np.nan, whole.values)
                if np.isfinite(values).any() and not np.array_equal(np.isfinite(values), one.there):
                    self.columns[k], changed = replace(one, values=values), True
        if changed:
            self.forget()
        return changed

    def slope(self, s: Sensitivity, one: Followed) -> np.ndarray:
        """The rate of a column along a run, in its unit per s; by its values where it contains accelerations."""
        what = self.columns[one.column].what
        name = str(what)
        for rate in (f"{name}.dot", f"{name.removesuffix('.dot')}.ddot"):
            if rate in s.columns and name in s.columns:
                return np.asarray(s.run[rate][one.place])
        if name not in self._rates:
            m = self.model.mechanism
            formula = m.outputs.get(name, what)
            known = isinstance(formula, sympy.Expr) and not formula.atoms(Acceleration, StateRate)
            self._rates[name] = SymbolicCalculus(m.coordinates, m.states).rate(formula) if known else None
        if self._rates[name] is not None:
            return np.asarray(s.run.of(self._rates[name])[one.place])
        from scipy.interpolate import CubicSpline  # of accelerations only

        t, at = np.unique(one.t, return_index=True)
        return np.asarray(CubicSpline(t, one.y[at])(one.t, 1)) if len(t) > 1 else np.zeros(len(one.t))

    # -- runs --------------------------------------------------------------------------------------------------------

    def followed(
        self, names: tuple[str, ...], x: np.ndarray, run: int, begin: float, until: float | None = None,
        initial: Mapping[str, float] | None = None, after: bool = False,
    ) -> tuple[Sensitivity, list[Followed]]:  # fmt: skip
        """A run beside the columns that were measured in it, from a time to another, or to the end of all data.

        With `after`, the piece before has what was measured at the first instant.
        """
        own, at = [], [] if until is None else [np.array([until])]
        for k, one in enumerate(self.columns):
            if one.run == run:
                rows, t = np.flatnonzero(one.there), self.times(one, x)[one.there]
                late = t > begin if after else t >= -np.inf
                keep = late if until is None else late & (t <= until)
                own.append((k, rows[keep], np.maximum(t[keep], begin), np.minimum(t[keep] - begin, 0.0)))
                at.append(own[-1][2])
        instants = np.unique(np.concatenate(at))
        if not len(instants) or instants[-1] <= begin:  # a clock has led all data away
            instants = np.append(instants, begin + SHORT * max(1.0, abs(begin)))
        given, last = self.unknowns.options(x, run), float(instants[-1])
        given |= {} if initial is None else {"initial": dict(initial)}
        s = self.tangents(names, run).run(last, t_start=begin, save_at=instants.tolist(), **given, **self.options)
        if len(s.t) != len(instants):
            raise ModelError(
                f"the run of model '{self.model.name}' with {self.as_text(x)} stops at t = {s.t[-1]:g} s, and the data "
                f"go on to {last:g} s: give the data up to there, or leave out what stops it."
            )
        self.note, found = s.note, []
        for k, rows, t, early in own:
            place, (y, by) = np.searchsorted(instants, t), along(s, self.columns[k].what)
            found.append(Followed(k, rows, t, place, early, y[place], by[place]))
        return s, found

    def compared(self, s: Sensitivity, one: Followed, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Computed less measured values (n,), and their derivatives (n, m) by the unknowns, in the units of the column.

        What is measured before the run begins, as a search moves a clock, is on the tangent there.
        """
        column, m = self.columns[one.column], len(x)
        y, J = one.y - column.values[one.rows], np.zeros((len(one.y), m))
        for base, k in self.unknowns.of(column.run, "parameters", "inputs", "initial").items():
            J[:, k] = one.by[:, s.by.index(base)]
        if clock := self.clock(column):
            slope = self.slope(s, one)
            y = y + slope * one.early
            for kind, k in clock.items():
                J[:, k] = -slope if kind == "clock" else slope * (column.t[one.rows] - column.t[0])
        return y, J

    def slopes(self, x: np.ndarray) -> list[np.ndarray]:
        """The rate of each column, in its unit per s, along the runs with these values."""
        found = {f.column: self.slope(s, f) for s, listed in self.found(x) or () for f in listed}
        return [found.get(k, np.zeros(int(one.there.sum()))) for k, one in enumerate(self.columns)]

    @property
    def cost_of_a_pass(self) -> int:
        """Runs over all data, with those beside them that are differenced."""
        return len(self.begins) * (1 if self.exact else 1 + 2 * len(self.names))

    def spend(self) -> None:
        """Count a pass over all data, in one run or in pieces."""
        runs = self.cost_of_a_pass
        if self.runs and self.runs + runs > self.most:
            raise Spent
        self.runs += runs
        self.report(self.runs / max(self.runs, self.most))  # the first pass is made in any case

    def back(self) -> np.ndarray:
        """The best values of the search, which are then known without a run."""
        assert self.best is not None
        self._last = self.best[1].tobytes(), self.best[2]
        return self.best[1]

    def found(self, x: np.ndarray) -> list[tuple[Sensitivity, list[Followed]]] | None:
        """All runs with these values, beside their data; None where one of them comes to no end."""
        key = x.tobytes()
        if self._last is None or self._last[0] != key:
            self.spend()
            self._last = key, self._evaluated(x)
        return self._last[1]  # type: ignore[no-any-return]

    def residuals(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """r and J at these values, one row for each measured number; r is very large if no run is possible."""
        x = np.array(x, dtype=float)
        found = self.found(x)
        if found is None:
            rows = sum(int(one.there.sum()) for one in self.columns)
            return np.full(rows, LOST), np.zeros((rows, len(x)))
        parts = sorted((f.column, *self.compared(s, f, x)) for s, listed in found for f in listed)
        sigma = np.concatenate([one.sigma[one.there] for one in self.columns])
        r, J = (np.concatenate([part[k] for part in parts]) for k in (1, 2))
        r, J = r / sigma, J / sigma[:, None]
        cost = self.cost(r)
        if self.best is None or not cost >= self.best[0]:
            self.best = cost, x, found
        return r, J

    def cost(self, r: np.ndarray) -> float:
        """What is minimised: the sum of r^2, or of 2 sqrt(1 + r^2) - 2."""
        return float(np.sum(2 * np.sqrt(1 + r * r) - 2)) if self.robust else float(r @ r)

    def _evaluated(self, x: np.ndarray) -> Any:
        def runs() -> Any:
            return [self.followed(self.names, x, run, begin) for run, begin in enumerate(self.begins)]

        first, self.first = self.first, False
        try:
            try:
                return runs()
            except NotFiniteError:
                if not first or self.choices["exact"] is not None or not self.exact:
                    raise
                self.choices["exact"] = False  # a slope is infinite at the start: of the root of a pressure of zero
                self._tangents.clear()
                return runs()
        except (IntegrationError, ModelError):
            if first:
                raise
            return None

    def weigh(self, r: np.ndarray, free: int) -> float:
        """Set the noise of each column from its residuals; returns the largest relative change."""
        change, at = 0.0, 0
        for k, one in enumerate(self.columns):
            count = int(one.there.sum())
            own, at = r[at : at + count], at + count
            share = max(count - free / len(self.columns), 1.0)
            if self.robust:
                factor = NORMAL * float(np.median(np.abs(own))) * np.sqrt(count / share)
            else:
                factor = float(np.sqrt(np.sum(own**2) / share))
            factor = max(factor, 1e-12 * one.spread / float(one.sigma.max()))  # data without noise
            change = max(change, abs(np.log(factor)))
            self.columns[k] = replace(one, sigma=one.sigma * factor)
        return change
