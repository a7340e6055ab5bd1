"""What a student may get wrong, and the sentence that comes back: it names the culprit, and says what was expected.

One row of `MISTAKES` is one mistake: its name, the exception, what is done wrong (with a `Bench` of models in good
order), the phrase by which docs/errors.md knows the message, and a pattern for the whole of it. Each mistake must come
back as an exception of easydyn, without anything of SymPy or NumPy on top, without warnings, and leave the model as it
was: mistakes.py looks after that, for the mistakes of this file and of others.
"""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
import sympy
from matplotlib import pyplot
from mistakes import Bench, Mistake, caught, check, explained
from sympy.physics.mechanics import dynamicsymbols
from together import together

from easydyn import (
    Damper,
    Force,
    GeneralizedForce,
    Model,
    Moment,
    Spring,
    Stepper,
    System,
    Trajectory,
    check_motion,
    cross,
    dot,
    generalized_alpha,
    ground,
    hht,
    inertia_tensor,
    integrate,
    newmark,
    newmark_extrapolated,
    rotation_sequence,
    t,
    tdisp,
    tquat,
    transform,
    trot,
    trotx,
    troty,
    trotz,
    vcoord,
)
from easydyn.errors import (
    ArgumentError,
    BudgetError,
    ConvergenceError,
    FileError,
    FunctionError,
    InputError,
    IntegrationError,
    LongRunWarning,
    MissingDependencyError,
    ModelError,
    NoNumberError,
    NotFiniteError,
    SingularMatrixError,
    StepSizeError,
    TransformError,
    UnknownAttributeError,
    UnknownNameError,
)

pytestmark = pytest.mark.filterwarnings("ignore::easydyn.errors.SlowRunWarning")  # callbacks are wanted here
NAN, INF = math.nan, math.inf


def without(package, action):
    """Do something as if a package were not installed."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in sys.modules if name.split(".")[0] == package] + [package]:
            patch.setitem(sys.modules, name, None)
        patch.setattr("easydyn.engine.targets.available", lambda: package != "llvmlite")
        action()


def slider(force=None, initial=0, mass=1):
    """A block on a line, with an effort of (x)."""
    model = Model("slider")
    (x,) = model.coordinates("x", initial=initial)
    block = model.body("block", tdisp(x, 0, 0), mass=mass, inertia=(0, 0, 0))
    if force is not None:
        model.add(Force(block, (force(x), 0, 0)))
    return model


def pushed(change):
    """Simulate the slider with a Python function of efforts that does `change` to its block."""
    model = slider()

    @model.efforts
    def push(t, bodies):
        change(bodies)

    return model.simulate(0.1)


def pushing():
    """The slider with a Python function of efforts."""
    model = slider()

    @model.efforts
    def push(t, bodies):
        bodies["block"].R += 1

    return model


def gimbal(middle=None):
    """A body turned about three axes, one after the other; the middle angle may be given."""
    model = Model("top")
    a, c = model.coordinates("a c")
    (b,) = model.coordinates("b") if middle is None else (middle,)
    model.body("top", trotz(a) * troty(b) * trotx(c), mass=1, inertia=(0.1, 0.1, 0.1))
    return model


def swing(t_final):
    """A long simulation of a swing, in short steps, by someone impatient."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("easydyn.sim.loop.PATIENCE", 20)
        slider(lambda x: -x, initial=1).simulate(t_final, target="python")


def enormous():
    """An equation with a number beyond all floats."""
    model = Model("enormous")
    (x,) = model.coordinates("x")
    model.equation(x.ddot + sympy.Float("1e400") * x)
    return model


def extended(change):
    """A slider to which `change` is done, compiled."""
    model = slider()
    change(model, model["block"])
    return model.compile()


def jack(*chosen):
    """A model of equations: x and the state p, with some of four equations."""
    model = Model("jack")
    (x,) = model.coordinates("x")
    (p,) = model.states("p", initial=2)
    equations = [x.ddot + x - p, p.dot + p, x.ddot - 1, x.dot + x, p - 3]
    for i in chosen:
        model.equation(equations[i])
    return model


def parametrised(value, use):
    """A model with the parameter k = value, used by use(model, k)."""
    model = slider()
    (k,) = model.parameters(k=value) if value is not None else model.parameters("k")
    use(model, k)
    return model.compile().accelerations(0, [0], [0])


def twins():
    """Two coordinates that do the same."""
    model = Model("twins")
    a, b = model.coordinates("a b")
    model.body("block", tdisp(a + b, 0, 0), mass=1, inertia=(0, 0, 0))
    return model


def compute_motion(t, q, qd, qdd, bodies):
    b = bodies[0]
    b.T = trotz(q[0]) * tdisp(0, -1.0, 0)
    b.omega, b.omegad = vcoord(0, 0, qd[0]), vcoord(0, 0, qdd[0])
    b.vG = cross(b.omega, b.T.e)
    b.aG = cross(b.omegad, b.T.e) + cross(b.omega, b.vG)


def hand(motion=compute_motion, **options):
    """A pendulum with hand-written kinematics."""
    system = System("by hand", motion, **({"coordinates": "q", "gravity": (0, -9.81, 0), "initial": 1.0} | options))
    system.body("bob", mass=1, inertia=(0, 0, 0))
    return system


def wrong(**left):
    """Run the pendulum by hand with something wrong left in its body."""

    def motion(t, q, qd, qdd, bodies):
        compute_motion(t, q, qd, qdd, bodies)
        for name, value in left.items():
            setattr(bodies[0], name, value)

    return hand(motion).simulate(0.1)


def oscillator(residual=lambda t, q, qd, qdd: qdd + q, **options):
    return integrate(residual, **({"q": [1.0], "qd": [0.0], "t_final": 1.0} | options))


def scaled(factor):
    matrix = trotz(0.3).matrix
    matrix[:3, :3] *= factor
    return matrix


def degrees_and_radians(angle):
    c, s = math.cos(angle), math.sin(math.degrees(angle))
    return [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


def damaged(w, damage):
    """Load a run whose file has been damaged."""
    path = w.run.save(w.folder / "run.npz")
    damage(path)
    return Trajectory.load(path)


def rewritten(**arrays):
    def damage(path):
        with np.load(path) as data:
            whole = dict(data)
        np.savez(path, **(whole | arrays))

    return damage


TRANSFORMS = [
    Mistake("rotation where a transform belongs", InputError, lambda w: w.body(np.eye(3)),
            "has shape", r"transform of body 'tool' has shape \(3, 3\): expected \(4, 4\).*transform\(R, e\)"),
    Mistake("rows of different lengths", InputError, lambda w: w.body([[1, 0, 0, 0], [0, 1, 0], [0, 0, 1, 0], [0]]),
            "has rows of different lengths", r"transform of body 'tool' has rows .* expected 4 rows of 4"),
    Mistake("angle instead of a transform", InputError, lambda w: w.body(w.q1),
            "matrix or a Transform, such as",
            r"transform of body 'tool' is q1 .*: expected a 4x4 matrix or a Transform"),
    Mistake("text instead of a transform", InputError, lambda w: w.body("trotz(q1)"),
            "matrix or a Transform, such as", r"body 'tool' is 'trotz\(q1\)' \(str\): expected a 4x4 matrix"),
    Mistake("scaled matrix", TransformError, lambda w: w.body(scaled(0.5)),
            "carries no scale", r"body 'tool' is not a rigid .* length 0.5, expected 1.* carries no scale"),
    Mistake("enlarged matrix", TransformError, lambda w: w.body(scaled(2)),
            "the matrix is scaled", r"body 'tool' .* entry \(1,1\) .* is 1.91067.* length 2: the matrix is scaled"),
    Mistake("left-handed matrix", TransformError, lambda w: w.body(np.diag([1, 1, -1, 1])),
            "is left-handed", r"body 'tool' is left-handed: its determinant is -1, expected \+1.* sign of one column"),
    Mistake("left-handed for all angles", TransformError,
            lambda w: transform(sympy.Matrix(trotz(w.q1).R.matrix) * sympy.diag(1, -1, 1)),
            "is left-handed", r"rotation given to transform is left-handed \(at q1 = .*expected \+1"),
    Mistake("transposed matrix", TransformError, lambda w: w.body((tdisp(1, 2, 3) * trotz(0.3)).matrix.T),
            "It looks transposed", r"body 'tool': entry \(4,1\) is 1.0, expected 0. It looks transposed"),
    Mistake("columns not perpendicular", TransformError, lambda w: transform([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]),
            "are not perpendicular",
            r"given to transform .* columns 1 and 2 .* 0.1, expected 0 \(look at entries \(1,2\)"),
    Mistake("degrees in trotz", ModelError, lambda w: w.body(trotz(90)),
            "angles are in radians", r"body 'tool' turns by a constant angle of 90.*write math.radians\(90\)"),
    Mistake("angles instead of cosines", TransformError, lambda w: w.body(np.diag([90, 1, 1, 1])),
            "not angles", r"body 'tool' .* entry \(1,1\) .* is 90.*radians, and the elements are cosines"),
    Mistake("degrees and radians mixed", TransformError, lambda w: w.body(degrees_and_radians(0.5)),
            "use radians in all of them", r"body 'tool' .* column 1 .*use radians in all of them"),
    Mistake("NaN in a displacement", InputError, lambda w: w.body(tdisp(NAN, 0, 0)),
            "expected a finite number", r"transform of body 'tool' is nan: expected a finite number"),
    Mistake("NaN in a rotation", TransformError, lambda w: w.body(np.diag([NAN, 1, 1, 1])),
            "expected a finite number", r"body 'tool': entry \(1,1\) of the rotation is nan, expected a finite number"),
    Mistake("infinite displacement", InputError, lambda w: w.body(tdisp(INF, 0, 0)),
            "expected a finite number", r"transform of body 'tool' is inf: expected a finite number"),
    Mistake("infinity of SymPy", InputError, lambda w: tdisp(0, sympy.oo, 0),
            "expected a real scalar", r"y of tdisp is oo: expected a real scalar"),
    Mistake("complex displacement", InputError, lambda w: tdisp(1j, 0, 0),
            "expected a number or a SymPy expression", r"x of tdisp is 1j \(complex\): expected a number"),
    Mistake("array in one place", InputError, lambda w: w.body(tdisp(np.array([1.0, 2.0]), 0, 0)),
            "expected one scalar in each place", r"body 'tool' contains an array of shape \(2,\): expected one scalar"),
    Mistake("text for an angle", InputError, lambda w: trotz("q1"),
            "strings are never evaluated",
            r"angle of trotz is the string 'q1': expected .* Write the expression itself"),
    Mistake("None for an angle", InputError, lambda w: trotz(None),
            "expected a number or a SymPy expression", r"angle of trotz is None .*: expected a number"),
    Mistake("truth value for an angle", InputError, lambda w: trotz(True),
            "not a condition", r"angle of trotz is True \(bool\): expected a number or an expression, not a condition"),
    Mistake("vector for a component", InputError, lambda w: tdisp((1, 0, 0), 0, 0),
            "expected a number or a SymPy expression", r"x of tdisp is \(1, 0, 0\) \(tuple\): expected a number"),
    Mistake("axis of no length", InputError, lambda w: trot((0, 0, 0), w.q1),
            "expected a vector of non-zero, finite length",
            r"axis of trot is \(0, 0, 0\): expected a vector of non-zero"),
    Mistake("infinite axis", InputError, lambda w: trot((0, INF, 1), w.q1),
            "expected a vector of non-zero, finite length", r"axis of trot is \(0, inf, 1\): expected a vector"),
    Mistake("axis by letter", InputError, lambda w: trot("z", w.q1),
            "expected three components", r"axis of trot is 'z' \(str\): expected three components"),
    Mistake("axis of two components", InputError, lambda w: trot((0, 1), w.q1),
            "expected three, (x, y, z)", r"axis of trot has 2 components: expected three"),
    Mistake("quaternion not of unit length", TransformError, lambda w: tquat(1, 1, 0, 0),
            "Divide the quaternion by its norm", r"tquat\(1, 1, 0, 0\): .* sum up to 2.0, expected 1. Divide"),
    Mistake("4x4 where a rotation belongs", InputError, lambda w: transform(np.eye(4)),
            "has shape", r"rotation given to transform has shape \(4, 4\): expected \(3, 3\).* is T.R"),
    Mistake("order with an axis twice in a row", InputError, lambda w: rotation_sequence("zzx", 1, 2, 3),
            "about the same axis are only one", r"rotation order 'zzx': two turns in a row"),
    Mistake("order in capitals", InputError, lambda w: trotz(0.1).R.angles("ZYX"),
            "expected three letters of x, y, z", r"rotation order 'ZYX': expected three letters"),
    Mistake("sum of transforms", InputError, lambda w: trotz(w.q1) + tdisp(1, 0, 0),
            "transforms are not added", r"transforms are not added.*: write T1 \* T2"),
    Mistake("transform times a number", InputError, lambda w: trotz(w.q1) * 2,
            "a product of transforms", r"right factor of a product of transforms is 2 \(int\): expected a 4x4"),
    Mistake("body instead of its transform", InputError, lambda w: w.upper * tdisp(1, 0, 0),
            "a product of transforms", r"left factor of a product .* is Body\('upper arm'.*: expected a 4x4"),
    Mistake("rotation times a transform", InputError, lambda w: trotz(0.3).R * tdisp(1, 0, 0),
            "expected a vector, a tensor or a number",
            r"a tensor times tdisp\(1, 0, 0\): expected .*transform\(R\) \* T"),
    Mistake("element outside of a rotation", InputError, lambda w: trotz(0.3).R[3, 0],
            "a tensor has no element", r"no element \(3, 0\): expected \[row, column\], each 0, 1 or 2"),
    Mistake("vector times vector", InputError, lambda w: w.u * w.v,
            "vector * vector is ambiguous", r"vector \* vector is ambiguous: write dot\(u, v\) or cross\(u, v\)"),
    Mistake("cross product by a hat", InputError, lambda w: w.u ^ w.v,
            "is not the cross product here", r"u \^ v is not the cross product here.*Write cross\(u, v\)"),
    Mistake("product of vectors by @", InputError, lambda w: w.u @ w.v,
            "u @ v is ambiguous", r"u @ v is ambiguous for vectors: write dot\(u, v\) or cross\(u, v\)"),
    Mistake("number added to a vector", InputError, lambda w: w.u + 1,
            "expected three components", r"vector added is 1 \(int\): expected three components"),
    Mistake("cross product in the plane", InputError, lambda w: cross((1, 2), (3, 4)),
            "expected three, (x, y, z)", r"first vector of cross has 2 components: expected three"),
    Mistake("text in a scalar product", InputError, lambda w: dot(w.u, "abc"),
            "expected three components", r"second vector of dot is 'abc' \(str\): expected three"),
    Mistake("division by the length of a zero vector", InputError, lambda w: vcoord(0, 0, 0) / vcoord(0, 0, 0).norm(),
            "the divisor of a vector is 0", r"divisor of a vector is 0: expected another number"),
    Mistake("text in an inertia tensor", InputError, lambda w: inertia_tensor(1, "1", 1),
            "strings are never evaluated", r"Iyy of an inertia tensor is the string '1': expected a number"),
]  # fmt: skip

DECLARING = [
    Mistake("name of a model", InputError, lambda w: Model(3),
            "the name of a model is", r"name of a model is 3: expected a text"),
    Mistake("gravity as a number", InputError, lambda w: Model("m", gravity=9.81),
            "expected three components", r"gravity is 9.81 \(float\): expected three components"),
    Mistake("gravity of a symbol nobody declared", ModelError,
            lambda w: setattr(w.model, "gravity", (0, sympy.Symbol("g"), 0)),
            "does not declare", r"gravity contains g, which model 'pendulum' does not declare. Declare it"),
    Mistake("name twice", ModelError, lambda w: w.model.coordinates("q3 q1"),
            "every name is declared once", r"model 'pendulum' has 'q1' already: every name is declared once"),
    Mistake("coordinate called as a parameter", ModelError, lambda w: w.model.coordinates("l1"),
            "every name is declared once", r"model 'pendulum' has 'l1' already"),
    Mistake("parameter called t", ModelError, lambda w: w.model.parameters(t=3),
            "is taken by time", r"the name t is taken by time .*choose another"),
    Mistake("no name", InputError, lambda w: w.model.coordinates(" "),
            "got no name", r"model.coordinates\(\) got no name: expected a text such as"),
    Mistake("name with a dash", InputError, lambda w: w.model.states("p-1"),
            "cannot be the name of one of the", r"'p-1' cannot be the name of one of the states: expected letters"),
    Mistake("number of coordinates", InputError, lambda w: w.model.coordinates(2),
            "or a list of names", r"names of coordinates are 2: expected a text such as"),
    Mistake("parameters in a dict", InputError, lambda w: w.model.parameters({"k": 1.0}),
            "to unpack a dict", r"names of parameters are .*k.*: expected .* model.parameters\(\*\*values\)"),
    Mistake("parameter twice in one call", ModelError, lambda w: w.model.parameters("k", k=3),
            "every name is declared once", r"model.parameters\(\) got 'k' twice: every name is declared once"),
    Mistake("no parameters", InputError, lambda w: w.model.parameters(),
            "expected names with values", r"model.parameters\(\) got nothing: expected names with values"),
    Mistake("too many initial values", InputError, lambda w: w.model.coordinates("a b", initial=(1, 2, 3)),
            "initial has", r"initial has 3 values: expected 2, for a, b"),
    Mistake("text for an initial value", InputError, lambda w: w.model.coordinates("a", initial="1"),
            "expected a number for all", r"initial='1': expected a number for all, or 1 in a tuple, for a"),
    Mistake("initial value NaN", InputError, lambda w: w.model.coordinates("a b", initial=(0, NAN)),
            "expected a finite number", r"initial value of b is nan: expected a finite number"),
    Mistake("initial value of a coordinate", ModelError, lambda w: w.model.coordinates("a", initial=w.q1),
            "it may depend on", r"initial value of a depends on q1 \(coordinate\): it may depend on parameters only"),
    Mistake("unit as a number", InputError, lambda w: w.model.coordinates("a", unit=3),
            "unit=", r"unit=3: expected a text, or one for each of a"),
    Mistake("text for a parameter", InputError, lambda w: w.model.parameters(k="1"),
            "expected a number", r"parameter 'k' is '1': expected a number"),
    Mistake("complex parameter", InputError, lambda w: w.model.parameters(k=1j),
            "expected a number", r"parameter 'k' is 1j \(complex\): expected a number"),
    Mistake("truth value for a parameter", InputError, lambda w: w.model.parameters(k=True),
            "expected a number", r"parameter 'k' is True: expected a number"),
    Mistake("expression for a parameter", InputError, lambda w: w.model.parameters(k=2 * w.l1),
            "Write expressions of parameters where they are used",
            r"'k' is 2\*l1: expected a number. Write expressions"),
    Mistake("value for a parameter nobody declared", UnknownNameError, lambda w: w.model.set_parameters(l1=3, l9=1),
            "has no parameter", r"model 'pendulum' has no parameter 'l9': its parameters are \['l1'\]"),
    Mistake("None for a parameter", InputError, lambda w: w.model.set_parameters(l1=None),
            "expected a number", r"parameter 'l1' is None: expected a number"),
    Mistake("body twice", ModelError, lambda w: w.body(name="upper arm"),
            "every body has a name of its own", r"model 'pendulum' has a body 'upper arm' already"),
    Mistake("body called ground", ModelError, lambda w: w.body(name="ground"),
            "the name ground is taken", r"the name ground is taken: it is body 0, model.ground"),
    Mistake("body without a name", InputError, lambda w: w.body(name=None),
            "the name of a body is", r"name of a body is None: expected a text"),
    Mistake("no mass", InputError, lambda w: w.body(mass=None),
            "has no mass", r"body 'tool' has no mass: give mass= \(kg\)"),
    Mistake("no inertia", InputError, lambda w: w.body(inertia=None),
            "has no inertia", r"body 'tool' has no inertia: give inertia=\(Ixx, Iyy, Izz\).*point mass"),
    Mistake("negative mass", ModelError, lambda w: w.body(mass=-1),
            "expected a number >= 0 (kg)", r"mass of body 'tool' is -1: expected a number >= 0"),
    Mistake("mass with its unit", InputError, lambda w: w.body(mass="1 kg"),
            "strings are never evaluated", r"mass of body 'tool' is the string '1 kg': expected a number"),
    Mistake("infinite mass", InputError, lambda w: w.body(mass=INF),
            "expected a finite number", r"mass of body 'tool' is inf: expected a finite number"),
    Mistake("complex mass", InputError, lambda w: w.body(mass=1j),
            "expected a number or a SymPy expression", r"mass of body 'tool' is 1j \(complex\): expected a number"),
    Mistake("mass that moves", ModelError, lambda w: w.body(mass=w.q1),
            "it may depend on", r"mass of body 'tool' depends on q1 \(coordinate\): it may depend on parameters only"),
    Mistake("list of masses", InputError, lambda w: w.body(mass=[1]),
            "expected a number or a SymPy expression", r"mass of body 'tool' is \[1\] \(list\): expected a number"),
    Mistake("negative principal moment", ModelError, lambda w: w.body(inertia=(1, 1, 1, 2, 0, 0)),
            "has a negative principal moment", r"inertia of body 'tool' has a negative .* -1 .*none can be below zero"),
    Mistake("two moments of inertia", InputError, lambda w: w.body(inertia=(1, 2)),
            "or a 3x3 tensor", r"inertia of body 'tool' has 2 values: expected 3 \(Ixx, Iyy, Izz\), 6"),
    Mistake("one moment of inertia", InputError, lambda w: w.body(inertia=1),
            "or a 3x3 tensor", r"inertia of body 'tool' is 1: expected 3 \(Ixx, Iyy, Izz\), 6"),
    Mistake("inertia not symmetric", ModelError, lambda w: w.body(inertia=[[1, 0.2, 0], [0, 1, 0], [0, 0, 1]]),
            "is not symmetric", r"inertia of body 'tool' is not symmetric: element \(1,2\) is 0.2, \(2,1\) is 0"),
    Mistake("ragged inertia", InputError, lambda w: w.body(inertia=[[1, 0, 0], [0, 1], [0, 0, 1]]),
            "has rows of different lengths", r"inertia of body 'tool' has rows .* expected 3 rows of 3"),
    Mistake("inertia NaN", InputError, lambda w: w.body(inertia=(1, 1, NAN)),
            "expected a finite number", r"inertia of body 'tool' is nan: expected a finite number"),
    Mistake("centre of mass in the plane", InputError, lambda w: w.body(com=(1, 2)),
            "expected three, (x, y, z)", r"centre of mass of body 'tool' has 2 components: expected three"),
    Mistake("symbol nobody declared", ModelError, lambda w: w.body(trotz(sympy.Symbol("q3"))),
            "does not declare", r"body 'tool' contains q3, which model 'pendulum' does not declare.* it knows t, q1"),
    Mistake("plain Symbol for a coordinate", ModelError, lambda w: w.body(trotz(sympy.Symbol("q1"))),
            "that is not the one of model", r"body 'tool' contains a Symbol called q1 that is not .*: use the symbol"),
    Mistake("plain Symbol for time", ModelError, lambda w: w.body(trotz(sympy.Symbol("t"))),
            "that is not the one of model", r"a Symbol called t that is not .*\(from easydyn import t for time\)"),
    Mistake("dynamicsymbols", ModelError, lambda w: w.body(trotz(dynamicsymbols("q1"))),
            "unknown functions of time are not used here",
            r"body 'tool' contains q1\(t\): .*model.coordinates and use q"),
    Mistake("coordinate of another model", ModelError, lambda w: w.body(trotz(w.x)),
            "does not declare", r"body 'tool' contains x, which model 'pendulum' does not declare"),
    Mistake("rate in a transform", ModelError, lambda w: w.body(trotz(w.q1.dot)),
            "it may depend on",
            r"body 'tool' depends on q1.dot \(rate of a coordinate\): it may depend on coordinates"),
    Mistake("function that cannot be evaluated", ModelError, lambda w: w.body(tdisp(sympy.gamma(w.q1), 0, 0)),
            "which cannot be evaluated here", r"body 'tool' contains gamma\(...\), which .* Functions that can: Abs"),
    Mistake("imaginary displacement", ModelError, lambda w: w.body(tdisp(sympy.I * w.q1, 0, 0)),
            "which is not a finite real number",
            r"body 'tool' contains I, which is not a finite real number. Look for"),
    Mistake("Piecewise without else", ModelError, lambda w: w.body(tdisp(sympy.Piecewise((1, t < 1)), 0, 0)),
            "says nothing for the remaining cases", r"body 'tool': Piecewise.* End the Piecewise with \(value, True\)"),
    Mistake("body that is not there", UnknownNameError, lambda w: w.model["hand"],
            "has no body", r"model 'pendulum' has no body 'hand': its bodies are \['upper arm', 'forearm'\]"),
    Mistake("partial contribution of a text", InputError, lambda w: w.upper.d["q1"],
            "expected a coordinate", r"d of body 'upper arm'\['q1'\]: expected a coordinate, one of \[q1\]"),
]  # fmt: skip

EFFORTS = [
    Mistake("force on a name", InputError, lambda w: Force("upper arm", (1, 0, 0)),
            "expected a body, as returned by model.body", r"body of a Force is 'upper arm': expected a body"),
    Mistake("force without a frame", InputError, lambda w: Force(w.upper, (1, 0, 0), frame=None),
            "expected a body, as returned by model.body", r"frame of a Force is None: expected a body, .* or ground"),
    Mistake("force on a body of another model", UnknownNameError, lambda w: w.model.add(Force(w.cart, (1, 0, 0))),
            "which is not a body of model",
            r"Force on 'cart' refers to body 'cart', .* \(its bodies: upper arm, forearm\)"),
    Mistake("reaction on a body of another model", UnknownNameError,
            lambda w: w.model.add(Force(w.upper, (1, 0, 0)), Moment(w.upper, (0, 0, 1), reaction=w.cart)),
            "which is not a body of model", r"Moment on 'upper arm' refers to body 'cart', .*'pendulum' \(its bodies"),
    Mistake("force as a number", InputError, lambda w: Force(w.upper, 3),
            "expected three components", r"the force is 3 \(int\): expected three components"),
    Mistake("moment in the plane", InputError, lambda w: Moment(w.upper, (0, 1)),
            "expected three, (x, y, z)", r"the moment has 2 components: expected three"),
    Mistake("point of a force", InputError, lambda w: Force(w.upper, (1, 0, 0), at=w.lower),
            "expected three components", r"point `at` of a Force is Body\('forearm'.*: expected three components"),
    Mistake("force NaN", InputError, lambda w: w.push(NAN),
            "expected a finite number", r"Force on 'upper arm' is nan: expected a finite number"),
    Mistake("condition for a force", InputError, lambda w: w.push(w.q1 > 0),
            "not a condition", r"component x of the force is q1 > 0 .*: expected a number or an expression"),
    Mistake("force of a plain Symbol", ModelError, lambda w: w.push(-sympy.Symbol("q1")),
            "that is not the one of model",
            r"Force on 'upper arm' contains a Symbol called q1 that is not .*: use the"),
    Mistake("impulse", ModelError, lambda w: w.push(sympy.DiracDelta(t - 1)),
            "an impulse is not a force",
            r"Force on 'upper arm' contains DiracDelta\(t - 1\): .*Give the velocity jump"),
    Mistake("division by zero in a force", InputError, lambda w: w.push(w.q1 / sympy.Integer(0)),
            "expected a real scalar", r"component x of the force is zoo\*q1: expected a real scalar"),
    Mistake("infinite factor in a force", ModelError, lambda w: w.push(sympy.oo * w.q1 + 1),
            "which is not a finite real number", r"Force on 'upper arm' contains oo, .*Look for a division by zero"),
    Mistake("coordinate by its name", InputError, lambda w: GeneralizedForce("q1", 1),
            "expected one returned by model.coordinates",
            r"coordinate of a GeneralizedForce is 'q1' \(str\): expected one"),
    Mistake("plain Symbol as coordinate of a force", InputError, lambda w: GeneralizedForce(sympy.Symbol("q1"), 1),
            "expected one returned by model.coordinates",
            r"coordinate of a GeneralizedForce is q1 \(Symbol\): expected one"),
    Mistake("force on a coordinate of another model", UnknownNameError, lambda w: w.model.add(GeneralizedForce(w.x, 1)),
            "is not a coordinate of model",
            r"GeneralizedForce on x: x is not .*'pendulum' \(its coordinates: q1, q2\)"),
    Mistake("vector as generalised force", InputError, lambda w: GeneralizedForce(w.q1, (1, 0, 0)),
            "expected a number or a SymPy expression",
            r"generalised force on q1 is \(1, 0, 0\) \(tuple\): expected a number"),
    Mistake("no stiffness", InputError, lambda w: Spring(w.upper, ground, free_length=1),
            "there is no default for a physical value", r"stiffness of a Spring was not given: there is no default"),
    Mistake("negative stiffness", InputError, lambda w: Spring(w.upper, ground, stiffness=-1, free_length=1),
            "expected a number >= 0", r"stiffness of a Spring is -1: expected a number >= 0"),
    Mistake("stiffness in an array", InputError, lambda w: Spring(w.upper, ground, stiffness=np.ones(2), free_length=1),
            "expected a number", r"stiffness of a Spring is array\(.*: expected a number"),
    Mistake("infinite damping", InputError, lambda w: Damper(w.upper, ground, damping=INF),
            "expected a finite number", r"damping of a Damper is inf: expected a finite number"),
    Mistake("end of a spring", InputError, lambda w: Spring((1, 2, 3), ground, stiffness=1, free_length=1),
            "with the point in body axes", r"first end of a Spring is \(1, 2, 3\): expected a body, or a pair"),
    Mistake("end of a damper the wrong way round", InputError,
            lambda w: Damper(((1, 0, 0), w.upper), ground, damping=1),
            "expected a body, as returned by model.body",
            r"body of the first end of a Damper is \(1, 0, 0\): expected a"),
    Mistake("list of efforts", InputError, lambda w: w.model.add([Force(w.upper, (1, 0, 0))]),
            "to unpack a list", r"model.add got \[Force on 'upper arm'\]: expected Force, .*model.add\(\*efforts\)"),
    Mistake("nothing to add", InputError, lambda w: w.model.add(),
            "model.add() got nothing", r"model.add\(\) got nothing: expected Force, Moment"),
    Mistake("efforts that are no function", InputError, lambda w: w.model.efforts(3),
            "expected a function f(t, bodies)",
            r"efforts function '3' of model 'pendulum' is 3: expected a function f"),
    Mistake("efforts without arguments", InputError, lambda w: w.model.efforts(lambda: None),
            "expected a function f(t, bodies)",
            r"'<lambda>' of model 'pendulum' cannot be called .*: expected a function"),
    Mistake("callback that fails", ModelError, lambda w: pushed(lambda bodies: 1 / 0),
            "Look at the line of your function",
            r"'push' of model 'slider' failed at t = 0 s: ZeroDivisionError.*Look at"),
    Mistake("callback with an unknown body", UnknownNameError, lambda w: pushed(lambda bodies: bodies["blok"]),
            "there is no body",
            r"'push' of model 'slider', at t = 0 s: there is no body 'blok': the bodies are \['block'\]"),
    Mistake("callback that adds a plane force", InputError,
            lambda w: pushed(lambda bodies: setattr(bodies["block"], "R", bodies["block"].R + (1, 2))),
            "expected three, (x, y, z)",
            r"'push' of model 'slider', at t = 0 s: the vector added has 2 .*: expected three"),
    Mistake("callback that sets a number", InputError,
            lambda w: pushed(lambda bodies: setattr(bodies["block"], "MG", 3.0)),
            "expected three components", r"resultant moment MG on body 'block' is 3.0 \(float\): expected three"),
    Mistake("callback with a symbol", InputError, lambda w: pushed(lambda bodies: setattr(bodies[0], "R", (t, 0, 0))),
            "symbols belong in a Model", r"resultant force R on body 'block' is \(t, 0, 0\): expected three numbers"),
    Mistake("callback that mistypes a name", ModelError,
            lambda w: pushed(lambda bodies: setattr(bodies[0], "Mg", (0, 0, 1))),
            "Look at the line of your function", r"'push' of model 'slider' failed .* no attribute 'Mg'.*Look at"),
    Mistake("callback that returns NaN", NotFiniteError,
            lambda w: pushed(lambda bodies: setattr(bodies[0], "R", (NAN, 0, 0))),
            "look at the motion so far", r"model 'slider': the residual of x is nan at t = 0 s .*error.trajectory"),
]  # fmt: skip

EQUATIONS = [
    Mistake("equation as a text", InputError, lambda w: w.model.equation("x.ddot + x"),
            "expected one SymPy expression that is zero",
            r"equation of model 'pendulum' is 'x.ddot \+ x': expected one"),
    Mistake("equation with ==", InputError, lambda w: w.model.equation(w.q1 == w.q2),
            "expected one SymPy expression that is zero",
            r"equation of model 'pendulum' is False: .*sympy.Eq\(left, right\)"),
    Mistake("inequality", InputError, lambda w: w.model.equation(w.q1 < 1),
            "expected one SymPy expression that is zero",
            r"equation of model 'pendulum' is q1 < 1: expected one SymPy"),
    Mistake("two equations at once", InputError, lambda w: w.model.equation([w.q1, w.q2]),
            "expected one SymPy expression that is zero", r"equation of model 'pendulum' is \[q1, q2\]: expected one"),
    Mistake("equation without an unknown", ModelError, lambda w: w.model.equation(w.l1 - sympy.sin(t)),
            "it cannot determine anything",
            r"equation of model 'pendulum' is l1 - sin\(t\): it contains no coordinate"),
    Mistake("equation with a symbol nobody declared", ModelError, lambda w: w.model.equation(w.q1 + sympy.Symbol("z")),
            "does not declare", r"equation of model 'pendulum' contains z, which .* Declare it with model.coordinates"),
    Mistake("equation with a derivative of SymPy", ModelError, lambda w: w.model.equation(dynamicsymbols("q1").diff()),
            "unknown functions of time are not used here",
            r"equation of model 'pendulum' contains q1\(t\).* use q, q.dot"),
    Mistake("no coordinates", ModelError, lambda w: Model("empty").equations(),
            "has no coordinates", r"model 'empty' has no coordinates: declare them with model.coordinates"),
    Mistake("coordinate that moves nothing", ModelError, lambda w: extended(lambda m, b: m.coordinates("y")),
            "moves nothing",
            r"model 'slider': coordinate y moves nothing.*Use it in a transform, or do not declare it"),
    Mistake("force on a coordinate with its own equation", ModelError, lambda w: extended(
            lambda m, b: [(m.add(GeneralizedForce(y, 1)), m.equation(y.ddot + y)) for y in m.coordinates("y")]),
            "write the force into its equation instead",
            r"GeneralizedForce on y acts on a coordinate that moves no body"),
    Mistake("state without an equation", ModelError, lambda w: jack(0).compile(),
            "the unknown of the first-order state", r"'jack': no equation contains p.dot.* Add model.equation\(...\)"),
    Mistake("too few equations", ModelError, lambda w: jack(1).compile(),
            "moves nothing", r"model 'jack': coordinate x moves nothing"),
    Mistake("too many equations", ModelError, lambda w: jack(0, 1, 2).compile(),
            "equations: expected", r"model 'jack' has 3 equations: expected 2, one for each of x, p"),
    Mistake("equation for a coordinate that moves a body", ModelError,
            lambda w: extended(lambda m, b: m.equation(m.symbols["x"].ddot - 1)),
            "equations: expected", r"model 'slider' has 1 equations: expected 0.* get theirs from d'Alembert"),
]  # fmt: skip

COMPILING = [
    Mistake("unknown target", InputError, lambda w: w.model.compile("fortran"),
            "target=", r"target='fortran': expected one of auto"),
    Mistake("unknown scheme", InputError, lambda w: w.model.compile(scheme="fast"),
            "scheme=", r"scheme='fast': expected one of recursive, explicit"),
    Mistake("unknown operations", InputError, lambda w: w.model.operations("M"),
            "operations(of=", r"operations\(of='M'\): expected \"residual\""),
    Mistake("parameters in a list", InputError, lambda w: w.model.compile(parameters=[1.2]),
            "expected a dict such as", r"parameters is \[1.2\]: expected a dict such as"),
    Mistake("value for a coordinate among the parameters", UnknownNameError,
            lambda w: w.model.compile(parameters={"q1": 1}),
            "has no parameter", r"model 'pendulum' has no parameter 'q1': its parameters are \['l1'\]"),
    Mistake("parameter without a value", ModelError,
            lambda w: parametrised(None, lambda m, k: m.add(GeneralizedForce(m.symbols["x"], k))),
            "no value for parameter",
            r"model 'slider': no value for parameter k. Give one with parameters=\{'k': ...\}"),
    Mistake("mass that becomes negative", ModelError,
            lambda w: parametrised(-1, lambda m, k: m.body("load", trotz(m.symbols["x"]), mass=k, inertia=(0, 0, 0))),
            "expected a number >= 0 (kg)", r"mass of body 'load' is k = -1: expected a number >= 0"),
    Mistake("division by a parameter that is zero", ModelError,
            lambda w: parametrised(0, lambda m, k: m.add(GeneralizedForce(m.symbols["x"], 1 / k))),
            "in what depends on parameters alone",
            r"model 'slider': .*division by zero .*'k': 0.0.* Check their values"),
    Mistake("no mass at all", SingularMatrixError, lambda w: slider(mass=0).compile().accelerations(0, [0], [0]),
            "is singular at t", r"mass matrix is singular at t = 0 s.* acceleration of x. Give mass or inertia"),
    Mistake("two coordinates doing the same", SingularMatrixError,
            lambda w: twins().compile().accelerations(0, [0, 0], [0, 0]),
            "is singular at t", r"acceleration of a, b. .*use another coordinate if two of them do the same"),
    Mistake("too few coordinates", InputError, lambda w: w.system.residual(0, [0], [0, 0], [0, 0]),
            "one value for each of", r"q has shape \(1,\): expected \(..., 2\), one value for each of q1, q2"),
    Mistake("rates too many", InputError, lambda w: w.system.accelerations(0, [0, 0], [0, 0, 0]),
            "one value for each of", r"qd has shape \(3,\): expected \(..., 2\), one value for each of q1, q2"),
    Mistake("column of coordinates", InputError, lambda w: w.system.mass_matrix(0, [[0], [0]]),
            "one value for each of", r"q has shape \(2, 1\): expected \(..., 2\)"),
    Mistake("name for a state", InputError, lambda w: w.system.mass_matrix(0, "q1"),
            "expected real numbers", r"q is 'q1': expected real numbers"),
    Mistake("numbers as texts", InputError, lambda w: w.system.mass_matrix(0, ["1", "2"]),
            "expected real numbers", r"q is \['1', '2'\]: expected real numbers"),
    Mistake("complex state", InputError, lambda w: w.system.residual(0, np.array([1j, 0]), [0, 0], [0, 0]),
            "expected real numbers", r"q is array\(\[0.\+1.j, 0.\+0.j\]\): expected real numbers"),
    Mistake("None for the time", InputError, lambda w: w.system.frames(None, [0, 0]),
            "expected real numbers", r"t is None: expected real numbers"),
    Mistake("symbols for numbers", InputError, lambda w: w.system.residual(t, [w.q1, w.q2], [0, 0], [0, 0]),
            "expected real numbers", r"q is \[q1, q2\]: expected real numbers"),
    Mistake("leading axes that do not fit", InputError,
            lambda w: w.system.residual(0, np.zeros((3, 2)), np.zeros((4, 2)), [0, 0]),
            "the leading axes do not fit together",
            r"leading axes do not fit together: t \(\), q \(3, 2\), qd \(4, 2\)"),
]  # fmt: skip

SIMULATING = [
    Mistake("time as a text", InputError, lambda w: w.simulate("5"),
            "expected a number", r"t_final is '5': expected a number"),
    Mistake("run without end", InputError, lambda w: w.simulate(INF),
            "expected a finite number", r"t_final is inf: expected a finite number"),
    Mistake("end before the start", InputError, lambda w: w.simulate(1, t_start=2),
            "expected a time after the start", r"t_final is 1 s: expected a time after the start, 2 s"),
    Mistake("save_every zero", InputError, lambda w: w.simulate(save_every=0),
            "expected a number above zero", r"save_every is 0: expected a number above zero"),
    Mistake("save_every negative", InputError, lambda w: w.simulate(save_every=-0.01),
            "expected a number above zero", r"save_every is -0.01: expected a number above zero"),
    Mistake("save_every much too small", InputError, lambda w: w.simulate(save_every=1e-300),
            "numbers would be kept", r"save_every is 1e-300 s: 1.0e\+299 instants of 7 numbers would be kept"),
    Mistake("negative step", InputError, lambda w: w.simulate(step=-1),
            "expected a number above zero", r"step is -1: expected a number above zero"),
    Mistake("tolerance zero", InputError, lambda w: w.simulate(tolerance=0),
            "expected a number above zero", r"tolerance is 0: expected a number above zero"),
    Mistake("unknown method", InputError, lambda w: w.simulate(method="rk4"),
            "method=", r"method='rk4': expected one of newmark, hht, generalized_alpha"),
    Mistake("odd order", InputError, lambda w: w.simulate(method=newmark_extrapolated(5)),
            "order is", r"order is 5: expected 4, 6, 8, 10 or 12"),
    Mistake("fixed steps with a method of SciPy", InputError, lambda w: w.simulate(method="scipy:Radau", step=0.1),
            "chooses its steps itself",
            r"step is 0.1 s: method='scipy:Radau' chooses its steps itself; leave `step` out"),
    Mistake("a method of SciPy by its name there", InputError, lambda w: w.simulate(method="BDF"),
            "that of SciPy", r"^method='BDF': expected \"scipy:BDF\", that of SciPy\.$"),
    Mistake("the name of two methods", InputError, lambda w: w.simulate(method="DOP853"),
            "easydyn's own, or", r"method='DOP853': expected \"dop853\", easydyn's own, or \"scipy:DOP853\", that"),
    Mistake("llvmlite is missing", MissingDependencyError,
            lambda w: without("llvmlite", lambda: w.model.compile(target="native")),
            "needs the package llvmlite", r'target="native" needs the package llvmlite.*pip install llvmlite'),
    Mistake("beta out of range", InputError, lambda w: newmark(2),
            "expected a number from", r"beta is 2: expected a number from 0 to 1"),
    Mistake("None for a coefficient", InputError, lambda w: generalized_alpha(None),
            "expected a number", r"spectral_radius is None: expected a number"),
    Mistake("alpha of the wrong sign", InputError, lambda w: hht(0.1),
            "expected a number from", r"alpha is 0.1: expected a number from -0.333333 to 0"),
    Mistake("unknown option", ArgumentError, lambda w: w.simulate(save_evry=0.1),
            "has no argument", r"simulate\(\) has no argument 'save_evry': did you mean save_every\? It takes t_final"),
    Mistake("unknown option of a stepper", ArgumentError, lambda w: w.model.stepper(tol=1),
            "has no argument", r"stepper\(\) has no argument 'tol': did you mean tolerance\?"),
    Mistake("initial value of an unknown name", UnknownNameError, lambda w: w.simulate(initial={"q3": 1}),
            "does not know", r"initial has 'q3', which model 'pendulum' does not know: expected one of q1, q2, q1.dot"),
    Mistake("initial values in a list", InputError, lambda w: w.simulate(initial=[]),
            "expected a dict such as", r"initial is \[\]: expected a dict such as"),
    Mistake("initial values in an array", InputError, lambda w: w.simulate(initial=np.array([0.0, 1.0])),
            "expected a dict such as", r"initial is array\(\[0., 1.\]\): expected a dict such as"),
    Mistake("symbol for an initial value", InputError, lambda w: w.simulate(initial={"q1": w.l1}),
            "expected a number", r"initial value of q1 is l1 \(Parameter\): expected a number"),
    Mistake("unknown parameter for a run", UnknownNameError, lambda w: w.simulate(parameters={"g": 9.81}),
            "has no parameter", r"model 'pendulum' has no parameter 'g': its parameters are"),
    Mistake("one jump", InputError, lambda w: w.simulate(jumps=0.5),
            "expected a list of times", r"jumps is 0.5: expected a list of times \(s\), such as jumps=\[0.5\]"),
    Mistake("jump at NaN", InputError, lambda w: w.simulate(jumps=[NAN]),
            "expected a finite number", r"a time of `jumps` is nan: expected a finite number"),
    Mistake("progress as a text", InputError, lambda w: w.simulate(progress="yes"),
            "progress=", r"progress='yes': expected True, False or a function"),
    Mistake("step backwards", InputError, lambda w: w.model.stepper().step(-0.1),
            "expected a number above zero", r"the step h is -0.1: expected a number above zero"),
    Mistake("stepper without a function", InputError, lambda w: Stepper(3, q=[1.0], qd=[0.0]),
            "expected a function f(t, q, qd, qdd)", r"the residual is 3: expected a function f\(t, q, qd, qdd\)"),
    Mistake("residual of two arguments", InputError, lambda w: oscillator(lambda t, q: q),
            "expected a function f(t, q, qd, qdd)", r"the residual cannot be called .*: expected a function f"),
    Mistake("residual that returns nothing", InputError, lambda w: oscillator(lambda t, q, qd, qdd: None),
            "what the residual returned", r"what the residual returned is None: expected an array of 1 real numbers"),
    Mistake("attribute misspelt", UnknownAttributeError, lambda w: w.model.cordinates, "has no '",
            r"Model has no 'cordinates': did you mean coordinates\? It has add, .*bodies, .* simulate, "),
    Mistake("column as an attribute", UnknownAttributeError, lambda w: w.run.q1, "has no attribute '",
            r"Trajectory has no attribute 'q1': expected its name in brackets and quotes, \['q1'\], not .q1"),
    Mistake("rate of another name", UnknownAttributeError, lambda w: w.q1.dt, "of a coordinate q the rates are",
            r"q1 has no 'dt': of a coordinate q the rates are q.dot, q.ddot"),
    Mistake("power by a hat", InputError, lambda w: w.q1 ^ 2, "is no power in Python", r"q1 \^ 2 is no .*write q1"),
    Mistake("rate called", InputError, lambda w: w.q1.dot(), "is called, and is a symbol", r"q1.dot\(.* brackets"),
    Mistake("function of NumPy", NoNumberError, lambda w: np.arcsin(w.q1), "is a symbol and no number",
            r"q1 is a symbol and no number, as numpy.arcsin wants one: take asin from SymPy"),
    Mistake("element of a transform set", InputError, lambda w: w.upper.T.__setitem__((0, 3), 2),
            "elements of a transform are not set", r"not set: write another product, such as T \* tdisp"),
    Mistake("velocity squared", InputError, lambda w: w.upper.v**2, "column * column is ambiguous", r"write u.dot"),
    Mistake("product of velocities", InputError, lambda w: w.upper.v * w.lower.v, "column * column is ambiguous",
            r"write u.dot\(v\) or u.cross\(v\)"),
    Mistake("residual that counts its calls", InputError,
            lambda w: oscillator(lambda t, q, qd, qdd, counted=[]: counted.append(t) or qdd + len(counted)),
            "for the same state", r"residual gave \[.*\] and then \[.*\] for the same state, at t = 0 s: expected a f"),
    Mistake("residual of the wrong shape", InputError, lambda w: oscillator(lambda t, q, qd, qdd: np.zeros(2)),
            "the residual returned shape",
            r"residual returned shape \(2,\): expected \(1,\), one value per coordinate"),
    Mistake("residual of another shape later", InputError,
            lambda w: oscillator(lambda t, q, qd, qdd: qdd if t < 0.5 else 1.0),
            "the residual returned shape", r"residual returned shape \(\): expected \(1,\)"),
    Mistake("complex residual", InputError, lambda w: oscillator(lambda t, q, qd, qdd: qdd + 1j),
            "what the residual returned", r"what the residual returned is array\(.*j\]\): expected an array of 1 real"),
    Mistake("state as a number", InputError, lambda w: oscillator(q=1.0),
            "expected (n,), one value for each coordinate", r"q has shape \(\): expected \(n,\), one value for each"),
    Mistake("complex initial state", InputError, lambda w: oscillator(q=np.array([1j])),
            "expected a list of numbers", r"q is array\(\[0.\+1.j\]\): expected a list of numbers"),
    Mistake("initial state NaN", InputError, lambda w: oscillator(q=[NAN]),
            "is not finite", r"q\[0\] is not finite: .*Expected finite numbers"),
    Mistake("more rates than coordinates", InputError, lambda w: oscillator(qd=[1.0, 2.0]),
            "expected as many rates as coordinates", r"q has 1 values and qd 2: expected as many"),
    Mistake("names in one text", InputError, lambda w: oscillator(names="x"),
            "expected a list of names", r"names is 'x': expected a list of names, such as names=\["),
    Mistake("too many names", InputError, lambda w: oscillator(names=["a", "b"]),
            "names has", r"names has 2 entries: expected 1, one for each coordinate"),
    Mistake("first-order state that is not there", InputError, lambda w: oscillator(first_order=[3]),
            "first_order is", r"first_order is \[3\]: expected indices below 1"),
    Mistake("scale of a coordinate", InputError, lambda w: oscillator(scale=1e5),
            "no unknown is a first-order state", r"scale is 100000.0: no unknown is a first-order state"),
    Mistake("too many scales", InputError, lambda w: oscillator(first_order=[0], scale=(1, 2)),
            "one for each first-order state", r"scale has 2 values: expected 1, one for each first-order state"),
    Mistake("rates that are no function", InputError, lambda w: oscillator(rates=3),
            "rates is", r"rates is 3: expected a function g\(t, q, qd, qdd\)"),
]  # fmt: skip

RESULTS = [
    Mistake("column that is not there", UnknownNameError, lambda w: w.run["nope"],
            "this run has no", r"this run has no 'nope': it has t, q1, q1.dot, q1.ddot"),
    Mistake("column by number", UnknownNameError, lambda w: w.run[0],
            "this run has no", r"this run has no '0': it has t, q1"),
    Mistake("unit of nothing", UnknownNameError, lambda w: w.run.unit("nope"),
            "this run has no", r"this run has no 'nope': it has t, q1"),
    Mistake("expression of another model", ModelError, lambda w: w.run.of(w.x),
            "is not a symbol of model", r"run.of: x \(Coordinate\) is not a symbol of model 'pendulum': use those"),
    Mistake("expression of a plain Symbol", ModelError, lambda w: w.run.of(2 * sympy.Symbol("q1")),
            "is not a symbol of model", r"run.of: q1 \(Symbol\) is not a symbol of model 'pendulum': use those"),
    Mistake("text as an expression", InputError, lambda w: w.run.of("q1"),
            "for a column, run.of for an expression", r"'q1' is a text: use run\['q1'\] for a column"),
    Mistake("column as an expression", InputError, lambda w: w.run.of(w.run["q1"]),
            "run.of got an array of numbers", r"array of numbers of shape \(6,\): expected an expression of symbols"),
    Mistake("transform as an expression", InputError, lambda w: w.run.of(w.upper.T),
            "expected a SymPy expression of the model's symbols",
            r"run.of got trotz.*: expected .* frames come from run.frames"),
    Mistake("None as an expression", InputError, lambda w: w.run.of(None),
            "expected a SymPy expression of the model's symbols", r"run.of got None: expected a SymPy expression"),
    Mistake("expression that cannot be evaluated", ModelError, lambda w: w.run.of(sympy.gamma(w.q1)),
            "which cannot be evaluated here", r"run.of contains gamma\(...\), which .*Functions that can"),
    Mistake("no expressions", InputError, lambda w: w.run.of([]),
            "run.of got an empty list", r"run.of got an empty list: expected at least one"),
    Mistake("expression without a model", ModelError, lambda w: w.bare.of(w.q1),
            "needs the model", r"run.of needs the model.*Load a file with Trajectory.load\(path, model=model\)"),
    Mistake("energy of equations", ModelError, lambda w: jack(0, 1).simulate(0.01).energy,
            "its energy is not known", r"'jack' has no bodies: its energy is not known. Write it with run.of"),
    Mistake("frames of an unknown body", UnknownNameError, lambda w: w.run.frames("hand"),
            "there is no body", r"there is no body 'hand': the bodies are upper arm, forearm"),
    Mistake("unknown energy", UnknownNameError, lambda w: w.run.energy["heat"],
            "here: expected one of", r"no 'heat' here: expected one of kinetic, potential"),
    Mistake("plot of an unknown name", UnknownNameError, lambda w: w.run.plot("q1", "nope"),
            "this run has no", r"this run has no 'nope': it has t, q1"),
    Mistake("plot of a list", InputError, lambda w: w.run.plot(["q1", "q2"]),
            "give the names one by one", r"run.plot got the list \['q1', 'q2'\]: give the names one by one"),
    Mistake("plot on a number", InputError, lambda w: w.run.plot_steps(ax=3),
            "expected matplotlib axes", r"ax is a int: expected matplotlib axes"),
    Mistake("file in a folder that is not there", FileError, lambda w: w.run.save(w.folder / "nowhere" / "run.npz"),
            "cannot write", r"cannot write '.*run.npz': .*Choose another folder"),
    Mistake("folder instead of a file", FileError, lambda w: w.run.to_csv(w.folder),
            "cannot write", r"cannot write '.*': .*Choose another folder"),
    Mistake("no path", FileError, lambda w: w.run.save(None),
            "expected the name of a file", r"the path is None: expected the name of a file"),
    Mistake("file that is not there", FileError, lambda w: Trajectory.load(w.folder / "nope.npz"),
            "there is no file", r"there is no file '.*nope.npz': expected one written by run.save"),
    Mistake("text instead of a run", FileError, lambda w: damaged(w, lambda path: path.write_text("t,q1\n0,1\n")),
            "is not a run written by Trajectory.save", r"run.npz' is not a run .*Save the run again"),
    Mistake("half a file", FileError, lambda w: damaged(w, lambda path: path.write_bytes(path.read_bytes()[:300])),
            "is not a run written by Trajectory.save", r"run.npz' is not a run .*Save the run again"),
    Mistake("other arrays", FileError, lambda w: damaged(w, lambda path: np.savez(path, a=1)),
            "is not a run written by Trajectory.save", r"run.npz' is not a run .*Save the run again"),
    Mistake("arrays that do not fit", FileError, lambda w: damaged(w, rewritten(q=np.zeros((2, 1)))),
            "is not a run written by Trajectory.save", r"run.npz' is not a run .*or it is damaged"),
    Mistake("file of a later version", FileError, lambda w: damaged(w, rewritten(about=np.array('{"format": 99}'))),
            "has format", r"run.npz' has format 99: this version reads 1"),
    Mistake("run of another model", ModelError,
            lambda w: Trajectory.load(w.run.save(w.folder / "a.npz"), model=w.other),
            "not the same one", r"a.npz' has the unknowns q1, q2, the model x: not the same one. Give the model"),
    Mistake("model by its name", InputError,
            lambda w: Trajectory.load(w.run.save(w.folder / "a.npz"), model="pendulum"),
            "that made the run", r"model is 'pendulum': expected the Model, or the System, that made the run"),
]  # fmt: skip

EXPORT = [
    Mistake("unknown language", InputError, lambda w: w.model.export("pascal", w.folder),
            "language=", r'language=\'pascal\': expected one of "c", "c\+\+", "matlab", "modelica", "fortran"'),
    Mistake("no language", InputError, lambda w: w.model.export(None, w.folder / "a.c"),
            "language=", r'language=None: expected one of "c", .*"julia", "rust"'),
    Mistake("export of plain Python", ModelError, lambda w: pushing().export("rust", w.folder),
            "has efforts in plain Python",
            r"'slider' has efforts in plain Python \(push\), which cannot be written in Rust: write them as Force"),
    Mistake("export of an infinite number", ModelError, lambda w: enormous().export("c", w.folder),
            "a constant of its equations is", r"a constant of its equations is inf, .* written in C. Look for numbers"),
    Mistake("export with too many steps", InputError, lambda w: w.model.export("c", w.folder, step=1e-12),
            "steps would be done", r"step is 1e-12 s .* 5e\+12 steps would be done until t_final = 5 s, expected at"),
    Mistake("export with a step of zero", InputError, lambda w: w.model.export("c", w.folder, step=0),
            "expected a number above zero", r"step is 0: expected a number above zero"),
    Mistake("export until never", InputError, lambda w: w.model.export("c", w.folder, t_final=INF),
            "expected a finite number", r"t_final is inf: expected a finite number"),
    Mistake("export of an unknown scheme", InputError, lambda w: w.model.export("c", w.folder, scheme="quick"),
            "scheme=", r"scheme='quick': expected one of recursive, explicit"),
    Mistake("export with an unknown parameter", UnknownNameError,
            lambda w: w.model.export("c", w.folder, parameters={"g": 1}),
            "has no parameter", r"model 'pendulum' has no parameter 'g': its parameters are \['l1'\]"),
    Mistake("export with an unknown initial value", UnknownNameError,
            lambda w: w.model.export("c", w.folder, initial={"q3": 1}),
            "does not know", r"initial has 'q3', which model 'pendulum' does not know: expected one of q1"),
    Mistake("expression out of its domain", ModelError, lambda w: w.run.of(sympy.sqrt(w.q1 - 9)),
            "is not a number at t =", r"run.of: sqrt\(q1 - 9\) is not a number at t = 0 s, and at 6 of 6"),
    Mistake("export to a folder that is not there", FileError,
            lambda w: w.model.export("c", w.folder / "nowhere" / "pendulum.c"),
            "cannot write", r"cannot write '.*pendulum.c': No such file or directory. Choose another folder"),
    Mistake("export to a folder that is not there, by its name", FileError,
            lambda w: w.model.export("c", f"{w.folder}/nowhere/"),
            "cannot write", r"cannot write '.*nowhere': there is no such folder. Choose another folder"),
    Mistake("export to no path", FileError, lambda w: w.model.export("julia", None),
            "expected the name of a file", r'the path is None: expected the name of a file, such as "pendulum.jl", or'),
    Mistake("export to an empty path", FileError, lambda w: w.model.export("c", " "),
            "expected the name of a file", r"the path is ' ': expected the name of a file"),
    Mistake("export to an impossible name", FileError, lambda w: w.model.export("c", w.folder / ("x" * 300)),
            "cannot write", r"cannot write '.*xxx': .*Choose another folder"),
]  # fmt: skip

BY_HAND = [
    Mistake("motion that is no function", InputError, lambda w: System("by hand", None, coordinates="q"),
            "expected a function f(t, q, qd, qdd, bodies)",
            r"compute_motion of 'by hand' is None: expected a function"),
    Mistake("motion of two arguments", InputError, lambda w: System("by hand", lambda t, q: None, coordinates="q"),
            "expected a function f(t, q, qd, qdd, bodies)",
            r"compute_motion of 'by hand' cannot be called .*: expected"),
    Mistake("number of coordinates by hand", InputError, lambda w: hand(coordinates=2),
            "expected different names", r"coordinates=2: expected different names"),
    Mistake("same coordinate twice by hand", InputError, lambda w: hand(coordinates="q q"),
            "expected different names", r"coordinates='q q': expected different names"),
    Mistake("two initial values for one coordinate", InputError, lambda w: hand(initial=(1, 2)),
            "initial has", r"initial has 2 values: expected 1, one for each coordinate"),
    Mistake("body twice by hand", ModelError, lambda w: hand().body("bob", mass=1, inertia=(0, 0, 0)),
            "the name of a body is", r"name of a body is 'bob': expected a text that no other body of 'by hand' has"),
    Mistake("no inertia by hand", InputError, lambda w: hand().body("rod", mass=1),
            "there is no default", r"body 'rod' has no inertia \(kg m2\): give it"),
    Mistake("negative inertia by hand", ModelError, lambda w: hand().body("rod", mass=1, inertia=(0, 0, -1)),
            "has a negative principal moment", r"inertia of body 'rod' has a negative principal moment, -1"),
    Mistake("no bodies by hand", ModelError, lambda w: System("by hand", compute_motion, coordinates="q").simulate(1),
            "has no bodies: add them", r"'by hand' has no bodies: add them with system.body"),
    Mistake("rotation for a transform by hand", InputError, lambda w: wrong(T=np.eye(3)),
            "has shape", r"the T of body 'bob' has shape \(3, 3\): expected \(4, 4\)"),
    Mistake("velocity in the plane by hand", InputError, lambda w: wrong(vG=(1, 2)),
            "expected three, (x, y, z)", r"vG of body 'bob' has 2 components: expected three"),
    Mistake("angular velocity as a number", InputError, lambda w: wrong(omega=3.0),
            "expected three components", r"omega of body 'bob' is 3.0 \(float\): expected three components"),
    Mistake("symbol by hand", InputError, lambda w: wrong(aG=(sympy.Symbol("a"), 0, 0)),
            "symbols belong in a Model", r"aG of body 'bob' is \(a, 0, 0\): expected three numbers"),
    Mistake("name mistyped by hand", ModelError, lambda w: wrong(vg=(0, 0, 0)),
            "Look at the line of your function",
            r"compute_motion of 'by hand' failed at t = 0 s.* no attribute 'vg'.*Look"),
    Mistake("NaN by hand", NotFiniteError, lambda w: wrong(aG=(NAN, 0, 0)),
            "look at the motion so far", r"residual of q is nan at t = 0 s .*error.trajectory"),
    Mistake("body that is not there by hand", UnknownNameError,
            lambda w: hand(efforts=lambda t, bodies: bodies["rod"]).simulate(1),
            "there is no body", r"there is no body 'rod': the bodies are \['bob'\]"),
    Mistake("efforts that fail by hand", ModelError, lambda w: hand(efforts=lambda t, bodies: 1 / 0).simulate(1),
            "Look at the line of your function", r"efforts of 'by hand' failed at t = 0 s: ZeroDivisionError.*Look at"),
    Mistake("initial values in a list by hand", InputError, lambda w: hand().simulate(1, initial=[1]),
            "expected a dict such as", r"initial is \[1\]: expected a dict such as"),
    Mistake("unknown initial value by hand", UnknownNameError, lambda w: hand().simulate(1, initial={"z": 1}),
            "does not know", r"initial has 'z', which 'by hand' does not know: expected one of q, q.dot"),
    Mistake("unknown option by hand", ArgumentError, lambda w: hand().simulate(1, dt=0.1),
            "has no argument", r"simulate\(\) has no argument 'dt': did you mean step\? It takes"),
    Mistake("wrong state by hand", InputError, lambda w: hand().accelerations(0, [1, 2], [0]),
            "one value for each of", r"q has shape \(2,\): expected \(1,\), one value for each of q"),
    Mistake("expression by hand", ModelError, lambda w: hand().simulate(0.01).of(w.q1),
            "is written in numbers and has no symbols", r"run.of\(q1\): 'by hand' is written .*Use run\[name\]"),
    Mistake("efforts that are a symbol", InputError, lambda w: w.model.efforts(w.q1),
            "expected a function", r"function .q1. of model .pendulum. is q1: expected a function f\(t, bodies"),
    Mistake("progress that is a symbol", InputError, lambda w: w.simulate(progress=w.q1),
            "expected True, False or a function", r"progress=q1: expected True, False or a function of the fraction"),
    Mistake("force of a lock by hand", ModelError, lambda w: hand().simulate(0.01).locking_force("q"),
            "is written in numbers, and its coordinates cannot be locked",
            r"run.locking_force\('q'\): 'by hand' .* cannot be locked. Describe the system as a Model"),
    Mistake("check_motion of a Model", InputError, lambda w: check_motion(w.model),
            "expected a System", r"check_motion got Model\('pendulum'.*: expected a System"),
    Mistake("check_motion of no samples", InputError, lambda w: check_motion(hand(), samples=0),
            "expected a whole number above zero", r"samples is 0: expected a whole number above zero"),
]  # fmt: skip

# Runs that start well, or nearly, and fail: (mistake, time at which it fails, coordinate).
FAILURES = [
    (Mistake("root of a negative number", NotFiniteError, lambda w: slider(lambda x: sympy.sqrt(1 - t)).simulate(2),
             "look at the motion so far",
             r"model 'slider': the residual of x is nan at t = 1 s .*A square root"), 1.0, "x"),
    (Mistake("division by zero at the start", NotFiniteError, lambda w: slider(lambda x: 1 / x).simulate(2),
             "look at the motion so far",
             r"model 'slider': the residual of x is -inf at t = 0 s .*values of parameters"),
     0.0, "x"),
    (Mistake("power of a negative number", NotFiniteError,
             lambda w: slider(lambda x: x ** sympy.Rational(1, 3), initial=-1).simulate(2),
             "look at the motion so far", r"model 'slider': the residual of x is nan at t = 0 s \(x = -1\)"), 0.0, "x"),
    (Mistake("residual that becomes NaN", NotFiniteError,
             lambda w: oscillator(lambda t, q, qd, qdd: qdd + q + np.sqrt(np.array([0.5 - t]))),
             "look at the motion so far", r"residual of q\[0\] is nan at t = 0.5 s .*error.trajectory"), 0.5, "q[0]"),
    (Mistake("no mass in a run", SingularMatrixError, lambda w: slider(mass=0).simulate(1),
             "is singular at t",
             r"model 'slider': the mass matrix is singular at t = 0 s .* Give mass or inertia"), 0.0, "x"),
    (Mistake("equation without an acceleration", SingularMatrixError, lambda w: jack(1, 3).simulate(1),
             "is singular at t", r"model 'jack': the mass matrix is singular .* acceleration of x.*first-order state"),
     0.0, "x"),
    (Mistake("residual without accelerations", SingularMatrixError, lambda w: oscillator(lambda t, q, qd, qdd: qd + q),
             "is singular at t", r"mass matrix is singular .* acceleration of q\[0\]. Give mass"), 0.0, "q[0]"),
    (Mistake("force that jumps with the state", ConvergenceError,
             lambda w: slider(lambda x: 10 - 100 * sympy.sign(x.dot)).simulate(1, step=0.1),
             "Newton's iteration does not converge", r"model 'slider': Newton's .*; the worst is x. .*make it smooth"),
     0.0, "x"),
    (Mistake("collocation with steps too long for a stiff spring", ConvergenceError,
             lambda w: slider(lambda x: 10 - 1e6 * x).simulate(1, step=0.1, method="lobatto"),
             "Picard's iteration (method 'lobatto') does not converge",
             r"model 'slider': Picard's .* at t = 0 s with a step of 0.1 s .*; the worst is x.*newmark_extrapolated"),
     0.0, "x"),
    (Mistake("explicit steps too long for a stiff spring", StepSizeError,
             lambda w: slider(lambda x: 10 - 1e6 * x).simulate(1, step=0.1, method="dop853"),
             "their errors are as large as the motion",
             r"model 'slider': steps of 0.1 s are too long at t = .*; the worst is x.*method=\"newmark\""),
     0.1, "x"),
    (Mistake("step below the minimum", StepSizeError, lambda w: w.simulate(1, tolerance=1e-9, min_step=0.01),
             "asks for steps below",
             r"model 'pendulum': the tolerance 1e-09 asks .*q2 changes too fast.*larger tolerance"),
     0.0, "q2"),
    (Mistake("run-away with a method of SciPy", StepSizeError,
             lambda w: slider(lambda x: (x.dot + 1) ** 2).simulate(2, method="scipy:RK45"),
             "gave up at t", r"model 'slider': SciPy's RK45 gave up at t = 1 s: .*may run away.*that of x.*so far"),
     1.0, "x"),
    (Mistake("spring of 1e300 N/m", SingularMatrixError, lambda w: slider(lambda x: -1e300 * x, initial=1).simulate(1),
             "a number is too large at t",
             r"model 'slider': a number .* at t = 0 s \(x = 1\): the residual of x is 1e\+300, .* on x: a stiffness"),
     0.0, "x"),
    (Mistake("swing of eleven days", StepSizeError, lambda w: swing(1e7),
             "of them would be needed to t =",
             r"model 'slider': the tolerance 1e-06 asks .* the acceleration of x .* 1e\+08 of them .* to t = 1e\+07 s"),
     0.13, "x"),
    (Mistake("gimbal lock", SingularMatrixError,
             lambda w: gimbal().simulate(3, initial={"b.dot": 1, "c.dot": 1e-5}, method="dop853"),
             "is nearly singular at t", r"model 'top': .*condition is .*, as b = 1.57\d+: the acceleration of a, c is"),
     1.57, "a"),
    (Mistake("singularity in time", StepSizeError, lambda w: slider(lambda x: 1 / (t - 1)).simulate(2, min_step=1e-6),
             "asks for steps below", r"model 'slider': the tolerance .* at t = .*runs away"), 1.0, "x"),
]  # fmt: skip

MISTAKES = [
    *TRANSFORMS, *DECLARING, *EFFORTS, *EQUATIONS, *COMPILING, *SIMULATING, *RESULTS, *EXPORT,
    *BY_HAND,
    *(mistake for mistake, _, _ in FAILURES),
]  # fmt: skip

test_mistake_is_explained = explained(MISTAKES)


def test_there_are_enough_different_mistakes():
    names = [mistake.name for mistake in MISTAKES]
    assert len(set(names)) == len(names)
    assert len(names) >= 200
    assert len({(mistake.phrase, mistake.text) for mistake in MISTAKES}) >= 190
    assert len({mistake.phrase for mistake in MISTAKES}) >= 90


def made_up(message="the arm is 3: expected a text.", first=lambda w: None, after=None):
    def make(w):
        first(w)
        raise InputError(message) from after

    return Mistake("made up", InputError, make, "expected a text", r"^the arm is 3: expected")


def failing(function):
    with pytest.raises(Exception) as caught:
        function()
    return caught.value


@together(
    ("mistake", "said"),
    [
        (made_up()._replace(error=ModelError), "InputError: the arm is 3: expected a text."),
        (made_up()._replace(phrase="expected a number"), "expected a number"),
        (made_up()._replace(text=r"^the leg"), "the arm is 3: expected a text."),
        (made_up("the arm is 3: expected a text"), "the arm is 3: expected a text"),
        (made_up("the arm is 3: expected a text" + 900 * "!" + "."), "900"),
        (made_up("the arm is 3: expected a text. Traceback."), "Traceback"),
        (made_up(after=failing(lambda: np.linalg.inv(np.zeros((2, 2))))), "Singular matrix"),
        (made_up(first=lambda w: w.model.parameters(m=1)), "the model has changed"),
        (made_up(first=lambda w: w.model.event(w.q1, name="landed")), "the model has changed"),
        (made_up(first=lambda w: pyplot.figure()), "a figure is left behind"),
    ],
)
def test_what_is_not_explained_is_told(mistake, said, tmp_path, motion):
    check(made_up(after=failing(lambda: 1 / 0)), Bench(tmp_path), motion, Path(__file__))
    with pytest.raises(AssertionError) as caught:
        check(mistake, Bench(tmp_path), motion, Path(__file__))
    assert said in str(caught.value)


@together(("mistake", "time", "coordinate"), FAILURES, ids=lambda x: getattr(x, "name", ""))
def test_failed_run_keeps_what_it_has(mistake, time, coordinate, bench):
    error = caught(mistake, bench)
    assert isinstance(error, IntegrationError)
    assert error.time == pytest.approx(time, abs=0.01) and error.coordinate == coordinate
    run = error.trajectory
    assert run.status == "failed" and run.t[0] == 0 and run.t[-1] == error.time
    assert coordinate in run.names and np.all(np.isfinite(run.q)) and np.all(np.isfinite(run.qd))
    assert coordinate in str(error) and run.message in str(error)


def test_a_model_refused_for_what_is_missing_can_be_completed():
    model = jack(0)
    with pytest.raises(ModelError, match="no equation contains p.dot"):
        model.simulate(1)
    model.equation(model.symbols["p"].dot + model.symbols["p"])
    assert model.simulate(0.01).status == "finished"


def test_a_refused_override_does_not_stay():
    bench = slider()
    bench.parameters(k=2.0)
    with pytest.raises(UnknownNameError):
        bench.simulate(1, parameters={"k": 3.0, "g": 1})
    assert bench.values() == {"k": 2.0}


def test_errors_of_the_users_own_residual_are_shown_and_nothing_is_lost():
    def residual(t, q, qd, qdd):
        raise RuntimeError("mine")

    with pytest.raises(FunctionError, match="the residual failed at t = 0 s: RuntimeError: mine") as caught:
        oscillator(residual)
    assert isinstance(caught.value.__cause__, RuntimeError) and caught.value.trajectory.status == "failed"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("method", "middle", "cause"),
    [("newmark", None, "b"), ("newmark", t, "t"), ("lobatto", t, "t")],
)
def test_gimbal_lock_is_told(method, middle, cause):
    """Whether the middle angle is a coordinate or given by time. (As a coordinate lobatto may just get through.)"""
    start = {"c.dot": 1e-5, "b.dot": 1} if middle is None else {"a.dot": 1, "c.dot": 0.3}
    with pytest.raises(SingularMatrixError, match=rf"nearly singular at t = 1.5.*, as {cause} = 1.5.* another order"):
        gimbal(middle).simulate(3, initial=start, method=method)


@pytest.mark.parametrize("method", ["scipy:RK45", "scipy:Radau"])
def test_gimbal_lock_is_told_where_scipy_gives_up(method, monkeypatch):
    """Before the mass matrix has no inverse at all, its steps become too short."""
    monkeypatch.setattr("easydyn.sim.scipy_methods.PATIENCE", 100)
    with pytest.raises(SingularMatrixError, match=r"nearly singular at t = 1.57.*its condition is.* another order"):
        gimbal(t).simulate(3, initial={"a.dot": 1, "c.dot": 0.3}, method=method)


def test_gimbal_lock_that_takes_all_steps_is_told():
    """The exception stays what it is, and says what the steps were spent on."""
    cause = r"max_steps = 2500 .* The cause: the mass matrix is nearly singular"
    with pytest.warns(LongRunWarning), pytest.raises(BudgetError, match=cause):
        gimbal(t).simulate(3, initial={"a.dot": 1, "c.dot": 0.3}, method="dop853", max_steps=2500)
