"""Arrows for forces on bodies and for reactions in joints, along a run.

A force is drawn on its line of action, with its tail at the point nearest to where it is known to act (the end of a
spring, `at` of a Force, else the centre of mass). With the force f and the moment m about the origin of the ground, and
r the point where it should be, the tail is

    p = r + f x (m - r x f) / f.f

and the remaining moment there, m - p x f, is parallel to f. A moment is an arrow with two heads and a ring about it,
which turns as the moment does (right-hand rule). All forces of a run have one scale, all moments another.

The load of a joint is the load that the bodies beyond it need in addition to the efforts on them and to the joints that
close loops (the brackets of eq. 6). For bodies that no joint guides, this load comes from contacts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from easydyn.constraints.constraint import Carried
from easydyn.errors import InputError
from easydyn.flexible import Elasticity
from easydyn.flexible.beam import Piece
from easydyn.inputs import is_listed, is_text, shown
from easydyn.result.reactions import placed
from easydyn.vec import tdisp, trotx, trotz
from easydyn.visu import bent, colours, motion, solids
from easydyn.visu.chains import chains, joints, label, walk
from easydyn.visu.elements import joints_of_loops
from easydyn.visu.loads import FORCES, NOTHING, REACTIONS, ROUNDING, Load, known_point, on_its_line
from easydyn.visu.scene import End, Part, Scene
from easydyn.visu.shapes import arrow
from easydyn.visu.solids import Solid

COLOURS = {FORCES: colours.PALETTE["vermilion"], REACTIONS: colours.PALETTE["purple"]}
LONGEST = 0.3  # of the size of the mechanism: the largest force, but for short peaks
PEAKS = 90.0  # per cent of the instants that the scale holds for
FULL = 0.1  # of the size of the mechanism: shorter arrows are thinner, too


def add_arrows(scene: Scene, run: Any, t: np.ndarray, wanted: Any) -> str:
    """Draw forces and reactions of a run into a scene at the instants t (N,); returns the text on their scales.

    Raises
    ------
    InputError
        An entry is neither "forces", "reactions", a force element of the model nor a joint that closes a loop.
    """
    layers, chosen = _wanted(run, wanted)
    acting = list(_forces(run, layers, chosen)) + list(_reactions(run, layers, chosen))
    unknown = [each.name for each in acting if not np.isfinite(each.f).all()]
    acting = [each for each in acting if np.isfinite(each.f).all()]
    force = _largest(each.f for each in acting)
    moment = _largest(each.m for each in acting)
    scales = [LONGEST * scene.size / size if size > 0 else 0.0 for size in (force, moment)]
    if moment <= NOTHING * force * scene.size:
        moment = 0.0
    thin = 0.012 * scene.size
    for each in acting:
        place = _at(run, t, each.p)
        for values, size, scale, solid in (
            (each.f, force, scales[0], arrow(thin)), (each.m, moment, scales[1], _turning(thin, 0.05 * scene.size)),
        ):  # fmt: skip
            if size and np.abs(values).max() > NOTHING * size:
                ends = tuple(End("ground", np.zeros(3), x) for x in (place, place + scale * _at(run, t, values)))
                colour, full = COLOURS[each.layer], FULL * scene.size
                scene.parts.append(
                    Part(each.name, "ground", "between", colour, solid, ends=ends, layer=each.layer, full=full)
                )
    sizes = ("N", force), ("N m", moment)
    lengths = [f"{LONGEST * scene.size:.3g} m for {size:.3g} {unit}" for unit, size in sizes if size]
    note = f"Arrows: {', '.join(lengths)}." if lengths else "No force acts in this run: there are no arrows."
    if unknown:
        note += f" Rigid bodies do not tell what is borne by {', '.join(unknown)}."
    return note


def _wanted(run: Any, wanted: Any) -> tuple[set[str], list[Any]]:
    """Layers as a whole, and force elements and joints one by one."""
    listed = [FORCES, REACTIONS] if wanted is True else list(wanted) if is_listed(wanted) else [wanted]
    m = run.source.mechanism
    known = [*m.efforts, *joints_of_loops(m)]
    for each in listed:
        if is_text(each) and each in (FORCES, REACTIONS):
            continue
        if not any(each is own for own in known):
            raise InputError(
                f'arrows has {shown(each)}: expected "forces", "reactions", or a list that may hold force elements of '
                "the model and what model.close returned, too."
            )
    return {each for each in listed if is_text(each)}, [each for each in listed if not is_text(each)]


def _largest(values: Any) -> float:
    found = [float(np.percentile(np.linalg.norm(x, axis=1), PEAKS)) for x in values]
    return max(found, default=0.0)


def _at(run: Any, t: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Vectors (N, 3) at the instants of a run, at those of the pictures."""
    return np.stack([np.interp(t, run.t, column) for column in values.T], axis=1)


# -- what acts on bodies ----------------------------------------------------------------------------------------------


def _forces(run: Any, layers: set[str], chosen: Sequence[Any]) -> Iterator[Load]:
    """What efforts do on bodies, each where it is known to act; weights are among them."""
    source = run.source
    m = source.mechanism
    names = [body.name for body in m.bodies]
    centres = source.balances(run)[:, :, 2]
    gravity = np.broadcast_to(np.asarray(run.of(list(m.gravity)), dtype=float), (len(run.t), 3))
    wholes = bent.wholes(m)  # of what bends the weight is one arrow, and what its pieces exert on each other none
    inner = {body: name for name, bodies in wholes.items() for body in bodies}
    if FORCES in layers and gravity.any():
        masses = {body.name: np.broadcast_to(run.of([body.mass]), (len(run.t), 1)) for body in m.bodies}
        for name, bodies in ({name: [name] for name in names if name not in inner} | wholes).items():
            mass = sum(masses[body] for body in bodies)
            weight = gravity * mass
            if weight.any():
                at = sum(masses[body] * centres[:, names.index(body)] for body in bodies) / mass
                yield Load(f"weight of {name}", FORCES, weight, np.zeros_like(weight), at)
    for effort, name, wrench in source.actions(run):
        if name not in names or isinstance(effort, Carried):  # what closes a loop is a reaction
            continue
        if name in inner and isinstance(effort, Piece | Elasticity):
            continue
        if not (FORCES in layers or any(effort is own for own in chosen)):
            continue
        f, m_0 = wrench[:, 0], wrench[:, 1]
        near = known_point(run, effort, name)
        r = centres[:, names.index(name)] if near is None else near
        yield Load(f"{type(effort).__name__} on {name}", FORCES, f, *on_its_line(f, m_0, r))


# -- what joints bear -------------------------------------------------------------------------------------------------


def _reactions(run: Any, layers: set[str], chosen: Sequence[Any]) -> Iterator[Load]:
    """What each joint gives to the bodies beyond it, and each joint that closes a loop to its second frame."""
    source = run.source
    m = source.mechanism
    loops = joints_of_loops(m)
    if not (REACTIONS in layers or any(each is loop for each in chosen for loop in loops)):
        return
    for loop in loops:
        reaction = run.reaction(loop, minimum_norm=True)  # what a motion in a plane does not tell is left out
        body, local = loop.second
        if REACTIONS in layers or any(each is loop for each in chosen):
            yield Load(loop.name, REACTIONS, reaction.force, reaction.moment, placed(run, body, local.e))
    if REACTIONS not in layers:
        return
    names = [body.name for body in m.bodies]
    needs = source.balances(run)
    for line in bent.lines(m):
        for end in (0, -1) if line.made else ():
            if bent.clamped(line, end):
                F, M, G = (needs[:, names.index(line.nodes[end].name), k] for k in range(3))
                yield Load(f"clamp of {line.name}", REACTIONS, F, M, G)
    q, qd = motion.at_start(run, run.q, run.qd, run.held)
    for node, last, free in joints(chains(m.bodies)):
        beyond = [names.index(body.name) for own in walk(node) for body, _ in own.bodies]
        if not beyond:
            continue
        F, M, G = (needs[:, beyond, k] for k in range(3))
        f, m_0 = F.sum(axis=1), (M + np.cross(G, F)).sum(axis=1)
        if free:  # nothing guides it: what is left comes from contacts
            if np.abs(f).max() > ROUNDING * _inertia(run, m.bodies, beyond, G):
                yield Load(f"contact of {m.bodies[beyond[0]].name}", REACTIONS, f, *on_its_line(f, m_0, G[:, 0]))
        else:
            P = motion.frames_at(source.system, [last.T], run.t, q, qd)[:, 0, :3, 3]
            yield Load(f"joint {label(last, node)}", REACTIONS, f, m_0 - np.cross(P, f), P)


def _inertia(run: Any, bodies: Sequence[Any], which: Sequence[int], G: np.ndarray) -> float:
    """A force (N) that would move bodies as they move, or that keeps them where they are in a field."""
    mass = sum(float(np.max(run.of([bodies[k].mass]))) for k in which)
    duration = max(float(run.t[-1] - run.t[0]), 1e-300)
    field = float(np.linalg.norm(run.of(list(run.source.mechanism.gravity)), axis=-1).max())
    return mass * (float(np.ptp(G, axis=0).max()) / duration**2 + field)


def _turning(thin: float, radius: float) -> Solid:
    """A moment: an arrow with two heads along z from 0 to 1, and about it a ring that turns by the right hand."""
    second = solids.frustum(2.6 * thin, 0.0, 0.22, 12).placed(tdisp(0, 0, 0.67).matrix)
    end, count = 1.6 * np.pi, 20
    piece = solids.box(0.7 * thin, 1.05 * radius * end / count, 0.04).placed(tdisp(radius, 0, 0.5).matrix)
    pieces = [piece.placed(trotz((k + 0.5) * end / count).matrix) for k in range(count)]
    head = trotz(end) * tdisp(radius, 2.5 * thin, 0.5) * trotx(-np.pi / 2)
    return solids.joined(
        [arrow(thin), second, *pieces, solids.frustum(1.8 * thin, 0.0, 5 * thin, 12).placed(head.matrix)]
    )
