"""How large is the page of a player, how long does it take to be made, and how fluently does it play?

Ten bodies in space, a thousand frames. The page is made from a run that is there; its size is told without the code of
the player. Frames a second are counted in headless Chromium that draws in software, without a graphics card: with WebGL
and on a plain canvas; a browser draws at most 60.
"""

from __future__ import annotations

import sys
import tempfile
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import common

NAME = "player"
QUESTION = "A page of 1000 frames of 10 bodies: made in less than 1 s, below 500 kB, played with 30 frames a second"
BODIES, FRAMES = 10, 1000
SECONDS = 4.0  # of playing
API = "document.querySelector('.easydyn').easydyn"


def chain() -> Any:
    """Ten rods in space, on pins along x and z by turns."""
    from easydyn import Model, tdisp, trotx, trotz

    model = Model("chain", gravity=(0, -9.81, 0))
    place = tdisp(0, 0, 0)
    for i, q in enumerate(model.coordinates([f"q{i}" for i in range(BODIES)], initial=[0.3] * BODIES)):
        place = place * (trotx if i % 2 else trotz)(q)
        model.body(f"rod {i}", place * tdisp(0, -0.25, 0), mass=1, inertia=(1 / 48, 1e-4, 1 / 48))
        place = place * tdisp(0, -0.5, 0)
    return model


def frames_a_second(page: Any, folder: Path) -> tuple[float, str]:
    """How many pictures are drawn in a second of playing, and by what."""
    sys.path.insert(0, str(common.HERE.parent / "tests"))
    import browser

    if browser.program() is None:
        raise common.NotInstalled("Chromium")
    path = folder / "player.html"
    path.write_text(page.html, encoding="utf-8")
    with browser.Browser(folder) as started:
        shown = started.open(path)
        shown.settle()
        shown.click("[aria-label=Play]")
        shown.until(f"{API}.time() > 0.5")
        before, began = shown.run(f"[{API}.state.drawn, performance.now()]")
        time.sleep(SECONDS)
        after, ended = shown.run(f"[{API}.state.drawn, performance.now()]")
        return 1000 * (after - before) / (ended - began), shown.run(f"{API}.renderer()")


def main() -> None:
    """Measure, print, save."""
    options = common.arguments(__doc__)
    from easydyn import visu

    run = chain().simulate(10, save_every=0.01, target=options.target)

    def made() -> Any:
        return run.animate(every=10 / (FRAMES - 1))

    timing = common.interleave({"page": lambda: made().html}, rounds=3 if options.quick else 9)["page"]
    animation = made()
    assert len(animation.t) == FRAMES and len(animation.scene.system.mechanism.bodies) == BODIES
    code = sum(len((files("easydyn.visu") / name).read_bytes()) for name in ("drawing.js", "player.js", "player.css"))
    size = (len(animation.html.encode()) - code) / 1000
    more = {"kB without the player": round(size), "kB of the player": round(code / 1000)}
    rows = [common.Row("chain of 10 rods", "spatial", "page of 1000 frames", seconds=timing.median, more=more)]
    for renderer in () if options.quick else ("WebGL", "canvas"):
        page = visu.Page(animation.scene, animation.data | {"renderer": renderer})
        row = common.Row("chain of 10 rods", "spatial", f"one frame, played, {renderer} in software")
        rows.append(row)
        try:
            with tempfile.TemporaryDirectory() as name:
                rate, drawn = frames_a_second(page, Path(name))
        except common.NotInstalled as error:
            row.status = f"not installed: {error}"
            continue
        assert drawn == renderer
        row.seconds, row.more = 1 / rate, {"frames a second": round(rate)}
    common.finish(NAME, QUESTION, rows, save=options.save)


if __name__ == "__main__":
    main()
