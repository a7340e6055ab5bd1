"""`Model`, its declarations and checks, controllers, and kinematics by hand."""

from typing import TYPE_CHECKING

from easydyn.arguments import when_asked

if TYPE_CHECKING:
    from easydyn.model.model import Model

__all__ = ["Model"]

# Parts of this room are used by what a model is made of.
__getattr__, __dir__ = when_asked(__name__, {"model": "Model"})
