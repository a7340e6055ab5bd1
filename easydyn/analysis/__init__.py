"""Analysis of a whole model: checks, reactions, equilibrium, small motions, sensitivities. Uses public names only."""

from easydyn.analysis.checks import check
from easydyn.analysis.equilibrium import Equilibrium, equilibrium
from easydyn.analysis.linearize import Linearization, StateSpace, linearize
from easydyn.analysis.locus import RootLocus, root_locus
from easydyn.analysis.modes import Mode, Modes
from easydyn.analysis.path import EquilibriumPath, equilibrium_path
from easydyn.analysis.sensitivity import Sensitivity, sensitivity
from easydyn.result.reactions import Cut, Reaction

__all__ = [
    "Cut", "Equilibrium", "EquilibriumPath", "Linearization", "Mode", "Modes", "Reaction", "RootLocus", "Sensitivity",
    "StateSpace", "check", "equilibrium", "equilibrium_path", "linearize", "root_locus", "sensitivity",
]  # fmt: skip
