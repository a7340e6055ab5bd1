"""The methods of a run that compute the forces between bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.arguments import answers
from easydyn.inputs import flag

if TYPE_CHECKING:
    from easydyn.result.reactions import Reaction


@answers
class Loads:
    """The part of a `Trajectory` that asks for reactions."""

    if TYPE_CHECKING:

        def _source(self, what: str) -> Any: ...

    def reaction(
        self, body: Any, reference: Any = None, *, at: Any = (0, 0, 0), frame: Any = "ground", carrying: Any = None,
        efforts: bool = True, minimum_norm: bool = False,
    ) -> Reaction:  # fmt: skip
        """Force and moment that `reference` exerts on `body`, and on all that it carries, along the run.

        The force is the sum of m a - R over the bodies beyond the cut, and the moment is the sum of their moments
        (docs/reactions.md). For a closure, the result is what its first frame exerts on the second, about the origin of
        the second. Components that rigid bodies do not determine are nan.

        Parameters
        ----------
        body, reference : Body or str
            The two bodies between which the cut goes; the ground counts as a body. For a closure, give one argument
            only: what `model.close` returned, or its name.
        at : 3 scalars (m), optional
            Point about which the moment is taken, in the axes of `body` from its frame's origin (the origin if left
            out): numbers or expressions of the model.
        frame : Body or str, optional
            The body in whose axes the components are given; the ground if left out.
        carrying : list of Body or str, optional
            The bodies beyond the cut, `body` among them; found from the motion if left out.
        efforts : bool
            True: the total load, with the efforts of the model (motors, springs) that act between `reference` and the
            bodies beyond the cut. False: the load of the bearing alone.
        minimum_norm : bool
            For a closure: where the motion does not determine the load, return the smallest load with the same effect.

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
        """Lagrange multipliers of a `constraint` (or of its name) along a run (N, rows): one for each of `labels`.

        The units are N for forces and N m for moments. Values that the motion does not determine are nan;
        `minimum_norm` asks for the smallest values with the same effect instead. Raises UnknownNameError when the model
        has no such constraint.
        """
        least = flag(minimum_norm, "minimum_norm")
        return self._source("run.multipliers").loads(self, constraint, minimum_norm=least)[0]  # type: ignore[no-any-return]

    def reactions(self, *cuts: Any, efforts: bool = True) -> list[Reaction]:
        """Forces and moments that several cuts transmit, also in closed loops, from the balances of the bodies.

        Parameters
        ----------
        *cuts : Cut
            One for each joint of the bodies in question, with the components that it can transmit. The balance of the
            first body of each cut is used, so give all joints of this body.
        efforts : bool
            As in `reaction`.

        Returns
        -------
        list of Reaction
            What the reference exerts on the body, in the order of the cuts: `force` (N, 3) and `moment` (N, 3) about
            the point of each cut, in the axes of its frame.

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
