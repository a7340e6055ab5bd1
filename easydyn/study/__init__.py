"""Many runs of one model: studies over grids and distributions, on every core and every machine.

distributions.py and sampling.py draw the values of a study. keep.py says what a study keeps of each run. study.py lists
the runs, and makes a block of them, in machine code (run/batch.py) or one by one. making.py distributes the
blocks and keeps their files. result.py and sobol.py hold the results and find the causes of their scatter. fit.py fits
values to data; optimise.py finds optimal values. Model has them as methods.
"""

from easydyn.study.distributions import Normal, Uniform
from easydyn.study.keep import At, Integral, Last, Max, Min
from easydyn.study.measures import AtRest, Linearized
from easydyn.study.result import StudyResult
from easydyn.study.sobol import SobolIndices
from easydyn.study.study import Study

__all__ = [
    "At", "AtRest", "Integral", "Last", "Linearized", "Max", "Min", "Normal", "SobolIndices", "Study", "StudyResult",
    "Uniform",
]  # fmt: skip
