"""Docstrings in NumPy's form, read for Sphinx: parameters as a list, formulas in plain text as they are written."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config
from sphinx.ext.napoleon.docstring import NumpyDocstring

FORM = Config(
    napoleon_use_param=False,
    napoleon_use_rtype=False,
    napoleon_use_ivar=False,
    napoleon_custom_sections=[("Attributes", "params_style"), ("Warns", "params_style")],
)
OUTSIDE = re.compile(r"(`+[^`]*`+)")


def plain(line: str) -> str:
    """|v| is a length, not what reStructuredText takes it for."""
    if line.lstrip().startswith((">>>", "...")):
        return line
    return "".join(part if k % 2 else part.replace("|", r"\|") for k, part in enumerate(OUTSIDE.split(line)))


def read(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    kind = "function" if what in ("property", "attribute", "data") else what  # its text is no "type: description"
    text = [plain(line) for line in lines]
    lines[:] = NumpyDocstring(text, FORM, app, kind, name, thing, options).lines()


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
