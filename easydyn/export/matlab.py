"""MATLAB, which Octave runs as it is: a function that integrates when called alone, or else hands out its functions."""

from __future__ import annotations

import re
from typing import Any

from easydyn.export.expressions import COMMON, Form, Level, call
from easydyn.export.layout import Layout
from easydyn.export.notation import Notation, elements
from easydyn.export.text import fill, helpers_of, packed, sections

PARTS = sections("matlab")
_REAL = ("sqrt", "log", "asin", "acos", "acosh", "atanh", "pow")


def _own(layout: Layout) -> dict[str, Any]:
    stem = layout.path.stem  # which MATLAB wants as the name of the main function, where it can be one
    free = re.fullmatch(r"[A-Za-z]\w{0,62}", stem, re.ASCII) and not layout.names.is_reserved(stem)
    bodies = packed((f"'{x}', {i}" for i, x in enumerate(layout.bodies, start=1)), ", ")
    number = str(len(layout.unknowns))
    own: dict[str, Any] = {
        "name": stem if free else layout.name,
        "has_another_name": not free and stem != layout.name,
        "states": str(len(layout.unknowns) - layout.coordinates),
        "offered": [f"functions.{x} = @{x};" for x in dict.fromkeys((*layout.keys, "accelerations"))],
        "bodies": [f"{x}, ..." for x in bodies[:-1]] + [f"{x});" for x in bodies[-1:]],
        "initial": [f"q = zeros({number}, 1);", f"qd = zeros({number}, 1);"] + [
            f"{array}({j}) = {value};  % {label}"
            for array, rows in zip(("q", "qd"), layout.starts.values(), strict=True)
            for j, (value, label) in enumerate(rows, start=1)
        ],
        "columns": [f"{line}, ..." for line in packed((f"'{x}'" for x in layout.columns), ", ")],
    }  # fmt: skip
    return own | {"usage": fill(PARTS["usage"], layout.pieces | own).splitlines()}


NOTATION = Notation(
    PARTS, lambda _, pairs: packed((f"{x} = {value};" for x, value in pairs), " "),
    elements("out({}) = {};", ("out(:, :, {n}) = [", "    {row}", "];"), 1),
    lambda s: f"{s.name} = {s.text};", ("constants.{0} = {0};", " ", ""), "given.{0} = {1};", "{0}",
    input="{1};  % {2}", first=1, entry="{}({})", own=_own, going_on="...",
    zeros={"mass_matrix": "{0}, {0}", "frames": "4, 4, {1}", "": "{0}, 1"},
)  # fmt: skip
LANGUAGE = NOTATION.language(
    "MATLAB", ".m", "%",
    COMMON
    | {name: Form(f"real_or_nan({name}({{}}))", Level.ATOM, (Level.ANY,)) for name in _REAL}
    | {
        "pow": Form("real_or_nan({}^{})", Level.ATOM, (Level.ATOM, Level.ATOM)),
        "not": Form("~{}", Level.COMPARISON, (Level.ATOM,)),
        "select": call("select", 3),
    },
    helpers=dict.fromkeys(_REAL, PARTS["real"]) | helpers_of(PARTS),
    body_prefix="",
)  # fmt: skip
