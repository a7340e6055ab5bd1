"""The isolation of a submission: what it can read, write and use; all processes that it starts end with it.

The strongest available way is used, in this order (`WALLS`):

namespaces   Linux 5.12 and newer, where everybody may make them: it sees Python, its packages and easydyn, read only,
             and an empty folder of its own in memory; no other process, no network, no file of the person who grades.
             It is the child of a process whose end is the end of everything in there. This is the wall.
landlock     Linux 5.13 and newer without them (Ubuntu 24.04, containers): the same files by rules of the kernel and a
             list of forbidden calls (filters.py), no network, no signals to others, no way out of its group of
             processes. It is second best: what a list does not name is allowed, and names of files can be seen.
limits       elsewhere: limits of memory, time and files, where the system has them (Linux, macOS), and an end to its
             group of processes. It can read and write what the person who grades can.

Run as a script, this file prints the available ways: `python jail.py`, one line with the names.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

WALLS = ("namespaces", "landlock", "limits")
ROOM = "/room"
LARGEST = 64 * 2**20  # bytes that a submission may write
PROCESSES = 64  # that a submission may have at once
_NS, _USER, _PID, _NET, _IPC, _UTS = 0x20000, 0x10000000, 0x20000000, 0x40000000, 0x08000000, 0x04000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC, _PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
_DEATH, _DUMPABLE, _CAPBSET, _SUBREAPER, _NO_NEW_PRIVS = 1, 4, 24, 36, 38


class Refusal(OSError):
    """The system refuses a request."""


class Libc:
    """System calls that Python does not provide; Refusal if a call fails."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(None, use_errno=True)

    def __call__(self, name: str, *arguments: Any) -> int:
        """What the call gives, which is not below zero."""
        given = int(getattr(self.library, name)(*arguments))
        if given < 0:
            number = ctypes.get_errno()
            raise Refusal(number, f"{name}: {os.strerror(number)}")
        return given

    def mount(self, source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
        """Mount something, or change its mount options."""
        texts = [None if x is None else os.fsencode(x) for x in (source, target, kind, data)]
        self("mount", *texts[:3], ctypes.c_ulong(flags), texts[3])


def confine(room: Path, memory: int, seconds: float, hidden: Sequence[str], walls: str) -> str:
    """Continue in a process confined by `walls`; returns what was given. With namespaces, the current folder is ROOM.

    The calling process waits for its end, ends the processes that it leaves behind, and exits with its status. `memory`
    is in bytes, `seconds` limits the processor time. `hidden` paths are never visible (except with "limits"), even if
    they lie among the packages. A process that does not get its namespaces ends before anything runs.
    """
    if not sys.platform.startswith("linux"):
        limit(memory, seconds)
        return WALLS[2]
    from easydyn.course.walls import filters  # this file is a script, too, which imports nothing

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
        os.environ |= dict.fromkeys(("TMPDIR", "TEMP", "TMP", "HOME", "MPLCONFIGDIR"), ROOM)
    limit(memory, seconds)
    libc("prctl", _NO_NEW_PRIVS, 1, 0, 0, 0)
    if walls != WALLS[2]:
        _give_up_rights(libc)
    version = 0 if alone or walls == WALLS[2] else filters.landlock(libc, needed, str(room))
    forbidden = filters.forbid(libc, alone=alone, version=version)
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
    """Leave for namespaces of one's own; Refusal where this is not allowed."""
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
        if not any(path == w or path.startswith(w.rstrip("/") + "/") for w in whole):
            whole.append(path)
    return whole


def without(paths: Sequence[str], hidden: Sequence[str]) -> Iterator[str]:
    """The paths without hidden ones; a folder that contains hidden paths is replaced by the rest of its contents."""
    away = [os.path.realpath(h) for h in hidden]
    for path in paths:
        real = os.path.realpath(path)
        if any(real == h or real.startswith(h + "/") for h in away):
            continue
        if not any(h.startswith(real.rstrip("/") + "/") for h in away):
            yield path
            continue
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


def _probe() -> list[str]:
    """The WALLS, by trying them; what cannot be undone stays."""
    libc, needed, found = Libc(), _needed(), [WALLS[2]]
    with suppress(OSError):
        if libc("syscall", 444, None, ctypes.c_size_t(0), 1) > 0:
            found.insert(0, WALLS[1])
    with suppress(OSError):
        _enter(libc)
        if (child := os.fork()) == 0:
            with suppress(OSError):
                _furnish(libc, needed)
                os._exit(0)
            os._exit(1)
        if os.waitpid(child, 0)[1] == 0:
            found.insert(0, WALLS[0])
    return found


if __name__ == "__main__":
    print(*_probe())
