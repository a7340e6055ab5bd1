"""C11: arrays, one function for each quantity, results in the last argument `out`."""

from __future__ import annotations

from collections.abc import Iterable

from easydyn.export.expressions import COMMON, Statement, call
from easydyn.export.layout import ARRAYS, PROMISES, Language, Layout, Routine
from easydyn.export.macros import MACROS
from easydyn.export.text import commented, fill, helpers_of, packed, sections

PARTS = sections("c")


_SIZES = {"mass_matrix": "[UNKNOWNS][UNKNOWNS]", "frames": "[BODIES][4][4]", "outputs": "[OUTPUTS]"}


def declared(statement: Statement) -> str:
    """A variable that does not change, in C and in C++."""
    return f"const {'bool' if statement.condition else 'double'} {statement.name} = {statement.text};"


def taken(layout: Layout, names: Iterable[str], source: str) -> list[str]:
    """The names that a function uses, from a structure, in C and in C++."""
    names = list(names)
    lines = packed((f"{x} = {source}{x}" for x in names if x not in layout.conditions), ", ", "const double ", ";")
    return lines + packed((f"{x} = {source}{x}" for x in names if x in layout.conditions), ", ", "const bool ", ";")


def unpacked(layout: Layout, routine: Routine, source: str) -> list[str]:
    """The names that a function uses, from its arguments, in C and in C++."""
    lines: list[str] = []
    for slot in ARRAYS:
        parts = [f"{name} = {slot}[{j}]" for s, j, name in routine.inputs if s == slot]
        lines += packed(parts, ", ", "const double ", ";")
    return lines + taken(layout, routine.constants, source)


def results(layout: Layout, routine: Routine) -> list[str]:
    """`out[0] = ...;` for every result of a program, in C and in C++."""
    n = range(len(layout.outputs if routine.name == "outputs" else layout.unknowns))
    places = [f"[{i}][{j}]" for i in n for j in n] if routine.name == "mass_matrix" else [f"[{i}]" for i in n]
    return [f"out{place} = {text};" for place, text in zip(places, routine.results, strict=True)]


def _frames(layout: Layout, routine: Routine) -> list[str]:
    lines = ["const double rows[BODIES][4][4] = {"]
    for body, rows in layout.frame_rows(routine).items():
        lines += [f"    [{body}] = {{", *(f"        {{ {row} }}," for row in rows), "    },"]
    return [*lines, "};", "memcpy(out, rows, sizeof rows);"]


def members(layout: Layout) -> list[str]:
    """The members of the structure of what depends on parameters alone, in C and in C++."""
    names = layout.prologue.results
    lines = packed((x for x in names if x not in layout.conditions), ", ", "double ", ";")
    return lines + packed((x for x in names if x in layout.conditions), ", ", "bool ", ";")


def starting(layout: Layout) -> dict[str, list[str]]:
    """The values at the start, each with its name, in C and in C++."""
    return {key: [f"{value},  // {label}" for value, label in rows] for key, rows in layout.starts.items()}


def counts(layout: Layout, begin: str, end: str) -> list[str]:
    """Constants that say how many inputs and outputs there are, in C and in C++."""
    found = {"INPUTS": len(layout.inputs), "OUTPUTS": len(layout.outputs)}
    return packed((f"{name} = {n}" for name, n in found.items() if n), ", ", begin, end)


def named_bodies(layout: Layout, begin: str, separator: str) -> list[str]:
    """Constants that say which of the frames is whose."""
    return packed((f"{x} = {i}" for i, x in enumerate(layout.bodies)), ", ", begin, separator)


def _head(layout: Layout, key: str) -> str:
    arguments = ["double t"]
    arguments += [f"const double {x}[{'INPUTS' if x == 'u' else 'UNKNOWNS'}]" for x in layout.arguments(key)[1:]]
    arguments += ["const Constants *constants"] * layout.has_constants
    return f"void {key}({', '.join(arguments)}, double out{_SIZES.get(key, '[UNKNOWNS]')})"


def _function(layout: Layout, key: str) -> list[str]:
    routine = layout.routine(key)
    lines = packed((f"(void){x};" for x in layout.idle(routine)), " ")
    lines += unpacked(layout, routine, "constants->")
    lines += [declared(s) for s in routine.statements]
    lines += _frames(layout, routine) if key == "frames" else results(layout, routine)
    return [f"// {PROMISES[key]}", _head(layout, key), "{", *(f"    {x}" for x in lines), "}", ""]


def _parameters(layout: Layout) -> list[str]:
    width = max(map(len, layout.parameters))
    values = [f"    .{x:<{width}} = {layout.language.number(value)}," for x, value in layout.parameters.items()]
    return [
        "typedef struct {", *packed(layout.parameters, ", ", "    double ", ";"), "} Parameters;", "",
        "// The parameters: change their values here.",
        "static const Parameters parameters = {", *values, "};", "",
        "// What depends on parameters alone, worked out once by prepare.",
        "typedef struct {", *(f"    {x}" for x in members(layout)), "} Constants;",
    ]  # fmt: skip


def prepare(layout: Layout, given: str, source: str) -> list[str]:
    """The function that works out the constants from the parameter `given`, in C and in C++."""
    p = layout.prologue
    lines = taken(layout, (name for _, _, name in p.inputs), source) + [declared(s) for s in p.statements]
    lines += ["Constants made;", *packed((f"made.{x} = {x};" for x in p.results), " "), "return made;"]
    return [f"Constants prepare({given})", "{", *(f"    {x}" for x in lines), "}", ""]


def _calls(layout: Layout) -> list[str]:
    """What a line of the table needs for its outputs."""
    if not layout.outputs:
        return []
    also = layout.also
    return [
        "double qdd[UNKNOWNS], out[OUTPUTS];", f"accelerations(t, y, y + UNKNOWNS{also}, qdd);",
        f"outputs(t, y, y + UNKNOWNS, qdd{also}, out);", 'for (int j = 0; j < OUTPUTS; j++) printf(",%.15g", out[j]);',
    ]  # fmt: skip


def _checked_outputs(layout: Layout) -> list[str]:
    if not layout.outputs:
        return []
    called = f"outputs({layout.called_for_outputs}, found);"
    return ["double found[OUTPUTS];", called, 'print_numbers("outputs", found, OUTPUTS);']


def write(layout: Layout) -> str:
    """The whole file."""
    passed = layout.passed
    typed = ", const Constants *constants" if passed else ""
    values = ["double u[INPUTS];", "inputs(t, u);"] * bool(layout.inputs)
    routines = layout.functions(
        _function, PARTS,
        promise=f"// {PROMISES['accelerations']}", head=_head(layout, "accelerations"),
    )  # fmt: skip
    frames = [
        "double T[BODIES][4][4];", f"frames({layout.called_for_frames}, T);",
        'print_numbers("frames", T[0][0], 16*BODIES);'
    ]  # fmt: skip
    usage = [
        f'Compile:  cc -std=c11 -O2 -o {layout.name} "{layout.path.name}" -lm',
        *layout.usage(f"./{layout.name}"),
    ]
    return fill(
        PARTS["file"],
        {
            **layout.pieces,
            "header": commented(layout.header(usage), "//"),
            "bodies": str(len(layout.bodies)),
            "run_inputs": layout.run_inputs(PARTS["inputs"], "u[{}] = {};  // {}"),
            "input_values": values,
            "counts": counts(layout, "enum { ", " };"),
            "calls": _calls(layout),
            "line_inputs": values * bool(layout.outputs),
            "line_typed": typed if layout.outputs else "",
            "line_passed": passed if layout.outputs else "",
            "body_names": named_bodies(layout, "enum { ", " };"),
            "parameters": _parameters(layout) if layout.has_constants else [],
            **starting(layout),
            "columns": packed((f'"{x}",' for x in layout.columns), " "),
            "prepare": prepare(layout, "const Parameters *given", "given->") if layout.has_constants else [],
            "routines": routines,
            "given": "&constants" if passed else "",
            "typed": typed,
            "typed_alone": "const Constants *constants" if passed else "void",
            "check_frames": frames * bool(layout.bodies) + _checked_outputs(layout),
            "prepared": ["const Constants constants = prepare(&parameters);"] * bool(passed),
        },
    )


LANGUAGE = Language(
    name="C",
    extension=".c",
    comment="//",
    forms=COMMON | {"abs": call("fabs"), "sign": call("sign_of")},
    number=repr,
    reserved=PARTS["keywords"] + PARTS["own"] + MACROS,
    write=write,
    helpers=helpers_of(PARTS),
)
