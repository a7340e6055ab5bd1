"""Machine code on disk, so that the next run need not compile again.

A file holds one compiled object under the hash of all that it depends on (text, processor, version of LLVM). Nothing
here ever fails: what cannot be read, or is not what was written, is compiled again; what cannot be written (a full
disk, a home that is read-only) is not kept. A file appears under its name only when it is complete, so that two
processes do not disturb each other. `EASYDYN_CACHE` names the folder; `EASYDYN_CACHE=off` switches the cache off.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

LARGEST_SIZE = 64 * 2**20  # bytes in the folder; the files used longest ago go first
_MARK = b"easydyn object 1\n"
_DIGEST = 32


def folder() -> Path | None:
    """The folder of the cache, or None when it is switched off."""
    named = os.environ.get("EASYDYN_CACHE", "")
    if named.lower() == "off":
        return None
    try:
        if named:
            return Path(named).expanduser()
        home = Path.home()
    except RuntimeError:  # a user without a home
        return None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "easydyn"


def key_of(*parts: str | bytes) -> str:
    """The name under which something is kept that depends on the parts and on nothing else."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def load(key: str) -> bytes | None:
    """What was stored under a key, or None."""
    place = folder()
    if place is None:
        return None
    file = place / f"{key}.obj"
    try:
        if not _ours(place):
            return None
        content = file.read_bytes()
    except OSError:
        return None
    start = len(_MARK) + _DIGEST
    payload = content[start:]
    if content[:start] != _MARK + hashlib.sha256(payload).digest():
        return None
    with contextlib.suppress(OSError):
        os.utime(file)  # used now: the last to go
    return payload


def store(key: str, payload: bytes) -> None:
    """Keep something under a key; where that is not possible, it is not kept."""
    place = folder()
    if place is None:
        return
    temporary = None
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _ours(place):
            return
        handle, temporary = tempfile.mkstemp(dir=place, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(_MARK + hashlib.sha256(payload).digest() + payload)
        os.replace(temporary, place / f"{key}.obj")
        temporary = None
        _prune(place)
    except OSError:
        pass
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def _ours(place: Path) -> bool:
    """True when nobody else can have put files there: they would be run."""
    if not hasattr(os, "getuid"):
        return True
    found = place.stat()
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _prune(place: Path) -> None:
    files = []
    for file in place.glob("*.obj"):
        with contextlib.suppress(OSError):  # another process may be pruning as well
            found = file.stat()
            files.append((found.st_mtime, found.st_size, file))
    size = sum(entry[1] for entry in files)
    for _, length, file in sorted(files):
        if size <= LARGEST_SIZE:
            break
        with contextlib.suppress(OSError):
            file.unlink()
        size -= length
