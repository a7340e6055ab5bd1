"""Runs with fixed steps as pure functions of JAX, which can be compiled, vectorised and differentiated.

Coordinates stand in the first axis, runs in all others, so that what is done for many runs is done on whole rows. A
state is (q, qd, qdd). Steps: DOP853 without its estimate of the error (Hairer, Norsett and Wanner, Solving Ordinary
Differential Equations I, II.5), and Newmark's method with beta = 1/4, gamma = 1/2 (eqs. 12, 13). JAX is handed over, so
that nothing is imported here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from easydyn.sim.dop853 import NODES, STAGES

MOST_ITERATIONS = 25
CONVERGED = 1e-6  # correction, beside what is corrected, beyond which the result is NaN

State = tuple[Any, Any, Any]
Step = Callable[[Any, State], State]


def explicit_step(jax: Any, accelerations: Callable[..., Any], h: float) -> Step:
    """A step of DOP853 of length `h` (s); `accelerations`(t, q, qd) -> (n, ...).

    The stages are a loop, so that the equations stand in the compiled text once. The last of them is the state at the
    end: row 12 of the table are the weights.
    """
    jnp = jax.numpy
    rows = np.zeros((12, 13))
    for k, row in enumerate(STAGES[1:13]):
        rows[k, list(row)] = list(row.values())

    def step(t: Any, state: State) -> State:
        q, qd, qdd = state
        n, y = len(q), jnp.concatenate([q, qd])
        K = jnp.zeros((13, *y.shape)).at[0].set(jnp.concatenate([qd, qdd]))

        def stage(carried: Any, row: Any) -> Any:
            K, (part, c, k) = carried[0], row
            at = y + h * jnp.tensordot(part, K, 1)
            slope = jnp.concatenate([at[n:], accelerations(t + c * h, at[:n], at[n:])])
            return (jax.lax.dynamic_update_index_in_dim(K, slope, k, 0), at), None

        table = jnp.array(rows), jnp.array(NODES[1:13]), jnp.arange(1, 13)
        (K, at), _ = jax.lax.scan(stage, (K, y), table)
        return at[:n], at[n:], K[12, n:]

    return step


def implicit_step(jax: Any, residual: Callable[..., Any], matrices: Callable[..., Any], h: float) -> Step:
    """A step of Newmark's method of length `h` (s), by Newton's iteration; what does not converge is NaN.

    `residual`(t, q, qd, qdd) -> (n, ...), and `matrices` of the same: its derivatives by q, qd and qdd, (n, n, ...).
    """

    def step(t: Any, state: State) -> State:
        q, qd, qdd = state

        def moved(a: Any) -> State:
            return q + h * qd + h**2 / 4 * (qdd + a), qd + h / 2 * (qdd + a), a

        def matrix(a: Any) -> Any:
            K, C, M = matrices(t + h, *moved(a))
            return M + h / 2 * C + h**2 / 4 * K

        return moved(root(jax, lambda a: residual(t + h, *moved(a)), matrix, qdd, jax.numpy.abs(qd).max(axis=0) / h))

    return step


def solved(jax: Any, A: Any, b: Any) -> Any:
    """x (n, ...) with A x = b, A (n, n, ...)."""
    jnp = jax.numpy
    x = jnp.linalg.solve(jnp.moveaxis(A, (0, 1), (-2, -1)), jnp.moveaxis(b, 0, -1)[..., None])
    return jnp.moveaxis(x[..., 0], -1, 0)


def root(jax: Any, f: Callable[..., Any], matrix: Callable[..., Any], guess: Any, scale: Any = 0.0) -> Any:
    """x (n, ...) with f(x) = 0, by Newton's iteration with the derivatives `matrix`; NaN where that does not converge.

    Corrections are looked at beside x, and beside a `scale` of the same unit. Its own derivatives are those of the
    solution, whatever the iteration has done.
    """
    jnp = jax.numpy

    def solve(_: Any, x: Any) -> Any:
        def size(x: Any) -> Any:
            return jnp.abs(x).max(axis=0)

        def open_(now: Any) -> Any:
            x, last, before, k = now
            falls = (last > 1e-15 * size(x)) & ((last < before / 2) | (k < 3))
            return falls.any() & (k < MOST_ITERATIONS)

        def better(now: Any) -> Any:
            x, last, _, k = now
            change = solved(jax, matrix(x), f(x))
            return x - change, size(change), last, k + 1

        none = jnp.full_like(size(x), jnp.inf)
        x, last, _, _ = jax.lax.while_loop(open_, better, (x, none, none, 0))
        return jnp.where(last <= CONVERGED * jnp.maximum(size(x), scale) + 1e-9, x, jnp.nan)

    def solve_tangent(g: Callable[..., Any], y: Any) -> Any:
        return solved(jax, jnp.stack([g(jnp.zeros_like(y).at[j].set(1.0)) for j in range(len(y))], axis=1), y)

    return jax.lax.custom_root(f, guess, solve, solve_tangent)


def march(jax: Any, step: Step, start: State, h: float, intervals: int, within: int) -> State:
    """States (K + 1, n, ...) at the start and after each of K `intervals` of so many steps `within`.

    What backward derivatives need of a step is worked out again, so that they keep states alone.
    """
    jnp, once = jax.numpy, jax.checkpoint(step)

    def interval(state: State, k: Any) -> Any:
        def one(state: State, i: Any) -> Any:
            return once((k * within + i) * h, state), None

        found = jax.lax.scan(one, state, jnp.arange(within))[0]
        return found, found

    _, saved = jax.lax.scan(interval, start, jnp.arange(intervals))
    return tuple(jnp.concatenate([x[None], rest]) for x, rest in zip(start, saved, strict=True))  # type: ignore[return-value]
