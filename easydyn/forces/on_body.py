"""The common part of efforts given by components: a body, the axes of the components, perhaps a reaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from easydyn.errors import InputError
from easydyn.forces.declared import Argument, Element
from easydyn.forces.effort import a_body
from easydyn.mechanics.mechanism import Body, Ground, ground


class OnBody(Element):
    """Base class of efforts on one body, with components in the axes of a frame.

    Attributes
    ----------
    body, frame : Body
    reaction : Body or None
        Body on which the opposite effort acts.
    """

    body, frame, reaction = Argument(a_body), Argument(a_body), Argument(a_body, missing=None)

    def take(self, values: Mapping[str, Any], *names: str) -> None:
        super().take(values)
        if self.reaction is self.body:
            raise InputError(
                f"the body and the reaction of {self.what} are both '{self.body.name}': together they do nothing. "
                "Expected another body as the reaction, or none."
            )
        if self.body is ground and self.reaction is None:
            raise InputError(
                f"{self.what} acts on the ground alone, which nothing moves: expected a body of the model."
            )

    @property
    def observer(self) -> Body | Ground:
        return self.frame

    def __repr__(self) -> str:
        return f"{type(self).__name__} on '{self.body.name}'"
