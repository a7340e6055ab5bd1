"""docs/errors.md lists what easydyn says when something is wrong: all of it, and nothing else.

mistakes.txt has the page and what leads to each of its messages; messages.py reads every exception and every warning
off the source: each has a row with its class, each row and each class in it stands for a message.
"""

import inspect
from collections import Counter
from pathlib import Path

import messages
from messages import HOLE, Message
from mistakes import MISTAKES, PAGE, TEXT
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


CATALOGUE = [(row.phrases, row.kinds) for row in MISTAKES]


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


@together("taken", ["is left-handed", "the leading axes", "coordinate … moves nothing", "is plain Python, called"])
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
