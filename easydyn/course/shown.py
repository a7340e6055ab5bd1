"""Statements of exercises on a console: their formulas in plain letters, their pictures in words."""

from __future__ import annotations

import re

_WORDS = {
    "times": " x ", "cdot": " . ", "quad": "  ", "qquad": "    ", "int": "integral of ", "left": "", "right": "",
    "displaystyle": "", "dots": "... ", "pm": "+-",
    "varphi": "phi ", "vartheta": "theta ", ",": " ", ";": " ", " ": " ", "\\": "; ",
}  # fmt: skip
_STYLES = re.compile(r"\\(?:mathbf|boldsymbol|mathrm|mathfrak|operatorname|text)\s*(?:\{([^{}]*)\}|(\\?[A-Za-z]+|\d))")
_DOTS = re.compile(r"\\(d+)ot(?![a-z])\s*(?:\{([^{}]*)\}|(\\[A-Za-z]+|[A-Za-z])((?:_\{[^{}]*\}|_\w)?))")
_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
_FRACTION = re.compile(r"\\[td]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_COMMAND = re.compile(r"\\([A-Za-z]+|.)\s*")
_TOUCHING = re.compile(r"(?<=[A-Za-z0-9])(?=\\[A-Za-z])")
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$", re.DOTALL)
_PICTURE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")


def in_letters(latex: str) -> str:
    """A formula of LaTeX as one would type it: q' for a dot, omega for the letter, x for a cross product.

    >>> in_letters(r"\\ddot q + \\boldsymbol\\omega\\times\\mathbf r = \\sqrt{k/m}")
    "q'' + omega x r = sqrt(k/m)"
    """
    text = re.sub(r"\\tag\{([^{}]*)\}", r"      (\1)", latex)
    text = _STYLES.sub(lambda found: f" {found[1] or found[2]} ", text)
    text = _DOTS.sub(lambda found: f" {found[2] or found[3]}{found[4] or ''}{len(found[1]) * chr(39)}", text)
    text = _FRACTION.sub(r"(\1)/(\2)", _ROOT.sub(r" sqrt(\1)", text))
    text = _TOUCHING.sub(" ", text)
    text = _COMMAND.sub(lambda found: _WORDS.get(found[1], f"{found[1]} "), text)
    text = re.sub(r"[{}]", "", text)
    text = re.sub(r"(?<=\S) +(?=[\s'_^,;)/])| +$|(?<=[(/]) +", "", re.sub(r"(?<=\S)[ \n]+", " ", text))
    return text.strip()


def on_console(statement: str) -> str:
    """A statement without LaTeX and without links to pictures.

    >>> print(on_console("The angle $q_1$.\\n\\n![A rod](sketch.png)"))
    The angle q_1.
    <BLANKLINE>
    (A picture shows: A rod)
    """

    def formula(found: re.Match[str]) -> str:
        return f"    {in_letters(found[1])}" if found[1] else in_letters(found[2])

    parts = re.split(r"(```.*?```|`[^`\n]*`)", _PICTURE.sub(r"(A picture shows: \1)", statement), flags=re.DOTALL)
    return "".join(part if k % 2 else _FORMULA.sub(formula, part) for k, part in enumerate(parts))
