"""How fast do errors fall as beams get more elements? Statics and frequencies beside closed forms and rods.

Each case with twice as many elements from row to row: relative errors, and the order between the last two that rounding
does not hide. The models are those of the tests (tests/test_flexible.py, tests/test_beams_published.py).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import common
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

NAME = "convergence"
QUESTION = "Errors of beams over the number of elements, and their order"
SIZES = (2, 4, 8, 16)
ROUNDING = 1e-6  # relative: of smaller errors no order is told, they are of what closed forms leave out
STIFF = 1e8  # E A L^2/(E I)


@cache
def column(elements: int, ends: tuple[str, str] = ("clamped", "free")) -> Any:
    """A beam of unit length and stiffness, with loads at its tip; in a frame that turns."""
    from test_flexible import column as made

    return made(elements, ends, stiffness=STIFF)


def frequency(ends: tuple[str, str], number: int, b: float) -> Callable[[int], float]:
    """The error of a frequency; `b` is the wave number times the length."""

    def error(elements: int) -> float:
        found = np.sort(column(elements, ends).linearize().poles().imag)
        found = found[found > 0.3]
        return abs(found[number] / b**2 - 1) if number < len(found) else math.nan

    return error


def elastica(elements: int) -> float:
    """Deflection of the tip under P L^2/(E I) = 10, by elliptic integrals."""
    found = column(elements).equilibrium(parameters={"across": 10})
    return abs(found[f"b_y{elements}"] / 0.8106090248802981 - 1)


def rolled_up(elements: int) -> float:
    """A moment of 2 pi E I/L: how far from closed, over L."""
    start: Any = None
    for share in (0.25, 0.5, 0.75, 1):
        found = column(elements).equilibrium(parameters={"moment": 2 * math.pi * share}, initial=start)
        start = {str(q): found[str(q)] for q in column(elements).mechanism.coordinates}
    return math.hypot(found[f"b_x{elements}"], found[f"b_y{elements}"])


def critical(model: Any, load: str, value: float) -> float:
    """The error of the load at which the lowest stiffness falls through zero."""
    found = []
    for share in (0.99, 0.995):
        K = model.linearize(at=model.equilibrium(parameters={load: share * value})).K
        found.append(np.linalg.eigvalsh((K + K.T) / 2)[0])
    return abs(0.99 + 0.005 * found[0] / (found[0] - found[1]) - 1)


def euler(ends: tuple[str, str], k: float) -> Callable[[int], float]:
    """The error of the load of Euler."""
    return lambda elements: critical(column(elements, ends), "along", -((math.pi / k) ** 2))


def lateral(elements: int) -> float:
    """Prandtl's load of a strip; with E Iz = 1e4 E Iy it is higher by half a part in 1e4, twice."""
    from test_beams_published import strip

    return critical(strip(elements), "load", 4.012599343578898 / math.sqrt((1 - 1e-4) * (1 - 1e-4)))


def rotating(elements: int) -> float:
    """The first flapping frequency at 6 sqrt(E I/(rho A L^4)); Wright et al. 1982."""
    from test_flexible import column as made

    model = made(elements, stiffness=1e8)  # it stretches by 12/1e8
    steady = model.equilibrium(parameters={"speed": 6})
    found = np.sort(model.linearize(at=steady).poles().imag)
    return abs(math.sqrt(found[found > 1e-6][0] ** 2 + 36) / 7.360373019292946 - 1)


@cache
def rod(which: str) -> np.ndarray:
    """Where the tip is by the equations of the rod, as SciPy solves them."""
    import test_beams_published as cases

    return np.asarray(cases.tip_of_bend() if which == "bend" else cases.tip_of_princeton(13.345))


def bend(elements: int) -> float:
    """A bend of 45 degrees under 600 (Bathe, Bolourchi 1979), by the equations of the rod; over what it moves."""
    from test_beams_published import arc, bent

    moved = rod("bend") - arc(1)
    return float(np.abs(bent(elements) - rod("bend")).max() / np.abs(moved).max())


def princeton(elements: int) -> float:
    """The beam of Princeton under its largest load at 45 degrees, by the equations of the rod; over L."""
    from test_beams_published import princeton as made

    return float(np.abs(made(elements, (13.345,))[0] - rod("princeton")).max() / 0.508)


def cases() -> dict[str, Callable[[int], float]]:
    """What is measured, by what it is called in the table."""
    b = {"cantilever": (1.8751040687119611, 7.854757438237613, 14.13716839104647),
         "both ends free": (4.730040744862704, 10.995607838001671, 17.27875965739948),
         "pinned": (math.pi, 3 * math.pi, 5 * math.pi)}  # fmt: skip
    ends = {"cantilever": ("clamped", "free"), "both ends free": ("free", "free"), "pinned": ("pinned", "roller")}
    found: dict[str, Callable[[int], float]] = {
        f"frequency {2 * k + 1}, {name}": frequency(ends[name], 2 * k, value)
        for name, values in b.items() for k, value in enumerate(values)
    }  # fmt: skip
    found |= {"elastica, P L^2/(E I) = 10": elastica, "rolled up to a circle": rolled_up}
    found |= {
        "Euler, clamped and free": euler(("clamped", "free"), 2),
        "Euler, pinned": euler(("pinned", "roller"), 1),
        "Euler, clamped and pinned": euler(("clamped", "roller"), 0.6991556596428412),
        "Euler, clamped and guided": euler(("clamped", "guided"), 0.5),
        "rotating, frequency 1 at 6": rotating,
        "lateral buckling": lateral,
        "bend of 45 degrees": bend,
        "Princeton, 13.345 N at 45 degrees": princeton,
    }
    return found


def order(errors: list[float]) -> float:
    """The power of the number of elements with which errors fall, of the last two that are more than rounding."""
    good = [e for e in errors if e > ROUNDING]
    return math.log2(good[-2] / good[-1]) if len(good) > 1 else math.nan


def main() -> None:
    """Measure, print, save."""
    options = common.arguments(__doc__)
    few = ("frequency 1, pinned", "elastica, P L^2/(E I) = 10")
    rows = []
    for name, error in cases().items():
        if options.quick and name not in few:
            continue
        most = 2 if options.quick else 3 if name in ("bend of 45 degrees", "lateral buckling") else 4
        sizes = SIZES[:most]
        errors = [error(n) for n in sizes]
        more = {str(n): e for n, e in zip(sizes, errors, strict=True)} | {"order": order(errors)}
        rows.append(common.Row(name, "planar", "relative error", error=errors[-1], more=more))
        print(f"{name}: {'  '.join(f'{e:.1e}' for e in errors)}  order {order(errors):.1f}", flush=True)
    common.finish(NAME, QUESTION, rows, save=options.save)


if __name__ == "__main__":
    main()
