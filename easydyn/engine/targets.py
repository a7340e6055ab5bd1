"""Targets that evaluate a program: Python source for one state at a time, NumPy source for many at once, JAX.

All are printed from the same program. The source is compiled by Python from our own text only: names are v0, v1, ...,
never a word of the user's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from easydyn.engine.graph import BINARY, UNARY, Node
from easydyn.engine.program import INFIX, PYTHON, SLOTS, Program
from easydyn.errors import InputError, MissingDependencyError
from easydyn.files import package
from easydyn.inputs import among
from easydyn.native.machine import available

NUMPY = INFIX | {op: f"{op}({{}})" for op in UNARY} | {
    "lt": "{} < {}", "le": "{} <= {}", "eq": "{} == {}", "and": "logical_and({}, {})", "or": "logical_or({}, {})",
    "not": "logical_not({})", "select": "where({}, {}, {})", "mod": "mod({}, {})", "min": "minimum({}, {})",
    "max": "maximum({}, {})", "pow": "power({}, {})", "asin": "arcsin({})", "acos": "arccos({})",
    "atan": "arctan({})", "atan2": "arctan2({}, {})", "asinh": "arcsinh({})", "acosh": "arccosh({})",
    "atanh": "arctanh({})",
}  # fmt: skip
NUMPY_WORDS = ("inf", *(form.partition("(")[0] for form in NUMPY.values() if "(" in form))  # what stands in it
_INLINE_DEPTH = 8  # single-use operations are written inside the formula that uses them, so deep and no deeper

Function = Callable[..., list[Any]]


class _Printer:
    """Assignments of a list of nodes; nodes used once are written in place."""

    def __init__(self, formats: dict[str, str], names: dict[int, str]):
        self.formats = formats
        self.names = dict(names)
        self._depth: dict[int, int] = {}

    def reference(self, node: Node) -> str:
        if node.op == "const":
            return repr(node.value) if node.value >= 0 else f"({node.value!r})"
        return self.names[node.index]

    def expression(self, node: Node) -> str:
        return self.formats.get(node.op, node.op + "({})").format(*map(self.reference, node.args))

    def assignments(self, nodes: Iterable[Node], uses: dict[int, int], kept: set[int]) -> Iterable[str]:
        for node in nodes:
            depth = 1 + max((self._depth.get(a.index, 0) for a in node.args), default=0)
            text = self.expression(node)
            if uses[node.index] == 1 and node.index not in kept and depth < _INLINE_DEPTH:
                self.names[node.index] = f"({text})" if " " in text or "*" in text or "/" in text else text
                if text.startswith("-"):
                    self.names[node.index] = f"({text})"
                self._depth[node.index] = depth
            else:
                self.names[node.index] = f"v{node.index}"
                yield f"v{node.index} = {text}"


def uses(nodes: Iterable[Node], outputs: Iterable[Node] = ()) -> dict[int, int]:
    """How often each node is an argument of one of the nodes, or an output, by its index."""
    found: dict[int, int] = {}
    for node in nodes:
        found.setdefault(node.index, 0)
        for a in node.args:
            found[a.index] = found.get(a.index, 0) + 1
    for node in outputs:
        found[node.index] = found.get(node.index, 0) + 1
    return found


def _lines(program: Program, formats: dict[str, str], gather: str) -> tuple[list[str], list[str]]:
    """Bodies of the functions prologue(p, u) and evaluate(t, q, qd, qdd, c)."""
    counts = uses(program.nodes, program.outputs)
    inputs = [n for n in program.nodes if n.op == "input"]
    name = {n.index: f"{n.value[0]}{n.value[1]}" if n.value[0] != "t" else "t" for n in inputs}
    printer = _Printer(formats, name)
    constants = program.constants
    prologue = [f"{name[n.index]} = {n.value[0]}[{n.value[1]}]" for n in inputs if n.value[0] in ("p", "u")]
    prologue += printer.assignments(program.prologue, counts, {n.index for n in constants})
    prologue.append(f"return [{', '.join(printer.reference(n) for n in constants)}]")

    printer = _Printer(formats, name)
    for n in constants:
        printer.names[n.index] = f"c{n.index}"
    body = []
    if constants:
        body.append(f"[{', '.join(printer.reference(n) for n in constants)}] = c")
    body += [f"{name[n.index]} = {gather.format(*n.value)}" for n in inputs if n.value[0] in ("q", "qd", "qdd")]
    body += printer.assignments(program.body, counts, set())
    body.append(f"return [{', '.join(printer.reference(n) for n in program.outputs)}]")
    return prologue, body


def source(program: Program, formats: dict[str, str], gather: str) -> str:
    """Source text of prologue(p, u) and evaluate(t, q, qd, qdd, c)."""
    prologue, body = _lines(program, formats, gather)
    heads = "def prologue(p, u=()):", f"\ndef evaluate({', '.join(SLOTS[:4])}, c):"
    return "\n    ".join([heads[0], *prologue]) + "\n" + "\n    ".join([heads[1], *body])


def functions_in(program: Program, formats: dict[str, str], gather: str, words: dict[str, Any]) -> tuple[Any, Any]:
    """(prologue, evaluate) of a program in a notation of Python's, whose functions are given by name."""
    namespace = dict(words)
    exec(compile(source(program, formats, gather), f"<easydyn program {program.name}>", "exec"), namespace)
    return namespace["prologue"], namespace["evaluate"]


def python_functions(program: Program) -> tuple[Function, Function]:
    """(prologue, evaluate) in plain Python: lists of floats in, a list of floats out."""
    return functions_in(program, PYTHON, "{}[{}]", UNARY | BINARY | {"inf": math.inf})


def python_prologue(program: Program) -> Function:
    """The prologue alone, in plain Python."""
    return python_functions(replace(program, outputs=program.constants))[0]


def numpy_functions(program: Program) -> tuple[Function, Function]:
    """(prologue, evaluate) in NumPy: arrays whose last axis is the coordinate, a list of arrays out."""
    return functions_in(program, NUMPY, "{}[..., {}]", {name: getattr(np, name) for name in NUMPY_WORDS})


def jax_here() -> Any:
    """The module jax; MissingDependencyError if it is not installed."""
    return package("jax", 'target="jax"', '"easydyn[jax]"')


def with_64_bits(jax: Any) -> Any:
    """A context in which JAX computes with 64 bits; outside of it nothing changes."""
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    return jax.experimental.enable_x64()  # before JAX 0.8


def jax_functions(program: Program) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """(prologue, evaluate) in jax.numpy, of states (n, ...): lists of scalars, each (...), in and out."""
    jnp = jax_here().numpy
    space = {name: getattr(jnp, name) for name in NUMPY_WORDS}
    prologue, evaluate = functions_in(program, NUMPY, "{}[{}]", space)

    def constants(p: Any, u: Any = ()) -> list[Any]:
        return prologue([jnp.asarray(x, dtype=float) for x in p], [jnp.asarray(x, dtype=float) for x in u])

    def outputs(t: Any, q: Any, qd: Any, qdd: Any, c: Any) -> Any:
        lanes = jnp.shape(q)[1:]
        found = [jnp.asarray(x, dtype=float) for x in evaluate(t, q, qd, qdd, c)]
        return jnp.stack([jnp.broadcast_to(x, lanes) for x in found]) if found else jnp.zeros((0, *lanes))

    return constants, outputs


def jitted(program: Program) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The same compiled, with arrays of NumPy in and out: states (..., n), all of them at once."""
    jax, prologue = jax_here(), python_prologue(program)
    _, evaluate = jax_functions(program)

    def turned(t: Any, q: Any, qd: Any, qdd: Any, c: Any) -> Any:
        first = (jax.numpy.moveaxis(x, -1, 0) for x in (q, qd, qdd))
        return jax.numpy.moveaxis(evaluate(t, *first, list(c)), 0, -1)

    compiled = jax.jit(turned)

    def constants(p: Any, u: Any = ()) -> np.ndarray:
        return np.array(prologue(p, u), dtype=float)

    def outputs(t: Any, q: Any, qd: Any, qdd: Any, c: Any) -> np.ndarray:
        with with_64_bits(jax):
            return np.array(compiled(*(np.asarray(x, dtype=float) for x in (t, q, qd, qdd, c))))

    return constants, outputs


# -- the choice ------------------------------------------------------------------------------------------------------

TARGETS = ("auto", "native", "numpy", "python", "jax")


@dataclass(frozen=True)
class Target:
    """A user-defined target, for every argument `target=`: another arithmetic, another library.

    Attributes
    ----------
    name : str
        What it is called.
    functions : callable
        A function that makes (prologue, evaluate) of a Program. The prologue computes constants from parameters and
        inputs; evaluate(t, q, qd, qdd, constants) returns the outputs of the program. `source` writes both in Python,
        in any notation.
    """

    name: str
    functions: Callable[[Program], tuple[Function, Function]]


def check_target(target: Any) -> Any:
    """The target of a name; InputError for one that does not exist or is not available here."""
    if isinstance(target, Target):
        return target
    if not among(target, TARGETS):
        raise InputError(f"target={target!r}: expected one of {', '.join(TARGETS)}, or a Target.")
    if target == "jax":
        jax_here()
    if target == "auto":
        return "native" if available() else "python"
    if target == "native" and not available():
        raise MissingDependencyError(
            'target="native" needs the package llvmlite, which is not installed or does not work here: install it '
            '(pip install llvmlite), or use target="auto", the fastest that is there.'
        )
    return str(target)


def functions_on(program: Program, target: str | Target) -> tuple[Function, Function]:
    """(prologue, evaluate) of a program on a target."""
    if isinstance(target, Target):
        return target.functions(program)
    if target == "native":
        from easydyn.engine.compiled import compiled_functions

        return compiled_functions(program, python_prologue(program))
    if target == "jax":
        return jitted(program)
    return python_functions(program) if target == "python" else numpy_functions(program)
