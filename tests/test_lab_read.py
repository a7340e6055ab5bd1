"""Recordings: what programs write is read to all digits; what a file leaves open is asked for, word for word.

The files of `tests/recordings` hold x = 0.3 sin 3t at t = 0, 1/30, ... s; its README says what is special in each. The
other files are made here. Whatever is in a file, a user gets a recording or a sentence.
"""

import io
import math
import random
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from mistakes import explained
from together import together

from easydyn import Model, examples, lab, tdisp
from easydyn.errors import EasyDynError, FileError, MissingDependencyError
from easydyn.forces import GeneralizedForce
from easydyn.lab.recording import unit_of
from easydyn.study.data import data_of

FILES = Path(__file__).resolve().parent / "recordings"
T = np.arange(60) / 30
X = 0.3 * np.sin(3 * T)
Y = -0.9 * np.cos(X)
A, G, S = ("mass A x", X, "mass A y", Y), ("Gyroscope x", 0.01 * X, "Gyroscope z", X), {"time_unit": "ms"}
READ = {  # options, digits of the times and of the values, columns
    "arduino.log": (S | {"names": ("t", "a", "g (m/s^2)")}, 1e-3, 5e-5, ("a", X)),
    "arduino_head.csv": (S | {"units": {"gz_dps": "deg"}}, 1e-3, 1e-5, ("gz_dps", X)),
    "dlc.csv": ({"frame_rate": 30}, 1e-12, 5e-3, ("tip x", 640 + 800 * X, "tip y", 100 - 800 * Y)),
    "latin1.csv": ({}, 5e-4, 5e-5, ("Beschleunigung", X, "Winkel", np.radians(X.round(3)))),
    "markers.trc": ({}, 5e-5, 5e-7, ("TIP x", X, "TIP y", Y)),
    "opensim.mot": ({}, 5e-4, 1e-6, ("knee_angle_r", X)),
    "phyphox.zip": ({}, 1e-9, 1e-10, G),
    **{f"phyphox_{kind}.csv": ({}, 1e-9, 1e-10, G) for kind in ("comma", "semi", "semi_dcomma", "tab", "tab_dcomma")},
    **{
        f"tracker_{kind}.txt": ({}, 1e-6, 5e-8, A)
        for kind in ("comma_comma", "comma_point", "semi_comma", "tab_comma", "tab_point", "multi")
    },
    "utf16.txt": ({}, 5e-4, 5e-5, ("x", X)),
    "vernier2.txt": ({}, 5e-4, 5e-5, ("Angle", X)),
    "vernier_ga.csv": ({}, 5e-4, 5e-5, ("Angle", X)),
}


def written(folder, content, name="a.txt"):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(folder, content, name="a.txt", **options):
    return lab.read(written(folder, content, name), **options)


def pairs(columns):
    return dict(zip(columns[::2], columns[1::2], strict=True))


@together("name", READ)
def test_each_file_is_read_to_all_its_digits(name):
    options, of_times, of_values, columns = READ[name]
    found = lab.read(FILES / name, **options)
    late = found.t[0] if name == "arduino_head.csv" else 0
    assert np.abs(found.t - late - T).max() <= of_times * 1.0001
    for column, values in pairs(columns).items():
        there = np.isfinite(found[column])
        gaps = {"tracker_multi.txt": [5, 6], "dlc.csv": [7]}.get(name, [])
        assert np.flatnonzero(~there).tolist() == gaps
        assert np.abs(found[column] - values)[there].max() <= of_values * 1.0001, column


def test_runs_of_one_file_are_a_list(tmp_path):
    first, second = runs = lab.read(FILES / "pasco.csv")
    assert [len(run.t) for run in runs.runs] == [60, 40] and "Angle in rad" in str(runs).splitlines()[1]
    assert np.abs(first["Angle"] - X).max() < 5.1e-5 and np.abs(second["Angle"] - X[:40]).max() < 5.1e-5
    text = "Latest: Time (s),Latest: x (cm),Run 1: Time (s),Run 1: x (cm)\n0,1,0,3\n1,2,1,4\n2,3,,\n"
    one, other = read(tmp_path, text)
    assert one["x"].tolist() == [0.01, 0.02, 0.03] and other["x"].tolist() == [0.03, 0.04]
    assert lab.read(FILES / "vernier_ga.csv").runs[0].keys() == ("t", "Angle")


# -- tables of text ---------------------------------------------------------------------------------------------------


def test_decimal_signs_are_decided_number_by_number(tmp_path):
    mixed = read(
        tmp_path, "mass A\nframe score x_target y_target\n12 215,1 -0.66 9.81\n13 99,25 -0.5 9,5\n", frame_rate=10
    )
    assert mixed.t.tolist() == [1.2, 1.3] and mixed["score"].tolist() == [215.1, 99.25]
    assert mixed.tracks["target"][1].tolist() == [9.81, 9.5]
    thousands = read(tmp_path, "t;x\n0,5;1.234,5\n1,5;-1.234.567,25\n2,5;0.125\n")
    assert thousands["x"].tolist() == [1234.5, -1234567.25, 0.125]
    text = "t;x\n1,000;1,500\n2,000;2,500\n"
    assert read(tmp_path, text, decimal=",")["x"].tolist() == [1.5, 2.5]
    assert read(tmp_path, text, decimal=".", time_unit="ms")["x"].tolist() == [1500, 2500]
    assert read(tmp_path, "t;x\n0;1,500\n1;1,25\n")["x"].tolist() == [1.5, 1.25]
    assert read(tmp_path, "t,x\n0,5,1,25\n1,5,2,25\n", decimal=",")["x"].tolist() == [1.25, 2.25]
    assert read(tmp_path, 't,x\n"0,5","1,25"\n"1,5","2,5"\n')["x"].tolist() == [1.25, 2.5]


@together("code", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_encodings_are_found(tmp_path, code):
    found = read(tmp_path, "Zeit (ms)\tWinkel (°)\tµ\r\n0\t180\t1\r\n500\t90\t2\r\n".encode(code))
    assert found.t.tolist() == [0, 0.5] and found["Winkel"].tolist() == [math.pi, math.pi / 2] and "µ" in found


def test_headings(tmp_path):
    """Of Tracker in another language; two point masses, with and without names; units below names; no heading."""
    text = "\tmasa A\t\tmasa B\t\t\nt\tx\ty\tx\ty\t\n0,0\t1,0\t2,0\t\t\t\n0,1\t1,5\t2,5\t3,5\t4,5\n"
    spanish = read(tmp_path, text, units={"length": "cm"})
    assert list(spanish.tracks) == ["masa A", "masa B"] and spanish["masa B x"][1] == 0.035
    assert np.isnan(spanish["masa B y"][0]) and spanish.units["masa A x"] == "cm" and spanish.unit("masa A x") == "m"
    twice = read(tmp_path, text.partition("\n")[2], names=("masa A", "masa B"))
    assert twice["masa B x"][1] == 3.5
    assert read(tmp_path, "time;x\ns;mm\n0;1000\n1;2000\n")["x"].tolist() == [1, 2]
    pro = "Vernier Format 2\nb.cmbl\nData Set\nTime\tGate\tx\nt\tg\tx\ns\t\tcm\n\n0\t1\t2\n1\t2\t3\n"
    assert read(tmp_path, pro)["x"].tolist() == [0.02, 0.03] and read(tmp_path, pro).unit("Gate") == ""
    assert read(tmp_path, pro.replace("Gate\tx", "x\tGate").replace("\t\tcm", "\tcm\t"))["x"].tolist() == [0.01, 0.02]
    chinese = read(tmp_path, "时间 (s)\t陀螺仪 (rad/s)\n0\t1\n1\t2\n")
    assert chinese["陀螺仪"].tolist() == [1, 2] and chinese.t.tolist() == [0, 1]
    assert read(tmp_path, "# t x\n  0  1\n  1  2\n# end\n")["x"].tolist() == [1, 2]
    assert read(tmp_path, "0,1\n1,2\n", names=("t", "x [cm]"))["x"].tolist() == [0.01, 0.02]
    assert read(tmp_path, "0,1\n1,2\n", names=("a", "b"), frame_rate=2).t.tolist() == [0, 0.5]
    assert read(tmp_path, "t,x,note\n0,1,good\n1,,\n2,3,bad\n")["x"].tolist()[::2] == [1, 3]
    theta = read(tmp_path, "\tmass A\t\nt\ttheta\t\n0\t90\n1\t180\n", units={"theta": "deg"})
    assert theta["mass A theta"].tolist() == [math.pi / 2, math.pi]


def test_dlc_of_several_animals_and_sto_of_forces(tmp_path):
    text = "scorer,N,N,N\nindividuals,a,a,a\nbodyparts,tip,tip,tip\ncoords,x,y,likelihood\n0,1,2,0.9\n1,3,4,0.5\n"
    found = read(tmp_path, text, frame_rate=10)
    assert found["a tip x"][0] == 1 and np.isnan(found["a tip x"][1]) and not found.y_up
    assert found.notes == ("a tip: 1 points of likelihood below 0.6 are gaps",)
    text = (
        "name\nnRows=2\ninDegrees=yes\nendheader\ntime\tknee\tpelvis_tx\tground_force_vx\n0\t180\t1\t7\n1\t90\t2\t8\n"
    )
    found = read(tmp_path, text, "a.sto")
    assert found["knee"].tolist() == [math.pi, math.pi / 2] and found["pelvis_tx"].tolist() == [1, 2]
    assert found["ground_force_vx"].tolist() == [7, 8]


def test_times_and_rows_that_are_wrong_can_be_left_out(tmp_path):
    back = '"Time (s)","Gyroscope x (rad/s)"\n0,1\n1,2\n0,3\n2,4\n'
    assert read(tmp_path, back, drop=True)["Gyroscope x"].tolist() == [1, 2, 4]
    log = "ready!\nmillis,a\n10,1\n20,2\n30,340,4\n50,5\n"
    found = read(tmp_path, log, drop=True, time_unit="ms")
    assert found.t.tolist() == [0.01, 0.02, 0.05] and found.notes == ("1 broken rows left out",)
    assert len(lab.read(FILES / "dup_time.csv", drop=True).t) == 201


def test_units():
    for text, si, factor in (
        ("°/s", "rad/s", math.pi / 180),
        ("dps", "rad/s", math.pi / 180),
        ("rpm", "rad/s", math.pi / 30),
        ("g", "m/s^2", 9.80665),
        ("m/s²", "m/s^2", 1),
        ("m/s**2", "m/s^2", 1),
        ("cm", "m", 0.01),
        ("in", "m", 0.0254),
        ("ms", "s", 1e-3),
        ("us", "s", 1e-6),
        ("min", "s", 60),
        ("rev", "rad", 2 * math.pi),
        ("N m", "N m", 1),
        ("N·m", "N m", 1),
        ("px", "px", 1),
        ("V", "V", 1),
    ):
        kind, size = unit_of(text)
        assert kind == si and size == pytest.approx(factor, rel=1e-15), text
    assert unit_of("furlong") is None


def test_unknown_units_stay_and_are_said(tmp_path):
    found = read(tmp_path, "t,x (furlong)\n0,1\n1,2\n")
    assert found.unit("x") == "furlong" and found["x"].tolist() == [1, 2]
    assert found.notes == ("x is in furlong, which is no unit known here: as it stands",)
    down = read(tmp_path, "t,y (cm)\n0,1\n1,2\n", y_up=False)
    assert down["y"].tolist() == [-0.01, -0.02] and down.y_up


# -- files that are no plain table ------------------------------------------------------------------------------------


def trk(scale=430.0, unit="m", width=1280.0, extra=""):
    """As Tracker writes it: two point masses, the second seen from frame 12 on; frame 14 is missing in the first."""

    def one(name, value, kind="double"):
        return f'<property name="{name}" type="{kind}">{value}</property>'

    def thing(name, inside):
        return one(name, f'<object class="org.opensourcephysics.{name}">{inside}</object>', "object")

    def frames(points):
        return one(
            "framedata", "".join(thing(f"[{k}]", one("x", x) + one("y", y)) for k, (x, y) in points.items()), "array"
        )

    def mass(name, points):
        return thing("item", one("name", name, "string") + frames(points))

    seen = "".join(one(*pair) for pair in (("xorigin", 640), ("yorigin", 180), ("angle", 1.5), ("xscale", scale)))
    film = thing("video", one("path", "film.mp4", "string")) + one("startframe", 10, "int") + one("stepsize", 2, "int")
    first = {k: (600.0 + k, 500.5) for k in range(10, 20, 2) if k != 14}
    inside = (
        one("width", width), one("height", 720), thing("videoclip", film), thing("clipcontrol", one("delta_t", 40.0)),
        thing("coords", one("framedata", thing("[0]", seen), "array")),
        one("tracks", mass("mass A", first) + mass("masse B", {12: (1.0, 2.0)}), "collection"),
        one("length_unit", unit, "string"),
    )  # fmt: skip
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f'{head}{extra}<object class="org.opensourcephysics.tracker.TrackerPanel">{"".join(inside)}</object>'


def test_film_of_tracker(tmp_path):
    film = read(tmp_path, trk(), "swing.trk")
    assert film.t == pytest.approx(0.08 * np.arange(5), abs=1e-15)
    assert film["mass A x"][[0, 1, 3, 4]].tolist() == [610, 612, 616, 618] and np.isnan(film["mass A y"][2])
    assert film["masse B y"][1] == 2 and film.unit("mass A x") == "px" and film.y_up is False
    camera = film.camera
    assert camera[:2] == (430, (640, 180)) and camera.angle == pytest.approx(math.radians(1.5))
    assert camera.size == (1280, 720) and camera.film == "film.mp4" and camera.start == pytest.approx(0.4)
    shown = "swing.trk: 5 instants, 0 to 0.32 s, 12.5 /s, 4 missing; mass A: x, y in px; masse B: x, y in px; "
    assert str(film) == shown + "scale 430 px/m (from the file)" and not film.notes
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w") as archive:
        archive.writestr("swing.trk", trk(4.3, "cm"))
        archive.writestr("film.mp4", b"\0" * 100)
    packed = read(tmp_path, box.getvalue(), "swing.trz", frame_rate=240)
    assert packed.camera.scale == pytest.approx(430) and packed.t[0] == 10 / 240


def test_a_stick_in_cm_is_noticed(tmp_path):
    film = read(tmp_path, trk(45.0, width=3840.0), "b.trk")
    assert film.notes == (
        "'b.trk' says 45 px per m, so that the film of 3840 px is 85 m wide: was the stick in cm? "
        'units={"length": "cm"}',
    )
    film = read(tmp_path, trk(45.0, width=3840.0), "b.trk", units={"length": "cm"})
    assert film.camera.scale == pytest.approx(4500) and not film.notes


def phyphox(**sets):
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sets.items():
            archive.writestr(name.replace("__", "/") + ".csv", text)
    return box.getvalue()


def test_sets_of_phyphox_have_times_of_their_own(tmp_path):
    """In one recording, with gaps; a pause is put back into the times."""
    content = phyphox(
        Gyroscope='"Time (s)","x (rad/s)"\n0.0,1\n0.1,2\n0.2,3\n',
        Accelerometer='"Time (s)","x (m/s^2)"\n0.05,7\n0.1,8\n0.15,9\n',
        meta__time='"event","experiment time","system time","system time text"\n"START",0.0,100.0,"a"\n'
        '"PAUSE",0.12,100.12,"b"\n"START",0.12,105.12,"c"\n"PAUSE",0.2,105.2,"d"\n',
        meta__device='"property","value"\n"deviceModel","X"\n',
    )
    found = read(tmp_path, content, "pendulum.zip")
    assert found.t == pytest.approx([0, 0.05, 0.1, 5.15, 5.2])
    assert found["Gyroscope x"].tolist()[::2] == [1, 2, 3] and np.isnan(found["Gyroscope x"][[1, 3]]).all()
    t, values = found.table("Accelerometer x")
    assert t == pytest.approx([0.05, 0.1, 5.15]) and values.tolist() == [7, 8, 9]
    assert found.unit("Accelerometer x") == "m/s^2"
    assert found.notes == ("paused at 0.12 s for 5 s: the times after it are later by this",)


def test_kinovea(tmp_path):
    text = "#Kinovea Trajectory data export\n#T X Y\n0:00:00:00 847.00 321.00 \n0:00:01:03 850.50 320,00 \n\n"
    text += "#T X Y\n0:01:00:00 1 2 \n0:01:00:03 3 4 \n"
    found = read(tmp_path, text, names=("tip", "toe"), units={"length": "px"})
    assert found.t.tolist() == [0, 1.03, 60, 60.03] and found["tip x"].tolist()[:2] == [847, 850.5]
    assert found["toe y"].tolist()[2:] == [2, 4] and "hundredths" in found.notes[0]


def test_matlab(tmp_path):
    from scipy.io import savemat

    t = np.linspace(0, 1, 11)
    savemat(tmp_path / "a.mat", {"t": t, "angle": t**2, "short": t[:3], "xy": np.column_stack([t, -t]), "text": "no"})
    found = lab.read(tmp_path / "a.mat")
    assert found["angle"] == pytest.approx(t**2) and found["xy 2"] == pytest.approx(-t)
    assert found.notes == ("short left out: 3 values, not 11",)
    savemat(tmp_path / "b.mat", {"out": {"time": t, "signals": {"values": np.column_stack([t, 2 * t]), "label": "q"}}})
    assert lab.read(tmp_path / "b.mat")["q 2"] == pytest.approx(2 * t)


def test_workbooks(tmp_path):
    pytest.importorskip("openpyxl")
    from openpyxl import Workbook

    book = Workbook()
    for row in (["Time (s)", "Angle (deg)"], [0, 90.0], [0.5, None], [1, 45.0]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    assert lab.read(tmp_path / "a.xlsx")["Angle"].tolist()[::2] == [math.pi / 2, math.pi / 4]


def test_markers_of_c3d(tmp_path):
    ezc3d = pytest.importorskip("ezc3d")
    made = ezc3d.c3d()
    made["parameters"]["POINT"]["RATE"]["value"] = [100]
    made["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    made["parameters"]["POINT"]["LABELS"]["value"] = ["TIP", "TOE"]
    made["data"]["points"] = np.arange(24.0).reshape(4, 2, 3)
    made.write(str(tmp_path / "a.c3d"))
    found = lab.read(tmp_path / "a.c3d")
    assert found["TOE y"] == pytest.approx([0.009, 0.010, 0.011]) and found.t == pytest.approx([0, 0.01, 0.02])


def by_another_ezc3d(folder, does):
    """A module in the place of ezc3d, which does something else with a file."""
    written(folder, f"def c3d(path):\n    {does}\n", "ezc3d.py")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.delitem(sys.modules, "ezc3d", raising=False)
        found = read(folder, "", "a.c3d")
        patch.delitem(sys.modules, "ezc3d")
    return found


def test_what_becomes_of_ezc3d_is_told(tmp_path, monkeypatch):
    """It is read in a process of its own: a damaged file may end it, or keep it for ever."""
    with pytest.raises(FileError, match="ezc3d failed, status 3"):
        by_another_ezc3d(tmp_path, "__import__('os')._exit(3)")
    monkeypatch.setattr("easydyn.lab.formats.PATIENCE", 0.5)
    with pytest.raises(FileError, match="ezc3d failed, no end in 0.5 s"):
        by_another_ezc3d(tmp_path, "__import__('time').sleep(30)")


# -- what a recording is for ------------------------------------------------------------------------------------------


def test_a_recording_is_cut_shifted_and_shown(tmp_path):
    film = lab.read(FILES / "tracker_multi.txt")
    assert str(film).splitlines() == [
        "tracker_multi.txt: 60 instants, 0 to 1.967 s, 30 /s, 2 missing; mass A: x, y in m; mass B: x, y in m",
        "  x and y are in the unit of the calibration stick, taken as m",
    ]
    assert "60 instants" in repr(film) and film.cut(0.5, 1).t[[0, -1]] == pytest.approx([0.5, 1])
    assert film.shifted(0.2).t[0] == 0.2 and film.runs == [film]
    assert np.isnan(film.without("mass A x", [0, 1])["mass A x"][:2]).all() and film["mass A x"][0] == 0
    assert np.isnan(film.without("mass A x", slice(3, None))["mass A x"][3:]).all()
    assert dict(film).keys() == {"t", *film.columns} and film["t"] is film.t and "mass A x" in film
    frame = pytest.importorskip("pandas") and film.to_pandas()
    assert frame.index.name == "t" and frame.attrs["units"]["mass A x"] == "m" and len(frame.columns) == 4
    with pytest.raises(ValueError, match="read-only"):
        film.t[0] = 1


def pendulum():
    model = Model("cart")
    (x,) = model.coordinates("x", initial=1)
    u, k = model.input("u"), *model.parameters(k=9.0)
    model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, u - k * x))
    return model


def test_recordings_are_data_of_fits_and_inputs_of_runs():
    """A column called as an input is its table, without the gaps."""
    t, read = np.linspace(0, 1, 11), lab.read(FILES / "utf16.txt")
    force = lab.Recording(t, {"u": np.where(np.arange(11) == 5, np.nan, t), "other": t})  # the same straight line
    model = pendulum()
    first, second = (model.simulate(1, inputs=u, save_every=0.1, target="python") for u in (force, {"u": (t, t)}))
    assert first["x"] == pytest.approx(second["x"], abs=1e-8)
    assert data_of(read) is read and data_of(FILES / "utf16.txt")["x"].tolist() == read["x"].tolist()


@pytest.mark.long
def test_a_fit_to_a_file_in_mm_with_a_recording_as_input(tmp_path):
    model, t = pendulum(), np.linspace(0, 1, 11)
    force = lab.Recording(t, {"u": np.where(np.arange(11) == 5, np.nan, t)})
    run = model.simulate(1, inputs=force, save_every=0.1)
    rows = zip(run.t.tolist(), run["x"].tolist(), strict=True)
    path = written(tmp_path, "t,x (mm)\n" + "".join(f"{a!r},{1000 * b!r}\n" for a, b in rows))
    assert model.fit(path, {"k": 8}, inputs=force)["k"] == pytest.approx(9, rel=1e-5)


def test_tracker_reads_points_of_a_run_and_so_do_we(tmp_path):
    """The text of its external model: a name, `t xA yA xB yB`, numbers by tabs."""
    model = examples.double_pendulum()
    run = model.simulate(0.5, save_every=0.1)
    point = model["lower arm"].T.e
    path = run.to_tracker(tmp_path / "model.txt", A=point, B=run.of(point)[:, :2] * 2)
    first = path.read_text(encoding="utf-8").splitlines()
    assert len(first[0].split("\t")) == 1 and first[1] == "t\txA\tyA\txB\tyB" and first[2].count("\t") == 4
    found = lab.read(path)
    assert np.array_equal(found.t, run.t) and np.array_equal(np.column_stack(found.tracks["A"]), run.of(point)[:, :2])
    assert np.array_equal(found["B y"], 2 * found["A y"])


# -- safe, and quick --------------------------------------------------------------------------------------------------


def test_what_is_packed_is_not_unpacked_beyond_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("easydyn.lab.formats.MOST_BYTES", 1_000_000)
    with pytest.raises(FileError, match="holds more than 1 MB"):
        read(tmp_path, phyphox(Gyroscope="0" * 2_000_000), "bomb.zip")
    with pytest.raises(FileError, match="has more than 1 MB"):
        read(tmp_path, "0" * 2_000_000)


@pytest.mark.long
@pytest.mark.parametrize("words", [False, True])
def test_a_million_rows_are_read_in_three_seconds(tmp_path, words):
    """Of a table with gaps, in processor time: a row in a thousand has one, or each 20,000th row has a word."""
    rows = [f"{k / 1000:.3f}\t{k % 977}\t{k % 31}.5" for k in range(1000)]
    rows[500] = "0.500\t\t1.5"
    block = [row.partition("\t") for row in rows]
    lines = [f"{j}{head[1:]}\t{rest}" for j in range(1000) for head, _, rest in block]
    if words:
        lines[7::20_000] = [f"{line}, said" for line in lines[7::20_000]]
    path = written(tmp_path, "t\tx\ty\n" + "\n".join(lines))
    begin = time.process_time()
    found = lab.read(path)
    assert time.process_time() - begin < 3
    assert len(found.t) == 1_000_000 and np.isnan(found["x"]).sum() == 1000 and found.t[-1] == 999.999
    assert ("'7.5, said' in row 8" in found.faults["y"]) if words else found["y"][-1] == 7.5
    assert ("'7.5, said' in row 8: expected a number" in str(found)) == words  # it is not left out in silence


def mutated(content, random):
    """A file that was cut, or in which bytes, lines or parts were changed, doubled, left out."""
    content = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 5, 20))):
        if not content:
            break
        a, n = random.randrange(len(content)), random.choice((1, 1, 3, 40, 400))
        kind = random.randrange(6)
        if kind == 0:
            content[a] = random.randrange(256)
        elif kind == 1:
            del content[a : a + n]
        elif kind == 2:
            content[a:a] = content[a : a + n]
        elif kind == 3:
            content[a:a] = random.choice(
                (b",", b";", b"\t", b"\n", b'"', b"nan", b"1e999", b"-", b"\0", b"\xff", b"x", b":", b"#", b"0" * 40)
            )
        elif kind == 4:
            del content[a:]
        else:
            content[a : a + n] = bytes(random.randrange(256) for _ in range(n))
    return bytes(content)


def fuzzed(folder, times, seed):
    """Files of all kinds, mutated: each is read, or refused in a sentence. How many were read."""
    from scipy.io import savemat

    chance, good = random.Random(seed), 0
    savemat(folder / "a.mat", {"t": T, "a": {"time": T, "signals": {"values": X}}, "text": ["a", "b"]})
    contents = {file.name: file.read_bytes() for file in [*sorted(FILES.iterdir()), folder / "a.mat"]}
    contents |= {
        "a.trk": trk().encode(),
        "kinovea.txt": b"#Kinovea Trajectory data export\n#T X Y\n0:00:00:00 8.0 3.0 \n0:00:01:03 8 3 \n",
    }
    names = sorted(contents)
    for _ in range(times):
        name = chance.choice(names)
        path = written(folder, mutated(contents[name], chance), name)
        options = chance.choice(
            ({}, {"drop": True}, {"frame_rate": 30}, {"time_unit": "ms"}, {"decimal": ","}, {"names": ("a", "b")})
        )
        try:
            found = lab.read(path, **options)
            str(found), found.runs[0].tracks
            good += 1
        except EasyDynError as error:
            assert str(error)
    return good


def test_damaged_files_end_in_a_sentence(tmp_path):
    assert fuzzed(tmp_path, 150, 1) > 20


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_damaged_files_end_in_a_sentence(tmp_path, seed):
    assert fuzzed(tmp_path, 2000, seed) > 200


# -- what a file leaves open, and what is wrong -----------------------------------------------------------------------


def with_few_bytes(action):
    """Do something where a file may have ten kilobytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("easydyn.lab.formats.MOST_BYTES", 10_000)
        action()


TABLE = "t,x,y\n0,1,2\n1,3,4\n"
XY = "t\tx\ty\tx\ty\n0.0\t1\t2\t3\t4\n0.1\t1\t2\t3\t4\n"


@pytest.fixture(scope="module")
def bench():
    """None: each mistake has an empty folder."""


test_mistake_is_explained = explained(__file__)


@pytest.mark.parametrize(("package", "name"), [("openpyxl", "a.xlsx"), ("xlrd", "a.xls"), ("ezc3d", "a.c3d")])
def test_packages_that_are_missing_are_named(tmp_path, monkeypatch, package, name):
    monkeypatch.setitem(sys.modules, package, None)
    content = phyphox(xl__workbook="") if name == "a.xlsx" else b"\x02P\1"
    with pytest.raises(MissingDependencyError, match=rf"{name[1:]} needs {package}: pip install {package}"):
        read(tmp_path, content.replace(b"workbook.csv", b"workbook.xml"), name)
