"""Bounds of formulas over boxes of angles: what holds in every position is proved there, not tried at some of them.

R. E. Moore, Interval Analysis, Prentice-Hall, 1966.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import partial, reduce
from itertools import product
from typing import Any

import numpy as np

from easydyn.engine.graph import Node
from easydyn.engine.kept import Kept
from easydyn.engine.program import Program
from easydyn.engine.targets import functions_in, python_prologue

BOUNDS = {
    "add": "{} + {}", "sub": "{} + minus({})", "neg": "minus({})", "mul": "times({}, {})",
    "div": "times({}, inverse({}))", "abs": "size({})", "min": "least({}, {})", "sqrt": "root({})", "cos": "cosine({})",
    "sin": f"cosine({{}} - {np.pi / 2})",
}  # fmt: skip
LATELY = 100  # ranges of values
FIRST, MOST = 256, 2**13  # boxes to begin with, and at once: where more are needed nothing is known


def _ends(x: Any) -> Any:
    """The least and the largest values of an interval (2, boxes), or twice a constant."""
    return x if isinstance(x, np.ndarray) else (x, x)


def _minus(x: Any) -> Any:
    return -x[::-1] if isinstance(x, np.ndarray) else -x


def _times(x: Any, y: Any) -> np.ndarray:
    some = [a * b for a in _ends(x) for b in _ends(y)]
    low = reduce(np.minimum, some)
    return np.array([np.maximum(low, 0.0) if x is y else low, reduce(np.maximum, some)])


def _inverse(x: Any) -> Any:
    low, high = _ends(x)
    return np.where(low * high > 0, (1 / high, 1 / low), [[-np.inf], [np.inf]]) if low is not high else 1 / x


def _size(x: np.ndarray) -> np.ndarray:
    return np.array([np.maximum(np.maximum(x[0], -x[1]), 0.0), np.maximum(-x[0], x[1])])


def _root(x: np.ndarray) -> np.ndarray:
    """Of what may be below zero there is none: it has a margin of its own."""
    return np.sqrt(np.maximum(x, 0.0))


def _cosine(x: np.ndarray) -> np.ndarray:
    peak, trough = (np.floor((x[1] - a) / (2 * np.pi)) >= np.ceil((x[0] - a) / (2 * np.pi)) for a in (0.0, np.pi))
    return np.array([np.where(trough, -1.0, np.cos(x).min(axis=0)), np.where(peak, 1.0, np.cos(x).max(axis=0))])


def _least(x: Any, y: Any) -> np.ndarray:
    return np.array([np.minimum(a, b) for a, b in zip(_ends(x), _ends(y), strict=True)])


WORDS = {"minus": _minus, "times": _times, "inverse": _inverse, "size": _size, "least": _least, "root": _root,
         "cosine": _cosine}  # fmt: skip


class Bounds:
    """What the output of a program of parameters and angles exceeds, whatever the angles are.

    Parameters
    ----------
    program : Program
        It has one output.
    angles : set of int
        Their places among q.
    """

    def __init__(self, program: Program, angles: Set[int]):
        inputs = [x for x in program.nodes if x.op == "input" and x.value[0] != "p"]
        self._angles = sorted(x.value[1] for x in inputs if x.value[0] == "q" and x.value[1] in angles)
        self._places = [x.value[1] for x in program.nodes if x.op == "input" and x.value[0] == "p"]
        n, self._parts = len(self._angles), max(int(FIRST ** (1 / max(len(self._angles), 1))), 2)
        self._known = n == len(inputs) and 2**n <= FIRST and _returns(program, inputs)
        self._lately = Kept(LATELY)  # what is known of ranges of values
        self._of_numbers = python_prologue(program)
        self._of_intervals, self._evaluate = functions_in(program, BOUNDS, "{}[{}]", WORDS)
        self._at_once = all(node.op in BOUNDS for node in program.prologue)

    def exceed(self, p: np.ndarray, limit: float) -> np.ndarray:
        """True (N,) of those of N values of all parameters (N, m) with which the output exceeds a limit.

        False where it does not, where something else decides, too, or where it takes too many boxes to know. Values
        that are near enough to each other are looked at at once.
        """
        rows, back = np.unique(p[:, self._places], axis=0, return_inverse=True)
        finite = np.flatnonzero(np.isfinite(rows).all(axis=1))
        found, left = np.zeros(len(rows), dtype=bool), [finite] * (self._known and len(finite) > 0)
        with np.errstate(all="ignore"):
            while left:
                some = left.pop()
                low, high = rows[some].min(axis=0), rows[some].max(axis=0)
                if len(some) == 1 or self._at_once:
                    key = low.tobytes(), high.tobytes(), limit
                    found[some] = self._lately.of(key, partial(self._proved, low, high, limit))
                if len(some) > 1 and not found[some[0]]:
                    widest = np.argmax((high - low) / np.maximum(np.abs(low) + np.abs(high), 1e-300))
                    middle = min((low + high)[widest] / 2, np.nextafter(high, low)[widest])
                    upper = rows[some, widest] > middle
                    left += [some[upper], some[~upper]]
        return found[back.ravel()]

    def _proved(self, lowest: np.ndarray, highest: np.ndarray, limit: float) -> bool:
        alone, ends = bool((lowest == highest).all()), np.array([lowest, highest]).T[:, :, None]
        values = dict(zip(self._places, lowest.tolist() if alone else ends, strict=True))
        constants = self._of_numbers(values) if alone else self._of_intervals(values)
        n, half = len(self._angles), np.pi / self._parts  # of a side of a box
        middles = np.array(list(product(np.linspace(half - np.pi, np.pi - half, self._parts), repeat=n)))

        def low(half: float) -> np.ndarray:
            q = {j: np.array([x - half, x + half]) for j, x in zip(self._angles, middles.T, strict=True)}
            return np.broadcast_to(_ends(self._evaluate(0.0, q, q, q, constants)[0])[0], len(middles))

        while len(middles := middles[~(low(half) > limit)]):  # NaN is not above it
            if len(middles) * 2**n > MOST or not (low(0.0) > limit).all():
                return False
            half /= 2
            middles = (middles[:, None] + half * np.array(list(product((-1, 1), repeat=n)))).reshape(-1, n)
        return True


def _returns(program: Program, angles: Sequence[Node]) -> bool:
    """True if the output is the same after whole turns of these angles, and its bounds are known."""
    turning = set(angles)
    for node in program.body:
        if node.op not in BOUNDS:
            return False
        if turning.intersection(node.args) and node.op not in ("sin", "cos"):
            whole = node.op == "mul" and any(a.op == "const" and float(a.value).is_integer() for a in node.args)
            if not whole and node.op not in ("add", "sub", "neg"):
                return False
            turning.add(node)
    return turning.isdisjoint(program.outputs)
