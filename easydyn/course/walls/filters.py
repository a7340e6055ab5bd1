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
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

Libc = Callable[..., int]  # a system call by its name: jail.Libc
Numbers = tuple[int, int]  # of a call: x86_64, aarch64 (-1: it has no such call)


def _calls() -> dict[str, list[Numbers]]:
    """The numbers of the calls in calls.txt, by what is done with them."""
    parts = Path(__file__).with_name("calls.txt").read_text(encoding="utf-8").split("\n@ ")[1:]
    numbers = {part.partition(":")[0]: [line.split()[1:] for line in part.split("\n")[1:] if line] for part in parts}
    return {name: [(int(x), int(y)) for x, y in lines] for name, lines in numbers.items()}


_KILL, _TGKILL, _CLONE, _CLONE3, _TRUNCATE = (62, 129), (234, 131), (56, 220), (435, 435), (76, 45)
_PRLIMIT, _AFFINITY, _FCNTL, _IOCTL, _PRCTL = (302, 261), (203, 122), (72, 25), (16, 29), (157, 167)
_SOCKET, _FAMILIES = (41, 198), [1, 2, 10, 16]  # those that namespaces hold: files, internet, questions about it
_ABOUT_FILES = [8, 10, 15, 1024, 1026]  # fcntl: who gets signals of a file and which; leases; news of a folder
_HARMLESS = [0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x40049409]  # ioctl: of terminals, pipes, whole copies
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_NEW_NAMESPACES = 0x7E020000  # flags of clone
_LOAD, _EQUAL, _SET, _FROM, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06  # of the filter's program
Line = tuple[int, int, int, int]
_ALLOWED, _DENIED, _DONE, _NO_CALL, _NO_TERMINAL = (
    (_RETURN, 0, 0, answer) for answer in (0x7FFF0000, *(0x50000 | number for number in (1, 0, 38, 25)))
)


def _program(machine: int, architecture: int, alone: bool, version: int) -> list[Line]:
    """The lines of the filter: code, jump if so, jump if not, number."""
    lines: list[Line] = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), _DENIED, (_LOAD, 0, 0, 0)]
    if machine == 0:  # the other way to number calls
        lines += [(_FROM, 0, 1, 0x40000000), _DENIED]

    def by_value(numbers: Numbers, argument: int, values: Sequence[int], these: Line, others: Line) -> None:
        """A call that an argument decides: what happens with these values of it, and with any other."""
        inner: list[Line] = [(_LOAD, 0, 0, 16 + 8 * argument)]
        for value in values:
            inner += [(_EQUAL, 0, 1, value & 0xFFFFFFFF), these]
        lines.extend([(_EQUAL, 0, len(inner) + 1, numbers[machine]), *inner, others])

    lines += [(_EQUAL, 0, 1, _CLONE3[machine]), _NO_CALL]  # its flags cannot be looked at
    lines += [(_EQUAL, 0, 4, _CLONE[machine]), (_LOAD, 0, 0, 16), (_SET, 0, 1, _NEW_NAMESPACES), _DENIED, _ALLOWED]
    for what, calls in _calls().items():
        if not (alone and what.endswith("without namespaces")):
            answer = _DONE if what.startswith("quiet") else _DENIED
            lines += [x for one in calls if one[machine] >= 0 for x in ((_EQUAL, 0, 1, one[machine]), answer)]
    if 0 < version < 3:  # it does not know what cuts a file short
        lines += [(_EQUAL, 0, 1, _TRUNCATE[machine]), _DENIED]
    by_value(_IOCTL, 1, _HARMLESS, _ALLOWED, _NO_TERMINAL)
    if alone:
        by_value(_SOCKET, 0, _FAMILIES, _ALLOWED, _DENIED)
    else:
        for call in (_KILL, _TGKILL) if version < 6 else ():  # then Landlock lets signals reach its own processes alone
            by_value(call, 0, [os.getpid()], _ALLOWED, _DENIED)
        for call in (_PRLIMIT, _AFFINITY):
            by_value(call, 0, [0, os.getpid()], _ALLOWED, _DENIED)
        by_value(_FCNTL, 1, _ABOUT_FILES, _DENIED, _ALLOWED)
        by_value(_PRCTL, 0, [4], _DENIED, _ALLOWED)  # nobody could look at its open files
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


def version_of(libc: Libc) -> int:
    """The version of the kernel's Landlock; 0 if it has none."""
    with suppress(OSError):
        return libc("syscall", _CREATE, None, ctypes.c_size_t(0), 1)
    return 0


def landlock(libc: Libc, needed: Sequence[str], room: str) -> int:
    """Permit reading of needed files and writing in the room only, from now on; the version of Landlock, or 0."""
    if not (version := version_of(libc)):
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
