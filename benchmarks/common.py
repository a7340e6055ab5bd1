"""What the benchmarks share: timing by turns, the machine, rows of results, peers that may be missing.

A ratio is the time of the peer over the time of easydyn: above 1, easydyn is faster. Everything runs on one thread.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import hashlib
import importlib
import json
import math
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from time import perf_counter
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")  # before NumPy is loaded

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
BUSY = 1.5  # load above which the machine does more than the benchmark
PACKAGES = (
    "easydyn", "sympy", "numpy", "scipy", "llvmlite", "pydy", "cython", "pin", "mujoco", "casadi", "exudyn", "heyoka",
    "symengine", "jax",
)  # fmt: skip
NATIVE = ("-O3", "-march=native", "-DNDEBUG")  # how peers that come as sources are compiled


class NotInstalled(Exception):
    """A peer, or the compiler it needs, is not on this machine."""


class NotPossible(Exception):
    """A peer is there but does not do what is asked, or not in reasonable time."""


# -- timing -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Timing:
    """Seconds a call, once for each round."""

    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    def __truediv__(self, number: float) -> Timing:
        """The time of one of `number` equal parts of the call."""
        return Timing(tuple(seconds / number for seconds in self.rounds))


def interleave(
    tasks: Mapping[str, Callable[[], Any]],
    *,
    rounds: int = 9,
    least: float = 0.02,
    before: Callable[[], Any] | None = None,
) -> dict[str, Timing]:
    """Time some tasks in turn, round by round, so that whatever else the machine does falls on all of them.

    The first call of each is not counted. A task that takes less than `least` (s) is repeated within a round until it
    takes as long. Each round begins with another task. The garbage collector is emptied before each measurement and
    rests during it. `before` is called, unmeasured, before every call, which is then measured singly.
    """
    counts = {}
    for name, task in tasks.items():
        if before:
            before()
        task()
        if before:
            counts[name] = 1
            continue
        began = perf_counter()
        task()
        counts[name] = max(1, min(100_000, math.ceil(least / max(perf_counter() - began, 1e-9))))
    names = list(tasks)
    found: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(rounds):
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            if before:
                before()
            task, count = tasks[name], counts[name]
            gc.collect()
            gc.disable()
            try:
                began = perf_counter()
                for _ in range(count):
                    task()
                found[name].append((perf_counter() - began) / count)
            finally:
                gc.enable()
    return {name: Timing(tuple(seconds)) for name, seconds in found.items()}


def ratio(peer: Timing, ours: Timing) -> tuple[float, float, float]:
    """Median of the ratios round by round, and their quartiles."""
    ratios = sorted(p / o for p, o in zip(peer.rounds, ours.rounds, strict=True))
    if len(ratios) < 4:
        return statistics.median(ratios), ratios[0], ratios[-1]
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return middle, low, high


# -- do both compute the same? ----------------------------------------------------------------------------------------


def same(ours: Any, theirs: Any, tolerance: float, what: str) -> float:
    """Largest difference relative to the largest value; AssertionError above the tolerance."""
    import numpy as np

    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape, f"{what}: shapes {ours.shape} and {theirs.shape}"
    difference = float(np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs)))
    assert difference <= tolerance, f"{what}: they differ by {difference:.1e} of the largest value, not {tolerance:g}"
    return difference


# -- peers and compilers ----------------------------------------------------------------------------------------------


def peer(module: str, name: str | None = None) -> Any:
    """A module of a peer; NotInstalled when it is not there."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise NotInstalled(name or module) from error


def shared_library(source: str, options: Sequence[str] = (), libraries: Sequence[str] = ()) -> ctypes.CDLL:
    """A C or C++ file of this folder as a shared library, compiled when it or the options are new."""
    path = HERE / source
    compiler = shutil.which("g++" if path.suffix == ".cpp" else "gcc")
    if compiler is None:
        raise NotInstalled("a C++ compiler (g++)" if path.suffix == ".cpp" else "a C compiler (gcc)")
    words = [compiler, "-shared", "-fPIC", *options]
    key = hashlib.sha256("\0".join([path.read_text(encoding="utf-8"), *words, *libraries]).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / "easydyn-benchmarks"
    folder.mkdir(exist_ok=True)
    target = folder / f"{path.stem}-{key}.so"
    if not target.exists():
        print(f"compiling {path.name}", file=sys.stderr)
        scratch = target.with_suffix(f".{os.getpid()}")
        done = subprocess.run([*words, str(path), "-o", str(scratch), *libraries], capture_output=True, text=True)
        if done.returncode:
            raise NotPossible(f"{source} does not compile: {done.stderr.strip()[-2000:]}")
        scratch.replace(target)
    return ctypes.CDLL(str(target))


def pointer(array: Any) -> Any:
    """A NumPy array of float64 as a C pointer to double."""
    assert array.dtype.char == "d" and array.flags.c_contiguous
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


# -- results ----------------------------------------------------------------------------------------------------------


@dataclass
class Row:
    """One comparison. Times in seconds; errors as the benchmark defines them."""

    case: str
    kind: str  # "planar" or "spatial"
    quantity: str
    ours: str = "easydyn"
    seconds: float | None = None
    error: float | None = None
    peer: str = ""
    peer_seconds: float | None = None
    peer_error: float | None = None
    ratio: float | None = None
    quartiles: tuple[float, float] | None = None
    status: str = "measured"  # or "not installed", "not possible: ..."
    more: dict[str, Any] = field(default_factory=dict)


def compared(mine: Timing, theirs: Timing, *, case: str, kind: str, quantity: str, peer: str, **others: Any) -> Row:
    """The row of a comparison of two timings."""
    middle, low, high = ratio(theirs, mine)
    return Row(
        case, kind, quantity, peer=peer, seconds=mine.median, peer_seconds=theirs.median, ratio=middle,
        quartiles=(low, high), **others,
    )  # fmt: skip


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    versions = {}
    for name in PACKAGES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    import easydyn

    versions["easydyn"] = easydyn.__version__
    compiler = shutil.which("gcc")
    if compiler:
        text = subprocess.run([compiler, "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
        versions["gcc"] = text
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "packages": versions,
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def arguments(documentation: str | None, **extra: Mapping[str, Any]) -> argparse.Namespace:
    """The options that every script has: --quick, --target."""
    parser = argparse.ArgumentParser(description=(documentation or "").split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="small cases, few rounds, no peers, nothing is saved")
    parser.add_argument("--target", default="auto", help='what evaluates easydyn\'s programs ("auto")')
    for name, options in extra.items():
        parser.add_argument(f"--{name}", **options)
    options = parser.parse_args()
    options.save = not options.quick and options.target == "auto"  # what is saved is what a user gets
    return options


def seconds_text(seconds: float | None) -> str:
    """A time that a person can read."""
    if seconds is None:
        return ""
    for limit, factor, unit in ((1e-6, 1e9, "ns"), (1e-3, 1e6, "µs"), (1, 1e3, "ms")):
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def ratio_text(row: Mapping[str, Any]) -> str:
    """The ratio of a row, or why there is none."""
    if row.get("ratio") is None:
        return "" if row["status"] == "measured" else row["status"]
    return f"{row['ratio']:.3g}"


def text_table(lines: Sequence[Sequence[str]]) -> str:
    """Lines of words in columns; the first line is the heading."""
    widths = [max(len(line[j]) for line in lines) for j in range(len(lines[0]))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def finish(name: str, question: str, rows: Sequence[Row], *, save: bool = True) -> None:
    """Print the rows as a table, with what else is known of each; write them to results/<name>.json."""
    listed = [asdict(row) for row in rows]
    lines = [("case", "quantity", "easydyn", "time", "error", "peer", "time", "error", "ratio", "quartiles")]
    for row in listed:
        quartiles = "-".join(f"{x:.3g}" for x in row["quartiles"]) if row["quartiles"] else ""
        errors = ["" if row[key] is None else f"{row[key]:.1e}" for key in ("error", "peer_error")]
        lines.append((
            row["case"], row["quantity"], row["ours"], seconds_text(row["seconds"]), errors[0], row["peer"],
            seconds_text(row["peer_seconds"]), errors[1], ratio_text(row), quartiles,
        ))  # fmt: skip
    print(f"\n{question}\n\n{text_table(lines)}")
    if hasattr(os, "getloadavg") and os.getloadavg()[0] > BUSY:
        print(f"(the machine is busy with other things, load {os.getloadavg()[0]:.1f}: take ratios with care)")
    for row in listed:
        if row["more"]:
            print(f"  {row['case']}, {row['quantity']}: {_plain(row['more'])}")
    sys.stdout.flush()
    if save:
        RESULTS.mkdir(exist_ok=True)
        text = {
            "name": name,
            "question": question,
            "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "machine": machine(),
            "rows": listed,
        }
        (RESULTS / f"{name}.json").write_text(json.dumps(text, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _plain(more: Mapping[str, Any]) -> str:
    return ", ".join(f"{k} {f'{v:.3g}' if isinstance(v, float) else v}" for k, v in more.items())
