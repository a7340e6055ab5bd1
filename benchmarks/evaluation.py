"""How long does one residual, or one set of accelerations, take in a batch of many states?

easydyn's compiled system gets arrays with a leading axis, as a user would call it, checks included. The peers loop over
the same rows in C or C++, compiled for this processor: Pinocchio's recursive Newton-Euler and articulated bodies,
MuJoCo's inverse and forward dynamics. CasADi maps its function over the states, in its virtual machine and from the C
that it generates. PyDy evaluates one state a call, and is compared with easydyn's call for one state.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import common
import models
import numpy as np
import peers
from models import Arm

NAME = "evaluation"
QUESTION = "Time of one evaluation in a batch of states"
TOLERANCE = 1e-9
STATES = 10_000

Batch = Callable[..., np.ndarray]  # rows of q, qd (and qdd) in, rows out


def pinocchio_batches(arm: Arm) -> dict[str, Batch]:
    """Residual and accelerations by Pinocchio's C++, through a loop of our own in C++."""
    pinocchio = common.peer("pinocchio", "Pinocchio")
    places = [parent / "include" for parent in Path(pinocchio.__file__).resolve().parents]
    include = next((place for place in places if (place / "pinocchio").is_dir()), None)
    eigen = next((place / "eigen3" for place in places if (place / "eigen3" / "Eigen").is_dir()), None)
    if include is None or eigen is None:
        raise common.NotInstalled("the headers of Pinocchio and Eigen (cmeel-eigen)")
    limits = (
        "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
        "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
    )  # fmt: skip
    version = f"-DPINOCCHIO_IS={pinocchio.__version__}"
    options = (*common.NATIVE, "-w", "-std=c++17", version, *limits, f"-I{include}", f"-I{eigen}")
    library = common.shared_library("pinocchio_batch.cpp", options)
    library.chain.restype = ctypes.c_void_p
    axes = np.array(["xyz".index(link.axis) for link in arm.links], dtype=np.int32)
    rows = [
        np.array([getattr(link, name) for link in arm.links], dtype=float)
        for name in ("joint", "mass", "com", "inertia")
    ]
    system = ctypes.c_void_p(
        library.chain(
            arm.n,
            axes.ctypes.data_as(ctypes.POINTER(ctypes.c_int)),
            *(common.pointer(x) for x in rows),
            common.pointer(np.array(arm.gravity)),
        )
    )
    return {
        "residual": _looped(library.rnea, (system,)),
        "accelerations": _looped(library.aba, (system,)),
    }


def mujoco_batches(arm: Arm) -> dict[str, Batch]:
    """Inverse dynamics, its recursion alone, and forward dynamics of MuJoCo, through a loop of our own in C."""
    mujoco = common.peer("mujoco", "MuJoCo")
    folder = Path(mujoco.__file__).parent
    found = sorted(folder.glob("libmujoco*"))
    if not found or not (folder / "include").is_dir():
        raise common.NotInstalled("the headers of MuJoCo")
    library = common.shared_library(
        "mujoco_batch.c", (*common.NATIVE, f"-I{folder / 'include'}"), (str(found[-1]), f"-Wl,-rpath,{folder}")
    )
    model = peers.mujoco_model(arm)
    data = mujoco.MjData(model)
    handles = (ctypes.c_void_p(model._address), ctypes.c_void_p(data._address))
    batches = {
        "inverse": _looped(library.inverse, handles),
        "newton_euler": _looped(library.newton_euler, handles),
        "accelerations": _looped(library.forward, handles),
    }
    batches["inverse"].keep = model, data  # type: ignore[attr-defined]
    return batches


def _looped(function: Any, handles: tuple[Any, ...]) -> Batch:
    """A C function f(handles, states, inputs ..., output) as a function of arrays; the output is used again."""
    buffers: dict[tuple[int, ...], np.ndarray] = {}

    def batch(*x: np.ndarray) -> np.ndarray:
        out = buffers.setdefault(x[0].shape, np.empty_like(x[0]))
        function(*handles, ctypes.c_long(len(out)), *(common.pointer(a) for a in x), common.pointer(out))
        return out

    return batch


def casadi_batches(arm: Arm, states: int, generated: bool) -> dict[str, Batch]:
    """CasADi's functions mapped over the states: in its virtual machine, or from the C that it generates."""
    batches = {}
    for name, function in zip(("residual", "accelerations"), peers.casadi_functions(arm), strict=True):
        used = peers.casadi_compiled(function) if generated else function
        batches[name] = _buffered(used.map(states), (states, arm.n))
    return batches


def _buffered(function: Any, shape: tuple[int, int]) -> Batch:
    """A CasADi function on our own memory, nothing copied: a column of its matrices is a row of our arrays."""
    buffer, evaluate = function.buffer()
    out = np.empty(shape)
    buffer.set_res(0, memoryview(out))

    def batch(*x: np.ndarray) -> np.ndarray:
        for i, array in enumerate(x):
            buffer.set_arg(i, memoryview(array))
        evaluate()
        return out

    return batch


def attempt(make: Callable[..., Any], *values: Any) -> tuple[Any, str]:
    """What `make` makes, and ""; or nothing, and why."""
    try:
        return make(*values), ""
    except common.NotInstalled as error:
        return {}, f"not installed: {error}"
    except common.NotPossible as error:
        return {}, f"not possible: {error}"


def batch_rows(arm: Arm, states: int, target: str, rounds: int, with_peers: bool) -> list[common.Row]:
    """Residual and accelerations of one system, easydyn and every peer by turns."""
    system = arm.model().compile(target=target)
    taken = system.target
    if taken == "python" and target == "auto":
        taken = "numpy"  # what "auto" takes for many states where there is no machine code
    q, qd, qdd = models.random_states(arm, states)
    ours = {
        "residual": lambda: system.residual(0, q, qd, qdd),
        "accelerations": lambda: system.accelerations(0, q, qd),
    }
    made: dict[str, tuple[Any, str]] = {}
    if with_peers:
        made["Pinocchio (C++)"] = attempt(pinocchio_batches, arm)
        made["MuJoCo (C)"] = attempt(mujoco_batches, arm)
        made["CasADi map"] = attempt(casadi_batches, arm, states, False)
        made["CasADi map, generated C"] = attempt(casadi_batches, arm, states, True)
    rows = []
    names = {
        "inverse": ("residual", "mj_inverse"),
        "newton_euler": ("residual", "mj_rne with what it needs"),
    }
    for quantity, inputs in (("residual", (q, qd, qdd)), ("accelerations", (q, qd))):
        tasks, errors = {"easydyn": ours[quantity]}, {}
        expected = ours[quantity]()
        for label, (batches, _) in made.items():
            for key, batch in batches.items():
                of, detail = names.get(key, (key, "mj_forward" if "MuJoCo" in label else ""))
                if of != quantity:
                    continue
                name = f"{label}: {detail}" if detail else label
                errors[name] = common.same(expected, batch(*inputs), TOLERANCE, f"{arm.name}, {quantity}, {name}")
                tasks[name] = partial(batch, *inputs)
        timings = common.interleave(tasks, rounds=rounds)
        mine = timings.pop("easydyn") / states
        about = {"case": arm.name, "kind": arm.kind, "quantity": f"{quantity}, batch of {states}"}
        if not with_peers:
            rows.append(common.Row(**about, ours=f"easydyn {taken}", seconds=mine.median))
        for name, timing in timings.items():
            rows.append(
                common.compared(mine, timing / states, **about, peer=name, ours=f"easydyn {taken}", error=errors[name])
            )
        rows += [
            common.Row(**about, ours=f"easydyn {taken}", seconds=mine.median, peer=label, status=why)
            for label, (_, why) in made.items()
            if why
        ]
    return rows


def one_state_row(arm: Arm, target: str, rounds: int) -> common.Row:
    """Accelerations of one state a call, from Python: PyDy's way."""
    system = arm.model().compile(target=target)
    about = {
        "case": arm.name,
        "kind": arm.kind,
        "quantity": "accelerations, one state a call",
        "ours": f"easydyn {system.target}",
        "peer": "PyDy, Cython",
    }
    function, why = attempt(peers.pydy_function, arm)
    if why:
        return common.Row(**about, status=why)
    q, qd, _ = (x[0] for x in models.random_states(arm, 1))
    x = np.concatenate([q, qd])
    error = common.same(system.accelerations(0, q, qd), function(x, 0.0)[arm.n :], TOLERANCE, f"{arm.name}, PyDy")
    timings = common.interleave(
        {"easydyn": lambda: system.accelerations(0, q, qd), "peer": lambda: function(x, 0.0)}, rounds=rounds
    )
    return common.compared(timings["easydyn"], timings["peer"], **about, error=error)


def main() -> None:
    """Measure, print, save."""
    options = common.arguments(__doc__, states={"type": int, "default": STATES})
    arms = [models.double_pendulum()]
    if not options.quick:
        arms += [models.planar_chain(10), models.planar_chain(50), models.spatial_arm()]
    rows = []
    for arm in arms:
        states = 200 if options.quick else options.states
        rows += batch_rows(arm, states, options.target, 3 if options.quick else 9, not options.quick)
    if not options.quick:
        rows += [one_state_row(arm, options.target, 9) for arm in arms if arm.n <= 10]
    common.finish(NAME, QUESTION, rows, save=options.save and options.states == STATES)


if __name__ == "__main__":
    main()
