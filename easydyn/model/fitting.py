"""What a model can be fitted to, and for what it can be optimised: loaded when it is first asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from easydyn.arguments import answers, no_unknown_options

if TYPE_CHECKING:
    from easydyn.study.fit import Fit
    from easydyn.study.optimise import Optimum


@answers
class Fitting:
    """The part of a Model that finds values of its parameters."""

    simulate: Any  # of Model: its options are those of a fit as well

    def fit(
        self, data: Any, parameters: Any, to: Mapping[Any, str] | None = None, *,
        bounds: Mapping[str, Any] | None = None, sigma: Any = None, shooting: Any = "auto", **options: Any,
    ) -> Fit:  # fmt: skip
        """Fit parameters, inputs and initial values to measured data: nonlinear least squares on exact derivatives.

        Parameters
        ----------
        data : DataFrame, dict of arrays (N,), Trajectory, structured array, or path
            Measured columns in their own units, one of them called t or time (s); a file has columns of text (.csv)
            below a line of names. NaN, or nothing, where nothing was measured.
        parameters : dict
            What is looked for, in its own unit: a guess, {"c": 0.1}, or bounds about the model's own value,
            {"k": (5, 20)}. Parameters, inputs that are numbers, initial values ("q1", "q1.dot", states).
        to : dict, optional
            Which quantity of the model was measured by which column: {"q1": "angle", tip.e[1]: "height"}. Columns of
            the same name if left out.
        bounds : dict, optional
            Bounds beside a guess, in its unit: {"c": (0, None)}.
        sigma : float or dict, optional
            Standard deviation of the noise in the unit of the columns, by column a number or an array (N,). Found from
            the residuals of each column if left out.
        shooting : {"auto", "single", "multiple"} or int
            One run from the start to the end; or several pieces, as many as are said, which find the way where one run
            is lost. "auto" takes pieces where one run does not come near.
        **options
            time (the column of times), t_start (s; the first time if left out), confidence (0.95), max_runs (300),
            fixed (values of other parameters), initial, inputs, locked, exact, target, scheme, and those of `simulate`:
            method ("dop853" if left out), tolerance (1e-8), max_step.

        Returns
        -------
        Fit
            `fit["c"]`, `fit.intervals["c"]`, `fit.run`, `fit.plot()`, `fit.message`, which names what the data do not
            determine.

        Raises
        ------
        InputError, UnknownNameError
            Times that do not increase; columns, parameters that are not there; bounds that do not hold the guess; more
            unknowns than data.
        MissingDependencyError
            SciPy is not installed.

        Example
        -------
        >>> import numpy as np
        >>> from easydyn import Model, errors, tdisp, trotz
        >>> model = Model("pendulum", gravity=(0, -9.81, 0))
        >>> q, = model.coordinates("q", initial=0.5)
        >>> length, = model.parameters(length=0.8)
        >>> bob = model.body("bob", trotz(q) * tdisp(0, -length, 0), mass=1, inertia=(0, 0, 0))
        >>> seen = model.simulate(2, parameters={"length": 1.0}, method="dop853", save_every=0.1)
        >>> fit = model.fit({"t": seen.t, "angle": seen["q"]}, {"length": 0.8}, to={"q": "angle"})
        >>> round(fit["length"], 4)
        1.0
        """
        from easydyn.study.fit import fit

        if options:
            no_unknown_options(options, fit, self.simulate)
        return fit(self, data, parameters, to, bounds=bounds, sigma=sigma, shooting=shooting, **options)

    def optimise(
        self, objective: Any, parameters: Any, t_final: float | None = None, *,
        constraints: Mapping[Any, Any] | None = None, bounds: Mapping[str, Any] | None = None, maximise: bool = False,
        **options: Any,
    ) -> Optimum:  # fmt: skip
        """The values of parameters, inputs and initial values for which the model does best, within constraints.

        Parameters
        ----------
        objective : measure, dict or function
            What is to be as small as it can be: `Last(what)`, `Max(what)`, `Min(what)`, `At(what, t)`,
            `Integral(what)` of a run; `AtRest(what)` of the equilibrium, `Linearized(function)` of small motions about
            it; a sum of these with weights, {Max("q1"): 1, Integral(u**2): 0.1}; or a function of the run that returns
            a number. `what` is a column ("q1", "q1.dot", "t", an output) or an expression, in its own unit.
        parameters : dict
            What may be changed, in its own unit, as in `fit`: a guess, {"c": 0.1}, or bounds about the model's own
            value, {"k": (5, 20)}. Parameters, inputs that are numbers, initial values ("q1", "q1.dot", states).
        t_final : float, optional
            End of the runs (s), if an event does not stop them before; left out where no run is asked for.
        constraints : dict, optional
            What has to hold: {Max(travel): (None, 0.1)} at most, (0.1, None) at least, {Last("x"): 3} equal, each in
            its own unit. Of measures, as the objective; an expression alone is that at the end, such as `m1 + m2`.
        bounds : dict, optional
            Bounds beside a guess, in its unit: {"c": (0, None)}.
        maximise : bool
            True for as large as can be.
        **options
            t_start (s), max_runs (300), fixed (values of other parameters), initial, inputs, locked, exact, target,
            scheme, and those of `simulate`: method ("dop853" if left out), tolerance (1e-9), max_step.

        Returns
        -------
        Optimum
            `opt["c"]`, `opt.value`, `opt.constraints`, `opt.prices` (what a limit costs), `opt.run`, `opt.plot()`,
            `opt.message`.

        Raises
        ------
        InputError, UnknownNameError
            What is no measure; names that are not there; bounds that do not hold the guess.
        MissingDependencyError
            SciPy is not installed.
        InterruptedRunError
            After Ctrl-C, with the best that was tried in `error.result`.

        Example
        -------
        >>> from easydyn import Integral, Model
        >>> model = Model("door")
        >>> x, = model.coordinates("x", initial=1)
        >>> c, = model.parameters(c=1.0)
        >>> model.equation(x.ddot + c*x.dot + 4*x)
        >>> opt = model.optimise(Integral(x**2), {"c": (0.1, 20)}, t_final=20)    # by hand: sqrt(4)
        >>> round(opt["c"], 4), opt.status
        (2.0, 'converged')
        """
        from easydyn.study.optimise import optimise

        if options:
            no_unknown_options(options, optimise, self.simulate)
        return optimise(
            self, objective, parameters, t_final, constraints=constraints, bounds=bounds, maximise=maximise, **options
        )
