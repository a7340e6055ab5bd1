"""What touches and what pulls: `Contact` between shapes on bodies, ropes along a path."""

from easydyn.touch import shapes
from easydyn.touch.contact import Contact
from easydyn.touch.path import Around, Pulley, Winch
from easydyn.touch.rolling import RollingOn, Sliding
from easydyn.touch.rope import Rope

__all__ = ["Around", "Contact", "Pulley", "RollingOn", "Rope", "Sliding", "Winch", "shapes"]
