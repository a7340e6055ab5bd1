"""Pictures of a mechanism: scenes, shapes, the player.

    from easydyn import visu
    model.body("wheel", T, mass=2, inertia=(...), shape=visu.Cylinder(0.3, 0.05, colour="blue"))

`solids` are nodes, edges and surfaces; `shapes` are what a body can be given. `chains` finds the joints in the products
that the user wrote, and `automatic` makes a scene from them, with sizes from `looks`. A `scene` is data; `motion`
computes the positions of its frames. `page`, `animation`, `explore`, `film` and `modes` show a scene; `live` shows it
during a run. The player itself is player.js, which draws by drawing.js. `overlay` draws over a film. For paper,
`raster` and `picture` draw the picture of the player; `drafting`, `outline` and `sketch` draw a textbook figure.
`volumes` makes a `drawing` of a scene, with nodes that move one by one. `easyanim` and `gltf` write files.
"""

from easydyn.visu.animation import Animation, animate
from easydyn.visu.automatic import scene_of
from easydyn.visu.colours import COLOURS
from easydyn.visu.explore import explore
from easydyn.visu.live import LiveView
from easydyn.visu.overlay import Overlay
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
    Line,
    Mesh,
    Path,
    Shape,
    SolidShape,
    Sphere,
    SpringShape,
    Text,
    Torus,
    Triangle,
    Tube,
    Tyre,
)
from easydyn.visu.solids import Solid, solid
from easydyn.visu.surfaces import Pipe, Surface

__all__ = [
    "COLOURS", "Animation", "Arrow", "Box", "Cone", "Cylinder", "Frame", "Frustum", "Gear", "Line", "LiveView", "Mesh",
    "Overlay", "Page", "Part", "Path", "Pipe", "Scene", "SceneFrame", "Shape", "Solid", "SolidShape", "Sphere",
    "SpringShape", "Surface", "Text", "Torus", "Triangle", "Tube", "Tyre", "View", "animate", "explore", "scene_of",
    "solid",
]  # fmt: skip
