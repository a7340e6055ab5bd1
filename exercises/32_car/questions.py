"""The road: `python questions.py` makes road.csv anew. Two tracks of a poor road by ISO 8608, with a fixed seed.

The spectral density of the height over the spatial frequency n (1/m) is G(n) = G0 (n/n0)^-2, with n0 = 0.1 1/m and
G0 = 256e-6 m3, the middle of class C. Each track is a sum of waves of n = 0.01, 0.02, ... 2 1/m, with the
amplitudes sqrt(2 G(n) dn) and phases by chance. Waves longer than 5 m are alike
on both sides; the shorter ones are independent.
"""

import random
from math import cos, pi, sqrt
from pathlib import Path

SEED, G0, N0, STEP = 8608, 256e-6, 0.1, 0.01


def tracks(length=160.0, every=0.2):
    """Rows (s, left, right) in m, rounded to 0.01 mm."""
    draw = random.Random(SEED)
    waves = []
    for k in range(1, 201):
        n = k * STEP
        left, right = 2 * pi * draw.random(), 2 * pi * draw.random()
        waves.append((n, sqrt(2 * G0 * (n / N0) ** -2 * STEP), left, left if n < 0.2 else right))
    for k in range(round(length / every) + 1):
        s = k * every
        yield s, *(round(sum(a * cos(2 * pi * n * s + (p, r)[side]) for n, a, p, r in waves), 5) for side in (0, 1))


def text():
    """The file."""
    return "s,left,right\n" + "".join(f"{s:.1f},{left:.5f},{right:.5f}\n" for s, left, right in tracks())


if __name__ == "__main__":
    Path(__file__).with_name("road.csv").write_text(text(), encoding="utf-8", newline="\n")
