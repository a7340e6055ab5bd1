"""Docstrings in NumPy's form, read for Sphinx: parameters as a list, formulas in plain text as they are written."""

from __future__ import annotations

import inspect
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
PAGE = re.compile(r"\bdocs/(\w+)\.md\b")
SECTION = re.compile(r"^(\w+)\n-{3,}", re.MULTILINE)


def plain(line: str) -> str:
    """|v| is a length, not what reStructuredText takes it for; docs/methods.md is a page of the site."""
    if line.lstrip().startswith((">>>", "...")):
        return line
    parts = OUTSIDE.split(line)
    for k in range(0, len(parts), 2):
        parts[k] = PAGE.sub(r":doc:`\g<0> </docs/\1>`", parts[k].replace("|", r"\|"))
    return "".join(parts)


def signature(app: Sphinx, what: str, name: str, thing: Any, options: Any, given: str, returned: str) -> Any:
    """None for a class that is made for you: its docstring has attributes, and no parameters."""
    sections = set(SECTION.findall(inspect.getdoc(thing) or "")) if what == "class" else set()
    return ("", None) if given and "Attributes" in sections and "Parameters" not in sections else None


def read(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    kind = "function" if what in ("property", "attribute", "data") else what  # its text is no "type: description"
    text = [plain(line) for line in lines]
    lines[:] = NumpyDocstring(text, FORM, app, kind, name, thing, options).lines()


def setup(app: Sphinx) -> dict[str, bool]:
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", read)
    app.connect("autodoc-process-signature", signature)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
