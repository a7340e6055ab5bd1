"""A step of DOP853 of sixteen runs side by side, each of its own length: straight-line code (see runge_kutta.py).

`attempt(t, h, q, qd, qdd, c, out, stages, weight)`, arrays of sixteen numbers an element: of each run the time and the
length of its step, its state, the constants of its accelerations, and the weights of its first-order states. Then stand
in `out` q1, qd1, qdd1, the rate of error and by how much the step may grow; in `stages` the rates and the accelerations
of all stages. The accelerations come from `evaluate`, which stands in the same module.
"""

from __future__ import annotations

from collections.abc import Sequence

from easydyn.native.abreast import Side, Writer
from easydyn.native.language import WIDE
from easydyn.sim.dop853 import ERRORS, NODES, STAGES

ROWS = 16  # stages that there is room for: those of the dense output, too
LAST = 12
LEAST, MOST = 1e-9, 1e9  # of the tolerance over the error, beyond which a step grows or shrinks by the same


def attempt_text(states: Sequence[bool], tolerance: float, safety: float) -> str:
    """The function for unknowns of which some are first-order `states`."""
    n, w = len(states), Writer()
    w.lines.append(f"  %time = alloca {w.type}, align 64\n  %at = alloca [{n} x {w.type}], align 64")
    t, h = w.load("%t", 0), w.load("%h", 0)
    for i in range(n):
        w.store(w.load("%qd", i), "%stages", i)
        w.store(w.load("%qdd", i), "%stages", ROWS * n + i)

    def total(row: dict[int, float], part: int, i: int) -> Side:
        """Sum over stages of a rate (part 0), or of an acceleration (1), of an unknown."""
        found = None
        for j, a in row.items():
            term = w.load("%stages", (part * ROWS + j) * n + i) * a
            found = term if found is None else found + term
        assert found is not None
        return found

    for k in range(1, LAST + 1):
        for i in range(n):
            q1 = w.load("%q", i) + h * total(STAGES[k], 0, i)
            qd1 = w.load("%qd", i) + h * total(STAGES[k], 1, i)
            w.store(q1, "%out" if k == LAST else "%at", i)
            w.store(qd1, "%stages", k * n + i)
            if k == LAST:
                w.store(qd1, "%out", n + i)
        w.store(t + h * NODES[k], "%time", 0)
        at = w.place("%out" if k == LAST else "%at", 0)
        rates, accelerations = w.place("%stages", k * n), w.place("%stages", (ROWS + k) * n)
        w.call("evaluate", "%time", at, rates, accelerations, "%c", accelerations)
    for i in range(n):
        w.store(w.load("%stages", (ROWS + LAST) * n + i), "%out", 2 * n + i)
    sums: list[Side] = []
    for row in reversed(ERRORS):  # of order 5, then 3
        found = None
        for i in range(n):
            rate = h * total(row, 1, i)
            if states[i]:
                rate = rate / w.load("%weight", i)
            square = rate * rate
            if not states[i]:
                place = total(row, 0, i)
                square = place * place + square
            found = square if found is None else found + square
        assert found is not None
        sums.append(found)
    fifth, third = sums
    below = (fifth + third * 0.01) * float(n)
    error = fifth / w.intrinsic("sqrt", w.choose(w.compare("olt", below, 1e-300), 1.0, below))
    w.store(error, "%out", 3 * n)
    ratio = w.operation("fdiv", tolerance, w.choose(w.compare("olt", error, tolerance / MOST), tolerance / MOST, error))
    ratio = w.choose(w.compare("olt", ratio, LEAST), LEAST, ratio)
    w.store(ratio * w.power(w.inverse_root(ratio, 7), 6) * safety, "%out", 3 * n + 1)
    names = "t h q qd qdd c out stages weight".split()
    return w.text(f"void @attempt({', '.join(f'ptr %{x}' for x in names)}) {WIDE}")
