"""Compile a program in C to a library, with the installed compiler."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from easydyn.errors import InputError, MissingDependencyError, ModelError

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
