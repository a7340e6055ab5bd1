"""Bodies that bend: cross sections, materials, beams in the plane; bodies from matrices. docs/flexible.md."""

from easydyn.flexible.beam import Beam
from easydyn.flexible.body import Elasticity, FlexibleBody
from easydyn.flexible.chain import FlexibleBeam
from easydyn.flexible.section import Material, Section

__all__ = ["Beam", "Elasticity", "FlexibleBeam", "FlexibleBody", "Material", "Section"]
