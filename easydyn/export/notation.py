"""What languages with functions have in common: a file that is made from a template and a short table.

A `Notation` says how a language writes arguments, short assignments and results. All else is in its template: `file`,
`function`, `inputs`, `parameters`, `prepare`, and `linear` and `newton` for models whose accelerations are solved for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from easydyn.export.expressions import Form, Statement
from easydyn.export.layout import ARRAYS, PROMISES, Language, Layout, Routine
from easydyn.export.text import commented, fill, helpers_of, packed

ANY_WIDTH = 10**6  # of a part of a file: lines are broken in the whole
Pairs = Iterable[tuple[str, str]]


class Notation(NamedTuple):
    """How a language with functions writes what the templates of all ask for.

    Attributes
    ----------
    parts : mapping
        The sections of its template.
    assigned : callable
        Lines that give short values to names, from the Layout and pairs of both.
    results : callable
        Lines that hand out the results of a Routine.
    statement : callable
        The line of a Statement.
    first : int
        The index of the first element of an array.
    entry, constant, given : str
        An element of an array, a constant, a parameter.
    made : tuple of str
        How `prepare` hands out one constant; what stands between several, and before them.
    value, body, start, input : str
        A parameter with its value, a body with its index; a value at the start and one of an input with its label.
    command, compiled : str
        How the program is run, and how it is compiled first, if it is.
    arguments : mapping
        How arguments are declared, by name; "" is that of the others.
    unused, idle : str
        The name of an argument that is not used; a statement that says so.
    types, zeros : mapping
        The type of the results of a function, by its name, and their first value; "" is that of the others.
    own : callable
        Further pieces of the template.
    declared : callable
        Declarations of names, of which some are true or false.
    going_on : str
        What the language wants at the end of a line that is continued.
    """

    parts: Mapping[str, str]
    assigned: Callable[[Layout, Pairs], list[str]]
    results: Callable[[Layout, Routine], list[str]]
    statement: Callable[[Statement], str]
    made: tuple[str, str, str]
    value: str
    command: str
    start: str = "{0},  // {1}"
    input: str = "u[{}] = {};  // {}"
    first: int = 0
    entry: str = "{}[{}]"
    constant: str = "constants.{}"
    given: str = "given.{}"
    body: str = ""
    compiled: str = ""
    arguments: Mapping[str, str] = {"": "{}"}
    unused: str = "{}"
    idle: str = ""
    types: Mapping[str, str] = {"": ""}
    zeros: Mapping[str, str] = {"": ""}
    own: Callable[[Layout], Mapping[str, Any]] = lambda layout: {}
    declared: Callable[[Layout, Iterable[str], Iterable[str]], list[str]] = lambda layout, names, conditions: []
    going_on: str = ""

    def language(self, name: str, extension: str, comment: str, forms: Mapping[str, Form], **more: Any) -> Language:
        """The language with this notation; reserved words and helpers are those of the template if left out."""
        more = {"number": repr, "reserved": self.parts.get("reserved"), "helpers": helpers_of(self.parts)} | more
        return Language(name, extension, comment, forms, write=self.write, **more)

    def write(self, layout: Layout) -> str:
        """The whole file."""
        parts, constants, outputs = self.parts, layout.has_constants, bool(layout.outputs)
        typed = f", {self._argument('constants')}" if constants else ""
        called = layout.name, layout.path.name
        held = [self.input.format(k, *row) for k, row in enumerate(layout.held_inputs, self.first)]
        pieces = layout.pieces | {
            "name": layout.name,
            "typed": typed, "typed_alone": typed[2:], "passed_alone": layout.passed[2:],
            "line_typed": typed if outputs else "", "line_passed": layout.passed if outputs else "",
            "usage": [self.compiled.format(*called)] * bool(self.compiled) + layout.usage(self.command.format(*called)),
            "body_names": [self.body.format(x, i) for i, x in enumerate(layout.bodies, self.first)] * bool(self.body),
            "columns": packed((f'"{x}",' for x in layout.columns), " "),
            **{key: [self.start.format(*row) for row in rows] for key, rows in layout.starts.items()},
            "run_inputs": fill(parts["inputs"], {"lines": held}).splitlines() if held else [],
        }  # fmt: skip
        width, number = max(map(len, layout.parameters), default=0), layout.language.number
        pieces["values"] = [self.value.format(x, number(value), width) for x, value in layout.parameters.items()]
        pieces |= self.own(layout)
        pieces["header"] = commented(layout.header(pieces["usage"]), layout.language.comment)
        p = layout.prologue
        prepare = {
            "taken": self.assigned(layout, ((x, self.given.format(x)) for _, _, x in p.inputs)),
            "statements": list(map(self.statement, p.statements)),
            "declared": self._declared(layout, p, [x for _, _, x in p.inputs]),
            "made": packed((self.made[0].format(x) for x in p.results), *self.made[1:]),
        }
        for part in ("parameters", "prepare"):
            pieces[part] = self._part(part, pieces | prepare) if constants else []
        pieces["routines"] = [x for key in layout.keys for x in self._function(layout, key, pieces)]
        if layout.solution != "unrolled":
            arguments = {"typed_arguments": self._arguments(layout, "accelerations")}
            solved = self._part(layout.solution, pieces | arguments | {"promise": PROMISES["accelerations"]})
            pieces["routines"] += [*parts.get("solve", "").splitlines(), "", *solved, ""]
        return fill(parts["file"], pieces, going_on=self.going_on)

    def taken(self, layout: Layout, routine: Routine) -> list[str]:
        """The names that a function uses, from its arguments."""
        found: list[str] = []
        for slot in ARRAYS:
            inputs = [(x, self.entry.format(slot, j + self.first)) for s, j, x in routine.inputs if s == slot]
            found += self.assigned(layout, inputs)
        return found + self.assigned(layout, ((x, self.constant.format(x)) for x in routine.constants))

    def _part(self, name: str, pieces: dict[str, Any]) -> list[str]:
        return fill(self.parts[name], pieces, width=ANY_WIDTH).splitlines()

    def _argument(self, name: str, shown: str | None = None) -> str:
        return self.arguments.get(name, self.arguments[""]).format(shown or name)

    def _arguments(self, layout: Layout, key: str, idle: Iterable[str] = ()) -> str:
        names = [*layout.arguments(key), *["constants"] * layout.has_constants]
        return ", ".join(self._argument(x, self.unused.format(x) if x in idle else x) for x in names)

    def _declared(self, layout: Layout, routine: Routine, names: Iterable[str]) -> list[str]:
        made = routine.statements
        return self.declared(layout, [*names, *(s.name for s in made)], [s.name for s in made if s.condition])

    def _function(self, layout: Layout, key: str, pieces: dict[str, Any]) -> list[str]:
        routine, idle = layout.routine(key), layout.idle(layout.routine(key))
        count = len(layout.outputs if key == "outputs" else layout.unknowns)
        return self._part("function", pieces | {
            "promise": PROMISES[key],
            "key": key,
            "arguments": layout.called(key),
            "typed_arguments": self._arguments(layout, key, idle),
            "sizes": ", ".join(map(self._argument, layout.arguments(key))),
            "type": self.types.get(key, self.types[""]),
            "zero": self.zeros.get(key, self.zeros[""]).format(count, len(layout.bodies)),
            "idle": packed((self.idle.format(x) for x in idle if self.idle), " "),
            "declared": self._declared(layout, routine, [*(x for _, _, x in routine.inputs), *routine.constants]),
            "taken": self.taken(layout, routine),
            "statements": list(map(self.statement, routine.statements)),
            "results": self.results(layout, routine),
        })  # fmt: skip


def elements(
    form: str, frame: tuple[str, str, str], first: int = 0, between: str = ", "
) -> Callable[[Layout, Routine], list[str]]:
    """What writes results one by one, `out[0] = ...` in a language where `form` is "out[{}] = {}".

    A `frame` has a line before its four rows, that of a row, and one behind them; "" is none. They may name the `body`,
    its index `n`, the `row` and its index `i`.
    """

    def lines(layout: Layout, routine: Routine) -> list[str]:
        if routine.name == "frames":
            opening, row, closing = frame
            found = []
            for n, (body, rows) in enumerate(layout.frame_rows(routine).items(), first):
                inside = [row.format(body=body, n=n, i=i, row=text) for i, text in enumerate(rows, first)]
                found += [opening.format(body=body, n=n), *inside, closing.format(body=body, n=n)]
            return [line for line in found if line]
        indices = range(first, first + len(layout.outputs if routine.name == "outputs" else layout.unknowns))
        square = routine.name == "mass_matrix"
        places = [f"{i}{between}{j}" for i in indices for j in indices] if square else list(map(str, indices))
        return [form.format(place, text) for place, text in zip(places, routine.results, strict=True)]

    return lines
