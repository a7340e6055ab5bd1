"""The joints that close loops, as scalar equations between two frames.

With the axes x, y, z of the first frame (z along the axis of the joint), those of the second, and the vector r from the
origin of the first to that of the second, in the axes of the first:

    displacement  r.x, r.y, r.z        rotation  y.z', x.z', x.y'   (a dash: of the second frame)

Each joint keeps some of these at zero. A rotation about the axis is free when only y.z' and x.z' are zero.
"""

from __future__ import annotations

# For each joint: which components of r are zero, and which pairs of axes (of the first, of the second) stay normal.
JOINTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "revolute": (("x", "y", "z"), ("yz", "xz")),
    "prismatic": (("x", "y"), ("yz", "xz", "xy")),
    "cylindrical": (("x", "y"), ("yz", "xz")),
    "spherical": (("x", "y", "z"), ()),
    "universal": (("x", "y", "z"), ("xy",)),
    "planar": (("z",), ("yz", "xz")),
    "weld": (("x", "y", "z"), ("yz", "xz", "xy")),
}
DISTANCE = "distance"  # a rod between the origins, and no joint
COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
TURNS = {"rx": "yz", "ry": "xz", "rz": "xy"}  # what stays normal when a rotation about this axis is locked
MOMENTS = {"yz": "Mx", "xz": "My", "xy": "Mz"}


def coincident(components: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The equations of coincident directions: `("x", "y", "rz")` are two displacements and a rotation of frame 1.

    With one free rotation, its axis keeps its direction. A single locked rotation keeps two axes perpendicular.
    """
    free = [x for x in ("rx", "ry", "rz") if x not in components]
    turns: tuple[str, ...] = tuple(TURNS[x] for x in components if x in TURNS)
    if len(free) == 1:
        axis = free[0][1]
        turns = tuple(f"{x}{axis}" for x in "xyz" if x != axis)
    return tuple(x for x in "xyz" if x in components), turns
