"""Measured beside simulated: files of films and sensors, as programs write them, for fits and for pictures.

recording.py has what was measured, checks it, and knows what programs write as units. reading.py finds out what a file
means, table.py reads tables of text, and formats.py what is no plain table. sensors.py says what a camera and sensors
on a body see of a model; footage.py has the frames of a film, to be drawn in. No film is looked at: points are followed
by Tracker and the like.
"""

from typing import TYPE_CHECKING

from easydyn.arguments import when_asked

if TYPE_CHECKING:
    from easydyn.lab.reading import read
    from easydyn.lab.recording import Recording
    from easydyn.lab.sensors import Camera, accelerometer, gyro

__all__ = ["Camera", "Recording", "accelerometer", "gyro", "read"]

__getattr__, __dir__ = when_asked(__name__, {
    "recording": "Recording", "reading": "read", "sensors": "Camera accelerometer gyro",
})  # fmt: skip
