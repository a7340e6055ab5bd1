"""A brake: friction of a coordinate with a level that can be controlled."""

from __future__ import annotations

from typing import Any

from easydyn.forces.joint_friction import JointFriction


class Brake(JointFriction):
    """Exact dry friction of a coordinate (Coulomb's law), controlled by an input, a controller or a formula.

    Parameters
    ----------
    coordinate : Coordinate
        As returned by `model.coordinates`.
    level : scalar (N or N m) or callable
        Friction in sliding, for example an input; the brake is open at a negative level. Or a function `level(speed)`
        that returns a formula.
    static_level : scalar (N or N m), optional
        Largest friction at rest; equal to the friction in sliding if left out.
    name : str, optional
        Name of its flags `name.sticks`, `name.slides`; the coordinate with "_brake" if left out.

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> model = Model("rotor")
    >>> q, = model.coordinates("q", rates=4)
    >>> u = model.input("u", 0)
    >>> rotor = model.body("rotor", trotz(q), mass=0, inertia=(0, 0, 2))
    >>> model.add(Brake(q, level=u))
    >>> run = model.simulate(5, inputs={"u": ([0, 1, 1, 5], [0, 0, 8, 8])})  # from 1 s on it brakes by 4 rad/s2
    >>> run.events[0].what, round(run.events[0].t, 9), float(run["q.dot"][-1])
    ('sticks', 2.0, 0.0)
    """

    _called = "brake"

    def __init__(self, coordinate: Any, level: Any = None, *, static_level: Any = None, name: Any = None):
        super().__init__(coordinate, level, static_level=static_level, name=name)
