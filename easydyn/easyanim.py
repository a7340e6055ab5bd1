"""Files of the EasyAnim viewer: scenes, animations, modes and meshes.

    from easydyn import easyanim
    easyanim.write(run, "pendulum")            # pendulum.vol, pendulum.van

The page docs/easyanim.md has the layouts of the files, and what is kept of numbers and colours.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from easydyn.arguments import answers
from easydyn.errors import FileError, InputError
from easydyn.files import path_to
from easydyn.result.trajectory import Trajectory
from easydyn.visu import volumes
from easydyn.visu.animation import Animation
from easydyn.visu.drawing import COLOURS, Drawing, ModeShape, colour_number, write_files
from easydyn.visu.scene import Scene
from easydyn.visu.shapes import SolidShape
from easydyn.visu.solids import Solid

SUCH_AS = '"x" for x.vol'

__all__ = ["COLOURS", "Drawing", "ModeShape", "write"]


@answers
def write(what: Any, path: Any) -> tuple[Path, ...]:
    """Write files for EasyAnim; a file appears under its name only when it is complete.

    Parameters
    ----------
    what : Trajectory, Animation, Scene, Linearization, Drawing, SolidShape or Solid
        A run, or `run.animate(...)` with its options, gives x.vol and x.van. A scene gives x.vol. `model.linearize()`
        gives x.vol, and the modes in x.vmo. A drawing gives x.vol, with x.van and x.vmo for its frames and modes. A
        shape or a solid gives one file x.hab, in body axes.
    path : str or Path
        "x", without an ending; "x.hab" for meshes.

    Returns
    -------
    tuple of Path
        The files.

    Raises
    ------
    FileError
        The name has another ending, or the file cannot be written.
    InputError, ModelError
        `what` is of another kind, or the run cannot be animated.

    Example
    -------
    >>> from easydyn import easyanim, examples, visu
    >>> run = examples.double_pendulum().simulate(1)
    >>> [path.name for path in easyanim.write(run, "pendulum")]
    ['pendulum.vol', 'pendulum.van']
    >>> paths = easyanim.write(visu.Gear(0.1, 12, 0.05), "gear.hab")
    """
    mesh = isinstance(what, SolidShape | Solid)
    place = path_to(path, SUCH_AS)
    if mesh != (place.suffix.lower() == ".hab") and not (isinstance(what, Drawing) and _is_still(what)):
        wanted = 'the name of a mesh, such as "x.hab"' if mesh else 'a name without .hab, such as "x" for x.vol'
        raise FileError(f"the path is {str(path)!r}: expected {wanted}.")
    return write_files(_drawing(what), place)


def _is_still(drawing: Drawing) -> bool:
    return not len(drawing.frames) and not drawing.modes


def _drawing(what: Any) -> Drawing:
    if isinstance(what, Trajectory):
        what = what.animate(plots=())
    if isinstance(what, Animation):
        return volumes.of_animation(what)
    if isinstance(what, Scene):
        return volumes.of_scene(what)
    if isinstance(what, SolidShape):
        colour = colour_number(what.colour or "#8c8c8c")
        return _mesh(what.solid, what.name, colour)
    if isinstance(what, Solid):
        return _mesh(what, "mesh", 0)
    if isinstance(what, Drawing):
        return what
    if hasattr(what, "modes") and hasattr(what, "state"):
        return volumes.of_modes(what)
    raise InputError(
        f"easyanim.write got {what!r}: expected a run, run.animate(...), model.scene(), model.linearize(), a shape "
        "such as visu.Gear(...), or a Drawing."
    )


def _mesh(solid: Solid, title: str, colour: int) -> Drawing:
    edges, surfaces = solid.edges, solid.surfaces
    return Drawing(title, solid.nodes, edges, surfaces, [colour] * len(edges), [colour] * len(surfaces))
