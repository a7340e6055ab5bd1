"""What a submission takes: processor time, memory, space on the disk; counted by the system, or by looking at it.

Where the system lends control groups (`systemd-run --user --scope`, containers that delegate them, root), the kernel
counts the memory of a submission whole, and ends it when it is too much. Elsewhere its processes are looked at: memory,
buffers of pipes and sockets, files in memory, files that are removed and still open.
"""

from __future__ import annotations

import os
import re
import secrets
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from easydyn.course.walls.jail import ROOM

CGROUPS, OWN_GROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")
V1 = "memory.limit_in_bytes"  # of a control group of version 1
FILES, DEEPEST = 10_000, 4000  # that a submission may write; letters of a path
STACK, MOST_MAPS = 2**15, 2**22  # bytes of the kernel for a thread; of the list of what is in a memory
_BUFFERS = {stat.S_IFIFO: 2**16, stat.S_IFSOCK: 2**19}  # bytes that a pipe and a socket may hold


def lender() -> Path | None:
    """A control group in which this user may make others that limit memory; None where the system lends none.

    Version 2 has one tree, in which a group names what it hands on; version 1 has a tree for memory alone.
    """
    with suppress(OSError, ValueError):
        for number, controllers, own in (line.split(":", 2) for line in OWN_GROUP.read_text().splitlines()):
            inside = CGROUPS / controllers / own[1:] / "cgroup.procs"
            for place in inside.parents if number == "0" or controllers == "memory" else ():
                control = place / (V1 if controllers else "cgroup.subtree_control")
                given = control.is_file() and (controllers or "memory" in control.read_text().split())
                if given and os.access(place, os.W_OK) and os.access(place / "cgroup.procs", os.W_OK):
                    return place
    return None


class Group:
    """A control group for one submission, where the system lends one; else nothing."""

    def __init__(self, limit: int) -> None:
        lent = lender()
        self.path = None if lent is None else lent / f"easydyn-{os.getpid()}-{secrets.token_hex(4)}"
        try:
            if self.path is not None:
                self.path.mkdir()
                (self.path / (V1 if (self.path.parent / V1).exists() else "memory.max")).write_text(str(limit))
                with suppress(OSError):  # without swap, where there is any
                    (self.path / "memory.swap.max").write_text("0")
        except OSError:
            self.close()

    def take(self, pid: int) -> None:
        """Put a process in there, before it does anything."""
        try:
            if self.path is not None:
                (self.path / "cgroup.procs").write_text(str(pid))
        except OSError:
            self.close()

    @property
    def full(self) -> bool:
        """Whether the kernel has ended it for its memory."""
        files = () if self.path is None else (self.path / "memory.events", self.path / "memory.oom_control")
        return any(file.is_file() and re.search(r"(?m)^oom_kill [1-9]", file.read_text()) for file in files)

    def close(self) -> None:
        """End what is left in there, and give it back."""
        path, self.path = self.path, None
        if path is not None and path.is_dir():
            for _ in range(200):
                with suppress(OSError):
                    return path.rmdir()
                with suppress(OSError):
                    for pid in (path / "cgroup.procs").read_text().split():
                        os.kill(int(pid), signal.SIGKILL)
                time.sleep(0.005)


def used(pids: Sequence[int], limit: int) -> int:
    """Bytes of memory of several processes; shared memory counts once, if this matters and the system reports it."""
    total = sum(map(memory, pids))
    return total if total <= limit or len(pids) < 2 else sum(map(_own_share, pids))


def kept(pids: Sequence[int], room: Path) -> tuple[int, int]:
    """Bytes that processes keep beside their memory: in buffers and in files in memory; in files on the disk.

    What nobody needs, and what would take long to look at, is more than any limit.
    """
    held: dict[tuple[int, int], tuple[int, int]] = {}  # by device and number, so that nothing counts twice
    for pid in pids:
        with suppress(OSError):
            if os.stat(f"/proc/{pid}/root").st_dev != os.stat("/").st_dev:  # it has namespaces, and disks in memory
                for place in (f"/proc/{pid}/root{ROOM}", f"/proc/{pid}/root/dev/shm"):
                    about = os.statvfs(place)
                    held[os.stat(place).st_dev, 0] = about.f_frsize * (about.f_blocks - about.f_bfree), 0
            held[-1, pid] = STACK * len(os.listdir(f"/proc/{pid}/task")), 0
            with open(f"/proc/{pid}/maps", errors="replace") as file:
                maps = file.read(MOST_MAPS)
            if len(maps) == MOST_MAPS:
                return 0, sys.maxsize
            for line in maps.splitlines():
                if line.endswith(" (deleted)") and str(room) in line:
                    span, _, _, device, number, *_ = line.split()
                    first, last = (int(x, 16) for x in span.split("-"))
                    held[os.makedev(*(int(x, 16) for x in device.split(":"))), int(number)] = 0, last - first
            for name in os.listdir(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    there = os.stat(f"/proc/{pid}/fd/{name}")
                    size = 512 * there.st_blocks if stat.S_ISREG(there.st_mode) and not there.st_nlink else 0
                    held[there.st_dev, there.st_ino] = _BUFFERS.get(stat.S_IFMT(there.st_mode), 0), size
    count, wait = 0, [str(room)]
    while wait:
        with suppress(OSError), os.scandir(wait.pop()) as entries:
            for one in entries:
                count += 1
                if count > FILES or len(one.path) > DEEPEST:
                    return 0, sys.maxsize
                with suppress(OSError):
                    there = one.stat(follow_symlinks=False)
                    held[there.st_dev, there.st_ino] = 0, there.st_size
                    wait += [one.path] if stat.S_ISDIR(there.st_mode) else []
    return sum(x for x, _ in held.values()), sum(x for _, x in held.values())


def _own_share(pid: int) -> int:
    with suppress(OSError, ValueError, IndexError):
        return 1024 * int(Path(f"/proc/{pid}/smaps_rollup").read_text().partition("\nPss:")[2].split()[0])
    return memory(pid)


def processor_time(*pids: int) -> float | None:
    """Seconds of the processor that processes have taken, with their children that have ended; None if not known."""
    if not sys.platform.startswith("linux"):
        return None
    total = 0
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):  # it has ended meanwhile
            total += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> int:
    """Bytes of memory that a process uses; 0 if the system does not report it (Windows: time limit only)."""
    with suppress(OSError, ValueError, IndexError):
        if sys.platform.startswith("linux"):
            return os.sysconf("SC_PAGE_SIZE") * int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        if sys.platform != "win32":
            done = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False)
            return 1024 * int(done.stdout.strip() or 0)
    return 0
