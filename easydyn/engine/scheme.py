"""Schemes: ways from a mechanism to its equations of motion. Each gives the same numbers by other formulas.

- "explicit": the textbook (kinematics.py and mbs.py, eqs. 5-8), run on graph nodes: every d_ij, theta_ij is formed.
- "recursive": no partial contribution is formed; Newton and Euler along the tree of factors (recursion.py), and a
  reverse sweep where angles and displacements are functions of the coordinates.
- "motor": velocity, momentum and what acts are one motor each, of every body in its own axes (motors.py).

A new one derives from Scheme, in a file of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from easydyn.engine.derivatives import slopes
from easydyn.errors import InputError
from easydyn.inputs import among
from easydyn.mechanics import mbs
from easydyn.mechanics.kinematics import motion, rotation_vector
from easydyn.mechanics.mbs import BodyState
from easydyn.vec import Transform
from easydyn.vec.scalars import Scalar


class Scheme(ABC):
    """A scheme, for every argument `scheme=`: it writes d'Alembert's equations on the graph of a Derivation.

    Attributes
    ----------
    name : str
        What it is called.
    along_the_tree : bool
        True: efforts act at the joints of `derivation.tree`, where articulated bodies apply as well. False: efforts act
        on the bodies, `derivation.loaded`.
    """

    name: str
    along_the_tree = False

    @abstractmethod
    def move(self, derivation: Any, body: BodyState, G: Transform) -> None:
        """Give a body its velocities and accelerations (m/s, rad/s, ...), at its centre of mass, whose frame is G."""

    @abstractmethod
    def residual(self, derivation: Any) -> list[Scalar]:
        """d'Alembert's rows (N, N m) of `derivation.moving`, with all efforts but generalised forces (eq. 6)."""

    def mass_matrix(self, derivation: Any) -> list[list[Any]]:
        """M (kg, kg m2) of the bodies alone, by rows (eq. 8); by default from the accelerations in the residual."""
        rows, count = [derivation.graph.node(f) for f in self.residual(derivation)], len(derivation.moving)
        every = slopes(derivation.graph, rows, derivation.qdd)
        return [[every[i * derivation.n + j] for j in derivation.mechanism.moving] for i in range(count)]

    def kinetic_energy(self, derivation: Any) -> Scalar:
        """Kinetic energy of all bodies (J); by default from König's theorem."""
        return mbs.kinetic_energy(derivation.moved)

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))


class Explicit(Scheme):
    """The textbook: partial contributions of every body to every coordinate."""

    name = "explicit"

    def move(self, derivation: Any, body: BodyState, G: Transform) -> None:
        d = derivation
        m = motion(G, d.moving, [d.qd[j] for j in d.mechanism.moving], d.t, d.calculus, d.drives)
        body.vG, body.omega, body.aG, body.omegad = m.v, m.omega, m.a, m.alpha
        body.d, body.theta, body.vG_t, body.omega_t = m.d, m.theta, m.v_t, m.omega_t

    def residual(self, derivation: Any) -> list[Scalar]:
        return mbs.residual(derivation.loaded, len(derivation.moving))

    def mass_matrix(self, derivation: Any) -> list[list[Any]]:
        return mbs.mass_matrix(derivation.loaded, len(derivation.moving))


class Recursive(Scheme):
    """Newton and Euler along the tree of factors; accelerations by articulated bodies."""

    name = "recursive"
    along_the_tree = True

    def move(self, derivation: Any, body: BodyState, G: Transform) -> None:
        rate, tidy, d = derivation.calculus.rate, derivation.calculus.tidy, derivation
        body.vG, body.omega = G.e.map(rate), rotation_vector(body.T, rate, tidy, d.rotations).map(d.graph.node)
        body.aG, body.omegad = body.vG.map(rate), body.omega.map(rate)

    def residual(self, derivation: Any) -> list[Scalar]:
        d = derivation
        return [*d.tree.residual(d.moving, d.wrenches(d.calculus, d.applied.wrenches))]

    def mass_matrix(self, derivation: Any) -> list[list[Any]]:
        return derivation.tree.mass_matrix(derivation.moving, derivation.calculus.diff)


class Motors(Scheme):
    """Motor calculus: p' + v x p = f of every body in its own axes, summed up to the joints."""

    name = "motor"

    def move(self, derivation: Any, body: BodyState, G: Transform) -> None:
        derivation.motors.move(body)

    def residual(self, derivation: Any) -> list[Scalar]:
        return derivation.motors.residual(derivation.pushed, derivation.moving)

    def mass_matrix(self, derivation: Any) -> list[list[Any]]:
        return derivation.motors.mass_matrix(derivation.moved, derivation.moving)

    def kinetic_energy(self, derivation: Any) -> Scalar:
        return derivation.motors.kinetic_energy(derivation.moved)


SCHEMES: dict[str, Scheme] = {scheme.name: scheme for scheme in (Recursive(), Explicit(), Motors())}


def scheme_of(value: Any) -> Scheme:
    """The scheme, given by its name or as a Scheme; InputError for anything else."""
    if isinstance(value, Scheme):
        return value
    if not among(value, tuple(SCHEMES)):
        raise InputError(f"scheme={value!r}: expected one of {', '.join(SCHEMES)}, or a Scheme.")
    return SCHEMES[value]
