"""Force elements: each turns symbols into efforts on bodies, with their reactions. Each file has one element."""

from typing import TYPE_CHECKING

from easydyn.arguments import when_asked
from easydyn.forces.effort import Assembly, Effort, Placeholder, place
from easydyn.forces.fields import GravityField, GravityGradient, PointGravity, UniformGravity
from easydyn.forces.force import Force
from easydyn.forces.gap import Gap, gap_of
from easydyn.forces.slip import Slip
from easydyn.forces.spring import Spring
from easydyn.forces.transition import Transition

if TYPE_CHECKING:
    from easydyn.forces.actuator import Actuator
    from easydyn.forces.brake import Brake
    from easydyn.forces.bushing import Bushing
    from easydyn.forces.clutch import Clutch, OneWay
    from easydyn.forces.damper import Damper
    from easydyn.forces.drag import Drag
    from easydyn.forces.elastic_gear import ElasticGear
    from easydyn.forces.electric_motor import ElectricMotor
    from easydyn.forces.end_stop import EndStop
    from easydyn.forces.generalized import GeneralizedForce
    from easydyn.forces.joint_friction import JointFriction
    from easydyn.forces.moment import Moment
    from easydyn.forces.plane_point import PlanePoint
    from easydyn.forces.plane_sphere import PlaneSphere
    from easydyn.forces.rigid_contact import RigidContact
    from easydyn.forces.rotor import Rotor
    from easydyn.forces.spring_damper_series import SpringDamperSeries
    from easydyn.forces.torsion import TorsionDamper, TorsionSpring
    from easydyn.forces.tyre import Tyre

__all__ = [
    "Actuator", "Assembly", "Brake", "Bushing", "Clutch", "Damper", "Drag", "Effort", "ElasticGear", "ElectricMotor",
    "EndStop", "Force", "Gap", "gap_of", "GeneralizedForce", "GravityField", "GravityGradient", "JointFriction",
    "Moment", "OneWay", "place", "Placeholder", "PlanePoint", "PlaneSphere", "PointGravity", "RigidContact", "Rotor",
    "Slip", "Spring", "SpringDamperSeries", "TorsionDamper", "TorsionSpring", "Transition", "Tyre", "UniformGravity",
]  # fmt: skip

__getattr__, __dir__ = when_asked(__name__, {
    "actuator": "Actuator", "brake": "Brake", "bushing": "Bushing", "clutch": "Clutch OneWay", "damper": "Damper",
    "drag": "Drag", "elastic_gear": "ElasticGear", "electric_motor": "ElectricMotor", "end_stop": "EndStop",
    "generalized": "GeneralizedForce", "joint_friction": "JointFriction", "moment": "Moment",
    "plane_point": "PlanePoint", "plane_sphere": "PlaneSphere", "rigid_contact": "RigidContact", "rotor": "Rotor",
    "spring_damper_series": "SpringDamperSeries", "torsion": "TorsionDamper TorsionSpring", "tyre": "Tyre",
})  # fmt: skip
