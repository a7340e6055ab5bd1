"""Rust 2021, nothing but the standard library: arrays as values, one function for each quantity."""

from __future__ import annotations

from typing import Any

from easydyn.engine.graph import UNARY
from easydyn.export.expressions import COMMON, Form, Level, call
from easydyn.export.layout import Layout
from easydyn.export.notation import Notation, elements
from easydyn.export.text import packed, paired, sections

PARTS = sections("rust")


def _method(name: str) -> Form:
    return Form(f"{{}}.{name}()", Level.ATOM, (Level.ATOM,))


def _own(layout: Layout) -> dict[str, Any]:
    kinds = (f"{x}: {'bool' if x in layout.conditions else 'f64'}," for x in layout.prologue.results)
    return {
        "width": str(len(layout.columns)),
        "fields": packed((f"{x}: f64," for x in layout.parameters), " ", width=96),
        "members": packed(kinds, " ", width=96),
        "given": ", &constants" if layout.has_constants else "",
    }


NOTATION = Notation(
    PARTS, lambda _, pairs: paired(pairs, "let {} = {};", "let ({}) = ({});"),
    elements("out[{}] = {};", ("out[{body}] = [", "    [{row}],", "];"), between="]["),
    lambda s: f"let {s.name} = {s.text};", ("{0},", " ", "    "), "{0}: {1},", "./{0}",
    start="{0}, // {1}",
    input="{1}, // {2}",
    body="const {}: usize = {};",
    compiled='Compile:  rustc -O -o {0} "{1}"',
    arguments={"t": "{}: f64", "u": "{}: &Inputs", "constants": "{}: &Constants", "": "{}: &Vector"},
    types={"mass_matrix": "Matrix", "frames": "Frames", "outputs": "Outputs", "": "Vector"},
    zeros={"mass_matrix": "[[0.0; UNKNOWNS]; UNKNOWNS]", "frames": "[[[0.0; 4]; 4]; {1}]", "outputs": "[0.0; OUTPUTS]",
           "": "[0.0; UNKNOWNS]"},
    own=_own,
)  # fmt: skip
LANGUAGE = NOTATION.language(
    "Rust", ".rs", "//",
    COMMON
    | {op: _method({"log": "ln"}.get(op, op)) for op in UNARY}
    | {
        "pow": call("f64::powf", 2),
        "atan2": call("f64::atan2", 2),
        "sign": call("sign_of"),
        "select": Form("if {} {{ {} }} else {{ {} }}", Level.CHOICE, (Level.ANY,) * 3),
    },
)  # fmt: skip
