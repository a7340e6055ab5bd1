"""Expressions of a kernel as LLVM's instructions: numbers, elements, fields, comparisons, calls (see compiler.py)."""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

from easydyn.native.language import (
    ARGUMENTS,
    ARITHMETIC,
    COMPARISON,
    SLOT,
    TYPES,
    Arrays,
    Names,
    Signature,
    Value,
    number,
    refusal,
)


def _calls(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(node))


class Expressions:
    """A kernel on its way: its instructions so far, and what expressions become."""

    def __init__(
        self, kernel: Callable[..., Any], public: bool, arrays: Arrays, names: Names, fixed: Mapping[str, float],
        hooks: Mapping[str, Any],
    ):  # fmt: skip
        self.kernel, self.public, self.arrays, self.names, self.fixed = kernel, public, arrays, names, fixed
        self.hooks = hooks
        self.line = kernel.__code__.co_firstlineno  # that of the present statement
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
        return refusal(self.kernel, getattr(node, "lineno", self.line), why)

    def array_of(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return f"{self.signature.records[node.value.id].__name__}.{node.attr}"
        return self.field_of.get(node.id) if isinstance(node, ast.Name) else None

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

    def hook(self, node: ast.expr) -> Any:
        """The kernel, or the number, that `record.field.name` is; None where it is none of a field of hooks."""
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute)):
            return None
        owner, field = node.value.value, node.value.attr
        if not (isinstance(owner, ast.Name) and field in self.signature.records[owner.id].hooks()):
            return None
        if field not in self.hooks:
            raise self.refuse(node, f"nobody has said what {field} is")
        return getattr(self.hooks[field], node.attr)

    def of_Attribute(self, node: ast.Attribute) -> Value:
        found = self.hook(node)
        if found is not None:
            return self.literal(found, node)
        if node.attr in self.fixed:
            return self.literal(self.fixed[node.attr], node)
        kind, place = self.field(node)
        if kind in ("array", "function"):  # never changes while a kernel runs: need not be loaded again after a store
            return self.value(kind, f"load ptr, ptr {place}, !invariant.load !0")
        return self.value(kind, f"load {TYPES[kind]}, ptr {place}, {SLOT}")

    def element(self, node: ast.Subscript) -> str:
        array = self.expression(node.value)
        if isinstance(node.slice, ast.UnaryOp) and isinstance(node.slice.op, ast.USub):
            raise self.refuse(node, "elements are not counted from the end")
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
            kind, _ = self.literal(node.operand.value, node)
            if kind in ("int", "float"):
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
        if any(_calls(comparator) for comparator in node.comparators[1:]):
            raise self.refuse(node, "a call in a chain of comparisons: Python may leave it out")
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
        place, after, kind = self.variable("bool"), self.fresh("after"), "bool"
        for k, operand in enumerate(node.values):
            value = self.expression(operand)
            kind = kind if value[0] == "bool" else "condition"
            test = self.truth(value)
            self.store("bool", test[1], place)
            if k + 1 < len(node.values):
                more = self.fresh("more")
                targets = (more, after) if isinstance(node.op, ast.And) else (after, more)
                self.emit(f"br i1 {test[1]}, label %{targets[0]}, label %{targets[1]}")
                self.label(more)
        self.jump(after)
        self.label(after)
        return self.value(kind, f"load i1, ptr {place}")

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
        hook = self.hook(node.func)
        if hook is None and isinstance(node.func, ast.Attribute):
            function = self.of_Attribute(node.func)
            if function[0] != "function":
                raise self.refuse(node, f"the field {node.func.attr} is no function")
            given = ", ".join(f"ptr {self.convert(self.expression(a), 'array', a)[1]}" for a in node.args)
            self.emit(f"call void {function[1]}({given})")
            return "none", ""
        assert isinstance(node.func, ast.Name | ast.Attribute)
        name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
        arguments = [self.expression(a) for a in node.args]
        if node.keywords or len(arguments) != ARGUMENTS.get(name, len(arguments)):
            raise self.refuse(node, f"other arguments were expected: {ast.unparse(node)}")
        if hook is not None:
            return self.call(node, hook, arguments)
        if name in ("sqrt", "abs"):
            intrinsic = {"sqrt": "sqrt", "abs": "fabs"}[name]
            return self.value("float", f"call double @llvm.{intrinsic}.f64(double {self.real(arguments[0])[1]})")
        if name == "isfinite":
            size = self.value("float", f"call double @llvm.fabs.f64(double {self.real(arguments[0])[1]})")
            return self.value("bool", f"fcmp olt double {size[1]}, {number(math.inf)}")
        if name == "int" and arguments[0][0] == "float":
            return self.value("int", f"fptosi double {arguments[0][1]} to i64")
        if name in ("int", "float"):
            return self.convert(arguments[0], name, node)
        if name in ("min", "max"):
            return self.extreme(name, *arguments)
        return self.call(node, self.globals.get(name), arguments)

    def call(self, node: ast.Call, kernel: Any, arguments: list[Value]) -> Value:
        """A call of another kernel."""
        if not inspect.isfunction(kernel):
            raise self.refuse(node, f"{ast.unparse(node.func)} is no kernel")
        self.called.append(kernel)
        signature = Signature(kernel)
        if len(arguments) != len(signature.parameters):
            raise self.refuse(node, f"{kernel.__name__} takes {len(signature.parameters)} arguments")
        given = ", ".join(
            f"{TYPES[kind]} {self.convert(value, kind, node)[1]}"
            for value, kind in zip(arguments, signature.parameters.values(), strict=True)
        )
        call = f"call {TYPES[signature.result]} @{self.names.of(kernel)}({given})"
        if signature.result == "none":
            self.emit(call)
            return "none", ""
        return self.value(signature.result, call)

    def extreme(self, name: str, a: Value, b: Value) -> Value:
        """Python's min and max of two: the first, unless the second is smaller (larger)."""
        kind, test = ("int", "icmp s") if a[0] == b[0] == "int" else ("float", "fcmp o")
        (_, x), (_, y) = (a, b) if kind == "int" else (self.real(a), self.real(b))
        better = self.value("bool", f"{test}{'lt' if name == 'min' else 'gt'} {TYPES[kind]} {y}, {x}")
        return self.value(kind, f"select i1 {better[1]}, {TYPES[kind]} {y}, {TYPES[kind]} {x}")

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
        if value[0] not in ("bool", "condition"):
            raise self.refuse(ast.Pass(), f"a condition was expected, got a {value[0]}")
        return value

    def convert(self, value: Value, kind: str, node: ast.AST | None) -> Value:
        if value[0] == kind:
            return value
        if kind == "float" and value[0] == "int":
            return self.real(value)
        if kind == "int" and value[0] == "bool":
            return self.value("int", f"zext i1 {value[1]} to i64")
        raise self.refuse(node or ast.Pass(), f"expected {kind}, got {value[0]}")
