"""Machine code on disk, so that the next run need not compile again.

A file holds one compiled object under the hash of all that it depends on (text, processor, version of LLVM). Nothing
here ever fails: what cannot be read, or is not what was written, is compiled again; what cannot be written (a full
disk, a home that is read-only) is not kept. A file appears under its name only when it is complete, so that two
processes do not disturb each other. `EASYDYN_CACHE` names the folder; `EASYDYN_CACHE=off` switches the cache off.

What is loaded is run. So nothing is taken from a folder, or of a file, that is another user's or that others may write
to; the first such folder is told of. Windows does not say whose a file is: there digests are keyed with a secret that
stands in the user's own folder of local data.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import hmac
import os
import re
import secrets
import stat
import sys
import time
import warnings
import zlib
from pathlib import Path

from easydyn.errors import FileError, SlowRunWarning, calls_to_user
from easydyn.files import replacing

LARGEST_SIZE = 64 * 2**20  # bytes in the folder; the files used longest ago go first
SELDOM = 16  # one store in so many looks at the size of the folder: with thousands of files that takes 40 ms
UNFINISHED = 60.0  # s after which a file that is not complete was left behind by a process that was killed
_MARK = b"easydyn object 1\n"
_DIGEST = 32
_LEFT = re.compile(r"tmp\w{8}\.part|[0-9a-z]+\.[0-9a-f]{16}\.part\.obj")  # names of files that are not complete


def folder() -> Path | None:
    """The folder of the cache, or None when it is switched off."""
    named = os.environ.get("EASYDYN_CACHE", "")
    if named.lower() == "off":
        return None
    try:
        return Path(named).expanduser() if named else _own_folder()
    except RuntimeError:  # a user without a home
        return None


def _own_folder() -> Path:
    """Where programs keep what is this user's alone."""
    home = Path.home()
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
    path = place / f"{key}.obj"
    try:
        if not _trusted(place):
            return None
        with open(path, "rb") as file:
            found = os.fstat(file.fileno())
            if not _ours(found) or found.st_size > LARGEST_SIZE:
                return None
            content = file.read()
        mark = _MARK + _digest(content[len(_MARK) + _DIGEST :])
    except (OSError, RuntimeError, FileError):
        return None
    if not hmac.compare_digest(content[: len(mark)], mark):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # used now: the last to go
    return content[len(mark) :]


def store(key: str, payload: bytes) -> None:
    """Keep something under a key; where that is not possible, it is not kept."""
    place = folder()
    if place is None:
        return
    with contextlib.suppress(OSError, RuntimeError, FileError):
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        if _trusted(place):
            _write(place / f"{key}.obj", _MARK + _digest(payload) + payload)
            if zlib.crc32(key.encode()) % SELDOM == 0:
                _prune(place)


def _write(path: Path, content: bytes) -> None:
    with replacing(path) as partial, open(partial, "xb", opener=_for_its_owner) as file:
        file.write(content)


def _for_its_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _trusted(place: Path) -> bool:
    """True when nobody else can have put files there: they would be run."""
    found = place.stat()
    trusted = stat.S_ISDIR(found.st_mode) and _ours(found)
    if not trusted and stat.S_ISDIR(found.st_mode):
        _tell(place)
    return trusted


def _ours(found: os.stat_result) -> bool:
    """True when something belongs to this user, and nobody else may write to it, as far as the system says."""
    if not hasattr(os, "getuid"):
        return True
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@functools.cache
def _tell(place: Path) -> None:
    warnings.warn(
        f"machine code is not kept in '{place}', as that folder is another user's or others may write to it: every "
        f"process compiles anew. Make it yours alone (chmod 700 '{place}'), or name another one in EASYDYN_CACHE.",
        SlowRunWarning,
        stacklevel=calls_to_user(),
    )


def _digest(payload: bytes) -> bytes:
    if hasattr(os, "getuid"):
        return hashlib.sha256(payload).digest()
    return hmac.digest(_secret(), payload, "sha256")


def _secret() -> bytes:
    """A key that is this user's alone, made when it is first needed; OSError or FileError where it cannot be kept."""
    path = _own_folder() / "key"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileError):  # another process was faster
            with replacing(path, new=True) as partial, open(partial, "xb", opener=_for_its_owner) as file:
                file.write(secrets.token_bytes(_DIGEST))
    key = path.read_bytes()
    if len(key) != _DIGEST:
        raise OSError(f"{path} is no key")
    return key


def _prune(place: Path) -> None:
    """Remove what was left half written, and the oldest objects while there are too many."""
    files = []
    with os.scandir(place) as entries:
        for file in entries:
            with contextlib.suppress(OSError):  # another process may be pruning as well
                found = file.stat()
                if _LEFT.fullmatch(file.name) and time.time() - found.st_mtime > UNFINISHED:
                    os.unlink(file.path)
                elif file.name.endswith(".obj"):
                    files.append((found.st_mtime, found.st_size, file.path))
    size = sum(entry[1] for entry in files)
    for _, length, path in sorted(files):
        if size <= LARGEST_SIZE:
            break
        with contextlib.suppress(OSError):
            os.unlink(path)
        size -= length
