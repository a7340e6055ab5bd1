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
# # 13. Closed loops: multipliers, drift and projection
#
# **After this notebook you can**
#
# - close a loop that you do not solve by hand, and say which freedoms are left;
# - derive the equations with Lagrange's multipliers, and see why their solution
#   drifts;
# - hold a loop together, by Baumgarte's springs or by a projection;
# - find the force in a joint, and say which of its components cannot be known.
#
# **The question.** In notebook 6 an arcsine closed the slider-crank. For a
# four-bar such a formula is long. What does a program do that knows only *where
# the loop is closed*?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import Model, tdisp, trotz

# %% [markdown]
# ## An open chain, and its closure
#
# A crank, a coupler on it and a rocker beside them are an open tree of three
# rods with three angles. `close` says that the end of the coupler and that of
# the rocker are one point.

# %% alt="Sketch of a four-bar: a short crank, a coupler, a rocker, two hinges on the ground"
GROUND, CRANK, COUPLER, ROCKER = 0.9, 0.3, 0.8, 0.6  # m


def four_bar(closed=True, lengths=(CRANK, COUPLER, ROCKER)):
    crank, coupler, rocker = lengths
    model = Model("four-bar", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates(
        "a b c", initial=(1.2, -0.9, 1.5), rates=(6, 0, 0)
    )
    rods = {}
    for name, T, l in (
        ("crank", trotz(a), crank),
        ("coupler", trotz(a) * tdisp(crank, 0, 0) * trotz(b), coupler),
        ("rocker", tdisp(GROUND, 0, 0) * trotz(c), rocker),
    ):
        rods[name] = model.body(
            name,
            T,
            mass=2 * l,
            inertia=(0, 0, 2 * l**3 / 12),
            com=(l / 2, 0, 0),
        )
    if closed:
        model.close(
            (rods["coupler"], (coupler, 0, 0)),
            (rods["rocker"], (rocker, 0, 0)),
            joint="revolute",
            name="pin",
        )
    return model


model = four_bar()
model.scene(initial=model.assemble()).sketch(points=True);

# %%
mobility = model.mobility()
assert mobility.equations == 5 and mobility.rank == 2
assert mobility.degrees_of_freedom == 1
mobility

# %% [markdown]
# In other words: the pin has five equations, for two directions in the plane,
# one direction across it, and two angles. The chain is planar, so three of them
# always hold. Two equations are left for three angles: one degree of freedom
# remains. The force of the pin across the plane cannot be computed. It depends
# on errors of manufacture, which are not in the model.
#
# ## Two ways to assemble it
#
# The angles in `initial=` are guesses. The crank keeps its angle, and the other
# two angles change until the loop closes. Another guess leads to the other way
# of assembling it.

# %% alt="The four-bar assembled in two ways: with the rocker above, and with the rocker below"
ways = model.assemblies(hold=["a"])
parallelogram = four_bar(lengths=(GROUND, GROUND, GROUND))  # question 2
assert len(ways) == len(parallelogram.assemblies(hold=["a"])) == 2
figure, axes = plt.subplots(1, len(ways), figsize=(8, 3.2))
for ax, way in zip(axes, ways, strict=True):
    model.scene(initial=way).sketch(ax=ax)
    ax.set_title(f"b = {way['b']:.2f}, c = {way['c']:.2f}")

# %% [markdown]
# ## Lagrange's equations of the first kind
#
# Let the loop be $\mathbf g(\mathbf q) = \mathbf 0$, with the Jacobian
# $\mathbf J = \partial\mathbf g/\partial\mathbf q$. Without the loop the open
# tree obeys $\mathbf f = \mathbf M\,\ddot{\mathbf q} + \mathbf h = \mathbf 0$
# (7): by d'Alembert's principle, eq. (6), $\delta\mathbf q^\mathsf{T}\mathbf f$
# vanishes for *every* virtual motion $\delta\mathbf q$. With the loop only
# virtual motions are allowed that keep it closed,
# $\mathbf J\,\delta\mathbf q = \mathbf 0$. The pin does no work in them,
# because its two ends move together. So $\mathbf f$ need not vanish, but it is
# perpendicular to the null space of $\mathbf J$. Therefore it is a linear
# combination of the rows of $\mathbf J$. The factors $\boldsymbol\lambda$ are
# **Lagrange's multipliers**:
#
# $$\mathbf M\,\ddot{\mathbf q} + \mathbf h =
#   \mathbf J^\mathsf{T}\boldsymbol\lambda,\qquad
#   \mathbf J\,\ddot{\mathbf q} + \boldsymbol\gamma = \mathbf 0,\qquad
#   \boldsymbol\gamma = \dot{\mathbf J}\,\dot{\mathbf q}$$
#
# The second equation is $\ddot{\mathbf g} = \mathbf 0$, the loop differentiated
# twice. $\lambda_i$ is the force (or moment) in the direction of the $i$-th
# equation of the loop: its power is $\lambda_i\,\dot g_i$. Here there are five
# linear equations for three accelerations and two multipliers. We solve them
# with the matrices of the open tree, from `compile`:

# %%
a, b, c = sympy.symbols("a b c")
rates = sympy.symbols("a_ b_ c_")
tip = sympy.Matrix(
    [
        CRANK * sympy.cos(a) + COUPLER * sympy.cos(a + b),
        CRANK * sympy.sin(a) + COUPLER * sympy.sin(a + b),
    ]
)
end = sympy.Matrix([GROUND + ROCKER * sympy.cos(c), ROCKER * sympy.sin(c)])
g = tip - end
J = g.jacobian([a, b, c])
gamma = (J * sympy.Matrix(rates)).jacobian([a, b, c]) * sympy.Matrix(rates)
numbers = sympy.lambdify([(a, b, c), rates], [g, J, gamma])

tree = four_bar(closed=False).compile()


def accelerations(q, qd, alpha=0.0):
    """Accelerations, multipliers; alpha (1/s) is Baumgarte's, see below."""
    gap, slopes, rest = numbers(q, qd)
    M, h = tree.mass_matrix(0, q), tree.residual(0, q, qd, np.zeros(3))
    A = np.block([[M, -slopes.T], [slopes, np.zeros((2, 2))]])
    right = -rest[:, 0] - 2 * alpha * slopes @ qd - alpha**2 * gap[:, 0]
    x = np.linalg.solve(A, np.concatenate([-h, right]))
    return x[:3], x[3:]


start = model.assemble()
q, qd = (
    np.array([start[f"{name}{dot}"] for name in "abc"]) for dot in ("", ".dot")
)
qdd, multipliers = accelerations(q, qd)
run = model.simulate(1, method="dop853", tolerance=1e-11)
print(qdd, run.qdd[0])
print(multipliers, run.reaction("pin").force[0])
assert np.allclose(qdd, run.qdd[0]) and np.allclose(
    np.abs(multipliers), np.abs(run.reaction("pin").force[0, :2])
)
assert np.isnan(run.reaction("pin").force[0, 2])

# %% [markdown]
# The accelerations agree, and the multipliers are the force in the pin,
# component by component. Its third component is `nan`: not zero, but unknown.
#
# ## Why it drifts
#
# The equations contain only $\ddot{\mathbf g} = \mathbf 0$. The small errors of
# each step make $\mathbf g \ne \mathbf 0$ and $\dot{\mathbf g} \ne \mathbf 0$,
# and nothing corrects them: the gap grows with time. Baumgarte (1972) put a
# spring and a damper on the gap,
# $\ddot{\mathbf g} + 2\alpha\dot{\mathbf g} + \alpha^2\mathbf g = \mathbf 0$.
# The next cell uses the method of Runge and Kutta with steps of 10 ms:


# %%
def gaps(alpha, step=0.01, seconds=10.0, after=None):
    """The gap of the loop (m) along a run."""
    x, found = np.concatenate([q, qd]), []

    def slope(x):
        return np.concatenate([x[3:], accelerations(x[:3], x[3:], alpha)[0]])

    for _ in range(round(seconds / step)):
        k1 = slope(x)
        k2 = slope(x + step / 2 * k1)
        k3 = slope(x + step / 2 * k2)
        k4 = slope(x + step * k3)
        x = x + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if after is not None:
            x = np.concatenate(after(x[:3], x[3:]))
        found.append(np.linalg.norm(numbers(x[:3], x[3:])[0]))
    return np.array(found)


# %% alt="Gap over time in logarithms: it grows without alpha, stays small with it, and is rounding in easydyn"
figure, ax = plt.subplots()
worst = []
for alpha in (0, 5, 20, 50):
    found = gaps(alpha)
    worst.append(found.max())
    ax.semilogy(
        0.01 * np.arange(1, len(found) + 1),
        found,
        label=rf"$\alpha$ = {alpha} 1/s",
    )
    print(f"alpha = {alpha}: {found[-1]:.1e} m after 10 s")
run = model.simulate(10, step=0.01, method="dop853")
pins = run.frames("coupler") @ [COUPLER, 0, 0, 1] - run.frames("rocker") @ [
    ROCKER,
    0,
    0,
    1,
]
ax.semilogy(
    run.t, np.maximum(np.linalg.norm(pins, axis=1), 1e-17), label="easydyn"
)
ax.set(xlabel="t [s]", ylabel="gap of the pin [m]")
ax.legend()
assert worst[2] < worst[1] < worst[3] < 0.05 * worst[0]
assert np.linalg.norm(pins, axis=1).max() < 2e-13

# %% [markdown]
# A larger $\alpha$ holds the gap smaller, until the artificial spring is too
# stiff for the step; and the best value depends on the mechanism, the step and
# the method.
#
# ## Projection
#
# Alternatively, correct the coordinates after each step, by as little as
# possible. The masses measure how large a correction is: of all
# $\delta\mathbf q$ that close the loop to first order,
# $\mathbf g + \mathbf J\,\delta\mathbf q = \mathbf 0$, take the one with the
# smallest $\tfrac12\,\delta\mathbf q^\mathsf{T}\mathbf M\,\delta\mathbf q$.
# With multipliers $\boldsymbol\mu$ the condition of this minimum is $\mathbf
# M\,\delta\mathbf q + \mathbf J^\mathsf{T}\boldsymbol\mu = \mathbf 0$. Together
# with the first equation it gives
#
# $$\delta\mathbf q = -\mathbf M^{-1}\mathbf J^\mathsf{T}
#   \left(\mathbf J\,\mathbf M^{-1}\mathbf J^\mathsf{T}\right)^{-1}\mathbf g$$
#
# Repeat it until $\mathbf g$ is zero to rounding (two or three times). The
# rates are corrected in the same way, in one step, with
# $\dot{\mathbf g} = \mathbf J\,\dot{\mathbf q}$ in place of $\mathbf g$.


# %%
def nearest(q, qd):
    """Positions and rates, brought back onto the loop."""
    for _ in range(3):
        gap, slopes, _ = numbers(q, qd)
        W = np.linalg.solve(tree.mass_matrix(0, q), slopes.T)
        q = q - W @ np.linalg.solve(slopes @ W, gap[:, 0])
    slopes = numbers(q, qd)[1]
    W = np.linalg.solve(tree.mass_matrix(0, q), slopes.T)
    return q, qd - W @ np.linalg.solve(slopes @ W, slopes @ qd)


bent = q + np.array([0.01, -0.02, 0.03])
closed, rates_closed = nearest(bent, qd)
gap, slopes, _ = numbers(closed, rates_closed)
print("gap:", np.linalg.norm(numbers(bent, qd)[0]), "->", np.linalg.norm(gap))
assert np.linalg.norm(gap) < 1e-13
assert np.linalg.norm(slopes @ rates_closed) < 1e-13

# %% alt="Gap in logarithms: rounding with a projection after each step, growing without it"
figure, ax = plt.subplots()
for projected in (False, True):
    found = gaps(0, seconds=5, after=nearest if projected else None)
    name = "projected after each step" if projected else "left alone"
    ax.semilogy(0.01 * np.arange(1, len(found) + 1), found + 1e-18, label=name)
    print(f"{name}: {found[-1]:.1e} m after 5 s")
    assert (found.max() < 1e-12) == projected
ax.set(xlabel="t [s]", ylabel="gap of the pin [m]")
ax.legend();

# %% [markdown]
# easydyn has no $\alpha$. With `constraints="multipliers"` each step ends with
# a projection. With `"reduced"`, the default, there is no gap at all: the
# program has solved the loop.
#
# ## The loop, solved
#
# The program looks for equations with one unknown around the loop, as you would
# by hand. The distance from the end of the crank to the foot of the rocker is
# known, and so is the triangle above it.

# %%
model.closures()

# %% [markdown]
# From there on only the crank is integrated. Both ways give the same motion:

# %%
reduced, whole = (
    model.simulate(5, constraints=form, method="dop853", tolerance=1e-11)
    for form in ("reduced", "multipliers")
)
print(f"largest difference: {np.abs(reduced.q - whole.q).max():.1e} rad")
assert np.abs(reduced.q - whole.q).max() < 1e-8
energy = reduced.energy.total
print(f"energy: {energy[0]:.6f} J, changed by {np.ptp(energy):.1e} J")
assert np.ptp(energy) < 1e-8 * abs(energy[0])
long = four_bar(lengths=(0.6, COUPLER, ROCKER)).simulate(2)  # question 1
assert np.ptp(long["a"]) < 2 * np.pi and long.events

# %%
reduced.animate()

# %% [markdown]
# ## What the pin carries
#
# The force in the pin is available after the run, also where the loop was
# solved:

# %% alt="The two components of the force in the pin over two seconds, with sharp peaks"
force = reduced.reaction("pin").force
figure, ax = plt.subplots()
ax.plot(reduced.t, force[:, 0], label="$F_x$")
ax.plot(reduced.t, force[:, 1], label="$F_y$")
ax.set(xlabel="t [s]", ylabel="force on the rocker [N]", xlim=(0, 2))
ax.legend();

# %% [markdown]
# ## Questions
#
# 1. Change the crank to 0.6 m. Does it still turn fully? What does the run say,
#    and where?
# 2. All rods of one length make a parallelogram. How many ways to go on are
#    there where it lies flat?
# 3. Why are there two multipliers of the pin, though it has five equations?
#
# <details><summary>Answers</summary>
#
# 1. No: the shortest and the longest rod, 0.6 + 0.9 m, are longer together than
#    the other two, 0.8 + 0.6 m (Grashof). It swings between two dead points,
#    where coupler and rocker are in line: `run.events` tells when it passes
#    them.
# 2. Two: as a parallelogram, or folded. Folded, the coupler lies on the crank
#    ($b = -\pi$) and the rocker on the ground ($c = \pi$), and stays there while
#    the crank turns. The program goes on as the run began, as a parallelogram.
# 3. The other three equations always hold. Their forces could have any value
#    without changing the motion.
#
# </details>
#
# ## Where to read on
#
# - Exercise [17](../exercises/17_multipliers/README.md):
#   `python -m easydyn exercise 17`.
# - [Closed loops](../docs/loops.md): joints, equations, ways to run.
# - [Notebook 16](16_freedoms_and_loops.ipynb): degrees of freedom, and when
#   counting is wrong; [notebook 17](17_rolling.ipynb): what rolls.
# - J. Baumgarte, *Stabilization of constraints and integrals of motion in
#   dynamical systems*, Computer Methods in Applied Mechanics and Engineering 1
#   (1972) 1-16.
