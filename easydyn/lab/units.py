"""Units as programs write them: each with the SI unit in which a recording holds its values, and the factor to it."""

from __future__ import annotations

import math
import re

_DEGREE, _TURN, _G = math.pi / 180, 2 * math.pi, 9.80665  # rad, rad, m/s^2
_WRITTEN = {
    "s": "s 1 sec 1 second 1 seconds 1 sek 1 ms 1e-3 millis 1e-3 us 1e-6 µs 1e-6 micros 1e-6 ns 1e-9 min 60 h 3600",
    "m": "m 1 meter 1 meters 1 metre 1 metres 1 cm 1e-2 mm 1e-3 um 1e-6 µm 1e-6 km 1e3 in 0.0254 inch 0.0254 ft 0.3048",
    "px": "px 1 pixel 1 pixels 1", "Hz": "hz 1", "kg": "kg 1 g_mass 1e-3", "N": "n 1 kn 1e3", "N m": "nm 1 n*m 1",
    "m/s": "m/s 1 cm/s 1e-2 mm/s 1e-3 km/h 0.2777777777777778", "V": "v 1 mv 1e-3", "A": "a 1 ma 1e-3",
    "m/s^2": f"m/s^2 1 m/s2 1 m/s/s 1 cm/s^2 1e-2 mm/s^2 1e-3 g {_G!r}", "uT": "ut 1 µt 1",
    "rad": f"rad 1 radian 1 radians 1 deg {_DEGREE!r} degree {_DEGREE!r} degrees {_DEGREE!r} ° {_DEGREE!r} "
           f"grad {_DEGREE!r} rev {_TURN!r} mrad 1e-3",
    "rad/s": f"rad/s 1 deg/s {_DEGREE!r} °/s {_DEGREE!r} dps {_DEGREE!r} rev/s {_TURN!r} rpm {_TURN / 60!r}",
    "rad/s^2": f"rad/s^2 1 rad/s2 1 deg/s^2 {_DEGREE!r} °/s^2 {_DEGREE!r}",
}  # fmt: skip
UNITS = {
    word: (si, float(factor))
    for si, text in _WRITTEN.items()
    for word, factor in zip(text.split()[::2], text.split()[1::2], strict=True)
}
_SIGNS = str.maketrans({"²": "^2", "·": "*", "⋅": "*", "º": "°", "μ": "µ"})


def unit_of(text: str) -> tuple[str, float] | None:
    """The SI unit and the factor to it of a unit as it is written, "°/s" or "cm"; None of one that is not known."""
    plain = re.sub(r"\s+|\*\*(?=2)", lambda found: "^" if "*" in found[0] else "", text.strip().translate(_SIGNS))
    return UNITS.get(plain) or UNITS.get(plain.lower())
