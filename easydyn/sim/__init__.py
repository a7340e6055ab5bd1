"""Time integration of any second-order system f(t, q, qd, qdd) = 0; nothing here knows what a body is.

methods.py -> coefficients; functions.py -> what is evaluated; run.py -> the record of a run. Kernels, interpreted or
compiled: iteration.py -> its matrix, and accelerations; newmark_step.py -> one step (the textbook); runge_kutta.py,
extrapolation.py -> steps of high order; scipy_methods.py -> steps of SciPy's solvers; loop.py -> step control, jumps,
saved instants; locate.py -> events; march.py -> a whole run. kernels.py compiles them; agenda.py -> what is done at
events and at known times; stepper.py -> one step at a time; records.py -> what is saved; driver.py -> a whole run from
outside.
"""

from typing import TYPE_CHECKING

from easydyn.arguments import when_asked
from easydyn.sim.agenda import Event, Instant
from easydyn.sim.family import Family
from easydyn.sim.methods import Method, dop853, generalized_alpha, hht, lobatto, newmark, newmark_extrapolated

if TYPE_CHECKING:
    from easydyn.sim.stepper import Stepper

__all__ = [
    "Event", "Family", "Instant", "Method", "Stepper", "dop853", "generalized_alpha", "hht", "lobatto", "newmark",
    "newmark_extrapolated",
]  # fmt: skip

__getattr__, __dir__ = when_asked(__name__, {"stepper": "Stepper"})
