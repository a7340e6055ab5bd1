"""Force elements: each turns symbols into efforts on bodies, with their reactions. Each file has one idea."""

from typing import TYPE_CHECKING

from easydyn.arguments import when_asked
from easydyn.forces.effort import Assembly, Effort, Placeholder, Transition, place
from easydyn.forces.fields import GravityField, GravityGradient, PointGravity, UniformGravity
from easydyn.forces.gap import Gap, gap_of
from easydyn.forces.on_body import Force, Moment
from easydyn.forces.slip import Slip
from easydyn.forces.spring import Spring

if TYPE_CHECKING:
    from easydyn.forces.actuator import Actuator
    from easydyn.forces.bushing import Bushing
    from easydyn.forces.clutch import Clutch, OneWay
    from easydyn.forces.contact import PlanePoint, PlaneSphere
    from easydyn.forces.damper import Damper
    from easydyn.forces.drag import Drag
    from easydyn.forces.elastic_gear import ElasticGear
    from easydyn.forces.electric_motor import ElectricMotor
    from easydyn.forces.end_stop import EndStop
    from easydyn.forces.joint_friction import Brake, JointFriction
    from easydyn.forces.on_coordinate import GeneralizedForce
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
    "actuator": "Actuator", "bushing": "Bushing", "clutch": "Clutch OneWay", "contact": "PlanePoint PlaneSphere",
    "damper": "Damper", "drag": "Drag", "elastic_gear": "ElasticGear", "electric_motor": "ElectricMotor",
    "end_stop": "EndStop", "joint_friction": "Brake JointFriction", "on_coordinate": "GeneralizedForce",
    "rigid_contact": "RigidContact", "rotor": "Rotor", "spring_damper_series": "SpringDamperSeries",
    "torsion": "TorsionDamper TorsionSpring", "tyre": "Tyre",
})  # fmt: skip
