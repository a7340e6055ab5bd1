"""Constraints and closed loops: what must hold between frames, coordinates and rates."""

from easydyn.constraints.closure import Closure
from easydyn.constraints.constraint import Carried, Constraint, Row
from easydyn.constraints.equation import Equation

__all__ = ["Carried", "Closure", "Constraint", "Equation", "Row"]
