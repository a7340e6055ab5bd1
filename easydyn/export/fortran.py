"""Fortran 2008: a module with one function for each quantity, and a program that uses it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from easydyn.export.expressions import COMMON, Form, Level, call, logical
from easydyn.export.layout import Layout
from easydyn.export.notation import Notation, elements
from easydyn.export.text import by_kind, packed, sections

PARTS = sections("fortran")


def _declared(layout: Layout, names: Iterable[str], conditions: Iterable[str]) -> list[str]:
    """Declarations, several where there are many: the lines of one statement are limited."""
    true_or_false = {*conditions, *layout.conditions}
    return by_kind(((x, x in true_or_false) for x in names), ("real(dp) :: ", "logical :: "))


def _own(layout: Layout) -> dict[str, Any]:
    names = [f"bodies = {len(layout.bodies)}", *(f"{x} = {i}" for i, x in enumerate(layout.bodies, start=1))]
    texts = [f"{x}," for x in layout.columns]  # in pieces, as lines of Fortran end
    headings = packed((x[k : k + 100] for x in texts for k in range(0, len(x), 100)), "", "'", "' // &")
    headings[-1] = headings[-1].removesuffix(",' // &") + "'"
    counts = {"input_count": len(layout.inputs), "output_count": len(layout.outputs)}
    return {
        "body_names": packed(names, ", ", "integer, parameter :: ") if layout.bodies else [],
        "columns": headings,
        "counts": packed((f"{name} = {n}" for name, n in counts.items() if n), ", ", "integer, parameter :: "),
        "seen": f", outputs(t, y(:, 1), y(:, 2), qdd{layout.also})" if layout.outputs else "",
        "members": _declared(layout, layout.prologue.results, ()),
        "initial": [
            f"{key}({j}) = {value}  ! {label}"
            for key, rows in layout.starts.items()
            for j, (value, label) in enumerate(rows, start=1)
        ],
        "frame_printer": [*PARTS["frame_printer"].splitlines(), ""] if layout.bodies else [],
    }


NOTATION = Notation(
    PARTS, lambda _, pairs: packed((f"{x} = {value}" for x, value in pairs), "; "),
    elements("out({}) = {}", ("", "out({i}, :, {body}) = [{row}]", ""), 1),
    lambda s: f"{s.name} = {s.text}", ("constants%{0} = {0}", "; ", ""), "real(dp) :: {0} = {1}", "./{0}",
    input="u({}) = {}  ! {}",
    first=1,
    entry="{}({})",
    constant="constants%{}",
    given="given%{}",
    compiled='Compile:  gfortran -O2 -o {0} "{1}"',
    arguments={"t": "t", "u": "u(input_count)", "": "{}(unknowns)"},
    types={"mass_matrix": "(unknowns, unknowns)", "frames": "(4, 4, bodies)", "outputs": "(output_count)",
           "": "(unknowns)"},
    own=_own,
    declared=_declared,
    going_on="&",
)  # fmt: skip
LANGUAGE = NOTATION.language(
    "Fortran", ".f90", "!",
    COMMON
    | {
        "floor": call("floor_of"),
        "ceil": call("ceiling_of"),
        "sign": call("sign_of"),
        "pow": Form("{}**{}", Level.POWER, (Level.ATOM, Level.ATOM)),
        "and": logical(" .and. "),
        "or": logical(" .or. "),
        "not": Form(".not. {}", Level.COMPARISON, (Level.ATOM,)),
        "select": Form("merge({1}, {2}, {0})", Level.ATOM, (Level.ANY,) * 3),
    },
    number=lambda value: f"{value!r}_dp",
    fold_case=True,
)  # fmt: skip
