"""The check of an exercise: the stages that pass, the message on the first that does not; statements on a console."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from easydyn.arguments import answers
from easydyn.course.asking import Asking, here
from easydyn.course.catalogue import Exercise, find
from easydyn.course.room import RUN_NAME, Refused
from easydyn.course.work import Work, Wrong, advice
from easydyn.errors import InputError
from easydyn.files import path_to
from easydyn.inputs import a, function, whole

WIDTH = 100


@dataclass(frozen=True)
class Report:
    """How far a student has come.

    Attributes
    ----------
    exercise : Exercise
        What was checked.
    marks : tuple
        For each stage True or False, whether it passes; None if it was not reached.
    wrong : Wrong or None
        The message on the first stage that does not pass; None if all pass.
    script : Path or None
        The script that was checked; None in a notebook.

    Example
    -------
    >>> from easydyn.course import check, find
    >>> report = check(find(1), {})
    >>> report.done, report.passed, report.marks
    (False, 0, (False, False, False, False))
    """

    exercise: Exercise
    marks: tuple[bool | None, ...]
    wrong: Wrong | None = None
    script: Path | None = None

    @property
    def passed(self) -> int:
        """The stages that pass, before the first that does not."""
        return next((k for k, mark in enumerate(self.marks) if not mark), len(self.marks))

    @property
    def done(self) -> bool:
        """True when every stage passes."""
        return self.wrong is None

    @answers
    def text(self, hints: int | None = None, file: str | None = None) -> str:
        """The report in words, with as many `hints` as asked for.

        If `hints` is left out, one hint is shown; none if the student has not written anything yet, or if the message
        itself is the help. `file` is the text after the number on the command line, for the proposed command.
        """
        hints = None if hints is None else whole(hints, "hints", least=0)
        stages, one = self.exercise.stages, self.exercise
        head = f"Exercise {one.number}, {one.title}"
        if self.wrong is None:
            return f"{head}: all {len(stages)} stages pass. Well done."
        lines = [f"{head}: {self.marks.count(True)} of {len(stages)} stages pass.", ""]
        for k, stage in enumerate(stages):
            mark = "here" if k == self.passed else "passed" if self.marks[k] else ""
            lines.append(f"  {mark:>6}  {k + 1}. {stage.title}")
        lines.append("")
        facts = [("called", self.wrong.called), ("came", self.wrong.came), ("expected", self.wrong.expected)]
        for what, text in facts:
            if text and not (self.wrong.unfinished and what == "called"):
                lines += _beside(f"  {what:<10}", text)
        if any(text for _, text in facts[1:]):
            lines.append("")
        lines += textwrap.wrap(str(self.wrong), WIDTH, break_long_words=False)
        return "\n".join([*lines, *self._help(hints, file)])

    def _is_for(self, hint: str) -> bool:
        """Whether a hint is for what was called: one that begins with "`name`:" is for that name alone."""
        name = re.match(r"`(\w+)`: ", hint)
        called = re.match(r"\w+", self.wrong.called) if self.wrong is not None else None
        return name is None or called is None or name[1] == called[0]

    def _help(self, hints: int | None, file: str | None) -> list[str]:
        one, there = self.exercise.number, [hint for hint in self.exercise.hints(self.passed + 1) if self._is_for(hint)]
        alone = self.wrong is not None and (self.wrong.unfinished or self.wrong.recognised)
        count = (0 if alone else 1) if hints is None else hints
        lines: list[str] = []
        for k, hint in enumerate(there[:count], start=1):
            told = f"Hint {k} of {len(there)}. {on_console(hint)}"
            lines += ["", *textwrap.wrap(told, WIDTH, break_long_words=False)]
        if count < len(there):
            how = f'easydyn.exercise("{one}", globals(), hints={count + 1})'
            if self.script is not None:
                how = f"python -m easydyn exercise {one} {f'{file} ' if file else ''}--hints {count + 1}"
            lines += ["", f"{'Help' if not count else 'More help'}: {how}"]
        return lines


def _beside(label: str, text: str) -> list[str]:
    """Lines of text beside a label, wrapped where they are too long."""
    room = WIDTH - len(label)
    rows = [part for line in text.splitlines() for part in textwrap.wrap(line, room, drop_whitespace=False) or [""]]
    return [((label if k == 0 else " " * len(label)) + row).rstrip() for k, row in enumerate(rows)]


@answers
def check(
    exercise: Exercise, names: Mapping[str, Any] | Path | Asking, *,
    each: Callable[[int, Wrong | None], None] | None = None, script: Path | None = None, seed: int | None = None,
) -> Report:  # fmt: skip
    """Run the stages of an exercise on names, or on a script.

    A stage that does not pass counts once: functions that build on its results find the right ones in their place.

    Parameters
    ----------
    exercise : Exercise
        The exercise, such as `find("03")`.
    names : mapping, Path or Asking
        The global names of a notebook, or the student's script; or a way to ask for them.
    each : callable, optional
        each(number of the stage, what is wrong or None), called after every stage.
    script : Path, optional
        For an Asking: the script that must run first.
    seed : int, optional
        Seed (no unit) of the random inputs; if left out, they are the same in every run.

    Returns
    -------
    Report
        `print(report.text())` shows it.

    Example
    -------
    >>> from easydyn import tdisp, trotz
    >>> from easydyn.course import find
    >>> check(find(1), {"elbow": lambda q1: trotz(q1) * tdisp(0, -1.2, 0)}).passed
    1
    """
    a(Exercise, exercise, "exercise", 'an exercise, such as find("03")')
    a((Mapping, Path, Asking), names, "names", "the names of a notebook, globals(), or the path of a script")
    if each is not None:
        function(each, "each", "number, wrong")
    script = names if isinstance(names, Path) else None if script is None else path_to(script)
    asking = names if isinstance(names, Asking) else here({} if script is not None else names, exercise.questions)  # type: ignore
    wrong = None
    marks: list[bool | None] = [None] * len(exercise.stages)
    seed = None if seed is None else whole(seed, "the seed", 2**62, least=0)
    try:
        if script is not None:
            asking.ask("load", None, str(script))
    except Refused as refused:
        said = f"{refused}{advice(str(refused))}"
        wrong = Wrong(said, came=refused.came, unfinished=refused.unfinished, recognised=True)
        marks[0] = False
    else:
        rights: dict[str, Callable[..., Any]] = {}
        try:
            for k, stage in enumerate(exercise.stages):
                work = Work(asking, None if seed is None else seed + k + 1)
                work.wrong = frozenset(rights)
                found = stage.wrong(work)
                if found is not None and rights and asking.mend({}):  # the student's own functions may fit together
                    found = stage.wrong(Work(asking, None if seed is None else seed + k + 1)) and found
                if found is None and stage.together and not any(marks[:k]):
                    found = wrong  # all that it puts together is lent
                marks[k], wrong = found is None, wrong or found
                if each is not None:
                    each(k + 1, found)
                rights |= work.rights if found is not None else {}
                if rights and k + 1 < len(marks) and not asking.mend(rights):
                    rights = {}
                    break  # the student's side does not answer as it should: later stages are not reached
        finally:  # also where it is interrupted: what was lent must not stay in a notebook
            if rights:
                asking.mend({})
    return Report(exercise, tuple(marks), wrong, script)


@answers
def exercise(
    number: str | int, names: Mapping[str, Any], *, hints: int | None = None, folder: str | Path | None = None
) -> None:
    """Check an exercise from a notebook or a script: prints what passes, and the first stage that does not.

    Parameters
    ----------
    number : str or int
        "03", or 3.
    names : mapping
        Your names and their values: `globals()`.
    hints : int, optional
        How many hints to show for the stage that does not pass; one if left out.
    folder : path, optional
        Where the exercises are, if not those of easydyn.

    Raises
    ------
    UnknownNameError, FileError, InputError
        There is no such exercise; there are no exercises; `names` is not a mapping.

    Example
    -------
    >>> import easydyn
    >>> easydyn.exercise("01", {"elbow": ...})  # doctest: +ELLIPSIS
    Exercise 01, ...: 0 of 4 stages pass. ...
    """
    if not isinstance(names, Mapping):
        raise InputError(f"exercise({number!r}, ...) got {type(names).__name__}: expected globals(), your names.")
    if names.get("__name__") != RUN_NAME:  # a script that is being checked does not check itself
        said = check(find(number, folder), names).text(hints)
        print(said.encode("utf-8", "backslashreplace").decode("utf-8"))


_WORDS = {
    "times": " x ", "cdot": " . ", "quad": "  ", "qquad": "    ", "int": "integral of ", "left": "", "right": "",
    "displaystyle": "", "dots": "... ", "pm": "+-",
    "varphi": "phi ", "vartheta": "theta ", ",": " ", ";": " ", " ": " ", "\\": "; ",
}  # fmt: skip
_STYLES = re.compile(r"\\(?:mathbf|boldsymbol|mathrm|mathfrak|operatorname|text)\s*(?:\{([^{}]*)\}|(\\?[A-Za-z]+|\d))")
_DOTS = re.compile(r"\\(d+)ot(?![a-z])\s*(?:\{([^{}]*)\}|(\\[A-Za-z]+|[A-Za-z])((?:_\{[^{}]*\}|_\w)?))")
_ROOT = re.compile(r"\\sqrt\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
_FRACTION = re.compile(r"\\[td]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_COMMAND = re.compile(r"\\([A-Za-z]+|.)\s*")
_TOUCHING = re.compile(r"(?<=[A-Za-z0-9])(?=\\[A-Za-z])")
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$", re.DOTALL)
_PICTURE = re.compile(r"!\[([^\]]*)\]\([^)]*\)")


def in_letters(latex: str) -> str:
    """A formula of LaTeX as one would type it: q' for a dot, omega for the letter, x for a cross product.

    >>> in_letters(r"\\ddot q + \\boldsymbol\\omega\\times\\mathbf r = \\sqrt{k/m}")
    "q'' + omega x r = sqrt(k/m)"
    """
    text = re.sub(r"\\tag\{([^{}]*)\}", r"      (\1)", latex)
    text = _STYLES.sub(lambda found: f" {found[1] or found[2]} ", text)
    text = _DOTS.sub(lambda found: f" {found[2] or found[3]}{found[4] or ''}{len(found[1]) * chr(39)}", text)
    text = _FRACTION.sub(r"(\1)/(\2)", _ROOT.sub(r" sqrt(\1)", text))
    text = _TOUCHING.sub(" ", text)
    text = _COMMAND.sub(lambda found: _WORDS.get(found[1], f"{found[1]} "), text)
    text = re.sub(r"[{}]", "", text)
    text = re.sub(r"(?<=\S) +(?=[\s'_^,;)/])| +$|(?<=[(/]) +", "", re.sub(r"(?<=\S)[ \n]+", " ", text))
    return text.strip()


def on_console(statement: str) -> str:
    """A statement without LaTeX and without links to pictures.

    >>> print(on_console("The angle $q_1$.\\n\\n![A rod](sketch.png)"))
    The angle q_1.
    <BLANKLINE>
    (A picture shows: A rod)
    """

    def formula(found: re.Match[str]) -> str:
        return f"    {in_letters(found[1])}" if found[1] else in_letters(found[2])

    parts = re.split(r"(```.*?```|`[^`\n]*`)", _PICTURE.sub(r"(A picture shows: \1)", statement), flags=re.DOTALL)
    return "".join(part if k % 2 else _FORMULA.sub(formula, part) for k, part in enumerate(parts))
