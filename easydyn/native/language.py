"""The words of LLVM's intermediate representation that kernels need: types, instructions, numbers, memory."""

from __future__ import annotations

import ast
import inspect
import struct
from collections.abc import Callable
from typing import Any

from easydyn.native.record import Record

# A "condition" is the value of `and`, `or` of numbers: true or false, and nothing to be stored.
TYPES = {
    "int": "i64",
    "float": "double",
    "bool": "i1",
    "condition": "i1",
    "array": "ptr",
    "record": "ptr",
    "none": "void",
}
ARGUMENTS = {"sqrt": 1, "abs": 1, "isfinite": 1, "int": 1, "float": 1, "min": 2, "max": 2}
ARITHMETIC: dict[type, tuple[str, str]] = {
    ast.Add: ("add", "fadd"), ast.Sub: ("sub", "fsub"), ast.Mult: ("mul", "fmul"),
    ast.Div: ("", "fdiv"),
}  # fmt: skip
COMPARISON: dict[type, tuple[str, str]] = {
    ast.Lt: ("slt", "olt"), ast.LtE: ("sle", "ole"), ast.Gt: ("sgt", "ogt"), ast.GtE: ("sge", "oge"),
    ast.Eq: ("eq", "oeq"), ast.NotEq: ("ne", "une"),
}  # fmt: skip
DECLARATIONS = """\
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @pow(double, double)
!0 = !{}
!1 = !{!"easydyn"}
!2 = !{!"number of an array", !1, i64 0}
!3 = !{!"field of a record", !1, i64 0}
!4 = !{!2, !2, i64 0}
!5 = !{!3, !3, i64 0}
"""
WIDE = '"prefer-vector-width"="512"'  # eight numbers in one register, where the processor has such
ANY_ARRAY, SLOT = "!tbaa !4", "!tbaa !5"

Value = tuple[str, str]  # kind and text of an operand


def number(value: float) -> str:
    """A float as LLVM writes it, exactly."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def spread(value: Any, kind: str = "double", *, lanes: int) -> str:
    """The same number, or the same word of a `kind`, in all lanes."""
    text = number(float(value)) if kind == "double" else str(value)
    return text if lanes == 1 else "<" + ", ".join([f"{kind} {text}"] * lanes) + ">"


class Arrays:
    """What LLVM is told of memory: different array fields never overlap, so that numbers can stay in registers."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._tags: dict[str, str] = {}

    def tag(self, field: str | None) -> str:
        """The tag of an access to an array field; None for an array that may be any of them."""
        if field is None:
            return ANY_ARRAY
        if field not in self._tags:
            k = 6 + 2 * len(self._tags)
            self.lines += [f'!{k} = !{{!"{field}", !2, i64 0}}', f"!{k + 1} = !{{!{k}, !{k}, i64 0}}"]
            self._tags[field] = f"!tbaa !{k + 1}"
        return self._tags[field]


def refusal(kernel: Callable[..., Any], line: int, why: str) -> TypeError:
    """The exception for what is not for kernels, with its place."""
    return TypeError(f"{kernel.__code__.co_filename}:{line}, kernel {kernel.__name__}: {why}")


class Signature:
    """Kinds of the parameters and of the result of a kernel."""

    def __init__(self, kernel: Callable[..., Any]):
        self.parameters: dict[str, str] = {}
        self.records: dict[str, type[Record]] = {}
        line = kernel.__code__.co_firstlineno
        annotations = dict(inspect.get_annotations(kernel))
        returned = str(annotations.pop("return", "None"))
        for name in inspect.signature(kernel).parameters:
            annotation = annotations.get(name, "nothing")
            if annotation in ("int", "float", "bool", "Array"):
                self.parameters[name] = annotation.lower()
                continue
            kind = kernel.__globals__.get(annotation)
            if not (isinstance(kind, type) and issubclass(kind, Record)):
                raise refusal(kernel, line, f"{name} is annotated with {annotation}: expected int, float, Array, ...")
            self.parameters[name] = "record"
            self.records[name] = kind
        self.result = {"None": "none"}.get(returned, returned)
        if self.result not in ("none", "int", "float", "bool"):
            raise refusal(kernel, line, f"it returns {returned}: expected int, float, bool or None")


class Names:
    """What kernels are called in a module: their names, with a number where two have the same."""

    def __init__(self) -> None:
        self._names: dict[Callable[..., Any], str] = {}

    def of(self, kernel: Callable[..., Any]) -> str:
        """The name of a kernel, always the same."""
        if kernel not in self._names:
            plain = kernel.__name__
            self._names[kernel] = plain if plain not in self._names.values() else f"{plain}.{len(self._names)}"
        return self._names[kernel]


def always_returns(statements: list[ast.stmt]) -> bool:
    """True when the end of the statements cannot be reached."""
    last = statements[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and always_returns(last.body) and always_returns(last.orelse)
    if isinstance(last, ast.While):
        return isinstance(last.test, ast.Constant) and last.test.value is True and not _breaks(last.body)
    return isinstance(last, ast.Return)


def _breaks(statements: list[ast.stmt]) -> bool:
    """True when one of the statements breaks out of the loop around them."""
    for statement in statements:
        if isinstance(statement, ast.Break):
            return True
        if isinstance(statement, ast.If) and (_breaks(statement.body) or _breaks(statement.orelse)):
            return True
    return False
