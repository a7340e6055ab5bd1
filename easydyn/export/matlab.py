"""MATLAB, which Octave runs as it is: a function that integrates when called alone, or else hands out its functions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from easydyn.export.expressions import COMMON, Form, Level, call
from easydyn.export.layout import ARRAYS, PROMISES, Language, Layout, Routine
from easydyn.export.text import commented, fill, helpers_of, packed, sections

PARTS = sections("matlab")


_REAL = ("sqrt", "log", "asin", "acos", "acosh", "atanh", "pow")


def _real(text: str) -> Form:
    return Form(f"real_or_nan({text})", Level.ATOM, (Level.ANY,))


def _assigned(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return packed((f"{name} = {value};" for name, value in pairs), " ")


def _results(layout: Layout, routine: Routine) -> list[str]:
    if routine.name == "frames":
        lines = [f"out = zeros(4, 4, {len(layout.bodies)});"]
        for i, rows in enumerate(layout.frame_rows(routine).values(), start=1):
            lines += [f"out(:, :, {i}) = [", *(f"    {row}" for row in rows), "];"]
        return lines
    number = len(layout.outputs if routine.name == "outputs" else layout.unknowns)
    n = range(1, number + 1)
    square = routine.name == "mass_matrix"
    places = [f"{i}, {j}" for i in n for j in n] if square else [str(i) for i in n]
    lines = [f"out({place}) = {text};" for place, text in zip(places, routine.results, strict=True)]
    return [f"out = zeros({number}, {number if square else 1});", *lines]


def _function(layout: Layout, key: str) -> list[str]:
    routine = layout.routine(key)
    lines: list[str] = []
    for slot in ARRAYS:
        lines += _assigned((name, f"{slot}({j + 1})") for s, j, name in routine.inputs if s == slot)
    lines += _assigned((name, f"constants.{name}") for name in routine.constants)
    lines += [f"{s.name} = {s.text};" for s in routine.statements]
    lines += _results(layout, routine)
    head = f"function out = {key}({', '.join(layout.arguments(key))}{layout.passed})"
    return [f"% {PROMISES[key]}", head, *(f"    {x}" for x in lines), "end", ""]


def _parameters(layout: Layout) -> list[str]:
    values = [f"    given.{x} = {layout.language.number(value)};" for x, value in layout.parameters.items()]
    return ["% The parameters: change their values here.", "function given = parameters()", *values, "end", ""]


def _prepare(layout: Layout) -> list[str]:
    p = layout.prologue
    lines = _assigned((name, f"given.{name}") for _, _, name in p.inputs)
    lines += [f"{s.name} = {s.text};" for s in p.statements]
    lines += _assigned((f"constants.{name}", name) for name in p.results)
    return [
        "% What depends on parameters alone, worked out once.",
        "function constants = prepare(given)", *(f"    {x}" for x in lines), "end", "",
    ]  # fmt: skip


def _main(layout: Layout) -> str:
    """The name of the main function: that of the file, as MATLAB wants it, where it can be one."""
    stem = layout.path.stem
    free = re.fullmatch(r"[A-Za-z]\w{0,62}", stem, re.ASCII) and not layout.names.is_reserved(stem)
    return stem if free else layout.name


def _usage(layout: Layout, name: str) -> list[str]:
    arguments = "constants" if layout.has_constants else ""
    lines = [
        f"{name}        integrates the motion and prints a table.",
        f"m = {name}    hands out the functions below:",
    ]
    if layout.has_constants:
        lines += ["    p = m.parameters;               their values can be changed", "    constants = m.prepare(p);"]
    separator = ", " if arguments else ""
    u = ", u" * bool(layout.inputs)
    lines += [f"    m.residual(t, q, qd, qdd{u}{separator}{arguments})    q, qd, qdd{u} are columns"]
    lines += [f"Octave:  octave --no-gui --eval {name} > motion.csv" if layout.path.stem == name else ""]
    if layout.path.stem != name:
        lines[-1] = f"The file must be called {name}.m: MATLAB finds a function by the name of its file."
    return lines


def write(layout: Layout) -> str:
    """The whole file."""
    name = _main(layout)
    routines = layout.functions(_function, PARTS, promise=f"% {PROMISES['accelerations']}")
    offered = ["prepare"] * layout.has_constants + [*dict.fromkeys((*layout.keys, "accelerations"))]
    functions = ["functions.parameters = parameters();"] * layout.has_constants
    functions += [f"functions.{x} = @{x};" for x in [*offered, *["inputs"] * bool(layout.inputs)]]
    values = ["u = inputs(t);"] * bool(layout.inputs)
    seen = [
        *values, f"qdd = accelerations(t, q, qd{layout.also});",
        f"values = [values; outputs({layout.called_for_outputs})];",
    ]  # fmt: skip
    functions += ["[functions.initial_q, functions.initial_qd] = initial_state();"]
    if layout.bodies:
        indices = packed((f"'{x}', {i}" for i, x in enumerate(layout.bodies, start=1)), ", ")
        functions += [
            "functions.bodies = struct( ...",
            *(f"    {x}, ..." for x in indices[:-1]),
            f"    {indices[-1]});",
        ]
    initial = [f"q = zeros({len(layout.unknowns)}, 1);", f"qd = zeros({len(layout.unknowns)}, 1);"]
    initial += [
        f"{array}({j}) = {value};  % {label}"
        for array, rows in zip(("q", "qd"), layout.starts.values(), strict=True)
        for j, (value, label) in enumerate(rows, start=1)
    ]
    return fill(
        PARTS["file"],
        {
            **layout.pieces,
            "header": commented(layout.header(_usage(layout, name)), "%"),
            "name": name,
            "states": str(len(layout.unknowns) - layout.coordinates),
            "parameters": _parameters(layout) if layout.has_constants else [],
            "functions": functions,
            "initial": initial,
            "columns": [f"{line}, ..." for line in packed((f"'{x}'" for x in layout.columns), ", ")],
            "prepare": _prepare(layout) if layout.has_constants else [],
            "run_inputs": layout.run_inputs(PARTS["inputs"], "{1};  % {2}"),
            "input_values": values,
            "line_outputs": seen if layout.outputs else [],
            "line_passed": layout.passed if layout.outputs else "",
            "routines": routines,
            "prepared": ["constants = prepare(parameters());"] * layout.has_constants,
        },
        going_on="...",
    )


LANGUAGE = Language(
    name="MATLAB",
    extension=".m",
    comment="%",
    forms=COMMON
    | {name: _real(f"{name}({{}})") for name in ("sqrt", "log", "asin", "acos", "acosh", "atanh")}
    | {
        "pow": Form("real_or_nan({}^{})", Level.ATOM, (Level.ATOM, Level.ATOM)),
        "not": Form("~{}", Level.COMPARISON, (Level.ATOM,)),
        "select": call("select", 3),
    },
    number=repr,
    reserved=PARTS["reserved"],
    write=write,
    helpers=dict.fromkeys(_REAL, PARTS["real"]) | helpers_of(PARTS),
    body_prefix="",
)
