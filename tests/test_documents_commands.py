"""What documents tell a reader to type is there: commands, their words and options; what they show is what comes.

Every line of a block that begins with `python ...`, and every such command in backticks, is read by the parser that
will read it. Those that take no time are run, page by page, in the order in which they stand.
"""

import contextlib
import io
import re
import runpy
import shlex
import shutil
from pathlib import Path

import pytest
from test_documents import PAGES, ROOT, blocks, name
from together import together

from easydyn.__main__ import main, parsed
from easydyn.course import check, find

COMMAND = re.compile(r"^(?:\$ )?(?:systemd-run --user --scope )?(python (?:-m )?\S.*)$")
INLINE = re.compile(r"`(python (?:-m )?[^`\n]+)`")
PLACES = {"FOLDER": "folder", "<name>": "slider-crank", "NN": "03", "NN_name": "03_mine"}
OURS = {"python", "py", "pycon", "text", "console", "bash", "sh", "shell", ""}  # languages that could be run here
# What neither is run as Python nor consists of commands, by page and first line: drawings, and what is printed.
DRAWINGS = {
    ("docs/architecture.md", "Transform products"),
    ("docs/course.md", "Exercise 01, Frames and transforms"),
    ("docs/course.md", "# down first, turned then"),
    ("docs/course.md", "docker build -t easydyn-grader"),  # the command in it: test_command_in_a_container_exists
    ("docs/easyanim.md", "a title"),
    ("docs/first_steps.md", "source .venv"),
    # scripts for other processes and machines: tests/test_study_processes.py has studies of this kind
    ("docs/studies.md", "from concurrent.futures import ProcessPoolExecutor"),
    ("docs/studies.md", "#!/bin/bash"),
    ("docs/studies.md", "from mpi4py.futures import MPIPoolExecutor"),
    ("docs/studies.md", "from dask.distributed import Client, LocalCluster"),
}


def words(command):
    """The words of a command, without the remark that stands two spaces to the right of it."""
    found = shlex.split(re.split(r"\s{2,}", command.strip())[0])
    return [PLACES.get(word, word) for word in found]


def commands():
    """(where, words, whether it stands in a block) of every command in the documents."""
    found = []
    for page in PAGES:
        if page.name == "CHANGELOG.md":
            continue
        shown, prose = blocks(page)
        for block in shown:
            if block.language != "python":
                lines = enumerate(block.code.splitlines(), block.line)
                found += [(f"{name(page)}:{k}", words(m[1]), True) for k, line in lines if (m := COMMAND.match(line))]
        text = re.sub(r"(`[^`\n]*)\n *([^`\n]*`)", r"\1 \2", prose)  # a command may be broken over two lines
        found += [(name(page), words(m[1]), False) for m in INLINE.finditer(text)]
    return found


# `python -m easydyn`, with or without dots, names no command
COMMANDS = [entry for entry in commands() if "..." not in entry[1] and entry[1] != ["python", "-m", "easydyn"]]
OF_EASYDYN = [(where, given[3:], block) for where, given, block in COMMANDS if given[1:3] == ["-m", "easydyn"]]
OF_FILES = [(where, given[1:]) for where, given, _ in COMMANDS if given[1].endswith(".py")]
OF_PIP = [(where, given[3:]) for where, given, _ in COMMANDS if given[1:3] == ["-m", "pip"]]
OF_PYTHON = [given for _, given, _ in COMMANDS if given[1:3] == ["-m", "http.server"]]


def label(value):
    return " ".join(value) if isinstance(value, list) else str(value)


def test_every_command_is_of_a_kind_that_is_looked_at():
    assert len(OF_EASYDYN) >= 15 and len(OF_FILES) >= 12 and len(OF_PIP) >= 3
    known = len(OF_EASYDYN) + len(OF_FILES) + len(OF_PIP) + len(OF_PYTHON)
    assert known == len(COMMANDS), [given for _, given, _ in COMMANDS]


@together(("where", "given", "_"), OF_EASYDYN, ids=label)
def test_command_of_easydyn_exists(where, given, _):
    """The subcommand, its words and its options: by the parser of `python -m easydyn` itself."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            parsed(given)
    except SystemExit as error:
        assert error.code in (0, None), f"{where}: python -m easydyn {' '.join(given)}: {said.getvalue()}"


def test_command_in_a_container_exists():
    """docs/course.md: what the container runs is read by the parser, and writes where the container lets it write."""
    (block,) = (b for b in blocks(ROOT / "docs" / "course.md")[0] if b.code.startswith("docker build"))
    typed = shlex.split(block.code.partition("docker run ")[2].replace("\\\n", " "))
    given = typed[typed.index("python") :]
    assert given[:3] == ["python", "-m", "easydyn"] and typed[typed.index("python") - 1] == "easydyn-grader"
    asked = parsed(given[3:])
    assert asked.command == "grade" and "$PWD/marks:/srv/marks" in typed and str(asked.output).startswith("marks/")


@together(("where", "given"), OF_FILES, ids=label)
def test_script_and_its_words_exist(where, given):
    script, *rest = given
    # written by `python -m easydyn new my_model.py`, and by `pendulum.export("jax", "pendulum.py")`
    if script in ("my_model.py", "pendulum.py"):
        return
    path = ROOT / script
    assert path.is_file(), f"{where}: there is no {script}"
    source = path.read_text(encoding="utf-8")
    if script == "start.py":
        assert f'"{rest[0]}"' in source, f"{where}: start.py knows no {rest[0]!r}"
        rest = [word for word in rest[1:] if not word.startswith("-") and ("/" in word or word.endswith(".py"))]
        missing = [word for word in rest if not (ROOT / word).exists()]
    else:
        options = [word for word in rest if word.startswith("-")]
        values = [b for a, b in zip(rest, rest[1:], strict=False) if a == "--folder"]
        named = [word for word in rest if word not in options and word not in values]
        missing = [word for word in options if f'"{word}"' not in source]
        if script.startswith("benchmarks/"):  # elsewhere such a word is a folder that is made
            missing += [
                word for word in named if not [*path.parent.glob(f"{word}.py"), *path.parent.glob(f"{word}_*.py")]
            ]
    assert not missing, f"{where}: {script} knows no {', '.join(missing)}"


@together(("where", "given"), OF_PIP, ids=label)
def test_what_is_installed_exists(where, given):
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert given[0] == "install", where
    for word in given[1:]:
        extras = re.search(r"^(?:\.|easydyn)\[(.+)\]$", word)
        if extras:
            assert set(extras[1].split(",")) <= set(project["optional-dependencies"]), f"{where}: {word}"
        elif word.endswith((".txt", ".whl")) and "*" not in word:
            assert (ROOT / word).is_file(), f"{where}: there is no {word}"


def test_every_block_is_looked_at():
    """Python is run (test_documents.py), commands are read, and what remains is listed above."""
    strange, drawn = [], set()
    for page in PAGES:
        lines = page.read_text(encoding="utf-8").splitlines()
        for block in blocks(page)[0]:
            rows = [row for row in block.code.splitlines() if row.strip()]
            if block.language not in OURS or "{" in lines[block.line - 2]:  # another language; ```{toctree} of the site
                continue
            if block.language == "python":
                continue
            if rows and all(COMMAND.match(row) for row in rows):
                continue
            known = {
                (p, begin) for p, begin in DRAWINGS if p == name(page) and rows and rows[0].strip().startswith(begin)
            }
            drawn |= known
            if not known:
                strange.append(f"{block.where}: {rows[:1]}")
    assert not strange, "neither Python, nor commands, nor a drawing:\n" + "\n".join(strange)
    assert drawn == {(page, begin) for page, begin in DRAWINGS if (ROOT / page).exists()}


# What takes long is run by test_command_line.py, and by whoever works on the project.
ELSEWHERE = {"demo", "figures", "list"}
QUICK = [entry for entry in OF_EASYDYN if entry[2] and entry[1][:1] and entry[1][0] not in ELSEWHERE]
SUBMITTED = "from easydyn import tdisp, trotz\n\n\ndef elbow(q1):\n    return trotz(q1) * tdisp(0, -1.2, 0)\n"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("page", sorted({where.partition(":")[0] for where, _, _ in QUICK}))
def test_commands_run(page, tmp_path, monkeypatch, capsys):
    """From top to bottom in one folder, as a reader would type them; a check that finds something answers 1."""
    monkeypatch.chdir(tmp_path)
    for folder in ("submissions", "folder"):
        (tmp_path / folder / "ada").mkdir(parents=True)
        (tmp_path / folder / "ada" / "01_frames.py").write_text(SUBMITTED)
    own = [given for where, given, _ in QUICK if where.partition(":")[0] == page]
    for given in own:
        if given[0] == "exercise" and given[1:2] and given[1] != "--new" and "--start" not in given:
            begin = ["exercise", given[1], "--start", "."]
            beginnings = [*Path().glob(f"{given[1]}_*.py"), *Path().glob("my_exercises/*")]
            if not beginnings:
                assert main(begin) == 0
        if "--exercises" in given:
            folder = Path(given[given.index("--exercises") + 1])
            if not folder.exists():  # the reader copies an exercise there, and changes it
                shutil.copytree(*ROOT.glob(f"exercises/{given[1]}_*"), folder / "03_contributions")
            if given[0] == "grade":
                (handed_in,) = (tmp_path / "submissions" / "ada").iterdir()
                handed_in.rename(handed_in.with_name(f"{sorted(folder.iterdir())[-1].name}.py"))
        answer = main(given)
        shown = capsys.readouterr()
        assert answer in (0, 1) and "easydyn:" not in shown.err, f"{page}: {' '.join(given)}: {shown.err or shown.out}"
        assert shown.out, f"{page}: {' '.join(given)} says nothing"


def test_the_report_that_is_shown_is_what_comes():
    """docs/course.md shows what the check says of two right answers and a wrong one."""
    (block,) = (b for b in blocks(ROOT / "docs" / "course.md")[0] if b.code.startswith("Exercise 01"))
    solved = runpy.run_path(str(ROOT / "exercises" / "solutions" / "01_frames.py"), run_name="easydyn_exercise")
    names = solved | {"seen_from_hand": lambda q1, q2, point: solved["hand"](q1, q2) * point}
    shown = check(find("01"), names).text().replace("\n", " ").split()
    typed = 'easydyn.exercise("01", globals(), hints=1)'  # in a notebook; on the command line it is another one
    expected = block.code.replace("python -m easydyn exercise 01 --hints 1", typed)
    assert shown == expected.replace("\n", " ").split()


HELP = ["", "list", "demo", "figures", "new", "check", "exercise", "grade", "course", "info"]


def help_of(command):
    said = io.StringIO()
    with contextlib.redirect_stdout(said), pytest.raises(SystemExit) as done:
        parsed([*command.split(), "--help"])
    assert done.value.code == 0
    return said.getvalue()


@together("command", HELP)
def test_help_reads_well(command, monkeypatch):
    """A sentence on what the command does, one on each word and option, an example that is accepted."""
    monkeypatch.setenv("COLUMNS", "80")
    shown = help_of(command)
    usage, said, *lists = re.split(r"\n\n(?=\S)", shown.strip())
    assert usage.startswith("usage: python -m easydyn") and max(map(len, shown.splitlines())) <= 80
    assert said.rstrip().endswith(".") and (said[0].isupper() or not command)
    described = re.findall(
        r"^ {2,4}(?! )([\w-]+(?: [A-Z]+)?)(?:, --\w+)?(\s{2,}\S|\n {10,}\S|)", "\n".join(lists[:-1]), re.MULTILINE
    )
    assert described and all(text for word, text in described if word != "command"), described
    if command:
        typed = " ".join(lists[-1].split()).removeprefix("Such as: python -m easydyn ")
        assert parsed(typed.split()).command == command


def test_help_and_readme_know_the_same_commands():
    listed = set(re.findall(r"^    ([a-z]+)\s", help_of(""), re.MULTILINE))
    readme = {given[0] for where, given, _ in OF_EASYDYN if where.startswith("README.md") and given}
    assert listed == set(HELP) - {""} and listed <= readme, f"README.md does not mention {listed - readme}"
