"""The common part of efforts given by components: a body, the axes of the components, perhaps a reaction."""

from __future__ import annotations

from typing import Any

from easydyn.errors import InputError
from easydyn.forces.effort import Effort, a_body
from easydyn.mechanics.mechanism import Body, Ground, ground


class OnBody(Effort):
    """Base class of efforts on one body, with components in the axes of a frame.

    Attributes
    ----------
    body, frame : Body
    reaction : Body or None
        Body on which the opposite effort acts.
    """

    body: Body | Ground
    frame: Body | Ground
    reaction: Body | Ground | None

    def __init__(self, body: Any, frame: Any, reaction: Any):
        what = f"a {type(self).__name__}"
        self.body = a_body(body, f"the body of {what}")
        self.frame = a_body(frame, f"the frame of {what}")
        self.reaction = None if reaction is None else a_body(reaction, f"the reaction of {what}")
        if self.reaction is self.body:
            raise InputError(
                f"the body and the reaction of {what} are both '{self.body.name}': together they do nothing. Expected "
                "another body as the reaction, or none."
            )
        if self.body is ground and self.reaction is None:
            raise InputError(f"{what} acts on the ground alone, which nothing moves: expected a body of the model.")

    @property
    def bodies(self) -> tuple[Body | Ground, ...]:
        return tuple(b for b in (self.body, self.frame, self.reaction) if b is not None)

    @property
    def observer(self) -> Body | Ground:
        return self.frame
