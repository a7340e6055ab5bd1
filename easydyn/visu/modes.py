"""Animated modes: frames along q + amplitude Re(shape exp(pole t)), with a visible amplitude."""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.analysis.modes import mode_of
from easydyn.arguments import no_others
from easydyn.errors import ModelError
from easydyn.inputs import a, among, expect, finite, flag, name_in, positive
from easydyn.visu import bent, motion
from easydyn.visu.animation import add_paths, played
from easydyn.visu.automatic import scene_of
from easydyn.visu.curves import MOST_CURVES, grouped
from easydyn.visu.motion import frames_and_tips
from easydyn.visu.scene import Scene, widened

SHARE = 1 / 8  # of the size of the mechanism, that what moves farthest goes through
LARGEST_ANGLE = 0.4  # rad
FRAMES = 60  # of a period
PERIODS = 4  # of a motion that dies away
SECONDS = 2.0  # that a period takes on the screen
SMALL = 1e-5  # beside the size of the mechanism: the amplitude from which displacements are extrapolated
OPTIONS = ("scene", "trace", "plots", "follow", "colour", "speed", "backend")


def animate_mode(self: Any, mode: Any = 0, *, amplitude: Any = None, decay: bool = False, **options: Any) -> Any:
    """A mode in motion, in the player of `run.animate`: q + amplitude Re(shape exp(pole t)); `.save("mode.html")`.

    Parameters
    ----------
    mode : Mode or int
        One of `modes()`, or its number.
    amplitude : float, optional
        Amplitude of the coordinate that moves most (m or rad). If left out, the point that moves farthest goes
        through an eighth of the size of the mechanism, and nothing turns by more than 0.4 rad.
    decay : bool
        True: show how the mode decays (or grows), for four periods. False: repeat one period. A motion that does
        not oscillate is shown going back and forth.
    **options
        `scene`, `trace`, `plots`, `follow`, `colour`, `speed`, `backend` as in `run.animate`.

    Returns
    -------
    `easydyn.visu.Animation`
        The animation. Frames that depend on time, and inputs, keep their values at the time of the state.

    Raises
    ------
    InputError, ModelError
        No such mode; a mode in which no body moves.

    Example
    -------
    >>> from easydyn import examples
    >>> pendulum = examples.double_pendulum()
    >>> path = pendulum.linearize(at=pendulum.equilibrium()).animate(1).save("mode.html")
    """
    no_others(options, ("mode", "amplitude", "decay", *OPTIONS), "animate")
    backend = options.get("backend", "html")
    expect(among(backend, ("html", "matplotlib")), "backend", backend, '"html" or "matplotlib"')
    modes, state = self.modes(), self.state
    system, given, found = state.system, options.get("scene"), mode_of(modes, mode)
    shape = state.directions.spread(found.shape.astype(complex))
    number = next((f" {k}" for k, each in enumerate(modes) if each is found), "")
    title = f"{system.mechanism.name}, mode{number}, {found.frequency:.4g} Hz"
    if given is not None:
        a(Scene, given, "scene", "a Scene, as from model.scene()")
    decay = flag(decay, "decay")
    factor, t = _factor(found.pole, decay)
    if amplitude is None:
        base = given or scene_of(title, system, *state.moved(shape, np.zeros(1)))
        size = _amplitude(state, shape, base, title) / max(1.0, float(np.abs(factor).max()))
    else:
        size = finite(amplitude, "the amplitude")
    time, q, qd = state.moved(shape, size * factor)
    scene = scene_of(title, system, time, q, qd) if given is None else given.copy()
    scene.title = title
    add_paths(scene, options.get("trace", ()), options.get("follow"))
    frames, tips = frames_and_tips(scene, time, q, qd)
    if options.get("colour") is not None:
        small = SMALL * min(scene.size, 1.0) / (float(np.abs(shape).max()) or 1.0)
        around, _ = frames_and_tips(scene, *state.moved(shape, small * np.array([0, 1, -1, 1j, -1j])))
        share = size * np.asarray(factor, dtype=complex) / (2 * small)
        weights = np.stack([np.ones(len(t)), share.real, -share.real, share.imag, -share.imag], axis=1)
        bent.coloured(scene, around, options["colour"], weights)
        tips = motion.completed(scene, tips)
    if not np.isfinite(frames).all():
        raise ModelError(
            f"with an amplitude of {size:.3g} the mechanism cannot be assembled in this mode: give a smaller one, "
            "animate(mode, amplitude=...)."
        )
    if given is not None:
        places = frames[:, : len(system.mechanism.bodies), :3, 3]
        scene.view = widened(scene.view, places, 0.12 * scene.size)
    period = float(t[-1]) / (PERIODS if decay else 1)
    speed = options.get("speed")
    own = float(f"{period / SECONDS:.1g}") if speed is None else positive(speed, "speed")
    return played(scene, t, frames, tips, _curves(system, q, qd, options.get("plots")), own, backend)


def _factor(pole: complex, decay: bool) -> tuple[np.ndarray, np.ndarray]:
    """exp(pole t), without its decay unless that is wanted, and the instants (N,), one or several periods."""
    periods = PERIODS if decay else 1
    if pole.imag:
        t = np.linspace(0, 2 * np.pi / abs(pole.imag) * periods, FRAMES * periods + 1)
        return np.exp((pole if decay else 1j * abs(pole.imag)) * t), t
    slow = abs(pole.real) or 2 * np.pi  # 1/s; what is free has no time of its own
    if decay and pole.real:
        t = np.linspace(0, PERIODS / slow, FRAMES * PERIODS + 1)
        return np.exp(pole.real * t), t
    t = np.linspace(0, 2 * np.pi / slow, FRAMES + 1)
    return np.sin(slow * t), t


def _amplitude(state: Any, shape: np.ndarray, scene: Scene, title: str) -> float:
    """The amplitude at which what moves farthest goes through a share of the scene's size, and turns stay small."""
    largest = float(np.abs(np.where(state.system.states, 0, shape)).max()) or 1.0
    small = SMALL * min(scene.size, 1.0) / largest
    phases = np.exp(1j * np.linspace(0, np.pi, 8, endpoint=False))
    frames, _ = frames_and_tips(scene, *state.moved(shape, np.concatenate([[0], small * phases])))
    distances, turns = [0.0], [0.0]
    for k, frame in enumerate(scene.frames[1:]):
        nodes = [
            p.solid.nodes for p in scene.parts if p.solid is not None and p.body == frame.name and p.kind == "solid"
        ]
        points = np.concatenate([np.zeros((1, 3)), *nodes])
        placed = np.einsum("nij,pj->npi", frames[:, k, :3, :3], points) + frames[:, k, None, :3, 3]
        distances.append(float(np.linalg.norm(placed[1:] - placed[0], axis=-1).max()) / small)
        off = frames[1:, k, :3, :3] @ frames[0, k, :3, :3].T
        turns.append(float(np.linalg.norm(off - off.swapaxes(1, 2), axis=(1, 2)).max()) / (np.sqrt(8) * small))
    if not np.isfinite(distances).all() or max(distances) * largest < 1e-9 * scene.size:
        raise ModelError(
            f"nothing moves in {title}: only first-order states do, and there is nothing to be seen. Draw its shape "
            "with plot_mode, or give an amplitude."
        )
    return min(SHARE * scene.size / max(distances), LARGEST_ANGLE / max(*turns, 1e-300))


def _curves(system: Any, q: np.ndarray, qd: np.ndarray, names: Any) -> list[dict[str, Any]]:
    """Unknowns beside the picture: those named, or the first ones that move."""
    values = np.where(system.states, qd, q)
    known = list(system.names)
    if names is None:
        moving = [name for j, name in enumerate(known) if np.ptp(values[:, j]) > 0]
        names = moving[:MOST_CURVES]
    wanted = [names] if isinstance(names, str) else [str(name) for name in names]
    for name in wanted:
        name_in(name, known, "plots of a mode has {!r}: expected unknowns, of {}.")
    units = system.mechanism.units
    return grouped([(name, units.get(name, ""), values[:, known.index(name)]) for name in wanted])
