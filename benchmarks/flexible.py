"""Beams that bend: how fast is a swinging beam of 100 elements beside Exudyn's, and how does cost grow with elements?

A beam of 1 m (E I = 1/60 N m2, 0.2 kg) is pinned at one end, falls from the horizontal, and swings for 1 s, without
damping. Each program has 100 elements and takes its fastest setting with an error of the place of the tip of `BOUND` at
most. The right place is that of easydyn with tolerances of a method of high order ('dop853'); what Exudyn's elements
differ from that with steps as short as one likes is told, and each program is judged beside its own converged solution:
elements differ by more than steps do. Exudyn's cable (ANCF) and its geometrically exact beam are solved by generalised
alpha and by the trapezoidal rule, with sparse matrices, full and modified Newton; nothing is written.

Then: the processor's time for deriving, for compiling, and for a thousand steps, of 10, 40, 160 and 640 elements,
nothing cached.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import common
import numpy as np
import runs
from runs import Candidate, Choice, attempted

NAME = "flexible"
QUESTION = "Beams: a swinging one of 100 elements beside Exudyn's; growth with the number of elements"
ELEMENTS, SECONDS = 100, 1.0
BOUNDS = (1e-3, 1e-4)  # m: errors of the place of the tip
AREA, INERTIA, MODULUS, DENSITY, GRAVITY = 2e-4, 1e-2 / 6 * 1e-7, 1e8, 1000.0, 9.81
STEPS = (250, 400, 630, 1000, 1600, 2500, 4000)
CONVERGED = (4000, 8000)
SIZES = (10, 40, 160, 640)
LONGEST = 5.0  # s of a run: beyond that nothing is looked for
PATIENCE = 60.0  # s: a program whose run of the fewest steps takes longer is left out, with this reason


def beam(elements: int) -> Any:
    """The model."""
    from easydyn import Model
    from easydyn.flexible import Material, Section

    model = Model("swinging beam", gravity=(0, -GRAVITY, 0))
    model.beam("b", length=1, section=Section(AREA, INERTIA), material=Material(E=MODULUS, density=DENSITY),
               elements=elements, ends=("pinned", "free"))  # fmt: skip
    return model


def easydyn_candidates(target: str, elements: int) -> list[Candidate]:
    """Fixed steps of three methods, from a stepper that was made before."""
    model = beam(elements)

    def make(method: str, steps: float) -> Callable[[], np.ndarray]:
        stepper = model.stepper(method=method, target=target)
        count, place = int(steps), [stepper.names.index(f"b_{c}{elements}") for c in "xy"]

        def run() -> np.ndarray:
            stepper.reset()
            for _ in range(count):
                stepper.step(SECONDS / count)
            return np.asarray(stepper.q[place])

        return run

    methods = ("newmark", "hht", "generalized_alpha")
    return [Candidate(f"easydyn, {m}", STEPS, partial(make, m), "steps") for m in methods]


def exudyn_candidates(elements: int, kind: str) -> list[Candidate]:
    """Cables by absolute nodal coordinates ("ANCF"), or geometrically exact beams in the plane ("exact")."""
    sys.exudynFast = True  # the build without checks of ranges  # type: ignore[attr-defined]
    exu = common.peer("exudyn", "Exudyn")
    beams = common.peer("exudyn.beams", "Exudyn")
    items = common.peer("exudyn.itemInterface", "Exudyn")
    exu.config.printToConsole = False

    def make(trapezoidal: bool, steps: float) -> Callable[[], np.ndarray]:
        container = exu.SystemContainer()
        system = container.AddSystem()
        length, line = 1 / elements, DENSITY * AREA
        common_data = {"physicsMassPerLength": line, "physicsBendingStiffness": MODULUS * INERTIA,
                       "physicsAxialStiffness": MODULUS * AREA, "physicsLength": length}  # fmt: skip
        if kind == "ANCF":
            template = items.Cable2D(**common_data)
        else:
            shear = MODULUS / 2 * AREA  # E/2: it bends by 1e-6 more; far stiffer in shear, its runs do not end
            template = items.Beam2D(**common_data, physicsCrossSectionInertia=DENSITY * INERTIA,
                                    physicsShearStiffness=shear)  # fmt: skip
        held = [1, 1, 0, 0] if kind == "ANCF" else [1, 1, 0]
        made = beams.GenerateBeamElementsAlongLine(
            system, [0, 0, 0], [1, 0, 0], elements, template, gravity=[0, -GRAVITY, 0], groundConstraintsStart=held,
        )  # fmt: skip
        system.Assemble()
        settings = exu.SimulationSettings()
        settings.solution.file.write = False
        settings.show.statistics = settings.show.computationTime = False
        settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        time = settings.timeIntegration
        time.endTime, time.verboseMode, time.numberOfSteps = SECONDS, 0, int(steps)
        time.generalizedAlpha.spectralRadius = 1.0 if trapezoidal else 0.9
        time.generalizedAlpha.useIndex2Constraints = time.generalizedAlpha.useNewmark = trapezoidal
        time.newton.useModifiedNewton = True
        tip = made["nodes"][-1]

        def run() -> np.ndarray:
            system.SolveDynamic(settings)
            return np.asarray(system.GetNodeOutput(tip, exu.OutputVariableType.Position))[:2]

        run.keep = container  # type: ignore[attr-defined]
        return run

    words = {False: "generalised alpha", True: "trapezoidal, index 2"}
    return [Candidate(f"Exudyn, {kind}, {words[rule]}", STEPS, partial(make, rule), "steps") for rule in words]


def ends_in_time(kind: str, elements: int) -> bool:
    """Whether both rules of an element of Exudyn come to the end of 1000 steps, in a process that can be ended."""
    common.peer("exudyn", "Exudyn")
    words = [sys.executable, __file__, "--try_peer", kind, "--elements", str(elements)]
    try:
        return subprocess.run(words, capture_output=True, timeout=PATIENCE).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def converged(candidate: Candidate, counts: tuple[int, int]) -> np.ndarray:
    """Where the tip is with very short steps, extrapolated: methods are of order 2."""
    coarse, fine = (np.asarray(candidate.make(count)()) for count in counts)
    return fine + (fine - coarse) / ((counts[1] / counts[0]) ** 2 - 1)


def choices(candidates: list[Candidate], expected: np.ndarray, bounds: tuple[float, ...]) -> dict[float, Choice]:
    """Of each bound the fastest that is accurate enough, and so is the next tighter setting."""
    best: dict[float, Choice] = {}
    for candidate in candidates:
        left, last = list(bounds), None
        for steps in candidate.settings:
            try:
                choice = attempted(candidate, steps, expected)
            except common.NotPossible:
                last = None  # so few steps that Newton's iteration fails
                continue
            if last is not None:
                for bound in [b for b in left if max(last.error, choice.error) <= b]:
                    left.remove(bound)
                    if bound not in best or last.seconds < best[bound].seconds:
                        best[bound] = last
            last = choice
            if not left or choice.seconds > LONGEST:
                break
        print(f"  {candidate.label}: {steps} steps, error {choice.error:.1e}", file=sys.stderr, flush=True)
    return best


def speed_rows(target: str, rounds: int, peers: bool, elements: int = ELEMENTS) -> list[common.Row]:
    """easydyn and Exudyn by turns, for each bound."""
    mine = easydyn_candidates(target, elements)
    right = converged(mine[0], CONVERGED if peers else (400, 800))
    ours = choices(mine, right, BOUNDS)
    about = {"case": f"swinging beam, {elements} elements", "kind": "planar"}
    rows = []
    for kind in ("ANCF", "exact") if peers else ():
        try:
            if not ends_in_time(kind, elements):
                rows.append(common.Row(**about, quantity="run of 1 s", peer=f"Exudyn, {kind}",
                                       status=f"not possible: no end within {PATIENCE:g} s"))  # fmt: skip
                continue
            candidates = exudyn_candidates(elements, kind)
            own = converged(candidates[0], CONVERGED)
            theirs = choices(candidates, own, BOUNDS)
        except common.NotInstalled as error:
            rows.append(common.Row(**about, quantity="run of 1 s", peer=f"Exudyn, {kind}",
                                   status=f"not installed: {error}"))  # fmt: skip
            continue
        apart = float(np.abs(own - right).max())
        for bound in BOUNDS:
            if bound not in theirs or bound not in ours:
                rows.append(common.Row(**about, quantity=f"run of 1 s, error {bound:g} m", peer=f"Exudyn, {kind}",
                                       status="not possible: not accurate enough at any setting"))  # fmt: skip
                continue
            a, b = ours[bound], theirs[bound]
            timings = common.interleave({"easydyn": a.run, "Exudyn": b.run}, rounds=rounds, least=0.01)
            rows.append(common.compared(
                timings["easydyn"], timings["Exudyn"], **about, quantity=f"run of 1 s, error {bound:g} m", ours=a.label,
                error=a.error, peer=b.label, peer_error=b.error, more={"converged solutions differ by (m)": apart},
            ))  # fmt: skip
    if not peers:
        for bound, choice in ours.items():
            timing = common.interleave({"run": choice.run}, rounds=rounds, least=0.01)["run"]
            rows.append(common.Row(**about, quantity=f"run of 1 s, error {bound:g} m", ours=choice.label,
                                   seconds=timing.median, error=choice.error))  # fmt: skip
    return rows


def measure(elements: int) -> dict[str, float]:
    """The times of one size, of the processor, in a process that has done nothing else."""
    began = process_time()
    system = beam(elements).compile()
    operations = sum(system.program("residual").operations.values())
    derived = process_time()
    system.kernel("residual")
    system.kernel_abreast("residual")
    compiled = process_time()
    model = beam(elements)
    model.simulate(1e-3, step=1e-3, method="generalized_alpha", save_at=[0, 1e-3])
    ready = process_time()
    seconds = []
    for _ in range(3):
        began_run = process_time()
        run = model.simulate(SECONDS, step=1e-3, method="generalized_alpha", save_at=[0, SECONDS])
        seconds.append(process_time() - began_run)
    return {"operations": operations, "derive": derived - began, "compile": compiled - derived,
            "a whole first run": ready - compiled, "1000 steps": min(seconds),
            "iterations a step": run.stats.newton_iterations / run.stats.steps}  # fmt: skip


def growth_rows(sizes: tuple[int, ...]) -> list[common.Row]:
    """Each size in a process of its own, with EASYDYN_CACHE=off, and the exponents between the last two."""
    rows = []
    for n in sizes:
        done = subprocess.run([sys.executable, __file__, "--elements", str(n)], capture_output=True, text=True,
                              env={**os.environ, "EASYDYN_CACHE": "off"})  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"{n} elements: {done.stderr.strip()[-2000:]}")
        more = json.loads(done.stdout.splitlines()[-1])
        rows.append(common.Row(f"beam of {n} elements", "planar", "growth", more=more))
        print(f"  {n} elements: {more}", file=sys.stderr, flush=True)
    small, large = rows[-2].more, rows[-1].more
    powers = {key: float(np.log(large[key] / small[key]) / np.log(sizes[-1] / sizes[-2])) for key in small}
    case = f"{sizes[-2]} to {sizes[-1]} elements"
    rows.append(common.Row(case, "planar", "power of n", status="exponents", more=powers))
    return rows


def main() -> None:
    """Measure, print, save."""
    common.perf_counter = runs.perf_counter = process_time  # type: ignore[attr-defined]
    options = common.arguments(__doc__, elements={"type": int}, try_peer={"choices": ("ANCF", "exact")})
    if options.try_peer:
        for candidate in exudyn_candidates(options.elements, options.try_peer):
            candidate.make(1000)()
        return
    if options.elements:
        print(json.dumps(measure(options.elements)))
        return
    quick = options.quick
    rows = speed_rows(options.target, 3 if quick else 9, not quick, 4 if quick else ELEMENTS)
    rows += [] if quick else growth_rows(SIZES)
    common.finish(NAME, QUESTION, rows, save=options.save)


if __name__ == "__main__":
    main()
