"""The analyses of a whole model: equilibrium, small motions, sensitivities.

Each method calls a module of `analysis/`, which is loaded at the first call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from easydyn.arguments import answers, no_unknown_options
from easydyn.inputs import listed
from easydyn.model import constraining

if TYPE_CHECKING:
    import sympy

    from easydyn.analysis import (
        Equilibrium,
        EquilibriumPath,
        InverseKinematics,
        Linearization,
        RootLocus,
        Sensitivity,
    )


@answers
class Analysing:
    """The part of a Model that analyses it."""

    simulate: Any  # of Model: its options are those of `sensitivity` as well

    def equilibrium(
        self, initial: Mapping[str, Any] | None = None, *, t: float = 0.0, parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None, locked: Any = None, rates: Mapping[str, Any] | None = None,
        target: str = "python", scheme: str = "recursive",
    ) -> Equilibrium:  # fmt: skip
        """Find the stable static equilibrium, f(t, q, 0, 0) = 0, that is reached from a guess.

        Open contacts have no stiffness that could guide Newton's method. They are found nevertheless: the search lets
        the system fall, without momentum, until it rests. Frames that depend on time are taken at t. On a turntable,
        for example, the result is relative rest.

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
            Coordinates that keep the value of the guess. If left out, these are the coordinates locked by `model.lock`.
            `eq.residual` holds the force that keeps them there.
        rates : dict, optional
            Coordinates that turn or slide at a constant rate: {"spin": 100}.
        target, scheme : str
            As in `compile`.

        Returns
        -------
        Equilibrium
            With `q`, `qd`, `residual`, `status`, `message`, `stable`; `eq["q1"]`, `eq.frames("arm")`. If no equilibrium
            is found, `status` is "not found", `message` names the coordinate that runs away, and `eq["q1"]` raises
            ModelError.

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

    def jacobian(self, frame: Any, at: Any = (0, 0, 0), *, axes: Any = None) -> sympy.ImmutableDenseMatrix:
        """Derive the geometric Jacobian of a frame, 6 x n: velocity and angular velocity are J qd (eqs. 5, 36, 37).

        Parameters
        ----------
        frame : Body, str or Transform
            A body, its name, or a frame such as `hand.T * tdisp(0, 0, 0.1)`.
        at : 3 scalars (m)
            A point that is fixed in the frame; its origin if left out.
        axes : Body, str or Transform, optional
            The axes of the components; those of the ground if left out.

        Returns
        -------
        sympy.Matrix
            Three rows of velocity (m per unit of the coordinate), three of angular velocity (rad per unit), a column
            for each coordinate. `system.frame_jacobian` of the compiled model gives numbers, for many states at once.

        Raises
        ------
        InputError, UnknownNameError
            No frame of this model.

        Example
        -------
        >>> from easydyn import examples
        >>> pendulum = examples.double_pendulum()
        >>> list(pendulum.jacobian("upper arm", at=(0, -0.3, 0), axes="upper arm")[:2, 0])
        [l1/2 + 0.3, 0]
        """
        from easydyn.analysis import jacobian

        return jacobian(self, frame, at, axes=axes)

    def inverse_kinematics(
        self, targets: Mapping[Any, Any], *, initial: Mapping[str, Any] | None = None, limits: Any = True,
        weights: Mapping[Any, Any] | None = None, hold: Any = (), parameters: Mapping[str, Any] | None = None,
        t: float = 0.0, attempts: int = 100, target: str = "auto",
    ) -> InverseKinematics:  # fmt: skip
        """Find coordinates with which frames stand where they should, by damped least squares with exact Jacobians.

        Loops stay closed. The nearest way from the initial values is tried first, then others.

        Parameters
        ----------
        targets : dict
            Of frames (a body, its name, or a transform such as `hand.T * tdisp(0, 0, 0.1)`) and where each should be: a
            transform or a matrix (4, 4), or a point (3,) in m, for the position alone. Arrays (m, 4, 4) or (m, 3) are a
            path: each search begins where the one before has ended.
        initial : dict, optional
            Where the search begins, if it differs from the model's initial values (m, rad).
        limits : bool or dict
            {"q1": (-1, 2)} (m, rad) beside those of the joints of a robot's file (`model.joints`); False: none at all.
        weights : dict, optional
            Of frames, for targets that cannot all be reached: a number, or two, of the position and of the attitude
            (no unit), 1 if left out.
        hold : list of str
            Coordinates that keep their initial values.
        parameters : dict, optional
            Values that differ from the model's own.
        t : float
            Time (s) at which driven frames are taken.
        attempts : int
            Number of starts, at most; all but the first two are random, with a fixed seed.
        target : str
            As in `compile`.

        Returns
        -------
        InverseKinematics
            A dict of the coordinates, as `simulate(initial=...)` takes it, with `q` (n,) or (m, n), `missed` (m, rad),
            `reached`, `message`, `jumps`.

        Raises
        ------
        InputError, UnknownNameError
            A frame, a target or a name that is none.

        Notes
        -----
        T. Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, 2011.

        Example
        -------
        >>> from easydyn import examples
        >>> pendulum = examples.double_pendulum()
        >>> found = pendulum.inverse_kinematics({"lower arm": (0.5, -1.2, 0)}, initial={"q1": 0.1, "q2": 0.5})
        >>> found.reached, [round(x, 4) for x in found.values()]
        (True, [-0.0417, 1.6106])
        """
        from easydyn.analysis import inverse_kinematics

        return inverse_kinematics(
            self, targets, initial=initial, limits=limits, weights=weights, parameters=parameters, t=t,
            attempts=attempts,
            hold=constraining.names(listed(hold, "hold", "names of coordinates"), "hold", self), target=target,
        )  # fmt: skip

    def linearize(
        self, at: Any = None, *, t: float | None = None, parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None, locked: Any = None, target: str = "python", scheme: str = "recursive",
    ) -> Linearization:  # fmt: skip
        """Derive the equations of small motions about a state, M qdd + C qd + K q = B u, with poles, modes, responses.

        The matrices are exact derivatives of the equations. About a state in motion they hold at that instant only. For
        a model with constraints they belong to the independent coordinates. Some constraints restrict rates only. A
        coordinate of which only the rate follows from the others is then an unknown of first order, like a state
        (docs/rolling.md).

        Parameters
        ----------
        at : Equilibrium, dict or arrays, optional
            The result of `equilibrium`; or values that differ from the initial ones, {"q1": 0.3, "q1.dot": 2}; or (q,
            qd), or (q, qd, qdd). The accelerations follow from the equations unless they are given ("q1.ddot";
            accelerations that are not named are then zero). The initial state if left out.
        t : float, optional
            Time (s); the time of the equilibrium, or 0, if left out.
        parameters : dict, optional
            Values that differ from the model's own, or from those of the equilibrium.
        inputs : dict, optional
            As in `simulate`, at time t. An input that is given as a formula closes a feedback loop, and is no longer an
            input.
        locked : list, optional
            Coordinates that do not move. If left out, the locked coordinates of the equilibrium, or those of
            `model.lock`.
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
        """Compute the poles over the values of a parameter, and follow each pole as it moves.

        Parameters
        ----------
        parameter : Parameter or str
            A parameter; or, where `at` gives values by name, a coordinate or a rate ("spin.dot").
        values : array (N,)
            Its values, in its own unit.
        at : optional
            As in `linearize`. An equilibrium is found again for each value; the search starts from the one before.
        **options
            t, parameters, inputs, locked, target, scheme, as in `linearize`.

        Returns
        -------
        RootLocus
            With `poles` (N, m), `frequencies`, `damping`, `unstable`, `plot()`.

        Raises
        ------
        UnknownNameError
            A name that is neither a parameter nor in `at`.
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
        """Follow equilibria over a parameter, such as a load, through limit points, where a structure snaps through.

        The path begins with the equilibrium at the present value of the parameter. The parameter may rise and fall
        along the path, which ends when the parameter reaches `to`.

        Parameters
        ----------
        parameter : Parameter or str
            The parameter to change.
        to : float
            Its last value, in its own unit.
        initial : dict, optional
            The guess for the first equilibrium.
        most : int
            Largest number of points on the path.
        **options
            t, parameters, inputs, locked, target, scheme, as in `equilibrium`.

        Returns
        -------
        EquilibriumPath
            With `values` (N,), `states` (N, n), `stable`, `limits`; `path["q1"]`, `path.plot("q1")`.

        Raises
        ------
        UnknownNameError
            A name that is not a parameter.
        InputError
            A value that is not a number, or that the parameter has already.
        ModelError
            There is no equilibrium to begin with, or constraints are on rates (rolling).

        Notes
        -----
        Riks's method: F(x, p) = 0 with a given arc length. At bifurcations the path goes straight on.

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
        """Simulate a run together with its derivatives with respect to parameters and initial values.

        The tangent equations f_q s + f_qd sd + f_qdd sdd + f_p = 0, s = dq/dp, are derived exactly and integrated with
        the motion. Where a force jumps, the derivatives jump too; the jump follows from the switching condition of the
        force.

        Parameters
        ----------
        t_final : float
            End of the run (s).
        of : list of str or symbols
            Parameters; inputs that are numbers; coordinates, rates ("q1.dot") and states, which stand for their values
            at the start.
        exact : bool, optional
            False for central differences between whole runs. If left out, central differences are used where tangent
            equations do not apply: efforts in plain Python, controllers, events, locks, inputs that are functions.
        **options
            As in `simulate`.

        Returns
        -------
        Sensitivity
            With `run`, `q`, `qd`, `qdd` (N, n, m); `s["q1", "l1"]`, `s.of(expression, "l1")`.

        Raises
        ------
        UnknownNameError, ModelError
            A name that is not one of these; a motion that stays at a jump, and therefore has no derivatives.
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
