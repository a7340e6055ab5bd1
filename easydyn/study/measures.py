"""Numbers that an optimisation uses: of a run, of an equilibrium or of small motions, with their derivatives.

The derivatives of a run are exact: dy/dx = y_q s + y_qd sd + y_qdd sdd + y_x, with s of the tangent equations. So are
those of a largest value (at its instant t*, where dy/dt = 0) and of an integral (by Gauss quadrature). If an event h =
0 stops the run at t_e, the end moves with x: dt_e/dx = -(dh/dx) / (dh/dt).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from easydyn.arguments import answers
from easydyn.errors import EasyDynError, InputError
from easydyn.inputs import finite, function, is_function, is_text, shown
from easydyn.mechanics.signals import ENERGIES
from easydyn.study.keep import Kept, Of, asked, checked

PIECES = 250  # of a run, each with Gauss's points: also the instants among which extremes are looked for
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(4)
NEAR = 6  # instants of the polynomial through a peak
PEAKS = 12  # of a quantity that are held below a limit
OF_ALL = 1e-6  # of its range: less is no peak


class AtRest(Of):
    """A quantity at the equilibrium of the model with the values that are tried, for `model.optimise`.

    Parameters
    ----------
    what : str or expression
        As for `Last`.

    Example
    -------
    >>> AtRest("q1")
    AtRest(what='q1')
    """


@answers
@dataclass(frozen=True)
class Linearized:
    """A number of the equations linearised about the equilibrium, for `model.optimise`; the largest of several.

    Parameters
    ----------
    function : function
        A function of the `Linearization` (with `poles()`, `modes()`, `frequency_response(...)`). It returns a number,
        or an array (N,), no unit, of which the largest counts.

    Raises
    ------
    InputError
        `function` is not a function of one argument.

    Example
    -------
    >>> slowest = Linearized(lambda lin: max(lin.poles().real))
    """

    function: Callable[[Any], Any]

    def __post_init__(self) -> None:
        function(self.function, "the function of Linearized", "linearization")


def measure_of(value: Any, model: Any, where: str) -> Kept:
    """The measure that the user wrote; InputError or UnknownNameError if it is not valid."""
    if isinstance(value, Linearized):
        return Kept(f"Linearized({_called(value.function)})", value.function, "linear")
    if isinstance(value, AtRest):
        return Kept(f"AtRest({value.what})", checked(value.what, where, model), "rest")
    how, what, times = asked(value)
    if how is None and is_function(value) and not isinstance(value, sympy.Basic):
        return Kept(_called(value), function(value, where, "run"), "run")
    parts = ", ".join([f"{what}", *(f"{t:g}" for t in times)])
    named = parts if how is None else f"{type(value).__name__}({parts})"
    if how is None and not is_text(what) and not isinstance(what, sympy.Basic):
        raise InputError(
            f"{where} is {shown(value)}: expected a measure, such as Last(\"q1\"), Max(...), Min(...), At(..., t), "
            "Integral(...), AtRest(...), Linearized(function), or a function of the run."
        )
    return Kept(named, checked(what, where, model), how or "last", times)


def _called(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__)).replace("<lambda>", "function")


# -- along a run ------------------------------------------------------------------------------------------------------


def nodes(begin: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Instants (N,) (s) from `begin` to `end` with weights (N,) (s): Gauss points of many pieces, and the ends."""
    edges = np.linspace(begin, end, PIECES + 1)
    middle, half = (edges[1:] + edges[:-1]) / 2, (edges[1:] - edges[:-1]) / 2
    t = (middle[:, None] + half[:, None] * POINTS).ravel()
    w = (half[:, None] * WEIGHTS).ravel()
    return np.concatenate([[begin], t, [end]]), np.concatenate([[0.0], w, [0.0]])


def peaks(t: np.ndarray, y: np.ndarray, by: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """The highest values (most,) of `y` (N,), each at a peak or an end, and their derivatives (most, m) of `by` (N, m).

    Between instants `t` (N,) (s), the polynomial through six of them is used. If there are fewer peaks than `most`, the
    last is repeated.
    """
    up = np.concatenate([[True], y[1:] > y[:-1]])
    down = np.concatenate([y[:-1] >= y[1:], [True]])
    tops = np.flatnonzero(up & down)
    tops = tops[np.argsort(-y[tops], kind="stable")][:most]
    low = float(y.min())
    tops = tops[y[tops] > low + OF_ALL * (y.max() - low)] if y.max() > low else tops[:1]
    found = [_top(t, y, by, int(k)) for k in tops]
    order = sorted(range(len(found)), key=lambda k: -found[k][0])
    found = [found[k] for k in order]
    found += found[-1:] * (most - len(found))
    return np.array([value for value, _ in found]), np.array([slope for _, slope in found])


def _top(t: np.ndarray, y: np.ndarray, by: np.ndarray, k: int) -> tuple[float, np.ndarray]:
    if not 0 < k < len(t) - 1:
        return float(y[k]), by[k]
    first = min(max(k - NEAR // 2, 0), len(t) - NEAR)
    rows = slice(first, first + NEAR)
    scale = t[k + 1] - t[k - 1]
    x = (t[rows] - t[k]) / scale
    c = np.linalg.solve(np.vander(x, increasing=True), y[rows])
    slopes = c[1:] * np.arange(1, NEAR)
    left, right = x[k - 1 - first], x[k + 1 - first]
    at = [r.real for r in np.roots(slopes[::-1]) if abs(r.imag) < 1e-9 and left <= r.real <= right]
    tops = [(float(np.polyval(c[::-1], r)), r) for r in at]
    value, place = max(tops, default=(-np.inf, 0.0))
    if not y[k] <= value <= y[k] + max(y[k] - y[k - 1], y[k] - y[k + 1]):  # a kink
        return float(y[k]), by[k]
    weights = np.linalg.solve(np.vander(x, increasing=True).T, place ** np.arange(NEAR))
    return value, weights @ by[rows]


def along(s: Any, what: Any) -> tuple[np.ndarray, np.ndarray]:
    """A quantity (N,) along a run with its derivatives, in its own unit, and these (N, m)."""
    text = str(what)
    named = isinstance(what, str) or text in s.columns
    return s.run[text] if named else s.run.of(what), s.gradient(text if named else what)


class Motion:
    """A run with its derivatives by m unknowns, for measures; its end may depend on the unknowns.

    Parameters
    ----------
    sensitivity : Sensitivity
        At `nodes` of the run, and at the times that are asked for.
    weights : array (N,)
        Of quadrature (s).
    moves : array (m,)
        Derivatives (s per unit of the unknown) of the end.
    """

    def __init__(self, sensitivity: Any, weights: np.ndarray, moves: np.ndarray):
        self.s, self.weights, self.moves = sensitivity, weights, moves

    def along(self, what: Any) -> tuple[np.ndarray, np.ndarray]:
        """A quantity (N,), in its own unit, and its derivatives (N, m)."""
        return along(self.s, what)

    def rate(self, what: Any) -> float:
        """The rate of a quantity at the end, in its unit per s; exact for a quantity without accelerations."""
        t, y = self.s.t[-1:-NEAR * 4:-4], self.along(what)[0][-1:-NEAR * 4:-4]
        x = (t - t[0]) / (t[0] - t[-1])
        return float(np.linalg.solve(np.vander(x, increasing=True), y)[1] / (t[0] - t[-1]))

    def of(self, one: Kept, most: int, sign: float) -> tuple[np.ndarray, np.ndarray]:
        """The measure (1,), or the highest peaks (most,) of `sign` times it, and derivatives (.., m)."""
        y, by = self.along(one.what)
        if one.how == "integral":
            return (self.weights @ y)[None], (self.weights @ by + y[-1] * self.moves)[None]
        if one.how == "at":
            k = int(np.searchsorted(self.s.t, one.times[0]))
            if k >= len(y) or self.s.t[k] != one.times[0]:
                raise InputError(
                    f"{one.name} is at {one.times[0]:g} s, and the run stops at {self.s.t[-1]:g} s: ask for Last(...)."
                )
            return y[k : k + 1], by[k : k + 1]
        moved = self.rate(one.what) * self.moves if self.moves.any() else 0.0
        if one.how == "last":
            return y[-1:], by[-1:] + moved
        whole = by.copy()
        whole[-1] += moved
        values, slopes = peaks(self.s.t, sign * y, sign * whole, most)
        return sign * values, sign * slopes


def _of_function(function: Any, argument: Any, name: str) -> Any:
    """What a function of the user returns; an error in it is told with its name, and stays above."""
    try:
        return function(argument)
    except EasyDynError:
        raise
    except Exception as error:
        raise InputError(
            f"the function of {name} stopped with {type(error).__name__}: {error}. Expected one that takes a "
            f"{type(argument).__name__} and returns a number."
        ) from error


def of_plain_run(one: Kept, run: Any) -> float:
    """The measure of a run without derivatives, such as one with contacts, controllers or loops."""
    if one.how == "run":
        value = _of_function(one.what, run, one.name)
        if np.ndim(value):
            raise InputError(
                f"the function {one.name} returned an array of shape {np.shape(value)}: expected a number of the run."
            )
        return finite(value, f"what the function {one.name} returned")
    value = float(one.of_run(run)[0])
    if not np.isfinite(value):
        raise InputError(f"{one.name} is {value} in the run that stops at {run.t[-1]:g} s: expected a finite number.")
    return value


# -- of states of rest, and small motions about them ------------------------------------------------------------------

Stencil = tuple[tuple[int, ...], np.ndarray]
CENTRAL: Stencil = (-2, -1, 1, 2), np.array([1, -8, 8, -1]) / 12
FORWARD: Stencil = (0, 1, 2, 3, 4), np.array([-25, 48, -36, 16, -3]) / 12
STEP = 1e-3  # of differences of the fourth order, beside the size of an unknown
SHORT: Stencil = (-1, 1), np.array([-0.5, 0.5])
SHORT_FORWARD: Stencil = (0, 1, 2), np.array([-1.5, 2, -0.5])


def differences(
    values: Callable[[np.ndarray], np.ndarray], x: np.ndarray, h: np.ndarray, low: np.ndarray, high: np.ndarray,
    short: bool,
) -> np.ndarray:  # fmt: skip
    """Derivatives (k, m) of `values` (k,) at `x` (m,) by steps `h` (m,), each in its own unit, within the bounds.

    The differences are of order four, central if the bounds leave room; with `short` they are of order two, to save
    evaluations.
    """
    columns = []
    for j in range(len(x)):
        places, weights = SHORT if short else CENTRAL
        reach = max(places) * h[j]
        step = h[j]
        if x[j] + reach > high[j] or x[j] - reach < low[j]:
            places, weights = SHORT_FORWARD if short else FORWARD
            step = h[j] if high[j] - x[j] > x[j] - low[j] else -h[j]
        moved = []
        for place in places:
            y = x.copy()
            y[j] += place * step
            moved.append(values(y))
        columns.append(weights @ np.array(moved) / step)
    return np.array(columns).T


def at_rest(model: Any, listed: list[Kept], given: Mapping[str, Any], choices: Mapping[str, Any]) -> list[np.ndarray]:
    """All measures of an equilibrium and of small motions about it, each an array (K,), in its own unit.

    Raises ModelError if there is no equilibrium.
    """
    rest = model.equilibrium(**given, locked=choices["locked"], scheme=choices["scheme"])
    rest.check()
    found: list[np.ndarray] = []
    linear = model.linearize(rest) if any(one.how == "linear" for one in listed) else None
    for one in listed:
        if one.how == "rest":
            found.append(np.atleast_1d(_resting(model, rest, one.what)))
            continue
        came = _of_function(one.what, linear, one.name)
        value = np.asarray(came)
        if value.dtype.kind not in "fiu" or value.ndim > 1 or not value.size or not np.isfinite(value).all():
            raise InputError(
                f"the function of {one.name} returned {shown(came)}: expected a finite real number, or an "
                "array (N,) of them, of which the largest counts."
            )
        found.append(np.atleast_1d(value).astype(float))
    return found


def _resting(model: Any, rest: Any, what: Any) -> float:
    """A quantity at an equilibrium."""
    if is_text(what) and what in ENERGIES:
        raise InputError(f"AtRest({what!r}): expected a coordinate, a state, an output or an expression.")
    signal, state = rest.system.mechanism.signals[what] if is_text(what) else None, (rest.q, rest.qd, rest.qdd)
    if signal is not None and signal.slot and signal.formula is None:
        return float(state[signal.order][signal.column])
    of = what if signal is None else signal.formula
    rows = tuple(x[None] for x in state)
    return float(rest.system.along((of,), np.array([rest.t]), rows, np.zeros((0, 0)))[0, 0])
