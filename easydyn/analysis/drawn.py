"""Pictures of linearised equations: poles, frequency responses, mode shapes, modes in motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.analysis import poleplots
from easydyn.analysis.modes import Mode, Modes, mode_of
from easydyn.arguments import answers, asked
from easydyn.errors import InputError
from easydyn.inputs import among, expect, real_array


@answers
class Drawn:
    """The part of a Linearization that draws."""

    @property
    def _title(self: Any) -> str:
        return str(self.state.system.mechanism.name)

    @property
    def _units(self: Any) -> list[str]:
        units = self.state.system.mechanism.units
        return [str(units.get(name, "")) for name in self.names]

    animate = asked("easydyn.visu.modes:animate_mode")

    def plot_poles(self: Any, ax: Any = None) -> Any:
        """Draw the poles in the complex plane, with lines of constant damping ratio; returns matplotlib axes.

        Poles with a real part above zero are drawn in another colour.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Those of a new figure if left out.

        Returns
        -------
        matplotlib axes

        Example
        -------
        >>> from easydyn import examples
        >>> crank = examples.slider_crank()
        >>> ax = crank.linearize(at=crank.equilibrium()).plot_poles()
        """
        return poleplots.poles(self.poles(), self._title, ax)

    def plot_response(
        self: Any, omega: Any = None, *, input: Any = None, output: Any = None, kind: str = "bode", ax: Any = None
    ) -> Any:
        """Draw a frequency response: magnitude and phase over the frequency (Bode), or in the complex plane (Nyquist).

        Parameters
        ----------
        omega : array (N,), optional
            Angular frequencies (rad/s). If left out, the range goes a decade beyond the poles, with closer values near
            resonances.
        input, output : str
            As in `frequency_response`.
        kind : {"bode", "nyquist"}
            Magnitude and phase over the frequency, or one curve in the complex plane.
        ax : matplotlib axes, optional
            Where to draw; two axes for "bode". A new figure if left out.

        Returns
        -------
        `easydyn.result.plots.Panels` of two axes for "bode", axes for "nyquist"
            Lines are interrupted at resonances without damping, where the response is infinite.

        Raises
        ------
        InputError, UnknownNameError
            Another kind; frequencies that are not above zero; names that do not exist.

        Example
        -------
        >>> from easydyn import examples
        >>> lin = examples.oscillator().linearize(parameters={"c": 1})
        >>> magnitude, phase = lin.plot_response(input="q", output="q")
        >>> phase.get_ylabel()
        'phase [°]'
        """
        expect(among(kind, ("bode", "nyquist")), "the kind of a response", kind, '"bode" or "nyquist"')
        given = poleplots.frequencies_for(self.poles()) if omega is None else np.ravel(real_array(omega, "omega"))
        if len(given) < 2 or (kind == "bode" and given.min() <= 0):
            raise InputError(
                "omega of a response: expected at least two frequencies (rad/s)"
                + (", all above zero, for their axis is logarithmic." if kind == "bode" else ".")
            )
        response = self.frequency_response(given, input=input, output=output)
        names = (str(input or (self.inputs or ("",))[0]), str(output or (self.outputs or ("",))[0]))
        return (poleplots.bode if kind == "bode" else poleplots.nyquist)(given, response, names, self._title, ax)

    def plot_mode(self: Any, mode: Any = 0, ax: Any = None) -> Any:
        """Draw the shape of a mode: a bar for each unknown, or arrows if they do not move in phase; returns axes.

        Parameters
        ----------
        mode : Mode or int
            One of `modes()`, or its number.
        ax : matplotlib axes, optional
            Those of a new figure if left out.

        Returns
        -------
        matplotlib axes

        Example
        -------
        >>> from easydyn import examples
        >>> pendulum = examples.double_pendulum()
        >>> ax = pendulum.linearize(at=pendulum.equilibrium()).plot_mode(1)
        >>> [text.get_text() for text in ax.get_xticklabels()]
        ['q1 [rad]', 'q2 [rad]']
        """
        found, number = self._numbered(mode)
        return poleplots.shape(found, len(self.modes()) if number is None else number, self._units, ax)

    def plot_modes(self: Any, ax: Any = None) -> Any:
        """Draw the shapes of the first six modes, each as `plot_mode` does; returns `easydyn.result.plots.Panels`.

        Parameters
        ----------
        ax : sequence of matplotlib axes, optional
            As many axes as modes; those of a new figure if left out.

        Returns
        -------
        `easydyn.result.plots.Panels`
        """
        return poleplots.shapes(self.modes(), self._units, ax)

    def _numbered(self: Any, mode: Any) -> tuple[Mode, int | None]:
        """A mode, and its number if it is one of these."""
        modes: Modes = self.modes()
        found = mode_of(modes, mode)
        return found, next((k for k, each in enumerate(modes) if each is found), None)
