"""C++17: arrays as values, one function for each quantity."""

from __future__ import annotations

from easydyn.export.c import PARTS as OF_C
from easydyn.export.c import declared, members, named_bodies, prepare, results, starting, unpacked
from easydyn.export.expressions import COMMON, call
from easydyn.export.layout import PROMISES, Language, Layout, Routine
from easydyn.export.macros import MACROS
from easydyn.export.text import commented, fill, helpers_of, packed, sections

PARTS = sections("cpp")


_TYPES = {"mass_matrix": "Matrix", "frames": "Frames", "outputs": "Outputs"}
_LIBRARY = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
            "exp", "log", "sqrt", "pow", "abs", "floor", "ceil")  # fmt: skip


def _head(layout: Layout, key: str, idle: tuple[str, ...] = ()) -> str:
    """The head of a function; a parameter that it does not use has its name in a comment."""
    kinds = {"t": "double ", "u": "const Inputs& "}
    arguments = [(kinds.get(x, "const Vector& "), x) for x in layout.arguments(key)]
    arguments += [("const Constants& ", "constants")] * layout.has_constants
    listed = ", ".join(f"{kind}/* {x} */" if x in idle else f"{kind}{x}" for kind, x in arguments)
    return f"{_TYPES.get(key, 'Vector')} {key}({listed})"


def _frames(layout: Layout, routine: Routine) -> list[str]:
    lines: list[str] = []
    for body, rows in layout.frame_rows(routine).items():
        lines += [f"out[{body}] = {{{{", *(f"    {{{{ {row} }}}}," for row in rows), "}};"]
    return lines


def _function(layout: Layout, key: str) -> list[str]:
    routine = layout.routine(key)
    lines = unpacked(layout, routine, "constants.") + [declared(s) for s in routine.statements]
    lines += [f"{_TYPES.get(key, 'Vector')} out;"]
    lines += _frames(layout, routine) if key == "frames" else results(layout, routine)
    lines += ["return out;"]
    head = _head(layout, key, layout.idle(routine))
    return [f"// {PROMISES[key]}", head, "{", *(f"    {x}" for x in lines), "}", ""]


def _parameters(layout: Layout) -> list[str]:
    values = [f"    double {x} = {layout.language.number(value)};" for x, value in layout.parameters.items()]
    return [
        "// The parameters: change their values here.",
        "struct Parameters {", *values, "};", "",
        "// What depends on parameters alone, worked out once by prepare.",
        "struct Constants {", *(f"    {x}" for x in members(layout)), "};",
    ]  # fmt: skip


def write(layout: Layout) -> str:
    """The whole file."""
    passed = layout.passed
    typed = ", const Constants& constants" if passed else ""
    values = ["const Inputs u = inputs(t);"] * bool(layout.inputs)
    line = [
        f"const Vector qdd = accelerations(t, y.q, y.qd{layout.also});",
        f'for (double each : outputs(t, y.q, y.qd, qdd{layout.also})) std::cout << "," << each;',
    ]
    checked = [f'print_numbers("outputs", outputs({layout.called_for_outputs}).data(), {len(layout.outputs)});']
    routines = layout.functions(
        _function, PARTS,
        promise=f"// {PROMISES['accelerations']}", head=_head(layout, "accelerations"),
    )  # fmt: skip
    types = [
        "using Frame = std::array<std::array<double, 4>, 4>;",
        f"using Frames = std::array<Frame, {len(layout.bodies)}>;",
    ]
    functions = packed((f"std::{x}" for x in _LIBRARY if x in layout.operations), ", ", "using ", ";")
    usage = [
        f'Compile:  c++ -std=c++17 -O2 -o {layout.name} "{layout.path.name}"',
        *layout.usage(f"./{layout.name}"),
    ]
    return fill(
        PARTS["file"],
        {
            **layout.pieces,
            "header": commented(layout.header(usage), "//"),
            "body_names": named_bodies(layout, "constexpr int ", ";"),
            "frame_types": types * bool(layout.bodies) + [
                f"using {kind} = std::array<double, {len(those)}>;"
                for kind, those in (("Inputs", layout.inputs), ("Outputs", layout.outputs)) if those
            ],
            "run_inputs": layout.run_inputs(PARTS["inputs"], "u[{}] = {};  // {}"),
            "input_values": values,
            "line_outputs": [*values, *line] if layout.outputs else [],
            "line_typed": typed if layout.outputs else "",
            "line_passed": passed if layout.outputs else "",
            "parameters": _parameters(layout) if layout.has_constants else [],
            **starting(layout),
            "columns": packed((f'"{x}",' for x in layout.columns), " "),
            "helpers": [*functions, "", *layout.helpers],
            "prepare": prepare(layout, "const Parameters& given", "given.") if layout.has_constants else [],
            "routines": routines,
            "passed_alone": passed[2:],
            "typed": typed,
            "typed_alone": "const Constants& constants" if passed else "",
            "check_frames": [
                f'print_numbers("frames", frames({layout.called_for_frames})[0][0].data(), {16 * len(layout.bodies)});'
            ] * bool(layout.bodies) + checked * bool(layout.outputs),
            "prepared": ["const Constants constants = prepare(Parameters());"] * bool(passed),
        },
    )  # fmt: skip


LANGUAGE = Language(
    name="C++",
    extension=".cpp",
    comment="//",
    forms=COMMON | {"sign": call("sign_of")},
    number=repr,
    reserved=OF_C["keywords"] + PARTS["keywords"] + OF_C["own"] + MACROS,
    write=write,
    helpers=helpers_of(PARTS),
)
