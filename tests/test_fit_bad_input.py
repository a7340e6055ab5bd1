"""Mistakes in fits, in the manner of test_bad_input.py."""

from types import SimpleNamespace

import numpy as np
import pytest
import test_bad_input as bad
from mistakes import Mistake, explained

from easydyn.errors import FileError, InputError, ModelError, UnknownNameError

pytest.importorskip("scipy")
T = np.linspace(0, 0.5, 11)
DATA = {"t": T, "q1": 0.1 * T, "angle": 0.1 * T}


def fitted(w, data=None, parameters=None, to=None, **options):
    w.model.fit(DATA if data is None else data, {"l1": 1.0} if parameters is None else parameters, to, **options)


def of_file(w, text, name="data.csv"):
    path = w.folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    fitted(w, path)


def stopped(_):
    """The data of a run that an event stops before they end."""
    model = bad.slider(force=lambda x: 1.0)
    model.event(model.symbols["x"] - 0.01, action="stop")
    model.parameters(c=1.0)
    model.fit({"t": T, "x": T}, {"c": 1.0})


def endless(_):
    """A motion that runs away long before the data end, with pieces from the start on."""
    model = bad.slider(force=lambda x: 200 * x**3, initial=1.0)
    model.parameters(c=1.0)
    model.fit({"t": 10 * T, "x": T}, {"c": 1.0}, shooting="multiple", max_steps=200)


def dependent(_):
    """A start that is to be measured, where one coordinate follows from another."""
    model = bad.slider(force=lambda x: 1.0)
    model.parameters(c=1.0)
    y = model.coordinate("y")
    model.constraint(y - model.symbols["x"])
    model.fit({"t": T, "x": T}, {"c": 1.0}, start="measured")


MISTAKES = [
    Mistake(
        "no data",
        InputError,
        lambda w: fitted(w, 3),
        "expected a DataFrame, a dict of arrays by name",
        r"data is 3 \(int\): expected a DataFrame",
    ),
    Mistake(
        "no times",
        InputError,
        lambda w: fitted(w, {"q1": T}),
        "the data have no column",
        r"the data have no column 't' or 'time': they have q1. Say which one",
    ),
    Mistake(
        "times by a wrong name",
        InputError,
        lambda w: fitted(w, time="clock"),
        "the data have no column",
        r"the data have no column 'clock': they have t, q1, angle",
    ),
    Mistake(
        "columns of two lengths",
        InputError,
        lambda w: fitted(w, {"t": T, "q1": T[:3]}),
        "of the data has",
        r"column 'q1' of the data has 3 values, and there are 11 times",
    ),
    Mistake(
        "one instant",
        InputError,
        lambda w: fitted(w, {"t": [0], "q1": [0]}),
        "expected at least two",
        r"the data have 1 instants: expected at least two",
    ),
    Mistake(
        "a time is missing",
        InputError,
        lambda w: fitted(w, {"t": [0, np.nan], "q1": [0, 1]}),
        "of the data is no finite number",
        r"the time in row 2 of the data is no finite number",
    ),
    Mistake(
        "times in disorder",
        InputError,
        lambda w: fitted(w, {"t": [0, 2, 1], "q1": [0, 1, 2]}),
        "the times of the data do not increase",
        r"1 s in row 3 comes after 2 s",
    ),
    Mistake(
        "words as a column",
        InputError,
        lambda w: fitted(w, {"t": T, "q1": [*T[:10], "n.d."]}, to={"q1": "q1"}),
        "or nothing where nothing was measured",
        r"column 'q1' of the data has 'n.d.' in row 11: expected a number",
    ),
    Mistake(
        "a word in a column that is taken for its name",
        InputError,
        lambda w: of_file(w, "t\tq1\n0,0\t0,5\n0,1\tn.d.\n"),
        "or nothing where nothing was measured",
        r"column 'q1' of the data has 'n.d.' in row 2: expected a number",
    ),
    Mistake(
        "an infinite value",
        InputError,
        lambda w: fitted(w, {"t": T, "q1": [*T[:10], np.inf]}),
        "or nothing where nothing was measured",
        r"column 'q1' of the data has inf in row 11: expected a number",
    ),
    Mistake(
        "two columns of one name",
        InputError,
        lambda w: of_file(w, "t,q1,q1\n0,0,0\n1,1,2\n"),
        "the data have two columns called",
        r"the data have two columns called 'q1': expected one",
    ),
    Mistake(
        "two columns of times",
        InputError,
        lambda w: fitted(w, {"t": T, "time": T, "q1": T}),
        "two columns could be the time",
        r"two columns could be the time: t, time: say time='t'",
    ),
    Mistake(
        "dates as a column",
        InputError,
        lambda w: fitted(w, {"t": T, "q1": np.arange(11).astype("datetime64[s]")}),
        "expected real numbers",
        r"column 'q1' of the data holds dates or durations: expected real numbers",
    ),
    Mistake(
        "complex numbers as a column",
        InputError,
        lambda w: fitted(w, {"t": T, "q1": 1j * T}),
        "expected real numbers",
        r"column 'q1' of the data holds complex numbers: expected real numbers",
    ),
    Mistake(
        "months as times",
        InputError,
        lambda w: fitted(w, {"t": np.arange(11).astype("timedelta64[M]"), "q1": T}),
        "of the data are in",
        r"the times 't' of the data are in M: expected seconds",
    ),
    Mistake(
        "numbers with a unit",
        InputError,
        lambda w: fitted(w, {"t": T, "q1": SimpleNamespace(magnitude=T, units="degree")}),
        "of the data has a unit",
        r"column 'q1' of the data has a unit, degree: expected plain numbers",
    ),
    Mistake(
        "commas that may separate thousands",
        FileError,
        lambda w: of_file(w, "t;q1\n1,000;1,500\n2,000;2,500\n"),
        "in every row: say decimal=",
        r"'data.csv': \"1,000\" may be 1.000 or 1000 in every row: say decimal",
    ),
    Mistake(
        "words as times",
        InputError,
        lambda w: fitted(w, {"t": ["a", "b"], "q1": [0, 1]}),
        "or nothing where nothing was measured",
        r"column 't' of the data has 'a' in row 1: expected a number",
    ),
    Mistake(
        "a matrix as times",
        InputError,
        lambda w: fitted(w, {"t": np.ones((2, 2)), "q1": [0, 1]}),
        "of the data has shape",
        r"column 't' of the data has shape \(2, 2\): expected \(N,\)",
    ),
    Mistake(
        "no file",
        FileError,
        lambda w: fitted(w, w.folder / "none.csv"),
        "expected measured data in columns",
        r"there is no file '.*none.csv': expected measured data",
    ),
    Mistake(
        "a picture",
        FileError,
        lambda w: of_file(w, b"\xff\xd8\xff\xe0"),
        "Expected a file of columns",
        r"cannot read '.*': it is no text in UTF-8",
    ),
    Mistake(
        "an empty file",
        FileError,
        lambda w: of_file(w, "\n"),
        "is empty: expected columns",
        r"data.csv' is empty: expected columns below a line of their names",
    ),
    Mistake(
        "no heading",
        FileError,
        lambda w: of_file(w, "0,1\n1,2\n"),
        "begins with numbers",
        r"begins with numbers: expected a line of names",
    ),
    Mistake(
        "a short row",
        FileError,
        lambda w: of_file(w, "t,q1\n0,1\n1\n"),
        "entries, and there are",
        r"row 3 of '.*' has 1 entries, and there are 2 columns",
    ),
    Mistake(
        "no column of the model",
        InputError,
        lambda w: fitted(w, {"t": T, "angle": T}),
        "is called as something of the model",
        r'\(angle\) is called .* such as to=\{"q1": "angle"\}',
    ),
    Mistake(
        "to is a list",
        InputError,
        lambda w: fitted(w, to=["q1"]),
        "expected what is measured by which column",
        r"to is \['q1'\]: expected what is measured",
    ),
    Mistake(
        "to a number",
        InputError,
        lambda w: fitted(w, to={"q1": 3}),
        "as a column of the data",
        r"to has 3 as a column of the data: expected its name",
    ),
    Mistake(
        "to a column that is not there",
        UnknownNameError,
        lambda w: fitted(w, to={"q1": "b"}),
        "the data have no column",
        r"the data have no column 'b': they have q1, angle",
    ),
    Mistake(
        "of a column that the model has not",
        UnknownNameError,
        lambda w: fitted(w, to={"q7": "angle"}),
        "or an expression of its symbols",
        r"to has 'q7', which model 'pendulum' has not: expected one of q1, ",
    ),
    Mistake(
        "nothing measured",
        InputError,
        lambda w: fitted(w, {"t": T, "q1": T * np.nan}),
        "holds no number",
        r"column 'q1' of the data holds no number",
    ),
    Mistake(
        "too few data",
        InputError,
        lambda w: fitted(w, {"t": [0, 0.1], "q1": [0, np.nan]}, {"l1": 1, "q1": 0}),
        "are to be found",
        r"the data hold 1 values, and 2 are to be found \(l1, q1\)",
    ),
    Mistake(
        "nothing to be fitted",
        InputError,
        lambda w: fitted(w, parameters={}),
        "got no parameters",
        r"a fit got no parameters: expected what may be changed",
    ),
    Mistake(
        "a parameter that is not there",
        UnknownNameError,
        lambda w: fitted(w, parameters={"k": 2}),
        "cannot change",
        r"a fit cannot change 'k': model 'pendulum' has the parameters l1, .* initial values q1, ",
    ),
    Mistake(
        "bounds of a stranger",
        UnknownNameError,
        lambda w: fitted(w, bounds={"k": (0, 1)}),
        "which is not among the parameters",
        r"bounds has 'k', which is not among the parameters of a fit",
    ),
    Mistake(
        "bounds twice",
        InputError,
        lambda w: fitted(w, parameters={"l1": (1, 2)}, bounds={"l1": (0, 1)}),
        "has bounds twice",
        r"l1 has bounds twice",
    ),
    Mistake(
        "bounds that do not hold the guess",
        InputError,
        lambda w: fitted(w, bounds={"l1": (2, 3)}),
        "expected a guess between them",
        r"the guess of l1 is 1, and its bounds are 2 to 3",
    ),
    Mistake(
        "bounds that are one number",
        InputError,
        lambda w: fitted(w, bounds={"l1": 2}),
        "expected a pair (low, high)",
        r"the bounds of l1 are 2: expected a pair",
    ),
    Mistake(
        "bounds upside down",
        InputError,
        lambda w: fitted(w, parameters={"l1": (2, 1)}),
        "expected the lower one first",
        r"the bounds of l1 are 2 to 1: expected the lower one first",
    ),
    Mistake(
        "sigma of a stranger",
        UnknownNameError,
        lambda w: fitted(w, sigma={"b": 1}),
        "which is not fitted",
        r"sigma has 'b', which is not fitted: the columns are q1",
    ),
    Mistake(
        "sigma of another length",
        InputError,
        lambda w: fitted(w, sigma={"q1": [1, 2]}),
        "or one for each of the",
        r"sigma of q1 has shape \(2,\): expected a number above zero, or one for each of the 11 instants",
    ),
    Mistake(
        "a start after the data",
        InputError,
        lambda w: fitted(w, t_start=0.1),
        "expected a start not after that",
        r"t_start is 0.1 s: the data begin at 0 s",
    ),
    Mistake(
        "a certain interval",
        InputError,
        lambda w: fitted(w, confidence=1),
        "expected a probability between 0 and 1",
        r"confidence is 1: expected a probability",
    ),
    Mistake(
        "instants of its own",
        InputError,
        lambda w: fitted(w, save_every=0.1),
        "its runs end with the data",
        r"a fit got save_every: its runs end with the data",
    ),
    Mistake(
        "pieces without derivatives",
        InputError,
        lambda w: fitted(w, shooting="multiple", exact=False),
        'expected shooting="single"',
        r'cannot be differentiated exactly, .*: expected shooting="single"',
    ),
    Mistake(
        "a run that stops",
        ModelError,
        stopped,
        "give the data up to there",
        r"the run of model 'slider' with c = 1 stops at t = .* s, and the data go on to 0.5 s",
    ),
    Mistake(
        "a motion that runs away",
        ModelError,
        endless,
        "begin the fit with other values",
        r"model 'slider' comes to no end with c = 1: begin the fit with other values",
    ),
    Mistake(
        "no recordings",
        InputError,
        lambda w: fitted(w, []),
        "expected the recordings of one run or more",
        r"data is an empty list: expected the recordings of one run or more",
    ),
    Mistake(
        "a number beside recordings",
        InputError,
        lambda w: fitted(w, {"film": DATA, "phone": 3}),
        "beside recordings: expected a table for each",
        r"data has 3 as 'phone', beside recordings: expected a table for each, with its times",
    ),
    Mistake(
        "a column of two recordings",
        InputError,
        lambda w: fitted(w, {"film": DATA, "phone": DATA}, to={"q1": "angle"}),
        "several recordings have a column",
        r"several recordings have a column 'angle': expected one of film.angle, phone.angle",
    ),
    Mistake(
        "a column of no recording",
        UnknownNameError,
        lambda w: fitted(w, {"film": DATA, "phone": {"t": T, "b": T}}, to={"q1": "gyro"}),
        "the data have no column",
        r"the data have no column 'gyro': they have q1, angle, b",
    ),
    Mistake(
        "the clock of nothing",
        UnknownNameError,
        lambda w: fitted(w, {"film": DATA}, clocks={"phone": 0.0}),
        "which measures nothing",
        r"clocks has 'phone', which measures nothing: expected one of film, q1",
    ),
    Mistake(
        "another loss",
        InputError,
        lambda w: fitted(w, loss="huber"),
        'expected "guess" or "measured", and "linear" or "soft_l1"',
        r"start is 'guess' and loss is 'huber': expected \"guess\" or \"measured\"",
    ),
    Mistake(
        "inputs of three runs, data of two",
        InputError,
        lambda w: fitted(w, [DATA, DATA], inputs=[{}, {}, {}]),
        "expected one for each",
        r"inputs is a list of 3, and the data are of 2 runs: expected one for each",
    ),
    Mistake(
        "a start of each of one run",
        InputError,
        lambda w: fitted(w, each="q1"),
        "expected a list of recordings",
        r"each=\['q1'\]: the data are of one run; expected a list of recordings",
    ),
    Mistake(
        "each is a number",
        InputError,
        lambda w: fitted(w, [DATA, DATA], each=3),
        "names, such as",
        r"each is 3: expected a list of names, such as .q1. and .q1.dot.",
    ),
    Mistake(
        "the start of dependent coordinates",
        InputError,
        dependent,
        "depend on each other: expected",
        r"start is 'measured', and the coordinates of model 'slider' depend on each other: expected",
    ),
    Mistake(
        "what was not fitted",
        UnknownNameError,
        lambda w: w.model.fit(DATA, {"l1": 1.2})["k"],
        "was not fitted",
        r"'k' was not fitted: there are l1",
    ),
]
test_mistake_is_explained = explained(MISTAKES)
