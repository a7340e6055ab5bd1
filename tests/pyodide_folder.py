"""Pyodide with the packages that the course needs, in a folder, from npm and PyPI: for tests, without its own server.

    python tests/pyodide_folder.py FOLDER

Pyodide is Python compiled for the browser. A visitor's browser takes it from a public server; a test must not depend on
that, and can have everything elsewhere: the core is the package `pyodide` of npm; what is pure Python comes from PyPI;
numpy, scipy, matplotlib and what they need in compiled form are the files of the Pyodide distribution which the wheel
of Open WebUI on PyPI carries along. They are of the same binary interface as the core (checked here), and each is
compared with the checksum that its own list gives. sqlite3, which only keeps a history of commands, is in none of these
places: an empty package stands in for it.
"""

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

VERSION = "0.29.3"  # what jupyterlite-pyodide-kernel loads in the version that pyproject.toml names
CARRIER = ("open-webui", "0.9.6")
INSIDE = "open_webui/frontend/pyodide/"
WANTED = ("numpy", "scipy", "matplotlib", "sympy", "micropip", "ipython", "jedi", "ssl")
NOWHERE = ("sqlite3",)
PURE_ON_PYPI = {"micropip": "0.11.0"}  # newer than the one that is carried


def fetch(folder: Path, name: str, version: str, python: str = "3.13") -> Path:
    """A pure wheel of PyPI, by pip and whatever mirror it is set up for."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    places = ["--only-binary=:all:", f"--python-version={python}", f"--dest={folder / name}"]
    subprocess.run([*command, *places, f"{name}=={version}"], check=True)
    (wheel,) = (folder / name).iterdir()
    return wheel


def core(folder: Path) -> Path:
    """The package `pyodide` of npm, by npm and whatever registry it is set up for."""
    pack = [shutil.which("npm") or "npm", "pack", "--silent", f"pyodide@{VERSION}", "--pack-destination", str(folder)]
    subprocess.run(pack, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder / f"pyodide-{VERSION}.tgz"


def needed(packages: dict) -> list[str]:
    """The wanted packages and all they depend on."""
    found, left = set(), list(WANTED)
    while left:
        name = left.pop().replace("_", "-")
        if name not in found and name in packages:
            found.add(name)
            left += packages[name]["depends"]
    return sorted(found)


def empty(name: str, version: str) -> bytes:
    """A wheel with nothing in it."""
    info, file = f"{name}-{version}.dist-info", io.BytesIO()
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return file.getvalue()


def make(folder: Path) -> Path:
    """Fill a folder with Pyodide, its packages and its list of them; returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        with tarfile.open(core(work)) as archive:
            for member in archive.getmembers():
                member.name = member.name.removeprefix("package/")
                archive.extract(member, folder, filter="data")
        lock = json.loads((folder / "pyodide-lock.json").read_text(encoding="utf-8"))
        packages = lock["packages"]
        carrier = zipfile.ZipFile(fetch(work, *CARRIER, python="3.12"))
        carried = json.loads(carrier.read(INSIDE + "pyodide-lock.json"))
        same = {key: (lock["info"][key], carried["info"][key]) for key in ("abi_version", "platform", "python")}
        assert all(one == other for one, other in same.values()), f"not the same binary interface: {same}"
        there = set(carrier.namelist())
        for name in needed(packages):
            package, other = packages[name], carried["packages"].get(name, {})
            if name in NOWHERE:
                data = empty(name, package["version"])
                file_name = f"{name}-{package['version']}-py3-none-any.whl"
                package |= {"file_name": file_name, "sha256": hashlib.sha256(data).hexdigest(), "imports": []}
            elif INSIDE + other.get("file_name", "?") in there and name not in PURE_ON_PYPI:
                data = carrier.read(INSIDE + other["file_name"])
                assert hashlib.sha256(data).hexdigest() == other["sha256"], (
                    f"{other['file_name']}: not as its list says"
                )
                packages[name] = other
            else:
                wheel = fetch(work, name, package["version"])
                data = wheel.read_bytes()
                package |= {"file_name": wheel.name, "sha256": hashlib.sha256(data).hexdigest()}
            (folder / packages[name]["file_name"]).write_bytes(data)
        kept = {name: package for name, package in packages.items() if (folder / package["file_name"]).exists()}
        for package in kept.values():
            package["depends"] = [name for name in package["depends"] if name.replace("_", "-") in kept]
        lock["packages"] = kept
    (folder / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    return folder


if __name__ == "__main__":
    try:
        print(make(Path(sys.argv[1])))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"Pyodide cannot be had here: {error}", file=sys.stderr)
        sys.exit(3)
