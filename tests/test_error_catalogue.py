"""docs/errors.md lists what easydyn says when something is wrong: all of it, and nothing else.

The rule: each row of MISTAKES, in test_bad_input.py and in every other test_*bad_input.py, carries the distinctive
phrase of its message, which was found in the message itself; that phrase stands in a row of a table of the catalogue,
together with the class of the exception.
"""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from test_bad_input import FAILURES

from easydyn import errors

BENCHES = [file.stem for file in sorted(Path(__file__).parent.glob("test_*bad_input.py"))]
MISTAKES = [mistake for name in BENCHES for mistake in import_module(name).MISTAKES]
PAGE = (Path(__file__).resolve().parent.parent / "docs" / "errors.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("|") and not line.startswith("|---")]
MESSAGES = [row for row in ROWS if row.count(" | ") == 3 and "| message |" not in row]
KINDS = sorted({(mistake.phrase, mistake.error.__name__) for mistake in MISTAKES})


def test_the_catalogue_was_read():
    assert len(MESSAGES) >= 100 and len(KINDS) >= 100 and FAILURES


@pytest.mark.parametrize(("phrase", "kind"), KINDS, ids=lambda text: text[:40])
def test_message_is_in_the_catalogue(phrase, kind):
    assert any(phrase in row and re.search(rf"\b{kind}\b", row) for row in MESSAGES), f"{phrase!r} with {kind}"


@pytest.mark.parametrize("row", MESSAGES, ids=lambda row: row[2:50])
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
