"""A sketch never teaches a wrong sign: arrows of coordinates run in the sense in which these grow, or are labelled -q.

Whoever draws is asked for each arc and each arrow. That a coordinate grows in their sense is seen from the motion: from
the angular velocity, or the velocity, that its rate gives to the bodies.
"""

import runpy
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot

from easydyn import Model, examples, tdisp, trotz
from easydyn.visu import drafting, sketch

ROOT = Path(__file__).resolve().parent.parent
NAMES = sorted(examples.MODELS)


@pytest.fixture
def arrows(monkeypatch):
    """(text, kind, sense (3,)) of all arcs and arrows that sketches draw, with the model and its state."""
    drawn = []

    def begun(made, *given):
        drawn.append((made, []))
        return start(made, *given)

    def arc(paper, centre, first, axis, angle, text, radius):
        drawn[-1][1].append((text, "turn", np.sign(angle) * np.asarray(axis)))
        return draw_arc(paper, centre, first, axis, angle, text, radius)

    def dimension(paper, a, b, text, *given, **options):
        if options.get("both") is False:
            drawn[-1][1].append((text, "shift", np.subtract(b, a)))
        return draw_dimension(paper, a, b, text, *given, **options)

    start, draw_arc, draw_dimension = sketch.Sketch.__init__, drafting.Drafter.arc, drafting.Drafter.dimension
    monkeypatch.setattr(sketch.Sketch, "__init__", begun)
    monkeypatch.setattr(drafting.Drafter, "arc", arc)
    monkeypatch.setattr(drafting.Drafter, "dimension", dimension)
    return drawn


def frames(made, q):
    return [np.array(getattr(T, "matrix", T), dtype=float) for T in made.scene.system.frames(0.0, list(q))]


def rates(made, k):
    """(angular velocity, velocity) of each body, per rate of coordinate k, by differences."""
    q, small = np.array(made.scene.initial[0], dtype=float), 1e-6
    for before, after in zip(frames(made, q), frames(made, q + small * np.eye(len(q))[k]), strict=True):
        turn = (after[:3, :3] - before[:3, :3]) @ before[:3, :3].T / small
        yield np.array([turn[2, 1], turn[0, 2], turn[1, 0]]), (after[:3, 3] - before[:3, 3]) / small


def contradictions(drawn):
    """Arrows against the sense of their coordinate; and the number of those that were compared."""
    found, count = [], 0
    for made, arrows in drawn:
        names = {drafting.formula(str(q)): k for k, q in enumerate(made.m.unknowns)}
        for text, kind, sense in arrows:
            sign = -1 if text.startswith("$-") else 1
            k = names.get(text.replace("$-", "$"))
            if k is None:
                continue
            moves = [w if kind == "turn" else v for w, v in rates(made, k)]
            along = [float(x @ sense) for x in moves if np.linalg.norm(x) > 1e-3]
            if not along:
                continue
            count += 1
            if max(sign * x for x in along) < 0:  # a rotor behind gears may turn the other way
                found.append(f"{made.m.name}: {text}")
    return found, count


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", NAMES)
def test_sketches_of_examples(name, arrows):
    figure, ax = pyplot.subplots()
    getattr(examples, name)().scene().sketch(ax)
    pyplot.close(figure)
    found, _ = contradictions(arrows)
    assert not found, found


@pytest.mark.long
def test_sketches_of_exercises(arrows):
    for draw in runpy.run_path(str(ROOT / "docs" / "sketches.py"))["SKETCHES"].values():
        figure, ax = pyplot.subplots()
        draw(ax)
        pyplot.close(figure)
    found, count = contradictions(arrows)
    assert not found and count >= 25, (found, count)


@pytest.mark.parametrize("value", [-2.5, -0.6, 0, 0.6, 2.5, 4])
@pytest.mark.parametrize("sign", [1, -1])
def test_signs_of_a_pendulum_and_a_slider(value, sign, arrows):
    """With the coordinate, or its negative, in the products."""
    model = Model("both")
    q, x = model.coordinates("q x", initial=(value, value))
    model.body("slider", tdisp(sign * x, 0, 0), mass=1, inertia=(0, 0, 0.1))
    model.body("rod", tdisp(sign * x, 0, 0) * trotz(sign * q) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 1 / 12))
    figure, ax = pyplot.subplots()
    model.scene().sketch(ax)
    pyplot.close(figure)
    found, count = contradictions(arrows)
    assert not found and count == 2, (found, count, arrows[0][1])
    expected = "$-{}$" if value < 0 else "${}$"
    assert {expected.format(c) for c in "qx"} == {text for text, *_ in arrows[0][1]}
