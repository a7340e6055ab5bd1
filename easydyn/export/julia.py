"""Julia 1.x, nothing but its standard library: one function for each quantity."""

from __future__ import annotations

from collections.abc import Iterable

from easydyn.export.expressions import COMMON, call
from easydyn.export.layout import PROMISES, Language, Layout, Routine
from easydyn.export.text import commented, fill, packed, paired

_TEMPLATE = """\
{{header}}

{{library}}

const UNKNOWNS = {{unknowns}}
const COORDINATES = {{coordinates}}  # states come after coordinates
{{body_names}}

{{parameters}}

# The run: change it here.
const t_final = {{t_final}}  # s
const step = {{step}}  # s, the longest step
const save_every = {{save_every}}  # s, between two lines of the table
const initial_q = [
    {{initial_q}}
]
const initial_qd = [
    {{initial_qd}}
]
const columns = [
    {{columns}}
]

{{helpers}}

{{prepare}}

{{routines}}
# The derivative of the state y, q and then qd.
function derivative(t, y{{passed}})
    q, qd = y[1:UNKNOWNS], y[UNKNOWNS + 1:end]
    return [qd[1:COORDINATES]; zeros(UNKNOWNS - COORDINATES); accelerations(t, q, qd{{passed}})]
end

# The state one step h later, by the classical Runge-Kutta method of fourth order.
function runge_kutta(t, h, y{{passed}})
    k1 = derivative(t, y{{passed}})
    k2 = derivative(t + h/2, y + h/2*k1{{passed}})
    k3 = derivative(t + h/2, y + h/2*k2{{passed}})
    k4 = derivative(t + h, y + h*k3{{passed}})
    return y + h/6*(k1 + 2*k2 + 2*k3 + k4)
end

function print_line(t, y)
    q, qd = y[1:UNKNOWNS], y[UNKNOWNS + 1:end]
    println(join([t; q[1:COORDINATES]; qd[COORDINATES + 1:end]; qd[1:COORDINATES]], ","))
end

# Integrates the motion and prints it as a table in CSV.
function simulate({{passed_alone}})
    println(join(columns, ","))
    t, y = 0.0, [initial_q; initial_qd]
    print_line(t, y)
    line = 0
    while t < t_final
        line += 1
        next = line*save_every
        if next > t_final - 1e-9*save_every
            next = t_final
        end
        steps = max(1, ceil(Int, (next - t)/step - 1e-9))
        h = (next - t)/steps
        for k in 0:steps - 1
            y = runge_kutta(t + k*h, h, y{{passed}})
        end
        if !all(isfinite, y)
            println(stderr, "The motion is not finite after t = $t s. Try a smaller step.")
            exit(1)
        end
        t = next
        print_line(t, y)
    end
end

# Reads t, q, qd, qdd, a state a line, and prints what the functions above make of them.
function check({{passed_alone}})
    for line in eachline(stdin)
        state = parse.(Float64, split(line))
        if length(state) != 1 + 3*UNKNOWNS
            continue
        end
        t = state[1]
        q, qd, qdd = (state[2 + k*UNKNOWNS:1 + (k + 1)*UNKNOWNS] for k in 0:2)
        println(join(["residual"; residual(t, q, qd, qdd{{passed}})], " "))
        println(join(["mass_matrix"; vec(permutedims(mass_matrix({{mass_arguments}}{{passed}})))], " "))
        println(join(["accelerations"; accelerations(t, q, qd{{passed}})], " "))
        {{check_frames}}
    end
end

if abspath(PROGRAM_FILE) == @__FILE__
    {{prepared}}
    "check" in ARGS ? check({{passed_alone}}) : simulate({{passed_alone}})
end
"""

_LINEAR = """\
{{promise}}
function accelerations(t, q, qd{{passed}})
    return -(mass_matrix(t, q{{passed}}) \\ bias(t, q, qd{{passed}}))
end
"""

_NEWTON = """\
{{promise}}
# M depends on the accelerations or the rates: Newton's iteration.
function accelerations(t, q, qd{{passed}})
    out = zeros(UNKNOWNS)
    for iteration in 1:30
        change = mass_matrix(t, q, qd, out{{passed}}) \\ residual(t, q, qd, out{{passed}})
        out -= change
        if all(abs.(change) .<= 1e-10*abs.(out))
            break
        end
    end
    return out
end
"""


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

_RESERVED = """
baremodule begin break catch const continue do else elseif end export false finally for function global if import let
local macro module quote return struct true try using while where abstract mutable primitive type in isa
t q qd qdd out parameters constants given Parameters Constants UNKNOWNS COORDINATES t_final step save_every initial_q
initial_qd columns prepare residual mass_matrix bias accelerations frames derivative runge_kutta print_line simulate
check real_sqrt real_log real_asin real_acos real_acosh real_atanh real_pow
zeros abs all join println max ceil vec permutedims parse split length eachline NaN Inf Float64 Int Bool Base
"""


def _results(layout: Layout, routine: Routine) -> list[str]:
    if routine.name == "frames":
        rows = layout.frame_rows(routine).items()
        lines = [f"out[{body}, {i}, :] .= ({row})" for body, four in rows for i, row in enumerate(four, start=1)]
        return [f"out = zeros({len(layout.bodies)}, 4, 4)", *lines]
    n = range(1, len(layout.unknowns) + 1)
    square = routine.name == "mass_matrix"
    places = [f"{i}, {j}" for i in n for j in n] if square else [str(i) for i in n]
    lines = [f"out[{place}] = {text}" for place, text in zip(places, routine.results, strict=True)]
    return ["out = zeros(UNKNOWNS, UNKNOWNS)" if square else "out = zeros(UNKNOWNS)", *lines]


def _named(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return paired(pairs, "{} = {}", "{} = {}")


def _function(layout: Layout, key: str) -> list[str]:
    routine = layout.routine(key)
    lines: list[str] = []
    for slot in ("q", "qd", "qdd"):
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
    routines = layout.functions(_function, "", _LINEAR, _NEWTON, promise=f"# {PROMISES['accelerations']}")
    command = f'julia "{layout.path.name}"'
    frames = f'println(join(["frames"; vec(permutedims(frames({layout.called_for_frames}), (3, 2, 1)))], " "))'
    return fill(
        _TEMPLATE,
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
            "check_frames": [frames] * bool(layout.bodies),
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
    reserved=_RESERVED,
    write=write,
    helpers=_HELPERS,
)
