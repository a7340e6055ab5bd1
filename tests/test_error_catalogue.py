"""docs/errors.md lists what easydyn says when something is wrong: all of it, and nothing else.

By what is made wrong: each row of MISTAKES (in test_bad_input.py and in whatever test file has such a list) carries the
distinctive phrase of its message, which was found in the message itself; that phrase stands in a row of a table of the
catalogue, together with the class of the exception.

By what is written in the package: messages.py reads every exception and every warning off the source; each has a row
with its class, each row and each class in it stands for a message.
"""

import importlib
import inspect
import re
from collections import Counter
from pathlib import Path

import messages
import pytest
from messages import HOLE, Message
from test_bad_input import FAILURES
from together import together

from easydyn import errors

HERE = Path(__file__).resolve().parent
PAGE = (HERE.parent / "docs" / "errors.md").read_text(encoding="utf-8")
FILES = [file for file in sorted(HERE.glob("test_*.py")) if "\nMISTAKES = [\n" in file.read_text(encoding="utf-8")]
MISTAKES = [mistake for file in FILES for mistake in importlib.import_module(file.stem).MISTAKES]
ROWS = [line for line in PAGE.splitlines() if line.startswith("|") and not line.startswith("|---")]
MESSAGES = [row for row in ROWS if row.count(" | ") == 3 and "| message |" not in row]
WARNINGS = [row for row in ROWS if row.count(" | ") == 2 and "Warning |" in row]
KINDS = sorted({(mistake.phrase, mistake.error.__name__) for mistake in MISTAKES})


def test_the_catalogue_was_read():
    assert len(MESSAGES) >= 100 and len(KINDS) >= 100 and FAILURES


@together(("phrase", "kind"), KINDS, ids=lambda text: text[:40])
def test_message_is_in_the_catalogue(phrase, kind):
    assert any(phrase in row and re.search(rf"\b{kind}\b", row) for row in MESSAGES), f"{phrase!r} with {kind}"


@together("row", MESSAGES, ids=lambda row: row[2:50])
def test_every_message_of_the_catalogue_is_exercised(row):
    message, kinds, cause, cure = (cell.strip() for cell in row.strip("|").split(" | "))
    assert cause and cure and all(issubclass(getattr(errors, kind), errors.EasyDynError) for kind in kinds.split(", "))
    assert any(mistake.phrase in message for mistake in MISTAKES), f"no test makes this mistake: {message}"


def test_every_exception_is_in_the_catalogue():
    kinds = [
        name for name, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.EasyDynError)
    ]
    assert len(kinds) >= 13
    missing = [name for name in kinds if f"| `{name}` |" not in PAGE]
    assert not missing, f"docs/errors.md does not explain {', '.join(missing)}"


# -- against the source of the package -----------------------------------------------------------------------------


def read(row):
    """The phrases of a row (there may be several, each in backticks), and the classes it names."""
    said, kinds = (cell.strip() for cell in row.strip("|").split(" | ")[:2])
    phrases = re.findall(r"(?<!\w)`(.+?)`(?=,|$)", said)
    assert phrases and said.startswith("`") and said.endswith("`"), f"a message stands in backticks: {said}"
    return phrases, kinds.split(", ")


CATALOGUE = [read(row) for row in (*MESSAGES, *WARNINGS)]


def covers(entry, form):
    phrases, kinds = entry
    return (form.kind in kinds or not form.kind) and any(messages.says(phrase, form) for phrase in phrases)


def test_the_source_was_read():
    """What is found is much, and in all rooms; nearly every `raise` has a message of its own."""
    files = {forms[0].where.partition(":")[0] for forms in messages.messages()}
    rooms = {file.partition("/")[0] for file in files}
    assert rooms >= {"forces", "analysis", "visu", "sim", "course", "export", "engine", "__main__.py", "vec"}
    assert len(messages.messages()) >= 400 and len(files) >= 70


def sharing(words, index):
    """The numbers of those in an index that share some of the words, those that share the most letters first."""
    letters = Counter()
    for word in words:
        letters.update(dict.fromkeys(index.get(word, ()), len(word)))
    return [k for k, _ in letters.most_common()]


def by_words(words_of_each):
    index = {}
    for k, words in enumerate(words_of_each):
        for word in words:
            index.setdefault(word, []).append(k)
    return index


def test_every_message_of_the_package_is_in_the_catalogue():
    index = by_words(frozenset().union(*map(messages.words_of, phrases)) for phrases, _ in CATALOGUE)
    missing = [
        str(forms[0])
        for forms in messages.messages()
        if any(form.kind for form in forms)  # others pass on a message with its place
        and not any(
            covers(CATALOGUE[k], form) for form in forms for k in sharing(messages.words_of(form.pieces), index)
        )
    ]
    assert not missing, "docs/errors.md has no row for\n  " + "\n  ".join(missing)


def test_every_row_of_the_catalogue_is_a_message_of_the_package():
    every, idle = [form for forms in messages.messages() for form in forms], []
    index = by_words(messages.words_of(form.pieces) for form in every)
    for phrases, kinds in CATALOGUE:
        near = [every[k] for phrase in phrases for k in sharing(messages.words_of(phrase), index)]
        for kind in kinds:
            if not any(covers((phrases, [kind]), form) for form in near):
                idle.append(f"{phrases[0]} ({kind})")
    assert not idle, "nothing in the package says\n  " + "\n  ".join(idle)


def test_exceptions_are_our_own():
    """Whatever is raised is of easydyn.errors: what else is, is listed with the file in messages.py."""
    assert not list(messages.strangers())


MASS = ("the mass of body '", HOLE, "' is ", HOLE, ": expected a number >= 0 (kg).")
FILE = ("there is no file '", HOLE, "': expected your script.")


@together(
    ("phrase", "pieces", "expected"),
    [
        ("… is …: expected a number", (HOLE, " is ", HOLE, ": expected a number."), True),
        ("… is …: expected a number", (HOLE, " is ", HOLE, ": expected a number above zero."), False),
        ("the mass of body 'arm' is …: expected a number >= 0", MASS, True),
        ("the mass of body 'arm' is …: expected a number > 0", MASS, False),
        ("the mass of body 'arm' is missing, and there is no default", MASS, False),
        ("expected a number >= 0 (kg)", MASS, True),
        ("there is no file …", FILE, True),
        ("there is no folder …", FILE, False),
    ],
)
def test_a_row_is_told_from_others(phrase, pieces, expected):
    assert messages.says(phrase, Message("x.py:1", "InputError", pieces)) is expected


@pytest.mark.parametrize(
    "taken", ["is left-handed", "the leading axes", "coordinate y moves nothing", "is plain Python, called"]
)
def test_a_row_taken_away_is_missed(taken):
    left = [entry for entry in CATALOGUE if not any(taken in phrase for phrase in entry[0])]
    assert len(left) == len(CATALOGUE) - 1
    (gone,) = (entry for entry in CATALOGUE if entry not in left)
    mine = [forms for forms in messages.messages() if any(covers(gone, form) for form in forms)]
    assert any(not any(covers(entry, form) for form in forms for entry in left) for forms in mine)


def test_helpers_are_followed():
    """A text in a local variable, from a function, and an argument that is the whole message."""
    said = {str(form).partition(": ")[2] for forms in messages.messages() for form in forms}
    assert any("transposed: the displacement is the last column" in text for text in said)
    assert any(
        "the controller" in text or "failed at" in text and "Look at the line of your function" in text for text in said
    )
    assert any(text.startswith("FileError: cannot write '…': there is no such folder") for text in said)
