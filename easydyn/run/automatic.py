"""`method="auto"`: the method that fits a model, by its laws, and by what some first steps of each method cost.

Methods that may fit are tried from the start of the run, without what happens on the way. The one that has cost least
goes on, until one of them is at the end, or it is clear how they get on. Costs are counted, not timed, so that the
choice is the same on every machine: evaluations of the equations, each with the operations of its formulas and those of
the method. Where none is soon at the end, as with stiff equations, Newmark's method extrapolated is tried, too.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import copy
from dataclasses import replace
from math import inf
from typing import Any

from easydyn.engine.graph import CONDITIONS, reachable
from easydyn.errors import EasyDynError, IntegrationError
from easydyn.inputs import positive
from easydyn.result.by_hand import noted
from easydyn.run.setup import Setup
from easydyn.sim import Stepper
from easydyn.sim.methods import AUTO, Method, method_of
from easydyn.sim.records import Records
from easydyn.sim.request import Request
from easydyn.sim.run import DONE, FULL, SPENT

JUMPING = CONDITIONS | {"select", "sign", "floor", "ceil", "mod"}  # operations
FIRST, MOST = 250, 2e6  # evaluations of the first steps; operations after which it is seen how a method gets on
INTERPRETED = 100  # times that an operation takes longer in Python
MANY = 5e7  # operations, a twentieth of a second, after which it is said that another method takes fewer
LONG = dict.fromkeys("sin cos tan asin acos atan atan2 exp log pow sqrt div".split(), 14)  # as many others at a time
ABREAST, SOLVED = 0.25, 80  # what one of eight evaluations abreast takes; to solve with M, for each of its elements
# Operations of a method: for a round of its iteration, for each unknown in it; for any other evaluation, and so on.
OPERATIONS = {"newmark": (190, 60, 0, 0), "newmark_extrapolated": (90, 45, 140, 105), "dop853": (0, 0, 70, 60)}
OPERATIONS["lobatto"] = 640, 120, 420, 30

Prepare = Callable[..., Any]  # run.simulation.prepare


def smooth(system: Any) -> bool:
    """True if no law of a system jumps with the state: what jumps nevertheless is rounding, near a singularity."""
    nodes = reachable(system.program("residual").outputs)
    return not system.mechanism.callbacks and not any(node.op in JUMPING for node in nodes)


def fitting(setup: Setup, request: Request, prepare: Prepare) -> tuple[Method, str]:
    """The method for a run that is asked for, and why; found once for a system."""
    limits = positive(request.tolerance, "tolerance"), positive(request.longest_step, "max_step"), request.min_step
    key = "auto", request.t_final - request.t_start, limits, request.save_every, len(request.save_at or ())
    name, why = setup.system.prepared.of(key, lambda: _fastest(setup, request, prepare))
    return method_of(name), why


def _fastest(setup: Setup, request: Request, prepare: Prepare) -> tuple[str, str]:
    system = setup.system
    if system.derivation.gaps:
        return "newmark", "contacts change its equations"
    jumps = bool(system.mechanism.flags) or not smooth(system)
    quick = system.native and not (jumps or setup.inputs.functions or setup.controllers)
    trials: list[_Trial] = []

    def race(*names: str) -> _Trial | None:
        """The one that is at the end first, or would be."""
        for name in names:
            with suppress(IntegrationError):
                trials.append(_Trial(name, setup, request, prepare))
        while trials:
            ahead = min(trials, key=lambda one: one.spent)
            # laws that jump come to chatter, without events: not too far
            if ahead.ended or ahead.spent > MOST / (1 + jumps) / (1 if ahead.stepper.functions.native else INTERPRETED):
                return min(trials, key=lambda one: one.expected)
            if not ahead.go():
                trials.remove(ahead)
        return None

    best = race("newmark", "dop853", *["lobatto"] * quick)
    if not jumps and (best is None or not best.ended):
        best = race("newmark_extrapolated") or best
    return best.name if best else "newmark", f"of those tried it costs least{'; its laws jump' if jumps else ''}"


class _Trial:
    """A run by a method, without what happens on the way, as far as it is needed to know what it costs."""

    def __init__(self, name: str, setup: Setup, request: Request, prepare: Prepare):
        asked = replace(request, method=method_of(name), step=None)
        prepared = prepare(setup, asked.t_start, asked.t_final, asked.method)
        own = {k: x for k, x in prepared.start.items() if k not in ("events", "clocks", "before_restart")}
        self.stepper = Stepper(prepared.functions, t=asked.t_start, method=asked.method, tolerance=asked.tolerance,
                               max_step=asked.longest_step, min_step=asked.min_step, **own)  # fmt: skip
        self.records, self.name, self.ended = Records(self.stepper, asked, lambda *_: None), name, False
        n, points, functions = setup.system.n, asked.method.family.abreast, prepared.functions
        bodies = {key: setup.system.program(one.key).body for key, one in functions.evaluated.items() if one.key}
        counted = {key: sum(LONG.get(x.op, 1) for x in body) for key, body in bodies.items()}
        one = counted.get("accelerations") or counted["residual"] + counted.get("mass_matrix", 0) + SOLVED * n**2
        of_round, in_round, of_other, in_other = OPERATIONS[name]
        self.other = of_other + in_other * n + one
        due = counted["residual"] if points == 1 else one * points * (ABREAST if functions.accelerations_abreast else 1)
        self.round = of_round + in_round * n + due - points * self.other  # as its evaluations are counted, too
        self.spent, self.t, self.last = 0.0, asked.t_start, (0.0, asked.t_start)

    @property
    def expected(self) -> float:
        """The operations of the whole run: the rest of it as what was done last."""
        (spent, t), end = self.last, self.stepper.run.end
        return self.spent + (end - self.t) / (self.t - t) * (self.spent - spent) if self.t > t else inf

    def go(self) -> bool:
        """Go on for as long as up to now; False where it fails."""
        r, before = self.stepper.run, (self.spent, self.t)
        most = 2 * max(r.residuals, FIRST)
        while r.residuals < most and not self.ended:
            r.budget = most - r.residuals
            try:
                answer = self.stepper.call(self.stepper.kernels.go)
            except EasyDynError:
                return False
            if answer == FULL:
                self.records.take_over()
            elif answer not in (DONE, SPENT):
                return False
            self.ended = answer == DONE
        self.last, self.spent, self.t = before, self.round * r.iterations + self.other * r.residuals, r.t
        return True


def fitted(setup: Setup, request: Request, prepare: Prepare) -> tuple[Setup, Request]:
    """A setup and a request with the method that "auto" stands for, which the run tells."""
    if request.method is not AUTO:
        return setup, request
    method, why = fitting(setup, request, prepare)
    remark = "; ".join(filter(None, (setup.remark, f'method="auto" took {method.name}: {why}')))
    setup, request = replace(setup, remark=remark), copy(request)  # of which all else was checked
    object.__setattr__(request, "method", method)
    return setup, request


def advised(run: Any, setup: Setup, request: Request, prepare: Prepare) -> Any:
    """A run by Newmark's method that took long tells if "auto" would take fewer steps: to try it is compiled, too."""
    most = MANY / (OPERATIONS["newmark"][0] + OPERATIONS["newmark"][1] * setup.system.n)
    if run.stats.newton_iterations <= most or request.method != method_of("newmark") or request.step is not None:
        return run
    what = f'it took {run.stats.steps} steps: method="auto" would take fewer'
    return run if fitting(setup, request, prepare)[0] == request.method else noted(run, what)
