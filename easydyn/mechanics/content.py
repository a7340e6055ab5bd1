"""A short text that identifies the content of an object, the same in every process: equal models share their work.

It is found as in copying (`__reduce_ex__`), down to numbers, words and the symbols of expressions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cached_property
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np
import sympy

OURS = frozenset(("builtins", "copyreg", "easydyn", "mpmath", "numpy", "sympy"))  # whose objects stay as they are


def content_of(thing: Any) -> str:
    """The digest of an object."""
    return Content(thing).digest


class Content:
    """The `digest` of an object, and what is in it besides symbols, numbers and objects of easydyn.

    Attributes
    ----------
    digest : str
        The same for equal content.
    functions : bool
        True if there are functions of a user.
    closures : bool
        True if a function carries values, which may change.
    foreign : bool
        True if there are objects of classes of a user, which may change.
    """

    def __init__(self, thing: Any):
        reader = _Reader()
        self.digest = reader.of(thing).hex()
        self.functions, self.closures, self.foreign = reader.functions, reader.closures, reader.foreign


class _Reader:
    def __init__(self) -> None:
        self.functions = self.closures = self.foreign = False  # one was seen
        self.known: dict[int, bytes] = {}  # things seen, by their place in memory
        self.expressions: dict[Any, bytes] = {}
        self.alive: list[Any] = []
        self.open: dict[int, int] = {}  # things within which we are

    def of(self, x: Any) -> bytes:
        """The digest of anything."""
        if x is None or isinstance(x, bool | int | str | bytes):
            return _digest(type(x).__name__, x if isinstance(x, bytes) else str(x).encode())
        if isinstance(x, float):
            return _digest("float", x.hex().encode())
        if isinstance(x, sympy.Basic):
            return self.expression(x)
        if id(x) in self.known:
            return self.known[id(x)]
        if id(x) in self.open:
            return _digest("open", str(self.open[id(x)]).encode())
        self.open[id(x)] = len(self.open)
        found = self.compound(x)
        del self.open[id(x)]
        self.known[id(x)] = found
        self.alive.append(x)
        return found

    def compound(self, x: Any) -> bytes:
        if isinstance(x, type | BuiltinFunctionType):
            self.foreign = self.foreign or isinstance(x, type) and not _ours(x)
            return _digest("named", f"{x.__module__}.{x.__qualname__}".encode())
        if isinstance(x, FunctionType):
            return self.function(x)
        if isinstance(x, np.ndarray):
            return _digest("array", f"{x.dtype}{x.shape}".encode(), np.ascontiguousarray(x).tobytes())
        if isinstance(x, list | tuple) and type(x) in (list, tuple):
            return _digest(type(x).__name__, *map(self.of, x))
        if type(x) is dict:
            return _digest("dict", *(self.of(part) for item in x.items() for part in item))
        if isinstance(x, set | frozenset):
            return _digest("set", *sorted(map(self.of, x)))
        if hasattr(x, "_read_off"):  # a model: how it is pickled depends on what is known
            return _digest("model", self.of(type(x)), self.of(x._read_off()))
        parts = x.__reduce_ex__(4)
        if isinstance(parts, str):
            return _digest("global", parts.encode())
        return _digest("made", *(self.part(x, p) for p in parts))

    def part(self, x: Any, p: Any) -> bytes:
        """A part of what makes a copy of x; what x has only worked out for itself, and keeps, does not count."""
        if type(p) is dict:
            kept = [name for name in p if isinstance(getattr(type(x), name, None), cached_property)]
            return self.of({name: value for name, value in p.items() if name not in kept} if kept else p)
        return self.of(list(p) if isinstance(p, Iterator) else p)

    def function(self, x: FunctionType) -> bytes:
        self.closures = self.closures or bool(x.__closure__)
        self.functions = self.functions or not _ours(x) or "<" in x.__qualname__
        cells = [cell.cell_contents for cell in x.__closure__ or ()]
        code = x.__code__
        consts = [c if not hasattr(c, "co_code") else c.co_code for c in code.co_consts]
        names = f"{x.__module__}.{x.__qualname__} {code.co_names}".encode()
        return _digest("function", names, code.co_code, self.of(consts), self.of(cells), self.of(x.__defaults__))

    def expression(self, e: Any) -> bytes:
        found = self.expressions.get(e)
        if found is None:
            self.foreign = self.foreign or not _ours(type(e))
            kind = f"{type(e).__module__}.{type(e).__name__}"
            if e.args:
                found = _digest(kind, *(self.of(a) for a in e.args))
            else:
                found = _digest(kind, sympy.srepr(e).encode(), str(getattr(e, "unit", "")).encode())
            self.expressions[e] = found
        return found


def _ours(x: Any) -> bool:
    """Whether a class or a function comes with easydyn, or with what it stands on."""
    return (x.__module__ or "").split(".")[0] in OURS


def _digest(kind: str, *parts: bytes) -> bytes:
    digest = hashlib.sha256(kind.encode())
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.digest()
