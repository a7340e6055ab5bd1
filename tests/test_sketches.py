"""Every exercise's statement has its sketch, drawn by easydyn, with the names that it uses; and how it is shown."""

import importlib.util
import itertools
import re
from pathlib import Path

import pytest
from matplotlib import pyplot
from together import together

from easydyn.__main__ import main
from easydyn.course import exercises, find
from easydyn.course.catalogue import start
from easydyn.course.report import in_letters, on_console

ROOT = Path(__file__).resolve().parent.parent
PICTURE = re.compile(r"^!\[(.{20,})\]\(sketch\.png\)$", re.MULTILINE)
# What has to be labelled: the coordinates and lengths of the statement.
LABELS = {
    "01_frames": {"$q_{1}$", "$q_{2}$"}, "02_velocity": {"$x$", r"$\phi$", "$l$"},
    "03_contributions": {"$s$", "$q$", "$l$"}, "04_dalembert": {"$q$", "$l$"}, "05_newmark": {"$q$"},
    "06_double_pendulum": {"$q_{1}$", "$q_{2}$"}, "07_slider_crank": {"$q$", r"$\alpha$", "$x$", "$l_{1}$", "$l_{2}$"},
    "08_jack": {"$m$", "$k$"}, "09_spatial": {"$a$", "$-b$"}, "10_force_element": set(),
    "11_small_motions": {"$q$", "$l$"}, "12_control": set(), "13_motors": {"$q$"},
    "14_mass_distribution": {"$W$"}, "15_eulers_equations": {r"$\vartheta$", r"$\psi$"},
    "16_freedoms_and_loops": {"$a$", "$-b$", "$c$", "$r_{1}$", "$r_{2}$", "$r_{3}$"},
    "17_multipliers": {"$x_{1}$, $y_{1}$", "$x_{2}$, $y_{2}$"}, "18_rolling": {"$x$, $y$"},
        "19_quaternions": {r"$\varphi$"},
    "20_friction_and_impacts": {"$x$"}, "21_robot": {"$q_{1}$", "$q_{2}$"},
    "22_beam": {"$w_{1}$", "$p_{1}$", "$w_{2}$", "$-p_{2}$", "$L$"},
    "23_parts_that_bend": {"$w_{2}$", "$p_{2}$", "$L$"},
    "24_study": {"$q$", "$l$"}, "25_inverse_kinematics": {"$q_{1}$", "$q_{2}$", "$q_{3}$", "$L_{1}$", "$L_{2}$"},
    "26_forces_and_moments": {"$x$", "$q$", "$l$"},
    "27_four_roads": {"$x$", "$s$"},
    "28_measured_and_simulated": {"$q$", "$l$"}, "29_relative_motion": {"$a$", "$b$", "$c$"},
    "31_walking_machine": {r"$\theta$", "O", "G"}, "32_car": {"$z$", "$w$", "$r$"},
    "30_cam": {"$q$", "$y$"}, "34_hoist": {"$-y$", "$-z$"}, "35_dominoes": {"$a$"},
    "33_robot_r3": {"$q_{1}$", "$-q_{2}$", "$q_{3}$"},
}  # fmt: skip
# Some are drawn at every change, all with the tests marked `long`.
drawn = pytest.mark.parametrize(
    "name", [pytest.param(x, marks=[] if x < "14" or x.startswith("16") else pytest.mark.long) for x in LABELS]
)


@pytest.fixture(scope="module")
def sketches():
    """docs/sketches.py."""
    spec = importlib.util.spec_from_file_location("sketches", ROOT / "docs" / "sketches.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.SKETCHES


def test_those_that_were_drawn_for_statements_are_there(sketches):
    assert set(sketches) == set(LABELS)
    assert {one.name for one in exercises()} == set(LABELS), "a statement has its sketch"
    for name in sketches:
        folder = ROOT / "exercises" / name
        assert len(PICTURE.findall((folder / "README.md").read_text(encoding="utf-8"))) == 1, name
        image = pyplot.imread(folder / "sketch.png")
        assert min(image.shape[:2]) > 60 and (image[..., :3].min(axis=2) < 0.5).any(), "there is ink on it"


POINTS = {"16_freedoms_and_loops": "OPD", "18_rolling": "CG", "07_slider_crank": "OAB"}  # that statements name


@pytest.mark.parametrize("name", ["01_frames", "14_mass_distribution", "16_freedoms_and_loops", "18_rolling"])
def test_no_label_is_on_another(sketches, name):
    """Texts overlap by at most a third of their height and width, and named points are in the picture."""
    figure, ax = pyplot.subplots(figsize=(4.6, 3.2))
    sketches[name](ax)
    figure.canvas.draw()
    boxes = {text: text.get_window_extent() for text in ax.texts if text.get_text()}
    for one, other in itertools.combinations(boxes, 2):
        a, b = boxes[one], boxes[other]
        across, upright = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        on = across > min(a.width, b.width) / 3 and upright > min(a.height, b.height) / 3
        assert not on, (one.get_text(), other.get_text())
    assert set(POINTS.get(name, "")) <= {text.get_text() for text in ax.texts}
    pyplot.close(figure)


@pytest.mark.one_in(3)
@drawn
def test_a_sketch_has_the_names_of_its_statement(sketches, name):
    figure, ax = pyplot.subplots(figsize=(4.6, 3.2))
    sketches[name](ax)
    written = {text.get_text() for text in ax.texts}
    assert LABELS[name] <= written, written
    figure.canvas.draw()
    title = ax.title.get_window_extent()
    assert not [x for x in ax.texts if x.get_window_extent().overlaps(title)], "what stands on its title"
    pyplot.close(figure)


@together("exercise", exercises(), ids=lambda one: one.name)
def test_a_statement_is_shown_on_a_console_in_plain_letters(exercise):
    shown = on_console(exercise.statement)
    assert not re.search(r"[\\$]|!\[", shown) and exercise.title in shown
    code = re.findall(r"`[^`\n]+`", exercise.statement)
    assert re.findall(r"`[^`\n]+`", shown) == code  # which is left as it stands
    hints = " ".join(on_console(hint) for k in range(1, len(exercise.stages) + 1) for hint in exercise.hints(k))
    assert hints and not re.search(r"[\\$]", re.sub(r"`[^`]+`", "", hints))


@together("latex, letters", [
    (r"\mathbf v_G = \mathbf v_P + \boldsymbol\omega\times\mathbf r", "v_G = v_P + omega x r"),
    (r"Q = C_d S_e\sqrt{2\,|\Delta p|/\rho}", "Q = C_d S_e sqrt(2 |Delta p|/rho)"),
    (r"2 r_3\,(u\cos c - P_y\sin c) = \mathbf 0 = 2\alpha\,\dot g", "2 r_3 (u cos c - P_y sin c) = 0 = 2 alpha g'"),
    (r"q_1 \dots q_6 = \pm 1", "q_1 ... q_6 = +-1"),
    (r"\ddot q_1 + \dot{\mathbf p} = \tfrac{1}{2} p_{E1}", "q_1'' + p' = (1)/(2) p_E1"),
])  # fmt: skip
def test_formulas_in_letters(latex, letters):
    assert in_letters(latex) == letters


def test_the_sketch_goes_along(tmp_path, capsys):
    """To the folder of a student, under the name that the statement there has; a second start keeps what is there."""
    script, statement = start(find(1), tmp_path)
    assert "](01_frames.png)" in statement.read_text(encoding="utf-8") and script.name == "01_frames.py"
    assert (tmp_path / "01_frames.png").read_bytes()[:4] == b"\x89PNG"
    assert main(["exercise", "02", "--statement"]) == 0
    assert "(A picture shows: Sketch: a cart at x" in capsys.readouterr().out
