"""A pendulum before a camera: a film is read, fitted, compared, and the simulation is drawn over it.

`python -m easydyn demo measured`. The film and the file of Tracker are made here, from a motion with known values, so
that it can be seen what a fit finds. There is noise of one pixel, a post hides the bob now and then, and who calibrated
the film has taken the stick for 4 % longer than it is.

Lesson: the camera is part of the model. Its scale, its origin and its angle are unknowns like the length of the string,
and the period tells the length in metres.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from easydyn import GeneralizedForce, Model, Trajectory, lab, tdisp, trotz
from easydyn.files import ffmpeg, write_text
from easydyn.lab import footage

TRUE = {"length": 0.62, "c": 0.014, "q": 0.9, "q.dot": 0.3}
CAMERA: dict[str, Any] = {"scale": 520.0, "origin": (330.0, 60.0), "angle": 0.02}
SIZE, RATE, FRAMES = (640, 480), 30, 120
POST = (215.0, 245.0)  # from where to where in the picture the bob is hidden (px)


def pendulum() -> tuple[Model, Any]:
    """A mass on a string with a little friction, and its bob.

    >>> model, bob = pendulum()
    >>> model.names
    ('q',)
    """
    model = Model("measured pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0.7)
    length, c = model.parameters(length=0.5, c=0.01)
    bob = model.body("bob", trotz(q) * tdisp(0, -length, 0), mass=0.2, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, -c * q.dot))
    return model, bob


def motion() -> tuple[Trajectory, np.ndarray]:
    """What happened, and in which pixels (N, 2) the bob was."""
    model, bob = pendulum()
    values = {name: TRUE[name] for name in ("length", "c")}
    start = {name: TRUE[name] for name in ("q", "q.dot")}
    run = model.simulate((FRAMES - 1) / RATE, parameters=values, initial=start, save_every=1 / RATE, method="dop853")
    return run, lab.Camera(model, **CAMERA).pixels(run.of(bob.T.e))


def filmed(path: Path, places: np.ndarray) -> Path:
    """Draw a film of a bob that is at these places (N, 2), in px."""
    from PIL import Image, ImageDraw

    def images() -> Iterator[Any]:
        for u, v in 2 * places:
            image = Image.new("RGB", (2 * SIZE[0], 2 * SIZE[1]), (226, 222, 212))
            pen = ImageDraw.Draw(image)
            pen.rectangle((0, 880, 1280, 960), fill=(150, 128, 104))
            pen.rectangle((520, 96, 800, 120), fill=(90, 90, 96))
            pen.line((660, 120, u, v), fill=(70, 70, 70), width=4)
            pen.ellipse((u - 26, v - 26, u + 26, v + 26), fill=(64, 84, 110))
            pen.rectangle((2 * POST[0], 300, 2 * POST[1], 960), fill=(190, 182, 168))
            yield image.resize(SIZE, Image.Resampling.LANCZOS)

    footage.write(path, path, images(), np.arange(len(places)) / RATE)
    return path


def tracked(path: Path, places: np.ndarray) -> Path:
    """Write what Tracker would have saved of that film: pixels with noise, none where the bob is hidden."""
    noisy = places + np.random.default_rng(7).normal(size=places.shape)

    def listed(**values: Any) -> str:
        return "".join(f'<property name="{name}">{value}</property>' for name, value in values.items())

    points = "".join(
        f'<property name="[{k}]"><object>{listed(x=f"{u:.4f}", y=f"{v:.4f}")}</object></property>'
        for k, (u, v) in enumerate(noisy.tolist()) if not POST[0] < u < POST[1]
    )  # fmt: skip
    axes = listed(xorigin=300, yorigin=80, angle=0, xscale=CAMERA["scale"] / 1.04)
    frames = f'<property name="framedata"><property name="[0]"><object>{axes}</object></property></property>'
    film = listed(delta_t=1000 / RATE, width=SIZE[0], height=SIZE[1], startframe=0)
    track = f'<object>{listed(name="mass A")}<property name="framedata">{points}</property></object>'
    return write_text(
        path,
        f'<?xml version="1.0" encoding="UTF-8"?>\n<object class="TrackerPanel">{film}'
        f'<property name="coords"><object>{frames}</object></property>'
        f'<property name="tracks"><property name="item">{track}</property></property></object>\n',
    )


def story(folder: Path) -> Iterator[str]:
    """Make film and track in a folder, read, fit, compare and overlay; yields what is to be told of each step."""
    run, places = motion()
    track = tracked(folder / "measured.trk", places)
    yield f"wrote {track}: what Tracker would have saved"
    film = lab.read(track)
    yield str(film)
    model, bob = pendulum()
    camera = lab.Camera(model, film)
    seen = camera.sees(bob.T.e, "mass A")
    fit = model.fit(film, ["length", "c", *camera.unknowns], to=seen, start="measured")
    yield str(fit)
    yield "in truth: " + ", ".join(f"{name} {value:g}" for name, value in TRUE.items()) + ", camera_scale 520"
    fit.compare()[0].figure.savefig(folder / "measured.png")
    yield f"wrote {folder / 'measured.png'}: measured and simulated"
    if ffmpeg() is None:
        yield 'no film, as there is no ffmpeg: pip install "easydyn[lab]"'
        return
    overlay = fit.overlay(filmed(folder / "measured.mp4", places), camera)
    yield f"wrote {overlay.film}"
    yield f"wrote {overlay.save(folder / 'measured.html')}: the simulation over the film"
    yield f"wrote {overlay.save(folder / 'measured_overlay.png', at=1.4)}: one frame of it"
