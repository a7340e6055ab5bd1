"""Sliders for coordinates: the page computes T(q) itself, from a program that it contains as data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.inputs import a, among, by_name, expect, low_high, name_in
from easydyn.visu import motion
from easydyn.visu.motion import frames_and_tips
from easydyn.visu.page import Page, as_data, data_of
from easydyn.visu.scene import Scene


@answers
def explore(scene: Scene, limits: Mapping[str, Any] | None = None, backend: str = "html") -> Any:
    """The page, or sliders of ipywidgets; documented at `Model.explore`."""
    expect(among(backend, ("html", "ipywidgets")), "backend", backend, '"html" or "ipywidgets"')
    page = _page(a(Scene, scene, "scene", "a Scene, such as model.scene()"), limits)
    if backend == "html":
        return page
    from easydyn.visu.widgets import Explorer

    return Explorer(page)


def _page(scene: Scene, limits: Mapping[str, Any] | None) -> Page:
    system = scene.system
    m = system.mechanism
    q, qd = scene.initial
    given = by_name(limits, "limits", '{"q1": (-1, 1)}')
    names = [str(c) for c in m.coordinates] + (["t"] if m.driven else [])
    sliders: list[dict[str, Any]] = []
    for j, name in enumerate(names):
        value = 0.0 if name == "t" else float(q[j])
        unit = "s" if name == "t" else m.units.get(name, "")
        reach = 10.0 if name == "t" else math.pi if unit == "rad" else max(scene.size / 2, 1e-9)
        low, high = (0.0, reach) if name == "t" else (value - reach, value + reach)
        if name in given:
            low, high = low_high(given.pop(name), f"the limits of {name}")
            value = min(max(value, low), high)
        slot = "t" if name == "t" else "q"
        sliders.append({"name": name, "unit": unit, "slot": slot, "index": j, "low": low, "high": high, "value": value})
    for name in given:
        name_in(name, names, "limits has {!r}: there are sliders for {}.")
    start = np.array([s["value"] for s in sliders if s["slot"] == "q"] + [0.0] * (system.n - len(m.coordinates)))
    scene = scene.copy()
    frames, tips = frames_and_tips(scene, np.zeros(1), start[None], qd[None])
    data = data_of(scene, np.nan_to_num(frames), tips)
    written = as_data(motion.program(scene), system)
    data["program"] = written | {"sliders": sliders, "q": start.tolist(), "qd": qd.tolist(), "time": 0.0}
    data["digits"] = 2
    return Page(scene, data)
