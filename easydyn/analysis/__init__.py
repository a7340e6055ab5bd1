"""Analysis of a whole model: checks, reactions, equilibrium, small motions, sensitivities. Uses public names only."""

from easydyn.analysis.checks import check
from easydyn.analysis.equilibrium import Equilibrium, equilibrium
from easydyn.analysis.inverse_kinematics import InverseKinematics, inverse_kinematics
from easydyn.analysis.jacobian import jacobian
from easydyn.analysis.linearize import Linearization, StateSpace, linearize
from easydyn.analysis.locus import RootLocus, root_locus
from easydyn.analysis.modes import Mode, Modes
from easydyn.analysis.path import EquilibriumPath, equilibrium_path
from easydyn.analysis.sensitivity import Sensitivity, sensitivity
from easydyn.result.reactions import Cut, Reaction

__all__ = [
    "Cut", "Equilibrium", "EquilibriumPath", "InverseKinematics", "Linearization", "Mode", "Modes", "Reaction",
    "RootLocus", "Sensitivity", "StateSpace", "check", "equilibrium", "equilibrium_path", "inverse_kinematics",
    "jacobian", "linearize", "root_locus", "sensitivity",
]  # fmt: skip
