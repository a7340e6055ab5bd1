"""Texts are never programs: every public callable is given one that would make a folder, and none is made.

Each argument of every public function, class and method is given the text, alone and in lists, dicts and arrays; an audit
hook sees whatever Python compiles or makes meanwhile. A process of its own does it, in an empty folder.
"""

# ruff: noqa: E501 (the program)

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NUMBERS = re.compile(r"^(\d+) callables, (\d+) calls$")
PAYLOAD = "__import__('os').mkdir('executed')"

PROGRAM = """
import inspect, os, signal, sys, warnings
sys.path[:0] = [sys.argv[1], os.path.dirname(sys.argv[1])]
warnings.simplefilter("ignore")
os.environ["MPLBACKEND"] = "Agg"
import numpy as np, sympy
import public_names
from test_strings import PAYLOAD
import easydyn
from easydyn import Model, Spring, ground, t, tdisp, trotz, visu

def fresh():
    model = Model("pendulum", gravity=(0, -9.81, 0))
    q, x = model.coordinates("q x", initial=(1, 0))
    l, = model.parameters(l=1)
    arm = model.body("arm", tdisp(x, 0, 0) * trotz(q) * tdisp(0, -l, 0), mass=1, inertia=(0, 0, 1))
    model.add(Spring((arm, (0, 0, 0)), (ground, (3, 0, 0)), stiffness=9, free_length=1))
    model.input("u", 0)
    return model, q, x, l, arm

model, q, x, l, arm = fresh()
run = model.simulate(0.02, step=0.01)
linear = model.linearize()
system = model.compile("python")
scene = model.scene()
pool = [model, q, q.dot, arm, ground, arm.T, arm.T.R, arm.v, run, linear, system, scene, run.energy, run.animate(), *linear.modes()]

good = dict(
    model=model, run=run, body=arm, a=(arm, (0, 0, 0)), b=(ground, (0, 1, 0)), coordinate=q, q=[1.0, 0.0], qd=[0.0, 0.0],
    qdd=[0.0, 0.0], T=arm.T, mass=1, inertia=(1, 1, 1), force=(1, 0, 0), moment=(1, 0, 0), axis=(0, 0, 1), t=0.0,
    t_final=0.01, residual=lambda t, q, qd, qdd: qdd, expression=q, error=1 - q, law=lambda *a: {}, function=lambda *a: 0.0,
    path="file", to="c", what=run, name="name", command="u", gains={"q": 1.0}, stiffness=1.0, damping=1.0, free_length=1.0,
    scene=scene, system=system, state=None, gap=q, restitution=0.5, derivative=1, integral=1, filter=0.1, R=np.eye(3),
    e=(0, 0, 0), vector=(1, 0, 0), v=arm.v, u=arm.v, limits=None, bodies=None, nodes=np.eye(3), title="title",
)
forms = [PAYLOAD, [PAYLOAD], (PAYLOAD,) * 3, {PAYLOAD: PAYLOAD}, {"q": PAYLOAD}, np.array([PAYLOAD] * 3, dtype=object),
         np.array([[PAYLOAD] * 4] * 4, dtype=object), (arm, PAYLOAD), lambda *_: PAYLOAD]
seen, now = set(), ["start"]

def hook(event, given):
    if event == "compile" and PAYLOAD in str(given[0])[:100000] or event == "os.mkdir" and "executed" in str(given[0]):
        seen.add(now[0])

sys.addaudithook(hook)

class Late(BaseException):
    pass

def late(*_):
    raise Late

signal.signal(signal.SIGALRM, late)
calls = 0

def tried(label, thing, parameters):
    global calls
    for p in parameters:
        if p.kind is p.VAR_KEYWORD:
            continue
        for form in forms:
            given, named = [], {}
            for other in parameters:
                value = form if other is p else good.get(other.name, 1.0)
                needed = other is p or other.default is other.empty
                if other.kind in (other.POSITIONAL_ONLY, other.POSITIONAL_OR_KEYWORD) and (needed or not named):
                    if needed:
                        if other.kind is other.POSITIONAL_ONLY: given.append(value)
                        else: named[other.name] = value
                elif other.kind is other.VAR_POSITIONAL and other is p and not named:
                    given.append(form)
                elif other.kind is other.KEYWORD_ONLY and needed:
                    named[other.name] = value
            now[0] = f"{label}({p.name}={form!r})"[:200]
            calls += 1
            signal.setitimer(signal.ITIMER_REAL, 2)
            try:
                made = thing(*given, **named)
                str(made)
            except (Exception, Late, KeyboardInterrupt, SystemExit):
                pass
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            if "matplotlib.pyplot" in sys.modules:
                sys.modules["matplotlib.pyplot"].close("all")

def parameters_of(thing):
    try:
        return list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return []

OPERATORS = ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "matmul", "call", "getitem", "eq")
things = {name.path: name.thing for name in public_names.public().values() if name.kind in ("class", "function")}
for one in pool:
    for name in dir(one):
        public = not name.startswith("_") or name.strip("_") in OPERATORS and name.startswith("__")
        member = getattr(type(one), name, None)
        if public and name != "show" and callable(member) and "easydyn" in (getattr(member, "__module__", "") or ""):
            things[f"{type(one).__name__}.{name}"] = one, name
for label, thing in things.items():
    if isinstance(thing, tuple):
        one, name = thing
        thing = getattr(fresh()[0] if one is model else one, name)
    tried(label, thing, parameters_of(thing))
print(f"{len(things)} callables, {calls} calls")
for each in sorted(seen):
    print("executed:", each)
if os.path.exists("executed"):
    print("executed: a folder was made")
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="calls are stopped by a signal of POSIX")
def test_no_text_is_ever_run(tmp_path):
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(HERE)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = done.stdout.splitlines()
    assert not [line for line in lines if line.startswith("executed")], "\n".join(lines[-30:])
    callables, calls = next((int(a), int(b)) for line in lines for a, b in NUMBERS.findall(line))
    assert callables > 150 and calls > 3000


@pytest.mark.long
def test_the_hook_sees_what_sympy_does_with_a_text(tmp_path):
    """Else the test above would find nothing, whatever happened."""
    end = PROGRAM.index("for label, thing in things.items()")
    program = PROGRAM[:end].replace("things = {", "things = {'sympify': sympy.sympify} or {") + PROGRAM[end:]
    done = subprocess.run([sys.executable, "-c", program, str(HERE)], cwd=tmp_path, capture_output=True, text=True)
    assert "executed: a folder was made" in done.stdout and "executed: sympify(a=" in done.stdout, done.stderr[-2000:]
