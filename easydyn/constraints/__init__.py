"""Constraints and closed loops: conditions between frames, coordinates and rates."""

from easydyn.constraints.closure import Closure
from easydyn.constraints.equation import Equation
from easydyn.constraints.gears import BevelGear, Gear, GearConstraint
from easydyn.constraints.rolling import KnifeEdge, Rolling, RollingWheel, RollingWheelSet

__all__ = [
    "BevelGear", "Closure", "Equation", "Gear", "GearConstraint", "KnifeEdge", "Rolling", "RollingWheel",
    "RollingWheelSet",
]  # fmt: skip
