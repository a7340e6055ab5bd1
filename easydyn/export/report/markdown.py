"""A report in Markdown, its formulas in LaTeX between dollars, its pictures beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from easydyn.export.report import document as kinds
from easydyn.export.report.document import Document, Inline, inline
from easydyn.export.report.tex import aligned, latex


def text(document: Document, pictures: Mapping[int, str]) -> str:
    """The whole file; `pictures` are the names of the files of pictures, by the place of their block."""
    blocks = [_block(b, pictures.get(k, "")) for k, b in enumerate(document.blocks)]
    return "\n\n".join([f"# {_words(document.title)}", f"*{_words(document.subtitle)}*", *blocks]) + "\n"


def _words(words: str) -> str:
    """A text in which nothing is taken for Markdown."""
    plain = " ".join(words.split())
    return re.sub(r"([\\`*_{}\[\]<>#$|~])", r"\\\1", plain)


def _inline(text: Inline) -> str:
    def spaced(words: str) -> str:
        return f"{' ' * (len(words) - len(words.lstrip()))}{_words(words)}{' ' * (words != words.rstrip())}"

    return inline(text, spaced, lambda tree: f"${latex(tree)}$".replace("|", r"\vert "))


def _block(block: Any, picture: str) -> str:
    if isinstance(block, kinds.Heading):
        return f"{'#' * (block.level + 1)} {_words(block.text)}"
    if isinstance(block, kinds.Paragraph):
        return _inline(block.text)
    if isinstance(block, kinds.Items):
        return "\n".join(f"- {_inline(x)}" for x in block.items)
    if isinstance(block, kinds.Table):
        marks = ["---:" if k in block.numbers else "---" for k in range(len(block.heading))]
        rows = [block.heading, marks, *block.rows]
        cells = [row if row is marks else [_inline(x) for x in row] for row in rows]
        return "\n".join(f"| {' | '.join(row)} |" for row in cells)
    if isinstance(block, kinds.Formulas):
        lines = " \\\\\n".join(map(aligned, block.formulas))
        return f"$$\n\\begin{{aligned}}\n{lines}\n\\end{{aligned}}\n$$"
    if isinstance(block, kinds.Listing):
        return "```text\n" + "\n".join(block.lines).replace("```", "'''") + "\n```"
    assert isinstance(block, kinds.Picture)
    return f"![{_words(block.caption)}]({quote(picture)})"
