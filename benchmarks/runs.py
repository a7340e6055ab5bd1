"""Which program simulates 5 s fastest, at equal accuracy?

Every program gets the same bodies and the same start, and the setting (tolerance or step) with which it is fastest
among those whose angles at the end are right to 1e-6. A setting counts only if the next tighter one is that accurate
too: a lucky hit does not. The right angles come from references.py. All is warm: what is derived, compiled, allocated
or cached before a run is not counted, and is told apart ("prepared in"). easydyn runs as its peers do, from an object
that was made before: `stepper.reset()`, `stepper.advance(5)`; `model.simulate` has a row of its own.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter

import common
import models
import numpy as np
import peers
import references
from models import Arm

NAME = "runs"
QUESTION = "Whole runs of 5 s, each program at its fastest setting with an error of the final angles of 1e-6 at most"
BOUND = 1e-6
LONGEST = 20.0  # s: a run that takes longer is not waited for

Run = Callable[[], np.ndarray]  # the angles at the end
Maker = Callable[[float], Run]


@dataclass(frozen=True)
class Candidate:
    """A way in which a program can simulate: its settings from loose to tight, and what makes a run of one.

    `final` makes the same run faster, but takes so long that it is only asked for the setting that was found.
    """

    label: str
    settings: Iterable[float]
    make: Maker
    unit: str = "tolerance"
    final: Maker | None = None


@dataclass(frozen=True)
class Choice:
    """The fastest setting of a candidate that is accurate enough; `prepared` is the time (s) to make its run."""

    candidate: Candidate
    setting: float
    run: Run
    error: float
    seconds: float
    prepared: float

    @property
    def detail(self) -> str:
        return f"{self.candidate.unit} {self.setting:g}"

    @property
    def label(self) -> str:
        return f"{self.candidate.label}, {self.detail}"


def tolerances(first: float, last: float, a_decade: int = 3) -> list[float]:
    """Tolerances from loose to tight, evenly in the logarithm."""
    count = round(np.log10(first / last) * a_decade)
    return [float(f"{first * 10 ** (-k / a_decade):.2g}") for k in range(count + 1)]


def step_counts(first: int, last: int) -> Iterator[int]:
    """Numbers of steps, each a quarter more than the one before."""
    count = first
    while count <= last:
        yield count
        count = round(count * 1.25)


# -- the programs -----------------------------------------------------------------------------------------------------


def easydyn_candidates(arm: Arm, target: str) -> list[Candidate]:
    """Newmark's method and those of high order, as far as this version has them."""
    from easydyn import EasyDynError

    model = models.easydyn_model(arm)
    system = model.compile(target=target)
    q, qd, _ = models.random_states(arm, 1)
    mine, written = system.accelerations(0, q, qd), arm.model().compile().accelerations(0, q, qd)
    common.same(mine, written, 1e-9, arm.name)

    def make(method: str, tolerance: float) -> Run:
        stepper = model.stepper(method=method, tolerance=tolerance, target=target)

        def run() -> np.ndarray:
            stepper.reset()
            stepper.advance(references.SECONDS)
            return stepper.q

        return run

    found = []
    for method, settings in (
        ("newmark", tolerances(1e-5, 1e-9)),
        ("newmark_extrapolated", tolerances(1e-2, 1e-10)),
        ("dop853", tolerances(1e-2, 1e-10)),
        ("lobatto", tolerances(1e-2, 1e-10)),
    ):
        try:
            model.simulate(0.001, method=method, target=target)
        except EasyDynError:
            continue
        found.append(Candidate(f"easydyn {system.target}, {method}", settings, partial(make, method)))
    return found


def whole_run(arm: Arm, target: str, like: Choice) -> Choice:
    """The same run by `model.simulate`, which prepares it every time and returns a Trajectory."""
    model, method = models.easydyn_model(arm), like.candidate.label.rpartition(" ")[2]
    seconds = references.SECONDS

    def run() -> np.ndarray:
        return model.simulate(
            seconds, save_every=seconds, method=method, tolerance=like.setting, target=target, max_step=seconds
        ).q[-1]

    common.same(run(), like.run(), 1e-9, f"{like.label}, by simulate")
    return replace(like, run=run, candidate=replace(like.candidate, label=f"{like.candidate.label}, by simulate"))


def heyoka_candidates(arm: Arm) -> list[Candidate]:
    """Taylor series, all functions in line (its default); for long chains the tolerance is found in compact mode."""
    hy = common.peer("heyoka")
    if hasattr(hy.llvm_state, "set_diskcache_enabled"):
        hy.llvm_state.set_diskcache_enabled(False)  # so that the time it takes to prepare is told as it is
    equations = peers.heyoka_equations(arm)
    start = np.concatenate([arm.start, np.zeros(arm.n)])

    def make(compact: bool, tolerance: float) -> Run:
        taylor = hy.taylor_adaptive(equations, start, tol=tolerance, compact_mode=compact)

        def run() -> np.ndarray:
            taylor.state[:] = start
            taylor.time = 0.0
            taylor.propagate_until(references.SECONDS)
            return taylor.state[: arm.n].copy()

        return run

    settings = tolerances(1e-3, 1e-9)
    if arm.n <= 10:
        return [Candidate("heyoka, Taylor", settings, partial(make, False))]
    return [
        Candidate("heyoka, Taylor, compact", settings, partial(make, True)),
        Candidate("heyoka, Taylor", settings, partial(make, True), final=partial(make, False)),
    ]


def casadi_integrators(problem: dict, start: np.ndarray) -> Callable[[dict, float], Run]:
    """What makes a run of CVODES on a problem."""
    ca = common.peer("casadi", "CasADi")
    n = len(start) // 2

    def make(method: dict, tolerance: float) -> Run:
        options = {"reltol": tolerance, "abstol": tolerance, "max_num_steps": 10_000_000, **method}
        integrator = ca.integrator("run", "cvodes", problem, 0, references.SECONDS, options)
        return lambda: integrator(x0=start)["xf"].full()[:n, 0]

    return make


CVODES = tolerances(1e-6, 1e-12)
ADAMS = {"linear_multistep_method": "adams", "nonlinear_solver_iteration": "functional"}


def casadi_problem(arm: Arm) -> tuple[dict, np.ndarray]:
    """Articulated bodies as a differential equation, and its start."""
    ca = common.peer("casadi", "CasADi")
    _, accelerations = peers.casadi_functions(arm)
    x = ca.SX.sym("x", 2 * arm.n)
    derivative = ca.vertcat(x[arm.n :], accelerations(x[: arm.n], x[arm.n :]))
    return {"x": x, "ode": derivative}, np.concatenate([arm.start, np.zeros(arm.n)])


def casadi_candidates(arm: Arm) -> list[Candidate]:
    """CVODES on articulated bodies: Adams and BDF, in CasADi's virtual machine."""
    make = casadi_integrators(*casadi_problem(arm))
    bdf = {"linear_multistep_method": "bdf"}
    return [
        Candidate("CasADi, CVODES Adams", CVODES, partial(make, ADAMS)),
        Candidate("CasADi, CVODES BDF", CVODES, partial(make, bdf)),
    ]


def casadi_in_c_candidates(arm: Arm) -> list[Candidate]:
    """The same with its equations written as C, and compiled beforehand by gcc."""
    ca = common.peer("casadi", "CasADi")
    problem, start = casadi_problem(arm)
    external = peers.casadi_compiled(ca.Function("ode", [problem["x"]], [problem["ode"]]))
    y = ca.MX.sym("x", 2 * arm.n)
    make = casadi_integrators({"x": y, "ode": external(y)}, start)
    return [Candidate("CasADi, CVODES Adams, generated C", CVODES, partial(make, ADAMS))]


def mujoco_candidates(arm: Arm) -> list[Candidate]:
    """Runge and Kutta's method of fourth order, all steps in one call."""
    mujoco = common.peer("mujoco", "MuJoCo")

    def make(steps: float) -> Run:
        model = peers.mujoco_model(arm, references.SECONDS / steps)
        data = mujoco.MjData(model)

        def run() -> np.ndarray:
            mujoco.mj_resetData(model, data)
            data.qpos[:] = arm.start
            mujoco.mj_step(model, data, nstep=int(steps))
            return data.qpos.copy()

        return run

    return [Candidate("MuJoCo, RK4", step_counts(200, 200_000), make, "steps")]


def exudyn_candidates(arm: Arm) -> list[Candidate]:
    """A kinematic tree in minimal coordinates: explicit methods and generalised alpha, nothing written."""
    sys.exudynFast = True  # the build without checks of ranges  # type: ignore[attr-defined]
    exu = common.peer("exudyn", "Exudyn")
    exu.config.printToConsole = False

    def make(solver: str, setting: float) -> Run:
        system, container, _ = peers.exudyn_system(arm, arm.start)
        settings = exu.SimulationSettings()
        settings.solution.file.write = False
        settings.show.statistics = settings.show.computationTime = False
        time = settings.timeIntegration
        time.endTime, time.verboseMode = references.SECONDS, 0
        if setting >= 1:
            time.numberOfSteps = int(setting)
        else:
            time.numberOfSteps, time.initialStepSize, time.minimumStepSize = 1, 1e-3, 1e-12
            time.relativeTolerance = time.absoluteTolerance = setting
        if solver == "GeneralizedAlpha":
            time.generalizedAlpha.spectralRadius = 1.0  # no damping: the most accurate
            time.newton.useModifiedNewton = True
        kind = getattr(exu.DynamicSolverType, solver)

        def run() -> np.ndarray:
            system.SolveDynamic(settings, solverType=kind)
            return np.array(system.systemData.GetODE2Coordinates())

        run.keep = container  # type: ignore[attr-defined]
        return run

    return [
        Candidate("Exudyn, DOPRI5", tolerances(1e-4, 1e-11), partial(make, "DOPRI5")),
        Candidate("Exudyn, RK44", step_counts(200, 200_000), partial(make, "RK44"), "steps"),
        Candidate("Exudyn, RK67", step_counts(100, 200_000), partial(make, "RK67"), "steps"),
        Candidate(
            "Exudyn, generalised alpha", step_counts(2000, 1_000_000), partial(make, "GeneralizedAlpha"), "steps"
        ),
    ]


def scipy_candidates(arm: Arm, name: str, derivative: Callable[[float, np.ndarray], np.ndarray]) -> list[Candidate]:
    """SciPy's integrators on a right-hand side: DOP853 in Python and in compiled code, LSODA by odeint."""
    import scipy.integrate as si

    start = np.concatenate([arm.start, np.zeros(arm.n)])
    end = references.SECONDS

    def solve_ivp(tolerance: float) -> Run:
        return lambda: si.solve_ivp(derivative, (0, end), start, method="DOP853", rtol=tolerance, atol=tolerance).y[
            : arm.n, -1
        ]

    def ode(tolerance: float) -> Run:
        solver = si.ode(derivative).set_integrator("dop853", rtol=tolerance, atol=tolerance, nsteps=1_000_000)

        def run() -> np.ndarray:
            solver.set_initial_value(start, 0.0)
            return solver.integrate(end)[: arm.n]

        return run

    def odeint(tolerance: float) -> Run:
        return lambda: si.odeint(
            derivative, start, [0, end], tfirst=True, rtol=tolerance, atol=tolerance, mxstep=10_000_000
        )[-1, : arm.n]

    return [
        Candidate(f"{name} + SciPy solve_ivp DOP853", tolerances(1e-4, 1e-12), solve_ivp),
        Candidate(f"{name} + SciPy ode dop853", tolerances(1e-4, 1e-12), ode),
        Candidate(f"{name} + SciPy odeint", tolerances(1e-6, 1e-12), odeint),
    ]


def pinocchio_candidates(arm: Arm) -> list[Candidate]:
    """Articulated bodies, called from SciPy."""
    pin = common.peer("pinocchio", "Pinocchio")
    model = peers.pinocchio_model(arm)
    data, n, none = model.createData(), arm.n, np.zeros(arm.n)
    found = np.empty(2 * n)

    def derivative(t: float, x: np.ndarray) -> np.ndarray:
        found[:n] = x[n:]
        found[n:] = pin.aba(model, data, x[:n], x[n:], none)
        return found.copy()

    return scipy_candidates(arm, "Pinocchio aba", derivative)


def pydy_candidates(arm: Arm) -> list[Candidate]:
    """Kane's equations in Cython, called from SciPy."""
    common.peer("pydy", "PyDy")
    if arm.n > 10:
        raise common.NotPossible(f"Kane's equations of {arm.n} bodies take hours in SymPy")
    function = peers.pydy_function(arm)
    return scipy_candidates(arm, "PyDy, Cython", lambda t, x: function(x, t).copy())  # it uses its array again


PEERS: dict[str, Callable[[Arm], list[Candidate]]] = {
    "heyoka": heyoka_candidates,
    "MuJoCo": mujoco_candidates,
    "Exudyn": exudyn_candidates,
    "CasADi": casadi_candidates,
    "CasADi, generated C": casadi_in_c_candidates,
    "Pinocchio": pinocchio_candidates,
    "PyDy": pydy_candidates,
}


# -- the fastest setting ----------------------------------------------------------------------------------------------


def timed(run: Run) -> tuple[np.ndarray, float]:
    """The result and the seconds of one run."""
    began = perf_counter()
    found = run()
    return found, perf_counter() - began


def attempted(candidate: Candidate, setting: float, expected: np.ndarray) -> Choice:
    """One setting of a candidate, with the error and the shortest of a few runs."""
    run, prepared = timed(partial(candidate.make, setting))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tolerances missed or steps cut short: the error tells
        try:
            found, seconds = timed(run)
            if seconds < 1:
                seconds = min(timed(run)[1] for _ in range(3))
        except RuntimeError:  # given up by the program
            return Choice(candidate, setting, run, np.inf, 0.0, prepared)
    error = float(np.abs(found - expected).max()) if np.all(np.isfinite(found)) else np.inf
    return Choice(candidate, setting, run, error, seconds, prepared)


def loosest(candidate: Candidate, expected: np.ndarray, bound: float = BOUND) -> Choice:
    """The loosest of the settings that is accurate enough, and so is the next; NotPossible if there is none."""
    last: Choice | None = None
    for setting in candidate.settings:
        choice = attempted(candidate, setting, expected)
        if choice.seconds > LONGEST:
            raise common.NotPossible(f"more than {LONGEST:g} s a run")
        if last is not None and max(last.error, choice.error) <= bound:
            return remade(last) if candidate.final else last
        last = choice
    raise common.NotPossible("not accurate enough at any setting")


def remade(choice: Choice) -> Choice:
    """A choice with the run that takes long to make, which must give the same."""
    assert choice.candidate.final
    run, prepared = timed(partial(choice.candidate.final, choice.setting))
    common.same(run(), choice.run(), 1e-9, choice.label)
    return replace(choice, run=run, prepared=prepared, seconds=min(timed(run)[1] for _ in range(3)))


def fastest(
    candidates: list[Candidate], expected: np.ndarray, bound: float = BOUND
) -> tuple[Choice, dict[str, str]]:  # fmt: skip
    """The fastest of some candidates, and what was found of each."""
    choices: list[Choice] = []
    said: dict[str, str] = {}
    for candidate in candidates:
        try:
            choice = loosest(candidate, expected, bound)
            choices.append(choice)
            prepared = f", prepared in {common.seconds_text(choice.prepared)}" if choice.prepared > 1 else ""
            said[candidate.label] = f"{common.seconds_text(choice.seconds)} at {choice.detail}{prepared}"
        except common.NotPossible as error:
            said[candidate.label] = str(error)
        print(f"  {candidate.label}: {said[candidate.label]}", file=sys.stderr, flush=True)
    if not choices:
        raise common.NotPossible("; ".join(f"{label}: {why}" for label, why in said.items()))
    return min(choices, key=lambda choice: choice.seconds), said


def case_rows(arm: Arm, target: str, rounds: int, names: Iterable[str]) -> list[common.Row]:
    """easydyn and every peer on one system, each at its best, by turns."""
    expected = references.reference(arm)
    candidates = easydyn_candidates(arm, target)
    print(f"{arm.name}, each program in search of its setting:", file=sys.stderr, flush=True)
    mine, said = fastest(candidates, expected)
    chosen: dict[str, Choice] = {"easydyn": mine, "easydyn's simulate": whole_run(arm, target, mine)}
    if mine.candidate is not candidates[0]:
        chosen["easydyn's Newmark"] = loosest(candidates[0], expected)
    about = {"case": arm.name, "kind": arm.kind, "quantity": f"run of {references.SECONDS:g} s"}
    rows = []
    tried: dict[str, dict[str, str]] = {"easydyn's Newmark": said, "easydyn's simulate": said}
    for name in names:
        try:
            chosen[name], tried[name] = fastest(PEERS[name](arm), expected)
        except common.NotInstalled as error:
            rows.append(common.Row(**about, peer=name, status=f"not installed: {error}"))
        except common.NotPossible as error:
            rows.append(common.Row(**about, peer=name, status=f"not possible: {error}"))
    timings = common.interleave({name: choice.run for name, choice in chosen.items()}, rounds=rounds, least=0.01)
    ours = timings.pop("easydyn")
    for name, timing in timings.items():
        choice = chosen[name]
        rows.append(
            common.compared(
                ours,
                timing,
                **about,
                ours=mine.label,
                error=mine.error,
                peer=choice.label,
                peer_error=choice.error,
                more=tried[name],
            )  # fmt: skip
        )
    return rows


def main() -> None:
    """Measure, print, save."""
    options = common.arguments(__doc__, cases={"nargs": "*", "help": "words in the names of the systems"})
    rows: list[common.Row] = []
    if options.quick:
        rows += case_rows(models.double_pendulum(), options.target, 3, ())
    else:
        for arm in references.arms():
            if not options.cases or any(word in arm.name for word in options.cases):
                rows += case_rows(arm, options.target, 9, PEERS)
    common.finish(NAME, QUESTION, rows, save=options.save and not options.cases)


if __name__ == "__main__":
    main()
