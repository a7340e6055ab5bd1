"""Inverse kinematics: coordinates with which frames stand where they should, by damped least squares.

    (J' J + r'r m I) dq = -J' r,        J dq = -g where loops are closed

r holds what positions (beside a length of the mechanism) and attitudes (rotation vectors) lack, J are the geometric
Jacobians of the frames (eq. 5). The damping falls with the square of what lacks (Levenberg, Marquardt; Sugihara 2011),
so that the last steps are Newton's. Coordinates at a limit stay there as long as they would pass it. Where the search
comes to no end it begins again from other coordinates, which are random, with a fixed seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import atan2, hypot
from typing import Any, NamedTuple

import numpy as np

from easydyn.arguments import answers
from easydyn.engine.jacobians import Placing, frame_of
from easydyn.errors import InputError
from easydyn.inputs import a, a_model, by_name, coordinates_of, finite, finite_array, name_in, real_array, shown, whole
from easydyn.vec import Transform

EXACT = 1e-13  # of what lacks, in rad or beside the size: where rounding begins
REACHED = 1e-9  # rad, or beside the size
STEPS = 60  # from one start
SLOW, LITTLE = 5, 0.9  # so many steps in a row that leave more than this of what lacks: a dead end
WEAK, SHARE = 0.02, 0.1  # of the largest singular value, in a singular direction; of what lacks, along it
TINY = 1e-15  # of J'J: so that it can be solved where J is singular
LOOPS = 1e3  # how much loops count beside targets in a step
NEAR = 0.05  # of the range: from so near to the given coordinates the second start is


class Goal(NamedTuple):
    """Where a frame should be: m positions (m, 3) in m, and attitudes (m, 3, 3) or None, with weights for both."""

    name: str
    frame: Transform
    e: np.ndarray
    R: np.ndarray | None
    path: bool
    weights: tuple[float, float]


@answers
@dataclass(frozen=True, eq=False)
class InverseKinematics(Mapping[str, Any]):
    """Coordinates with which frames stand where they should, by the method of Levenberg and Marquardt.

    It is a dict of the coordinates, as `simulate(initial=...)` takes it.

    Attributes
    ----------
    names : tuple of str
        The coordinates.
    q : array (n,) or (m, n)
        Their values (m, rad), of one target or along a path.
    missed : array (2,) or (m, 2)
        The largest distance (m) and the largest angle (rad) that are left.
    reached : bool
        True if nothing is left, at any target.
    message : str
        A sentence; if a target is missed it names limits that hold, and directions in which nothing moves.
    jumps : tuple of int
        Places in the path at which the coordinates do not go on from those before.

    Example
    -------
    >>> from easydyn import examples
    >>> found = examples.double_pendulum().inverse_kinematics({"upper arm": (0.6, 0, 0)})
    >>> found.reached, round(found["q1"], 4)
    (True, 1.5708)
    """

    names: tuple[str, ...]
    q: np.ndarray
    missed: np.ndarray
    reached: bool
    message: str
    jumps: tuple[int, ...] = ()

    def __getitem__(self, name: Any) -> Any:
        own = name_in(name, self.names, "there is no coordinate {!r}: there are {}.")
        values = self.q[..., self.names.index(own)]
        return values if values.ndim else float(values)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        lines = [f"Inverse kinematics: {self.message}"]
        if self.q.ndim == 1:
            width = max(map(len, self.names))
            lines += [f"  {name:<{width}} = {x:.10g}" for name, x in zip(self.names, self.q, strict=True)]
        return "\n".join(lines)


@answers
def inverse_kinematics(
    model: Any, targets: Mapping[Any, Any], *, initial: Mapping[str, Any] | None = None, limits: Any = True,
    weights: Mapping[Any, Any] | None = None, hold: Any = (), parameters: Mapping[str, Any] | None = None,
    t: float = 0.0, attempts: int = 100, target: str = "auto",
) -> InverseKinematics:  # fmt: skip
    """Find coordinates with which frames stand where they should, by damped least squares with exact Jacobians.

    Loops stay closed. The nearest way from the initial values is tried first, then others.

    Parameters
    ----------
    model : Model
        The model.
    targets : dict
        Of frames (a body, its name, or a transform such as `hand.T * tdisp(0, 0, 0.1)`) and where each should be: a
        transform or a matrix (4, 4), or a point (3,) in m, for the position alone. Arrays (m, 4, 4) or (m, 3) are a
        path: each search begins where the one before has ended.
    initial : dict, optional
        Where the search begins, if it differs from the model's initial values (m, rad).
    limits : bool or dict
        {"q1": (-1, 2), "q2": (0, np.inf)} (m, rad) beside those of the joints of a robot's file (`model.joints`);
        False: none at all.
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
    The Jacobian holds the partial contributions of eq. (5).

    Example
    -------
    >>> from easydyn import examples
    >>> pendulum = examples.double_pendulum()
    >>> found = pendulum.inverse_kinematics({"lower arm": (0.5, -1.2, 0)}, initial={"q1": 0.1, "q2": 0.5})
    >>> found.reached, [round(x, 4) for x in found.values()]
    (True, [-0.0417, 1.6106])
    """
    goals = _goals(a_model(model, "model"), targets, weights)
    time, values = finite(t, "t"), model.values(parameters)
    at = model.solver.constraints_at(values, time, target=target)
    q = model.initial(by_name(initial, "initial", '{"q1": 0.3}'), values)[0][: at.n]
    held = coordinates_of(hold, "hold", model.mechanism.coordinates)
    free = np.array([name not in held for name in at.names])
    search = Search(at, goals, _limits(model, limits, at.names), free, q)
    found = [search.nearest(q, 0, whole(attempts, "attempts", 100_000))]
    for k in range(1, len(goals[0].e)):
        found.append(search.nearest(found[-1][0], k, attempts))
    return search.result(found, any(goal.path for goal in goals))


class Search:
    """The search from one state to the next; `at` has the constraints of the model, `goals` where frames should be."""

    def __init__(self, at: Any, goals: Sequence[Goal], limits: np.ndarray, free: np.ndarray, q: np.ndarray):
        self.at, self.goals, self.limits, self.free = at, goals, limits, free
        self.size, self.looped = at.size(q), bool(at.mechanism.constraints)
        self.n, self._none = at.n, np.zeros(at.system.n)
        self._whole, self._rest = self._none.copy(), at.rest
        self._key = Placing(tuple(goal.frame for goal in goals))
        self.bounded = bool(np.isfinite(limits).any() or not free.all())
        self.columns = np.where(at.angles, 1.0, self.size)  # steps in units of these are alike
        kinds = [1 + (goal.R is not None) for goal in goals]  # a position, and an attitude
        self.weights = np.concatenate([np.repeat(g.weights[:m], 3) for g, m in zip(goals, kinds, strict=True)])
        self._units = np.concatenate([np.repeat([1 / self.size, 1.0][:m], 3) for m in kinds])
        self._scales = (self.weights * self._units)[:, None] * self.columns

    def nearest(self, q: np.ndarray, k: int, starts: int) -> tuple[np.ndarray, tuple[float, float], bool]:
        """Coordinates that reach target k from q, what they lack, and whether another start was needed."""
        low, high = self.limits
        best, least, why = q, np.inf, False
        for start, guess in enumerate(self._starts(q, k, starts)):
            x, lacks = self._from(np.where(self.free, np.minimum(np.maximum(guess, low), high), q), k)
            if lacks < least:
                best, least, why = x, lacks, start > 1
            if least <= REACHED:
                break
        else:
            best, least = self._from(best, k, patience=STEPS)
        if self.looped:  # what is missed must not leave them open
            best = self.at.place(best, [name for name, free in zip(self.at.names, self.free, strict=True) if not free])
        turns = np.where(self.at.angles & self.free, 2 * np.pi, 0.0)
        back = best - turns * np.round((best - q) / (2 * np.pi))
        back = np.where((low <= back) & (back <= high), back, best)
        best = back if (back != best).any() and abs(self._lacking(back, k)[2] - least) <= EXACT else best
        return best, self._missed(best, k), why

    def _starts(self, q: np.ndarray, k: int, count: int) -> Iterator[np.ndarray]:
        """Where the search begins: at q, beside it, then anywhere."""
        yield q
        (low, high), generator = self.limits, np.random.default_rng(k)
        both, wide = np.isfinite(high - low), np.where(self.at.angles, 2 * np.pi, 2 * self.size)
        low = np.where(both, low, np.maximum(low, np.minimum(q + wide / 2, high) - wide))
        high = np.where(both, high, low + wide)
        for start in range(1, count):
            chance = generator.uniform(-0.5, 0.5, self.n) * (high - low)
            yield q + NEAR * chance if start == 1 else (low + high) / 2 + chance

    def _at(self, x: np.ndarray, k: int) -> Iterator[tuple[Goal, list[float], list[float], np.ndarray]]:
        """Of each goal: what the position lacks (m), the rotation vector that an attitude lacks, the Jacobian."""
        self._whole[: self.n] = x
        numbers = self.at.system.at(self._key, self.at.t, self._whole, self._rest, self._none)
        for goal, own in zip(self.goals, numbers.reshape(len(self.goals), -1), strict=True):
            j = min(k, len(goal.e) - 1)
            turned = [] if goal.R is None else _rotation_vector(own[3:12].reshape(3, 3) @ goal.R[j].T)
            yield goal, (own[:3] - goal.e[j]).tolist(), turned, own[12:].reshape(6, self.n)

    def _missed(self, x: np.ndarray, k: int) -> tuple[float, float]:
        found = list(self._at(x, k))
        return max(hypot(*e) for _, e, _, _ in found), max(hypot(*turned) for _, _, turned, _ in found)

    def _lacking(self, x: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, float]:
        """r, its derivatives by the columns, and the largest entry without weights; loops that are open count."""
        left: list[float] = []
        slopes = []
        for _, e, turned, J in self._at(x, k):
            left += e
            left += turned
            slopes.append(J if turned else J[:3])
        r = self._units * left
        most = max(map(abs, r.tolist()))
        if self.looped:
            most = max(most, float(np.abs(self._open(x)).max(initial=0.0)) / self.size)
        J = slopes[0] if len(slopes) == 1 else np.concatenate(slopes)
        return self.weights * r, J * self._scales, most

    def _open(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(self.at.values(x)[self.at.of_place])

    def _from(self, x: np.ndarray, k: int, patience: int = SLOW) -> tuple[np.ndarray, float]:
        """Where the steps from x lead, and what is lacking there."""
        low, high = self.limits
        r, J, most = self._lacking(x, k)
        if not np.isfinite(most):
            return x, np.inf
        damping, slow, before = 3e-3, 0, self._merit(r, x)
        for _ in range(STEPS + patience):
            if most <= EXACT or slow > patience:
                break
            new = self._step(x, r, J, damping * before, low, high)
            r_new, J_new, most_new = self._lacking(new, k)
            after = self._merit(r_new, new)
            if after < before:
                slow = slow + 1 if after > LITTLE**2 * before else 0
                x, r, J, most, before = new, r_new, J_new, most_new, after
                damping = max(damping / 2, 1e-6)
            else:
                slow += most <= REACHED  # rounding
                damping *= 6
                if damping > 1e8:
                    break
        return x, most

    def _merit(self, r: np.ndarray, x: np.ndarray) -> float:
        """What is to fall: the squares of what targets and loops lack."""
        square = float(r @ r)
        if self.looped:
            g = self._open(x) / self.size
            square += LOOPS * float(g @ g)
        return square

    def _step(
        self, x: np.ndarray, r: np.ndarray, J: np.ndarray, damping: float, low: np.ndarray, high: np.ndarray
    ) -> np.ndarray:
        """The next coordinates, within their limits."""
        if not self.bounded and not self.looped:
            return x + self.columns * _damped(J, r, damping)
        free = self.free.copy()
        while True:
            step = np.zeros(self.n)
            if self.looped:
                A = self.at.jacobian(x)[self.at.of_place][:, free] * self.columns[free]
                U, s, V = np.linalg.svd(A)
                rank = int(np.sum(s > 1e-9 * s.max(initial=1e-300)))
                closing = -V[:rank].T @ ((U[:, :rank].T @ self._open(x)) / s[:rank])
                N = V[rank:].T
                step[free] = closing + N @ _damped(J[:, free] @ N, r + J[:, free] @ closing, damping)
            else:
                step[free] = _damped(J[:, free], r, damping)
            new = x + self.columns * step
            if not self.bounded:
                return new
            beyond = free & ((new < low) & (x <= low) | (new > high) & (x >= high))
            if not beyond.any():
                return np.where(free, np.minimum(np.maximum(new, low), high), x)
            free &= ~beyond

    def result(self, found: Sequence[tuple[np.ndarray, tuple[float, float], bool]], path: bool) -> InverseKinematics:
        """What came of it, with a sentence."""
        q, left = np.array([x for x, _, _ in found]), np.array([lacks for _, lacks, _ in found])
        jumps = tuple(k for k, (_, _, again) in enumerate(found) if again and k)
        share = left[:, 0] / self.size + left[:, 1]
        k, bad = int(np.argmax(share)), int(np.sum(share > REACHED))
        sentence = f"all {len(q)} targets are reached." if path else "reached."
        if bad:
            far = " and ".join(f"{x:.4g} {unit}" for x, unit in zip(left[k], ("m", "rad"), strict=True) if x > REACHED)
            which = f"{bad} of {len(q)} targets are missed, number {k} is" if path else "the target is missed"
            sentence = f"{which} by {far}: {self._why(q[k], k)}."
        sentence += f" It jumps at {', '.join(map(str, jumps[:5]))}{', ...' * (len(jumps) > 5)}." if jumps else ""
        every = (q, left) if path else (q[0], left[0])
        return InverseKinematics(tuple(self.at.names), every[0], every[1], not bad, sentence, jumps)

    def _why(self, x: np.ndarray, k: int) -> str:
        low, high = self.limits
        found = [f"{name} is at its limit {y:.6g}" for name, y, a, b in zip(self.at.names, x, low, high, strict=True)
                 if y in (a, b)]  # fmt: skip
        for goal, e, turned, J in self._at(x, k):
            for of, share, what in ((np.array(e), J[:3], "move"), (np.array(turned), J[3:], "turn")):
                if not of.any():
                    continue
                U, s, _ = np.linalg.svd(share[:, self.free] * self.columns[self.free])
                strong = U[:, : int(np.sum(s > WEAK * s.max(initial=1e-300)))]
                lost = of - strong @ (strong.T @ of)
                if np.linalg.norm(lost) > SHARE * np.linalg.norm(of):
                    axis = ", ".join(f"{round(v, 3) + 0.0:g}" for v in -lost / np.linalg.norm(lost))
                    found.append(f"{goal.name} cannot {what} {'along' if what == 'move' else 'about'} ({axis}) there")
        return "; ".join(found) or "no coordinates nearby bring it closer, it may be out of reach"


def _damped(H: np.ndarray, r: np.ndarray, damping: float) -> np.ndarray:
    """The least x of min |H x + r|^2 + damping |x|^2."""
    from scipy.linalg.lapack import dposv

    wide, flat = H.shape[0] < H.shape[1], H.ravel()
    matrix = H @ H.T if wide else H.T @ H
    diagonal = matrix.reshape(-1)[:: len(matrix) + 1]
    diagonal += damping + TINY * float(flat @ flat) + 1e-300
    x = dposv(matrix, r if wide else H.T @ r)[1] if H.size else np.zeros(H.shape[1])  # all at their limits
    return np.asarray(-H.T @ x if wide else -x)


def _rotation_vector(S: np.ndarray) -> list[float]:
    """The rotation vector (3) in rad of a rotation matrix."""
    (a, b, c), (d, e, f), (g, h, i) = S.tolist()
    u = (h - f) / 2, (c - g) / 2, (d - b) / 2
    size, cosine = hypot(*u), (a + e + i - 1) / 2
    if size > 1e-6 or cosine > 0:
        scale = atan2(size, cosine) / size if size > 1e-12 else 1.0
        return [x * scale for x in u]
    M = (S + S.T) / 2 + np.eye(3)  # half a turn: S = 2 u u' - 1
    axis = M[int(np.argmax(np.diag(M)))]
    return list(np.pi * axis / np.linalg.norm(axis))


# -- what is asked -----------------------------------------------------------------------------------------------------


def _goals(model: Any, targets: Any, weights: Any) -> list[Goal]:
    if not isinstance(targets, Mapping) or not targets:
        raise InputError(
            f"the targets are {shown(targets)}: expected a dict of frames and where they should be, "
            '{"hand": tdisp(0.3, 0, 0.5)} or {hand: (0.3, 0, 0.5)}.'
        )
    own, found = a(Mapping, {} if weights is None else weights, "weights", "a dict such as {hand: (1, 0.1)}"), []
    for frame, where in targets.items():
        body = model[frame] if isinstance(frame, str) else frame
        name = getattr(body, "name", "the frame")
        given = finite_array(own.get(frame, (1.0, 1.0)), f"the weight of {name}")
        if given.shape not in ((), (2,)) or (given <= 0).any():
            raise InputError(
                f"the weight of {name} is {shown(given)}: expected a number above zero, or two, of the position and of "
                "the attitude."
            )
        pair = np.broadcast_to(given, (2,)).tolist()
        found.append(Goal(name, frame_of(body, "a frame of the targets"), *_place(where, name), (pair[0], pair[1])))
    lengths = {len(goal.e) for goal in found} - {1}
    if len(lengths) > 1:
        raise InputError(f"the paths have {', '.join(map(str, sorted(lengths)))} targets: expected as many of each.")
    return sorted(found, key=lambda goal: -len(goal.e))


def _place(where: Any, name: str) -> tuple[np.ndarray, np.ndarray | None, bool]:
    """Positions (m, 3), attitudes (m, 3, 3) or None for points, and whether they are a path."""
    if not (isinstance(where, Transform) and where.free_symbols):
        given = np.array(where, dtype=float) if isinstance(where, Transform) else where
        x = finite_array(given, f"the target of {name}")
        if x.size and x.shape[-2:] == (4, 4) and x.ndim < 4:
            T = x.reshape(-1, 4, 4)
            R = T[:, :3, :3]
            if np.abs(np.swapaxes(R, 1, 2) @ R - np.eye(3)).max() < 1e-6 and (np.linalg.det(R) > 0).all():
                return T[:, :3, 3], R, x.ndim == 3
        elif x.size and x.shape[-1:] == (3,) and x.ndim < 3:
            return x.reshape(-1, 3), None, x.ndim == 2
    raise InputError(
        f"the target of {name} is {shown(where)}: expected a transform of numbers, a matrix (4, 4) with a rotation in "
        "it, a point (3,), or many of them, (m, 4, 4) or (m, 3)."
    )


def _limits(model: Any, given: Any, names: Sequence[str]) -> np.ndarray:
    """The limits (2, n) of all coordinates, infinite where there are none."""
    joints = [j for j in model.joints.values() if given is not False and j.limits and len(j.coordinates) == 1]
    known: dict[str, Any] = {str(j.coordinates[0]): j.limits for j in joints}
    if not isinstance(given, bool):
        known |= by_name(given, "limits", '{"q1": (-1, 2)}, True or False')
    found = np.array([[-np.inf] * len(names), [np.inf] * len(names)])
    for name, given_pair in known.items():
        pair = real_array(given_pair, f"the limits of {name}")
        if name not in names or pair.shape != (2,) or not -np.inf < pair[1] >= pair[0] < np.inf:
            raise InputError(
                f"limits has {name!r}: {shown(given_pair)}: expected a pair (low, high) of coordinates of the model, "
                f"{', '.join(names)}."
            )
        found[:, names.index(name)] = pair
    return found
