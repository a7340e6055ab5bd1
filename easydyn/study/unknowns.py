"""Unknowns of a fit or an optimisation: parameters, inputs that are numbers, initial values, with bounds."""

from __future__ import annotations

from collections.abc import Container, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.errors import InputError, UnknownNameError
from easydyn.inputs import by_name, expect, finite, name_in
from easydyn.run.schedule import begins_with, inputs_by_name

SUCH_AS = '{"c": 0.1, "k": (5, 20)}'


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Names (m,) with their start values, bounds and sizes, each in its own unit, and the kind of each.

    A kind is "parameters", "inputs" or "initial", as `simulate` takes them, or "clock" or "rate" of measured times.
    `given` holds the other arguments of `simulate` for each run; an unknown is called `bases[k]` in its model, and
    belongs to the run `runs[k]`, or to all of them where that is None.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    guess: np.ndarray
    low: np.ndarray
    high: np.ndarray
    size: np.ndarray
    given: tuple[dict[str, dict[str, Any]], ...]
    bases: tuple[str, ...]
    runs: tuple[int | None, ...]

    def of(self, run: int, *kinds: str) -> dict[str, int]:
        """Where the unknowns of a run stand, by their names in the model: those of some kinds."""
        rows = enumerate(zip(self.bases, self.kinds, self.runs, strict=True))
        return {base: k for k, (base, kind, own) in rows if kind in kinds and own in (None, run)}

    def clocked(self, name: str) -> Unknowns:
        """With the clock of the recording `name` (s) beside them, the same in all runs."""
        full = f"{name}.clock"
        return _of_rows([*self._rows, (full, "clock", 0.0, -np.inf, np.inf, 1.0, full, None)], self.given)

    @property
    def _rows(self) -> list[_Row]:
        numbers = (x.tolist() for x in (self.guess, self.low, self.high, self.size))
        return list(zip(self.names, self.kinds, *numbers, self.bases, self.runs, strict=True))

    def options(self, x: np.ndarray, run: int = 0) -> dict[str, dict[str, Any]]:
        """The arguments of `simulate` for these values."""
        found = {kind: dict(values) for kind, values in self.given[run].items()}
        for kind, values in found.items():
            values |= {base: float(x[k]) for base, k in self.of(run, kind).items()}
        return found

    def at_bounds(self, x: np.ndarray) -> np.ndarray:
        """Which of them (m,) lie at a bound."""
        return np.asarray(np.minimum(x - self.low, self.high - x) <= 1e-8 * self.size)

    def told_at_bounds(self, x: np.ndarray) -> list[str]:
        """The same in words."""
        return [f"{self.names[k]} lies at its bound {x[k]:g}" for k in np.flatnonzero(self.at_bounds(x))]


def named_values(parameters: Any) -> dict[str, Any]:
    """What a call gives as `parameters`, by name: a list of names has the model's own values as guesses, None here."""
    if isinstance(parameters, list | tuple | set) or isinstance(parameters, str):
        listed = [parameters] if isinstance(parameters, str) else list(parameters)
        if all(isinstance(name, Hashable) for name in listed):  # else they are refused below
            parameters = dict.fromkeys(listed)
    return by_name(parameters, "parameters", SUCH_AS)


def unknowns_of(
    model: Any, parameters: Any, bounds: Any, initial: Any, inputs: Any, what: str, fixed: Any = None,
    times: Mapping[str, float] | None = None,
) -> Unknowns:  # fmt: skip
    """The unknowns that a call gives as `parameters`: a guess, or a pair of bounds about the model's own value.

    `times` are those that no model has, "phone.clock" and "film.rate", and what they are where nothing is said.
    """
    wanted = named_values(parameters)
    if not wanted:
        raise InputError(f"{what} got no parameters: expected what may be changed, such as parameters={SUCH_AS}.")
    limits = by_name(bounds, "bounds", '{"k": (5, 20)}')
    for name in limits:
        name_in(name, wanted, f"bounds has {{!r}}, which is not among the parameters of {what}: these are {{}}.")
    known, clocks = begins_with(model, fixed, inputs, initial), times or {}
    rows: list[_Row] = []
    for name, value in wanted.items():
        kind = next((kind for kind, own in known.items() if name in own), "")
        if not kind and name not in clocks:
            parameters, numbers, start = (", ".join(own) or "none" for own in known.values())
            raise UnknownNameError(
                f"{what} cannot change {name!r}: model '{model.name}' has the parameters {parameters}, inputs that are "
                f"numbers {numbers}, and initial values {start}."
            )
        present = known[kind][name] if kind else clocks[name]
        pair = value if isinstance(value, tuple | list) else None
        if pair is not None and name in limits:
            raise InputError(f"{name} has bounds twice, among the parameters and by bounds=: expected them once.")
        low, high = bounds_of(limits.get(name) if pair is None else pair, name)
        guess = present if pair is not None or value is None else finite(value, f"the guess of {name}")
        if pair is not None and not low <= guess <= high:
            guess = (low + high) / 2
        if not low <= guess <= high:
            raise InputError(
                f"the guess of {name} is {guess:g}, and its bounds are {low:g} to {high:g}: expected a guess "
                "between them."
            )
        # Below, its inverse and its square are no numbers.
        size = abs(guess) if abs(guess) > 1e-100 else (high - low) / 2 if 0 < high - low < np.inf else 1.0
        rows.append((name, kind or name.rpartition(".")[2], guess, low, high, size, name, None))
    given = {
        "parameters": by_name(fixed, "fixed", '{"l1": 1.2}'),
        "initial": by_name(initial, "initial", '{"q1": 0.3}'),
        "inputs": inputs_by_name(known["inputs"], inputs),
    }
    return _of_rows(rows, (given,))


def joined(listed: Sequence[Unknowns], each: Container[str]) -> Unknowns:
    """The unknowns of several runs: those in `each` are there once for each of them, "q[0]", "q[1]"."""
    found: list[_Row] = []
    for rows in zip(*(one._rows for one in listed), strict=True):
        name = rows[0][0]
        several = [(f"{name}[{k}]", *row[1:-1], k) for k, row in enumerate(rows)]
        found += several if name in each else rows[:1]
    return _of_rows(found, tuple(one for own in listed for one in own.given))


_Row = tuple[str, str, float, float, float, float, str, int | None]


def _of_rows(rows: Sequence[_Row], given: tuple[dict[str, dict[str, Any]], ...]) -> Unknowns:
    names, kinds, *numbers, bases, runs = zip(*rows, strict=True)
    guess, low, high, size = (np.array(x, dtype=float) for x in numbers)
    return Unknowns(names, kinds, guess, low, high, size, given, bases, runs)


def bounds_of(value: Any, name: str) -> tuple[float, float]:
    """A pair (low, high), in the unit of the named quantity, infinite in place of None; otherwise InputError."""
    if value is None:
        return -np.inf, np.inf
    good, what = isinstance(value, tuple | list) and len(value) == 2, f"the bounds of {name}"
    expect(good, what, value, "a pair (low, high); None where there is none", "are")
    ends = [
        end if x is None or (isinstance(x, float) and x == end) else finite(x, f"a bound of {name}")
        for x, end in zip(value, (-np.inf, np.inf), strict=True)
    ]
    expect(ends[0] < ends[1], what, value, "the lower one first", "are")
    return ends[0], ends[1]
