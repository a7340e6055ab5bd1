"""Probable mistakes in bodies from matrices: wrong units, undamped frequencies, too fast motions.

Waves travel at 1000 to 6000 m/s in a body of metal, wood or plastics, and at 30 m/s in rubber. A body that floats in
the air has a mass of about 1e-3 kg per cubic metre of its size. These bounds reveal factors of a thousand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from easydyn.flexible import Elasticity

SLOW, QUICK = 15.0, 1e5  # m/s: waves in no material
EMPTY = 1e-5  # kg/m3, by the cube of its size
APART = 300.0  # times the lowest frequency: what a run has to follow for nothing


def flexible(model: Any, q: np.ndarray | None = None, qd: np.ndarray | None = None) -> Iterator[str]:
    """Findings on flexible bodies and, if there is an initial state, on their speeds and deflections there."""
    for effort in model.mechanism.efforts:
        if not isinstance(effort, Elasticity) or effort.data is None:
            continue
        yield from _of_units(effort)
        if not effort.damping.any() and effort.data.highest > APART * effort.data.lowest:
            yield (
                f"flexible body '{effort.name}' has frequencies from {effort.data.lowest:.3g} to "
                f"{effort.data.highest:.3g} rad/s, and nothing damps the high ones, which every step has to follow. "
                "Give damping=0.01, or fewer modes; generalized_alpha and hht damp them by themselves."
            )
        if q is not None and qd is not None:
            yield from effort.doubts(model.source(), np.zeros(1), q[None], qd[None])


def _of_units(effort: Elasticity) -> Iterator[str]:
    data = effort.data
    assert data is not None
    if data.mass < EMPTY * data.size**3:
        yield (
            f"flexible body '{effort.name}' weighs {data.mass:.3g} kg and is {data.size:.3g} m large: its nodes look "
            'like mm. Give unit="mm" where the program works in mm, N and tonnes; else give nodes, M and K in SI units.'
        )
    elif not SLOW < data.celerity < QUICK:
        yield (
            f"flexible body '{effort.name}' carries waves at about {data.celerity:.2g} m/s, which no material does: "
            "expected some 1000 m/s of solids. Look at the units: E in Pa (MPa goes with mm, N and tonnes), density in "
            "kg/m3."
        )
