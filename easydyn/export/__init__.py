"""A model as one source file in another language: its equations as straight-line code, and a program that uses them.

    model.export("c", "pendulum.c", t_final=5)

`text` has templates and identifiers, `expressions` writes formulas, `layout` holds what is the same in all
languages, `notation` what is the same in those with functions; each language is a short table, and a template.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from easydyn.engine.system import CompiledSystem
from easydyn.errors import InputError, ModelError
from easydyn.export.corners import corners
from easydyn.export.layout import Language, Layout, Settings
from easydyn.export.text import Names
from easydyn.files import cannot_write, path_to, write_text
from easydyn.inputs import positive
from easydyn.run.setup import begun
from easydyn.run.unknowns import determined

LANGUAGES = ("c", "c++", "matlab", "modelica", "fortran", "julia", "rust", "jax")
_MODULES = {name: name for name in LANGUAGES} | {"c++": "cpp", "cpp": "cpp"}
MOST_STEPS = 1e9  # of the program in the file


def language_of(name: Any) -> Language:
    """The language, given by its name or as a Language; InputError for one that does not exist."""
    if isinstance(name, Language):
        return name
    module = _MODULES.get(name.lower()) if isinstance(name, str) else None
    if module is None:
        known = ", ".join(f'"{x}"' for x in LANGUAGES)
        raise InputError(
            f"language={name!r}: expected one of {known}, or a Language. For an FMU call model.to_fmu(path)."
        )
    found: Language = import_module(f"easydyn.export.{module}").LANGUAGE
    return found


def export(
    model: Any, language: str, path: Any, *, t_final: float = 5.0, step: float = 1e-3, save_every: float = 0.01,
    parameters: Mapping[str, Any] | None = None, initial: Mapping[str, Any] | None = None,
    scheme: str = "recursive",
) -> Path:  # fmt: skip
    """Write the model as one source file of another language: its equations, and a program that integrates them.

    Parameters
    ----------
    language : {"c", "c++", "matlab", "modelica", "fortran", "julia", "rust", "jax"}
        The language of the file.
    path : str or Path
        The file to write; or an existing folder, where the file gets the name of the model.
    t_final, step, save_every : float
        The program integrates from 0 to `t_final` (s) by the Runge-Kutta method of fourth order, with steps of at
        most `step` (s), and writes a line of a table every `save_every` (s).
    parameters, initial, scheme : optional
        As in `simulate`.

    Returns
    -------
    Path
        Path of the file.

    Raises
    ------
    InputError, ModelError, FileError
        An unknown language, efforts in plain Python, a file that cannot be written.

    Example
    -------
    >>> from tempfile import TemporaryDirectory
    >>> from easydyn import examples
    >>> with TemporaryDirectory() as folder:
    ...     examples.double_pendulum().export("c", folder).name
    'double_pendulum.c'
    """
    target = language_of(language)
    settings = Settings(positive(t_final, "t_final"), positive(step, "step"), positive(save_every, "save_every"))
    shortest = min(settings.step, settings.save_every)
    if settings.t_final / shortest > MOST_STEPS:
        raise InputError(
            f"step is {settings.step:g} s and save_every {settings.save_every:g} s: {settings.t_final / shortest:.0e} "
            f"steps would be done until t_final = {settings.t_final:g} s, expected at most {MOST_STEPS:.0e}."
        )
    place = _place(path, model.name, target)
    mechanism = model.mechanism
    if mechanism.callbacks:
        culprits = ", ".join(f.__name__ for f in mechanism.callbacks)
        raise ModelError(
            f"model '{model.name}' has efforts in plain Python ({culprits}), which cannot be written in "
            f"{target.name}: write them as Force, Moment or GeneralizedForce, and export again."
        )
    if model.happenings:
        raise ModelError(
            f"model '{model.name}' has {', '.join(model.happenings)}, which change a run from outside its equations: "
            f"they cannot be written in {target.name}. Export a model without them, or as an FMU by model.to_fmu."
        )
    system, start, _ = prepared(model, initial, parameters, scheme)
    for owner, corner in corners(mechanism, system.parameters):
        raise ModelError(
            f"model '{model.name}' has a corner or a step in {owner}, where {corner.zero} is 0: rates leap there, "
            f"which the program in {target.name} does not follow. Let the pieces of the formula meet with equal values "
            "and slopes, or simulate the model here."
        )
    text = target.write(Layout(system, start, settings, target, place))
    return write_text(place, text)


def prepared(
    model: Any, initial: Mapping[str, Any] | None, parameters: Mapping[str, Any] | None, scheme: str = "recursive"
) -> tuple[CompiledSystem, tuple[Any, Any], tuple[str, ...]]:
    """The system of a model, its state at the start, closed and determined, and which coordinates are independent."""
    initial, parameters, _ = begun(model, 0.0, initial, parameters)
    values = model.values(parameters)
    start = model.initial(initial, values)
    independent = tuple(map(str, model.mechanism.coordinates))
    if model.constraints:  # with multipliers, from where the loops are closed
        closed, redundancy = model.solver.closed(initial, values)
        system = model.system(values, "python", scheme, kept=redundancy.kept)
        start = closed.start(*start, system.mechanism.multipliers)
        independent = closed.independent
    else:
        system = model.system(values, "python", scheme)
    if system.mechanism.algebraic:
        start = start[0], determined(system, 0.0, *start)
    system = system.with_references_as_parameters()
    system.function("residual")  # what depends on parameters alone is worked out: an error comes here, not in the file
    return system, start, independent


def _place(path: Any, model: str, target: Language) -> Path:
    """The file to write: the path itself, or the model's name in that folder."""
    found = path_to(path, f'"pendulum{target.extension}", or of a folder', folder=True)
    try:
        if found.is_dir():
            return found / (Names(target.words, target.fold_case).give("model", model) + target.extension)
    except OSError as error:
        raise cannot_write(found, error) from None
    if os.fspath(path).endswith(("/", "\\")):
        raise cannot_write(found, "there is no such folder")
    return found
