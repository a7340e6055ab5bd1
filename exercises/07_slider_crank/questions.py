"""The run that exercise 07 gives to `period`: the check works out the motion, this makes a run of its numbers."""

import numpy as np

from easydyn import Trajectory
from easydyn.sim.motion import Statistics, Steps


def run_of(t, q, qd, qdd):
    """A run of one coordinate q, saved at the instants t."""
    columns = (np.array(x, dtype=float)[:, None] for x in (q, qd, qdd))
    steps = Steps(t, np.diff(t, prepend=t[0]), np.zeros(len(t)))
    return Trajectory(np.array(t), *columns, ("q",), steps, Statistics(len(t)), np.array([False]), title="slider-crank")
