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
# # 12. Inside the engine: why equations stay short, and fast
#
# **After this notebook you can**
#
# - explain why textbook equations become long, and how to avoid it;
# - read the program that computes the residual of your model;
# - count operations, and distinguish linear and cubic algorithms by a plot;
# - say what is compiled, and how much time that saves.
#
# **The question.** The equations of a chain of four rods fill pages. The engine
# evaluates a chain of thirty in less than a microsecond. Where have the pages
# gone?

# %%
import time

import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import Model, tdisp, trotz


# %% alt="Sketch of a chain of four rods that hang on each other, with the angles q1 to q4"
def chain(n):
    """A chain of n rods of 1 m and 1 kg, hanging from the ground."""
    model = Model(f"chain of {n}", gravity=(0, -9.81, 0))
    q = model.coordinates([f"q{k}" for k in range(1, n + 1)], initial=0.1)
    joint = trotz(q[0])
    for k in range(n):
        model.body(
            f"rod {k + 1}",
            joint * tdisp(0, -0.5, 0),
            mass=1,
            inertia=(0, 0, 1 / 12),
        )
        if k < n - 1:
            joint = joint * tdisp(0, -1, 0) * trotz(q[k + 1])
    return model


angles = {f"q{k}": 0.2 for k in range(1, 5)}
chain(4).scene(initial=angles).sketch(points=True);

# %% [markdown]
# ## How expressions grow
#
# `model.equations()` is the textbook: eqs. (5) to (8) in SymPy. Count the
# operations in its residual:

# %%
textbook = {
    n: sum(f.count_ops() for f in chain(n).equations().residual)
    for n in (1, 2, 3, 4)
}
assert all(textbook[n + 1] >= 3 * textbook[n] for n in (1, 2, 3))
textbook

# %% [markdown]
# Each additional rod makes it at least three times as long. The reason is
# repetition: the velocity of rod 3 contains that of rod 2, which contains that
# of rod 1, and everything is written out wherever it is used. **This is not
# necessary.** SymPy can find repeated parts afterwards:

# %%
residual = chain(4).equations().residual
repeated, short = sympy.cse(residual)
shared = sum(f.count_ops() for _, f in repeated) + sum(
    f.count_ops() for f in short[0]
)
print("as it is:   ", textbook[4])
print("shared:     ", shared)
assert shared < 0.5 * textbook[4]

# %% [markdown]
# The engine never repeats anything in the first place. Its expressions are
# nodes of a *graph*; a sum or a product that exists already is not made again.
# The result is a list of simple assignments, a **program**. Here is the
# whole double pendulum, as you could type it into a pocket calculator:

# %%
system = chain(2).compile()
listing = str(system.program("residual"))
print(listing)
for line in ("1.33333*q1.ddot", "v23 = v17 + v22", "return v27, v25"):
    assert line in listing  # questions 1 and 2

# %% [markdown]
# Is this the residual? We compare it with the textbook:

# %%
double = chain(2)
q1, q2 = (double.symbols[name] for name in ("q1", "q2"))
state = {
    q1: 0.3,
    q2: -0.8,
    q1.dot: 1.1,
    q2.dot: 0.4,
    q1.ddot: -2.0,
    q2.ddot: 0.7,
}
numbers = [float(f.subs(state)) for f in double.equations().residual]
print(numbers, system.residual(0, [0.3, -0.8], [1.1, 0.4], [-2.0, 0.7]))
assert np.allclose(
    numbers, system.residual(0, [0.3, -0.8], [1.1, 0.4], [-2.0, 0.7])
)

# %% [markdown]
# ## Two ways to the same numbers
#
# Sharing alone does not make an algorithm good. **Explicit** (the textbook):
# form every $\mathbf d^{i,j}$ and $\boldsymbol\theta^{i,j}$, and sum eq. (6)
# over all bodies, for every coordinate. Body $i$ depends on $i$ coordinates:
# $n^2/2$ scalar products for $n$ bodies. **Recursive**: go outwards along the
# chain with velocities and accelerations, and back inwards with forces and
# moments (Newton and Euler). Each joint needs only the force and the moment
# that pass through it. So the work is the same for each of $n$ rods.

# %% alt="Operations over the number of rods in logarithms: the recursion rises least"
sizes = [2, 4, 8, 16]


def count(n, of, scheme):
    operations = chain(n).operations(of=of, scheme=scheme)
    return operations["mul"] + operations["add"]


fig, axes = plt.subplots(
    1, 2, figsize=(9, 4), layout="constrained", sharey=True
)
slopes = []
for ax, of in zip(axes, ("residual", "accelerations")):
    for scheme in ("recursive", "explicit"):
        counts = [count(n, of, scheme) for n in sizes]
        slope = np.log2(counts[-1] / counts[-2])
        slopes.append(slope)
        ax.loglog(sizes, counts, "o-", label=f"{scheme}: slope {slope:.1f}")
        print(f"{of:14s} {scheme:10s}", counts)
    ax.set(xlabel="rods", title=of)
    ax.set_xticks(sizes, sizes)
    ax.set_xticks([], minor=True)
    ax.grid(True, which="both", alpha=0.3)
    ax.legend()
axes[0].set_ylabel("multiplications and additions")
assert abs(slopes[0] - 1) < 0.2 and abs(slopes[1] - 2) < 0.2
assert slopes[3] > slopes[1] + 0.2

# %% [markdown]
# Linear for the recursion, quadratic for the textbook's residual, and more for
# its accelerations, where the mass matrix has to be eliminated. Is it exactly
# linear? Then each additional rod adds the same number of operations:

# %%
growth = np.diff([count(n, "residual", "recursive") for n in (6, 7, 8, 9, 10)])
print("operations for one more rod:", growth)
assert len(set(growth)) == 1

# %% [markdown]
# **Are the numbers the same?** We compare two schemes on a chain of 8 rods at a
# random state. The accelerations must make the residual zero:

# %%
rng = np.random.default_rng(1)
model, state = chain(8), rng.normal(size=(3, 8))
recursive, explicit = (
    model.compile(scheme="recursive"),
    model.compile(scheme="explicit"),
)
difference = recursive.residual(0, *state) - explicit.residual(0, *state)
print("difference of the schemes: ", np.abs(difference).max())
qdd = recursive.accelerations(0, *state[:2])
left = np.abs(recursive.residual(0, *state[:2], qdd)).max()
print("what is left of the residual:", left)
assert left < 1e-10
assert np.abs(difference).max() < 1e-10

# %% [markdown]
# ## From a program to machine code
#
# The same list of assignments can be evaluated in three ways, called *targets*:
# as plain Python, one state at a time; by NumPy, many states at once; or as
# machine code for the processor in front of you, made in a fraction of a
# second, without a compiler. Ten thousand states of a chain of 10 (the times
# are those of your machine, now):

# %%
model = chain(10)
q, qd, qdd = np.random.default_rng(2).normal(size=(3, 10_000, 10))
results = {}
for target in ("python", "numpy", "auto"):
    system = model.compile(target=target)
    # plain Python takes its time
    some = slice(0, 200 if target == "python" else None)
    system.residual(0, q[:2], qd[:2], qdd[:2])  # the first call makes the code
    began = time.perf_counter()
    results[target] = system.residual(0, q[some], qd[some], qdd[some])
    elapsed = (time.perf_counter() - began) / len(results[target])
    print(f"{system.target:7s} {elapsed * 1e6:9.3f} us for each state")
assert np.allclose(results["python"], results["auto"][:200]) and np.allclose(
    results["numpy"], results["auto"]
)

# %% [markdown]
# ("auto" is the fastest target that is available. Where machine code cannot be
# made, in a browser for instance, it is `python` or `numpy`, and everything
# works as well.) The time loop of notebook 4 is translated in the same way, so
# that a whole run needs no Python:

# %%
double = chain(2)
for target in ("python", "auto"):
    double.simulate(0.01, target=target)  # the first run makes the code
    run = double.simulate(2, target=target)
    print(
        f"{target:7s} {run.stats.steps} steps",
        f"in {run.stats.seconds * 1e3:7.1f} ms, q = {run.q[-1]}",
    )

# %% [markdown]
# An example is a chain of twenty rods that is released at an angle. Ten seconds
# of its motion are computed in a moment:

# %%
long = chain(20)
run = long.simulate(
    10,
    initial=dict.fromkeys(long.names, 0.15),
    method="dop853",
    save_every=0.02,
)
print(
    f"{run.stats.steps} steps in {run.stats.seconds:.2f} s;",
    f"energy within {np.ptp(run.energy.total):.1e} J",
)
assert np.ptp(run.energy.total) < 1e-3
run.animate()

# %% [markdown]
# ## The price of generality
#
# The recursion uses one property that the textbook does not use. Bodies whose
# products of transforms begin with the same factors *share* these factors. The
# products form a tree, and the tree is the mechanism. If the angle of the
# second rod is measured from the vertical, fewer factors are shared. The
# equations are still right, but a little longer:

# %%
absolute = Model("absolute angles", gravity=(0, -9.81, 0))
a, b = absolute.coordinates("a b", initial=0.1)
absolute.body(
    "rod 1", trotz(a) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 1 / 12)
)
elbow = trotz(a) * tdisp(0, -1, 0) * trotz(-a)
absolute.body(
    "rod 2",
    elbow * trotz(b) * tdisp(0, -0.5, 0),
    mass=1,
    inertia=(0, 0, 1 / 12),
)
relative, longer = chain(2).operations(), absolute.operations()
print("relative angles:", relative)
print("absolute angles:", longer)
assert 1 < sum(longer.values()) / sum(relative.values()) < 2

# %% [markdown]
# ## Questions
#
# 1. In the program of the double pendulum, which lines belong to the way out,
#    and which to the way back?
# 2. `1.33333*q1.ddot` holds more than the first rod's inertia about its hinge,
#    $m l^2/3$. What else?
# 3. Why does `operations` not count work on parameters alone?
#
# <details><summary>Answers</summary>
#
# 1. Out: the rate of the second rod (`v5`), and the acceleration of its hinge,
#    with gravity (`v16`, `v21`), turned into the axes of the rod (`v23`). Back:
#    the moment about the second hinge (`v25`) comes first, then it is added to
#    that about the first (`v26`, `v27`).
# 2. The second rod's mass, as a point at the end of the first one
#    ($m l^2 = 1$): its part that turns with the first rod was put there
#    beforehand.
# 3. It is done once for each set of values, before the run ("once per set of
#    parameters" in the listing of a model that has parameters).
#
# </details>
#
# ## Where to read on
#
# - [Architecture](../docs/architecture.md) of the package;
#   `easydyn/engine/graph.py` and `recursion.py`.
# - [Export](../docs/export.md): the same programs in C, MATLAB, Modelica, ...
# - M. Otter, H. Elmqvist, F. Cellier on recursive equations in Dymola; R.
#   Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008.
