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
# # 20. Robots: inverse dynamics, drives, control
#
# **After this notebook you can**
#
# - find the angles for a position of the hand, and the moments in the joints
#   for a force at the hand;
# - plan a motion, compute the moments that it needs, and choose a gear;
# - derive two controllers, and say what each must know of the arm.
#
# **The question.** A robot swings 15 kg through a room in a second and stops
# within millimetres. Its motors measure nothing but the angles of their own
# shafts. Which moments must they give?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import (
    Force,
    GeneralizedForce,
    Model,
    Rotor,
    examples,
    ground,
    point_to_point,
    t,
    tdisp,
    trotz,
)
from easydyn.examples.r3 import AXES

# %% [markdown]
# ## An arm of two links
#
# The arm moves in a vertical plane. Its links have the lengths $l_1$, $l_2$ and
# the masses $m_1$, $m_2$. $q_1$ is the angle of the upper arm from the
# horizontal, and $q_2$ is the angle between the two links. A motor in each
# joint gives the moments $\tau_1$ and $\tau_2$.

# %% alt="Sketch of an arm of two links in a vertical plane, with the angles q1 and q2"
L1, L2, M1, M2 = 0.5, 0.4, 6.0, 4.0


def arm(load=0.0):
    """With a point mass (kg) in its hand, and an input for each joint."""
    model = Model("arm", gravity=(0, -9.81, 0))
    q1, q2 = model.coordinates("q1 q2", initial=(-0.5, 1.2))
    l1, l2 = model.parameters(l1=L1, l2=L2)
    elbow = trotz(q1) * tdisp(l1, 0, 0) * trotz(q2)
    model.body(
        "upper arm", trotz(q1) * tdisp(l1 / 2, 0, 0), mass=M1,
        inertia=(0, 0, M1 * L1**2 / 12),
    )
    model.body(
        "forearm", elbow * tdisp(l2 / 2, 0, 0), mass=M2,
        inertia=(0, 0, M2 * L2**2 / 12),
    )
    hand = elbow * tdisp(l2, 0, 0)
    model.body("hand", hand, mass=load, inertia=(0, 0, 0))
    for q, name in ((q1, "tau1"), (q2, "tau2")):
        model.add(GeneralizedForce(q, model.input(name, unit="N m")))
    return model


model = arm()
model.scene(initial={"q1": 0.6, "q2": 0.8}).sketch(points=True);

# %% [markdown]
# ## From angles to the hand, and back
#
# A product of transforms gives the position of the hand for given angles. The
# angles for a given position follow from a triangle with the sides $l_1$, $l_2$
# and the distance $d$ of the hand
# $(x, y)$ from the shoulder. The law of cosines gives the angle at the elbow,
#
# $$\cos q_2 = \frac{d^2 - l_1^2 - l_2^2}{2 l_1 l_2},\qquad q_1 =
# \operatorname{atan2}(y, x) - \operatorname{atan2}(l_2\sin q_2,\ l_1 +
# l_2\cos q_2)$$
#
# with two signs of $q_2$, elbow down and elbow up, and no solution where
# $d > l_1 + l_2$.


# %%
def angles_of(x, y, sign=1):
    q2 = sign * np.arccos((x * x + y * y - L1**2 - L2**2) / (2 * L1 * L2))
    away = np.arctan2(L2 * np.sin(q2), L1 + L2 * np.cos(q2))
    return np.array([np.arctan2(y, x) - away, q2])


def hand(q):
    return np.array(
        [
            L1 * np.cos(q[0]) + L2 * np.cos(q[0] + q[1]),
            L1 * np.sin(q[0]) + L2 * np.sin(q[0] + q[1]),
        ]
    )


for sign in (1, -1):
    q = angles_of(0.55, 0.3, sign)
    print("angles", q.round(4), " hand", hand(q))
    assert np.allclose(hand(q), [0.55, 0.3])

# %% [markdown]
# ## A force at the hand
#
# Let $\mathbf p(\mathbf q)$ be the place of the hand, and
# $\mathbf J = \partial\mathbf p/\partial\mathbf q$: a virtual motion moves it
# by $\delta\mathbf p = \mathbf J\,\delta\mathbf q$. A force $\mathbf F$ on the
# hand does the work $\mathbf F\cdot\mathbf J\,\delta\mathbf q$, moments in the
# joints do $\boldsymbol\tau\cdot\delta\mathbf q$. At rest, by the principle of
# virtual work, their sum is zero for all $\delta\mathbf q$:
#
# $$\boldsymbol\tau = -\mathbf J^\mathsf{T}\mathbf F$$
#
# No force in a bearing is needed. The weights need moments, too; the force
# *adds* these:

# %%
q = angles_of(0.55, 0.3)
J = np.array(
    [
        [-hand(q)[1], -L2 * np.sin(q.sum())],
        [hand(q)[0], L2 * np.cos(q.sum())],
    ]
)
F = np.array([-20.0, -50.0])
pushed = arm()
pushed.add(Force(pushed["hand"], (*F, 0)))
rest = np.zeros(2)
with_force, without = (
    m.compile().residual(0, q, rest, rest) for m in (pushed, model)
)
print("moments for the force:", with_force - without, "=", -J.T @ F, "N m")
assert np.allclose(with_force - without, -J.T @ F)

# %% [markdown]
# ## A path in time
#
# The speed of each axis is a trapezoid: it rises with the acceleration $a$ up
# to $v$, stays constant, and falls. The distance $w$ is its area. With the
# whole time $T$
#
# $$w = v\,(T - v/a)\quad\Rightarrow\quad T = \frac wv + \frac va\qquad(w\ge
# v^2/a)$$
#
# The axis that needs longest decides; the others go slower, so that all arrive
# together. `point_to_point` does that:

# %% alt="Angles over time, two curves without corners; speeds below, two trapezoids of one length"
START, END = (-0.5, 1.2), (0.9, -0.6)
plan = point_to_point(START, END, speeds=(2, 4), accelerations=(8, 16))
by_hand = 1.4 / 2 + 2 / 8
print(f"it takes {plan.end:.4f} s, by hand {by_hand:.4f} s")
assert np.isclose(plan.end, by_hand)
formulas = [plan.position(t), plan.velocity(t), plan.acceleration(t)]
planned = sympy.lambdify(t, formulas, "math")  # numbers of an instant
instants = np.linspace(0, plan.end, 400)
path, speed, _ = np.array([planned(x) for x in instants]).swapaxes(0, 1)
fig, (upper, lower) = plt.subplots(
    2, 1, figsize=(6.4, 5), sharex=True, layout="constrained"
)
upper.plot(instants, path, label=["q1", "q2"])
upper.set(ylabel="angles [rad]")
lower.plot(instants, speed)
lower.set(xlabel="t [s]", ylabel="speeds [rad/s]")
upper.legend();

# %% [markdown]
# ## Inverse dynamics
#
# Which moments do the motors need? The residual of the equations of motion, eq.
# (7),
# is the answer,
# $\boldsymbol\tau = \mathbf M(\mathbf q)\,\ddot{\mathbf q} + \mathbf h(\mathbf q, \dot{\mathbf q})$:
# no equation has to be solved or integrated. By hand, with $c_2 = \cos q_2$,
# $s_2 = \sin q_2$ and the moments of inertia $I_i = m_i l_i^2/12$ about the
# centres of mass, the elements of $\mathbf M$ are
#
# $$M_{22} = \frac{m_2 l_2^2}4 + I_2,\quad M_{12} = M_{22} + \frac{m_2 l_1
# l_2}2 c_2,\quad M_{11} = \frac{m_1 l_1^2}4 + I_1 + m_2 l_1^2 + M_{22} + m_2
# l_1 l_2\,c_2$$

# %% alt="Moments of both joints over the motion: jumps where the acceleration jumps, and a part that holds the weight"
needed = model.inverse_dynamics(instants, list(plan.position(t)))
M22 = M2 * L2**2 / 3
at_start = [
    [M1 * L1**2 / 3 + M2 * L1**2 + M22 + M2 * L1 * L2 * np.cos(1.2), 0],
    [M22 + M2 * L1 * L2 / 2 * np.cos(1.2), M22],
]
at_start[0][1] = at_start[1][0]
weight = 9.81 * np.array(
    [
        (M1 / 2 + M2) * L1 * np.cos(-0.5) + M2 * L2 / 2 * np.cos(0.7),
        M2 * L2 / 2 * np.cos(0.7),
    ]
)
first = np.array(at_start) @ np.array(plan.acceleration(0.0)) + weight
print("at the start:", needed[0], "N m, by hand", first.astype(float))
assert np.allclose(needed[0], first.astype(float))
holding = model.inverse_dynamics(instants, path, 0 * path, 0 * path)
fig, ax = plt.subplots(layout="constrained")
for k in range(2):
    ax.plot(instants, needed[:, k], color=f"C{k}", label=f"joint {k + 1}")
    ax.plot(instants, holding[:, k], ":", color=f"C{k}", label="weight alone")
ax.set(xlabel="t [s]", ylabel="moment [N m]")
ax.legend();

# %% [markdown]
# ## A gear
#
# A motor gives a small moment at a high speed. Behind a gear of the ratio $n$
# it turns $n$ times as fast as the joint and gives $n$ times its moment
# $\tau_m$. But its rotor, of the inertia $J_m$, turns $n$ times as fast as
# well: its kinetic energy $\tfrac12 J_m (n\dot q)^2$ counts as an inertia
# $n^2 J_m$ on the joint. With a load of the inertia $J_l$
#
# $$\ddot q = \frac{n\,\tau_m}{J_l + n^2 J_m}$$
#
# It is largest where its derivative by $n$ vanishes,
# $J_l + n^2 J_m = 2 n^2 J_m$:
#
# $$n = \sqrt{J_l/J_m}$$
#
# With this ratio the rotor and the load take equal parts of the moment. With a
# larger ratio the rotor takes more.

# %% alt="Acceleration over the ratio: a peak at 50, dots of the model on the curve"
JM, JL, TAU = 1e-3, 2.5, 2.0
ratios = np.linspace(5, 150, 200)
fig, ax = plt.subplots(layout="constrained")
ax.plot(ratios, ratios * TAU / (JL + ratios**2 * JM), label="formula")
for n in (10, 25, 50, 100, 140):
    joint = Model("joint")
    (q,) = joint.coordinates("q")
    joint.body("load", trotz(q), mass=0, inertia=(0, 0, JL))
    joint.add(Rotor(ground, axis="z", inertia=JM, coordinate=n * q))
    joint.add(GeneralizedForce(q, n * TAU))
    found = joint.compile().accelerations(0, [0], [0])[0]
    assert np.isclose(found, n * TAU / (JL + n**2 * JM))
    ax.plot(n, found, "o", color="C1")
best = np.sqrt(JL / JM)
assert np.isclose(best, 50)
assert np.isclose(best**2 * JM, JL)  # the rotor takes half of the moment
ax.axvline(best, color="gray", ls=":", label="sqrt(J_l/J_m)")
ax.set(xlabel="ratio n", ylabel="acceleration [rad/s²]")
ax.legend();

# %% [markdown]
# ## Control
#
# The moments of inverse dynamics would suffice if the model were exact and
# there were no disturbances. Let $\mathbf e = \mathbf q_d - \mathbf q$ be
# the distance from the planned $\mathbf q_d(t)$.
#
# **Proportional and derivative** (PD), each joint for itself:
# $\boldsymbol\tau = \mathbf K_p\,\mathbf e + \mathbf K_d\,\dot{\mathbf e}$,
# with gains that are chosen. This uses no model of the arm. At rest the weight
# causes an error: $\mathbf K_p\,\mathbf e = \boldsymbol\tau_{weight}$, so that
# $\mathbf e\ne\mathbf 0$.
#
# **Computed torque**: compute the moment for the desired acceleration, and add
# the correction to the acceleration instead of the moment:
#
# $$\boldsymbol\tau = \mathbf M(\mathbf q)\left(\ddot{\mathbf q}_d +
# k_d\,\dot{\mathbf e} + k_p\,\mathbf e\right) + \mathbf h(\mathbf q, \dot{\mathbf
# q})$$
#
# Put it into (7): $\mathbf M$ is regular, so $\ddot{\mathbf q}$ is the bracket,
# and
#
# $$\ddot{\mathbf e} + k_d\,\dot{\mathbf e} + k_p\,\mathbf e = \mathbf 0$$
#
# The error of the nonlinear arm obeys a linear equation, which is the same in
# every position. With $k_p = \omega_0^2$, $k_d = 2\omega_0$ errors die out
# fastest
# without overshoot, at the rate $\omega_0$.


# %%
def follow(law, load=0.0, start=(0.05, -0.05), every=0.001):
    """A run in which a law moves the arm, sampled each millisecond."""
    model = arm(load)
    q1, q2 = (model.symbols[name] for name in ("q1", "q2"))
    for name, x in (("a", q1), ("b", q2), ("ad", q1.dot), ("bd", q2.dot)):
        model.output(name, x)

    def sampled(time, outputs):
        q = np.array([outputs["a"], outputs["b"]])
        qd = np.array([outputs["ad"], outputs["bd"]])
        wanted = np.array(planned(min(time, plan.end)))
        if time >= plan.end:
            wanted[1:] = 0
        tau = law(q, qd, *wanted)
        return {"tau1": tau[0], "tau2": tau[1]}

    model.controller(every, sampled)
    begin = {"q1": START[0] + start[0], "q2": START[1] + start[1]}
    return model.simulate(1.8, initial=begin, save_every=0.005)


known = model.compile()  # what the controller believes: no load
W0 = 20.0


def computed(q, qd, q_d, qd_d, qdd_d):
    e, ed = q_d - q, qd_d - qd
    return known.residual(0, q, qd, qdd_d + 2 * W0 * ed + W0**2 * e)


def proportional(q, qd, q_d, qd_d, qdd_d):
    gains = np.array([2.5, 0.4])  # about the inertia of each joint
    return gains * (W0**2 * (q_d - q) + 2 * W0 * (qd_d - qd))

# %% [markdown]
# The arm begins 0.05 rad off its path. By the linear equation
# $e(t) = e_0\,(1 + \omega_0 t)\,e^{-\omega_0 t}$:

# %% alt="Error of joint 1: PD stays off; computed torque dies out along the dots; an unknown load leaves a little"
fig, ax = plt.subplots(layout="constrained")
for law, load, name in (
    (proportional, 0.0, "PD"),
    (computed, 0.0, "computed torque"),
    (computed, 0.5, "the same, with 0.5 kg that it does not know"),
):
    run = follow(law, load)
    wanted = np.array([planned(min(x, plan.end))[0] for x in run.t])
    error = wanted - run.q[:, :2]
    ax.plot(run.t, error[:, 0], label=name)
    print(f"{name}: {np.abs(error[-1]).max():.5f} rad off at the end")
    if law is computed and not load:
        linear = -0.05 * (1 + W0 * run.t) * np.exp(-W0 * run.t)
        ax.plot(run.t[::10], linear[::10], "k.", label="linear equation")
        assert np.abs(error[:, 0] - linear).max() < 2e-3
        assert np.abs(error[-1]).max() < 1e-6
    else:
        assert np.abs(error[-1]).max() > 0.01  # it stays off
ax.set(xlabel="t [s]", ylabel="error of joint 1 [rad]")
ax.legend();

# %%
run.animate(trace=["hand"], plots=["q1", "q2"], every=0.01, speed=0.5)

# %% [markdown]
# A load that is not in the model of the controller leaves an error. An integral
# term (notebook 11) removes it slowly.
#
# ## A complete robot
#
# The Manutec r3 has six axes, each with an electric motor, a current loop, a
# controller for the speed and one for the place, a gear, and bearings that
# stick; three gears are elastic. All of that is one model, of 9 coordinates and
# 18 states: here it carries 15 kg through the room in 1.36 s.

# %% alt="Sketch of the robot r3: six links in space and a box"
robot = examples.robot_r3()
pose = {"joint2": -0.4, "joint3": 0.8, "joint5": -0.6}
robot.scene(initial=pose).sketch(towards=(1, 0.35, 0.5));

# %% alt="Distance of the six joints from their path, in milliradians: up to 17 mrad, then nearly zero"
run = robot.simulate(1.8, save_every=0.005)
moving = np.flatnonzero(np.diff(run["axis1_reference"]))
assert abs(run.t[moving[-1] + 1] - 1.36) < 0.01
print(run.stats.steps, "steps,", len(run.events), "events of friction")
found = robot.mechanism
assert len(found.coordinates) == 9 and len(found.states) == 18
fig, ax = plt.subplots(layout="constrained")
for k in range(1, 7):
    off = run[f"joint{k}"] - run[f"axis{k}_reference"]
    ax.plot(run.t, 1e3 * off, label=f"joint {k}")
    assert np.abs(off).max() < 0.018 and np.abs(off[-1]) < 2e-3
largest = max(np.abs(run[f"joint{k}"] - run[f"axis{k}_reference"]).max()
              for k in range(1, 7))
assert abs(largest - 0.017) < 0.002
ax.set(xlabel="t [s]", ylabel="off the path [mrad]")
ax.legend(ncols=3);

# %%
run.animate(trace="load", every=0.01, speed=0.5)

# %% [markdown]
# Its controllers are of the first kind, one for each joint. The gear ratios are
# 60 to 210. How much of the inertia at each joint is the inertia $n^2 J_m$ of
# the rotor? The residual for a unit acceleration of one joint gives the whole
# inertia, here with the full load and in the pose of the sketch:

# %%
system = robot.compile()
state = np.array([pose.get(name, 0.0) for name in system.names])
still = np.zeros(len(state))
at_rest = system.residual(0, state, still, still)
shares = []
for k, axis in enumerate(AXES):
    unit = still.copy()
    unit[k] = 1
    whole = (system.residual(0, state, still, unit) - at_rest)[k]
    rotor = axis["ratio"] ** 2 * axis["J"]
    if k < 3:  # behind a spring, with a coordinate of its own
        whole += rotor
    shares.append(rotor / whole)
print("shares of the rotors:", np.round(shares, 2))
assert abs(min(shares) - 0.15) < 0.01 and abs(max(shares) - 0.62) < 0.01
ratios = [abs(axis["ratio"]) for axis in AXES]
assert min(ratios) == 60 and max(ratios) == 210

# %% [markdown]
# The rotors are 15 to 62 % of the inertia. The inertia of a rotor depends
# neither on the pose nor on the load. A moment of the arm reaches the motor
# divided by $n$. So the controllers can treat the arm as a disturbance. This
# answers the question for robots of its time: **a high gear ratio hides much of
# the arm from the motor.** Robots with low gear ratios, which react to contact
# forces, need computed torque.
#
# ## Questions
#
# 1. Where can the arm of two links move its hand in one direction only? What
#    does $\boldsymbol\tau = -\mathbf J^\mathsf{T}\mathbf F$ say there?
# 2. Why is a path of constant acceleration bad for an elastic gear, and what
#    would be better?
# 3. The sampling takes 20 ms instead of 1 ms. What happens to computed torque
#    with $\omega_0 = 20$ per second? Try it.
#
# <details><summary>Answers</summary>
#
# 1. Stretched or folded, $\sin q_2 = 0$: $\mathbf J$ is singular. A force along
#    the arm needs no moments of the motors, and no moments can move the hand
#    along it.
# 2. The acceleration jumps, and with it the moment: the gear rings. A path
#    whose acceleration is continuous (polynomials of fifth order, or sines)
#    does not excite it.
# 3. A delay of half a sample and more reduces the damping, and makes it
#    negative in the end. With $\omega_0 h = 0.4$ the arm overshoots, but is
#    stable. Well above that it is unstable (notebook 11).
#
# </details>

# %%
folded = np.array([-L1 * np.sin(0.4), L1 * np.cos(0.4)])  # of J at q2 = 0
folded = np.column_stack([folded * (1 + L2 / L1), folded * L2 / L1])
assert np.linalg.matrix_rank(folded) == 1
assert np.allclose(folded.T @ (np.cos(0.4), np.sin(0.4)), 0)
slow = follow(computed, every=0.02)
wanted = np.array([planned(min(x, plan.end))[0] for x in slow.t])
error = wanted - slow.q[:, :2]
print(f"sampled at 20 ms: overshoots by {1e3 * error[:, 0].max():.2f} mrad")
assert 1e-4 < error[:, 0].max() < 0.01 and np.abs(error[-1]).max() < 1e-4
for w0_h, stable in ((0.4, True), (1.2, False)):  # one axis, sampled
    k, d = w0_h**2, 2 * w0_h
    A = np.array([[1 - k / 2, 1 - d / 2], [-k, 1 - d]])
    assert (np.abs(np.linalg.eigvals(A)).max() < 1) == stable

# %% [markdown]
# ## Where to read on
#
# - Exercise [21](../exercises/21_robot/README.md):
#   `python -m easydyn exercise 21`; exercise
#   [25](../exercises/25_inverse_kinematics/README.md): inverse kinematics.
# - Project [33](../exercises/33_robot_r3/README.md): the r3 robot and its
#   controllers.
# - [Drive trains](../docs/drives.md): motors, gears, the r3 robot beside its
#   published trajectory; [reactions](../docs/reactions.md): inverse dynamics.
# - [Notebook 11](11_control.ipynb): sampled controllers;
#   [notebook 8](08_spatial_robot.ipynb): a robot without controllers, and
#   eq. (6).
# - B. Siciliano, L. Sciavicco, L. Villani, G. Oriolo, *Robotics: Modelling,
#   Planning and Control*, Springer 2009.
