"""Export of a run to pandas, Parquet, xarray, MATLAB and Tracker; each package is loaded only when it is needed.

The columns are those of `to_csv` (trajectory_files.table). Names, units and parameters go with them.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from easydyn.errors import InputError
from easydyn.files import package, path_to, written
from easydyn.inputs import shown
from easydyn.result.trajectory_files import table

LONGEST = 63  # of a name in MATLAB
# of MATLAB; those of Python as well, in which such files are read, too
RESERVED = {*keyword.kwlist, "case", "catch", "end", "function", "otherwise", "parfor", "persistent", "spmd", "switch"}
DERIVATIVES = {"": "", "dot": "rate of ", "ddot": "acceleration of "}


def frame(run: Any, also: Mapping[str, Any]) -> Any:
    """A pandas DataFrame indexed by t; its `attrs` describe the columns."""
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


def write_parquet(run: Any, path: Any, also: Mapping[str, Any]) -> Path:
    """Columns in Parquet, t among them as the index, with `about` in the file's metadata."""
    path = path_to(path, '"run.parquet"')
    package("pyarrow", "to_parquet", '"easydyn[tables]"')
    found = frame(run, also)
    with written(path) as file:
        found.to_parquet(file, engine="pyarrow")
    return path


def dataset(run: Any, also: Mapping[str, Any]) -> Any:
    """An xarray Dataset over t: a variable for each column, with its unit; parameters are coordinates."""
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


def write_mat(run: Any, path: Any, also: Mapping[str, Any]) -> Path:
    """Write columns to a MATLAB file (format 5): names that MATLAB allows, arrays, units, parameters."""
    path = path_to(path, '"run.mat"', (".mat",))
    from scipy.io import savemat

    heading, columns = table(run, also)
    given = identifiers([*heading, "q", "qd", "qdd", "names", "columns", "units", "parameters", "title"])
    held: dict[str, Any] = {given[name]: x[:, None] for name, x in zip(heading, columns.T, strict=True)}
    held |= {given[name]: np.array(getattr(run, name)) for name in ("q", "qd", "qdd") if name not in heading}
    known = {given[name]: run.unit(name) if name in run.columns else "" for name in heading}
    parameters = identifiers(run.parameters)
    rest = {
        "title": run.title or " ", "names": _cells(run.names), "columns": _cells(heading),
        "units": known, "parameters": {parameters[name]: x for name, x in run.parameters.items()},
    }  # fmt: skip
    held |= {given[name]: value for name, value in rest.items() if name not in heading and len(value)}
    with written(path) as file:
        savemat(file, held, do_compression=True, long_field_names=True)
    return path


def write_tracker(run: Any, path: Any, points: Mapping[str, Any]) -> Path:
    """Write points of a run as the text of an external model of Tracker: a name, `t xA yA`, and numbers by tabs."""
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


def _cells(texts: Iterable[str]) -> np.ndarray:
    found = list(texts)
    cells = np.empty(len(found), dtype=object)
    cells[:] = found
    return cells


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
