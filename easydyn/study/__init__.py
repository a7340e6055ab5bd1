"""Many runs of one model: studies over grids and distributions, on every core and every machine.

distributions.py: what a study draws from. The rest of the room is reached by methods of a Model (model/studying.py).
"""

from easydyn.study.distributions import Normal, Uniform

__all__ = ["Normal", "Uniform"]
