"""Files of EasyAnim, read as docs/easyanim.md has their layouts; what is broken in them is not looked for."""

from dataclasses import fields
from pathlib import Path

import numpy as np

from easydyn.easyanim import Drawing, ModeShape

MOVING = (".van", ".vmo")


def same(one, other):
    """Whether all is the same in two drawings, numbers exactly."""
    pairs = [(getattr(one, f.name), getattr(other, f.name)) for f in fields(one) if f.name != "modes"]
    pairs += [(a, b) for modes in zip(one.modes, other.modes, strict=False) for a, b in zip(*modes, strict=True)]
    alike = [np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in pairs]
    return len(one.modes) == len(other.modes) and all(alike)


def read(path):
    """The drawing of a name: of x.vol with x.van and x.vmo where they are, or of one of these, or of x.hab."""
    path = Path(path)
    name = path.with_suffix("") if path.suffix in (".vol", ".hab", *MOVING) else path
    beside = [kind for kind in MOVING if path == name or path.suffix == kind]
    volume = path if path.suffix == ".hab" else name.with_name(f"{name.name}.vol")
    title, *lines = volume.read_text(encoding="utf-8").split("\n")
    nodes, edges, surfaces = taken(lines), taken(lines), taken(lines)
    assert lines == [""]
    place = {int(row[0]): k for k, row in enumerate(nodes)}
    n, more = len(nodes), {}
    for kind in beside:
        other = name.with_name(name.name + kind)
        if kind == ".van" and other.exists():
            more["frames"] = np.loadtxt(other, ndmin=2).reshape(-1, n, 3)
        if kind == ".vmo" and other.exists():
            more["modes"] = tuple(modes_of(other.read_text(encoding="utf-8").split("\n"), n))
    return Drawing(
        title, np.array([row[1:] for row in nodes], dtype=float).reshape(-1, 3),
        [[place[int(word)] for word in row[1:3]] for row in edges],
        [tuple(place[int(word)] for word in row[2 : 2 + int(row[1])]) for row in surfaces],
        [int(row[3]) for row in edges], [int(row[2 + int(row[1])]) for row in surfaces],
        node_ids=list(place), edge_ids=[int(row[0]) for row in edges], surface_ids=[int(row[0]) for row in surfaces],
        **more,
    )  # fmt: skip


def taken(lines):
    """The words of as many lines as the first one says; they are taken away."""
    count = int(lines.pop(0))
    rows = [line.split() for line in lines[:count]]
    del lines[:count]
    return rows


def modes_of(lines, n):
    count, begin = int(lines[1]), 2
    for _ in range(count):
        number, *pole = lines[begin].split()
        rows = np.array([line.split() for line in lines[begin + 1 : begin + 1 + n]], dtype=float)
        yield ModeShape(int(number), complex(*map(float, pole)), rows[:, :3] + 1j * rows[:, 3:])
        begin += n + 1
    assert lines[begin:] == [""]
