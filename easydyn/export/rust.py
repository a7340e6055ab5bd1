"""Rust 2021, nothing but the standard library: arrays as values, one function for each quantity."""

from __future__ import annotations

from collections.abc import Iterable

from easydyn.export.expressions import COMMON, Form, Level, Statement, call
from easydyn.export.layout import ARRAYS, PROMISES, Language, Layout, Routine
from easydyn.export.text import commented, fill, helpers_of, packed, paired, sections

PARTS = sections("rust")


_TYPES = {"mass_matrix": "Matrix", "frames": "Frames", "outputs": "Outputs"}
_ZERO = {"mass_matrix": "[[0.0; UNKNOWNS]; UNKNOWNS]", "frames": "[[[0.0; 4]; 4]; {}]", "outputs": "[0.0; OUTPUTS]"}

_METHODS = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp",
            "sqrt", "abs", "floor", "ceil")  # fmt: skip


def _method(name: str) -> Form:
    return Form(f"{{}}.{name}()", Level.ATOM, (Level.ATOM,))


def _declared(statement: Statement) -> str:
    return f"let {statement.name} = {statement.text};"


def _let(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return paired(pairs, "let {} = {};", "let ({}) = ({});")


def _head(layout: Layout, key: str) -> str:
    arguments = ["t: f64", *(f"{x}: &{'Inputs' if x == 'u' else 'Vector'}" for x in layout.arguments(key)[1:])]
    arguments += ["constants: &Constants"] * layout.has_constants
    return f"fn {key}({', '.join(arguments)}) -> {_TYPES.get(key, 'Vector')}"


def _results(layout: Layout, routine: Routine) -> list[str]:
    if routine.name == "frames":
        lines: list[str] = []
        for body, rows in layout.frame_rows(routine).items():
            lines += [f"out[{body}] = [", *(f"    [{row}]," for row in rows), "];"]
        return lines
    n = range(len(layout.outputs if routine.name == "outputs" else layout.unknowns))
    places = [f"[{i}][{j}]" for i in n for j in n] if routine.name == "mass_matrix" else [f"[{i}]" for i in n]
    return [f"out{place} = {text};" for place, text in zip(places, routine.results, strict=True)]


def _function(layout: Layout, key: str) -> list[str]:
    routine = layout.routine(key)
    lines: list[str] = []
    for slot in ARRAYS:
        lines += _let((name, f"{slot}[{j}]") for s, j, name in routine.inputs if s == slot)
    lines += _let((x, f"constants.{x}") for x in routine.constants) + [_declared(s) for s in routine.statements]
    lines += [f"let mut out = {_ZERO.get(key, '[0.0; UNKNOWNS]').format(len(layout.bodies))};"]
    lines += [*_results(layout, routine), "out"]
    return [f"/// {PROMISES[key]}", f"{_head(layout, key)} {{", *(f"    {x}" for x in lines), "}", ""]


def _parameters(layout: Layout) -> list[str]:
    names, number = layout.prologue.results, layout.language.number
    return [
        "struct Parameters {", *packed((f"{x}: f64," for x in layout.parameters), " ", "    "), "}", "",
        "// The parameters: change their values here.",
        "const parameters: Parameters = Parameters {",
        *(f"    {x}: {number(value)}," for x, value in layout.parameters.items()),
        "};", "",
        "/// What depends on parameters alone, worked out once by prepare.",
        "struct Constants {",
        *packed((f"{x}: {'bool' if x in layout.conditions else 'f64'}," for x in names), " ", "    "),
        "}",
    ]  # fmt: skip


def _prepare(layout: Layout) -> list[str]:
    p = layout.prologue
    lines = _let((x, f"given.{x}") for _, _, x in p.inputs) + [_declared(s) for s in p.statements]
    lines += ["Constants {", *packed((f"{x}," for x in p.results), " ", "    "), "}"]
    return ["fn prepare(given: &Parameters) -> Constants {", *(f"    {x}" for x in lines), "}", ""]


def write(layout: Layout) -> str:
    """The whole file."""
    passed = layout.passed
    routines = layout.functions(
        _function, PARTS,
        promise=f"/// {PROMISES['accelerations']}", head=_head(layout, "accelerations"),
    )  # fmt: skip
    usage = [f'Compile:  rustc -O -o {layout.name} "{layout.path.name}"', *layout.usage(f"./{layout.name}")]
    frames = f'print_numbers(to, "frames", frames({layout.called_for_frames}).iter().flatten().flatten())?;'
    types = ["type Frame = [[f64; 4]; 4];", f"type Frames = [Frame; {len(layout.bodies)}];"] * bool(layout.bodies)
    for kind, those in (("Inputs", layout.inputs), ("Outputs", layout.outputs)):
        if those:
            types += [f"const {kind.upper()}: usize = {len(those)};", f"type {kind} = [f64; {kind.upper()}];"]
    typed, values = ", constants: &Constants" if passed else "", ["let u = &inputs(t);"] * bool(layout.inputs)
    line = [
        "let (q, qd) = (&y.q, &y.qd);", f"let qdd = &accelerations(t, q, qd{layout.also});",
        f"for x in outputs({layout.called_for_outputs}) {{", '    write!(to, ",{:?}", x)?;', "}",
    ]  # fmt: skip
    checked = [f'print_numbers(to, "outputs", outputs({layout.called_for_outputs}).iter())?;']
    return fill(
        PARTS["file"],
        {
            **layout.pieces,
            "header": commented(layout.header(usage), "//"),
            "body_names": [f"const {x}: usize = {i};" for i, x in enumerate(layout.bodies)],
            "frame_types": types,
            "run_inputs": layout.run_inputs(PARTS["inputs"], "{1}, // {2}"),
            "input_values": values,
            "line_outputs": [*values, *line] if layout.outputs else [],
            "line_typed": typed if layout.outputs else "",
            "line_passed": passed if layout.outputs else "",
            "parameters": _parameters(layout) if layout.has_constants else [],
            **{key: [f"{value}, // {label}" for value, label in rows] for key, rows in layout.starts.items()},
            "width": str(len(layout.columns)),
            "columns": packed((f'"{x}",' for x in layout.columns), " "),
            "prepare": _prepare(layout) if layout.has_constants else [],
            "routines": routines,
            "typed": typed,
            "given": ", &constants" if passed else "",
            "check_frames": [frames] * bool(layout.bodies) + checked * bool(layout.outputs),
            "prepared": ["let constants = prepare(&parameters);"] * bool(passed),
        },
    )


LANGUAGE = Language(
    name="Rust",
    extension=".rs",
    comment="//",
    forms=COMMON
    | {name: _method(name) for name in _METHODS}
    | {
        "log": _method("ln"),
        "pow": call("f64::powf", 2),
        "atan2": call("f64::atan2", 2),
        "sign": call("sign_of"),
        "select": Form("if {} {{ {} }} else {{ {} }}", Level.CHOICE, (Level.ANY,) * 3),
    },
    number=repr,
    reserved=PARTS["reserved"],
    write=write,
    helpers=helpers_of(PARTS),
)
