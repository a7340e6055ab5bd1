"""Formulas and words in LaTeX."""

from __future__ import annotations

import unicodedata
from typing import Any

from sympy.printing.latex import LatexPrinter

from easydyn.export.report.typeset import FUNCTIONS, GREEK, Typesetter, parts_of, plain

_SPECIAL = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
            "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
            ">": r"\textgreater{}", "|": r"\textbar{}", "-": "-", "²": r"\textsuperscript{2}", "³":
            r"\textsuperscript{3}", '"': r"\textquotedbl{}", "'": "'", "`": r"\textasciigrave{}", "·":
            r"\textperiodcentered{}", "−": "$-$", "±": r"$\pm$", "°": r"\textdegree{}", "µ": r"$\mu$",
            "→": r"$\rightarrow$", "≤": r"$\le$", "≥": r"$\ge$"}  # fmt: skip
_LETTERS = {sign: name for name, sign in GREEK.items()}
_OPERATORS = {"−": "-", "·": r"\cdot"}


def escaped(text: str) -> str:
    """A text that LaTeX prints as it is; letters that a plain installation does not have are written as U+...."""
    return "".join(map(_letter, unicodedata.normalize("NFC", text)))


def _letter(c: str) -> str:
    if c in _SPECIAL:
        return _SPECIAL[c]
    if c in _LETTERS:
        return f"$\\{_LETTERS[c]}$"
    if not c.isprintable():
        return " "
    return c if ord(c) < 0x180 else f"[U+{ord(c):04X}]"


def verbatim(text: str) -> str:
    """A line inside a verbatim environment: nothing there is special, but few letters exist."""
    return "".join(c if 32 <= ord(c) < 127 else "?" for c in text).replace(r"\end{verbatim}", r"\end {verbatim}")


def latex(e: Any) -> str:
    """A formula, to stand in mathematics."""
    return str(_PRINTER.doprint(plain(e)))


class FormulaPrinter(Typesetter, LatexPrinter):
    """SymPy's printer, with names and numbers as people write them."""

    def text(self, text: str) -> str:
        """An operator, or a word between spaces."""
        return rf"\text{{{text}}}" if " " in text else f" {_OPERATORS.get(text, text)} "

    def beside(self, parts: list[str]) -> str:
        return "".join(parts).strip()

    def number(self, digits: str, power: str) -> str:
        digits, ten = digits.replace("−", "-"), f"10^{{{power.replace('−', '-')}}}"
        return digits if not power else ten if digits == "1" else rf"{digits} \cdot {ten}"

    def _print_Symbol(self, e: Any, style: str = "plain") -> str:
        base, sub, dots = parts_of(e.name)
        shown = f"\\{'d' * dots}ot{{{_name(base)}}}" if dots else _name(base)
        return f"{shown}_{{{_below(sub)}}}" if sub else shown

    def _hprint_Function(self, func: str) -> str:
        name = FUNCTIONS.get(func, func)
        return rf"\text{{{name}}}" if name[-1].isdigit() else str(super()._hprint_Function(name))

    def _print_Piecewise(self, e: Any) -> str:
        return str(super()._print_Piecewise(e)).replace(r"\text{for}", r"\text{if}")

    def _print_MatrixBase(self, e: Any) -> str:
        shown = str(super()._print_MatrixBase(e))  # lines of fractions need room between them
        return shown.replace(r"\\", r"\\[4pt] ") if r"\frac" in shown else shown


def _name(text: str) -> str:
    if text in GREEK:
        return f"\\{text}"
    if len(text) == 1 and text.isascii():
        return text
    if text in _LETTERS:
        return f"\\{_LETTERS[text]}"
    return f"\\mathrm{{{text}}}" if text.isascii() and text.isalnum() else f"\\text{{{escaped(text)}}}"


def _below(text: str) -> str:
    return ",".join(x if x.isdigit() else _name(x) for x in text.split(","))


_PRINTER = FormulaPrinter(
    {"mat_delim": "(", "mat_str": "matrix", "mul_symbol": r"\,", "inv_trig_style": "full", "ln_notation": True}
)
