"""Export of a run to pandas, Parquet, xarray, MATLAB and Tracker; each package is loaded only when it is needed.

The columns are those of `to_csv` (trajectory_files.table). Names, units and parameters go with them.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from easydyn.errors import InputError
from easydyn.files import package, path_to, written
from easydyn.inputs import shown
from easydyn.result.trajectory_files import table, write_table

LONGEST = 63  # of a name in MATLAB
# of MATLAB; those of Python as well, in which such files are read, too
RESERVED = {*keyword.kwlist, "case", "catch", "end", "function", "otherwise", "parfor", "persistent", "spmd", "switch"}
DERIVATIVES = {"": "", "dot": "rate of ", "ddot": "acceleration of "}


def to_csv(run: Any, path: Any, /, **also: Any) -> Path:
    """Write columns of text: t, each unknown with its derivatives, inputs and outputs, then the columns of `also`.

    Parameters
    ----------
    path : str or Path
        A name that ends in .res gives columns of equal width, separated by blanks. The line of names above them
        begins with #, so `numpy.loadtxt` and plotting programs skip it. Any other name gives columns separated by
        commas.
    also : expressions, or arrays (N,) or (N, k)
        Further columns by name, such as `height=arm.T.e.y` or `energy=run.energy.total`; a vector `speed` is
        written as speed.x, speed.y, speed.z.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    FileError, InputError
        The file cannot be written; a name occurs twice; an array has another length.

    Example
    -------
    >>> import numpy as np
    >>> from easydyn import examples
    >>> pendulum = examples.double_pendulum()
    >>> run = pendulum.simulate(1, save_every=0.25)
    >>> path = run.to_csv("pendulum.res", height=pendulum["lower arm"].T.e.y)
    >>> table = np.loadtxt(path)
    >>> table.shape, bool((table[:, 1] == run["q1"]).all())
    ((5, 8), True)
    """
    return write_table(path, *table(run, also))


def to_pandas(run: Any, **also: Any) -> Any:
    """The columns of `to_csv`, with `also` (N,) or (N, k) beside them, as a pandas DataFrame indexed by t.

    Its `attrs` hold units, parameters and the title. Raises MissingDependencyError if pandas is not installed.
    """
    pandas = package("pandas", "to_pandas", '"easydyn[pandas]"')
    heading, columns = table(run, also)
    found = pandas.DataFrame(columns[:, 1:], columns=heading[1:], index=pandas.Index(run.t, name="t"))
    found.attrs = about(run, heading)
    return found


def about(run: Any, heading: Iterable[str]) -> dict[str, Any]:
    """The description of the columns of a run: text and numbers."""
    return {
        "title": run.title, "status": run.status, "message": run.message,
        "units": {name: run.unit(name) for name in heading if name in run.columns},
        "parameters": dict(run.parameters),
    }  # fmt: skip


def to_parquet(run: Any, path: Any, /, **also: Any) -> Path:
    """Write the table of `to_pandas`, with `also` (N,) or (N, k), to a file of Parquet at `path`; returns the path.

    `pandas.read_parquet` reads it, with its `attrs`. Raises MissingDependencyError where pandas or pyarrow is not
    installed, FileError when the file cannot be written.
    """
    path = path_to(path, '"run.parquet"')
    package("pyarrow", "to_parquet", '"easydyn[tables]"')
    found = to_pandas(run, **also)
    with written(path) as file:
        found.to_parquet(file, engine="pyarrow")
    return path


def to_xarray(run: Any, **also: Any) -> Any:
    """The run as an xarray Dataset over t: a variable for each column of `to_csv`, with its name and its unit.

    Parameters
    ----------
    also : expressions, or arrays (N,) or (N, k)
        Further variables by name, as in `to_csv`.

    Returns
    -------
    xarray.Dataset
        `units` and `long_name` stand in the `attrs` of each variable, parameters are coordinates of no dimension,
        title, status and message are in the `attrs` of the whole. Runs of one model can be joined by
        `xarray.concat`.

    Raises
    ------
    MissingDependencyError
        xarray is not installed.
    InputError
        A name occurs twice; an array has another length.
    """
    xarray = package("xarray", "to_xarray", '"easydyn[tables]"')
    heading, columns = table(run, also)
    variables = {}
    for name, values in zip(heading[1:], columns.T[1:], strict=True):
        own = name in run.columns
        base, _, suffix = name.partition(".") if own else (name, "", "")
        attributes = {"long_name": DERIVATIVES[suffix] + base if suffix in DERIVATIVES else name}
        if own and run.unit(name):
            attributes["units"] = run.unit(name)
        variables[name] = ("t", values, attributes)
    time = ("t", np.array(run.t), {"long_name": "time", "units": "s"})
    free = {name: x for name, x in run.parameters.items() if name not in heading}
    parameters = {name: ((), x, {k: v for k, v in (("units", run.units.get(name)),) if v}) for name, x in free.items()}
    whole = {"title": run.title, "status": run.status, "message": run.message}
    return xarray.Dataset(variables, coords={"t": time, **parameters}, attrs=whole)


def to_mat(run: Any, path: Any, /, **also: Any) -> Path:
    """Write the run to a file that MATLAB and Octave load.

    Parameters
    ----------
    path : str or Path
        A name that ends in .mat.
    also : expressions, or arrays (N,) or (N, k)
        Further columns by name, as in `to_csv`.

    Returns
    -------
    Path
        The file. It holds each column under its name with `_` in place of what MATLAB does not allow (`q1_dot`),
        the matrices q, qd and qdd (N, n), the cells `names` (of their columns) and `columns`, and the structures
        `units` and `parameters`.

    Raises
    ------
    FileError, InputError
        The file cannot be written; a name twice; arrays of another length.
    """
    path = path_to(path, '"run.mat"', (".mat",))
    from scipy.io import savemat

    heading, columns = table(run, also)
    given = identifiers([*heading, "q", "qd", "qdd", "names", "columns", "units", "parameters", "title"])
    held: dict[str, Any] = {given[name]: x[:, None] for name, x in zip(heading, columns.T, strict=True)}
    held |= {given[name]: np.array(getattr(run, name)) for name in ("q", "qd", "qdd") if name not in heading}
    known = {given[name]: run.unit(name) if name in run.columns else "" for name in heading}
    parameters = identifiers(run.parameters)
    rest = {
        "title": run.title or " ", "names": np.array(run.names, object), "columns": np.array(heading, object),
        "units": known, "parameters": {parameters[name]: x for name, x in run.parameters.items()},
    }  # fmt: skip
    held |= {given[name]: value for name, value in rest.items() if name not in heading and len(value)}
    with written(path) as file:
        savemat(file, held, do_compression=True, long_field_names=True)
    return path


def to_tracker(run: Any, path: Any, /, **points: Any) -> Path:
    """Write points of the run for Tracker, which draws them over its film: `Tracks > New > External Model`.

    Parameters
    ----------
    path : str or Path
        A file of text.
    points : vectors, or arrays (N, 2) or (N, 3)
        Points (m) by name, in the x-y plane of the film, such as `A=arm.T.e`. Tracker joins them by lines.

    Returns
    -------
    Path
        The file, which `lab.read` reads, too.

    Raises
    ------
    FileError, InputError
        The file cannot be written; no points; what is no point.

    Example
    -------
    >>> from easydyn import examples, lab
    >>> pendulum = examples.double_pendulum()
    >>> run = pendulum.simulate(1, save_every=0.25)
    >>> path = run.to_tracker("pendulum.txt", A=pendulum["lower arm"].T.e)
    >>> list(lab.read(path).tracks)
    ['A']
    """
    path = path_to(path, '"model.txt"')
    if not points:
        raise InputError("to_tracker got no points: expected some by name, such as A=arm.T.e.")
    later = np.append(np.diff(run.t) > 0, True)  # at an event, which has two values
    columns = [run.t[later]]
    for name, point in points.items():
        values = point if isinstance(point, np.ndarray) and point.dtype != object else run.of(point)
        if values.ndim != 2 or values.dtype.kind not in "fiu" or values.shape not in ((len(run), 2), (len(run), 3)):
            raise InputError(f"{name} is {shown(point)}: expected a point, such as arm.T.e, or an array (N, 2).")
        columns += list(values[later, :2].T)
    heading = ["t", *(axis + name for name in points for axis in "xy")]
    with written(path, text=True) as file:
        file.write(" ".join((run.title or "easydyn").split()) + "\n" + "\t".join(heading) + "\n")
        file.writelines("\t".join(map(repr, row)) + "\n" for row in np.column_stack(columns).tolist())
    return path


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """Each name with letters, digits and _ only: "q1.dot" becomes q1_dot."""
    found: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"\W", "_", name, flags=re.ASCII)
        if not plain[:1].isalpha() or plain in RESERVED:
            plain = f"x_{plain.lstrip('_')}"
        short, taken, k = plain[:LONGEST], set(found.values()), 1
        while short in taken:
            k += 1
            short = f"{plain[: LONGEST - len(str(k)) - 1]}_{k}"
        found[name] = short
    return found
