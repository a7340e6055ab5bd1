"""The walls around submissions: sixty attacks behind each of them, right answers in unusual forms, and the intake."""

import hashlib
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy
import pytest
from submissions import ALL, BREAKING, EXERCISES, RIGHT, attacks
from test_grading import rows_of, state, undeserved

import easydyn
from easydyn.course import exercises, intake
from easydyn.course.grading import Limits, grade
from easydyn.course.intake import hand_in
from easydyn.course.walls import WALLS, measure
from easydyn.errors import InputError

ATTACKS = list(attacks())
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there are no walls")


def write_class(folder, **texts):
    for student, text in texts.items():
        (folder / student).mkdir(parents=True)
        (folder / student / "01_frames.py").write_text(text, encoding="utf-8")
    return folder


# -- intake -----------------------------------------------------------------------------------------------------------


def test_what_breaks_a_reader_costs_its_own_row(tmp_path):
    """Each beside a right hand-in: refused by name or read, within the limits, and the others are taken."""
    for name, (file, make, _) in BREAKING.items():
        data = make()
        (tmp_path / name).mkdir()
        for k in range(60 if "{}" in file else 1):
            (tmp_path / name / file.format(k)).write_bytes(data.encode() if isinstance(data, str) else data)
        write_class(tmp_path, **{f"{name}, beside": ALL})
    start = time.monotonic()
    found = hand_in(tmp_path, exercises(EXERCISES))
    assert time.monotonic() - start < 60
    for name, (*_, said) in BREAKING.items():
        assert found.taken[f"{name}, beside", "01"].source.decode() == ALL
        assert said in "; ".join(found.refused.get(name, []))
        assert bool(said) != ((name, "01") in found.taken)


def test_a_student_whose_files_end_their_reader_is_refused(tmp_path, monkeypatch):
    """Whatever ends it: the next one is read by another process; what takes too long is ended."""
    text = Path(intake.reading.__file__).read_text(encoding="utf-8")
    assert (start := "        print(json.dumps(Reading(") in text
    broken = f'        if "bad" in str(sources):\n            os._exit(9)\n        if "slow" in str(sources):\n            time.sleep(60)\n{start}'
    (tmp_path / "reader.py").write_text(text.replace("        print(json.dumps(Reading(", broken), encoding="utf-8")
    monkeypatch.setattr(intake.reading, "__file__", str(tmp_path / "reader.py"))
    monkeypatch.setattr(intake, "PATIENCE", 2.0)
    found = hand_in(write_class(tmp_path / "class", ada=ALL, bad=ALL, eve=ALL, slow=ALL, zoe=ALL), exercises(EXERCISES))
    assert sorted(student for student, _ in found.taken) == ["ada", "eve", "zoe"]
    assert found.refused == {name: [found.refused["bad"][0]] for name in ("bad", "slow")}
    assert found.refused["bad"][0].startswith("not taken: all of it (to read it takes more than 10 s")
