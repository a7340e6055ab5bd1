"""Measured beside simulated: files of films and sensors, as programs write them, for fits and for pictures.

recording.py has what was measured, and checks it; units.py knows what programs write as units. reading.py finds out
what a file means, table.py reads tables of text, and formats.py what is no plain table. camera.py and sensors.py say
what a camera and a sensor see of a model; footage.py has the frames of a film, to be drawn in. No film is looked at:
points are followed by Tracker and the like.
"""

from importlib import import_module
from typing import Any

__all__ = ["Camera", "Recording", "accelerometer", "gyro", "read"]  # noqa: F822 (see below)

_PLACES = {
    "Recording": "recording", "read": "reading",
    "Camera": "camera", "accelerometer": "sensors", "gyro": "sensors",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """What is loaded when it is asked for."""
    if name in _PLACES:
        return getattr(import_module(f"easydyn.lab.{_PLACES[name]}"), name)
    raise AttributeError(f"module 'easydyn.lab' has no {name!r}.")
