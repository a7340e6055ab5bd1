"""Contents of a file in any language: names, values, programs as statements, and the solution for accelerations.

A `Language` is a small description with a function that writes files; a `Layout` holds all that it needs of the model.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from easydyn import __version__
from easydyn.engine.graph import Node
from easydyn.engine.program import Program
from easydyn.engine.system import CompiledSystem
from easydyn.engine.targets import uses
from easydyn.errors import ModelError
from easydyn.export.expressions import Form, Printer, Statement, guards_of
from easydyn.export.text import Names, plain

PROMISES = {
    "residual": "The residual f(t, q, qd, qdd) = M qdd + h: what a motion would still need; zero when it is true.",
    "mass_matrix": "The mass matrix M: the derivatives of the residual with respect to qdd.",
    "bias": "The residual without accelerations, h.",
    "accelerations": "The accelerations qdd for which the residual is zero.",
    "frames": "The 4x4 matrices of all bodies: rotation R and position e of the frame, ground components, (R e; 0 1).",
    "outputs": "The outputs of the model.",
}
ARRAYS = ("q", "qd", "qdd", "u")


@dataclass(frozen=True)
class Language:
    """A language: how it writes numbers, formulas, names, and whole files.

    Attributes
    ----------
    name, extension : str
    comment : str
        The characters that begin a comment.
    forms : mapping from operation to Form
    number : callable
        A finite number as a literal of type double.
    reserved : str
        Words that the language, or the file itself, needs; names of the model must not use them.
    write : callable
        A function that makes the text of the file from a Layout.
    helpers : mapping from operation to text
        A small function that the file needs if the operation is in it.
    time : str
        The name of time.
    body_prefix : str
        The prefix of the names of bodies.
    fold_case : bool
        Capital and small letters are the same.
    one_scope : bool
        True: there are no functions, all variables are in one scope, and only the residual is needed.
    """

    name: str
    extension: str
    comment: str
    forms: Mapping[str, Form]
    number: Callable[[float], str]
    reserved: str
    write: Callable[[Layout], str]
    helpers: Mapping[str, str] = field(default_factory=dict)
    time: str = "t"
    body_prefix: str = "body_"
    fold_case: bool = False
    one_scope: bool = False

    @property
    def words(self) -> set[str]:
        """All words that are forbidden as names of the model."""
        functions = (re.match(r"\w+", form.text) for form in self.forms.values())
        return {*self.reserved.split(), *(word[0] for word in functions if word)}


class Unknown(NamedTuple):
    """A coordinate or a first-order state: its names in the model and in the file, its unit, its value at the start."""

    name: str
    value: str  # identifiers: of itself, of its derivatives; a state has no second one
    rate: str
    acceleration: str | None
    unit: str
    start: tuple[float, float]  # q and qd

    @property
    def is_state(self) -> bool:
        """True for a first-order state, which stands in qd."""
        return self.acceleration is None

    def label(self, rate: bool = False) -> str:
        """ "q1.dot (rad/s)"."""
        unit = f"{self.unit}/s" if self.unit and rate else self.unit
        return f"{self.name}{'.dot' if rate else ''}{f' ({plain(unit)})' if unit else ''}"


class Routine(NamedTuple):
    """A function of the file: what it takes, statements, results."""

    name: str
    inputs: tuple[tuple[str, int, str], ...]  # slot (q, qd, qdd, u), index, identifier
    constants: tuple[str, ...]
    statements: tuple[Statement, ...]
    results: tuple[str, ...]
    slots: frozenset[str]  # of t, q, qd, qdd, u


@dataclass(frozen=True)
class Settings:
    """Settings of the program in the file: from 0 to `t_final` in steps of `step`, a line every `save_every` (s)."""

    t_final: float
    step: float
    save_every: float


class Layout:
    """A model with its numbers, ready to be written in a language."""

    def __init__(
        self, system: CompiledSystem, start: tuple[Any, Any], settings: Settings, language: Language, path: Path
    ):
        m = system.mechanism
        self.system, self.settings, self.language, self.path = system, settings, language, path
        self.title = plain(m.name)
        self.names = names = Names(language.words, language.fold_case)
        values = {s: names.give(f"coordinate {s}", str(s)) for s in m.coordinates}
        values |= {s: names.give(f"state {s}", str(s)) for s in m.states}
        self.parameters = {names.give(f"parameter {p}", str(p)): system.parameters[str(p)] for p in m.parameters}
        self.inputs = {names.give(f"input {u}", str(u)): system.inputs[str(u)] for u in m.inputs}
        self.outputs = {names.give(f"output {x}", x) if language.one_scope else x: self._about(x) for x in m.outputs}
        self.unknowns = [
            Unknown(
                str(s), values[s], names.give(f"rate {s}.dot", f"{s}.dot", f"{s}_dot"),
                names.give(f"acceleration {s}.ddot", f"{s}.ddot", f"{s}_ddot") if s in m.coordinates else None,
                m.units.get(str(s), ""), (float(start[0][j]), float(start[1][j])),
            )  # fmt: skip
            for j, s in enumerate(m.unknowns)
        ]
        self.bodies = {
            names.give(f"body {plain(b.name)}", b.name, language.body_prefix + _body(b.name)): plain(b.name)
            for b in m.bodies
        }
        self.name = names.give(f"model {self.title}", m.name, _body(m.name))
        self._prefixes = names.prefix("v", "u", "local"), names.prefix("c", "k", "constant"), names.prefix("w", "work")
        self._check_constants()

    def _check_constants(self) -> None:
        for node in self._all.nodes:
            if node.op == "const" and not math.isfinite(node.value):
                raise ModelError(
                    f"model '{self.system.mechanism.name}': a constant of its equations is {node.value}, which cannot "
                    f"be written in {self.language.name}. Look for numbers that are too large."
                )

    # -- how accelerations are found ------------------------------------------------------------------------------

    @cached_property
    def solution(self) -> str:
        """ "unrolled": straight-line code; "linear": M x = h at every call; "newton": M depends on more than t, q."""
        if _slots(self.program("mass_matrix")) & {"qd", "qdd"}:
            return "newton"
        return "unrolled" if self.system.explicit_accelerations else "linear"

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The programs that stand in the file, in their order."""
        found = ["residual"]
        if not self.language.one_scope:
            found += ["mass_matrix"] + {"unrolled": ["accelerations"], "linear": ["bias"], "newton": []}[self.solution]
        return (*found, *["frames"] * bool(self.bodies), *["outputs"] * bool(self.outputs))

    # -- programs -------------------------------------------------------------------------------------------------

    @cached_property
    def _all(self) -> Program:
        """All programs as one: they stand on one graph, so that what depends on parameters alone is shared."""
        return Program("all", [x for key in self.keys for x in self.program(key).outputs])

    def program(self, key: Any) -> Program:
        """One of the programs, in which inputs do not change by themselves: they have no slopes."""
        system = self.system
        outputs = key == "outputs"
        found = system.program(tuple(map(system.node, system.mechanism.outputs.values())) if outputs else key)
        g, n = system.derivation.graph, len(system.mechanism.inputs)
        still = {g.input("u", n + k): g.zero for k in range(2 * n)}
        return Program("outputs" if outputs else found.name, g.substitute(found.outputs, still) if n else found.outputs)

    @staticmethod
    def kept(program: Program) -> list[Node]:
        """What a function takes from the prologue."""
        return [n for n in program.constants if n.fixed]

    @property
    def operations(self) -> set[str]:
        """The operations in the file."""
        return {node.op for node in self._all.nodes}

    @property
    def helpers(self) -> list[str]:
        """The lines of the small functions that the operations need."""
        texts = dict.fromkeys(text for op, text in self.language.helpers.items() if op in self.operations)
        return "\n".join(texts).splitlines()

    @cached_property
    def _inputs(self) -> dict[tuple[str, int], str]:
        found = {("t", 0): self.language.time}
        found |= {("p", k): name for k, name in enumerate(self.parameters)}
        found |= {("u", k): name for k, name in enumerate(self.inputs)}
        for j, x in enumerate(self.unknowns):
            if x.acceleration is None:
                found |= {("qd", j): x.value, ("qdd", j): x.rate}
            else:
                found |= {("q", j): x.value, ("qd", j): x.rate, ("qdd", j): x.acceleration}
        return found

    @cached_property
    def _constants(self) -> dict[int, str]:
        """Names of what depends on parameters alone and is used by more than the prologue: index of node to name."""
        wanted = {n.index for key in self.keys for n in self.kept(self.program(key))}
        inputs = {n.index: self._inputs[n.value] for n in self._all.nodes if n.op == "input" and n.index in wanted}
        made = (n for n in self._all.prologue if n.index in wanted)
        return inputs | {n.index: f"{self._prefixes[1]}{k}" for k, n in enumerate(made, start=1)}

    @cached_property
    def prologue(self) -> Routine:
        """Statements done once for a set of parameters; `results` are the names that the other functions use."""
        nodes = self._all.prologue
        inputs = {n.index: self._inputs[n.value] for n in self._all.nodes if n.op == "input" and n.fixed}
        printer = Printer(self.language.forms, self.language.number, inputs)
        prefix = self._prefixes[2 if self.language.one_scope else 0]
        statements = printer.statements(nodes, uses(nodes), self._constants, prefix)
        parameters = [name for name in self.parameters if name in inputs.values()]
        used = words_of(s.text for s in statements)
        return Routine(
            "prepare",
            tuple(("p", k, name) for k, name in enumerate(parameters) if name in used | set(self._constants.values())),
            (),
            tuple(statements),
            tuple(self._constants.values()),
            frozenset(),
        )

    @cached_property
    def conditions(self) -> frozenset[str]:
        """Names of the constants that are true or false."""
        return frozenset(s.name for s in self.prologue.statements if s.condition)

    def routine(self, key: str) -> Routine:
        """The statements of a program, with its results as formulas."""
        return self._routine(self.program(key))

    def _routine(self, program: Program) -> Routine:
        inputs: list[Node] = [n for n in program.nodes if n.op == "input" and not n.fixed]
        names = {n.index: self._inputs[n.value] for n in inputs} | self._constants
        kept = {n.index for n in self.kept(program)}
        printer = Printer(self.language.forms, self.language.number, names)
        counts = uses(program.nodes, program.outputs)
        if self.language.one_scope:  # no NaN: a root that a Piecewise does not ask for must not be worked out
            ordered, guards = guards_of(program.nodes, program.outputs)
            body = [n for n in ordered if not n.fixed and n.op != "input"]
            statements = printer.statements(body, counts, {}, self._prefixes[0], guards)
        else:
            statements = printer.statements(program.body, counts, {}, self._prefixes[0])
        return Routine(
            program.name,
            tuple((*n.value, names[n.index]) for n in inputs if n.value[0] != "t" and n.index not in kept),
            tuple(self._constants[n.index] for n in self.kept(program)),
            tuple(statements), tuple(map(printer.text, program.outputs)), _slots(program),
        )  # fmt: skip

    def together(self, *keys: str) -> Routine:
        """Several programs as one list of statements, their results one after the other."""
        return self._routine(Program("together", [x for key in keys for x in self.program(key).outputs]))

    def frame_rows(self, routine: Routine) -> dict[str, list[str]]:
        """The results of `frames`: four rows of four formulas for each body, separated by commas."""
        rows = [", ".join(routine.results[k : k + 4]) for k in range(0, len(routine.results), 4)]
        return {body: rows[4 * i : 4 * i + 4] for i, body in enumerate(self.bodies)}

    def arguments(self, key: str) -> tuple[str, ...]:
        """The arguments of a function of the file: t, q, qd, qdd, as far as it depends on them, and inputs u."""
        states = bool(self.system.mechanism.drives)  # which stand in qd
        found = {"residual": 4, "mass_matrix": 4 if self.solution == "newton" else 2, "frames": 3 if states else 2}
        return (*("t", "q", "qd", "qdd")[: found.get(key, 4 if key == "outputs" else 3)], *["u"] * bool(self.inputs))

    def called(self, key: str) -> str:
        """What a call of a function has in its brackets."""
        return ", ".join(self.arguments(key)) + self.passed

    @property
    def has_constants(self) -> bool:
        """True when the equations depend on parameters: all functions are then given `constants`."""
        return bool(self.prologue.results)

    @property
    def coordinates(self) -> int:
        """The number of coordinates among the unknowns; states come after them."""
        return sum(not x.is_state for x in self.unknowns)

    @property
    def starts(self) -> dict[str, list[tuple[str, str]]]:
        """Values at the start as literals, each with what it is: of q, and of qd."""
        number = self.language.number
        q = [(number(x.start[0]), f"{x.name}: without meaning" if x.is_state else x.label()) for x in self.unknowns]
        qd = [(number(x.start[1]), x.label(rate=not x.is_state)) for x in self.unknowns]
        return {"initial_q": q, "initial_qd": qd}

    def usage(self, command: str) -> list[str]:
        """How the compiled program is run."""
        return [
            f"Run:      {command} > motion.csv",
            f"Check:    {command} check < states.txt",
            "The first integrates the motion and prints a table. The second reads the numbers t, q, qd, qdd of states,",
            "one state a line, and prints residual, mass matrix, accelerations and frames.",
        ]

    @property
    def pieces(self) -> dict[str, Any]:
        """What the templates of all languages with functions ask for in the same words."""
        number, settings = self.language.number, self.settings
        return {
            "unknowns": len(self.unknowns),
            "coordinates": self.coordinates,
            "t_final": number(settings.t_final),
            "step": number(settings.step),
            "save_every": number(settings.save_every),
            "helpers": self.helpers,
            "passed": self.passed,
            "also": self.also,
            "mass_arguments": ", ".join(self.arguments("mass_matrix")),
            "inputs": len(self.inputs),
            "outputs": len(self.outputs),
            "bodies": len(self.bodies),
            "constants": self.has_constants,
            "and_u": ", u" * bool(self.inputs),
            "is_solved": self.solution != "unrolled",
            "called_for_frames": self.called("frames"),
            "called_for_outputs": self.called("outputs"),
        }

    @property
    def also(self) -> str:
        """What a call has after the state: inputs, constants."""
        return ", u" * bool(self.inputs) + self.passed

    @property
    def passed(self) -> str:
        """What a call has at its end: the constants, if the equations depend on parameters."""
        return ", constants" if self.has_constants else ""

    def idle(self, routine: Routine) -> tuple[str, ...]:
        """The arguments that a function is given and does not use."""
        found = [x for x in self.arguments(routine.name) if x not in routine.slots]
        return (*found, "constants") if self.has_constants and not routine.constants else tuple(found)

    # -- words ----------------------------------------------------------------------------------------------------

    @property
    def columns(self) -> list[str]:
        """The heading of the table: time, unknowns, rates of coordinates."""
        rates = [f"{x.name}.dot" for x in self.unknowns if not x.is_state]
        return ["t", *(x.name for x in self.unknowns), *rates, *map(plain, self.system.mechanism.outputs)]

    def _about(self, name: str) -> str:
        """ "torque (N m)"."""
        unit = self.system.mechanism.units.get(name, "")
        return plain(f"{name} ({unit})" if unit else name)

    @property
    def held_inputs(self) -> list[tuple[str, str]]:
        """The values that inputs have in a run, as literals, each with what it is."""
        names = map(str, self.system.mechanism.inputs)
        return [(self.language.number(x), self._about(u)) for x, u in zip(self.inputs.values(), names, strict=True)]

    def header(self, usage: Sequence[str]) -> list[str]:
        """The comment at the top: contents, usage, meaning of the names, and names that had to change."""
        lines = [
            f"{self.title}: equations of motion.",
            f"Written by easydyn {__version__}. SI units (m, kg, s, N), angles in radians.",
            "",
            *usage,
        ]
        if not self.language.one_scope:
            lines += ["", *self._contents()]
        if self.names.changed:
            lines += ["", "Names that had to change:", *(f"    {what}: {name}" for what, name in self.names.changed)]
        return lines

    def _contents(self) -> list[str]:
        width = max(len(x.value) for x in self.unknowns)
        kinds = {True: ", first-order state", False: ""}
        lines = ["Unknowns, in the order of q, qd, qdd; the derivatives of x are called x_dot and x_ddot:"]
        lines += [f"    {x.value:<{width}}  {x.label()}{kinds[x.is_state]}" for x in self.unknowns]
        if any(x.is_state for x in self.unknowns):
            lines += ["A first-order state stands in qd, its derivative in qdd; its column of q has no meaning."]
        if self.inputs:
            lines += ["Inputs, in the order of u:", *(f"    {about}" for _, about in self.held_inputs)]
        if self.outputs:
            lines += ["Outputs, in the order of outputs:", *(f"    {about}" for about in self.outputs.values())]
        if self.bodies:
            lines += ["Bodies, in the order of frames:", *(f"    {name}" for name in self.bodies.values())]
        return lines


def _body(name: str) -> str:
    return re.sub(r"\s+", "_", name.strip())


def _slots(program: Program) -> frozenset[str]:
    return frozenset(n.value[0] for n in program.nodes if n.op == "input" and not n.fixed)


def words_of(texts: Iterable[str]) -> set[str]:
    """The identifiers in formulas."""
    return {word for text in texts for word in re.findall(r"\w+", text)}
