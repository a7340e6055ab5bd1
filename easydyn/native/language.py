"""The words of LLVM's intermediate representation that kernels need: types, instructions, numbers, memory."""

from __future__ import annotations

import ast
import inspect
import struct
from collections.abc import Callable
from typing import Any

from easydyn.native.record import Record

TYPES = {"int": "i64", "float": "double", "bool": "i1", "array": "ptr", "record": "ptr", "none": "void"}
ARITHMETIC: dict[type, tuple[str, str]] = {
    ast.Add: ("add", "fadd contract"), ast.Sub: ("sub", "fsub contract"), ast.Mult: ("mul", "fmul contract"),
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
ANY_ARRAY, SLOT = "!tbaa !4", "!tbaa !5"

Value = tuple[str, str]  # kind and text of an operand


def number(value: float) -> str:
    """A float as LLVM writes it, exactly."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


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


class Signature:
    """Kinds of the parameters and of the result of a kernel."""

    def __init__(self, kernel: Callable[..., Any]):
        self.parameters: dict[str, str] = {}
        self.records: dict[str, type[Record]] = {}
        annotations = dict(inspect.get_annotations(kernel))
        returned = annotations.pop("return", "None")
        for name, annotation in annotations.items():
            if annotation in ("int", "float", "bool", "Array"):
                self.parameters[name] = annotation.lower()
            else:
                self.parameters[name] = "record"
                self.records[name] = kernel.__globals__[annotation]  # type: ignore[attr-defined]
        self.result = {"None": "none"}.get(returned, returned)
