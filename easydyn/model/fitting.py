"""Fitting a model to data, and optimising it; the modules are loaded at the first call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from easydyn.arguments import answers, no_unknown_options

if TYPE_CHECKING:
    from easydyn.study.fit import Fit


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
        data : DataFrame, dict of arrays (N,), Recording, Trajectory, structured array, path; dict or list of these
            Measured columns in their own units, one of them called t or time (s), or an index of that name; a file has
            columns of text (.csv) below a line of names. Missing measurements are NaN or empty. A dict of such tables
            holds several recordings of one run, {"film": ..., "phone": ...}; a list holds several runs.
        parameters : dict
            The values to be found, each in its own unit: a guess, {"c": 0.1}, or bounds around the model's own value,
            {"k": (5, 20)}. Parameters, inputs that are numbers, initial values ("q1", "q1.dot", states).
        to : dict, optional
            The column that holds the measurement of each quantity of the model: {"q1": "angle", tip.e[1]: "height"}.
            Columns of the same name if left out. A column that two recordings have is called "film.angle".
        bounds : dict, optional
            Bounds beside a guess, in its unit: {"c": (0, None)}.
        sigma : float or dict, optional
            Standard deviation of the noise in the unit of the columns: for each column a number or an array (N,).
            Estimated from the residuals of each column if left out.
        shooting : {"auto", "single", "multiple"} or int
            "single" fits one run from the start to the end. "multiple", or a number of pieces, divides the run, and
            converges where one run does not. "auto" divides the run if one run does not come near the data.
        **options
            Of measurements: time (the column of times), t_start (s; the first time if left out), wrapped (False: angles
            that jump by a turn stay), clocks ({"phone": 0.0}: recordings, or columns, that may be late, with a guess in
            s or bounds; found as "phone.clock"), rates ({"film": 1.0}: how many times as long their times are in truth;
            found as "film.rate"). Of several runs: each (("q1", "q1.dot"): what each has for itself, found as "q1[0]",
            "q1[1]"); inputs, initial and fixed may be lists of dicts, one for each run. Of the search: start
            ("measured": all initial values are found, with guesses from the first data), loss ("soft_l1": the sum of
            2 sqrt(1 + r^2) - 2 in place of r^2, so that outliers count less), confidence (0.95), independent (True:
            noise is independent, whatever residuals say), max_runs (300; a pass over all pieces of a run is one),
            progress (as of `simulate`: the share of max_runs that is spent), fixed (values of other parameters),
            initial, inputs, exact, and those of `simulate`: locked, target, scheme, method ("dop853" if left out),
            tolerance (1e-8), max_step.

        Returns
        -------
        Fit
            `fit["c"]`, `fit.intervals["c"]`, `fit.run`, `fit.plot()`, `fit.message`, which names what the data do not
            determine.

        Raises
        ------
        InputError, UnknownNameError
            Times that do not increase; columns, recordings or parameters that do not exist; bounds that do not contain
            the guess; more unknowns than data; lists that are not as long as there are runs.

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
