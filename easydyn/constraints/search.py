"""Which coordinates have closed forms: read off the loops, one unknown after the other.

An equation with one unknown gives that one; it is known from then on, and other equations have one unknown less. Where
none has a single unknown, one of them is carried along (by multipliers, and Newton's iteration after each step), as if
it were known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from easydyn.constraints.assembly import Constraints, free_directions
from easydyn.constraints.chain import Chain, Placed, Read, slope_of
from easydyn.constraints.closure import Closure
from easydyn.constraints.equation import Equation
from easydyn.constraints.forms import ANGLE, DIRECTION, LENGTH, LINEAR, PARALLEL, Form, Solving
from easydyn.engine.graph import reachable
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import Shift, Turn

SAME = 1e-7  # rad, or m beside the size: a solution is the configuration that is there
LEAST = 1e-3  # of a margin: nearer to two solutions that meet none is chosen
KEPT = 1e-9  # rad: by which a difference of angles may change, and is constant
WALKS, STEPS = 3, 4  # along which that is looked at
TRIVIAL = 1e-10  # of what the coefficients of an equation could be


@dataclass(frozen=True)
class Forms:
    """What has a closed form.

    Attributes
    ----------
    forms : tuple of Form
        In the order in which they are worked out.
    carried : tuple of Coordinate
        Dependent coordinates without a closed form.
    branches : dict
        Signs by the names of their parameters.
    """

    forms: tuple[Form, ...]
    carried: tuple[Coordinate, ...]
    branches: dict[str, float]


@dataclass(frozen=True)
class _Equation:
    """An equation of a constraint, and the coordinates in it."""

    constraint: Any
    chain: Chain | None
    read: Read | None
    coordinates: frozenset[Coordinate]
    turns: frozenset[int] = frozenset()  # the factors of the chain that turn in it, by position


class Search:
    """The search at a configuration that closes.

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
        self.at, self.q, self.d = at, q, at.system.derivation
        self.size = at.size(q)
        self.coordinates = list(at.mechanism.coordinates)
        self.by = {c: frozenset([c]) for c in self.coordinates if str(c) in independent}
        self.unknown = [c for c in self.coordinates if c not in self.by]
        self._placed: dict[int, Placed] = {}
        self.equations = list(self._equations())

    def _equations(self) -> Iterator[_Equation]:
        place = {node.index: c for c, node in zip(self.coordinates, self.d.q, strict=False)}
        wanted = set(self.unknown)
        for constraint in self.at.mechanism.constraints:
            if isinstance(constraint, Closure):
                chain = Chain(constraint)
                if not wanted & set[Any]().union(*chain.coordinates):
                    continue
                placed = self._placed[id(constraint)] = chain.placed(self.d.value)
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
                        yield _Equation(constraint, chain, read, inside, turns)
            elif not constraint.of_rates:
                yield _Equation(constraint, None, None, frozenset(constraint.coordinates))

    def _plain(self, angle: Any) -> Any:
        """The node of an angle without its sign, as sines and cosines have it."""
        node = self.d.graph.node(angle)
        return node.args[0] if node.op == "neg" else node

    def found(self) -> Forms:
        """All closed forms."""
        forms: list[Form] = []
        branches: dict[str, float] = {}
        carried: list[Coordinate] = []
        for form in self._parallel():
            forms.append(form)
            self.by[form.coordinate] = form.by
            self.unknown.remove(form.coordinate)
        while self.unknown:
            solved = self._round()
            if not solved:
                first = self.unknown[0]
                carried.append(first)
                self.by[first] = frozenset([first])
                self.unknown.remove(first)
                continue
            for form, sign in solved:
                forms.append(form)
                if form.branch is not None:
                    branches[str(form.branch)] = sign
                self.by[form.coordinate] = form.by
                self.unknown.remove(form.coordinate)
        return Forms(tuple(forms), tuple(carried), branches)

    def _parallel(self) -> Iterator[Form]:
        """Angles that keep their difference from a known one, or stay as they are, along all motions: looked at."""
        walk = self._walk()
        if walk is None:
            return
        change = walk - self.q
        known = [self.coordinates.index(c) for c in self.by if self.at.angles[self.coordinates.index(c)]]
        for coordinate in list(self.unknown):
            j = self.coordinates.index(coordinate)
            if not self.at.angles[j]:
                continue
            if np.abs(change[:, j]).max() < KEPT:
                yield Form(coordinate, None, PARALLEL, offset=_snapped(self.q[j]))
                continue
            for k in known:
                for slope in (1.0, -1.0):
                    if np.abs(change[:, j] - slope * change[:, k]).max() < KEPT:
                        offset = _snapped(self.q[j] - slope * self.q[k])
                        other = self.coordinates[k]
                        yield Form(coordinate, None, PARALLEL, by=self.by[other], other=other, slope=slope,
                                   offset=offset)  # fmt: skip
                        break
                else:
                    continue
                break

    def _walk(self) -> np.ndarray | None:
        """Configurations (some, n) beside this one, along motions that the loops allow; None where it sticks."""
        found, at, generator = [], self.at, np.random.default_rng(4)
        columns = np.where(at.angles, 1.0, self.size)
        for _ in range(WALKS):
            q, ahead = self.q, None
            for _ in range(STEPS):
                free = free_directions(at.scaled(at.jacobian(q)[at.of_place], self.size), 1e-8)
                if not free.shape[1]:
                    return None
                ahead = free @ generator.uniform(-1, 1, free.shape[1]) if ahead is None else free @ (free.T @ ahead)
                ahead = ahead * (0.15 / max(float(np.abs(ahead).max()), 1e-300))
                near = at.newton(q + columns * ahead, np.ones(at.n, dtype=bool), self.size)
                if near is None or not np.all(np.abs((near - q) / columns) < 0.5):
                    break
                q = near
                found.append(q)
        return np.array(found) if len(found) >= STEPS else None

    def _round(self) -> list[tuple[Form, float]]:
        """A form for each unknown that is the only one in some equation."""
        ready: dict[Coordinate, list[_Equation]] = {}
        for e in self.equations:
            left = e.coordinates - self.by.keys()
            if len(left) == 1:
                ready.setdefault(next(iter(left)), []).append(e)
        found: dict[int, tuple[int, Form, float]] = {}  # one of each constraint: others are simpler afterwards
        for coordinate, equations in ready.items():
            best = self._best(coordinate, equations)
            if best is not None:
                rank, form, sign = best
                key = id(form.constraint)
                if key not in found or rank < found[key][0]:
                    found[key] = rank, form, sign
        return [(form, sign) for _, form, sign in found.values()]

    def _best(self, coordinate: Coordinate, equations: list[_Equation]) -> tuple[int, Form, float] | None:
        """The form of a coordinate that is worked out most simply, and furthest from where two solutions meet."""
        choices: list[tuple[int, bool, float, int, Form, float]] = []
        for rank, form in self._candidates(coordinate, equations):
            judged = self._judged(form)
            if judged is not None:
                sign, margin, settled = judged
                choices.append((rank, self._is_long(settled), -margin, len(choices), settled, sign))
        if not choices:
            return None
        rank, *_, form, sign = min(choices, key=lambda x: x[:4])
        by = frozenset[Coordinate]().union(*(self.by[c] for c in self._inside(form) if c != coordinate))
        return rank, replace(form, by=by), sign

    def _is_long(self, form: Form) -> bool:
        """True for a direction told in axes in which it is that of something that moves, not of a link."""
        if form.way != DIRECTION:
            return False
        return not self._solving(form).direction()[2].fixed

    def _solving(self, form: Form) -> Solving:
        return Solving(form, self.d, self.d.symbols[form.coordinate], self._placed.get(id(form.constraint)))

    def _inside(self, form: Form) -> set[Coordinate]:
        """The coordinates in the equations of a form."""
        reads = form.reads or (None,)
        own = [e for e in self.equations if e.constraint is form.constraint and e.read in reads]
        return set[Coordinate]().union(*(e.coordinates for e in own))

    def _candidates(self, coordinate: Coordinate, equations: list[_Equation]) -> Iterator[tuple[int, Form]]:
        by_cut: dict[tuple[int, int, int, str], list[_Equation]] = {}
        for e in equations:
            if e.chain is None:
                yield 0, Form(coordinate, e.constraint, LINEAR)
                continue
            places = [k for k, inside in enumerate(e.chain.coordinates) if coordinate in inside]
            if len(places) > 1:  # angles from the ground stand in two turns; which of these is in the equation?
                places = [k for k in places if k in e.turns]
            if len(places) != 1 or e.read is None:
                continue
            factor = e.chain.factors[places[0]]
            if isinstance(factor, Turn) and slope_of(factor.angle, coordinate) is not None:
                place = places[0]
                yield 2, Form(coordinate, e.constraint, ANGLE, (e.read,), places[0])
                if e.read.what in "xyz" and self._turns_in_its_plane(e.read, factor, place):
                    by_cut.setdefault((id(e.constraint), e.read.cut, place, e.read.of), []).append(e)
            elif isinstance(factor, Shift):
                yield 0, Form(coordinate, e.constraint, LINEAR, (e.read,), places[0])
                yield 1, Form(coordinate, e.constraint, LENGTH, (e.read,), places[0])
        for (_, _, place, _), listed in by_cut.items():
            for i, one in enumerate(listed):
                for other in listed[:i]:
                    assert one.read is not None and other.read is not None
                    yield 0, Form(coordinate, one.constraint, DIRECTION, (other.read, one.read), place)

    @staticmethod
    def _turns_in_its_plane(read: Read, factor: Turn, place: int) -> bool:
        """True for a component of a point; of an axis where it is normal to that of the turn, which is at the cut.

        Elsewhere what is read of an axis may vanish along the motion: its direction is lost there, and turns round.
        """
        return not read.of or (read.cut in (place, place + 1) and factor.axis["xyz".index(read.what)] == 0)

    def _judged(self, form: Form) -> tuple[float, float, Form] | None:
        """Branch, margin and the form itself (with its sign), if it gives the configuration that is there."""
        unknown = self.d.symbols[form.coordinate]
        solving = self._solving(form)
        g = self.d.graph
        if form.way in (ANGLE, DIRECTION):
            outputs = [x for e in solving.equations for x in solving.trigonometric(e)]
        else:
            outputs = [*solving.polynomial(solving.equations[0])]
        numbers = self._numbers(outputs)
        if not np.isfinite(numbers).all() or any(unknown in reachable([x]) for x in outputs):
            return None
        sign, margin = 1.0, 1.0
        if form.way == DIRECTION:
            (A1, B1, _), (A2, B2, _) = numbers[:3], numbers[3:]
            determinant, most = A1 * B2 - A2 * B1, np.hypot(A1, B1) * np.hypot(A2, B2)
            if not abs(determinant) > 1e-3 * most or not most > (TRIVIAL * self.size) ** 2:
                return None
            form = replace(form, sign=float(np.sign(determinant)))
            solving = self._solving(form)
        elif form.way == ANGLE:
            A, B, C = numbers
            if not np.hypot(A, B) > TRIVIAL * self.size**2:
                return None
            margin = 1 - C * C / (A * A + B * B)
        else:
            a, b, c = numbers
            if form.way == LINEAR and (abs(a) * self.size > 1e-9 * abs(b) or not abs(b) > TRIVIAL):
                return None
            if form.way == LENGTH:
                if not abs(a) * self.size > 1e-9 * abs(b) or not abs(a) > TRIVIAL:
                    return None
                if not b * b + abs(a * c) > 0:  # two solutions meet
                    return None
                margin = (b * b - a * c) / (b * b + abs(a * c))
        if not margin > LEAST:
            return None
        j = self.coordinates.index(form.coordinate)
        for sign in (1.0, -1.0) if form.branch is not None else (1.0,):
            value = self._numbers([solving.solution(g.constant(sign))])[0]
            if _same(value, self.q[j], bool(self.at.angles[j]), self.size):
                return sign, float(margin), form
        return None

    def _numbers(self, nodes: Sequence[Any]) -> np.ndarray:
        whole = np.zeros(self.at.system.n)
        whole[: self.at.n] = self.q
        return np.array(self.at.system.one(tuple(nodes), self.at.t, whole, 0 * whole, 0 * whole), dtype=float)


def parallels_at(at: Constraints, q: np.ndarray, independent: Sequence[str]) -> tuple[Equation, ...]:
    """Angles of parallelograms as constraints of their own, which hold where the loop lies flat, too.

    Each is told beside the one before: neighbours have to do with each other alone, however many there are.
    """
    found = []
    before: dict[Any, Form] = {}
    for form in Search(at, q, independent)._parallel():
        last, offset = before.get(form.other), form.offset
        beside: Any = 0
        if form.other is not None and last is None:
            beside = form.slope * form.other
        elif form.other is not None and last is not None:
            slope = form.slope * last.slope  # both are 1 or -1
            beside, offset = slope * last.coordinate, offset - slope * last.offset
        before[form.other] = form
        found.append(Equation(form.coordinate - beside - offset, f"{form.coordinate} in parallel"))
    return tuple(found)


def _snapped(x: float) -> float:
    """A number, or the multiple of pi/12 that it is but for rounding."""
    near = float(np.round(x * 12 / np.pi)) * np.pi / 12
    return near if abs(near - x) < 1e-10 else float(x)


class Found:
    """The closed forms at a configuration, to be looked at anew at others.

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
        self._nodes = []
        for form in self.forms.forms:
            x = d.symbols[form.coordinate]
            if form.way == PARALLEL:
                self._nodes += [form.node(d, x)] * 2 + [d.graph.one]
                continue
            solving = Solving(form, d, x)
            signs = (1.0, -1.0) if form.branch is not None else (1.0, 1.0)
            self._nodes += [*(solving.solution(d.graph.constant(s)) for s in signs), solving.margin()]

    def at(self, at: Constraints, q: np.ndarray, same_lengths: bool) -> Forms | None:
        """The same with the signs of another configuration that closes; None where they do not give it.

        What is parallel is so by its lengths: it does not hold with others.
        """
        found = self.forms
        if not same_lengths and any(form.way == PARALLEL for form in found.forms):
            return None
        names = list(at.mechanism.coordinates)
        whole, size, branches = np.zeros(at.system.n), at.size(q), dict[str, float]()
        whole[: at.n] = q
        numbers = at.system.one(tuple(self._nodes), at.t, whole, 0 * whole, 0 * whole)
        for k, form in enumerate(found.forms):
            j, (plus, minus, margin) = names.index(form.coordinate), numbers[3 * k : 3 * k + 3]
            holds = [sign for sign, x in ((1.0, plus), (-1.0, minus)) if _same(x, q[j], bool(at.angles[j]), size)]
            if not holds or not margin > LEAST:
                return None
            if form.branch is not None:
                branches[str(form.branch)] = holds[0]
        return replace(found, branches=branches)


def _same(a: float, b: float, angle: bool, size: float) -> bool:
    if angle:
        return bool(abs(np.remainder(a - b + np.pi, 2 * np.pi) - np.pi) < SAME)
    return bool(abs(a - b) < SAME * size)


def forms_at(at: Constraints, q: np.ndarray, independent: Sequence[str]) -> Forms:
    """The closed forms of a mechanism, by its independent coordinates, at a configuration that closes."""
    return Search(at, q, independent).found()
