"""The models of the paper (section VII and the jack of section V) and two with tyres, ready to run.

    from easydyn import examples
    run = examples.double_pendulum().simulate(5, save_every=0.01)

Each module is also a script that draws the paper's figures: `python -m easydyn.examples.pendulum`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

MODELS = {
    "double_pendulum": "pendulum",
    "slider_crank": "crank",
    "spatial_robot": "robot",
    "hydraulic_jack": "jack",
    "tyre_drop": "tyre",
    "planar_bicycle": "bicycle",
}

__all__ = [  # noqa: F822 (see below)
    "MODELS", "double_pendulum", "hydraulic_jack", "planar_bicycle", "slider_crank", "spatial_robot", "tyre_drop",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in MODELS:
        return getattr(import_module(f"easydyn.examples.{MODELS[name]}"), name)
    raise AttributeError(f"module 'easydyn.examples' has no {name!r}: it has {', '.join(MODELS)}.")
