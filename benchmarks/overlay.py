"""What does it take to draw a mechanism over a film of 150 frames of 1280 x 720 pixels, and to write it as a film?

python benchmarks/overlay.py        seconds of the processor, of Python and of ffmpeg together

The film is made first: a wall of coloured tiles with the noise of a camera, and a bob on a string before it.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image, ImageDraw

from easydyn import Model, lab, tdisp, trotz
from easydyn.lab import footage

SIZE, COUNT, RATE = (1280, 720), 150, 30


def used() -> float:
    """Seconds of the processor so far, with those of other programs that have ended."""
    return sum(os.times()[:4])


def main() -> None:
    """Measure and print."""
    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0.9)
    bob = model.body("bob", trotz(q) * tdisp(0, -1.1, 0), mass=1, inertia=(0, 0, 0))
    run = model.simulate((COUNT - 1) / RATE, save_every=1 / RATE, method="dop853")
    camera = lab.Camera(model, scale=430, origin=(640, 150), angle=0.03)
    places = camera.pixels(run.of(bob.T.e))
    rng = np.random.default_rng(0)
    wall = np.kron(rng.integers(60, 200, (72, 128, 3)), np.ones((10, 10, 1))).astype(np.int16)

    def images():
        for u, v in places:
            noise = rng.integers(-4, 5, (SIZE[1], SIZE[0], 1), dtype=np.int16)
            image = Image.fromarray((wall + noise).clip(0, 255).astype(np.uint8))
            pen = ImageDraw.Draw(image)
            pen.line((640, 150, u, v), fill=(30, 30, 30), width=4)
            pen.ellipse((u - 20, v - 20, u + 20, v + 20), fill=(200, 200, 0))
            yield image

    with TemporaryDirectory() as folder:
        film = Path(folder) / "film.mp4"
        footage.write(film, film, images(), np.arange(COUNT) / RATE)
        begun = used()
        overlay = run.overlay(film, camera)
        overlay.save(Path(folder) / "page.html")
        print(f"page: {used() - begun:.1f} s, {(Path(folder) / 'page.html').stat().st_size / 1000:.0f} kB")
        for name in ("overlay.mp4", "overlay.gif", "overlay.png"):
            begun = used()
            path = overlay.save(Path(folder) / name)
            print(f"{name}: {used() - begun:.1f} s, {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
