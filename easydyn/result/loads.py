"""What a run tells of the forces between bodies; worked out in the analysis room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.arguments import Attributes, answers
from easydyn.inputs import flag

if TYPE_CHECKING:
    from easydyn.result.reactions import Reaction


@answers
class Loads(Attributes):
    """The part of a `Trajectory` that asks for reactions."""

    if TYPE_CHECKING:

        def _source(self, what: str) -> Any: ...

    def reaction(
        self, body: Any, reference: Any = None, *, at: Any = (0, 0, 0), frame: Any = "ground", carrying: Any = None,
        efforts: bool = True, minimum_norm: bool = False,
    ) -> Reaction:  # fmt: skip
        """Force and moment that `reference` exerts on `body`, and on all that it carries, along the run.

        The sum of m a - R, and of the moments, of the bodies beyond the cut (docs/reactions.md). Of a closure, what its
        first frame exerts on the second, about the origin of that; nan where rigid bodies do not determine it.

        Parameters
        ----------
        body, reference : Body or str
            The two bodies between which the cut goes; the ground is one too. Or, alone, what `model.close` returned, or
            its name.
        at : 3 scalars (m), optional
            Point about which the moment is taken, in the axes of `body` from its frame's origin (the origin if left
            out): numbers or expressions of the model.
        frame : Body or str, optional
            In whose axes the components are given; the ground if left out.
        carrying : list of Body or str, optional
            The bodies beyond the cut, `body` among them; found from the motion if left out.
        efforts : bool
            True: all that passes from one side to the other, the efforts of the model that act between `reference`
            and the bodies beyond the cut (motors, springs) included. False: the bearing alone.
        minimum_norm : bool
            Of a closure: the least load that does the same, where the motion does not determine it.

        Returns
        -------
        Reaction
            `force` (N, 3) in N, `moment` (N, 3) in N m.

        Raises
        ------
        ModelError
            When the motion does not say which bodies are beyond the cut.

        Example
        -------
        >>> from easydyn import examples
        >>> run = examples.double_pendulum().simulate(1, save_every=0.5)
        >>> force, moment = run.reaction("upper arm", "ground", at=(0, 0.6, 0))
        >>> force.round(2)[0]
        array([ 0.52, 14.07,  0.  ])
        >>> bool(abs(moment).max() < 1e-4)  # a hinge without friction, within the accuracy of the run
        True
        """
        from easydyn.result.reactions import closure_reaction, reaction

        source = self._source("run.reaction")
        if reference is None and isinstance(body, str):
            body = next((c for c in source.mechanism.constraints if c.name == body), body)
        if hasattr(body, "labels"):
            return closure_reaction(self, source, body, frame=frame, minimum_norm=minimum_norm)
        return reaction(self, source, body, reference, at=at, frame=frame, carrying=carrying, efforts=efforts)

    def multipliers(self, constraint: Any, *, minimum_norm: bool = False) -> np.ndarray:
        """Lagrange's multipliers of a `constraint`, or of its name, along a run (N, rows): one for each of `labels`.

        N for forces, N m for moments; nan where the motion does not determine them, unless `minimum_norm` asks for the
        least that does the same. Raises UnknownNameError for what is no constraint of the model.
        """
        least = flag(minimum_norm, "minimum_norm")
        return self._source("run.multipliers").loads(self, constraint, minimum_norm=least)[0]  # type: ignore[no-any-return]

    def reactions(self, *cuts: Any, efforts: bool = True) -> list[Reaction]:
        """What several cuts transmit, also in closed loops, from the balances of the bodies that they separate.

        Parameters
        ----------
        *cuts : Cut
            One for each joint of the bodies in question, with what it can transmit. The first body of each cut is
            balanced: all that joins it to others must be given.
        efforts : bool
            As in `reaction`.

        Returns
        -------
        list of Reaction
            `force` (N, 3) and `moment` (N, 3) about the point of each cut, in the axes of its frame, in the order of
            the cuts: what the reference exerts on the body.

        Raises
        ------
        ModelError
            When the balances do not determine some component, or cannot be met.

        Example
        -------
        >>> from easydyn import Cut, examples
        >>> run = examples.slider_crank().simulate(1, save_every=0.5)
        >>> crank_pin = Cut("rod", "crank", "Fx Fy", at=(-1, 0, 0))
        >>> slider_pin, guide = Cut("slider", "rod", "Fx Fy"), Cut("slider", "ground", "Fy Mz")
        >>> loads = run.reactions(crank_pin, slider_pin, guide)
        >>> loads[2].force.round(2)[0]  # the normal force of the guide
        array([ 0.  , 61.54,  0.  ])
        """
        from easydyn.result.reactions import reactions

        return reactions(self, self._source("run.reactions"), cuts, efforts=efforts)
