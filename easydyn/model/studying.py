"""Many runs of a model: each method calls `study/`, which is loaded at the first call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import TYPE_CHECKING, Any

from easydyn.arguments import answers, no_others

if TYPE_CHECKING:
    from easydyn.study import Study

OF_THE_EQUATIONS: dict[str, Any] = {
    "jumps": (), "constraints": "reduced", "contacts": "events", "scheme": "recursive", "target": "auto"
}  # fmt: skip


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
        """Define many runs of this model, over a grid of values, random values, or both; nothing is run yet.

        Parameters
        ----------
        t_final, t_start : float
            End and start of the runs (s).
        over : dict
            The parameters, initial values and inputs that vary, by name. Each has values in its own unit, a list or an
            array (N,), or a distribution, `Uniform(low, high)`, `Normal(mean, deviation)` or a frozen one of SciPy. All
            combinations of the grids are run; two names in a tuple, ("q1", "q2"), take the rows of an array (N, 2).
        samples : int, optional
            Number of runs at each point of the grids, if there are random values.
        sampling : {"random", "latin hypercube", "sobol"}
            How values are drawn. "random" draws each run independently. "latin hypercube" divides the range of each
            name into as many strata as there are runs, and has one run in each. "sobol" fills the space of all names
            evenly by Sobol's sequence; `samples` is then a power of two. The design is the same at each point of the
            grids.
        seed : int
            Seed of the random values, which depend only on the seed, the name and the index of the run.
        keep : dict, optional
            The results to keep of each run, by names of your choice: `Last(what)` at the end, `Max(what)`, `Min(what)`,
            `At(what, t)`, or `what` alone, which is kept at all times of `save_at`, or at the end if there are none.
            `what` is "q1", "q1.dot", an output, "total energy", or an expression. If left out, all coordinates, rates
            and states are kept, as "q1 end" (with `save_at` as "q1 then").
        save_at : sequence of float, optional
            Times (s) at which these results are kept.
        block : int, optional
            Number of runs in a block; each block is computed as a whole and has its own file. It does not change the
            results.
        method : str or Method, optional
            As in `simulate`. If left out, or "auto", "dop853" with sixteen runs side by side where the model
            allows it (`study.how` says so), otherwise the one that fits the first run.
        tolerance, step, max_step, initial, parameters, inputs, locked : optional
            As in `simulate`, the same for all runs.
        **options
            jumps, constraints, contacts, scheme, target, as in `simulate`.

        Returns
        -------
        Study
            `study.run()` makes the runs; `study.resume("folder")` stores them as they finish, and continues from stored
            runs.

        Raises
        ------
        InputError, UnknownNameError
            A name that the model does not know, invalid values, random values without `samples`.

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
