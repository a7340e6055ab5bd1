"""Constraints and closed loops: what must hold between frames, coordinates and rates."""

from easydyn.constraints.closure import Closure
from easydyn.constraints.equation import Equation

__all__ = ["Closure", "Equation"]
