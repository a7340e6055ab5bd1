"""A language of export from outside, in one file: Python with nothing but `math`, the equations alone."""

from easydyn.export.expressions import COMMON, Form, Level, call, infix, logical
from easydyn.export.layout import Language, Layout
from easydyn.export.text import commented

FORMS = COMMON | {
    "and": logical(" and "),
    "or": logical(" or "),
    "not": Form("not {}", Level.COMPARISON, (Level.ATOM,)),
    "select": Form("({1} if {0} else {2})", Level.ATOM, (Level.ANY, Level.ANY, Level.ANY)),
    "min": call("min", 2),
    "max": call("max", 2),
    "mod": infix(" % ", Level.PRODUCT),
    "sign": Form("(({0} > 0) - ({0} < 0))", Level.ATOM, (Level.ATOM,)),
}


def function(layout: Layout, key: str) -> list[str]:
    routine = layout.routine(key)
    lines = [f"{name} = {slot}[{j}]" for slot, j, name in routine.inputs]
    lines += [f"{name} = constants[{name!r}]" for name in routine.constants]
    lines += [f"{s.name} = {s.text}" for s in routine.statements]
    lines += [f"return [{', '.join(routine.results)}]"]
    return [f"def {key}({', '.join(layout.arguments(key))}{layout.passed}):", *(f"    {x}" for x in lines), ""]


def write(layout: Layout) -> str:
    first = layout.prologue
    names = ", ".join(f"{x!r}: {x}" for x in first.results)
    lines = [*commented(layout.header([]), "#"), "from math import *", ""]
    lines += [f"parameters = {layout.parameters!r}", "", "", "def prepare(given):"]
    lines += [f"    {name} = given[{name!r}]" for _, _, name in first.inputs]
    lines += [f"    {s.name} = {s.text}" for s in first.statements]
    lines += [f"    return {{{names}}}", "", ""]
    return "\n".join([*lines, *function(layout, "residual"), "", *function(layout, "frames")]) + "\n"


PYTHON = Language(
    "Python", ".py", "#", FORMS, repr,
    "False None True and as assert async await break class constants continue def del elif else except finally for "
    "from global given if import in is lambda nonlocal not or parameters pass prepare q qd qdd raise return try while "
    "with",
    write,
)  # fmt: skip
