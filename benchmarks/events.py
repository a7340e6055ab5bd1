"""What an event costs: impacts of balls, renewals of an attitude, changes of friction; CPU time, the least of several.

    python benchmarks/events.py

Each row is a run that is compiled already, beside a run that ends before the first event: their difference, by the
number of events, is the time of one of them with its share of the steps. One thread; the default tolerance.

Then the same beside MuJoCo and Exudyn: each program at the loosest setting whose state at the end is right to what is
printed, if the next tighter one is, too; one thread, everything compiled and built before. Impacts and friction of
MuJoCo are stiff and soft, not exact: it comes as near as its steps are short. Balls are compared with the closed form,
the others with easydyn at 1e-11, which MuJoCo and Exudyn approach.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import common
import numpy as np
from runs import Candidate, fastest, step_counts, tolerances

from easydyn import JointFriction, Model, RigidContact, tdisp, trotz

ROUNDS = 9


def least(run: Callable[[], Any]) -> tuple[float, Any]:
    """The least CPU time (s) of a call, after a first one, and what the last call has given."""
    found, result = [], run()
    for _ in range(ROUNDS):
        begin = process_time()
        result = run()
        found.append(process_time() - begin)
    return min(found), result


def heights(n: int) -> list[float]:
    """Where the balls begin (m)."""
    return [1 + 0.37 * (7 * k % n) / n for k in range(n)]


def balls(n: int) -> Model:
    """Balls that fall beside each other from different heights."""
    model = Model("balls", gravity=(0, -9.81, 0))
    for k, y in enumerate(model.coordinates(" ".join(f"y{k}" for k in range(n)), initial=heights(n))):
        model.body(f"ball {k}", tdisp(k, y, 0), mass=1, inertia=(0, 0, 0))
        model.add(RigidContact(y, restitution=0.9, name=f"c{k}"))
    return model


def stone() -> Model:
    """A body that turns over and over about its middle axis."""
    model = Model("stone")
    model.free_body("stone", mass=1, inertia=(1, 2, 3), angular_velocity=(0.01, 5, 0.01), axes="body")
    return model


def links(n: int) -> Model:
    """Links that fall, with friction in their joints."""
    model, T = Model("chain", gravity=(0, -9.81, 0)), trotz(0)
    names = " ".join(f"q{k}" for k in range(n))
    for k, q in enumerate(model.coordinates(names, initial=[1.0] + [0.1] * (n - 1))):
        T = T * trotz(q) * tdisp(0, -0.25, 0)
        model.body(f"link {k}", T, mass=1, inertia=(0, 0, 0.03))
        model.add(JointFriction(q, (n - k) / n))
        T = T * tdisp(0, -0.25, 0)
    return model


# -- beside other programs, at equal error -----------------------------------------------------------------------------


ERRORS = {"balls": 1e-2, "tumbling": 1e-6, "friction": 1e-3}  # m, rad/s, rad, at the end


def ours(model: Model, end: float, read: Callable[[Any], Any], *methods: str) -> list[Candidate]:
    """easydyn's runs from tolerance to tolerance; compiled before."""

    def make(method: str, tolerance: float) -> Callable[[], np.ndarray]:
        def run() -> np.ndarray:
            return np.asarray(read(model.simulate(end, save_at=[0, end], tolerance=tolerance, method=method)))

        run()
        return run

    return [Candidate(f"easydyn, {x}", tolerances(1e-1, 1e-11), partial(make, x)) for x in methods]


def mujoco(xml: str, end: float, start: Callable[[Any], None], read: Callable[[Any], Any], tuned: Any = None) -> Any:
    """MuJoCo with fixed steps, in its own loop; `tuned` sets what depends on the step."""
    mj = common.peer("mujoco", "MuJoCo")

    def make(steps: float) -> Callable[[], np.ndarray]:
        model = mj.MjModel.from_xml_string(xml)
        data, model.opt.timestep = mj.MjData(model), end / steps
        if tuned:
            tuned(model, end / steps)

        def run() -> np.ndarray:
            mj.mj_resetData(model, data)
            start(data)
            mj.mj_step(model, data, nstep=int(steps))
            return np.array(read(data))

        return run

    return [Candidate("MuJoCo", step_counts(300, 600_000), make, "steps")]


def mujoco_balls(n: int, end: float) -> Any:
    """Balls on vertical slides whose limits are stiff springs with the damping of a restitution of 0.9."""
    from scipy.optimize import brentq

    joints = "".join(
        '<body><joint type="slide" axis="0 1 0" limited="true" range="0 1000" solimplimit="0.9999 0.9999 1"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>' for _ in range(n)
    )  # fmt: skip
    damping = brentq(lambda z: rebound(z) - 0.9, 1e-3, 0.5)

    def tuned(model: Any, step: float) -> None:
        rate = 0.1 / step  # rad/s: the steps resolve what an impact takes
        model.jnt_solref[:] = -(rate**2), -2 * damping * rate

    def start(data: Any) -> None:
        data.qpos[:] = heights(n)

    xml = f'<mujoco><option integrator="RK4" gravity="0 -9.81 0"/><worldbody>{joints}</worldbody></mujoco>'
    return mujoco(xml, end, start, lambda data: data.qpos, tuned)


def rebound(z: float) -> float:
    """Speed after by speed before, of a mass on a spring with damping ratio z that pushes only."""
    w = np.sqrt(1 - z * z)
    t = (np.pi - np.arctan2(2 * z * w, 1 - 2 * z * z)) / w  # the force is zero
    return float(-np.exp(-z * t) * (np.cos(w * t) - z / w * np.sin(w * t)))


def fallen(height: float, end: float) -> float:
    """Height at the end of a ball that rebounds with 0.9 of its speed."""
    g, speed, t = 9.81, np.sqrt(2 * 9.81 * height), np.sqrt(2 * height / 9.81)
    if end < t:
        return height - g * end**2 / 2
    while True:
        speed *= 0.9
        if t + 2 * speed / g > end:
            return float(speed * (end - t) - g * (end - t) ** 2 / 2)
        t += 2 * speed / g


def mujoco_stone(end: float) -> Any:
    def start(data: Any) -> None:
        data.qvel[3:] = 0.01, 5, 0.01

    xml = (
        '<mujoco><option integrator="RK4" gravity="0 0 0"/><worldbody><body><freejoint/>'
        '<inertial pos="0 0 0" mass="1" diaginertia="1 2 3"/></body></worldbody></mujoco>'
    )
    return mujoco(xml, end, start, lambda data: data.qvel[3:])


def exudyn_stone(end: float) -> Any:
    """A body with a rotation vector on a Lie group, Runge and Kutta's method of fourth order."""
    sys.exudynFast = True  # type: ignore[attr-defined]
    exu, utilities = common.peer("exudyn", "Exudyn"), common.peer("exudyn.utilities", "Exudyn")
    exu.config.printToConsole = False

    def make(steps: float) -> Callable[[], np.ndarray]:
        container = exu.SystemContainer()
        system = container.AddSystem()
        body = system.CreateRigidBody(
            inertia=utilities.RigidBodyInertia(mass=1, inertiaTensor=np.diag([1, 2, 3])),
            nodeType=exu.NodeType.RotationRotationVector, initialAngularVelocity=[0.01, 5, 0.01],
        )  # fmt: skip
        system.Assemble()
        settings = exu.SimulationSettings()
        settings.solution.file.write = False
        settings.timeIntegration.endTime, settings.timeIntegration.numberOfSteps = end, int(steps)
        settings.timeIntegration.explicitIntegration.useLieGroupIntegration = True

        def run() -> np.ndarray:
            system.SolveDynamic(settings, solverType=exu.DynamicSolverType.RK44)
            node = system.GetObject(body)["nodeNumber"]
            return np.array(system.GetNodeOutput(node, exu.OutputVariableType.AngularVelocityLocal))

        run.keep = container  # type: ignore[attr-defined]
        return run

    return [Candidate("Exudyn, RK44", step_counts(300, 600_000), make, "steps")]


def mujoco_links(n: int, end: float) -> Any:
    """Links with dry friction in their hinges, which may creep a little."""
    inner = ""
    for k in reversed(range(n)):
        inner = (
            f'<body pos="0 {-0.5 if k else 0} 0"><joint type="hinge" axis="0 0 1" frictionloss="{(n - k) / n}" '
            'solimpfriction="0.9999 0.9999 1"/><inertial pos="0 -0.25 0" mass="1" diaginertia="1 1 0.03"/>'
            f"{inner}</body>"
        )

    def start(data: Any) -> None:
        data.qpos[:] = [1.0] + [0.1] * (n - 1)

    def tuned(model: Any, step: float) -> None:
        model.dof_solref[:] = 2 * step, 1

    xml = f'<mujoco><option integrator="implicitfast" gravity="0 -9.81 0"/><worldbody>{inner}</worldbody></mujoco>'
    return mujoco(xml, end, start, lambda data: data.qpos, tuned)


def turning(run: Any) -> np.ndarray:
    """The angular velocity of the stone at the end, in its own axes."""
    omega = run.source.mechanism.bodies[0].omega
    return np.asarray(run.frames("stone")[-1, :3, :3].T @ np.array([run.of(x)[-1] for x in omega]))


def beside() -> None:
    """Each program at its loosest setting that is accurate enough; CPU time on one thread, all compiled before."""
    stones = ours(stone(), 30.0, turning, "dop853", "lobatto")
    chain = ours(links(5), 2.0, last, "dop853", "lobatto")
    cases = [
        ("balls", "10 balls, 1.5 s", ours(balls(10), 1.5, last, "newmark"),
         np.array([fallen(y, 1.5) for y in heights(10)]), [lambda: mujoco_balls(10, 1.5)]),
        ("tumbling", "tumbling, 30 s", stones, stones[0].make(1e-12)(),
         [lambda: mujoco_stone(30.0), lambda: exudyn_stone(30.0)]),
        ("friction", "friction, 5 links, 2 s", chain, chain[0].make(1e-11)(), [lambda: mujoco_links(5, 2.0)]),
    ]  # fmt: skip
    for kind, name, mine, expected, peers in cases:
        own = fastest(mine, expected, ERRORS[kind])[0]
        time = least(own.run)[0]
        print(f"{name}, error at most {ERRORS[kind]:g}: {own.label}: {1e3 * time:.2f} ms, error {own.error:.0e}")
        for peer in peers:
            try:
                found = fastest(peer(), expected, ERRORS[kind])[0]
            except common.NotInstalled as error:
                print(f"    not installed: {error}")
                continue
            except common.NotPossible as error:
                print(f"    not possible: {error}")
                continue
            other = least(found.run)[0]
            print(f"    {found.label}: {1e3 * other:.2f} ms, error {found.error:.0e}; ratio {other / time:.2g}")


def last(run: Any) -> np.ndarray:
    """The coordinates at the end."""
    return np.asarray(run.q[-1, : len(run.source.mechanism.coordinates)])


def main() -> None:
    rows: list[tuple[str, Model, float, dict[str, Any]]] = [
        *((f"{n} balls", balls(n), 1.5, {}) for n in (10, 30, 60, 100)),
        *((f"tumbling, {x}", stone(), 30.0, {"method": x}) for x in ("newmark", "dop853", "lobatto")),
        *((f"friction, {n} links", links(n), 2.0, {}) for n in (5, 10, 30)),
    ]
    print(f"{'':22} {'run':>9} {'at once':>9} {'events':>7} {'each':>9}")
    for name, model, end, options in rows:
        short, _ = least(lambda model=model, options=options: model.simulate(1e-3, **options))  # type: ignore[misc]
        whole, run = least(lambda model=model, end=end, options=options: model.simulate(end, **options))  # type: ignore[misc]
        turned = [k for k, x in enumerate(run.held_names) if x.endswith(".reference")]
        events = int((np.diff(run.held[:, turned], axis=0) != 0).sum()) if turned else len(run.events)
        each = 1e3 * (whole - short) / max(events, 1)
        print(f"{name:22} {1e3 * whole:6.2f} ms {1e3 * short:6.2f} ms {events:7d} {each:6.3f} ms")
    beside()


if __name__ == "__main__":
    main()
