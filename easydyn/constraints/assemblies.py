"""All ways to assemble a mechanism: Newton's iteration from many guesses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from easydyn.inputs import by_name, coordinates_of, finite, whole

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
    names = model.solver.constraints_at(model.values(parameters)).names
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
    found: list[np.ndarray] = []
    fruitless = 0
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
