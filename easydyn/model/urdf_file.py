"""A URDF file: elements that know their lines, the numbers in them, and what is to be told of the file.

What concerns motion and cannot be read is refused, with its line. What does not concern motion is noted, and left out.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np

from easydyn.errors import EasyDynError, FileError
from easydyn.inputs import shown
from easydyn.vec import Transform, tdisp, trotx, troty, trotz

LARGEST = 20_000_000  # bytes
LISTED = 6  # things of one kind in a note
XACRO = "Expand the .xacro first: xacro robot.xacro > robot.urdf"


class Tag(ElementTree.Element):
    """An element that knows its line."""

    line = 0


class UrdfFile:
    """The elements of a file below `root`, and what is `told` of it: things by the sentence that holds for them."""

    def __init__(self, path: Path):
        self.path = path
        self.told: dict[str, list[str]] = {}
        self.root = self._root()
        found = f"its root is <{self.root.tag}>, expected a <robot>"
        self.need(self.root.tag == "robot", self.root, found, "Give a URDF file")
        for tag in self.root.iter():
            macro = tag.tag.startswith("xacro:") or "${" in "".join(tag.attrib.values())
            self.need(not macro, tag, "it has macros, expected plain URDF", XACRO)

    def _root(self) -> Any:
        try:
            with open(self.path, "rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            raise FileError(f"cannot read '{self.path}': {error.strerror or error}. Expected a URDF file.") from None
        if len(data) > LARGEST:
            raise FileError(f"'{self.path}' is larger than {LARGEST / 1e6:g} MB: expected a URDF file, without meshes.")
        parser, builder = expat.ParserCreate(), ElementTree.TreeBuilder(element_factory=Tag)

        def start(tag: str, attributes: dict[str, str]) -> Any:
            element: Any = builder.start(tag, attributes)
            element.line = parser.CurrentLineNumber
            return element

        def doctype(*_: Any) -> None:
            self.need(False, start("!DOCTYPE", {}), "entities could follow, expected elements alone", "Take it out")

        parser.StartElementHandler, parser.EndElementHandler = start, builder.end
        parser.StartDoctypeDeclHandler = doctype
        try:
            parser.Parse(data, True)
        except FileError:
            raise
        except (expat.ExpatError, LookupError, ValueError) as error:  # of elements; of an encoding
            where = f"'{self.path}', line {parser.CurrentLineNumber}: it is no XML ({error})"
            if self.path.suffix == ".xacro" or b"<xacro:" in data:
                raise FileError(f"{where}. {XACRO}.") from None
            raise FileError(f"{where}. Mend that line; a file that ends too early was not copied whole.") from None
        return builder.close()

    def need(self, true: Any, tag: Any, what: str, cure: str) -> None:
        """Say what is wrong with an element, unless something is true."""
        if not true:
            name = f"<{tag.tag}>" if "name" not in tag.attrib else f"<{tag.tag} name={shown(tag.get('name'))}>"
            raise FileError(f"'{self.path}', line {tag.line}, {name}: {what}. {cure}.")

    def note(self, text: str, thing: Any) -> None:
        """Tell of a `thing`: an element, by its line, or a text. What the same text holds for is told at once."""
        self.told.setdefault(text, []).append(thing if isinstance(thing, str) else f"<{thing.tag}>, line {thing.line}")

    @property
    def notes(self) -> list[str]:
        """What was told, in sentences."""
        more = {text: f" and {len(x) - LISTED} more" * (len(x) > LISTED) for text, x in self.told.items()}
        return [f"'{self.path.name}': {t}: {'; '.join(x[:LISTED])}{more[t]}." for t, x in self.told.items()]

    @contextmanager
    def spared(self, text: str, tag: Any) -> Iterator[None]:
        """Note what goes wrong in a `with` block about an element that does not concern motion."""
        try:
            yield
        except EasyDynError as error:
            what = str(error).removeprefix(f"'{self.path}', ").rstrip(".")
            self.note(text, what if what.startswith("line ") else f"line {tag.line}, {what}")

    def numbers(self, tag: Any, key: str, count: int, default: str, where: str) -> list[float]:
        """Numbers in an attribute; FileError otherwise."""
        text = default if tag is None else tag.get(key, default)
        try:
            found = [float(x) for x in text.split()]
        except ValueError:
            found = []
        good = len(found) == count and np.isfinite(found).all()
        what = f"{key} of {where} is {shown(text)}, expected {count} finite number{'s' * (count > 1)}"
        self.need(good, tag, what, "Write numbers such as 0.5, with spaces between them")
        return found

    def origin(self, tag: Any, where: str) -> Transform:
        """The transform of <origin xyz rpy> in an element."""
        found = tag.find("origin")
        x, y, z = self.numbers(found, "xyz", 3, "0 0 0", where)
        roll, pitch, yaw = self.numbers(found, "rpy", 3, "0 0 0", where)
        turns = (turn(a) for turn, a in ((trotz, yaw), (troty, pitch), (trotx, roll)) if a)
        return math.prod(turns, start=tdisp(x, y, z) if x or y or z else Transform())
