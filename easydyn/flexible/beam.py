"""A beam between two frames in a plane: large rotations, small strains, consistent inertia, an exact potential.

The chord from node a to node b, of length l, carries the element along. Beside it the nodes are turned by the small
angles p and q; the line between them bends by cubic polynomials (Hermite), s = 0 .. 1,

    v = L (s (1 - s)^2 p - s^2 (1 - s) q),

and is stretched by the chord and by what it bends, on the mean (von Karman):

    e = l/L - 1 + 1/2 integral v'^2 ds/L^2 = l/L - 1 + (2 p^2 - p q + 2 q^2)/30.

The potential is E A L e^2/2 + 2 E I/L (p^2 + p q + q^2): forces are its derivatives, so that energy is conserved, and
tension stiffens, pressure buckles.

Mass is that of the line, and its sections turn (rotary inertia): four points of Lobatto's rule, exact for polynomials
of degree 5, of which two are the nodes. Each of them is a body like any other, whose frame is a formula of those of
the nodes. What is inertial, centrifugal, gyroscopic, and weight, follows from these frames; nothing is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import sympy

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.flexible.section import Material, Section, above_zero
from easydyn.forces.effort import Assembly, Effort, Placeholder, a_body, constant, two_bodies
from easydyn.forces.on_line import OnLine
from easydyn.inputs import a, finite
from easydyn.mechanics.mechanism import Body, Ground, ground, path
from easydyn.vec import Shift, Transform, Turn, Vector, cross, dot
from easydyn.vec.scalars import Scalar, atan2, is_number, sqrt

LOBATTO = ((1 - 1 / math.sqrt(5)) / 2, (1 + 1 / math.sqrt(5)) / 2)  # Lobatto's points between the ends
_OF_ENDS, _OF_INNER = 1 / 12, 5 / 12  # and their weights
_Z = Vector(0, 0, 1)
_Y, _X = (Placeholder(name, real=True) for name in "yx")
_ANGLE = sympy.atan2(_Y, _X)


class Bent(NamedTuple):
    """How an element is deformed: chord (length, unit vectors along it and across), angles of its ends, strain."""

    length: Scalar
    along: Vector
    across: Vector
    p: Scalar
    q: Scalar
    strain: Scalar


@answers
class Beam(Effort):
    """A beam between two frames, bending in the plane x, y of the first: slender (Bernoulli), large rotations.

    It brings its mass and rotary inertia as bodies of the model, called after the nodes. `model.beam` makes a whole
    chain of them, with nodes and coordinates.

    Parameters
    ----------
    node_a, node_b : Body or ground
        The frames at its ends. Where the beam is straight and without stress their axes x are along it, from a to b.
        Seen from where they are both fixed, they turn about z and move in the plane x, y alone.
    section : Section
        Area, and second moment about z.
    material : Material
        Young's modulus, density, damping.
    length : scalar (m)
        L, between the nodes where it has no stress.

    Raises
    ------
    InputError
        What is no body, no section, no material, no length above zero; frames that leave the plane.

    Notes
    -----
    With the chord of length l, and the angles p, q of the ends beside it, the potential is

        E A L e^2/2 + 2 E I/L (p^2 + p q + q^2),        e = l/L - 1 + (2 p^2 - p q + 2 q^2)/30

    (a corotational element with von Karman's mean strain). Angles of nodes beside the chord should remain below 0.3
    rad or so: take more elements where a beam bends more.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp, trotz
    >>> from easydyn.flexible import Beam, Material, Section
    >>> model = Model("cantilever")
    >>> x, y, q = model.coordinates("x y q", initial=(2, 0, 0))
    >>> tip = model.body("tip", tdisp(x, y, 0) * trotz(q), mass=0, inertia=(0, 0, 0))
    >>> model.add(Beam(ground, tip, Section.rectangle(0.02, 0.05), Material(E=70e9, density=2700), length=2))
    >>> bool(model.linearize().poles().imag.max() > 1)
    True
    """

    def __init__(self, node_a: Any, node_b: Any, section: Any = None, material: Any = None, *, length: Any = None):
        self.node_a = a_body(node_a, "the first node of a Beam")
        self.node_b = a_body(node_b, "the second node of a Beam")
        two_bodies(self.node_a, self.node_b, "a Beam")
        self.section = a(Section, section, "the section of a Beam", "Section.rectangle(width, height)")
        self.material = a(Material, material, "the material of a Beam", "Material(E=..., density=...)")
        self.length = above_zero(length, "the length of a Beam", "m")
        for R, e in ((T.R, T.e) for T in path(self.node_a, self.node_b)):
            level = zip((*R.uz(), R[2, 0], R[2, 1], e.z), (0, 0, 1, 0, 0, 0), strict=True)
            if not all(is_number(x) and float(x) == y for x, y in level):
                raise InputError(
                    f"{self} leaves the plane x, y of its nodes: expected frames that turn about z and move along x "
                    "and y alone, seen from where both are fixed. Beams bend in a plane; turn that plane as a whole by "
                    "a transform before both nodes."
                )

    @property
    def conservative(self) -> bool:
        tau = self.material.damping
        return is_number(tau) and float(tau) == 0 and constant(self.expressions())

    @property
    def bodies(self) -> tuple[Body | Ground, ...]:
        return self.node_a, self.node_b

    @property
    def observer(self) -> Body | Ground:
        return ground if ground in self.bodies else self.node_a

    def expressions(self) -> Iterator[Scalar]:
        yield from (self.section.area, self.section.inertia, self.length)
        yield from (self.material.E, self.material.density, self.material.damping)

    # -- inertia --------------------------------------------------------------------------------------------------

    def _shares(self, weight: float) -> tuple[Scalar, tuple[Scalar, Scalar, Scalar]]:
        """Mass and principal moments of a point that stands for so much of the beam: sections turn about z and y."""
        line = self.material.density * self.length * weight
        return line * self.section.area, (0, line * self.section.inertia, line * self.section.inertia)

    @property
    def masses(self) -> tuple[OnLine, ...]:
        ends = (end for end in self.bodies if isinstance(end, Body))
        name = f"{self.node_a.name}-{self.node_b.name} mass"
        return (*(OnLine(name, end.T, *self._shares(_OF_ENDS)) for end in ends), *self.between())

    def between(self) -> tuple[OnLine, OnLine]:
        """The mass between its nodes: two points of the line, each with the inertia of the sections about it."""
        name = f"{self.node_a.name}-{self.node_b.name} mass"
        first, second = (OnLine(name, self.at(s), *self._shares(_OF_INNER)) for s in LOBATTO)
        return first, second

    def at(self, fraction: Any) -> Transform:
        """The frame of a section, a formula of those of the nodes.

        Parameters
        ----------
        fraction : float (no unit)
            Where on the beam: 0 at the first node, 1 at the second.

        Returns
        -------
        Transform
            With x along the beam.

        Raises
        ------
        InputError
            A fraction that is no number from 0 to 1.
        """
        s = fraction_of(fraction)
        one, other = path(self.node_a, self.node_b)
        shared = len(self.node_a.T.factors) - len(one.factors)
        bent = _bent(one, other, self.length)
        v = self.length * s * (1 - s) * ((1 - s) * bent.p - s * bent.q)
        slope = (1 - s) * (1 - 3 * s) * bent.p + s * (3 * s - 2) * bent.q
        place = one.e + bent.along * (s * bent.length) + bent.across * v
        turned = Turn(_Z, atan2(bent.along.y, bent.along.x) + slope)
        return Transform((*self.node_a.T.factors[:shared], Shift(place), turned))

    # -- elasticity -----------------------------------------------------------------------------------------------

    def _deformed(self, assembly: Assembly) -> Bent:
        one, other = (assembly.state(body).T for body in self.bodies)
        return _bent(one, other, assembly.value(self.length), lambda y, x: assembly.value(_ANGLE, {_Y: y, _X: x}))

    def apply(self, assembly: Assembly) -> None:
        value, bent = assembly.value, self._deformed(assembly)
        L, E, tau = value(self.length), value(self.material.E), value(self.material.damping)
        p, q, strain = bent.p, bent.q, bent.strain
        if not (is_number(self.material.damping) and float(self.material.damping) == 0):
            p, q, strain = (x + tau * assembly.calculus.rate(x) for x in (p, q, strain))
        tension = E * value(self.section.area) * strain
        bending = 2 * E * value(self.section.inertia) / L
        at_a = bending * (2 * p + q) + tension * L * (4 * bent.p - bent.q) / 30
        at_b = bending * (p + 2 * q) + tension * L * (4 * bent.q - bent.p) / 30
        force = bent.along * tension - bent.across * ((at_a + at_b) / bent.length)
        one, other = (assembly.state(body) for body in self.bodies)
        normal = one.T.R.uz()
        one.apply(force, one.T.e)
        other.apply(-force, other.T.e)
        one.MG = one.MG - normal * at_a
        other.MG = other.MG - normal * at_b

    def potential(self, assembly: Assembly) -> Scalar:
        bent, L, E = self._deformed(assembly), assembly.value(self.length), assembly.value(self.material.E)
        stretched = E * assembly.value(self.section.area) * L * bent.strain * bent.strain / 2
        curved = bent.p * bent.p + bent.p * bent.q + bent.q * bent.q
        return stretched + 2 * E * assembly.value(self.section.inertia) / L * curved

    def __repr__(self) -> str:
        return f"Beam between '{self.node_a.name}' and '{self.node_b.name}'"


@answers
class Piece(Beam):
    """An element of a chain, which has its mass as bodies of its own."""

    @property
    def masses(self) -> tuple[OnLine, ...]:
        return ()

def _bent(one: Transform, other: Transform, L: Scalar, angle: Callable[[Scalar, Scalar], Scalar] = atan2) -> Bent:
    """How an element of length L (m) between two frames is deformed; `angle` is that of a point (y, x)."""
    chord, normal = other.e - one.e, one.R.uz()
    length = sqrt(dot(chord, chord))
    along = chord / length
    across = cross(normal, along)
    p, q = (angle(dot(across, x), dot(along, x)) for x in (one.R.ux(), other.R.ux()))
    return Bent(length, along, across, p, q, length / L - 1 + (2 * p * p - p * q + 2 * q * q) / 30)


def fraction_of(value: Any) -> float:
    """A place along a beam, 0 to 1; InputError for anything else."""
    found = finite(value, "the fraction of a beam")
    if not 0 <= found <= 1:
        raise InputError(f"the fraction of a beam is {value}: expected 0 at its first node to 1 at its last.")
    return found
