"""Report on this installation: versions, targets, the cache, missing packages and their purpose."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from easydyn.files import ffmpeg
from easydyn.native import cache, machine

NEEDED = ("numpy", "sympy", "scipy")
OPTIONAL = {  # package: what it is for
    "llvmlite": "machine code: runs are up to a hundred times faster",
    "matplotlib": "plots, pictures, sketches, films",
    "pandas": "run.to_pandas()",
    "pyarrow": "run.to_parquet()",
    "xarray": "run.to_xarray()",
    "jupyterlab": "notebooks",
    "jupytext": "notebooks that are scripts",
    "ipywidgets": 'model.explore(backend="ipywidgets")',
}


def report(version: str) -> str:
    """The whole report, as text, of this `version` of easydyn."""
    return "\n".join(f"{what:14} {said}" for what, said in _lines(version))


def _lines(version: str) -> Iterator[tuple[str, str]]:
    yield "easydyn", f"{version} in {Path(__file__).parents[1]}"
    yield "Python", f"{platform.python_version()} ({sys.executable})"
    yield "system", f"{platform.system()} {platform.release()}, {platform.machine()}, {os.cpu_count()} processors"
    for name in NEEDED:
        yield name, _version(name) or "missing, and needed: pip install " + name
    why = machine.missing()
    yield "machine code", f"no: {why}" if why else f"yes, for {machine.processor()}"
    yield "targets", "python, numpy" + ("" if why else ", native (which auto takes)")
    yield "cache", _cache()
    for name, purpose in OPTIONAL.items():
        yield name, _version(name) or f"not installed; for {purpose}: pip install {name}"
    yield "ffmpeg", ffmpeg() or 'not installed; for films, .mp4: pip install "easydyn[lab]"'


def _version(name: str) -> str | None:
    """The version of a package that can be imported; None where there is none."""
    if importlib.util.find_spec(name) is None:
        return None
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "of unknown version"


def _cache() -> str:
    """Where machine code is kept, and how much of it."""
    place = cache.folder()
    if place is None:
        return "off (EASYDYN_CACHE=off, or no home): every process compiles anew"
    sizes = []
    try:
        sizes = [file.stat().st_size for file in place.glob("*.obj")]
    except OSError as error:
        return f"{place} cannot be read ({error.strerror or error})"
    if not place.exists():
        return f"{place}, empty"
    return f"{place}, {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB of {cache.LARGEST_SIZE / 2**20:.0f} MiB"
