"""A template for authors of exercises: python -m easydyn exercise --new FOLDER/NN_name."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path

from easydyn.errors import FileError
from easydyn.files import beside, cannot_write, write_text


def texts(name: str) -> dict[str, str]:
    """The fixed texts of a file in this room's folder of texts, by what stands behind their marks."""
    parts = (files("easydyn.course") / "texts" / f"{name}.txt").read_text(encoding="utf-8").split("@@ ")[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in parts}


def write_exercise(folder: str | Path) -> list[Path]:
    """Write an exercise of one stage as a template; FileError if the folder exists or has an invalid name."""
    target = Path(folder)
    match = re.fullmatch(r"(\d\d)_\w+", target.name)
    if not match:
        raise FileError(f"'{folder}' is not called NN_name: expected two digits and a word, such as 21_my_exercise.")
    made = texts("new_exercise")
    with new_folder(target) as partial:
        for name, text in made.items():
            write_text(partial / name, text.replace("NN", match[1]))
    return [target / name for name in made]


@contextmanager
def new_folder(target: Path) -> Iterator[Path]:
    """A folder to write into, which gets its name when all is there; FileError if one of that name exists."""
    if target.exists():
        raise FileError(f"'{target}' exists already: choose another name, nothing was changed.")
    partial = beside(target)
    try:
        partial.mkdir(parents=True)
        yield partial
        partial.rename(target)
    except OSError as error:
        raise cannot_write(target, error) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
