"""Reports for LaTeX: a file that a plain installation compiles, pictures beside it; formulas and words in LaTeX."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from sympy.printing.latex import LatexPrinter

from easydyn.export.report import document as kinds
from easydyn.export.report.document import Document, Formula, Inline, Table, inline
from easydyn.export.report.typeset import FUNCTIONS, GREEK, Typesetter, parts_of, plain
from easydyn.export.text import template

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


_ROWS = 38  # of a table on one page
_COLUMNS = 96  # letters of a line of a program
_ANNOUNCED = kinds.Formulas | Table | kinds.Items  # by a paragraph, on the same page


def source(document: Document, pictures: Mapping[int, str]) -> str:
    """The whole file; `pictures` are the names of the files of pictures, by the place of their block."""
    blocks = [_block(b, pictures.get(k, "")) for k, b in enumerate(document.blocks)]
    for k, (block, following) in enumerate(pairwise(document.blocks)):
        if isinstance(block, kinds.Paragraph) and isinstance(following, _ANNOUNCED):
            blocks[k] += "\\nopagebreak\n"  # it says what comes
    return (
        f"{template('report.tex')}\\title{{{escaped(document.title)}}}\n\\author{{{escaped(document.subtitle)}}}\n\\date{{}}\n"
        "\\begin{document}\n\\maketitle\n" + "\n".join(blocks) + "\n\\end{document}\n"
    )


def _inline(text: Inline) -> str:
    return inline(text, escaped, lambda tree: f"${latex(tree)}$")


def _block(block: Any, picture: str) -> str:
    if isinstance(block, kinds.Heading):
        kind = "section" if block.level == 1 else "subsection"
        return f"\\{kind}*{{{escaped(block.text)}}}"
    if isinstance(block, kinds.Paragraph):
        return _inline(block.text) + "\n"
    if isinstance(block, kinds.Items):
        lines = "\n".join(f"\\item {_inline(x)}" for x in block.items)
        return f"\\begin{{itemize}}\n{lines}\n\\end{{itemize}}"
    if isinstance(block, Table):
        parts = [block.rows[k : k + _ROWS] for k in range(0, len(block.rows), _ROWS)]
        return "\n".join(_table(block, rows) for rows in parts)
    if isinstance(block, kinds.Formulas) and block.columns == 1:
        lines = " \\\\\n".join(map(aligned, block.formulas))
        return f"\\noindent\\begin{{align*}}\n{lines}\n\\end{{align*}}"  # \\noindent: no empty line above
    if isinstance(block, kinds.Formulas):
        share = f"{0.94 / block.columns:.3f}"
        boxes = [f"\\makebox[{share}\\linewidth][l]{{$\\displaystyle {latex(f.left)} = {latex(f.lines[0])}$}}"
                 for f in block.formulas]  # fmt: skip
        rows = ["%\n".join(boxes[k : k + block.columns]) for k in range(0, len(boxes), block.columns)]
        return (
            "\\smallskip\n"
            + "\\par\\vspace{3pt}\n".join(f"\\noindent\\hspace*{{1.5em}}{x}" for x in rows)
            + "\\par\\smallskip\n"
        )
    if isinstance(block, kinds.Listing):
        lines = "\n".join(verbatim(x) for line in block.lines for x in wrapped(line))
        return f"{{\\scriptsize\n\\begin{{verbatim}}\n{lines}\n\\end{{verbatim}}\n}}"
    assert isinstance(block, kinds.Picture)
    share = "0.96" if block.wide else "0.66"
    return (
        f"\\begin{{center}}\n\\includegraphics[width={share}\\linewidth,height=0.42\\textheight,keepaspectratio]"
        f"{{{picture}}}\\\\\n{{\\small {escaped(block.caption)}}}\n\\end{{center}}"
    )


def aligned(formula: Formula) -> str:
    """A formula for an environment that aligns at &."""
    lines = [f"\\phantom{{=}}\\,\\,{latex(x)}" if k else f"= {latex(x)}" for k, x in enumerate(formula.lines)]
    return f"{latex(formula.left)} &" + r" \\ &".join(lines)


def wrapped(line: str, most: int = _COLUMNS) -> list[str]:
    """A line of a program in pieces that fit on a page."""
    return [line[k : k + most] for k in range(0, len(line), most)] or [""]


def _table(table: Table, rows: tuple[tuple[Inline, ...], ...]) -> str:
    columns = "".join("r" if k in table.numbers else "l" for k in range(len(table.heading)))
    lines = [" & ".join(map(_inline, line)) + r" \\" for line in rows]
    heading = " & ".join(map(_inline, table.heading))
    body = "\n".join(lines)
    inner = (
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{heading} \\\\\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}"
    )
    return f"\\begin{{center}}\n\\small\\fitted{{{inner}}}\n\\end{{center}}"
