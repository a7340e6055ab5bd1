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
# # 27. Shapes that touch, ropes that pull
#
# **After this notebook you can**
#
# - find the force between a cam and its follower, and where it becomes zero;
# - derive the ratio of a Geneva wheel, and what its last pin does;
# - say what a rocking block loses at each rebound, and why;
# - write a rope as an equation of lengths, and find the motion of a hoist.
#
# **The question.** A cam pushes its follower and cannot pull it. A rope pulls
# its load and cannot push it. Each of them is a constraint for some time, and
# nothing for the rest. Who decides when it begins and when it ends?

# %%
import math

import matplotlib.pyplot as plt
import numpy as np

from easydyn import (
    Contact,
    Force,
    Model,
    Pulley,
    Rope,
    ground,
    linkages,
    shapes,
    t,
    tdisp,
    trotz,
    visu,
)

g = 9.81  # m/s2

# %% [markdown]
# ## Gaps
#
# The **gap** $g_N$ of two bodies is their distance along the common normal of
# their surfaces. The normal force $N$ acts along it. Three statements hold:
#
# $$g_N \ge 0,\qquad N \ge 0,\qquad g_N\,N = 0$$
#
# Bodies do not overlap; they do not pull; and there is a force only where they
# touch. This is a *complementarity*. As long as they touch, $N$ is one of the
# forces in eq. (6), an unknown, and $\ddot g_N = 0$ is one more equation. When $N$ would fall below zero, the
# equation goes. When $g_N$ has fallen to zero, there is an impact, and the
# equation comes back. So the signs of $N$ and $g_N$ decide, and a program has
# to find the instants at which they change.
#
# ## A cam that throws its follower
#
# A round disc of the radius $R$ turns with the constant rate $\omega$ about an
# axis that is $e$ off its centre. A follower of the mass $m$ with a flat face
# lies on it. A spring of stiffness $k$, compressed by $p$ in the lowest
# position, pushes it down. With $\varphi = \omega t$ from the lowest position
# the lift is $s = e\,(1 - \cos\varphi)$, and Newton's law gives
#
# $$N = m\,\ddot s + m g + k\,(p + s)
# = m e\,\omega^2\cos\varphi + m g + k\,(p + e - e\cos\varphi)$$
#
# $N$ is smallest at the top, $\varphi = \pi$. It is zero there for
#
# $$\omega_j = \sqrt{\frac{k\,(p + 2e) + m g}{m\,e}}$$
#
# A faster cam loses its follower before the top, where
# $\cos\varphi = -(m g + k(p + e))/(m e\,\omega^2 - k e)$.


# %% alt="Sketch: an eccentric disc below a follower with a flat face"
m, k, e, p, R = 0.3, 800, 0.01, 0.02, 0.03
jump = math.sqrt((k * (p + 2 * e) + m * g) / (m * e))
omega = 1.05 * jump
cams = Model("cam", gravity=(0, -g, 0))
disc = visu.Cylinder(R, 0.01, at=tdisp(e, 0, 0))
cam = cams.body(
    "cam", trotz(omega * t - math.pi / 2), mass=0, inertia=(0, 0, 0), shape=disc
)
(y,) = cams.coordinates("y", initial=R - e)
plate = visu.Box(0.06, 0.003, 0.01, at=tdisp(0, 0.0015, 0))
follower = cams.body(
    "follower", tdisp(0, y, 0), mass=m, inertia=(0, 0, 0), shape=plate
)
cams.add(Force(follower, (0, -k * (p + y - (R - e)), 0)))
angles = np.linspace(0, 2 * np.pi, 36, endpoint=False)
table = np.column_stack([angles, e * np.cos(angles)])
edge = shapes.Curve.lift(table, base=R, follower=math.inf)
face = (follower, shapes.HalfPlane((0, -1)))
nose = Contact((cam, edge), face, restitution=0, name="nose")
cams.add(nose)
cams.scene().sketch();

# %% [markdown]
# `Curve.lift` makes the cam of a table of lifts. Its edge touches a flat face
# at the angle of its normal. The lift $h(u)$ is therefore the *support
# function* of the cam: with $\mathbf e$ along the normal and $\mathbf f$ across
# it, the edge is at $h\,\mathbf e + h'\,\mathbf f$. Its radius of curvature is
# $h + h''$.

# %%
run = cams.simulate(0.03, method="dop853", tolerance=1e-10)
left = next(event.t for event in run.events if event.what == "opens")
cosine = -(m * g + k * (p + e)) / (m * e * omega**2 - k * e)
print(f"it leaves at {1e3 * left:.6f} ms, by hand", end=" ")
print(f"{1e3 * math.acos(cosine) / omega:.6f} ms")
assert abs(left - math.acos(cosine) / omega) < 1e-7
assert abs(jump - 107.9244) < 1e-4

# %% alt="The force of the cam falls to zero, and the gap grows from there on"
fig, (above, below) = plt.subplots(2, sharex=True, layout="constrained")
above.plot(1e3 * run.t, run["nose.dot"])
above.set(ylabel="force [N]")
below.plot(1e3 * run.t, 1e6 * run.of(nose.gap))
below.set(xlabel="t [ms]", ylabel="gap [µm]");

# %% [markdown]
# ## A Geneva wheel
#
# A crank of the radius $r$ turns about an axis at the distance $d$ from that of
# a wheel with $n$ slots. Its pin enters a slot, turns the wheel by $2\pi/n$,
# and leaves the slot; then a lock holds the wheel. For no impact, the pin has
# to enter along the slot: at a right angle to the crank, so that
# $r = d\sin(\pi/n)$.
#
# Let $c$ be the angle of the crank from the line of the axes, and $b$ that of
# the slot. The pin is on the slot:
#
# $$\tan b = \frac{s\sin c}{1 - s\cos c},\qquad s = \sin\frac{\pi}{n}$$
#
# Its derivative is the ratio of both rates,
#
# $$\frac{\dot b}{\dot c} = \frac{s\,(\cos c - s)}{1 - 2 s\cos c + s^2}$$
#
# with the largest value $s/(1 - s)$ at $c = 0$: 2.414 for four slots. At the
# ends $\cos c = s$, and the ratio is zero: the wheel starts and stops smoothly.
# Its *acceleration* jumps there.

# %% alt="Sketch: a slotted wheel, and a crank with a pin in a slot"
indexing = Model("Geneva wheel")
geneva = linkages.geneva(
    indexing, 4, distance=0.1, rate=10.0, crank=1e-3, wheel=1e-4
)
indexing.scene().sketch();

# %%
turns = indexing.simulate(1.3, method="dop853", tolerance=1e-10)
ratio = -turns["wheel.dot"] / turns["crank.dot"]
s = math.sin(math.pi / 4)
print(f"largest ratio {ratio.max():.4f}, by hand {s / (1 - s):.4f}")
assert abs(ratio.max() - s / (1 - s)) < 2e-3
indexes = (turns["wheel"][0] - turns["wheel"][-1]) / (math.pi / 2)
assert abs(indexes - 2) < 1e-8
assert np.ptp(turns.energy.balance) < 1e-10

# %% alt="The angle of the wheel in steps, and its rate in pulses"
fig, (above, below) = plt.subplots(2, sharex=True, layout="constrained")
above.plot(turns.t, np.degrees(-turns["wheel"]))
above.set(ylabel="wheel [deg]")
below.plot(turns.t, -turns["wheel.dot"])
below.set(xlabel="t [s]", ylabel="rate [rad/s]");

# %% [markdown]
# ## A rocking block
#
# A block of the width $2b$ and the height $2h$ rocks on its lower corners and
# does not slide. It stands on one corner until its base is flat; then the other
# corner strikes, without a rebound, and takes over. Let $\ell^2 = b^2 + h^2$
# be the square of the distance of the centre from a corner, and $\alpha$ the
# angle of that line from the vertical, $\sin\alpha = b/\ell$. The moment of
# inertia about a corner is $J = \tfrac43 m\ell^2$.
#
# The impulse acts at the corner that strikes. About this corner it has no
# moment, so the angular momentum about it is the same before and after. Before,
# the block turns about the *other* corner with the rate $\dot\theta^-$: the
# velocity of its centre has the arm $\ell\cos 2\alpha$ about the new corner.
#
# $$\tfrac13 m\ell^2\,\dot\theta^- + m\ell^2\cos(2\alpha)\,\dot\theta^-
# = \tfrac43 m\ell^2\,\dot\theta^+
# \quad\Rightarrow\quad
# \frac{\dot\theta^+}{\dot\theta^-} = 1 - \tfrac32\sin^2\alpha$$
#
# (G. W. Housner, 1963.) A slender block loses little, a square one three
# quarters of its rate. No material is in this result: geometry alone.

# %% alt="Sketch: a block that leans on one of its lower corners"
b, h, lean = 0.1, 0.4, 0.05
ell, corner = math.hypot(b, h), math.atan2(h, b) + lean
rocking = Model("rocking block", gravity=(0, -g, 0))
start = (ell * math.cos(corner), ell * math.sin(corner), lean)
x, y, theta = rocking.coordinates("x y theta", initial=start)
block = rocking.body(
    "block", tdisp(x, y, 0) * trotz(theta), mass=1, inertia=(0, 0, ell**2 / 3)
)
base = Contact(
    (block, shapes.Polygon.box(2 * b, 2 * h)),
    (ground, shapes.HalfPlane((0, 1))),
    restitution=0,
    friction=1.5,
    name="base",
)
rocking.add(base)
rocking.scene().sketch();

# %%
run = rocking.simulate(1.5, method="dop853", tolerance=1e-10)
rate, found = run["theta.dot"], []
for event in run.events:
    after = np.searchsorted(run.t, event.t, side="right")
    before = np.searchsorted(run.t, event.t, side="left")
    if before > 0 and abs(rate[after - 1] - rate[before]) > 1e-3:
        found.append(rate[after - 1] / rate[before])
loss = 1 - 1.5 * (b / ell) ** 2
print("ratios of the rates:", np.round(found, 6), f"by hand {loss:.6f}")
assert len(found) >= 2 and np.allclose(found, loss, atol=1e-6)
run.animate(plots=["theta"])

# %% [markdown]
# ## A hoist
#
# A rope that does not stretch is a gap, too: its length less the length of its
# path is not negative, its tension is not negative, and one of them is zero. A
# load $M$ hangs on $n$ strands, a mass $m$ on the free end. Their heights are
# $y$ and $z$. The length of the rope is a constant less $n\,y + z$, so that
# $\ddot y = -\ddot z/n$. With the tension $T$, the same along the whole rope,
#
# $$M\,\ddot y = n\,T - M g,\qquad m\,\ddot z = T - m g$$
#
# Eliminate $T$ and $\ddot y$; with $a = -\ddot z$, downwards,
#
# $$a = g\,\frac{m - M/n}{m + M/n^2},\qquad T = m\,(g - a)$$

# %% alt="Sketch: a load on four strands of a rope that runs over pulleys"
r, n, M, end = 0.1, 4, 7.0, 2.5
hoist = Model("hoist", gravity=(0, -g, 0))
y, z = hoist.coordinates("y z", initial=(-1.4, -0.6))
crate = visu.Box(7 * r, 0.25, 0.2, at=tdisp(3 * r, -0.225, 0))
load = hoist.body(
    "load", tdisp(0, y, 0), mass=M, inertia=(0, 0, 0), shape=crate
)
weight = hoist.body(
    "weight", tdisp(8 * r, z, 0), mass=end, inertia=(0, 0, 0),
    shape=visu.Sphere(0.08),
)  # fmt: skip
hoist.add(
    Rope(
        ground,
        Pulley((load, (r, 0, 0)), r, side="left"),
        Pulley((ground, (3 * r, 0, 0)), r, side="right"),
        Pulley((load, (5 * r, 0, 0)), r, side="left"),
        Pulley((ground, (7 * r, 0, 0)), r, side="right"),
        weight,
        name="rope",
    )
)
hoist.scene().sketch();

# %%
run = hoist.simulate(0.5)
a = (end - M / n) * g / (end + M / n**2)
print(f"T = {run['rope.tension'][-1]:.4f} N, by hand {end * (g - a):.4f} N")
assert abs(run["z.ddot"][-1] + a) < 1e-9
assert abs(run["rope.tension"][-1] - end * (g - a)) < 1e-8

# %% [markdown]
# Let somebody throw the weight upwards: the rope becomes slack, and both fall.
# When it is taut again, there is an impact. Impulses act along the rope as
# tensions do: $M\,\Delta\dot y = n\,P$ and $m\,\Delta\dot z = P$, and after it
# $n\,\dot y + \dot z = 0$. The slack grows with the rate $n\,\dot y + \dot z$,
# and its own acceleration is $-(n + 1)\,g$.

# %%
up = 3.0
run = hoist.simulate(0.8, initial={"z.dot": up}, method="dop853")
taut = next(event.t for event in run.events if event.t > 0)
assert abs(taut - 2 * up / ((n + 1) * g)) < 1e-6
drop = up - (n + 1) * g * taut  # n y.dot + z.dot at that instant
P = -drop / (n**2 / M + 1 / end)
print(f"taut at {taut:.6f} s, the rope gives {P:.4f} N s")
assert abs(run.at(taut + 1e-9)["rope"] - P).max() < 1e-3

# %% [markdown]
# ## Questions
#
# 1. Does the follower of the cam leave earlier or later with twice the mass, at
#    the same $\omega > \omega_j$?
# 2. For which width does a block stay at rest after one impact?
# 3. With which $M/m$ does the load of the hoist rise fastest?
#
# <details><summary>Answers</summary>
#
# 1. Earlier. Divide numerator and denominator of $\cos\varphi$ by $m$: both
#    parts with $k$ become smaller. For a large mass
#    $\cos\varphi = -g/(e\,\omega^2)$, just above the middle.
# 2. The ratio is zero for $\sin^2\alpha = 2/3$, $b = \sqrt 2\,h$. A wider block
#    does not rebound; it comes to rest with both corners.
# 3. $\ddot y = a/n$. With $\mu = M/m$ it is
#    $g\,(1 - \mu/n)/(n + \mu/n)$, which falls with $\mu$: the lightest load is
#    the fastest, with $g/n$.
#
# </details>

# %%
heavy = -(2 * m * g + k * (p + e)) / (2 * m * e * omega**2 - k * e)
assert math.acos(heavy) < math.acos(cosine)
assert abs(1 - 1.5 * 2 / (2 + 1)) < 1e-12  # b = sqrt(2) h
rises = [(1 - mu / n) / (n + mu / n) for mu in (0, 0.5, 1, 2)]
assert rises == sorted(rises, reverse=True) and rises[0] == 1 / n

# %% [markdown]
# ## Where to read on
#
# - Exercises [30](../exercises/30_cam/README.md),
#   [34](../exercises/34_hoist/README.md) and
#   [35](../exercises/35_dominoes/README.md): cams, ropes, dominoes.
# - [Contact](../docs/contact.md), [ropes](../docs/ropes.md),
#   [linkages](../docs/linkages.md).
# - [Notebook 19](19_friction_impacts_events.ipynb): impacts and dry friction.
# - F. Pfeiffer, C. Glocker, *Multibody Dynamics with Unilateral Contacts*,
#   Wiley 1996.
