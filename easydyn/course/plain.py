"""Questions to a student's process, and its answers, as data in JSON.

Numbers, text, lists, arrays, vectors, transforms and SymPy expressions are transferred completely. Anything else (a
Model, a function, a class) stays in its process, and only its description is transferred: its number, its kinds, how it
is shown. A parser that accepts only these forms reads the data: no text is evaluated, and no object with its own code
is made.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from easydyn.vec import Inertia, Rotation, Tensor, Transform, Vector, as_transform

DEEPEST, MOST, LONGEST = 60, 200_000, 10_000  # levels, nodes and letters of what is read
_FUNCTIONS = {
    name: getattr(sympy, name)
    for name in (
        "Add Mul sin cos tan cot asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log Abs sign Max Min "
        "Heaviside Piecewise floor ceiling And Or Not StrictLessThan StrictGreaterThan LessThan GreaterThan Equality "
        "Unequality"
    ).split()
} | {"ExprCondPair": lambda *pair: pair}  # of a Piecewise
_CONSTANTS = {"pi": sympy.pi, "E": sympy.E, "I": sympy.I, "oo": sympy.oo, "-oo": -sympy.oo, "nan": sympy.nan,
              "zoo": sympy.zoo, "true": sympy.true, "false": sympy.false}  # fmt: skip
_TENSORS: dict[str, type[Tensor]] = {kind.__name__: kind for kind in (Tensor, Rotation, Inertia)}


class Unreadable(Exception):
    """The data have none of the forms of an answer."""


def as_json(value: Any, keep: Callable[[Any], Any], depth: int = 0) -> Any:
    """A value as JSON; `keep` describes a value that cannot be transferred."""
    if value is None or isinstance(value, bool):
        return value
    if value is Ellipsis:
        return {"hole": 1}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Fraction | Decimal):
        with suppress(OverflowError, ValueError):
            value = float(value)
    if isinstance(value, str):
        return str(value)[:LONGEST].encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, int):
        return int(value) if abs(value) < 2**63 else math.inf if value > 0 else -math.inf
    if isinstance(value, float):
        return float(value)
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if depth > DEEPEST:
        return keep(value)

    def parts(values: Any) -> list[Any]:
        return [as_json(x, keep, depth + 1) for x in values]

    if isinstance(value, Vector):
        return {"vector": parts(tuple(value))}
    if isinstance(value, Tensor):
        kind = type(value).__name__
        return {"tensor": parts(x for column in value for x in column), "kind": kind if kind in _TENSORS else "Tensor"}
    if isinstance(value, Transform):
        return {"transform": parts(np.array(value.matrix, dtype=object).ravel())}
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fiub":
            kind = {"f": "<f8", "b": "|b1"}.get(value.dtype.kind, "<i8")
            data = base64.b64encode(np.ascontiguousarray(value, dtype=kind).tobytes()).decode()
            return {"array": data, "shape": list(value.shape), "kind": kind}
        return {"array": parts(value.ravel()), "shape": list(value.shape)}
    if isinstance(value, sympy.MatrixBase):
        return {"matrix": parts(value), "shape": list(value.shape)}
    if isinstance(value, sympy.Basic):
        with suppress(Unreadable, RecursionError):
            return {"expression": _tree(value)}
    if isinstance(value, list | tuple | deque):
        return {"tuple" if isinstance(value, tuple) else "list": parts(value)}
    if isinstance(value, Mapping):
        return {"dict": [[as_json(k, keep, depth + 1), as_json(x, keep, depth + 1)] for k, x in value.items()]}
    return keep(value)


def _tree(x: Any) -> list[Any]:
    """An expression as nested lists: the name of a function, then what it is a function of."""
    if isinstance(x, sympy.Symbol):
        return ["Symbol", str(x)]
    if isinstance(x, sympy.Rational):
        return ["Rational", str(x.p), str(x.q)]
    if isinstance(x, sympy.Float):
        return ["Float", repr(float(x))]
    if x.is_Atom:
        name = str(x).lower() if x in (sympy.true, sympy.false) else str(x)
        if name in _CONSTANTS:
            return [name]
        raise Unreadable(str(x))
    name = "Pow" if isinstance(x, sympy.Pow) else type(x).__name__
    if name == "Pow" or name in _FUNCTIONS:
        return [name, *(_tree(y) for y in x.args)]
    raise Unreadable(name)


class Reader:
    """Converts transferred data back into values; `kept` makes the stand-in for an object that was not transferred."""

    def __init__(self, kept: Callable[[dict[str, Any]], Any]) -> None:
        self.kept, self.count = kept, 0

    def read(self, data: Any, depth: int = 0) -> Any:
        """The transferred value; Unreadable if there is none."""
        self.count = self.count + 1 if depth else 0
        if depth > 2 * DEEPEST or self.count > MOST:
            raise Unreadable("too much of it")
        if data is None or isinstance(data, bool | int | float):
            return data
        if isinstance(data, str):
            return data[:LONGEST]
        if not isinstance(data, dict):
            raise Unreadable("no form of an answer")
        try:
            return self._form(data, depth + 1)
        except (KeyError, TypeError, ValueError, IndexError, RecursionError, OverflowError, binascii.Error) as error:
            raise Unreadable(f"{type(error).__name__}") from None

    def _form(self, data: dict[str, Any], depth: int) -> Any:
        """A value of one of the forms."""
        form = next(iter(data))
        content = data[form]

        def parts(count: int | None = None) -> list[Any]:
            if not isinstance(content, list) or count is not None and len(content) != count:
                raise ValueError(form)
            return [self.read(x, depth) for x in content]

        if form == "hole":
            return Ellipsis
        if form == "complex":
            return complex(*(float(x) for x in content))
        if form == "vector":
            return Vector(*parts(3))
        if form == "tensor":
            x = parts(9)
            return _TENSORS[data["kind"]](Vector(*x[:3]), Vector(*x[3:6]), Vector(*x[6:]))
        if form == "transform":
            x = parts(16)
            rows = [x[k : k + 4] for k in range(0, 16, 4)]
            try:
                return as_transform(rows, "it")
            except (ValueError, TypeError):  # as it came: what it is not will be said
                return rows
        if form == "array":
            return self._array(data, content, depth)
        if form == "matrix":
            return sympy.Matrix(*(int(n) for n in data["shape"]), [sympy.sympify(x, strict=True) for x in parts()])
        if form == "expression":
            return self._expression(content)
        if form == "list":
            return parts()
        if form == "tuple":
            return tuple(parts())
        if form == "dict":
            return {self.read(k, depth): self.read(x, depth) for k, x in content}
        return self.kept(data)

    def _array(self, data: dict[str, Any], content: Any, depth: int) -> np.ndarray:
        shape = tuple(int(n) for n in data["shape"])
        if isinstance(content, str):
            kind = {"<f8": "<f8", "<i8": "<i8", "|b1": "|b1"}[data["kind"]]
            return np.frombuffer(base64.b64decode(content, validate=True), dtype=kind).reshape(shape).copy()
        values = np.empty(len(content), dtype=object)
        for k, x in enumerate(content):
            values[k] = self.read(x, depth)
        return values.reshape(shape)

    def _expression(self, tree: Any, depth: int = 0) -> Any:
        self.count += 1
        if depth > 200 or self.count > MOST or not isinstance(tree, list):
            raise Unreadable("no expression")
        name, *rest = tree
        if name == "Symbol":
            return sympy.Symbol(str(rest[0])[:80])
        if name == "Rational":
            if max(len(x) for x in rest) > 400:
                raise Unreadable("too many digits")
            return sympy.Rational(int(rest[0]), int(rest[1]))
        if name == "Float":
            return sympy.Float(float(rest[0]))
        if not rest:
            return _CONSTANTS[name]
        arguments = [self._expression(x, depth + 1) for x in rest]
        if name == "Pow":
            base, exponent = arguments
            if base.is_number and exponent.is_number and abs(float(abs(exponent.evalf()))) > 64:
                return sympy.Float(complex(base.evalf()).real) ** sympy.Float(float(exponent.evalf()))
            return sympy.Pow(base, exponent)
        return _FUNCTIONS[name](*arguments)
