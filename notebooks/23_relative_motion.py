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
# # 23. Relative motion
#
# **After this notebook you can**
#
# - derive the rate of a vector that is given in turning axes;
# - add angular velocities, and differentiate their sum;
# - write the velocity and the acceleration of a point that moves in a moving
#   frame, name each term, and check it;
# - write the motion that a turning observer sees, with apparent forces.
#
# **The question.** A beetle walks outwards on a turntable, along a straight
# line, with a constant speed. It looks at its line and feels no change. Why
# does it need a force to the side, and how large is it?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import Model, tdisp, trotx, trotz, visu

# %% [markdown]
# ## The rate of a vector in turning axes
#
# A vector has the components $\boldsymbol\rho$ in axes that turn. In the axes
# of the ground it is $\mathbf r = \mathbf R\,\boldsymbol\rho$, with the
# rotation tensor $\mathbf R(t)$. Differentiate the product:
#
# $$\dot{\mathbf r} = \dot{\mathbf R}\,\boldsymbol\rho + \mathbf R\,\dot{\boldsymbol\rho}$$
#
# The axes stay orthogonal: $\mathbf R\mathbf R^T = \mathbf 1$ at all times. The
# derivative of this equation shows that $\dot{\mathbf R}\mathbf R^T$ is skew. A
# skew tensor has three components. Here they are the components of the angular
# velocity $\boldsymbol\omega$:
#
# $$\dot{\mathbf R}\,\mathbf R^T = \tilde{\boldsymbol\omega}
# \qquad\Rightarrow\qquad \dot{\mathbf R} = \tilde{\boldsymbol\omega}\,\mathbf R \tag{37}$$
#
# and $\tilde{\boldsymbol\omega}\,\mathbf r$ is the cross product
# $\boldsymbol\omega\times\mathbf r$. Therefore
#
# $$\dot{\mathbf r} = \boldsymbol\omega\times\mathbf r
# + \mathbf R\,\dot{\boldsymbol\rho}$$
#
# The first term is there because the axes turn. The second term is the rate
# that an observer on these axes sees. SymPy shows $\boldsymbol\omega$ for two
# rotations, one after the other:

# %%
time = sympy.Symbol("time")
a, b = sympy.Function("a")(time), sympy.Function("b")(time)


def turned(T):
    return sympy.Matrix(3, 3, lambda i, j: T.matrix[i, j])


A, B = turned(trotz(a)), turned(trotx(b))
R = A * B
skew = sympy.simplify(R.diff(time) * R.T)
assert sympy.simplify(skew + skew.T) == sympy.zeros(3)
omega = sympy.Matrix([skew[2, 1], skew[0, 2], skew[1, 0]])
omega

# %% [markdown]
# ## Angular velocities are added
#
# The first rotation, by $a$, is about z. The second rotation, by $b$, is about
# the x axis, which the first one has turned. Differentiate
# $\mathbf R = \mathbf A\mathbf B$, and insert
# $\dot{\mathbf A} = \tilde{\boldsymbol\omega}_A\mathbf A$ and
# $\dot{\mathbf B} = \tilde{\boldsymbol\omega}_B\mathbf B$:
#
# $$\dot{\mathbf R}\,\mathbf R^T = \tilde{\boldsymbol\omega}_A
# + \mathbf A\,\tilde{\boldsymbol\omega}_B\,\mathbf A^T
# \qquad\Rightarrow\qquad \boldsymbol\omega = \boldsymbol\omega_A + \mathbf A\,\boldsymbol\omega_B$$
#
# Each angular velocity points along its axis as it is *now*: here z, and the x
# axis after the first rotation.

# %%
one = sympy.Matrix([0, 0, a.diff(time)])
other = A * sympy.Matrix([b.diff(time), 0, 0])
assert sympy.simplify(omega - one - other) == sympy.zeros(3, 1)

# %% [markdown]
# The angular acceleration is the rate of this sum. The second part is a vector
# in axes that turn with $\boldsymbol\omega_A$. The rule above gives
#
# $$\boldsymbol\alpha = \dot{\boldsymbol\omega}_A
# + \mathbf A\,\dot{\boldsymbol\omega}_B
# + \boldsymbol\omega_A\times\mathbf A\,\boldsymbol\omega_B$$
#
# The last term is there even when both rates are constant. Because of it, a
# spinning wheel resists when its axle is turned.

# %%
alpha = omega.diff(time)
steady = {a.diff(time, 2): 0, b.diff(time, 2): 0}
rest = sympy.simplify(alpha.subs(steady) - one.cross(other))
assert rest == sympy.zeros(3, 1)

# %% [markdown]
# ## A point that moves in a moving frame
#
# The frame has its origin at $\mathbf e$. The vector from there to the point is
# $\mathbf s = \mathbf R\boldsymbol\rho$. The rule gives the velocity. Applied to
# each vector in the velocity, it gives the acceleration:
#
# $$\mathbf v = \dot{\mathbf e} + \boldsymbol\omega\times\mathbf s
# + \mathbf v_{rel}$$
#
# $$\mathbf a = \ddot{\mathbf e} + \boldsymbol\alpha\times\mathbf s
# + \boldsymbol\omega\times(\boldsymbol\omega\times\mathbf s)
# + 2\,\boldsymbol\omega\times\mathbf v_{rel} + \mathbf a_{rel}$$
#
# Here $\mathbf v_{rel} = \mathbf R\dot{\boldsymbol\rho}$ and
# $\mathbf a_{rel} = \mathbf R\ddot{\boldsymbol\rho}$ are the velocity and the
# acceleration that an observer on the frame sees.
#
# | term | name | it is there when |
# |---|---|---|
# | $\ddot{\mathbf e}$ | of the origin | the frame's origin accelerates |
# | $\boldsymbol\alpha\times\mathbf s$ | of Euler | the angular velocity changes |
# | $\boldsymbol\omega\times(\boldsymbol\omega\times\mathbf s)$ | centripetal | the frame turns |
# | $2\,\boldsymbol\omega\times\mathbf v_{rel}$ | of Coriolis | the frame turns and the point moves in it |
# | $\mathbf a_{rel}$ | relative | the observer sees an acceleration |
#
# Why is there a 2? One half comes from $\mathbf v_{rel}$, because its axes turn.
# The other half comes from $\boldsymbol\omega\times\mathbf s$, because
# $\mathbf s$ changes in the frame.
#
# ## The beetle on the turntable

# %% alt="Sketch: a turntable seen from above, turned by q, and a point at the distance s along a line on it"
table = Model("beetle on a turntable")
q, s = table.coordinates("q s", initial=(0, 0.1), rates=(1.5, 0.2))
plate = visu.Cylinder(0.6, 0.02)
disc = table.body(
    "table", trotz(q), mass=5, inertia=(0, 0, 0.9), shape=[plate]
)
beetle = table.body(
    "beetle", trotz(q) * tdisp(s, 0, 0), mass=0.1, inertia=(0, 0, 0)
)
scene = table.scene(initial={"q": 0.7, "s": 0.4})
scene.sketch(towards=(0, 0, 1));

# %% [markdown]
# In the axes of the table the vectors are $\mathbf s = (s, 0, 0)$,
# $\mathbf v_{rel} = (\dot s, 0, 0)$ and $\boldsymbol\omega = (0, 0, \dot q)$.
# The cross products give the acceleration by hand:
#
# $$\mathbf a = (\ddot s - s\,\dot q^2,\;\; s\,\ddot q + 2\,\dot q\,\dot s,\;\; 0)$$
#
# easydyn differentiates the position in ground axes, and does not use these
# terms. In the axes of the table its result is the same:

# %%
seen = sympy.Matrix(trotz(q).R.T * beetle.a)
by_hand = sympy.Matrix(
    [s.ddot - s * q.dot**2, s * q.ddot + 2 * q.dot * s.dot, 0]
)
assert sympy.simplify(seen - by_hand) == sympy.zeros(3, 1)
force = 0.1 * 2 * 1.5 * 0.2
print(f"the beetle is pushed to the side by {force:.3f} N")
assert abs(force - 0.06) < 1e-12

# %% [markdown]
# This answers the question. The force is $2 m\,\dot q\,\dot s$. It points to
# the left of the beetle's path if the table turns counterclockwise. The farther
# out the beetle is, the faster it moves around the centre. A force has to
# accelerate it in this direction. The next picture shows the terms as arrows,
# at one instant. Here the table also turns faster and faster, and the beetle
# accelerates along its line:

# %% alt="Four arrows, one behind the other, and their sum: centripetal, Euler, Coriolis, relative"
place, speed = np.array([0.4, 0, 0]), np.array([0.2, 0, 0])
w, w_dot = np.array([0, 0, 1.5]), np.array([0, 0, 1.0])
terms = {
    "centripetal": np.cross(w, np.cross(w, place)),
    "Euler": np.cross(w_dot, place),
    "Coriolis": 2 * np.cross(w, speed),
    "relative": np.array([0.3, 0, 0]),
}
fig, ax = plt.subplots(layout="constrained")
start = place.copy()
for n, (name, term) in enumerate(terms.items()):
    ax.annotate(
        "", start[:2] + 0.3 * term[:2], start[:2],
        arrowprops={"arrowstyle": "-|>", "color": f"C{n}"},
    )  # fmt: skip
    middle = start + 0.15 * term
    ax.text(middle[0] + 0.01, middle[1] + 0.008, name, color=f"C{n}")
    start = start + 0.3 * term
total = sum(terms.values())
ax.annotate("", start[:2], place[:2], arrowprops={"arrowstyle": "-|>"})
ax.plot([0, 0.6], [0, 0], "k:", lw=0.8)
ax.set(xlabel="along the line [m]", ylabel="to the side [m]")
ax.set(xlim=(0, 0.62), ylim=(-0.05, 0.36), aspect="equal")
numbers = {q: 0, s: 0.4, q.dot: 1.5, s.dot: 0.2, q.ddot: 1, s.ddot: 0.3}
check = np.array(sympy.Matrix(beetle.a).subs(numbers), dtype=float).ravel()
assert np.allclose(check, total, atol=1e-12)

# %% [markdown]
# ## Seen from the table
#
# A puck slides on the turning table without friction. No force acts in the
# plane, so its path in space is a straight line. An observer on the table sees
# a curve, and explains it by apparent forces. Solve the equation of the
# acceleration for $\mathbf a_{rel}$, with $\mathbf a = \mathbf 0$ and a
# constant angular velocity $\Omega$:
#
# $$\ddot x = \Omega^2 x + 2\,\Omega\,\dot y \qquad
# \ddot y = \Omega^2 y - 2\,\Omega\,\dot x$$

# %% alt="The way of the puck: a straight line in space, a spiral as seen from the table"
W = 1.5
seen = Model("puck, seen from the table")
x, y = seen.coordinates("x y", initial=(-0.5, 0.1), rates=(0.25, W * 0.5))
seen.equation(x.ddot - W**2 * x - 2 * W * y.dot)
seen.equation(y.ddot - W**2 * y + 2 * W * x.dot)
run = seen.simulate(4, save_every=0.02, method="dop853", tolerance=1e-10)
c, s_ = np.cos(W * run.t), np.sin(W * run.t)
X, Y = c * run["x"] - s_ * run["y"], s_ * run["x"] + c * run["y"]
v0 = np.array([0.25 - W * 0.1, W * 0.5 - W * 0.5])  # v_rel + omega x s
straight = [-0.5 + v0[0] * run.t, 0.1 + v0[1] * run.t]
assert np.allclose([X, Y], straight, atol=1e-8)
fig, ax = plt.subplots(layout="constrained")
ax.plot(run["x"], run["y"], label="seen from the table")
ax.plot(X, Y, label="in space")
ax.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
ax.legend();

# %% [markdown]
# The same happens on the earth, which turns once a day. On the northern
# hemisphere winds turn to the right. The plane of Foucault's pendulum turns as
# well.
#
# ## A crane
#
# The column slews by the angle $a$. The boom is raised by the angle $b$. The
# trolley is at the distance $c$ along the boom. A product of transforms
# describes the whole motion. By hand there are two angular velocities and one
# relative motion:

# %% alt="Sketch: a crane with a column that slews by a, a boom raised by b, a trolley at the distance c"
crane = Model("crane", gravity=(0, 0, -9.81))
a, b, c = crane.coordinates(
    "a b c", initial=(0.3, 0.5, 4), rates=(0.4, 0.2, -0.5)
)
boom = trotz(a) * tdisp(0, 0, 6) * trotx(b)
crane.body("column", trotz(a) * tdisp(0, 0, 3), mass=2000, inertia=(9, 9, 2))
crane.body("boom", boom * tdisp(0, 3, 0), mass=800, inertia=(2400, 30, 2400))
trolley = crane.body(
    "trolley", boom * tdisp(0, c, 0), mass=300, inertia=(5, 5, 5)
)
crane.scene().sketch();

# %%
now = [("a", 0.3, 0.4, 0.1), ("b", 0.5, 0.2, -0.3), ("c", 4, -0.5, 0.2)]
state = {}
for z, (_, *values) in zip((a, b, c), now):
    state |= dict(zip((z, z.dot, z.ddot), values))
z_axis, x_axis = np.array([0, 0, 1]), np.array([np.cos(0.3), np.sin(0.3), 0])
axis = np.array(sympy.Matrix(boom.R.uy()).subs(state), dtype=float).ravel()
w = 0.4 * z_axis + 0.2 * x_axis
w_dot = 0.1 * z_axis - 0.3 * x_axis + np.cross(0.4 * z_axis, 0.2 * x_axis)
terms = {
    "Euler": np.cross(w_dot, 4 * axis),
    "centripetal": np.cross(w, np.cross(w, 4 * axis)),
    "Coriolis": 2 * np.cross(w, -0.5 * axis),
    "relative": 0.2 * axis,
}
for name, term in terms.items():
    print(f"{name:12} {np.round(term, 4)} m/s2")
exact = np.array(sympy.Matrix(trolley.a).subs(state), dtype=float).ravel()
assert np.allclose(sum(terms.values()), exact, atol=1e-12)

# %% [markdown]
# The boom has to accelerate the trolley by the sum of these terms, and to carry
# its weight. The Coriolis term is there because the trolley moves inwards while
# the crane slews and the boom rises.
#
# ## A motion without forces
#
# Now the beetle does not walk. It slides outwards along a smooth groove of the
# table. The wall of the groove exerts the force to the side, and the table
# slows down. The angular momentum $(J + m s^2)\,\dot q$ is constant:

# %%
run = table.simulate(2, save_every=0.01, method="dop853")
spin = (0.9 + 0.1 * run["s"] ** 2) * run["q.dot"]
assert np.ptp(spin) < 1e-7 and np.all(np.diff(run["q.dot"]) < 0)
side = 0.1 * (run["s"] * run["q.ddot"] + 2 * run["q.dot"] * run["s.dot"])
print(f"the wall pushes with {side[0]:.4f} N at the start")
reaction = -0.9 * run["q.ddot"] / run["s"]  # of the table: J qdd = -s F
assert np.allclose(side, reaction, atol=1e-6)
run.animate()

# %% [markdown]
# ## Questions
#
# 1. A satellite flies on a circle with the angular velocity $n$. A small part
#    comes loose. In axes that turn with the satellite (x outwards, y along the
#    orbit) the equations of the part are $\ddot x = 3n^2x + 2n\dot y$ and
#    $\ddot y = -2n\dot x$. Which terms of this notebook do they contain? Which
#    term is something else?
# 2. A train runs north at 80 m/s, at 50 degrees of northern latitude. Which
#    rail is worn more? How large is the Coriolis acceleration?
# 3. The beetle walks on a circle of the radius $r$ about the centre of the
#    table, against its rotation $\Omega$. It is as fast as the table, so that it
#    is at rest in space. How large are the centripetal, the Coriolis and the
#    relative acceleration?
#
# <details><summary>Answers</summary>
#
# 1. $2n\dot y$ and $-2n\dot x$ are the Coriolis terms, on the other side of the
#    equations. One part of $3n^2x$, $n^2x$, is the centripetal term. The other
#    part, $2n^2x$, is gravity, which becomes weaker with the distance. Along y
#    gravity and the centripetal term cancel each other.
# 2. The right rail, in the east. The earth turns at $7.29\cdot10^{-5}$ rad/s.
#    The vertical component of its angular velocity is $\Omega\sin 50^\circ$. So
#    the acceleration is $2\,\Omega\,v\sin 50^\circ = 0.0089$ m/s².
# 3. The relative speed is $\Omega r$. The centripetal acceleration is
#    $\Omega^2r$ inwards, the Coriolis acceleration $2\,\Omega^2r$ outwards. The
#    relative acceleration on the circle is $\Omega^2r$ inwards. The sum is zero.
#
# </details>

# %%
n, dx, dy = sympy.symbols("n dx dy")  # the orbit has the radius 1
pull = sympy.Matrix([1 + dx, dy]) / ((1 + dx) ** 2 + dy**2) ** 1.5
rest = n**2 * (sympy.Matrix([1 + dx, dy]) - pull)  # less Coriolis
linear = rest.jacobian([dx, dy]).subs({dx: 0, dy: 0})
assert np.allclose((linear / n**2).tolist(), np.diag([3, 0]))
W_earth = np.array([0, np.cos(np.radians(50)), np.sin(np.radians(50))])
train = 2 * np.cross(7.29e-5 * W_earth, (0, 80, 0))  # x is east
assert abs(train[0] + 0.0089) < 1e-4  # to the west: the right rail pushes
w, r = np.array([0, 0, 1.5]), np.array([0.4, 0, 0])
back = -np.cross(w, r)
centripetal, coriolis = np.cross(w, np.cross(w, r)), 2 * np.cross(w, back)
assert np.allclose(centripetal, -(1.5**2) * r)
assert np.allclose(coriolis, 2 * 1.5**2 * r)
assert np.allclose(centripetal + coriolis - 1.5**2 * r, 0)

# %% [markdown]
# ## Where to read on
#
# - [Notebook 2](02_velocity_and_acceleration.ipynb): the same by derivatives of
#   a position; [notebook 15](15_mass_and_euler.ipynb): what
#   $\boldsymbol\omega\times$ does to angular momentum.
# - Exercise [29](../exercises/29_relative_motion/README.md): the basket of a
#   ladder, term by term: `python -m easydyn exercise 29`.
# - Exercise [09](../exercises/09_spatial/README.md) adds angular velocities:
#   `python -m easydyn exercise 09`.
# - [Conventions](../docs/conventions.md): which axes components belong to.
# - D. T. Greenwood, *Principles of Dynamics*, Prentice Hall, 1988, chapter 2.
