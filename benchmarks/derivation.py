"""How long from a description of the bodies to the first number of their equations?

easydyn from `Model` to the first residual, against SymPy's KanesMethod with lambdify(cse=True): every number of the
description is a symbol on both sides, all imports are done, nothing is cached (SymPy's cache is emptied before every
call, EASYDYN_CACHE is off). With it the operations of one residual and one set of accelerations.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

import common
import models
import numpy as np
import peers
from models import Arm

NAME = "derivation"
QUESTION = "From the description of the bodies to the first residual, nothing cached"


def forget() -> None:
    """Empty SymPy's caches."""
    from sympy.core.cache import clear_cache

    clear_cache()


def by_easydyn(arm: Arm, target: str, state: tuple, absolute: bool) -> Callable[[], np.ndarray]:
    """Model, bodies, equations, code, one residual."""
    describe = absolute_model if absolute else models.parametric_model
    return lambda: describe(arm).compile(target=target).residual(0, *state)


def by_kane(arm: Arm, state: tuple, absolute: bool = False) -> Callable[[], np.ndarray]:
    """Frames, points, bodies, KanesMethod, lambdify, one residual M u' - F."""
    import sympy

    q, qd, qdd = state

    def derive() -> np.ndarray:
        values: dict[Any, float] = {}

        def symbol(name: str, value: float) -> Any:
            made = sympy.Symbol(name)
            values[made] = value
            return made

        M, F, coordinates, speeds = peers.kane(models.with_symbols(arm, symbol), absolute)
        function = sympy.lambdify([coordinates, speeds, list(values)], [M, F], cse=True)
        m, f = function(q, qd, list(values.values()))
        return m @ qdd - f[:, 0]

    return derive


def absolute_model(arm: Arm) -> Any:
    """A planar chain of rods with every angle measured from the vertical, as an easydyn Model."""
    from sympy import cos, sin

    from easydyn import Model, tdisp, trotz

    model = Model(arm.name)
    chain = models.with_symbols(arm, lambda name, value: model.parameters(**{name: value})[0])
    model.gravity = chain.gravity
    q = model.coordinates([f"q{i + 1}" for i in range(arm.n)])
    x = y = 0
    for i, link in enumerate(chain.links):
        if i:
            x, y = x - link.joint[1] * sin(q[i - 1]), y + link.joint[1] * cos(q[i - 1])
        model.body(f"body {i + 1}", tdisp(x, y, 0) * trotz(q[i]), mass=link.mass, inertia=link.inertia, com=link.com)
    return model


def time_rows(arm: Arm, target: str, rounds: int, kane: bool, absolute: bool = False) -> list[common.Row]:
    """The time from the description to the first residual, beside Kane's method if that is feasible.

    Compiling machine code takes longer than a residual in plain Python, so that there is a row for each.
    """
    state = tuple(x[0] for x in models.random_states(arm, 1))
    targets = {arm.model().compile(target=name).target: name for name in (target, "python")}
    tasks = {taken: by_easydyn(arm, name, state, absolute) for taken, name in targets.items()}
    errors: dict[str, float] = {}
    if kane:
        theirs = by_kane(arm, state, absolute)
        # KanesMethod's speeds are the rates of the coordinates here: its equations are d'Alembert's, row by row
        expected = theirs()
        errors = {taken: common.same(task(), expected, 1e-9, f"{arm.name}, Kane") for taken, task in tasks.items()}
    timings = common.interleave({**tasks, **({"Kane": theirs} if kane else {})}, rounds=rounds, before=forget)
    rows = []
    for taken in tasks:
        about = {
            "case": f"{arm.name}, absolute angles" if absolute else arm.name,
            "kind": arm.kind,
            "quantity": "Model to first residual",
            "ours": f"easydyn {taken}",
        }
        if kane:
            peer = {"peer": "SymPy KanesMethod + lambdify", "error": errors[taken]}
            rows.append(common.compared(timings[taken], timings["Kane"], **about, **peer))
        else:
            rows.append(common.Row(**about, seconds=timings[taken].median))
    return rows


def r3() -> tuple[Any, dict[str, Any]]:
    """The Manutec r3 robot with a load of symbolic mass and place, and the counts of operations published for it."""
    from easydyn import Model, Transform, tdisp, trotx, trotz

    path = common.HERE.parent / "tests" / "data" / "r3_robot.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    model = Model("r3", gravity=(0, 0, -data["gravity"]["g"]))
    q = model.coordinates([f"q{i + 1}" for i in range(6)])
    mL, *rL = model.parameters(mL=15.0, rL1=0.1, rL2=0.2, rL3=0.3)
    T = Transform()
    for i, link in enumerate(data["links"]):
        T = T * {"x": trotx, "z": trotz}[link["axis"]](q[i])
        inertia = [link["I"].get(key, 0) for key in ("I11", "I22", "I33", "I12", "I23", "I31")]
        model.body(f"link {i + 1}", T, mass=link["m"], inertia=inertia, com=link["r_CM"])
        if "load" in link:
            model.body("load", T * tdisp(*rL), mass=mL, inertia=(0, 0, 0))
        else:
            T = T * tdisp(*link["bar_to_next"])
    return model, data["operation_counts_in_the_paper"]


def count_rows(quick: bool) -> list[common.Row]:
    """Operations of a residual and of accelerations; published counts and CasADi's beside them."""

    def row(case: str, kind: str, of: str, counts: dict[str, int], **more: Any) -> common.Row:
        return common.Row(case, kind, f"operations of {of}", status="counted", more={**counts, **more})

    model, published = r3()
    rows = []
    for of, key in (("residual", "inverse"), ("accelerations", "direct")):
        paper = {"published mul": published[key]["mul_div"], "published add": published[key]["add_sub"]}
        rows.append(row("r3 robot", "spatial", of, model.operations(of=of), **paper))
    arms = [models.planar_chain(2), models.planar_chain(10)]
    if not quick:
        arms += [models.planar_chain(50), models.planar_chain(100), models.spatial_arm(), models.spatial_chain(50)]
    for arm in arms:
        for of in ("residual", "accelerations"):
            if of == "residual" or arm.n <= 10:
                more = {} if quick else {"CasADi's instructions": casadi_count(arm, of)}
                rows.append(row(arm.name, arm.kind, of, models.parametric_model(arm).operations(of=of), **more))
    return rows


def casadi_count(arm: Arm, of: str) -> int | str:
    """Operations that CasADi's program needs for the same, without loading and storing of arguments."""
    try:
        ca = common.peer("casadi", "CasADi")
    except common.NotInstalled as error:
        return f"not installed: {error}"
    function = peers.casadi_functions(arm)[of == "accelerations"]
    free = {ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST, ca.OP_NEG, ca.OP_PARAMETER}
    return sum(function.instruction_id(k) not in free for k in range(function.n_instructions()))


def main() -> None:
    """Measure, print, save."""
    os.environ["EASYDYN_CACHE"] = "off"  # before easydyn is imported
    options = common.arguments(__doc__)
    target = options.target
    if options.quick:
        rows = time_rows(models.planar_chain(3), target, 1, True)
    else:
        rows = [
            *time_rows(models.double_pendulum(), target, 9, True),
            *time_rows(models.planar_chain(10), target, 3, True),
            *time_rows(models.planar_chain(10), target, 3, True, absolute=True),
            *time_rows(models.planar_chain(50), target, 9, False),
            *time_rows(models.planar_chain(100), target, 9, False),
            *time_rows(models.spatial_arm(), target, 3, True),
            *time_rows(models.spatial_chain(50), target, 5, False),
        ]
    common.finish(NAME, QUESTION, rows + count_rows(options.quick), save=options.save)


if __name__ == "__main__":
    main()
