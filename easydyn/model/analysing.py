"""What can be asked of a model as a whole: equilibrium, small motions, sensitivities.

Each method hands over to a module of `analysis/`, which is loaded when it is first asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from easydyn.arguments import answers, no_unknown_options

if TYPE_CHECKING:
    from easydyn.analysis import Equilibrium, EquilibriumPath, Linearization, RootLocus, Sensitivity


@answers
class Analysing:
    """The part of a Model that analyses it."""

    simulate: Any  # of Model: its options are those of `sensitivity` as well

    def equilibrium(
        self, initial: Mapping[str, Any] | None = None, *, t: float = 0.0, parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None, locked: Any = None, rates: Mapping[str, Any] | None = None,
        target: str = "python", scheme: str = "recursive",
    ) -> Equilibrium:  # fmt: skip
        """Static equilibrium: f(t, q, 0, 0) = 0, the stable one that is reached from a guess.

        Contacts that are open, where no stiffness tells Newton's method where to go, are found: the search lets the
        system fall, without momentum, until it rests. Frames that depend on time are taken at t, so that rest is
        relative rest on a turntable.

        Parameters
        ----------
        initial : dict, optional
            The guess where it differs from the model's initial values: {"q1": 0.2}.
        t : float
            Time at which frames and efforts are taken (s).
        parameters : dict, optional
            Values that differ from the model's own.
        inputs : dict, optional
            As in `simulate`: numbers, tables and functions (taken at t), formulas of the model's symbols.
        locked : list, optional
            Coordinates that keep the value of the guess; those that `model.lock` says if left out. `eq.residual` holds
            the force that this takes.
        rates : dict, optional
            Coordinates that turn or slide at a constant rate: {"spin": 100}.
        target, scheme : str
            As in `compile`.

        Returns
        -------
        Equilibrium
            With `q`, `qd`, `residual`, `status`, `message`, `stable`; `eq["q1"]`, `eq.frames("arm")`. Where there is
            none, `status` is "not found", `message` says which coordinate runs away, and `eq["q1"]` raises ModelError.

        Raises
        ------
        InputError
            An unknown name, a value that is not a number.
        NotFiniteError
            When the equations give NaN at the guess.

        Example
        -------
        >>> from easydyn import examples
        >>> crank = examples.slider_crank()
        >>> crank.equilibrium()
        Equilibrium of 'slider-crank': in stable equilibrium.
          q = -1.570796327 rad
        """
        from easydyn.analysis import equilibrium

        return equilibrium(
            self, initial, t=t, parameters=parameters, inputs=inputs, locked=locked, rates=rates, target=target,
            scheme=scheme,
        )  # fmt: skip

    def linearize(
        self, at: Any = None, *, t: float | None = None, parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None, locked: Any = None, target: str = "python", scheme: str = "recursive",
    ) -> Linearization:  # fmt: skip
        """The equations of small motions about a state, M qdd + C qd + K q = B u, with poles, modes, responses.

        The matrices are exact derivatives of the equations. About a state in motion they are those of that instant. Of
        a model with constraints they are those of independent coordinates; where constraints restrict rates only, what
        follows by its rate is an unknown of first order, as states are (docs/rolling.md).

        Parameters
        ----------
        at : Equilibrium, dict or arrays, optional
            What `equilibrium` returned; or values beside the initial ones, {"q1": 0.3, "q1.dot": 2}; or (q, qd), or
            (q, qd, qdd). The accelerations follow from the equations unless they are given ("q1.ddot", those that are
            not named being zero then). The initial state if left out.
        t : float, optional
            Time (s); that of the equilibrium, or 0, if left out.
        parameters : dict, optional
            Values that differ from the model's own, or from those of the equilibrium.
        inputs : dict, optional
            As in `simulate`, at time t. An input that is given as a formula closes a loop, and is no input any more.
        locked : list, optional
            Coordinates that do not move; those of the equilibrium, or those that `model.lock` says, if left out.
        target, scheme : str
            As in `compile`.

        Returns
        -------
        Linearization
            With `M`, `C`, `K`, `B`, `poles()`, `modes()`, `mode_frames(...)`, `frequency_response(...)`,
            `state_space()`, `check()`.

        Raises
        ------
        ModelError
            When a derivative is not finite, or `at` is no equilibrium.

        Example
        -------
        >>> from easydyn import examples
        >>> pendulum = examples.double_pendulum()
        >>> pendulum.linearize(at=pendulum.equilibrium()).modes().frequencies.round(4)
        array([0.4004, 1.0357])
        """
        from easydyn.analysis import linearize

        return linearize(
            self, at, t=t, parameters=parameters, inputs=inputs, locked=locked, target=target, scheme=scheme
        )

    def root_locus(self, parameter: Any, values: Any, *, at: Any = None, **options: Any) -> RootLocus:
        """Poles over the values of a parameter, each followed as it moves.

        Parameters
        ----------
        parameter : Parameter or str
            A parameter; or, where `at` gives values by name, a coordinate or a rate ("spin.dot").
        values : array (N,)
            Its values, in its own unit.
        at : optional
            As in `linearize`. An equilibrium is found again for each of the values, from the last one on.
        **options
            t, parameters, inputs, locked, target, scheme, as in `linearize`.

        Returns
        -------
        RootLocus
            With `poles` (N, m), `frequencies`, `damping`, `unstable`, `plot()`.

        Raises
        ------
        UnknownNameError
            What is neither a parameter nor in `at`.
        InputError
            No value, or one for which a coordinate loses its inertia.

        Example
        -------
        >>> from easydyn import GeneralizedForce, Model, tdisp
        >>> model = Model("oscillator")
        >>> x, = model.coordinates("x")
        >>> k, = model.parameters(k=1)
        >>> mass = model.body("mass", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        >>> model.add(GeneralizedForce(x, -k*x))
        >>> abs(model.root_locus("k", [1, 4, 9]).poles[:, 0].imag)
        array([1., 2., 3.])
        """
        from easydyn.analysis import root_locus

        if options:
            no_unknown_options(options, root_locus)
        return root_locus(self, parameter, values, at=at, **options)

    def equilibrium_path(
        self, parameter: Any, to: Any, *, initial: Mapping[str, Any] | None = None, most: int = 400, **options: Any
    ) -> EquilibriumPath:
        """Equilibria over a parameter, such as a load, followed through limit points, where a structure snaps through.

        It begins with the equilibrium at the value that the parameter has, and goes on, with the parameter rising and
        falling, until that is `to`.

        Parameters
        ----------
        parameter : Parameter or str
            What changes.
        to : float
            Its last value, in its own unit.
        initial : dict, optional
            The guess for the first equilibrium.
        most : int
            How many points the path has at most.
        **options
            t, parameters, inputs, locked, target, scheme, as in `equilibrium`.

        Returns
        -------
        EquilibriumPath
            With `values` (N,), `states` (N, n), `stable`, `limits`; `path["q1"]`, `path.plot("q1")`.

        Raises
        ------
        UnknownNameError
            What is no parameter.
        InputError
            A value that is none, the one that the parameter has.
        ModelError
            No equilibrium to begin with; a model with constraints.

        Notes
        -----
        Riks's method: F(x, p) = 0 with the length of the arc given. At bifurcations the path goes straight on.

        Example
        -------
        >>> from easydyn import Model, TorsionSpring, Force, trotz, tdisp
        >>> model = Model("column: a bar on a spring, a little out of the vertical")
        >>> P, = model.parameters(P=0)
        >>> q, = model.coordinates("q")
        >>> bar = model.body("bar", trotz(q) * tdisp(0, 1, 0), mass=1, inertia=(0, 0, 1))
        >>> model.add(TorsionSpring(q, stiffness=1, free_angle=0.01), Force(bar, (0, -P, 0)))
        >>> path = model.equilibrium_path("P", 1.2)
        >>> round(float(path["q"][-1]), 4)  # q - 0.01 = P sin(q)
        1.0522
        """
        from easydyn.analysis import equilibrium_path

        if options:
            no_unknown_options(options, equilibrium_path)
        return equilibrium_path(self, parameter, to, initial=initial, most=most, **options)

    def sensitivity(self, t_final: float, of: Any, *, exact: bool | None = None, **options: Any) -> Sensitivity:
        """A run with its derivatives by parameters and by initial values.

        The tangent equations f_q s + f_qd sd + f_qdd sdd + f_p = 0, s = dq/dp, are derived exactly and integrated with
        the motion; where a force jumps, so do the derivatives, by what its condition tells.

        Parameters
        ----------
        t_final : float
            End of the run (s).
        of : list of str or symbols
            Parameters; inputs that are numbers; coordinates, rates ("q1.dot") and states for their values at the start.
        exact : bool, optional
            False for central differences between whole runs. So it is, if left out, where tangent equations do not
            apply: efforts in plain Python, controllers, events, locks, inputs that are functions.
        **options
            As in `simulate`.

        Returns
        -------
        Sensitivity
            With `run`, `q`, `qd`, `qdd` (N, n, m); `s["q1", "l1"]`, `s.of(expression, "l1")`.

        Raises
        ------
        UnknownNameError, ModelError
            A name that is neither; a motion that stays at a jump, and has no derivatives.
        IntegrationError
            As in `simulate`.

        Example
        -------
        >>> from easydyn import examples
        >>> s = examples.double_pendulum().sensitivity(1, ["l1", "q2"], method="dop853")
        >>> s["q1", "l1"].shape, round(float(s["q1", "l1"][-1]), 4)
        ((501,), 0.5183)
        """
        from easydyn.analysis import sensitivity

        if options:
            no_unknown_options(options, sensitivity, self.simulate)
        return sensitivity(self, t_final, of, exact=exact, **options)
