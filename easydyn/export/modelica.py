"""Modelica 3: one model with the equations as they stand. The tool solves for the accelerations and integrates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from easydyn.export.expressions import COMMON, OWN, Form, Level, call, logical
from easydyn.export.layout import Language, Layout
from easydyn.export.text import by_kind, commented, fill, helpers_of, plain, sections

PARTS = sections("modelica")


_INVERSE = {"asinh": "arsinh", "acosh": "arcosh", "atanh": "artanh"}  # which the language does not have


def _text(words: str) -> str:
    """Words between quotation marks."""
    return words.replace("\\", "\\\\").replace('"', '\\"')


def _unit(unit: str, per: str = "") -> str:
    """`unit="rad/s"` where Modelica knows how to write it."""
    known = re.fullmatch(r"[A-Za-z]+" if per else r"[A-Za-z]+[A-Za-z0-9./()-]*", unit)
    return f'unit="{unit}{per}"' if known else ""


def _declared(kind: str, name: str, modifiers: Iterable[str], words: str) -> str:
    inside = ", ".join(filter(None, modifiers))
    return f'{kind} {name}{f"({inside})" if inside else ""} "{_text(words)}";'


def _unknowns(layout: Layout) -> Iterator[str]:
    for x in layout.unknowns:
        first, second = (f"start={layout.language.number(value)}, fixed=true" for value in x.start)
        kind, first, second = ("first-order state", second, "") if x.is_state else ("coordinate", first, second)
        yield _declared("Real", x.value, (_unit(x.unit), first), f"{kind} {x.name}")
        yield _declared("Real", x.rate, (_unit(x.unit, "/s"), second), f"{x.name}.dot")
        if x.acceleration is not None:
            yield _declared("Real", x.acceleration, (_unit(x.unit, "/s2"),), f"{x.name}.ddot")


def _connectors(layout: Layout) -> Iterator[str]:
    """Inputs with the values that they have where nothing is connected to them, and outputs."""
    m = layout.system.mechanism
    for kind, names, named in (("input", layout.inputs, map(str, m.inputs)), ("output", layout.outputs, m.outputs)):
        for x, name in zip(names, named, strict=True):
            start = f"start={layout.language.number(layout.inputs[x])}" if kind == "input" else ""
            yield _declared(f"{kind} Real", x, (_unit(m.units.get(name, "")), start), f"{kind} {plain(name)}")


def write(layout: Layout) -> str:
    """The whole file."""
    routine, n = layout.together(*layout.keys), len(layout.unknowns)
    seen = len(routine.results) - len(layout.outputs)
    derivatives: list[str] = []
    for x in layout.unknowns:
        derivatives += [f"der({x.value}) = {x.rate};"]
        derivatives += [f"der({x.rate}) = {x.acceleration};"] * (x.acceleration is not None)
    frames: list[str] = []
    for body, rows in layout.frame_rows(routine._replace(results=routine.results[n:seen])).items():
        frames += [f"{body} = {{", *(f"    {{{row}}}," for row in rows[:3]), f"    {{{rows[3]}}}", "};"]
    pieces = layout.pieces | {"name": layout.name}
    values = [f"parameter Real {x} = {layout.language.number(value)};" for x, value in layout.parameters.items()]
    return fill(PARTS["file"], pieces | {
        "header": commented(layout.header(fill(PARTS["usage"], pieces).splitlines()), "//"),
        "title": _text(layout.title),
        "parameters": values or ["// (there are none)"],
        "inputs": list(_connectors(layout)),
        "unknowns": list(_unknowns(layout)),
        "frames": [f'Real {body}[4, 4] "frame of {_text(name)}";' for body, name in layout.bodies.items()],
        "functions": [*PARTS["tiny"].splitlines(), "", *layout.helpers] if layout.helpers else [],
        "constants": [
            f"final parameter {'Boolean' if s.condition else 'Real'} {s.name} = {s.text};"
            for s in layout.prologue.statements
        ],
        "variables": by_kind(((s.name, s.condition) for s in routine.statements), ("Real ", "Boolean "), ";"),
        "derivatives": derivatives,
        "statements": [f"{s.name} = {s.text};" for s in routine.statements],
        "residual": [f"0 = {text};" for text in routine.results[:n]],
        "frame_equations": frames,
        "output_equations": [f"{x} = {y};" for x, y in zip(layout.outputs, routine.results[seen:], strict=True)],
    })  # fmt: skip


LANGUAGE = Language(
    name="Modelica",
    extension=".mo",
    comment="//",
    forms=COMMON
    | {op: call(name) for op, name in _INVERSE.items()}
    | OWN
    | {
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
    helpers=helpers_of(PARTS),
    time="time",
    body_prefix="frame_",
    one_scope=True,
)
