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
# # 3. Partial contributions and d'Alembert
#
# **After this notebook you can**
#
# - find the partial contributions $\mathbf d$ and $\boldsymbol\theta$ of a
#   mechanism, in two ways;
# - assemble the mass matrix and the equations of motion from them, term by
#   term;
# - say why the forces in the hinges never appear, and what the residual means.
#
# **The question.** Newton and Euler give six equations for each body, and
# unknown forces in every hinge. A double pendulum has two coordinates. Where do
# the other ten equations go?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import GeneralizedForce, Model, tdisp, trotz, visu

# %% [markdown]
# ## Partial contributions
#
# The velocity $\mathbf v_i$ of the centre of mass of body $i$ and its rotation
# velocity $\boldsymbol\omega_i$ depend linearly on the generalised velocities
# $\dot q_j$:
#
# $$\mathbf v_i = \sum_j \mathbf d^{i,j}\,\dot q_j \qquad
# \boldsymbol\omega_i = \sum_j \boldsymbol\theta^{i,j}\,\dot q_j \tag{5}$$
#
# $\mathbf d^{i,j}$ says how far, and in which direction, the centre of mass of
# body $i$ moves per unit of coordinate $j$, while the other coordinates are
# constant.

# %% alt="Sketch of the double pendulum: two rods of lengths l1 and l2, hinges O and A, angles q1 and q2"
pendulum = Model("double pendulum")
q1, q2 = pendulum.coordinates("q1 q2", initial=(0, 1))
l1, l2, m1, m2, g = pendulum.parameters(l1=1.2, l2=1.1, m1=1.1, m2=0.9, g=9.81)
pendulum.gravity = (0, -g, 0)
upper = pendulum.body(
    "upper",
    trotz(q1) * tdisp(0, -l1 / 2, 0),
    mass=m1,
    inertia=(0, 0, m1 * l1**2 / 12),
)
T = trotz(q1) * tdisp(0, -l1, 0) * trotz(q2) * tdisp(0, -l2 / 2, 0)
lower = pendulum.body("lower", T, mass=m2, inertia=(0, 0, m2 * l2**2 / 12))
pendulum.scene(initial={"q1": 0.5, "q2": 0.6}).sketch(points=True);

# %%
lower.d[q1]

# %%
lower.d[q2]

# %% [markdown]
# **First way**: differentiate,
# $\mathbf d^{i,j} = \partial\mathbf e_i/\partial q_j$. **Second way**: take the
# velocity with all rates zero but one (a program that has only numbers does
# this):
#
# $$\mathbf d^{i,j} = \mathbf v_i\big|_{\dot q_k = \delta_{jk}} \tag{31}$$

# %%
first = sympy.Matrix(lower.T.e).diff(q2)
second = lower.v.subs({q1.dot: 0, q2.dot: 1})
assert (first - second).expand() == sympy.zeros(3, 1)
lower.theta[q2]

# %% [markdown]
# A picture: the contributions of $q_1$ (blue) and $q_2$ (orange) at
# $q_1 = 0.4$, $q_2 = 0.9$. Each is perpendicular to the line from its hinge to
# the centre of mass, and as long as this line.

# %% alt="Arrows d1 and d2 at the centre of mass of the lower arm, each across the line from its hinge"
at = {q1: 0.4, q2: 0.9, l1: 1.2, l2: 1.1}
numbers = {
    name: np.array(sympy.Matrix(u).subs(at).evalf(), dtype=float).ravel()[:2]
    for name, u in {
        "G": lower.T.e,
        "A": 2 * upper.T.e,
        "d1": lower.d[q1],
        "d2": lower.d[q2],
    }.items()
}
fig, ax = plt.subplots(layout="constrained")
A, G = numbers["A"], numbers["G"]
ax.plot(
    [0, A[0], (2 * G - A)[0]],
    [0, A[1], (2 * G - A)[1]],
    "o-",
    color="gray",
    lw=4,
    alpha=0.5,
)
ax.plot([0, G[0]], [0, G[1]], ":", color="tab:blue")
for name, colour in (("d1", "tab:blue"), ("d2", "tab:orange")):
    ax.quiver(
        *G,
        *numbers[name],
        angles="xy",
        scale_units="xy",
        scale=2,
        color=colour,
        label=f"half of {name}",
    )
ax.set(
    aspect="equal",
    xlabel="x [m]",
    ylabel="y [m]",
    xlim=(-0.3, 2.3),
    ylim=(-1.8, 0.3),
)
ax.legend();

# %%
for name, arm in (("d1", G), ("d2", G - A)):
    d = numbers[name]
    assert abs(d @ arm) < 1e-12 and np.isclose(d @ d, arm @ arm)

# %% [markdown]
# Partial contributions are not velocities: they depend on the position of the
# pendulum, not on its rates. Watch them during a swing:

# %%
scene = pendulum.scene()
scene.add(
    "lower",
    visu.Arrow(lower.d[q1], scale=0.5, colour="blue"),
    visu.Arrow(lower.d[q2], scale=0.5, colour="orange"),
)
pendulum.simulate(4).animate(scene=scene, every=0.02)

# %% [markdown]
# ## d'Alembert's principle
#
# Let the mechanism make a small virtual motion $\delta q_j$. The centre of mass
# moves by $\mathbf d\,\delta q_j$, the body turns by
# $\boldsymbol\theta\,\delta q_j$. **Hinge forces do no work**: the two bodies
# that share a hinge move it together, and the forces are opposite. Only applied
# forces $\mathbf R_i$, applied moments $\mathbf M_{G_i}$ about the centre of
# mass, and the terms of inertia remain. These are mass $m_i$ times acceleration
# $\mathbf a_i$, and the rate of the angular momentum, with the inertia tensor
# $\boldsymbol\Phi_i$ and the angular acceleration $\boldsymbol\alpha_i$:
#
# $$\sum_i \mathbf d^{i,j}\cdot(\mathbf R_i - m_i\mathbf a_i) + \boldsymbol\theta^{i,j}\cdot(\mathbf M_{G_i} -
# \boldsymbol\Phi_i\boldsymbol\alpha_i - \boldsymbol\omega_i\times\boldsymbol\Phi_i\boldsymbol\omega_i) = 0
# \tag{6}$$
#
# This is one equation for each coordinate. We sum it up ourselves, with gravity
# as the only applied force. (Our residual is eq. (6) with its sign turned.)


# %%
def tidy(expression):
    """Multiply out, then put sines and cosines together."""
    return sympy.trigsimp(sympy.expand(expression), method="fu")


gravity = sympy.Matrix([0, -g, 0])
residual = []
for q in (q1, q2):
    f = 0
    for body, m, length in ((upper, m1, l1), (lower, m2, l2)):
        I = (
            m * length**2 / 12
        )  # about z; the rotation is about z too, so omega x I omega = 0
        f += body.d[q].dot(m * body.a - m * gravity) + body.theta[q].dot(
            I * body.alpha
        )
    residual.append(f)
tidy(residual[1])

# %%
eom = pendulum.equations()
assert [tidy(a - b) for a, b in zip(residual, eom.residual)] == [0, 0]
eom.h.applyfunc(tidy)

# %% [markdown]
# ## The mass matrix
#
# Put $\mathbf a_i = \sum_k \mathbf d^{i,k}\ddot q_k + \dots$ into eq. (6) and
# collect:
#
# $$\mathbf M_{jk} = \sum_i m_i\,\mathbf d^{i,j}\cdot\mathbf d^{i,k} +
# \boldsymbol\theta^{i,j}\cdot\boldsymbol\Phi_i\boldsymbol\theta^{i,k} \tag{8}$$
#
# It is symmetric, and positive definite:
# $\tfrac12\dot{\mathbf q}^T\mathbf M\dot{\mathbf q}$ is the kinetic energy.

# %%
M = sympy.Matrix(
    2,
    2,
    lambda j, k: sum(
        m * body.d[(q1, q2)[j]].dot(body.d[(q1, q2)[k]])
        + m
        * length**2
        / 12
        * body.theta[(q1, q2)[j]].dot(body.theta[(q1, q2)[k]])
        for body, m, length in ((upper, m1, l1), (lower, m2, l2))
    ),
)
assert (M - eom.M).applyfunc(tidy) == sympy.zeros(2, 2)
M = M.applyfunc(tidy)
assert q1 not in M.free_symbols  # question 1
assert [q2 in M[k].free_symbols for k in (0, 1, 3)] == [True, True, False]
M

# %%
system = pendulum.compile()
M = system.mass_matrix(0, [0, 1])
print(M)
print(
    "symmetric:", np.allclose(M, M.T), "  eigenvalues:", np.linalg.eigvalsh(M)
)
qd = np.array([1.0, -2.0])
state = {
    q1: 0,
    q2: 1,
    q1.dot: 1,
    q2.dot: -2,
    l1: 1.2,
    l2: 1.1,
    m1: 1.1,
    m2: 0.9,
}
kinetic = sum(
    (m * b.v.dot(b.v) + m * length**2 / 12 * b.omega.dot(b.omega)) / 2
    for b, m, length in ((upper, m1, l1), (lower, m2, l2))
).subs(state)
print("kinetic energy:", qd @ M @ qd / 2, "=", float(kinetic), "J")
assert np.isclose(qd @ M @ qd / 2, float(kinetic))
assert np.allclose(M, M.T) and np.linalg.eigvalsh(M).min() > 0

# %% [markdown]
# ## What the residual means
#
# $\mathbf f(\mathbf q, \dot{\mathbf q}, \ddot{\mathbf q}, t) = \mathbf
# M\ddot{\mathbf q} + \mathbf h$ is zero on a motion of the mechanism (7). For
# any other motion it is the **generalised force that has to be added** to cause
# this motion. Computing this force is called inverse dynamics. To hold the
# pendulum still at $q_1 = 0.5$, $q_2 = 1$, the motors must give

# %%
holding = system.residual(0, [0.5, 1.0], [0, 0], [0, 0])
print(holding, "N m")

# %% [markdown]
# Check by hand: the weight of the lower arm has the lever arm
# $\tfrac{l_2}{2}\sin(q_1 + q_2)$ about its hinge. If motors give exactly these
# moments, the pendulum does not move:

# %%
assert np.isclose(holding[1], 0.9 * 9.81 * 0.55 * np.sin(1.5))
pendulum.add(GeneralizedForce(q1, holding[0]), GeneralizedForce(q2, holding[1]))
run = pendulum.simulate(0.5, initial={"q1": 0.5, "q2": 1.0})
print("after half a second:", run.q[-1])
assert np.allclose(run.q[-1], [0.5, 1.0], atol=1e-9)

# %% [markdown]
# ## A second opinion: Lagrange
#
# Lagrange's equations start from energies, and use no partial contributions.
# They must give the same result:
# $\dfrac{d}{dt}\dfrac{\partial L}{\partial\dot q_j} - \dfrac{\partial L}{\partial q_j} = 0$.

# %%
L = 0
for b, m, length in ((upper, m1, l1), (lower, m2, l2)):
    L += (
        m * b.v.dot(b.v) + m * length**2 / 12 * b.omega.dot(b.omega)
    ) / 2 - m * g * b.T.e.y
pairs = [(q1, q1.dot), (q2, q2.dot), (q1.dot, q1.ddot), (q2.dot, q2.ddot)]
lagrange = [
    sum(L.diff(q.dot).diff(x) * x_dot for x, x_dot in pairs) - L.diff(q)
    for q in (q1, q2)
]
difference = [tidy(a - b) for a, b in zip(lagrange, residual)]
assert difference == [0, 0]
difference

# %% [markdown]
# ## Questions
#
# 1. Which elements of $\mathbf M$ depend on $q_2$, and why does none depend on
#    $q_1$?
# 2. Take absolute angles: the lower arm is
#    `trotz(q1) * tdisp(0, -l1, 0) * trotz(q2 - q1) * ...`, with $q_2$ from the
#    vertical. How do $\boldsymbol\theta$, $\mathbf M_{11}$ and the meaning of
#    $f_1$ change?
# 3. A motor in the second hinge pushes the lower arm with the moment $M$ and
#    the upper one with $-M$. What is its part in eq. (6), for $j = 1$ and for
#    $j = 2$?
#
# <details><summary>Answers</summary>
#
# 1. $\mathbf M_{11}$ and $\mathbf M_{12}$. Turning everything by $q_1$ is a
#    rigid turn: it changes no distance and no scalar product.
# 2. $\boldsymbol\theta^{2,1} = 0$: the coordinate $q_1$ alone no longer turns
#    the lower arm. $\mathbf M_{11} = m_1 l_1^2/3 + m_2 l_1^2$ is constant.
#    $f_1$ is now the moment on the upper arm *relative to the ground*.
# 3. $j = 1$:
#    $\boldsymbol\theta^{1,1}\cdot(-M\mathbf z) + \boldsymbol\theta^{2,1}\cdot M\mathbf z = -M + M = 0$.
#    $j = 2$: $0 + M$. With relative angles a motor is simply a generalised
#    force.
#
# </details>
#
# ## Where to read on
#
# - Exercises [03](../exercises/03_contributions/README.md),
#   [04](../exercises/04_dalembert/README.md): `python -m easydyn exercise 03`.
# - The paper, section III. `easydyn/mechanics/mbs.py` is eqs. (6) and (8), in
#   fewer than 150 lines.
# - [Reactions](../docs/reactions.md): how to compute the forces in the hinges.
# - [Notebook 4](04_newmark.ipynb): from accelerations to motion.
