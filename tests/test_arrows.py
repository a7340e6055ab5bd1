"""Arrows of forces and reactions: they balance what the bodies do, and stand where the forces act."""

import numpy as np
import pytest
from browser import Browser, program
from mistakes import explained

from easydyn import Force, GeneralizedForce, Model, RigidContact, Spring, examples, ground, tdisp, trotz
from easydyn.linkages import four_bar
from easydyn.visu import arrows as arrows_of
from easydyn.visu import motion
from easydyn.visu.arrows import FORCES, LONGEST, REACTIONS


def pendulum():
    model = Model("pendulum on a spring", gravity=(0, -9.81, 0))
    q1, q2 = model.coordinates("q1 q2", initial=(0.3, 0.9), rates=(1, -2))
    upper = model.body("upper", trotz(q1) * tdisp(0, -0.5, 0), mass=2, inertia=(0, 0, 0.2))
    elbow = trotz(q1) * tdisp(0, -1, 0)
    lower = model.body("lower", elbow * trotz(q2) * tdisp(0, -0.4, 0), mass=1, inertia=(0, 0, 0.1))
    model.add(
        Spring((lower, (0, -0.4, 0)), (ground, (1, 0, 0)), stiffness=40, free_length=0.5),
        Force(upper, (3, 0, 0), at=(0, 0.2, 0)), GeneralizedForce(q1, 1.5),
    )  # fmt: skip
    return model


def loop():
    model = Model("four-bar", gravity=(0, -9.81, 0))
    bars = four_bar(model, ground=0.9, crank=0.3, coupler=0.8, rocker=0.6, rate=4)
    model.add(GeneralizedForce(bars.coordinates["crank"], 2.0))
    model.add(Spring(bars.bodies["coupler"], ground, stiffness=30, free_length=0.2))
    return model


def sliding():
    model = Model("block", gravity=(0, -10, 0))
    x, y = model.coordinates("x y", rates=(2, 0))
    model.body("block", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(RigidContact(y, name="floor", restitution=0.2, friction=0.3, slip=x.dot))
    return model


def drawn(model, duration=0.4, arrows=True, **options):
    """The run, and of each arrow its name, tail and vector (N, 3), on scales that are undone."""
    run = model.simulate(duration, save_every=0.01, tolerance=1e-9, **options)
    animation = run.animate(arrows=arrows, every=0.01)
    found = motion.lines(animation.scene, animation.frames, animation.tips)
    parts = [(animation.scene.parts[k], start, line) for k, (start, line) in found.items()]
    return run, animation, [(part, start, line) for part, start, line in parts if part.layer]


def scale(animation, unit):
    """N, or N m, that an arrow of a metre stands for, as the note below the picture says."""
    words = animation.data["note"].replace(",", " ").rstrip(".").split()
    k = next(k for k, word in enumerate(words) if word == "for" and " ".join(words[k + 2 :]).startswith(unit + " ")
             or word == "for" and " ".join(words[k + 2 :]) == unit)  # fmt: skip
    return float(words[k + 1]) / float(words[k - 2])


def is_moment(part):
    return len(part.solid.nodes) > 100  # with a ring


@pytest.mark.one_in(2)
@pytest.mark.parametrize("make", [pendulum, examples.spatial_robot])
def test_what_acts_on_all_bodies_is_the_rate_of_momentum(make):
    """Weights, efforts and the joints on the ground: Newton for the whole, in numbers that the arrows are made of."""
    model = make()
    run = model.simulate(0.4, save_every=0.02, tolerance=1e-9)
    m = run.source.mechanism
    # efforts with a reaction on another body of the model cancel in the sum
    outer = [*arrows_of._forces(run, {FORCES}, []), *arrows_of._reactions(run, {REACTIONS}, [])]
    roots = [each for each in outer if each.layer == FORCES or each.name.split()[-1] in ("q1", "lift")]
    force = sum(each.f for each in roots)
    moment = sum(each.m + np.cross(each.p, each.f) for each in roots)
    needed, turned = 0.0, 0.0
    for body in m.bodies:
        ma = np.asarray(run.of(list(body.a * body.mass)))
        G = run.frames(body.name)[:, :3, 3]
        R = run.frames(body.name)[:, :3, :3]
        w, al = np.asarray(run.of(list(body.omega))), np.asarray(run.of(list(body.alpha)))
        phi = np.array([[float(c) for c in row] for row in body.inertia], dtype=float)
        phi = np.einsum("nij,jk,nlk->nil", R, phi, R)
        h = np.einsum("nij,nj->ni", phi, al) + np.cross(w, np.einsum("nij,nj->ni", phi, w))
        needed, turned = needed + ma, turned + h + np.cross(G, ma)
    assert force == pytest.approx(needed, abs=1e-14 * np.abs(needed).max())
    assert moment == pytest.approx(turned, abs=1e-14 * np.abs(turned).max())


@pytest.mark.one_in(2)
@pytest.mark.parametrize("constraints", ["reduced", "multipliers"])
def test_pins_of_a_loop_bear_no_moment_but_that_of_the_motor(constraints):
    run, animation, found = drawn(loop(), constraints=constraints)
    moments = {part.name: line for part, _, line in found if is_moment(part)}
    assert list(moments) == ["joint crank"]  # the motor of 2 N m acts on the coordinate
    per_metre = scale(animation, "N m")
    motor = np.broadcast_to((0, 0, 2.0), (41, 3))
    assert per_metre * moments["joint crank"] == pytest.approx(motor, rel=6e-3, abs=1e-6)
    closing = run.reaction("pin", minimum_norm=True).force
    (pin,) = [line for part, _, line in found if part.name == "pin"]
    assert scale(animation, "N") * pin == pytest.approx(closing, rel=6e-3, abs=1e-3 * np.abs(closing).max())


def test_an_arrow_begins_where_its_force_acts():
    run, _, found = drawn(pendulum())
    tails = {part.name: start for part, start, _ in found}
    tip = run.frames("lower") @ np.array([0, -0.4, 0, 1.0])
    assert tails["Spring on lower"] == pytest.approx(tip[:, :3], abs=1e-14)
    held = run.frames("upper") @ np.array([0, 0.2, 0, 1.0])
    assert tails["Force on upper"] == pytest.approx(held[:, :3], abs=1e-14)
    assert tails["joint q1"] == pytest.approx(np.zeros((41, 3)), abs=1e-12)
    elbow = run.frames("upper") @ np.array([0, -0.5, 0, 1.0])
    assert tails["joint q2"] == pytest.approx(elbow[:, :3], abs=1e-14)
    assert tails["weight of lower"] == pytest.approx(run.frames("lower")[:, :3, 3], abs=1e-14)


@pytest.mark.long
def test_contacts_are_told_from_joints():
    """Coulomb: a block that slides is pressed by its weight and held back by mu times that."""
    _, animation, found = drawn(sliding(), arrows="reactions")
    (_, start, line), = found
    assert scale(animation, "N") * line[5] == pytest.approx([-6, 20, 0], rel=5e-3, abs=1e-6)
    assert found[0][0].name == "contact of block"
    assert not any(part.name.startswith("joint") for part, _, _ in drawn(pendulum(), arrows="forces")[2])


def test_the_largest_force_but_for_peaks_has_the_length_that_is_told():
    _, animation, found = drawn(pendulum())
    sizes = [np.linalg.norm(line, axis=1) for part, _, line in found if not is_moment(part)]
    assert max(np.percentile(size, 90) for size in sizes) == pytest.approx(LONGEST * animation.scene.size, rel=1e-13)


def test_single_efforts_and_joints_can_be_chosen():
    model = loop()
    run = model.simulate(0.1)
    spring = next(effort for effort in run.source.mechanism.efforts if isinstance(effort, Spring))
    pin = run.source.mechanism.constraints[0]
    names = {part.name for part in run.animate(arrows=[spring, pin]).scene.parts if part.layer}
    assert names == {"Spring on coupler", "pin"}


def test_nothing_is_drawn_where_nothing_acts():
    model = Model("stone")
    x = model.coordinate("x", rate=1)
    model.body("stone", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    animation = model.simulate(1).animate(arrows=True)
    assert animation.data["note"] == "No force acts in this run: there are no arrows."
    assert not any(part.layer for part in animation.scene.parts)


def test_a_run_without_arrows_is_as_it_was():
    animation = pendulum().simulate(0.1).animate()
    assert not any(part.layer for part in animation.scene.parts) and "note" not in animation.data


test_mistake_is_explained = explained(__file__)


@pytest.mark.browser
@pytest.mark.skipif(program() is None, reason="no Chromium is installed")
def test_keys_and_buttons_switch_them(tmp_path):
    _, animation, _ = drawn(pendulum())
    path = animation.save(tmp_path / "page.html")
    with Browser(tmp_path) as browser:
        page = browser.open(path)
        player = "document.querySelector('.easydyn').easydyn"
        page.run(f"{player}.pause(), {player}.go(10)")
        every = page.still(page.box(".easydyn-stage"))
        page.key("e")
        without_forces = page.still(page.box(".easydyn-stage"))
        page.key("j")
        without = page.still(page.box(".easydyn-stage"))
        for a, b in ((every, without_forces), (without_forces, without)):
            assert (np.abs(a.astype(float) - b).max(axis=-1) > 40).sum() > 50
        assert page.run("document.querySelectorAll('[aria-label=\"Forces\"][aria-pressed=false]').length") == 1
        page.click("[aria-label='Forces']")
        page.click("[aria-label='Reactions of joints']")
        again = page.still(page.box(".easydyn-stage"))
        assert (np.abs(again.astype(float) - every).max(axis=-1) > 40).mean() < 0.002
        assert not page.console
