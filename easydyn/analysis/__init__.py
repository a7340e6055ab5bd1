"""Looking at a model as a whole: checks. Uses public names only."""

from easydyn.analysis.checks import check

__all__ = ["check"]
