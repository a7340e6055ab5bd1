"""Straight-line code on numbers that stand side by side, one of each run: written as formulas, kept as LLVM's text.

A `Side` is sixteen numbers under way: `a*b + c` writes an instruction for each operation. Sums of products are rounded
once where the processor can. What is written is a function of pointers; element `k` behind one is sixteen numbers.
"""

from __future__ import annotations

from typing import Any

from easydyn.native.language import spread

LANES = 16  # two registers of eight: one is worked on while the other waits
BELOW = 0.05 * 2**52  # of a guess of a root, so that its largest error is smallest
V, W, B = f"<{LANES} x double>", f"<{LANES} x i64>", f"<{LANES} x i1>"


class Side:
    """Sixteen numbers, or what a comparison says of each, as a name in the text."""

    def __init__(self, writer: Writer, name: str):
        self.writer, self.name = writer, name

    def __add__(self, other: Any) -> Side:
        return self.writer.operation("fadd", self, other)

    def __sub__(self, other: Any) -> Side:
        return self.writer.operation("fsub", self, other)

    def __mul__(self, other: Any) -> Side:
        return self.writer.operation("fmul", self, other)

    def __truediv__(self, other: Any) -> Side:
        return self.writer.operation("fdiv", self, other)

    __radd__, __rmul__ = __add__, __mul__


class Writer:
    """A function on its way: its parameters, all pointers, and the instructions so far."""

    def __init__(self, name: str, parameters: str):
        self.head = f"define void @{name}({', '.join(f'ptr %{p}' for p in parameters.split())})"
        self.lines: list[str] = []

    def emit(self, instruction: str) -> str:
        """Write an instruction; the name of its result."""
        name = f"%s{len(self.lines)}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def operand(self, value: Any) -> str:
        """A number, or sixteen of them, as it stands in an instruction."""
        return value.name if isinstance(value, Side) else spread(value, lanes=LANES)

    def operation(self, op: str, a: Any, b: Any) -> Side:
        """An operation on two."""
        return Side(self, self.emit(f"{op} {V} {self.operand(a)}, {self.operand(b)}"))

    def load(self, array: str, k: int) -> Side:
        """Element `k` behind a pointer."""
        place = self.emit(f"getelementptr {V}, ptr %{array}, i64 {k}")
        return Side(self, self.emit(f"load {V}, ptr {place}, align 8"))

    def store(self, value: Side, array: str, k: int) -> None:
        """Put sixteen numbers there."""
        place = self.emit(f"getelementptr {V}, ptr %{array}, i64 {k}")
        self.lines.append(f"  store {V} {value.name}, ptr {place}, align 8")

    def place(self, array: str, k: int) -> str:
        """The address of element `k`, for a call."""
        return self.emit(f"getelementptr {V}, ptr %{array}, i64 {k}")

    def call(self, function: str, *pointers: str) -> None:
        """Call a function of pointers."""
        self.lines.append(f"  call void @{function}({', '.join(f'ptr {p}' for p in pointers)})")

    def below(self, a: Side, b: float) -> str:
        """Where a number is below another."""
        return self.emit(f"fcmp olt {V} {a.name}, {spread(b, lanes=LANES)}")

    def choose(self, where: str, a: Any, b: Any) -> Side:
        """The first where that is so, else the second."""
        return Side(self, self.emit(f"select {B} {where}, {V} {self.operand(a)}, {V} {self.operand(b)}"))

    def root(self, a: Side) -> Side:
        """The square root."""
        return Side(self, self.emit(f"call {V} @llvm.sqrt.v{LANES}f64({V} {a.name})"))

    def inverse_root(self, x: Side, p: int, rounds: int = 4) -> Side:
        """x^(-1/p) of what is above zero and no extreme, by Newton's method from a guess on the bits of x."""
        bits = self.emit(f"bitcast {V} {x.name} to {W}")
        real = Side(self, self.emit(f"sitofp {W} {bits} to {V}"))
        of_one = float(0x3FF0000000000000)
        guess = real * (-1 / p) + (of_one * (1 + 1 / p) - BELOW)
        whole = self.emit(f"fptosi {V} {guess.name} to {W}")
        y = Side(self, self.emit(f"bitcast {W} {whole} to {V}"))
        for _ in range(rounds):
            y = y * ((p + 1) / p) - x * self.power(y, p + 1) * (1 / p)
        return y

    def power(self, x: Side, k: int) -> Side:
        """x^k, k a whole number above zero."""
        if k == 1:
            return x
        half = self.power(x, k // 2)
        return half * half if k % 2 == 0 else half * half * x

    def text(self) -> str:
        """The function."""
        return "\n".join([f'{self.head} "prefer-vector-width"="512" {{', *self.lines, "  ret void", "}"])
