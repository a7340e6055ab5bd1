"""Many runs of one model: studies over grids and distributions, on every core and every machine.

distributions.py, sampling.py: what a study draws from, and how. keep.py: what it keeps of each run. study.py: which
runs there are, and how a block of them is made, side by side (run/batch.py) or one after the other. making.py: who
makes the blocks, and their files. result.py, sobol.py: what has been found, and what makes it scatter. fit.py,
optimise.py: values that fit data, and values with which a model does best. Each is called by a method of Model
(model/studying.py, model/fitting.py).
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
