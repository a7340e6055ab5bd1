"""Colours that colour-blind people can distinguish: the set of Okabe and Ito (2008), and greys."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from easydyn.errors import InputError

PALETTE = {
    "blue": "#0072b2",
    "orange": "#e69f00",
    "green": "#009e73",
    "vermilion": "#d55e00",
    "sky": "#56b4e9",
    "purple": "#cc79a7",
    "yellow": "#f0e442",
}
GREYS = {"black": "#1a1a1a", "dark": "#4d4d4d", "grey": "#8c8c8c", "light": "#c8c8c8", "white": "#ffffff"}
COLOURS = PALETTE | GREYS
BODIES = tuple(PALETTE.values())
GROUND, MASSLESS, GRAVITY = GREYS["grey"], GREYS["light"], GREYS["dark"]
SPRING, DAMPER = GREYS["dark"], GREYS["grey"]
AXES = (PALETTE["vermilion"], PALETTE["green"], PALETTE["blue"])


def rgb(colour: str) -> np.ndarray:
    """The three whole numbers from 0 to 255 of "#rrggbb"."""
    return np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)])


def colour(value: Any) -> str | None:
    """The text "#rrggbb" for a name of the palette or for such a text; None stays None."""
    if value is None:
        return None
    if isinstance(value, str) and value in COLOURS:
        return COLOURS[value]
    if isinstance(value, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", value):
        return value.lower()
    raise InputError(f'colour={value!r}: expected one of {", ".join(COLOURS)}, or "#rrggbb".')
