"""Values of a run at instants between the saved ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.errors import InputError
from easydyn.inputs import expect, finite_array
from easydyn.result.attitudes import ends

if TYPE_CHECKING:
    from easydyn.result.trajectory import Trajectory

STATES = "q", "qd", "qdd", "integrals", "held"
ROWS = *STATES, "multiplier_values"  # what a run has of each instant, beside its time
FOREIGN, SEEN = 20.0, 1e-2  # times what the other end is off, and of the accelerations themselves
SEAM = 1e-9  # of an interval: shorter ones near it are those in which something happens
ROUNDING = 2e-15  # of values at both ends of an interval
SAME = 1e-9  # of the length of a run: how far outside of it rounding may take an instant


def at(run: Trajectory, times: Any) -> Trajectory:
    """The motion at other instants of the run: a complete Trajectory of these instants.

    Between two saved instants, coordinates are polynomials of degree five, from q, qd and qdd at both; states are
    polynomials of degree three. Where something happens in between (an event, a jump in time, a sample of a
    controller), the run has kept the states just before and just after it, and the polynomials end there.
    `simulate(save_at=...)` is more exact where few instants were saved.

    Parameters
    ----------
    times : float or sequence of float
        Instants (s) within the run, in any order.

    Returns
    -------
    Trajectory
        The motion at these instants: at an event, which has two values, the later one; at a jump in time and at a
        sample of a controller, as in saved instants, the inputs and accelerations just before it.

    Raises
    ------
    InputError
        `times` is not a list of times, or lies outside of the run.

    Example
    -------
    >>> from easydyn import examples
    >>> run = examples.double_pendulum().simulate(2)
    >>> run.at([0.5, 1.5])["q1"].shape, float(run.at(1.25).t[0])
    ((2,), 1.25)
    """
    given = np.atleast_1d(finite_array(times, "times"))
    expect(given.ndim == 1 and len(given), "times", given.shape, "one time (s) or a list of them", "has shape")
    start, end = float(run.t[0]), float(run.t[-1])
    run, _ = merged(run)
    slack = SAME * (end - start)
    outside = given[(given < start - slack) | (given > end + slack)]
    if len(outside):
        raise InputError(f"times has {outside[0]:g} s: expected times within the run, {start:g} to {end:g} s.")
    x = np.clip(given, start, end)
    k = np.clip(np.searchsorted(run.t, x, side="right") - 1, 0, len(run.t) - 1)
    found = _rows(run, given, k)
    between = np.flatnonzero((x != run.t[k]) & (k < len(run.t) - 1))
    if not len(between):
        return found
    changed = STATES if found.stored_energy is None else (*STATES, "stored_energy")
    arrays: dict[str, Any] = {name: np.array(getattr(found, name)) for name in changed}
    for name, values in _between(run, k[between], x[between]).items():
        if name in arrays and arrays[name].size:
            arrays[name][between] = values
    found = replace(found, **arrays)
    found = found if found.source is None else found.source.closed(found, between)
    if run._formulas:
        held = found.held.copy()
        for name, formula in run._formulas.items():
            held[between, found.held_names.index(name)] = found.of(formula)[between]
        found = replace(found, held=held)
    return found


def parted(whole: Trajectory, shown: np.ndarray) -> Trajectory:
    """The rows (N,) of a run that are `shown`; the others, beside what happens, are its seams."""
    if shown.all():
        return whole
    others = np.flatnonzero(~shown)
    return replace(rows_of(whole, np.flatnonzero(shown)), seams=(rows_of(whole, others), others))


def merged(run: Trajectory) -> tuple[Trajectory, np.ndarray]:
    """A run together with its seams, and which of its rows (N,) are those that it shows."""
    if run.seams is None:
        return run, np.ones(len(run), dtype=bool)
    seams, places = run.seams
    shown = np.isin(np.arange(len(run) + len(seams)), places, invert=True)

    def together(own: np.ndarray, others: np.ndarray) -> np.ndarray:
        return np.insert(own, places - np.arange(len(places)), others, axis=0)

    arrays: dict[str, Any] = {x: (getattr(run, x), getattr(seams, x)) for x in ("t", *ROWS)}
    if run.stored_energy is not None:
        arrays["stored_energy"] = run.stored_energy, seams.stored_energy
    rows: dict[str, Any] = {x: together(*y) if len(y[0]) else y[0] for x, y in arrays.items()}
    return replace(run, seams=None, **rows), shown


def rows_of(run: Trajectory, k: np.ndarray) -> Trajectory:
    """The rows k of a run, without seams."""
    rows: dict[str, Any] = {x: y.take(k, axis=0) if len(y := getattr(run, x)) else y for x in ROWS}
    return replace(run, t=run.t[k], seams=None, **rows)


def _rows(run: Trajectory, t: np.ndarray, k: np.ndarray) -> Trajectory:
    """The rows k of a run, as those at times t."""
    # of a file: its model, if it is there, computes energies anew
    stored = None if run.stored_energy is None or run.source is not None else run.stored_energy[k]
    lost: dict[str, Any] = {"multiplier_names": (), "multiplier_values": np.zeros((0, 0))}  # they are found anew
    return replace(rows_of(run, k), t=np.array(t), stored_energy=stored, **lost)


def _between(run: Trajectory, k: np.ndarray, x: np.ndarray) -> dict[str, np.ndarray]:
    """Values at times x in the intervals that begin with the rows k."""
    h = (run.t[k + 1] - run.t[k])[:, None]
    s = (x - run.t[k])[:, None] / h
    q, qd, qdd = ends(run, k)
    a, b, c = quintic(s, h, q, qd, _of_the_interval(h, q, qd, qdd))
    value, rate = cubic(s, h, qd, qdd)
    state, broken = run.first_order, _broken(run, k)[:, None]
    straight = [array[0] + s * (array[1] - array[0]) for array in (q, qd, qdd)]
    return {
        "q": np.where(state | broken, straight[0], a),
        "qd": np.where(broken, straight[1], np.where(state, value, b)),
        "qdd": np.where(broken, straight[2], np.where(state, rate, c)),
        "integrals": _smooth(run.t, run.integrals, k, s, h),
        "stored_energy": _smooth(run.t, run.stored_energy, k, s, h),
        "held": _held(run, k, s, h),
    }


def _of_the_interval(h: Any, q: Any, qd: Any, qdd: Any) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations at both ends of an interval h (s), as they are within it.

    Where a force jumps at an end (a sampled controller), the acceleration that was saved there may be that of the other
    side. It shows beside the cubic through q and qd: of a smooth motion both ends are off by about the same.
    """
    e, v = _defects(h, q, qd, qdd)
    off = (2 * v - 6 * e) / h**2, (6 * e - 4 * v) / h**2
    change, least = off[1] - off[0], SEEN * (np.abs(qdd[0]) + np.abs(qdd[1]))
    foreign = [np.abs(x) > np.maximum(FOREIGN * np.abs(other), least) for x, other in (off, off[::-1])]
    return qdd[0] + np.where(foreign[0], change, 0), qdd[1] - np.where(foreign[1], change, 0)


def _defects(h: Any, q: Any, qd: Any, qdd: Any) -> tuple[Any, Any]:
    """What q and h qd have at the end of an interval beyond an acceleration that changes evenly from end to end."""
    e = q[1] - q[0] - h * (qd[0] + h * (2 * qdd[0] + qdd[1]) / 6)
    return _not_rounding(e, q), h * _not_rounding(qd[1] - qd[0] - h * (qdd[0] + qdd[1]) / 2, qd)


def _not_rounding(x: Any, ends: Any) -> Any:
    """What of a difference x is more than the rounding of both `ends`, which a short interval would divide by h**2."""
    return x - np.clip(x, -(limit := ROUNDING * (np.abs(ends[0]) + np.abs(ends[1]))), limit)


def quintic(s: Any, h: Any, q: Any, qd: Any, qdd: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value, rate and acceleration at the fraction s of an interval h (s), from those at both ends (degree five)."""
    (e, v), v0, a0, a1 = _defects(h, q, qd, qdd), qd[0] * h, qdd[0] * h**2, qdd[1] * h**2
    c3, c4, c5 = 10 * e - 4 * v + (a1 - a0) / 6, 7 * v - 15 * e, 6 * e - 3 * v
    value = q[0] + s * (v0 + s * (a0 / 2 + s * (c3 + s * (c4 + s * c5))))
    rate = v0 + s * (a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))
    return value, rate / h, (a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / h**2


def cubic(s: Any, h: Any, x: Any, slope: Any) -> tuple[np.ndarray, np.ndarray]:
    """Value and rate at the fraction s of an interval h (s), from those at both ends (degree three)."""
    v0, v1 = slope[0] * h, slope[1] * h
    e = _not_rounding(x[1] - x[0] - (v0 + v1) / 2, x)
    return x[0] + s * (v0 + s * ((v1 - v0) / 2 + (3 - 2 * s) * e)), (v0 + s * (v1 - v0 + 6 * (1 - s) * e)) / h


def _broken(run: Trajectory, k: np.ndarray) -> np.ndarray:
    """Which of the intervals that begin with the rows k have in them an event that changed rates or coordinates.

    So have those that are short beside their neighbours: they are all that rounding has left between an event and an
    instant that was to be saved.
    """
    when = np.array(sorted(e.t for e in run.events if e.after))
    gaps = np.pad(np.diff(run.t), 2)
    h, near = gaps[k + 2], np.max([gaps[k + j] for j in range(5)], axis=0)
    first = np.searchsorted(when, run.t[k] + 1e-9 * h, side="right")
    return (first < np.searchsorted(when, run.t[k + 1] - 1e-9 * h, side="left")) | (h < SEAM * near)


def _smooth(t: np.ndarray, y: Any, k: np.ndarray, s: np.ndarray, h: np.ndarray) -> np.ndarray:
    """Values between: by cubics, whose slopes at saved instants are those of parabolas through three of them."""
    if y is None or not y.size:
        return np.zeros((len(k), 0))

    def slope(j: np.ndarray) -> np.ndarray:
        """Of the values at the rows j, by the interval before and the one after; not finite without one of them."""
        before, after = np.maximum(j - 1, 0), np.minimum(j + 1, len(t) - 1)
        h0, h1 = (t[j] - t[before])[:, None], (t[after] - t[j])[:, None]
        h0, h1 = (np.where(x > SEAM * h, x, 0.0) for x in (h0, h1))  # else there is a jump in between
        with np.errstate(all="ignore"):
            return ((y[j] - y[before]) / h0 * h1 + (y[after] - y[j]) / h1 * h0) / (h0 + h1)

    line, first, last = (y[k + 1] - y[k]) / h, slope(k), slope(k + 1)
    first, last = (
        np.where(np.isfinite(x), x, np.where(np.isfinite(other), 2 * line - other, line))
        for x, other in ((first, last), (last, first))
    )
    return cubic(s, h, (y[k], y[k + 1]), (first, last))[0]


def _held(run: Trajectory, k: np.ndarray, s: np.ndarray, h: np.ndarray) -> np.ndarray:
    """What is held: as at the end of the interval, or with the slope that an input has; functions of time by cubics.

    What stands at its beginning may be from before a change at that time.
    """
    held, names = run.held, list(run.held_names)
    if not held.size:
        return np.zeros((len(k), 0))
    found = held[k + 1].copy()
    for j, name in enumerate(names):
        if name in run.followed:
            found[:, j] = _smooth(run.t, held[:, j : j + 1], k, s, h)[:, 0]
        elif f"{name}.slope" in names:
            found[:, j] -= held[k + 1, names.index(f"{name}.slope")] * ((1 - s) * h)[:, 0]
    return found
