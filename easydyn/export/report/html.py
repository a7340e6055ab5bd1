"""A report as one HTML file that needs nothing else: pictures inside, formulas in MathML, and how wide they are."""

from __future__ import annotations

import base64
from functools import cached_property
from html import escape, unescape
from typing import Any

import sympy
from sympy.printing.mathml import MathMLPresentationPrinter

from easydyn.engine.kept import Kept
from easydyn.export.report import document as kinds
from easydyn.export.report.document import Document, Formula, Inline, Table, inline
from easydyn.export.report.typeset import FUNCTIONS, GREEK, Typesetter, line, parts_of, plain
from easydyn.export.text import template
from easydyn.result.plots import png


def page(document: Document) -> str:
    """The whole file."""
    body = "\n".join(map(_block, document.blocks))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(document.title)}</title>\n<style>\n{template('report.css')}</style>\n</head>\n<body>\n"
        f'<h1>{escape(document.title)}</h1>\n<p class="sub">{escape(document.subtitle)}</p>\n{body}\n</body>\n</html>\n'
    )


def _inline(text: Inline) -> str:
    return inline(text, escape, mathml)


def _block(block: Any) -> str:
    if isinstance(block, kinds.Heading):
        return f"<h{block.level + 1}>{escape(block.text)}</h{block.level + 1}>"
    if isinstance(block, kinds.Paragraph):
        return f"<p>{_inline(block.text)}</p>"
    if isinstance(block, kinds.Items):
        return f"<ul>{''.join(f'<li>{_inline(x)}</li>' for x in block.items)}</ul>"
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, kinds.Formulas):
        if block.columns == 1:
            return f'<div class="eqs">{"".join(map(_formula, block.formulas))}</div>'
        cells = "".join(f"<div>{_side(f, True)}{mathml(f.lines[0])}</div>" for f in block.formulas)
        return f'<div class="short" style="grid-template-columns: repeat({block.columns}, 1fr)">{cells}</div>'
    if isinstance(block, kinds.Listing):
        return f'<pre tabindex="0">{escape(chr(10).join(block.lines))}</pre>'
    assert isinstance(block, kinds.Picture)
    source = base64.b64encode(png(block.figure, dpi=200)).decode("ascii")
    caption, kind = escape(block.caption), " class=wide" if block.wide else ""
    image = f'<img alt="{caption}" src="data:image/png;base64,{source}">'
    return f"<figure{kind}>{image}<figcaption>{caption}</figcaption></figure>"


def _side(formula: Formula, spaced: bool = False) -> str:
    return mathml(line(formula.left, "=")) + ("&#x2005;" if spaced else "")


def _formula(formula: Formula) -> str:
    lines = "".join(f"<div>{mathml(line)}</div>" for line in formula.lines)
    return f'<div class="l">{_side(formula)}</div><div class="r">{lines}</div>'


def _table(table: Table) -> str:
    def cells(tag: str, texts: Any) -> str:
        kinds = [' class="n"' if k in table.numbers else "" for k in range(len(texts))]
        return "".join(f"<{tag}{kind}>{_inline(x)}</{tag}>" for kind, x in zip(kinds, texts, strict=True))

    rows = "".join(f"<tr>{cells('td', line)}</tr>" for line in table.rows)
    heading = f"<thead><tr>{cells('th', table.heading)}</tr></thead>"
    return f'<table class="data">{heading}<tbody>{rows}</tbody></table>'


MOST_MADE = 20_000  # elements that are remembered, because formulas are measured before they are written
THIN = "\u2062"  # between factors


def mathml(e: Any) -> str:
    """A formula as a `math` element within a line."""
    return f'<math displaystyle="true">{_PRINTER.row(e)}</math>'


def width(e: Any) -> float:
    """The width of a formula in letters, near enough to know where a line is full."""
    return _PRINTER.row(e).width


class Element:
    """An element of a page: its tag, what is in it, its attributes. SymPy makes it by the names of the DOM."""

    def __init__(self, tag: str, *inside: Element | str, **attributes: str):
        self.tag, self.inside, self.attributes = tag, list(inside), attributes

    def appendChild(self, child: Any) -> None:  # noqa: N802
        """Put a child behind the others."""
        self.inside.append(child)

    def setAttribute(self, name: str, value: str) -> None:  # noqa: N802
        """Give an attribute its value."""
        self.attributes[name] = value

    def unfenced(self) -> Element:
        """Brackets of SymPy before 1.13, which browsers do not draw any more, as a row with brackets and commas."""
        left, right = (Element("mo", self.attributes.get(x, default)) for x, default in (("open", "("), ("close", ")")))
        commas = [x for each in self.inside for x in (Element("mo", ","), each)][1:]
        return Element("mrow", left, *commas, right)

    def __str__(self) -> str:
        if self.tag == "mfenced":
            return str(self.unfenced())
        if self.inside == [THIN]:
            return '<mo>&#x2062;</mo><mspace width="0.17em"/>'
        attributes = "".join(f' {name.rstrip("_")}="{escape(x)}"' for name, x in self.attributes.items())
        inside = "".join(escape(x) if isinstance(x, str) else str(x) for x in self.inside)
        return f"<{self.tag}{attributes}>{inside}</{self.tag}>"

    @cached_property
    def width(self) -> float:
        """In letters."""
        if self.tag == "mfenced":
            return self.unfenced().width
        if self.inside and isinstance(self.inside[0], str):
            text = self.inside[0]
            if self.tag == "mo":
                return {THIN: 0.35, "\u2061": 0.0, ",": 0.9, "(": 0.8, ")": 0.8, "|": 0.8}.get(text, 2.4)
            return (1.05 if self.tag == "mi" else 0.95) * len(text)
        inside = [x.width for x in self.inside if not isinstance(x, str)]
        if self.tag == "mfrac":
            return max(inside) + 0.5
        if self.tag in ("msup", "msub"):
            return inside[0] + 0.7 * inside[1]
        if self.tag == "mtable":
            columns = zip(*(x.inside for x in self.inside), strict=True)  # type: ignore[union-attr]
            return sum(max(x.width for x in column) + 2 for column in columns)  # type: ignore[union-attr]
        return inside[0] if self.tag == "mover" else sum(inside) + (1.8 if self.tag == "msqrt" else 0.0)


class _Page:
    """What SymPy's printer asks a document for; its texts have entities, some of which only HTML knows."""

    createElement = Element  # noqa: N815

    @staticmethod
    def createTextNode(text: str) -> str:  # noqa: N802
        return unescape(text).replace("-", "−")


class Raised(sympy.Function):
    """The exponential function, which SymPy would put below a fraction line where its argument is negative."""


class MathMLPrinter(Typesetter, MathMLPresentationPrinter):
    """SymPy's printer, with names and numbers as people write them."""

    def __init__(self) -> None:
        super().__init__({"mat_delim": "(", "mul_symbol": THIN})
        self.dom = _Page()
        self._made = Kept(MOST_MADE)

    def _print(self, e: Any, **options: Any) -> Element:
        try:
            key = None if options or not hash(e) else e
        except TypeError:  # what has no hash, such as a list
            key = None
        return self._made.of(key, lambda: super(MathMLPrinter, self)._print(e, **options))

    def row(self, e: Any) -> Element:
        """The element of an expression."""
        return self._print(plain(e))

    def text(self, text: str) -> Element:
        """An operator, or a word between spaces."""
        return Element("mtext", text.replace(" ", "\u00a0")) if " " in text else Element("mo", text)

    def beside(self, parts: list[Element]) -> Element:
        return Element("mrow", *parts)

    def number(self, digits: str, power: str) -> Element:
        ten = Element("msup", Element("mn", "10"), Element("mn", power))
        shown = [Element("mn", digits)] if digits != "1" or not power else []
        return Element("mrow", *shown, *[Element("mo", "·")] * (len(shown) if power else 0), *[ten] * bool(power))

    def _print_Symbol(self, e: Any, style: str = "plain") -> Element:
        base, sub, dots = parts_of(e.name)
        shown = Element("mi", GREEK.get(base, base))
        if dots:
            shown = Element("mover", shown, Element("mo", "." * dots, stretchy="false", class_="dots"))
        if not sub:
            return shown
        below = [Element("mn" if x.isdigit() else "mi", GREEK.get(x, x)) for x in sub.split(",")]
        commas = [x for each in below for x in (Element("mo", ","), each)][1:]
        return Element("msub", shown, Element("mrow", *commas))

    def _print_Function(self, e: Any, exp: Any = None) -> Element:
        name = Element("mi", FUNCTIONS.get(type(e).__name__, type(e).__name__))
        shown = name if exp is None else Element("msup", name, self._print(exp))
        return Element("mrow", shown, Element("mo", "\u2061"), self._print(sympy.Tuple(*e.args)))

    _print_Max = _print_Min = _print_Function

    def _print_Mul(self, e: Any) -> Element:
        return super()._print_Mul(e.replace(sympy.exp, Raised) if e.has(sympy.exp) else e)

    def _print_exp(self, e: Any) -> Element:
        return Element("msup", Element("mi", "e"), self._print(e.args[0]))

    _print_Raised = _print_exp

    def _print_Pow(self, e: Any) -> Element:
        special = isinstance(e.base, sympy.Abs | sympy.exp | sympy.Piecewise)
        if isinstance(e.base, sympy.Function) and not special and e.exp.is_Integer and e.exp > 0:
            return self._print_Function(e.base, e.exp)  # sin^2 x
        return super()._print_Pow(e)

    def _print_Relational(self, e: Any) -> Element:
        sign = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}.get(e.rel_op, e.rel_op)
        return Element("mrow", self._print(e.lhs), Element("mo", sign), self._print(e.rhs))

    def _print_Piecewise(self, e: Any) -> Element:
        rows = []
        for value, condition in e.args:
            word = "otherwise" if condition == True else "if\u00a0"  # noqa: E712
            when = Element("mrow", Element("mtext", word), *([self._print(condition)] if word != "otherwise" else []))
            rows.append(Element("mtr", Element("mtd", self._print(value)), Element("mtd", when)))
        return Element("mrow", Element("mo", "{"), Element("mtable", *rows, class_="cases"))


_PRINTER = MathMLPrinter()
