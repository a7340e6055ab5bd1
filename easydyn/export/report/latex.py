"""Formulas and words in LaTeX."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from easydyn.export.report.typeset import GREEK, Cases, Fence, Frac, Grid, Num, Op, Power, Root, Row, Sym, Word

_SPECIAL = {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
            "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
            ">": r"\textgreater{}", "|": r"\textbar{}", "-": "-", "²": r"\textsuperscript{2}", "³":
            r"\textsuperscript{3}", '"': r"\textquotedbl{}", "'": "'", "`": r"\textasciigrave{}", "·":
            r"\textperiodcentered{}", "−": "$-$", "±": r"$\pm$", "°": r"\textdegree{}", "µ": r"$\mu$",
            "→": r"$\rightarrow$", "≤": r"$\le$", "≥": r"$\ge$"}  # fmt: skip
_LETTERS = {sign: name for name, sign in GREEK.items()}
_OPERATORS = {"−": "-", " ": r"\,", "≤": r"\le ", "≥": r"\ge ", "≠": r"\ne ", ",": r",\,", "·": r"\cdot ",
              "|": "|", "{": r"\{", "}": r"\}"}  # fmt: skip
_KNOWN = {"sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "ln", "exp", "max", "min"}


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


def latex(tree: Any) -> str:
    """A formula, to stand in mathematics."""
    if isinstance(tree, Sym):
        base = _name(tree.base)
        base = {0: base, 1: f"\\dot{{{base}}}", 2: f"\\ddot{{{base}}}"}[tree.dots]
        return base + (f"_{{{_below(tree.sub)}}}" if tree.sub else "")
    if isinstance(tree, Num):
        if tree.exponent and tree.digits == "1":
            return rf"10^{{{tree.exponent}}}"
        return tree.digits + (rf"\cdot 10^{{{tree.exponent}}}" if tree.exponent else "")
    if isinstance(tree, Op):
        return _OPERATORS.get(tree.sign, tree.sign)
    if isinstance(tree, Word):
        if tree.text == "∞":
            return r"\infty"
        if tree.text in _KNOWN:
            return f"\\{tree.text}"
        letters = tree.text.isascii() and tree.text.isalpha()
        return f"\\operatorname{{{tree.text}}}" if letters else f"\\text{{{escaped(tree.text)}}}"
    if isinstance(tree, Row):
        return _spaced([latex(x) for x in tree.items])
    if isinstance(tree, Frac):
        return f"\\frac{{{latex(tree.above)}}}{{{latex(tree.below)}}}"
    if isinstance(tree, Power):
        return f"{{{latex(tree.base)}}}^{{{latex(tree.exponent)}}}"
    if isinstance(tree, Fence):
        left, right = (_OPERATORS.get(x, x) for x in (tree.left, tree.right))
        return f"\\left{left}{latex(tree.inside)}\\right{right}"
    if isinstance(tree, Root):
        return f"\\sqrt{{{latex(tree.inside)}}}"
    if isinstance(tree, Cases):
        rows = r" \\ ".join(f"{latex(a)} & {_condition(b)}" for a, b in tree.rows)
        return rf"\begin{{cases}} {rows} \end{{cases}}"
    assert isinstance(tree, Grid)
    rows = r" \\ ".join(" & ".join(map(latex, line)) for line in tree.rows)
    if r"\frac" in rows:  # lines of fractions need room between them
        return (
            rf"\begin{{pmatrix}} {rows.replace(' ' + chr(92) * 2 + ' ', ' ' + chr(92) * 2 + '[4pt] ')} \end{{pmatrix}}"
        )
    return rf"\begin{{pmatrix}} {rows} \end{{pmatrix}}"


def _condition(tree: Any) -> str:
    return r"\text{otherwise}" if tree == Word("otherwise") else rf"\text{{if }} {latex(tree)}"


def _spaced(parts: list[str]) -> str:
    text = ""
    for part in parts:  # \sin x, not \sinx
        text += " " if re.search(r"\\[a-zA-Z]+$", text) and re.match(r"[a-zA-Z]", part) else ""
        text += part
    return text


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
