"""Python with JAX: one function of jax.numpy for each quantity, to be compiled, vectorised, differentiated."""

from __future__ import annotations

import keyword
from typing import Any

from easydyn.engine.targets import NUMPY
from easydyn.export.expressions import COMMON, Form, Level, call
from easydyn.export.layout import Layout, Routine
from easydyn.export.notation import Notation, Pairs
from easydyn.export.text import paired, sections

PARTS = sections("jax")


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
    COMMON
    | {op: call(f"jnp.{form.partition('(')[0]}", form.count("{}")) for op, form in NUMPY.items() if "(" in form}
    | {
        op: Form(f"({form})", Level.ATOM, (Level.SUM, Level.SUM))
        for op, form in NUMPY.items() if op in ("eq", "lt", "le")
    },
    reserved=f"{PARTS['reserved']} {' '.join(keyword.kwlist)}",
)  # fmt: skip
