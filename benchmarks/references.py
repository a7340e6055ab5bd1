"""States at the end of the runs that runs.py compares: computed once by two tools that share no code, and kept.

heyoka's Taylor integrator at the precision of the numbers, with articulated bodies written out by peers.py; and SciPy's
DOP853 at 1e-13, with Pinocchio's articulated bodies. `python benchmarks/references.py` computes them anew. They must
agree to 1e-9; otherwise a motion is too sensitive for an error of 1e-6 to mean anything.
"""

from __future__ import annotations

import json
from typing import Any

import common
import models
import numpy as np
import peers
from models import Arm

PATH = common.HERE / "references.json"
SECONDS = 5.0
AGREEMENT = 1e-9


def arms() -> list[Arm]:
    """The systems that are simulated."""
    return [models.double_pendulum(), models.planar_chain(10), models.planar_chain(50), models.spatial_arm()]


def by_heyoka(arm: Arm, seconds: float) -> np.ndarray:
    """q, qd at the end by Taylor series, all digits kept."""
    hy = common.peer("heyoka")
    start = np.concatenate([arm.start, np.zeros(arm.n)])
    taylor = hy.taylor_adaptive(peers.heyoka_equations(arm), start, tol=2.3e-16, compact_mode=True)
    outcome = taylor.propagate_until(seconds)[0]
    assert outcome == hy.taylor_outcome.time_limit, outcome
    return taylor.state.copy()


def by_scipy(arm: Arm, seconds: float) -> np.ndarray:
    """q, qd at the end by DOP853 and Pinocchio."""
    pin = common.peer("pinocchio", "Pinocchio")
    from scipy.integrate import solve_ivp

    model = peers.pinocchio_model(arm)
    data, n, none = model.createData(), arm.n, np.zeros(arm.n)
    start = np.concatenate([arm.start, none])

    def derivative(t: float, x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[n:], pin.aba(model, data, x[:n], x[n:], none)])

    return solve_ivp(derivative, (0, seconds), start, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]


def compute() -> dict[str, Any]:
    """All references, asserted to agree."""
    found = {}
    for arm in arms():
        first, second = by_heyoka(arm, SECONDS), by_scipy(arm, SECONDS)
        difference = float(np.abs(first - second)[: arm.n].max())
        print(f"{arm.name}: heyoka and SciPy with Pinocchio differ by {difference:.1e} rad", flush=True)
        assert difference <= AGREEMENT, "the motion is too sensitive, or one of them is wrong"
        found[arm.name] = {
            "seconds": SECONDS,
            "description": description(arm),
            "q": first[: arm.n].tolist(),
            "qd": first[arm.n :].tolist(),
            "difference": difference,
        }
    return found


def description(arm: Arm) -> str:
    """The numbers of a system as text: a reference belongs to these and no others."""
    return repr((arm.gravity, arm.start, *arm.links[:6], arm.n))


def reference(arm: Arm) -> np.ndarray:
    """The angles at the end of the run."""
    kept = json.loads(PATH.read_text(encoding="utf-8"))["states"][arm.name]
    assert kept["description"] == description(arm), f"{arm.name} has changed: run python benchmarks/references.py"
    assert kept["difference"] <= AGREEMENT
    return np.array(kept["q"])


def main() -> None:
    """Compute and save."""
    text = {
        "source": "heyoka, Taylor series at 2.3e-16, and SciPy DOP853 at 1e-13 with Pinocchio's articulated bodies; "
        "q and qd are heyoka's, difference (rad) is between the two",
        "states": compute(),
    }
    PATH.write_text(json.dumps(text, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
