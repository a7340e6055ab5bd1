"""Looking at a model as a whole: checks, reactions. Uses public names only."""

from easydyn.analysis.checks import check
from easydyn.analysis.reactions import Cut, Reaction

__all__ = ["Cut", "Reaction", "check"]
