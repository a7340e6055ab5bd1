"""What libraries in C read of a file, in a process of its own: a damaged file may keep them for ever, or end Python."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np


def matlab(path: str) -> dict[str, Any]:
    """Vectors of a .mat file, and what Simulink saves as a structure with time: `names`, and columns by number."""
    from scipy.io import loadmat

    found: dict[str, Any] = {}

    def gather(name: str, thing: Any) -> None:
        if isinstance(thing, dict) and "time" in thing and "signals" in thing:
            found.setdefault("t", np.atleast_1d(thing["time"]))
            for k, signal in enumerate(np.atleast_1d(np.array(thing["signals"], dtype=object)).tolist()):
                gather(str(signal.get("label") or f"{name} {k + 1}"), signal["values"])
        elif isinstance(thing, dict):
            for key, each in thing.items():
                if not key.startswith("__"):
                    gather(f"{name} {key}".strip() if key not in ("t", "time") else key, each)
        elif isinstance(thing, np.ndarray) and thing.dtype.kind in "fiub" and thing.ndim in (1, 2):
            for k, column in enumerate(np.atleast_2d(thing.T)):
                found[name if thing.ndim == 1 else f"{name} {k + 1}"] = column

    with Path(path).open("rb") as file:
        gather("", loadmat(file, simplify_cells=True))
    return {"names": [*found], **{str(k): x for k, x in enumerate(found.values())}}


def c3d(path: str) -> dict[str, Any]:
    """Markers of a .c3d file; NaN where one was not seen."""
    held = import_module("ezc3d").c3d(path)
    about, points = held["parameters"]["POINT"], np.array(held["data"]["points"][:3])
    points[:, held["data"]["meta_points"]["residuals"][0] < 0] = np.nan
    units = about.get("UNITS", {}).get("value", [])
    return {"points": points, "rate": about["RATE"]["value"], "labels": about["LABELS"]["value"], "units": units}


if __name__ == "__main__":
    np.savez(sys.argv[4], **globals()[sys.argv[2]](sys.argv[3]))
