"""Search for coordinates with closed forms: from the equations of the loops, one unknown after the other.

An equation with one unknown gives this unknown. It is then known, and other equations have one unknown less. If no
equation has a single unknown, one unknown is carried along (by multipliers, and Newton's iteration after each step), as
if it were known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import add, mul, neg, sub, truediv
from typing import Any

import numpy as np

from easydyn.constraints.angle import Angle, Parallel, Towards
from easydyn.constraints.assembly import Constraints, free_directions
from easydyn.constraints.chain import Chain, placed_once
from easydyn.constraints.closure import Closure
from easydyn.constraints.equation import Equation
from easydyn.constraints.forms import Form, Kind, ReadEquation
from easydyn.constraints.polynomial import Length, Linear
from easydyn.engine.graph import BINARY, UNARY, reachable
from easydyn.mechanics.symbols import Coordinate

SAME = 1e-7  # rad, or m beside the size: a solution is the configuration that is there
LEAST = 1e-3  # of a margin: nearer to two solutions that meet none is chosen
KEPT = 1e-9  # rad: by which a difference of angles may change, and is constant
WALKS, STEPS = 3, 4  # along which that is looked at
PLACES = 6  # anywhere, at which equations of lengths and angles hold by themselves, if they do
ENTIRE = frozenset({"input", "add", "sub", "mul", "neg", "sin", "cos"})  # operations of formulas without corners
WORK = UNARY | BINARY | {"add": add, "sub": sub, "mul": mul, "div": truediv, "neg": neg}  # of nodes, on floats
KINDS: tuple[type[Kind], ...] = (Linear, Towards, Length, Angle)


@dataclass(frozen=True)
class Forms:
    """The closed forms that were found.

    Attributes
    ----------
    forms : tuple of Form
        The forms in the order of computation.
    carried : tuple of Coordinate
        Dependent coordinates without a closed form.
    branches : dict
        Signs by the names of their parameters.
    watched : bool
        True where equations that hold here need not hold elsewhere, so that each step looks at them: they are not
        analytic, or depend on each other.
    """

    forms: tuple[Form, ...]
    carried: tuple[Coordinate, ...]
    branches: dict[str, float]
    watched: bool = False


class Search:
    """The search at a closed configuration.

    Parameters
    ----------
    at : Constraints
        In numbers.
    q : array (n,)
        The configuration.
    independent : sequence of str
        Coordinates that are known.
    """

    def __init__(self, at: Constraints, q: np.ndarray, independent: Sequence[str]):
        self.at, self.q, self.d, self.size = at, q, at.system.derivation, at.size(q)
        p = [at.system.parameters[str(p)] for p in at.mechanism.parameters]
        given = {"t": [at.t], "q": q.tolist(), "p": p, "u": at.system.held}
        # numbers at the configuration: of inputs, and of the nodes that have been worked out
        self._known: dict[Any, Any] = {(slot, k): x for slot, xs in given.items() for k, x in enumerate(xs)}
        self.coordinates = list(at.mechanism.coordinates)
        self.by = {c: frozenset([c]) for c in self.coordinates if str(c) in independent}

    @property
    def unknown(self) -> list[Coordinate]:
        """Coordinates that do not follow yet."""
        return [c for c in self.coordinates if c not in self.by]

    def _equations(self) -> Iterator[ReadEquation]:
        place = {node.index: c for c, node in zip(self.coordinates, self.d.q, strict=False)}
        wanted, at = set(self.unknown), self.at
        for constraint in at.mechanism.constraints:
            if isinstance(constraint, Closure):
                chain = Chain(constraint)
                if not wanted & set[Any]().union(*chain.coordinates):
                    continue
                placed = placed_once(constraint, self.d.value)
                axes = [n for n in chain.axes if self._numbers([self.d.graph.node(placed.along(n))])[0] > 0]
                for read in chain.reads(wanted, axes):
                    node = self.d.graph.node(placed.equation(read))
                    nodes = {x.index for x in reachable([node])}
                    inside = frozenset(place[k] for k in nodes if k in place)
                    if inside & wanted:
                        turns = frozenset(
                            k for k, a in placed.angles.items()
                            if nodes & {self.d.graph.call(name, self._plain(a)).index for name in ("sin", "cos")}
                        )  # fmt: skip
                        yield ReadEquation(constraint, chain, read, inside, turns)
            elif not constraint.of_rates:
                yield ReadEquation(constraint, None, None, frozenset(constraint.coordinates))

    def _numbers(self, nodes: Sequence[Any]) -> np.ndarray:
        """The values of nodes at the configuration; each is worked out once, without a program."""
        known = self._known
        try:
            for x in (x for x in reachable(nodes) if x not in known):
                own = x.value if x.op != "input" else known[x.value]
                known[x] = WORK[x.op](*[known[a] for a in x.args]) if x.args else own
            return np.array([known[x] for x in nodes], dtype=float)
        except (KeyError, ValueError, ZeroDivisionError, OverflowError):  # as a program has it
            return self.at.numbers(tuple(nodes), self.q)

    def _plain(self, angle: Any) -> Any:
        """The node of an angle without its sign, as sines and cosines have it."""
        node = self.d.graph.node(angle)
        return node.args[0] if node.op == "neg" else node

    def found(self) -> Forms:
        """All closed forms."""
        forms: list[Form] = []
        branches: dict[str, float] = {}
        carried: list[Coordinate] = []
        equations = list(self._equations())
        for follower in self.parallel():
            if follower.other is None or follower.other in self.by:
                forms.append(follower)
                self.by[follower.coordinate] = follower.by
        while self.unknown:
            if not (solved := self._round(equations)):
                carried.append(self.unknown[0])
                self.by[carried[-1]] = frozenset(carried[-1:])
            forms += [form for form, _ in solved]
            branches |= {str(form.branch): sign for form, sign in solved if form.branch is not None}
            self.by |= {form.coordinate: form.by for form, _ in solved}
        rows = self.at.system.program("constraint_values").outputs
        return Forms(tuple(forms), tuple(carried), branches, not all(map(_entire, reachable(rows))))

    def parallel(self) -> list[Parallel]:
        """Angles that keep their difference from a known one, or stay constant, along all motions.

        The known angles are the independent ones, and those that time prescribes.
        """
        walk = self._walk()
        found = [] if walk is None else list(self._candidates(walk))
        if walk is None or not found or self._entire_rows[self.at.undriven.of_place].all():
            return found  # of an analytic motion: what holds along a part of it holds along all of it
        while True:
            proved = self._determined(found, walk[-1])
            if len(proved) in (0, len(found)):
                return proved
            found = proved

    def _determined(self, found: list[Parallel], q: np.ndarray) -> list[Parallel]:
        """Those of some candidates that follow from equations which the candidates fulfil wherever the others are.

        Such equations are polynomials in lengths, sines and cosines. They vanish everywhere if they do at a few places
        by chance, far from each other; and where they determine the candidates, at a closed configuration q (n,), there
        is no other solution.
        """
        at, place = self.at.undriven, self.coordinates.index
        columns, generator = np.where(at.angles, 1.0, self.size), np.random.default_rng(5)
        anywhere = q + columns * generator.uniform(-np.pi, np.pi, (PLACES, at.n))
        there = anywhere.copy()
        for x in found:
            there[:, place(x.coordinate)] = x.offset + (x.slope * anywhere[:, place(x.other)] if x.other else 0.0)
        open_, closed = (np.abs([at.values(x) for x in places]).max(axis=0) for places in (anywhere, there))
        rows = at.of_place & self._entire_rows & (closed <= SAME * open_)
        Z = free_directions(at.scaled(at.jacobian(q)[rows], self.size)[:, [place(x.coordinate) for x in found]], 1e-8)
        return [x for x, moves in zip(found, Z, strict=True) if np.abs(moves).max(initial=0) < 1e-6]

    @cached_property
    def _entire_rows(self) -> np.ndarray:
        """True for each row (m,) that consists of polynomials, sines and cosines."""
        nodes = self.at.undriven.system.program("constraint_values").outputs
        return np.array([all(map(_entire, reachable([node]))) for node in nodes], dtype=bool)

    def _candidates(self, walk: np.ndarray, kept: float = KEPT) -> Iterator[Parallel]:
        """Angles that do so at the configurations (some, n) of a walk."""
        change, angles = walk - self.q, self.at.angles
        dependent = self.at.undriven.dependent(self.q, [str(c) for c in self.by])
        known = [k for k, c in enumerate(self.coordinates) if angles[k] and (c in self.by or k not in dependent)]
        for j in (self.coordinates.index(c) for c in self.unknown):
            if not angles[j] or j in known:
                continue
            if np.abs(change[:, j]).max() < kept:
                yield Parallel(self.coordinates[j], offset=_snapped(self.q[j]))
                continue
            pairs = ((k, slope) for k in known for slope in (1.0, -1.0))
            for k, slope in pairs:
                if np.abs(change[:, j] - slope * change[:, k]).max() < kept:
                    other, offset = self.coordinates[k], _snapped(self.q[j] - slope * self.q[k])
                    by = self.by.get(other, frozenset())
                    yield Parallel(self.coordinates[j], by=by, other=other, slope=slope, offset=offset)
                    break

    def _walk(self) -> np.ndarray | None:
        """Configurations (some, n) beside this one, along motions that the loops allow.

        What time prescribes moves, too. None where it sticks, or where rates show that there are no candidates.
        """
        found, at, generator = list[np.ndarray](), self.at.undriven, np.random.default_rng(4)
        columns = np.where(at.angles, 1.0, self.size)
        for _ in range(WALKS):
            q, ahead = self.q, None
            for _ in range(STEPS):
                J = at.scaled(at.jacobian(q)[at.of_place], self.size)
                free = free_directions(J, 1e-8)
                if not free.shape[1]:
                    return None
                ahead = free @ generator.uniform(-1, 1, free.shape[1]) if ahead is None else free @ (free.T @ ahead)
                beside = q + columns * ahead * (0.15 / max(float(np.abs(ahead).max()), 1e-300))
                regular = at.n - free.shape[1] == np.count_nonzero(np.abs(J).max(axis=1) > 1e-8)
                if not found and regular and next(self._candidates(beside[None], SAME), None) is None:
                    return None
                near = at.newton(beside, np.ones(at.n, dtype=bool), self.size)
                if near is None or not np.all(np.abs((near - q) / columns) < 0.5):
                    break
                q = near
                found.append(q)
        return np.array(found) if len(found) >= STEPS else None

    def _round(self, every: list[ReadEquation]) -> list[tuple[Kind, float]]:
        """A form for each unknown that is the only one in some equation."""
        ready: dict[Coordinate, list[ReadEquation]] = {}
        for e in every:
            left = e.coordinates - self.by.keys()
            if len(left) == 1:
                ready.setdefault(next(iter(left)), []).append(e)
        found: dict[int, tuple[int, Kind, float]] = {}  # one of each constraint: others are simpler afterwards
        for coordinate, equations in ready.items():
            if (best := self._best(coordinate, equations)) is not None:
                key = id(best[1].constraint)
                if key not in found or best[0] < found[key][0]:
                    found[key] = best
        return [(form, sign) for _, form, sign in found.values()]

    def _best(self, coordinate: Coordinate, equations: list[ReadEquation]) -> tuple[int, Kind, float] | None:
        """The form of a coordinate that is worked out most simply, and furthest from where two solutions meet."""
        choices: list[tuple[int, bool, float, int, Kind, float]] = []
        for form in (form for kind in KINDS for form in kind.candidates(coordinate, equations)):
            simpler = bool(choices) and choices[0][0] < form.rank  # than this form is one that has been found
            if not simpler and (judged := self._judged(form)) is not None:
                sign, margin, settled = judged
                # a direction told in axes in which it is that of something that moves, not of a link, may be lost
                lost = settled.branch is None and settled.may_end(settled.on(self.d, self.d.symbols[coordinate]))
                choices.append((form.rank, lost, -margin, len(choices), settled, sign))
        if not choices:
            return None
        rank, *_, form, sign = min(choices, key=lambda x: x[:4])
        own = [e for e in equations if e.constraint is form.constraint and e.read in (form.reads or (None,))]
        by = frozenset[Coordinate]().union(*(self.by[c] for e in own for c in e.coordinates if c != coordinate))
        return rank, replace(form, by=by), sign

    def _judged(self, form: Kind) -> tuple[float, float, Kind] | None:
        """Branch, margin and the form itself, settled, if it gives the configuration that is there."""
        solving = form.on(self.d, self.d.symbols[form.coordinate])
        outputs = form.coefficients(solving)
        numbers = self._numbers(outputs)
        if not np.isfinite(numbers).all() or solving.x in reachable(outputs) or not form.everywhere(outputs):
            return None
        judged = form.judged(numbers, self.size)
        if judged is None or not judged[0] > LEAST:
            return None
        margin, settled = judged
        j = self.coordinates.index(form.coordinate)
        for sign in (1.0, -1.0) if settled.branch is not None else (1.0,):
            value = self._numbers([self.d.graph.node(settled.solution(solving, self.d.graph.constant(sign)))])
            if self.at.apart(value, self.q, self.size)[j] < SAME:
                return sign, margin, settled
        return None


def parallels_at(at: Constraints, q: np.ndarray, independent: Sequence[str]) -> tuple[Equation, ...]:
    """Constraints for the angles of parallelograms, which also hold where the loop lies flat.

    Each angle is expressed by the one before it, so that only neighbours are coupled, however many there are.
    """
    found = []
    before: dict[Any, Parallel] = {}
    for form in Search(at, q, independent).parallel():
        last, offset = before.get(form.other), form.offset
        beside: Any = 0 if form.other is None else form.slope * form.other
        if form.other is not None and last is not None:
            slope = form.slope * last.slope  # both are 1 or -1
            beside, offset = slope * last.coordinate, offset - slope * last.offset
        before[form.other] = form
        found.append(Equation(form.coordinate - beside - offset, f"{form.coordinate} in parallel"))
    return tuple(found)


def _entire(node: Any) -> bool:
    """True for an operation of polynomials, sines and cosines."""
    return node.fixed or node.op in ENTIRE or (node.op == "div" and node.args[1].fixed)


def _snapped(x: float) -> float:
    """A number, or the multiple of pi/12 that it is but for rounding."""
    near = float(np.round(x * 12 / np.pi)) * np.pi / 12
    return near if abs(near - x) < 1e-10 else float(x)


class ClosedFormsAt:
    """The closed forms at a configuration, which can be checked again at others.

    Parameters
    ----------
    at : Constraints
        In numbers.
    q : array (n,)
        The configuration at which they are searched for.
    independent : sequence of str
        Coordinates that are known.
    """

    def __init__(self, at: Constraints, q: np.ndarray, independent: Sequence[str]):
        self.forms, d = forms_at(at, q, independent), at.system.derivation
        self._nodes, names = [], list(at.mechanism.coordinates)
        self._places = [names.index(form.coordinate) for form in self.forms.forms]
        for form in self.forms.forms:
            s = form.on(d, d.symbols[form.coordinate])
            self._nodes += [*form.solutions(s), form.margin(s)]

    def at(self, at: Constraints, q: np.ndarray, same_lengths: bool) -> Forms | None:
        """The same with the signs of another closed configuration; None if the forms do not reproduce it.

        Parallel angles depend on the lengths, and do not hold with other lengths.
        """
        found, (fine, signs) = self.forms, self.signs(at, q, at.size(q), same_lengths)
        pairs = zip(found.forms, signs.tolist(), strict=True)
        branches = {str(form.branch): sign for form, sign in pairs if form.branch is not None}
        return replace(found, branches=branches) if fine else None

    def signs(self, at: Constraints, q: np.ndarray, size: Any, same_lengths: bool) -> tuple[Any, np.ndarray]:
        """Whether the forms reproduce closed configurations q (..., n), and their signs there (..., forms)."""
        numbers = at.numbers(tuple(self._nodes), q).reshape(*q.shape[:-1], -1, 3)  # by either sign, and margins
        x = np.repeat(q[..., None, :], 2, axis=-2)
        x[..., self._places] = np.swapaxes(numbers[..., :2], -1, -2)
        holds = at.apart(x, q[..., None, :], size)[..., self._places] < SAME
        fine = (holds.any(axis=-2) & (numbers[..., 2] > LEAST)).all(axis=-1)
        fine &= same_lengths or not any(form.of_these_lengths for form in self.forms.forms)
        return fine, np.where(holds[..., 0, :], 1.0, -1.0)


def forms_at(at: Constraints, q: np.ndarray, independent: Sequence[str]) -> Forms:
    """The closed forms of a mechanism, by its independent coordinates, at a closed configuration."""
    return Search(at, q, independent).found()
