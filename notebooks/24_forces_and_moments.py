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
# # 24. Forces and moments
#
# **After this notebook you can**
#
# - replace forces by a resultant and a moment, and move them to another point;
# - cut a body free, and draw every force that acts on it;
# - write the equations of Newton and Euler for each body of a mechanism;
# - compute the power of a force, and explain what a generalised force is.
#
# **The question.** A trolley runs on a rail, and a rod hangs on it by a pin.
# How large is the force in the pin, and why do the equations of motion not
# contain it?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import Force, Model, PlanePoint, ground, tdisp, trotz, visu

# %% [markdown]
# ## The moment of a force
#
# A force $\mathbf F$ acts at a point $P$. It pushes the body, and it also turns
# it. Its moment measures how strongly it turns the body about a chosen point.
# The moment about $O$ is
#
# $$\mathbf M_O = \mathbf r_{OP}\times\mathbf F$$
#
# with the vector $\mathbf r_{OP}$ from $O$ to $P$. If $P$ moves along the line of
# the force, $\mathbf r_{OP}$ changes by a multiple of $\mathbf F$. The cross
# product does not change. So a force on a rigid body may be moved **along its
# line**. It must not be moved to the side.
#
# Several forces have a **resultant** and a moment about $O$:
#
# $$\mathbf R = \sum_i\mathbf F_i \qquad
# \mathbf M_O = \sum_i\mathbf r_{OP_i}\times\mathbf F_i + \sum_k\mathbf M_k$$
#
# The last sum holds moments that act by themselves, such as that of a motor.
# Two sets of forces with the same $\mathbf R$ and the same $\mathbf M_O$ are
# **equivalent**: a rigid body moves in the same way under both. Here are three
# forces on a plate:

# %%
points = np.array([[0, 0, 0], [0.4, 0, 0], [0.4, 0.3, 0]])
forces = np.array([[0, 30, 0], [0, -10, 0], [-15, 0, 0]])


def reduced(about):
    return forces.sum(axis=0), np.cross(points - about, forces).sum(axis=0)


R, M_O = reduced(np.zeros(3))
print("R =", R, "N,  M_O =", M_O, "N m")
assert np.allclose(R, (-15, 20, 0)) and np.allclose(M_O, (0, 0, 0.5))

# %% [markdown]
# ## Another point
#
# Take the moment about $Q$. Every arm $\mathbf r_{QP_i}$ is
# $\mathbf r_{QO} + \mathbf r_{OP_i}$. Therefore
#
# $$\mathbf M_Q = \mathbf M_O + \mathbf r_{QO}\times\mathbf R$$
#
# The resultant does not depend on the point, but the moment does. Two equal and
# opposite forces have no resultant: they are a **couple**. The formula shows
# that a couple has the same moment about every point.
#
# In the plane, a resultant that is not zero can always be moved to a line on
# which no moment is left. That line passes through the point
#
# $$\mathbf r = \frac{\mathbf R\times\mathbf M_O}{R^2}$$
#
# In space, a moment along $\mathbf R$ remains ([notebook
# 14](14_motors.ipynb)).

# %% alt="A plate with three forces, and their resultant on its line of action, which meets none of their points"
Q = np.array([1.0, -2.0, 0.0])
assert np.allclose(reduced(Q)[1], M_O + np.cross(-Q, R))
place = np.cross(R, M_O) / (R @ R)
assert np.allclose(np.cross(place, R), M_O)
fig, ax = plt.subplots(layout="constrained")
ax.fill([0, 0.4, 0.4, 0], [0, 0, 0.3, 0.3], "#eceff1", ec="k")
start = place - 0.005 * R
for p, F, colour in [*zip(points, forces, ["C0"] * 3), (start, R, "C3")]:
    style = {"arrowstyle": "-|>", "color": colour}
    tip = (p + 0.008 * F)[:2]
    ax.annotate("", tip, p[:2], arrowprops=style)
    size = np.linalg.norm(F)
    ax.annotate(
        f"{size:.0f} N", tip, (7, 3), textcoords="offset points", color=colour
    )
ax.set(xlim=(-0.2, 0.65), ylim=(-0.2, 0.4), aspect="equal")
ax.set(xlabel="x [m]", ylabel="y [m]")
assert np.isclose(np.linalg.norm(R), 25)
distance = np.linalg.norm(place)
print(f"the line of the resultant is {1000 * distance:.0f} mm from O")
assert np.isclose(distance, 0.02)

# %% [markdown]
# ## The mechanism
#
# A force $u$ pushes the trolley. Its mass is $m_1$. The rod has the mass $m_2$
# and the length $l$; its centre of mass is at half its length.

# %% alt="Sketch: a trolley at x on a rail, a rod of length l that hangs on it at the angle q"
model = Model("trolley with a rod", gravity=(0, -9.81, 0))
x, q = model.coordinates("x q", initial=(0, 0.6), rates=(0, 2))
m1, m2, l, u = model.parameters(m1=4, m2=2, l=1, u=10)
block = visu.Box(0.3, 0.15, 0.1)
T1 = tdisp(x, 0, 0)
T2 = T1 * trotz(q) * tdisp(0, -l / 2, 0)
trolley = model.body("trolley", T1, mass=m1, inertia=(0, 0, 0.1), shape=block)
rod = model.body("rod", T2, mass=m2, inertia=(0, 0, m2 * l**2 / 12))
model.add(Force(trolley, (u, 0, 0)))
scene = model.scene()
scene.sketch();

# %% [markdown]
# ## Cut it free
#
# A **free-body diagram** shows a body alone, with every force that something
# else exerts on it:
#
# 1. the weight, at the centre of mass;
# 2. the applied forces: those of motors, springs, hands;
# 3. the force of the other body at each cut. A pin transmits a force. A guide
#    transmits a force across its line, and a moment.
#
# Draw the rod alone. The drawing shows the forces at this instant, and their
# values:

# %% alt="Free-body diagram of the rod: its weight at the centre of mass, and the force of the trolley at the pin"
ax = scene.sketch(forces=rod)
on_rod = [text.get_text() for text in ax.texts if text.get_text()]
print(on_rod)

# %% alt="Free-body diagram of the trolley: weight, applied force, the force of the rail, and that of the rod"
ax = scene.sketch(forces=trolley)
on_trolley = [text.get_text() for text in ax.texts if text.get_text()]
print(on_trolley)

# %% [markdown]
# The trolley pulls the rod, and the rod pulls the trolley. These two forces are
# equal and opposite, and act on the same line: **action and reaction**. The
# label names the body that exerts the force. Now cut only at the rail, and
# leave trolley and rod together:

# %% alt="Free-body diagram of trolley and rod together: two weights, the applied force, the force of the rail"
ax = scene.sketch(forces=True)
together = [text.get_text() for text in ax.texts if text.get_text()]
print(together)
run = model.simulate(2, save_every=0.01, method="dop853")
force, _ = run.reaction(rod, trolley, at=(0, l / 2, 0))
size = np.linalg.norm(force[0])
print(f"the pin transmits {size:.1f} N")
assert f"trolley {size:.3g} N" in on_rod and f"rod {size:.3g} N" in on_trolley
assert not any(f"{size:.3g}" in text for text in together)

# %% [markdown]
# The force of the pin does not appear. Inside the cut, action and reaction
# cancel each other. **You choose which forces appear**, because you choose
# where to cut.
#
# ## Newton and Euler for each body
#
# The forces on a body determine the acceleration of its centre of mass. Their
# moments about the centre of mass determine its angular acceleration:
#
# $$m\,\mathbf a_G = \sum\mathbf F \qquad
# J\,\ddot\varphi = \sum M_G \quad\text{(in the plane)}$$
#
# The pin exerts the force $(X, Y)$ on the rod. The rail exerts the force $N$ on
# the trolley, upwards. The position of the rod's centre of mass is
# $(x + \tfrac l2\sin q,\; -\tfrac l2\cos q)$. SymPy differentiates it twice.
# The five equations are linear in the five unknowns
# $\ddot x, \ddot q, X, Y, N$:

# %%
time = sympy.Symbol("time")
xt, qt = sympy.Function("x")(time), sympy.Function("q")(time)
X, Y, N = sympy.symbols("X Y N")
G = [xt + l / 2 * sympy.sin(qt), -l / 2 * sympy.cos(qt)]
ax_, ay_ = (c.diff(time, 2) for c in G)
arm = [-l / 2 * sympy.sin(qt), l / 2 * sympy.cos(qt)]  # from G to the pin
newton = [
    m1 * xt.diff(time, 2) - (u - X),
    -(N - m1 * 9.81 - Y),
    m2 * ax_ - X,
    m2 * ay_ - (Y - m2 * 9.81),
    m2 * l**2 / 12 * qt.diff(time, 2) - (arm[0] * Y - arm[1] * X),
]
unknowns = [xt.diff(time, 2), qt.diff(time, 2), X, Y, N]
found = sympy.solve(newton, unknowns, dict=True)[0]
values = {m1: 4, m2: 2, l: 1, u: 10}
state = [(qt.diff(time), 2.0), (qt, 0.6)]
numbers = [float(found[s].subs(values).subs(state)) for s in unknowns]
for name, value in zip(("x.ddot", "q.ddot", "X", "Y", "N"), numbers):
    print(f"{name:7}{value:9.3f}")
assert np.allclose(numbers[:2], run.qdd[0], rtol=1e-6)
assert np.allclose(numbers[2:4], force[0, :2], rtol=1e-6)
rail, _ = run.reaction(trolley, "ground")
assert np.isclose(rail[0, 1], numbers[4], rtol=1e-6)

# %% [markdown]
# These are five equations for a mechanism with two coordinates. Three unknowns
# are forces, which the motion does not need. Are there two equations for the
# two accelerations alone?
#
# ## Power
#
# A force at a point with the velocity $\mathbf v_P$ has the power $\mathbf
# F\cdot\mathbf v_P$. A moment on a body with the angular velocity
# $\boldsymbol\omega$ has the power $\mathbf M\cdot\boldsymbol\omega$. Work is
# the integral of power over time. Equivalent sets of forces have the same
# power, because $\mathbf v_P = \mathbf v_G + \boldsymbol\omega\times\mathbf
# r_{GP}$:
#
# $$\sum_i\mathbf F_i\cdot\mathbf v_{P_i}
# = \mathbf R\cdot\mathbf v_G + \mathbf M_G\cdot\boldsymbol\omega$$

# %%
v_G, w = np.array([0.7, -0.2, 0]), np.array([0, 0, 3.0])
centre = np.array([0.2, 0.15, 0])
one_by_one = sum(
    F @ (v_G + np.cross(w, p - centre)) for p, F in zip(points, forces)
)
resultant, moment = reduced(centre)
assert np.isclose(one_by_one, resultant @ v_G + moment @ w)

# %% [markdown]
# Which forces have no power?
#
# - **A pin**: action and reaction are opposite, and both sides of the pin have
#   the same velocity. The two powers cancel each other.
# - **A smooth guide**: its force is across the velocity.
# - **A wheel that rolls**: the velocity of the point of contact is zero.
#
# Such reactions are called ideal. Friction in a bearing is not ideal, and
# counts as an applied force. In the run the pin has these two powers:

# %% alt="Power of the pin on the trolley and on the rod over two seconds: one is the other upside down"
at_pin = run.of([x.dot])[:, 0]  # both sides of the pin have this velocity
on_the_rod = force[:, 0] * at_pin
on_the_trolley = -force[:, 0] * at_pin
fig, ax = plt.subplots(layout="constrained")
ax.plot(run.t, on_the_rod, label="on the rod")
ax.plot(run.t, on_the_trolley, label="on the trolley")
ax.set(xlabel="t [s]", ylabel="power of the pin [W]")
ax.legend()
height = run.of([rod.T.e[1]])[:, 0]
work = 10 * run["x"] - 2 * 9.81 * (height - height[0])
gained = run.energy.kinetic - run.energy.kinetic[0]
assert np.allclose(work, gained, atol=1e-5) and abs(on_the_rod).max() > 20

# %% [markdown]
# The last lines check the law of work and energy. The work of push and weight
# **alone** is the increase of the kinetic energy. The pin transfers energy from
# one body to the other, at times with more than 20 W. The rail has no power.
#
# ## Generalised forces
#
# So do not consider the actual motion only, but every motion that the joints
# allow. Each velocity in such a motion is a sum over the rates, with the
# partial contributions of [notebook 3](03_dalembert.ipynb):
#
# $$\mathbf v_i = \sum_j\mathbf d_{ij}\,\dot q_j \qquad
# \boldsymbol\omega_i = \sum_j\boldsymbol\theta_{ij}\,\dot q_j$$
#
# The power of all applied forces is then $\sum_j Q_j\,\dot q_j$, with the
# **generalised forces**
#
# $$Q_j = \sum_i\left(\mathbf d_{ij}\cdot\mathbf R_i
# + \boldsymbol\theta_{ij}\cdot\mathbf M_{G,i}\right)$$
#
# The unit of $Q_j$ is N if $q_j$ is a length, and N m if $q_j$ is an angle. By
# Newton and Euler, mass times acceleration less the applied force is the
# *reaction*. The same holds for the moments. The reactions have no power in any
# motion that the joints allow. So
#
# $$\sum_i \mathbf d_{ij}\cdot\left(\mathbf R_i - m_i\mathbf a_i\right)
# + \boldsymbol\theta_{ij}\cdot\left(\mathbf M_{G,i}
# - \dot{\mathbf L}_i\right) = 0 \tag{6}$$
#
# with the angular momentum $\mathbf L_i$ about the centre of mass. This is
# d'Alembert's principle. It gives one equation for each coordinate, and the
# equations contain no reactions. This answers the question.

# %%
d = sympy.Matrix(rod.v).jacobian([x.dot, q.dot])
weight = sympy.Matrix([0, -m2 * 9.81, 0])
push = sympy.Matrix([u, 0])
Qs = d.T * weight + push
Qs.simplify()
Qs

# %%
a_rod, a_trolley = sympy.Matrix(rod.a), sympy.Matrix(trolley.a)
inertia = d.T * m2 * a_rod + sympy.Matrix([m1 * a_trolley[0], 0])
inertia[1] += m2 * l**2 / 12 * q.ddot
two = list(Qs - inertia)
accelerations = sympy.solve(two, [x.ddot, q.ddot])
now = values | {q: 0.6, q.dot: 2.0}
short = [float(accelerations[s].subs(now)) for s in (x.ddot, q.ddot)]
assert np.allclose(short, numbers[:2])
print("two equations give", np.round(short, 3))
run.animate(arrows=True)

# %% [markdown]
# ## Where does a force act?
#
# A box of the weight $W$ stands on two feet at the distance $b$. A force $F$
# pushes it to the right at the height $h$. A door step holds its right foot.
# Where does the floor exert its force? The moments about the right foot give
# the force at the left foot:
#
# $$N_1 = \frac W2 - \frac{F\,h}{b}$$

# %% alt="Free-body diagram of a box: push at the left, weight, the step at the right, a small force at the left foot"
W, F, h, b = 3 * 9.81, 8.0, 0.5, 0.4
box_model = Model("box at a step", gravity=(0, -9.81, 0))
bx, by, turn = box_model.coordinates("x y a", initial=(0, 0.3, 0))
T = tdisp(bx, by, 0) * trotz(turn)
crate = visu.Box(b, 0.6, 0.3)
box = box_model.body("box", T, mass=3, inertia=(0, 0, 0.2), shape=crate)
law = {"stiffness": 1e6, "damping": 100}
for k in (-b / 2, b / 2):
    foot = PlanePoint((box, (k, -0.3, 0)), ground, normal=(0, 1, 0), **law)
    box_model.add(foot)
step = (ground, (b / 2, 0, 0))
toe = (box, (b / 2, -0.3, 0))
box_model.add(PlanePoint(toe, step, normal=(-1, 0, 0), **law))
box_model.add(Force(box, (F, 0, 0), at=(-b / 2, h - 0.3, 0)))
rest = box_model.equilibrium(initial={"x": 8e-6, "y": 0.29998})
at_rest = {name: rest[name] for name in ("x", "y", "a")}
diagram = box_model.scene(initial=at_rest).sketch(forces=box)
N1, N2 = W / 2 - F * h / b, W / 2 + F * h / b
written = [t.get_text() for t in diagram.texts if t.get_text()]
print(written)
feet = [float(text.split()[2]) for text in written if "plane" in text]
assert np.allclose(sorted(feet), sorted([N1, F, N2]), atol=0.02)

# %% [markdown]
# With a larger push, $N_1$ becomes zero at $F = W b/(2h)$, here at 11.8 N. Then
# the box tips. The two forces of the floor are equivalent to one force $W$ that
# acts between the feet. Its line moves to the right as the push grows. When the
# box tips, the line passes through the corner.

# %%
tips = W * b / (2 * h)
assert np.isclose(W / 2 - tips * h / b, 0) and round(tips, 1) == 11.8
for push, at in ((0, 0), (F, F * h / W), (tips, b / 2)):
    left, right = W / 2 - push * h / b, W / 2 + push * h / b
    assert np.isclose((right - left) * b / 2 / W, at)  # the line of W

# %% [markdown]
# ## Questions
#
# 1. A force of 20 N opens a door, at its handle 0.8 m from the hinges. You move
#    that force to the middle of the door. What do you have to add? Do the
#    forces in the hinges change?
# 2. Draw the rod alone when it hangs at rest. Draw it again when it passes this
#    position at 2 rad/s. Which force has changed, and by how much?
# 3. A rope runs over a wheel without mass and friction. Why is the force in the
#    rope the same on both sides? What changes if the wheel has a moment of
#    inertia?
#
# <details><summary>Answers</summary>
#
# 1. You have to add a couple of 20 N times 0.4 m, which is 8 N m. The two sets
#    are equivalent, so neither the motion nor the forces in the hinges change.
#    The stresses in the door do change.
# 2. The force of the pin has changed. At rest it is the weight, 19.6 N. In
#    motion it also accelerates the rod towards the pin, which takes another
#    $m_2\,\tfrac l2\,\dot q^2$ = 4 N.
# 3. The moments about the axle give $(S_1 - S_2)\,r = J\,\dot\omega$. With
#    $J = 0$ both forces are equal in any motion. With $J > 0$ they differ while
#    the angular velocity of the wheel changes.
#
# </details>

# %%
moved = np.cross((0.8, 0, 0), (0, 20, 0)) - np.cross((0.4, 0, 0), (0, 20, 0))
assert np.allclose(moved, (0, 0, 8))
for speed, expected in ((0.0, 19.6), (2.0, 19.6 + 4)):
    hanging = [(qt.diff(time), speed), (qt, 0)]
    in_pin = float(found[Y].subs(values).subs(hanging))
    assert abs(in_pin - expected) < 0.05

# %% [markdown]
# ## Where to read on
#
# - [Notebook 3](03_dalembert.ipynb): d'Alembert's principle for any mechanism;
#   [notebook 25](25_four_roads.ipynb): four ways to one equation.
# - [Reactions](../docs/reactions.md): forces in bearings along a run;
#   [pictures](../docs/sight.md): `sketch(forces=...)`.
# - Exercise [26](../exercises/26_forces_and_moments/README.md) lets you do it
#   by hand: `python -m easydyn exercise 26`.
# - J. L. Meriam, L. G. Kraige, *Engineering Mechanics: Statics*, Wiley,
#   chapters 2 and 3.
