"""Formulas in MathML, which browsers show without fonts or programs from elsewhere."""

from __future__ import annotations

from html import escape
from typing import Any

from easydyn.export.report.typeset import GREEK, Cases, Fence, Frac, Grid, Num, Op, Power, Root, Row, Sym, Word


def mathml(tree: Any) -> str:
    """A formula as a `math` element within a line."""
    return f'<math displaystyle="true">{_element(tree)}</math>'


def _element(tree: Any) -> str:
    if isinstance(tree, Sym):
        base = _name(tree.base)
        if tree.dots:
            base = f'<mover>{base}<mo stretchy="false" class="dots">{".." if tree.dots == 2 else "."}</mo></mover>'
        if not tree.sub:
            return base
        parts = [f"<mn>{x}</mn>" if x.isdigit() else _name(x) for x in tree.sub.split(",")]
        return f"<msub>{base}<mrow>{'<mo>,</mo>'.join(parts)}</mrow></msub>"
    if isinstance(tree, Num):
        digits, ten = f"<mn>{tree.digits.replace('-', '−')}</mn>", ""
        if tree.exponent:
            ten = f"<msup><mn>10</mn><mn>{tree.exponent.replace('-', '−')}</mn></msup>"
        return ten if ten and tree.digits == "1" else f"{digits}<mo>·</mo>{ten}" if ten else digits
    if isinstance(tree, Op):
        if tree.sign == " ":
            return '<mo>&#x2062;</mo><mspace width="0.17em"/>'
        return f"<mo>{escape(tree.sign)}</mo>"
    if isinstance(tree, Word):
        text = escape(tree.text)
        if text != text.strip() or " " in text:
            return f"<mtext>{text.replace(' ', '&#xA0;')}</mtext>"
        return f'<mi mathvariant="normal">{text}</mi>' if len(text) == 1 else f"<mi>{text}</mi>"
    if isinstance(tree, Row):
        return f"<mrow>{_items(tree)}</mrow>"
    if isinstance(tree, Frac):
        return f"<mfrac>{_one(tree.above)}{_one(tree.below)}</mfrac>"
    if isinstance(tree, Power):
        return f"<msup>{_one(tree.base)}{_one(tree.exponent)}</msup>"
    if isinstance(tree, Fence):
        return f"<mrow>{_bracket(tree.left)}{_one(tree.inside)}{_bracket(tree.right)}</mrow>"
    if isinstance(tree, Root):
        return f"<msqrt>{_one(tree.inside)}</msqrt>"
    if isinstance(tree, Cases):
        rows = "".join(f"<mtr>{_cell(a)}{_cell(_condition(b))}</mtr>" for a, b in tree.rows)
        return f'<mrow>{_bracket("{")}<mtable class="cases">{rows}</mtable></mrow>'
    assert isinstance(tree, Grid)
    rows = "".join(f"<mtr>{''.join(map(_cell, line))}</mtr>" for line in tree.rows)
    return f"<mrow>{_bracket('(')}<mtable>{rows}</mtable>{_bracket(')')}</mrow>"


def _items(tree: Row) -> str:
    """The parts of a row; a minus that begins it is a sign, and a function stands close to its brackets."""
    parts = []
    for k, item in enumerate(tree.items):
        if k == 0 and item == Op("−"):
            parts.append('<mo form="prefix">−</mo>')
        elif k and isinstance(item, Fence) and _is_function(tree.items[k - 1]):
            parts.append("<mo>&#x2061;</mo>" + _element(item))
        else:
            parts.append(_element(item))
    return "".join(parts)


def _is_function(tree: Any) -> bool:
    return isinstance(tree, Word) or (isinstance(tree, Power) and isinstance(tree.base, Word))


def _one(tree: Any) -> str:
    return f"<mrow>{_element(tree)}</mrow>"


def _cell(tree: Any) -> str:
    return f"<mtd>{_element(tree)}</mtd>"


def _condition(tree: Any) -> Row:
    return Row((tree,) if tree == Word("otherwise") else (Word("if "), tree))


def _bracket(sign: str) -> str:
    return f'<mo fence="true" stretchy="true" lspace="0em" rspace="0em">{escape(sign)}</mo>'


def _name(text: str) -> str:
    return f"<mi>{escape(GREEK.get(text, text))}</mi>"
