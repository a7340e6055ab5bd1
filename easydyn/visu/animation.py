"""A run as an animation, in a page or as a matplotlib film, perhaps with a second run, drawn pale behind the first."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import InputError, ModelError
from easydyn.files import path_to
from easydyn.inputs import a, among, expect, is_listed, positive
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.result.trajectory import Trajectory
from easydyn.visu import bent, motion
from easydyn.visu.arrows import LONGEST, add_arrows
from easydyn.visu.automatic import scene_of
from easydyn.visu.curves import by_default, curves, thinned
from easydyn.visu.motion import frames_and_tips
from easydyn.visu.page import Page, data_of, digits_of, motion_of, rounded, text_of
from easydyn.visu.scene import Frame, Part, Scene, widened
from easydyn.visu.shapes import Path

FRAMES_PER_SECOND = 30.0
WRITERS = dict.fromkeys((".gif", ".mp4"), "easydyn.visu.film") | dict.fromkeys((".glb", ".gltf"), "easydyn.visu.gltf")
MOST_FRAMES, LEAST_FRAMES = 1000, 150  # unless it is said otherwise


@answers
class Animation(Page):
    """An animation of a run: it plays in a notebook, or in a browser from the file that `save` writes.

    Parameters
    ----------
    scene : Scene
        What is shown.
    run : Trajectory
        What it shows.
    t : array (N,)
        Instants of its frames (s).
    frames : array (N, k, 4, 4)
        Matrices of the scene's frames but the ground.
    tips : array (N, m, 3)
        Vectors of the scene's arrows, in their own units.
    run : Trajectory or None
        The run that plays; None for a mode.
    data : dict
        The data of the player; its "note", if there is one, says what the pictures leave out.

    Example
    -------
    >>> from easydyn import examples
    >>> animation = examples.slider_crank().simulate(1).animate(every=0.1)
    >>> animation.t.shape
    (11,)
    """

    def __init__(
        self, scene: Scene, t: np.ndarray, frames: np.ndarray, tips: np.ndarray, data: dict[str, Any],
        run: Trajectory | None = None,
    ):  # fmt: skip
        super().__init__(scene, data)
        self.t, self.frames, self.tips, self.run = t, frames, tips, run

    def _instant(self) -> tuple[np.ndarray, np.ndarray]:
        return self.frames[-1], self.tips[-1]

    def picture(self, at: Any = None, *, beside: bool = False, ax: Any = None) -> Any:
        """Draw a picture of one instant, or of several: one over another with the last in full colour, or side by side.

        Parameters
        ----------
        at : float or array (N,), optional
            Instants (s); the nearest frame to each is shown. The last instant of the run if left out.
        beside : bool
            Draw each instant into axes of its own.
        ax : matplotlib axes, or a sequence of axes, optional
            Those of a new figure if left out.

        Returns
        -------
        matplotlib axes, or `easydyn.result.plots.Panels`

        Raises
        ------
        InputError
            Instants outside of the run.

        Example
        -------
        >>> from easydyn import examples
        >>> animation = examples.double_pendulum().simulate(1).animate(trace="lower arm")
        >>> ax = animation.picture(at=(0, 0.3, 0.6))
        """
        from easydyn.visu import picture

        return picture.moving(self, at, beside, ax)

    def save(self, path: Any) -> Any:
        """Write .html (the player), .gif or .mp4 (a film), .glb or .gltf (glTF 2.0) to a `path`; returns it.

        An .mp4 needs the program ffmpeg, or the package imageio-ffmpeg.

        Raises
        ------
        FileError, MissingDependencyError
            Another ending; a file that cannot be written; a film that needs ffmpeg, which is not installed.
        """
        place = path_to(path, endings=(".html", ".htm", *WRITERS))
        writer = WRITERS.get(place.suffix.lower())
        return import_module(writer).save(self, place) if writer else super().save(place)


@answers
def animate(
    run: Trajectory, *, scene: Any = None, frames_per_second: Any = None, every: Any = None, trace: Any = (),
    plots: Any = None, follow: Any = None, ghost: Any = None, arrows: Any = (), colour: Any = None, speed: Any = None,
    backend: str = "html",
) -> Any:  # fmt: skip
    """Make an animation of a run, as `run.animate(...)` does.

    Parameters
    ----------
    run : Trajectory
        A run of a model; a run that `integrate` made has no bodies.
    scene : Scene, optional
        The scene to show: `model.scene()` with additions. If left out, the automatic scene, with sizes from the whole
        run.
    frames_per_second, every : float, optional
        Frames per second of the run, or the time (s) from one frame to the next. If left out, 30 frames per second, at
        least 150 and at most 1000 in all.
    trace : bodies or pairs (body, point), optional
        Points (m, body axes) whose paths are drawn.
    plots : str or list, optional
        Curves beside the picture, those of one unit together: columns; "energy", or one of "kinetic energy", "potential
        energy", "total energy" (J); expressions of the model's symbols, or pairs (name, expression). The first six
        unknowns that move if left out; () for none. Curves show all instants of the run, however few pictures it has.
    follow : Body or str, optional
        A body that the camera follows.
    ghost : Trajectory, optional
        Another run of this model, or of a model with the same bodies; it is drawn pale behind this run, with its
        columns.
    arrows : bool, str or list, optional
        Arrows along the run. "forces": loads of efforts and weights on bodies; "reactions": loads of joints; True:
        both. Or a list of these, of force elements of the model, and of closures that `model.close` returned. Keys of
        the player switch the arrows off and on.
    colour : {"stress", "curvature", "deflection"}, optional
        The value that colours show on flexible bodies, with a scale beside the picture: stress along the beam (MPa,
        positive in tension), curvature relative to the unstressed shape (1/m), displacement from the unstressed shape
        (mm).
    speed : float, optional
        Speed of play (no unit); 1 is real time. If left out, it is 1, or adapted for very short and very long runs.
    backend : {"html", "matplotlib"}
        The player, or a FuncAnimation.

    Returns
    -------
    Animation
        The animation. It plays in a notebook; `.save(path)` writes it. With backend="matplotlib", a FuncAnimation.

    Raises
    ------
    InputError, ModelError, UnknownNameError
        A run without a model; names that do not exist; values out of range.

    Example
    -------
    >>> from easydyn import examples
    >>> run = examples.double_pendulum().simulate(1)
    >>> animation = run.animate(trace=[("lower arm", (0, -0.55, 0))], plots=["q1", "q1.dot"])
    >>> path = animation.save("pendulum.html")
    """
    expect(among(backend, ("html", "matplotlib")), "backend", backend, '"html" or "matplotlib"')
    if run.source is None:
        raise ModelError(
            "run.animate needs the model, which this result does not know. Load a file with "
            "Trajectory.load(path, model=model); a run of integrate(...) has no bodies to be shown."
        )
    if not hasattr(run.source, "system"):
        raise ModelError(
            f"the kinematics of '{run.title}' are written by hand: nothing is known of its joints. Write "
            "the transforms in a Model, and animate its run."
        )
    if len(run) and not np.isfinite(run.q[:, ~run.first_order]).all():
        raise ModelError("the run holds coordinates that are not finite: there is nothing to be shown.")
    return shown_at(
        run, _instants(run, frames_per_second, every), scene, trace=trace, plots=plots, follow=follow, ghost=ghost,
        arrows=arrows, colour=colour, speed=speed, backend=backend,
    )  # fmt: skip


def shown_at(
    run: Trajectory, t: np.ndarray, scene: Any = None, *, trace: Any = (), plots: Any = (), follow: Any = None,
    ghost: Any = None, arrows: Any = (), colour: Any = None, speed: Any = None, backend: str = "html",
) -> Any:  # fmt: skip
    """An animation of a run with these instants (s); the rest is documented at `animate`."""
    given = scene
    q, qd = motion.states_at(run, t)
    bodies = run.source.mechanism.bodies
    if scene is None:
        scene = scene_of(run.title or "run", run.source.system, t, q, qd)
    else:
        scene = a(Scene, scene, "scene", "a Scene, as from model.scene()").copy()
        if [frame.name for frame in scene.frames[1 : 1 + len(bodies)]] != [body.name for body in bodies]:
            raise ModelError(f"the scene of '{scene.title}' has other bodies than the run: make it of the same model.")
        scene.system = run.source.system  # with the parameters of the run
    add_paths(scene, trace, follow)
    scales = "" if isinstance(arrows, bool | tuple | None) and not arrows else add_arrows(scene, run, t, arrows)
    frames, _ = frames_and_tips(scene, t, q, qd)
    if colour is not None:
        bent.coloured(scene, frames, colour)
    plots = by_default(run) if plots is None else plots
    tips, shown = _tips(scene, run, t), curves(run, t, plots)
    if ghost is not None:
        other = a(Trajectory, ghost, "ghost", "a run of the same model")
        scene, behind = with_ghost(scene, other, t)
        scene.view = widened(scene.view, behind[:, : len(bodies), :3, 3], 0.12 * scene.size)
        frames = np.concatenate([frames, behind], axis=1)
        shown = beside(shown, curves(other, within(t, other), plots))
    if not np.isfinite(frames).all():
        raise ModelError("the mechanism cannot be assembled at every instant of the run: some frame is not finite.")
    if scales:
        for k, (start, line) in motion.lines(scene, frames, tips).items():
            if scene.parts[k].layer:  # short peaks may leave the picture
                usual = np.linalg.norm(line, axis=1) <= 1.2 * LONGEST * scene.size
                points = np.concatenate([start, (start + line)[usual]])
                scene.view = widened(scene.view, points, 0.02 * scene.size)
    if given is not None:  # it may have been made of the initial state alone
        some = motion.samples(len(t))
        nets = motion.surfaces(scene, frames[some], tips[some]).values()
        places = [frames[:, : len(bodies), :3, 3], *(net for net, _ in nets)]
        for points in places:
            scene.view = widened(scene.view, points[np.isfinite(points).all(axis=-1)], 0.12 * scene.size)
    speed = _speed(float(t[-1] - t[0])) if speed is None else positive(speed, "speed")
    note = " ".join(filter(None, (thinned(run, t), scales)))
    return played(scene, t, frames, tips, shown, speed, backend, run, note, motion.rates(scene, t, q, qd))


def add_paths(scene: Scene, trace: Any, follow: Any) -> None:
    """Paths of points, and a body to follow, as `animate` takes them."""
    for body, point in _points(trace):
        scene.add(body, Path(point, colour="vermilion" if isinstance(body, Ground) else None))
    if follow is not None:
        scene.look(follow=follow)


def played(
    scene: Scene, t: np.ndarray, frames: np.ndarray, tips: np.ndarray, curves: list[dict[str, Any]], speed: float,
    backend: str, run: Trajectory | None = None, note: str = "", rates: np.ndarray | None = None,
) -> Any:  # fmt: skip
    """The Animation of frames (N, k, 4, 4) and tips (N, m, 3) at equally spaced instants t (N,), or a film of it.

    A `note` is shown below the picture; `rates` (N, bodies, 2) are shown for the body that is clicked on.
    """
    data = data_of(scene, frames, tips)
    step = float(t[1] - t[0]) if len(t) > 1 else 0.0
    data["motion"] = motion_of(frames, float(t[0]), step, tips)
    if rates is not None:
        tops = np.maximum(rates.max(axis=0), 1e-12)
        whole = text_of(np.round(rates / tops * 65535), "<u2")
        data["motion"] |= {"rates": whole, "tops": [rounded(x, 9) for x in tops]}
    data["plots"], data["speed"], data["digits"] = curves, speed, digits_of(step)
    if note:
        data["note"] = note
    animation = Animation(scene, t, frames, tips, data, run)
    if backend == "matplotlib":
        from easydyn.visu import film

        return film.film(animation)
    return animation


def _instants(run: Trajectory, frames_per_second: Any, every: Any) -> np.ndarray:
    """Instants of the frames, at equal distances from the first to the last of the run."""
    start, end = float(run.t[0]), float(run.t[-1])
    duration = end - start
    if frames_per_second is not None and every is not None:
        raise InputError("animate got frames_per_second and every: expected one of the two.")
    if duration <= 0:
        return run.t[:1]
    if every is not None:
        count = duration / positive(every, "every")
    elif frames_per_second is not None:
        count = duration * positive(frames_per_second, "frames_per_second")
    else:
        count = min(MOST_FRAMES - 1, max(LEAST_FRAMES, duration * FRAMES_PER_SECOND))
    if count > 20000:
        raise InputError(f"{count:.0f} frames were asked for: expected at most 20000.")
    return np.linspace(start, end, max(2, round(count) + 1))


def _points(trace: Any) -> list[tuple[Any, Any]]:
    """Bodies and points of `trace`: a body, a name, a pair (body, point), or a list of them."""
    if isinstance(trace, str | Body) or _is_pair(trace):
        trace = [trace]
    if not is_listed(trace):
        raise InputError(f"trace={trace!r}: expected bodies, or pairs such as (body, (0, -0.5, 0)).")
    return [tuple(item) if _is_pair(item) else (item, (0, 0, 0)) for item in trace]


def _is_pair(item: Any) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and not isinstance(item[1], str | Body)


def _speed(duration: float) -> float:
    """Real time, unless the run would be over at once or take minutes."""
    if duration <= 0 or 0.5 <= duration <= 60:
        return 1.0
    ideal = duration / (4 if duration < 0.5 else 30)
    power = 10 ** np.floor(np.log10(ideal))
    return float(f"{max(k * power for k in (1, 2, 5) if k * power <= ideal * 1.001):.3g}")


def _tips(scene: Scene, run: Trajectory, t: np.ndarray) -> np.ndarray:
    """Vectors of the arrows at the instants of the frames."""
    formulas = [c for end in motion.arrow_ends(scene) if motion.is_formula(end) for c in end.vector]
    columns = [np.interp(t, run.t, column) for column in run.of(formulas).T] if formulas else [np.zeros((len(t), 0))]
    return motion.completed(scene, np.stack(columns, axis=1).reshape(len(t), -1, 3))


PALE = 0.3  # of the opacity


def within(t: np.ndarray, run: Trajectory) -> np.ndarray:
    """Instants (N,) of pictures; outside of a run, its first or last instant."""
    return np.clip(t, run.t[0], run.t[-1])


def with_ghost(scene: Scene, other: Trajectory, t: np.ndarray) -> tuple[Scene, np.ndarray]:
    """The scene with a second copy of all moving parts, and the matrices (N, k, 4, 4) of its frames.

    Raises ModelError for a run of other bodies.
    """
    bodies = [frame.name for frame in scene.frames if frame.is_body][1:]
    names = [] if other.source is None else [body.name for body in other.source.mechanism.bodies]
    if names != bodies or not hasattr(other.source, "system"):
        raise ModelError(
            f"ghost is a run of {', '.join(names) or 'no bodies'}, the animation shows {', '.join(bodies) or 'none'}: "
            "expected a run of the same model."
        )
    own = scene.copy()
    own.system = other.source.system
    times = within(t, other)
    frames, _ = frames_and_tips(own, times, *motion.states_at(other, times))
    found = scene.copy()
    found.frames += [Frame(_of(frame.name), frame.T, is_body=False) for frame in scene.frames[1:]]
    found.parts += [_pale(part) for part in scene.parts if _moves(part)]
    return found, frames


def _of(name: str) -> str:
    return name if name == "ground" else f"{name} (ghost)"


def _moves(part: Part) -> bool:
    """Whether a part moves with the run, without arrows: their vectors are those of the first run."""
    if part.kind == "between":
        return all(end.vector is None for end in part.ends) and any(end.frame != "ground" for end in part.ends)
    if part.net is not None:
        return bool(part.net.frames)
    return part.kind in ("solid", "path") and part.body != "ground"


def _pale(part: Part) -> Part:
    ends = tuple(replace(end, frame=_of(end.frame)) for end in part.ends)
    net = part.net
    if net is not None:  # what its colours say is that of the first run
        pairs = tuple((_of(a), _of(b)) for a, b in net.frames)
        net, ends = replace(net, frames=pairs, program=bent.plain(), scale=None), ()
    return replace(part, body=_of(part.body), ends=ends, net=net, opacity=PALE * part.opacity, ghost=True)


def beside(curves: list[dict[str, Any]], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Curves of two runs, as the player draws them: those of the second run pale, in the colours of the first."""
    for group, other in zip(curves, others, strict=True):
        for k, curve in enumerate(other["curves"]):
            group["curves"].append(curve | {"name": f"{curve['name']} (ghost)", "of": k})
    return curves
