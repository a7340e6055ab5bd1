"""Bodies that bend: a beam with its nodes and coordinates, made for the user.

    blade = model.beam("blade", root=hub.T, length=2, section=section, material=material, elements=8)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from easydyn.arguments import answers
from easydyn.flexible.beam import LOBATTO, Piece
from easydyn.flexible.chain import FlexibleBeam, freedoms
from easydyn.flexible.section import Material, Section, above_zero
from easydyn.inputs import a, text, whole
from easydyn.mechanics.mechanism import Body
from easydyn.vec import Transform, as_transform, tdisp
from easydyn.vec.scalars import is_number


@answers
class Bending:
    """The part of a Model that declares what bends."""

    if TYPE_CHECKING:

        def together(self) -> Any: ...

        coordinates: Any
        body: Any
        add: Any

    def beam(
        self, name: str, *, root: Any = None, length: Any = None, section: Any = None, material: Any = None,
        elements: int = 8, ends: Any = ("clamped", "free"),
    ) -> FlexibleBeam:  # fmt: skip
        """Add a beam that bends in the plane x, y of its root: nodes, their coordinates, and elements between them.

        For a beam called "blade" the coordinates of node 3 are blade_x3, blade_y3 (m), its place as seen from the root,
        and blade_q3 (rad), how far it has turned. Its frame is `blade.nodes[3].T`, its body "blade 3".

        Parameters
        ----------
        name : str
            What it is called.
        root : Transform, optional
            The frame from which it goes along x, with y across, in which it bends: it may move. That of the ground if
            left out.
        length : scalar (m)
            Of the whole beam, straight and without stress.
        section : Section
            Area, and second moment about z.
        material : Material
            Young's modulus, density, damping.
        elements : int
            How many of the same length.
        ends : two of {"clamped", "pinned", "free", "roller", "guided"}
            How the beam is held at its root, and at its other end: in all, turning about z, not at all, moving along x
            and turning, moving along x alone.

        Returns
        -------
        FlexibleBeam
            With its `nodes`, its `tip`, and frames `at` any fraction of its length.

        Raises
        ------
        InputError, ModelError, TransformError
            What is no length, section, material or end; a name that is taken.

        Notes
        -----
        The element, and how many of them are needed: `easydyn.flexible.Beam`, docs/flexible.md.

        Example
        -------
        >>> from easydyn import Force, Model
        >>> from easydyn.flexible import Material, Section
        >>> model = Model("ruler")
        >>> steel, flat = Material(E=210e9, density=7850), Section.rectangle(0.03, 0.001)
        >>> ruler = model.beam("ruler", length=0.3, section=flat, material=steel, elements=2)
        >>> model.add(Force(ruler.tip, (0, -0.01, 0)))
        >>> round(model.equilibrium()["ruler_y2"] * 1e4, 3)  # -F L^3/(3 E I)
        -1.714
        """
        text(name, "the name of a beam", '"blade"')
        what = f"beam '{name}'"
        start = Transform() if root is None else as_transform(root, f"the root of {what}")
        L = above_zero(length, f"the length of {what}", "m")
        cut = a(Section, section, f"the section of {what}", "Section.rectangle(width, height)")
        made_of = a(Material, material, f"the material of {what}", "Material(E=..., density=...)")
        count = whole(elements, f"the number of elements of {what}")
        share = made_of.density * (L / count) / 12
        drawn = _drawn(cut, L, count)
        with self.together():
            nodes: list[Body] = []
            for k, free in enumerate(freedoms(name, ends, L, count)):
                symbols = self.coordinates(free.names, initial=tuple(free.start)) if free.names else ()
                line = share if k in (0, count) else 2 * share
                turning = (0, line * cut.inertia, line * cut.inertia)
                place = start * free.frame(symbols)
                nodes.append(self.body(f"{name} {k}", place, mass=line * cut.area, inertia=turning, shape=drawn[0]))
            between = [Piece(a, b, cut, made_of, length=L / count) for a, b in zip(nodes, nodes[1:], strict=False)]
            for k, element in enumerate(between):
                for (_, T, mass, inertia), side, shape in zip(element.between(), "ab", drawn[1:], strict=True):
                    self.body(f"{name} {k}-{k + 1}{side}", T, mass=mass, inertia=inertia, shape=shape)
            self.add(*between)
        return FlexibleBeam(name, nodes, between)


def _drawn(section: Section, length: Any, elements: int) -> tuple[Any, Any, Any]:
    """What a node and the two halves of an element are drawn with: boxes of the same area and inertia.

    Those of numbers alone; a beam that would be no beam to look at is drawn as a slender one.
    """
    from easydyn.visu.shapes import Box  # loaded with the shapes

    numbers = [float(x) if is_number(x) else 0.0 for x in (section.area, section.inertia, length)]
    area, inertia, L = numbers if all(numbers) else (0.0, 0.0, numbers[2] or 1.0)
    height = (12 * inertia / area) ** 0.5 if area else L / 50
    width = area / height if area else L / 50
    width, height = (min(max(x, L / 150), L / 8) for x in (width, height))
    piece = L / elements
    first, second = LOBATTO
    ends = ((-piece / 50, piece / 50), (-first * piece, (0.5 - first) * piece), ((0.5 - second) * piece, first * piece))
    node, left, right = (
        Box(b - a, height, width, at=tdisp((a + b) / 2, 0, 0), colour="blue", name="beam") for a, b in ends
    )
    return node, left, right
