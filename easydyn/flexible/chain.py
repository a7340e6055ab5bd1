"""A beam of several elements: its nodes, and what lies between them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from easydyn.arguments import Answering, answers
from easydyn.errors import InputError
from easydyn.flexible.beam import Beam, fraction_of
from easydyn.inputs import a, among, is_listed, listed, shown, text
from easydyn.mechanics.mechanism import Body
from easydyn.vec import Transform, tdisp, trotz

HELD = {"clamped": "", "pinned": "q", "free": "xyq", "roller": "xq", "guided": "x"}  # what an end may still do


@answers
class FlexibleBeam(metaclass=Answering):
    """A beam that bends, as `model.beam` returns it.

    Parameters
    ----------
    name : str
        What it is called.
    nodes : sequence of Body
        The frames along it, the first at the root.
    elements : sequence of Beam
        Between them, all of the same length.

    Raises
    ------
    InputError
        What is no name, no list of bodies, no list of Beams.

    Example
    -------
    >>> from easydyn import Model
    >>> from easydyn.flexible import Material, Section
    >>> model = Model("ruler")
    >>> steel, flat = Material(E=210e9, density=7850), Section.rectangle(0.03, 0.001)
    >>> ruler = model.beam("ruler", length=0.3, section=flat, material=steel, elements=4)
    >>> [node.name for node in ruler.nodes]
    ['ruler 0', 'ruler 1', 'ruler 2', 'ruler 3', 'ruler 4']
    >>> ruler.tip is ruler.nodes[-1]
    True
    """

    def __init__(self, name: str, nodes: Sequence[Body], elements: Sequence[Beam]):
        self.name = text(name, "the name of a beam", '"blade"')
        what = f"beam '{name}'"
        bodies = listed(nodes, f"the nodes of {what}", "bodies")
        between = listed(elements, f"the elements of {what}", "Beams")
        self.nodes = tuple(a(Body, body, f"a node of {what}", "a body") for body in bodies)
        self.elements = tuple(a(Beam, element, f"an element of {what}", "a Beam") for element in between)
        if not self.nodes or not self.elements:
            raise InputError(
                f"{what} has {len(bodies)} nodes and {len(between)} elements: expected one of each at least."
            )

    @property
    def tip(self) -> Body:
        """The last node."""
        return self.nodes[-1]

    def at(self, fraction: Any) -> Transform:
        """The frame of a section, to hang things on.

        Parameters
        ----------
        fraction : float (no unit)
            Where on the beam: 0 at the root, 1 at the tip.

        Returns
        -------
        Transform
            With x along the beam: a formula of the two nodes beside it.

        Raises
        ------
        InputError
            A fraction that is no number from 0 to 1.
        """
        where = fraction_of(fraction) * len(self.elements)
        k = min(int(where), len(self.elements) - 1)
        return self.elements[k].at(min(where - k, 1.0))

    def __repr__(self) -> str:
        return f"beam '{self.name}' of {len(self.elements)} elements"


class Freedom(NamedTuple):
    """The coordinates of a node: their names, values at the start, and the frame that they make."""

    names: list[str]
    start: list[Any]
    frame: Callable[[Sequence[Any]], Transform]


def freedoms(name: str, ends: Any, length: Any, elements: int) -> Iterator[Freedom]:
    """What each node of a beam may do beside its root; InputError for ends that are none."""
    what = f"the ends of beam '{name}'"
    if is_listed(ends):
        ends = list(ends)
    if not isinstance(ends, list) or len(ends) != 2 or not all(among(end, HELD) for end in ends):
        raise InputError(f"{what} are {shown(ends)}: expected two of {', '.join(HELD)}, that of the root first.")
    if elements == 1 and not any(HELD[end] for end in ends):
        raise InputError(f"beam '{name}' is clamped at both ends of its only element: expected elements=2 or more.")
    prefix = re.sub(r"\W", "_", name)
    for k in range(elements + 1):
        free = HELD[ends[0]] if k == 0 else HELD[ends[1]] if k == elements else "xyq"
        place = length * k / elements

        def frame(symbols: Sequence[Any], free: str = free, place: Any = place) -> Transform:
            x, y, q = ({"x": place, "y": 0, "q": 0} | dict(zip(free, symbols, strict=True))).values()
            moved = tdisp(x, y, 0) if "x" in free or place != 0 else Transform()
            return moved * trotz(q) if "q" in free else moved

        yield Freedom([f"{prefix}_{c}{k}" for c in free], [{"x": place}.get(c, 0) for c in free], frame)

