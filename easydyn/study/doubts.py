"""What is wrong with data that a model does not follow: a unit, a sign, the rate of a film, a clock; in sentences.

Where a fit is lost, spread and turns of the data beside a run with the guess point to a factor that has a name, and the
fit is tried with it. Where a fit is found, residuals that look like dy/dt, or like (t - a) dy/dt, point to a clock that
is late or slow: such a column beside those of J is one more step of Gauss and Newton, with the error of its result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from easydyn.study.identify import correlation_of
from easydyn.study.problem import Measured, Problem, Spent
from easydyn.study.unknowns import Unknowns

POOR = 0.1  # of the spread of a column: residuals beyond it may be those of a run that was lost
FOLLOWS = 0.5  # correlation of residuals with the next: more is no noise
APART = 2.5  # a factor between two sizes: by less the guess may be wrong
SURELY, EXACT = 4.0, 1e-5  # standard errors; residuals beside the spread, of data without noise
FACTORS = (  # of data, by what they may be taken for
    (180 / np.pi, "degrees for radians"), (np.pi / 180, "radians for degrees"), (100.0, "cm for m"),
    (0.01, "m for cm"), (1000.0, "mm for m"), (1 / 9.80665, "g for m/s²"), (30 / np.pi, "rpm for rad/s"),
    (0.5 / np.pi, "turns for radians"), (1.0, ""),
)  # fmt: skip
FILM = "frame rate: a film of {} pictures a second read as one of {}"
RATES = (  # of times
    (8.0, FILM.format(240, 30)), (4.0, FILM.format(120, 30)), (1 / 8, FILM.format(30, 240)),
    (1 / 4, FILM.format(30, 120)), (1000.0, "ms for s"), (30.0, "frames for s"), (1 / 60, "minutes for s"), (1.0, ""),
)  # fmt: skip
NTSC = ((30 / 29.97, FILM.format(29.97, 30)), (29.97 / 30, FILM.format(30, 29.97)))  # surer than another clock


def suspected(problem: Problem, unknowns: Unknowns, tried: Callable[[], np.ndarray | None]) -> str:
    """Which other units of columns, signs, times or clocks let the fit come out, in words; empty where none does.

    The guess is that of `unknowns`. `tried` makes the fit as the problem stands, and returns its values, or None
    where it is lost.
    """
    with problem.aside() as whole, suppress(Spent):
        problem.unknowns = unknowns
        for factors, (rate, of_times) in _candidates(problem):
            problem.unknowns = unknowns
            problem.measure([_scaled(problem, *pair, rate) for pair in zip(whole, factors, strict=True)])
            if tried() is None:
                continue
            said = [f"the data would fit, were their times {1 / rate:.4g} times as long ({of_times})"] * (rate != 1)
            for factor, name in dict.fromkeys(factors):
                of = " and ".join(one.column for one, x in zip(whole, factors, strict=True) if x == (factor, name))
                small = f"{abs(factor):.3g} times as small ({name})" * (abs(factor) != 1)
                sign = "of the other sign (y down, or mirrored)" * (factor < 0)
                said += [f"{of} would fit, were the column {' and '.join(filter(None, (small, sign)))}"] * (factor != 1)
            return ". ".join(said)
        names = _clocks(whole)
        for name in (*names[1:], *names[:1]):
            if f"{name}.clock" not in unknowns.bases:
                problem.unknowns = unknowns.clocked(name)
                problem.measure(whole)
                x = tried()
                if x is not None:
                    return _late(name, float(x[-1]))
    return ""


def _clocks(columns: Sequence[Measured]) -> list[str]:
    """The recordings or columns whose clocks may be wrong: values that are all equal say nothing of time."""
    return list(dict.fromkeys(one.clocks[0] for one in columns if one.clocks and np.ptp(one.values[one.there]) > 0))


def _late(name: str, late: float) -> str:
    way = f'{abs(late):.3g} s {"earlier" if late > 0 else "later"}: clocks={{"{name}": 0.0}} finds by how much'
    return f"{name} would fit, were the column {way}"


def _scaled(problem: Problem, one: Measured, by: tuple[float, str], rate: float) -> Measured:
    """A column in another unit, at other times."""
    begin = problem.begins[one.run]
    return replace(one, values=one.values / by[0], sigma=one.sigma / abs(by[0]), t=begin + (one.t - begin) / rate)


def _candidates(problem: Problem) -> list[tuple[tuple[tuple[float, str], ...], tuple[float, str]]]:
    """Factors for each column, and one of times, that come near the data from a run with the guess; not all of them 1.

    The sign is that of the first tenth of the data, which begins as the run does. Circular frequencies are the rate
    beside the size of the run, and pi times how often the data pass their mean.
    """
    guess = problem.unknowns.guess
    r, _ = problem.residuals(guess)
    if problem.found(guess) is None:
        return []
    lists, signs, times, slopes = [], [], [], problem.slopes(guess)
    for one, own, slope in zip(problem.columns, parts(problem, r), slopes, strict=True):
        values, t = one.values[one.there], one.t[one.there]
        seen = values + own * one.sigma[one.there]
        size = float(np.std(seen)) or 1.0
        near = _near(one.spread / size, [x for x in FACTORS if _fits(problem, one, x[1])])
        first = slice(max(2, len(values) // 10))
        scaled = values[first] / near[0][0]
        other = np.sum((scaled + seen[first]) ** 2) < 0.1 * np.sum((scaled - seen[first]) ** 2)
        lists.append(near)
        signs.append(-1.0 if other else 1.0)
        if (turns := _turns(values)) > 1:
            times.append(float(np.sqrt(np.mean(slope**2))) / size / (np.pi * turns / (t[-1] - t[0])))
    rates = _near(float(np.median(times)) or 1.0, RATES) if times else [(1.0, "")]
    several = [[(1.0, "")] * len(lists)] * (rates[0][0] != 1)  # where times are others, the run at them shows no size
    several += [[own[min(k, len(own) - 1)] for own in lists] for k in range(max(map(len, lists)))]
    signed = [[(sign * x, name) for sign, (x, name) in zip(signs, row, strict=True)] for row in several]
    # a start that is looked for may have either sign
    tuples = list(dict.fromkeys(map(tuple, several + signed if "initial" in problem.unknowns.kinds else signed)))
    return [
        (factors, rate) for rate, factors in product(rates, tuples) if rate[0] != 1 or any(x != 1 for x, _ in factors)
    ]


def _near(ratio: float, named: Any) -> list[tuple[float, str]]:
    """Of named factors the two nearest to a ratio, 1 where it may be that."""
    far = lambda x: abs(np.log(ratio / x[0]))  # noqa: E731
    ranked = sorted(named, key=far)
    if abs(np.log(ratio)) < np.log(APART):
        return [(1.0, "")]
    return [x for x in ranked[:2] if far(x) < np.log(APART)] or [(1.0, "")]


def _fits(problem: Problem, one: Measured, name: str) -> bool:
    """Whether a change of units may be one of this column, as far as its unit is known."""
    signal = problem.model.signals.get(str(one.what))
    unit = "" if signal is None else str(signal.unit)
    lengths = name in ("cm for m", "m for cm", "mm for m", "g for m/s²")
    return not unit or not name or (unit.startswith("m") if lengths else unit.startswith("rad"))


def _turns(values: np.ndarray) -> int:
    """How often values pass their mean, but for noise."""
    wide = max(1, len(values) // 50)
    return int(np.sum(np.diff(np.sign(np.convolve(values - np.mean(values), np.ones(wide) / wide, "valid"))) != 0))


def parts(problem: Problem, r: np.ndarray) -> list[np.ndarray]:
    """The residuals of each column."""
    return np.split(r, np.cumsum([int(one.there.sum()) for one in problem.columns])[:-1])


def not_followed(one: Measured, own: np.ndarray) -> str:
    """That a run does not follow a column, in words; empty where it does."""
    share = float(np.sqrt(np.mean((own * one.sigma[one.there]) ** 2))) / one.spread
    said = f"the model does not follow {one.column}: {100 * share:.0f} % of its spread is left, and not as noise"
    return said if share > POOR and correlation_of(own) > FOLLOWS else ""


def clocks_suspected(problem: Problem, x: np.ndarray, r: np.ndarray, J: np.ndarray) -> list[str]:
    """That residuals look like those of a clock that is late or slow, for each recording or column; in words."""
    found: list[tuple[float, str]] = []
    rows = np.cumsum([0, *(int(one.there.sum()) for one in problem.columns)])
    slopes = problem.slopes(x)
    weights = [one.sigma[one.there] / one.spread for one in problem.columns]
    for name in _clocks(problem.columns):
        own = [k for k, one in enumerate(problem.columns) if one.clocks[:1] == (name,)]
        if all(np.abs(r[rows[k] : rows[k + 1]]).max(initial=0) < EXACT / np.max(weights[k]) for k in own):
            continue
        asked = {kind for k in own for kind in problem.clock(problem.columns[k])}
        for kind in {"clock", "rate"} - asked:
            extra = np.zeros(len(r))
            for k in own:
                one = problem.columns[k]
                times = 1.0 if kind == "clock" else one.t[0] - one.t[one.there]
                extra[rows[k] : rows[k + 1]] = -slopes[k] * times / one.sigma[one.there]
            A = np.column_stack([J, extra])
            size = np.maximum(np.linalg.norm(A, axis=0), 1e-300)
            Q, R = np.linalg.qr(A / size)
            if abs(R[-1, -1]) < 1e-4:  # other unknowns do the same
                continue
            step = -float(Q[:, -1] @ r) / R[-1, -1] / size[-1]
            left = r - Q @ (Q.T @ r)
            follow = max(0.0, *(correlation_of(left[rows[k] : rows[k + 1]], len(x) + 1) for k in own))
            square = float(left @ left) / max(len(r) - len(x) - 1, 1)
            error = np.sqrt(square * (1 + follow) / max(1 - follow, 1e-3)) / abs(R[-1, -1]) / size[-1]
            if abs(step) > SURELY * error and follow < FOLLOWS:
                film = [f" ({text})" for rate, text in NTSC if kind == "rate" and abs(1 + step - rate) < 3 * error]
                long = f"{1 + step:.5g} times as long{''.join(film)}: rates={{\"{name}\": 1.0}} finds how much"
                said = _late(name, step) if kind == "clock" else f"{name} would fit, were its time {long}"
                found.append((float(left @ left) - (SURELY**2 * square if film else 0.0), said))
    return [min(found)[1]] if found else []
