"""Julia 1.x, nothing but its standard library: one function for each quantity."""

from __future__ import annotations

from collections.abc import Iterable

from easydyn.export.expressions import COMMON, call
from easydyn.export.layout import ARRAYS, PROMISES, Language, Layout, Routine
from easydyn.export.text import commented, fill, packed, paired, sections

PARTS = sections("julia")


def _real(name: str, outside: str) -> str:
    """A function that is NaN, and does not stop, where it has no real value: a Piecewise may not want it there."""
    return f"real_{name}(x) = {outside} ? NaN : {name}(x)"


_HELPERS = {
    "sqrt": _real("sqrt", "x < 0"),
    "log": _real("log", "x < 0"),
    "asin": _real("asin", "abs(x) > 1"),
    "acos": _real("acos", "abs(x) > 1"),
    "acosh": _real("acosh", "x < 1"),
    "atanh": _real("atanh", "abs(x) > 1"),
    "pow": "real_pow(x, y) = x < 0 && y != floor(y) ? NaN : x^y",
}


def _results(layout: Layout, routine: Routine) -> list[str]:
    if routine.name == "frames":
        rows = layout.frame_rows(routine).items()
        lines = [f"out[{body}, {i}, :] .= ({row})" for body, four in rows for i, row in enumerate(four, start=1)]
        return [f"out = zeros({len(layout.bodies)}, 4, 4)", *lines]
    count = len(layout.outputs if routine.name == "outputs" else layout.unknowns)
    n = range(1, count + 1)
    square = routine.name == "mass_matrix"
    places = [f"{i}, {j}" for i in n for j in n] if square else [str(i) for i in n]
    lines = [f"out[{place}] = {text}" for place, text in zip(places, routine.results, strict=True)]
    return ["out = zeros(UNKNOWNS, UNKNOWNS)" if square else f"out = zeros({count})", *lines]


def _named(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return paired(pairs, "{} = {}", "{} = {}")


def _function(layout: Layout, key: str) -> list[str]:
    routine = layout.routine(key)
    lines: list[str] = []
    for slot in ARRAYS:
        lines += _named((name, f"{slot}[{j + 1}]") for s, j, name in routine.inputs if s == slot)
    lines += _named((name, f"constants.{name}") for name in routine.constants)
    lines += [f"{s.name} = {s.text}" for s in routine.statements]
    lines += [*_results(layout, routine), "return out"]
    head = f"function {key}({', '.join(layout.arguments(key))}{layout.passed})"
    return [f"# {PROMISES[key]}", head, *(f"    {x}" for x in lines), "end", ""]


def _parameters(layout: Layout) -> list[str]:
    number = layout.language.number
    members = (f"{x}::{'Bool' if x in layout.conditions else 'Float64'}" for x in layout.prologue.results)
    return [
        "# The parameters: change their values here, or write Parameters(...) with those that differ.",
        "Base.@kwdef struct Parameters",
        *(f"    {x}::Float64 = {number(value)}" for x, value in layout.parameters.items()),
        "end", "",
        "# What depends on parameters alone, worked out once by prepare.",
        "struct Constants",
        *packed(members, "; ", "    "),
        "end",
    ]  # fmt: skip


def _prepare(layout: Layout) -> list[str]:
    p = layout.prologue
    lines = _named((name, f"given.{name}") for _, _, name in p.inputs)
    lines += [f"{s.name} = {s.text}" for s in p.statements]
    lines += ["return Constants(", *packed((f"{x}," for x in p.results), " ", "    "), ")"]
    return ["function prepare(given)", *(f"    {x}" for x in lines), "end", ""]


def write(layout: Layout) -> str:
    """The whole file."""
    passed = layout.passed
    routines = layout.functions(_function, PARTS, promise=f"# {PROMISES['accelerations']}")
    command = f'julia "{layout.path.name}"'
    values = ["u = inputs(t)"] * bool(layout.inputs)
    seen = [*values, f"qdd = accelerations(t, q, qd{layout.also})"] * bool(layout.outputs)
    checked = f'println(join(["outputs"; outputs({layout.called_for_outputs})], " "))'
    frames = f'println(join(["frames"; vec(permutedims(frames({layout.called_for_frames}), (3, 2, 1)))], " "))'
    return fill(
        PARTS["file"],
        {
            **layout.pieces,
            "header": commented(layout.header(layout.usage(command)), "#"),
            "library": [] if layout.solution == "unrolled" else ["using LinearAlgebra"],
            "body_names": [f"const {x} = {i}" for i, x in enumerate(layout.bodies, start=1)],
            "parameters": _parameters(layout) if layout.has_constants else [],
            **{key: [f"{value},  # {label}" for value, label in rows] for key, rows in layout.starts.items()},
            "columns": packed((f'"{x}",' for x in layout.columns), " "),
            "prepare": _prepare(layout) if layout.has_constants else [],
            "routines": routines,
            "passed_alone": passed[2:],
            "run_inputs": layout.run_inputs(PARTS["inputs"], "{1},  # {2}"),
            "input_values": values,
            "line_values": seen,
            "line_outputs": f"; outputs({layout.called_for_outputs})" if layout.outputs else "",
            "line_passed": passed if layout.outputs else "",
            "check_frames": [frames] * bool(layout.bodies) + [checked] * bool(layout.outputs),
            "prepared": ["const constants = prepare(Parameters())"] * bool(passed),
        },
    )


LANGUAGE = Language(
    name="Julia",
    extension=".jl",
    comment="#",
    forms=COMMON
    | {name: call(f"real_{name}") for name in ("sqrt", "log", "asin", "acos", "acosh", "atanh")}
    | {
        "pow": call("real_pow", 2),
        "atan2": call("atan", 2),
        "min": call("min", 2),
        "max": call("max", 2),
        "mod": call("mod", 2),
    },
    number=repr,
    reserved=PARTS["reserved"],
    write=write,
    helpers=_HELPERS,
)
