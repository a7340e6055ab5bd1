"""Kernels as LLVM's intermediate representation: plain loops over arrays, written in Python.

A kernel is a Python function with annotated parameters: `int`, `float`, `bool`, `Array`, or a record. It may use
numbers, elements `a[i]` of arrays, fields of records, `if`, `while`, `for i in range(...)`, `sqrt`, `isfinite`, `abs`,
`min`, `max`, `int`, `float`, other kernels and numbers of its module; it allocates nothing and raises nothing. Python
interprets the same text, with the same result. Whatever else a kernel contains is refused here, with its line.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from easydyn.native.language import (
    ARITHMETIC,
    COMPARISON,
    DECLARATIONS,
    SLOT,
    TYPES,
    Arrays,
    Signature,
    Value,
    number,
)


def translate(entries: Iterable[Callable[..., Any]], fixed: Mapping[str, float] | None = None) -> str:
    """The module that holds these kernels, and all kernels that they call.

    `fixed`: fields of records whose values are known now and will not change: what they exclude is left out.
    """
    waiting, texts, done = list(entries), [DECLARATIONS], set()
    arrays = Arrays()
    public = {function.__name__ for function in waiting}
    while waiting:
        kernel = waiting.pop()
        if kernel.__name__ not in done:
            done.add(kernel.__name__)
            one = _Kernel(kernel, kernel.__name__ in public, arrays, fixed or {})
            texts.append(one.text())
            waiting += one.called
    return "\n".join([*texts, *arrays.lines])


class _Kernel:
    """One kernel on its way."""

    def __init__(self, kernel: Callable[..., Any], public: bool, arrays: Arrays, fixed: Mapping[str, float]):
        self.kernel, self.public, self.arrays, self.fixed = kernel, public, arrays, fixed
        self.field_of: dict[str, str | None] = {}  # local names of array fields
        self.signature = Signature(kernel)
        self.globals = kernel.__globals__  # type: ignore[attr-defined]
        self.called: list[Callable[..., Any]] = []
        self.lines: list[str] = []
        self.entry: list[str] = []
        self.locals: dict[str, tuple[str, str]] = {}
        self.loops: list[tuple[str, str]] = []  # where `continue` and `break` go
        self.count = 0
        self.ended = False  # the present block has its last instruction

    def text(self) -> str:
        lines, first = inspect.getsourcelines(self.kernel)
        definition = ast.parse("".join(lines)).body[0]
        assert isinstance(definition, ast.FunctionDef)
        ast.increment_lineno(definition, first - 1)
        parameters = []
        for name, kind in self.signature.parameters.items():
            parameters.append(f"{TYPES[kind]} %{name}")
            if kind == "record":
                self.locals[name] = kind, f"%{name}"
            else:
                self._assign(name, (kind, f"%{name}"))
        self.block(definition.body)
        result = self.signature.result
        if not self.ended:
            self.emit("ret void" if result == "none" else "unreachable")
        linkage = "" if self.public else "internal "
        head = f"define {linkage}{TYPES[result]} @{self.kernel.__name__}({', '.join(parameters)}) {{"
        return "\n".join([head, "entry:", *self.entry, *self.lines, "}"])

    # -- instructions ---------------------------------------------------------------------------------------------

    def emit(self, line: str) -> None:
        if self.ended:  # what follows a return, break or continue is never reached, but must be in a block
            self.label(self.fresh("dead"))
        self.lines.append(f"  {line}")

    def fresh(self, name: str = "v") -> str:
        self.count += 1
        return f"{name}.{self.count}"

    def value(self, kind: str, instruction: str) -> Value:
        name = f"%{self.fresh()}"
        self.emit(f"{name} = {instruction}")
        return kind, name

    def label(self, name: str) -> None:
        self.ended = False
        self.lines.append(f"{name}:")

    def jump(self, target: str) -> None:
        if not self.ended:
            self.emit(f"br label %{target}")
        self.ended = True

    def branch(self, condition: ast.expr, yes: str, no: str) -> None:
        test = self.truth(self.expression(condition))
        self.emit(f"br i1 {test[1]}, label %{yes}, label %{no}")
        self.ended = True

    def variable(self, kind: str) -> str:
        name = f"%{self.fresh('x')}"
        self.entry.append(f"  {name} = alloca {TYPES[kind]}")
        return name

    def store(self, kind: str, value: str, place: str) -> None:
        self.emit(f"store {TYPES[kind]} {value}, ptr {place}")

    def refuse(self, node: ast.AST, why: str) -> TypeError:
        line = getattr(node, "lineno", 0)
        return TypeError(f"{self.kernel.__code__.co_filename}:{line}, kernel {self.kernel.__name__}: {why}")  # type: ignore[attr-defined]

    # -- statements -----------------------------------------------------------------------------------------------

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            method = getattr(self, f"do_{type(statement).__name__}", None)
            if method is None:
                raise self.refuse(statement, f"{type(statement).__name__} is not for kernels")
            method(statement)

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

    def array_of(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return f"{self.signature.records[node.value.id].__name__}.{node.attr}"
        return self.field_of.get(node.id) if isinstance(node, ast.Name) else None

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        old = ast.copy_location(ast.parse(ast.unparse(node.target), mode="eval").body, node.target)
        ast.increment_lineno(old, node.lineno - 1)
        self.assign(node.target, self.arithmetic(node, node.op, self.expression(old), self.expression(node.value)))

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
            return self.fixed.get(node.attr)
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
        if node.value is None:
            self.emit("ret void")
        else:
            value = self.convert(self.expression(node.value), kind, node)
            self.emit(f"ret {TYPES[kind]} {value[1]}")
        self.ended = True

    # -- expressions ----------------------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> Value:
        method = getattr(self, f"of_{type(node).__name__}", None)
        if method is None:
            raise self.refuse(node, f"{type(node).__name__} is not for kernels")
        return method(node)

    def of_Constant(self, node: ast.Constant) -> Value:
        return self.literal(node.value, node)

    def literal(self, value: Any, node: ast.AST) -> Value:
        if isinstance(value, bool):
            return "bool", str(value).lower()
        if isinstance(value, int):
            return "int", str(value)
        if isinstance(value, float):
            return "float", number(value)
        raise self.refuse(node, f"{value!r} is not a number")

    def of_Name(self, node: ast.Name) -> Value:
        if node.id in self.locals:
            kind, place = self.locals[node.id]
            return (kind, place) if kind == "record" else self.value(kind, f"load {TYPES[kind]}, ptr {place}")
        if node.id in self.globals:
            return self.literal(self.globals[node.id], node)
        raise self.refuse(node, f"{node.id} is not known")

    def field(self, node: ast.Attribute) -> tuple[str, str]:
        """Kind and place of a field of a record."""
        assert isinstance(node.value, ast.Name)
        fields = self.signature.records[node.value.id].fields()
        if node.attr not in fields:
            raise self.refuse(node, f"the record has no field {node.attr}")
        index = list(fields).index(node.attr)
        return fields[node.attr], self.value("", f"getelementptr i64, ptr %{node.value.id}, i64 {index}")[1]

    def of_Attribute(self, node: ast.Attribute) -> Value:
        if node.attr in self.fixed:
            return self.literal(self.fixed[node.attr], node)
        kind, place = self.field(node)
        if kind in ("array", "function"):  # never changes while a kernel runs: need not be loaded again after a store
            return self.value(kind, f"load ptr, ptr {place}, !invariant.load !0")
        return self.value(kind, f"load {TYPES[kind]}, ptr {place}, {SLOT}")

    def element(self, node: ast.Subscript) -> str:
        array = self.expression(node.value)
        index = self.convert(self.expression(node.slice), "int", node)
        if array[0] != "array":
            raise self.refuse(node, "only arrays have elements")
        return self.value("", f"getelementptr inbounds double, ptr {array[1]}, i64 {index[1]}")[1]

    def of_Subscript(self, node: ast.Subscript) -> Value:
        return self.value(
            "float", f"load double, ptr {self.element(node)}, {self.arrays.tag(self.array_of(node.value))}"
        )

    def of_BinOp(self, node: ast.BinOp) -> Value:
        if isinstance(node.op, ast.Pow):
            base, power = self.real(self.expression(node.left)), self.real(self.expression(node.right))
            return self.value("float", f"call double @pow(double {base[1]}, double {power[1]})")
        return self.arithmetic(node, node.op, self.expression(node.left), self.expression(node.right))

    def arithmetic(self, node: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
        if type(op) not in ARITHMETIC:
            raise self.refuse(node, f"{type(op).__name__} is not for kernels")
        whole, broken = ARITHMETIC[type(op)]
        if a[0] == b[0] == "int" and whole:
            return self.value("int", f"{whole} nsw i64 {a[1]}, {b[1]}")
        return self.value("float", f"{broken} double {self.real(a)[1]}, {self.real(b)[1]}")

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            return self.literal(-node.operand.value, node)  # type: ignore[operator]
        operand = self.expression(node.operand)
        if isinstance(node.op, ast.Not):
            return self.value("bool", f"xor i1 {self.truth(operand)[1]}, true")
        if isinstance(node.op, ast.USub):
            if operand[0] == "int":
                return self.value("int", f"sub nsw i64 0, {operand[1]}")
            return self.value("float", f"fneg double {operand[1]}")
        raise self.refuse(node, f"{type(node.op).__name__} is not for kernels")

    def of_Compare(self, node: ast.Compare) -> Value:
        result, left = None, self.expression(node.left)
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.expression(comparator)
            whole, broken = COMPARISON[type(op)]
            if left[0] == right[0] == "int":
                one = self.value("bool", f"icmp {whole} i64 {left[1]}, {right[1]}")
            else:
                one = self.value("bool", f"fcmp {broken} double {self.real(left)[1]}, {self.real(right)[1]}")
            result = one if result is None else self.value("bool", f"and i1 {result[1]}, {one[1]}")
            left = right
        assert result is not None
        return result

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        """`and`, `or`: what follows is looked at only when it matters."""
        place, after = self.variable("bool"), self.fresh("after")
        for k, operand in enumerate(node.values):
            test = self.truth(self.expression(operand))
            self.store("bool", test[1], place)
            if k + 1 < len(node.values):
                more = self.fresh("more")
                targets = (more, after) if isinstance(node.op, ast.And) else (after, more)
                self.emit(f"br i1 {test[1]}, label %{targets[0]}, label %{targets[1]}")
                self.label(more)
        self.jump(after)
        self.label(after)
        return self.value("bool", f"load i1, ptr {place}")

    def of_IfExp(self, node: ast.IfExp) -> Value:
        yes, no, after = self.fresh("yes"), self.fresh("no"), self.fresh("after")
        self.branch(node.test, yes, no)
        self.label(yes)
        first = self.expression(node.body)
        place = self.variable(first[0])
        self.store(first[0], first[1], place)
        self.jump(after)
        self.label(no)
        self.store(first[0], self.convert(self.expression(node.orelse), first[0], node)[1], place)
        self.jump(after)
        self.label(after)
        return self.value(first[0], f"load {TYPES[first[0]]}, ptr {place}")

    def of_Call(self, node: ast.Call) -> Value:
        if isinstance(node.func, ast.Attribute):
            function = self.of_Attribute(node.func)
            if function[0] != "function":
                raise self.refuse(node, f"the field {node.func.attr} is no function")
            given = ", ".join(f"ptr {self.convert(self.expression(a), 'array', a)[1]}" for a in node.args)
            self.emit(f"call void {function[1]}({given})")
            return "none", ""
        assert isinstance(node.func, ast.Name)
        name, arguments = node.func.id, [self.expression(a) for a in node.args]
        if name in ("sqrt", "abs"):
            intrinsic = {"sqrt": "sqrt", "abs": "fabs"}[name]
            return self.value("float", f"call double @llvm.{intrinsic}.f64(double {self.real(arguments[0])[1]})")
        if name == "isfinite":
            size = self.value("float", f"call double @llvm.fabs.f64(double {self.real(arguments[0])[1]})")
            return self.value("bool", f"fcmp olt double {size[1]}, {number(math.inf)}")
        if name in ("int", "float"):
            return self.convert(arguments[0], name, node)
        if name in ("min", "max"):
            return self.extreme(name, *arguments)
        kernel = self.globals.get(name)
        if not inspect.isfunction(kernel):
            raise self.refuse(node, f"{name} is no kernel")
        self.called.append(kernel)
        signature = Signature(kernel)
        given = ", ".join(
            f"{TYPES[kind]} {self.convert(value, kind, node)[1]}"
            for value, kind in zip(arguments, signature.parameters.values(), strict=True)
        )
        call = f"call {TYPES[signature.result]} @{name}({given})"
        if signature.result == "none":
            self.emit(call)
            return "none", ""
        return self.value(signature.result, call)

    def extreme(self, name: str, a: Value, b: Value) -> Value:
        """Python's min and max of two: the first, unless the second is smaller (larger)."""
        if a[0] == b[0] == "int":
            better = self.value("bool", f"icmp {'slt' if name == 'min' else 'sgt'} i64 {b[1]}, {a[1]}")
            return self.value("int", f"select i1 {better[1]}, i64 {b[1]}, i64 {a[1]}")
        a, b = self.real(a), self.real(b)
        better = self.value("bool", f"fcmp {'olt' if name == 'min' else 'ogt'} double {b[1]}, {a[1]}")
        return self.value("float", f"select i1 {better[1]}, double {b[1]}, double {a[1]}")

    # -- conversions ----------------------------------------------------------------------------------------------

    def real(self, value: Value) -> Value:
        if value[0] == "int":
            return self.value("float", f"sitofp i64 {value[1]} to double")
        if value[0] != "float":
            raise self.refuse(ast.Pass(), f"a number was expected, got a {value[0]}")
        return value

    def truth(self, value: Value) -> Value:
        if value[0] == "int":
            return self.value("bool", f"icmp ne i64 {value[1]}, 0")
        if value[0] == "float":
            return self.value("bool", f"fcmp une double {value[1]}, {number(0.0)}")
        return value

    def convert(self, value: Value, kind: str, node: ast.AST | None) -> Value:
        if value[0] == kind:
            return value
        if kind == "float" and value[0] == "int":
            return self.real(value)
        if kind == "int" and value[0] == "float" and isinstance(node, ast.Call):
            return self.value("int", f"fptosi double {value[1]} to i64")
        if kind == "int" and value[0] == "bool":
            return self.value("int", f"zext i1 {value[1]} to i64")
        raise self.refuse(node or ast.Pass(), f"expected {kind}, got {value[0]}")
