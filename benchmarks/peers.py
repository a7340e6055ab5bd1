"""The systems of models.py for the other programs, from the same numbers.

`residual` and `accelerations` are the textbook recursions (Featherstone 2008, tables 5.1 and 7.1) on any scalar, for
the programs that take formulas: CasADi, heyoka.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import common
import numpy as np
from models import Arm, Link

# -- formulas: Newton-Euler and articulated bodies in six-dimensional vectors ------------------------------------------


_ZERO = np.zeros((3, 3), dtype=object)


def _objects(values: Sequence[Any]) -> Any:
    """An array of scalars of any kind, each kept as it is (CasADi's would become matrices)."""
    array = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return array


def _skew(r: Sequence[Any]) -> Any:
    x, y, z = r
    return _objects([0.0, -z, y, z, 0.0, -x, -y, x, 0.0]).reshape(3, 3)


def _along(axis: str, value: Any) -> Any:
    """The motion that turns about an axis."""
    return _objects([value if letter == axis else 0.0 for letter in "xyz"] + [0.0] * 3)


def _crossing(v: Any) -> Any:
    """The matrix that crosses a motion with the motion v."""
    upper = _skew(v[:3])
    return np.block([[upper, _ZERO], [_skew(v[3:]), upper]])


def _transform(link: Link, sine: Any, cosine: Any) -> Any:
    """Motions in the axes of the body before -> in those of the link."""
    k = "xyz".index(link.axis)
    i, j = (k + 1) % 3, (k + 2) % 3
    E = np.zeros((3, 3), dtype=object)
    E[k, k], E[i, i], E[j, j], E[i, j], E[j, i] = 1.0, cosine, cosine, sine, -sine
    return np.block([[E, _ZERO], [-E @ _skew(link.joint), E]])


def _inertia(link: Link) -> Any:
    cross = _skew(link.com).astype(float)
    m = link.mass
    return np.block([[np.array(link.tensor) - m * cross @ cross, m * cross], [m * cross.T, m * np.eye(3)]])


def _motion(arm: Arm, q: Sequence[Any], qd: Sequence[Any], sin: Callable, cos: Callable) -> list[Any]:
    """(transform, velocity, velocity product, inertia, force of inertia) of each link."""
    v: Any = _objects([0.0] * 6)
    found = []
    for link, angle, rate in zip(arm.links, q, qd, strict=True):
        X = _transform(link, sin(angle), cos(angle))
        turning = _along(link.axis, rate)
        v = X @ v + turning
        crossing = _crossing(v)
        I = _inertia(link)
        found.append((X, v, crossing @ turning, I, -crossing.T @ (I @ v)))
    return found


def residual(arm: Arm, q: Sequence[Any], qd: Sequence[Any], qdd: Sequence[Any], sin: Callable, cos: Callable) -> list:
    """Generalised forces of a motion, by Newton and Euler."""
    a: Any = _objects([0.0, 0.0, 0.0, *(-g for g in arm.gravity)])
    motions = _motion(arm, q, qd, sin, cos)
    forces = []
    for link, (X, _, c, I, p), acceleration in zip(arm.links, motions, qdd, strict=True):
        a = X @ a + c + _along(link.axis, acceleration)
        forces.append(I @ a + p)
    found: list[Any] = [None] * arm.n
    for i in reversed(range(arm.n)):
        found[i] = forces[i]["xyz".index(arm.links[i].axis)]
        if i:
            forces[i - 1] = forces[i - 1] + motions[i][0].T @ forces[i]
    return found


def accelerations(arm: Arm, q: Sequence[Any], qd: Sequence[Any], sin: Callable, cos: Callable) -> list:
    """Accelerations without applied efforts, by articulated bodies."""
    motions = _motion(arm, q, qd, sin, cos)
    inertias = [m[3].astype(object) for m in motions]
    forces = [m[4] for m in motions]
    kept: list[Any] = [None] * arm.n
    for i in reversed(range(arm.n)):
        k = "xyz".index(arm.links[i].axis)
        X, _, c, _, _ = motions[i]
        I, p = inertias[i], forces[i]
        U, d, u = I[:, k], I[k, k], -p[k]
        kept[i] = U, d, u
        if i:
            share = _objects([value / d for value in U])
            rest = I - np.outer(U, share)
            inertias[i - 1] = inertias[i - 1] + X.T @ rest @ X
            forces[i - 1] = forces[i - 1] + X.T @ (p + rest @ c + _objects([value * u for value in share]))
    a: Any = _objects([0.0, 0.0, 0.0, *(-g for g in arm.gravity)])
    found = []
    for link, (X, _, c, _, _), (U, d, u) in zip(arm.links, motions, kept, strict=True):
        a = X @ a + c
        found.append((u - U @ a) / d)
        a = a + _along(link.axis, found[-1])
    return found


# -- CasADi -----------------------------------------------------------------------------------------------------------


def casadi_functions(arm: Arm) -> tuple[Any, Any]:
    """Functions residual(q, qd, qdd) and accelerations(q, qd) of the scalar graph SX, common parts shared."""
    ca = common.peer("casadi", "CasADi")
    q, qd, qdd = (ca.SX.sym(name, arm.n) for name in ("q", "qd", "qdd"))
    listed = [[x[i] for i in range(arm.n)] for x in (q, qd, qdd)]
    f = ca.cse(ca.vertcat(*residual(arm, *listed, ca.sin, ca.cos)))
    a = ca.cse(ca.vertcat(*accelerations(arm, *listed[:2], ca.sin, ca.cos)))
    return ca.Function("residual", [q, qd, qdd], [f]), ca.Function("accelerations", [q, qd], [a])


def casadi_compiled(function: Any) -> Any:
    """The same function from the C that CasADi generates of it, compiled for this processor."""
    ca = common.peer("casadi", "CasADi")
    with tempfile.TemporaryDirectory() as folder:
        generator = ca.CodeGenerator(f"{function.name()}.c")
        generator.add(function)
        generator.generate(f"{folder}/")
        library = common.shared_library(f"{folder}/{function.name()}.c", common.NATIVE)
    # derivatives are never asked for where it is used, but some of CasADi wants to know how they could be had
    return ca.external(function.name(), library._name, {"enable_fd": True})


# -- heyoka -----------------------------------------------------------------------------------------------------------


def heyoka_equations(arm: Arm) -> list[tuple[Any, Any]]:
    """[(variable, its derivative)] for heyoka's Taylor integrator: angles, then rates."""
    hy = common.peer("heyoka")
    q = list(hy.make_vars(*(f"q{i}" for i in range(arm.n))))
    qd = list(hy.make_vars(*(f"u{i}" for i in range(arm.n))))
    return [*zip(q, qd, strict=True), *zip(qd, accelerations(arm, q, qd, hy.sin, hy.cos), strict=True)]


# -- Pinocchio --------------------------------------------------------------------------------------------------------


def pinocchio_model(arm: Arm) -> Any:
    """A pinocchio.Model; the joints stand in the order of the links."""
    pin = common.peer("pinocchio", "Pinocchio")
    joints = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}
    model = pin.Model()
    model.gravity.linear = np.array(arm.gravity)
    parent = 0
    for i, link in enumerate(arm.links):
        place = pin.SE3(np.eye(3), np.array(link.joint))
        parent = model.addJoint(parent, joints[link.axis](), place, f"q{i + 1}")
        body = pin.Inertia(link.mass, np.array(link.com), np.array(link.tensor))
        model.appendBodyToJoint(parent, body, pin.SE3.Identity())
    return model


# -- MuJoCo -----------------------------------------------------------------------------------------------------------


def mujoco_xml(arm: Arm, timestep: float = 0.002) -> str:
    """The chain as MJCF; Runge and Kutta's method of fourth order."""

    def numbers(values: Sequence[float]) -> str:
        return " ".join(f"{value:.17g}" for value in values)

    inner = ""
    for i, link in reversed(list(enumerate(arm.links))):
        axis = numbers([float(letter == link.axis) for letter in "xyz"])
        xx, yy, zz, xy, yz, xz = link.inertia
        inner = (
            f'<body pos="{numbers(link.joint)}"><joint name="q{i + 1}" type="hinge" axis="{axis}"/>'
            f'<inertial pos="{numbers(link.com)}" mass="{link.mass:.17g}" '
            f'fullinertia="{numbers([xx, yy, zz, xy, xz, yz])}"/>{inner}</body>'
        )
    return (
        '<mujoco><compiler angle="radian" boundmass="0" boundinertia="0"/>'
        f'<option integrator="RK4" timestep="{timestep:.17g}" gravity="{numbers(arm.gravity)}"/>'
        f"<worldbody>{inner}</worldbody></mujoco>"
    )


def mujoco_model(arm: Arm, timestep: float = 0.002) -> Any:
    """The chain as mujoco.MjModel; all that it can leave out is left out."""
    mujoco = common.peer("mujoco", "MuJoCo")
    model = mujoco.MjModel.from_xml_string(mujoco_xml(arm, timestep))
    for name in ("CONSTRAINT", "CONTACT", "SPRING", "DAMPER", "PASSIVE", "ACTUATION", "SENSOR", "ISLAND", "AUTORESET"):
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}", 0))
    return model


# -- Exudyn -----------------------------------------------------------------------------------------------------------


def exudyn_system(arm: Arm, q: Sequence[float]) -> tuple[Any, Any, Any]:
    """(main system, its container, the node of the coordinates): one kinematic tree, angles as coordinates."""
    exu = common.peer("exudyn", "Exudyn")
    utilities = common.peer("exudyn.utilities", "Exudyn")
    container = exu.SystemContainer()
    system = container.AddSystem()
    kinds = {"x": exu.JointType.RevoluteX, "y": exu.JointType.RevoluteY, "z": exu.JointType.RevoluteZ}
    node = system.AddNode(
        utilities.NodeGenericODE2(
            referenceCoordinates=[0.0] * arm.n,
            initialCoordinates=list(q),
            initialCoordinates_t=[0.0] * arm.n,
            numberOfODE2Coordinates=arm.n,
        )
    )
    system.AddObject(
        utilities.ObjectKinematicTree(
            nodeNumber=node,
            jointTypes=[kinds[link.axis] for link in arm.links],
            linkParents=list(range(-1, arm.n - 1)),
            jointTransformations=exu.Matrix3DList([np.eye(3)] * arm.n),
            jointOffsets=exu.Vector3DList([list(link.joint) for link in arm.links]),
            linkInertiasCOM=exu.Matrix3DList([np.array(link.tensor) for link in arm.links]),
            linkCOMs=exu.Vector3DList([list(link.com) for link in arm.links]),
            linkMasses=[link.mass for link in arm.links],
            baseOffset=[0.0, 0.0, 0.0],
            gravity=list(arm.gravity),
        )
    )
    system.Assemble()
    return system, container, node


# -- Kane's method in SymPy, and PyDy ----------------------------------------------------------------------------------


def kane(arm: Arm, absolute: bool = False) -> tuple[Any, Any, list, list]:
    """Mass matrix M and forcing F of a chain by SymPy's KanesMethod, M u' = F, with the symbols q and u.

    `absolute` measures every angle from the ground (planar chains), as SymPy's own examples of chains do; otherwise
    from the link before, as all the other programs here.
    """
    from sympy.physics import mechanics as me

    def vector(values: Sequence[float], frame: Any) -> Any:
        return sum((value * axis for value, axis in zip(values, frame, strict=True) if value), me.Vector(0))

    q = me.dynamicsymbols(f"q1:{arm.n + 1}")
    u = me.dynamicsymbols(f"u1:{arm.n + 1}")
    ground, point = me.ReferenceFrame("N"), me.Point("O")
    point.set_vel(ground, 0)
    frame = ground
    gravity = vector(arm.gravity, ground)
    bodies, loads = [], []
    for i, link in enumerate(arm.links):
        joint = point.locatenew(f"P{i}", vector(link.joint, frame))
        joint.v2pt_theory(point, ground, frame)
        base = ground if absolute else frame
        axis = list(base)["xyz".index(link.axis)]
        frame = base.orientnew(f"B{i}", "Axis", [q[i], axis])
        frame.set_ang_vel(base, u[i] * axis)
        centre = joint.locatenew(f"G{i}", vector(link.com, frame))
        centre.v2pt_theory(joint, ground, frame)
        bodies.append(me.RigidBody(f"R{i}", centre, frame, link.mass, (me.inertia(frame, *link.inertia), centre)))
        loads.append((centre, link.mass * gravity))
        point = joint
    equations = [x.diff() - rate for x, rate in zip(q, u, strict=True)]
    method = me.KanesMethod(ground, q_ind=q, u_ind=u, kd_eqs=equations)
    method.kanes_equations(bodies, loads)
    return method.mass_matrix, method.forcing, q, u


def pydy_function(arm: Arm) -> Callable[[Any, float], Any]:
    """PyDy's right-hand side f(x, t) with x = (q, u), in Cython; the faster solver of M u' = F for the size."""
    generators = common.peer("pydy.codegen.ode_function_generators", "PyDy")
    common.peer("Cython", "Cython, which PyDy needs,")
    import sympy

    M, F, q, u = kane(arm)
    function = generators.generate_ode_function(
        F, q, u, (sympy.Symbol("unused"),), mass_matrix=M, coordinate_derivatives=sympy.Matrix(u), generator="cython",
        linear_sys_solver="sympy" if arm.n <= 2 else "numpy",
    )  # fmt: skip
    constants = np.zeros(1)
    return lambda x, t: function(x, t, constants)
