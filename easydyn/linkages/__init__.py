"""Ready-made linkages: functions that add bodies and closures to a model, each with its closed form.

    from easydyn.linkages import four_bar

    linkage = four_bar(model, ground=0.9, crank=0.3, coupler=0.8, rocker=0.6)

Each function is a few readable lines based on `model.close`; `linkage.py` has their common part. A new linkage is a new
file.
"""

from easydyn.linkages.crank_slider import crank_slider, engine_cylinder
from easydyn.linkages.four_bar import bar_with_cylinder, four_bar, four_bar_with_slide, stephenson, watt
from easydyn.linkages.geneva import geneva
from easydyn.linkages.hexapod import hexapod
from easydyn.linkages.linkage import Linkage
from easydyn.linkages.scissor import scissor
from easydyn.linkages.steering import steering

__all__ = [
    "Linkage", "bar_with_cylinder", "crank_slider", "engine_cylinder", "four_bar", "four_bar_with_slide", "geneva",
    "hexapod", "scissor", "steering", "stephenson", "watt",
]  # fmt: skip
