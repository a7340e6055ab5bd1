"""A beam between two frames: large rotations, small strains, consistent inertia, an exact potential.

The element moves with the chord from node a to node b, of length l and direction e. The tangents of the nodes (their x
axes) are rotated relative to the chord. Seen from node a, e is (c1, c2, c3); the angles from the tangent to the chord
are

    a_y = f c2,   a_z = f c3,   f = arccos(c1)/sin(arccos(c1)) = 1 + u/3 + 2 u^2/15 + ...,   u = 1 - c1

and are not singular anywhere. The angles b_y, b_z of node b are defined in the same way. Let U = a - b, which bends the
line uniformly, and W = a + b. The line is a cubic (Hermite). Its stretch has two parts: that of the chord, and the mean
stretch due to bending (von Karman). The twist is the part of the rotation from node a to node b that remains after one
tangent has been rotated onto the other by the shortest way:

    V = E A L s^2/2 + G J twist^2/(2 L)
        + E Iz/(2 L) (U_y^2 + 3 W_y^2/(1 + Phi_y)) + E Iy/(2 L) (U_z^2 + 3 W_z^2/(1 + Phi_z))
    s = l/L - 1 + sum over y, z of U^2/24 + W^2/(40 (1 + Phi)^2),        Phi = 12 E I/(G A_s L^2), 0 without shear

If the beam bends and twists at the same time, sections between the nodes have other axes than those at the nodes, and
the tangent does not go from node to node by the shortest way. The terms in V are then

    U (1 + twist^2/12),    W_y + twist U_z/3,    W_z - twist U_y/3
    twist (1 - (U_y^2 + U_z^2)/4) + (U_y W_z - U_z W_y)/2

Moments m_y = E Iz U_y/L and m_z = E Iy U_z/L rotate the sections between the nodes, which reduces V by a term:

    - L (m_y U_z - m_z U_y)^2/(24 G J)

Without these terms errors fall with the square of L, for example in lateral buckling; with them, errors fall with its
fourth power. Forces are the derivatives of V. If the unstressed beam is curved, its values of U, W, s and twist are
subtracted.

The inertia is that of the line. Its degrees of freedom are the positions and tangents t of the nodes, d = (r_a, L t_a,
r_b, L t_b): r = sum of H_k(s) d_k. The mass matrix is constant for every motion of the beam,

    T = 1/2 sum of M_ij d_i' . d_j' + rotary inertia of the sections, at the nodes.

M is the consistent mass matrix (Przemieniecki, Theory of Matrix Structural Analysis, 1968, with Phi), plus a part that
is zero for a rigid beam: with w = t_a - t_b, u = (t_a + t_b)/2, g = (r_b - r_a)/L - u

    rho A L^3 (w'.w'/240 - 2 g'.g'/105 - u'.g'/30)/2

The last term gives the right distribution of centrifugal forces along the beam. The others remove the frequency errors
of orders 4 and 6 in k h, the wave number times the length of an element. The remaining error is (k h)^8/240000; that of
the consistent matrix is (k h)^4/1440. The body at each node has half of the mass; the rest of M is an inertia of the
element (`Effort.kinetic`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.flexible.doubts import doubts_of, wasted_steps_of
from easydyn.flexible.section import Material, Section, a_material, a_section, complete
from easydyn.forces.declared import Argument, Element, Size
from easydyn.forces.effort import Assembly, a_body, above_zero, constant, two_bodies
from easydyn.forces.line import OnLine
from easydyn.inputs import finite
from easydyn.mechanics.mbs import BodyState
from easydyn.mechanics.mechanism import Body, path
from easydyn.vec import Block, Rotation, Shift, Transform, Turn, Vector, as_transform, cross, dot
from easydyn.vec.scalars import Scalar, atan2, is_number, sqrt

# of arccos(1 - u)/sqrt(2 u - u^2) and of arcsin(x)/x in powers of u and x^2
_ARC = (1, 1 / 3, 2 / 15, 2 / 35, 8 / 315, 8 / 693, 16 / 3003, 16 / 6435, 128 / 109395)
_TWIST = (1, 1 / 6, 3 / 40, 5 / 112, 35 / 1152, 63 / 2816)


class Bent(NamedTuple):
    """The deformation of an element: U and W about z, the same about y, stretch, twist."""

    even: tuple[Scalar, Scalar]
    odd: tuple[Scalar, Scalar]
    strain: Scalar
    twist: Scalar


_STRAIGHT = Bent((0, 0), (0, 0), 0, 0)


class Strains(NamedTuple):
    """The strains of an element, at the distance s L from its first node.

    >>> Strains(1e-3, (0, 0), (0.2, 0), 0).stretch
    0.001

    Attributes
    ----------
    stretch : scalar (no unit)
        Stretch of the line.
    even, odd : tuples of two scalars (1/m)
        Parts of the curvatures in the planes x, y and x, z; a curvature is even + odd (1 - 2 s).
    twist : scalar (rad/m)
        Twist per length.
    """

    stretch: Scalar
    even: tuple[Scalar, Scalar]
    odd: tuple[Scalar, Scalar]
    twist: Scalar


class Slopes(NamedTuple):
    """Values for the derivatives of these: chord; for each node seen chord, f and its derivative; for the twist.

    It also has U, W and twist as seen at the nodes.
    """

    length: Scalar
    along: Vector
    chords: tuple[Vector, Vector]
    factor: tuple[Scalar, Scalar]
    slope: tuple[Scalar, Scalar]
    by_twist: Vector
    U: tuple[Scalar, Scalar]
    W: tuple[Scalar, Scalar]
    twist: Scalar


@answers
class Beam(Element):
    """A beam between two frames: large rotations, bending, stretch, twist, and shear if its section has it.

    The element includes its mass and rotary inertia. `model.beam` makes a whole chain of elements, with nodes and
    coordinates.

    Parameters
    ----------
    node_a, node_b : Body or ground
        The frames at its ends. If the beam is straight and unstressed, their x axes point along it, from a to b; y and
        z are the principal axes of the section.
    section : Section
        Area and second moments. If the nodes may leave a plane, `inertia_y` and `torsion` are needed.
    material : Material
        Young's modulus, density, damping; nu or G if there is shear or twist.
    length : scalar (m)
        L, the length along the unstressed beam.
    free : Transform, optional
        Node b as seen from node a in the unstressed beam, in numbers. Straight along x if left out.

    Raises
    ------
    InputError
        An invalid body, section or material, a length that is not above zero; a section or a material that lacks
        something.

    Notes
    -----
    With U = a - b and W = a + b of the angles between tangents and chord at both ends (docs/flexible.md):

        V = E A L s^2/2 + E I/(2 L) (U^2 + 3 W^2/(1 + Phi)) + ... of the other plane + G J twist^2/(2 L)

    The angles between nodes and chord should remain below about 0.3 rad: take more elements if a beam bends more.

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

    inertial, what = True, "a Beam"
    node_a, node_b = Argument(a_body, "first node"), Argument(a_body, "second node")
    section, material = Argument(a_section), Argument(a_material)
    length = Size(partial(above_zero, more=" (m)."))
    free = Argument(as_transform, "frame free=", missing=None)

    def __init__(
        self, node_a: Any, node_b: Any, section: Any = None, material: Any = None, *, length: Any = None,
        free: Any = None,
    ):  # fmt: skip
        self.take(locals(), "node_a", "node_b")
        two_bodies(self.node_a, self.node_b, self.what)
        self.take(locals(), "section", "material", "length")
        self.level = self._level()
        complete(self.section, self.material, self.level, str(self))
        self.take(locals())
        self._rest = _STRAIGHT if self.free is None else self._unstressed(self.free)

    @cached_property
    def named_sizes(self) -> tuple[tuple[str, Scalar], ...]:
        """What messages call each value that must be above zero, and the value, in its own unit."""
        parts = (*self.section.named_sizes, *self.material.named_sizes)
        return (*super().named_sizes, *((f"the {words} of {self}", x) for words, x in parts))

    def _level(self) -> bool:
        """True when the nodes remain in the plane x, y of what they have in common."""
        for R, e in ((T.R, T.e) for T in path(self.node_a, self.node_b)):
            level = zip((*R.uz(), R[2, 0], R[2, 1], e.z), (0, 0, 1, 0, 0, 0), strict=True)
            if not all(is_number(x) and float(x) == y for x, y in level):
                return False
        return True

    def _unstressed(self, free: Transform) -> Bent:
        numbers = [*free.scalars(), self.length]
        if not all(is_number(x) for x in numbers):
            raise InputError(f"the frame free= of {self} has symbols in it: expected numbers, and a number as length.")
        here, there = Transform().R, Rotation(*(column.map(float) for column in free.R))
        bent, slopes = self._bent(here, there, free.e.map(float), float(self.length), (0, 0), _STRAIGHT)[::2]
        return bent._replace(strain=slopes.length / float(self.length) - 1)

    @property
    def conservative(self) -> bool:
        damping = (self.material.damping, self.material.mass_damping)
        return all(is_number(x) and float(x) == 0 for x in damping) and constant(self.expressions())

    def _all(self, source: Any) -> list[Beam]:
        """The beams of a model, for the first of them, which speaks for all."""
        found = [effort for effort in source.mechanism.efforts if isinstance(effort, Beam)]
        return found if found[0] is self else []

    def doubts(self, source: Any, t: Any, q: Any, qd: Any) -> Iterator[str]:
        if found := self._all(source):
            yield from doubts_of(found, [element._rest for element in found], source, t, q, qd)

    def _wasted_steps(self, source: Any, duration: float, steps: int) -> Iterator[str]:
        if found := self._all(source):
            yield from wasted_steps_of(found, duration, steps)

    # -- inertia --------------------------------------------------------------------------------------------------

    @property
    def masses(self) -> tuple[OnLine, ...]:
        ends = (end for end in self.bodies if isinstance(end, Body))
        name = f"{self.node_a.name}-{self.node_b.name} mass"
        return tuple(OnLine(name, end.T, *share(self.section, self.material, self.length)) for end in ends)

    def _consistent(self, Phi: Scalar) -> list[list[Scalar]]:
        """M/(rho A L) of (r_a, L t_a, r_b, L t_b)."""
        per, square = 1 / ((1 + Phi) * (1 + Phi)), Phi * Phi
        m1 = (13 / 35 + 7 / 10 * Phi + square / 3) * per
        m2 = (11 / 210 + 11 / 120 * Phi + square / 24) * per
        m3 = (9 / 70 + 3 / 10 * Phi + square / 6) * per
        m4 = (13 / 420 + 3 / 40 * Phi + square / 24) * per
        m5 = (1 / 105 + Phi / 60 + square / 120) * per
        m6 = (1 / 140 + Phi / 60 + square / 120) * per
        M = [[m1, m2, m3, -m4], [m2, m5, m4, -m6], [m3, m4, m1, -m2], [-m4, -m6, -m2, m5]]
        u, g, w = (0, 0.5, 0, 0.5), (-1, -0.5, 1, -0.5), (0, 1, 0, -1)

        def entry(i: int, j: int) -> Scalar:
            turned, odd = w[i] * w[j] / 240 - 2 / 105 * g[i] * g[j], u[i] * g[j] + g[i] * u[j]
            return M[i][j] + turned * per - odd / 60

        return [[entry(i, j) for j in range(4)] for i in range(4)]

    def _inertia(self, assembly: Assembly) -> tuple[Scalar, list[list[Scalar]], list[Vector]]:
        """Mass, consistent matrix, and the freedoms of the line."""
        value = assembly.value
        L, A = value(self.length), value(self.section.area)
        flexible = self._shear(assembly.value)
        Phi = flexible[0] if self.level else (flexible[0] + flexible[1]) / 2
        one, other = (assembly.state(body).T for body in self.bodies)
        d = [one.e, one.R.ux() * L, other.e, other.R.ux() * L]
        return value(self.material.density) * A * L, self._consistent(Phi), d

    def _inertial_forces(self, assembly: Assembly) -> None:
        rate, value = assembly.calculus.rate, assembly.value
        mass, M, d = self._inertia(assembly)
        velocities = [u.map(rate) for u in d]
        accelerations = [u.map(rate) for u in velocities]
        drag = value(self.material.mass_damping)
        dragged = not (is_number(self.material.mass_damping) and float(self.material.mass_damping) == 0)
        weight = assembly.gravity * (mass / 12)  # of the line on the tangents: its forces are on the bodies
        forces = []
        for i in range(4):
            force = weight if i == 1 else -weight if i == 3 else Vector(0, 0, 0)
            for j in range(4):
                force = force - accelerations[j] * (mass * (M[i][j] - (0.5 if i == j and i in (0, 2) else 0)))
                if dragged:
                    force = force - velocities[j] * (mass * M[i][j] * drag)
            forces.append(force)
        for k, body in enumerate(self.bodies):
            state = assembly.state(body)
            state.apply(forces[2 * k], d[2 * k])
            state.MG = state.MG + cross(d[2 * k + 1], forces[2 * k + 1])
            if dragged:
                moments = [value(x) * drag for x in share(self.section, self.material, self.length)[1]]
                axes = (state.T.R.ux(), state.T.R.uy(), state.T.R.uz())
                for axis, moment in zip(axes, moments, strict=True):
                    state.MG = state.MG - axis * (dot(axis, state.omega) * moment)

    def kinetic(self, assembly: Assembly) -> Scalar:
        mass, M, d = self._inertia(assembly)
        v = [u.map(assembly.calculus.rate) for u in d]
        twice = 0
        for i in range(4):
            for j in range(4):
                twice = twice + dot(v[i], v[j]) * (M[i][j] - (0.5 if i == j and i in (0, 2) else 0))
        return twice * mass / 2

    # -- elasticity -----------------------------------------------------------------------------------------------

    def _shear(self, value: Any) -> tuple[Scalar, Scalar]:
        """Phi of bending about z and about y; zero where the section has no shear."""
        if not self.section.shear:
            return 0, 0
        per = 12 * value(self.material.E) / (value(self.material.G) * value(self.length) * value(self.length))
        about_z = per * value(self.section.inertia) / value(self.section.shear_y)
        if self.level:
            return about_z, 0
        return about_z, per * value(self.section.inertia_y) / value(self.section.shear_z)

    def _bent(
        self, R_a: Rotation, R_b: Rotation, chord: Vector, L: Scalar, shear: Sequence[Scalar], rest: Bent
    ) -> tuple[Bent, Bent, Slopes]:
        """Deformation less that at rest, the same as it is, and what its derivatives need."""
        length = sqrt(dot(chord, chord))
        along = chord * (1 / length)
        chords, angles, factors, slopes = [], [], [], []
        for R in (R_a, R_b):
            c = R.T * along
            f, slope = _series(_ARC, 1 - c.x)
            chords.append(c)
            angles.append((f * c.y, f * c.z))
            factors.append(f)
            slopes.append(-slope)
        (a_y, a_z), (b_y, b_z) = angles
        U, W = (a_y - b_y, a_z - b_z), (a_y + b_y, a_z + b_z)
        even, odd, twist, seen_twist, by_twist = U, W, 0, 0, Vector(0, 0, 0)
        if not self.level:
            (t_a, y_a, z_a), (t_b, y_b, z_b) = ((R.ux(), R.uy(), R.uz()) for R in (R_a, R_b))
            below = 1 + dot(t_a, t_b)
            sine = (dot(z_a, y_b) - dot(y_a, z_b)) / below
            factor, slope = _series(_TWIST, sine * sine)
            seen_twist = factor * sine
            turn = cross(z_a, y_b) - cross(y_a, z_b) - cross(t_a, t_b) * sine
            by_twist = turn * ((factor + 2 * sine * sine * slope) / below)
            more, third = 1 + seen_twist * seen_twist / 12, seen_twist / 3
            even, odd = (U[0] * more, U[1] * more), (W[0] + third * U[1], W[1] - third * U[0])
            twist = seen_twist * (1 - (U[0] * U[0] + U[1] * U[1]) / 4) + (U[0] * W[1] - U[1] * W[0]) / 2
        strain = length / L - 1 - rest.strain
        for u, w, u0, w0, Phi in zip(even, odd, rest.even, rest.odd, shear, strict=True):
            strain = strain + (u * u - u0 * u0) / 24 + (w * w - w0 * w0) / (40 * (1 + Phi) * (1 + Phi))
        total = Bent(even, odd, strain, twist)
        bent = Bent(
            (even[0] - rest.even[0], even[1] - rest.even[1]), (odd[0] - rest.odd[0], odd[1] - rest.odd[1]),
            strain, twist - rest.twist,
        )  # fmt: skip
        there = Slopes(
            length, along, (chords[0], chords[1]), (factors[0], factors[1]), (slopes[0], slopes[1]), by_twist, U, W,
            seen_twist,
        )  # fmt: skip
        return bent, total, there

    def _stiffness(self, assembly: Assembly) -> tuple[Scalar, tuple[Scalar, Scalar], Scalar]:
        """E A, and by L: E I about z and about y, G J."""
        value = assembly.value
        E, L = value(self.material.E), value(self.length)
        about_z, of_twist, about_y = E * value(self.section.inertia) / L, 0, 0
        if not self.level:
            about_y = E * value(self.section.inertia_y) / L
            of_twist = value(self.material.G) * value(self.section.torsion) / L
        return E * value(self.section.area), (about_z, about_y), of_twist

    def _now(self, assembly: Assembly) -> tuple[Bent, Bent, Slopes]:
        one, other = (assembly.state(body).T for body in self.bodies)
        L = assembly.value(self.length)
        return self._bent(one.R, other.R, other.e - one.e, L, self._shear(assembly.value), self._rest)

    def apply(self, assembly: Assembly) -> None:
        self._inertial_forces(assembly)
        bent, total, there = self._now(assembly)
        L, shear = assembly.value(self.length), self._shear(assembly.value)
        EA, EI, GJ = self._stiffness(assembly)
        elastic = bent
        if not (is_number(self.material.damping) and float(self.material.damping) == 0):
            tau, rate = assembly.value(self.material.damping), assembly.calculus.rate

            def delayed(x: Scalar) -> Scalar:
                return x + tau * rate(x)

            (u, w), (p, q) = ((delayed(x) for x in pair) for pair in (bent.even, bent.odd))
            bent = Bent((u, w), (p, q), delayed(bent.strain), delayed(bent.twist))
        tension = EA * bent.strain
        evenly, oddly, torque = list[Scalar](), list[Scalar](), GJ * bent.twist  # derivatives by U, W and twist
        for k in range(2):
            stiff = 1 + shear[k]
            evenly.append(EI[k] * bent.even[k] + tension * L * total.even[k] / 12)
            oddly.append(EI[k] * 3 * bent.odd[k] / stiff + tension * L * total.odd[k] / (20 * stiff * stiff))
        by_twist = torque
        if not self.level:
            (U, V), (P, Q), twist = there.U, there.W, there.twist
            m, n = (k * x for k, x in zip(EI, elastic.even, strict=True))
            turning = (m * total.even[1] - n * total.even[0]) / (12 * GJ)
            u = evenly[0] - turning * (EI[0] * total.even[1] - n)
            v = evenly[1] - turning * (m - EI[1] * total.even[0])
            p, q = oddly
            more, third = 1 + twist * twist / 12, twist / 3
            evenly = [
                u * more - q * third + torque * (Q - twist * U) / 2,
                v * more + p * third - torque * (P + twist * V) / 2,
            ]
            oddly = [p - torque * V / 2, q + torque * U / 2]
            by_twist = torque * (1 - (U * U + V * V) / 4) + (p * V - q * U) / 3 + (u * U + v * V) * (twist / 6)
        by_angles = [[e + o for e, o in zip(evenly, oddly, strict=True)], [o - e for e, o in zip(evenly, oddly)]]
        states: list[BodyState] = [assembly.state(body) for body in self.bodies]
        across = Vector(0, 0, 0)
        twisting = there.by_twist * by_twist
        for k, state in enumerate(states):
            c, f, slope, (g_y, g_z) = there.chords[k], there.factor[k], there.slope[k], by_angles[k]
            G = state.T.R * Vector(slope * (g_y * c.y + g_z * c.z), f * g_y, f * g_z)
            across = across + G
            state.MG = state.MG + cross(there.along, G) + (twisting if k else -twisting)
        across = (across - there.along * dot(there.along, across)) * (1 / there.length)
        force = there.along * tension + across
        states[0].apply(force, states[0].T.e)
        states[1].apply(-force, states[1].T.e)

    def potential(self, assembly: Assembly) -> Scalar:
        bent, total, _ = self._now(assembly)
        L, shear = assembly.value(self.length), self._shear(assembly.value)
        EA, EI, GJ = self._stiffness(assembly)
        twice = EA * L * bent.strain * bent.strain + GJ * bent.twist * bent.twist
        for k in range(2):
            U, W = bent.even[k], bent.odd[k]
            twice = twice + EI[k] * (U * U + 3 * W * W / (1 + shear[k]))
        if not self.level:
            turning = EI[0] * bent.even[0] * total.even[1] - EI[1] * bent.even[1] * total.even[0]
            twice = twice - turning * turning / (12 * GJ)
        mass, _, d = self._inertia(assembly)
        return twice / 2 - dot(assembly.gravity, d[1] - d[3]) * (mass / 12)

    def at(self, fraction: Any) -> Transform:
        """The frame of a section, a formula of the frames of the nodes.

        Parameters
        ----------
        fraction : float (no unit)
            Position on the beam: 0 at the first node, 1 at the second.

        Returns
        -------
        Transform
            With x along the beam.

        Raises
        ------
        InputError
            A fraction that is not a number from 0 to 1.
        """
        s = fraction_of(fraction)
        one, other = path(self.node_a, self.node_b)
        shared = len(self.node_a.T.factors) - len(one.factors)
        L, t_a, t_b = self.length, one.R.ux(), other.R.ux()
        bow = s * (1 - s)
        e = one.e * ((1 + 2 * s) * (1 - s) * (1 - s)) + other.e * (s * s * (3 - 2 * s))
        e = e + t_a * (L * bow * (1 - s)) - t_b * (L * bow * s)
        t = (other.e - one.e) * (6 * bow / L) + t_a * ((1 - s) * (1 - 3 * s)) + t_b * (s * (3 * s - 2))
        before = (*self.node_a.T.factors[:shared], Shift(e))
        if self.level:
            return Transform((*before, Turn(Vector(0, 0, 1), atan2(t.y, t.x))))
        x = t * (1 / sqrt(dot(t, t)))
        y = one.R.uy() * (1 - s) + other.R.uy() * s
        y = y - x * dot(x, y)
        y = y * (1 / sqrt(dot(y, y)))
        return Transform((*before, Block(Rotation(x, y, cross(x, y)), Vector(0, 0, 0))))

    def __repr__(self) -> str:
        return f"Beam between '{self.node_a.name}' and '{self.node_b.name}'"


def strains(element: Beam, one: Transform, other: Transform, value: Any) -> Strains:
    """The strains of an element, relative to its unstressed shape, when its nodes are at two given frames.

    The frames may have any scalars: numbers, arrays. `value` converts length, section and material to these scalars.
    The cubic of the element has the curvature (U + 3 W (1 - 2 s)/(1 + Phi))/L, with s from 0 to 1.
    """
    L, shear = value(element.length), element._shear(value)
    bent, _, _ = element._bent(one.R, other.R, other.e - one.e, L, shear, element._rest)
    curved = [(U / L, 3 * W / (L * (1 + Phi))) for U, W, Phi in zip(bent.even, bent.odd, shear, strict=True)]
    return Strains(bent.strain, (curved[0][0], curved[1][0]), (curved[0][1], curved[1][1]), bent.twist / L)


@answers
class Piece(Beam):
    """An element of a chain, whose nodes have its mass."""

    @property
    def masses(self) -> tuple[OnLine, ...]:
        return ()


def share(
    section: Section, material: Material, length: Scalar, elements: int = 1
) -> tuple[Scalar, tuple[Scalar, Scalar, Scalar]]:
    """Mass (kg) and principal moments (kg m2) of a node at the end of the given number of elements: half of each."""
    line, about_z, about_y = material.density * length * elements / 2, section.inertia, section.inertia_y
    if about_y is None:
        return line * section.area, (0, line * about_z, line * about_z)
    return line * section.area, (line * (about_z + about_y), line * about_y, line * about_z)


def _series(coefficients: Sequence[float], x: Scalar) -> tuple[Scalar, Scalar]:
    """A polynomial (lowest power first) and its derivative."""
    total: Scalar = coefficients[-1]
    slope: Scalar = 0
    for c in reversed(coefficients[:-1]):
        slope = total + slope * x
        total = c + total * x
    return total, slope


def fraction_of(value: Any) -> float:
    """A position along a beam, 0 to 1; InputError for anything else."""
    found = finite(value, "the fraction of a beam")
    if not 0 <= found <= 1:
        raise InputError(f"the fraction of a beam is {value}: expected 0 at its first node to 1 at its last.")
    return found
