"""Sliders for coordinates: of a page, or of ipywidgets in a notebook.

The page computes T(q) itself, from a program that it contains as data. Of the widgets Python can read the values.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.files import package
from easydyn.inputs import a, among, by_name, expect, low_high, name_in
from easydyn.result.plots import png
from easydyn.visu import motion
from easydyn.visu.motion import frames_and_tips
from easydyn.visu.page import Page, as_data, data_of
from easydyn.visu.picture import placed
from easydyn.visu.scene import Scene

LOST = "The mechanism cannot be assembled here: shown where it last could."


@answers
def explore(scene: Scene, limits: Mapping[str, Any] | None = None, backend: str = "html") -> Any:
    """The page, or sliders of ipywidgets; documented at `Model.explore`."""
    expect(among(backend, ("html", "ipywidgets")), "backend", backend, '"html" or "ipywidgets"')
    page = _page(a(Scene, scene, "scene", "a Scene, such as model.scene()"), limits)
    if backend == "html":
        return page
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


class Explorer:
    """Sliders and a picture in a notebook, made by `model.explore(backend="ipywidgets")`.

    Attributes
    ----------
    sliders : dict
        A `FloatSlider` for every coordinate, and for the time t of driven models, by name.
    picture : ipywidgets.Image
    message : ipywidgets.Label
        A message if the mechanism cannot be assembled.
    widget : ipywidgets.VBox
        All of it.

    Raises
    ------
    MissingDependencyError
        ipywidgets is not installed.
    """

    def __init__(self, page: Page):
        ipywidgets = package("ipywidgets", 'backend="ipywidgets"', "ipywidgets, or leave the backend out")
        from matplotlib import pyplot

        self.scene, program = page.scene, page.data["program"]
        self._listed, self._qd = program["sliders"], np.array(program["qd"])
        self._q = np.array(program["q"])
        self.sliders: dict[str, Any] = {}
        for given in self._listed:
            words = f"{given['name']} [{given['unit']}]" if given["unit"] else given["name"]
            slider = ipywidgets.FloatSlider(
                value=given["value"], min=given["low"], max=given["high"], step=(given["high"] - given["low"]) / 1000,
                description=words, readout_format=".3g", continuous_update=False,
                style={"description_width": "initial"}, layout={"width": "100%"},
            )  # fmt: skip
            slider.observe(self._moved, "value")
            self.sliders[given["name"]] = slider
        figure = pyplot.figure(figsize=(6, 4))
        self._figure, self._axes = figure, figure.add_axes((0, 0, 1, 1))
        pyplot.close(figure)  # it stays whole, and pyplot forgets it
        self.picture = ipywidgets.Image(format="png", layout={"max_width": "100%"})
        self.message = ipywidgets.Label()
        self.widget = ipywidgets.VBox([self.picture, *self.sliders.values(), self.message])
        self._moved()

    @property
    def values(self) -> dict[str, float]:
        """The values of the coordinate sliders: `model.simulate(5, initial=explorer.values)`."""
        return {s["name"]: float(self.sliders[s["name"]].value) for s in self._listed if s["slot"] == "q"}

    def _located(self) -> tuple[np.ndarray, np.ndarray]:
        t, q = 0.0, self._q.copy()
        for given in self._listed:
            value = float(self.sliders[given["name"]].value)
            if given["slot"] == "t":
                t = value
            else:
                q[given["index"]] = value
        with np.errstate(all="ignore"):  # where it cannot be assembled is told in words
            return frames_and_tips(self.scene, np.array([t]), q[None], self._qd[None])

    def _moved(self, _change: Any = None) -> None:
        frames, tips = self._located()
        lost = not np.isfinite(frames).all()
        self.message.value = LOST if lost else ""
        if lost:
            return
        self._axes.clear()
        placed(self.scene, frames[0], tips[0], self._axes)
        self.picture.value = png(self._figure, dpi=100)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return self.widget._repr_mimebundle_(**options)

    def __repr__(self) -> str:
        return f"Explorer of {self.scene!r}: sliders {', '.join(self.sliders)}"
