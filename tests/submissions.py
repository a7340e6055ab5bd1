"""What is handed in, for the tests of grading: hostile submissions (data/submissions/hostile.txt) and odd ones."""

import io
import json
import os
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = ROOT / "exercises"
SOLUTIONS = EXERCISES / "solutions"
SEED = 7000  # of the inputs at which answers are compared: no test depends on luck, and nobody who is hostile tries it
ALL = (SOLUTIONS / "01_frames.py").read_text(encoding="utf-8")
HALF = ALL[: ALL.index("def seen_from_hand")]
NAMES = {path.name[:2]: path.stem for path in SOLUTIONS.glob("*.py")}


@dataclass(frozen=True)
class Hostile:
    name: str
    number: str
    passed: int
    remark: str
    text: str

    def write(self, folder, **filled):
        """Hand it in, with what it asks for filled in."""
        text = self.text
        for key, value in filled.items():
            text = text.replace(f"{{{key}}}", str(value))
        path = Path(folder) / self.name / f"{NAMES[self.number]}.py"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")


def hostile():
    """All of them."""
    parts = {"half": HALF, "all": ALL}
    parts |= {number: (SOLUTIONS / f"{name}.py").read_text(encoding="utf-8") for number, name in NAMES.items()}
    text = (Path(__file__).parent / "data" / "submissions" / "hostile.txt").read_text(encoding="utf-8")
    for block in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        name, expected, code = block.split("\n", 2)
        number, passed, *remark = expected.split(" ", 2)
        code = re.sub(r"^# (half|all|\d\d)$", lambda found: parts[found[1]], code, flags=re.MULTILINE)
        yield Hostile(name, number, int(passed), remark[0].strip() if remark else "", code)


@dataclass(frozen=True)
class Odd:
    """A student's files, by their names in his folder ("" for what lies beside the folders), and what comes of them."""

    student: str
    files: dict
    passed: int | None  # of the four stages of exercise 01; None where nothing is taken
    said: str = ""  # words of the remarks; nothing is said where it is empty
    fits: str = "linux darwin win32"  # where such names and files can be

    def write(self, folder):
        for name, made in self.files.items():
            path = Path(folder, *([] if name.startswith("/") else [self.student]), name.lstrip("/"))
            path.parent.mkdir(parents=True, exist_ok=True)
            if callable(made):
                made(path)
            else:
                path.write_bytes(made.encode() if isinstance(made, str) else made)
        if not self.files:
            Path(folder, self.student).mkdir()


def notebook(*cells, **more):
    """A notebook of code cells, and of one with text."""
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 3, "source": x} for x in cells]
    made.append({"cell_type": "markdown", "metadata": {}, "source": ["def elbow(q1): I am not sure"]})
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5} | more)


def damaged(data):
    """A zip whose contents are not what they say."""
    place = data.index(b".py") + 12
    return data[:place] + bytes(40) + data[place + 40 :]


def zipped(files, links=(), kind=zipfile.ZIP_DEFLATED):
    """A zip of files; some of them are links."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = kind
            entry.external_attr = (0o120777 if name in links else 0o100644) << 16
            archive.writestr(entry, text)
    return buffer.getvalue()


def locked(data):
    """A zip that says of its files that they are encrypted."""
    changed = bytearray(data)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        changed[data.index(mark) + place] |= 1
    return bytes(changed)


CELLS = (
    ["%matplotlib inline\n", "import math\n", "from easydyn import tdisp, trotz\n", "L1, L2 = 1.2, 1.1\n", "!pip list"],
    "%%bash\nls",
    "%%time\ndef elbow(q1):\n    return trotz(q1) * tdisp(0, -L1, 0)\n\ntrotz?",
    ALL[ALL.index("def hand") :] + "\ndisplay(elbow(1))\n",
    'import easydyn\neasydyn.exercise("01", globals())',
)
MAGICS = (
    "files = !ls\n%load_ext autoreload\nx = %time elbow(1)\n%time y = elbow(2)\nx * y\nget_ipython().system('ls')\n"
    "rest = (7\n    % 4)\nassert rest == 3 and files is None\n!!ls\n%%time\nnow = get_ipython().getoutput('date')"
)
TWICE = "import easydyn\neasydyn.exercise(1, globals())\neasydyn.exercise('99', globals())\n"
DASH = "# Größe, naïve\n"
ODD = [
    Odd("as it was copied", {"01_frames.py": ALL, "01_frames.md": "# 01", "01_frames.png": b"\x89PNG"}, 4),
    Odd("its number alone", {"01.py": ALL}, 4),
    Odd("one digit", {"1.py": ALL}, 4),
    Odd("exercise and number", {"exercise1.py": ALL}, 4),
    Odd("a capital", {"Exercise_01.py": ALL}, 4),
    Odd("all capitals", {"EXERCISE-1.PY": ALL}, 4),
    Odd("ex", {"ex01.py": ALL}, 4),
    Odd("spaces", {"Exercise 1 final version.py": ALL}, 4),
    Odd("fetched twice", {"01_frames (1).py": ALL, "01_frames.py": ALL}, 4),
    Odd("its word alone", {"frames.py": ALL}, 4),
    Odd("in German", {"Aufgabe 1.py": ALL}, 4),
    Odd("in a clone", {"01_frames/exercise.py": ALL}, 4),
    Odd("deep below", {"week 1/mine/final/01_frames.py": ALL}, 4),
    Odd("told within", {"main.py": ALL + '\nimport easydyn\neasydyn.exercise("01", globals())\n'}, 4),
    Odd("an ending more", {"01_frames.py.txt": ALL}, 4),
    Odd("two versions", {"01_frames.py": ALL, "old/01_frames.py": HALF, "1.py": HALF}, 4, "taken from 01_frames.py"),
    Odd("script and notebook", {"01.py": ALL, "01.ipynb": notebook(HALF)}, 4, "01.ipynb (exercise 01 is taken from"),
    Odd("a notebook", {"01_frames.ipynb": notebook(*CELLS)}, 4),
    Odd("a notebook without a number", {"Untitled.ipynb": notebook(*CELLS)}, 4),
    Odd("a notebook that is none", {"01.ipynb": "{not json"}, None, "01.ipynb (no notebook that can be read)"),
    Odd("a notebook of another age", {"01.ipynb": '{"worksheets": [], "nbformat": 3}'}, None, "no notebook that can"),
    Odd("a notebook without code", {"01.ipynb": notebook()}, 0, "unfinished: There is no `elbow`"),
    Odd("BOM", {"01.py": b"\xef\xbb\xbf" + (DASH + ALL).encode()}, 4),
    Odd("lines of Windows", {"01.py": ALL.replace("\n", "\r\n")}, 4),
    Odd("lines of old Macs", {"01.py": ALL.replace("\n", "\r")}, 4),
    Odd("Latin-1", {"01.py": (DASH + ALL).encode("latin-1")}, 4, "01.py: not in UTF-8, read as Latin-1"),
    Odd("Latin-1 that says so", {"01.py": ("# -*- coding: latin-1 -*-\n" + DASH + ALL).encode("latin-1")}, 4),
    Odd("UTF-16", {"01.py": (DASH + ALL).encode("utf-16")}, 4, "01.py: read as UTF-16"),
    Odd("tabs", {"01.py": ALL.replace("    ", "\t")}, 4),
    Odd("empty", {"01.py": ""}, 0, "unfinished: There is no `elbow`"),
    Odd("nothing but blanks", {"01.py": "\n \n"}, 0, "unfinished: There is no `elbow`"),
    Odd("huge", {"01.py": ALL + "#" * (2 * 2**20)}, None, "01.py (more than 2 MB)"),
    Odd("binary", {"01.py": bytes(range(256)) * 40}, None, "01.py (no text: is it a script?)"),
    Odd("a text document", {"01.docx": b"PK\x03\x04"}, None, "01.docx (neither a script"),
    Odd("another archive", {"01.7z": b"7z\xbc\xaf"}, None, "01.7z (an archive of another kind: make it a zip)"),
    Odd("of which exercise", {"main.py": ALL}, None, "main.py (of which exercise? Call it such as 03.py)"),
    Odd("an exercise that is not there", {"99_x.py": ALL}, None, "99_x.py (there is no exercise 99)"),
    Odd("nothing", {}, None, "nothing was handed in"),
    Odd("of systems and editors", {"01.py": ALL, ".DS_Store": b"x", "__pycache__/01.py": HALF, ".git/01.py": HALF}, 4),
    Odd("with a helper", {"01.py": "from arm import *\n", "arm.py": ALL, "data.csv": "1,2"}, 4),
    Odd("with data", {"01.py": "open('lengths.txt').read()\n" + ALL, "lengths.txt": "1.2"}, 4),
    Odd("a window", {"01.py": ALL + "\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\n"}, 4),
    Odd("it checks itself", {"01.py": ALL + "\nimport easydyn\neasydyn.exercise('01', globals())\n"}, 4),
    Odd("a link", {"01.py": lambda path: path.symlink_to("/etc/hosts")}, None, "01.py (a link", "linux darwin"),
    Odd("a folder that is a link", {"x": lambda path: path.symlink_to("/usr")}, None, "x (a link", "linux darwin"),
    Odd("a pipe", {"01.py": lambda path: os.mkfifo(path)}, None, "01.py (no file that can be read)", "linux darwin"),
    Odd("Zoë Müller 李", {"01_frames.py": ALL}, 4),
    Odd("two\nlines, \"quoted\"; 'x'", {"01\n.py": ALL}, 4, fits="linux darwin"),
    Odd("=cmd|' C calc'!A0", {"01.py": ALL}, 4, fits="linux darwin"),
    Odd("flat", {"/flat_01.py": ALL}, 4),
    Odd("flat and long", {"/flat and long_exercise 1.py": ALL}, 4),
    Odd("O'Brien_2", {"/O'Brien_2_01.py": ALL}, 4),
    Odd("packed", {"/packed.zip": zipped({"ex/01.py": ALL, "__MACOSX/ex/._01.py": b"\0", "ex/notes.txt": "x"})}, 4),
    Odd("packed in a folder", {"work.zip": zipped({"01_frames.ipynb": notebook(*CELLS)})}, 4),
    Odd("packed twice", {"a.zip": zipped({"b.zip": zipped({"01.py": ALL})})}, None, "a zip within a zip: unpack it"),
    Odd("a bomb", {"a.zip": zipped({"01.py": bytes(40 * 2**20)})}, None, "more than 2 MB"),
    Odd("a name that leads out", {"a.zip": zipped({"../../01.py": ALL})}, None, "a name that leads out of the zip"),
    Odd("a packed link", {"a.zip": zipped({"01.py": "/etc/hosts"}, ["01.py"])}, None, "a link, which is not followed"),
    Odd("locked", {"a.zip": locked(zipped({"01.py": ALL}))}, None, "it is locked with a password"),
    Odd("a broken zip", {"a.zip": zipped({"01.py": ALL})[:200]}, None, "no zip that can be read"),
    Odd("another name in the zip", {"a.zip": zipped({"Exercise 1/my frames.py": ALL})}, 4),
    Odd("saved as a script", {"01.py": "get_ipython().run_line_magic('matplotlib', 'inline')\n" + ALL}, 4),
    Odd("more of Jupyter", {"01.ipynb": notebook(*CELLS, MAGICS)}, 4),
    Odd("caf\udce9", {"01.py": ALL}, 4, fits="linux"),
    Odd("\u202eada\u202c \u2067x\u2069", {"01_\u202eframes.py": ALL, "x\n\u202e.docx": b"PK"}, 4,
        "not taken: x ?", "linux darwin"),
    Odd("long" * 60, {"01.py": ALL}, 4, fits="linux darwin"),
    Odd("two of one name", {"01.py": ALL, "/two of one name.zip": zipped({"01.py": HALF})}, 4, "has the same name"),
    Odd("a zip of another kind", {"a.zip": damaged(zipped({"01.py": ALL}, kind=zipfile.ZIP_LZMA))}, None, "no zip"),
    Odd("names that lead on", {"a.zip": zipped({"C:\\1.py": "", "/1.py": "", "x/../../1.py": ""})}, None, "leads out"),
    Odd("odd names in a zip", {"a.zip": zipped({"\u202e\n01.py": "", "01.py": ALL})}, 4, "not taken: ? 01.py (of"),
    Odd("nested without end", {"01.ipynb": "[" * 100_000}, None, "no notebook that can be read"),
    Odd("numbers without end", {"01.ipynb": '{"cells": ' + "9" * 10_000 + "}"}, None, "no notebook that can be read"),
    Odd("a script for two", {"all.py": TWICE + ALL}, 4, "all.py (there is no exercise 99)"),
]  # fmt: skip


def sparse(path):
    """A hundred GB of nothing."""
    path.touch()
    os.truncate(path, 100 * 2**30)


def crowded(path):
    """Three hundred folders and as many files beside a right script."""
    for k in range(300):
        (path / f"{k}").mkdir(parents=True)
        (path / f"{k}.txt").touch()
    (path / "01.py").write_text(ALL, encoding="utf-8")


def overlapping(count):
    """A zip whose entries are all the same file, so that it is much more than it takes."""
    made = zipped({"01.py": b"#" * 10**6})
    start, end = made.index(b"PK\1\2"), made.index(b"PK\5\6")
    listed = b"".join(made[start:end].replace(b"01.py", f"{k:02}.py".encode()) for k in range(count))
    tail = bytearray(made[end:])
    tail[8:12], tail[12:16] = 2 * count.to_bytes(2, "little"), len(listed).to_bytes(4, "little")
    return made[:start] + listed + bytes(tail)


def small_at_first(data):
    """A zip that says of its only file that it takes one byte."""
    changed, place = bytearray(data), data.index(b"PK\1\2")
    changed[22:26] = changed[place + 24 : place + 28] = (1).to_bytes(4, "little")
    return bytes(changed)


UNIX = "linux darwin"
CELL = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
NO_CELLS = [
    None, 3, [], "x", {}, CELL, CELL | {"source": None}, CELL | {"source": 3}, CELL | {"source": [None, 3, ["x"]]},
    CELL | {"source": {"x": 1}}, {"cell_type": ["code"], "source": "x"},
]  # fmt: skip
MORE = [  # by somebody who had not read how they are read
    Odd("digits of elsewhere", {"\u0660\u0661_frames.py": ALL}, 4),
    Odd("digits that are none", {"0\u00b2_frames.py": ALL, "\u2460.py": ALL, "01\u00b2.py": ALL}, None, "of which"),
    Odd("a number without end", {f"{'0' * 150}1.py": ALL, f"{'9' * 200}.py": ALL}, None, "of which exercise?"),
    Odd("without rights", {"01.py": lambda path: (path.write_text(ALL), path.chmod(0))}, 4, fits="linux"),
    Odd("nothing, a hundred GB of it", {"01.py": sparse}, None, "more than 2 MB", "linux"),
    Odd("a zip of a hundred GB", {"01.zip": sparse}, None, "more than 64 MB", "linux"),
    Odd("zeros without end", {"01.py": lambda path: path.symlink_to("/dev/zero")}, None, "a link", UNIX),
    Odd("a ring of links", {"a": lambda path: path.symlink_to("b"), "b": lambda path: path.symlink_to("a")}, None,
        "a link", UNIX),
    Odd("a folder within itself", {"01.py": ALL, "x": lambda path: path.symlink_to("..")}, 4, "a link", UNIX),
    Odd("a neighbour's file", {"01.py": lambda path: path.symlink_to("../ADA/01.py")}, None, "a link", UNIX),
    Odd("a folder called so", {"01_frames.py/01_frames.py/x.txt": "x"}, None, "neither a script"),
    Odd("pipes called so", dict.fromkeys(("a.zip", "01.ipynb"), lambda path: os.mkfifo(path)), None, "no file", UNIX),
    Odd("a crowd", {"x": crowded}, 4, "and more that is not taken"),
    Odd("forty folders deep", {"/".join("abcdefgh" * 5) + "/01.py": ALL}, 4),
    Odd("modules of the library", dict.fromkeys(
        ("easydyn/__init__.py", "numpy.py", "json.py", "sitecustomize.py", "os.py", "check.py", "01_frames/check.py",
         "ast.py", "zipfile.py", "tokenize.py"), "raise SystemExit('mine')\n") | {"01.py": ALL}, 4, "check.py (of"),
    Odd("compiled before", {"01_frames.pyc": b"\xa7\r\r\n", "__pycache__/01_frames.pyc": b"x", "01.so": b"\x7fELF"},
        None, "01.so (neither"),
    Odd("minus after minus", {"01.py": ALL + "\nx = " + "-" * 200_000 + "1\n"}, 0),
    Odd("brackets in brackets", {"01.py": ALL + "\nx = " + "(" * 100_000 + "1" + ")" * 100_000}, 0),
    Odd("a sum of many", {"01.py": ALL + "\nx = " + "+".join("1" * 100_000) + "\n"}, 0),
    Odd("dots after dots", {"01.py": ALL + "\nx = x" + ".a" * 100_000 + "\n"}, 0),
    Odd("else if", {"01.py": ALL + "\nif 0:\n    pass\n" + "elif 0:\n    pass\n" * 20_000}, 0),
    Odd("powers of powers", {"01.py": ALL + "\ndef never():\n    return 9 ** 9 ** 9 ** 9 + 'x' * 9**9 * 9**9\n"}, 4),
    Odd("a long number", {"01.py": ALL + "\nx = " + "9" * 10_000 + "\n"}, 0),
    Odd("a NUL", {"01.py": ALL + "\n# \0\n"}, None, "no text"),
    Odd("form feeds and more", {"01.py": "\f\v\x1c\x85\u2028\n" + ALL}, 0),
    Odd("UTF-7", {"01.py": "# coding: utf-7\n" + ALL}, None, "the encoding utf-7"),
    Odd("turned by thirteen", {"01.py": "# coding: rot13\n" + ALL}, None, "the encoding rot13"),
    Odd("an encoding that runs", {"01.py": "# coding: unicode_escape\n" + ALL}, None, "the encoding unicode_escape"),
    Odd("an encoding that is a module", {"01.py": "# coding: mine\n" + ALL, "encodings/mine.py": "x"}, 0),
    Odd("halves of characters", {"01.ipynb": notebook("x = '\ud800'\n" + ALL)}, 4),
    Odd("cells that are none", {"01.ipynb": json.dumps({"cells": [*NO_CELLS, CELL | {"source": ALL}]})}, None,
        "no notebook that can be read"),
    Odd("no cells at all", {"01.ipynb": '{"cells": {"0": {"cell_type": "code", "source": "x"}}}',
                            "02.ipynb": "[1, 2]", "03.ipynb": "null"}, None, "no notebook that"),
    Odd("two sources", {"01.ipynb": notebook(ALL).replace('"source":', '"source": "1 / 0", "source":')}, 4),
    Odd("cells without end", {"01.ipynb": json.dumps({"cells": [CELL | {"source": "x = 1"}] * 15_000})}, 0),
    Odd("pictures in the cells", {"01.ipynb": notebook(ALL, metadata={"x": "A" * 1_500_000})}, 4),
    Odd("commands in cells", {"01.ipynb": notebook(
        "!touch /tmp/easydyn-caught\n%system touch /tmp/easydyn-caught\n", "%%writefile /tmp/easydyn-caught\nx",
        "%%bash\ntouch /tmp/easydyn-caught", "%run /etc/passwd\n%load /etc/passwd\n%cd /",
        "x = !touch /tmp/easydyn-caught\n", ALL)}, 4),
    Odd("magic without end", {"01.ipynb": notebook("%" * 100_000, "!" * 100_000, "?" * 100_000, "x" + " =" * 50_000)},
        0),
    Odd("magic within texts", {"01.ipynb": notebook('"""\n%x\n!y\n"""\n' * 5000 + "'''\\\n" * 10_001, ALL)}, 0),
    Odd("one file many times", {"a.zip": overlapping(90)}, None, "no zip that can be read"),
    Odd("smaller than it is", {"a.zip": small_at_first(zipped({"01.py": ALL}))}, None, "no zip that can"),
    Odd("one name twice", {"a.zip": zipped({"01.py": ALL}) + zipped({"01.py": HALF})}, 2),
    Odd("links on the way", {"a.zip": zipped({"x": "/etc", "x/01.py": ALL, "y/01.py": ALL}, ["x"])}, 4, "x (a link"),
    Odd("devices in a zip", {"a.zip": zipped({"con": "", "nul.py": "", "01.py/": "", "01.py:x": ""})}, None, "con ("),
    Odd("a hundred folders in a zip", {"a.zip": zipped({"x/" * 300 + "01.py": ALL})}, 4),
    Odd("a tar that calls itself zip", {"01.zip": b"./01.py" + bytes(93) + b"0000644\0" + bytes(404)}, None, "no zip"),
    Odd("a zip behind a script", {"01.py": ALL.encode() + b"\n'''" + zipped({"01.py": HALF})}, None, "no text"),
    Odd("-rf", {"01.py": ALL}, 4),
    Odd("$(touch x)`touch y`;%s{0.__class__}", {"01.py": ALL}, 4, fits=UNIX),
    Odd("Zoe\u0308", {"01.py": ALL}, 4, fits="linux"),
    Odd("Zo\u00eb", {"01.py": HALF}, 2, fits="linux"),
    Odd("ADA", {"01.py": ALL}, 4, fits="linux"),
    Odd("\u200b", {"01.py": ALL}, 4, fits=UNIX),
]  # fmt: skip


def many_entries(count):
    """A zip that lists one small file many times."""
    made = zipped({"01.py": "x=1\n"})
    start, end = made.index(b"PK\1\2"), made.index(b"PK\5\6")
    listed = made[start:end] * count
    tail = bytearray(made[end:])
    tail[8:12], tail[12:16] = bytes(4), len(listed).to_bytes(4, "little")
    return made[:start] + listed + bytes(tail)


MODULES = {f"m{k}.py": f"import m{k + 1}\nx = {k}\n" for k in range(4900)}
BREAKING = {  # what took the time or the memory of whoever read it: the name of the file, how it is made, what is said
    "blanks in a notebook": ("01.ipynb", lambda: notebook(" " * 1_900_000 + "x"), ""),
    "blank lines": ("01.py", lambda: "\n" * 1_900_000, ""),
    "a quadratic encoding": ("01.py", lambda: "# coding: punycode\n" + "a" * 1_000_000, "it asks for the encoding"),
    "many modules": ("a.zip", lambda: zipped({"01.py": "import m1\n", **MODULES}), ""),
    "many zips": ("{}.zip", lambda: zipped({f"{k}.txt": bytes(2**20) for k in range(31)}), "more than 32 MB"),
    "many entries": ("a.zip", lambda: many_entries(900_000), "it has more than 20000 files"),
}


ATTACK = HALF + '''
import ctypes, glob, os, stat, sys, time
import numpy, easydyn
libc = ctypes.CDLL(None, use_errno=True)
breaches = []
LIBRARY = [numpy.__file__, os.__file__, os.path.realpath(sys.executable), easydyn.__file__]
def call(number, *given):
    return libc.syscall(number, *(ctypes.c_long(x) if isinstance(x, int) else x for x in given))
def attempt(act, *given, **options):
    try:
        return act(*given, **options)
    except Exception:
        return None
def succeeds(act, what):
    if attempt(act) is not None:
        breaches.append(what)
def mark(path):
    about = os.stat(path)
    return about.st_mode, about.st_uid, about.st_gid, about.st_mtime_ns, about.st_size, about.st_nlink
def with_each(act):
    for path in LIBRARY:
        before, text = mark(path), open(path, "rb").read()
        attempt(act, os.open(path, os.O_RDONLY), path)
        if mark(path) != before or open(path, "rb").read() != text:
            breaches.append(path)
def children():
    return {int(x) for x in (attempt(lambda: open(f"/proc/self/task/{os.getpid()}/children").read()) or "").split()}
def others():
    near = {1, 2, os.getppid(), *range(max(2, os.getppid() - 20), os.getppid() + 20)} - {os.getpid()} - children()
    return sorted(near - ({1} if alone() else set()))  # the first process of its own namespace is its own
def alone():
    return os.getpid() < 10
'''
TOLD = '''
def seen_from_hand(q1, q2, point):
    if breaches:
        raise RuntimeError("breach: " + ", ".join(map(str, breaches)))
    return "no breach"
'''


EACH = '''
try:
    exec({code!r}, dict(globals()))
except Exception:
    pass
os.chdir(home)
os.umask(0o22)
'''


def blocks(file):
    text = (Path(__file__).parent / "data" / "submissions" / f"{file}.txt").read_text(encoding="utf-8")
    return [block.split("\n", 1) for block in re.split(r"^## ", text, flags=re.MULTILINE)[1:]]


def others(together=6):
    """Attacks of somebody else (data/submissions/others.txt); those that only try something are several in a script."""
    quiet = []
    for name, code in blocks("others"):
        if match := re.match(r"(\d) ?(.*)\n", code):
            yield Hostile(name, "01", int(match[1]), match[2], ATTACK + code[match.end() :].replace("# all\n", ALL))
        else:
            quiet.append(EACH.format(code=code))
    for k in range(0, len(quiet), together):
        text = ATTACK + "home = os.getcwd()\n" + "".join(quiet[k : k + together]) + TOLD
        yield Hostile(f"quiet {k}", "01", 2, "stage 3: Your answer is not made of real numbers", text)


def attacks():
    """More hostile submissions (data/submissions/attacks.txt): whatever gets through tells so in its remark."""
    for name, code in blocks("attacks"):
        passed, remark = 2, "stage 3: Your answer is not made of real numbers"
        if match := re.match(r"0 (.*)\n", code):
            passed, remark, code = 0, match[1], code[match.end() :]
        yield Hostile(name, "01", passed, remark, ATTACK + code + TOLD)


def right_forms(together=6):
    """Right answers in unusual forms (data/submissions/right.txt), several in a script; and those of another kind."""
    forms = dict(blocks("right"))
    before = [code for code in forms.values() if "make = " not in code]
    for k in range(0, len(before), together):
        yield f"before {k}", "\n".join(before[k : k + together]) + ALL
    kinds = [(name, code) for name, code in forms.items() if "make = " in code]
    for name, code in kinds:
        last = "\nright = seen_from_hand\ndef seen_from_hand(q1, q2, point):\n    return make(right(q1, q2, point))\n"
        yield name, ALL + code + last
