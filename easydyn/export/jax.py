"""Python with JAX: one function of jax.numpy for each quantity, to be compiled, vectorised, differentiated."""

from __future__ import annotations

import keyword
from typing import Any

from easydyn.export.expressions import COMMON, Form, Level, call
from easydyn.export.layout import Layout, Routine
from easydyn.export.notation import Notation, Pairs
from easydyn.export.text import paired, sections

PARTS = sections("jax")
_NAMES = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
}  # fmt: skip
_TWO = {
    "pow": "power", "atan2": "arctan2", "min": "minimum", "max": "maximum", "mod": "mod", "and": "logical_and",
    "or": "logical_or",
}  # fmt: skip


def _assigned(layout: Layout, pairs: Pairs) -> list[str]:
    pairs = list(pairs)
    if any('"' in value for _, value in pairs):  # of a dictionary: one a line
        return [f"{name} = {value}" for name, value in pairs]
    return paired(pairs, "{} = {}", "{} = {}")


def _results(layout: Layout, routine: Routine) -> list[str]:
    if routine.name == "frames":
        rows = layout.frame_rows(routine).values()
        lines = [x for four in rows for x in ("    [", *(f"        [{row}]," for row in four), "    ],")]
        return ["return jnp.array([", *lines, "], dtype=float)"]
    lines = ["return jnp.array([", *(f"    {text}," for text in routine.results)]
    return [*lines, "], dtype=float)" + ".reshape(UNKNOWNS, UNKNOWNS)" * (routine.name == "mass_matrix")]


def _own(layout: Layout) -> dict[str, Any]:
    more = "The functions are those of jax.numpy: motion(given, q, qd) can be given to jax.jit, jax.vmap, jax.grad."
    return {"usage": [*layout.usage(f'python "{layout.path.name}"'), more]}


NOTATION = Notation(
    PARTS, _assigned, _results, lambda s: f"{s.name} = {s.text}", ('"{0}": {0},', " ", "    "), '"{0}": {1},',
    'python "{1}"',
    start="{0},  # {1}",
    input="{1},  # {2}",
    constant='constants["{}"]',
    given='jnp.asarray(given["{}"], dtype=float)',
    body="{} = {}",
    own=_own,
    going_on="\\",
)  # fmt: skip
LANGUAGE = NOTATION.language(
    "JAX", ".py", "#",
    {
        name: call(f"jnp.{_NAMES.get(name, name)}") if form.level == Level.ATOM else form
        for name, form in COMMON.items()
    }
    | {name: call(f"jnp.{word}", 2) for name, word in _TWO.items()}
    | {
        "not": call("jnp.logical_not"),
        "select": call("jnp.where", 3),
        "eq": Form("({} == {})", Level.ATOM, (Level.SUM, Level.SUM)),
        "lt": Form("({} < {})", Level.ATOM, (Level.SUM, Level.SUM)),
        "le": Form("({} <= {})", Level.ATOM, (Level.SUM, Level.SUM)),
    },
    reserved=f"{PARTS['reserved']} {' '.join(keyword.kwlist)}",
)  # fmt: skip
