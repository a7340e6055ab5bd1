"""A table in words of how each loop is solved."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from easydyn.constraints.chain import Chain
from easydyn.constraints.closure import Closure
from easydyn.constraints.forms import Form
from easydyn.inputs import by_name

AS_IT_IS = "an angle that follows stands in a law as it is, not in sines, and whole turns count"


@dataclass(frozen=True)
class LoopClosure:
    """How one loop, or another constraint, is solved: a row of the table.

    Attributes
    ----------
    name : str
        Name of the constraint.
    solved : tuple of str
        Coordinates with closed forms from its equations, in the order of computation.
    iterated : tuple of str
        Coordinates that Newton's iteration finds.
    way : str
        The way of solution in words.
    """

    name: str
    solved: tuple[str, ...]
    iterated: tuple[str, ...]
    way: str

    @property
    def nonlinear(self) -> int:
        """Number of remaining nonlinear equations."""
        return len(self.iterated)


@dataclass(frozen=True)
class Closures:
    """The result of `model.closures()`: how each loop is solved. It prints as a table.

    Attributes
    ----------
    loops : tuple of LoopClosure
        One for each constraint, as declared, with .name, .solved, .iterated, .nonlinear and .way.
    order : tuple of str
        Coordinates with closed forms, in the order of computation.
    independent : tuple of str
        Coordinates that are known.
    notes : tuple of str
        Sentences that say why runs use multipliers nevertheless, if they do.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> model = Model("gears")
    >>> a, b = model.coordinates("a b")
    >>> wheels = [model.body(f"wheel {q}", trotz(q), mass=1, inertia=(0, 0, 2)) for q in (a, b)]
    >>> model.dependent(b, 2*a)
    Constraint 'b': -2*a + b = 0
    >>> model.closures()
    loop  coordinates that follow   nonlinear equations
    b     b from a linear equation  0
    Known: a. Nonlinear equations left: 0.
    """

    loops: tuple[LoopClosure, ...]
    order: tuple[str, ...]
    independent: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def nonlinear(self) -> int:
        """Number of nonlinear equations that remain for Newton's iteration, in all loops together."""
        return sum(loop.nonlinear for loop in self.loops)

    def _table(self) -> list[tuple[str, str, str]]:
        rows = [(loop.name, loop.way, str(loop.nonlinear)) for loop in self.loops]
        return [("loop", "coordinates that follow", "nonlinear equations"), *rows]

    def _sentences(self) -> list[str]:
        known = ", ".join(self.independent) or "none"
        return [f"Known: {known}. Nonlinear equations left: {self.nonlinear}.", *self.notes]

    def __str__(self) -> str:
        table = self._table()
        widths = [max(len(row[k]) for row in table) for k in range(2)]
        lines = [f"{row[0]:{widths[0]}}  {row[1]:{widths[1]}}  {row[2]}" for row in table]
        return "\n".join([*lines, *self._sentences()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from easydyn.result.rich import table, whole

        head, *rows = self._table()
        return whole("closures", table(head, rows), table(("",), [(sentence,) for sentence in self._sentences()]))


def closures(model: Any, at: Mapping[str, Any] | None = None) -> Closures:
    """Show how each loop is solved: by closed forms, in which order, or by Newton's iteration.

    Parameters
    ----------
    at : dict, optional
        The configuration, as `initial` of a run (m, rad): the model's initial state, assembled, if left out. The
        coordinates named here are taken as known, if they can be independent.

    Returns
    -------
    Closures
        With `.nonlinear`, the number of remaining nonlinear equations, `.loops` and `.order`; printing it shows a
        table.

    Raises
    ------
    AssemblyError
        When the loops cannot be closed.

    Notes
    -----
    An equation with one unknown x is A cos x + B sin x + C = 0, a x^2 + 2 b x + c = 0 or linear. Once x is solved,
    it is known in the equations of the other loops (`easydyn.constraints.forms`).

    Example
    -------
    >>> from easydyn import Model, tdisp, trotz
    >>> rods = Model("two rods")
    >>> a, b = rods.coordinates("a b", initial=(1.0, 1.5))
    >>> ends = [(rods.body(f"rod {q}", tdisp(x, 0, 0) * trotz(q), mass=1, inertia=(0, 0, 1)), (0.5, 0, 0))
    ...         for q, x in ((a, 0), (b, 0.8))]
    >>> rod = rods.close(*ends, joint="distance", length=0.7)
    >>> rods.closures()
    loop         coordinates that follow        nonlinear equations
    rod a-rod b  b as an angle (two solutions)  0
    Known: a. Nonlinear equations left: 0.
    """
    values, solver = model.values(), model.solver
    closed, _ = solver.closed(by_name(at, "at", '{"a": 0.3}'), values)
    reasons = [*solver.reasons_for_multipliers(), *solver.left_to_multipliers(closed, values, 0.0)]
    found, here = solver.forms(closed, values, 0.0), solver.constraints_at(values)
    constraints = here.mechanism.constraints
    follow = [name for name in here.names if name not in closed.independent]
    by_rates = {here.names[j] for j in here.followers(closed.q, [here.names.index(name) for name in follow])}
    solved = [[form for form in found.forms if form.constraint is c] for c in constraints]
    inside = [_coordinates(c) for c in constraints]
    room = [sum(c.of_place) - len(forms) for c, forms in zip(constraints, solved, strict=True)]
    for form in found.forms:
        if form.constraint is None:
            k = _place(str(form.coordinate), inside, room)
            solved[k].append(form)
            room[k] -= 1
    done = {str(form.coordinate) for form in found.forms}
    iterated: list[list[str]] = [[] for _ in constraints]
    for name in follow:
        if name not in done and name not in by_rates:
            k = _place(name, inside, room)
            iterated[k].append(name)
            room[k] -= 1
    loops = [
        LoopClosure(c.name, tuple(str(form.coordinate) for form in forms), tuple(names), _way(forms, names, c.of_rates))
        for c, forms, names in zip(constraints, solved, iterated, strict=True)
    ]
    notes = tuple(f"Runs take multipliers: {reason}." for reason in reasons)
    order = tuple(str(form.coordinate) for form in found.forms)
    return Closures(tuple(loops), order, closed.independent, notes)


def _coordinates(constraint: object) -> set[str]:
    if isinstance(constraint, Closure):
        return {str(q) for inside in Chain(constraint).coordinates for q in inside}
    return {str(q) for q in getattr(constraint, "coordinates", ())}


def _place(name: str, inside: Sequence[Collection[str]], room: Sequence[int]) -> int:
    """The constraint in which a coordinate stands, and which has equations left for it."""
    return max(range(len(room)), key=lambda k: (name in inside[k], room[k] > 0, -k))


def _way(forms: Sequence[Form], iterated: Sequence[str], of_rates: bool) -> str:
    """In words: "b as an angle (two solutions), then c as a direction"."""
    said = [f"{', '.join(iterated)} by Newton's iteration"] if iterated else []
    said += [f"{form.coordinate} {form.said}" for form in forms]
    return ", then ".join(said) or ("rates only, by multipliers" if of_rates else "closes by itself")
