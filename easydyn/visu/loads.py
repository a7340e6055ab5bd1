"""Free-body diagrams: bodies cut free from all others, and the forces and moments that others exert on them.

The forces are those of one instant of a motion: weights, efforts, contacts, joints that close loops, and, by the
balances of eq. (6), what the joints of the products transmit. Forces between two bodies that are both drawn are equal
and opposite, and left out. Each force has its tail where it acts (see arrows.py). The sum of all of them is the sum of
m a (Newton).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from easydyn.constraints.closure import Closure
from easydyn.constraints.constraint import Carried
from easydyn.errors import InputError, ModelError
from easydyn.forces.effort import Effort
from easydyn.forces.rigid_contact import RigidContact
from easydyn.inputs import is_listed
from easydyn.mechanics.mechanism import Body, Ground, ground
from easydyn.result.reactions import placed
from easydyn.touch import Contact
from easydyn.visu.chains import chains, joints, label, walk

FORCES, REACTIONS = "forces", "reactions"
ROUNDING = 1e-6  # of the forces of inertia: less is no contact
NOTHING = 1e-4  # of the largest force (or of it times the size): no arrow
TINY = 1e-9  # N


@dataclass(frozen=True)
class Load:
    """A force f (N) and a moment m (N m) about p (m), (3,) or along a run (N, 3), and the name of what exerts them."""

    name: str
    layer: str
    f: np.ndarray
    m: np.ndarray
    p: np.ndarray


class Freed(NamedTuple):
    """The names of bodies that are cut free, and the loads on them."""

    names: tuple[str, ...]
    loads: list[Load]


def freed(scene: Any, wanted: Any) -> Freed:
    """The bodies that `forces` of a sketch names, and what others exert on them at the start."""
    m = scene.system.mechanism
    fixed = [body.name for body, _ in chains(m.bodies).bodies]
    own = [body.name for body in m.bodies if body.name not in fixed]
    given = own if wanted is True else wanted if is_listed(wanted) else [wanted]
    names = tuple(dict.fromkeys(scene._name(each) for each in given))
    if not names or not set(names) <= set(own):
        raise InputError(f"forces={wanted!r}: expected True, a body that moves or its name, or a list of them.")
    if scene.begun is None:
        raise ModelError("forces of a sketch need a scene made by model.scene(), which knows the equations of motion.")
    flexible = [frame.name for frame in scene.frames if frame.inner and frame.name in names]
    if flexible:
        raise ModelError(
            f"'{flexible[0]}' is part of what bends: forces are spread over its nodes, and no arrow of a "
            "free-body diagram can stand for them. Choose other bodies, or take run.animate(arrows=True)."
        )
    if m.callbacks:
        raise ModelError(
            f"forces of a sketch: {m.callbacks[0]} is plain Python and does not say where it acts. Write it as a Force "
            "or Moment with expressions."
        )
    run = scene.begun()
    balances = run.source.balances(run)[0]
    centres = dict(zip((body.name for body in m.bodies), balances[:, 2], strict=True))
    applied = (*_weights(run, names, centres), *_efforts(run, names, centres))
    return Freed(names, [*applied, *_joints(run, names, balances, largest_of(applied))])


def largest_of(loads: Collection[Load]) -> float:
    return max((float(np.linalg.norm(load.f)) for load in loads), default=0.0)


def known_point(run: Any, effort: Effort, name: str) -> np.ndarray | None:
    """Where an effort acts on a body, as far as it says so: ground positions (N, 3)."""
    ends = getattr(effort, "ends", None)
    candidates = [getattr(ends, "end_1", None), getattr(ends, "end_2", None), getattr(effort, "end", None)]
    if hasattr(effort, "at") and hasattr(effort, "body"):
        candidates.append((effort.body, effort.at))
    for end in candidates:
        if isinstance(end, tuple) and len(end) == 2 and isinstance(end[0], Body | Ground) and end[0].name == name:
            return placed(run, *end)
    return None


def on_its_line(f: np.ndarray, m_0: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The moment about p, and p, the point of the line of action of a force that is nearest to r; all (N, 3)."""
    square = np.einsum("ni,ni->n", f, f)
    there = square > (NOTHING * NOTHING) * square.max()
    p = r + np.where(there[:, None], np.cross(f, m_0 - np.cross(r, f)) / np.where(there, square, 1.0)[:, None], 0.0)
    return m_0 - np.cross(p, f), p


def _weights(run: Any, names: Collection[str], centres: Mapping[str, np.ndarray]) -> Iterator[Load]:
    m = run.source.mechanism
    g = np.ravel(run.of(list(m.gravity)))
    for body in m.bodies:
        weight = float(np.ravel(run.of([body.mass]))[0]) * g
        if body.name in names and weight.any():
            yield Load("weight", FORCES, weight, np.zeros(3), centres[body.name])


def _efforts(run: Any, names: Collection[str], centres: Mapping[str, np.ndarray]) -> Iterator[Load]:
    """Efforts and joints of loops that act on bodies that are drawn, and not only between these."""
    actions = run.source.actions(run)
    for effort, name, wrench in actions:
        if name not in names:
            continue
        on_all = sum(w for e, other, w in actions if e is effort and other in names)
        if np.abs(on_all).max() <= 1e-9 * np.abs(wrench).max():
            continue  # between two bodies that are drawn
        f, m_0 = wrench[:, 0], wrench[:, 1]
        layer, near, title = FORCES, known_point(run, effort, name), type(effort).__name__
        if isinstance(effort, Contact):
            near = _middle(run, effort)
        if isinstance(effort, Carried):
            constraint, layer = effort.constraint, REACTIONS
            title = constraint.name
            ends = (constraint.first, constraint.second) if isinstance(constraint, Closure) else ()
            for body, local in ends:
                if getattr(body, "name", "ground") == name:
                    P = placed(run, body, local.e)
                    yield Load(title, layer, f[0], (m_0 - np.cross(P, f))[0], P[0])
            if ends:
                continue
        m, p = on_its_line(f, m_0, centres[name][None] if near is None else near)
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", title).lower() if layer == FORCES else title
        yield Load(words, layer, f[0], m[0], p[0])


def _middle(run: Any, contact: Contact) -> np.ndarray:
    """The middle (1, 3) of the points of a contact, each as heavy as its normal force."""
    pushes = np.maximum(np.ravel(run.of([touch.force for touch in contact.touches])), 1e-300)
    return np.asarray(pushes @ run.of([c for p in contact.points for c in p]).reshape(-1, 3) / pushes.sum())[None]


def _joints(run: Any, names: Collection[str], balances: np.ndarray, largest: float) -> Iterator[Load]:
    """What the joints of the products transmit to the bodies that are drawn, from those that are not.

    A `free` motion may be guided all the same, as that of a point along a curve: unless what it needs beside the
    `largest` force (N) is rounding.
    """
    m = run.source.mechanism
    own = [body.name for body in m.bodies]
    F, M, G = np.moveaxis(balances[:, :3], 1, 0)
    found = list(joints(chains(m.bodies)))
    moved = [x for node, last, _ in found for x in label(last, node).split(", ")]
    for node, last, free in found:
        welded, moving = [body.name for body, _ in last.bodies], label(last, node).split(", ")
        beyond = [body.name for below in walk(node) for body, _ in below.bodies]
        own_side = welded or beyond
        drawn = [name for name in own_side if name in names]
        if welded and 0 < len(drawn) < len(welded):
            raise ModelError(
                f"'{drawn[0]}' is welded to '{next(x for x in welded if x not in names)}': the motion does not tell "
                f"what passes between them. Draw both: forces={welded}."
            )
        near = "ground" if node.parent.parent is None else node.parent.bodies[0][0].name  # type: ignore[union-attr]
        sign = bool(drawn) - (near in names)
        if not beyond or (sign == 0 and len(drawn) in (0, len(own_side))):
            continue
        shared = [x for x in moving if x != "t" and moved.count(x) > 1]
        if shared or len(drawn) not in (0, len(own_side)):
            raise ModelError(
                f"a sketch cannot tell the forces on '{own_side[0]}': {(shared or moving)[0]} moves it and other "
                "bodies, too, so that the product of its transform is no joint to one of them. Write T as that of the "
                "body before it times a joint, close loops with model.close, or take run.reactions with a Cut for each "
                "joint."
            )
        at = [own.index(name) for name in beyond]
        f, m_0 = F[at].sum(axis=0), (M[at] + np.cross(G[at], F[at])).sum(axis=0)
        closed = [e for e in m.efforts if isinstance(e, RigidContact) and {*map(str, e.coordinates)} & set(moving)]
        if closed and not free:
            raise ModelError(
                f"RigidContact '{closed[0].name}' names no point of '{own_side[0]}', so that its force cannot be told "
                "from that of the joint. Take a Contact or a PlanePoint for this sketch."
            )
        if not free:
            P = placed(run, ground, last.T.e)[0]
            yield Load(near if sign > 0 else own_side[0], REACTIONS, sign * f, sign * (m_0 - np.cross(P, f)), P)
        elif np.linalg.norm(f) > max(ROUNDING * largest, TINY):
            moment, p = on_its_line(f[None], m_0[None], G[[own.index(own_side[0])]])
            yield Load(closed[0].name if closed else near, REACTIONS, sign * f, sign * moment[0], p[0])
