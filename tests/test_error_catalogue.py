"""docs/errors.md lists what easydyn says when something is wrong: all of it, and nothing else.

mistakes.txt has the page and what leads to each of its messages; messages.py reads every exception and every warning
off the source: each has a row with its class, each row and each class in it stands for a message.
"""

import functools
import inspect
from pathlib import Path

import messages
from messages import HOLE, Message
from mistakes import MISTAKES, PAGE, TEXT, row_of
from together import together

from easydyn import errors


def test_the_page_is_written_from_the_mistakes():
    assert PAGE.read_text(encoding="utf-8") == TEXT, "python tests/mistakes.py writes it"


def test_every_message_has_a_cause_a_cure_and_mistakes_that_are_made():
    assert len(MISTAKES) >= 1000
    makers = {file.stem for file in Path(__file__).parent.glob("test_*.py") if "= explained(__file__)" in
              file.read_text(encoding="utf-8")}  # fmt: skip
    for row, mistakes in MISTAKES.items():
        kinds = [getattr(errors, kind) for kind in row.kinds]
        cells = [cell.strip() for cell in row.text.strip("|").split(" | ")]
        assert all(cells) and row.phrases and cells[0].startswith("`") and cells[0].endswith("`"), row.text
        warning = all(issubclass(kind, Warning) for kind in kinds)
        assert warning or all(issubclass(kind, errors.EasyDynError) for kind in kinds), row.text
        assert warning or mistakes, f"no mistake leads to {row.text}"
        assert all(f"test_{mistake.file}" in makers for mistake in mistakes), row.text


def test_every_exception_is_in_the_catalogue():
    kinds = [
        name for name, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, errors.EasyDynError)
    ]
    assert len(kinds) >= 13
    missing = [name for name in kinds if f"| `{name}` |" not in TEXT]
    assert not missing, f"docs/errors.md does not explain {', '.join(missing)}"


# -- against the source of the package -----------------------------------------------------------------------------


def says(row, form):
    return row.names(form.kind, *(piece for piece in form.pieces if piece is not HOLE))


@functools.cache
def rows_of(form):
    """All rows of the catalogue that a form of a message has, found once for all tests."""
    text = "\0".join(piece for piece in form.pieces if piece is not HOLE)
    return {row for row in MISTAKES if row.names(form.kind, text)}


def unsaid(rows):
    """Messages of the package that no row has; others pass on a message with its place."""
    return [
        str(forms[0])
        for forms in messages.messages()
        if any(form.kind for form in forms) and all(rows_of(form).isdisjoint(rows) for form in forms)
    ]


def test_every_message_of_the_package_is_in_the_catalogue():
    """What is found is much, and in all rooms; nearly every `raise` has a message of its own."""
    files = {forms[0].where.partition(":")[0] for forms in messages.messages()}
    rooms = {file.partition("/")[0] for file in files}
    assert rooms >= {"forces", "analysis", "visu", "sim", "course", "export", "engine", "__main__.py", "vec"}
    assert len(messages.messages()) >= 400 and len(files) >= 70
    assert not (missing := unsaid(MISTAKES)), "tests/mistakes.txt has no row for\n  " + "\n  ".join(missing)


def test_every_row_of_the_catalogue_is_a_message_of_the_package():
    said = {(row, form.kind) for forms in messages.messages() for form in forms for row in rows_of(form)}
    idle = [
        f"{row.text} ({kind})"
        for row in MISTAKES
        for kind in row.kinds
        if said.isdisjoint({(row, kind), (row, "")})
    ]
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
        ("… is …: expected a number above zero", (HOLE, " is ", HOLE, ": expected a number."), False),
        ("the mass of body 'arm' is …: expected a number >= 0", MASS, True),
        ("the mass of body 'arm' is …: expected a number > 0", MASS, False),
        ("the mass of body 'arm' is missing, and there is no default", MASS, False),
        ("there is no file …", FILE, True),
        ("there is no folder …", FILE, False),
    ],
)
def test_a_row_is_told_from_others(phrase, pieces, expected):
    row = row_of(f"| `{phrase}` | InputError | a cause | a cure |")
    assert says(row, Message("x.py:1", "InputError", pieces)) is expected
    assert not says(row, Message("x.py:1", "ModelError", pieces))


@together("taken", ["is left-handed", "the leading axes", "coordinate … moves nothing", "is plain Python, called"])
def test_a_row_taken_away_is_missed(taken):
    left = [row for row in MISTAKES if not any(taken in phrase for phrase in row.phrases)]
    assert len(left) == len(MISTAKES) - 1 and unsaid(left)


def test_helpers_are_followed():
    """A text in a local variable, from a function, and an argument that is the whole message."""
    said = {str(form).partition(": ")[2] for forms in messages.messages() for form in forms}
    assert any("transposed: the displacement is the last column" in text for text in said)
    assert any(
        "the controller" in text or "failed at" in text and "Look at the line of your function" in text for text in said
    )
    assert any(text.startswith("FileError: cannot write '…': there is no such folder") for text in said)
