"""Forbidden system calls (seccomp) and permitted files (Landlock) of a submission; Linux only.

Both restrictions are permanent and apply to all child processes; a process needs no privileges to restrict itself. With
namespaces, seccomp forbids calls that could fill the memory unnoticed, and new namespaces. Without them, seccomp keeps
the submission from the network, from other processes, from leaving its process group, and from operations that Landlock
does not control (owners, dates).
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress

Libc = Callable[..., int]  # a system call by its name: jail.Libc
# Numbers of the calls: x86_64, aarch64 (-1: it has no such call).
_ALWAYS = {
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "msgget": (68, 186),
    "io_uring_setup": (425, 425), "userfaultfd": (323, 282), "bpf": (321, 280), "perf_event_open": (298, 241),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "unshare": (272, 97), "setns": (308, 268),
    "mount": (165, 40), "umount2": (166, 39), "ptrace": (101, 117), "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
}  # fmt: skip
_WITHOUT_NAMESPACES = {
    "socket": (41, 198), "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424), "setsid": (112, 157), "setpgid": (109, 154),
    "setpriority": (141, 140), "mq_open": (240, 180), "semget": (64, 190), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "sched_setattr": (314, 274), "ioprio_set": (251, 30), "migrate_pages": (256, 238),
    "move_pages": (279, 239), "process_madvise": (440, 440), "process_mrelease": (448, 448), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
}  # fmt: skip
_OF_FILES = {
    "chmod": (90, -1), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, -1), "lchown": (94, -1),
    "fchownat": (260, 54), "utime": (132, -1), "utimes": (235, -1), "futimesat": (261, -1), "setxattr": (188, 5),
    "lsetxattr": (189, 6), "removexattr": (197, 14), "lremovexattr": (198, 15), "truncate": (76, 45),
}  # fmt: skip
_KILL, _TGKILL, _CLONE, _CLONE3 = (62, 129), (234, 131), (56, 220), (435, 435)
_PRLIMIT, _UTIMENSAT, _AFFINITY = (302, 261), (280, 88), (203, 122)
_FCNTL, _IOCTL = (72, 25), (16, 29)
_OWNER = [8, 10, 15]  # F_SETOWN, F_SETSIG, F_SETOWN_EX: who gets signals of a file, and which
_OWNER_OF_SOCKET = [0x8901, 0x8902]  # FIOSETOWN, SIOCSPGRP
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_NEW_NAMESPACES = 0x7E020000  # flags of clone
_LOAD, _EQUAL, _SET, _FROM, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06  # of the filter's program
_ALLOW, _DENY = 0x7FFF0000, 0x00050000
_EPERM, _ENOSYS = 1, 38
Line = tuple[int, int, int, int]


def _program(machine: int, architecture: int, alone: bool, held: bool) -> list[Line]:
    """The lines of the filter: code, jump if so, jump if not, number."""
    allowed, denied = (_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _DENY | _EPERM)
    lines: list[Line] = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), denied, (_LOAD, 0, 0, 0)]
    if machine == 0:  # the other way to number calls
        lines += [(_FROM, 0, 1, 0x40000000), denied]

    def by_value(
        numbers: tuple[int, int], argument: int, values: Sequence[int], these: Line = allowed, others: Line = denied
    ) -> None:
        """A call that an argument decides: what happens with these values of it, and with any other."""
        inner: list[Line] = [(_LOAD, 0, 0, 16 + 8 * argument)]
        for value in values:
            inner += [(_EQUAL, 0, 1, value & 0xFFFFFFFF), these]
        inner.append(others)
        lines.extend([(_EQUAL, 0, len(inner), numbers[machine]), *inner])

    lines += [(_EQUAL, 0, 1, _CLONE3[machine]), (_RETURN, 0, 0, _DENY | _ENOSYS)]  # its flags cannot be looked at
    lines += [(_EQUAL, 0, 4, _CLONE[machine]), (_LOAD, 0, 0, 16), (_SET, 0, 1, _NEW_NAMESPACES), denied, allowed]
    names = _ALWAYS | ({} if alone else _WITHOUT_NAMESPACES) | (_OF_FILES if held else {})
    for numbers in names.values():
        if numbers[machine] >= 0:
            lines += [(_EQUAL, 0, 1, numbers[machine]), denied]
    if not alone:
        by_value(_KILL, 0, [os.getpid()])
        by_value(_TGKILL, 0, [os.getpid()])
        by_value(_PRLIMIT, 0, [0, os.getpid()])
        by_value(_AFFINITY, 0, [0, os.getpid()])
        by_value(_FCNTL, 1, _OWNER, denied, allowed)
        by_value(_IOCTL, 1, _OWNER_OF_SOCKET, denied, allowed)
    if held:
        by_value(_UTIMENSAT, 1, [0])  # of an open file
    return [*lines, allowed]


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_void_p)]


def forbid(libc: Libc, *, alone: bool, held: bool) -> bool:
    """Forbid system calls from now on; False if this is not possible.

    `alone` means that there are namespaces, `held` that Landlock controls files.
    """
    if platform.machine() not in _MACHINES or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    lines = _program(*_MACHINES[platform.machine()], alone, held)
    packed = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in lines))
    program = _Filter(len(lines), ctypes.cast(packed, ctypes.c_void_p))
    try:
        libc("prctl", 22, ctypes.c_ulong(2), ctypes.byref(program), 0, 0)
    except OSError:
        return False
    return True


_READ, _OF_A_FILE = 1 | 4 | 8, 1 | 2 | 4 | 1 << 14 | 1 << 15
_CREATE, _ADD, _RESTRICT = 444, 445, 446


def landlock(libc: Libc, needed: Sequence[str], room: str) -> bool:
    """Permit reading of needed files and writing in the room only, from now on; False if the kernel has no Landlock."""
    try:
        version = libc("syscall", _CREATE, None, ctypes.c_size_t(0), 1)
    except OSError:
        return False
    files = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    network, scope = (3 if version >= 4 else 0), (3 if version >= 6 else 0)
    attributes = (ctypes.c_uint64 * 3)(files, network, scope)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = libc("syscall", _CREATE, ctypes.byref(attributes), ctypes.c_size_t(size), 0)
    rights = [(path, files if path.startswith("/dev/") else _READ) for path in needed]
    for path, right in [*rights, *((p, _READ) for p in ("/proc/cpuinfo", "/proc/meminfo")), (room, files)]:
        with suppress(FileNotFoundError, PermissionError):
            handle = os.open(path, os.O_PATH)
            allowed = right & files & (~0 if os.path.isdir(path) else _OF_A_FILE)
            rule = ctypes.create_string_buffer(struct.pack("=Qi", allowed, handle))
            libc("syscall", _ADD, rules, 1, rule, 0)
            os.close(handle)
    libc("syscall", _RESTRICT, rules, 0)
    os.close(rules)
    return True
