"""Spectra of results: amplitudes over frequencies, by the discrete Fourier transform of a windowed signal.

With N values x_k at intervals h and a window w_k, X_m = sum_k w_k (x_k - mean) exp(-2 pi i k m/N), the amplitude at
the frequency m/(N h) is 2 |X_m| / sum_k w_k: a sine of amplitude A whose frequency is one of these has a peak of A
(F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform", 1978).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.errors import InputError
from easydyn.inputs import among, expect, finite

# coefficients a_j of w_k = sum_j (-1)^j a_j cos(2 pi j k/N)
WINDOWS: dict[str, tuple[float, ...]] = {
    "hann": (0.5, 0.5),
    "flattop": (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368),
    "rectangular": (1.0,),
}
FEWEST = 8  # values of which a spectrum is made


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Amplitudes over frequencies.

    Attributes
    ----------
    frequency : array (K,)
        Hz, from 0 to half the sampling frequency.
    amplitude : array (K,)
        Amplitudes in the unit of the signal; they do not contain the mean value.
    window : str
        Its name.
    resampled : bool
        True if the instants were not evenly spaced; the values were then interpolated linearly at even spacing.
    """

    frequency: np.ndarray
    amplitude: np.ndarray
    window: str
    resampled: bool

    @property
    def peak(self) -> tuple[float, float]:
        """Frequency (Hz) and amplitude of the highest line; lines are 1/duration apart."""
        k = int(np.argmax(self.amplitude))
        return float(self.frequency[k]), float(self.amplitude[k])


def spectrum(run: Any, what: Any, *, window: str = "hann", begin: float | None = None) -> Spectrum:
    """Amplitudes over frequencies of a column or of an expression.

    Parameters
    ----------
    what : str or SymPy expression
        The column by name, or the expression, in its own unit.
    window : {"hann", "flattop", "rectangular"}
        "hann" separates close frequencies. "flattop" gives amplitudes within 0.2 %, wherever a frequency lies
        between two lines. "rectangular" is for a whole number of periods.
    begin : float (s), optional
        Leave out everything before this time, such as an initial transient.

    Returns
    -------
    Spectrum
        `frequency` (Hz), `amplitude` in the unit of the column.

    Example
    -------
    >>> import numpy as np
    >>> from easydyn import Model
    >>> model = Model("oscillator")
    >>> x, = model.coordinates("x", initial=2)
    >>> model.equation(x.ddot + (2*np.pi*5)**2*x)
    >>> spectrum = model.simulate(10, save_every=0.01, tolerance=1e-8).spectrum("x", window="flattop")
    >>> frequency, amplitude = spectrum.peak
    >>> print(f"{amplitude:.2f} m at {frequency:.2f} Hz")
    2.00 m at 5.00 Hz
    """
    return spectrum_of(run.t, run._column(what), window, begin)


def spectrum_of(t: np.ndarray, values: np.ndarray, window: Any = "hann", begin: Any = None) -> Spectrum:
    """The spectrum of a signal given at increasing times t (N,); as `spectrum` has it."""
    expect(among(window, WINDOWS), "window", window, f"one of {', '.join(WINDOWS)}")
    if begin is not None:
        wanted = t >= finite(begin, "begin")
        t, values = t[wanted], values[wanted]
    later = np.concatenate([np.diff(t) > 0, np.ones(min(1, len(t)), dtype=bool)])  # of two values at an event the last
    t, values = t[later], values[later]
    if len(t) < FEWEST:
        raise InputError(
            f"a spectrum of {len(t)} instants: expected at least {FEWEST}. Simulate for longer, or with a smaller "
            "save_every."
        )
    if not np.all(np.isfinite(values)):
        raise InputError("a spectrum of values that are not all finite: look at run.plot(...) first.")
    count = len(t)
    even = np.linspace(t[0], t[-1], count)
    step = even[1] - even[0]
    resampled = bool(np.abs(t - even).max() > 1e-6 * step)
    if resampled:  # as many values as there are, unless the shortest interval asks for more
        count = min(round((t[-1] - t[0]) / np.diff(t).min()) + 1, 4 * count)
        even = np.linspace(t[0], t[-1], count)
        values, step = np.interp(even, t, values), even[1] - even[0]
    phase = 2 * np.pi * np.arange(count) / count
    weights = sum((-1) ** j * a * np.cos(j * phase) for j, a in enumerate(WINDOWS[window]))
    weights = np.broadcast_to(np.asarray(weights, dtype=float), (count,))
    amplitude = 2 * np.abs(np.fft.rfft(weights * (values - values.mean()))) / weights.sum()
    if count % 2 == 0:
        amplitude[-1] /= 2  # of the highest frequency there is one line, not a pair
    amplitude[0] = 0.0
    return Spectrum(np.fft.rfftfreq(count, step), amplitude, window, resampled)
