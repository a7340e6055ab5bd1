"""`Model`, its declarations and checks, controllers, and kinematics by hand."""

from typing import Any

__all__ = ["Model"]  # noqa: F822 (see below)


def __getattr__(name: str) -> Any:
    """Model is loaded when it is asked for: parts of this room are used by what it is made of."""
    if name == "Model":
        from easydyn.model.model import Model

        return Model
    raise AttributeError(f"module 'easydyn.model' has no {name!r}.")
