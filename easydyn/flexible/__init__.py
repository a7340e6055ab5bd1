"""Flexible bodies: cross sections, materials, beams; bodies from finite element matrices. See docs/flexible.md."""

from easydyn.flexible.beam import Beam
from easydyn.flexible.body import Elasticity, FlexibleBody
from easydyn.flexible.chain import FlexibleBeam
from easydyn.flexible.section import Material, Section

__all__ = ["Beam", "Elasticity", "FlexibleBeam", "FlexibleBody", "Material", "Section"]
