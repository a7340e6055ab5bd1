"""Print the results as Markdown, for the README: planar and spatial systems apart.

A ratio is the time of the other over the time of easydyn, in one run on one machine: above 1, easydyn is faster.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import common
import growth
from run import NAMES


def results() -> list[dict[str, Any]]:
    """What is in results/, in the order of the benchmarks."""
    paths = [common.RESULTS / f"{name}.json" for name in NAMES]
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """A table; the first line is the heading."""
    head, *body = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([head, "|" + "---|" * len(lines[0]), *body])


def side(what: str, seconds: float | None, error: float | None) -> str:
    """A program with its time, and its error where that is part of the question."""
    time = f" {common.seconds_text(seconds)}" if seconds is not None else ""
    return f"{what}:{time}" + (f" (error {error:.0e})" if error is not None else "")


def comparisons(rows: Iterable[dict[str, Any]]) -> list[list[str]]:
    """The rows with a peer."""
    lines = [["system", "what", "easydyn", "other", "ratio"]]
    for row in rows:
        if not row["peer"]:
            continue
        told = row["peer_error"] is not None  # otherwise `error` is only the difference of the two
        ours = side(row["ours"], row["seconds"], row["error"] if told else None)
        theirs = side(row["peer"], row["peer_seconds"], row["peer_error"])
        if row["peer_seconds"] is None:
            theirs = row["peer"]
        lines.append([row["case"], row["quantity"], ours, theirs, common.ratio_text(row)])
    return lines


def alone(rows: Iterable[dict[str, Any]]) -> list[list[str]]:
    """The rows without a peer: times and counts of operations."""
    lines = [["system", "what", "easydyn"]]
    for row in rows:
        if row["peer"]:
            continue
        counts = ", ".join(f"{key} {value}" for key, value in row["more"].items() if value != 0)
        time = f"{row['ours']}: {common.seconds_text(row['seconds'])}"
        lines.append([row["case"], row["quantity"], counts if row["seconds"] is None else time])
    return lines


def main() -> None:
    """Print all tables."""
    found = results()
    if not found:
        print("There are no results yet: python benchmarks/run.py")
        return
    for kind in ("planar", "spatial"):
        print(f"### {kind.capitalize()} systems\n")
        rows = [row for result in found if result["name"] != growth.NAME for row in result["rows"]]
        of_kind = [row for row in rows if row["kind"] == kind]
        grown = [r for result in found if result["name"] == growth.NAME for r in result["rows"] if r["kind"] == kind]
        for lines in (comparisons(of_kind), alone(of_kind), growth.table(grown)):
            if len(lines) > 1:
                print(f"{markdown(lines)}\n")
    machines: dict[tuple, list[str]] = {}
    for result in found:
        m = result["machine"]
        key = (m["packages"]["easydyn"], result["date"][:10], m["processor"], m["cores"], m["system"], m["python"])
        busy = (m["load"] or 0) > common.BUSY
        machines.setdefault(key, []).append(result["name"] + (f" (busy, load {m['load']:.1f})" if busy else ""))
    for (version, date, processor, cores, system, python), names in sorted(machines.items()):
        print(
            f"{', '.join(names)}: easydyn {version}, {date}, {processor}, {cores} cores, {system}, Python {python}, "
            "one thread each."
        )


if __name__ == "__main__":
    main()
