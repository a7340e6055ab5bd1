"""easydyn: dynamics of multibody systems from homogeneous transformation matrices.

You write where each body is, T(q, t); SymPy derives velocities, accelerations and partial contributions; d'Alembert's
principle gives the equations of motion; Newmark's method steps them.
"""

from easydyn.byhand import System, check_motion
from easydyn.errors import EasyDynError
from easydyn.forces import (
    Damper,
    Effort,
    Force,
    GeneralizedForce,
    JointFriction,
    Moment,
    PlanePoint,
    PlaneSphere,
    Spring,
    Tyre,
)
from easydyn.mechanism import ground
from easydyn.model import Model
from easydyn.sim import (
    Event,
    Instant,
    Method,
    Stepper,
    generalized_alpha,
    hht,
    integrate,
    newmark,
    newmark_extrapolated,
)
from easydyn.symbols import t
from easydyn.trajectory import Happening, Trajectory
from easydyn.vec import (
    Transform,
    Vector,
    cross,
    dot,
    inertia_tensor,
    rotation_sequence,
    tdisp,
    tquat,
    transform,
    trot,
    trotx,
    troty,
    trotz,
    vcoord,
)

__version__ = "0.1.0"

__all__ = [
    "Damper",
    "EasyDynError",
    "Effort",
    "Event",
    "Force",
    "GeneralizedForce",
    "Happening",
    "Instant",
    "JointFriction",
    "Method",
    "Model",
    "Moment",
    "PlanePoint",
    "PlaneSphere",
    "Spring",
    "Stepper",
    "System",
    "Trajectory",
    "Transform",
    "Tyre",
    "Vector",
    "check_motion",
    "cross",
    "dot",
    "generalized_alpha",
    "ground",
    "hht",
    "inertia_tensor",
    "integrate",
    "newmark",
    "newmark_extrapolated",
    "rotation_sequence",
    "t",
    "tdisp",
    "tquat",
    "transform",
    "trot",
    "trotx",
    "troty",
    "trotz",
    "vcoord",
]
