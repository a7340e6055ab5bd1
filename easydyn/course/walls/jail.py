"""The isolation of a submission: what it can read, write and use; all processes that it starts end with it.

The strongest available way is used, in this order (`WALLS`):

namespaces   Linux 5.12 and newer, where everybody may make them: it sees Python, its packages and easydyn, read only,
             and an empty folder of its own in memory; no other process, no network, no file of the person who grades.
             It is the child of a process whose end is the end of everything in there. This is the wall.
landlock     Linux 5.13 and newer without them (Ubuntu 24.04, containers): the same files by rules of the kernel and a
             list of forbidden calls (calls.txt), no network, no signals to others, no way out of its group of
             processes. It is second best: what a list does not name is allowed, and names of files can be seen.
limits       elsewhere: limits of memory, time and files, where the system has them (Linux, macOS), and an end to its
             group of processes. It can read and write what the person who grades can.

Restrictions by the kernel, seccomp (forbidden calls, calls.txt) and Landlock (permitted files), are permanent and apply
to all child processes; a process needs no privileges to restrict itself. Behind both walls seccomp forbids calls that
could fill the memory unnoticed, new namespaces, and mounts; calls that change rights, owners and dates of files answer
that all is well, and do nothing. Without namespaces it also keeps the submission from the network, from other
processes, and from what Landlock does not control.

Run as a script, this file prints the available ways: `python jail.py`, one line with the names.
"""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

Line = tuple[int, int, int, int]  # of the filter's program: code, jump if so, jump if not, number
WALLS = ("namespaces", "landlock", "limits")
ROOM = "/room"
LARGEST = 64 * 2**20  # bytes that a submission may write
PROCESSES = 64  # that a submission may have at once
_NS, _USER, _PID, _NET, _IPC, _UTS = 0x20000, 0x10000000, 0x20000000, 0x40000000, 0x08000000, 0x04000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
_DEATH, _DUMPABLE, _CAPBSET, _SUBREAPER, _NO_NEW_PRIVS = 1, 4, 24, 36, 38


class Libc:
    """System calls that Python does not provide; OSError if a call fails."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(None, use_errno=True)

    def __call__(self, name: str, *arguments: Any) -> int:
        """What the call gives, which is not below zero."""
        given = int(getattr(self.library, name)(*arguments))
        if given < 0:
            raise OSError(ctypes.get_errno(), name)
        return given

    def mount(self, source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
        """Mount something, or change its mount options."""
        texts = [None if x is None else os.fsencode(x) for x in (source, target, kind, data)]
        self("mount", *texts[:3], ctypes.c_ulong(flags), texts[3])


def confine(room: Path, memory: int, seconds: float, hidden: Sequence[str], walls: str) -> str:
    """Continue in a process confined by `walls`; returns what was given. With namespaces, the current folder is ROOM.

    The calling process waits for its end, ends the processes that it leaves behind, and exits with its status. `memory`
    is in bytes, `seconds` limits the processor time. `hidden` paths are never visible (except with "limits"), even if
    they lie among the packages. A process that the system does not give its walls ends before anything runs.
    """
    if not sys.platform.startswith("linux"):
        limit(memory, seconds)
        return WALLS[2]
    with suppress(OSError):
        os.setgroups([])  # of root
    libc, needed = Libc(), list(without(_needed(), hidden))
    libc("prctl", _DEATH, signal.SIGKILL, 0, 0, 0)
    libc("prctl", _SUBREAPER, 1, 0, 0, 0)
    if alone := walls == WALLS[0]:
        _enter(libc)
    _go_on_in_a_child(libc)
    if alone:
        os.setsid()  # signals to its group go no further
        _furnish(libc, needed)
        _go_on_in_a_child(libc)  # the first process of a namespace has signals of its own
    limit(memory, seconds)
    libc("prctl", _NO_NEW_PRIVS, 1, 0, 0, 0)
    if walls != WALLS[2]:
        _give_up_rights(libc)
    version = 0 if alone or walls == WALLS[2] else landlock(libc, needed, str(room))
    forbidden = forbid(libc, alone=alone, version=version)
    return WALLS[0] if alone else WALLS[1] if version and forbidden else WALLS[2]


def _go_on_in_a_child(libc: Libc) -> None:
    """Fork; the parent waits for the child, and for what becomes its own when its parents end, and exits as it did."""
    if child := os.fork():
        pid = status = 0
        while pid != child:
            pid, status = os.wait()
        sweep(os.getpid())
        code = os.waitstatus_to_exitcode(status)
        os._exit(code if code >= 0 else 128 - code)
    libc("prctl", _DEATH, signal.SIGKILL, 0, 0, 0)


def _enter(libc: Libc) -> None:
    """Leave for namespaces of one's own; OSError where this is not allowed."""
    user, group = os.geteuid(), os.getegid()
    libc("unshare", _USER | _NS | _PID | _NET | _IPC | _UTS)
    for name, text in (("setgroups", "deny"), ("uid_map", f"1000 {user} 1"), ("gid_map", f"1000 {group} 1")):
        with suppress(FileNotFoundError):
            Path(f"/proc/self/{name}").write_text(text)


def _needed() -> list[str]:
    """What Python needs to see: its libraries and packages, and easydyn; of a clone of its repository no more."""
    package = Path(__file__).resolve().parent.parent.parent
    found = ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/localtime", "/etc/fonts", sys.prefix,
             sys.base_prefix, str(package)]  # fmt: skip
    clone = any((package.parent / name).exists() for name in ("exercises", ".git", "pyproject.toml"))
    found += [p for p in sys.path if Path(p).is_absolute() and not (clone and Path(p).resolve() == package.parent)]
    found += [f"/dev/{name}" for name in ("null", "zero", "random", "urandom")]
    whole: list[str] = []
    for path in sorted(filter(os.path.exists, dict.fromkeys(found)), key=len):
        if not any(Path(path).is_relative_to(w) for w in whole):
            whole.append(path)
    return whole


def without(paths: Sequence[str], hidden: Sequence[str]) -> Iterator[str]:
    """The paths without hidden ones; a folder that contains hidden paths is replaced by the rest of its contents."""
    away = [Path(os.path.realpath(h)) for h in hidden]
    for path in paths:
        real = Path(os.path.realpath(path))
        if not any(real.is_relative_to(h) or h.is_relative_to(real) for h in away):
            yield path
        elif not any(real.is_relative_to(h) for h in away):
            with suppress(OSError):
                yield from without(sorted(os.path.join(path, name) for name in os.listdir(path)), hidden)


def _furnish(libc: Libc, needed: Sequence[str]) -> None:
    """A root of what is needed, read only, and of an empty room; the rest of the system is out of sight."""
    libc.mount("none", "/", None, _REC | _PRIVATE)
    handles = [os.open(path, os.O_PATH) for path in needed]  # seen also when the new root covers them
    base = os.path.realpath("/tmp")
    libc.mount("tmpfs", base, "tmpfs", _NOSUID | _NODEV, "size=4m,mode=755")
    for path, handle in zip(needed, handles, strict=True):
        source, target = f"/proc/self/fd/{handle}", Path(base + path)
        target.parent.mkdir(parents=True, exist_ok=True)
        if os.path.isdir(source):
            target.mkdir(exist_ok=True)
        else:
            target.touch()
        libc.mount(source, str(target), None, _BIND | _REC)
        # nothing can be written there, nor in what is mounted below; what is said to a device still reaches it
        libc("syscall", 442, -100, os.fsencode(target), 0x8000, (ctypes.c_uint64 * 4)(_RDONLY | _NOSUID), 32)
        os.close(handle)
    os.makedirs(f"{base}/proc", exist_ok=True)
    with suppress(OSError):  # where /proc is covered in part nobody may mount it anew: there is none, then
        libc.mount("proc", f"{base}/proc", "proc", _RDONLY | _NOSUID | _NODEV | _NOEXEC)  # root could set the system
    for place, count in (("/dev/shm", 1000), (ROOM, 10000)):  # the first for what processes share
        os.makedirs(base + place, exist_ok=True)
        libc.mount("tmpfs", base + place, "tmpfs", _NOSUID | _NODEV, f"size={LARGEST},nr_inodes={count},mode=700")
    os.makedirs(f"{base}/tmp", exist_ok=True)
    libc.mount("tmpfs", base, None, _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV)
    os.chdir(base)
    os.chroot(".")
    os.chdir(ROOM)


def _give_up_rights(libc: Libc) -> None:
    """None of the rights of root, or of who has made a namespace, and none by programs that are started."""
    for right in range(64):
        with suppress(OSError):
            libc("prctl", _CAPBSET, right, 0, 0, 0)
    header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    libc("capset", header, sets)
    libc("prctl", _DUMPABLE, 1, 0, 0, 0)


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


def forbid(libc: Libc, *, alone: bool, version: int) -> bool:
    """Forbid system calls from now on; False if this is not possible.

    `alone` means that there are namespaces; `version` is that of the Landlock that controls files, or 0.
    """
    if platform.machine() not in _MACHINES or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    lines = _program(*_MACHINES[platform.machine()], alone, version)
    packed = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in lines))
    with suppress(OSError):
        libc("prctl", 22, ctypes.c_ulong(2), struct.pack("@HP", len(lines), ctypes.addressof(packed)), 0, 0)
        return True
    return False


_READ, _DEVICE, _OF_A_FILE = 1 | 4 | 8, 2 | 4 | 1 << 14, 1 | 2 | 4 | 1 << 14 | 1 << 15
_CREATE, _ADD, _RESTRICT = 444, 445, 446


def landlock(libc: Libc, needed: Sequence[str], room: str) -> int:
    """Permit reading of needed files and writing in the room only, from now on; the version of Landlock."""
    version = libc("syscall", _CREATE, None, ctypes.c_size_t(0), 1)
    files = (1 << {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)) - 1
    network, scope = (3 if version >= 4 else 0), (3 if version >= 6 else 0)
    known = struct.pack("=3Q", files, network, scope)[: 24 if version >= 6 else 16 if version >= 4 else 8]
    rules = libc("syscall", _CREATE, known, ctypes.c_size_t(len(known)), 0)
    rights = [(path, _DEVICE if path.startswith("/dev/") else _READ) for path in needed]
    for path, right in [*rights, *((p, _READ) for p in ("/proc/cpuinfo", "/proc/meminfo")), (room, files)]:
        with suppress(FileNotFoundError, PermissionError):
            handle = os.open(path, os.O_PATH)
            allowed = right & files & (~0 if os.path.isdir(path) else _OF_A_FILE)
            libc("syscall", _ADD, rules, 1, struct.pack("=Qi", allowed, handle), 0)
            os.close(handle)
    libc("syscall", _RESTRICT, rules, 0)
    os.close(rules)
    return version


def limit(memory: int, seconds: float) -> None:
    """Set limits of the system, if it has them."""
    if sys.platform == "win32":
        return
    import resource

    limits = {"AS": memory + 2 * 2**30, "FSIZE": LARGEST, "CORE": 0, "NOFILE": 256, "CPU": int(seconds) + 60}
    with suppress(OSError):  # threads count; this is how many there are, of everybody
        limits["NPROC"] = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2]) + 4 * PROCESSES
    for name, most in limits.items():
        with suppress(AttributeError, OSError, ValueError):
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (most, most))


def hide() -> None:
    """Keep other processes of the same user from reading this process, if the system can do so."""
    if sys.platform.startswith("linux"):
        with suppress(OSError):
            Libc()("prctl", _DUMPABLE, 0, 0, 0, 0)


def descendants(pid: int) -> list[int]:
    """All descendants of a process; none if /proc does not list them."""
    found = [pid]
    for one in found:
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{one}/task"):
                with suppress(OSError):
                    found += map(int, Path(f"/proc/{one}/task/{thread}/children").read_text().split())
    return found[1:]


def sweep(pid: int) -> None:
    """End all descendants of a process, repeatedly if they start new ones."""
    for _ in range(200):
        there = descendants(pid)
        for other in there:
            with suppress(OSError):
                os.kill(other, signal.SIGKILL)
        if pid == os.getpid():
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
        if not there:
            return


def cleared(folder: str) -> None:
    """Remove a folder, however deep or locked what was written there."""
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    for words in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        if os.path.isdir(folder) and os.name == "posix":
            subprocess.run([*words, folder], capture_output=True, check=False)


def there() -> list[str]:
    """The WALLS that this machine gives to this user, as another process finds them."""
    if not sys.platform.startswith("linux"):
        return [WALLS[-1]]
    done = subprocess.run([sys.executable, "-P", __file__], capture_output=True, text=True, check=False)
    return done.stdout.split() or [WALLS[-1]]


def _given(walls: str) -> bool:
    """Whether a process gets the walls that it asks for: a child tries them."""
    if (child := os.fork()) == 0:
        with suppress(OSError):
            os._exit(confine(Path("/"), 2**32, 60.0, (), walls) != walls)
        os._exit(1)
    return os.waitpid(child, 0)[1] == 0


if __name__ == "__main__":
    print(*filter(_given, WALLS[:2]), WALLS[2])
