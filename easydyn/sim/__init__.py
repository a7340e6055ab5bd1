"""Time integration of any second-order system f(t, q, qd, qdd) = 0; nothing here knows what a body is.

methods.py -> coefficients; newton.py -> iteration matrix and initial accelerations; newmark_step.py -> one step (the
textbook); stepper.py -> steps of controlled length; driver.py -> a whole run.
"""

from easydyn.sim.driver import integrate
from easydyn.sim.methods import Method, generalized_alpha, hht, newmark
from easydyn.sim.stepper import Stepper

__all__ = ["Method", "Stepper", "generalized_alpha", "hht", "integrate", "newmark"]
