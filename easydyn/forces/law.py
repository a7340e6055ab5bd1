"""Force laws that a user writes as a Python function of one variable: tension of a stretch, moment of an angle.

The function is called once, with a symbol. It returns a formula like any other, which may contain parameters, time and
states of the model. If SymPy can integrate the formula, the integral is a potential energy. `Max`, `Min`, `Abs`,
`sign`, `Heaviside` and `Piecewise` are split at the values where they switch, and the integral is continuous there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import sympy

from easydyn.engine.sympy_bridge import check_convertible
from easydyn.errors import EasyDynError, InputError, ModelError
from easydyn.forces.declared import Declared
from easydyn.forces.effort import Assembly, Placeholder
from easydyn.inputs import expect, finite, function, is_function
from easydyn.mechanics.symbols import Parameter
from easydyn.vec.scalars import Scalar, is_number, scalar, sqrt

MOST_SWITCHES = 4  # of a law whose potential is looked for
_SWITCHING = (sympy.Max, sympy.Min, sympy.Abs, sympy.sign, sympy.Heaviside)
# Functions that do not jump where their argument does not: an integral made of others is not trusted.
_SMOOTH = (
    sympy.exp, sympy.log, sympy.sin, sympy.cos, sympy.sinh, sympy.cosh, sympy.tanh, sympy.asin, sympy.acos, sympy.atan,
    sympy.asinh, sympy.acosh, sympy.Abs,
)  # fmt: skip


X = Placeholder("x", real=True)  # what a law is a function of
LENGTH = Placeholder("length", positive=True)
SQUARE = Placeholder("square", real=True)  # of X


class Law(Declared):
    """A force as a function of one variable.

    Attributes
    ----------
    formula : SymPy expression
        A formula of X and of the symbols of a model.
    """

    def __init__(self, given: Any, what: str):
        self.what = what
        expect(is_function(given), what, given, "a function of one variable, such as lambda x: 200*x")
        self.formula = formula_of(given, what, "x", X)

    def expressions(self) -> Iterator[Scalar]:
        """The largest parts of the formula that do not contain the variable."""
        stack: list[Any] = [self.formula]
        while stack:
            e = stack.pop()
            if X in e.free_symbols:
                stack.extend(e.args)
            elif len(e.free_symbols):  # that of t is no truth (mechanics/symbols.py)
                yield e

    def over_length(self, assembly: Assembly, x: Scalar, length: Scalar) -> Scalar:
        """The force divided by a length, which may be zero where the force is zero for a whole range of x."""
        parts = [(e if e == 0 else e / LENGTH, condition) for e, condition in self._parts]
        return assembly.value(sympy.Piecewise(*parts), {X: x, LENGTH: length})

    def over_itself(self, assembly: Assembly, square: Scalar) -> Scalar:
        """The force divided by the variable, from its square; also valid at zero for a polynomial of odd powers."""
        parts = [(_over_itself(e), condition) for e, condition in self._parts]
        return assembly.value(sympy.Piecewise(*parts), {X: sqrt(square), SQUARE: square})

    @cached_property
    def integral(self) -> sympy.Expr | None:
        """The integral of the formula from 0 (or from another value, if it is infinite at 0); None if none is found."""
        if not all(s == X or isinstance(s, Parameter) for s in self.formula.free_symbols):
            return None
        points = _switching_points(self._parts)
        if points is None:
            return None
        primitives = []
        for inside in _insides(points):
            parts = [(e, sympy.sympify(condition).xreplace({X: inside})) for e, condition in self._parts]
            primitive = _primitive(sympy.Piecewise(*parts))
            if primitive is None:
                return None
            primitives.append(primitive)
        total, shift = [], sympy.Integer(0)
        for (before, after), point in zip(pairwise(primitives), points, strict=True):
            total.append((before + shift, X <= point))
            shift += (before - after).xreplace({X: point})
        integral = sympy.Piecewise(*total, (primitives[-1] + shift, True))
        at_zero = integral.subs(X, 0)
        if not at_zero.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo):
            integral = integral - at_zero
        try:
            check_convertible(integral, self.what)
        except ModelError:
            return None
        return integral

    def potential(self, assembly: Assembly, x: Scalar) -> Scalar:
        """The integral at a value of the variable; 0 if none was found."""
        return 0 if self.integral is None else assembly.value(self.integral, {X: x})

    def switches(self, assembly: Assembly, x: Scalar) -> Iterator[tuple[str, Scalar]]:
        """The switching functions of the formula: the differences of the two sides of its conditions on x."""
        for n, difference in enumerate(_differences(self._parts)):
            yield f"{self.what} {n}", assembly.value(difference, {X: x})

    @cached_property
    def _parts(self) -> list[tuple[Any, Any]]:
        """(formula, condition) of each part; the formula itself where there is only one, or too many."""
        whole = [(self.formula, sympy.true)]
        switching = [e for e in self.formula.atoms(*_SWITCHING, sympy.Piecewise) if X in e.free_symbols]
        if not 0 < len(switching) <= MOST_SWITCHES:
            return whole
        folded = sympy.piecewise_fold(self.formula.rewrite(_SWITCHING, sympy.Piecewise))
        return [tuple(part) for part in folded.args] if isinstance(folded, sympy.Piecewise) else whole


def _over_itself(formula: Any) -> Any:
    if not formula.is_polynomial(X):
        return formula / X
    terms = sympy.Poly(formula, X).terms()
    return sum(c * (SQUARE ** ((n - 1) // 2) if n % 2 else X ** (n - 1)) for (n,), c in terms)


def _differences(parts: list[tuple[Any, Any]]) -> list[Any]:
    """Left side less right side of every condition on X, each once."""
    relations = {r for _, c in parts for r in sympy.sympify(c).atoms(sympy.core.relational.Relational)}
    found = dict.fromkeys(r.lhs - r.rhs for r in sorted(relations, key=str) if X in r.free_symbols)
    return [d for d in found if -d not in found or str(d) < str(-d)]


def _switching_points(parts: list[tuple[Any, Any]]) -> list[Any] | None:
    """The values of X at which conditions change, in order; None where they cannot be told.

    Two values that depend on parameters are put into order by Min and Max.
    """
    points: dict[Any, None] = {}
    for difference in _differences(parts):
        terms = sympy.Poly(difference, X).all_coeffs() if difference.is_polynomial(X) else []
        if len(terms) != 2:
            return None
        point = sympy.cancel(-terms[1] / terms[0])
        if not sympy.denom(point).is_number:
            return None
        points[point] = None
    numbers = sorted((p for p in points if p.is_number), key=float)
    others = [p for p in points if not p.is_number]
    if not others:
        return numbers
    if len(points) > 2:
        return None
    return [*points] if len(points) == 1 else [sympy.Min(*points), sympy.Max(*points)]


def with_symbols(function: Callable[..., Any], what: str, remedy: str, *symbols: Any) -> Any:
    """What a user's `function` gives for symbols; InputError, naming `what` and with a `remedy`, where it fails."""
    try:
        return function(*symbols)
    except EasyDynError:
        raise
    except Exception as error:
        failed = f"failed when it was called with {'a symbol' if len(symbols) == 1 else 'symbols'}"
        raise InputError(f"{what} {failed} ({type(error).__name__}: {error}). {remedy}") from None


def formula_of(given: Any, what: str, names: str, *symbols: Any) -> sympy.Expr:
    """What the function `given` returns for `symbols`, called `names` in messages; InputError naming `what`."""
    remedy = "Write it with SymPy: sympy.sqrt(x), sympy.Max(0, x), sympy.Piecewise((value, x > 0), (other, True))."
    called = function(given, what, names)
    formula = with_symbols(lambda *x: scalar(called(*x), f"what {what} returned"), what, remedy, *symbols)
    if is_number(formula):
        finite(formula, f"what {what} returned")
    found = sympy.sympify(formula)
    check_convertible(found, what)
    return found


def _insides(points: list[Any]) -> list[Any]:
    """A value of X before, between and after the points."""
    if not points:
        return [sympy.Integer(0)]
    return [points[0] - 1, *((a + b) / 2 for a, b in pairwise(points)), points[-1] + 1]


def _primitive(formula: Any) -> Any:
    """A function of X with this derivative, that SymPy found and that was verified in numbers; None otherwise."""
    from sympy.integrals.manualintegrate import manualintegrate  # which SymPy itself loads when it integrates

    if isinstance(formula, sympy.Piecewise):  # conditions on parameters remain
        found = [(_primitive(e), condition) for e, condition in formula.args]
        return None if any(e is None for e, _ in found) else sympy.Piecewise(*found)
    try:
        primitive = manualintegrate(formula, X)
    except Exception:  # SymPy gave up: the law is no less a law
        return None
    if primitive.has(sympy.Integral):
        return None
    primitive = primitive.replace(sympy.log, lambda e: sympy.log(sympy.Abs(e)))  # real on both sides of a pole
    return primitive if _continuous(primitive) and _verified(formula, primitive) else None


def _continuous(e: Any) -> bool:
    """False where a primitive may jump although its derivative is finite."""
    for part in e.atoms(sympy.Function):
        if isinstance(part, sympy.Piecewise) and not any(X in condition.free_symbols for _, condition in part.args):
            continue
        if X not in part.free_symbols:
            continue
        bounded = isinstance(part, sympy.atan | sympy.tanh)
        if not isinstance(part, _SMOOTH) or bounded and not part.args[0].is_polynomial(X):
            return False
    return True


def _verified(formula: Any, primitive: Any) -> bool:
    """True when the derivative of the primitive is the formula, wherever that is a number, for a few parameters."""
    rng = np.random.default_rng(0)
    symbols = sorted((formula.free_symbols | primitive.free_symbols) - {X}, key=str)
    functions = sympy.lambdify([X, *symbols], [formula, primitive, sympy.diff(primitive, X)], "numpy")
    compared = 0
    for _ in range(3):
        values = rng.uniform(0.5, 2, len(symbols))
        x = np.concatenate([scale * rng.uniform(-1, 1, 20) for scale in (0.01, 1, 100)])
        with np.errstate(all="ignore"):
            wanted, integral, derivative = (np.broadcast_to(y, x.shape) for y in functions(x, *values))
            where = np.isfinite(wanted) & (np.abs(wanted) < 1e100)
            if np.iscomplexobj(integral) or not np.all(np.isfinite(integral[where])):
                return False
            off = np.abs(derivative - wanted)[where]
            if not np.all(off <= 1e-6 * (np.abs(wanted[where]) + 1e-6 * np.abs(integral[where]))):
                return False
        compared += int(where.sum())
    return compared >= 10
