"""The exceptions of easydyn: every message says what was expected, what was given, where, and what to do.

They all derive from `EasyDynError`; docs/errors.md lists them with causes and remedies.
"""

from __future__ import annotations

import os
import sys
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


class EasyDynError(Exception):
    """Base class of every exception that easydyn raises on purpose.

    Attributes
    ----------
    trajectory : Trajectory or None
        The result so far, if a run was in progress: nothing that was computed is lost.
    """

    trajectory: Any = None

    def __str__(self) -> str:  # halves of characters, as bad names and paths have them, cannot be printed
        return super().__str__().encode("utf-8", "backslashreplace").decode("utf-8")


class InputError(EasyDynError, ValueError):
    """A value that a function cannot take: wrong type, wrong shape, out of range, not finite."""


class ArgumentError(InputError, TypeError):
    """An argument that is misspelt, missing or superfluous; also a TypeError, as in Python."""


class UnknownNameError(InputError, LookupError):
    """A name (of a body, a coordinate, a parameter, a model) that was not declared."""


class TransformError(InputError):
    """A matrix that is not a rigid transform, or an angle or displacement that makes no sense."""


class ModelError(InputError):
    """A model that is not consistent: undeclared symbol, missing equation, name used twice."""


class NoNumberError(InputError, TypeError):
    """A symbol where a number is needed; also a TypeError, as SymPy and NumPy expect."""


class UnknownAttributeError(InputError, AttributeError):
    """An attribute that does not exist: misspelt, or taken from another program."""


class ReadOnlyError(ModelError, AttributeError):
    """An assignment to what stays as it was made, or that would be lost; also an AttributeError, as in Python."""


class FileError(InputError):
    """A file that cannot be read or written, or that has wrong contents."""


class MissingDependencyError(EasyDynError, ImportError):
    """An optional package is needed for this one call."""


def in_your_function(where: str, when: str, error: Exception) -> str:
    """The message about an `error` that a user's own function raised, with `where` and `when`.

    >>> in_your_function("the law", "t = 2 s", NameError("name 'x' is not defined"))
    "the law failed at t = 2 s: NameError: name 'x' is not defined. Look at the line of your function shown above."
    """
    problem = f"{type(error).__name__}: {error}"
    return f"{where} failed at {when}: {problem}. Look at the line of your function shown above.{hint_of(error)}"


def hint_of(error: Exception) -> str:
    """A hint where an `error` comes from functions of SymPy that were given numbers, or from others given symbols.

    >>> hint_of(ValueError("something else"))
    ''
    """
    if "Node" in str(error):  # the scalar of derivations
        return (
            " Its scalars stand for formulas: for sin, exp, a comparison take a formula with a placeholder, "
            "assembly.value(sympy.sin(X), {X: x}) with X = Placeholder('X')."
        )
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    inside = last.tb_frame.f_globals.get("__name__", "") if last is not None else ""
    hint = " It is given numbers: take sin, cos, sqrt from numpy, not from sympy."
    return hint if inside.partition(".")[0] == "sympy" else ""


class IntegrationError(EasyDynError, RuntimeError):
    """A simulation that could not go on.

    Parameters
    ----------
    message : str
        What happened, and what to do.

    Attributes
    ----------
    time : float
        Time reached (s).
    coordinate : str or None
        The coordinate that causes the failure, if it can be named.
    """

    def __init__(self, message: str, *, time: float = float("nan"), coordinate: str | None = None) -> None:
        super().__init__(message)
        self.time = time
        self.coordinate = coordinate

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), str(self), self.__dict__.copy()))


def _rebuild(kind: type[IntegrationError], message: str, attributes: dict[str, Any]) -> IntegrationError:
    """Used by pickle, so that an error travels back from a worker process with its trajectory."""
    error = kind(message)
    error.__dict__.update(attributes)
    return error


class ConvergenceError(IntegrationError):
    """Newton's iteration (eq. 15), or Picard's, did not converge."""


class SingularMatrixError(IntegrationError):
    """The mass or the iteration matrix (eq. 16) is singular: some coordinate carries no inertia."""


class NotFiniteError(IntegrationError):
    """The residual is NaN or infinite."""


class DomainError(IntegrationError):
    """A formula that is undefined, or jumps, at the present state: a root, an arcsine, a floor in a transform."""


class ModeError(IntegrationError):
    """No mode of friction and contacts is consistent: rigid bodies do not allow so much friction."""


class StepSizeError(IntegrationError):
    """The step that the tolerance requires is below the minimum step."""


class AssemblyError(IntegrationError):
    """A configuration in which all loops are closed was not found, or was lost during a run."""


class DeadPointError(AssemblyError):
    """A closed form of a loop ends at a dead point, where two solutions meet; such runs need multipliers."""


class ChangePointError(AssemblyError):
    """A run has reached a point where the mechanism can continue in two ways, such as a kite that lies flat."""


class EventError(IntegrationError):
    """A failure in the events of a run: an action, a controller, events without end."""


class FunctionError(IntegrationError):
    """A user's own function failed during a run: a residual, rates, a switching function, a progress function."""


class BudgetError(IntegrationError):
    """A run that would take more steps, or more memory, than allowed."""


class ChatterError(IntegrationError):
    """A law that jumps back and forth at every step, so that the run makes no progress."""


class InterruptedRunError(IntegrationError, KeyboardInterrupt):
    """Ctrl-C during a run; `trajectory` holds what was computed."""


class IncompleteEquationsWarning(UserWarning):
    """Symbolic equations that are incomplete, because the model also has efforts in plain Python."""


class EnergyWarning(UserWarning):
    """A run whose energy balance is wrong; its `status` is "doubtful", its `message` says by how much, and when."""


class AccuracyWarning(UserWarning):
    """A run so long that its tolerance, an error per second, does not limit the error of states; status "doubtful"."""


class LongRunWarning(UserWarning):
    """A run that will need more steps, or more memory, than allowed."""


class SlowRunWarning(UserWarning):
    """A choice that makes a run much slower than it could be."""


class LiveViewWarning(UserWarning):
    """A live picture of a run could not be drawn; the run goes on without it."""


def calls_to_user() -> int:
    """Number of calls from here up to the user's own line: the `stacklevel` of a warning about that line.

    >>> calls_to_user()
    1
    """
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(HERE):
        frame, level = frame.f_back, level + 1
    return level
