"""Set up easydyn and run it, with nothing but Python (3.11 or newer), pip and this folder.

    python start.py demo                  simulate the double pendulum; write a picture
    python start.py demo slider-crank     the same for another model; `demo --help` tells what else there is
    python start.py test                  lint, types, then every test; further words go to pytest
    python start.py explore 10            new random cases for ten minutes; those that fail are printed with their seeds
    python start.py docs                  the documentation as a folder of pages, build/site

The first call makes a virtual environment in `.venv`, beside this file, and installs easydyn there; later calls use it
as it is, and install again only when pyproject.toml has changed or the folder has moved. Whatever goes wrong with it,
`.venv` may be deleted: it holds nothing that cannot be made again.

Standard library only, in words that Python 3.6 understands: an old Python must be able to say that it is too old.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

OLDEST = (3, 11)
EACH = 10  # seeds of each kind in a round of `explore`
ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "easydyn.stamp"
PIP = ["-m", "pip", "--disable-pip-version-check"]

TOO_OLD = """\
easydyn needs Python {}.{} or newer, and this is Python {}.{} ({}).
If a newer one is installed, call it by name, for example
    python3.11 start.py test          (on Windows: py -3.11 start.py test)
otherwise install one first."""

NO_VENV = """\
easydyn: the virtual environment could not be made in
    {}
Check that the folder can be written to and that no program is using it. On Debian and its relatives the module that
makes such environments is a package of its own, python3-venv; python3-pip will do as well. Then try again."""

NO_PACKAGES = """\
easydyn: pip could not install what is needed (its own last lines, above, say why).
- Without a connection: packages collected in a folder beforehand are found with
      PIP_NO_INDEX=1 PIP_FIND_LINKS=<that folder>
- Behind a proxy or a mirror: pip reads HTTPS_PROXY and PIP_INDEX_URL.
- Something left from an earlier attempt: delete {} and try again."""


def main(words):
    if sys.version_info < OLDEST:
        return TOO_OLD.format(*OLDEST, *sys.version_info[:2], sys.executable)
    if not words or words[0] not in ("demo", "test", "explore", "docs"):
        print(__doc__)
        return 0 if words in (["-h"], ["--help"]) else 2
    command, rest = words[0], words[1:]
    make_environment()
    install({"demo": "", "explore": "test"}.get(command, command))
    return {"demo": demo, "test": test, "explore": explore, "docs": docs}[command](rest)


def demo(words):
    return run([PYTHON, "-m", "easydyn", "demo"] + (words or ["double-pendulum"]))


def test(words):
    """Every check runs, even after one has failed, types beside the tests; the last line is the count of the tests."""
    checks = [
        ("ruff", ["check", "."]),
        # Each process takes tests that stand together, and derives the models of a file once.
        ("pytest", ["-n", "auto", "--dist", "worksteal", "-p", "tests.progress", "-o", "console_output_style=classic"]
         + words),
    ]
    verdicts, failures = [], 0
    with tempfile.TemporaryDirectory() as folder:
        counts = Path(folder) / "counts.txt"
        env = dict(os.environ, MPLBACKEND="Agg", EASYDYN_COUNTS=str(counts))
        env.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes would each read all sources again
        with open(str(Path(folder) / "mypy.txt"), "w+") as types:
            mypy = subprocess.Popen([str(PYTHON), "-m", "mypy"], cwd=str(ROOT), env=env, stdout=types,
                                    stderr=subprocess.STDOUT)
            for name, arguments in checks:
                print("\n--- " + " ".join([name] + arguments))
                start = time.time()
                failed = run([PYTHON, "-m", name] + arguments, cwd=ROOT, env=env)
                verdicts.append("{} {} ({:.0f} s)".format(name, "FAILED" if failed else "ok", time.time() - start))
                failures += bool(failed)
            failed = mypy.wait()
            verdicts.append("mypy {}".format("FAILED" if failed else "ok"))
            failures += bool(failed)
            types.seek(0)
            print("\n--- mypy\n" + types.read())
        print("start.py test: " + ", ".join(verdicts))
        if counts.exists():
            print(counts.read_text().strip())
    return 1 if failures else 0


def explore(words):
    """Random cases with seeds that nobody has tried, round after round, until the minutes are over."""
    minutes, kinds = float((words or ["5"])[0]), " or ".join(words[1:])
    begin, begun, rounds, failures = int(time.time()), time.time(), 0, []
    with tempfile.TemporaryDirectory() as folder:
        while not rounds or time.time() - begun < 60 * minutes:
            first, report = begin * 1000 + EACH * rounds, Path(folder) / "report.xml"
            env = dict(os.environ, MPLBACKEND="Agg", EASYDYN_EXPLORE="{} {}".format(first, EACH))
            run([PYTHON, "-m", "pytest", "-n", "auto", "-q", "--tb=line", "-m", "chance", "tests",
                 "--junitxml={}".format(report)] + (["-k", kinds] if kinds else []), cwd=ROOT, env=env)
            cases = ElementTree.parse(str(report)).iter("testcase") if report.exists() else []
            failures += [c.get("name") for c in cases if c.find("failure") is not None or c.find("error") is not None]
            rounds += 1
    print("start.py explore: {} rounds of {} seeds of each kind from {} on, {} failed".format(
        rounds, EACH, begin * 1000, len(failures)))
    for name in failures:
        print("    " + name)
    if failures:
        print("EASYDYN_EXPLORE=\"<seed> 1\" repeats one. The seed joins tests/seeds.toml in the commit that cures it.")
    return 1 if failures else 0


def docs(words):
    """The documentation; it ends with the page to open, and fails when a page has a fault."""
    return run([PYTHON, ROOT / "docs" / "site" / "make.py"] + words, cwd=ROOT)


def make_environment():
    """`.venv` with pip in it; also where Python comes without ensurepip, as on Debian, if pip itself is there."""
    usable = "import sys, pip; sys.exit(sys.version_info < {})".format(OLDEST)
    if PYTHON.exists() and quiet([PYTHON, "-c", usable])[0] == 0:
        return
    if Path(sys.prefix).resolve() == VENV:
        sys.exit("easydyn: this Python lives in {} and has lost its pip.\n"
                 "Leave the environment (deactivate), delete that folder and try again.".format(VENV))
    print("easydyn: making a virtual environment in {}".format(VENV))
    venv = [sys.executable, "-m", "venv", "--clear"]
    failed, complaint = quiet(venv + [VENV])
    if not failed:
        return
    if quiet(venv + ["--without-pip", VENV])[0] or quiet([sys.executable, "-m", "pip", "--version"])[0]:
        sys.exit(complaint + NO_VENV.format(VENV))
    if run([sys.executable] + PIP + ["--python", PYTHON, "install", "pip"]) != 0:
        sys.exit(NO_PACKAGES.format(VENV))


def install(extra):
    """The package, editable, with the packages it needs: unless the stamp says that this has been done."""
    def stamp(extra):
        return hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + str(ROOT).encode() + extra.encode()).hexdigest()

    done = STAMP.read_text().split() if STAMP.exists() else []
    if stamp(extra) in done or (not extra and (stamp("test") in done or stamp("docs") in done)):
        return  # whoever has the packages of the tests or of the documentation has the package
    print("easydyn: installing into {}; the first time this takes a minute or two".format(VENV))
    wanted = {"test": [".[test,peers]", ".[test]"], "docs": [".[docs]"], "": ["."]}[extra]
    while run([PYTHON] + PIP + ["install", "--no-compile", "--editable", wanted[0]], cwd=ROOT) != 0:
        if len(wanted) == 1:
            sys.exit(NO_PACKAGES.format(VENV))
        wanted.pop(0)
        print("easydyn: the peers (Pinocchio, MuJoCo, FMPy) cannot be had here; tests against them will be skipped")
    # Bytecode by all processors (pip would take one), and none for the tests of other packages. What is left out here
    # is made when it is imported.
    quiet([PYTHON, "-m", "compileall", "-qq", "-j", "0", "-x", r"[\\/]tests?[\\/]", VENV])
    # An editable install is a .pth file that names this folder. Where the name is not plain ASCII, Python 3.11 on
    # Windows misreads it, and may not even start any more; relative to the file itself, the name is always plain.
    for pth in list(VENV.glob("lib/python*/site-packages/*easydyn*.pth")) + list(VENV.glob("Lib/*/*easydyn*.pth")):
        pth.write_text(os.path.relpath(str(ROOT), str(pth.parent)) + "\n")
    kept = [old for old in done if old in (stamp("test"), stamp("docs"), stamp(""))]
    STAMP.write_text("\n".join(kept + [stamp(extra)]) + "\n")


def run(command, cwd=None, env=None):
    """Run a command in the open; its exit code."""
    sys.stdout.flush()
    env = dict(env or os.environ, PIP_USER="0")  # a user-wide `pip install --user` setting has no meaning in here
    return subprocess.call([str(word) for word in command], cwd=str(cwd) if cwd else None, env=env)


def quiet(command):
    """Run a command and keep what it prints; its exit code and that text."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, errors="replace")
    return done.returncode, done.stdout


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit("\neasydyn: stopped")
