"""The simulated mechanism over a film: where it is drawn, at the times of the film, in pages, pictures and films."""

import json
import re
import subprocess
import sys

import numpy as np
import pytest
from mistakes import explained
from PIL import Image

from easydyn import Model, Spring, Trajectory, ground, lab, tdisp, trotx, trotz
from easydyn.errors import FileError
from easydyn.files import ffmpeg
from easydyn.lab import footage as films
from easydyn.lab.footage import Footage, footage
from easydyn.visu import overlay as overlays

needs_ffmpeg = pytest.mark.skipif(ffmpeg() is None, reason="films need ffmpeg, or the package imageio-ffmpeg")
RED = 37 * np.arange(60) % 101  # of each frame: neighbours are unlike
VERMILION = np.array([0xD5, 0x5E, 0x00])


def hung():
    model = Model("bob <b>", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0.9)
    bob = model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    model.add(Spring((bob, (0, 0.5, 0)), (ground, (0.8, -0.5, 0)), stiffness=0.1, free_length=1))
    return model, bob


@pytest.fixture(scope="module")
def swing():
    """A run of two seconds, and the bob."""
    model, bob = hung()
    return model.simulate(2, save_every=0.02, method="dop853"), bob


def camera(recording=None, **options):
    return lab.Camera(Model("of a camera"), recording, **options)


@pytest.fixture
def still(tmp_path, monkeypatch):
    """A film of grey frames at uneven times, without ffmpeg, and where it is."""
    t = np.array([0, 0.03, 0.07, 0.1, 0.6, 0.63, 1.2, 2.4])
    monkeypatch.setattr(overlays, "footage", lambda film: Footage(t, 640, 480))
    grey = Image.new("RGB", (640, 480), (128, 128, 128))
    monkeypatch.setattr(overlays, "pictures", lambda film, size, frames: (grey.copy() for _ in frames))
    path = tmp_path / "a film.mp4"
    path.write_bytes(b"film")
    return path


def spot(image, colour=VERMILION):
    """The middle of what has a colour in a picture (px), where pixel 0 is from 0 to 1."""
    rows, columns = np.nonzero(np.abs(np.asarray(image.convert("RGB")).astype(int) - colour).max(axis=2) < 40)
    return np.array([columns.mean(), rows.mean()]) + 0.5


@pytest.mark.parametrize("y_up", [False, True])
def test_the_bob_is_drawn_where_the_camera_sees_it(swing, still, tmp_path, y_up):
    run, bob = swing
    phone = camera(scale=300, origin=(320, 380 if y_up else 100), angle=0.05, y_up=y_up)
    for at, shown in ((0.61, 0.6), (1.1, 1.2)):
        path = run.overlay(still, phone, trace=0).save(tmp_path / "bob.png", at=at)
        u, v = phone.pixels(run.at([shown]).of(bob.T.e))[0]
        assert np.abs(spot(Image.open(path)) - (u, 480 - v if y_up else v)).max() < 0.7


def test_corners_and_pictures_of_another_size(swing, still, tmp_path):
    """A homography, and a recording that counted the pixels of a picture twice as large."""
    run, bob = swing
    seen = lab.recording.Calibration(scale=600, origin=(640, 200), size=(1280, 960))
    film = lab.Recording([0, 1], {"A x": [0, 1], "A y": [0, 1]}, {"A x": "px", "A y": "px"}, camera=seen)
    phone = camera(film)
    path = run.overlay(still, phone, trace=0).save(tmp_path / "bob.png", at=0)
    assert np.abs(spot(Image.open(path)) - phone.pixels(run.of(bob.T.e)[:1])[0] / 2).max() < 0.7
    oblique = camera(corners={(-1, -1): (30, 400), (1, -1): (600, 460), (1, 0): (610, 30), (-1, 0): (25, 60)})
    path = run.overlay(still, oblique, points={"A": bob}, trace=0).save(tmp_path / "bob.png", at=1.2)
    assert np.abs(spot(Image.open(path)) - oblique.pixels(run.at([1.2]).of(bob.T.e))[0]).max() < 0.7
    traced = Image.open(run.overlay(still, oblique, points={"A": bob}, trace=0.4).save(tmp_path / "bob.png", at=1.2))
    for u, v in oblique.pixels(run.at([0.85, 1.0, 1.1]).of(bob.T.e)).astype(int):
        there = np.asarray(traced)[v - 1 : v + 2, u - 1 : u + 2].astype(int)
        assert (np.abs(there - VERMILION).max(axis=2) < 40).any()


def test_frames_outside_the_run_are_left_out_and_the_zero_of_the_run_may_be_any_frame(swing, still):
    over = swing[0].overlay(still, camera(scale=300, origin=(320, 100)))
    assert over._within() == [0, 1, 2, 3, 4, 5, 6]
    over = swing[0].overlay(still, over.camera, frame=4)
    assert np.allclose(over.footage.t, np.array([0, 0.03, 0.07, 0.1, 0.6, 0.63, 1.2, 2.4]) - 0.6)
    assert over._within() == [4, 5, 6, 7]
    known = lab.recording.Calibration(scale=1, origin=(0, 0), start=0.6)
    late = camera(lab.Recording([0, 1], {"A x": [0, 1], "A y": [0, 1]}, camera=known))
    assert np.allclose(swing[0].overlay(still, late).footage.t, over.footage.t)
    page = swing[0].overlay(still, late).save(still.with_suffix(".html")).read_text(encoding="utf-8")
    assert '"offset":0.6' in page


def test_a_page_draws_over_the_film_beside_it(swing, still, tmp_path):
    """It needs neither ffmpeg nor Pillow; names of the user's do not end a tag or a script."""
    run, bob = swing
    name = '"></script><img src=x onerror=alert(1)>'
    film = still.rename(still.with_name("a #1 & b'.mp4"))
    over = run.overlay(film, camera(scale=300, origin=(320, 100)), points={name: bob.T.e})
    page = over.save(tmp_path / "deep.html").read_text(encoding="utf-8")
    assert "<img src=x" not in page and "bob <b>" not in page
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert data["film"] == "a%20%231%20%26%20b%27.mp4"
    assert len(data["motion"]["poses"]) < 60_000 and data["motion"]["count"] == 240
    kinds = [part["kind"] for part in data["parts"]]
    assert kinds.count("centre") == 1 and kinds.count("between") == 1 and kinds.count("solid") >= 2
    (tmp_path / "sub").mkdir()
    assert '"film":"../a%20%231' in over.save(tmp_path / "sub" / "page.html").read_text(encoding="utf-8")
    whole = over.save(tmp_path / "whole.html", embed=True).read_text(encoding="utf-8")
    assert '"film":"data:video/mp4;base64,ZmlsbQ=="' in whole
    assert "sandbox" in over._repr_html_()


def test_outlines_are_convex_hulls_and_ends_of_lines():
    found = overlays.outline(np.array([(0, 0), (2, 0), (2, 2), (1, 1), (0, 2), (1, 0.0)]))
    assert sorted(found) == [[0, 0], [0, 2], [2, 0], [2, 2]]
    assert overlays.outline(np.array([(0, 0), (1, -2), (0.5, -1.0)])) in ([[0, 0], [1, -2]], [[1, -2], [0, 0]])


@pytest.fixture(scope="module")
def film(tmp_path_factory):
    """Sixty frames at 30 per second, of which nine are left out, and the times of the others."""
    folder = tmp_path_factory.mktemp("film")
    left = [0, *range(2, 10), *range(14, 33), *range(35, 59), 59]
    images = [Image.new("RGB", (160, 120), (RED[k], 128, 255)) for k in range(60)]
    films.write(folder / "whole.mp4", "whole.mp4", iter(images), np.arange(60) / 30)
    chosen = "+".join(f"eq(n,{k})" for k in left)
    command = [ffmpeg(), "-v", "error", "-i", "whole.mp4", "-vf", f"select='{chosen}'", "-vsync", "vfr", "gaps.mp4"]
    if subprocess.run(command, cwd=folder).returncode:
        command[command.index("-vsync")] = "-fps_mode"
        subprocess.run(command, cwd=folder, check=True)
    return folder / "gaps.mp4", np.array(left) / 30


@needs_ffmpeg
def test_the_times_of_frames_are_those_of_a_film_with_gaps(film):
    path, t = film
    found = footage(path)
    assert found.width == 160 and found.height == 120 and len(found.t) == len(t)
    assert np.abs(found.t - t).max() < 1e-6


@needs_ffmpeg
def test_each_frame_comes_once_and_a_written_film_keeps_the_times(film, tmp_path):
    path, t = film
    size = footage(path)
    colours = [np.asarray(image)[60, 80, 0] for image in films.pictures(path, size, range(5, len(t)))]
    own = RED[(30 * t).round().astype(int)]
    assert np.abs(np.array(colours, int) - own[5:]).max() < 12
    films.write(tmp_path / "odd.mp4", "odd.mp4", (image.crop((0, 0, 99, 77)) for image in
                films.pictures(path, size, range(len(t)))), t)  # fmt: skip
    written = footage(tmp_path / "odd.mp4")
    assert (written.width, written.height, len(written.t)) == (100, 78, 60)
    again = [np.asarray(image)[30, 30, 0] for image in films.pictures(tmp_path / "odd.mp4", written, range(60))]
    held = own[np.searchsorted(t, written.t + 1e-6, side="right") - 1]
    assert np.abs(np.array(again, int) - held).max() < 12


@needs_ffmpeg
def test_a_film_of_the_mechanism(swing, film, tmp_path):
    run, bob = swing
    phone = camera(scale=60, origin=(80, 30))
    done = []
    path = run.overlay(film[0], phone).save(tmp_path / "out.mp4", progress=done.append)
    with Image.open(run.overlay(film[0], phone).save(tmp_path / "out.gif")) as moving:
        assert moving.size == (160, 120) and 24 <= moving.n_frames <= 26
    size = footage(path)
    assert len(size.t) == 60 and done[-1] == 1 and len(done) == len(film[1])
    (image,) = films.pictures(path, size, [20])
    u, v = phone.pixels(run.at([20 / 30]).of(bob.T.e))[0].astype(int)
    patch = np.asarray(image)[v - 2 : v + 3, u - 2 : u + 3].astype(int)
    assert (patch[..., 0] - patch[..., 2]).max() > 90  # vermilion, on blue
    with pytest.raises(FileError, match="is no film that ffmpeg can read"):
        (tmp_path / "no.mp4").write_text("no film")
        footage(tmp_path / "no.mp4")
    with pytest.raises(FileError, match="cannot be decoded: the film may not be whole"):
        list(films.pictures(film[0], footage(film[0]), [200]))



def over(w, model=None, film="film.mp4", of=None, **options):
    """An overlay of a short run over a file that is there."""
    (w.folder / "film.mp4").write_bytes(b"film")
    run = (hung()[0] if model is None else model).simulate(0.1)
    run = run if of is None else of(run)
    return run.overlay(w.folder / film, options.pop("phone", None) or camera(scale=1, origin=(0, 0)), **options)


def shown(w, name, t=(0.0, 0.1), **options):
    """An overlay that is saved, of a film with frames at instants t."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(overlays, "footage", lambda film: Footage(np.array(t), 640, 480))
        return over(w, **options).save(w.folder / name)


def without(w):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(films, "ffmpeg", lambda: None)
        return over(w).save(w.folder / "x.mp4")


def program(w, says):
    """Something else in the place of ffmpeg."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(films, "ffmpeg", lambda: sys.executable)
        patch.setattr(films, "_input", lambda film: ("-c", f"import sys; print({says!r}, file=sys.stderr)"))
        patch.setattr(films, "_command", lambda *words: [sys.executable, *words[words.index("-c") :]])
        made = over(w)
        return next(films.pictures(made.film, Footage(T, 640, 480), [3])) if not says else made.save(w.folder / "x.png")


def tilted(z=0, tilt=0.2):
    model = Model("tilted")
    (q,) = model.coordinates("q", initial=1)
    model.body("rod", tdisp(0, 0, z) * trotx(tilt) * trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    return model


T = np.array([0, 0.03, 0.06, 0.09])


def later(run):
    return run.at([0.05, 0.1])


def forgotten(run):
    return Trajectory(**{**{name: getattr(run, name) for name in run.__dataclass_fields__}, "source": None})


# fmt: off


# fmt: on

test_mistake_is_explained = explained(__file__)


@needs_ffmpeg
@pytest.mark.browser
def test_a_browser_draws_the_bob_at_the_time_of_the_shown_frame(swing, film, tmp_path):
    from browser import Browser

    run, bob = swing
    phone = camera(scale=60, origin=(80, 30))
    path = run.overlay(film[0], phone, trace=0).save(tmp_path / "page.html", embed=True)
    with Browser(tmp_path) as browser:
        page = browser.open(path, width=700, height=600)
        page.until("document.querySelector('video').readyState >= 2")
        for k in (0, 3, 20):
            t = film[1][k]
            page.run(f"document.querySelector('video').currentTime = {t + 0.01}")
            page.until(f"Math.abs(document.querySelector('.easydyn').easydyn.state.time - {t}) < 1e-3")
            left, top, wide, high = page.box("canvas")
            scale = min(wide / 160, high / 120)
            expected = phone.pixels(run.at([t]).of(bob.T.e))[0] * scale
            expected += (left + (wide - 160 * scale) / 2, top + (high - 120 * scale) / 2)
            shown = Image.fromarray(page.still())
            assert np.abs(spot(shown) - expected).max() < 1
        assert not page.console
