"""Reports: the formulas that are printed are right, no line is too wide, every kind of file is whole.

The formulas are worked out in numbers and compared with the equations of the other scheme, and with SymPy's own motion
of the bodies; LaTeX itself judges the files where it is installed.
"""

import re
import shutil
import subprocess
import xml.etree.ElementTree as tree
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from matplotlib import pyplot
from mistakes import explained
from together import together

from easydyn import (
    Contact,
    GeneralizedForce,
    Model,
    Spring,
    Transform,
    examples,
    ground,
    rotation_sequence,
    shapes,
    t,
    tdisp,
    trot,
    trotx,
    troty,
    trotz,
)
from easydyn.errors import MissingDependencyError, SlowRunWarning
from easydyn.export.report import compose, content
from easydyn.export.report.document import Document, Formulas, Items, Listing, Paragraph, Table
from easydyn.export.report.html import mathml, width
from easydyn.export.report.naming import LINE, Names
from easydyn.export.report.tex import escaped, latex
from easydyn.export.report.typeset import named

PDFLATEX = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here")


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    assert not pyplot.get_fignums(), "a figure is left behind"


def strange():
    """Names that LaTeX, HTML and Markdown would take for commands; all kinds of things that a model may have."""
    model = Model("50% of_Größe & <b>$x$</b> #1", gravity=(0, -9.81, 0))
    y, angle = model.coordinates("y_ball Länge", initial=(1, 0.2))
    (m,) = model.parameters(mass_total=2.5)
    ball = model.body("Kugel_1 & Co. {100%}", tdisp(0, y, 0), mass=m, inertia=(m / 3, 0.1, 0.2, 0.01, 0, 0))
    swung = tdisp(0, y, 0) * trot((0, 1, 1), angle) * tdisp(t**2 / 100, 1, 0)
    model.body("arm \\alpha", swung, mass=0.1, inertia=(1, 1, 1), com=(0.1, 0, m / 10))
    u = model.input("u", unit="N")
    model.add(GeneralizedForce(y, u), Spring(ball, (ground, (1, 0, 0)), stiffness=30, free_length=0.2))
    model.output("height", 2 * y + sympy.sin(t), unit="m")
    model.event(y, direction=-1, action={y.dot: -0.8 * y.dot}, name="landed_hard %")

    @model.efforts
    def wind_blows(t, bodies):
        bodies["Kugel_1 & Co. {100%}"].R += 0.01 * bodies["Kugel_1 & Co. {100%}"].T.R.uy()

    return model


def arm():
    """Six axes in space, with centres of mass off the axes, products of inertia and an axis askew."""
    model = Model("arm", gravity=(0, 0, -9.81))
    q = model.coordinates("q1 q2 q3 q4 q5 q6", initial=(0, 0.3, 0.5, 0, 0.2, 0))
    T = Transform()
    for k, (turn, x) in enumerate(zip((trotz, troty, troty, trotx, troty, trotx), q, strict=True)):
        T = T * turn(x)
        inertia = (0.1, 0.2, 0.25, 0.01, 0.02, 0)
        model.body(f"link {k + 1}", T, mass=3 - 0.3 * k, inertia=inertia, com=(0.1, 0.02, 0.2))
        T = T * tdisp(0.2, 0, 0.4)
    return model


def driven():
    """A frame that is driven in time about an axis askew, with a force that jumps, and an input."""
    model = Model("driven", gravity=(0, 0, -9.81))
    q, s = model.coordinates("q s", initial=(-0.4, 0.3))
    (w,) = model.parameters(w=1.7)
    rod = model.body("rod", trot((1, 2, 2), w * t) * trotx(q) * tdisp(0, s, 0), mass=2, inertia=(0.3, 0.2, 0.4))
    u = model.input("u")
    jump = sympy.Piecewise((3, t < 0.5), (5 * q, t < 1.5), (u, True))
    model.add(
        GeneralizedForce(q, jump - 0.2 * sympy.Abs(q.dot) * q.dot), Spring(rod, ground, stiffness=20, free_length=1)
    )
    return model


def linkage():
    return examples.slider_crank(motor=True)


def document(model, run=None):
    return compose(model, run, None, True, True, [])


def value_of(e, numbers):
    """An expression in numbers; names of symbols with _ in place of dots."""
    e = sympy.sympify(e)
    symbols = sorted(e.free_symbols, key=str)
    given = [numbers[str(s).replace(".", "_")] for s in symbols]
    return float(sympy.lambdify([sympy.Symbol(str(s).replace(".", "_")) for s in symbols], e.xreplace(
        {s: sympy.Symbol(str(s).replace(".", "_")) for s in symbols}), "math")(*given))  # fmt: skip


# -- the formulas -----------------------------------------------------------------------------------------------------


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "make", [examples.double_pendulum, linkage, examples.spatial_robot, arm, driven, examples.hydraulic_jack]
)
def test_printed_equations_are_the_equations(make):
    """Definitions and formulas in numbers against the textbook's scheme, at a state with negative angles and a jump."""
    model = make()
    written = content.Content(model, {}, {}, False, True)
    eom = model.equations()
    definitions, right = written.names.of([*eom.M, *eom.h])
    n = len(model.names)
    rng = np.random.default_rng(5)
    for time in (0.3, 1.0, 2.1):
        q, qd = rng.uniform(-0.9, 0.9, n), rng.uniform(-2, 2, n)
        if model.name == "hydraulic jack":
            qd[1:] *= 1e6
        values = dict(zip(model.mechanism.parameters, model.values().values(), strict=True))
        values |= {sympy.Symbol("t", real=True): time} | dict.fromkeys(model.mechanism.inputs, 0.7)
        for j, x in enumerate(model.mechanism.coordinates):
            values |= {x: q[j], x.dot: qd[j]}
        for j, p in enumerate(model.mechanism.states, start=len(model.mechanism.coordinates)):
            values[p] = qd[j]
        numbers = {str(s).replace(".", "_"): float(v) for s, v in values.items()}
        for name, e in definitions:
            numbers[str(name)] = value_of(e, numbers)
        found = [value_of(e, numbers) for e in right]
        inputs = {str(u): 0.7 for u in model.mechanism.inputs}
        system = model.compile("python", "explicit", inputs=inputs)
        assert np.allclose(np.reshape(found[: n * n], (n, n)), system.mass_matrix(time, q), rtol=1e-9, atol=1e-9)
        h = system.residual(time, q, qd, np.zeros(n))
        assert np.allclose(found[n * n :], h, rtol=1e-9, atol=1e-9 * np.abs(h).max())


def test_the_double_pendulum_reads_as_in_a_textbook():
    written = content.Content(examples.double_pendulum(), {}, {}, False, True)
    eom = written.model.equations()
    definitions, right = written.names.of([*eom.M, *eom.h])
    q1, q2 = (s for s in written.model.mechanism.coordinates)
    l1, l2, m1, m2 = written.model.mechanism.parameters
    assert definitions == []
    expected = [
        m1 * l1**2 / 3 + m2 * l1**2 + m2 * l1 * l2 * sympy.cos(q2) + m2 * l2**2 / 3,
        m2 * l1 * l2 * sympy.cos(q2) / 2 + m2 * l2**2 / 3,
        m2 * l1 * l2 * sympy.cos(q2) / 2 + m2 * l2**2 / 3,
        m2 * l2**2 / 3,
        9.81 * (m1 / 2 + m2) * l1 * sympy.sin(q1) + 4.905 * m2 * l2 * sympy.sin(q1 + q2)
        - m2 * l1 * l2 * sympy.sin(q2) * (q1.dot * q2.dot + q2.dot**2 / 2),
        4.905 * m2 * l2 * sympy.sin(q1 + q2) + m2 * l1 * l2 * sympy.sin(q2) * q1.dot**2 / 2,
    ]  # fmt: skip
    assert all(sympy.expand(a - b).evalf(6, chop=True) == 0 for a, b in zip(right, expected, strict=True))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("make", [examples.spatial_robot, arm, driven, linkage, strange, examples.hydraulic_jack])
def test_no_line_is_too_wide(make):
    formulas = [f for block in document(make()).blocks if isinstance(block, Formulas) for f in block.formulas]
    assert len(formulas) >= 3
    for f in formulas:
        assert max(map(width, f.lines)) + width(f.left) <= LINE + 12, latex(f.left)


@pytest.mark.long
def test_what_is_used_twice_gets_a_name_and_what_is_short_does_not():
    written = content.Content(arm(), {}, {}, False, True)
    eom = written.model.equations()
    definitions, _ = written.names.of([*eom.M, *eom.h])
    names = [name for name, _ in definitions]
    assert len(set(names)) == len(names) > 20 and len({e for _, e in definitions}) == len(names)
    known = set()
    for name, e in definitions:
        assert not {s for s in e.free_symbols if s in names} - known, "defined before it is used"
        assert width(e) > 8
        known.add(name)
    again, _ = written.names.of(eom.M)
    assert again == [], "remembered"


def test_velocities_are_written_by_the_partial_contributions_that_stand_above_them():
    """v = d q.dot, a = d q.ddot + ... of a rod, and -d where that is meant; in numbers they are what they were."""
    model = examples.slider_crank()
    (q,), body = model.mechanism.coordinates, model.bodies[1]
    d, v, a = body.d[q][0], body.v[0], body.a[0]
    names, D = Names("z"), sympy.Symbol("D", real=True)
    before, (shown,) = names.of([d], [D])
    later, (v_shown, a_shown, back) = names.of([v, a, -d])
    assert before == [] and v_shown == q.dot * D and back == -D and D in a_shown.free_symbols
    values = {q: 0.7, q.dot: 1.3, q.ddot: -0.4}
    values |= zip(model.mechanism.parameters, model.values().values(), strict=True)
    values[D] = shown.subs(values)
    for name, e in later:
        values[name] = e.subs(values)
    for e, right in ((v_shown, v), (a_shown, a)):
        assert abs(float(e.subs(values) - right.subs(values))) < 1e-12


def test_letters_of_the_user_are_not_taken():
    model = Model("z")
    z, w = model.coordinates("z w")
    model.equation(z.ddot + w)
    model.equation(w.ddot + z)
    assert content.Content(model, {}, {}, False, True).names.letter == "g"


# -- typesetting ------------------------------------------------------------------------------------------------------

a, b, phi = sympy.symbols("a b phi", positive=True)


@together(("e", "expected"), [
    (a - b, "a-b"),
    (-a * (b + 1), r"-a\,\left(b+1\right)"),
    (a / (2 * b), r"\frac{a}{2\,b}"),
    (sympy.sqrt(a + 1), r"\sqrt{a+1}"),
    (sympy.sin(a) ** 2, r"\sin^{2}{\left(a\right)}"),
    (sympy.Float(1.5e-7) * a, r"1.5\cdot 10^{-7}\,a"),
    (sympy.Float(9.80665001), "9.80665"),
    (sympy.Abs(a - b) / 3, r"\frac{\left|{a-b}\right|}{3}"),
    (sympy.exp(-a), "e^{-a}"),
    (a ** (b + 1), r"a^{b+1}"),
    (sympy.Piecewise((a, b < 1), (2, True)), r"\begin{cases} a & \text{if}\: b<1 \\ 2 & \text{otherwise} \end{cases}"),
    (sympy.Max(a, b), r"\max\left(a, b\right)"),
    (sympy.atan2(a - 1, b - 2), r"\text{atan2}{\left(a-1,b-2\right)}"),
    (sympy.pi / 6, r"\frac{\pi}{6}"),
])  # fmt: skip
def test_latex_of_expressions(e, expected):
    assert latex(e).replace(" ", "") == expected.replace(" ", "")


@together(("name", "expected"), [
    ("q1", "q_{1}"), ("q1.dot", r"\dot{q}_{1}"), ("q12.ddot", r"\ddot{q}_{12}"), ("alpha_2", r"\alpha_{2}"),
    ("l_upper", r"l_{\mathrm{upper}}"), ("pE2", "p_{E2}"), ("turret", r"\mathrm{turret}"), ("Länge", r"\text{Länge}"),
    ("V01", "V_{01}"), ("x_1_2", "x_{1,2}"),
])  # fmt: skip
def test_names_in_latex(name, expected):
    found = latex(named(name))
    assert found == expected or found == expected.replace("E2", r"\mathrm{E2}")


def test_signs_of_latex_are_words_in_texts():
    assert escaped("50% a_b {x} $5 & #1 ~^\\") == (
        r"50\% a\_b \{x\} \$5 \& \#1 \textasciitilde{}\textasciicircum{}\textbackslash{}"
    )
    assert escaped("Größe in m/s² \u4e2d") == r"Größe in m/s\textsuperscript{2} [U+4E2D]"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("make", [strange, examples.spatial_robot, linkage])
def test_every_formula_is_well_formed_mathml(make, tmp_path):
    page = make().report(tmp_path / "x.html").read_text(encoding="utf-8")
    formulas = re.findall(r"<math.*?</math>", page)
    allowed = {"math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msup", "msub", "msqrt", "mover", "mtable",
               "mtr", "mtd"}  # fmt: skip
    assert len(formulas) > 50
    for text in formulas:
        root = tree.fromstring(text)
        assert {x.tag for x in root.iter()} <= allowed
        for x in root.iter():
            if x.tag in ("mfrac", "msup", "msub", "mover"):
                assert len(x) == 2, text
    assert "˙" not in mathml(named("q.dot")) and "<mover>" in mathml(named("q.dot"))


# -- files ------------------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """Whether every tag is closed where it must be, and what the page would load."""

    def __init__(self):
        super().__init__()
        self.open, self.sources = [], []

    def handle_starttag(self, tag, attributes):
        self.sources += [value for key, value in attributes if key in ("src", "href")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        assert tag == "mspace"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.long
def test_html_needs_nothing_but_itself(tmp_path):
    model = strange()
    with pytest.warns(SlowRunWarning):
        run = model.simulate(0.5, save_every=0.01, target="python")
    path = model.report(tmp_path / "report.html", run, title="A <title> & more")
    page = path.read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(page)
    assert not tags.open and len(tags.sources) >= 5
    assert all(source.startswith("data:image/png;base64,") for source in tags.sources)
    assert "http" not in re.sub(r"base64,[^\"]*", "", page) and "<script" not in page
    assert "A &lt;title&gt; &amp; more" in page and page.count("<img alt=") == len(tags.sources)
    assert "Kugel_1 &amp; Co. {100%}" in page and "<b>" not in page
    assert "landed_hard %" in page and "plain Python: wind_blows" in page
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.long
def test_markdown_and_its_pictures(tmp_path):
    model = examples.double_pendulum()
    run = model.simulate(0.2, save_every=0.01)
    text = model.report(tmp_path / "my report.md", run, figures=run.plot("q1.dot", x="q1")).read_text(encoding="utf-8")
    pictures = re.findall(r"!\[.*?\]\((.*?)\)", text)
    assert len(pictures) == 7 and all((tmp_path / name).stat().st_size > 5000 for name in pictures)
    assert "| $q_{1}$ | q1 | coordinate | rad | $0$ | $0$ |" in text
    assert text.count("$$") % 2 == 0 and text.count("\\begin{aligned}") == text.count("\\end{aligned}") > 5
    pyplot.close("all")


@pytest.mark.long
@PDFLATEX
@pytest.mark.filterwarnings("ignore::easydyn.errors.SlowRunWarning")
@pytest.mark.parametrize("make", [strange, arm])
def test_latex_compiles_and_nothing_stands_in_the_margin(make, tmp_path):
    model = make()
    run = model.simulate(0.05, save_every=0.01, target="python") if make is strange else None
    path = model.report(tmp_path / "a report_1.tex", run)
    assert {"amsmath", "graphicx", "booktabs", "geometry"} >= set(
        re.findall(r"\\usepackage(?:\[.*?\])?{(\w+)}", path.read_text(encoding="utf-8"))
    ) - {"fontenc", "inputenc", "textcomp", "lmodern"}  # the last one only where it is there
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", path.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
    log = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, log[-2000:]
    assert "Overfull \\hbox" not in log and "Missing character" not in log


def test_pdf_says_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"needs the program pdflatex.*report.tex"):
        examples.double_pendulum().report(tmp_path / "x.pdf")
    assert list(tmp_path.iterdir()) == []


# -- what is said -----------------------------------------------------------------------------------------------------


def texts(found: Document):
    parts = [block.text for block in found.blocks if isinstance(block, Paragraph)]
    return " ".join(x if isinstance(x, str) else " ".join(y for y in x if isinstance(y, str)) for x in parts)


def test_a_model_without_bodies():
    found = texts(document(examples.hydraulic_jack()))
    assert "no bodies" in found and "As they were declared" in found and "Kinematics" not in found


@pytest.mark.long
def test_frames_in_numbers_are_matrices_in_every_kind_of_file(tmp_path):
    """A frame that is given as an array, alone and beside a turn: no part of it is written as Python would."""
    model = Model("on a plinth")
    q = model.coordinate("q")
    plinth = np.eye(4)
    plinth[:3, 3] = 1, 2, 3.5
    model.body("plinth", plinth, mass=1, inertia=(1, 1, 1))
    model.body("wheel", plinth * trotz(q), mass=1, inertia=(1, 1, 1))
    for name, row in (("a.tex", "0 & 0 & 1 & 3.5"), ("a.md", "0 & 0 & 1 & 3.5"), ("a.html", "<mn>3.5</mn>")):
        model.report(tmp_path / name)
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert text.count(row) >= 2 and "[[" not in text and "array(" not in text


@pytest.mark.long
def test_efforts_are_told_with_their_data():
    (listed,) = (block for block in document(driven()).blocks if isinstance(block, Items))
    words = [" ".join(x if isinstance(x, str) else latex(x.tree) for x in item) for item in listed.items]
    assert words[1] == "Spring between 'rod' and 'ground' : stiffness  20  N/m , free length  1  m"
    assert "otherwise" in words[0] and words[0].startswith("GeneralizedForce on q")


def test_efforts_in_python_are_said_to_be_missing():
    assert "These equations lack the efforts in plain Python: wind_blows" in texts(document(strange()))


def test_parameters_without_values():
    model = Model("open")
    (x,) = model.coordinates("x")
    (k,) = model.parameters("k")
    model.body("cart", tdisp(x, 0, 0), mass=2 * k, inertia=(0, 0, 0))
    tables = [block for block in document(model).blocks if isinstance(block, Table)]
    assert any("not given" in row for block in tables for row in block.rows)


def test_what_is_too_long_is_a_program(monkeypatch):
    monkeypatch.setattr(content, "MOST_WRITTEN", 99)
    monkeypatch.setattr(content, "MOST_PAIRS", 5)
    model = examples.spatial_robot()
    found = document(model)
    (listing,) = (block for block in found.blocks if isinstance(block, Listing))
    assert "many pages: model.equations() has them. Here is the program" in texts(found)
    assert "too many pages" in texts(found)
    assert listing.lines[-1].startswith("return ") and listing.lines[-1].count(",") == 4


def test_equations_that_are_not_linear_in_the_accelerations():
    model = Model("cubic")
    (x,) = model.coordinates("x")
    model.equation(x.ddot + x.ddot**3 + x)
    assert "not linear in the accelerations" in texts(document(model))


@pytest.mark.long
def test_a_matrix_that_depends_on_modes_is_written_whole():
    """Of a ball on a rough plane: SymPy found no end when it was to simplify the differences across its diagonal."""
    model = Model("ball", gravity=(0, 0, -9.81))
    T = tdisp(*model.coordinates("x y z", initial=(0, 0, 0.5)))
    T = T * rotation_sequence("xyz", *model.coordinates("a b c"))
    ball = model.body("ball", T, mass=1, inertia=3 * (0.004,))
    floor = ground, shapes.Plane()
    model.add(Contact((ball, shapes.Sphere(0.1)), floor, restitution=0.5, friction=0.3, name="floor"))
    found = texts(document(model))
    assert "What is not written is zero" in found and "M is symmetric" not in found


def test_locks_and_parts_that_are_left_out():
    model = examples.double_pendulum()
    model.lock(model.symbols["q2"])
    found = compose(model, None, None, False, False, [])
    headings = [block.text for block in found.blocks if hasattr(block, "level")]
    assert headings == ["Unknowns and parameters", "Bodies", "Inputs, outputs and events", "Sizes"]
    assert "a lock of q2" in texts(found)
    assert len(Names("z").of([])[1]) == 0


# -- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bench():
    model = examples.double_pendulum()
    return SimpleNamespace(model=model, other=linkage(), run=model.simulate(0.01, target="python"))


test_mistake_is_explained = explained(__file__)
