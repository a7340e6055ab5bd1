"""Modelica 3: one model with the equations as they stand. The tool solves for the accelerations and integrates."""

from __future__ import annotations

import re

from easydyn.export.expressions import COMMON, Form, Level, Statement, call, logical
from easydyn.export.layout import Language, Layout, Routine
from easydyn.export.text import commented, fill, packed, plain, sections

PARTS = sections("modelica")


_INVERSE = {
    "asinh": ("arsinh", "inverse of sinh", "sign(x)*log1p(abs(x) + x*x/(1 + sqrt(x*x + 1)))"),
    "acosh": ("arcosh", "inverse of cosh", "log1p((x - 1) + sqrt((x - 1)*(x + 1)))"),
    "atanh": ("artanh", "inverse of tanh", "0.5*log1p(2*x/(1 - x))"),
}  # which the language does not have


def _functions(layout: Layout) -> list[str]:
    needed = [_INVERSE[op] for op in _INVERSE if op in layout.operations]
    lines = PARTS["tiny"].splitlines() + [""] if needed else []
    for name, explained, formula in needed:
        lines += [
            f'function {name} "{explained}"', "    input Real x;", "    output Real y;", "algorithm",
            f"    y := {formula};", f"end {name};", "",
        ]  # fmt: skip
    return lines


def _text(words: str) -> str:
    """Words between quotation marks."""
    return words.replace("\\", "\\\\").replace('"', '\\"')


def _unit(unit: str, per: str = "") -> str:
    """`unit="rad/s"` where Modelica knows how to write it."""
    known = re.fullmatch(r"[A-Za-z]+" if per else r"[A-Za-z]+[A-Za-z0-9./()-]*", unit)
    return f'unit="{unit}{per}"' if known else ""


def _unknowns(layout: Layout) -> list[str]:
    number = layout.language.number
    lines: list[str] = []
    for x in layout.unknowns:
        first, second = x.start[1 if x.is_state else 0], x.start[1]
        start = [f"start={number(value)}, fixed=true" for value in (first, second)]
        kind = "first-order state" if x.is_state else "coordinate"
        declared = [(x.value, _unit(x.unit), start[0], f"{kind} {x.name}")]
        declared += [(x.rate, _unit(x.unit, "/s"), "" if x.is_state else start[1], f"{x.name}.dot")]
        if x.acceleration is not None:
            declared += [(x.acceleration, _unit(x.unit, "/s2"), "", f"{x.name}.ddot")]
        for name, unit, value, words in declared:
            modifiers = ", ".join(part for part in (unit, value) if part)
            lines.append(f'Real {name}{f"({modifiers})" if modifiers else ""} "{_text(words)}";')
    return lines


def _connectors(layout: Layout) -> list[str]:
    """Inputs with the values that they have where nothing is connected to them, and outputs."""
    m, number = layout.system.mechanism, layout.language.number
    lines = []
    for kind, names, named in (("input", layout.inputs, map(str, m.inputs)), ("output", layout.outputs, m.outputs)):
        for x, name in zip(names, named, strict=True):
            start = f"start={number(layout.inputs[x])}" if kind == "input" else ""
            modifiers = ", ".join(part for part in (_unit(m.units.get(name, "")), start) if part)
            lines.append(f'{kind} Real {x}{f"({modifiers})" if modifiers else ""} "{kind} {_text(plain(name))}";')
    return lines


def _constant(statement: Statement) -> str:
    return f"final parameter {'Boolean' if statement.condition else 'Real'} {statement.name} = {statement.text};"


def _variables(routine: Routine) -> list[str]:
    found: list[str] = []
    for kind, condition in (("Real ", False), ("Boolean ", True)):
        found += packed((s.name for s in routine.statements if s.condition == condition), ", ", kind, ";")
    return found


def write(layout: Layout) -> str:
    """The whole file."""
    number = layout.language.number
    routine = layout.together(*layout.keys)
    derivatives: list[str] = []
    for x in layout.unknowns:
        derivatives += [f"der({x.value}) = {x.rate};"]
        derivatives += [f"der({x.rate}) = {x.acceleration};"] * (x.acceleration is not None)
    n = len(layout.unknowns)
    seen = len(routine.results) - len(layout.outputs)
    frame_equations: list[str] = []
    for body, rows in layout.frame_rows(routine._replace(results=routine.results[n:seen])).items():
        frame_equations += [f"{body} = {{", *(f"    {{{row}}}," for row in rows[:3]), f"    {{{rows[3]}}}", "};"]
    usage = [
        f'Open it in OpenModelica, Dymola or another tool for Modelica, and simulate "{layout.name}".',
        "There are no functions: residual, mass matrix and accelerations are the tool's own work.",
    ]
    return fill(
        PARTS["file"],
        {
            "header": commented(layout.header(usage), "//"),
            "name": layout.name,
            "title": _text(layout.title),
            "parameters": [
                f"parameter Real {x} = {number(value)};" for x, value in layout.parameters.items()
            ] or ["// (there are none)"],
            "inputs": _connectors(layout),
            "unknowns": _unknowns(layout),
            "frames": [
                f'Real {body}[4, 4] "frame of {_text(name)}";' for body, name in layout.bodies.items()
            ],
            "functions": _functions(layout),
            "constants": [_constant(s) for s in layout.prologue.statements],
            "variables": _variables(routine),
            "derivatives": derivatives,
            "statements": [f"{s.name} = {s.text};" for s in routine.statements],
            "residual": [f"0 = {text};" for text in routine.results[:n]],
            "frame_equations": frame_equations,
            "output_equations": [
                f"{x} = {text};" for x, text in zip(layout.outputs, routine.results[seen:], strict=True)
            ],
            "t_final": number(layout.settings.t_final),
            "save_every": number(layout.settings.save_every),
        },
    )  # fmt: skip


LANGUAGE = Language(
    name="Modelica",
    extension=".mo",
    comment="//",
    forms=COMMON
    | {op: call(name) for op, (name, _, _) in _INVERSE.items()}
    | {
        "min": call("min", 2),
        "max": call("max", 2),
        "mod": call("mod", 2),
        "pow": Form("{}^{}", Level.POWER, (Level.ATOM, Level.ATOM)),
        # equality of real numbers is only allowed in functions
        "eq": Form("{0} <= {1} and {0} >= {1}", Level.LOGIC, (Level.SIGN, Level.SIGN)),
        "and": logical(" and "),
        "or": logical(" or "),
        "not": Form("not {}", Level.COMPARISON, (Level.ATOM,)),
        "select": Form("if {} then {} else {}", Level.CHOICE, (Level.LOGIC, Level.SIGN, Level.SIGN)),
    },
    number=repr,
    reserved=PARTS["reserved"],
    write=write,
    time="time",
    body_prefix="frame_",
    one_scope=True,
)
