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
# # 16. Degrees of freedom and closed loops
#
# **After this notebook you can**
#
# - count the degrees of freedom of a mechanism, in the plane and in space;
# - close a four-bar with a formula, in both ways, and find its dead points;
# - say when counting is wrong, and use the rank of a matrix instead.
#
# **The question.** The usual count says that the second and the third mechanism
# of this notebook are rigid frames. But both move. How can we find the number
# of degrees of freedom of a mechanism?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import Model, ground, tdisp, trotx, trotz, visu
from easydyn.errors import EasyDynError

# %% [markdown]
# ## Counting
#
# A free body has three degrees of freedom in the plane, and six in space. A
# joint between two bodies removes some of them. A hinge leaves one rotation: it
# removes two of three in the plane, and five of six in space. With $n$ moving
# bodies and $j_k$ joints that remove $k$ degrees of freedom, the count of
# Grübler and Kutzbach is
#
# $$F = 3 n - \sum_k k\,j_k \quad\text{(plane)},\qquad F = 6 n - \sum_k
# k\,j_k\quad\text{(space)}$$


# %%
def count(bodies, taken, each=3):
    """Freedoms by counting; `taken` lists what each joint takes away."""
    return each * bodies - sum(taken)


counted = {}
for name, bodies, taken, each in (
    ("double pendulum", 2, [2] * 2, 3),
    ("four-bar: three rods, four hinges", 3, [2] * 4, 3),
    ("slider-crank: three hinges and a guide", 3, [2] * 4, 3),
    ("robot with six hinges", 6, [5] * 6, 6),
    ("Stewart's platform: 6 struts of 2 parts", 13, [3, 4, 5] * 6, 6),
):
    counted[name] = count(bodies, taken, each)
    print(f"{name:40s}{counted[name]:3d}")
assert list(counted.values()) == [2, 1, 1, 6, 6]

# %% [markdown]
# (Each strut of the platform has a ball joint at one end, a universal joint at
# the other end, and a sliding joint between its two parts.)
#
# ## What a count means
#
# Cut one joint in each loop. The result is a tree, with one coordinate for each
# degree of freedom of its joints, $\mathbf q = (q_1 \dots q_n)$. The cut joints
# are equations $\mathbf g(\mathbf q) = \mathbf 0$. Every motion must satisfy
# $\dot{\mathbf g} = \mathbf J\,\dot{\mathbf q} = \mathbf 0$ with
# $\mathbf J = \partial\mathbf g/\partial\mathbf q$. So the possible rates are
# the null space of $\mathbf J$. Its dimension is the number of degrees of
# freedom,
#
# $$F = n - \operatorname{rank}\mathbf J$$
#
# The count above assumes that all equations are independent, so that the rank
# is the number of equations. **This assumption may be wrong.**
#
# A four-bar has a crank of the length $r_1$, a coupler of the length $r_2$ and
# a rocker of the length $r_3$. The two hinges on the ground are $r_0$ apart.

# %% alt="Sketch of a four-bar: crank and rocker on the ground, hinges O and A there, a coupler between them"
R0, R1, R2, R3 = 0.9, 0.3, 0.8, 0.6  # m


def four_bar(r1=R1):
    model = Model("four-bar", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(1.2, -0.9, 1.5))
    r2, r3 = model.parameters(r2=R2, r3=R3)
    rods = [
        model.body(name, T, mass=2, inertia=(0, 0, 0.1), com=(length / 2, 0, 0))
        for name, T, length in (
            ("crank", trotz(a), r1),
            ("coupler", trotz(a) * tdisp(r1, 0, 0) * trotz(b), r2),
            ("rocker", tdisp(R0, 0, 0) * trotz(c), r3),
        )
    ]
    model.close((rods[1], (R2, 0, 0)), (rods[2], (R3, 0, 0)), joint="revolute")
    return model


model = four_bar()
model.scene(initial=model.assemble()).sketch(points=True);

# %%
a, b, c = sympy.symbols("a b c")
cos, sin = sympy.cos, sympy.sin
g = sympy.Matrix(
    [
        R1 * cos(a) + R2 * cos(a + b) - R0 - R3 * cos(c),
        R1 * sin(a) + R2 * sin(a + b) - R3 * sin(c),
    ]
)
J = g.jacobian([a, b, c])
state = model.assemble()
numbers = np.array(J.subs({x: state[str(x)] for x in (a, b, c)}), dtype=float)
singular = np.linalg.svd(numbers, compute_uv=False)
print("singular values:", singular.round(4), " rank", np.sum(singular > 1e-9))
assert 3 - np.linalg.matrix_rank(numbers) == 1
print(model.mobility())
assert model.mobility().degrees_of_freedom == 1
assert model.mobility().equations == 5 and model.mobility().rank == 2

# %% [markdown]
# The pin of `close` is a joint in space, with five equations. In a planar tree
# three of them always hold. They are redundant, but do no harm.
#
# ## The four-bar in a formula
#
# The end of the crank is at $\mathbf p = r_1(\cos a, \sin a)$, the end of the
# rocker at $(r_0 + r_3\cos c,\ r_3\sin c)$. Their distance is the length $r_2$
# of the coupler. The square of this condition is, with $u = r_0 - p_x$,
#
# $$u^2 + p_y^2 + r_3^2 - r_2^2 + 2 r_3\,(u\cos c - p_y\sin c) = 0$$
#
# It has the form $A\cos c + B\sin c = K$ with $A = 2 r_3 u$, $B = -2 r_3 p_y$,
# $K = r_2^2 - r_3^2 - u^2 - p_y^2$. The vector $(A, B)$ has the length
# $h = \sqrt{A^2 + B^2}$ and the angle $\delta$. Then $h\cos(c - \delta) = K$,
# and
#
# $$c = \delta \pm\arccos\frac{K}{h}$$
#
# The two signs are the two ways to assemble the linkage. If $|K| > h$, it
# cannot be assembled.


# %%
def rocker(a, sign, r1=R1):
    """Angle of the rocker; nan where the loop cannot be closed."""
    px, py = r1 * np.cos(a), r1 * np.sin(a)
    u = R0 - px
    A, B = 2 * R3 * u, -2 * R3 * py
    K = R2**2 - R3**2 - u**2 - py**2
    with np.errstate(invalid="ignore"):
        return np.arctan2(B, A) + sign * np.arccos(K / np.hypot(A, B))


ways = model.assemblies(hold=["a"])
found = sorted(way["c"] % (2 * np.pi) for way in ways)
by_hand = sorted(rocker(1.2, sign) % (2 * np.pi) for sign in (1, -1))
print("both ways:", np.round(found, 9))
print("formula:  ", np.round(by_hand, 9))
assert np.allclose(found, by_hand)

# %% alt="Angle of the rocker over the crank, two branches: closed curves for a short crank, ending for a long one"
crank = np.linspace(0, 2 * np.pi, 721)
fig, ax = plt.subplots(layout="constrained")
for r1, style in ((0.3, "-"), (0.6, "--")):
    for sign, colour in ((1, "C0"), (-1, "C1")):
        ax.plot(crank, rocker(crank, sign, r1), style, color=colour,
                label=f"crank {r1} m, way {sign:+d}")
ax.set(xlabel="a [rad]", ylabel="c [rad]")
ax.legend()
assert not np.isnan(rocker(crank, 1)).any()  # Grashof: it turns fully
assert np.isnan(rocker(crank, 1, 0.6)).any()  # dead points

# %% [markdown]
# ## Does the crank turn fully?
#
# It does if the loop closes at $a = 0$ and at $a = \pi$. There the end of the
# crank is nearest to the other hinge on the ground, and farthest from it. The
# line between both, the coupler and the rocker are a triangle with the sides
# $|r_0\mp r_1|$, $r_2$, $r_3$. No side may be longer than the two others
# together:
#
# $$r_2 + r_3\ge r_0 + r_1,\qquad |r_2 - r_3|\le |r_0 - r_1|$$
#
# If the crank is the shortest rod, both together are Grashof's rule: the
# shortest and the longest rod together are not longer than the other two. Here
# 0.3 + 0.9 m < 0.8 + 0.6 m. With a crank of 0.6 m the second condition is
# violated. The dashed curves end at a **dead point**, where coupler and rocker
# are in line. There the two ways to assemble the linkage meet, and the crank
# can go no further.
#
# At a dead point the columns of $\mathbf J$ for $b$ and $c$ become linearly
# dependent, so $a$ no longer determines $b$ and $c$. How near a dead point is,
# is seen from the angle $\mu$ between coupler and rocker, the *transmission
# angle*:
# $\det(\partial\mathbf g/\partial(b, c)) = r_2 r_3\sin\mu$. Designers keep it
# between 40 and 140 degrees.

# %% alt="Transmission angle over the crank: from 48 to 117 degrees for 0.3 m, up to 180 for 0.6 m"
fig, ax = plt.subplots(layout="constrained")
for r1 in (0.3, 0.6):
    d2 = r1**2 + R0**2 - 2 * r1 * R0 * np.cos(crank)  # diagonal, squared
    cosine = (R2**2 + R3**2 - d2) / (2 * R2 * R3)
    with np.errstate(invalid="ignore"):
        angles = np.degrees(np.arccos(cosine))
    ax.plot(crank, angles, label=f"crank {r1} m")
    ends = np.nanmin(angles), np.nanmax(angles)
    print(f"crank {r1} m: from {ends[0]:.1f} to {ends[1]:.1f} degrees")
    limits, off = ((48, 117), 1) if r1 == 0.3 else ((19, 180), 5)
    assert np.allclose(ends, limits, atol=off)
for limit in (40, 140):
    ax.axhline(limit, color="gray", ls=":")
ax.set(xlabel="a [rad]", ylabel="transmission angle [degrees]")
ax.legend()

minor = J[:, 1:].det().subs({x: state[str(x)] for x in (a, b, c)})
d2 = R1**2 + R0**2 - 2 * R1 * R0 * np.cos(state["a"])
mu = np.arccos((R2**2 + R3**2 - d2) / (2 * R2 * R3))
print(f"minor {float(minor):.6f}, r2 r3 sin(mu) {R2 * R3 * np.sin(mu):.6f}")
assert np.isclose(abs(float(minor)), R2 * R3 * np.sin(mu))

# %%
run = model.simulate(3, initial={"a": 1.2, "a.dot": 8}, save_every=0.01)
run.animate(trace=[("coupler", (0.4, 0.25, 0))])

# %% [markdown]
# ## When counting is wrong: lengths that fit
#
# Three parallel cranks of the same length carry a bar. The count for four
# bodies and six hinges is $F = 3\cdot 4 - 2\cdot 6 = 0$. But this mechanism
# moves: the wheels of a locomotive are coupled in this way.


# %% alt="Sketch: three parallel cranks on the ground carry one bar"
def three_cranks(middle=0.4):
    model = Model("three cranks")
    a, b, c, d = model.coordinates("a b c d", initial=(1, -1, 1, 1))
    solid = {"mass": 1, "inertia": (0, 0, 0.1), "com": (0.15, 0, 0)}
    model.body("left crank", trotz(a), **solid)
    T = trotz(a) * tdisp(0.3, 0, 0) * trotz(b)
    bar = model.body("bar", T, mass=1, inertia=(0, 0, 0.1), com=(0.4, 0, 0))
    for name, x, place, angle in (
        ("right", 0.8, 0.8, c),
        ("middle", middle, 0.4, d),
    ):
        crank = model.body(name, tdisp(place, 0, 0) * trotz(angle), **solid)
        pin = (crank, (0.3, 0, 0))
        model.close((bar, (x, 0, 0)), pin, joint="revolute", name=name)
    return model


locomotive = three_cranks()
locomotive.scene().sketch();

# %%
mobility = locomotive.mobility()
print(mobility)
assert count(4, [2] * 6) == 0 and mobility.degrees_of_freedom == 1
assert mobility.rank == 3

# %% [markdown]
# Its four equations in the plane have the rank three, *because the lengths
# fit*. If one hole is bored 5 mm off its place, the count is right. Then the
# mechanism can be assembled in a few positions only, and there it is rigid.
# Rigid-body mechanics cannot give the force in a redundant hinge: it depends on
# how exactly the holes fit.

# %%
for middle, expected in ((0.4, 1), (0.405, 0)):
    model = three_cranks(middle)
    try:
        here = model.assemble()
        freedoms = model.mobility(here).degrees_of_freedom
        assert freedoms == expected
        print(f"hole at {middle} m: F = {freedoms}, at a = {here['a']:.4f} rad")
    except EasyDynError as error:
        print(f"hole at {middle} m:", str(error).splitlines()[0])

# %% [markdown]
# ## In space: Bennett's linkage
#
# Four rods form a ring with four hinges, whose axes are skew. The count for
# three moving bodies and four hinges is $F = 6\cdot 3 - 5\cdot 4 = -2$. Such a
# ring is rigid, with one exception, which G. T. Bennett found in 1903. There
# opposite rods are equal. They have the lengths $l_1$, $l_2$, and the axes of
# the hinges at their ends are twisted by $\alpha$, $\beta$, with
# $l_1/\sin\alpha = l_2/\sin\beta$.

# %% alt="Sketch of Bennett's linkage: three rods and the ground in a ring, their hinges skew to each other"
L1, L2, ALPHA = 0.5, 0.8, np.radians(30)


def bennett(beta):
    model = Model("Bennett's linkage")
    q1, q2, q3 = model.coordinates("q1 q2 q3", initial=(0.8, -3.4, -0.8))
    one, two = tdisp(L1, 0, 0) * trotx(ALPHA), tdisp(L2, 0, 0) * trotx(beta)
    solid = {"mass": 1, "inertia": (0.01, 0.01, 0.01)}
    T1 = trotz(q1)
    T2 = T1 * one * trotz(q2)
    T3 = T2 * two * trotz(q3)
    for name, T, length in (("1", T1, L1), ("2", T2, L2), ("3", T3, L1)):
        bar = visu.Cylinder.along((length, 0, 0), 0.02)
        hinge = visu.Cylinder(0.035, 0.12, colour="grey")
        third = model.body(f"rod {name}", T, com=(length / 2, 0, 0),
                           shape=[bar, hinge], **solid)
    model.close((third, one), (ground, two.inv()), joint="revolute")
    return model


beta = np.arcsin(np.sin(ALPHA) * L2 / L1)
ring = bennett(beta)
open_ring = ring.assemble({"q1": 1.6}, hold=["q1"])
ring.scene(initial=open_ring).sketch(towards=(0.5, -1, 0.8));

# %%
print(ring.mobility())
assert count(3, [5] * 4, each=6) == -2
assert ring.mobility().degrees_of_freedom == 1 and ring.mobility().rank == 2

# %% [markdown]
# The ring has one degree of freedom instead of $-2$: only two of the five
# equations of its last hinge are independent. This holds at every instant: the
# ring moves, and two of its angles obey Bennett's law,
# $\tan\tfrac{q_1}2\tan\tfrac{q_2}2 = $ const.

# %%
law = []
for angle in (0.4, 0.8, 1.2, 1.6):
    there = ring.assemble({"q1": angle}, hold=["q1"])
    law.append(np.tan(angle / 2) * np.tan(there["q2"] / 2))
    assert ring.mobility(there).degrees_of_freedom == 1
print("tan(q1/2) tan(q2/2):", np.round(law, 9))
assert np.ptp(law) < 1e-8

# %%
run = ring.simulate(4, initial={"q1": 0.8, "q1.dot": 2}, save_every=0.02)
run.animate()

# %% [markdown]
# A program does not know such families of linkages, but it can compute the rank
# of $\mathbf J$. `mobility` does this at the given state and at states nearby.
# Notebook 13 shows how redundant equations are treated, and which forces in the
# joints can then be computed.
#
# ## Questions
#
# 1. A garden gate hangs on three hinges in one line. How many degrees of
#    freedom does the count give, and how many does the gate have?
# 2. Stewart's platform has six struts. How many freedoms remain if all struts
#    are blocked, and how many if one strut is taken away?
# 3. The four-bar of this notebook is driven at the rocker instead of at the
#    crank. Where are its dead points?
#
# <details><summary>Answers</summary>
#
# 1. The count gives $F = 6 - 3\cdot 5 = -9$. But the gate turns, $F = 1$,
#    because the three axes are one line: ten equations are redundant.
#    Carpenters leave some play.
# 2. None: every blocked strut removes one of the six degrees of freedom of the
#    platform. With five struts one remains.
# 3. Where crank and coupler are in line: twice per turn of the crank. A
#    flywheel on the crank carries it through, as in the treadle of a sewing
#    machine.
#
# </details>

# %%
gate = count(1, [5] * 3, each=6)
assert gate == -9 and 1 - gate == 10  # ten equations are redundant
struts = [3, 4, 5] * 6  # a strut that is blocked is one body on two joints
assert count(13, struts, each=6) - 6 == count(7, [3, 4] * 6, each=6) == 0
assert count(6, [3, 4] * 5, each=6) == 1
turning = np.sign(np.diff(rocker(crank, 1)))
turns = np.sum(turning != np.roll(turning, 1))
assert turns == 2  # the rocker turns back twice in each turn of the crank

# %% [markdown]
# ## Where to read on
#
# - Exercise [16](../exercises/16_freedoms_and_loops/README.md):
#   `python -m easydyn exercise 16`.
# - Project [31](../exercises/31_walking_machine/README.md): a walking machine,
#   whose leg is a linkage of eleven rods.
# - [Closed loops](../docs/loops.md): joints, counting, ways to assemble.
# - [Linkages](../docs/linkages.md): ready-made mechanisms with their closed
#   forms.
# - [Notebook 6](06_slider_crank.ipynb): one loop by hand, eq. (39);
#   [notebook 13](13_closed_loops.ipynb): multipliers.
# - J. M. McCarthy, G. S. Soh, *Geometric Design of Linkages*, Springer 2011.
