"""Every argument of every public function is given what makes no sense: nothing raw comes back, nothing hangs.

mutants.py makes the calls, in a process of its own with limits of time and memory; working_calls.py has one that works
for each public name. `-m long` tries one in 24 of all bad calls, the same ones every time, `python start.py explore`
others, and `python tests/mutants.py` all of them.
"""

import inspect
from contextlib import suppress

import mutants
import pytest
from chance import seeds
from together import together
from working_calls import CALLS, UNCALLED, World

from easydyn.errors import EasyDynError, MissingDependencyError

PARTS = 2  # of the test: more would begin as many processes and worlds
CLASSES = 97  # of all mutants, of which a seed takes one


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    """(path, which call, place, name of the bad value) of each mutant."""
    return list(mutants.mutants(World(tmp_path_factory.mktemp("world"))))


def test_every_public_name_has_a_call():
    """One that works, in CALLS, or a reason for none, in UNCALLED; neither for what no longer exists."""
    names, without = mutants.called(), mutants.uncalled()
    assert len(names) >= 300 and len(CALLS) >= 200
    missing = [path for path in names if path not in CALLS and path not in without]
    assert not missing, f"give working_calls.py a call of {', '.join(missing)}"
    idle = [path for path in (*CALLS, *without) if path not in names or path in CALLS and path in without]
    assert not idle, f"working_calls.py knows {', '.join(idle)}, which is not there, or stands there twice"
    assert all(len(reason) > 20 for reason in UNCALLED)


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_calls_work(part, tmp_path, monkeypatch, recwarn):
    monkeypatch.chdir(tmp_path)
    world = World(tmp_path)
    for path, _, maker in [*mutants.calls()][part::PARTS]:
        world.renew()
        function, arguments, options = maker(world)
        if inspect.isclass(function) or inspect.isfunction(function):
            assert mutants.called()[path].thing is function, path
        else:
            assert function.__name__ == path.rsplit(".", 1)[1], path
        with suppress(MissingDependencyError):  # of pandas, where it is not installed: that is what it should say
            function(*arguments, **options)


@pytest.mark.long
def test_there_are_many(every):
    places = {(path, k, place) for path, k, place, _ in every}
    assert len(mutants.BAD) >= 50 and len(places) >= 700 and len(every) == len(places) * len(mutants.BAD)


def raw(every, chosen):
    wrong = mutants.tried(chosen)
    return "\n".join(f"{' '.join(map(str, every[n]))}: {text}" for n, text in wrong.items())


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", seeds("mutants"))
def test_more_are_answered(every, seed):
    """A seed is one mutant in `CLASSES`."""
    chosen = [n for n, mutant in enumerate(every) if mutants.code(mutant) % CLASSES == seed % CLASSES]
    assert len(chosen) >= 500
    assert raw(every, chosen) == ""


@together(
    ("function", "told"),
    [
        (lambda x=None: [].no_such, "AttributeError"),
        (lambda x=None: "a" + x, "TypeError"),
        (lambda x=None: None, None),
        (lambda x=None: (_ for _ in ()).throw(EasyDynError("ours")), None),
    ],
)
def test_a_raw_error_would_be_seen(function, told, tmp_path, monkeypatch):
    monkeypatch.setitem(CALLS, "it", lambda world: (function, (), {"x": "b"}))
    answer = mutants.attempt(World(tmp_path), ("it", 0, ("x",), "-1"))
    assert answer is None if told is None else answer.startswith(told)
