"""Cross sections and materials of beams."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy

from easydyn.arguments import Thing, answers
from easydyn.errors import InputError
from easydyn.forces.effort import above_zero, given, positive
from easydyn.inputs import a, flag, listed, shown
from easydyn.vec.scalars import Scalar, is_number

ODD = 1.0045237627951384  # 1 + 1/3^5 + 1/5^5 + ...


@answers
@dataclass(unsafe_hash=True)
class Section(Thing):
    """A cross section of a beam along x: its area, its second moments, its torsional and shear stiffness.

    Parameters
    ----------
    area : scalar (m2)
        A, a number or an expression of parameters.
    inertia : scalar (m4)
        Iz, the second moment of area about z, which is the integral of y^2 over the section: for bending in the plane
        x, y.
    inertia_y : scalar (m4), optional
        Iy, the integral of z^2: for bending in the plane x, z. Needed in space.
    torsion : scalar (m4), optional
        J, the torsion constant: G J is the torsional stiffness (for a circle J = Iy + Iz, for all other sections it is
        less). Needed in space.
    shear_y, shear_z : scalar (m2), optional
        Shear areas for forces along y and along z: 5/6 A for a rectangle. Without them sections remain normal to the
        line (Bernoulli); with them there is also elastic shear deformation (Timoshenko).
    outline : sequence of points (y, z) (m), optional
        The outline of the section, as one line around it, measured from its centroid. It is used only for pictures and
        the stress in them. A rectangle of the same area and inertia if left out.

    Raises
    ------
    InputError
        A value that is not a scalar above zero; an outline of fewer than three points.

    Notes
    -----
    E A is the axial stiffness, E I the bending stiffness; rho A and rho I are mass and rotary inertia per length.

    Example
    -------
    >>> from easydyn.flexible import Section
    >>> Section(area=2e-4, inertia=5e-9).area
    0.0002
    """

    area: Scalar
    inertia: Scalar
    inertia_y: Scalar
    torsion: Scalar
    shear_y: Scalar
    shear_z: Scalar
    outline: tuple[tuple[Scalar, Scalar], ...] = ()
    diameters: tuple[Scalar, Scalar] | None = None

    def __init__(
        self, area: Any = None, inertia: Any = None, inertia_y: Any = None, torsion: Any = None, *,
        shear_y: Any = None, shear_z: Any = None, outline: Any = None,
    ):  # fmt: skip
        self.area = above_zero(area, "the area of a Section", " (m2).")
        self.inertia = above_zero(inertia, "the inertia of a Section", " (m4).")
        others = {"inertia_y": (inertia_y, "m4"), "torsion": (torsion, "m4"), "shear_y": (shear_y, "m2")}
        for name, (value, unit) in (others | {"shear_z": (shear_z, "m2")}).items():
            setattr(self, name, None if value is None else above_zero(value, f"{name} of a Section", f" ({unit})."))
        if outline is not None:
            self.outline = _points(outline)

    @classmethod
    def rectangle(cls, width: Any = None, height: Any = None, *, shear: bool = False) -> Section:
        """A solid rectangle: A = b h, Iz = b h^3/12, Iy = h b^3/12, J by Saint-Venant's series.

        Parameters
        ----------
        width : scalar (m)
            b, along z, the axis about which a beam in the plane bends.
        height : scalar (m)
            h, along y, in the plane in which it bends.
        shear : bool
            True for shear areas of 5/6 A.

        Returns
        -------
        Section
            The rectangle.

        Raises
        ------
        InputError
            A value that is not a scalar above zero.

        Example
        -------
        >>> from easydyn.flexible import Section
        >>> flat, upright = Section.rectangle(0.06, 0.01), Section.rectangle(0.01, 0.06)
        >>> round(upright.inertia / flat.inertia, 6)
        36.0
        """
        b = above_zero(width, "the width of a rectangle", " (m).")
        h = above_zero(height, "the height of a rectangle", " (m).")
        long, short = (h, b) if is_number(b) and is_number(h) and float(h) > float(b) else (b, h)
        tanh: Any = math.tanh if is_number(b) and is_number(h) else sympy.tanh
        # tanh(n pi/2 long/short)/n^5 over odd n: the sum of all 1/n^5, and what each term lacks, soon nothing
        series = ODD + sum((tanh(n * math.pi / 2 * long / short) - 1) / n**5 for n in range(1, 16, 2))
        J = long * short * short * short * (1 / 3 - 64 / math.pi**5 * (short / long) * series)
        areas = (b * h * 5 / 6,) * 2 if flag(shear, "shear of a rectangle") else (None, None)
        corners = [(y * h / 2, z * b / 2) for y, z in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        I = b * h * h * h / 12, h * b * b * b / 12
        return cls(b * h, *I, J, shear_y=areas[0], shear_z=areas[1], outline=corners)

    @classmethod
    def i_beam(
        cls, width: Any = None, height: Any = None, web: Any = None, flange: Any = None, *, shear: bool = False
    ) -> Section:
        """An I: two flanges, and a web between them; fillets are left out, J is the sum of b t^3/3 of its three parts.

        Parameters
        ----------
        width : scalar (m)
            b, the width of the flanges, along z.
        height : scalar (m)
            h, the total height, along y, in the plane in which a planar beam bends.
        web, flange : scalar (m)
            Their thicknesses.
        shear : bool
            True for shear areas: h t of the web along y, 5/6 of the flanges along z.

        Returns
        -------
        Section
            The I.

        Raises
        ------
        InputError
            A value that is not a scalar above zero, a web as wide as the flanges, flanges that meet.

        Example
        -------
        >>> from easydyn.flexible import Section
        >>> ipe100 = Section.i_beam(0.055, 0.1, 0.0041, 0.0057)
        >>> round(ipe100.inertia * 1e8, 1)  # cm4: 171 with its fillets
        163.3
        """
        b = above_zero(width, "the width of an I", " (m).")
        h = above_zero(height, "the height of an I", " (m).")
        s = above_zero(web, "the web of an I", " (m).")
        t = above_zero(flange, "the flange of an I", " (m).")
        for thick, whole, what in ((s, b, "web"), (2 * t, h, "two flanges")):
            if is_number(thick) and is_number(whole) and float(thick) >= float(whole):
                raise InputError(f"the {what} of an I: {thick} m, expected less than the {whole} m that there are.")
        inner = h - 2 * t
        area = 2 * b * t + s * inner
        Iz, Iy = (b * h * h * h - (b - s) * inner * inner * inner) / 12, (2 * t * b * b * b + inner * s * s * s) / 12
        J = (2 * b * t * t * t + inner * s * s * s) / 3
        areas = (h * s, b * t * 5 / 3) if flag(shear, "shear of an I") else (None, None)
        quarter = [(h / 2, b / 2), (inner / 2, b / 2), (inner / 2, s / 2)]
        right = [*quarter, *((-y, z) for y, z in reversed(quarter))]
        around = [*right, *((y, -z) for y, z in reversed(right))]
        return cls(area, Iz, Iy, J, shear_y=areas[0], shear_z=areas[1], outline=around)

    @classmethod
    def circle(cls, diameter: Any = None, bore: Any = 0, *, shear: bool = False) -> Section:
        """A round bar, or a tube: A = pi (D^2 - d^2)/4, Iy = Iz = pi (D^4 - d^4)/64, J = Iy + Iz.

        Parameters
        ----------
        diameter : scalar (m)
            D, outside.
        bore : scalar (m), optional
            d, inside; none if left out.
        shear : bool
            True for the shear areas of Cowper (1966) without lateral contraction: 6/7 A of a bar, A/2 of a thin tube.

        Returns
        -------
        Section
            The circle.

        Raises
        ------
        InputError
            A value that is not a scalar above zero, a bore that is not below the diameter.

        Example
        -------
        >>> from easydyn.flexible import Section
        >>> round(Section.circle(0.02).area * 1e4, 6)
        3.141593
        """
        D = above_zero(diameter, "the diameter of a circle", " (m).")
        d = positive(bore, "the bore of a circle")
        if is_number(D) and is_number(d) and float(d) >= float(D):
            raise InputError(f"the bore of a circle is {d} m: expected less than its diameter, {D} m.")
        outer, inner = D * D, d * d  # products: a power of a huge number is an error, a product is infinite
        A, I = math.pi * (outer - inner) / 4, math.pi * (outer * outer - inner * inner) / 64
        area = None
        if flag(shear, "shear of a circle"):
            square = inner / outer
            whole = (1 + square) * (1 + square)
            area = A * 6 * whole / (7 * whole + 20 * square)
        found = cls(A, I, I, 2 * I, shear_y=area, shear_z=area)
        vars(found)["diameters"] = D, d
        return found

    def scalars(self) -> Iterator[Scalar]:
        """The values that were given, in their own units."""
        return (x for _, x in self.named_sizes if x is not None)

    @property
    def named_sizes(self) -> tuple[tuple[str, Scalar], ...]:
        """What messages call each value that must be above zero, and the value, in its own unit."""
        names = ("area", "inertia", "inertia_y", "torsion", "shear_y", "shear_z")
        return tuple((f"{x} of the Section", getattr(self, x)) for x in names)

    @property
    def shear(self) -> bool:
        """True if the section has elastic shear deformation."""
        return self.shear_y is not None or self.shear_z is not None


@answers
@dataclass(unsafe_hash=True)
class Material(Thing):
    """The material of a beam: elastic by Hooke's law, with damping proportional to stiffness and to mass.

    Parameters
    ----------
    E : scalar (Pa)
        Young's modulus, such as 210e9 of steel, 70e9 of aluminium.
    density : scalar (kg/m3)
        rho, such as 7850 of steel, 2700 of aluminium.
    damping : scalar (s), optional
        tau of Kelvin and Voigt's law, stress = E (strain + tau d(strain)/dt): a mode of omega rad/s has the fraction
        omega tau/2 of critical damping. None if left out.
    nu : scalar (no unit), optional
        Poisson's ratio, such as 0.3: G = E/(2 (1 + nu)). Needed (or G) for twist and shear.
    G : scalar (Pa), optional
        The shear modulus itself.
    mass_damping : scalar (1/s), optional
        alpha of a drag force on all mass: alpha times mass times velocity relative to the ground. A mode of omega rad/s
        has the fraction alpha/(2 omega) of critical damping. None if left out.

    Raises
    ------
    InputError
        A value that is not a scalar above zero, a negative damping, nu outside of -1 to 0.5, both nu and G.

    Example
    -------
    >>> from easydyn.flexible import Material
    >>> Material(E=70e9, density=2700).damping
    0
    >>> round(Material(E=210e9, density=7850, nu=0.3).G / 1e9, 3)
    80.769
    """

    E: Scalar
    density: Scalar
    damping: Scalar
    G: Scalar
    mass_damping: Scalar

    def __init__(
        self, E: Any = None, density: Any = None, damping: Any = 0, *, nu: Any = None, G: Any = None,
        mass_damping: Any = 0,
    ):  # fmt: skip
        self.E = above_zero(E, "the modulus E of a Material", " (Pa).")
        self.density = above_zero(density, "the density of a Material", " (kg/m3).")
        self.damping = positive(damping, "the damping of a Material")
        self.mass_damping = positive(mass_damping, "the mass_damping of a Material")
        if nu is not None and G is not None:
            raise InputError("a Material has both nu= and G=: expected one of them, the other follows from E.")
        if nu is not None:
            ratio = given(nu, "nu of a Material")
            if is_number(ratio) and not -1 < float(ratio) <= 0.5:
                raise InputError(f"nu of a Material is {nu}: expected Poisson's ratio, above -1 and at most 0.5.")
            self.G = self.E / (2 * (1 + ratio))
        else:
            self.G = None if G is None else above_zero(G, "the modulus G of a Material", " (Pa).")

    def scalars(self) -> Iterator[Scalar]:
        """The values that were given, in their own units."""
        found = (self.E, self.density, self.damping, self.G, self.mass_damping)
        return (x for x in found if x is not None)

    @property
    def named_sizes(self) -> tuple[tuple[str, Scalar], ...]:
        """What messages call each value that must be above zero, and the value, in its own unit."""
        found = {"modulus E": self.E, "density": self.density, "modulus G": self.G}
        return tuple((f"{name} of the Material", x) for name, x in found.items())


def _points(outline: Any) -> tuple[tuple[Scalar, Scalar], ...]:
    """The points of an outline, checked."""
    found = [listed(point, "a point of the outline of a Section", "two scalars (y, z)")
             for point in listed(outline, "the outline of a Section", "points (y, z)")]  # fmt: skip
    if len(found) < 3 or any(len(point) != 2 for point in found):
        raise InputError(
            f"the outline of a Section is {shown(outline)}: expected three points (y, z) or more, once around it."
        )
    y, z = ([given(point[k], "a coordinate of the outline of a Section") for point in found] for k in (0, 1))
    return tuple(zip(y, z, strict=True))


def complete(section: Section, material: Material, level: bool, what: str) -> None:
    """Raise InputError if a section or a material lacks a value for the beam `what`; `level`: in a plane."""
    missing = [name for name in ("inertia_y", "torsion") if not level and getattr(section, name) is None]
    if missing:
        raise InputError(
            f"the section of {what} has no {' and no '.join(missing)}, and its nodes may leave the plane x, y: give "
            "Section(area, inertia, inertia_y, torsion), or Section.rectangle or Section.circle, which know them; or "
            "let both turn about z and move along x and y alone."
        )
    areas = ("shear_y",) if level else ("shear_y", "shear_z")
    missing = [name for name in areas if section.shear and getattr(section, name) is None]
    if missing:
        raise InputError(
            f"the section of {what} has shear, but no {missing[0]}: give the shear areas of both directions (m2), or "
            "none for a slender beam."
        )
    if (section.shear or not level) and material.G is None:
        raise InputError(
            f"the material of {what} has no nu= and no G=, and its beam has twist or shear: give Poisson's ratio, "
            "such as nu=0.3 of steel, or the shear modulus G (Pa)."
        )


def a_section(value: Any, what: str) -> Section:
    """Return `value` if it is a Section; otherwise raise InputError, naming `what`."""
    return a(Section, value, what, "Section.rectangle(width, height)")  # type: ignore[no-any-return]


def a_material(value: Any, what: str) -> Material:
    """Return `value` if it is a Material; otherwise raise InputError, naming `what`."""
    return a(Material, value, what, "Material(E=..., density=...)")  # type: ignore[no-any-return]
