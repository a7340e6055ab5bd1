"""What is proved of all angles (`easydyn/engine/intervals.py`), beside formulas whose least value is known."""

import numpy as np
import pytest

from easydyn.engine.graph import Graph
from easydyn.engine.intervals import Bounds
from easydyn.engine.program import Program


def exceeds(program, p, angles, limit):
    return Bounds(program, angles).exceed(np.array([p], dtype=float), limit).tolist() == [True]


LEAST = {
    "a circle": 1.0, "a length": 0.5, "a share": 0.25, "a difference": -2.0, "a size": 0.0625, "an inverse": -0.5,
    "several turns": 1.0, "of a parameter": 0.7,
}  # fmt: skip


def formulas(g, q, p):
    """Formulas of three angles and a parameter of 0.3, whose least values those are."""
    c, s = [g.call("cos", x) for x in q], [g.call("sin", x) for x in q]
    x, y = c[0] + 0.5 * c[1] - 2, s[0] + 0.5 * s[1]
    return {
        "a circle": c[0] * c[0] + s[0] * s[0],
        "a length": g.call("sqrt", x * x + y * y),
        "a share": (2 + c[1]) / (3 - s[2]),
        "a difference": c[0] * c[1] + s[0] * s[1] + g.call("cos", q[1] - q[0] * 2),
        "a size": abs(c[2] + 0.25) - s[2] * s[2] + 1,  # where the cosine is -1/4
        "an inverse": 1 / (1 + abs(s[2])) - c[0] * c[0],
        "several turns": 3 - g.call("cos", 3 * q[0] + q[1]) * 2,
        "of a parameter": 1 + p * c[1],
    }


@pytest.mark.parametrize("name", LEAST)
def test_a_formula_exceeds_what_is_below_its_least_value(name):
    graph, least = Graph(), LEAST[name]
    node = formulas(graph, [graph.input("q", k) for k in range(3)], graph.input("p", 0))[name]
    known, p = Program("margin", [node]), [0.3]
    assert exceeds(known, p, {0, 1, 2}, least - 0.05)
    assert not exceeds(known, p, {0, 1, 2}, least + 1e-3)
    assert not exceeds(known, p, set(), least - 0.05)  # of lengths there is no turn after which all is as it was


def test_of_many_values_of_parameters_each_is_known():
    """1 + p cos(q) + 0 r, whose least value is 1 - |p|, whatever r is; of what is no number nothing is."""
    graph = Graph()
    q, p, r = graph.input("q", 0), graph.input("p", 0), graph.input("p", 1)
    bounds = Bounds(Program("margin", [1 + p * graph.call("cos", q) + graph.call("sqrt", r * r) * 0.001]), {0})
    rows = np.random.default_rng(2).uniform(-1, 1, (500, 2))
    least = 1 - np.abs(rows[:, 0]) + 0.001 * np.abs(rows[:, 1])
    rows[7] = np.nan
    found = bounds.exceed(rows, 0.4)
    assert not found[7] and not found[least < 0.4].any() and found[(least > 0.402) & np.isfinite(rows[:, 0])].all()
    assert bounds.exceed(rows[:0], 0.4).shape == (0,) and not bounds.exceed(rows[7:8], 0.4)[0]


def test_what_turns_do_not_bring_back_is_not_known():
    graph = Graph()
    q, t, u = graph.input("q", 0), graph.input("t", 0), graph.input("u", 0)
    half, other = graph.call("cos", q / 2), graph.call("exp", graph.call("cos", q))
    for node in (q, 5 + half, 5 + q * graph.call("cos", q), other, 5 + t * t, 5 + u * u):
        assert not exceeds(Program("margin", [node]), [], {0}, -1e9)


def test_of_a_few_positions_near_a_dead_point_none_is_overlooked():
    """The region is so small that thousands of samples miss it."""
    graph = Graph()
    q = [graph.input("q", k) for k in range(2)]
    away = 2 - graph.call("cos", q[0] - 1) - graph.call("cos", q[1] - 1)
    margin = Program("margin", [away / (1e-4 + away)])
    assert exceeds(margin, [], {0, 1}, -1e-3) and not exceeds(margin, [], {0, 1}, 1e-3)
    sample = np.random.default_rng(1).uniform(-np.pi, np.pi, (4000, 2))
    away = 2 - np.cos(sample - 1).sum(axis=1)
    assert (away / (1e-4 + away) > 1e-3).all()
