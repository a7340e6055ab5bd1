"""Forty-two published mechanisms, the examples of Modelica.Mechanics.MultiBody, by features of easydyn alone.

One file each, named after the mechanism, runs by itself: `python tests/mechanisms/published/pendulum.py`. Its function
returns the model, and the published signals by name: expressions, or names of columns. `PUBLISHED` lists them all:

    for name, case in PUBLISHED.items():
        model, signals = case.build()
        run = model.simulate(case.t_final, tolerance=case.tolerance)

`original` is how many components and connections the published model has: the budget of statements here. (Nine of these
numbers are those of the published models; the others are counted from their data: joints, bodies, forces, sources,
points that are fixed, what connects them. A rolling wheel is 2 and its own 5 parts, a V6 29 and 40 of a cylinder.)
"""

from collections.abc import Callable
from typing import NamedTuple

from .actuated_drive import actuated_drive
from .bevel_gear1d import bevel_gear1d
from .double_pendulum import double_pendulum
from .double_pendulum_init_tip import double_pendulum_init_tip
from .engine1a import engine1a
from .engine1b import engine1b
from .engine1b_analytic import engine1b_analytic
from .engine_v6 import engine_v6
from .engine_v6_analytic import engine_v6_analytic
from .force_and_torque import force_and_torque
from .fourbar1 import fourbar1
from .fourbar2 import fourbar2
from .fourbar_analytic import fourbar_analytic
from .free_body import free_body
from .full_robot import full_robot
from .gear_constraint import gear_constraint
from .gyroscopic_effects import gyroscopic_effects
from .heat_losses import heat_losses
from .init_spring_constant import init_spring_constant
from .line_force_with_two_masses import line_force_with_two_masses
from .moving_actuated_drive import moving_actuated_drive
from .one_axis import one_axis
from .pendulum import pendulum
from .pendulum_with_spring_damper import pendulum_with_spring_damper
from .planar_fourbar import planar_fourbar
from .planar_loops_analytic import planar_loops_analytic
from .point_gravity import point_gravity
from .point_gravity_with_point_masses import point_gravity_with_point_masses
from .point_gravity_with_point_masses2 import point_gravity_with_point_masses2
from .prismatic_constraint import prismatic_constraint
from .revolute_constraint import revolute_constraint
from .rolling_wheel import rolling_wheel
from .rolling_wheel_set_driving import rolling_wheel_set_driving
from .rolling_wheel_set_pulling import rolling_wheel_set_pulling
from .spherical_constraint import spherical_constraint
from .spring_damper_system import spring_damper_system
from .spring_mass_system import spring_mass_system
from .spring_with_mass import spring_with_mass
from .surfaces import surfaces
from .three_springs import three_springs
from .universal_constraint import universal_constraint
from .user_defined_gravity_field import user_defined_gravity_field

PLANE, SPACE, ABOVE = (0, 0, 1), (0.6, 0.4, 1), (-0.5, -1, 0.6)  # where the eye is; y upwards, and z


class Published(NamedTuple):
    """What builds a mechanism, how long it runs (s), its components and connections, where to look at it from.

    `tolerance` is that of Newmark's method: the default but where the published model asks for more as well.
    """

    build: Callable
    t_final: float
    original: int
    towards: tuple = PLANE
    tolerance: float = 1e-6

    @property
    def view(self):
        """Options for `scene.look`: where the eye is."""
        return {"towards": self.towards}


PUBLISHED = {
    "Elementary.Pendulum": Published(pendulum, 5, 8),
    "Elementary.DoublePendulum": Published(double_pendulum, 3, 12),
    "Elementary.DoublePendulumInitTip": Published(double_pendulum_init_tip, 5, 15),
    "Elementary.ForceAndTorque": Published(force_and_torque, 1.01, 20, SPACE),
    "Elementary.FreeBody": Published(free_body, 10, 10, SPACE),
    "Elementary.InitSpringConstant": Published(init_spring_constant, 1.01, 12),
    "Elementary.LineForceWithTwoMasses": Published(line_force_with_two_masses, 3, 35, SPACE),
    "Elementary.PendulumWithSpringDamper": Published(pendulum_with_spring_damper, 10, 15),
    "Elementary.PointGravity": Published(point_gravity, 5, 3),
    "Elementary.PointGravityWithPointMasses": Published(point_gravity_with_point_masses, 2, 8),
    "Elementary.PointGravityWithPointMasses2": Published(point_gravity_with_point_masses2, 3, 19, SPACE, 1e-7),
    "Elementary.RollingWheel": Published(rolling_wheel, 4, 7, ABOVE),
    "Elementary.RollingWheelSetDriving": Published(rolling_wheel_set_driving, 3, 17, ABOVE),
    "Elementary.RollingWheelSetPulling": Published(rolling_wheel_set_pulling, 3, 10, ABOVE),
    "Elementary.SpringDamperSystem": Published(spring_damper_system, 10, 19),
    "Elementary.SpringMassSystem": Published(spring_mass_system, 5, 20),
    "Elementary.SpringWithMass": Published(spring_with_mass, 5, 5),
    "Elementary.ThreeSprings": Published(three_springs, 10, 15, SPACE),
    "Elementary.UserDefinedGravityField": Published(user_defined_gravity_field, 10, 9),
    "Elementary.HeatLosses": Published(heat_losses, 3, 33),
    "Elementary.Surfaces": Published(surfaces, 5, 14, SPACE),
    "Loops.Engine1a": Published(engine1a, 5, 27, SPACE),
    "Loops.Engine1b": Published(engine1b, 0.5, 33, SPACE),
    "Loops.Engine1b_analytic": Published(engine1b_analytic, 0.5, 29, SPACE),
    "Loops.EngineV6": Published(engine_v6, 1.01, 69, SPACE),
    "Loops.EngineV6_analytic": Published(engine_v6_analytic, 1.01, 49, SPACE),
    "Loops.Fourbar1": Published(fourbar1, 5, 24, SPACE),
    "Loops.Fourbar2": Published(fourbar2, 5, 17, SPACE),
    "Loops.Fourbar_analytic": Published(fourbar_analytic, 5, 15, SPACE),
    "Loops.PlanarFourbar": Published(planar_fourbar, 5, 24),
    "Loops.PlanarLoops_analytic": Published(planar_loops_analytic, 5, 41),
    "Constraints.PrismaticConstraint": Published(prismatic_constraint, 10, 25, SPACE),
    "Constraints.RevoluteConstraint": Published(revolute_constraint, 10, 22, SPACE),
    "Constraints.SphericalConstraint": Published(spherical_constraint, 10, 22, SPACE),
    "Constraints.UniversalConstraint": Published(universal_constraint, 10, 26, SPACE),
    "Rotational3DEffects.ActuatedDrive": Published(actuated_drive, 5, 12, SPACE),
    "Rotational3DEffects.MovingActuatedDrive": Published(moving_actuated_drive, 5, 17, SPACE),
    "Rotational3DEffects.GearConstraint": Published(gear_constraint, 5, 22, SPACE),
    "Rotational3DEffects.BevelGear1D": Published(bevel_gear1d, 0.4, 33, SPACE),
    "Rotational3DEffects.GyroscopicEffects": Published(gyroscopic_effects, 5, 23, SPACE),
    "RobotR3.OneAxis": Published(one_axis, 1.4981317, 60),
    "RobotR3.FullRobot": Published(full_robot, 1.8560450019, 228, SPACE),
}
