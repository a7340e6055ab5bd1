"""An elastic gear: elasticity, damping and backlash between two shafts, and the friction of its bearings.

The twist of the fast shaft is d = p - n q. Outside of the backlash b, where |d| > b/2, the teeth transmit

    M = c (|d| - b/2) + k d.dot    (in the direction of d, and never a pull)

M acts on the fast shaft against d, and n M acts on the slow one. The housing carries the rest, (n - 1) M. This moment
needs no term of its own, because the coordinates are angles relative to the housing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import sympy

from easydyn.errors import InputError
from easydyn.forces.declared import Argument, Element, Size
from easydyn.forces.effort import Assembly, Placeholder, a_coordinate, above_zero, constant, given, positive
from easydyn.forces.joint_friction import JointFriction
from easydyn.vec.scalars import Scalar, is_zero

_D, _V, _HALF, _C, _K = (Placeholder(name, real=True) for name in ("twist", "rate", "half", "stiff", "damp"))


def _law(play: bool) -> sympy.Expr:
    """The moment as a function of twist and rate."""
    if not play:
        return _C * _D + _K * _V
    return sympy.Piecewise(
        (sympy.Max(0, _C * (_D - _HALF) + _K * _V), _D > _HALF),
        (sympy.Min(0, _C * (_D + _HALF) + _K * _V), _D < -_HALF), (0, True),
    )  # fmt: skip


@cache
def _beyond() -> sympy.Expr:
    """What is left of the twist when the play is taken up."""
    return _D - sympy.Min(sympy.Max(_D, -_HALF), _HALF)


def a_ratio(value: Any, what: str) -> Scalar:
    """Return a nonzero ratio, a number or of parameters; otherwise raise InputError, naming `what`."""
    ratio = given(value, what)
    if not constant([ratio]) or is_zero(ratio):
        raise InputError(
            f"{what} is {ratio}: expected a number that is not zero, or an expression of parameters, the "
            "turns of the first shaft for one of the second; negative where they turn opposite ways."
        )
    return ratio


class ElasticGear(Element):
    """An elastic gear between a fast and a slow shaft, with damping, backlash and the friction of its bearings.

    The twist d = p - n q causes the moment c d + k d.dot on the fast shaft, against d, and n times this moment on the
    slow shaft (Hooke's law, in the axes of the housing). With a backlash b the gear transmits nothing for |d| < b/2,
    and the teeth never pull. Friction acts on the fast shaft, as in a `JointFriction`: it sticks exactly.

    Parameters
    ----------
    fast, slow : Coordinate (rad)
        p and q, as returned by `model.coordinates`, both relative to the housing; for example of a motor and of a
        joint.
    ratio : scalar (no unit)
        n, turns of the fast shaft for one of the slow one; negative where they turn opposite ways.
    stiffness : scalar (N m/rad)
        c, seen from the fast shaft.
    damping : scalar (N m s/rad), optional
        k, seen from the fast shaft.
    backlash : scalar (rad), optional
        b, the play of the fast shaft from one flank to the other.
    friction : scalar (N m), callable or table, optional
        Friction in sliding of the bearings on the fast shaft: a number, a law `friction(speed)`, or a table ((speed,
        moment), ...) with straight lines between its points.
    static_friction : scalar (N m), optional
        Largest friction at rest (breakaway); equal to the friction in sliding at zero speed if left out.
    name : str, optional
        Name of the flags of its friction; the fast coordinate with "_friction" if left out.

    Raises
    ------
    InputError
        A value that is missing or not possible: a ratio or a stiffness of zero, the same coordinate twice.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> model = Model("drive")
    >>> p, q = model.coordinates("p q", initial=(0.1, 0))
    >>> shafts = [model.body(f"shaft {x}", trotz(x), mass=0, inertia=(0, 0, J)) for x, J in ((p, 0.1), (q, 50))]
    >>> model.add(ElasticGear(p, q, ratio=100, stiffness=8))
    >>> model.compile().accelerations(0, [0.1, 0], [0, 0])
    array([-8. ,  1.6])
    """

    fast, slow = Argument(a_coordinate, "fast coordinate"), Argument(a_coordinate, "slow coordinate")
    ratio = Argument(a_ratio)
    stiffness = Size(partial(above_zero, more="; a rigid one is a Gear."))
    damping, backlash = Argument(positive), Argument(positive)

    def __init__(
        self, fast: Any, slow: Any, *, ratio: Any = None, stiffness: Any = None, damping: Any = 0, backlash: Any = 0,
        friction: Any = None, static_friction: Any = None, name: Any = None,
    ):  # fmt: skip
        self.take(locals())
        if self.fast == self.slow:
            raise InputError(f"an ElasticGear is between {fast} and itself: expected two coordinates.")
        if friction is None and (static_friction is not None or name is not None):
            raise InputError(
                "an ElasticGear has a static_friction, or a name for its friction, and no friction=: give it."
            )
        self.friction: JointFriction | None = None
        if friction is not None:
            self.friction = JointFriction(self.fast, friction, static_level=static_friction, name=name)
        self.twist = self.fast - self.ratio * self.slow
        self.moment = _law(self._has_play).xreplace({
            _D: self.twist, _V: self.fast.dot - self.ratio * self.slow.dot, _HALF: self.backlash / sympy.Integer(2),
            _C: sympy.sympify(self.stiffness), _K: sympy.sympify(self.damping),
        })  # fmt: skip

    @property
    def _has_play(self) -> bool:
        return not is_zero(self.backlash)

    def apply(self, assembly: Assembly) -> None:
        moment = assembly.value(self.moment)
        assembly.add_generalized(self.fast, -moment)
        assembly.add_generalized(self.slow, assembly.value(self.ratio) * moment)
        if self.friction is not None:
            self.friction.apply(assembly)

    def potential(self, assembly: Assembly) -> Scalar:
        beyond = assembly.value(_beyond(), {_D: assembly.value(self.twist), _HALF: assembly.value(self.backlash) / 2})
        return assembly.value(self.stiffness) * beyond * beyond / 2

    def switches(self, assembly: Assembly) -> Iterator[tuple[str, Scalar]]:
        if self._has_play:
            twist, half = assembly.value(self.twist), assembly.value(self.backlash) / 2
            yield from (("forward flank", twist - half), ("backward flank", twist + half))
