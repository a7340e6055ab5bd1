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
# # 19. Friction, impacts and events
#
# **After this notebook you can**
#
# - locate the instant at which something happens, and say why a step must end
#   there;
# - derive the restitution of a damped contact, and the speed at which smooth
#   friction creeps;
# - simulate sticking and sliding, and predict the rhythm of a squeak.
#
# **The question.** The equations of the other notebooks are smooth. Those of a
# ball that strikes the floor, of chalk that squeaks and of a brake that holds
# are not: forces or velocities jump. How can $\mathbf f = \mathbf 0$ be
# integrated then?

# %%
import math

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import expm

from easydyn import (
    JointFriction,
    Model,
    PlanePoint,
    RigidContact,
    Spring,
    ground,
    t,
    tdisp,
    trotz,
    visu,
)

# %% [markdown]
# ## Finding an instant
#
# A ball falls from 1 m to a floor at $y = 0$. One of the steps of 10 ms goes
# from above the floor to below it. The program watches a function whose sign
# changes at the impact, here $g = y$. When the sign has changed, it repeats the
# step with another length, until $g = 0$ at the end of the step. It finds the
# length by bisection, or faster by the secant through the last two trials:


# %%
def fall(y, v, h):
    """One step of the ball: exact, as nothing but its weight acts."""
    return y + v * h - 9.81 * h**2 / 2, v - 9.81 * h


def until_floor(y, v, h):
    """Steps of h until y is zero; the time that this takes, and v there."""
    time = 0.0
    while fall(y, v, h)[0] > 0:
        y, v = fall(y, v, h)
        time += h
    one, other = 0.0, h  # lengths between which the sign changes
    g_one, g_other = y, fall(y, v, h)[0]
    while abs(g_other) > 1e-14 and one != other:
        guess = other - g_other * (other - one) / (g_other - g_one)
        one, g_one = other, g_other
        other, g_other = guess, fall(y, v, guess)[0]
    return time + other, fall(y, v, other)[1]


time, v = until_floor(1.0, 0.0, 0.01)
print(f"{time:.15f} s, exact {math.sqrt(2 / 9.81):.15f} s")
assert abs(time - math.sqrt(2 / 9.81)) < 1e-14

# %% [markdown]
# **Why not just step on?** A method has the order $p$ only if the solution has
# $p + 1$ derivatives within each step. Across a jump this is not so: the error
# of the step is about the jump times $h$, whatever the method. So a step has to
# end *at* the jump, and the next one starts behind it. In easydyn the force
# elements say where they change. `model.event` declares further events.
#
# ## An impact, rigid
#
# The time of contact is short. Its force $F$ is large, its impulse $\int F\,dt$
# finite; in the limit the velocity jumps and the place does not. Newton's law
# of impacts gives the speed after the impact ($+$) from the speed before ($-$):
# $v^+ = -e\,v^-$. The **coefficient of restitution** $e$ is measured.
#
# From the height $h_0$ the ball needs $\sqrt{2 h_0/g}$ to the floor; the flight
# after impact $n$ takes $2 e^n\sqrt{2 h_0/g}$. The sum of all these times is
#
# $$t_\infty = \sqrt{\frac{2 h_0}{g}}\left(1 + 2\sum_{n=1}^\infty e^n\right) =
# \sqrt{\frac{2 h_0}{g}}\;\frac{1 + e}{1 - e}$$
#
# There are infinitely many events in a finite time. No program can compute all
# of them. When the flights have become too short to be seen, easydyn lets the
# ball rest.


# %% alt="Sketch: a ball at the height y above the floor"
def ball(element, height=1.0, speed=0.0, g=9.81):
    model = Model("ball", gravity=(0, -g, 0))
    (y,) = model.coordinates("y", initial=height, rates=speed, unit="m")
    body = model.body("ball", tdisp(0, y, 0), mass=0.5, inertia=(0, 0, 0))
    model.add(element(body, y))
    return model


rigid = ball(lambda body, y: RigidContact(y, restitution=0.8, name="floor"))
rigid.scene().sketch();

# %% alt="Height of the ball: bounces that become lower and faster, and rest at 4.06 s"
run = rigid.simulate(5)
last = run.events[-1]
exact = math.sqrt(2 / 9.81) * 1.8 / 0.2
print(f"{len(run.events)} events; at rest at {last.t:.9f} s, exact {exact:.9f}")
assert abs(last.t - exact) < 1e-5 and abs(exact - 4.06) < 0.01
fig, ax = plt.subplots(layout="constrained")
ax.plot(run.t, run["y"])
ax.axvline(exact, color="gray", ls=":")
ax.set(xlabel="t [s]", ylabel="y [m]");

# %% [markdown]
# ## An impact, soft: restitution derived
#
# Where does $e$ come from? Let the ground yield by $p$, with the force
# $k\,p + c\,p\,\dot p$: a spring of the stiffness $k$, and a damping that grows
# with $p$, so that the force begins and ends at zero (Hunt and Crossley, 1975).
# The ball, of the mass $m$, strikes with $v$. Its weight is small beside this
# force: $m\,\ddot p = -k\,p - c\,p\,\dot p$.
#
# With little damping the motion is nearly that without,
# $\tfrac12 m\dot p^2 + \tfrac12 k p^2 = \tfrac12 m v^2$, in which
# $\dot p = \pm\sqrt{v^2 - k p^2/m}$. The damping dissipates, on the way in and
# on the way out,
#
# $$\Delta E = 2\int_0^{p_1} c\,p\,\sqrt{v^2 - \tfrac km p^2}\;dp = 2
# c\left[-\frac{m}{3k}\left(v^2 - \tfrac km p^2\right)^{3/2}\right]_0^{p_1} =
# \frac{2 c\,m\,v^3}{3 k}$$
#
# ($p_1$ is the depth at which it turns, where the root vanishes.) By the
# definition of $e$ this is $\tfrac12 m v^2\,(1 - e^2)$. So
# $1 - e^2 = \tfrac43\tfrac ck v$, and for $e$ near 1
#
# $$e\approx 1 - \tfrac23\,\frac ck\,v$$
#
# **Restitution is no property of a material: it falls with the speed.** For
# large damping the equation can be integrated, too. With $w = \dot p$ as a
# function of $p$, $m\,w\,dw/dp = -p\,(k + c\,w)$; we integrate both sides from
# the beginning of the contact, $w = v$, to its end, $w = -e v$. At both
# $p = 0$:
#
# $$\int_{-e v}^{v}\frac{w\,dw}{k + c\,w} = 0\quad\Rightarrow\quad z\,(1 + e) =
# \ln\frac{1 + z}{1 - e z},\qquad z = \frac{c\,v}{k}$$


# %%
def restitution(z):
    """The zero of z (1 + e) - ln((1 + z)/(1 - e z)), by halving."""
    low, high = 0.0, min(1.0, (1 - 1e-12) / z)
    for _ in range(60):
        e = (low + high) / 2
        if z * (1 + e) - math.log((1 + z) / (1 - e * z)) > 0:
            low = e
        else:
            high = e
    return e


measured = []
speeds = (0.2, 0.5, 1, 2, 4, 8)
for speed in speeds:
    soft = ball(
        lambda body, y: PlanePoint(
            body, ground, normal=(0, 1, 0), stiffness=1e7, damping=2e6
        ),
        height=0, speed=-speed, g=0,
    )
    run = soft.simulate(0.005, method="dop853", tolerance=1e-9)
    measured.append(run["y.dot"].max() / speed)
    z = 0.2 * speed
    print(f"{speed:4} m/s: {measured[-1]:.5f}, formula {restitution(z):.5f}")
    assert abs(measured[-1] - restitution(z)) < 1e-5
assert abs(measured[0] - (1 - 2 / 3 * 0.2 * speeds[0])) < 5e-3
assert measured == sorted(measured, reverse=True)  # it falls with the speed

# %% alt="Restitution over speed: dots on a falling curve, and the straight line that it leaves"
v = np.linspace(0.01, 9, 200)
fig, ax = plt.subplots(layout="constrained")
ax.plot(v, [restitution(0.2 * x) for x in v], label="closed form")
ax.plot(v, 1 - 2 / 3 * 0.2 * v, ":", label="1 - (2/3)(c/k) v")
ax.plot(speeds, measured, "o", label="runs")
ax.set(xlabel="v [m/s]", ylabel="e", ylim=(0, 1.05))
ax.legend();

# %% [markdown]
# ## Coulomb's friction: a force that is not a function
#
# On a sliding body friction acts with $\mu N$ against the velocity $v$; $N$ is
# the normal force. On a body at rest it is *whatever is needed* to keep it at
# rest, up to $\mu_s N$. So friction at rest is not a function of the motion: it
# is an unknown, with an inequality. There are two ways to treat it:
#
# - **Smooth it**: $F = -\mu N\,u/\sqrt{1 + u^2}$ with $u = v/v_0$. A block that
#   should stick creeps instead. Notebook 9 derives its speed:
#   $v = v_0\,r/\sqrt{1 - r^2}$, where $r = F_{load}/(\mu N)$.
# - **Switch**: in each *mode* (slides forward, sticks, slides backward) there
#   is a smooth equation: with $F = \mp\mu N$, or with $\ddot q = 0$, which
#   gives $F$. Events switch from one mode to another: $v = 0$, or
#   $|F| = \mu_s N$.

# %% alt="Sketch: a block at x on a slope"
slope, mu = 0.3, 0.5


def block(slip_speed=None):
    model = Model("block on a slope", gravity=(0, -9.81, 0))
    (x,) = model.coordinates("x", rates=1, unit="m")
    T = trotz(-slope) * tdisp(x, 0, 0)
    model.body("block", T, mass=2, inertia=(0, 0, 0))
    level = mu * 2 * 9.81 * math.cos(slope)
    options = {} if slip_speed is None else {"slip_speed": slip_speed}
    model.add(JointFriction(x, level, name="sole", **options))
    return model


block().scene(initial={"x": 0.5}).sketch();

# %% alt="Way of the block: three smooth laws that creep, the slower the smaller v0, and one that holds"
fig, ax = plt.subplots(layout="constrained")
r = math.tan(slope) / mu
for v0 in (0.03, 0.01, 0.003):
    run = block(v0).simulate(20)
    creep = v0 * r / math.sqrt(1 - r**2)
    ax.plot(run.t, run["x"], label=f"smooth, v0 = {v0} m/s")
    print(f"v0 = {v0}: creeps at {run['x.dot'][-1]:.6f}, formula {creep:.6f}")
    assert abs(run["x.dot"][-1] - creep) < 1e-3 * creep
run = block().simulate(20)
ax.plot(run.t, run["x"], "k", label="exact")
ax.set(xlabel="t [s]", ylabel="x [m]")
ax.legend()
braking = 9.81 * (mu * math.cos(slope) - math.sin(slope))
print(run.events[0], f"\nby hand: t = v/a = {1 / braking:.9f} s")
assert abs(run.events[0].t - 1 / braking) < 1e-8

# %% [markdown]
# ## A squeak
#
# A block lies on a belt that runs at $v_b$. A spring of the stiffness $k$ holds
# it. Friction at rest is at most $F_s$, friction of sliding is $F_d < F_s$. The
# block moves with the belt until the spring pulls with $F_s$. Then it slides,
# and oscillates about $x_d = F_d/k$ with $\omega = \sqrt{k/m}$. Its
# displacement $u$ from $x_d$ starts at $\Delta = (F_s - F_d)/k$ with the speed
# $v_b$:
#
# $$u(\tau) = \Delta\cos\omega\tau + \frac{v_b}\omega\sin\omega\tau$$
#
# It sticks again when $\dot u = v_b$:
# $\;v_b\,(1 - \cos\omega\tau) = -\Delta\,\omega\sin\omega\tau$, or
# $\tan\tfrac{\omega\tau}2 = -\Delta\,\omega/v_b$. There $u = -\Delta$, and the
# belt then carries the block over the distance $2\Delta$:
#
# $$\tau_{slides} = \frac2\omega\left(\pi -
# \arctan\frac{\Delta\,\omega}{v_b}\right),\qquad \tau_{sticks} =
# \frac{2\Delta}{v_b}$$

# %% alt="Sketch: a block on a belt, held by a spring"
k, Fs, Fd, belt = 40.0, 6.0, 3.0, 0.3
squeak = Model("block on a belt", gravity=(0, -9.81, 0))
(x,) = squeak.coordinates("x", unit="m")  # its place on the belt
T = tdisp(x + belt * t, 0, 0)
mass = squeak.body("block", T, mass=1, inertia=(0, 0, 0))
squeak.add(
    Spring(mass, (ground, (-0.5, 0, 0)), stiffness=k, free_length=0.5),
    JointFriction(x, Fd, static_level=Fs, name="belt"),
)
squeak.scene(initial={"x": 0.1}).sketch();

# %% alt="Place of the block in space: straight pieces while it sticks, arcs while it slides"
run = squeak.simulate(6, save_every=0.005)
place = run.of(mass.T.e[0])
times = [event.t for event in run.events]
omega, delta = math.sqrt(k), (Fs - Fd) / k
slides = 2 / omega * (math.pi - math.atan(delta * omega / belt))
sticks = 2 * delta / belt
print(f"slides for {times[1] - times[0]:.9f} s, by hand {slides:.9f} s")
print(f"sticks for {times[2] - times[1]:.9f} s, by hand {sticks:.9f} s")
assert abs(times[1] - times[0] - slides) < 1e-5
assert abs(times[2] - times[1] - sticks) < 1e-5
assert run["x.dot"].max() < 1e-5  # it never slides forward on the belt
fig, ax = plt.subplots(layout="constrained")
ax.plot(run.t, place)
ax.plot(times, np.interp(times, run.t, place), "o", ms=4)
ax.set(xlabel="t [s]", ylabel="place of the block [m]");

# %% [markdown]
# Between two events the solution is smooth, and accurate to the tolerance. The
# squeak exists because $F_s > F_d$. With $F_s = F_d$ it is $\Delta = 0$: the
# block leaves the belt with $v_b$, and never sticks again. It
# vibrates for ever, with the amplitude $v_b/\omega$ about $x_d$:

# %%
quiet = Model("equal levels")
(x,) = quiet.coordinates("x", unit="m")
mass = quiet.body("block", tdisp(x + belt * t, 0, 0), mass=1, inertia=(0, 0, 0))
quiet.add(
    Spring(mass, (ground, (-0.5, 0, 0)), stiffness=k, free_length=0.5),
    JointFriction(x, Fd, name="belt"),
)
run = quiet.simulate(20, save_every=0.005)
late = run.of(mass.T.e[0])[run.t > 5]
print(f"amplitude {np.ptp(late) / 2:.6f} m, by hand {belt / omega:.6f} m")
assert abs(np.ptp(late) / 2 - belt / omega) < 1e-4 * belt / omega
assert abs((late.max() + late.min()) / 2 - Fd / k) < 1e-4

# %% [markdown]
# ## A disc that is thrown
#
# A disc of the radius $r$ and $J = \tfrac12 m r^2$ is set down at the speed
# $v_0$, without rotation. Friction $\mu m g$ brakes it and turns it, until its
# lowest point is at rest. About the point of contact friction has no moment, so
# the angular momentum about this point is constant:
# $m r\,v_0 = m r\,v + J\,v/r$, and $v = \tfrac23 v_0$, whatever $\mu$. The time
# is $(v_0 - v)/(\mu g)$.

# %% alt="Sketch: a disc on the floor"
thrown = Model("disc", gravity=(0, -9.81, 0))
x, y, a = thrown.coordinates("x y a", initial=(0, 0.5, 0), rates=(3, 0, 0))
T = tdisp(x, y, 0) * trotz(a)
thrown.body("disc", T, mass=2, inertia=(0, 0, 0.25))
slip = x.dot + 0.5 * a.dot  # of the lowest point
thrown.add(
    RigidContact(y - 0.5, restitution=0, friction=0.3, slip=slip, name="floor")
)
scene = thrown.scene(initial={"a": 0.5})
scene.add(ground, visu.Box(2.4, 0.04, 1, at=tdisp(0, -0.02, 0)))
scene.sketch();

# %%
run = thrown.simulate(2, save_every=0.01)
print(run.events[-1], f"\nby hand: t = {3 / (3 * 0.3 * 9.81):.9f} s")
assert abs(run["x.dot"][-1] - 2) < 1e-9
assert abs(run.events[-1].t - 3 / (3 * 0.3 * 9.81)) < 1e-8
run.animate(plots=["x.dot", "a.dot"])

# %% [markdown]
# If there are several contacts, a program has to find for all of them together
# which slide, stick or open. The forces and accelerations obey eq. (6), and
# each contact has its inequalities. That is
# a *linear complementarity problem*; easydyn solves it at each event, and at no
# other time.
#
# ## Questions
#
# 1. A linear damper, $F = k\,p + c\,\dot p$, in place of $c\,p\,\dot p$. Why
#    does it begin with a jump, and how does its restitution depend on the
#    speed?
# 2. Three equal balls lie in a row and touch; a fourth one strikes. What do you
#    expect, and what does a rigid law say?
# 3. Why does the block on the belt not slide *forward* relative to the belt?
#
# <details><summary>Answers</summary>
#
# 1. At $p = 0$, $\dot p = v$ the force is $c\,v$. The equation is linear, so
#    $e$ is the same for every speed: $e^{-\pi\zeta/\sqrt{1 - \zeta^2}}$ with
#    the damping ratio $\zeta$, if it may pull at the end.
# 2. The last one flies off. A law for two bodies does not say so: several
#    impacts at one instant have many outcomes that conserve momentum and
#    energy. With small gaps between the balls the impacts follow each other,
#    and the result is right.
# 3. Its speed relative to the belt is $\dot u - v_b$, which starts at zero and
#    is negative until it is zero again.
#
# </details>

# %%
zeta = 0.2
for speed in (0.5, 5):  # a linear law, in units of its frequency
    half = np.pi / math.sqrt(1 - zeta**2)  # until p is zero again
    _, back = expm(half * np.array([[0, 1], [-1, -2 * zeta]])) @ (0, speed)
    assert np.isclose(-back / speed, math.exp(-zeta * half))
v = [1.0, 0, 0, 0]  # equal balls that strike one after the other, e = 1
for k in range(3):
    v[k], v[k + 1] = v[k + 1], v[k]
assert v == [0, 0, 0, 1]

# %% [markdown]
# ## Where to read on
#
# - Exercise [20](../exercises/20_friction_and_impacts/README.md):
#   `python -m easydyn exercise 20`.
# - [Events](../docs/events.md), [friction](../docs/friction.md),
#   [contact](../docs/contact.md).
# - Exercise [10](../exercises/10_force_element/README.md): a force element of
#   your own.
# - F. Pfeiffer, C. Glocker, *Multibody Dynamics with Unilateral Contacts*,
#   Wiley 1996.
# - [Notebook 20](20_robots.ipynb): drives with friction that sticks.
