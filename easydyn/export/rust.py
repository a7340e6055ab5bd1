"""Rust 2021, nothing but the standard library: arrays as values, one function for each quantity."""

from __future__ import annotations

from collections.abc import Iterable

from easydyn.export.expressions import COMMON, Form, Level, Statement, call
from easydyn.export.layout import PROMISES, Language, Layout, Routine
from easydyn.export.text import commented, fill, packed, paired

_TEMPLATE = """\
{{header}}

#![crate_name = "equations"]
#![allow(non_snake_case, non_upper_case_globals, unused_variables)]

use std::io::{Read, Write};

const UNKNOWNS: usize = {{unknowns}};
const COORDINATES: usize = {{coordinates}}; // states come after coordinates
{{body_names}}

type Vector = [f64; UNKNOWNS];
type Matrix = [Vector; UNKNOWNS];
{{frame_types}}

{{parameters}}

// The run: change it here.
const t_final: f64 = {{t_final}}; // s
const step: f64 = {{step}}; // s, the longest step
const save_every: f64 = {{save_every}}; // s, between two lines of the table
const initial_q: Vector = [
    {{initial_q}}
];
const initial_qd: Vector = [
    {{initial_qd}}
];
const columns: [&str; {{width}}] = [
    {{columns}}
];

{{helpers}}

{{prepare}}

{{routines}}
/// The coordinates, states and rates at one time, or their derivatives.
struct State {
    q: Vector,
    qd: Vector,
}

fn derivative(t: f64, y: &State{{typed}}) -> State {
    let mut out = State { q: y.qd, qd: accelerations(t, &y.q, &y.qd{{passed}}) };
    for j in COORDINATES..UNKNOWNS {
        out.q[j] = 0.0;
    }
    out
}

/// y + h k
fn moved(y: &State, h: f64, k: &State) -> State {
    let mut out = State { q: y.q, qd: y.qd };
    for j in 0..UNKNOWNS {
        out.q[j] += h*k.q[j];
        out.qd[j] += h*k.qd[j];
    }
    out
}

/// One step h of the classical Runge-Kutta method of fourth order.
fn runge_kutta(t: f64, h: f64, y: &State{{typed}}) -> State {
    let k1 = derivative(t, y{{passed}});
    let k2 = derivative(t + h/2.0, &moved(y, h/2.0, &k1){{passed}});
    let k3 = derivative(t + h/2.0, &moved(y, h/2.0, &k2){{passed}});
    let k4 = derivative(t + h, &moved(y, h, &k3){{passed}});
    moved(&moved(&moved(&moved(y, h/6.0, &k1), h/3.0, &k2), h/3.0, &k3), h/6.0, &k4)
}

fn print_line(to: &mut impl Write, t: f64, y: &State) -> std::io::Result<()> {
    write!(to, "{:?}", t)?;
    for j in 0..UNKNOWNS {
        write!(to, ",{:?}", if j < COORDINATES { y.q[j] } else { y.qd[j] })?;
    }
    for j in 0..COORDINATES {
        write!(to, ",{:?}", y.qd[j])?;
    }
    writeln!(to)
}

/// Integrates the motion and prints it as a table in CSV.
fn simulate(to: &mut impl Write{{typed}}) -> std::io::Result<()> {
    writeln!(to, "{}", columns.join(","))?;
    let mut y = State { q: initial_q, qd: initial_qd };
    let mut t = 0.0;
    print_line(to, t, &y)?;
    let mut line = 0.0;
    while t < t_final {
        line += 1.0;
        let mut next = line*save_every;
        if next > t_final - 1e-9*save_every {
            next = t_final;
        }
        let steps = ((next - t)/step - 1e-9).ceil().max(1.0);
        let h = (next - t)/steps;
        for k in 0..steps as i64 {
            y = runge_kutta(t + k as f64*h, h, &y{{passed}});
        }
        if !y.q.iter().chain(y.qd.iter()).all(|x| x.is_finite()) {
            to.flush()?;
            eprintln!("The motion is not finite after t = {} s. Try a smaller step.", t);
            std::process::exit(1);
        }
        t = next;
        print_line(to, t, &y)?;
    }
    Ok(())
}

fn print_numbers<'a>(to: &mut impl Write, name: &str, values: impl Iterator<Item = &'a f64>) -> std::io::Result<()> {
    write!(to, "{}", name)?;
    for x in values {
        write!(to, " {:.16e}", x)?;
    }
    writeln!(to)
}

/// Reads t, q, qd, qdd of one state or of many, and prints what the functions above make of them.
fn check(to: &mut impl Write{{typed}}) -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let numbers: Vec<f64> = text.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    for state in numbers.chunks_exact(1 + 3*UNKNOWNS) {
        let vector = |k: usize| -> Vector { std::array::from_fn(|j| state[1 + k*UNKNOWNS + j]) };
        let (t, q, qd, qdd) = (state[0], &vector(0), &vector(1), &vector(2));
        print_numbers(to, "residual", residual(t, q, qd, qdd{{passed}}).iter())?;
        print_numbers(to, "mass_matrix", mass_matrix({{mass_arguments}}{{passed}}).iter().flatten())?;
        print_numbers(to, "accelerations", accelerations(t, q, qd{{passed}}).iter())?;
        {{check_frames}}
    }
    Ok(())
}

fn main() -> std::io::Result<()> {
    {{prepared}}
    let mut to = std::io::BufWriter::new(std::io::stdout());
    if std::env::args().nth(1).as_deref() == Some("check") {
        check(&mut to{{given}})
    } else {
        simulate(&mut to{{given}})
    }
}
"""

_SOLVE = """\
/// The x of M x = b, by elimination, the largest pivot of each column first.
fn solve(mut M: Matrix, mut b: Vector) -> Vector {
    for k in 0..UNKNOWNS {
        let mut pivot = k;
        for i in k + 1..UNKNOWNS {
            if M[i][k].abs() > M[pivot][k].abs() {
                pivot = i;
            }
        }
        M.swap(k, pivot);
        b.swap(k, pivot);
        for i in k + 1..UNKNOWNS {
            let factor = M[i][k]/M[k][k];
            for j in k..UNKNOWNS {
                M[i][j] -= factor*M[k][j];
            }
            b[i] -= factor*b[k];
        }
    }
    for i in (0..UNKNOWNS).rev() {
        for j in i + 1..UNKNOWNS {
            b[i] -= M[i][j]*b[j];
        }
        b[i] /= M[i][i];
    }
    b
}
"""

_LINEAR = """\
{{promise}}
{{head}} {
    let mut out = solve(mass_matrix(t, q{{passed}}), bias(t, q, qd{{passed}}));
    for x in out.iter_mut() {
        *x = -*x;
    }
    out
}
"""

_NEWTON = """\
{{promise}}
/// M depends on the accelerations or the rates: Newton's iteration.
{{head}} {
    let mut out = [0.0; UNKNOWNS];
    for iteration in 0..30 {
        let change = solve(mass_matrix(t, q, qd, &out{{passed}}), residual(t, q, qd, &out{{passed}}));
        let mut done = true;
        for j in 0..UNKNOWNS {
            out[j] -= change[j];
            done = done && change[j].abs() <= 1e-10*out[j].abs();
        }
        if done {
            break;
        }
    }
    out
}
"""

_HELPERS = {
    "sign": """\
fn sign_of(x: f64) -> f64 {
    if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { 0.0 }
}
""",
    "min": "fn smaller(a: f64, b: f64) -> f64 {\n    if a < b || a.is_nan() { a } else { b }\n}\n",
    "max": "fn larger(a: f64, b: f64) -> f64 {\n    if a > b || a.is_nan() { a } else { b }\n}\n",
    "mod": """\
/// The remainder of x/y, with the sign of y.
fn modulo(x: f64, y: f64) -> f64 {
    let remainder = x % y;
    if remainder != 0.0 && (remainder < 0.0) != (y < 0.0) { remainder + y } else { remainder }
}
""",
}

_RESERVED = """
as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in let loop
macro match mod move mut override priv pub ref return self Self static struct super trait true try type typeof union
unsafe unsized use virtual where while yield abstract None Some Ok Err std f64 usize i64 bool str String Vec Option
Result Iterator Read Write Default main
t q qd qdd out parameters constants given Parameters Constants State Vector Matrix Frame Frames UNKNOWNS COORDINATES
t_final step save_every initial_q initial_qd columns prepare residual mass_matrix bias accelerations frames solve
derivative moved runge_kutta print_line print_numbers simulate check sign_of smaller larger modulo
"""
_TYPES = {"mass_matrix": "Matrix", "frames": "Frames"}
_ZERO = {"mass_matrix": "[[0.0; UNKNOWNS]; UNKNOWNS]", "frames": "[[[0.0; 4]; 4]; {}]"}

_METHODS = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp",
            "sqrt", "abs", "floor", "ceil")  # fmt: skip


def _method(name: str) -> Form:
    return Form(f"{{}}.{name}()", Level.ATOM, (Level.ATOM,))


def _declared(statement: Statement) -> str:
    return f"let {statement.name} = {statement.text};"


def _let(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return paired(pairs, "let {} = {};", "let ({}) = ({});")


def _head(layout: Layout, key: str) -> str:
    arguments = ["t: f64", *(f"{x}: &Vector" for x in layout.arguments(key)[1:])]
    arguments += ["constants: &Constants"] * layout.has_constants
    return f"fn {key}({', '.join(arguments)}) -> {_TYPES.get(key, 'Vector')}"


def _results(layout: Layout, routine: Routine) -> list[str]:
    if routine.name == "frames":
        lines: list[str] = []
        for body, rows in layout.frame_rows(routine).items():
            lines += [f"out[{body}] = [", *(f"    [{row}]," for row in rows), "];"]
        return lines
    n = range(len(layout.unknowns))
    places = [f"[{i}][{j}]" for i in n for j in n] if routine.name == "mass_matrix" else [f"[{i}]" for i in n]
    return [f"out{place} = {text};" for place, text in zip(places, routine.results, strict=True)]


def _function(layout: Layout, key: str) -> list[str]:
    routine = layout.routine(key)
    lines: list[str] = []
    for slot in ("q", "qd", "qdd"):
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
        _function, _SOLVE, _LINEAR, _NEWTON,
        promise=f"/// {PROMISES['accelerations']}", head=_head(layout, "accelerations"),
    )  # fmt: skip
    usage = [f'Compile:  rustc -O -o {layout.name} "{layout.path.name}"', *layout.usage(f"./{layout.name}")]
    frames = f'print_numbers(to, "frames", frames({layout.called_for_frames}).iter().flatten().flatten())?;'
    types = ["type Frame = [[f64; 4]; 4];", f"type Frames = [Frame; {len(layout.bodies)}];"]
    return fill(
        _TEMPLATE,
        {
            **layout.pieces,
            "header": commented(layout.header(usage), "//"),
            "body_names": [f"const {x}: usize = {i};" for i, x in enumerate(layout.bodies)],
            "frame_types": types if layout.bodies else [],
            "parameters": _parameters(layout) if layout.has_constants else [],
            **{key: [f"{value}, // {label}" for value, label in rows] for key, rows in layout.starts.items()},
            "width": str(len(layout.columns)),
            "columns": packed((f'"{x}",' for x in layout.columns), " "),
            "prepare": _prepare(layout) if layout.has_constants else [],
            "routines": routines,
            "typed": ", constants: &Constants" if passed else "",
            "given": ", &constants" if passed else "",
            "check_frames": [frames] * bool(layout.bodies),
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
    reserved=_RESERVED,
    write=write,
    helpers=_HELPERS,
)
