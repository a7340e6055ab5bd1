"""The elementary functions that `vec` needs, for any scalar: floats, arrays, SymPy expressions and graph nodes.

Of the textbook modules, only this one checks the type of a scalar.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
import sympy

from easydyn.errors import InputError
from easydyn.inputs import finite

LARGEST = 10**308  # integers beyond have no float
Scalar = Any  # float, numpy array (leading axes), sympy.Expr or a node of the engine's graph


def _function(name: str) -> Any:
    of_float, of_array, of_symbol = getattr(math, name), getattr(np, name), getattr(sympy, name)

    def function(x: Scalar) -> Scalar:
        if isinstance(x, (float, int)):
            return of_float(x)
        if isinstance(x, (np.ndarray, np.generic)):
            return of_array(x)
        if isinstance(x, sympy.Basic):
            return of_symbol(x)
        return getattr(x, name)()

    function.__name__ = name
    function.__doc__ = f"{name}(x) of a float, an array, a SymPy expression or a graph node."
    return function


sin = _function("sin")
cos = _function("cos")
sqrt = _function("sqrt")


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """Angle (rad) of the point (x, y), for floats, arrays or SymPy expressions."""
    if isinstance(y, sympy.Basic) or isinstance(x, sympy.Basic):
        return sympy.atan2(y, x)
    if isinstance(y, np.ndarray) or isinstance(x, np.ndarray):
        return np.arctan2(y, x)
    return math.atan2(y, x)


def select(condition: Any, a: Scalar, b: Scalar) -> Scalar:
    """Return a where the condition holds, b elsewhere; an array of conditions selects element by element."""
    if isinstance(condition, np.ndarray):
        return np.where(condition, a, b)
    return a if condition else b


def symbols_of(*expressions: Any) -> set[Any]:
    """All symbols in some expressions; numbers have none."""
    return set[Any]().union(*(getattr(e, "free_symbols", ()) for e in expressions))


class Where(sympy.Function):
    """Where(c, a, b) is a where c > 0, b elsewhere: as a Piecewise, but SymPy looks for no other form of it.

    >>> x = sympy.Symbol("x")
    >>> Where(x, x**2, 0).diff(x)
    Where(x, 2*x, 0)
    >>> Where(x, x**2, 0).subs(x, 3.0)
    9.00000000000000
    """

    nargs = 3
    is_real = True

    @classmethod
    def eval(cls, condition: Any, yes: Any, no: Any) -> Any:
        return (yes if condition > 0 else no) if condition.is_Float or condition.is_Rational else None

    def _eval_derivative(self, s: Any) -> Any:
        condition, yes, no = self.args
        return Where(condition, sympy.diff(yes, s), sympy.diff(no, s))


def where(condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """One scalar where the `condition` is positive, the other elsewhere, for floats, expressions and graph nodes."""
    for node in (condition, yes, no):
        if hasattr(node, "graph"):
            g = node.graph
            return g.select(g.call("lt", g.zero, g.node(condition)), g.node(yes), g.node(no))
    return (yes if condition > 0 else no) if is_number(condition) else Where(condition, yes, no)


def largest(x: Scalar, y: Scalar) -> Scalar:
    """The larger one of two scalars."""
    for node in (x, y):
        if hasattr(node, "graph"):
            return node.graph.call("max", node.graph.node(x), node.graph.node(y))
    if isinstance(x, sympy.Basic) or isinstance(y, sympy.Basic):
        return sympy.Max(x, y, evaluate=False)  # which may be long: SymPy would try to order them
    if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
        return np.maximum(x, y)
    return max(x, y)


def smallest(x: Scalar, y: Scalar) -> Scalar:
    """The smaller one of two scalars."""
    return -largest(-x, -y)


def power(x: Scalar, exponent: Scalar) -> Scalar:
    """x**exponent, for x >= 0 and an exponent >= 1; for graph nodes its derivative at x = 0 is finite too."""
    for node in (x, exponent):
        if hasattr(node, "graph"):
            if is_number(exponent) and float(exponent).is_integer():
                return node.graph.power(node, int(exponent))
            return node.graph.call("pow", node.graph.node(x), node.graph.node(exponent))
    return x**exponent


def is_number(x: Scalar) -> bool:
    """True for a value without symbols: a Python, NumPy or SymPy number."""
    if isinstance(x, sympy.Basic):
        return bool(x.is_number)
    return isinstance(x, (numbers.Real, np.ndarray))


def is_zero(x: Scalar) -> bool:
    """True for the number 0."""
    return is_number(x) and float(x) == 0


def vanishes(x: Any, least: float) -> bool:
    """True if a scalar is below `least`, in its own unit, whatever its symbols are: seen in numbers, at two places."""
    symbols = sorted(getattr(x, "free_symbols", ()), key=str)
    places = ({s: sympy.Float(0.31 + 0.17 * k + 0.23 * step) for k, s in enumerate(symbols)} for step in (0, 1))
    found = (sympy.sympify(x).xreplace(place).evalf() for place in places)
    return all(x.is_number and abs(complex(x)) < least for x in found)


def scalar(x: Any, what: str) -> Scalar:
    """Return x if it is a valid scalar; otherwise raise InputError, naming `what`."""
    if type(x) is float or type(x) is int and -LARGEST < x < LARGEST or hasattr(x, "graph"):
        return x  # the last: a node of the engine's graph
    if isinstance(x, sympy.Expr):
        odd = bool(x.args) and x.has(sympy.nan, sympy.zoo, sympy.Derivative) or x in (sympy.nan, sympy.zoo)
        if isinstance(x, sympy.MatrixExpr) or odd and x.has(sympy.nan, sympy.zoo) or x.is_number and not _is_real(x):
            raise InputError(f"{what} is {str(x)[:100]}: expected a real scalar.")
        return carried_out(x) if odd else x
    if isinstance(x, sympy.Basic) or isinstance(x, bool | np.bool_):
        raise InputError(f"{what} is {x!r} ({type(x).__name__}): expected a number or an expression, not a condition.")
    if isinstance(x, str):
        raise InputError(
            f"{what} is the string {x!r}: expected a number or a symbol. Write the expression itself, not its text: "
            "strings are never evaluated."
        )
    if isinstance(x, np.generic) and not np.issubdtype(x.dtype, np.complexfloating):
        return x.item() if np.issubdtype(x.dtype, np.number) else _refuse(x, what)
    if isinstance(x, np.ndarray) and x.dtype.kind in "fiu":
        return x
    if isinstance(x, numbers.Real):
        return finite(x, what) if isinstance(x, numbers.Integral) else float(x)
    return _refuse(x, what)


def one_expression(x: Any, what: str) -> sympy.Expr:
    """Return x, a scalar, as a SymPy expression; InputError naming `what` for anything else, an array among it."""
    if isinstance(x := alone(x), np.ndarray):
        raise InputError(f"{what} is an array of shape {x.shape}: expected one number or one SymPy expression.")
    return sympy.sympify(scalar(x, what))


def alone(x: Any) -> Any:
    """The number in an array of one element; anything else is returned unchanged."""
    return x.item() if isinstance(x, np.ndarray) and x.size == 1 and x.dtype.kind in "fiu" else x


def one_scalar(x: Any, what: str) -> Any:
    """The number in an array of one element; InputError, naming `what`, for another array; else what was given."""
    if isinstance(x := alone(x), np.ndarray):
        raise InputError(f"{what} contains an array of shape {x.shape}: expected one scalar in each place.")
    return x


def carried_out(x: Any) -> Any:
    """A SymPy expression with q.dot for each `Derivative(q, t)`; anything else is returned unchanged."""
    if not x.has(sympy.Derivative):
        return x
    return x.replace(lambda part: isinstance(part, sympy.Derivative), lambda part: part.doit())


def symbolic(x: Any) -> Any:
    """The SymPy form of a number, or a SymPy object itself, including a condition; None for anything else.

    `sympify` is not used directly, because it would run a string as a program, also inside a tuple or a dict.
    """
    if isinstance(x, sympy.Basic):
        return carried_out(x)
    if isinstance(x, np.number | np.bool_):
        x = x.item()
    if isinstance(x, numbers.Number):
        return sympy.sympify(x, strict=True)
    return None


def _is_real(x: sympy.Expr) -> bool:
    """Whether an expression without symbols has a real value that a float can hold."""
    try:
        return math.isfinite(float(x))
    except (TypeError, ValueError, OverflowError):
        return False


def _refuse(x: Any, what: str) -> Scalar:
    if isinstance(x, tuple) and len(x) == 1 and isinstance(x[0], sympy.Symbol):
        raise InputError(
            f"{what} is {x} (tuple): expected a number or a SymPy expression. Declarations return tuples: did you "
            f"forget the comma in  {x[0]}, = model.coordinates(...)  or  {x[0]}, = model.parameters(...)? "
            "model.coordinate(...), model.state(...), model.parameter(...) return one symbol."
        )
    raise InputError(f"{what} is {x!r} ({type(x).__name__}): expected a number or a SymPy expression.")
