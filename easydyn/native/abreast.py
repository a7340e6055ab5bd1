"""Straight-line code on numbers that stand side by side, one of each run or state: formulas, kept as LLVM's text.

A `Side` is so many numbers under way: `a*b + c` writes an instruction for each operation. Element `k` behind a pointer
is as many numbers. With one lane it is all about plain numbers.
"""

from __future__ import annotations

from typing import Any

from easydyn.native.language import spread

LANES = 16  # of runs, two registers of eight: one is worked on while the other waits
BELOW = 0.05 * 2**52  # of a guess of a root, so that its largest error is smallest


class Side:
    """Numbers side by side, as a name in the text."""

    def __init__(self, writer: Writer, name: str):
        self.writer, self.name = writer, name

    def __add__(self, other: Any) -> Side:
        return self.writer.operation(f"fadd{self.writer.contract}", self, other)

    def __sub__(self, other: Any) -> Side:
        return self.writer.operation(f"fsub{self.writer.contract}", self, other)

    def __mul__(self, other: Any) -> Side:
        return self.writer.operation(f"fmul{self.writer.contract}", self, other)

    def __truediv__(self, other: Any) -> Side:
        return self.writer.operation("fdiv", self, other)

    __radd__, __rmul__ = __add__, __mul__


class Writer:
    """A function on its way: the instructions so far, on so many `lanes`.

    With " contract" the product in a formula and its sum are rounded once where the processor can.
    """

    def __init__(self, lanes: int = LANES, contract: str = ""):
        self.lanes, self.contract, self.lines = lanes, contract, list[str]()
        kinds = ("double", "i64", "i1")
        self.type, self.whole, self.truth = kinds if lanes == 1 else (f"<{lanes} x {kind}>" for kind in kinds)
        self.suffix = "f64" if lanes == 1 else f"v{lanes}f64"

    def emit(self, instruction: str) -> str:
        """Write an instruction; the name of its result."""
        name = f"%s{len(self.lines)}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def operand(self, value: Any) -> str:
        """A number, or several side by side, as it stands in an instruction."""
        if isinstance(value, str):
            return value
        return value.name if isinstance(value, Side) else spread(value, lanes=self.lanes)

    def operation(self, op: str, a: Any, b: Any) -> Side:
        """An operation on two."""
        return Side(self, self.emit(f"{op} {self.type} {self.operand(a)}, {self.operand(b)}"))

    def place(self, pointer: str, k: Any) -> str:
        """The address of element `k` behind a pointer."""
        return self.emit(f"getelementptr {self.type}, ptr {pointer}, i64 {k}")

    def load(self, pointer: str, k: int) -> Side:
        """Element `k` behind a pointer."""
        return Side(self, self.emit(f"load {self.type}, ptr {self.place(pointer, k)}, align 8"))

    def store(self, value: Any, pointer: str, k: Any) -> None:
        """Put numbers there."""
        place = self.place(pointer, k)
        self.lines.append(f"  store {self.type} {self.operand(value)}, ptr {place}, align 8")

    def call(self, function: str, *pointers: str) -> None:
        """Call a function of pointers."""
        self.lines.append(f"  call void @{function}({', '.join(f'ptr {p}' for p in pointers)})")

    def compare(self, kind: str, a: Any, b: Any) -> str:
        """Where a comparison holds."""
        return self.emit(f"fcmp {kind} {self.type} {self.operand(a)}, {self.operand(b)}")

    def choose(self, where: str, a: Any, b: Any) -> Side:
        """The first where that is so, else the second."""
        T = self.type
        return Side(self, self.emit(f"select {self.truth} {where}, {T} {self.operand(a)}, {T} {self.operand(b)}"))

    def intrinsic(self, name: str, *operands: Any) -> Side:
        """One of LLVM's own functions."""
        given = ", ".join(f"{self.type} {self.operand(x)}" for x in operands)
        return Side(self, self.emit(f"call {self.type} @llvm.{name}.{self.suffix}({given})"))

    def library(self, name: str, *operands: Any) -> str:
        """A function of the C library, lane by lane."""
        result, T, given = "undef", self.type, [self.operand(x) for x in operands]
        for lane in range(self.lanes):
            own = given if self.lanes == 1 else [self.emit(f"extractelement {T} {x}, i32 {lane}") for x in given]
            result_of_lane = self.emit(f"call double @{name}({', '.join(f'double {x}' for x in own)})")
            if self.lanes == 1:
                return result_of_lane
            result = self.emit(f"insertelement {T} {result}, double {result_of_lane}, i32 {lane}")
        return result

    def inverse_root(self, x: Side, p: int) -> Side:
        """x^(-1/p) of what is above zero and no extreme, by Newton's method from a guess on the bits of x."""
        V, W = self.type, self.whole
        bits = self.emit(f"bitcast {V} {x.name} to {W}")
        real = Side(self, self.emit(f"sitofp {W} {bits} to {V}"))
        of_one = float(0x3FF0000000000000)
        guess = real * (-1 / p) + (of_one * (1 + 1 / p) - BELOW)
        whole = self.emit(f"fptosi {V} {guess.name} to {W}")
        y = Side(self, self.emit(f"bitcast {W} {whole} to {V}"))
        for _ in range(4):
            y = y * ((p + 1) / p) - x * self.power(y, p + 1) * (1 / p)
        return y

    def power(self, x: Side, k: int) -> Side:
        """x^k, k a whole number above zero."""
        if k == 1:
            return x
        half = self.power(x, k // 2)
        return half * half if k % 2 == 0 else half * half * x

    def text(self, head: str) -> str:
        """The function with its `head`, which ends with these instructions."""
        return "\n".join([f"define {head} {{", *self.lines, "  ret void", "}"])
