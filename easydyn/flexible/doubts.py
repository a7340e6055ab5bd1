"""Doubts about beams in some states: elements that bend too much, large stretch, steps that follow unwanted vibrations.

The angles are those between a node's x axis and the chord, as in beam.py; the strain is s of the formula there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from easydyn.vec.scalars import is_number

FAR = 0.7  # rad beside the chord, where a tip is wrong by half of a percent or more
AIM = 0.3  # rad, at which it is a tenth of that
ASIDE = 1.2  # rad: no beam starts like that, its nodes have other axes
STRAIN = 0.05  # beyond which strains are not small
MANY = 5000  # steps
FOLLOWED = 3.0  # rad of the highest vibration in one step
IDLE = 300.0  # steps in a period of the lowest


def name_of(elements: Sequence[Any]) -> str:
    """The name of a row of elements: "beam 'blade'" for the nodes "blade 0", "blade 1", ..."""
    names = {re.sub(r" \d+$", "", body.name) for element in elements for body in element.bodies}
    numbered = all(re.search(r" \d+$", body.name) for element in elements for body in element.bodies)
    return f"beam '{names.pop()}'" if len(names) == 1 and numbered else str(elements[0])


def bend_of(element: Any, rest: Any, bodies: Sequence[str], frames: np.ndarray) -> tuple[np.ndarray, ...]:
    """The larger angle from the chord (rad) and the mean strain of an element at some states, (N,) each.

    They follow from the frames of all bodies (N, bodies, 4, 4); the strain is 0 if L is not a number.
    """
    still = np.broadcast_to(np.eye(4), (len(frames), 4, 4))
    ends = [frames[:, bodies.index(end.name)] if end.name in bodies else still for end in element.bodies]
    chord = ends[1][:, :3, 3] - ends[0][:, :3, 3]
    length = np.linalg.norm(chord, axis=1)
    along = chord / np.maximum(length, 1e-300)[:, None]
    seen = [np.einsum("nij,ni->nj", T[:, :3, :3], along) for T in ends]
    total = [np.arccos(np.clip(c[:, 0], -1, 1)) for c in seen]
    factors = [angle / np.maximum(np.sin(angle), 1e-12) for angle in total]
    a, b = (c[:, 1:] * f[:, None] for c, f in zip(seen, factors, strict=True))
    strain = np.zeros(len(frames))
    if is_number(element.length):
        bowed = ((a - b) ** 2 / 24 + (a + b) ** 2 / 40).sum(axis=1)
        before = sum(float(U) ** 2 / 24 + float(W) ** 2 / 40 for U, W in zip(rest.even, rest.odd, strict=True))
        strain = length / float(element.length) - 1 - float(rest.strain) + bowed - before
    return np.maximum(*total), strain


def doubts_of(elements: Sequence[Any], rests: Sequence[Any], source: Any, t: Any, q: Any, qd: Any) -> Iterator[str]:
    """Sentences about the element that is bent most, and about the one that is stretched most."""
    bodies = [body.name for body in source.mechanism.bodies]
    frames = source.frames(t, q, qd)
    bends = [bend_of(element, rest, bodies, frames) for element, rest in zip(elements, rests, strict=True)]
    angles, strains = map(np.array, zip(*bends, strict=True))
    k, n = (int(i) for i in np.unravel_index(int(angles.argmax()), angles.shape))
    most = angles[k, n]
    if angles[k, 0] > ASIDE:
        yield (
            f"the axes x of the nodes of {elements[k]} make {angles[k, 0]:.3g} rad with the line from one to the other "
            f"at t = {t[0]:.3g} s: expected axes x along the beam, from its first node to its second. Turn the frames "
            "of its nodes (trotz), or give free= where it is curved without stress."
        )
        return
    if most > FAR:
        more = int(np.ceil(most / AIM))
        yield (
            f"{name_of(elements[k : k + 1])} turns by {most:.3g} rad beside its chord in {elements[k]} at t = "
            f"{t[n]:.3g} s, which is more than an element can follow: expected {AIM:g} rad or less. Take {more} times "
            "as many elements; or look at E (Pa), the section (m) and the loads, if it is not to bend so far."
        )
    k, n = (int(i) for i in np.unravel_index(int(np.abs(strains).argmax()), strains.shape))
    if abs(strains[k, n]) > STRAIN:
        yield (
            f"{elements[k]} is {'stretched' if strains[k, n] > 0 else 'shortened'} by {abs(strains[k, n]):.1%} at t = "
            f"{t[n]:.3g} s: strains are to be small, {STRAIN:.0%} at most. Look at its length, which is that without "
            "stress, at E (Pa), at the section (m) and at the loads."
        )


def wasted_steps_of(elements: Sequence[Any], duration: float, steps: int) -> Iterator[str]:
    """A sentence if most steps follow undamped vibrations along a beam."""
    if steps < MANY or any(
        not is_number(x) or float(x) for e in elements for x in (e.material.damping, e.material.mass_damping)
    ):
        return
    needed = [(e.material.E, e.material.density, e.length, e.section.area, e.section.inertia) for e in elements]
    if not all(is_number(x) for values in needed for x in values):
        return
    E, rho, L, A, I = np.array([[float(x) for x in values] for values in needed]).T
    highest = float((np.pi * np.sqrt(E / rho) / L).max())
    lowest = float((np.pi**2 * np.sqrt(E * I / (rho * A)) / L.sum() ** 2).min())
    step = duration / steps
    if highest * step < FOLLOWED and 2 * np.pi / lowest > IDLE * step:
        yield (
            f"{name_of(elements[:1])} vibrates along itself at up to {highest:.2g} rad/s, and nothing damps that: the "
            f"run took {steps} steps to follow it. Give its Material damping={20 / highest:.1g} (s). Where it bends "
            f"little, a fixed step will do, such as step={0.06 / lowest:.1g}, method='generalized_alpha', which damps "
            "what it cannot follow; method='dop853' follows it with fewer steps."
        )
