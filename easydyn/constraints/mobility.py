"""The mobility of a mechanism: coordinates, equations, rank, redundant equations; and all ways to assemble it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.constraints.assembly import Closed, Constraints, Redundancy
from easydyn.constraints.closure import Closure
from easydyn.constraints.rolling import Touching
from easydyn.inputs import by_name, coordinates_of, finite, whole


@dataclass(frozen=True)
class Mobility:
    """The result of `model.mobility()`.

    Attributes
    ----------
    coordinates, equations, rank : int
        Numbers of coordinates and equations, and the number of independent equations.
    degrees_of_freedom : int
        Degrees of freedom of the rates: number of coordinates minus rank.
    independent : tuple of str
        Coordinates that determine the motion.
    redundant : tuple of str
        Equations that always hold, or follow from others: "pin Fz".
    unknown : tuple of str
        Components of loads that the motion does not determine.
    sentences : tuple of str
        The results in words.

    Example
    -------
    >>> from easydyn import Model
    >>> model = Model("free")
    >>> x, = model.coordinates("x")
    >>> model.equation(x.ddot + x)
    >>> model.mobility().degrees_of_freedom
    1
    """

    coordinates: int
    equations: int
    rank: int
    degrees_of_freedom: int
    independent: tuple[str, ...]
    redundant: tuple[str, ...]
    unknown: tuple[str, ...]
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    __repr__ = __str__


def mobility(model: Any, at: Mapping[str, Any] | None = None) -> Mobility:
    """Count coordinates, equations and degrees of freedom, and list redundant equations with the reasons.

    Parameters
    ----------
    at : dict, optional
        Where it is counted, as `initial` of a run (m, rad): the model's initial state, assembled, if left out.

    Returns
    -------
    Mobility
        With `.degrees_of_freedom`, `.redundant`, `.sentences`; printing it shows the sentences.

    Raises
    ------
    AssemblyError
        When the loops cannot be closed.
    """
    values = model.values()
    closed, redundancy = model.solver.closed(by_name(at, "at", '{"a": 0.3}'), values)
    loops = model.solver.constraints_at(values)
    n, m = loops.n, len(loops.rows)
    rank, free = len(redundancy.kept), redundancy.degrees_of_freedom
    extra = [k for k in range(m) if k not in redundancy.kept]
    sentences = [
        f"{n} coordinate{'s' * (n != 1)}, {m} equation{'s' * (m != 1)}, {rank} of them independent: "
        f"{free} degree{'s' * (free != 1)} of freedom"
        + (f" ({', '.join(closed.independent)})." if free else ", nothing can move.")
    ]
    sentences += _sentences(loops, closed, redundancy, extra)
    if free and n - m < free:
        sentences.append(
            f"Counting alone (Gruebler) gives {n - m}: the equations are not independent of each other, because of "
            "lengths and directions that fit."
        )
    return Mobility(
        n, m, rank, free, closed.independent, tuple(_name(loops, k) for k in extra),
        tuple(_name(loops, k) for k in range(m) if not redundancy.known[k]), tuple(sentences),
    )  # fmt: skip


def _name(at: Constraints, k: int) -> str:
    constraint, label = at.rows[k]
    return f"{constraint.name} {label}"


def _sentences(at: Constraints, closed: Closed, redundancy: Redundancy, extra: list[int]) -> list[str]:
    """Why rows are redundant, constraint by constraint."""
    J = np.abs(at.jacobian(closed.q))
    trivial = {k for k in extra if J[k].max(initial=0) <= 1e-12 * max(J.max(initial=0), 1e-300)}
    by_constraint: dict[int, list[int]] = defaultdict(list)
    for k in extra:
        by_constraint[id(at.rows[k][0])].append(k)
    found = []
    for rows in by_constraint.values():
        constraint = at.rows[rows[0]][0]
        total, own = len(constraint.labels), [k for k in rows if k in trivial]
        labels = {at.rows[k][1] for k in own}
        if own:
            forces = sum(label.startswith("F") for label in labels) if isinstance(constraint, Closure) else 0
            what = {1: "is planar", 3: "joins what turns about one point"}.get(forces, "moves in few directions")
            if isinstance(constraint, Touching):
                what = "is held by coordinates"
            said = constraint.title[0].upper() + constraint.title[1:]
            found.append(
                f"{said} {what}: {len(own)} of its {total} equations hold by themselves "
                f"({', '.join(at.rows[k][1] for k in own)}); the forces that go with them cannot be known."
            )
        rest = [k for k in rows if k not in trivial]
        if rest:
            shared = [_name(at, k) for k in range(len(at.rows)) if not redundancy.known[k] and k not in trivial]
            found.append(
                f"Of {constraint.title}, {', '.join(at.rows[k][1] for k in rest)} follow{'s' * (len(rest) == 1)} from "
                f"the other equations: {', '.join(shared)} share a load that rigid bodies do not determine."
            )
    return found


SAME = 1e-6  # rad, or beside the size: two configurations that are one
ENOUGH = 40  # guesses in a row that bring nothing new


def assemble(
    model: Any, initial: Mapping[str, Any] | None = None, *, hold: Any = (),
    parameters: Mapping[str, Any] | None = None, t: float = 0.0,
) -> dict[str, float]:  # fmt: skip
    """Find the nearest configuration in which all loops are closed, with rates: {"a": 0.3, ..., "a.dot": 0, ...}.

    Parameters
    ----------
    initial : dict, optional
        The guess where it differs from the model's initial values (m, rad).
    hold : list of str
        Coordinates that keep their values; the independent coordinates if left out.
    parameters : dict, optional
        Values that differ from the model's own.
    t : float
        Time (s).

    Returns
    -------
    dict
        Coordinates (m, rad) and rates by name, as `simulate(initial=...)` takes them.

    Raises
    ------
    AssemblyError
        When there is none: which loop, by how much, which lengths.
    InputError, UnknownNameError
        Unknown names.
    """
    time = finite(t, "t")
    held = coordinates_of(hold, "hold", model._coordinates)
    found, _ = model.solver.closed(by_name(initial, "initial", '{"a": 0.3}'), model.values(parameters), time, held)
    names = [str(q) for q in model.mechanism.coordinates]
    places = dict(zip(names, found.q.tolist(), strict=True))
    return places | {f"{name}.dot": x for name, x in zip(names, found.qd.tolist(), strict=True)}


def assemblies(
    model: Any, *, hold: Any = (), parameters: Mapping[str, Any] | None = None, t: float = 0.0, starts: int = 200
) -> list[dict[str, float]]:
    """Find all ways to assemble the loops with some coordinates held, the nearest to the initial guess first.

    Parameters
    ----------
    hold : list of str
        Coordinates that keep their initial values; the independent coordinates if left out.
    parameters : dict, optional
        Values that differ from the model's own.
    t : float
        Time (s).
    starts : int
        Number of guesses from which the search begins; they are random, with a fixed seed.

    Returns
    -------
    list of dict
        Configurations by name (m, rad), with angles that differ from the guess by at most pi.

    Raises
    ------
    AssemblyError
        When there is none: which loop, by how much, which lengths.
    """
    values, time, most = model.values(parameters), finite(t, "t"), whole(starts, "starts", 100_000)
    held = coordinates_of(hold, "hold", model._coordinates)
    at = model.solver.constraints_at(values, time)
    q = model.initial(None, values)[0][: at.n]
    at.check_constants()
    dependent = at.dependent_near(q)
    held = held or [name for j, name in enumerate(at.names) if j not in dependent]
    free = np.array([name not in held for name in at.names], dtype=bool)
    size, generator = at.size(q), np.random.default_rng(1)
    spread = np.where(at.angles, np.pi, 2 * size)
    found, fruitless = list[np.ndarray](), 0
    for k in range(most):
        guess = np.where(free, q + (generator.uniform(-1, 1, at.n) * spread if k else 0), q)
        x = at.newton(guess, free, size)
        fruitless += 1
        if x is not None:
            x = at.unturned(x, q)
            if not any((at.apart(x, y, size) < SAME).all() for y in found):
                found.append(x)
                fruitless = 0
        if found and fruitless > max(ENOUGH, 10 * len(found)):
            break
    if not found:
        found = [at.place(q, held)]  # which says why there is none
    found.sort(key=lambda x: float(np.linalg.norm((x - q) / np.where(at.angles, 1.0, size))))
    return [dict(zip(at.names, x.tolist(), strict=True)) for x in found]
