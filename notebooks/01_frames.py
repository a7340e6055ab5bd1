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
# # 1. Frames and homogeneous transforms
#
# **After this notebook you can**
#
# - write the frame of any body as a product of turns and displacements, and
#   read such a product aloud;
# - take points and directions from one frame to another, and back;
# - recognise a matrix that is not a rigid motion.
#
# **The question.** "Turn, then move" and "move, then turn": why is that not the
# same, and which of the two is an arm?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import (
    EasyDynError,
    Model,
    rotation_sequence,
    tdisp,
    transform,
    trotx,
    troty,
    trotz,
)

# %% [markdown]
# ## One matrix: an orientation and a place
#
# A frame $i$ is attached to every body. Its rotation tensor $\mathbf R_{0,i}$
# and the position $\mathbf e_i$ of its origin say where it is relative to the
# ground frame 0. Braces $\{\cdot\}_0$ mean components along the
# axes of frame 0.
#
# $$\mathbf T_{0,i} = \begin{pmatrix}\mathbf R_{0,i} & \{\mathbf e_i\}_0\\ \mathbf 0 & 1\end{pmatrix} \tag{1}$$
#
# The columns of $\mathbf R$ are the unit vectors of the frame, in ground
# components:
#
# $$\mathbf R_{0,i} = \left(\{\mathbf x_i\}_0\ \{\mathbf y_i\}_0\ \{\mathbf z_i\}_0\right) \tag{2}$$

# %%
T = trotz(0.5) * tdisp(1, 0, 0)
T.matrix.round(3)

# %%
print("x axis of the frame:", np.round(T.R.ux(), 3))
print("origin of the frame:", np.round(T.e, 3))

# %% [markdown]
# ## A picture of a frame
#
# In the plane a frame is an origin and two arrows. The function below draws it
# (x axis red, y axis green).


# %%
def draw_frame(ax, T, name, size=0.3):
    for axis, colour in ((T.R.ux(), "tab:red"), (T.R.uy(), "tab:green")):
        ax.annotate(
            "",
            xytext=T.e[:2],
            xy=(T.e + size * axis)[:2],
            arrowprops={"arrowstyle": "->", "color": colour},
        )
    ax.annotate(name, T.e[:2], xytext=(6, -12), textcoords="offset points")
    ax.plot(*T.e[:2], "k.")

# %% [markdown]
# ## The order of a product
#
# **Read a product from left to right, from the ground outwards.** Each factor
# is written in the axes that the factors before it have made.
# `trotz(a) * tdisp(1, 0, 0)`: turn, then go along the *turned* x. That is an
# arm. `tdisp(1, 0, 0) * trotz(a)`: go along the ground's x, then turn on the
# spot. That is a wheel.

# %% alt="Two frames: turned and then shifted, up to the right; shifted and then turned, at the right"
a = np.pi / 3
arm, wheel = trotz(a) * tdisp(1, 0, 0), tdisp(1, 0, 0) * trotz(a)
fig, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for ax, T, title in zip(
    axes,
    (arm, wheel),
    ("trotz(a) * tdisp(1, 0, 0)", "tdisp(1, 0, 0) * trotz(a)"),
):
    draw_frame(ax, tdisp(0, 0, 0), "0")
    draw_frame(ax, T, "1")
    ax.plot([0, T.e.x], [0, T.e.y], ":", color="gray")
    ax.set(
        title=title,
        xlim=(-0.3, 1.5),
        ylim=(-0.3, 1.3),
        aspect="equal",
        xlabel="x [m]",
    )

# %% [markdown]
# Turns about the *same* axis may be exchanged. Turns about different axes may
# not:

# %%
same = (trotz(0.3) * trotz(0.5)).matrix - (trotz(0.5) * trotz(0.3)).matrix
different = (trotx(0.3) * trotz(0.5)).matrix - (trotz(0.5) * trotx(0.3)).matrix
print("same axis:      ", np.abs(same).max())
print("different axes: ", np.abs(different).max().round(3))
assert np.abs(same).max() < 1e-14 and np.abs(different).max() > 0.1

# %% [markdown]
# ## Points and directions
#
# A point has a place, a direction has none. `T * p` takes a *point* from body
# coordinates to the ground, `T.R * u` a *direction*. The inverse goes back.

# %%
T = trotz(0.5) * tdisp(1, 0, 0)
p = T * (0.2, 0.1, 0)
print("on the ground:", np.round(p, 3))
print("and back:     ", np.round(T.inv() * p, 3))
assert np.allclose(T.inv() * p, (0.2, 0.1, 0))

# %% [markdown]
# The inverse needs no linear algebra. $\mathbf R$ only turns, so
# $\mathbf R^{-1} = \mathbf R^T$ and
#
# $$\mathbf T^{-1} = \begin{pmatrix}\mathbf R^T & -\mathbf R^T \mathbf e\\ \mathbf 0 & 1\end{pmatrix}$$

# %%
R = np.array((trotx(0.4) * troty(-1.1) * trotz(2.0)).R)
print(
    "R R^T = 1 within",
    np.abs(R @ R.T - np.eye(3)).max(),
    "  det R =",
    np.linalg.det(R).round(12),
)
assert np.allclose(R @ R.T, np.eye(3))

# %% [markdown]
# ## With symbols: the double pendulum
#
# The product works on symbols just as well. Two arms of the lengths $l_1$,
# $l_2$ hang on each other; $q_1$ is the angle of the upper one from the
# vertical, $q_2$ the angle between the two. The frames of their middles,
# element by element:

# %%
model = Model("double pendulum")
q1, q2 = model.coordinates("q1 q2", initial=(0.6, 0.8))
l1, l2 = model.parameters(l1=1.2, l2=1.1)
T01 = trotz(q1) * tdisp(0, -l1 / 2, 0)
T01

# %%
T02 = trotz(q1) * tdisp(0, -l1, 0) * trotz(q2) * tdisp(0, -l2 / 2, 0)
T02

# %% [markdown]
# Check the second one with pencil and paper, or by multiplying plain matrices.
# Both results must be the same:


# %%
def turn(q):
    c, s = sympy.cos(q), sympy.sin(q)
    return sympy.Matrix(
        [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    )


def down(d):
    return sympy.Matrix(
        [[1, 0, 0, 0], [0, 1, 0, -d], [0, 0, 1, 0], [0, 0, 0, 1]]
    )


by_hand = turn(q1) * down(l1) * turn(q2) * down(l2 / 2)
difference = sympy.simplify(by_hand - T02.matrix)
assert difference == sympy.zeros(4, 4)
assert q1 not in sympy.simplify((T01.inv() * T02).matrix).free_symbols
difference

# %% [markdown]
# With bodies on these frames the mechanism can be drawn, and moved by hand: a
# slider for each coordinate.

# %% alt="Sketch of the double pendulum: frames 0, 1, 2, hinges O and A, lengths l1, l2, angles q1, q2"
model.body("upper", T01, mass=1.1, inertia=(0, 0, 0.132))
model.body("lower", T02, mass=0.9, inertia=(0, 0, 0.091))
model.scene(initial={"q1": 0.5, "q2": 0.6}).sketch(frames=True, points=True);

# %%
model.explore()

# %% [markdown]
# The frames along the pendulum at $q_1 = 0.6$, $q_2 = 0.8$ rad: every factor of
# the product is a step of the walk from the ground to the body.

# %% alt="Four frames along the double pendulum: at the hinge, the elbow, turned there, and at the tip"
walk = [
    ("0", tdisp(0, 0, 0)),
    ("1", trotz(0.6)),
    ("A", tdisp(0, -1.2, 0)),
    ("2", trotz(0.8)),
    ("B", tdisp(0, -1.1, 0)),
]
fig, ax = plt.subplots(layout="constrained")
T, corners = tdisp(0, 0, 0), []
for name, factor in walk:
    T = T * factor
    corners.append(T.e[:2])
    if name != "1":
        draw_frame(ax, T, name)
ax.plot(*zip(*corners), color="gray", lw=4, alpha=0.4)
ax.set(
    aspect="equal",
    xlabel="x [m]",
    ylabel="y [m]",
    xlim=(-0.3, 2.2),
    ylim=(-1.6, 0.5),
);

# %% [markdown]
# ## In space: three angles, and their trap
#
# Any orientation can be reached by three turns.
# `rotation_sequence("zyx", a, b, c)` is `trotz(a) * troty(b) * trotx(c)`;
# `T.R.angles("zyx")` goes back.

# %%
back = rotation_sequence("zyx", 0.3, -0.2, 0.1).R.angles("zyx")
assert np.allclose(back, (0.3, -0.2, 0.1))
np.round(back, 6)

# %% [markdown]
# At $b = \pi/2$ the first and the third axis coincide: only $a - c$ matters,
# and one degree of freedom is lost. This is the *gimbal lock*. Two different
# triples of angles give the same matrix:

# %%
one = rotation_sequence("zyx", 0.9, np.pi / 2, 0.4).matrix
other = rotation_sequence("zyx", 0.5, np.pi / 2, 0.0).matrix
assert np.allclose(one, other)
print("largest difference of the two matrices:", np.abs(one - other).max())

# %% [markdown]
# ## What is not a rigid motion
#
# Not every matrix is a rigid motion. The toolkit refuses a matrix that is none,
# and says why:

# %%
for attempt in (
    lambda: transform([[1, 0, 0], [0, 1, 0], [0, 0, -1]]),  # a mirror
    lambda: transform([[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]),  # a shear
    lambda: model.body(
        "arm", trotz(90) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0)
    ),  # degrees
):
    try:
        attempt()
    except EasyDynError as error:
        print("*", error, "\n")

# %% [markdown]
# ## Questions
#
# 1. A camera sits at $(0, 0, 2)$ and looks straight down: its z axis points to
#    the ground, its x axis along the ground's x. Write its frame as a product.
# 2. `T1.inv() * T2` is the frame of body 2 *as seen from* body 1. Show for the
#    double pendulum that it does not contain $q_1$. Why must that be so?
# 3. How many of the twelve interesting numbers in $\mathbf T$ can be chosen
#    freely?
#
# <details><summary>Answers</summary>
#
# 1. `tdisp(0, 0, 2) * trotx(math.pi)`.
# 2. `sympy.simplify((T01.inv() * T02).matrix)` holds $q_2$ and the lengths
#    only: somebody sitting on the upper arm sees the lower one turn by $q_2$,
#    wherever the upper arm is.
# 3. Six. The nine elements of $\mathbf R$ obey six conditions
#    ($\mathbf R\mathbf R^T = \mathbf 1$ is symmetric), which leaves three;
#    three more for $\mathbf e$.
#
# </details>
#
# ## Where to read on
#
# - Exercise [01](../exercises/01_frames/README.md):
#   `python -m easydyn exercise 01`.
# - [Conventions](../docs/conventions.md), "Frames and transforms".
# - `easydyn/vec/__init__.py` holds every formula of this notebook;
#   [words](../docs/words.md) lists all symbols.
# - [Notebook 2](02_velocity_and_acceleration.ipynb): what happens when the
#   angles change.
