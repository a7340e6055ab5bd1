"""C++17: arrays as values, one function for each quantity."""

from __future__ import annotations

from typing import Any

from easydyn.export.c import NOTATION as C
from easydyn.export.c import PARTS as OF_C
from easydyn.export.c import members, named_bodies
from easydyn.export.expressions import COMMON, call
from easydyn.export.layout import Layout
from easydyn.export.notation import elements
from easydyn.export.text import packed, sections

PARTS = sections("cpp")
_LIBRARY = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
            "exp", "log", "sqrt", "pow", "abs", "floor", "ceil")  # fmt: skip


def _own(layout: Layout) -> dict[str, Any]:
    functions = packed((f"std::{x}" for x in _LIBRARY if x in layout.operations), ", ", "using ", ";")
    return {
        "sixteen": str(16 * len(layout.bodies)),
        "body_names": named_bodies(layout, "constexpr int ", ";"),
        "members": members(layout),
        "helpers": [*functions, "", *layout.helpers],
    }


NOTATION = C._replace(
    parts=PARTS,
    results=elements("out[{}] = {};", ("out[{body}] = {{{{", "    {{{{ {row} }}}},", "}}}};"), between="]["),
    value="double {0} = {1};",
    constant="constants.{}",
    given="given.{}",
    compiled='Compile:  c++ -std=c++17 -O2 -o {0} "{1}"',
    arguments={"t": "double {}", "u": "const Inputs& {}", "constants": "const Constants& {}",
               "": "const Vector& {}"},
    unused="/* {} */",
    idle="",
    types={"mass_matrix": "Matrix", "frames": "Frames", "outputs": "Outputs", "": "Vector"},
    own=_own,
)  # fmt: skip
LANGUAGE = NOTATION.language(
    "C++", ".cpp", "//",
    COMMON | {"sign": call("sign_of")},
    reserved=OF_C["keywords"] + PARTS["keywords"] + OF_C["own"] + OF_C["macros"],
)  # fmt: skip
