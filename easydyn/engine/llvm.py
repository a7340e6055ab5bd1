"""Programs as machine code: LLVM's intermediate representation, written from the straight-line program.

The function is f(t, q, qd, qdd, constants, result), arrays all of them. With lanes = 1 it evaluates one state; with
more it evaluates as many side by side, element i of lane k at [i lanes + k] ("abreast"), or, of states in rows as NumPy
has them, at [k n + i] ("rows"); `many` then goes through all rows. Sines and cosines are worked out together,
four angles at a time. Long programs are cut into parts, as the time LLVM takes grows faster than the length of a
function; what one part needs of another goes through memory.
"""

from __future__ import annotations

import functools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from easydyn.engine.graph import CONDITIONS, UNARY, Node
from easydyn.engine.program import SLOTS, Program
from easydyn.engine.rolling import Block, rolled, source
from easydyn.native.abreast import Side, Writer
from easydyn.native.language import number, spread

PART = 600  # operations in one part, and numbers that one puts out: LLVM takes longer than in proportion
_PARAMETERS = ", ".join(f"ptr %{name}" for name in ("t", "q", "qd", "qdd", "c", "out"))
_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul contract", "div": "fdiv"}
_INTRINSICS = {"sqrt": "sqrt", "abs": "fabs", "floor": "floor", "ceil": "ceil"}
_LIBRARY = (*(op for op in UNARY if op not in (*_INTRINSICS, "sign")), "pow", "atan2", "fmod")
_COMPARISONS = {"lt": "olt", "le": "ole", "eq": "oeq"}
_TWO = frozenset({"pow", "atan2", "fmod"})
# pi/2 in three pieces; the first two have 33 bits, so that their products with whole numbers are exact
_HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)


def module(program: Program, lanes: int = 1, rows: bool = False, own: bool = False) -> str:
    """The module with the function `evaluate` of a program; with `rows` also `many`.

    With `own` each of the lanes has its own constants, which then stand in `c` as its coordinates do in `q`.
    """
    return _Writer(program, lanes, rows, own).module()


class _Writer(Writer):
    def __init__(self, program: Program, lanes: int, rows: bool, own: bool):
        super().__init__(lanes)
        self.program, self.rows, self.own = program, rows, own
        self.n, self.m = len(program.inputs["q"]), len(program.outputs)
        self.constants = {node.index: k for k, node in enumerate(program.constants)}
        self.memory: dict[int, int] = {}  # nodes that other parts need -> place in w
        self.known: dict[int, tuple[str, str]] = {}  # node -> type and text, in this part
        self.reciprocals: dict[int, str] = {}  # node -> text, in this part
        self.divided_by = Counter(node.args[1].index for node in program.body if node.op == "div")
        self._called: dict[int, str] = {}  # of each loop, by its place among the parts
        self._copying: tuple[str, ...] = ()  # what is called at the end
        self.looped: set[int] = set()  # nodes that loops find
        self._stored: dict[int, list[tuple[int, Node]]] = {}  # of each part what it puts out, and where

    def module(self) -> str:
        parts, results = self._parts()
        self._find_crossing(parts, results)
        functions, alone = [], len(parts) == 1
        for k, part in enumerate(parts):
            if isinstance(part, list):
                name = f"internal void @part{k}({_PARAMETERS}, ptr %w) noinline"
                head = f"void @evaluate({_PARAMETERS})" if alone else name
                functions.append(self._part(head, part, self._stored.get(k, [])))
        functions += self._loops(parts, results)
        if not alone:
            functions += [
                f"define void @evaluate({_PARAMETERS}) {{",
                f"  %w = alloca [{len(self.memory)} x {self.type}], align {8 * self.lanes}",
                *(f"  call void @{self._called.get(k, f'part{k}({_PARAMETERS}, ptr %w)')}" for k in range(len(parts))),
                *self._copying,
                "  ret void",
                "}",
            ]
        callers = _through_rows(self.lanes, self.n, self.m) if self.rows else _packed()
        return "\n".join([*_declarations(self), *functions, *callers])

    def _parts(self) -> tuple[list[Any], list[list[int]]]:
        """Lists of steps, each short enough, and loops, in the order in which they are done."""
        parts: list[Any] = []
        found = rolled(self.program, self.constants)
        for part in found.parts:
            if isinstance(part, list):
                steps = list(_in_order(part))
                parts += [steps[k : k + PART] for k in range(0, len(steps), PART)]
            else:
                parts.append(part)
        return (parts if parts and isinstance(parts[-1], list) else [*parts, []]), found.results

    def _find_crossing(self, parts: list[Any], results: list[list[int]]) -> None:
        """Give a place in memory to what is worked out in one part and used, or put out, in another."""
        part_of = {
            node.index: k for k, part in enumerate(parts) if isinstance(part, list) for step in part for node in step
        }

        def keep(nodes: Iterable[Node], k: int) -> None:
            for node in nodes:
                if part_of.get(node.index, k) != k:
                    self.memory.setdefault(node.index, len(self.memory))

        for k, part in enumerate(parts):
            if isinstance(part, list):
                keep([a for step in part if len(parts) > 1 for node in step for a in node.args], k)
                continue
            for block in part.blocks:
                keep(block.arguments, k)
                for p in results[part.kind]:
                    self.memory.setdefault(block.body[p].index, len(self.memory))
        self.looped = self.memory.keys() - part_of.keys()
        stored = [(place, node) for place, node in enumerate(self.program.outputs) if node.index not in self.looped]
        for first in range(0, len(stored), PART):
            parts += [[]] if first else []
            self._stored[len(parts) - 1] = stored[first : first + PART]
            keep((node for _, node in self._stored[len(parts) - 1]), len(parts) - 1)

    def _part(self, head: str, steps: list[Any], stored: list[tuple[int, Node]]) -> str:
        self.lines, self.known, self.reciprocals = [], {}, {}
        for step in steps:
            self._step(step)
            for node in (x for x in step if x.index in self.memory):
                self.store(self._number(node), "%w", self.memory[node.index])
        for place, node in stored:
            self._put_out(self._number(node), place)
        return self.text(head)

    def _step(self, step: list[Node]) -> None:
        if step[0].op in ("sin", "cos"):
            self._sines(step)
        else:
            self.known[step[0].index] = self._operation(step[0])

    # -- loops ------------------------------------------------------------------------------------------------------

    def _loops(self, parts: list[Any], results: list[list[int]]) -> Iterator[str]:
        """The function of each kind of blocks, with the table of all of them, and how each loop is called."""
        literals: dict[float, int] = {}
        rows: list[list[int]] = [[] for _ in results]
        for k, part in enumerate(parts):
            if isinstance(part, list):
                continue
            kind, table = part.kind, rows[part.kind]
            if not table:
                yield self._kind(kind, part.blocks[0], results[kind])
            begin = f"getelementptr (i32, ptr @table{kind}, i64 {len(table)})"
            self._called[k] = f"kind{kind}({_PARAMETERS}, ptr %w, ptr {begin}, i64 {len(part.blocks)})"
            for block in part.blocks:
                table += [self._place(a, literals) for a in block.arguments]
                table += [self.memory[block.body[p].index] for p in results[kind]]
        outputs = [(self.memory[x.index], p) for p, x in enumerate(self.program.outputs) if x.index in self.looped]
        if outputs:
            self.lines = []
            place, to = self._places(2)
            self._put_out(self._load("%w", place), to)
            yield self._through("copy", 2)
            rows.append([x for pair in outputs for x in pair])
            self._copying = f"  call void @copy({_PARAMETERS}, ptr %w, ptr @table{len(rows) - 1}, i64 {len(outputs)})",
        for kind, table in enumerate(rows):
            yield f"@table{kind} = internal constant [{len(table)} x i32] [{', '.join(f'i32 {x}' for x in table)}]"
        values = ", ".join(f"double {number(x)}" for x in literals)
        yield f"@k = internal constant [{len(literals)} x double] [{values}]"

    def _place(self, node: Node, literals: dict[float, int]) -> int:
        """Where a node is in its array."""
        array = source(node, self.constants)
        if array == "k":
            return literals.setdefault(node.value, len(literals))
        if array in ("c", "w"):
            return (self.constants if array == "c" else self.memory)[node.index]
        return int(node.value[1])

    def _kind(self, kind: int, block: Block, results: list[int]) -> str:
        """The function that goes through rows of a table, for blocks like this one.

        By what it chooses most often, of what is held, it branches: an open contact needs little of its block.
        """
        self.lines, known = [], dict[int, tuple[str, str]]()
        tests = [x for x in block.body if x.op == "lt" and all(source(a, self.constants) in "ck" for a in x.args)]
        if tests and not self.own:
            test = max(tests, key=lambda test: sum(x.op == "select" and x.args[0] is test for x in block.body))
            self._block(Block([test], block.arguments), [], {})
            yes = self.known[test.index][1]
            one = yes if self.lanes == 1 else self.emit(f"extractelement {self.truth} {yes}, i32 0")
            self.lines += [f"  br i1 {one}, label %yes, label %no", "yes:"]
            self._block(block, results, {test.index: (self.truth, spread("true", "i1", lanes=self.lanes))})
            self.lines += ["  br label %turn", "no:"]
            known[test.index] = self.truth, spread("false", "i1", lanes=self.lanes)
        self._block(block, results, known)
        return self._through(f"kind{kind}", len(block.arguments) + len(results))

    def _block(self, block: Block, results: list[int], known: dict[int, tuple[str, str]]) -> None:
        """The operations of a block, but for what is known, and its results."""
        self.known, self.reciprocals = dict(known), {}
        places = self._places(len(block.arguments) + len(results))
        for a, place in zip(block.arguments, places, strict=False):
            array = source(a, self.constants)
            array = "@k" if array == "k" else f"%{array}"
            self.known[a.index] = self.type, self._load(array, place, array == "@k" or array == "%c" and not self.own)
        for step in _in_order([x for x in block.body if x.index not in known]):
            self._step(step)
        for p, place in zip(results, places[len(block.arguments) :], strict=True):
            self.store(self._number(block.body[p]), "%w", place)

    def _through(self, name: str, width: int) -> str:
        """A function that does the present lines for each row of a table."""
        head = f"internal void @{name}({_PARAMETERS}, ptr %w, ptr %table, i64 %count) noinline"
        first = f"  %first = mul i64 %k, {width}", "  %line = getelementptr i32, ptr %table, i64 %first"
        return _loop(head, [*first, *self.lines])

    def _places(self, width: int) -> list[str]:
        """The entries of a row."""
        addresses = (self.emit(f"getelementptr i32, ptr %line, i64 {j}") for j in range(width))
        return [self.emit(f"sext i32 {self.emit(f'load i32, ptr {x}')} to i64") for x in addresses]

    # -- operands -------------------------------------------------------------------------------------------------

    def _load(self, array: str, place: Any, spread: bool = False, volatile: str = "") -> str:
        if spread and self.lanes > 1:
            address = self.emit(f"getelementptr double, ptr {array}, i64 {place}")
            one = self.emit(f"load double, ptr {address}")
            first = self.emit(f"insertelement {self.type} undef, double {one}, i32 0")
            mask = f"<{self.lanes} x i32> zeroinitializer"
            return self.emit(f"shufflevector {self.type} {first}, {self.type} undef, {mask}")
        if self.rows and array[1:] in SLOTS:
            return self.emit(f"call {self.type} @get(ptr {array}, i64 {place}, i64 {1 if array == '%t' else self.n})")
        return self.emit(f"load {volatile}{self.type}, ptr {self.place(array, place)}, align 8")

    def _put_out(self, value: str, place: Any) -> None:
        if self.rows:
            self.lines.append(f"  call void @put(ptr %out, i64 {place}, i64 {self.m}, {self.type} {value})")
        else:
            self.store(value, "%out", place)

    def _value(self, node: Node) -> tuple[str, str]:
        """Type and text of a node."""
        found = self.known.get(node.index)
        if found is None and node.op == "const":
            return self.type, self.operand(node.value)
        if found is None:
            if node.index in self.constants:
                text = self._load("%c", self.constants[node.index], spread=not self.own)
            elif node.op == "input":
                slot, index = node.value
                # Loaded one by one, and not as a vector: the processor would wait for coordinates written just before.
                text = self._load(f"%{slot}", index, volatile="volatile " if slot == "q" and self.lanes == 1 else "")
            else:
                text = self._load("%w", self.memory[node.index])
            found = self.known[node.index] = self.type, text
        return found

    def _number(self, node: Node) -> str:
        kind, text = self.known.get(node.index) or self._value(node)
        return text if kind == self.type else self.emit(f"uitofp {self.truth} {text} to {self.type}")

    def _condition(self, node: Node) -> str:
        kind, text = self._value(node)
        return text if kind == self.truth else self.compare("une", text, 0.0)

    # -- operations -----------------------------------------------------------------------------------------------

    def _operation(self, node: Node) -> tuple[str, str]:
        op, T = node.op, self.type
        if op in _COMPARISONS:
            a, b = (self._number(x) for x in node.args)
            return self.truth, self.compare(_COMPARISONS[op], a, b)
        if op in CONDITIONS:
            conditions = [self._condition(x) for x in node.args]
            if op == "not":
                every = spread("true", "i1", lanes=self.lanes)
                return self.truth, self.emit(f"xor {self.truth} {conditions[0]}, {every}")
            return self.truth, self.emit(f"{op} {self.truth} {conditions[0]}, {conditions[1]}")
        if op == "select":
            test = self._condition(node.args[0])
            a, b = (self._number(x) for x in node.args[1:])
            return T, self.choose(test, a, b).name
        values = [self._number(x) for x in node.args]
        if op == "div" and self.lanes > 1 and self.divided_by[node.args[1].index] > 1:
            return T, self._arithmetic("mul", values[0], self._reciprocal(node.args[1], values[1]))
        if op in ("add", "sub") and not node.args[0].op == node.args[1].op == "mul":
            # Product and sum in one rounding; of two products neither, so that x x - x x stays zero.
            return T, self.operation(f"f{op} contract", *values).name
        return T, self._arithmetic(op, *values)

    def _reciprocal(self, node: Node, value: str) -> str:
        """One by a divisor that several are divided by: divisions of several states are slow, and do not overlap."""
        if node.index not in self.reciprocals:
            self.reciprocals[node.index] = self.operation("fdiv", 1.0, value).name
        return self.reciprocals[node.index]

    def _arithmetic(self, op: str, a: str, b: str = "") -> str:
        T = self.type
        if op in _ARITHMETIC:
            return self.operation(_ARITHMETIC[op], a, b).name
        if op == "neg":
            return self.emit(f"fneg {T} {a}")
        if op in _INTRINSICS:
            return self.intrinsic(_INTRINSICS[op], a).name
        if op in ("min", "max"):
            return self.intrinsic(f"{op}imum", a, b).name  # NaN if one of them is
        if op == "sign":
            zero = self.operation("fmul", a, 0.0)  # but not of NaN
            negative = self.choose(self.compare("olt", a, 0.0), -1.0, zero)
            return self.choose(self.compare("ogt", a, 0.0), 1.0, negative).name
        if op == "mod":  # with the sign of the divisor
            rest = self.library("fmod", a, b)
            signs = [self.compare("olt", x, 0.0) for x in (rest, b)]
            apart = self.emit(f"xor {self.truth} {signs[0]}, {signs[1]}")
            other = self.emit(f"and {self.truth} {apart}, {self.compare('one', rest, 0.0)}")
            return self.choose(other, self.operation("fadd", rest, b), rest).name
        return self.library(op, a, b) if op in _TWO else self.library(op, a)

    def _sines(self, nodes: list[Node]) -> None:
        """Sines and cosines of up to four angles; of several states, one angle after the other."""
        angles = list({node.args[0].index: node.args[0] for node in nodes}.values())
        V = self.type if self.lanes > 1 else "<4 x double>"
        if self.lanes > 1:
            pairs = {a.index: self.emit(f"call {{{V}, {V}}} @sincos({V} {self._number(a)})") for a in angles}
            for node in nodes:
                text = self.emit(f"extractvalue {{{V}, {V}}} {pairs[node.args[0].index]}, {int(node.op == 'cos')}")
                self.known[node.index] = V, text
            return
        packed = "zeroinitializer"
        for k, angle_node in enumerate(angles):
            packed = self.emit(f"insertelement {V} {packed}, double {self._number(angle_node)}, i32 {k}")
        both = self.emit(f"call {{{V}, {V}}} @sincos({V} {packed})")
        halves = [self.emit(f"extractvalue {{{V}, {V}}} {both}, {pick}") for pick in (0, 1)]
        place = {angle_node.index: k for k, angle_node in enumerate(angles)}
        for node in nodes:
            text = self.emit(f"extractelement {V} {halves[node.op == 'cos']}, i32 {place[node.args[0].index]}")
            self.known[node.index] = self.type, text


def _in_order(body: list[Node]) -> Iterator[list[Node]]:
    """The operations in an order in which sines and cosines that can be worked out together stand together.

    Single operations, and groups of the sines and cosines of up to four angles.
    """
    depth: dict[int, int] = {}
    levels = defaultdict[int, tuple[list[Node], list[Node]]](lambda: ([], []))
    for node in body:
        trigonometric = node.op in ("sin", "cos")
        depth[node.index] = level = max([depth.get(a.index, 0) for a in node.args], default=0) + trigonometric
        levels[level][not trigonometric].append(node)
    for level in sorted(levels):
        by_angle: dict[int, list[Node]] = {}
        for node in levels[level][0]:
            by_angle.setdefault(node.args[0].index, []).append(node)
        angles = list(by_angle.values())
        for k in range(0, len(angles), 4):
            yield [node for group in angles[k : k + 4] for node in group]
        yield from ([node] for node in levels[level][1])


def _packed() -> Iterator[str]:
    """`packed(arguments)`: the same with the six addresses in an array, which Python passes in less time."""
    yield "define void @packed(ptr %arguments) {"
    for k in range(6):
        yield f"  %p{k} = getelementptr ptr, ptr %arguments, i64 {k}"
        yield f"  %a{k} = load ptr, ptr %p{k}"
    yield f"  call void @evaluate({', '.join(f'ptr %a{k}' for k in range(6))})"
    yield "  ret void"
    yield "}"


def _through_rows(lanes: int, n: int, m: int) -> Iterator[str]:
    """`many(count, ...)`: the function at `count` states in rows, a multiple of the lanes.

    `get` and `put` move an element of the rows of all lanes: calls take LLVM less time than their code at each place.
    """
    V, begin, each = f"<{lanes} x double>", "  %first = getelementptr double, ptr %rows, i64 %place", range(lanes)
    begin += "".join(f"\n  %o{k} = mul i64 %length, {k}" for k in each)
    begin += "".join(f"\n  %p{k} = getelementptr double, ptr %first, i64 %o{k}" for k in each)
    ones = [f"  %x{k} = load double, ptr %p{k}, align 8" for k in each]
    both = [f"  %v{k} = insertelement {V} {f'%v{k - 1}' if k else 'undef'}, double %x{k}, i32 {k}" for k in each]
    apart = [f"  %x{k} = extractelement {V} %v, i32 {k}\n  store double %x{k}, ptr %p{k}, align 8" for k in each]
    given = "ptr %rows, i64 %place, i64 %length"
    yield from (f"define internal {V} @get({given}) noinline {{", begin, *ones, *both, f"  ret {V} %v{lanes - 1}", "}")
    yield from (f"define internal void @put({given}, {V} %v) noinline {{", begin, *apart, "  ret void", "}")
    lengths = {"t": 1, "q": n, "qd": n, "qdd": n, "c": 0, "out": m}
    body = []
    for x, length in lengths.items():
        body += [f"  %{x}.place = mul i64 %k, {length}", f"  %{x}.row = getelementptr double, ptr %{x}, i64 %{x}.place"]
    body.append(f"  call void @evaluate({', '.join(f'ptr %{array}.row' for array in lengths)})")
    yield _loop(f"void @many(i64 %count, {_PARAMETERS})", body, lanes)


def _loop(head: str, body: list[str], step: int = 1) -> str:
    """A function that does the lines of its body for %k = 0, step, ... below %count."""
    return "\n".join([
        f"define {head} {{", "entry:", "  br label %test", "test:", "  %k = phi i64 [0, %entry], [%next, %turn]",
        "  %more = icmp slt i64 %k, %count", "  br i1 %more, label %body, label %done", "body:", *body,
        "  br label %turn", "turn:", f"  %next = add i64 %k, {step}", "  br label %test", "done:", "  ret void", "}",
    ])  # fmt: skip


def _declarations(w: Writer) -> list[str]:
    T = w.type
    lines = [f"declare {T} @llvm.{name}.{w.suffix}({T})" for name in _INTRINSICS.values()]
    lines += [f"declare {T} @llvm.{name}imum.{w.suffix}({T}, {T})" for name in ("min", "max")]
    if w.lanes == 1:
        lines += ["declare <4 x double> @llvm.fabs.v4f64(<4 x double>)"]
    lines += [f"declare double @{name}({'double, double' if name in _TWO else 'double'})" for name in _LIBRARY]
    return [*lines, _sine_and_cosine(w.lanes if w.lanes > 1 else 4)]


@functools.cache
def _sine_and_cosine(lanes: int) -> str:
    """Both of so many angles at once: reduction to [-pi/4, pi/4] in three parts of pi/2, then the series.

    Angles beyond a million radians (and what is no number) go to the C library.
    """
    w = Writer(lanes, " contract")
    V, W, B, r = w.type, w.whole, w.truth, Side(w, "%x")
    small = w.compare("olt", w.intrinsic("fabs", r), 1e6)
    fast = w.emit(f"call i1 @llvm.vector.reduce.and.v{lanes}i1({B} {small})")
    turns, shift = r * (2 / math.pi), 1.5 * 2.0**52  # added and taken away again, it rounds to whole numbers
    shifted = w.operation("fadd", turns, shift)
    quarter = w.operation("fsub", shifted, shift)
    for piece in _HALF_PI:
        r = r - quarter * piece
    z = r * r
    z2 = z * z
    powers = z, z2, z2 * z2

    def series(first: int, last: int) -> Any:
        """Sum over k of (-1)^(k//2) r^(k - first) / k!, k = first, first + 2, ..., last (Estrin's scheme)."""
        terms: list[Any] = [(-1.0) ** (k // 2) / math.factorial(k) for k in range(first, last + 1, 2)]
        for power in powers:
            pairs = [terms[i : i + 2] for i in range(0, len(terms), 2)]
            terms = [pair[0] + pair[1] * power if pair[1:] else pair[0] for pair in pairs]
        return terms[0]

    sine = r + r * z * series(3, 15)
    half = w.operation("fmul", z, 0.5)
    near = w.operation("fsub", 1.0, half)
    lost = w.operation("fsub", w.operation("fsub", 1.0, near), half)  # in the rounding of `near`
    cosine = near + (lost + z2 * series(4, 16))
    # the last two bits say in which quarter of the circle the angle was
    one, two, to_sign = (spread(k, "i64", lanes=lanes) for k in (1, 2, 62))
    bits = w.emit(f"bitcast {V} {shifted.name} to {W}")
    last_bit = w.emit(f"and {W} {bits}, {one}")
    odd = w.emit(f"icmp ne {W} {last_bit}, zeroinitializer")
    results = []
    for first, second, quarters in ((cosine, sine, bits), (sine, cosine, w.emit(f"add {W} {bits}, {one}"))):
        chosen = w.choose(odd, first, second).name
        below = w.emit(f"and {W} {quarters}, {two}")
        sign = w.emit(f"shl {W} {below}, {to_sign}")
        as_bits = w.emit(f"bitcast {V} {chosen} to {W}")
        flipped = w.emit(f"xor {W} {as_bits}, {sign}")
        results.append(w.emit(f"bitcast {W} {flipped} to {V}"))

    def give_back(pair: list[str]) -> None:
        one = w.emit(f"insertvalue {{{V}, {V}}} undef, {V} {pair[0]}, 0")
        w.lines.append(f"  ret {{{V}, {V}}} {w.emit(f'insertvalue {{{V}, {V}}} {one}, {V} {pair[1]}, 1')}")

    w.lines += [f"  br i1 {fast}, label %done, label %library", "done:"]
    give_back(results)
    w.lines.append("library:")  # for those that are small the series, whoever is beside them
    give_back([w.choose(small, x, w.library(f, "%x")).name for x, f in zip(results, ("sin", "cos"), strict=True)])
    head = f"define internal {{{V}, {V}}} @sincos({V} %x) noinline {{"
    return "\n".join([f"declare i1 @llvm.vector.reduce.and.v{lanes}i1({B})", head, *w.lines, "}"])
