"""Quantities that a study keeps of each run: at its end, at some times, largest and smallest values, integrals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.inputs import by_name, finite, is_text, name_in, text
from easydyn.mechanics.known import in_numbers
from easydyn.mechanics.places import places
from easydyn.mechanics.signals import ENERGIES, SLOTS
from easydyn.mechanics.symbols import t as TIME
from easydyn.result.instants import SEAM, merged
from easydyn.run.declared import measured
from easydyn.run.jumps import jump_times, switching_functions, written
from easydyn.sim.request import inside

BESIDE, LOOKS = 1e-10, 50  # of a run: so far from a jump are its two sides; rounds in which it is found
ALIKE = 0.9  # of the bend at a peak: what that of its neighbours may differ


@answers
@dataclass(frozen=True)
class Of:
    """What is kept of a quantity `what`, a name or an expression: its subclasses say how."""

    what: Any


class Last(Of):
    """A quantity at the end of a run: at `t_final`, or at the event that stops it.

    Parameters
    ----------
    what : str or expression
        A column of a run ("q1", "q1.dot", a state, an input, an output), "total energy", "kinetic energy",
        "potential energy", or an expression of the model's symbols.

    Example
    -------
    >>> Last("q1.dot")
    Last(what='q1.dot')
    """


class Max(Of):
    """The largest value of a quantity in a run: of 500 instants and the end, refined by a parabola through three.

    Where the quantity jumps, at an event, at a time or where its formula does, both of its values there count.

    Parameters
    ----------
    what : str or expression
        As for `Last`.

    Example
    -------
    >>> Max("q1.dot")
    Max(what='q1.dot')
    """


class Min(Of):
    """The smallest value of a quantity in a run, found as `Max` is.

    Parameters
    ----------
    what : str or expression
        As for `Last`.

    Example
    -------
    >>> Min("total energy")
    Min(what='total energy')
    """


class Integral(Of):
    """The integral of a quantity over a run, from its start to its end: `Integral(a**2)`, in its unit times s.

    Parameters
    ----------
    what : str or expression
        As for `Last`.

    Example
    -------
    >>> Integral("q1.dot")
    Integral(what='q1.dot')
    """


@answers
@dataclass(frozen=True)
class At(Of):
    """A quantity at a time of a run; NaN if the run has stopped before.

    Parameters
    ----------
    what : str or expression
        As for `Last`.
    t : float
        The time (s).

    Raises
    ------
    InputError
        The time is not a number.

    Example
    -------
    >>> At("q1", 2.5)
    At(what='q1', t=2.5)
    """

    t: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", finite(self.t, "t of At"))


HOW = {Last: "last", Max: "max", Min: "min", Integral: "integral", At: "at"}


@dataclass(frozen=True)
class Kept:
    """One thing that is kept of each run: its name, the quantity, how, and when (s).

    The way of keeping is "last", "max", "min", "integral", "at", or "series"; of what an optimisation uses also "rest",
    "linear", or "run" (a function of the run).
    """

    name: str
    what: Any
    how: str
    times: tuple[float, ...] = ()

    @property
    def width(self) -> int:
        """The number of values that are kept of each run."""
        return len(self.times) if self.how == "series" else 1

    @property
    def moving(self) -> bool:
        """True if it needs a run."""
        return self.how not in ("rest", "linear")

    @property
    def exact(self) -> bool:
        """True if it has exact derivatives, provided that the motion has."""
        return self.how in HOW.values() and self.what not in ENERGIES

    @property
    def whole(self) -> bool:
        """True if it needs instants from the start to the end."""
        return self.how in ("max", "min", "integral")

    def settle_times(self, begin: float, end: float, called: str) -> None:
        """InputError, which says what this is `called`, where a time is not within runs from `begin` to `end` (s)."""
        object.__setattr__(self, "times", tuple(inside(t, begin, end) for t in self.times))
        for t in self.times:
            if not begin <= t <= end:
                raise InputError(f"{called} is at {t:g} s: expected a time within the runs, {begin:g} to {end:g} s.")

    def unit(self, model: Any) -> str:
        """Its unit; an empty text where nothing is known of it."""
        unit = model.signals.unit(str(self.what))
        return f"{unit} s" if unit and self.how == "integral" else unit

    def over(self, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """The extreme, or the integral (N,), of `y` (N, K), in its own unit, at times `t` (N, K) (s) of whole runs."""
        return integral(t, y) if self.how == "integral" else extreme(t, y, -1.0 if self.how == "min" else 1.0)

    def of_run(self, run: Any) -> np.ndarray:
        """The kept values (width,), in their own unit, of a Trajectory that has saved the times that are needed."""
        if self.whole:
            t, y = in_pieces(run, self.what)
            return self.over(t[None], y[None])
        y = along_run(run, self.what)
        if self.how == "last":
            return y[-1:]
        at = np.minimum(np.searchsorted(run.t, self.times), len(run.t) - 1)
        return np.where(run.t[at] == self.times, y[at], np.nan)


def kept_of(keep: Any, model: Any, save_at: Sequence[float]) -> tuple[Kept, ...]:
    """The kept quantities, checked; by default all unknowns and rates at the end."""
    if keep is None:
        if not save_at:
            return tuple(Kept(f"{name} end", name, "last") for name in model.signals.names(slots=("q", "qd")))
        keep = {f"{name} then": name for name in model.signals.names(slots=("q", "qd"))}
    given = by_name(keep, "keep", '{"tip": Last("q1")}')
    if not given:
        raise InputError('keep is empty: expected what is kept of each run, such as {"end": Last("q1")}.')
    found = []
    for name, value in given.items():
        text(name, "a name of keep", '"largest"')
        if name in ("run", "message", "time"):
            raise InputError(f"keep has {name!r}: a study has a column of that name itself. Give it another one.")
        how, what, times = asked(value)
        how, times = ("series", tuple(save_at)) if how is None and save_at else (how or "last", times)
        found.append(Kept(name, checked(what, f"keep[{name!r}]", model), how, times))
    return tuple(found)


def asked(value: Any) -> tuple[str | None, Any, tuple[float, ...]]:
    """How a quantity is asked for, None where nothing is said, the quantity itself, and when (s)."""
    how = HOW.get(type(value))
    return how, value if how is None else value.what, (value.t,) if how == "at" else ()


def checked(what: Any, where: str, model: Any) -> Any:
    """A quantity of a model, a name or an expression; otherwise UnknownNameError or InputError, which says `where`."""
    if is_text(what) and what == "t":
        return TIME
    if is_text(what):
        told = f"{where} is {{!r}}, which model '{model.name}' does not know: expected one of {{}}, or an expression."
        name = name_in(what, [*model.signals.names(slots=(*SLOTS, "")), *model.signals.names("input")], told)
        return model.symbols[name] if model.signals[name].kind == "input" else name
    return measured(what, where, model)


def leaps(one: Any, model: Any, inputs: Any) -> bool:
    """True for the extreme or the integral of what may jump in a run, with these `inputs`.

    A formula jumps where its conditions change, with accelerations where a force or an input does.
    """
    m = model.mechanism
    what = m.outputs.get(one.what, one.what) if is_text(one.what) else one.what
    if one.how not in ("max", "min", "integral"):
        return False
    symbols = {what} if is_text(what) else {str(x) for x in what.free_symbols}
    used = [formula for u, formula in inputs.formulas.items() if str(u) in symbols]
    if symbols & set(inputs.tables) or any(p.kind != "bend" for x in (what, *used) for p in places(x)):
        return True
    if not symbols & ({f"{q}.ddot" for q in m.coordinates} | {f"{p}.dot" for p in m.states}):
        return False
    kinds = {p.kind for x in (*inputs.formulas.values(), *(x for _, x in written(m))) for p in places(x)}
    return bool(inputs.tables or kinds - {"bend"} or model.compile().derivation.switches)


def along(batch: Any, what: Any, values: Mapping[str, np.ndarray], t: Any, x: np.ndarray) -> np.ndarray:
    """A quantity (N, K), in its own unit, in states `x` (N, K, 3, n) of a batch of runs with `values` (N,), at `t`.

    Energies at jumps are those before, as those of runs are.
    """
    if is_text(what):
        signal = batch.whole.mechanism.signals[what]
        if signal.kind == "energy":
            found = batch.of("energies", values, batch.before(t), x)[:, :, :2]
            return found.sum(axis=2) if signal.formula == 2 else found[:, :, signal.formula]  # type: ignore[no-any-return]
        if signal.slot and signal.formula is None:
            return x[:, :, signal.order, signal.column]
        what = signal.formula
    return batch.of((what,), values, t, x)[:, :, 0]  # type: ignore[no-any-return]


def together(t: np.ndarray) -> np.ndarray:
    """Times (..., N) (s) in order, of which those that differ by rounding are one; those that are NaN stay."""
    apart = ~(np.diff(t, prepend=-np.inf) <= 0.01 * BESIDE * abs(t[..., -1:] - t[..., :1]))
    return np.take_along_axis(t, np.maximum.accumulate(np.where(apart, np.arange(t.shape[-1]), 0), axis=-1), axis=-1)


def along_run(run: Any, what: Any) -> np.ndarray:
    """The same (N,) of a Trajectory."""
    return np.asarray(run[what] if is_text(what) else run.of(what))


def in_pieces(run: Any, what: Any) -> tuple[np.ndarray, np.ndarray]:
    """Times (N,) (s) and values (N,) of a quantity along a run; where it jumps or bends, the same time twice.

    The run knows where its motion does. A formula does where what it compares is equal: this is found to the last
    digits, on the motion between saved instants.
    """
    run, _ = merged(run)
    t, y, span = run.t.copy(), along_run(run, what), float(run.t[-1] - run.t[0])
    formula = run.source.mechanism.outputs.get(what) if is_text(what) else what
    at = _leaps(run, formula, span) if isinstance(formula, sympy.Basic) else np.zeros(0)
    if len(at):
        beside = np.clip(np.concatenate([at - BESIDE * span, at + BESIDE * span]), t[0], t[-1])
        far = (abs(t[:, None] - at) > BESIDE * span).all(axis=1)
        far[[0, -1]] = True
        order = np.argsort(np.concatenate([t[far], beside]), kind="stable")
        values = np.concatenate([y[far], along_run(run.at(beside), what)])
        t, y = np.concatenate([t[far], np.clip(np.tile(at, 2), t[0], t[-1])])[order], values[order]
    return together(t), y


def _leaps(run: Any, formula: sympy.Basic, span: float) -> np.ndarray:
    """The times (s) in a run at which a formula jumps or bends, in order."""
    found = jump_times(switching_functions([formula]), in_numbers(run.parameters), *run.t[[0, -1]].tolist())
    g = list(dict.fromkeys(p.crosses for p in places(formula) if not p.timed))
    if g:
        signs = run.of(g)
        rows, which = np.nonzero((signs[1:] < 0) != (signs[:-1] < 0))
        apart = np.diff(run.t)[rows] > BESIDE * span
        rows, which = rows[apart], which[apart]
        if len(rows):
            ends = (run.t[rows], run.t[rows + 1]), (signs[rows, which], signs[rows + 1, which])
            found += _roots(lambda x: run.at(x).of(g)[np.arange(len(x)), which], *ends).tolist()
    return np.unique(found)


def _roots(g: Any, between: tuple[np.ndarray, np.ndarray], values: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Where functions are zero, each between two times (s) at which its values differ in sign: by the Illinois rule."""
    (a, b), (of_a, of_b) = (x.copy() for x in between), (x.copy() for x in values)
    for _ in range(LOOKS):
        with np.errstate(all="ignore"):
            x = b - of_b * (b - a) / (of_b - of_a)
        x = np.where((x > a) & (x < b) | (x > b) & (x < a), x, (a + b) / 2)
        of_x = g(x)
        over = (of_x < 0) != (of_b < 0)  # between x and b: else a stays, and counts half
        a, of_a = np.where(over, b, a), np.where(over, of_b, of_a / 2)
        b, of_b = x, of_x
        if np.all(np.minimum(abs(b - a), abs(of_b)) <= 1e-15 * (1 + abs(b))):
            break
    return b


def extreme(t: np.ndarray, y: np.ndarray, sign: float) -> np.ndarray:
    """The largest (sign 1) or smallest (-1) value (N,) of `y` (N, K), in its own unit, at times `t` (N, K) (s).

    If the extreme lies between two other instants, a parabola through the three gives its value, unless the bend of its
    neighbours says that the quantity jumps, or has a kink. Times that are NaN do not count.
    """
    z = np.where(np.isnan(t), -np.inf, sign * y)
    k = z.argmax(axis=1)
    rows = np.arange(len(z))
    best = z[rows, k]
    inner = (k > 0) & (k < z.shape[1] - 1)
    left, right = np.where(inner, k - 1, k), np.where(inner, k + 1, k)
    with np.errstate(all="ignore"):
        least = SEAM * np.nan_to_num(np.diff(t)).max(axis=1, initial=0.0)  # shorter is where something happens
        a, b = (np.where(x > least, x, 0.0) for x in (t[rows, k] - t[rows, left], t[rows, right] - t[rows, k]))
        down, up = (best - z[rows, left]) / a, (z[rows, right] - best) / b
        curve = (up - down) / (a + b)
        slope = (down * b + up * a) / (a + b)
        top = best - slope**2 / (4 * curve)
        smooth = np.ones(len(z), dtype=bool)
        for side in (-1, 1):
            there = (k + 2 * side >= 0) & (k + 2 * side < z.shape[1])
            one, two = np.where(there, k + side, k), np.where(there, k + 2 * side, k)
            near = (z[rows, one] - best) / (t[rows, one] - t[rows, k])
            far = (z[rows, two] - z[rows, one]) / (t[rows, two] - t[rows, one])
            bend = (far - near) / (t[rows, two] - t[rows, k])
            smooth &= ~there | ~(abs(bend - curve) > ALIKE * abs(curve)) | ~np.isfinite(bend)
    reach = best - np.minimum(z[rows, left], z[rows, right])
    good = smooth & inner & np.isfinite(top) & (curve < 0) & (top > best) & (top < best + reach)
    lost = (np.isnan(y) & ~np.isnan(t)).any(axis=1)
    return sign * np.where(lost, np.nan, np.where(good, top, best))


def integral(t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The integral (N,) of `y` (N, K), in its own unit, over times `t` (N, K) (s), of which the last is the end.

    The function integrates cubics whose slopes are those of parabolas through three instants, which lie on one side of
    a jump. Times that are NaN do not count.
    """
    lost = (np.isnan(y) & ~np.isnan(t)).any(axis=1)
    t, y = (np.where(np.isnan(t), x[:, -1:], x) for x in (t, y))
    h, rise = np.diff(t), np.diff(y)
    h[h < SEAM * h.max(axis=1, keepdims=True, initial=0.0)] = 0.0  # where something happens
    with np.errstate(all="ignore"):
        d = np.where(h > 0, rise / h, 0.0)
        (left, right), (down, up) = ((np.pad(x, ((0, 0), (1, 0))), np.pad(x, ((0, 0), (0, 1)))) for x in (h, d))
        slope = (down * right + up * left) / (left + right)
    slope = np.where(left == 0, up, np.where(right == 0, down, slope))
    beside = np.where(left == 0, np.roll(slope, -1, axis=1), np.roll(slope, 1, axis=1))
    slope = np.where(left * right == 0, 2 * slope - beside, slope)  # at a jump, and at both ends
    total = np.sum(h * (y[:, 1:] + y[:, :-1]) / 2 + h**2 / 12 * (slope[:, :-1] - slope[:, 1:]), axis=1)
    return np.where(lost, np.nan, total)
