"""Forty-two published mechanisms, the examples of Modelica.Mechanics.MultiBody, by features of easydyn alone.

One file each, named after the mechanism, runs by itself: `python tests/mechanisms/published/pendulum.py`. Its function
returns the model, and the published signals by name, each an expression of the model. `PUBLISHED` lists them all:

    for name, case in PUBLISHED.items():
        model, signals = case.build()
        run = model.simulate(case.t_final)

`original` is how many components and connections the published model has: the budget of statements here.
"""

from collections.abc import Callable
from typing import NamedTuple

from .free_body import free_body
from .heat_losses import heat_losses
from .init_spring_constant import init_spring_constant
from .pendulum import pendulum
from .pendulum_with_spring_damper import pendulum_with_spring_damper
from .point_gravity import point_gravity
from .point_gravity_with_point_masses import point_gravity_with_point_masses
from .point_gravity_with_point_masses2 import point_gravity_with_point_masses2
from .rolling_wheel import rolling_wheel
from .spring_damper_system import spring_damper_system
from .spring_mass_system import spring_mass_system
from .spring_with_mass import spring_with_mass
from .three_springs import three_springs
from .user_defined_gravity_field import user_defined_gravity_field

PLANE, SPACE, ABOVE = (0, 0, 1), (0.6, 0.4, 1), (-0.5, -1, 0.6)  # where the eye is; y upwards, and z


class Published(NamedTuple):
    """What builds a mechanism, how long it runs (s), its components and connections, where to look at it from."""

    build: Callable
    t_final: float
    original: int
    towards: tuple = PLANE

    @property
    def view(self):
        """Options for `scene.look`: where the eye is."""
        return {"towards": self.towards}


PUBLISHED = {
    "Elementary.Pendulum": Published(pendulum, 5, 8),
    "Elementary.FreeBody": Published(free_body, 10, 10, SPACE),
    "Elementary.InitSpringConstant": Published(init_spring_constant, 1.01, 12),
    "Elementary.PendulumWithSpringDamper": Published(pendulum_with_spring_damper, 10, 15),
    "Elementary.PointGravity": Published(point_gravity, 5, 3),
    "Elementary.PointGravityWithPointMasses": Published(point_gravity_with_point_masses, 2, 8),
    "Elementary.PointGravityWithPointMasses2": Published(point_gravity_with_point_masses2, 3, 19, SPACE),
    "Elementary.RollingWheel": Published(rolling_wheel, 4, 7, ABOVE),
    "Elementary.SpringDamperSystem": Published(spring_damper_system, 10, 19),
    "Elementary.SpringMassSystem": Published(spring_mass_system, 5, 20),
    "Elementary.SpringWithMass": Published(spring_with_mass, 5, 5),
    "Elementary.ThreeSprings": Published(three_springs, 10, 15, SPACE),
    "Elementary.UserDefinedGravityField": Published(user_defined_gravity_field, 10, 9),
    "Elementary.HeatLosses": Published(heat_losses, 3, 33),
}
