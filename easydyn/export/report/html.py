"""A report as one HTML file that needs nothing else: formulas in MathML, pictures inside."""

from __future__ import annotations

import base64
from html import escape
from typing import Any

from easydyn.export.report import document as kinds
from easydyn.export.report.document import Document, Formula, Inline, Table, inline
from easydyn.export.report.mathml import mathml
from easydyn.export.report.typeset import line
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
