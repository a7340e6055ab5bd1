"""A model as a Functional Mock-up Unit (FMI 2.0, 3.0): for model exchange and for co-simulation in one file.

    model.to_fmu("pendulum.fmu")

`content` determines the contents, `description` writes them as XML, `build` makes the library; `run.c`, `contacts.c`,
`fmi2.c` and `fmi3.c` are what all units share. The standard: Functional Mock-up Interface, fmi-standard.org, 2.0.4 and
3.0.1.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

from easydyn import __version__
from easydyn.errors import InputError, MissingDependencyError, ModelError
from easydyn.export import prepared
from easydyn.export.fmu.content import Content
from easydyn.export.fmu.description import build_description, description, platform_folder
from easydyn.export.text import fill
from easydyn.files import path_to, replacing
from easydyn.inputs import among, flag, positive

VERSIONS = ("2.0", "3.0")
_WITHOUT_CONTACTS = ["#define settle(I) (void)(I)", "#define first_touch(I) ((void)(I), true)", ""]


def to_fmu(
    model: Any, path: Any, *, version: str = "2.0", parameters: Mapping[str, Any] | None = None,
    initial: Mapping[str, Any] | None = None, tolerance: float = 1e-6, compiler: str | None = None,
    binary: bool = True,
) -> Path:  # fmt: skip
    """Write the model as a Functional Mock-up Unit, for model exchange and co-simulation by other programs.

    Inputs and outputs of the model are inputs and outputs of the unit. Quaternions and angular velocities of free
    bodies and spherical joints are outputs, too, and can be set at the start. Coordinates, rates, states,
    accelerations and the positions of bodies can be read. The unit includes events, rigid contacts, sampled PID and
    StateFeedback controllers, closed loops and free rotations. In co-simulation it integrates by the method of
    Dormand and Prince.

    Parameters
    ----------
    path : str or Path
        A name that ends in .fmu.
    version : {"2.0", "3.0"}
        Version of the Functional Mock-up Interface.
    parameters, initial : dict, optional
        Values that differ from the model's own, in their own units; others can be set in the unit.
    tolerance : float (no unit)
        Tolerance of co-simulation, relative to the size of each state, if the importing program gives none.
    compiler : str, optional
        A C compiler; if left out, that of the environment variable CC, or the first one found of cc, gcc, clang,
        cl.
    binary : bool
        True to compile it for this machine; False for a unit with its C source only.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ModelError, MissingDependencyError, InputError, FileError
        Something that a unit cannot do, which the message names; no compiler; an unknown version; a file that
        cannot be written.

    Notes
    -----
    Functional Mock-up Interface, fmi-standard.org, 2.0.4 and 3.0.1.

    Example
    -------
    >>> from easydyn import examples
    >>> examples.double_pendulum().to_fmu("pendulum.fmu", binary=False).name
    'pendulum.fmu'
    """
    if not among(version, VERSIONS):
        raise InputError(f'version={version!r}: expected "2.0" or "3.0", of the Functional Mock-up Interface.')
    place = path_to(path, "pendulum.fmu", endings=(".fmu",))
    accuracy, wanted = positive(tolerance, "tolerance"), flag(binary, "binary")
    system, start, independent = prepared(model, initial, parameters)
    content = Content(model, system, start, place, independent, initial or {})
    name = content.name
    source = source_of(content, version, accuracy)
    token = hashlib.sha256(source.encode()).hexdigest()
    source = source.replace("{{token}}", token)
    found: dict[str, bytes] = {
        "modelDescription.xml": description(content, version, name, token, accuracy),
        "sources/model.c": source.encode(),
    }
    if version == "3.0":
        found["sources/buildDescription.xml"] = build_description(name)
    if wanted:
        folder, ending = platform_folder(version)
        found[f"binaries/{folder}/{name}{ending}"] = compiled(source, name, ending, compiler)
    with replacing(place) as partial, zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for inner, data in found.items():
            entry = zipfile.ZipInfo(inner, (1980, 1, 1, 0, 0, 0))  # the same model is the same file
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)
    return place


def source_of(content: Content, version: str, tolerance: float) -> str:
    """The whole program in C, with a place for its token."""
    pieces: dict[str, Any] = content.pieces_of_c()
    pieces |= {
        "title": content.title, "version": __version__, "token": "{{token}}", "tolerance": repr(tolerance),
        "contacts": _shared("contacts.c").splitlines() if content.system.derivation.gaps else _WITHOUT_CONTACTS,
        "events": content.events_in_c(),
    }  # fmt: skip
    return fill(_shared("run.c") + "\n" + _shared(f"fmi{version[0]}.c"), pieces)


def _shared(name: str) -> str:
    return (files("easydyn.export.fmu") / name).read_text(encoding="utf-8")


COMPILERS = ("cc", "gcc", "clang", "cl")
LONG = 400_000  # characters: what is longer is not optimised
LONGEST = 600.0  # s


def compiler_of(given: Any) -> list[str]:
    """The command of a compiler: the one that was `given`, that of the variable CC, or the first that is there."""
    if given is not None and not isinstance(given, str):
        raise InputError(f'compiler={given!r}: expected the name or the path of a C compiler, such as "gcc".')
    for name in [given] if given else [os.environ.get("CC", ""), *COMPILERS]:
        whole = shutil.which(name) if name else None
        words = [whole] if whole else shlex.split(name, posix=os.name != "nt") if name else []
        if words and shutil.which(words[0]):
            return [str(shutil.which(words[0])), *words[1:]]
    if given:
        raise InputError(f"compiler={given!r}: there is no such program. Give its whole path.")
    raise MissingDependencyError(
        "an FMU holds machine code, and no C compiler was found (cc, gcc, clang, cl, the variable CC): install one "
        '(Linux: gcc; macOS: xcode-select --install; Windows: the "Build Tools for Visual Studio", or MinGW), or give '
        "compiler=. binary=False writes an FMU with its source alone, which some programs compile themselves."
    )


def command(words: list[str], source: Path, library: Path) -> list[str]:
    """What makes a `library` of a `source`."""
    level = "1" if source.stat().st_size < LONG else "0"
    if Path(words[0]).stem.lower() in ("cl", "clang-cl"):
        optimise = "/O2" if level == "1" else "/Od"
        return [*words, "/nologo", "/LD", optimise, "/std:c11", str(source), f"/Fe:{library}"]
    found = [*words, "-std=c11", f"-O{level}", "-shared", "-fvisibility=hidden", "-o", str(library), str(source)]
    if sys.platform != "win32":
        found += ["-fPIC", "-lm"]
    return found


def compiled(source: str, name: str, ending: str, compiler: Any) -> bytes:
    """The library of a program; ModelError with the compiler's message if it fails."""
    words = compiler_of(compiler)
    with tempfile.TemporaryDirectory(prefix="easydyn") as folder:
        file, library = Path(folder) / "model.c", Path(folder) / f"{name}{ending}"
        file.write_text(source, encoding="utf-8")
        asked = command(words, file, library)
        try:
            done = subprocess.run(
                asked, cwd=folder, capture_output=True, text=True, errors="replace", timeout=LONGEST, check=False,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
            told = done.stderr.strip() or done.stdout.strip()
        except (OSError, subprocess.TimeoutExpired) as error:
            told = str(error)
        if not library.is_file():
            raise ModelError(
                f"the compiler {words[0]} made no library of the FMU: {told[-600:] or 'it says nothing'}. Give another "
                "one with compiler=, or leave the library out with binary=False."
            )
        return library.read_bytes()
