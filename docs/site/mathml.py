"""Formulas of the documentation as MathML, which browsers show by themselves: no script, no fonts, no network.

Docutils translates LaTeX into MathML; what it does not know and our pages use is prepared here: `\\tag{5}` becomes the
number at the right margin.
"""

from __future__ import annotations

import html
import re
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)
TAG = re.compile(r"\\tag\{([^}]*)\}")
WORDS = {  # what Docutils does not know
    r"\displaystyle": "",
    r"\big": "", r"\Big": "", r"\dfrac": r"\frac", r"\dots": r"\ldots", "°": r"{}^{\circ}",
}  # fmt: skip
WORD = re.compile(r"\\[A-Za-z]+|°")
SHORT = re.compile(r"\\([td]?frac)\s*(\d)(\d)")  # \tfrac12, without braces


BOLD = re.compile(r"\\boldsymbol\s*(?:(\\[A-Za-z]+)|\{(\\?[A-Za-z]+)\})")  # one letter, which \mathbf makes bold, too
ENTITY = re.compile(r"&(?!lt;|gt;|amp;|quot;|#)\w+;")
NAMESPACE = "http://www.w3.org/1998/Math/MathML"
INLINE = ("}math", "}mrow", "}mtd", "}mstyle")
ACCENTS = "˙¨~^ˇ¯ˆ→⃗˜"
ElementTree.register_namespace("", NAMESPACE)


def mathml(latex: str, *, block: bool) -> str:
    """MathML of a formula; MathError where it is none."""
    latex = SHORT.sub(r"\\\1{\2}{\3}", latex)
    latex = BOLD.sub(lambda bold: rf"\mathbf{{{bold[1] or bold[2]}}}", latex)
    latex = WORD.sub(lambda word: WORDS.get(word[0], word[0]), latex)
    return mended(tex2mathml(latex, as_block=block))


def mended(text: str) -> str:
    """What Docutils does otherwise than TeX.

    The index of q in \\dot q_j belongs at its foot, and is no limit below; names of functions keep a distance.
    """
    tree = ElementTree.fromstring(ENTITY.sub(lambda entity: html.unescape(entity[0]), text))
    for node in list(tree.iter(f"{{{NAMESPACE}}}munderover")):
        base, index, accent = node
        if accent.tag.endswith("}mo") and (accent.text or "") in ACCENTS:
            dotted = ElementTree.Element(f"{{{NAMESPACE}}}mover", accent="true")
            dotted.extend((base, accent))
            node[:] = (dotted, index)
            node.tag = f"{{{NAMESPACE}}}msub"
    for row in list(tree.iter()):
        for k in range(len(row) - 1, 0, -1):
            before, after = row[k - 1], row[k]
            name = after[0] if len(after) and after.tag.endswith(("}msup", "}msub", "}msubsup")) else after
            word = name.tag.endswith("}mi") and len(name.text or "") > 1 and (name.text or "").isascii()
            if row.tag.endswith(INLINE) and word and not before.tag.endswith(("}mo", "}mspace")):
                row.insert(k, ElementTree.Element(f"{{{NAMESPACE}}}mspace", width="0.1667em"))  # x sin y, not xsiny
    for node in tree.iter():
        node.text, node.tail = ((part or "").strip() or None if node.tag[-5:] != "mtext" else part
                                for part in (node.text, node.tail))  # fmt: skip
    return ElementTree.tostring(tree, encoding="unicode")


def formula(translator: Any, node: nodes.Node, *, block: bool) -> str:
    latex = node.astext()
    try:
        return mathml(latex, block=block)
    except MathError as error:
        logger.warning("this formula cannot be shown (%s): %s", error, latex, location=node)
        return f"<code>{translator.encode(latex)}</code>"


def inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(f'<span class="math">{formula(translator, node, block=False)}</span>')
    raise nodes.SkipNode


def block(translator: Any, node: nodes.math_block) -> None:
    latex = node.astext().strip()
    tags = TAG.findall(latex)
    bare = nodes.math_block(latex, TAG.sub("", latex).strip())
    bare.source, bare.line = node.source, node.line
    number = f'<span class="number">({translator.encode(", ".join(tags))})</span>' if tags else ""
    # A formula that is wider than the page scrolls by itself, also by keys.
    shown = formula(translator, bare, block=True)
    translator.body.append(f'<div class="formula"><div class="math" tabindex="0">{shown}</div>{number}</div>\n')
    raise nodes.SkipNode


def leave(translator: Any, node: nodes.Node) -> None:
    """All has been said on the way in."""


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", inline_renderers=(inline, leave), block_renderers=(block, leave))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
