"""Closed loops: how fast are whole runs, beside the open tree of the same bodies, beside other programs, and with size?

The squeezer of the IVP test set (0.03 s), forty four-bars side by side (0.5 s) and a hexapod (1 s) run in every
program at its fastest setting with an error at the end of 1e-6 at most, as in runs.py: angles of the bodies in rad, the
place of the platform in m. The right values come from easydyn with tolerance 1e-12, once by independent coordinates and
once by multipliers, which must agree to 1e-8. CasADi's IDAS gets the very equations of easydyn, M qdd + h = J' lambda
with the second derivatives of the constraints; Exudyn has absolute coordinates and joints. easydyn
runs as its peers do, from an object that was made before (`stepper.reset()`, `stepper.advance()`, of independent
coordinates these are compared), and by `model.simulate`.

Then: what an evaluation costs beside that of the open tree (V engine), how long a minute of twelve walking legs takes,
how the energy of a thousand turns drifts beside that of a double pendulum, how all grows with N four-bars, and what the
first run of 20 four-bars takes that are equal, or each of its own size (CPU time).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any
from unittest import mock

import common
import models
import numpy as np
from runs import Candidate, fastest, step_counts, tolerances

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

NAME = "loops"
QUESTION = "Closed loops: runs with an error of 1e-6 at most, each program at its fastest setting"
FORMS = ("reduced", "multipliers")
SIZES = (10, 20, 50, 100)
TURNS = 1050.0  # s, of about 1000 turns


class Case:
    """A mechanism, how long it runs, and what is looked at in the end.

    Parameters
    ----------
    name, kind : str
        "squeezer", "planar".
    make : callable
        What makes the model (and its closures).
    seconds : float
        Of the run.
    end : callable
        end(q): what is compared, from the coordinates at the end.
    absolute : callable
        absolute(exu): the system of Exudyn, and what gives `end` of it.
    """

    def __init__(self, name: str, kind: str, make: Callable[[], Any], seconds: float, end: Any, absolute: Any):
        self.name, self.kind, self.make, self.seconds = name, kind, make, seconds
        self.end, self.absolute = end, absolute

    @cached_property
    def last(self) -> np.ndarray:
        """The coordinates at the end; of loops by both forms, which agree."""
        model = self.make()[0]
        at = {"save_at": [0, self.seconds], "method": "dop853", "tolerance": 1e-12}
        one, other = (model.simulate(self.seconds, constraints=form, **at).q[-1] for form in FORMS)
        assert np.abs(one - other).max() < 1e-8, f"{self.name}: both forms differ by {np.abs(one - other).max():.1e}"
        return np.asarray(one)


def easydyn_candidates(case: Case, target: str, **options: Any) -> list[Candidate]:
    """From an object that was made before, as its peers run, and `model.simulate`, which prepares each run."""
    model = case.make()[0]

    def make(method: str, tolerance: float) -> Callable[[], np.ndarray]:
        def run() -> np.ndarray:
            found = model.simulate(
                case.seconds, save_at=[0, case.seconds], method=method, tolerance=tolerance, target=target,
                max_step=case.seconds, **options,
            )  # fmt: skip
            return np.asarray(case.end(found.q[-1]))

        run()  # what is derived and compiled once is not counted
        return run

    def make_stepper(method: str, tolerance: float) -> Callable[[], np.ndarray]:
        stepper = model.stepper(method=method, tolerance=tolerance, target=target, max_step=case.seconds, **options)
        names = [str(c) for c in model.mechanism.coordinates]
        own = [names.index(name) for name in stepper.names if name in names]
        q = case.last.copy()  # others follow, and are not looked at

        def run() -> np.ndarray:
            stepper.reset()
            stepper.advance(case.seconds)
            q[own] = stepper.q[: len(own)]
            return np.asarray(case.end(q))

        return run

    words = options.get("constraints", "open tree")
    found = [
        Candidate(f"easydyn, {words}, {method}", tolerances(1e-2, 1e-10), partial(make_stepper, method))
        for method in ("dop853", "lobatto")
    ]
    found.append(Candidate(f"easydyn's simulate, {words}", tolerances(1e-2, 1e-10), partial(make, "dop853")))
    return found


def without_closures(make: Callable[[], Any]) -> Any:
    """The open tree of the same bodies."""
    from easydyn import Model

    with mock.patch.object(Model, "close", lambda *_, **__: None):
        return make()


# -- CasADi -----------------------------------------------------------------------------------------------------------


def residual_of(model: Any, ca: Any) -> Callable[..., list[Any]]:
    """residual(t, q, qd, qdd) of a model in CasADi's symbols; of a multiplier the rate is unknown, in `qdd`."""
    from easydyn.engine.program import PYTHON
    from easydyn.engine.targets import Target, python_functions, source

    found: dict[str, Any] = {}

    def noted(program: Any) -> Any:
        prologue, evaluate = python_functions(program)

        def noted_prologue(p: Any, u: Any = ()) -> Any:
            found[program.name] = program, p, u
            return prologue(p, u)

        return noted_prologue, evaluate

    system = model.compile(Target("noted", noted))
    system.residual(0, *np.zeros((3, system.n)))
    program, p, u = found["residual"]
    space = {name: getattr(ca, name) for name in "sqrt sin cos tan asin acos atan atan2 exp log".split()}
    space |= {"pow": ca.power, "inf": np.inf}
    exec(source(program, PYTHON, "{}[{}]"), space)
    constants = space["prologue"](list(p), list(u))
    return lambda t, q, qd, qdd: space["evaluate"](t, q, qd, qdd, constants)


def idas_candidates(case: Case) -> list[Candidate]:
    """IDAS on easydyn's equations: q' = qd, qd' = a, 0 = residual(q, qd, (a, lambda)); interpreted, and as C."""
    ca = common.peer("casadi", "CasADi")
    model = case.make()[0]
    system = model.compile()
    start = model.assemble()
    n = len(start) // 2
    q0, qd0 = np.array(list(start.values())).reshape(2, n)
    none = np.zeros(system.n - n)
    q, qd, a = (ca.SX.sym(name, size) for name, size in (("q", n), ("qd", n), ("a", system.n)))
    whole = [[*ca.vertsplit(x), *none] for x in (q, qd)]
    rows = residual_of(model, ca)(0.0, *whole, ca.vertsplit(a))
    problem = {"x": ca.vertcat(q, qd), "z": a, "ode": ca.vertcat(qd, a[:n]), "alg": ca.vertcat(*rows)}
    guess = system.accelerations(0, np.append(q0, none), np.append(qd0, none))

    def make(options: dict, tolerance: float) -> Callable[[], np.ndarray]:
        settings = {"reltol": tolerance, "abstol": tolerance, "max_num_steps": 1_000_000, **options}
        integrator = ca.integrator("run", "idas", problem, 0, case.seconds, settings)
        return lambda: np.asarray(case.end(integrator(x0=np.append(q0, qd0), z0=guess)["xf"].full()[:n, 0]))

    settings = tolerances(1e-5, 1e-12)
    compiled = {"jit": True, "compiler": "shell", "jit_options": {"flags": ["-O2"]}}
    return [
        Candidate("CasADi, IDAS", settings, partial(make, {})),
        Candidate("CasADi, IDAS, generated C", settings, partial(make, compiled)),
    ]


# -- Exudyn -----------------------------------------------------------------------------------------------------------


def exudyn_candidates(case: Case) -> list[Candidate]:
    """Bodies in absolute coordinates and joints: generalised alpha of index 3 and 2, nothing written."""
    sys.exudynFast = True  # the build without checks of ranges  # type: ignore[attr-defined]
    exu = common.peer("exudyn", "Exudyn")
    common.peer("exudyn.utilities", "Exudyn")
    exu.config.printToConsole = False

    def make(index_2: bool, steps: float) -> Callable[[], np.ndarray]:
        container = exu.SystemContainer()
        system = container.AddSystem()
        end = case.absolute(exu, system)
        system.Assemble()
        settings = exu.SimulationSettings()
        settings.solution.file.write = False
        settings.show.statistics = settings.show.computationTime = False
        settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        time = settings.timeIntegration
        time.endTime, time.verboseMode, time.numberOfSteps = case.seconds, 0, int(steps)
        time.generalizedAlpha.spectralRadius = 1.0 if index_2 else 0.9
        time.generalizedAlpha.useIndex2Constraints = time.generalizedAlpha.useNewmark = index_2
        time.newton.useModifiedNewton = True
        time.newton.relativeTolerance, time.newton.absoluteTolerance = 1e-10, 1e-12

        def run() -> np.ndarray:
            system.SolveDynamic(settings)
            return np.asarray(end())

        run.keep = container  # type: ignore[attr-defined]
        return run

    return [
        Candidate("Exudyn, generalised alpha", step_counts(100, 400_000), partial(make, False), "steps"),
        Candidate("Exudyn, trapezoidal, index 2", step_counts(100, 400_000), partial(make, True), "steps"),
    ]


Pin = tuple[str | None, tuple[float, float], str | None, tuple[float, float]]  # body, point, body, point; None: ground


class Absolute:
    """The bodies of a model at its start as bodies of Exudyn in absolute coordinates, in a plane or in space."""

    def __init__(self, exu: Any, system: Any, model: Any, *, in_plane: bool):
        import exudyn.utilities as utilities

        self.exu, self.system, self.model, self.u = exu, system, model, utilities
        self.ground = system.AddObject(utilities.ObjectGround())
        start = model.simulate(1e-9, save_at=[0, 1e-9], constraints="multipliers", method="dop853")
        self.g = np.array([*map(float, model.gravity)])
        self.bodies: dict[str, Any] = {}
        self.nodes: dict[str, Any] = {}
        for body in model.bodies:
            R = start.frames(body)[0, :3, :3]
            place, v, omega = (start.of(x)[0] for x in (body.T.e + body.T.R * body.com, body.vG, body.omega))
            inertia = np.array(body.inertia, dtype=float).reshape(3, 3)
            if in_plane:
                turned = [place[0], place[1], float(np.arctan2(R[1, 0], R[0, 0]))]
                node = system.AddNode(utilities.NodeRigidBody2D(
                    referenceCoordinates=turned, initialVelocities=[v[0], v[1], omega[2]],
                ))  # fmt: skip
                number = system.AddObject(utilities.ObjectRigidBody2D(
                    physicsMass=float(body.mass), physicsInertia=inertia[2, 2], nodeNumber=node,
                ))  # fmt: skip
                at = system.AddMarker(utilities.MarkerBodyPosition(bodyNumber=number))
                system.AddLoad(utilities.Force(markerNumber=at, loadVector=list(self.g * float(body.mass))))
            else:
                number = system.CreateRigidBody(
                    inertia=utilities.RigidBodyInertia(mass=float(body.mass), inertiaTensor=inertia),
                    referencePosition=list(place), referenceRotationMatrix=R, initialVelocity=list(v),
                    initialAngularVelocity=list(omega), gravity=list(self.g),
                )  # fmt: skip
                node = system.GetObject(number)["nodeNumber"]
            self.bodies[body.name] = number
            self.nodes[body.name] = node

    def marker(self, body: str | None, point: Any) -> Any:
        """At a point of a body, told in the frame of its matrix T."""
        point = np.array([*point, 0.0, 0.0][:3])
        number = self.ground
        if body is not None:
            com = next(np.array([*map(float, b.com)]) for b in self.model.bodies if b.name == body)
            number, point = self.bodies[body], point - com
        return self.system.AddMarker(self.u.MarkerBodyPosition(bodyNumber=number, localPosition=list(point)))

    def pins(self, pins: list[Pin]) -> None:
        """Revolute joints in a plane."""
        for one, here, other, there in pins:
            markers = [self.marker(one, here), self.marker(other, there)]
            self.system.AddObject(self.u.ObjectJointRevolute2D(markerNumbers=markers))

    def spring(self, first: Any, second: Any, stiffness: float, length: float, damping: float = 0.0) -> None:
        """Between two points, each (body, point)."""
        self.system.AddObject(self.u.ObjectConnectorSpringDamper(
            markerNumbers=[self.marker(*first), self.marker(*second)], stiffness=stiffness, referenceLength=length,
            damping=damping,
        ))  # fmt: skip

    def angles(self) -> np.ndarray:
        """Of all bodies to the x axis, in a plane."""
        return np.array([self._coordinates(name)[2] for name in self.bodies])

    def _coordinates(self, body: str) -> np.ndarray:
        node, kind = self.nodes[body], self.exu.OutputVariableType.Coordinates
        there = self.system.GetNodeParameter(node, "referenceCoordinates")
        return np.asarray(self.system.GetNodeOutput(node, kind)) + np.asarray(there)

    def place(self, body: str) -> np.ndarray:
        """Of the centre of mass of a body (3,)."""
        return np.asarray(self.system.GetNodeOutput(self.nodes[body], self.exu.OutputVariableType.Position))


# -- the cases --------------------------------------------------------------------------------------------------------


def squeezer_case() -> Case:
    """Seven bodies, three loops."""
    from mechanisms.squeezer import DATA, squeezer

    p = DATA["params"]

    def absolute(exu: Any, system: Any) -> Callable[[], np.ndarray]:
        mechanism = Absolute(exu, system, squeezer()[0], in_plane=True)
        A, B, O, joint = (p["xa"], p["ya"]), (p["xb"], p["yb"]), (0, 0), ("K2", (-p["d"], 0))
        mechanism.pins([
            (None, O, "K1", O), ("K1", (p["rr"], 0), "K2", O), (None, B, "K3", O), (None, A, "K5", O),
            ("K5", (p["zt"], 0), "K4", O), (None, A, "K7", O), ("K7", (0, -p["u"]), "K6", O),
            (*joint, "K3", (0, -p["ss"])), (*joint, "K4", (0, -p["e"])), (*joint, "K6", (p["zf"], 0)),
        ])  # fmt: skip
        mechanism.spring(("K3", (p["sd"], -p["sc"])), (None, (p["xc"], p["yc"])), p["c0"], p["l0"])
        turned = system.AddMarker(mechanism.u.MarkerBodyRigid(bodyNumber=mechanism.bodies["K1"]))
        system.AddLoad(mechanism.u.Torque(markerNumber=turned, loadVector=[0, 0, p["mom"]]))
        return mechanism.angles

    def end(q: np.ndarray) -> np.ndarray:
        beta, Theta, gamma, Phi, delta, Omega, eps = q[:7]
        return np.array([beta, beta + Theta, gamma, delta + Phi, delta, eps + Omega, eps])

    return Case("squeezer", "planar", squeezer, 0.03, end, absolute)


def four_bars_case(n: int = 40) -> Case:
    """N four-bars side by side."""
    from mechanisms.n_four_bar import n_four_bar

    def absolute(exu: Any, system: Any) -> Callable[[], np.ndarray]:
        mechanism = Absolute(exu, system, n_four_bar(n)[0], in_plane=True)
        pins: list[Pin] = [(None, (i, 0), f"link {i}", (0, 0)) for i in range(n + 1)]
        for i in range(n):
            pins += [(f"link {i}", (1, 0), f"bar {i}", (0, 0)), (f"bar {i}", (1, 0), f"link {i + 1}", (1, 0))]
        mechanism.pins(pins)
        return mechanism.angles

    def end(q: np.ndarray) -> np.ndarray:
        return np.concatenate([q[: n + 1], q[:n] + q[n + 1 : 2 * n + 1]])

    return Case(f"{n} four-bars", "planar", partial(n_four_bar, n), 0.5, end, absolute)


def hexapod_case() -> Case:
    """A platform on six struts of two parts, universal joints below and balls above."""
    from mechanisms.hexapod import DATA, hexapod

    def absolute(exu: Any, system: Any) -> Callable[[], np.ndarray]:
        model = hexapod()[0]
        mechanism, law = Absolute(exu, system, model, in_plane=False), DATA["struts"]
        for i, (foot, point) in enumerate(zip(DATA["base"], DATA["platform"], strict=True)):
            lower, upper, platform = (mechanism.bodies[name] for name in (f"lower {i}", f"upper {i}", "platform"))
            ball = system.GetObjectOutputBody(platform, exu.OutputVariableType.Position, list(map(float, point)),
                                              exu.ConfigurationType.Reference)  # fmt: skip
            system.CreateGenericJoint(
                bodyNumbers=[mechanism.ground, lower], position=list(map(float, foot)), useGlobalFrame=True,
                constrainedAxes=[1, 1, 1, 0, 0, 1],
            )
            system.CreatePrismaticJoint(
                bodyNumbers=[lower, upper], position=list(ball), axis=[0.0, 0.0, 1.0], useGlobalFrame=False
            )
            system.CreateSphericalJoint(bodyNumbers=[upper, platform], position=list(ball))
            mechanism.spring((None, foot), ("platform", point), law["stiffness"], law["free_length"], law["damping"])
        return lambda: mechanism.place("platform")

    return Case("hexapod", "spherical", hexapod, 1.0, lambda q: q[:3], absolute)


PEERS: dict[str, Callable[[Case], list[Candidate]]] = {"Exudyn": exudyn_candidates, "CasADi": idas_candidates}


def case_rows(case: Case, target: str, rounds: int) -> list[common.Row]:
    """easydyn in its forms, the open tree, and the peers, by turns."""
    expected = np.asarray(case.end(case.last))
    print(f"{case.name}, each program in search of its setting:", file=sys.stderr, flush=True)
    mine = [c for form in FORMS for c in easydyn_candidates(case, target, constraints=form)]
    chosen = {"easydyn": fastest(mine, expected)[0]}
    tree = Case(f"{case.name}, open", case.kind, partial(without_closures, case.make), case.seconds, case.end, None)
    chosen["its open tree"] = fastest(easydyn_candidates(tree, target), np.asarray(tree.end(tree.last)))[0]
    about = {"case": case.name, "kind": case.kind, "quantity": f"run of {case.seconds:g} s"}
    rows = []
    for name, candidates in PEERS.items():
        try:
            chosen[name] = fastest(candidates(case), expected)[0]
        except common.NotInstalled as error:
            rows.append(common.Row(**about, peer=name, status=f"not installed: {error}"))
        except common.NotPossible as error:
            rows.append(common.Row(**about, peer=name, status=f"not possible: {error}"))
    timings = common.interleave({name: choice.run for name, choice in chosen.items()}, rounds=rounds, least=0.01)
    ours = timings.pop("easydyn")
    for name, timing in timings.items():
        rows.append(common.compared(
            ours, timing, peer=f"{name}: {chosen[name].label}", error=chosen["easydyn"].error,
            peer_error=chosen[name].error, ours=chosen["easydyn"].label, **about,
        ))  # fmt: skip
    return rows


# -- an evaluation, a minute, a thousand turns, and growth -------------------------------------------------------------


def evaluation_rows(target: str, rounds: int) -> list[common.Row]:
    """Steps of the same number of evaluations, of a V engine and of its open tree."""
    from mechanisms.engines import engine_v6

    steps, runs = 2000, {}
    for name, model in (("loops", engine_v6()[0]), ("tree", without_closures(engine_v6)[0])):
        options = {} if name == "tree" else {"constraints": "reduced"}
        runs[name] = partial(
            model.simulate, 0.2, method="dop853", step=0.2 / steps, save_at=[0, 0.2], target=target, **options
        )
    times = common.interleave(runs, rounds=rounds)
    return [common.compared(times["tree"], times["loops"], case="V6 engine", kind="planar", ours="its open tree",
                            quantity=f"{steps} steps of dop853", peer="six loops in closed form")]  # fmt: skip


def legs_rows(target: str, rounds: int, minute: float) -> list[common.Row]:
    """Twelve Jansen legs in vacuum at a turn a second: seconds of motion beside seconds of time."""
    from mechanisms.jansen import jansen

    model = jansen(speed=2 * np.pi)[0]
    run = partial(model.simulate, minute, method="dop853", target=target)
    time = common.interleave({"legs": run}, rounds=rounds)["legs"]
    energy = run().energy
    drift = {"drift of the energy": float(np.abs(energy.total - energy.total[0]).max() / energy.kinetic.max())}
    return [common.Row("twelve Jansen legs", "planar", f"run of {minute:g} s", seconds=time.median, peer="the clock",
                       peer_seconds=minute, ratio=minute / time.median, more=drift)]  # fmt: skip


def drift_rows(seconds: float) -> list[common.Row]:
    """The energy of a four-bar that turns, beside that of a double pendulum over the same time, as a user runs them."""
    from mechanisms.four_bar import four_bar

    def drift(model: Any, **options: Any) -> float:
        energy = model.simulate(seconds, save_at=np.linspace(0, seconds, 501), **options).energy
        return float(np.abs(energy.total - energy.total[0]).max() / energy.kinetic.max())

    pendulum = drift(models.double_pendulum().model())
    rows = []
    for form in FORMS:
        found = drift(four_bar(rate=6.0)[0], constraints=form)
        more = {"four-bar": found, "double pendulum": pendulum, "times": found / pendulum}
        rows.append(common.Row("four-bar", "planar", f"energy, {seconds:g} s, {form}", more=more))
    return rows


def growth_rows(sizes: tuple[int, ...]) -> list[common.Row]:
    """N four-bars: operations, time of deriving and compiling, time of a run; the exponents of N."""
    from mechanisms.n_four_bar import n_four_bar

    rows = []
    for form in FORMS:
        found: dict[str, list[float]] = {"operations": [], "derive and compile": [], "run": []}
        n_four_bar(2)[0].simulate(0.1, constraints=form, method="dop853")  # what is loaded once is not counted
        for n in sizes:
            model = n_four_bar(n)[0]
            run = partial(model.simulate, 0.5, constraints=form, method="dop853", tolerance=1e-8)
            began = perf_counter()
            run()
            first = perf_counter() - began
            warm = common.interleave({"run": run}, rounds=5)["run"].median
            found["derive and compile"].append(first - warm)
            found["run"].append(warm)
            found["operations"].append(sum(model.operations("accelerations").values()))
        more = {f"exponent of {name}": float(np.polyfit(np.log(sizes), np.log(values), 1)[0])
                for name, values in found.items()}  # fmt: skip
        more |= {f"N = {n}": f"{a:.0f} operations, {common.seconds_text(b)}, {common.seconds_text(c)}"
                 for n, a, b, c in zip(sizes, *found.values(), strict=True)}  # fmt: skip
        rows.append(common.Row(f"{sizes[0]} to {sizes[-1]} four-bars", "planar", f"growth, {form}", more=more))
    return rows


def apart(n: int, unequal: bool) -> Any:
    """N four-bars that have nothing in common, of one size or each of its own."""
    from easydyn import Model, tdisp, trotz

    model = Model("four-bars apart", gravity=(0, -9.81, 0))
    for k in range(n):
        crank = 4 + 0.12 * (7 * k % n) if unequal else 4.0
        a, b, c = model.coordinates(f"a{k} b{k} c{k}", initial=(1.2, -1.5, 0.5), rates=(0.8, 0, 0))
        T = tdisp(10 * k, 0, 0) * trotz(a)
        places = (T, crank), (T * tdisp(crank, 0, 0) * trotz(b), 4.0), (tdisp(10 * k + 1, 0, 0) * trotz(c), 5.0)
        _, coupler, rocker = (
            model.body(f"{name} {k}", at, mass=1, inertia=(0, 0, l**2 / 12), com=(l / 2, 0, 0))
            for name, (at, l) in zip(("crank", "coupler", "rocker"), places, strict=True)
        )
        model.close((coupler, (4, 0, 0)), (rocker, (5, 0, 0)), joint="revolute", name=f"pin {k}")
    return model


def first_and_next(kind: str, form: str, n: int = 20) -> dict[str, float]:
    """CPU time (s) of the first run of 0.5 s and of the next ones, in a process that has run one four-bar."""
    options = {} if form == "default" else {"constraints": form}
    apart(1, False).simulate(0.01, **options)
    model, found = apart(n, kind == "unequal"), []
    for _ in range(8):
        began = process_time()
        model.simulate(0.5, **options)
        found.append(process_time() - began)
    return {"first run": found[0], "next run": min(found[1:])}


def apart_rows() -> list[common.Row]:
    """Twenty loops, equal and unequal, by each form and as a user runs them, each in a process of its own."""
    rows = []
    for kind in ("equal", "unequal"):
        for form in (*FORMS, "default"):
            words = [sys.executable, __file__, "--kind", kind, "--form", form]
            done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "EASYDYN_CACHE": "off"})
            if done.returncode:
                raise RuntimeError(f"{kind} loops, {form}: {done.stderr.strip()[-2000:]}")
            more = json.loads(done.stdout.splitlines()[-1])
            rows.append(common.Row(f"20 {kind} four-bars", "planar", f"CPU time, nothing kept, {form}", more=more))
    return rows


def main() -> None:
    """Measure, print, save."""
    options = common.arguments(__doc__, kind={}, form={})
    if options.kind:
        print(json.dumps(first_and_next(options.kind, options.form)))
        return
    target, quick = options.target, options.quick
    if quick:
        PEERS.clear()
    rounds = 3 if quick else 9
    rows: list[common.Row] = []
    cases = [partial(four_bars_case, 2)] if quick else [squeezer_case, four_bars_case, hexapod_case]
    for make in cases:
        rows += case_rows(make(), target, rounds)
    rows += evaluation_rows(target, rounds)
    if not quick:
        rows += apart_rows()
        rows += legs_rows(target, rounds, 60.0)
        rows += drift_rows(TURNS)
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, {"EASYDYN_CACHE": folder}):
            rows += growth_rows(SIZES)
    common.finish(NAME, QUESTION, rows, save=options.save)


if __name__ == "__main__":
    main()
