"""Seeing a mechanism: scenes, shapes, the player.

    from easydyn import visu
    model.body("wheel", T, mass=2, inertia=(...), shape=visu.Cylinder(0.3, 0.05, colour="blue"))

`solids` are nodes, edges and surfaces; `shapes` what a body can be given; `chains` finds the joints in the products
that the user wrote, `automatic` makes a scene of them with sizes from `looks`; a `scene` is data; `motion` says where
its frames are; `page`, `animation`, `explore`, `film` and `modes` show it, `live` while a run is under way. The player
itself is player.js, which draws by drawing.js. On paper, `raster` and `picture` draw what it would show, `drafting`,
`outline` and `sketch` what a textbook would. `volumes` makes a `drawing` of a scene, nodes that move node by node,
`replay` an animation of a drawing; `easyanim` and `gltf` are files.
"""

from easydyn.visu.animation import Animation, animate
from easydyn.visu.automatic import scene_of
from easydyn.visu.colours import COLOURS
from easydyn.visu.explore import explore
from easydyn.visu.live import LiveView
from easydyn.visu.page import Page
from easydyn.visu.scene import Frame as SceneFrame
from easydyn.visu.scene import Part, Scene, View
from easydyn.visu.shapes import (
    Arrow,
    Box,
    Cone,
    Cylinder,
    Frame,
    Frustum,
    Gear,
    Mesh,
    Path,
    Shape,
    SolidShape,
    Sphere,
    SpringShape,
    Text,
    Torus,
    Tube,
    Tyre,
)
from easydyn.visu.solids import Solid, solid
from easydyn.visu.surfaces import Pipe, Surface

__all__ = [
    "COLOURS", "Animation", "Arrow", "Box", "Cone", "Cylinder", "Frame", "Frustum", "Gear", "LiveView", "Mesh",
    "Page", "Part", "Path", "Pipe", "Scene", "SceneFrame", "Shape", "Solid", "SolidShape", "Sphere",
    "SpringShape", "Surface", "Text", "Torus", "Tube", "Tyre", "View", "animate", "explore", "scene_of",
    "solid",
]  # fmt: skip
