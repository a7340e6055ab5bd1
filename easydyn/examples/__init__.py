"""Models that are ready to run: those of the paper (section VII and the jack of section V), and more to learn from.

    from easydyn import examples
    run = examples.double_pendulum().simulate(5, save_every=0.01)

Each module says what its model teaches; `python -m easydyn demo double_pendulum` draws its pictures.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from easydyn.arguments import answers

MODELS = {
    "double_pendulum": "pendulum",
    "slider_crank": "crank",
    "spatial_robot": "robot",
    "hydraulic_jack": "jack",
    "oscillator": "vibration",
    "spring_pendulum": "incline",
    "relative_pendulum": "four_ways",
    "free_body": "tumbling",
    "gyroscope": "top",
    "falling_chain": "chain",
    "bouncing_ball": "ball",
    "quarter_car": "car",
    "dc_motor": "motor",
    "speed_control": "pid",
    "inverted_pendulum": "cart",
    "quadrotor": "flight",
    "tyre_drop": "tyre",
    "planar_bicycle": "bicycle",
    "one_axis": "axis",
    "robot_r3": "r3",
    "seven_axis_arm": "arm",
    "trolley_pendulum": "trolley",
    "fourfold_pendulum": "trolleys",
    "spinning_wheel": "rack",
    "coupler_curve": "coupler",
    "v6_engine": "vee",
    "walking_legs": "walker",
    "hexapod": "shaker",
    "macpherson": "strut",
    "benchmark_bicycle": "whipple",
    "wheel_set": "rails",
    "satellite": "orbit",
}
PAPER = ("double_pendulum", "slider_crank", "spatial_robot", "hydraulic_jack")

__all__ = ["MODELS", "PAPER", *MODELS]  # models: see below


def __getattr__(name: str) -> Any:
    if name in MODELS:
        module = import_module(f"easydyn.examples.{MODELS[name]}")
        # here, and not where they are written, which is to be read as a program of yours
        if not hasattr(getattr(module, name), "__wrapped__"):
            setattr(module, name, answers(getattr(module, name)))
        return getattr(module, name)
    raise AttributeError(f"module 'easydyn.examples' has no {name!r}: it has {', '.join(MODELS)}.")
