"""Closed forms of loops over every joint: none leaves a nonlinear equation, and the motion is that by multipliers."""

import numpy as np
import pytest
from mechanisms.hexapod import hexapod

from easydyn import GeneralizedForce, Model, tdisp, trotx, troty, trotz

ROD = {"mass": 1, "inertia": (0.02, 0.03, 0.04)}
TIGHT = {"method": "dop853", "tolerance": 1e-11, "target": "python", "save_every": 0.05}


def inverted_slider_crank():
    """A rod on a crank slides, beside the pivot, through a block that turns; two unknown angles that only add up."""
    model = Model("inverted slider-crank", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(0.7, -0.9, -0.2), rates=(2, 0, 0))
    crank = model.body("crank", trotz(a), **ROD)
    rod = model.body("rod", crank.T * tdisp(0.3, 0, 0) * trotz(b), com=(0.2, 0, 0), **ROD)
    block = model.body("block", tdisp(1, 0, 0) * trotz(c), **ROD)
    model.close(rod, (block, (0, 0.1, 0)), joint="prismatic", axis="x", name="slide")
    return model


def two_slides():
    """A rod between two slides, one of them welded on: an angle and two lengths."""
    model = Model("two slides", gravity=(0, -9.81, 0))
    a, x, b, y = model.coordinates("a x b y", initial=(0.5, 0.8, -0.4, -0.3), rates=(1, 0, 0, 0))
    first = model.body("first", trotz(a) * tdisp(x, 0, 0) * trotz(b), **ROD)
    second = model.body("second", tdisp(0.8, 0, 0) * tdisp(0, y, 0), **ROD)
    model.close(first, (second, (0.1, 0.2, 0)), joint="weld", name="weld")
    return model


def pins_that_slide():
    """A four-bar whose last pin may slide along itself."""
    model = Model("four-bar", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(1.2, -0.9, 1.5), rates=(2, 0, 0))
    crank = model.body("crank", trotz(a), **ROD)
    coupler = model.body("coupler", crank.T * tdisp(0.3, 0, 0) * trotz(b), **ROD)
    rocker = model.body("rocker", tdisp(0.9, 0, 0) * trotz(c), **ROD)
    model.close((coupler, (0.8, 0, 0)), (rocker, (0.6, 0, 0)), joint="cylindrical", name="pin")
    return model


def free_body(joint):
    """A body with six coordinates on a crank that is inclined: what the joint leaves is free, the rest follows."""
    def build():
        model = Model(f"free body, {joint}", gravity=(0, 0, -9.81))
        a, w, v, u, *place = model.coordinates("a w v u x y z", initial=(0.4, 0.3, 0.2, 0.1, 0.4, 0.2, 0.1),
                                               rates=(2, 0, 0, 0, 0, 0, 0))  # fmt: skip
        crank = model.body("crank", trotx(0.3) * trotz(a), **ROD)
        body = model.body("body", tdisp(*place) * trotz(w) * troty(v) * trotx(u), **ROD)
        model.close((crank, (0.5, 0, 0)), (body, (-0.2, 0.1, 0)), joint=joint, name="joint")
        return model
    return build


CASES = {
    "inverted slider-crank": inverted_slider_crank, "two slides": two_slides, "pins that slide": pins_that_slide,
    **{f"free body, {joint}": free_body(joint) for joint in (
        "weld", "revolute", "prismatic", "cylindrical", "spherical", "universal", "planar",
    )},
}  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", CASES)
def test_no_nonlinear_equation_is_left(name):
    model = CASES[name]()
    told = model.closures()
    assert told.nonlinear == 0, told
    one, other = (model.simulate(0.1, constraints=form, **TIGHT) for form in ("reduced", "multipliers"))
    assert np.ptp(other.q, axis=0).max() > 0.05
    np.testing.assert_allclose(one.q, other.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.qd, other.qd, rtol=0, atol=1e-8)


def test_a_hexapod_with_its_struts_known_is_solved_by_iteration():
    """Direct kinematics: one angle of the platform is left to an equation of its own, and the struts' angles."""
    told = hexapod()[0].closures({f"s{k}": 1.2 for k in range(6)})
    assert told.independent == tuple(f"s{k}" for k in range(6))
    assert told.nonlinear == 5 and {q for loop in told.loops for q in loop.iterated} == set("xyzab")


def test_a_table_in_words():
    told = inverted_slider_crank().closures()
    assert str(told).splitlines() == [
        "loop   coordinates that follow                               nonlinear equations",
        "slide  c as an angle (two solutions), then b as a direction  0",
        "Known: a. Nonlinear equations left: 0.",
    ]
    assert "then b as a direction" in told._repr_html_() and told.order == ("c", "b")


def test_why_runs_take_multipliers_is_told():
    model = inverted_slider_crank()
    model.add(GeneralizedForce(model.symbols["c"], -2 * model.symbols["c"]))  # a spring that counts whole turns
    told = model.closures()
    assert told.nonlinear == 2 and told.loops[0].way == "b, c by Newton's iteration"
    assert "Runs take multipliers: an angle that follows stands in a law as it is, not in sines" in str(told)
