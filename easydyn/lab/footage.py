"""Films as pictures at instants: ffmpeg, through pipes, says when each frame is shown, decodes frames and codes others.

The times are those in the file, and not numbers of frames over a rate: a phone leaves frames out. They begin with 0 at
the first frame.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np

from easydyn.errors import FileError, MissingDependencyError
from easydyn.files import cannot_write, ffmpeg

_BASE = re.compile(rb"config in time_base: (\d+)/(\d+)")
_FRAME = re.compile(rb" pts: *(-?\d+) .* s:(\d+)x(\d+) ")
FASTEST, GIF_RATE, GIF_WIDTH = 120.0, 12.5, 640  # frames per second of what is written, px


class Footage(NamedTuple):
    """When each frame of a film is shown, `t` (N,) in s, and its `width` and `height` (px)."""

    t: np.ndarray
    width: int
    height: int


def _command(*words: str) -> list[str]:
    program = ffmpeg()
    if program is None:
        raise MissingDependencyError(
            'films are read and written by the program ffmpeg, which is not there: pip install "easydyn[lab]", or save '
            "an .html, or a .gif of an animation, which need nothing."
        )
    return [program, "-hide_banner", *words]


def _input(film: Path) -> tuple[str, ...]:
    return "-nostdin", "-protocol_whitelist", "file", "-i", str(film.absolute()), "-map", "0:v:0"


def footage(film: Path) -> Footage:
    """When the frames of a film are shown, and their size; FileError where ffmpeg finds no film."""
    command = _command(*_input(film), "-vf", "showinfo", "-f", "null", "-")
    said = subprocess.run(command, capture_output=True).stderr
    base, frames = _BASE.search(said), _FRAME.findall(said)
    if base is None or not frames:
        raise FileError(f"'{film}' is no film that ffmpeg can read: {_last(said) or 'it said nothing'}.")
    ticks = np.array([int(pts) for pts, _, _ in frames])
    return Footage((ticks - ticks[0]) * int(base[1]) / int(base[2]), *map(int, frames[0][1:]))


def pictures(film: Path, size: Footage, frames: Sequence[int]) -> Iterator[Any]:
    """Frames of a film, by numbers without gaps, as pictures of Pillow.

    They are decoded as if 25 were shown in a second, so that each comes once, however long it is shown.
    """
    from PIL import Image

    chosen = f"select='between(n,{frames[0]},{frames[-1]})',setpts=PTS-STARTPTS"
    command = _command("-v", "error", "-r", "25", *_input(film), "-vf", chosen, "-r", "25", "-pix_fmt", "rgb24",
                       "-frames:v", str(len(frames)), "-f", "rawvideo", "-")  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as decoder:
        assert decoder.stdout is not None
        try:
            for number in frames:
                data = decoder.stdout.read(3 * size.width * size.height)
                if len(data) < 3 * size.width * size.height:
                    raise FileError(f"frame {number} of '{film}' cannot be decoded: the film may not be whole.")
                yield Image.frombytes("RGB", (size.width, size.height), data)
        finally:
            decoder.kill()


def write(place: Path, path: Path, images: Iterable[Any], t: np.ndarray) -> None:
    """Write pictures of Pillow, shown from instants t (N,) on, to an .mp4 or a .gif at `place`, to become `path`.

    These have so many frames per second: a frame that lasted longer is there several times.
    """
    step = float(np.median(np.diff(t))) if len(t) > 1 else 0.04
    rate = min(FASTEST, 1 / step)
    times = np.diff(np.round(np.append(t - t[0], t[-1] - t[0] + step) * rate)).astype(int).tolist()
    images = iter(images)
    first = next(images)
    command = _coding(place, first.size, rate)
    with TemporaryFile() as log, subprocess.Popen(command, stdin=subprocess.PIPE, stderr=log) as coder:
        assert coder.stdin is not None
        with suppress(BrokenPipeError), coder.stdin as pipe:
            for image, count in zip(chain([first], images), times, strict=True):
                pipe.write(image.tobytes() * count)
        if status := coder.wait():
            log.seek(0)
            raise cannot_write(path, f"ffmpeg failed, {_last(log.read()) or f'status {status}'}")


def _coding(place: Path, size: tuple[int, int], rate: float) -> list[str]:
    """The command that makes a film of pictures that come through a pipe."""
    if place.suffix.lower() == ".gif":
        few = "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none"
        form = "-vf", f"fps={min(rate, GIF_RATE)},scale={min(size[0], GIF_WIDTH)}:-1,{few}"
    else:
        known = subprocess.run(_command("-encoders"), capture_output=True).stdout
        quick = ("-c:v", "libx264", "-preset", "ultrafast") if b"libx264" in known else ("-q:v", "4")
        form = "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", *quick, "-pix_fmt", "yuv420p"
    return _command("-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}",
                    "-r", f"{rate:.6f}", "-i", "pipe:0", *form, str(place.absolute()))  # fmt: skip


def _last(said: bytes) -> str:
    """The last line that a program said."""
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip(" .") if lines else ""
