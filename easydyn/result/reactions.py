"""Reactions between bodies: the force and the moment across a cut, along a run.

A model declares no joints, so it does not say what a bearing transmits. But the motion tells which force and moment
each body needs in addition to the efforts of the model (the brackets of eq. 6),

    F_i = m_i a_i - R_i,    M_i = Phi_i alpha_i + omega_i x Phi_i omega_i - MG_i,

and these come through the cuts that separate the body from others. Where one cut divides the mechanism in two, the cut
transmits what the bodies beyond it need, reduced at a point P (`reaction`):

    F = sum_i F_i,    M = sum_i M_i + (G_i - P) x F_i.

In closed loops the cuts share the load: their components are the unknowns of the balances of all bodies (`reactions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sympy import sympify

from easydyn.arguments import Attributes, answers
from easydyn.errors import InputError, ModelError
from easydyn.inputs import a, expect, finite, flag, is_listed, name_in
from easydyn.mechanics.equations import Equations
from easydyn.mechanics.mechanism import Body, ground
from easydyn.mechanics.symbols import Multiplier
from easydyn.vec import ZERO, Inertia, vector
from easydyn.vec.scalars import is_number

COMPONENTS = ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
RANK = 1e-8  # of velocities scaled to 1: less is rounding
SINGULAR = 1e-9  # of the largest singular value of the balances: less is none
DETERMINED = 1e-6  # share of a component that the balances leave open
UNBALANCED = 1e-2  # of the largest effort along the run: accelerations between two steps are interpolated
BLOCK = 2000  # instants that are solved for at once


class Reaction(NamedTuple):
    """What the reference exerts on the body, by the balances of the bodies beyond the cut (eq. 6).

    Attributes
    ----------
    force : array (N, 3)
        In N.
    moment : array (N, 3)
        In N m, about the point of reduction.

    Example
    -------
    >>> from easydyn import examples
    >>> pendulum = examples.double_pendulum()
    >>> reaction = pendulum.simulate(0.1).reaction("upper arm", "ground")
    >>> reaction.force.shape == reaction.moment.shape
    True
    """

    force: np.ndarray
    moment: np.ndarray


Reaction.__getattr__ = Attributes.__getattr__  # type: ignore[attr-defined]


@answers
@dataclass(frozen=True)
class Cut:
    """A cut between a body and the reference to which it is joined, and what it can transmit.

    The balance of each body (the brackets of eq. 6) then gives the forces in the joints: `run.reactions`.

    Parameters
    ----------
    body, reference : Body or str
        `ground` is a reference too.
    transmits : str
        The components that are transmitted, of Fx, Fy, Fz, Mx, My, Mz in the axes of `frame`: "Fx Fy" is a pin in the
        plane, "Fx Fy Fz Mx My" a hinge about z.
    at : 3 scalars (m), optional
        A point of the joint, where the moment is zero if none is transmitted: in the axes of `body`, from its frame's
        origin (the origin if left out); numbers or expressions of the model.
    frame : Body or str, optional
        The body in whose axes the components are meant; the ground if left out.

    Raises
    ------
    InputError
        When `transmits` is not a list of components.

    Example
    -------
    >>> Cut("slider", "ground", "Fy Mz").components
    ('Fy', 'Mz')
    """

    body: Any
    reference: Any
    transmits: str
    at: Any = (0, 0, 0)
    frame: Any = ground

    def __post_init__(self) -> None:
        given = self.transmits.split() if isinstance(self.transmits, str) else []
        if not given or len(set(given)) < len(given) or not set(given) <= set(COMPONENTS):
            raise InputError(
                f"a Cut transmits {self.transmits!r}: expected different components of {', '.join(COMPONENTS)}, such "
                'as "Fx Fy" for a pin in the plane.'
            )
        for c in vector(self.at, "`at` of a Cut"):
            if is_number(c):
                finite(c, "a component of `at` of a Cut")

    @property
    def components(self) -> tuple[str, ...]:
        """The components that are transmitted."""
        return tuple(self.transmits.split())

    @property
    def title(self) -> str:
        """The cut in words, such as 'rod' from 'crank'."""
        return f"'{getattr(self.body, 'name', self.body)}' from '{getattr(self.reference, 'name', self.reference)}'"


class Balances:
    """The loads that all bodies need along a run, and those of the efforts, in ground components."""

    def __init__(self, run: Any, source: Any):
        self.run, self.source = run, source
        self.names = [body.name for body in source.mechanism.bodies]
        needs = source.balances(run)
        self.F, self.M, self.G = needs[:, :, 0], needs[:, :, 1], needs[:, :, 2]

    def name(self, given: Any, what: str) -> str:
        """The name of a body, or "ground"."""
        message = f"{what} is {{!r}}, and there is no body of that name: expected one of {{}}."
        return name_in(getattr(given, "name", given), (*self.names, "ground"), message)

    def axes(self, name: str) -> np.ndarray:
        """Rotation from the axes of a body to those of the ground, (N, 3, 3)."""
        if name == "ground":
            return np.broadcast_to(np.eye(3), (len(self.run), 3, 3))
        return self.run.frames(name)[:, :3, :3]

    def exerted(self, P: np.ndarray, by: str, on: Sequence[str], body: str) -> Reaction:
        """What the efforts between a body and others exert on the others: the opposite of their load on the body.

        Joints that close loops elsewhere are other ways from one to the others: only one on `body` itself counts.
        """
        force, moment = np.zeros_like(P), np.zeros_like(P)
        actions = self.source.actions(self.run)
        joints = [e for e in self.source.mechanism.efforts if any(isinstance(p, Multiplier) for p in e.states)]
        elsewhere = {id(e) for e in joints if body not in [b.name for b in e.bodies]}
        sides = {id(e): {x for f, x, _ in actions if f is e} for e, y, _ in actions if y in on}
        for effort, name, wrench in actions:
            names = set() if id(effort) in elsewhere else sides.get(id(effort), set())
            sign = -1 if names <= {by, *on} else 1  # to a third body, as a rope, too: seen on the others
            if by in names and (name == by if sign < 0 else name in on):
                f, m = sign * wrench.swapaxes(0, 1)
                force, moment = force + f, moment + m - np.cross(P, f)
        return Reaction(force, moment)


def placed(run: Any, body: Any, at: Any) -> np.ndarray:
    """Ground positions (N, 3) of a point `at` in the axes of a body, given by name or itself, or of the ground."""
    point: Any = vector(at, "the point `at` of a reaction")
    numbers = np.array(point, dtype=float) if all(is_number(c) for c in point) else run.of(list(point))
    numbers = np.broadcast_to(numbers, (len(run), 3))
    name = getattr(body, "name", body)
    if name == "ground":
        return np.asarray(numbers)
    T = run.frames(name)
    return np.asarray(T[:, :3, 3] + np.einsum("nij,nj->ni", T[:, :3, :3], numbers))


def reaction(
    run: Any, body: Any, reference: Any = None, *, at: Any = (0, 0, 0), frame: Any = "ground", carrying: Any = None,
    efforts: bool = True, minimum_norm: bool = False,
) -> Reaction:  # fmt: skip
    """Force and moment that `reference` exerts on `body`, and on all that it carries, along the run.

    The force is the sum of m a - R over the bodies beyond the cut, and the moment is the sum of their moments
    (docs/reactions.md). For a closure, the result is what its first frame exerts on the second, about the origin of
    the second. Components that rigid bodies do not determine are nan.

    Parameters
    ----------
    body, reference : Body or str
        The two bodies between which the cut goes; the ground counts as a body. For a closure, give one argument
        only: what `model.close` returned, or its name.
    at : 3 scalars (m), optional
        Point about which the moment is taken, in the axes of `body` from its frame's origin (the origin if left
        out): numbers or expressions of the model.
    frame : Body or str, optional
        The body in whose axes the components are given; the ground if left out.
    carrying : list of Body or str, optional
        The bodies beyond the cut, `body` among them; found from the motion if left out.
    efforts : bool
        True: the total load, with the efforts of the model (motors, springs) that act between `reference` and the
        bodies beyond the cut. False: the load of the bearing alone.
    minimum_norm : bool
        For a closure: where the motion does not determine the load, return the smallest load with the same effect.

    Returns
    -------
    Reaction
        `force` (N, 3) in N, `moment` (N, 3) in N m.

    Raises
    ------
    InputError, UnknownNameError
        What is no body of the model, or two that are the same.
    ModelError
        When the motion does not say which bodies are beyond the cut.

    Example
    -------
    >>> from easydyn import examples
    >>> run = examples.double_pendulum().simulate(1, save_every=0.5)
    >>> force, moment = run.reaction("upper arm", "ground", at=(0, 0.6, 0))
    >>> force.round(2)[0]
    array([ 0.52, 14.07,  0.  ])
    >>> bool(abs(moment).max() < 1e-4)  # a hinge without friction, within the accuracy of the run
    True
    """
    source = run._source("run.reaction")
    if reference is None and isinstance(body, str):
        body = next((c for c in source.mechanism.constraints if c.name == body), body)
    if hasattr(body, "labels"):
        return closure_reaction(run, source, body, frame=frame, minimum_norm=minimum_norm)
    flag(efforts, "efforts")
    found = Balances(run, source)
    body, reference = found.name(body, "the body of a reaction"), found.name(reference, "the reference of a reaction")
    axes = found.axes(found.name(frame, "the frame of a reaction"))
    P = placed(run, body, at)
    if body == reference:
        raise InputError(f"the body and the reference of a reaction are both '{body}': expected two bodies.")
    if carrying is None:
        beyond = RelativeMotion(run, source).beyond(body, reference)
    else:
        beyond = _listed(found, body, reference, carrying)
    if not efforts:
        _no_generalized_forces(run, source, body, reference, beyond)
    near, sign = body, 1.0
    if "ground" in beyond:  # the balance of the ground is not known: that of the other side is, and is the opposite
        beyond = [name for name in found.names if name not in beyond]
        near, reference, sign = reference, body, -1.0
    at_i = [found.names.index(name) for name in beyond]
    F = found.F[:, at_i]
    force = F.sum(axis=1)
    moment = (found.M[:, at_i] + np.cross(found.G[:, at_i] - P[:, None], F)).sum(axis=1)
    if efforts:
        force, moment = (u + v for u, v in zip((force, moment), found.exerted(P, reference, beyond, near), strict=True))
    return Reaction(*(sign * np.einsum("nij,ni->nj", axes, u) for u in (force, moment)))


def multipliers(run: Any, constraint: Any, *, minimum_norm: bool = False) -> np.ndarray:
    """Lagrange multipliers of a `constraint` (or of its name) along a run (N, rows): one for each of `labels`.

    The units are N for forces and N m for moments. Values that the motion does not determine are nan;
    `minimum_norm` asks for the smallest values with the same effect instead. Raises UnknownNameError when the model
    has no such constraint.
    """
    least = flag(minimum_norm, "minimum_norm")
    return np.asarray(run._source("run.multipliers").loads(run, constraint, minimum_norm=least)[0])


def closure_reaction(run: Any, source: Any, closure: Any, *, frame: Any, minimum_norm: bool) -> Reaction:
    """The load that a closure transmits from its first frame to its second."""
    if not getattr(closure, "joined", False):
        raise InputError(
            f"{closure!r} joins no two frames, so that it has no reaction: run.multipliers(...) is its generalised "
            "force."
        )
    _, wrench = source.loads(run, closure, minimum_norm=flag(minimum_norm, "minimum_norm"))
    if str(getattr(frame, "name", frame)) == "ground":
        return Reaction(wrench[:, :3], wrench[:, 3:])
    found = Balances(run, source)
    axes = found.axes(found.name(frame, "the frame of a reaction"))
    return Reaction(*(np.einsum("nij,ni->nj", axes, u) for u in (wrench[:, :3], wrench[:, 3:])))


def power(run: Any, source: Any, constraint: Any) -> np.ndarray:
    """The power of a constraint along a run (N,); documented at `Trajectory.power`."""
    if constraint.joined and hasattr(constraint, "second"):  # two frames: from one to the other
        load = np.hstack(closure_reaction(run, source, constraint, frame="ground", minimum_norm=False))
        body, local = constraint.second[:2]
        end = Body("end", body.T * local, 0, Inertia(ZERO, ZERO, ZERO))
        rates = np.hstack([run.of(end.v), run.of(end.omega)])
    else:
        still = {q.dot: 0 for q in source.mechanism.coordinates}
        rows, load = constraint.rows(Equations(source.mechanism)), -run.multipliers(constraint)
        rates = np.column_stack([run.of(sympify(row.rate).xreplace(still)) for row in rows])
    return np.asarray(np.where(rates == 0, 0, load * rates).sum(axis=1))


def _listed(found: Balances, body: str, reference: str, carrying: Any) -> list[str]:
    """The bodies beyond the cut, as the user names them."""
    expect(is_listed(carrying), "carrying", carrying, f"a list of bodies, '{body}' and those that it carries")
    names = list(dict.fromkeys(found.name(b, "a body of `carrying`") for b in carrying))
    if body not in names or reference in names or "ground" in names:
        raise InputError(
            f"carrying is {names}: expected '{body}' and the bodies that it carries, without '{reference}' and without "
            "the ground."
        )
    return names


def _no_generalized_forces(run: Any, source: Any, body: str, reference: str, beyond: Sequence[str]) -> None:
    """ModelError when a generalised force is not one between bodies of the same side of the cut."""
    acting = {str(q): effort for effort in source.mechanism.efforts for q in effort.coordinates}
    if not acting:
        return
    motion = RelativeMotion(run, source)
    rest = [name for name in motion.names if name not in beyond]
    for name, effort in acting.items():
        if not motion.within(name, beyond, body) and not motion.within(name, rest, reference):
            raise ModelError(
                f"{effort} names no body, so what passes between '{body}' and '{reference}' beside it is not known. "
                "Write it as a Force or Moment with reaction=, or leave efforts=False out."
            )


class RelativeMotion:
    """The ways in which bodies move relative to each other, found from their velocities at some states.

    The velocities of body a as seen from body b are J qd. The rows of J at several states span the ways in which the
    two move, as combinations of the rates; the rate of time, 1, is the last one and belongs to driven frames.
    """

    def __init__(self, run: Any, source: Any):
        generator = np.random.default_rng(1)
        n, bodies = len(run.names), len(source.mechanism.bodies)
        samples = n // 3 + 3  # with three rows at least each, so that a long chain shows all its ways
        at = np.linspace(0, len(run) - 1, samples).round().astype(int)
        q = np.concatenate([run.q[at] + generator.uniform(-0.3, 0.3, (samples, n)), run.q[at]])
        t = np.tile(run.t[at], 2)
        rates = np.concatenate([np.diag(1.0 - run.first_order), np.zeros((1, n))])
        states = np.tile(np.where(run.first_order, run.qd[at], 0.0), (2, 1))
        qd = rates + states[:, None]  # one rate at a time, then none: what time does, and states do, alone
        motion = np.zeros((len(q), n + 1, bodies + 1, 3, 3))  # G, vG, omega; the ground is the last body
        motion[:, :, :-1] = source.motions(
            np.repeat(t, n + 1), np.repeat(q, n + 1, axis=0), qd.reshape(-1, n)
        ).reshape(len(q), n + 1, bodies, 3, 3)
        motion[:, :-1, :, 1:] -= motion[:, -1:, :, 1:]
        for name, driven in source.drives(t, q, states).items():  # each state by itself, then time
            motion[:, list(run.names).index(name) if name else -1, :-1, 1:] = driven
        motion = motion[np.isfinite(motion).all(axis=(1, 2, 3, 4))][:samples]
        self._G, velocities = motion[:, 0, :, 0], np.moveaxis(motion[..., 1:, :], 1, -1)  # (samples, bodies, 2, 3, n+1)
        self._length = float(np.abs(self._G - self._G[:, :1]).max(initial=0)) or 1.0
        velocities[:, :, 0] /= self._length
        largest = np.abs(velocities).max(axis=(0, 1, 2, 3), initial=0)
        self._v, self._w = np.moveaxis(velocities / np.where(largest > 0, largest, 1), 2, 0)
        self.names = [body.name for body in source.mechanism.bodies] + ["ground"]
        self._unknowns = list(run.names)

    def ways(self, a: str, b: str) -> np.ndarray:
        """Velocities of body a as seen from body b, by the rates: (rows, n + 1)."""
        i, j = self.names.index(a), self.names.index(b)
        arm = (self._G[:, i] - self._G[:, j]) / self._length
        v = self._v[:, i] - self._v[:, j] - np.cross(self._w[:, j], arm[:, :, None], axis=1)
        return np.concatenate([v, self._w[:, i] - self._w[:, j]]).reshape(-1, v.shape[-1])

    def coordinates(self, a: str, b: str) -> np.ndarray:
        """The coordinates (and time) that move body a as seen from body b, one a row: (rows, n + 1)."""
        moved = np.abs(self.ways(a, b)).max(axis=0, initial=0) > RANK
        return np.eye(len(moved))[moved]

    def within(self, coordinate: str, bodies: Sequence[str], end: str) -> bool:
        """True when a coordinate is one of the ways in which some bodies move relative to each other."""
        ways = [self.ways(name, end) for name in bodies]
        alone = np.eye(len(self._unknowns) + 1)[[self._unknowns.index(coordinate)]]
        return _rank(*ways, alone) == _rank(*ways)

    def beyond(self, body: str, reference: str) -> list[str]:
        """The bodies on the body's side of the cut, found from the coordinates, or from combinations of their rates.

        (The coordinates suffice for angles measured from the previous body; angles from the ground need the
        combinations.)
        """
        if not len(self.coordinates(body, reference)):
            raise ModelError(
                f"'{body}' does not move relative to '{reference}', so the motion does not say which bodies are beyond "
                f"the cut: name '{body}' and those that it carries with carrying=[...]."
            )
        far, unclear = self._sides(body, reference, self.coordinates)
        if unclear:
            far, still = self._sides(body, reference, self.ways)
            if still:
                raise ModelError(
                    f"it is not clear on which side of the cut between '{body}' and '{reference}' '{unclear[0]}' is: "
                    f"it lies between them, or in a loop with them. Name '{body}' and those that it carries with "
                    "carrying=[...]; in a closed loop take run.reactions, with a Cut for each joint."
                )
        return far

    def _sides(
        self, body: str, reference: str, S: Callable[[str, str], np.ndarray]
    ) -> tuple[list[str], list[str]]:  # fmt: skip
        """The bodies on the body's side, and those of which it is not clear.

        A body is beyond the cut if the ways of the cut are among those in which it moves relative to the reference, but
        not among those in which it moves relative to the body. And the cut parts the mechanism if any two bodies a, b
        on its two sides move by S(a, body), the ways of the cut, and S(reference, b): nothing else joins them.
        """
        cut = S(body, reference)
        near: list[str] = []
        far: list[str] = []
        unclear: list[str] = []
        for name in self.names:
            from_reference, from_body = (_rank(cut, S(name, end)) == _rank(S(name, end)) for end in (reference, body))
            (unclear if from_reference == from_body else far if from_reference else near).append(name)
        unclear += [b for b in near if any(_rank(S(a, body), cut, S(reference, b)) > _rank(S(a, b)) for a in far)]
        return far, unclear


def _rank(*rows: np.ndarray) -> int:
    return int(np.linalg.matrix_rank(np.concatenate(rows), tol=RANK))


# -- several cuts at once ---------------------------------------------------------------------------------------------


class _Placed(NamedTuple):
    """A cut along a run: names, columns of the unknowns, point (N, 3), axes (N, 3, 3)."""

    cut: Cut
    body: str
    reference: str
    columns: range
    P: np.ndarray
    axes: np.ndarray


def reactions(run: Any, *cuts: Any, efforts: bool = True) -> list[Reaction]:
    """Forces and moments that several cuts transmit, also in closed loops, from the balances of the bodies.

    Parameters
    ----------
    *cuts : Cut
        One for each joint of the bodies in question, with the components that it can transmit. The balance of the
        first body of each cut is used, so give all joints of this body.
    efforts : bool
        As in `reaction`.

    Returns
    -------
    list of Reaction
        What the reference exerts on the body, in the order of the cuts: `force` (N, 3) and `moment` (N, 3) about
        the point of each cut, in the axes of its frame.

    Raises
    ------
    ModelError
        When the balances do not determine some component, or cannot be met.

    Example
    -------
    >>> from easydyn import Cut, examples
    >>> run = examples.slider_crank().simulate(1, save_every=0.5)
    >>> crank_pin = Cut("rod", "crank", "Fx Fy", at=(-1, 0, 0))
    >>> slider_pin, guide = Cut("slider", "rod", "Fx Fy"), Cut("slider", "ground", "Fy Mz")
    >>> loads = run.reactions(crank_pin, slider_pin, guide)
    >>> loads[2].force.round(2)[0]  # the normal force of the guide
    array([ 0.  , 61.54,  0.  ])
    """
    source = run._source("run.reactions")
    flag(efforts, "efforts")
    found = Balances(run, source)
    placed = list(_placed(found, cuts))
    bodies = list(dict.fromkeys(c.body for c in placed))
    x = _solved(found, placed, bodies)
    results = []
    for c in placed:
        wrench = np.zeros((len(run), 6))
        wrench[:, [COMPONENTS.index(name) for name in c.cut.components]] = x[:, c.columns]
        force, moment = wrench[:, :3], wrench[:, 3:]
        if efforts:
            more = found.exerted(c.P, c.reference, [c.body], c.body)
            force, moment = (u + np.einsum("nij,ni->nj", c.axes, m) for u, m in zip((force, moment), more, strict=True))
        results.append(Reaction(force, moment))
    return results


def _placed(found: Balances, cuts: Sequence[Any]) -> Iterator[_Placed]:
    if not cuts:
        raise InputError('run.reactions got no cut: expected one for each joint, such as Cut("rod", "crank", "Fx Fy").')
    start = 0
    for cut in cuts:
        a(Cut, cut, "a cut of run.reactions", 'a Cut, such as Cut("rod", "crank", "Fx Fy")')
        body, reference = found.name(cut.body, "the body of a Cut"), found.name(cut.reference, "the reference of a Cut")
        if body == "ground" or body == reference:
            raise InputError(f"a Cut separates {cut.title}: expected a body, and another one or the ground.")
        columns = range(start, start := start + len(cut.components))
        axes = found.axes(found.name(cut.frame, "the frame of a Cut"))
        yield _Placed(cut, body, reference, columns, placed(found.run, body, cut.at), axes)


def _solved(found: Balances, cuts: list[_Placed], bodies: list[str]) -> np.ndarray:
    """The components of all cuts, (N, number of components), from the balances of `bodies`."""
    rows = {name: slice(6 * i, 6 * i + 6) for i, name in enumerate(bodies)}
    at = [found.names.index(name) for name in bodies]
    labels = [f"{name} of the cut of {c.cut.title}" for c in cuts for name in c.cut.components]
    arms = [c.P - found.G[:, found.names.index(c.body)] for c in cuts]
    length = max((float(np.abs(arm).max()) for arm in arms), default=0.0) or 1.0  # makes moments comparable with forces
    needs = np.concatenate([found.F[:, at], found.M[:, at] / length], axis=2).reshape(len(found.run), -1)
    A = np.zeros((*needs.shape, len(labels)))
    for c in cuts:
        for column, name in zip(c.columns, c.cut.components, strict=True):
            u = c.axes[:, :, "xyz".index(name[1])]
            for end, sign in ((c.body, 1.0), (c.reference, -1.0)):
                if end in rows:
                    G = found.G[:, found.names.index(end)]
                    moment = np.cross(c.P - G, u) / length if name[0] == "F" else u
                    force = u if name[0] == "F" else np.zeros_like(u)
                    A[:, rows[end], column] += sign * np.concatenate([force, moment], axis=1)
    x = np.empty((len(needs), len(labels)))
    for start in range(0, len(needs), BLOCK):
        part = slice(start, start + BLOCK)
        inverse = np.linalg.pinv(A[part], rcond=SINGULAR)
        x[part] = np.einsum("nij,nj->ni", inverse, needs[part])
        left_open = np.abs(np.eye(len(labels)) - inverse @ A[part]).max(axis=2) > DETERMINED
        if left_open.any():
            i = int(np.argmax(left_open.any(axis=1)))
            raise ModelError(
                f"the balances of {', '.join(bodies)} do not determine {', '.join(np.array(labels)[left_open[i]])} (at "
                f"t = {found.run.t[start + i]:g} s): they share a load in a way that rigid bodies do not tell. Let the "
                "cuts transmit fewer components."
            )
    _balanced(found, bodies, np.einsum("nij,nj->ni", A, x) - needs, needs)
    x[:, [label.startswith("M") for label in labels]] *= length
    return x


def _balanced(found: Balances, bodies: list[str], missing: np.ndarray, needs: np.ndarray) -> None:
    """ModelError when the cuts cannot give what the bodies need."""
    instant, row = np.unravel_index(int(np.argmax(np.abs(missing))), missing.shape)
    if abs(missing[instant, row]) > UNBALANCED * np.abs(needs).max():
        body, component = bodies[row // 6], COMPONENTS[row % 6]
        raise ModelError(
            f"the cuts cannot give '{body}' what it needs: {component} in ground axes at t = {found.run.t[instant]:g} "
            "s, among others. Let them transmit more, add the joint that is missing, or write a GeneralizedForce as a "
            "Force or Moment with reaction=."
        )
