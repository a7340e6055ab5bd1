"""What a file says of a joint of a robot beyond its motion."""

from __future__ import annotations

from typing import NamedTuple

from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import Transform


class Joint(NamedTuple):
    """A joint of a robot that was read from a file, as `model.joints` has it by its name.

    Attributes
    ----------
    name : str
        Its name in the file; the coordinates have it without the characters that a symbol cannot have.
    type : str
        "revolute", "continuous", "prismatic", "fixed", "floating" or "planar".
    coordinates : tuple of Coordinate
        None for a fixed joint, one, three, or six. Those of a joint that mimics another are its leader's.
    factor, offset : float
        A joint that mimics another moves by `factor*q + offset` (rad or m); 1 and 0 for others.
    limits : (float, float) or None
        The lowest and the highest value of its coordinate (rad or m), for which no joint that mimics it passes its own
        limits. None where there are none.
    effort, velocity : float or None
        The largest effort (N m or N) and the largest speed (rad/s or m/s) that the file allows.
    parent, child : str
        The names of its links.
    before : Transform
        The frame of the joint in its parent, from the ground.
    after : Transform
        The frame of the child, from the ground.

    Example
    -------
    >>> from easydyn import Model, examples
    >>> robot = Model.from_urdf(examples.double_pendulum().to_urdf("pendulum.urdf"))
    >>> robot.joints["q1"].coordinates
    (q1,)
    """

    name: str
    type: str
    coordinates: tuple[Coordinate, ...]
    factor: float
    offset: float
    limits: tuple[float, float] | None
    effort: float | None
    velocity: float | None
    parent: str
    child: str
    before: Transform
    after: Transform
