"""What a notebook shows of a model, a run, a system and a linearisation: pictures and tables, whatever is in them."""

import base64
import re
from html.parser import HTMLParser

import pytest
from matplotlib import pyplot

from easydyn import Model, examples, tdisp, trotz
from easydyn.result import rich


class Tags(HTMLParser):
    """Tags that are closed as they were opened; the texts of cells; pictures."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells, self.images = [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        if tag == "img":
            found = dict(attributes)
            kind, _, data = found["src"].partition(";base64,")
            assert kind == "data:image/png" and found["alt"]
            self.images.append(base64.b64decode(data))
        else:
            assert tag in ("div", "strong", "table", "tr", "td", "th", "p"), tag
            self.open.append(tag)
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.cells[-1] += data


@pytest.fixture(scope="module")
def pendulum():
    return examples.double_pendulum()


def shown(thing):
    before = pyplot.get_fignums()
    found = Tags(thing._repr_html_())
    assert pyplot.get_fignums() == before, "a figure stays open"
    assert all(image.startswith(b"\x89PNG") for image in found.images)
    return found


def test_a_model_is_a_sketch_and_tables(pendulum):
    found = shown(pendulum)
    assert len(found.images) == 1 and {"q1", "q2", "upper arm", "rad", "l1", "1.2"} <= set(found.cells)


def test_a_model_that_is_not_whole_is_shown_as_far_as_it_goes():
    assert shown(Model("empty")).cells[1] == "empty"
    model = Model("without a value", gravity=(0, -9.81, 0))
    q, l = model.coordinate("q"), model.parameter("l", None)
    model.body("<b>bob</b>", trotz(q) * tdisp(0, -l, 0), mass=1, inertia=(0, 0, 0))
    found = shown(model)
    assert found.images == [] and "<b>bob</b>" in found.cells and "not given" in found.cells
    assert any("no value for parameter l" in cell for cell in found.cells)


def test_a_model_of_equations_has_no_sketch():
    found = shown(examples.hydraulic_jack())
    assert found.images == [] and {"p1", "Pa", "x"} <= set(found.cells)


def test_a_run_is_a_plot_and_what_it_cost(pendulum):
    run = pendulum.simulate(1, save_every=0.01)
    found = shown(run)
    assert len(found.images) == 1 and {f"{run['q1'].min():.6g}", "finished: reached t = 1 s"} <= set(found.cells)
    assert shown(run.at(0.5)).images == [], "one instant is no curve"
    ball = shown(examples.bouncing_ball().simulate(1))
    assert any("the first is t = 0.4515" in cell for cell in ball.cells) and "0" in ball.cells, "noise is zero"


def test_a_system_says_what_evaluates_it(pendulum):
    found = shown(pendulum.compile("python"))
    assert {"python", "q1, q2", "upper arm, lower arm"} <= set(found.cells)
    assert any(re.fullmatch(r"\d+ mul, \d+ add, .*", cell) for cell in found.cells)


def test_a_linearization_shows_modes_poles_and_small_matrices(pendulum):
    lin = pendulum.linearize(at=[0, 0])
    found = shown(lin)
    assert f"{lin.modes()[0].frequency:.6g}" in found.cells and f"{lin.K[0, 0]:.6g}" in found.cells
    assert "q1 1, q2 0.47" in found.cells and "-0" not in found.cells


def test_long_tables_are_cut():
    found = rich.table(("x",), [(k,) for k in range(50)])
    assert found.count("<tr>") == rich.MOST_ROWS + 1 and "and 38 more" in found
    assert rich.table(("x",), []) == "" and "&lt;" in rich.table(("x",), [("<",)])
