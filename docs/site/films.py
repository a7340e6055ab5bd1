"""The section of the gallery that moves: the published mechanisms of tests/mechanisms, a small film each.

The films are drawn when the site is made, so that the repository need not carry them. Readers who wish for little
motion see the last picture, which stands still.
"""

from __future__ import annotations

import dataclasses
import sys
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
PLACE = Path("_static") / "mechanisms"
WIDTH, HEIGHT = 200, 150  # pixels
PICTURES = 24  # of a film
LONGEST = 4.0  # s, that a film takes; slower mechanisms are shown faster
COLOURS = 24
PALE = 0.4  # boxes of inertias, behind which springs and joints would hide

HEADING = """
## Forty-two published mechanisms

The examples of Modelica.Mechanics.MultiBody, written with features of easydyn alone, in `tests/mechanisms/published`,
one file each, which runs by itself. The page on [validation](validation.md) says how near they come to what is
published.

"""


def published() -> dict[str, Any]:
    """The registry of the mechanisms, by name."""
    if str(ROOT / "tests") not in sys.path:
        sys.path.append(str(ROOT / "tests"))
    from mechanisms.published import PUBLISHED

    return dict(PUBLISHED)


def words(case: Any) -> str:
    """What a mechanism is: the first sentence of its file, without its name."""
    text = (sys.modules[case.build.__module__].__doc__ or "").strip().split("\n\n")[0]
    said = " ".join(text.partition(": ")[2].split())
    return said[:1].upper() + said[1:]


def pictures(case: Any) -> np.ndarray:
    """A mechanism at instants of the same distance, bytes (instants, height, width, 3)."""
    from easydyn.visu import picture

    run = case.build()[0].simulate(case.t_final, tolerance=case.tolerance, save_every=case.t_final / 200)
    scene = run.animate(plots=()).scene
    scene.look(**case.view)
    for k, part in enumerate(scene.parts):
        if part.name == "body" and part.solid is not None and len(part.solid.nodes) == 8:
            scene.parts[k] = dataclasses.replace(part, opacity=PALE)
    animation = run.animate(scene=scene, plots=())
    chosen = np.linspace(0, len(animation.t) - 1, PICTURES).round().astype(int)
    frames, tips = animation.frames, animation.tips
    return np.array([picture.pixels(scene, frames[k], tips[k], WIDTH, HEIGHT) for k in chosen])


def film(name: str, case: Any, folder: Path) -> tuple[Path, Path]:
    """Write the film of a mechanism, and its last picture."""
    from PIL import Image

    drawn = [Image.fromarray(each) for each in pictures(case)]
    together = Image.new("RGB", (WIDTH, HEIGHT * len(drawn)))
    for k, each in enumerate(drawn):
        together.paste(each, (0, HEIGHT * k))
    few = together.quantize(colors=COLOURS, method=Image.Quantize.MEDIANCUT)
    first, *others = (each.quantize(palette=few, dither=Image.Dither.NONE) for each in drawn)
    pause = round(1000 * min(case.t_final, LONGEST) / PICTURES / 10) * 10  # ms; films count in hundredths of a second
    moving, still = folder / f"{name}.gif", folder / f"{name}.png"
    first.save(moving, save_all=True, append_images=others, duration=max(pause, 30), loop=0, optimize=True)
    others[-1].save(still, optimize=True)
    return moving, still


def card(name: str, case: Any) -> str:
    """A mechanism in the page: its film, its name, what it is."""
    said, place = words(case), f"../{PLACE.as_posix()}/{name}"
    return (
        f'<figure><picture><source media="(prefers-reduced-motion: reduce)" srcset="{place}.png">'
        f'<img src="{place}.gif" alt="{escape(said)}" width="{WIDTH}" height="{HEIGHT}" loading="lazy"></picture>'
        f"<figcaption><strong>{escape(name.partition('.')[2])}</strong> {escape(said)}</figcaption></figure>"
    )


def section(sources: Path) -> str:
    """Draw all films into the sources of the site; returns what the gallery says of them."""
    cases = published()
    folder = sources / PLACE
    folder.mkdir(parents=True, exist_ok=True)
    for name, case in cases.items():
        film(name, case, folder)
    groups: dict[str, list[str]] = {}
    for name, case in cases.items():
        groups.setdefault(name.partition(".")[0], []).append(card(name, case))
    text = [HEADING]
    for group, cards in groups.items():
        text += [f"### {group}\n", '<div class="mechanisms">', *cards, "</div>\n"]
    return "\n".join(text)
