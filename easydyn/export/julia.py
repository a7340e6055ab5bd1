"""Julia 1.x, nothing but its standard library: one function for each quantity."""

from __future__ import annotations

from typing import Any

from easydyn.export.expressions import COMMON, OWN, call
from easydyn.export.layout import Layout
from easydyn.export.notation import Notation, elements
from easydyn.export.text import helpers_of, packed, paired, sections

PARTS = sections("julia")


def _own(layout: Layout) -> dict[str, Any]:
    members = (f"{x}::{'Bool' if x in layout.conditions else 'Float64'}" for x in layout.prologue.results)
    seen = f"; outputs({layout.called('outputs')})" if layout.outputs else ""
    return {"members": packed(members, "; ", width=96), "seen": seen}


NOTATION = Notation(
    PARTS, lambda _, pairs: paired(pairs, "{} = {}", "{} = {}"),
    elements("out[{}] = {}", ("", "out[{body}, {i}, :] .= ({row})", ""), 1), lambda s: f"{s.name} = {s.text}",
    ("{0},", " ", "    "), "{0}::Float64 = {1}", 'julia "{1}"',
    start="{0},  # {1}",
    input="{1},  # {2}",
    first=1,
    body="const {} = {}",
    zeros={"mass_matrix": "UNKNOWNS, UNKNOWNS", "frames": "{1}, 4, 4", "": "{0}"},
    own=_own,
)  # fmt: skip
LANGUAGE = NOTATION.language(
    "Julia", ".jl", "#",
    COMMON
    | OWN
    | {name: call(f"real_{name}") for name in ("sqrt", "log", "asin", "acos", "acosh", "atanh")}
    | {
        "pow": call("real_pow", 2),
        "atan2": call("atan", 2),
    },
    helpers={op: text.rstrip("\n") for op, text in helpers_of(PARTS).items()},
)  # fmt: skip
