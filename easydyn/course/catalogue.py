"""Catalogue of the exercises, and the files of each of them.

    exercises/NN_name/README.md      statement; the first lines hold title, difficulty and minutes
                      exercise.py    script with holes, `...`
                      check.py       stages (work.py)
                      questions.py   what runs beside the student's work for the check, where there is need (optional)
                      hints.md       for each stage hints of increasing help
                      sketch.png     the mechanism, where the statement shows one
                      *.csv          data that the statement speaks of (optional)

In a clone they stand beside the package,
in an installation inside of it; solutions (exercises/solutions) are not installed.
"""

from __future__ import annotations

import re
import runpy
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from easydyn.arguments import answers
from easydyn.course.work import Stage
from easydyn.errors import FileError, UnknownNameError
from easydyn.files import cannot_write, path_to, write_text
from easydyn.inputs import whole

HERE = Path(__file__).resolve().parent
FILES = ("README.md", "exercise.py", "check.py", "hints.md")


@answers
@dataclass(frozen=True)
class Exercise:
    """One exercise: its folder, and the contents of the folder.

    Parameters
    ----------
    folder : Path
        Folder with README.md, exercise.py, check.py and hints.md.

    Example
    -------
    >>> from easydyn.course import find
    >>> find(1).name, len(find(1).stages)
    ('01_frames', 4)
    """

    folder: Path

    @property
    def number(self) -> str:
        """Two digits."""
        return self.folder.name[:2]

    @property
    def name(self) -> str:
        """Number and word: 03_contributions."""
        return self.folder.name

    @property
    def script(self) -> Path:
        """The script with holes."""
        return self.folder / "exercise.py"

    @cached_property
    def statement(self) -> str:
        """README.md."""
        return (self.folder / "README.md").read_text(encoding="utf-8")

    @property
    def title(self) -> str:
        """First line of the statement, without the number."""
        return re.sub(r"^#\s*(\d+\W*)?", "", self.statement.splitlines()[0]).strip()

    @property
    def effort(self) -> str:
        """Difficulty and minutes, as the statement has them."""
        found = re.search(r"^Difficulty .*$", self.statement, re.MULTILINE)
        return found[0].rstrip(".") if found else ""

    @cached_property
    def stages(self) -> list[Stage]:
        """The stages of check.py, in their order; FileError when it has none."""
        names = runpy.run_path(str(self.folder / "check.py"), run_name="easydyn_check")
        found = [x for x in names.values() if isinstance(x, Stage)]
        if not found:
            raise FileError(f"'{self.folder / 'check.py'}' has no stage: expected functions under @stage(\"...\").")
        return found

    @cached_property
    def questions(self) -> dict[str, Any]:
        """The functions of questions.py, by name; none where there is no such file."""
        path = self.folder / "questions.py"
        names = runpy.run_path(str(path), run_name="easydyn_questions") if path.is_file() else {}
        return {name: x for name, x in names.items() if getattr(x, "__module__", "") == "easydyn_questions"}

    def hints(self, number: int) -> list[str]:
        """Hints for the stage of a `number` (1, 2, ...), of increasing help."""
        number = whole(number, "the number of a stage")
        text = (self.folder / "hints.md").read_text(encoding="utf-8")
        for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
            if re.match(rf"{number}\b", section):
                items = re.split(r"^\d+\. ", section.partition("\n")[2], flags=re.MULTILINE)[1:]
                return [" ".join(item.split()) for item in items]
        return []


@answers
def exercises(folder: str | Path | None = None) -> list[Exercise]:
    """All exercises, in their order.

    Parameters
    ----------
    folder : path, optional
        Where they are, if not those of easydyn.

    Returns
    -------
    list of Exercise
        By their numbers.

    Raises
    ------
    FileError
        When there are none.

    Example
    -------
    >>> [exercise.number for exercise in exercises()][:3]
    ['01', '02', '03']
    """
    inside, beside = HERE / "exercises", HERE.parent.parent / "exercises"
    ours = inside if inside.is_dir() else beside
    place = ours if folder is None else path_to(folder, '"exercises"', folder=True)
    found = sorted(p for p in place.glob("[0-9][0-9]_*") if all((p / name).is_file() for name in FILES))
    if not found:
        raise FileError(
            f"there are no exercises in '{place}': expected folders such as 01_frames, each with {', '.join(FILES)}."
        )
    return [Exercise(p) for p in found]


@answers
def find(number: str | int, folder: str | Path | None = None) -> Exercise:
    """The exercise of a number.

    Parameters
    ----------
    number : str or int
        3, "03" or "03_contributions".
    folder : path, optional
        Where the exercises are, if not those of easydyn.

    Returns
    -------
    Exercise
        The exercise; its stages are read when they are needed.

    Raises
    ------
    UnknownNameError
        There is no such exercise; the message lists all.
    FileError
        There are no exercises in the folder.

    Example
    -------
    >>> find("01").title == find(1).title
    True
    """
    there, word = exercises(folder), str(number).strip()
    for one in there:
        if word == one.name or (word.isascii() and word.isdigit() and int(word) == int(one.number)):
            return one
    raise UnknownNameError(f"there is no exercise {word!r}: expected one of {', '.join(e.name for e in there)}.")


def start(exercise: Exercise, folder: str | Path) -> list[Path]:
    """Copy script, statement, sketch (NN_name.py, .md, .png) and data into a folder; existing work is kept."""
    target = Path(folder)
    pairs = [(exercise.script, f"{exercise.name}.py"), (exercise.folder / "README.md", f"{exercise.name}.md")]
    there = [name for _, name in pairs if (target / name).exists()]
    if there:
        raise FileError(f"'{target / there[0]}' exists already: it may be your work, nothing was changed.")
    try:
        target.mkdir(parents=True, exist_ok=True)
        for source, name in pairs:
            text = source.read_text(encoding="utf-8").replace("`exercise.py`", f"`{exercise.name}.py`")
            text = text.replace("README.md", f"{exercise.name}.md").replace("](sketch.png)", f"]({exercise.name}.png)")
            write_text(target / name, text, new=True)
        data = [(path, path.name) for path in sorted(exercise.folder.glob("*.csv"))]
        for source, name in [(exercise.folder / "sketch.png", f"{exercise.name}.png"), *data]:
            if source.is_file() and not (target / name).exists():
                shutil.copyfile(source, target / name)
        return [target / name for _, name in pairs]
    except OSError as error:
        raise cannot_write(target, error) from None


def work_file(exercise: Exercise, given: str | None = None) -> Path:
    """The student's script: the given one, or NN_name.py in the current folder, or exercise.py in the clone."""
    if given is not None:
        path = Path(given)
        if path.is_dir():
            path = next((p for p in (path / f"{exercise.name}.py", path / "exercise.py") if p.is_file()), path)
        if not path.is_file():
            raise FileError(f"there is no file '{given}': expected your script of exercise {exercise.number}.")
        return path
    mine = Path(f"{exercise.name}.py")
    if mine.is_file():
        return mine
    if HERE in exercise.script.parents:  # installed: that file is nobody's own
        raise FileError(
            f"there is no '{mine}' in this folder: begin with  python -m easydyn exercise {exercise.number} --start ."
        )
    return exercise.script
