"""Material in folders: what a lecturer hands out and keeps, and a template for authors of exercises.

    python -m easydyn course                                   the lecturer's
    python -m easydyn exercise --new FOLDER/NN_name            the author's

Students get a folder with exercises and notebooks, without solutions and without tests that contain parts of them. The
lecturer keeps an archive of the solutions, and uploads an archive for grading to Gradescope.
"""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path

from easydyn.course.catalogue import FILES, Exercise, exercises, find
from easydyn.errors import FileError
from easydyn.files import beside, cannot_write, path_to, replacing, write_text


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


PACKAGE = Path(__file__).resolve().parent.parent
MATERIAL = (*FILES, "questions.py", "sketch.png")
_SKIPPED = ("__pycache__", "solutions", ".ipynb_checkpoints")


def chosen(only: str | None, folder: str | Path | None) -> list[Exercise]:
    """The exercises with these numbers, "01,02"; all exercises if none are named."""
    return [find(number, folder) for number in only.split(",")] if only else exercises(folder)


def hand_out(folder: str | Path, there: Sequence[Exercise]) -> list[Path]:
    """Write the folder that students get; FileError if it exists."""
    target = path_to(folder, '"course"', folder=True)
    notebooks = sorted((PACKAGE.parent / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    with new_folder(target) as partial:
        for name, source in (*_material(there), *((f"notebooks/{path.name}", path) for path in notebooks)):
            (partial / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, partial / name)
        listed = "\n".join(f"- {one.name}: {one.title}. {one.effort}." for one in there)
        wheel = _write_wheel(partial)
        about = {"number": there[0].number, "exercises": listed, "wheel": wheel.name}
        text = texts("handout")["README.md"].format(title="Multibody dynamics: exercises", **about)
        write_text(partial / "README.md", text)
        for path in (*partial.rglob("*.md"), *partial.rglob("*.ipynb")):
            write_text(path, _alone(path.read_text(encoding="utf-8"), path.parent))
    return sorted(path for path in target.rglob("*") if path.is_file())


def _alone(text: str, place: Path) -> str:
    """A text whose links to files that are not there are plain words."""
    links = re.compile(r"\[([^\]]+)\]\(([^)#:\s]+)(#[^)]*)?\)")
    return links.sub(lambda found: found[0] if (place / found[2]).exists() else found[1], text)


def _write_wheel(folder: Path) -> Path:
    """The present easydyn as a file that pip installs."""
    metadata = distribution("easydyn").read_text("METADATA") or ""
    name = f"easydyn-{distribution('easydyn').version}"
    wheel = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files: dict[str, Path | str] = dict(_package())
    files |= {f"{name}.dist-info/METADATA": metadata, f"{name}.dist-info/WHEEL": wheel}
    record = f"{name}.dist-info/RECORD"
    files[record] = "".join(f"{inside},,\n" for inside in (*files, record))
    return _packed(folder / f"{name}-py3-none-any.whl", files.items())


def write_solutions(path: str | Path, there: Sequence[Exercise]) -> Path:
    """Write a zip of the solutions; FileError if there are none, as in an installation."""
    target = path_to(path, '"solutions.zip"', (".zip",))
    found = [one.folder.parent / "solutions" / f"{one.name}.py" for one in there]
    missing = [source for source in found if not source.is_file()]
    if missing:
        raise FileError(
            f"there is no solution '{missing[0]}': expected exercises with solutions beside them, as in a clone of the "
            "repository of easydyn. They are not installed, so that students do not have them."
        )
    about = ("README.txt", texts("handout")["README.txt"])
    return _packed(target, [about, *((f"solutions/{source.name}", source) for source in found)])


def write_autograder(path: str | Path, there: Sequence[Exercise], seed: int | None = None) -> Path:
    """Write a zip for Gradescope: setup.sh, run_autograder, the present easydyn, and the exercises."""
    target, fixed = path_to(path, '"autograder.zip"', (".zip",)), texts("handout")
    run = fixed["run_autograder"].format(seed="" if seed is None else f" --seed {seed}")
    sources = ((f"source/{name}", source) for name, source in (*_package(), *_material(there)))
    return _packed(target, [("setup.sh", fixed["setup.sh"]), ("run_autograder", run), *sources])


def _packed(target: Path, entries: Iterable[tuple[str, Path | str]]) -> Path:
    """Write a zip of files and texts, by their names in it; a text that says what runs it can be run."""
    with replacing(target) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            data = content.read_bytes() if isinstance(content, Path) else content.encode()
            entry.external_attr = (0o100755 if data.startswith(b"#!") else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return target


def _package() -> Iterator[tuple[str, Path]]:
    for source in sorted(PACKAGE.rglob("*")):
        parts = source.relative_to(PACKAGE).parts
        if source.is_file() and not any(x in _SKIPPED for x in parts) and parts[:2] != ("course", "exercises"):
            yield "/".join(("easydyn", *parts)), source


def _material(there: Sequence[Exercise]) -> Iterator[tuple[str, Path]]:
    """What belongs to exercises: the files of each by name, and data."""
    for one in there:
        named = [x for x in (one.folder / name for name in MATERIAL) if x.is_file()]
        for source in (*named, *sorted(one.folder.glob("*.csv"))):
            yield f"exercises/{one.name}/{source.name}", source
