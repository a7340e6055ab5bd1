"""Exported files of Modelica: read by a parser of the grammar they may use, counted, and evaluated.

The parser follows chapter 2 and appendix A of the language's specification (3.4): signs stand only at the beginning
of a sum, powers and relations do not associate, `if` needs brackets inside of a formula; it tells real numbers from
truth values, and refuses == of real numbers.
"""

import math
import operator
import re
import shutil
from typing import Any, NamedTuple

import numpy as np
import pytest
from test_export import CASES, every_operation, models, run, some_states, trouble  # noqa: F401 (a fixture)

from easydyn import Model, examples, tdisp, trotz

TOKEN = re.compile(
    r"""\s*(?:(//[^\n]*)|(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|([A-Za-z_]\w*)|("(?:[^"\\]|\\.)*")|(:=|<=|>=|<>|==|[-+*/^<>=(){},;\[\]]))"""
)
KEYWORDS = set(
    "algorithm and annotation block break class connect connector constant constrainedby der discrete each else elseif "
    "elsewhen encapsulated end enumeration equation expandable extends external false final flow for function if "
    "import impure in initial inner input loop model not operator or outer output package parameter partial protected "
    "public pure record redeclare replaceable return stream then true type when while within".split()
)
BUILTIN = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "atan2": math.atan2, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "exp": math.exp, "log": math.log,
    "sqrt": math.sqrt, "abs": abs, "floor": math.floor, "ceil": math.ceil, "min": min, "max": max,
    "sign": lambda x: (x > 0) - (x < 0), "mod": lambda x, y: x - math.floor(x / y) * y,
}  # fmt: skip
RELATIONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
SUMS, PRODUCTS = {"+": operator.add, "-": operator.sub}, {"*": operator.mul, "/": operator.truediv}


class Formula(NamedTuple):
    value: Any  # of an environment
    kind: type  # float or bool
    names: frozenset


class Parser:
    def __init__(self, text):
        self.tokens, at = [], 0
        text = text.rstrip()
        while at < len(text):
            found = TOKEN.match(text, at)
            assert found, f"what is this? {text[at : at + 40]!r}"
            if not found[1]:
                self.tokens.append(found[0].strip())
            at = found.end()
        self.at = 0
        self.functions = {}
        self.model = self.read_model()
        assert self.at == len(self.tokens), self.rest()

    def rest(self):
        return " ".join(self.tokens[self.at : self.at + 12])

    @property
    def next(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *expected):
        token = self.next
        assert not expected or token in expected, f"expected {expected}, got {self.rest()}"
        self.at += 1
        return token

    def maybe(self, *expected):
        return self.take() if self.next in expected else None

    def name(self):
        token = self.take()
        assert re.fullmatch(r"[A-Za-z_]\w*", token) and token not in KEYWORDS, f"a name? {token}"
        return token

    # -- formulas

    def expression(self):
        if not self.maybe("if"):
            return self.logical("or", any)
        condition = self.expression()
        self.take("then")
        one = self.expression()
        self.take("else")
        other = self.expression()
        assert condition.kind is bool and one.kind is other.kind
        value = lambda e: one.value(e) if condition.value(e) else other.value(e)  # noqa: E731
        return Formula(value, one.kind, condition.names | one.names | other.names)

    def logical(self, word, combine):
        parts = [self.logical("and", all) if word == "or" else self.factor_of_logic()]
        while self.maybe(word):
            parts.append(self.logical("and", all) if word == "or" else self.factor_of_logic())
        if len(parts) == 1:
            return parts[0]
        assert all(part.kind is bool for part in parts)
        return Formula(lambda e: combine(p.value(e) for p in parts), bool, frozenset().union(*(p.names for p in parts)))

    def factor_of_logic(self):
        negated = self.maybe("not")
        found = self.relation()
        assert not negated or found.kind is bool
        return found._replace(value=lambda e: not found.value(e)) if negated else found

    def relation(self):
        left = self.sum()
        symbol = self.maybe(*RELATIONS)
        if not symbol:
            return left
        right = self.sum()
        assert left.kind is right.kind is float
        compare = RELATIONS[symbol]
        return Formula(lambda e: compare(left.value(e), right.value(e)), bool, left.names | right.names)

    def sum(self):
        sign = self.maybe("+", "-")
        found = self.product()
        if sign == "-":
            assert found.kind is float
            first = found
            found = first._replace(value=lambda e: -first.value(e))
        while symbol := self.maybe(*SUMS):
            found = self.binary(SUMS[symbol], found, self.product())
        return found

    def product(self):
        found = self.power()
        while symbol := self.maybe(*PRODUCTS):
            found = self.binary(PRODUCTS[symbol], found, self.power())
        return found

    def power(self):
        base = self.primary()
        return self.binary(operator.pow, base, self.primary()) if self.maybe("^") else base

    @staticmethod
    def binary(operation, left, right):
        assert left.kind is right.kind is float
        return Formula(lambda e: operation(left.value(e), right.value(e)), float, left.names | right.names)

    def primary(self):
        token = self.next
        if re.match(r"\d", token):
            number = float(self.take())
            return Formula(lambda e: number, float, frozenset())
        if self.maybe("("):
            found = self.expression()
            self.take(")")
            return found
        name = self.name()
        if not self.maybe("("):
            return Formula(lambda e: e[name], bool if self.kinds.get(name) is bool else float, frozenset([name]))
        arguments = [self.expression()]
        while self.maybe(","):
            arguments.append(self.expression())
        self.take(")")
        assert name in BUILTIN or name in self.functions, f"no function {name}"
        assert all(a.kind is float for a in arguments)
        function = BUILTIN.get(name) or self.functions[name]
        names = frozenset().union(*(a.names for a in arguments))
        return Formula(lambda e: function(*(a.value(e) for a in arguments)), float, names)

    # -- the model

    def text(self):
        return self.take()[1:-1] if self.next.startswith('"') else ""

    def declare(self, name, kind):
        assert name not in self.kinds, f"{name} is declared twice"
        self.kinds[name] = kind

    def read_model(self):
        self.kinds, self.parameters, self.constants = {}, {}, {}
        self.variables, self.arrays, self.starts, self.units, self.words = [], [], {}, {}, {}
        self.equations, self.derivatives = [], {}
        self.take("model")
        name = self.name()
        self.description = self.text()
        while not self.maybe("equation"):
            if not self.maybe("protected"):
                self.read_element()
        while self.next != "annotation":
            self.read_equation()
        self.take("annotation")
        depth, self.annotation = 0, ""
        while depth or not self.annotation:
            token = self.take()
            depth += (token == "(") - (token == ")")
            self.annotation += token + " "
        self.take(";")
        self.take("end")
        assert self.name() == name
        self.take(";")
        return name

    def read_element(self):
        if self.maybe("function"):
            return self.read_function()
        final, parameter = self.maybe("final"), self.maybe("parameter")
        kind = {"Real": float, "Boolean": bool}[self.take("Real", "Boolean")]
        while True:
            name = self.name()
            self.declare(name, kind)
            if parameter:
                self.take("=")
                value = self.expression()
                assert value.kind is kind and value.names <= {*self.parameters, *self.constants}
                (self.constants if final else self.parameters)[name] = value
            elif self.maybe("["):
                assert [self.take() for _ in range(4)] == ["4", ",", "4", "]"]
                self.arrays.append(name)
            else:
                self.variables.append(name)
                self.read_modifiers(name)
            self.words[name] = self.text()
            if not self.maybe(","):
                break
        self.take(";")

    def read_modifiers(self, name):
        if not self.maybe("("):
            return
        while True:
            attribute = self.take("unit", "start", "fixed")
            self.take("=")
            if attribute == "unit":
                self.units[name] = self.text()
            elif attribute == "start":
                sign = -1 if self.maybe("-") else 1
                self.starts[name] = sign * float(self.take())
            else:
                self.take("true")
            if not self.maybe(","):
                break
        self.take(")")

    def read_function(self):
        name = self.name()
        assert self.text()
        assert name not in self.kinds
        kinds, self.kinds = self.kinds, {}
        words = [self.take() for _ in range(9)]
        assert words == "input Real x ; output Real y ; algorithm".split()
        assert [self.take(), self.take()] == ["y", ":="]
        body = self.expression()
        assert body.names <= {"x"}
        self.take(";"), self.take("end")
        assert self.name() == name
        self.take(";")
        self.kinds = kinds
        self.kinds[name] = "function"
        self.functions[name] = lambda x: body.value({"x": x})

    def read_equation(self):
        if self.maybe("der"):
            self.take("(")
            name = self.name()
            self.take(")"), self.take("=")
            rate = self.name()
            assert name not in self.derivatives
            self.derivatives[name] = rate
        elif self.maybe("0"):
            self.take("=")
            self.equations.append((None, self.expression()))
        else:
            name = self.name()
            self.take("=")
            self.equations.append((name, self.matrix() if self.maybe("{") else self.expression()))
        self.take(";")

    def matrix(self):
        rows = []
        for i in range(4):
            self.take("{")
            for j in range(4):
                rows.append(self.expression())
                self.take("," if j < 3 else "}")
            self.take("," if i < 3 else "}")
        assert all(x.kind is float for x in rows)
        return rows


def numbers(found, system, state):
    """What the equations of a file say of a state: the residual, and frames by name."""
    n = system.n
    e = {"time": float(state[0])}
    for values in (found.parameters, found.constants):
        for name, formula in values.items():
            e[name] = formula.value(e)
    columns = list(zip(state[1 : 1 + n], state[1 + n : 1 + 2 * n], state[1 + 2 * n :], strict=True))
    values = [
        float(x) for column, is_state in zip(columns, system.states, strict=True) for x in column[int(is_state) :]
    ]
    e |= dict(zip(found.variables, values, strict=False))  # unknowns are declared first, with their derivatives
    residual, frames = [], {}
    for name, formula in found.equations:
        if name is None:
            residual.append(formula.value(e))
        elif name in found.arrays:
            frames[name] = np.array([x.value(e) for x in formula])
        else:
            e[name] = formula.value(e)
    return np.array(residual), frames


def exported(model, folder, **settings):
    path = model.export("modelica", folder, **settings)
    return Parser(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", CASES)
def test_equations_are_those_of_the_model(name, models, rng, tmp_path):  # noqa: F811
    model, system = models(name)
    found = exported(model, tmp_path)
    for state in some_states(rng, system):
        n = system.n
        time, q, qd, qdd = float(state[0]), state[1 : 1 + n], state[1 + n : 1 + 2 * n], state[1 + 2 * n :]
        residual, frames = numbers(found, system, state)  # there is no NaN: roots of negative numbers raise
        expected = system.residual(time, q, qd, qdd)
        assert np.abs(residual - expected).max() <= 1e-12 * np.abs(expected).max()
        if system.mechanism.bodies:
            assert np.concatenate(list(frames.values())) == pytest.approx(system.frames(time, q, qd).ravel(), abs=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_as_many_equations_as_unknowns_and_nothing_undeclared(name, models, tmp_path):  # noqa: F811
    model, system = models(name)
    found = exported(model, tmp_path)
    unknowns = len(found.variables) + 16 * len(found.arrays)
    defined = [left for left, _ in found.equations if left is not None]
    equations = len(found.derivatives) + len(found.equations) + 15 * len(found.arrays)
    assert unknowns == equations
    assert len(defined) == len(set(defined)) and set(defined) <= {*found.variables, *found.arrays}
    assert not set(defined) & {*found.derivatives, *found.derivatives.values()}, "given twice"
    known = {*found.variables, *found.parameters, *found.constants, "time"}
    for left, formula in found.equations:
        for each in formula if isinstance(formula, list) else [formula]:
            assert each.names <= known
            if left in found.kinds:
                assert found.kinds[left] is each.kind
    assert len([left for left, _ in found.equations if left is None]) == system.n
    coordinates, states = len(system.mechanism.coordinates), len(system.mechanism.states)
    assert len(found.derivatives) == len(found.starts) == 2 * coordinates + states
    assert set(found.starts) == set(found.derivatives)


def test_values_units_and_run_stand_in_the_file(tmp_path):
    found = exported(examples.hydraulic_jack(), tmp_path, t_final=2, save_every=0.02, parameters={"m": 12.5},
                     initial={"x": -0.25, "p1": 5e5, "x.dot": 0.125})  # fmt: skip
    assert found.parameters["m"].value({}) == 12.5 and found.parameters["k"].value({}) == 1e5
    assert found.starts == {"x": -0.25, "x_dot": 0.125, "p1": 5e5, "p2": 10e5}
    assert found.units == {
        "x": "m", "x_dot": "m/s", "x_ddot": "m/s2", "p1": "Pa", "p1_dot": "Pa/s", "p2": "Pa", "p2_dot": "Pa/s"
    }  # fmt: skip
    assert found.derivatives == {"x": "x_dot", "x_dot": "x_ddot", "p1": "p1_dot", "p2": "p2_dot"}
    assert "StopTime = 2.0" in found.annotation and "Interval = 0.02" in found.annotation


def test_units_that_modelica_cannot_write_are_left_out(tmp_path):
    model = Model("units")
    model.coordinates("x y z", unit=("m/s", 'a"b', "N.m"))
    for x in model.mechanism.coordinates:
        model.equation(x.ddot + x)
    assert exported(model, tmp_path).units == {"x": "m/s", "z": "N.m"}


def test_a_file_that_is_wrong_is_noticed(tmp_path):
    """The parser itself: it must not take what the grammar does not allow."""
    text = examples.double_pendulum().export("modelica", tmp_path).read_text(encoding="utf-8")
    Parser(text)
    line, name = re.search(r"    (v\d+) = cos\(q1\);\n", text).group(0, 1)
    wrong = ["v1 = cos(q1)", "v1 = 2*-q1;", "v1 = q1^2^2;", "v1 = cos(q1;", "v1 = q1 == q2;", "v1 = 1 < 2 < 3;",
             "v1 = 1 + if q1 < 2 then 1 else 2;", "v1 = cosine(q1);", "v1 = if q1 then 1 else 2;", "v1 + 1 = 2;",
             "end = 1;", "v1 = q1 < 1 + (q1 < 2);", "for = 2;", "v1 = 1..2;"]  # fmt: skip
    for each in wrong:
        with pytest.raises(AssertionError):
            Parser(text.replace(line, f"    {each.replace('v1', name)}\n"))
    with pytest.raises(AssertionError, match="declared twice"):
        Parser(text.replace("    Real q1(", "    Real l1(", 1))


@pytest.mark.parametrize("make", [examples.double_pendulum, examples.hydraulic_jack, every_operation, trouble])
def test_openmodelica_takes_the_file(make, tmp_path):
    if shutil.which("omc") is None:
        pytest.skip("omc (OpenModelica) is not installed")
    path = make().export("modelica", tmp_path, t_final=0.1)
    name = Parser(path.read_text(encoding="utf-8")).model
    script = tmp_path / "script.mos"
    script.write_text(
        f'loadFile("{path.name}");\ncheckModel({name});\nsimulate({name});\ngetErrorString();\n', encoding="utf-8"
    )
    said = run(["omc", script.name], tmp_path)
    assert "completed successfully" in said and "Error" not in said, said


@pytest.mark.long
def test_every_word_of_the_language_can_be_a_name_of_the_model(tmp_path, rng):
    words = sorted({*KEYWORDS, *BUILTIN, "time", "Real", "Boolean", "log1p", "v1", "c1", "w1"} - {"x"})
    model = Model("model", gravity=(0, -9.81, 0))
    (x,) = model.coordinates("x")
    total = sum(model.parameters(**{word: 1.0 + k for k, word in enumerate(words)}))
    for word in words:
        model.body(word, trotz(x) * tdisp(0, -total, 0), mass=total, inertia=(0, 0, 1))
    found, system = exported(model, tmp_path), model.compile("python")
    assert found.model not in KEYWORDS and not {*BUILTIN, "time", "Real", "Boolean"} & set(found.kinds)
    (state,) = some_states(rng, system, 1)
    residual, frames = numbers(found, system, state)
    expected = system.residual(float(state[0]), *state[1:].reshape(3, 1))
    assert residual == pytest.approx(expected, rel=1e-12)
    assert np.concatenate(list(frames.values())) == pytest.approx(system.frames(0, state[1:2]).ravel(), rel=1e-12)
