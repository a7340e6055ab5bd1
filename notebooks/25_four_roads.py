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
# # 25. Four roads to one equation
#
# **After this notebook you can**
#
# - derive Lagrange's equations from d'Alembert's principle;
# - write Kane's equations, with generalised speeds that you choose;
# - get the same equations from Newton and Euler, with a cut at each joint;
# - compare the work and the results of the four roads;
# - check a motion by Hamilton's function.
#
# **The question.** Your book uses Lagrange's equations, and another book uses
# Kane's. Your lecture uses Newton and Euler, and easydyn uses d'Alembert's
# principle. Are these four theories, or one?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy
from scipy.integrate import simpson

from easydyn import Model, tdisp, trotx, trotz, visu

# %% [markdown]
# ## One coordinate
#
# A slender rod of the mass $m$ and the length $l$ hangs on a pin. Its moment of
# inertia about its centre of mass is $J = m l^2/12$. Each of the four roads is
# one line:
#
# | road | what you write |
# |---|---|
# | d'Alembert | $\mathbf d\cdot(m\mathbf g - m\mathbf a) + \theta\,(0 - J\ddot q) = 0$ |
# | Newton and Euler | three equations; eliminate two forces in the pin |
# | Lagrange | $\frac{d}{dt}\frac{\partial L}{\partial\dot q} - \frac{\partial L}{\partial q} = 0$ with $L = T - V$ |
# | Kane | $F + F^* = 0$ for the speed $u = \dot q$ |
#
# All of them lead to $\frac{m l^2}{3}\,\ddot q + \frac{m g l}{2}\sin q = 0$.

# %% alt="Sketch: a rod of length l that hangs on a pin at the angle q"
m, l, g = sympy.symbols("m l g", positive=True)
single = Model("rod on a pin", gravity=(0, -9.81, 0))
(angle,) = single.coordinates("q", initial=0.6)
(long,) = single.parameters(l=1)
T = trotz(angle) * tdisp(0, -long / 2, 0)
rod = single.body("rod", T, mass=3, inertia=(0, 0, 3 * long**2 / 12))
single.scene().sketch()
swing = single.compile(target="python").accelerations(0, [0.6], [0])[0]
assert np.isclose(swing, -(3 * 9.81 / 2 * np.sin(0.6)) / (3 / 3))

# %% alt="Free-body diagram of the rod: its weight, and the force of the ground at the pin"
single.scene().sketch(forces=rod);

# %% [markdown]
# With one coordinate the roads hardly differ. So we take two coordinates.
#
# ## A double pendulum
#
# Two point masses $m$ hang on two light rods of the length $l$. The second
# angle is relative to the first rod. SymPy needs the positions. It also needs a
# rule for the rate of any function of $q$ and $\dot q$:

# %% alt="Sketch: a double pendulum, with the angle q1 from hanging and q2 relative to the first rod"
model = Model("double pendulum", gravity=(0, -9.81, 0))
c1, c2 = model.coordinates("q1 q2", initial=(0.8, 0.5))
upper = trotz(c1) * tdisp(0, -1, 0)
lower = upper * trotz(c2) * tdisp(0, -1, 0)
model.body("one", upper, mass=1, inertia=(0, 0, 0))
model.body("two", lower, mass=1, inertia=(0, 0, 0))
model.scene().sketch();

# %%
q1, q2, w1, w2, a1, a2 = sympy.symbols("q1 q2 w1 w2 a1 a2")
q, w = sympy.Matrix([q1, q2]), sympy.Matrix([w1, w2])
a = sympy.Matrix([a1, a2])


def rate(column):
    return column.jacobian(q) * w + column.jacobian(w) * a


def hanging(angle):
    return l * sympy.Matrix([sympy.sin(angle), -sympy.cos(angle)])


r1 = hanging(q1)
r2 = r1 + hanging(q1 + q2)
v1, v2 = rate(r1), rate(r2)
weight = sympy.Matrix([0, -m * g])

# %% [markdown]
# ## First road: d'Alembert
#
# For points, eq. (6) is a sum of projections. Mass times acceleration less force
# is projected on the partial contributions
# $\mathbf d_{ij} = \partial\mathbf v_i/\partial\dot q_j$. The forces in the rods
# do not appear, because they have no power in a motion that the rods allow
# ([notebook 24](24_forces_and_moments.ipynb)).
#
# $$\sum_i\frac{\partial\mathbf v_i}{\partial\dot q_j}\cdot
# \left(m_i\mathbf a_i - \mathbf R_i\right) = 0 \tag{6}$$

# %%
dalembert = sum(
    (v.jacobian(w).T * (m * rate(v) - weight) for v in (v1, v2)),
    sympy.zeros(2, 1),
)

# %% [markdown]
# ## Second road: Lagrange
#
# Start from the inertia term of the first road. Two facts about positions
# $\mathbf r(q)$ turn it into derivatives of the kinetic energy:
#
# $$\frac{\partial\mathbf v}{\partial\dot q_j}
# = \frac{\partial\mathbf r}{\partial q_j}
# \qquad\text{and}\qquad
# \frac{d}{dt}\frac{\partial\mathbf r}{\partial q_j}
# = \frac{\partial\mathbf v}{\partial q_j}$$
#
# The first one holds because $\mathbf v = \sum_j\frac{\partial\mathbf
# r}{\partial q_j}\,\dot q_j$. The second one exchanges two derivatives. Now use
# the product rule:
#
# $$m\,\mathbf a\cdot\frac{\partial\mathbf r}{\partial q_j}
# = \frac{d}{dt}\left(m\,\mathbf v\cdot\frac{\partial\mathbf v}{\partial\dot q_j}\right)
# - m\,\mathbf v\cdot\frac{\partial\mathbf v}{\partial q_j}
# = \frac{d}{dt}\frac{\partial T}{\partial\dot q_j}
# - \frac{\partial T}{\partial q_j}$$
#
# with $T = \tfrac12 m v^2$. If the forces have a potential $V$, then
# $Q_j = -\partial V/\partial q_j$, and with $L = T - V$ these are Lagrange's
# equations:
#
# $$\frac{d}{dt}\frac{\partial L}{\partial\dot q_j}
# - \frac{\partial L}{\partial q_j} = 0$$

# %%
kinetic = m / 2 * (v1.dot(v1) + v2.dot(v2))
potential = m * g * (r1[1] + r2[1])
L = sympy.Matrix([kinetic - potential])
momenta = L.jacobian(w).T
lagrange = rate(momenta) - L.jacobian(q).T
assert sympy.simplify(lagrange - dalembert) == sympy.zeros(2, 1)

# %% [markdown]
# The solutions agree, and even the equations are the same. Lagrange's road
# needs no accelerations, and no vectors once $T$ is written. On the other hand,
# $T$ is differentiated twice, and some terms cancel each other.
#
# ## Third road: Newton and Euler
#
# Cut both rods. The rod forces $S_1$ and $S_2$ act on the masses along the rods:

# %% alt="Free-body diagram of the first mass: its weight, the pull of the upper rod and that of the lower one"
model.scene().sketch(forces="one");

# %%
S1, S2 = sympy.symbols("S1 S2")
along1, along2 = r1 / l, (r2 - r1) / l
newton = sympy.Matrix(
    [
        m * rate(v1) - (weight - S1 * along1 + S2 * along2),
        m * rate(v2) - (weight - S2 * along2),
    ]
)

# %% [markdown]
# These are four equations, and two of the unknowns are forces. Each equation is
# short. A designer also gets the forces in the rods, which determine their
# size. With $n$ bodies in the plane there are always $3n$ equations, even if
# there are few coordinates.
#
# ## Fourth road: Kane
#
# The unknown rates need not be $\dot q_j$. Kane chooses **generalised speeds**
# $u_j$. They are combinations of the rates which make the velocities short. Here
# the second rod turns at $\dot q_1 + \dot q_2$, so we choose
#
# $$u_1 = \dot q_1 \qquad u_2 = \dot q_1 + \dot q_2$$
#
# The velocities are $\mathbf v_1 = l\,u_1\mathbf t_1$ and
# $\mathbf v_2 = l\,u_1\mathbf t_1 + l\,u_2\mathbf t_2$, with unit vectors
# across the rods. The factor of $u_j$ in a velocity is a **partial velocity**.
# Project on the partial velocities, as in eq. (6):
#
# $$\underbrace{\sum_i\frac{\partial\mathbf v_i}{\partial u_j}\cdot\mathbf R_i}_{F_j}
# + \underbrace{\sum_i\frac{\partial\mathbf v_i}{\partial u_j}\cdot
# (-m_i\mathbf a_i)}_{F_j^*} = 0$$

# %%
u1, u2, b1, b2 = sympy.symbols("u1 u2 b1 b2")  # b: the rates of u
t1, t2 = r1.diff(q1) / l, (r2 - r1).diff(q2) / l
acc1 = l * b1 * t1 - u1**2 * r1
acc2 = acc1 + l * b2 * t2 - u2**2 * (r2 - r1)
partial = {1: (l * t1, 0 * t1), 2: (l * t1, l * t2)}
kane = sympy.Matrix(
    [
        partial[1][j].dot(m * acc1 - weight)
        + partial[2][j].dot(m * acc2 - weight)
        for j in (0, 1)
    ]
)
kane = kane.applyfunc(lambda e: sympy.trigsimp(sympy.expand(e), method="fu"))
kane

# %% [markdown]
# These are two short equations, and they contain no product $u_1 u_2$. Kane's
# equations are d'Alembert's, projected on other directions. The rates of the
# angles follow from $\dot q_1 = u_1$ and $\dot q_2 = u_2 - u_1$. SymPy counts the
# operations of each road. The equations of Newton are those above, the others
# are simplified:

# %%
assert all(sympy.expand(e).coeff(u1, 1).coeff(u2, 1) == 0 for e in kane)
short = {
    "d'Alembert, Lagrange": dalembert.applyfunc(sympy.simplify),
    "Newton, Euler": newton,
    "Kane": kane,
}
lengths = {
    name: sum(sympy.count_ops(e) for e in equations)
    for name, equations in short.items()
}
for name, count in lengths.items():
    print(f"{name:22}{len(short[name])} equations{count:5} operations")
assert lengths["Kane"] < lengths["d'Alembert, Lagrange"]
assert lengths["Kane"] < lengths["Newton, Euler"]

# %% [markdown]
# Do all roads give the same motion? Insert numbers, and solve the equations of
# each road. Then compare the accelerations with those of easydyn:

# %%
state = {q1: 0.8, q2: 0.5, w1: 1.2, w2: -2.0, m: 1, l: 1, g: 9.81}
state |= {u1: 1.2, u2: -0.8}


def solved(equations, unknowns):
    A, b = sympy.linear_eq_to_matrix(list(equations.subs(state)), unknowns)
    return np.linalg.solve(np.array(A, float), np.array(b, float)).ravel()


by_dalembert = solved(dalembert, [a1, a2])
by_lagrange = solved(lagrange, [a1, a2])
by_newton = solved(newton, [a1, a2, S1, S2])
by_kane = solved(kane, [b1, b2])
by_kane[1] -= by_kane[0]
system = model.compile(target="python")
by_easydyn = system.accelerations(0, [0.8, 0.5], [1.2, -2.0])
for found in (by_dalembert, by_lagrange, by_newton[:2], by_kane):
    assert np.allclose(found, by_easydyn, rtol=1e-10)
print("accelerations:", np.round(by_easydyn, 4), "rad/s2")
print("rod forces:   ", np.round(by_newton[2:], 4), "N")

# %% [markdown]
# The four roads are one theory. They differ in the *directions* on which you
# project, and in the *quantities* that you differentiate:
#
# | road | unknowns | forces in joints | good if |
# |---|---|---|---|
# | d'Alembert | $\ddot q$ | do not appear | a program differentiates positions |
# | Lagrange | $\ddot q$ | do not appear | energies are short; momenta stay constant |
# | Newton, Euler | $\ddot q$ and forces | all of them | bearings are to be sized |
# | Kane | $\dot u$ | do not appear | speeds can be chosen; rolling |
#
# ## A disc that rolls
#
# A coin rolls on a table that slopes down along $x$. It stays upright. Its centre
# is at $(x, y)$. Its heading is $\psi$, and $\varphi$ is its rotation about its
# axle. Rolling restricts the rates:
#
# $$\dot x = r\,\dot\varphi\cos\psi \qquad \dot y = r\,\dot\varphi\sin\psi$$
#
# These equations cannot be integrated to equations of positions ([notebook
# 17](17_rolling.ipynb)). So four coordinates remain for two degrees of freedom,
# and Lagrange needs two multipliers. Kane chooses two speeds,
# $u_1 = \dot\varphi$ and $u_2 = \dot\psi$. The partial velocity of the centre
# is $r\,(\cos\psi, \sin\psi)$ for $u_1$, and zero for $u_2$. The moment of
# inertia about the axle is $J = \tfrac12 m r^2$, the one about a diameter is
# $A = \tfrac14 m r^2$. With the component $g_s$ of gravity along the slope, Kane's
# equations are
#
# $$\left(m r^2 + J\right)\dot u_1 = m\,g_s\,r\cos\psi \qquad A\,\dot u_2 = 0$$

# %% alt="Sketch: a coin that stands upright, with the names of its coordinates x, y, psi and phi"
r, m_c, slope = 0.1, 0.2, 1.5
coin = Model("coin on a slope", gravity=(slope, 0, -9.7))
x, y, psi, phi = coin.coordinates("x y psi phi", rates=(0, 0, 1.2, 0))
T = tdisp(x, y, r) * trotz(psi) * trotx(sympy.pi / 2) * trotz(-phi)
plate = visu.Cylinder(r, 0.02)
thin = (m_c * r**2 / 4, m_c * r**2 / 4, m_c * r**2 / 2)
coin.body("coin", T, mass=m_c, inertia=thin, shape=plate)
coin.constraint(x.dot - r * phi.dot * sympy.cos(psi), name="along x")
coin.constraint(y.dot - r * phi.dot * sympy.sin(psi), name="along y")
coin.scene(initial={"psi": 0.5}).sketch(towards=(1, -1.5, 0.8));

# %%
run = coin.simulate(5, save_every=0.02, tolerance=1e-9)
rolling = slope / (1.5 * r * 1.2) * np.sin(1.2 * run.t)  # u1, by Kane
assert np.allclose(run["psi"], 1.2 * run.t, atol=1e-6)
assert np.allclose(run["phi.dot"], rolling, atol=1e-4)
print(f"farthest down the slope: {run['x'].max():.3f} m")
by_hand = slope / (3 * 1.2**2)
assert abs(run["x"].max() - by_hand) < 1e-3 and abs(by_hand - 0.35) < 0.005
assert run["x"].min() > -1e-6
run.animate()

# %% [markdown]
# Kane's two equations can be solved by hand: $\psi = 1.2\,t$, and $u_1$ is a
# sine. easydyn uses four coordinates and two multipliers, and finds the same
# motion. The coin does not run away down the slope. It turns, and comes back
# up. It never gets farther down the slope than 0.35 m.
#
# ## Hamilton's function
#
# The momenta are $p_j = \partial L/\partial\dot q_j$. Hamilton's function is
# $H = \sum_j p_j\dot q_j - L$. If $T$ is quadratic in the rates and $L$ does
# not contain the time, then $H = T + V$, and it stays constant. Its derivatives
# give the motion, $\dot q_j = \partial H/\partial p_j$ and
# $\dot p_j = -\partial H/\partial q_j = \partial L/\partial q_j$. We can check a
# run without accelerations: $H$ has to be constant, and each momentum has to be
# the integral of its rate:

# %% alt="The two momenta of the double pendulum over four seconds, each on top of the integral of its rate"
H = (momenta.T * w)[0] - L[0]
assert sympy.simplify(H - kinetic - potential) == 0
run = model.simulate(4, save_every=0.002, method="dop853", tolerance=1e-10)
columns = [run["q1"], run["q2"], run["q1.dot"], run["q2.dot"]]
unit = {m: 1, l: 1, g: 9.81}


def along(expression):
    return sympy.lambdify([*q, *w], expression.subs(unit))(*columns)


assert np.ptp(along(H)) < 1e-7
fig, ax = plt.subplots(layout="constrained")
for j in (0, 1):
    p, force = along(momenta[j]), along(L[0].diff(q[j]))
    gained = simpson(force, x=run.t)
    assert abs(p[-1] - p[0] - gained) < 1e-6
    ax.plot(run.t, p, label=f"$p_{j + 1}$")
    steps = np.diff(run.t) * (force[1:] + force[:-1]) / 2
    ax.plot(run.t[1::100], p[0] + np.cumsum(steps)[::100], "k.")
ax.set(xlabel="t [s]", ylabel="momenta [kg m²/s]")
ax.legend()
run.animate()

# %% [markdown]
# A coordinate that $L$ does not contain is called cyclic. Its momentum is
# constant. So Lagrange's road shows a conserved quantity before any equation is
# solved.
#
# ## Questions
#
# 1. A chain in the plane has ten bars and ten hinges. How many equations does
#    each road have, and how many unknown forces?
# 2. Measure both angles of the double pendulum from the vertical. Which of the
#    four roads changes? What are the generalised speeds then?
# 3. A bead slides on a hoop that a motor turns at a constant rate. Is $H$
#    constant? Is it the energy?
#
# <details><summary>Answers</summary>
#
# 1. d'Alembert, Lagrange and Kane: ten equations, no forces. Newton and Euler:
#    thirty equations for ten accelerations and twenty components of forces.
# 2. Newton's equations do not change, but the positions contain other angles.
#    The equations of d'Alembert and Lagrange become as short as Kane's, because
#    now $\dot q_1$ and $\dot q_2$ are the two speeds.
# 3. $L$ does not contain the time, so $H$ is constant. But $H$ is not the energy.
#    $T$ has a part without rates, $\tfrac12 m\,\rho^2\Omega^2$, where $\rho$ is
#    the distance from the axis. This part has a minus sign in $H$. The energy
#    changes, because the motor does work.
#
# </details>

# %%
assert 3 * 10 == 10 + 2 * 10  # equations; accelerations and forces
absolute = {q2: q2 - q1, w2: w2 - w1, a2: a2 - a1}  # both from the vertical
third = dalembert - sympy.Matrix([dalembert[1], 0])  # for its speeds
third = third.subs(absolute, simultaneous=True).applyfunc(sympy.simplify)
same = {u1: w1, u2: w2, b1: a1, b2: a2, q2: q2 - q1}
difference = third - kane.subs(same, simultaneous=True)
assert difference.applyfunc(sympy.simplify) == sympy.zeros(2, 1)

# %%
h, v, M, Om, G = sympy.symbols("h v M Om G", positive=True)  # hoop of radius 1
T_bead = M / 2 * (v**2 + Om**2 * sympy.sin(h) ** 2)
V_bead = -M * G * sympy.cos(h)
L_bead = T_bead - V_bead
H_bead = v * L_bead.diff(v) - L_bead
acceleration = L_bead.diff(h) / M


def changes(e):
    return sympy.simplify(e.diff(h) * v + e.diff(v) * acceleration)


assert changes(H_bead) == 0 and changes(T_bead + V_bead) != 0
power = Om**2 * M * sympy.sin(2 * h) * v  # of the motor
assert sympy.simplify(changes(T_bead + V_bead) - power) == 0

# %% [markdown]
# ## Where to read on
#
# - [Notebook 3](03_dalembert.ipynb): the first road; [notebook
#   12](12_inside_the_engine.ipynb): how a program keeps it short.
# - [From SymPy's mechanics](../docs/from_sympy.md): what stands in the place of
#   `KanesMethod` and `LagrangesMethod`.
# - Exercise [27](../exercises/27_four_roads/README.md): a disc on a wedge, by
#   four roads: `python -m easydyn exercise 27`.
# - T. R. Kane, D. A. Levinson, *Dynamics: Theory and Applications*,
#   McGraw-Hill, 1985.
