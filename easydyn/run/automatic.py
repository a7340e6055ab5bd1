"""`method="auto"`: the method that fits a model, by its laws and by how quickly its equations react at the start.

The equations qdd = a(t, q, qd) are linearised at the start, by differences. Their largest eigenvalue L limits the steps
of dop853 to about 6/L and those of lobatto to about 0.6/L, whatever accuracy asks for. Where L times the span is small,
or the motion itself is as fast, nothing is lost. Otherwise these methods follow what has died out long ago, and the
cost of Newmark's method, which does not, is that of the slow part of the motion.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from easydyn.engine.graph import CONDITIONS, reachable
from easydyn.result.by_hand import noted
from easydyn.run.setup import Setup
from easydyn.sim.methods import AUTO, Method, method_of
from easydyn.sim.request import Request

JUMPING = CONDITIONS | {"select", "sign", "floor", "ceil", "mod"}  # operations
LONG = 300.0  # L times the span: below, steps are as long as accuracy allows
STIFF = 500.0  # L beside the rate of the slow part, from which on Newmark's method is less work than dop853
FAST, DAMPED = 1 / 8, 0.2  # parts of L: the rate of a motion that is as fast, a real part that is some damping
LARGEST = 300  # unknowns, of which eigenvalues are computed
STEP, ASIDE = 1e-6, 1e-3  # of differences, and how far from rest, where friction jumps; beside the size
MANY = 20_000  # steps after which it is said that another method takes fewer


def smooth(system: Any) -> bool:
    """True if no law of a system jumps with the state: what jumps nevertheless is rounding, near a singularity."""
    nodes = reachable(system.program("residual").outputs)
    return not system.mechanism.callbacks and not any(node.op in JUMPING for node in nodes)


def fitting(setup: Setup, t: float, span: float) -> tuple[Method, str]:
    """The method for a run that begins at t and takes a span of time (s), and why; found once for a system."""
    name, why = setup.system.prepared.of(("auto", span), lambda: _found(setup, t, span))
    return method_of(name), why


def _found(setup: Setup, t: float, span: float) -> tuple[str, str]:
    system = setup.system
    if system.derivation.gaps:
        return "newmark", "contacts change its equations"
    jumps = "; its laws jump" if system.mechanism.flags or not smooth(system) else ""
    values, rate = _rates(setup, t) if system.n <= LARGEST else (np.zeros(1), 0.0)
    sizes = np.abs(values)
    largest = values[np.argmax(sizes)]
    L = abs(largest)
    moved = rate > FAST * L
    if L * span < LONG or (moved and largest.real > -DAMPED * L):
        quick = system.native and not (jumps or setup.inputs.functions or setup.controllers)
        return "lobatto" if quick else "dop853", f"its motion is not stiff{jumps}"
    slow = max(sizes[sizes * span < LONG].max(initial=0.0), 2 * np.pi / span)
    if L < STIFF * slow:
        return "dop853", f"its motion is hardly stiff{jumps}"
    return "newmark_extrapolated" if moved and not jumps else "newmark", f"its equations are stiff{jumps}"


def fitted(setup: Setup, request: Request) -> tuple[Setup, Request]:
    """A setup and a request with the method that "auto" stands for, which the run tells."""
    if request.method is not AUTO:
        return setup, request
    method, why = fitting(setup, request.t_start, request.t_final - request.t_start)
    told = f'method="auto" took {method.name}: {why}'
    return replace(setup, told=f"{setup.told}; {told}" if setup.told else told), replace(request, method=method)


def advised(run: Any, setup: Setup, request: Request) -> Any:
    """A run by Newmark's method that took many steps tells if "auto" would take fewer."""
    if run.stats.steps <= MANY or request.method != method_of("newmark") or request.step is not None:
        return run
    if fitting(setup, request.t_start, request.t_final - request.t_start)[0] == request.method:
        return run
    return noted(run, f'it took {run.stats.steps} steps: method="auto" would take fewer')


def _rates(setup: Setup, t: float) -> tuple[np.ndarray, float]:
    """Eigenvalues of the equations at the start, and the rate (1/s) at which the motion changes there."""
    system, n, states = setup.system, setup.system.n, setup.system.states

    def change(x: np.ndarray) -> np.ndarray:
        """x' of x = (q, qd): of a state the rate is its qdd."""
        return np.concatenate([np.where(states, 0.0, x[n:]), np.asarray(system.accelerations(t, x[:n], x[n:]))])

    x = np.concatenate([setup.q, setup.qd + ASIDE])
    size, rate = np.maximum(1.0, np.abs(x)), np.abs(change(x))
    steps = STEP * np.diag(size)
    A = np.stack([(change(x + e) - change(x - e)) / (2 * e[k]) for k, e in enumerate(steps)], axis=1)
    values = np.linalg.eigvals(A) if np.isfinite(A).all() else np.zeros(1)
    free = np.flatnonzero(~states[: n - system.mechanism.multipliers])
    of_states = rate[n:][states] / size[n:][states]
    pull = np.sqrt(rate[n + free] / size[free])
    return values, float(np.concatenate([rate[free] / size[free], pull, of_states]).max(initial=0.0))
