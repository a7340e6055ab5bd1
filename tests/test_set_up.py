"""What stands between a user and the first run: consoles of other alphabets, no machine code, `info`."""

import contextlib
import functools
import io
import struct
import sys
import warnings

import pytest
from targets import needs_llvmlite

from easydyn import examples
from easydyn.__main__ import main
from easydyn.errors import SlowRunWarning
from easydyn.native import cache, machine

# -- consoles ---------------------------------------------------------------------------------------------------------


IN_ALPHABETS = {"cp932": "m/s2 gro?e", "cp1250": "m/s2 größe", "ascii": "m/s2 gro?e"}


@pytest.mark.parametrize(("alphabet", "seen"), IN_ALPHABETS.items(), ids=IN_ALPHABETS)
def test_a_console_without_a_raised_2(alphabet, seen, monkeypatch, tmp_path):
    """What it has not is written in another way; nothing fails."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding=alphabet))
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO(), encoding=alphabet))
    monkeypatch.setattr("easydyn.examples.figures.pictures", lambda *_: [tmp_path / "m/s² größe.png"])
    command = ["demo", "slider-crank", "--folder", str(tmp_path)] if alphabet == "cp932" else ["list"]
    assert main(command) == 0
    print("m/s² größe")
    sys.stdout.flush()
    shown = raw.getvalue().decode(alphabet)
    assert seen in shown
    assert alphabet != "cp932" or "rad/s2\n" in shown and "reached t =" in shown and f"{seen}.png" in shown


# -- machine code -----------------------------------------------------------------------------------------------------


@pytest.fixture
def fresh(monkeypatch):
    """As if nobody had asked for machine code before."""
    for name in ("_host", "available"):
        monkeypatch.setattr(machine, name, functools.cache(getattr(machine, name).__wrapped__))


@needs_llvmlite
def test_a_missing_function_is_told_once(fresh, monkeypatch):
    called = machine._Host.called
    monkeypatch.setattr(machine._Host, "called", lambda self, x: called(x) | {"no_such_function": called(x)["sin"]})
    with pytest.warns(SlowRunWarning, match=r"no machine code can be made here \(AttributeError: .*no_such_function"):
        assert not machine.available()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not machine.available() and "no_such_function" in machine.missing()


def test_a_package_that_is_not_there_is_no_mistake(fresh, monkeypatch):
    monkeypatch.setattr(machine.importlib.util, "find_spec", lambda name: None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not machine.available() and machine.missing() == "the package llvmlite is not installed"


def called_by(code):
    """The functions that an object file for Windows (COFF) calls and does not hold itself."""
    sections, symbols, optional = struct.unpack_from("<HxxxxIxxxxH", code, 2)
    texts, found = symbols + 18 * struct.unpack_from("<I", code, 12)[0], set()
    for k in range(sections):
        begin = 20 + optional + 40 * k
        place, count = struct.unpack_from("<I", code, begin + 24)[0], struct.unpack_from("<H", code, begin + 32)[0]
        for j in range(count):
            entry = symbols + 18 * struct.unpack_from("<I", code, place + 10 * j + 4)[0]
            zeros, offset = struct.unpack_from("<II", code, entry)
            start, end = (texts + offset, None) if zeros == 0 else (entry, entry + 8)
            name = code[start : code.index(b"\0", start) if end is None else end].rstrip(b"\0").decode()
            if struct.unpack_from("<h", code, entry + 12)[0] == 0:  # of no section of this file
                found.add(name)
    return found


class Enough(Exception):
    """What is wanted has been seen."""


@needs_llvmlite
def test_what_code_for_windows_calls_is_registered_there(monkeypatch):
    """A chain needs more room on the stack than a page: its code asks the system for it, by __chkstk."""
    host = object.__new__(machine._Host)
    vars(host).update(vars(machine._host()), triple="x86_64-pc-windows-msvc", processor="x86-64", features="")
    texts, compiled = [], machine._Host.compile

    def seen(self, text, level):
        texts.append((text, level))
        if level > 1:
            raise Enough
        return compiled(self, text, level)

    monkeypatch.setattr(machine._Host, "compile", seen)
    monkeypatch.setattr(cache, "load", lambda key: None)
    with contextlib.suppress(Enough):  # the loop itself takes seconds to compile
        examples.falling_chain(links=13).simulate(0.01)  # one that no other test has compiled
    monkeypatch.setattr(machine._Host, "compile", compiled)
    called = set().union(*(called_by(host.compile(text, level)) for text, level in texts if level == 1))
    assert "__chkstk" in called and called <= set(machine._Host.called("win32")), called


# -- python -m easydyn info -------------------------------------------------------------------------------------------


def test_info_says_what_there_is(capsys):
    assert main(["info"]) == 0
    shown = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines() if not line.startswith("mach"))
    assert shown["easydyn"].startswith("0.") and shown["Python"].startswith("3.") and shown["targets"].startswith("pyt")
    assert {"numpy", "sympy", "llvmlite", "matplotlib", "scipy", "cache", "ffmpeg", "system"} <= set(shown)


def test_info_says_what_is_missing_and_why(capsys, monkeypatch, tmp_path):
    there = machine.importlib.util.find_spec
    lacking = ("llvmlite", "pandas")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name in lacking else there(name))
    monkeypatch.setattr(machine, "missing", lambda: "the package llvmlite is not installed")
    monkeypatch.setenv("EASYDYN_CACHE", "off")
    assert main(["info"]) == 0
    shown = capsys.readouterr().out
    assert "no: the package llvmlite is not installed" in shown and "off (EASYDYN_CACHE=off" in shown
    assert "not installed; for run.to_pandas(): pip install pandas" in shown
    monkeypatch.setenv("EASYDYN_CACHE", str(tmp_path / "none"))
    assert main(["info"]) == 0 and "none, empty" in capsys.readouterr().out
    (tmp_path / "x.obj").write_bytes(bytes(2_000_000))
    monkeypatch.setenv("EASYDYN_CACHE", str(tmp_path))
    assert main(["info"]) == 0 and "1 files, 2.0 MB of 64 MiB" in capsys.readouterr().out
