"""Fortran 2008: a module with one function for each quantity, and a program that uses it."""

from __future__ import annotations

from collections.abc import Iterable

from easydyn.export.expressions import COMMON, Form, Level, call, logical
from easydyn.export.layout import ARRAYS, PROMISES, Language, Layout, Routine
from easydyn.export.text import commented, fill, packed, sections

PARTS = sections("fortran")


def _helper(head: str, *lines: str) -> str:
    arguments = head[head.index("(") + 1 : -1]
    name = head[: head.index("(")]
    return "\n".join([
        f"elemental function {head} result(y)", f"    real(dp), intent(in) :: {arguments}", "    real(dp) :: y",
        *(f"    {line}" for line in lines), f"end function {name}", "",
    ])  # fmt: skip


_HELPERS = {
    "sign": _helper("sign_of(x)", "y = 0.0_dp", "if (x > 0) y = 1.0_dp", "if (x < 0) y = -1.0_dp"),
    "floor": _helper("floor_of(x)", "y = aint(x)", "if (y > x) y = y - 1.0_dp"),
    "ceil": _helper("ceiling_of(x)", "y = aint(x)", "if (y < x) y = y + 1.0_dp"),
    "min": _helper("smaller(a, b)", "y = b", "if (.not. a >= b) y = a", "if (.not. b >= b) y = b"),
    "max": _helper("larger(a, b)", "y = b", "if (.not. a <= b) y = a", "if (.not. b <= b) y = b"),
}

_SHAPES = {"mass_matrix": "(unknowns, unknowns)", "frames": "(4, 4, bodies)", "outputs": "(output_count)"}
_INPUTS = "u(input_count)"


def _number(value: float) -> str:
    return f"{value!r}_dp"


def _reals(names: Iterable[str], kind: str = "real(dp)") -> list[str]:
    """Declarations, several where there are many: the lines of one statement are limited."""
    return packed(names, ", ", f"{kind} :: ")


def _assigned(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return packed((f"{name} = {value}" for name, value in pairs), "; ")


def _declarations(layout: Layout, names: Iterable[str], conditions: Iterable[str]) -> list[str]:
    true_or_false = {*conditions, *layout.conditions}
    names = list(names)
    reals = _reals(x for x in names if x not in true_or_false)
    return reals + _reals((x for x in names if x in true_or_false), "logical")


def _results(layout: Layout, routine: Routine) -> list[str]:
    if routine.name == "frames":
        rows = layout.frame_rows(routine).items()
        return [f"out({i}, :, {body}) = [{row}]" for body, four in rows for i, row in enumerate(four, start=1)]
    n = range(1, len(layout.outputs if routine.name == "outputs" else layout.unknowns) + 1)
    places = [f"{i}, {j}" for i in n for j in n] if routine.name == "mass_matrix" else [str(i) for i in n]
    return [f"out({place}) = {text}" for place, text in zip(places, routine.results, strict=True)]


def _function(layout: Layout, key: str) -> list[str]:
    routine = layout.routine(key)
    arguments = layout.arguments(key)
    names = [name for _, _, name in routine.inputs] + [*routine.constants] + [s.name for s in routine.statements]
    sizes = (_INPUTS if x == "u" else f"{x}(unknowns)" for x in arguments[1:])
    lines = [f"real(dp), intent(in) :: {', '.join(['t', *sizes])}"]
    lines += ["type(constant_values), intent(in) :: constants"] * layout.has_constants
    lines += [f"real(dp) :: out{_SHAPES.get(key, '(unknowns)')}"]
    lines += _declarations(layout, names, (s.name for s in routine.statements if s.condition))
    for slot in ARRAYS:
        lines += _assigned((name, f"{slot}({j + 1})") for s, j, name in routine.inputs if s == slot)
    lines += _assigned((name, f"constants%{name}") for name in routine.constants)
    lines += [f"{s.name} = {s.text}" for s in routine.statements] + _results(layout, routine)
    head = f"function {key}({', '.join(arguments)}{layout.passed}) result(out)"
    return [f"! {PROMISES[key]}", head, *(f"    {x}" for x in lines), "end function", ""]


def _parameters(layout: Layout) -> list[str]:
    values = [f"    real(dp) :: {x} = {_number(value)}" for x, value in layout.parameters.items()]
    return [
        "! The parameters: change their values here.",
        "type :: parameter_values", *values, "end type", "",
        "! What depends on parameters alone, worked out once by prepare.",
        "type :: constant_values",
        *(f"    {x}" for x in _declarations(layout, layout.prologue.results, ())),
        "end type",
    ]  # fmt: skip


def _prepare(layout: Layout) -> list[str]:
    p = layout.prologue
    names = [name for _, _, name in p.inputs] + [s.name for s in p.statements]
    lines = ["type(parameter_values), intent(in) :: given", "type(constant_values) :: constants"]
    lines += _declarations(layout, names, (s.name for s in p.statements if s.condition))
    lines += _assigned((name, f"given%{name}") for _, _, name in p.inputs)
    lines += [f"{s.name} = {s.text}" for s in p.statements]
    lines += _assigned((f"constants%{name}", name) for name in p.results)
    return ["function prepare(given) result(constants)", *(f"    {x}" for x in lines), "end function"]


def write(layout: Layout) -> str:
    """The whole file."""
    passed = layout.passed
    typed = ["type(constant_values), intent(in) :: constants"] * bool(passed)
    promise = f"! {PROMISES['accelerations']}"
    given = [f"real(dp), intent(in) :: {_INPUTS}"] * bool(layout.inputs) + typed
    routines = layout.functions(_function, PARTS, promise=promise, typed=given)
    declared, values = ([x] * bool(layout.inputs) for x in (f"real(dp) :: {_INPUTS}", "u = inputs(t)"))
    seen = f"outputs(t, y(:, 1), y(:, 2), qdd{layout.also})"
    calls = [*values, f"qdd = accelerations(t, y(:, 1), y(:, 2){layout.also})"]
    counts = {"input_count": len(layout.inputs), "output_count": len(layout.outputs)}
    bodies = ", ".join(["bodies = " + str(len(layout.bodies))])
    names = [bodies, *(f"{x} = {i}" for i, x in enumerate(layout.bodies, start=1))]
    texts = [f"{x}," for x in layout.columns]  # in pieces, as lines of Fortran end
    headings = packed((x[k : k + 100] for x in texts for k in range(0, len(x), 100)), "", "'", "' // &")
    headings[-1] = headings[-1].removesuffix(",' // &") + "'"
    initial = [
        f"{key}({j}) = {value}  ! {label}"
        for key, rows in layout.starts.items()
        for j, (value, label) in enumerate(rows, start=1)
    ]
    usage = [f'Compile:  gfortran -O2 -o {layout.name} "{layout.path.name}"', *layout.usage(f"./{layout.name}")]
    return fill(
        PARTS["file"],
        {
            **layout.pieces,
            "header": commented(layout.header(usage), "!"),
            "name": layout.name,
            "body_names": packed(names, ", ", "integer, parameter :: ") if layout.bodies else [],
            "parameters": _parameters(layout) if layout.has_constants else [],
            "prepare": _prepare(layout) if layout.has_constants else [],
            "routines": routines,
            "columns": headings,
            "initial": initial,
            "typed": typed,
            "counts": packed((f"{name} = {n}" for name, n in counts.items() if n), ", ", "integer, parameter :: "),
            "run_inputs": layout.run_inputs(PARTS["inputs"], "u({}) = {}  ! {}", 1),
            "input_declared": declared,
            "input_values": values,
            "line_declared": [*declared, "real(dp) :: qdd(unknowns)"] if layout.outputs else [],
            "line_values": calls if layout.outputs else [],
            "line_outputs": f", {seen}" if layout.outputs else "",
            "declared": ["type(parameter_values) :: parameters", "type(constant_values) :: constants"] * bool(passed),
            "prepared": ["constants = prepare(parameters)"] * bool(passed),
            "check_frames": [f"call print_frames(frames({layout.called_for_frames}))"] * bool(layout.bodies)
            + [f"call print_numbers('outputs', outputs({layout.called_for_outputs}))"] * bool(layout.outputs),
            "frame_printer": [*PARTS["frame_printer"].splitlines(), ""] if layout.bodies else [],
        },
        going_on="&",
    )


LANGUAGE = Language(
    name="Fortran",
    extension=".f90",
    comment="!",
    forms=COMMON
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
    number=_number,
    reserved=PARTS["reserved"],
    write=write,
    helpers=_HELPERS,
    fold_case=True,
)
