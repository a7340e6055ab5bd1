"""Force elements: each turns symbols into efforts on bodies, with its reaction. One idea a file."""

from easydyn.forces.damper import Damper
from easydyn.forces.effort import Assembly, Effort
from easydyn.forces.force import Force
from easydyn.forces.generalized import GeneralizedForce
from easydyn.forces.joint_friction import JointFriction
from easydyn.forces.moment import Moment
from easydyn.forces.plane_point import PlanePoint
from easydyn.forces.plane_sphere import PlaneSphere
from easydyn.forces.spring import Spring
from easydyn.forces.tyre import Tyre

__all__ = [
    "Assembly",
    "Damper",
    "Effort",
    "Force",
    "GeneralizedForce",
    "JointFriction",
    "Moment",
    "PlanePoint",
    "PlaneSphere",
    "Spring",
    "Tyre",
]
