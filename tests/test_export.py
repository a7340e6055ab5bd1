"""Exported files: compiled and run, they compute what `model.compile` computes, and move as `model.simulate` moves.

A compiler that is not there is skipped; C, C++ (GNU), Fortran (gfortran), Octave, Julia, Rust and OpenModelica are
tried. Files of Modelica are also read and evaluated here, by a parser of the part of its grammar that they may use.
"""

import errno
import keyword
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
import sympy
from chance import first
from mechanisms.four_bar import four_bar
from robots import manutec_r3
from sympy import Abs, Max, Min, Mod, Piecewise, cos, sin, sqrt
from together import together

from easydyn import Force, GeneralizedForce, Model, Moment, Rotor, Spring, Transform, examples, t, tdisp, trotx, trotz
from easydyn.engine.graph import CONDITIONS
from easydyn.engine.program import Program
from easydyn.errors import FileError, InputError, ModelError
from easydyn.export import LANGUAGES, language_of
from easydyn.export.text import LONGEST, Names, identifier, wrapped
from easydyn.forces import ElasticGear, ElectricMotor

COMPILED = ("c", "c++", "fortran", "julia", "matlab", "rust")


# -- models -------------------------------------------------------------------------------------------------------


def r3(reference):
    return manutec_r3(reference("r3_robot.json"), initial=(0.3, -0.4, 0.5, 0.1, 0.2, -0.3))


def every_operation():
    """Two equations in the wrong order, with every operation of the graph, and conditions of all kinds."""
    model = Model("every operation")
    x, y = model.coordinates("x y", initial=(0.4, -0.3), rates=(0.1, 0.5))
    a, b, c = model.parameters(a=0.7, b=-1.3, c=2.0)
    smooth = (
        sin(x) + cos(y) + sympy.tan(x / 9) + sympy.asin(sin(x) / 2) + sympy.acos(sin(y) / 3) + sympy.atan(a * x)
        + sympy.sinh(x / 4) + sympy.cosh(y / 4) + sympy.tanh(x * y) + sympy.asinh(x - y) + sympy.acosh(2 + cos(x))
        + sympy.atanh(sin(x) / 2) + sympy.exp(-x * x) + sympy.log(2 + sin(y)) + sqrt(1 + x * x)
        + sympy.atan2(x - a, y + b) + (1 + y * y) ** 0.3 + 1 / (3 + x.dot**2)
    )  # fmt: skip
    steps = (
        Abs(x - y) + sympy.floor(3 * x) + 2 * sympy.ceiling(2 * y) + 3 * sympy.sign(x * y) + Max(x, y, a)
        + 2 * Min(x, b * y) + Mod(x, 0.7) + Mod(y, b) + Mod(x, a) + sympy.sign(sympy.floor(x))
    )  # fmt: skip
    both, either = sympy.And(x < 0.5, y <= 0.2), sympy.Or(x > 1, sympy.Eq(sympy.floor(y), 0))
    guarded = sqrt(x) * (1 + sqrt(x)) + sympy.log(x) + x**0.7 + sympy.asin(x / 4)  # has no value below zero
    cases = (
        Piecewise((1, both), (x, either), (y, sympy.Not(sympy.Eq(sympy.ceiling(x), 1))), (2, True))
        + Piecewise((3, both), (-x * y, True)) * Piecewise((5, a > b), (7, True))
        + Piecewise((guarded, x > 0), (x, True)) + Piecewise((a * x, sympy.And(a > b, x < c)), (b, True))
        + Piecewise((x * t, t < 1.5), (-1, True))
    )  # fmt: skip
    model.equation(y.ddot * (3 + cos(x)) + smooth + steps / 10)
    model.equation(-x.ddot * a + 0.1 * y.ddot * sin(y) + cases - 2 * x.dot)
    return model


def driven():
    """A pendulum on a carriage that moves and turns as time says, with a spring and a force that jumps."""
    model = Model("driven frame", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0.5)
    (r,) = model.parameters(r=0.3)
    carriage = tdisp(r * sin(3 * t), Piecewise((t**2, t < 0.1), (0.2 * t - 0.01, True)), 0) * trotz(t / 2)
    model.body("carriage", carriage, mass=2, inertia=(0, 0, 1))
    bob = model.body("bob", carriage * trotz(q) * tdisp(0, -r, 0), mass=1.5, inertia=(0.1, 0.1, 0.2))
    model.add(
        Spring((bob, (0, 0, 0)), (model.ground, (1, 0, 0)), stiffness=20, free_length=0.5),
        Force(bob, (Piecewise((1, t < 0.05), (0, True)), 0, 0)),
        Moment(bob, (0, 0, -0.1 * q.dot)),
    )
    return model


def unlinear():
    """A residual that is not linear in accelerations, a state whose rate has a factor of itself, a frame that follows
    states."""
    model = Model("not linear", gravity=(0, -9.81, 0))
    q, z = model.coordinates("q z", initial=(0.5, 0.2))
    (p,) = model.states("p", initial=1.5)
    s, v = model.states("s v", initial=(0.2, -0.5))
    model.body("bob", tdisp(s, 0, 0) * trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0.1))
    model.add(GeneralizedForce(q, -0.01 * q.ddot**3 + 0.1 * p))
    model.equation(2 * s.dot - 3 * v)
    model.equation(v.dot + 4 * s + 0.1 * q.dot)
    model.equation(z.ddot + 0.05 * z.ddot**3 + 4 * z + q)
    model.equation(p * p.dot + p**2 - z)
    return model


def circuit():
    """First-order states alone, and no parameters."""
    model = Model("circuit")
    i, u = model.states("i u", initial=(0, 1), unit=("A", "V"))
    model.equation(0.5 * i.dot + 2 * i - u)
    model.equation(0.1 * u.dot + i - sin(3 * t))
    return model


def drive_train():
    """A rotor in a housing that moves, its motor with a current loop, and a gear that gives way."""
    model = Model("drive train", gravity=(0, -9.81, 0))
    a, p, q = model.coordinates("a p q", initial=(0.2, 0.3, 0.1), rates=(1, 5, 0.2))
    housing = model.body("housing", trotz(a) * tdisp(0.2, 0, 0), mass=2, inertia=(1, 1, 1))
    model.body("load", housing.T * trotx(q) * tdisp(0, 0.3, 0), mass=1, inertia=(0.1, 0.1, 0.1))
    loop = {"current": 3 - q, "proportional": 2, "integral": 5}
    model.add(
        Rotor(housing, axis=(1, 1, 0), inertia=0.01, coordinate=p),
        ElectricMotor(p, resistance=1, inductance=0.1, constant=0.2, **loop),
        ElasticGear(p, q, ratio=20, stiffness=3, damping=0.1),
    )
    return model


TROUBLE = [
    "lambda", "end", "x", "X", "θ", "theta", "L", "l", "q", "qd", "qdd", "out", "constants", "Sin", "v1", "c1", "w1",
    "é", "名", "double", "fn", "real", "y1", "None_", "class_", "pi", "q_dot", "t_", "residual", "program", "Real",
    "a" * 70, "a" * 71, "_x", "__y", "x__y",
]  # fmt: skip


def trouble():
    """A chain of 20 links whose names are not fit for any language."""
    model = Model('trouble */ "here" \\\n// %{ name\u202e', gravity=(0, -9.81, 0))
    names = TROUBLE[:20]
    q = model.coordinates(names, initial=tuple(np.linspace(-0.3, 0.4, 20)), unit='rad"*/\\')
    values = {name: 1 + 0.1 * k for k, name in enumerate(TROUBLE[20:])}
    p = model.parameters(**values)
    bodies = ["*/ x", "\\", 'quote"s', "two\nlines", "upper arm", "upper_arm", "1st", "@!", "%{", "??/", "\u202e", "//"]
    T = Transform()
    for k in range(20):
        T = T * trotz(q[k])
        body = bodies[k] if k < len(bodies) else f"body {k}"
        m = p[k % len(p)]
        model.body(body, T * tdisp(0, -0.1, 0), mass=m, inertia=(0, 0, m / 300))
        T = T * tdisp(0, -0.2, 0)
    return model


class Case(NamedTuple):
    make: Callable[..., Model]
    t_final: float
    step: float
    save_every: float
    error: float  # of the motion, relative to its size, against `simulate`


CASES = {
    "double pendulum": Case(examples.double_pendulum, 1.0, 1e-3, 0.1, 1e-6),
    "slider crank": Case(lambda: examples.slider_crank(motor=True), 0.5, 1e-3, 0.1, 1e-6),
    "r3": Case(r3, 0.1, 1e-3, 0.03, 1e-6),
    "hydraulic jack": Case(examples.hydraulic_jack, 0.02, 2e-5, 0.002, 1e-4),
    "every operation": Case(every_operation, 0.02, 1e-3, 0.01, 1e-4),
    "driven frame": Case(driven, 0.2, 1e-3, 0.05, 1e-3),  # fixed steps do not land on the jumps
    "not linear": Case(unlinear, 0.5, 1e-3, 0.1, 1e-5),
    "circuit": Case(circuit, 1.0, 1e-3, 0.25, 1e-5),
    "trouble": Case(trouble, 0.02, 1e-3, 0.01, 1e-5),
    "drive train": Case(drive_train, 0.2, 1e-3, 0.1, 1e-6),
    "four-bar": Case(lambda: four_bar()[0], 0.5, 1e-3, 0.1, 1e-6),
}


@pytest.fixture(scope="module")
def models(reference):
    """`models(name)`: each made once, with its compiled system."""
    made = {}

    def get(name):
        if name not in made:
            make = CASES[name].make
            model = make(reference) if make is r3 else make()
            made[name] = model, model.compile("python")
        return made[name]

    return get


# -- files, compilers, numbers --------------------------------------------------------------------------------------

COMMANDS = {
    "c": "gcc -std=c11 -Wall -Wextra -Werror -pedantic -O1 -o {program} {source} -lm",
    "c++": "g++ -std=c++17 -Wall -Wextra -Werror -pedantic -O1 -o {program} {source}",
    "fortran": "gfortran -std=f2008 -Wall -Wextra -Werror -Wno-unused-dummy-argument -Wno-compare-reals -O1 "
    "-J {folder} -o {program} {source}",
    "rust": "rustc -D warnings -C opt-level=1 -o {program} {source}",
    "julia": "julia {source}",
    "jax": f"{sys.executable} {{source}}",
    "matlab": "octave-cli --no-gui --norc --path {folder} --eval {stem}",
}
_OCTAVE_CHECK = """
m = {stem};
c = {{}};
if isfield(m, 'prepare') c = {{m.prepare(m.parameters)}}; end
n = numel(m.initial_q);
x = load('states.txt');
for k = 1:rows(x)
    time = x(k, 1); q = x(k, 2:1 + n)'; qd = x(k, 2 + n:1 + 2*n)'; qdd = x(k, 2 + 2*n:end)';
    show = @(name, a) printf('%s%s\\n', name, sprintf(' %.17g', a));
    show('residual', m.residual(time, q, qd, qdd, c{{:}}));
    state = {{q, qd, qdd}};
    if nargin(m.mass_matrix) < 4 state = {{q}}; end
    show('mass_matrix', m.mass_matrix(time, state{{:}}, c{{:}})');
    show('accelerations', m.accelerations(time, q, qd, c{{:}}));
    state = {{q}};
    if isfield(m, 'frames') && nargin(m.frames) == 3 + numel(c) state = {{q, qd}}; end
    if isfield(m, 'frames') show('frames', permute(m.frames(time, state{{:}}, c{{:}}), [2, 1, 3])); end
end
"""


def run(command, folder, **streams):
    environment = {**os.environ, "OCTAVE_HISTFILE": os.devnull}
    done = subprocess.run(command, cwd=folder, text=True, encoding="utf-8", timeout=300, env=environment,
                          capture_output=True, **streams)  # fmt: skip
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


class Exported:
    """A file, compiled where its language is."""

    def __init__(self, model, to, folder, **settings):
        self.folder = folder / "out put"
        self.folder.mkdir(exist_ok=True)
        self.source = model.export(to, self.folder, **settings)
        self.language, self.text = to, self.source.read_text(encoding="utf-8")
        places = {
            "program": "./program", "source": self.source.name, "stem": self.source.stem, "folder": str(self.folder)
        }  # fmt: skip
        command = [word.format(**places) for word in COMMANDS[to].split()]
        if shutil.which(command[0]) is None:
            pytest.skip(f"{command[0]} is not installed")
        self.command = command
        if to not in ("jax", "julia", "matlab"):
            assert run(command, self.folder) == ""
            self.command = [str(self.folder / "program")]

    def check(self, states):
        """The numbers of each state: a dict of arrays by name."""
        text = "\n".join(" ".join(repr(float(x)) for x in state) for state in states)
        if self.language == "matlab":
            (self.folder / "states.txt").write_text(text)
            script = self.folder / "script_of_the_test.m"
            script.write_text(_OCTAVE_CHECK.format(stem=self.source.stem), encoding="utf-8")
            lines = run([*self.command[:-1], script.stem], self.folder).splitlines()
        else:
            lines = run([*self.command, "check"], self.folder, input=text + "\n").splitlines()
        found = [{}]
        for line in lines:
            name, *numbers = line.split()
            if name in found[-1]:
                found.append({})
            found[-1][name] = np.array([float(x) for x in numbers])
        assert len(found) == len(states)
        return found

    def motion(self):
        """The heading and the numbers of the table that the program prints."""
        lines = run(self.command, self.folder).splitlines()
        return lines[0].split(","), np.array([[float(x) for x in line.split(",")] for line in lines[1:]])


def some_states(rng, system, count=8):
    """Rows of t, q, qd, qdd: coordinates of all signs; states of their own size, away from zero."""
    n = system.n
    states = [np.concatenate([[rng.uniform(0, 3)], rng.uniform(-1, 1, 3 * n)]) for _ in range(count)]
    for k, signs in enumerate(((1,), (-1,), (1, -1), (-1, 1))):
        states[k % count][1 : 1 + n] = np.abs(states[k % count][1 : 1 + n]) * np.resize(signs, n)
    size = 1e6 if "p1" in system.names else 1.0  # Pa in the hydraulic jack
    for state in states:
        qd = state[1 + n : 1 + 2 * n]
        qd[system.states] = size * (0.5 + np.abs(qd[system.states]))
    return states


def reference_numbers(system, state):
    """What model.compile("python") says of a state."""
    n = system.n
    time, q, qd, qdd = float(state[0]), state[1 : 1 + n], state[1 + n : 1 + 2 * n], state[1 + 2 * n :]
    evaluate, constants = system.function("mass_matrix", "python")  # system.mass_matrix is that of a state at rest
    found = {
        "residual": system.residual(time, q, qd, qdd),
        "mass_matrix": np.array(evaluate(time, q.tolist(), qd.tolist(), qdd.tolist(), constants)),
        "accelerations": system.accelerations(time, q, qd),
    }
    if system.mechanism.bodies:
        found["frames"] = system.frames(time, q, qd).ravel()
    return found


def assert_close(found, expected, tolerance=1e-12):
    """Accelerations lose the digits that solving with M loses, in one way or another."""
    assert list(found) == list(expected)
    n = len(expected["residual"])
    condition = np.linalg.cond(expected["mass_matrix"].reshape(n, n))
    for name, numbers in expected.items():
        assert np.all(np.isfinite(numbers)), name
        assert found[name].shape == numbers.shape, name
        bound = max(tolerance, 1e-15 * condition) if name == "accelerations" else tolerance
        assert np.abs(found[name] - numbers).max() <= bound * np.abs(numbers).max(), name


@pytest.mark.one_in(20)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name == "drive train" else name for name in CASES]
)
@pytest.mark.parametrize("to", COMPILED)
def test_numbers_and_motion_are_those_of_the_model(to, name, models, rng, tmp_path):
    model, system = models(name)
    case = CASES[name]
    settings = {"t_final": case.t_final, "save_every": case.save_every}
    exported = Exported(model, to, tmp_path, step=case.step, **settings)

    states = some_states(rng, system)
    for found, state in zip(exported.check(states), states, strict=True):
        assert_close(found, reference_numbers(system, state))

    heading, rows = exported.motion()
    trajectory = simulated(name, model, settings)
    rates = [f"{q}.dot" for q in system.mechanism.coordinates]
    assert heading == ["t", *system.names, *rates]
    assert rows[:, 0] == pytest.approx(trajectory.t, abs=1e-12)
    for column, of in zip(rows.T[1:], heading[1:], strict=True):
        if of not in trajectory.columns:
            assert of in ("pin:Fx", "pin:Fy")  # the impulse of a closure, which no run tells
            continue
        size = max(1e-3, np.abs(trajectory[of]).max())
        assert np.abs(column - trajectory[of]).max() <= case.error * size, of


_SIMULATED = {}


def simulated(name, model, settings):
    """The motion by Newmark's method, with small errors: another method than the one of the exported programs."""
    if name not in _SIMULATED:
        _SIMULATED[name] = model.simulate(**settings, tolerance=1e-8)
    return _SIMULATED[name]


@pytest.mark.one_in(8)
@pytest.mark.parametrize("to", COMPILED)
def test_error_of_the_program_falls_with_the_fourth_power_of_the_step(to, models, tmp_path):
    model, _ = models("double pendulum")
    ends = []
    for k, step in enumerate((0.01, 0.005, 0.0025, 5e-4)):
        (folder := tmp_path / str(k)).mkdir()
        ends.append(Exported(model, to, folder, t_final=1, step=step, save_every=0.1).motion()[1])
    errors = [np.linalg.norm(end - ends[-1]) for end in ends[:-1]]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(orders - 4) < 0.5), orders


def test_every_operation_is_among_those_tried(models):
    from easydyn.engine import graph

    model, system = models("every operation")
    outputs = [x for key in ("residual", "mass_matrix") for x in system.program(key).outputs]
    program = Program("all", outputs)
    known = {*graph.UNARY, *graph.BINARY, *CONDITIONS, "add", "sub", "mul", "div", "neg", "select", "const", "input"}
    assert {node.op for node in program.nodes} == known
    fixed = {node.op for node in program.constants}
    assert fixed & CONDITIONS, "no condition of parameters alone"
    counts = [sum(node in other.args for other in program.body) for node in program.body if node.op in CONDITIONS]
    assert max(counts) > 1, "no condition that is used twice"


def words_of(text, comment):
    """The words of a file outside of comments and texts."""
    code = "\n".join(line for line in text.splitlines() if not line.strip().startswith(comment))
    code = re.sub(r"\s(//|!|#|%) .*", "", code)
    return sorted({word for word in re.findall(r"[A-Za-z]\w*", code) if not keyword.iskeyword(word)})


@pytest.mark.long
@pytest.mark.one_in(8)
@pytest.mark.parametrize("solution", first(1, ["newton", "linear", "unrolled"]))
@pytest.mark.parametrize("to", COMPILED)
def test_every_word_of_a_file_can_be_a_name_of_the_model(to, solution, tmp_path, rng):
    """Parameters and bodies called like all that the file has words for: functions, types, variables, keywords."""

    def build(names, bodies):
        model = Model(names[-1] if names else "plain", gravity=(0, -9.81, 0))
        x, y = model.coordinates("the_x the_y", initial=(0.1, 0.2))
        total = sum(model.parameters(**{name: 1.0 + k for k, name in enumerate(names)})) if names else 1
        for k, body in enumerate(bodies or ["arm"]):
            model.body(body, trotz(x) * tdisp(0, -1 - k, 0), mass=total, inertia=(0, 0, 1))
        extra = {"newton": y.ddot**3, "linear": Min(x, y) + Max(x, y) + Mod(x, y) + sympy.sign(x) + sqrt(y * y + 1)}
        if solution == "unrolled":
            model.body("other", tdisp(y, 0, 0), mass=1, inertia=(0, 0, 1))
        else:
            model.equation(y.ddot + y * total + extra[solution])
        return model

    plain = build([], []).export(to, tmp_path).read_text(encoding="utf-8")
    words = [word for word in words_of(plain, language_of(to).comment) if word not in ("t", "the_x", "the_y", "other")]
    assert len(words) > 60 and "residual" in words
    model = build(words, words)
    exported = Exported(model, to, tmp_path)
    system = model.compile("python")
    state = some_states(rng, system, 1)
    assert_close(exported.check(state)[0], reference_numbers(system, state[0]))


def test_parameters_and_initial_values_of_the_call_are_those_of_the_file(tmp_path):
    values = {"parameters": {"l1": 2.5}, "initial": {"q1": 0.3, "q2.dot": -1.25}}
    model = examples.double_pendulum()
    exported = Exported(model, "c", tmp_path, t_final=0.1, step=1e-3, save_every=0.05, **values)
    system = model.compile("python", parameters=values["parameters"])
    state = np.array([0.0, 0.3, 1.0, 0.0, -1.25, 0.5, 0.6])
    assert_close(exported.check([state])[0], reference_numbers(system, state))
    rows = exported.motion()[1]
    assert rows[0].tolist() == [0, 0.3, 1, 0, -1.25]
    trajectory = model.simulate(0.1, save_every=0.05, tolerance=1e-8, **values)
    assert rows[:, 1:3] == pytest.approx(trajectory.q, abs=1e-6)


def test_a_parameter_edited_in_the_file_changes_all_that_follows_from_it(tmp_path):
    model = examples.double_pendulum()
    path = model.export("c", tmp_path / "pendulum.c")
    text = path.read_text(encoding="utf-8")
    assert text.count(".l1 = 1.2,") == 1
    path.write_text(text.replace(".l1 = 1.2,", ".l1 = 2.5,"), encoding="utf-8")
    run(["gcc", "-o", "program", path.name, "-lm"], tmp_path)
    lines = run(["./program", "check"], tmp_path, input="0 0.3 1 0 -1.25 0.5 0.6")
    found = {line.split()[0]: np.array(line.split()[1:], dtype=float) for line in lines.splitlines()}
    system = model.compile("python", parameters={"l1": 2.5})
    assert_close(found, reference_numbers(system, np.array([0, 0.3, 1, 0, -1.25, 0.5, 0.6])))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("to", COMPILED)
def test_a_motion_that_runs_away_is_said_and_stops(to, tmp_path):
    model = Model("runaway")
    (x,) = model.coordinates("x", initial=1)
    model.equation(x.ddot - x.dot**2 - x**3)
    exported = Exported(model, to, tmp_path, t_final=50, step=0.1, save_every=1)
    done = subprocess.run(exported.command, cwd=exported.folder, capture_output=True, text=True, timeout=100)
    assert done.returncode != 0
    assert re.search(r"The motion is not finite after t = [\d.]+ s\. Try a smaller step\.", done.stderr)
    last = done.stdout.splitlines()[-1].split(",")
    assert 1 <= float(last[0]) < 50 and all(math.isfinite(float(x)) for x in last)


def driven_from_outside(linear=True):
    """A motor with a state: inputs in the equations of all kinds, outputs of positions, rates and accelerations."""
    model = Model("driven from outside", gravity=(0, -9.81, 0))
    q, s = model.coordinates("q s", initial=(0.3, 0.1))
    k = model.parameter("k", 3.0)
    arm = model.body("arm", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0.1))
    model.body("slider", tdisp(s, 0, 0), mass=k, inertia=(0, 0, 0))
    voltage, push = model.input("voltage", 0.5, unit="V"), model.input("push", -0.2, unit="N")
    if linear:
        current = model.state("current", initial=0.2)
        model.equation(0.1 * current.dot + current - voltage)
        model.add(GeneralizedForce(q, k * current))
    model.add(GeneralizedForce(q, voltage * sin(q)), GeneralizedForce(s, push * k - s - 0.1 * push**2 * s.ddot))
    model.output("speed", 2 * q.dot, unit="rad/s")
    model.output("felt", s.ddot + push)
    model.output("tip", arm.T.e[0], unit="m")
    return model


STATE = r"\(t, q, qd, u, constants\)", r"\(t, q, qd, qdd, u, constants\)"
INPUTS_IN = {  # the heads of two functions
    "c": (r"void accelerations\(double t, .*const double u\[INPUTS\]", r"void outputs\(.*double out\[OUTPUTS\]"),
    "c++": (r"Vector accelerations\(double t, .*const Inputs& u", r"Outputs outputs\(double"),
    "rust": (r"fn accelerations\(t: f64, .*u: &Inputs", r"fn outputs\(t: f64, .*-> Outputs"),
    "fortran": (f"function accelerations{STATE[0]}", f"function outputs{STATE[1]}"),
    "julia": (f"function accelerations{STATE[0]}", f"function outputs{STATE[1]}"),
    "matlab": (f"out = accelerations{STATE[0]}", f"out = outputs{STATE[1]}"),
    "jax": (f"def accelerations{STATE[0]}", f"def outputs{STATE[1]}"),
    "modelica": (r'input Real voltage\(unit="V", start=0\.5\)', r"output Real speed.* speed = 2\.0\*q_dot;"),
}


@together("to", INPUTS_IN)
def test_inputs_are_arguments_and_outputs_are_functions(to, tmp_path):
    text = driven_from_outside().export(to, tmp_path).read_text(encoding="utf-8")
    assert all(re.search(pattern, re.sub(r"\s+", " ", text)) for pattern in INPUTS_IN[to])


@pytest.mark.parametrize("to", first(2, [*COMPILED, "jax"]))
@pytest.mark.parametrize("linear", [True, pytest.param(False, marks=pytest.mark.long)])
def test_outputs_and_other_inputs_are_those_of_a_run(to, linear, tmp_path, monkeypatch):
    """The inputs of the file are changed in its text; the table then has the outputs of a run with these."""
    model = driven_from_outside(linear)
    write = Model.export

    def with_other_inputs(self, *arguments, **settings):
        path = write(self, *arguments, **settings)
        text = path.read_text(encoding="utf-8")
        assert len(re.findall(r"0\.5(?=.*voltage \(V\))", text)) == 1
        path.write_text(re.sub(r"0\.5(?=.*voltage \(V\))", "0.875", text), encoding="utf-8")
        return path

    monkeypatch.setattr(Model, "export", with_other_inputs)
    heading, rows = Exported(model, to, tmp_path, t_final=0.5, step=1e-3, save_every=0.1).motion()
    run = model.simulate(0.5, method="dop853", tolerance=1e-12, save_every=0.1, inputs={"voltage": 0.875})
    assert heading[-3:] == ["speed", "felt", "tip"]
    for name, column in zip(heading[1:], rows[:, 1:].T, strict=True):
        assert column == pytest.approx(run[name], abs=2e-10), name


@pytest.mark.long
def test_equations_are_solved_for_and_mechanisms_are_unrolled(models):
    def functions(name):
        return re.findall(r"^\w+ (\w+)\(", export_text(models(name)[0], "c"), re.MULTILINE)

    for name in ("r3", "trouble"):  # by elimination of M, and by articulated bodies
        assert "solve" not in functions(name) and "bias" not in functions(name)
    assert {"solve", "bias"} <= set(functions("hydraulic jack"))
    assert "solve" in functions("not linear") and "bias" not in functions("not linear")
    assert "frames" in functions("r3") and "frames" not in functions("hydraulic jack")


def export_text(model, to, **settings):
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        return model.export(to, folder, **settings).read_text(encoding="utf-8")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("to", LANGUAGES)
def test_lines_are_short_and_the_file_says_what_it_is(to, models):
    for name in ("double pendulum", "r3", "trouble", "every operation"):
        text = export_text(models(name)[0], to)
        mark = language_of(to).comment
        code = [line for line in text.splitlines() if not line.strip().startswith(mark)]
        assert max(map(len, code)) <= 120
        assert not any(line != line.rstrip() for line in text.splitlines())
        top = "\n".join(text.splitlines()[:12])
        assert "equations of motion" in top and "Written by easydyn" in top and "SI units" in top
    assert text == export_text(models(name)[0], to), "not the same twice"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("to", LANGUAGES)
def test_names_that_changed_are_listed(to, models):
    text = export_text(models("trouble")[0], to)
    listed = text[text.index("Names that had to change:") :].splitlines()
    found = dict(re.findall(r" {4,}(.+): (\w+)", line)[0] for line in listed[1 : listed.index("")])
    assert found["coordinate é"] == "e" and found["coordinate 名"] == "u540d"
    assert found["coordinate θ"] == "theta" and found["coordinate theta"] == "theta_2"
    assert ("coordinate x" in found or "coordinate X" in found) == (to == "fortran")
    assert len(set(found.values())) == len(found)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) and len(name) <= LONGEST for name in found.values())


# -- names and lines ------------------------------------------------------------------------------------------------


@together(
    ("text", "expected"),
    [
        ("q1", "q1"), ("upper arm", "upper_arm"), ("θ", "theta"), ("θ_1", "theta_1"), ("Δx", "Deltax"), ("é", "e"),
        ("Ω", "Omega"), ("ς", "sigma"), ("µ", "mu"), ("\\beta_{1}", "beta_1"), ("1st", "body_1st"), ("", "body"),
        ("***", "body"), ("___", "body"), ("_x", "x"), ("x_", "x_"), ("x__y", "x_y"), ("名", "u540d"), ("ø", "o"),
        ("x₁", "x1"), ("a b\nc", "a_b_c"), ("a" * 80, "a" * 63),
    ],
)  # fmt: skip
def test_identifier(text, expected):
    assert identifier(text, "body") == expected


def test_names_are_given_once():
    names = Names(["for", "T"], fold_case=True)
    given = [names.give("coordinate x", word) for word in ("for", "FOR", "t", "x", "X", "x", "x_2", "a" * 80, "a" * 90)]
    assert given == ["for_", "FOR_2", "t_", "x", "X_2", "x_3", "x_2_2", "a" * 63, "a" * 61 + "_2"]
    assert all(len(name) <= LONGEST for name in given)
    assert names.prefix("x_", "y") == "y" and names.prefix("z") == "z"


def test_prefix_goes_on_when_all_are_taken():
    names = Names([])
    for word in ("v1", "w23", "vv_1"):
        names.give("coordinate", word)
    prefix = names.prefix("v", "w")
    assert not any(re.fullmatch(prefix + r"\d+", word) for word in ("v1", "w23", "vv_1"))


def test_long_lines_are_broken_after_operators():
    line = "    v1 = " + " + ".join(f"some_name_{k}*other_name_{k}" for k in range(20)) + ";"
    broken = wrapped(line, 60, "&")
    assert max(map(len, broken)) <= 60 and len(broken) > 5
    assert all(part.endswith("+ &") for part in broken[:-1])
    joined = " ".join(part.removesuffix("&").strip() for part in broken)
    assert joined == line.strip()


# -- Modelica -------------------------------------------------------------------------------------------------------


# -- files ----------------------------------------------------------------------------------------------------------


def test_path_is_a_file_or_a_folder(tmp_path):
    model = examples.slider_crank()
    folder = tmp_path / "a folder"
    folder.mkdir()
    for given, expected in (
        (folder, folder / "slider_crank.c"),
        (str(folder) + "/", folder / "slider_crank.c"),
        (folder / "my crank.txt", folder / "my crank.txt"),
        (str(folder / "crank"), folder / "crank"),
    ):
        assert model.export("c", given) == expected
    assert sorted(path.name for path in folder.iterdir()) == ["crank", "my crank.txt", "slider_crank.c"]
    texts = [path.read_text(encoding="utf-8").splitlines() for path in folder.iterdir()]
    assert len({tuple(line for line in lines if "Compile:" not in line) for lines in texts}) == 1


def test_a_file_with_a_space_in_its_name_compiles(tmp_path):
    path = examples.slider_crank().export("rust", tmp_path / "my crank.rs", t_final=0.01)
    if shutil.which("rustc") is None:
        pytest.skip("rustc is not installed")
    run(["rustc", "-o", "program", path.name], tmp_path)
    assert run(["./program"], tmp_path).startswith("t,q,q.dot\n0.0,1.0,0.0\n0.01,")


def refused(*_):
    raise OSError(errno.EIO, "gone")


def test_a_file_takes_the_place_of_another_only_when_it_is_whole(tmp_path, monkeypatch):
    path = tmp_path / "crank.c"
    path.write_text("mine")
    with pytest.raises(ModelError, match="division by zero in what depends on parameters alone"):
        examples.slider_crank().export("c", path, parameters={"l2": 0})
    assert path.read_text() == "mine"
    with monkeypatch.context() as patch, pytest.raises(FileError, match="cannot write '.*crank.c': gone. Choose anoth"):
        patch.setattr(os, "replace", refused)
        examples.slider_crank().export("c", path)
    assert path.read_text() == "mine"
    assert examples.slider_crank().export("c", path) == path and path.read_text().startswith("// slider-crank")
    assert [each.name for each in tmp_path.iterdir()] == ["crank.c"]


def test_languages_and_their_other_names(tmp_path):
    for name in LANGUAGES:
        assert language_of(name) is language_of(name.upper())
    assert language_of("cpp") is language_of("C++") is language_of("c++")
    extensions = [language_of(name).extension for name in LANGUAGES]
    assert extensions == [".c", ".cpp", ".m", ".mo", ".f90", ".jl", ".rs", ".py"]
    for name in ("f90", "python", " c", "", None, 3, ["c"]):
        with pytest.raises(InputError, match="expected one of"):
            language_of(name)


def test_matlab_function_is_called_like_its_file(tmp_path):
    model = examples.slider_crank()

    def heads(path):
        text = path.read_text(encoding="utf-8")
        return text.splitlines()[0], "The file must be called" in text

    assert heads(model.export("matlab", tmp_path)) == ("function functions = slider_crank()", False)
    assert heads(model.export("matlab", tmp_path / "my_crank.m")) == ("function functions = my_crank()", False)
    assert heads(model.export("matlab", tmp_path / "my crank.m")) == ("function functions = slider_crank()", True)
    assert heads(model.export("matlab", tmp_path / "residual.m")) == ("function functions = slider_crank()", True)
    (x,) = (reserved := Model("for")).coordinates("x")
    reserved.equation(x.ddot + x)
    path = reserved.export("matlab", tmp_path)
    assert path.name == "for_.m" and heads(path) == ("function functions = for_()", False)


@pytest.mark.parametrize("scheme", ["explicit", "motor"])
def test_all_schemes_give_the_same_numbers(tmp_path, rng, scheme):
    model = examples.spatial_robot()
    exported = Exported(model, "c", tmp_path, scheme=scheme)
    system = model.compile("python")
    states = some_states(rng, system, 4)
    for found, state in zip(exported.check(states), states, strict=True):
        assert_close(found, reference_numbers(system, state))


def test_parameters_without_a_value_are_asked_for(tmp_path):
    model = Model("open")
    (x,) = model.coordinates("x")
    (k,) = model.parameters("k")
    model.equation(x.ddot + k * x)
    with pytest.raises(ModelError, match="no value for parameter k"):
        model.export("c", tmp_path)
    assert ".k = 3.5," in model.export("c", tmp_path, parameters={"k": 3.5}).read_text(encoding="utf-8")


def test_export_changes_nothing_in_the_model(models):
    model, _ = models("double pendulum")
    before = model.mechanism, model.symbols, model.values(), repr(model)
    export_text(model, "fortran", parameters={"l1": 3}, initial={"q1": 2})
    assert (model.mechanism, model.symbols, model.values(), repr(model)) == before


def evil():
    """Names and units that are long, that are macros of headers, that would be a program if a comment let them."""
    model = Model("evil")
    names = ["M_PI", "ERANGE", "stdin", "I", "n" * 200, "n" * 199 + "m"]
    unit = "m " * 50 + "\n#include <nothing> ! * error " * 4
    q = model.coordinates(names, unit=[unit, unit, "", "u" * 115, "u" * 115, "#include <nothing> " * 12])
    for k, each in enumerate(q):
        model.body(f"body {k}", tdisp(each, 0, 0), mass=1, inertia=(0, 0, 0))
        model.add(GeneralizedForce(each, 1 - each))
    return model


COMPILERS = {
    "c": ["gcc", "-o", "program"], "c++": ["g++", "-o", "program"], "fortran": ["gfortran", "-o", "program"],
    "rust": ["rustc", "-o", "program"],
}  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", LANGUAGES)
def test_no_comment_lets_its_rest_become_a_program(name, tmp_path):
    path = evil().export(name, tmp_path / f"evil{language_of(name).extension}", t_final=0.02)
    marks = (language_of(name).comment, '"', "'", "annotation")
    loose = [x for x in path.read_text(encoding="utf-8").splitlines() if "#include <nothing>" in x]
    assert loose or name == "modelica"
    for line in loose:
        assert any(mark in line.partition("#include <nothing>")[0] for mark in marks), line
    command = COMPILERS.get(name, [""])
    if shutil.which(command[0]):
        run([*command, path.name, *(["-lm"] if name == "c" else [])], tmp_path)
        assert run(["./program"], tmp_path).count("\n") == 4


def test_wrapping_leaves_remarks_whole():
    line = "    0.0, // x (" + "m " * 60 + ")"
    assert wrapped(line, 120) == [line]
    long = "    a = " + "b + " * 30 + "c;  // " + "d - " * 40 + "e"
    found = wrapped(long, 120)
    assert len(found) == 2 and found[1].endswith("c;  // " + "d - " * 40 + "e")
    assert " ".join(x.strip() for x in found) == long.strip()
