"""The command line: python -m easydyn demo | list | new | check | figures | exercise | grade | info."""

from __future__ import annotations

import argparse
import codecs
import os
import runpy
import sys
import traceback
import unicodedata
from importlib.resources import files
from pathlib import Path
from typing import Any

import easydyn
from easydyn.errors import EasyDynError, FileError, UnknownNameError
from easydyn.examples import MODELS
from easydyn.files import cannot_write, path_to, writable, write_text


def _model_name(word: str) -> str:
    name = word.replace("-", "_")
    if name not in MODELS:
        raise UnknownNameError(f"there is no demo {word!r}: expected one of {', '.join(_words())}.")
    return name


def _words() -> list[str]:
    return [name.replace("_", "-") for name in MODELS]


def _use_files() -> None:
    """Pictures go to files: no display is needed."""
    import matplotlib

    matplotlib.use("Agg")


def _folder(path: str) -> Path:
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from None
    writable(folder / "easydyn.html")
    return folder


def list_models() -> None:
    """Print the models that can be run."""
    from easydyn.examples.figures import module_of

    for word in _words():
        print(f"{word:18} {module_of(_model_name(word)).__doc__.splitlines()[0]}")


def demo(word: str, folder: str) -> None:
    """Simulate a model, print its final state and statistics, write its pictures and an animation."""
    from easydyn.examples.figures import module_of, pictures, scene_of

    name = word if word == "measured" else _model_name(word)
    _use_files()
    target = _folder(folder)
    if name == "measured":
        from easydyn.examples import measured

        for line in measured.story(target):
            print(line)
        return
    run = module_of(name).simulate()
    print(f"{run.title}: {run.message}")
    for column in run.columns[1:]:
        unit = run.unit(column)
        print(f"  {column:12} = {run[column][-1]: .9g} {unit}")
    if run.source.mechanism.bodies:
        drift = run.energy.balance.max() - run.energy.balance.min()
        print(f"  energy balance (total less work) stays within {drift:.2g} J")
    s = run.stats
    print(
        f"  {s.steps} steps ({s.rejected} tried again), {s.residuals} residuals, {s.jacobians} iteration matrices, "
        f"{s.seconds:.2f} s"
    )
    shown = run.animate(scene=scene_of(name))
    for path in (*pictures(name, target, run), shown.save(target / f"{name}.html")):
        print(f"  wrote {path}")


def figures(folder: str) -> None:
    """Draw every figure of the paper: figure_01.png to figure_14.png."""
    from easydyn.examples.figures import of_the_paper

    _use_files()
    for path in of_the_paper(_folder(folder)):
        print(path)


def new(path: str) -> None:
    """Write a commented starting script."""
    target = path_to(path, "my_model.py")
    if target.suffix != ".py":
        raise FileError(f"'{path}' does not end in .py: expected a name such as my_model.py.")
    script = (files("easydyn.examples") / "my_model.txt").read_text(encoding="utf-8")
    write_text(target, script, new=True)
    shown = f'"{target}"' if " " in path else target
    print(f"wrote {target}: run it with  python {shown}")


def check(path: str) -> int:
    """Run every check on the models found in a script; 1 when there is a finding."""
    from easydyn.analysis import check as findings_of

    if not Path(path).is_file():
        raise FileError(f"there is no file '{path}'.")
    try:
        namespace: dict[str, Any] = runpy.run_path(path, run_name="easydyn_check")
    except SyntaxError as error:
        raise FileError(f"{path}:{error.lineno}: SyntaxError: {error.msg}. The script was not run.") from None
    except SystemExit as error:
        said = f" (exit {error.code!r})" if error.code not in (None, 0) else ""
        raise FileError(
            f"{path}: the script ended itself{said}, and nothing was checked. Put what is to run and then end under "
            'if __name__ == "__main__", and let the models stand above it.'
        ) from None
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
        kind = "" if isinstance(error, EasyDynError) else f"{type(error).__name__}: "
        raise FileError(f"{path}:{lines[-1] if lines else '?'}: {kind}{error}") from None
    models = {name: m for name, m in namespace.items() if isinstance(m, easydyn.Model)}
    if not models:
        print(f"{path}: no Model found at the top level of the script.")
        return 1
    bad = 0
    for name, model in models.items():
        findings = findings_of(model)
        message = f"{len(findings)} finding{'s' * (len(findings) > 1)}" if findings else "all is well"
        print(f"{name} ({model.name}): {message}")
        for finding in findings:
            print(f"  - {finding}")
        bad += bool(findings)
    return 1 if bad else 0


def info() -> None:
    """Print what is installed."""
    from easydyn.engine.installation import report

    print(report(easydyn.__version__))


COMMANDS: dict[str, Any] = {
    "list": list_models, "demo": demo, "figures": figures, "new": new, "check": check, "info": info,
}  # fmt: skip


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """What was typed."""
    parser = argparse.ArgumentParser(
        prog="python -m easydyn",
        description=(easydyn.__doc__ or "").split("\n\n")[0],
        epilog="`python -m easydyn COMMAND --help` says more of each; `python -m easydyn demo double-pendulum` is a "
        "good one to begin with.",
    )
    parser.add_argument("--version", action="version", version=f"easydyn {easydyn.__version__}", help="the version")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    def command(name: str, sentence: str, such_as: str, more: str = "") -> argparse.ArgumentParser:
        """One command, with what it does, and how it is typed."""
        said = f"{sentence[0].upper()}{sentence[1:]}. {more}".strip()
        return commands.add_parser(name, help=sentence, description=said, epilog=f"Such as: {parser.prog} {such_as}")

    command("list", "list the models that demo can run", "list")
    one = command(
        "demo", "simulate a model, print its final state, write pictures and an animation",
        "demo slider-crank --folder pictures",
    )  # fmt: skip
    one.add_argument("model", help=f"{', '.join(_words())}; or measured: a pendulum that was filmed, and its fit")
    one.add_argument("--folder", default=".", help="where files go; the present folder if left out")
    one = command("figures", "draw every figure of the paper", "figures pictures")
    one.add_argument("folder", nargs="?", default="figures", help='where they go; "figures" if left out')
    one = command("new", "write a commented script to start from", "new my_model.py")
    one.add_argument("file", help="the script to write, such as my_model.py; nothing is overwritten")
    one = command(
        "check", "run every check on the models of a script", "check my_model.py",
        "The answer is 0 when all is well, 1 when there is a finding.",
    )  # fmt: skip
    one.add_argument("file", help="the script, such as my_model.py")
    command("info", "say which versions, targets and optional packages there are, and what is missing and why", "info")
    one = command(
        "exercise", "check an exercise of the course, or list them all", "exercise 03 --start .",
        "The answer is 0 when every stage passes, 1 otherwise.",
    )  # fmt: skip
    one.add_argument("number", nargs="?", help="such as 03; all are listed if left out")
    one.add_argument("file", nargs="?", help="your script; NN_name.py in the present folder if left out")
    one.add_argument("--start", metavar="FOLDER", help="copy the script and the statement there, to work on them")
    one.add_argument("--statement", action="store_true", help="show the statement")
    one.add_argument("--hints", type=int, metavar="N", help="how many hints to show; one if left out")
    one.add_argument("--new", metavar="FOLDER", help="write an exercise of your own to start from: FOLDER/NN_name")
    one.add_argument("--exercises", metavar="FOLDER", help="exercises other than those of easydyn")
    one = command(
        "grade", "run a folder of submissions: a table of students by stages", "grade submissions --timeout 30",
        "Each submission runs in a process of its own, within limits.",
    )  # fmt: skip
    one.add_argument("folder", help="where each student has a folder, a zip, or files called student_NN.py")
    one.add_argument("--resume", action="store_true", help="go on with what was interrupted")
    one.add_argument("--walls", metavar="KIND", help="namespaces, landlock or limits; the strongest if left out")
    one.add_argument("--gradescope", metavar="FILE", help="results.json, of a folder that is one submission")
    one.add_argument("--seed", type=int, metavar="N", help="of the inputs at which answers are compared")
    one.add_argument("--output", metavar="FILE", default="grades.csv", help="the table; .csv, .xlsx")
    one.add_argument("--timeout", metavar="S", type=float, default=60.0, help="seconds of processor; 60 if left out")
    one.add_argument("--memory", metavar="MB", type=float, default=4096.0, help="megabytes for each; 4096 if left out")
    one.add_argument("--jobs", metavar="N", type=int, help="how many run at once; one a processor if left out")
    one.add_argument("--exercises", metavar="FOLDER", help="exercises other than those of easydyn")
    one = command(
        "course", "lay out the folder that students get, without solutions", "course my_course --only 01,02",
        "Also the lecturer's archive of solutions, and one by which Gradescope grades.",
    )  # fmt: skip
    one.add_argument("folder", nargs="?", help="the folder to make: exercises and notebooks")
    one.add_argument("--only", metavar="LIST", help="these exercises, such as 01,02; all if left out")
    one.add_argument("--solutions", metavar="FILE", help="write the solutions there, such as solutions.zip")
    one.add_argument("--gradescope", metavar="FILE", help="write an autograder there, such as autograder.zip")
    one.add_argument("--seed", type=int, metavar="N", help="of the inputs at which that one compares answers")
    one.add_argument("--exercises", metavar="FOLDER", help="exercises other than those of easydyn")
    return parser.parse_args(arguments)


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that a console does not have: 2 for a raised 2, e for an accented one, or a "?"."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = unicodedata.normalize("NFKD", error.object[error.start : error.end])
    return "".join(c if c.isascii() else "" if unicodedata.combining(c) else "?" for c in characters), error.end


def _write_what_can_be_written() -> None:
    """No output fails because a console, or the file that it goes to, has another alphabet (cp932, cp1250)."""
    codecs.register_error("easydyn.plainly", _plainly)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="easydyn.plainly")


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    _write_what_can_be_written()
    given = parsed(arguments)
    try:
        if given.command in ("exercise", "grade", "course"):
            from easydyn.course import commands as course

            return int(getattr(course, given.command)(given))
        words = [word for name, word in vars(given).items() if name != "command"]
        status = COMMANDS[given.command](*words)
        sys.stdout.flush()
        return status or 0
    except EasyDynError as error:
        print(f"easydyn: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # `... | head`: whoever reads has had enough
        sys.stdout = open(os.devnull, "w")
        return 0


if __name__ == "__main__":
    sys.exit(main())
