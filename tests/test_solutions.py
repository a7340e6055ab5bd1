"""Nodes that solve equations are differentiated by these: beside the same derivatives of the formulas that they are."""

import math

import numpy as np
import pytest

from easydyn.engine.derivatives import Forward, gradient, solve_for_angle, solve_for_length
from easydyn.engine.graph import Graph
from easydyn.engine.program import Program
from easydyn.engine.targets import python_functions

N = 3  # u, w, and what stands for the unknown


def values_of(graph, inputs, outputs, q):
    prologue, evaluate = python_functions(Program("outputs", outputs, ()))
    return np.array(evaluate(0.0, q, [0.0] * N, [0.0] * N, prologue([], ())))


def angle(told):
    """x of A cos x + B sin x + C = 0, the coefficients functions of u and w; and an angle that x is a part of."""
    g = Graph()
    u, w, x = (g.input("q", k) for k in range(N))
    A, B, C = 2 + u * w, w - u * u, u / 3
    length = A * A + B * B
    k = g.call("sqrt", length - C * C)
    sine, cosine = -(B * C) - A * k, B * k - A * C
    found = g.call("atan2", sine, cosine)
    if told:
        equation = A * g.call("cos", x) + B * g.call("sin", x) + C
        solve_for_angle(found, sine / length, cosine / length, x, [equation])
    turned = u * 2 - found
    return g, (u, w), [found, g.call("sin", turned) * w, g.call("cos", -found - 0.3), g.call("cos", turned)]


def length(told):
    """x of x^2 - 2 b x + c = 0, and of two equations of it that hold together."""
    g = Graph()
    u, w, x = (g.input("q", k) for k in range(N))
    b, c = u + 2, w * u / 4
    found = b + g.call("sqrt", b * b - c)
    if told:
        e = x * x - 2 * b * x + c
        solve_for_length(found, x, [e] if told == 1 else [e, e * (w + x)])
    return g, (u, w), [found, found * found * u, g.call("sin", found)]


@pytest.mark.parametrize("case, told", [(angle, 1), (length, 1), (length, 2)])
def test_derivatives_of_solutions_are_those_of_their_formulas(case, told):
    found = []
    for say in (told, 0):
        g, (u, w), outputs = case(say)
        along = Forward(g, {u: w, w: g.one})
        rates = [along(x) for x in outputs]
        slopes = [s for x in outputs + rates for s in gradient({x: g.one}, [u, w])]
        every = [*outputs, *rates, *(along(x) for x in rates), *slopes]
        found.append(values_of(g, (u, w), every, [0.7, 0.4, math.nan]))  # what stands for the unknown is nowhere left
    np.testing.assert_allclose(*found, rtol=1e-12, atol=1e-12)


def test_sine_and_cosine_of_known_angles_take_no_functions():
    g, _, outputs = angle(1)
    _, sine, cosine, other = outputs
    program = Program("outputs", [sine, cosine, other], ())
    assert not any(node.op == "atan2" for node in program.nodes)
    arguments = {node.args[0].op for node in program.nodes if node.op in ("sin", "cos") and not node.fixed}
    assert arguments <= {"input", "add", "mul"}  # those of 2 u, of no unknown
