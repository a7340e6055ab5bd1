"""easydyn: dynamics of multibody systems from homogeneous transformation matrices.

You write where each body is, T(q, t); SymPy derives velocities, accelerations and partial contributions; d'Alembert's
principle gives the equations of motion; Newmark's method steps them.
"""

from importlib import import_module
from typing import Any

from easydyn.constraints import KnifeEdge, Rolling, RollingWheel, RollingWheelSet
from easydyn.errors import EasyDynError
from easydyn.forces import (
    Actuator,
    Brake,
    Bushing,
    Clutch,
    Damper,
    Drag,
    Effort,
    EndStop,
    Force,
    GeneralizedForce,
    GravityField,
    GravityGradient,
    JointFriction,
    Moment,
    OneWay,
    PlanePoint,
    PlaneSphere,
    PointGravity,
    RigidContact,
    Rotor,
    Spring,
    TorsionDamper,
    TorsionSpring,
    Tyre,
    UniformGravity,
)
from easydyn.mechanics.mechanism import ground
from easydyn.mechanics.symbols import t
from easydyn.model.byhand import System, check_motion
from easydyn.model.control import PID, StateFeedback, continuous_pid
from easydyn.model.model import Model
from easydyn.model.paths import point_to_point
from easydyn.result.by_hand import integrate
from easydyn.result.reactions import Cut
from easydyn.result.trajectory import Trajectory
from easydyn.sim import (
    Event,
    Instant,
    Method,
    Stepper,
    generalized_alpha,
    hht,
    newmark,
    newmark_extrapolated,
)
from easydyn.sim.motion import Happening
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
    "Actuator", "Around", "At", "AtRest", "Brake", "Bushing", "Clutch", "Contact", "Cut", "Damper", "Drag",  # noqa: F822 (see below)
    "EasyDynError", "Effort", "EndStop", "Event", "Force", "GeneralizedForce", "GravityField", "GravityGradient",
    "Happening", "Instant", "Integral", "JointFriction", "KnifeEdge", "Last", "Linearized", "Max", "Method", "Min",  # noqa: F822 (see below)
    "Model", "Moment", "Normal", "OneWay", "PID", "PlanePoint", "PlaneSphere", "Pulley",  # noqa: F822 (see below)
    "PointGravity", "RigidContact", "Rolling", "RollingOn", "RollingWheel", "RollingWheelSet", "Rope", "Rotor",  # noqa: F822 (see below)
    "Sliding", "Spring",  # noqa: F822 (see below)
    "StateFeedback",
    "Stepper", "System", "TorsionDamper", "TorsionSpring", "Trajectory", "Transform", "Tyre",
    "Uniform", "UniformGravity", "Vector", "check_motion", "continuous_pid", "cross",  # noqa: F822 (see below)
    "Winch", "dot", "exercise", "generalized_alpha", "ground", "hht", "inertia_tensor", "integrate",  # noqa: F822 (see below)
    "newmark", "newmark_extrapolated", "point_to_point", "rotation_sequence", "shapes", "t", "tdisp", "tquat",
    "transform", "trot", "trotx", "troty", "trotz", "vcoord",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """What is loaded when it is asked for: course, studies, examples, motors, files of pictures, the textbook."""
    if name == "exercise":
        from easydyn.course import exercise

        return exercise
    if name in ("At", "AtRest", "Integral", "Last", "Linearized", "Max", "Min", "Normal", "Uniform"):
        return getattr(import_module("easydyn.study"), name)
    if name in ("easyanim", "examples", "lab", "motor"):
        return import_module(f"easydyn.{name}")
    if name in ("equations", "kinematics", "mbs", "symbols"):
        return import_module(f"easydyn.mechanics.{name}")
    if name in ("Around", "Contact", "Pulley", "RollingOn", "Rope", "Sliding", "Winch", "shapes"):
        return getattr(import_module("easydyn.touch"), name)
    if name == "plots":
        return import_module("easydyn.result.plots")
    raise AttributeError(f"module 'easydyn' has no {name!r}.")
