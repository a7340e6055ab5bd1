"""Cross sections and materials: what a beam needs beside its length."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from easydyn.arguments import Answering, answers
from easydyn.errors import InputError
from easydyn.forces.effort import given, positive
from easydyn.vec.scalars import Scalar, is_number


@answers
@dataclass(frozen=True)
class Section(metaclass=Answering):
    """A cross section of a beam that bends in the plane x, y of its nodes: its area, and its second moment about z.

    Parameters
    ----------
    area : scalar (m2)
        A, a number or an expression of parameters.
    inertia : scalar (m4)
        I, the second moment of area about z, which is the integral of y^2 over the section.

    Raises
    ------
    InputError
        What is no scalar above zero.

    Notes
    -----
    E A is the stiffness against stretch, E I against bending; rho A and rho I are mass and rotary inertia by length.

    Example
    -------
    >>> from easydyn.flexible import Section
    >>> Section(area=2e-4, inertia=5e-9).area
    0.0002
    """

    area: Scalar
    inertia: Scalar

    def __init__(self, area: Any = None, inertia: Any = None):
        object.__setattr__(self, "area", above_zero(area, "the area of a Section", "m2"))
        object.__setattr__(self, "inertia", above_zero(inertia, "the inertia of a Section", "m4"))

    @classmethod
    def rectangle(cls, width: Any = None, height: Any = None) -> Section:
        """A full rectangle: A = b h, I = b h^3/12.

        Parameters
        ----------
        width : scalar (m)
            b, along z, the axis about which the beam bends.
        height : scalar (m)
            h, along y, in the plane in which it bends.

        Returns
        -------
        Section
            The rectangle.

        Raises
        ------
        InputError
            What is no scalar above zero.

        Example
        -------
        >>> from easydyn.flexible import Section
        >>> flat, upright = Section.rectangle(0.06, 0.01), Section.rectangle(0.01, 0.06)
        >>> round(upright.inertia / flat.inertia, 6)
        36.0
        """
        b = above_zero(width, "the width of a rectangle", "m")
        h = above_zero(height, "the height of a rectangle", "m")
        return cls(b * h, b * h * h * h / 12)

    @classmethod
    def circle(cls, diameter: Any = None, bore: Any = 0) -> Section:
        """A round bar, or a tube: A = pi (D^2 - d^2)/4, I = pi (D^4 - d^4)/64.

        Parameters
        ----------
        diameter : scalar (m)
            D, outside.
        bore : scalar (m), optional
            d, inside; none if left out.

        Returns
        -------
        Section
            The circle.

        Raises
        ------
        InputError
            What is no scalar above zero, a bore that is not below the diameter.

        Example
        -------
        >>> from easydyn.flexible import Section
        >>> round(Section.circle(0.02).area * 1e4, 6)
        3.141593
        """
        D = above_zero(diameter, "the diameter of a circle", "m")
        d = positive(bore, "the bore of a circle")
        if is_number(D) and is_number(d) and float(d) >= float(D):
            raise InputError(f"the bore of a circle is {d} m: expected less than its diameter, {D} m.")
        outer, inner = D * D, d * d  # products: a power of a huge number is an error, a product is infinite
        return cls(math.pi * (outer - inner) / 4, math.pi * (outer * outer - inner * inner) / 64)


@dataclass(frozen=True)
class Material(metaclass=Answering):
    """What a beam is made of: elastic by Hooke's law, with a damping that is proportional to the stiffness.

    Parameters
    ----------
    E : scalar (Pa)
        Young's modulus, such as 210e9 of steel, 70e9 of aluminium.
    density : scalar (kg/m3)
        rho, such as 7850 of steel, 2700 of aluminium.
    damping : scalar (s), optional
        tau of Kelvin and Voigt's law, stress = E (strain + tau d(strain)/dt): a mode of omega rad/s loses the fraction
        omega tau/2 of critical damping. None if left out.

    Raises
    ------
    InputError
        What is no scalar above zero, a negative damping.

    Example
    -------
    >>> from easydyn.flexible import Material
    >>> Material(E=70e9, density=2700).damping
    0
    """

    E: Scalar
    density: Scalar
    damping: Scalar

    def __init__(self, E: Any = None, density: Any = None, damping: Any = 0):
        object.__setattr__(self, "E", above_zero(E, "the modulus E of a Material", "Pa"))
        object.__setattr__(self, "density", above_zero(density, "the density of a Material", "kg/m3"))
        object.__setattr__(self, "damping", positive(damping, "the damping of a Material"))


def above_zero(value: Any, what: str, unit: str) -> Scalar:
    """A scalar that is no number below or at zero; InputError, naming `what`, otherwise."""
    found = given(value, what)
    if is_number(found) and float(found) <= 0:
        raise InputError(f"{what} is {value}: expected a value above zero ({unit}).")
    return found
