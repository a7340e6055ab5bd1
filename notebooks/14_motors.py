# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 14. Motors: from the screw to one equation for a rigid body
#
# **After this notebook you can**
#
# - find the screw in any motion of a rigid body, and write motions, momenta and
#   forces as motors;
# - move and turn motors, and say what stays the same;
# - write the equations of a rigid body in six lines, about any point, and use
#   them for a tumbling brick;
# - read Featherstone's spatial vectors, twists and wrenches.
#
# **The question.** Newton's law relates a force and an acceleration, Euler's
# law a moment and an angular acceleration. Euler's law has an additional term
# $\boldsymbol\omega\times\mathbf I\boldsymbol\omega$, and both become longer
# about any point but the centre of mass. Are they two laws?
#
# Equation numbers with an M are those of T. Zaiczek and O. Enge-Rosenblatt
# (2009) on the motor calculus of von Mises.

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import Model, examples, inertia_tensor, trotx, trotz, visu
from easydyn.motor import Motor, inertia_dyad

# %% [markdown]
# ## The screw
#
# A body turns with $\boldsymbol\omega$, and its point at the origin moves with
# $\mathbf v_o$. Then its point at $\mathbf r$ moves with
#
# $$\mathbf v(\mathbf r) = \mathbf v_o + \boldsymbol\omega\times\mathbf r \tag{M1}$$
#
# Two vectors define a field of velocities. Is there a point that moves only
# *along* $\boldsymbol\omega$? There is a line of such points, $\mathbf r =
# \boldsymbol\omega\times\mathbf v_o/\omega^2 + \lambda\boldsymbol\omega$: at
# each instant every motion is that of a screw. (Put it into (M1), with
# $\mathbf a\times(\mathbf b\times\mathbf c)$ expanded.)

# %% alt="Velocities of a screw: arrows on two circles about its axis, each along the axis and around it"
v = Motor(g=(0, 0, 2.0), h=(0.6, 0.4, 0.5))
axis = v.g.cross(v.h) / v.g.dot(v.g)
print("a point of the axis:", axis, "\nvelocity there:     ", v.moved(axis).h)
assert np.allclose(
    v.moved(axis).h, np.array(v.g) * (v.g.dot(v.h) / v.g.dot(v.g))
)

ax = plt.figure(figsize=(5.5, 5)).add_subplot(projection="3d")
for radius in (0.4, 0.8):
    for angle in np.linspace(0, 2 * np.pi, 14, endpoint=False):
        r = np.array(axis) + [radius * np.cos(angle), radius * np.sin(angle), 0]
        ax.quiver(
            *r,
            *(0.35 * np.array(v.moved(r.tolist()).h)),
            color="C0" if radius < 0.5 else "C1",
        )
ax.plot(
    *np.array([axis + v.g * s for s in (-0.1, 0.4)]).T,
    "k",
    label="axis of the screw",
)
ax.quiver(
    0, 0, 0, *(0.35 * np.array(v.h)), color="C3", label="velocity at the origin"
)
ax.legend();

# %% [markdown]
# `Motor(g, h)` is such a pair: a *resultant* $\mathbf g$ and a *moment*
# $\mathbf h$ about the origin of its axes. `moved(r)` takes the moment about
# another point, `turned(R)` goes to other axes. All of these describe the same
# motor.
#
# Forces are of the same kind. A force $\mathbf f$ and a moment $\mathbf d_o$
# about the origin have the moment $\mathbf d_o + \mathbf f\times\mathbf r$
# about $\mathbf r$. So are momentum and angular momentum:
#
# | motor | resultant | moment |
# |---|---|---|
# | velocity | $\boldsymbol\omega$ | $\mathbf v_o$ |
# | momentum | $\mathbf p$ | $\mathbf l_o$ |
# | force | $\mathbf f$ | $\mathbf d_o$ |
#
# ## Two products
#
# The *inner product* is a number that does not depend on the point or the axes.
# The inner product of a force and a velocity is the power. The *outer product*
# is a motor:
#
# $$(\mathfrak a, \mathfrak b) = \mathbf g_a\cdot\mathbf h_b + \mathbf g_b\cdot\mathbf h_a, \qquad
#   \mathfrak a\times\mathfrak b = \begin{pmatrix} \mathbf g_a\times\mathbf g_b \\
#   \mathbf g_a\times\mathbf h_b + \mathbf h_a\times\mathbf g_b \end{pmatrix}$$

# %%
f = Motor((3.0, 0, 1.0), (0, 0.2, -0.5))
there, turn = (0.3, -1.0, 0.4), (trotz(0.7) * trotx(-0.4)).R


def seen(a):
    return a.moved(there).turned(turn)


print("power:", f.dot(v), "and from elsewhere:", seen(f).dot(seen(v)))
assert np.isclose(f.dot(v), seen(f).dot(seen(v)))
assert np.allclose(
    seen(f.cross(v)).motion_vector, seen(f).cross(seen(v)).motion_vector
)

# %% [markdown]
# ## Momentum: a dyad
#
# The momentum motor is a linear function of the velocity motor,
# $\mathfrak p = \mathfrak M\circ\mathfrak v$ (M4). The inertia dyad
# $\mathfrak M$ contains the mass, the centre of mass and the inertia tensor.
# The kinetic energy is $T = (\mathfrak v, \mathfrak p)/2$.

# %%
m, com = 2.0, (0.1, 0.0, 0.05)
tensor = inertia_tensor(0.02, 0.05, 0.06)  # about the centre of mass
M = inertia_dyad(m, com, tensor.moved(m, com))
p = M @ v
vG = np.array(v.moved(com).h)
koenig = m * vG @ vG / 2 + float(v.g.dot(tensor * v.g)) / 2
print(
    f"kinetic energy: {v.dot(p) / 2:.6f} J,",
    f"by the theorem of König {koenig:.6f} J",
)
assert np.isclose(v.dot(p) / 2, koenig)

# %% [markdown]
# ## One equation
#
# In the ground's axes, about a fixed point, the rate of momentum and angular
# momentum is the applied force and moment: $\dot{\mathfrak p} = \mathfrak f$.
# In axes that move with the motor $\mathfrak v$, the rate of every motor has
# one additional term:
#
# $$\dot{\mathfrak p} + \mathfrak v\times\mathfrak p = \mathfrak f \tag{M5}$$
#
# This is Newton's and Euler's law in one line, about any point of the body.
# SymPy writes it out, about the centre of mass:

# %%
t = sympy.Symbol("t")
w, u = (
    [sympy.Function(f"{name}_{axis}")(t) for axis in "xyz"]
    for name in ("omega", "v")
)
mass, A, B, C = sympy.symbols("m A B C")
v = Motor(w, u)  # velocity
M = inertia_dyad(mass, (0, 0, 0), [[A, 0, 0], [0, B, 0], [0, 0, C]])  # inertia
p = M @ v  # momentum
needed = p.map(lambda x: x.diff(t)) + v.cross(p)  # (M5)
needed = Motor(needed.g.map(sympy.expand), needed.h.map(sympy.expand))
needed.h

# %% [markdown]
# These are Euler's equations. The term
# $\boldsymbol\omega\times\mathbf I\boldsymbol\omega$ was not written by us: it
# is a part of the outer product, as is $m\,\boldsymbol\omega\times\mathbf v$ in
# Newton's law below. d'Alembert's principle, eq. (6), says: for each motion
# that the joints allow, the power of `needed` is that of the applied forces.

# %%
euler = A * w[0].diff(t) + (C - B) * w[1] * w[2]
assert sympy.expand(needed.h.x - euler) == 0
assert (
    sympy.expand(needed.g.x - mass * (u[0].diff(t) + w[1] * u[2] - w[2] * u[1]))
    == 0
)
needed.g

# %% [markdown]
# ## Six lines, and a brick tumbles
#
# Now the same lines with numbers. The momentum is integrated, the velocity
# follows from it, and position and attitude follow from the velocity. We
# compare the method of Runge and Kutta, with steps of 2 ms, with easydyn. The
# brick is thrown so that it turns nearly about its middle axis.

# %%
MASS, I, G = 1.0, np.array([0.02, 0.05, 0.06]), np.array([0, 0, -9.81])
M = inertia_dyad(MASS, (0, 0, 0), np.diag(I).tolist())


def slope(p, R, e):
    velocity = Motor((p.h.matrix.ravel() / I).tolist(), p.g / MASS)
    weight = M @ Motor((0, 0, 0), (R.T @ G).tolist())
    rate = weight - velocity.cross(p)
    x, y, z = velocity.g
    spin = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return rate, R @ spin, R @ np.array(velocity.h)


def step(state, h):
    def ahead(rates, by):
        return [x + rate * by for x, rate in zip(state, rates, strict=True)]

    k1 = slope(*state)
    k2 = slope(*ahead(k1, h / 2))
    k3 = slope(*ahead(k2, h / 2))
    k4 = slope(*ahead(k3, h))
    return [
        x + (a + b * 2 + c * 2 + d) * (h / 6)
        for x, a, b, c, d in zip(state, k1, k2, k3, k4, strict=True)
    ]

# %% alt="Sketch of the brick: a flat box with its centre of mass"
start = Motor((0.3, 12.0, -0.3), (0, 1.0, 6.0))
state, path = [M @ start, np.eye(3), np.zeros(3)], []
for _ in range(600):
    state = step(state, 0.002)
    path.append([*state[1][:, 1], *state[2]])
path = np.array(path)

model = Model("brick", gravity=tuple(G))
model.free_body(
    "brick",
    mass=MASS,
    inertia=tuple(I),
    velocity=(0, 1, 6),
    angular_velocity=(0.3, 12, -0.3),
    shape=visu.Box(0.8, 0.45, 0.2, colour="orange"),
)
model.scene().sketch();

# %%
run = model.simulate(1.2, save_every=0.002, method="dop853", tolerance=1e-11)
frames = run.frames("brick")[1:]
attitude = np.abs(path[:, :3] - frames[:, :3, 1]).max()
place = np.abs(path[:, 3:] - frames[:, :3, 3]).max()
print("largest difference:", f"{attitude:.1e} in the attitude,")
print(f"                    {place:.1e} m in the place")
assert attitude < 1e-5 and place < 1e-6
print(
    "the middle axis points along y at first,",
    f"and comes to {path[:, 1].min():.2f} of that",
)
assert path[:, 1].min() < -0.9

# %%
run.animate(every=0.02)

# %% [markdown]
# The rotation about the middle axis is unstable: the brick turns over. The six
# lines contain no special rule for this.
#
# ## From bodies to machines
#
# A revolute joint allows one motor, $(\mathbf e; \mathbf 0)$; a prismatic joint
# allows $(\mathbf 0; \mathbf e)$ (M6). The velocities of two neighbours differ
# by that motor times a rate. The generalised force of the joint is the inner
# product of that motor with the force motor that the bodies beyond the joint
# need. That is all of `scheme="motor"`. A
# spinning wheel at the end of an axle, let go:

# %% alt="Sketch: a wheel that spins at the end of an axle on a rack that turns about the vertical"
wheel = examples.spinning_wheel(50)
wheel.scene(shapes=False).sketch();

# %% alt="Left: the axle rises and falls while it goes round; right: operations of the three schemes"
runs = {
    scheme: wheel.simulate(
        2, save_every=0.005, scheme=scheme, method="dop853", tolerance=1e-11
    )
    for scheme in ("explicit", "motor", "recursive")
}
apart = {
    scheme: float(np.abs(run.q - runs["motor"].q).max())
    for scheme, run in runs.items()
}
print(
    "from motors:",
    ", ".join(f"{scheme} {x:.1e} rad" for scheme, x in apart.items()),
)
assert max(apart.values()) < 1e-10

fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
left.plot(runs["motor"]["rack"], -runs["motor"]["axle"])
left.set(
    xlabel="rack [rad]",
    ylabel="axle, upwards [rad]",
    title="precession and nutation",
)
counts = {s: wheel.operations("residual", s) for s in runs}
right.bar(
    list(counts),
    [c["mul"] + c["add"] for c in counts.values()],
    color=["C1", "C0", "C2"],
)
right.set(ylabel="operations", title="residual of the wheel")
total = {s: c["mul"] + c["add"] for s, c in counts.items()}
assert total["recursive"] < total["motor"]

# %% [markdown]
# The numbers are the same; the operations are not. Motors carry the velocities
# of points, which the recursion by vectors does without.
# [Motors](../docs/motors.md) counts them.
#
# ## The same in other books
#
# Featherstone writes motions as $(\boldsymbol\omega; \mathbf v)$ and forces as
# $(\mathbf d; \mathbf f)$, the halves exchanged, so that power is a plain
# scalar product; with two spaces he needs two outer products. Twists and
# wrenches are these vectors, in the order of the author.

# %%
a, f = (
    Motor((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)),
    Motor((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)),
)
print("motion:", a.motion_vector, " force:", f.force_vector)
assert np.isclose(np.dot(a.motion_vector, f.force_vector), a.dot(f))
assert np.allclose(
    np.array(M.spatial_matrix) @ a.motion_vector, (M @ a).force_vector
)

# %% [markdown]
# ## Questions
#
# 1. What is the motion of a body whose velocity motor has
#    $\mathbf g\cdot\mathbf h = 0$, $\mathbf g\ne\mathbf 0$? And one with
#    $\mathbf g = \mathbf 0$?
# 2. Two hinges with parallel axes turn against each other at the same rate.
#    Which motor is that of the outer body?
# 3. Why is $(\mathfrak v, \mathfrak v\times\mathfrak p) = 0$, and what does it
#    say of the energy of a body?
#
# <details><summary>Answers</summary>
#
# 1. A pure rotation about a line, which need not pass through the origin: the
#    pitch of the screw is zero. Without resultant it is a translation, the same
#    about every point.
# 2. `Motor.revolute(e) - Motor.revolute(e).moved(-r)` is
#    $(\mathbf 0; \mathbf e\times\mathbf r)$: it is displaced and does not turn,
#    as a parallelogram.
# 3. A motor is orthogonal to its outer products, as vectors are. So the power
#    $(\mathfrak f, \mathfrak v)$ is $(\dot{\mathfrak p}, \mathfrak v)$, the
#    rate of $(\mathfrak v, \mathfrak p)/2$ in body axes, where the dyad is
#    constant.
#
# </details>

# %%
hinge, arm = Motor.revolute((0, 0, 1.0)), (0.3, 0.4, 0.0)
across = hinge - hinge.moved([-x for x in arm])
assert np.allclose(across.g, 0)
assert np.allclose(across.h, np.cross((0, 0, 1), arm))
assert np.isclose(a.dot(a.cross(M @ a)), 0)
assert np.allclose(Motor((0, 0, 0), (1.0, 2.0, 3.0)).moved(arm).h, (1, 2, 3))

# %% [markdown]
# ## Where to read on
#
# - [Motors](../docs/motors.md): the algebra, a table of names, the scheme,
#   motors by hand.
# - Exercise [13](../exercises/13_motors/README.md):
#   `python -m easydyn exercise 13`.
# - R. von Mises, *Motorrechnung, ein neues Hilfsmittel der Mechanik*, ZAMM 4
#   (1924) 155-181.
