"""Probable mistakes in what bends: beams, and bodies from matrices.

Of beams they are wrong units, impossible or turned sections, loads beyond Euler's buckling load. The deflection of a
beam under its loads at rest is estimated by one Newton step, u = -K^-1 f, with K from differences.

Of bodies from matrices they are wrong units, undamped frequencies, too fast motions. Waves travel at 1000 to 6000 m/s
in a body of metal, wood or plastics, and at 30 m/s in rubber. A body that floats in the air has a mass of about 1e-3 kg
per cubic metre of its size. These bounds reveal factors of a thousand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from easydyn.analysis.magnitudes import number
from easydyn.flexible import Beam, Elasticity
from easydyn.flexible.doubts import name_of
from easydyn.mechanics.mechanism import Body

SLOW, QUICK = 6.0, 3e4  # m/s: waves of a rubber, of a diamond; beyond, a unit is wrong
SOLID = (1e5, 10.0)  # Pa, kg/m3: with less it is no material, but numbers that somebody chose
SHEARED = (1e-4, 10.0)  # G/E of all there is
SLENDER = 5e4  # length over radius of gyration: more than that of any cable
HEAVY = 1e7  # kg of a full section: that of a beam in mm
STUBBY = 10.0  # length over radius of gyration, where shear is a tenth of the deflection
LOST = 1.0  # of critical damping, of the lowest bending vibration
ATOM = 1e-10  # m: no element is shorter
MOST = 100  # coordinates that are moved one by one
LAZY, FAST = 15.0, 1e5  # m/s: waves in no material that bodies from matrices are of
EMPTY = 1e-5  # kg/m3, by the cube of its size
APART = 300.0  # times the lowest frequency: what a run has to follow for nothing
SUNK, STIFF = 0.1, 0.02  # of its length, as it is and with the section turned


class Row(NamedTuple):
    """A row of consecutive beams of one section and one material, in numbers."""

    elements: list[Any]
    name: str
    length: float
    area: float
    Iz: float
    Iy: float
    E: float
    density: float


def beams(model: Any, system: Any, q: np.ndarray, qd: np.ndarray) -> Iterator[str]:
    """Findings on the beams of a model at its initial state."""
    elements = [effort for effort in model.mechanism.efforts if isinstance(effort, Beam)]
    if not elements:
        return
    rows = [row_of(found, model) for found in _rows(elements)]
    wrong = [finding for row in rows for finding in _of_numbers(row, model)]
    yield from wrong
    if any(_element(row) < ATOM for row in rows):
        return
    yield from elements[0].doubts(model.source(), np.zeros(1), q[None], qd[None])
    if not wrong and len(q) <= MOST and not model.constraints:
        yield from _under_load(model, system, q, qd, rows)


def _rows(elements: list[Any]) -> list[list[Any]]:
    found: dict[int, list[Any]] = {}
    for element in elements:
        key = (element.node_a, id(element.section), id(element.material))
        row = found.pop(hash(key), None) if isinstance(element.node_a, Body) else None
        row = [*(row or ()), element]
        found[hash((element.node_b, *key[1:]))] = row
    return list(found.values())


def row_of(elements: list[Any], model: Any) -> Row:
    """A row of consecutive beams, in numbers."""
    section, material = elements[0].section, elements[0].material
    needed = (section.area, section.inertia, section.inertia_y, material.E, material.density)
    A, Iz, Iy, E, density = (math.nan if x is None else number(x, model) for x in needed)
    length = sum(number(element.length, model) for element in elements)
    return Row(elements, name_of(elements), length, A, Iz, Iy, E, density)


def _element(row: Row) -> float:
    """The mean length (m) of the elements of a row."""
    return row.length / len(row.elements)


def _of_numbers(row: Row, model: Any) -> Iterator[str]:
    section, material = row.elements[0].section, row.elements[0].material
    if _element(row) < ATOM:
        yield (
            f"an element of {row.name} is {_element(row):.3g} m long, shorter than an atom: expected lengths in m. "
            "Look at its length and at the number of its elements."
        )
        return
    speed = math.sqrt(row.E / row.density)
    if not SLOW < speed < QUICK:
        yield (
            f"{row.name} carries waves at {speed:.2g} m/s, which no material does: expected some 5000 m/s of metals, "
            f"1000 m/s of plastics. Look at E = {row.E:.3g} Pa (210 GPa of steel is 210e9, 210 000 MPa too) and at "
            f"the density, {row.density:.3g} kg/m3 (7.85 g/cm3 is 7850)."
        )
        return
    shear = math.nan if material.G is None else number(material.G, model) / row.E
    if not math.isnan(shear) and not SHEARED[0] < shear < SHEARED[1]:
        yield (
            f"the material of {row.name} has G = {shear:.2g} E: expected a third to a half of E, of metals. Give G in "
            "Pa, as E, or nu=0.3."
        )
    radius = math.sqrt(row.Iz / row.area)
    if row.length > SLENDER * radius:
        yield (
            f"{row.name} is {row.length:.4g} m long, and its section {radius:.2g} m in radius of gyration: more "
            "slender than any cable. Lengths are in m: if it is in mm, divide it by 1000."
        )
    elif row.length * row.area * row.density > HEAVY and row.Iz < 10 * row.area**2:
        yield (
            f"{row.name} weighs {row.length * row.area * row.density:.3g} kg: lengths, width and height are in m. If "
            "they are in mm, divide them by 1000."
        )
    elif row.length < STUBBY * radius and not section.shear:
        yield (
            f"{row.name} is {row.length:.3g} m long, {row.length / radius:.2g} times the radius of gyration of its "
            "section: shear bends it, too, and is left out. Give shear=True to Section.rectangle or Section.circle (or "
            "shear_y=, shear_z=), and nu= to its Material."
        )
    if row.E >= SOLID[0] and row.density >= SOLID[1] and not math.isnan(row.Iy):
        polar = row.Iz + row.Iy
        if polar < 0.999 * row.area**2 / (2 * math.pi):
            yield (
                f"the section of {row.name} has Iy + Iz = {polar:.3g} m4, less than any of the area {row.area:.3g} m2, "
                f"of which a full circle has the least, {row.area**2 / (2 * math.pi):.3g} m4. Look for a diameter in "
                "the place of a radius, or let Section.circle and Section.rectangle work it out."
            )
        J = math.nan if section.torsion is None else number(section.torsion, model)
        if J > 1.001 * polar:
            yield (
                f"the section of {row.name} has the torsion constant {J:.3g} m4, more than Iy + Iz = {polar:.3g} m4, "
                "which no section has. Section.circle and Section.rectangle know theirs."
            )
    slowest = math.pi**2 * speed * radius / row.length / row.length
    ratio = slowest * number(material.damping, model) / 2
    if ratio > LOST:
        yield (
            f"the damping of {row.name} is {number(material.damping, model):g} s: its lowest vibration, of about "
            f"{slowest:.3g} rad/s, would lose {ratio:.2g} times the critical damping. It is a time, no ratio: of 1 % "
            f"give damping={0.02 / slowest:.1g}."
        )


def _under_load(model: Any, system: Any, q: np.ndarray, qd: np.ndarray, rows: list[Row]) -> Iterator[str]:
    """What rests on the loads at the start: how far it moves, whether it buckles, whether nothing bends it."""
    n = len(q)
    zero, h = np.zeros(n), 1e-6 * min(row.length for row in rows)

    def forces(at: np.ndarray) -> np.ndarray:
        return np.asarray(system.residual(0.0, at, zero, zero))

    def stiffness(at: np.ndarray) -> np.ndarray:
        K = np.array([(forces(at + h * e) - forces(at - h * e)) / (2 * h) for e in np.eye(n)])
        return (K + K.T) / 2

    gravity, f = np.array([number(g, model) for g in model.mechanism.gravity]), forces(q)
    weight = np.linalg.norm(gravity) * sum(row.length * row.area * row.density for row in rows)
    if weight and not np.any(qd) and np.abs(f).max() < 1e-9 * weight * min(1.0, *(row.length for row in rows)):
        yield (
            f"{rows[0].name} is not bent by gravity={tuple(gravity.tolist())}, which acts across the plane in which it "
            "can move, and nothing else acts: give spatial=True, gravity in its plane x, y, or a load or a rate."
        )
        return
    K = stiffness(q)
    scale = np.sqrt(np.maximum(np.diag(K), 0))
    if not np.isfinite(K).all() or not scale.all() or np.linalg.eigvalsh(K / np.outer(scale, scale))[0] < 1e-12:
        return  # what can move freely
    moved = q - np.linalg.solve(K, f)
    bodies = [body.name for body in model.bodies]
    before, after = system.frames(0.0, q, zero), system.frames(0.0, moved, zero)
    across = 0.0
    for row in rows:
        nodes = [bodies.index(b.name) for element in row.elements for b in element.bodies if b.name in bodies]
        went = after[nodes, :3, 3] - before[nodes, :3, 3]
        along_y, along_z = (np.abs(went @ before[nodes[0], :3, k]).max() for k in (1, 2))
        across = max(across, along_y / row.length, along_z / row.length)
        for axis, sunk, own, other in (("y", along_y, row.Iz, row.Iy), ("z", along_z, row.Iy, row.Iz)):
            if sunk > SUNK * row.length and sunk * own / other < STIFF * row.length:
                yield (
                    f"{row.name} would sink by about {sunk:.2g} m of {row.length:.3g} m along its axis {axis} under "
                    f"its loads, and by {sunk * own / other:.2g} m if its section were turned by 90 degrees. In "
                    "Section.rectangle(width, height) the height is along y, the width along z: exchange them, or look "
                    "at E (Pa) and at the loads, if it is not to bend so far."
                )
                return
    if across < STIFF:
        strains = [(np.linalg.norm(b - a), element) for row in rows for element in row.elements
                   for a, b in [_ends(element, bodies, after)]]  # fmt: skip
        pressed = [(1 - length / number(e.length, model), e) for length, e in strains]
        most, element = max(pressed, key=lambda pair: pair[0])
        if most > 0 and np.linalg.eigvalsh(stiffness(moved) / np.outer(scale, scale))[0] < 0:
            row = next(row for row in rows if element in row.elements)
            yield (
                f"{row.name} is pressed with about {most * row.E * row.area:.3g} N, more than the load at which it "
                "buckles: straight it is not stable, and only a disturbance lets it give way. Look at the load, at E "
                "(Pa) and at the section; if it is to buckle, add a load across of a thousandth of that."
            )


def _ends(element: Any, bodies: list[str], frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    one, other = (
        frames[bodies.index(end.name), :3, 3] if end.name in bodies else np.zeros(3) for end in element.bodies
    )
    return one, other


def flexible(model: Any, q: np.ndarray | None = None, qd: np.ndarray | None = None) -> Iterator[str]:
    """Findings on flexible bodies and, if there is an initial state, on their speeds and deflections there."""
    for effort in model.mechanism.efforts:
        if not isinstance(effort, Elasticity) or effort.data is None:
            continue
        yield from _of_units(effort)
        if not effort.damping.any() and effort.data.highest > APART * effort.data.lowest:
            yield (
                f"flexible body '{effort.name}' has frequencies from {effort.data.lowest:.3g} to "
                f"{effort.data.highest:.3g} rad/s, and nothing damps the high ones, which every step has to follow. "
                "Give damping=0.01, or fewer modes; generalized_alpha and hht damp them by themselves."
            )
        if q is not None and qd is not None:
            yield from effort.doubts(model.source(), np.zeros(1), q[None], qd[None])


def _of_units(effort: Elasticity) -> Iterator[str]:
    data = effort.data
    assert data is not None
    if data.mass < EMPTY * data.size**3:
        yield (
            f"flexible body '{effort.name}' weighs {data.mass:.3g} kg and is {data.size:.3g} m large: its nodes look "
            'like mm. Give unit="mm" where the program works in mm, N and tonnes; else give nodes, M and K in SI units.'
        )
    elif not LAZY < data.celerity < FAST:
        yield (
            f"flexible body '{effort.name}' carries waves at about {data.celerity:.2g} m/s, which no material does: "
            "expected some 1000 m/s of solids. Look at the units: E in Pa (MPa goes with mm, N and tonnes), density in "
            "kg/m3."
        )
