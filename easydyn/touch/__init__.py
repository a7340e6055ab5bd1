"""Shapes on bodies that touch: `Contact` between two of them, with impacts, rest and friction."""

from easydyn.touch import shapes
from easydyn.touch.contact import Contact

__all__ = ["Contact", "shapes"]
