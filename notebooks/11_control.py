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
# # 11. Control: DC motor, PID, inverted pendulum
#
# **After this notebook you can**
#
# - model the electric circuit of a motor together with a mechanism;
# - close a loop with a sampled controller, and say what each part of a PID
#   does;
# - balance a pole: linearise, place the poles, and find where the linear design
#   fails.
#
# **The question.** A controller samples the mechanism a hundred times a second,
# and has no information in between. When is that enough?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import (
    PID,
    GeneralizedForce,
    Model,
    StateFeedback,
    examples,
    tdisp,
    trotz,
)

# %% [markdown]
# ## A motor: two first-order equations
#
# The voltage $U$ drives the current $i$ through a winding with the inductance
# $L$ and the resistance $R$. The armature turns at the rate $w$ and induces the
# voltage $K w$ against it. The moment $K i$ accelerates an inertia $J$ against
# the friction $b$:
#
# $$L\,\dot i + R\,i + K w = U \qquad J\,\dot w = K i - b\,w$$
#
# Both $i$ and $w$ are first-order states, as in eq. (29) (notebook 7). The
# voltage is an **input**: a symbol that gets its value from outside, during a
# run.

# %% alt="Sketch of the motor: its armature turns by the angle"
examples.dc_motor().scene().sketch();

# %% alt="Speed of the motor after a step of 10 V: it rises steeply and settles"
motor = Model("DC motor")
i, w = motor.states("i w", unit=("A", "rad/s"))
L, R, K, J, b = motor.parameters(L=0.05, R=2, K=0.1, J=2e-3, b=1e-3)
U = motor.input("U", unit="V")
motor.equation(L * i.dot + R * i + K * w - U)
motor.equation(J * w.dot - K * i + b * w)

run = motor.simulate(1.5, inputs={"U": 10})
run.plot("w");

# %% [markdown]
# **Check.** The equations are linear, so the step response is known: with
# $\dot{\mathbf y} = \mathbf A\mathbf y + \mathbf b$ it is
# $\mathbf y = \mathbf y_\infty - e^{\mathbf A t}\mathbf y_\infty$.

# %%
A = np.array([[-2 / 0.05, -0.1 / 0.05], [0.1 / 2e-3, -1e-3 / 2e-3]])
steady = -np.linalg.solve(A, [10 / 0.05, 0])
poles, V = np.linalg.eig(A)
exact = (
    steady[1]
    - (
        V
        @ (np.exp(np.outer(poles, run.t)) * np.linalg.solve(V, steady)[:, None])
    )[1].real
)
print("poles:", poles, "1/s; steady speed:", steady[1].round(3), "rad/s")
print("largest difference:", np.abs(run["w"] - exact).max(), "rad/s")
assert np.abs(run["w"] - exact).max() < 1e-3

# %% [markdown]
# ## Close the loop
#
# The speed is to be 50 rad/s, whatever the load. Every 5 ms a controller
# receives the **outputs** and sets the inputs, which stay constant until the
# next sample. The simplest law is a voltage proportional to the error
# $e = 50 - w$.

# %%
motor.output("speed", w, unit="rad/s")


def proportional(t, outputs):
    return {"U": 0.5 * (50 - outputs["speed"])}


motor.controller(0.005, proportional)
run = motor.simulate(1.5)
gain = 0.1 / (2 * 1e-3 + 0.1**2)  # rad/s per V, at rest
expected = 0.5 * gain * 50 / (1 + 0.5 * gain)
print(
    f"speed at the end: {run['speed'][-1]:.2f} rad/s,",
    f"by the closed form {expected:.2f}; wanted 50",
)
assert abs(run["speed"][-1] - expected) < 0.01

# %% [markdown]
# The speed stays too low: without an error there would be no voltage. A **PID**
# controller adds the integral of the error, which grows until the error is
# zero, and the derivative, which reacts early to a change of the error. With
# the gains $P$, $I$,
# $D$ and the period $h$ of the samples:
#
# $$U = P\,e + I\sum e\,h + D\,\frac{\Delta e}{h}$$


# %% alt="Speed under P, PI and PID with a load from 1 s on; below it the voltage in steps"
def motor_with(law, period=0.005):
    model = Model("DC motor")
    i, w = model.states("i w", unit=("A", "rad/s"))
    U, load = model.input("U", unit="V"), model.input("load", unit="N m")
    model.equation(0.05 * i.dot + 2 * i + 0.1 * w - U)
    model.equation(2e-3 * w.dot - 0.1 * i + 1e-3 * w + load)
    model.output("speed", w, unit="rad/s")
    model.controller(period, law)
    return model


laws = {
    "P": PID("speed", "U", proportional=0.5, setpoint=50),
    "PI": PID("speed", "U", proportional=0.5, integral=4, setpoint=50),
    "PID": PID(
        "speed",
        "U",
        proportional=0.5,
        integral=4,
        derivative=0.01,
        filter=0.005,
        setpoint=50,
    ),
}
# a table: a load of 0.05 N m from 1 s on
brake = {"load": ([0, 1, 1, 2], [0, 0, 0.05, 0.05])}
fig, axes = plt.subplots(
    2, 1, figsize=(6.4, 6), sharex=True, layout="constrained"
)
for name, law in laws.items():
    run = motor_with(law).simulate(2, inputs=brake)
    axes[0].plot(run.t, run["speed"], label=name)
    axes[1].step(run.t, run["U"], where="post", lw=0.8)
    assert (abs(run["speed"][-1] - 50) < 0.1) == ("I" in name)
axes[0].axhline(50, color="gray", ls=":")
axes[0].set(ylabel="speed [rad/s]")
axes[1].set(xlabel="t [s]", ylabel="voltage [V]")
axes[0].legend();

# %% [markdown]
# The lower picture shows the *zero-order hold*: steps of 5 ms. A step of the
# run ends at each of them.
#
# ## A pole on a cart
#
# A cart of mass $M$ at the place $x$ is pushed by the force $u$; on it stands a
# pole of the mass $m$ and the length $2l$, at the angle $\varphi$ from the
# upright. Two transforms describe the mechanics:

# %% alt="Sketch: a cart at x on a guide, on it a pole that leans by phi"
cart_pole = Model("pole on a cart")
x, phi = cart_pole.coordinates("x phi", unit=("m", "rad"))
g, l, m, M = cart_pole.parameters(g=9.81, l=0.5, m=0.2, M=1)
cart_pole.gravity = (0, -g, 0)
cart_pole.body("cart", tdisp(x, 0, 0), mass=M, inertia=(0, 0, 0))
pole = tdisp(x, 0, 0) * trotz(phi) * tdisp(0, l, 0)  # centre l above the pivot
cart_pole.body("pole", pole, mass=m, inertia=(0, 0, m * l**2 / 3))
u = cart_pole.input("u", unit="N")
cart_pole.add(GeneralizedForce(x, u))
cart_pole.scene(initial={"x": 0.3, "phi": 0.3}).sketch();

# %%
eom = cart_pole.equations()
eom.simplified()

# %% [markdown]
# **Linearise** about the upright position:
# $\mathbf M_0\,\ddot{\mathbf q} + \mathbf K\,\mathbf q = \mathbf B\,u$ with
# $\mathbf K = \partial\mathbf h/\partial\mathbf q$ (notebook 10 does it in
# general).

# %%
upright = {x: 0, phi: 0, x.dot: 0, phi.dot: 0, u: 0}
M0 = eom.M.subs(upright)
K0 = eom.h.jacobian([x, phi]).subs(upright)
B0 = -eom.h.jacobian([u])
M0

# %%
K0

# %% [markdown]
# **Place the poles.** With
# $u = -k_1 x - k_2\varphi - k_3\dot x - k_4\dot\varphi$ the characteristic
# polynomial
# $\det(\mathbf M_0 s^2 + \mathbf K + \mathbf B\,(k_1 + k_3 s,\ k_2 + k_4 s))$
# has the coefficients that we choose. We want a double pole at $-2$ and a pair
# at $-4 \pm 3j$, per second:

# %%
s = sympy.Symbol("s")
k = sympy.symbols("k1:5")
feedback = sympy.Matrix([[k[0] + k[2] * s, k[1] + k[3] * s]])
values = {g: 9.81, l: 0.5, m: 0.2, M: 1}
polynomial = sympy.Poly((M0 * s**2 + K0 + B0 * feedback).det().subs(values), s)
wanted = sympy.Poly((s + 2) ** 2 * ((s + 4) ** 2 + 9), s)
system = [
    a - polynomial.LC() * b
    for a, b in zip(polynomial.all_coeffs()[1:], wanted.all_coeffs()[1:])
]
gains = {
    str(name): float(value) for name, value in sympy.solve(system, k).items()
}
gains

# %% alt="The cart runs after the pole and both come to rest; below, the force in small steps"
law = StateFeedback(
    "u",
    {
        "x": gains["k1"],
        "phi": gains["k2"],
        "x.dot": gains["k3"],
        "phi.dot": gains["k4"],
    },
)
cart_pole.controller(0.002, law)
run = cart_pole.simulate(5, initial={"phi": 0.1})
fig, axes = plt.subplots(
    2, 1, figsize=(6.4, 5), sharex=True, layout="constrained"
)
run.plot("x", "phi", ax=axes[0])
run.plot("u", ax=axes[1])
axes[1].set_title("")
assert np.abs(run.q[-1]).max() < 0.01
# questions 1 and 2
gained = 0.2 * 9.81 * 0.5 * (1 - np.cos(0.1))
assert abs(run.energy.work[-1] - gained) < 0.01 * gained
heavy = cart_pole.simulate(5, initial={"phi": 0.1}, parameters={"m": 0.4})
assert np.abs(heavy.q[-1]).max() < 0.01

# %%
run.animate(plots=["phi", "x"], every=0.02)

# %% [markdown]
# To push the pole back, the cart first goes *after* it. **Check**: for a small
# deviation the motion must be that of the poles that we chose. The solution of
# the linear equations, beside the run, from $\varphi = 0.01$ rad:

# %%
small = cart_pole.simulate(3, initial={"phi": 0.01}, save_every=0.01)
M0n, K0n, B0n = (
    np.array(matrix.subs(values), dtype=float) for matrix in (M0, K0, B0)
)
closed = np.block(
    [
        [np.zeros((2, 2)), np.eye(2)],
        [
            -np.linalg.solve(M0n, K0n + B0n @ [[gains["k1"], gains["k2"]]]),
            -np.linalg.solve(M0n, B0n @ [[gains["k3"], gains["k4"]]]),
        ],
    ]
)
poles = np.sort_complex(np.linalg.eigvals(closed))
print("poles:", poles.round(3))
assert np.allclose(poles, [-4 - 3j, -4 + 3j, -2, -2], atol=1e-4)
sigma = np.sqrt(np.linalg.eigvals(-np.linalg.solve(M0n, K0n)).max())
assert abs(sigma - 4.1) < 0.05 and abs(np.exp(0.25 * sigma) - 2.8) < 0.05

step = np.eye(4)  # exp(closed * 0.01), by its series
term = np.eye(4)
for n in range(1, 15):
    term = term @ closed * 0.01 / n
    step = step + term
y = [np.array([0, 0.01, 0, 0])]
for _ in small.t[1:]:
    y.append(step @ y[-1])
difference = np.abs(small["phi"] - np.array(y)[:, 1]).max()
print(f"largest difference: {difference:.1e} rad, of 0.01 rad")
assert difference < 3e-4

# %% [markdown]
# ## Where the design fails
#
# The design neglects two things: the sine is not linear, and the controller has
# no information between its samples. An event ends the run when the pole lies
# flat.
# First, slower and slower sampling:


# %% alt="Angle of the pole for four periods of sampling: the slower, the wilder; the slowest falls"
def balance(period, start, limits=None):
    model = Model("pole on a cart", gravity=(0, -9.81, 0))
    x, phi = model.coordinates("x phi", initial=(0, start), unit=("m", "rad"))
    model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    pole = tdisp(x, 0, 0) * trotz(phi) * tdisp(0, 0.5, 0)
    model.body("pole", pole, mass=0.2, inertia=(0, 0, 0.2 * 0.5**2 / 3))
    model.add(GeneralizedForce(x, model.input("u", unit="N")))
    model.event(
        phi**2 - (np.pi / 2) ** 2, direction=1, action="stop", name="fallen"
    )
    names = {"x": "k1", "phi": "k2", "x.dot": "k3", "phi.dot": "k4"}
    model.controller(
        period,
        StateFeedback(
            "u", {name: gains[k] for name, k in names.items()}, limits=limits
        ),
    )
    return model.simulate(6, progress=False)


fig, ax = plt.subplots(layout="constrained")
for period in (0.002, 0.1, 0.2, 0.25):
    run = balance(period, 0.1)
    ax.plot(
        run.t, run["phi"], label=f"every {period * 1e3:.0f} ms: {run.status}"
    )
    assert (run.status == "stopped") == (period == 0.25)
ax.set(xlabel="t [s]", ylabel="phi [rad]", ylim=(-1.6, 1.6))
ax.legend();

# %% [markdown]
# Then larger and larger deviations, with a motor that gives 15 N at most:

# %%
for start in (0.2, 0.4, 0.6, 0.8):
    free, limited = balance(0.01, start), balance(0.01, start, limits=(-15, 15))
    print(
        f"{start} rad: {free.status:9s}  with limits: {limited.status}",
        *(limited.events[-1:]),
    )
assert free.status == "finished" and limited.status == "stopped"

# %% [markdown]
# ## Questions
#
# 1. What is the work of the input in `run.energy.work` for the balanced pole,
#    over a long time?
# 2. The feedback was computed from a model. Does it survive a pole that is
#    twice as heavy? Try
#    `cart_pole.simulate(5, initial={"phi": 0.1}, parameters={"m": 0.4})`.
# 3. Sampling every 0.25 s holds the force for 0.25 s. By which factor does the
#    deviation of a free pole grow in this time?
#
# <details><summary>Answers</summary>
#
# 1. $m g l\,(1 - \cos\varphi_0)$: in the end everything is at rest again, and
#    the pole stands higher than at the start.
# 2. It does. Feedback compensates errors of the model.
# 3. By the factor $e^{0.25\,\sigma}$ with the unstable pole
#    $\sigma = \sqrt{\tfrac{3g(M + m)}{l(4M + m)}} = 4.1$ per second (the cart
#    is free): 2.8.
#
# </details>
#
# ## Where to read on
#
# - Exercise [12](../exercises/12_control/README.md):
#   `python -m easydyn exercise 12`.
# - [Events, inputs, controllers](../docs/events.md).
# - K. J. Åström, R. M. Murray, *Feedback Systems*, Princeton 2008.
# - [Notebook 12](12_inside_the_engine.ipynb): what happens between your
#   matrices and the numbers.
