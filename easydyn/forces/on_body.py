"""What efforts given by their components have in common: a body, the axes of the components, perhaps a reaction."""

from __future__ import annotations

from easydyn.forces.effort import Effort
from easydyn.mechanism import Body, Ground


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

    @property
    def bodies(self) -> tuple[Body | Ground, ...]:
        return tuple(b for b in (self.body, self.frame, self.reaction) if b is not None)

    @property
    def observer(self) -> Body | Ground:
        return self.frame
