"""Surfaces that change their form, and colours that stand for values: waves, membranes, pipes that get warm.

    visu.Surface(lambda x, y: (x, y, 0.1*sin(3*x - 2*t)), (-1, 1), (-1, 1))
    visu.Pipe(0.1, 2, value=lambda s: T_wall*exp(-s/0.3), label="T", unit="K")

A surface is a net of nodes. One formula gives the position and the value of each node, from its place (u, v) in the net
and from a few signals. Signals are the parts of the formula that change in time and do not depend on (u, v). A run
gives the signals, and a straight-line program computes the positions of the nodes: NumPy evaluates it for pictures, the
browser for the player.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy

from easydyn.arguments import answers
from easydyn.engine.graph import Graph
from easydyn.engine.program import Program
from easydyn.engine.sympy_bridge import FromSympy
from easydyn.engine.targets import numpy_functions
from easydyn.errors import InputError
from easydyn.forces.law import with_symbols
from easydyn.inputs import expect, finite, is_listed, is_text, low_high, positive, real_array, shown, text, whole
from easydyn.vec import vector as a_vector
from easydyn.visu.shapes import Shape
from easydyn.visu.solids import Solid

MOST_NODES = 40_000  # of a surface: more than a browser moves at once
MOST_CELLS = 200  # of a pipe: their formula is worked out at each of its nodes
BLOCK = 3_000_000  # numbers that nodes are worked out from at once
STOPS = 33  # colours between which a scale goes straight
U, V = sympy.Dummy("u", real=True), sympy.Dummy("v", real=True)


@dataclass(frozen=True, eq=False)
class Net:
    """The data of a surface.

    Attributes
    ----------
    places : array (n, k)
        The arguments of the formula for each node: u and v, or its point itself (m).
    triangles : array (m, 3) of int
        Triangles, visible from both sides.
    signals : tuple of scalars
        The parts of the formula that change in time: expressions of the model's symbols in their own units.
    program : Program
        Computes x, y, z (m) in the axes of the body, and the value if there is one, from `places` (q) and signals (qd).
    scale : Scale or None
        The meaning of the colours; None if the surface has one colour.
    frames : tuple of pairs of str
        For a surface that bends between frames: the names of both frames, for each of its pieces. Its program takes the
        rows of their matrices, 12 numbers each, before the signals of the piece, and gives points in the axes of the
        ground.
    pieces : array (n,) of int
        The piece to which each node belongs.
    rigid : tuple of pairs (str, Solid)
        The same surface in rigid parts, by the names of their frames, for files in which nothing bends.
    """

    places: np.ndarray
    triangles: np.ndarray
    signals: tuple[Any, ...]
    program: Program
    scale: Scale | None = None
    frames: tuple[tuple[str, str], ...] = ()
    pieces: np.ndarray | None = None
    rigid: tuple[tuple[str, Solid], ...] = ()

    def nodes(self, signals: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Nodes (N, n, 3) in the axes of the body (m), and their values (N, n), from signals (N, s), or (N, p, s)."""
        signals = np.asarray(signals, float)
        prologue, evaluate = numpy_functions(self.program)
        block = max(1, BLOCK // (len(self.places) * max(1, signals.shape[-1]))) if self.frames else len(signals)
        parts = []
        for start in range(0, max(1, len(signals)), max(1, block)):
            some = signals[start : start + block]
            given = some[:, None, :] if self.pieces is None else some[:, self.pieces]
            with np.errstate(all="ignore"):
                columns = evaluate(0.0, self.places, given, None, prologue(()))
            parts.append(np.stack([np.broadcast_to(c, (len(some), len(self.places))) for c in columns], axis=-1))
        found = np.concatenate(parts)
        return found[..., :3], found[..., 3] if found.shape[-1] > 3 else None


@dataclass(frozen=True)
class Scale:
    """The scale of the colours of a surface.

    Attributes
    ----------
    label, unit : str
        Name and unit of the value.
    limits : tuple of two float, or None
        Values at both ends of the scale, in the unit; None: the limits of the shown values.
    colours : tuple of str
        "#rrggbb" at equal distances along the scale.
    zero : float or None
        The place of zero on the scale, from 0 to 1, if the limits are those of the shown values; None: any place.
    """

    label: str = ""
    unit: str = ""
    limits: tuple[float, float] | None = None
    colours: tuple[str, ...] = field(default=(), repr=False)
    zero: float | None = None

    def colour(self, values: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
        """Red, green and blue from 0 to 1, (..., 3), of values (...) on a scale between limits; grey for NaN."""
        low, high = limits
        s = (np.asarray(values, float) - low) / (high - low if high > low else 1.0)
        stops = np.array([[int(c[k : k + 2], 16) / 255 for k in (1, 3, 5)] for c in self.colours])
        at = np.clip(np.nan_to_num(s), 0, 1) * (len(stops) - 1)
        found = np.stack([np.interp(at, np.arange(len(stops)), column) for column in stops.T], axis=-1)
        return np.where(np.isfinite(s)[..., None], found, 0.6)


def limits_of(scale: Scale, values: np.ndarray) -> tuple[float, float]:
    """The ends of a scale: those given, or the least and the largest of the finite values."""
    if scale.limits is not None:
        return scale.limits
    good = values[np.isfinite(values)]
    low, high = (float(good.min()), float(good.max())) if good.size else (0.0, 1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


@answers
class Surface(Shape):
    """A surface given by a formula of two numbers u and v; it may change its form, and its colours may show a value.

    Parameters
    ----------
    position : function of (u, v), or array (n, m, 3)
        Its points in the axes of the body (m): three expressions of u, v, and of the model's symbols (time,
        coordinates, states, parameters). An array is a fixed net, such as measured ground.
    u, v : (low, high) or (low, high, steps), optional
        The range of u and v, in their own units (0 to 1 if left out), and the number of steps (24 if left out).
    value : function of (u, v), scalar, or array (n, m), optional
        The value that the colour shows, in its own unit; if left out, the surface has one colour.
    limits : two floats, optional
        Values at the ends of the colour scale, in its unit; if left out, the least and the largest shown value.
    label, unit : str, optional
        The name of the value, and its unit, beside the scale.
    palette : str
        The name of one of matplotlib's colour maps; "viridis" if left out.
    **options
        As in `Shape`.

    Raises
    ------
    InputError
        Not a formula; an empty range; a net of fewer than two by two nodes, or of too many; an unknown colour map.

    Example
    -------
    >>> from sympy import sin
    >>> from easydyn import t, visu
    >>> wave = visu.Surface(lambda x, y: (x, y, sin(3*x - t)/10), (-1, 1, 20), (-1, 1, 20))
    >>> wave.net.places.shape, wave.net.signals
    ((441, 2), (-t,))
    """

    def __init__(
        self, position: Any, u: Any = (0, 1), v: Any = (0, 1), *, value: Any = None, limits: Any = None,
        label: Any = "", unit: Any = "", palette: Any = "viridis", **options: Any,
    ):  # fmt: skip
        super().__init__(**options)
        what = f"a {type(self).__name__}"
        scale = None if value is None else scale_of(limits, label, unit, palette, what)
        if callable(position):
            ranges = [_range(given, name, what) for given, name in ((u, "u"), (v, "v"))]
            rows = [np.linspace(low, high, steps + 1) for low, high, steps in ranges]
            places = np.stack(np.meshgrid(*rows, indexing="ij"), axis=-1)
            formula = [*_formula(position, f"points of {what}", 3), *([] if value is None else _value(value, what))]
        else:
            places, formula = _measured(position, value, what)
        n, m = places.shape[:2]
        if n * m > MOST_NODES:
            raise InputError(f"{what} has {n} by {m} nodes: expected at most {MOST_NODES:,} in all. Take fewer steps.")
        names = [U, V, *(sympy.Dummy(f"w{k}") for k in range(places.shape[2] - 2))]
        if not callable(position):
            formula = names
        R, e = self.place[:3, :3], self.place[:3, 3]
        placed = [sum(R[i, j] * formula[j] for j in range(3) if R[i, j]) + e[i] for i in range(3)]
        signals: dict[Any, Any] = {}
        worked = [_apart(sympy.sympify(f), set(names), signals) for f in (*placed, *formula[3:])]
        graph = Graph()
        known = {s: graph.input("q", k) for k, s in enumerate(names)}
        known |= {s: graph.input("qd", k) for k, s in enumerate(signals.values())}
        convert = FromSympy(graph, known, what)
        written = Program("surface", [*map(convert, worked)])
        self.net = Net(places.reshape(n * m, -1), net_of(n, m), tuple(signals), written, scale)


class Pipe(Surface):
    """A pipe along z, centred at the origin, with colours for a value along it, such as the temperature of a fluid.

    Parameters
    ----------
    radius, length : float (m)
        Of the pipe.
    value : function of s, or list of scalars, optional
        A function of the distance s (m) from its lower end: an expression of s and of the model's symbols, in its own
        unit. Or values at equal distances from end to end, such as the states of a row of cells.
    limits, label, unit, palette : optional
        As in `Surface`.
    steps : int
        Number of pieces along the pipe.
    **options
        As in `Shape`.

    Raises
    ------
    InputError
        As for `Surface`; fewer than two values.

    Example
    -------
    >>> from easydyn import Model, visu
    >>> model = Model("rod that is heated")
    >>> states = model.states("T1 T2 T3", initial=(300, 300, 400))
    >>> pipe = visu.Pipe(0.05, 1, value=states, label="T", unit="K")
    >>> sorted(map(str, pipe.net.signals))
    ['T1', 'T2', 'T3']
    """

    def __init__(
        self, radius: Any, length: Any, *, value: Any = None, limits: Any = None, label: Any = "", unit: Any = "",
        palette: Any = "viridis", steps: Any = 48, **options: Any,
    ):  # fmt: skip
        r, l = positive(radius, "the radius of a Pipe"), positive(length, "the length of a Pipe")
        count = whole(steps, "the steps of a Pipe", 10_000)
        along = None
        if value is not None:
            law: Callable[[Any], Any] = value if callable(value) else _between(value, l)
            along = lambda u, v: law(u)  # noqa: E731 (u is the distance from the lower end)
        super().__init__(
            lambda u, v: (r * sympy.cos(v), r * sympy.sin(v), u - l / 2), (0, l, count), (0, 2 * np.pi, 24),
            value=along, limits=limits, label=label, unit=unit, palette=palette, **options,
        )  # fmt: skip


def _between(values: Any, length: float) -> Callable[[Any], Any]:
    """The function of s that goes straight between values at equal distances from 0 to a length."""
    cells = list(values) if is_listed(values) else []
    expect(
        2 <= len(cells) <= MOST_CELLS, "the value of a Pipe", values,
        f"a function of s, or at least two values, from its lower end to its upper one, and at most {MOST_CELLS}",
    )  # fmt: skip
    step = length / (len(cells) - 1)
    return lambda s: sum(T * sympy.Max(0, 1 - sympy.Abs(s / step - k)) for k, T in enumerate(cells))


def scale_of(limits: Any, label: Any, unit: Any, palette: Any, what: str) -> Scale:
    """A checked colour scale for `what`."""
    import matplotlib
    from matplotlib.colors import to_hex

    if not is_text(palette) or palette not in matplotlib.colormaps:
        raise InputError(
            f"the palette of {what} is {shown(palette)}: expected the name of one of matplotlib's maps, such as "
            '"viridis", "coolwarm" or "cividis".'
        )
    found = None
    if limits is not None:
        low, high, _ = _range(limits, "limits", what)
        found = low, high
    for name, given in (("label", label), ("unit", unit)):
        if not isinstance(given, str):
            text(given, f"the {name} of {what}")
    stops = matplotlib.colormaps[palette](np.linspace(0, 1, STOPS))
    return Scale(label, unit, found, tuple(map(to_hex, stops)))


def _range(given: Any, name: str, what: str) -> tuple[float, float, int]:
    ends = list(given) if is_listed(given) else []
    if not 2 <= len(ends) <= (2 if name == "limits" else 3):
        more = "" if name == "limits" else ", or (low, high, steps)"
        raise InputError(f"{name} of {what} is {shown(given)}: expected (low, high){more}.")
    low, high = low_high(ends[:2], f"the ends of {name} of {what}")
    return low, high, whole(ends[2], f"the steps of {name} of {what}", MOST_NODES) if len(ends) > 2 else 24


def _formula(function: Callable[..., Any], what: str, count: int) -> list[Any]:
    """What a function of u and v gives: so many expressions."""
    remedy = "Expected a function of u and v that returns expressions, with sin, cos, sqrt of sympy."
    found = with_symbols(function, f"the {what}", remedy, U, V)
    if count == 3:
        return [*a_vector(found, f"the {what}")]
    return [found]


def _value(value: Any, what: str) -> list[Any]:
    if is_listed(value) or isinstance(value, np.ndarray):
        raise InputError(
            f"the value of {what} is {shown(value)}: expected a function of u and v, as its points are one."
        )
    found = _formula(value, f"value of {what}", 1)[0] if callable(value) else value
    if not isinstance(found, sympy.Expr):
        found = finite(found, f"the value of {what}")
    return [found]


def _measured(points: Any, value: Any, what: str) -> tuple[np.ndarray, list[Any]]:
    """The net of an array (n, m, 3), with its values beside it."""
    found = real_array(points, f"the points of {what}")
    if found.ndim != 3 or found.shape[2] != 3 or min(found.shape[:2]) < 2 or not np.isfinite(found).all():
        raise InputError(
            f"the points of {what} have shape {found.shape}: expected a function of u and v, or an array (n, m, 3) of "
            "finite numbers, at least 2 by 2 nodes."
        )
    if value is None:
        return found, []
    own = real_array(value, f"the value of {what}")
    if own.shape != found.shape[:2]:
        raise InputError(f"the value of {what} has shape {own.shape}: expected {found.shape[:2]}, one for each node.")
    return np.concatenate([found, own[..., None]], axis=2), []


def pieced(pieces: Sequence[tuple[np.ndarray, Any]]) -> tuple[np.ndarray, np.ndarray]:
    """Rows (n, k) and triangles (m, 3) of all pieces, each of which has triangles between its own rows."""
    starts = np.cumsum([0, *(len(rows) for rows, _ in pieces)])
    triangles = [np.reshape(faces, (-1, 3)) + start for (_, faces), start in zip(pieces, starts, strict=False)]
    return np.concatenate([rows for rows, _ in pieces]), np.concatenate(triangles)


def net_of(n: int, m: int) -> np.ndarray:
    """Two triangles for each mesh of a net of n by m nodes."""
    corner = (np.arange(n - 1)[:, None] * m + np.arange(m - 1)).ravel()
    a, b, c, d = corner, corner + m, corner + m + 1, corner + 1
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])


def _apart(e: Any, places: set[Any], signals: dict[Any, Any]) -> Any:
    """An expression with a symbol of its own for all that does not depend on the place in the net."""
    if not e.free_symbols:
        return e
    if not e.free_symbols & places and isinstance(e, sympy.Expr):
        return signals.setdefault(e, sympy.Dummy(f"s{len(signals)}"))
    if isinstance(e, sympy.Symbol):
        return e
    args: Sequence[Any] = e.args
    if isinstance(e, sympy.Add | sympy.Mul):
        own = [x for x in args if x.free_symbols and not x.free_symbols & places]
        if len(own) > 1:
            args = [e.func(*own), *(x for x in args if x not in own)]
    return e.func(*(_apart(x, places, signals) for x in args))
