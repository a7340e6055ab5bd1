"""Force elements: each turns symbols into efforts on bodies, with their reactions. Each file has one idea."""

from typing import TYPE_CHECKING

from easydyn.arguments import when_asked
from easydyn.forces.effort import Assembly, Effort, Placeholder, Transition, place
from easydyn.forces.fields import GravityField, GravityGradient, PointGravity, UniformGravity
from easydyn.forces.gap import Gap, gap_of
from easydyn.forces.on_body import Drag, Force, Moment
from easydyn.forces.slip import Slip
from easydyn.forces.springs import Damper, Spring, SpringDamperSeries

if TYPE_CHECKING:
    from easydyn.forces.actuator import Actuator
    from easydyn.forces.bushing import Bushing
    from easydyn.forces.contact import PlanePoint, PlaneSphere
    from easydyn.forces.elastic_gear import ElasticGear
    from easydyn.forces.joint_friction import Brake, Clutch, JointFriction, OneWay
    from easydyn.forces.on_coordinate import EndStop, GeneralizedForce, TorsionDamper, TorsionSpring
    from easydyn.forces.rigid_contact import RigidContact
    from easydyn.forces.rotor import ElectricMotor, Rotor
    from easydyn.forces.tyre import Tyre

__all__ = [
    "Actuator", "Assembly", "Brake", "Bushing", "Clutch", "Damper", "Drag", "Effort", "ElasticGear", "ElectricMotor",
    "EndStop", "Force", "Gap", "gap_of", "GeneralizedForce", "GravityField", "GravityGradient", "JointFriction",
    "Moment", "OneWay", "place", "Placeholder", "PlanePoint", "PlaneSphere", "PointGravity", "RigidContact", "Rotor",
    "Slip", "Spring", "SpringDamperSeries", "TorsionDamper", "TorsionSpring", "Transition", "Tyre", "UniformGravity",
]  # fmt: skip

__getattr__, __dir__ = when_asked(__name__, {
    "actuator": "Actuator", "bushing": "Bushing", "contact": "PlanePoint PlaneSphere",
    "elastic_gear": "ElasticGear", "joint_friction": "Brake Clutch JointFriction OneWay",
    "on_coordinate": "EndStop GeneralizedForce TorsionDamper TorsionSpring", "rigid_contact": "RigidContact",
    "rotor": "ElectricMotor Rotor", "tyre": "Tyre",
})  # fmt: skip
