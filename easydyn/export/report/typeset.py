"""What formulas of reports have in common in LaTeX and MathML: names, numbers, rows of parts, the order of terms.

Formulas are SymPy expressions, and `Line`s of several beside each other. The printers of `latex` and `mathml` derive
from SymPy's; `Typesetter` is what both change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import sympy
from sympy.printing.printer import Printer

GREEK = {name: chr(0x3B1 + k) for k, name in enumerate(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho . sigma tau upsilon phi "
    "chi psi omega".split()) if name not in (".", "omicron")} | {
    "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ",
    "Psi": "Ψ", "Omega": "Ω"}  # fmt: skip
FUNCTIONS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "log": "ln", "sign": "sgn", "Max": "max",
             "Min": "min", "asinh": "arsinh", "acosh": "arcosh", "atanh": "artanh"}  # fmt: skip


class Line(NamedTuple):
    """Parts beside each other: expressions, and operators or words as texts."""

    parts: tuple[Any, ...]


def line(*parts: Any) -> Line:
    """Parts beside each other."""
    return Line(parts)


def named(name: str) -> sympy.Symbol:
    """The symbol for a name."""
    return sympy.Symbol(name, real=True)


def call(name: str, *args: Any) -> Any:
    """A function that is written as it stands, such as tdisp(x, y, z)."""
    return sympy.Function(name)(*args)


def plain(e: Any) -> Any:
    """What SymPy's printers take: numbers of Python as those of SymPy."""
    return sympy.sympify(e) if isinstance(e, int | float) else e


def parts_of(name: str) -> tuple[str, str, int]:
    """A name as users write it (q1, l_upper, q1.dot): its letter or word, what stands below it, dots above it."""
    plain, _, suffix = name.partition(".")
    dots = {"": 0, "dot": 1, "ddot": 2}.get(suffix)
    if dots is None or not plain:
        return name, "", 0
    base, _, rest = plain.strip("_").partition("_")
    digits = re.fullmatch(r"(.*?[^\W\d])(\d+)", base)
    if digits:
        base, rest = digits[1], f"{digits[2]},{rest}" if rest else digits[2]
    capital = re.fullmatch(r"([a-zA-Z])([A-Z]\w?)", base)  # pE2, as the letter p and what stands below it
    if capital and not rest.count(","):
        base, rest = capital[1], capital[2] + rest
    return base or plain, rest.replace("_", ","), dots


def terms(e: Any) -> list[tuple[bool, Any]]:
    """The terms of a sum: whether each is subtracted, and what follows its sign; the first is added if any is."""
    found = []
    for part in e.as_ordered_terms() if isinstance(e, sympy.Add) else [e]:
        negative = bool(part.could_extract_minus_sign()) and not isinstance(part, sympy.Add)
        found.append((negative, -part if negative else part))
    return sorted(found, key=lambda term: term[0]) if found and found[0][0] else found


class Typesetter(Printer):  # type: ignore[misc]
    """What both printers do in another way than SymPy. Each of them writes texts, rows of parts, and powers of ten."""

    text: Any  # (text) an operator, or a word between spaces
    beside: Any  # (parts) parts beside each other
    number: Any  # (digits, power) digits, and the exponent of ten or nothing

    def _print(self, e: Any, **options: Any) -> Any:
        if isinstance(e, sympy.Symbol):  # of which those of easydyn have a form of their own for SymPy
            return self._print_Symbol(e)
        return super()._print(e, **options)

    def _print_ndarray(self, e: Any) -> Any:  # such as the matrix of a frame that is given in numbers
        return self._print(sympy.ImmutableDenseMatrix(e))

    def _as_ordered_terms(self, e: Any, order: Any = None) -> list[Any]:
        return [-part if negative else part for negative, part in terms(e)]

    def _print_Line(self, e: Line) -> Any:
        return self.beside([self.text(x) if isinstance(x, str) else self._print(x) for x in e.parts])

    def _print_Float(self, e: Any) -> Any:
        digits, _, power = f"{float(e):.6g}".partition("e")
        return self.number(digits.replace("-", "−"), str(int(power)).replace("-", "−") if power else "")

    def _print_And(self, e: Any) -> Any:
        return self._joined(e.args, " and ")

    def _print_Or(self, e: Any) -> Any:
        return self._joined(e.args, " or ")

    def _joined(self, parts: Iterable[Any], word: str) -> Any:
        return self._print(Line(tuple(x for k, part in enumerate(parts) for x in ((word, part) if k else (part,)))))
