"""Forbidden system calls (seccomp) and permitted files (Landlock) of a submission; Linux only.

Both restrictions are permanent and apply to all child processes; a process needs no privileges to restrict itself.
Behind both walls seccomp forbids calls that could fill the memory unnoticed, new namespaces, and mounts; calls that
change rights, owners and dates of files answer that all is well, and do nothing. Without namespaces it also keeps the
submission from the network, from other processes, and from what Landlock does not control.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

Libc = Callable[..., int]  # a system call by its name: jail.Libc
Line = tuple[int, int, int, int]  # of the filter's program: code, jump if so, jump if not, number

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_CLONE, _CLONE3, _NEW_NAMESPACES = (56, 220), (435, 435), 0x7E020000
_LOAD, _EQUAL, _SET, _FROM, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOWED, _DENIED, _DONE, _NO_CALL, _NO_TERMINAL = (
    (_RETURN, 0, 0, answer) for answer in (0x7FFF0000, *(0x50000 | number for number in (1, 0, 38, 25)))
)
_ANSWERS = {  # with the values that calls.txt names, and with others
    "never": (_DENIED, _DENIED), "quiet": (_DONE, _DONE), "only": (_ALLOWED, _DENIED), "not": (_DENIED, _ALLOWED),
    "terminals only": (_ALLOWED, _NO_TERMINAL),
}  # fmt: skip


def _calls(machine: int, alone: bool, version: int) -> Iterator[tuple[str, int, int, list[int]]]:
    """What calls.txt says: what is done with a call, its number, and an argument with the values that decide, if any.

    From version 6 on Landlock lets signals reach its own processes alone; before version 3 it does not know what cuts a
    file short.
    """
    holds = {"": True, "with namespaces": alone, "without namespaces": not alone,
             "before Landlock 3": 0 < version < 3, "before Landlock 6": not alone and version < 6}  # fmt: skip
    for part in Path(__file__).with_name("calls.txt").read_text(encoding="utf-8").split("\n@ ")[1:]:
        head, *rows = part.splitlines()
        kind, _, when = head.partition(":")[0].partition(", ")
        for words in (row.split() for row in rows if row and holds[when]):
            values = [os.getpid() if x == "itself" else int(x, 0) for x in words[4:]]
            if (number := int(words[1 + machine])) >= 0:
                yield kind, number, int(words[3]) if values else 0, values


def _program(machine: int, architecture: int, alone: bool, version: int) -> list[Line]:
    """The lines of the filter."""
    lines: list[Line] = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), _DENIED, (_LOAD, 0, 0, 0)]
    if machine == 0:  # the other way to number calls
        lines += [(_FROM, 0, 1, 0x40000000), _DENIED]
    lines += [(_EQUAL, 0, 1, _CLONE3[machine]), _NO_CALL]  # its flags cannot be looked at
    lines += [(_EQUAL, 0, 4, _CLONE[machine]), (_LOAD, 0, 0, 16), (_SET, 0, 1, _NEW_NAMESPACES), _DENIED, _ALLOWED]
    for kind, number, argument, values in _calls(machine, alone, version):
        these, others = _ANSWERS[kind]
        inner: list[Line] = [(_LOAD, 0, 0, 16 + 8 * argument)] if values else []
        for value in values:
            inner += [(_EQUAL, 0, 1, value), these]
        lines += [(_EQUAL, 0, len(inner) + 1, number), *inner, others]
    return [*lines, _ALLOWED]


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_void_p)]


def forbid(libc: Libc, *, alone: bool, version: int) -> bool:
    """Forbid system calls from now on; False if this is not possible.

    `alone` means that there are namespaces; `version` is that of the Landlock that controls files, or 0.
    """
    if platform.machine() not in _MACHINES or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    lines = _program(*_MACHINES[platform.machine()], alone, version)
    packed = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in lines))
    program = _Filter(len(lines), ctypes.cast(packed, ctypes.c_void_p))
    with suppress(OSError):
        libc("prctl", 22, ctypes.c_ulong(2), ctypes.byref(program), 0, 0)
        return True
    return False


_READ, _DEVICE, _OF_A_FILE = 1 | 4 | 8, 2 | 4 | 1 << 14, 1 | 2 | 4 | 1 << 14 | 1 << 15
_CREATE, _ADD, _RESTRICT = 444, 445, 446


def landlock(libc: Libc, needed: Sequence[str], room: str) -> int:
    """Permit reading of needed files and writing in the room only, from now on; the version of Landlock, or 0."""
    try:
        version = libc("syscall", _CREATE, None, ctypes.c_size_t(0), 1)
    except OSError:
        return 0
    files = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    network, scope = (3 if version >= 4 else 0), (3 if version >= 6 else 0)
    attributes = (ctypes.c_uint64 * 3)(files, network, scope)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = libc("syscall", _CREATE, ctypes.byref(attributes), ctypes.c_size_t(size), 0)
    rights = [(path, _DEVICE if path.startswith("/dev/") else _READ) for path in needed]
    for path, right in [*rights, *((p, _READ) for p in ("/proc/cpuinfo", "/proc/meminfo")), (room, files)]:
        with suppress(FileNotFoundError, PermissionError):
            handle = os.open(path, os.O_PATH)
            allowed = right & files & (~0 if os.path.isdir(path) else _OF_A_FILE)
            rule = ctypes.create_string_buffer(struct.pack("=Qi", allowed, handle))
            libc("syscall", _ADD, rules, 1, rule, 0)
            os.close(handle)
    libc("syscall", _RESTRICT, rules, 0)
    os.close(rules)
    return version
