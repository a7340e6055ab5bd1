"""Bodies that bend: cross sections, materials, beams in the plane. docs/flexible.md."""

from easydyn.flexible.beam import Beam
from easydyn.flexible.chain import FlexibleBeam
from easydyn.flexible.section import Material, Section

__all__ = ["Beam", "FlexibleBeam", "Material", "Section"]
