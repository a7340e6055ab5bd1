"""What is seen of a robot: the visuals of a URDF file as shapes, and the files of its meshes.

Nothing of it stops a robot. What cannot be drawn is left out with a note.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from easydyn.files import path_to
from easydyn.inputs import is_function, is_listed

ABOVE = 4  # folders, upwards from the robot, in which a mesh without a package is looked for
FORMS = {"box": "size", "sphere": "radius", "cylinder": "radius length", "capsule": "radius length", "mesh": ""}
_PLACE = re.compile(r"^(?:(?:package|model)://+([^/]+)/|file://(?=/))?(.*)$", re.DOTALL)


class Shapes:
    """The shapes of links. Meshes are read from a folder, by a function, beside the file if None, not at all if False.

    `packages` are folders in which packages are looked for, before those of ROS_PACKAGE_PATH.
    """

    def __init__(self, file: Any, meshes: Any, packages: Any):
        self.file, self.meshes = file, meshes
        beside = Path(os.path.abspath(file.path))
        self.above = [meshes] if isinstance(meshes, Path) else [*beside.parents]
        given = [*packages] if is_listed(packages) else [] if packages is None else [packages]
        given += filter(None, os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep))
        self.packages = [path_to(x, '"ws/src"', folder=True) for x in given]
        self.colours = {m.get("name"): m.find("color") for m in file.root.findall("material")}

    def of(self, link: Any) -> list[Any]:
        """The shapes of the visuals of a link."""
        found: list[Any] = []
        for visual in link.findall("visual"):
            with self.file.spared("visuals were left out", visual):
                found += self._shape(visual, f"link '{link.get('name')}'")
        return found

    def _shape(self, visual: Any, where: str) -> Iterator[Any]:
        from easydyn import visu

        form, numbers, options = visual.find("geometry/*"), self.file.numbers, {"at": self.file.origin(visual, where)}
        known = form is not None and form.tag in FORMS
        self.file.need(known, visual, f"no form that is known, expected {', '.join(FORMS)}", "Choose one of them")
        sizes = [x for key in FORMS[form.tag].split() for x in numbers(form, key, 1 + 2 * (key == "size"), "", where)]
        with self.file.spared("colours were left out", visual):
            options |= self._colour(visual, where)
        if form.tag != "mesh":
            yield {"box": visu.Box, "sphere": visu.Sphere}.get(form.tag, visu.Cylinder)(*sizes, **options)
        elif self.meshes is not False and (mesh := self._mesh(form.get("filename", ""))) is not None:
            yield visu.Mesh(mesh, scale=numbers(form, "scale", 3, "1 1 1", where), **options)

    def _colour(self, visual: Any, where: str) -> dict[str, Any]:
        material, colour = visual.find("material"), visual.find("material/color")
        if colour is None and (material is None or (colour := self.colours.get(material.get("name"))) is None):
            return {}
        *rgb, opacity = (min(max(x, 0.0), 1.0) for x in self.file.numbers(colour, "rgba", 4, "", where))
        return {"colour": "#{:02x}{:02x}{:02x}".format(*(round(255 * x) for x in rgb)), "opacity": opacity}

    def _mesh(self, name: str) -> Any:
        """The file of a mesh, or what the user's function makes of it; None where it cannot be drawn."""
        found = next((str(place) for place in self._places(name) if os.path.isfile(place)), None)
        if is_function(self.meshes):
            try:
                return self.meshes(found or name)
            except Exception as error:  # of the user's own function, or of the library that it is
                self.file.note("meshes that meshes= does not read are not drawn", f"'{name}' ({error!r})")
        elif found is None:
            tried = ", ".join(f"'{x}'" for x in (self.above[0], *self.packages))
            self.file.note(f"meshes that are not found are not drawn (tried {tried}, and above)", f"'{name}'")
        elif found.lower().endswith(".stl"):
            return found
        else:
            self.file.note("meshes that are no STL files are not drawn (try meshes=trimesh.load)", f"'{name}'")
        return None

    def _places(self, name: str) -> Iterator[Path]:
        """Where a mesh may be: in its package, upwards from the robot or in other folders; beside the robot."""
        package, plain = _PLACE.match(name.replace("\\", "/")).groups()  # type: ignore[union-attr]
        for folder in (*self.above, *self.packages) if package else ():
            yield folder / package / plain
            if _is_package(folder, package):
                yield folder / plain
        yield from (*(folder / plain for folder in self.above[:ABOVE]), self.above[0] / Path(plain).name)


def _is_package(folder: Path, name: str) -> bool:
    """Whether a folder holds the package of that name: its package.xml says so."""
    try:
        text = (folder / "package.xml").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return re.search(rf"<name>\s*{re.escape(name)}\s*</name>", text) is not None
