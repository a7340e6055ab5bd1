"""Python with JAX: one function of jax.numpy for each quantity, to be compiled, vectorised, differentiated."""

from __future__ import annotations

import keyword
from collections.abc import Iterable

from easydyn.export.expressions import COMMON, Form, Level, call
from easydyn.export.layout import ARRAYS, PROMISES, Language, Layout, Routine
from easydyn.export.text import commented, fill, packed, paired, sections

PARTS = sections("jax")
_NAMES = {
    "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
}  # fmt: skip
_TWO = {
    "pow": "power", "atan2": "arctan2", "min": "minimum", "max": "maximum", "mod": "mod", "and": "logical_and",
    "or": "logical_or",
}  # fmt: skip


def _named(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return paired(pairs, "{} = {}", "{} = {}")


def _results(layout: Layout, routine: Routine) -> list[str]:
    if routine.name == "frames":
        rows = layout.frame_rows(routine).values()
        lines = [x for four in rows for x in ("    [", *(f"        [{row}]," for row in four), "    ],")]
        return ["return jnp.array([", *lines, "], dtype=float)"]
    lines = ["return jnp.array([", *(f"    {text}," for text in routine.results)]
    return [*lines, "], dtype=float)" + ".reshape(UNKNOWNS, UNKNOWNS)" * (routine.name == "mass_matrix")]


def _function(layout: Layout, key: str) -> list[str]:
    routine = layout.routine(key)
    lines: list[str] = []
    for slot in ARRAYS:
        lines += _named((name, f"{slot}[{j}]") for s, j, name in routine.inputs if s == slot)
    lines += [f'{name} = constants["{name}"]' for name in routine.constants]
    lines += [f"{s.name} = {s.text}" for s in routine.statements]
    head = f"def {key}({', '.join(layout.arguments(key))}{layout.passed}):"
    return [head, f'    """{PROMISES[key]}"""', *(f"    {x}" for x in [*lines, *_results(layout, routine)]), "", ""]


def _parameters(layout: Layout) -> list[str]:
    number = layout.language.number
    return [f'"{name}": {number(value)},' for name, value in layout.parameters.items()]


def _prepare(layout: Layout) -> list[str]:
    p = layout.prologue
    lines = [f'{name} = jnp.asarray(given["{name}"], dtype=float)' for _, _, name in p.inputs]
    lines += [f"{s.name} = {s.text}" for s in p.statements]
    lines += ["return {", *packed((f'"{x}": {x},' for x in p.results), " ", "    "), "}"]
    return lines if p.results else ["return {}"]


def write(layout: Layout) -> str:
    """The whole file."""
    routines = layout.functions(_function, PARTS, promise=PROMISES["accelerations"])
    checked = [f'show("frames", frames({layout.called_for_frames}))'] * bool(layout.bodies)
    checked += [f'show("outputs", outputs({layout.called_for_outputs}))'] * bool(layout.outputs)
    values = ["u = inputs(t)"] * bool(layout.inputs)
    line = [
        f"qdd = accelerations(t, q, qd{layout.also})", f"return outputs({layout.called_for_outputs})",
    ]  # fmt: skip
    usage = layout.usage(f'python "{layout.path.name}"')
    usage += ["The functions are those of jax.numpy: motion(given, q, qd) can be given to jax.jit, jax.vmap, jax.grad."]
    return fill(
        PARTS["file"],
        {
            **layout.pieces,
            "header": commented(layout.header(usage), "#"),
            "body_names": [f"{x} = {i}" for i, x in enumerate(layout.bodies)],
            "parameters": _parameters(layout),
            **{key: [f"{value},  # {label}" for value, label in rows] for key, rows in layout.starts.items()},
            "columns": packed((f'"{x}",' for x in layout.columns), " "),
            "prepare": _prepare(layout),
            "run_inputs": layout.run_inputs(PARTS["inputs"], "{1},  # {2}") + ["", ""] * bool(layout.inputs),
            "input_values": values,
            "line_outputs": [*values, *line] if layout.outputs else ["return jnp.zeros(0)"],
            "with_constants": ["constants = prepare(parameters)"] * bool(layout.outputs and layout.has_constants),
            "routines": routines,
            "check_frames": checked,
        },
        going_on="\\",
    )


LANGUAGE = Language(
    name="JAX",
    extension=".py",
    comment="#",
    forms={
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
    number=repr,
    reserved=f"{PARTS['reserved']} {' '.join(keyword.kwlist)}",
    write=write,
)
