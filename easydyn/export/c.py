"""C11: arrays, one function for each quantity, results in the last argument `out`."""

from __future__ import annotations

from typing import Any

from easydyn.export.expressions import COMMON, Statement, call
from easydyn.export.layout import Layout
from easydyn.export.notation import Notation, Pairs, elements
from easydyn.export.text import by_kind, packed, sections

PARTS = sections("c")
FRAME = "memcpy(out[{body}], ((double[4][4]){{", "    {{ {row} }},", "}}), sizeof out[{body}]);"


def declared(statement: Statement) -> str:
    """A variable that does not change, in C and in C++."""
    return f"const {'bool' if statement.condition else 'double'} {statement.name} = {statement.text};"


def assigned(layout: Layout, pairs: Pairs) -> list[str]:
    """Short values, many in a line, in C and in C++."""
    parts = ((f"{x} = {value}", x in layout.conditions) for x, value in pairs)
    return by_kind(parts, ("const double ", "const bool "), ";")


def members(layout: Layout) -> list[str]:
    """The members of the structure of what depends on parameters alone, in C and in C++."""
    return by_kind(((x, x in layout.conditions) for x in layout.prologue.results), ("double ", "bool "), ";")


def named_bodies(layout: Layout, begin: str, end: str) -> list[str]:
    """Constants that say which of the frames is whose, in C and in C++."""
    return packed((f"{x} = {i}" for i, x in enumerate(layout.bodies)), ", ", begin, end)


def _own(layout: Layout) -> dict[str, Any]:
    counts = {"INPUTS": len(layout.inputs), "OUTPUTS": len(layout.outputs)}
    return {
        "counts": packed((f"{name} = {n}" for name, n in counts.items() if n), ", ", "enum { ", " };"),
        "body_names": named_bodies(layout, "enum { ", " };"),
        "fields": packed(layout.parameters, ", ", "double ", ";", width=96),
        "members": members(layout),
        "given": "&constants" if layout.has_constants else "",
        "typed_alone": "const Constants *constants" if layout.has_constants else "void",
    }


NOTATION = Notation(
    PARTS, assigned,
    elements("out[{}] = {};", FRAME, between="]["),
    declared, ("made.{0} = {0};", " ", ""), ".{0:<{2}} = {1},", "./{0}",
    constant="constants->{}",
    given="given->{}",
    compiled='Compile:  cc -std=c11 -O2 -o {0} "{1}" -lm',
    arguments={"t": "double {}", "u": "const double {}[INPUTS]", "constants": "const Constants *{}",
               "": "const double {}[UNKNOWNS]"},
    idle="(void){};",
    types={"mass_matrix": "[UNKNOWNS][UNKNOWNS]", "frames": "[BODIES][4][4]", "outputs": "[OUTPUTS]", "": "[UNKNOWNS]"},
    own=_own,
)  # fmt: skip
LANGUAGE = NOTATION.language(
    "C", ".c", "//",
    COMMON | {"abs": call("fabs"), "sign": call("sign_of")},
    reserved=PARTS["keywords"] + PARTS["own"] + PARTS["macros"],
)  # fmt: skip
