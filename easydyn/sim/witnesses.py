"""A few states along a run, evenly spread over its steps however many there are (kernels)."""

from __future__ import annotations

from easydyn.sim.run import Run

MOST = 32  # then every other one is forgotten, and from now on half as many are kept


def bear_witness(s: Run) -> None:
    """Keep the present state: t, q, qd, the sum of the integrals, and what is held."""
    n, held = s.n, s.number_of_held
    width = 2 + 2 * n + held
    if s.witnessed == MOST:
        for k in range(16):
            for i in range(width):
                s.witnesses[k * width + i] = s.witnesses[(2 * k + 1) * width + i]
        s.witnessed = 16
        s.between_witnesses *= 2
    row = s.witnessed * width
    s.witnesses[row] = s.t
    for i in range(n):
        s.witnesses[row + 1 + i] = s.q[i]
        s.witnesses[row + 1 + n + i] = s.qd[i]
    total = 0.0
    for k in range(s.m):
        total += s.integral[k]
    s.witnesses[row + 1 + 2 * n] = total
    for k in range(held):
        s.witnesses[row + 2 + 2 * n + k] = s.held[k]
    s.witnessed += 1
    s.next_witness = s.steps + s.between_witnesses
