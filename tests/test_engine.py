"""The fast wing: graph, derivatives, SymPy in and out, targets, compiled systems; oracles are SymPy and differences."""

import concurrent.futures
import math
import multiprocessing
import pickle

import numpy as np
import pytest
import sympy
from sympy import (
    Abs,
    Heaviside,
    Max,
    Min,
    Mod,
    Piecewise,
    Rational,
    atan2,
    ceiling,
    cos,
    exp,
    floor,
    log,
    sign,
    sin,
    sqrt,
)
from targets import TARGETS
from together import together

from easydyn import Force, GeneralizedForce, Model, Spring, ground, t, tdisp, trotx, trotz
from easydyn.engine import targets
from easydyn.engine.derivatives import Forward, gradient
from easydyn.engine.graph import Graph, reachable
from easydyn.engine.program import Program
from easydyn.engine.sympy_bridge import FromSympy, operation
from easydyn.engine.targets import numpy_functions, python_functions
from easydyn.errors import ModelError, SingularMatrixError

x, y, z = SYMBOLS = sympy.symbols("x y z", real=True)

SMOOTH = {
    "polynomial": x**3 - 2 * x * y**2 + z / 3 - 7,
    "negative powers": x / (1 + y**2) ** 3 - 1 / (2 + z**2) - x**-2,
    "roots": sqrt(1 + x**2) * (2 + y**2) ** Rational(-3, 2) + (3 + z) ** Rational(1, 3),
    "powers of powers": (1 + x**2) ** y * (1.5 + z**2) ** 2.5 + 2**x,
    "trigonometry": sin(x * y) * cos(z - x) + sympy.tan(y / 3) - sympy.cot(2 + x / 2),
    "inverse trigonometry": sympy.asin(x / 3) + sympy.acos(y / 3) * sympy.atan(z),
    "reciprocal trigonometry": sympy.sec(x / 2) * sympy.csc(2 + y / 2),
    "hyperbolic": sympy.sinh(x) * sympy.cosh(y) - sympy.tanh(z) + sympy.coth(3 + x) * sympy.sech(y) / sympy.csch(3 + z),
    "inverse hyperbolic": sympy.asinh(x) + sympy.acosh(3 + y) * sympy.atanh(z / 3),
    "exponentials": exp(-x * y) + log(3 + z) * exp(sin(z)),
    "two-argument arctangent": atan2(x - 1, y + 2) * z,
    "nested": sin(cos(sin(x * y) + z) * exp(-(sin(x * y) ** 2))),
    "constants": sympy.pi * x + sympy.E * y - sympy.GoldenRatio * z + sqrt(2) * sin(sympy.pi / 7),
}
KINKED = {
    "absolute value": Abs(x) * y - Abs(sin(z) - x) ** 3,
    "sign": sign(x - y) * z**2,
    "piecewise": Piecewise((x**2, x < y), (sin(y), z > 0), (x * z, True)),
    "nested piecewise": Piecewise((Piecewise((x, y > 0), (z**2, True)), x + z < 1), (y**3, True)),
    "conditions": Piecewise((x, (x > 0) & (y > 0) | ~(z > x)), (y, sympy.Eq(x, 0)), (z, sympy.Ne(y, 1)), (1, True)),
    "weak conditions": Piecewise((x * y, x <= z), (y * z, y >= x), (x * z, True)),
    "minimum and maximum": Min(x, y, z**2) + Max(x * y, z, -1) * x,
    "step": Heaviside(x - y) * x**2 + Heaviside(z, 1) * y,
    "steps in the integers": floor(2 * x) * y + ceiling(z) * x,
    "remainder": Mod(x, 1) * y + Mod(y, -Rational(7, 10)) + Mod(z, 1 + x**2),
}
ALL = SMOOTH | KINKED


def points(rng, number=6):
    """States away from kinks, both signs."""
    return rng.uniform(-1.9, 1.9, (number, 3))


def graph_of(*expressions):
    """(graph, inputs, nodes) of expressions in x, y, z."""
    graph = Graph()
    inputs = [graph.input("q", i) for i in range(3)]
    convert = FromSympy(graph, dict(zip(SYMBOLS, inputs, strict=True)))
    return graph, inputs, [convert(e) for e in expressions]


def values(nodes, state, target=python_functions):
    prologue, evaluate = target(Program("test", nodes, {"q": "xyz"}))
    return np.array(evaluate(0.0, state, state, state, prologue([])), dtype=float)


def exact(expression, state):
    """The number that SymPy gives."""
    return float(sympy.sympify(expression).subs(dict(zip(SYMBOLS, map(sympy.Float, state), strict=True))).evalf(25))


# -- values ---------------------------------------------------------------------------------------------------------


@together("name", ALL)
def test_python_and_numpy_and_sympy_give_the_same_numbers(name, rng):
    expression = ALL[name]
    _, _, nodes = graph_of(expression)
    states = points(rng)
    many = values(nodes, states, numpy_functions)[0]
    for state, vectorised in zip(states, np.broadcast_to(many, len(states)), strict=True):
        (plain,) = values(nodes, state.tolist())
        assert plain == pytest.approx(exact(expression, state), rel=1e-13, abs=1e-13)
        assert vectorised == pytest.approx(plain, rel=1e-13, abs=1e-13)


@pytest.mark.parametrize("name", ALL)
def test_sympy_in_and_out_again_keeps_the_numbers(name, rng):
    _, inputs, nodes = graph_of(ALL[name])
    known = dict(zip(inputs, SYMBOLS, strict=True))
    for node in reachable(nodes):
        if node.op == "const":
            known[node] = sympy.Integer(int(node.value)) if node.value == int(node.value) else sympy.Float(node.value)
        elif node.op != "input":
            known[node] = operation(node.op, *(known[a] for a in node.args))
    back = known[nodes[0]]
    assert back.free_symbols == ALL[name].free_symbols
    _, _, again = graph_of(back)
    for state in points(rng):
        assert exact(back, state) == pytest.approx(exact(ALL[name], state), rel=1e-13, abs=1e-13)
        assert values(again, state.tolist()) == pytest.approx(values(nodes, state.tolist()), rel=1e-14, abs=1e-14)


# -- derivatives ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMOOTH)
def test_derivatives_are_those_of_sympy(name, rng):
    expression = SMOOTH[name]
    graph, inputs, (node,) = graph_of(expression)
    reverse = gradient({node: graph.one}, inputs)
    forward = [Forward(graph, {v: graph.one})(node) for v in inputs]
    mixed = Forward(graph, {inputs[0]: graph.one})(forward[1])
    oracle = [sympy.diff(expression, s) for s in SYMBOLS] + [sympy.diff(expression, y, x)]
    for state in points(rng, 4):
        found = values([*forward, mixed], state.tolist())
        assert found == pytest.approx([exact(e, state) for e in oracle], rel=1e-12, abs=1e-12)
        assert values(reverse, state.tolist()) == pytest.approx(found[:3], rel=1e-12, abs=1e-12)


@together("name", KINKED)
def test_derivatives_of_functions_with_kinks_are_those_of_the_branch(name, rng):
    """Central differences: what is constant by pieces (floor, sign, a condition) has the derivative zero."""
    graph, inputs, (node,) = graph_of(KINKED[name])
    reverse = gradient({node: graph.one}, inputs)
    forward = [Forward(graph, {v: graph.one})(node) for v in inputs]
    h = 1e-5
    for state in points(rng, 8):
        difference = [
            (values([node], (state + e).tolist())[0] - values([node], (state - e).tolist())[0]) / (2 * h)
            for e in np.eye(3) * h
        ]
        assert np.abs(difference).max() < 100  # no kink between
        assert values(forward, state.tolist()) == pytest.approx(difference, abs=1e-8)
        assert values(reverse, state.tolist()) == pytest.approx(difference, abs=1e-8)


def random_expression(rng, depth):
    if depth == 0:
        return [x, y, z, sympy.Integer(int(rng.integers(-3, 4))), Rational(1, 2)][rng.integers(5)]
    a, b = random_expression(rng, depth - 1), random_expression(rng, depth - 1)
    return [
        lambda: a + b, lambda: a - b, lambda: a * b, lambda: a / (2 + b**2), lambda: sin(a), lambda: cos(a + b),
        lambda: sqrt(1 + a**2), lambda: exp(sin(a)), lambda: sympy.atan(a), lambda: atan2(a, 3 + sin(b)),
        lambda: sympy.tanh(a) ** 3, lambda: log(4 + sin(a)), lambda: -a, lambda: (2 + cos(a)) ** sin(b),
    ][rng.integers(14)]()  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(12))
def test_random_expressions_and_their_derivatives(seed):
    rng = np.random.default_rng(seed)
    expression = random_expression(rng, 5) + x * y * z
    graph, inputs, (node,) = graph_of(expression)
    reverse = gradient({node: graph.one}, inputs)
    forward = [Forward(graph, {v: graph.one})(node) for v in inputs]
    oracle = [expression] + [sympy.diff(expression, s) for s in SYMBOLS]
    for state in points(rng, 3):
        expected = [exact(e, state) for e in oracle]
        assert values([node, *forward], state.tolist()) == pytest.approx(expected, rel=1e-11, abs=1e-11)
        assert values(reverse, state.tolist()) == pytest.approx(expected[1:], rel=1e-11, abs=1e-11)


def test_reverse_sweep_adds_what_several_seeds_give(rng):
    graph, inputs, (f, g) = graph_of(sin(x * y), x * z**2)
    found = gradient({f: inputs[2], g: graph.constant(3)}, inputs)  # seeds are held constant
    for state in points(rng, 3):
        X, Y, Z = state
        expected = [Z * Y * np.cos(X * Y) + 3 * Z**2, Z * X * np.cos(X * Y), 6 * X * Z]
        assert values(found, state.tolist()) == pytest.approx(expected, rel=1e-13)


def test_derivative_along_a_direction_is_the_sum_over_inputs(rng):
    graph, inputs, (node,) = graph_of(SMOOTH["nested"])
    seeds = {inputs[0]: inputs[1], inputs[1]: graph.constant(-2)}
    along = Forward(graph, seeds)(node)
    by_x, by_y, _ = gradient({node: graph.one}, inputs)
    for state in points(rng, 3):
        assert values([along], state.tolist()) == pytest.approx(values([by_x * inputs[1] - 2 * by_y], state.tolist()))


# -- the graph ------------------------------------------------------------------------------------------------------


def test_the_same_operation_is_the_same_node():
    g = Graph()
    a, b = g.input("q", 0), g.input("q", 1)
    before = len(g.nodes)
    assert a + b is b + a and a * b is b * a and a.sin() is a.sin()
    assert len(g.nodes) == before + 3


def test_signs_are_normalised():
    g = Graph()
    a, b = g.input("q", 0), g.input("q", 1)
    negative = -a
    assert (b - a) is -(a - b) and -negative is a
    assert a + (-b) is a - b and a - (-b) is a + b
    assert (-a) * b is -(a * b) and (-a) * (-b) is a * b and (-a) / b is -(a / b)
    assert (-a).sin() is -(a.sin()) and (-a).cos() is a.cos()
    assert (-2 * a) is -(2 * a) and (-a) * 2 is -(2 * a)


def test_zeros_ones_and_constants_are_folded():
    g = Graph()
    a = g.input("q", 0)
    assert a + 0 is a and a - 0 is a and a * 1 is a and a / 1 is a and a * 0 is g.zero and a - a is g.zero
    assert 2 * (3 * a) is 6 * a and g.constant(0.5).sin().value == math.sin(0.5)
    assert g.power(a, 0) is g.one and g.power(a, 1) is a and g.power(a, 3) is g.power(a, 2) * a
    assert g.constant(-0.0) is g.zero


def test_powers_of_nodes_are_those_of_numbers(rng):
    """As a force element writes them: dot(r, r)**0.5, stretch**2."""
    graph = Graph()
    x, y, _ = (graph.input("q", i) for i in range(3))
    nodes = [x**2, x**-3, x**0.5, x**1.5, x**y, 2**x, x**0]
    for a, b, c in rng.uniform(0.2, 3, (5, 3)).tolist():
        expected = [a**2, a**-3, a**0.5, a**1.5, a**b, 2**a, 1]
        assert np.allclose(values(nodes, [a, b, c]), expected, rtol=1e-14)
    assert x**0.5 is graph.call("sqrt", x) and (x**2).op == "mul" and x**1 is x


def test_sqrt_of_a_negative_constant_is_refused_in_words():
    with pytest.raises(ModelError, match=r"sqrt\(-2.0\).*not a real number"):
        graph_of(sqrt(x) * 0 + sympy.acosh(y)), Graph().constant(-2).sqrt()
    with pytest.raises(ModelError, match="NaN"):
        Graph().constant(float("nan"))


def test_substitution_folds_anew(rng):
    graph, inputs, (node,) = graph_of((x + y * z) ** 2 + Piecewise((x, z > 0), (y, True)))
    (found,) = graph.substitute([node], {inputs[2]: graph.zero})
    assert {n.value[1] for n in Program("", [found]).nodes if n.op == "input"} == {0, 1}
    for state in points(rng, 3):
        assert values([found], state.tolist())[0] == pytest.approx(state[0] ** 2 + state[1])


@together(
    "expression, words",
    [
        (sympy.gamma(x), "gamma"), (sympy.Function("f")(x), "unknown functions"), (sympy.DiracDelta(x), "impulse"),
        (Piecewise((x, x > 0)), "remaining cases"), (sympy.I * x, "I"), (sympy.Symbol("w") * x, "w.*not a symbol"),
        (sympy.Derivative(sympy.Function("f")(x), x), "unknown functions"), (x + sympy.oo * y, "finite"),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_evaluated_is_refused_in_words(expression, words):
    with pytest.raises(ModelError, match=words):
        graph_of(expression)


def test_operations_of_small_cases_are_counted():
    def count(*expressions):
        return Program("count", graph_of(*expressions)[2]).operations

    assert count(x) == {"mul": 0, "add": 0, "trig": 0, "other": 0}
    assert count(x * y + z) == {"mul": 1, "add": 1, "trig": 0, "other": 0}
    assert count(sin(x) * cos(x) / y, sin(x)) == {"mul": 2, "add": 0, "trig": 2, "other": 0}
    assert count(-x, -(x * y)) == {"mul": 1, "add": 0, "trig": 0, "other": 0}
    assert count(x**4) == {"mul": 2, "add": 0, "trig": 0, "other": 0}
    assert count(exp(x) + sqrt(y)) == {"mul": 0, "add": 1, "trig": 0, "other": 2}


# -- compiled systems -----------------------------------------------------------------------------------------------


def pendulum(**options):
    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=1)
    l, m = model.parameters(l=1.5, m=2)
    model.body("bob", trotz(q) * tdisp(0, -l, 0), mass=m, inertia=(0, 0, 0))
    return model


def arm():
    model = Model("arm", gravity=(0, 0, -9.81))
    a, b = model.coordinates("a b", initial=(0.2, -0.4))
    l, k, c = model.parameters(l=0.8, k=12, c=0.3)
    model.body("first", trotz(a) * trotx(0.3) * tdisp(0, l, 0), mass=1.5, inertia=(0.1, 0.2, 0.3, 0, 0.05, 0))
    hand = model.body("hand", trotz(a) * trotx(b) * tdisp(0, 0, -l), mass=1, inertia=(0.1, 0.1, 0.2), com=(0, 0.1, 0))
    model.add(Spring((hand, (0, 0, 0.1)), (ground, (1, 0, 0)), stiffness=k, free_length=0.4))
    model.add(GeneralizedForce(b, -c * b.dot * Abs(b.dot)))
    model.add(Force(hand, (Piecewise((sin(3 * t), t < 1), (Max(a, 0), True)), 0, 0), frame=hand, at=(0, l, 0)))
    return model


def test_operations_of_a_pendulum_are_those_by_hand():
    """(m l^2) qdd + (m l) (g sin q): m l^2 and m l are of parameters alone."""
    counts = pendulum().operations("residual")
    assert counts["trig"] == counts["add"] == 1 and 2 <= counts["mul"] <= 3
    assert pendulum().operations("mass_matrix") == {"mul": 0, "add": 0, "trig": 0, "other": 0}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("scheme", ["recursive", "explicit", "motor"])
@pytest.mark.parametrize("lead", [(), (1,), (5,), (2, 3), (0,), (4, 0, 2)], ids=str)
def test_targets_agree_for_leading_axes_of_any_shape(scheme, lead, rng):
    model = arm()
    time, (q, qd, qdd) = rng.uniform(0, 2, lead), rng.uniform(-3, 3, (3, *lead, 2))
    systems = {target: model.compile(target=target, scheme=scheme) for target in ("python", "numpy", "auto")}
    shapes = {"residual": (2,), "mass_matrix": (2, 2), "accelerations": (2,), "frames": (2, 4, 4), "energies": (3,)}
    arguments = {
        "residual": (q, qd, qdd), "mass_matrix": (q,), "accelerations": (q, qd), "frames": (q,),
        "energies": (q, qd, qdd),
    }  # fmt: skip
    for name, shape in shapes.items():
        found = {target: getattr(s, name)(time, *arguments[name]) for target, s in systems.items()}
        for target, array in found.items():
            assert array.shape == (*lead, *shape), (name, target)
            assert np.allclose(array, found["python"], rtol=1e-13, atol=1e-13), (name, target)
        for index in np.ndindex(*lead):
            one = getattr(systems["auto"], name)(time[index], *(v[index] for v in arguments[name]))
            assert np.allclose(one, found["numpy"][index], rtol=1e-13, atol=1e-13), name


def test_one_time_serves_many_states_and_one_state_many_times(rng):
    system = arm().compile()
    q, qd = rng.uniform(-1, 1, (2, 5, 2))
    assert np.array_equal(system.accelerations(0.3, q, qd), system.accelerations(np.full(5, 0.3), q, qd))
    times = np.linspace(0, 2, 7)
    each = np.array([system.accelerations(time, q[0], qd[0]) for time in times])
    assert np.allclose(system.accelerations(times, q[0], qd[0]), each, rtol=1e-13)


@pytest.mark.parametrize("target", ["python", "numpy"])
def test_residual_is_that_of_sympy_lambdify(target, rng):
    model = arm()
    residual = model.equations().residual
    parameters = {s: model.values()[str(s)] for s in model.mechanism.parameters}
    a, b = model.mechanism.coordinates
    arguments = [t, (a, b), (a.dot, b.dot), (a.ddot, b.ddot)]
    oracle = sympy.lambdify(arguments, residual.xreplace(parameters), modules="numpy", cse=True)
    system = model.compile(target=target)
    for _ in range(5):
        time, (q, qd, qdd) = rng.uniform(0, 2), rng.uniform(-3, 3, (3, 2))
        expected = np.array(oracle(time, q, qd, qdd), dtype=float).ravel()
        assert system.residual(time, q, qd, qdd) == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("target", ["python", "numpy"])
def test_parameters_override_values_everywhere(target):
    model = pendulum()
    for length in (0.5, 1.0, 3.0):
        expected = -9.81 / length * np.sin(0.7)
        change = {"parameters": {"l": length}}
        assert model.compile(target=target).accelerations(0, [0.7], [0], **change) == pytest.approx(expected, rel=1e-13)
        assert model.compile(target=target, **change).accelerations(0, [0.7], [0]) == pytest.approx(expected, rel=1e-13)
        assert model.compile(target=target).mass_matrix(0, [0.7], **change)[0, 0] == pytest.approx(2 * length**2)
        assert model.compile(target=target).frames(0, [0.0], **change)[0, 1, 3] == -length
        assert model.compile(target=target).residual(0, [0.7], [0], [0], **change) == pytest.approx(
            -expected * 2 * length**2
        )
    assert model.compile().parameters == {"l": 1.5, "m": 2.0}
    model.set_parameters(l=3)
    assert model.compile().accelerations(0, [0.7], [0]) == pytest.approx(-3.27 * np.sin(0.7))


DOMAINS = {
    "root": sqrt(x), "inverse sine": sympy.asin(x / 2 + 2), "logarithm": log(x), "power": x**2.5,
    "symbolic power": (x) ** (y + 0.5), "modulus of a power": Abs(x**2.5), "condition on a power": Max(x**2.5, 1),
    "inverse hyperbolic": sympy.acosh(x),
}  # fmt: skip


@pytest.mark.parametrize("target", ["python", "numpy", "auto"])
@pytest.mark.parametrize("name", DOMAINS)
def test_outside_a_domain_is_nan_and_no_exception(name, target):
    model = Model("domain")
    q, p = model.coordinates("q p")
    model.body("slider", tdisp(q, p, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, DOMAINS[name].subs({x: q, y: p})))
    system = model.compile(target=target)
    one = system.residual(0, [-1.2, 0.2], [0, 0], [0, 0])
    assert np.isnan(one[0]) and one[1] == 0
    many = system.residual(0, [[-1.2, 0.2], [1.7, 0.2], [-1.2, 0.2]], np.zeros(2), np.zeros(2))
    assert np.array_equal(np.isnan(many[:, 0]), [True, name == "inverse sine", True]) and np.all(many[:, 1] == 0)


def test_overflow_and_division_by_zero_are_no_exceptions():
    model = Model("poles")
    q, p = model.coordinates("q p")
    model.body("slider", tdisp(q, p, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, 1 / q), GeneralizedForce(p, exp(p)))
    for target in ("python", "numpy"):
        f = model.compile(target=target).residual(0, [0, 1000], [0, 0], [0, 0])
        assert not np.any(np.isfinite(f))


def test_program_can_be_read():
    """One operation a line, in the model's own names, and the printed lines give the numbers."""
    model = pendulum()
    system = model.compile()
    text = str(model._programs("recursive").program("residual"))
    lines = text.splitlines()
    assert lines[0].startswith("residual: {'mul':")
    assert "# once per set of parameters" in lines and "# at every evaluation" in lines
    assert lines[-1].startswith("return ") and "sin(q)" in text and "q.ddot" in text
    namespace = {"sin": np.sin, "cos": np.cos, "l": 1.5, "m": 2.0}
    for line in lines[1:-1]:
        if line[0] != "#":
            exec(line.replace("q.ddot", "0.4").replace("q.dot", "0.3").replace("(q)", "(0.7)"), namespace)
    result = eval(lines[-1].removeprefix("return "), namespace)
    assert result == pytest.approx(system.residual(0, [0.7], [0.3], [0.4])[0], rel=1e-5)  # constants are printed short


# -- pickling -------------------------------------------------------------------------------------------------------


def test_model_system_and_trajectory_travel_by_pickle(rng):
    model = arm()
    system = model.compile(scheme="explicit", parameters={"k": 20})
    run = model.simulate(0.1, save_every=0.02)
    copy, again, other = (pickle.loads(pickle.dumps(thing)) for thing in (model, system, run))
    q, qd = rng.uniform(-1, 1, (2, 2))
    assert np.array_equal(copy.compile().accelerations(0.3, q, qd), model.compile().accelerations(0.3, q, qd))
    assert np.array_equal(again.accelerations(0.3, q, qd), system.accelerations(0.3, q, qd))
    assert again.parameters == system.parameters and again.scheme == "explicit" and again.parameters["k"] == 20
    assert np.array_equal(other.q, run.q) and other.names == run.names and other.status == run.status
    assert np.array_equal(other.energy.total, run.energy.total)
    a, b = model.mechanism.coordinates
    assert np.array_equal(other.of(a * b.dot), run.of(a * b.dot))
    assert not other.q.flags.writeable


def accelerations_there(system, q, qd):
    return system.accelerations(0.3, q, qd)


def simulate_there(model, length):
    return model.simulate(0.05, parameters={"l": length}, save_every=0.05)


@pytest.mark.long
def test_models_and_systems_work_in_another_process():
    """In a process that was spawned: nothing is inherited, everything travels."""
    model = arm()
    q, qd = np.array([0.3, -0.4]), np.array([1.0, -2.0])
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        there = pool.submit(accelerations_there, model.compile(), q, qd)
        runs = [pool.submit(simulate_there, model, length) for length in (0.5, 0.9)]
        assert np.array_equal(there.result(), model.compile().accelerations(0.3, q, qd))
        for length, run in zip((0.5, 0.9), runs, strict=True):
            assert np.array_equal(run.result().q, simulate_there(model, length).q)


FORMULAS_OF_BRANCHES = {
    "a root": lambda x: Piecewise((sympy.sqrt(x) * x**2, x > 0), (0, True)),
    "twice the same root": lambda x: Piecewise((sympy.sqrt(x) * x**2 + x * sympy.sqrt(x), x > 0), (-x, True)),
    "three branches": lambda x: Piecewise((sympy.log(x) * x, x > 1), (x**2, x > -1), (sympy.sqrt(-1 - x), True)),
    "one in another": lambda x: Piecewise(
        (Piecewise((sympy.sqrt(x - 1) * x, x > 1), (x, True)) * x, x > 0), (sympy.sin(x), True)
    ),
}


@pytest.mark.parametrize("name", FORMULAS_OF_BRANCHES)
@pytest.mark.parametrize("target", TARGETS)
def test_a_branch_that_is_not_taken_counts_for_nothing(name, target):
    """A reverse sweep multiplies zeros by what has no value there; the explicit scheme does not sweep back."""
    model = Model("branches", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y")
    model.body("body", tdisp(x, FORMULAS_OF_BRANCHES[name](x) + y, 0), mass=2, inertia=(0, 0, 0))
    ours, theirs = (model.compile(target, scheme) for scheme in ("recursive", "explicit"))
    for at in (-2.5, -0.5, 0.5, 2.5):
        state = [at, 0.3], [0.7, -0.2], [0.4, 1.1]
        found = ours.residual(0, *state)
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found, theirs.residual(0, *state), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(ours.mass_matrix(0, state[0]), theirs.mass_matrix(0, state[0]), rtol=1e-12)
        here, there = (s.accelerations(0, *state[:2]) for s in (ours, theirs))
        np.testing.assert_allclose(here, there, rtol=1e-10, atol=1e-12)


def test_programs_keep_what_they_work_out_no_longer_than_they_must():
    """Arguments first, nothing twice, nothing that is not used, and of a long chain of uses little is kept at once."""
    graph = Graph()
    x = [graph.input("q", k) for k in range(100)]
    squares = [a * a for a in x]  # all made first, and used one by one
    total = graph.zero
    for a in reversed(squares):
        total = a.sin() + total
    nodes = Program("sum", [total]).nodes
    place = {node.index: k for k, node in enumerate(nodes)}
    assert {n.index for n in nodes} == {n.index for n in reachable([total])} and len(place) == len(nodes)
    assert all(place[a.index] < place[n.index] for n in nodes for a in n.args)
    assert max(place[n.index] - place[a.index] for n in nodes for a in n.args if n.op == "sin") == 1


def test_of_many_instants_the_singular_one_is_named():
    """A point in polar coordinates, which do not say how it moves through the origin."""
    model = Model("polar")
    r, phi = model.coordinates("r phi")
    model.body("point", trotz(phi) * tdisp(r, 0, 0), mass=2, inertia=(0, 0, 0))
    system, q = model.compile(target="python"), np.array([[1.0, 0], [2, 0.3], [0, 0.1]])
    found = system.accelerations(np.arange(2), q[:2], np.ones((2, 2)))
    np.testing.assert_allclose(found, np.stack([q[:2, 0], -2 / q[:2, 0]], axis=-1), rtol=1e-14)
    with pytest.raises(SingularMatrixError, match=r"singular at t = 7 s.* the acceleration of phi"):
        system.accelerations([5, 6, 7], q, np.zeros((3, 2)))


def test_a_chain_of_twice_the_links_takes_twice_the_work(monkeypatch):
    """Residual and energies of links that hang on each other: operations that are asked for, whether known or new."""
    asked, make = [0], Graph._make

    def counted(*args, **options):
        asked[0] += 1
        return make(*args, **options)

    monkeypatch.setattr(Graph, "_make", counted)

    def work(n):
        model, T, found = Model("chain", gravity=(0, -9.81, 0)), tdisp(0, 0, 0), []
        for q in model.coordinates([f"q{k}" for k in range(n)]):
            T = T * trotz(q)
            model.body(f"link {q}", T * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0.1))
            T = T * tdisp(0, -1, 0)
        system = model.compile(target="python")
        for key in ("residual", "mechanical_energies"):
            asked[0] = 0
            system.program(key)
            found.append(asked[0])
        return np.array(found)

    assert (work(80) < 2.1 * work(40)).all()


def test_what_several_formulas_use_is_worked_out_once():
    model = Model("bar")
    q = model.coordinate("q")
    model.body("bar", trotz(q), mass=1, inertia=(0, 0, 1))
    system, s = model.compile(), sympy.sin(q)
    program = system.program(tuple(system.node(x) for x in (s, 2 * s, q + s)))
    assert targets.source(program, targets.PYTHON, "{0}[{1}]").count("sin(") == 1
