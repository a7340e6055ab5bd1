"""Modes: a pole, and the shape in which the mechanism moves with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from easydyn.analysis.spectrum import spectrum
from easydyn.arguments import Attributes
from easydyn.errors import InputError, UnknownNameError
from easydyn.inputs import name_in, whole

MOST = 4  # components of a shape in a line of text


@dataclass(frozen=True, eq=False)
class Mode(Attributes):
    """A motion q = q0 + a Re(shape exp(pole t)) of the linearised equations: an eigenvector of (M s^2 + C s + K).

    Attributes
    ----------
    pole : complex (rad/s)
        One of each conjugate pair, the one with the positive imaginary part; real for a motion that does not oscillate.
    shape : array (n,)
        Amplitudes of the coordinates and first-order states, the largest being 1. They are real if all move in phase,
        complex otherwise.
    mass : float
        Modal mass, shape^H M shape over the coordinates: kg, or kg m2 where the largest amplitude is an angle.
    names : tuple of str
        The n unknowns; `mode["q1"]` is the amplitude of one.

    Example
    -------
    >>> from easydyn import examples
    >>> mode = examples.double_pendulum().linearize({"q1": 0, "q2": 0}).modes()[0]
    >>> mode.kind, round(mode.frequency, 4)
    ('oscillation', 0.4004)
    """

    pole: complex
    shape: np.ndarray
    mass: float
    names: tuple[str, ...]

    @property
    def frequency(self) -> float:
        """Undamped natural frequency (Hz), the magnitude of the pole over 2 pi."""
        return abs(self.pole) / (2 * np.pi)

    @property
    def damped_frequency(self) -> float:
        """Frequency of the oscillation (Hz), the imaginary part of the pole over 2 pi."""
        return abs(self.pole.imag) / (2 * np.pi)

    @property
    def damping(self) -> float:
        """Damping ratio (no unit): 1 for a motion that dies out without oscillating, negative for one that grows."""
        return 0.0 - self.pole.real / abs(self.pole) if self.pole else 0.0

    def __getitem__(self, name: Any) -> complex:
        """Amplitude of a coordinate or state, by name."""
        return self.shape[self.names.index(name_in(name, self.names, "this mode has no {!r}: it has {}."))].item()

    @property
    def kind(self) -> str:
        """The kind of motion in words, such as "oscillation"; "free" for a pole at zero."""
        if self.pole == 0:
            return "free"
        if self.pole.imag:
            return "oscillation" if self.pole.real <= 1e-9 * abs(self.pole) else "growing oscillation"
        return "decay" if self.pole.real < 0 else "growth"

    def __repr__(self) -> str:
        return f"Mode({self.kind}, {self.frequency:.6g} Hz, damping ratio {self.damping:.4g}, {_shape_text(self)})"


class Modes(Attributes, Sequence[Mode]):
    """The modes of a linearised system, by rising natural frequency; they print as a table.

    Parameters
    ----------
    modes : sequence of Mode
        One for each pair of conjugate poles.
    title : str
        The name of the system.

    Example
    -------
    >>> from easydyn import examples
    >>> modes = examples.double_pendulum().linearize({"q1": 0, "q2": 0}).modes()
    >>> len(modes), modes.frequencies.round(4)
    (2, array([0.4004, 1.0357]))
    """

    def __init__(self, modes: Sequence[Mode], title: str):
        self._modes, self.title = tuple(modes), title

    def __len__(self) -> int:
        return len(self._modes)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._modes[index]
        k = whole(index, f"the number of a mode of {self.title}", least=-len(self))
        if k >= len(self):
            raise UnknownNameError(f"{self.title} has no mode [{k}]: expected a number below {len(self)}, from 0 on.")
        return self._modes[k]

    def __iter__(self) -> Iterator[Mode]:
        return iter(self._modes)

    @property
    def frequencies(self) -> np.ndarray:
        """Natural frequencies (Hz), with shape (modes,)."""
        return np.array([m.frequency for m in self])

    @property
    def damping(self) -> np.ndarray:
        """Damping ratios (modes,), no unit."""
        return np.array([m.damping for m in self])

    @property
    def shapes(self) -> np.ndarray:
        """The shapes as columns (n, modes)."""
        n = len(self._modes[0].names) if self._modes else 0
        return np.array([m.shape for m in self]).reshape(len(self), n).T

    def __repr__(self) -> str:
        rows = (
            f"{k:3d}  {m.frequency:14.8g}  {m.damping:14.6g}  {m.mass:11.5g}   {m.kind}: {_shape_text(m)}"
            for k, m in enumerate(self)
        )
        head = "     frequency [Hz]   damping ratio   modal mass   kind, shape"
        return "\n".join([f"Modes of {self.title}", head, *rows])


def _shape_text(mode: Mode) -> str:
    """The largest components, "q1 1, q2 -0.62" (complex: size and phase)."""
    shape, names = mode.shape, mode.names
    order = [j for j in np.argsort(-np.abs(shape), kind="stable") if abs(shape[j]) > 1e-3]
    parts = [
        f"{names[j]} {shape[j].real:.3g}"
        if abs(shape[j].imag) < 1e-9
        else f"{names[j]} {abs(shape[j]):.3g} at {np.degrees(np.angle(shape[j])):.0f}°"
        for j in sorted(order[:MOST])
    ]
    return ", ".join(parts) + (", ..." if len(order) > MOST else "")


def poles_of(M: np.ndarray, C: np.ndarray, K: np.ndarray, states: np.ndarray) -> np.ndarray:
    """All poles (rad/s), sorted by magnitude, conjugate pairs together."""
    found = spectrum(M, C, K, states)
    return np.concatenate([np.zeros(found.zeros), found.poles])


def modes_of(
    M: np.ndarray, C: np.ndarray, K: np.ndarray, states: np.ndarray, names: Sequence[str], title: str
) -> Modes:
    """The modes, by rising frequency, one for each pair of conjugate poles."""
    found = spectrum(M, C, K, states)
    zeros = ((0j, shape) for shape in _orthogonal(found.zero_shapes, M).T)
    others = ((complex(x), shape) for x, shape in zip(found.poles, found.shapes.T, strict=True) if x.imag >= 0)
    return Modes([_mode(pole, shape, M, states, names) for pole, shape in chain(zeros, others)], title)


def _orthogonal(shapes: np.ndarray, M: np.ndarray) -> np.ndarray:
    """The same space, with shapes orthogonal with respect to a symmetric M."""
    if np.abs(M - M.T).max(initial=0) > 1e-12 * np.abs(M).max(initial=0):
        return shapes
    done: list[np.ndarray] = []
    for shape in shapes.T:
        for other in done:
            weight = other @ M @ other
            shape = shape - other * (other @ M @ shape / weight) if weight > 0 else shape
        done.append(shape)
    return np.array(done).reshape(len(done), len(M)).T


def _mode(pole: complex, shape: np.ndarray, M: np.ndarray, states: np.ndarray, names: Sequence[str]) -> Mode:
    largest = shape[int(np.argmax(np.abs(shape) > (1 - 1e-9) * np.abs(shape).max()))]
    shape = shape / largest
    if np.abs(shape.imag).max() <= 1e-10:
        shape = shape.real.copy()
    moving = np.where(states, 0, shape)
    shape.setflags(write=False)
    return Mode(pole, shape, float(np.real(np.conj(moving) @ M @ moving)), tuple(names))


def mode_of(modes: Modes, given: Any) -> Mode:
    """The mode itself, or the mode with the given number; InputError otherwise."""
    if isinstance(given, Mode):
        return given
    if isinstance(given, int | np.integer) and not isinstance(given, bool) and -len(modes) <= given < len(modes):
        return modes[int(given)]
    raise InputError(f"mode is {given!r}: expected a Mode, or a number from 0 to {len(modes) - 1}.")
