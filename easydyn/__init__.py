"""easydyn: dynamics of multibody systems from homogeneous transformation matrices.

You write where each body is, T(q, t); SymPy derives velocities, accelerations and partial contributions; d'Alembert's
principle gives the equations of motion; Newmark's method steps them.
"""

from typing import TYPE_CHECKING

from easydyn.arguments import when_asked
from easydyn.errors import EasyDynError
from easydyn.mechanics.mechanism import ground
from easydyn.mechanics.symbols import t
from easydyn.model.model import Model
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

if TYPE_CHECKING:
    from easydyn.constraints import KnifeEdge, Rolling, RollingWheel, RollingWheelSet
    from easydyn.course import exercise
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
    from easydyn.model.byhand import System, check_motion
    from easydyn.model.control import PID, StateFeedback, continuous_pid
    from easydyn.model.paths import point_to_point
    from easydyn.result.by_hand import integrate
    from easydyn.result.reactions import Cut
    from easydyn.result.trajectory import Trajectory
    from easydyn.sim import Event, Instant, Method, Stepper, generalized_alpha, hht, newmark, newmark_extrapolated
    from easydyn.sim.motion import Happening
    from easydyn.study import At, AtRest, Integral, Last, Linearized, Max, Min, Normal, Uniform
    from easydyn.touch import Around, Contact, Pulley, RollingOn, Rope, Sliding, Winch, shapes

__version__ = "0.1.0"

__all__ = [
    "Actuator", "Around", "At", "AtRest", "Brake", "Bushing", "Clutch", "Contact", "Cut", "Damper", "Drag",
    "EasyDynError", "Effort", "EndStop", "Event", "Force", "GeneralizedForce", "GravityField", "GravityGradient",
    "Happening", "Instant", "Integral", "JointFriction", "KnifeEdge", "Last", "Linearized", "Max", "Method", "Min",
    "Model", "Moment", "Normal", "OneWay", "PID", "PlanePoint", "PlaneSphere", "Pulley",
    "PointGravity", "RigidContact", "Rolling", "RollingOn", "RollingWheel", "RollingWheelSet", "Rope", "Rotor",
    "Sliding", "Spring",
    "StateFeedback",
    "Stepper", "System", "TorsionDamper", "TorsionSpring", "Trajectory", "Transform", "Tyre",
    "Uniform", "UniformGravity", "Vector", "check_motion", "continuous_pid", "cross",
    "Winch", "dot", "exercise", "generalized_alpha", "ground", "hht", "inertia_tensor", "integrate",
    "newmark", "newmark_extrapolated", "point_to_point", "rotation_sequence", "shapes", "t", "tdisp", "tquat",
    "transform", "trot", "trotx", "troty", "trotz", "vcoord",
]  # fmt: skip


# What is loaded when it is asked for: all that not every model needs.
__getattr__, __dir__ = when_asked(__name__, {
    "": "analysis easyanim examples export lab motor result study visu",
    "constraints": "KnifeEdge Rolling RollingWheel RollingWheelSet", "course": "exercise",
    "forces": "Actuator Brake Bushing Clutch Damper Drag Effort EndStop Force GeneralizedForce GravityField "
    "GravityGradient JointFriction Moment OneWay PlanePoint PlaneSphere PointGravity RigidContact Rotor Spring "
    "TorsionDamper TorsionSpring Tyre UniformGravity",
    "mechanics": "equations kinematics mbs symbols", "model.byhand": "System check_motion",
    "model.control": "PID StateFeedback continuous_pid", "model.paths": "point_to_point",
    "result": "plots", "result.by_hand": "integrate", "result.reactions": "Cut", "result.trajectory": "Trajectory",
    "sim": "Event Instant Method Stepper generalized_alpha hht newmark newmark_extrapolated",
    "sim.motion": "Happening", "study": "At AtRest Integral Last Linearized Max Min Normal Uniform",
    "touch": "Around Contact Pulley RollingOn Rope Sliding Winch shapes",
})  # fmt: skip
