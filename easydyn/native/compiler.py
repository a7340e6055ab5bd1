"""Kernels as LLVM's intermediate representation: plain loops over arrays, written in Python.

A kernel is a Python function with annotated parameters: `int`, `float`, `bool`, `Array`, or a record. It may use
numbers, elements `a[i]` of arrays, fields of records, `if`, `while`, `for i in range(...)`, `sqrt`, `isfinite`, `abs`,
`min`, `max`, `int`, `float`, other kernels and numbers of its module; it allocates nothing and raises nothing. Python
interprets the same text, with the same result. Whatever else a kernel contains is refused here, with its line.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from easydyn.native.expressions import Expressions
from easydyn.native.language import DECLARATIONS, SLOT, TYPES, WIDE, Arrays, Names, Value, always_returns


def translate(
    entries: Iterable[Callable[..., Any]],
    fixed: Mapping[str, float] | None = None,
    hooks: Mapping[str, Any] | None = None,
) -> str:
    """The module that holds these kernels, and all kernels that they call.

    `fixed`: fields of records whose values are known now and will not change: what they exclude is left out. `hooks`:
    fields that are no data, with the objects whose kernels and numbers are meant.
    """
    waiting, texts, done = list(entries), [DECLARATIONS], set()
    arrays, names = Arrays(), Names()
    public = {names.of(kernel) for kernel in waiting}
    while waiting:
        kernel = waiting.pop()
        if kernel not in done:
            done.add(kernel)
            one = _Kernel(kernel, names.of(kernel) in public, arrays, names, fixed or {}, hooks or {})
            texts.append(one.text())
            waiting += one.called
    return "\n".join([*texts, *arrays.lines])


@functools.cache
def _definitions(source: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """The functions of a text by their names and lines, those inside of others too: a file is parsed once."""
    found: dict[tuple[str, int], ast.FunctionDef] = {}
    waiting: list[ast.stmt] = ast.parse(source).body
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef):
            found[node.name, min([node.lineno, *(x.lineno for x in node.decorator_list)])] = node
        waiting += [*getattr(node, "body", ()), *getattr(node, "orelse", ())]
    return found


def _definition(kernel: Callable[..., Any]) -> ast.FunctionDef:
    lines, _ = inspect.findsource(kernel)
    return _definitions("".join(lines))[kernel.__name__, kernel.__code__.co_firstlineno]


class _Kernel(Expressions):
    """The statements of one kernel."""

    def text(self) -> str:
        definition = _definition(self.kernel)
        parameters = []
        for name, kind in self.signature.parameters.items():
            parameters.append(f"{TYPES[kind]} %{name}")
            if kind == "record":
                self.locals[name] = kind, f"%{name}"
            else:
                self._assign(name, (kind, f"%{name}"))
        self.block(definition.body)
        result = self.signature.result
        if result != "none" and not always_returns(definition.body):
            raise self.refuse(definition, "it may end without returning anything")
        if not self.ended:
            self.emit("ret void" if result == "none" else "unreachable")
        linkage = "" if self.public else "internal "
        head = f"define {linkage}{TYPES[result]} @{self.names.of(self.kernel)}({', '.join(parameters)}) {WIDE} {{"
        return "\n".join([head, "entry:", *self.entry, *self.lines, "}"])

    # -- statements -----------------------------------------------------------------------------------------------

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            method = getattr(self, f"do_{type(statement).__name__}", None)
            if method is None:
                raise self.refuse(statement, f"{type(statement).__name__} is not for kernels")
            self.line = statement.lineno
            try:
                method(statement)
            except (KeyError, IndexError, AttributeError, AssertionError, ValueError):
                raise self.refuse(statement, f"this is not for kernels: {ast.unparse(statement)}") from None

    def do_Pass(self, node: ast.Pass) -> None:
        pass

    def do_Expr(self, node: ast.Expr) -> None:
        if not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
            self.expression(node.value)

    def do_Assign(self, node: ast.Assign) -> None:
        value = node.value
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple):
            assert isinstance(value, ast.Tuple)
            targets = node.targets[0].elts
            found = [self.expression(element) for element in value.elts]
            for target, one, source in zip(targets, found, value.elts, strict=True):
                self.assign(target, one)
                self.note(target, source)
            return
        one = self.expression(value)
        for target in node.targets:
            self.assign(target, one)
            self.note(target, value)

    def note(self, target: ast.expr, source: ast.expr) -> None:
        """Remember of which field a local name is an array."""
        if isinstance(target, ast.Name) and self.locals[target.id][0] == "array":
            field = self.array_of(source)
            if self.field_of.setdefault(target.id, field) != field:
                raise self.refuse(target, f"{target.id} is one array, and cannot become another one")

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Subscript):  # the place is worked out once
            tag, place = self.arrays.tag(self.array_of(target.value)), self.element(target)
            old = self.value("float", f"load double, ptr {place}, {tag}")
            new = self.arithmetic(node, node.op, old, self.expression(node.value))
            self.emit(f"store double {self.real(new)[1]}, ptr {place}, {tag}")
            return
        old = self.of_Name(target) if isinstance(target, ast.Name) else self.of_Attribute(target)
        self.assign(target, self.arithmetic(node, node.op, old, self.expression(node.value)))

    def assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self._assign(target.id, value, target)
        elif isinstance(target, ast.Subscript):
            tag = self.arrays.tag(self.array_of(target.value))
            self.emit(f"store double {self.real(value)[1]}, ptr {self.element(target)}, {tag}")
        elif isinstance(target, ast.Attribute):
            kind, place = self.field(target)
            if kind not in ("int", "float"):
                raise self.refuse(target, f"the {kind} field {target.attr} is fixed")
            self.emit(f"store {TYPES[kind]} {self.convert(value, kind, target)[1]}, ptr {place}, {SLOT}")
        else:
            raise self.refuse(target, "cannot be assigned to")

    def _assign(self, name: str, value: Value, node: ast.AST | None = None) -> None:
        if name not in self.locals:
            self.locals[name] = value[0], self.variable(value[0])
        kind, place = self.locals[name]
        self.store(kind, self.convert(value, kind, node)[1], place)

    def do_If(self, node: ast.If) -> None:
        known = self.known(node.test)
        if known is not None:
            self.block(node.body if known else node.orelse)
            return
        yes, no, after = self.fresh("yes"), self.fresh("no"), self.fresh("after")
        self.branch(node.test, yes, no)
        self.label(yes)
        self.block(node.body)
        self.jump(after)
        self.label(no)
        self.block(node.orelse)
        self.jump(after)
        self.label(after)

    def known(self, node: ast.expr) -> Any:
        """The value of an expression of numbers and fixed fields; None when it must be worked out at run time."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            if node.id == "INTERPRETED":
                return False
            return None if node.id in self.locals else self.globals.get(node.id)
        if isinstance(node, ast.Attribute):
            found = self.hook(node)
            return self.fixed.get(node.attr) if found is None else found
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            a, b = self.known(node.left), self.known(node.comparators[0])
            if a is None or b is None:
                return None
            compare = {ast.Eq: a == b, ast.NotEq: a != b, ast.Gt: a > b, ast.GtE: a >= b, ast.Lt: a < b}
            return compare.get(type(node.ops[0]))
        if isinstance(node, ast.BoolOp):
            values = [self.known(value) for value in node.values]
            decisive = isinstance(node.op, ast.Or)
            if any(value is not None and bool(value) == decisive for value in values):
                return decisive
            return None if None in values else not decisive
        return None

    def do_While(self, node: ast.While) -> None:
        if node.orelse:
            raise self.refuse(node, "while loops have no else")
        test, body, after = self.fresh("test"), self.fresh("body"), self.fresh("after")
        self.jump(test)
        self.label(test)
        self.branch(node.test, body, after)
        self.label(body)
        self.loop(node.body, test, after)
        self.jump(test)
        self.label(after)

    def do_For(self, node: ast.For) -> None:
        call = node.iter
        if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "range" and isinstance(node.target, ast.Name)):
            raise self.refuse(node, "for loops run over range(...)")
        if node.orelse:
            raise self.refuse(node, "for loops have no else")
        limits = [self.convert(self.expression(a), "int", a) for a in call.args]
        start, stop = (("int", "0"), limits[0]) if len(limits) == 1 else limits[:2]
        step = int(ast.literal_eval(call.args[2])) if len(limits) == 3 else 1
        if step == 0:
            raise self.refuse(node, "the step of a range is zero")
        counter = self.variable("int")
        self.store("int", start[1], counter)
        test, body, after, more = (self.fresh(name) for name in ("test", "body", "after", "more"))
        self.jump(test)
        self.label(test)
        now = self.value("int", f"load i64, ptr {counter}")
        inside = self.value("bool", f"icmp {'slt' if step > 0 else 'sgt'} i64 {now[1]}, {stop[1]}")
        self.emit(f"br i1 {inside[1]}, label %{body}, label %{after}")
        self.label(body)
        self._assign(node.target.id, now)
        self.loop(node.body, more, after)
        self.jump(more)
        self.label(more)
        following = self.value("int", f"add nsw i64 {now[1]}, {step}")
        self.store("int", following[1], counter)
        self.jump(test)
        self.label(after)

    def loop(self, body: list[ast.stmt], more: str, after: str) -> None:
        self.loops.append((more, after))
        self.block(body)
        self.loops.pop()

    def do_Continue(self, node: ast.Continue) -> None:
        self.jump(self.loops[-1][0])

    def do_Break(self, node: ast.Break) -> None:
        self.jump(self.loops[-1][1])

    def do_Return(self, node: ast.Return) -> None:
        kind = self.signature.result
        if (node.value is None) != (kind == "none"):
            raise self.refuse(node, f"it returns {kind}")
        if node.value is None:
            self.emit("ret void")
        else:
            value = self.convert(self.expression(node.value), kind, node)
            self.emit(f"ret {TYPES[kind]} {value[1]}")
        self.ended = True
