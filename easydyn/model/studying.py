"""Many runs of a model: each method hands over to `study/`, which is loaded when it is first asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any

from easydyn.arguments import answers, no_others

if TYPE_CHECKING:
    from easydyn.study import Study

OF_THE_EQUATIONS: dict[str, Any] = {"jumps": (), "constraints": "reduced", "scheme": "recursive", "target": "auto"}


@answers
class Studying:
    """The part of a Model that makes many runs."""

    def study(
        self, t_final: float, *, over: Mapping[Any, Any] | None = None, samples: int | None = None,
        sampling: str = "random", seed: int = 0, keep: Mapping[str, Any] | None = None,
        save_at: Sequence[float] | None = None, block: int | None = None, t_start: float = 0.0, method: Any = None,
        tolerance: float = 1e-6, step: float | None = None, max_step: float | None = None,
        initial: Mapping[str, Any] | None = None, parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None, locked: Any = None, **options: Any,
    ) -> Study:  # fmt: skip
        """Many runs of this model: a grid of values, or values that are drawn, or both. Nothing is run yet.

        Parameters
        ----------
        t_final, t_start : float
            End and start of the runs (s).
        over : dict
            What differs: parameters, initial values, inputs by name, each with its values in its own unit, a list or an
            array (N,), or a distribution, `Uniform(low, high)`, `Normal(mean, deviation)` or a frozen one of SciPy.
            Grids are multiplied; two names in a tuple, ("q1", "q2"), take the rows of an array (N, 2).
        samples : int, optional
            How many runs each point of the grids has, where something is drawn.
        sampling : {"random", "latin hypercube", "sobol"}
            How it is drawn: each run for itself; with one run in each of as many strata of each name; or evenly in all
            names at once, by Sobol's sequence, where `samples` is a power of two. The design is the same at each point
            of the grids.
        seed : int
            What is drawn follows from it, the name and the index of a run, and from nothing else.
        keep : dict, optional
            What is kept of each run, by a name of your own: `Last(what)` at the end, `Max(what)`, `Min(what)`,
            `At(what, t)`, or `what` alone, at all times of `save_at`, without these at the end. `what` is "q1",
            "q1.dot", an output, "total energy", or an expression. If left out, all coordinates, rates and states, as
            "q1 end" (of `save_at` as "q1 then").
        save_at : sequence of float, optional
            Times (s) at which that is kept.
        block : int, optional
            Runs of a block, which is made as a whole and has a file of its own; it does not change the results.
        method : str or Method, optional
            As in `simulate`. "dop853" if left out, and sixteen runs side by side, where the model allows it
            (`study.how` says); else "newmark".
        tolerance, step, max_step, initial, parameters, inputs, locked : optional
            As in `simulate`, the same for all runs.
        **options
            jumps, constraints, scheme, target, as in `simulate`.

        Returns
        -------
        Study
            `study.run()` makes the runs; `study.resume("folder")` keeps them as they come, and goes on with them.

        Raises
        ------
        InputError, UnknownNameError
            A name that the model does not know, values that are none, something drawn without `samples`.
        MissingDependencyError
            A design, and SciPy is not installed.

        Example
        -------
        >>> from easydyn import Max, Uniform, examples
        >>> model = examples.double_pendulum()
        >>> study = model.study(5, over={"q1": Uniform(-1, 1)}, samples=100, keep={"fastest": Max("q2.dot")})
        >>> len(study.run())
        100
        """
        from easydyn.study import Study

        no_others(options, [*signature(self.study).parameters, *OF_THE_EQUATIONS], "study")
        asked = {
            "t_final": t_final, "t_start": t_start, "method": method, "tolerance": tolerance, "step": step,
            "max_step": max_step, "save_at": save_at,
        }  # fmt: skip
        given = {"initial": initial, "parameters": parameters, "inputs": inputs, "locked": locked}
        given |= OF_THE_EQUATIONS | options
        return Study(self, over, samples, seed, keep, block, asked, given, sampling)
